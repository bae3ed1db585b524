"""Rays from inequalities: known counts, brute force on small cones, every path of the code."""

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from flint import fmpz_mat
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.cones.cone import Cone, most_facets
from twoworlds.cones.kernel import double_description as module
from twoworlds.cones.kernel.double_description import (
    extreme_rays,
    irredundant,
    irredundant_by_programs,
)
from twoworlds.cones.kernel.vectors import divided, dot, kernel, negative
from twoworlds.errors import TooLarge


def rank(rows):
    return fmpz_mat(rows).rank() if rows else 0


def rays_by_enumeration(inequalities, dimension):
    """The extreme rays of a pointed cone: every line cut out by dimension - 1 constraints."""
    found = set()
    for rows in combinations(inequalities, dimension - 1):
        space = kernel(list(rows), dimension)
        if len(space) == 1:
            for ray in (space[0], negative(space[0])):
                if all(dot(a, ray) >= 0 for a in inequalities):
                    found.add(ray)
    return tuple(sorted(found, reverse=True))


def hamming_edges(values, records):
    points = list(product(range(values), repeat=records))
    return points, [
        (x, y)
        for x in points
        for y in points
        if sum(p != q for p, q in zip(x, y, strict=True)) == 1
    ]


def differential_privacy(points, edges, ratio=3):
    index = {point: i for i, point in enumerate(points)}
    rows = []
    for x, y in edges:
        row = [0] * len(points)
        row[index[x]], row[index[y]] = -1, ratio
        rows.append(tuple(row))
    return rows


def path(length):
    points = list(range(length + 1))
    return points, [(x, y) for x in points for y in points if abs(x - y) == 1]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("graph", "count"),
    [
        (hamming_edges(2, 1), 2),
        (hamming_edges(2, 2), 6),
        (hamming_edges(2, 3), 38),
        (hamming_edges(2, 4), 990),
        (hamming_edges(3, 1), 6),
        (hamming_edges(4, 1), 14),
        (path(5), 32),
        (hamming_edges(3, 2), 534),
    ],
    ids=["Q1", "Q2", "Q3", "Q4", "K3", "K4", "path", "K3xK3"],
)
def test_differential_privacy_has_the_known_number_of_rays(graph, count):
    points, edges = graph
    rows = differential_privacy(points, edges)
    rays, lines = extreme_rays(rows, [], len(points))
    assert lines == ()
    assert len(rays) == count
    for ray in rays:  # powers of the ratio, fixed by their tight constraints
        assert all(3 ** round(np.log(value) / np.log(3)) == value for value in ray)
        assert rank([row for row in rows if dot(row, ray) == 0]) == len(points) - 1


small = st.integers(-3, 3)


@given(st.integers(1, 4).flatmap(lambda d: st.lists(st.tuples(*[small] * d), max_size=7)))
def test_rays_match_enumeration_on_pointed_cones(rows):
    if not rows:
        return
    dimension = len(rows[0])
    orthant = [tuple(int(i == j) for i in range(dimension)) for j in range(dimension)]
    constraints = [divided(row) for row in [*rows, *orthant]]
    if dimension == 1:
        expected = ((1,),) if all(row[0] >= 0 for row in rows) else ()
    else:
        expected = rays_by_enumeration(constraints, dimension)
    assert extreme_rays(constraints, [], dimension) == (expected, ())


@given(
    st.integers(1, 4).flatmap(
        lambda d: st.tuples(
            st.lists(st.tuples(*[small] * d), max_size=6),
            st.lists(st.tuples(*[small] * d), max_size=2),
            st.just(d),
        )
    )
)
def test_the_second_conversion_returns_to_the_first_description(case):
    rows, equal, dimension = case
    rays, lines = extreme_rays(rows, equal, dimension)
    facets, equalities = extreme_rays(rays, lines, dimension)
    assert extreme_rays(facets, equalities, dimension) == (rays, lines)
    assert len(lines) == dimension - rank([*rows, *equal])
    assert all(dot(a, ray) >= 0 for a in rows for ray in rays)
    assert all(dot(a, line) == 0 for a in [*rows, *equal] for line in lines)
    assert all(dot(e, ray) == 0 for e in equal for ray in rays)
    space = kernel([*rays, *lines], dimension)
    assert irredundant(rows, rays, space) == facets
    assert space == equalities


@pytest.mark.parametrize(
    ("inequalities", "equalities", "dimension", "expected"),
    [
        ([], [], 2, ((), ((1, 0), (0, 1)))),
        ([(0, 0)], [], 2, ((), ((1, 0), (0, 1)))),
        ([], [(1, 0), (0, 1)], 2, ((), ())),
        ([(1,)], [], 1, (((1,),), ())),
        ([(1,), (-1,)], [], 1, ((), ())),
        ([(-2,)], [], 1, (((-1,),), ())),
        ([], [], 1, ((), ((1,),))),
        ([], [], 0, ((), ())),
        ([(1, 0)], [], 2, (((1, 0),), ((0, 1),))),
        ([(1, 1), (-1, -1)], [], 2, ((), ((1, -1),))),
        ([(1, 0, 0), (0, 1, 0), (-1, -1, 0)], [], 3, ((), ((0, 0, 1),))),
        ([(1, -1, 0)], [(0, 0, 2)], 3, (((0, -1, 0),), ((1, 1, 0),))),
        ([(-1, -1), (1, 0), (0, 1)], [], 2, ((), ())),
    ],
)
def test_flat_and_empty_cones(inequalities, equalities, dimension, expected):
    assert extreme_rays(inequalities, equalities, dimension) == expected


def words_and_unbounded(monkeypatch, rows, dimension):
    """The answers of 64-bit words and of unbounded integers, and in many small steps."""
    answers = []
    for at_once, limit in ((10**6, 2**62), (10**6, 4), (1, 2**62)):
        monkeypatch.setattr(module, "AT_ONCE", at_once)
        monkeypatch.setattr(module, "LIMIT", limit)
        answers.append(extreme_rays(rows, [], dimension))
    return answers


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("largest", [1, 9, 10**7, 10**17])
def test_all_paths_agree(monkeypatch, seed, largest):
    rng = np.random.default_rng([seed, largest % 2**31])
    dimension = 3 + seed % 4
    entries = rng.integers(-largest, largest, (14, dimension), endpoint=True)
    entries[:, 0] = np.abs(entries[:, 0]) + 1
    rows = [divided(row) for row in entries.tolist()]
    words, unbounded, stepwise = words_and_unbounded(monkeypatch, rows, dimension)
    assert words == unbounded == stepwise
    assert len(words[0]) > 2


def test_all_paths_agree_where_many_rays_are_degenerate(monkeypatch):
    rows = differential_privacy(*hamming_edges(2, 3))
    words, unbounded, stepwise = words_and_unbounded(monkeypatch, rows, 8)
    assert words == unbounded == stepwise
    assert len(words[0]) == 38


def test_entries_beyond_64_bits_are_exact():
    big = 10**30
    assert extreme_rays([(big, -1), (-1, big + 1)], [], 2)[0] == ((big + 1, 1), (1, big))
    rays, _ = extreme_rays([(1, -big, 0), (0, 1, -big), (0, 0, 1)], [], 3)
    assert rays == ((big**2, big, 1), (big, 1, 0), (1, 0, 0))


def test_too_many_rays_are_refused_with_the_sizes_and_a_way_out(monkeypatch):
    monkeypatch.setattr(module, "MOST_RAYS", 20)
    rows = differential_privacy(*hamming_edges(2, 3))
    with pytest.raises(TooLarge, match=r"8 dimensions met \d+ rays after \d+ of 24 .*structure"):
        extreme_rays(rows, [], 8)


small = st.integers(-2, 3)


@given(
    st.integers(1, 4).flatmap(
        lambda d: st.tuples(
            st.lists(st.tuples(*[small] * d).filter(any), max_size=7),
            st.lists(st.tuples(*[small] * d).filter(any), max_size=1),
            st.just(d),
        )
    )
)
def test_programs_and_rays_keep_the_same_inequalities(case):
    rows, equal, dimension = case
    cone = Cone.from_inequalities(rows, equalities=equal, dimension=dimension)
    assert irredundant_by_programs(rows, equal, dimension) == (cone.facets, cone.equalities)


@pytest.mark.parametrize(("count", "dimension"), [(6, 3), (7, 4), (8, 5), (7, 5)])
def test_the_upper_bound_is_attained_by_points_on_the_moment_curve(count, dimension):
    rays = [[t**k for k in range(dimension)] for t in range(count)]
    assert len(Cone.from_rays(rays).facets) == most_facets(count, dimension)


def test_a_cone_with_more_rays_than_can_be_listed_has_its_facets_listed():
    # 40 inequalities in 40 dimensions, and 80 of their consequences.
    pairs = list(combinations(range(40), 2))[:60]
    rows = [[int(i in pair) for i in range(40)] for pair in pairs]
    sums = [[p + q for p, q in zip(a, b, strict=True)] for a, b in pairwise(rows)]
    units = [[int(i == j) for i in range(40)] for j in range(40)]
    cone = Cone.from_inequalities([*rows, *sums[:20], *units])
    assert set(cone.facets) == {tuple(unit) for unit in units}
    assert cone.equalities == ()
