"""Irrational probabilities: enclosed, found again, and decided where there is room."""

import json
from fractions import Fraction

import pytest

from twoworlds import check, measure
from twoworlds.definitions.coupled._program import GivenValue
from twoworlds.definitions.coupled.optimal import optimal
from twoworlds.definitions.coupled.proof import attained, verify_optimum
from twoworlds.definitions.coupled.scene import Release, scene
from twoworlds.errors import Undecided
from twoworlds.numbers import Real, bounds, number
from twoworlds.worlds import BitStrings
from twoworlds.worlds.belief import uniform
from twoworlds.worlds.joint import BeliefClass, Joint
from twoworlds.worlds.scrubbing import persons

F = Fraction
NOISY = "randomized-response(bits=1, epsilon=1/2)"
STEPS = "truncated-geometric(epsilon=1/2, bits=2)"


@pytest.mark.parametrize("ratio", ["1", "11/10", "5/4", "e^(1/5)"])
def test_an_answer_with_delta_verifies_after_everything_was_refined(ratio):
    verdict = measure(NOISY, definition=f"ddp(belief=uniform, ratio={ratio})")
    keep = number("e^(1/2)") / (1 + number("e^(1/2)"))
    # A coin is best, and what it shows beyond a (1 - keep) is left.
    low, high = bounds(F(1, 2) - number(ratio) * (1 - keep))
    found = bounds(verdict.delta)
    assert found[0] <= high
    assert low <= found[1]
    assert found[1] - found[0] < F(1, 2**40)
    assert verdict.witness.verify()
    assert json.dumps(verdict.to_dict(), allow_nan=False)


def test_probabilities_of_which_only_an_interval_is_known():
    keep = Real.between(F(3, 4), F(3, 4) + F(1, 10**12))
    release = Release("measured", lambda x: {x[0]: keep, 1 - x[0]: 1 - keep})
    fair = BeliefClass((Joint.of(uniform(BitStrings(1))),), "fair")
    best = optimal(scene(release, fair, persons(1)), 1)
    assert best.lower <= F(1, 4) <= best.upper <= F(1, 4) + F(1, 10**10)
    assert best.verify()
    assert verify_optimum(json.loads(json.dumps(best.to_dict())))


@pytest.mark.parametrize("ratio", ["3/2", "2"])
def test_delta_is_exactly_zero_where_the_ratio_leaves_room(ratio):
    verdict = measure(STEPS, definition=f"ddp(belief=uniform, ratio={ratio})")
    assert verdict.delta == 0
    assert "plus" not in verdict.sentence


def test_a_claim_with_delta_zero_is_decided_where_the_ratio_leaves_room():
    assert check(NOISY, "ddp(belief=uniform, epsilon=1/2, delta=0)").holds is True
    assert check(STEPS, "ddp(belief=uniform, epsilon=1/2, delta=0)").holds is True
    assert check(NOISY, "ddp(belief=uniform, ratio=11/10, delta=0)").holds is False
    verdict = check(NOISY, "ddp(belief=uniform, ratio=11/10, delta=1/100)")
    assert "holds with delta at most 0.0847" in " ".join(verdict.notes)


def test_a_claim_on_the_edge_stays_undecided_and_says_so():
    # Half of (1, 1 - keep) on both sides needs exactly the ratio (1/2) / (1 - keep).
    edge = "(e^(1/2) + 1)/2"
    verdict = check(NOISY, f"ddp(belief=uniform, ratio={edge}, delta=0)")
    assert verdict.holds is None
    with pytest.raises(Undecided, match="undecided"):
        bool(verdict)


def test_errors_count_unless_they_are_certainly_covered():
    laws = ({0: F(1, 2), 1: F(1, 2)},)
    real = {0: F(5, 8), 1: F(3, 8)}
    error = F(1, 100)
    made = [GivenValue(0, "v", real, {0: F(1)}, (error, F(0)))]
    assert attained(made, laws, F(2)) == 0
    assert attained(made, laws, F(4, 3)) == F(4, 3) * error  # 1/2 = 4/3 * 3/8: on the edge
    assert attained(made, laws, F(1)) == F(1, 8) + error
