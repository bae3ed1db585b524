"""Row cones by structure against dense inverses; the errata of Theorem 5.5 and of Appendix 6."""

import random
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

from twoworlds import InvalidInput, mechanism
from twoworlds.cones.cone import Cone
from twoworlds.cones.per_record import (
    PerRecordCone,
    Simplicial,
    kronecker,
)
from twoworlds.cones.row_cone import row_cone
from twoworlds.errors import TooLarge, Unsupported


def response(bits, keep):
    return PerRecordCone.of(f"randomized-response(bits={bits}, keep={keep})")


def words(bits):
    return list(product((1, 0), repeat=bits))


def distance(x, y):
    return sum(a != b for a, b in zip(x, y, strict=True))


def inverse(matrix):
    """Gauss and Jordan, in fractions."""
    n = len(matrix)
    rows = [
        [*map(Fraction, row), *(Fraction(i == j) for j in range(n))] for i, row in enumerate(matrix)
    ]
    for i in range(n):
        pivot = next(j for j in range(i, n) if rows[j][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for j in range(n):
            if j != i:
                rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [row[n:] for row in rows]


def dense(bits, keep):
    return [
        [keep ** (bits - distance(o, x)) * (1 - keep) ** distance(o, x) for x in words(bits)]
        for o in words(bits)
    ]


def some_rows(bits, keep, rng):
    """Rows inside, on the boundary and a little outside of the cone, and any others."""
    matrix = dense(bits, keep)
    for kind in range(12):
        weights = [Fraction(rng.randint(0, 3)) for _ in matrix]
        row = [sum(w * r[j] for w, r in zip(weights, matrix, strict=True)) for j in range(2**bits)]
        if kind % 3 == 1:
            row[rng.randrange(2**bits)] += Fraction(1, rng.choice([3, 1000]))
        if kind % 3 == 2:
            row = [Fraction(rng.randint(0, 9), rng.randint(1, 5)) for _ in row]
        yield row


# --- the paper and its errata -------------------------------------------------------------------


def printed_inequalities(bits, p):
    """Theorem 5.5 as printed: one list of coefficients for each bit string s."""
    return [
        [p ** distance(s, x) * (p - 1) ** (bits - distance(s, x)) for x in words(bits)]
        for s in words(bits)
    ]


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_theorem_5_5_as_printed_is_right_for_keep_above_one_half(bits):
    printed = Cone.from_inequalities(printed_inequalities(bits, Fraction(3, 4)))
    assert printed == response(bits, "3/4").explicit().cone


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_the_facet_of_an_output_is_that_of_its_complement_in_the_notation_of_theorem_5_5(bits):
    """Erratum E2: in Step 3 of Appendix 6, s is the complement of the database."""
    p = Fraction(3, 4)
    cone = response(bits, p)
    for output in words(bits):
        s = [1 - bit for bit in output]
        printed = [p ** distance(s, x) * (p - 1) ** (bits - distance(s, x)) for x in words(bits)]
        ours = cone.inequality(output).explicit().coefficients
        assert [c / printed[0] for c in printed] == [Fraction(c, ours[0]) for c in ours]


def test_the_printed_entry_of_the_matrix_is_that_of_the_opposite_probability():
    """Erratum E2: p^ham (1-p)^(k-ham) is wrong, p^(k-ham) (1-p)^ham right; and the inverse."""
    bits, p = 2, Fraction(3, 4)
    table = mechanism("randomized-response(bits=2, keep=3/4)").table()
    printed = [
        [p ** distance(o, x) * (1 - p) ** (bits - distance(o, x)) for x in words(bits)]
        for o in words(bits)
    ]
    assert [list(row) for row in table.rows] == dense(bits, p) != printed
    assert dense(bits, p)[0] == [Fraction(c, 16) for c in (9, 3, 3, 1)]
    corrected = [
        [
            (2 * p - 1) ** -bits * p ** (bits - distance(o, x)) * (p - 1) ** distance(o, x)
            for x in words(bits)
        ]
        for o in words(bits)
    ]
    assert corrected == inverse(dense(bits, p))
    assert corrected[0] == [Fraction(c, 4) for c in (9, -3, -3, 1)]


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_theorem_5_5_taken_literally_below_one_half_is_the_opposite_cone_for_odd_bits(bits):
    """Erratum E3."""
    p = Fraction(1, 4)
    literal = Cone.from_inequalities(printed_inequalities(bits, p))
    right = response(bits, p).explicit().cone
    assert right == response(bits, 1 - p).explicit().cone
    own_row = dense(bits, p)[0]
    assert right.contains(own_row)
    assert bool(literal.contains(own_row)) == (bits % 2 == 0)
    opposite = Cone.from_inequalities([[-c for c in a] for a in right.facets])
    assert literal == (right if bits % 2 == 0 else opposite)


# --- brute force --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("bits", [1, 2, 3, 4])
@pytest.mark.parametrize("keep", ["3/4", "1/5", "9/10", "51/100", "1", "0"])
def test_membership_agrees_with_the_dense_inverse(bits, keep):
    p = Fraction(keep)
    columns = list(zip(*inverse(dense(bits, p)), strict=True))
    cone = response(bits, keep)
    for row in some_rows(bits, p, random.Random(f"{bits} {keep}")):
        values = [sum(c * x for c, x in zip(column, row, strict=True)) for column in columns]
        found = cone.contains(row)
        assert found.inside == (min(values) >= 0)
        assert found.worst.value(row) == found.value
        assert (found.value < 0) == (not found)


@pytest.mark.parametrize(
    ("text", "facets", "equalities"),
    [
        ("pram([[3/5, 1/7, 1/7], [1/5, 3/7, 2/7], [1/5, 3/7, 4/7]], records=2)", 9, 0),
        ("pram([[1/2, 1/3, 1/6], [1/2, 2/3, 5/6]], records=2)", 4, 5),
        ("pram([[1/2, 1/4], [1/4, 1/8], [1/4, 5/8]], records=2)", 4, 0),
        ("pram([[1/2, 1/4], [1/4, 1/4], [1/4, 1/2]], records=2)", 4, 0),
        ("randomized-response(values=3, records=2, keep=1/3)", 1, 8),
        ("identity(values=3, records=2)", 9, 0),
    ],
)
def test_any_transition_with_independent_extreme_rows_has_product_facets(text, facets, equalities):
    built = mechanism(text)
    cone = PerRecordCone.of(built)
    listed = cone.explicit()
    assert listed == row_cone(built.table())
    assert (len(listed.cone.facets), len(listed.cone.equalities)) == (facets, equalities)
    assert cone.count == facets
    rng = random.Random(text)
    rows = [list(row) for row in built.table().rows]
    rows += [[Fraction(rng.randint(0, 4)) for _ in rows[0]] for _ in range(10)]
    rows += [[1] * len(rows[0]), [0] * len(rows[0])]
    for row in rows:
        found = cone.contains(row)
        assert bool(found) == bool(listed.contains(row))
    for output in product(cone.one.outputs, repeat=2):
        guarantee = cone.inequality(output)
        values = [guarantee.value(row) for row in listed.generators()]
        assert sorted(value > 0 for value in values) == [False] * (len(values) - 1) + [True]
        assert guarantee.value(list(built.row(output).values())) > 0


@pytest.mark.parametrize(
    "text",
    [
        "randomized-response(bits=5, keep=3/4)",
        "pram([[1/2, 1/4, 1/4], [1/4, 1/2, 1/4], [1/4, 1/4, 1/2]], records=3, values=3)",
    ],
)
def test_the_transform_is_the_kronecker_power(text):
    cone = PerRecordCone.of(text)
    matrix = np.array(cone.one.functionals)
    expected = row = np.random.default_rng(1).integers(-9, 10, len(matrix) ** cone.records)
    for i in range(cone.records):
        expected = np.matmul(matrix, expected.reshape(-1, len(matrix), len(matrix) ** i)).ravel()
    assert cone._transformed(row.tolist()).tolist() == expected.tolist()
    large = [x << 60 for x in row.tolist()]
    assert cone._transformed(large).tolist() == [x << 60 for x in expected.tolist()]


@pytest.mark.parametrize("keep", ["9/10", "999/1000"])
def test_integers_beyond_64_bits_are_still_exact(keep):
    cone = response(12, keep)
    inside = np.array([prod(9 if bit else 1 for bit in word) for word in words(12)])
    outside = np.random.default_rng(5).integers(0, 2**40, 4096)
    for row, expected in ((inside, True), (np.ones(4096, np.int64), True), (outside, False)):
        found = cone.contains(row)
        assert found.inside == expected
        assert found.value == found.worst.value([int(x) for x in row])


# --- large --------------------------------------------------------------------------------------


def test_forty_bits_are_never_listed():
    cone = response(40, "3/4")
    assert cone.count == 2**40
    guarantee = cone.inequality("1" * 40)
    assert guarantee.coefficient("0" * 40) == 1
    assert guarantee.coefficient("1" * 40) == 3**40
    assert guarantee.coefficient("1" * 39 + "0") == -(3**39)
    assert guarantee.text() == "(3 x1 - x0)^⊗40 >= 0"
    with pytest.raises(TooLarge, match="ask for single inequalities"):
        cone.contains(np.ones(2))
    with pytest.raises(TooLarge, match="1099511627776 databases"):
        cone.explicit()
    with pytest.raises(TooLarge, match="databases"):
        guarantee.explicit()


def test_floats_are_the_decimal_numbers_that_they_print_as():
    cone = response(3, "3/4")
    row = np.array(kronecker([(3, 1)] * 3), dtype=np.float64) / 10
    assert cone.contains(row).value == 0
    assert not cone.contains([*row[:-1], 0.0])
    fair = response(2, "1/2")
    assert fair.contains(np.ones(4) / 10)
    assert not fair.contains(np.array([1.0, 1, 1, 2]))


# --- words and refusals -------------------------------------------------------------------------


def test_what_has_no_product_structure_is_sent_elsewhere():
    with pytest.raises(Unsupported, match="use row_cone"):
        PerRecordCone.of("noisy-parity(bits=2, keep=3/4)")
    rows = "[[3/10, 1/10, 1/10], [1/10, 3/10, 1/10], [3/10, 3/10, 4/10], [3/10, 3/10, 4/10]]"
    assert Simplicial.of(mechanism(f"pram({rows})").transition) is not None
    square = "[[1/2, 1/2, 1/4], [1/4, 1/4, 1/8], [1/8, 1/8, 1/2], [1/8, 1/8, 1/8]]"
    assert Simplicial.of(mechanism(f"pram({square})").transition) is not None
    hexagon = "[[1/2, 1/6, 1/6], [1/6, 1/2, 1/6], [1/6, 1/6, 1/2], [1/6, 1/6, 1/6]]"
    four = mechanism(f"pram({hexagon}, records=2)")
    assert Simplicial.of(four.transition) is not None
    outside = "[[1/2, 1/6, 1/6], [1/6, 1/2, 1/6], [1/4, 1/4, 1/12], [1/12, 1/12, 7/12]]"
    with pytest.raises(Unsupported, match=r"linearly dependent.*few records"):
        PerRecordCone.of(f"pram({outside}, records=30)")


@pytest.mark.parametrize(
    ("row", "error", "words"),
    [
        (np.ones(5), InvalidInput, "5 entries"),
        (np.ones(5, dtype=np.int64), InvalidInput, "5 entries"),
        (np.array([np.nan] * 8), InvalidInput, "row"),
        (np.array([np.inf] * 8), InvalidInput, "row"),
        ([1, 2], InvalidInput, "2 entries"),
    ],
)
def test_rows_that_cannot_be_read_are_refused(row, error, words):
    with pytest.raises(error, match=words):
        response(3, "3/4").contains(row)


def test_long_rows_and_irrational_chances_are_refused():
    with pytest.raises(TooLarge, match="ask for single inequalities"):
        response(19, "3/4").contains([1] * 2**19)
    small = response(6, "999999999999/1000000000000")
    assert small.contains(np.ones(64, dtype=np.uint8))
    with pytest.raises(InvalidInput, match="irrational"):
        PerRecordCone.of("randomized-response(bits=3, epsilon=1)")
