"""Cones: both descriptions, answers with certificates, projection, intersection, bad input."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.cones import cone as module
from twoworlds.cones.certificates import verify
from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel import double_description
from twoworlds.cones.kernel.vectors import dot, negative
from twoworlds.errors import InvalidInput, TwoWorldsError

small = st.integers(-3, 3)
RESPONSE = ((9, 3, 3, 1), (3, 9, 1, 3), (3, 1, 9, 3), (1, 3, 3, 9))
DP = (
    (3, -1, 0, 0), (-1, 3, 0, 0), (3, 0, -1, 0), (-1, 0, 3, 0),
    (0, 3, 0, -1), (0, -1, 0, 3), (0, 0, 3, -1), (0, 0, -1, 3),
)  # fmt: skip


def vectors(dimension, most):
    return st.lists(st.tuples(*[small] * dimension), max_size=most)


@st.composite
def cones(draw, dimension):
    first, second = draw(vectors(dimension, 5)), draw(vectors(dimension, 1))
    if draw(st.booleans()):
        return Cone.from_rays(first, lines=second, dimension=dimension)
    return Cone.from_inequalities(first, equalities=second, dimension=dimension)


pairs_of_cones = st.integers(1, 3).flatmap(lambda d: st.tuples(cones(d), cones(d)))


def satisfies(cone, x):
    """Membership by the facets and equalities alone."""
    return all(dot(a, x) >= 0 for a in cone.facets) and all(dot(e, x) == 0 for e in cone.equalities)


def spanning(cone):
    return [*cone.rays, *cone.lines, *map(negative, cone.lines)]


# --- examples of Lin & Kifer --------------------------------------------------------------------


# --- the two descriptions -----------------------------------------------------------------------


@given(st.integers(1, 4).flatmap(cones))
def test_the_descriptions_are_canonical_and_convert_into_each_other(cone):
    other = Cone.from_rays(cone.rays, lines=cone.lines, dimension=cone.dimension)
    assert (other.rays, other.lines) == (cone.rays, cone.lines)
    assert (other.facets, other.equalities) == (cone.facets, cone.equalities)
    again = Cone.from_inequalities(
        cone.facets, equalities=cone.equalities, dimension=cone.dimension
    )
    assert (again.rays, again.lines) == (cone.rays, cone.lines)
    assert cone == other == again
    assert hash(cone) == hash(other) == hash(again)
    assert cone.rays == tuple(sorted(cone.rays, reverse=True))


@given(st.integers(1, 3).flatmap(lambda d: st.tuples(cones(d), st.tuples(*[small] * d))))
def test_membership_is_decided_by_the_facets_and_proved(case):
    cone, x = case
    found = cone.contains(x)
    assert bool(found) == found.holds == satisfies(cone, x) == (x in cone)
    assert verify(found.certificate.to_dict())
    if found and cone.generators is not None:
        total = [sum((w * g[i] for g, w in found.combination), Fraction(0)) for i in range(len(x))]
        assert total == list(x)
    if not found:
        assert dot(found.inequality, x) < 0
        assert all(dot(found.inequality, ray) >= 0 for ray in spanning(cone))


@given(pairs_of_cones)
def test_containment_is_decided_by_rays_and_facets_and_proved(case):
    first, second = case
    found = first.inside(second)
    assert found.holds == all(satisfies(second, ray) for ray in spanning(first))
    assert (first <= second) == (second >= first) == found.holds
    assert verify(found.certificate.to_dict())
    if not found:
        assert satisfies(first, found.ray)
        assert dot(found.inequality, found.ray) < 0
        assert all(dot(found.inequality, ray) >= 0 for ray in spanning(second))
    assert (first == second) == (first <= second and second <= first)


@given(cones(3), st.permutations(range(3)), st.integers(1, 3))
def test_the_projection_is_generated_by_the_projected_rays(cone, order, count):
    keep = order[:count]
    image = cone.project(keep)
    assert image.dimension == count
    for ray in spanning(cone):
        assert [ray[i] for i in keep] in image
    for facet in image.facets:  # it holds on the whole cone, so the image is no larger
        lifted = [0] * 3
        for i, value in zip(keep, facet, strict=True):
            lifted[i] = value
        assert all(dot(lifted, ray) >= 0 for ray in spanning(cone))


def test_the_whole_space_and_the_zero_cone():
    whole, zero = Cone.from_inequalities([], dimension=3), Cone.from_rays([], dimension=3)
    assert whole.facets == whole.equalities == whole.rays == ()
    assert len(whole.lines) == 3
    assert zero.rays == zero.lines == zero.facets == ()
    assert len(zero.equalities) == 3
    assert zero <= whole
    assert not whole <= zero
    assert (0, 0, 0) in zero
    assert (0, 0, 1) not in zero
    assert (1, -5, "1/2") in whole
    assert Cone.from_rays([(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, -1, -1)]) == whole
    assert (
        Cone.from_inequalities([(1, 0, 0), (-1, 0, 0)], equalities=[(0, 1, 0), (0, 0, 1)]) == zero
    )


# --- without conversion -------------------------------------------------------------------------


def no_conversion(*_):
    raise AssertionError("a conversion was asked for")


def test_large_cones_are_decided_by_programs(monkeypatch):
    response, private = Cone.from_rays(RESPONSE), Cone.from_inequalities(DP)
    monkeypatch.setattr(double_description, "extreme_rays", no_conversion)
    monkeypatch.setattr(module, "QUICK", -1)
    monkeypatch.setattr(module, "POSSIBLE", -1)
    assert (3, 3, 1, 1) in response
    assert (3, 1, 1, 3) not in response
    assert response.inside(private)
    assert private.inside(Cone.from_inequalities([(3, 0, 0, -1), (1, 1, 1, 1)])).ray is not None
    assert private.inside(Cone.from_inequalities([(9, 0, 0, -1), (1, 1, 1, 1)]))
    assert set(private.facets) == set(DP)
    assert set(response.rays) == set(RESPONSE)


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Cone.from_rays([]), "dimension="),
        (lambda: Cone.from_rays([(1, 2), (1, 2, 3)]), "ray 1 has 3 entries, others have 2"),
        (lambda: Cone.from_rays([(1, 2)], lines=[(1,)]), "line 0 has 1 entries"),
        (lambda: Cone.from_inequalities([(1, 2)], dimension=3), "inequality 0 has 2 entries"),
        (lambda: Cone.from_inequalities([(1, "ln 3")]), "irrational"),
        (lambda: Cone.from_rays([(1, float("nan"))]), "ray 0"),
        (lambda: Cone.from_rays(["12"]), "list of numbers"),
        (lambda: Cone.from_rays([3]), "list of numbers"),
        (lambda: Cone.from_rays(3), "list of vectors"),
        (lambda: Cone.from_rays([], dimension=-1), "dimension=-1"),
        (lambda: Cone.from_rays([], dimension=2.5), "dimension=2.5"),
        (lambda: Cone.from_rays([(1, 2)]).contains((1,)), "1 entries in a cone of dimension 2"),
        (lambda: Cone.from_rays([(1, 2)]).contains((1, "x")), "not a number"),
        (lambda: Cone.from_rays([(1, 2)]).project([0, 0]), "keep="),
        (lambda: Cone.from_rays([(1, 2)]).project([2]), "0 to 1"),
        (lambda: Cone.from_rays([(1, 2)]).project([-1]), "0 to 1"),
        (lambda: Cone.from_rays([(1,)]) <= Cone.from_rays([(1, 2)]), "dimensions 1 and 2"),
        (lambda: Cone.from_rays([(1,)]).intersect(Cone.from_rays([(1, 2)])), "dimensions 1 and 2"),
    ],
)
def test_bad_input_is_refused_with_the_rule(build, message):
    with pytest.raises(InvalidInput, match=message):
        build()


def test_no_answer_is_returned_without_a_proof(monkeypatch):
    cone = Cone.from_rays([(1, 0), (0, 1)])
    monkeypatch.setattr(
        double_description, "decider", lambda *_: lambda _target: ((((1, 0), Fraction(2)),), None)
    )
    with pytest.raises(TwoWorldsError, match="failed its own check"):
        cone.contains((1, 1))
