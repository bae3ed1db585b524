"""Subjects: what is audited, and how outputs are drawn from it.

A subject is one of

* a Python callable ``f(database, rng)``, or ``f(database)`` with randomness of its own; for speed
  it may have ``f.many(database, size, rng)``, which returns ``size`` outputs as an array or a list;
  it may carry ``f.claim`` (an epsilon, or ``{"epsilon": 1, "delta": 0}``), ``f.pairs`` (pairs of
  neighbouring databases) and ``f.neighbours`` (``one``, ``all`` or ``add-remove``, for proposals);
* a mechanism of this package, of OpenDP or of diffprivlib (`twoworlds.attacks.audit.adapters`);
* a command: a program in any language. ``command:./mechanism --epsilon 1`` is started once for each
  output: it gets the database as one line of JSON on its standard input, and what it prints is the
  output. With ``repeat`` it is started once for many outputs: it gets the same line many times, and
  answers each with one line. A line that is JSON is read as such, and anything else is text. An
  exit code other than 0 is an output too (``"exits with 3"``); with ``repeat`` the lines that are
  then missing are that output. Its randomness is its own, so that a seed does not repeat the audit.

`Local` runs in this process. What is named by ``python:module:name`` runs in a child process, which
can be ended when it hangs (`twoworlds.attacks.audit.process`).

The generator for each batch is made from the seed and from the place of the batch in the audit, so
that an audit can be repeated, and resumed, whatever the machine's speed.

Who gives no pairs of databases gets proposals that are neighbours under a stated reading; where no
reading is given either, the databases are a guess, of zeros and ones alone:

* ``one``: numbers, or lists in which one entry differs, by at most 1;
* ``all``: lists in which every entry may differ by at most 1 (answers to queries of sensitivity 1);
* ``add-remove``: lists of which one has an entry more.

The patterns for lists are those that StatDP generates (Ding, Wang, Wang, Zhang and Kifer, Detecting
violations of differential privacy, CCS 2018), and their mirror images.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from twoworlds.attacks.audit.outputs import Outputs, failures, plain, raised, settled, tidy
from twoworlds.errors import InvalidInput, UnknownName

Pair = tuple[Any, Any]
NEIGHBOURS = {
    "one": "one entry differs, by at most 1",
    "all": "every entry may differ, by at most 1",
    "add-remove": "one list has an entry more",
}
NUMBER_PAIRS: list[Pair] = [(0.0, 1.0), (0.0, 0.3), (1.0, 2.0), (1000.0, 1001.0)]
_OPENING = ("[", "{", "(", '"', "'")
_CLOSING = ("]", "}", '"')


def meaning(neighbours: str) -> str:
    """Return what a reading calls neighbours, in words."""
    if neighbours not in NEIGHBOURS:
        raise UnknownName("reading of neighbours", neighbours, NEIGHBOURS)
    return NEIGHBOURS[neighbours]


def read_pair(pair: str | Pair, find: Callable[[Any], Any] | None = None) -> Pair:
    """Read two databases with ``~`` between them, each a Python or JSON value or plain text.

    A pair that is no text is taken as it is. A universe looks both up itself, by ``find``.
    """
    parts: Any = pair
    if isinstance(pair, str):
        parts = [part.strip() for part in pair.split("~")]
        if len(parts) != 2 or not all(parts):
            raise InvalidInput(
                f"pair {pair!r}: write two databases with ~ between, as in '[0, 0] ~ [1, 0]'"
            )
        find = find or _read_database
    try:
        first, second = parts
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"pair {pair!r}: give two databases") from error
    if find is None:
        return first, second
    first, second = find(first), find(second)
    if first == second and type(first) is type(second):
        raise InvalidInput(
            f"pair {pair!r}: both databases are the same, nothing could tell them apart"
        )
    return first, second


def _read_database(text: str) -> Any:
    for read in (ast.literal_eval, json.loads):
        try:
            return read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    if text.startswith(_OPENING) or text.endswith(_CLOSING):
        raise InvalidInput(
            f"database {text!r} looks like a value, but cannot be read as one: close what is "
            "opened, as in [0, 1]; text with brackets or quotes stands in quotes, as in '\"(a\"'"
        )
    return text


def list_pairs(neighbours: str, length: int = 5, unit: Any = 1) -> list[Pair]:
    """Return pairs of lists of numbers that are neighbours under a reading."""
    meaning(neighbours)
    found: list[Pair] = []
    for pair in _patterns(neighbours, length, unit):
        if pair not in found and pair[::-1] not in found and pair[0] != pair[1]:
            found.append(pair)
    return found


def _patterns(neighbours: str, n: int, unit: Any) -> Iterator[Pair]:
    zero, two = 0 * unit, 2 * unit
    ones, rest = [unit] * n, [unit] * (n - 1)
    if neighbours == "add-remove":
        yield ones, rest
        yield [zero] * n, [*[zero] * (n - 1)]
        yield [*[zero] * (n - 1), unit], [zero] * (n - 1)
        yield [unit], []
        return
    yield ones, [zero, *rest]
    yield ones, [two, *rest]
    yield [zero] * n, [*[zero] * (n - 1), unit]
    if neighbours == "one":
        return
    above, below = [two] * (n - 1), [zero] * (n - 1)
    half = n // 2
    yield ones, [two, *below]
    yield ones, [zero, *above]
    yield ones, [*above, unit]
    yield ones, [*below, two]
    yield ones, [two] * half + [zero] * (n - half)
    yield ones, [two] * n
    yield ones, [zero] * n
    yield [unit] * half + [zero] * (n - half), [zero] * half + [unit] * (n - half)


def landmarks(pair: Sequence[Any]) -> list[float]:
    """Return numbers that an output may start from: those in the databases, and their sums."""
    found: list[float] = []
    for database in pair:
        items = database if isinstance(database, (list, tuple)) else [database]
        values = [x for x in items if isinstance(x, (int, float)) and abs(x) < 1e15]
        for value in [sum(values), *values]:
            if value and float(value) not in found:
                found.append(float(value))
    return found


# --- subjects -------------------------------------------------------------------------------------


GIVEN = "as given"
MOST_PAIRS = 16
_PREFIX = "command:"
_LONGEST = 100_000


class Unresponsive(InvalidInput):
    """A subject did not answer in time, or ended."""


class OutOfTime(Exception):
    """The time for the whole audit is over."""


@dataclass(frozen=True)
class About:
    """What is known of a subject before it is run."""

    name: str  # what was typed
    pairs: tuple[Pair, ...] = ()  # pairs of databases to look at
    neighbours: str = "given"  # why these are neighbours, in words
    epsilon: Any = None  # what it claims, if it says so
    delta: Any = 0  # likewise
    chunk: int = 256  # how many outputs are drawn at once
    start: int = 256  # the size of the first round
    low_bits: bool = True  # whether the low-order bits of its floats are its own
    source: str = ""  # a digest of the file that it was loaded from, where there is one
    guessed: bool = False  # whether the pairs are a guess: nobody said what its databases are
    notes: tuple[str, ...] = ()  # what a reader should know


def taken(subject: Local | Command, reading: str, *, guessed: bool) -> tuple[Pair, ...]:
    """Propose databases of the kinds that a subject takes: numbers, and lists of them.

    Where nobody said what its databases are, only 0 and 1 are sure to be records, and what takes a
    number need not take a list: then these are of one kind, and hold nothing else.
    """
    kinds = [list_pairs(reading)]
    if reading != "add-remove":
        kinds.insert(0, [(0, 1)] if guessed else NUMBER_PAIRS)
    if guessed:
        kinds[-1] = [pair for pair in kinds[-1] if all(set(one) <= {0, 1} for one in pair)]
    kept: list[Pair] = []
    refused: list[str] = []
    for kind in kinds:
        try:
            outputs = [subject.draw(database, 1, (0, 0))[0] for database in kind[0]]
        except (Unresponsive, OutOfTime):
            raise
        except InvalidInput as error:  # such as many(...) that takes a list for so many outputs
            refused.append(str(error))
            continue
        if failures(outputs) is None:
            kept += kind
            if guessed:
                break
        else:
            refused.append(f"{outputs[0]} on {kind[0][0]!r}")
    if not kept:
        raise InvalidInput(
            f"{subject.about.name} takes none of the databases that are proposed "
            f"({'; '.join(refused)}): give neighbouring databases with --pair 'A ~ B'"
        )
    return tuple(kept[:MOST_PAIRS])


def digest_of(*files: str | None) -> str:
    """Return a digest of those of the files that are there."""
    digest = sha256()
    for path in map(Path, filter(None, files)):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


class Local:
    """A subject in this process: the clock is looked at between outputs, but nothing can end it."""

    def __init__(
        self,
        about: About,
        draw_one: Callable[[Any, np.random.Generator], Any],
        draw_many: Callable[[Any, int, np.random.Generator], Any] | None = None,
    ) -> None:
        """Keep the functions."""
        self._one, self._many = draw_one, draw_many
        self.beat: Callable[[], None] = lambda: None  # called between outputs
        self.about = about if draw_many is None else replace(about, chunk=1 << 16, start=4096)

    def draw(
        self, database: Any, size: int, key: Sequence[int], deadline: float | None = None
    ) -> Outputs:
        """Draw a batch; errors are outputs."""
        rng = np.random.default_rng(list(key))
        if self._many is not None:
            try:
                drawn = tidy(self._many(database, size, rng))
            except (Exception, SystemExit):  # one output fails, say: then each on its own
                rng = np.random.default_rng(list(key))
            else:
                if len(drawn) != size:
                    raise InvalidInput(
                        f"{self.about.name}: many(database, {size}, rng) returned {len(drawn)} "
                        f"outputs: it must return {size}"
                    )
                return drawn
        return settled([self._single(database, rng, deadline) for _ in range(size)])

    def _single(self, database: Any, rng: np.random.Generator, deadline: float | None) -> Any:
        self.beat()
        if deadline is not None and time.monotonic() > deadline:
            raise OutOfTime
        try:
            return plain(self._one(database, rng))
        except (Exception, SystemExit) as error:  # an error is an output
            return raised(error)

    def close(self) -> None:
        """There is nothing to end."""


class Command:
    """A program that reads a database and prints an output."""

    def __init__(
        self,
        text: str,
        *,
        repeat: bool = False,
        neighbours: str | None = None,
        given: Sequence[str | Pair] | None = None,
        patience: float = 10.0,
    ) -> None:
        """Find the program."""
        try:
            self._words = shlex.split(text.removeprefix(_PREFIX))
        except ValueError as error:
            raise InvalidInput(f"{text!r}: quotes do not match") from error
        found = shutil.which(self._words[0]) if self._words else None
        if found is None:
            raise InvalidInput(
                f"{text!r}: there is no program {(self._words or [''])[0]!r} that can be run: "
                "write command:./program and make it executable"
            )
        self._repeat, self._patience = repeat, patience
        reading = neighbours or "one"
        self.about = About(
            text,
            neighbours=f"proposed: {meaning(reading)}" if given is None else GIVEN,
            chunk=4096 if repeat else 8,
            start=1024 if repeat else 32,
            source=digest_of(found, *self._words[1:]),
            guessed=given is None and neighbours is None,
            notes=("its randomness is its own: the seed does not repeat this audit",),
        )
        pairs = (
            taken(self, reading, guessed=neighbours is None)
            if given is None
            else map(read_pair, given)
        )
        self.about = replace(self.about, pairs=tuple(pairs))

    def draw(
        self, database: Any, size: int, key: Sequence[int], deadline: float | None = None
    ) -> Outputs:
        """Run the program, once for all outputs or once for each."""
        del key  # the program draws its own randomness
        line = _line(database)
        if self._repeat:
            return tidy(self._run(line * size, size, deadline))
        return tidy([self._run(line, 1, deadline)[0] for _ in range(size)])

    def close(self) -> None:
        """Each run has ended already."""

    def _run(self, given: str, size: int, deadline: float | None) -> list[Any]:
        patience = self._patience
        if deadline is not None:
            patience = min(patience, max(0.0, deadline - time.monotonic()))
        try:
            child = subprocess.Popen(
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise InvalidInput(f"{self.about.name} cannot be run: {error.strerror}") from error
        try:
            printed, _ = child.communicate(given, timeout=patience)
        except subprocess.TimeoutExpired:
            if deadline is not None and time.monotonic() >= deadline:
                raise OutOfTime from None
            raise Unresponsive(
                f"{self.about.name} did not end within {self._patience:g} s and was ended: it "
                "hangs, or it is slow; wait longer with --patience"
            ) from None
        finally:
            end_group(child)
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    pipe.close()
        return self._outputs(printed, child.returncode, size)

    def _outputs(self, printed: str, code: int, size: int) -> list[Any]:
        failed = f"exits with {code}"
        if not self._repeat:
            return [failed if code else _value(printed.strip())]
        lines = printed.splitlines()
        if len(lines) > size or (len(lines) < size and code == 0):
            raise InvalidInput(
                f"{self.about.name} printed {len(lines)} lines for {size} lines of input: with "
                "--repeat it must answer each line with one line"
            )
        return [_value(line.strip()) for line in lines] + [failed] * (size - len(lines))


def _line(database: Any) -> str:
    try:
        return json.dumps(database, allow_nan=False) + "\n"
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"database {database!r} cannot be written as JSON for a command: {error}"
        ) from error


def _value(text: str) -> Any:
    if len(text) > _LONGEST:
        return text  # too long to be read, and cut by `tidy`
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def end_group(child: subprocess.Popen[Any]) -> None:
    """End a process that was started as a session of its own, and all that it started."""
    if child.poll() is None:
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(child.pid, signal.SIGKILL)
            else:
                child.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(5)
