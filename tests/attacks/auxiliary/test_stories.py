"""The flaw of the printed proof, the height of Terry Gross, and the smoking study."""

from fractions import Fraction
from itertools import product

import pytest

from twoworlds.attacks.auxiliary import flaw, height, smoking
from twoworlds.errors import InvalidInput, TooLarge


@pytest.mark.parametrize("ell", [1, 2, 3, 4])
def test_erratum_with_the_pad_itself_the_simulator_always_wins(ell):
    found = flaw(ell)
    assert found.found.epsilon == 0
    assert found.found.mu == found.found.blind == Fraction(2 ** (ell + 1) - 1, 4**ell)
    assert found.found.simulator == 1
    assert found.verify()
    assert "above the printed bound" in found.explain()


@pytest.mark.parametrize("extract", ["field", "toeplitz"])
def test_erratum_seeds_do_not_save_the_printed_bound(extract):
    found = flaw(2, extract=extract)
    assert found.found.printed_bound_fails
    assert found.verify()
    data = found.to_dict()
    assert data["bound_violated"] is True
    assert data["claimed_simulator_bound"] == data["printed_bound"]
    assert data["one_breach"]["printed_bound_fails"] is False


def test_all_matrices_keep_the_printed_bound_and_not_its_reason():
    found = flaw(2, extract="matrices").found
    assert not found.printed_bound_fails
    assert not found.assumption_2a_repaired


def test_one_bit_of_a_multiplied_by_a_random_bit_stays_within_the_bound():
    found = flaw(1, extract="field")
    assert found.found.simulator == 1
    assert found.found.printed_bound == Fraction(3, 4) + Fraction(1, 4)
    assert not found.found.printed_bound_fails
    assert "within the printed bound" in found.explain()


def test_reference_dw_17_the_height_of_terry_gross():
    found = height("166.5", "2 inches")
    assert found.height == Fraction("161.42")
    assert found.simulator == Fraction(1, 301)
    assert found.to_dict()["in_the_data"] is False


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"average": "tall"}, "no length"),
        ({"average": "3 parsec"}, "no length"),
        ({"shorter": "ln 2"}, "no length"),
        ({"average": "1/3"}, "nine decimals"),
        ({"shorter": "300"}, "height above 0"),
    ],
)
def test_heights_that_make_no_sense_are_refused(given, said):
    with pytest.raises(InvalidInput, match=said):
        height(**given)


def listed(people, published, ratio, *, took_part):
    """Belief and risk by running through all databases, with the full normalised noise."""
    alpha = 1 / Fraction(ratio) if ratio else None

    def noise(z):
        if alpha is None:
            return Fraction(z == 0)
        return (1 - alpha) / (1 + alpha) * alpha ** abs(z)

    total, harmful, sick = Fraction(0), Fraction(0), Fraction(0)
    for is_harmful, rate in ((1, Fraction(3, 10)), (0, Fraction(1, 10))):
        for states in product((0, 1), repeat=people + 1):
            chance = Fraction(1, 2)
            for state in states:
                chance *= rate if state else 1 - rate
            count = sum(states[1:]) + (states[0] if took_part else 0)
            chance *= noise(published - count)
            total += chance
            harmful += chance * is_harmful
            sick += chance * states[0]
    return harmful / total, sick / total


@pytest.mark.parametrize("ratio", [3, "3/2", None])
@pytest.mark.parametrize("published", [0, 2, 5])
def test_beliefs_are_those_of_bayes_by_enumeration(ratio, published):
    found = smoking(people=5, published=published, ratio=ratio)
    without = listed(5, published, ratio, took_part=False)
    with_him = listed(5, published, ratio, took_part=True)
    assert (found.belief_without, found.risk_without) == without
    assert (found.belief_with, found.risk_with) == with_him


@pytest.mark.parametrize("published", [-20, 0, 3, 14, 25, 50, 80])
def test_taking_part_moves_the_odds_by_the_promised_factor_at_most(published):
    for ratio in ("11/10", 2, 9):
        assert smoking(published=published, ratio=ratio).promise_holds


def test_without_noise_taking_part_can_tell_everything():
    found = smoking(people=5, published=6, ratio=3)
    assert found.promise_holds
    exact = smoking(people=5, published=0, ratio=None)
    assert exact.risk_with == 0
    assert exact.promise_holds is None
    assert exact.odds_factor == 0
    assert "nothing bounds" in exact.explain()


def test_the_study_harms_without_participation():
    found = smoking()
    assert found.risk_before == Fraction(1, 5)
    assert found.risk_without > Fraction(29, 100)
    assert "did not take part" in found.explain()
    assert found.to_dict()["made_up"] is True


@pytest.mark.parametrize("published", [-3, -1, 0, 3, 4, 5, 7])
def test_counts_beyond_all_possible_ones_are_told_by_enumeration_too(published):
    found = smoking(people=3, published=published, ratio="5/2")
    without = listed(3, published, "5/2", took_part=False)
    with_him = listed(3, published, "5/2", took_part=True)
    assert (found.belief_without, found.risk_without) == without
    assert (found.belief_with, found.risk_with) == with_him


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"belief": 2}, InvalidInput, "between 0 and 1"),
        ({"people": 0}, InvalidInput, "at least 1"),
        ({"people": 1000}, TooLarge, "up to 400"),
        ({"published": "1/2"}, InvalidInput, "whole number"),
        ({"published": 99, "ratio": None}, InvalidInput, "impossible"),
        ({"ratio": 1}, InvalidInput, "exceed 1"),
        ({"ratio": "1/2"}, InvalidInput, "--ratio none"),
        ({"ratio": "1e1000"}, TooLarge, "round it"),
        ({"ratio": "ln 3"}, InvalidInput, "irrational"),
    ],
)
def test_studies_that_make_no_sense_are_refused(given, error, said):
    with pytest.raises(error, match=said):
        smoking(**given)
