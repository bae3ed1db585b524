"""Composition: what several anonymised tables together say about a person.

Each table may hide everybody among many, and yet the tables together may leave one possibility (Wu,
Section 1.1, Figures 1 and 2). In each table the known values leave some rows; their sensitive
values are the candidates; a candidate of all tables together is one that each of them allows. This
is certain if the person is in all of the tables and these are true. The probabilities of the
candidates rest on a belief besides: `twoworlds.attacks.tables.beliefs` says which.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.attacks.english import counted, listed, plural
from twoworlds.attacks.tables.agreement import Cells, Sensitive, consistent_choices, ways_of
from twoworlds.attacks.tables.beliefs import TableBelief
from twoworlds.attacks.tables.cells import column_cells, is_empty_interval, read_cell
from twoworlds.attacks.tables.table import (
    LoadedTable,
    Origin,
    check_known,
    load_all,
    named,
    opened,
    repeated,
    text_of,
)
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput
from twoworlds.numbers import show
from twoworlds.show import Result

_MOST_ROWS = 100
_SHOWN = 6
_MOST_DRAWN = 12


class Evidence(NamedTuple):
    """What one table says about the person."""

    name: str  # what the table is called
    size: int  # how many rows it has
    matching: int  # how many of them can be the person's
    rows: tuple[int, ...]  # the numbers of these rows, from 1; the first hundred
    # How many of them have which sensitive cell; None for an empty one
    counts: Mapping[str | None, int]
    # The sensitive values that they leave, sorted. A cell that lists several leaves each of them;
    # one that lists none, such as an interval, is a candidate itself.
    candidates: tuple[str, ...]
    # Known columns that no row of the table allows by themselves, with its cells
    excluded: Mapping[str, tuple[str, ...]]

    @property
    def frequencies(self) -> dict[str, Fraction]:
        """The share of the matching rows that each sensitive cell has, as it is published."""
        return {
            "anything" if text is None else text: Fraction(number, self.matching)
            for text, number in self.counts.items()
        }


@dataclass(frozen=True)
class Composition(Result):
    """What is left of a person's secret when all tables are put together."""

    known: Mapping[str, str]  # what is known about the person, by column
    sensitive: str  # the column that is attacked
    tables: tuple[Evidence, ...]  # what each table says
    # The values that all tables together leave, each with its probability. Where cells are sets
    # these are not the candidates: a set is spread over its values.
    posterior: Mapping[str, Fraction]
    # For each candidate, how many choices of a matching row in every table say it
    ways: Mapping[str, int]
    belief: TableBelief  # what the probabilities rest on
    # Those of the candidates, of one table or all, that are sets
    sets: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()  # what to beware of, in sentences

    @property
    def candidates(self) -> tuple[str, ...]:
        """What all tables together leave, sorted."""
        return tuple(sorted(self.ways))

    @property
    def sentence(self) -> str:
        """The outcome in one or two sentences."""
        absent = [table for table in self.tables if not table.matching]
        if absent:
            return self._contradiction(absent)
        said = self._outcome()
        if self.ways and not self.posterior:
            said += " The prior rules out each of them."
        return said

    def verify(self) -> bool:
        """Check by plain arithmetic that the ways come from the rows, and probabilities from them.

        Probabilities with weights, or of values in sets, are only checked to sum to 1.
        """
        choices = prod(table.matching for table in self.tables)
        if any(number > choices for number in self.ways.values()):
            return False
        if self.posterior and sum(self.posterior.values()) != 1:
            return False
        if self.belief.weighed or self.belief.sets:
            return True
        total = sum(self.ways.values())
        return all(share * total == self.ways.get(v) for v, share in self.posterior.items())

    def answer(self) -> Answer:
        """Say what each table leaves, what all leave together, and what it rests on."""
        facts = listed([f"{column} is {value}" for column, value in self.known.items()])
        known = f"it is known that {facts}" if facts else "nothing is known"
        said = f"{self.sentence} Of this person {known}."
        return Answer.of(said, *self._blocks(), notes=self.notes)

    def _blocks(self) -> Iterator[Block]:
        shares = [table.frequencies for table in self.tables]
        values = sorted({value for share in (*shares, self.posterior) for value in share})
        together = {value: show(share) for value, share in self.posterior.items()}
        if values:
            heads = [self.sensitive, *(table.name for table in self.tables), "together"]
            cells = ([str(share.get(value, "-")) for share in shares] for value in values)
            rows = [
                [value, *row, together.get(value, "-")]
                for value, row in zip(values, cells, strict=True)
            ]
            yield Table(heads, rows)
        matching = "; ".join(
            f"{one.name}: {one.matching:,} of {one.size:,} rows match" for one in self.tables
        )
        yield Said([f"{matching}."])
        if self.posterior:
            first, *others = self.belief.assumptions
            yield Said(
                [
                    f"The candidates rest on this: {first}. Their probabilities rest on this as "
                    f"well: {'; '.join(others)}."
                ]
            )
            drawn = dict([*self.posterior.items()][:_MOST_DRAWN])
            yield Bars("What is believed after all tables", drawn)

    def fields(self) -> dict[str, Any]:
        """Return all of it, with what the belief assumes."""
        return {
            "sentence": self.sentence,
            "known": self.known,
            "sensitive": self.sensitive,
            "tables": [
                {
                    "table": one.name,
                    "rows": one.size,
                    "matching": one.matching,
                    "matching_rows": one.rows,
                    "leaves": one.candidates,
                    "candidates": one.frequencies,
                    "excluded": one.excluded,
                }
                for one in self.tables
            ],
            "candidates": self.candidates,
            "posterior": self.posterior,
            "ways": self.ways,
            **self.belief.fields(),
            "notes": self.notes,
        }

    def _outcome(self) -> str:
        """Say what each table leaves alone, and all of them together."""
        first, *others = self.tables
        if not others:
            number = f"{counted(len(first.candidates), self.sensitive)}: "
            alone = "" if self._has_sets(first) else number
            return f"{first.name} leaves {alone}{listed(self.candidates, 'or')}."
        alone = self._alone()
        if not self.candidates:
            return (
                f"{alone}; together they leave none: the tables contradict each other, so this "
                "person is missing from one of them, or something known is wrong."
            )
        one_left = len(self.candidates) == 1
        sets = any(label in self.sets for label in self.candidates)
        number = "" if sets else f"{'one' if one_left else len(self.candidates)}: "
        said = f"{alone}; together they leave {number}{listed(self.candidates, 'or')}."
        certain = [
            table.name
            for table in self.tables
            if len(table.candidates) == 1 and not self._has_sets(table)
        ]
        if one_left and not sets and certain:
            says = "says" if len(certain) == 1 else "say"
            said += f" {listed(certain)} alone {says} it already."
        return said

    def _alone(self) -> str:
        if any(map(self._has_sets, self.tables)):
            parts = [
                f"{one.name} leaves "
                + (
                    listed(one.candidates, "or")
                    if self._has_sets(one)
                    else counted(len(one.candidates), self.sensitive)
                )
                for one in self.tables
            ]
            return f"Alone, {listed(parts)}"
        numbers = [len(one.candidates) for one in self.tables]
        if set(numbers) == {1}:
            return f"Each table alone leaves {counted(1, self.sensitive)}"
        several = listed([f"{number:,}" for number in numbers])
        return f"Each table alone leaves {several} {plural(self.sensitive)}"

    def _has_sets(self, table: Evidence) -> bool:
        """Tell whether something that a table leaves is a set, which nobody can count."""
        return any(label in self.sets for label in table.candidates)

    def _contradiction(self, absent: Collection[Evidence]) -> str:
        """Say which tables exclude the person, and by which columns."""
        reasons = []
        for table in absent:
            reasons += [
                f"no row of {table.name} matches {column}={self.known[column]} (there it is "
                f"{listed(cells, 'or')})"
                for column, cells in table.excluded.items()
            ]
            if not table.excluded:
                together = listed([f"{column}={value}" for column, value in self.known.items()])
                reasons.append(f"no row of {table.name} matches {together} together")
        return (
            f"Nobody matches: {'; '.join(reasons)}. So this person is not in "
            f"{listed([table.name for table in absent])}, or something known is wrong: no "
            "candidate is left."
        )


def compose(
    tables: Sequence[Origin] | Mapping[str, Origin],
    known: Mapping[str, object],
    sensitive: str,
    *,
    belief: str = "independent",
    prior: str | Mapping[str, object] | None = None,
    population: str | Mapping[str, object] | None = None,
) -> Composition:
    """Intersect what several tables say about a person of whom something is known.

    Args:
        tables: Paths of CSV, TSV or Parquet files, lists of rows, or data frames; a mapping gives
            them names.
        known: What is known, by column: a value, or a set of values such as ``"30-39"``. A column
            that a table does not have is free there, and so is an empty cell.
        sensitive: The column that is attacked; every table has it.
        belief: What the probabilities rest on: ``independent``; or ``consistent``, which also
            compares the rows of different tables with each other, where less is known.
        prior: Weights of the person's values, such as ``"AIDS=1/100, Cancer=1/20"``, or a CSV file.
        population: Weights of the values of all other people, likewise.

    >>> found = compose(["figure1.csv", "figure2.csv"], {"age": 28, "zip": "13012"}, "condition")
    >>> found.sentence
    'Each table alone leaves 3 and 4 conditions; together they leave one: AIDS.'
    >>> found = compose(["figure1.csv", "figure2.csv"], {"age": 45}, "condition")
    >>> found.posterior
    {'Cancer': Fraction(3, 7), 'Viral Infection': Fraction(4, 7)}
    """
    held = TableBelief.read(belief, prior, population)
    facts = _facts(known, sensitive)
    wanted = None if belief == "consistent" else list(facts)
    origins = named(tables)
    with opened() as connection:
        loaded = load_all(connection, origins, wanted, [sensitive])
        check_known(loaded, facts)
        _check_intervals(loaded, facts)
        seen = [_matching(table, facts) for table in loaded]
        counts = [_counts(table, rows, sensitive) for table, rows in zip(loaded, seen, strict=True)]
        cells = Sensitive(table.texts(sensitive) for table in loaded)
        evidence = tuple(
            _evidence(table, rows, one, cells)
            for table, rows, one in zip(loaded, seen, counts, strict=True)
        )
        numbers = None
        if belief == "consistent":
            numbers = _consistent(loaded, seen, facts, sensitive)
    if any(not cells.read[text].is_value for one in counts for text in one):
        held = replace(held, sets=True)
    choices = cells.choices(counts, numbers)
    told = [*choices, *(choice for one in counts if one for choice in cells.choices([one]))]
    return Composition(
        {column: str(value) for column, value in facts.items()},
        sensitive,
        evidence,
        dict(sorted(held.posterior(choices, cells).items())),
        dict(sorted(ways_of(choices).items())),
        held,
        frozenset(label for one, _, _ in told for label in one.sets),
        tuple(repeated(origins)),
    )


def _facts(known: Mapping[str, object], sensitive: str) -> dict[str, object]:
    given: object = known
    if not isinstance(given, Mapping):
        raise InvalidInput(f"known={given!r}: give a mapping such as {{'age': 28}}")
    if sensitive in known:
        raise InvalidInput(
            f"{sensitive!r} is what is attacked, so it cannot be known: leave it out of one of both"
        )
    facts: dict[str, object] = {}
    for column, value in known.items():
        text = text_of(value)
        if text is None or not text.strip():
            raise InvalidInput(f"nothing is said about the known {column!r}: leave it out")
        facts[column] = text.strip() if isinstance(value, str) else value
    return facts


# The rows of a table that can be the person's, as a condition with its values; and the known
# columns that no row allows by themselves, with its cells.
_Matching = tuple[str, tuple[str, ...], Mapping[str, tuple[str, ...]]]


def _matching(table: LoadedTable, facts: Mapping[str, object]) -> _Matching:
    conditions, values, excluded = [], [], {}
    for column, value in facts.items():
        if column not in table.columns:
            continue
        texts = table.texts(column)
        cells = column_cells(text for text in texts if text is not None)
        held = read_cell(value) if isinstance(value, str) else value
        allowed = [text for text, cell in cells.items() if cell.allows(held)]
        if not allowed and None not in texts:
            excluded[column] = tuple(cells)[:_SHOWN]
        # What is empty says nothing about anybody.
        name, marks = table.columns[column], ", ".join("?" * len(allowed)) or "NULL"
        conditions.append(f"({name} IS NULL OR {name} IN ({marks}))")
        values += allowed
    return " AND ".join(conditions) or "true", tuple(values), excluded


def _check_intervals(tables: Sequence[LoadedTable], facts: Mapping[str, object]) -> None:
    """Refuse a known interval that no number is in, unless a table has it as a value."""
    for column, value in facts.items():
        if not isinstance(value, str) or not is_empty_interval(value):
            continue
        if not any(value in table.texts(column) for table in tables if column in table.columns):
            raise InvalidInput(
                f"the known {column}={value} holds no number: write the lower end first, "
                "and square brackets at ends that belong to it"
            )


def _counts(table: LoadedTable, matching: _Matching, sensitive: str) -> dict[str | None, int]:
    name, (condition, values, _) = table.columns[sensitive], matching
    found = table.fetch(
        f"SELECT {name}, count(*) FROM {table.place} WHERE {condition} GROUP BY {name} "
        "ORDER BY min(rowid)",
        values,
    )
    return dict(found)


def _evidence(
    table: LoadedTable, matching: _Matching, counts: Mapping[str | None, int], cells: Sensitive
) -> Evidence:
    condition, values, excluded = matching
    numbers = table.fetch(
        f"SELECT rowid + 1 FROM {table.place} WHERE {condition} ORDER BY rowid LIMIT {_MOST_ROWS}",
        values,
    )
    return Evidence(
        table.name,
        table.rows,
        sum(counts.values()),
        tuple(row[0] for row in numbers),
        counts,
        tuple(sorted(ways_of(cells.choices([counts])))),
        excluded,
    )


def _consistent(
    tables: Sequence[LoadedTable],
    seen: Sequence[_Matching],
    facts: Mapping[str, object],
    sensitive: str,
) -> dict[Cells, int]:
    """Count the choices of rows that do not contradict each other in any shared column."""
    everywhere = [column for table in tables for column in table.columns]
    shared = {column for column in everywhere if everywhere.count(column) > 1 or column in facts}
    columns, groups = [], []
    for table, (condition, values, _) in zip(tables, seen, strict=True):
        here = [column for column in table.columns if column in shared and column != sensitive]
        cells = ", ".join(table.columns[column] for column in (*here, sensitive))
        found = table.fetch(
            f"SELECT {cells}, count(*) FROM {table.place} WHERE {condition} GROUP BY ALL",
            values,
        )
        columns.append(here)
        groups.append({row[:-1]: row[-1] for row in found})
    known = {column: str(value) for column, value in facts.items()}
    return consistent_choices(groups, columns, known)
