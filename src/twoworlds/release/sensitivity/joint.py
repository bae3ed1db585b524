r"""The sensitivity of a whole query, or of a batch of queries, exactly.

What a release costs is decided by how far one unit can move the whole vector of measures and cells
(Dwork, Definition 3 and Theorem 5), each in the scale of its own noise. This is neither the largest
sensitivity of a part, which is too small, nor the sum over the parts, which may be far too large:
a histogram costs once and not once for each cell, filters that exclude each other cost the most
expensive of them, and filters that overlap cost what they truly do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import show
from twoworlds.release.policy.model import Neighbours, Unit
from twoworlds.release.query.resolve import Resolved, SummedMeasure
from twoworlds.release.sensitivity.bounds import LargestLoss, change, unit_supremum
from twoworlds.release.sensitivity.contributions import Index, Rows, reachable, row_types


class Analysis:
    """The row types of a batch, and losses for any weights of its measures."""

    def __init__(self, batch: Sequence[Resolved], *, one_moment: bool = True) -> None:
        """Check that the queries can be paid for together."""
        self.batch = tuple(batch)
        self._apart = not one_moment
        if not self.batch:
            raise InvalidInput("there is no query: give at least one")
        first = self.batch[0].dataset
        for other in self.batch[1:]:
            if other.dataset is not first and other.dataset != first:
                raise InvalidInput(
                    f"the queries ask {first.name!r} and {other.dataset.name!r}, and a batch asks "
                    "one dataset: release them one by one"
                )
        self.dataset = first
        self.indices = [
            (q, j) for q, one in enumerate(self.batch) for j in range(len(one.measures))
        ]
        self._rows: dict[tuple[Index, ...], Rows | None] = {}
        self._own: dict[tuple[Index, int], Fraction] = {}

    def measure(self, index: Index) -> SummedMeasure:
        """Return a measure."""
        return self.batch[index[0]].measures[index[1]]

    def loss(self, weights: Mapping[Index, Fraction], power: int) -> LargestLoss:
        """Return the largest loss of one unit, of all measures with these weights."""
        parts = [
            self._part({i: w for i, w in weights.items() if i in read}, read, power)
            for read in self._read_together()
            if any(i in weights for i in read)
        ]
        return _added(parts, attained=len(parts) == 1)

    def _read_together(self) -> list[list[Index]]:
        """Return measures by what joint bounds hold for: all rows, or the limits of each query.

        What is not of one moment is a scan: the sums of a query, and each of its quantiles.
        """

        def scan(index: Index) -> tuple[int, int]:
            if not self._apart:
                return (-1 if self.dataset.unit.person is None else index[0]), -1
            return index[0], index[1] if self.measure(index).kind == "ranks" else -1

        return [
            [i for i in self.indices if scan(i) == one]
            for one in sorted({scan(i) for i in self.indices})
        ]

    def own(self, index: Index, power: int = 1) -> Fraction:
        """Return the sensitivity of one measure over all of its cells, in units."""
        if (index, power) not in self._own:
            alone = self._part({index: Fraction(1)}, [index], power)
            self._own[index, power] = alone.value
        return self._own[index, power]

    def in_one_cell(self, index: Index) -> Fraction:
        """Return how far one unit moves a measure in one cell."""
        measure, unit = self.measure(index), self.dataset.unit
        if measure.kind == "people":
            return Fraction(1)
        rows = self._found([index])
        changes = {0}
        for row in [] if rows is None else rows.only([index]):
            values = [end for options in row.options for o in options for end in o or (None,)]
            if index in row.active:
                changes |= {change(measure, v) for v in values or [None]}
        low, high = min(changes), max(changes)
        substitute = self.dataset.neighbours == "substitute"
        if measure.kind == "ranks":
            most = high * (1 + substitute)
        else:
            most = high - low if substitute else max(high, -low)
        return min(self.own(index), Fraction(unit.rows if unit.person else 1) * most)

    def naive(self, weights: Mapping[Index, Fraction], power: int) -> Fraction:
        """Return the sum over all measures and cells that any row can move.

        Discovered keys of a measure count once.
        """
        total = Fraction(0)
        for index, weight in weights.items():
            one = self.batch[index[0]]
            if one.discovers:
                total += weight * self.own(index, power)
            else:
                count = len(reachable(one, self.measure(index)))
                total += weight * count * self.in_one_cell(index) ** power
        return total

    def _part(
        self, weights: Mapping[Index, Fraction], known: Iterable[Index], power: int
    ) -> LargestLoss:
        if not weights:
            return LargestLoss(Fraction(0))
        rows = self._found(known)
        if rows is None and len(weights) < len(list(known)):
            rows = self._found(weights)
        if rows is not None:
            return self._with(rows, weights, power)
        queries = sorted({q for q, _ in weights})
        if len(weights) == 1:
            row_types(self.batch, weights)  # says what is too large
        if len(queries) > 1:
            parts = [{i: w for i, w in weights.items() if i[0] == q} for q in queries]
        else:
            parts = [{i: w} for i, w in weights.items()]
        return _added((self._part(part, part, power) for part in parts), attained=False)

    def _with(self, rows: Rows, weights: Mapping[Index, Fraction], power: int) -> LargestLoss:
        """Return the loss from row types, never more than that of the measures one by one."""
        apart = None
        if len(weights) > 1:
            apart = sum((w * self.own(i, power) for i, w in weights.items()), Fraction(0))
        one = self.batch[next(iter(weights))[0]]
        found = unit_supremum(rows, one, weights, power, apart)
        value = found.value if apart is None else min(found.value, apart)
        return LargestLoss(value, found.attained and not self._loose(weights))

    def _loose(self, weights: Iterable[Index]) -> bool:
        """Tell whether row types may be more than there are.

        So they are when a public table is joined, and when a column whose keys are discovered is
        added up: all rows of one key have one value, which the types do not know. A row that is
        replaced may also be charged for another bin of a quantile where a sum has the same value.
        """
        queries = {q for q, _ in weights}
        keys = {a.column for q in queries for a in self.batch[q].axes if a.discover}
        added = {self.measure(i).column for i in weights if self.measure(i).kind != "rows"}
        ranks = {self.measure(i).column for i in weights if self.measure(i).kind == "ranks"}
        sums = {self.measure(i).column for i in weights if self.measure(i).kind != "ranks"}
        if ranks & sums and self.dataset.neighbours == "substitute":
            return True
        return bool(keys & added) or any(self.batch[q].query.joins for q in queries)

    def _found(self, wanted: Iterable[Index]) -> Rows | None:
        """Return row types, None when there are too many."""
        key = tuple(sorted(wanted))
        if key not in self._rows:
            try:
                self._rows[key] = row_types(self.batch, key)
            except TooLarge:
                self._rows[key] = None
        return self._rows[key]


def _added(parts: Iterable[LargestLoss], *, attained: bool) -> LargestLoss:
    found = list(parts)
    total = sum((part.value for part in found), Fraction(0))
    return LargestLoss(total, attained and all(part.attained for part in found))


def measure_words(measure: SummedMeasure) -> str:
    """Return what a measure is, in a few words."""
    column, unit = measure.column, show(measure.unit)
    filtered = "" if measure.where is None else ", filtered"
    match measure.kind:
        case "rows":
            said = "rows" if column is None else f"rows with {column}"
        case "people":
            said = "people"
        case "total":
            around = f", each less {measure.center:,}" if measure.center else ""
            said = f"sum of {column} in units of {unit}{around}"
        case "squares":
            said = f"sum of squares of {column} in units of {unit}, each less {measure.center:,}"
        case _:
            said = f"rows of {column} by value"
    return said + filtered


def neighbour_words(neighbours: Neighbours, unit: Unit) -> str:
    """Say which two tables are neighbours."""
    if unit.person is None:
        who, has = "row", ""
    else:
        who = "person"
        rows = "1 row" if unit.rows == 1 else f"{unit.rows} rows"
        groups = "1 group" if unit.groups == 1 else f"{unit.groups} groups"
        has = f", of whom each query uses at most {rows} in {groups}"
    if neighbours == "substitute":
        return f"Neighbours: one {who} is replaced by another{has}."
    return f"Neighbours: one {who} is added or taken away{has}."
