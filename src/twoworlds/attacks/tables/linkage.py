"""Linkage: a register of names against a published table, and who can be behind which rows.

What is known is compatible with a cell when some value is in both. A cell that is missing (None)
says nothing and is compatible with everything, and so is a value that is not known. `KnownValues`
finds the compatible pairs of many known values and cells.

A record of the register *matches* a record of a table when they are compatible on the known columns
that both have; an empty cell says nothing. People of whom the same is known are one *profile*, and
rows with the same cells one *group*. Which profile can stand behind which group is found column by
column on distinct texts, of which there are few (`KnownValues`), and put together by joins in
DuckDB. People who match the same groups of every table are one *kind*: whatever the tables leave
them, they leave all of them.

Wu, Section 1.1, says of a k-anonymous table that each of its records matches at least k records of
the register. That is not so: what is true is the reverse.

    Each record of the register matches no record of the table, or at least k of them.

Proof: the table is k-anonymous on these columns, so each record has the same cells as at least
k - 1 others, and whoever matches it matches all of these. It holds as well where groups overlap;
then a person may match several groups. Differs: a record of the table may match fewer than k people
of the register, or one, who is then named (erratum to Wu, Section 1.1); `link` of the bundled
``register.csv`` and ``figure1.csv`` shows it.

Probabilities rest on what each direction says: the person is in the table and each matching row is
equally likely theirs; or the register holds everybody in the table, and each matching person is
equally likely to be behind a row.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.attacks.tables.beliefs import read_sensitive
from twoworlds.attacks.tables.cells import (
    Alternative,
    Cell,
    Interval,
    Mask,
    Value,
    column_cells,
    read_cell,
)
from twoworlds.attacks.tables.table import (
    LoadedTable,
    Origin,
    listed,
    load,
    named,
    named_columns,
    opened,
)
from twoworlds.charts import Bars
from twoworlds.numbers import counted
from twoworlds.progress import track
from twoworlds.show import Told

_MOST_NUMBERS = 12


def link(
    register: Origin,
    table: Origin,
    on: str | Sequence[str],
    *,
    sensitive: str | None = None,
    most: int = 10,
) -> Told:
    """Count which records of a register and of a published table can be the same person's.

    Args:
        register: Outside records with names: a path, a list of rows or a data frame.
        table: The published table, raw or generalised; likewise.
        on: The columns to compare, which both have.
        sensitive: A column of the table; what it says of each person is worked out as well.
        most: How many people are listed.

    >>> found = link("register.csv", "figure1.csv", on=["zip", "age"]).data
    >>> found["people_by_matching_rows"], found["rows_by_matching_people"]
    ({0: 1, 4: 5}, {1: 4, 2: 8})
    """
    columns = named_columns(on, "on", sensitive)
    needed = columns if sensitive is None else [*columns, sensitive]
    (first, _), (second, _) = named([register, table])
    jobs = [(first, register, None, columns), (second, table, needed, needed)]
    with opened() as connection:
        people, rows = (load(connection, *job) for job in track(jobs, "reading tables", total=2))
        match(people, [rows], columns, sensitive)
        found = _counts(people, rows, columns, sensitive, most)
    said = " ".join([_sentence(found), *_remarks(found)])
    answer = Answer.of(said, *_blocks(found, sensitive))
    return Told(answer, {"sentence": _sentence(found), **found})


def _counts(
    register: LoadedTable,
    table: LoadedTable,
    columns: Sequence[str],
    sensitive: str | None,
    most: int,
) -> dict[str, Any]:
    """Count the rows that each person matches, and the people whom each row does."""
    matched = {one.id: one for one in kinds(register, 1)}
    sizes = dict(register.fetch("SELECT id, size FROM groups0"))
    rows = {kind: sum(one.counts[0].values()) for kind, one in matched.items()}
    people, outside, inside = Counter[int](), Counter[int](), Counter[int]()
    for kind, one in matched.items():
        outside[rows[kind]] += one.people
        for group in one.groups[0]:
            people[group] += one.people
    for group, size in sizes.items():
        inside[people[group]] += size
    rivals = {
        kind: min(people[group] for group in matched[kind].groups[0]) for kind in rows if rows[kind]
    }
    ranks = {kind: (rows[kind], few) for kind, few in rivals.items()}
    read = read_sensitive([table.texts(sensitive)]) if sensitive else {}
    links = tuple(
        {
            "row": row,
            "person": register.row(row),
            "matching_rows": rows[kind],
            "rivals": rivals[kind] - 1,
            "values": _shares(matched[kind].counts[0]) if sensitive else {},
        }
        for row, kind in first_rows(register, ranks, columns, most)
    )
    matching = register.rows - outside[0]
    beyond = sum(max(size - people[group], 0) for group, size in sizes.items())
    return {
        "register": register.name,
        "table": table.name,
        "on": tuple(columns),
        "people": register.rows,
        "rows": table.rows,
        "k": min(sizes.values()),  # of the smallest group of rows with equal cells on these columns
        "people_by_matching_rows": dict(sorted(outside.items())),
        "rows_by_matching_people": dict(sorted(inside.items())),
        "people_with_one_row": outside[1],
        "rows_with_one_person": inside[1],
        "one_to_one": sum(matched[kind].people for kind in ranks if ranks[kind] == (1, 1)),
        # If each row is another person's: those beyond the people who match them, in each group or
        # in all
        "rows_of_people_not_in_register_at_least": max(beyond, table.rows - matching),
        "people_in_several_groups": sum(
            one.people for one in matched.values() if len(one.groups[0]) > 1
        ),
        # Those who match rows of one sensitive value only
        "people_pinned": None
        if sensitive is None
        else sum(
            one.people
            for one in matched.values()
            if len(one.counts[0]) == 1 and all(read[text].is_value for text in one.counts[0])
        ),
        "links": links,
        "links_left_out": matching - len(links),
    }


def _shares(counts: Mapping[str | None, int]) -> dict[str, Fraction]:
    """Return the share of each sensitive cell, the largest first."""
    named = {"anything" if text is None else text: n for text, n in counts.items()}
    order = sorted(named, key=lambda text: (-named[text], text))
    return {text: Fraction(named[text], sum(named.values())) for text in order}


def _sentence(found: Mapping[str, Any]) -> str:
    """Say the outcome in a few sentences."""
    register, table, on = found["register"], found["table"], listed(found["on"])
    matching = {n: people for n, people in found["people_by_matching_rows"].items() if n}
    if not matching:
        return f"Nobody of {register} matches a row of {table} by {on}."
    many, unique, one = (
        sum(matching.values()),
        found["people_with_one_row"],
        found["rows_with_one_person"],
    )
    each = "it is theirs" if one == 1 else "each is theirs"
    return (
        f"{many:,} of {found['people']:,} people of {register} {_match(many)} rows of "
        f"{table} by {on}, each of them at least {counted(min(matching), 'row')}: the table "
        f"is {found['k']}-anonymous on these columns. "
        f"{unique:,} of them {_match(unique)} exactly one row. "
        f"{counted(one, 'row')} of the table {_match(one)} exactly one person: "
        f"{each}, or somebody's who is not in {register}."
    )


def _match(number: int) -> str:
    return "matches" if number == 1 else "match"


def _remarks(found: Mapping[str, Any]) -> Iterator[str]:
    k, pinned = found["k"], found["people_pinned"]
    short = sum(rows for n, rows in found["rows_by_matching_people"].items() if 0 < n < k)
    if short:
        yield (
            f"{short:,} of the {found['rows']:,} rows match fewer than {k} people: "
            "k-anonymity promises nothing about that, only that each person matches no row or "
            f"at least {k} of them."
        )
    if missing := found["rows_of_people_not_in_register_at_least"]:
        yield (
            f"If each row is another person's, at least {missing:,} of the rows belong to "
            f"people who are not in {found['register']}."
        )
    if overlapping := found["people_in_several_groups"]:
        yield (
            f"Groups overlap: {overlapping:,} of the people match rows of several groups "
            "with different cells, so they are hidden among more rows than one group has."
        )
    if pinned == 0:
        yield "Nobody's matching rows all have one sensitive value."
    elif pinned is not None:
        yield (
            f"Of {counted(pinned, 'person')} all matching rows have one sensitive value: "
            "it is given away without a link to one row, if they are in the table."
        )


def _blocks(found: Mapping[str, Any], sensitive: str | None) -> Iterator[Block]:
    outside, inside = found["people_by_matching_rows"], found["rows_by_matching_people"]
    numbers = sorted({*outside, *inside})
    shown = numbers if len(numbers) <= _MOST_NUMBERS else [*numbers[:10], *numbers[-2:]]
    yield Table(
        ["matches", "people with so many rows", "rows with so many people"],
        [[f"{n:,}", f"{outside.get(n, 0):,}", f"{inside.get(n, 0):,}"] for n in shown],
    )
    if left := len(numbers) - len(shown):
        yield Said([f"{left:,} numbers in between are left out; --json has all of them."])
    if links := found["links"]:
        columns = list(links[0]["person"])
        values = [] if sensitive is None else [sensitive]
        rows = [
            [
                str(one["row"]),
                *(one["person"][column] or "" for column in columns),
                f"{one['matching_rows']:,}",
                f"{one['rivals']:,}",
                *(", ".join(f"{v} {n}" for v, n in one["values"].items()) for _ in values),
            ]
            for one in links
        ]
        yield Table(["row", *columns, "matching rows", "rivals", *values], rows)
    if left := found["links_left_out"]:
        match = "person matches rows and is" if left == 1 else "people match rows and are"
        yield Said([f"{left:,} more {match} left out: link(..., most=N) in Python lists N."])
    rows_of = {0: "no row", 1: "1 row"}
    drawn = {rows_of.get(n, f"{n:,} rows"): outside[n] for n in sorted(outside)}
    yield Bars("People who match so many rows", drawn, share=False, orange=["1 row"])


# --- who can be behind which rows -----------------------------------------------------------------

_Shape = tuple[int, tuple[int, ...]]  # how long a mask is, and which places it shows


class KnownValues:
    """Distinct known values of one column; None where nothing is known.

    They are indexed, so that a column of many distinct texts is not compared one by one with many
    people: numbers are sorted for intervals, texts are looked up by the characters that a mask
    shows. The index only proposes; `Cell.meets` decides.
    """

    def __init__(self, texts: Iterable[str | None]) -> None:
        listed = list(texts)
        self._unknown = None in listed
        self._cells = {text: read_cell(text) for text in listed if text is not None}
        self._values = {
            text: value
            for text, one in self._cells.items()
            if isinstance(value := one.alternatives[0], Value) and one.is_value
        }
        self._sets = [text for text in self._cells if text not in self._values]
        self._by_text: dict[str, list[str]] = {}
        self._by_number: dict[Fraction, list[str]] = {}
        for text, value in self._values.items():
            self._by_text.setdefault(value.text, []).append(text)
            if (number := value.number) is not None:
                self._by_number.setdefault(number, []).append(text)
        self._numbers = sorted(self._by_number)
        self._shown: dict[_Shape, dict[str, list[str]]] = {}

    def behind(self, cell: Cell) -> set[str]:
        """Return the known values with which a cell is compatible."""
        if cell.is_anything:
            return set(self._cells)
        proposed = {
            *self._sets,
            *(text for one in cell.alternatives for text in self._proposed(one)),
        }
        return {text for text in proposed if cell.meets(self._cells[text])}

    def pairs(self, texts: Iterable[str | None]) -> Iterator[tuple[str | None, str | None]]:
        """Yield each known value with each cell of a column that are compatible."""
        listed = list(texts)
        cells = column_cells(text for text in listed if text is not None)
        for text in listed:
            for value in self._cells if text is None else self.behind(cells[text]):
                yield value, text
            if self._unknown:
                yield None, text

    def _proposed(self, one: Alternative) -> Iterable[str]:
        if isinstance(one, Mask):
            return self._fitting(one)
        if isinstance(one, Value):
            same = self._by_number.get(one.key, ()) if isinstance(one.key, Fraction) else ()
            return {*self._by_text.get(one.text, ()), *same}
        assert isinstance(one, Interval)
        numbers = self._numbers
        first = 0 if one.low is None else bisect_left(numbers, one.low)
        last = len(numbers) if one.high is None else bisect_right(numbers, one.high)
        return [text for number in numbers[first:last] for text in self._by_number[number]]

    def _fitting(self, mask: Mask) -> Iterable[str]:
        shape = _shape(mask.text)
        if shape not in self._shown:
            found: dict[str, list[str]] = {}
            self._shown[shape] = found
            for text, value in self._values.items():
                if len(value.text) == shape[0]:
                    found.setdefault(_shown(value.text, shape[1]), []).append(text)
        return self._shown[shape].get(_shown(mask.text, shape[1]), ())


def _shape(pattern: str) -> _Shape:
    return len(pattern), tuple(i for i, character in enumerate(pattern) if character != "*")


def _shown(text: str, places: Iterable[int]) -> str:
    return "".join(text[place] for place in places)


class MatchedPeople(NamedTuple):
    """People who match the same groups in every table."""

    id: int
    people: int  # how many they are
    groups: tuple[tuple[int, ...], ...]  # for each table the groups that they match
    # For each table the sensitive cells of the matching rows, and how many rows have each
    counts: tuple[Mapping[str | None, int], ...]


def match(
    register: LoadedTable,
    tables: Sequence[LoadedTable],
    columns: Sequence[str],
    sensitive: str | None = None,
) -> None:
    """Make the tables by which a register and published tables are compared.

    ``profiles`` and, for the i-th table, ``groups<i>``: id, cells k0, k1, ..., size, first row;
    ``pairs<i>_<n>``: the known values and the cells of its n-th known column that are compatible;
    ``matches<i>``: the pairs of profile and group_ that are; ``said<i>``: the sensitive cells of
    each group, id, value, and how many of its rows have each, size.
    """
    _make_groups(register, columns, "profiles")
    known = {column: KnownValues(register.texts(column)) for column in columns}
    for i, table in enumerate(track(tables, "matching people", total=len(tables))):
        _make_groups(table, columns, f"groups{i}")
        _make_matches(table, known, i)
        cells = [table.columns[column] for column in columns if column in table.columns]
        cells.append(f"{table.columns[sensitive] if sensitive else 'NULL'} AS value")
        table.connection.execute(
            f"CREATE TABLE said{i} AS SELECT g.id, t.value, t.size FROM (SELECT "
            f"{', '.join(cells)}, count(*) AS size FROM {table.place} GROUP BY ALL) AS t "
            f"JOIN groups{i} AS g ON {same_cells(table, columns, 'g', 't')}"
        )


def same_cells(table: LoadedTable, columns: Iterable[str], group: str, row: str) -> str:
    """Return the condition that joins groups with their rows."""
    here = [table.columns[column] for column in columns if column in table.columns]
    same = (f"{group}.k{i} IS NOT DISTINCT FROM {row}.{name}" for i, name in enumerate(here))
    return " AND ".join(same) or "true"


def kinds(register: LoadedTable, tables: int) -> list[MatchedPeople]:
    """Make ``signed``, the profiles with their kinds, and return these, in order of first rows."""
    run, keys = register.connection.execute, ", ".join(f"sign{i}" for i in range(tables))
    joins = "".join(
        f" LEFT JOIN (SELECT profile, list(group_ ORDER BY group_) AS sign{i} FROM matches{i} "
        f"GROUP BY profile) AS s{i} ON s{i}.profile = profiles.id"
        for i in range(tables)
    )
    run(
        f"CREATE TABLE signed AS SELECT profiles.*, {keys}, dense_rank() OVER (ORDER BY {keys}) "
        f"AS kind FROM profiles{joins}"
    )
    said: list[dict[int, dict[str | None, int]]] = [{} for _ in range(tables)]
    for i, groups in enumerate(said):
        for group, value, size in register.fetch(f"FROM said{i} ORDER BY ALL"):
            groups.setdefault(group, {})[value] = size
    counted: dict[tuple[int, tuple[int, ...]], Counter[str | None]] = {}
    found = []
    for *signs, people, kind in register.fetch(
        f"SELECT {keys}, sum(size)::BIGINT, kind FROM signed GROUP BY {keys}, kind "
        f"ORDER BY min(first)"
    ):
        mine = tuple(tuple(sign or ()) for sign in signs)
        for key in enumerate(mine):
            if key not in counted:
                counted[key] = Counter()
                for group in key[1]:
                    counted[key].update(said[key[0]][group])
        counts = tuple(counted[key] for key in enumerate(mine))
        found.append(MatchedPeople(kind, people, mine, counts))
    return found


def first_rows(
    register: LoadedTable, ranks: Mapping[int, Any], known: Sequence[str], most: int
) -> list[tuple[int, int]]:
    """Return the first rows and their kinds, by the ranks of kinds, then by row.

    The kinds come as `kinds` returns them, so no others than the first ones are needed.
    """
    chosen = ", ".join(map(str, sorted(ranks, key=lambda kind: ranks[kind])[:most])) or "NULL"
    rows = register.fetch(
        f"SELECT r.rowid + 1, p.kind FROM signed AS p JOIN {register.place} AS r ON "
        f"{same_cells(register, known, 'p', 'r')} WHERE p.kind IN ({chosen}) "
        f"QUALIFY row_number() OVER (PARTITION BY p.kind ORDER BY r.rowid) <= {int(most)}"
    )
    return sorted(rows, key=lambda one: (ranks[one[1]], one[0]))[:most]


def _make_groups(table: LoadedTable, columns: Iterable[str], place: str) -> None:
    here = [table.columns[column] for column in columns if column in table.columns]
    keys = "".join(f", {name} AS k{i}" for i, name in enumerate(here))
    by = f" GROUP BY {', '.join(here)}" if here else ""
    table.connection.execute(
        f"CREATE TABLE {place} AS SELECT row_number() OVER () AS id{keys}, "
        f"count(*) AS size, min(rowid) + 1 AS first FROM {table.place}{by}"
    )


def _make_matches(table: LoadedTable, known: Mapping[str, KnownValues], i: int) -> None:
    joins, cells = [], []
    shared = [(place, column) for place, column in enumerate(known) if column in table.columns]
    for number, (mine, column) in enumerate(shared):
        pairs = f"pairs{i}_{number}"
        columns = [*zip(*known[column].pairs(table.texts(column)), strict=True)] or [(), ()]
        table.connection.execute(
            f"CREATE TABLE {pairs} AS SELECT unnest(?::VARCHAR[]) AS value, "
            "unnest(?::VARCHAR[]) AS cell",
            [list(one) for one in columns],
        )
        joins.append(f"JOIN {pairs} AS m{number} ON p.k{mine} IS NOT DISTINCT FROM m{number}.value")
        cells.append(f"g.k{number} IS NOT DISTINCT FROM m{number}.cell")
    table.connection.execute(
        f"CREATE TABLE matches{i} AS SELECT p.id AS profile, g.id AS group_ FROM profiles AS p "
        f"{' '.join(joins)} JOIN groups{i} AS g ON {' AND '.join(cells) or 'true'}"
    )
