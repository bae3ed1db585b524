r"""The charts that answers share, each from a few floats.

    odds        the largest belief w r / (1 - w + w r) that a belief w can become, or, with a delta,
                the largest probability min(1, r q + delta) of what has probability q elsewhere
    profile     the delta that is left at every ratio e^epsilon
    trade-off   misses against false alarms of the best test
    beliefs     bars: a belief before, with a person's data, and without
    intervals   released numbers with the interval that noise leaves

Who calls rounds to the side that does not flatter.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import floor, log, log10
from typing import NamedTuple

from twoworlds.cards.lines import BLUE, GREY, ORANGE, Axis, Line, chart, frame, text

__all__ = [
    "Bar",
    "Interval",
    "belief_chart",
    "interval_chart",
    "odds_chart",
    "profile_chart",
    "trade_off_chart",
]

_QUARTERS = [(0, "0%"), (0.25, "25%"), (0.5, "50%"), (0.75, "75%"), (1, "100%")]
_STEPS = 100
_LONG = 50.0  # a longer range of ratios is drawn on a logarithmic scale
_COLOURS = (BLUE, ORANGE)
_ROW, _LETTER = 26, 6.4
_TICK = 92  # the room of a ratio with its epsilon below the axis
_MOST_ROWS = 40


class Bar(NamedTuple):
    """A probability with a name."""

    name: str
    value: float
    colour: str = BLUE


class Interval(NamedTuple):
    """A released number, the ends of its interval, if any, and whether noise is all there is."""

    name: str
    value: float
    low: float | None
    high: float | None
    lost: bool = False


def odds_chart(
    ratios: Sequence[tuple[str, float]],
    words: str,
    *,
    delta: float = 0.0,
    width: int = 560,
    height: int = 330,
) -> str:
    """Draw the largest belief that every belief can become, one curve for each ratio."""
    steps = [k / _STEPS for k in range(_STEPS + 1)]
    events = delta > 0
    lines = [
        Line(
            name,
            [(w, min(1.0, r * w + delta) if events else w * r / (1 - w + w * r)) for w in steps],
            colour,
            dashed=bool(i),
        )
        for i, ((name, r), colour) in enumerate(zip(ratios, _COLOURS, strict=False))
    ]
    even = "no difference" if events else "learns nothing"
    lines.append(Line(even, [(0, 0), (1, 1)], GREY, thin=True))
    before, after = (
        ("probability in the other world", "largest in this one")
        if events
        else ("belief before, or without you", "largest belief after")
    )
    title = "How much likelier anything can become" if events else "How far a belief can move"
    x, y = Axis(before, 0, 1, _QUARTERS), Axis(after, 0, 1, _QUARTERS)
    return chart(title, words, x, y, lines, width=width, height=height)


def profile_chart(
    points: Sequence[tuple[float, float]], words: str, *, width: int = 560, height: int = 330
) -> str:
    """Draw the delta at every ratio; after the last point it stays as it is."""
    last = points[-1][0]
    end = max(2.0, 1 + 1.3 * (last - 1)) if last < _LONG else last**1.2
    top = max(max(delta for _, delta in points) * 1.1, 1e-12)
    line = Line(
        "the smallest delta that holds",
        _curve([*points, (end, points[-1][1])], logarithmic=end > _LONG),
        shaded=True,
    )
    marks = [] if len(points) > 8 else [Line("", list(points), thin=True, dotted=True)]
    ticks = _ratio_ticks(end, width // _TICK)
    x = Axis("ratio e^epsilon (epsilon)", 1, end, ticks, logarithmic=end > _LONG)
    y = Axis("delta", 0, top, [(v, f"{v:.3g}") for v in _nice(top)])
    return chart(
        "The delta that is left at every ratio",
        words,
        x,
        y,
        [line, *marks],
        width=width,
        height=height,
    )


def trade_off_chart(
    points: Sequence[tuple[float, float]], words: str, *, width: int = 560, height: int = 330
) -> str:
    """Draw misses against false alarms of the best test, and blind guessing."""
    x = Axis("false alarms (type I errors)", 0, 1, _QUARTERS)
    y = Axis("misses (type II errors)", 0, 1, _QUARTERS)
    lines = [
        Line("the best test", list(points), BLUE),
        Line("blind guessing", [(0, 1), (1, 0)], GREY, thin=True),
    ]
    return chart(
        "The best test between the two worlds", words, x, y, lines, width=width, height=height
    )


def belief_chart(
    title: str, groups: Sequence[tuple[str, Sequence[Bar]]], words: str, *, width: int = 560
) -> str:
    """Draw probabilities as bars, in groups that belong together."""
    left = _room([bar.name for _, bars in groups for bar in bars])
    across = width - left - 70
    parts, y = [], 4.0
    for name, bars in groups:
        if name:
            parts.append(text(0, y + 14, name, bold=True))
            y += 22
        for bar in bars:
            length = across * min(max(bar.value, 0), 1)
            parts.append(text(left - 8, y + 14, bar.name, anchor="end"))
            parts.append(
                f'<rect x="{left:.1f}" y="{y + 3:.1f}" width="{max(length, 0.5):.1f}" height="15" '
                f'fill="{bar.colour}" fill-opacity="0.85"/>'
            )
            parts.append(text(left + length + 6, y + 15, f"{100 * bar.value:.3g}%"))
            y += 22
        y += 8
    return frame(title, words, width, int(y), parts)


def interval_chart(title: str, rows: Sequence[Interval], words: str, *, width: int = 560) -> str:
    """Draw released numbers as dots on lines as long as their intervals; lost ones in grey."""
    shown = rows[:_MOST_ROWS]
    ends = [e for row in shown for e in (row.value, row.low, row.high) if e is not None]
    low, high = min(ends), max(ends)
    if low >= 0 and low < high / 2:
        low = 0.0  # lengths are compared with 0, unless that leaves them too little room
    high, low = (high, low) if high > low else (high + 1, low - 1)
    ticks = [v for v in _nice(high, low) if low <= v <= high]
    names = [f"{row.name} (lost in noise)" if row.lost else row.name for row in shown]
    left, top = _room(names), 8
    across, bottom = width - left - 24, top + _ROW * len(shown)

    def place(value: float) -> float:
        return left + across * (value - low) / (high - low)

    parts = []
    for value in ticks:
        at = place(value)
        parts.append(
            f'<line x1="{at:.1f}" y1="{top}" x2="{at:.1f}" y2="{bottom}" stroke="currentColor" '
            'stroke-opacity="0.18"/>'
        )
        parts.append(text(at, bottom + 18, f"{value:,.6g}", anchor="middle"))
    for i, (name, row) in enumerate(zip(names, shown, strict=True)):
        y, colour = top + _ROW * (i + 0.5), GREY if row.lost else BLUE
        parts.append(text(left - 10, y + 4, name, anchor="end"))
        if row.low is not None and row.high is not None:
            parts.append(
                f'<line x1="{place(row.low):.1f}" y1="{y:.1f}" x2="{place(row.high):.1f}" '
                f'y2="{y:.1f}" stroke="{colour}" stroke-width="5" stroke-opacity="0.35" '
                'stroke-linecap="round"/>'
            )
        parts.append(f'<circle cx="{place(row.value):.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
    height = bottom + 28
    if len(rows) > len(shown):
        parts.append(text(left, height + 8, f"and {len(rows) - len(shown)} more in the table"))
        height += 20
    return frame(title, words, width, height, parts)


def _room(names: Sequence[str]) -> float:
    return 14 + _LETTER * max(map(len, names), default=0)


def _curve(
    points: Sequence[tuple[float, float]], *, logarithmic: bool
) -> list[tuple[float, float]]:
    """Put points between, where a long scale bends the lines that join them."""
    if not logarithmic:
        return list(points)
    found = []
    for (x1, y1), (x2, y2) in pairwise(points):
        for k in range(40):
            x = x1 * (x2 / x1) ** (k / 40)
            found.append((x, y1 + (y2 - y1) * (x - x1) / (x2 - x1) if x2 > x1 else y1))
    return [*found, points[-1]]


def _ratio_ticks(end: float, most: int) -> list[tuple[float, str]]:
    if end > _LONG:
        stride = max(1, round(log10(end) / most))
        values = [10.0 ** (stride * k) for k in range(8) if 10.0 ** (stride * k) <= end]
    else:
        values = [1.0, *(v for v in _nice(end, 1.0, most - 1) if 1.05 < v <= end)]
    return [(v, f"{v:.4g} ({log(v):.2g})") for v in values]


def _nice(high: float, low: float = 0.0, most: int = 5) -> list[float]:
    """Return about as many round numbers from below ``low`` to ``high``."""
    raw = (high - low) / most
    power = 10.0 ** floor(log10(raw))
    step = next(s * power for s in (1, 2, 2.5, 5, 10) if s * power >= raw * 0.999)
    start = floor(low / step)
    found = [step * k for k in range(start, start + 12)]
    return [v for v in found if low - step / 2 < v <= high * (1 + 1e-12)]
