"""Durable charges per second on SQLite, against the limit and against SQLite itself.

A charge is on the disk when `Ledger.reserve` returns; a release also stores its answer and syncs
the high-water mark. The peer commits a row of the same size in the same kind of database, each
commit synced, and keeps no chain, no caps and no mark. All of them wait for the disk, so they are
measured in many short turns, and the best turn of each counts.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

from benchmarks import Row, best_of
from twoworlds.release.ledger import Ledger

CHARGES = 20
REPEATS = 25
LIMIT = 1 / 200  # seconds for one charge


def ledger_work(ledger: Ledger) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return what charges new queries, and what charges and answers them."""
    numbers = count()

    def query() -> dict[str, object]:
        return {"aggregate": "count", "where": f"age >= {next(numbers)}", "noise": "laplace"}

    def charge() -> None:
        for _ in range(CHARGES):
            ledger.reserve("people", "ann", query(), "1/1000000")

    def release() -> None:
        for _ in range(CHARGES):
            ledger.pay("people", "ann", query(), "1/1000000", lambda: {"count": 17})

    return charge, release


def raw_work(path: Path) -> tuple[sqlite3.Connection, Callable[[], object]]:
    """Return what commits rows of the size of a charge, durably."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE entries (sequence INTEGER PRIMARY KEY, body TEXT, hash TEXT)")

    def commit() -> None:
        for _ in range(CHARGES):
            connection.execute("BEGIN IMMEDIATE")
            row = ("x" * 350, "0" * 64)
            connection.execute("INSERT INTO entries (body, hash) VALUES (?, ?)", row)
            connection.execute("COMMIT")

    return connection, commit


def opening(path: Path) -> None:
    """Open a ledger, which verifies all of it."""
    Ledger.open(path).close()


def run() -> list[Row]:
    """Charges, releases, and the opening of what they left; a few seconds."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:  # on a disk: /tmp may be memory
        path = Path(folder, "ledger.db")
        with Ledger.create(path) as ledger:
            ledger.set_cap("people", "epsilon=1")
            ledger.set_cap("people", "epsilon=1", analyst="ann")
            charge, release = ledger_work(ledger)
            connection, commit = raw_work(Path(folder, "raw.db"))
            turns = [[best_of(1, w) for w in (charge, release, commit)] for _ in range(REPEATS)]
            connection.close()
            entries = ledger.state().point.sequence
        charged, released, raw = (min(turn) / CHARGES for turn in zip(*turns, strict=True))
        opened = best_of(3, lambda: opening(path))
    return [
        Row("durable charge", charged, peer=LIMIT, against="limit", target=1.0),
        Row("durable charge, beside SQLite", charged, peer=raw, against="bare SQLite commit"),
        Row(
            "charge, answer and mark, all durable", released, peer=raw, against="bare SQLite commit"
        ),
        Row(f"opening and verifying a ledger of {entries} entries", opened),
    ]
