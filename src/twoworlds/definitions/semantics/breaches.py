r"""Breaches: the outputs after which a belief differs too much with and without a person.

For a belief b and a number epsilon the breaches are the outputs t with

    max_i SD(b_0(. | t), b_i(. | t)) > epsilon,

where an undefined posterior, of Game 0 or of Game i, counts as a breach. Two databases that have
the same answer with a person, and the same answer without, are alike: no output tells them apart.
A `View` of a belief adds them up, so that a belief about a count of n bits has at most 2n cases.

How likely the breaches are depends on the true database, which the belief need not hold possible.
Finitely many outputs are looked at one by one. Integer noise is looked at in a window around the
true answer: where likelihood ratios stay constant outside of the answers held possible (geometric
noise), the mass is exact; otherwise the window holds all but 2^-bits of the noise, and the rest
enters as doubt. Noise with a density is looked at stretch by stretch: between two answers held
possible every log-likelihood is linear in the output t, up to a common part,

    Laplace, rate r:    -r |t - v|                  = r (-+ t +- v)
    Gaussian, sigma:    -(t - v)^2 / (2 sigma^2)    ~ (v t - v^2 / 2) / sigma^2

so that the difference of the two games over a whole stretch is enclosed by interval arithmetic. A
stretch is a breach, or none, or is halved until what is left is too little to matter; that rest
enters as doubt. Probabilities below 2^-256 are not told from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil, floor
from typing import Any, NamedTuple

from flint import arb

from twoworlds.definitions.semantics.games import (
    belief_facts,
    default_value,
    plain_belief,
    without,
)
from twoworlds.definitions.verdict import Proof, shortened
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.laws.noise import GeometricNoise
from twoworlds.mechanisms import (
    AddedDensity,
    AddedNoise,
    AtLeast,
    AtMost,
    Event,
    Laplace,
    Listed,
    Mechanism,
    OnStatistic,
)
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.mechanisms.sampled import Shuffled
from twoworlds.mechanisms.several import Several
from twoworlds.mechanisms.strategy.interaction import Interaction
from twoworlds.numbers import (
    Number,
    Order,
    Real,
    at_most_one,
    ball,
    compare,
    maximum,
    positive_part,
    show,
    to_json,
    working_precision,
)
from twoworlds.worlds import Point, Records
from twoworlds.worlds.belief import Belief, records_of

_MOST_OUTPUTS = 1 << 18
_MOST_FOLDED = 1 << 13
_WIDEST_WINDOW = 1 << 14
_FEWEST_BITS, _MOST_BITS = 64, 256
_MOST_STRETCHES = 20_000

Game = tuple[tuple[Number, tuple[Fraction, Fraction]], ...]  # mass, and line of log-likelihood
# Databases of one answer, with and without the person, and what the belief gives them together:
# mass, answer, answer without.
Case = tuple[Number, Any, Any]
Stretch = tuple[Fraction | None, Fraction | None]  # from, to; None is no end


def folded(mechanism: Mechanism, default: object = None) -> Mechanism:
    """Return the mechanism with its geometric noise clamped, if its databases can be listed.

    Beyond all answers, with and without a person, and all thresholds, geometric noise keeps the
    ratios of its likelihoods: no two such outputs lead to different conclusions, or breaches.
    """
    universe, outputs = mechanism.universe, mechanism.outputs.size
    if outputs is not None or not isinstance(universe, Records) or universe.size > _MOST_FOLDED:
        return mechanism
    if isinstance(mechanism, Several):
        parts = [(folded(one, default), times) for one, times in mechanism.parts]
        return Several(parts, width=mechanism.width)
    channel: Any = mechanism.channel if isinstance(mechanism, OnStatistic) else None
    steps = isinstance(mechanism, Interaction)
    noise = channel.noise if steps else channel
    if not isinstance(noise, AddedNoise) or not isinstance(noise.noise, GeometricNoise):
        return mechanism
    d = default_value(universe, default, mechanism)
    databases = {y for x in universe for y in (x, *(without(x, i, d) for i in range(len(x))))}
    answers: set[Any] = {mechanism.statistic(x) for x in databases}  # type: ignore[attr-defined]
    given = [noise.low, noise.high]
    if steps:
        answers = {a for several in answers for a in several}
        given += [e for one in channel.courses for i in one.box for e in (i.low, i.high)]
    ends = [e for e in given if e is not None]
    clamped = AddedNoise(
        noise.noise,
        min([*answers, *(floor(e) - 1 for e in ends)]) if noise.low is None else noise.low,
        max([*answers, *(ceil(e) + 1 for e in ends)]) if noise.high is None else noise.high,
    )
    kind: Any = Interaction if steps else OnStatistic
    found: Mechanism = kind(
        universe,
        mechanism.statistic,  # type: ignore[attr-defined]
        replace(channel, noise=clamped) if steps else clamped,
        expression=mechanism.expression,
    )
    return found


class View(NamedTuple):
    """A belief as far as it matters for one person: the cases that can be told apart."""

    person: int
    cases: tuple[Case, ...]
    likelihood: Callable[[Point, Any], Number]

    def joint(self, output: Point) -> tuple[list[Number], list[Number]]:
        """Return the masses of the cases together with the output, in Game 0 and in Game i."""
        real = [mass * self.likelihood(output, answer) for mass, answer, _ in self.cases]
        return real, [mass * self.likelihood(output, removed) for mass, _, removed in self.cases]

    def difference(self, output: Point) -> Number:
        """Return SD(b_0, b_i) after an output, 1 where a posterior is undefined."""
        real, removed = self.joint(output)
        p, q = sum(real, start=Fraction(0)), sum(removed, start=Fraction(0))
        if p == 0 or q == 0:
            return Fraction(1)
        gaps = (a / p - b / q for a, b in zip(real, removed, strict=True))
        return sum((positive_part(gap) for gap in gaps), start=Fraction(0))


def views(mechanism: Mechanism, belief: Belief, default: object = None) -> list[View]:
    """Return the belief as seen for each person, once for persons that are alike."""
    records = records_of(mechanism.universe)
    d = default_value(records, default, mechanism)
    likelihood: Callable[[Point, Any], Number] = mechanism.probability
    answer: Callable[[Any], Any] = tuple
    if isinstance(mechanism, OnStatistic):
        answer, likelihood = mechanism.statistic, mechanism.channel.probability
    elif isinstance(mechanism, Shuffled):
        answer = mechanism.unordered
    own = {x: answer(x) for x in belief}
    found: dict[frozenset[Case], View] = {}
    for person in records_of(belief.universe).members:
        i = person - 1
        masses: dict[tuple[Any, Any], Number] = {}
        for x, mass in belief.items():
            key = (own[x], own[x] if x[i] == d else answer(without(x, i, d)))
            masses[key] = masses.get(key, Fraction(0)) + mass
        cases = tuple((mass, *key) for key, mass in masses.items())
        found.setdefault(frozenset(cases), View(person, cases, likelihood))
    return list(found.values())


def reachable(mechanism: Mechanism, truth: Point) -> Iterator[Point]:
    """Run through the outputs that a database can lead to, where they are finitely many."""
    outputs: Iterable[Point] = mechanism.outputs
    size = mechanism.outputs.size
    if isinstance(mechanism, OnStatistic) and isinstance(mechanism.channel, FiniteNoise):
        answer: Any = mechanism.statistic(truth)
        start, size = answer + mechanism.channel.start, len(mechanism.channel.masses)
        outputs = range(start, start + size)
    if size is None or size > _MOST_OUTPUTS:
        raise TooLarge(
            f"{mechanism.expression} has too many outputs to look at one by one: use fewer records"
        )
    return (t for t in outputs if mechanism.probability(t, truth) != 0)


class Breaches:
    """The outputs that are breaches, and how likely they are for each true database."""

    def __init__(
        self, mechanism: Mechanism, belief: Belief, epsilon: Number, default: object = None
    ) -> None:
        if isinstance(mechanism, Several | Interaction):
            mechanism = folded(mechanism, default)
        self.mechanism, self.epsilon = mechanism, epsilon
        self.seen = views(mechanism, belief, default)
        channel = mechanism.channel if isinstance(mechanism, OnStatistic) else None
        self.finite = mechanism.outputs.size is not None or isinstance(channel, FiniteNoise)
        if not self.finite and not isinstance(channel, AddedNoise | AddedDensity):
            raise Unsupported(
                f"the breaches of {mechanism.expression} are known for noise on one answer, and "
                f"for geometric noise on several with at most {_MOST_FOLDED} databases: use those"
            )
        self.channel: Any = channel
        self.answers: list[Any] = []
        if not self.finite:
            self.seen = [view for view in self.seen if larger(_reach(view), epsilon)]
            cases = [case for view in self.seen for case in view.cases]
            self.answers = sorted({answer for _, *both in cases for answer in both})
        self._orders: dict[Point, Order] = {}
        self._known: dict[tuple[Any, int], arb] = {}

    def judge(self, output: Point) -> Order:
        """Compare the worst difference after an output with epsilon: GREATER is a breach."""
        if output not in self._orders:
            orders = (compare(view.difference(output), self.epsilon) for view in self.seen)
            self._orders[output] = _worst(orders)
        return self._orders[output]

    def mass(self, truth: Point) -> Number:
        """Return the probability of a breach if this database is the true one."""
        if self.finite:
            law = (
                (t, self.mechanism.probability(t, truth)) for t in reachable(self.mechanism, truth)
            )
            # The columns of a float matrix sum to 1 only roughly.
            return at_most_one(_added((self.judge(t), mass) for t, mass in law))
        if not self.seen:
            return Fraction(0)
        if isinstance(self.channel, AddedNoise) and self._constant_outside():
            mass = self.mechanism.mass
            return _added((self.judge(t), mass(event, truth)) for t, event in self._stretched())
        found = Real(lambda bits: self._enclosed(truth, min(max(bits, _FEWEST_BITS), _MOST_BITS)))
        return at_most_one(positive_part(found))

    def example(self, truth: Point) -> Point | None:
        """Return a breach that this database can lead to, the true answer itself if it is one."""
        near: Iterable[Point]
        if self.finite:
            near = reachable(self.mechanism, truth)
        else:
            answer: Any = self._answer(truth)
            reached = [*self.answers, answer]
            near = [answer, *range(int(min(reached)) - 2, int(max(reached)) + 3)]
        return next((t for t in near if self.judge(t) is Order.GREATER), None)

    def _answer(self, truth: Point) -> Any:
        """Return the answer that noise is added to."""
        return self.mechanism.statistic(truth)  # type: ignore[attr-defined]

    def _constant_outside(self) -> bool:
        width = self.answers[-1] - self.answers[0]
        return bool(width == 0 or self.channel.noise.last_step(width) == width)

    def _stretched(self) -> Iterator[tuple[int, Event]]:
        """Yield outputs with the event that they stand for."""
        low, high = self.answers[0], max(self.answers[-1], self.answers[0] + 1)
        yield low, AtMost(low)
        yield from ((t, Listed.of([t])) for t in range(low + 1, high))
        yield high, AtLeast(high)

    def _enclosed(self, truth: Point, bits: int) -> arb:
        answer = self._answer(truth)
        if (answer, bits) not in self._known:
            parts = self._window if isinstance(self.channel, AddedNoise) else self._halved
            with working_precision(bits + 64):
                total, doubt = arb(0), arb(0)
                for order, mass in parts(answer, truth, bits):
                    if order is Order.GREATER:
                        total += mass
                    elif order is Order.UNDECIDED:
                        doubt += mass
                half = doubt.nonnegative_part() / 2
                self._known[answer, bits] = total + half + arb(0, half.abs_upper())
        return self._known[answer, bits]

    def _window(self, answer: int, truth: Point, bits: int) -> Iterator[tuple[Order, arb]]:
        """Yield the outputs around the true answer, and all others as doubt."""
        mass, width = self.mechanism.mass, 1

        def outside() -> Number:
            far = mass(AtMost(answer - width - 1), truth)
            return far + mass(AtLeast(answer + width + 1), truth)

        while larger(outside(), Fraction(1, 1 << bits)):
            width *= 2
            if width > _WIDEST_WINDOW:
                raise TooLarge(
                    f"{self.mechanism.expression} spreads over more than {_WIDEST_WINDOW} outputs: "
                    "use less noise, or geometric noise"
                )
        yield Order.UNDECIDED, ball(outside(), bits)
        for t in range(answer - width, answer + width + 1):
            yield self.judge(t), ball(self.mechanism.probability(t, truth), bits)

    def _halved(self, answer: Any, _truth: Point, bits: int) -> Iterator[tuple[Order, arb]]:
        """Yield stretches of outputs, halved until they are decided, or too rare to matter."""
        answer, bits = Fraction(answer), bits + 64
        noise, tiny, looked_at = self.channel.noise, arb(2) ** (64 - bits), 0
        waiting: list[Stretch] = list(pairwise([None, *map(Fraction, self.answers), None]))

        def beyond(end: Fraction | None, nowhere: int) -> arb:
            return arb(nowhere) if end is None else ball(noise.upper_tail(end - answer), bits)

        while waiting:
            looked_at += 1
            low, high = waiting.pop()
            mass = beyond(low, 1) - beyond(high, 0)
            order = _worst(self._on_stretch(view, (low, high), bits) for view in self.seen)
            if order is not Order.UNDECIDED or mass < tiny or looked_at > _MOST_STRETCHES:
                yield order, mass
                continue
            if low is not None and high is not None:
                middle = (low + high) / 2
            elif low is not None:  # cut ever further away from the true answer
                middle = max(low, answer) + 2 * max(low - answer, Fraction(1))
            else:
                assert high is not None
                middle = min(high, answer) - 2 * max(answer - high, Fraction(1))
            waiting += [(low, middle), (middle, high)]

    def _on_stretch(self, view: View, stretch: Stretch, bits: int) -> Order:
        """Compare the difference of the two games anywhere on a stretch with epsilon."""
        low, high = stretch
        games = [
            tuple((case[0], self._line(case[k], stretch)) for case in view.cases) for k in (1, 2)
        ]
        if all(len({slope for _, (slope, _) in game}) == 1 for game in games):
            # Nothing depends on t, up to a common factor: one output decides.
            return compare(view.difference(high if low is None else low), self.epsilon)
        if low is None or high is None:
            return Order.UNDECIDED
        t = ball((low + high) / 2, bits) + arb(0, ball((high - low) / 2, bits).upper())
        noise = self.channel.noise
        rate = ball(noise.rate if isinstance(noise, Laplace) else 1 / noise.sigma**2, bits)
        gap = arb(0)
        for p, q in zip(*(_posterior(game, rate, t, bits) for game in games), strict=True):
            gap += (p - q).nonnegative_part()
        limit = ball(self.epsilon, bits)
        if gap > limit:
            return Order.GREATER
        return Order.LESS if gap <= limit else Order.UNDECIDED

    def _line(self, value: Any, stretch: Stretch) -> tuple[Fraction, Fraction]:
        """Return slope and start of the log-likelihood on a stretch, in the unit of the noise."""
        answer = Fraction(value)
        if not isinstance(self.channel.noise, Laplace):
            return answer, -answer * answer / 2
        above = stretch[0] is not None and stretch[0] >= answer
        return (Fraction(-1), answer) if above else (Fraction(1), -answer)


def _reach(view: View) -> Number:
    """Return what the difference stays below, after any output of noise that reaches everywhere.

    Where one game holds a single answer possible, its posterior is the prior; the other one may
    come near to certainty of the rarest answer, and no nearer.
    """
    if all(answer == removed for _, answer, removed in view.cases):
        return Fraction(0)
    games: list[dict[Any, Number]] = [{}, {}]
    for mass, *answers in view.cases:
        for game, answer in zip(games, answers, strict=True):
            game[answer] = game.get(answer, Fraction(0)) + mass
    fewer, more = sorted(games, key=len)
    return 1 - min(more.values(), key=float) if len(fewer) == 1 else Fraction(1)


@lru_cache(maxsize=256)
def _terms(game: Game, bits: int) -> list[tuple[arb, list[tuple[arb, arb, arb]]]]:
    """Return the mass of every case, and masses, slopes and starts of all against its own line."""
    masses: dict[tuple[Fraction, Fraction], Number] = {}
    for mass, line in game:
        masses[line] = masses.get(line, Fraction(0)) + mass
    against = {
        (slope, start): [
            (ball(mass, bits), ball(other - slope, bits), ball(begin - start, bits))
            for (other, begin), mass in masses.items()
        ]
        for slope, start in masses
    }
    return [(ball(mass, bits), against[line]) for mass, line in game]


def _posterior(game: Game, rate: arb, t: arb, bits: int) -> Iterator[arb]:
    """Yield b(x | t) for every case, as b(x) / sum_z b(z) P(t | z) / P(t | x)."""
    for own, others in _terms(game, bits):
        total = arb(0)
        for mass, slope, start in others:
            total += mass * (rate * (slope * t + start)).exp()
        yield own / total


def _worst(orders: Iterable[Order]) -> Order:
    """Return GREATER if one is, else whether one is undecided."""
    listed = list(orders)
    doubtful = Order.UNDECIDED if Order.UNDECIDED in listed else Order.LESS
    return Order.GREATER if Order.GREATER in listed else doubtful


def _added(parts: Iterable[tuple[Order, Number]]) -> Number:
    """Add up the masses of what is a breach; what is undecided may count or not."""
    total: Number = Fraction(0)
    for order, mass in parts:
        if order is Order.GREATER:
            total = total + mass
        elif order is Order.UNDECIDED:
            total = total + _up_to(mass)
    return total


def _up_to(mass: Number) -> Real:
    """Return a number of which only is known that it lies between 0 and the mass."""
    half = mass / 2
    return Real(lambda bits: ball(half, bits) + arb(0, ball(half, bits).abs_upper()))


def failure_of(
    mechanism: Mechanism,
    belief: Belief,
    epsilon: Number,
    default: object = None,
    truth: Point | None = None,
) -> Number:
    """Return how likely a breach is, on a true database or on one drawn from the belief.

    >>> from twoworlds import mechanism
    >>> from twoworlds.worlds.belief import explicit
    >>> noise = mechanism("integer-noise([1/4, 1/2, 1/4], start=-1, bits=2)")
    >>> belief = explicit(noise.universe, {"11": "1/2", "01": "1/2"})
    >>> failure_of(noise, belief, Fraction(1, 5))
    Fraction(1, 1)
    """
    found = Breaches(mechanism, belief, epsilon, default)
    if truth is not None:
        return found.mass(truth)
    return sum((mass * found.mass(x) for x, mass in belief.items()), start=Fraction(0))


@dataclass(frozen=True)
class FailureWitness(Proof):
    """A belief that sees a breach at least so often.

    Attributes:
        truth: the true database; drawn from the belief itself where None.
        output: a breach that the true database can lead to.
        people: of how many the same is believed independently, each treated on its own.
    """

    mechanism: Mechanism = field(repr=False)
    belief: Belief
    epsilon: Number
    failure: Number
    default: object = None
    truth: Point | None = None
    output: Point | None = None
    people: int = 1

    @property
    def difference(self) -> Number | None:
        """The largest difference after the output shown; None where a posterior is undefined."""
        worst: Number = Fraction(0)
        if self.output is not None:
            for view in views(self.mechanism, self.belief, self.default):
                if any(sum(game, Fraction(0)) == 0 for game in view.joint(self.output)):
                    return None
                worst = maximum(worst, view.difference(self.output))
        return worst

    def verify(self) -> bool:
        """Find the breaches afresh, and play the games for the output shown."""
        one = failure_of(self.mechanism, self.belief, self.epsilon, self.default, self.truth)
        if larger(self.failure, 1 - (1 - one) ** self.people):
            return False
        difference = self.difference
        return self.output is None or difference is None or larger(difference, self.epsilon)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the belief, and how often it sees a breach."""
        yield from belief_facts(self.belief)
        if self.people > 1:
            yield "", f"and so for each of {self.people} people, independently"
        often = show(self.failure, side="at least")
        if self.truth is None:
            yield "breach", f"with probability {often} under this belief"
        else:
            truth = shortened(self.belief.universe.label(self.truth))
            yield "truth", f"{truth}: a breach with probability {often}"
        if self.output is not None:
            output, difference = self.mechanism.outputs.label(self.output), self.difference
            differ = "undefined: a breach"
            if difference is not None:
                differ = f"differ by {show(difference)}"
            yield "", f"for example output {output}: with and without a person, {differ}"

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        belief, failure = plain_belief(self.belief), to_json(self.failure, side="down")
        if self.truth is None:
            found = {"belief": belief, "epsilon": to_json(self.epsilon), "failure": failure}
            return {**found, "people": self.people} if self.people > 1 else found
        output, difference = self.output, self.difference
        return {
            "belief": belief,
            "truth": self.belief.universe.label(self.truth),
            "failure": failure,
            "output": None if output is None else self.mechanism.outputs.label(output),
            "difference": None if difference is None else to_json(difference),
        }
