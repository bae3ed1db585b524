"""What a subject gave out: many outputs at once, as plain values.

Whatever is computed from an output alone is post-processing, so a certified finding about it is a
finding about the subject. That leaves room to tidy: outputs become numbers, text, None, truth
values, and lists and dictionaries of these, up to eight within each other; what is nested more
deeply is the text that shows it. An error is an output too: ``"raises ValueError"``.

Objects are looked into: bytes, arrays and data frames, and whatever keeps its parts in fields, are
dictionaries of what they hold, with their type under ``"(type)"``. What shows nothing of itself but
its address is marked as not looked into, and the outcome says so (`unseen`).

Large outputs are cut, which is post-processing, too: a list or a dictionary of more than 4,096
items to its first 4,095 and its length, a text of more than 100,000 characters to its beginning and
a hash.

Three kinds: a one-dimensional array of numbers, a two-dimensional array (one vector per row), or a
list of plain values of any kind, mixed or not. The first two are fast.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

Outputs = np.ndarray | list[Any]
Path = tuple[Any, ...]  # of keys and places, from the outside to the inside
_DEEPEST = 8
LONGEST = 4096  # items of a list
_LONGEST_TEXT = 100_000
_HEAD = 200
_MARK = " characters, SHA-256 "
_LENGTH = "(length)"  # the key under which a dictionary that was cut has its length
_NUMBERS = (int, float)
_TYPE = "(type)"  # the key under which an object that was looked into has its type
_UNSEEN = " (not looked into)"
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_COARSE_BITS = 32
_FAILED = ("raises ", "exits with ")


def raised(error: BaseException) -> str:
    """Return the output that an error is: its type, and nothing of its text."""
    return f"raises {type(error).__name__}"


def plain(value: Any, depth: int = 0) -> Any:
    """Return a value as plain Python: numbers, text, None, truth values, lists, dictionaries.

    >>> plain((np.float64(1.5), {"a": np.int64(2)}, Fraction(1, 2), b"a"))
    [1.5, {'a': 2}, 0.5, {'(type)': 'bytes', 'bytes': [97]}]
    """
    if type(value) is str:
        return value if len(value) <= _LONGEST_TEXT else _hashed(value)
    if value is None or type(value) in (bool, int, float):
        return value
    if isinstance(value, np.generic):
        item = value.item()  # of a long double, itself
        return str(value) if isinstance(item, np.generic) else plain(item, depth)
    if isinstance(value, Fraction):
        return float(value) if Fraction(float(value)) == value else str(value)
    if depth < _DEEPEST:
        if isinstance(value, np.ndarray):
            return _plain_array(value, depth)
        if isinstance(value, Mapping):
            return _plain_table(value, depth)
        if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
            return _cut([plain(item, depth + 1) for item in islice(value, LONGEST)], len(value))
        if isinstance(value, (set, frozenset)):
            members = sorted((plain(item, depth + 1) for item in value), key=repr)
            return _cut(members[:LONGEST], len(members))
        try:
            parts = _parts(value)
        except Exception:  # somebody else's code
            parts = None
        if parts is not None:
            return _plain_table({_TYPE: type(value).__name__, **parts}, depth)
    try:
        text = f"{type(value).__name__} {value!r}"
    except Exception as error:  # nested too deeply, or its own repr fails
        return f"{type(value).__name__} that cannot be shown ({type(error).__name__}){_UNSEEN}"
    return f"{type(value).__name__}{_UNSEEN}" if _ADDRESS.search(text) else plain(text)


def _parts(value: Any) -> dict[str, Any] | None:
    """Return what an object holds, by name; None where that cannot be told."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"bytes": list(bytes(value))}
    if isinstance(value, (type, Enum)):
        return None
    library = type(value).__module__.partition(".")[0]
    if library == "pandas" and hasattr(value, "iloc"):
        if hasattr(value, "columns"):
            columns = {f"{name}": value.iloc[:, i].tolist() for i, name in enumerate(value.columns)}
            return {"index": value.index.tolist(), "types": [*map(str, value.dtypes)], **columns}
        return {"index": value.index.tolist(), "values": value.tolist()}
    if library == "polars" and hasattr(value, "get_columns"):
        columns = {one.name: one.to_list() for one in value.get_columns()}
        return {"types": [*map(str, value.dtypes)], **columns}
    if library in ("polars", "pyarrow"):
        for read in ("to_pydict", "to_pylist", "to_list"):
            if hasattr(value, read):
                return {"values": getattr(value, read)()}
    if hasattr(value, "__array__"):
        return {"values": np.asarray(value)}
    if isinstance(value, BaseException):
        return {"args": value.args, **vars(value)}
    for base in (int, float, str):
        if isinstance(value, base):
            return {"value": base(value)}
    slots = (
        name
        for kind in type(value).__mro__
        for name in _names(kind.__dict__.get("__slots__", ()))
        if hasattr(value, name) and name not in ("__dict__", "__weakref__")
    )
    kept = {name: getattr(value, name) for name in slots} | getattr(value, "__dict__", {})
    return kept if kept and not callable(value) else None


def _names(slots: Any) -> Iterable[str]:
    return (slots,) if isinstance(slots, str) else slots


def coarse(value: Any) -> Any:
    """Return outputs whose floats are rounded to 32 significant bits, without negative zeros."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind != "f":
            return value
        with np.errstate(all="ignore"):
            mantissa, exponent = np.frexp(value)
            near = np.ldexp(np.rint(np.ldexp(mantissa, _COARSE_BITS)), exponent - _COARSE_BITS)
        return np.where(np.isfinite(value), near, value) + 0.0
    if type(value) is float:
        if not math.isfinite(value):
            return value
        part, power = math.frexp(value)
        return math.ldexp(round(math.ldexp(part, _COARSE_BITS)), power - _COARSE_BITS) + 0.0
    if isinstance(value, (list, tuple)):
        return type(value)(map(coarse, value))
    if isinstance(value, dict):
        return {coarse(key): coarse(item) for key, item in value.items()}
    return value


def _cut(items: list[Any], length: int) -> list[Any]:
    """Put the length in the last place of what was cut, as a number like those before it."""
    if length <= LONGEST:
        return items
    return [*items[:-1], float(length) if type(items[0]) is float else length]


def _plain_array(value: np.ndarray, depth: int) -> Any:
    cut = value if value.size <= LONGEST else value.ravel()[:LONGEST]
    listed = cut.tolist()
    if cut.dtype.kind not in "biuf" or cut.dtype.itemsize > 8:
        listed = plain(listed, depth)
    return _cut(listed, value.size) if value.size > LONGEST else listed


def _hashed(text: str) -> str:
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return f"{text[:_HEAD]}... ({len(text)}{_MARK}{digest})"


def _plain_table(value: Mapping[Any, Any], depth: int) -> dict[Any, Any]:
    cut = len(value) > LONGEST
    kept = islice(value.items(), LONGEST - 1 if cut else None)
    found = {_key(k): plain(v, depth + 1) for k, v in kept}
    return found | {_LENGTH: len(value)} if cut else found


def _key(key: Any) -> Any:
    found = plain(key, _DEEPEST)
    return found if isinstance(found, (bool, int, float, str)) else str(found)


def tidy(drawn: Any) -> Outputs:
    """Return outputs as the fastest of the three kinds that loses nothing."""
    if isinstance(drawn, np.ndarray) and drawn.dtype.kind in "biuf" and drawn.ndim in (1, 2):
        narrow = drawn.ndim == 1 or 0 < drawn.shape[1] <= LONGEST
        if narrow and drawn.dtype.kind in "bi":
            return drawn.astype(np.int64)
        if narrow and drawn.dtype.kind == "f" and drawn.dtype.itemsize <= 8:
            return drawn.astype(np.float64)  # a narrower float is exactly one of these
    return settled([plain(value) for value in drawn])


def settled(values: list[Any]) -> Outputs:
    """Return plain values as the fastest of the three kinds."""
    kind = _only_kind(values)
    if kind in _NUMBERS:
        return _array(values, kind)
    if kind is list and len({len(value) for value in values}) == 1:
        inner = _only_kind(item for value in values for item in value)
        return _array(values, inner) if inner in _NUMBERS else values
    return values


def _only_kind(values: Iterable[Any]) -> type | None:
    """Return the type that all values have, if there is one."""
    kinds = {type(value) for value in values}
    return kinds.pop() if len(kinds) == 1 else None


def _array(values: list[Any], kind: type | None) -> Outputs:
    try:
        return np.array(values, dtype=np.int64 if kind is int else np.float64)
    except OverflowError:  # whole numbers beyond 64 bits
        return values


def as_list(outputs: Outputs) -> list[Any]:
    """Return outputs one by one, as plain values."""
    return outputs.tolist() if isinstance(outputs, np.ndarray) else outputs


def gathered(parts: Sequence[Outputs]) -> Outputs:
    """Return several batches as one, of a kind that all of them fit."""
    first = parts[0]
    if isinstance(first, np.ndarray):
        shapes = {
            (part.dtype, part.shape[1:]) if isinstance(part, np.ndarray) else None for part in parts
        }
        if len(shapes) == 1:
            return np.concatenate(parts)
    return [value for part in parts for value in as_list(part)]


def are_cut(outputs: Outputs) -> bool:
    """Tell whether some outputs may have been cut."""
    if isinstance(outputs, np.ndarray):
        return outputs.ndim == 2 and outputs.shape[1] == LONGEST
    return any(map(_is_cut, outputs))


def _is_cut(value: Any) -> bool:
    match value:
        case str():
            return _MARK in value[_HEAD:]
        case list():
            return len(value) == LONGEST or any(map(_is_cut, value))
        case dict():
            return _LENGTH in value or any(map(_is_cut, value.values()))
    return False


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield what stands in lists and dictionaries and is neither, with the path to it."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from leaves(item, (*path, i))
    else:
        yield path, value


def unseen(outputs: Outputs) -> set[str]:
    """Return the types of what was not looked into."""
    texts = (leaf for _, leaf in leaves(outputs) if isinstance(leaf, str))
    return {text.partition(" ")[0] for text in texts if text.endswith(_UNSEEN)}


def weight(outputs: Outputs) -> int:
    """Return roughly how many numbers would take as much memory."""
    if isinstance(outputs, np.ndarray):
        return int(outputs.size)
    return sum(4 + len(repr(value)) // 4 for value in outputs)


def failures(outputs: Outputs) -> set[str] | None:
    """Return the kinds of errors that outputs are, or None where one is no error."""
    if isinstance(outputs, np.ndarray):
        return None
    if all(isinstance(y, str) and y.startswith(_FAILED) for y in outputs):
        return set(outputs)
    return None
