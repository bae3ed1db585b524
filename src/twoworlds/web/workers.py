"""A pool of workers: work that takes too long is stopped, by killing the process that does it.

Each thread of the pool has one process, which is started before it is needed and kept. Jobs that
wait are given to it together, as far as they are expected to be done within half a second, so
that they share what is done once for all of them: one wait for the disk. A job that is not done by
its deadline, waiting included, is refused with `TimeLimit`, its process is killed, and a new one is
started at once; what it was given besides is done once more, by itself. Killing is safe at any
moment: mathematics keeps nothing, and the ledger is made for it.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from time import monotonic
from typing import Any

from twoworlds.web.refusals import INTERNAL, Refused
from twoworlds.web.worker import REPLY, REQUEST

__all__ = ["Reply", "Workers"]

_WAIT = 5.0
_TOGETHER = 0.5  # seconds that what is given together may be expected to take
_RECENT = 0.2  # the weight of the newest time in the average


@dataclass(frozen=True)
class Reply:
    """What a worker answered: a status, and JSON as it goes to the client."""

    status: int
    body: bytes


@dataclass
class _Job:
    request: bytes
    asked: float
    alone: bool = False  # it was given to a process that died
    done: Future[Reply] = field(default_factory=Future)


class Workers:
    """Processes of one kind.

    Args:
        kind: What they do, and with what; see `twoworlds.web.worker.main`.
        count: How many there are.
        seconds: How long a job may take.
        most: How many jobs may wait.
        late: What is said when there was not enough time.
        together: How many jobs a process may be given at once.
    """

    def __init__(
        self,
        kind: Sequence[str],
        *,
        count: int,
        seconds: float,
        most: int,
        late: str,
        together: int = 1,
    ) -> None:
        """Start nothing yet."""
        self.kind, self.count, self.seconds, self.most = tuple(kind), count, seconds, most
        self._late, self._together = late, together
        self._average = _TOGETHER  # seconds for one job, of the last ones
        self._changed = threading.Condition()
        self._waiting: deque[_Job] = deque()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._spare: list[subprocess.Popen[bytes]] = []
        self._threads: list[threading.Thread] = []
        self._open = 0
        self._closed = False
        self._folder = tempfile.TemporaryDirectory(prefix="twoworlds-", ignore_cleanup_errors=True)

    def start(self) -> None:
        """Start the processes, so that they are warm when the first request comes."""
        with self._changed:
            while len(self._spare) + len(self._running) < self.count and not self._closed:
                self._spare.append(self._spawn())
            while len(self._threads) < self.count and not self._closed:
                name = f"twoworlds-{self.kind[0]}-{len(self._threads)}"
                self._threads.append(threading.Thread(target=self._work, name=name, daemon=True))
                self._threads[-1].start()

    async def run(self, job: str, arguments: Mapping[str, Any]) -> Reply:
        """Have a job done, and return its answer.

        Raises:
            Refused: when there are too many jobs, too little time, or the process died.
        """
        wanted = _Job(json.dumps({"job": job, "arguments": arguments}).encode(), monotonic())
        with self._changed:
            if self._closed or self._open >= self.most:
                raise Refused(503, "Busy", "the service has too much to do: try again in a moment")
            self._open += 1
            self._waiting.append(wanted)
            self._changed.notify()
        if not self._threads:
            self.start()
        try:
            return await asyncio.wrap_future(wanted.done)
        finally:
            with self._changed:
                self._open -= 1

    def close(self) -> None:
        """Finish what runs, refuse what waits, then end all processes."""
        with self._changed:
            self._closed = True
            refused = [*self._waiting]
            self._waiting.clear()
            self._changed.notify_all()
        for job in refused:
            _settle(job, Refused(503, "Busy", "the service stops: ask it again when it runs"))
        for thread in self._threads:
            thread.join()
        with self._changed:
            processes = [*self._running, *self._spare]
            self._running.clear()
            self._spare.clear()
        for process in processes:
            _end(process)
        self._folder.cleanup()

    # --- in the threads ---------------------------------------------------------------------------

    def _work(self) -> None:
        """Have one process do what waits, until the pool is closed."""
        process: subprocess.Popen[bytes] | None = None
        while (jobs := self._next()) is not None:
            jobs = [job for job in jobs if self._in_time(job)]
            if not jobs:
                continue
            process = self._living(process)
            started = monotonic()
            try:
                self._exchange(process, jobs)
            except (OSError, EOFError):
                self._lose(process)
                process = None
                self._again([job for job in jobs if not job.done.done()])
            else:
                each = (monotonic() - started) / len(jobs)
                self._average += _RECENT * (each - self._average)

    def _next(self) -> list[_Job] | None:
        """Wait for jobs, and take a share of them; None when there will be no more."""
        with self._changed:
            while not self._waiting:
                if self._closed:
                    return None
                self._changed.wait()
            first = self._waiting.popleft()
            if first.alone:
                return [first]
            expected = int(_TOGETHER / max(self._average, 1e-4))
            share = min(self._together, expected, ceil((len(self._waiting) + 1) / self.count))
            found = [first]
            while len(found) < share and self._waiting and not self._waiting[0].alone:
                found.append(self._waiting.popleft())
            return found

    def _in_time(self, job: _Job) -> bool:
        """Tell whether there is time left for a job that somebody still waits for."""
        if job.done.cancelled():
            return False
        if monotonic() - job.asked < self.seconds:
            return True
        _settle(job, self._out_of_time())
        return False

    def _exchange(self, process: subprocess.Popen[bytes], jobs: Sequence[_Job]) -> None:
        """Send jobs to a process and settle each with what comes back.

        Raises:
            OSError, EOFError: when it died, or when the time is over: then it is killed.
        """
        assert process.stdin is not None
        deadline = min(job.asked for job in jobs) + self.seconds
        clock = threading.Timer(deadline - monotonic(), process.kill)
        clock.daemon = True
        clock.start()
        try:
            whole = b"[" + b",".join(job.request for job in jobs) + b"]"
            process.stdin.write(REQUEST.pack(len(whole)) + whole)
            process.stdin.flush()
            for _ in jobs:
                number, status, length = REPLY.unpack(_read(process, REPLY.size))
                _settle(jobs[number], Reply(status, _read(process, length)))
        finally:
            clock.cancel()

    def _again(self, jobs: Sequence[_Job]) -> None:
        """Put back what was given to a process that died; refuse what had its second chance."""
        with self._changed:
            for job in reversed(jobs):
                if not self._in_time(job):
                    continue
                if len(jobs) == 1 or self._closed:
                    _settle(job, INTERNAL)
                else:
                    job.alone = True
                    self._waiting.appendleft(job)
            self._changed.notify_all()

    def _out_of_time(self) -> Refused:
        return Refused(503, "TimeLimit", f"there was no answer in {self.seconds:g} s: {self._late}")

    def _living(self, process: subprocess.Popen[bytes] | None) -> subprocess.Popen[bytes]:
        """Return the process, or a new one if it does not live."""
        if process is not None and process.poll() is None:
            return process
        if process is not None:
            _end(process, at_once=True)
        with self._changed:
            if process is not None:
                self._running.discard(process)
            fresh = self._spare.pop() if self._spare else self._spawn()
            self._running.add(fresh)
        return fresh

    def _lose(self, process: subprocess.Popen[bytes]) -> None:
        """Forget a process that was killed or died, and warm the next one."""
        _end(process, at_once=True)
        with self._changed:
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


def _read(process: subprocess.Popen[bytes], size: int) -> bytes:
    assert process.stdout is not None
    found = process.stdout.read(size)
    if len(found) < size:
        raise EOFError
    return found


def _settle(job: _Job, found: Reply | Refused) -> None:
    """Give a job its answer, unless nobody waits for it any more."""
    if not job.done.set_running_or_notify_cancel():
        return
    if isinstance(found, Refused):
        job.done.set_exception(found)
    else:
        job.done.set_result(found)


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
