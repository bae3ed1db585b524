"""Swings: how far the likelihood of one output can change when a person's data is left out.

For an output t and a person i let r(x) = P(A(x) = t) / P(A(x_-i) = t), over the databases x where
not both are 0. The swing is R = max_x r(x) / min_x r(x).

* p = q = 0 says nothing and is left out; if every case is such, t never occurs and R = 1;
* r = 0 or infinity makes R infinite, attained by some belief only when both occur;
* q = 0 in every case, p > 0 in one: Game i has no posterior at all. It counts as infinite.

Of a mechanism that looks at a statistic f only, some outputs are enough.
A *move* is the statistic with and without a person, f(x) and f(x_-i); at an output t it has
r = P(t | f(x)) / P(t | f(x_-i)). A move is *up* if f(x) > f(x_-i). Moves that leave f alone have
r = 1 and exist (x = x_-i) unless leaving a person out means to take their record away.

* **No noise.** A move that changes f makes t = f(x) impossible without the person: R is infinite.
* **Log-concave integer noise Z.** For given records of person i, r is monotone in the sum of all
  the others, so that their smallest and largest sums are enough. If Z is also symmetric, its
  probabilities fall away from 0; at an output t above all values an up move then has r >= 1, a down
  move r <= 1, and both move away from 1 as t grows. So R(t) never falls there, and its supremum is
  the limit, the largest likelihood ratio of a shift from the furthest down move to the furthest up
  move. Below all values likewise. Outputs between the values are looked at one by one. If that
  limit is infinite, so is R.
* **Finite noise on a sum.** Let a person change f. Either the default has not the largest f, and
  the highest output of all is impossible without the person, or it has not the smallest, and the
  lowest output is: R is infinite. Any other statistic: all outputs within reach are looked at.
* **Laplace noise.** ln r is piecewise linear in t with corners at the values, and constant beyond
  them; so is the difference of two such, and its maximum lies at a value. Normal noise: ln r is
  linear in t without bound.
* **A channel of finitely many outputs.** All outputs and all values within reach are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from twoworlds.definitions.semantics.games import people, without
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.mechanisms import (
    AddedDensity,
    AddedNoise,
    Deterministic,
    Laplace,
    OnStatistic,
)
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.numbers import INFINITY, Number, exp
from twoworlds.worlds import Additive, Change, Point, Records, Statistic, Universe
from twoworlds.worlds.statistic import NO_RECORD
from twoworlds.worlds.statistics import Constant

LARGEST = 1 << 22
METHOD = "the largest swing of an output's likelihood decides over all beliefs at once"


class SwingCase(NamedTuple):
    """One database and the same without the person, with the probabilities of the output.

    ``quotient`` is p / q where a closed form is known.
    """

    database: Point
    removed: Point
    p: Number
    q: Number
    quotient: Number | None = None

    @property
    def r(self) -> Number:
        """P(A(x) = t) / P(A(x_-i) = t)."""
        if self.quotient is not None:
            return self.quotient
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
        method: why nothing larger was missed.
    """

    ratio: Number
    output: Point | None
    person: int | None
    high: SwingCase
    low: SwingCase
    attained: bool = True
    undefined: bool = False
    method: str = METHOD


def of_cases(output: Point, person: int, cases: Iterable[SwingCase]) -> Swing:
    """Return the swing of one output and person."""
    high: SwingCase | None = None
    low: SwingCase | None = None
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
        nothing = SwingCase((), (), Fraction(0), Fraction(0))
        return Swing(Fraction(1), output, person, nothing, nothing)
    if high.q == 0 or low.p == 0:
        both = high.q == 0 and low.p == 0
        attained = both or not defined
        return Swing(INFINITY, output, person, high, low, attained, undefined=not defined)
    return Swing(high.r / low.r, output, person, high, low)


def swings_at(
    output: Point, removed: Iterable[tuple[int, Point, Point]], law: Mapping[Point, Number]
) -> Iterator[Swing]:
    """Yield the swing of one output for every person, from its likelihoods by database."""
    persons: dict[int, list[SwingCase]] = {}
    for person, x, y in removed:
        persons.setdefault(person, []).append(SwingCase(x, y, law[x], law[y]))
    return (of_cases(output, person, cases) for person, cases in persons.items())


def largest(swings: Iterable[Swing]) -> Swing:
    """Return the first of the largest swings, one that is attained if there is any."""
    best: Swing | None = None
    for swing in swings:
        if (
            best is None
            or larger(swing.ratio, best.ratio)
            or (swing.attained and not best.attained and swing.ratio == best.ratio)
        ):
            best = swing
    assert best is not None
    return best


def removals(universe: Universe, default: Point) -> Iterator[tuple[int, Point, Point]]:
    """Yield every person (counted from 1) and database x with x_-i, in the universe's order."""
    records = people(universe)
    refuse_large(records.n * (universe.size or 0), f"leaving out each person of {universe!r}")
    for person in range(records.n):
        for x in universe:
            removed = without(x, person, default)
            if default is not NO_RECORD and removed not in universe:
                raise Unsupported(
                    f"leaving person {person + 1} out of {universe.label(x)} gives "
                    f"{records.label(removed)}, which the restriction leaves out: keep it, or "
                    "measure the whole mechanism"
                )
            yield person + 1, x, removed


def refuse_large(size: int, what: str) -> None:
    """Raise when there are too many things to enumerate."""
    if size > LARGEST:
        raise TooLarge(
            f"{what} would take {size} cases, more than {LARGEST}: use fewer records, "
            "or a mechanism with structure (randomized-response, pram, geometric, ...)"
        )


# --- statistics -----------------------------------------------------------------------------------

Moves = list[Change]


def swing_of_statistic(mechanism: OnStatistic, default: Point) -> Swing:
    """Return the largest swing, by the kind of the channel."""
    universe, statistic, channel = mechanism.universe, mechanism.statistic, mechanism.channel
    added = isinstance(statistic, Additive) and isinstance(universe, Records)
    if isinstance(channel, Deterministic) and added and default is not NO_RECORD:
        return _told(mechanism, default)
    plain = (
        isinstance(statistic, Additive)
        and added
        and statistic.modulo is statistic.dimension is None
        and default is not NO_RECORD
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
        furthest = [end(moves, key=_difference) for end in (max, min)]
        t = max(max(move.before, move.after) for move in furthest)
        cases = [_at(channel, t, move) for move in furthest]
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
        if isinstance(channel.noise, Laplace):
            return None
        if len({_difference(move) for move in moves}) == 1:
            raise _unknown(channel)
        return INFINITY
    if not isinstance(channel, AddedNoise) or None not in (channel.low, channel.high):
        return None
    differences = [_difference(move) for move in moves]
    noise, shift = channel.noise, max(differences) - min(differences)
    if shift == 0:
        if noise.last_step(1) != 1:
            raise _unknown(channel)
        return None
    ends = [noise] if channel.high is None else []
    ends += [noise.reflected()] if channel.low is None else []
    limits = [end.supremum(shift).ratio for end in ends]
    if INFINITY in limits:
        return INFINITY
    # Far out R is constant, or rises where some move leaves f alone and the noise is symmetric.
    if noise.last_step(shift) != shift and (noise.reflected() != noise or 0 not in differences):
        raise _unknown(channel)
    return limits[0]


def _difference(move: Change) -> Any:
    return move.before - move.after  # type: ignore[operator]


def _unknown(channel: Any) -> Unsupported:
    return Unsupported(
        f"the swing of {channel.noise.expression} is not known here: use geometric noise, or "
        "symmetric noise and one of the values as the default"
    )


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
