"""Decoding: what is found, what is proven of it, and what each method bears."""

from fractions import Fraction

import numpy as np
import pytest

from twoworlds.attacks.reconstruction import random_subsets, reconstruct
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
