"""The inverse of a mechanism's matrix and its columns (Lin & Kifer, Theorem 5.1)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from twoworlds.cones import inverse, row_cone
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.mechanisms.named import mechanism

SURVEY = "randomized-response(bits=2, keep=3/4)"


def test_the_inverse_of_randomized_response_and_its_norms():
    found = inverse(mechanism(SURVEY))
    assert found.rows[0] == (Fraction(9, 4), Fraction(-3, 4), Fraction(-3, 4), Fraction(1, 4))
    assert set(found.column_norms) == {Fraction(4)}


@pytest.mark.parametrize("text", [SURVEY, "pram([[3/5,1/7,1/7],[1/5,3/7,2/7],[1/5,3/7,4/7]])"])
def test_its_product_with_the_matrix_is_the_identity_and_its_columns_are_the_facets(text):
    built = mechanism(text)
    found = inverse(built)
    table = [[built.probability(o, x) for x in built.universe] for o in built.outputs]
    for i, row in enumerate(table):
        for j, column in enumerate(zip(*found.rows, strict=True)):
            assert sum(a * b for a, b in zip(row, column, strict=True)) == (i == j)
    facets = {inequality.coefficients for inequality in found.inequalities()}
    assert facets == set(row_cone(built).cone.facets)
    assert found.to_dict()["column_norms"] == [str(norm) for norm in found.column_norms]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("noisy-parity(bits=2, keep=3/4)", "square"),
        ("randomized-response(bits=1, keep=1/2)", "no inverse"),
    ],
)
def test_matrices_without_an_inverse_are_refused_with_the_way_out(text, said):
    with pytest.raises(Unsupported, match=said):
        inverse(mechanism(text))


def test_a_large_one_is_refused():
    with pytest.raises(TooLarge):
        inverse(mechanism("randomized-response(bits=9, keep=3/4)"))
