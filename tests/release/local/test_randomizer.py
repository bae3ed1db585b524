"""Randomizers: the channel, its exact ratio, what it refuses."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.release.noise.scripted import SeededBits
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.named import gamma, pram, randomized_response
from twoworlds.numbers import INFINITY, exact_text
from twoworlds.release.local import Randomizer
from twoworlds.release.noise import SystemBits

F = Fraction


@pytest.mark.parametrize(
    ("text", "values", "ratio", "epsilon"),
    [
        ("randomized-response(keep=3/4)", "yes, no", "3", "ln 3"),  # Wu, Proposition 3.1
        ("randomized-response(3/4)", "yes, no", "3", "ln 3"),
        ("randomized-response(keep=1/4)", "yes, no", "3", "ln 3"),
        ("randomized-response(keep=3/4)", "a, b, c", "6", "ln 6"),
        ("randomized-response(ratio=3)", "a, b, c", "3", "ln 3"),
        ("randomized-response(epsilon=1)", "a, b, c", "e", "1"),
        ("randomized-response(epsilon='ln 3')", "a, b", "3", "ln 3"),
        ("randomized-response(keep=1/2)", "a, b", "1", "0"),
        ("randomized-response(keep=3/4, values=[a, b])", None, "3", "ln 3"),
        ("randomized-response(keep=1)", "a, b", "inf", "inf"),
        ("frapp(gamma=3)", "a, b, c", "3", "ln 3"),
        ("frapp(3)", "a", "1", "0"),
        ("pram([[3/5, 1/7, 1/7], [1/5, 3/7, 3/7], [1/5, 3/7, 3/7]])", "a,b,c", "21/5", "ln(21/5)"),
        ("pram([[8/10, 8/10], [2/10, 2/10]])", "a, b", "1", "0"),
        ("pram([[1, 1/2], [0, 1/2]])", "a, b", "inf", "inf"),
        ("pram([[1/2, 1/2], [1/2, 1/2], [0, 0]], outputs=[x, y, z])", "a, b", "1", "0"),
        ("pram([[e^(-1), 1/7], [1 - e^(-1), 6/7]])", "a, b", "7*e^(-1)", "ln(7*e^(-1))"),
    ],
)
def test_the_ratio_is_exact(text, values, ratio, epsilon):
    found = Randomizer.of(text, values=values)
    for number, expected in ((found.ratio, ratio), (found.epsilon, epsilon)):
        assert number == INFINITY if expected == "inf" else exact_text(number) == expected


@given(st.lists(st.lists(st.integers(1, 9), min_size=3, max_size=3), min_size=2, max_size=4))
def test_the_ratio_of_any_pram_is_that_of_the_mechanism(columns):
    laws = [[F(x, sum(column)) for x in column] for column in columns]
    rows = [list(row) for row in zip(*laws, strict=True)]
    names = [f"v{i}" for i in range(len(columns))]
    text = ", ".join("[" + ", ".join(map(str, row)) + "]" for row in rows)
    made = Randomizer.of(f"pram([{text}])", values=names, outputs=["x", "y", "z"])
    assert made.ratio == gamma(pram([[str(p) for p in row] for row in rows]))


def test_the_matrix_is_that_of_the_named_mechanism():
    made = Randomizer.of("randomized-response(keep=3/5)", values=["a", "b", "c", "d"])
    named = randomized_response(values="4", records=1, keep="3/5")
    assert made.rows == named.transition.rows
    assert Randomizer.of("randomized-response(epsilon='ln 3')", values=["a", "b"]).rows[0][
        0
    ] == Fraction(3, 4)


@pytest.mark.parametrize("names", [["01", "1"], ["yes", "", " no"], ["a,b", 'c"d', "e'f", "g\nh"]])
def test_names_are_texts_and_nothing_else(names):
    assert Randomizer.of("frapp(gamma=2)", values=names).values == tuple(names)


def test_a_matrix_file_names_its_values_and_reports(tmp_path):
    file = tmp_path / "matrix.csv"
    file.write_text("output,young,old\nu,3/5,1/5\nv,2/5,4/5\n", encoding="utf-8")
    made = Randomizer.of(f"pram({file})")
    assert (made.values, made.outputs, made.ratio) == (("young", "old"), ("u", "v"), 3)
    assert made.expression == "pram([[3/5, 1/5], [2/5, 4/5]])"


@pytest.mark.parametrize(
    ("text", "beside", "message"),
    [
        ("geometric(ratio=2)", {"values": "a,b"}, "unknown channel"),
        ("randomized-response(bits=2, keep=3/4)", {"values": "a,b"}, "'bits'"),
        ("randomized-response(keep=3/4)", {}, "declare the values"),
        ("randomized-response(keep=3/4)", {"values": ""}, "no values are declared"),
        ("randomized-response(keep=3/4)", {"values": "a,a"}, "'a' is named twice"),
        ("randomized-response(keep=3/4)", {"values": [1, 2]}, "give texts"),
        ("randomized-response(keep=3/4)", {"values": [str(i) for i in range(256)]}, "at most 255"),
        ("randomized-response(keep=5/4)", {"values": "a,b"}, "between 0 and 1"),
        ("randomized-response(keep=3/4, ratio=3)", {"values": "a,b"}, "exactly one"),
        ("randomized-response()", {"values": "a,b"}, "exactly one"),
        ("randomized-response(keep=3/4, values=[a, b])", {"values": "a,b"}, "given twice"),
        ("frapp(gamma=1/2)", {"values": "a,b"}, "gamma=1/2 must be at least 1"),
        ("frapp(gamma=inf)", {"values": "a,b"}, "no protection"),
        ("pram([[1/2, 1/2], [1/2, 1/3]])", {"values": "a,b"}, "sums to"),
        ("pram([[1, 1]])", {"values": "a,b"}, "name the reports"),
        ("pram([[1, 1]])", {"values": "a,b,c", "outputs": "x"}, "3 values are declared for 2"),
        ("pram([[1, 1]])", {"values": "a,b", "outputs": "x,y"}, "2 outputs are declared for 1"),
        ("pram(nowhere.csv)", {"values": "a,b"}, "nowhere.csv"),
        ("frapp(gamma=2)", {"values": "a,b", "outputs": "a,b"}, "outputs"),
        ("frapp(gamma=2)", {"values": "a,b", "missing": "c"}, "declare it as a value too"),
    ],
)
def test_rejects_what_is_no_channel(text, beside, message):
    with pytest.raises(InvalidInput, match=message):
        Randomizer.of(text, **beside)


def test_a_cell_without_a_declared_value_never_raises_the_ratio():
    made = Randomizer.of("pram([[3/5, 1/7, 0.2], [2/5, 6/7, 0.8]], outputs=[x,y])", values="a,b,c")
    law = made.columns.laws[-1]
    average = sum(made.rows[0]) / 3
    assert law[0] == average
    for row, mass in zip(made.rows, (average, 1 - average), strict=True):
        assert min(row) <= mass <= max(row)


def test_a_declared_missing_value_takes_the_other_cells():
    made = Randomizer.of("randomized-response(keep=3/4)", values="a, b", missing="b")
    assert made.columns.laws[2] == made.columns.laws[1]


def test_releases_take_the_operating_system_s_bits():
    made = Randomizer.of("frapp(gamma=2)", values="a, b")
    codes = np.zeros(3, dtype=np.uint8)
    assert len(made.draw(codes, SystemBits())) == 3
    with pytest.raises(InvalidInput, match="SystemBits"):
        made.draw(codes, SeededBits(1))


def test_rejects_codes_that_are_none():
    made = Randomizer.of("frapp(gamma=2)", values="a, b")
    with pytest.raises(InvalidInput, match="above 2"):
        made.draw(np.array([3], dtype=np.uint8), SystemBits())
    with pytest.raises(InvalidInput, match="uint8"):
        made.draw(np.array([0]), SystemBits())
