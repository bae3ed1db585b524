"""The cone kernel against PyNormaliz and the Parma Polyhedra Library (pplpy), on random cones."""

import ctypes
import random

import ppl  # leaves the processor rounding upwards in some versions: see below
import PyNormaliz
import pytest

from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.vectors import divided, dot, echelon, reduced_by

ctypes.CDLL(None).fesetround(0)  # to nearest again, for every other test in this process


def canonical(vectors, basis):
    """Vectors modulo a linear space, as a sorted tuple, and the echelon basis of that space."""
    rows, pivots = echelon([tuple(map(int, row)) for row in basis])
    reduced = [reduced_by(tuple(map(int, v)), rows, pivots) for v in vectors]
    return tuple(sorted(map(divided, reduced), reverse=True)), rows


def by_normaliz(**given):
    cone = PyNormaliz.Cone(**given)
    inner = canonical(cone.ExtremeRays(), cone.MaximalSubspace())
    outer = canonical(cone.SupportHyperplanes(), cone.Equations())
    return inner, outer


def by_ppl(system):
    cone = ppl.C_Polyhedron(system)
    rays, lines, facets, equalities = [], [], [], []
    for g in cone.minimized_generators():
        if g.is_ray():
            rays.append(g.coefficients())
        elif g.is_line():
            lines.append(g.coefficients())
    for c in cone.minimized_constraints():
        (equalities if c.is_equality() else facets).append(c.coefficients())
    return canonical(rays, lines), canonical(facets, equalities)


def expression(vector):
    return ppl.Linear_Expression([int(value) for value in vector], 0)


def ppl_generated(rays, lines):
    system = ppl.Generator_System(ppl.point(expression([0] * len([*rays, *lines][0]))))
    for ray in rays:
        if any(ray):
            system.insert(ppl.ray(expression(ray)))
    for line in lines:
        if any(line):
            system.insert(ppl.line(expression(line)))
    return by_ppl(system)


def ppl_constrained(inequalities, equalities):
    system = ppl.Constraint_System()
    system.insert(expression([0] * len([*inequalities, *equalities][0])) >= 0)
    for a in inequalities:
        system.insert(expression(a) >= 0)
    for a in equalities:
        system.insert(expression(a) == 0)
    return by_ppl(system)


def both(cone):
    return (cone.rays, cone.lines), (cone.facets, cone.equalities)


def random_vectors(rng, count, dimension, low, high):
    vectors = [[rng.randint(low, high) for _ in range(dimension)] for _ in range(count)]
    if count > 2:
        vectors.append(list(vectors[0]))  # a repetition
        vectors.append([2 * a + 3 * b for a, b in zip(vectors[0], vectors[1], strict=True)])
        vectors.append([0] * dimension)
    return vectors


SHAPES = [
    # dimension, vectors, vectors of the linear part, least and largest entry
    (1, 2, 0, 0, 3),
    (2, 3, 0, -3, 3),
    (3, 3, 1, -3, 3),
    (3, 8, 0, -2, 2),
    (4, 3, 1, -5, 5),
    (4, 12, 0, 0, 4),
    (5, 9, 1, -1, 3),
    (5, 4, 2, -9, 9),
    (6, 14, 0, 0, 1),
    (6, 20, 0, 0, 20),
    (7, 15, 1, 0, 2),
    (8, 16, 0, -2, 9),
]


@pytest.mark.few(6)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_generated_cones_agree_with_normaliz_and_ppl(shape, seed):
    dimension, count, linear, low, high = shape
    rng = random.Random(f"{shape} {seed}")
    rays = random_vectors(rng, count, dimension, low, high)
    lines = [[rng.randint(low, high) for _ in range(dimension)] for _ in range(linear)]
    ours = both(Cone.from_rays(rays, lines=lines))
    assert ours == by_normaliz(cone=rays, subspace=lines or [[0] * dimension])
    assert ours == ppl_generated(rays, lines)


@pytest.mark.few(6)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_constrained_cones_agree_with_normaliz_and_ppl(shape, seed):
    dimension, count, linear, low, high = shape
    rng = random.Random(f"{shape} {seed} constraints")
    inequalities = random_vectors(rng, count, dimension, low, high)
    equalities = [[rng.randint(low, high) for _ in range(dimension)] for _ in range(linear)]
    ours = both(Cone.from_inequalities(inequalities, equalities=equalities))
    assert ours == by_normaliz(inequalities=inequalities, equations=equalities or [[0] * dimension])
    assert ours == ppl_constrained(inequalities, equalities)


def test_a_cone_of_many_facets_agrees_with_normaliz():
    rng = random.Random(8)
    rays = [[rng.randint(1, 20), *(rng.randint(0, 20) for _ in range(7))] for _ in range(40)]
    cone = Cone.from_rays(rays)
    assert len(cone.facets) > 2000
    assert both(cone) == by_normaliz(cone=rays)


def test_a_degenerate_cone_of_more_than_64_rays_agrees_with_normaliz_and_ppl():
    rng = random.Random(5)
    rays = [[1, *(rng.choice((0, 0, 0, 1, 2)) for _ in range(6))] for _ in range(90)]
    ours = both(Cone.from_rays(rays))
    on_facets = [sum(not dot(facet, ray) for ray in ours[0][0]) for facet in ours[1][0]]
    assert len(ours[1][0]) > 200
    assert max(on_facets) > 12  # six would do
    assert ours == by_normaliz(cone=rays)
    assert ours == ppl_generated(rays, [])
