"""The same rows in every engine: each function returns a source for `open_backend`."""

from __future__ import annotations

import math
import sqlite3
import sys
from decimal import Decimal

ENGINES = ("sqlite", "postgresql", "mariadb", "spark")
TYPES = {  # of each kind, in these engines
    "integer": ("INTEGER", "bigint", "bigint", "long"),
    "number": ("REAL", "double precision", "double", "double"),
    "decimal": ("NUMERIC", "numeric", "decimal(20, 2)", "decimal(20,2)"),
    "text": ("TEXT", "text", "text", "string"),
    "boolean": ("BOOLEAN", "boolean", "boolean", "boolean"),
    "date": ("DATE", "date", "date", "date"),
}


def quoted(name, quote='"'):
    return quote + name.replace(quote, 2 * quote) + quote


def declared(kinds, engine, quote='"'):
    """The columns of a CREATE TABLE."""
    place = ENGINES.index(engine)
    return ", ".join(f"{quoted(name, quote)} {TYPES[k][place]}" for name, k in kinds.items())


def arrow(kinds, rows):
    import pyarrow

    types = {
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "decimal": pyarrow.decimal128(20, 2),
        "text": pyarrow.string(),
        "boolean": pyarrow.bool_(),
        "date": pyarrow.date32(),
    }
    columns = [pyarrow.array([row[n] for row in rows], types[k]) for n, k in kinds.items()]
    return pyarrow.Table.from_arrays(columns, names=list(kinds))


def duckdb_parquet(kinds, rows, folder):
    import pyarrow.parquet

    pyarrow.parquet.write_table(arrow(kinds, rows), folder / "rows.parquet")
    return str(folder / "rows.parquet")


def duckdb_file(kinds, rows, folder, table='a "table"; of.rows'):
    import duckdb

    found = arrow(kinds, rows)
    with duckdb.connect(str(folder / "rows.duckdb")) as connection:
        connection.register("found", found)
        connection.execute(f"CREATE TABLE {quoted(table)} AS SELECT * FROM found")
    return {"duckdb": str(folder / "rows.duckdb"), "table": table}


def pandas(kinds, rows, folder):
    import pandas as pd

    types = {"integer": "Int64", "number": "float64", "decimal": "float64", "boolean": "boolean"}
    columns = {}
    for name, kind in kinds.items():
        values = [row[name] for row in rows]
        if kind == "decimal":
            values = [None if x is None else float(x) for x in values]
        if kind == "date":
            columns[name] = pd.to_datetime(pd.Series(values, dtype="object"))
        else:
            columns[name] = pd.Series(values, dtype=types.get(kind, "str"))
    return pd.DataFrame(columns)


def polars(kinds, rows, folder):
    import polars as pl

    return pl.from_arrow(arrow(kinds, rows))


def pyarrow(kinds, rows, folder):
    return arrow(kinds, rows)


def sqlite(kinds, rows, folder, table='a "table"; of.rows'):
    path = folder / "rows.db"
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE {quoted(table)} ({declared(kinds, 'sqlite')})")
        marks = ", ".join("?" * len(kinds))
        stored = [[_for_sqlite(row[name]) for name in kinds] for row in rows]
        connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({marks})", stored)
    connection.close()
    return {"sqlite": path, "table": table}


def _for_sqlite(x):
    if isinstance(x, Decimal):
        return float(x)
    return x.isoformat() if hasattr(x, "isoformat") else x


def postgresql(kinds, rows, address, table='a "table"; of.rows'):
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE {quoted(table)} ({declared(kinds, 'postgresql')})")
        with connection.cursor().copy(f"COPY {quoted(table)} FROM STDIN") as copy:
            for row in rows:
                copy.write_row([row[name] for name in kinds])
    return {"postgresql": address, "table": table}


def mariadb(kinds, rows, server, address, table='a "table"; of.rows'):
    """Floats that are not finite cannot be kept: NaN is missing, infinities are the largest."""
    connection = server.connect(address.rpartition("/")[2])
    name, columns = quoted(table, "`"), declared(kinds, "mariadb", "`")
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {name} ({columns}) CHARSET utf8mb4")  # ignores case
        marks = ", ".join(["%s"] * len(kinds))
        for row in rows:
            cursor.execute(f"INSERT INTO {name} VALUES ({marks})", [finite(row[k]) for k in kinds])
    connection.close()
    return {"mysql": address, "table": table}


def finite(x):
    if not isinstance(x, float) or math.isfinite(x):
        return x
    return None if math.isnan(x) else math.copysign(sys.float_info.max, x)


def spark(kinds, rows, session):
    from pyspark.sql.types import StructType

    schema = StructType()
    for name, kind in kinds.items():
        schema = schema.add(name, TYPES[kind][ENGINES.index("spark")])
    return session.createDataFrame([tuple(row[name] for name in kinds) for row in rows], schema)
