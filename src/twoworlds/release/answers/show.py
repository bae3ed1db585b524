"""Answers as tables: for a terminal, for a notebook, as plain text.

Names and keys are shown as they are: nothing in them is read as markup, and characters that cannot
be printed are written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from html import escape
from io import StringIO
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

from twoworlds.cards.tables import tables
from twoworlds.numbers import Number, Side, decimal
from twoworlds.release.answers.glance import Utility
from twoworlds.release.answers.parts import Certainty, Estimate, Estimator
from twoworlds.release.answers.words import notes, price, printable

if TYPE_CHECKING:
    from twoworlds.cards import Interval
    from twoworlds.release.answers.answer import Answer

__all__ = ["body", "head", "html", "intervals", "number_text", "terminal", "text"]

_MOST_ROWS = 500
_MOST_DRAWN, _CHARTS = 24, 2
_WIDTH = 100
_DIGITS, _MOST_DIGITS = 4, 12
_EACH = 3  # columns for an aggregate: value, interval, utility


def html(answer: Answer) -> str:
    """Return a card with the table and charts; every text in it is escaped."""
    from twoworlds.cards import card, table

    rows = [[cell.lstrip("█░ ") for cell in row] for row in body(answer)]
    shown = table(head(answer), rows, numbers=True, most=_MOST_ROWS)
    return card(
        "",
        sentences=[answer.heading()],
        inside=[shown, *_charts(answer)],
        notes=_notes(answer),
    )


def intervals(answer: Answer, place: int) -> list[Interval]:
    """Return what a chart of one aggregate draws: a number with its interval for each group."""
    from twoworlds.cards import Interval

    found = []
    for i, cell in enumerate(answer.cells):
        one, lost = answer.estimates[i][place], answer.utility(i, place) is Utility.LOST
        low, high = (None if end is None else float(end) for end in (one.low, one.high))
        name = ", ".join(map(printable, answer.groups(cell)))
        found.append(Interval(name, float(one.value), low, high, lost))
    return found


def _charts(answer: Answer) -> Iterator[str]:
    """Draw the first columns with their intervals, where there are a few groups."""
    from twoworlds.cards import interval_chart

    if not 1 < len(answer.cells) <= _MOST_DRAWN:
        return
    for place, column in enumerate(answer.columns[:_CHARTS]):
        rows = intervals(answer, place)
        if column.ranks is not None or any(row.low is None for row in rows):
            continue
        title = f"{printable(column.name)}, with the interval of its noise"
        yield f"<div><b>{escape(title)}</b></div>"
        yield interval_chart(title, rows, "The numbers are in the table.", width=420)


def terminal(answer: Answer, width: int) -> Iterator[Any]:
    """Yield what rich prints: one table if it fits, otherwise one for each aggregate."""
    from rich.text import Text

    yield Text(answer.heading())
    headings, rows = head(answer), body(answer)
    groups = len(answer.resolved.axes)
    everything = range(groups, len(headings))
    wide = _width([headings, *rows]) > width
    for start in everything[::_EACH] if wide else everything[:1]:
        of = everything if not wide else range(start, start + _EACH)
        shown = [*range(groups), *of]
        numbers = [i for i in range(groups, len(shown)) if (i - groups) % _EACH < _EACH - 1]
        yield from tables(
            [headings[i] for i in shown],
            [[row[i] for i in shown] for row in rows],
            width,
            repeated=groups,
            right=numbers,
        )
    yield from (Text(note, style="dim") for note in _notes(answer))


def text(answer: Answer) -> str:
    """Return the table as plain text, without colours."""
    from rich.console import Console

    out = Console(
        file=StringIO(), width=_WIDTH, color_system=None, markup=False, highlight=False, emoji=False
    )
    with out.capture() as captured:
        for part in terminal(answer, _WIDTH):
            out.print(part)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def number_text(
    x: Fraction, error: Number | float | None, *, whole: bool, side: Side | None = None
) -> str:
    """Write a number, with as many digits as its error leaves any meaning.

    Args:
        x: The number.
        error: Its standard error, if there is one.
        whole: Whether the number is always whole.
        side: Where to round to: the nearest number, unless the end of an interval is written.

    >>> number_text(Fraction(12345678, 1000), 3.2, whole=False)
    '12,345.7'
    >>> number_text(Fraction(1234567), None, whole=True)
    '1,234,567'
    """
    if whole:
        return f"{int(x):,}"
    scale = float(error) if error else abs(float(x)) / 10 ** (_DIGITS - 2)
    digits = 0 if not scale else min(_MOST_DIGITS, max(0, 1 - floor(log10(scale))))
    shifted = x * 10**digits
    last = ceil(shifted) if side == "up" else floor(shifted) if side == "down" else round(shifted)
    before, after = divmod(abs(last), 10**digits)
    sign = "-" if last < 0 else ""
    return f"{sign}{before:,}.{after:0{digits}}" if digits else f"{sign}{before:,}"


def head(answer: Answer) -> list[str]:
    """Return the headings: groups, and for each aggregate three columns."""
    found = [printable(axis.column) for axis in answer.resolved.axes]
    for column in answer.columns:
        name = printable(column.name)
        worth = "ranks off" if column.certainty is Certainty.RANKS else "95% interval"
        found += [name, f"{name}: {worth}", f"{name}: utility"]
    return found


def body(answer: Answer) -> list[list[str]]:
    """Return the first rows as texts."""
    rows = []
    for i, cell in enumerate(answer.cells[:_MOST_ROWS]):
        row = [printable(label) for label in answer.groups(cell)]
        for place, column in enumerate(answer.columns):
            estimate, glance = answer.estimates[i][place], answer.utility(i, place)
            row.append(number_text(estimate.value, estimate.error, whole=column.whole))
            row.append(_interval(column, estimate))
            row.append("" if glance is None else f"{glance.bar} {glance.value}")
        rows.append(row)
    return rows


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


def _width(rows: list[list[str]]) -> int:
    from rich.cells import cell_len

    return sum(max(map(cell_len, column)) + 3 for column in zip(*rows, strict=True)) + 1


def _notes(answer: Answer) -> Iterator[str]:
    more = len(answer.cells) - _MOST_ROWS
    if more > 0:
        yield f"and {more:,} further rows: use rows() or frame()"
    yield from notes(answer.resolved)
    yield answer.protection()
    yield price(answer.context)
