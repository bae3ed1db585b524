"""Statements: each holds by Bayes' rule on every row of its cone, and says what it is."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations, product

import pytest

from twoworlds import BitStrings, Records
from twoworlds.cones.cone import Cone
from twoworlds.cones.per_record import PerRecordCone, kronecker
from twoworlds.cones.row_cone import Inequality, RowCone, row_cone
from twoworlds.cones.words.statements import (
    Statement,
    example,
    example_statements,
    grouped,
    simplest,
    statement,
    statements,
)
from twoworlds.cones.words.wording import factorise, law_of
from twoworlds.errors import InvalidInput
from twoworlds.worlds import Universe

TWO = "randomized-response(bits=2, keep=3/4)"


def random_cone(seed: int) -> RowCone:
    rng = random.Random(seed)
    size = rng.randint(2, 5)
    rays = [[rng.randint(0, 6) for _ in range(size)] for _ in range(rng.randint(2, 7))]
    cone = Cone.from_rays([[1] * size, *rays], dimension=size)
    return RowCone(Universe.of("abcde"[:size]), cone, f"random {seed}")


def cones() -> dict[str, RowCone]:
    found = {}
    for k, keep in [(3, "3/4"), *product((1, 2), ("3/4", "1/4", "1/2", "1"))]:
        text = f"randomized-response(bits={k}, keep={keep})"
        found[text] = row_cone(text)
    for text in (
        "parity(bits=3)",
        "identity(bits=2)",
        "constant(bits=2)",
        "noisy-parity(bits=3, keep=3/4)",
        "randomized-response(values=3, records=2, keep=3/5)",
        "randomized-response(values=[a, b], records=2, keep=3/5)",
        "truncated-geometric(ratio=2, high=4)",
    ):
        found[text] = row_cone(text)
    for where in (
        "bits(1)",
        "bits(2)",
        "bits(3)",
        "records(values=3, n=1)",
        "records(values=2, n=2, smallest=1)",
    ):
        found[f"dp over {where}"] = row_cone("dp(ratio=3)", where)
    found["frapp"] = row_cone("frapp(gamma=3, values=3, records=2)")
    found["blocks of two"] = blocks_of_two()
    found |= {f"random {seed}": random_cone(seed) for seed in range(6)}
    return found


def blocks_of_two() -> RowCone:
    """All deterministic maps of four databases whose blocks have two databases and more."""
    rays = [(1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1), (0, 1, 1, 0), (0, 1, 0, 1), (0, 0, 1, 1)]
    return RowCone(Universe.of("abcd"), Cone.from_rays(rays), "blocks of two")


CONES = cones()


def rows_of(cone: RowCone, count: int = 5) -> list[tuple[Fraction, ...]]:
    """All generators (some, of the cone with hundreds of them), and random rows inside."""
    rng = random.Random(7)
    generators = cone.generators()
    if len(generators) > 60:
        generators = tuple(rng.sample(generators, 12))
    rows = [tuple(map(Fraction, ray)) for ray in generators]
    for _ in range(count):
        weights = [Fraction(rng.randint(0, 9), rng.randint(1, 5)) for _ in generators]
        columns = zip(*generators, strict=True)
        rows.append(tuple(sum(w * c for w, c in zip(weights, col, strict=True)) for col in columns))
    return [row for row in rows if any(row)]


def masses(one: Statement, row: tuple[Fraction, ...]) -> tuple[Fraction, Fraction]:
    """P(first and output), P(second and output), by hand."""
    likelihood = dict(zip(one.belief.universe, row, strict=True))
    first = sum((one.belief[x] * likelihood[x] for x in one.first), start=Fraction(0))
    second = sum((one.belief[x] * likelihood[x] for x in one.second), start=Fraction(0))
    return first, second


@pytest.mark.few(3)
@pytest.mark.parametrize("name", CONES)
def test_every_statement_holds_by_bayes_on_every_row_of_its_cone(name: str) -> None:
    cone = CONES[name]
    found = statements(cone)
    assert len(found) == len(cone.inequalities()) > 0
    for one in found:
        assert sum(one.belief.values()) == 1
        assert not set(one.first) & set(one.second)
        for row in rows_of(cone):
            assert one.verify(row)
            first, second = masses(one, row)
            assert first == second if one.equality else first >= second


@pytest.mark.few(3)
@pytest.mark.parametrize("name", CONES)
def test_the_odds_bound_holds_whatever_the_prior_odds_between_the_two_sets(name: str) -> None:
    cone = CONES[name]
    for one in statements(cone):
        if one.factor is None:
            assert one.kind in ("probability", "impossible")
            continue
        for row in rows_of(cone, 2):
            first, second = masses(one, row)
            for before in (Fraction(1, 9), Fraction(1), Fraction(7, 2)):
                weight = before / one.prior_odds
                assert second * weight <= first * before * one.factor


@pytest.mark.parametrize("name", CONES)
def test_every_statement_is_tight_and_can_fail(name: str) -> None:
    cone = CONES[name]
    size = len(cone.columns)
    for one in statements(cone):
        if one.kind in ("probability", "impossible"):
            continue
        rows = rows_of(cone, 0)
        assert one.equality or len(rows) == 1 or any(len(set(masses(one, x))) == 1 for x in rows)
        place = cone.universe.positions[one.second[0]]
        alone = [int(i == place) for i in range(size)]
        assert not one.verify(alone)
        assert one.posterior(alone) == (0, 1)


# --- words ----------------------------------------------------------------------------------------

EVEN = (
    "An attacker who believes the two answers are independent, each yes with probability 3/4, and "
    "so thinks an even number of yeses likelier than an odd one (5/8 against 3/8), still thinks so "
    "(weakly) after any output."
)


@pytest.mark.parametrize(
    ("cone", "kind", "sentence"),
    [
        (TWO, "parity", EVEN),
        (
            "randomized-response(bits=1, keep=3/4)",
            "person",
            "Whatever an attacker believes, the odds that the answer is no rather than yes grow by "
            "a factor of at most 3 after any output.",
        ),
        (
            "noisy-parity(bits=2, keep=3/4)",
            "person",
            "For someone who knows that person 1's answer is no, the odds that person 2's answer "
            "is no rather than yes grow by a factor of at most 3 after any output.",
        ),
        (
            "randomized-response(bits=2, keep=1)",
            "probability",
            "x11 >= 0 says nothing: a probability is never negative.",
        ),
        (
            "randomized-response(values=[a, b], records=2, keep=3/5)",
            "parity",
            "An attacker who believes the two records are independent, each a with probability 3/5 "
            "or b with probability 2/5, and so thinks an even number of records a likelier than an "
            "odd one (13/25 against 12/25), still thinks so (weakly) after any output.",
        ),
    ],
)
def test_the_first_statement_of_known_cones(cone: str, kind: str, sentence: str) -> None:
    first = statements(row_cone(cone))[0]
    assert (first.kind, first.sentence) == (kind, sentence)


@pytest.mark.parametrize(
    ("coefficients", "equality", "kind", "sentence"),
    [
        (
            (3, 0, 0, -1),
            False,
            "pair",
            "Whatever an attacker believes, the odds of 00 against 11 grow by a factor of at most "
            "3 after any output.",
        ),
        (
            (1, 0, 0, -1),
            True,
            "pair",
            "Whatever an attacker believes, the odds of 00 against 11 never change.",
        ),
        (
            (6, 2, -3, -1),
            False,
            "person",
            "For an attacker who believes the answers are independent, that of person 2 yes with "
            "probability 3/4, the odds that person 1's answer is no rather than yes grow by a "
            "factor of at most 2 after any output.",
        ),
        (
            (1, -1, -1, 1),
            True,
            "parity",
            "An attacker who believes the two answers are independent, each yes with probability "
            "1/2, and so thinks an even number of yeses exactly as likely as an odd one, still "
            "thinks so exactly after any output.",
        ),
        (
            (1, 1, 1, -1),
            False,
            "general",
            "An attacker who believes the two answers are independent, each yes with probability "
            "1/2, and so thinks {11, 10, 01} likelier than {00} (3/4 against 1/4), still thinks so "
            "(weakly) after any output.",
        ),
        (
            (0, -2, 1, -1),
            False,
            "general",
            "An attacker who believes the database is 10 with probability 1/2 and 01 or 00 with "
            "probability 1/4 each must think {01} at least as likely as {10, 00} after any output, "
            "although not before (1/4 against 3/4), which no mechanism achieves.",
        ),
        (
            (1, 1, 0, -1),
            True,
            "general",
            "An attacker who believes the database is 11, 10 or 00 with probability 1/3 each must "
            "think {11, 10} exactly as likely as {00} after any output, although not before (2/3 "
            "against 1/3), which no mechanism achieves.",
        ),
        (
            (0, 0, 0, 1),
            True,
            "impossible",
            "No output ever occurs on 00, which no mechanism achieves.",
        ),
    ],
)
def test_what_an_inequality_on_two_bits_says(
    coefficients: tuple[int, ...], equality: bool, kind: str, sentence: str
) -> None:
    one = statement(Inequality(BitStrings(2), coefficients, equality))
    assert (one.kind, one.sentence) == (kind, sentence)


@pytest.mark.parametrize("signs", list(product((1, -1), repeat=3)))
@pytest.mark.parametrize("inside", [(0, 1, 2), (0, 2), (1, 2)])
def test_the_parity_named_is_the_set_of_the_positive_coefficients(
    signs: tuple[int, ...], inside: tuple[int, ...]
) -> None:
    factors = [(3, -1) if s > 0 else (-1, 3) for s in signs]
    factors = [f if i in inside else (1, 2) for i, f in enumerate(factors)]
    for flip in (1, -1):
        vector = tuple(flip * c for c in kronecker(factors))
        one = statement(Inequality(BitStrings(3), vector))
        assert one.kind == "parity"
        text = one.sentence.split("thinks an " if "so thinks" in one.sentence else "think an ")[1]
        odd = text.split()[0] == "odd"
        expected = {w for w in BitStrings(3) if sum(w[i] for i in inside) % 2 == odd}
        assert set(one.first) == expected
        where = {(0, 2): " among persons 1 and 3", (1, 2): " among persons 2 and 3"}
        assert where.get(inside, "number of yeses") in one.sentence


def test_numbers_of_a_statement() -> None:
    one = statements(row_cone(TWO))[0]
    assert one.prior == (Fraction(5, 8), Fraction(3, 8))
    assert (one.prior_odds, one.factor) == (Fraction(3, 5), Fraction(5, 3))
    assert one.laws == ((Fraction(3, 4), Fraction(1, 4)),) * 2
    data = one.to_dict()
    assert data["first"] == ["11", "00"]
    assert data["second"] == ["10", "01"]
    assert data["belief"]["11"]["exact"] == "9/16"
    assert data["independent"] is True


# --- products -------------------------------------------------------------------------------------


def test_products_are_factorised_exactly_and_nothing_else_is() -> None:
    rng = random.Random(3)
    for _ in range(200):
        n, k = rng.randint(2, 3), rng.randint(1, 4)
        factors = [[rng.randint(-3, 3) for _ in range(n)] for _ in range(k)]
        if not all(any(f) for f in factors):
            continue
        vector = kronecker([tuple(f) for f in factors])
        found = factorise(Records(n, k), vector)
        assert found is not None
        rebuilt = kronecker(found)
        place = next(i for i, c in enumerate(vector) if c)
        assert [c * vector[place] for c in rebuilt] == [c * rebuilt[place] for c in vector]
        assert rebuilt[place] * vector[place] > 0
        assert all(law_of(a) == law_of(b) for a, b in zip(factors, found, strict=True))
        changed = list(vector)
        changed[rng.randrange(len(vector))] += 1
        again = factorise(Records(n, k), tuple(changed))
        if again is not None:
            scaled = kronecker(again)
            top = next(i for i, c in enumerate(changed) if c)
            assert [c * changed[top] for c in scaled] == [c * scaled[top] for c in changed]


# --- bad input ------------------------------------------------------------------------------------


def test_refuses_rows_that_are_no_likelihoods() -> None:
    one = statements(row_cone(TWO))[0]
    with pytest.raises(InvalidInput, match="at least 0"):
        one.verify([1, 1, 1, -1])
    with pytest.raises(InvalidInput, match="4 databases"):
        one.verify([1, 1, 1])


Vector = tuple[int, ...]


def random_flat_cone(seed: int) -> RowCone:
    """Few rays in many dimensions, the row of ones among their sums: there are equalities."""
    rng = random.Random(seed)
    size = rng.randint(3, 6)
    rays = [[rng.randint(0, 2) for _ in range(size)] for _ in range(rng.randint(1, size - 2))]
    largest = max(map(sum, zip(*rays, strict=True)))
    rays.append([largest - total for total in map(sum, zip(*rays, strict=True))])
    cone = Cone.from_rays([ray for ray in rays if any(ray)], dimension=size)
    return RowCone(Universe.of("abcdef"[:size]), cone, f"random {seed}")


FLAT = {f"random {seed}": random_flat_cone(seed) for seed in range(12)}
FLAT |= {
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
@pytest.mark.parametrize("name", FLAT)
def test_the_form_said_is_the_facet_and_no_shorter_one_exists(name: str) -> None:
    cone = FLAT[name]
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


@pytest.mark.parametrize("name", FLAT)
def test_all_that_is_said_holds_by_bayes_on_all_rays(name: str) -> None:
    cone = FLAT[name]
    found = statements(cone)
    assert len(found) == len(cone.inequalities())
    for one, ray in product(found, cone.generators()):
        assert one.verify(ray)
    size = len(cone.columns)
    bent = [tuple(int(i == j) for j in range(size)) for i in range(size)]
    outside = [row for row in bent if not cone.contains(row)]
    assert all(any(not one.verify(row) for one in found) for row in outside)


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


# --- one transition per record --------------------------------------------------------------------


@pytest.mark.parametrize("bits", [1, 2, 12, 15000])
def test_constant_rows_are_perfect_protection(bits: int) -> None:
    cone = PerRecordCone.of(f"randomized-response(bits={bits}, keep=1/2)")
    (sentence,) = example_statements(cone)
    assert "odds between any two databases never change" in sentence
    assert example(cone).kind == "perfect"
    assert example(cone).equality
    if bits == 2:
        assert example(cone).verify([1, 1, 1, 1])
        assert not example(cone).verify([1, 1, 0, 0])


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
