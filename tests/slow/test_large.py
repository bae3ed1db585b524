"""Structure against brute force at sizes that take seconds."""

from fractions import Fraction

import numpy as np
import pytest

from twoworlds import DifferentialPrivacy, measure, mechanism
from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.mechanisms.float_matrix import FloatMatrix
from twoworlds.numbers import bounds
from twoworlds.worlds import BitStrings

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("group", [1, 2, 3])
def test_seven_bits_by_structure_equal_their_exact_table(group):
    survey = mechanism("randomized-response(bits=7, keep=3/4)")
    table = survey.table()
    for question in ({}, {"ratio": 2}, {"ratio": "7/2"}, {"delta": "1/9"}):
        a = measure(survey, group=group, **question)
        b = measure(table, group=group, **question)
        assert (a.ratio, a.delta) == (b.ratio, b.delta)


def test_a_clamped_count_of_eight_bits_equals_its_exact_table():
    count = mechanism("truncated-geometric(ratio=3/2, bits=8)")
    table = count.table()
    asked = DifferentialPrivacy(group=2)
    assert asked.profile(count).pieces == asked.profile(table).pieces
    assert SemanticPrivacy().tightest(count).swing == SemanticPrivacy().tightest(table).swing


def test_twelve_bits_in_floats_enclose_the_exact_price():
    one = np.array([[0.75, 0.25], [0.25, 0.75]])
    matrix = one
    for _ in range(11):
        matrix = np.kron(matrix, one)
    people = BitStrings(12)
    floats = FloatMatrix(people, people, matrix)
    family = floats.family("substitute")
    for value, exact in (
        (family.peak()[1].ratio, Fraction(3)),
        (family.gap(Fraction(2))[1].delta, Fraction(1, 4)),
        (family.gap(Fraction(5, 2))[1].delta, Fraction(1, 8)),
    ):
        low, high = bounds(value)
        assert low <= exact <= high
        assert high - low < Fraction(1, 10**9)
