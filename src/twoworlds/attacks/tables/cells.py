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
* In a column of numbers a mask stands for whole numbers: ``3*`` is 30, 31, ..., 39, and a star in
  front may be a zero. So ``3*`` beside ``<30`` is 30 to 39.
* Intervals and bounds hold all real numbers between their ends. Hence ``>39`` and ``<40`` meet.
* Blanks at the ends do not count, capital letters do. An empty cell is read as the plain value "",
  and ``Not known`` is a plain value too: neither allows anything else. Those who ask which rows fit
  what is known of a person take empty cells for ``*`` instead. ``40-30`` and ``[40, 30)``, too, are
  plain values: no number is in them, so they may be codes; `is_empty_interval` tells them.

Whether two sets have a value in common, `Cell.meets`, and whether one lies in the other,
`Cell.within`, is decided exactly, but for a set that several alternatives of a choice cover only
together: it is said not to lie within the choice.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

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
class Cell(ABC):
    """A set of possible values, and the text that says it.

    Two cells are equal when they are the same kind of set with the same members, however written.
    """

    rank: ClassVar[int]  # `meets` asks the cell of lower rank
    text: str = field(compare=False)

    def __str__(self) -> str:
        return self.text

    def allows(self, value: object) -> bool:
        """Tell whether somebody of whom a text, a number or a `Cell` is known can be behind it."""
        return self.meets(value if isinstance(value, Cell) else _known(value))

    def meets(self, other: Cell) -> bool:
        """Tell whether some value is in both sets."""
        return self._meets(other) if self.rank <= other.rank else other._meets(self)

    def within(self, other: Cell) -> bool:
        """Tell whether every value of this set is in the other; see the module on choices."""
        if isinstance(other, AnyValue):
            return True
        if isinstance(other, Choice) and not isinstance(self, Choice):
            return any(self.within(option) for option in other.options)
        return self._within(other)

    def atoms(self) -> Iterator[Cell]:
        """Yield the alternatives, none of which is a choice."""
        yield self

    @abstractmethod
    def words(self) -> str:
        """Say the set as one says it of people."""

    @abstractmethod
    def _meets(self, other: Cell) -> bool:
        """Tell whether some value is in both, the other being of no lower rank."""

    @abstractmethod
    def _within(self, other: Cell) -> bool:
        """Tell whether every value is in the other, which is no `AnyValue`."""


@dataclass(frozen=True)
class AnyValue(Cell):
    """A cell that is suppressed."""

    rank: ClassVar[int] = 0

    def words(self) -> str:
        """Say that everything is possible."""
        return "anything"

    def _meets(self, other: Cell) -> bool:
        return True

    def _within(self, other: Cell) -> bool:
        return False


@dataclass(frozen=True)
class Choice(Cell):
    """One of several sets; their order does not matter."""

    rank: ClassVar[int] = 1
    options: frozenset[Cell]
    listed: tuple[str, ...] = field(compare=False)

    def atoms(self) -> Iterator[Cell]:
        """Yield the alternatives in the order in which they are listed."""
        for option in sorted(self.options, key=lambda one: self.listed.index(str(one))):
            yield from option.atoms()

    def words(self) -> str:
        """List what may be, as in "flu, cold or cancer"."""
        *first, last = self.listed
        return f"{', '.join(first)} or {last}" if first else last

    def _meets(self, other: Cell) -> bool:
        return any(option.meets(other) for option in self.options)

    def _within(self, other: Cell) -> bool:
        return all(option.within(other) for option in self.options)


@dataclass(frozen=True)
class Interval(Cell):
    """The numbers between two ends, each with it or without; an end that is None is no bound."""

    rank: ClassVar[int] = 2
    low: Fraction | None
    high: Fraction | None
    with_low: bool = False
    with_high: bool = False

    def holds(self, number: Fraction | int | float) -> bool:
        """Tell whether a number is in the interval."""
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

    def _meets(self, other: Cell) -> bool:
        if isinstance(other, Interval):
            return self._begins_before(other) and other._begins_before(self)
        if isinstance(other, Mask):
            start = 0 if self.low is None else ceil(self.low)
            start += self.low == start and not self.with_low
            found = other.least_from(start) if other.digits else None
            return found is not None and self.holds(found)
        number = other.any_number() if isinstance(other, Value) else None
        return number is not None and self.holds(number)

    def _begins_before(self, other: Interval) -> bool:
        """Tell whether some number of this one is at most some number of the other."""
        if self.low is None or other.high is None or self.low < other.high:
            return True
        return self.low == other.high and self.with_low and other.with_high

    def _within(self, other: Cell) -> bool:
        if self.low is not None and self.low == self.high:
            return Value(self.text, str(self.low), self.low).meets(other)
        if not isinstance(other, Interval):
            return False
        # An end that the interval comes near without reaching it need not be in the other.
        ends = [(self.low, other.low, self.with_low <= other.with_low, 1)]
        ends.append((self.high, other.high, self.with_high <= other.with_high, -1))
        return all(
            theirs is None
            or (mine is not None and (sign * (mine - theirs) > 0 or (mine == theirs and fits)))
            for mine, theirs, fits, sign in ends
        )


@dataclass(frozen=True)
class Mask(Cell):
    """Texts of one length, or whole numbers, some of whose characters are hidden by stars."""

    rank: ClassVar[int] = 3
    pattern: str
    numeric: bool = False

    @property
    def digits(self) -> bool:
        """Tell whether every character that is shown is a digit."""
        return set(self.pattern) <= set("0123456789*")

    @property
    def shown(self) -> tuple[int, ...]:
        """The places that are not hidden."""
        return tuple(i for i, character in enumerate(self.pattern) if character != "*")

    def least_from(self, start: int) -> int | None:
        """Return the least number of the mask that is at least ``start``, if there is one."""
        size = len(self.pattern)
        wanted = str(max(start, 0)).zfill(size)
        if len(wanted) > size:
            return None
        if _agree(self.pattern, wanted):
            return int(wanted)
        for place in reversed(range(size)):
            if not _agree(self.pattern[:place], wanted[:place]):
                continue
            larger = _larger(wanted[place], self.pattern[place])
            if larger is not None:
                rest = self.pattern[place + 1 :].replace("*", "0")
                return int(wanted[:place] + larger + rest)
        return None

    def words(self) -> str:
        """Return the mask, or a decade of ages, or the numbers from and to."""
        if _DECADE.fullmatch(self.pattern):
            return f"in their {self.pattern[0]}0s"
        if self.numeric and self.pattern.rstrip("*").isdigit():
            return f"{self.pattern.replace('*', '0')} to {self.pattern.replace('*', '9')}"
        return self.pattern

    def of_one_length(self, other: Mask) -> tuple[str, str]:
        """Return both patterns; those of numbers with zeros in front of the shorter one."""
        if not (self.numeric and other.numeric):
            return self.pattern, other.pattern
        size = max(len(self.pattern), len(other.pattern))
        return self.pattern.rjust(size, "0"), other.pattern.rjust(size, "0")

    def _meets(self, other: Cell) -> bool:
        if isinstance(other, Mask):
            return _agree(*self.of_one_length(other))
        if not isinstance(other, Value) or not self.numeric:
            return isinstance(other, Value) and _agree(self.pattern, other.plain)
        number = other.any_number()
        if number is None or number < 0 or number.denominator != 1:
            return False
        return _agree(self.pattern, str(number).zfill(len(self.pattern)))

    def _within(self, other: Cell) -> bool:
        if isinstance(other, Interval):
            ends = (self.pattern.replace("*", digit) for digit in "09")
            return self.digits and all(other.holds(Fraction(end)) for end in ends)
        if not isinstance(other, Mask):
            return False
        mine, theirs = self.of_one_length(other)
        return len(mine) == len(theirs) and all(
            b in ("*", a) for a, b in zip(mine, theirs, strict=True)
        )


@dataclass(frozen=True)
class Value(Cell):
    """One value: as text without blanks at the ends, and as a number in a column of numbers."""

    rank: ClassVar[int] = 4
    plain: str
    number: Fraction | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> Any:
        return self.plain if self.number is None else self.number

    def any_number(self) -> Fraction | None:
        """Return the number, also of a text that an interval takes for one, such as 007."""
        return plain_number(self.plain) if self.number is None else self.number

    def words(self) -> str:
        """Return the value."""
        return self.plain

    def _meets(self, other: Cell) -> bool:
        assert isinstance(other, Value)
        if self.number is not None and other.number is not None:
            return self.number == other.number
        return self.plain == other.plain

    def _within(self, other: Cell) -> bool:
        return self.meets(other)


def read_cell(text: str, *, numeric: bool | None = None) -> Cell:
    """Read one published cell as the set of values that it allows."""
    given: object = text
    if not isinstance(given, str):
        raise InvalidInput(f"a cell is read from text, not from {given!r} ({type(given).__name__})")
    plain = text.strip()
    if plain and not plain.strip("*"):
        return AnyValue(text)
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


def _known(value: object) -> Value:
    """Read what is known about a person: as text, and as a number where it is one."""
    if value is None:
        raise InvalidInput("a known value is None: leave out the column if nothing is known")
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        text = str(value)
        return Value(text, text.strip(), plain_number(text.strip()))
    number = rational(value, "known value")
    text = str(number) if number.denominator == 1 else str(value)
    return Value(text, text, number)


def _agree(pattern: str, text: str) -> bool:
    """Tell whether two texts are of one length and agree wherever neither has a star."""
    return len(pattern) == len(text) and all(
        a == b or "*" in (a, b) for a, b in zip(pattern, text, strict=True)
    )


def _larger(digit: str, shown: str) -> str | None:
    """Return the least digit above another that a place of a mask allows."""
    if shown == "*":
        return str(int(digit) + 1) if digit < "9" else None
    return shown if shown > digit else None


def _of_numbers(texts: list[str]) -> bool:
    atoms = [atom for text in texts for atom in read_cell(text).atoms()]
    if any(isinstance(atom, Interval) for atom in atoms):
        return True
    shown = [atom for atom in atoms if not isinstance(atom, AnyValue)]
    return bool(shown) and all(
        isinstance(atom, Value) and atom.number is not None for atom in shown
    )


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
