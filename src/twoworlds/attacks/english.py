"""Numbers with their nouns, lists and percentages, as sentences about attacks say them."""

from __future__ import annotations

from collections.abc import Sequence

from twoworlds.numbers import Number, decimal

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


def percent(share: Number, digits: int = 3) -> str:
    """Write a bound on a share, rounded up; what is about so much is `share_text`'s.

    >>> from fractions import Fraction
    >>> percent(Fraction(2, 3)), percent(Fraction(1, 2))
    ('66.7%', '50%')
    """
    return f"{decimal(100 * share, digits)}%"
