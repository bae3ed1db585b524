"""Connections that are found out: types, collations, transactions, refusals without a charge."""

from __future__ import annotations

import sqlite3
from decimal import Decimal
from fractions import Fraction

import duckdb
import pytest

from tests.release.backends.test_awkward import totals, x
from twoworlds.errors import InvalidInput
from twoworlds.release import Curator, ReleaseFailed
from twoworlds.release.backends import open_backend
from twoworlds.release.backends.sources import place_of
from twoworlds.release.certificate import certify, check_certificate
from twoworlds.release.examples import lay_out
from twoworlds.release.policy import Column, read_policy
from twoworlds.release.query import Compare, Query


class Changed:
    """A connection of DuckDB that changes what it is asked."""

    def __init__(self, *changes):
        self.connection, self.changes = duckdb.connect(), changes

    def cursor(self):
        return self

    def close(self):
        pass

    def execute(self, text):
        for before, after in self.changes:
            text = text.replace(before, after)
        self.connection.execute(text)
        self.description = self.connection.description

    def fetchmany(self, size):
        return self.connection.fetchmany(size)

    def fetchall(self):
        return self.connection.fetchall()


def opened(connection, dialect="trino", **more):
    return open_backend({"connection": connection, "table": "t", "dialect": dialect, **more})


@pytest.fixture
def duck():
    connection = duckdb.connect()
    yield connection
    connection.close()


def test_types_are_read_in_the_words_of_the_dialect(duck):
    duck.execute(
        "CREATE TABLE t (a TINYINT, b INTEGER, c BIGINT, d REAL, e DOUBLE, f DECIMAL(30, 4), "
        "g VARCHAR, h BOOLEAN, i DATE, j TIMESTAMP, k BLOB, l INTEGER[], m HUGEINT)"
    )
    backend, relation = opened(duck)
    kinds = ["integer"] * 3 + ["number"] * 3 + ["text", "boolean", "date", "date"] + ["other"] * 3
    assert [*backend.kinds(relation).values()] == kinds
    column = Column("k", "text")
    with pytest.raises(InvalidInput, match="not known here"):
        totals(backend, relation, Query("t").count("k"), column)


def test_a_column_that_ignores_case_is_refused_and_others_are_not(duck):
    duck.execute("CREATE TABLE t (x VARCHAR COLLATE NOCASE, y VARCHAR)")
    duck.execute("INSERT INTO t VALUES ('a', 'a'), ('A', 'A')")
    backend, relation = opened(duck)
    with pytest.raises(InvalidInput, match="its collation takes texts for the same"):
        totals(backend, relation, Query("t").by("x").count(), Column("x", "text", keys=("a",)))
    found = totals(backend, relation, Query("t").by("y").count(), Column("y", "text", keys=("a",)))
    assert found == {(0,): (1,)}


def test_dates_that_are_no_dates_are_noticed():
    connection = sqlite3.connect(":memory:")
    with pytest.raises(InvalidInput, match="it differs in dates as keys"):
        opened(connection, "materialize")
    connection.close()


class Described(Changed):
    """A connection without a catalogue, whose driver tells texts, numbers and times apart."""

    __module__ = "duckdb"


@pytest.mark.parametrize("kind", [Changed, Described])
def test_without_a_catalogue_types_are_what_the_driver_says(kind):
    connection = kind(("information_schema", "nothing"))
    connection.execute("CREATE TABLE t (x DOUBLE, y VARCHAR, z TIMESTAMP, b BLOB)")
    connection.execute("INSERT INTO t VALUES (2.7, 'a', '2026-01-02 03:04', NULL)")
    backend, relation = opened(connection)
    asked = Query("t").sum("x").count("y", where=Compare("y", "=", "a"))
    if kind is Changed:
        assert {*backend.kinds(relation).values()} == {"other"}
        with pytest.raises(InvalidInput, match="type that is not known here"):
            totals(backend, relation, asked, x("integer"), Column("y", "text"))
        return
    assert [*backend.kinds(relation).values()] == ["number", "text", "date", "other"]
    for declared in ("integer", "number"):
        found = totals(backend, relation, asked, x(declared), Column("y", "text"))
        assert found == {(): (3, 1)}
    days = totals(backend, relation, Query("t").by("z", discover=True).count(), Column("z", "date"))
    assert [str(day) for (day,) in days] == ["2026-01-02"]


def test_tables_of_the_same_name_with_other_types_need_a_schema(duck):
    duck.execute("CREATE TABLE t (x INTEGER); CREATE SCHEMA s; CREATE TABLE s.t (x VARCHAR)")
    with pytest.raises(InvalidInput, match="give schema:"):
        opened(duck)
    backend, relation = opened(duck, schema="s")
    assert backend.kinds(relation) == {"x": "text"}
    with pytest.raises(InvalidInput, match="there is no table"):
        opened(duck, schema="none")


def test_many_keys_are_looked_up(duck):
    duck.execute("CREATE TABLE t AS SELECT CAST(range AS VARCHAR) AS x FROM range(3000)")
    keys = tuple(map(str, range(2000)))
    query = Query("t").by("x", other=True).count()
    found = totals(*opened(duck), query, Column("x", "text", keys=keys))
    assert found == {**{(i,): (1,) for i in range(2000)}, (2000,): (1000,)}


def test_trying_leaves_an_open_transaction_as_it_was(postgresql_database):
    import psycopg

    with psycopg.connect(postgresql_database) as connection:
        connection.execute("CREATE TABLE t (x integer)")
        connection.execute("INSERT INTO t VALUES (1), (2)")
        backend, relation = opened(connection, "materialize")
        assert totals(backend, relation, Query("t").sum("x"), x("integer")) == {(): (3,)}
        connection.rollback()
        assert connection.execute("SELECT to_regclass('t')").fetchone() == (None,)


def test_decimals_without_bounds_are_refused_before_one_of_them_fails(postgresql_database):
    import psycopg

    with psycopg.connect(postgresql_database) as connection:
        connection.execute("CREATE TABLE t (x numeric, y double precision)")
        connection.execute("INSERT INTO t VALUES (1e400, 2.5)")
        backend, relation = opened(connection, "materialize")
        with pytest.raises(InvalidInput, match="larger than any float"):
            totals(backend, relation, Query("t").sum("x"), x("number"))
        column = Column("y", "number", Fraction(0), Fraction(9), unit=Fraction(1, 2))
        assert totals(backend, relation, Query("t").sum("y"), column) == {(): (5,)}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ((("ROUND(", "TRUNC("),), "it differs in sums of floats"),
        ((("SUM(", "FSUM("),), "sums of whole numbers below 2^63 are not exact"),
        ((("'A'", "'a'"),), "it differs in texts as keys"),
        ((("ROW_NUMBER()", "1 + 0 * ROW_NUMBER()"),), "rows of a person"),
        ((("SELECT", "SELEKT"),), "it fails at"),
    ],
)
def test_an_engine_that_is_a_little_wrong_is_refused_and_nothing_is_charged(
    changes, said, tmp_path
):
    lay_out(tmp_path)
    source = {"connection": Changed(*changes), "table": "people", "dialect": "trino"}
    policy = read_policy(tmp_path / "policy.yml")
    with Curator.open(policy, sources={"people": source}) as curator:
        with pytest.raises(InvalidInput) as caught:
            curator.release("SELECT COUNT(*) FROM people", "1", analyst="ann")
        assert said in str(caught.value)
        assert "nothing was charged" in str(caught.value)
        assert curator.ledger.spent("people").epsilon == 0


def test_a_release_from_a_connection_that_was_found_out(tmp_path):
    lay_out(tmp_path)
    honest = Changed()
    honest.execute(f"CREATE TABLE people AS SELECT * FROM '{tmp_path / 'people.parquet'}'")
    source = {"connection": honest, "table": "people", "dialect": "trino"}
    policy = read_policy(tmp_path / "policy.yml")
    with Curator.open(policy, sources={"people": source}) as curator:
        assert curator.plan("SELECT COUNT(*) FROM people", "4", analyst="ann").price.epsilon == 4
        released = curator.release_all(["SELECT COUNT(*) FROM people"], "4", analyst="ann")
        [row] = released.answers[0].rows()
        certificate = certify(released)
        assert "(trino)" in certificate["statement"]["source"]
        assert check_certificate(certificate).holds
        [count] = honest.connection.execute("SELECT COUNT(*) FROM people").fetchone()
        assert abs(row["count"] - count) < 20  # missed with probability e^-80
        assert curator.ledger.spent("people").epsilon == 4


class Lying(Changed):
    """An engine that is right about constants, and later hands over rows that it cannot have."""

    lie = None

    def fetchmany(self, size):
        rows = super().fetchmany(size)
        return rows if self.lie is None else [row for one in rows for row in self.lie(one)]


LIES = {
    "a column short": lambda row: [row[:-1]],
    "a column more": lambda row: [(*row, 1)],
    "halves": lambda row: [(*row[:-1], row[-1] + 0.5)],
    "negative": lambda row: [(*row[:-1], -row[-1])],
    "missing": lambda row: [(*row[:-1], None)],
    "not a number": lambda row: [(*row[:-1], float("nan"))],
    "text": lambda row: [(*row[:-1], str(row[-1]))],
    "twice": lambda row: [row, row],
    "another group": lambda row: [(row[0], 99, *row[2:])],
    "another part": lambda row: [(7, *row[1:])],
}


def test_rows_that_a_statement_cannot_have_are_one_and_the_same_failure(tmp_path):
    lay_out(tmp_path)
    engine = Lying()
    engine.execute(f"CREATE TABLE people AS SELECT * FROM '{tmp_path / 'people.parquet'}'")
    source = {"connection": engine, "table": "people", "dialect": "trino"}
    query = "SELECT region, COUNT(*) FROM people GROUP BY region"
    with Curator.open(tmp_path / "policy.yml", sources={"people": source}) as curator:
        curator.release("SELECT COUNT(*) FROM people", "1/10", analyst="ann")
        for lie in LIES.values():
            engine.lie = lie
            with pytest.raises(ReleaseFailed):
                curator.release(query, "1", analyst="ann")
        engine.lie = lambda row: [(*map(float, row[:2]), *map(Decimal, row[2:]))]
        assert len(curator.release(query, "1", analyst="ann").rows()) == 7
        assert curator.ledger.spent("people").epsilon == Fraction(11, 10)


def test_only_engines_that_are_tried_are_named():
    known = [
        {"connection": sqlite3.connect(":memory:"), "table": "t"},
        {"connection": duckdb.connect(), "table": "t", "dialect": "duckdb"},
        {"postgresql": "postgresql://ann:s3cret@host/db", "table": "t"},
        object(),
    ]
    assert [place_of(source) for source in known] == [None] * 4
    known[0]["connection"].close()
    named = place_of({"mysql": "mysql://ann:s3cret@host/db", "table": "t"})
    assert "(mysql)" in named
    assert "s3cret" not in named


# --- MariaDB ------------------------------------------------------------------------------------


@pytest.fixture
def maria(mariadb_server, mariadb_database):
    connection = mariadb_server.connect(mariadb_database)
    yield connection
    connection.close()


def execute(connection, *statements):
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def test_collations_and_character_sets_of_mariadb_do_not_merge_keys(maria):
    execute(
        maria,
        "CREATE TABLE t (x VARCHAR(9) CHARSET latin1 COLLATE latin1_german2_ci, "
        "y CHAR(9) CHARSET utf8mb4 COLLATE utf8mb4_unicode_ci)",
        "INSERT INTO t VALUES ('a', 'a'), ('A', 'A'), ('ä', 'ä'), ('ae', 'ae'), ('a ', 'a'), "
        "('', ''), (' ', NULL)",
    )
    backend, relation = opened(maria, "mysql")
    keys = ("a", "A", "ä", "ae", "a ", "", " ")
    for name, counts in (("x", [1] * 7), ("y", [2, 1, 1, 1, 0, 1, 0])):
        query = Query("t").by(name).count()
        found = totals(backend, relation, query, Column(name, "text", keys=keys))
        assert [found.get((i,), (0,))[0] for i in range(7)] == counts
    query = Query("t").by("x", discover=True).count()
    assert {*totals(backend, relation, query, Column("x", "text"))} == {(k,) for k in keys}


def test_every_width_of_integer_is_clamped_without_overflow_in_mariadb(maria):
    widths = {
        "TINYINT": (-128, 127),
        "SMALLINT UNSIGNED": (0, 65535),
        "MEDIUMINT": (-(2**23), 2**23 - 1),
        "INT UNSIGNED": (0, 2**32 - 1),
        "BIGINT": (-(2**63), 2**63 - 1),
        "BIGINT UNSIGNED": (0, 2**64 - 1),
        "DECIMAL(65, 0)": (-(10**64), 10**64),
        "DECIMAL(40, 30)": (-9, 9),
    }
    columns = [f"x{i} {kind}" for i, kind in enumerate(widths)]
    rows = [[str(ends[i]) for ends in widths.values()] for i in range(2)]
    rows += [["5"] * len(widths), ["NULL"] * len(widths)]
    values = ", ".join(f"({', '.join(row)})" for row in rows)
    execute(maria, f"CREATE TABLE t ({', '.join(columns)})", f"INSERT INTO t VALUES {values}")
    backend, relation = opened(maria, "mysql")
    for i, (kind, (low, high)) in enumerate(widths.items()):
        for bound, unit in ((128, 1), (2**50, 1), (3000, 7), (2**49, "1000/999")):
            name, size, step = f"x{i}", Fraction(unit) * bound, Fraction(unit)
            query = Query("t").mean(name).count(where=Compare(name, ">", Fraction(10**50)))
            column = Column(name, "integer", -size, size, unit=step)
            values = [round(Fraction(v) / step) for v in (low, high, 5)]
            wanted = sum(min(max(v, -bound), bound) for v in values)
            found = totals(backend, relation, query, column)
            assert found == {(): (3, wanted, 0)}, (kind, bound, unit)


def test_truths_dates_and_lists_of_mariadb(maria):
    execute(
        maria,
        "SET SESSION sql_mode = 'ALLOW_INVALID_DATES'",
        "CREATE TABLE t (b BOOLEAN, d DATE, e ENUM('low', 'High'), s DATETIME(6), y YEAR, j TIME)",
        "INSERT INTO t VALUES (0, '0000-00-00', 'low', '2026-01-02 23:59:59.999999', 2026, 0)",
        "INSERT INTO t VALUES (5, '2026-01-02', 'High', NULL, NULL, NULL)",
        "INSERT INTO t (d) VALUES ('2026-02-31'), ('9999-12-31'), ('0001-01-01')",
        "INSERT INTO t VALUES (NULL, '2026-00-00', NULL, '0000-00-00', 1999, NULL)",
    )
    backend, relation = opened(maria, "mysql")
    kinds = ["boolean", "date", "text", "date", "integer", "other"]
    assert [*backend.kinds(relation).values()] == kinds
    query = Query("t").by("b", other=True).count()
    found = totals(backend, relation, query, Column("b", "boolean", keys=(True, False)))
    assert found == {(0,): (1,), (1,): (1,), (2,): (4,)}
    column = Column("b", "integer", Fraction(0), Fraction(9))
    assert totals(backend, relation, Query("t").sum("b"), column) == {(): (5,)}
    for name, found in (("d", {"2026-01-02", "9999-12-31", "0001-01-01"}), ("s", {"2026-01-02"})):
        query = Query("t").by(name, discover=True).count()
        days = totals(backend, relation, query, Column(name, "date"))
        assert {str(day) for (day,) in days} == found
    column = Column("e", "text", keys=("low", "high", "High"))
    found = totals(backend, relation, Query("t").by("e").count(), column)
    assert found == {(0,): (1,), (2,): (1,)}


def test_sums_beyond_64_bits_and_many_keys_in_mariadb(maria):
    execute(
        maria,
        "CREATE TABLE t (x BIGINT, k INT)",
        f"INSERT INTO t SELECT {2**61 - 1}, seq FROM seq_1_to_3000",
    )
    backend, relation = opened(maria, "mysql")
    column = x("integer", -(2**61), 2**61)
    assert totals(backend, relation, Query("t").sum("x"), column) == {(): (3000 * (2**61 - 1),)}
    keys = tuple(map(Fraction, range(2000)))
    query = Query("t").by("k", other=True).count()
    found = totals(backend, relation, query, Column("k", "integer", keys=keys))
    assert sum(n for (n,) in found.values()) == 3000
    assert found[2000,] == (1001,)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"charset": "latin1"}, "tried on constants"),
        ({"sql_mode": "NO_BACKSLASH_ESCAPES"}, "it differs in texts as discovered"),
        ({"sql_mode": "ANSI_QUOTES,PIPES_AS_CONCAT,STRICT_ALL_TABLES"}, None),
        ({"sql_mode": ""}, None),
    ],
)
def test_settings_that_change_the_meaning_of_a_statement_are_refused(
    options, said, mariadb_server, mariadb_database
):
    connection = mariadb_server.connect(mariadb_database, **options)
    execute(connection, "CREATE TABLE t (x INT)")
    if said is None:
        opened(connection, "mysql")
    else:
        with pytest.raises(InvalidInput, match=said):
            opened(connection, "mysql")
    connection.close()


def test_an_own_connection_to_mariadb_reads_only(mariadb_server, mariadb_database, maria):
    execute(maria, "CREATE TABLE t (x INT)", "INSERT INTO t VALUES (3)")
    source = {"mysql": mariadb_server.address(mariadb_database), "table": "t"}
    backend, relation = open_backend(source)
    assert totals(backend, relation, Query("t").sum("x"), x("integer")) == {(): (3,)}
    import pymysql

    with pytest.raises(pymysql.Error, match="READ ONLY"):
        execute(backend._connection, "DELETE FROM t")
    with pytest.raises(InvalidInput, match="there is no table 'T'"):
        backend.relation("T")
    backend.close()
    backend, relation = open_backend({**source, "table": f"{mariadb_database}.t"})
    backend.close()
