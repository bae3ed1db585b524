"""Numbers with their nouns, and lists, as sentences about attacks say them."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["counted", "listed", "plural"]

_MOST = 8


def plural(noun: str) -> str:
    """Return the plural of the name of a column.

    >>> plural("condition"), plural("salary"), plural("diagnosis"), plural("illness")
    ('conditions', 'salaries', 'diagnoses', 'illnesses')
    """
    if noun.endswith("is"):
        return f"{noun[:-2]}es"
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return "people" if noun == "person" else f"{noun}s"


def counted(number: int, noun: str) -> str:
    """Return a number of things.

    >>> counted(1, "group"), counted(4000, "person")
    ('1 group', '4,000 people')
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def listed(texts: Sequence[str], last: str = "and") -> str:
    """Return a list in words; a long one by its first items, unless one alone were left out.

    >>> listed(["a", "b", "c"], "or"), listed(list("abcdefghij"))
    ('a, b or c', 'a, b, c, d, e, f, g, h and 2 more')
    """
    shown = list(texts)
    if len(shown) > _MOST + 1:
        shown = [*shown[:_MOST], f"{len(shown) - _MOST:,} more"]
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}" if len(shown) > 1 else "".join(shown)
