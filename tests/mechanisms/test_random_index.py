"""One record published at random (Kasiviswanathan & Smith, Remark 1), against its whole table."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.per_record import RandomIndex
from twoworlds.numbers import INFINITY, exp
from twoworlds.worlds import SUBSTITUTE

SIZES = st.tuples(st.integers(1, 3), st.integers(1, 3))
RATIOS = st.sampled_from([Fraction(1), Fraction(2), Fraction(1000)])


def law(database):
    """Each person is published with probability 1/n."""
    found = {}
    for person, value in enumerate(database, start=1):
        found[person, value] = Fraction(1, len(database))
    return found


def gap(x, y, ratio):
    p, q = law(x), law(y)
    return sum(max(Fraction(0), m - ratio * q.get(o, 0)) for o, m in p.items())


def neighbours(values, n, group):
    words = list(product(range(values), repeat=n))
    return [
        (x, y)
        for x in words
        for y in words
        if 0 < sum(a != b for a, b in zip(x, y, strict=True)) <= group
    ]


@given(SIZES)
def test_every_database_publishes_each_person_equally_often(sizes):
    n, values = sizes
    mechanism = RandomIndex(n, values)
    assert mechanism.outputs.size == n * values
    for x in mechanism.universe:
        assert {o: p for o, p in mechanism.distribution(x).items() if p} == law(x)


@given(SIZES, st.integers(1, 4), RATIOS)
def test_the_gap_is_that_of_all_neighbours(sizes, group, ratio):
    n, values = sizes
    mechanism = RandomIndex(n, values)
    expected = max((gap(x, y, ratio) for x, y in neighbours(values, n, group)), default=0)
    comparison, found = mechanism.family(SUBSTITUTE, group).gap(ratio)
    assert found.delta == expected
    above = mechanism.mass(found.event, comparison.x)
    below = mechanism.mass(found.event, comparison.y)
    assert above - ratio * below == found.delta
    if values > 1:
        assert found.delta == Fraction(min(group, n), n)
        assert (comparison.x, comparison.y) in neighbours(values, n, group)


def test_delta_is_one_in_n_at_every_epsilon():
    family = RandomIndex(4, 3).family(SUBSTITUTE)
    for ratio in (Fraction(1), Fraction(1000), exp(Fraction(50)), INFINITY):
        assert family.gap(ratio)[1].delta == Fraction(1, 4)


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
def test_ill_formed_sizes_are_refused(records, values, message):
    with pytest.raises(InvalidInput, match=message):
        RandomIndex(records, values)
