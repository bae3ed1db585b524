"""Generalised cells: a cell of a published table says a set of possible values.

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
* In a column of numbers ``3*`` is the interval from 30 to 39. A mask of digits that hides others
  than the last, such as ``*5``, is one of texts; to compare it with intervals is refused.
* Intervals and bounds hold all real numbers between their ends. Hence ``>39`` and ``<40`` meet.
* Blanks at the ends do not count, capital letters do. An empty cell is read as the plain value "",
  and ``Not known`` is a plain value too: neither allows anything else. Those who ask which rows fit
  what is known of a person take empty cells for ``*`` instead. ``40-30`` and ``[40, 30)``, too, are
  plain values: no number is in them, so they may be codes; `is_empty_interval` tells them.

What two cells say together, `Cell.met`, and whether that is anything at all, `Cell.meets`, is found
exactly.

A set is held as its alternatives: each is a value, an interval, a mask, or anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from twoworlds.errors import InvalidInput
from twoworlds.numbers import rational

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)"
_PLAIN = re.compile(_NUMBER, re.ASCII)
_DECADE = re.compile(r"[2-9]\*", re.ASCII)
_PADDED = re.compile(r"[+-]?0\d", re.ASCII)
_BOUND = re.compile(rf"(<=|>=|[<>≤≥])\s*({_NUMBER})", re.ASCII)
_OPEN_ENDED = re.compile(rf"({_NUMBER})\s*\+", re.ASCII)
_SPAN = re.compile(rf"({_NUMBER})\s*(?:-|–|—|\.\.|to)\s*({_NUMBER})", re.ASCII)
_HALF_OPEN = re.compile(rf"({_NUMBER})\s+to\s+below\s+({_NUMBER})", re.ASCII)
_BRACKETS = re.compile(
    rf"([\[\](])\s*({_NUMBER}|-\s*(?:inf|∞))\s*[,;]\s*({_NUMBER}|\+?(?:inf|∞))\s*([\[\])])",
    re.ASCII,
)


@dataclass(frozen=True)
class Value:
    """One value: a number in a column of numbers, else a text without blanks at the ends."""

    text: str = field(compare=False)
    key: Fraction | str

    @property
    def number(self) -> Fraction | None:
        """The number, also of a text that an interval takes for one, such as 007."""
        return self.key if isinstance(self.key, Fraction) else plain_number(self.text)

    def holds(self, value: Value) -> bool:
        """Tell whether a value is the same: as a number, if both are."""
        if isinstance(self.key, Fraction) and isinstance(value.key, Fraction):
            return self.key == value.key
        return self.text == value.text

    def words(self) -> str:
        """Return the value."""
        return self.text


@dataclass(frozen=True)
class Interval:
    """The numbers between two ends, each with it or without; an end that is None is no bound."""

    text: str = field(compare=False)
    low: Fraction | None
    high: Fraction | None
    with_low: bool = False
    with_high: bool = False

    def __str__(self) -> str:
        return self.text

    def holds(self, value: Value | Fraction | int | float | None) -> bool:
        """Tell whether a number, or the number of a value, is in the interval."""
        number = value.number if isinstance(value, Value) else value
        if number is None:
            return False
        above = self.low is None or number > self.low or (self.with_low and number == self.low)
        below = self.high is None or number < self.high or (self.with_high and number == self.high)
        return above and below

    def words(self) -> str:
        """Say it as "under 30", "40 or over", "in their 30s", "30 to below 45"."""
        if self.low is None or self.high is None:
            if self.low is not None:
                return f"{self.low} or over" if self.with_low else f"over {self.low}"
            if self.high is not None:
                return f"{self.high} or under" if self.with_high else f"under {self.high}"
            return "any number"
        decade = self.low in range(20, 100, 10) and self.high - self.low == 10 - self.with_high
        if self.with_low and decade:
            return f"in their {self.low}s"
        start = str(self.low) if self.with_low else f"over {self.low}"
        return f"{start} to {'' if self.with_high else 'below '}{self.high}"


@dataclass(frozen=True)
class Mask:
    """Texts of one length, some of whose characters are hidden by stars."""

    text: str

    def holds(self, value: Value) -> bool:
        """Tell whether a value is among what the mask stands for."""
        return _agree(self.text, value.text)

    def span(self) -> Interval | None:
        """Return the numbers that it stands for, if every character that is shown is a digit."""
        if set(self.text) - set("0123456789*"):
            return None
        if "*" in self.text.rstrip("*"):
            raise InvalidInput(
                f"{self.text} beside numbers hides digits that are not the last: hide digits at "
                "the end only"
            )
        low, high = (Fraction(self.text.replace("*", digit)) for digit in "09")
        return Interval(self.text, low, high, with_low=True, with_high=True)

    def words(self) -> str:
        """Return the mask, or a decade of ages."""
        return f"in their {self.text[0]}0s" if _DECADE.fullmatch(self.text) else self.text


@dataclass(frozen=True)
class Anything:
    """All values; what an empty cell says."""

    text: str = "anything"

    def words(self) -> str:
        """Return that it is anything."""
        return self.text


Alternative = Value | Interval | Mask | Anything


@dataclass(frozen=True)
class Cell:
    """A set of possible values, and the text that says it; equal to one with the same ones."""

    text: str = field(compare=False)
    alternatives: tuple[Alternative, ...]

    def __str__(self) -> str:
        return self.text

    @property
    def is_anything(self) -> bool:
        """Whether one of the alternatives is anything."""
        return Anything() in self.alternatives

    @property
    def is_value(self) -> bool:
        """Whether it is a single value, and no set."""
        return len(self.alternatives) == 1 and isinstance(self.alternatives[0], Value)

    def allows(self, value: object) -> bool:
        """Tell whether somebody of whom a text, a number or a `Cell` is known can be behind it."""
        return self.meets(value if isinstance(value, Cell) else _known(value))

    def meets(self, other: Cell) -> bool:
        """Tell whether some value is in both sets."""
        both = product(self.alternatives, other.alternatives)
        return any(_both(one, their) is not None for one, their in both)

    def met(self, other: Cell) -> Cell | None:
        """Return the intersection with another one, or None when it is empty."""
        both = product(self.alternatives, other.alternatives)
        found = [_both(one, their) for one, their in both]
        kept = tuple(dict.fromkeys(one for one in found if one is not None))
        return Cell("|".join(dict.fromkeys(one.text for one in kept)), kept) if kept else None

    def words(self) -> str:
        """Say the set as one says it of people, as in "flu, cold or cancer"."""
        if len(self.alternatives) == 1:
            return self.alternatives[0].words()
        *first, last = (one.text for one in self.alternatives)
        return f"{', '.join(first)} or {last}"


ANYTHING = Cell("anything", (Anything(),))


def read_cell(text: str, *, numeric: bool | None = None) -> Cell:
    """Read one published cell as the set of values that it allows."""
    given: object = text
    if not isinstance(given, str):
        raise InvalidInput(f"a cell is read from text, not from {given!r} ({type(given).__name__})")
    found = (_alternative(one, numeric=numeric) for one in _listed(text.strip()))
    return Cell(text, tuple(dict.fromkeys(found)))


def column_cells(texts: Iterable[str], *, numeric: bool | None = None) -> dict[str, Cell]:
    """Read the distinct texts of one column, after deciding once whether it is one of numbers."""
    distinct = list(dict.fromkeys(texts))
    decided = _of_numbers(distinct) if numeric is None else numeric
    return {text: read_cell(text, numeric=decided) for text in distinct}


def is_empty_interval(text: str) -> bool:
    """Tell whether a text is like an interval that no number is in."""
    plain = text.strip()
    shaped = any(one.fullmatch(plain) for one in (_SPAN, _HALF_OPEN, _BRACKETS))
    return shaped and _interval(plain) is None


def plain_number(text: str) -> Fraction | None:
    """Return a number that is written with digits, a sign and a point at most."""
    return Fraction(text) if _PLAIN.fullmatch(text) else None


# --- what two sets have in common -----------------------------------------------------------------


def _both(one: Alternative, other: Alternative) -> Alternative | None:
    """Return what two alternatives have in common, or None."""
    if isinstance(one, Anything) or isinstance(other, Anything):
        return other if isinstance(one, Anything) else one
    if isinstance(other, Value) or (isinstance(one, Mask) and isinstance(other, Interval)):
        one, other = other, one
    if isinstance(one, Value):
        kept = other if isinstance(other, Value) else one  # of two values the first given
        return kept if other.holds(one) else None
    assert not isinstance(other, Value)
    if isinstance(one, Mask):
        assert isinstance(other, Mask)
        return _both_masks(one, other)
    span = other if isinstance(other, Interval) else other.span()
    if span is None:
        return None
    both = _both_intervals(one, span)
    return other if both == span else both


def _both_masks(one: Mask, other: Mask) -> Alternative | None:
    if not _agree(one.text, other.text):
        return None
    pattern = "".join(b if a == "*" else a for a, b in zip(one.text, other.text, strict=True))
    return Mask(pattern) if "*" in pattern else Value(pattern, pattern)


def _both_intervals(one: Interval, other: Interval) -> Alternative | None:
    lows = [(end.low, not end.with_low) for end in (one, other) if end.low is not None]
    highs = [(end.high, end.with_high) for end in (one, other) if end.high is not None]
    low, without_low = max(lows, default=(None, True))
    high, with_high = min(highs, default=(None, False))
    without = without_low or not with_high
    if low is not None and high is not None and (low > high or (low == high and without)):
        return None
    ends = (low, high, not without_low, with_high)
    for given in (one, other):
        if (given.low, given.high, given.with_low, given.with_high) == ends:
            return given
    text = f"{'(' if without_low else '['}{low}, {high}{']' if with_high else ')'}"
    return _single(Interval(text, *ends))


# --- reading --------------------------------------------------------------------------------------


def _alternative(plain: str, *, numeric: bool | None) -> Alternative:
    """Read one alternative."""
    if plain and not plain.strip("*"):
        return Anything()
    if numeric is not False and (interval := _interval(plain)) is not None:
        return _single(interval)
    if "*" in plain:
        mask = Mask(plain)
        spans = numeric and "*" not in plain.rstrip("*")
        return (mask.span() if spans else None) or mask
    number = plain_number(plain) if numeric or (numeric is None and _unpadded(plain)) else None
    return Value(plain, plain if number is None else number)


def _single(interval: Interval) -> Alternative:
    """Return the value of an interval that holds one number, and others as they are."""
    if interval.low is not None and interval.low == interval.high:
        return Value(str(interval.low), interval.low)
    return interval


def _known(value: object) -> Cell:
    """Read what is known about a person: as text, and as a number where it is one."""
    if value is None:
        raise InvalidInput("a known value is None: leave out the column if nothing is known")
    text, number = str(value).strip(), plain_number(str(value).strip())
    if isinstance(value, int | float | Fraction) and not isinstance(value, bool):
        number = rational(value, "known value")
        text = str(number) if number.denominator == 1 else text
    return Cell(text, (Value(text, text if number is None else number),))


def _agree(pattern: str, text: str) -> bool:
    """Tell whether two texts are of one length and agree wherever neither has a star."""
    return len(pattern) == len(text) and all(
        a == b or "*" in (a, b) for a, b in zip(pattern, text, strict=True)
    )


def _unpadded(plain: str) -> bool:
    return _PADDED.match(plain) is None


def _of_numbers(texts: Iterable[str]) -> bool:
    shown = [one for text in texts for one in _listed(text.strip())]
    if any(_interval(one) is not None for one in shown):
        return True
    shown = [one for one in shown if one.strip("*") or not one]
    return bool(shown) and all(_unpadded(one) and plain_number(one) is not None for one in shown)


def _listed(text: str) -> Iterator[str]:
    """Yield the alternatives that a text lists, or the text."""
    if len(text) > 2 and text[0] == "{" and text[-1] == "}":
        found = re.split(r"[,|;]", text[1:-1])
    else:
        found = text.split("|")
    options = [option.strip() for option in found if option.strip()]
    if options in ([], [text]):
        yield text
        return
    for option in options:
        yield from _listed(option)


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
        return _bracketed(text, "[", match[1], match[2], "]")
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
    empty = least == most and not (with_low and with_high)
    if least is not None and most is not None and (least > most or empty):
        return None
    return Interval(text, least, most, with_low=with_low, with_high=with_high)
