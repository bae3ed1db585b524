r"""One output and the best column of a simulator for it: the least inner delta of inference.

What is inferred from an output t depends on the column sigma(y) = s(t | y) only, and not on
its scale. A `CellPosterior` is a cell (belief, pair, z) with the real world's posterior
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

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from twoworlds.definitions.coupled._program import Row, proportional, solved, untried
from twoworlds.definitions.coupled.proof import Distinguisher, layers
from twoworlds.errors import TwoWorldsError
from twoworlds.laws.comparison import apart
from twoworlds.programs import Rational

ZERO, ONE = Fraction(0), Fraction(1)
UNDEFINED = Fraction(2)
"""The inner delta of an output that is never simulated: worse than any."""
_BITS = 64
_TINY = Fraction(1, 1 << 128)
Sigma = Mapping[int, Fraction]
Tests = tuple[Distinguisher, ...]
"""Each of a view by number, with an event of private values."""


@dataclass(frozen=True)
class CellPosterior:
    """What one cell makes of an output."""

    cell: int
    posterior: Mapping[Hashable, Fraction]
    ideal: Mapping[Hashable, Mapping[int, Fraction]]

    @cached_property
    def total(self) -> dict[int, Fraction]:
        """P(alt = y | z), by the number of y."""
        return _sum(self.ideal.values())


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
    views: Sequence[CellPosterior], tests: Iterable[Distinguisher], ratio: Fraction
) -> Fraction:
    """Return what the tests prove: no column has a smaller inner delta in all the views."""
    won: dict[int, Fraction] = {}
    mass: dict[int, Fraction] = {}
    for test in tests:
        view = views[test.comparison]
        real = sum((view.posterior.get(v, ZERO) for v in test.event), start=ZERO)
        scale = real if test.favours == "real" else -ratio * real
        for y, q in view.total.items():
            mass[y] = mass.get(y, ZERO) + test.weight * q
            won[y] = won.get(y, ZERO) + test.weight * scale * q
        sign = -ratio if test.favours == "real" else ONE
        for v in test.event:
            for y, p in view.ideal.get(v, {}).items():
                won[y] = won.get(y, ZERO) + test.weight * sign * p
    found = [won[y] / q for y, q in mass.items() if q > 0]
    return max(ZERO, min(found)) if found else ZERO


def least_inner(
    views: Sequence[CellPosterior], ratio: Fraction
) -> tuple[Fraction, Fraction, Sigma, Tests]:
    """Return the least inner delta of all columns in all the views, exactly or enclosed.

    That is, ``lower``, ``upper``, a column that has the upper one, and tests that show the lower.
    """
    merged, groups = _small(views)
    sigma, tests, _ = _program(merged, ratio, None)
    lower, upper = lower_bound(merged, tests, ratio), worst_inner(merged, sigma, ratio)
    guess, tried = upper, list[Fraction]()
    while upper - lower > _TINY and (upper - lower) * (1 << _BITS) > upper:
        found, shown, guess = _program(merged, ratio, untried(tried, lower, upper, guess))
        if (above := worst_inner(merged, found, ratio)) < upper:
            upper, sigma = above, found
        if (below := lower_bound(merged, shown, ratio)) > lower:
            lower, tests = below, shown
    spread = {y: sigma[g] for g, members in enumerate(groups) if g in sigma for y in members}
    return lower, upper, spread, tests


def worst_inner(views: Sequence[CellPosterior], sigma: Sigma, ratio: Fraction) -> Fraction:
    """Return the largest inner delta of a column in some views."""
    return max(inner(view, sigma, ratio) for view in views)


def _small(views: Sequence[CellPosterior]) -> tuple[list[CellPosterior], list[list[int]]]:
    """Let scrubbed databases be one that are proportional in all views (their views stay)."""
    groups = proportional(
        ((k, v), y, p)
        for k, view in enumerate(views)
        for v, row in view.ideal.items()
        for y, p in row.items()
    )
    place = {y: g for g, members in enumerate(groups) for y in members}
    merged = []
    for view in views:
        ideal: dict[Hashable, dict[int, Fraction]] = {}
        for v, row in view.ideal.items():
            short = ideal.setdefault(v, {})
            for y, p in row.items():
                short[place[y]] = short.get(place[y], ZERO) + p
        merged.append(CellPosterior(view.cell, view.posterior, ideal))
    return merged, groups


def conditions(
    view: CellPosterior,
    place: Mapping[int, int],
    ratio: Fraction,
    budget: Mapping[int, Rational],
    width: int,
) -> Iterator[tuple[Row, tuple[str, Hashable] | None]]:
    """Yield rows, all at least 0: how far each world exceeds the other, within the budget.

    New variables, from ``width`` on, take up the excesses.
    """
    for favours in ("real", "ideal"):
        spent = dict(budget)
        for v, row in view.ideal.items():
            p = view.posterior.get(v, ZERO)
            if favours == "real" and p == 0:
                continue
            sign, scale = (ratio, -p) if favours == "real" else (-ONE, ratio * p)
            excess = {place[y]: scale * q for y, q in view.total.items()}
            for y, q in row.items():
                excess[place[y]] += sign * q
            yield ({**excess, width: ONE}, ZERO, None), (favours, v)
            spent[width] = -ONE
            width += 1
        yield (spent, ZERO, None), None


def _program(
    views: Sequence[CellPosterior], ratio: Fraction, level: Fraction | None
) -> tuple[dict[int, Fraction], Tests, Fraction]:
    """Solve at a trial level; without one, minimise d itself with Q = 1 in every view.

    Views that look the same are taken once. Returns the column, the tests, and the level at which
    the same tests and column would balance: level + value / sum omega Q, Newton's step.
    """
    place = {y: 1 + j for j, y in enumerate(sorted({y for view in views for y in view.total}))}
    rows: list[Row] = []
    about: list[tuple[int, str, Hashable] | None] = []
    width = 1 + len(place)
    different = list({look(view): k for k, view in reversed([*enumerate(views)])}.values())[::-1]
    for k in different:
        budget: dict[int, Rational] = {0: ONE}
        if level is not None:
            budget.update({place[y]: level * q for y, q in views[k].total.items()})
        for row, what in conditions(views[k], place, ratio, budget, width):
            rows.append(row)
            about.append(None if what is None else (k, *what))
            width += what is not None
    totals = [{place[y]: q for y, q in views[k].total.items()} for k in different]
    for norm in [_sum(totals)] if level is not None else totals:
        rows.append((dict(norm), ONE, ONE))
        about.append(None)
    free = [None, *([ZERO] * (width - 1))]
    outcome = solved([ONE, *([ZERO] * (width - 1))], rows, least=free)
    if outcome is None:
        raise TwoWorldsError("the program of the best column has no optimum: please report this")
    sigma = {y: outcome.x[j] for y, j in place.items() if outcome.x[j] != 0}
    stakes: dict[tuple[int, str], dict[Hashable, Fraction]] = {}
    for one, weight in zip(about, outcome.y, strict=True):
        if one is not None and weight != 0:
            stakes.setdefault(one[:2], {})[one[2]] = weight
    tests = layers(stakes)
    if level is None:
        return sigma, tests, outcome.value
    total = ZERO
    for test in tests:
        masses = views[test.comparison].total.items()
        total += test.weight * sum((q * sigma.get(y, ZERO) for y, q in masses), start=ZERO)
    return sigma, tests, level if total == 0 else level + outcome.value / total


def look(view: CellPosterior) -> tuple[object, ...]:
    """Return what is the same for views that look the same."""
    ideal = frozenset((v, frozenset(row.items())) for v, row in view.ideal.items())
    return frozenset(view.posterior.items()), ideal


def _sum(rows: Iterable[Mapping[int, Fraction]]) -> dict[int, Fraction]:
    found: dict[int, Fraction] = {}
    for row in rows:
        for j, value in row.items():
            found[j] = found.get(j, ZERO) + value
    return found
