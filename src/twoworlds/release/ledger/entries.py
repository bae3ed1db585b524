r"""Entries of the ledger: a chain of canonical JSON, each entry holding the hash of the one before.

    body = canonical JSON of {"sequence": n, "previous": hash of entry n - 1, "time", "kind", ...}
    hash = SHA-256 of the body

Canonical: keys sorted, no spaces, ASCII only, so that two writers of the same content write the
same bytes. Exact numbers stand in it as text ("epsilon=1/10"). A chain shows that entries were
changed, moved or left out in the middle; that the end was cut off shows only against a mark kept
elsewhere (`twoworlds.release.ledger.mark`). There is no key: who can write all files can write
another history.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.release.errors import LedgerDamaged

__all__ = ["START", "Entry", "Line", "canonical", "digest", "read"]

START = "0" * 64  # the hash before the first entry
_LONGEST = 16 << 20
_DEEPEST = 100
_MOST_BITS = 14_000  # below 4,300 digits, which every Python reads back without being told to
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class Line:
    """An entry as it is stored."""

    sequence: int
    body: str
    hash: str


@dataclass(frozen=True)
class Entry:
    """An entry with its place in the chain."""

    sequence: int
    previous: str
    time: str
    kind: str
    content: Mapping[str, Any]

    def row(self) -> Line:
        """Return what is stored: the canonical body and its hash.

        The content is plain data: `canonical` has seen every part of it that came from elsewhere.

        >>> Entry(1, START, "2026-01-01T00:00:00Z", "begin", {}).row().hash[:8]
        '83b6ecd5'
        """
        body = _encoded(
            {
                **self.content,
                "sequence": self.sequence,
                "previous": self.previous,
                "time": self.time,
                "kind": self.kind,
            },
            "content",
        )
        return Line(self.sequence, body, digest(body))


def canonical(value: object, name: str = "content") -> str:
    r"""Return the canonical JSON of plain data.

    >>> canonical({"b": 1, "a": [True, None, "é"]})
    '{"a":[true,null,"\\u00e9"],"b":1}'

    Raises:
        InvalidInput: for anything but None, truth values, whole numbers, finite floats, text, lists
            and dictionaries with text as keys. The message never holds the value.
    """
    _check_plain(value, name, 0)
    return _encoded(value, name)


def _encoded(value: object, name: str) -> str:
    text = _ENCODER.encode(value)
    if len(text) > _LONGEST:
        raise InvalidInput(
            f"{name} takes {len(text)} bytes as JSON, at most {_LONGEST} are kept: "
            "store it elsewhere and give its SHA-256 here"
        )
    return text


def digest(text: str) -> str:
    """Return the SHA-256 of a canonical text, in hexadecimal."""
    return sha256(text.encode("ascii")).hexdigest()


def read(row: Line, previous: str) -> Entry:
    """Return the entry of a stored row that must follow the entry with hash ``previous``.

    Raises:
        LedgerDamaged: with the number of the entry, when it does not.
    """
    number = row.sequence
    body = _content(row)
    if body is None:
        raise _damaged(number, "its content does not have the hash that was stored for it")
    kept = {key: body.pop(key, None) for key in ("sequence", "previous", "time", "kind")}
    if kept["sequence"] != number:
        raise _damaged(number, "it was written as another entry")
    if kept["previous"] != previous:
        raise _damaged(number, "it does not follow the entry before it")
    return Entry(number, previous, str(kept["time"]), str(kept["kind"]), body)


def _content(row: Line) -> dict[str, Any] | None:
    """Return the content of a row that has its hash and is canonical, or None."""
    try:
        body = json.loads(row.body) if digest(row.body) == row.hash else None
        right = isinstance(body, dict) and _ENCODER.encode(body) == row.body
    except (ValueError, RecursionError, AttributeError, TypeError):
        return None
    return body if right else None


def _damaged(number: int, what: str) -> LedgerDamaged:
    return LedgerDamaged(
        f"ledger entry {number} does not verify: {what}; "
        "restore the newest backup in which it does, nothing is answered until then",
        entry=number,
    )


def _check_plain(value: object, name: str, depth: int) -> None:
    if depth > _DEEPEST:
        raise InvalidInput(f"{name} is nested more than {_DEEPEST} deep: flatten it")
    kind = type(value)
    if value is None or kind in (bool, str):
        return
    if kind is int:
        if value.bit_length() > _MOST_BITS:  # type: ignore[attr-defined]
            raise InvalidInput(f"{name} holds a number too long to be written: round it")
        return
    if kind is float:
        if not math.isfinite(value):  # type: ignore[arg-type]
            raise InvalidInput(f"{name} holds NaN or an infinity, which JSON has not: use None")
        return
    if isinstance(value, (list, tuple)):
        for item in value:
            _check_plain(item, name, depth + 1)
        return
    if kind is dict:
        if not all(type(key) is str for key in value):  # type: ignore[attr-defined]
            raise InvalidInput(f"{name} has a key that is not text: use text as keys")
        for item in value.values():  # type: ignore[attr-defined]
            _check_plain(item, name, depth + 1)
        return
    raise InvalidInput(
        f"{name} holds an object of type {kind.__name__}, which is not plain data: "
        "give numbers, text, lists and dictionaries (of a numpy value, its .item() or .tolist())"
    )
