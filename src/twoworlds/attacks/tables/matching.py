"""Who can be behind which rows: the people of a register, and the groups of published tables.

A record of the register *matches* a record of a table when they are compatible on the known columns
that both have; an empty cell says nothing. People of whom the same is known are one *profile*, and
rows with the same cells one *group*. Which profile can stand behind which group is found column by
column on distinct texts, of which there are few (`twoworlds.attacks.tables.knowledge.KnownValues`),
and put together by joins in DuckDB. People who match the same groups of every table are one *kind*:
whatever the tables leave them, they leave all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from twoworlds.attacks.tables.knowledge import KnownValues
from twoworlds.attacks.tables.table import LoadedTable
from twoworlds.progress import track


class MatchedPeople(NamedTuple):
    """People who match the same groups in every table."""

    id: int
    people: int  # how many they are
    first: int  # the row of the first one
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
        if sensitive is not None:
            cells = [table.columns[column] for column in columns if column in table.columns]
            cells.append(f"{table.columns[sensitive]} AS value")
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


def fill(table: LoadedTable, place: str, names: Sequence[str], rows: Iterable[Any]) -> None:
    """Make a table of rows of Python beside another one."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    values = {f"v{i}": list(column) for i, column in enumerate(columns)}
    cells = ", ".join(f"unnest($v{i}::VARCHAR[]) AS {name}" for i, name in enumerate(names))
    table.connection.execute(f"CREATE TABLE {place} AS SELECT {cells}", values)


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
    for *signs, people, first, kind in register.fetch(
        f"SELECT {keys}, sum(size)::BIGINT, min(first), kind FROM signed GROUP BY {keys}, kind "
        f"ORDER BY min(first)"
    ):
        mine = tuple(tuple(sign or ()) for sign in signs)
        for key in enumerate(mine):
            if key not in counted:
                counted[key] = Counter()
                for group in key[1]:
                    counted[key].update(said[key[0]][group])
        counts = tuple(counted[key] for key in enumerate(mine))
        found.append(MatchedPeople(kind, people, first, mine, counts))
    return found


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
        fill(table, pairs, ("value", "cell"), known[column].pairs(table.texts(column)))
        joins.append(f"JOIN {pairs} AS m{number} ON p.k{mine} IS NOT DISTINCT FROM m{number}.value")
        cells.append(f"g.k{number} IS NOT DISTINCT FROM m{number}.cell")
    table.connection.execute(
        f"CREATE TABLE matches{i} AS SELECT p.id AS profile, g.id AS group_ FROM profiles AS p "
        f"{' '.join(joins)} JOIN groups{i} AS g ON {' AND '.join(cells) or 'true'}"
    )
