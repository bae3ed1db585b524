"""Losses on a grid: both families of lines against all outputs listed, also when bits are few."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws import divergences, losses
from tests.laws.losses import compared, encloses, independent
from twoworlds.errors import TooLarge
from twoworlds.laws import grid
from twoworlds.laws.grid import Grid, Part, rounded_places
from twoworlds.laws.line import GaussianPair, LaplacePair
from twoworlds.numbers import bounds, exp

SMALL = divergences.pairs(least=0, sizes=(2, 3))
UNITS = st.sampled_from([Fraction(1, 2), Fraction(1, 7), Fraction(1, 40)])
SPARE = st.sampled_from([2, 6, 48])  # bits: with 2 of them much is lost, and must be counted


def overlap(pair):
    return any(p and q for p, q in zip(*pair, strict=True))


def gridded(one, other, unit):
    parts = Part(compared(*one), 2), Part(compared(*other), 1)
    return Grid(parts, unit), independent(one, one, other)


@given(SMALL, SMALL, UNITS, SPARE, losses.RATIOS)
def test_lines_from_above_dominate_at_every_ratio_however_few_bits(one, other, unit, spare, ratio):
    found, both = gridded(one, other, unit)
    above = found.above(spare)
    for a in (ratio, 1 / ratio, Fraction(1)):
        assert above.gap(a) >= losses.gap(both, a)
    for delta in (Fraction(1, 50), Fraction(1, 3)):
        assert above.ratio_for(delta) >= losses.ratio_for(both, delta)
    for level in (Fraction(1, 10), Fraction(1, 2)):
        assert above.power(level) >= losses.power(both, level)


@given(SMALL, SMALL, UNITS, SPARE)
def test_the_power_from_above_also_follows_from_the_reverse(one, other, unit, spare):
    found, both = gridded(one[::-1], other[::-1], unit)
    for level in (Fraction(1, 10), Fraction(9, 10)):
        assert found.above(spare).turned_power(level) >= losses.power(both[::-1], level)


@given(SMALL, SMALL, UNITS, SPARE)
def test_lines_from_below_are_the_masses_of_real_events(one, other, unit, spare):
    """Every threshold names an event; its two masses are added up output by output."""
    if not overlap(one) or not overlap(other):
        return
    found, _ = gridded(one, other, unit)
    marks = tuple(found.marks(part, spare) for part in found.parts)
    below = found.below(spare, marks)
    step = max(1, len(below.thresholds) // 12)
    for least in below.thresholds[::step]:
        own = marks[0], marks[0], marks[1]
        p, q = losses.rounded_masses([one, one, other], unit, own, least)
        assert below.line(least)[0] <= p
        assert q <= below.line(least)[1]
        assert encloses(below.masses(least)[0], p)
        assert encloses(below.masses(least)[1], q)


@given(SMALL, SMALL, UNITS, losses.RATIOS)
def test_lines_from_below_stay_below(one, other, unit, ratio):
    if not overlap(one) or not overlap(other):
        return
    found, both = gridded(one, other, unit)
    below = found.below(20, [found.marks(part, 20) for part in found.parts])
    assert below.gap(ratio)[0] <= losses.gap(both, ratio)
    assert below.power(Fraction(1, 3)) <= losses.power(both, Fraction(1, 3))
    delta = losses.limit(both) / 2 + Fraction(1, 2)
    assert below.ratio_for(delta)[0] <= losses.ratio_for(both, delta)


def test_both_ends_are_off_by_the_square_of_the_unit():
    """A grid 4 times as fine leaves about 1/16: rounding to one side would leave 1/4."""
    pair = GaussianPair("x", "y", Fraction(1), Fraction(0), Fraction(2))
    ratio = exp(Fraction(47, 100))
    exact = bounds(GaussianPair("x", "y", Fraction(1), Fraction(0), Fraction(1)).gap(ratio).delta)
    off = []
    for unit in (Fraction(1, 4), Fraction(1, 16), Fraction(1, 64)):
        made = Grid((Part(pair, 4),), unit)
        low = made.below(48, [made.marks(part, 48) for part in made.parts]).gap(bounds(ratio)[1])[0]
        high = made.above(48).gap(ratio)
        assert low <= exact[1]
        assert exact[0] <= high
        off.append((exact[0] - low, high - exact[1]))
    for before, after in pairwise(off):
        assert after[0] <= before[0] / 8
        assert before[1] / 24 <= after[1] <= before[1] / 10


def test_marks_rise_and_leave_next_to_nothing_outside():
    pair = GaussianPair("x", "y", Fraction(1), Fraction(0), Fraction(1))
    made = Grid((Part(pair, 10),), Fraction(1, 32))
    marks = made.marks(made.parts[0], 48)
    assert all(low < high for low, high in pairwise(marks))
    low, high = pair.best_tests([made.unit * marks[0], made.unit * marks[-1]])
    assert 10 * (1 - bounds(low.p)[0] + bounds(high.p)[1]) <= Fraction(1, 2**48)
    spaces = {high - low for low, high in pairwise(marks)}
    assert min(spaces) == 1 < max(spaces) <= 2**grid._WIDEST  # wide cells far out only
    near = [high - low for low, high in pairwise(marks) if abs(low) < 32]
    assert set(near) == {1}


def test_losses_are_rounded_to_the_nearer_end_of_narrow_cells_and_the_middle_of_wide_ones():
    assert rounded_places((-3, -2, 0, 4)) == [-3, -2, -1, 2, 5]


def test_a_grid_that_would_be_too_fine_is_refused(monkeypatch):
    pair = LaplacePair("x", "y", Fraction(1), Fraction(0), Fraction(1))
    with pytest.raises(TooLarge, match="marks are more than"):
        Grid((Part(pair, 1),), Fraction(1, 10**6)).above(48)
    monkeypatch.setattr(grid, "_MOST_PLACES", 100)
    with pytest.raises(TooLarge, match="places are more than 100"):
        Grid((Part(pair, 10),), Fraction(1, 20)).above(48)
