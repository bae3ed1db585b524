"""Decoding: what is found, what is proven of it, and what each method bears."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from twoworlds.attacks.reconstruction import (
    agreement,
    furthest_apart,
    random_subsets,
    reconstruct,
)
from twoworlds.errors import InvalidInput, TooLarge, UnknownName

METHODS = ("lp", "least-squares")


def setting(seed: int = 0, rows: int = 40, queries: int = 160):
    truth = np.random.default_rng([seed, 9]).integers(0, 2, rows)
    masks = random_subsets(rows, queries, seed=seed)
    return truth, masks, masks.astype(int) @ truth


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
def test_exact_answers_give_the_whole_column_away(method, seed):
    truth, masks, sums = setting(seed)
    found = reconstruct(masks, sums, method=method, truth=truth).data
    assert found["column"] == tuple(truth)
    assert (found["total_error"], found["largest_error"], found["right"]) == (0, 0, 40)


@pytest.mark.parametrize("method", METHODS)
def test_errors_are_those_of_plain_arithmetic(method):
    truth, masks, sums = setting(1)
    answers = [Fraction(int(s)) + Fraction((-1) ** i * (i % 5), 3) for i, s in enumerate(sums)]
    found = reconstruct(masks, answers, method=method, error=2, truth=truth).data
    errors = [
        abs(a - sum(w * x for w, x in zip(mask, found["column"], strict=True)))
        for mask, a in zip(masks.tolist(), answers, strict=True)
    ]
    assert (found["total_error"], found["largest_error"]) == (sum(errors), max(errors))
    assert found["right"] >= found["agreement"].data["rows"] > 0


def test_no_column_has_a_smaller_sum_of_errors_than_the_floor():
    _, masks, sums = setting(2, 8, 12)
    rng = np.random.default_rng(3)
    answers = [float(a) for a in sums + rng.laplace(0, 2, 12)]
    found = reconstruct(masks, answers).data
    least = min(
        sum(abs(Fraction(str(a)) - int(s)) for a, s in zip(answers, masks @ x, strict=True))
        for x in ((k >> np.arange(8)) & 1 for k in range(256))
    )
    assert 0 < found["floor"] <= least <= found["total_error"]


def test_lp_bears_a_tenth_of_wild_answers_and_least_squares_do_not():
    truth, masks, sums = setting(4, 40, 320)
    answers = sums.astype(float)
    answers[::10] = np.random.default_rng(0).choice([-1e4, 1e4], 32)
    assert reconstruct(masks, answers).data["column"] == tuple(truth)
    assert reconstruct(masks, answers, method="least-squares", truth=truth).data["right"] < 36


def test_bad_input():
    with pytest.raises(UnknownName, match="did you mean 'least-squares'"):
        reconstruct([[1]], [1], method="least-square")
    with pytest.raises(InvalidInput, match="at least 0"):
        reconstruct([[1]], [1], error=-1)
    with pytest.raises(InvalidInput, match="1 answers are given to 2 queries"):
        reconstruct([[1], [0]], [1])
    with pytest.raises(InvalidInput, match="has 2 rows"):
        reconstruct([[1]], [1], truth=[0, 1])
    with pytest.raises(TooLarge, match="least squares are solved for up to 8192"):
        reconstruct(np.ones((1, 9000), dtype=np.int8), [1], method="least-squares")
    with pytest.raises(TooLarge, match="takes too long"):
        reconstruct(np.ones((2001, 10000), dtype=np.int8), [1] * 2001)


# --- columns that fit, against brute force over all of them ---------------------------------------


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


def test_agreements_of_nothing_are_refused():
    with pytest.raises(InvalidInput, match="at least 0"):
        furthest_apart(4, -1)
    with pytest.raises(TooLarge, match="takes too long"):
        agreement(np.ones((2001, 10000), dtype=np.int8), [3] * 2001, [0] * 10000, 0)
