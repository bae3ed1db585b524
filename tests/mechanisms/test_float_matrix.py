"""Float matrices: every answer is an enclosure that holds the exact answer of the doubles."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds import BitStrings, Records, Universe
from twoworlds.errors import InvalidInput, NotStochastic
from twoworlds.mechanisms.float_matrix import FloatMatrix, _excess
from twoworlds.numbers import INFINITY, bounds
from twoworlds.testing import enumeration as brute
from twoworlds.testing.strategies import (
    deltas,
    ratios,
    stochastic_matrices,
    universes,
)

FEW = settings(max_examples=30)


def in_floats(rows, universe, outputs=None):
    names = outputs or Universe.of([f"o{i}" for i in range(len(rows))])
    return FloatMatrix(universe, names, np.array([[float(p) for p in row] for row in rows]))


@st.composite
def float_questions(draw):
    """A float matrix, a relation, a group, and the ordered pairs that they compare."""
    universe, relation = draw(universes())
    size, group = draw(st.integers(1, 4)), draw(st.integers(1, 2))
    rows = draw(stochastic_matrices(size, universe.size))
    return in_floats(rows, universe), relation, group, brute.pairs(universe, relation, group)


def holds(value, exact, width=1e-9):
    """Tell whether an enclosure holds the exact number, and is narrow."""
    if exact is None or value == INFINITY:
        return exact is None and value == INFINITY
    low, high = bounds(value)
    return low <= exact <= high <= low + Fraction(width) * max(1, abs(low))


@FEW
@given(float_questions())
def test_the_tight_ratio_is_exact(question):
    mechanism, relation, group, pairs = question
    comparison, peak = mechanism.family(relation, group).peak()
    exact = brute.worst(mechanism, pairs, brute.largest_ratio)
    assert peak.ratio == (INFINITY if exact is None else exact)
    assert (comparison.x, comparison.y) in pairs


@FEW
@given(float_questions(), ratios())
def test_delta_is_enclosed_and_its_event_attains_the_lower_end(question, ratio):
    mechanism, relation, group, pairs = question
    comparison, gap = mechanism.family(relation, group).gap(ratio)
    exact = brute.worst(mechanism, pairs, partial(brute.largest_excess, ratio=ratio))
    assert holds(gap.delta, exact, 1e-12)
    p, q = (mechanism.mass(gap.event, x) for x in (comparison.x, comparison.y))
    assert p - ratio * q == bounds(gap.delta)[0] or abs(p - ratio * q - exact) < 1e-12


@FEW
@given(float_questions(), deltas())
def test_the_smallest_ratio_for_a_delta_is_enclosed(question, delta):
    mechanism, relation, group, pairs = question
    _, ratio = mechanism.family(relation, group).ratio_for(delta)
    exact = brute.worst(mechanism, pairs, partial(brute.smallest_ratio, delta=delta))
    if exact is None or ratio == INFINITY:
        # At the edge, rounding decides whether any ratio is enough: then a huge one is named.
        limit = brute.worst(mechanism, pairs, partial(brute.largest_excess, ratio=10**30))
        assert ratio == INFINITY or bounds(ratio)[1] > 10**12
        assert limit >= delta - Fraction(1, 10**12)
    else:
        low, high = bounds(ratio)
        assert low <= exact * (1 + Fraction(1, 10**9))
        assert exact * (1 - Fraction(1, 10**9)) <= high


TINY = 5e-324  # the least positive double
ENTRIES = st.one_of(
    st.sampled_from([0.0, 1.0, 0.25, 0.75, TINY, 3 * TINY, 2.0**-1022, 2.0**-537, 2.0**-970]),
    st.floats(0.0, 1.0),
)
RATIOS = st.one_of(st.sampled_from([1.0, 3.0, 1.5, 2.0**60, 2.0**900]), st.floats(1.0, 20.0))


@given(ENTRIES, ENTRIES, RATIOS)
def test_an_excess_has_its_exact_sign_and_an_error_of_three_roundings(x, y, ratio):
    found = Fraction(float(_excess(np.array([x]), np.array([y]), ratio)[0])) / 2**110
    exact = max(Fraction(0), Fraction(x) - Fraction(ratio) * Fraction(y))
    assert (found > 0) == (exact > 0)
    assert abs(found - exact) <= 3 * exact / 2**53


def test_a_quotient_beyond_the_largest_double_is_exact():
    floats = in_floats([[0.5, TINY], [0.5, 1.0]], BitStrings(1))
    assert floats.family("substitute").peak()[1].ratio == Fraction(1, 2) / Fraction(TINY)


def test_of_quotients_that_round_alike_the_largest_is_found():
    thirds = [[1 / 3, 0.1, 0.3, 0.1], [2 / 3, 0.9, 0.7, 0.9]]
    floats = in_floats(thirds, BitStrings(2))
    pairs = brute.pairs(BitStrings(2), "substitute", 1)
    exact = brute.worst(floats, pairs, brute.largest_ratio)
    assert floats.family("substitute").peak()[1].ratio == exact


def test_a_matrix_of_one_database_reveals_nothing():
    floats = in_floats([[0.5], [0.5]], Records((1,), 2))
    family = floats.family("substitute")
    assert family.peak()[1].ratio == 1
    assert family.gap(Fraction(2))[1].delta == 0


@FEW
@given(float_questions())
def test_the_exact_comparisons_of_the_family_are_those_of_the_doubles(question):
    mechanism, relation, group, pairs = question
    listed = list(mechanism.family(relation, group))
    assert sorted((str(c.x), str(c.y)) for c in listed) == sorted(
        (str(x), str(y)) for x, y in pairs
    )
    for comparison in listed[:4]:
        exact = brute.largest_ratio(
            brute.column(mechanism, comparison.x), brute.column(mechanism, comparison.y)
        )
        assert comparison.peak().ratio == (INFINITY if exact is None else exact)


def test_an_output_possible_in_one_world_only_has_infinite_ratio():
    shown = in_floats([[1, 0], [0, 1]], BitStrings(1))
    assert tw.measure(shown).ratio == INFINITY
    assert shown.family("substitute").ratio_for(Fraction(1, 2))[1] == INFINITY
    half = in_floats([[0.5, 0.5], [0.5, 0], [0, 0.5]], BitStrings(1))
    assert holds(half.family("substitute").gap(INFINITY)[1].delta, Fraction(1, 2))
    assert shown.family("substitute").ratio_for(Fraction(0))[1] == INFINITY


def test_listed_pairs_and_parts_keep_the_matrix():
    rows = [[0.9, 0.5, 0.5, 0.1], [0.1, 0.5, 0.5, 0.9]]
    floats = in_floats(rows, BitStrings(2))
    far = tw.measure(floats, neighbours="11~00")
    assert float(far.ratio) == pytest.approx(9)
    assert far.assumptions == (
        "neighbours by explicit in bits(2): the pair is one of those listed",
    )
    assert floats.over(Records((1, 0), 2)).matrix is floats.matrix
    part = floats.restrict(["00", "11"])
    assert part.probability("o0", (0, 0)) == Fraction(0.1)
    assert float(tw.measure(part, group=2).ratio) == pytest.approx(9)
    with pytest.raises(InvalidInput, match="'2' is not in"):
        floats.restrict(["2"])


@pytest.mark.parametrize(
    ("matrix", "error", "message"),
    [
        (np.ones((3, 2)) / 3, InvalidInput, r"shape \(3, 2\), but there are 2 outputs"),
        (np.ones(4) / 4, InvalidInput, "one row per output, one column per database"),
        (np.array([[0.6, 0.5], [0.5, 0.5]]), NotStochastic, "column 1 sums to 1.1, off by 0.1"),
        (np.array([[1.1, 0.5], [-0.1, 0.5]]), NotStochastic, r"P\(a \| 1\) = 1.1 is not a prob"),
        (np.array([[1, -0.1], [0, 1.1]]), NotStochastic, r"P\(a \| 0\) = -0.1 is not a prob"),
        (np.array([[np.nan, 1], [0, 0]]), NotStochastic, "nan is not a probability"),
        (np.array([[np.inf, 1], [0, 0]]), NotStochastic, "inf is not a probability"),
        (np.array([[0.5, 0.5], [0.5, 0.5 + 1e-8]]), NotStochastic, "off by 1e-08"),
    ],
)
def test_rejects_what_is_no_stochastic_matrix(matrix, error, message):
    with pytest.raises(error, match=message):
        FloatMatrix(BitStrings(1), Universe.of("ab"), matrix)


def test_rounding_within_the_tolerance_is_accepted():
    thirds = np.full((3, 2), 1 / 3)
    assert FloatMatrix(BitStrings(1), Universe.of("abc"), thirds).outputs.size == 3
