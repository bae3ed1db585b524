"""An answer as a table for people: numbers with as many digits as their errors leave any meaning.

The last column of an aggregate says its utility in a word, by its relative error: the standard
error divided by |value|, or for a quantile ranks divided by rows.

    good            at most 5 %
    fair            at most 20 %
    poor            at most 100 %
    lost in noise   more, or the value is 0, or a count below 0, or its error cannot be told from
                    noise; but a 0 whose interval is 0 to 0 is good
    exact           there is no noise

It is computed from noisy values only, so it tells nothing that the answer does not. Names and keys
are shown as they are, and characters that cannot be printed are written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from twoworlds.answer import Table
from twoworlds.charts import Interval, Intervals
from twoworlds.numbers import Number, Side, decimal
from twoworlds.release.answers.estimates import Certainty, Estimate, Estimator
from twoworlds.release.answers.words import printable

if TYPE_CHECKING:
    from twoworlds.release.answers.answer import QueryAnswer

__all__ = ["Utility", "charts", "intervals", "number_text", "relative_error", "table", "utility"]

_GOOD, _FAIR, _POOR = 0.05, 0.2, 1.0
MOST_ROWS = 500
_MOST_DRAWN, _CHARTS = 24, 2
_DIGITS, _MOST_DIGITS = 4, 12


class Utility(Enum):
    """How much of an answer is left beside its noise."""

    EXACT = "exact"
    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    LOST = "lost in noise"

    @property
    def bar(self) -> str:
        """Four blocks, filled as far as the answer is good."""
        filled = {"exact": 4, "good": 4, "fair": 3, "poor": 2, "lost in noise": 1}[self.value]
        return "█" * filled + "░" * (4 - filled)


def relative_error(error: Number | float | None, value: Fraction) -> float | None:
    """Return |error / value|, or None where it has no bound.

    >>> relative_error(Fraction(2), Fraction(-50))
    0.04
    """
    if error is None:
        return None
    if error == 0:
        return 0.0
    if value == 0:
        return None
    return abs(float(error) / float(value))


def utility(relative: float | None) -> Utility:
    """Return the word for a relative error.

    >>> utility(0.04).value, utility(None).value
    ('good', 'lost in noise')
    """
    if relative is None or relative > _POOR:
        return Utility.LOST
    if relative == 0:
        return Utility.EXACT
    return (
        Utility.GOOD if relative <= _GOOD else Utility.FAIR if relative <= _FAIR else Utility.POOR
    )


def table(answer: QueryAnswer) -> Table:
    """Return the groups, and for each aggregate value, interval and utility; the first rows."""
    heads = [printable(axis.column) for axis in answer.resolved.axes]
    for column in answer.columns:
        name = printable(column.name)
        worth = "ranks off" if column.certainty is Certainty.RANKS else "95% interval"
        heads += [name, f"{name}: {worth}", f"{name}: utility"]
    rows = []
    for i, cell in enumerate(answer.cells[:MOST_ROWS]):
        row = [printable(label) for label in answer.groups(cell)]
        for place, column in enumerate(answer.columns):
            estimate, worth_it = answer.estimates[i][place], answer.utility(i, place)
            row.append(number_text(estimate.value, estimate.error, whole=column.whole))
            row.append(_interval(column, estimate))
            row.append("" if worth_it is None else f"{worth_it.bar} {worth_it.value}")
        rows.append(row)
    return Table(heads, rows, repeated=max(1, len(answer.resolved.axes)))


def charts(answer: QueryAnswer) -> Iterator[Intervals]:
    """Chart the first columns with their intervals, where there are a few groups."""
    if not 1 < len(answer.cells) <= _MOST_DRAWN:
        return
    for place, column in enumerate(answer.columns[:_CHARTS]):
        rows = intervals(answer, place)
        if column.ranks is None and not any(row.low is None for row in rows):
            title = f"{printable(column.name)}, with the interval of its noise"
            yield Intervals(title, rows, "The numbers are in the table.")


def intervals(answer: QueryAnswer, place: int) -> list[Interval]:
    """Return a number with its interval for each group, of one aggregate."""
    found = []
    for i, cell in enumerate(answer.cells):
        one, lost = answer.estimates[i][place], answer.utility(i, place) is Utility.LOST
        low, high = (None if end is None else float(end) for end in (one.low, one.high))
        name = ", ".join(map(printable, answer.groups(cell)))
        found.append(Interval(name, float(one.value), low, high, lost))
    return found


def number_text(
    x: Fraction, error: Number | float | None, *, whole: bool, side: Side | None = None
) -> str:
    """Write a number, with as many digits as its error leaves any meaning.

    >>> number_text(Fraction(12345678, 1000), 3.2, whole=False)
    '12,345.7'
    >>> number_text(Fraction(1234567), None, whole=False)
    '1,234,567'
    """
    if whole or (not error and x.denominator == 1):
        return f"{int(x):,}"
    scale = float(error) if error else abs(float(x)) / 10 ** (_DIGITS - 2)
    digits = 0 if not scale else min(_MOST_DIGITS, max(0, 1 - floor(log10(scale))))
    shifted = x * 10**digits
    last = ceil(shifted) if side == "up" else floor(shifted) if side == "down" else round(shifted)
    before, after = divmod(abs(last), 10**digits)
    sign = "-" if last < 0 else ""
    return f"{sign}{before:,}.{after:0{digits}}" if digits else f"{sign}{before:,}"


def _interval(column: Estimator, estimate: Estimate) -> str:
    if column.certainty is Certainty.EXACT:
        return "exact"
    if column.ranks is not None:
        return f"at most {decimal(column.ranks, 3)}"
    if estimate.low is None or estimate.high is None:
        return ""
    low = number_text(estimate.low, estimate.error, whole=column.whole, side="down")
    high = number_text(estimate.high, estimate.error, whole=column.whole, side="up")
    return f"{low} to {high}"
