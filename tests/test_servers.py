"""The servers of ``tests/servers.py`` work, and a suite is never left out in silence."""

from __future__ import annotations

import functools
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


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_suite_that_runs_together_goes_to_one_worker_and_first(workers):
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
    assert crew[0].sent[:15] == [i for i in range(60) if kinds[i % 4] == "spark"]
    [own] = [worker for worker in crew if any("browser" in names[i] for i in worker.sent)]
    at = [place for place, i in enumerate(own.sent) if "browser" in names[i]]
    assert at == list(range(at[0], at[0] + 15))


# --- what a run leaves out ------------------------------------------------------------------------


def run_tests(*arguments, starter=("-m", "pytest"), **environment):
    answer = subprocess.run(
        [sys.executable, *starter, "-q", "-p", "no:cacheprovider", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )
    lines = answer.stdout.splitlines()
    return answer, [line for line in lines if line.startswith("Left out: ")]


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
    names = ["spark_counts", "a_wrong_password_is_refused", "a_browser_is_found"]
    tests = [f"tests/test_servers.py::test_{name}" for name in names]
    return functools.partial(run_tests, "-m", "", *tests, starter=[starter])


def test_a_run_without_servers_says_what_it_left_out(run_without_servers):
    answer, left_out = run_without_servers(TWOWORLDS_REQUIRE_SERVERS="")
    assert answer.returncode == 0
    assert left_out == [
        "Left out: 1 test of PostgreSQL, because no PostgreSQL server is installed "
        "(to install it: make services)",
        "Left out: 1 test of Spark, because no Java 17 or later is installed "
        "(to install it: make services)",
        "Left out: 1 test of the page in a browser, because no Chromium is installed "
        "(to install it: make services)",
    ]


def test_a_run_that_requires_servers_fails_without_them(run_without_servers):
    answer, _ = run_without_servers(TWOWORLDS_REQUIRE_SERVERS="1")
    assert answer.returncode == 1
    assert "3 errors" in answer.stdout


MARKED = """
import pytest

@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(40))
def test_one(seed): ...

@pytest.mark.slow
def test_two(): ...

@pytest.mark.spark
def test_spark(): ...

@pytest.mark.smoke
@pytest.mark.spark
def test_spark_answers(): ...

@pytest.mark.browser
def test_browser(): ...
"""


@pytest.mark.parametrize(("workers", "all_of_them"), [(2, False), (0, True)])
def test_slow_tests_are_left_out_and_the_run_says_so(tmp_path, workers, all_of_them):
    file = tmp_path / "test_marked.py"
    file.write_text(MARKED)
    settings = ["-c", "pyproject.toml", "--rootdir", str(tmp_path), "-p", "tests.conftest"]
    which = ["-m", ""] if all_of_them else []
    answer, left_out = run_tests(*settings, "-n", str(workers), *which, str(file))
    assert answer.returncode == 0, answer.stdout
    assert f"{44 if all_of_them else 4} passed" in answer.stdout
    told = "40 slow tests, 1 of Spark, 1 of the page in a browser among them"
    expected = [] if all_of_them else [f"Left out: {told} (to run them too: make test-all)"]
    assert left_out == expected
