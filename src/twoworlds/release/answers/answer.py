r"""Answers: estimates with errors, and everything that must be said with them.

An answer is made from what the ledger stores and from nothing else, so that the same stored
numbers always give the same answer. Types and order of what it shows are declared, not found: they
depend on the policy and the query, never on the data.

As a table for people it has numbers with as many digits as their errors leave any meaning.

The last column of an aggregate says its utility in a word, by its relative error: the standard
error divided by |value|, or for a quantile ranks divided by rows.

    good            at most 5 %
    fair            at most 20 %
    poor            at most 100 %
    lost in noise   more, or the value is 0, or a count is below 0, or a sum of values of which
                    none is, or its error cannot be told from noise; but a 0 whose interval
                    is 0 to 0 is good
    exact           there is no noise

A mean or variance is lost in noise, too, where its interval is all that the bounds allow, and poor
at best where it is more than half of that. A quantile is lost where the conditions leave only
values between two neighbours of its grid, which ranks do not tell from any other value of it.

It is computed from noisy values only, so it tells nothing that the answer does not. Names and keys
are shown as they are, and characters that cannot be printed are written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, inf, log10
from typing import Any

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.charts import ErrorBar, Intervals
from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, Side, decimal, to_json
from twoworlds.release.answers.cells import (
    Cell,
    declared,
    excluded,
    group_data,
    group_label,
    read_cell,
)
from twoworlds.release.answers.estimates import (
    BOUND,
    EXACT,
    RANKS,
    CellEstimate,
    Estimator,
    estimators,
)
from twoworlds.release.answers.words import (
    AnswerContext,
    accuracy,
    asked,
    guess,
    guess_chart,
    meaning,
    notes,
    price,
    printable,
    protected,
)
from twoworlds.release.policy.model import Value
from twoworlds.release.query.model import GroupAxis
from twoworlds.release.query.resolve import Resolved
from twoworlds.release.sensitivity import Calibration
from twoworlds.release.sensitivity.contributions import between_the_grid
from twoworlds.show import Result
from twoworlds.show.saving import Column, Kind

MOST_ROWS = 500
_MOST_DRAWN, _CHARTS = 24, 2
_DIGITS, _MOST_DIGITS = 4, 12


GOOD, FAIR, POOR, LOST = "good", "fair", "poor", "lost in noise"
_FILLED = {EXACT: 4, GOOD: 4, FAIR: 3, POOR: 2, LOST: 1}  # of four blocks


def utility(error: Number | float | None, value: Fraction) -> str:
    """Return the word for an error beside a value.

    >>> utility(Fraction(2), Fraction(-50)), utility(None, Fraction(1))
    ('good', 'lost in noise')
    """
    if error == 0:
        return EXACT
    relative = inf if error is None or value == 0 else abs(float(error) / float(value))
    for word, most in ((GOOD, 0.05), (FAIR, 0.2), (POOR, 1.0)):
        if relative <= most:
            return word
    return LOST


def table(answer: QueryAnswer) -> Table:
    """Return the groups, and for each aggregate value, interval and utility; the first rows.

    The utility of a quantile is known, and shown, where its rows are counted in the same query.
    """
    heads = [printable(axis.column) for axis in answer.resolved.axes]
    open_ = [
        column.ranks is not None and answer.counted(column) is None for column in answer.columns
    ]
    for column, unknown in zip(answer.columns, open_, strict=True):
        name = printable(column.name)
        worth = "ranks off" if column.certainty == RANKS else "95% interval"
        heads += [name, f"{name}: {worth}", *([] if unknown else [f"{name}: utility"])]
    rows = []
    for i, cell in enumerate(answer.cells[:MOST_ROWS]):
        row = [printable(label) for label in answer.groups(cell)]
        for place, column in enumerate(answer.columns):
            estimate, worth_it = answer.estimates[i][place], answer.utility(i, place)
            row.append(number_text(estimate.value, estimate.error, whole=column.whole))
            row.append(_interval(column, estimate))
            if not open_[place]:
                row.append("" if worth_it is None else f"{_bar(worth_it)} {worth_it}")
        rows.append(row)
    return Table(heads, rows, repeated=len(answer.resolved.axes))


def _bar(word: str) -> str:
    """Return four blocks, filled as far as the answer is good."""
    return "█" * _FILLED[word] + "░" * (4 - _FILLED[word])


def charts(answer: QueryAnswer) -> Iterator[Intervals]:
    """Chart the first columns with their intervals, where there are a few groups."""
    if not 1 < len(answer.cells) <= _MOST_DRAWN:
        return
    for place, column in enumerate(answer.columns[:_CHARTS]):
        rows = intervals(answer, place)
        if column.ranks is None and not any(row.low is None for row in rows):
            title = f"{printable(column.name)}, with the interval of its noise"
            yield Intervals(title, rows, "The numbers are in the table.")


def intervals(answer: QueryAnswer, place: int) -> list[ErrorBar]:
    """Return a number with its interval for each group, of one aggregate."""
    found = []
    for i, cell in enumerate(answer.cells):
        one, lost = answer.estimates[i][place], answer.utility(i, place) == LOST
        low, high = (None if end is None else float(end) for end in (one.low, one.high))
        name = ", ".join(map(printable, answer.groups(cell)))
        found.append(ErrorBar(name, float(one.value), low, high, lost))
    return found


def number_text(
    x: Fraction, error: Number | float | None, *, whole: bool, side: Side | None = None
) -> str:
    """Write a number, with as many digits as its error leaves any meaning.

    >>> number_text(Fraction(12345678, 1000), 3.2, whole=False)
    '12,345.7'
    >>> number_text(Fraction(1234567), None, whole=False)
    '1,234,567'
    """
    if whole or (not error and x.denominator == 1):
        return f"{int(x):,}"
    scale = float(error) if error else abs(float(x)) / 10 ** (_DIGITS - 2)
    digits = 0 if not scale else min(_MOST_DIGITS, max(0, 1 - floor(log10(scale))))
    shifted = x * 10**digits
    last = ceil(shifted) if side == "up" else floor(shifted) if side == "down" else round(shifted)
    before, after = divmod(abs(last), 10**digits)
    sign = "-" if last < 0 else ""
    return f"{sign}{before:,}.{after:0{digits}}" if digits else f"{sign}{before:,}"


def _interval(column: Estimator, estimate: CellEstimate) -> str:
    if column.certainty == EXACT:
        return EXACT
    if column.ranks is not None:
        return f"at most {decimal(column.ranks, 3)}"
    if estimate.low is None or estimate.high is None:
        return ""
    low = number_text(estimate.low, estimate.error, whole=column.whole, side="down")
    high = number_text(estimate.high, estimate.error, whole=column.whole, side="up")
    return f"{low} to {high}"


_MOST_ROWS = 1 << 33
_FAR = 64  # noise passes so many half widths with a probability below e^-190


@dataclass(frozen=True, repr=False)
class QueryAnswer(Result):
    """The answer to one query; build it with `QueryAnswer.of`.

    ``cells`` are the groups, in declared order, or sorted where they were discovered, without those
    that the condition of the query excludes; ``values`` the noisy integers, for each cell one for
    each measure; ``query`` is the place of the query in its batch.
    """

    resolved: Resolved
    calibration: Calibration
    context: AnswerContext
    cells: tuple[Cell, ...]
    values: tuple[tuple[int, ...], ...] = field(repr=False)
    query: int = 0

    @staticmethod
    def of(
        resolved: Resolved,
        calibration: Calibration,
        stored: Mapping[str, Any],
        context: AnswerContext,
        *,
        query: int = 0,
    ) -> QueryAnswer:
        """Build an answer from stored data."""
        cells = _cells(resolved, stored.get("cells"))
        lists, measures = stored.get("values"), resolved.measures
        if (
            not isinstance(lists, list)
            or len(lists) != len(measures)
            or not all(_fits(one, len(cells)) for one in lists)
        ):
            raise InvalidInput(
                f"the stored answer does not belong to this query: it must hold {len(cells)} whole "
                f"numbers for each of {len(measures)} measures"
            )
        for measure, one in zip(measures, lists, strict=True):
            if measure.kind == "ranks" and not all(0 <= i < len(measure.grid) for i in one):
                raise InvalidInput("the stored answer chooses a value beyond the grid")
        values, empty = zip(*lists, strict=True), {*excluded(resolved)}
        kept = [pair for pair in zip(cells, values, strict=True) if pair[0] not in empty]
        shown = tuple(cell for cell, _ in kept), tuple(noisy for _, noisy in kept)
        return QueryAnswer(resolved, calibration, context, *shown, query)

    @cached_property
    def columns(self) -> tuple[Estimator, ...]:
        """How each aggregate is estimated."""
        return estimators(self.resolved, self.calibration.noises[self.query])

    @cached_property
    def estimates(self) -> tuple[tuple[CellEstimate, ...], ...]:
        """For each cell, an exact estimate for each aggregate."""
        return tuple(
            tuple(column.estimate(noisy) for column in self.columns) for noisy in self.values
        )

    def groups(self, cell: Cell) -> tuple[str, ...]:
        """Return what a cell is called, one text for each grouped column."""
        return tuple(group_label(a, part) for a, part in zip(self.resolved.axes, cell, strict=True))

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat dictionary for each group.

        The keys are the grouped columns, and for each aggregate its name, and the name with
        ``_error``, ``_low`` and ``_high`` (for a quantile ``_ranks``) and ``_utility``, with
        underscores appended where that is the name of another column. Numbers are whole where the
        policy says that they are, otherwise floats; the exact ones are in `estimates` and
        `to_dict`.
        """
        headings = self._headings
        axes = self.resolved.axes
        found = []
        for i, (cell, estimates) in enumerate(zip(self.cells, self.estimates, strict=True)):
            row: dict[str, Any] = {
                axis.column: self._key(axis, part) for axis, part in zip(axes, cell, strict=True)
            }
            for place, (column, names) in enumerate(zip(self.columns, headings, strict=True)):
                flat = [*_flat(column, estimates[place]), self.utility(i, place)]
                row.update(zip(names, flat, strict=True))
            found.append(row)
        return found

    def to_columns(self) -> dict[str, Column]:
        """Return `rows` by columns; their kinds are declared, and do not depend on the data."""
        kinds: dict[str, Kind] = {axis.column: self._kind(axis) for axis in self.resolved.axes}
        for column, names in zip(self.columns, self._headings, strict=True):
            kinds |= {**dict.fromkeys(names, "number"), names[-1]: "text"}
            if column.whole:  # texts where 64 bits might not do: by what it is, not by values
                kinds[names[0]] = "integer" if _short(column) else "text"
        rows = self.rows()
        return {name: Column(kind, [row[name] for row in rows]) for name, kind in kinds.items()}

    def utility(self, cell: int, place: int) -> str | None:
        """Return what noise leaves of an aggregate in a cell; None if that is open."""
        column, estimate = self.columns[place], self.estimates[cell][place]
        if column.certainty == EXACT:
            return EXACT
        if column.linear and column.measures[0].low >= 0 > estimate.value:
            return LOST  # no such number is below 0: noise has more than outweighed it
        if estimate.value == estimate.low == estimate.high:
            return GOOD
        if column.linear:
            return utility(estimate.error, estimate.value)
        if estimate.low is not None and estimate.high is not None:
            width, found = estimate.high - estimate.low, utility(estimate.error, estimate.value)
            if width >= column.widest:
                return LOST
            return POOR if 2 * width > column.widest and found in (GOOD, FAIR) else found
        if column.name in self._between:
            return LOST
        counted = self.counted(column)
        if counted is None:
            return None
        return utility(column.ranks, Fraction(max(0, self.values[cell][counted])))

    def heading(self) -> str:
        """Say what was asked."""
        return asked(self.resolved)

    def answer(self) -> Answer:
        """Say what was asked, what came out, what it means, who is protected, what it cost."""
        first, *more = self.meaning()
        said = (first, self.protection(), price(self.context))
        return Answer(
            self.heading(),
            blocks=(*self.blocks(), Said(said), *guess_chart(self.guess, first)),
            more=(Said(more),),
        )

    def blocks(self) -> Iterator[Block]:
        """Yield the table, what its errors are worth, and charts."""
        if self.resolved.discovers and not self.cells:
            yield Said([f"No key reached the threshold of {self.calibration.threshold}."])
        else:
            yield table(self)
        more = len(self.cells) - MOST_ROWS
        cut = [f"and {more:,} further rows: use rows() or frame()"] if more > 0 else []
        errors = (
            "Errors count the noise only: clamped values and rows that were left out are part of "
            "the question.",
        )
        worth = map(accuracy, self.columns)
        yield Said((*cut, *errors, *worth, *notes(self.resolved)), quiet=True)
        yield from charts(self)

    def protection(self) -> str:
        """Say who is protected, and which two worlds are compared."""
        return protected(self.context.dataset)

    def meaning(self) -> list[str]:
        """Say what the cost means to one person, by the theorems: a guess first."""
        context = self.context
        return meaning(context.cost, context.dataset, strategy=context.covered)

    @property
    def guess(self) -> Number | None:
        """The chance of a right guess at even odds that the cost allows."""
        return guess(self.context.cost)

    def fields(self) -> dict[str, Any]:
        """Return the rows in exact numbers, with what was asked, promised and paid."""
        return {
            "dataset": self.resolved.query.dataset,
            "query": self.resolved.query.plain(),
            "columns": [_column_data(column) for column in self.columns],
            "notes": notes(self.resolved),
            "rows": [self._row_data(i) for i in range(len(self.cells))],
            **self.context.to_dict(),
            "asked": self.heading(),
            "protected": self.protection(),
            "meaning": self.meaning(),
            "guess": self.guess,
        }

    @cached_property
    def _between(self) -> set[str]:
        return {*between_the_grid(self.resolved)}

    @cached_property
    def _headings(self) -> tuple[tuple[str, ...], ...]:
        """For each aggregate, the names of its columns in `rows`, all different."""
        names = [column.name for column in self.columns]
        taken = {axis.column for axis in self.resolved.axes} | set(names)
        found = []
        for column in self.columns:
            own = [column.name]
            errors = ("ranks",) if column.kind == "quantile" else ("error", "low", "high")
            for ending in (*errors, "utility"):
                name = f"{column.name}_{ending}"
                while name in taken:
                    name += "_"
                taken.add(name)
                own.append(name)
            found.append(tuple(own))
        return tuple(found)

    def _kind(self, axis: GroupAxis) -> Kind:
        """Return what the groups of an axis are: as declared, or texts where they are named."""
        named = (axis.bins or axis.other) and not axis.discover
        return "text" if named else self.resolved.dataset.column(axis.column).kind

    def _key(self, axis: GroupAxis, part: int | Value) -> str | bool | int | float | date:
        """Return a group as Python has it: texts, dates, truth values and numbers."""
        special = axis.bins or (axis.other and part == axis.size - 1)
        if special and not axis.discover:
            return group_label(axis, part)
        key = part if axis.discover or not isinstance(part, int) else axis.keys[part]
        if not isinstance(key, Fraction):
            return key
        whole = self.resolved.dataset.column(axis.column).kind == "integer"
        return int(key) if whole else float(key)

    def _group_data(self, cell: Cell) -> dict[str, Any]:
        axes = self.resolved.axes
        return {axis.column: group_data(axis, part) for axis, part in zip(axes, cell, strict=True)}

    def _row_data(self, i: int) -> dict[str, Any]:
        columns = enumerate(zip(self.columns, self.estimates[i], strict=True))
        return {
            "group": self._group_data(self.cells[i]),
            "label": ", ".join(self.groups(self.cells[i])) or "all",
            "values": {
                column.name: self._estimate_data(i, place, column, estimate)
                for place, (column, estimate) in columns
            },
        }

    def _estimate_data(
        self, i: int, place: int, column: Estimator, estimate: CellEstimate
    ) -> dict[str, Any]:
        found: dict[str, Any] = {"value": to_json(estimate.value)}
        if column.ranks is None:
            ends = (estimate.low, estimate.high)
            same = self._same_errors[place]
            found["standard_error"] = _error_data(estimate.error) if same is None else same
            found["interval"] = [None if x is None else to_json(x) for x in ends]
        found["utility"] = self.utility(i, place)
        return found

    @cached_property
    def _same_errors(self) -> tuple[dict[str, Any] | None, ...]:
        """The errors of columns that have the same in all cells."""
        return tuple(to_json(column.error) if column.linear else None for column in self.columns)

    def counted(self, column: Estimator) -> int | None:
        """Return a measure that counts the rows of which a quantile was taken."""
        of = column.measures[0]
        for j, measure in enumerate(self.resolved.measures):
            counts = measure.kind == "rows" and measure.where == of.where
            if counts and measure.column == (of.column if of.fill is None else None):
                return j
        return None


def _short(column: Estimator) -> bool:
    """Tell whether whole values surely fit in 64 bits, noise and 2^33 rows included."""
    if not column.linear:
        return True
    measure = column.measures[0]
    largest = max(abs(measure.low), abs(measure.high), 1) * measure.unit * _MOST_ROWS
    return largest + _FAR * column.half_width < 1 << 62


def _cells(resolved: Resolved, stored: Any) -> tuple[Cell, ...]:
    if not resolved.discovers:
        if stored is not None:
            raise InvalidInput("the stored answer has keys of its own, and all were declared")
        return tuple(declared(resolved))
    if not isinstance(stored, list):
        raise InvalidInput("the stored answer lacks the keys that were discovered")
    return tuple(read_cell(one, resolved.axes) for one in stored)


def _fits(one: Any, size: int) -> bool:
    return isinstance(one, list) and len(one) == size and all(type(x) is int for x in one)


def _flat(column: Estimator, estimate: CellEstimate) -> list[Any]:
    value = int(estimate.value) if column.whole else float(estimate.value)
    if column.ranks is not None:
        return [value, float(column.ranks)]
    rest = (estimate.error, estimate.low, estimate.high)
    return [value, *(None if x is None else float(x) for x in rest)]


def _column_data(column: Estimator) -> dict[str, Any]:
    return {
        "name": column.name,
        "kind": column.kind,
        "certainty": column.certainty,
        "standard_error": "approximate" if column.certainty == BOUND else "exact",
        "ranks": None if column.ranks is None else to_json(column.ranks),
        "words": accuracy(column),
    }


def _error_data(error: Number | float | None) -> dict[str, Any] | None:
    return None if error is None else {"exact": None, "value": float(error), "approximate": True}
