r"""Row cones over all whole numbers, seen on finitely many of them.

What is asked about finitely many true answers is decided on a finite range of them, exactly:

- Differential privacy. A row on low..high that keeps the ratio between neighbours extends to all
  whole numbers: x(k) = min(max of x, min_j ratio^dist(k, j) x(j)) keeps it too, and is bounded.
  So the rows on a range are those of the definition on that range, and every bounded row can
  occur: say yes with probability c x, no otherwise, with c small.
- Geometric noise. An output beyond the range has a row proportional to that of the nearer end, so
  the rows on the range are those of the truncated mechanism (Lin & Kifer, Section 5.3.1).
- Noise with finitely many values has finitely many rows on a range.

A row that is constant far out satisfies a definition on all whole numbers if and only if it does on
the range of its changes and one step beyond. Other noise has infinitely many different rows on a
range: its odds are those of its best output (`cones.words.ratio`), and its cone is asked for row by
row (`NoiseCone.contains`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from twoworlds.answer import Answer, Said
from twoworlds.cones.noise.noise_cone import noise_cone
from twoworlds.cones.row_cone import (
    RowCone,
    endless_noise,
    refuse_without_rows,
    row_cone,
    true_answers,
    variable,
)
from twoworlds.cones.words.odds import (
    LargestOdds,
    has_endless_rows,
    largest_odds,
    odds_under_noise,
)
from twoworlds.definitions import DifferentialPrivacy, PrivacyDefinition
from twoworlds.errors import InvalidInput, Undecided, Unsupported
from twoworlds.laws.noise import Supremum
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.continuous import Continuous
from twoworlds.mechanisms.on_statistic import OnStatistic
from twoworlds.numbers import INFINITY, Order, compare, exact_text, rational, show, whole
from twoworlds.show import Told
from twoworlds.worlds import Explicit, Integers, Point, Reals, Universe

Trusted = Mechanism | PrivacyDefinition
_WIDEST = 512
_NOT_CLOSED = (
    "It is not closed: outputs further and further out come near a row on its edge, and no output, "
    "nor any combination of outputs, has that row."
)
_CLOSURE = {
    True: "The closure has the same guarantees, with <= for <.",
    False: "The closure holds every row, so there is no guarantee against attackers.",
}


def whole_numbers(source: Trusted, universe: Universe | None) -> Integers | None:
    """Return the universe if it is that of all whole numbers, else None."""
    where = source.universe if isinstance(source, Mechanism) else universe
    if isinstance(where, Integers) and where.low is None and where.high is None:
        return where
    return None


def on_range(source: Trusted, where: Integers) -> RowCone:
    """Return the row cone on a range, which that on all whole numbers leaves there.

    >>> from twoworlds.cones.row_cone import build_source
    >>> sorted(on_range(build_source("geometric(ratio=2)"), Integers(0, 1)).generators())
    [(1, 2), (2, 1)]
    """
    if isinstance(source, PrivacyDefinition):
        return row_cone(source, where)
    return replace(row_cone(source.restrict(where)), source=source.expression)


def range_of(where: Integers, places: Sequence[int], beyond: int = 0) -> Integers:
    """Return the whole numbers from the least to the greatest place, and so many beyond."""
    low, high = min(places) - beyond, max(places) + beyond
    if high - low > _WIDEST:
        raise InvalidInput(f"{low} to {high} is a wide range: name answers within {_WIDEST}")
    return Integers(low, high, where.step)


class Wedge(NamedTuple):
    """The row cone of endless integer noise on two databases.

    Each side says that one entry is at most a limit times the other; a side that no output attains
    does not belong to the cone, so that it is not closed (Lin & Kifer, Section 4.2.1).
    """

    source: str
    universe: Universe
    sides: tuple[tuple[Point, Point, Supremum], ...]

    def text(self, side: tuple[Point, Point, Supremum]) -> str:
        """Write larger <= R smaller; without a bound all that is left is that smaller is not 0."""
        larger, smaller = (variable(self.universe.label(x)) for x in side[:2])
        limit = side[2]
        if limit.ratio == INFINITY:
            return f"{smaller} > 0"
        sign = "<" if limit.attained_at is None else "<="
        return f"{larger} {sign} {exact_text(limit.ratio) or show(limit.ratio)} {smaller}"

    def told(self) -> Told:
        """Say which rows there are, and whether the cone is closed."""
        sides = [*map(self.text, self.sides)]
        headline = (
            f"Row cone of {self.source}: besides the row of zeros, the rows with "
            f"{' and '.join(sides)}."
        )
        closed = all("<=" in side for side in sides)
        said = [] if closed else [_NOT_CLOSED, _CLOSURE["<" in "".join(sides)]]
        data = {"kind": "wedge", "source": self.source, "sides": sides, "closed": closed}
        return Told(Answer(headline, blocks=[Said(said)] if said else []), data)

    def row(self, entries: Sequence[str]) -> Told:
        """Say whether a row can occur.

        >>> from twoworlds.cones.row_cone import build_source
        >>> wedge = on_two_answers(build_source("skellam(1, 1, bits=1)"))
        >>> wedge.row(["1", "2"]).data["holds"], wedge.row(["1", "0"]).data["holds"]
        (True, False)
        """
        labels = [self.universe.label(x) for x in self.universe]
        numbers = [rational(entry, "row") for entry in entries]
        if len(numbers) != 2 or min(numbers) < 0:
            raise InvalidInput(
                f"row={','.join(entries)}: give two numbers that are not negative, for "
                f"{' and '.join(labels)}, as in --row '1,1'"
            )
        x = dict(zip(self.universe, numbers, strict=True))
        broken = [side for side in self.sides if any(numbers) and not _keeps(x, *side)]
        can = "can NOT" if broken else "can"
        why = f": it breaks {self.text(broken[0])}" if broken else ""
        about = f"({', '.join(map(str, numbers))}) over {', '.join(labels)}"
        said = f"{about} {can} be the likelihood row of an output of {self.source}, scaled{why}."
        data = {"row": numbers, "columns": labels, "of": self.source, "holds": not broken}
        return Told(Answer(said, holds=not broken), data)


def _keeps(x: Mapping[Point, Fraction], larger: Point, smaller: Point, limit: Supremum) -> bool:
    if x[smaller] == 0 or limit.ratio == INFINITY:
        return x[smaller] > 0
    order = compare(x[larger] / x[smaller], limit.ratio)
    if order is Order.UNDECIDED:
        raise Undecided(f"whether the row keeps the limit {show(limit.ratio)} is not decided")
    return order is Order.LESS or (order is Order.EQUAL and limit.attained_at is not None)


def on_two_answers(source: Trusted) -> Wedge | None:
    """Return the row cone of endless integer noise on two databases, if that is what it is.

    Their true answers are next to each other. With R = sup P(o | 1) / P(o | 0) and R' = sup
    P(o | 0) / P(o | 1) the cone is the wedge between the slopes R and 1 / R'.
    """
    noise = endless_noise(source)
    if noise is None or not isinstance(source, OnStatistic) or source.universe.size != 2:
        return None
    answers = {k: x for x, k in true_answers(source, source.universe).items()}
    low, high = min(answers), max(answers)
    if high - low != 1 or not has_endless_rows(source):
        return None
    up, down = noise.supremum(1), noise.reflected().supremum(1)
    sides = (answers[high], answers[low], up), (answers[low], answers[high], down)
    return Wedge(source.expression, source.universe, sides)


def odds_of_answers(
    source: Trusted, of: str, against: str | None, belief: str, where: Integers | Reals
) -> LargestOdds:
    """Return the largest odds between two finite sets of whole numbers, or of numbers.

    >>> from twoworlds.cones.row_cone import build_source
    >>> odds_of_answers(build_source("dp(ratio=2)"), "0", "3", "uniform", Integers()).factor
    Fraction(8, 1)
    """
    if isinstance(source, PrivacyDefinition):
        refuse_without_rows(source)  # what no secret would help is refused first
    read, kind = (_place, "whole numbers") if isinstance(where, Integers) else (_real, "numbers")
    sets: list[list[Any]] = []
    for option, text in (("--of 0", of), ("--against 1", against)):
        if text is None:
            raise InvalidInput(
                f"the opposite of {of} holds infinitely many {kind}: name a rival, as in {option}"
            )
        try:
            sets.append([read(part) for part in text.split(",")])
        except InvalidInput:
            raise InvalidInput(
                f"{text} is not a list of {kind}, which are the databases here: name some, as in "
                f"{option}"
            ) from None
    first, second = sets
    if isinstance(source, Continuous):
        listed = Explicit(tuple(sorted({*first, *second})))
        return odds_under_noise(source, listed, first, second, belief)
    assert isinstance(where, Integers)
    part = range_of(where, [*first, *second])
    if isinstance(source, OnStatistic) and has_endless_rows(source):
        return odds_under_noise(source, part, first, second, belief)
    return largest_odds(on_range(source, part), first, second, belief)


def read_row(text: str) -> tuple[dict[int, Fraction], Fraction]:
    """Read a row such as '0: 1, 1: 3/2, else: 2'.

    >>> read_row("0: 1, else: 2")
    ({0: Fraction(1, 1)}, Fraction(2, 1))
    """
    row: dict[int, Fraction] = {}
    constant = Fraction(0)
    for part in text.split(","):
        place, colon, value = part.partition(":")
        if not colon:
            raise InvalidInput(
                f"{text!r} is not a row over all whole numbers: give it place by place, as in "
                "--row '0: 1, 1: 3/2, else: 2'"
            )
        if place.strip() == "else":
            constant = rational(value, "else")
        else:
            row[_place(place)] = rational(value, f"x({place.strip()})")
    return row, constant


def row_on_integers(text: str, source: Trusted, where: Integers) -> Told:
    """Say whether a row that is constant far out can occur."""
    row, constant = read_row(text)
    name = str(getattr(source, "claim", getattr(source, "expression", "")))
    if isinstance(source, PrivacyDefinition):
        step = where.step * getattr(source, "group", 1)
        cone = on_range(source, range_of(where, [*row] or [0], beyond=step))
        entries = [row.get(k, constant) for k in cone.universe]
        broken = cone.separating(entries)
        holds, why = broken is None, "" if broken is None else f"it breaks {broken.text()}"
    else:
        found = noise_cone(source).contains(row, otherwise=constant)
        holds, why = found.holds, found.answer().headline
    verb = "can be the likelihood row" if holds else "can NOT be the likelihood row"
    because = "" if holds else f": {why}"
    said = f"{text} {verb} of an output of {name} over {where.expression}, scaled{because}."
    data = {"row": row, "else": constant, "of": name, "holds": holds, "why": why}
    return Told(Answer(said, holds=holds), data)


def dp_on_integers(source: DifferentialPrivacy, where: Integers) -> Told:
    """Say what the row cone of differential privacy on all whole numbers is."""
    ratio, step = exact_text(source.ratio) if source.ratio is not None else None, where.step
    next(source.row_constraints(Integers(0, step, step)), None)  # raises where there is none
    if source.group != 1:
        raise Unsupported(
            f"{source.claim} over {where.expression}: take group=1, or a range, as in --universe "
            "'integers(0, 5)'"
        )
    pair = f"x(k) <= {ratio} x(k+{step}) and x(k+{step}) <= {ratio} x(k)"
    headline = (
        f"Row cone of {source.claim} over {where.expression}: a bounded likelihood row x >= 0 lies "
        f"in it if and only if {pair} for every whole number k."
    )
    said = [
        f"For every whole number k, whatever an attacker believes: the odds of the answer k "
        f"against k+{step} change by a factor of at most {ratio}, up or down.",
        "Every such row can occur. On a range of answers the cone is that of the range alone.",
    ]
    data = {"kind": "dp-cone", "source": source.claim, "universe": where, "inequality": pair}
    return Told(Answer(headline, blocks=[Said(said)]), data)


def _real(text: str) -> Fraction:
    return rational(text, "place")


def _place(text: str) -> int:
    found = rational(text, "place")
    if found.denominator != 1:
        raise InvalidInput(f"place={text.strip()} must be a whole number")
    return whole(abs(found), "place") * (1 if found >= 0 else -1)
