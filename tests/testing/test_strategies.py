"""The strategies draw what they promise, zeros and all."""

from fractions import Fraction

from hypothesis import find, given, settings
from hypothesis import strategies as st

from twoworlds.mechanisms import Dense, OnStatistic, PerRecord
from twoworlds.testing import enumeration as brute
from twoworlds.testing.strategies import (
    deltas,
    dense_mechanisms,
    integer_noise_mechanisms,
    laws,
    per_record_mechanisms,
    post_processings,
    probabilities,
    rationals,
    ratios,
    stochastic_matrices,
    universes,
)
from twoworlds.worlds import pairs

QUICK = settings(max_examples=500, deadline=None, database=None)


@given(rationals(Fraction(1, 3), 2), probabilities(), ratios(), deltas())
def test_numbers_stay_in_their_range(rational, probability, ratio, delta):
    assert Fraction(1, 3) <= rational <= 2
    assert 0 <= probability <= 1
    assert ratio >= 1
    assert 0 <= delta <= 1


@given(st.integers(1, 5).flatmap(laws))
def test_laws_sum_to_one(law):
    assert sum(law) == 1
    assert min(law) >= 0


@given(stochastic_matrices(3, 2))
def test_matrices_have_laws_as_columns(rows):
    assert [len(row) for row in rows] == [2, 2, 2]
    assert [sum(column) for column in zip(*rows, strict=True)] == [1, 1]


@given(universes())
def test_universes_have_neighbours_under_their_relation(drawn):
    universe, relation = drawn
    listed = list(pairs(universe, relation))
    both = {pair for x, y in listed for pair in ((x, y), (y, x))}
    assert both == set(brute.pairs(universe, relation))
    assert listed


@given(st.data())
def test_mechanisms_are_of_their_kind(data):
    assert isinstance(data.draw(per_record_mechanisms()), PerRecord)
    assert isinstance(data.draw(integer_noise_mechanisms()), OnStatistic)
    before = data.draw(dense_mechanisms())
    assert isinstance(before, Dense)
    assert before.then(data.draw(post_processings(before))).universe == before.universe


def test_zeros_and_every_relation_are_met():
    assert 0 in find(laws(3), lambda law: 0 in law, settings=QUICK)
    for relation in ("substitute", "add-remove", "explicit"):
        assert find(universes(), lambda u, r=relation: u[1] == r, settings=QUICK)[1] == relation
