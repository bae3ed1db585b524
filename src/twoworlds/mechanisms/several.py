"""Several outputs at once: boxes of events, and two mechanisms run on the same database.

For a pair of databases each mechanism sorts its outputs into finitely many *cells* of constant
likelihood ratio; the pair of outputs has a cell for each pair of cells, and its masses multiply.
That is exact for geometric noise and everything finite. Noise whose likelihood ratio never becomes
constant (Skellam, Gaussian, ...) has infinitely many cells and is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from twoworlds.errors import Unsupported
from twoworlds.laws.comparison import Comparison, Each, Family, FiniteComparison, RatioCell
from twoworlds.laws.event import Event
from twoworlds.mechanisms.base import Mechanism
from twoworlds.numbers import Number
from twoworlds.worlds import Integers, Point, Product, Universe, pairs

if TYPE_CHECKING:
    import numpy as np

_SHOWN = 4


@dataclass(frozen=True)
class HalfOpen(Event):
    """All numbers from ``low`` on and below ``high``; None leaves an end open.

    >>> third = HalfOpen(Fraction(1, 3), Fraction(2))
    >>> Fraction(1, 3) in third, 2 in third, third.whole_numbers
    (True, False, (1, 1))
    """

    low: Fraction | None = None
    high: Fraction | None = None

    def __contains__(self, answer: object) -> bool:
        above = self.low is None or answer >= self.low  # type: ignore[operator]
        return bool(above and (self.high is None or answer < self.high))  # type: ignore[operator]

    def holds(self, output: Point) -> bool:
        """Tell whether an answer lies in it."""
        return output in self

    @property
    def whole_numbers(self) -> tuple[int | None, int | None]:
        """The least and the greatest whole number in it, None where there is none."""
        low = None if self.low is None else ceil(self.low)
        return low, None if self.high is None else ceil(self.high) - 1

    def meet(self, other: HalfOpen) -> HalfOpen | None:
        """Return what both have in common, or None."""
        lows = [end for end in (self.low, other.low) if end is not None]
        highs = [end for end in (self.high, other.high) if end is not None]
        low, high = max(lows, default=None), min(highs, default=None)
        return None if low is not None and high is not None and low >= high else HalfOpen(low, high)

    def inner(self) -> Fraction:
        """Return some number that lies in it."""
        if self.low is not None:
            return self.low
        return Fraction(0) if self.high is None else self.high - 1

    def describe(self, outputs: Universe, name: str = "output") -> str:
        """Say it of an answer, as briefly as possible for whole numbers."""
        if self == HalfOpen():
            return ""
        whole = isinstance(outputs, Integers)
        low, high = self.whole_numbers if whole else (self.low, self.high)
        if high is None:
            return f"{name} >= {low}"
        if low is None:
            return f"{name} <= {high}" if whole else f"{name} < {high}"
        if whole:
            return f"{name} = {low}" if low == high else f"{low} <= {name} <= {high}"
        return f"{low} <= {name} < {high}"


@dataclass(frozen=True)
class Boxes(Event):
    """Tuples of outputs that lie in one of several boxes: an event for each part."""

    parts: tuple[tuple[Event, ...], ...]

    def holds(self, output: Point) -> bool:
        """Tell whether a tuple lies in one of the boxes."""
        return any(
            all(event.holds(part) for event, part in zip(box, output, strict=True))
            for box in self.parts
        )

    def describe(self, outputs: Universe) -> str:
        """Say the boxes, as many as one can read."""
        if not self.parts or not isinstance(outputs, Product):
            return "no output at all"
        said = [self._said(box, outputs) for box in self.parts[:_SHOWN]]
        more = len(self.parts) - _SHOWN
        tail = f", and {more} more case{'s' if more > 1 else ''}" if more > 0 else ""
        return (said[0] if len(said) == 1 else " or ".join(f"({one})" for one in said)) + tail

    @staticmethod
    def _said(box: tuple[Event, ...], outputs: Product) -> str:
        said = [
            event.describe(part, f"answer {i}")
            if isinstance(event, HalfOpen)
            else event.describe(part)
            for i, (event, part) in enumerate(zip(box, outputs.parts, strict=True), start=1)
        ]
        return " and ".join(filter(None, said)) or "any answers"


class Paired(Mechanism):
    """Boxes outputs of two mechanisms on one database."""

    def __init__(
        self,
        first: Mechanism,
        second: Mechanism,
        changes: Callable[[str, int], Iterator[tuple[Point, Point]]] | None = None,
    ) -> None:
        self.first, self.second = first, second
        self.universe, self.outputs = first.universe, Product((first.outputs, second.outputs))
        self.expression = f"pair({first.expression}, {second.expression})"
        self._changes = changes

    def probability(self, output: Point, database: Point) -> Number:
        """Multiply the probabilities of both outputs."""
        a, b = output
        return self.first.probability(a, database) * self.second.probability(b, database)

    def mass(self, event: Event, database: Point) -> Number:
        """Add up the parts, each a product of two masses."""
        if not isinstance(event, Boxes):
            return super().mass(event, database)
        masses = (
            self.first.mass(a, database) * self.second.mass(b, database) for a, b in event.parts
        )
        return sum(masses, start=Fraction(0))

    def example(self, event: Event, database: Point) -> Point | None:
        """Take one output of each part of the first case."""
        if not isinstance(event, Boxes) or not event.parts:
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
            RatioCell(a.p * b.p, a.q * b.q, Boxes(((a.event, b.event),)))
            for a in left
            for b in right
        ]

        def event(chosen: Sequence[int]) -> Event:
            return Boxes(tuple(part for i in chosen for part in cells[i].event.parts))  # type: ignore[attr-defined]

        return FiniteComparison(x, y, [cell.p for cell in cells], [cell.q for cell in cells], event)

    def sample(self, database: object, rng: np.random.Generator) -> Point:
        """Draw both outputs."""
        return self.first.sample(database, rng), self.second.sample(database, rng)

    def pair(self, other: Mechanism) -> Mechanism:
        """Join a third mechanism."""
        if other.universe != self.universe:
            raise Unsupported("the mechanisms look at different databases")
        return Paired(self, other, self._changes)
