"""Boxes: sets of transcripts in which each answer lies in a range of its own."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from twoworlds.laws.event import Event
from twoworlds.worlds import Integers, Point, Product, Universe

_SHOWN = 4


@dataclass(frozen=True)
class HalfOpen(Event):
    """All numbers from ``low`` on and below ``high``; None leaves an end open.

    >>> third = HalfOpen(Fraction(1, 3), Fraction(2))
    >>> Fraction(1, 3) in third, 2 in third, third.whole_numbers
    (True, False, (1, 1))
    """

    low: Fraction | None = None
    high: Fraction | None = None

    def __contains__(self, answer: object) -> bool:
        above = self.low is None or answer >= self.low  # type: ignore[operator]
        return bool(above and (self.high is None or answer < self.high))  # type: ignore[operator]

    def holds(self, output: Point) -> bool:
        """Tell whether an answer lies in it."""
        return output in self

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

    def describe(self, outputs: Universe, name: str = "output") -> str:
        """Say it of an answer, as briefly as possible for whole numbers."""
        if self == HalfOpen():
            return ""
        whole = isinstance(outputs, Integers)
        low, high = self.whole_numbers if whole else (self.low, self.high)
        if high is None:
            return f"{name} >= {low}"
        if low is None:
            return f"{name} <= {high}" if whole else f"{name} < {high}"
        if whole:
            return f"{name} = {low}" if low == high else f"{low} <= {name} <= {high}"
        return f"{low} <= {name} < {high}"


@dataclass(frozen=True)
class Boxes(Event):
    """Tuples of outputs that lie in one of several boxes: an event for each part."""

    parts: tuple[tuple[Event, ...], ...]

    def holds(self, output: Point) -> bool:
        """Tell whether a tuple lies in one of the boxes."""
        return any(
            all(event.holds(part) for event, part in zip(box, output, strict=True))
            for box in self.parts
        )

    def describe(self, outputs: Universe) -> str:
        """Say the boxes, as many as one can read."""
        if not self.parts or not isinstance(outputs, Product):
            return "no output at all"
        said = [self._said(box, outputs) for box in self.parts[:_SHOWN]]
        more = len(self.parts) - _SHOWN
        tail = f", and {more} more case{'s' if more > 1 else ''}" if more > 0 else ""
        return (said[0] if len(said) == 1 else " or ".join(f"({one})" for one in said)) + tail

    @staticmethod
    def _said(box: tuple[Event, ...], outputs: Product) -> str:
        said = [
            event.describe(part, f"answer {i}")
            if isinstance(event, HalfOpen)
            else event.describe(part)
            for i, (event, part) in enumerate(zip(box, outputs.parts, strict=True), start=1)
        ]
        return " and ".join(filter(None, said)) or "any answers"
