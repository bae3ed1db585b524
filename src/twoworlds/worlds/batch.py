"""Several statistics asked together: one vector, whose sensitivity is that of the whole.

    f(x) = (f_1(x), ..., f_m(x)),   each f_j a number or a vector, all written one after the other

(Dwork, Section 5.1: noise is chosen by the sensitivity of the entire query). Sums over records are
moved by one record at a time, so that a batch of them needs no list of all databases; any other
statistic among them makes the batch a plain function, and its neighbours are listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from twoworlds.errors import InvalidInput
from twoworlds.worlds.statistic import Additive, Change, Computed, Scalar, Statistic, Value
from twoworlds.worlds.statistics import Constant
from twoworlds.worlds.universe import Point, Universe
from twoworlds.worlds.words import Records

__all__ = ["Batch"]


@dataclass(frozen=True)
class Batch(Statistic):
    """The answers of several statistics, one after the other.

    Attributes:
        parts: the statistics.
        widths: how many numbers each of them gives.

    >>> from twoworlds.worlds.statistics import count, histogram
    >>> from twoworlds.worlds.words import BitStrings
    >>> both = Batch.of([count(), histogram([0, 1])], BitStrings(3))
    >>> both((1, 0, 1)), both.widths
    ((2, 1, 2), (1, 2))
    """

    parts: tuple[Statistic, ...]
    widths: tuple[int, ...]

    @staticmethod
    def of(parts: Sequence[Statistic], universe: Universe) -> Batch:
        """Join statistics of one universe."""
        if not parts:
            raise InvalidInput(
                "the batch is empty: name at least one statistic, as in batch(count)"
            )
        first = next(iter(universe))
        # As a plain function a part says what fails, if it cannot read such databases.
        found = [Computed(part, part.name)(first) for part in parts]
        return Batch(tuple(parts), tuple(len(_flat(value)) for value in found))

    @property
    def name(self) -> str:  # type: ignore[override]
        """What is asked."""
        return f"batch of {', '.join(part.name for part in self.parts)}"

    def __call__(self, database: Point) -> tuple[Scalar, ...]:
        """Return all answers as one vector."""
        found = [_flat(part(database)) for part in self.parts]
        for part, value, width in zip(self.parts, found, self.widths, strict=True):
            if len(value) != width:
                raise InvalidInput(
                    f"{part.name} gives {len(value)} numbers here and {width} there: it must give "
                    "vectors of one length on all databases"
                )
        return tuple(number for value in found for number in value)

    def changes(self, universe: Universe, relation: str, group: int = 1) -> Iterator[Change]:
        """Move all sums together, record by record; or list the neighbours."""
        together = self._together(universe)
        if together is None:
            return Computed(self, self.name).changes(universe, relation, group)
        return map(self._read, together.changes(universe, relation, group))

    def differences(self, universe: Universe, relation: str, group: int = 1) -> Iterator[Change]:
        """Look at the differing records only, where that is possible."""
        together = self._together(universe)
        if together is None:
            return super().differences(universe, relation, group)
        return map(self._read, together.differences(universe, relation, group))

    def _read(self, change: Change) -> Change:
        return Change(self(change.x), self(change.y), change.x, change.y)

    def _together(self, universe: Universe) -> Additive | None:
        """Return the sum that moves as the batch does: constants do not move."""
        if not isinstance(universe, Records) or not all(map(_adds, self.parts)):
            return None

        def phi(record: Point) -> tuple[Scalar, ...]:
            moved: list[Scalar] = []
            for part, width in zip(self.parts, self.widths, strict=True):
                moved += (0,) * width if isinstance(part, Constant) else _flat(part((record,)))
            return tuple(moved)

        return Additive(phi, dimension=sum(self.widths), name=self.name)


def _adds(part: Statistic) -> bool:
    return isinstance(part, Constant) or (isinstance(part, Additive) and part.modulo is None)


def _flat(value: Value) -> tuple[Scalar, ...]:
    return value if isinstance(value, tuple) else (value,)
