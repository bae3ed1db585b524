"""A progress hook: long loops report through it, and a terminal may listen.

The library never prints. A loop that may last wraps its iterable in `track`; whoever owns a
terminal installs a listener with `listen`. Without a listener `track` costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Listener = Callable[[Iterable[object], str, "int | None"], Iterable[object]]

_listener: ContextVar[Listener | None] = ContextVar("twoworlds_progress", default=None)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Let ``listener(iterable, label, total)`` wrap every tracked loop inside the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def track(items: Iterable[T], label: str, total: int | None = None) -> Iterable[T]:
    """Return ``items`` itself, or the listener's wrapping of it.

    >>> list(track([1, 2], "counting"))
    [1, 2]
    """
    listener = _listener.get()
    if listener is None:
        return items
    return listener(items, label, total)  # type: ignore[return-value]
