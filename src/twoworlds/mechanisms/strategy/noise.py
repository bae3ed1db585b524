r"""The noise that every answer of a strategy gets, on one interval of answers at a time.

For an answer whose true values are u on one database and v on another, and an interval I, three
things are needed: the masses P(u + Z in I), the largest likelihood ratio p(r - u) / p(r - v) over
r in I, and, where they are finitely many, the parts of I on which that ratio is constant.

    Laplace, rate 1/b:   ln ratio = (|r - v| - |r - u|) / b, which rises or falls from one end of
                         I to the other, by at most |u - v| / b: its supremum is at an end of I
    integer noise:       log-concave, so that the ratio is monotone too
    a finite range:      the outputs are listed

Differs: Dwork's equation (3) calls sigma^2 the variance; the density exp(-|z| / sigma) has variance
2 sigma^2, and its coordinates are Laplace, not exponential.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from twoworlds.mechanisms.strategy.regions import Box, Interval
from twoworlds.numbers import Number
from twoworlds.worlds import Point, Universe

if TYPE_CHECKING:
    import numpy as np

__all__ = ["AnswerNoise", "Largest", "Part", "Value", "multiplied"]

Value = Any  # a whole number or a fraction


class Part(NamedTuple):
    """Answers of one likelihood ratio, with their masses under both true values."""

    interval: Interval
    p: Number
    q: Number


class Largest(NamedTuple):
    """The supremum of the likelihood ratio over a box, where it is reached or nearly so."""

    ratio: Number
    box: Box
    attained: bool


class AnswerNoise(ABC):
    """Independent noise of one law on every answer.

    Attributes:
        answers: what one answer can be.
        by_difference: whether only the difference of two true values matters.
        discrete: whether single answers have probability.
    """

    answers: Universe
    by_difference: bool = True
    discrete: bool = True

    @abstractmethod
    def density(self, answer: Point, value: Value) -> Number:
        """Return the probability, or the density, of an answer around a true value."""

    @abstractmethod
    def mass(self, interval: Interval, value: Value) -> Number:
        """Return the probability that the answer lies in an interval."""

    @abstractmethod
    def parts(self, interval: Interval, u: Value, v: Value) -> list[Part]:
        """Return the parts of an interval on which the likelihood ratio is constant."""

    @abstractmethod
    def largest(self, box: Box, u: Sequence[Value], v: Sequence[Value]) -> Largest | None:
        """Return the supremum of the likelihood ratio over a box; None where u has no mass."""

    @abstractmethod
    def sample(self, value: Value, rng: np.random.Generator) -> Point:
        """Draw one answer."""

    @abstractmethod
    def bound(self, sensitivity: Fraction) -> Number:
        """Return e^epsilon of Dwork's Theorem 5 for the joint sensitivity of a strategy."""

    def joint_density(self, answers: Sequence[Point], values: Sequence[Value]) -> Number:
        """Return the density of the noise vector at answers - values (Dwork, equation 7)."""
        found: Number = Fraction(1)
        for answer, value in zip(answers, values, strict=True):
            found = found * self.density(answer, value)
        return found


def multiplied(found: Sequence[Largest | None]) -> Largest | None:
    """Return the largest ratio of several independent answers; None if one has no mass."""
    ratio: Number = Fraction(1)
    box: list[Interval] = []
    attained = True
    for one in found:
        if one is None:
            return None
        ratio, attained = ratio * one.ratio, attained and one.attained
        box += one.box
    return Largest(ratio, tuple(box), attained)
