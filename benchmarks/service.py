"""Releases per second through the service, each charged durably before it is answered.

The service runs as users run it, in processes of its own; twenty clients ask new questions, every
one with its own charge, answer and mark on the disk. The pace, which only delays, is off. The
limit is a hundredth of a second for one release. Beside it: the same questions asked of the curator
within one process, what a stored answer takes, and the time until a started service answers.
"""

from __future__ import annotations

import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

from benchmarks import Row
from tests.web.serving import Running, wait_until_ready
from twoworlds.release.curator import Curator

CLIENTS = 20
RELEASES = 100
TURNS = 2
LIMIT = 1 / 100  # seconds for one release
COST = "1/1000000"
_numbers = count(1)


def question() -> str:
    """Return a question that nobody asked before."""
    return f"SELECT COUNT(*) FROM people WHERE income >= {next(_numbers)}"


def ask(running: Running, questions: list[str]) -> None:
    """Ask some questions one after the other, over one connection."""
    with running.client(running.token) as client:
        for sql in questions:
            answer = client.post("/api/v1/release", json={"queries": [sql], "epsilon": COST})
            assert answer.status_code == 200, answer.text


def seconds_for(running: Running, questions: list[str]) -> float:
    """The time for one question when all clients ask at once."""
    shares = [questions[client::CLIENTS] for client in range(CLIENTS)]
    started = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as clients:
        for _ in clients.map(lambda share: ask(running, share), shares):
            pass
    return (time.perf_counter() - started) / len(questions)


def within_one_process(policy: Path) -> float:
    """The time for one release of a curator, without any service."""
    with Curator.open(policy) as curator:
        curator.release(question(), COST, analyst="ann")
        started = time.perf_counter()
        for _ in range(RELEASES // 4):
            curator.release(question(), COST, analyst="ann")
        return (time.perf_counter() - started) / (RELEASES // 4)


def run() -> list[Row]:
    """About half a minute."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:  # on a disk: /tmp may be memory
        started = time.perf_counter()
        running = Running(Path(folder), "--pace", "0")
        listening = time.perf_counter() - started
        try:
            wait_until_ready(running)
            ready = time.perf_counter() - started
            seconds_for(running, [question() for _ in range(CLIENTS)])  # every engine is warm
            asked = [[question() for _ in range(RELEASES)] for _ in range(TURNS)]
            fresh = min(seconds_for(running, questions) for questions in asked)
            stored = min(seconds_for(running, questions) for questions in asked[:1])
        finally:
            running.stop()
        alone = within_one_process(Path(folder) / "hospital" / "policy.yml")
    name = f"a release through the service, {CLIENTS} clients"
    return [
        Row(name, fresh, peer=LIMIT, against="limit", target=1.0),
        Row("the same, beside one process", fresh, peer=alone, against="Curator.release"),
        Row("a stored answer through the service", stored),
        Row("until the service listens", listening),
        Row("until ledger, engines and mathematics are ready", ready),
    ]
