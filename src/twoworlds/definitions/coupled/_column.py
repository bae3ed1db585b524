r"""One output and the best column of a simulator for it: the least inner delta of inference.

Fix an output t. What an attacker infers from it depends on the column sigma(y) = s(t | y) only, and
not on its scale. A `CellPosterior` is a cell (belief, pair, z) with the real world's posterior
p_v = P(priv = v | t, z); in the ideal world the posterior is Q(v) / Q with
Q(v) = sum_y P(v, y | z) sigma(y) and Q = sum_v Q(v). They are (epsilon, d)-indistinguishable if

    sum_v ( p_v Q - a Q(v) )_+ <= d Q     and     sum_v ( Q(v) - a p_v Q )_+ <= d Q,     Q > 0.

`least_inner` finds the least d of all columns, in several views at once. With one view Q = 1 may be
asked, and it is one linear program. With several it is a quotient of linear functions: at a trial d
the program minimises max ( left side - d Q ) subject to sum Q = 1, which is negative exactly when
some column is better than d. Its column bounds the answer from above. Its multipliers, weights of
tests (an event S of values, a favoured world), bound it from below: no column has less than

    min_y  sum_k omega_k test_k(y) / sum_k omega_k q_k(y),      q_k(y) = P(y | z) in the view of k,
    test_k(y) = p(S) q_k(y) - a P(S, y | z)      or      P(S, y | z) - a p(S) q_k(y).

Situations: an output with a belief and side information, and how bad it is to be in one.

The inference-based definitions (Bassily, Groce, Katz & Smith, Definitions 2 and 4) fail where, with
probability above delta over (t, z), the two posteriors of some private part are more than delta
apart. `least` finds the least delta from the inner deltas of all situations, `attained` from the
columns of a simulator.

Whether a simulator for inferences can do without symbols outside the range of the release.

Given which views must be served, at which inner delta, the conditions of `_column` are linear in
all columns together, and that every law adds up to 1 is one equation for each scrubbed database.
The program maximises the smallest probability with which an output that must be served is named.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from twoworlds.definitions.coupled._program import Trials
from twoworlds.definitions.coupled.scene import Scene
from twoworlds.errors import TwoWorldsError, Unsupported
from twoworlds.laws.comparison import apart
from twoworlds.numbers import Number, show
from twoworlds.programs import Optimal, Rational, solve

ZERO, ONE = Fraction(0), Fraction(1)
UNDEFINED = Fraction(2)
"""The inner delta of an output that is never simulated: worse than any."""
_BITS = 64
_TINY = Fraction(1, 1 << 128)
Sigma = Mapping[int, Fraction]


@dataclass(frozen=True)
class CellPosterior:
    """What one cell makes of an output."""

    cell: int
    posterior: Mapping[Hashable, Fraction]
    ideal: Mapping[Hashable, Mapping[int, Fraction]]

    def total(self) -> dict[int, Fraction]:
        """Return P(alt = y | z), by the number of y."""
        found: dict[int, Fraction] = {}
        for row in self.ideal.values():
            for y, p in row.items():
                found[y] = found.get(y, ZERO) + p
        return found


@dataclass(frozen=True)
class InnerTest:
    """A test of posteriors: an event of private values, and the world in which it is likelier."""

    view: int
    favours: str
    event: tuple[Hashable, ...]
    weight: Fraction


@dataclass(frozen=True)
class LeastColumn:
    """The least inner delta of some views: ``sigma`` has ``upper``, ``tests`` show ``lower``."""

    lower: Fraction
    upper: Fraction
    sigma: Sigma
    tests: tuple[InnerTest, ...]


def inner(view: CellPosterior, sigma: Sigma, ratio: Fraction) -> Fraction:
    """Return how far apart the two posteriors are: the least d at a ratio."""
    joint = {
        v: sum((p * sigma.get(y, ZERO) for y, p in row.items()), start=ZERO)
        for v, row in view.ideal.items()
    }
    total = sum(joint.values(), start=ZERO)
    if total == 0:
        return UNDEFINED
    found = apart(view.posterior, {v: q / total for v, q in joint.items()}, ratio)
    assert isinstance(found, Fraction)
    return found


def lower_bound(
    views: Sequence[CellPosterior], tests: Sequence[InnerTest], ratio: Fraction
) -> Fraction:
    """Return what the tests prove: no column has a smaller inner delta in all the views."""
    won: dict[int, Fraction] = {}
    mass: dict[int, Fraction] = {}
    for test in tests:
        view = views[test.view]
        real = sum((view.posterior.get(v, ZERO) for v in test.event), start=ZERO)
        scale = real if test.favours == "real" else -ratio * real
        for y, q in view.total().items():
            mass[y] = mass.get(y, ZERO) + test.weight * q
            won[y] = won.get(y, ZERO) + test.weight * scale * q
        sign = -ratio if test.favours == "real" else ONE
        for v in test.event:
            for y, p in view.ideal.get(v, {}).items():
                won[y] = won.get(y, ZERO) + test.weight * sign * p
    found = [won[y] / q for y, q in mass.items() if q > 0]
    return max(ZERO, min(found)) if found else ZERO


def least_inner(views: Sequence[CellPosterior], ratio: Fraction) -> LeastColumn:
    """Return the least inner delta of all columns in all the views, exactly or enclosed."""
    merged, groups = _small(views)
    sigma, tests, _ = _program(merged, ratio, None)
    best = _column(merged, sigma, tests, ratio)
    guess, trials = best.upper, Trials()
    while best.lower < best.upper and _wide(best):
        level = trials.next(best.lower, best.upper, guess)
        sigma, tests, guess = _program(merged, ratio, level)
        best = _better(best, _column(merged, sigma, tests, ratio))
    spread = {
        y: best.sigma[g] for g, members in enumerate(groups) if g in best.sigma for y in members
    }
    return LeastColumn(best.lower, best.upper, spread, best.tests)


def _wide(column: LeastColumn) -> bool:
    width = column.upper - column.lower
    return width > _TINY and width * (1 << _BITS) > column.upper


def _column(
    views: Sequence[CellPosterior], sigma: Sigma, tests: tuple[InnerTest, ...], ratio: Fraction
) -> LeastColumn:
    upper = max(inner(view, sigma, ratio) for view in views)
    return LeastColumn(lower_bound(views, tests, ratio), upper, sigma, tests)


def _better(old: LeastColumn, new: LeastColumn) -> LeastColumn:
    above = new if new.upper < old.upper else old
    below = new if new.lower > old.lower else old
    return LeastColumn(below.lower, above.upper, above.sigma, below.tests)


def _small(views: Sequence[CellPosterior]) -> tuple[list[CellPosterior], list[list[int]]]:
    """Let scrubbed databases be one that are proportional in all views (their views stay)."""
    columns: dict[int, list[tuple[int, Hashable, Fraction]]] = {}
    for k, view in enumerate(views):
        for v, row in view.ideal.items():
            for y, p in row.items():
                columns.setdefault(y, []).append((k, v, p))
    groups: dict[tuple[tuple[int, Hashable, Fraction], ...], list[int]] = {}
    for y, column in columns.items():
        first = column[0][2]
        groups.setdefault(tuple((k, v, p / first) for k, v, p in column), []).append(y)
    place = {y: g for g, members in enumerate(groups.values()) for y in members}
    merged = []
    for view in views:
        ideal: dict[Hashable, dict[int, Fraction]] = {}
        for v, row in view.ideal.items():
            short = ideal.setdefault(v, {})
            for y, p in row.items():
                short[place[y]] = short.get(place[y], ZERO) + p
        merged.append(CellPosterior(view.cell, view.posterior, ideal))
    return merged, list(groups.values())


def _program(
    views: Sequence[CellPosterior], ratio: Fraction, level: Fraction | None
) -> tuple[dict[int, Fraction], tuple[InnerTest, ...], Fraction]:
    """Solve at a trial level; without one, minimise d itself with Q = 1 in every view.

    Views that look the same are taken once. Returns the column, the tests, and the level at which
    the same tests and column would balance.
    """
    inputs = sorted({y for view in views for row in view.ideal.values() for y in row})
    place = {y: 1 + j for j, y in enumerate(inputs)}
    rows: list[dict[int, Rational]] = []
    lower: list[Rational | None] = []
    about: list[tuple[int, str, Hashable] | None] = []
    width = 1 + len(inputs)
    different = _different(views)
    for k in different:
        view, total = views[k], views[k].total()
        for favours in ("real", "ideal"):
            budget: dict[int, Rational] = {0: ONE}
            if level is not None:
                budget.update({place[y]: level * q for y, q in total.items()})
            for v, row in view.ideal.items():
                p = view.posterior.get(v, ZERO)
                if favours == "real" and p == 0:
                    continue
                sign, scale = (ratio, -p) if favours == "real" else (-ONE, ratio * p)
                excess = {place[y]: scale * q for y, q in total.items()}
                for y, q in row.items():
                    excess[place[y]] += sign * q
                rows.append({**excess, width: ONE})
                lower.append(ZERO)
                about.append((k, favours, v))
                budget[width] = -ONE
                width += 1
            rows.append(budget)
            lower.append(ZERO)
            about.append(None)
    upper: list[Rational | None] = [None] * len(rows)
    totals = [{place[y]: q for y, q in views[k].total().items()} for k in different]
    for norm in [_sum(totals)] if level is not None else totals:
        rows.append(dict(norm))
        lower.append(ONE)
        upper.append(ONE)
        about.append(None)
    free = [None, *([ZERO] * (width - 1))]
    costs = [ONE, *([ZERO] * (width - 1))]
    outcome = solve(costs, rows, lower=lower, upper=upper, least=free)
    if not isinstance(outcome, Optimal):
        raise TwoWorldsError("the program of the best column has no optimum: please report this")
    sigma = {y: outcome.x[j] for y, j in place.items() if outcome.x[j] != 0}
    stakes: dict[tuple[int, str], dict[Hashable, Fraction]] = {}
    for what, weight in zip(about, outcome.y, strict=True):
        if what is not None and weight != 0:
            stakes.setdefault(what[:2], {})[what[2]] = weight
    tests = _layers(stakes)
    return sigma, tests, _balance(views, sigma, tests, outcome.value, level)


def _different(views: Sequence[CellPosterior]) -> list[int]:
    seen: dict[tuple[object, ...], int] = {}
    for k, view in enumerate(views):
        ideal = frozenset((v, frozenset(row.items())) for v, row in view.ideal.items())
        seen.setdefault((frozenset(view.posterior.items()), ideal), k)
    return list(seen.values())


def _sum(rows: Sequence[Mapping[int, Fraction]]) -> dict[int, Fraction]:
    found: dict[int, Fraction] = {}
    for row in rows:
        for j, value in row.items():
            found[j] = found.get(j, ZERO) + value
    return found


def _layers(stakes: Mapping[tuple[int, str], Mapping[Hashable, Fraction]]) -> tuple[InnerTest, ...]:
    """Write multipliers of single values as weights of nested events."""
    found = []
    for (view, favours), weights in stakes.items():
        done = ZERO
        for level in sorted(set(weights.values())):
            event = tuple(v for v, weight in weights.items() if weight >= level)
            found.append(InnerTest(view, favours, event, level - done))
            done = level
    return tuple(found)


def _balance(
    views: Sequence[CellPosterior],
    sigma: Sigma,
    tests: Sequence[InnerTest],
    value: Fraction,
    level: Fraction | None,
) -> Fraction:
    """Return level + value / sum omega Q: Newton's step to where the value is 0."""
    if level is None:
        return value
    total = ZERO
    for test in tests:
        masses = views[test.view].total().items()
        total += test.weight * sum((q * sigma.get(y, ZERO) for y, q in masses), start=ZERO)
    return level if total == 0 else level + value / total


class Situation(NamedTuple):
    """An output with a belief and side information: how likely it is, and who looks at it."""

    output: int
    belief: int
    side: Hashable
    chance: Fraction
    views: tuple[CellPosterior, ...]


def situations(scene: Scene) -> list[Situation]:
    """Return every output with every belief and side information under which it can occur."""
    outputs = {t: number for number, t in enumerate(scene.outputs)}
    inputs = {y: number for number, y in enumerate(scene.inputs)}
    views: dict[tuple[int, int, Hashable], list[CellPosterior]] = {}
    chance: dict[tuple[int, int, Hashable], Fraction] = {}
    for number, cell in enumerate(scene.cells):
        ideal = {
            v: {inputs[y]: fraction(p) for y, p in row.items()} for v, row in cell.ideal.items()
        }
        by_output: dict[int, dict[Hashable, Fraction]] = {}
        for v, row in cell.real.items():
            for t, p in row.items():
                by_output.setdefault(outputs[t], {})[v] = fraction(p)
        for t, joint in by_output.items():
            total = sum(joint.values(), start=ZERO)
            key = (t, cell.belief, cell.side)
            chance[key] = total * fraction(cell.weight)
            posterior = {v: p / total for v, p in joint.items()}
            views.setdefault(key, []).append(CellPosterior(number, posterior, ideal))
    return [Situation(*key, chance[key], tuple(views[key])) for key in views]


def fraction(p: Number) -> Fraction:
    if isinstance(p, Fraction):
        return p
    raise Unsupported(
        f"a probability of {show(p)} is irrational: the best simulator for inferences is found for "
        "rational probabilities; give fractions"
    )


def least(levels: Iterable[tuple[Situation, Fraction]]) -> Fraction:
    """Return min over c of max(c, the largest probability, over beliefs, of inner delta > c)."""
    listed = list(levels)
    best = ONE
    for c in sorted({ZERO, *(level for _, level in listed if level <= 1)}):
        best = min(best, max(c, _failing(listed, c)))
    return best


def _failing(listed: Sequence[tuple[Situation, Fraction]], c: Fraction) -> Fraction:
    failing: dict[int, Fraction] = {}
    for situation, level in listed:
        if level > c:
            failing[situation.belief] = failing.get(situation.belief, ZERO) + situation.chance
    return max(failing.values(), default=ZERO)


def attained(
    everywhere: Sequence[Situation], columns: Mapping[int, Sigma], ratio: Fraction
) -> Fraction:
    """Return the inference-based delta of a simulator, given by its columns."""
    return least(
        (s, max(inner(view, columns.get(s.output, {}), ratio) for view in s.views))
        for s in everywhere
    )


_MOST_ENTRIES = 1 << 18


def within_range(
    served: Iterable[tuple[int, Sequence[CellPosterior]]],
    outputs: int,
    inputs: int,
    ratio: Fraction,
    level: Fraction,
) -> dict[int, Sigma] | None:
    """Return columns that add up to 1 and keep all served views within a level.

    None when there are none, or when the program would be too large to try.
    """
    wanted = _different_served(served)
    if sum(len(view.ideal) * len(view.total()) for _, view in wanted) > _MOST_ENTRIES:
        return None
    rows: list[dict[int, Rational]] = [
        {1 + y * outputs + t: ONE for t in range(outputs)} for y in range(inputs)
    ]
    lower: list[Rational | None] = [ONE] * inputs
    upper: list[Rational | None] = [ONE] * inputs
    width = 1 + inputs * outputs
    for t, view in wanted:
        place = {y: 1 + y * outputs + t for y in view.total()}
        total = {place[y]: q for y, q in view.total().items()}
        rows.append({**total, 0: -ONE})
        added, width = _conditions(view, place, total, ratio, level, width)
        rows += added
    lower += [ZERO] * (len(rows) - inputs)
    upper += [None] * (len(rows) - inputs)
    costs = [-ONE, *([ZERO] * (width - 1))]
    most = [ONE, *([None] * (width - 1))]
    outcome = solve(costs, rows, lower=lower, upper=upper, most=most)
    if not isinstance(outcome, Optimal) or outcome.value == 0:
        return None
    x = outcome.x
    return {
        t: {y: x[1 + y * outputs + t] for y in range(inputs) if x[1 + y * outputs + t] != 0}
        for t in range(outputs)
    }


def _different_served(
    served: Iterable[tuple[int, Sequence[CellPosterior]]],
) -> list[tuple[int, CellPosterior]]:
    found: dict[tuple[object, ...], tuple[int, CellPosterior]] = {}
    for t, views in served:
        for view in views:
            ideal = frozenset((v, frozenset(row.items())) for v, row in view.ideal.items())
            found.setdefault((t, frozenset(view.posterior.items()), ideal), (t, view))
    return list(found.values())


def _conditions(
    view: CellPosterior,
    place: dict[int, int],
    total: dict[int, Fraction],
    ratio: Fraction,
    level: Fraction,
    width: int,
) -> tuple[list[dict[int, Rational]], int]:
    """Return the rows, all at least 0, of one view in both directions, and the new width."""
    rows: list[dict[int, Rational]] = []
    for favours_real in (True, False):
        budget: dict[int, Rational] = {j: level * q for j, q in total.items()}
        for v, p in _values(view):
            sign, scale = (ratio, -p) if favours_real else (-ONE, ratio * p)
            excess = {j: scale * q for j, q in total.items()}
            for y, q in view.ideal[v].items():
                excess[place[y]] += sign * q
            rows.append({**excess, width: ONE})
            budget[width] = -ONE
            width += 1
        rows.append(budget)
    return rows, width


def _values(view: CellPosterior) -> list[tuple[Hashable, Fraction]]:
    return [(v, view.posterior.get(v, ZERO)) for v in view.ideal]
