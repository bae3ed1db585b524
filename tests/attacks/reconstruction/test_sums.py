"""Questions and answers as they are read."""

from fractions import Fraction

import numpy as np
import pytest

from twoworlds.attacks.reconstruction.sums import (
    all_subsets,
    masks,
    random_subsets,
    read_answers,
    read_column,
    read_queries,
    true_sums,
)
from twoworlds.errors import InvalidInput, TooLarge


def test_all_subsets_are_there_once():
    found = {tuple(mask) for mask in all_subsets(5).tolist()}
    assert len(found) == len(all_subsets(5)) == 32


def test_lists_of_rows_become_masks():
    assert masks([[0, 2], [], [1, 1]], 3).tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 0]]


def test_a_seed_gives_the_same_subsets_and_another_seed_others():
    first, again, other = (random_subsets(40, 5, seed=seed).tolist() for seed in (3, 3, 4))
    assert first == again != other


def test_sums_of_many_people_do_not_overflow():
    assert true_sums(np.ones((1, 1000), dtype=np.int8), [1] * 1000).tolist() == [1000]


def test_truth_values_and_whole_floats_are_bits():
    assert read_queries([[True, False], [False, True]]).tolist() == [[1, 0], [0, 1]]
    assert read_column(np.array([0.0, 1.0])).tolist() == [0, 1]


def test_answers_are_read_exactly():
    given = [np.int64(3), np.float64(0.1), "1/3", 2]
    assert read_answers(given, 4) == (3, Fraction(1, 10), Fraction(1, 3), 2)


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([[1, 2]], "0 or 1"),
        ([[1, 0], [1]], "different lengths"),
        ([1, 0], "shape"),
        ([[]], "shape"),
        ([["a", "b"]], "0 or 1"),
        ([[0.5, 1]], "0 or 1"),
        ([[float("nan"), 1]], "0 or 1"),
    ],
)
def test_other_masks_are_refused(queries, message):
    with pytest.raises(InvalidInput, match=message):
        read_queries(queries)


def test_other_input_is_refused():
    with pytest.raises(InvalidInput, match="3 answers are given to 2 queries"):
        read_answers([1, 2, 3], 2)
    with pytest.raises(InvalidInput, match="answer="):
        read_answers([float("nan")], 1)
    with pytest.raises(InvalidInput, match="has 2 rows, and the queries are about 3"):
        read_column([0, 1], rows=3)
    with pytest.raises(InvalidInput, match="at least one"):
        read_column([])
    with pytest.raises(InvalidInput, match="names row 3"):
        masks([[3]], 3)
    with pytest.raises(TooLarge, match=r"2\^30 subsets"):
        all_subsets(30)
    with pytest.raises(TooLarge, match="take fewer"):
        random_subsets(1 << 15, 1 << 15)
