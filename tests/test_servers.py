"""The servers of ``tests/servers.py`` work, and a suite is never left out in silence."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from tests.conftest import OneWorkerForASuite

ROOT = Path(__file__).parents[1]


def value(address: str, statement: str):
    import psycopg

    with psycopg.connect(address) as connection:
        return connection.execute(statement).fetchone()[0]


def test_the_shared_server_answers_and_does_not_wait_for_the_disk(postgresql_server):
    assert value(postgresql_server.address(), "SELECT 6 * 7") == 42
    assert value(postgresql_server.address(), "SHOW fsync") == "off"


def test_a_database_is_new_for_every_test(postgresql_database):
    count = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
    assert value(postgresql_database, count) == 0
    import psycopg

    with psycopg.connect(postgresql_database) as connection:
        connection.execute("CREATE TABLE people (age integer)")
    assert value(postgresql_database, count) == 1


def test_a_wrong_password_is_refused(postgresql_server):
    import psycopg

    address = postgresql_server.address().replace(postgresql_server.cluster.password, "guess")
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(address)


def test_a_private_server_keeps_commits_through_a_crash(new_postgresql_server):
    import psycopg

    server = new_postgresql_server()
    address = server.create_database("ledger")
    assert value(address, "SHOW fsync") == "on"
    with psycopg.connect(address) as connection:
        connection.execute("CREATE TABLE charges (amount integer)")
        connection.execute("INSERT INTO charges VALUES (3)")
    server.crash()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(address)
    server.start()
    assert value(address, "SELECT sum(amount) FROM charges") == 3
    server.stop()
    server.start()
    assert value(address, "SELECT sum(amount) FROM charges") == 3


def test_a_closed_server_leaves_nothing_behind(new_postgresql_server):
    server = new_postgresql_server(durable=False)
    assert server.folder.exists()
    server.close()
    assert not server.folder.exists()


def test_spark_counts(spark_session):
    assert spark_session.sql("SELECT count(*) FROM range(10)").collect() == [(10,)]


def test_spark_follows_ansi_rules_unless_told_otherwise(spark_session, spark_session_without_ansi):
    from pyspark.errors import NumberFormatException

    cast = "SELECT CAST('x' AS INT)"
    with pytest.raises(NumberFormatException):
        spark_session.sql(cast).collect()
    assert spark_session_without_ansi.sql(cast).collect() == [(None,)]


def test_a_browser_is_found(chromium):
    answer = subprocess.run([chromium, "--version"], capture_output=True, text=True)
    assert "Chrom" in answer.stdout


class Worker:
    """Stands for a worker of pytest-xdist: it only remembers what it is sent."""

    shutting_down = False
    gateway = types.SimpleNamespace(id="worker")

    def __init__(self):
        self.sent = []

    def send_runtest_some(self, indices):
        self.sent += indices

    def shutdown(self):
        pass


@pytest.mark.parametrize("tests", [3, 40])
def test_all_tests_of_spark_go_to_one_worker_and_first(tests):
    names = [f"test_{i}[{'spark' if i % 3 == 1 else 'duckdb'}]" for i in range(tests)]
    config = types.SimpleNamespace(
        getvalue={"tx": ["popen", "popen"]}.get, getoption={"maxschedchunk": None}.get
    )
    scheduler = OneWorkerForASuite(config)
    workers = [Worker(), Worker()]
    for worker in workers:
        scheduler.add_node(worker)
    for worker in workers:
        scheduler.add_node_collection(worker, names)
    scheduler.schedule()
    for worker in workers:
        for index in worker.sent:
            scheduler.mark_test_complete(worker, index)
    spark = [i for i in range(tests) if i % 3 == 1]
    assert workers[0].sent[: len(spark)] == spark
    assert sorted(workers[0].sent + workers[1].sent) == list(range(tests))


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_suite_that_runs_together_stays_with_one_worker(workers):
    kinds = ["spark", "browser", "duckdb", "sqlite"]
    names = [f"test_{i}[{kinds[i % 4]}]" for i in range(60)]
    config = types.SimpleNamespace(
        getvalue={"tx": ["popen"] * workers}.get, getoption={"maxschedchunk": None}.get
    )
    scheduler = OneWorkerForASuite(config)
    crew = [Worker() for _ in range(workers)]
    for worker in crew:
        scheduler.add_node(worker)
    for worker in crew:
        scheduler.add_node_collection(worker, names)
    scheduler.schedule()
    for worker in crew:
        for index in worker.sent:
            scheduler.mark_test_complete(worker, index)
    assert sorted(index for worker in crew for index in worker.sent) == list(range(60))
    for kind in ("spark", "browser"):
        [own] = [worker for worker in crew if any(kind in names[i] for i in worker.sent)]
        at = [place for place, i in enumerate(own.sent) if kind in names[i]]
        assert at == list(range(at[0], at[0] + 15))


@pytest.fixture
def run_without_servers(tmp_path):
    """Runs a test of Java, PostgreSQL and Chromium where none of the three can be found."""
    starter = tmp_path / "starter.py"
    starter.write_text(
        "import sys, pytest\n"
        "from tests import servers\n"
        "servers.find_java = servers.find_postgresql = servers.find_chromium = lambda: None\n"
        "sys.exit(pytest.main(sys.argv[1:]))\n"
    )

    def run(**environment: str) -> subprocess.CompletedProcess[str]:
        names = ["spark_counts", "a_wrong_password_is_refused", "a_browser_is_found"]
        return subprocess.run(
            [sys.executable, starter, "-q", "-p", "no:cacheprovider"]
            + [f"tests/test_servers.py::test_{name}" for name in names],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            capture_output=True,
            text=True,
        )

    return run


def test_a_run_without_servers_says_what_it_left_out(run_without_servers):
    answer = run_without_servers(TWOWORLDS_REQUIRE_SERVERS="")
    assert answer.returncode == 0
    lines = [line for line in answer.stdout.splitlines() if line.startswith("Left out: ")]
    assert lines == [
        "Left out: 1 test of PostgreSQL, because no PostgreSQL server is installed "
        "(to install it: make services)",
        "Left out: 1 test of Spark, because no Java 17 or later is installed "
        "(to install it: make services)",
        "Left out: 1 test of the page in a browser, because no Chromium is installed "
        "(to install it: make services)",
    ]


def test_a_run_that_requires_servers_fails_without_them(run_without_servers):
    answer = run_without_servers(TWOWORLDS_REQUIRE_SERVERS="1")
    assert answer.returncode == 1
    assert "3 errors" in answer.stdout
