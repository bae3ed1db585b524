"""What one engine alone can hold: values that must neither raise nor count twice."""

from __future__ import annotations

import sqlite3
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from tempfile import mkdtemp

import duckdb
import pytest

from tests.release.backends.conftest import store
from twoworlds.release.backends import open_backend
from twoworlds.release.plan import check_columns, plan
from twoworlds.release.policy import Column, Dataset, Unit
from twoworlds.release.query import Compare, Missing, Query, resolve


def totals(backend, relation, query, *columns):
    dataset = Dataset("t", None, "add-remove", columns={c.name: c for c in columns})
    resolved = resolve(query, dataset)
    check_columns(dataset, resolved, backend, relation)
    found = plan(resolved, relation, backend)
    return dict(found.decode(backend.fetch(found.statement)).cells)


def x(kind, low=-10, high=10, unit=1, **options):
    return Column("x", kind, Fraction(low), Fraction(high), unit=Fraction(unit), **options)


OPENED = []


def opened(source):
    """Open the table t: of a connection to DuckDB, of a server's address, or of SQLite's rows."""
    place = {"connection": source}
    if isinstance(source, str):
        place = {"postgresql": source}
    elif isinstance(source, sqlite3.Connection):
        source.commit()
        place = {"sqlite": Path(mkdtemp(), "rows.db")}
        source.execute("VACUUM INTO ?", (str(place["sqlite"]),))
    OPENED.append(open_backend({**place, "table": "t"}))
    return OPENED[-1]


@pytest.fixture(autouse=True)
def closed():
    yield
    while OPENED:
        OPENED.pop()[0].close()


def test_text_among_numbers_is_missing_in_sqlite():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (x INTEGER)")
    stored = [("many",), ("7",), (3,), (2.5,), (b"4",), (None,), (9e300,), ("",)]
    connection.executemany("INSERT INTO t VALUES (?)", stored)
    whole = Query("t").count("x").sum("x").count(where=Missing("x"))
    assert totals(*opened(connection), whole, x("integer")) == {(): (4, 23, 4)}
    wide = Query("t").sum("x")
    assert totals(*opened(connection), wide, x("number", unit="1/2")) == {(): (14 + 6 + 5 + 20,)}
    connection.close()


def test_dates_in_sqlite_are_iso_texts_and_never_the_present():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (x DATE)")
    stored = [
        "now",
        "2026-02-31",
        "2026-02-03",
        "2026-02-03 10:00",
        2461000,
        "today",
        None,
        "02/03",
    ]
    connection.executemany("INSERT INTO t VALUES (?)", [(value,) for value in stored])
    query = Query("t").count("x").by("x", discover=True)
    found = totals(*opened(connection), query, Column("x", "date"))
    assert {str(key): numbers[0] for (key,), numbers in found.items()} == {"2026-02-03": 2}
    connection.close()


def test_columns_without_a_type_are_read_as_declared_in_sqlite():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (x)")
    connection.executemany("INSERT INTO t VALUES (?)", [(1,), ("1",), (True,), (None,)])
    for kind, count in (("integer", 2), ("text", 1), ("boolean", 2), ("number", 2)):
        column = Column("x", kind)
        assert totals(*opened(connection), Query("t").count("x"), column) == {(): (count,)}
    connection.close()


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_a_collation_that_ignores_case_does_not_merge_keys(engine):
    connection = sqlite3.connect(":memory:") if engine == "sqlite" else duckdb.connect()
    connection.execute("CREATE TABLE t (x VARCHAR COLLATE NOCASE)")
    connection.execute("INSERT INTO t VALUES ('a'), ('A'), ('A'), ('b')")
    column = Column("x", "text", keys=("a", "A"))
    query = Query("t").by("x", other=True).count().count("x", where=Compare("x", "=", "a"))
    expected = {(0,): (1, 1), (1,): (2, 0), (2,): (1, 0)}
    assert totals(*opened(connection), query, column) == expected
    connection.close()


def check_width(backend, relation, name, ends):
    """Hold a column of the two ends of its type, 5 and a missing value to bounds and units."""
    for bound, unit in ((128, 1), (2**49, 1), (2**62 - 1, 1), (3000, 7), (2**55, "1000/999")):
        step, size = Fraction(unit), Fraction(unit) * bound
        column = Column(name, "integer", -size, size, unit=step)
        query = Query("t").mean(name).count(where=Compare(name, ">", Fraction(10**50)))
        values = [round(Fraction(v) / step) for v in (*ends, 5)]
        wanted = sum(min(max(v, -bound), bound) for v in values)
        found = totals(backend, relation, query, column)
        assert found == {(): (3, wanted, 0)}, (name, ends, bound, unit)


def test_every_width_of_integer_is_clamped_without_overflow_in_duckdb():
    connection = duckdb.connect()
    widths = {
        "TINYINT": (-128, 127),
        "UTINYINT": (0, 255),
        "SMALLINT": (-32768, 32767),
        "UINTEGER": (0, 2**32 - 1),
        "BIGINT": (-(2**63), 2**63 - 1),
        "UBIGINT": (0, 2**64 - 1),
        "HUGEINT": (-(2**127), 2**127 - 1),
    }
    for kind, (low, high) in widths.items():
        connection.execute(f"CREATE OR REPLACE TABLE t (x {kind})")
        connection.execute(f"INSERT INTO t VALUES ({low}), ({high}), (5), (NULL)")
        check_width(*opened(connection), "x", (low, high))
    connection.close()


def test_numbers_of_postgresql_beyond_all_bounds(postgresql_database):
    import psycopg

    with psycopg.connect(postgresql_database, autocommit=True) as connection:
        connection.execute("CREATE TABLE t (x numeric, y double precision, z real)")
        connection.execute(
            "INSERT INTO t SELECT v::numeric, NULL, NULL FROM unnest(ARRAY"
            "['NaN', 'Infinity', '-Infinity', '1e400', '-1e400', '1e-400', '2.5', NULL]) v"
        )
        tiny = [
            "'NaN'",
            "'Infinity'",
            "'-Infinity'",
            "1e308",
            "-1e308",
            "5e-324",
            "-5e-324",
            "2.25",
        ]
        for value in tiny:
            connection.execute(f"INSERT INTO t VALUES (NULL, {value}, NULL)")
        connection.execute("INSERT INTO t VALUES (NULL, NULL, 'NaN'), (NULL, NULL, 1e-45)")
        backend, relation = opened(postgresql_database)
        query = Query("t").count("x").sum("x").count(where=Compare("x", "<", Fraction(1, 4)))
        column = x("number", unit="1/2")
        assert totals(backend, relation, query, column) == {(): (6, 5, 3)}
        for name, expected in (("y", (7, 7)), ("z", (1, 0))):
            column = Column(name, "number", Fraction(-10), Fraction(10), unit=Fraction(1, 3))
            found = totals(backend, relation, Query("t").count(name).sum(name), column)
            assert found == {(): expected}
        keys = totals(backend, relation, Query("t").count().by("x", discover=True), x("number"))
        assert keys[(Fraction("5/2"),)] == (1,)


def test_dates_beyond_the_calendar_of_python_are_missing(postgresql_database):
    import psycopg

    with psycopg.connect(postgresql_database, autocommit=True) as connection:
        connection.execute("CREATE TABLE t (x date, y timestamptz)")
        for value in ("infinity", "-infinity", "4000-01-01 BC", "294000-01-01", "2026-01-02"):
            connection.execute(f"INSERT INTO t VALUES ('{value}', '{value}')")
        for name in ("x", "y"):
            query = Query("t").count(name).by(name, discover=True)
            assert len(totals(*opened(postgresql_database), query, Column(name, "date"))) == 1


def test_texts_of_sqlite_that_are_no_utf_8_are_people_and_keys_like_others():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (x TEXT, p TEXT)")
    stored = [(b"\xff", b"\xff"), (b"\xfe", b"\xff"), (b"a", b"a\0b"), (b"a", b"a\0c"), (b"a", b"")]
    connection.executemany("INSERT INTO t VALUES (CAST(? AS TEXT), CAST(? AS TEXT))", stored)
    columns = {c.name: c for c in (Column("x", "text"), Column("p", "text"))}
    backend, relation = opened(connection)
    for rows, shown in ((2, {"\\xff": 1, "\\xfe": 1, "a": 3}), (1, {"a": 3})):
        dataset = Dataset("t", None, "add-remove", Unit("p", rows=rows, groups=rows), columns)
        resolved = resolve(Query("t").by("x", discover=True).count(), dataset)
        found = plan(resolved, relation, backend)
        cells = found.decode(backend.fetch(found.statement)).cells
        counts = {key: numbers[0] for (key,), numbers in cells.items()}
        assert shown.items() <= counts.items()
        assert sum(counts.values()) == 3 + rows
    connection.close()


# --- floats and decimals that are declared integer: whole before anything looks at them -----------

FLOATS = (2.7, 3.2, 3.0, -0.4, -0.6, 7.0, 1e308, -float("inf"), float("inf"), float("nan"), None)
DECIMALS = ("2.70", "3.20", "3.00", "-0.40", "-0.60", "7.00", "1e13", "-1e13", "1e13", None, None)
BINS = tuple(map(Fraction, (-1, 0, 3, 7)))


def test_all_parts_of_a_query_see_the_rounded_number(engine, request, tmp_path):
    decimals = [None if d is None else Decimal(d) for d in DECIMALS]
    rows = [{"x": f, "y": d} for f, d in zip(FLOATS, decimals, strict=True)]
    backend, relation = open_backend(
        store(engine, {"x": "number", "y": "decimal"}, rows, tmp_path, request)
    )
    for name in "xy":
        column = Column(
            name, "integer", Fraction(-10), Fraction(10), bins=BINS, keys=(Fraction(3), Fraction(7))
        )
        plain = Query("t").sum(name).count(where=Compare(name, "=", Fraction(3)), name="three")
        plain = plain.count(where=Compare(name, "<", Fraction(5, 2)), name="below")
        plain = plain.count(where=Missing(name), name="missing")
        assert totals(backend, relation, plain, column) == {(): (25, 3, 3, 2)}
        found = totals(backend, relation, Query("t").by(name, bins=BINS).count(), column)
        assert found == {(0,): (1,), (1,): (1,), (2,): (4,)}
        found = totals(backend, relation, Query("t").by(name, other=True).count(), column)
        assert found == {(0,): (3,), (1,): (1,), (2,): (7,)}
    backend.close()


def test_whole_floats_stay_what_they_are_up_to_64_bits(engine, request, tmp_path):
    """Adding one half and rounding down would move odd numbers above 2^52."""
    numbers = [2.0**52 + 1, -(2.0**52) - 1, 2.0**53 - 1, 2.0**53, -(2.0**63), 2.0**63]
    kinds, rows = {"x": "number"}, [{"x": n} for n in numbers]
    backend, relation = open_backend(store(engine, kinds, rows, tmp_path, request))
    column = Column("x", "integer", Fraction(-(2**61)), Fraction(2**61))
    found = totals(backend, relation, Query("t").by("x", discover=True).count(), column)
    assert {*found} == {(Fraction(min(n, 2**63 - 1)),) for n in map(int, numbers)}
    backend.close()


def test_decimals_of_every_scale_are_rounded_without_overflow_in_duckdb():
    connection = duckdb.connect()
    for scale, values, keys in (
        (0, ("9" * 38, "-" + "9" * 38, "12345678901234567890"), (10**38 - 1, 1 - 10**38)),
        (19, ("9" * 19 + ".6", "-1.4"), (10**19, -1)),
        (37, ("9.9", "-9.4", "0.4"), (10, -9, 0)),
    ):
        connection.execute(f"CREATE OR REPLACE TABLE t (x DECIMAL(38, {scale}))")
        connection.execute(f"INSERT INTO t VALUES {', '.join(f'({v})' for v in values)}, (NULL)")
        query = Query("t").by("x", discover=True).count()
        found = totals(*opened(connection), query, x("integer"))
        assert {(Fraction(key),) for key in keys} <= {*found}
        assert len(found) == len(values)
        whole = Query("t").sum("x")
        clamped = sum(max(-10, min(10, round(Fraction(v)))) for v in values)
        assert totals(*opened(connection), whole, x("integer")) == {(): (clamped,)}
    connection.close()


@pytest.mark.postgresql
def test_decimals_of_postgresql_are_rounded_whatever_they_hold(postgresql_database):
    import psycopg

    with psycopg.connect(postgresql_database, autocommit=True) as connection:
        connection.execute("CREATE TABLE t (x numeric, y real)")
        for value in ("NaN", "Infinity", "-Infinity", "1e400", "1e-400", "12345678901234567890.4"):
            connection.execute(f"INSERT INTO t VALUES ('{value}', NULL)")
        connection.execute("INSERT INTO t VALUES (NULL, 'NaN'), (NULL, 'Infinity'), (NULL, 2.6)")
        query = Query("t").count("x").sum("x")
        assert totals(*opened(postgresql_database), query, x("integer")) == {(): (5, 20)}
        query = Query("t").by("x", discover=True).count()
        found = totals(*opened(postgresql_database), query, x("integer"))
        assert {*found} == {(Fraction(0),), (Fraction(12345678901234567890),)}
        column = Column("y", "integer", Fraction(0), Fraction(10))
        assert totals(*opened(postgresql_database), Query("t").sum("y"), column) == {(): (13,)}
