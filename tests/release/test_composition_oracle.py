"""Our exact composition beside the privacy loss distributions of dp-accounting, which round up."""

from fractions import Fraction

import pytest
from dp_accounting.pld import common, privacy_loss_distribution

from twoworlds.release.composition import optimal_epsilon
from twoworlds.release.costs import Cost


@pytest.mark.parametrize(
    ("epsilon", "delta", "count"),
    [("0.1", "0", 50), ("0.5", "0", 10), ("0.25", "1e-8", 20), ("1", "1e-7", 3)],
)
def test_optimal_composition_agrees_with_dp_accounting(epsilon, delta, count):
    cost = Cost(Fraction(epsilon), Fraction(delta))
    ours = float(optimal_epsilon([cost] * count, Fraction(1, 10**6)))
    one = privacy_loss_distribution.from_privacy_parameters(
        common.DifferentialPrivacyParameters(float(epsilon), float(delta))
    )
    theirs = one.self_compose(count).get_epsilon_for_delta(1e-6)
    assert ours <= theirs + 1e-9
    assert theirs == pytest.approx(ours, rel=1e-3)
