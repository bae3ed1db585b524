"""Tables behind a connection whose dialect sqlglot knows and we do not.

Columns and their types are read from ``information_schema.columns``, in the words of the dialect;
where there is none, from what the driver says about a query without rows (PEP 249: ``STRING``,
``NUMBER``, ``DATETIME``). A column whose type is not known that way is refused.

A column of texts may have a collation of its own, so it is tried as well: a query takes the column
of the table, none of its rows, and puts constants below it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.base import Field

if TYPE_CHECKING:
    from sqlglot import exp

    from twoworlds.release.plan.engines import Engine

__all__ = ["describe_portable", "try_texts"]

Run = Callable[["exp.Query"], list[tuple[Any, ...]]]

_UNBOUNDED = (
    "its numbers may be larger than any float, and this engine would then fail: cast it to double "
    "precision in a view of the table"
)
_FAMILIES = {
    "TINYINT": Field("", "integer", bits=8),
    "SMALLINT": Field("", "integer", bits=16),
    "MEDIUMINT": Field("", "integer", bits=32),
    "INT": Field("", "integer", bits=32),
    "BIGINT": Field("", "integer", bits=64),
    "FLOAT": Field("", "float", cast=True),
    "DOUBLE": Field("", "float"),
    "DECIMAL": Field("", "float", cast=True),
    "CHAR": Field("", "text", cast=True),
    "NCHAR": Field("", "text", cast=True),
    "VARCHAR": Field("", "text"),
    "NVARCHAR": Field("", "text"),
    "TEXT": Field("", "text"),
    "BOOLEAN": Field("", "boolean"),
    "DATE": Field("", "date"),
    "TIMESTAMP": Field("", "timestamp"),
    "TIMESTAMPNTZ": Field("", "timestamp"),
    "DATETIME": Field("", "timestamp"),
}


def describe_portable(connection: Any, run: Run, dialect: str, relation: exp.Table) -> list[Field]:
    """Return the columns of a table; none when there is no such table."""
    names = _names(connection, dialect, relation)
    if not names:
        return []
    types = _types(run, dialect, relation)
    found = [_field(name, types.get(name), code, connection) for name, code in names]
    decimal = {name for name, type_ in types.items() if _name(type_) == "DECIMAL"}
    if not decimal or not _is_unbounded(run):
        return found
    return [replace(f, refused=_UNBOUNDED) if f.name in decimal else f for f in found]


def _is_unbounded(run: Run) -> bool:
    """Whether decimals may be too large for a float, so that a cast could fail."""
    from twoworlds.release.plan import sql
    from twoworlds.release.plan.portable import tried

    huge = tried(run, sql.cast(sql.text("1e400"), "DECIMAL"))
    return huge is not None and huge[0] is not None and huge[0] > 10**309


def try_texts(run: Run, habits: Engine, relation: exp.Table, fields: list[Field]) -> list[Field]:
    """Return the columns, those refused in which texts that differ are taken for the same."""
    return [
        replace(field, refused=_merges(run, habits, relation, field))
        if field.family == "text"
        else field
        for field in fields
    ]


def _merges(run: Run, habits: Engine, relation: exp.Table, field: Field) -> str | None:
    from sqlglot import exp

    from twoworlds.release.plan import sql
    from twoworlds.release.plan.portable import are_apart

    def texts(values: list[str]) -> exp.Query:
        none = exp.Select().select(sql.named(sql.column(field.name), "x")).from_(relation.copy())
        none = none.where(sql.compare(sql.number(1), "=", sql.number(0)))
        rows = sql.literal_rows([[sql.text(value)] for value in values], ["x"])
        return exp.union(none, rows, distinct=False)

    def way(x: exp.Expression) -> exp.Expression:
        return habits.bytewise(sql.cast(x, "TEXT") if field.cast else x)

    query, expected = are_apart(way, texts, "x")
    try:
        [row] = run(query)
        if [int(n) for n in row] == expected:
            return None
    except Exception:  # whatever the driver raises; no row of the table takes part
        return "texts cannot be compared with it: cast it in a view of the table"
    return (
        "its collation takes texts for the same that differ, such as 'a' and 'A', or 'a' and "
        "'a ': give it a binary one, or one in a view of the table"
    )


def _names(connection: Any, dialect: str, relation: exp.Table) -> list[tuple[str, Any]]:
    """Return names and types of columns as the driver describes a query without rows."""
    from sqlglot import exp

    from twoworlds.release.plan import sql

    empty = exp.Select().select("*").from_(relation.copy())
    empty = empty.where(sql.compare(sql.number(1), "=", sql.number(0)))
    cursor = connection.cursor()
    try:
        cursor.execute(empty.sql(dialect))
        cursor.fetchall()
        return [(str(column[0]), column[1]) for column in cursor.description or ()]
    except Exception:  # whatever the driver raises: there is no such table
        return []
    finally:
        cursor.close()


def _types(run: Run, dialect: str, relation: exp.Table) -> dict[str, exp.DataType]:
    from sqlglot import exp

    from twoworlds.release.plan import sql

    query = (
        exp.Select()
        .select(exp.column("column_name"), exp.column("data_type"))
        .from_(
            exp.Table(this=exp.to_identifier("columns"), db=exp.to_identifier("information_schema"))
        )
        .where(sql.compare(exp.column("table_name"), "=", sql.text(relation.name)))
    )
    if relation.db:
        query = query.where(sql.compare(exp.column("table_schema"), "=", sql.text(relation.db)))
    found: dict[str, exp.DataType] = {}
    try:
        rows = run(query)
    except Exception:  # whatever the driver raises: there is no such catalogue
        return {}
    for name, kind in rows:
        try:
            type_ = exp.DataType.build(str(kind), dialect=dialect, udt=True)
        except Exception:  # a type that sqlglot does not read
            type_ = exp.DataType.build("UNKNOWN")
        if found.setdefault(str(name), type_) != type_:
            raise InvalidInput(
                f"there are several tables {relation.name!r} with other columns each: give schema:"
            )
    return found


def _name(type_: exp.DataType) -> str:
    return str(getattr(type_.this, "name", ""))


def _field(name: str, type_: exp.DataType | None, code: Any, connection: Any) -> Field:
    if type_ is not None:
        plain = _FAMILIES.get(_name(type_), Field("", "other"))
        return replace(plain, name=name)
    return replace(_described(code, connection), name=name)


def _described(code: Any, connection: Any) -> Field:
    """Return the family of a type by the driver's words; numbers may be of any type."""
    package = type(connection).__module__.partition(".")[0]
    driver = sys.modules.get(package)
    for word, field in (
        ("STRING", Field("", "text", cast=True)),
        ("NUMBER", Field("", "float", cast=True)),
        ("DATETIME", Field("", "timestamp")),
    ):
        kind = getattr(driver, word, None)
        if kind is not None and code is not None and kind == code:
            return field
    return Field("", "other")
