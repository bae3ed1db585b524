"""A pool of workers: work that takes too long is stopped, by killing the process that does it.

Each thread of the pool has one process, which is kept; as many as may work for one account are
started before they are needed. Jobs that wait are given to it together, as far as they are expected
to be done within half a second, so that they share what is done once for all of them: one wait for
the disk. A job that is not done by its deadline, waiting included, is refused with `TimeLimit`, its
process is killed, and a new one is started at once; what it was given besides is done once more, by
itself. Killing is safe at any moment: mathematics keeps nothing, and the ledger is made for it.

Accounts take turns: of those with jobs that wait, each has one taken before any has a second. No
account has more than ``each`` processes at work for it, so where there are more of them, whoever
asks for little waits for nobody who asks for much. When all places are taken, the newest job of the
account that has most of them waiting gives way to an account that has fewer.

What a process must know besides its jobs, such as the policy, is told to it with the first of them:
a process that dies is followed by one that knows the same. When something else is to be known, what
runs is finished first, and then all processes are told anew: no two of them ever differ at work.

A process reads lists of jobs from its standard input and writes an answer to each to its standard
output, with its place in the list and its length in front; all of it is JSON. Releases that come in
one list are charged together. What libraries print goes nowhere, so that nothing of the data
reaches a log. It ends when its input ends, which is also what happens when the service is killed;
signals that stop the service do not stop it, so that a running release is finished. One of
*releases* has a limit of memory: a release that runs into it fails as releases fail, charged once,
and may be asked again at no cost. One of *mathematics* works for strangers: it runs at low
priority, within a limit of memory, in an empty folder, and opens no file but those of the program.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import struct
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

from twoworlds.web.refusals import INTERNAL, Refused, refusal_of

REQUEST = struct.Struct(">I")  # the length of a list of jobs
REPLY = struct.Struct(">HHI")  # place in the list, status of the answer, its length
MEMORY = 4 << 30  # bytes for one process
_NICE = 5
_LONGEST_INTEGER = 1_000_000
_CLOSED = (
    *("os.system", "os.exec", "os.posix_spawn", "os.fork", "socket.connect"),
    "subprocess.Popen",
)
Jobs = Mapping[str, Callable[..., Any]]
Together = Callable[[Sequence[Mapping[str, Any]]], Sequence[Any]]
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
    name: str = ""
    account: str = ""
    alone: bool = False  # it was given to a process that died
    done: Future[Reply] = field(default_factory=Future)


class Workers:
    """Processes of one kind.

    Args:
        kind: What they do, and with what; see `main`.
        count: How many there are.
        seconds: How long a job may take.
        most: How many jobs may wait.
        late: What is said when there was not enough time.
        together: How many jobs of one name a process may be given at once.
        each: How many processes may work for one account; all of them if left out.
        known: What a process is told before its first job, if anything.
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
        each: int | None = None,
        known: bytes = b"",
    ) -> None:
        """Start nothing yet."""
        self.kind, self.count, self.seconds, self.most = tuple(kind), count, seconds, most
        self.each = count if each is None else each
        self._late, self._together = late, together
        self._average = _TOGETHER  # seconds for one job, of the last ones
        self._changed = threading.Condition()
        self._waiting: dict[str, deque[_Job]] = {}  # by account, the one whose turn it is first
        self._busy: Counter[str] = Counter()  # how many processes work for each account
        self._known = known
        self._news: bytes | None = None  # what is to be known when nobody is at work
        self._running: dict[subprocess.Popen[bytes], bytes | None] = {}  # and what they were told
        self._spare: list[subprocess.Popen[bytes]] = []
        self._threads: list[threading.Thread] = []
        self._open = 0
        self._closed = False
        self._folder = tempfile.TemporaryDirectory(prefix="twoworlds-", ignore_cleanup_errors=True)

    def start(self) -> None:
        """Start the processes, so that they are warm when the first request comes."""
        with self._changed:
            while len(self._spare) + len(self._running) < self.each and not self._closed:
                self._spare.append(self._spawn())
            while len(self._threads) < self.count and not self._closed:
                name = f"twoworlds-{self.kind[0]}-{len(self._threads)}"
                self._threads.append(threading.Thread(target=self._work, name=name, daemon=True))
                self._threads[-1].start()

    async def run(self, job: str, arguments: Mapping[str, Any], account: str = "") -> Reply:
        """Have a job done for an account, and return its answer.

        Raises:
            Refused: when there are too many jobs, too little time, or the process died.
        """
        request = json.dumps({"job": job, "arguments": arguments}).encode()
        wanted = _Job(request, monotonic(), job, account)
        with self._changed:
            given_way = self._make_room(account)
            self._open += 1
            self._waiting.setdefault(account, deque()).append(wanted)
            self._changed.notify()
        if given_way is not None:
            _settle(given_way, _BUSY)
        if not self._threads:
            self.start()
        try:
            return await asyncio.wrap_future(wanted.done)
        finally:
            with self._changed:
                self._open -= 1

    def tell(self, known: bytes) -> None:
        """Let all processes know something else, as soon as what runs is finished."""
        with self._changed:
            self._news = known
            self._changed.notify_all()

    def _make_room(self, account: str) -> _Job | None:
        """Return the job that gives way to one of an account, if one must.

        Raises:
            Refused: when none does.
        """
        if not self._closed and self._open < self.most:
            return None
        most = max(self._waiting, key=lambda one: len(self._waiting[one]), default=account)
        own = len(self._waiting.get(account, ()))
        if self._closed or len(self._waiting.get(most, ())) <= own + 1:
            raise _BUSY
        return self._waiting[most].pop()

    def close(self) -> None:
        """Finish what runs, refuse what waits, then end all processes."""
        with self._changed:
            self._closed = True
            refused = [job for queue in self._waiting.values() for job in queue]
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
        while (taken := self._next()) is not None:
            try:
                jobs = [job for job in taken if self._in_time(job)]
                if jobs:
                    process = self._done(self._living(process), jobs)
            finally:
                with self._changed:
                    self._busy -= Counter({job.account for job in taken})
                    self._changed.notify_all()

    def _done(
        self, process: subprocess.Popen[bytes], jobs: Sequence[_Job]
    ) -> subprocess.Popen[bytes] | None:
        """Have a process do jobs, and return it if it lives."""
        started = monotonic()
        try:
            self._exchange(process, jobs)
        except (OSError, EOFError):
            self._lose(process)
            self._again([job for job in jobs if not job.done.done()])
            return None
        each = (monotonic() - started) / len(jobs)
        self._average += _RECENT * (each - self._average)
        return process

    def _next(self) -> list[_Job] | None:
        """Wait for jobs, and take a share of them; None when there will be no more."""
        with self._changed:
            while (first := self._turn()) is None:
                if self._closed:
                    return None
                self._changed.wait()
            found = [first]
            if not first.alone:
                waiting = 1 + sum(map(len, self._waiting.values()))
                expected = int(_TOGETHER / max(self._average, 1e-4))
                share = min(self._together, expected, ceil(waiting / self.each))
                while len(found) < share and (further := self._turn(first.name)) is not None:
                    found.append(further)
            self._busy += Counter({job.account for job in found})
            return found

    def _turn(self, beside: str | None = None) -> _Job | None:
        """Take the job whose turn it is: the first one, or one more beside others of its name."""
        if self._news is not None:
            if self._busy:
                return None
            self._known, self._news = self._news, None
        for account, queue in self._waiting.items():
            if (
                self._busy[account] < self.each
                if beside is None
                else queue[0].name == beside and not queue[0].alone
            ):
                job = queue.popleft()
                del self._waiting[account]
                if queue:
                    self._waiting[account] = queue  # its next turn comes after all others
                return job
        return None

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
            if self._running.get(process) is None and self._known:
                process.stdin.write(REQUEST.pack(len(self._known)) + self._known)
            self._running[process] = self._known
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
                    self._waiting.setdefault(job.account, deque()).appendleft(job)
            self._changed.notify_all()

    def _out_of_time(self) -> Refused:
        return Refused(503, "TimeLimit", f"there was no answer in {self.seconds:g} s: {self._late}")

    def _living(self, process: subprocess.Popen[bytes] | None) -> subprocess.Popen[bytes]:
        """Return the process, or a new one if it does not live, or knows what is known no more."""
        if process is not None:
            lives = process.poll() is None
            if lives and self._running.get(process) is self._known:
                return process
            _end(process, at_once=not lives)
        with self._changed:
            if process is not None:
                self._running.pop(process, None)
            fresh = self._spare.pop() if self._spare else self._spawn()
            self._running[fresh] = None
        return fresh

    def _lose(self, process: subprocess.Popen[bytes]) -> None:
        """Forget a process that was killed or died, and warm the next one."""
        _end(process, at_once=True)
        with self._changed:
            self._running.pop(process, None)
        self.start()

    def _spawn(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "twoworlds.web.workers", *self.kind],
            cwd=self._folder.name,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )


_BUSY = Refused(503, "Busy", "the service has too much to do: try again in a moment")


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


# --- in a process ---------------------------------------------------------------------------------


def main(kind: str) -> None:
    """Serve until the input ends: kind ``mathematics``, or ``releases``."""
    source, sink = _streams()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    sys.set_int_max_str_digits(_LONGEST_INTEGER)
    if kind == "mathematics":
        if hasattr(os, "nice"):
            os.nice(_NICE)  # before it loads: the page does not wait for that
        jobs = _mathematics()
        _limit_memory("RLIMIT_AS", MEMORY)
        tempfile.tempdir = str(Path.cwd())
        sys.addaudithook(_watch(Path.cwd()))  # lowers what a way past the reading of texts could do
        _serve(source, sink, jobs)
        return
    from twoworlds.web.releases import Desk

    told = _received(source)
    if told is None:
        return
    _limit_memory("RLIMIT_DATA", told["memory"])
    with closing(Desk(told["policy"], Path(told["folder"]))) as desk:
        _serve(source, sink, desk.jobs, desk.together)


def _mathematics() -> Jobs:
    """Return the jobs of mathematics, and load all that they need."""
    from twoworlds.web.attacks import attack
    from twoworlds.web.catalogue import catalogue
    from twoworlds.web.guarantees import guarantees
    from twoworlds.web.mathematics import mechanism, noiseless, posterior, simulators

    jobs = (attack, catalogue, guarantees, mechanism, noiseless, posterior, simulators)
    return {job.__name__: job for job in jobs}


def _received(source: BinaryIO) -> Any:
    """Return what comes next on the standard input, or None at its end."""
    head = source.read(REQUEST.size)
    return json.loads(source.read(*REQUEST.unpack(head))) if len(head) == REQUEST.size else None


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for ourselves, and leave an empty one to everybody else."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    return source, sink


def _serve(
    source: BinaryIO, sink: BinaryIO, jobs: Jobs, together: Mapping[str, Together] | None = None
) -> None:
    while (requests := _received(source)) is not None:
        for number, found in _answers(jobs, together or {}, requests):
            status, body = _written(found)
            sink.write(REPLY.pack(number, status, len(body)) + body)
            sink.flush()


def _answers(
    jobs: Jobs, together: Mapping[str, Together], requests: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[int, Any]]:
    """Yield what each request gives, or its error, with its number: those first that are alone."""
    grouped: dict[str, list[int]] = {}
    for number, request in enumerate(requests):
        if request["job"] in together:
            grouped.setdefault(request["job"], []).append(number)
            continue
        try:
            found = jobs[request["job"]](**request["arguments"])
        except Exception as error:
            found = error
        yield number, found
    for job, numbers in grouped.items():
        try:
            given = together[job]([requests[number]["arguments"] for number in numbers])
        except Exception as error:
            given = [error] * len(numbers)
        yield from zip(numbers, given, strict=True)


def _written(found: Any) -> tuple[int, bytes]:
    """Return the status and the JSON of what was found; whatever goes wrong is an answer too."""
    if not isinstance(found, Exception):
        try:
            text = json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            return 200, text.encode("utf-8", "backslashreplace")
        except Exception as error:
            found = error
    refused = refusal_of(found)
    return refused.status, refused.body()


def _limit_memory(kind: str, most: int) -> None:
    """Let no more memory be had: whatever asks for it gets an error.

    A limit on addresses (``RLIMIT_AS``) counts what is only set apart, and engines do that a lot;
    one on data counts what may be written, on Linux in all of the process.
    """
    try:
        import resource
    except ImportError:  # there is none on Windows
        return
    number = getattr(resource, kind)
    _, hard = resource.getrlimit(number)
    resource.setrlimit(number, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _watch(folder: Path) -> Callable[[str, tuple[Any, ...]], None]:
    """Return what refuses files of other people, programs and other machines."""
    places = [folder, Path(__file__).parents[1], Path(sys.prefix), Path(sys.base_prefix)]
    places += map(Path, [*sysconfig.get_paths().values(), *filter(None, sys.path)])
    either = {*places, *(place.resolve() for place in places)}
    known = (*(f"{place}{os.sep}" for place in either), "/proc/", "/sys/")

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], (str, bytes)):
            name = os.path.abspath(os.fsdecode(arguments[0]))  # noqa: PTH100 (it makes no objects)
            if not name.startswith(known) and name not in ("/dev/null", "/dev/urandom"):
                raise PermissionError(13, "the service reads no files")
        elif event in _CLOSED:
            raise PermissionError(13, "the service starts no programs")

    return watch


if __name__ == "__main__":
    main(*sys.argv[1:])
