"""Composition: what several anonymised tables together say about a person.

Each table may hide everybody among many, and yet the tables together may leave one possibility (Wu,
Section 1.1, Figures 1 and 2). In each table the known values leave some rows; their sensitive
values are the candidates; a candidate of all tables together is one that each of them allows. This
is certain if the person is in all of the tables and these are true. The probabilities of the
candidates rest on a belief besides: `twoworlds.attacks.tables.beliefs` says which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.attacks.tables.beliefs import Cells, Sensitive, TableBelief, consistent_choices
from twoworlds.attacks.tables.cells import is_empty_interval
from twoworlds.attacks.tables.linkage import kinds, match, same_cells
from twoworlds.attacks.tables.table import (
    LoadedTable,
    Origin,
    check_known,
    listed,
    load,
    load_all,
    named,
    opened,
    repeated,
    text_of,
)
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput
from twoworlds.numbers import counted, plural, rational, show
from twoworlds.show import Told

_MOST_ROWS = 100
_SHOWN = 6
_MOST_DRAWN = 12


def compose(
    tables: Sequence[Origin] | Mapping[str, Origin],
    known: Mapping[str, object],
    sensitive: str,
    *,
    belief: str = "independent",
    prior: str | Mapping[str, object] | None = None,
    population: str | Mapping[str, object] | None = None,
) -> Told:
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
    >>> found.data["sentence"]
    'Each table alone leaves 3 and 4 conditions; together they leave one: AIDS.'
    >>> found = compose(["figure1.csv", "figure2.csv"], {"age": 45}, "condition")
    >>> found.data["posterior"]
    {'Cancer': Fraction(3, 7), 'Viral Infection': Fraction(4, 7)}
    """
    held = TableBelief.read(belief, prior, population)
    facts = _facts(known, sensitive)
    columns = list(facts)
    origins = named(tables)
    with opened() as connection:
        wanted = None if belief == "consistent" else columns
        loaded = load_all(connection, origins, wanted, [sensitive])
        check_known(loaded, facts)
        _check_intervals(loaded, facts)
        # A register of one person; of somebody of whom nothing is known it has a row all the same.
        person = load(connection, "the person", [{**facts, "": "1"}], columns)
        match(person, loaded, columns, sensitive)
        [kind] = kinds(person, len(loaded))
        cells = Sensitive(table.texts(sensitive) for table in loaded)
        left = [cells.choices([counts]) for counts in kind.counts]
        numbers = None
        if belief == "consistent":
            numbers = _consistent(loaded, facts, sensitive)
        choices = cells.choices(kind.counts, numbers)
        told = [way for some in (choices, *left) for way in some]
        evidence = tuple(
            _evidence(table, i, columns, kind.counts[i], tuple(sorted(cells.ways(left[i]))))
            for i, table in enumerate(loaded)
        )
    if any(not cells.read[text].is_value for counts in kind.counts for text in counts):
        held = replace(held, sets=True)
    ways = dict(sorted(cells.ways(choices).items()))
    posterior = dict(sorted(held.posterior(choices, cells).items()))
    sets = {label for way in told for label, is_set in cells.named(way[0]).items() if is_set}
    said = _sentence(evidence, facts, sensitive, tuple(ways), sets)
    if ways and not posterior:
        said += " The prior rules out each of them."
    stated = listed([f"{column} is {value}" for column, value in facts.items()])
    known_ = f"it is known that {stated}" if stated else "nothing is known"
    notes = tuple(repeated(origins))
    blocks = _blocks(evidence, sensitive, posterior, held)
    return Told(
        Answer.of(f"{said} Of this person {known_}.", *blocks, notes=notes),
        {
            "sentence": said,
            "known": facts,
            "sensitive": sensitive,
            "tables": evidence,
            "candidates": tuple(ways),
            # A set is spread over its values, so these need not be the candidates.
            "posterior": posterior,
            # For each candidate, how many choices of a matching row in every table say it
            "ways": ways,
            **held.fields(),
            "notes": notes,
        },
    )


def _sentence(
    tables: Sequence[Mapping[str, Any]],
    known: Mapping[str, str],
    sensitive: str,
    candidates: Sequence[str],
    sets: set[str],
) -> str:
    """Say what each table leaves, and all of them together; a set cannot be counted."""
    if absent := [one for one in tables if not one["matching"]]:
        return _contradiction(absent, known)
    first, *others = tables
    if not others:
        number = f"{counted(len(first['leaves']), sensitive)}: "
        alone = "" if sets.intersection(first["leaves"]) else number
        return f"{first['table']} leaves {alone}{listed(candidates, 'or')}."
    alone = _alone(tables, sensitive, sets)
    if not candidates:
        return (
            f"{alone}; together they leave none: the tables contradict each other, so "
            "this person is missing from one of them, or something known is wrong."
        )
    one_left, uncounted = len(candidates) == 1, sets.intersection(candidates)
    number = "" if uncounted else f"{'one' if one_left else len(candidates)}: "
    said = f"{alone}; together they leave {number}{listed(candidates, 'or')}."
    certain = [
        one["table"]
        for one in tables
        if len(one["leaves"]) == 1 and not sets.intersection(one["leaves"])
    ]
    if one_left and not uncounted and certain:
        says = "says" if len(certain) == 1 else "say"
        said += f" {listed(certain)} alone {says} it already."
    return said


def _alone(tables: Sequence[Mapping[str, Any]], sensitive: str, sets: set[str]) -> str:
    """Say what each table leaves by itself."""
    left = [one["leaves"] for one in tables]
    if any(map(sets.intersection, left)):
        parts = []
        for one, some in zip(tables, left, strict=True):
            number = counted(len(some), sensitive)
            shown = listed(some, "or") if sets.intersection(some) else number
            parts.append(f"{one['table']} leaves {shown}")
        return f"Alone, {listed(parts)}"
    if {*map(len, left)} == {1}:
        return f"Each table alone leaves {counted(1, sensitive)}"
    several = listed([f"{len(some):,}" for some in left])
    return f"Each table alone leaves {several} {plural(sensitive)}"


def _contradiction(absent: Sequence[Mapping[str, Any]], known: Mapping[str, str]) -> str:
    """Say which tables exclude the person, and by which columns."""
    reasons = []
    for one in absent:
        start = f"no row of {one['table']} matches"
        reasons += [
            f"{start} {column}={known[column]} (there it is {listed(cells, 'or')})"
            for column, cells in one["excluded"].items()
        ]
        if not one["excluded"]:
            together = listed([f"{column}={value}" for column, value in known.items()])
            reasons.append(f"{start} {together} together")
    return (
        f"Nobody matches: {'; '.join(reasons)}. So this person is not in "
        f"{listed([one['table'] for one in absent])}, or something known is wrong: no "
        "candidate is left."
    )


def _blocks(
    tables: Sequence[Mapping[str, Any]],
    sensitive: str,
    posterior: Mapping[str, Fraction],
    belief: TableBelief,
) -> Iterator[Block]:
    shares = [one["candidates"] for one in tables]
    rows = [
        [
            value,
            *(str(share.get(value, "-")) for share in shares),
            show(posterior[value]) if value in posterior else "-",
        ]
        for value in sorted({value for share in (*shares, posterior) for value in share})
    ]
    if rows:
        yield Table([sensitive, *(one["table"] for one in tables), "together"], rows)
    matching = (
        f"{one['table']}: {one['matching']:,} of {one['rows']:,} rows match" for one in tables
    )
    yield Said([f"{'; '.join(matching)}."])
    if posterior:
        first, *others = belief.assumptions
        yield Said(
            [
                f"The candidates rest on this: {first}. Their probabilities rest on this as "
                f"well: {'; '.join(others)}."
            ]
        )
        drawn = dict([*posterior.items()][:_MOST_DRAWN])
        yield Bars("What is believed after all tables", drawn)


def _facts(known: Mapping[str, object], sensitive: str) -> dict[str, str]:
    """Return what is known as texts."""
    given: object = known
    if not isinstance(given, Mapping):
        raise InvalidInput(f"known={given!r}: give a mapping such as {{'age': 28}}")
    if sensitive in known:
        raise InvalidInput(
            f"{sensitive!r} is what is attacked, so it cannot be known: leave it out of one of both"
        )
    facts = {}
    for column, value in known.items():
        text = (text_of(value) or "").strip()
        if not text:
            raise InvalidInput(f"nothing is said about the known {column!r}: leave it out")
        if isinstance(value, float) and rational(value, f"the known {column!r}").denominator == 1:
            text = str(int(value))
        facts[column] = text
    return facts


def _check_intervals(tables: Sequence[LoadedTable], facts: Mapping[str, str]) -> None:
    """Refuse a known interval that no number is in, unless a table has it as a value."""
    for column, value in facts.items():
        if is_empty_interval(value) and not any(
            value in table.texts(column) for table in tables if column in table.columns
        ):
            raise InvalidInput(
                f"the known {column}={value} holds no number: write the lower end first, "
                "and square brackets at ends that belong to it"
            )


def _rows(table: LoadedTable, i: int, columns: Sequence[str]) -> str:
    """Return the rows that can be the person's, as a part of a statement."""
    return (
        f"FROM {table.place} AS t JOIN groups{i} AS g ON {same_cells(table, columns, 'g', 't')} "
        f"JOIN matches{i} ON group_ = g.id"
    )


def _evidence(
    table: LoadedTable,
    i: int,
    columns: Sequence[str],
    counts: Mapping[str | None, int],
    candidates: tuple[str, ...],
) -> dict[str, Any]:
    """Return which rows of a table can be the person's, the first hundred, and what they leave.

    A cell that lists several values leaves each of them; one that lists none is a candidate itself.
    """
    matching = sum(counts.values())
    rows = table.fetch(
        f"SELECT t.rowid + 1 {_rows(table, i, columns)} ORDER BY 1 LIMIT {_MOST_ROWS}"
    )
    excluded = {}
    for number, column in enumerate(one for one in columns if one in table.columns):
        if not table.fetch(f"SELECT 1 FROM pairs{i}_{number} LIMIT 1"):
            excluded[column] = tuple(text for text in table.texts(column) if text)[:_SHOWN]
    return {
        "table": table.name,
        "rows": table.rows,
        "matching": matching,
        "matching_rows": tuple(row for (row,) in rows),
        "leaves": candidates,
        "candidates": {
            "anything" if text is None else text: Fraction(number, matching)
            for text, number in sorted(counts.items(), key=lambda one: one[0] or "")
        },
        "excluded": excluded,
    }


def _consistent(
    tables: Sequence[LoadedTable], facts: Mapping[str, str], sensitive: str
) -> dict[Cells, int]:
    """Count the choices of rows that do not contradict each other in any shared column."""
    everywhere = [column for table in tables for column in table.columns]
    shared = {column for column in everywhere if everywhere.count(column) > 1 or column in facts}
    columns, groups = [], []
    for i, table in enumerate(tables):
        here = [column for column in table.columns if column in shared and column != sensitive]
        cells = ", ".join(f"t.{table.columns[column]}" for column in (*here, sensitive))
        found = table.fetch(f"SELECT {cells}, count(*) {_rows(table, i, [*facts])} GROUP BY ALL")
        columns.append(here)
        groups.append({row[:-1]: row[-1] for row in found})
    return consistent_choices(groups, columns, facts)
