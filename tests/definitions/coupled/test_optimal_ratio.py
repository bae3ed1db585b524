"""The smallest ratio for a delta: closed forms, both ends, and deltas that no ratio reaches."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from tests.definitions.coupled.test_optimal import (
    delta_of,
    fair,
    points,
    random_scene,
    sum_of_three,
)
from twoworlds.definitions.coupled.optimal import limit, optimal
from twoworlds.definitions.coupled.scene import scene
from twoworlds.definitions.coupled.smallest import smallest_ratio
from twoworlds.numbers import INFINITY, bounds, number
from twoworlds.worlds.scrubbing import persons

F = Fraction


@pytest.mark.parametrize(
    ("delta", "ratio"), [(F(1, 4), 1), (F(1, 8), F(3, 2)), (F(1, 32), 7), (F(1, 100), 24)]
)
def test_sum_of_three_fair_bits(delta, ratio):
    found = smallest_ratio(sum_of_three(), delta)
    assert found.ratio == ratio
    assert found.exact
    assert found.verify()
    assert optimal(sum_of_three(), ratio).delta == delta
    if ratio > 1:
        assert optimal(sum_of_three(), ratio - F(1, 1000)).delta > delta


def test_point_beliefs_of_two_laws_need_a_square_root():
    laws = {(0,): {"a": F(1, 2), "b": F(1, 2)}, (1,): {"a": F(1, 3), "b": F(2, 3)}}
    found = smallest_ratio(scene(lambda x: laws[x], points(laws), persons(1)), 0)
    # s(a) is at least (1/2) / r and at most r / 3.
    low, high = bounds(found.ratio)
    exact = bounds(number("sqrt(3/2)"))
    assert not found.exact
    assert low <= exact[1]
    assert exact[0] <= high
    assert high - low < F(1, 2**60)
    assert found.verify()
    finer = bounds(found.ratio, 512)
    assert finer[1] - finer[0] < F(1, 2**200)


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("delta", [F(0), F(1, 50)])
def test_both_ends_hold_on_random_worlds(seed, delta):
    found = random_scene(random.Random(seed), people=3, outputs=3, least=1)
    best = smallest_ratio(found, delta)
    assert best.verify()
    assert best.upper - best.lower <= best.lower / 2**64
    assert delta_of(found, best.simulator, best.upper) <= delta
    assert optimal(found, best.upper).delta <= delta
    if best.lower > 1:
        below = best.lower - F(1, 10**9)
        assert optimal(found, max(below, F(1))).delta > delta


def test_a_delta_that_no_ratio_reaches_has_tests_that_say_so():
    found = scene("parity(bits=2)", fair(2, lambda x: sum(x) % 2), persons(2))
    best = smallest_ratio(found, F(49, 100))
    assert best.ratio == INFINITY
    assert best.tests_at is not None
    assert best.verify()
    assert "no ratio" in best.sentence
    assert smallest_ratio(found, F(1, 2)).ratio == 1


def test_a_delta_that_is_only_approached_has_no_ratio():
    found = sum_of_three()
    best = smallest_ratio(found, 0)
    assert limit(found).delta == 0
    assert best.ratio == INFINITY
    assert best.tests_at is None
    assert best.verify()
    assert "come close" in best.explain()
    tiny = F(1, 10**9)
    assert smallest_ratio(found, tiny).ratio == (1 / tiny - 4) / 4  # delta(a) = 1 / (4 (a + 1))


def test_a_changed_answer_does_not_verify():
    best = smallest_ratio(sum_of_three(), F(1, 32))
    assert not replace(best, lower=F(8)).verify()
    assert not replace(best, upper=F(6)).verify()
    assert not replace(best, tests_at=None).verify()
