"""Measurements of speed and memory, each one against a peer or a limit within the same run.

``python -m benchmarks`` calls ``run() -> list[Row]`` of every module of this package and prints one
table. A peer is measured on the same machine within the same minute, so that a slow machine does
not decide the outcome.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

__all__ = ["Row", "best_of", "median_of"]


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        name: What was measured.
        ours: Our measurement; less is better.
        unit: Its unit.
        peer: The peer's measurement, or a limit; None for a number that is only reported.
        against: Who the peer is.
        target: The row passes when peer / ours is at least this; None as for `peer`.
    """

    name: str
    ours: float
    unit: str = "s"
    peer: float | None = None
    against: str = ""
    target: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times less than the peer we need."""
        return None if self.peer is None else self.peer / self.ours

    @property
    def outcome(self) -> str:
        """``pass``, ``fail``, or ``reported`` when there is no target."""
        if self.ratio is None or self.target is None:
            return "reported"
        return "pass" if self.ratio >= self.target else "fail"


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best_of(repeats: int, work: Callable[[], object]) -> float:
    """The least time in seconds: what the work costs when nothing else disturbs it."""
    return min(_seconds(work) for _ in range(repeats))


def median_of(repeats: int, measure: Callable[[], float]) -> float:
    """The median of a measurement: what a user sees on an ordinary day."""
    return median(measure() for _ in range(repeats))
