"""Positions of words in a sorted list: by numpy, compiled, and one by one."""

from __future__ import annotations

import numpy as np
import pytest

from tests.release.noise.scripted import LAST
from twoworlds.release.noise import SeededBits
from twoworlds.release.noise import table as module
from twoworlds.release.noise.table import Boundaries, by_compiled, by_numpy


def lists():
    rng = np.random.default_rng(1)
    for size in (0, 1, 2, 3, 4, 7, 8, 9, 200):
        values = rng.integers(0, 2**64, size=size, dtype=np.uint64)
        yield np.sort(values)
    even = np.arange(1, 1000, dtype=np.uint64) * np.uint64(LAST // 1000)
    yield even
    crowd = np.uint64(LAST) - np.arange(40, dtype=np.uint64)[::-1] * np.uint64(1000)
    yield np.concatenate([even, crowd])  # the last cell is the fullest
    yield np.concatenate([np.uint64(LAST) - crowd[::-1], even])  # the first is
    yield np.arange(1 << 13, dtype=np.uint64) << np.uint64(51)
    yield np.array([0, 0, 5, 5, 5, LAST - 1, LAST, LAST], dtype=np.uint64)


@pytest.mark.parametrize("search", [by_numpy, by_compiled])
def test_counts_the_boundaries_below_each_word(search):
    for boundaries in lists():
        near = np.concatenate([boundaries, boundaries + np.uint64(1), boundaries - np.uint64(1)])
        words = np.concatenate([near, SeededBits(1).words(3000), np.array([0, LAST], np.uint64)])
        found, tied = search(Boundaries.of(boundaries, LAST), words)
        assert (found == np.searchsorted(boundaries, words)).all()
        assert tied
        assert search(Boundaries.of(boundaries, LAST), words[:0])[0].tolist() == []


@pytest.mark.parametrize("search", [by_numpy, by_compiled])
def test_tells_whether_a_word_is_a_boundary(search):
    boundaries = Boundaries.of(np.array([10, 20, 30], dtype=np.uint64), LAST)
    assert not search(boundaries, np.array([9, 11, 31], dtype=np.uint64))[1]
    assert search(boundaries, np.array([9, 20, 31], dtype=np.uint64))[1]
    assert search(boundaries, np.array([LAST], dtype=np.uint64))[1]


def test_a_guide_is_taken_where_it_saves_steps():
    even = np.arange(1, 1024, dtype=np.uint64) << np.uint64(54)
    crowded = np.arange(1, 1024, dtype=np.uint64)
    guided, plain = Boundaries.of(even, LAST), Boundaries.of(crowded, LAST)
    assert len(guided.guide) == 1024
    assert guided.half == 1
    assert len(plain.guide) == 1
    assert plain.half == 512


def test_the_compiler_is_loaded_for_large_draws_only(monkeypatch):
    loaded = []
    monkeypatch.setattr(module, "import_module", loaded.append)
    module.prepare(1 << 20)
    assert loaded == []
    module.prepare(1 << 30)
    assert loaded == ["numba"]


def test_a_list_that_is_shared_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        Boundaries.of(np.array([3], dtype=np.uint64), LAST).words[0] = 4


def test_large_and_small_draws_find_the_same():
    boundaries = Boundaries.of(np.sort(SeededBits(2).words(500)), LAST)
    words = SeededBits(3).words(10_000)
    pieces = [boundaries.positions(words[i : i + 100]) for i in range(0, 10_000, 100)]
    assert (np.concatenate(pieces) == boundaries.positions(words)).all()
