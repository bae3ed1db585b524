r"""What accountants convert between: pure and approximate dp, Renyi divergences, zCDP, Gaussian DP.

With D_a the Renyi divergence of order a, F the normal distribution function and r = e^epsilon:

    rdp(a, e)    D_a <= e between neighbours, both ways round
    zcdp(rho)    D_a <= a rho for all a > 1
    gdp(mu)      no test does better than one of N(0, 1) against N(mu, 1)

The formulas of divergences, with their proofs, are in `twoworlds.laws.renyi`.

**From pure dp.** Between two worlds it is a post-processing of randomized response with odds r. So
what that one has is the worst, for every number that post-processing never raises: its divergence
at each order, rho = epsilon tanh(epsilon/2), and mu = 2 F^-1(r / (1 + r)), since the corner of its
best tests has false alarms and misses 1 / (1 + r), and corners suffice (`twoworlds.laws.least`).

**From gdp.** Two laws that are no easier to tell apart than N(mu, 1) from N(0, 1) are a
post-processing of these (Blackwell). So delta at each epsilon, and the divergences a mu^2 / 2, are
those of the normal laws at most, and they have them.

**Groups.** For zCDP, Hoelder's inequality with R between P and Q gives

    D_a(P || Q) <= k a / (k a - 1) D_b(P || R) + D_(k a)(R || Q),    b = (k a - 1) / (k - 1).

If R is k - 1 steps from P and one from Q, by induction that is at most k a (k - 1) rho + k a rho =
a k^2 rho. For gdp, a test with false alarms z finds the middle with probability at most F(F^-1(z) +
mu), and from there the same again: the shifts add up. Gaussian noise on a count attains both.

**What does not follow.** Each of these mechanisms satisfies what is given, is measured as any other
pair of laws is, and needs more than was claimed.

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
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from twoworlds.laws.comparison import Comparison, FiniteComparison, larger, solved
from twoworlds.laws.least import gap_of, least_mu, least_rho, normal_pair, response_mu
from twoworlds.laws.renyi import (
    delta_for,
    epsilon_for,
    pure_rho,
    response,
    zcdp_delta,
    zcdp_epsilon,
)
from twoworlds.numbers import INFINITY, Number, Order, exp, ln, maximum, sqrt
from twoworlds.theorems.common import (
    at_most,
    by_removal,
    finite,
    larger_group_wanted,
    needs,
    one_person,
    pure,
    same_setting,
    steps_to_group,
)
from twoworlds.theorems.formulas import brief, order
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.kinds import kind_of
from twoworlds.theorems.statements import Check, Context, Found, non_implication, theorem
from twoworlds.worlds import SUBSTITUTE

_MIRONOV, _BUN = "Mironov 2017", "Bun & Steinke 2016"
_DONG, _CANONNE = "Dong, Roth & Su 2022", "Canonne, Kamath & Steinke 2020, Section 2.3"
_STEPS = 60  # of a bisection
_ONE = Fraction(1)


# --- what is wanted -------------------------------------------------------------------------------


def _order_wanted(_given: Guarantee, context: Context) -> Check:
    wanted, name = context.aim("rdp", "order"), "the order that is wanted"
    if wanted is None and context.target != "rdp":
        return Check(name, ok=False, text=f"needs {name}, and none is")
    known = None if wanted is None else brief(wanted)
    return needs(name, known=known, how="order=, as in 'rdp(order=2)'")


def _bounded(given: Guarantee, _context: Context) -> Check:
    """Check that the amount has an end: without one nothing is promised."""
    name = next(name for name in reversed(kind_of(given.kind).amounts))
    if given[name] == INFINITY:
        return Check(name, ok=False, text=f"needs a finite {name}: it is infinite")
    return Check(name, ok=True, text=f"{name} is finite: {brief(given[name])}")


def _epsilon_or_delta_wanted(_given: Guarantee, context: Context) -> Check:
    delta, ratio = context.aim("dp", "delta"), context.aim("dp", "ratio")
    name = "an epsilon, or a delta above 0, that is wanted"
    if delta not in (None, 0):
        return Check(name, ok=True, text=f"delta that is wanted: {brief(delta)}")
    if ratio not in (None, INFINITY):
        return Check(name, ok=True, text=f"epsilon that is wanted: {brief(ln(ratio))}")
    if context.target != "dp":
        return Check(name, ok=False, text=f"needs {name}, and none is")
    return needs(name, known=None, how="delta=, as in 'dp(delta=1e-6)'")


def _smaller_order_wanted(given: Guarantee, context: Context) -> Check:
    wanted = context.aim("rdp", "order")
    if wanted is None:
        return needs("the smaller order that is wanted", known=None, how="order=")
    return at_most("the wanted order is no larger", wanted, given["order"])


# --- one kind to another --------------------------------------------------------------------------

_Curve = Callable[[Number], Number]
_Formula = Callable[..., Any]


def _number(given: Guarantee, _context: Context, *, kind: str, formula: _Formula) -> Guarantee:
    """Conclude the one number of the kind."""
    return given.to(kind, **{kind_of(kind).amounts[-1]: formula(given)})


def _divergence(given: Guarantee, context: Context, *, formula: _Formula) -> Guarantee:
    """Conclude a bound on the divergence of the order that is wanted."""
    order = context.aim("rdp", "order")
    return given.to("rdp", order=order, epsilon=formula(given, order))


def _approximate(given: Guarantee, context: Context, *, formula: _Formula) -> Guarantee:
    """Conclude the epsilon of the wanted delta, else the delta of the wanted epsilon.

    The formula returns two curves: the epsilon of each delta, and the delta of each epsilon.
    """
    if given[kind_of(given.kind).amounts[-1]] == 0:
        return given.to("dp", ratio=_ONE)
    epsilon_of, delta_of = formula(given)
    delta, ratio = context.aim("dp", "delta"), context.aim("dp", "ratio")
    if delta is not None and delta != 0:
        epsilon = epsilon_of(delta)
        return given.to("dp", ratio=exp(epsilon) if larger(epsilon, 0) else _ONE, delta=delta)
    assert ratio is not None
    return given.to("dp", ratio=ratio, delta=delta_of(ln(ratio)))


def _curves_of_an_order(given: Guarantee) -> tuple[_Curve, _Curve]:
    order, most = given["order"], given["epsilon"]
    assert isinstance(order, Fraction), "orders are rational"
    return partial(epsilon_for, order, most), partial(delta_for, order, most)


def _curves_of_mu(given: Guarantee) -> tuple[_Curve, _Curve]:
    mu = given["mu"]
    return lambda delta: ln(solved(normal_pair(mu), delta, _STEPS)), lambda e: gap_of(mu, exp(e))


_GIVEN = {"dp": (finite, pure)}  # else the amount must have an end
_WANTED = {"dp": (_epsilon_or_delta_wanted,), "rdp": (_order_wanted,)}
_RULES: dict[str, Callable[..., Guarantee]] = {
    "dp": _approximate,
    "rdp": _divergence,
    "zcdp": partial(_number, kind="zcdp"),
    "gdp": partial(_number, kind="gdp"),
}


def _converts(premise: str, conclusion: str, citation: str, formula: _Formula, **more: Any) -> None:
    """Register what a kind is worth in terms of another.

    The formula takes the guarantee, and for a divergence also the order that is wanted.
    """
    name = f"{'pure-' if premise == 'dp' else ''}{premise}-to-{conclusion}"
    theorem(
        f"{name}: {premise} => {conclusion}",
        citation,
        hypotheses=(*_GIVEN.get(premise, (_bounded,)), *_WANTED.get(conclusion, ())),
        **more,
    )(partial(_RULES[conclusion], formula=formula))


_converts(
    "dp",
    "zcdp",
    f"{_BUN}, Proposition 1.4",
    lambda given: pure_rho(given.epsilon),
    statement="Pure differential privacy is zCDP with rho = epsilon tanh(epsilon/2).",
    printed="epsilon-DP is (epsilon^2/2)-zCDP",
    printed_rule=lambda given, _: given.to("zcdp", rho=given.epsilon * given.epsilon / 2),
    tight="rho = epsilon tanh(epsilon/2), attained by randomized response",
    tightness="tight",
)
_converts(
    "dp",
    "rdp",
    f"{_MIRONOV}, randomized response",
    lambda given, order: response(given.ratio, order),
    statement="Pure differential privacy has at most the Renyi divergences of randomized response.",
    tight="ln((e^(a epsilon) + e^((1-a) epsilon)) / (1 + e^epsilon)) / (a - 1), attained by "
    "randomized response",
    tightness="tight",
)
_converts(
    "dp",
    "gdp",
    f"{_DONG}, trade-off functions",
    lambda given: response_mu(given.ratio),
    statement="Pure differential privacy is Gaussian differential privacy, by one corner of its "
    "tests.",
    tight="mu = 2 F^-1(e^epsilon / (1 + e^epsilon)), attained by randomized response",
    tightness="tight",
)
_converts(
    "zcdp",
    "rdp",
    f"{_BUN}, Definition 1.1",
    lambda given, order: order * given["rho"],
    statement="By its definition, zCDP bounds the divergence of every order by the order times "
    "rho.",
    tight="attained by Gaussian noise, at every order",
    tightness="tight",
)
_converts(
    "gdp",
    "zcdp",
    f"{_DONG}, post-processing of normal laws",
    lambda given: given["mu"] ** 2 / 2,
    statement="Gaussian differential privacy is zCDP with rho = mu^2/2.",
    tight="rho = mu^2/2, attained by Gaussian noise",
    tightness="tight",
)
_converts(
    "gdp",
    "rdp",
    f"{_DONG}, post-processing of normal laws",
    lambda given, order: order * given["mu"] ** 2 / 2,
    statement="Gaussian differential privacy has at most the Renyi divergences of Gaussian noise.",
    tight="a mu^2/2, attained by Gaussian noise",
    tightness="tight",
)
_converts(
    "rdp",
    "dp",
    _CANONNE,
    _curves_of_an_order,
    statement="D_a <= e gives delta = e^((a-1)(e - epsilon)) (1 - 1/a)^a / (a - 1) at each "
    "epsilon.",
    tight="not known to be tight for one order",
)
_converts(
    "zcdp",
    "dp",
    _CANONNE,
    lambda given: (partial(zcdp_epsilon, given["rho"]), partial(zcdp_delta, given["rho"])),
    statement="By its best order, zCDP gives a delta at each epsilon, and an epsilon at each "
    "delta.",
    tight="not tight: Gaussian noise needs less, and nothing is known to need more",
)
_converts(
    "gdp",
    "dp",
    f"{_DONG}, duality",
    _curves_of_mu,
    statement="Gaussian differential privacy has the delta of Gaussian noise at each epsilon.",
    tight="delta = F(mu/2 - epsilon/mu) - e^epsilon F(-mu/2 - epsilon/mu), attained by Gaussian "
    "noise",
    tightness="tight",
)

# --- one kind, other numbers: smaller orders, groups, several mechanisms --------------------------


theorem(
    "rdp-smaller-order: rdp => rdp",
    f"{_MIRONOV}, monotonicity",
    statement="A Renyi divergence of a smaller order is no larger.",
    hypotheses=(_bounded, _smaller_order_wanted),
    auxiliary=True,
)(partial(_divergence, formula=lambda given, _: given["epsilon"]))


def _grown(given: Guarantee, context: Context, *, power: int) -> Guarantee:
    """Conclude k^power times the amount, for a group that is k steps away."""
    factor = steps_to_group(given, context) ** power
    return given.to(given.kind, **_times(given, factor), group=context.group)


def _replaced(given: Guarantee, _context: Context, *, power: int) -> Guarantee:
    """Conclude the amount of two steps."""
    return given.to(given.kind, **_times(given, 2**power), neighbours=SUBSTITUTE)


def _times(given: Guarantee, factor: int) -> dict[str, Number]:
    return {name: factor * amount for name, amount in given.numbers.items()}


def _added(given: Guarantee, context: Context, *, name: str, power: int = 1) -> Guarantee:
    """Conclude that amounts add up, or their squares do; an order stays."""
    total = sum((one[name] ** power for one in (given, *context.others)), start=Fraction(0))
    added = total if power == 1 else sqrt(total)
    return given.to(given.kind, **{**given.numbers, name: added})


for _kind, _name, _paper, _power, _factor in (
    ("zcdp", "rho", _BUN, 2, "k^2"),
    ("gdp", "mu", _DONG, 1, "k"),
):
    theorem(
        f"{_kind}-group: {_kind} => {_kind}",
        f"{_paper}, group privacy",
        f"For groups of k people {_name} is multiplied by {_factor}.",
        hypotheses=(larger_group_wanted,),
        auxiliary=True,
        tight=f"{_factor} {_name}, attained by Gaussian noise on a count",
        tightness="tight",
    )(partial(_grown, power=_power))
    theorem(
        f"{_kind}-replacing: {_kind} => {_kind}",
        f"{_paper}, group privacy",
        f"To replace a record is to remove one and add one: {2**_power} {_name}.",
        hypotheses=(one_person, by_removal),
        auxiliary=True,
    )(partial(_replaced, power=_power))

for _kind, _paper, _said, _by, _rule in (
    (
        "rdp",
        _MIRONOV,
        "Renyi divergences of one order add up.",
        "independent outputs",
        partial(_added, name="epsilon"),
    ),
    ("zcdp", _BUN, "The numbers rho add up.", "Gaussian noise", partial(_added, name="rho")),
    (
        "gdp",
        _DONG,
        "The numbers mu add up in squares.",
        "Gaussian noise",
        partial(_added, name="mu", power=2),
    ),
):
    theorem(
        f"{_kind}-composition: {_kind} => {_kind}",
        f"{_paper}, composition",
        statement=_said,
        hypotheses=(same_setting,),
        tight=f"attained by {_by}",
        tightness="tight",
        combines=True,
    )(_rule)


# --- What does not follow -------------------------------------------------------------------------


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
            f"{_premise}-{_conclusion}-limit: {_premise} =/=> {_conclusion}",
            "twoworlds, found here",
            statement=_STATEMENTS.get(f"{_premise} {_conclusion}", _STATEMENTS[_premise]),
        )(falls_short)
