"""Facets of cones with equalities: the form that is said is the facet, and as short as can be."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations, product

import pytest

from twoworlds.cones.cone import Cone
from twoworlds.cones.row_cone import RowCone, row_cone
from twoworlds.cones.per_record import PerRecordCone
from twoworlds.cones.words.statements import simplest
from twoworlds.cones.words.statements import example, example_statements, grouped, statements
from twoworlds.worlds import Universe

Vector = tuple[int, ...]


def random_cone(seed: int) -> RowCone:
    """Few rays in many dimensions, the row of ones among their sums: there are equalities."""
    rng = random.Random(seed)
    size = rng.randint(3, 6)
    rays = [[rng.randint(0, 2) for _ in range(size)] for _ in range(rng.randint(1, size - 2))]
    largest = max(map(sum, zip(*rays, strict=True)))
    rays.append([largest - total for total in map(sum, zip(*rays, strict=True))])
    cone = Cone.from_rays([ray for ray in rays if any(ray)], dimension=size)
    return RowCone(Universe.of("abcdef"[:size]), cone, f"random {seed}")


CONES = {f"random {seed}": random_cone(seed) for seed in range(40)}
CONES |= {
    text: row_cone(text)
    for text in (
        "random-index(2)",
        "random-index(3)",
        "random-index(records=2, values=3)",
        "parity(bits=2)",
        "randomized-response(bits=2, keep=1/2)",
        "pram([[1/2, 1/3, 1/6], [1/2, 2/3, 5/6]], records=2)",
    )
}


def values(form: Vector, rays: tuple[Vector, ...]) -> list[int]:
    return [sum(c * x for c, x in zip(form, ray, strict=True)) for ray in rays]


def same(form: Vector, facet: Vector, rays: tuple[Vector, ...]) -> bool:
    """Whether two functionals agree on the cone up to a positive factor."""
    a, b = values(form, rays), values(facet, rays)
    return min(a) >= 0 < max(a) and all(x * sum(b) == y * sum(a) for x, y in zip(a, b, strict=True))


def attained(form: Vector, rays: tuple[Vector, ...]) -> bool:
    found = zip(values(form, rays), rays, strict=True)
    return any(
        not value and any(x and c < 0 for x, c in zip(ray, form, strict=True))
        for value, ray in found
    )


def short_forms(facet: Vector, rays: tuple[Vector, ...]) -> tuple[list[int], int]:
    """By trying everything: c + d of all forms c x_D - d x_E, and how many x_A + x_B - x_E."""
    size, pairs, triples = len(facet), [], 0
    top = max(map(max, rays))
    for i, j in permutations(range(size), 2):
        for c, d in product(range(1, top + 1), repeat=2):
            form = tuple(c if k == i else -d if k == j else 0 for k in range(size))
            if same(form, facet, rays) and attained(form, rays):
                pairs.append(c + d)
    for a, b, e in permutations(range(size), 3):
        form = tuple(1 if k in (a, b) else -1 if k == e else 0 for k in range(size))
        tight = [r for r, v in zip(rays, values(form, rays), strict=True) if not v]
        used = all(any(ray[k] for ray in tight) for k in (a, b))
        triples += a < b and used and same(form, facet, rays) and attained(form, rays)
    return pairs, triples


@pytest.mark.slow
@pytest.mark.parametrize("name", CONES)
def test_the_form_said_is_the_facet_and_no_shorter_one_exists(name: str) -> None:
    cone = CONES[name]
    facets, rays = cone.cone.facets, cone.cone.rays
    found = simplest(facets, rays, tuple(cone.universe))
    assert len(found) == len(facets)
    for form, facet in zip(found, facets, strict=True):
        assert same(form, facet, rays)
        pairs, triples = short_forms(facet, rays)
        entries = sorted(c for c in form if c)
        if pairs:
            assert len(entries) == 2
            assert entries[0] < 0 < entries[1]
            assert entries[1] - entries[0] == min(pairs)
        elif triples:
            assert entries == [-1, 1, 1]
        elif any(
            same(tuple(int(i == j) for j in range(len(form))), facet, rays)
            for i in range(len(form))
        ):
            assert entries == [1]
        else:
            assert form == facet


@pytest.mark.parametrize("name", CONES)
def test_all_that_is_said_holds_by_bayes_on_all_rays(name: str) -> None:
    cone = CONES[name]
    found = statements(cone)
    assert len(found) == len(cone.inequalities())
    for one, ray in product(found, cone.generators()):
        assert one.verify(ray)
    size = len(cone.columns)
    bent = [tuple(int(i == j) for j in range(size)) for i in range(size)]
    outside = [row for row in bent if not cone.contains(row)]
    assert all(any(not one.verify(row) for one in found) for row in outside)


def test_a_guarantee_is_not_taken_for_a_probability() -> None:
    cone = RowCone(Universe.of("abc"), Cone.from_rays([(2, 0, 1), (0, 2, 1)]), "half")
    first, second, equal = statements(cone)
    assert [one.inequality.text() for one in (first, second)] == ["xa <= 2 xc", "xb <= 2 xc"]
    assert first.factor == second.factor == 2
    assert equal.inequality.text() == "2 xc = xa + xb"


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("random-index(2)", [("general", 4), ("parity", 1)]),
        ("random-index(records=2, values=3)", [("general", 9), ("parity", 4)]),
        ("parity(bits=2)", [("pair", 2), ("probability", 2)]),
    ],
)
def test_facets_that_are_alike_are_said_alike(text: str, groups: list[tuple[str, int]]) -> None:
    assert [(group.kind, group.count) for group in grouped(statements(row_cone(text)))] == groups


def test_equal_columns_bound_nothing_but_by_their_equality() -> None:
    cone = RowCone(Universe.of("abc"), Cone.from_rays([(1, 1, 0), (0, 0, 1)]), "two equal")
    kinds = sorted(one.kind for one in statements(cone))
    assert kinds == ["pair", "probability", "probability"]


def test_large_cones_are_said_as_given() -> None:
    facets = [(1, *[0] * 4095)] * 2
    rays = [(0, 1) * 2048, (1, 0) * 2048] * 600
    assert simplest(facets, rays, range(4096)) == facets


# --- one transition per record --------------------------------------------------------------------


@pytest.mark.parametrize("bits", [1, 2, 12, 15000])
def test_constant_rows_are_perfect_protection(bits: int) -> None:
    cone = PerRecordCone.of(f"randomized-response(bits={bits}, keep=1/2)")
    (sentence,) = example_statements(cone)
    assert "odds between any two databases never change" in sentence
    assert example(cone).kind == "perfect"
    assert example(cone).equality
    assert len(example(cone).explain()) < 300
    if bits == 2:
        assert example(cone).verify([1, 1, 1, 1])
        assert not example(cone).verify([1, 1, 0, 0])


def test_fifteen_thousand_bits_are_said_with_a_power() -> None:
    found = example_statements(PerRecordCone.of("randomized-response(bits=15000, keep=3/4)"))
    assert found[0].startswith("An attacker who believes the 15000 answers are independent")
    assert found[1:] == ["There are 2^15000 such statements, one for each output, all alike."]
    asymmetric = PerRecordCone.of("pram([[3/4, 1/3], [1/4, 2/3]], records=99)")
    assert "2^99 such statements, one for each output, some of" in example_statements(asymmetric)[1]


TRANSITIONS = [
    "[[3/4, 1/4], [1/4, 3/4]]",
    "[[1/2, 1/3, 1/6], [1/2, 2/3, 5/6]]",
    "[[3/5, 1/7, 1/7], [1/5, 3/7, 3/7], [1/5, 3/7, 3/7]]",
    "[[1, 0, 1/2], [0, 1, 1/2]]",
    "[[1/2, 1/6], [1/4, 1/4], [1/4, 7/12]]",
]


@pytest.mark.parametrize("transition", TRANSITIONS)
def test_examples_by_structure_hold_on_all_rows_of_the_listed_cone(transition: str) -> None:
    cone = PerRecordCone.of(f"pram({transition}, records=2)")
    one = example(cone)
    rays = cone.explicit().generators()
    assert one.kind != "perfect"
    assert all(one.verify(ray) for ray in rays)
    assert one.equality or sum(one.inequality.value(ray) > 0 for ray in rays) == 1


def test_equalities_and_further_outputs_are_told() -> None:
    cone = PerRecordCone.of(f"pram({TRANSITIONS[2]}, records=50)")
    found = example_statements(cone)
    assert "2^50 such statements, one for each output made of" in found[1]
    assert "never change" in found[2]
    assert found[2].endswith("true of every other person, and whatever is known of the rest.")
    single = example_statements(PerRecordCone.of(f"pram({TRANSITIONS[3]}, records=1)"))
    assert "grow by a factor of at most 2" in single[0]
    assert "every other person" not in single[-1]


def test_many_like_records_are_counted_and_not_listed() -> None:
    text = "randomized-response(values=3, records=500, keep=3/5)"
    assert len(example(PerRecordCone.of(text)).sentence) < 400
    small = PerRecordCone.of("randomized-response(values=3, records=2, keep=3/5)")
    one = example(small)
    assert "an even number of records 1 or 2 likelier than an odd one" in one.sentence
    even = {w for w in small.universe if sum(v in (1, 2) for v in w) % 2 == 0}
    assert set(one.first) == even
    assert one.prior[0] == Fraction(5, 9)
