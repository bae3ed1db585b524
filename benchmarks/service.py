"""Releases per second through the service, each charged durably before it is answered.

The service runs as users run it, in processes of its own; twenty clients ask new questions, every
one with its own charge, answer and mark on the disk. The pace, which only delays, is off. The
limit is a hundredth of a second for one release. Beside it, from the same minute: what one durable
transaction of SQLite takes on this disk (the ledger needs two, and a sync, for what it does
together), the same questions asked of the curator within one process, what all processes of the
service compute for one release, the wait of the slowest of a hundred answers to fifty clients, the
longest silence of the service while it starts and while it works for strangers, and what a stored
answer takes. The load of the machine is printed: processors shared with others measure the others.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks import Row
from tests.web.serving import Running, wait_until_ready
from twoworlds.release.curator import Curator

CLIENTS = 20
MANY = 50
RELEASES = 200
TURNS = 3
LIMIT = 1 / 100  # seconds for one release
COST = "1/1000000"
HEAVY = {"definition": "dp(ratio=3)", "universe": "bits(3)"}  # some seconds of mathematics
_numbers = count(1)


def question() -> str:
    """Return a question that nobody asked before."""
    return f"SELECT COUNT(*) FROM people WHERE income >= {next(_numbers)}"


def ask(running: Running, questions: list[str]) -> list[float]:
    """Ask some questions one after the other, over one connection; return how long each took."""
    where = urlsplit(running.address)
    headers = {"Authorization": f"Bearer {running.token}", "Content-Type": "application/json"}
    times = []
    with closing(HTTPConnection(str(where.hostname), where.port, timeout=60)) as connection:
        for sql in questions:
            started = time.perf_counter()
            body = json.dumps({"queries": [sql], "epsilon": COST})
            connection.request("POST", "/api/v1/release", body, headers)
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status == 200, text
            times.append(time.perf_counter() - started)
    return times


def times_of(running: Running, questions: list[str], clients: int) -> tuple[float, list[float]]:
    """The seconds for all questions when all clients ask at once, and those for each."""
    shares = [questions[client::clients] for client in range(clients)]
    started = time.perf_counter()
    with ThreadPoolExecutor(clients) as threads:
        found = [
            one for part in threads.map(lambda share: ask(running, share), shares) for one in part
        ]
    return time.perf_counter() - started, sorted(found)


def seconds_for(running: Running, questions: list[str]) -> float:
    """The time for one question when all clients ask at once."""
    return times_of(running, questions, CLIENTS)[0] / len(questions)


def computed(running: Running) -> float:
    """The seconds that all processes of a service have computed; 0 if the system does not say."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[2]) == running.process.pid:  # its group
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0


def within_one_process(policy: Path) -> float:
    """The time for one release of a curator, without any service."""
    with Curator.open(policy) as curator:
        curator.release(question(), COST, analyst="ann")
        started = time.perf_counter()
        for _ in range(RELEASES // 4):
            curator.release(question(), COST, analyst="ann")
        return (time.perf_counter() - started) / (RELEASES // 4)


def transaction(folder: Path) -> float:
    """The time of one bare transaction of SQLite, as durable as those of the ledger."""
    with closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE entries (sequence INTEGER PRIMARY KEY, body TEXT)")
        started = time.perf_counter()
        for _ in range(RELEASES):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO entries (body) VALUES (?)", ("x" * 1500,))
            connection.execute("COMMIT")
        return (time.perf_counter() - started) / RELEASES


@contextmanager
def silence(running: Running) -> Iterator[list[float]]:
    """Ask for the page's health all the time; the longest wait for it is the first of the list."""
    longest, stop = [0.0], threading.Event()

    def listen() -> None:
        where = urlsplit(running.address)
        with closing(HTTPConnection(str(where.hostname), where.port, timeout=60)) as connection:
            while not stop.wait(0.002):
                started = time.perf_counter()
                connection.request("GET", "/api/v1/health")
                connection.getresponse().read()
                longest[0] = max(longest[0], time.perf_counter() - started)

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        yield longest
    finally:
        stop.set()
        thread.join()


def run() -> list[Row]:
    """About a minute."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:  # on a disk: /tmp may be memory
        disk = [transaction(Path(tempfile.mkdtemp(dir=folder)))]
        started = time.perf_counter()
        running = Running(Path(folder), "--pace", "0")
        listening = time.perf_counter() - started
        try:
            with running.client() as client:
                client.get("/").raise_for_status()
            page = time.perf_counter() - started - listening
            with silence(running) as starting:
                wait_until_ready(running)
            ready = time.perf_counter() - started
            seconds_for(running, [question() for _ in range(4 * CLIENTS)])  # every engine is warm
            with silence(running) as heavy, running.client() as client:
                client.post("/api/v1/guarantees", json=HEAVY)
            asked = [[question() for _ in range(RELEASES)] for _ in range(TURNS)]
            before = computed(running)
            fresh = min(seconds_for(running, questions) for questions in asked)
            busy = (computed(running) - before) / (TURNS * RELEASES)
            stored = seconds_for(running, asked[0])
            _, waits = times_of(running, [question() for _ in range(RELEASES)], MANY)
            slowest = waits[int(0.99 * len(waits))]
        finally:
            running.stop()
        disk.append(transaction(Path(tempfile.mkdtemp(dir=folder))))
        alone = within_one_process(Path(folder) / "hospital" / "policy.yml")
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    print(f"load of the machine, {os.cpu_count()} processors: {load}", file=sys.stderr)
    name = f"a release through the service, {CLIENTS} clients"
    return [
        Row(name, fresh, peer=LIMIT, against="limit", target=1.0),
        Row("the same, beside the disk", fresh, peer=min(disk), against="bare transaction"),
        Row("the same, beside one process", fresh, peer=alone, against="Curator.release"),
        Row("computed by the service for a release", busy),
        Row(f"p99 of a release, {MANY} clients", slowest),
        Row("a stored answer through the service", stored),
        Row("until the service listens", listening),
        Row("the page, from then on", page),
        Row("until ledger, engines and mathematics are ready", ready),
        Row("longest silence while it starts", starting[0]),
        Row("longest silence while it works for strangers", heavy[0]),
    ]
