"""Odds under differential privacy by symmetry agree with those of the whole cone."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds import BitStrings, Records
from twoworlds.cones import largest_odds, row_cone, verify
from twoworlds.cones.cone import Cone
from twoworlds.cones.words.ratio import largest_ratio, reduced
from twoworlds.errors import TooLarge
from twoworlds.worlds.beliefs import belief

UNIVERSES = {"bits(2)": BitStrings(2), "bits(3)": BitStrings(3), "three": Records(3, 2)}
BELIEFS = [
    "uniform",
    "independent(1/3)",
    "independent(1/3, 1/4, 1/5)",
    "independent(1/3, 2/3, 1/3)",
]


def best(cone, a, r):
    """Try all extreme rows."""
    pairs = [[sum(p * x for p, x in zip(m, ray, strict=True)) for m in (a, r)] for ray in cone]
    return max(Fraction(p, 1) / q for p, q in pairs)


def odds_of(records, ratio, a, r):
    left = reduced(records, ratio, a, r)
    _, odds, proof = largest_ratio(Cone.from_inequalities(left.inequalities), *left[1:3])
    return odds, proof, left


@given(st.sampled_from(list(UNIVERSES)), st.data())
def test_any_two_sets_have_the_odds_of_the_best_extreme_row(name, data):
    records = UNIVERSES[name]
    size = records.size
    which = data.draw(
        st.lists(st.sampled_from("SR-"), min_size=size, max_size=size).filter(
            lambda w: "S" in w and "R" in w
        )
    )
    masses = data.draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))
    a, r = (
        [Fraction(m if w == side else 0) for m, w in zip(masses, which, strict=True)]
        for side in "SR"
    )
    whole = row_cone("dp(ratio=3)", records)
    assert odds_of(records, Fraction(3), a, r)[0] == best(whole.generators(), a, r)


@pytest.mark.parametrize("text", BELIEFS)
@pytest.mark.parametrize("secret", [lambda x: sum(x) % 2 == 0, lambda x: x[0] == 1, all])
@pytest.mark.parametrize("paired", [0, 40])
def test_each_reduction_keeps_the_odds_of_a_secret(text, secret, paired, monkeypatch):
    monkeypatch.setattr("twoworlds.cones.words.ratio._MOST_PAIRED", paired)
    records = BitStrings(3)
    held = belief(text, records)
    a, r = (
        [held[x] if secret(x) is side else Fraction(0) for x in records] for side in (True, False)
    )
    odds, _, left = odds_of(records, Fraction(3), a, r)
    assert odds == best(row_cone("dp(ratio=3)", records).generators(), a, r)
    assert sum(left.first) + sum(left.second) == 1
    assert len(left.columns) == len(left.first) == len(left.second)


def test_what_is_left_of_common_questions():
    records = BitStrings(6)

    def columns(text, secret):
        held = belief(text, records)
        a, r = (
            [held[x] if secret(x) is s else Fraction(0) for x in records] for s in (True, False)
        )
        return reduced(records, Fraction(2), a, r).columns

    def even(x):
        return sum(x) % 2 == 0

    laws = ", ".join(f"1/{k}" for k in range(2, 8))
    assert len(columns(f"independent({laws})", lambda x: x[2] == 1)) == 2
    assert columns("uniform", even) == ["111111", "111110"]
    assert len(columns("independent(1/3)", even)) == 7
    assert len(columns("independent(1/3, 2/3, 1/3, 2/3, 1/3, 2/3)", even)) == 7


@pytest.mark.parametrize(
    ("bits", "secret", "against", "factor"),
    [
        (7, "even", None, 3),
        (7, "1=1", None, 3),
        (7, "1" * 7, "0" * 7, 3**7),
        (16, "1" * 16, "0" * 16, 3**16),
        pytest.param(16, "even", None, 3, marks=pytest.mark.slow),
        pytest.param(16, "1=1", None, 3, marks=pytest.mark.slow),
    ],
)
def test_result_tight_odds_of_differential_privacy_on_many_bits(bits, secret, against, factor):
    found = largest_odds("dp(ratio=3)", secret, against, universe=f"bits({bits})")
    assert found.factor == factor
    assert verify(found.certificate.to_dict())
    assert found.row is None


def test_large_and_small_universes_answer_alike():
    text = "independent(1/3, 1/3, 1/3, 1/3, 1/3, 1/4, 1/5)"
    by_symmetry = largest_odds("dp(ratio=3)", "even", belief=text, universe="bits(7)")
    listed = largest_odds(row_cone("dp(ratio=3)", "bits(7)"), "even", belief=text)
    assert by_symmetry.odds == listed.odds
    assert (by_symmetry.secret, by_symmetry.assumes) == (listed.secret, listed.assumes)


def test_too_many_databases_are_refused_with_the_size_that_would_do():
    with pytest.raises(TooLarge, match=r"2\^17 databases.*at most 16 records"):
        largest_odds("dp(ratio=3)", "1" * 17, universe="bits(17)")
    with pytest.raises(TooLarge, match=r"3\^11 databases.*at most 10 records"):
        largest_odds("dp(ratio=3)", "1=1", universe="records(values=3, n=11)")


def test_too_many_classes_are_refused(monkeypatch):
    monkeypatch.setattr("twoworlds.cones.words.ratio._MOST_COLUMNS", 100)
    laws = ", ".join(f"1/{k}" for k in range(3, 10))
    with pytest.raises(TooLarge, match=r"128 classes of databases differ.*at most 100"):
        largest_odds("dp(ratio=3)", "1" * 7, belief=f"independent({laws})", universe="bits(7)")


@pytest.mark.parametrize("secret", ["even", "odd", "2=1"])
@given(st.lists(st.integers(1, 9), min_size=3, max_size=3), st.integers(1, 4))
def test_the_odds_of_a_parity_grow_by_the_ratio_whatever_the_chances(secret, tenths, ratio):
    belief = f"independent({', '.join(f'{q}/10' for q in tenths)})"
    listed = largest_odds(row_cone(f"dp(ratio={ratio})", "bits(3)"), secret, belief=belief)
    assert listed.factor == ratio
    many = ", ".join(["1/7", "2/7", "3/7"] + ["1/2"] * 37)
    found = largest_odds("dp(ratio=3)", secret, belief=f"independent({many})", universe="bits(40)")
    assert (found.factor, found.secret) == (3, listed.secret.replace("3", "40"))
