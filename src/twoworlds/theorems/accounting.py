r"""What accountants convert between: pure and approximate dp, Renyi divergences, zCDP, Gaussian DP.

With D_a the Renyi divergence of order a, F the normal distribution function and r = e^epsilon:

    rdp(a, e)    D_a <= e between neighbours, both ways round
    zcdp(rho)    D_a <= a rho for all a > 1
    gdp(mu)      no test does better than one of N(0, 1) against N(mu, 1)

The formulas of divergences, with their proofs, are in `twoworlds.laws.renyi`.

**From pure dp.** Between two worlds it is a post-processing of randomized response with odds r. So
what that one has is the worst, for every number that post-processing never raises: its divergence
at each order, rho = epsilon tanh(epsilon/2), and mu = 2 F^-1(r / (1 + r)), since the corner of its
best tests has false alarms and misses 1 / (1 + r), and corners suffice (`twoworlds.laws.gdp`).

**From gdp.** Two laws that are no easier to tell apart than N(mu, 1) from N(0, 1) are a
post-processing of these (Blackwell). So delta at each epsilon, and the divergences a mu^2 / 2, are
those of the normal laws at most, and they have them.

**Groups.** For zCDP, Hoelder's inequality with R between P and Q gives

    D_a(P || Q) <= k a / (k a - 1) D_b(P || R) + D_(k a)(R || Q),    b = (k a - 1) / (k - 1).

If R is k - 1 steps from P and one from Q, by induction that is at most k a (k - 1) rho + k a rho =
a k^2 rho. For gdp, a test with false alarms z finds the middle with probability at most F(F^-1(z) +
mu), and from there the same again: the shifts add up. Gaussian noise on a count attains both.

What does not follow is in `twoworlds.theorems.accounting_limits`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from twoworlds.laws.comparison import larger, solved
from twoworlds.laws.gdp import gap_of, normal_pair, response_mu
from twoworlds.laws.renyi import (
    delta_for,
    epsilon_for,
    pure_rho,
    response,
    zcdp_delta,
    zcdp_epsilon,
)
from twoworlds.numbers import INFINITY, Number, exp, ln, sqrt
from twoworlds.theorems.combinations import same_setting
from twoworlds.theorems.common import (
    at_most,
    by_removal,
    finite,
    larger_group_wanted,
    needs,
    one_person,
    pure,
)
from twoworlds.theorems.formulas import brief
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.kinds import kind_of
from twoworlds.theorems.statements import Check, Context, theorem
from twoworlds.worlds import SUBSTITUTE

_MIRONOV, _BUN = "Mironov 2017", "Bun & Steinke 2016"
_DONG = "Dong, Roth & Su 2022"
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


def _approximate(
    given: Guarantee,
    context: Context,
    epsilon_for_delta: Callable[[Number], Number],
    delta_for_epsilon: Callable[[Number], Number],
) -> Guarantee:
    """Conclude the epsilon of the wanted delta, else the delta of the wanted epsilon."""
    delta, ratio = context.aim("dp", "delta"), context.aim("dp", "ratio")
    if delta is not None and delta != 0:
        epsilon = epsilon_for_delta(delta)
        return given.to("dp", ratio=exp(epsilon) if larger(epsilon, 0) else _ONE, delta=delta)
    assert ratio is not None
    return given.to("dp", ratio=ratio, delta=delta_for_epsilon(ln(ratio)))


# --- from pure differential privacy ---------------------------------------------------------------


@theorem(
    "pure-dp-to-zcdp",
    premises=["dp"],
    conclusion="zcdp",
    citation=f"{_BUN}, Proposition 1.4",
    hypotheses=(finite, pure),
    printed="epsilon-DP is (epsilon^2/2)-zCDP",
    printed_rule=lambda given, _: given.to("zcdp", rho=given.epsilon * given.epsilon / 2),
    tight="rho = epsilon tanh(epsilon/2), attained by randomized response",
    tightness="tight",
)
def pure_dp_to_zcdp(given: Guarantee, _context: Context) -> Guarantee:
    """Pure differential privacy is zCDP with rho = epsilon tanh(epsilon/2)."""
    return given.to("zcdp", rho=pure_rho(given.epsilon))


@theorem(
    "pure-dp-to-rdp",
    premises=["dp"],
    conclusion="rdp",
    citation=f"{_MIRONOV}, randomized response",
    hypotheses=(finite, pure, _order_wanted),
    tight="ln((e^(a epsilon) + e^((1-a) epsilon)) / (1 + e^epsilon)) / (a - 1), attained by "
    "randomized response",
    tightness="tight",
)
def pure_dp_to_rdp(given: Guarantee, context: Context) -> Guarantee:
    """Pure differential privacy has at most the Renyi divergences of randomized response."""
    wanted = _wanted_order(context)
    return given.to("rdp", order=wanted, epsilon=response(given.ratio, wanted))


@theorem(
    "pure-dp-to-gdp",
    premises=["dp"],
    conclusion="gdp",
    citation=f"{_DONG}, trade-off functions",
    hypotheses=(finite, pure),
    tight="mu = 2 F^-1(e^epsilon / (1 + e^epsilon)), attained by randomized response",
    tightness="tight",
)
def pure_dp_to_gdp(given: Guarantee, _context: Context) -> Guarantee:
    """Pure differential privacy is Gaussian differential privacy, by one corner of its tests."""
    return given.to("gdp", mu=response_mu(given.ratio))


# --- between divergences --------------------------------------------------------------------------


def _wanted_order(context: Context) -> Fraction:
    wanted = context.aim("rdp", "order")
    assert isinstance(wanted, Fraction), "orders are rational"
    return wanted


@theorem(
    "zcdp-to-rdp",
    premises=["zcdp"],
    conclusion="rdp",
    citation=f"{_BUN}, Definition 1.1",
    hypotheses=(_bounded, _order_wanted),
    tight="attained by Gaussian noise, at every order",
    tightness="tight",
)
def zcdp_to_rdp(given: Guarantee, context: Context) -> Guarantee:
    """By its definition, zCDP bounds the divergence of every order by the order times rho."""
    wanted = _wanted_order(context)
    return given.to("rdp", order=wanted, epsilon=wanted * given["rho"])


def _smaller_order_wanted(given: Guarantee, context: Context) -> Check:
    wanted = context.aim("rdp", "order")
    if wanted is None:
        return needs("the smaller order that is wanted", known=None, how="order=")
    return at_most("the wanted order is no larger", wanted, given["order"])


@theorem(
    "rdp-smaller-order",
    premises=["rdp"],
    conclusion="rdp",
    citation=f"{_MIRONOV}, monotonicity",
    hypotheses=(_bounded, _smaller_order_wanted),
    auxiliary=True,
)
def rdp_smaller_order(given: Guarantee, context: Context) -> Guarantee:
    """A Renyi divergence of a smaller order is no larger."""
    return given.to("rdp", order=_wanted_order(context), epsilon=given["epsilon"])


@theorem(
    "gdp-to-zcdp",
    premises=["gdp"],
    conclusion="zcdp",
    citation=f"{_DONG}, post-processing of normal laws",
    hypotheses=(_bounded,),
    tight="rho = mu^2/2, attained by Gaussian noise",
    tightness="tight",
)
def gdp_to_zcdp(given: Guarantee, _context: Context) -> Guarantee:
    """Gaussian differential privacy is zCDP with rho = mu^2/2."""
    return given.to("zcdp", rho=given["mu"] ** 2 / 2)


@theorem(
    "gdp-to-rdp",
    premises=["gdp"],
    conclusion="rdp",
    citation=f"{_DONG}, post-processing of normal laws",
    hypotheses=(_bounded, _order_wanted),
    tight="a mu^2/2, attained by Gaussian noise",
    tightness="tight",
)
def gdp_to_rdp(given: Guarantee, context: Context) -> Guarantee:
    """Gaussian differential privacy has at most the Renyi divergences of Gaussian noise."""
    wanted = _wanted_order(context)
    return given.to("rdp", order=wanted, epsilon=wanted * given["mu"] ** 2 / 2)


# --- to approximate differential privacy ----------------------------------------------------------


@theorem(
    "rdp-to-dp",
    premises=["rdp"],
    conclusion="dp",
    citation="Canonne, Kamath & Steinke 2020, Section 2.3",
    hypotheses=(_bounded, _epsilon_or_delta_wanted),
    tight="not known to be tight for one order",
)
def rdp_to_dp(given: Guarantee, context: Context) -> Guarantee:
    """D_a <= e gives delta = e^((a-1)(e - epsilon)) (1 - 1/a)^a / (a - 1) at each epsilon."""
    a, most = given["order"], given["epsilon"]
    assert isinstance(a, Fraction), "orders are rational"
    if most == 0:
        return given.to("dp", ratio=_ONE)
    return _approximate(
        given, context, lambda delta: epsilon_for(a, most, delta), lambda e: delta_for(a, most, e)
    )


@theorem(
    "zcdp-to-dp",
    premises=["zcdp"],
    conclusion="dp",
    citation="Canonne, Kamath & Steinke 2020, Section 2.3",
    hypotheses=(_bounded, _epsilon_or_delta_wanted),
    tight="not tight: Gaussian noise needs less, and nothing is known to need more",
)
def zcdp_to_dp(given: Guarantee, context: Context) -> Guarantee:
    """By its best order, zCDP gives a delta at each epsilon, and an epsilon at each delta."""
    rho = given["rho"]
    if rho == 0:
        return given.to("dp", ratio=_ONE)
    return _approximate(
        given, context, lambda delta: zcdp_epsilon(rho, delta), lambda e: zcdp_delta(rho, e)
    )


@theorem(
    "gdp-to-dp",
    premises=["gdp"],
    conclusion="dp",
    citation=f"{_DONG}, duality",
    hypotheses=(_bounded, _epsilon_or_delta_wanted),
    tight="delta = F(mu/2 - epsilon/mu) - e^epsilon F(-mu/2 - epsilon/mu), attained by Gaussian "
    "noise",
    tightness="tight",
)
def gdp_to_dp(given: Guarantee, context: Context) -> Guarantee:
    """Gaussian differential privacy has the delta of Gaussian noise at each epsilon."""
    mu = given["mu"]
    if mu == 0:
        return given.to("dp", ratio=_ONE)
    normal = normal_pair(mu)
    return _approximate(
        given,
        context,
        lambda delta: ln(solved(normal, delta, _STEPS)),
        lambda epsilon: gap_of(mu, exp(epsilon)),
    )


# --- groups, and several mechanisms ---------------------------------------------------------------


def _steps(given: Guarantee, context: Context) -> int:
    """Return how many steps of the guarantee lead to the wanted group."""
    assert context.group is not None
    return -(-context.group // given.group)


@theorem(
    "zcdp-group",
    premises=["zcdp"],
    conclusion="zcdp",
    citation=f"{_BUN}, group privacy",
    hypotheses=(larger_group_wanted,),
    tight="k^2 rho, attained by Gaussian noise on a count",
    tightness="tight",
    auxiliary=True,
)
def zcdp_group(given: Guarantee, context: Context) -> Guarantee:
    """For groups of k people rho is multiplied by k^2."""
    rho = _steps(given, context) ** 2 * given["rho"]
    return given.to("zcdp", rho=rho, group=context.group)


@theorem(
    "gdp-group",
    premises=["gdp"],
    conclusion="gdp",
    citation=f"{_DONG}, group privacy",
    hypotheses=(larger_group_wanted,),
    tight="k mu, attained by Gaussian noise on a count",
    tightness="tight",
    auxiliary=True,
)
def gdp_group(given: Guarantee, context: Context) -> Guarantee:
    """For groups of k people mu is multiplied by k."""
    return given.to("gdp", mu=_steps(given, context) * given["mu"], group=context.group)


@theorem(
    "zcdp-replacing",
    premises=["zcdp"],
    conclusion="zcdp",
    citation=f"{_BUN}, group privacy",
    hypotheses=(one_person, by_removal),
    auxiliary=True,
)
def zcdp_replacing(given: Guarantee, _context: Context) -> Guarantee:
    """To replace a record is to remove one and add one: 4 rho."""
    return given.to("zcdp", rho=4 * given["rho"], neighbours=SUBSTITUTE)


@theorem(
    "gdp-replacing",
    premises=["gdp"],
    conclusion="gdp",
    citation=f"{_DONG}, group privacy",
    hypotheses=(one_person, by_removal),
    auxiliary=True,
)
def gdp_replacing(given: Guarantee, _context: Context) -> Guarantee:
    """To replace a record is to remove one and add one: 2 mu."""
    return given.to("gdp", mu=2 * given["mu"], neighbours=SUBSTITUTE)


def _added(given: Guarantee, context: Context, name: str) -> Number:
    return sum((one[name] for one in context.others), start=given[name])


@theorem(
    "rdp-composition",
    premises=["rdp"],
    conclusion="rdp",
    citation=f"{_MIRONOV}, composition",
    hypotheses=(same_setting,),
    tight="attained by independent outputs",
    tightness="tight",
    combines=True,
)
def rdp_composition(given: Guarantee, context: Context) -> Guarantee:
    """Renyi divergences of one order add up."""
    epsilon = _added(given, context, "epsilon")
    return given.to("rdp", order=given["order"], epsilon=epsilon)


@theorem(
    "zcdp-composition",
    premises=["zcdp"],
    conclusion="zcdp",
    citation=f"{_BUN}, composition",
    hypotheses=(same_setting,),
    tight="attained by Gaussian noise",
    tightness="tight",
    combines=True,
)
def zcdp_composition(given: Guarantee, context: Context) -> Guarantee:
    """The numbers rho add up."""
    return given.to("zcdp", rho=_added(given, context, "rho"))


@theorem(
    "gdp-composition",
    premises=["gdp"],
    conclusion="gdp",
    citation=f"{_DONG}, composition",
    hypotheses=(same_setting,),
    tight="attained by Gaussian noise",
    tightness="tight",
    combines=True,
)
def gdp_composition(given: Guarantee, context: Context) -> Guarantee:
    """The numbers mu add up in squares."""
    squares = (one["mu"] ** 2 for one in context.others)
    return given.to("gdp", mu=sqrt(sum(squares, start=given["mu"] ** 2)))
