"""Renyi divergences against plain sums; what they give at a delta, against the exact gap."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from tests.laws import divergences as brute
from twoworlds.errors import Unsupported
from twoworlds.laws import renyi
from twoworlds.laws.comparison import FiniteComparison
from twoworlds.laws.counts import Binomial, Poisson
from twoworlds.laws.grid import Part
from twoworlds.laws.line import GaussianPair, LaplacePair
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
    SkellamNoise,
)
from twoworlds.laws.ratios import finite
from twoworlds.laws.renyi import shifted_divergence
from twoworlds.laws.sampling import Dominated, Mixed, Worst
from twoworlds.laws.shifted import Shifted
from twoworlds.numbers import INFINITY, Order, bounds, compare, exp, ln

ANY_ORDERS = st.fractions(Fraction(17, 16), 12, max_denominator=16)
TWO = Fraction(2)


def compared(p, q):
    return FiniteComparison.of("x", "y", range(len(p)), p, q)


def near(value, wanted, tolerance=1e-9):
    return abs(float(value) - float(wanted)) <= tolerance * max(1.0, abs(float(wanted)))


# --- finite laws ----------------------------------------------------------------------------------


@given(brute.pairs(least=0), st.integers(2, 5))
def test_a_divergence_of_whole_order_is_an_exact_sum(pair, order):
    found = compared(*pair).divergence(Fraction(order))
    total = brute.moment(*pair, Fraction(order))
    if total is None:
        assert found == INFINITY
    else:
        assert compare(found * (order - 1), ln(total)) is Order.EQUAL


@given(brute.pairs(least=0), ANY_ORDERS)
def test_a_divergence_of_any_order_is_the_sum_of_powers(pair, order):
    found = compared(*pair).divergence(order)
    wanted = brute.divergence(*pair, order)
    assert found == INFINITY if wanted == math.inf else near(found, wanted)


@given(brute.pairs())
def test_order_one_is_the_limit_of_orders_above_it(pair):
    mean = compared(*pair).divergence(Fraction(1))
    assert near(mean, brute.divergence(*pair, Fraction(1)))
    just_above = compared(*pair).divergence(1 + Fraction(1, 2**40))
    assert near(just_above, mean, 1e-8)


@pytest.mark.parametrize("order", [Fraction(2), Fraction(3, 2)])
def test_equal_laws_and_irrational_masses(order):
    p = exp(Fraction(-1))
    assert compared([Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 3), Fraction(2, 3)]).divergence(
        order
    ) == 0  # fmt: skip
    turned = compared([p, 1 - p], [1 - p, p]).divergence(order)
    assert near(turned, brute.divergence([float(p), 1 - float(p)], [1 - float(p), float(p)], order))


def test_many_long_fractions_are_enclosed_not_worked_out():
    weights = [3**k for k in range(400)]
    p = [Fraction(w, sum(weights)) for w in weights]
    found = compared(p, p[::-1]).divergence(Fraction(9))
    assert near(found, float(ln(p[-1] / p[0])) * 1.0, 0.2)
    assert bounds(found)[1] - bounds(found)[0] < Fraction(1, 10**12)


# --- closed forms ---------------------------------------------------------------------------------


def integrated(log_density, log_other, order, step=2e-3, reach=60.0):
    """The divergence of two densities, by the midpoint rule."""
    places = [step * (k + 0.5) for k in range(int(-reach / step), int(reach / step))]
    logs = [order * log_density(x) - (order - 1) * log_other(x) for x in places]
    return (brute.log_sum(logs) + math.log(step)) / (order - 1)


@pytest.mark.parametrize("loss", [Fraction(1, 3), Fraction(1), Fraction(5, 2)])
@pytest.mark.parametrize("order", [Fraction(3, 2), Fraction(2), Fraction(5)])
def test_laplace_noise_has_the_divergence_of_its_integral(loss, order):
    pair = LaplacePair("x", "y", loss, Fraction(0), Fraction(1))
    d = float(loss)
    half = math.log(2)
    wanted = integrated(lambda x: -abs(x - d) - half, lambda x: -abs(x) - half, float(order))
    assert near(pair.divergence(order), wanted, 1e-5)
    assert near(pair.divergence(order), pair.reverse().divergence(order))


def test_laplace_noise_knows_its_mean_loss_and_large_orders():
    pair = LaplacePair("x", "y", Fraction(1), Fraction(0), Fraction(1))
    assert compare(pair.divergence(Fraction(1)), exp(Fraction(-1))) is Order.EQUAL
    assert near(pair.divergence(Fraction(10**6)), 1.0, 1e-5)
    assert LaplacePair("x", "y", TWO, TWO, Fraction(1)).divergence(TWO) == 0


@pytest.mark.parametrize(
    ("text", "order", "wanted"),
    [
        ("gaussian(sigma=2)", 2, Fraction(1, 4)),
        ("gaussian(sigma2=2)", 3, Fraction(3, 4)),
        ("gaussian(sigma=3, sensitivity=2)", "3/2", Fraction(1, 3)),
        ("compose(gaussian(sigma=2), times=3)", 2, Fraction(3, 4)),
        ("compose(gaussian(sigma=2), gaussian(sigma=1))", 2, Fraction(5, 4)),
        ("compose(randomized-response(bits=1, keep=3/4), times=100)", 2, 100 * ln(Fraction(7, 3))),
        ("compose(laplace(epsilon=ln 2), times=10)", 2, 10 * ln(Fraction(17, 12))),
        ("geometric(ratio=3)", 2, ln(Fraction(7, 3))),
    ],
)
def test_known_divergences_of_mechanisms_are_exact(text, order, wanted):
    built = tw.mechanism(text)
    for pair in built.family(built.universe.relation):
        assert compare(pair.divergence(Fraction(order)), wanted) is Order.EQUAL


@given(brute.pairs(sizes=(2, 2), most=5), st.integers(1, 6), st.integers(2, 4))
def test_the_divergence_of_several_outputs_is_the_sum(pair, times, order):
    universe = tw.Universe.of("xy")
    one = tw.Dense(universe, tw.Universe.of("ab"), [list(row) for row in zip(*pair, strict=True)])
    single = one.compare("x", "y").divergence(Fraction(order))
    together = finite([Part(one.compare("x", "y"), times)], None, "x", "y")
    found = compare(together.divergence(Fraction(order)), times * single, limit=256)
    assert found in (Order.EQUAL, Order.UNDECIDED)
    assert near(together.reverse().reverse().divergence(Fraction(order)), times * single)


# --- several pairs at once ------------------------------------------------------------------------


@given(brute.pairs(), brute.pairs(), ANY_ORDERS)
def test_the_worst_of_several_pairs_has_the_largest_divergence(one, other, order):
    several = [compared(*one), compared(*other)]
    found = Worst("x", "y", tuple(several)).divergence(order)
    assert near(found, max(float(pair.divergence(order)) for pair in several))
    low, high = bounds(
        Dominated("x", "y", several[0], Worst("x", "y", tuple(several))).divergence(order)
    )
    assert float(low) <= brute.divergence(*one, order) + 1e-12
    assert float(high) >= float(found) - 1e-12


# --- mixtures -------------------------------------------------------------------------------------


@given(brute.pairs(), brute.laws(2, least=0), ANY_ORDERS)
def test_the_divergence_of_a_mixture_of_finite_laws_is_that_of_the_mixed_masses(pair, rates, order):
    (p, q), (s, t) = pair, sorted(rates, reverse=True)
    mixed = Mixed("x", "y", compared(p, q), s, t)
    first, second = (
        [r * x + (1 - r) * y for x, y in zip(p, q, strict=True)] for r in (s, t)
    )  # fmt: skip
    assert near(mixed.divergence(order), brute.divergence(first, second, order))


@pytest.mark.parametrize("order", [2, 3, 7])
@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(2, 3)])
def test_sampled_gaussian_noise_has_the_divergence_of_its_integral(order, rate):
    base = GaussianPair("x", "y", Fraction(1), Fraction(0), Fraction(2))

    def around(mean):
        return lambda x: -((x - mean) ** 2) / 8 - math.log(8 * math.pi) / 2

    def drawn(x):
        shares = math.log(rate) + around(1)(x), math.log(1 - rate) + around(0)(x)
        return brute.log_sum(shares)

    mixed = Mixed("x", "y", base, rate)
    forth, back = integrated(drawn, around(0), order), integrated(around(0), drawn, order)
    assert near(mixed.divergence(Fraction(order)), forth, 1e-7)
    low, high = bounds(mixed.reverse().divergence(Fraction(order)))
    assert low <= back <= forth <= high * (1 + Fraction(1, 10**6))


def test_samples_know_whole_orders_only_and_say_so():
    drawn = tw.mechanism("poisson-sample(gaussian(sigma=2), rate=1/10)")
    for pair in drawn.family("add-remove"):
        for order in (Fraction(5, 2), Fraction(1), Fraction(2000)):
            with pytest.raises(Unsupported, match="whole orders from 2 to 1024"):
                pair.divergence(order)
    mixed = Mixed("x", "y", Shifted("x", "y", 1, 0, tw.mechanism("skellam(1, 2)").channel.noise),
                  Fraction(1), Fraction(1, 2))  # fmt: skip
    with pytest.raises(Unsupported, match="not known: ask for the epsilon"):
        mixed.divergence(TWO)
    fixed = tw.mechanism("fixed-sample(gaussian(sigma=2), size=1, of=10)")
    with pytest.raises(Unsupported, match="is not computed: ask for the epsilon of dp"):
        next(iter(fixed.family("substitute"))).divergence(TWO)


# --- to and from differential privacy -------------------------------------------------------------


@given(brute.pairs(), ANY_ORDERS, st.fractions(0, 3, max_denominator=8))
def test_the_delta_of_a_divergence_is_never_below_the_true_one(pair, order, epsilon):
    two = compared(*pair)
    bound = renyi.delta_for(order, two.divergence(order), epsilon)
    assert bounds(two.gap(exp(epsilon)).delta)[0] <= bounds(bound)[1]


@given(brute.pairs(), ANY_ORDERS, st.integers(1, 6))
def test_epsilon_and_delta_of_a_divergence_belong_together(pair, order, digits):
    most, delta = compared(*pair).divergence(order), Fraction(1, 10**digits)
    epsilon = renyi.epsilon_for(order, most, delta)
    assert near(renyi.delta_for(order, most, epsilon), delta)


@pytest.mark.parametrize("ratio", [Fraction(3, 2), Fraction(3), Fraction(50)])
@pytest.mark.parametrize("order", [Fraction(2), Fraction(7, 2)])
def test_no_pair_of_pure_ratio_exceeds_randomized_response(ratio, order):
    most = renyi.response(ratio, order)
    p = [ratio / (1 + ratio), 1 / (1 + ratio)]
    assert near(most, brute.divergence(p, p[::-1], order))
    for share in (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)):
        top = min(1 - Fraction(1, 100), ratio * share, 1 - (1 - share) / ratio)
        assert brute.divergence([top, 1 - top], [share, 1 - share], order) <= float(most) + 1e-12
    assert renyi.response(INFINITY, order) == INFINITY


ORDERS = [Fraction(3, 2), Fraction(2), Fraction(17, 4)]
NOISES = [
    GeometricNoise(Fraction(1, 3)),
    GeometricNoise(exp(Fraction(-1, 2))),
    DiscreteGaussianNoise(Fraction(1, 2)),
    DiscreteGaussianNoise(Fraction(3)),
    DiscreteGaussianNoise(Fraction(1, 8)),
    SkellamNoise(Fraction(1), Fraction(1)),
    SkellamNoise(Fraction(2), Fraction(5)),
    NegativeBinomialDifference(Fraction(1, 3), 3),
]


def window(noise, shift, order, reach=60):
    """The divergence over a window, by logarithms of masses."""
    masses = {k: float(ln(noise.pmf(k))) for k in range(-reach - shift, reach + 1)}
    logs = [(masses[k - shift], masses[k]) for k in range(-reach, reach + 1)]
    if order == 1:
        return math.fsum(math.exp(p) * (p - q) for p, q in logs)
    a = float(order)
    return brute.log_sum([a * p - (a - 1) * q for p, q in logs]) / (a - 1)


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.expression)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shift", [1, 3])
def test_the_divergence_is_that_of_a_long_window(noise, order, shift):
    found = shifted_divergence(noise, shift, order)
    low, high = bounds(found)
    assert high - low < Fraction(1, 10**12)
    assert float(found) == pytest.approx(window(noise, shift, order), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    "noise", [n for n in NOISES if not isinstance(n, SkellamNoise)], ids=lambda n: n.expression
)
def test_order_one_is_the_mean_loss(noise):
    found = shifted_divergence(noise, 2, Fraction(1))
    assert float(found) == pytest.approx(window(noise, 2, Fraction(1)), rel=1e-9)


def test_discrete_gaussian_noise_is_exact_where_order_times_shift_is_whole():
    noise = DiscreteGaussianNoise(Fraction(2))
    assert shifted_divergence(noise, 3, Fraction(2)) == Fraction(9, 2)
    assert shifted_divergence(noise, 2, Fraction(5, 2)) == Fraction(5, 2)
    assert bounds(shifted_divergence(noise, 1, Fraction(5, 2)))[1] < Fraction(5, 8)


def test_noise_that_ends_or_has_no_bound_is_infinite_or_refused():
    assert shifted_divergence(Binomial(4, Fraction(1, 2)), 1, Fraction(2)) == INFINITY
    for noise, order in ((Poisson(Fraction(2)), 2), (SkellamNoise(1, 1), 1)):
        with pytest.raises(Unsupported, match="no bound is known here"):
            shifted_divergence(noise, 1, Fraction(order))
    with pytest.raises(Unsupported, match="too narrow"):
        bounds(shifted_divergence(DiscreteGaussianNoise(Fraction(1, 10**15)), 1, Fraction(3, 2)))


def test_a_clamped_range_is_added_up_one_by_one():
    clamped = tw.mechanism("truncated-geometric(ratio=2, high=4)")
    pairs = [*clamped.family("substitute")]
    for pair in pairs:
        p, q = ([clamped.probability(o, z) for o in range(5)] for z in (pair.x, pair.y))
        total = sum(x**2 / y for x, y in zip(p, q, strict=True))
        assert float(pair.divergence(Fraction(2))) == pytest.approx(math.log(total), rel=1e-12)
