"""Ledgers to test with, in SQLite and in PostgreSQL, and a way to run `worker.py`."""

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path
from unittest import mock
from uuid import uuid4

import pytest

from tests.servers import PostgreSQLServer
from twoworlds.release.ledger import Ledger

WORKER = Path(__file__).with_name("worker.py")
MEMORY = Path("/dev/shm")  # kill -9 does not harm it, and syncing it takes no time


@pytest.fixture(scope="session")
def durable_server(_postgresql_cluster):
    """A PostgreSQL server that syncs its files, as every ledger demands; in memory if it fits."""
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 1 << 30
    with mock.patch.object(tempfile, "tempdir", str(MEMORY) if roomy else None):
        server = PostgreSQLServer(_postgresql_cluster, durable=True)
    yield server
    server.close()


@pytest.fixture
def folder():
    """A folder in memory, where there is one, that every user of the machine may enter."""
    place = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
    place.chmod(0o755)
    yield place
    place.chmod(0o755)
    shutil.rmtree(place)


@pytest.fixture
def new_file(folder):
    """A function that returns the path of a ledger yet to be made."""
    numbers = count()
    return lambda: folder / f"ledger{next(numbers)}.db"


@pytest.fixture
def new_address(durable_server, folder, monkeypatch):
    """A function that returns the address of a ledger yet to be made, in a schema of its own.

    The marks are in a folder of the test, which stands for this machine.
    """
    import psycopg

    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))

    def new():
        schema = f"s{uuid4().hex}"
        with psycopg.connect(durable_server.address(), autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {schema}")
        return f"{durable_server.address()}?options=-csearch_path%3D{schema}"

    return new


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def new_place(request):
    """A function that returns the place of a ledger yet to be made, in either kind of store."""
    return request.getfixturevalue({"sqlite": "new_file"}.get(request.param, "new_address"))


def begun(place):
    with Ledger.create(place) as ledger:
        ledger.set_cap("people", "epsilon=1")
        ledger.set_cap("people", "epsilon=1", analyst="ann")
        ledger.set_cap("people", "epsilon=1/2", analyst="bob")
    return place


@pytest.fixture
def path(new_place):
    """A new ledger with caps for the dataset people, as a whole and for two analysts."""
    return begun(new_place())


@pytest.fixture
def file(new_file):
    """The same in SQLite."""
    return begun(new_file())


@pytest.fixture
def address(new_address):
    """The same in PostgreSQL."""
    return begun(new_address())


def used_up(place):
    with Ledger.open(place) as ledger:
        for number in range(10):
            ledger.pay("people", "ann", number, "1/20", lambda number=number: number)
    return place


@pytest.fixture
def used(path):
    """A closed ledger of 24 entries: the start, three caps, ten charges with their answers."""
    return used_up(path)


@pytest.fixture
def used_file(file):
    """The same in SQLite."""
    return used_up(file)


@pytest.fixture
def used_address(address):
    """The same in PostgreSQL."""
    return used_up(address)


@pytest.fixture
def ledger(path):
    """A ledger with caps, open."""
    with Ledger.open(path, timeout=0.2) as opened:
        yield opened


@pytest.fixture
def change():
    """A function that changes the entries by SQL, as nobody should, and returns what it finds."""

    def run(place, sql, *arguments):
        if isinstance(place, Path):
            connection = sqlite3.connect(place)
            with connection:
                found = connection.execute(sql, arguments).fetchall()
            connection.close()
            return found
        import psycopg

        sql = sql.replace("entries", "twoworlds_ledger").replace("?", "%s")
        with psycopg.connect(place) as connection:
            connection.execute("ALTER TABLE twoworlds_ledger DISABLE TRIGGER USER")
            done = connection.execute(sql, arguments or None)
            found = done.fetchall() if done.description else []
            connection.execute("ALTER TABLE twoworlds_ledger ENABLE TRIGGER USER")
        return found

    return run


@pytest.fixture
def run():
    """A function that runs a mode of the worker and returns what it prints."""

    def worker(mode, *arguments):
        done = subprocess.run(
            [sys.executable, str(WORKER), mode, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return json.loads(done.stdout)

    return worker
