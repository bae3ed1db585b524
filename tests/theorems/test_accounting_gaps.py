"""What does not follow: every counterexample satisfies what is given, and needs more."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws import divergences as plain
from twoworlds.theorems import NON_IMPLICATIONS, Guarantee
from twoworlds.theorems.accounting import _keeps, _rare, _response_epsilon

ORDERS = st.fractions(Fraction(5, 4), 8, max_denominator=4)


def facts(stated, claim):
    found = Guarantee.parse(stated).implies(claim)
    assert found.holds is False
    [refutation] = [r for r in found.refutations if r.of.name.endswith("-limit") and r.decisive]
    return refutation


@pytest.mark.parametrize(
    ("stated", "enough", "too_little"),
    [
        ("gdp(mu=1)", "dp(epsilon=1, delta=0.127)", "dp(epsilon=1, delta=0.126)"),
        ("gdp(mu=1)", "zcdp(rho=1/2)", "zcdp(rho=0.499)"),
        ("gdp(mu=1)", "rdp(order=3, epsilon=3/2)", "rdp(order=3, epsilon=1.49)"),
        ("gdp(mu=1)", "gdp(mu=1)", "gdp(mu=0.99)"),
        ("zcdp(rho=1/2)", "rdp(order=3, epsilon=3/2)", "rdp(order=3, epsilon=1.49)"),
        ("zcdp(rho=1/2)", "zcdp(rho=1/2)", "zcdp(rho=0.49)"),
        ("zcdp(rho=1/2)", "dp(epsilon=1, delta=0.26)", "dp(epsilon=1, delta=0.126)"),
        ("rdp(order=2, epsilon=1)", "rdp(order=2, epsilon=1)", "rdp(order=2, epsilon=0.99)"),
        ("rdp(order=2, epsilon=1)", "dp(epsilon=3, delta=0.04)", "dp(epsilon=1, delta=0.12)"),
        ("dp(ratio=3)", "zcdp(rho=0.55)", "zcdp(rho=0.549)"),
        ("dp(ratio=3)", "gdp(mu=1.349)", "gdp(mu=1.348)"),
        ("dp(ratio=3)", "rdp(order=2, epsilon=0.848)", "rdp(order=2, epsilon=0.847)"),
    ],
)
def test_what_is_tight_is_decided_on_both_sides(stated, enough, too_little):
    assert Guarantee.parse(stated).implies(enough).holds is True
    assert Guarantee.parse(stated).implies(too_little).holds is False


@pytest.mark.parametrize("claim", ["zcdp(rho=1000)", "gdp(mu=1000)", "rdp(order=2, epsilon=999)"])
def test_a_delta_above_zero_gives_no_amount_at_all(claim):
    found = facts("dp(ratio=3, delta=1/1000000)", claim)
    assert "published with probability 1/1000000" in found.text
    kind = claim.partition("(")[0]
    if kind != "rdp":
        assert Guarantee.parse("dp(epsilon=inf, delta=1/10)").implies(kind).holds is False


@given(st.fractions(Fraction(1, 50), 4, max_denominator=50))
def test_zcdp_does_not_give_back_the_mu_of_gaussian_noise(rho):
    """Randomized response with this rho has a larger mu than sqrt(2 rho)."""
    epsilon = float(_response_epsilon(rho))
    p = 1 / (1 + 2.718281828459045**-epsilon)
    assert plain.divergence([Fraction(p), Fraction(1 - p)], [Fraction(1 - p), Fraction(p)], 1) <= (
        float(rho) * (1 + 1e-9)
    )
    root = Fraction((2 * float(rho)) ** 0.5)
    assert 2 * plain.NORMAL.inv_cdf(p) > float(root)
    assert Guarantee.of("zcdp", rho=rho).implies("gdp", mu=root).holds is False


@given(ORDERS, st.fractions(Fraction(1, 10), 3, max_denominator=10), st.sampled_from([16, 64, 256]))
def test_the_rare_event_keeps_its_order_and_breaks_larger_ones(order, epsilon, bits):
    p, q = _rare(order, epsilon, bits)
    both = [
        plain.divergence((one, 1 - one), (other, 1 - other), order)
        for one, other in ((p, q), (q, p))
    ]
    assert not _keeps(order, epsilon, p, q) or max(both) <= float(epsilon) + 1e-9


@pytest.mark.parametrize(
    ("claim", "name"),
    [("zcdp(rho=10)", "rho"), ("gdp(mu=2)", "mu"), ("rdp(order=4, epsilon=50)", "epsilon")],
)
def test_one_order_says_nothing_of_larger_ones(claim, name):
    found = facts("rdp(order=2, epsilon=1/2)", claim)
    p, q = found.facts["p"], found.facts["q"]
    first, second = (p, 1 - p), (q, 1 - q)
    for pair in ((first, second), (second, first)):
        assert plain.divergence(*pair, 2) <= 1 / 2
    truly = {
        "rho": lambda: plain.largest_rho(first, second),
        "mu": lambda: plain.NORMAL.inv_cdf(float(p)) - plain.NORMAL.inv_cdf(float(q)),
        "epsilon": lambda: plain.divergence(first, second, 4),
    }[name]()
    assert truly >= float(Guarantee.parse(claim)[name])


def test_a_number_beyond_the_rarest_event_that_is_computed_is_refuted_by_the_limit():
    found = facts("rdp(order=2, epsilon=1/2)", "gdp(mu=1000)")
    assert found.text.startswith("an event that is rare enough")
    assert not found.facts


def test_what_is_open_stays_open():
    assert Guarantee.parse("zcdp(rho=1/8)").implies("gdp(mu=5)").holds is None
    assert Guarantee.parse("zcdp(rho=1/8)").implies("dp(epsilon=1, delta=0.05)").holds in (
        None,
        True,
    )
    other = Guarantee.parse("gdp(mu=1)").implies("gdp(mu=0.1, neighbours=add-remove)")
    assert other.holds is None
    assert Guarantee.parse("rdp(order=2, epsilon=0)").implies("zcdp(rho=1)").holds is None
    assert Guarantee.parse("dp(epsilon=inf)").implies("zcdp(rho=1)").holds is None


def test_every_pair_of_kinds_has_its_limit():
    names = {name for name in NON_IMPLICATIONS if name.endswith("-limit")}
    for premise in ("rdp", "zcdp", "gdp"):
        for conclusion in ("dp", "rdp", "zcdp", "gdp"):
            assert f"{premise}-{conclusion}-limit" in names
