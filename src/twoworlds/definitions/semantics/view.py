r"""Views: a belief as far as it matters for one person, and the breaches it can lead to.

Two databases that have the same answer with a person, and the same answer without, are alike: no
output tells them apart in Game 0 or in Game i. A `View` of a belief adds them up, so that a belief
about a count of n bits has at most 2n cases. The difference of the two games is that of the cases,

    SD(b_0(. | t), b_i(. | t)),   undefined posteriors counting as 1,

and `Judge` compares the largest one, over persons, with epsilon.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb

from twoworlds.definitions.semantics.games import default_value, without
from twoworlds.mechanisms import Mechanism, OnStatistic
from twoworlds.numbers import Number, Order, Real, ball, compare, maximum, positive_part
from twoworlds.worlds import Point
from twoworlds.worlds.belief import Belief, records_of

__all__ = ["Breaches", "Case", "Judge", "View", "up_to", "views", "worst_difference"]

Likelihood = Callable[[Point, Any], Number]


class Case(NamedTuple):
    """Databases of one answer, with and without the person, and what the belief gives them."""

    mass: Number
    answer: Any
    removed: Any


@dataclass(frozen=True)
class View:
    """A belief as far as it matters for one person: the cases that can be told apart.

    Attributes:
        person: the first person of whom it is true, counted from 1.
        cases: what is held possible.
        likelihood: P(t | answer).
    """

    person: int
    cases: tuple[Case, ...]
    likelihood: Likelihood = field(repr=False)

    @property
    def unmoved(self) -> bool:
        """Whether the person changes no answer that is held possible."""
        return all(case.answer == case.removed for case in self.cases)

    def difference(self, output: Point) -> Number:
        """Return SD(b_0, b_i) after an output, 1 where a posterior is undefined."""
        real = [case.mass * self.likelihood(output, case.answer) for case in self.cases]
        removed = [case.mass * self.likelihood(output, case.removed) for case in self.cases]
        with_everyone = sum(real, start=Fraction(0))
        without_person = sum(removed, start=Fraction(0))
        if with_everyone == 0 or without_person == 0:
            return Fraction(1)
        gaps = (p / with_everyone - q / without_person for p, q in zip(real, removed, strict=True))
        return sum((positive_part(gap) for gap in gaps), start=Fraction(0))


def views(mechanism: Mechanism, belief: Belief, default: object = None) -> list[View]:
    """Return the belief as seen for each person, once for persons that are alike."""
    records = records_of(mechanism.universe)
    d = default_value(records, default)
    answer, likelihood = _structure(mechanism)
    own = {x: answer(x) for x in belief}
    found: dict[frozenset[Case], View] = {}
    for i in range(records.n):
        masses: dict[tuple[Any, Any], Number] = {}
        for x, mass in belief.items():
            key = (own[x], own[x] if x[i] == d else answer(without(x, i, d)))
            masses[key] = masses.get(key, Fraction(0)) + mass
        cases = tuple(Case(mass, *key) for key, mass in masses.items())
        found.setdefault(frozenset(cases), View(i + 1, cases, likelihood))
    return list(found.values())


def _structure(mechanism: Mechanism) -> tuple[Callable[[Point], Any], Likelihood]:
    """Return what matters of a database, and the likelihood of an output given that."""
    if isinstance(mechanism, OnStatistic):
        return mechanism.statistic, mechanism.channel.probability
    return (lambda database: database), mechanism.probability


class Judge:
    """Decides outputs one at a time, each only once."""

    def __init__(self, seen: list[View], epsilon: Number) -> None:
        self.seen, self.epsilon = seen, epsilon
        self._known: dict[Point, Order] = {}

    def __call__(self, output: Point) -> Order:
        """Compare the worst difference with epsilon: GREATER is a breach."""
        if output not in self._known:
            orders = [compare(view.difference(output), self.epsilon) for view in self.seen]
            doubtful = Order.UNDECIDED if Order.UNDECIDED in orders else Order.LESS
            self._known[output] = Order.GREATER if Order.GREATER in orders else doubtful
        return self._known[output]


def worst_difference(seen: list[View], output: Point) -> Number:
    """Return the largest difference over persons after an output."""
    worst: Number = Fraction(0)
    for view in seen:
        worst = maximum(worst, view.difference(output))
    return worst


class Breaches(ABC):
    """The outputs that are breaches, and how likely they are for each true database."""

    @property
    def candidates(self) -> list[Point]:
        """The true databases among which the worst one is, where the structure tells; else none."""
        return []

    @abstractmethod
    def mass(self, truth: Point) -> Number:
        """Return the probability of a breach if this database is the true one."""

    @abstractmethod
    def example(self, truth: Point) -> Point | None:
        """Return a breach that this database can lead to."""


def up_to(mass: Number) -> Number:
    """Return a number of which only is known that it lies between 0 and the mass."""
    half = mass / 2
    return Real(lambda bits: ball(half, bits) + arb(0, ball(half, bits).abs_upper()))
