"""Values that are made in another thread."""

from __future__ import annotations

import threading

import pytest

from twoworlds.release.ahead import Ahead


def test_it_is_made_in_another_thread_at_once_and_once():
    made, started = [], threading.Event()

    def make():
        made.append(threading.current_thread())
        started.set()
        return "value"

    value = Ahead(make)
    assert started.wait(900)
    assert (value.value(), value.value()) == ("value", "value")
    assert made == [made[0]]
    assert made[0] is not threading.current_thread()
    assert not made[0].is_alive()


def test_what_making_it_raises_is_raised_where_it_is_needed():
    def fails():
        raise ValueError("no engine")

    value = Ahead(fails)
    for _ in range(2):
        with pytest.raises(ValueError, match="no engine"):
            value.value()
