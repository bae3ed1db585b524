"""Global and local sensitivity against the definition, and the examples of the papers."""

from fractions import Fraction
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput, TooLarge, UnknownName
from twoworlds.numbers import Order, compare, sqrt
from twoworlds.testing import enumeration as brute
from twoworlds.worlds import BitStrings, Explicit, Integers, Records, TrueAnswer
from twoworlds.worlds.sensitivity import global_sensitivity, local_sensitivity
from twoworlds.worlds.statistics import (
    constant,
    count,
    histogram,
    mean,
    parity,
    proportion,
    total,
)

PEOPLE = Records("abcde", 50, smallest=49)
REFERENCE = [
    (proportion(1, 50), BitStrings(50), "substitute", "1/50", "Wu, Section 4: proportion"),
    (histogram("abcde"), Records("abcde", 50), "substitute", "2", "Wu, Section 4: histogram"),
    (histogram("a"), Records("a", 50), "substitute", "0", "Wu, Section 4: d = 1"),
    (histogram(bins=["abcde"]), Records("abcde", 50), "substitute", "0", "one bin for all"),
    (mean(40), Records((0, 10), 40), "substitute", "1/4", "Wu, Exercise 4.2: R/n"),
    (mean(40), Records(11, 40), "substitute", "1/4", "Wu, Exercise 4.2, all whole numbers"),
    (total(), Records((0, 10), 50), "substitute", "10", "a sum over [0, R]"),
    (constant(7), BitStrings(50), "substitute", "0", "a constant"),
    (parity(), BitStrings(50), "substitute", "1", "a parity"),
    (count("a"), PEOPLE, "substitute", "1", "Dwork, Section 5.1: counting query"),
    (count("a"), PEOPLE, "add-remove", "1", "Dwork, Section 5.1: counting query"),
    (histogram("abcde"), PEOPLE, "add-remove", "1", "Dwork, Section 5.1: histogram"),
    (histogram("abcde"), PEOPLE, "substitute", "2", "Wu, Section 4: histogram"),
    (histogram("a"), Records("a", 50, smallest=0), "add-remove", "1", "one cell, one record more"),
    (total(), Records((-3, 10), 5, smallest=4), "add-remove", "10", "largest absolute value"),
    (total(), Records((-3, 10), 5), "substitute", "13", "largest difference of values"),
    (TrueAnswer(), Integers(0, None, step=3), "substitute", "3", "Dwork, Definition 3"),
]


@pytest.mark.parametrize(("statistic", "universe", "relation", "expected", "citation"), REFERENCE)
def test_reference_sensitivity(statistic, universe, relation, expected, citation):
    found = global_sensitivity(statistic, universe, neighbours=relation)
    assert found.value == Fraction(expected), citation
    assert found.relation == relation
    if found.pair is not None:
        assert found.values == tuple(statistic(x) for x in found.pair)


def brute_force(function, compared, norm):
    """Return the largest (squared, for L2) move over these pairs, straight from the definition."""
    gaps = [
        [abs(a - b) for a, b in zip(function[x], function[y], strict=True)] for x, y in compared
    ]
    return max(sum(g if norm == "L1" else g * g for g in one) for one in gaps)


UNIVERSE = Records(2, 3, smallest=1)
ENTRIES = st.integers(-12, 12).map(lambda quarters: Fraction(quarters, 4))
VECTORS = st.lists(st.tuples(ENTRIES, ENTRIES), min_size=UNIVERSE.size, max_size=UNIVERSE.size).map(
    lambda rows: dict(zip(UNIVERSE, rows, strict=True))
)


@pytest.mark.parametrize("norm", ["L1", "L2"])
@pytest.mark.parametrize("relation", ["substitute", "add-remove"])
@given(function=VECTORS)
def test_global_sensitivity_is_the_largest_move_over_all_pairs(function, norm, relation):
    found = global_sensitivity(function.get, UNIVERSE, norm=norm, neighbours=relation)
    compared = brute.pairs(UNIVERSE, relation)
    largest = brute_force(function, compared, norm)
    expected = largest if norm == "L1" else sqrt(largest)
    assert found.value == expected or float(found.value) == pytest.approx(float(expected))
    assert found.pair in compared
    assert found.values == tuple(function[x] for x in found.pair)


@given(function=VECTORS)
def test_global_sensitivity_is_the_largest_local_one(function):
    local = [local_sensitivity(function.get, UNIVERSE, x) for x in UNIVERSE]
    assert max(s.value for s in local) == global_sensitivity(function.get, UNIVERSE).value
    assert all(s.at == x == s.pair[0] for s, x in zip(local, UNIVERSE, strict=True))


@pytest.mark.parametrize("relation", ["substitute", "add-remove"])
@pytest.mark.parametrize("group", [1, 2])
def test_structure_and_enumeration_agree(relation, group):
    universe = Records(3, 3, smallest=0)
    for f in (count(1), total(), histogram(range(3)), parity(), mean(2)):
        by_structure = global_sensitivity(f, universe, neighbours=relation, group=group)
        by_pairs = global_sensitivity(f.__call__, universe, neighbours=relation, group=group)
        assert by_structure.value == by_pairs.value


def test_local_sensitivity_of_the_median():
    # Kasiviswanathan & Smith, Definition 4.3: a median that nobody can move, and one anybody can.
    assert local_sensitivity(median, BitStrings(5), "11111").value == 0
    found = local_sensitivity(median, BitStrings(5), "11100")
    assert found.value == 1
    assert found.pair[0] == (1, 1, 1, 0, 0)
    assert global_sensitivity(median, BitStrings(5)).value == 1


def test_erratum_a_histogram_moves_by_two_when_a_record_is_replaced():
    # Dwork, Section 5.1 prints ||f(D1) - f(D2)||_1 = 1 "for any two databases differing in only
    # one element". That is so for a record more or less; a replaced one moves two cells.
    by_relation = {
        relation: global_sensitivity(histogram("abcde"), PEOPLE, neighbours=relation)
        for relation in ("add-remove", "substitute")
    }
    assert [s.value for s in by_relation.values()] == [1, 2]
    assert "add-remove (one database has one person's record more" in (
        by_relation["add-remove"].explain()
    )
    assert "substitute (the databases differ in one person's record)" in (
        by_relation["substitute"].explain()
    )


def test_erratum_a_vector_has_one_sensitivity_neither_largest_nor_sum_of_the_parts():
    # Dwork, before Theorem 5: the sensitivity of several queries is that of the whole vector.
    bits = Records((1, 0), 3, smallest=2)

    def whole_and_parts(*parts):
        whole = global_sensitivity(
            lambda x: tuple(f(x) for f in parts), bits, neighbours="add-remove"
        )
        single = [global_sensitivity(f, bits, neighbours="add-remove").value for f in parts]
        return whole.value, max(single), sum(single)

    assert whole_and_parts(count(1), count(1)) == (2, 1, 2)  # the largest would under-count
    assert whole_and_parts(count(1), count(0)) == (1, 1, 2)  # the sum would over-count


def test_listed_pairs_are_a_relation():
    found = global_sensitivity(total(), BitStrings(2), neighbours="11~00, 10~01")
    assert (found.value, found.relation) == (2, "explicit")
    assert set(found.pair) == {(1, 1), (0, 0)}
    assert (
        "explicit (the pair is one of those listed): the statistic is 2 on 11 and 0 on 00"
        in found.explain()
    )
    labelled = global_sensitivity(total(), Explicit(("11", "10", "00")))
    assert labelled.value == 1


def test_nobody_to_compare_with_gives_zero_and_no_pair():
    found = global_sensitivity(total(), Records([7], 5))
    assert (found.value, found.pair, found.values) == (0, None, None)
    assert found.explain().endswith("there are no neighbours.")
    assert found.to_dict()["pair"] is None
    alone = local_sensitivity(total(), Records([7], 5), (7,) * 5)
    assert (alone.value, alone.pair) == (0, None)


def test_an_irrational_length_is_exact():
    found = global_sensitivity(lambda x: (x[0], 2 * x[0]), BitStrings(1), norm="L2").value
    assert compare(found * found, Fraction(5)) in (Order.UNDECIDED, Order.EQUAL)
    assert found.formula == "sqrt(5)"


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: global_sensitivity(count(), BitStrings(2), norm="L3"),
         UnknownName, r"unknown norm 'L3'"),
        (lambda: local_sensitivity(count(), BitStrings(2), "10", norm="max"),
         UnknownName, r"unknown norm 'max'.*L1, L2"),
        (lambda: global_sensitivity(count(), BitStrings(2), neighbours="substitutes"),
         UnknownName, r"did you mean 'substitute'"),
        (lambda: global_sensitivity(count(), BitStrings(2), neighbours="add-remove"),
         InvalidInput, r"add-remove needs databases of several sizes.*use substitute"),
        (lambda: global_sensitivity(constant(), BitStrings(2), neighbours="add-remove"),
         InvalidInput, r"add-remove needs databases of several sizes"),
        (lambda: local_sensitivity(count(), BitStrings(2), "10", neighbours="add-remove"),
         InvalidInput, r"add-remove needs databases of several sizes"),
        (lambda: local_sensitivity(count(), BitStrings(2), "102"),
         InvalidInput, r"'102' is not in bits\(2\)"),
        (lambda: global_sensitivity(total(), Records("ab", 2)),
         InvalidInput, r"sum of 'a'='a' is not a number"),
        (lambda: global_sensitivity(lambda x: x, Records("ab", 2)),
         InvalidInput, r"returned \('a', 'a'\).*must return a rational number"),
        (lambda: global_sensitivity(lambda _: "yes", BitStrings(2)),
         InvalidInput, r"returned 'yes' on \(1, 1\): the function must return a rational number"),
        (lambda: global_sensitivity(lambda x: x[: 1 + x[0]], BitStrings(2)),
         InvalidInput, r"answers of different lengths"),
        (lambda: global_sensitivity(3, BitStrings(2)),
         InvalidInput, r"statistic=3 is not a statistic: give one"),
        (lambda: global_sensitivity(count(), BitStrings(2), group=0),
         InvalidInput, r"group=0 must be a whole number, at least 1"),
        (lambda: global_sensitivity(sum, BitStrings(40)),
         TooLarge, r"too large to list its neighbours.*'geometric\(ratio=2, bits=1000\)'"),
        (lambda: global_sensitivity(count("yes"), Explicit(("yes|no", "no|no"))),
         InvalidInput, r"count of yes adds over records.*not lists of records"),
        (lambda: global_sensitivity(total(), Explicit(("1", "12"))),
         InvalidInput, r"not lists of records"),
        (lambda: global_sensitivity(total(), Integers(0, 3)),
         InvalidInput, r"integers\(0, 3\) are not lists of records"),
    ],
)  # fmt: skip
def test_rejects(ask, error, message):
    with pytest.raises(error, match=message):
        ask()
