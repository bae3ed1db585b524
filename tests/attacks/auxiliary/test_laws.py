"""Laws of databases, what is seen of them, and how much unpredictability is enough."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from twoworlds.attacks.auxiliary import (
    Case,
    count_law,
    flaw_law,
    independent_law,
    law_of,
    least_distance,
    min_entropy,
    named_law,
    read_law,
    source,
    table,
    usable_lengths,
    vanishing_length,
)
from twoworlds.attacks.auxiliary.game import xor_sum
from twoworlds.errors import InvalidInput, NotStochastic, TooLarge, UnknownName

ROWS = """database,utility,breaches,probability,size
a,00,1 01,1/2,3
b,01,,0.25,3
c,01,1;10,25%,4
"""


def as_table(law):
    found = {}
    for breaches, weights in law.weights.items():
        for w, weight in enumerate(weights):
            if weight:
                found[breaches, w] = Fraction(int(weight), law.total)
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


@pytest.mark.parametrize(
    ("text", "bits", "expected"),
    [
        ("weight(1)", 2, ["1/3", "1/3", "1/3", "0"]),
        ("independent(1/2, 1/3)", 2, ["1/3", "1/6", "1/3", "1/6"]),
        ("binomial(2, 1/3)", 2, ["4/9", "4/9", "1/9", "0"]),
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


def test_files_are_read_with_leading_zeros(tmp_path):
    path = tmp_path / "law.csv"
    path.write_text(ROWS, encoding="utf-8")
    assert as_table(read_law(path)) == {
        (("1", "01"), 0): Fraction(1, 2),
        ((), 1): Fraction(1, 4),
        (("1", "10"), 1): Fraction(1, 4),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("utility,breaches\n0,1\n", "'probability' is missing"),
        ("utility,breaches,probability,mood\n0,1,1,x\n", "unknown column 'mood'"),
        ("utility,breaches,probability\n0,1\n", "row 1 has another number"),
        ("utility,breaches,probability\n2,1,1\n", "row 1: utility='2'"),
        ("utility,breaches,probability\n0,x,1\n", "row 1: breach='x'"),
        ("utility,breaches,probability\n0,1,2\n", "between 0 and 1"),
        ("utility,breaches,probability\n0,1,1/2\n", "sum to 1/2"),
        ("utility,breaches,probability\n0,1,1/2\n00,1,1/2\n", "must have 1"),
        ("utility,breaches,probability\n", "at least one database"),
    ],
)
def test_files_that_are_no_laws_are_refused(tmp_path, text, said):
    path = tmp_path / "law.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput) as caught:
        read_law(path)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: law_of([]), InvalidInput, "at least one"),
        (lambda: source("nonsense", 2), UnknownName, "unknown source"),
        (lambda: source("uniform", 40), TooLarge, "2\\^40"),
        (lambda: source("iid(2)", 2), InvalidInput, "between 0 and 1"),
        (lambda: source("binomial(9)", 2), InvalidInput, "needs 4 bits"),
        (lambda: source("independent(1/2)", 2), InvalidInput, "for 2 bits"),
        (lambda: independent_law(source("uniform", 1), 11), TooLarge, "up to 10"),
        (lambda: count_law(2, 3), InvalidInput, "only 2 people"),
        (lambda: count_law(10**6), TooLarge, "10000"),
        (lambda: flaw_law(7), TooLarge, "up to 6"),
        (lambda: independent_law([Fraction(1)] * 3, 1), InvalidInput, "not 3"),
        (lambda: independent_law([Fraction(1)] * 2, 1), NotStochastic, "sum to 2"),
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
    assert (found.data["size"], found.data["beyond"]) == (1, Fraction(1, 20))
    assert (found.data["usable"], found.data["usable_short"]) == ((1,), ())
    assert found.data["printed_step_fails"]
    assert "does not exist" in found.explain()


def test_a_length_that_some_database_lacks_is_not_usable():
    half = Fraction(1, 2)
    cases = [Case("a", "0", ("1", "00"), half), Case("b", "1", ("1",), half)]
    assert usable_lengths(law_of(cases), "1/2").data["usable"] == (1,)


def test_a_length_is_not_usable_if_a_breach_determines_the_utility_vector():
    half = Fraction(1, 2)
    cases = [Case("a", "0", ("1",), half), Case("b", "1", ("0",), half)]
    assert usable_lengths(law_of(cases), "1/2").data["usable"] == ()


def test_erratum_min_entropy_one_of_two_bits_leaves_a_sixth_for_every_extractor():
    assert least_distance(2, 1, 1)[0] == Fraction(1, 6)
    # The proof: each of the 16 functions is at least 1/6 off on average over the 6 sources.
    pairs = list(combinations(range(4), 2))
    means = [
        Fraction(sum(f[a] == f[b] for a, b in pairs), 2 * len(pairs))
        for f in product((0, 1), repeat=4)
    ]
    assert min(means) == Fraction(1, 6)


@pytest.mark.few(3)
@pytest.mark.parametrize(("ell", "entropy"), [(1, 1), (1, 2), (1, 3), (2, 2), (2, 1), (1, 0)])
def test_the_least_distance_is_that_of_the_best_function_on_average(ell, entropy):
    bits = 3 if ell == 1 else 2
    outputs, count, chosen = 1 << ell, 1 << bits, 1 << entropy
    subsets = list(combinations(range(count), chosen))

    def off(f, s):
        counts = [sum(f[w] == i for w in s) for i in range(outputs)]
        return sum(abs(Fraction(c, chosen) - Fraction(1, outputs)) for c in counts) / 2

    best = min(
        sum(off(f, s) for s in subsets) / len(subsets)
        for f in product(range(outputs), repeat=count)
    )
    assert least_distance(bits, ell, entropy)[0] == best


def test_more_min_entropy_helps_and_all_of_it_is_enough():
    distances = [least_distance(5, 2, m)[0] for m in range(6)]
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] == 0
    assert distances[0] == Fraction(3, 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("binomial(8)", 1.87071698305503), ("uniform", 4.0), ("even-weight", 3.0)],
)
def test_reference_dw_19_min_entropies(text, expected):
    law = source(text)
    assert len(law) == 16
    assert abs(float(min_entropy(max(law))) - expected) < 1e-12


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: least_distance(8, 1, 1), TooLarge, "up to 7"),
        (lambda: least_distance(2, 1, 3), InvalidInput, "at most 2"),
        (lambda: least_distance(2, 3, 1), InvalidInput, "at most 2"),
        (lambda: min_entropy(Fraction(0)), InvalidInput, "largest probability"),
    ],
)
def test_extractors_that_cannot_be_are_refused(make, error, said):
    with pytest.raises(error, match=said):
        make()


def test_sums_beyond_machine_words_are_exact():
    big = np.array([3**50, 5**30, 7**20, 1], dtype=object)
    found = xor_sum(big, big)
    assert found.tolist() == [sum(big[a] * big[a ^ d] for a in range(4)) for d in range(4)]
