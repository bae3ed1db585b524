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
from functools import partial
from typing import Any

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
    steps_to_group,
)
from twoworlds.theorems.formulas import brief
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.kinds import kind_of
from twoworlds.theorems.statements import Check, Context, theorem
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
    theorem(
        f"{'pure-' if premise == 'dp' else ''}{premise}-to-{conclusion}",
        premises=[premise],
        conclusion=conclusion,
        citation=citation,
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
    "rdp-smaller-order",
    premises=["rdp"],
    conclusion="rdp",
    citation=f"{_MIRONOV}, monotonicity",
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
    _same: dict[str, Any] = {
        "premises": [_kind],
        "conclusion": _kind,
        "citation": f"{_paper}, group privacy",
        "auxiliary": True,
    }
    theorem(
        f"{_kind}-group",
        **_same,
        statement=f"For groups of k people {_name} is multiplied by {_factor}.",
        hypotheses=(larger_group_wanted,),
        tight=f"{_factor} {_name}, attained by Gaussian noise on a count",
        tightness="tight",
    )(partial(_grown, power=_power))
    theorem(
        f"{_kind}-replacing",
        **_same,
        statement=f"To replace a record is to remove one and add one: {2**_power} {_name}.",
        hypotheses=(one_person, by_removal),
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
        f"{_kind}-composition",
        premises=[_kind],
        conclusion=_kind,
        citation=f"{_paper}, composition",
        statement=_said,
        hypotheses=(same_setting,),
        tight=f"attained by {_by}",
        tightness="tight",
        combines=True,
    )(_rule)
