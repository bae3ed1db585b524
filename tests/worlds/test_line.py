"""Whole numbers and real numbers as possible true answers."""

from decimal import Decimal
from fractions import Fraction
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.worlds import SUBSTITUTE, Integers, Reals

ENDS = st.one_of(st.none(), st.integers(-6, 6))


@st.composite
def ranges(draw):
    low, high = draw(ENDS), draw(ENDS)
    if low is not None and high is not None and low > high:
        low, high = high, low
    return Integers(low, high, draw(st.integers(1, 4)))


def inside(universe, k):
    return (universe.low is None or k >= universe.low) and (
        universe.high is None or k <= universe.high
    )


@given(ranges())
def test_membership_is_lying_between_the_ends(universe):
    for k in range(-12, 13):
        assert (k in universe) == inside(universe, k)
    assert True not in universe
    assert 0.5 not in universe
    assert "0" not in universe


@given(ranges())
def test_listing_visits_each_once(universe):
    found = list(islice(universe, 25))
    assert len(set(found)) == len(found)
    expected = [k for k in range(-12, 13) if inside(universe, k)]
    if universe.size is not None:
        assert found == expected
        assert universe.size == len(expected)
    else:
        near = sorted(found)
        assert near == list(range(near[0], near[-1] + 1))
        assert all(inside(universe, k) for k in found)
        if universe.low is None and universe.high is None:
            assert set(found) == set(range(-12, 13))


@given(ranges(), st.integers(-6, 6))
def test_neighbours_are_at_most_one_step_away(universe, x):
    if x not in universe:
        return
    found = list(universe.around(x, SUBSTITUTE))
    assert len(found) == len(set(found))
    assert set(found) == {
        y for y in range(-20, 21) if inside(universe, y) and 0 < abs(x - y) <= universe.step
    }


@given(ranges(), st.integers(-6, 6))
def test_every_label_finds_its_number(universe, x):
    if x in universe:
        assert universe.find(universe.label(x)) == x
        assert universe.find(f" {x} ") == x
    else:
        with pytest.raises(InvalidInput, match="is not in integers"):
            universe.find(str(x))


@pytest.mark.parametrize("bad", ["x", "1.5", 1.5, None, True, "", [1]])
def test_what_is_no_whole_number_is_refused(bad):
    with pytest.raises(InvalidInput, match=r"is not in integers\(\)"):
        Integers().find(bad)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"low": 3, "high": 2}, "empty"),
        ({"low": 1.5}, "low=1.5"),
        ({"high": "x"}, "high='x'"),
        ({"low": "inf"}, "low=inf"),
        ({"low": True}, "truth value"),
        ({"step": 0}, "step=0"),
        ({"step": -1}, "step=-1"),
        ({"step": 0.5}, "step=0.5"),
    ],
)
def test_ill_formed_ranges_are_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        Integers(**arguments)


@pytest.mark.parametrize("given_", ["1/2", 0.5, Fraction(1, 2), Decimal("0.5"), " 0.5 "])
def test_a_real_number_is_given_as_any_rational(given_):
    assert Reals().find(given_) == Fraction(1, 2)
    assert Fraction(1, 2) in Reals()


@pytest.mark.parametrize("bad", ["x", "ln 3", float("nan"), float("inf"), None, True])
def test_what_is_no_rational_is_refused(bad):
    with pytest.raises(InvalidInput):
        Reals().find(bad)


def test_reals_cannot_be_listed():
    assert Reals().size is None
    with pytest.raises(InvalidInput, match="cannot be listed"):
        iter(Reals())
    with pytest.raises(InvalidInput, match="cannot be listed"):
        Reals().around(Fraction(0), SUBSTITUTE)


@pytest.mark.parametrize("bad", [0, -1, "inf", "x", float("nan")])
def test_the_step_of_reals_is_finite_and_positive(bad):
    with pytest.raises(InvalidInput, match="step="):
        Reals(bad)
