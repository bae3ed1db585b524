from __future__ import annotations

import random
from fractions import Fraction

import pytest

from twoworlds.laws.uniform import least_enough


@pytest.mark.parametrize("seed", range(60))
def test_finds_the_first_value_within_the_limit(seed):
    rng = random.Random(seed)
    size = rng.randint(1, 300)
    falling = sorted((Fraction(rng.randint(0, 40), 40) ** 3 for _ in range(size)), reverse=True)
    limit = Fraction(rng.randint(0, 40), 40) ** 3
    expected = next((n for n, value in enumerate(falling) if value <= limit), None)
    assert least_enough(falling.__getitem__, limit, size - 1) == expected


def test_needs_few_evaluations_where_delta_falls_exponentially():
    asked = []

    def delta(n):
        asked.append(n)
        return Fraction(999, 1000) ** n

    found = least_enough(delta, Fraction(1, 10**9), 10**6)
    assert delta(found) <= Fraction(1, 10**9) < delta(found - 1)
    assert len(asked) < 25
