"""A difference of 1 is shown by a belief, wherever one attains it."""

from fractions import Fraction

import pytest

from twoworlds import Dense, measure, mechanism
from twoworlds.definitions.record_trade_off import record_trade_off
from twoworlds.definitions.trade_off import trade_off
from twoworlds.worlds import BitStrings, Explicit

BIT = BitStrings(1)


def difference(built, witness, default=0):
    """Play both games by Bayes' rule; None where a posterior is undefined."""
    i, t = witness.person - 1, witness.output
    games = []
    for leave_out in (False, True):
        joint = {}
        for x, mass in witness.belief.items():
            y = (*x[:i], default, *x[i + 1 :]) if leave_out else x
            joint[x] = mass * built.probability(t, y)
        total = sum(joint.values())
        if total == 0:
            return None
        games.append({x: p / total for x, p in joint.items()})
    return sum(abs(games[0][x] - games[1][x]) for x in witness.belief) / 2


@pytest.mark.parametrize(
    "text", ["identity(bits=2)", "random-index(records=3)", "integer-noise([1/2, 1/2], bits=2)"]
)
def test_to_be_sure_leaves_the_other_game_undefined(text):
    built = mechanism(text)
    verdict = measure(built, definition="semantic")
    assert verdict.epsilon == 1
    assert verdict.witness.verify()
    default = built.universe.values[-1]
    assert difference(built, verdict.witness, default) in (None, 1)


def test_both_posteriors_may_exist_and_have_nothing_in_common():
    half, zero = Fraction(1, 2), Fraction(0)
    # Output a under 11, 10, 01, 00: without person 1 it is impossible at 11, and only then
    # possible at 10.
    rows = [[half, zero, zero, half], [half, 1, 1, half]]
    built = Dense(BitStrings(2), Explicit(("a", "b")), rows)
    verdict = measure(built, definition="semantic")
    assert verdict.epsilon == 1
    assert difference(built, verdict.witness) == 1


def test_a_supremum_that_is_only_approached_has_no_witness():
    half = Fraction(1, 2)
    built = Dense(BIT, Explicit(("a", "b")), [[0, half], [1, half]])  # columns 1, 0
    verdict = measure(built, definition="semantic")
    assert verdict.epsilon == 1
    assert verdict.witness is None
    assert "attained by none" in verdict.notes[0]


def test_a_part_that_is_the_whole_has_the_same_witness():
    whole = mechanism("randomized-response(bits=2, keep=3/4)")
    part = whole.restrict(["00", "01", "10", "11"])
    verdict = measure(part, definition="semantic")
    assert verdict.witness.verify()
    shown = difference(whole, verdict.witness)
    assert abs(float(shown) - float(verdict.epsilon)) < 1e-12


def test_an_infinite_ratio_bounds_no_test():
    curve = trade_off(mechanism("identity(bits=1)"), "1", "0")
    assert curve.bound(0, ratio="inf", delta=0) == curve.power(0) == 1
    record = record_trade_off(curve.mechanism, belief="uniform", person=1, alternative=[1])
    assert record.largest_power(0) == record.power(0) == 1
