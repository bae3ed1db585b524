"""Floats and decimals that are declared integer: whole numbers before anything looks at them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import duckdb
import pytest

from tests.release.backends.conftest import store
from tests.release.backends.test_awkward import opened, totals, x
from twoworlds.release.backends import open_backend
from twoworlds.release.policy import Column
from twoworlds.release.query import Compare, Missing, Query

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
        assert totals(*opened(connection), query, x("integer")) == {(): (5, 20)}
        query = Query("t").by("x", discover=True).count()
        found = totals(*opened(connection), query, x("integer"))
        assert {*found} == {(Fraction(0),), (Fraction(12345678901234567890),)}
        column = Column("y", "integer", Fraction(0), Fraction(10))
        assert totals(*opened(connection), Query("t").sum("y"), column) == {(): (13,)}
