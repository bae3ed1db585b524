"""Ledgers to test with, and a way to run `worker.py`."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from twoworlds.release.ledger import Ledger

WORKER = Path(__file__).with_name("worker.py")
MEMORY = Path("/dev/shm")  # kill -9 does not harm it, and syncing it takes no time


@pytest.fixture
def folder():
    """A folder in memory, where there is one, that every user of the machine may enter."""
    place = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
    place.chmod(0o755)
    yield place
    place.chmod(0o755)
    shutil.rmtree(place)


@pytest.fixture
def path(folder):
    """A new ledger with caps for the dataset people, as a whole and for two analysts."""
    made = folder / "ledger.db"
    with Ledger.create(made) as ledger:
        ledger.set_cap("people", "epsilon=1")
        ledger.set_cap("people", "epsilon=1", analyst="ann")
        ledger.set_cap("people", "epsilon=1/2", analyst="bob")
    return made


@pytest.fixture
def ledger(path):
    """The same ledger, open."""
    with Ledger.open(path, timeout=0.2) as opened:
        yield opened


@pytest.fixture
def run():
    """A function that runs a mode of the worker and returns what it prints."""

    def worker(mode, *arguments):
        done = subprocess.run(
            [sys.executable, str(WORKER), mode, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return json.loads(done.stdout)

    return worker
