"""JSON: one rule that makes plain data of whatever a result holds.

A number is ``{"exact": "3/4", "value": 0.75}``, with ``lower`` and ``upper`` where only an
enclosure is known; an integer that counts stays one. A result is its fields, and so is a dataclass.
What has a text form, such as a mechanism, a universe or a definition, is that text. Mappings and
lists stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any

from twoworlds.numbers import Real, to_json


def plain(value: Any) -> Any:
    """Return plain data, ready for JSON.

    >>> plain({"delta": Fraction(1, 4), "people": 3})
    {'delta': {'exact': '1/4', 'value': 0.25}, 'people': 3}
    """
    match value:
        case None | bool() | str() | int() | float():
            return value
        case Fraction() | Real():
            return to_json(value)
        case Enum():
            return value.value
        case PurePath():
            return str(value)
        case Mapping():
            return {str(name): plain(one) for name, one in value.items()}
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "expression"):
        return value.expression
    if isinstance(value, Iterable):
        return [plain(one) for one in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value) if one.repr}
    raise TypeError(f"{type(value).__name__} has no plain form: give it a text form, or fields")
