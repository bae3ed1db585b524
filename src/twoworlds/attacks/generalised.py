"""Generalised cells: a cell of an anonymised table says a set of possible values.

A published cell is either the true entry or a set that holds it (Wu, Section 1.1). `read_cell`
reads these ways of writing a set, and everything else as a plain value:

    ``*``, ``***``                       anything
    ``130**``                            texts of this length that agree where there is no star
    ``<30`` ``≤30`` ``<=30`` ``>30`` ``≥40`` ``>=40`` ``40+``      numbers on one side of a bound
    ``30-39`` ``30–39`` ``30..39`` ``30 to 39``                    numbers from, to; with both ends
    ``[30, 40)`` ``(30, 40]`` ``[30, 40[`` ``[40, inf)`` ``30 to below 40``    ends in or out
    ``{a, b, c}`` ``a|b|c``              one of several

Readings that were chosen, because the text alone does not decide:

* A column is one of *numbers* when one of its texts is a bound or an interval of numbers, or when
  all are plain numbers without leading zeros; otherwise it is one of *texts*. `column_cells`
  decides this once for the whole column. Zip codes with masks are texts: ``130**`` allows
  ``13012``, neither ``1301`` nor ``130123``.
* In a column of numbers a mask stands for whole numbers: ``3*`` is 30, 31, ..., 39, and a star in
  front may be a zero. So ``3*`` beside ``<30`` is 30 to 39.
* Intervals and bounds hold all real numbers between their ends. Hence ``>39`` and ``<40`` meet.
* Blanks at the ends do not count, capital letters do. An empty cell is read as the plain value "",
  and ``Not known`` is a plain value too: neither allows anything else. Those who ask which rows fit
  what is known of a person do not read empty cells here: composition, linkage and the groups by
  knowledge of `twoworlds.attacks.anonymity` take them for ``*``. ``40-30`` and ``[40, 30)``, too,
  are plain values: no number is in them, so they may be codes; `is_empty_interval` tells them from
  others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from twoworlds.attacks.cells import Anything, Cell, Choice, Interval, Mask, Value, plain_number
from twoworlds.errors import InvalidInput

__all__ = [
    "Anything",
    "Cell",
    "Choice",
    "Interval",
    "Mask",
    "Value",
    "column_cells",
    "is_empty_interval",
    "plain_number",
    "read_cell",
]

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)"
_PADDED = re.compile(r"[+-]?0\d", re.ASCII)
_BOUND = re.compile(rf"(<=|>=|[<>≤≥])\s*({_NUMBER})", re.ASCII)
_OPEN_ENDED = re.compile(rf"({_NUMBER})\s*\+", re.ASCII)
_SPAN = re.compile(rf"({_NUMBER})\s*(?:-|–|—|\.\.|to)\s*({_NUMBER})", re.ASCII)
_HALF_OPEN = re.compile(rf"({_NUMBER})\s+to\s+below\s+({_NUMBER})", re.ASCII)
_BRACKETS = re.compile(
    rf"([\[\](])\s*({_NUMBER}|-\s*(?:inf|∞))\s*[,;]\s*({_NUMBER}|\+?(?:inf|∞))\s*([\[\])])",
    re.ASCII,
)


def read_cell(text: str, *, numeric: bool | None = None) -> Cell:
    """Read one published cell as the set of values that it allows.

    Args:
        text: What the cell says.
        numeric: Whether the column is one of numbers; by default a bound, an interval or a plain
            number without leading zeros is read as numbers, a mask as text. With False, bounds
            and intervals are plain texts.

    Raises:
        InvalidInput: for what is not text.

    >>> read_cell("[30, 40)").allows(40), read_cell("{flu, cold}").allows("cold")
    (False, True)
    """
    given: object = text
    if not isinstance(given, str):
        raise InvalidInput(f"a cell is read from text, not from {given!r} ({type(given).__name__})")
    plain = text.strip()
    if plain and not plain.strip("*"):
        return Anything(text)
    if (options := _options(plain)) is not None:
        cells = [read_cell(option, numeric=numeric) for option in options]
        if len(cells) == 1:
            return cells[0]
        return Choice(text, frozenset(cells), tuple(dict.fromkeys(map(str, cells))))
    if numeric is not False and (interval := _interval(plain)) is not None:
        return interval
    if "*" in plain:
        mask = Mask(text, plain)
        return Mask(text, plain, numeric=True) if numeric and mask.digits else mask
    if numeric or (numeric is None and not _PADDED.match(plain)):
        return Value(text, plain, plain_number(plain))
    return Value(text, plain)


def column_cells(texts: Iterable[str], *, numeric: bool | None = None) -> dict[str, Cell]:
    """Read the distinct texts of one column, after deciding once whether it is one of numbers.

    Args:
        texts: The texts; repeated ones count once.
        numeric: The decision, if it is not to be made from the texts.

    >>> ages = column_cells(["<30", "≥40", "3*"])
    >>> ages["3*"].allows(33), ages["3*"].meets(ages["<30"])
    (True, False)
    """
    distinct = list(dict.fromkeys(texts))
    decided = _of_numbers(distinct) if numeric is None else numeric
    return {text: read_cell(text, numeric=decided) for text in distinct}


def is_empty_interval(text: str) -> bool:
    """Tell whether a text is like an interval that no number is in.

    >>> [is_empty_interval(text) for text in ("40-30", "[40, 30)", "(30, 30]", "30-40", "flu")]
    [True, True, True, False, False]
    """
    plain = text.strip()
    shaped = any(one.fullmatch(plain) for one in (_SPAN, _HALF_OPEN, _BRACKETS))
    return shaped and _interval(plain) is None


def _of_numbers(texts: list[str]) -> bool:
    cells = [cell for text in texts for cell in _parts(read_cell(text))]
    if any(isinstance(cell, Interval) for cell in cells):
        return True
    shown = [cell for cell in cells if not isinstance(cell, Anything)]
    return bool(shown) and all(
        isinstance(cell, Value) and cell.number is not None for cell in shown
    )


def _parts(cell: Cell) -> Iterable[Cell]:
    return cell.options if isinstance(cell, Choice) else (cell,)


def _options(text: str) -> list[str] | None:
    if len(text) > 2 and text[0] == "{" and text[-1] == "}":
        found = [option.strip() for option in re.split(r"[,|;]", text[1:-1])]
    elif "|" in text:
        found = [option.strip() for option in text.split("|")]
    else:
        return None
    return [option for option in found if option] or None


def _interval(text: str) -> Interval | None:
    if match := _BOUND.fullmatch(text):
        sign, end = match[1], Fraction(match[2])
        with_end = sign not in "<>"
        if sign[0] in "<≤":
            return Interval(text, None, end, with_high=with_end)
        return Interval(text, end, None, with_low=with_end)
    if match := _OPEN_ENDED.fullmatch(text):
        return Interval(text, Fraction(match[1]), None, with_low=True)
    if match := _SPAN.fullmatch(text):
        low, high = Fraction(match[1]), Fraction(match[2])
        return Interval(text, low, high, with_low=True, with_high=True) if low <= high else None
    if match := _HALF_OPEN.fullmatch(text):
        return _bracketed(text, "[", match[1], match[2], ")")
    if match := _BRACKETS.fullmatch(text):
        return _bracketed(text, *match.groups())
    return None


def _bracketed(text: str, opening: str, low: str, high: str, closing: str) -> Interval | None:
    """Return the interval, or None when no number is in it."""
    least, most = plain_number(low), plain_number(high)
    with_low = opening == "[" and least is not None
    with_high = closing == "]" and most is not None
    if (
        least is not None
        and most is not None
        and (least > most or (least == most and not (with_low and with_high)))
    ):
        return None
    return Interval(text, least, most, with_low=with_low, with_high=with_high)
