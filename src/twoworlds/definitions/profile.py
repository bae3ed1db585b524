r"""Privacy profiles: the tight delta of a mechanism for every ratio a = e^epsilon.

    delta(a) = max over neighbours and events E of  P(E | x) - a P(E | y),   a >= 1,

is a maximum of lines, hence convex, falling and piecewise linear in a (not in epsilon). For finite
mechanisms, and for noise with finitely many likelihood ratios, the pieces are exact rationals.

**Between two ends.** Infinitely many pieces, or too many, are enclosed. Each event has a line that
is nowhere above delta, so the largest of some lines is a lower end. A convex function lies below
its chords, so points above it, joined by straight lines, are an upper end. Both are found at the
same ratios; a further one is put where two neighbouring lines meet, as long as that helps.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from itertools import pairwise
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any, NamedTuple

from twoworlds.answer import Answer, Block, Facts, Table
from twoworlds.charts import nice
from twoworlds.charts import profile as chart
from twoworlds.errors import Unsupported
from twoworlds.laws.comparison import larger, unlike
from twoworlds.mechanisms import Comparison, Family, ProfileLine
from twoworlds.numbers import (
    INFINITY,
    Number,
    above,
    below,
    bounds,
    decimal,
    exp,
    ln,
    ratio_at_least_one,
    show,
)
from twoworlds.show import Result

if TYPE_CHECKING:
    from twoworlds.show.saving import Columns

_LARGEST_DRAWN = 1e200
_DIGITS = 9  # a curve ends where so many digits of the delta at ratio 1 are gone
_MOST_POINTS, _NEAR = 160, Fraction(1, 100)  # of a curve, and how near its ends are to come
_RATIO_BITS, _DELTA_BITS = 48, 30  # of numbers that are rounded to a safe side
_LITTLE = Fraction(1, 10**5)  # where nothing is left of delta beyond a ratio so near
_ROWS, _WELL_BELOW, _THOUSAND = 8, Fraction(99, 100), 1000


class Piece(NamedTuple):
    """delta(a) = p - a q for ratios from ``start`` to ``end``."""

    start: Number
    end: Number
    p: Number
    q: Number


class Ends(NamedTuple):
    """Two curves, one nowhere above the profile and one nowhere below it; the same, if exact."""

    lower: list[Piece]
    upper: list[Piece]

    @property
    def exact(self) -> bool:
        """Whether they are one curve."""
        return self.lower is self.upper

    def at(self, ratio: Number) -> tuple[Number, Number]:
        """Return both ends of delta at a ratio."""
        low, high = (_value(pieces, ratio) for pieces in self)
        return low, high

    def corners(self) -> list[tuple[Number, Number, Number]]:
        """Return the ratios at which one of the curves bends, with both ends of delta there."""
        ratios = sorted({piece.start for pieces in self for piece in pieces})
        return [(ratio, *self.at(ratio)) for ratio in ratios]

    @property
    def apart(self) -> Number:
        """How far the ends are apart at most: between two corners both are straight."""
        beyond = self.upper[-1].p - self.lower[-1].p  # further out, the lower one falls
        return max([beyond, *(high - low for _, low, high in self.corners())])

    def share(self, least: Number) -> Number:
        """Return how far they are apart as a share of the upper one, while that is no smaller."""
        found = (1 - low / high for _, low, high in self.corners() if high >= least)
        return max([Fraction(0), *found])


@dataclass(frozen=True)
class Profile(Result):
    """The tight delta as a function of the ratio.

    >>> from twoworlds import mechanism, DifferentialPrivacy
    >>> survey = mechanism("randomized-response(bits=1, keep=3/4)")
    >>> print(DifferentialPrivacy().profile(survey))
    delta(a) = 3/4 - 1/4 a   for 1 <= a <= 3
    delta(a) = 0             for a >= 3
    """

    family: Family = field(repr=False)
    mechanism: str
    assumptions: tuple[str, ...] = ()

    def __call__(self, ratio: object) -> Number:
        """Return delta at a ratio."""
        return self.family.gap(ratio_at_least_one(ratio))[1].delta

    @cached_property
    def pieces(self) -> list[Piece]:
        """The exact pieces.

        Raises:
            Unsupported: where they are infinitely many.
        """
        return envelope(line for comparison in self.family for line in comparison.lines())

    @cached_property
    def ends(self) -> Ends:
        """Two curves that enclose the profile: the exact pieces, where they are finitely many."""
        try:
            return Ends(self.pieces, self.pieces)
        except Unsupported as refused:
            try:
                return enclosed(unlike(self.family))
            except Unsupported:
                raise refused from None

    @cached_property
    def formula(self) -> str:
        """The profile in closed form, where one is known."""
        [first, *others] = unlike(self.family)
        return "" if others else first.closed_profile

    def __str__(self) -> str:
        if not self.ends.exact:
            return self.explain()
        formulas = [_formula(piece) for piece in self.pieces]
        width = max(len(formula) for formula in formulas)
        return "\n".join(
            f"delta(a) = {formula:<{width}}   for {_range(piece)}"
            for formula, piece in zip(formulas, self.pieces, strict=True)
        )

    def points(self) -> list[tuple[Number, Number]]:
        """Return the corners of the upper end, after the last of which delta is no larger.

        The straight lines between them are nowhere below the profile. Of two ends, they are those
        to where a thousandth of delta is left.
        """
        found = [(one.start, one.p - one.start * one.q) for one in self.ends.upper]
        if self.ends.exact:
            return found
        least = found[0][1] / _THOUSAND
        return found[: 1 + sum(delta > least for _, delta in found)]

    def answer(self) -> Answer:
        """Say where delta starts and ends, then the pieces or both ends, and chart it."""
        points, (low, first) = self.points(), self.ends.at(Fraction(1))
        ratio = self.ends.upper[-1].start
        _, last = self.ends.at(ratio)
        start = decimal(first, 3, "about")
        if larger(first * (1 - _NEAR), low):
            start = f"between {decimal(low, 3, 'down')} and {decimal(first, 3)}"
        begins = f"At ratio 1, where epsilon is 0, delta is {start}"
        if len(points) == 1:
            said = f"{begins}, and it stays there however large the ratio."
        elif self.ends.exact:
            ends = f"{decimal(last, 3, 'about')} at ratio {decimal(ratio, 4, 'about')}"
            said = f"{begins}; it falls to {ends}, and stays there."
        else:
            where = decimal(ratio, 4, "up") if last else show(ratio)
            ends = f"{decimal(last, 3, 'at most')} from ratio {where} on"
            said = f"{begins}; it is {ends}."
        drawn = [(above(a), above(delta)) for a, delta in points]
        lower = [] if self.ends.exact else [(below(a), below(d)) for a, d, _ in self.ends.corners()]
        return Answer(
            said,
            subject=self.mechanism,
            claim="tight delta at every ratio a = e^epsilon",
            blocks=(
                *self._supported(),
                *([chart(drawn, said, lower)] if drawn[-1][0] < _LARGEST_DRAWN else []),
            ),
            assumptions=self.assumptions,
        )

    def _supported(self) -> Iterable[Block]:
        """List the pieces; of two ends how near they are, and delta in equal steps of epsilon."""
        ends = self.ends
        if ends.exact:
            pieces = [(_formula(piece), _range(piece)) for piece in self.pieces]
            yield Table(("delta(a)", "for"), pieces)
            return
        least = _power_of_ten(bounds(ends.at(Fraction(1))[1])[1]) / _THOUSAND
        apart, share = (decimal(x, 2) for x in (ends.apart, 100 * ends.share(least)))
        within = f"the two ends are at most {apart} apart, and at most {share}% of delta"
        formula = [("delta(a)", self.formula)] if self.formula else []
        yield Facts((*formula, ("enclosed", f"{within} while it is at least {decimal(least)}")))
        last = ends.upper[-1].start
        steps = (Fraction(str(round(one, 12))) for one in nice(above(ln(last)), 0.0, _ROWS))
        shown = [(f"{float(one):.4g}", bounds(exp(one))[1]) for one in steps]
        rows = [
            (epsilon, decimal(ratio, 4, "about"), decimal(low, 4, "down"), decimal(high, 4))
            for epsilon, ratio in [
                *((epsilon, ratio) for epsilon, ratio in shown if ratio < last * _WELL_BELOW),
                (decimal(ln(last), 4), last),
            ]
            for low, high in [ends.at(ratio)]
        ]
        yield Table(("epsilon", "ratio a", "delta at least", "delta at most"), rows)

    def to_columns(self) -> Columns:
        """Return the table of pieces; of two ends, the ratios at which one of them bends.

        One that is next to the last is left out, since its epsilon would print as the same.
        """
        if self.ends.exact:
            return super().to_columns()
        from twoworlds.show.saving import Column

        *corners, last = self.ends.corners()
        near = last[0] * (1 - _LITTLE)
        corners = [*(one for one in corners if larger(near, one[0])), last]
        return {
            "ratio": Column("number", [float(ratio) for ratio, _, _ in corners]),
            "epsilon": Column("number", [float(ln(ratio)) for ratio, _, _ in corners]),
            "delta_at_least": Column("number", [below(low) for _, low, _ in corners]),
            "delta_at_most": Column("number", [above(high) for _, _, high in corners]),
        }

    def fields(self) -> dict[str, Any]:
        """Return the mechanism and the pieces, or those of both ends."""
        if self.ends.exact:
            return {"mechanism": self.mechanism, "profile": _listed(self.pieces)}
        return {
            "mechanism": self.mechanism,
            "formula": self.formula or None,
            "lower": _listed(self.ends.lower),
            "upper": _listed(self.ends.upper),
            "apart": self.ends.apart,
        }


def _listed(pieces: Iterable[Piece]) -> list[dict[str, Number]]:
    return [
        {"from_ratio": one.start, "to_ratio": one.end, "constant": one.p, "slope": -one.q}
        for one in pieces
    ]


# --- two ends -------------------------------------------------------------------------------------


class _Touch(NamedTuple):
    """What is known at one ratio: delta from above, and the best line of an event."""

    ratio: Fraction
    height: Fraction
    p: Fraction
    q: Fraction

    def at(self, ratio: Fraction) -> Fraction:
        """Return the line at a ratio."""
        return self.p - ratio * self.q


def enclosed(comparisons: Sequence[Comparison]) -> Ends:
    """Enclose the largest gap of some comparisons at every ratio.

    The upper end stays from where next to nothing is left of the delta at ratio 1 that can go.
    """
    touched: list[_Touch] = []
    limits = [bounds(one.limit()) for one in comparisons]
    lines = {ProfileLine(max(low for low, _ in limits), Fraction(0))}

    def touch(ratio: Fraction, tiny: Fraction) -> _Touch:
        found: list[_Touch] = []
        for one in comparisons:  # what is below another one need not be known any better
            found.append(_rounded(ratio, *one.tangent(ratio, tiny)))
            tiny = max(tiny, found[-1].at(ratio))
        lines.update(ProfileLine(one.p, one.q) for one in found)
        best = max(found, key=lambda one: one.at(ratio))
        touched.append(best._replace(height=max(one.height for one in found)))
        return touched[-1]

    first = touch(Fraction(1), Fraction(0))
    tiny = _power_of_ten(first.height) / 10**_DIGITS
    allowed = max(high for _, high in limits) + tiny
    end = Fraction(1)
    for one in comparisons:
        if one.tangent(end, allowed)[1] > allowed:
            end = _short(bounds(one.ratio_for(allowed))[1])
    top = _nothing_beyond(comparisons, end)
    if top is not None:
        end, tiny = _short(bounds(top)[1]), first.height * _LITTLE
    queue = _meeting(first, touch(end, tiny), tiny) if end > 1 else []
    while queue and len(touched) < _MOST_POINTS:
        missing, ratio, left, right = heappop(queue)
        if -missing <= _NEAR:
            break
        middle = touch(ratio, tiny)
        for gap in _meeting(left, middle, tiny) + _meeting(middle, right, tiny):
            heappush(queue, gap)
    touched.sort()
    chords = [_chord(one, two) for one, two in pairwise(touched)]
    if top is not None:
        chords[-1] = _chord(touched[-2], touched[-1]._replace(height=Fraction(0)), top)
        return Ends(envelope(lines), [*chords, Piece(top, INFINITY, Fraction(0), Fraction(0))])
    last = Piece(touched[-1].ratio, INFINITY, touched[-1].height, Fraction(0))
    return Ends(envelope(lines), [*chords, last])


def _nothing_beyond(comparisons: Sequence[Comparison], end: Fraction) -> Number | None:
    """Return the largest likelihood ratio, if it is next to the ratio where delta is tiny."""
    if end == 1:
        return None
    peaks = [one.peak().ratio for one in comparisons if one.dominating is one]
    if len(peaks) < len(comparisons) or INFINITY in peaks:
        return None
    top = peaks[0]
    for peak in peaks[1:]:
        top = peak if larger(peak, top) else top
    return top if larger(end * (1 + _LITTLE), top) and larger(top, 1 + _LITTLE) else None


def _meeting(
    left: _Touch, right: _Touch, tiny: Fraction
) -> list[tuple[Fraction, Fraction, _Touch, _Touch]]:
    """Return how far below the chord two lines meet, negated and as a share of it, and where.

    What is missing at the two ratios themselves does not count: a further one would not help.
    """
    less = left.q - right.q
    ratio = _short((left.p - right.p) / less) if less > 0 else left.ratio
    if not left.ratio < ratio < right.ratio:
        return []
    share = (ratio - left.ratio) / (right.ratio - left.ratio)
    chord = left.at(left.ratio) * (1 - share) + right.at(right.ratio) * share
    missing = chord - max(Fraction(0), left.at(ratio)) - tiny
    return [(-missing / chord, ratio, left, right)] if missing > 0 else []


def _chord(left: _Touch, right: _Touch, end: Number | None = None) -> Piece:
    end = right.ratio if end is None else end
    slope = (left.height - right.height) / (end - left.ratio)
    return Piece(left.ratio, end, left.height + left.ratio * slope, slope)


def _rounded(ratio: Fraction, line: ProfileLine, height: Fraction) -> _Touch:
    """Round to the safe side: the line down, the height up, each to a share of the height."""
    if not height:
        return _Touch(ratio, height, Fraction(0), Fraction(0))
    size = height.numerator.bit_length() - height.denominator.bit_length() - _DELTA_BITS
    unit, slope = Fraction(2) ** size, Fraction(2) ** (size - floor(ratio).bit_length())
    p, q = floor(bounds(line.p)[0] / unit) * unit, ceil(bounds(line.q)[1] / slope) * slope
    return _Touch(ratio, ceil(height / unit) * unit, p, q)


def _power_of_ten(x: Fraction) -> Fraction:
    """Return the power of ten next below, about; of 0, 0."""
    if not x:
        return x
    return Fraction(10) ** floor(log10(x.numerator) - log10(x.denominator))


def _short(x: Fraction) -> Fraction:
    """Round up to a few significant bits."""
    unit = Fraction(2) ** (x.numerator.bit_length() - x.denominator.bit_length() - _RATIO_BITS)
    return ceil(x / unit) * unit


def _value(pieces: Sequence[Piece], ratio: Number) -> Number:
    piece = pieces[max(0, bisect_right(pieces, ratio, key=lambda one: one.start) - 1)]
    return piece.p - ratio * piece.q


def envelope(lines: Iterable[ProfileLine]) -> list[Piece]:
    """Return the pieces of max(0, max_i p_i - a q_i) for a from 1 to infinity.

    At a = 1 the highest line is on top; from there on, the next piece is the line that overtakes
    first, and only flatter lines (smaller q) can.
    """
    candidates = _steepest_first({*lines, ProfileLine(Fraction(0), Fraction(0))})
    start: Number = Fraction(1)
    top = candidates[0]
    for line in candidates[1:]:
        if not larger(top.p - top.q, line.p - line.q):
            top = line
    pieces = []
    remaining = [line for line in candidates if larger(top.q, line.q)]
    while remaining:
        crossing, following = _first_crossing(top, remaining)
        if larger(crossing, start):
            pieces.append(Piece(start, crossing, top.p, top.q))
        start, top = crossing, following
        remaining = [line for line in remaining if larger(top.q, line.q)]
    return [*pieces, Piece(start, INFINITY, top.p, top.q)]


def _steepest_first(lines: Iterable[ProfileLine]) -> list[ProfileLine]:
    """Keep the highest line of each slope, and drop lines below another everywhere."""
    best: dict[Number, Number] = {}
    for p, q in lines:
        if q not in best or larger(p, best[q]):
            best[q] = p
    kept: list[ProfileLine] = []
    for q in sorted(best, key=float):
        if not kept or larger(best[q], kept[-1].p):
            kept.append(ProfileLine(best[q], q))
    return kept[::-1]


def _first_crossing(top: ProfileLine, lines: list[ProfileLine]) -> tuple[Number, ProfileLine]:
    found: tuple[Number, ProfileLine] | None = None
    for line in lines:
        crossing = (top.p - line.p) / (top.q - line.q)
        if found is None or not larger(crossing, found[0]):
            found = crossing, line
    assert found is not None
    return found


def _formula(piece: Piece) -> str:
    if piece.q == 0:
        return _text(piece.p)
    return f"{_text(piece.p)} - {_text(piece.q)} a"


def _text(x: Number) -> str:
    return str(x) if isinstance(x, Fraction) and len(str(x)) < 24 else show(x)


def _range(piece: Piece) -> str:
    if piece.end == INFINITY:
        return f"a >= {_text(piece.start)}"
    return f"{_text(piece.start)} <= a <= {_text(piece.end)}"
