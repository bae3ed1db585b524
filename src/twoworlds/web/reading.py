"""Requests, read strictly: JSON without NaN, numbers kept as they were written, no files, no code.

A number of JSON becomes a `Numeral`, its own text, so that 0.1 is one tenth and nothing overflows.
Texts name mechanisms, beliefs and queries; on the command line such texts may also name files and
Python objects. Here they come from strangers, and anything that could is refused.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from twoworlds.errors import InvalidInput
from twoworlds.web.refusals import Refused

LONGEST_TEXT = 4000
_DEEPEST = 32
_LONGEST_NUMERAL = 1000
_PATH = re.compile(r"(?<![\w)\]}%])\s*/|\.\.|\\|~/|\0")  # a slash that divides nothing
_FILES = (".csv", ".json", ".npy", ".tsv", ".parquet", ".yml", ".yaml", ".duckdb", ".sqlite")


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
    raise _bad(f"{name} is no number: send a finite one")


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
