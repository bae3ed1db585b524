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

__all__ = ["START", "Entry", "canonical", "digest"]

START = "0" * 64  # the hash before the first entry
_LONGEST = 16 << 20
_DEEPEST = 100
_MOST_BITS = 14_000  # below 4,300 digits, which every Python reads back without being told to
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class Entry:
    """An entry as it is stored: its number, its canonical body and the hash of that."""

    sequence: int
    body: str
    hash: str

    @staticmethod
    def of(sequence: int, previous: str, time: str, kind: str, content: Mapping[str, Any]) -> Entry:
        """Write an entry that follows the one with hash ``previous``.

        The content is plain data: `canonical` has seen every part of it that came from elsewhere.

        >>> Entry.of(1, START, "2026-01-01T00:00:00Z", "begin", {}).hash[:8]
        '83b6ecd5'
        """
        place = {"sequence": sequence, "previous": previous, "time": time, "kind": kind}
        body = _encoded({**content, **place}, "content")
        return Entry(sequence, body, digest(body))

    def read(self, previous: str) -> tuple[str, dict[str, Any]]:
        """Return the kind and the content of an entry that must follow the one before."""
        body: Any = None
        try:
            right = digest(self.body) == self.hash
            body = json.loads(self.body) if right else None
            right = isinstance(body, dict) and _ENCODER.encode(body) == self.body
        except (ValueError, RecursionError, AttributeError, TypeError):
            right = False
        if not right:
            raise self._damaged("its content does not have the hash that was stored for it")
        kept = {key: body.pop(key, None) for key in ("sequence", "previous", "time", "kind")}
        if kept["sequence"] != self.sequence:
            raise self._damaged("it was written as another entry")
        if kept["previous"] != previous:
            raise self._damaged("it does not follow the entry before it")
        return str(kept["kind"]), body

    def _damaged(self, what: str) -> LedgerDamaged:
        return LedgerDamaged(
            f"ledger entry {self.sequence} does not verify: {what}; "
            "restore the newest backup in which it does, nothing is answered until then",
            entry=self.sequence,
        )


def canonical(value: object, name: str = "content") -> str:
    r"""Return the canonical JSON of plain data.

    >>> canonical({"b": 1, "a": [True, None, "é"]})
    '{"a":[true,null,"\\u00e9"],"b":1}'
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
