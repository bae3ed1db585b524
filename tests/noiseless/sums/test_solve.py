from __future__ import annotations

from fractions import Fraction

import pytest

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.noiseless import solve_epsilon, solve_known, solve_people, total
from twoworlds.numbers import INFINITY, bounds

LAWS = ["-1,0,1", "0..4", "0=1/2,1=1/4,5=1/4", "[-1, 1]"]


def above(verdict):
    return bounds(verdict.delta)[1]


@pytest.mark.few(3)
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("delta", ["1/10", "1/100"])
@pytest.mark.parametrize("known", [0, 3])
def test_the_smallest_number_of_people_is_where_the_claim_begins_to_hold(law, delta, known):
    found = solve_people(law, epsilon="0.8", delta=delta, known=known)
    sizes = range(known + 1, int(found.people) + 3)
    holding = [
        n
        for n in sizes
        if above(total(law, people=n, known=known, epsilon="0.8")) <= Fraction(delta)
    ]
    assert holding[0] == found.people
    assert found.holds is True
    assert bounds(found.delta_before)[0] > Fraction(delta)
    assert "the claim fails" in found.notes[0]


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("simulator", ["canonical", "centred"])
def test_the_largest_number_of_known_entries_is_where_the_claim_ends(law, simulator):
    asked = {"people": 30, "epsilon": 1, "simulator": simulator}
    found = solve_known(law, delta="1/20", **asked)
    holding = [k for k in range(30) if above(total(law, known=k, **asked)) <= Fraction(1, 20)]
    assert holding[-1] == found.known
    assert found.holds is True
    assert f"with {int(found.known) + 1} known entries the claim fails" in found.notes[0]


def test_known_entries_of_groups():
    groups = [("0,1", 12), ("0..4", 12)]
    found = solve_known(groups, epsilon=1, delta="1/5")
    assert found.holds is True
    known = int(found.known)
    assert above(total(groups, known=known, epsilon=1)) <= Fraction(1, 5)
    assert bounds(total(groups, known=known + 1, epsilon=1).delta)[0] > Fraction(1, 5)


@pytest.mark.parametrize("law", ["0,1", "0..4", "0=1/2,1=1/4,5=1/4"])
@pytest.mark.parametrize("definition", ["ddp", "noiseless"])
def test_the_smallest_epsilon_attains_its_delta(law, definition):
    limit = Fraction(1, 5)
    found = solve_epsilon(law, people=12, delta=limit, definition=definition)
    assert found.holds is True
    assert isinstance(found.ratio, Fraction)
    assert found.delta == limit
    less = found.ratio * Fraction(999_999, 1_000_000)
    assert total(law, people=12, ratio=less, definition=definition).delta > limit


def test_no_epsilon_may_be_enough():
    found = solve_epsilon("0,1", people=3, delta="1/100")
    assert found.ratio == INFINITY
    assert found.holds is False
    assert "no epsilon, however large" in found.notes[0]


@pytest.mark.slow
def test_the_smallest_epsilon_of_a_large_total_is_enclosed():
    found = solve_epsilon("0..20", people=3000, delta="1e-6")
    low, high = bounds(found.ratio)
    assert 1 < low < high < low * (1 + Fraction(1, 10**9))
    assert found.holds is True
    assert bounds(total("0..20", people=3000, ratio=low - Fraction(1, 10**6)).delta)[0] > Fraction(
        1, 10**6
    )


def test_components_are_solved_by_their_bound():
    found = solve_people("component [-1, 1] at least 1/4", epsilon=1, delta="1/100")
    assert found.holds is True
    assert "is not proven" in found.notes[0] or "the claim fails" in found.notes[0]
    before = total("component [-1, 1] at least 1/4", people=found.people - 1, epsilon=1)
    assert above(before) > Fraction(1, 100)


@pytest.mark.parametrize(
    ("law", "message"),
    [("1,3", "never coincide"), ("5", "nothing is unknown")],
)
def test_hopeless_laws_are_refused(law, message):
    with pytest.raises(InvalidInput, match=message):
        solve_people(law, epsilon=1, delta="1/100")


def test_bad_questions_are_refused():
    with pytest.raises(InvalidInput, match="irrational"):
        solve_people("0,1", epsilon=1, delta="ln 2")
    with pytest.raises(InvalidInput, match="ratio and epsilon are missing"):
        solve_people("0,1", delta="1/10")
    with pytest.raises(InvalidInput, match="known=-1"):
        solve_people("0,1", epsilon=1, delta="1/10", known=-1)
    with pytest.raises(InvalidInput, match="out of range"):
        solve_known("0,1", people=5, epsilon=1, delta=2)
    with pytest.raises(Unsupported, match="listed values only"):
        solve_epsilon("[0, 1]", people=5, delta="1/10")
