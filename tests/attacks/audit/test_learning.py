"""The search: it finds what separates, and says nothing where nothing does."""

from math import log

import numpy as np
import pytest

from twoworlds.attacks.audit.events import learn
from twoworlds.attacks.audit.outputs import tidy

SIZE = 8000


def found(first, second, *, delta=0.0, landmarks=(), low_bits=True):
    return learn(tidy(first), tidy(second), delta, landmarks, low_bits=low_bits)


def laplace(centre, size=SIZE, seed=0):
    noise = np.random.default_rng(seed).laplace(size=size)
    return np.round((centre + noise) * 1024) / 1024


def test_a_shift_is_found_by_a_half_line():
    best = found(laplace(0), laplace(1, seed=1))
    assert best.event.feature.name == "value"
    assert 0.75 < best.score < 1
    [(low, high)] = best.event.intervals
    assert min(abs(low), abs(high)) < 10


def test_the_same_law_twice_scores_next_to_nothing():
    assert found(laplace(0), laplace(0, seed=1)).score < 0.05


def test_a_difference_in_spread_is_found_by_a_union_of_intervals_or_tails():
    best = found(laplace(0), laplace(0, seed=1) * 3)
    assert best.score > log(1.8)


def test_the_likelihood_ratio_orders_classes_that_have_no_order():
    rng = np.random.default_rng(0)
    first = rng.choice(["red", "green", "blue", "grey"], SIZE, p=[0.4, 0.1, 0.4, 0.1])
    second = rng.choice(["red", "green", "blue", "grey"], SIZE, p=[0.1, 0.4, 0.1, 0.4])
    best = found(first.tolist(), second.tolist())
    kinds = {tuple(sorted(eval(v) for v in best.event.members))}  # noqa: S307 (they are reprs)
    assert kinds <= {("blue", "red"), ("green", "grey")}
    assert 1.1 < best.score < log(4)


def test_rare_classes_seen_once_do_not_fool_it():
    """Each label occurs once: ordered by ratio they would look perfect, on the same sample."""
    first, second = [f"a{i}" for i in range(SIZE)], [f"b{i}" for i in range(SIZE)]
    best = found(first, second)
    assert best.score < 0.05


def test_low_order_bits_of_a_float_sum_are_found():
    rng = np.random.default_rng(0)
    pair = rng.laplace(size=SIZE), 1 + rng.laplace(size=SIZE)
    best = found(*pair, landmarks=[1.0])
    assert best.event.feature.name in ("places", "returns")
    assert best.score > 4
    assert found(*pair, landmarks=[1.0], low_bits=False).score < 1.1


def test_a_value_that_occurs_again_and_again_is_found_among_floats():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=SIZE), rng.normal(size=SIZE)
    first[::50], second[::50] = 0.125, rng.normal(size=SIZE // 50)
    best = found(first, second, low_bits=False)
    assert best.event.members == (0.125,)
    assert best.score > 1


@pytest.mark.parametrize("special", [float("nan"), float("inf")])
def test_nan_and_infinity_are_told_apart_from_numbers(special):
    first = laplace(0)
    second = np.where(np.arange(SIZE) % 10 == 0, special, laplace(0, seed=1))
    assert found(first, second).score > 3


def test_a_vector_is_searched_along_the_direction_of_its_means():
    rng = np.random.default_rng(0)
    shift = np.array([0.5, -0.5, 0.5, -0.5])
    best = found(rng.laplace(size=(SIZE, 4)), shift + rng.laplace(size=(SIZE, 4)), low_bits=False)
    assert best.event.feature.name == "projection"


def test_the_last_bit_of_a_whole_number_is_looked_at():
    rng = np.random.default_rng(0)
    noise = rng.integers(-500, 500, (2, SIZE))
    best = found(2 * noise[0], 2 * noise[1] + 1)
    assert best.event.code in ("lambda y: y % 2 < 1", "lambda y: y % 2 >= 1")
    assert best.score > 4
