"""Likelihood rows over a finite universe, and linear guarantees about them.

A row has one entry x_D = P(output | D) per database D; a guarantee is sum_D c_D x_D >= 0, or = 0
(Lin & Kifer, Section 4.2.1). It is written with the negative coefficients moved to the other side,
``3 x10 + 3 x01 <= 9 x11 + x00``, which is how it is read as a statement about an attacker (Section
4.2.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.cones.kernel.vectors import Vector, dot, rationals
from twoworlds.errors import InvalidInput
from twoworlds.worlds import Point, Universe

__all__ = ["Inequality", "Row", "coefficients_drawn", "read_row", "variable"]

_DRAWN = 16  # databases

Row = Sequence[object] | Mapping[Any, object]


@dataclass(frozen=True)
class Inequality:
    """One linear guarantee on likelihood rows: sum of coefficient * x_D >= 0, or = 0.

    >>> from twoworlds import BitStrings
    >>> guarantee = Inequality(BitStrings(1), (3, -1))
    >>> guarantee.text()
    'x0 <= 3 x1'
    >>> guarantee.value(["1/4", "3/4"])
    Fraction(0, 1)
    """

    universe: Universe
    coefficients: Vector
    equality: bool = False

    def value(self, row: Row) -> Fraction:
        """Return the left side on a row; the row satisfies the guarantee when it is >= 0 (= 0)."""
        return Fraction(dot(self.coefficients, read_row(self.universe, row)))

    def holds(self, row: Row) -> bool:
        """Tell whether a row satisfies the guarantee."""
        value = self.value(row)
        return value == 0 if self.equality else value >= 0

    def sides(self) -> tuple[dict[Point, int], dict[Point, int]]:
        """Return the two sides, smaller first, with positive coefficients by database."""
        entries = list(zip(self.universe, self.coefficients, strict=True))
        smaller = {x: -c for x, c in entries if c < 0}
        return smaller, {x: c for x, c in entries if c > 0}

    def text(self) -> str:
        """Write it with positive coefficients on both sides: ``x11 <= 3 x10``."""
        smaller, larger = (self._sum(side) for side in self.sides())
        if self.equality:
            return f"{smaller or '0'} = {larger or '0'}"
        if not smaller:
            return f"{larger or '0'} >= 0"
        return f"{smaller} <= {larger or '0'}"

    def shades(self) -> list[tuple[str, float]]:
        """Return the coefficients as texts, with their shares of the largest, for a picture."""
        largest = max(map(abs, self.coefficients), default=0) or 1
        return [(str(c), float(Fraction(c) / largest)) for c in self.coefficients]

    def _sum(self, side: Mapping[Point, int]) -> str:
        names = {x: variable(self.universe.label(x)) for x in side}
        return " + ".join(names[x] if c == 1 else f"{c} {names[x]}" for x, c in side.items())

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "columns": [self.universe.label(x) for x in self.universe],
            "coefficients": list(self.coefficients),
            "equality": self.equality,
            "text": self.text(),
        }


def read_row(universe: Universe, row: Row) -> tuple[Fraction, ...]:
    """Read a likelihood row: numbers in the order of the databases, or a mapping from them.

    >>> from twoworlds import BitStrings
    >>> read_row(BitStrings(1), {"0": "1/4", "1": 3})
    (Fraction(3, 1), Fraction(1, 4))
    """
    size = len(universe.positions)
    if isinstance(row, Mapping):
        found = {universe.find(x): value for x, value in row.items()}
        if missing := [universe.label(x) for x in universe if x not in found]:
            raise InvalidInput(f"the row has no entry for {missing[0]}: give one per database")
        return rationals([found[x] for x in universe], "row")
    entries = rationals(row, "row")
    if len(entries) != size:
        raise InvalidInput(
            f"the row has {len(entries)} entries, but {universe.expression} has {size} databases: "
            "give one entry per database"
        )
    return entries


def variable(label: str) -> str:
    """Return the name of a database's entry in a row: ``x11``, or ``x[a,b]`` for other labels."""
    return f"x{label}" if label.isalnum() else f"x[{label}]"


def coefficients_drawn(inequalities: Sequence[Inequality]) -> str:
    """Draw the coefficients of some guarantees over few databases; else return nothing."""
    from twoworlds.cards import heat_map

    if not inequalities or (inequalities[0].universe.size or _DRAWN + 1) > _DRAWN:
        return ""
    universe = inequalities[0].universe
    rows = [(one.text(), one.shades()) for one in inequalities]
    return heat_map("Coefficients", [variable(universe.label(x)) for x in universe], rows)
