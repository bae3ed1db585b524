r"""One output and the best column of a simulator for it: the least inner delta of inference.

Fix an output t. What an attacker infers from it depends on the column sigma(y) = s(t | y) only, and
not on its scale. A `View` is a cell (belief, pair, z) with the real world's posterior
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
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from twoworlds.definitions.coupled._bracket import Trials
from twoworlds.errors import TwoWorldsError
from twoworlds.programs import Optimal, Rational, solve

__all__ = ["UNDEFINED", "Column", "InnerTest", "View", "inner", "least_inner", "lower_bound"]

ZERO, ONE = Fraction(0), Fraction(1)
UNDEFINED = Fraction(2)
"""The inner delta of an output that is never simulated: worse than any."""
_BITS = 64
_TINY = Fraction(1, 1 << 128)

Sigma = Mapping[int, Fraction]


@dataclass(frozen=True)
class View:
    """What one cell makes of an output.

    Attributes:
        cell: the number of the cell in its scene.
        posterior: P(priv = v | t, z) in the real world, by v.
        ideal: P(priv = v, alt = y | z), by v and the number of y.
    """

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
class Column:
    """The least inner delta of some views: ``sigma`` has ``upper``, ``tests`` show ``lower``."""

    lower: Fraction
    upper: Fraction
    sigma: Sigma
    tests: tuple[InnerTest, ...]


def inner(view: View, sigma: Sigma, ratio: Fraction) -> Fraction:
    """Return how far apart the two posteriors are: the least d at a ratio."""
    joint = {
        v: sum((p * sigma.get(y, ZERO) for y, p in row.items()), start=ZERO)
        for v, row in view.ideal.items()
    }
    total = sum(joint.values(), start=ZERO)
    if total == 0:
        return UNDEFINED
    forth = sum(
        max(ZERO, view.posterior.get(v, ZERO) * total - ratio * q) for v, q in joint.items()
    )
    back = sum(max(ZERO, q - ratio * view.posterior.get(v, ZERO) * total) for v, q in joint.items())
    return max(forth, back) / total


def lower_bound(views: Sequence[View], tests: Sequence[InnerTest], ratio: Fraction) -> Fraction:
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


def least_inner(views: Sequence[View], ratio: Fraction) -> Column:
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
    return Column(best.lower, best.upper, spread, best.tests)


def _wide(column: Column) -> bool:
    width = column.upper - column.lower
    return width > _TINY and width * (1 << _BITS) > column.upper


def _column(
    views: Sequence[View], sigma: Sigma, tests: tuple[InnerTest, ...], ratio: Fraction
) -> Column:
    upper = max(inner(view, sigma, ratio) for view in views)
    return Column(lower_bound(views, tests, ratio), upper, sigma, tests)


def _better(old: Column, new: Column) -> Column:
    above = new if new.upper < old.upper else old
    below = new if new.lower > old.lower else old
    return Column(below.lower, above.upper, above.sigma, below.tests)


def _small(views: Sequence[View]) -> tuple[list[View], list[list[int]]]:
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
        merged.append(View(view.cell, view.posterior, ideal))
    return merged, list(groups.values())


def _program(
    views: Sequence[View], ratio: Fraction, level: Fraction | None
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


def _different(views: Sequence[View]) -> list[int]:
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
    views: Sequence[View],
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
