"""Composition: what several anonymised tables together say about a person.

Each table may hide everybody among many, and yet the tables together may leave one possibility (Wu,
Section 1.1, Figures 1 and 2). In each table the known values leave some rows; their sensitive
values are the candidates; a candidate of all tables together is one that each of them allows. This
is certain if the person is in all of the tables and these are true. The probabilities of the
candidates rest on a belief besides: `twoworlds.attacks.composition.beliefs` says which.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any

from twoworlds.attacks.composition.agreement import Candidate, Values, read_sensitive
from twoworlds.attacks.composition.beliefs import TableBelief, choices_of, ways_of
from twoworlds.attacks.composition.consistent import Cells, consistent_choices
from twoworlds.attacks.composition.sources import (
    Loaded,
    Origin,
    check_known,
    load_all,
    named,
    opened,
    repeated,
    text_of,
)
from twoworlds.attacks.composition.words import contradiction, outcome, who
from twoworlds.attacks.generalised import column_cells, is_empty_interval, read_cell
from twoworlds.errors import InvalidInput
from twoworlds.numbers import show, to_json

__all__ = ["Composition", "Evidence", "compose"]

_MOST_ROWS = 100
_SHOWN = 6
_MOST_DRAWN = 12


@dataclass(frozen=True)
class Evidence:
    """What one table says about the person.

    Attributes:
        name: What the table is called.
        size: How many rows it has.
        matching: How many of them can be the person's.
        rows: The numbers of these rows, from 1; the first hundred.
        counts: How many of them have which sensitive cell; None for an empty one.
        candidates: The sensitive values that they leave, sorted. A cell that lists several leaves
            each of them; one that lists none, such as an interval, is a candidate itself.
        excluded: Known columns that no row of the table allows by themselves, with its cells.
    """

    name: str
    size: int
    matching: int
    rows: tuple[int, ...]
    counts: Mapping[str | None, int]
    candidates: tuple[str, ...]
    excluded: Mapping[str, tuple[str, ...]]

    @property
    def frequencies(self) -> dict[str, Fraction]:
        """The share of the matching rows that each sensitive cell has, as it is published."""
        return {
            "anything" if text is None else text: Fraction(number, self.matching)
            for text, number in self.counts.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "table": self.name,
            "rows": self.size,
            "matching": self.matching,
            "matching_rows": list(self.rows),
            "leaves": list(self.candidates),
            "candidates": {v: to_json(share) for v, share in self.frequencies.items()},
            "excluded": {column: list(cells) for column, cells in self.excluded.items()},
        }


@dataclass(frozen=True)
class Composition:
    """What is left of a person's secret when all tables are put together.

    Attributes:
        known: What is known about the person, by column.
        sensitive: The column that is attacked.
        tables: What each table says.
        posterior: The values that all tables together leave, each with its probability. Where
            cells are sets these are not the candidates: a set is spread over its values.
        ways: For each candidate, how many choices of a matching row in every table say it.
        belief: What the probabilities rest on.
        sets: Those of the candidates, of one table or all, that are sets.
        notes: What to beware of, in sentences.
    """

    known: Mapping[str, str]
    sensitive: str
    tables: tuple[Evidence, ...]
    posterior: Mapping[str, Fraction]
    ways: Mapping[str, int]
    belief: TableBelief
    sets: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @property
    def candidates(self) -> tuple[str, ...]:
        """What all tables together leave, sorted."""
        return tuple(sorted(self.ways))

    @property
    def sentence(self) -> str:
        """The outcome in one or two sentences."""
        absent = {table.name: table.excluded for table in self.tables if not table.matching}
        if absent:
            return contradiction(absent, self.known)
        left = [table.candidates for table in self.tables]
        names = [table.name for table in self.tables]
        said = outcome(self.sensitive, names, left, self.candidates, self.sets)
        if self.ways and not self.posterior:
            said += " The prior rules out each of them."
        return said

    @property
    def footing(self) -> str:
        """What the candidates and their probabilities rest on."""
        first, *others = self.belief.assumptions
        return (
            f"The candidates rest on this: {first}. Their probabilities rest on this as well: "
            f"{'; '.join(others)}."
        )

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

    def explain(self) -> str:
        """Say what each table leaves, what all leave together, and what it rests on."""
        lines = [f"{who(self.known)} {self.sentence}", ""]
        for table in self.tables:
            shares = ", ".join(f"{v} {share}" for v, share in table.frequencies.items())
            lines.append(
                f"  {table.name}: {table.matching} of {table.size} rows match"
                + (f" ({shares})" if shares else "")
            )
        if self.posterior:
            together = ", ".join(f"{v} {show(share)}" for v, share in self.posterior.items())
            lines.append(f"  together: {together}")
            lines += ["", self.footing]
        if self.notes:
            lines += ["", *self.notes]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {
            "sentence": self.sentence,
            "known": dict(self.known),
            "sensitive": self.sensitive,
            "tables": [table.to_dict() for table in self.tables],
            "candidates": list(self.candidates),
            "posterior": {v: to_json(share) for v, share in self.posterior.items()},
            "ways": dict(self.ways),
            **self.belief.to_dict(),
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        """Show a compact card in a notebook."""
        from twoworlds.cards import Bar, belief_chart, card

        bars = [Bar(v, float(share)) for v, share in self.posterior.items()][:_MOST_DRAWN]
        title = "What is believed after both tables"
        chart = belief_chart(title, [("", bars)], self.sentence, width=420)
        return card("", sentences=[self.sentence], inside=[chart] if bars else [])


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

    Raises:
        InvalidInput: for tables that cannot be read, columns that are missing, or odd weights.
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
        counted = [
            _counts(table, rows, sensitive) for table, rows in zip(loaded, seen, strict=True)
        ]
        read = read_sensitive(counted)
        if any(one.value is None for one in read.values()):
            held = replace(held, sets=True)
            read = read_sensitive(table.texts(sensitive) for table in loaded)
        values = Values(read.values())
        evidence = tuple(
            _evidence(table, rows, counts, _named(counts, read, values))
            for table, rows, counts in zip(loaded, seen, counted, strict=True)
        )
        choices = None
        if belief == "consistent":
            choices = _consistent(loaded, seen, facts, sensitive)
    agreed = choices_of(counted, read, choices)
    told = [*(candidate for candidate, _, _ in agreed), *(read[t] for one in counted for t in one)]
    return Composition(
        {column: str(value) for column, value in facts.items()},
        sensitive,
        evidence,
        dict(sorted(held.posterior(agreed, values).items())),
        dict(sorted(ways_of(agreed, values).items())),
        held,
        frozenset(label for candidate in told for label in values.sets(candidate)),
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


@dataclass(frozen=True)
class _Matching:
    """The rows of a table that can be the person's, as a condition with its values."""

    condition: str
    values: tuple[str, ...]
    excluded: Mapping[str, tuple[str, ...]]


def _matching(table: Loaded, facts: Mapping[str, object]) -> _Matching:
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
    return _Matching(" AND ".join(conditions) or "true", tuple(values), excluded)


def _check_intervals(tables: Sequence[Loaded], facts: Mapping[str, object]) -> None:
    """Refuse a known interval that no number is in, unless a table has it as a value."""
    for column, value in facts.items():
        if not isinstance(value, str) or not is_empty_interval(value):
            continue
        if not any(value in table.texts(column) for table in tables if column in table.columns):
            raise InvalidInput(
                f"the known {column}={value} holds no number: write the lower end first, "
                "and square brackets at ends that belong to it"
            )


def _counts(table: Loaded, matching: _Matching, sensitive: str) -> dict[str | None, int]:
    name = table.columns[sensitive]
    found = table.fetch(
        f"SELECT {name}, count(*) FROM {table.table} WHERE {matching.condition} GROUP BY {name} "
        "ORDER BY min(rowid)",
        matching.values,
    )
    return dict(found)


def _named(
    texts: Iterable[str | None], read: Mapping[str | None, Candidate], values: Values
) -> set[str]:
    return {label for text in texts for label in values.alternatives(read[text])}


def _evidence(
    table: Loaded, matching: _Matching, counts: Mapping[str | None, int], candidates: Iterable[str]
) -> Evidence:
    numbers = table.fetch(
        f"SELECT rowid + 1 FROM {table.table} WHERE {matching.condition} ORDER BY rowid "
        f"LIMIT {_MOST_ROWS}",
        matching.values,
    )
    return Evidence(
        table.name,
        table.rows,
        sum(counts.values()),
        tuple(row[0] for row in numbers),
        counts,
        tuple(sorted(candidates)),
        matching.excluded,
    )


def _consistent(
    tables: Sequence[Loaded],
    seen: Sequence[_Matching],
    facts: Mapping[str, object],
    sensitive: str,
) -> dict[Cells, int]:
    """Count the choices of rows that do not contradict each other in any shared column."""
    everywhere = [column for table in tables for column in table.columns]
    shared = {column for column in everywhere if everywhere.count(column) > 1 or column in facts}
    columns, groups = [], []
    for table, matching in zip(tables, seen, strict=True):
        here = [column for column in table.columns if column in shared and column != sensitive]
        cells = ", ".join(table.columns[column] for column in (*here, sensitive))
        found = table.fetch(
            f"SELECT {cells}, count(*) FROM {table.table} WHERE {matching.condition} GROUP BY ALL",
            matching.values,
        )
        columns.append(here)
        groups.append({row[:-1]: row[-1] for row in found})
    known = {column: str(value) for column, value in facts.items()}
    return consistent_choices(groups, columns, known)
