"""The oracle itself, on cases small enough to be seen at a glance."""

from fractions import Fraction

import pytest

from twoworlds import BitStrings, Records, Universe, mechanism
from twoworlds.testing import enumeration as brute
from twoworlds.worlds import Integers, Part

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
ONE, NIL = Fraction(1), Fraction(0)


def test_the_best_event_may_have_several_cells():
    # No single cell differs by more than 1/4, two of them together by 1/2.
    p, q = [HALF, HALF, NIL, NIL], [QUARTER] * 4
    assert brute.largest_excess(p, q, 1) == HALF
    assert brute.largest_difference(p, q) == HALF
    assert brute.largest_excess(p, q, 2) == 0


def test_ratios_and_impossible_events():
    assert brute.largest_ratio([HALF, HALF], [ONE, NIL]) is None
    assert brute.largest_ratio([ONE, NIL], [HALF, HALF]) == 2
    assert brute.smallest_ratio([HALF, HALF], [ONE, NIL], HALF) == 1
    assert brute.smallest_ratio([HALF, HALF], [ONE, NIL], QUARTER) is None
    assert brute.smallest_ratio([ONE, NIL], [HALF, HALF], HALF) == 1
    assert brute.smallest_ratio([ONE, NIL], [HALF, HALF], QUARTER) == Fraction(3, 2)


def test_bad_masses_count_both_directions_and_are_strict():
    p, q = [HALF, HALF, NIL], [QUARTER, HALF, QUARTER]
    assert brute.bad_masses(p, q, 1) == (HALF, HALF)
    assert brute.bad_masses(p, q, 2) == (NIL, QUARTER)


@pytest.mark.parametrize(
    ("universe", "relation", "group", "count"),
    [
        (BitStrings(2), "substitute", 1, 8),
        (BitStrings(2), "substitute", 2, 12),
        (Records(3, 1), "substitute", 1, 6),
        (Records(2, 1, smallest=0), "add-remove", 1, 4),
        (Records(2, 1, smallest=0), "substitute", 1, 2),
        (Records(2, 1, smallest=0), "add-remove", 2, 6),
        (Integers(0, 3), "substitute", 1, 6),
        (Integers(0, 3, 2), "substitute", 1, 10),
        (Integers(0, 3, 2), "add-remove", 2, 12),
        (Universe.of("abc", [("a", "b")]), "explicit", 1, 2),
        (Universe.of(["11", "10", "01", "00"]), "substitute", 1, 8),
        (Part(BitStrings(2), ((1, 1), (0, 0))), "substitute", 1, 0),
        (Part(BitStrings(2), ((1, 1), (0, 0))), "substitute", 2, 2),
    ],
)
def test_the_number_of_ordered_neighbours(universe, relation, group, count):
    assert len(brute.pairs(universe, relation, group)) == count


def test_known_prices():
    survey = mechanism("randomized-response(bits=2, keep=3/4)")
    pairs = brute.pairs(survey.universe, "substitute")
    assert brute.worst(survey, pairs, brute.largest_ratio) == 3
    assert brute.worst(survey, pairs, brute.largest_difference) == HALF
    shown = mechanism("identity(bits=1)")
    assert (
        brute.worst(shown, brute.pairs(shown.universe, "substitute"), brute.largest_ratio) is None
    )


def test_known_information():
    assert brute.information([HALF, HALF], [[ONE, NIL], [NIL, ONE]]) == pytest.approx(
        0.6931471805599
    )
    assert brute.information([ONE, NIL], [[ONE, NIL], [NIL, ONE]]) == 0
    assert brute.largest_information([[ONE, NIL], [HALF, HALF]], 100) == pytest.approx(0.2231435513)
