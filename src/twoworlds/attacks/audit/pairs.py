"""Pairs of neighbouring databases: those that were given, and those that are proposed.

Who gives none gets proposals that are neighbours under a stated reading:

* ``one``: numbers, or lists in which one entry differs, by at most 1;
* ``all``: lists in which every entry may differ by at most 1 (answers to queries of sensitivity 1);
* ``add-remove``: lists of which one has an entry more.

The patterns for lists are those that StatDP generates (Ding, Wang, Wang, Zhang and Kifer, Detecting
violations of differential privacy, CCS 2018), one above, one below, half and half and so on, and
their mirror images.
A finding names its pair: whoever reads it can see whether these two are neighbours in their sense.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from typing import Any

from twoworlds.errors import InvalidInput, UnknownName

__all__ = [
    "NEIGHBOURS",
    "Pair",
    "landmarks",
    "lists",
    "meaning",
    "numbers",
    "read_pair",
    "split_pair",
]

Pair = tuple[Any, Any]
NEIGHBOURS = {
    "one": "one entry differs, by at most 1",
    "all": "every entry may differ, by at most 1",
    "add-remove": "one list has an entry more",
}
LENGTH = 5
_OPENING = ("[", "{", "(", '"', "'")
_CLOSING = ("]", "}", '"')


def meaning(neighbours: str) -> str:
    """Return what a reading calls neighbours, in words."""
    if neighbours not in NEIGHBOURS:
        raise UnknownName("reading of neighbours", neighbours, NEIGHBOURS)
    return NEIGHBOURS[neighbours]


def read_pair(text: str | Pair) -> Pair:
    """Read two databases with ``~`` between them, each a Python or JSON value or plain text.

    A pair that is no text is taken as it is.
    """
    if not isinstance(text, str):
        return _two(text)
    first, second = map(_value, split_pair(text))
    if first == second and type(first) is type(second):
        raise InvalidInput(
            f"pair {text!r}: both databases are the same, nothing could tell them apart"
        )
    return first, second


def split_pair(text: str) -> tuple[str, str]:
    """Return the two texts on both sides of ``~``."""
    parts = [part.strip() for part in text.split("~")]
    if len(parts) != 2 or not all(parts):
        raise InvalidInput(
            f"pair {text!r}: write two databases with ~ between, as in '[0, 0] ~ [1, 0]'"
        )
    return parts[0], parts[1]


def _two(pair: Any) -> Pair:
    try:
        first, second = pair
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"pair {pair!r}: give two databases") from error
    return first, second


def _value(text: str) -> Any:
    for read in (ast.literal_eval, json.loads):
        try:
            return read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    if text.startswith(_OPENING) or text.endswith(_CLOSING):
        raise InvalidInput(
            f"database {text!r} looks like a value, but cannot be read as one: close what is "
            "opened, as in [0, 1]; text with brackets or quotes stands in quotes, as in '\"(a\"'"
        )
    return text


def numbers() -> list[Pair]:
    """Return pairs of single numbers at most 1 apart."""
    return [(0.0, 1.0), (0.0, 0.3), (1.0, 2.0), (1000.0, 1001.0)]


def lists(neighbours: str, length: int = LENGTH, unit: Any = 1) -> list[Pair]:
    """Return pairs of lists of numbers that are neighbours under a reading."""
    meaning(neighbours)
    return _distinct(_patterns(neighbours, length, unit))


def _distinct(pairs: Iterator[Pair]) -> list[Pair]:
    found: list[Pair] = []
    for pair in pairs:
        if pair not in found and pair[::-1] not in found and pair[0] != pair[1]:
            found.append(pair)
    return found


def _patterns(neighbours: str, n: int, unit: Any) -> Iterator[Pair]:
    zero, two = 0 * unit, 2 * unit
    ones, rest = [unit] * n, [unit] * (n - 1)
    if neighbours == "add-remove":
        yield ones, rest
        yield [zero] * n, [*[zero] * (n - 1)]
        yield [*[zero] * (n - 1), unit], [zero] * (n - 1)
        yield [unit], []
        return
    yield ones, [zero, *rest]
    yield ones, [two, *rest]
    yield [zero] * n, [*[zero] * (n - 1), unit]
    if neighbours == "one":
        return
    above, below = [two] * (n - 1), [zero] * (n - 1)
    half = n // 2
    yield ones, [two, *below]
    yield ones, [zero, *above]
    yield ones, [*above, unit]
    yield ones, [*below, two]
    yield ones, [two] * half + [zero] * (n - half)
    yield ones, [two] * n
    yield ones, [zero] * n
    yield [unit] * half + [zero] * (n - half), [zero] * half + [unit] * (n - half)


def landmarks(pair: Sequence[Any]) -> list[float]:
    """Return numbers that an output may start from: those in the databases, and their sums."""
    found: list[float] = []
    for database in pair:
        items = database if isinstance(database, (list, tuple)) else [database]
        values = [x for x in items if isinstance(x, (int, float)) and abs(x) < 1e15]
        for value in [sum(values), *values]:
            if value and float(value) not in found:
                found.append(float(value))
    return found
