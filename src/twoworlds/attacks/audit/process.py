"""A subject in a child process, which is ended when it does not answer.

The child loads ``python:module:name`` and draws when asked. The subject is code, and it runs with
the rights of whoever audits it; but what its process hands over is data, and is read as such. What
the subject prints goes nowhere. Between outputs that are
drawn one by one the child gives a sign of life, so that slow is told from hanging: ``patience`` is
for one output, or for one call of ``many``.

Messages are JSON, which cannot run anything: the length in eight bytes, then the text. What JSON
has not is written as an object with one tag: tuples, sets, bytes, dictionaries (their keys need not
be text), NaN and the infinities, fractions, numpy's scalars and its arrays of numbers. Anything
else cannot be handed over. The reader believes nothing: what it cannot read, or what is too long,
is refused.
"""

from __future__ import annotations

import base64
import contextlib
import json
import math
import os
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import fields
from fractions import Fraction
from typing import IO, Any

import numpy as np

from twoworlds.attacks.audit.adapters import local
from twoworlds.attacks.audit.outputs import Outputs, raised
from twoworlds.attacks.audit.subjects import About, OutOfTime, Pair, Unresponsive, end_group
from twoworlds.errors import InvalidInput, TwoWorldsError

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from twoworlds.attacks.audit.process import main; main()"
)
LARGEST = 256 << 20  # bytes
_HEAD = struct.Struct(">Q")
_DEEPEST = 100
_ARRAYS = "biuf"  # the kinds of numpy that hold plain numbers
_BEAT = 0.5  # seconds between signs of life
_LARGEST_CHUNK = 1 << 20
_LOADING = 60.0  # an import may take longer than an output
_WAY_OUT = (
    "let it raise an error instead, which is an output, or audit it as command:./program, where "
    "every exit is one"
)


class InChild:
    """A subject that is named by a text and runs in a child process."""

    about: About

    def __init__(
        self,
        text: str,
        *,
        neighbours: str | None = None,
        given: Sequence[str | Pair] | None = None,
        patience: float = 10.0,
    ) -> None:
        """Start the child and learn what the subject is."""
        self._text, self._patience = text, patience
        self._child = subprocess.Popen(
            [sys.executable, "-c", _BOOT, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        try:
            self._tell([text, neighbours, given])
            self._heard(None, _LOADING)  # it is awake: everything of ours is imported
            self.about = self._described(self._heard(None, max(patience, 10.0)))
        except BaseException:
            self.close()
            raise

    def draw(
        self, database: Any, size: int, key: Sequence[int], deadline: float | None = None
    ) -> Outputs:
        """Ask the child; end it when it does not answer, or when the time is over."""
        self._tell([database, size, list(key)])
        match self._heard(deadline, self._patience):
            case np.ndarray() | list() as drawn if len(drawn) == size:
                return drawn
        raise self._unreadable()

    def close(self) -> None:
        """End the child and whatever it started."""
        end_group(self._child)
        with contextlib.suppress(OSError):  # what was not sent yet
            if self._child.stdin is not None:
                self._child.stdin.close()
        self._listener.join(5)

    def _listen(self) -> None:
        pipe = self._child.stdout
        assert pipe is not None
        with pipe:
            while True:
                try:
                    word, value = receive(pipe)
                except (TypeError, ValueError):  # not of ours
                    return self._answers.put(("unreadable", None))
                except (EOFError, OSError):
                    return self._answers.put(("ended", None))
                self._answers.put((word, value))

    def _tell(self, message: Any) -> None:
        assert self._child.stdin is not None
        with contextlib.suppress(OSError):  # it ended: the answer says so
            send(self._child.stdin, message)

    def _heard(self, deadline: float | None, patience: float) -> Any:
        """Return the next answer; each sign of life renews the patience."""
        while True:
            left = patience if deadline is None else min(patience, deadline - time.monotonic())
            try:
                word, value = self._answers.get(timeout=max(0.0, left))
            except queue.Empty:
                self.close()
                if deadline is not None and time.monotonic() >= deadline:
                    raise OutOfTime from None
                raise Unresponsive(
                    f"{self._text} did not answer within {patience:g} s and was ended: it hangs, "
                    "or it is slow, or its outputs are very large; wait longer with --patience"
                ) from None
            if word == "done":
                return value
            if word == "refused":
                raise InvalidInput(str(value))
            if word == "ended":
                raise Unresponsive(f"{self._text}: {_how_it_ended(self._child)}")
            if word != "alive":
                raise self._unreadable()

    def _described(self, said: Any) -> About:
        """Read what the child says of the subject; nothing of it is taken on trust."""
        match said:
            case {
                "name": str(),
                "neighbours": str(),
                "pairs": tuple(pairs),
                "chunk": int(chunk),
                "start": int(start),
                "low_bits": bool(),
                "source": str(),
                "guessed": bool(),
                "notes": tuple(notes),
            } if (
                said.keys() == {one.name for one in fields(About)}
                and all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs)
                and all(0 < size <= _LARGEST_CHUNK for size in (chunk, start))
                and all(isinstance(note, str) for note in notes)
            ):
                return About(**said)
        raise self._unreadable()

    def _unreadable(self) -> Unresponsive:
        self.close()
        return Unresponsive(
            f"{self._text}: what its process hands over cannot be read, so it was ended; the "
            f"subject writes into the pipe of the audit: {_WAY_OUT}"
        )


def _how_it_ended(child: subprocess.Popen[bytes]) -> str:
    try:
        code = child.wait(5)
    except subprocess.TimeoutExpired:
        return f"its process closed its pipe: {_WAY_OUT}"
    if code < 0:
        name = signal.Signals(-code).name
        return f"its process died of signal {-code} ({name}): {_WAY_OUT}"
    return f"its process ended by itself, with exit code {code}: {_WAY_OUT}"


def main() -> None:
    """Serve as the child: the first message names the subject, the others ask for outputs."""
    asked = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):  # the pipes are ours alone
        os.dup2(nowhere, stream)
    os.close(nowhere)

    def say(word: str, value: Any = None) -> None:
        send(answers, [word, value])

    last = time.monotonic()

    def beat() -> None:
        nonlocal last
        if time.monotonic() - last > _BEAT:
            last = time.monotonic()
            say("alive")

    say("done")
    with contextlib.suppress(EOFError, BrokenPipeError):
        try:
            subject = local(*receive(asked))
            about = subject.about
            say("done", {one.name: getattr(about, one.name) for one in fields(About)})
        except TwoWorldsError as error:
            return say("refused", str(error))
        except (Exception, SystemExit) as error:  # somebody else's code
            return say("refused", f"the subject cannot be loaded: {raised(error)}: {error}")
        subject.beat = beat
        while True:
            question = receive(asked)
            try:
                say("done", subject.draw(*question))
            except TwoWorldsError as error:
                say("refused", str(error))
    return None


# --- messages -------------------------------------------------------------------------------------


def send(stream: IO[bytes], value: Any) -> None:
    """Write one message."""
    body = json.dumps(encoded(value), allow_nan=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
    if len(body) > LARGEST:
        raise InvalidInput(
            f"the outputs of one batch take {len(body) >> 20} MB, and at most {LARGEST >> 20} MB "
            "are handed over at once: let the subject return less"
        )
    stream.write(_HEAD.pack(len(body)) + body)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one message: EOFError where there is none, ValueError for what is none."""
    head = stream.read(_HEAD.size)
    if not head:
        raise EOFError
    size = _HEAD.unpack(head)[0] if len(head) == _HEAD.size else 0
    if not 0 < size <= LARGEST:
        raise ValueError("no message")
    body = stream.read(size)
    if len(body) < size:
        raise ValueError("no message")
    try:
        return decoded(json.loads(body.decode("utf-8", "surrogatepass")))
    except Exception as error:  # whatever was written there
        raise ValueError("no message") from error


def encoded(value: Any, depth: int = 0) -> Any:
    """Return plain values as JSON has them, each of another type under the name of its type."""
    kind = type(value)
    if value is None or kind in (bool, str) or (kind is float and math.isfinite(value)):
        return value
    if kind is int:
        return value if -(2**63) <= value < 2**63 else {"int": hex(value)}
    if depth > _DEEPEST:
        raise InvalidInput(f"a value is nested more than {_DEEPEST} deep: it is not handed over")
    if kind is list:
        return [encoded(item, depth + 1) for item in value]
    for known, tag, parts, _ in _TAGGED:
        if kind is known:
            return {tag: encoded(parts(value), depth + 1)}
    if isinstance(value, np.generic) and value.dtype.kind in _ARRAYS:
        return {"scalar": _array(value)}
    raise InvalidInput(
        f"a value of type {kind.__name__} cannot be handed over between processes: give numbers, "
        "text, lists, dictionaries or numpy arrays, or audit the function itself in Python"
    )


def decoded(value: Any) -> Any:
    """Return the plain values that were `encoded`."""
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    [(tag, content)] = value.items()
    return _READERS[tag](decoded(content))


def _array(value: np.ndarray | np.generic) -> list[Any]:
    if value.dtype.kind not in _ARRAYS or value.dtype.itemsize > 8:
        raise InvalidInput(
            f"an array of {value.dtype} cannot be handed over: give one of numbers of up to 64 bits"
        )
    little = np.ascontiguousarray(value).astype(value.dtype.newbyteorder("<"), copy=False)
    return [little.dtype.str, list(value.shape), base64.b64encode(little.tobytes()).decode()]


def _numbers(content: Any) -> np.ndarray:
    kind, shape, data = content
    dtype = np.dtype(kind)
    if dtype.kind not in _ARRAYS or dtype.itemsize > 8:
        raise ValueError(kind)
    return np.frombuffer(base64.b64decode(data, validate=True), dtype=dtype).reshape(shape).copy()


# What JSON has not: its type, its tag, what is sent instead, and what is made of that again
_TAGGED: tuple[tuple[type, str, Callable[[Any], Any], Callable[[Any], Any]], ...] = (
    (float, "float", str, float),  # NaN and the infinities
    (tuple, "tuple", list, tuple),
    (set, "set", list, set),
    (frozenset, "frozenset", list, frozenset),
    (dict, "dict", lambda x: [[*pair] for pair in x.items()], dict),
    (bytes, "bytes", bytes.hex, bytes.fromhex),
    (Fraction, "fraction", lambda x: [x.numerator, x.denominator], lambda x: Fraction(*x)),
    (np.ndarray, "array", _array, _numbers),
)
_READERS: dict[str, Callable[[Any], Any]] = {tag: read for _, tag, _, read in _TAGGED}
_READERS |= {"int": lambda x: int(x, 16), "scalar": lambda x: _numbers(x)[()]}
