"""Swings of mechanisms that look at a statistic f only: the outputs that are enough.

A *move* is the statistic with and without a person, f(x) and f(x_-i); at an output t it has
r = P(t | f(x)) / P(t | f(x_-i)). A move is *up* if f(x) > f(x_-i). Moves that leave f alone have
r = 1 and always exist (x = x_-i).

* **No noise.** A move that changes f makes t = f(x) impossible without the person: R is infinite.
* **Log-concave integer noise Z.** For given records of person i, r is monotone in the sum of all
  the others, so that their smallest and largest sums are enough. If Z is also symmetric, its
  probabilities fall away from 0; at an output t above all values an up move then has r >= 1, a down
  move r <= 1, and both move away from 1 as t grows. So R(t) never falls there, and its supremum is
  the limit, (largest likelihood ratio of the furthest up move) x (the same, down). Below all values
  likewise. Outputs between the values are looked at one by one.
  If that limit is infinite, so is R.
* **Finite noise on a sum.** Let a person change f. Either the default has not the largest f, and
  the highest output of all is impossible without the person, or it has not the smallest, and the
  lowest output is: R is infinite. Any other statistic: all outputs within reach are looked at.
* **Laplace noise.** ln r is piecewise linear in t with corners at the values, and constant beyond
  them; so is the difference of two such, and its maximum lies at a value. Normal noise: ln r is
  linear in t without bound.
* **A channel of finitely many outputs.** All outputs and all values within reach are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from twoworlds.definitions.semantics.cases import (
    Swing,
    SwingCase,
    largest,
    of_cases,
    refuse_large,
    removals,
)
from twoworlds.definitions.semantics.games import people
from twoworlds.errors import Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.laws.noise import GeometricNoise
from twoworlds.mechanisms import (
    AddedDensity,
    AddedNoise,
    Deterministic,
    Gaussian,
    Laplace,
    OnStatistic,
)
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.numbers import INFINITY, Number, exp
from twoworlds.worlds import Additive, Change, Point, Records, Statistic, Universe
from twoworlds.worlds.statistic import NO_RECORD
from twoworlds.worlds.statistics import Constant

Moves = list[Change]


def swing_of_statistic(mechanism: OnStatistic, default: Point) -> Swing:
    """Return the largest swing, by the kind of the channel."""
    if default is NO_RECORD:
        return _no_record(mechanism)
    universe, statistic, channel = mechanism.universe, mechanism.statistic, mechanism.channel
    added = isinstance(statistic, Additive) and isinstance(universe, Records)
    if isinstance(channel, Deterministic) and added:
        return _told(mechanism, default)
    plain = (
        isinstance(statistic, Additive)
        and added
        and statistic.modulo is statistic.dimension is None
    )
    smooth = isinstance(channel, (AddedNoise, AddedDensity, FiniteNoise))
    found: Iterable[tuple[int, Change]]
    if isinstance(statistic, Constant) and isinstance(universe, Records):
        x = (default,) * people(universe).n
        found = [(1, Change(statistic.value, statistic.value, x, x))]
    elif smooth and plain:
        found = ((1, move) for move in _at_extremes(people(universe), statistic, default))
    elif isinstance(statistic, Additive) and added:  # in a sum all persons are alike
        found = ((1, move) for move in statistic.replacements(people(universe), default))
    else:
        found = _any_moves(universe, statistic, default)
    persons: dict[int, dict[object, Change]] = {}
    for person, move in found:
        persons.setdefault(person, {}).setdefault((move.before, move.after), move)
    return largest(
        _of_moves(mechanism, person, list(moves.values()), ends_only=plain)
        for person, moves in persons.items()
    )


def _no_record(mechanism: OnStatistic) -> Swing:
    """Look at all answers with a person and with no record in their place, which are never alike.

    ln r is piecewise linear for Laplace and geometric noise, with corners at the answers, and
    constant beyond them; finite noise and finite channels have finitely many outputs.
    """
    channel, statistic = mechanism.channel, mechanism.statistic
    assert isinstance(statistic, Additive)
    moves = [*statistic.replacements(people(mechanism.universe), NO_RECORD)]
    answers: list[Any] = sorted({a for move in moves for a in (move.before, move.after)})
    noise = getattr(channel, "noise", None)
    outputs: Iterable[Point] = answers
    if isinstance(channel, FiniteNoise):
        first = answers[0] + channel.start
        outputs = range(first, first + answers[-1] - answers[0] + len(channel.masses))
    elif channel.outputs.size is not None:
        outputs = channel.outputs
    elif not isinstance(noise, Laplace | GeometricNoise):
        raise Unsupported(
            f"{mechanism.expression} with default=none: the largest difference over all beliefs is "
            "known for geometric and Laplace noise and for finitely many outputs: use one of these"
        )
    refuse_large(len(answers) * len(moves), mechanism.expression)
    prob = channel.probability

    def cases(t: Point) -> Iterator[SwingCase]:
        pairs = {(move.before, move.after): move for move in moves}
        return (SwingCase(m.x, m.y, prob(t, a), prob(t, b)) for (a, b), m in pairs.items())

    return largest(of_cases(t, 1, cases(t)) for t in outputs)


def _at_extremes(records: Records, statistic: Statistic, default: Point) -> Iterator[Change]:
    """Yield the moves of one person where all others have the smallest, or the largest, value."""
    in_order = sorted(records.values, key=lambda value: statistic((value,)))
    for value, other in product(records.values, (in_order[0], in_order[-1])):
        rest = (other,) * (records.n - 1)
        x, y = (value, *rest), (default, *rest)
        yield Change(statistic(x), statistic(y), x, y)


def _any_moves(
    universe: Universe, statistic: Statistic, default: Point
) -> Iterator[tuple[int, Change]]:
    refuse_large(universe.size or 0, f"listing {universe.expression}")
    values = {x: statistic(x) for x in universe}
    for person, x, y in removals(universe, default):
        yield person, Change(values[x], values[y], x, y)


def _told(mechanism: OnStatistic, default: Point) -> Swing:
    """Publish a sum as it is, of numbers or of tuples, with a modulus or not.

    If a value v changes f in the place of the default d, then t = f(v, d, ..., d) has p = 1, q = 0;
    and with two persons f(v, v, d, ..., d) differs from t = f(d, v, d, ..., d) by as much: p = 0,
    q = 1.
    """
    records, statistic = people(mechanism.universe), mechanism.statistic
    base = (default,) * records.n
    told = [(v, *base[1:]) for v in records.values]
    x = next((x for x in told if statistic(x) != statistic(base)), base)
    pairs = [(x, base), (base, base)]
    if records.n > 1:  # another person's record may say the same in this person's place
        pairs.append(((x[0], x[0], *base[2:]), (default, x[0], *base[2:])))
    t, law = statistic(x), mechanism.probability
    return of_cases(t, 1, (SwingCase(w, y, law(t, w), law(t, y)) for w, y in pairs))


def _of_moves(mechanism: OnStatistic, person: int, moves: Moves, *, ends_only: bool) -> Swing:
    """Return the largest swing of one person over all outputs."""
    channel = mechanism.channel
    if all(move.before == move.after for move in moves):
        value: Any = moves[0].before
        t = value if value in mechanism.outputs else next(iter(mechanism.outputs))
        return of_cases(t, person, (_at(channel, t, move) for move in moves))
    limit = _limit_far_out(channel, moves)
    if limit == INFINITY:
        widest = max(moves, key=lambda move: abs(move.before - move.after))  # type: ignore[operator]
        t = max(widest.before, widest.after)
        cases = [_at(channel, t, move) for move in (widest, moves[0])]
        return Swing(INFINITY, None, person, cases[0], cases[1], attained=False)
    outputs = _telling_outputs(mechanism, moves, ends_only=ends_only)
    refuse_large(len(outputs) * len(moves), mechanism.expression)
    inside = largest(
        of_cases(t, person, (_at(channel, t, move) for move in moves)) for t in outputs
    )
    if limit is not None and larger(limit, inside.ratio):
        return Swing(limit, None, person, inside.high, inside.low, attained=False)
    return inside


def _at(channel: Any, t: Any, move: Change) -> SwingCase:
    """Return the case of a move at an output, with r in closed form for noise that has one."""
    before: Any = move.before
    after: Any = move.after
    quotient: Number | None = None
    if before == after:
        quotient = Fraction(1)
    elif isinstance(channel, AddedNoise) and channel.by_difference:
        quotient = channel.noise.likelihood(t - after, before - after)
    elif isinstance(channel, AddedDensity) and isinstance(channel.noise, Laplace):
        quotient = exp(channel.noise.loss(t, before, after))
    p, q = channel.probability(t, before), channel.probability(t, after)
    return SwingCase(move.x, move.y, p, q, quotient)


def _limit_far_out(channel: Any, moves: Moves) -> Number | None:
    """Return the limit of R(t) at the open ends of the outputs, or None where there are none."""
    if isinstance(channel, AddedDensity):
        return INFINITY if isinstance(channel.noise, Gaussian) else None
    if not isinstance(channel, AddedNoise) or None not in (channel.low, channel.high):
        return None
    differences: list[Any] = [move.before - move.after for move in moves]  # type: ignore[operator]
    shifts = [shift for shift in (max(differences), -min(differences)) if shift > 0]
    noise = channel.noise
    ends = [noise] if channel.high is None else []
    ends += [noise.reflected()] if channel.low is None else []
    limits = [
        prod((end.supremum(shift).ratio for shift in shifts), start=Fraction(1)) for end in ends
    ]
    if INFINITY in limits:
        return INFINITY
    if noise.reflected() != noise:
        raise Unsupported(f"the swing of {noise.expression}, which is not symmetric, is not known")
    return limits[0]


def _telling_outputs(mechanism: OnStatistic, moves: Moves, *, ends_only: bool) -> Any:
    """Return the outputs among which the largest swing, if attained at all, is attained."""
    channel: Any = mechanism.channel
    values: list[Any] = [value for move in moves for value in (move.before, move.after)]
    if isinstance(channel, Deterministic):
        return list(dict.fromkeys(values))
    if isinstance(channel, AddedDensity) and isinstance(channel.noise, Laplace):
        return sorted(set(values))
    if isinstance(channel, FiniteNoise):
        possible = [channel.start + i for i, mass in enumerate(channel.masses) if mass]
        lowest, highest = min(values) + possible[0], max(values) + possible[-1]
        return [highest, lowest] if ends_only else range(lowest, highest + 1)
    if isinstance(channel, AddedNoise):
        # Towards an open end, up to where the noise is no longer heaped up at the other one.
        ends = [end for end in (channel.low, channel.high) if end is not None]
        low = min([*values, *(end - 1 for end in ends)]) if channel.low is None else channel.low
        high = max([*values, *(end + 1 for end in ends)]) if channel.high is None else channel.high
        return range(low, high + 1)
    size = mechanism.outputs.size
    if size is None:
        raise Unsupported(
            f"the semantic value of {mechanism.expression} is not known: it has infinitely many "
            "outputs and no structure that says which of them matter"
        )
    refuse_large(size, f"listing the outputs of {mechanism.expression}")
    return tuple(mechanism.outputs)
