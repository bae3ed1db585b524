r"""What does not follow between accountants' numbers: mechanisms that need more.

Each of them satisfies what is given, and is measured as any other pair of laws is.

    dp              one record, told by randomized response, and published with probability delta
    gdp(mu)         Gaussian noise, sigma = 1, on a number that one person moves by mu
    zcdp(rho)       the same with mu = sqrt(2 rho), and randomized response with epsilon
                    tanh(epsilon/2) = rho: it needs a larger mu than Gaussian noise
    rdp(a, e)       the same with mu = sqrt(2 e / a), and a rare event

**A rare event.** P(E) = p, Q(E) = q with p^a q^(1-a) fixed and q towards 0. Then D_a(P || Q) stays
bounded, and D_a(Q || P) tends to 0. With p in the order of q^((a-1)/a), p^b q^(1-b) grows without
end for every b > a, and so do D_b, D_b / b, and F^-1(p) - F^-1(q): one order says nothing of
larger ones, nor of rho and mu. Where delta is above 0, no divergence of dp is bounded, nor is rho
or mu.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from twoworlds.laws.comparison import Comparison, FiniteComparison
from twoworlds.laws.gdp import least_mu, normal_pair
from twoworlds.laws.renyi import pure_rho
from twoworlds.laws.zcdp import least_rho
from twoworlds.numbers import INFINITY, Number, Order, exp, maximum, sqrt
from twoworlds.theorems.formulas import brief, order
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.statements import Context, Found, non_implication

_RAREST = 1 << 12  # bits of the smallest probability of an event
_HALVINGS = 60

Example = tuple[str, Comparison]


def falls_short(given: Guarantee, context: Context) -> Found | None:
    """Find a mechanism that satisfies what is given, and needs more than what is asked for."""
    if context.neighbours not in (None, given.neighbours):
        return None
    for text, comparison in _examples(given, context):
        found = _needed(comparison, context)
        if found is None:
            return None
        name, where, needed = found
        wanted = context.goal.get(name)
        exceeded = wanted is not None and order(wanted, needed) is Order.LESS
        if exceeded or (needed == INFINITY and wanted != INFINITY):
            said = f"{text} satisfies what is given, and{where} it needs {name} {brief(needed)}"
            return said, True, {name: needed}
    return _rare_event(given, context)


def _examples(given: Guarantee, context: Context) -> Iterator[Example]:
    """Yield mechanisms that satisfy what is given, each as its worst pair of laws."""
    if given.kind == "dp":
        yield from _response(given)
        return
    mu = _gaussian_mu(given)
    if mu == 0 or mu == INFINITY:
        return
    steps = 1 if given.kind == "rdp" else _steps(given, context)
    moved = steps * mu
    who = "one person moves" if steps == 1 else "the group moves"
    text = f"Gaussian noise of standard deviation 1 on a number that {who} by {brief(moved)}"
    yield text, normal_pair(moved)
    if given.kind == "zcdp" and context.target == "gdp":
        epsilon = _response_epsilon(given["rho"])
        ratio = exp(epsilon)
        laws = _two_points(ratio / (1 + ratio), 1 / (1 + ratio))
        yield f"randomized response with epsilon {brief(epsilon)}", laws


def _gaussian_mu(given: Guarantee) -> Number:
    """Return the mu of Gaussian noise that has just what is given."""
    if given.kind == "gdp":
        return given["mu"]
    return sqrt(2 * (given["rho"] if given.kind == "zcdp" else given["epsilon"] / given["order"]))


def _response(given: Guarantee) -> Iterator[Example]:
    """Yield randomized response, with a leak of probability delta."""
    ratio, delta = given.ratio, given.delta
    if ratio == INFINITY:
        if delta == 0:
            return
        ratio = Fraction(1)
    share = (1 - delta) / (ratio + 1)
    first = [delta, ratio * share, share, Fraction(0)]
    leak = "" if delta == 0 else f"published with probability {brief(delta)}, else "
    text = f"one record, {leak}told by randomized response with odds {brief(ratio)},"
    yield text, FiniteComparison.of("one", "other", "abcd", first, first[::-1])


def _two_points(p: Number, q: Number) -> FiniteComparison:
    return FiniteComparison.of("one", "other", "ab", [p, 1 - p], [q, 1 - q])


def _response_epsilon(rho: Number) -> Fraction:
    """Return an epsilon with epsilon tanh(epsilon/2) <= rho, nearly the largest one."""
    low, high = Fraction(0), Fraction(math.ceil(float(rho))) + 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = order(pure_rho(middle), rho) is not Order.LESS
        low, high = (low, middle) if above else (middle, high)
    return low


def _steps(given: Guarantee, context: Context) -> int:
    """Return by how many single steps the group in question moves a count."""
    asked = context.group or 1
    people = asked if given.records is None else min(asked, given.records)
    return max(1, -(-people // given.group))


def _needed(comparison: Comparison, context: Context) -> tuple[str, str, Number] | None:
    """Return the number that two laws need, and where; None where the question leaves that open."""
    ways, goal = (comparison, comparison.reverse()), context.goal
    if context.target == "gdp":
        return "mu", "", least_mu(comparison).value
    if context.target == "zcdp":
        return "rho", "", maximum(*(least_rho(way).value for way in ways))
    if context.target == "rdp":
        a = goal.get("order")
        if not isinstance(a, Fraction):
            return None
        where = f" at order {brief(a)}"
        return "epsilon", where, maximum(*(way.divergence(a) for way in ways))
    if "ratio" not in goal or "delta" not in goal:
        return None
    where = f" at ratio {brief(goal['ratio'])}"
    return "delta", where, maximum(*(way.gap(goal["ratio"]).delta for way in ways))


def _rare_event(given: Guarantee, context: Context) -> Found | None:
    """Refute any number of larger orders that one order is said to give."""
    if given.kind != "rdp" or given["epsilon"] in (0, INFINITY):
        return None
    a, allowed = given["order"], given["epsilon"]
    larger_order = context.goal.get("order", a) > a
    if not (context.target in ("zcdp", "gdp") or (context.target == "rdp" and larger_order)):
        return None
    said = "satisfies what is given, and rarer ones need any number, however large"
    bits = 8
    while bits <= _RAREST:
        p, q = _rare(a, allowed, bits)
        found = _needed(_two_points(p, q), context) if _keeps(a, allowed, p, q) else None
        if found is not None:
            name, where, needed = found
            if order(context.goal.get(name, Fraction(0)), needed) is Order.LESS:
                text = (
                    f"an event of probability {brief(p)} in one world and {brief(q)} in the other "
                    f"{said}; this one needs {name} {brief(needed)}{where}"
                )
                return text, True, {"p": p, "q": q, name: needed}
        bits *= 2
    return f"an event that is rare enough {said}", True, {}


def _rare(a: Number, allowed: Number, bits: int) -> tuple[Fraction, Fraction]:
    """Return Q(E) = 2^-bits, and before it P(E), about as large as the divergence allows."""
    high, room = float(a), math.expm1(min(600.0, (float(a) - 1) * float(allowed))) / 2
    least = math.ceil((bits * (high - 1) - math.log2(room)) / high)
    return Fraction(1, 1 << max(1, least)), Fraction(1, 1 << bits)


def _keeps(a: Number, allowed: Number, p: Fraction, q: Fraction) -> bool:
    """Tell whether the divergences of order a of an event are below what is allowed."""
    assert isinstance(a, Fraction), "orders are rational"
    ways = _two_points(p, q), _two_points(q, p)
    return all(order(way.divergence(a), allowed) is Order.LESS for way in ways)


_GAUSSIAN = "Less than Gaussian noise needs does not follow."
_STATEMENTS = {
    "dp": "Less than randomized response needs does not follow, and nothing if delta is above 0.",
    "gdp": _GAUSSIAN,
    "zcdp": _GAUSSIAN,
    "rdp": "Nothing follows from one order about larger ones: a rare event needs any number.",
    "zcdp gdp": "The mu of Gaussian noise with this rho does not follow: randomized response needs "
    "more.",
    "rdp dp": _GAUSSIAN,
}

for _premise, _conclusion in product(("dp", "rdp", "zcdp", "gdp"), repeat=2):
    if (_premise, _conclusion) != ("dp", "dp"):
        non_implication(
            f"{_premise}-{_conclusion}-limit",
            premises=[_premise],
            conclusion=_conclusion,
            citation="twoworlds, found here",
            statement=_STATEMENTS.get(f"{_premise} {_conclusion}", _STATEMENTS[_premise]),
        )(falls_short)
