"""Every error of the service in one form, with its status, and never with a value of the data.

    {"error": {"kind": "InvalidInput", "message": "...", "field": "mechanism"}}

    400  what was sent breaks a rule that the message states    401  no token, or a wrong one
    403  the role, the host or the origin is not allowed        404  there is nothing here
    405  this path takes another method                         408  the body came too slowly
    409  over budget; nothing was charged                       413  too large
    500  a failure, with a fixed text                           503  out of time, busy, no ledger

Messages of the library about models and queries are shown as they are: they speak of what was sent
and of the policy. Whatever may speak of the machine or of the data has a fixed text here, and of a
path nothing is left but the name of the file. What is a path is told by the text alone: whether it
is there would be an answer about the machine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from twoworlds.errors import TwoWorldsError

_LONG = re.compile(r"\w{200,}")
_HERE = "/api/openapi.json"  # a path of the service, which refusals name
# A slash after a word divides; so does one before a lone number.
_PLACE = re.compile(r"(?<![\w/.:])/(?!\d+\b(?!/))[\w.@+-]+(?:/[\w.@+-]+)*")
_LONGEST = 1000
_LEDGER = (
    "the ledger cannot be used at the moment, so nothing was answered: try again, and ask the "
    "owner of the data if it stays so"
)
_DAMAGED = (
    "the ledger does not verify, so nothing is answered until its owner has looked at it: "
    "twoworlds ledger verify"
)
_INTERNAL = "something failed inside the service: please report it to whoever runs it"
_MEMORY = (
    "this needs more memory than there is for one request: ask for something smaller; a release "
    "that was charged costs nothing more when it is asked again"
)
_NESTED = "the input is nested too deeply"


class Refused(Exception):
    """A request that gets an error for an answer."""

    def __init__(self, status: int, kind: str, message: str, field: str | None = None) -> None:
        """Take the parts of the answer."""
        super().__init__(message)
        self.status, self.kind, self.message, self.field = status, kind, message, field

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        message = _LONG.sub(_shortened, _PLACE.sub(_without_folders, self.message))
        if len(message) > _LONGEST:
            message = f"{message[:_LONGEST]}..."
        return {"error": {"kind": self.kind, "message": message, "field": self.field}}

    def body(self) -> bytes:
        """Return it as it is sent."""
        return json.dumps(self.to_dict(), ensure_ascii=False).encode("utf-8", "backslashreplace")


INTERNAL = Refused(500, "Internal", _INTERNAL)


@contextmanager
def about(field: str) -> Iterator[None]:
    """Say of every complaint within which field of the request it is about.

    >>> from twoworlds.errors import InvalidInput
    >>> try:
    ...     with about("belief"):
    ...         raise InvalidInput("it sums to 2")
    ... except InvalidInput as error:
    ...     refusal_of(error).field
    'belief'
    """
    try:
        yield
    except TwoWorldsError as error:
        error.field = error.field or field
        raise
    except (RecursionError, MemoryError) as error:
        said = refusal_of(error)
        raise Refused(said.status, said.kind, said.message, field) from None


def refusal_of(error: BaseException) -> Refused:
    """Return what is said to the client about an error."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, RecursionError):
        return Refused(400, "InvalidInput", _NESTED)
    if isinstance(error, MemoryError):
        return Refused(400, "TooLarge", _MEMORY)
    kind = type(error).__name__
    if not isinstance(error, TwoWorldsError) or kind == "TwoWorldsError":
        return INTERNAL
    fixed = {"LedgerUnavailable": (503, _LEDGER), "LedgerDamaged": (503, _DAMAGED)}
    if kind in fixed:
        status, text = fixed[kind]
        return Refused(status, kind, text)
    if kind == "ReleaseFailed":
        return Refused(500, kind, str(error))
    if kind == "OverBudget":
        return Refused(409, kind, str(error), error.field)
    return Refused(400, kind, str(error), error.field)


def _without_folders(place: re.Match[str]) -> str:
    """Leave of a path its last name."""
    path = place.group()
    return path if path == _HERE else path.rpartition("/")[2]


def _shortened(word: re.Match[str]) -> str:
    text = word.group()
    return f"{text[:20]}...{text[-10:]} ({len(text)} characters)"
