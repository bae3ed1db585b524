"""The probe lets right engines pass, and names what is wrong with the others."""

from __future__ import annotations

import sqlite3

import duckdb
import pytest

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.dbapi import DbApiBackend
from twoworlds.release.plan.engines import dialects, engine_of, is_known
from twoworlds.release.plan.portable import find_habits
from twoworlds.release.plan.probe import probe
from twoworlds.release.plan.trials import trials


class FloatSum:
    """A sum in floats, as some engines have it."""

    def __init__(self):
        self.total = None

    def step(self, x):
        if x is not None:
            self.total = (self.total or 0.0) + x

    def finalize(self):
        return self.total


class CountAll:
    """A count that counts missing values too."""

    def __init__(self):
        self.count = 0

    def step(self, *_):
        self.count += 1

    def finalize(self):
        return self.count


def light():
    connection = sqlite3.connect(":memory:")
    DbApiBackend(connection, "sqlite")  # gives it MD5
    return connection


def runner(connection, dialect, *changes):
    """Run queries; each change is a text and what stands there instead."""

    def run(query):
        text = query.sql(dialect)
        for before, after in changes:
            text = text.replace(before, after)
        return connection.execute(text).fetchall()

    return run


def refusal(run, dialect):
    with pytest.raises(InvalidInput) as caught:
        probe(run, dialect, engine_of(dialect))
    assert "nothing was charged" in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(("connect", "dialect"), [(light, "sqlite"), (duckdb.connect, "duckdb")])
def test_engines_that_are_known_pass(connect, dialect):
    connection = connect()
    probe(runner(connection, dialect), dialect, engine_of(dialect))
    connection.close()


def test_postgresql_passes(postgresql_database):
    import psycopg

    with psycopg.connect(postgresql_database) as connection:
        probe(runner(connection, "postgres"), "postgres", engine_of("postgres"))


@pytest.mark.parametrize(
    ("function", "arguments", "other", "said"),
    [
        ("round", 1, lambda x: x if x is None else float(int(x)), "sums of floats"),
        ("round", 1, lambda x: x if x is None else x + 0.25, "sums of floats"),
        ("coalesce", 2, None, None),
        ("md5", 1, None, "fails at at most 1 rows of a person"),
    ],
)
def test_a_function_that_computes_something_else_is_noticed(function, arguments, other, said):
    connection = light()
    if function == "coalesce":  # SQLite does not let it be replaced
        changes = [("COALESCE(", "MIN(")]
        assert "texts as keys" in refusal(runner(connection, "sqlite", *changes), "sqlite")
    else:
        connection.create_function(function, arguments, other)
        assert said in refusal(runner(connection, "sqlite"), "sqlite")
    connection.close()


@pytest.mark.parametrize(
    ("aggregate", "other", "said"),
    [("sum", FloatSum, "sums of whole numbers below 2^63"), ("count", CountAll, "differs in")],
)
def test_an_aggregate_that_computes_something_else_is_noticed(aggregate, other, said):
    connection = light()
    connection.create_aggregate(aggregate, 1, other)
    assert said in refusal(runner(connection, "sqlite"), "sqlite")
    connection.close()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([("COLLATE BINARY", "COLLATE NOCASE")], "texts as keys"),
        ([("COLLATE BINARY", "COLLATE RTRIM")], "texts as keys"),
        ([("ROW_NUMBER()", "RANK()")], "rows of a person"),
        ([("DENSE_RANK()", "1 + 0 * ROW_NUMBER()")], "one group of a person"),
        ([("LEFT JOIN", "INNER JOIN")], "texts as keys"),
        ([("UNION ALL", "UNION")], "differs in"),
        ([("<=", "<")], "comparisons"),
        ([("TRUE", "FALSE")], "truths"),
        ([("IS NULL", "= NULL")], "texts"),
        ([("DATE(", "DATETIME(")], "dates"),
        ([("CASE", "KASE")], "fails at"),
        ([("'b\\n'", "'b\n'")], "texts"),
    ],
)
def test_an_engine_that_reads_sql_in_another_way_is_noticed(changes, said):
    connection = light()
    assert said in refusal(runner(connection, "sqlite", *changes), "sqlite")
    connection.close()


@pytest.mark.parametrize(
    ("dialect", "passes"),
    [("trino", True), ("materialize", True), ("postgres", True), ("bigquery", False)],
)
def test_what_duckdb_does_is_found_out_by_trying(dialect, passes):
    connection = duckdb.connect()
    run = runner(connection, dialect)
    habits = find_habits(run)
    if passes:
        probe(run, dialect, habits)
    else:
        with pytest.raises(InvalidInput, match="tried on constants"):
            probe(run, dialect, habits)
    connection.close()


def test_every_dialect_of_sqlglot_is_known_or_can_be_tried():
    known = [name for name in dialects() if is_known(name)]
    assert known == ["duckdb", "mysql", "postgres", "spark", "sqlite"]
    assert {"trino", "snowflake", "oracle", "tsql", "bigquery", "clickhouse"} <= {*dialects()}
    for name in dialects():
        if name not in known:
            with pytest.raises(InvalidInput, match="found out on a connection"):
                engine_of(name)
    with pytest.raises(InvalidInput, match="did you mean 'mysql'"):
        engine_of("mysqll")


def test_an_engine_that_answers_nothing_is_refused_for_every_dialect():
    def run(query):
        raise ValueError("no")

    for name in dialects():
        habits = engine_of(name) if is_known(name) else find_habits(run)
        with pytest.raises(InvalidInput, match=r"fails at texts as keys"):
            probe(run, name, habits)


def test_trials_have_names_and_infinities_only_where_there_are_some():
    assert len({trial.what for trial in trials(infinite=False)}) >= 15
    for infinite in (False, True):
        values = {
            x for trial in trials(infinite=infinite) for row in trial.rows for x in row.values()
        }
        assert (float("inf") in values) == infinite
