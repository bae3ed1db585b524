"""Scores of quantiles: the definition, what a row does to them, and what the choice is worth."""

from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import log

import pytest

from tests.release.noise.scripted import choice_law
from twoworlds.release.answers.estimates import choice_rate, rank_error, score_range, scores

QUANTILES = sorted({Fraction(a, b) for b in range(1, 6) for a in range(b + 1)})


def bins_of(values, grid):
    """Count rows in the bins of a grid, one row after another."""
    counts = [0] * (2 * len(grid) + 1)
    for v in values:
        if v in grid:
            counts[2 * grid.index(v) + 1] += 1
        else:
            counts[2 * sum(g < v for g in grid)] += 1
    return counts


def distance(values, g, at):
    """Return how far the target rank is from the ranks of g."""
    below, upto, target = sum(v < g for v in values), sum(v <= g for v in values), at * len(values)
    return max(Fraction(0), below - target, target - upto)


@pytest.mark.parametrize("at", QUANTILES)
def test_score_is_minus_the_scaled_distance_of_the_target_from_the_ranks(at):
    grid = (2, 4, 6)
    for values in combinations_with_replacement(range(1, 8), 3):
        found = scores(bins_of(values, grid), at)
        assert found == [-at.denominator * distance(values, g, at) for g in grid]


def changes(at, grid, most):
    """Yield, for every small table and every row more, the changes of all scores."""
    for n in range(most + 1):
        for values in combinations_with_replacement(range(1, 2 * len(grid) + 2), n):
            before = scores(bins_of(values, grid), at)
            for v in range(1, 2 * len(grid) + 2):
                after = scores(bins_of((*values, v), grid), at)
                yield [b - a for a, b in zip(before, after, strict=True)]


@pytest.mark.few(3)
@pytest.mark.parametrize("at", QUANTILES)
def test_range_of_the_scores_is_exactly_what_one_row_can_do(at):
    spread = max(max(one) - min(one) for one in changes(at, (2, 4, 6), 5))
    assert spread == score_range(at)


@pytest.mark.parametrize("at", [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)])
def test_a_row_more_or_less_costs_at_most_the_rate(at):
    grid, rate = (2, 4, 6), Fraction(3, 2)
    worst = 0.0
    for n in range(4):
        for values in combinations_with_replacement(range(1, 8), n):
            for v in range(1, 8):
                two = [bins_of(values, grid), bins_of((*values, v), grid)]
                p, q = (
                    [float(x) for x in choice_law(scores(c, at), choice_rate(at, rate))]
                    for c in two
                )
                logs = [log(a / b) for a, b in zip(p, q, strict=True)]
                assert max(map(abs, logs)) <= float(rate) + 1e-9
                assert max(logs) - min(logs) <= float(rate) + 1e-9  # bounded range
                worst = max(worst, max(logs) - min(logs))
    assert worst == pytest.approx(float(rate))


@pytest.mark.few(3)
@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(1), Fraction(4)])
@pytest.mark.parametrize("at", [Fraction(0), Fraction(1, 2), Fraction(3, 4)])
def test_rank_error_holds_on_every_small_table(at, rate):
    grid = (1, 2, 3, 4)
    reach = rank_error(at, len(grid), rate)
    for weights in product((0, 1, 7, 40), repeat=4):
        values = [g for g, w in zip(grid, weights, strict=True) for _ in range(w)]
        law = choice_law(scores(bins_of(values, grid), at), choice_rate(at, rate))
        distances = [distance(values, g, at) for g in grid]
        far = [float(p) for p, d in zip(law, distances, strict=True) if d - min(distances) > reach]
        assert sum(far) <= 0.05
