"""The compiled kernels against plain Python: adjacency, and combinations at every size."""

from math import gcd

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.cones.kernel._bitsets import (
    LIMIT,
    combine,
    others_with_others,
    simple_with_others,
    simple_with_simple,
)
from twoworlds.cones.kernel.double_description import extreme_rays
from twoworlds.cones.kernel.vectors import divided, dot


def combined(x, y, v, w):
    rays, values = np.array([x, y], np.int64), np.array([v, -w], np.int64)
    new, fits = combine(rays, values, np.array([[0, 1]]))
    return tuple(new[0].tolist()) if fits else None


words = st.integers(-(2**61), 2**61)
values = st.integers(1, 2**61)
factors = st.integers(0, 60).map(lambda k: 2**k) | st.integers(1, 2**40) | st.just(3**20)
short = st.integers(-(2**20), 2**20)


@given(st.lists(st.tuples(words, words), min_size=1, max_size=5), values, values)
def test_a_combination_is_exact_or_refused(entries, v, w):
    x, y = zip(*entries, strict=True)
    exact = divided([w * p + v * q for p, q in entries])
    found = combined(x, y, v, w)
    if found is None:
        assert any(exact)
        common = (w * x[0] + v * y[0]) // exact[0] if exact[0] else 2**63
        assert common >= 2**63 or max(map(abs, exact)) >= LIMIT
    elif any(exact):
        assert found == exact


@given(
    st.lists(st.tuples(short, short), min_size=1, max_size=6),
    st.integers(1, 2**38),
    st.integers(1, 2**38),
    factors,
)
def test_a_combination_with_a_large_content_is_divided_by_all_of_it(entries, v, w, factor):
    factor = min(factor, 2**40)
    x = [factor * p for p, _ in entries]
    y = [factor * q for _, q in entries]
    entries = [w * p + v * q for p, q in entries]
    if 0 < factor * gcd(*entries) < 2**63:
        assert combined(x, y, v, w) == divided(entries)


@pytest.mark.parametrize(
    ("x", "y", "v", "w", "expected"),
    [
        ((2**61, 0), (0, 2**61), 2**61, 2**61, (1, 1)),
        ((2**61, 0), (0, 0), 2**61, 2**61, (1, 0)),
        ((0, -(2**61)), (0, 0), 3, 2**61, (0, -1)),
        ((2**61, 1), (2**61, 0), 2**61, 2**61 - 1, None),
        ((3**38, 0, 3**38), (0, 3**38, -(3**38)), 3**38 + 1, 3**38, (3**38, 3**38 + 1, -1)),
    ],
)
def test_the_widest_combinations(x, y, v, w, expected):
    assert combined(x, y, v, w) == expected


def adjacent_by_definition(tight, first, second):
    found = set()
    for i in first:
        for j in second:
            common = tight[i] & tight[j]
            if not any(common <= tight[k] for k in range(len(tight)) if k not in (i, j)):
                found.add(frozenset((i, j)))
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("dimension", "count", "largest"), [(4, 10, 1), (5, 12, 9), (6, 70, 1)])
def test_adjacent_pairs_are_those_that_no_third_ray_shares(dimension, count, largest, seed):
    rng = np.random.default_rng([dimension, count, seed])
    rows = rng.integers(-largest, largest, (count, dimension), endpoint=True)
    rows[:, 0] = rng.integers(1, largest, count, endpoint=True)
    pointed = np.vstack([rows, np.eye(dimension, dtype=np.int64)])
    rows = list(dict.fromkeys(map(divided, pointed.tolist())))
    rays = extreme_rays(rows, [], dimension)[0]
    tight = [{k for k, row in enumerate(rows) if dot(row, ray) == 0} for ray in rays]
    bits = np.zeros((len(rays), 2), np.uint64)
    for i, members in enumerate(tight):
        for k in members:
            bits[i, k >> 6] |= np.uint64(1 << (k & 63))
    side = rng.integers(-1, 1, len(rays), endpoint=True)
    simple = np.array([len(members) == dimension - 1 for members in tight], bool)
    above = [np.flatnonzero((side > 0) & kind) for kind in (simple, ~simple)]
    below = [np.flatnonzero((side < 0) & kind) for kind in (simple, ~simple)]
    rest = np.flatnonzero((side >= 0) & ~simple)
    pairs = np.concatenate(
        [
            simple_with_simple(bits, above[0], below[0], dimension),
            simple_with_others(bits, above[0], below[1], dimension),
            simple_with_others(bits, below[0], above[1], dimension),
            others_with_others(bits, above[1], below[1], rest, dimension, 10**9)[0],
        ]
    )
    found = [frozenset(pair) for pair in pairs.tolist()]
    assert len(found) == len(set(found))
    assert set(found) == adjacent_by_definition(
        tight, np.flatnonzero(side > 0), np.flatnonzero(side < 0)
    )
