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
