"""Subjects: what is audited, and how outputs are drawn from it.

A subject is one of

* a Python callable ``f(database, rng)``, or ``f(database)`` with randomness of its own; for speed
  it may have ``f.many(database, size, rng)``, which returns ``size`` outputs as an array or a list;
  it may carry ``f.claim`` (an epsilon, or ``{"epsilon": 1, "delta": 0}``), ``f.pairs`` (pairs of
  neighbouring databases) and ``f.neighbours`` (``one``, ``all`` or ``add-remove``, for proposals);
* a mechanism of this package, of OpenDP or of diffprivlib (`twoworlds.attacks.audit.adapters`);
* a command (`twoworlds.attacks.audit.commands`).

`Local` runs in this process. What is named by ``python:module:name`` runs in a child process, which
can be ended when it hangs (`twoworlds.attacks.audit.process`).

The generator for each batch is made from the seed and from the place of the batch in the audit, so
that an audit can be repeated, and resumed, whatever the machine's speed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from twoworlds.attacks.audit.outputs import (
    Outputs,
    is_converted,
    plain,
    raised,
    readings,
    settled,
    tidy,
)
from twoworlds.attacks.audit.pairs import Pair
from twoworlds.errors import InvalidInput

__all__ = ["GIVEN", "About", "Local", "OutOfTime", "Subject", "Unresponsive"]

GIVEN = "as given"


class Unresponsive(InvalidInput):
    """A subject did not answer in time, or ended."""


class OutOfTime(Exception):
    """The time for the whole audit is over."""


@dataclass(frozen=True)
class About:
    """What is known of a subject before it is run.

    Attributes:
        name: what was typed.
        identity: a hash of what was audited, for state files.
        pairs: pairs of databases to look at.
        neighbours: why these are neighbours, in words.
        epsilon: what it claims, if it says so.
        delta: likewise.
        chunk: how many outputs are drawn at once.
        start: the size of the first round.
        low_bits: whether the low-order bits of its floats are its own.
        notes: what a reader should know.
    """

    name: str
    identity: str
    pairs: tuple[Pair, ...] = ()
    neighbours: str = "given"
    epsilon: Any = None
    delta: Any = 0
    chunk: int = 256
    start: int = 256
    low_bits: bool = True
    notes: tuple[str, ...] = ()


class Subject(Protocol):
    """What an audit needs of a subject."""

    about: About
    converted: bool  # whether outputs were not plain values: then events look at plain(y)

    def draw(
        self, database: Any, size: int, key: Sequence[int], deadline: float | None = None
    ) -> Outputs:
        """Return outputs on a database; ``key`` makes the generator."""

    def close(self) -> None:
        """End whatever was started."""


class Local:
    """A subject in this process: the clock is looked at between outputs, but nothing can end it.

    Args:
        draw_one: from a database and a generator to one output.
        draw_many: the same for a whole batch, or None.
        about: what is known of it.
    """

    def __init__(
        self,
        about: About,
        draw_one: Callable[[Any, np.random.Generator], Any],
        draw_many: Callable[[Any, int, np.random.Generator], Any] | None = None,
    ) -> None:
        """Keep the functions."""
        self._one, self._many = draw_one, draw_many
        self.converted = False
        self._read = (True, True, True)
        self.beat: Callable[[], None] = lambda: None  # called between outputs
        fast = {"chunk": 1 << 16, "start": 4096} if draw_many is not None else {}
        self.about = replace(about, **fast)  # type: ignore[arg-type]

    def draw(
        self, database: Any, size: int, key: Sequence[int], deadline: float | None = None
    ) -> Outputs:
        """Draw a batch; errors are outputs."""
        rng = np.random.default_rng(list(key))
        if self._many is not None:
            try:
                given = self._many(database, size, rng)
                drawn = tidy(given)
            except (Exception, SystemExit):  # one output fails, say: then each on its own
                rng = np.random.default_rng(list(key))
            else:
                if len(drawn) != size:
                    raise InvalidInput(
                        f"{self.about.name}: many(database, {size}, rng) returned {len(drawn)} "
                        f"outputs: it must return {size}"
                    )
                if not isinstance(given, np.ndarray) or isinstance(drawn, list):
                    for output in given:
                        self._note(output)
                return self._noted(drawn)
        return self._noted(settled([self._single(database, rng, deadline) for _ in range(size)]))

    def _note(self, output: Any) -> None:
        seen = readings(output)
        self._read = tuple(a and b for a, b in zip(self._read, seen, strict=True))  # type: ignore[assignment]

    def _noted(self, drawn: Outputs) -> Outputs:
        self.converted = self.converted or is_converted(drawn, self._read)
        self._read = (True, True, True)
        return drawn

    def _single(self, database: Any, rng: np.random.Generator, deadline: float | None) -> Any:
        self.beat()
        if deadline is not None and time.monotonic() > deadline:
            raise OutOfTime
        try:
            output = self._one(database, rng)
        except (Exception, SystemExit) as error:  # an error is an output
            output = raised(error)
        self._note(output)
        return plain(output)

    def close(self) -> None:
        """There is nothing to end."""
