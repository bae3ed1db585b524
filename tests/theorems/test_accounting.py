"""Conversions between accountants' numbers: on random laws, on Gaussian noise, and by type."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws import divergences as plain
from tests.theorems import brute
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.numbers import INFINITY, Order, bounds, compare, exp, ln
from twoworlds.release.costs import zcdp_to_delta, zcdp_to_epsilon
from twoworlds.theorems import NON_IMPLICATIONS, THEOREMS, Guarantee, compose, mix, post_process
from twoworlds.theorems.accounting import _keeps, _rare, _response_epsilon

RATIOS = st.fractions(Fraction(11, 10), 8, max_denominator=10)
AMOUNTS = st.fractions(Fraction(1, 50), 3, max_denominator=50)
ORDERS = st.fractions(Fraction(9, 8), 12, max_denominator=8)
DELTAS = st.integers(1, 9).map(lambda n: Fraction(1, 10**n))


def best(stated, kind, **wanted):
    return Guarantee.parse(stated).implies(kind, **wanted).best


# --- from pure differential privacy ---------------------------------------------------------------


@given(brute.mechanisms(people=1, transcripts=3), ORDERS)
def test_what_follows_from_a_ratio_holds_of_every_mechanism(mechanism, order):
    given_ = Guarantee.of("dp", ratio=brute.pure_ratio(mechanism))
    rho = float(given_.implies("zcdp").best["rho"])
    mu = float(given_.implies("gdp").best["mu"])
    most = float(given_.implies("rdp", order=order).best["epsilon"])
    for x, y in brute.neighbours(mechanism):
        p, q = mechanism[x], mechanism[y]
        assert plain.largest_rho(p, q) <= rho + 1e-12
        assert plain.largest_mu(p, q) <= mu + 1e-9
        assert plain.divergence(p, q, order) <= most + 1e-12


@given(RATIOS, ORDERS)
def test_randomized_response_attains_what_follows_from_a_ratio(ratio, order):
    p = [ratio / (1 + ratio), 1 / (1 + ratio)]
    given_ = Guarantee.of("dp", ratio=ratio)
    assert float(given_.implies("zcdp").best["rho"]) == pytest.approx(
        plain.divergence(p, p[::-1], 1), rel=1e-9
    )
    assert float(given_.implies("gdp").best["mu"]) == pytest.approx(
        plain.largest_mu(p, p[::-1]), rel=1e-9
    )
    assert float(given_.implies("rdp", order=order).best["epsilon"]) == pytest.approx(
        plain.divergence(p, p[::-1], order), rel=1e-9
    )


def test_exact_numbers_stay_exact():
    given_ = Guarantee.parse("dp(ratio=3)")
    assert compare(given_.implies("zcdp").best["rho"], ln(Fraction(3)) / 2) is not Order.LESS
    assert given_.implies("rdp", order=2).best["epsilon"] == ln(Fraction(7, 3))
    assert best("gdp(mu=1/2)", "zcdp")["rho"] == Fraction(1, 8)
    assert best("zcdp(rho=1/8)", "rdp(order=3)")["epsilon"] == Fraction(3, 8)
    assert best("gdp(mu=2)", "rdp(order=3/2)")["epsilon"] == Fraction(3)


# --- to approximate differential privacy ----------------------------------------------------------


@given(brute.mechanisms(people=1, transcripts=3), ORDERS, st.fractions(0, 3, max_denominator=8))
def test_what_follows_from_a_divergence_holds_of_every_mechanism(mechanism, order, epsilon):
    both = [(mechanism[x], mechanism[y]) for x, y in brute.neighbours(mechanism)]
    most = max(plain.divergence(p, q, order) for p, q in both)
    given_ = Guarantee.of("rdp", order=order, epsilon=Fraction(most) + Fraction(1, 10**12))
    found = given_.implies("dp", epsilon=epsilon)
    there = (one for one in found.conclusions if compare(one.ratio, exp(epsilon)) is Order.EQUAL)
    delta = min((float(one.delta) for one in there), default=1.0)
    assert float(brute.delta_of(mechanism, bounds(exp(epsilon))[0])) <= delta + 1e-9


@given(AMOUNTS, st.fractions(0, 4, max_denominator=10))
def test_gaussian_noise_attains_the_delta_of_mu_and_stays_below_that_of_rho(mu, epsilon):
    exact = plain.gaussian_delta(mu, epsilon)
    for stated, tight in ((f"gdp(mu={mu})", True), (f"zcdp(rho={mu * mu / 2})", False)):
        found = [one for one in Guarantee.parse(stated).implies("dp", epsilon=epsilon).conclusions
                 if compare(one.ratio, exp(epsilon)) is Order.EQUAL]  # fmt: skip
        deltas = [float(one.delta) for one in found]
        if tight:
            assert min(deltas) == pytest.approx(exact, abs=1e-12)
        else:
            assert all(exact <= delta + 1e-12 for delta in deltas)


@given(AMOUNTS, DELTAS)
def test_the_epsilon_of_a_delta_is_where_gaussian_noise_has_that_delta(mu, delta):
    found = Guarantee.of("gdp", mu=mu).implies("dp", delta=delta).best
    assert found.delta == delta
    if found.ratio == 1:
        assert plain.gaussian_delta(mu, 0) <= float(delta) + 1e-12
    else:
        assert plain.gaussian_delta(mu, found.epsilon) == pytest.approx(float(delta), rel=1e-6)


@given(st.fractions(Fraction(1, 100), 2, max_denominator=100), DELTAS)
def test_zcdp_converts_as_the_budget_of_releases_does(rho, delta):
    """One rule for both: the budget rounds it up to a decimal."""
    found = Guarantee.of("zcdp", rho=rho).implies("dp", delta=delta).best
    assert float(found.epsilon) == pytest.approx(float(zcdp_to_epsilon(rho, delta)), rel=1e-9)
    claimed = zcdp_to_delta(rho, Fraction(1))
    if claimed < 1:
        asked = Guarantee.of("zcdp", rho=rho).implies("dp", epsilon=1).conclusions
        there = [one for one in asked if compare(one.ratio, exp(Fraction(1))) is Order.EQUAL]
        assert min(float(one.delta) for one in there) == pytest.approx(float(claimed), rel=1e-9)


@pytest.mark.parametrize("stated", ["zcdp(rho=0)", "gdp(mu=0)", "rdp(order=2, epsilon=0)"])
def test_nothing_told_is_perfect_privacy(stated):
    assert str(best(stated, "dp(delta=1e-6)")) == "dp(epsilon=0)"


def test_a_delta_or_an_epsilon_is_needed_and_the_way_to_give_it_is_said():
    found = Guarantee.parse("zcdp(rho=1/8)").implies("dp")
    assert found.best is None
    assert "give delta=, as in 'dp(delta=1e-6)'" in found.explain()
    found = Guarantee.parse("zcdp(rho=1/8)").implies("rdp")
    assert "give order=, as in 'rdp(order=2)'" in found.explain()
    quiet = Guarantee.parse("zcdp(rho=1/8)").implies("semantic").explain()
    assert "wanted" not in quiet


# --- one order, all orders ------------------------------------------------------------------------


@given(brute.mechanisms(people=1, transcripts=3), ORDERS, ORDERS)
def test_a_smaller_order_follows_and_a_larger_one_does_not(mechanism, one, other):
    low, high = sorted((one, other))
    p, q = mechanism[0,], mechanism[1,]
    most = plain.divergence(p, q, high)
    given_ = Guarantee.of("rdp", order=high, epsilon=Fraction(most) + Fraction(1, 10**12))
    found = given_.implies(f"rdp(order={low})")
    assert found.holds
    assert plain.divergence(p, q, low) <= float(found.best["epsilon"])
    if low < high and most > 0.01:
        upward = Guarantee.of("rdp", order=low, epsilon=given_["epsilon"])
        assert upward.implies(f"rdp(order={high}, epsilon=1000)").holds is False


# --- groups ---------------------------------------------------------------------------------------


@given(brute.mechanisms(people=3, transcripts=2), st.integers(2, 3))
def test_groups_pay_the_square_of_rho_and_a_multiple_of_mu(mechanism, size):
    both = [(mechanism[x], mechanism[y]) for x, y in brute.neighbours(mechanism)]
    fine = [Fraction(k, 4) for k in range(5, 200)]
    rho = Fraction(max(plain.largest_rho(p, q, fine) for p, q in both)) * Fraction(101, 100)
    mu = Fraction(max(plain.largest_mu(p, q) for p, q in both)) + Fraction(1, 10**9)
    wide = Guarantee.of("zcdp", rho=rho).implies("zcdp", group=size).best
    far = Guarantee.of("gdp", mu=mu).implies("gdp", group=size).best
    assert (wide["rho"], far["mu"]) == (size**2 * rho, size * mu)
    for x in mechanism:
        for y in mechanism:
            if sum(a != b for a, b in zip(x, y, strict=True)) == size:
                p, q = mechanism[x], mechanism[y]
                assert plain.largest_rho(p, q) <= float(wide["rho"]) + 1e-12
                assert plain.largest_mu(p, q) <= float(far["mu"]) + 1e-9


def test_gaussian_noise_attains_both_and_the_refutation_says_so():
    assert Guarantee.parse("zcdp(rho=1/8)").implies("zcdp(rho=9/8, group=3)").holds
    assert Guarantee.parse("zcdp(rho=1/8)").implies("zcdp(rho=1.12, group=3)").holds is False
    assert Guarantee.parse("gdp(mu=1/2)").implies("gdp(mu=3/2, group=3)").holds
    refuted = Guarantee.parse("gdp(mu=1/2)").implies("gdp(mu=1.49, group=3)")
    assert refuted.holds is False
    assert "the group moves by 3/2" in refuted.explain()
    few = Guarantee.parse("gdp(mu=1/2, records=2)").implies("gdp(mu=1.2, group=3)")
    assert few.holds is None


def test_replacing_a_record_is_two_steps_of_adding_or_removing():
    for stated, kind, wanted in (
        ("zcdp(rho=1/8, neighbours=add-remove)", "zcdp", "zcdp(rho=0.5)"),
        ("gdp(mu=1/2, neighbours=add-remove)", "gdp", "gdp(mu=1)"),
    ):
        found = Guarantee.parse(stated).implies(kind, neighbours="substitute").best
        assert str(found) == wanted


# --- several mechanisms ---------------------------------------------------------------------------


@given(
    brute.mechanisms(people=1, transcripts=2),
    brute.mechanisms(people=1, transcripts=2),
    ORDERS,
)
def test_divergences_and_rho_add_up_and_mu_adds_up_in_squares(one, other, order):
    both = [
        [x * y for x in one[key] for y in other[key]] for key in ((0,), (1,))
    ]  # fmt: skip
    single = [[mechanism[key] for key in ((0,), (1,))] for mechanism in (one, other)]
    slack = Fraction(1, 10**9)
    for name, measured in (
        ("epsilon", lambda p, q: plain.divergence(p, q, order)),
        ("rho", lambda p, q: plain.largest_rho(p, q)),
        ("mu", plain.largest_mu),
    ):
        kind = {"epsilon": "rdp", "rho": "zcdp", "mu": "gdp"}[name]
        fixed = {"order": order} if kind == "rdp" else {}
        stated = [
            Guarantee.of(kind, **fixed, **{name: Fraction(measured(*pair)) + slack})
            for pair in single
        ]
        assert measured(*both) <= float(compose(*stated)[name]) + 1e-9


def test_compositions_are_exact():
    assert str(compose(*[Guarantee.parse("zcdp(rho=1/8)")] * 3)) == "zcdp(rho=0.375)"
    assert str(compose(*[Guarantee.parse("rdp(order=3, epsilon=1/8)")] * 4)) == (
        "rdp(order=3, epsilon=0.5)"
    )
    assert compose(Guarantee.parse("gdp(mu=3)"), Guarantee.parse("gdp(mu=4)"))["mu"] == 5
    assert compose(*[Guarantee.parse("gdp(mu=1)")] * 2)["mu"] ** 2 == 2


def test_different_kinds_and_orders_are_not_composed():
    with pytest.raises(InvalidInput, match="needs the same setting"):
        compose(
            Guarantee.parse("rdp(order=2, epsilon=1)"), Guarantee.parse("rdp(order=3, epsilon=1)")
        )
    with pytest.raises(Unsupported, match="is about zcdp"):
        compose(Guarantee.parse("zcdp(rho=1)"), Guarantee.parse("gdp(mu=1)"))


@given(
    brute.mechanisms(people=1, transcripts=3),
    brute.mechanisms(people=1, transcripts=3),
    st.fractions(0, 1, max_denominator=10),
)
def test_a_hidden_coin_and_a_map_keep_the_larger_number(one, other, weight):
    mixed = [
        [weight * x + (1 - weight) * y for x, y in zip(one[key], other[key], strict=True)]
        for key in ((0,), (1,))
    ]
    pairs = [[mechanism[key] for key in ((0,), (1,))] for mechanism in (one, other)]
    for name, kind, measured in (
        ("rho", "zcdp", plain.largest_rho),
        ("mu", "gdp", plain.largest_mu),
    ):
        stated = [Guarantee.of(kind, **{name: Fraction(measured(*pair))}) for pair in pairs]
        assert measured(*mixed) <= float(mix(*stated)[name]) + 1e-9
        assert post_process(stated[0]) == stated[0]


# --- numbers and claims ---------------------------------------------------------------------------


def test_an_amount_without_end_holds_of_every_mechanism():
    assert Guarantee.parse("zcdp(rho=inf)").vacuous
    assert not Guarantee.parse("zcdp(rho=1000)").vacuous
    for stated in ("gdp(mu=inf)", "zcdp(rho=inf)", "rdp(order=2, epsilon=inf)"):
        for claim in ("dp(delta=1e-6)", "dp(epsilon=1)", "rdp(order=3/2)", "zcdp", "gdp"):
            if claim.partition("(")[0] != stated.partition("(")[0]:
                assert Guarantee.parse(stated).implies(claim).best is None


def test_a_claim_that_leaves_a_number_out_asks_for_the_smallest_one():
    found = Guarantee.parse("gdp(mu=1)").implies("dp(delta=1e-6)")
    assert found.holds
    assert found.best.delta == Fraction(1, 10**6)
    assert float(found.best.epsilon) == pytest.approx(4.8865541, abs=1e-6)
    whole = Guarantee.parse("gdp(mu=1)").implies("dp(epsilon=1)")
    assert whole.holds is False
    assert float(whole.best.delta) == pytest.approx(0.12693674, abs=1e-7)
    part = Guarantee.parse("dp(epsilon=0.1, records=10)").implies("semantic(delta=1/10)")
    assert part.holds
    with pytest.raises(InvalidInput, match="name the numbers"):
        Guarantee.parse("gdp(mu=1)").implies("dp(1)")
    with pytest.raises(InvalidInput, match="give epsilon= or ratio="):
        Guarantee.parse("gdp(mu=1)").implies("dp()")


def test_no_conversion_goes_there_and_back():
    found = Guarantee.parse("dp(epsilon=0.1)").implies("dp(epsilon=0.2)")
    kinds = [[g.kind for g in outcome.application.given.chain()] for outcome in found.tried]
    assert not any({"zcdp", "gdp", "rdp"} & set(chain) for chain in kinds)


@pytest.mark.parametrize("kind", ["rdp", "zcdp", "gdp"])
def test_each_kind_converts_both_ways(kind):
    into = {one.conclusion for one in THEOREMS.values() if kind in one.premises}
    outof = {p for one in THEOREMS.values() if one.conclusion == kind for p in one.premises}
    assert "dp" in into
    assert "dp" in outof


@pytest.mark.parametrize("mu", ["1/10", "1", "4"])
def test_an_infinite_ratio_is_no_wanted_epsilon(mu):
    found = Guarantee.of("gdp", mu=mu).implies("dp", ratio=INFINITY)
    assert found.best is None


ORDERS_BETWEEN = st.fractions(Fraction(5, 4), 8, max_denominator=4)


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


@given(
    ORDERS_BETWEEN,
    st.fractions(Fraction(1, 10), 3, max_denominator=10),
    st.sampled_from([16, 64, 256]),
)
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
