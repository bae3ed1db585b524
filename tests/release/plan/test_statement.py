"""The statement: its shape, its constants, and how its rows are read."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction

import pandas as pd
import pytest
from sqlglot import exp, parse_one

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.release.backends import open_backend
from twoworlds.release.backends.base import Field
from twoworlds.release.plan import plan, sql
from twoworlds.release.plan.columns import Clean
from twoworlds.release.plan.groups import Plan, limbs
from twoworlds.release.plan.sql import engine_of
from twoworlds.release.policy import Column, Dataset, Unit
from twoworlds.release.query import Compare, Query, SummedMeasure, resolve

DIALECTS = ("duckdb", "postgres", "sqlite", "spark")
COLUMNS = {
    "region": Column("region", "text", keys=("a", "b")),
    "age": Column("age", "integer", Fraction(0), Fraction(9), grid=(Fraction(3), Fraction(5))),
    "pay": Column("pay", "number", Fraction(0), Fraction(9), keys=(Fraction(0),)),
    "id": Column("id", "integer"),
}


@pytest.fixture(scope="module")
def opened():
    frame = pd.DataFrame({"region": ["a"], "age": [1], "pay": [1.5], "id": [1]})
    backend, relation = open_backend(frame)
    yield backend, relation
    backend.close()


def statement(opened, query, unit=None):
    dataset = Dataset("people", None, "add-remove", unit or Unit(), COLUMNS)
    return plan(resolve(query, dataset), opened[1], opened[0]).statement


def test_it_is_one_statement_that_reads_the_table_once(opened):
    query = Query("people").by("region", other=True).count().sum("age").mean("pay")
    found = statement(opened, query)
    assert [t.name for t in found.find_all(exp.Table)].count(opened[1].name) == 1
    assert not list(found.find_all(exp.Union))


def test_ranks_come_with_the_sums_in_one_statement(opened):
    query = Query("people").by("region").count().median("age")
    assert isinstance(statement(opened, query), exp.Union)
    limited = statement(opened, query, Unit("id", rows=3, groups=2))
    tables = [t.name for t in limited.find_all(exp.Table)]
    assert tables.count(opened[1].name) == 1  # the rows that are kept are chosen once


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("value", ["it's", "\\", "\\' OR 1=1 --", '"', "`", "%s", "\n", "é😀", ""])
def test_a_text_survives_rendering_and_parsing(dialect, value):
    rendered = exp.Select().select(sql.text(value)).sql(dialect)
    literal = parse_one(rendered, read=dialect).expressions[0]
    assert isinstance(literal, exp.Literal)
    assert literal.this == value


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", ["it's", "\\", 'a"; DROP TABLE t; --', "a`b", "a.b", "%s", "é😀"])
def test_a_name_survives_rendering_and_parsing(dialect, name):
    rendered = exp.Select().select(sql.column(name)).from_(sql.table(name)).sql(dialect)
    found = parse_one(rendered, read=dialect)
    assert found.expressions[0].name == name
    assert [t.name for t in found.find_all(exp.Table)] == [name]


@pytest.mark.parametrize("build", [sql.text, sql.column, sql.table])
def test_the_character_nul_is_refused(build):
    with pytest.raises(InvalidInput, match="NUL"):
        build("a\0b")


def clean(family, dialect="duckdb", bits=64):
    return Clean.of("c", Field("c", family, bits=bits), "number", engine_of(dialect))


LARGEST = "CAST('1.7976931348623157e+308' AS DOUBLE)"


@pytest.mark.parametrize(
    ("family", "operator", "value", "expected"),
    [
        ("integer", "<", "5/2", '"c" < 3'),
        ("integer", "<=", "5/2", '"c" <= 2'),
        ("integer", ">", "5/2", '"c" > 2'),
        ("integer", ">=", "5/2", '"c" >= 3'),
        ("integer", "=", "5/2", '"c" <> "c"'),
        ("integer", "!=", "5/2", '"c" = "c"'),
        ("integer", "<", "1e30", '"c" = "c"'),
        ("integer", ">", "1e30", '"c" <> "c"'),
        ("integer", ">=", "-1e30", '"c" = "c"'),
        ("float", "<", "1e400", f'"c" <= {LARGEST}'),
        ("float", ">=", "1e400", f'"c" > {LARGEST}'),
        ("float", "=", "1e400", '"c" <> "c"'),
    ],
)
def test_constants_are_compared_as_if_columns_had_no_limits(family, operator, value, expected):
    assert clean(family).compare(operator, Fraction(value)).sql("duckdb") == expected


def test_a_unit_with_too_many_digits_is_refused():
    unit = Fraction(2**40 + 1, 2**40)
    with pytest.raises(TooLarge, match="too many digits"):
        clean("integer").units(SummedMeasure("total", "c", low=0, high=9, unit=unit))


@pytest.mark.parametrize(
    ("high", "parts"), [(2**30 - 1, 1), (2**30, 2), (2**60 - 1, 2), (2**60, 3), (2**62 - 1, 3)]
)
def test_sums_are_split_so_that_64_bits_suffice(high, parts):
    measure = SummedMeasure("total", "c", low=0, high=high)
    assert limbs(measure, engine_of("sqlite")) == parts
    assert limbs(measure, engine_of("duckdb")) == 1
    assert parts == 1 or high >> (30 * (parts - 1)) < 2**30  # times 2^33 rows is below 2^63


def test_rows_of_one_cell_are_added_up_and_limbs_put_together():
    found = Plan(None, (None, "text"), (2, 0), ("rows", "total", "ranks"), (1, 3, 0), (0, 0, 3))
    rows = [
        (0, 1, "x", Decimal(2), 5, 7, -1),
        (0, Decimal(1), "x", 1, None, None, None),
        (3, 0, "y", 2, 4, None, None),
        (3, 0, "y", 0, 1, None, None),
    ]
    totals = found.decode(rows)
    assert totals.cells == {(1, "x"): (3, 5 + (7 << 30) - (1 << 60), 0)}
    assert totals.ranks == {2: {(0, "y"): (1, 0, 4)}}


@pytest.mark.parametrize(
    ("kind", "stored", "key"),
    [
        ("text", "", ""),
        ("boolean", 1, True),
        ("date", "2026-01-31", date(2026, 1, 31)),
        ("date", date(2026, 1, 31), date(2026, 1, 31)),
        ("number", 0.1, Fraction(0.1)),
        ("number", Decimal("0.1"), Fraction(1, 10)),
        ("integer", 2**63 - 1, Fraction(2**63 - 1)),
    ],
)
def test_discovered_keys_are_constants_of_queries(kind, stored, key):
    found = Plan(None, (kind,), (0,), ("rows",), (1,), (0,)).decode([(0, stored, 4)])
    assert found.cells == {(key,): (4,)}


@pytest.mark.parametrize(
    ("rows", "part"),
    [
        ([(0, 1, 2, 3, 4, 5)], "6 columns, not 5"),
        ([(0, 1, 300.5, 3, 4)], "not whole"),
        ([(0, 1, Decimal("NaN"), 3, 4)], "not whole"),
        ([(0, 1, float("nan"), 3, 4)], "not whole"),
        ([(0, 1, 2.0**53, 3, 4)], "not whole"),
        ([(0, 1, "2", 3, 4)], "not whole"),
        ([(0, 1, True, 3, 4)], "truth is not a number"),
        ([(0, 1, None, 3, 4)], "not whole"),
        ([(0, 1, -2, 3, 4)], "count is negative"),
        ([(0, 1, 2, 3, -4)], "squares is negative"),
        ([(4, 1, 0, 2, 0)], "belongs to no measure"),
        ([(4, 1, 0, -1, None)], "count is negative"),
        ([(4, 1, 3, 1, None)], "does not exist"),
        ([(0, 2, 2, 3, 4)], "does not exist"),
        ([(0, -1, 2, 3, 4)], "does not exist"),
        ([(1, 1, 2, 3, 4)], "no part 1"),
        ([(0, 1, 2, 3, 4)] * 2, "cell comes twice"),
        ([(4, 1, 0, 2, None)] * 2, "bin of a cell comes twice"),
    ],
)
def test_rows_that_a_statement_cannot_have_are_refused(rows, part):
    kinds = ("rows", "total", "squares", "ranks")
    found = Plan(None, (None,), (2,), kinds, (1, 1, 1, 0), (0, 0, 0, 3), once=True)
    assert found.decode([(0, 1, 2, -3, 4), (4, 1, 0, 2, None)]).cells == {(1,): (2, -3, 4, 0)}
    with pytest.raises(ValueError, match=part):
        found.decode(rows)


@pytest.mark.parametrize(
    ("query", "unit", "once"),
    [
        (Query("people").count(), Unit(), True),
        (Query("people").by("region").count(), Unit(), True),
        (Query("people").by("pay").count(), Unit(), False),  # 0 and -0 may be two groups
        (Query("people").by("pay", other=True).count(), Unit(), True),
        (Query("people").by("pay").count(), Unit("id"), True),
        (Query("people").by("region", discover=True).count(), Unit(), False),
    ],
)
def test_a_cell_comes_once_where_the_statement_adds_it_up(opened, query, unit, once):
    dataset = Dataset("people", None, "add-remove", unit, COLUMNS)
    assert plan(resolve(query, dataset), opened[1], opened[0]).once is once


def test_a_thousand_conditions_nest_ten_deep(opened):
    query = Query("people").count()
    for i in range(1000):
        query = query.where(Compare("age", "!=", Fraction(i)))
    assert opened[0].fetch(statement(opened, query))[0][1] == 0  # age 1 is excluded
