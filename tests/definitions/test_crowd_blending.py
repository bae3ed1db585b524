"""Crowd-blending privacy, against the definition written out."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds.definitions.crowd_blending import CrowdBlending
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.testing import strategies
from twoworlds.worlds import Records

LISTS = Records(2, 2, smallest=0)


def within(first, second, ratio):
    """Both ways, output by output."""
    return all(p <= ratio * q and q <= ratio * p for p, q in zip(first, second, strict=True))


def holds(mechanism, k, ratio):
    """The definition: every database, every person; blending is asked of every database."""
    laws = {x: [mechanism.probability(o, x) for o in mechanism.outputs] for x in mechanism.universe}
    values = {v for x in laws for v in x}

    def blend(v, w):
        exchanged = (
            (laws[x], laws[(*x[:i], w, *x[i + 1 :])])
            for x in laws
            for i in range(len(x))
            if x[i] == v
        )
        return all(within(p, q, ratio) for p, q in exchanged)

    alike = {(v, w): blend(v, w) for v, w in product(values, values)}
    for x in laws:
        for i, v in enumerate(x):
            fewer = x[:i] + x[i + 1 :]
            gone = fewer in laws and within(laws[x], laws[fewer], ratio)
            if not gone and sum(alike[v, w] for w in x) < k:
                return False
    return True


@given(data=st.data(), k=st.integers(1, 3))
def test_the_smallest_ratio_is_that_of_the_definition(data, k):
    mechanism = data.draw(strategies.dense_mechanisms(LISTS))
    ratio = CrowdBlending(k=k).tightest(mechanism).ratio
    if ratio == tw.numbers.INFINITY:
        assert not holds(mechanism, k, Fraction(10**9))
        return
    assert holds(mechanism, k, ratio)
    assert ratio == 1 or not holds(mechanism, k, ratio * (1 - Fraction(1, 10**6)))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_truncated_histogram_satisfies_it_with_epsilon_0(k):
    where = "universe=records(values=2, n=4, smallest=0)"
    table = tw.mechanism(f"exact(truncated-histogram(threshold={k}), {where})")
    assert tw.check(table, f"crowd-blending(k={k}, ratio=1)")
    assert not tw.check(table, f"crowd-blending(k={k + 1}, ratio=1000)")


def test_whoever_is_alone_in_a_bin_of_an_exact_histogram_is_exposed():
    local = tw.mechanism("exact(histogram, universe=records(values=2, n=2, smallest=0))")
    assert CrowdBlending(k=1).tightest(local).ratio == 1  # everybody blends with themselves
    assert CrowdBlending(k=2).tightest(local).ratio == tw.numbers.INFINITY


def test_the_witness_names_the_person_and_both_ways_out():
    where = "universe=records(values=2, n=4, smallest=0)"
    table = tw.mechanism(f"exact(truncated-histogram(threshold=2), {where})")
    found = tw.check(table, "crowd-blending(k=3, ratio=2)")
    assert [name for name, _ in found.witness.facts()][2:] == ["left out", "blending"]
    assert found.witness.verify()


def test_bad_input_is_refused():
    with pytest.raises(InvalidInput, match="k=0"):
        CrowdBlending(k=0)
    with pytest.raises(InvalidInput, match="no ratio to check"):
        tw.check("identity(bits=2)", "crowd-blending(k=2)")
    with pytest.raises(Unsupported, match="lists of records"):
        tw.measure("geometric(ratio=2)", definition="crowd-blending(k=2)")
