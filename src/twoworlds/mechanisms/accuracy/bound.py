"""A printed bound beside the exact value of the same quantity."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from twoworlds.answer import Answer
from twoworlds.charts import Bars
from twoworlds.numbers import Number, Real, ball, show
from twoworlds.show import Result

__all__ = ["Bound", "any_of"]

_LONGEST_POWER = 1 << 14


@dataclass(frozen=True)
class Bound(Result):
    """What a paper prints as an upper bound (or as a value), and what the quantity is.

    Attributes:
        name: the quantity, as a formula.
        exact: its exact value.
        printed: the printed bound, or None where no paper prints one.
        citation: where it is printed.
        note: what to know about it: an equality, a correction.
    """

    name: str
    exact: Number
    printed: Number | None = None
    citation: str = ""
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether the exact value is at most the printed one; decided, never guessed."""
        return self.printed is None or self.exact <= self.printed

    @property
    def slack(self) -> Number:
        """By how much the bound overstates the quantity: printed minus exact."""
        if self.printed is None or self.exact is self.printed:
            return Fraction(0)
        return self.printed - self.exact

    def answer(self) -> Answer:
        """Say both in one sentence, and chart them."""
        tail = f" ({self.note})" if self.note else ""
        if self.printed is None:
            return Answer(f"{self.name} = {show(self.exact)}{tail}.")
        values = {"exact": self.exact, "printed": self.printed}
        share = self.name.startswith("P(")
        return Answer(
            f"{self.name} = {show(self.exact)}; {self.citation} prints {show(self.printed)}{tail}.",
            blocks=(Bars(self.name, values, share=share, orange=["printed"]),),
        )


def any_of(q: Number, d: int) -> Number:
    """Return the probability that at least one of d independent events of probability q happens.

    1 - (1 - q)^d

    >>> any_of(Fraction(1, 2), 3)
    Fraction(7, 8)
    """
    if d == 1:
        return q
    if isinstance(q, Fraction) and q.denominator.bit_length() * d > _LONGEST_POWER:
        none = 1 - q
        return Real(lambda bits: 1 - ball(none, bits) ** d, f"1 - ({none})^{d}")
    return 1 - (1 - q) ** d
