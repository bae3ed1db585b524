"""Redundancy by linear programs agrees with redundancy by counting rays."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.double_description import irredundant_by_programs, most_facets

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


def test_nothing_is_left_of_no_inequalities():
    assert irredundant_by_programs([], [], 3) == ((), ())
    assert irredundant_by_programs([], [(2, 0, 0)], 3) == ((), ((1, 0, 0),))


@pytest.mark.parametrize(("count", "dimension"), [(6, 3), (7, 4), (8, 5), (7, 5)])
def test_the_upper_bound_is_attained_by_points_on_the_moment_curve(count, dimension):
    rays = [[t**k for k in range(dimension)] for t in range(count)]
    assert len(Cone.from_rays(rays).facets) == most_facets(count, dimension)


def test_the_bound_of_a_simplicial_cone_is_its_dimension():
    for dimension in range(1, 6):
        units = [[int(i == j) for i in range(dimension)] for j in range(dimension)]
        assert len(Cone.from_rays(units).facets) == most_facets(dimension, dimension) == dimension


def test_a_cone_with_more_rays_than_can_be_listed_has_its_facets_listed():
    # 40 inequalities in 40 dimensions, and 80 of their consequences.
    pairs = list(combinations(range(40), 2))[:60]
    rows = [[int(i in pair) for i in range(40)] for pair in pairs]
    sums = [[p + q for p, q in zip(a, b, strict=True)] for a, b in pairwise(rows)]
    units = [[int(i == j) for i in range(40)] for j in range(40)]
    cone = Cone.from_inequalities([*rows, *sums[:20], *units])
    assert set(cone.facets) == {tuple(unit) for unit in units}
    assert cone.equalities == ()
