"""The program of decoding: its bounds are true for any multipliers, and tight for the best."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from twoworlds.programs import Optimal, solve
from twoworlds.programs.decoding import decoding_bound, solve_decoding

UNIT = 1 << 20


def instance(seed: int, rows: int, queries: int):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 2, (queries, rows), dtype=np.int8)
    answers = [Fraction(int(k), 8) for k in rng.integers(-8, 8 * rows, queries)]
    return matrix, answers


def penalised(matrix, answers, x, slack, direction, box) -> Fraction:
    """What x is worth, by the definition."""
    beyond = Fraction(0)
    for index, (mask, answer) in enumerate(zip(matrix.tolist(), answers, strict=True)):
        total = sum((w * v for w, v in zip(mask, x, strict=True)), start=Fraction(0))
        beyond += max(Fraction(0), abs(answer - total) - slack[index])
    return sum((c * v for c, v in zip(direction, x, strict=True)), start=Fraction(0)) - box * beyond


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("slack", [[Fraction(0)] * 7, [Fraction(i, 4) for i in range(7)]])
def test_any_multipliers_bound_every_column(seed, slack):
    matrix, answers = instance(seed, 5, 7)
    rng = np.random.default_rng(seed + 100)
    direction = rng.integers(-1, 2, 5).astype(np.int8)
    for box in (1, 3):
        z = rng.integers(-box * UNIT, box * UNIT, 7, endpoint=True)
        bound = decoding_bound(matrix, answers, z, slack=slack, direction=direction)
        halves = [Fraction(k, 2) for k in range(3)]
        assert all(
            penalised(matrix, answers, x, slack, direction.tolist(), box) <= bound
            for x in product(halves, repeat=5)
        )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("slack", [[Fraction(0)] * 6, [Fraction(i % 3, 2) for i in range(6)]])
def test_the_multipliers_found_are_the_best_but_for_rounding(seed, slack):
    matrix, answers = instance(seed, 4, 6)
    found = solve_decoding(
        matrix, np.array([float(a) for a in answers]), slack=np.array(slack, dtype=float)
    )
    # minimise sum t with t_i >= |a_i - (A x)_i| - slack, over x then t, by the exact solver
    rows, lower = [], []
    for i, (mask, answer) in enumerate(zip(matrix.tolist(), answers, strict=True)):
        for sign in (1, -1):
            row = {j: sign * w for j, w in enumerate(mask) if w}
            rows.append(row | {4 + i: 1})
            lower.append(sign * answer - slack[i])
    outcome = solve(
        [0] * 4 + [1] * 6,
        rows,
        lower=lower,
        upper=[None] * 12,
        most=[1] * 4 + [None] * 6,
    )
    assert isinstance(outcome, Optimal)
    floor = -decoding_bound(matrix, answers, found.z, slack=slack)
    assert outcome.value - Fraction(1, 10**4) <= floor <= outcome.value
    worth = penalised(matrix, answers, map_to_fractions(found.x), slack, [0] * 4, 1)
    assert abs(worth + outcome.value) < Fraction(1, 10**6)


def map_to_fractions(x):
    return [Fraction(value) for value in x.tolist()]


def test_unknowns_and_multipliers_stay_in_their_boxes():
    matrix, answers = instance(9, 12, 30)
    direction = np.ones(12, dtype=np.int8)
    found = solve_decoding(
        matrix,
        np.array([float(a) for a in answers]),
        slack=np.full(30, 0.5),
        direction=direction,
        box=2,
    )
    assert ((found.x >= 0) & (found.x <= 1)).all()
    assert (abs(found.z) <= 2 * UNIT).all()


def test_more_sums_than_a_block_are_all_counted():
    matrix = np.ones((5000, 1), dtype=np.int8)
    z = np.full(5000, -UNIT)
    assert decoding_bound(matrix, [Fraction(3)] * 5000, z) == -10000
