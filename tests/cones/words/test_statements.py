"""Statements: each holds by Bayes' rule on every row of its cone, and says what it is."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from itertools import product

import pytest

from twoworlds import BitStrings, Records
from twoworlds.cones.cone import Cone
from twoworlds.cones.row_cone import Inequality, RowCone, row_cone
from twoworlds.cones.amplification import kronecker_cone
from twoworlds.cones.per_record import PerRecordCone, ProductInequality, kronecker
from twoworlds.cones.words.wording import Wording, as_records, factorise, law_of, listed_belief
from twoworlds.cones.words.statements import Statement, grouped, statement, statements
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
    for k, keep in product((1, 2, 3), ("3/4", "2/3", "1/4", "9/10", "1/2", "1")):
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
    found["frapp"] = kronecker_cone(3, values=3, records=2)
    found["blocks of two"] = blocks_of_two()
    found |= {f"random {seed}": random_cone(seed) for seed in range(12)}
    return found


def blocks_of_two() -> RowCone:
    """All deterministic maps of four databases whose blocks have two databases and more."""
    rays = [(1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1), (0, 1, 1, 0), (0, 1, 0, 1), (0, 0, 1, 1)]
    return RowCone(Universe.of("abcd"), Cone.from_rays(rays), "blocks of two")


CONES = cones()


def rows_of(cone: RowCone, count: int = 15) -> list[tuple[Fraction, ...]]:
    """All generators (some, of the cone with hundreds of them), and random rows inside."""
    rng = random.Random(7)
    generators = cone.generators()
    if len(generators) > 60:
        generators = tuple(rng.sample(generators, 30))
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


@pytest.mark.parametrize("name", CONES)
def test_the_odds_bound_holds_whatever_the_prior_odds_between_the_two_sets(name: str) -> None:
    cone = CONES[name]
    for one in statements(cone):
        if one.factor is None:
            assert one.kind in ("probability", "impossible")
            continue
        for row in rows_of(cone, 5):
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


@pytest.mark.parametrize("name", CONES)
def test_statements_are_plain_data_and_groups_hold_all_of_them(name: str) -> None:
    found = statements(CONES[name])
    groups = grouped(found)
    assert sorted(map(id, found)) == sorted(id(s) for g in groups for s in g.statements)
    assert sum(group.count for group in groups) == len(found)
    for group in groups:
        assert {one.kind for one in group.statements} == {group.kind}
        assert (" more like it" in group.sentence) == (group.count > 1)
        assert json.loads(json.dumps(group.to_dict()))["count"] == group.count
    for one in found:
        assert one.explain().startswith(one.sentence)


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
            (1, 0, 0, -1),
            False,
            "pair",
            "Whatever an attacker believes, the odds of 00 against 11 never grow after any output.",
        ),
        (
            (1, -2, 0, 0),
            False,
            "person",
            "For someone who knows that person 1's answer is yes, the odds that person 2's answer "
            "is no rather than yes grow by a factor of at most 1/2 after any output, which no "
            "mechanism achieves.",
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
            (0, 2, 1, -1),
            False,
            "general",
            "An attacker who believes the database is 10 with probability 1/2 and 01 or 00 with "
            "probability 1/4 each, and so thinks {10, 01} likelier than {00} (3/4 against 1/4), "
            "still thinks so (weakly) after any output.",
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
        (
            (0, -1, 0, -1),
            False,
            "impossible",
            "No output ever occurs on 10 or 00, which no mechanism achieves.",
        ),
    ],
)
def test_what_an_inequality_on_two_bits_says(
    coefficients: tuple[int, ...], equality: bool, kind: str, sentence: str
) -> None:
    one = statement(Inequality(BitStrings(2), coefficients, equality))
    assert (one.kind, one.sentence) == (kind, sentence)


def test_sets_of_values_of_one_person_are_named() -> None:
    one = statement(Inequality(Records("abc", 1), (3, -1, -1)))
    assert one.kind == "general"
    assert "a for person 1 likelier than b or c" in one.sentence


def test_persons_with_different_possible_values_are_named_one_by_one() -> None:
    factors = ((3, -1, 0), (0, 3, -1))
    one = statement(Inequality(Records("abc", 2), kronecker(factors)))
    assert "an even number of these events (person 1 has b; person 2 has c)" in one.sentence
    assert "that of person 1 a with probability 3/4 or b with probability 1/4" in one.sentence


def test_a_table_with_columns_of_digits_speaks_of_persons_too() -> None:
    one = statement(Inequality(Universe.of(["11", "10", "01", "00"]), (9, -3, -3, 1)))
    assert one.sentence == EVEN
    assert as_records(Universe.of(["11", "10", "01"])) is None
    assert as_records(Universe.of(["1", "0"])) is None
    assert as_records(Universe.of([11, 10])) is None


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


def test_forty_bits_are_said_without_listing_a_database() -> None:
    cone = PerRecordCone.of("randomized-response(bits=40, keep=3/4)")
    one = statement(cone.inequality("1" * 20 + "0" * 20))
    assert one.kind == "parity"
    assert one.prior[0] == (1 + Fraction(1, 2**40)) / 2
    assert "those of persons 1 to 20 yes with probability 3/4" in one.sentence


def test_a_product_inequality_says_the_same_as_its_list() -> None:
    for factors in [((3, -1), (3, -1)), ((3, -1), (-1, 3)), ((1, 1), (1, -1))]:
        structured = ProductInequality(BitStrings(2), factors)
        listed = structured.explicit()
        one, other = statement(structured), statement(listed)
        assert (one.kind, one.sentence, one.prior) == (other.kind, other.sentence, other.prior)
        assert (one.first, one.second, one.laws) == (other.first, other.second, other.laws)
        assert one.belief == other.belief
        assert grouped([one, one])[0].count == 2


def test_groups_of_known_cones() -> None:
    def counts(cone: RowCone) -> list[tuple[str, int]]:
        return [(group.kind, group.count) for group in grouped(cone.statements())]

    assert counts(row_cone(TWO)) == [("parity", 4)]
    assert counts(row_cone("dp(ratio=3)", "bits(3)")) == [("person", 24)]
    assert counts(blocks_of_two()) == [("general", 4), ("probability", 4)]
    (group,) = grouped(statements(row_cone(TWO)))
    assert group.sentence == (
        EVEN + " And 3 more like it, with the roles of yes and no exchanged for some persons."
    )
    (single,) = grouped(statements(row_cone("randomized-response(bits=1, keep=3/4)")))
    assert single.sentence.endswith("And 1 more like it, with yes and no exchanged.")


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
    assert "they grow by a factor of at most 5/3" in one.explain()


def test_weakly_means_that_most_outputs_leave_a_tie() -> None:
    # Lin & Kifer, Section 5.1, say "more likely"; randomized response itself leaves ties.
    one = statements(row_cone(TWO))[0]
    after = [one.posterior(row) for row in row_cone(TWO).generators()]
    half = Fraction(1, 2)
    assert after == [(Fraction(41, 50), Fraction(9, 50)), *[(half, half)] * 3]


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


def test_words_for_laws_and_lists() -> None:
    words = Wording(Records("abc", 2))
    third = Fraction(1, 3)
    assert words.law((third, third, third)) == "a, b or c, equally likely"
    assert words.law((Fraction(0), Fraction(1), Fraction(0))) == "certainly b"
    assert Wording(BitStrings(12)).independent([(third, 1 - third)] * 12).startswith("the 12 ans")
    many = {(i,): Fraction(1, 10) for i in range(10)}
    assert listed_belief(Records(10, 1), many).endswith("each (and so on)")


def test_a_guarantee_that_no_mechanism_achieves_still_verifies_rows() -> None:
    never = statement(Inequality(BitStrings(1), (0, 1), equality=True))
    assert never.kind == "impossible"
    assert never.factor is never.prior_odds is None
    assert never.verify([1, 0])
    assert not never.verify([1, 1])


# --- bad input ------------------------------------------------------------------------------------


def test_refuses_an_inequality_that_says_nothing_at_all() -> None:
    with pytest.raises(InvalidInput, match="0 >= 0"):
        statement(Inequality(BitStrings(1), (0, 0)))


def test_refuses_rows_that_are_no_likelihoods() -> None:
    one = statements(row_cone(TWO))[0]
    with pytest.raises(InvalidInput, match="at least 0"):
        one.verify([1, 1, 1, -1])
    with pytest.raises(InvalidInput, match="4 databases"):
        one.verify([1, 1, 1])


def test_an_output_that_the_attacker_held_impossible_changes_no_mind() -> None:
    one = statement(Inequality(BitStrings(2), (3, 0, 0, -1)))
    assert one.posterior([0, 1, 1, 0]) is None
    assert one.verify([0, 1, 1, 0])
