"""Cones of bounded ratios: facets and rays by the graph agree with double description."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.double_description import extreme_rays
from twoworlds.cones.kernel.ratios import RatioGraph, Ways, bounded, generators, moves
from twoworlds.cones.kernel.vectors import dot, units
from twoworlds.cones.row_cone import row_cone
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.programs import combine

RATIOS = st.sampled_from([Fraction(3), Fraction(2), Fraction(5, 3), Fraction(11, 10)])


def inequalities(edges, size, ratio):
    """x_u <= ratio x_v along every edge, both ways round."""
    found = []
    for u, v in {(u, v) for edge in edges for u, v in (edge, edge[::-1])}:
        row = [0] * size
        row[u], row[v] = -ratio.denominator, ratio.numerator
        found.append(tuple(row))
    return found


@st.composite
def graphs(draw):
    """A tree of three to six vertices with some more edges."""
    size = draw(st.integers(3, 6))
    tree = [(draw(st.integers(0, v - 1)), v) for v in range(1, size)]
    every = [(u, v) for v in range(size) for u in range(v)]
    return [*tree, *draw(st.lists(st.sampled_from(every), max_size=4))], size


@given(graphs(), RATIOS)
def test_a_cone_of_ratios_has_the_rays_and_facets_of_double_description(graph, ratio):
    edges, size = graph
    given = inequalities(edges, size, ratio)
    by_graph = Cone.from_inequalities([*given, *units(size)])
    assert by_graph.ratios is not None
    rays, lines = extreme_rays(given, [], size)
    assert (by_graph.rays, by_graph.lines) == (rays, lines)
    assert Cone.from_rays(rays).facets == by_graph.facets
    if (side := by_graph.ratios.side) is not None:
        assert 2**side <= len(rays)


@pytest.mark.parametrize(("bits", "count"), [(1, 2), (2, 6), (3, 38), (4, 990)])
def test_result_the_counts_of_extreme_rows_on_bits(bits, count):
    assert len(row_cone("dp(ratio=3)", f"bits({bits})").generators()) == count


@pytest.mark.parametrize("count", [1, 2, 5])
def test_result_a_path_has_two_rays_to_the_power_of_its_edges(count):
    assert len(row_cone("dp(ratio=2)", f"integers(0, {count})").generators()) == 2**count


def whole_group(values, records):
    """Every permutation of records with any exchange of values of each."""
    points = list(product(range(values), repeat=records))
    place = {x: i for i, x in enumerate(points)}
    names = list(permutations(range(values)))
    for order in permutations(range(records)):
        for renamed in product(names, repeat=records):
            yield [place[tuple(renamed[i][x[order[i]]] for i in range(records))] for x in points]


@pytest.mark.parametrize(("values", "records"), [(2, 1), (2, 2), (2, 3)])
def test_kinds_are_the_orbits_of_the_whole_group(values, records):
    cone = row_cone("dp(ratio=3)", f"records(values={values}, n={records})")
    group = list(whole_group(values, records))
    orbits = {frozenset(tuple(ray[i] for i in move) for move in group) for ray in cone.generators()}
    assert sorted(len(orbit) for orbit in orbits) == sorted(count for _, count in cone.kinds)
    assert {frozenset(o) for o in orbits} == {
        frozenset(tuple(ray[i] for i in move) for move in group) for ray, _ in cone.kinds
    }


def test_three_values_of_a_record_are_an_odd_circle_and_have_no_kinds():
    with pytest.raises(Unsupported, match="no extreme rows that are listed by symmetry"):
        _ = row_cone("dp(ratio=3)", "records(values=3, n=1)").kinds


def test_moves_and_generators_are_symmetries_of_bits():
    graph = row_cone("dp(ratio=3)", "bits(3)").cone.ratios
    assert all(graph.keeps(move) for move in (*moves(2, 3), *generators(2, 3)))


@pytest.mark.slow
def test_result_five_bits_have_395094_extreme_rows_of_434_kinds():
    cone = row_cone("dp(ratio=2)", "bits(5)")
    assert len(cone.cone.ratios.heights) == 395_094
    assert (len(cone.kinds), sum(count for _, count in cone.kinds)) == (434, 395_094)
    assert all(3840 % count == 0 for _, count in cone.kinds)


@pytest.mark.parametrize("bits", [6, 7])
def test_many_bits_have_facets_and_membership_without_rays(bits):
    cone = row_cone("dp(ratio=3)", f"bits({bits})")
    assert len(cone.inequalities()) == bits * 2**bits
    row = [3 ** sum(x) for x in cone.universe]
    assert cone.contains(row)
    assert not cone.contains([10 * row[0], *row[1:]])
    with pytest.raises(TooLarge, match=rf"at least 2\^{2 ** (bits - 1)} extreme rays"):
        cone.generators()


@pytest.mark.parametrize(
    "listed",
    [
        [(3, -1), (2, -1)],  # not one ratio
        [(1, -1), (-1, 1)],  # a ratio of 1
        [(3, -1)],  # one way only
        [(3, -1, 0), (-1, 3, 0)],  # not connected
        [(1, 1, -1)],
        [(-1, 0)],
    ],
)
def test_other_cones_have_no_such_graph(listed):
    assert RatioGraph.of(listed, len(listed[0])) is None


@given(graphs(), st.data())
def test_what_follows_from_ratios_is_what_a_program_says(graph, data):
    edges, size = graph
    ratios = st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3)])
    given = units(size)
    for u, v in edges:
        given.append(bounded(size, *data.draw(st.permutations([u, v])), data.draw(ratios)))
    u, v = data.draw(st.permutations(range(size)))[:2]
    target = bounded(size, u, v, data.draw(ratios) ** data.draw(st.integers(1, 3)))
    ways = Ways.of(given, size)
    pairs, row = ways.decide(target)
    assert combine(given, target)[0] == (row is None)
    if row is None:
        total = [sum((w * a[i] for a, w in pairs), Fraction(0)) for i in range(size)]
        assert total == list(target)
        assert all(weight > 0 and a in given for a, weight in pairs)
    else:
        assert dot(target, row) < 0
        assert all(dot(a, row) >= 0 for a in given)


def test_constraints_of_another_form_have_no_ways():
    assert Ways.of([(1, 1, -1), *units(3)], 3) is None
    assert Ways.of([(1, -2, 0), *units(3)], 3) is None  # a ratio below 1
    assert Ways.of([(2, -1, 0), *units(3)[1:]], 3) is None  # a sign that nothing says
    assert Ways.of(units(3), 3).decide((1, 1, -1)) is None
