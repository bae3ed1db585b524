r"""Mechanisms that look at a statistic only: a channel from its value to the output.

The database enters through one function, so two worlds differ only in two values of it. A
`Channel` compares the laws that belong to two values; the statistic knows which values
neighbours can take, for any number of people. Deterministic maps, parities, and noise added to
counts and sums are all of this kind.

**The likeliest of several laws, with a little noise.** Bassily, Groce, Katz & Smith, Section III-C,
publish argmax_i pi_i prod_j f_i(x_j), and say that a little noise would make it differentially
private. Here law i is named with probability

    P(i | x) = s_i(x)^t / sum_l s_l(x)^t ,      s_i(x) = pi_i prod_j f_i(x_j) ,

the exponential mechanism with the logarithm of s_i as its score. t = 1 is one draw from the
posterior, t = 0 ignores the data, and as t grows the likeliest law is named almost surely.

*Its epsilon.* Let one record v become w, and g_i = f_i(v) / f_i(w). Then

    P(i | x) / P(i | x') = g_i^t  sum_l P(l | x) g_l^-t  <=  (max_i g_i / min_l g_l)^t ,

as the sum is a mean of the g_l^-t. With the spread R = max over v, w, i, l of
f_i(v) f_l(w) / (f_i(w) f_l(v)) it is epsilon <= t ln R, whatever the weights and the number of
people. The bound is approached as people are added, where one law is next to certain; the exact
epsilon is found from the counts. It needs every f_i(v) to be above 0.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

from twoworlds.charts import Bars, Chart
from twoworlds.errors import InvalidInput, NotStochastic, Unsupported
from twoworlds.laws.comparison import Comparison, Family, FiniteComparison
from twoworlds.laws.event import Anything, Event, Listed
from twoworlds.laws.noise import GeometricNoise, Noise
from twoworlds.laws.shifted import Shifted, tail
from twoworlds.mechanisms.base import Dense, Mechanism
from twoworlds.numbers import Number, bounds, exact_text, ln, power, probability, rational
from twoworlds.worlds import (
    Change,
    Computed,
    Explicit,
    Integers,
    Part,
    Point,
    Statistic,
    Universe,
    pairs,
)

if TYPE_CHECKING:
    import numpy as np


class Channel(ABC):
    """A randomized map from the value of a statistic to an output."""

    outputs: Universe
    by_difference: bool = False
    extremes: bool = False  # whether the largest differences, up and down, are the worst
    why: str = "every pair of answers that neighbours can have"

    @property
    def discrete(self) -> bool:
        """Whether single outputs have a probability."""
        return True

    @abstractmethod
    def probability(self, output: Point, value: Any) -> Number:
        """Return P(output | value)."""

    def compare(self, change: Change) -> Comparison:
        """Compare the laws of two values, output by output."""
        order = tuple(self.outputs)
        p = [self.probability(o, change.before) for o in order]
        q = [self.probability(o, change.after) for o in order]
        return FiniteComparison.of(change.x, change.y, order, p, q)

    @abstractmethod
    def sample(self, value: Any, rng: np.random.Generator) -> Point:
        """Draw one output."""

    def among(self, _answers: Iterable[Any]) -> Channel:
        """Return the same channel for these values only, which may have fewer outputs."""
        return self

    def mass(self, event: Event, value: Any) -> Number:
        """Return the probability of an event."""
        return sum(
            (self.probability(o, value) for o in self.outputs if event.holds(o)), start=Fraction(0)
        )


@dataclass(frozen=True)
class Through(Channel):
    """A finite channel: a dense mechanism whose databases are the values."""

    dense: Dense

    @property
    def outputs(self) -> Universe:  # type: ignore[override]
        return self.dense.outputs

    def probability(self, output: Point, value: Any) -> Number:
        return self.dense.probability(output, value)

    def sample(self, value: Any, rng: np.random.Generator) -> Point:
        return self.dense.sample(value, rng)


@dataclass(frozen=True)
class Deterministic(Channel):
    """The value itself is the output: no noise at all."""

    outputs: Universe

    def probability(self, output: Point, value: Any) -> Number:
        return Fraction(output == value)

    def compare(self, change: Change) -> Comparison:
        """Two different values share no output."""
        values = (change.before, change.after)
        return FiniteComparison.of(change.x, change.y, values, [1, 0], [0, 1])

    def sample(self, value: Any, rng: np.random.Generator) -> Point:
        return value

    def mass(self, event: Event, value: Any) -> Number:
        return Fraction(event.holds(value))


@dataclass(frozen=True)
class AddedNoise(Channel):
    """Integer noise added to a whole-numbered value, clamped to a range if given."""

    noise: Noise
    low: int | None = None
    high: int | None = None

    extremes = True  # P(Z >= t - d) grows with d, so the largest shift is the worst
    why = "the noise is log-concave, so the worst events are half-lines"

    @property
    def by_difference(self) -> bool:  # type: ignore[override]
        """Without clamping only the difference of two values matters."""
        return self.low is None and self.high is None

    @property
    def outputs(self) -> Universe:  # type: ignore[override]
        return Integers(self.low, self.high)

    def probability(self, output: Point, value: Any) -> Number:
        """Return P(value + Z = output), with the tails heaped up on the ends of a range."""
        return self.mass(Listed.of([output]), value)

    def mass(self, event: Event, value: Any) -> Number:
        return tail(self.noise, _whole(value), event, self.low, self.high)

    def compare(self, change: Change) -> Comparison:
        u, v = _whole(change.before), _whole(change.after)
        return Shifted(change.x, change.y, u, v, self.noise, self.low, self.high)

    def sample(self, value: Any, rng: np.random.Generator) -> Point:
        drawn = _whole(value) + self.noise.sample(rng)
        drawn = drawn if self.low is None else max(self.low, drawn)
        return drawn if self.high is None else min(self.high, drawn)


class OnStatistic(Mechanism):
    """A channel applied to a statistic of the database."""

    def __init__(
        self, universe: Universe, statistic: Statistic, channel: Channel, *, expression: str
    ) -> None:
        self.universe, self.statistic, self.channel = universe, statistic, channel
        self.outputs, self.expression = channel.outputs, expression

    def probability(self, output: Point, database: Point) -> Number:
        return self.channel.probability(output, self.statistic(database))

    def mass(self, event: Event, database: Point) -> Number:
        return self.channel.mass(event, self.statistic(database))

    def sample(self, database: object, rng: np.random.Generator) -> Point:
        return self.channel.sample(self.statistic(self.universe.find(database)), rng)

    def example(self, event: Event, database: Point) -> Point | None:
        return super().example(event, database) if self.channel.discrete else None

    def _charts(self) -> Iterator[Chart]:
        """Chart the matrix if it is small, else geometric noise, whose law is quickly found."""
        drawn = [*super()._charts()]
        noise = self.channel.noise if isinstance(self.channel, AddedNoise) else None
        if drawn or not isinstance(noise, GeometricNoise):
            yield from drawn
            return
        step = max(1, round(float(noise.variance) ** 0.5 / 2))
        places = [step * i for i in range(-4, 5)]
        law = {f"{k:+,d}" if k else "0": noise.pmf(k) for k in places}
        yield Bars("Probability of the noise", law, top=float(noise.pmf(0)))

    def family(self, relation: str, group: int = 1) -> Family:
        """Compare the pairs of values that neighbours can take."""
        changes = self._changes(relation, group)
        if self.channel.by_difference and self.channel.extremes and changes:
            by_size = sorted(changes, key=lambda change: change.difference)
            changes = [by_size[0], by_size[-1]]
        compared = [self.channel.compare(change) for change in changes]
        return Family(compared or self._unmoved(relation, group), self.channel.why)

    def comparisons(self, relation: str, group: int = 1) -> Iterator[Comparison]:
        """Yield a comparison for every change of the statistic."""
        changes = self._changes(relation, group)
        if not changes:
            yield from self._unmoved(relation, group)
        yield from (self.channel.compare(change) for change in changes)

    def _changes(self, relation: str, group: int) -> list[Change]:
        if self.channel.by_difference:
            return list(self.statistic.differences(self.universe, relation, group))
        return list(self.statistic.changes(self.universe, relation, group))

    def _unmoved(self, relation: str, group: int) -> Iterator[Comparison]:
        """Compare equal laws, when no neighbour changes the statistic."""
        x = next(iter(self.universe))
        y = next(self.universe.around(x, relation), None)
        if y is None:
            x, y = next(pairs(self.universe, relation, group), (x, x))
        yield _alike(x, y)

    def compare(self, x: Point, y: Point) -> Comparison:
        change = Change(self.statistic(x), self.statistic(y), x, y)
        if change.before == change.after:
            return _alike(x, y)
        return self.channel.compare(change)

    def over(self, universe: Universe) -> OnStatistic:
        return self._on(universe, self.expression, self.channel)

    def restrict(self, databases: Iterable[object]) -> OnStatistic:
        chosen = tuple(self.universe.find(database) for database in databases)
        shown = ", ".join(self.universe.label(x) for x in chosen)
        part = Part(self.universe, chosen)
        channel = self.channel.among(self.statistic(x) for x in chosen)
        return self._on(part, f"restrict({self.expression}, [{shown}])", channel)

    def mix(self, other: Mechanism, weight: object) -> Mechanism:
        """Return the choice: of noise on the same whole numbers, noise again."""
        if not isinstance(other, OnStatistic) or not (
            (mine := noise_parts(self.channel))
            and (theirs := noise_parts(other.channel))
            and self.outputs == other.outputs == Integers()
            and (self.universe, self.statistic) == (other.universe, other.statistic)
        ):
            return super().mix(other, weight)
        w = probability(weight, "weight")
        both = [(w * own, part) for own, part in mine] + [
            ((1 - w) * own, part) for own, part in theirs
        ]
        channel = MixedNoise(tuple([(own, part) for own, part in both if own]))
        text = f"mix({self.expression}, {other.expression}, weight={w})"
        return OnStatistic(self.universe, self.statistic, channel, expression=text)

    def _on(self, universe: Universe, expression: str, channel: Channel) -> OnStatistic:
        statistic = Computed(self.statistic, self.statistic.name)
        return type(self)(universe, statistic, channel, expression=expression)


def _alike(x: Point, y: Point) -> Comparison:
    """Compare a law with itself."""
    return FiniteComparison(x, y, [1], [1], lambda cells: Anything() if cells else Listed.of(()))


def _whole(value: object) -> int:
    if isinstance(value, int):
        return value
    raise InvalidInput(
        f"integer noise needs a whole-numbered statistic, this one takes the value {value}: "
        "scale it to whole units first"
    )


@dataclass(frozen=True)
class FiniteNoise(Channel):
    """Noise that is start, start + 1, ... with the given probabilities, of any shape.

    Attributes:
        answers: the smallest and the largest true answer, None if any whole number may be one.
    """

    masses: tuple[Fraction, ...]
    start: int
    answers: tuple[int, int] | None = None
    by_difference = True
    why = "only the difference of the two answers matters, and it is compared output by output"

    @staticmethod
    def of(masses: Sequence[object], start: int) -> FiniteNoise:
        read = tuple(rational(mass, f"mass {i}") for i, mass in enumerate(masses))
        if not read:
            raise InvalidInput("the noise has no values: give at least one probability")
        for mass in read:
            if mass < 0:
                raise NotStochastic(f"mass {mass} is negative: a probability must be at least 0")
        if sum(read) != 1:
            raise NotStochastic(f"the masses sum to {sum(read)}, they must sum to 1")
        return FiniteNoise(read, start)

    @property
    def outputs(self) -> Universe:  # type: ignore[override]
        """The whole numbers that some true answer can become."""
        if self.answers is None:
            return Integers()
        low, high = self.answers
        return Integers(low + self.start, high + self.start + len(self.masses) - 1)

    def among(self, answers: Iterable[Any]) -> FiniteNoise:
        """Return the same noise on some true answers only."""
        known = sorted(answers)
        return replace(self, answers=(known[0], known[-1]))

    def probability(self, output: Point, value: Any) -> Number:
        place = output - value - self.start
        return self.masses[place] if 0 <= place < len(self.masses) else Fraction(0)

    def mass(self, event: Event, value: Any) -> Number:
        reachable = range(value + self.start, value + self.start + len(self.masses))
        hits = (self.probability(o, value) for o in reachable if event.holds(o))
        return sum(hits, start=Fraction(0))

    def compare(self, change: Change) -> Comparison:
        """Compare output by output over both ranges."""
        values: Any = (change.before, change.after)
        low = min(values) + self.start
        outputs = range(low, max(values) + self.start + len(self.masses))
        p = [self.probability(o, values[0]) for o in outputs]
        q = [self.probability(o, values[1]) for o in outputs]
        return FiniteComparison.of(change.x, change.y, outputs, p, q)

    def sample(self, value: Any, rng: np.random.Generator) -> Point:
        drawn = rng.choice(len(self.masses), p=[float(mass) for mass in self.masses])
        return int(value) + self.start + int(drawn)


@dataclass(frozen=True)
class MixedNoise(Channel):
    """One of several noises, chosen with its weight (Lin & Kifer, Section 5.3.3).

    Its law need not be log-concave, so no worst event is known: pairs of answers are not compared.
    """

    parts: tuple[tuple[Fraction, AddedNoise | FiniteNoise], ...]
    outputs: Universe = field(default_factory=Integers)
    by_difference = True

    def probability(self, output: Point, value: Any) -> Number:
        return sum((w * part.probability(output, value) for w, part in self.parts), Fraction(0))

    def mass(self, event: Event, value: Any) -> Number:
        return sum((w * part.mass(event, value) for w, part in self.parts), Fraction(0))

    def compare(self, change: Change) -> Comparison:
        raise Unsupported(
            "a mixture of noise with infinitely many values has no known worst event: ask for its "
            "guarantees with 'cone', or give the noise as integer-noise([...])"
        )

    def sample(self, value: Any, rng: np.random.Generator) -> Point:
        weights = [float(w) for w, _ in self.parts]
        return self.parts[rng.choice(len(weights), p=weights)][1].sample(value, rng)


def noise_parts(channel: Channel) -> tuple[tuple[Fraction, AddedNoise | FiniteNoise], ...]:
    """Return the noises that may be added, with their weights; none for what adds no noise."""
    if isinstance(channel, MixedNoise):
        return channel.parts
    return ((Fraction(1), channel),) if isinstance(channel, AddedNoise | FiniteNoise) else ()


# --- The likeliest of several laws, with a little noise -------------------------------------------


_GRID = 1 << 10
Laws = tuple[tuple[Fraction, ...], ...]
"""The probability of each value, by law."""


@dataclass(frozen=True)
class Tempered(Channel):
    """From how often each value occurs to a law, named from 1.

    >>> coins = ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    >>> Tempered(coins, (Fraction(1), Fraction(1)), Fraction(1)).probability(1, (2, 1))
    Fraction(3, 4)
    """

    laws: Laws
    weights: tuple[Fraction, ...]
    exponent: Fraction

    why = "every two lists of counts that neighbours can have"

    @property
    def outputs(self) -> Universe:  # type: ignore[override]
        """The laws, from 1."""
        return Explicit(tuple(range(1, len(self.laws) + 1)))

    def probability(self, output: Point, value: Any) -> Number:
        found: Number = _named(self, tuple(map(int, value)))[output - 1]
        return found

    def sample(self, value: Any, rng: np.random.Generator) -> Point:
        weights = [float(p) for p in _named(self, tuple(map(int, value)))]
        return 1 + int(rng.choice(len(weights), p=[p / sum(weights) for p in weights]))


@lru_cache(maxsize=1 << 14)
def _named(channel: Tempered, counts: tuple[int, ...]) -> tuple[Number, ...]:
    """Return the probability of each law; only quotients of scores are raised to the power."""
    scores = [
        weight * math.prod(f**c for f, c in zip(law, counts, strict=True))
        for law, weight in zip(channel.laws, channel.weights, strict=True)
    ]
    best = max(scores)
    raised = [power(score / best, channel.exponent) for score in scores]
    total = sum(raised, start=Fraction(0))
    return tuple(part / total for part in raised)


def spread(laws: Laws) -> Fraction:
    """Return R, the most that one changed record can move the odds between two laws.

    >>> coins = ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    >>> spread(coins)
    Fraction(9, 1)
    """
    if any(mass == 0 for law in laws for mass in law):
        raise InvalidInput(
            "a law gives a value the probability 0: one record would then rule the law out, and "
            "no epsilon holds; give every value a positive probability under every law"
        )
    places = range(len(laws[0]))
    return max(
        first[v] * second[w] / (first[w] * second[v])
        for first, second in product(laws, laws)
        for v, w in product(places, places)
    )


def exponent_for(laws: Laws, epsilon: Number) -> Fraction:
    """Return the largest multiple of 1/1024 with t ln R <= epsilon."""
    widest = spread(laws)
    if widest == 1:
        raise InvalidInput("the laws are all the same: there is nothing to name")
    found = Fraction(math.floor(bounds(epsilon / ln(widest))[0] * _GRID), _GRID)
    if found <= 0:
        raise InvalidInput(
            f"epsilon={exact_text(epsilon)} allows a power below 1/{_GRID}: the answer would be "
            "next to independent of the data; allow a larger epsilon"
        )
    return found
