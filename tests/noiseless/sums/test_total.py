from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import pytest

from tests.noiseless.sums import brute
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.laws.entry import common_step
from twoworlds.laws.lattice import OnLattice, convolve, windowed
from twoworlds.noiseless import EntryLaw, largest_exact, read_law, total
from twoworlds.numbers import bounds, exp, number

HALF = Fraction(1, 2)


def gap(p, q, ratio):
    return OnLattice("p", "q", p, q).gap(ratio)


def near(verdict, expected, tolerance=1e-12):
    low, high = bounds(verdict.delta)
    assert high - low <= abs(low) * Fraction(1, 1 << 50)
    return abs(float(low) - expected) <= tolerance


@pytest.mark.parametrize(
    ("people", "known", "epsilon", "expected"),
    [
        (50, 0, "0.5", 0.000188067830551055),
        (200, 0, "0.2", 0.000357107289057541),
        (50, 30, "0.5", 0.00602551179068416),
    ],
)
def test_theorems_8_and_9_on_a_lattice(people, known, epsilon, expected):
    assert near(total("-1,0,1", people=people, known=known, epsilon=epsilon), expected)


def test_shifting_all_entries_changes_the_canonical_simulator():
    """Erratum 18: entries 9, 10, 11 are not entries -1, 0, 1 without loss of generality."""
    shifted = total("9,10,11", people=51, epsilon="0.5")
    assert near(shifted, 0.56738, 1e-5)
    centred = total("9,10,11", people=51, epsilon="0.5", simulator="centred")
    assert near(centred, 1.69e-4, 1e-6)
    assert centred.delta.formula == total("-1,0,1", people=51, epsilon="0.5").delta.formula
    assert bounds(centred.delta) == bounds(total("-1,0,1", people=51, epsilon="0.5").delta)
    assert any("adds 10 instead of nothing" in note for note in shifted.notes)


def random_law(seed: int, values: int) -> EntryLaw:
    rng = random.Random(seed)
    places = rng.sample(range(-4, 9), values)
    weights = [rng.randint(1, 6) for _ in places]
    scale = Fraction(rng.choice([1, 2, 3]), rng.choice([1, 2, 5]))
    return EntryLaw.of(
        {place * scale: Fraction(w, sum(weights)) for place, w in zip(places, weights, strict=True)}
    )


def plain(law: EntryLaw) -> dict[Fraction, Fraction]:
    return dict(zip(law.values, law.masses, strict=True))


@pytest.mark.few(6)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("how", ["canonical", "resampled", "noiseless"])
def test_delta_matches_enumeration_of_all_tables(seed, how):
    rng = random.Random(seed)
    law = random_law(seed, rng.randint(1, 4))
    people, ratio = rng.randint(1, 4), Fraction(rng.randint(4, 12), 4)
    known = rng.randint(0, people - 1)
    asked = {"definition": "noiseless"} if how == "noiseless" else {"simulator": how}
    found = total(law, people=people, known=known, ratio=ratio, **asked)
    assert found.delta == brute.delta([plain(law)] * people, known, ratio, how)


@pytest.mark.parametrize("seed", range(12))
def test_centred_simulator_matches_enumeration(seed):
    law = random_law(seed, 3)
    ratio = Fraction(3, 2)
    found = total(law, people=3, ratio=ratio, simulator="centred")
    low, high = law.ends
    constants = [v for k in range(200) if (v := low + k * law.step) <= high]
    middle = (low + high) / 2
    close = [c for c in constants if abs(c - middle) < law.step]
    everybody = [plain(law)] * 3
    assert found.delta == min(brute.delta(everybody, 0, ratio, "centred", c) for c in close)


@pytest.mark.parametrize("seed", range(8))
def test_groups_take_the_worst_choice_of_known_entries(seed):
    rng = random.Random(100 + seed)
    laws = [random_law(seed, 2), random_law(seed + 50, 3)]
    counts = [rng.randint(1, 2), rng.randint(1, 2)]
    known = rng.randint(0, sum(counts) - 1)
    found = total(list(zip(laws, counts, strict=True)), known=known, ratio=2)
    everybody = [plain(law) for law, n in zip(laws, counts, strict=True) for _ in range(n)]
    assert found.delta == brute.delta(everybody, known, Fraction(2), "canonical")


@pytest.mark.parametrize("seed", range(6))
def test_the_best_simulator_is_the_best_of_the_three(seed):
    law = random_law(seed, 3)
    asked = {"people": 5, "known": 1, "epsilon": "0.4"}
    found = total(law, simulator="best", **asked)
    each = [total(law, simulator=s, **asked) for s in ("canonical", "centred", "resampled")]
    assert bounds(found.delta)[1] == min(bounds(verdict.delta)[1] for verdict in each)


@pytest.mark.parametrize("law", ["0..6", "0=1/2,1=1/4,5=1/4", "bernoulli(1/10)"])
def test_more_people_never_hurt_and_more_known_entries_never_help(law):
    by_people = [bounds(total(law, people=n, epsilon="0.3").delta) for n in range(1, 14)]
    assert all(b[0] <= a[1] for a, b in pairwise(by_people))
    by_known = [bounds(total(law, people=13, known=k, epsilon="0.3").delta) for k in range(13)]
    assert by_known == by_people[::-1]


def test_totals_with_and_without_an_entry_may_never_coincide():
    odd = total("1,3", people=6, ratio=5)
    assert odd.delta == 1
    assert "none is possible in both worlds" in odd.witness.event
    assert total("1,3", people=6, ratio=5, simulator="centred").delta < 1


# --- laws in a window ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_windows_of_mixed_groups_enclose_the_exact_delta(seed):
    groups = ((random_law(seed, 3), 20), (random_law(seed + 20, 4), 31))
    step = common_step(law for law, _ in groups)
    exact, rough = convolve(groups, step), windowed(groups, step, 64, 6)
    for ratio in (Fraction(1), Fraction(9, 8), exp(number("0.7"))):
        true = bounds(gap(exact.shifted(3), exact, ratio).delta)
        low, high = bounds(gap(rough.shifted(3), rough, ratio).delta)
        assert low <= true[0]
        assert true[1] <= high


@pytest.mark.slow
def test_large_sizes_are_enclosed_and_say_so():
    found = total("0..20", people=6000, epsilon="0.2", delta="1e-6")
    assert found.holds is True
    low, high = bounds(found.delta)
    assert 0 < low <= high < low * Fraction(1001, 1000)
    assert not found.exact
    assert "both ends are proven" in found.method
    assert f"up to {largest_exact(read_law('0..20')):,} entries" in found.method


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("delta", ["1/100", "1/3", "9/10"])
def test_smallest_ratio_is_where_delta_is_attained(seed, delta):
    law, limit = random_law(seed, 3), Fraction(delta)
    sums = convolve(((law, 4),), law.step)
    p, q = sums.shifted(1), sums
    ratio = OnLattice("p", "q", p, q).ratio_for(limit)
    if ratio == number("inf"):
        assert gap(p, q, Fraction(10**30)).delta > limit
    elif ratio > 1:
        assert gap(p, q, ratio).delta == limit
    else:
        assert gap(p, q, Fraction(1)).delta <= limit


# --- noiseless privacy --------------------------------------------------------------------------


@pytest.mark.parametrize("law", ["-1,0,1", "0..5", "0=1/2,1=1/4,5=1/4"])
@pytest.mark.parametrize("ratio", ["3/2", "4"])
def test_theorem_17_bounds_noiseless_privacy(law, ratio):
    found = total(law, people=12, ratio=ratio, definition="noiseless")
    assert found.delta <= bounds(found.theorem_17)[1]
    assert "between two values of your entry" in found.sentence


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"people": 0}, "people=0"),
        ({"people": "2.5"}, "people=2.5"),
        ({}, "people is missing"),
        ({"people": 5, "known": 5}, "at most 4 can be known"),
        ({"people": 5, "known": -1}, "known=-1"),
        ({"people": 5, "epsilon": None}, "ratio and epsilon are missing"),
        ({"people": 5, "epsilon": -1}, "negative"),
        ({"people": 5, "epsilon": "inf"}, "finite"),
        ({"people": 5, "ratio": 2}, "not both"),
        ({"people": 5, "epsilon": None, "ratio": "1/2"}, "at least 1"),
        ({"people": 5, "delta": 2}, "probability from 0 to 1"),
        ({"people": 5, "delta": "x"}, "not a number"),
    ],
)
def test_bad_questions_are_refused(asked, message):
    with pytest.raises(InvalidInput, match=message):
        total("0,1", **{"epsilon": 1, **asked})


def test_too_many_people_or_choices_are_refused():
    with pytest.raises(TooLarge, match="never grows"):
        total("0,1", people=10**9, ratio=2)
    with pytest.raises(TooLarge, match="fewer groups"):
        total([(f"0,{k}", 200) for k in range(1, 5)], known=50, ratio=2)


def test_two_groups_of_densities_are_refused_and_told_what_is_supported():
    with pytest.raises(Unsupported, match=r"which 2 with a density: .* judge each group by"):
        total([("[0, 2]", 2), ("[0, 1]", 3)], ratio=2)


@pytest.mark.slow
def test_lattices_that_are_too_fine_are_refused():
    with pytest.raises(TooLarge, match="round the values"):
        total("0, 1, 1000000000", people=3, ratio=2)
    with pytest.raises(TooLarge, match="too many for its law"):
        total("0..99999", people=10_000, ratio=2)
