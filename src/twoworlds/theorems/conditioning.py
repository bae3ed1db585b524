"""The Conditioning Lemma run on two given joint laws (Kasiviswanathan & Smith, Lemma 3.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Said
from twoworlds.charts import Bars
from twoworlds.definitions.base import read_ratio
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import apart
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    ln,
    number,
    show,
)
from twoworlds.show import Result
from twoworlds.theorems.formulas import (
    conditioning_failure,
    order,
    printed_conditioning_failure,
)
from twoworlds.worlds import Point


def _allows(bound: Number) -> str:
    if order(bound, Fraction(1)) is Order.LESS:
        return f"allows them a probability of at most {show(bound, side='up')}"
    return "says nothing, since its bound is not below 1"


Joint = Mapping[tuple[Point, Point], object]
Cells = dict[Point, dict[Point, Number]]


@dataclass(frozen=True)
class Conditioned(Result):
    """The Conditioning Lemma on two given joint laws: what it promises, and what is true of them.

    Attributes:
        ratio: e^epsilon.
        delta: the smallest with which (A, B) and (A', B') are (epsilon, delta)-indistinguishable.
        inner: d, allowed given t.
        bad: the t at which A given t and A' given t are not (2 epsilon, d)-indistinguishable.
        mass: the probability of these t under B, and under B'.
        corrected: the bound delta'' of the corrected lemma, for both.
        beyond_print: the same for (3 epsilon, d), of which print speaks.
        printed: the bound for these as printed, which may be violated.
    """

    ratio: Number
    delta: Number
    inner: Number
    bad: tuple[Point, ...]
    mass: tuple[Number, Number]
    corrected: Number
    beyond_print: tuple[Number, Number]
    printed: Number

    def answer(self) -> Answer:
        """Say how often a second coordinate gives the laws away, beside both bounds for that."""
        listed = ", ".join(str(t) for t in self.bad) or "no value"
        violated = " (violated here)" if self.violates_print else ""
        chances = {
            "in the first law": self.mass[0],
            "in the second law": self.mass[1],
            "corrected bound": min(1.0, float(self.corrected)),
            "printed bound": min(1.0, float(self.printed)),
        }
        grey = ["corrected bound", "printed bound"]
        title = "A second coordinate gives them away"
        return Answer(
            f"As laws of pairs the two are alike: whatever one of them does with some probability, "
            f"the other does with at most {show(self.ratio, side='up')} times that, plus "
            f"{show(self.delta, side='up')}.",
            blocks=(
                Said(
                    [
                        "Who sees the second coordinate compares the laws of the first one given "
                        f"it. There the factor {show(self.ratio**2)} (the square), plus "
                        f"{show(self.inner)}, is allowed.",
                        f"The second coordinate breaks that at: {listed}. Such values have "
                        f"probability {show(self.mass[0])} in the first law, and "
                        f"{show(self.mass[1])} in the second.",
                        f"The corrected Conditioning Lemma {_allows(self.corrected)}.",
                        f"As printed, with the cube {show(self.ratio**3)} in place of the square, "
                        f"it {_allows(self.printed)}; the values that break this have probability "
                        f"{show(self.beyond_print[0])} and {show(self.beyond_print[1])}{violated}.",
                    ]
                ),
                Bars(title, chances, orange=["in the second law"], grey=grey),
            ),
        )

    @property
    def violates_print(self) -> bool:
        """Whether one of the two masses beyond 3 epsilon exceeds the bound as printed."""
        return any(order(mass, self.printed) is Order.GREATER for mass in self.beyond_print)

    def fields(self) -> dict[str, Any]:
        bad = [str(t) for t in self.bad]
        return {**super().fields(), "bad": bad, "violates_print": self.violates_print}


def condition(
    first: Joint,
    second: Joint,
    *,
    inner: object,
    ratio: object = None,
    epsilon: object = None,
) -> Conditioned:
    r"""Run the Conditioning Lemma on two joint laws, given as masses of pairs (a, t).

    >>> one = {("s", 1): "1/10", ("c", 1): "9/10"}
    >>> other = {("c", 1): 1}
    >>> found = condition(one, other, ratio=3, inner="1/20")
    >>> found.delta, found.bad, found.mass
    (Fraction(1, 10), (1,), (Fraction(1, 1), Fraction(1, 1)))
    """
    a = read_ratio(ratio, epsilon)
    if a is None:
        raise InvalidInput("the lemma needs a number: give ratio= or epsilon=")
    d = number(inner, "inner")
    left, right = _cells(first, "first"), _cells(second, "second")
    delta = apart(_flat(left), _flat(right), a)
    corrected = conditioning_failure(a, delta, d)
    bad, beyond = (
        tuple(
            t for t in dict.fromkeys([*left, *right]) if _apart(left.get(t), right.get(t), power, d)
        )
        for power in (a**2, a**3)
    )
    printed = INFINITY if a == 1 else printed_conditioning_failure(a, ln(a), delta, d)
    masses, more = (_masses(listed, left, right) for listed in (bad, beyond))
    return Conditioned(a, delta, d, bad, masses, corrected, more, printed)


def _masses(listed: Sequence[Point], left: Cells, right: Cells) -> tuple[Number, Number]:
    """Return the probability of some t under both laws."""
    first, second = (
        sum((_total(law[t]) for t in listed if t in law), start=Fraction(0))
        for law in (left, right)
    )
    return first, second


def _cells(law: Joint, name: str) -> Cells:
    """Sort a joint law by t; masses of 0 are left out."""
    found: Cells = {}
    total: Number = Fraction(0)
    for (a, t), given in law.items():
        mass = number(given, f"P({a}, {t})")
        if mass < 0:
            raise InvalidInput(f"P({a}, {t})={show(mass)} in the {name} law is negative")
        total += mass
        if mass != 0:
            found.setdefault(t, {})[a] = mass
    if order(total, Fraction(1)) in (Order.LESS, Order.GREATER):
        raise InvalidInput(f"the {name} law sums to {show(total)}, it must sum to 1")
    return found


def _flat(cells: Cells) -> dict[Point, Number]:
    return {(a, t): mass for t, row in cells.items() for a, mass in row.items()}


def _total(row: Mapping[Point, Number]) -> Number:
    return sum(row.values(), start=Fraction(0))


def _apart(
    row: Mapping[Point, Number] | None,
    other: Mapping[Point, Number] | None,
    ratio: Number,
    inner: Number,
) -> bool:
    """Tell whether two conditional laws are too far apart; an undefined one always is."""
    if row is None or other is None:
        return True
    p, q = ({a: mass / _total(law) for a, mass in law.items()} for law in (row, other))
    return order(apart(p, q, ratio), inner) is Order.GREATER
