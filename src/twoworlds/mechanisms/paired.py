"""Two mechanisms run independently on the same database, where a matrix would be infinite.

For a pair of databases each mechanism sorts its outputs into finitely many *cells* of constant
likelihood ratio; the pair of outputs has a cell for each pair of cells, and its masses multiply.
That is exact for geometric noise and everything finite. Noise whose likelihood ratio never becomes
constant (Skellam, Gaussian, ...) has infinitely many cells and is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from twoworlds.errors import Unsupported
from twoworlds.laws.comparison import Cell, Comparison, Each, Family, Table
from twoworlds.laws.event import Event
from twoworlds.mechanisms.base import Mechanism
from twoworlds.numbers import Number
from twoworlds.worlds import Point, Product, Universe, pairs

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Both", "Paired"]

_SHOWN = 4


@dataclass(frozen=True)
class Both(Event):
    """Pairs of outputs of which the first lies in one event and the second in another."""

    parts: tuple[tuple[Event, Event], ...]

    def holds(self, output: Point) -> bool:
        """Tell whether a pair of outputs belongs to one of the parts."""
        first, second = output
        return any(a.holds(first) and b.holds(second) for a, b in self.parts)

    def describe(self, outputs: Universe) -> str:
        """Say the parts, as many as one can read."""
        if not self.parts or not isinstance(outputs, Product):
            return "no output at all"
        said = [
            f"({a.describe(outputs.first)} and {b.describe(outputs.second)})"
            for a, b in self.parts[:_SHOWN]
        ]
        more = len(self.parts) - _SHOWN
        return " or ".join(said) + (f", and {more} more cases" if more > 0 else "")


class Paired(Mechanism):
    """Both outputs of two mechanisms on one database.

    Args:
        first: the mechanism whose output comes first.
        second: the other one, on the same universe.
        changes: yields the pairs of databases to compare, for a relation and a group size.
    """

    def __init__(
        self,
        first: Mechanism,
        second: Mechanism,
        changes: Callable[[str, int], Iterator[tuple[Point, Point]]] | None = None,
    ) -> None:
        """Join two mechanisms on one universe."""
        self.first, self.second = first, second
        self.universe, self.outputs = first.universe, Product(first.outputs, second.outputs)
        self._changes = changes

    @property
    def expression(self) -> str:
        """The call that builds it."""
        return f"pair({self.first.expression}, {self.second.expression})"

    def probability(self, output: Point, database: Point) -> Number:
        """Multiply the probabilities of both outputs."""
        a, b = output
        return self.first.probability(a, database) * self.second.probability(b, database)

    def mass(self, event: Event, database: Point) -> Number:
        """Add up the parts, each a product of two masses."""
        if not isinstance(event, Both):
            return super().mass(event, database)
        masses = (
            self.first.mass(a, database) * self.second.mass(b, database) for a, b in event.parts
        )
        return sum(masses, start=Fraction(0))

    def example(self, event: Event, database: Point) -> Point | None:
        """Take one output of each part of the first case."""
        if not isinstance(event, Both) or not event.parts:
            return None
        a, b = event.parts[0]
        return self.first.example(a, database), self.second.example(b, database)

    def family(self, relation: str, group: int = 1) -> Family:
        """Compare every pair of databases, cell by cell."""
        listed = self._changes or (lambda r, g: pairs(self.universe, r, g))
        both = ((a, b) for x, y in listed(relation, group) for a, b in ((x, y), (y, x)))
        return Each(
            (self.compare(x, y) for x, y in dict.fromkeys(both)),
            "both outputs are independent, so their likelihood ratios multiply",
        )

    def compare(self, x: Point, y: Point) -> Comparison:
        """Multiply the cells of both comparisons."""
        left, right = self.first.compare(x, y).cells(), self.second.compare(x, y).cells()
        cells = [
            Cell(a.p * b.p, a.q * b.q, Both(((a.event, b.event),))) for a in left for b in right
        ]

        def event(chosen: Sequence[int]) -> Event:
            return Both(tuple(part for i in chosen for part in cells[i].event.parts))  # type: ignore[attr-defined]

        return Table(x, y, [cell.p for cell in cells], [cell.q for cell in cells], event)

    def sample(self, database: object, rng: np.random.Generator) -> Point:
        """Draw both outputs."""
        return self.first.sample(database, rng), self.second.sample(database, rng)

    def pair(self, other: Mechanism) -> Mechanism:
        """Join a third mechanism."""
        if other.universe != self.universe:
            raise Unsupported("the mechanisms look at different databases")
        return Paired(self, other, self._changes)
