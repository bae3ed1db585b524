"""Curves of delta without noise: the drawn numbers are those of the exact verdicts."""

import math
from fractions import Fraction

import pytest

from twoworlds.errors import TwoWorldsError
from twoworlds.noiseless import total
from twoworlds.numbers import to_json
from twoworlds.web.sweeps import noiseless


def exact(p, people, known, epsilon):
    law = f"1={p}, 0={1 - Fraction(p)}"
    return to_json(total(law, people=people, known=known, epsilon=epsilon).delta)["value"]


@pytest.mark.few(3)
@pytest.mark.parametrize("p", ["1/2", "1/3", "99/100"])
@pytest.mark.parametrize("epsilon", ["0", "1/2", "ln 3"])
def test_curves_over_people_are_exact_to_nine_digits(p, epsilon):
    found = noiseless("12", "3", p, epsilon, most="24", curves=["0", "10"])
    assert found["x"] == [*range(4, 25)]
    assert found["delta"] == pytest.approx([exact(p, n, 3, epsilon) for n in found["x"]], rel=1e-9)
    for curve, known in zip(found["curves"], (0, 10), strict=True):
        assert curve["known"] == known
        assert curve["x"] == [*range(known + 1, 25)]
        wanted = [exact(p, n, known, epsilon) for n in curve["x"]]
        assert curve["delta"] == pytest.approx(wanted, rel=1e-9)


def test_curves_over_known_are_exact_to_nine_digits():
    found = noiseless("30", "3", "1/3", "1/4", sweep="known", curves=["10", "40"])
    assert found["delta"] == pytest.approx([exact("1/3", 30, k, "1/4") for k in found["x"]], 1e-9)
    for curve, people in zip(found["curves"], (10, 40), strict=True):
        assert (curve["people"], curve["x"]) == (people, [*range(people)])
        wanted = [exact("1/3", people, k, "1/4") for k in curve["x"]]
        assert curve["delta"] == pytest.approx(wanted, rel=1e-9)


def test_large_counts_keep_their_digits():
    found = noiseless("1500", "100", "1/10", "1/10")
    assert found["delta"][-1] == pytest.approx(exact("1/10", 1500, 100, "1/10"), rel=1e-9)
    assert found["at"]["delta"]["value"] == pytest.approx(found["delta"][-1], rel=1e-9)


def test_where_one_stands_is_on_the_curve():
    assert 777 in noiseless("777", "10", most="19999")["x"]
    assert 77 in noiseless("1999", "77", sweep="known")["x"]


def test_a_ratio_beyond_floats_leaves_what_is_never_shared():
    found = noiseless("5", epsilon="5000")
    assert found["delta"] == pytest.approx([1, 1 / 2, 1 / 4, 1 / 8, 1 / 16])
    assert all(map(math.isfinite, found["delta"]))


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("most", {"most": "4"}),
        ("most", {"most": "20001"}),
        ("most", {"most": "50", "sweep": "known"}),
        ("curves", {"curves": ["5"]}),
        ("curves", {"curves": ["x"]}),
        ("curves", {"curves": ["-1"]}),
        ("curves", {"curves": ["1"], "sweep": "known"}),
        ("curves", {"curves": ["20001"], "sweep": "known"}),
        ("curves", {"curves": ["1"] * 9}),
        ("known", {"known": "5"}),
        ("probability", {"probability": "1"}),
        ("epsilon", {"epsilon": "-1"}),
        ("sweep", {"sweep": "nothing"}),
        ("curves", {"curves": ["1"], "sweep": "none"}),
    ],
)
def test_bad_numbers_are_refused_beside_their_field(field, given):
    with pytest.raises(TwoWorldsError) as caught:
        noiseless(**{"people": "5", **given})
    assert caught.value.field == field
