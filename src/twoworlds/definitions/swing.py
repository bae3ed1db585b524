r"""Swings: how far the likelihood of one output can change when a person's data is left out.

For an output t and a person i let r(x) = P(A(x) = t) / P(A(x_-i) = t), over the databases x where
not both are 0. The swing is

    R = max_x r(x) / min_x r(x),

and the largest statistical difference of the posteriors of Game 0 and Game i, over all beliefs, is
exactly (sqrt R - 1) / (sqrt R + 1) = tanh(ln R / 4). Proof: the posterior of Game i may be any law
q on the x with P(A(x_-i) = t) > 0, and that of Game 0 is r q / E_q r; the difference is convex in r
for a fixed mean, so mass belongs on the extremes of r only, and one weight is left to optimise.
If r takes the value 0 or infinity the supremum is 1; if t is impossible in Game i whatever the
database, its posterior is undefined and counts as 1.

`worst_swing` finds the largest swing over outputs and persons, by structure where there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from itertools import product
from typing import Any, NamedTuple

from twoworlds.definitions.games import default_value, without
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.mechanisms import (
    AddedNoise,
    Gaussian,
    Laplace,
    Mechanism,
    OnStatistic,
    PerRecord,
    RandomIndex,
)
from twoworlds.mechanisms.comparison import larger
from twoworlds.numbers import INFINITY, Number, exp
from twoworlds.worlds import Additive, Answer, Point, Records
from twoworlds.worlds.belief import records_of

__all__ = ["Case", "Swing", "worst_swing"]

_LARGEST = 1 << 22
_WIDEST_WINDOW = 1 << 16


class Case(NamedTuple):
    """One database and the same without the person, with the probabilities of the output."""

    database: Point
    removed: Point
    p: Number
    q: Number

    @property
    def r(self) -> Number:
        """P(A(x) = t) / P(A(x_-i) = t)."""
        return INFINITY if self.q == 0 else self.p / self.q


@dataclass(frozen=True)
class Swing:
    """The largest swing of an output's likelihood, and the two cases that show it.

    Attributes:
        ratio: R, possibly infinite.
        output: the output t, or None where only a limit over outputs reaches the ratio.
        person: counted from 1, or None where the universe has no persons.
        high: the case of the largest r.
        low: the case of the smallest r.
        attained: whether some output attains the ratio.
        undefined: whether the output is impossible in Game i, whatever the database.
    """

    ratio: Number
    output: Point | None
    person: int | None
    high: Case
    low: Case
    attained: bool = True
    undefined: bool = False


def worst_swing(mechanism: Mechanism, default: object = None) -> Swing:
    """Return the largest swing over all outputs and persons."""
    return _swing(mechanism, default)


@singledispatch
def _swing(mechanism: Mechanism, default: object) -> Swing:
    """Enumerate outputs, persons and databases."""
    records = records_of(mechanism.universe)
    outputs = mechanism.outputs.size
    if outputs is None or outputs * records.size > _LARGEST:
        raise TooLarge(f"{mechanism.expression} is too large to enumerate its databases")
    d = default_value(records, default)
    return _largest(
        _of_cases(t, i + 1, _cases(mechanism, records, t, i, d))
        for i in range(records.n)
        for t in mechanism.outputs
    )


def _cases(
    mechanism: Mechanism, records: Records, t: Point, person: int, default: Point
) -> Iterator[Case]:
    for rest in product(records.values, repeat=records.n - 1):
        base = (*rest[:person], default, *rest[person:])
        q = mechanism.probability(t, base)
        for value in records.values:
            x = without(base, person, value)
            yield Case(x, base, mechanism.probability(t, x), q)


@_swing.register
def _(mechanism: PerRecord, default: object) -> Swing:
    """One record decides: r(x) is the ratio of two entries of one row of the transition."""
    d = default_value(mechanism.universe, default)
    law = mechanism.transition
    rest = (d,) * (mechanism.records - 1)
    found = []
    for o in law.outputs:
        q = law.probability(o, d)
        cases = [Case((v, *rest), (d, *rest), law.probability(o, v), q) for v in law.universe]
        likeliest = max(law.outputs, key=lambda w: float(law.probability(w, d)))
        found.append(_of_cases((o, *(likeliest,) * (mechanism.records - 1)), 1, cases))
    return _scaled(_largest(found), mechanism)


def _scaled(swing: Swing, mechanism: Mechanism) -> Swing:
    """Replace the one-record probabilities by those of the whole output."""
    if not swing.high.database:
        return swing  # no output tells anything
    high, low = (
        Case(
            case.database,
            case.removed,
            mechanism.probability(swing.output, case.database),
            mechanism.probability(swing.output, case.removed),
        )
        for case in (swing.high, swing.low)
    )
    return Swing(
        swing.ratio, swing.output, swing.person, high, low, swing.attained, swing.undefined
    )


@_swing.register
def _(mechanism: RandomIndex, default: object) -> Swing:
    """Some record other than the default is published: without its owner that cannot happen."""
    records = mechanism.universe
    d = default_value(records, default)
    other = next((v for v in records.values if v != d), d)
    x = (other,) + (d,) * (records.n - 1)
    base = (d,) * records.n
    cases = [
        Case(w, base, mechanism.probability((1, other), w), mechanism.probability((1, other), base))
        for w in (x, base)
    ]
    return _of_cases((1, other), 1, cases)


@_swing.register
def _(mechanism: OnStatistic, default: object) -> Swing:
    """Integer noise on a sum over records, or on a bare answer; anything else is enumerated."""
    channel, statistic = mechanism.channel, mechanism.statistic
    if not isinstance(channel, AddedNoise):
        return _on_values(mechanism, default)
    if isinstance(statistic, Answer):
        return _on_answer(mechanism, channel)
    if isinstance(statistic, Additive) and isinstance(mechanism.universe, Records):
        return _on_sum(mechanism, channel, statistic, default)
    return _on_values(mechanism, default)


def _on_values(mechanism: OnStatistic, default: object) -> Swing:
    """Enumerate the pairs of values with and without a person, once each."""
    records = records_of(mechanism.universe)
    statistic = mechanism.statistic
    if mechanism.outputs.size is None:
        raise Unsupported(f"the semantic value of {mechanism.expression} is not known")
    if not isinstance(statistic, Additive):
        return _swing.dispatch(object)(mechanism, default)
    d = default_value(records, default)
    moves = list(statistic.replacements(records, d))
    return _largest(
        _of_cases(
            t,
            1,
            (
                Case(
                    move.x,
                    move.y,
                    mechanism.channel.probability(t, move.before),
                    mechanism.channel.probability(t, move.after),
                )
                for move in moves
            ),
        )
        for t in mechanism.outputs
    )


def _on_sum(
    mechanism: OnStatistic, channel: AddedNoise, statistic: Additive, default: object
) -> Swing:
    """Look at the extremes of the other records' sum only: the likelihood is monotone in it."""
    records = records_of(mechanism.universe)
    d = default_value(records, default)
    moves = list(statistic.replacements(records, d, extremes=True))
    values: list[Any] = [value for move in moves for value in (move.before, move.after)]
    low, high = min(values), max(values)
    if high - low > _WIDEST_WINDOW:
        raise TooLarge(f"{mechanism.expression} ranges over more than {_WIDEST_WINDOW} answers")
    first = low - 1 if channel.low is None else channel.low
    last = high + 1 if channel.high is None else channel.high

    def swing(t: int) -> Swing:
        cases = (
            Case(m.x, m.y, channel.probability(t, m.before), channel.probability(t, m.after))
            for m in moves
        )
        return _of_cases(t, 1, cases)

    inside = _largest(swing(t) for t in range(first, last + 1))
    if channel.low is not None and channel.high is not None:
        return inside
    furthest = max(abs(move.before - move.after) for move in moves)  # type: ignore[operator]
    limit = channel.noise.supremum(furthest).ratio if furthest else Fraction(1)
    if larger(limit, inside.ratio):
        return Swing(limit, None, 1, inside.high, inside.low, attained=False)
    return inside


def _on_answer(mechanism: OnStatistic, channel: AddedNoise) -> Swing:
    """A person may move the answer both ways: at one output up, at another database down."""
    universe = mechanism.universe
    if universe.size is not None or not channel.by_difference:
        raise Unsupported("the semantic value needs persons: give bits= instead of a bare answer")
    step = universe.step  # type: ignore[attr-defined]
    ratio, at = channel.noise.supremum(step)
    centre = 0 if at is None else at
    # Around the output: r is largest where the person moves the answer to it, smallest where away.
    t = 0
    high = Case(t, t - step, channel.probability(t, t), channel.probability(t, t - step))
    low = Case(t + step, t, channel.probability(t, t + step), channel.probability(t, t))
    squared = INFINITY if ratio == INFINITY else ratio**2
    symmetric = centre == step and larger(squared, Fraction(1))
    return Swing(squared, t if symmetric else None, None, high, low, attained=symmetric)


@_swing.register
def _(mechanism: Laplace, _default: object) -> Swing:
    """The density ratio is e^L where the person moves the answer to the output, e^-L away."""
    step = mechanism.sensitivity
    loss = mechanism.rate * step
    here, there = mechanism.rate / 2, mechanism.rate / 2 * exp(-loss)
    zero = Fraction(0)
    high, low = Case(zero, -step, here, there), Case(step, zero, there, here)
    return Swing(exp(loss * 2), zero, None, high, low)


@_swing.register
def _(_mechanism: Gaussian, _default: object) -> Swing:
    """Far out the density ratio has no bound."""
    zero, one = Fraction(0), Fraction(1)
    high, low = Case(zero, one, one, one), Case(one, zero, one, one)
    return Swing(INFINITY, None, None, high, low, attained=False)


def _of_cases(output: Point, person: int, cases: Iterable[Case]) -> Swing:
    """Return the swing of one output and person."""
    high: Case | None = None
    low: Case | None = None
    defined = False
    for case in cases:
        if case.p == 0 and case.q == 0:
            continue
        defined = defined or case.q != 0
        if high is None or larger(case.r, high.r):
            high = case
        if low is None or larger(low.r, case.r):
            low = case
    if high is None or low is None:
        nothing = Case((), (), Fraction(0), Fraction(0))
        return Swing(Fraction(1), output, person, nothing, nothing)
    if not defined:
        return Swing(INFINITY, output, person, high, low, attained=True, undefined=True)
    possible = high.p != 0
    if high.q == 0 or low.p == 0:
        both = high.q == 0 and low.p == 0
        ratio: Number = INFINITY if possible else Fraction(1)
        return Swing(ratio, output, person, high, low, attained=both)
    return Swing(high.r / low.r, output, person, high, low)


def _largest(swings: Iterable[Swing]) -> Swing:
    best: Swing | None = None
    for swing in swings:
        if (
            best is None
            or larger(swing.ratio, best.ratio)
            or (swing.ratio == best.ratio and swing.attained and not best.attained)
        ):
            best = swing
    assert best is not None
    return best
