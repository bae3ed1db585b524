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

Requests are read strictly: JSON without NaN, numbers kept as they were written, no files, no code.
A number of JSON becomes a `Numeral`, its own text, so that 0.1 is one tenth and nothing overflows.
Texts name mechanisms, beliefs and queries; on the command line such texts may also name files and
Python objects. Here they come from strangers, and anything that could is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from twoworlds.errors import InvalidInput, TwoWorldsError

LONGEST_TEXT = 4000
_DEEPEST = 32
_LONGEST_NUMERAL = 1000
_PATH = re.compile(r"(?<![\w)\]}%])\s*/|\.\.|\\|~/|\0")  # a slash that divides nothing
_FILES = (".csv", ".json", ".npy", ".tsv", ".parquet", ".yml", ".yaml", ".duckdb", ".sqlite")
_LONG = re.compile(r"\w{200,}")
_HERE = "/api/openapi.json"  # a path of the service, which refusals name
# A slash after a word divides; so does one before a lone number.
_PLACE = re.compile(r"(?<![\w/.:])/(?!\d+\b(?!/))[\w.@+-]+(?:/[\w.@+-]+)*")
_LONGEST = 1000
_FREE = "a release that was charged costs nothing more when it is asked again"
_LEDGER = (
    "the ledger cannot be used at the moment, so nothing was answered: try again, and ask the "
    f"owner of the data if it stays so; {_FREE}"
)
_DAMAGED = (
    "the ledger does not verify, so nothing is answered until its owner has looked at it: "
    "twoworlds ledger verify"
)
_INTERNAL = f"something failed inside the service: please report it to whoever runs it; {_FREE}"
_MEMORY = (
    f"this needs more memory than there is for one request: ask for something smaller; {_FREE}"
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


# --- requests, read strictly ---------------------------------------------------------------------


class Numeral(str):
    """A number of JSON, as it was written."""

    __slots__ = ()


def read_json(body: bytes) -> dict[str, Any]:
    """Read the object that a request sends.

    >>> read_json(b'{"epsilon": 0.1}')
    {'epsilon': '0.1'}

    Raises:
        Refused: when it is no JSON object, or has NaN, Infinity or too deep nesting in it.
    """
    try:
        found = json.loads(
            body.decode("utf-8"),
            parse_float=_numeral,
            parse_int=_numeral,
            parse_constant=_no_number,
            object_pairs_hook=_once,
        )
    except RecursionError:
        raise _bad("the JSON is nested too deeply") from None
    except UnicodeDecodeError:
        raise _bad("the request is not UTF-8 text") from None
    except ValueError as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "a number in it is bad"
        raise _bad(f"the request is not JSON ({reason[:80]}): send an object") from None
    if not isinstance(found, dict):
        raise _bad('the request is not a JSON object: send {"name": value, ...}')
    _check(found, 0)
    return found


def check_text(text: str, field: str) -> str:
    """Return a text that names nothing but models; refuse files and Python objects.

    >>> check_text("geometric(ratio=2)", "mechanism")
    'geometric(ratio=2)'

    Raises:
        InvalidInput: saying what it seems to name.
    """
    if not text.strip():
        raise InvalidInput(f"{field} is empty: say what is meant")
    if len(text) > LONGEST_TEXT:
        raise InvalidInput(
            f"{field} has {len(text)} characters: the service reads at most {LONGEST_TEXT}"
        )
    lowered = text.lower()
    if "python:" in lowered or "command:" in lowered:
        raise InvalidInput(
            f"{field}: the service runs no Python objects of yours; use the command line for them"
        )
    if _PATH.search(text) or any(suffix in lowered for suffix in _FILES):
        raise InvalidInput(
            f"{field}: the service reads no files; write the numbers themselves, or use the "
            "command line"
        )
    return text


def _numeral(text: str) -> Numeral:
    if len(text) > _LONGEST_NUMERAL:
        raise ValueError(text[:20])
    return Numeral(text)


def _no_number(name: str) -> NoReturn:
    raise _bad(f"{name} is not a number: send a finite one")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _bad("a name stands twice in one object of the request: send it once")
    return found


def _check(value: Any, depth: int) -> None:
    """Refuse what is nested too deeply, and lone surrogates, which no text can hold."""
    if depth > _DEEPEST:
        raise _bad(f"the JSON is nested more than {_DEEPEST} deep")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise _bad("a text of the request is not proper Unicode") from None
    elif isinstance(value, dict):
        for name, part in value.items():
            _check(name, depth)
            _check(part, depth + 1)
    elif isinstance(value, list):
        for part in value:
            _check(part, depth + 1)


def _bad(message: str) -> Refused:
    return Refused(400, "InvalidInput", message)
