"""Domination: what lies above several pairs of laws, at every ratio and after composition."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tests.laws import divergences, losses
from tests.laws.losses import Names, compared, encloses, independent
from twoworlds.laws.composition import Composed
from twoworlds.laws.grid import Grid, Part
from twoworlds.laws.sampling import Dominated, Mixed, Symmetrized, Worst, ends
from twoworlds.numbers import INFINITY, bounds, exp

SMALL = divergences.pairs(least=0, sizes=(2, 3))
COMMON = divergences.pairs(least=1, sizes=(2, 3))
SHARES = st.fractions(Fraction(1, 10), Fraction(1, 2), max_denominator=10)
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


@given(divergences.laws(3), SHARES)
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


@given(divergences.laws(3, least=0), SHARES, losses.RATIOS)
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
