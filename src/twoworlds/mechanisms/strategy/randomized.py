r"""A randomized adversary: it tosses coins, and follows the strategy that they name.

The adversary knows its own coins, so what it sees is the pair (coin, transcript), with law

    P(coin, rho | X) = weight(coin) P_coin(rho | X).

The coins do not depend on the database, so they cancel in every likelihood ratio: the tight ratio
is the largest over coins, and the bound of Theorem 5 holds with the largest Delta F (Dwork, after
Theorem 5: fix a coin sequence). Forgetting the coin is post-processing and can only help.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput, NotStochastic
from twoworlds.laws.comparison import Cell, Comparison, Gap, Line, Peak, Table, larger
from twoworlds.laws.event import Anything, Event, Listed
from twoworlds.mechanisms.on_statistic import Channel, OnStatistic
from twoworlds.mechanisms.paired import Both
from twoworlds.mechanisms.strategy.interaction import Answering
from twoworlds.mechanisms.strategy.reading import read_noise
from twoworlds.mechanisms.strategy.strategy import Course, Strategy
from twoworlds.numbers import INFINITY, Number, maximum, probability
from twoworlds.worlds import Change, Explicit, Point, Product, Universe
from twoworlds.worlds.batch import Batch

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Randomized", "Tossed", "randomized"]


@dataclass(frozen=True)
class Tossed(Channel):
    """From the true values of all queries to the law of the coin and the transcript."""

    coins: tuple[Point, ...]
    weights: tuple[Fraction, ...]
    channels: tuple[Answering, ...]

    why = "the adversary knows its own coins, so each strategy is compared by itself"

    @property
    def by_difference(self) -> bool:  # type: ignore[override]
        """Whether only differences of true values matter."""
        return all(channel.by_difference for channel in self.channels)

    @property
    def outputs(self) -> Universe:  # type: ignore[override]
        """Pairs of a coin and a transcript."""
        return Product(Explicit(self.coins), self.channels[0].outputs)

    def _tosses(self) -> zip[tuple[Point, Fraction, Answering]]:
        return zip(self.coins, self.weights, self.channels, strict=True)

    def probability(self, output: Point, value: Any) -> Number:
        """Multiply the probability of the coin with that of the transcript."""
        coin, transcript = output
        place = self.coins.index(coin)
        return self.weights[place] * self.channels[place].probability(transcript, value)

    def mass(self, event: Event, value: Any) -> Number:
        """Add up the parts, coin by coin."""
        if isinstance(event, Anything):
            return Fraction(1)
        if not isinstance(event, Both):
            return super().mass(event, value)
        found: Number = Fraction(0)
        for coin, weight, channel in self._tosses():
            for first, second in event.parts:
                if first.holds(coin):
                    found = found + weight * channel.mass(second, value)
        return found

    def compare(self, change: Change) -> Comparison:
        """Compare the strategies coin by coin."""
        parts = tuple(channel.compare(change) for channel in self.channels)
        return _CoinByCoin(change.x, change.y, self.coins, self.weights, parts)

    def sample(self, value: Any, rng: np.random.Generator) -> Point:
        """Toss, then follow the strategy."""
        place = int(rng.choice(len(self.coins), p=[float(weight) for weight in self.weights]))
        return self.coins[place], self.channels[place].sample(value, rng)


class Randomized(OnStatistic):
    """A randomized adversary whose queries are answered with noise of one law."""

    channel: Tossed

    def bound(self, *, neighbours: Any = None, group: object = 1) -> Number:
        """Return e^epsilon by Theorem 5: the largest of the bounds of the strategies."""
        best: Number = Fraction(1)
        for channel in self.channel.channels:
            one = Strategy(self.universe, self.statistic, channel.courses)
            moved = one.sensitivity(neighbours=neighbours, group=group).joint
            best = maximum(best, channel.noise.bound(moved))
        return best

    def forgotten(self, transcript: object, database: object) -> Number:
        """Return the probability of a transcript when the coin is not looked at."""
        rho = self.channel.channels[0].outputs.find(transcript)
        value: Any = self.statistic(self.universe.find(database))
        masses = (w * c.probability(rho, value) for _, w, c in self.channel._tosses())
        return sum(masses, start=Fraction(0))

    def example(self, event: Event, database: Point) -> Point | None:
        """Single outputs are not needed to show an event."""
        return None


def randomized(
    strategies: Mapping[Point, tuple[object, Strategy]] | Sequence[tuple[object, Strategy]],
    noise: object,
    *,
    expression: str | None = None,
) -> Randomized:
    """Return the mechanism that answers an adversary who chooses its strategy at random.

    Args:
        strategies: the weight and the strategy of each coin; a list names the coins 0, 1, ...
        noise: the noise on every answer, as for `Strategy.answered`.
        expression: what to call it.

    >>> from twoworlds.worlds import BitStrings
    >>> from twoworlds.worlds.statistics import constant, count
    >>> bits = BitStrings(2)
    >>> once, twice = (Strategy.batch(bits, count(), q) for q in (constant(0), count()))
    >>> both = randomized([("2/3", once), ("1/3", twice)], "geometric(ratio=2)")
    >>> both.bound(), both.family("substitute").peak()[1].ratio
    (Fraction(4, 1), Fraction(4, 1))
    """
    named = strategies if isinstance(strategies, Mapping) else dict(enumerate(strategies))
    if not named:
        raise InvalidInput("the adversary has no strategy: give at least one, with its weight")
    weights = tuple(probability(weight, "weight") for weight, _ in named.values())
    if sum(weights) != 1:
        raise NotStochastic(f"the weights sum to {sum(weights)}, they must sum to 1")
    chosen = [strategy for _, strategy in named.values()]
    universe = chosen[0].universe
    for strategy in chosen:
        if strategy.universe != universe or strategy.length != chosen[0].length:
            raise InvalidInput(
                "all strategies must ask the same databases and have the same number of answers: "
                "where fewer are wanted, ask constant(0)"
            )
    law, start, channels = read_noise(noise), 0, []
    for strategy in chosen:
        channels.append(Answering(tuple(_moved(c, start) for c in strategy.courses), law))
        start += len(strategy.statistic(next(iter(universe))))  # type: ignore[arg-type]
    channel = Tossed(tuple(named), weights, tuple(channels))
    statistic = Batch.of([strategy.statistic for strategy in chosen], universe)
    text = expression or f"a random choice of {len(chosen)} strategies"
    return Randomized(universe, _flattened(statistic), channel, expression=text)


def _flattened(batch: Batch) -> Batch:
    """Join batches of batches, so that sums stay sums."""
    parts: list[Any] = []
    widths: list[int] = []
    for part, width in zip(batch.parts, batch.widths, strict=True):
        inner = isinstance(part, Batch)
        parts += part.parts if inner else [part]  # type: ignore[attr-defined]
        widths += part.widths if inner else [width]  # type: ignore[attr-defined]
    return Batch(tuple(parts), tuple(widths))


def _moved(course: Course, start: int) -> Course:
    """Return the course with its queries further back in a longer vector."""
    return Course(course.box, tuple(tuple(i + start for i in query) for query in course.queries))


@dataclass(frozen=True)
class _CoinByCoin(Comparison):
    """Two laws of (coin, transcript): the coin has the same law in both."""

    x: Point
    y: Point
    coins: tuple[Point, ...]
    weights: tuple[Fraction, ...]
    parts: tuple[Comparison, ...]

    def _tosses(self) -> list[tuple[Point, Fraction, Comparison]]:
        tosses = zip(self.coins, self.weights, self.parts, strict=True)
        return [toss for toss in tosses if toss[1] > 0]

    def reverse(self) -> Comparison:
        """Swap the two laws."""
        turned = tuple(part.reverse() for part in self.parts)
        return _CoinByCoin(self.y, self.x, self.coins, self.weights, turned)

    def peak(self) -> Peak:
        """Take the coin of the largest ratio."""
        found = [(coin, part.peak()) for coin, _, part in self._tosses()]
        best = found[0]
        for one in found[1:]:
            best = one if larger(one[1].ratio, best[1].ratio) else best
        coin, peak = best
        return Peak(peak.ratio, _with(coin, peak.event), peak.attained)

    def gap(self, ratio: Number) -> Gap:
        """Add up the gaps of all coins."""
        delta: Number = Fraction(0)
        cases: list[tuple[Event, Event]] = []
        for coin, weight, part in self._tosses():
            gap = part.gap(ratio)
            delta = delta + weight * gap.delta
            cases.append((Listed.of([coin]), gap.event))
        return Gap(delta, Both(tuple(cases)))

    def _table(self) -> Table:
        cells = self.cells()

        def event(chosen: Sequence[int]) -> Event:
            return Both(tuple(part for i in chosen for part in cells[i].event.parts))  # type: ignore[attr-defined]

        return Table(self.x, self.y, [c.p for c in cells], [c.q for c in cells], event)

    def ratio_for(self, delta: Number) -> Number:
        """Solve on the cells of all coins."""
        if delta == 0:
            peak = self.peak().ratio
            return peak if larger(peak, Fraction(1)) else Fraction(1)
        return self._table().ratio_for(delta)

    def lines(self) -> list[Line]:
        """Return the lines of all cells."""
        return self._table().lines()

    def cells(self) -> list[Cell]:
        """Return the cells of all coins."""
        return [
            Cell(weight * cell.p, weight * cell.q, _with(coin, cell.event))
            for coin, weight, part in self._tosses()
            for cell in part.cells()
        ]

    def limit(self) -> Number:
        """Return the mass of what only the first world can produce."""
        return self.gap(INFINITY).delta


def _with(coin: Point, event: Event) -> Both:
    return Both(((Listed.of([coin]), event),))
