"""Matrices in files: what is read exactly, written back, and refused with its place."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds import BitStrings, Dense, mechanism
from twoworlds.errors import InvalidInput, NotStochastic
from twoworlds.mechanisms.files import read_mechanism, read_table, to_csv, to_json_text, write_table
from twoworlds.mechanisms.float_matrix import FloatMatrix
from twoworlds.numbers import exact_text
from twoworlds.testing.strategies import dense_mechanisms, universes
from twoworlds.worlds import Explicit, Records

SURVEY = mechanism("randomized-response(bits=2, keep=3/4)")


@pytest.fixture
def write(tmp_path):
    def put(name, content):
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8")
        return path

    return put


# --- reading ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "outputs"),
    [
        ("1,0\n3/4,1/4\n1/4,3/4\n", ("row 1", "row 2")),
        ("output,1,0\nyes,3/4,1/4\nno,1/4,3/4\n", ("yes", "no")),
        ("Outputs,1,0\nyes,3/4,1/4\nno,1/4,3/4\n", ("yes", "no")),
        (",1,0\nyes,3/4,1/4\nno,1/4,3/4\n", ("yes", "no")),
        ("1,0\nyes,3/4,1/4\nno,1/4,3/4\n", ("yes", "no")),
        ("1 , 0\n 0.75 , 0.25 \n 25% , 75% \n", ("row 1", "row 2")),
        ("\ufeff1,0\r\n3/4,1/4\r\n\r\n1/4,3/4", ("row 1", "row 2")),
        ('output,"1","0"\n"yes, maybe",3/4,1/4\nno,1/4,3/4\n', ("yes, maybe", "no")),
    ],
)
def test_a_csv_is_read_with_or_without_labels(write, content, outputs):
    table = read_table(write("m.csv", content))
    assert table.universe == BitStrings(1)
    assert tuple(table.outputs) == outputs
    assert table.rows == ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))


def test_a_decimal_is_the_decimal_that_is_written(write):
    table = read_table(write("m.csv", "a,b\n0.1,1e-3\n0.9,0.999\n"))
    assert table.rows[0] == (Fraction(1, 10), Fraction(1, 1000))


def test_a_json_matrix_is_read(write):
    content = {
        "databases": ["11", "10", "01", "00"],
        "outputs": ["even", "odd"],
        "matrix": [["3/4", 0.25, "1/4", 0.75], ["1/4", "0.75", 0.75, "25%"]],
    }
    table = read_table(write("m.json", json.dumps(content)))
    assert table.rows[0] == tuple(map(Fraction, ("3/4", "1/4", "1/4", "3/4")))
    assert tw.measure(table).ratio == 3


def test_a_json_float_is_read_as_written_not_as_a_double(write):
    content = '{"databases": ["a"], "matrix": [[0.1], [0.90000000000000000000000000]]}'
    assert read_table(write("m.json", content)).rows == ((Fraction(1, 10),), (Fraction(9, 10),))


def test_a_json_matrix_may_state_its_universe_instead_of_labels(write):
    content = '{"universe": "bits(1)", "matrix": [[1, 0], [0, 1]]}'
    table = read_table(write("m.json", content))
    assert table.universe == BitStrings(1)
    assert tuple(table.outputs) == ("row 1", "row 2")


def test_columns_are_put_into_the_order_of_the_universe(write):
    path = write("m.csv", "00,01,10,11\n1/16,3/16,3/16,9/16\n15/16,13/16,13/16,7/16\n")
    table = read_table(path, universe="bits(2)")
    assert table.universe == BitStrings(2)
    assert table.probability("row 1", (1, 1)) == Fraction(9, 16)
    assert table.probability("row 1", (0, 0)) == Fraction(1, 16)
    by_label = read_table(path)
    assert by_label.universe == BitStrings(2)
    assert by_label.rows == table.rows


@pytest.mark.parametrize(
    ("header", "universe"),
    [
        ("11,10,01,00", BitStrings(2)),
        ("00,01,10,11", BitStrings(2)),
        ("yes,no", Records(["yes", "no"], 1)),
        ("2,0,1", Records([0, 1, 2], 1)),
        ("10,9", Records(["10", "9"], 1)),
        ("11,10,01", Explicit(("11", "10", "01"))),
        ("a|b,c|d", Explicit(("a|b", "c|d"))),
    ],
)
def test_labels_are_read_as_records_where_they_can_be(write, header, universe):
    rows = ",".join(["1"] * len(header.split(",")))
    assert read_table(write("m.csv", f"{header}\n{rows}\n")).universe == universe


def test_a_float_array_needs_to_be_told_what_its_columns_are(tmp_path):
    path = tmp_path / "m.npy"
    np.save(path, np.array([[0.75, 0.25], [0.25, 0.75]]))
    read = read_mechanism(path, universe="bits(1)")
    assert isinstance(read, FloatMatrix)
    assert (read.universe, read.exact) == (BitStrings(1), False)
    named = read_mechanism(path, universe="points([ill, well])")
    assert tuple(named.universe) == ("ill", "well")
    np.save(path, np.array([[1, 0, 0], [0, 1, 1]]))
    with pytest.raises(InvalidInput, match="3 columns are: name their universe"):
        read_mechanism(path)
    whole = read_mechanism(path, universe="records(3, 1)")
    assert tw.measure(whole).ratio == tw.number("inf")


# --- writing ------------------------------------------------------------------------------------


@given(st.data())
def test_what_is_written_is_read_again(tmp_path_factory, data):
    universe, _ = data.draw(universes())
    table = data.draw(dense_mechanisms(universe))
    folder = tmp_path_factory.mktemp("matrices")
    for name in ("m.csv", "m.json"):
        write_table(table, folder / name)
        again = read_table(folder / name)
        labels = [again.universe.label(x) for x in again.universe]
        assert labels == [universe.label(x) for x in universe]
        assert (again.rows, tuple(again.outputs)) == (table.rows, tuple(table.outputs))


@pytest.mark.parametrize(
    "text",
    [
        "randomized-response(bits=2, keep=3/4)",
        "randomized-response(values=[a, b, c], records=2, keep=1/2)",
        "constant(universe=records(values=2, n=2, smallest=0))",
    ],
)
def test_a_universe_that_can_be_typed_survives_json(write, text):
    made = mechanism(text)
    again = read_table(write("m.json", to_json_text(made)))
    assert again.universe == made.universe
    assert again.rows == made.table().rows


def test_numbers_without_an_exact_form_are_not_written(tmp_path):
    noise = mechanism("restrict(discrete-gaussian(sigma2=1), [0, 1])")
    with pytest.raises(InvalidInput, match="is infinite"):
        to_csv(noise)
    hidden = tw.number("ln 2") ** 2 * tw.number("ln 3") ** 2 + tw.number("e^0.123456789123456789")
    p = hidden / (hidden + hidden)
    odd = Dense(BitStrings(1), BitStrings(1), [[p, p], [1 - p, 1 - p]])
    if exact_text(p) is None:
        with pytest.raises(InvalidInput, match="cannot be written"):
            to_csv(odd)
    with pytest.raises(InvalidInput, match=r"written to .csv and .json files"):
        write_table(SURVEY, tmp_path / "m.txt")


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ("a,b\n1/2,1/3\n1/2,1/2\n", NotStochastic, r"column b sums to 5/6 .*1/6 .*too little"),
        ("a,b\n1/2,1\n1/2,1/10\n", NotStochastic, r"column b sums to 11/10 .*1/10 .*too much"),
        ("a,b\n0.333,1\n0.333,0\n0.333,0\n", NotStochastic, r"column a sums to 999/1000.*1/1000"),
        ("a,b\n3/2,1\n-1/2,0\n", NotStochastic, r"P\(row 2 \| a\) = -1/2 .*is negative"),
        ("a,b\nnan,1\n1,0\n", InvalidInput, r"P\(row 1 \| a\)='nan' is not a number"),
        ("a,b\ninf,1\n1,0\n", InvalidInput, "infinite"),
        ("a,b\n1,\n0,1\n", InvalidInput, r"P\(row 1 \| b\)='' is not a number"),
        ("a,b\n1,x\n0,1\n", InvalidInput, r"P\(row 1 \| b\)='x' is not a number"),
        ("a,b\n1,1\n0\n", InvalidInput, "line 3: 1 entries for 2 databases"),
        ("a,b\n1,1,0\n0,0\n", InvalidInput, "line 2: 3 entries for 2 databases"),
        ("a,a\n1,1\n", InvalidInput, "'a' is named twice"),
        ("output,a\nx,1/2\nx,1/2\n", InvalidInput, "'x' is named twice"),
        ("a,b\n", InvalidInput, "needs a header of databases and at least one line"),
        ("", InvalidInput, "needs a header of databases"),
        ("\n\n,,\n", InvalidInput, "needs a header of databases"),
        (b"\xff\xfe\x00binary\x9d", InvalidInput, "is not UTF-8 text"),
        (b"\x00\x01\x02\x03", InvalidInput, "needs a header"),
        ("a\n" + "9" * 200_000 + "\n", InvalidInput, "is not valid CSV|characters"),
    ],
    ids=lambda value: None if isinstance(value, type) else repr(value)[:24],
)
def test_rejects_a_csv_that_is_no_mechanism(write, content, error, message):
    with pytest.raises(error, match=message):
        read_table(write("m.csv", content))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not valid JSON"),
        ("[1, 2]", "expected"),
        ("null", "expected"),
        ('{"matrix": 5}', "expected"),
        ('{"matrix": [1, 2]}', "expected"),
        ('{"matrix": [[1]]}', 'name the columns with "databases"'),
        ('{"databases": 5, "matrix": [[1]]}', '"databases" is a list of labels'),
        ('{"databases": "a", "matrix": [[1]]}', '"databases" is a list of labels'),
        ('{"databases": ["a"], "outputs": 5, "matrix": [[1]]}', '"outputs" is a list of labels'),
        (
            '{"databases": ["a"], "outputs": ["x", "y"], "matrix": [[1]]}',
            "2 outputs are named for 1",
        ),
        ('{"databases": ["a", "b"], "matrix": [[1]]}', "row row 1: 1 entries for 2 databases"),
        ('{"databases": ["a"], "universe": 5, "matrix": [[1]]}', '"universe" is a text'),
        ('{"databases": ["a"], "universe": "bits(1)", "matrix": [[1]]}', "not those of bits"),
        ('{"universe": "bits(2)", "matrix": [[1, 1]]}', "has 2 entries for 4 databases"),
        ('{"universe": "integers()", "matrix": [[1, 1]]}', "needs a finite universe"),
        ('{"databases": ["a"], "matrix": []}', "empty"),
        ('{"databases": ["a"], "matrix": [[true]]}', "is a truth value"),
        ('{"databases": ["a"], "matrix": [[null]]}', "expected a number"),
        ('{"databases": ["a"], "matrix": [[NaN]]}', "is not a number"),
        ('{"databases": ["a"], "matrix": [[1e999999]]}', "exponents beyond"),
        ('{"databases": ["a"], "matrix": [[' + "9" * 5000 + "]]}", "is not valid JSON|sums to"),
        ('{"databases": ["a"], "matrix": [[0.9]]}', r"column a sums to 9/10 .*1/10"),
    ],
    ids=lambda value: repr(value)[:32],
)
def test_rejects_a_json_that_is_no_mechanism(write, content, message):
    with pytest.raises(InvalidInput, match=message):
        read_table(write("m.json", content))


@pytest.mark.parametrize(
    ("universe", "message"),
    [
        ("bits(3)", r"its databases are not those of bits\(3\)"),
        ("integers()", "needs a finite universe"),
        ("reals()", "needs a finite universe"),
        ("points([a, b])", "its databases are not those of"),
        ("bitz(2)", "did you mean 'bits'"),
    ],
)
def test_rejects_a_universe_that_does_not_fit(write, universe, message):
    with pytest.raises(InvalidInput, match=message):
        read_table(write("m.csv", to_csv(SURVEY)), universe=universe)


def test_a_column_named_twice_is_not_dropped_in_silence(write):
    with pytest.raises(InvalidInput, match="are not those of bits"):
        read_table(write("m.csv", "1,0,0\n1,0,1\n0,1,0\n"), universe="bits(1)")


def test_rejects_what_is_not_a_readable_file(tmp_path, write):
    with pytest.raises(InvalidInput, match="cannot be read: No such file"):
        read_table(tmp_path / "none.csv")
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    with pytest.raises(InvalidInput, match="cannot be read: Is a directory"):
        read_table(folder)
    with pytest.raises(InvalidInput, match=r"read from .csv, .json, .npy files"):
        read_table(write("m.txt", "a\n1\n"))
    with pytest.raises(InvalidInput, match="is not a file name"):
        mechanism("a\0b.csv")


def test_rejects_a_file_too_large_to_be_read_as_text(write, monkeypatch):
    monkeypatch.setattr("twoworlds.mechanisms.files._LARGEST_FILE", 3)
    with pytest.raises(InvalidInput, match=r"use a .npy float matrix"):
        read_table(write("m.csv", "a\n1\n"))


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([0.5, 0.5]), "expected outputs by databases"),
        (np.zeros((0, 2)), "expected outputs by databases"),
        (np.array([["a", "b"]]), "not a .npy array of real numbers"),
        (np.array([[0.5, 0.5], [0.5, 0.4]]), "column 0 sums to 0.9, off by -0.1"),
        (np.array([[1.5, 0.5], [-0.5, 0.5]]), r"P\(1 \| 1\) = 1.5 is not a probability"),
        (np.array([[np.nan, 0.5], [1, 0.5]]), r"P\(1 \| 1\) = nan is not a probability"),
    ],
)
def test_rejects_an_array_that_is_no_mechanism(tmp_path, array, message):
    path = tmp_path / "m.npy"
    np.save(path, array)
    with pytest.raises(InvalidInput, match=message):
        read_mechanism(path, universe="bits(1)")


def test_rejects_pickled_and_zipped_arrays(tmp_path):
    path = tmp_path / "m.npy"
    np.save(path, np.array([[{}, 1]], dtype=object), allow_pickle=True)
    with pytest.raises(InvalidInput, match=r"is not a .npy array"):
        read_mechanism(path)
    with path.open("wb") as stream:
        np.savez(stream, a=np.eye(2))
    with pytest.raises(InvalidInput, match=r"not a .npy array of real numbers"):
        read_mechanism(path)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_mechanism(tmp_path / "none.npy")
    folder = tmp_path / "folder.npy"
    folder.mkdir()
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_mechanism(folder)
