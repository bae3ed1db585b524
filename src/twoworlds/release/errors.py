"""What a release is refused for: over budget, a ledger that is damaged or not to be had right now.

    TwoWorldsError
    ├── InvalidInput
    │   ├── OverBudget          the cost does not fit under a cap; nothing was charged
    │   └── RequestTaken        the name of a request paid for another query
    ├── LedgerDamaged           the chain, or its high-water mark, does not verify
    └── LedgerUnavailable       locked, read-only, full, out of reach: nothing was answered

No message holds an answer or a value of the data.

`ReleaseFailed` is the one error of a release that was paid and then could not be answered. An error
is an output: whatever the data holds, its type, its text and, up to the pace of the curator, its
time are the same. What went wrong stands in no message and in no log.
"""

from __future__ import annotations

from twoworlds.errors import InvalidInput, TwoWorldsError


class OverBudget(InvalidInput):
    """A cost does not fit under a cap; nothing was charged."""


class RequestTaken(InvalidInput):
    """The name of a request paid for another query; nothing was charged."""


class LedgerDamaged(TwoWorldsError):
    """An entry does not verify, or the ledger went back in time.

    Attributes:
        entry: The number of the first entry that is wrong or missing, if it is known.
    """

    def __init__(self, message: str, *, entry: int | None = None) -> None:
        super().__init__(message)
        self.entry = entry


class LedgerUnavailable(TwoWorldsError):
    """The ledger cannot be used at the moment; the message names the way out."""


_TEXT = (
    "the release was charged but could not be answered: the engine failed. Ask the same query "
    "again, which costs nothing more; if it fails again, ask the owner of the data"
)


class ReleaseFailed(TwoWorldsError):
    """A paid release could not be computed; the same query may be asked again for free."""

    def __init__(self) -> None:
        """Take no argument: there is one text."""
        super().__init__(_TEXT)
