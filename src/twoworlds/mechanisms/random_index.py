"""Publish one person's record, chosen at random: private on paper, exposed in fact.

On input (x_1, ..., x_n) the mechanism outputs (J, x_J) for a uniform J. Two neighbours are within
statistical difference 1/n, yet somebody's record is always published in the clear (Kasiviswanathan
& Smith, Remark 1): delta is 1/n at every epsilon, and c/n for groups of c.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.errors import Unsupported
from twoworlds.laws.comparison import Each, Family, Table
from twoworlds.laws.event import Event, Listed
from twoworlds.mechanisms.base import Mechanism
from twoworlds.numbers import Number, whole
from twoworlds.worlds import SUBSTITUTE, Explicit, Point, Records

if TYPE_CHECKING:
    import numpy as np

__all__ = ["RandomIndex"]


class RandomIndex(Mechanism):
    """Output (J, x_J) for a uniformly random person J."""

    def __init__(
        self, records: int, values: int | Sequence[Point], *, expression: str | None = None
    ) -> None:
        """Take how many people there are and what their values may be."""
        self.universe: Records = Records(values, whole(records, "records", at_least=1))
        self.outputs = Explicit(
            tuple((i + 1, value) for i in range(self.universe.n) for value in self.universe.values)
        )
        self._expression = expression or f"random-index(records={records}, values={values})"

    @property
    def expression(self) -> str:
        """The call that builds it."""
        return self._expression

    def probability(self, output: Point, database: Point) -> Number:
        """Return 1/n if the record is the one published."""
        person, value = output
        return Fraction(database[person - 1] == value, self.universe.n)

    def family(self, relation: str, group: int = 1) -> Family:
        """Compare databases that differ in the first records; which values does not matter."""
        if relation != SUBSTITUTE:
            self.universe.require_lengths()
            raise Unsupported("random-index is compared under substitution only")
        n, values = self.universe.n, self.universe.values
        changed = min(group, n) if len(values) > 1 else 0
        x = (values[0],) * n
        y = (values[-1],) * changed + x[changed:]
        cells = [(i + 1, x[i]) for i in range(n)] + [(i + 1, y[i]) for i in range(changed)]
        p = [Fraction(1, n)] * n + [Fraction(0)] * changed
        q = [Fraction(i >= changed, n) for i in range(n)] + [Fraction(1, n)] * changed

        def event(chosen: Sequence[int]) -> Event:
            return Listed.of(cells[i] for i in chosen)

        return Each([Table(x, y, p, q, event)], "all values and persons are alike")

    def sample(self, database: object, rng: np.random.Generator) -> Point:
        """Choose a person and publish the record."""
        values: Any = self.universe.find(database)
        person = int(rng.integers(self.universe.n))
        return (person + 1, values[person])
