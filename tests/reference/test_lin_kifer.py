"""Reference cases of Lin & Kifer: mechanisms as matrices, amplification and integer noise."""

from fractions import Fraction
from itertools import product

import pytest

import twoworlds as tw
from twoworlds.mechanisms.named import gamma, pram


def fractions(rows):
    return tuple(tuple(Fraction(entry) for entry in row) for row in rows)


RR_MATRICES = [
    (
        "LK-01",
        "randomized-response(bits=2, keep=3/4)",
        [
            ["9/16", "3/16", "3/16", "1/16"],
            ["3/16", "9/16", "1/16", "3/16"],
            ["3/16", "1/16", "9/16", "3/16"],
            ["1/16", "3/16", "3/16", "9/16"],
        ],
    ),
    (
        "LK-02, lying more often than not",
        "randomized-response(bits=2, keep=1/4)",
        [
            ["1/16", "3/16", "3/16", "9/16"],
            ["3/16", "1/16", "9/16", "3/16"],
            ["3/16", "9/16", "1/16", "3/16"],
            ["9/16", "3/16", "3/16", "1/16"],
        ],
    ),
    (
        "LK-02, one fair coin",
        "randomized-response(bits=1, keep=1/2)",
        [["1/2", "1/2"], ["1/2", "1/2"]],
    ),
    (
        "LK-02, first row of three bits",
        "randomized-response(bits=3, keep=3/4)",
        [["27/64", "9/64", "9/64", "3/64", "9/64", "3/64", "3/64", "1/64"]],
    ),
]


@pytest.mark.parametrize(("case", "text", "expected"), RR_MATRICES)
def test_reference_randomized_response_matrix(case, text, expected):
    # Definitions 2.1 and 5.3; databases and outputs run 11, 10, 01, 00.
    table = tw.mechanism(text).table()
    labels = [table.universe.label(x) for x in table.universe]
    assert labels == sorted(labels, reverse=True)
    assert table.rows[: len(expected)] == fractions(expected), case


INVERSES = [
    (
        "LK-03",
        "randomized-response(bits=2, keep=3/4)",
        [
            ["9/4", "-3/4", "-3/4", "1/4"],
            ["-3/4", "9/4", "1/4", "-3/4"],
            ["-3/4", "1/4", "9/4", "-3/4"],
            ["1/4", "-3/4", "-3/4", "9/4"],
        ],
    ),
    ("LK-03, one bit", "randomized-response(bits=1, keep=2/3)", [["2", "-1"], ["-1", "2"]]),
]


@pytest.mark.parametrize(("case", "text", "inverse"), INVERSES)
def test_reference_inverse_of_randomized_response(case, text, inverse):
    # Appendix 6, with the entry corrected to (2p-1)^-k p^(k-ham) (p-1)^ham.
    table, other = tw.mechanism(text).table(), fractions(inverse)
    size = len(other)
    for i, j in product(range(size), repeat=2):
        entry = sum(table.rows[i][k] * other[k][j] for k in range(size))
        assert entry == (i == j), case


@pytest.mark.parametrize("keep", ["1/4", "2/3", "9/10", "0"])
@pytest.mark.parametrize("bits", [1, 2, 3])
def test_erratum_entries_of_appendix_6(bits, keep):
    # Printed p^ham (1-p)^(k-ham); correct p^(k-ham) (1-p)^ham.
    p = Fraction(keep)
    survey = tw.mechanism(f"randomized-response(bits={bits}, keep={keep})")
    for x, y in product(survey.universe, repeat=2):
        ham = sum(a != b for a, b in zip(x, y, strict=True))
        assert survey.probability(y, x) == p ** (bits - ham) * (1 - p) ** ham


GAMMAS = [
    (
        "LK-32",
        [["3/5", "1/7", "1/7"], ["1/5", "3/7", "3/7"], ["1/5", "3/7", "3/7"]],
        "21/5",
        "3",
    ),
    ("LK-33, constant columns", [["8/10"] * 3, ["1/10"] * 3, ["1/10"] * 3], "1", "8"),
    ("two values", [["3/4", "1/4"], ["1/4", "3/4"]], "3", "3"),
]


@pytest.mark.parametrize(("case", "matrix", "expected", "printed"), GAMMAS)
def test_erratum_amplification_is_the_ratio_within_a_row(case, matrix, expected, printed):
    # Section 3.2.2 prints the ratio of two outputs of one value; Definition 5.10 is right.
    assert gamma(pram(matrix)) == Fraction(expected), case
    columns = list(zip(*fractions(matrix), strict=True))
    assert max(a / b for column in columns for a in column for b in column) == Fraction(printed)
    assert tw.measure(pram(matrix, records=3)).ratio == Fraction(expected)


THREE = [["3/5", "1/5", "1/5"], ["1/5", "3/5", "1/5"], ["1/5", "1/5", "3/5"]]


@pytest.mark.parametrize(
    ("case", "database", "output", "expected"),
    [
        ("LK-34", "a1,a3", "a1,a2", "3/25"),
        ("LK-34, unchanged", "a2,a2", "a2,a2", "9/25"),
        ("LK-34, both changed", "a1,a1", "a2,a3", "1/25"),
    ],
)
def test_reference_entry_of_a_frapp_matrix(case, database, output, expected):
    # Section 5.2: the Kronecker power of Q.
    frapp = pram(THREE, records=2, values=["a1", "a2", "a3"])
    assert frapp.distribution(database)[output] == Fraction(expected), case
    assert gamma(frapp) == 3


@pytest.mark.parametrize(
    ("case", "text", "expected"),
    [
        ("LK-38", "geometric(p=1/2)", ["1/12", "1/6", "1/3", "1/6", "1/12"]),
        ("LK-38", "geometric(ratio=2)", ["1/12", "1/6", "1/3", "1/6", "1/12"]),
        ("LK-38, p = 1/3", "geometric(p=1/3)", ["1/18", "1/6", "1/2", "1/6", "1/18"]),
        (
            "r = 1",
            "differenced-negative-binomial(p=1/2, r=1)",
            ["1/12", "1/6", "1/3", "1/6", "1/12"],
        ),
        (
            "r = 2",
            "differenced-negative-binomial(p=1/2, r=2)",
            ["11/108", "4/27", "5/27", "4/27", "11/108"],
        ),
    ],
)
def test_reference_integer_noise(case, text, expected):
    # Lemma 5.14 and Section 5.3.1; p is the continuation probability. k = -2, -1, 0, 1, 2.
    noise = tw.mechanism(text)
    found = [noise.probability(k, 0) for k in range(-2, 3)]
    assert found == list(map(Fraction, expected)), case


@pytest.mark.parametrize("r", [1, 2, 3, 7])
@pytest.mark.parametrize("p", ["1/2", "1/3", "4/5"])
def test_epsilon_of_differenced_negative_binomial_noise_is_minus_ln_p(p, r):
    # Section 5.3.1: epsilon = -ln p; a single output attains it for r = 1 only.
    verdict = tw.measure(f"differenced-negative-binomial(p={p}, r={r})")
    assert verdict.ratio == 1 / Fraction(p)
    assert verdict.witness.attained is (r == 1)
