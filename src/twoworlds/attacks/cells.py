"""Sets of possible values: one value, a mask, an interval, a choice, anything.

These are what `twoworlds.attacks.generalised` reads the cells of a published table as; the readings
that were chosen are stated there. Two questions are asked of them, whether they have a value in
common, `Cell.meets`, and whether one lies in the other, `Cell.within`; both are decided exactly,
but for a set that several alternatives of a choice cover only together: it is said not to lie
within the choice.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.numbers import rational

__all__ = ["Anything", "Cell", "Choice", "Interval", "Mask", "Value", "plain_number"]

_PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)", re.ASCII)
_DECADE = re.compile(r"[2-9]\*", re.ASCII)


@dataclass(frozen=True)
class Cell(ABC):
    """A set of possible values, and the text that says it.

    Two cells are equal when they are the same kind of set with the same members, however written.

    >>> from twoworlds.attacks.generalised import read_cell
    >>> read_cell("130**").allows("13012"), read_cell("130**").allows("14012")
    (True, False)
    >>> read_cell("<30").allows(28), read_cell("30-39").meets(read_cell(">=35"))
    (True, True)
    >>> read_cell("3*").within(read_cell("[30, 40)"))
    True
    >>> read_cell("3*").words(), read_cell("<30").words(), read_cell("130**").words()
    ('in their 30s', 'under 30', '130**')
    """

    text: str = field(compare=False)

    def __str__(self) -> str:
        return self.text

    def allows(self, value: object) -> bool:
        """Tell whether somebody of whom this value is known can stand behind the cell.

        Args:
            value: A text or a number; or a `Cell`, and then the question is `meets`.
        """
        return self.meets(value if isinstance(value, Cell) else _known(value))

    def meets(self, other: Cell) -> bool:
        """Tell whether some value is in both sets."""
        return _meets(self, other)

    def within(self, other: Cell) -> bool:
        """Tell whether every value of this set is in the other; see the module on choices."""
        return _within(self, other)

    @abstractmethod
    def words(self) -> str:
        """Say the set as one says it of people."""


@dataclass(frozen=True)
class Anything(Cell):
    """A cell that is suppressed."""

    def words(self) -> str:
        """Say that everything is possible."""
        return "anything"


@dataclass(frozen=True)
class Value(Cell):
    """One value.

    Attributes:
        plain: It as text, without blanks at the ends.
        number: It as a number, in a column of numbers and for what is known about a person.
    """

    plain: str
    number: Fraction | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> Any:
        return self.plain if self.number is None else self.number

    def words(self) -> str:
        """Return the value."""
        return self.plain


@dataclass(frozen=True)
class Mask(Cell):
    """Texts of one length, or whole numbers, some of whose characters are hidden by stars.

    Attributes:
        pattern: The characters, hidden ones as stars.
        numeric: Whether they are the digits of whole numbers.
    """

    pattern: str
    numeric: bool = False

    @property
    def digits(self) -> bool:
        """Tell whether every character that is shown is a digit."""
        return set(self.pattern) <= set("0123456789*")

    def matches(self, text: str) -> bool:
        """Tell whether a text has this length and agrees wherever there is no star."""
        return len(text) == len(self.pattern) and _agree(self.pattern, text)

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


@dataclass(frozen=True)
class Interval(Cell):
    """The numbers between two ends; an end that is None is no bound.

    Attributes:
        low: The lower end.
        high: The upper end.
        with_low: Whether the lower end is one of them.
        with_high: Whether the upper end is one of them.
    """

    low: Fraction | None
    high: Fraction | None
    with_low: bool = False
    with_high: bool = False

    def holds(self, number: Fraction) -> bool:
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
        if self.with_low and self._is_decade:
            return f"in their {self.low}s"
        start = str(self.low) if self.with_low else f"over {self.low}"
        return f"{start} to {'' if self.with_high else 'below '}{self.high}"

    @property
    def _is_decade(self) -> bool:
        if self.low is None or self.high is None or self.low not in range(20, 100, 10):
            return False
        return self.high == self.low + (9 if self.with_high else 10)


@dataclass(frozen=True)
class Choice(Cell):
    """One of several sets; their order does not matter.

    Attributes:
        options: The sets.
    """

    options: frozenset[Cell]
    listed: tuple[str, ...] = field(compare=False)

    def words(self) -> str:
        """List what may be, as in "flu, cold or cancer"."""
        *first, last = self.listed
        return f"{', '.join(first)} or {last}" if first else last


def plain_number(text: str) -> Fraction | None:
    """Return a number that is written with digits, a sign and a point at most.

    >>> plain_number("-2.50"), plain_number("flu")
    (Fraction(-5, 2), None)
    """
    return Fraction(text) if _PLAIN.fullmatch(text) else None


def _known(value: object) -> Value:
    """Read what is known about a person: as text, and as a number where it is one."""
    if value is None:
        raise InvalidInput("a known value is None: leave out the column if nothing is known")
    if isinstance(value, str):
        return Value(value, value.strip(), plain_number(value.strip()))
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return Value(str(value), str(value).strip(), plain_number(str(value).strip()))
    number = rational(value, "known value")
    text = str(number) if number.denominator == 1 else str(value)
    return Value(text, text, number)


def _agree(pattern: str, text: str) -> bool:
    """Tell whether two texts of one length agree wherever neither has a star."""
    return all(a == b or "*" in (a, b) for a, b in zip(pattern, text, strict=True))


def _larger(digit: str, shown: str) -> str | None:
    """Return the least digit above another that a place of a mask allows."""
    if shown == "*":
        return str(int(digit) + 1) if digit < "9" else None
    return shown if shown > digit else None


def _meets(one: Cell, other: Cell) -> bool:
    if isinstance(one, Anything) or isinstance(other, Anything):
        return True
    for first, second in ((one, other), (other, one)):
        if isinstance(first, Choice):
            return any(_meets(option, second) for option in first.options)
    for first, second in ((one, other), (other, one)):
        if isinstance(first, Interval):
            return _interval_meets(first, second)
    for first, second in ((one, other), (other, one)):
        if isinstance(first, Mask):
            return _mask_meets(first, second)
    return isinstance(one, Value) and isinstance(other, Value) and _same_value(one, other)


def _interval_meets(interval: Interval, other: Cell) -> bool:
    if isinstance(other, Interval):
        return _intervals_meet(interval, other)
    if isinstance(other, Mask):
        return other.digits and _interval_meets_mask(interval, other)
    if not isinstance(other, Value):
        return False
    number = plain_number(other.plain) if other.number is None else other.number
    return number is not None and interval.holds(number)


def _intervals_meet(one: Interval, other: Interval) -> bool:
    for low, high in ((one, other), (other, one)):
        if low.low is not None and high.high is not None:
            touching = low.low == high.high and low.with_low and high.with_high
            if low.low >= high.high and not touching:
                return False
    return True


def _interval_meets_mask(interval: Interval, mask: Mask) -> bool:
    start = 0 if interval.low is None else ceil(interval.low)
    if interval.low == start and not interval.with_low:
        start += 1
    found = mask.least_from(start)
    return found is not None and interval.holds(Fraction(found))


def _mask_meets(mask: Mask, other: Cell) -> bool:
    if isinstance(other, Mask):
        one, two = _of_one_length(mask, other)
        return len(one) == len(two) and _agree(one, two)
    return isinstance(other, Value) and _value_in_mask(other, mask)


def _of_one_length(one: Mask, other: Mask) -> tuple[str, str]:
    """Return two patterns; those of numbers with zeros in front of the shorter one."""
    if not (one.numeric and other.numeric):
        return one.pattern, other.pattern
    size = max(len(one.pattern), len(other.pattern))
    return one.pattern.rjust(size, "0"), other.pattern.rjust(size, "0")


def _value_in_mask(value: Value, mask: Mask) -> bool:
    if not mask.numeric:
        return mask.matches(value.plain)
    number = plain_number(value.plain) if value.number is None else value.number
    if number is None or number < 0 or number.denominator != 1:
        return False
    return mask.matches(str(number).zfill(len(mask.pattern)))


def _same_value(one: Value, other: Value) -> bool:
    if one.number is not None and other.number is not None:
        return one.number == other.number
    return one.plain == other.plain


def _within(one: Cell, other: Cell) -> bool:
    if isinstance(other, Anything):
        return True
    if isinstance(one, Anything):
        return False
    if isinstance(one, Choice):
        return all(_within(option, other) for option in one.options)
    if isinstance(other, Choice):
        return any(_within(one, option) for option in other.options)
    if isinstance(one, Value):
        return _meets(one, other)
    if isinstance(one, Mask):
        return _mask_within(one, other)
    return isinstance(one, Interval) and _interval_within(one, other)


def _mask_within(one: Mask, other: Cell) -> bool:
    if isinstance(other, Interval):
        ends = (one.pattern.replace("*", digit) for digit in "09")
        return one.digits and all(other.holds(Fraction(end)) for end in ends)
    if not isinstance(other, Mask):
        return False
    mine, theirs = _of_one_length(one, other)
    return len(mine) == len(theirs) and all(
        b in ("*", a) for a, b in zip(mine, theirs, strict=True)
    )


def _interval_within(one: Interval, other: Cell) -> bool:
    if one.low is not None and one.low == one.high:
        return _meets(Value(one.text, str(one.low), one.low), other)
    if not isinstance(other, Interval):
        return False
    if other.low is not None:
        if one.low is None or one.low < other.low:
            return False
        if one.low == other.low and one.with_low and not other.with_low:
            return False
    if other.high is None:
        return True
    if one.high is None or one.high > other.high:
        return False
    return one.high < other.high or other.with_high or not one.with_high
