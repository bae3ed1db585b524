"""Combinations of few generators, with facets and by a linear program."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.cones.kernel import double_description as module
from twoworlds.cones.kernel.double_description import combination, decider, extreme_rays
from twoworlds.cones.kernel.vectors import dot, echelon, negative

small = st.integers(-3, 3)


def total(pairs, dimension):
    return [sum((w * g[i] for g, w in pairs), Fraction(0)) for i in range(dimension)]


@st.composite
def targets(draw):
    """Generators, lines and a target, a random combination of them."""
    dimension = draw(st.integers(1, 4))
    vector = st.tuples(*[small] * dimension)
    generators = draw(st.lists(vector.filter(any), max_size=6))
    lines = draw(st.lists(vector.filter(any), max_size=2))
    weights = st.fractions(0, 5, max_denominator=4)
    signed = st.fractions(-5, 5, max_denominator=4)
    pairs = [(g, draw(weights)) for g in generators] + [(g, draw(signed)) for g in lines]
    return generators, lines, total(pairs, dimension)


@given(targets())
def test_every_combination_is_found_again_with_few_generators(case):
    generators, lines, target = case
    dimension = len(target)
    facets, _ = extreme_rays(generators, lines, dimension)
    pairs = combination(target, generators, lines, facets)
    assert total(pairs, dimension) == target
    assert all(weight > 0 for _, weight in pairs)
    assert {g for g, _ in pairs} <= {*generators, *lines, *map(negative, lines)}
    assert len(pairs) <= 2 * dimension
    if not extreme_rays(facets, [], dimension)[1]:  # pointed
        assert len(pairs) <= len(echelon(generators)[0])


@given(targets(), st.data())
def test_facets_and_programs_decide_alike(case, data):
    generators, lines, _ = case
    dimension = len(case[2])
    target = data.draw(st.tuples(*[small] * dimension))
    answers = [
        decider(generators, lines, description)(target)
        for description in (extreme_rays(generators, lines, dimension), None)
    ]
    assert (answers[0][1] is None) == (answers[1][1] is None)
    for pairs, inequality in answers:
        if inequality is not None:
            assert dot(inequality, target) < 0
            assert all(dot(inequality, g) >= 0 for g in generators)
            assert all(dot(inequality, line) == 0 for line in lines)
        else:
            assert total(pairs, dimension) == list(target)
            assert all(weight > 0 for _, weight in pairs)


def test_generators_that_span_a_space_without_being_lines():
    triangle = [(1, 0), (0, 1), (-1, -1)]
    pairs = combination((-5, "1/2"), triangle, [], [])
    assert total(pairs, 2) == [-5, Fraction(1, 2)]
    assert len(pairs) <= 3


def test_a_table_that_is_too_large_is_left_to_a_program(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_TABLE", 0)
    monkeypatch.setattr(module, "combination", pytest.fail)
    found, _ = decider([(1, 0), (1, 1)], [], (((1, -1), (0, 1)), ()))((3, 1))
    assert total(found, 2) == [3, 1]
