"""Values that are made in another thread, while this one goes on with what needs the interpreter.

A release spends its time in two places that need no interpreter, the engine and the disk, and in
one that does: loading packages. So what engine and disk have to do is begun as soon as it is known.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Generic, TypeVar

__all__ = ["Ahead"]

T = TypeVar("T")


class Ahead(Generic[T]):
    """A value on its way.

    >>> Ahead(lambda: 6 * 7).value()
    42

    Args:
        make: Makes the value, in a thread that starts at once.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        """Start the thread."""
        self._make = make
        self._made: list[T] = []
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, name="twoworlds: ahead")
        self._thread.start()

    def value(self) -> T:
        """Wait for the value and return it, or raise what making it raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._made[0]

    def _run(self) -> None:
        try:
            self._made.append(self._make())
        except BaseException as error:
            self._error = error
