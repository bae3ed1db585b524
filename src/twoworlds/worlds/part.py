"""A part of a universe: some of its databases, with its neighbours or with pairs of one's own.

Restricting a universe keeps what a neighbour is: two databases are neighbours in the part when
they are in the whole, and a group of c people is counted along paths of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from twoworlds.errors import InvalidInput
from twoworlds.worlds.universe import EXPLICIT, Explicit, Point, Universe

__all__ = ["Part"]


@dataclass(frozen=True)
class Part(Universe):
    """Some points of a universe; with ``pairs``, those are its neighbours.

    >>> from twoworlds.worlds.words import BitStrings
    >>> part = Part(BitStrings(2), ((1, 1), (1, 0)))
    >>> [part.label(x) for x in part.around((1, 1), "substitute")]
    ['10']
    """

    whole: Universe
    points: tuple[Point, ...]
    pairs: tuple[tuple[Point, Point], ...] | None = None

    def __post_init__(self) -> None:
        """Check that the points differ and belong to the universe, and the pairs to the points."""
        for point in self.points:
            if point not in self.whole:
                raise InvalidInput(f"{point!r} is not in {self.whole.expression}")
        _ = self._own  # checks that there are points, that they differ, and that pairs use them

    @cached_property
    def _own(self) -> Explicit:
        return Explicit(self.points, self.pairs)

    @property
    def size(self) -> int:
        """The number of points."""
        return len(self.points)

    def __iter__(self) -> Iterator[Point]:
        """Run through the points."""
        return iter(self.points)

    def __contains__(self, point: object) -> bool:
        """Tell whether this is one of the points."""
        return point in self._own

    @property
    def expression(self) -> str:
        """The points, shortened, and where they come from; the whole where nothing is left out."""
        if len(self.points) == self.whole.size:
            return self.whole.expression
        shown = ", ".join(self.whole.label(p) for p in self.points[:6])
        return f"{{{shown}{', ...' if len(self.points) > 6 else ''}}} of {self.whole.expression}"

    @property
    def relation(self) -> str:
        """Listed pairs where they are given, the universe's own relation otherwise."""
        return self.whole.relation if self.pairs is None else EXPLICIT

    def around(self, point: Point, relation: str) -> Iterator[Point]:
        """Yield the neighbours that belong to the part."""
        if relation == EXPLICIT and self.pairs is not None:
            yield from self._own.around(point, relation)
        else:
            yield from (p for p in self.whole.around(point, relation) if p in self._own)

    def explain(self, relation: str) -> str:
        """Say what a neighbour is."""
        if relation == EXPLICIT and self.pairs is not None:
            return self._own.explain(relation)
        return self.whole.explain(relation)

    def label(self, point: Point) -> str:
        """Return the label of the point in the whole universe."""
        return self.whole.label(point)
