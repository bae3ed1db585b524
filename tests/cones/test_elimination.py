"""Fourier-Motzkin elimination with multipliers, against projections and known counts."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest

from twoworlds.cones.cone import Cone
from twoworlds.cones.elimination import eliminate, relax
from twoworlds.cones.row_cone import RowCone, row_cone
from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError
from twoworlds.worlds.catalogue import universe

TWO = "randomized-response(bits=2, keep=3/4)"
THREE = "randomized-response(bits=3, keep=3/4)"


def texts(databases: list[str]) -> set[str]:
    return {d.inequality.text() for d in eliminate(row_cone(TWO), databases).derived}


def test_eliminating_01_gives_the_constraints_of_differential_privacy_on_the_rest() -> None:
    assert texts(["01"]) == {"x11 <= 3 x10", "x10 <= 3 x11", "x10 <= 3 x00", "x00 <= 3 x10"}
    assert texts(["11"]) == {"x00 <= 3 x10", "x00 <= 3 x01", "x01 <= 3 x00", "x10 <= 3 x00"}


def test_every_guarantee_is_the_sum_of_its_premises() -> None:
    relaxation = eliminate(row_cone(THREE), ["000", "111"])
    assert relaxation.certificate.verify()
    for derived in relaxation.derived:
        total = [Fraction(0)] * 8
        for premise, multiplier in derived.premises:
            assert multiplier > 0
            assert premise in relaxation.source.inequalities()
            total = [t + multiplier * c for t, c in zip(total, premise.coefficients, strict=True)]
        assert tuple(total) == derived.inequality.coefficients
        assert derived.inequality.coefficients[0] == derived.inequality.coefficients[7] == 0


@pytest.mark.parametrize(
    ("databases", "count"),
    [
        ("000", 16),
        ("000 001", 8),
        ("000 011", 10),
        ("000 111", 18),
        ("000 001 010", 6),
        ("000 001 110", 12),
        ("000 011 101", 15),
        ("000 001 010 011", 4),
        ("000 001 010 100", 6),
        ("000 001 010 101", 6),
        ("000 001 010 111", 8),
        ("000 001 110 111", 4),
        ("000 011 101 110", 12),
    ],
)
def test_three_bits_keep_as_many_guarantees_as_the_projection_has_facets(
    databases: str, count: int
) -> None:
    cone = row_cone(THREE)
    relaxation = eliminate(cone, databases.split())
    assert len(relaxation.derived) == count
    kept = [i for i, label in enumerate(cone.columns) if label not in databases.split()]
    facets = {tuple(d.inequality.coefficients[i] for i in kept) for d in relaxation.derived}
    assert facets == set(cone.cone.project(kept).facets)


def test_two_bits_relax_to_differential_privacy_exactly() -> None:
    private = row_cone("dp(ratio=3)", "bits(2)")
    for databases in (1, 2):
        relaxation = relax(row_cone(TWO), databases)
        assert len(relaxation.derived) == 8
        assert relaxation.row_cone == private


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("databases", "facets", "rays", "is_private"),
    [
        (1, 32, 36, False),
        (2, 32, 10, False),
        (3, 32, 10, False),
        (4, 24, 18, False),
        (5, 24, 38, True),
        (6, 24, 38, True),
    ],
)
def test_erratum_three_bits_reach_differential_privacy_after_five_eliminations_only(
    databases: int, facets: int, rays: int, is_private: bool
) -> None:
    relaxed = relax(row_cone(THREE), databases).row_cone
    assert (len(relaxed.cone.facets), len(relaxed.cone.rays)) == (facets, rays)
    assert (relaxed == row_cone("dp(ratio=3)", "bits(3)")) is is_private


@pytest.mark.parametrize("databases", [1, 3])
def test_one_choice_of_each_kind_gives_what_all_choices_give(
    databases: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_symmetry = relax(row_cone(THREE), databases)
    monkeypatch.setattr("twoworlds.cones.elimination._symmetries", lambda _: [])
    assert {d.inequality for d in relax(row_cone(THREE), databases).derived} == {
        d.inequality for d in by_symmetry.derived
    }


@pytest.mark.parametrize("keep", ["3/4", "999/1000"])
def test_the_guarantees_of_all_choices_are_the_facets_of_all_projections(keep: str) -> None:
    cone = row_cone(f"randomized-response(bits=3, keep={keep})")
    every: set[tuple[int, ...]] = {tuple(int(i == j) for i in range(8)) for j in range(8)}
    for chosen in combinations(range(8), 2):
        kept = [i for i in range(8) if i not in chosen]
        for facet in cone.cone.project(kept).facets:
            entries = dict(zip(kept, facet, strict=True))
            every.add(tuple(entries.get(i, 0) for i in range(8)))
    expected = Cone.from_inequalities(every).facets
    found = [d.inequality.coefficients for d in relax(cone, 2).derived]
    assert found == list(expected)


@pytest.mark.parametrize(
    ("databases", "count"),
    [
        (1, 128),
        (2, 128),
        pytest.param(4, 224, marks=pytest.mark.slow),
        pytest.param(8, 752, marks=pytest.mark.slow),
    ],
)
def test_four_bits_relax_by_any_number_of_databases(databases: int, count: int) -> None:
    cone = row_cone("randomized-response(bits=4, keep=3/4)")
    relaxation = relax(cone, databases)
    assert len(relaxation.derived) == count
    assert relaxation.certificate.verify()
    moved = {tuple(d.inequality.coefficients[i ^ 5] for i in range(16)) for d in relaxation.derived}
    assert moved == {d.inequality.coefficients for d in relaxation.derived}


def test_random_cones_agree_with_their_projection_as_sets() -> None:
    draw = random.Random(7)
    four = universe("bits(2)")
    for _ in range(25):
        rays = [[draw.randint(0, 4) for _ in range(4)] for _ in range(draw.randint(1, 7))]
        rays = [ray for ray in rays if any(ray)] or [[1, 0, 0, 2]]
        cone = RowCone(four, Cone.from_rays(rays, dimension=4), "random rows")
        count = draw.randint(1, 3)
        for chosen in combinations(range(4), count):
            kept = [i for i in range(4) if i not in chosen]
            labels = [cone.columns[i] for i in chosen]
            relaxation = eliminate(cone, labels)
            assert relaxation.certificate.verify()
            derived = [d.inequality for d in relaxation.derived]
            projected = Cone.from_inequalities(
                [[d.coefficients[i] for i in kept] for d in derived if not d.equality],
                equalities=[[d.coefficients[i] for i in kept] for d in derived if d.equality],
                dimension=len(kept),
            )
            assert projected == cone.cone.project(kept)


def test_equalities_are_eliminated_too() -> None:
    constant = row_cone("randomized-response(bits=1, keep=1/2)")
    relaxation = eliminate(constant, ["0"])
    assert relaxation.row_cone.cone.rays == ((1, 0), (0, 1))


def test_a_relaxation_is_a_definition_like_any_other() -> None:
    private = relax(row_cone(TWO)).definition
    from twoworlds import check

    assert bool(check("noisy-parity(bits=2, keep=3/4)", private))
    assert not bool(check("noisy-parity(bits=2, keep=4/5)", private))


@pytest.mark.parametrize(
    ("databases", "said"),
    [([], "name a database"), (["01", "01"], "once"), (["2"], "2"), (["011"], "011")],
)
def test_bad_databases_are_refused(databases: list[str], said: str) -> None:
    with pytest.raises(TwoWorldsError, match=said):
        eliminate(row_cone(TWO), databases)


@pytest.mark.parametrize("count", [0, 4, -1, "x"])
def test_bad_counts_are_refused(count: object) -> None:
    with pytest.raises(InvalidInput):
        relax(row_cone(TWO), count)


def test_too_many_choices_are_refused_with_the_way_out() -> None:
    with pytest.raises(TooLarge, match="name the databases"):
        relax(row_cone("randomized-response(bits=5, keep=3/4)"), 8)


@pytest.mark.parametrize(
    "databases", ["bits(2)", "bits(3)", "integers(0, 5)", "records([a, b, c], n=2)"]
)
def test_differential_privacy_relaxes_as_the_projection_of_its_rows(databases: str) -> None:
    cone = row_cone("dp(ratio=5/2)", databases)
    draw = random.Random(3)
    for _ in range(6):
        kept = sorted(draw.sample(range(len(cone.columns)), draw.randint(1, 3)))
        forgotten = [label for i, label in enumerate(cone.columns) if i not in kept]
        relaxation = eliminate(cone, forgotten)
        assert relaxation.certificate.verify()
        found = [[d.inequality.coefficients[i] for i in kept] for d in relaxation.derived]
        rays = [[ray[i] for i in kept] for ray in cone.cone.rays]
        assert sorted(found) == sorted(map(list, Cone.from_rays(rays).facets))


def test_many_databases_of_differential_privacy_relax_without_its_rows() -> None:
    cone = row_cone("dp(ratio=3)", "bits(7)")
    found = [d.inequality.text() for d in eliminate(cone, ["1111111", "0011111"]).derived]
    assert len(found) == 2 * (7 * 2**6 - 14) + 2
    assert {text for text in found if "<= 9" in text} == {
        "x0111111 <= 9 x1011111",  # all ways from the one to the other in two steps are gone
        "x1011111 <= 9 x0111111",
    }
    assert relax(row_cone("dp(ratio=3)", "bits(5)"), 1).row_cone == row_cone(
        "dp(ratio=3)", "bits(5)"
    )


def test_what_takes_too_long_is_refused_at_once_with_a_size_that_does() -> None:
    many = row_cone("randomized-response(bits=8, keep=3/4)")
    with pytest.raises(TooLarge, match="use at most 6 records"):
        relax(many, 1)
    with pytest.raises(TooLarge, match="use at most 7 records"):
        eliminate(many, ["00000000"])


@pytest.mark.parametrize(("where", "size"), [("bits(3)", 8), ("integers(0, 6)", 7)])
def test_differential_privacy_relaxes_to_itself_or_to_nothing(where: str, size: int) -> None:
    cone = row_cone("dp(ratio=2)", where)
    for many in range(1, size - 1):
        assert relax(cone, many).row_cone == cone
    assert all(min(d.inequality.coefficients) >= 0 for d in relax(cone, size - 1).derived)
