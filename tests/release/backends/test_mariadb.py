"""MariaDB: its collations, widths, dates and settings."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.release.backends.test_awkward import check_width, totals, x
from twoworlds.errors import InvalidInput
from twoworlds.release.backends import open_backend
from twoworlds.release.policy import Column
from twoworlds.release.query import Query


@pytest.fixture
def maria(mariadb_server, mariadb_database):
    connection = mariadb_server.connect(mariadb_database)
    connection.source = {"mysql": mariadb_server.address(mariadb_database), "table": "t"}
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
    backend, relation = open_backend(maria.source)
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
    backend, relation = open_backend(maria.source)
    for i, (kind, ends) in enumerate(widths.items()):
        if not kind.startswith("DECIMAL"):  # these are read as floats
            check_width(backend, relation, f"x{i}", ends)
    for i, ends in ((6, (-(10**64), 10**64)), (7, (-9, 9))):
        column = Column(f"x{i}", "integer", Fraction(-128), Fraction(128))
        wanted = sum(min(max(v, -128), 128) for v in (*ends, 5))
        assert totals(backend, relation, Query("t").sum(f"x{i}"), column) == {(): (wanted,)}


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
    backend, relation = open_backend(maria.source)
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
    backend, relation = open_backend(maria.source)
    column = x("integer", -(2**61), 2**61)
    assert totals(backend, relation, Query("t").sum("x"), column) == {(): (3000 * (2**61 - 1),)}
    keys = tuple(map(Fraction, range(2000)))
    query = Query("t").by("k", other=True).count()
    found = totals(backend, relation, query, Column("k", "integer", keys=keys))
    assert sum(n for (n,) in found.values()) == 3000
    assert found[2000,] == (1001,)


def test_settings_of_the_server_do_not_change_the_meaning_of_a_statement(maria):
    mode = "NO_BACKSLASH_ESCAPES,ANSI_QUOTES,PIPES_AS_CONCAT,HIGH_NOT_PRECEDENCE"
    execute(maria, "CREATE TABLE t (x VARCHAR(9)) CHARSET utf8mb4", "INSERT INTO t VALUES ('\\\\')")
    execute(maria, f"SET GLOBAL sql_mode = '{mode}'")
    try:
        backend, relation = open_backend(maria.source)
        column = Column("x", "text", keys=("\\",))
        assert totals(backend, relation, Query("t").by("x").count(), column) == {(0,): (1,)}
        backend.close()
    finally:
        execute(maria, "SET GLOBAL sql_mode = DEFAULT")


def test_an_own_connection_to_mariadb_reads_only(mariadb_database, maria):
    execute(maria, "CREATE TABLE t (x INT)", "INSERT INTO t VALUES (3)")
    backend, relation = open_backend(maria.source)
    assert totals(backend, relation, Query("t").sum("x"), x("integer")) == {(): (3,)}
    import pymysql

    with pytest.raises(pymysql.Error, match="READ ONLY"), backend._session([]) as run:
        list(run("DELETE FROM t"))
    with pytest.raises(InvalidInput, match="there is no table 'T'"):
        backend.relation("T")
    backend.close()
    backend, relation = open_backend({**maria.source, "table": f"{mariadb_database}.t"})
    backend.close()


def test_only_tables_of_innodb_are_read_at_one_moment(maria):
    execute(maria, "CREATE TABLE t (x INT) ENGINE=InnoDB", "CREATE TABLE u (x INT) ENGINE=MyISAM")
    execute(maria, "CREATE VIEW v AS SELECT * FROM u")
    for name, promised in (("t", True), ("u", False), ("v", False)):
        backend, relation = open_backend({**maria.source, "table": name})
        assert backend.snapshot(relation) is promised
        backend.close()
