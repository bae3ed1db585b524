"""A worker: a process that does one job after another, and can be killed in the middle of any.

It reads lists of jobs from its standard input and writes an answer to each to its standard output,
with its place in the list and its length in front; all of it is JSON. Releases that come in one
list are charged together. What libraries print goes nowhere, so that nothing of the data reaches a
log. It ends when its input ends, which is also what happens when the service is killed; signals
that stop the service do not stop it, so that a running release is finished.

A worker of *releases* is told its policy before its first jobs: the text that its service has, not
the name of a file that may have changed meanwhile. It has a limit of memory, too: a release that
runs into it fails as releases fail, charged once, and may be asked again at no cost.

A worker of *mathematics* works for strangers: it runs at low priority, within a limit of memory,
in an empty folder, and opens no file but those of the program.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from twoworlds.web.refusals import refusal_of

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
        _confine(Path.cwd())
        _serve(source, sink, jobs)
        return
    from twoworlds.web.releases import Desk

    told = _received(source)
    if told is None:
        return
    _limit_memory("RLIMIT_DATA", told["memory"])
    with Desk(told["policy"], Path(told["folder"])) as desk:
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


# --- strangers ------------------------------------------------------------------------------------


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


def _confine(folder: Path) -> None:
    """Lower what a request of mathematics could do if it found a way past the reading of texts."""
    tempfile.tempdir = str(folder)
    sys.addaudithook(_watch(folder))


def _watch(folder: Path) -> Callable[[str, tuple[Any, ...]], None]:
    """Return what refuses files of other people, programs and other machines."""
    places = [folder, Path(__file__).parents[1], Path(sys.prefix), Path(sys.base_prefix)]
    places += map(Path, [*sysconfig.get_paths().values(), *filter(None, sys.path)])
    places += [Path(os.environ.get("NUMBA_CACHE_DIR") or Path.home() / ".cache" / "numba")]
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
