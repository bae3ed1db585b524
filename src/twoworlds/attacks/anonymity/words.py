"""Groups and what they give away, in words: "all 4 people in their 30s in 130** have Cancer"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from twoworlds.attacks.anonymity.groups import Group
from twoworlds.attacks.generalised import Anything, Cell, read_cell

__all__ = ["counted", "has", "joined", "people", "who"]

Cells = Mapping[str, Mapping[str, Cell]]

_AGE = re.compile(r"(^|[^a-z])age($|[^a-z])", re.IGNORECASE)
_PLACE = re.compile(
    r"zip|post(al|code)|city|town|county|country|state|region|district|ward|area|place|location",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[^\W\d]{3}")
_FLAGS = {"yes", "true", "false", "none", "other", "unknown", "not known", "high", "low"}
_BARE = ("in their", "under", "over")
_MOST = 6


def counted(number: int, noun: str, many: str | None = None) -> str:
    """Return a number of things.

    >>> counted(1, "group"), counted(4, "person", "people")
    ('1 group', '4 people')
    """
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def joined(texts: Sequence[str], last: str = "and") -> str:
    """Return a list in words; a long one by its first items.

    >>> joined(["a", "b", "c"], "or"), joined(list("abcdefghij"))
    ('a, b or c', 'a, b, c, d, e and 5 others')
    """
    shown = list(texts)
    if len(shown) > _MOST:
        shown = [*shown[: _MOST - 1], f"{len(shown) - _MOST + 1:,} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def who(group: Group, cells: Cells) -> str:
    """Say what the people of a group share, as it follows "people"; suppressed cells say nothing.

    >>> who(Group((("zip", ("130**",)), ("age", ("3*",))), (), 4), {})
    'in their 30s in 130**'
    """
    said = [_said(column, texts, cells.get(column, {})) for column, texts in group.values]
    return " ".join(phrase for _, phrase in sorted(found for found in said if found is not None))


def people(group: Group, cells: Cells) -> str:
    """Return "4 people under 30 in 130**".

    >>> people(Group((("age", ("34",)), ("sex", ("f",))), (), 1), {})
    '1 person aged 34 with sex f'
    """
    return f"{counted(group.size, 'person', 'people')} {who(group, cells)}".rstrip()


def has(column: str, values: Sequence[str], last: str = "or") -> str:
    """Say sensitive values, as they follow "have": alone where they speak for themselves.

    >>> has("condition", ["Cancer"]), has("smoker", ["yes"]), has("salary", ["10", "20"])
    ('Cancer', 'smoker yes', 'salary 10 or 20')
    """
    plain = all(_PLAIN.search(value) and value.strip().lower() not in _FLAGS for value in values)
    shown = joined([value or "(empty)" for value in values], last)
    return shown if plain else f"{column} {shown}"


def _said(
    column: str, texts: Sequence[str], cells: Mapping[str, Cell]
) -> tuple[tuple[int, str], str] | None:
    """Return where a column stands in a sentence, and what is said of it."""
    read = [cells[text] if text in cells else read_cell(text) for text in texts]
    shown = [cell for cell in read if not isinstance(cell, Anything)]
    if not shown:
        return None
    if _AGE.search(column):
        words = " and ".join(cell.words() for cell in shown)
        return (0, column), words if words.startswith(_BARE) else f"aged {words}"
    named = " and ".join(str(cell).strip() or "(empty)" for cell in shown)
    if _PLACE.search(column):
        return (1, column), f"in {named}"
    return (2, column), f"with {column} {named}"
