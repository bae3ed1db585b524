"""Laws of databases: gathered, by name, from files; and which lengths Assumption 2 allows."""

from fractions import Fraction
from itertools import product

import pytest

from twoworlds.attacks.auxiliary import (
    Case,
    count_law,
    flaw_law,
    independent_law,
    law_of,
    named_law,
    read_law,
    source,
    table,
    uniform_secret,
    usable_lengths,
    vanishing_length,
)
from twoworlds.errors import InvalidInput, NotStochastic, TooLarge, UnknownName

ROWS = """database,utility,breaches,probability,size
a,00,1 01,1/2,3
b,01,,0.25,3
c,01,1;10,25%,4
"""
JSON = """[{"utility": "00", "breaches": ["1", "01"], "probability": "1/2"},
           {"utility": "01", "breaches": "", "probability": 0.25},
           {"utility": "01", "breaches": "1 10", "probability": 0.25}]"""


def as_table(law):
    found = {}
    for group in law.groups:
        for w, weight in enumerate(group.weights):
            if weight:
                found[group.breaches, w] = Fraction(group.factor * int(weight), law.total)
    return found


@pytest.mark.parametrize(("people", "ell", "p"), [(8, 1, "1/2"), (5, 2, "1/3"), (3, 3, "3/4")])
def test_the_count_law_is_that_of_all_databases(people, ell, p):
    expected = {}
    one = Fraction(p)
    for database in product((0, 1), repeat=people):
        key = ("".join(map(str, database[:ell])),), sum(database)
        chance = one ** sum(database) * (1 - one) ** (people - sum(database))
        expected[key] = expected.get(key, 0) + chance
    law = count_law(people, ell, p=p)
    assert law.bits == people.bit_length()
    assert as_table(law) == expected


def test_a_law_of_functions_is_that_of_its_table():
    law = table(
        {"ab": "1/3", "cd": "2/3"}, lambda x: "1" if x == "ab" else "0", lambda x: ["11", "0"]
    )
    assert as_table(law) == {(("0", "11"), 1): Fraction(1, 3), (("0", "11"), 0): Fraction(2, 3)}
    assert law.lengths == (1, 2)


def test_an_independent_secret_multiplies():
    law = independent_law(source("iid(1/3)", 1), {("0",): Fraction(1, 4), ("1",): Fraction(3, 4)})
    assert as_table(law) == {
        (("0",), 0): Fraction(1, 6),
        (("0",), 1): Fraction(1, 12),
        (("1",), 0): Fraction(1, 2),
        (("1",), 1): Fraction(1, 4),
    }


@pytest.mark.parametrize(
    ("text", "bits", "expected"),
    [
        ("weight(1)", 2, ["1/3", "1/3", "1/3", "0"]),
        ("first(3)", 2, ["1/3", "1/3", "1/3", "0"]),
        ("independent(1/2, 1/3)", 2, ["1/3", "1/6", "1/3", "1/6"]),
        ("binomial(2, 1/3)", 2, ["4/9", "4/9", "1/9", "0"]),
        ("explicit(01=1/4, 10=3/4)", 2, ["0", "1/4", "3/4", "0"]),
        ("uniform", 1, ["1/2", "1/2"]),
    ],
)
def test_sources_are_what_they_say(text, bits, expected):
    assert source(text, bits) == [Fraction(p) for p in expected]


def test_the_counterexample_of_the_flaw_has_two_breaches_unless_w_is_zero():
    law = flaw_law(2)
    assert sum(as_table(law).values()) == 1
    for case in law.cases:
        assert (len(set(case.breaches)) == 1) == (case.utility == "00")


@pytest.mark.parametrize(("name", "text"), [("law.csv", ROWS), ("law.json", JSON)])
def test_files_are_read_with_leading_zeros(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert as_table(read_law(path)) == {
        (("1", "01"), 0): Fraction(1, 2),
        ((), 1): Fraction(1, 4),
        (("1", "10"), 1): Fraction(1, 4),
    }


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.txt", "", "csv and .json"),
        ("a.csv", "utility,breaches\n0,1\n", "'probability' is missing"),
        ("a.csv", "utility,breaches,probability,mood\n0,1,1,x\n", "unknown column 'mood'"),
        ("a.csv", "utility,breaches,probability\n0,1\n", "row 1 has another number"),
        ("a.csv", "utility,breaches,probability\n2,1,1\n", "row 1: utility='2'"),
        ("a.csv", "utility,breaches,probability\n0,x,1\n", "row 1: breach='x'"),
        ("a.csv", "utility,breaches,probability\n0,1,2\n", "between 0 and 1"),
        ("a.csv", "utility,breaches,probability\n0,1,1/2\n", "sum to 1/2"),
        ("a.csv", "utility,breaches,probability\n0,1,1/2\n00,1,1/2\n", "must have 1"),
        ("a.csv", "utility,breaches,probability\n", "at least one database"),
        ("a.json", "{", "not JSON"),
        ("a.json", "{}", "list of rows"),
        ("a.json", '[{"utility": true, "breaches": "1", "probability": 1}]', "row 1: utility"),
        ("a.json", '[{"utility": "1", "breaches": {}, "probability": 1}]', "must be a list"),
    ],
)
def test_files_that_are_no_laws_are_refused(tmp_path, name, text, said):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput) as caught:
        read_law(path)
    assert said in str(caught.value)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_law(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: law_of([]), InvalidInput, "at least one"),
        (lambda: source("nonsense", 2), UnknownName, "unknown source"),
        (lambda: source("uniform", 40), TooLarge, "2\\^40"),
        (lambda: source("iid(2)", 2), InvalidInput, "between 0 and 1"),
        (lambda: source("binomial(9)", 2), InvalidInput, "needs 4 bits"),
        (lambda: source("first(9)", 2), InvalidInput, "only 4"),
        (lambda: source("independent(1/2)", 2), InvalidInput, "for 2 bits"),
        (lambda: source("explicit(0=1)", 2), InvalidInput, "2 bits"),
        (lambda: source("explicit(00=1/2)", 2), NotStochastic, "sum to 1/2"),
        (lambda: uniform_secret(11), TooLarge, "up to 10"),
        (lambda: count_law(2, 3), InvalidInput, "only 2 people"),
        (lambda: count_law(10**6), TooLarge, "10000"),
        (lambda: flaw_law(7), TooLarge, "up to 6"),
        (lambda: independent_law([Fraction(1)] * 3, uniform_secret(1)), InvalidInput, "not 3"),
        (lambda: independent_law([Fraction(1)] * 2, uniform_secret(1)), NotStochastic, "sum to 2"),
        (lambda: named_law("count(8)", 1, bits=4), InvalidInput, "leave bits out"),
        (lambda: named_law("count(8, p=1)", 1), InvalidInput, "write count"),
        (lambda: usable_lengths(vanishing_length(), 1), InvalidInput, "strictly between"),
        (lambda: usable_lengths(named_law("uniform", 1), "1/2"), InvalidInput, "does not list"),
    ],
)
def test_what_is_no_law_is_refused(make, error, said):
    with pytest.raises(error, match=said):
        make()


# --- Assumption 2 -------------------------------------------------------------------------------


def test_erratum_a_usable_length_can_vanish_with_the_large_databases():
    found = usable_lengths(vanishing_length(), "1/10")
    assert (found.size, found.beyond) == (1, Fraction(1, 20))
    assert (found.usable, found.usable_short) == ((1,), ())
    assert found.printed_step_fails
    assert "does not exist" in found.explain()
    assert found.to_dict()["printed_step_fails"] is True


def test_nothing_vanishes_when_the_tolerance_is_small():
    found = usable_lengths(vanishing_length(), "1/20")  # the chance beyond must be below gamma
    assert (found.size, found.beyond) == (2, 0)
    assert found.usable == found.usable_short == (1,)
    assert not found.printed_step_fails


def test_a_length_that_some_database_lacks_is_not_usable():
    half = Fraction(1, 2)
    cases = [Case("a", "0", ("1", "00"), half), Case("b", "1", ("1",), half)]
    assert usable_lengths(law_of(cases), "1/2").usable == (1,)


def test_a_length_is_not_usable_if_a_breach_determines_the_utility_vector():
    half = Fraction(1, 2)
    cases = [Case("a", "0", ("1",), half), Case("b", "1", ("0",), half)]
    assert usable_lengths(law_of(cases), "1/2").usable == ()
