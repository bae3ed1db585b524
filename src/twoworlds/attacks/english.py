"""Numbers with their nouns, and lists, as sentences about attacks say them."""

from __future__ import annotations

from collections.abc import Sequence

_MOST = 8


def plural(noun: str) -> str:
    """Return the plural of the name of a column."""
    if noun.endswith("is"):
        return f"{noun[:-2]}es"
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return "people" if noun == "person" else f"{noun}s"


def counted(number: int, noun: str) -> str:
    """Return a number of things."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def listed(texts: Sequence[str], last: str = "and") -> str:
    """Return a list in words; a long one by its first items, unless one alone were left out."""
    shown = list(texts)
    if len(shown) > _MOST + 1:
        shown = [*shown[:_MOST], f"{len(shown) - _MOST:,} more"]
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}" if len(shown) > 1 else "".join(shown)
