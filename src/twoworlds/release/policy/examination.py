"""The data held against the policy, for the owner alone: exact figures, and nothing of it private.

How many values are missing or of another kind than declared, how many the bounds clamp, which are
none of the declared keys, and how many rows the limit per person leaves out. All of it is counted
by the engine, over rows that are made clean as a release makes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Any

from sqlglot import exp

from twoworlds.answer import Answer, Said
from twoworlds.numbers import counted, decimal, show, to_json
from twoworlds.release.backends import Backend
from twoworlds.release.plan import sql
from twoworlds.release.plan.columns import Clean
from twoworlds.release.plan.statement import clean_rows
from twoworlds.release.policy.imports import Imported
from twoworlds.release.policy.model import Column, Dataset, PublicTable, Unit
from twoworlds.show import Result

WARNING = (
    "For you as the owner of the data: these figures are exact and not private; do not publish "
    "them."
)
SHOWN = 5  # values that are none of the keys


@dataclass(frozen=True)
class ExaminedColumn:
    """What the values of a column are like."""

    column: Column
    missing: int  # how many rows have no value
    unfit: int = 0  # how many have one that does not fit the kind, and is missing for a release
    where: str = ""  # the lines of such values, of a text file that was just imported
    below: int = 0  # how many are smaller than the bounds, and are clamped
    above: int = 0
    outside: int = 0  # how many are none of the keys
    others: tuple[tuple[str, int], ...] = ()  # the most frequent of these, each with its rows
    unbinned: int = 0  # how many lie in none of the bins
    remark: str = ""


@dataclass(frozen=True)
class Examination(Result):
    """The data of one table held against the policy."""

    name: str  # of the dataset or public table
    unit: Unit
    rows: int
    columns: tuple[ExaminedColumn, ...]
    people: Mapping[str, int] | None = None  # rows of people; None when each row is a person
    remarks: tuple[str, ...] = ()  # what an import has to say besides

    def answer(self) -> Answer:
        """Say it in words, with a warning in the first line."""
        return Answer(WARNING, blocks=(Said([*self.lines()]),))

    def lines(self) -> Iterator[str]:
        """Yield what there is to say, without the warning."""
        yield f"{self.name}: {self._some(self.rows, 'row', share=False)}"
        yield from (f"  {remark}" for remark in self.remarks)
        for one in self.columns:
            said = [f"{one.column.kind}", *self._said(one)]
            yield f"  {one.column.name}: {'; '.join(said)}"
        if self.people is not None:
            yield f"  {self._said_of_people(self.people)}"

    def doubts(self) -> Iterator[str]:
        """Yield what more than half of the rows speak against."""
        for one in self.columns:
            for count, what in (
                (one.unfit, "of another kind, which count as missing"),
                (one.below + one.above, "clamped"),
                (one.outside, "outside the keys"),
                (one.unbinned, "outside the bins"),
            ):
                if 2 * count > self.rows:
                    yield f"{self.name}: {one.column.name}: {self._some(count, 'value')} {what}"
            if one.missing == self.rows > 0:
                yield f"{self.name}: {one.column.name}: every value is missing"
        for name in ("rows_dropped", "rows_of_nobody"):
            count = (self.people or {}).get(name, 0)
            if 2 * count > self.rows:
                yield f"{self.name}: a query leaves out {self._some(count, 'row')}"

    def fields(self) -> dict[str, Any]:
        """Return all figures, by name."""
        people = self.people
        return {
            "table": self.name,
            "warning": WARNING,
            "rows": self.rows,
            "remarks": [*self.remarks],
            "columns": {one.column.name: self._column(one) for one in self.columns},
            "people": people
            and {
                "count": people["count"],
                "bound": self.unit.rows,
                "most_rows": people["most_rows"],
                "over_the_bound": people["over_the_bound"],
                "rows_dropped": self._counted(people["rows_dropped"]),
                "rows_of_nobody": self._counted(people["rows_of_nobody"]),
            },
        }

    def _column(self, one: ExaminedColumn) -> dict[str, Any]:
        found: dict[str, Any] = {
            "kind": one.column.kind,
            "missing": self._counted(one.missing),
            "unfit": {**self._counted(one.unfit), "where": one.where},
        }
        if one.column.low is not None:
            clamped = {"below": one.below, "above": one.above}
            found["clamped"] = {**self._counted(one.below + one.above), **clamped}
        if one.column.keys:
            most = [{"value": value, "rows": rows} for value, rows in one.others]
            found["outside_the_keys"] = {**self._counted(one.outside), "most_frequent": most}
        if one.column.bins:
            found["outside_the_bins"] = self._counted(one.unbinned)
        return found | ({"remark": one.remark} if one.remark else {})

    def _said(self, one: ExaminedColumn) -> Iterator[str]:
        column = one.column
        yield f"{self._some(one.missing)} missing" if one.missing else "none missing"
        if one.unfit:
            lines = f" ({one.where})" if one.where else ""
            yield f"{self._some(one.unfit)} of another kind, which count as missing{lines}"
        if column.low is not None and column.high is not None:
            sides = (one.below, "below", column.low), (one.above, "above", column.high)
            parts = ", ".join(f"{n:,} {side} {show(bound)}" for n, side, bound in sides if n)
            clamped = f"{self._some(one.below + one.above)} clamped: {parts}"
            yield clamped if parts else "none clamped"
        if column.keys and one.outside:
            named = [f"{value!r} ({rows:,})" for value, rows in one.others]
            more = [] if sum(rows for _, rows in one.others) == one.outside else ["..."]
            yield f"{self._some(one.outside)} outside the keys: {', '.join(named + more)}"
        elif column.keys:
            yield "none outside the keys"
        if one.unbinned:
            yield f"{self._some(one.unbinned)} outside the bins"
        if one.remark:
            yield one.remark

    def _said_of_people(self, people: Mapping[str, int]) -> str:
        most, over, nobody = people["most_rows"], people["over_the_bound"], people["rows_of_nobody"]
        said = f"{counted(people['count'], 'person')} by {self.unit.person!r}, with up to "
        said += f"{counted(most, 'row')}; "
        if over:
            said += (
                f"{over:,} of them have more than {self.unit.rows:,}, and a query leaves "
                f"out {self._some(people['rows_dropped'], 'row')} for that"
            )
        else:
            said += f"none has more than {self.unit.rows:,}"
        return said + (
            f"; left out: {self._some(nobody, 'row')} without a person" if nobody else ""
        )

    def _some(self, count: int, what: str = "", *, share: bool = True) -> str:
        share_of = Fraction(100 * count, self.rows or 1)
        part = f" ({decimal(share_of, 3, 'nearest')}%)" if share and self.rows else ""
        return f"{counted(count, what) if what else f'{count:,}'}{part}"

    def _counted(self, count: int) -> dict[str, Any]:
        share = Fraction(count, self.rows) if self.rows else Fraction(0)
        return {"rows": count, "share": to_json(share)}

    def after_import(self, imported: Imported) -> Examination:
        """Add what only the import knows: in the Parquet file misfits are missing values."""

        def mended(one: ExaminedColumn) -> ExaminedColumn:
            name = one.column.name
            unfit, nearly = imported.unfit.get(name), imported.nearly.get(name)
            if nearly is not None:
                remark = (
                    f"text because of {counted(nearly.count, 'value')} ({nearly}): "
                    f"with --kind {name}={nearly.kind} such values count as missing"
                )
                one = replace(one, remark=remark)
            if unfit is None:
                return one
            long = (
                f"; {unfit.long:,} of them have too many digits for a whole number of 64 bits: "
                "declare the column text to tell them apart"
            )
            where = f"{unfit}{long if unfit.long else ''}"
            return replace(one, missing=one.missing - unfit.count, unfit=unfit.count, where=where)

        told = {
            "empty lines, which are no rows": imported.blank,
            "records that cannot be read and were left out": imported.unreadable,
        }
        remarks = [
            f"{w}: {lines.count:,}, on line {lines}" for w, lines in told.items() if lines.count
        ]
        return replace(self, columns=tuple(map(mended, self.columns)), remarks=tuple(remarks))


def examine(dataset: Dataset, backend: Backend, relation: exp.Table) -> Examination:
    """Count what the data of a dataset are like."""
    columns, clean = clean_rows(dataset, dataset.columns, (), relation, backend)
    fields = backend.fields(relation)

    def figured(*figures: exp.Expression, by: Clean | None = None) -> exp.Select:
        """Return the statement of figures over the clean rows, for each value of a column."""
        query = _select(sql.part(clean.copy(), "clean"), [*([by()] if by else []), *figures])
        if by is None:
            return query
        return query.where(sql.is_present(by()), copy=False).group_by(by(), copy=False)

    def one(query: exp.Select) -> list[int]:
        return [int(figure or 0) for figure in backend.fetch(query)[0]]

    given = [exp.Count(this=sql.column(fields[name].name)) for name in dataset.columns]
    rows, *present = one(_select(relation.copy(), [exp.Count(this=exp.Star()), *given]))
    tests = [
        test for name, column in dataset.columns.items() for test in _tests(column, columns[name])
    ]
    likely = [
        column.name
        for column in dataset.columns.values()
        if dataset.unit == Unit() and column.kind in ("integer", "text") and not column.keys
    ]
    distinct = [exp.Count(this=exp.Distinct(expressions=[columns[name]()])) for name in likely]
    figures = one(figured(*map(_number, tests), *distinct)) if tests else []
    found, values = iter(figures), dict(zip(likely, figures[len(tests) :], strict=True))
    examined = []
    for column, had in zip(dataset.columns.values(), present, strict=True):
        kept, below, above, outside, unbinned = islice(found, 5)
        others: tuple[tuple[str, int], ...] = ()
        if outside:  # the most frequent of them, and their rows
            cleaned = columns[column.name]
            query = figured(exp.Count(this=exp.Star()), by=cleaned)
            query = query.where(_outside(column, cleaned), copy=False)
            order = (
                exp.Ordered(this=sql.column("n1"), desc=True),
                exp.Ordered(this=sql.column("n0")),
            )
            query = query.order_by(*order, copy=False).limit(SHOWN, copy=False)
            others = tuple((_text(value), int(count)) for value, count in backend.fetch(query))
        different, hint = values.get(column.name, 0), ""
        if (
            rows >= 100 and rows <= 3 * different < 3 * kept
        ):  # as an identifier's do, of people with a few rows
            hint = (
                f"its {different:,} values repeat: if they tell people apart, name it as the unit"
            )
        examined.append(
            ExaminedColumn(
                *(column, rows - had, had - kept, "", below, above, outside, others, unbinned),
                remark=hint,
            )
        )
    people = None
    if dataset.unit.person is not None:
        each = figured(exp.Count(this=exp.Star()), by=columns[dataset.unit.person])
        n, bound = sql.column("n1"), sql.number(dataset.unit.rows)
        over = sql.compare(n, ">", bound)
        more = sql.case((over.copy(), n.copy() - bound.copy()), default=sql.number(0))
        sums: list[exp.Expression] = [exp.Count(this=exp.Star()), exp.Max(this=n.copy())]
        sums += [_number(over), exp.Sum(this=more), exp.Sum(this=n.copy())]
        *numbers, owned = one(_select(sql.part(each, "people"), sums))
        names = ("count", "most_rows", "over_the_bound", "rows_dropped", "rows_of_nobody")
        people = dict(zip(names, [*numbers, rows - owned], strict=True))
    return Examination(dataset.name, dataset.unit, rows, tuple(examined), people)


def as_dataset(public: PublicTable) -> Dataset:
    """Return a public table as a dataset, to examine its rows, which are nobody's."""
    return Dataset(public.name, public.source, "add-remove", Unit(rows=0), public.columns)


def _select(source: exp.Expression, values: Sequence[exp.Expression]) -> exp.Select:
    named = [sql.named(value, f"n{i}") for i, value in enumerate(values)]
    return exp.Select().from_(source, copy=False).select(*named, copy=False)


def _number(condition: exp.Expression) -> exp.Expression:
    """Return the number of rows in which a condition is true."""
    return exp.Count(this=sql.case((condition, sql.number(1))))


def _tests(column: Column, clean: Clean) -> list[exp.Expression]:
    """Return whether there is a value; below or above the bounds; outside the keys, the bins."""
    never = exp.false()
    below = never if column.low is None else clean.compare("<", column.low)
    above = never if column.high is None else clean.compare(">", column.high)
    unbinned: exp.Expression = never
    if column.bins:
        ends = clean.compare("<", column.bins[0]), clean.compare(">", column.bins[-1])
        unbinned = sql.any_of(ends)
    tests = [sql.is_present(clean()), below, above, _outside(column, clean), unbinned]
    return [test.copy() for test in tests]


def _outside(column: Column, clean: Clean) -> exp.Expression:
    """Whether a value is none of the keys; unknown where it is missing."""
    return exp.Not(this=exp.Paren(this=clean.one_of(column.keys))) if column.keys else exp.false()


def _text(value: Any) -> str:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
