r"""Tables of likelihoods of small mechanisms, and a search for their worst belief.

Semantic privacy depends on an output only through its likelihood row, up to a factor. So geometric
noise added to answers from l to h may be clamped to this range: beyond it all rows are alike. Other
integer noise is listed up to outputs of a probability of 10^-6 together.

An output t breaches s under some belief only if for some person the swing of its likelihood,
R = max r / min r with r(x) = P(A(x) = t) / P(A(x_-i) = t), has (sqrt R - 1)/(sqrt R + 1) > s (S1).
No belief sees a breach more often than these outputs occur on the database that makes them
likeliest: under a belief they have the mean probability over databases.

The failure probability f(b) = P_t[max_i SD(b_0(. | t), b_i(. | t)) > s] jumps where an output
starts to breach, so it is searched from many starts, in floats and always in the same way: single
databases, the uniform belief, beliefs on two databases (among them the worst ones for each single
output, and for two outputs at a time) and drawn ones. From the best of them mass is moved about
while f grows, or comes near to more outputs. The best beliefs are rounded to small rationals and
evaluated exactly: what is returned is true of the rounded belief, however it was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import ceil, floor, lcm, sqrt
from typing import TYPE_CHECKING, Any

from twoworlds.definitions.semantics.breaches import folded, reachable
from twoworlds.definitions.semantics.games import default_value, without
from twoworlds.mechanisms import AddedNoise, AtLeast, AtMost, Mechanism, OnStatistic
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.numbers import Number, bounds
from twoworlds.numbers.portable import exp, log
from twoworlds.worlds import Point, Records
from twoworlds.worlds.belief import records_of

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]

Found = dict[int, Fraction]  # a belief, by the place of its databases

_MARGIN = 1e-9
_WORK = 20_000_000
_CHUNK = 2_000_000
_MOST_PAIRS = 400
_MOST_NEIGHBOURS = 64
_PARTS = 24
_ROUNDED_TRIED = 8
_BUDGET = 160_000_000  # likelihoods looked at while improving, some seconds at most
_STARTS = 8
_DRAWN = 48
_MIXED = 64
_DRAWS = 96
_ROUNDS = 400
_FLOORS = (0.0, 0.0, 1e-5, 1e-3, 1e-2)  # a database that was ruled out may come back
_ODDS = (0.5, 0.3, 0.7, 0.15, 0.85, 0.05, 0.95)
_MOVES = (0.5, 0.2, 0.05, 0.01, 1e-3, 1e-4, 1e-6)
_DENOMINATORS = (1, 2, 4, 10, 60, 1000, 10**5, 10**7, 10**10, 10**13)
_LARGEST = 1 << 13
_BITS = 80
_REST = Fraction(1, 10**6)


@dataclass(frozen=True)
class Likelihoods:
    """All likelihoods of a small mechanism, as rationals that enclose them.

    They lie between ``low`` and ``high``, which are the same where the mechanism is rational; both
    by output and column: the databases, and those with a record left out that no belief holds
    possible (``left_out``). ``removed`` is the column of x_-i, by person and database. Outputs that
    are not listed have a probability of at most ``rest`` together, on any database. An output may
    be many: their likelihoods are mixtures of those at its `ends` but for a share of ``bend``.
    """

    databases: tuple[Point, ...]
    outputs: tuple[Point, ...]
    low: tuple[tuple[Fraction, ...], ...]
    high: tuple[tuple[Fraction, ...], ...]
    removed: tuple[tuple[int, ...], ...]
    left_out: tuple[Point, ...] = ()
    rest: Fraction = Fraction(0)
    bend: float = 0.0

    @staticmethod
    def of(
        mechanism: Mechanism,
        default: object = None,
        outputs: Iterable[Any] | None = None,
        likelihood: Callable[[Any, Point], Number] | None = None,
    ) -> Likelihoods:
        """Tabulate a mechanism on lists of records, for its outputs or for those that matter."""
        likelihood = likelihood or mechanism.probability
        databases = tuple(records_of(mechanism.universe))
        removed = without_each(mechanism, default)
        columns = list(dict.fromkeys([*databases, *(y for one in removed for y in one)]))
        place = {x: j for j, x in enumerate(columns)}
        listed = tuple(mechanism.outputs if outputs is None else outputs)
        enclosed = [[_enclosed(likelihood(t, x)) for x in columns] for t in listed]
        return Likelihoods(
            databases,
            listed,
            tuple(tuple(max(low, Fraction(0)) for low, _ in row) for row in enclosed),
            tuple(tuple(high for _, high in row) for row in enclosed),
            tuple(tuple(place[y] for y in one) for one in removed),
            tuple(columns[len(databases) :]),
        )

    @cached_property
    def floats(self) -> tuple[Floats, Floats]:
        """The likelihoods by output and database, and by person, output and database without."""
        import numpy as np

        return self.by_person(np.array([[float(p) for p in row] for row in self.high]))

    def by_person(self, p: Floats) -> tuple[Floats, Floats]:
        """Return the columns of the databases, and for each person of those without them."""
        import numpy as np

        q = np.array([p[:, list(removed)] for removed in self.removed])
        return p[:, : len(self.databases)], q

    @property
    def ends(self) -> Sequence[tuple[Floats, Floats]]:
        """What the likelihoods after an output lie between, up to a factor, as in `floats`."""
        return [self.floats]

    def ratios(self, t: int, person: int) -> tuple[Fraction | None, Fraction | None] | None:
        """Return enclosures of min r and max r; None for infinite, None at all without any r."""
        low, high = self.low[t], self.high[t]
        pairs = [(j, k) for j, k in enumerate(self.removed[person]) if high[j] or high[k]]
        if not pairs:
            return None
        tops = [high[j] / low[k] if low[k] else None for j, k in pairs]
        bottoms = [low[j] / high[k] for j, k in pairs if high[k]]
        most = None if None in tops else max(top for top in tops if top is not None)
        return min(bottoms, default=None), most

    def can_breach(self, t: int, person: int, s: Fraction) -> bool:
        """Tell whether some belief may see a difference above s after this output (S1)."""
        found = self.ratios(t, person)
        if found is None or s >= 1:
            return False
        least, most = found
        return not least or most is None or most / least > ((1 + s) / (1 - s)) ** 2


def without_each(mechanism: Mechanism, default: object) -> list[list[Point]]:
    """Return x_-i by person and database."""
    records = records_of(mechanism.universe)
    d = default_value(records, default, mechanism)
    return [[without(x, i, d) for x in records] for i in range(records.n)]


def _enclosed(p: Number) -> tuple[Fraction, Fraction]:
    """Enclose a likelihood in short rationals, of a relative width of 2^-80."""
    low, high = bounds(p)
    if isinstance(p, Fraction) or low <= 0:
        return low, high
    shift = _BITS - (low.numerator.bit_length() - low.denominator.bit_length())
    scale = Fraction(2) ** shift
    return floor(low * scale) / scale, ceil(high * scale) / scale


def tabulated(mechanism: Mechanism, default: object = None) -> Likelihoods | None:
    """Return the table of a small mechanism; None if it is large, or has too many rows."""
    universe = mechanism.universe
    if not isinstance(universe, Records) or not universe.fixed or universe.size > _LARGEST:
        return None
    mechanism = folded(mechanism, default)
    room = _LARGEST // (universe.size * universe.n)
    if mechanism.outputs.size is not None:
        return Likelihoods.of(mechanism, default) if mechanism.outputs.size <= room else None
    channel = mechanism.channel if isinstance(mechanism, OnStatistic) else None
    if isinstance(channel, FiniteNoise):
        reached: list[Any] = sorted({t for x in universe for t in reachable(mechanism, x)})
        return Likelihoods.of(mechanism, default, reached) if len(reached) <= room else None
    if not isinstance(mechanism, OnStatistic) or not isinstance(channel, AddedNoise):
        return None
    return _windowed(mechanism, default, room) if channel.by_difference else None


def _windowed(mechanism: OnStatistic, default: object, room: int) -> Likelihoods | None:
    """Return the table of the outputs around all answers, all but `_REST`; None if too many."""
    columns = (y for one in without_each(mechanism, default) for y in one)
    answers: dict[Any, Point] = {mechanism.statistic(x): x for x in (*columns, *mechanism.universe)}
    least, most = min(answers), max(answers)
    for width in range(room - (most - least)):
        below = mechanism.mass(AtMost(least - width - 1), answers[least])
        rest = bounds(below + mechanism.mass(AtLeast(most + width + 1), answers[most]))[1]
        if rest <= _REST:
            window = range(least - width, most + width + 1)
            rest = Fraction(ceil(rest * 10**9), 10**9)
            return replace(Likelihoods.of(mechanism, default, window), rest=rest)
    return None


def bad_outputs(table: Likelihoods, s: Fraction) -> list[int]:
    """Return the outputs that can breach at all."""
    persons = range(len(table.removed))
    outputs = range(len(table.outputs))
    return [t for t in outputs if any(table.can_breach(t, i, s) for i in persons)]


# --- the search -----------------------------------------------------------------------------------


def exact_failure(
    table: Likelihoods, masses: Found, s: Fraction, outputs: Iterable[int] | None = None
) -> Fraction:
    """Return the failure probability of one belief; for enclosed likelihoods, a lower bound.

    With ``outputs``, only these are looked at, which is a lower bound too.
    """
    total = Fraction(0)
    for t in range(len(table.outputs)) if outputs is None else outputs:
        if any(_exceeds(table, masses, t, i, s) for i in range(len(table.removed))):
            total += sum((m * table.low[t][j] for j, m in masses.items()), start=Fraction(0))
    return total


def _exceeds(table: Likelihoods, masses: Found, t: int, person: int, s: Fraction) -> bool:
    """Tell whether the difference surely exceeds s: sum (p Q - q P)_+ b > s P Q."""
    low, high, removed = table.low[t], table.high[t], table.removed[person]
    zero = Fraction(0)
    p_low = sum((m * low[j] for j, m in masses.items()), start=zero)
    if p_low == 0:
        return False
    q_high = sum((m * high[removed[j]] for j, m in masses.items()), start=zero)
    if q_high == 0:
        return s < 1
    p_high = sum((m * high[j] for j, m in masses.items()), start=zero)
    q_low = sum((m * low[removed[j]] for j, m in masses.items()), start=zero)
    gaps = (m * (low[j] * q_low - high[removed[j]] * p_high) for j, m in masses.items())
    return sum((gap for gap in gaps if gap > 0), start=zero) > s * p_high * q_high


def worst_found(
    table: Likelihoods, s: Fraction, enough: Fraction = Fraction(1)
) -> tuple[Found, Fraction]:
    """Return the worst belief that was found and its failure.

    The search stops at a belief that fails ``enough``.
    """
    import numpy as np

    search = _BeliefSearch(table, float(s))
    starts = np.array(list(starting_beliefs(table, s)))
    values = search.values(starts)
    pool = starts[np.argsort(-values, kind="stable")]
    goal = min(float(enough), 1.0) - _MARGIN
    search.nearness = 1e-4 * float(values.max())
    chosen = search.unlike(pool)
    if values.max() < goal:
        chosen = [search.improved(one, pool[: 4 * _STARTS]) for one in chosen]
    search.nearness = 0.0
    rounded = [masses for one in chosen for masses in rounded_beliefs(one)]
    size = range(len(table.databases))
    dense = np.array([[float(masses.get(j, 0)) for j in size] for masses in rounded])
    values = search.values(dense).round(10)
    parts = [lcm(*(mass.denominator for mass in masses.values())) for masses in rounded]
    order = sorted(range(len(rounded)), key=lambda k: (-values[k], parts[k]))
    distinct = {frozenset(rounded[k].items()): k for k in reversed(order)}
    best, failure = {0: Fraction(1)}, Fraction(0)
    for k in list(reversed(distinct.values()))[:_ROUNDED_TRIED]:
        if values[k] >= failure:
            _, worst = search.worst(dense[k][None])
            near = [int(t) for t in np.flatnonzero(worst[0] > search.s - 1e-6)]
            if (exact := exact_failure(table, rounded[k], s, near)) > failure:
                best, failure = rounded[k], exact
    return best, failure


def starting_beliefs(table: Likelihoods, s: Fraction) -> Iterator[Floats]:
    """Yield the beliefs that a search begins with."""
    import numpy as np

    size = len(table.databases)
    yield np.full(size, 1 / size)
    yield from np.eye(size)
    pairs = list(combinations(range(size), 2))
    work = len(table.outputs) * size * len(table.removed)
    most = max(min(_MOST_PAIRS, _WORK // (work * len(_ODDS))), 16)
    if len(pairs) > most:
        chosen = np.random.default_rng(0).choice(len(pairs), most, replace=False)
        pairs = [pairs[k] for k in sorted(chosen)]

    def on_two(j: int, k: int, weight: float) -> Floats:
        belief = np.zeros(size)
        belief[j], belief[k] = weight, 1 - weight
        return belief

    yield from (on_two(j, k, odds) for j, k in pairs for odds in _ODDS)
    near = {(j, k) for removed in table.removed for j, k in enumerate(removed)}
    for j, k in sorted((j, k) for j, k in near if j != k < size)[:_MOST_NEIGHBOURS]:
        yield from (on_two(j, k, part / _PARTS) for part in range(1, _PARTS))
    worst = [on_two(*one) for one in _single_outputs(table, s)]
    yield from worst
    draw = np.random.default_rng(1)
    for _ in range(_MIXED if len(worst) > 1 else 0):
        one, two = draw.choice(len(worst), 2, replace=False)
        share = draw.uniform()
        yield share * worst[one] + (1 - share) * worst[two]
    for power in (5, 2, 1):  # ever more even
        weights = -log(1 - draw.random((_DRAWN, size)))
        weights = np.prod([weights] * power, axis=0)
        yield from weights / weights.sum(axis=1, keepdims=True)


def _single_outputs(table: Likelihoods, s: Fraction) -> Iterator[tuple[int, int, float]]:
    """Yield the worst belief for each output and person that can breach: S1, on two databases."""
    for t, row in enumerate(table.low):
        for i, removed in enumerate(table.removed):
            seen = [j for j, k in enumerate(removed) if row[j] and row[k]]
            if not seen or not table.can_breach(t, i, s):
                continue
            ratios = {j: float(row[j] / row[removed[j]]) for j in seen}
            top, bottom = max(seen, key=ratios.__getitem__), min(seen, key=ratios.__getitem__)
            w = 1 / (sqrt(ratios[top] / ratios[bottom]) + 1)
            high, low = w / float(row[removed[top]]), (1 - w) / float(row[removed[bottom]])
            if top != bottom:
                yield top, bottom, high / (high + low)


def rounded_beliefs(belief: Floats) -> Iterator[Found]:
    """Yield the belief rounded to common denominators, coarse ones first."""
    for denominator in _DENOMINATORS:
        parts = {j: round(float(m) * denominator) for j, m in enumerate(belief)}
        if total := sum(parts.values()):
            yield {j: Fraction(part, total) for j, part in parts.items() if part}


class _BeliefSearch:
    """The failure probability in floats, many beliefs at a time."""

    def __init__(self, table: Likelihoods, s: float) -> None:
        self.s = s
        self.nearness = 0.0
        self.p, self.q = table.floats
        self.ends = table.ends
        self.work = self.p.size * len(self.q) * len(self.ends)

    def values(self, beliefs: Floats) -> Floats:
        """Return the failure of each belief, and a trifle (`nearness`) for coming near to more."""
        import numpy as np

        size = max(_CHUNK // self.p.size, 1)
        found = []
        for k in range(0, len(beliefs), size):
            mass, worst = self.worst(beliefs[k : k + size])
            breach = (worst > self.s + _MARGIN) & (mass > 0)
            near = np.minimum(worst / max(self.s, _MARGIN), 1.0)
            found.append((mass * (breach + self.nearness * near)).sum(axis=1))
        return np.concatenate(found)

    def worst(self, beliefs: Floats) -> tuple[Floats, Floats]:
        """Return the probability of each output, and the largest difference over persons.

        Of outputs that stand for many it is the smaller one of both ends.
        """
        import numpy as np

        seen = [worst_differences(p, q, beliefs)[1] for p, q in self.ends]
        return (beliefs[:, None, :] * self.p).sum(axis=2), np.min(seen, axis=0)

    def unlike(self, beliefs: Floats) -> list[Floats]:
        """Return the first few beliefs that differ in the outputs that breach."""
        mass, worst = self.worst(beliefs)
        breach = (worst > self.s + _MARGIN) & (mass > 0)
        first: dict[bytes, Floats] = {}
        for belief, outputs in zip(beliefs, breach, strict=True):
            first.setdefault(outputs.tobytes(), belief)
        return list(first.values())[:_STARTS]

    def improved(self, belief: Floats, pool: Floats) -> Floats:
        """Move mass about while that helps, by set moves first, then by drawn ones."""
        import numpy as np

        value = self.values(belief[None])[0]
        left = _BUDGET // _STARTS
        while left > 0:
            proposals = np.array(list(_moves(belief, pool)))
            left -= len(proposals) * self.work
            values = self.values(proposals)
            best = int(values.argmax())
            if values[best] <= value * (1 + _MARGIN):
                break
            belief, value = proposals[best], values[best]
        # Then change the logarithms of a few masses by drawn amounts, smaller ones after failures.
        draw = np.random.default_rng(2)
        scale = 0.3
        for _ in range(_ROUNDS):
            left -= _DRAWS * self.work
            if left < 0 or scale < _MARGIN:
                break
            change = 2 * scale * (draw.random((3, _DRAWS, len(belief))).sum(axis=0) - 1.5)
            change *= draw.random(change.shape) < 0.5
            floors = draw.choice(_FLOORS, (_DRAWS, 1)) * (draw.random(change.shape) < 0.5)
            proposals = np.maximum(belief, floors) * exp(change)
            proposals /= proposals.sum(axis=1, keepdims=True)
            values = self.values(proposals)
            best = int(values.argmax())
            if values[best] > value:
                belief, value = proposals[best], values[best]
                scale = min(1.5 * scale, 1.0)
            else:
                scale *= 0.8
        return belief


def _moves(belief: Floats, pool: Sequence[Floats] | Floats) -> Iterator[Floats]:
    """Yield beliefs with some mass moved to or from each database, or towards another belief."""
    for share in _MOVES:
        for j in range(len(belief)):
            more = belief * (1 - share)
            more[j] += share
            yield more
            if 0 < belief[j] < 1:
                less = belief.copy()
                less[j] *= 1 - share
                yield less / less.sum()
    for other in pool:
        yield from (belief * (1 - share) + other * share for share in _MOVES[:3])


def worst_differences(p: Floats, q: Floats, beliefs: Floats) -> tuple[Floats, Floats]:
    """Return, by belief and output, P_t and the largest difference over persons."""
    import numpy as np

    joint = beliefs[:, None, :] * p[None]
    mass = joint.sum(axis=2)
    worst = np.zeros_like(mass)
    with np.errstate(invalid="ignore", divide="ignore"):
        posterior = joint / mass[:, :, None]
        for likelihood in q:
            other = beliefs[:, None, :] * likelihood[None]
            other /= other.sum(axis=2)[:, :, None]
            gap = np.abs(posterior - other).sum(axis=2) / 2
            gap = np.where(np.isnan(gap), 1.0, gap)
            worst = np.maximum(worst, gap)
    return mass, worst
