"""The broken mechanisms are what they are said to be."""

import subprocess
import sys
from math import exp

import numpy as np
import pytest

import twoworlds.testing.broken as module
from twoworlds.testing.broken import BROKEN, RIGHT, sparse_vector, sparse_vector_roth

EVERY = (*BROKEN, *RIGHT)


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
def test_each_is_found_under_its_name_and_says_what_is_wrong(one):
    assert getattr(module, one.name) is one
    assert bool(one.wrong) == bool(one.source) == (one in BROKEN)


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
def test_one_output_is_one_of_many(one):
    database = one.pairs[0][0] if one.pairs else [1.0, 2.0, 3.0]
    single = one(database, np.random.default_rng(0))
    batch = one.many(database, 1, np.random.default_rng(0))
    assert np.array_equal(np.asarray(single, dtype=object), np.asarray(batch[0], dtype=object)) or (
        np.isnan(single).any()
    )
    assert len(one.many(database, 7, np.random.default_rng(0))) == 7


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("one", "scale"), [(module.laplace, 1.0), (module.laplace_ten_percent_short, 0.9)]
)
def test_the_noise_has_the_scale_that_is_said(one, scale):
    """P(|Z| > 1) = e^(-1/scale); six standard deviations: false alarms below 1e-8, fixed seed."""
    drawn = one.many(5.0, 200_000, np.random.default_rng(0))
    share, expected = np.mean(np.abs(drawn - 5) > 1), exp(-1 / scale)
    assert abs(share - expected) < 6 * (expected * (1 - expected) / 200_000) ** 0.5


def test_a_sparse_vector_stops_after_its_positive_answers():
    drawn = sparse_vector.many([0.0] * 6, 500, np.random.default_rng(0))
    for row in drawn.tolist():
        answered = [x for x in row if x >= 0]
        assert answered.count(1) <= 1
        assert row == answered + [-1] * (6 - len(answered))
        assert 1 not in answered[:-1]


def test_the_variant_of_the_lecture_notes_gives_values():
    drawn = sparse_vector_roth.many([0.0] * 4, 500, np.random.default_rng(0))
    assert (~np.isnan(drawn)).sum(axis=1).max() == 1


def test_outputs_lie_on_the_grid_where_that_is_said():
    drawn = module.laplace.many(0.3, 100, np.random.default_rng(0))
    assert np.array_equal(drawn * 2**20, np.round(drawn * 2**20))


def test_it_needs_neither_pytest_nor_hypothesis():
    code = (
        "import sys; import twoworlds.testing.broken; "
        "print([m for m in ('pytest', 'hypothesis', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
