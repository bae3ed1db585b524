"""The one error of a release that was paid and then could not be answered.

An error is an output: whatever the data holds, its type, its text and, up to the pace of the
curator, its time are the same. What went wrong stands in no message and in no log.
"""

from __future__ import annotations

from twoworlds.errors import TwoWorldsError

__all__ = ["ReleaseFailed"]

_TEXT = (
    "the release was charged but could not be answered: the engine failed. Ask the same query "
    "again, which costs nothing more; if it fails again, ask the owner of the data"
)


class ReleaseFailed(TwoWorldsError):
    """A paid release could not be computed; the same query may be asked again for nothing."""

    def __init__(self) -> None:
        """Take no argument: there is one text."""
        super().__init__(_TEXT)
