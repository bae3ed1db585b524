"""What is made ready while the engine runs, and what loading does to the garbage collector."""

from __future__ import annotations

import gc
import threading
import weakref
from fractions import Fraction

import pytest

from twoworlds.late import without_collecting
from twoworlds.release.budget import parse_cost
from twoworlds.release.noise import Sampler
from twoworlds.release.policy import Column, Dataset
from twoworlds.release.preparing import preparing
from twoworlds.release.query import Query, resolve
from twoworlds.release.sensitivity import calibrate


def calibration():
    columns = {"age": Column("age", "integer", Fraction(0), Fraction(97))}
    people = Dataset("people", None, "add-remove", columns=columns)
    return calibrate([resolve(Query("people").count().sum("age"), people)], parse_cost("1"))


def test_the_samplers_of_all_measures_are_ready_at_the_end(monkeypatch):
    made = []
    of = Sampler.of
    monkeypatch.setattr(Sampler, "of", staticmethod(lambda law: made.append(law) or of(law)))
    wanted = calibration()
    with preparing(wanted):
        pass
    assert made == [noise.law for noise in wanted.noises[0]]


def test_the_thread_has_ended_whatever_the_engine_does():
    before = threading.active_count()
    with pytest.raises(ValueError, match="engine"), preparing(calibration()):
        raise ValueError("engine")
    assert threading.active_count() == before


def test_what_fails_while_preparing_is_left_to_whoever_draws(monkeypatch):
    def fails(_law):
        raise RuntimeError

    monkeypatch.setattr(Sampler, "of", staticmethod(fails))
    with preparing(calibration()):
        pass


def test_the_collector_is_as_it_was():
    assert gc.isenabled()
    with without_collecting():
        assert not gc.isenabled()
        with without_collecting():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="loading"), without_collecting():
        raise ValueError("loading")
    assert gc.isenabled()


def test_what_was_loaded_counts_as_old_and_garbage_among_it_is_found():
    class Cycle:
        def __init__(self):
            self.itself = self

    frozen = gc.get_freeze_count()  # later versions of Python may freeze objects of their own
    with without_collecting():
        kept = Cycle()
        watched = weakref.ref(Cycle())
    assert gc.get_freeze_count() == frozen
    if not frozen:
        assert not any(kept is x for x in gc.get_objects(generation=0))
        assert any(kept is x for x in gc.get_objects(generation=2))
    assert watched() is not None
    gc.collect()
    assert watched() is None


def test_what_somebody_froze_stays_frozen():
    gc.freeze()
    try:
        before = gc.get_freeze_count()
        with without_collecting():
            pass
        assert gc.get_freeze_count() == before > 0
    finally:
        gc.unfreeze()
