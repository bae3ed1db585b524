r"""Breaches: the outputs after which a belief differs too much with and without a person.

For a belief b and a number epsilon the breaches are the outputs t with

    max_i SD(b_0(. | t), b_i(. | t)) > epsilon,

where an undefined posterior, of Game 0 or of Game i, counts as a breach. How likely they are
depends on the true database, which the belief need not hold possible. `breaches` finds them

* one by one, where a database can lead to finitely many outputs only; if every record is treated
  on its own, only the records on which the belief wavers are looked at, as all others cancel;
* as half-lines, for log-concave noise on an answer, where one of the two games holds one answer
  possible and the other one two. Then one posterior is the prior, and with m the prior mass of the
  larger answer u, v the smaller one and L(t) = f(t - u) / f(t - v), which rises in t, the other
  posterior exceeds it by more than epsilon

      iff   L(t) > (m + epsilon) (1 - m) / (m (1 - m - epsilon)),

  and the same downward. For Gaussian noise L is e to a linear function of t, the posterior is
  logistic in t, and the mass of the breaches is a normal tail;
* in a window, for any other belief about noise on an answer: see `window`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from twoworlds.definitions.semantics.games import default_value
from twoworlds.definitions.semantics.window import (
    Breaches,
    Judge,
    Stretches,
    View,
    Window,
    up_to,
    views,
)
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.mechanisms import (
    AddedDensity,
    AddedNoise,
    AtLeast,
    AtMost,
    Event,
    Mechanism,
    OnStatistic,
    PerRecord,
)
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.numbers import Number, Order, at_most_one
from twoworlds.worlds import Change, Point
from twoworlds.worlds.belief import Belief

_MOST_OUTPUTS = 1 << 18


def breaches(
    mechanism: Mechanism, belief: Belief, epsilon: Number, default: object = None
) -> Breaches:
    """Find the outputs after which some person's difference exceeds epsilon."""
    if isinstance(mechanism, PerRecord):
        open_records = _open_records(belief)
        if len(open_records) < mechanism.records:
            return _ByRecord(mechanism, belief, epsilon, default, open_records)
    seen = views(mechanism, belief, default)
    if mechanism.outputs.size is not None or _channel(mechanism, FiniteNoise):
        return _OneByOne(mechanism, seen, epsilon)
    seen = [view for view in seen if not view.unmoved]
    if not isinstance(mechanism, OnStatistic) or not _channel(mechanism, AddedNoise, AddedDensity):
        raise Unsupported(f"the breaches of {mechanism.expression}: too many outputs to look at")
    two_answers = [_two_answers(view) for view in seen]
    if all(two is not None for two in two_answers):
        return _half_lines(mechanism, [two for two in two_answers if two is not None], epsilon)
    if _channel(mechanism, AddedNoise):
        return Window(mechanism, seen, epsilon)
    return Stretches(mechanism, seen, epsilon)


def reachable(mechanism: Mechanism, truth: Point) -> Iterator[Point]:
    """Run through the outputs that a database can lead to, where they are finitely many."""
    outputs: Iterable[Point] = mechanism.outputs
    channel = mechanism.channel if isinstance(mechanism, OnStatistic) else None
    size = mechanism.outputs.size
    if isinstance(channel, FiniteNoise) and isinstance(mechanism, OnStatistic):
        answer: Any = mechanism.statistic(truth)
        start = answer + channel.start
        outputs, size = range(start, start + len(channel.masses)), len(channel.masses)
    if size is None or size > _MOST_OUTPUTS:
        raise TooLarge(f"{mechanism.expression} has too many outputs to look at one by one")
    return (t for t in outputs if mechanism.probability(t, truth) != 0)


def _channel(mechanism: Mechanism, *kinds: type) -> bool:
    return isinstance(mechanism, OnStatistic) and isinstance(mechanism.channel, kinds)


class _OneByOne(Breaches):
    """Finitely many outputs."""

    def __init__(self, mechanism: Mechanism, seen: list[View], epsilon: Number) -> None:
        self.mechanism, self.judge = mechanism, Judge(seen, epsilon)

    def mass(self, truth: Point) -> Number:
        total: Number = Fraction(0)
        for t in reachable(self.mechanism, truth):
            order = self.judge(t)
            if order is Order.GREATER:
                total = total + self.mechanism.probability(t, truth)
            elif order is Order.UNDECIDED:
                total = total + up_to(self.mechanism.probability(t, truth))
        return at_most_one(total)  # the columns of a float matrix sum to 1 only roughly

    def example(self, truth: Point) -> Point | None:
        outputs = reachable(self.mechanism, truth)
        return next((t for t in outputs if self.judge(t) is Order.GREATER), None)


def _open_records(belief: Belief) -> list[int]:
    """Return the positions at which the belief wavers, counted from 0."""
    first, *others = belief
    return [i for i, value in enumerate(first) if any(x[i] != value for x in others)]


class _ByRecord(Breaches):
    """The same transition for each record: breaches on the open records, and on known ones.

    The output of a known record tells nothing, unless it is impossible under the value known or
    under the default value: then a posterior is undefined.
    """

    def __init__(
        self,
        mechanism: PerRecord,
        belief: Belief,
        epsilon: Number,
        default: object,
        open_records: list[int],
    ) -> None:
        self.law, self.open = mechanism.transition, open_records
        self.known: tuple[Point, ...] = next(iter(belief))
        d = default_value(mechanism.universe, default)
        undefined_counts = larger(Fraction(1), epsilon)
        self.fine = [
            [
                o
                for o in self.law.outputs
                if not undefined_counts
                or (self.law.probability(o, v) != 0 and self.law.probability(o, d) != 0)
            ]
            for v in self.known
        ]
        self.inner: Breaches | None = None
        if open_records:
            part = PerRecord(self.law, len(open_records))
            masses = {tuple(x[i] for i in open_records): p for x, p in belief.items()}
            self.inner = breaches(part, Belief(part.universe, masses), epsilon, default)

    @property
    def candidates(self) -> list[Point]:
        """The open records in all ways, each known one at the value that is worst."""
        values = tuple(self.law.universe)
        if len(values) ** len(self.open) > _MOST_OUTPUTS:
            return []
        base = [
            value if i in self.open else min(values, key=lambda v, i=i: float(self._fine(i, v)))  # type: ignore[misc]
            for i, value in enumerate(self.known)
        ]
        found = []
        for word in product(values, repeat=len(self.open)):
            for i, value in zip(self.open, word, strict=True):
                base[i] = value
            found.append(tuple(base))
        return found

    def _fine(self, position: int, value: Point) -> Number:
        parts = (self.law.probability(o, value) for o in self.fine[position])
        return sum(parts, start=Fraction(0))

    def mass(self, truth: Point) -> Number:
        fine: Number = Fraction(1)
        if self.inner is not None:
            fine = 1 - self.inner.mass(tuple(truth[i] for i in self.open))
        for i, value in enumerate(truth):
            if i not in self.open:
                fine = fine * self._fine(i, value)
        return 1 - fine

    def example(self, truth: Point) -> Point | None:
        likely = {
            v: max(self.law.outputs, key=lambda o, v=v: float(self.law.probability(o, v)))  # type: ignore[misc]
            for v in set(truth)
        }
        output = [likely[value] for value in truth]
        inner = (
            None if self.inner is None else self.inner.example(tuple(truth[i] for i in self.open))
        )
        if inner is not None:
            for i, value in zip(self.open, inner, strict=True):
                output[i] = value
            return tuple(output)
        for i, value in enumerate(truth):
            rest = [o for o in self.law.outputs if i not in self.open and o not in self.fine[i]]
            possible = [o for o in rest if self.law.probability(o, value) != 0]
            if possible:
                output[i] = possible[0]
                return tuple(output)
        return None


@dataclass(frozen=True)
class _HalfLines(Breaches):
    """All outputs up to one threshold, and all from another one on."""

    mechanism: OnStatistic
    low: Number | int | None
    high: Number | int | None

    def mass(self, truth: Point) -> Number:
        if self.low is not None and self.high is not None and not larger(self.high, self.low):
            return Fraction(1)
        events: list[Event] = [] if self.low is None else [AtMost(self.low)]
        events += [] if self.high is None else [AtLeast(self.high)]
        parts = (self.mechanism.mass(event, truth) for event in events)
        return sum(parts, start=Fraction(0))

    def example(self, truth: Point) -> Point | None:
        """Return the true answer, or a whole number beyond a threshold."""
        answer: Any = self.mechanism.statistic(truth)
        if (self.low is not None and larger(self.low, answer)) or (
            self.high is not None and larger(answer, self.high)
        ):
            return answer
        if self.high is not None:
            return int(float(self.high)) + 2
        return None if self.low is None else int(float(self.low)) - 2


class _TwoAnswers(NamedTuple):
    low: Any
    high: Any
    mass: Number  # of the high one


def _two_answers(view: View) -> _TwoAnswers | None:
    """Return the two answers held possible in one game, if there is only one in the other."""
    games: list[dict[Any, Number]] = [{}, {}]
    for case in view.cases:
        for game, answer in zip(games, (case.answer, case.removed), strict=True):
            game[answer] = game.get(answer, Fraction(0)) + case.mass
    fewer, more = sorted(games, key=len)
    if len(fewer) > 1 or len(more) > 2:
        return None
    low, high = min(more), max(more)
    return _TwoAnswers(low, high, more[high])


def _half_lines(mechanism: OnStatistic, found: list[_TwoAnswers], epsilon: Number) -> _HalfLines:
    lows: list[Number | int] = []
    highs: list[Number | int] = []
    for low, high, m in found:
        if low == high:
            continue  # a single answer is held possible: nothing changes, with or without
        if larger(1 - m, epsilon):
            ratio = (m + epsilon) * (1 - m) / (m * (1 - m - epsilon))
            highs += _threshold(mechanism, high, low, ratio)
        if larger(m, epsilon):
            ratio = m * (1 - m + epsilon) / ((m - epsilon) * (1 - m))
            lows += _threshold(mechanism, low, high, ratio)
    lowest = None if not highs else _extreme(highs, lambda a, b: larger(b, a))
    highest = None if not lows else _extreme(lows, larger)
    return _HalfLines(mechanism, highest, lowest)


def _threshold(mechanism: OnStatistic, u: Any, v: Any, ratio: Number) -> list[Number | int]:
    """Return where f(t - u) / f(t - v) begins to exceed a ratio of at least 1, if anywhere."""
    event = mechanism.channel.compare(Change(u, v, u, v)).gap(ratio).event
    return [event.threshold] if isinstance(event, (AtLeast, AtMost)) else []


def _extreme(
    values: list[Number | int], better: Callable[[Number | int, Number | int], bool]
) -> Number | int:
    best = values[0]
    for value in values[1:]:
        best = value if better(value, best) else best
    return best
