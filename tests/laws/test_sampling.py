"""Mixtures and clones, against tables of all outputs."""

from fractions import Fraction
from itertools import pairwise
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws import divergences, losses
from tests.laws.losses import Names, compared, encloses, independent
from twoworlds.laws.composition import Composed
from twoworlds.laws.grid import Grid, Part
from twoworlds.laws.line import LaplacePair
from twoworlds.laws.sampling import Clones, Dominated, Mixed, Symmetrized, Worst, ends
from twoworlds.numbers import INFINITY, bounds, exp

SMALL = divergences.pairs(least=0, sizes=(2, 3))
SHARES = st.fractions(0, 1, max_denominator=8)


def mixtures(pair, s, t):
    """Return the two mixtures, output by output."""
    both = list(zip(*pair, strict=True))
    return tuple(tuple((1 - share) * q + share * p for p, q in both) for share in (s, t))


@given(SMALL, SHARES, SHARES, losses.RATIOS)
def test_mixing_is_the_mixture_of_the_laws_output_by_output(pair, s, t, ratio):
    if s == t:
        return
    found, wanted = Mixed.of("x", "y", compared(*pair), s, t), mixtures(pair, s, t)
    assert found.gap(ratio).delta == losses.gap(wanted, ratio)
    assert found.reverse().gap(ratio).delta == losses.gap(wanted[::-1], ratio)
    assert found.limit() == found.gap(INFINITY).delta == losses.limit(wanted)
    largest = max((INFINITY if q == 0 else p / q) for p, q in zip(*wanted, strict=True) if p)
    assert found.peak().ratio == largest


@given(SMALL, SHARES, SHARES, st.fractions(Fraction(1, 50), Fraction(1, 2), max_denominator=50))
def test_the_ratio_of_a_mixture_is_that_of_its_table(pair, s, t, delta):
    if s == t:
        return
    wanted = losses.ratio_for(mixtures(pair, s, t), delta)
    found = Mixed.of("x", "y", compared(*pair), s, t).ratio_for(delta)
    if wanted == INFINITY:
        assert found == INFINITY
    else:
        assert encloses(found, wanted)
        assert float(found) == pytest.approx(float(wanted), rel=1e-9)


@given(SMALL, SHARES, SHARES)
def test_best_tests_of_a_mixture_are_events_above_each_ratio(pair, s, t):
    """Below all ratios everything is in it, above all of them nothing."""
    if s == t:
        return
    steps = [Fraction(k, 5) for k in range(-20, 21)]
    wanted = mixtures(pair, s, t)
    tests = Mixed.of("x", "y", compared(*pair), s, t).best_tests(steps)
    for loss, test in zip(steps, tests, strict=True):
        a = bounds(exp(loss))[0]
        cells = [(p, q) for p, q in zip(*wanted, strict=True) if p > a * q]
        assert test.p == sum((p for p, _ in cells), Fraction(0))
        assert test.q == sum((q for _, q in cells), Fraction(0))


def test_sampling_everybody_changes_nothing_and_rarer_samples_tell_less():
    whole = LaplacePair("x", "y", Fraction(1), Fraction(0), Fraction(1))
    ratio = exp(Fraction(1, 20))
    gaps = [bounds(Mixed("x", "y", whole, Fraction(k, 8)).gap(ratio).delta) for k in range(1, 9)]
    assert all(one[1] < other[0] for one, other in pairwise(gaps))
    exact = bounds(whole.gap(ratio).delta)
    assert gaps[-1][0] <= exact[1]
    assert exact[0] <= gaps[-1][1]


def clones(others, share):
    """Return the laws of (A + 1, C) and (A, C), one output after the other."""
    p, q = {}, {}
    for c in range(others + 1):
        chance = comb(others, c) * share**c * (1 - share) ** (others - c)
        for a in range(c + 1):
            mass = chance * comb(c, a) / Fraction(2) ** c
            p[a + 1, c] = q[a, c] = mass
    outputs = sorted({*p, *q})
    return tuple(tuple(law.get(o, Fraction(0)) for o in outputs) for law in (p, q))


@given(
    st.integers(0, 7),
    st.fractions(Fraction(1, 8), 1, max_denominator=8),
    st.fractions(Fraction(1, 5), 9, max_denominator=7),
)
def test_clones_are_counted_as_in_a_list_of_all_outputs(others, share, ratio):
    """Ratios at which k / (C + 1 - k) ties are among these, and ratios below 1."""
    found, wanted = Clones("x", "y", others, share), clones(others, share)
    assert encloses(found.gap(ratio).delta, losses.gap(wanted, ratio))
    assert encloses(found.gap(ratio).delta, losses.gap(wanted[::-1], ratio))
    assert encloses(found.limit(), losses.limit(wanted))
    delta = (losses.limit(wanted) + 1) / 2
    assert encloses(found.ratio_for(delta), losses.ratio_for(wanted, delta))
    assert found.ratio_for(losses.limit(wanted) / 2) == INFINITY


def test_many_clones_hide_better_and_an_irrational_ratio_is_no_obstacle():
    gaps = [
        float(Clones("x", "y", others, Fraction(1, 2)).gap(exp(Fraction(1, 4))).delta)
        for others in (10, 100, 1000)
    ]
    assert gaps[0] > 3 * gaps[1] > 9 * gaps[2] > 0


def test_the_window_of_clones_leaves_out_next_to_nothing():
    """A far window would make the ball wide: 20,000 others, of whom a hundredth are clones."""
    delta = Clones("x", "y", 20_000, Fraction(1, 100)).gap(Fraction(3, 2)).delta
    low, high = bounds(delta)
    assert 0 < low <= high <= low * (1 + Fraction(1, 2**40))


COMMON = divergences.pairs(least=1, sizes=(2, 3))
INNER_SHARES = st.fractions(Fraction(1, 10), Fraction(1, 2), max_denominator=10)
LOSSES = [Fraction(k, 3) for k in range(-6, 7)]


def on_grid(*parts):
    return Composed("x", "y", tuple(Part(*part) for part in parts), Names())


def symmetric(law):
    """A law against its mirror image: told apart alike both ways round."""
    return law, law[::-1]


@given(SMALL, SMALL, losses.RATIOS)
def test_the_worst_of_several_has_the_largest_gap_at_every_ratio(one, other, ratio):
    worst = Worst("x", "y", (compared(*one), compared(*other)))
    assert worst.gap(ratio).delta == max(losses.gap(pair, ratio) for pair in (one, other))
    assert worst.limit() == max(losses.limit(pair) for pair in (one, other))
    turned = [losses.gap(pair[::-1], ratio) for pair in (one, other)]
    assert worst.reverse().gap(ratio).delta == max(turned)
    delta = Fraction(1, 7)
    ratios = [losses.ratio_for(pair, delta) for pair in (one, other)]
    assert worst.ratio_for(delta) == (INFINITY if INFINITY in ratios else max(ratios))


@given(SMALL, SMALL)
def test_the_tests_of_the_worst_are_those_of_the_largest_gap_below_one_too(one, other):
    pairs = one, other
    tests = Worst("x", "y", tuple(compared(*pair) for pair in pairs)).best_tests(LOSSES)
    for loss, (p, q) in zip(LOSSES, tests, strict=True):
        height = float(p) - float(exp(loss)) * float(q)
        wanted = max(float(losses.gap(pair, bounds(exp(loss))[0])) for pair in pairs)
        assert abs(height - wanted) < 1e-12


@given(COMMON, COMMON, losses.RATIOS)
def test_what_is_worst_in_each_answer_is_above_all_that_can_be_mixed(one, other, ratio):
    """Some answers may be those of one pair, others of the other: Worst is above them too."""
    worst = Worst("x", "y", (compared(*one), compared(*other)))
    above = Grid((Part(worst, 2),), Fraction(1, 20)).above(48).gap(ratio)
    for both in ((one, one), (one, other), (other, other)):
        assert losses.gap(independent(*both), ratio) <= above


@given(COMMON, COMMON, losses.RATIOS)
def test_a_dominated_pair_lies_between_its_own_gap_and_that_of_the_others(one, other, ratio):
    above = Worst("x", "y", (compared(*one), compared(*other)))
    found = Dominated("x", "y", compared(*one), above)
    assert encloses(found.gap(ratio).delta, losses.gap(one, ratio))
    assert encloses(found.gap(ratio).delta, max(losses.gap(pair, ratio) for pair in (one, other)))
    assert found.gap(ratio).event == compared(*one).gap(ratio).event
    assert found.dominating is above
    twice = on_grid((found, 2)).gap(ratio).delta
    for both in ((one, one), (one, other), (other, other)):
        assert losses.gap(independent(*both), ratio) <= bounds(twice)[1]
    assert bounds(twice)[0] <= losses.gap(independent(one, one), ratio)
    turned = found.reverse()
    assert encloses(turned.gap(ratio).delta, losses.gap(one[::-1], ratio))


def test_two_ends_that_meet_are_one_number():
    assert ends(Fraction(1, 3), Fraction(1, 3)) == Fraction(1, 3)
    assert ends(Fraction(1, 3), INFINITY) == INFINITY
    assert encloses(ends(Fraction(1, 3), Fraction(1, 2)), Fraction(2, 5))


@given(divergences.laws(3), INNER_SHARES)
def test_the_symmetrized_pair_has_the_profile_of_its_base_both_ways_round(law, share):
    """H_a for a below 1 is that of the reverse: 1 - a + a H_(1/a)."""
    base = Mixed("x", "y", compared(*symmetric(law)), share)
    found = Symmetrized("x", "y", base)
    assert found.reverse() is found
    for loss, (p, q) in zip(LOSSES, found.best_tests(LOSSES), strict=True):
        a = float(exp(loss))
        height = float(p) - a * float(q)
        over = float(base.gap(exp(abs(loss))).delta)
        assert abs(height - (over if loss >= 0 else 1 - a + a * over)) < 1e-12
    assert found.gap(Fraction(2)).delta == base.gap(Fraction(2)).delta
    assert found.peak().ratio == base.peak().ratio


@given(divergences.laws(3, least=0), INNER_SHARES, losses.RATIOS)
def test_the_symmetrized_pair_dominates_both_directions_in_any_order(law, share, ratio):
    """Also where the noise ends, so that some outputs are possible in one world only."""
    p, q = symmetric(law)
    mixed = tuple((1 - share) * b + share * a for a, b in zip(p, q, strict=True)), q
    base = Mixed("x", "y", compared(p, q), share)
    assert base.limit() == Symmetrized("x", "y", base).limit() == losses.limit(mixed)
    high = bounds(
        on_grid((Dominated("x", "y", base, Symmetrized("x", "y", base)), 2)).gap(ratio).delta
    )[1]
    for both in ((mixed, mixed), (mixed, mixed[::-1]), (mixed[::-1], mixed[::-1])):
        assert losses.gap(independent(*both), ratio) <= high
