r"""Windows: breaches of any belief about noise on an answer, around the true answer.

Integer noise (`Window`) is looked at output by output. Where all likelihood ratios stay constant
outside of the answers held possible (geometric noise), the mass of the breaches is exact; otherwise
the window holds all but 2^-bits of the noise, and the rest enters as doubt.

Noise with a density (`Stretches`) is looked at stretch by stretch. Between two answers held
possible every log-likelihood is linear in the output t, up to a common part:

    Laplace, rate r:    -r |t - v|                  = r (-+ t +- v)
    Gaussian, sigma:    -(t - v)^2 / (2 sigma^2)    ~ (v t - v^2 / 2) / sigma^2

so that the difference of the two games over a whole stretch of outputs is enclosed by interval
arithmetic. A stretch is a breach, or none, or is halved until what is left is too little to matter;
that rest enters as doubt. Where nothing depends on t (Laplace noise outside of all answers) one
output decides for the stretch, exactly. Probabilities below 2^-256 are not told from 0.

Views: a belief as far as it matters for one person, and the breaches it can lead to.

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
from itertools import pairwise
from typing import Any, NamedTuple

from flint import arb

from twoworlds.definitions.semantics.games import default_value, without
from twoworlds.errors import TooLarge
from twoworlds.laws.comparison import larger
from twoworlds.mechanisms import (
    AddedDensity,
    AtLeast,
    AtMost,
    Event,
    Gaussian,
    Laplace,
    Listed,
    Mechanism,
    OnStatistic,
)
from twoworlds.numbers import (
    Number,
    Order,
    Real,
    at_most_one,
    ball,
    compare,
    maximum,
    positive_part,
    working_precision,
)
from twoworlds.worlds import Point
from twoworlds.worlds.belief import Belief, records_of

Likelihood = Callable[[Point, Any], Number]


class AnswerClass(NamedTuple):
    """Databases of one answer, with and without the person, and what the belief gives them."""

    mass: Number
    answer: Any
    removed: Any


@dataclass(frozen=True)
class View:
    """A belief as far as it matters for one person: the cases that can be told apart."""

    person: int
    cases: tuple[AnswerClass, ...]
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
    found: dict[frozenset[AnswerClass], View] = {}
    for i in range(records.n):
        masses: dict[tuple[Any, Any], Number] = {}
        for x, mass in belief.items():
            key = (own[x], own[x] if x[i] == d else answer(without(x, i, d)))
            masses[key] = masses.get(key, Fraction(0)) + mass
        cases = tuple(AnswerClass(mass, *key) for key, mass in masses.items())
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


_WIDEST_WINDOW = 1 << 14
_MOST_BITS = 256
_MOST_STRETCHES = 20_000


class Window(Breaches):
    """Integer noise, looked at output by output around the true answer."""

    def __init__(self, mechanism: OnStatistic, seen: list[View], epsilon: Number) -> None:
        self.mechanism, self.judge = mechanism, Judge(seen, epsilon)
        answers = [a for view in seen for case in view.cases for a in (case.answer, case.removed)]
        self.low, self.high = min(answers), max(answers)
        noise = mechanism.channel.noise  # type: ignore[attr-defined]
        width = self.high - self.low
        self.constant_outside = width == 0 or noise.last_step(width) == width
        self._known: dict[tuple[Point, int], arb] = {}

    def mass(self, truth: Point) -> Number:
        """Return the mass of the breaches in the window."""
        if self.constant_outside:
            return self._exactly(truth)
        # The breaches in a window that holds all but 2^-bits of the noise, and the rest as doubt.
        return _probability(Real(lambda bits: self._enclosed(truth, min(bits, _MOST_BITS))))

    def _enclosed(self, truth: Point, bits: int) -> arb:
        if (truth, bits) not in self._known:
            self._known[truth, bits] = self._within(truth, bits)
        return self._known[truth, bits]

    def _exactly(self, truth: Point) -> Number:
        stretches: list[tuple[int, Event]] = [(self.low, AtMost(self.low))]
        stretches += [(t, Listed.of([t])) for t in range(self.low + 1, self.high)]
        top = max(self.high, self.low + 1)
        stretches.append((top, AtLeast(top)))
        total: Number = Fraction(0)
        for t, event in stretches:
            order = self.judge(t)
            if order is Order.GREATER:
                total = total + self.mechanism.mass(event, truth)
            elif order is Order.UNDECIDED:
                total = total + up_to(self.mechanism.mass(event, truth))
        return total

    def _within(self, truth: Point, bits: int) -> arb:
        first, last = self._window(truth, bits)
        total, doubt = arb(0), arb(0)
        for event in (AtMost(first - 1), AtLeast(last + 1)):
            doubt += ball(self.mechanism.mass(event, truth), bits)
        for t in range(first, last + 1):
            order = self.judge(t)
            part = ball(self.mechanism.probability(t, truth), bits)
            if order is Order.GREATER:
                total += part
            elif order is Order.UNDECIDED:
                doubt += part
        return total + doubt / 2 + arb(0, (doubt / 2).abs_upper())

    def _window(self, truth: Point, bits: int) -> tuple[int, int]:
        answer: Any = self.mechanism.statistic(truth)
        width = 1
        tiny = Fraction(1, 1 << bits)
        while larger(self._outside(truth, answer, width), tiny):
            width *= 2
            if width > _WIDEST_WINDOW:
                raise TooLarge(
                    f"{self.mechanism.expression} spreads over more than {_WIDEST_WINDOW} outputs: "
                    "take a belief on two databases that differ in one record"
                )
        return answer - width, answer + width

    def _outside(self, truth: Point, answer: int, width: int) -> Number:
        mass = self.mechanism.mass
        return mass(AtMost(answer - width - 1), truth) + mass(AtLeast(answer + width + 1), truth)

    def example(self, truth: Point) -> Point | None:
        """Return the first breach around the answers held possible and the true one."""
        answer: Any = self.mechanism.statistic(truth)
        near = range(min(self.low, answer), max(self.high, answer) + 1)
        return next((t for t in near if self.judge(t) is Order.GREATER), None)


class _Line(NamedTuple):
    """A log-likelihood on one stretch, slope * t + start, in the unit of the noise."""

    slope: Fraction
    start: Fraction


class _Stretch(NamedTuple):
    """The outputs from ``low`` to ``high``; None is no end."""

    low: Fraction | None
    high: Fraction | None


class _Moving(NamedTuple):
    """A probability in the middle of a stretch, and its slope anywhere on it."""

    middle: arb
    slope: arb


class Stretches(Breaches):
    """Noise with a density, looked at stretch by stretch."""

    def __init__(self, mechanism: OnStatistic, seen: list[View], epsilon: Number) -> None:
        self.mechanism, self.seen, self.epsilon = mechanism, seen, epsilon
        self.judge = Judge(seen, epsilon)
        channel = mechanism.channel
        assert isinstance(channel, AddedDensity)
        self.noise = channel.noise
        answers = {Fraction(a) for v in seen for c in v.cases for a in (c.answer, c.removed)}
        self.answers = sorted(answers)
        self._known: dict[tuple[Fraction, int], arb] = {}
        self._coefficients: dict[tuple[tuple[_Line, ...], int], list[tuple[arb, arb]]] = {}

    def mass(self, truth: Point) -> Number:
        """Return the mass of all stretches that are breaches."""
        answer = Fraction(self.mechanism.statistic(truth))  # type: ignore[arg-type]
        return _probability(Real(lambda bits: self._enclosed(answer, min(bits, _MOST_BITS))))

    def example(self, truth: Point) -> Point | None:
        """Return the first breach among whole numbers around the answers."""
        answer: Any = self.mechanism.statistic(truth)
        near = range(int(min(*self.answers, answer)) - 1, int(max(*self.answers, answer)) + 2)
        return next((t for t in near if self.judge(Fraction(t)) is Order.GREATER), None)

    def _enclosed(self, answer: Fraction, bits: int) -> arb:
        if (answer, bits) not in self._known:
            with working_precision(bits + 64):
                self._known[answer, bits] = self._add_up(answer, bits + 64)
        return self._known[answer, bits]

    def _add_up(self, answer: Fraction, bits: int) -> arb:
        total, doubt = arb(0), arb(0)
        tiny = arb(2) ** (64 - bits)
        waiting = self._first_stretches()
        looked_at = 0
        while waiting:
            looked_at += 1
            stretch = waiting.pop()
            mass = self._mass(stretch, answer, bits)
            order = self._decide(stretch, bits)
            if order is Order.GREATER:
                total += mass
            elif order is Order.UNDECIDED:
                if mass < tiny or looked_at > _MOST_STRETCHES:
                    doubt += mass
                else:
                    waiting += self._halves(stretch, answer)
        half = doubt.nonnegative_part() / 2
        return total + half + arb(0, half.abs_upper())

    def _first_stretches(self) -> list[_Stretch]:
        ends = [None, *self.answers, None]
        return [_Stretch(a, b) for a, b in pairwise(ends)]

    def _halves(self, stretch: _Stretch, answer: Fraction) -> list[_Stretch]:
        """Cut in the middle; a half-line is cut ever further away from the true answer."""
        low, high = stretch
        if low is not None and high is not None:
            middle = (low + high) / 2
        elif low is not None:
            middle = max(low, answer) + 2 * max(low - answer, Fraction(1))
        else:
            assert high is not None
            middle = min(high, answer) - 2 * max(answer - high, Fraction(1))
        return [_Stretch(low, middle), _Stretch(middle, high)]

    def _mass(self, stretch: _Stretch, answer: Fraction, bits: int) -> arb:
        above = arb(1) if stretch.low is None else self._tail(stretch.low - answer, bits)
        return above - (0 if stretch.high is None else self._tail(stretch.high - answer, bits))

    def _tail(self, distance: Fraction, bits: int) -> arb:
        return ball(self.noise.upper_tail(distance), bits)

    def _decide(self, stretch: _Stretch, bits: int) -> Order:
        """Compare the worst difference anywhere on the stretch with epsilon."""
        orders = [self._decide_for(view, stretch, bits) for view in self.seen]
        doubtful = Order.UNDECIDED if Order.UNDECIDED in orders else Order.LESS
        return Order.GREATER if Order.GREATER in orders else doubtful

    def _decide_for(self, view: View, stretch: _Stretch, bits: int) -> Order:
        real = [self._line(Fraction(case.answer), stretch) for case in view.cases]
        removed = [self._line(Fraction(case.removed), stretch) for case in view.cases]
        if all(len({line.slope for line in lines}) == 1 for lines in (real, removed)):
            inside = stretch.high if stretch.low is None else stretch.low
            assert inside is not None
            return compare(view.difference(inside), self.epsilon)
        if stretch.low is None or stretch.high is None:
            return Order.UNDECIDED
        middle = ball((stretch.low + stretch.high) / 2, bits)
        offset = arb(0, ball((stretch.high - stretch.low) / 2, bits).upper())
        masses = [ball(case.mass, bits) for case in view.cases]
        gap = arb(0)
        for first, second in zip(
            self._posterior(masses, real, middle, offset, bits),
            self._posterior(masses, removed, middle, offset, bits),
            strict=True,
        ):
            # The mean value form: its width falls with the square of the stretch.
            moved = first.middle - second.middle + (first.slope - second.slope) * offset
            gap += moved.nonnegative_part()
        limit = ball(self.epsilon, bits)
        if gap > limit:
            return Order.GREATER
        return Order.LESS if gap <= limit else Order.UNDECIDED

    def _posterior(
        self, masses: list[arb], lines: list[_Line], middle: arb, offset: arb, bits: int
    ) -> list[_Moving]:
        """Return b(x | t) in the middle of a stretch, and its slope anywhere on the stretch.

        b(x | t) is proportional to m_x e^(unit (slope_x t + start_x)), and its derivative is
        unit b(x | t) (slope_x - E_b slope).
        """
        unit = self._unit(bits)
        there, slopes = [], []
        for mass, (slope, start) in zip(masses, self._balls(tuple(lines), bits), strict=True):
            there.append(mass * (unit * (slope * middle + start)).exp())
            slopes.append(slope)
        around = [p * (unit * s * offset).exp() for p, s in zip(there, slopes, strict=True)]
        total, total_around = _sum(there), _sum(around)
        anywhere = [p / total_around for p in around]
        mean = _sum([s * p for s, p in zip(slopes, anywhere, strict=True)])
        return [
            _Moving(p / total, unit * q * (s - mean))
            for p, q, s in zip(there, anywhere, slopes, strict=True)
        ]

    def _balls(self, lines: tuple[_Line, ...], bits: int) -> list[tuple[arb, arb]]:
        """Return slopes and starts, less those of the first line, which cancel."""
        if (lines, bits) not in self._coefficients:
            first = lines[0]
            self._coefficients[lines, bits] = [
                (ball(line.slope - first.slope, bits), ball(line.start - first.start, bits))
                for line in lines
            ]
        return self._coefficients[lines, bits]

    def _unit(self, bits: int) -> arb:
        noise = self.noise
        assert isinstance(noise, (Gaussian, Laplace))
        return ball(noise.rate if isinstance(noise, Laplace) else 1 / noise.sigma**2, bits)

    def _line(self, answer: Fraction, stretch: _Stretch) -> _Line:
        if not isinstance(self.noise, Laplace):
            return _Line(answer, -answer * answer / 2)
        above = stretch.low is not None and stretch.low >= answer
        return _Line(Fraction(-1), answer) if above else _Line(Fraction(1), -answer)


def _sum(parts: list[arb]) -> arb:
    total = arb(0)
    for part in parts:
        total += part
    return total


def _probability(mass: Number) -> Number:
    """Keep the enclosure of a probability between 0 and 1."""
    return at_most_one(positive_part(mass))
