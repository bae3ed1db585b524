"""The least noise for a claim: re-measured, and beside brute force and dp_accounting."""

import math
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds.errors import InvalidInput, UnknownName, Unsupported
from twoworlds.mechanisms import least_noise
from twoworlds.mechanisms.least_noise import (
    AMOUNTS,
    Claim,
    _crossing,
    amount_of,
    least,
    read_claim,
)
from twoworlds.mechanisms.named import calibrated, compose, discrete_gaussian, gaussian, mechanism
from twoworlds.numbers import bounds, exp, ln, number, spelled

LAWS = {
    "gaussian": "gaussian",
    "discrete-gaussian": "discrete-gaussian",
    "skellam": "skellam",
    "laplace": "laplace",
    "geometric": "geometric",
    "randomized-response": "randomized-response(values=3)",
    "differenced-negative-binomial": "differenced-negative-binomial(r=3)",
}
CLAIMS = [("1", "1e-6"), ("1/10", "1e-3"), ("4", "1e-9"), ("ln 3", "1/20"), ("0", "1/10")]


def delta_of(mechanism_, epsilon, times=1):
    """Measure the delta of so many uses, and return its two ends."""
    uses = compose(mechanism_, times=times) if times > 1 else mechanism_
    return bounds(tw.measure(uses, epsilon=epsilon).delta)


# --- what is found keeps the claim, and less noise does not ---------------------------------------


def test_every_law_is_tried_here():
    assert {*LAWS} == {*AMOUNTS}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("epsilon", "delta"), CLAIMS)
def test_the_noise_keeps_the_claim_and_a_little_less_does_not(law, epsilon, delta):
    found = calibrated(LAWS[law], epsilon=epsilon, delta=delta)
    assert delta_of(found.mechanism, epsilon)[1] <= Fraction(delta)
    assert found.short is not None
    assert delta_of(found.short, epsilon)[0] > Fraction(delta)


@given(
    law=st.sampled_from([*LAWS]),
    epsilon=st.fractions(Fraction(1, 50), 6, max_denominator=50),
    delta=st.integers(1, 9).flatmap(
        lambda k: st.sampled_from([Fraction(d, 10**k) for d in (1, 3)])
    ),
    sensitivity=st.integers(1, 5),
)
def test_it_does_so_for_any_claim_and_sensitivity(law, epsilon, delta, sensitivity):
    moved = 1 if law == "randomized-response" else sensitivity
    found = calibrated(LAWS[law], epsilon=epsilon, delta=delta, sensitivity=moved)
    assert delta_of(found.mechanism, epsilon)[1] <= delta < delta_of(found.short, epsilon)[0]


@pytest.mark.parametrize("law", LAWS)
def test_the_amount_has_six_digits_and_the_next_one_is_not_enough(law):
    amount = amount_of(law, 3)
    found = calibrated(LAWS[law], epsilon=2, delta="1e-4")
    enough, short = (_amount(law, one) for one in (found.mechanism, found.short))
    place = amount.near(float(enough), 6)
    assert (amount.at(place, 6), amount.at(place - 1, 6)) == (enough, short)


def _amount(law, one):
    """Read the number that was typed for the amount of noise."""
    text = one.expression.partition("(")[2]
    name = {"geometric": "p", "skellam": "l1"}.get(law, AMOUNTS[law].name)
    typed = dict(part.split("=") for part in text[:-1].split(", ") if "=" in part)[name]
    return -ln(number(typed)) if law == "geometric" else number(typed)


@pytest.mark.parametrize(
    ("law", "times"),
    [("laplace", 20), ("geometric", 20), ("randomized-response", 7), ("gaussian", 50)],
)
def test_many_uses_keep_the_claim_together_and_a_little_less_does_not(law, times):
    found = calibrated(LAWS[law], epsilon=1, delta="1e-4", times=times)
    assert delta_of(found.mechanism, 1, times)[1] <= Fraction(1, 10**4)
    assert delta_of(found.short, 1, times)[0] > Fraction(1, 10**4)
    once = calibrated(LAWS[law], epsilon=1, delta="1e-4").mechanism
    assert delta_of(once, 1, times)[0] > Fraction(1, 10**4)  # noise for one use is too little


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "times"), [("discrete-gaussian", 10), ("skellam", 10), ("laplace", 1000)]
)
def test_many_uses_of_wide_noise(law, times):
    test_many_uses_keep_the_claim_together_and_a_little_less_does_not(law, times)


def test_a_sample_needs_less_noise_and_keeps_the_claim():
    drawn = calibrated("gaussian", epsilon=1, delta="1e-6", rate="1/100")
    assert drawn.mechanism.expression == "poisson-sample(gaussian(sigma=0.776437), rate=1/100)"
    assert delta_of(drawn.mechanism, 1)[1] <= Fraction(1, 10**6) < delta_of(drawn.short, 1)[0]
    several = calibrated("laplace", epsilon=1, delta="1e-6", rate="1/10", times=5)
    assert delta_of(several.mechanism, 1, 5)[1] <= Fraction(1, 10**6)
    assert delta_of(several.short, 1, 5)[0] > Fraction(1, 10**6)


# --- epsilon alone --------------------------------------------------------------------------------


def least_decimal(value, digits=6):
    """Round up to so many digits."""
    scale = 10 ** (digits - 1 - math.floor(math.log10(value)))
    return Fraction(math.ceil(value * scale), scale)


def test_epsilon_alone_is_divided_among_the_uses_exactly():
    assert calibrated("laplace", epsilon=1, times=4).mechanism.expression == "laplace(scale=4)"
    assert calibrated("geometric", ratio=9, times=2).mechanism.expression == "geometric(p=1/3)"
    kept = calibrated("randomized-response", ratio=9, times=2).mechanism
    assert kept.expression == "randomized-response(bits=1, keep=3/4)"
    odd = calibrated("laplace", ratio=2, times=3).mechanism
    assert mechanism(odd.expression).expression == odd.expression


def test_epsilon_alone_of_differenced_negative_binomial_noise():
    """The ratio is p^-1, whatever r is; 1/e is no decimal, 1/3 is exact."""
    found = calibrated("differenced-negative-binomial(r=3)", epsilon=1)
    assert found.mechanism.expression == "differenced-negative-binomial(p=0.36788, r=3)"
    assert found.short.expression == "differenced-negative-binomial(p=0.367879, r=3)"
    exactly = mechanism("differenced-negative-binomial(r=3, epsilon=ln 3)")
    assert exactly.expression == "differenced-negative-binomial(p=1/3, r=3)"


def test_epsilon_alone_with_a_sample():
    """A sample of rate q turns the ratio c into 1 + q (c - 1)."""
    found = calibrated("laplace", epsilon=1, rate="1/100").mechanism.base
    assert found.scale == least_decimal(1 / math.log(1 + 100 * (math.e - 1)))


# --- Gaussian noise -------------------------------------------------------------------------------


def test_reference_analytic_gaussian():
    # Balle & Wang 2018; zCDP needs 20.5.
    sigma = mechanism("gaussian(epsilon=1, delta=1e-6)").sigma
    assert sigma == Fraction("4.22468")
    assert Fraction("17.84") < sigma**2 < Fraction("17.85")


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-6), (0.1, 1e-5), (8, 1e-9), (0.01, 0.05)])
def test_gaussian_noise_is_that_of_dp_accounting(epsilon, delta):
    oracle = pytest.importorskip("dp_accounting")
    found = float(mechanism(f"gaussian(epsilon={epsilon}, delta={delta})").sigma)
    assert 0 <= found / oracle.get_sigma_gaussian(epsilon, delta) - 1 < 1.1e-5


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-6), (0.5, 1e-4)])
def test_discrete_noise_is_that_of_dp_accounting(epsilon, delta):
    pytest.importorskip("dp_accounting")
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_mechanism as oracle

    asked = common.DifferentialPrivacyParameters(epsilon, delta)
    sigma = oracle.DiscreteGaussianPrivacyLoss.from_privacy_guarantee(asked)._sigma
    found = calibrated("discrete-gaussian", epsilon=epsilon, delta=delta).mechanism
    assert float(found.channel.noise.sigma2) == pytest.approx(sigma**2, rel=1e-4)


def test_many_uses_of_laplace_noise_are_those_of_dp_accounting():
    pytest.importorskip("dp_accounting")
    from dp_accounting.pld import privacy_loss_distribution as oracle

    def delta(one):
        made = oracle.from_laplace_mechanism(float(one.scale), value_discretization_interval=1e-4)
        return made.self_compose(30).get_delta_for_epsilon(1)

    found = calibrated("laplace", epsilon=1, delta="1e-5", times=30)
    assert delta(found.mechanism) == pytest.approx(1e-5, rel=0.03)
    assert delta(found.mechanism) <= 1.001e-5 < delta(found.short) * 1.001


def test_rho_and_mu_are_exact():
    assert mechanism("gaussian(rho=1/8)").sigma == 2
    assert mechanism("gaussian(mu=1/2, sensitivity=3)").sigma == 6
    assert mechanism("discrete-gaussian(rho=1/8, sensitivity=3)").channel.noise.sigma2 == 36
    assert calibrated("gaussian", mu=1, times=10).mechanism.expression == "gaussian(sigma2=10)"
    assert calibrated("gaussian", rho="1/8", times=5).mechanism.expression == "gaussian(sigma2=20)"


@pytest.mark.parametrize("times", [1, 7])
def test_gaussian_noise_of_a_mu_has_the_profile_of_that_mu(times):
    """Dong, Roth & Su 2022: all answers together are N(0, 1) against N(mu, 1)."""
    kept = calibrated("gaussian", mu="2/3", times=times, sensitivity=2).mechanism
    for epsilon in (0, 1, 3):
        wanted = delta_of(gaussian(sigma=1, sensitivity="2/3"), epsilon)[0]
        assert float(delta_of(kept, epsilon, times)[0]) == pytest.approx(float(wanted), rel=1e-12)


def renyi(sigma2, shift, order):
    """D_order of discrete Gaussian noise around 0 and around the shift, in floats."""
    total = sum(math.exp(-k * k / (2 * sigma2)) for k in range(-300, 301))
    squares = (order * k * k + (1 - order) * (k - shift) ** 2 for k in range(-300, 301))
    return math.log(sum(math.exp(-one / (2 * sigma2)) for one in squares) / total) / (order - 1)


@pytest.mark.parametrize(("rho", "shift"), [("1/8", 1), ("1/2", 2), ("2", 1)])
def test_discrete_gaussian_noise_of_a_rho_has_exactly_that_rho(rho, shift):
    """Canonne, Kamath & Steinke 2020: D_order <= order rho, an equality for whole orders."""
    kept = calibrated("discrete-gaussian", rho=rho, sensitivity=shift).mechanism
    sigma2 = float(kept.channel.noise.sigma2)
    for order in (1.5, 2, 3):
        found = renyi(sigma2, shift, order) / (order * float(Fraction(rho)))
        assert found <= 1 + 1e-9
        assert found == pytest.approx(1, rel=1e-9) or order == 1.5


def test_discrete_gaussian_noise_is_not_what_mu_promises():
    alike = delta_of(discrete_gaussian(sigma2=1), 0)[0], delta_of(gaussian(sigma=1), 0)[1]
    assert alike[0] > Fraction("0.398") > Fraction("0.383") > alike[1]


def test_discrete_gaussian_noise_can_be_worse_with_more_noise():
    """The example of the module's docstring, compared exactly."""
    allowed = Fraction("0.00001052")
    assert delta_of(discrete_gaussian(sigma2="4.86"), "7/4")[1] <= allowed
    assert delta_of(discrete_gaussian(sigma2="4.9"), "7/4")[0] > allowed
    assert not AMOUNTS["discrete-gaussian"].divisible


# --- why more noise is never worse ----------------------------------------------------------------


@pytest.mark.parametrize("law", [law for law, amount in AMOUNTS.items() if amount.divisible])
def test_no_gap_grows_with_the_amount(law):
    amount, start = amount_of(law, 3), calibrated(LAWS[law], epsilon=1, delta="1e-3").mechanism
    places = [amount.near(float(_amount(law, start)), 2) + step for step in range(-12, 13, 3)]
    for epsilon in (0, 1, 2):
        deltas = [delta_of(_built(law, amount.at(place, 2)), epsilon)[0] for place in places]
        assert all(more <= less for less, more in pairwise(deltas))


def _built(law, value):
    text = {
        "randomized-response": f"randomized-response(values=3, epsilon={value})",
        "skellam": f"skellam(l1={value}, l2={value})",
        "differenced-negative-binomial": f"differenced-negative-binomial(p={value}, r=3)",
    }.get(law, f"{law}({AMOUNTS[law].name}={value})")
    return mechanism(text)


# --- the search -----------------------------------------------------------------------------------


@given(st.integers(-(10**9), 10**9), st.integers(-(10**7), 10**7), st.integers(0, 2**32))
def test_the_search_ends_beside_the_border_whatever_guides_it(border, away, seed):
    chance = Random(seed)
    tries = []

    def has(place):
        tries.append(place)
        return place >= border, chance.choice([0.0, -60.0, 60.0, chance.uniform(-3, 3)])

    assert _crossing(has, border + away, 10**5) == border
    assert len(tries) < 150


def test_the_search_is_short_where_its_guide_is_good():
    tries = []

    def has(place):
        tries.append(place)
        return place >= 123_456, -2e-5 * (place - 123_456 + 0.5) + 1e-11 * (place - 123_456) ** 2

    assert _crossing(has, 150_000, 10**5) == 123_456
    assert len(tries) < 12


def test_a_search_that_finds_nothing_says_so():
    with pytest.raises(Unsupported, match="ask for a weaker one"):
        _crossing(lambda _place: (False, 1.0), 0, 10)


@pytest.mark.parametrize("lie", [0.0, 60.0, -60.0])
@pytest.mark.parametrize("law", ["gaussian", "geometric"])
def test_floats_that_lie_change_nothing(monkeypatch, lie, law):
    wanted = calibrated(law, epsilon=2, delta="1e-3")
    monkeypatch.setattr(least_noise, "_over", lambda _x, _allowed: lie)
    monkeypatch.setattr(least_noise, "_deviations", lambda *_asked: 1.0)
    found = calibrated(law, epsilon=2, delta="1e-3")
    assert found.mechanism.expression == wanted.mechanism.expression
    assert found.short.expression == wanted.short.expression


def test_an_amount_that_cannot_be_compared_is_passed_over(monkeypatch):
    """At p = e^-epsilon, nearly, the outputs that matter are too far out to be looked at."""
    refused, tried = [], least_noise._tried

    def watched(*asked):
        refused.append(tried(*asked).refused)
        return tried(*asked)

    monkeypatch.setattr(least_noise, "_tried", watched)
    found = calibrated("differenced-negative-binomial(r=3)", epsilon="1/50", delta="1e-7")
    assert any(refused)
    assert delta_of(found.mechanism, "1/50")[1] <= Fraction(1, 10**7)
    assert delta_of(found.short, "1/50")[0] > Fraction(1, 10**7)


@given(st.sampled_from([*AMOUNTS]), st.integers(-(10**5), 10**5), st.integers(2, 7))
def test_places_are_in_order_of_rising_noise(law, place, digits):
    amount = AMOUNTS[law]
    here, there = amount.at(place, digits), amount.at(place + 1, digits)
    assert (here > there) == amount.falls
    assert here > 0
    if amount.share:
        assert here < 1
    tiny = Fraction(1, 10**12)
    if tiny < here < 1 / tiny and (not amount.share or tiny < 1 - here):
        assert abs(amount.near(float(here), digits) - place) <= 1


# --- builders -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "spelled_as"),
    [
        ("gaussian(epsilon=1, delta=1e-6)", "gaussian(sigma=4.22468)"),
        ("gaussian(epsilon=1, delta=1e-6, bits=9)", "gaussian(sigma=4.22468, bits=9)"),
        ("gaussian(rho=1/8)", "gaussian(sigma2=4)"),
        ("gaussian(rho=ln 2)", "gaussian(sigma2=1/(ln 4))"),
        ("gaussian(mu=1/2, sensitivity=3)", "gaussian(sigma=6, sensitivity=3)"),
        ("discrete-gaussian(epsilon=1, delta=1e-6)", "discrete-gaussian(sigma2=17.8995)"),
        ("discrete-gaussian(rho=1/8)", "discrete-gaussian(sigma2=4)"),
        ("laplace(epsilon=1, delta=1/100)", "laplace(scale=0.980296)"),
        ("laplace(ratio=3, delta=1/100)", "laplace(scale=0.893885)"),
        ("laplace(epsilon=1, delta=0)", "laplace(scale=1)"),
        ("geometric(epsilon=1, delta=1/100)", "geometric(p=e^(-1.01372))"),
        ("geometric(ratio=3, delta=0)", "geometric(p=1/3)"),
        ("skellam(epsilon=1, delta=1e-6)", "skellam(l1=7.12044, l2=7.12044)"),
        (
            "differenced-negative-binomial(r=3, epsilon=1, delta=1e-6)",
            "differenced-negative-binomial(p=0.312559, r=3)",
        ),
        (
            "randomized-response(bits=5, epsilon=1, delta=1/100)",
            "randomized-response(bits=5, epsilon=1.01372)",
        ),
    ],
)
def test_a_call_spells_the_noise_that_it_found_and_can_be_typed_again(typed, spelled_as):
    built = mechanism(typed)
    assert built.expression == spelled_as
    assert mechanism(spelled_as).expression == spelled_as


def test_what_is_spelled_is_read_back():
    for text in ("4.22468", "3/4", "1/1000000", "1e-9", "1000000007/3", "0.001", "12345678.9"):
        assert number(spelled(number(text))) == number(text)
    assert spelled(exp(number("-1.01372"))) == "e^(-1.01372)"


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: mechanism("gaussian(epsilon=1)"), "keeps no epsilon alone.*such as delta=1e-6"),
        (lambda: mechanism("gaussian(epsilon=1, delta=0)"), "keeps no epsilon alone"),
        (lambda: mechanism("skellam(epsilon=1)"), "skellam keeps no epsilon alone"),
        (lambda: mechanism("gaussian(delta=1e-6)"), "exactly one of sigma, sigma2, epsilon, rho"),
        (lambda: mechanism("gaussian(sigma=1, rho=1)"), "exactly one of sigma, sigma2, epsilon"),
        (lambda: mechanism("gaussian(sigma=1, delta=1/10)"), "delta=1/10 belongs to an epsilon"),
        (lambda: mechanism("gaussian(epsilon=1, delta=1)"), "delta=1 allows everything"),
        (lambda: mechanism("gaussian(epsilon=1, delta=2)"), "delta=2 is not a probability"),
        (lambda: mechanism("gaussian(epsilon=-1, delta=1/10)"), "epsilon=-1 must be .* above 0"),
        (lambda: mechanism("gaussian(epsilon=inf, delta=1/10)"), "epsilon=inf must be a finite"),
        (lambda: mechanism("gaussian(rho=0)"), "rho=0 must be a finite number above 0"),
        (lambda: mechanism("gaussian(mu=-1)"), "mu=-1 must be a finite number above 0"),
        (lambda: mechanism("gaussian(rho=1, sensitivity=0)"), "sensitivity=0 must be"),
        (lambda: mechanism("discrete-gaussian(rho=ln 2)"), "sigma2=.* is irrational here"),
        (lambda: mechanism("discrete-gaussian(rho=1, sensitivity=1/2)"), "sensitivity=1/2 must be"),
        (lambda: mechanism("laplace(scale=1, delta=1/10)"), "leave one of them out"),
        (lambda: mechanism("geometric(p=1/2, delta=1/10)"), "leave one of them out"),
        (lambda: mechanism("geometric(epsilon=0, delta=1/10, ratio=2)"), "exactly one of ratio"),
        (lambda: mechanism("skellam(1)"), "skellam needs both means: write l1=2, l2=2"),
        (lambda: mechanism("skellam(1, 1, epsilon=1)"), "exactly one of l1 and epsilon"),
        (lambda: mechanism("differenced-negative-binomial(epsilon=1)"), "needs the argument 'r'"),
        (
            lambda: mechanism("randomized-response(bits=1, keep=1/2, delta=1/10)"),
            "delta=1/10 belongs to an epsilon",
        ),
        (lambda: calibrated("gaussian", epsilon=1, rho=1), "exactly one of epsilon"),
        (lambda: calibrated("gaussian", rho=1, mu=1), "exactly one of epsilon"),
        (lambda: calibrated("gaussian", rho=1, delta="1/10"), "exactly one of epsilon"),
        (lambda: calibrated("gaussian", delta="1/10"), "exactly one of epsilon"),
        (lambda: calibrated("gaussian"), "exactly one of epsilon"),
        (lambda: calibrated("gaussian", epsilon=1, ratio=3, delta="1/10"), "epsilon and ratio"),
        (lambda: calibrated("laplace", rho="1/8"), "rho=1/8: laplace has no closed form"),
        (lambda: calibrated("geometric", mu=1), "mu=1: geometric has no closed form"),
        (lambda: calibrated("discrete-gaussian", mu=1), "mu=1: mu belongs to Gaussian"),
        (lambda: calibrated("gaussian", rho=1, rate="1/2"), "rate=1/2: a sample is calibrated"),
        (lambda: calibrated("gaussian", epsilon=1, delta="1/10", rate=0), "rate=0 draws nobody"),
        (lambda: calibrated("gaussian", epsilon=1, delta="1/10", times=0), "times=0 must be"),
        (lambda: calibrated("laplace(3)", epsilon=1), "name the arguments"),
        (lambda: calibrated("laplace(scale=3)", epsilon=1), "exactly one of scale, epsilon"),
        (lambda: calibrated("laplace(sensitivity=2)", epsilon=1, sensitivity=3), "given twice"),
        (lambda: calibrated("randomized-response", epsilon=1, sensitivity=2), "has no sensitivity"),
        (
            lambda: calibrated("randomized-response", epsilon=1, rate="1/2"),
            "a sample is taken for symmetric noise",
        ),
        (lambda: calibrated("differenced-negative-binomial", epsilon=1), "needs the argument 'r'"),
    ],
)  # fmt: skip
def test_rejects(ask, message):
    with pytest.raises(InvalidInput, match=message):
        ask()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("normal", "gaussian"),
        ("discrete-laplace", "geometric"),
        ("poisson", "skellam"),
        ("coin", "randomized-response"),
        ("laplase", "laplace"),
    ],
)
def test_an_unknown_law_is_told_by_its_meaning(name, meant):
    with pytest.raises(UnknownName, match=f"did you mean '{meant}'"):
        calibrated(name, epsilon=1)


def test_a_claim_of_epsilon_0_is_about_total_variation():
    assert read_claim(0, delta="1/10") == Claim(Fraction(1), Fraction(1, 10))
    found = least(lambda x: gaussian(sigma=x), AMOUNTS["gaussian"], read_claim(0, delta="1/10"))
    assert math.erf(1 / (2**1.5 * float(found[0]))) == pytest.approx(0.1, rel=1e-5)
