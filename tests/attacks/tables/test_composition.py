"""Several tables put together, against enumeration of all that they allow."""

import random
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from tests.attacks.tables import brute
from twoworlds.attacks import compose
from twoworlds.attacks.tables import beliefs
from twoworlds.attacks.tables.beliefs import Sensitive
from twoworlds.errors import InvalidInput, TooLarge

FIGURES = ("figure1.csv", "figure2.csv")


@pytest.mark.parametrize(
    ("age", "zip_code", "first", "second", "posterior"),
    [
        (
            28,
            "13012",
            ["AIDS", "Heart Disease", "Viral Infection"],
            ["AIDS", "Cancer", "Flu", "Tuberculosis"],
            {"AIDS": "1"},
        ),
        (33, "13012", ["Cancer"], ["AIDS", "Cancer", "Flu", "Tuberculosis"], {"Cancer": "1"}),
        (36, "13012", ["Cancer"], ["Cancer", "Tuberculosis", "Viral Infection"], {"Cancer": "1"}),
        (
            45,
            "13012",
            ["Cancer", "Heart Disease", "Viral Infection"],
            ["Cancer", "Tuberculosis", "Viral Infection"],
            {"Cancer": "3/7", "Viral Infection": "4/7"},
        ),
        (28, "14012", [], [], {}),
    ],
)
def test_reference_figures_1_and_2_together(age, zip_code, first, second, posterior):
    found = compose(FIGURES, {"age": age, "zip": zip_code}, "condition")
    assert [list(table["leaves"]) for table in found.data["tables"]] == [first, second]
    assert found.data["posterior"] == {value: Fraction(share) for value, share in posterior.items()}
    assert list(found.data["candidates"]) == sorted(posterior)


@pytest.mark.parametrize("seed", range(3))
def test_posterior_matches_enumeration_on_random_tables(seed):
    draw = random.Random(seed)
    tables = [brute.random_table(draw, draw.randint(1, 9)) for _ in range(draw.randint(1, 3))]
    person = brute.random_person(draw)
    if draw.random() < 0.3:
        del person[draw.choice(["zip", "age"])]
    found = compose(tables, person, "condition")
    for table, evidence in zip(tables, found.data["tables"], strict=True):
        assert list(evidence["matching_rows"]) == brute.matching(table, person)
        counts = brute.candidates(table, person)
        shares = {value: Fraction(n, counts.total()) for value, n in counts.items()}
        assert evidence["candidates"] == shares
    assert found.data["posterior"] == brute.posterior(tables, person)


@pytest.mark.parametrize("seed", range(3))
def test_prior_and_population_match_bayes_by_enumeration(seed):
    draw = random.Random(seed)
    values = brute.CONDITIONS[:3]
    tables = [[{"condition": draw.choice(values)} for _ in range(draw.randint(1, 4))] for _ in "ab"]
    prior = {value: Fraction(draw.randint(0, 4), 7) for value in values}
    prior["flu"] += 1
    population = {value: Fraction(draw.randint(1, 5)) for value in values}
    counts = [Counter(row["condition"] for row in table) for table in tables]
    flat = dict.fromkeys(values, 1)
    for mine, theirs in ((prior, population), (prior, None), (None, population), (None, None)):
        found = compose(tables, {}, "condition", prior=mine, population=theirs)
        assert found.data["posterior"] == brute.by_bayes(counts, mine or flat, theirs or flat)


@pytest.mark.parametrize("seed", range(3))
def test_consistent_choices_match_enumeration_on_random_tables(seed):
    draw = random.Random(seed)
    tables = [brute.random_table(draw, draw.randint(1, 8)) for _ in range(draw.randint(1, 3))]
    person = brute.random_person(draw)
    del person[draw.choice(["zip", "age"])]
    found = compose(tables, person, "condition", belief="consistent")
    assert found.data["posterior"] == brute.consistent(tables, person)
    assert set(found.data["candidates"]) <= set(
        compose(tables, person, "condition").data["candidates"]
    )


def test_rejects_too_many_kinds_of_choices(monkeypatch):
    monkeypatch.setattr(beliefs, "_MOST", 20)
    with pytest.raises(InvalidInput, match="use belief='independent'"):
        compose(FIGURES, {}, "condition", belief="consistent")


def test_sets_of_sensitive_values_intersect():
    first = [{"pay": "[10, 30]"}, {"pay": "50|70"}]
    second = [{"pay": "20-50"}, {"pay": "80"}]
    found = compose([first, second], {}, "pay")
    assert found.data["posterior"] == {"50": Fraction(1, 2), "[20, 30]": Fraction(1, 2)}
    assert found.data["sentence"] == (
        "Alone, table 1 leaves 50, 70 or [10, 30] and table 2 leaves 20-50 or 80; "
        "together they leave 50 or [20, 30]."
    )


def one_each(*cells):
    return [[{"a": "1", "s": cell}] for cell in cells]


@pytest.mark.parametrize(
    ("tables", "left", "together"),
    [
        (one_each("x|y", "y|z"), [2, 2], ("y",)),
        (one_each("*", "flu"), [1, 1], ("flu",)),
        (one_each("*", None), [1, 1], ("anything",)),
        (one_each("x", "x|y"), [1, 2], ("x",)),
        ([[{"s": "x|y"}, {"s": "y|x"}]], [2], ("x", "y")),
        ([[{"s": "flu"}, {"s": "cold"}, {"s": "flu|cold"}]], [2], ("cold", "flu")),
        ([[{"s": "flu"}, {"s": None}]], [2], ("anything", "flu")),
        ([[{"s": "30"}, {"s": "30.0"}]], [1], ("30",)),
    ],
)
def test_sets_are_counted_by_the_values_that_they_list(tables, left, together):
    found = compose(tables, {}, "s")
    assert [len(table["leaves"]) for table in found.data["tables"]] == left
    assert found.data["candidates"] == together


@pytest.mark.parametrize("seed", range(3))
def test_sets_and_empty_cells_match_enumeration_of_the_stated_law(seed):
    draw = random.Random(seed)
    tables = [brute.random_sets(draw, draw.randint(1, 5)) for _ in range(draw.randint(1, 2))]
    domain = brute.occurring(tables) or pytest.skip("no value occurs")
    found = compose(tables, {"age": 30}, "condition")
    assert found.data["posterior"] == brute.spread(tables, "30")
    if any("published as this set" in one for one in found.data["assumptions"]):
        weights = dict.fromkeys(domain, 1)
        assert (
            compose(tables, {"age": 30}, "condition", prior=weights).data["posterior"]
            == found.data["posterior"]
        )


def test_a_table_that_is_given_twice_is_said(tmp_path):
    found = compose([FIGURES[0], FIGURES[1], FIGURES[0], FIGURES[0]], {"age": 45}, "condition")
    [note] = found.data["notes"]
    assert note.startswith("figure1.csv is given more than once")
    rows = [{"c": "x"}]
    assert len(compose([rows, rows], {}, "c").data["notes"]) == 1
    assert compose([rows, list(rows)], {}, "c").data["notes"] == ()
    assert compose(FIGURES, {"age": 45}, "condition").data["notes"] == ()


def test_a_known_span_in_the_wrong_order_is_refused_unless_it_is_a_code():
    assert compose([[{"ward": "40-30", "c": "x"}]], {"ward": "40-30"}, "c").data["candidates"] == (
        "x",
    )
    for empty in ("40-30", "[40, 30)"):
        with pytest.raises(InvalidInput, match="holds no number: write the lower end first"):
            compose(FIGURES, {"age": empty}, "condition")


def test_nobody_matches_and_the_table_is_named():
    found = compose(FIGURES, {"age": 28, "zip": "14012"}, "condition")
    assert found.data["posterior"] == {}
    assert "no row of figure1.csv matches zip=14012 (there it is 130**)" in found.data["sentence"]
    assert "no row of figure2.csv matches" in found.data["sentence"]
    table = [{"a": "1", "b": "1", "c": "x"}, {"a": "2", "b": "2", "c": "y"}]
    assert (
        "matches a=1 and b=2 together" in compose([table], {"a": 1, "b": 2}, "c").data["sentence"]
    )


def test_a_prior_may_rule_out_what_the_tables_leave():
    found = compose(FIGURES, {"age": 28}, "condition", prior="AIDS=0, Flu=1")
    assert found.data["posterior"] == {}
    assert found.data["candidates"] == ("AIDS",)
    assert found.data["sentence"].endswith("The prior rules out each of them.")


@pytest.mark.parametrize(
    ("tables", "known", "sensitive", "options", "message"),
    [
        (FIGURES, {"agee": 28}, "condition", {}, "no column 'agee' in any of the tables"),
        (FIGURES, {"condition": "Flu"}, "condition", {}, "cannot be known"),
        (FIGURES, {"age": None}, "condition", {}, "nothing is said about the known 'age'"),
        ([], {}, "condition", {}, "no table was given"),
        (FIGURES, {}, "condition", {"belief": "indepndent"}, "did you mean 'independent'"),
        (FIGURES, {"age": 45}, "condition", {"prior": "Cancer=1"}, "'Viral Infection'"),
        (FIGURES, {"age": 45}, "condition", {"prior": "Cancer=1, Cancer=2"}, "named twice"),
        (FIGURES, {"age": 45}, "condition", {"prior": "Cancer=0"}, "no value a weight"),
        (
            FIGURES,
            {"age": 45},
            "condition",
            {"population": "Cancer=0, Viral Infection=1"},
            "weight 0, and yet the tables show it",
        ),
        (
            FIGURES,
            {"age": 45},
            "condition",
            {"prior": "Cancer=1, Viral Infection=1", "population": "Cancer=1"},
            "the population says nothing about 'Viral Infection'",
        ),
    ],
)
def test_rejects_what_makes_no_sense(tables, known, sensitive, options, message):
    with pytest.raises(InvalidInput, match=message):
        compose(tables, known, sensitive, **options)


def test_weights_from_a_file(tmp_path):
    path = tmp_path / "prior.csv"
    path.write_text("condition,probability\nCancer,1/100\n\nViral Infection,1/2\n")
    found = compose(FIGURES, {"age": 45}, "condition", prior=str(path))
    assert found.data["posterior"] == {
        "Cancer": Fraction(3, 203),
        "Viral Infection": Fraction(200, 203),
    }
    path.write_text("Cancer,1/100\nViral Infection,1/2\n")
    assert (
        compose(FIGURES, {"age": 45}, "condition", prior=path).data["posterior"]
        == found.data["posterior"]
    )
    path.write_text("condition,probability\nCancer\n")
    with pytest.raises(InvalidInput, match="'Cancer' has no weight beside it"):
        compose(FIGURES, {"age": 45}, "condition", prior=path)


# --- what cells of several tables say together, against sets that are listed ----------------------


# What the cells hold, among the ends of all intervals, and what lies between.
POINTS = [5, 7, 10.5, 15, 16, 20, 20.5, 24, 24.5, 25, 27, 30, 31.5, 33, 35, 39, 40, 45, 49, 50, 55]
NUMBERS = {
    "<30": lambda x: x < 30,
    "≥25": lambda x: x >= 25,
    "(20, 40]": lambda x: 20 < x <= 40,
    "[16, 24]": lambda x: 16 <= x <= 24,
    "15-25": lambda x: 15 <= x <= 25,
    "3*": lambda x: 30 <= x <= 39,
    "25": lambda x: x == 25,
    "{7, 25, 33}": lambda x: x in (7, 25, 33),
    "5|[30, 50)": lambda x: x == 5 or 30 <= x < 50,
    "*": lambda x: True,
}
WORDS = [a + b + c for a, b, c in product("ab", repeat=3)]
MASKS = {
    "a**": lambda w: w[0] == "a",
    "*b*": lambda w: w[1] == "b",
    "**a": lambda w: w[2] == "a",
    "ab*": lambda w: w[:2] == "ab",
    "aba": lambda w: w == "aba",
    "aab|bbb": lambda w: w in ("aab", "bbb"),
    "{b**, aba}": lambda w: w[0] == "b" or w == "aba",
}


def agreements(tables):
    """What each choice of a cell in every table says."""
    counted = [dict.fromkeys(table, 1) for table in tables]
    return {texts: cell for cell, texts, _ in Sensitive(tables).choices(counted)}


@pytest.mark.few(3)
@pytest.mark.parametrize(("cells", "points"), [(NUMBERS, POINTS), (MASKS, WORDS)])
@pytest.mark.parametrize("tables", [1, 2, 3])
def test_candidates_are_the_intersections_of_the_sets(cells, points, tables):
    found = agreements([list(cells)] * tables)
    for chosen in product(cells, repeat=tables):
        inside = [x for x in points if all(cells[text](x) for text in chosen)]
        if not inside:
            assert chosen not in found
            continue
        assert [x for x in points if found[chosen].allows(x)] == inside, chosen
        if len(inside) == 1 and cells is MASKS:
            assert found[chosen].is_value


def test_rejects_too_many_ways(monkeypatch):
    monkeypatch.setattr(beliefs, "_MOST", 8)
    tables = [["<1", "<2", "<3"], ["<4", "<5", "<6"]]
    with pytest.raises(TooLarge, match="more than 8 ways"):
        agreements(tables)
