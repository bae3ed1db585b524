"""One table of awkward rows in every engine, and a public table beside it."""

from __future__ import annotations

import random
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import pytest

from tests.release.backends import stores
from twoworlds.release.backends import open_backend
from twoworlds.release.policy import Column, Dataset, PublicTable, Unit

AMOUNT = "it's; -- \\ `tick`"
KINDS = {
    "person": "integer",
    'region; "x"': "text",
    "select": "integer",
    "pay.net": "number",
    AMOUNT: "decimal",
    "Ünï côdé": "boolean",
    "day": "date",
    "zip": "integer",
}
REGIONS = (
    *("north", "South", "o'brien", "back\\slash", "ü😀 %s", ""),
    *("south", "nowhere", "100%", None),
)
WHOLE = (0, 1, -1, 2, 7, 2**62, -(2**62), 2**63 - 1, -(2**63), 999, 1000, 1001, 10**12, None)
FLOATS = (0.0, -0.0, 0.1, 1e308, -1e308, 5e-324, float("inf"), -float("inf"), float("nan"), 2.0**62)
ZIPS = (1, 2, 3, 4, 99, None)
PUBLIC_KINDS = {"code": "integer", "state": "text", "size": "number"}
PUBLIC_ROWS = [
    {"code": 1, "state": "A", "size": 1.3},
    {"code": 2, "state": "b'b", "size": None},
    {"code": 3, "state": None, "size": float("nan")},
    {"code": 4, "state": "A", "size": -7.7},
]


def awkward_rows(seed=7, count=240):
    """Rows with missing values, NaN, infinities, huge and tiny numbers, odd texts."""
    draw = random.Random(seed)

    def row():
        return {
            "person": draw.choice([*range(30), None]),
            'region; "x"': draw.choice(REGIONS),
            "select": draw.choice(WHOLE) if draw.random() < 0.6 else draw.randrange(-2000, 2000),
            "pay.net": draw.choice(FLOATS)
            if draw.random() < 0.5
            else draw.randrange(-700, 700) / 7,
            AMOUNT: None if draw.random() < 0.1 else Decimal(draw.randrange(-9999, 9999)) / 100,
            "Ünï côdé": draw.choice([True, False, None]),
            "day": draw.choice([None, date(2026, 1, 1) + timedelta(draw.randrange(60))]),
            "zip": draw.choice(ZIPS),
        }

    return [row() for _ in range(count)]


COLUMNS = {
    column.name: column
    for column in (
        Column("person", "integer"),
        Column('region; "x"', "text", keys=REGIONS[:6]),
        Column(
            "select",
            "integer",
            Fraction(-(2**61)),
            Fraction(2**61),
            keys=(Fraction(0), Fraction(2**62), Fraction(7)),
            bins=(Fraction(-1000), Fraction(1, 2), Fraction(1000), Fraction(2**62)),
            grid=tuple(map(Fraction, range(-1000, 1001, 250))),
        ),
        Column(
            "pay.net",
            "number",
            Fraction(-90),
            Fraction(90),
            unit=Fraction(3, 10),
            keys=(Fraction(0), Fraction(1, 10), Fraction(1)),
            bins=tuple(map(Fraction, ("-0.333", "1/10", "50", "1000"))),
            grid=tuple(map(Fraction, (-90, -30, -3, 0, 3, 60))),
            fill=Fraction(3),
        ),
        Column(AMOUNT, "number", Fraction(-50), Fraction(60), unit=Fraction(1, 100)),
        Column("Ünï côdé", "boolean", keys=(True, False)),
        Column("day", "date", keys=(date(2026, 1, 1), date(2026, 2, 3))),
        Column("zip", "integer", Fraction(0), Fraction(100), unit=Fraction(5, 2)),
    )
}
BY_ROW = Unit()
ENGINES = (
    "duckdb-parquet",
    "duckdb-file",
    "pandas",
    "polars",
    "pyarrow",
    "sqlite",
    pytest.param("postgresql", marks=pytest.mark.postgresql),
    pytest.param("mariadb", marks=pytest.mark.mariadb),
    pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.slow]),
    pytest.param("spark-without-ansi", marks=[pytest.mark.spark, pytest.mark.slow]),
)


def store(engine, kinds, rows, folder, request, table="rows"):
    """Put rows into an engine and return the source."""
    if engine == "postgresql":
        server = request.getfixturevalue("postgresql_server")
        name = f"{folder.parent.name}_{folder.name}".replace("-", "_").lower()
        return stores.postgresql(kinds, rows, server.create_database(name), table)
    if engine == "mariadb":
        server = request.getfixturevalue("mariadb_server")
        name = f"{folder.parent.name}_{folder.name}".replace("-", "_").lower()[-64:]
        return stores.mariadb(kinds, rows, server, server.create_database(name), table)
    if engine.startswith("spark"):
        fixture = "spark_session_without_ansi" if "without" in engine else "spark_session"
        return stores.spark(kinds, rows, request.getfixturevalue(fixture))
    write = getattr(stores, engine.replace("-", "_"))
    return (
        write(kinds, rows, folder, table)
        if engine in ("duckdb-file", "sqlite")
        else write(kinds, rows, folder)
    )


@pytest.fixture(scope="module", params=ENGINES)
def engine(request):
    return request.param


@pytest.fixture(scope="module")
def loaded(engine, request, tmp_path_factory):
    """An open engine with the awkward rows, and the policy's dataset for a privacy unit."""
    folder = tmp_path_factory.mktemp("loaded")
    rows = awkward_rows()
    source = store(engine, KINDS, rows, folder, request, 'a "table"; of.rows')
    public = _public(engine, source, folder, request)
    backend, relation = open_backend(source)
    if engine in ("pandas", "sqlite"):  # these keep decimals as floats
        rows = [{**r, AMOUNT: None if r[AMOUNT] is None else float(r[AMOUNT])} for r in rows]
    if engine == "mariadb":
        rows = [{name: stores.finite(x) for name, x in row.items()} for row in rows]
    columns = {
        "state": Column("state", "text", keys=("A", "b'b")),
        "size": Column("size", "number", Fraction(-10), Fraction(10), unit=Fraction(1, 10)),
    }

    def dataset(unit=BY_ROW):
        tables = {"places": PublicTable("places", public, "code", columns)}
        return Dataset("people", None, "add-remove", unit, COLUMNS, tables)

    yield SimpleNamespace(
        engine=engine,
        backend=backend,
        relation=relation,
        rows=rows,
        dataset=dataset,
        publics={"places": PUBLIC_ROWS},
        few="spark" in engine,
    )
    backend.close()


def _public(engine, source, folder, request):
    """The public table, in the same engine."""
    if engine in ("sqlite", "duckdb-file"):
        write = stores.sqlite if engine == "sqlite" else stores.duckdb_file
        return write(PUBLIC_KINDS, PUBLIC_ROWS, folder, "places")["table"]
    if engine == "postgresql":
        return stores.postgresql(PUBLIC_KINDS, PUBLIC_ROWS, source["postgresql"], "places")["table"]
    if engine == "mariadb":
        server = request.getfixturevalue("mariadb_server")
        return stores.mariadb(PUBLIC_KINDS, PUBLIC_ROWS, server, source["mysql"], "places")["table"]
    (folder / "public").mkdir()
    return store(engine, PUBLIC_KINDS, PUBLIC_ROWS, folder / "public", request)
