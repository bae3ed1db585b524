"""Universes on the line: the true answer stands for the database.

When noise is added to a count or a sum, all that matters about a database is its true answer.
`Integers` and `Reals` are the possible true answers, either end open; neighbours are answers that
one person can turn into each other, that is, at most ``step`` apart (the sensitivity, Dwork,
Definition 3). For a count both substitution and add-remove move the answer by at most 1; for
other statistics the step depends on the relation and is the caller's to give.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import Number, exact_text, number, positive, rational, show, whole
from twoworlds.worlds.universe import Point, Universe

__all__ = ["Integers", "Reals"]

_FARTHEST = 10**18


@dataclass(frozen=True)
class Integers(Universe):
    """The whole numbers from ``low`` to ``high``; None leaves an end open.

    >>> list(Integers(0, 3))
    [0, 1, 2, 3]
    """

    low: int | None = None
    high: int | None = None
    step: int = 1

    def __post_init__(self) -> None:
        """Check the ends and the step."""
        for name in ("low", "high"):
            value = getattr(self, name)
            if value is not None:
                exact = number(value, name)
                if not isinstance(exact, Fraction) or exact.denominator != 1:
                    raise InvalidInput(f"{name}={value} must be a whole number, or left out")
                if abs(exact) > _FARTHEST:
                    raise TooLarge(
                        f"{name} is too far from 0: give at most {_FARTHEST}, or leave it out"
                    )
                object.__setattr__(self, name, int(exact))
        object.__setattr__(self, "step", whole(self.step, "step", at_least=1))
        if self.low is not None and self.high is not None and self.low > self.high:
            raise InvalidInput(f"the universe is empty: low={self.low} is above high={self.high}")

    @property
    def size(self) -> int | None:
        """How many there are, or None."""
        return None if self.low is None or self.high is None else self.high - self.low + 1

    def __iter__(self) -> Iterator[int]:
        """Run upward from the low end, downward from the high end, or outward from 0."""
        if self.low is not None:
            yield from count(self.low) if self.high is None else range(self.low, self.high + 1)
        elif self.high is not None:
            yield from count(self.high, -1)
        else:
            yield 0
            for k in count(1):
                yield from (k, -k)

    def __contains__(self, point: object) -> bool:
        """Tell whether this is a whole number between the ends."""
        return (
            isinstance(point, int)
            and not isinstance(point, bool)
            and (self.low is None or point >= self.low)
            and (self.high is None or point <= self.high)
        )

    @property
    def expression(self) -> str:
        """The call that builds it."""
        ends = {"low": self.low, "high": self.high, "step": None if self.step == 1 else self.step}
        if self.low is not None and self.high is not None:
            tail = "" if self.step == 1 else f", step={self.step}"
            return f"integers({self.low}, {self.high}{tail})"
        given = ", ".join(f"{name}={end}" for name, end in ends.items() if end is not None)
        return f"integers({given})"

    def explain(self, relation: str) -> str:
        """Say what a neighbour is."""
        return f"one person changes the true answer by at most {self.step}"

    def _parse(self, label: str) -> Point | None:
        try:
            return int(label)
        except ValueError:
            return None

    def around(self, point: Point, relation: str) -> Iterator[int]:
        """Yield the answers at most ``step`` away."""
        for k in range(1, self.step + 1):
            yield from (p for p in (point + k, point - k) if p in self)


@dataclass(frozen=True)
class Reals(Universe):
    """The real numbers; neighbours are at most ``step`` apart.

    >>> Reals(step=2).expression
    'reals(step=2)'
    """

    step: Number = Fraction(1)

    def __post_init__(self) -> None:
        """Check the step."""
        object.__setattr__(self, "step", positive(self.step, "step"))

    @property
    def size(self) -> None:
        """There are infinitely many."""
        return

    def __iter__(self) -> Iterator[Point]:
        """The reals cannot be listed."""
        raise InvalidInput("the real numbers cannot be listed one by one")

    def __contains__(self, point: object) -> bool:
        """Tell whether this is a rational number (reals are given as rationals)."""
        return isinstance(point, (int, Fraction)) and not isinstance(point, bool)

    @property
    def expression(self) -> str:
        """The call that builds it."""
        return "reals()" if self.step == 1 else f"reals(step={exact_text(self.step)})"

    def explain(self, relation: str) -> str:
        """Say what a neighbour is."""
        return f"one person changes the true answer by at most {show(self.step, side='up')}"

    def find(self, given: object) -> Fraction:
        """Read a rational number; a float is the decimal that it prints."""
        return rational(given, "point")

    def around(self, point: Point, relation: str) -> Iterator[Point]:
        """Neighbours cannot be listed one by one."""
        raise InvalidInput("neighbours of a real number cannot be listed one by one")
