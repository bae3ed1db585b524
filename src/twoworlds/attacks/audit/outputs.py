"""What a subject gave out: many outputs at once, as plain values.

Whatever is computed from an output alone is post-processing, so a certified finding about it is a
finding about the subject. That leaves room to tidy: outputs become numbers, text, None, truth
values, and lists and dictionaries of these. An error is an output too: ``"raises ValueError"``.

Three kinds: a one-dimensional array of numbers, a two-dimensional array (one vector per row), or a
list of plain values of any kind, mixed or not. The first two are fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["Outputs", "as_list", "gathered", "plain", "raised", "tidy"]

Outputs = np.ndarray | list[Any]
_DEEPEST = 8
_WIDEST = 256
_NUMBERS = (int, float)


def raised(error: BaseException) -> str:
    """Return the output that an error is: its type, and nothing of its text.

    >>> raised(ZeroDivisionError("division by zero"))
    'raises ZeroDivisionError'
    """
    return f"raises {type(error).__name__}"


def plain(value: Any, depth: int = 0) -> Any:
    """Return a value as plain Python: numbers, text, None, truth values, lists, dictionaries.

    >>> plain((np.float64(1.5), {"a": np.int64(2)}, Fraction(1, 2)))
    [1.5, {'a': 2}, 0.5]
    """
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.generic):
        item = value.item()  # of a long double, itself
        return str(value) if isinstance(item, np.generic) else plain(item, depth)
    if isinstance(value, Fraction):
        return float(value) if Fraction(float(value)) == value else str(value)
    if depth < _DEEPEST:
        if isinstance(value, np.ndarray):
            return plain(value.tolist(), depth)
        if isinstance(value, Mapping):
            return {_key(k): plain(v, depth + 1) for k, v in value.items()}
        if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
            return [plain(item, depth + 1) for item in value]
        if isinstance(value, (set, frozenset)):
            return sorted((plain(item, depth + 1) for item in value), key=repr)
    return f"{type(value).__name__} {value!r}"


def _key(key: Any) -> Any:
    found = plain(key, _DEEPEST)
    return found if isinstance(found, (bool, int, float, str)) else str(found)


def tidy(drawn: Any) -> Outputs:
    """Return outputs as the fastest of the three kinds that loses nothing."""
    if isinstance(drawn, np.ndarray) and drawn.dtype.kind in "biuf" and drawn.ndim in (1, 2):
        narrow = drawn.ndim == 1 or 0 < drawn.shape[1] <= _WIDEST
        if narrow and drawn.dtype.kind in "bi":
            return drawn.astype(np.int64)
        if narrow and drawn.dtype.kind == "f" and drawn.dtype.itemsize <= 8:
            return drawn.astype(np.float64)  # a narrower float is exactly one of these
    values = [plain(value) for value in drawn]
    kind = _only_kind(values)
    if kind in _NUMBERS:
        return _array(values, kind)
    if kind is list and len({len(value) for value in values}) == 1 and len(values[0]) <= _WIDEST:
        inner = _only_kind([item for value in values for item in value])
        return _array(values, inner) if inner in _NUMBERS else values
    return values


def _only_kind(values: list[Any]) -> type | None:
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
