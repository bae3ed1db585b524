"""Everybody of a register against everybody of a table, at scale.

People of whom the same is known are one *profile*, and rows with the same cells one *group*. Which
profile can stand behind which group is found column by column on distinct texts, of which there are
few (`twoworlds.attacks.composition.matching`), and put together by joins in DuckDB.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from twoworlds.attacks.composition.matching import KnownValues
from twoworlds.attacks.tables import named_columns
from twoworlds.errors import InvalidInput

if TYPE_CHECKING:
    import duckdb

    from twoworlds.attacks.composition.sources import Loaded

__all__ = ["fill", "make_groups", "make_matches", "make_profiles", "on_columns"]


def on_columns(columns: object, name: str) -> list[str]:
    """Return the columns to match on: a list, or text that `named_columns` reads.

    Raises:
        InvalidInput: for none, or one that is given twice.
    """
    if isinstance(columns, str):
        found = named_columns(columns)
    elif isinstance(columns, Iterable):
        found = [str(column) for column in columns]
    else:
        raise InvalidInput(f"{name}={columns!r}: give columns, such as ['zip', 'age']")
    if not found:
        raise InvalidInput(f"{name} names no column: give one or more, such as zip,age")
    if len(set(found)) < len(found):
        raise InvalidInput(f"{name}={','.join(found)}: a column is given twice")
    return found


def make_profiles(register: Loaded, columns: Sequence[str]) -> None:
    """Make ``profiles``: its id, its values k0, k1, ..., its people, the row of the first one."""
    _grouped(register, columns, "profiles", "people")


def make_groups(table: Loaded, columns: Sequence[str], place: str) -> None:
    """Make the groups of a table: id, cells k0, k1, ..., size, first row."""
    _grouped(table, columns, place, "size")


def make_matches(
    register: Loaded,
    table: Loaded,
    known: Mapping[str, KnownValues],
    groups: str,
    place: str,
) -> None:
    """Make the pairs of a profile and a group of the table that are compatible.

    Args:
        register: The people.
        table: The published table; columns that it lacks are free.
        known: The columns that are known, in their order, with the values of the register.
        groups: Where the groups of the table are.
        place: Where to put the pairs.
    """
    connection = register.connection
    joins, cells = [], []
    shared = [(i, column) for i, column in enumerate(known) if column in table.columns]
    for number, (mine, column) in enumerate(shared):
        pairs = f"{place}_pairs{number}"
        fill(connection, pairs, ("value", "cell"), known[column].pairs(table.texts(column)))
        joins.append(f"JOIN {pairs} AS m{number} ON p.k{mine} IS NOT DISTINCT FROM m{number}.value")
        cells.append(f"g.k{number} IS NOT DISTINCT FROM m{number}.cell")
    connection.execute(
        f"CREATE TABLE {place} AS SELECT p.id AS profile, g.id AS group_ FROM profiles AS p "
        f"{' '.join(joins)} JOIN {groups} AS g ON {' AND '.join(cells) or 'true'}"
    )


def fill(
    connection: duckdb.DuckDBPyConnection,
    place: str,
    names: Sequence[str],
    rows: Iterable[Sequence[Any]],
    kind: str = "VARCHAR",
) -> None:
    """Make a table of rows of Python."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    values = {f"v{i}": list(column) for i, column in enumerate(columns)}
    cells = ", ".join(f"unnest($v{i}::{kind}[]) AS {name}" for i, name in enumerate(names))
    connection.execute(f"CREATE TABLE {place} AS SELECT {cells}", values)


def _grouped(source: Loaded, columns: Sequence[str], place: str, size: str) -> None:
    here = [source.columns[column] for column in columns if column in source.columns]
    keys = "".join(f", {name} AS k{i}" for i, name in enumerate(here))
    by = f" GROUP BY {', '.join(here)}" if here else ""
    source.connection.execute(
        f"CREATE TABLE {place} AS SELECT row_number() OVER () AS id{keys}, "
        f"count(*) AS {size}, min(rowid) + 1 AS first FROM {source.table}{by}"
    )
