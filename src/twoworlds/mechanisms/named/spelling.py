"""Spelling arguments so that the text of a mechanism can be typed again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from twoworlds.numbers import exact_text, number

__all__ = ["spelled_rows", "spelled_values"]

_SPECIAL = set(",=()[]{} '\"")


def spelled_values(values: Iterable[object]) -> str:
    """Return a set of values as one would type it: how many, or the list of names.

    >>> spelled_values((0, 1, 2)), spelled_values(("yes", "no", "not known"))
    ('3', "[yes, no, 'not known']")
    """
    listed = tuple(values)
    if listed == tuple(range(len(listed))):
        return str(len(listed))
    return f"[{', '.join(_quoted(str(value)) for value in listed)}]"


def spelled_rows(rows: Iterable[Sequence[object]]) -> str:
    """Return a matrix as one would type it.

    >>> spelled_rows([["1/2", 0.5]])
    '[[1/2, 1/2]]'
    """
    lines = (", ".join(str(exact_text(number(entry))) for entry in row) for row in rows)
    return f"[{', '.join(f'[{line}]' for line in lines)}]"


def _quoted(text: str) -> str:
    if not _SPECIAL & set(text):
        return text
    return f'"{text}"' if "'" in text else f"'{text}'"
