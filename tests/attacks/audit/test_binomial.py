"""Clopper and Pearson's bounds against plain sums of binomial probabilities."""

from fractions import Fraction
from math import comb

import pytest

from twoworlds.attacks.audit.finding import lower_bound, tail_at_most, upper_bound
from twoworlds.errors import InvalidInput


def tail(hits: int, draws: int, p: Fraction) -> Fraction:
    """P(Bin(draws, p) >= hits), term by term."""
    terms = (comb(draws, k) * p**k * (1 - p) ** (draws - k) for k in range(hits, draws + 1))
    return sum(terms, start=Fraction(0))


@pytest.mark.parametrize("draws", [1, 7, 30])
@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 1000), Fraction(1, 10**9)])
def test_the_lower_bound_holds_and_cannot_be_raised_by_much(draws, alpha):
    for hits in range(1, draws + 1):
        bound = lower_bound(hits, draws, alpha)
        assert tail(hits, draws, bound) <= alpha
        assert tail(hits, draws, bound * (1 + Fraction(1, 10**4))) > alpha


@pytest.mark.parametrize(
    ("hits", "draws", "alpha", "lower", "upper"),
    [  # known values of the beta distribution's quantiles
        (8, 10, Fraction(1, 20), 0.493098698, 0.963228562),
        (500, 1000, Fraction(1, 1000), 0.450771053, 0.549228946),
        (3, 10**6, Fraction(1, 20), 8.17691930e-07, 7.75363809e-06),
        (164_600, 10**6, Fraction(1, 20), 0.163990274, 0.165211161),
    ],
)
def test_bounds_agree_with_quantiles_of_the_beta_law(hits, draws, alpha, lower, upper):
    assert float(lower_bound(hits, draws, alpha)) == pytest.approx(lower, rel=1e-6)
    assert float(upper_bound(hits, draws, alpha)) == pytest.approx(upper, rel=1e-6)


@pytest.mark.parametrize(
    ("hits", "draws", "p", "alpha", "expected"),
    [
        (2, 2, Fraction(1, 2), Fraction(1, 4), True),
        (2, 2, Fraction(1, 2), Fraction(24, 100), False),
        (0, 5, Fraction(1, 2), Fraction(1, 2), False),
        (3, 5, Fraction(0), Fraction(1, 100), True),
        (3, 5, Fraction(1), Fraction(1, 100), False),
    ],
)
def test_tails_at_the_ends(hits, draws, p, alpha, expected):
    assert tail_at_most(hits, draws, p, alpha) is expected


@pytest.mark.parametrize(
    ("hits", "draws", "alpha"),
    [(-1, 10, Fraction(1, 2)), (11, 10, Fraction(1, 2)), (0, 0, Fraction(1, 2)), (1, 2, 0)],
)
def test_impossible_counts_are_refused(hits, draws, alpha):
    with pytest.raises(InvalidInput):
        lower_bound(hits, draws, Fraction(alpha))
