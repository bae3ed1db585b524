"""Durable charges per second, against the limit, and against the databases themselves.

A charge is on the disk when `Ledger.reserve` returns; a release also stores its answer and syncs
the high-water mark. The peer commits a row of the same size in the same kind of database, each
commit synced, and keeps no chain, no caps and no mark. All of them wait for the disk, so they are
measured in many short turns, and the best turn of each counts.

The rows for PostgreSQL are there when its programs and psycopg are installed: then a server is
started, on this machine, so that a round trip costs little.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from itertools import count
from pathlib import Path

from benchmarks import Row, best_of
from tests.servers import PostgreSQLCluster, PostgreSQLServer, find_postgresql
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


def in_turns(*works: Callable[[], object]) -> list[float]:
    """The best time in seconds of each work for one charge."""
    turns = [[best_of(1, work) for work in works] for _ in range(REPEATS)]
    return [min(turn) / CHARGES for turn in zip(*turns, strict=True)]


def prepared(ledger: Ledger) -> Ledger:
    """Set the caps that the work needs."""
    ledger.set_cap("people", "epsilon=1")
    ledger.set_cap("people", "epsilon=1", analyst="ann")
    return ledger


def on_sqlite(folder: str) -> list[Row]:
    """Charges, releases, and the opening of what they left."""
    path = Path(folder, "ledger.db")
    with prepared(Ledger.create(path)) as ledger:
        charge, release = ledger_work(ledger)
        connection, commit = raw_work(Path(folder, "raw.db"))
        charged, released, raw = in_turns(charge, release, commit)
        connection.close()
        entries = ledger.state().point.sequence
    opened = best_of(3, lambda: opening(path))
    return [
        Row("durable charge", charged, peer=LIMIT, against="limit", target=1.0),
        Row("durable charge, beside SQLite", charged, peer=raw, against="bare SQLite commit"),
        Row(
            "charge, answer and mark, all durable", released, peer=raw, against="bare SQLite commit"
        ),
        Row(f"opening and verifying a ledger of {entries} entries", opened),
    ]


def on_postgresql(folder: str) -> list[Row]:
    """Charges and releases on a server of our own, if one can be had."""
    programs = find_postgresql()
    if programs is None or find_spec("psycopg") is None:
        return []
    import psycopg

    cluster = PostgreSQLCluster(programs)
    server = PostgreSQLServer(cluster, durable=True)
    try:
        with (
            prepared(Ledger.create(server.address(), mark=Path(folder, "mark"))) as ledger,
            psycopg.connect(server.address(), autocommit=True) as connection,
        ):
            connection.execute("CREATE TABLE bare (sequence bigserial PRIMARY KEY, body text)")

            def commit() -> None:
                for _ in range(CHARGES):
                    with connection.transaction():
                        connection.execute("INSERT INTO bare (body) VALUES (%s)", ("x" * 414,))

            charged, released, raw = in_turns(*ledger_work(ledger), commit)
    finally:
        server.close()
        cluster.remove()
    return [
        Row("durable charge on PostgreSQL", charged, peer=LIMIT, against="limit"),
        Row("the same, beside PostgreSQL", charged, peer=raw, against="bare PostgreSQL commit"),
        Row(
            "charge, answer and mark on PostgreSQL",
            released,
            peer=raw,
            against="bare PostgreSQL commit",
        ),
    ]


def run() -> list[Row]:
    """Both kinds of ledger; a few seconds."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:  # on a disk: /tmp may be memory
        return on_sqlite(folder) + on_postgresql(folder)
