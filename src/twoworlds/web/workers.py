"""A pool of workers: work that takes too long is stopped, by killing the process that does it.

Each thread of the pool has one process, which is started before it is needed and kept. A job that
is not done by its deadline, waiting included, is refused with `TimeLimit`, its process is killed,
and a new one is started at once. Killing is safe at any moment: mathematics keeps nothing, and the
ledger is made for it.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any

from twoworlds.web.refusals import INTERNAL, Refused
from twoworlds.web.worker import REPLY, REQUEST

__all__ = ["Reply", "Workers"]

_WAIT = 5.0


@dataclass(frozen=True)
class Reply:
    """What a worker answered: a status, and JSON as it goes to the client."""

    status: int
    body: bytes


class Workers:
    """Processes of one kind.

    Args:
        kind: What they do, and with what; see `twoworlds.web.worker.main`.
        count: How many there are.
        seconds: How long a job may take.
        most: How many jobs may wait.
        late: What is said when there was not enough time.
    """

    def __init__(
        self, kind: Sequence[str], *, count: int, seconds: float, most: int, late: str
    ) -> None:
        """Start nothing yet."""
        self.kind, self.count, self.seconds, self.most = tuple(kind), count, seconds, most
        self._late = late
        self._own = threading.local()
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._spare: list[subprocess.Popen[bytes]] = []
        self._open = 0
        self._closed = False
        self._folder = tempfile.TemporaryDirectory(prefix="twoworlds-", ignore_cleanup_errors=True)
        self._threads = ThreadPoolExecutor(count, thread_name_prefix=f"twoworlds-{kind[0]}")

    def start(self) -> None:
        """Start the processes, so that they are warm when the first request comes."""
        with self._lock:
            while len(self._spare) + len(self._running) < self.count and not self._closed:
                self._spare.append(self._spawn())

    async def run(self, job: str, arguments: Mapping[str, Any]) -> Reply:
        """Have a job done, and return its answer.

        Raises:
            Refused: when there are too many jobs, too little time, or the process died.
        """
        request = json.dumps({"job": job, "arguments": arguments}).encode()
        with self._lock:
            if self._closed or self._open >= self.most:
                raise Refused(503, "Busy", "the service has too much to do: try again in a moment")
            self._open += 1
        try:
            done: Future[Reply] = self._threads.submit(self._do, request, monotonic())
            return await asyncio.wrap_future(done)
        finally:
            with self._lock:
                self._open -= 1

    def close(self) -> None:
        """Finish what runs, then end all processes."""
        with self._lock:
            self._closed = True
        self._threads.shutdown(wait=True, cancel_futures=True)
        with self._lock:
            processes = [*self._running, *self._spare]
            self._running.clear()
            self._spare.clear()
        for process in processes:
            _end(process)
        self._folder.cleanup()

    def _do(self, request: bytes, asked: float) -> Reply:
        left = self.seconds - (monotonic() - asked)
        if left <= 0:
            raise self._out_of_time()
        process = self._process()
        clock = threading.Timer(left, process.kill)
        clock.daemon = True
        clock.start()
        try:
            return _exchange(process, request)
        except (OSError, EOFError):
            self._lose(process)
            if monotonic() - asked >= self.seconds:
                raise self._out_of_time() from None
            raise INTERNAL from None
        finally:
            clock.cancel()

    def _out_of_time(self) -> Refused:
        return Refused(503, "TimeLimit", f"there was no answer in {self.seconds:g} s: {self._late}")

    def _process(self) -> subprocess.Popen[bytes]:
        """Return the process of this thread, a new one if it has none that lives."""
        process: subprocess.Popen[bytes] | None = getattr(self._own, "process", None)
        if process is not None and process.poll() is None:
            return process
        if process is not None:
            _end(process, at_once=True)
        with self._lock:
            if process is not None:
                self._running.discard(process)
            fresh = self._spare.pop() if self._spare else self._spawn()
            self._running.add(fresh)
        self._own.process = fresh
        return fresh

    def _lose(self, process: subprocess.Popen[bytes]) -> None:
        """Forget a process that was killed or died, and warm the next one."""
        _end(process, at_once=True)
        self._own.process = None
        with self._lock:
            self._running.discard(process)
        self.start()

    def _spawn(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "twoworlds.web.worker", *self.kind],
            cwd=self._folder.name,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )


def _exchange(process: subprocess.Popen[bytes], request: bytes) -> Reply:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(REQUEST.pack(len(request)) + request)
    process.stdin.flush()
    head = process.stdout.read(REPLY.size)
    if len(head) < REPLY.size:
        raise EOFError
    status, length = REPLY.unpack(head)
    body = process.stdout.read(length)
    if len(body) < length:
        raise EOFError
    return Reply(status, body)


def _end(process: subprocess.Popen[bytes], *, at_once: bool = False) -> None:
    """Close the input of a process, which ends it; kill it if it does not."""
    if at_once:
        process.kill()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):  # what was still to be written is of no use any more
                stream.close()
    try:
        process.wait(_WAIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
