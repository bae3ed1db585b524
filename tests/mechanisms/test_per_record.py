"""One transition for every record, against the whole table for few records."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.comparison import Family
from twoworlds.laws.event import OnRecords
from twoworlds.mechanisms import per_record
from twoworlds.mechanisms.base import Dense
from twoworlds.mechanisms.named import mechanism
from twoworlds.mechanisms.per_record import ByLoss, PerRecord, RandomIndex
from twoworlds.mechanisms.several import composed
from twoworlds.numbers import INFINITY, exp
from twoworlds.worlds import ADD_REMOVE, EXPLICIT, SUBSTITUTE, Explicit

RATIOS = st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(3), Fraction(9), Fraction(50)])
DELTAS = st.sampled_from([Fraction(0), Fraction(1, 20), Fraction(1, 3), Fraction(9, 10)])
FLIP = Dense(Explicit((1, 0)), Explicit((1, 0)), [["3/4", "1/4"], ["1/4", "3/4"]])


def laws(size):
    weights = st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(any)
    return weights.map(lambda w: tuple(Fraction(k, sum(w)) for k in w))


@st.composite
def mechanisms(draw):
    """A random transition, not always square, with zeros, and few records."""
    values, outputs = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    columns = [draw(laws(outputs)) for _ in range(values)]
    rows = list(zip(*columns, strict=True))
    transition = Dense(Explicit(tuple("abc"[:values])), Explicit(tuple(range(outputs))), rows)
    return PerRecord(transition, draw(st.integers(1, 3 if max(values, outputs) < 3 else 2)))


def law(mechanism, database):
    """The law of the whole output, by multiplying all records."""
    column = mechanism.transition.distribution
    return {
        word: prod((column(x)[o] for o, x in zip(word, database, strict=True)), start=Fraction(1))
        for word in product(mechanism.transition.outputs, repeat=mechanism.records)
    }


def of_table(mechanism, group):
    """The comparisons of the whole table; of a single database, with itself."""
    if mechanism.universe.size > 1:
        return mechanism.table().family(SUBSTITUTE, group)
    (x,) = mechanism.universe
    return Family([mechanism.table().compare(x, x)], "one database")


def both_ways(check):
    """Check with every word of outputs listed, then merged into classes of equal ratio."""

    def twice():
        check()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(per_record, "_WORDS_LISTED", 0)
            check()

    return twice


@given(mechanisms(), st.integers(1, 4), RATIOS)
def test_the_gap_is_that_of_the_whole_table(mechanism, group, ratio):
    expected = of_table(mechanism, group).gap(ratio)[1].delta

    @both_ways
    def check():
        comparison, found = mechanism.family(SUBSTITUTE, group).gap(ratio)
        assert found.delta == expected
        above = mechanism.mass(found.event, comparison.x)
        below = mechanism.mass(found.event, comparison.y)
        assert above - ratio * below == found.delta
        for database in mechanism.universe:  # the event has a mass in every world
            p = law(mechanism, database)
            expected_mass = sum(m for word, m in p.items() if found.event.holds(word))
            assert mechanism.mass(found.event, database) == expected_mass

    check()


@given(mechanisms(), st.integers(1, 4))
def test_the_peak_is_that_of_the_whole_table(mechanism, group):
    expected = of_table(mechanism, group).peak()[1].ratio

    @both_ways
    def check():
        comparison, found = mechanism.family(SUBSTITUTE, group).peak()
        assert found.ratio == expected
        above = mechanism.mass(found.event, comparison.x)
        below = mechanism.mass(found.event, comparison.y)
        assert above > 0
        assert above == expected * below if below else expected == INFINITY
        example = mechanism.example(found.event, comparison.x)
        assert found.event.holds(example)
        assert mechanism.probability(example, comparison.x) > 0

    check()


@given(mechanisms(), st.integers(1, 3), DELTAS)
def test_ratio_for_is_that_of_the_whole_table(mechanism, group, delta):
    expected = of_table(mechanism, group).ratio_for(delta)[1]

    @both_ways
    def check():
        assert mechanism.family(SUBSTITUTE, group).ratio_for(delta)[1] == expected

    check()


@given(mechanisms())
def test_the_table_holds_the_products(mechanism):
    table = mechanism.table()
    for x in mechanism.universe:
        assert dict(table.distribution(x)) == law(mechanism, x)
        assert dict(mechanism.distribution(x)) == law(mechanism, x)


@cache
def binomial_gap(k, keep, ratio):
    """The gap of k bits, all of which differ: count the outputs that agree with the first world."""
    flip = 1 - keep
    return sum(
        comb(k, j) * max(Fraction(0), keep**j * flip ** (k - j) - ratio * flip**j * keep ** (k - j))
        for j in range(k + 1)
    )


@pytest.mark.parametrize("group", [1, 5, 8, 9, 12, 20])
@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(81)])
def test_large_groups_are_as_bad_as_the_binomial_says(group, ratio):
    mechanism = PerRecord(FLIP, 40)
    comparison, found = mechanism.family(SUBSTITUTE, group).gap(ratio)
    assert found.delta == binomial_gap(group, Fraction(3, 4), ratio)
    above = mechanism.mass(found.event, comparison.x)
    below = mechanism.mass(found.event, comparison.y)
    assert above - ratio * below == found.delta
    assert isinstance(found.event, ByLoss if group > 8 else OnRecords)


def test_forty_bits_are_measured_without_going_through_their_databases():
    mechanism = PerRecord(FLIP, 40)
    family = mechanism.family(SUBSTITUTE)
    assert family.peak()[1].ratio == 3
    assert family.gap(Fraction(2))[1].delta == Fraction(1, 4)
    assert family.ratio_for(Fraction(1, 4))[1] == 2
    assert mechanism.family(SUBSTITUTE, 40).peak()[1].ratio == 3**40


def test_impossible_outputs_make_the_ratio_infinite_in_large_groups_too():
    z = Dense(Explicit((1, 0)), Explicit((1, 0)), [["1/2", 0], ["1/2", 1]])
    mechanism = PerRecord(z, 20)
    family = mechanism.family(SUBSTITUTE, 14)
    assert family.peak()[1].ratio == INFINITY
    comparison, found = family.gap(Fraction(10**9))
    # All 14 bits 1 against all 0: only the output of zeros, of mass 2^-14, is possible in both.
    assert found.delta == 1 - Fraction(1, 2**14)
    assert mechanism.mass(found.event, comparison.y) == 0
    assert family.ratio_for(1 - Fraction(1, 2**14))[1] == 1


def test_irrational_transitions_are_compared_while_their_words_can_be_listed():
    keep = exp(Fraction(1)) / (1 + exp(Fraction(1)))
    noisy = Dense(Explicit((1, 0)), Explicit((1, 0)), [[keep, 1 - keep], [1 - keep, keep]])
    mechanism = PerRecord(noisy, 40)
    comparison, found = mechanism.family(SUBSTITUTE, 2).gap(Fraction(1))
    expected = float(binomial_gap(2, Fraction(float(keep)), Fraction(1)))
    assert abs(float(found.delta) - expected) < 1e-12
    above, below = (mechanism.mass(found.event, z) for z in (comparison.x, comparison.y))
    assert abs(float(above) - float(below) - expected) < 1e-12
    with pytest.raises(Unsupported, match="irrational"):
        mechanism.family(SUBSTITUTE, 13)


@given(mechanisms(), st.data())
def test_a_pair_of_such_mechanisms_is_one_again(mechanism, data):
    size = data.draw(st.integers(1, 2))
    columns = [data.draw(laws(size)) for _ in mechanism.transition.universe]
    rows = list(zip(*columns, strict=True))
    second = PerRecord(
        Dense(mechanism.transition.universe, Explicit(tuple("uv"[:size])), rows), mechanism.records
    )
    both = composed([(mechanism, 1), (second, 1)])
    assert isinstance(both, PerRecord)
    assert both.outputs.size == mechanism.outputs.size * second.outputs.size
    for x in mechanism.universe:
        for a in mechanism.outputs:
            for b in second.outputs:
                expected = mechanism.probability(a, x) * second.probability(b, x)
                assert both.probability(tuple(zip(a, b, strict=True)), x) == expected


@pytest.mark.parametrize("bad", [0, -1, 1.5, "x", None])
def test_there_is_at_least_one_record(bad):
    with pytest.raises(InvalidInput, match="records="):
        PerRecord(FLIP, bad)


def test_other_relations_are_refused():
    with pytest.raises(InvalidInput, match="several sizes"):
        PerRecord(FLIP, 3).family(ADD_REMOVE)
    with pytest.raises((InvalidInput, Unsupported)):
        PerRecord(FLIP, 3).family(EXPLICIT)


@pytest.mark.statistical
def test_samples_follow_the_transition():
    """A fresh seed would fail once in a million runs (chi-square tail of Laurent & Massart)."""
    mechanism = PerRecord(FLIP, 2)
    rng = np.random.default_rng(20_240_505)
    n = 3000
    drawn = [mechanism.sample("10", rng) for _ in range(n)]
    p = law(mechanism, (1, 0))
    statistic = sum((drawn.count(o) - n * float(m)) ** 2 / (n * float(m)) for o, m in p.items())
    degrees, tail = len(p) - 1, 14.0
    assert statistic < degrees + 2 * (degrees * tail) ** 0.5 + 2 * tail


def test_forty_differing_records_are_merged_by_their_likelihood_ratio():
    many = PerRecord(FLIP, 41)
    x, y = (1,) * 41, (0, 1) + (0,) * 39
    compared = many.compare(x, y)
    assert compared.peak().ratio == 3**40
    gap = compared.gap(Fraction(9))
    assert many.mass(gap.event, x) - 9 * many.mass(gap.event, y) == gap.delta
    assert gap.event.holds(x)
    assert not gap.event.holds(y)
    assert many.example(gap.event, x) == x


OWN = "pram([[[3/4, 1/4], [1/4, 3/4]], [[2/3, 1/2], [1/3, 1/2]]], values=[a, b])"


def test_each_record_may_have_a_matrix_of_its_own():
    survey = mechanism(OWN)
    assert survey.expression == OWN
    assert mechanism(survey.expression).table().rows == survey.table().rows
    first = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    second = [[Fraction(2, 3), Fraction(1, 2)], [Fraction(1, 3), Fraction(1, 2)]]
    rows = [[p * q for p in top for q in bottom] for top in first for bottom in second]
    assert [list(row) for row in survey.table().rows] == rows


@pytest.mark.parametrize("group", [1, 2])
def test_own_matrices_cost_what_their_table_costs(group):
    survey = mechanism(OWN)
    for ratio in (Fraction(1), Fraction(3, 2), Fraction(3)):
        found = survey.family("substitute", group).gap(ratio)[1].delta
        assert found == survey.table().family("substitute", group).gap(ratio)[1].delta
    assert survey.family("substitute", group).peak()[1].ratio == (
        3 if group == 1 else Fraction(9, 2)
    )


def test_matrices_that_do_not_fit_are_refused():
    with pytest.raises(InvalidInput, match="records=3, but 2 matrices"):
        mechanism("pram([[[1, 0], [0, 1]], [[1, 0], [0, 1]]], records=3)")
    with pytest.raises(InvalidInput, match="the same values"):
        mechanism("pram([[[1, 0], [0, 1]], [[1, 0, 0], [0, 1, 1]]])")


@pytest.mark.parametrize(
    ("records", "values", "message"),
    [
        (0, 2, "records=0"),
        (-1, 2, "records=-1"),
        (1.5, 2, "records=1.5"),
        ("x", 2, "records='x'"),
        (2, 0, "values=0"),
        (2, [], "empty"),
        (2, ["a", "a"], "repeats"),
    ],
)
def test_ill_formed_sizes_of_one_published_record_are_refused(records, values, message):
    with pytest.raises(InvalidInput, match=message):
        RandomIndex(records, values)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 4))
def test_one_published_record_costs_what_its_table_costs(n, values, group):
    """Kasiviswanathan & Smith, Remark 1: delta is c/n for groups of c, at every epsilon."""
    mechanism = RandomIndex(n, values)
    for ratio in (Fraction(1), Fraction(1000), INFINITY):
        found = mechanism.family(SUBSTITUTE, group).gap(ratio)[1].delta
        assert found == of_table(mechanism, group).gap(ratio)[1].delta
        assert found == (Fraction(min(group, n), n) if values > 1 else 0)
