r"""The mechanism K_F: every query of a strategy is answered with independent noise.

The law of a transcript rho on a database X is (Dwork, equations 5 to 7)

    P(rho | X) = prod_i P(rho_i | rho_1, ..., rho_(i-1), X)          the chain rule         (5)
               = prod_i p(rho_i - f_rho(X)_i)                        the noise of query i   (6)
               = p(rho - f_rho(X))                                   one density in R^d     (7)

since rho_1, ..., rho_(i-1) fix the i-th query. By Theorem 5, Laplace noise of scale sigma on every
answer is (Delta F / sigma)-differentially private. That is a bound: where a query is asked only
after answers that tell little, the exact epsilon, which `family` gives, is smaller.

The mechanism looks at the database through the queries only, so it is an `OnStatistic`; its channel
`Answering` goes from their true values to transcripts. On a course everything is a product: the
ratio of two transcript laws is the product of the ratios of the answers, and its supremum over a
box is the product of the suprema over the intervals. So the tight ratio of all events is the
largest over courses, exactly. The gap at a ratio is a sum over cells of constant ratio, where these
are finitely many, and has a closed form for Laplace noise (`boxes`).

A randomized adversary tosses coins, and follows the strategy that they name. It knows its own
coins, so what it sees is (coin, rho_1, ..., rho_d), with law weight(coin) P_coin(rho | X). The
coins do not depend on the database and cancel in every likelihood ratio: the tight ratio is the
largest over coins, and the bound of Theorem 5 holds with the largest Delta F (Dwork, after Theorem
5: fix a coin sequence). Forgetting the coin is post-processing and can only help.

Differs: Dwork's equation (3) calls sigma^2 the variance; the density exp(-|z| / sigma) has variance
2 sigma^2, and its coordinates are Laplace, not exponential.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput, NotStochastic, TooLarge, Unsupported
from twoworlds.laws.comparison import (
    Comparison,
    FiniteComparison,
    Gap,
    Peak,
    ProfileLine,
    RatioCell,
    larger,
    solved,
)
from twoworlds.laws.event import Anything, Event, Listed
from twoworlds.mechanisms.continuous import AddedDensity, Continuous, Laplace
from twoworlds.mechanisms.on_statistic import AddedNoise, Channel, FiniteNoise, OnStatistic
from twoworlds.mechanisms.strategy.boxes import (
    Boxes,
    bound,
    is_finite,
    joint_density,
    largest_loss,
    largest_ratio,
    mass,
    masses_above,
    nearest,
    pieces,
    rate_of,
)
from twoworlds.mechanisms.strategy.strategy import Box, Course, Strategy
from twoworlds.numbers import INFINITY, Number, ln, probability, show
from twoworlds.worlds import Change, Explicit, Point, Product, TrueAnswer, Universe
from twoworlds.worlds.statistics import Batch

if TYPE_CHECKING:
    import numpy as np

_MOST_CELLS = 1 << 18
_DIGITS = 64  # bits of a ratio that is found by bisection


@dataclass(frozen=True)
class Answering(Channel):
    """From the true values of all queries to the law of the transcript.

    Attributes:
        courses: what is asked along which transcripts.
        noise: from the true value of one answer to the law of what is reported.
    """

    courses: tuple[Course, ...]
    noise: AddedDensity | AddedNoise | FiniteNoise

    why = "the ratios of independent answers multiply, and the boxes of answers are taken in turn"

    @property
    def by_difference(self) -> bool:  # type: ignore[override]
        """Whether only differences of true values matter: thresholds look at the values."""
        coins = {course.coin for course in self.courses}
        return len(coins) == len(self.courses) and self.noise.by_difference

    @property
    def discrete(self) -> bool:
        return self.noise.discrete

    @property
    def outputs(self) -> Universe:  # type: ignore[override]
        answers = (self.noise.outputs,) * len(self.courses[0].box)
        coins = tuple(dict.fromkeys(course.coin for course in self.courses))
        return Product(answers if coins == (None,) else (Explicit(coins), *answers))

    def _along(self, output: Point, value: Any) -> tuple[Fraction, list[tuple[Any, Any]]]:
        """Return the weight of the coin, and each answer beside the true value asked for."""
        course = next(c for c in self.courses if Boxes((c.event(c.box),)).holds(output))
        answers = output if course.coin is None else output[1:]
        asked = (value[place] for place in course.picks)
        return course.weight, list(zip(answers, asked, strict=True))

    def factors(self, output: Point, value: Any) -> tuple[Number, ...]:
        """Return P(rho_i | rho_1, ..., rho_(i-1)) for each i (Dwork, equations 5 and 6)."""
        return tuple(self.noise.probability(a, v) for a, v in self._along(output, value)[1])

    def probability(self, output: Point, value: Any) -> Number:
        """Return the density of the noise vector at rho - f_rho(X) (Dwork, equation 7)."""
        weight, pairs = self._along(output, value)
        if isinstance(self.noise, AddedDensity):
            return weight * joint_density(rate_of(self.noise), pairs)
        return prod((self.noise.probability(a, v) for a, v in pairs), start=weight)

    def mass(self, event: Event, value: Any) -> Number:
        """Add up the boxes of an event, course by course."""
        if isinstance(event, Anything):
            return Fraction(1)
        if isinstance(event, LikelyTranscripts):
            return event.mass(value)
        if isinstance(event, Boxes):
            return sum((self._mass(*met, value) for met in self.met(event)), start=Fraction(0))
        if isinstance(event, Listed):
            listed = event.members if self.discrete else ()
            found = (self.probability(o, value) for o in listed if o in self.outputs)
            return sum(found, start=Fraction(0))
        if self.outputs.size is None:
            raise Unsupported(f"the mass of {event} under a strategy")
        return super().mass(event, value)

    def met(self, event: Boxes) -> Iterator[tuple[Course, Box]]:
        """Yield what each box of an event has in common with each course."""
        for box, course in product(event.parts, self.courses):
            answers: Any = box if course.coin is None else box[1:]
            if course.coin is not None and not box[0].holds(course.coin):
                continue
            common = tuple(a.meet(b) for a, b in zip(answers, course.box, strict=True))
            if None not in common:
                yield course, common

    def _mass(self, course: Course, box: Box, value: Any) -> Number:
        parts = zip(box, course.picks, strict=True)
        masses = (mass(self.noise, interval, value[i]) for interval, i in parts)
        return prod(masses, start=course.weight)

    def compare(self, change: Change) -> Comparison:
        u: Any = change.before
        v: Any = change.after
        return TwoTranscriptLaws(change.x, change.y, u, v, self)

    def sample(self, value: Any, rng: np.random.Generator) -> Point:
        weights = {course.coin: course.weight for course in self.courses}
        tossed = rng.choice(len(weights), p=[float(weight) for weight in weights.values()])
        coin = list(weights)[int(tossed)]
        courses, drawn = [c for c in self.courses if c.coin == coin], []
        for i in range(len(courses[0].box)):
            answer = self.noise.sample(value[courses[0].picks[i]], rng)
            courses = [course for course in courses if answer in course.box[i]]
            drawn.append(answer)
        return tuple(drawn) if coin is None else (coin, *drawn)


class Interaction(OnStatistic):
    """A strategy, or a random choice of several, whose queries are answered with noise of one law.

    >>> from twoworlds.worlds import BitStrings
    >>> from twoworlds.worlds.statistics import count
    >>> twice = Strategy.batch(BitStrings(2), count(), count()).answered("geometric(ratio=2)")
    >>> twice.probability((1, 2), (1, 0)), twice.bound()
    (Fraction(1, 18), Fraction(4, 1))
    """

    channel: Answering

    @property
    def strategy(self) -> Strategy:
        """The strategy that is answered."""
        return Strategy(self.universe, self.statistic, self.channel.courses)

    def factors(self, transcript: object, database: object) -> tuple[Number, ...]:
        """Return the conditional probability, or density, of each answer given the earlier ones.

        Their product is `probability` (Dwork, equations 5 and 7).
        """
        rho, x = self.outputs.find(transcript), self.universe.find(database)
        return self.channel.factors(rho, self.statistic(x))

    def forgotten(self, transcript: Sequence[Any], database: object) -> Number:
        """Return the probability of a transcript when the coin is not looked at."""
        x = self.universe.find(database)
        coins = dict.fromkeys(course.coin for course in self.channel.courses)
        masses = (self.probability((coin, *transcript), x) for coin in coins)
        return sum(masses, start=Fraction(0))

    def bound(self, *, neighbours: Any = None, group: object = 1) -> Number:
        """Return e^epsilon by Theorem 5: epsilon = Delta F / sigma, or p^(-Delta F)."""
        moved = self.strategy.sensitivity(neighbours=neighbours, group=group).joint
        return bound(self.channel.noise, moved)

    def bound_epsilon(self, *, neighbours: Any = None, group: object = 1) -> Number:
        """Return the epsilon of Theorem 5."""
        return ln(self.bound(neighbours=neighbours, group=group))

    def example(self, event: Event, database: Point) -> Point | None:
        """Return one transcript of the event, where transcripts have probability."""
        if not self.channel.discrete:
            return None
        if isinstance(event, Boxes):
            return self._within(event, database)
        if isinstance(event, Listed):
            return next(iter(event.members), None)
        return None if self.outputs.size is None else super().example(event, database)

    def _within(self, event: Boxes, database: Point) -> Point | None:
        """Return the corner of a box that is nearest to the true values."""
        value: Any = self.statistic(database)
        for course, box in self.channel.met(event):
            centre = (value[place] for place in course.picks)
            near = tuple(nearest(i, v) for i, v in zip(box, centre, strict=True))
            output = near if course.coin is None else (course.coin, *near)
            if output in self.outputs and self.probability(output, database) != 0:
                return output
        return None


def randomized(
    strategies: Mapping[Point, tuple[object, Strategy]] | Sequence[tuple[object, Strategy]],
    noise: object,
    *,
    expression: str | None = None,
) -> Interaction:
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
    weights = {coin: probability(weight, "weight") for coin, (weight, _) in named.items()}
    if sum(weights.values()) != 1:
        raise NotStochastic(f"the weights sum to {sum(weights.values())}, they must sum to 1")
    chosen = [strategy for _, strategy in named.values()]
    universe = chosen[0].universe
    if any(s.universe != universe or s.length != chosen[0].length for s in chosen):
        raise InvalidInput(
            "all strategies must ask the same databases and have the same number of answers: "
            "where fewer are wanted, ask constant(0)"
        )
    courses, start = [], 0
    for coin, (_, strategy) in named.items():
        for box, queries, *_ in strategy.courses if weights[coin] else ():
            moved = tuple(tuple(place + start for place in query) for query in queries)
            courses.append(Course(box, moved, coin, weights[coin]))
        start += len(strategy.statistic(next(iter(universe))))  # type: ignore[arg-type]
    statistic = Batch.of([strategy.statistic for strategy in chosen], universe)
    text = expression or f"a random choice of {len(chosen)} strategies"
    channel = Answering(tuple(courses), read_noise(noise))
    return Interaction(universe, statistic, channel, expression=text)


def read_noise(given: object) -> AddedDensity | AddedNoise | FiniteNoise:
    """Return the noise on each answer: a law, a channel, or the mechanism that adds it.

    >>> from twoworlds.laws.noise import GeometricNoise
    >>> read_noise(GeometricNoise(Fraction(1, 2))).probability(1, 0)
    Fraction(1, 6)
    """
    from twoworlds.laws.noise import Noise

    if isinstance(given, str):
        from twoworlds.mechanisms.named import mechanism

        given = mechanism(given)
    if isinstance(given, OnStatistic):
        if not isinstance(given.statistic, TrueAnswer):
            raise InvalidInput(
                f"{given.expression} already asks a question: name the noise alone, as in "
                "geometric(ratio=2)"
            )
        given = given.channel
    if isinstance(given, Noise):
        given = AddedNoise(given)
    if isinstance(given, Laplace):
        given = AddedDensity(given)
    if isinstance(given, FiniteNoise):
        return given
    if isinstance(given, AddedDensity) and isinstance(given.noise, Laplace):
        return given
    if isinstance(given, AddedNoise) and (given.low is None) == (given.high is None):
        return given
    name = given.expression if isinstance(given, Continuous) else type(given).__name__
    raise InvalidInput(
        f"noise={name}: the answers of a strategy get Laplace noise, integer noise, or integer "
        "noise clamped to a range with two ends, as in noise=laplace(scale=2) or "
        "noise=geometric(ratio=2)"
    )


@dataclass(frozen=True)
class TwoTranscriptLaws(Comparison):
    """The law of the transcript for true values u, on x, against that for v, on y."""

    x: Point
    y: Point
    u: tuple[Any, ...]
    v: tuple[Any, ...]
    channel: Answering

    def reverse(self) -> Comparison:
        return TwoTranscriptLaws(self.y, self.x, self.v, self.u, self.channel)

    def peak(self) -> Peak:
        """Take the course of the largest ratio: the answers are independent, ratios multiply."""
        best: Peak | None = None
        noise = self.channel.noise
        for course in self.channel.courses:
            values = [
                (i, self.u[k], self.v[k]) for i, k in zip(course.box, course.picks, strict=True)
            ]
            if isinstance(noise, AddedDensity):
                ratio, box, attained = largest_loss(rate_of(noise), values)
            else:
                found = [largest_ratio(noise, *one) for one in values]
                if None in found:
                    continue  # no transcript of this course can occur
                ratios, box, ends = zip(*found, strict=True)
                ratio, attained = prod(ratios, start=Fraction(1)), all(ends)
            if best is None or larger(ratio, best.ratio):
                best = Peak(ratio, Boxes((course.event(box),)), attained)
        assert best is not None, "some course has mass"
        return best

    def gap(self, ratio: Number) -> Gap:
        """Add up the cells, or use the closed form."""
        finite = self.channel.discrete and is_finite(self.channel.noise)
        if not finite and (ratio == INFINITY or not larger(self.peak().ratio, ratio)):
            return Gap(Fraction(0), Listed.of(()))
        if self.channel.discrete:
            return self._table.gap(ratio)
        event = LikelyTranscripts(self.u, self.v, self.channel, ratio)
        p, q = event.masses
        return Gap(p - ratio * q, event)

    def ratio_for(self, delta: Number) -> Number:
        """Solve on the piece where the profile crosses delta; for Laplace noise by bisection."""
        if delta == 0:
            peak = self.peak().ratio
            return peak if larger(peak, Fraction(1)) else Fraction(1)
        if self.channel.discrete:
            return self._table.ratio_for(delta)
        return solved(self, delta, _DIGITS)  # up to the tight epsilon the gap falls strictly

    def lines(self) -> list[ProfileLine]:
        return self._table.lines() if self.channel.discrete else super().lines()

    def cells(self) -> list[RatioCell]:
        return self._table.cells() if self.channel.discrete else super().cells()

    def divergence(self, order: Fraction) -> Number:
        return self._table.divergence(order) if self.channel.discrete else super().divergence(order)

    def limit(self) -> Number:
        """Return the mass of what only the first world can produce."""
        return self.gap(INFINITY).delta

    @cached_property
    def _table(self) -> FiniteComparison:
        noise: Any = self.channel.noise
        boxes: list[tuple[Event, ...]] = []
        p: list[Number] = []
        q: list[Number] = []
        for course in self.channel.courses:
            parts = [
                pieces(noise, interval, self.u[i], self.v[i])
                for interval, i in zip(course.box, course.picks, strict=True)
            ]
            if len(boxes) + prod(map(len, parts)) > _MOST_CELLS:
                raise TooLarge(
                    f"the transcripts fall into more than {_MOST_CELLS} cells of constant "
                    "likelihood ratio: ask for the ratio alone, or ask fewer queries"
                )
            for cell in product(*parts):
                where, ps, qs = zip(*cell, strict=True)
                boxes.append(course.event(where))
                p.append(prod(ps, start=course.weight))
                q.append(prod(qs, start=course.weight))

        def event(cells: Sequence[int]) -> Event:
            return Boxes(tuple(boxes[i] for i in cells)) if cells else Listed.of(())

        return FiniteComparison(self.x, self.y, p, q, event)


@dataclass(frozen=True)
class LikelyTranscripts(Event):
    """Transcripts whose likelihood ratio, of one vector of true values over another, exceeds a."""

    u: tuple[Any, ...]
    v: tuple[Any, ...]
    channel: Answering
    ratio: Number

    def holds(self, output: Point) -> bool:
        p, q = (self.channel.probability(output, value) for value in (self.u, self.v))
        return larger(p, self.ratio * q)

    def describe(self, outputs: Universe) -> str:
        if self.ratio == 1:
            return "transcripts that are likelier in the first world than in the second"
        return (
            f"transcripts that are more than {show(self.ratio)} times as likely in the first world "
            "as in the second"
        )

    def mass(self, value: Sequence[Any]) -> Number:
        """Return the probability of the event for one of the two vectors of true values."""
        if tuple(value) in (self.u, self.v):
            return self.masses[tuple(value) != self.u]
        raise Unsupported("the mass of this event is known in the two worlds that it compares only")

    @cached_property
    def masses(self) -> tuple[Number, Number]:
        """The probabilities of the event for both."""
        p: Number = Fraction(0)
        q: Number = Fraction(0)
        for course in self.channel.courses:
            values = [
                (interval, Fraction(self.u[i]), Fraction(self.v[i]))
                for interval, i in zip(course.box, course.picks, strict=True)
            ]
            more_p, more_q = masses_above(values, rate_of(self.channel.noise), self.ratio)
            p, q = p + course.weight * more_p, q + course.weight * more_q
        return p, q
