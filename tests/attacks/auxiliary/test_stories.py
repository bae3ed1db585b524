"""The flaw of the printed proof, the height of Terry Gross, and the smoking study."""

from fractions import Fraction
from itertools import product

import pytest

from twoworlds.attacks.auxiliary import flaw, height, smoking
from twoworlds.errors import InvalidInput, TooLarge


def exact(found, *names):
    data = found.to_dict()
    return [Fraction(data[name]["exact"]) for name in names]


@pytest.mark.parametrize("ell", [1, 2, 3])
def test_erratum_with_the_pad_itself_the_simulator_always_wins(ell):
    found = flaw(ell)
    chance = Fraction(2 ** (ell + 1) - 1, 4**ell)
    assert exact(found, "epsilon", "mu", "blind", "simulator") == [0, chance, chance, 1]
    assert found.data["bound_violated"]
    assert not found.data["assumption_2a_repaired"]
    assert not found.data["one_breach"].data["printed_bound_fails"]


@pytest.mark.parametrize(
    ("ell", "extract", "violated"),
    [(2, "field", True), (2, "toeplitz", True), (2, "matrices", False), (1, "field", False)],
)
def test_erratum_seeds_do_not_save_the_printed_bound_in_general(ell, extract, violated):
    found = flaw(ell, extract=extract)
    assert found.data["bound_violated"] is violated
    assert not found.data["assumption_2a_repaired"]
    assert not found.data["one_breach"].data["printed_bound_fails"]
    for attack in (found.to_dict(), found.data["one_breach"].to_dict()):
        assert attack["simulator"]["value"] <= attack["repaired_bound"]["value"]
    assert ("above" if violated else "within") + " the printed bound" in found.explain()


def test_reference_dw_17_the_height_of_terry_gross():
    found = height("166.5", "2 inches")
    assert exact(found, "height", "simulator") == [Fraction("161.42"), Fraction(1, 301)]
    assert found.data["in_the_data"] is False


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"average": "tall"}, "not a length"),
        ({"average": "3 parsec"}, "not a length"),
        ({"shorter": "ln 2"}, "not a length"),
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
@pytest.mark.parametrize("published", [-3, 0, 2, 4, 7])
def test_beliefs_are_those_of_bayes_by_enumeration(ratio, published):
    if ratio is None and not 0 <= published <= 4:
        with pytest.raises(InvalidInput, match="impossible"):
            smoking(people=4, published=published, ratio=ratio)
        return
    found = smoking(people=4, published=published, ratio=ratio).data
    without = listed(4, published, ratio, took_part=False)
    with_him = listed(4, published, ratio, took_part=True)
    assert (found["belief_without"], found["risk_without"]) == without
    assert (found["belief_with"], found["risk_with"]) == with_him


@pytest.mark.parametrize("published", [-20, 0, 14, 50, 80])
def test_taking_part_moves_the_odds_by_the_promised_factor_at_most(published):
    for ratio in ("11/10", 9):
        assert smoking(published=published, ratio=ratio).data["promise_holds"]


def test_without_noise_taking_part_can_tell_everything():
    found = smoking(people=5, published=0, ratio=None)
    assert found.data["risk_with"] == found.data["odds_factor"] == 0
    assert found.data["promise_holds"] is None
    assert "nothing bounds" in found.explain()


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"belief": 2}, InvalidInput, "between 0 and 1"),
        ({"people": 0}, InvalidInput, "at least 1"),
        ({"people": 1000}, TooLarge, "up to 400"),
        ({"published": "1/2"}, InvalidInput, "whole number"),
        ({"ratio": 1}, InvalidInput, "exceed 1"),
        ({"ratio": "1/2"}, InvalidInput, "--ratio none"),
        ({"ratio": "1e1000"}, TooLarge, "round it"),
        ({"ratio": "ln 3"}, InvalidInput, "irrational"),
    ],
)
def test_studies_that_make_no_sense_are_refused(given, error, said):
    with pytest.raises(error, match=said):
        smoking(**given)
