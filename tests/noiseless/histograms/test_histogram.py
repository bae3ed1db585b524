"""Truncated histograms under sampling priors: reference values, brute force, words, bad input."""

import json
from fractions import Fraction

import pytest

from tests.noiseless.histograms import samples
from twoworlds.errors import InvalidInput, Undecided
from twoworlds.noiseless import truncated_histogram
from twoworlds.noiseless.histograms.histogram import read_histogram
from twoworlds.numbers import Real, bounds

RATIOS = [Fraction(11, 10), Fraction(3, 2), Fraction(3)]


def test_bernoulli_sampling_of_one_bin():
    found = truncated_histogram("50", rate="3/10", threshold="10", epsilon="0.5")
    assert float(found.delta) == pytest.approx(0.0130262803899466, abs=1e-12)
    assert isinstance(found.delta, Real)
    low, high = bounds(found.delta)
    assert high - low < low / 2**50
    plain = found.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["delta"]["value"] == pytest.approx(0.01302628038994, abs=1e-13)
    assert plain["delta"]["exact"] is None


def test_erratum_21_a_large_epsilon_with_threshold_one_exposes_a_single_person():
    found = truncated_histogram(mean="1/100", threshold=1, epsilon=1)
    assert float(found.delta) == pytest.approx(0.990049833749168, abs=1e-12)


@pytest.mark.few(3)
@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("bins", [(3,), (4, 2), (3, 3, 1), (1, 1, 5)])
def test_member_by_member_agrees_with_every_subset(bins, ratio):
    for rate in (Fraction(1, 2), Fraction(1, 5)):
        chance = samples.member_by_member(rate)
        for k in (1, 2, 3, 5):
            for known in (0, 1, 2, 3):
                if known >= max(bins):
                    continue
                found = truncated_histogram(
                    list(bins), rate=rate, threshold=k, ratio=ratio, known=known
                )
                assert found.delta == samples.delta(bins, k, ratio, chance, known=known)


@pytest.mark.parametrize("bins", [(4, 3), (2, 5)])
def test_a_binomial_size_is_member_by_member(bins):
    law = f"binomial(population={sum(bins)}, rate=2/5)"
    chance = samples.member_by_member(Fraction(2, 5))
    for k in (1, 2, 3):
        found = truncated_histogram(list(bins), size=law, threshold=k, ratio="3/2")
        assert found.delta == samples.delta(bins, k, Fraction(3, 2), chance)


def test_a_poisson_size_splits_into_independent_bins():
    split = truncated_histogram(size="poisson(mean=20)", shares="1/4,3/4", threshold=6, ratio=2)
    apart = truncated_histogram(mean=[5, 15], threshold=6, ratio=2)
    assert bounds(split.delta) == bounds(apart.delta)


def test_populations_with_a_law_of_their_size_agree_with_every_subset():
    masses = {2: Fraction(1, 4), 3: Fraction(1, 4), 4: Fraction(1, 2)}
    text = "masses(2=1/4, 3=1/4, 4=1/2)"
    for bins in ((4, 3), (3, 2, 2)):
        for k in (1, 2):
            found = truncated_histogram(list(bins), size=text, threshold=k, ratio="3/2")
            assert found.delta == samples.delta(bins, k, Fraction(3, 2), samples.by_size(masses))


def test_a_claim_is_decided():
    asked = {"population": 50, "rate": "3/10", "threshold": 10, "epsilon": 0.5}
    assert truncated_histogram(**asked, delta="0.0131")
    refuted = truncated_histogram(**asked, delta="0.013")
    assert not refuted
    assert refuted.definition == "ddp(epsilon=1/2, delta=0.013)"
    assert refuted.sentence.startswith("If each of the 50 members of your bin is in the sample")
    assert "the claim fails" in refuted.sentence
    with pytest.raises(Undecided):
        bool(truncated_histogram(**asked))


BROKEN = "nothing more needs to be known: delta exceeds 1/2 already."


@pytest.mark.parametrize(
    ("population", "rate", "threshold", "ratio", "known"),
    [
        ("7, 2", "3/10", 1, 2, 0),
        ("10, 5", "1/2", 3, 5, 2),
        ("2, 10", "3/10", 2, 2, 0),
        ("4..6, 3", "1/2", 2, 3, 0),
        ("9, 9, 8", "2/5", 4, 2, 1),
    ],
)
def test_what_breaks_lists_of_bins_is_found_by_a_scan(population, rate, threshold, ratio, known):
    asked = {"rate": rate, "threshold": threshold, "ratio": ratio}
    said = truncated_histogram(population, known=known, **asked).sentence
    most = read_histogram(population, rate).most_known
    deltas = [
        truncated_histogram(population, known=known, **asked).delta for known in range(most + 1)
    ]
    assert deltas == sorted(deltas)
    first = next(n for n, delta in enumerate(deltas) if delta > Fraction(1, 2))
    if first <= known:
        assert said.endswith(BROKEN)
    elif first == known + 1:
        assert f"knowing of {first} whether" in said
        assert said.endswith("and makes delta exceed 1/2.")
    else:
        assert said.endswith(f"; knowing of {first} makes delta exceed 1/2.")


def test_a_fixed_size_is_refuted_and_the_way_out_is_said():
    found = truncated_histogram("30, 20, 10", size="fixed(size=20)", threshold=1, ratio="3/2")
    assert found.delta == 1
    assert "nothing is promised" in found.sentence
    assert any("size=discarded(size=20, ratio=3/2, delta=...)" in note for note in found.notes)
    hidden = truncated_histogram("30, 20, 10", size="fixed(size=20)", threshold=5, ratio="3/2")
    assert hidden.delta > Fraction(1, 3)


def test_theorem_10_is_corrected_in_words():
    found = truncated_histogram(50, rate="3/10", threshold=10, epsilon=0.5)
    (note,) = [note for note in found.notes if "Theorem 10" in note]
    assert "No C will do if most of the population is sampled" in note
    assert "proven with C = 2" in note
    assert set(found.values) == {"ratio", "epsilon", "delta", "threshold", "members"}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"population": 50, "rate": 0}, "strictly between 0 and 1"),
        ({"population": 50, "rate": 1}, "strictly between 0 and 1"),
        ({"population": 50, "rate": "3/2"}, "strictly between 0 and 1"),
        ({"population": 50, "rate": "ln 2"}, "irrational"),
        ({"population": 0, "rate": "1/2"}, "population=0"),
        ({"population": "", "rate": "1/2"}, "population is empty"),
        ({"population": [], "rate": "1/2"}, "population is empty"),
        ({"population": "9..3", "rate": "1/2"}, "ends before it begins"),
        ({"population": 2.5, "rate": "1/2"}, "whole number"),
        ({"population": "many", "rate": "1/2"}, "not a number"),
        ({"population": 5, "rate": "1/2", "known": 5}, "at most 4 others"),
        ({"population": "3, 5", "rate": "1/2", "known": 5}, "at most 4 others"),
        ({"population": 5, "rate": "1/2", "known": -1}, "known=-1"),
        ({"population": 5, "rate": "1/2", "threshold": 0}, "threshold=0"),
        ({"population": 5, "rate": "1/2", "threshold": "2.5"}, "whole number"),
        ({"population": 5, "rate": "1/2", "ratio": None}, "finite ratio"),
        ({"population": 5, "rate": "1/2", "ratio": "inf"}, "finite ratio"),
        ({"population": 5, "rate": "1/2", "ratio": "1/2"}, "at least 1"),
        ({"population": 5, "rate": "1/2", "delta": 2}, "delta=2"),
        ({"population": 5, "rate": "1/2", "mean": 3}, "leave population and rate out"),
        ({"population": 5}, "give population= and rate="),
        ({"rate": "1/2"}, "give population= and rate="),
        ({}, "give population= and rate="),
        ({"mean": 0}, "above 0"),
        ({"mean": -3}, "above 0"),
        ({"mean": ""}, "mean is empty"),
        ({"shares": "1/2,1/2"}, "give size= as well"),
        ({"size": "fixed(size=3)"}, "not both"),
        ({"size": "fixed(size=3)", "population": "5", "rate": "1/2"}, "leave rate and mean out"),
        ({"size": "fixed(size=3)", "population": ""}, "give the members"),
        ({"size": "fixed(size=3)", "shares": ""}, "shares is empty"),
        ({"size": "fixed(size=3)", "shares": "1/2"}, "sum to 1/2"),
        ({"size": "fixed(size=3)", "shares": "1/2,1/2", "place": 0}, "place=0"),
        ({"size": "fixed(size=9)", "population": "3, 4"}, "can exceed the population of 7"),
        ({"size": "binomial(population=9, rate=1/2)", "population": "3,4"}, "7 members together"),
        ({"size": "poisson(mean=9)", "population": "3,4"}, "can exceed the population"),
    ],
)
def test_bad_input_is_refused(asked, said):
    with pytest.raises(InvalidInput, match=said):
        truncated_histogram(**{"threshold": 3, "ratio": 2, **asked})


def test_a_bound_says_that_it_is_one():
    asked = {
        "size": "discarded(size=3000, ratio=e^0.5, delta=1e-4)",
        "shares": ["1/20"] * 20,
        "threshold": 30,
        "epsilon": 1,
    }
    found = truncated_histogram(**asked)
    assert found.witness is None
    assert found.notes[0] == "delta is an upper bound: the true one may be smaller"
    assert found.method.startswith("all other counts were revealed exactly")
    assert found.to_dict()["delta"]["lower"] == 0
    upper = bounds(found.delta)[1]
    assert float(upper) == pytest.approx(4.688918596e-05, rel=1e-8)
    assert truncated_histogram(**asked, delta=upper * 2)
    open_ = truncated_histogram(**asked, delta=upper / 2)
    assert open_.holds is None
    assert open_.notes[0].startswith("undecided: delta lies between 0 and")
