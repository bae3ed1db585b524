r"""Trade-off functions (f-DP): every test misses at least as often as a given curve says.

A mechanism is f-DP if for all neighbours x, y every test of y against x with false alarms z misses
with probability at least f(z) (Dong, Roth & Su 2022). Here f is a polygon, given by its corners:
false alarms and misses, such as ``0:1, 1/4:1/2, 1:0``. It is convex, falls to 0, and stays at or
below 1 - z, which guessing reaches.

*The claim is finitely many claims about gaps.* As f is convex, it is the largest of the lines of
its edges, 1 - delta - a z with slope -a. A test misses at least that if its power is at most a z +
delta. For all tests, that says H_a(P || Q) <= delta. For a < 1, put the complement E' of an alarm
E:

    P(E) <= a Q(E) + delta    if and only if    Q(E') <= P(E') / a + (delta + a - 1) / a,

a claim about the gap of the reverse at the ratio 1/a > 1. Both orders of two neighbours are
compared anyway. The flat edge at 0 claims nothing.

*How far a mechanism is from it* is the shortfall: the largest f(z) - misses over all tests, which
is the largest H_a - delta over the edges. Lowered by that, the curve holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from twoworlds.definitions.base import Compared, Given
from twoworlds.definitions.verdict import Verdict, Witness, within
from twoworlds.definitions.words import Subject, percent, points
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import Comparison, Family, Gap, larger
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import Number, bounds, decimal, exact_text, probability, show

_EXAMPLE = "0:1, 1/4:1/2, 1:0"
_MOST_CORNERS = 1 << 10
_SAID = 3  # corners in a sentence
_LONGEST_DENOMINATOR = 1000

Corners = tuple[tuple[Fraction, Fraction], ...]


class Edge(NamedTuple):
    """A claim H_r <= delta, and by what its excess is multiplied to be a difference of misses.

    ``turned`` says that it is about the complement of an alarm: the slope of the edge is below 1.
    """

    ratio: Fraction
    delta: Fraction
    weight: Fraction
    turned: bool


@dataclass(frozen=True, kw_only=True)
class TradeOffPrivacy(Compared):
    """Every test misses at least as often as a polygon says.

    >>> from twoworlds import mechanism
    >>> survey = mechanism("randomized-response(bits=40, keep=3/4)")
    >>> bool(TradeOffPrivacy(points="0:1, 1/4:1/4, 1:0").check(survey))
    True
    >>> TradeOffPrivacy(points="0:1, 1/4:1/2, 1:0").tightest(survey).shortfall
    Fraction(1, 4)
    """

    points: Given[Corners | None] = Given(lambda points, _: read_corners(points))

    name = "f-differential privacy"

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return how far below the curve the misses of the best test can fall."""
        return self._measured(mechanism, self._curve("measure against", "--definition "))[0]

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide the claim of every edge."""
        corners = self._curve("check")
        found, decisions = self._measured(mechanism, corners)
        holds = False if False in decisions else None if None in decisions else True
        notes = found.notes
        if holds is False:
            by = _rounded_up(found.shortfall)
            kept = written(lowered(corners, by))
            notes = (*notes, f"holds lowered by {show(by)}: f-dp('{kept}')")
        claim = f"f-dp('{written(corners)}'{self.beside})"
        return replace(found, definition=claim, holds=holds, notes=notes)

    def _measured(
        self, mechanism: Mechanism, corners: Corners
    ) -> tuple[Verdict, list[bool | None]]:
        """Return the shortfall, and what each edge decides."""
        setting = self.setting(mechanism)
        family = setting.mechanism.family(setting.relation, self.group)
        shortfall, edge, comparison, gap, decisions = _worst(corners, family)
        event = gap.event
        if gap.delta == 0:  # nothing exceeds the ratio: show what comes nearest
            comparison, peak = family.peak()
            event = peak.event
        witness = Witness.of(setting.mechanism, (comparison.x, comparison.y), event)
        found = self.guessed(
            mechanism,
            setting,
            family,
            {"shortfall": shortfall},
            (said(setting.subject, corners),),
            witness=witness,
            method=f"the claim is one about gaps for each edge of the curve; {family.method}",
        )
        if shortfall != 0:
            missed = _missed(witness, shortfall, edge)
            found = replace(found, sentence=f"{missed} {found.sentence}", more=())
        return found, decisions

    def _curve(self, purpose: str, option: str = "") -> Corners:
        if self.points is None:
            raise InvalidInput(
                f"f-dp has no curve to {purpose}: give its corners, as in {option}"
                f"'f-dp(\"{_EXAMPLE}\")'; the exact curve of two databases is what tradeoff shows"
            )
        return self.points


def _worst(
    corners: Corners, family: Family
) -> tuple[Number, Edge, Comparison, Gap, list[bool | None]]:
    """Return the shortfall, the edge and the pair that show it, and what each edge decides."""
    decisions, found = [], []
    for edge in edges(corners):
        comparison, gap = family.gap(edge.ratio)
        decided = within(gap.delta, edge.delta)
        decisions.append(decided)
        short = Fraction(0) if decided else edge.weight * (gap.delta - edge.delta)
        found.append((short, edge, comparison, gap))
    best = found[0]
    for other in found[1:]:
        best = other if larger(other[0], best[0]) else best
    return *best, decisions


def edges(corners: Corners) -> list[Edge]:
    """Return the claims of a curve, one for each edge that is not flat."""
    found = []
    for (x, f), (after, g) in pairwise(corners):
        slope = (f - g) / (after - x)
        delta = 1 - f - slope * x
        if slope >= 1:
            found.append(Edge(slope, delta, Fraction(1), turned=False))
        elif slope > 0:
            found.append(Edge(1 / slope, (delta + slope - 1) / slope, slope, turned=True))
    return found or [Edge(Fraction(1), Fraction(1), Fraction(1), turned=False)]


def read_corners(given: object) -> Corners:
    """Read the corners of a curve, as text or as pairs, and check that they make one.

    >>> read_corners("0:1, 1/4:1/2, 1:0")[1]
    (Fraction(1, 4), Fraction(1, 2))
    """
    listed = given.split(",") if isinstance(given, str) else given
    if not isinstance(listed, Sequence) or not 1 < len(listed) <= _MOST_CORNERS:
        raise InvalidInput(
            f"points={given!r}: a curve has from 2 to {_MOST_CORNERS} corners, as in {_EXAMPLE!r}"
        )
    corners = tuple(_corner(one) for one in listed)
    _check_ends(corners)
    for (x, f), (after, g) in pairwise(corners):
        if after <= x or g > f:
            raise InvalidInput(
                f"points: after {x}:{f} comes {after}:{g}, where false alarms must grow and misses "
                f"must not: list the corners from left to right, as in {_EXAMPLE!r}"
            )
    slopes = [(f - g) / (after - x) for (x, f), (after, g) in pairwise(corners)]
    for (first, second), (x, f) in zip(pairwise(slopes), corners[1:-1], strict=True):
        if second > first:
            raise InvalidInput(
                f"points: the curve bends the wrong way at {x}:{f}, where it falls by {second} per "
                f"false alarm after {first}: a curve of best tests is convex; leave this corner out"
            )
    bent = (first != second for first, second in pairwise(slopes))
    return (corners[0], *(c for c, b in zip(corners[1:-1], bent, strict=True) if b), corners[-1])


def _check_ends(corners: Corners) -> None:
    (first, _), (last, end) = corners[0], corners[-1]
    if first != 0:
        raise InvalidInput(
            f"points: the curve begins with false alarms {first}, it must begin with 0, as in "
            f"{_EXAMPLE!r}"
        )
    if end != 0:
        raise InvalidInput(
            f"points: the curve ends with misses {end} at false alarms {last}, it must end with 0: "
            "add 1:0"
        )
    for x, f in corners:
        if f > 1 - x:
            raise InvalidInput(
                f"points: {x}:{f} asks for more misses than {1 - x}, which guessing has at false "
                f"alarms {x}: no mechanism has that"
            )


def _corner(given: object) -> tuple[Fraction, Fraction]:
    """Read ``1/4:1/2``, or a pair."""
    parts = given.split(":") if isinstance(given, str) else given
    if not isinstance(parts, Sequence) or len(parts) != 2:
        raise InvalidInput(
            f"points: {str(given).strip()!r} is not a corner: write false alarms and misses, as in "
            "1/4:1/2"
        )
    return probability(parts[0], "false alarms"), probability(parts[1], "misses")


def lowered(corners: Corners, by: Fraction) -> Corners:
    """Return max(0, f - by).

    >>> written(lowered(read_corners("0:1, 1/4:1/2, 1:0"), Fraction(1, 4)))
    '0:3/4, 1/4:1/4, 5/8:0'
    """
    if by >= corners[0][1]:
        return ((Fraction(0), Fraction(0)), (Fraction(1), Fraction(0)))
    kept = [(x, f - by) for x, f in corners if f > by]
    (x, f), (after, g) = next(
        (here, there) for here, there in pairwise(corners) if here[1] > by >= there[1]
    )
    end = x + (after - x) * (f - by) / (f - g)
    return (*kept, (end, Fraction(0)))


def written(corners: Corners) -> str:
    """Write corners as one types them."""
    return ", ".join(f"{exact_text(x)}:{exact_text(f)}" for x, f in corners)


def said(subject: Subject, corners: Corners) -> str:
    """Say how often tests miss, corner by corner.

    >>> said(Subject.of(1), read_corners("0:1, 1/4:1/2, 1:0"))
    'A test about your record misses the truth in at least 50% of the cases if it gives a false \
alarm in at most 25% of them.'
    """
    telling = [(x, f) for x, f in corners if f > 0 and not (x == 0 and f == 1)]
    if not telling:
        return (
            f"No test about {subject.who} is better than guessing."
            if corners[0][1] == 1 and corners[-1][0] == 1
            else "It promises nothing: every mechanism satisfies it, even one that publishes the "
            "data."
        )
    parts = [
        f"in at least {percent(f, side='down')} of the cases if it gives "
        + ("no false alarm" if x == 0 else f"a false alarm in at most {_rate(x)} of them")
        for x, f in telling[:_SAID]
    ]
    return f"A test about {subject.who} misses the truth {', '.join(parts)}."


def _rate(x: Fraction) -> str:
    return percent(x, side="down")


def _missed(witness: Witness, shortfall: Number, edge: Edge) -> str:
    """Say how a test does better than the curve; a turned one alarms on the complement."""
    p, q = witness.probabilities
    alarms, misses = (1 - p, q) if edge.turned else (q, 1 - p)
    asked = misses + shortfall
    return (
        f"A test with false alarms in {percent(alarms, side='about')} of the cases misses the "
        f"truth in only {percent(misses, side='about')} of them, where the curve asks for "
        f"{percent(asked, side='about')}: {points(shortfall, side='about')} too few."
    )


def _rounded_up(x: Number) -> Fraction:
    """Return a short fraction that is no smaller."""
    high = bounds(x)[1]
    return high if high.denominator <= _LONGEST_DENOMINATOR else Fraction(decimal(high, 3))
