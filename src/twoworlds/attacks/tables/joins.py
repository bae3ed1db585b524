"""Everybody of a register against everybody of a table, at scale.

People of whom the same is known are one *profile*, and rows with the same cells one *group*. Which
profile can stand behind which group is found column by column on distinct texts, of which there are
few (`twoworlds.attacks.tables.knowledge.KnownValues`), and put together by joins in DuckDB.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from twoworlds.attacks.tables.knowledge import KnownValues
from twoworlds.attacks.tables.table import Table

if TYPE_CHECKING:
    import duckdb

__all__ = ["fill", "make_groups", "make_matches", "make_profiles", "make_said", "same_person"]


def make_profiles(register: Table, columns: Sequence[str]) -> dict[str, KnownValues]:
    """Make ``profiles``: its id, its values k0, k1, ..., its people, the row of the first one."""
    make_groups(register, columns, "profiles", "people")
    return {column: KnownValues(register.texts(column)) for column in columns}


def make_groups(table: Table, columns: Iterable[str], place: str, size: str = "size") -> None:
    """Make the groups of a table: id, cells k0, k1, ..., size, first row."""
    here = [table.columns[column] for column in columns if column in table.columns]
    keys = "".join(f", {name} AS k{i}" for i, name in enumerate(here))
    by = f" GROUP BY {', '.join(here)}" if here else ""
    table.connection.execute(
        f"CREATE TABLE {place} AS SELECT row_number() OVER () AS id{keys}, "
        f"count(*) AS {size}, min(rowid) + 1 AS first FROM {table.place}{by}"
    )


def make_matches(table: Table, known: Mapping[str, KnownValues], groups: str, place: str) -> None:
    """Make the pairs of a profile and a group of the table that are compatible."""
    joins, cells = [], []
    shared = [(i, column) for i, column in enumerate(known) if column in table.columns]
    for number, (mine, column) in enumerate(shared):
        pairs = f"{place}_pairs{number}"
        fill(table.connection, pairs, ("value", "cell"), known[column].pairs(table.texts(column)))
        joins.append(f"JOIN {pairs} AS m{number} ON p.k{mine} IS NOT DISTINCT FROM m{number}.value")
        cells.append(f"g.k{number} IS NOT DISTINCT FROM m{number}.cell")
    table.connection.execute(
        f"CREATE TABLE {place} AS SELECT p.id AS profile, g.id AS group_ FROM profiles AS p "
        f"{' '.join(joins)} JOIN {groups} AS g ON {' AND '.join(cells) or 'true'}"
    )


def make_said(
    table: Table, columns: Iterable[str], sensitive: str, groups: str, place: str
) -> None:
    """Make the sensitive cells of each group, and how many of its rows have each."""
    here = [table.columns[column] for column in columns if column in table.columns]
    same = " AND ".join(f"g.k{i} IS NOT DISTINCT FROM t.{c}" for i, c in enumerate(here))
    cells = ", ".join([*here, f"{table.columns[sensitive]} AS value"])
    table.connection.execute(
        f"CREATE TABLE {place} AS SELECT g.id, t.value, t.size FROM (SELECT {cells}, count(*) AS "
        f"size FROM {table.place} GROUP BY ALL) AS t JOIN {groups} AS g ON {same or 'true'}"
    )


def same_person(register: Table, columns: Iterable[str]) -> str:
    """Return the condition that joins profiles as p with rows of the register as r."""
    return " AND ".join(
        f"r.{register.columns[column]} IS NOT DISTINCT FROM p.k{i}"
        for i, column in enumerate(columns)
    )


def fill(
    connection: duckdb.DuckDBPyConnection,
    place: str,
    names: Sequence[str],
    rows: Iterable[Sequence[Any]],
) -> None:
    """Make a table of rows of Python."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    values = {f"v{i}": list(column) for i, column in enumerate(columns)}
    cells = ", ".join(f"unnest($v{i}::VARCHAR[]) AS {name}" for i, name in enumerate(names))
    connection.execute(f"CREATE TABLE {place} AS SELECT {cells}", values)
