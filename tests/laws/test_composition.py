"""Composition between two ends: against all outputs listed, closed forms, and its own laws."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws import divergences, losses
from tests.laws.losses import Names, compared, encloses, independent
from twoworlds.errors import TooLarge
from twoworlds.laws.comparison import Family, FiniteComparison
from twoworlds.laws.composition import WIDTH, Composed, compose
from twoworlds.laws.counts import Binomial
from twoworlds.laws.grid import Part
from twoworlds.laws.line import GaussianPair, LaplacePair
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
)
from twoworlds.laws.ratios import commensurable, finite
from twoworlds.laws.shifted import Shifted
from twoworlds.numbers import INFINITY, bounds, exp, ln

SMALL = divergences.pairs(least=0, sizes=(2, 3))
COMMON = divergences.pairs(least=1, sizes=(2, 3))
LEVELS = st.fractions(Fraction(1, 40), Fraction(39, 40), max_denominator=40)
DOUBLING = (Fraction(1, 7), Fraction(2, 7), Fraction(4, 7))  # all ratios are powers of 2
SAME = compared((Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 3), Fraction(2, 3)))


def on_grid(*parts, width=WIDTH):
    """Compose on a grid, also where that could be done exactly."""
    return Composed("x", "y", tuple(Part(*part) for part in parts), Names(), width)


def laplace(loss, *, up=True):
    first, second = (Fraction(1), Fraction(0)) if up else (Fraction(0), Fraction(1))
    return LaplacePair("x", "y", first, second, Fraction(loss))


def gaussian(mu, sigma=1):
    return GaussianPair("x", "y", Fraction(mu), Fraction(0), Fraction(sigma))


def geometric(ratio):
    return Shifted("x", "y", 1, 0, GeometricNoise(Fraction(1, ratio)))


# --- against all outputs, listed ------------------------------------------------------------------


@given(SMALL, SMALL, losses.RATIOS)
def test_both_ends_enclose_the_gap_of_all_outputs_and_are_as_near_as_asked(one, other, ratio):
    """Outputs that only one world can produce are among them."""
    exact = losses.gap(independent(one, one, other), ratio)
    low, high = bounds(on_grid((compared(*one), 2), (compared(*other), 1)).gap(ratio).delta)
    assert 0 <= low <= exact <= high <= 1
    assert high - low <= 10 * WIDTH * high + Fraction(1, 10**12)


@given(SMALL, SMALL, st.fractions(Fraction(1, 60), Fraction(1, 2), max_denominator=60))
def test_both_ends_enclose_the_ratio_and_are_as_near_as_asked(one, other, delta):
    both = independent(one, one, other)
    exact, found = (
        losses.ratio_for(both, delta),
        on_grid((compared(*one), 2), (compared(*other), 1)),
    )
    if exact == INFINITY or losses.limit(both) == delta:
        return
    low, high = bounds(found.ratio_for(delta))
    assert 1 <= low <= exact <= high
    assert math.log(high) - math.log(low) <= WIDTH * math.log(high) * (1 + 1e-9)


@given(SMALL, SMALL, LEVELS)
def test_both_ends_enclose_the_power_of_the_best_test(one, other, level):
    exact = losses.power(independent(one, one, other), level)
    low, high = bounds(on_grid((compared(*one), 2), (compared(*other), 1)).power(level))
    assert 0 <= low <= exact <= high <= 1
    assert high - low <= Fraction(1, 50)


@given(SMALL, SMALL, losses.RATIOS)
def test_the_named_event_has_the_masses_that_show_the_lower_end(one, other, ratio):
    """Rounded losses are added up anew here, output by output."""
    found = on_grid((compared(*one), 1), (compared(*other), 2))
    delta, event = found.gap(ratio)
    if event.__class__ is not losses.Named:
        assert delta == 0
    elif event.kind == "likelier":
        assert event.made_of == (INFINITY,)
        assert delta == losses.limit(independent(one, other, other)) == 1
    else:
        unit, (first, second), least = event.made_of
        p, q = losses.rounded_masses([one, other, other], unit, [first, second, second], least)
        low = bounds(delta)[0]
        assert low - Fraction(1, 2**40) <= max(Fraction(0), p - ratio * q)
        assert p - ratio * q <= low + Fraction(1, 2**40)


@given(SMALL, SMALL, losses.RATIOS)
def test_finitely_many_ratios_are_merged_exactly(one, other, ratio):
    parts = [Part(compared(*one), 2), Part(compared(*other), 1)]
    found, both = compose(parts, Names(), "x", "y"), independent(one, one, other)
    assert isinstance(found, FiniteComparison)
    delta, event = found.gap(ratio)
    assert delta == losses.gap(both, ratio)
    assert found.reverse().gap(ratio).delta == losses.gap(both[::-1], ratio)
    if delta:
        [least] = event.made_of
        cells = [(p, q) for p, q in zip(*both, strict=True) if p and (q == 0 or p / q >= least)]
        assert sum(p for p, _ in cells) - ratio * sum(q for _, q in cells) == delta


@pytest.mark.parametrize("times", [1, 3, 6])
def test_on_a_lattice_of_losses_the_grid_is_exact(times):
    """With a unit of ln 2 nothing is rounded but masses."""
    pair = DOUBLING, DOUBLING[::-1]
    assert commensurable([ln(p / q) for p, q in zip(*pair, strict=True)])[1] == [-1, 0, 1]
    found, both = on_grid((compared(*pair), times)), independent(*[pair] * times)
    for ratio in (Fraction(1), Fraction(2), Fraction(3), Fraction(2) ** (times - 1)):
        low, high = bounds(found.gap(ratio).delta)
        assert low <= losses.gap(both, ratio) <= high <= low + Fraction(1, 2**35)
    assert encloses(found.ratio_for(Fraction(1, 5)), losses.ratio_for(both, Fraction(1, 5)))


def test_irrational_masses_are_composed_on_the_grid():
    """Two randomized responses whose epsilons have no common measure that is seen."""
    pairs = []
    for epsilon in (Fraction(1), Fraction(7, 10)):
        share = exp(epsilon) / (1 + exp(epsilon))
        pairs.append(((share, 1 - share), (1 - share, share)))
    parts = [Part(compared(*pairs[0]), 2), Part(compared(*pairs[1]), 1)]
    assert finite(parts, Names(), "x", "y") is None
    found = compose(parts, Names(), "x", "y")
    assert isinstance(found, Composed)
    plain = [tuple(tuple(map(float, law)) for law in pair) for pair in pairs]
    for ratio in (1, 2, 5):
        wanted = 0.0
        for cells in losses.product(*(zip(*plain[i], strict=True) for i in (0, 0, 1))):
            p, q = (math.prod(cell[side] for cell in cells) for side in (0, 1))
            wanted += max(0.0, p - ratio * q)
        low, high = (float(end) for end in bounds(found.gap(Fraction(ratio)).delta))
        assert low - 1e-12 <= wanted <= high + 1e-12
        assert high - low <= 0.01 * high


def test_a_law_with_an_end_is_composed_with_what_lies_beyond_it():
    """Binomial noise: all successes and one more is possible in one world only."""
    law = Binomial(3, Fraction(1, 3))
    pair = [law.pmf(k - 1) for k in range(5)], [law.pmf(k) for k in range(5)]
    found = on_grid((Shifted("x", "y", 1, 0, law), 2))
    assert found.limit() == losses.limit(independent(pair, pair))
    assert encloses(found.gap(Fraction(2)).delta, losses.gap(independent(pair, pair), Fraction(2)))


# --- against closed forms -------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 2), Fraction(2)])
def test_gaussian_parts_on_the_grid_enclose_one_gaussian(epsilon):
    """mu 3/5 and 4/5 are together mu 1: the closed form knows nothing of a grid."""
    found, whole = on_grid((gaussian("3/5"), 1), (gaussian("4/5"), 1)), gaussian(1)
    low, high = bounds(found.gap(exp(epsilon)).delta)
    wanted = whole.gap(exp(epsilon)).delta
    assert low <= bounds(wanted)[1]
    assert bounds(wanted)[0] <= high
    assert high - low <= 10 * WIDTH * high
    delta = Fraction(1, 1000)
    ends, exact = bounds(found.ratio_for(delta)), bounds(whole.ratio_for(delta))
    assert ends[0] <= exact[1]
    assert exact[0] <= ends[1]


def test_gaussian_parts_have_the_power_of_one_gaussian():
    found, whole = on_grid((gaussian(1, 4), 4)), gaussian(1, 2)
    for level in (Fraction(1, 100), Fraction(1, 4), Fraction(9, 10)):
        low, high = bounds(found.power(level))
        assert low <= bounds(whole.power(level))[1]
        assert bounds(whole.power(level))[0] <= high
        assert high - low <= Fraction(1, 200)


def test_gaussian_parts_alone_stay_one_gaussian_with_a_closed_form():
    found = compose([Part(gaussian(1, 4), 16), Part(gaussian(0), 3)], Names(), "x", "y")
    assert isinstance(found, GaussianPair)
    assert (found.u - found.v) / found.sigma == 1


def laplace_gap(loss, times, epsilon):
    """Return E_P (1 - e^(epsilon - S))_+ of several Laplace answers, to many digits.

    A loss is L with probability 1/2, -L with probability e^-L / 2, and has the density
    e^((l - L)/2) / 4 between; so m of them there add up to s with the density e^((s - mL)/2) / 4^m
    times that of m uniform ones, a spline.
    """
    top, found = mpmath.mpf(loss.numerator) / loss.denominator, mpmath.mpf(0)
    e = mpmath.mpf(epsilon.numerator) / epsilon.denominator
    for ups in range(times + 1):
        for downs in range(times - ups + 1):
            m, shift = times - ups - downs, (ups - downs) * top
            ways = math.factorial(times) // math.prod(map(math.factorial, (ups, downs, m)))
            weight = ways * mpmath.mpf(2) ** -(ups + downs) * mpmath.exp(-downs * top)
            if m == 0:
                found += weight * max(0, 1 - mpmath.exp(e - shift))
                continue

            def height(s, m=m, shift=shift):
                terms = (
                    (-1) ** j * math.comb(m, j) * max(0, s + (m - 2 * j) * top) ** (m - 1)
                    for j in range(m)
                    if s + (m - 2 * j) * top > 0
                )
                spline = sum(terms) / math.factorial(m - 1)
                return spline * mpmath.exp((s - m * top) / 2) * (1 - mpmath.exp(e - shift - s))

            start = max(-m * top, e - shift)
            knots = [start, *(k for j in range(m + 1) if (k := (2 * j - m) * top) > start)]
            if len(knots) > 1:
                found += weight * mpmath.quad(height, knots) / 4**m
    return found


@pytest.mark.parametrize(
    ("loss", "times"), [(Fraction(1), 1), (Fraction(1), 2), (Fraction(1, 2), 3), (Fraction(2), 3)]
)
def test_laplace_answers_enclose_the_integral_of_their_losses(loss, times):
    found = on_grid((laplace(loss), times))
    with mpmath.workdps(30):
        for epsilon in (Fraction(0), loss / 2, loss * times - loss / 4):
            wanted = laplace_gap(loss, times, epsilon)
            exact = Fraction(int(wanted * 10**25), 10**25)
            low, high = bounds(found.gap(exp(epsilon)).delta)
            assert low - Fraction(1, 10**20) <= exact <= high + Fraction(1, 10**20)
            assert high - low <= 10 * WIDTH * high
        delta = Fraction(int(laplace_gap(loss, times, loss) * 10**25), 10**25)
    if delta:
        low, high = bounds(found.ratio_for(delta))
        assert math.log(low) - 1e-12 <= float(loss) <= math.log(high) + 1e-12


# --- laws of composition --------------------------------------------------------------------------

LAPLACE = on_grid((laplace("1/2"), 3))


def test_answers_that_all_tell_nothing_have_no_gap():
    for nothing in (SAME, gaussian(0), laplace(0)):
        found = on_grid((nothing, 4))
        assert found.gap(Fraction(1)).delta == 0
        assert found.ratio_for(Fraction(1, 10)) == 1
        assert found.peak().ratio == 1
        assert encloses(found.power(Fraction(1, 3)), Fraction(1, 3))


@given(losses.RATIOS)
def test_symmetric_noise_is_told_apart_alike_both_ways_round(ratio):
    found = on_grid((laplace("1/2"), 2), (geometric(2), 1), (gaussian("1/2"), 1))
    ends = [bounds(one.gap(ratio).delta) for one in (found, found.reverse())]
    assert max(low for low, _ in ends) <= min(high for _, high in ends)
    assert (found.reverse().x, found.reverse().y) == ("y", "x")


@given(SMALL, SMALL, losses.RATIOS)
def test_the_reverse_exchanges_the_two_laws(one, other, ratio):
    found = on_grid((compared(*one), 2), (compared(*other), 1)).reverse()
    both = independent(one, one, other)
    assert encloses(found.gap(ratio).delta, losses.gap(both[::-1], ratio))
    assert found.limit() == losses.limit(both[::-1])


# --- the two ends of the scale --------------------------------------------------------------------


@given(divergences.pairs(least=0, sizes=(2, 2)), SMALL)
def test_the_limit_is_the_chance_of_something_impossible_in_the_other_world(one, other):
    both, found = independent(one, one, other), on_grid((compared(*one), 2), (compared(*other), 1))
    exact = losses.limit(both)
    assert found.limit() == found.gap(INFINITY).delta == exact
    assert found.power(Fraction(0)) == exact
    assert found.power(Fraction(1)) == 1
    largest = max((INFINITY if q == 0 else p / q) for p, q in zip(*both, strict=True) if p)
    assert found.peak().ratio == largest
    if exact:
        assert found.ratio_for(exact / 2) == INFINITY
        low, high = bounds(found.gap(Fraction(10**9)).delta)
        assert low <= losses.gap(both, 10**9) <= high <= low + Fraction(1, 10**9)


def test_worlds_that_share_no_output_are_told_apart_for_sure():
    apart = compared((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
    found = on_grid((apart, 1), (laplace(1), 2))
    assert found.gap(Fraction(1000)).delta == 1
    assert found.power(Fraction(1, 10)) == 1
    assert found.ratio_for(Fraction(1, 2)) == INFINITY
    assert found.ratio_for(Fraction(1)) == 1


def test_a_largest_ratio_is_attained_by_every_part_at_once_or_only_neared():
    ratio, event, attained = on_grid((laplace(1), 2), (laplace("1/2"), 2)).peak()
    assert encloses(ln(ratio), 3)
    assert attained
    assert event.kind == "every"
    ratio, event, attained = on_grid((laplace(1), 1), (gaussian(1), 1)).peak()
    assert ratio == INFINITY
    assert not attained
    assert event.kind == "rounded"


def test_beyond_the_largest_ratio_there_is_no_gap():
    found = on_grid((laplace(1), 2))
    assert found.gap(exp(Fraction(2))).delta == 0
    assert bounds(found.gap(exp(Fraction(19, 10))).delta)[0] > 0


@pytest.mark.parametrize("width", [Fraction(1, 10), Fraction(1, 10**4)])
def test_the_ends_come_as_near_as_asked_and_no_finer_grid_is_made_than_needed(width):
    found = on_grid((laplace("1/2"), 4), width=width)
    low, high = bounds(found.ratio_for(Fraction(1, 100)))
    assert math.log(high / low) <= width * math.log(high)
    assert math.log(high / low) >= width * math.log(high) / 10**4


def test_a_tiny_delta_is_enclosed_by_positive_ends():
    """Masses of 2^-100 are not lost in those of 2^-48 that suffice elsewhere."""
    found = on_grid((laplace("1/10"), 100))
    low, high = bounds(found.ratio_for(Fraction(1, 2**100)))
    assert 8 < math.log(low) <= math.log(high) < 10
    again = bounds(found.gap(high).delta)
    assert 0 < again[0] <= Fraction(1, 2**100)


def test_losses_beyond_all_numbers_are_refused():
    with pytest.raises(TooLarge, match=r"losses beyond 90000.*ask about fewer"):
        on_grid((laplace(10_000), 40)).ratio_for(Fraction(1, 10))


def narrow(sigma2):
    return Shifted("x", "y", 1, 0, DiscreteGaussianNoise(Fraction(sigma2)))


def test_ends_of_a_huge_ratio_have_ends_of_their_logarithm_and_an_event():
    """One output is all but certain in each world: the ratio is (1 - 10^-6) e^25000."""
    found = on_grid((narrow("1/10000"), 5))
    ratio = found.ratio_for(Fraction(1, 10**6))
    low, high = bounds(ln(ratio))
    assert 24_900 < low < 25_000 + math.log1p(-1e-6) < high < 25_100
    assert bounds(ratio)[0] > 1
    assert 0 < bounds(found.gap(ratio).delta)[1] <= 1


def test_no_ratio_is_above_the_product_of_the_largest():
    found = on_grid((laplace(700), 2))
    assert bounds(ln(found.ratio_for(Fraction(1, 10**6))))[1] == 1400


def test_the_ends_of_a_maximum_stay_those_of_a_huge_ratio():
    one, other = on_grid((laplace(700), 2)), on_grid((laplace(699), 1), (laplace(701), 1))
    ratio = Family([one, other], "").ratio_for(Fraction(1, 10**6))[1]
    low, high = bounds(ln(ratio))
    assert 1390 < low < high == 1400


def test_the_event_of_a_ratio_between_two_ends_needs_no_finer_grid():
    """At the upper end the gap may be next to 0: no grid would enclose it as nearly as asked."""
    found = on_grid((narrow("1/900"), 2))
    ratio = found.ratio_for(Fraction(1, 10**6))
    grids = len(found._known)
    found.gap(ratio)
    assert len(found._known) == grids


def test_a_gap_that_is_surely_not_the_worst_is_not_refined():
    """Next to its largest ratio, a gap of 10^-60 would need a fine grid."""
    worst, other = on_grid((gaussian(1), 5)), on_grid((laplace("1/10"), 5))
    shown, gap = Family([worst, other], "").gap(exp(Fraction(49, 100)))
    assert shown is worst
    assert bounds(gap.delta)[0] > Fraction(1, 10)
    assert len(other._known) == 1


def test_both_ends_ask_for_the_same_tests_only_once(monkeypatch):
    asked = []
    real = LaplacePair.best_tests
    monkeypatch.setattr(
        LaplacePair, "best_tests", lambda self, at: asked.append(len(at)) or real(self, at)
    )
    on_grid((laplace(1), 3)).roughly(Fraction(2))
    assert len([number for number in asked if number > 2]) == 1


def test_a_largest_ratio_that_is_only_neared_is_shown_by_the_first_grid_that_shows_it():
    found = on_grid((Shifted("x", "y", 1, 0, NegativeBinomialDifference(Fraction(3, 5), 4)), 2))
    ratio, event, attained = found.peak()
    assert not attained
    goal = 1 + (ratio - 1) * Fraction(9, 10)
    *before, last = found._known
    p, q = last.below.line(event.made_of[2])
    assert p > goal * q
    assert all(known.below.gap(goal)[0] <= 0 for known in before)


# --- one part of infinitely many ratios, beside tables --------------------------------------------


@given(SMALL, st.sampled_from([Fraction(1, 2), Fraction(2)]), losses.RATIOS)
def test_beside_tables_the_gap_of_one_laplace_part_is_exact(laws, loss, ratio):
    """Against the integral of the positive part, cell by cell; both ends hold it."""
    found = on_grid((laplace(loss), 1), (compared(*laws), 1))
    delta = found.gap(ratio).delta
    rate = mpmath.mpf(loss.numerator) / loss.denominator

    def excess(p, q):
        first, second = (lambda x, u=u: rate / 2 * mpmath.exp(-rate * abs(x - u)) for u in (1, 0))
        p, a_q = (mpmath.mpf(x.numerator) / x.denominator for x in (p, ratio * q))
        if p == 0 or a_q == 0:
            return p
        border = (mpmath.log(a_q / p) / rate + 1) / 2  # between the centres, if anywhere
        ends = [-40 / rate, 0, *([border] if 0 < border < 1 else []), 1, 40 / rate]
        return mpmath.quad(lambda x: max(mpmath.mpf(0), p * first(x) - a_q * second(x)), ends)

    expected = mpmath.fsum(excess(p, q) for p, q in zip(*laws, strict=True))
    assert float(delta) == pytest.approx(float(expected), abs=1e-9)
    low, high = found.roughly(ratio)
    assert low <= bounds(delta)[1]
    assert bounds(delta)[0] <= high


def test_laplace_noise_beside_a_survey_is_guessed_right_in_exactly_three_of_four_cases():
    survey = compared((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    assert on_grid((laplace(1), 1), (survey, 1)).gap(Fraction(1)).delta == Fraction(1, 2)
