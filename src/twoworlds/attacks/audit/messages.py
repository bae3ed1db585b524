"""Messages between an audit and the process of its subject: JSON, which cannot run anything.

A message is its length in eight bytes, then JSON. What JSON has not is written as an object with
one tag: tuples, sets, bytes, dictionaries (their keys need not be text), NaN and the infinities,
fractions, numpy's scalars and its arrays of numbers. Anything else cannot be handed over. The
reader believes nothing: what it cannot read, or what is too long, is refused.
"""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import IO, Any

import numpy as np

from twoworlds.errors import InvalidInput

__all__ = ["LARGEST", "Unreadable", "receive", "send"]

LARGEST = 256 << 20  # bytes
_HEAD = struct.Struct(">Q")
_DEEPEST = 100
_ARRAYS = "biuf"  # the kinds of numpy that hold plain numbers


class Unreadable(Exception):
    """What came is no message."""


def send(stream: IO[bytes], value: Any) -> None:
    """Write one message.

    Raises:
        InvalidInput: for a value that cannot be handed over, or is too large.
    """
    body = json.dumps(_encoded(value, 0), allow_nan=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
    if len(body) > LARGEST:
        raise InvalidInput(
            f"the outputs of one batch take {len(body) >> 20} MB, and at most {LARGEST >> 20} MB "
            "are handed over at once: let the subject return less"
        )
    stream.write(_HEAD.pack(len(body)) + body)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one message.

    Raises:
        EOFError: when there is none.
        Unreadable: when it is none, or is too large.
    """
    head = stream.read(_HEAD.size)
    if not head:
        raise EOFError
    size = _HEAD.unpack(head)[0] if len(head) == _HEAD.size else 0
    if not 0 < size <= LARGEST:
        raise Unreadable
    body = stream.read(size)
    if len(body) < size:
        raise Unreadable
    try:
        return _decoded(json.loads(body.decode("utf-8", "surrogatepass")))
    except Exception as error:  # whatever was written there
        raise Unreadable from error


# --- values ---------------------------------------------------------------------------------------


def _encoded(value: Any, depth: int) -> Any:
    kind = type(value)
    if value is None or kind in (bool, str) or (kind is float and math.isfinite(value)):
        return value
    if kind is int:
        return value if -(2**63) <= value < 2**63 else {"int": hex(value)}
    if depth > _DEEPEST:
        raise InvalidInput(f"a value is nested more than {_DEEPEST} deep: it is not handed over")
    if kind is list:
        return [_encoded(item, depth + 1) for item in value]
    if kind in _TAGS:
        tag, parts = _TAGS[kind]
        return {tag: parts(value, depth + 1)}
    if isinstance(value, np.generic) and value.dtype.kind in _ARRAYS:
        return {"scalar": _array(value)}
    raise InvalidInput(
        f"a value of type {kind.__name__} cannot be handed over between processes: give numbers, "
        "text, lists, dictionaries or numpy arrays, or audit the function itself in Python"
    )


def _items(value: Any, depth: int) -> list[Any]:
    return [_encoded(item, depth) for item in value]


def _pairs(value: dict[Any, Any], depth: int) -> list[Any]:
    return [[_encoded(key, depth), _encoded(item, depth)] for key, item in value.items()]


def _array(value: np.ndarray | np.generic) -> list[Any]:
    if value.dtype.kind not in _ARRAYS or value.dtype.itemsize > 8:
        raise InvalidInput(
            f"an array of {value.dtype} cannot be handed over: give one of numbers of up to 64 bits"
        )
    little = np.ascontiguousarray(value).astype(value.dtype.newbyteorder("<"), copy=False)
    return [little.dtype.str, list(value.shape), base64.b64encode(little.tobytes()).decode()]


_TAGS: dict[type, tuple[str, Callable[[Any, int], Any]]] = {
    float: ("float", lambda x, _: str(x)),  # NaN and the infinities
    tuple: ("tuple", _items),
    set: ("set", _items),
    frozenset: ("frozenset", _items),
    dict: ("dict", _pairs),
    bytes: ("bytes", lambda x, _: base64.b64encode(x).decode()),
    Fraction: ("fraction", lambda x, _: [hex(x.numerator), hex(x.denominator)]),
    np.ndarray: ("array", lambda x, _: _array(x)),
}


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    [(tag, content)] = value.items()
    return _READERS[tag](content)


def _numbers(content: Any) -> np.ndarray:
    kind, shape, data = content
    dtype = np.dtype(kind)
    if dtype.kind not in _ARRAYS or dtype.itemsize > 8:
        raise ValueError(kind)
    return np.frombuffer(base64.b64decode(data, validate=True), dtype=dtype).reshape(shape).copy()


_READERS: dict[str, Callable[[Any], Any]] = {
    "int": lambda x: int(x, 16),
    "float": float,
    "tuple": lambda x: tuple(map(_decoded, x)),
    "set": lambda x: set(map(_decoded, x)),
    "frozenset": lambda x: frozenset(map(_decoded, x)),
    "dict": lambda x: {_decoded(key): _decoded(item) for key, item in x},
    "bytes": lambda x: base64.b64decode(x, validate=True),
    "fraction": lambda x: Fraction(int(x[0], 16), int(x[1], 16)),
    "array": _numbers,
    "scalar": lambda x: _numbers(x)[()],
}
