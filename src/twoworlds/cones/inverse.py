r"""The inverse of a mechanism's matrix, whose columns are the guarantees of its row cone.

If M has an inverse, a row x belongs to the row cone of the mechanism if and only if x . m >= 0 for
every column m of M^-1, and another mechanism N is a post-processing of it if and only if N M^-1 has
no negative entry (Lin & Kifer, Theorem 5.1). On finitely many databases the columns always have a
finite norm sum_i |m_i|; it says by how much an error in a row can grow in the post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Table
from twoworlds.cones.kernel.vectors import flint, fraction, primitive, rationals
from twoworlds.cones.row_cone import Inequality, listed_universe
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.mechanisms import Mechanism
from twoworlds.show import Result

_LARGEST = 256


@dataclass(frozen=True)
class InverseMatrix(Result):
    """The exact inverse of a mechanism's matrix."""

    mechanism: Mechanism
    rows: tuple[tuple[Fraction, ...], ...]

    @property
    def column_norms(self) -> tuple[Fraction, ...]:
        """The sum of absolute entries of each column, one per output."""
        return tuple(sum(map(abs, column), Fraction(0)) for column in zip(*self.rows, strict=True))

    def inequalities(self) -> tuple[Inequality, ...]:
        """The guarantees: one for each output."""
        columns = zip(*self.rows, strict=True)
        return tuple(Inequality(self.mechanism.universe, primitive(column)) for column in columns)

    def answer(self) -> Answer:
        """Show the matrix, and the norms of its columns."""
        outputs, universe = self.mechanism.outputs, self.mechanism.universe
        pairs = zip(universe, self.rows, strict=True)
        rows = [[universe.label(x), *map(str, row)] for x, row in pairs]
        heads = ["", *(outputs.label(output) for output in outputs)]
        table = Table(heads, [*rows, ["norm", *map(str, self.column_norms)]])
        said = f"{self.mechanism.expression}: the inverse, one column per output."
        return Answer(said, blocks=[table])

    def fields(self) -> dict[str, Any]:
        """Return the matrix, and the guarantees that its columns are."""
        universe, outputs = self.mechanism.universe, self.mechanism.outputs
        return {
            "mechanism": self.mechanism,
            "databases": [universe.label(x) for x in universe],
            "outputs": [outputs.label(o) for o in outputs],
            "inverse": [list(map(str, row)) for row in self.rows],
            "column_norms": list(map(str, self.column_norms)),
            "inequalities": [inequality.text() for inequality in self.inequalities()],
        }


def inverse(mechanism: Mechanism) -> InverseMatrix:
    """Return the exact inverse of the matrix.

    >>> from twoworlds import mechanism
    >>> found = inverse(mechanism("randomized-response(bits=1, keep=3/4)"))
    >>> [[str(entry) for entry in row] for row in found.rows]
    [['3/2', '-1/2'], ['-1/2', '3/2']]
    >>> found.column_norms
    (Fraction(2, 1), Fraction(2, 1))
    """
    where = listed_universe(mechanism.universe, mechanism.expression)
    size = len(where.positions)
    if mechanism.outputs.size != size:
        raise Unsupported(
            f"{mechanism.expression} has {mechanism.outputs.size or 'infinitely many'} outputs for "
            f"{size} databases: only a square matrix has an inverse, such as that of "
            "'randomized-response(bits=2, keep=3/4)'"
        )
    if size > _LARGEST:
        raise TooLarge(f"an inverse of {size} by {size} entries is shown up to {_LARGEST}")
    entries = [
        rationals([mechanism.probability(o, x) for x in where], f"P({mechanism.outputs.label(o)})")
        for o in mechanism.outputs
    ]
    try:
        found = flint(entries).inv()
    except ZeroDivisionError:
        raise Unsupported(
            f"the matrix of {mechanism.expression} has no inverse: its row cone and membership are "
            "found in another way: ask for its cone, or whether another is a member of it"
        ) from None
    return InverseMatrix(mechanism, tuple(tuple(map(fraction, row)) for row in found.tolist()))
