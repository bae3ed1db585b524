"""Where entries are kept: the small interface that a database must offer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from twoworlds.release.ledger.entries import Line

__all__ = ["Store"]


class Store(Protocol):
    """An append-only table of entries with one writer at a time.

    Every method raises `LedgerUnavailable` when the database cannot be reached, is locked,
    read-only or full, and `LedgerDamaged` when it cannot be read as what it was.
    """

    def rows(self, after: int) -> Iterator[Line]:
        """Yield the rows with a larger sequence, in order."""
        ...

    def row(self, sequence: int) -> Line | None:
        """Return one row, if it is there."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """Exclude other writers; at the end all of it is durable, or none of it after an error."""
        ...

    def append(self, row: Line) -> None:
        """Add one row; only inside `writing`."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...
