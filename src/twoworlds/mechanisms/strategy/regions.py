"""Regions of transcripts: intervals of one answer, boxes of several, and unions of boxes.

A transcript is the tuple of all reported answers. An `HalfOpen` is low <= answer < high, either end
open; a *box* has an interval for each answer. What an adversary asks next may depend on the box in
which the answers so far lie, and what it concludes is a union of boxes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, prod

from twoworlds.errors import InvalidInput
from twoworlds.laws.event import Event
from twoworlds.worlds import Integers, Point, Universe

_SHOWN = 4


@dataclass(frozen=True)
class HalfOpen:
    """All numbers from ``low`` on and below ``high``; None leaves an end open.

    >>> third = HalfOpen(Fraction(1, 3), Fraction(2))
    >>> Fraction(1, 3) in third, 2 in third, third.whole_numbers
    (True, False, (1, 1))
    """

    low: Fraction | None = None
    high: Fraction | None = None

    def __contains__(self, answer: object) -> bool:
        """Tell whether an answer lies in it."""
        above = self.low is None or answer >= self.low  # type: ignore[operator]
        return bool(above and (self.high is None or answer < self.high))  # type: ignore[operator]

    @property
    def whole_numbers(self) -> tuple[int | None, int | None]:
        """The least and the greatest whole number in it, None where there is none."""
        low = None if self.low is None else ceil(self.low)
        return low, None if self.high is None else ceil(self.high) - 1

    def meet(self, other: HalfOpen) -> HalfOpen | None:
        """Return what both have in common, or None."""
        lows = [end for end in (self.low, other.low) if end is not None]
        highs = [end for end in (self.high, other.high) if end is not None]
        low, high = max(lows, default=None), min(highs, default=None)
        return None if low is not None and high is not None and low >= high else HalfOpen(low, high)

    def inner(self) -> Fraction:
        """Return some number that lies in it."""
        if self.low is not None:
            return self.low
        return Fraction(0) if self.high is None else self.high - 1

    def describe(self, name: str, *, whole: bool = False) -> str:
        """Say it of an answer, as briefly as possible for whole numbers."""
        if self.low is None and self.high is None:
            return f"any {name}"
        low, high = (self.whole_numbers) if whole else (self.low, self.high)
        if high is None:
            return f"{name} >= {low}"
        if low is None:
            return f"{name} <= {high}" if whole else f"{name} < {high}"
        if whole:
            return f"{name} = {low}" if low == high else f"{low} <= {name} <= {high}"
        return f"{low} <= {name} < {high}"


Box = tuple[HalfOpen, ...]


def tiles(cuts: tuple[Fraction, ...]) -> tuple[HalfOpen, ...]:
    """Return the intervals between thresholds: below the first, from the first on, ..."""
    ends = (None, *cuts, None)
    return tuple(HalfOpen(low, high) for low, high in pairwise(ends))


@dataclass(frozen=True)
class Boxes(Event):
    """Transcripts that lie in one of several boxes, which exclude each other."""

    parts: tuple[Box, ...]

    def holds(self, output: Point) -> bool:
        """Tell whether a transcript lies in one of the boxes."""
        return any(
            all(a in interval for a, interval in zip(output, box, strict=True))
            for box in self.parts
        )

    def describe(self, outputs: Universe) -> str:
        """Say the boxes, as many as one can read."""
        if not self.parts:
            return "no output at all"
        whole = isinstance(outputs, Transcripts) and isinstance(outputs.answer, Integers)
        said = [_described(box, whole=whole) for box in self.parts[:_SHOWN]]
        more = len(self.parts) - _SHOWN
        tail = f", and {more} more case{'s' if more > 1 else ''}" if more > 0 else ""
        return (said[0] if len(self.parts) == 1 else " or ".join(f"({s})" for s in said)) + tail


def _described(box: Box, *, whole: bool) -> str:
    said = [
        interval.describe(f"answer {i}", whole=whole)
        for i, interval in enumerate(box, start=1)
        if interval != HalfOpen()
    ]
    return " and ".join(said) or "any answers"


@dataclass(frozen=True)
class Transcripts(Universe):
    """All tuples of so many answers, each from the same set."""

    answer: Universe
    length: int

    @property
    def size(self) -> int | None:
        """How many there are, or None."""
        each = self.answer.size
        return None if each is None else prod([each] * self.length)

    def __iter__(self) -> Iterator[Point]:
        """Run through the tuples, the last answer fastest."""
        if self.size is None:
            raise InvalidInput("there are infinitely many transcripts: ask for single ones")
        return iter(product(self.answer, repeat=self.length))

    def __contains__(self, point: object) -> bool:
        """Tell whether this is a tuple of so many answers."""
        fits = isinstance(point, tuple) and len(point) == self.length
        return fits and all(part in self.answer for part in point)  # type: ignore[attr-defined]

    @property
    def expression(self) -> str:
        """The answers and their number."""
        return f"{self.length} answers in {self.answer.expression}"

    def label(self, point: Point) -> str:
        """Return the answers between brackets."""
        return f"({'; '.join(self.answer.label(part) for part in point)})"

    def _parse(self, label: str) -> Point | None:
        parts = label.removeprefix("(").removesuffix(")").split(";")
        if len(parts) != self.length:
            return None
        try:
            return tuple(self.answer.find(part.strip()) for part in parts)
        except InvalidInput:
            return None

    def _hint(self) -> str:
        return f"write the {self.length} answers as in (0; 1), between brackets"

    def around(self, point: Point, relation: str) -> Iterator[Point]:
        """Outputs have no neighbours."""
        raise InvalidInput(f"{self.expression} is a set of outputs: it has no neighbours")
