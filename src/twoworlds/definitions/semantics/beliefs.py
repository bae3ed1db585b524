"""A search for a belief that sees breaches of semantic privacy as often as possible.

The failure probability f(b) = P_t[max_i SD(b_0(. | t), b_i(. | t)) > s] jumps where an output
starts to breach, so it is searched from many starts, in floats and always in the same way: single
databases, the uniform belief, beliefs on two databases (among them the worst ones for each single
output, and for two outputs at a time) and drawn ones. All of them climb together on a smooth f,

    sum_t P_t sigma((G_t - s) / tau),     sigma(z) = 1 / (1 + e^-z),     G_t = max_i SD,

where tau is made smaller step by step: outputs next to the threshold are felt before they cross it.
With pi and kappa the posteriors of Game 0 and of the game of the worst person, whose likelihoods
are p and q, P and Q the probabilities of the output, and e_x the sign of pi_x - kappa_x,

    dG/db_x = ((p_x / P) (e_x - <e, pi>) - (q_x / Q) (e_x - <e, kappa>)) / 2.

Then mass is moved about while f itself grows. The best beliefs are rounded to small rationals and
evaluated exactly: what is returned is true of the rounded belief, however it was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm, sqrt
from typing import TYPE_CHECKING, Any

from twoworlds.definitions.semantics.table import Likelihoods
from twoworlds.numbers.portable import exp, log

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Places = np.ndarray[Any, np.dtype[np.intp]]

Found = dict[int, Fraction]  # a belief, by the place of its databases

_MARGIN = 1e-9
_WORK = 20_000_000
_CHUNK = 2_000_000
_MOST_PAIRS = 400
_MOST_NEIGHBOURS = 64
_PARTS = 24
_ROUNDED_TRIED = 8
_BUDGET = 40_000_000  # likelihoods looked at while improving, some seconds at most
_STARTS = 8
_DRAWN = 48
_MIXED = 64
_DRAWS = 96
_ROUNDS = 150
_FLOORS = (0.0, 0.0, 1e-5, 1e-3, 1e-2)  # a database that was ruled out may come back
_ODDS = (0.5, 0.3, 0.7, 0.15, 0.85, 0.05, 0.95)
_MOVES = (0.5, 0.2, 0.05, 0.01, 1e-3, 1e-4, 1e-6)
_DENOMINATORS = (1, 2, 4, 10, 60, 1000, 10**5, 10**7, 10**10, 10**13)
_CLIMBING = 30_000_000  # likelihoods looked at while climbing
_MOST_AT_ONCE = 192
_FEWEST = 8
_STAGES = ((0.1, 0.3), (0.03, 0.3), (0.01, 0.2), (0.003, 0.1), (1e-3, 0.03), (2e-4, 0.01))
_STEPS = 25
_LEAST = 1e-12
_OVER = 1e-6  # aim a little above s


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
    if values.max() < goal:
        pool = np.concatenate([pool[: 4 * _STARTS], search.climbed(pool)])
        values = search.values(pool)
        pool = pool[np.argsort(-values, kind="stable")]
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
        """Return the probability of each output, and the largest difference over persons."""
        return worst_differences(self.p, self.q, beliefs)[:2]

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
            left -= len(proposals) * self.p.size * len(self.q)
            values = self.values(proposals)
            best = int(values.argmax())
            if values[best] <= value * (1 + _MARGIN):
                break
            belief, value = proposals[best], values[best]
        # Then change the logarithms of a few masses by drawn amounts, smaller ones after failures.
        draw = np.random.default_rng(2)
        scale = 0.3
        for _ in range(_ROUNDS):
            left -= _DRAWS * self.p.size * len(self.q)
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

    def climbed(self, starts: Floats) -> Floats:
        """Return the beliefs that the starts climb to: the best half, and others from all over."""
        import numpy as np

        steps = len(_STAGES) * _STEPS
        size = min(max(_CLIMBING // (self.q.size * steps), _FEWEST), _MOST_AT_ONCE)
        if len(starts) > size:
            best = size // 2
            others = np.linspace(best, len(starts) - 1, size - best).astype(int)
            starts = np.concatenate([starts[:best], starts[others]])
        logs = log(np.maximum(starts, _LEAST))
        for tau, rate in _STAGES:
            first, second = np.zeros_like(logs), np.zeros_like(logs)
            left, right = 1.0, 1.0  # 0.8^k and 0.9^k
            for _ in range(_STEPS):
                left, right = 0.8 * left, 0.9 * right
                slope = smooth_slope(self.p, self.q, _from_logs(logs), self.s + _OVER, tau)
                first = 0.8 * first + 0.2 * slope
                second = 0.9 * second + 0.1 * slope * slope
                mean, spread = first / (1 - left), second / (1 - right)
                logs = np.maximum(logs + rate * mean / (np.sqrt(spread) + 1e-9), -60.0)
                logs -= logs.max(axis=1, keepdims=True)
        found = _from_logs(logs)
        cleaned = np.where(found < 1e-7, 0.0, found)
        return np.concatenate([found, cleaned / cleaned.sum(axis=1, keepdims=True)])


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


def _from_logs(logs: Floats) -> Floats:
    masses = exp(logs)
    found: Floats = masses / masses.sum(axis=1, keepdims=True)
    return found


def worst_differences(p: Floats, q: Floats, beliefs: Floats) -> tuple[Floats, Floats, Places]:
    """Return, by belief and output, P_t, the largest difference over persons, and that person."""
    import numpy as np

    joint = beliefs[:, None, :] * p[None]
    mass = joint.sum(axis=2)
    worst = np.zeros_like(mass)
    who = np.zeros(mass.shape, dtype=np.intp)
    with np.errstate(invalid="ignore", divide="ignore"):
        posterior = joint / mass[:, :, None]
        for i, likelihood in enumerate(q):
            other = beliefs[:, None, :] * likelihood[None]
            other /= other.sum(axis=2)[:, :, None]
            gap = np.abs(posterior - other).sum(axis=2) / 2
            gap = np.where(np.isnan(gap), 1.0, gap)
            larger = gap > worst
            worst = np.where(larger, gap, worst)
            who = np.where(larger, i, who)
    return mass, worst, who


def smooth_slope(p: Floats, q: Floats, beliefs: Floats, s: float, tau: float) -> Floats:
    """Return the derivative of the smooth failure probability by the logarithms of the belief."""
    import numpy as np

    mass, worst, who = worst_differences(p, q, beliefs)
    others = q[who, np.arange(len(p))[None, :]]  # the likelihoods without the worst person
    with np.errstate(invalid="ignore", divide="ignore"):
        step = 1 / (1 + exp(np.clip((s - worst) / tau, -40, 40)))
        real = p[None] / mass[:, :, None]
        removed = others / (beliefs[:, None, :] * others).sum(axis=2)[:, :, None]
        held = beliefs[:, None, :]
        sign = np.sign(real - removed)
        move = real * (sign - (sign * real * held).sum(axis=2)[:, :, None])
        move -= removed * (sign - (sign * removed * held).sum(axis=2)[:, :, None])
        move = np.nan_to_num(move / 2, nan=0.0, posinf=0.0, neginf=0.0)
    weight = mass * step * (1 - step) / tau
    slope = (step[:, :, None] * p[None] + weight[:, :, None] * move).sum(axis=1)
    found: Floats = beliefs * (slope - (beliefs * slope).sum(axis=1, keepdims=True))
    return found
