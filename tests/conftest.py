"""Settings shared by all tests: which run by default, the hypothesis profiles, the servers.

A run leaves out the tests with the mark ``slow`` unless ``-m`` says otherwise, and its last lines
say so. These get that mark here:

* of a test with the mark ``few(number)``, all cases but that number of them, drawn once for all;
* every test that needs Spark, MariaDB or a browser, unless it has the mark ``smoke``.

A test needs a server, or a browser, if it takes one of the fixtures below; it gets the mark of its
suite, ``postgresql``, ``mariadb``, ``spark`` or ``browser``. (One that asks for a fixture by name
must carry the mark itself.) Without the server it is left out, which the last lines say as
well; with ``TWOWORLDS_REQUIRE_SERVERS=1`` it fails. A test that needs Spark or the browser says so
in its path, name or parameter, so that all of them can be sent to one worker.

``HYPOTHESIS_PROFILE`` selects a profile:

* ``default``: the same examples on every run, so that a failure is never a matter of luck;
* ``ci``: the same, and more of them, as `make test-all` takes them;
* ``thorough``: new random examples on every run, many of them, to search for what the others miss.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScheduling

from tests.servers import (
    OLDEST_JAVA,
    MariaDBServer,
    PostgreSQLCluster,
    PostgreSQLServer,
    find_chromium,
    find_java,
    find_mariadb,
    find_postgresql,
    start_spark,
    stop_spark,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession
    from xdist.workermanage import WorkerController

settings.register_profile("default", derandomize=True, deadline=None, max_examples=10)
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=100, print_blob=True)
settings.register_profile(
    "thorough", derandomize=False, deadline=None, max_examples=2000, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# One terminal for all, whatever the tests are started from: 80 columns, no colours.
for _name in ("FORCE_COLOR", "CLICOLOR_FORCE", "LINES"):
    os.environ.pop(_name, None)
os.environ |= {"COLUMNS": "80", "NO_COLOR": "1"}

collect_ignore = ["anywhere"]  # importing it changes the arithmetic of the process

_FIXTURES = {
    "browser": {"chromium"},
    "mariadb": {"mariadb_server", "mariadb_database"},
    "postgresql": {"postgresql_server", "postgresql_database", "new_postgresql_server"},
    "spark": {"java_for_spark", "spark_session", "spark_session_without_ansi"},
}
_SLOW = {"browser": "the page in a browser", "mariadb": "MariaDB", "spark": "Spark"}
_TOGETHER = ("spark", "browser")  # one worker runs all tests of such a suite
_LEFT_OUT = "left out: "
_DESELECTED = pytest.StashKey[Counter[str]]()


# --- which tests run ----------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)  # before -m selects by mark
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        for mark, fixtures in _FIXTURES.items():
            if not fixtures.isdisjoint(getattr(item, "fixturenames", ())):
                item.add_marker(mark)
        for suite in _TOGETHER:
            if item.get_closest_marker(suite) and suite not in item.nodeid:
                raise pytest.UsageError(
                    f"{item.nodeid} has the mark {suite!r}, but neither its path nor its name nor "
                    f"its parameter contains {suite!r}: rename it, so that it runs beside the "
                    "other tests of this suite"
                )
        if item.get_closest_marker("few"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
        if any(map(item.get_closest_marker, _SLOW)) and not item.get_closest_marker("smoke"):
            item.add_marker("slow")
    for name, found in cases.items():
        [number] = found[0].get_closest_marker("few").args
        kept = Random(name).sample(found, min(number, len(found)))
        for item in found:
            if item not in kept:
                item.add_marker("slow")


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count what ``-m "not slow"`` leaves out: it deselects slow tests only, ``-k`` others too."""
    if items and all(item.get_closest_marker("slow") for item in items):
        suites = ([_SLOW[one] for one in _SLOW if item.get_closest_marker(one)] for item in items)
        items[0].config.stash[_DESELECTED] = Counter(names[0] if names else "" for names in suites)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):  # a worker tells the process that reports
        session.config.workeroutput[_LEFT_OUT] = dict(session.config.stash.get(_DESELECTED, {}))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: WorkerController) -> None:
    told = getattr(node, "workeroutput", {}).get(_LEFT_OUT, {})
    node.config.stash[_DESELECTED] = Counter(told)


def leave_out(suite: str, *, because: str, install: str = "make services") -> NoReturn:
    """Skip a test for want of a server, or fail where none may be missing."""
    message = f"{_LEFT_OUT}{suite}, because {because} (to install it: {install})"
    if os.environ.get("TWOWORLDS_REQUIRE_SERVERS") == "1":
        pytest.fail(f"{message}, but TWOWORLDS_REQUIRE_SERVERS=1 forbids that", pytrace=False)
    pytest.skip(message)


@pytest.hookimpl(wrapper=True, tryfirst=True)  # so the lines come last
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> Generator[None, None, None]:
    yield
    reasons = (
        str(report.longrepr[2]).removeprefix("Skipped: ")
        for report in terminalreporter.getreports("skipped")
        if isinstance(report.longrepr, tuple)
    )
    left_out = Counter(reason for reason in reasons if reason.startswith(_LEFT_OUT))
    lines = [
        f"Left out: {number} test{'s' if number > 1 else ''} of {reason.removeprefix(_LEFT_OUT)}"
        for reason, number in sorted(left_out.items())
    ]
    if slow := config.stash.get(_DESELECTED, None):
        parts = [f"{number} of {suite}" for suite, number in sorted(slow.items()) if suite]
        within = f", {', '.join(parts)} among them" if parts else ""
        lines.append(
            f"Left out: {slow.total()} slow tests{within} (to run them too: make test-all)"
        )
    for line in lines:
        terminalreporter.write_line(line, yellow=True)


class OneWorkerForASuite(LoadScheduling):
    """The usual distribution of tests, but a worker gets all that need Spark, and them first.

    So there is one Java process, and it starts early. The next worker that asks gets all that need
    the browser. (``--dist loadgroup`` would do, but pytest-xdist 3.8 silently ignores the groups
    under pytest 9.2.)
    """

    def _send_tests(self, node: WorkerController, num: int) -> None:
        assert self.collection is not None
        for suite in _TOGETHER:
            together = [index for index in self.pending if suite in self.collection[index]]
            if together:
                self.pending[:] = together + sorted(set(self.pending).difference(together))
                num = max(num, len(together))
                break
        super()._send_tests(node, num)


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScheduling | None:
    return OneWorkerForASuite(config, log) if config.getvalue("dist") == "load" else None


# --- PostgreSQL ---------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def _postgresql_cluster() -> Iterator[PostgreSQLCluster]:
    programs = find_postgresql()
    if programs is None:
        leave_out("PostgreSQL", because="no PostgreSQL server is installed")
    if importlib.util.find_spec("psycopg") is None:
        leave_out("PostgreSQL", because="the Python package psycopg is not installed")
    cluster = PostgreSQLCluster(programs)
    yield cluster
    cluster.remove()


@pytest.fixture(scope="session")
def postgresql_server(_postgresql_cluster: PostgreSQLCluster) -> Iterator[PostgreSQLServer]:
    """A server that the tests of a worker share. It does not wait for the disk: queries only."""
    server = PostgreSQLServer(_postgresql_cluster, durable=False)
    yield server
    server.close()


_names = (f"database_{number}" for number in itertools.count(1))


@pytest.fixture
def postgresql_database(postgresql_server: PostgreSQLServer) -> Iterator[str]:
    """The address of a new, empty database on the shared server, removed after the test."""
    name = next(_names)
    yield postgresql_server.create_database(name)
    postgresql_server.drop_database(name)


@pytest.fixture
def new_postgresql_server(
    _postgresql_cluster: PostgreSQLCluster,
) -> Iterator[Callable[..., PostgreSQLServer]]:
    """Starts servers of the test's own, to stop, start and crash: ``(durable=True)``."""
    servers: list[PostgreSQLServer] = []

    def new(*, durable: bool = True) -> PostgreSQLServer:
        servers.append(PostgreSQLServer(_postgresql_cluster, durable=durable))
        return servers[-1]

    yield new
    for server in servers:
        server.close()


# --- MariaDB ------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[MariaDBServer]:
    """A server that the tests of a worker share."""
    programs = find_mariadb()
    if programs is None:
        leave_out("MariaDB", because="no MariaDB server is installed")
    if importlib.util.find_spec("pymysql") is None:
        leave_out("MariaDB", because="the Python package PyMySQL is not installed")
    server = MariaDBServer(*programs)
    yield server
    server.close()


@pytest.fixture
def mariadb_database(mariadb_server: MariaDBServer) -> Iterator[str]:
    """The name of a new, empty database on the shared server, removed after the test."""
    name = next(_names)
    mariadb_server.create_database(name)
    yield name
    mariadb_server.drop_database(name)


# --- Spark --------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def java_for_spark() -> Path:
    """The home of a Java on which PySpark, which is installed, can run."""
    java = find_java()
    if java is None:
        leave_out("Spark", because=f"no Java {OLDEST_JAVA} or later is installed")
    if importlib.util.find_spec("pyspark") is None:
        leave_out("Spark", because="the Python package pyspark is not installed")
    return java


@pytest.fixture(scope="session")
def spark_session(
    java_for_spark: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkSession]:
    """A Spark session with the ANSI rules: overflow and bad casts are errors.

    It is local, unless ``TWOWORLDS_SPARK`` gives the address of a cluster (``spark://``) or of a
    server of Spark Connect (``sc://``).
    """
    session = start_spark(java_for_spark, tmp_path_factory.mktemp("spark"))
    yield session
    stop_spark(session)


@pytest.fixture(scope="session")
def spark_session_without_ansi(spark_session: SparkSession) -> SparkSession:
    """The same Spark with its older rules: overflow wraps around and a bad cast is NULL."""
    session = spark_session.newSession()
    session.conf.set("spark.sql.ansi.enabled", "false")
    return session


# --- Chromium -----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def chromium() -> str:
    """The program of an installed Chromium or Chrome."""
    program = find_chromium()
    if program is None:
        leave_out("the page in a browser", because="no Chromium is installed")
    if importlib.util.find_spec("playwright") is None:
        leave_out("the page in a browser", because="the Python package playwright is not installed")
    return program
