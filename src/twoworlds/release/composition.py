r"""The cost of a batch whose parts are fixed beforehand: basic, optimal or zCDP, the tighter named.

Optimal composition. Among all mechanisms with costs (epsilon_i, delta_i), i = 1, ..., k, each free
to look at earlier outputs, the worst are independent randomized responses that leak with
probability delta_i. So with L the sum of independent losses, epsilon_i with probability
e^epsilon_i / (1 + e^epsilon_i) and -epsilon_i otherwise, the whole is (epsilon, delta)-DP with

    1 - delta = (1 - E[(1 - e^(epsilon - L))_+]) * product of (1 - delta_i)

and with no smaller delta (Kairouz, Oh & Viswanath 2015 for equal costs, Murtagh & Vadhan 2016 for
any). Solved for epsilon: with the values of L in order, A_j and B_j the sums of P(L) and P(L) e^-L
over its j largest values, epsilon = max over j of ln((A_j - d) / B_j), d the delta that is left.

Powers of e are irrational, so these are enclosures, rounded up. Costs are merged by their exact
loss; when too many different losses remain, the bound is left out rather than approximated.

This holds when the costs do not depend on answers. Costs chosen as one goes, which is what a ledger
sees, need a filter: `twoworlds.release.budget`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import comb, prod

from flint import arb

from twoworlds.errors import InvalidInput
from twoworlds.numbers import Real, ball, show, working_precision
from twoworlds.release.budget import BASIC, CONCENTRATED, ComposedCost, Spent
from twoworlds.release.costs import Cost, rounded, zcdp_to_epsilon

OPTIMAL = "optimal composition"
_MOST_WORK = 30_000


def compose(costs: Iterable[Cost], *, delta: Fraction = Fraction(0)) -> ComposedCost:
    """Return the least epsilon at this delta for a batch, with the rule that gives it.

    Without a delta (0), the sums are returned: of epsilon and delta by basic composition, or of
    rho when there is a zCDP cost.

    >>> from twoworlds.release.budget import parse_cost
    >>> found = compose([parse_cost("0.1")] * 50, delta=Fraction(1, 10**6))
    >>> found.rule, float(found.cost.epsilon), float(found.all["basic composition"].epsilon)
    ('optimal composition', 3.1729..., 5.0)

    Raises:
        InvalidInput: when the deltas of the parts leave nothing of ``delta``.
    """
    parts = [cost for cost in costs if cost != Cost()]
    spent = Spent()
    for part in parts:
        spent = spent.plus(part)
    if not 0 <= delta < 1:
        raise InvalidInput(f"delta={show(delta)} must be at least 0 and below 1")
    if delta and spent.delta > delta:
        raise InvalidInput(
            f"the deltas of the batch sum to {show(spent.delta)}, above delta={show(delta)}: "
            "give a larger delta, or parts with smaller ones"
        )
    found = _by_rule(parts, spent, delta)
    if not found:
        raise InvalidInput(
            "zCDP costs and costs with a delta have no common cost without a delta: "
            f"give delta=, above {show(spent.delta)}"
        )
    return ComposedCost.tighter(found)


def _by_rule(parts: list[Cost], spent: Spent, delta: Fraction) -> dict[str, Cost]:
    found: dict[str, Cost] = {}
    if not spent.rho:
        found[BASIC] = Cost(spent.epsilon, min(spent.delta, Fraction(1)))
    elif not delta and not spent.delta:
        found[CONCENTRATED] = Cost(rho=spent.concentrated)
    if delta > spent.delta and spent.concentrated:
        rest = delta - spent.delta
        found[CONCENTRATED] = Cost(zcdp_to_epsilon(spent.concentrated, rest), delta)
    if delta and not spent.rho:
        epsilon = optimal_epsilon(parts, delta)
        if epsilon is not None:
            found[OPTIMAL] = Cost(epsilon, delta)
    return found


def optimal_delta(costs: Iterable[Cost], epsilon: Fraction) -> Fraction | None:
    """Return the least delta at this epsilon, rounded up, or None when it is too much work.

    >>> from twoworlds.release.budget import parse_cost
    >>> optimal_delta([parse_cost("0.1")] * 10, Fraction(1))
    Fraction(0, 1)
    """
    groups = _groups(costs)
    if _work(groups) > _MOST_WORK:
        return None
    if epsilon >= sum((e * k for e, k in groups[0].items()), Fraction(0)) and not groups[1]:
        return Fraction(0)

    def value(bits: int) -> arb:
        above = arb(0)
        for loss, mass in _losses(groups[0], bits).items():
            if loss > epsilon:
                above += mass * (1 - ball(epsilon - loss, bits).exp())
        return 1 - (1 - above) * _no_leak(groups[1], bits)

    return min(Fraction(1), rounded(Real(value), "up"))


def optimal_epsilon(costs: Iterable[Cost], delta: Fraction) -> Fraction | None:
    """Return the least epsilon at this delta, rounded up; None if too much work or none exists.

    >>> from twoworlds.release.budget import parse_cost
    >>> float(optimal_epsilon([parse_cost("0.1")] * 100, Fraction(1, 10**6)))
    4.7745...
    """
    groups = _groups(costs)
    leaks = 1 - prod(((1 - d) ** k for d, k in groups[1].items()), start=Fraction(1))
    if _work(groups) > _MOST_WORK or leaks > delta:
        return None
    left = 1 - (1 - delta) / (1 - leaks)

    def value(bits: int) -> arb:
        above, weighted, ratio = arb(0), arb(0), arb(1)
        for loss, mass in sorted(_losses(groups[0], bits).items(), reverse=True):
            above += mass
            weighted += mass * ball(-loss, bits).exp()
            ratio = ratio.max((above - ball(left, bits)) / weighted)
        return ratio.log()

    return max(Fraction(0), rounded(Real(value), "up"))


def _groups(costs: Iterable[Cost]) -> tuple[Counter[Fraction], Counter[Fraction]]:
    """Count the equal epsilons and the equal deltas, leaving out zeros."""
    parts = list(costs)
    if any(cost.rho for cost in parts):
        raise InvalidInput("optimal composition is of costs with an epsilon: convert zCDP costs")
    epsilons = Counter(cost.epsilon for cost in parts if cost.epsilon)
    return epsilons, Counter(cost.delta for cost in parts if cost.delta)


def _work(groups: tuple[Counter[Fraction], Counter[Fraction]]) -> int:
    """Return how many products merging takes, at most: sizes of the merged sets of losses."""
    losses, work = {Fraction(0)}, 0
    for epsilon, count in groups[0].items():
        work += len(losses) * (count + 1)
        if work > _MOST_WORK:
            break
        losses = {x + epsilon * (count - 2 * i) for x in losses for i in range(count + 1)}
    return work


def _losses(epsilons: Counter[Fraction], bits: int) -> dict[Fraction, arb]:
    """Return the law of the sum of the losses."""
    law = {Fraction(0): arb(1)}
    with working_precision(bits):
        for epsilon, count in epsilons.items():
            up = 1 / (1 + ball(-epsilon, bits).exp())
            ratio = ball(-epsilon, bits).exp()
            one = [comb(count, i) * up**count * ratio**i for i in range(count + 1)]
            merged: dict[Fraction, arb] = {}
            for loss, mass in law.items():
                for i, weight in enumerate(one):
                    at = loss + epsilon * (count - 2 * i)
                    merged[at] = merged.get(at, arb(0)) + mass * weight
            law = merged
    return law


def _no_leak(deltas: Counter[Fraction], bits: int) -> arb:
    return prod((ball(1 - d, bits) ** k for d, k in deltas.items()), start=arb(1))
