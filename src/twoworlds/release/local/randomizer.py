r"""A randomizer: what happens to one record of a column, and what its report can tell.

Every record passes on its own through the same channel T, where T[o, v] = P(report o | value v).
The ratio of the channel is

    max over reports o and values v, w of  T[o, v] / T[o, w]

(the amplification gamma of Lin & Kifer, Definition 5.10; e^epsilon of Wu, Proposition 3.1). It
bounds what a report does to the odds between any two values of its own record, for every attacker:
posterior odds are prior odds times a quotient T[o, v] / T[o, w]. This is the local model: the two
worlds differ in the value of one record (substitution), and nobody is trusted with the reports.

Cells without a declared value. Whether a cell is empty, NULL or undeclared is data too, so that it
must not decide whether the work fails. Such a cell counts as the value ``missing`` if that is
declared. Otherwise it is first replaced by one of the declared values, chosen evenly: its report
has the law of a column that is the average of all columns, so the ratio stays what it is, and
estimates speak of the column after that replacement.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from twoworlds.cards.explained import Explained
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Dense, PerRecord
from twoworlds.mechanisms.named import gamma
from twoworlds.numbers import INFINITY, Number, ln, maximum, show, to_json
from twoworlds.release.local.channels import CHANNELS, Matrix
from twoworlds.release.local.columns import Codes, Columns, cumulated
from twoworlds.release.noise import SimulatedBits, SystemBits
from twoworlds.worlds import Explicit

__all__ = ["DEFINITION", "Randomizer"]

_DRAWN = 12

DEFINITION = (
    "local model: for two worlds that differ in the value of one record (substitution), no report "
    "of that record is more than ratio = e^epsilon times likelier in one than in the other"
)


@dataclass(frozen=True)
class Randomizer(Explained):
    """A channel over declared values.

    >>> coin = Randomizer.of("randomized-response(keep=3/4)", values=["yes", "no"])
    >>> coin.ratio, coin.epsilon
    (Fraction(3, 1), Real(ln 3))

    Attributes:
        matrix: the channel.
        missing: the declared value that stands for every cell without one, if any.
    """

    matrix: Matrix
    missing: str | None = None

    @staticmethod
    def of(
        channel: str,
        *,
        values: object = None,
        outputs: object = None,
        missing: str | None = None,
    ) -> Randomizer:
        """Build a randomizer from a call.

        Args:
            channel: ``randomized-response(keep=3/4)`` (or ratio=, epsilon=), ``frapp(gamma=3)``, or
                ``pram(matrix)`` with a list of rows or the path of a matrix file.
            values: the values that a record may hold, if the call does not name them.
            outputs: the reports of a pram that has not as many as values.
            missing: which of the values stands for empty, NULL and undeclared cells.

        Raises:
            InvalidInput: for a channel that is none, or values that do not fit it.
        """
        beside = {"values": values, "outputs": outputs}
        given = {name: value for name, value in beside.items() if value is not None}
        matrix = CHANNELS.build(channel, **given)
        if missing is not None and missing not in matrix.values:
            raise InvalidInput(
                f"missing={missing!r} is none of the declared values: declare it as a value too"
            )
        return Randomizer(matrix, missing)

    @property
    def values(self) -> tuple[str, ...]:
        """The values that a record may hold."""
        return self.matrix.values

    @property
    def outputs(self) -> tuple[str, ...]:
        """The reports."""
        return self.matrix.outputs

    @property
    def expression(self) -> str:
        """The call, without the values."""
        return self.matrix.expression

    @cached_property
    def ratio(self) -> Number:
        """The largest quotient within a row of the channel, exactly; infinite if a 0 stands there.

        >>> Randomizer.of("pram([[3/5, 1/7], [2/5, 6/7]])", values=["a", "b"]).ratio
        Fraction(21, 5)
        """
        rows = self.matrix.rows
        if self.matrix.symmetric:
            keep, other = rows[0][0], rows[0][1]
            return maximum(_quotient(keep, other), _quotient(other, keep))
        exact = [[entry for entry in row if isinstance(entry, Fraction)] for row in rows]
        if all(len(row) == len(self.values) for row in exact):
            return max(_quotient(max(row), min(row)) for row in exact if any(row))
        values, outputs = (Explicit(tuple(range(len(n)))) for n in (self.values, self.outputs))
        return gamma(PerRecord(Dense(values, outputs, rows), 1))

    @property
    def epsilon(self) -> Number:
        """The logarithm of the ratio: what one report costs."""
        return INFINITY if self.ratio == INFINITY else ln(self.ratio)

    def explain(self) -> str:
        """Say what a report can tell about its record, in odds."""
        start = (
            f"Each record is reported on its own by {self.expression}, over the values "
            f"{', '.join(self.values)}."
        )
        if self.ratio == INFINITY:
            return f"{start} Some report rules a value out for certain: there is no bound on odds."
        if self.ratio == 1:
            return f"{start} The reports say nothing about the values."
        most = self.ratio / (1 + self.ratio)
        return (
            f"{start} Whoever sees the report, whatever else they know, their odds between any two "
            f"values of that record change by a factor of at most {show(self.ratio, side='up')}: "
            "of two "
            "values that seemed equally likely, one gets a probability of at most "
            f"{show(most, side='up')}. "
            "Where records go together, reports of others tell about it as well."
        )

    def picture(self) -> str:
        """Draw the probability of each report (rows) for each value (columns), if they are few."""
        from twoworlds.cards import heat_map

        if max(len(self.values), len(self.outputs)) > _DRAWN:
            return ""
        rows = [
            (f"reported {report}", [(show(p), float(p)) for p in row])
            for report, row in zip(self.outputs, self.matrix.rows, strict=True)
        ]
        return heat_map("How likely each report is, by value", self.values, rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "channel": self.expression,
            "values": list(self.values),
            "outputs": list(self.outputs),
            "missing": self.missing,
            "definition": DEFINITION,
            "ratio": to_json(self.ratio),
            "epsilon": to_json(self.epsilon),
        }

    @cached_property
    def columns(self) -> Columns:
        """The tables that reports are drawn from: one for each value, one for undeclared cells."""
        laws = cumulated(self.matrix.rows, symmetric=self.matrix.symmetric)
        if self.missing is not None:
            laws[-1] = laws[self.values.index(self.missing)]
        return Columns.of(laws)

    def draw(self, codes: Codes, source: SystemBits) -> Codes:
        """Draw the reports of records for a release.

        Args:
            codes: for each record the place of its value among ``values``, or their number for a
                cell without a declared value.
            source: the operating system's bits; nothing that has a seed is taken.

        Returns:
            For each record the place of its report among ``outputs``.
        """
        if type(source) is not SystemBits:
            raise InvalidInput(
                f"a release takes its bits from SystemBits(), not from {type(source).__name__}: "
                "for a simulation use simulate"
            )
        return self.columns.reports(self._checked(codes), source)

    def simulate(self, codes: Codes, source: SimulatedBits) -> Codes:
        """Draw the reports of records for a simulation, from bits that can be repeated.

        >>> from twoworlds.release.noise import SeededBits
        >>> coin = Randomizer.of("randomized-response(keep=3/4)", values=["yes", "no"])
        >>> coin.simulate(np.zeros(8, dtype=np.uint8), SeededBits(1)).tolist()
        [0, 0, 0, 0, 1, 0, 0, 0]
        """
        if not isinstance(source, SimulatedBits):
            raise InvalidInput(
                f"a simulation takes SimulatedBits, such as SeededBits(1), not "
                f"{type(source).__name__}"
            )
        return self.columns.reports(self._checked(codes), source)

    def _checked(self, codes: Codes) -> Codes:
        if codes.dtype != np.uint8:
            raise InvalidInput(f"codes has the type {codes.dtype}: give an array of uint8")
        if codes.size and int(codes.max()) > len(self.values):
            raise InvalidInput(
                f"a code is above {len(self.values)}: 0, 1, ... are the places of the values, and "
                f"{len(self.values)} is a cell without a declared one"
            )
        return codes


def _quotient(top: Number, bottom: Number) -> Number:
    if bottom == 0:
        return INFINITY if top != 0 else Fraction(1)
    return top / bottom
