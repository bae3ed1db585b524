"""Questions and answers as they are given, and as they are read from files."""

from fractions import Fraction

import pytest

from twoworlds.attacks.reconstruction import read_secret, read_sums
from twoworlds.attacks.reconstruction.sums import (
    all_subsets,
    masks,
    random_subsets,
    read_answers,
    read_queries,
)
from twoworlds.errors import InvalidInput, TooLarge


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([[1, 2]], "0 or 1"),
        ([[1, 0], [1]], "different lengths"),
        ([[]], "shape"),
        ([[float("nan"), 1]], "0 or 1"),
    ],
)
def test_other_masks_are_refused(queries, message):
    with pytest.raises(InvalidInput, match=message):
        read_queries(queries)


def test_other_input_is_refused():
    with pytest.raises(InvalidInput, match="3 answers are given to 2 queries"):
        read_answers([1, 2, 3], 2)
    with pytest.raises(InvalidInput, match="names row 3"):
        masks([[3]], 3)
    with pytest.raises(TooLarge, match=r"2\^30 subsets"):
        all_subsets(30)
    with pytest.raises(TooLarge, match="take fewer"):
        random_subsets(1 << 15, 1 << 15)


@pytest.fixture
def write(tmp_path):
    def written(text: str, name: str = "given.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written


def test_bits_and_truth_values_are_a_secret_column(write):
    path = write("name,ill,old\nAnn,1,true\nBob,0,False\n")
    assert read_secret(path, "ill") == (1, 0)
    assert read_secret(path, "old") == (1, 0)


def test_masks_and_answers(write):
    masks, answers = read_sums(write("a,b,c,answer\n1,0,1,2.5\n0,1,1,1/3\n"))
    assert masks.tolist() == [[1, 0, 1], [0, 1, 1]]
    assert answers == (Fraction(5, 2), Fraction(1, 3))


def test_lists_of_rows_count_from_one(write):
    path = write("rows\tanswer\n1 3\t2\n\t0\n2\t-1\n", "given.tsv")
    masks, answers = read_sums(path)
    assert masks.tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 0]]
    assert answers == (2, 0, -1)
    assert read_sums(path, rows=5)[0].shape == (3, 5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "give a header"),
        ("1,0,1\n0,1,1\n", "put names above it"),
        ("1 2,1\n3,1\n", "put names above it"),
        ("a,b,answer\n1,0\n", "line 2: 2 cells under a header of 3"),
        ("a,b,answer\n1,Secret,3\n", "line 2: a mask holds 0 and 1 only"),
        ("a,b,answer\n1,0,Secret\n", "line 2: the last cell is not a number"),
        ("rows,answer\n1 Secret,3\n", "line 2: a subset lists rows counted from 1"),
        ("rows,answer\n1 200000,3\n", "up to 100,000"),
        ("rows,answer\n,3\n", "all subsets are empty"),
        ('rows,answer\n"1,3\n', "line 2: 1 cells under a header of 2"),
    ],
)
def test_other_answers_are_refused_without_a_word_of_them(write, text, message):
    with pytest.raises(InvalidInput, match=message) as refused:
        read_sums(write(text))
    assert "Secret" not in str(refused.value)


def test_sizes_must_agree(write):
    with pytest.raises(InvalidInput, match="masks of 2 people, and rows=3"):
        read_sums(write("a,b,answer\n1,0,1\n"), rows=3)
    with pytest.raises(InvalidInput, match="names row 4, and there are 3"):
        read_sums(write("rows,answer\n4,1\n"), rows=3)


def test_other_files_are_refused(write, tmp_path):
    with pytest.raises(InvalidInput, match="cannot be read: No such file"):
        read_sums(tmp_path / "none.csv")
    (tmp_path / "bytes.csv").write_bytes(b"rows,answer\n\xff,1\n")
    with pytest.raises(InvalidInput, match="utf-8"):
        read_sums(tmp_path / "bytes.csv")


def test_other_columns_are_refused_without_a_word_of_them(write):
    path = write("name,age,ill\nSecret,34,1\n")
    for column in ("name", "age"):
        with pytest.raises(InvalidInput, match="1 of 1 rows have something else") as refused:
            read_secret(path, column)
        assert "Secret" not in str(refused.value)
    with pytest.raises(InvalidInput, match="no column 'sex'"):
        read_secret(path, "sex")
    with pytest.raises(InvalidInput, match="nothing to attack"):
        read_secret(write("ill\n", "empty.csv"), "ill")
