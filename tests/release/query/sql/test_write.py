"""to_sql: the text is read back as the same query, and databases agree on what it means."""

from datetime import date
from fractions import Fraction

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.release.query.people import PEOPLE
from tests.release.query.queries import conditions, queries, texts
from tests.release.query.truth import truth
from twoworlds.errors import InvalidInput
from twoworlds.release.policy import Column, Dataset
from twoworlds.release.query import Query
from twoworlds.release.query.conditions import column
from twoworlds.release.query.sql import parse_sql, to_sql

TEXTS = [
    (Query("people").count(), "SELECT COUNT(*) FROM people"),
    (Query("people").people(name="n"), "SELECT PEOPLE() AS n FROM people"),
    (
        Query("people").median("age").quantile("age", "0.9"),
        "SELECT MEDIAN(age), QUANTILE(age, 0.9) FROM people",
    ),
    (
        Query("people").by("region", other=True).by("age", bins=[0, 18, 65]).count(),
        "SELECT region, age, COUNT(*) FROM people GROUP BY WITH_OTHER(region), BIN(age, 0, 18, 65)",
    ),
    (
        Query("people").by("city", discover=True).by("region", keys=["north"]).count(),
        "SELECT city, region, COUNT(*) FROM people GROUP BY DISCOVER(city), KEYS(region, 'north')",
    ),
    (
        Query("people").join("regions", on="region").by("regions.country").mean("age"),
        "SELECT regions.country, AVG(people.age) FROM people "
        "LEFT JOIN regions ON people.region = KEY(regions) GROUP BY regions.country",
    ),
    (
        Query("people").sum("income", between=(0, "1/3"), where=column("age") != 3, share=2),
        "SELECT WITH_SHARE(SUM(LEAST(GREATEST(income, 0), 1/3)) FILTER (WHERE age <> 3), 2) "
        "FROM people",
    ),
    (
        Query("people").where((column("city") == "it's") | ~column("born").is_missing()).count(),
        "SELECT COUNT(*) FROM people WHERE city = 'it''s' OR born IS NOT NULL",
    ),
    (
        Query("people").where(column("weight").is_in([-1.5, 10**20, Fraction(-1, 3)])).count(),
        "SELECT COUNT(*) FROM people WHERE weight IN (-1.5, 100000000000000000000, -1/3)",
    ),
    (
        Query("people").where(column("born") < date(2026, 1, 31)).count('quo"ted'),
        """SELECT COUNT("quo""ted") FROM people WHERE born < DATE '2026-01-31'""",
    ),
]


@pytest.mark.parametrize(("query", "text"), TEXTS)
def test_the_text_is_what_a_person_would_write(query, text):
    assert to_sql(query) == text
    assert parse_sql(text, PEOPLE) == query


@given(queries())
def test_every_query_is_read_back(query):
    assert parse_sql(to_sql(query), PEOPLE) == query


@given(texts.filter(bool), texts.filter(bool))
def test_every_name_is_read_back(name, table):
    dataset = Dataset(table, None, "add-remove", columns={name: Column(name, "text")})
    query = Query(table).by(name, discover=True).count(name, name=f"{name}!")
    assert parse_sql(to_sql(query), dataset) == query


@pytest.mark.slow
def test_words_of_sql_are_names_too():
    from sqlglot.dialects.duckdb import DuckDB

    words = {word.lower() for word in DuckDB.Tokenizer.KEYWORDS if word.isidentifier()}
    words |= {"current_date", "current_user", "people", "keys", "bin", "e", "x", "n", "u", "b", "r"}
    words |= {name.lower() for name in DuckDB.Parser.FUNCTIONS} | {"of", "asof", "prior", "try"}
    dataset = Dataset("t", None, "add-remove", columns={w: Column(w, "text") for w in words})
    for word in sorted(words):
        query = Query("t").where(column(word) == "a").by(word).count(word, name=f"{word}_")
        assert parse_sql(to_sql(query), dataset) == query, word
        aliased = Query("t").count(name=word)
        assert parse_sql(to_sql(aliased), dataset) == aliased, word


SMALL = {
    "age": st.integers(-2, 2),
    "region": st.sampled_from(["", "a", "B"]),
    "member": st.booleans(),
    "born": st.dates(date(2000, 1, 1), date(2000, 1, 3)),
}
rows = st.fixed_dictionaries({name: st.none() | values for name, values in SMALL.items()})
TYPES = {"age": "BIGINT", "region": "VARCHAR", "member": "BOOLEAN", "born": "DATE"}


@given(conditions(tuple(SMALL)), rows)
def test_an_engine_finds_a_row_exactly_where_the_condition_is_true(condition, row):
    query = Query("people").where(condition).count()
    given_row = ", ".join(f"CAST(? AS {TYPES[name]}) AS {name}" for name in row)
    with duckdb.connect() as connection:
        text = to_sql(query).replace("FROM people", f"FROM (SELECT {given_row}) AS people")
        [(count,)] = connection.execute(text, list(row.values())).fetchall()
    assert count == (truth(condition, row) is True)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (Query("people").by("region"), "asks for nothing"),
        (Query("people").where(column("city") == "a\0b").count(), "character 0"),
    ],
)
def test_what_has_no_text_is_refused(query, reason):
    with pytest.raises(InvalidInput, match=reason):
        to_sql(query)
