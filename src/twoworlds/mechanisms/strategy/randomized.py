r"""Adversaries who toss coins, and strategies given as families of functions.

A randomized adversary tosses coins, and follows the strategy that they name.

The adversary knows its own coins, so what it sees is the pair (coin, transcript), with law

    P(coin, rho | X) = weight(coin) P_coin(rho | X).

The coins do not depend on the database, so they cancel in every likelihood ratio: the tight ratio
is the largest over coins, and the bound of Theorem 5 holds with the largest Delta F (Dwork, after
Theorem 5: fix a coin sequence). Forgetting the coin is post-processing and can only help.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput, NotStochastic, TooLarge
from twoworlds.laws.comparison import (
    Comparison,
    FiniteComparison,
    Gap,
    Peak,
    ProfileLine,
    RatioCell,
    larger,
)
from twoworlds.laws.event import Anything, Event, Listed
from twoworlds.mechanisms.on_statistic import Both, Channel, OnStatistic
from twoworlds.mechanisms.strategy.interaction import Answering
from twoworlds.mechanisms.strategy.noise import read_noise
from twoworlds.mechanisms.strategy.regions import Box, HalfOpen
from twoworlds.mechanisms.strategy.strategy import Ask, Course, Strategy, Then
from twoworlds.numbers import INFINITY, Number, maximum, probability, rational
from twoworlds.worlds import Change, Computed, Explicit, Point, Product, Universe
from twoworlds.worlds.statistics import Batch

if TYPE_CHECKING:
    import numpy as np


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

    def _table(self) -> FiniteComparison:
        cells = self.cells()

        def event(chosen: Sequence[int]) -> Event:
            return Both(tuple(part for i in chosen for part in cells[i].event.parts))  # type: ignore[attr-defined]

        return FiniteComparison(self.x, self.y, [c.p for c in cells], [c.q for c in cells], event)

    def ratio_for(self, delta: Number) -> Number:
        """Solve on the cells of all coins."""
        if delta == 0:
            peak = self.peak().ratio
            return peak if larger(peak, Fraction(1)) else Fraction(1)
        return self._table().ratio_for(delta)

    def lines(self) -> list[ProfileLine]:
        """Return the lines of all cells."""
        return self._table().lines()

    def cells(self) -> list[RatioCell]:
        """Return the cells of all coins."""
        return [
            RatioCell(weight * cell.p, weight * cell.q, _with(coin, cell.event))
            for coin, weight, part in self._tosses()
            for cell in part.cells()
        ]

    def limit(self) -> Number:
        """Return the mass of what only the first world can produce."""
        return self.gap(INFINITY).delta


def _with(coin: Point, event: Event) -> Both:
    return Both(((Listed.of([coin]), event),))


# --- A strategy given as the paper gives it ------------------------------------------------------
# Dwork requires f_rho(X)_i = f_rho'(X)_i whenever rho and rho' agree in their first i - 1
# responses (Section 5, before Theorem 5). With finitely many responses to each query, as under
# noise clamped to a range, all transcripts can be listed and the requirement is checked on every
# database; what breaks it is named. Answers outside of the listed ones are treated as the nearest
# listed one below them, or the least.

_MOST = 1 << 20
_Row = tuple[Fraction, ...]


def from_family(
    universe: Universe,
    family: Callable[[tuple[Fraction, ...], Any], Sequence[object]],
    responses: Sequence[Sequence[object]],
) -> Strategy:
    """Read a family of functions f_rho, and check that every query depends on earlier answers only.

    Args:
        universe: the databases that may be true.
        family: from a transcript rho and a database X to the d numbers f_rho(X).
        responses: for each of the d queries, all responses that are to be told apart.

    >>> from twoworlds.worlds import BitStrings
    >>> stop = lambda rho, x: (sum(x), sum(x) if rho[0] == 1 else 0)
    >>> from_family(BitStrings(2), stop, [[0, 1, 2], [0, 1, 2]]).sensitivity().joint
    Fraction(2, 1)
    >>> from_family(BitStrings(2), lambda rho, x: (rho[1], sum(x)), [[0], [0, 1]])
    Traceback (most recent call last):
    twoworlds.errors.InvalidInput: query 1 is 0 on 11 along the transcript (0, 0) but 1 along \
(0, 1), whose first 0 answers agree: a query may depend on earlier answers only
    """
    listed = tuple(tuple(sorted({rational(r, "response") for r in one})) for one in responses)
    if not listed or not all(listed):
        raise InvalidInput("name at least one query, and at least one response to each")
    if universe.size is None or universe.size * prod(map(len, listed)) > _MOST:
        raise TooLarge(
            f"the transcripts and databases are more than {_MOST} pairs: they cannot be listed; "
            "give the strategy step by step, with Strategy.of"
        )
    tables = _tables(universe, family, listed)
    queries: dict[tuple[Fraction, ...], Computed] = {}

    def step(place: int) -> Then:
        def choose(box: Box) -> Ask:
            earlier = tuple(_named(box[i], listed[i]) for i in range(place))
            column = tables[earlier]
            if column not in queries:
                values = dict(zip(universe, column, strict=True))
                queries[column] = Computed(lambda x: values[x], f"query {place + 1}")
            cuts = listed[place][1:] if place + 1 < len(listed) else ()
            return Ask(queries[column], cuts)

        return Then(choose)

    return Strategy.of(universe, [step(place) for place in range(len(listed))])


def _named(interval: HalfOpen, responses: _Row) -> Fraction:
    """Return the response whose interval this is: the intervals begin at the responses."""
    return responses[0] if interval.low is None else interval.low


def _tables(
    universe: Universe,
    family: Callable[[tuple[Fraction, ...], Any], Sequence[object]],
    listed: tuple[_Row, ...],
) -> dict[_Row, _Row]:
    """Return the values on all databases of the query that follows each beginning."""
    databases: tuple[Point, ...] = tuple(universe)
    found: dict[_Row, tuple[_Row, _Row]] = {}  # the values, and the transcript they were read from
    for rho in product(*listed):
        rows = [_read(family(rho, x), len(listed), rho) for x in databases]
        for place in range(len(listed)):
            column = tuple(row[place] for row in rows)
            known = found.setdefault(rho[:place], (column, rho))
            if known[0] != column:
                at = next(j for j, value in enumerate(column) if value != known[0][j])
                raise InvalidInput(
                    f"query {place + 1} is {known[0][at]} on {universe.label(databases[at])} along "
                    f"the transcript {_said(known[1])} but {column[at]} along {_said(rho)}, whose "
                    f"first {place} answers agree: a query may depend on earlier answers only"
                )
    return {beginning: column for beginning, (column, _) in found.items()}


def _read(values: Sequence[object], length: int, rho: _Row) -> _Row:
    if not isinstance(values, (tuple, list)) or len(values) != length:
        raise InvalidInput(f"f_rho(X) must be {length} numbers, as for the transcript {_said(rho)}")
    return tuple(rational(value, "f_rho(X)") for value in values)


def _said(transcript: _Row) -> str:
    return f"({', '.join(map(str, transcript))})"
