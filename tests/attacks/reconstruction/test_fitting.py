"""Columns that fit, against brute force over all of them; the constant of the first attack."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from twoworlds.attacks.reconstruction import (
    agreement,
    furthest_apart,
)
from twoworlds.errors import InvalidInput, TooLarge


def fitting(queries, answers, error):
    """Every column that fits, by the definition."""
    rows = len(queries[0])
    return [
        x
        for x in product((0, 1), repeat=rows)
        if all(
            abs(answer - sum(a * b for a, b in zip(mask, x, strict=True))) <= error
            for mask, answer in zip(queries, answers, strict=True)
        )
    ]


def distance(x, c) -> int:
    return sum(a != b for a, b in zip(x, c, strict=True))


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5])
def test_two_columns_can_fit_all_subsets_just_as_far_apart_as_said(rows):
    """Answers that fit both exist iff no subset tells them more than 2 E apart."""
    columns = list(product((0, 1), repeat=rows))
    subsets = columns
    needed = {
        (x, c): max(abs(sum(q * (a - b) for q, a, b in zip(s, x, c, strict=True))) for s in subsets)
        for x in columns
        for c in columns
    }
    for quarter in range(4 * rows):
        error = Fraction(quarter, 4)
        apart = max(distance(x, c) for (x, c), gap in needed.items() if gap <= 2 * error)
        assert apart == furthest_apart(rows, error) <= 4 * error or apart == 0


@pytest.mark.parametrize("seed", range(6))
def test_both_ways_to_agreement_against_brute_force(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 8)
    queries = rng.integers(0, 2, (int(rng.integers(6, 24)), 8))
    error = Fraction(int(rng.integers(0, 5)), 2)
    off = rng.integers(-2 * error, 2 * error, len(queries), endpoint=True)
    answers = [Fraction(int(2 * s + k), 2) for s, k in zip(queries @ truth, off, strict=True)]
    column = rng.integers(0, 2, 8).tolist() if seed % 3 == 0 else truth.tolist()
    shared = min(8 - distance(column, c) for c in fitting(queries.tolist(), answers, error))
    exact = agreement(queries, answers, column, error).data
    assert (exact["rows"], exact["exact"], exact["method"]) == (shared, True, "all columns")
    monkeypatch.setattr("twoworlds.attacks.reconstruction.decoding._MOST_ENUMERATED", 0)
    proven = agreement(queries, answers, column, error).data
    assert proven["rows"] <= shared
    assert (proven["exact"], proven["method"]) == (False, "linear program")


@pytest.mark.parametrize("limit", [0, 16])
def test_answers_that_contradict_each_other_fit_nothing(limit, monkeypatch):
    monkeypatch.setattr("twoworlds.attacks.reconstruction.decoding._MOST_ENUMERATED", limit)
    found = agreement([[1, 1], [1, 1]], [0, 2], [1, 1], "1/2")
    assert found.data["rows"] is None
    assert "No column of 0 and 1 is within 1/2" in found.explain()
    assert found.to_dict()["rows"] is None


def test_bad_input():
    with pytest.raises(InvalidInput, match="at least 0"):
        furthest_apart(4, -1)
    with pytest.raises(TooLarge, match="takes too long"):
        agreement(np.ones((2001, 10000), dtype=np.int8), [3] * 2001, [0] * 10000, 0)
