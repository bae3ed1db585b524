"""The least mu of two laws, against all events, and against the curve of Gaussian noise."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from tests.laws import divergences as brute
from twoworlds.errors import Unsupported
from twoworlds.laws.comparison import Comparison, FiniteComparison
from twoworlds.laws.least import gap_of, least_mu, mu_of_test, response_mu
from twoworlds.laws.line import normal, quantile
from twoworlds.numbers import INFINITY, Order, bounds, compare, exp


def compared(p, q):
    return FiniteComparison.of("x", "y", range(len(p)), p, q)


def pair_of(text):
    built = tw.mechanism(text)
    return next(iter(built.family(built.universe.relation)))


class WithoutCorners(FiniteComparison):
    """A finite pair that does not list its lines, so that it is searched."""

    def lines(self):
        return Comparison.lines(self)

    def reverse(self):
        return WithoutCorners(self.y, self.x, self.q, self.p, self.event)


@given(brute.pairs(least=0))
def test_the_least_mu_is_that_of_the_best_event(pair):
    wanted = brute.largest_mu(*pair)
    found = least_mu(compared(*pair)).value
    if wanted == math.inf:
        assert found == INFINITY
    else:
        assert float(found) == pytest.approx(wanted, rel=1e-9, abs=1e-12)


@given(brute.pairs(least=0))
def test_it_is_the_same_both_ways_round(pair):
    one, other = (least_mu(way).value for way in (compared(*pair), compared(*pair[::-1])))
    assert one == other == INFINITY or compare(one, other, limit=128) in (
        Order.EQUAL,
        Order.UNDECIDED,
    )


@given(brute.pairs(least=0))
def test_the_ratio_names_the_test_that_shows_it(pair):
    two = compared(*pair)
    value, at, _ = least_mu(two)
    if value in (0, INFINITY):
        return
    below = at < 1
    turned = two.reverse() if below else two
    event = turned.gap(1 / at if below else at).event
    p, q = [pair, pair[::-1]][below]
    masses = [sum((law[i] for i in event.members), Fraction(0)) for law in (p, q)]
    assert compare(mu_of_test(*masses), value, limit=128) in (Order.EQUAL, Order.UNDECIDED)


@given(brute.pairs(sizes=(2, 3)))
def test_a_search_over_ratios_encloses_what_corners_give_exactly(pair):
    if pair[0] == pair[1]:
        return
    hidden = WithoutCorners.of("x", "y", range(len(pair[0])), *pair)
    hidden = WithoutCorners(hidden.x, hidden.y, hidden.p, hidden.q, hidden.event)
    low, high = bounds(least_mu(hidden).value)
    exact = bounds(least_mu(compared(*pair)).value)
    assert low <= exact[1]
    assert exact[0] <= high
    assert high - low <= high * Fraction(1, 1000)


@given(brute.pairs(), st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50))
def test_the_normal_curve_lies_above_the_best_test_at_every_level(pair, level):
    """Corners suffice: so does the curve between them."""
    mu = least_mu(compared(*pair)).value
    left, gained = Fraction(level), Fraction(0)
    for p, q in sorted(zip(*pair, strict=True), key=lambda cell: cell[0] / cell[1], reverse=True):
        share = min(Fraction(1), left / q)
        left, gained = left - share * q, gained + share * p
    top = normal(quantile(level) + mu) if mu != 0 else level
    assert float(gained) <= float(top) + 1e-12


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("gaussian(sigma=2)", Fraction(1, 2)),
        ("gaussian(sigma=2, sensitivity=3)", Fraction(3, 2)),
        ("compose(gaussian(sigma=2), times=4)", Fraction(1)),
        ("poisson-sample(gaussian(sigma=2), rate=1/10)", Fraction(1, 2)),
        ("identity(bits=1)", INFINITY),
        ("constant(bits=1)", Fraction(0)),
    ],
)
def test_known_numbers_are_exact(text, wanted):
    assert least_mu(pair_of(text)).value == wanted


@pytest.mark.parametrize("loss", [Fraction(1, 5), Fraction(1), Fraction(4)])
def test_laplace_noise_needs_the_mu_of_the_threshold_in_the_middle(loss):
    """No other level needs more, by the curve of its best tests in closed form."""
    pair = pair_of(f"laplace(epsilon={loss})")
    mu = float(least_mu(pair).value)
    assert mu == pytest.approx(2 * brute.NORMAL.inv_cdf(1 - math.exp(-loss / 2) / 2), rel=1e-12)
    for k in range(1, 200):
        level = Fraction(k, 200)
        power = float(pair.power(level))
        assert brute.NORMAL.inv_cdf(power) - brute.NORMAL.inv_cdf(float(level)) <= mu + 1e-12


@pytest.mark.parametrize(
    "text",
    [
        "differenced-negative-binomial(p=1/2, r=2)",
        "poisson-sample(laplace(epsilon=1), rate=1/10)",
        "fixed-sample(laplace(epsilon=1), size=1, of=10)",
    ],
)
def test_bounded_noise_without_corners_lies_between_two_near_ends(text):
    pair = pair_of(text)
    low, high = bounds(least_mu(pair).value)
    assert high - low <= high * Fraction(1, 10**5)
    losses = [Fraction(k, 50) for k in range(-80, 80)]
    inner = getattr(pair, "inner", pair)
    tests = [(float(p), float(q)) for p, q in inner.best_tests(losses)]
    seen = max(
        brute.NORMAL.inv_cdf(p) - brute.NORMAL.inv_cdf(q) for p, q in tests if 0 < q <= p < 1
    )
    assert seen <= float(high) + 1e-9
    assert float(low) <= seen * 1.001


def test_composed_noise_lies_between_its_parts_and_their_squares():
    ten = pair_of("compose(laplace(epsilon=1/2), times=10)")
    one = float(least_mu(pair_of("laplace(epsilon=1/2)")).value)
    low, high = bounds(least_mu(ten).value)
    assert one < low <= high <= Fraction(one * math.sqrt(10))
    assert high - low <= high / 100


@pytest.mark.parametrize("text", ["skellam(1, 1)", "discrete-gaussian(sigma2=2)"])
def test_without_a_largest_ratio_a_mu_is_refused(text):
    with pytest.raises(Unsupported, match=r"no largest value.*ask for the epsilon of dp"):
        least_mu(pair_of(text))


@given(
    st.fractions(Fraction(1, 10), 4, max_denominator=10),
    st.fractions(0, 4, max_denominator=10),
)
def test_the_gap_of_mu_is_the_formula_of_two_normal_tails(mu, epsilon):
    m, e = float(mu), float(epsilon)
    wanted = brute.NORMAL.cdf(m / 2 - e / m) - math.exp(e) * brute.NORMAL.cdf(-m / 2 - e / m)
    assert float(gap_of(mu, exp(epsilon))) == pytest.approx(wanted, abs=1e-12)
    assert gap_of(Fraction(0), exp(epsilon)) == 0


def test_randomized_response_and_tests_that_are_never_wrong():
    assert float(response_mu(Fraction(3))) == pytest.approx(2 * brute.NORMAL.inv_cdf(0.75))
    assert response_mu(INFINITY) == INFINITY
    assert mu_of_test(Fraction(1, 2), Fraction(0)) == INFINITY
    assert mu_of_test(Fraction(1), Fraction(1, 2)) == INFINITY
    assert mu_of_test(Fraction(0), Fraction(0)) == mu_of_test(Fraction(1), Fraction(1)) == 0
