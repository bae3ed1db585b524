"""The servers that some tests need: PostgreSQL, MariaDB and Spark, started from nothing.

They live in a temporary folder, answer on the loopback address only, and leave nothing behind. The
fixtures are in ``tests/conftest.py``. Run as a program, this file says by its exit code whether
this machine has what a suite needs from outside Python: ``python tests/servers.py java``,
``postgresql``, ``mariadb`` or ``chromium``, the browser in which the page is tested. It therefore
imports nothing but the standard library.
"""

from __future__ import annotations

import functools
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

OLDEST_JAVA = 17  # what Spark 4 runs on


# --- what this machine has ----------------------------------------------------------------------


def version_of_java(report: str) -> int:
    """The major version in what ``java -version`` prints, 0 if there is none.

    >>> version_of_java('openjdk version "17.0.15" 2025-04-15')
    17
    >>> version_of_java('java version "1.8.0_402"')
    8
    """
    found = re.search(r'version "(?:1\.)?(\d+)', report)
    return int(found[1]) if found else 0


@functools.cache
def find_java() -> Path | None:
    """The home of the first Java that is new enough: ``JAVA_HOME``, the path, the usual folder."""
    for program in _java_programs():
        try:
            answer = subprocess.run([program, "-version"], capture_output=True, text=True)
        except OSError:
            continue
        if answer.returncode == 0 and version_of_java(answer.stderr) >= OLDEST_JAVA:
            return Path(program).resolve().parent.parent
    return None


def _java_programs() -> Iterator[str]:
    if home := os.environ.get("JAVA_HOME"):
        yield f"{home}/bin/java"
    if on_the_path := shutil.which("java"):
        yield on_the_path
    yield from sorted(map(str, Path("/usr/lib/jvm").glob("*/bin/java")))


@functools.cache
def find_postgresql() -> Path | None:
    """The folder of PostgreSQL's programs; Debian keeps them off the path, one folder a version."""
    if on_the_path := shutil.which("initdb"):
        return Path(on_the_path).resolve().parent
    versions = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    installed = sorted((program.parent for program in versions), key=lambda b: float(b.parent.name))
    return installed[-1] if installed else None


@functools.cache
def find_mariadb() -> tuple[str, str] | None:
    """The programs that make a data folder and serve it; Debian keeps the second off the path."""
    folders = f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin"
    install = shutil.which("mariadb-install-db", path=folders)
    serve = shutil.which("mariadbd", path=folders)
    return (install, serve) if install and serve else None


@functools.cache
def find_chromium() -> str | None:
    """The program of an installed Chromium or Chrome; none is ever downloaded."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, names)), None)


# --- what all servers share ---------------------------------------------------------------------


def _unprivileged(name: str) -> dict[str, Any]:
    """The arguments by which ``subprocess`` becomes that user, or ``nobody``, if this one is root.

    PostgreSQL and MariaDB refuse to run as root.
    """
    if os.getuid() != 0:
        return {}
    import pwd

    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get(name) or names["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _own(path: Path, user: dict[str, Any]) -> Path:
    if user:
        os.chown(path, user["user"], user["group"])
    return path


def _new_folder(user: dict[str, Any]) -> Path:
    return _own(Path(tempfile.mkdtemp(prefix="twoworlds-")), user)


def _run(*command: str, **user: Any) -> None:
    answer = subprocess.run(
        command,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **user,
    )
    if answer.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{answer.stdout}")


def _janitor(script: str, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    """A shell that waits, by its ``cat``, for the end of this process, whatever its cause."""
    return subprocess.Popen(
        ["sh", "-c", script, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # so that Ctrl-C does not end it first
        **{"cwd": "/", **options},
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int, log: Path, seconds: float = 600) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            if time.monotonic() > until:
                said = log.read_text() if log.exists() else "no log"
                raise RuntimeError(f"nothing listens after {seconds:g} s:\n{said}") from None
            time.sleep(0.05)
        else:
            return


# --- PostgreSQL ---------------------------------------------------------------------------------


class PostgreSQLCluster:
    """An empty data folder, made once (a second's work) and copied for every server."""

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        self.user = _unprivileged("postgres")
        self.password = secrets.token_hex(16)
        self.folder = _new_folder(self.user)
        self.data = self.folder / "data"
        password = self.folder / "password"
        password.write_text(self.password)
        _own(password, self.user)
        options = "--no-sync --no-locale --encoding=UTF8 --username=tests --auth=scram-sha-256"
        self.run("initdb", *options.split(), f"--pwfile={password}", f"--pgdata={self.data}")

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs as the right user."""
        _run(str(self.programs / program), *arguments, **self.user)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


class PostgreSQLServer:
    """A running server on a free port of the loopback address and on a socket in its folder.

    Args:
        cluster: the data folder that it starts from.
        durable: whether a commit waits for the disk. Tests of what survives a crash need that;
            tests of queries are quicker without.
    """

    def __init__(self, cluster: PostgreSQLCluster, *, durable: bool) -> None:
        self.cluster = cluster
        self.folder = _new_folder(cluster.user)
        self.data = self.folder / "data"
        _run("cp", "-R", str(cluster.data), str(self.data), **cluster.user)
        self.port = _free_port()
        with (self.data / "postgresql.conf").open("a") as settings:
            settings.write(
                f"listen_addresses = '127.0.0.1'\nport = {self.port}\n"
                f"unix_socket_directories = '{self.folder}'\ntimezone = 'UTC'\n"
            )
            if not durable:
                settings.write("fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n")
        clean_up = 'cat; "$0/pg_ctl" -D "$1/data" -m immediate stop; rm -rf "$1"'
        self._janitor = _janitor(clean_up, str(cluster.programs), str(self.folder), **cluster.user)
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def address(self, database: str = "postgres") -> str:
        """The address of a database on this server, with user and password."""
        return f"postgresql://tests:{self.cluster.password}@127.0.0.1:{self.port}/{database}"

    def create_database(self, name: str) -> str:
        """Create an empty database and return its address."""
        self._command("CREATE DATABASE {}", name)
        return self.address(name)

    def drop_database(self, name: str) -> None:
        """Remove a database, whoever is connected to it."""
        self._command("DROP DATABASE {} WITH (FORCE)", name)

    def _command(self, statement: Any, name: str) -> None:
        import psycopg
        from psycopg import sql

        with psycopg.connect(self.address(), autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(sql.Identifier(name)))

    def start(self) -> None:
        """Start the server, after `stop` or `crash`, on the same port and data."""
        self._control("start", "-w", "-l", str(self.folder / "log"))

    def stop(self) -> None:
        """Stop the server in good order: sessions end, everything is written."""
        self._control("stop", "-w", "-m", "fast")

    def crash(self) -> None:
        """End the server at once, as a crash would; it recovers at the next `start`."""
        self._control("stop", "-w", "-m", "immediate")

    def _control(self, *arguments: str) -> None:
        self.cluster.run("pg_ctl", "-D", str(self.data), *arguments)

    def close(self) -> None:
        """End the server, running or not, and remove its folder."""
        self._janitor.communicate()


# --- MariaDB ------------------------------------------------------------------------------------


class MariaDBServer:
    """A running server on a free port of the loopback address, from an empty data folder."""

    def __init__(self, install: str, serve: str) -> None:
        user = _unprivileged("mysql")
        self.folder = _new_folder(user)
        self.port = _free_port()
        data, log = f"--datadir={self.folder}/data", self.folder / "log"
        made = "--auth-root-authentication-method=normal --skip-test-db --skip-name-resolve"
        options = f"--port={self.port} --bind-address=127.0.0.1 --socket={self.folder}/socket"
        options += f" --pid-file={self.folder}/pid --log-error={log} --skip-name-resolve"
        options += " --innodb-flush-log-at-trx-commit=0 --innodb-buffer-pool-size=16M"
        clean_up = '"$0" --no-defaults "$1" $2 & cat; kill $!; wait; rm -rf "$3"'
        try:
            _run(install, "--no-defaults", data, *made.split(), **user)
            self._janitor = _janitor(clean_up, serve, data, options, str(self.folder), **user)
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        try:
            _wait_for(self.port, log)
        except BaseException:
            self.close()
            raise

    def connect(self, database: str | None = None, **options: Any) -> Any:
        """A connection of PyMySQL to this server."""
        import pymysql

        place = {"host": "127.0.0.1", "port": self.port, "user": "root", "password": ""}
        return pymysql.connect(**place, database=database, autocommit=True, **options)

    def address(self, database: str) -> str:
        return f"mysql://root@127.0.0.1:{self.port}/{database}"

    def create_database(self, name: str) -> str:
        """Create an empty database and return its address."""
        self._command(f"CREATE DATABASE `{name}`")
        return self.address(name)

    def drop_database(self, name: str) -> None:
        self._command(f"DROP DATABASE `{name}`")

    def _command(self, statement: str) -> None:
        connection = self.connect()
        connection.cursor().execute(statement)
        connection.close()

    def close(self) -> None:
        """End the server and remove its folder."""
        self._janitor.communicate()


# --- Spark --------------------------------------------------------------------------------------

SPARK = "TWOWORLDS_SPARK"  # the variable that names another Spark: spark://host:port, sc://…
_SHORT_QUERIES = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # the rest costs more than it gains
_SESSION = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
}
MACHINE = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": _SHORT_QUERIES,
    "spark.log.level": "ERROR",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
EXECUTORS = {  # two of them, and no query before both are there
    "spark.cores.max": "2",
    "spark.executor.cores": "1",
    "spark.executor.extraJavaOptions": _SHORT_QUERIES,
    "spark.executor.memory": "512m",
    "spark.scheduler.minRegisteredResourcesRatio": "1",
}


def start_spark(java: Path, folder: Path) -> SparkSession:
    """A Spark session: one thread in a Java process of its own, or on what ``SPARK`` names."""
    from pyspark.sql import SparkSession

    address = os.environ.get(SPARK, "local[1]")
    builder = SparkSession.builder.appName("twoworlds-tests")
    if address.startswith("sc://"):
        return _with_settings(builder.remote(address), _SESSION).getOrCreate()
    settings = {**_SESSION, **MACHINE, **_folders(folder)}
    if address.startswith("spark://"):
        settings |= EXECUTORS
    with mock.patch.dict(os.environ, _spark_environment(java), clear=True):
        return _with_settings(builder.master(address), settings).getOrCreate()


def _with_settings(builder: SparkSession.Builder, settings: dict[str, str]) -> SparkSession.Builder:
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder


def _folders(folder: Path) -> dict[str, str]:
    return {
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }


def _spark_environment(java: Path) -> dict[str, str]:
    """The environment without what may name another Spark."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYSPARK_"))}
    ours = {"JAVA_HOME": str(java), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    return kept | ours


def stop_spark(session: SparkSession) -> None:
    """Stop the session, and its Java process too, which would otherwise outlive it."""
    from pyspark import SparkContext

    session.stop()
    gateway = SparkContext._gateway
    if gateway is None:  # a session of Spark Connect has none
        return
    SparkContext._gateway = SparkContext._jvm = None
    gateway.shutdown()
    gateway.proc.communicate()  # closing its standard input tells it to end


@contextmanager
def spark_cluster(java: Path) -> Iterator[tuple[str, list[Path]]]:
    """A standalone cluster: a master and two workers of one core each. Its address, and the
    folders in which the workers run what they are given.
    """
    with ExitStack() as running:
        port = _free_port()
        where = ("--host", "127.0.0.1", "--webui-port", "0")
        master = "org.apache.spark.deploy.master.Master"
        running.enter_context(_spark_program(java, port, master, *where, "--port", str(port)))
        folders = []
        for _ in range(2):
            own = _free_port()
            worker = ("org.apache.spark.deploy.worker.Worker", *where, "--port", str(own))
            size = ("--cores", "1", "--memory", "512m", "--work-dir", "work")
            program = _spark_program(java, own, *worker, *size, f"spark://127.0.0.1:{port}")
            folders.append(running.enter_context(program) / "work")
        yield f"spark://127.0.0.1:{port}", folders


@contextmanager
def spark_connect(java: Path) -> Iterator[str]:
    """A server of Spark Connect, with one thread. Its address."""
    port = _free_port()
    settings = {
        **MACHINE,
        **_folders(Path()),
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    options = [f"--conf={name}={value}" for name, value in settings.items()]
    submit = ("org.apache.spark.deploy.SparkSubmit", "--master", "local[1]", *options)
    server = ("--class", "org.apache.spark.sql.connect.service.SparkConnectServer")
    with _spark_program(java, port, *submit, *server, "spark-internal"):
        yield f"sc://127.0.0.1:{port}"


@contextmanager
def _spark_program(java: Path, port: int, *command: str) -> Iterator[Path]:
    """Run a class of Spark, in a new folder, until the block ends or this process does.

    Raises:
        RuntimeError: when nothing listens on its port in time; with its log.
    """
    import pyspark

    home = Path(pyspark.__file__).parent
    folder = _new_folder({})
    environment = _spark_environment(java) | {
        "SPARK_HOME": str(home),
        "SPARK_DAEMON_MEMORY": "1g",
        "SPARK_DAEMON_JAVA_OPTS": _SHORT_QUERIES,
    }
    clean_up = '"$@" >log 2>&1 </dev/null & cat; kill $!; wait; rm -rf "$0"'
    program = (str(folder), str(home / "bin" / "spark-class"), *command)
    janitor = _janitor(clean_up, *program, cwd=folder, env=environment)
    try:
        _wait_for(port, folder / "log")
        yield folder
    finally:
        janitor.communicate()


if __name__ == "__main__":
    finders = {
        "chromium": find_chromium,
        "java": find_java,
        "mariadb": find_mariadb,
        "postgresql": find_postgresql,
    }
    sys.exit(0 if finders[sys.argv[1]]() else 1)
