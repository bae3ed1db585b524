"""parse_sql: what each part of the subset means."""

from datetime import date
from fractions import Fraction

import pytest

from tests.release.query.people import PEOPLE
from twoworlds.errors import InvalidInput
from twoworlds.release.policy import Column, Dataset, Policy
from twoworlds.release.query import Compare, Missing, Not, OneOf, Query
from twoworlds.release.query.conditions import column
from twoworlds.release.query.sql import parse_sql

people = Query("people")
age, income, region, member, born, city = map(
    column, ("age", "income", "region", "member", "born", "city")
)

AGGREGATES = [
    ("COUNT(*)", people.count()),
    ("COUNT(income)", people.count("income")),
    ("COUNT(*) AS n", people.count(name="n")),
    ("(COUNT(*))", people.count()),
    ("COUNT(DISTINCT pid)", people.people()),
    ("COUNT(DISTINCT people.PID)", people.people()),
    ("PEOPLE()", people.people()),
    ("SUM(income)", people.sum("income")),
    ("AVG(income)", people.mean("income")),
    ("MEAN(income)", people.mean("income")),
    ("VAR_POP(income)", people.variance("income")),
    ("VARIANCE(income)", people.variance("income")),
    ("MEDIAN(age)", people.median("age")),
    ("QUANTILE(age, 0.9)", people.quantile("age", Fraction(9, 10))),
    ("QUANTILE_CONT(age, 1/3)", people.quantile("age", Fraction(1, 3))),
    ("PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age)", people.quantile("age", "0.9")),
    (
        "PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age) FILTER (WHERE member) AS q",
        people.quantile("age", "0.9", where=member == True, name="q"),  # noqa: E712
    ),
    ("SUM(LEAST(GREATEST(income, 0), 99.5))", people.sum("income", between=(0, "99.5"))),
    ("SUM(GREATEST(LEAST(99.5, income), -1))", people.sum("income", between=(-1, "99.5"))),
    ("MEDIAN(LEAST(GREATEST(age, 0), 9))", people.median("age", between=(0, 9))),
    ("SUM(age) FILTER (WHERE age < 18)", people.sum("age", where=age < 18)),
    ("WITH_SHARE(SUM(age), 2)", people.sum("age", share=2)),
    (
        "WITH_SHARE(SUM(age) FILTER (WHERE age < 18), 0.1) AS s",
        people.sum("age", share="1/10", where=age < 18, name="s"),
    ),
    ("COUNT(*), SUM(age)", people.count().sum("age")),
    ('COUNT("two words")', people.count("two words")),
    ("count(AGE)", people.count("age")),
]


@pytest.mark.parametrize(("text", "query"), AGGREGATES)
def test_aggregates(text, query):
    assert parse_sql(f"SELECT {text} FROM people", PEOPLE) == query


CONDITIONS = [
    ("age = 18", age == 18),
    ("18 = age", age == 18),
    ("age <> 18", age != 18),
    ("age != 18", age != 18),
    ("18 < age", age > 18),
    ("18 <= age", age >= 18),
    ("18 > age", age < 18),
    ("18 >= age", age <= 18),
    ("age >= -18", age >= -18),
    ("income = 0.1", Compare("income", "=", Fraction(1, 10))),
    ("income = 1e-3", Compare("income", "=", Fraction(1, 1000))),
    ("income = 3/4", Compare("income", "=", Fraction(3, 4))),
    ("income = -1/3", Compare("income", "=", Fraction(-1, 3))),
    (
        "income = 123456789012345678901234567890.5",
        Compare("income", "=", Fraction(246913578024691357802469135781, 2)),
    ),
    ("region = 'it''s'", region == "it's"),
    ("region = '1'", region == "1"),
    ("region IN ('a', 'b')", region.is_in(["a", "b"])),
    ("region NOT IN ('a', 'b')", ~region.is_in(["a", "b"])),
    ("age BETWEEN 1 AND 2.5", age.between(1, 2.5)),
    ("age BETWEEN 1 AND 2 AND age = 3", age.between(1, 2) & (age == 3)),
    ("age IS NULL", Missing("age")),
    ("age IS NOT NULL", Not(Missing("age"))),
    ("member", Compare("member", "=", True)),
    ("NOT member", Not(Compare("member", "=", True))),
    ("member = FALSE", Compare("member", "=", False)),
    ("born >= DATE '2026-01-31'", born >= date(2026, 1, 31)),
    ("born >= '2026-01-31'", born >= date(2026, 1, 31)),
    ("CAST('2026-01-31' AS DATE) > born", born < date(2026, 1, 31)),
    ("born IN ('2026-01-31')", OneOf("born", (date(2026, 1, 31),))),
    ("age = 1 AND age = 2 AND age = 3", (age == 1) & (age == 2) & (age == 3)),
    ("age = 1 AND (age = 2 AND age = 3)", (age == 1) & (age == 2) & (age == 3)),
    ("age = 1 OR age = 2 AND age = 3", (age == 1) | ((age == 2) & (age == 3))),
    ("(age = 1 OR age = 2) AND age = 3", ((age == 1) | (age == 2)) & (age == 3)),
    ("NOT (age = 1 OR age = 2)", ~((age == 1) | (age == 2))),
    ("NOT age = 1 AND age = 2", ~(age == 1) & (age == 2)),
    ("member IS TRUE", Compare("member", "=", True) & ~Missing("member")),
    ("member IS NOT FALSE", ~(Compare("member", "=", False) & ~Missing("member"))),
    ("AGE = 1 /* a comment */ -- another", age == 1),
]


@pytest.mark.parametrize(("text", "condition"), CONDITIONS)
def test_conditions(text, condition):
    expected = people.where(condition).count()
    assert parse_sql(f"SELECT COUNT(*) FROM people WHERE {text}", PEOPLE) == expected
    filtered = parse_sql(f"SELECT COUNT(*) FILTER (WHERE {text}\n) FROM people", PEOPLE)
    assert filtered == people.count(where=condition)


COUNTED = people.by("region").count()
GROUPS = [
    ("SELECT region, COUNT(*) FROM people GROUP BY region", COUNTED),
    ("SELECT COUNT(*), region FROM people GROUP BY region", COUNTED),
    ("SELECT COUNT(*) FROM people GROUP BY region", COUNTED),
    ("SELECT region, COUNT(*) FROM people GROUP BY 1", COUNTED),
    ("SELECT region AS region, COUNT(*) FROM people GROUP BY (region)", COUNTED),
    ("SELECT p.region, COUNT(*) FROM people AS p GROUP BY p.region", COUNTED),
    ("SELECT people.REGION, COUNT(*) FROM PEOPLE GROUP BY Region;", COUNTED),
    ("FROM people SELECT COUNT(*) GROUP BY region", COUNTED),
    (
        "SELECT age, region, COUNT(*) FROM people GROUP BY region, age",
        people.by("region").by("age").count(),
    ),
    (
        "SELECT BIN(age, 0, 18, 65), COUNT(*) FROM people GROUP BY 1",
        people.by("age", bins=[0, 18, 65]).count(),
    ),
    (
        "SELECT age, COUNT(*) FROM people GROUP BY WITH_OTHER(BIN(age, 0, 0.5))",
        people.by("age", bins=[0, "1/2"], other=True).count(),
    ),
    (
        "SELECT COUNT(*) FROM people GROUP BY with_other(city)",
        people.by("city", other=True).count(),
    ),
    (
        "SELECT COUNT(*) FROM people GROUP BY KEYS(city, 'a', 'b')",
        people.by("city", keys=["a", "b"]).count(),
    ),
    (
        "SELECT COUNT(*) FROM people GROUP BY KEYS(born, '2026-01-31')",
        people.by("born", keys=[date(2026, 1, 31)]).count(),
    ),
    (
        "SELECT city, COUNT(*) FROM people GROUP BY DISCOVER(city)",
        people.by("city", discover=True).count(),
    ),
]


@pytest.mark.parametrize(("text", "query"), GROUPS)
def test_groups(text, query):
    assert parse_sql(text, PEOPLE) == query


LOOKED_UP = people.join("regions", on="region")
JOINS = [
    ("FROM people LEFT JOIN regions ON people.region = regions.code", LOOKED_UP),
    ("FROM people LEFT OUTER JOIN regions ON regions.code = people.region", LOOKED_UP),
    ("FROM people p LEFT JOIN regions r ON r.CODE = p.region", LOOKED_UP),
    ("FROM people LEFT JOIN regions ON region = KEY(regions)", LOOKED_UP),
    ("FROM people p LEFT JOIN regions r ON region = KEY(r)", LOOKED_UP),
    ("FROM people LEFT JOIN zones ON people.region = zones.id", people.join("zones", on="region")),
    (
        "FROM people JOIN regions ON people.region = regions.code",
        LOOKED_UP.where(~Missing("regions.code")),
    ),
    (
        "FROM people INNER JOIN regions ON people.region = regions.code WHERE country = 'A'",
        LOOKED_UP.where(~Missing("regions.code")).where(column("regions.country") == "A"),
    ),
    (
        "FROM people LEFT JOIN regions ON people.region = regions.code WHERE people.city = 'x'",
        LOOKED_UP.where(city == "x"),
    ),
]


@pytest.mark.parametrize(("text", "query"), JOINS)
def test_joins(text, query):
    assert parse_sql(f"SELECT COUNT(*) {text}", PEOPLE) == query.count()


def test_an_exact_name_comes_before_one_with_other_capitals():
    assert parse_sql('SELECT COUNT("Key"), COUNT("key") FROM people', PEOPLE) == people.count(
        "Key"
    ).count("key")


def test_a_long_chain_of_conditions_is_no_deep_nesting():
    text = " OR ".join(f"age = {n}" for n in range(2000))
    found = parse_sql(f"SELECT COUNT(*) FROM people WHERE {text}", PEOPLE).condition
    assert [part.value for part in found.parts] == list(range(2000))


def test_the_dataset_of_a_policy_is_the_one_that_is_named():
    visits = Dataset("visits", None, "substitute", columns={"a": Column("a", "text")})
    policy = Policy({"people": PEOPLE, "visits": visits})
    assert parse_sql("SELECT COUNT(a) FROM Visits v", policy) == Query("visits").count("a")
    assert parse_sql("SELECT COUNT(age) FROM people", policy) == people.count("age")
    with pytest.raises(InvalidInput, match="unknown dataset 'visit': did you mean 'visits'"):
        parse_sql("SELECT COUNT(a) FROM visit", policy)
    with pytest.raises(InvalidInput, match="write FROM people or visits"):
        parse_sql("SELECT COUNT(*)", policy)
