"""A server that is opened for reading is not written, whatever the functions of its views try."""

from __future__ import annotations

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.release import Curator, ReleaseFailed, parse_policy
from twoworlds.release.backends import open_backend

TRICKS = {
    "nothing": "",
    "this transaction": "SET transaction_read_only = off;",
    "all transactions": "SET default_transaction_read_only = off;",
}


def release_twice(source, folder):
    """Ask for two counts; a setting that the first reading changed is there in the second."""
    policy = f"""
ledger: ledger.db
datasets:
  people:
    source: {source}
    neighbours: add-remove
    unit: row
    columns: {{age: {{kind: integer, bounds: [0, 110]}}}}
    budget: epsilon=2
"""
    parsed = parse_policy(policy, folder=folder)
    with Curator.open(parsed) as curator:
        for asked in ("SELECT COUNT(*) FROM people", "SELECT SUM(age) FROM people"):
            with pytest.raises(ReleaseFailed):
                curator.release(asked, "1")


@pytest.mark.parametrize("trick", TRICKS)
def test_a_view_cannot_write_to_postgresql(trick, postgresql_database, tmp_path):
    import psycopg

    with psycopg.connect(postgresql_database, autocommit=True) as owner:
        owner.execute("CREATE TABLE seen (age integer)")
        owner.execute(
            "CREATE FUNCTION note() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN "
            f"{TRICKS[trick]} INSERT INTO seen VALUES (1); RETURN 1; END $$"
        )
        owner.execute("CREATE VIEW people AS SELECT note() AS age")
        release_twice(f"{{postgresql: '{postgresql_database}', table: people}}", tmp_path)
        assert owner.execute("SELECT COUNT(*) FROM seen").fetchone() == (0,)


def test_a_reading_that_may_go_on_leaves_postgresql_unwritten(postgresql_database):
    """A function that undoes the reading mode of the session, and fails to write, at first."""
    import psycopg

    with psycopg.connect(postgresql_database, autocommit=True) as owner:
        owner.execute("CREATE TABLE seen (age integer)")
        owner.execute(
            "CREATE FUNCTION note() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN "
            "PERFORM set_config('default_transaction_read_only', 'off', false); "
            "BEGIN INSERT INTO seen VALUES (1); EXCEPTION WHEN OTHERS THEN NULL; END; "
            "RETURN 1; END $$"
        )
        owner.execute("CREATE VIEW people AS SELECT note() AS age")
        backend, relation = open_backend({"postgresql": postgresql_database, "table": "people"})
        for _ in range(3):
            assert backend.fetch(select_age(relation)) == [(1,)]
        backend.close()
        assert owner.execute("SELECT COUNT(*) FROM seen").fetchone() == (0,)


def test_a_view_cannot_write_to_mysql(mariadb_server, mariadb_database):
    """One view undoes the reading mode of the session, another one then tries to write."""
    import pymysql

    owner = mariadb_server.connect(mariadb_database)
    cursor = owner.cursor()
    for statement in (
        "CREATE TABLE seen (age integer)",
        "CREATE FUNCTION reopen() RETURNS integer "
        "BEGIN SET SESSION tx_read_only = 0; RETURN 1; END",
        "CREATE FUNCTION note() RETURNS integer BEGIN INSERT INTO seen VALUES (1); RETURN 1; END",
        "CREATE VIEW people AS SELECT reopen() AS age",
        "CREATE VIEW others AS SELECT note() AS age",
    ):
        cursor.execute(statement)
    source = {"mysql": mariadb_server.address(mariadb_database), "table": "people"}
    with pytest.raises(InvalidInput, match="no table 'others'"):
        open_backend(source | {"table": "others"})
    backend, relation = open_backend(source)
    assert backend.fetch(select_age(relation)) == [(1,)]
    with pytest.raises(pymysql.Error, match="READ ONLY"), backend._session([]) as run:
        [*run("SELECT age FROM others")]
    backend.close()
    cursor.execute("SELECT COUNT(*) FROM seen")
    assert cursor.fetchone() == (0,)
    owner.close()


def select_age(relation):
    from sqlglot import exp

    return exp.select(exp.column("age")).from_(relation)
