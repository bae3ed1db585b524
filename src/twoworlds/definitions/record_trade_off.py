r"""Hypothesis tests about one record: is x_i in T, or in S?

The records are drawn from a belief b that the tester knows, and so is the mechanism. The two laws
of the output are mixtures of likelihoods,

    P(t | x_i in T) = E_b[P(t | x) | x_i in T]     and the same with S,

and the best power at each level alpha is the trade-off curve between them
(`twoworlds.definitions.trade_off`). If the other records are independent of that of person i (a
product law, in print), both mixtures run over the same law of the others, so that what neighbours
keep the mixtures keep:

    power <= e^epsilon alpha + delta        (Kasiviswanathan & Smith, equation 4, with delta)
    power <= alpha + epsilon_SD             (equation 5)

The second says little: `random-index` satisfies it with 1/n, and exposes somebody every time.
Under a belief that ties the records to each other neither holds: where all records are known to be
equal, a count tells each of them.

Differs: print names both hypotheses H_1, and calls the power the maximum type II error.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.definitions.differential_privacy import DifferentialPrivacy
from twoworlds.definitions.indistinguishability import StatisticalDifference
from twoworlds.definitions.trade_off import Curve, corners_of, written
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms import (
    AddedNoise,
    AtLeast,
    AtMost,
    Comparison,
    Event,
    FiniteComparison,
    Listed,
    Mechanism,
    OnStatistic,
)
from twoworlds.numbers import Number, Order, at_most_one, compare, probability, show
from twoworlds.worlds import Point, Records
from twoworlds.worlds.belief import Belief, records_of
from twoworlds.worlds.beliefs import belief as build_belief


@dataclass(frozen=True)
class RecordTradeOff(Curve):
    """The best power against the level, for a test about the record of one person."""

    belief: Belief
    person: int
    null: tuple[Point, ...]
    alternative: tuple[Point, ...]
    independent: bool

    @property
    def sides(self) -> tuple[str, str]:
        """What is told from what."""
        alternative, null = (
            f"record {self.person} is {' or '.join(map(str, values))}"
            for values in (self.alternative, self.null)
        )
        return alternative, null

    def largest_power(self, level: object) -> Number:
        """Return what differential privacy with delta = 0 allows (equation 4)."""
        return self.bound(level, ratio=self._product(DifferentialPrivacy()).ratio)

    def largest_power_by_difference(self, level: object) -> Number:
        """Return what the statistical difference of neighbours allows (equation 5)."""
        found = self._product(StatisticalDifference()).epsilon
        return at_most_one(probability(level, "level") + found)

    def _product(self, definition: DifferentialPrivacy | StatisticalDifference) -> Verdict:
        if not self.independent:
            raise Unsupported(
                f"the bound holds for independent records only: this belief ties record "
                f"{self.person} to the others"
            )
        return definition.tightest(self.mechanism)

    def sentence(self) -> str:
        """Say what a test of one in a hundred false alarms can do, and whether that is bounded."""
        text = self._said(*(f'"{side}"' for side in self.sides))
        if self.independent:
            by_ratio = show(self.largest_power("1/100"), side="up")
            by_difference = show(self.largest_power_by_difference("1/100"), side="up")
            return (
                f"{text} Differential privacy allows at most {by_ratio}, and the statistical "
                f"difference alone at most {by_difference}."
            )
        return (
            f"{text} This belief ties record {self.person} to the others, so no bound follows "
            "from what the mechanism keeps about one person."
        )

    def fields(self) -> dict[str, Any]:
        """Return the hypotheses and the corners."""
        return {
            "mechanism": self.mechanism.expression,
            "belief": self.belief.fields(),
            "person": self.person,
            "null": [str(value) for value in self.null],
            "alternative": [str(value) for value in self.alternative],
            "independent": self.independent,
            "corners": written(self.corners),
            **self._at_level(),
        }

    def _at_level(self) -> dict[str, Any]:
        """Add what is allowed there, where the other records are independent."""
        found = super()._at_level()
        if found and self.independent:
            found["largest_power"] = self.largest_power(self.level)
            found["largest_power_by_difference"] = self.largest_power_by_difference(self.level)
        return found


def record_trade_off(
    mechanism: Mechanism,
    *,
    belief: str | Belief,
    person: int,
    alternative: Iterable[object],
    null: Iterable[object] | None = None,
) -> RecordTradeOff:
    """Return the exact curve of the best test about one record (equations 4 and 5).

    ``belief`` is what the records are drawn from: print takes a product law, any belief will do.
    ``alternative`` are the values T of person's record (counted from 1) to detect, ``null`` the
    values S to tell them from, disjoint of T; all others if left out.

    >>> from twoworlds import mechanism
    >>> clamped = mechanism("truncated-geometric(ratio=2, bits=2)")
    >>> curve = record_trade_off(clamped, belief="uniform", person=1, alternative=[1])
    >>> curve.power("1/2"), curve.largest_power("1/2")
    (Fraction(3, 4), Fraction(1, 1))
    """
    records = records_of(mechanism.universe)
    held = build_belief(belief, mechanism.universe)
    marginal = held.marginal(person)
    chosen = _values(records, alternative, "alternative")
    others = [value for value in records.values if value not in chosen]
    told_from = tuple(others) if null is None else _values(records, null, "null")
    if shared := [value for value in chosen if value in told_from]:
        raise InvalidInput(
            f"{shared[0]} is in both hypotheses: null and alternative must not overlap"
        )
    laws = []
    for name, values in (("alternative", chosen), ("null", told_from)):
        total = sum((marginal[value] for value in values), start=Fraction(0))
        if total == 0:
            raise InvalidInput(
                f"{name}: the belief gives record {person} no chance to be "
                f"{' or '.join(map(str, values)) or 'anything else'}"
            )
        masses = {x: p / total for x, p in held.items() if x[person - 1] in values}
        laws.append(masses)
    corners = corners_of(_mixtures(mechanism, laws[0], laws[1]))
    free = _is_independent(held, person)
    return RecordTradeOff(mechanism, tuple(corners), held, person, told_from, chosen, free)


def _values(records: Records, given: Iterable[object], name: str) -> tuple[Point, ...]:
    names = {str(value): value for value in records.values}
    found = []
    for text in given:
        key = str(text).strip()
        if key not in names:
            raise InvalidInput(f"{name}: {text} is not a value of a record: {', '.join(names)} are")
        found.append(names[key])
    if not found:
        raise InvalidInput(f"{name} is empty: name at least one value of a record")
    return tuple(dict.fromkeys(found))


def _is_independent(belief: Belief, person: int) -> bool:
    """Tell whether the record of one person is independent of all the others together."""
    own = belief.marginal(person)
    rest: dict[Point, Number] = {}
    for x, p in belief.items():
        others = (*x[: person - 1], *x[person:])
        rest[others] = rest.get(others, Fraction(0)) + p
    possible = sum(p != 0 for p in own.values())
    if possible * len(rest) != len(belief):
        return False
    return all(
        compare(p, own[x[person - 1]] * rest[(*x[: person - 1], *x[person:])])
        in (Order.EQUAL, Order.UNDECIDED)
        for x, p in belief.items()
    )


def _mixtures(
    mechanism: Mechanism, first: dict[Point, Number], second: dict[Point, Number]
) -> Comparison:
    """Compare two mixtures of the laws on databases, in finitely many cells of one ratio each."""
    events = _cells(mechanism, [*first, *second])
    mixtures = []
    for masses in (first, second):
        law: dict[Any, Number] = masses
        mass: Any = mechanism.mass
        if isinstance(mechanism, OnStatistic):  # databases of one value are alike
            law, mass = {}, mechanism.channel.mass
            for x, chance in masses.items():
                value = mechanism.statistic(x)
                law[value] = law.get(value, Fraction(0)) + chance
        parts = [[mass(event, at) * chance for at, chance in law.items()] for event in events]
        mixtures.append([sum(part, start=Fraction(0)) for part in parts])

    def event(cells: Any) -> Event:
        return Listed.of(()) if not cells else events[cells[0]]

    p, q = mixtures
    return FiniteComparison(next(iter(first)), next(iter(second)), p, q, event)


def _cells(mechanism: Mechanism, databases: list[Point]) -> list[Event]:
    """Return every output, or the stretches of outputs where all ratios stay constant."""
    if mechanism.outputs.size is not None:
        return [Listed.of([o]) for o in mechanism.outputs]
    channel = getattr(mechanism, "channel", None)
    if isinstance(mechanism, OnStatistic) and isinstance(channel, AddedNoise):
        answers: list[Any] = [mechanism.statistic(x) for x in databases]
        low, high = min(answers), max(answers)
        if low == high or channel.noise.last_step(high - low) == high - low:
            inside = [Listed.of([o]) for o in range(low + 1, high)]
            top = [AtLeast(high)] if high > low else [AtLeast(low + 1)]
            return [AtMost(low), *inside, *top]
    raise Unsupported(
        f"the likelihoods of {mechanism.expression} take infinitely many ratios: "
        "the curve has infinitely many corners"
    )
