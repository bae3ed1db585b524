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
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from twoworlds.mechanisms import Comparison, Mechanism
from twoworlds.mechanisms.comparison import larger
from twoworlds.numbers import INFINITY, Number, probability, ratio_at_least_one, show, to_json
from twoworlds.worlds import EXPLICIT, Point, resolve

__all__ = ["Corner", "Curve", "TradeOff", "corners_of", "trade_off"]


class Corner(NamedTuple):
    """A corner of the curve: the best power at this level, without any coin."""

    level: Number
    power: Number


@dataclass(frozen=True)
class Curve:
    """The best power against the level."""

    mechanism: Mechanism
    corners: tuple[Corner, ...]

    def power(self, level: object) -> Number:
        """Return the best power at a level, by a coin between two corners."""
        alpha = probability(level, "level")
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
        return 1 - self.power(level)

    def bound(self, level: object, *, ratio: object, delta: object = 0) -> Number:
        """Return min(1, a alpha + delta): equation (4), and equation (5) for ratio 1."""
        a, d = ratio_at_least_one(ratio), probability(delta, "delta")
        alpha = probability(level, "level")
        if a == INFINITY:
            return Fraction(1) if alpha else d
        bound = a * alpha + d
        return Fraction(1) if larger(bound, Fraction(1)) else bound

    def _said(self, alternative: str, null: str) -> str:
        """Say what a test of one in a hundred false alarms can do."""
        free = self.corners[0].power
        exposed = (
            ""
            if free == 0
            else f" With probability {show(free)} it may even be sure, without any false alarm."
        )
        return (
            f"A test that wrongly cries {alternative} in 1% of the cases where the truth is "
            f"{null} finds it in at most {show(self.power('1/100'))} of the cases where "
            f"it is true.{exposed}"
        )

    def _data(self) -> list[dict[str, Any]]:
        return [
            {"level": to_json(corner.level), "power": to_json(corner.power, side="up")}
            for corner in self.corners
        ]


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

    @property
    def title(self) -> str:
        """What is told from what."""
        label = self.mechanism.universe.label
        return f"telling {label(self.x)} from {label(self.y)}"

    def explain(self) -> str:
        """Say what a test of one in a hundred false alarms can do."""
        label = self.mechanism.universe.label
        return self._said(label(self.x), label(self.y))

    def to_dict(self) -> dict[str, Any]:
        """Return the corners as plain data."""
        label = self.mechanism.universe.label
        return {
            "mechanism": self.mechanism.expression,
            "databases": [label(self.x), label(self.y)],
            "corners": self._data(),
        }


def trade_off(mechanism: Mechanism, x: object, y: object) -> TradeOff:
    """Return the exact trade-off curve between two databases.

    Raises:
        Unsupported: when the curve has infinitely many corners.
    """
    universe, _ = resolve(mechanism.universe, [(x, y)])
    first, second = universe.pairs[0]  # type: ignore[attr-defined]
    family = mechanism.over(universe).family(EXPLICIT)
    forward = next((c for c in family if (c.x, c.y) == (first, second)), None)
    if forward is None:
        corners = [Corner(Fraction(0), Fraction(0)), Corner(Fraction(1), Fraction(1))]
    else:
        corners = corners_of(forward)
    return TradeOff(mechanism, tuple(corners), first, second)


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
    return hull


def _turns_down(a: Corner, b: Corner, c: Corner) -> bool:
    """Tell whether the slope from b to c is smaller than that from a to b."""
    return larger(
        (b.power - a.power) * (c.level - b.level), (c.power - b.power) * (b.level - a.level)
    )
