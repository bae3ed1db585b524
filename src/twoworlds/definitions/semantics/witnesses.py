"""Witnesses of a failure probability: beliefs that see a breach of semantic privacy so often.

`BeliefFailure` is any belief whose breaches are known, whoever they are about: every output is
played in all games or, for infinitely many outputs, the breaches are found afresh. `EachPerson` is
the same belief about each of many people, and `PairBelief` one on two databases that differ in one
person, where no more than the breaches about that person are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.definitions.semantics.beliefs import exact_failure
from twoworlds.definitions.semantics.breaches import breaches
from twoworlds.definitions.semantics.games import play
from twoworlds.definitions.semantics.pair import Masses, failure_at, half_line_failure
from twoworlds.definitions.semantics.table import Likelihoods, within_reach
from twoworlds.definitions.verdict import Proof
from twoworlds.errors import Unsupported
from twoworlds.mechanisms import Comparison, Mechanism, OnStatistic
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.numbers import Number, Order, bounds, compare, show, to_json
from twoworlds.worlds import Point
from twoworlds.worlds.belief import Belief

_BITS = 40


def failure_of(
    mechanism: Mechanism, belief: Belief, epsilon: Fraction, default: object = None
) -> Fraction:
    """Return how likely a breach is under a belief; where irrational, a close lower bound.

    >>> from twoworlds import mechanism
    >>> from twoworlds.worlds.belief import explicit
    >>> noise = mechanism("integer-noise([1/4, 1/2, 1/4], start=-1, bits=2)")
    >>> belief = explicit(noise.universe, {"11": "1/2", "01": "1/2"})
    >>> failure_of(noise, belief, Fraction(1, 5))
    Fraction(1, 1)
    """
    found = breaches(mechanism, belief, epsilon, default)
    parts = (mass * found.mass(x) for x, mass in belief.items())
    return max(bounds(sum(parts, start=Fraction(0)), _BITS)[0], Fraction(0))


@dataclass(frozen=True)
class BeliefFailure(Proof):
    """A belief that sees a breach at least so often; it re-verifies by playing every output.

    ``mechanism`` may be the one asked about with its outputs clamped far out (the ends are then
    ``left_out``), or with all but a few people known for certain.
    """

    mechanism: Mechanism = field(repr=False)
    belief: Belief
    epsilon: Fraction
    failure: Fraction
    default: object = None
    left_out: frozenset[Point] = frozenset()

    def verify(self) -> bool:
        """Play all games for all outputs, and add up the outputs that breach."""
        if self._outputs is None:
            return failure_of(self.mechanism, self.belief, self.epsilon, self.default) >= (
                self.failure
            )
        if not self._rational:
            return self._enclosed() >= self.failure
        total: Number = Fraction(0)
        for t in self._outputs:
            terms = (self.mechanism.probability(t, x) * m for x, m in self.belief.items())
            mass = sum(terms, start=Fraction(0))
            if mass == 0 or t in self.left_out:
                continue
            games = play(self.mechanism, self.belief, t, default=self.default)
            if compare(games.worst, self.epsilon) is Order.GREATER:
                total += mass
        return total >= self.failure

    @property
    def _outputs(self) -> Iterable[Point] | None:
        """The outputs that matter, where they are finitely many."""
        mechanism = self.mechanism
        if isinstance(mechanism, OnStatistic) and isinstance(mechanism.channel, FiniteNoise):
            return within_reach(mechanism, self.belief)
        return None if mechanism.outputs.size is None else mechanism.outputs

    @property
    def _rational(self) -> bool:
        x, outputs = next(iter(self.belief)), self._outputs or ()
        return all(isinstance(self.mechanism.probability(t, x), Fraction) for t in outputs)

    def _enclosed(self) -> Fraction:
        """Return a lower bound of the failure, from likelihoods that are enclosed by rationals."""
        table = Likelihoods.of(self.mechanism, self.default, self.left_out)
        place = {x: j for j, x in enumerate(table.databases)}
        masses = {place[x]: bounds(m)[0] for x, m in self.belief.items()}
        return exact_failure(table, masses, self.epsilon)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the belief, database by database, and how often it sees a breach."""
        label = self.belief.universe.label
        for x, mass in self.belief.items():
            yield "belief", f"{show(mass)} in {label(x)}"
        yield "breach", f"with probability {show(self.failure, side='at least')} under this belief"

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        label = self.belief.universe.label
        return {
            "belief": {label(x): to_json(mass) for x, mass in self.belief.items()},
            "epsilon": to_json(self.epsilon),
            "failure": to_json(self.failure, side="down"),
        }


@dataclass(frozen=True)
class EachPerson(Proof):
    """The same belief about each of many people, independently.

    Where every record is treated on its own, each person sees a breach independently of the others.
    """

    one: BeliefFailure
    people: int

    @property
    def failure(self) -> Fraction:
        """How often some person sees a breach."""
        return 1 - (1 - self.one.failure) ** self.people

    def verify(self) -> bool:
        """Play all games for one record."""
        return self.one.verify()

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the belief about one record, for how many, and how often it sees a breach."""
        label = self.one.belief.universe.label
        for x, mass in self.one.belief.items():
            yield "belief", f"{show(mass)} in {label(x)}"
        yield "", f"and so for each of {self.people} people, independently"
        yield "breach", f"with probability {show(self.failure, side='at least')} under this belief"

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        return self.one.to_dict() | {
            "people": self.people,
            "failure": to_json(self.failure, side="down"),
        }


@dataclass(frozen=True)
class PairBelief(Proof):
    """A belief on two databases that differ in one person, who is all that is not known.

    Only breaches about that person are counted: others may come on top of them.
    """

    mechanism: Mechanism = field(repr=False)
    comparison: Comparison = field(repr=False)
    weight: Fraction
    epsilon: Fraction
    failure: Fraction
    default: bool = False  # whether the second database has the default value

    def verify(self) -> bool:
        """Recompute how often the belief sees a breach."""
        cells = rational_cells(self.comparison)
        if cells is None:
            one = half_line_failure(self.mechanism, self.comparison, self.epsilon, self.weight)
        else:
            one = failure_at(cells, self.epsilon, self.weight, default=self.default)
        return one >= self.failure

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the two databases with their probabilities, and how often it sees a breach."""
        label = self.mechanism.universe.label
        first, second = label(self.comparison.x), label(self.comparison.y)
        yield "belief", f"{show(self.weight)} in {first}, else {second}"
        chance = show(self.failure, side="down")
        yield "breach", f"about the person in whom they differ with probability at least {chance}"

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        label = self.mechanism.universe.label
        return {
            "databases": [label(self.comparison.x), label(self.comparison.y)],
            "weight": to_json(self.weight),
            "epsilon": to_json(self.epsilon),
            "failure": to_json(self.failure, side="down"),
        }


def rational_cells(comparison: Comparison) -> list[Masses] | None:
    """Return the classes of outputs by likelihood ratio, where they are finite and rational."""
    try:
        cells = comparison.cells()
    except Unsupported:
        return None
    found = []
    for cell in cells:
        if not isinstance(cell.p, Fraction) or not isinstance(cell.q, Fraction):
            return None
        found.append(Masses(cell.p, cell.q))
    return found
