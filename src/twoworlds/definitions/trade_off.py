r"""Hypothesis tests: how well anybody can tell two databases apart from the output.

A test of "the database is y" against "the database is x" raises an alarm on some outputs. Its
level (type I error) is alpha = P(alarm | y), its power is P(alarm | x), and its type II error is
one minus the power. The best power at each level is a concave, piecewise linear curve, attained by
alarms on the outputs of the largest likelihood ratio (with a coin on the last one). It says
everything that (epsilon, delta) can say about the pair:

    power <= e^epsilon alpha + delta        (Kasiviswanathan & Smith, equation 4, with delta)
    power <= alpha + epsilon_SD             (equation 5)

The second says little: `random-index` satisfies it with 1/n, and its curve starts at power 1/n for
level 0, an alarm that is never false and exposes a person. Tests about one record, with the others
unknown, are in `twoworlds.definitions.record_trade_off`.

Noise with a density, or between far answers, has no corners that could be listed. Its likelihood
ratio is monotone, so the best alarm is a half-line, and the power at any one level is a closed form
or found by bisection.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from twoworlds.answer import Answer, Said, Table
from twoworlds.charts import ORANGE, Line
from twoworlds.charts import trade_off as chart
from twoworlds.definitions.words import percent
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.mechanisms import Comparison, Mechanism
from twoworlds.mechanisms.named import mechanism as build_mechanism
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    at_most_one,
    below,
    bounds,
    compare,
    decimal,
    positive_part,
    probability,
    ratio_at_least_one,
    show,
    to_json,
)
from twoworlds.show import Result
from twoworlds.worlds import Point

SOME_LEVELS = ("1/1000", "1/100", "1/20", "1/10", "1/4", "1/2")
_MOST_CORNERS = 40
# Denser near 0, where a curve without corners is steepest.
_GRID = [Fraction(k * k, 3600) for k in range(61)]


class Corner(NamedTuple):
    """A corner of the curve: the best power at this level, without any coin."""

    level: Number
    power: Number


@dataclass(frozen=True)
class Curve(Result):
    """The best power against the level."""

    mechanism: Mechanism
    corners: tuple[Corner, ...]
    level: Number | None = field(default=None, kw_only=True)

    @property
    def sides(self) -> tuple[str, str]:
        """What is told from what."""
        raise NotImplementedError

    @property
    def title(self) -> str:
        """What is told from what, in words."""
        return f"telling {self.sides[0]} from {self.sides[1]}"

    def sentence(self) -> str:
        """Say what a test of one in a hundred false alarms can do."""
        return self._said(*self.sides)

    def power(self, level: object) -> Number:
        """Return the best power at a level, by a coin between two corners."""
        return at_most_one(self._between_corners(probability(level, "level")))

    def points(self, levels: Iterable[object] = SOME_LEVELS) -> list[Corner]:
        """Return the curve at some levels."""
        return [Corner(probability(z, "level"), self.power(z)) for z in levels]

    def _between_corners(self, alpha: Number) -> Number:
        before = self.corners[0]
        for corner in self.corners[1:]:
            if not larger(alpha, corner.level):
                if corner.level == before.level:
                    return corner.power
                share = (alpha - before.level) / (corner.level - before.level)
                return before.power + share * (corner.power - before.power)
            before = corner
        return Fraction(1)

    def type_two(self, level: object) -> Number:
        """Return the smallest type II error at a level."""
        return misses(self.power(level))

    def bound(self, level: object, *, ratio: object, delta: object = 0) -> Number:
        """Return min(1, a alpha + delta): equation (4), and equation (5) for ratio 1.

        An infinite ratio bounds nothing, at level 0 neither.
        """
        a, d = ratio_at_least_one(ratio), probability(delta, "delta")
        alpha = probability(level, "level")
        if a == INFINITY:
            return Fraction(1)
        return at_most_one(a * alpha + d)

    def _said(self, alternative: str, null: str) -> str:
        free = self.power(0)
        if free == 1:
            return (
                f"A test can find {alternative} whenever it is true, and never cry it where the "
                f"truth is {null}."
            )
        exposed = (
            ""
            if free == 0
            else f" With probability {show(free)} it may even be sure, without any false alarm."
        )
        found = self.power("1/100")
        almost = "just below " if percent(found) == "100%" and found != 1 else ""
        return (
            f"A test that wrongly cries {alternative} in 1% of the cases where the truth is "
            f"{null} finds it in at most {almost}{percent(found)} of the cases where "
            f"it is true.{exposed}"
        )

    def largest_slope(self) -> tuple[Number, Number]:
        """Return the smallest ratio with which equation 4 holds, and its delta: the free power."""
        free = self.corners[0].power
        found: Number = Fraction(1)
        slopes = ((c.power - free) / c.level for c in self.corners if c.level != 0)
        for slope in slopes:
            found = slope if larger(slope, found) else found
        return found, free

    def answer(self) -> Answer:
        """Say what a test can do, at the level asked about, and at every corner."""
        said = self.sentence()
        blocks = []
        if self.level is not None:
            at, best = show(self.level), _chance(self.power(self.level))
            blocks.append(Said([f"At level {at} the best power is {best}."]))
        listed = self.corners[:_MOST_CORNERS] or self.points()
        rows = [
            (_chance(level), _chance(power), show(misses(power), side="at least"))
            for level, power in listed
        ]
        heads = ("false alarms (level)", "power", "misses (type II)")
        drawn = self.corners or self.points(_GRID)
        points = [(below(level), below(misses(power))) for level, power in drawn]
        return Answer(
            said,
            subject=self.mechanism.expression,
            claim=self.title,
            blocks=(
                *blocks,
                Table(heads, rows),
                Said([_between(len(self.corners))]),
                chart(points, said, beside=self._bound_line()),
            ),
        )

    def _bound_line(self) -> list[Line]:
        """Chart 1 - delta - a (false alarms), which no best test comes below (equation 4)."""
        a, d = self.largest_slope()
        if d == 1 or a == INFINITY:
            return []
        start = 1 - d
        times = "" if a == 1 else f"{decimal(a, 4)} × "
        name = f"bound: {decimal(start, 3, 'down')} − {times}false alarms"
        return [Line(name, [(0, below(start)), (below(start / a), 0)], ORANGE, dashed=True)]

    def _at_level(self) -> dict[str, Any]:
        """Return the best power at the level asked about, for JSON."""
        if self.level is None:
            return {}
        power = self.power(self.level)
        return {"power": power, "type_two": to_json(misses(power), side="down")}


@dataclass(frozen=True)
class TradeOff(Curve):
    """The best power against the level, for telling database x from database y.

    >>> from twoworlds import mechanism
    >>> curve = trade_off(mechanism("randomized-response(bits=1, keep=3/4)"), "1", "0")
    >>> curve.power("1/100"), curve.type_two("1/4")
    (Fraction(3, 100), Fraction(1, 4))
    """

    x: Point
    y: Point
    forward: Comparison = field(repr=False, compare=False)

    def power(self, level: object) -> Number:
        """Return the best power at a level, by a coin between two corners or in closed form."""
        alpha = probability(level, "level")
        found = self._between_corners(alpha) if self.corners else self.forward.power(alpha)
        return at_most_one(found)

    @property
    def sides(self) -> tuple[str, str]:
        """What is told from what."""
        label = self.mechanism.universe.label
        return label(self.x), label(self.y)

    def largest_slope(self) -> tuple[Number, Number]:
        """Return the largest likelihood ratio where there are no corners: it is that at level 0."""
        if self.corners:
            return super().largest_slope()
        return self.forward.peak().ratio, Fraction(0)

    def fields(self) -> dict[str, Any]:
        """Return the databases and the corners, or the curve at some levels."""
        return {
            "mechanism": self.mechanism.expression,
            "databases": list(self.sides),
            "corners": written(self.corners),
            **({} if self.corners else {"points": written(self.points())}),
            **self._at_level(),
        }


def trade_off(mechanism: str | Mechanism, x: object, y: object) -> TradeOff:
    """Return the exact trade-off curve between two databases.

    >>> trade_off("laplace(scale=1)", 1, 0).power("1/2")
    Real(1 - 1/2*e^(-1))
    """
    mechanism = build_mechanism(mechanism)
    universe = mechanism.universe
    first, second = universe.find(x), universe.find(y)
    if first == second:
        raise InvalidInput(
            f"{universe.label(first)} cannot be told from itself: name two different databases"
        )
    forward = mechanism.compare(first, second)
    try:
        corners = tuple(corners_of(forward))
    except Unsupported:
        forward.power(Fraction(1, 2))  # refuses where there is no other way
        corners = ()
    return TradeOff(mechanism, corners, first, second, forward)


def misses(power: Number) -> Number:
    """Return the type II error that belongs to a power; no enclosure of it reaches below 0.

    >>> misses(Fraction(3, 4))
    Fraction(1, 4)
    """
    found = 1 - power
    return found if isinstance(found, Fraction) or bounds(found)[0] >= 0 else positive_part(found)


def written(points: Iterable[Corner]) -> list[dict[str, Any]]:
    """Return corners as JSON has them, rounded to the safe side."""
    return [
        {"level": to_json(level), "power": to_json(power, side="up")} for level, power in points
    ]


def _chance(chance: Number) -> str:
    """Write a probability; what is only rounded up to 1 is not written as 1."""
    text = show(chance)
    if chance == 1 or decimal(chance) != "1":
        return text
    near = "just below 1" if compare(chance, 1) is Order.LESS else "1, or just below"
    return f"{text[:-3]}({near})" if text.endswith("(1)") else near


def _between(corners: int) -> str:
    """Say what lies between the rows of the table, and beyond them."""
    if corners == 0:
        return "The curve is given at some levels: --level asks for any other."
    straight = "Between the corners the curve is straight: a coin decides."
    more = corners - _MOST_CORNERS
    if more <= 0:
        return straight
    return f"{more} of {corners} corners are left out here: --json lists them all. {straight}"


def corners_of(forward: Comparison) -> list[Corner]:
    """Join the alarms of ratio above 1 with the complements of the reverse ones."""
    rising = [Corner(line.q, line.p) for line in forward.lines()]
    falling = [Corner(1 - line.p, 1 - line.q) for line in forward.reverse().lines()]
    ends = [Corner(Fraction(0), Fraction(0)), Corner(Fraction(1), Fraction(1))]
    ordered = sorted({*rising, *falling, *ends}, key=lambda c: (float(c.level), float(c.power)))
    hull: list[Corner] = []
    for corner in ordered:
        while len(hull) >= 2 and not _turns_down(hull[-2], hull[-1], corner):
            hull.pop()
        if hull and hull[-1].level == corner.level:
            hull.pop()
        hull.append(corner)
    return [Corner(at_most_one(corner.level), at_most_one(corner.power)) for corner in hull]


def _turns_down(a: Corner, b: Corner, c: Corner) -> bool:
    """Tell whether the slope from b to c is smaller than that from a to b."""
    return larger(
        (b.power - a.power) * (c.level - b.level), (c.power - b.power) * (b.level - a.level)
    )
