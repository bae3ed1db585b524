"""One integer noise as another with more noise added."""

from fractions import Fraction

import pytest

from twoworlds.cones.noise.laws import NoSummableInverse
from twoworlds.cones.noise.quotient import noise_quotient
from twoworlds.errors import Undecided, Unsupported
from twoworlds.laws.noise import GeometricNoise


def test_less_private_geometric_noise_becomes_more_private_by_adding_noise():
    found = noise_quotient("geometric(ratio=3)", "geometric(ratio=2)")
    assert found
    thin, wide = GeometricNoise(Fraction(1, 3)), GeometricNoise(Fraction(1, 2))
    for k in range(-3, 4):  # thin * quotient = wide, up to a tail
        total = sum(thin.pmf(j) * found.sequence.at(k - j) for j in range(-40, 41))
        assert abs(total - wide.pmf(k)) < Fraction(1, 10**9)
    assert sum(found.sequence.at(k) for k in range(-60, 61)) > 1 - Fraction(1, 10**9)
    assert "with independent noise added" in found.explain()


def test_and_not_the_other_way_round():
    found = noise_quotient("geometric(ratio=2)", "geometric(ratio=3)")
    assert not found
    thin = GeometricNoise(Fraction(1, 3))
    by_hand = 5 * thin.pmf(1) - 2 * thin.pmf(0) - 2 * thin.pmf(2)
    assert found.value == by_hand == Fraction(-5, 18)
    assert abs(found.at) == 1
    assert "would have the probability -5/18" in found.explain()
    assert found.to_dict()["holds"] is False


@pytest.mark.parametrize("r", [1, 2, 3])
def test_result_the_row_cone_shrinks_with_r(r):
    # R6
    small = f"differenced-negative-binomial(p=1/2, r={r})"
    large = f"differenced-negative-binomial(p=1/2, r={r + 1})"
    step = noise_quotient(small, large)
    assert step
    assert [step.sequence.at(k) for k in range(-2, 3)] == [
        GeometricNoise(Fraction(1, 2)).pmf(k) for k in range(-2, 3)
    ]
    assert not noise_quotient(large, small)


def test_a_common_zero_cancels():
    assert noise_quotient("binomial(1, 1/2)", "binomial(3, 1/2)")
    with pytest.raises(NoSummableInverse, match="0 at pi"):
        noise_quotient("binomial(3, 1/2)", "binomial(1, 1/2)")


def test_refuses_irrational_generating_functions_and_unsettled_signs():
    with pytest.raises(Unsupported, match="no rational generating function"):
        noise_quotient("skellam(1, 1)", "geometric(ratio=2)")
    with pytest.raises(Undecided, match="do not settle"):
        noise_quotient("integer-noise([1/2, 1/4, 1/4])", "delta()")
