"""Bins that share a sample: against every subset of small populations, and lists of types."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from tests.noiseless.histograms import samples
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.noiseless.histograms import shared
from twoworlds.noiseless.histograms.shared import SharedBins, table_witness
from twoworlds.noiseless.histograms.size_laws import (
    discarded,
    fixed,
    masses,
    poisson,
    size_law,
    two_sided,
)
from twoworlds.numbers import bounds, exp

HALF = Fraction(1, 2)
LAWS = [
    "two-sided(centre=4, ratio=3/2, low=1, high=7)",
    "discarded(size=6, ratio=2, delta=1/5)",
    "masses(0=1/10, 2=2/5, 5=1/2)",
    "fixed(size=4)",
]


def listed(law):
    return {n: law.mass(n) for n in range(law.last + 1) if law.mass(n) != 0}


@pytest.mark.parametrize("text", LAWS)
@pytest.mark.parametrize("members", [(4, 3), (3, 2, 2), (1, 6), (2, 2, 2, 1), (7,)])
def test_populations_agree_with_every_subset(text, members):
    law = size_law(text)
    chance = samples.by_size(listed(law))
    for k in (1, 2, 3):
        for ratio in (Fraction(3, 2), Fraction(3)):
            found = SharedBins(law, members=members).worst(k, ratio)
            assert found.delta == samples.delta(members, k, ratio, chance)


@pytest.mark.parametrize("known", [1, 2])
def test_known_people_agree_with_every_subset(known):
    law = size_law(LAWS[0])
    chance = samples.by_size(listed(law))
    for members in ((4, 3), (5, 1, 1)):
        for k in (1, 2, 4):
            found = SharedBins(law, members=members).worst(k, Fraction(3, 2), known)
            assert found.delta == samples.delta(members, k, Fraction(3, 2), chance, known=known)


@pytest.mark.parametrize("text", LAWS)
@pytest.mark.parametrize(
    "shares", [(HALF, HALF), (Fraction(1, 4), Fraction(1, 4), HALF), (Fraction(1),)]
)
@pytest.mark.parametrize("place", [None, 1, 4])
def test_shares_agree_with_lists_of_types(text, shares, place):
    law = size_law(text)
    for k in (1, 2, 4):
        found = SharedBins(law, shares=shares, place=place).worst(k, Fraction(3, 2))
        assert found.delta == samples.list_delta(listed(law), shares, k, Fraction(3, 2), place)


@pytest.mark.parametrize("known", [0, 1, 2])
def test_shares_are_the_limit_of_large_populations(known):
    law = size_law(LAWS[0])
    limit = float(SharedBins(law, shares=(HALF, HALF)).worst(2, Fraction(3, 2), known).delta)
    gaps = []
    for half in (10, 40, 160):
        found = SharedBins(law, members=(half, half)).worst(2, Fraction(3, 2), known)
        gaps.append(abs(float(found.delta) - limit))
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 0.01


def test_constant_plus_laplace_at_the_first_place():
    law = two_sided(30, "3/2", low=10, high=50)
    bins = SharedBins(law, shares=(HALF, HALF), place=1)
    assert float(bins.worst(5, Fraction(27, 8)).delta) == pytest.approx(
        0.000159739785014473, abs=1e-12
    )
    assert float(bins.worst(5, Fraction(3, 2)).delta) == pytest.approx(0.046384502027053, abs=1e-12)


def test_erratum_21_a_late_place_in_the_list_is_exposed():
    # N is Poisson with mean 20; that a 60th entry exists says that N is 60, or little more.
    found = SharedBins(poisson(20), shares=(Fraction(1),), place=60).worst(5, exp(Fraction(1, 10)))
    mass = poisson(20)
    only = float(mass.mass(60)) / float(mass.at_least(60))
    assert float(found.delta) == pytest.approx(only, rel=1e-9)
    assert float(found.delta) == pytest.approx(0.67, abs=0.01)


def test_a_fixed_size_is_not_private_and_discarding_mends_it():
    bins = (Fraction(1, 4),) * 4
    known = SharedBins(fixed(100), shares=bins).worst(1, Fraction(3, 2))
    assert known.delta == 1
    hidden = SharedBins(fixed(100), shares=bins).worst(10, Fraction(3, 2))
    assert hidden.delta > Fraction(99, 100)
    law = discarded(100, "5/4", delta="1/1000")
    mended = SharedBins(law, shares=bins).worst(10, Fraction(9, 2))
    assert mended.delta < Fraction(1, 100)


def test_rounded_and_endless_laws_enclose_what_exact_ones_give():
    exact = SharedBins(two_sided(6, "3/2", low=0, high=120), shares=(HALF, HALF))
    endless = SharedBins(two_sided(6, "3/2"), shares=(HALF, HALF))
    a = exact.worst(3, Fraction(3, 2)).delta
    low, high = bounds(endless.worst(3, Fraction(3, 2)).delta)
    # They differ in what is below 0 only, and size 0 holds nobody; both are cut where it is rare.
    assert high - low < Fraction(1, 10**25)
    assert abs(low - a) < Fraction(1, 10**15)
    irrational = SharedBins(two_sided(6, "e^0.4", low=1, high=14), shares=(HALF, HALF))
    near = SharedBins(
        two_sided(6, Fraction(14918246976, 10**10), low=1, high=14), shares=(HALF, HALF)
    )
    low, high = bounds(irrational.worst(3, Fraction(3, 2)).delta)
    assert 0 <= high - low < Fraction(1, 10**30)
    assert float(low) == pytest.approx(float(near.worst(3, Fraction(3, 2)).delta), rel=1e-8)


@pytest.mark.parametrize("kind", ["shares", "members"])
def test_revealing_other_counts_bounds_delta_from_above(kind, monkeypatch):
    law = discarded(30, "3/2", delta="1/10")
    parts = {
        "shares": (Fraction(1, 5), Fraction(1, 5), Fraction(3, 5)),
        "members": (20, 30, 15),
    }[kind]
    bins = SharedBins(law, **{kind: parts})
    for k in (1, 5):
        for ratio in (Fraction(5, 4), exp(Fraction(1, 2))):
            for known in (0, 2):
                exact = bins.worst(k, ratio, known)
                with monkeypatch.context() as patch:
                    patch.setattr(shared, "WORK", 0)
                    bound = bins.worst(k, ratio, known)
                assert bound.probabilities is None
                assert bounds(bound.delta)[0] == 0
                assert bounds(exact.delta)[0] <= bounds(bound.delta)[1]
                if k == 1:  # nothing is hidden, so nothing is revealed
                    top = float(bounds(bound.delta)[1])
                    assert top == pytest.approx(float(exact.delta), rel=1e-6)


def test_a_bound_skips_states_that_cannot_be(monkeypatch):
    # Of two known people neither can be left out of a sample of everybody.
    whole = SharedBins(masses("24=1"), members=(9, 15))
    for _ in range(2):  # exactly, and by a bound
        found = whole.worst(1, Fraction(2), 2)
        assert bounds(found.delta)[1] == 1
        assert found.sampled == 2
        monkeypatch.setattr(shared, "WORK", 0)
    with pytest.raises(InvalidInput, match="no room"):
        SharedBins(masses("0=1"), members=(3, 4)).worst(2, Fraction(2))


def test_a_revealed_table_is_exactly_what_the_bound_computes(monkeypatch):
    # Two bins of which only the first is truncated, by plain sums.
    law, k, a, share = discarded(12, "3/2", delta="1/5"), 3, Fraction(5, 4), Fraction(1, 3)
    worst = Fraction(0)
    for own in (share, 1 - share):
        real, ideal, total = {}, {}, Fraction(0)
        for n, mass in listed(law).items():
            total += mass * n
            for (mine, rest), p in samples._multinomial(n - 1, (own, 1 - own)) if n else ():
                for world, count in ((real, mine + 1), (ideal, mine)):
                    table = (count if count >= k else 0, rest)
                    world[table] = world.get(table, Fraction(0)) + mass * n * p
        p, q = ({t: x / total for t, x in w.items()} for w in (real, ideal))
        worst = max(worst, samples.worse(p, q, a))
    monkeypatch.setattr(shared, "WORK", 0)
    bound = SharedBins(law, shares=(share, 1 - share)).worst(k, a)
    assert float(bounds(bound.delta)[1]) == pytest.approx(float(worst), rel=1e-6)


@pytest.mark.parametrize(
    ("bins", "k", "ratio", "known", "upper"),
    [
        ({"shares": (HALF, HALF), "size": "two-sided(90, 2)"}, 40, 2, 0, 0.02466603074572),
        (
            {"shares": (HALF, HALF), "size": "poisson(30)", "place": 25},
            12,
            "3/2",
            0,
            0.05636267032241,
        ),
        ({"shares": (HALF, HALF), "size": "binomial(60, 1/2)"}, 12, "3/2", 2, 0.02378410575329),
        (
            {"members": (60, 140), "size": "discarded(100, 3/2, delta=1/100)"},
            9,
            2,
            2,
            0.01215783067164,
        ),
        ({"members": (60, 140), "size": "fixed(100)"}, 30, 2, 1, 1.0),
        (
            {"shares": (Fraction(1),), "size": "discarded(100, 3/2, delta=1/100)"},
            9,
            2,
            0,
            0.005255561425863,
        ),
    ],
)
def test_bounds_of_record(bins, k, ratio, known, upper, monkeypatch):
    monkeypatch.setattr(shared, "WORK", 0)
    sample = SharedBins(**{**bins, "size": size_law(bins["size"])})
    found = bounds(sample.worst(k, Fraction(ratio), known).delta)[1]
    assert float(found) == pytest.approx(upper, rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(
    "law", [discarded(10**5, "e^0.5", delta="1e-6"), two_sided(10**5, "e^0.5")]
)
def test_large_samples_get_a_bound(law):
    found = SharedBins(law, shares=(Fraction(1, 5),) * 5).worst(100, exp(Fraction(3, 5)))
    assert found.probabilities is None
    assert float(bounds(found.delta)[1]) < 1e-6


def test_witnesses_verify_and_notice_a_change():
    chooser = random.Random(3)
    law = size_law(LAWS[0])
    for members in ((4, 3), (3, 2, 2)):
        k, known = chooser.randint(1, 3), chooser.randint(0, 1)
        bins = SharedBins(law, members=members)
        found = bins.worst(k, Fraction(3, 2), known)
        witness = table_witness(bins, k, known, Fraction(3, 2), found)
        assert witness.verify()
        p, q = found.probabilities
        assert not replace(witness, probabilities=(p, q + Fraction(1, 10**6))).verify()
        assert "your bin shows" in witness.explain()


def test_larger_tables_are_verified_by_comparing_once_more():
    bins = SharedBins(two_sided(40, "3/2", low=20, high=60), shares=(Fraction(1, 4),) * 4)
    found = bins.worst(5, Fraction(2))
    assert table_witness(bins, 5, 0, Fraction(2), found).verify()


def test_bad_input_is_refused(monkeypatch):
    law = size_law(LAWS[0])
    with pytest.raises(InvalidInput, match="give the members"):
        SharedBins(law)
    with pytest.raises(InvalidInput, match="sum to 3/4"):
        SharedBins(law, shares=(HALF, Fraction(1, 4)))
    with pytest.raises(InvalidInput, match="sum to"):
        SharedBins(law, shares=(Fraction(3, 2), -HALF))
    with pytest.raises(InvalidInput, match="can exceed the population of 5"):
        SharedBins(law, members=(3, 2))
    with pytest.raises(InvalidInput, match="can exceed"):
        SharedBins(two_sided(3, 2), members=(30, 20))
    with pytest.raises(InvalidInput, match="place"):
        SharedBins(law, members=(10, 10), place=3)
    with pytest.raises(InvalidInput, match="nobody else can be known"):
        SharedBins(law, shares=(HALF, HALF), place=1).worst(2, Fraction(2), 1)
    with pytest.raises(InvalidInput, match="at most 5 others"):
        SharedBins(law, members=(6, 4)).worst(2, Fraction(2), 6)
    with pytest.raises(InvalidInput, match="no room"):
        SharedBins(masses("0=1"), members=(3, 4)).worst(2, Fraction(2))
    monkeypatch.setattr(shared, "_LONG", 50)
    with pytest.raises(TooLarge, match="sizes that matter"):
        SharedBins(two_sided(100, "10001/10000"), shares=(HALF, HALF)).worst(2, Fraction(2))
