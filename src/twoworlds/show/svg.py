"""Charts as small SVG: no script, no identifier, nothing from elsewhere, so that many share a page.

The letters are those of the page around it, and so is their colour, on light and dark pages alike.
Every number stands beside its drawing, and the whole is said in words for those who do not see it.
Numbers beside their names (bars, dots, spans, intervals) are rounded to three digits, a bound to
its own side; the words around have the exact ones.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context
from html import escape
from math import inf, isinf
from typing import SupportsFloat

from twoworlds.charts import (
    BLUE,
    GREY,
    ORANGE,
    Axis,
    Bars,
    Curves,
    Dots,
    GroupedBars,
    Icons,
    Intervals,
    Line,
    Side,
    Span,
    nice,
)

_LEFT, _MARGIN, _ABOVE, _BOTTOM = 64, 22, 34, 48
_LETTERS = 12
_FIGURE, _HEAD = 22, 24  # the room of a figure, and of the title
_WIDTH, _ROW, _TOP, _LETTER = 420, 22, 32, 7.2
_SMALL_LETTER, _INTERVAL_ROW = 6.4, 26
_RIGHT = 84  # the room of a number
_MOST, _MOST_INTERVALS = 12, 40
_LONGEST = 32
_TINY = 1e-12
_SMALLEST, _LARGEST = 1e-5, 1e12  # what is beyond is written with a power of ten
_FLOATS = Context(prec=12)  # the digits in which floats are what they stand for
_ROUNDED: dict[Side, Context] = {
    "near": Context(prec=3, rounding=ROUND_HALF_UP),
    "up": Context(prec=3, rounding=ROUND_CEILING),
    "down": Context(prec=3, rounding=ROUND_FLOOR),
}


def draw(chart: Curves | Icons | Bars | Dots | Span | GroupedBars | Intervals, width: int) -> str:
    """Return the SVG of a chart, or nothing where it has no rows."""
    match chart:
        case Curves():
            return curves(chart, width=width)
        case Icons():
            return icons(chart)
        case Bars():
            return _bars(chart)
        case Dots():
            return _dots(chart)
        case Span():
            return _span(chart)
        case GroupedBars():
            return _groups(chart, width)
    return _intervals(chart, width)


def curves(chart: Curves, *, width: int = 560, height: int = 330) -> str:
    """Draw lines between two axes, with a key above them."""
    x, y = chart.x, chart.y
    across, up = width - _LEFT - _MARGIN, height - _ABOVE - _BOTTOM

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return _LEFT + across * x.share(point[0]), _ABOVE + up * (1 - y.share(point[1]))

    parts = [*_grid(x, y, across, up)]
    for line in chart.lines:
        parts += _drawn(line, [place(point) for point in line.points], _ABOVE + up)
    parts += _key(chart.lines, width)
    return frame(chart.title, chart.words, width, height, parts)


def icons(chart: Icons) -> str:
    """Draw figures, ten in a row, each a head over shoulders."""
    parts = [text(0, 14, chart.title, bold=True)]
    for i in range(chart.of):
        x, y = i % 10 * _FIGURE + 4, i // 10 * _FIGURE + _HEAD + 18
        style = f'fill="{GREY if i < chart.base else BLUE}"'
        if i >= chart.right:
            style = 'fill="none" stroke="currentColor" stroke-opacity="0.4"'
        parts.append(f'<path d="M{x} {y}a7 7 0 0 1 14 0zm7-17a4 4 0 1 0 .01 0z" {style}/>')
    bottom = _HEAD + _FIGURE * ((chart.of + 9) // 10)
    parts.append(text(0, bottom + 16, chart.key))
    return frame(chart.title, chart.words, 10 * _FIGURE + 100, bottom + 24, parts)


def frame(title: str, words: str, width: int, height: int, parts: Sequence[str]) -> str:
    """Return the SVG around what is drawn."""
    label = escape(f"{title}. {words}", quote=True)
    return (
        f'<svg role="img" aria-label="{label}" viewBox="0 0 {width} {height}" '
        f'preserveAspectRatio="xMinYMid" '
        f'style="width:100%;max-width:{width}px;height:auto;display:block" '
        f'font-size="{_LETTERS}" fill="currentColor"><title>{escape(title)}</title>'
        f"{''.join(parts)}</svg>"
    )


def text(
    x: float,
    y: float,
    words: str,
    *,
    anchor: str = "start",
    colour: str = "currentColor",
    bold: bool = False,
) -> str:
    """Return a text at a place."""
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{weight}>'
        f"{escape(words)}</text>"
    )


def _grid(x: Axis, y: Axis, across: float, up: float) -> list[str]:
    right, bottom = _LEFT + across, _ABOVE + up
    parts = []
    for value, label in y.ticks:
        at = _ABOVE + up * (1 - y.share(value))
        parts.append(rule(_LEFT, at, right, at, 0.18))
        parts.append(text(_LEFT - 8, at + 4, label, anchor="end"))
    for value, label in x.ticks:
        at = _LEFT + across * x.share(value)
        parts.append(rule(at, bottom, at, bottom + 5, 0.6))
        parts.append(text(at, bottom + 19, label, anchor="middle"))
    parts.append(rule(_LEFT, bottom, right, bottom, 0.6))
    parts.append(text(right, bottom + 40, x.name, anchor="end"))
    turned = f'transform="rotate(-90)" x="{-_ABOVE:.1f}" y="12" text-anchor="end"'
    parts.append(f"<text {turned}>{escape(y.name)}</text>")
    return parts


def rule(
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    opacity: float,
    *,
    colour: str = "currentColor",
    style: str = "",
) -> str:
    """Return a line, thin and in the colour of the text unless something else is said."""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-opacity="{opacity}"{style}/>'
    )


def dot(x: float, y: float, colour: str, radius: float = 5) -> str:
    """Return a dot."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{colour}"/>'


def _drawn(line: Line, points: Sequence[tuple[float, float]], bottom: float) -> list[str]:
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = []
    if line.shaded and points:
        ends = f"{points[-1][0]:.1f},{bottom:.1f} {points[0][0]:.1f},{bottom:.1f}"
        ends = "" if line.closed else ends
        shade = f'fill="{line.colour}" fill-opacity="0.1"'
        parts.append(f'<polygon points="{joined} {ends}" {shade}/>')
    parts.append(f'<polyline points="{joined}" fill="none" {_stroke(line)}/>')
    if line.dotted:
        parts += [dot(x, y, line.colour, 3.5) for x, y in points]
    return parts


def _stroke(line: Line) -> str:
    dash = ' stroke-dasharray="6 4"' if line.dashed else ""
    return f'stroke="{line.colour}" stroke-width="{1 if line.thin else 2.2}"{dash}'


def _key(lines: Sequence[Line], width: int) -> list[str]:
    """Name the lines above the chart, from left to right, from the edge if there is little room."""
    named = [line for line in lines if line.name]
    lengths = [25 + 6 * len(line.name) + 14 for line in named]
    parts, x = [], float(max(0, min(_LEFT, width - sum(lengths))))
    for line, length in zip(named, lengths, strict=True):
        parts.append(f'<line x1="{x:.1f}" y1="16" x2="{x + 20:.1f}" y2="16" {_stroke(line)}/>')
        parts.append(text(x + 25, 20, line.name))
        x += length
    return parts


# --- numbers beside their names ------------------------------------------------------------------


def share_text(share: SupportsFloat) -> str:
    """Write a share of 1 as the pictures do, to the nearest of three digits, and say if it is.

    >>> share_text(89 / 96), share_text(1)
    ('about 92.7%', '100%')
    """
    value = _float(share)
    said = _written(value, share=True)
    whole = _FLOATS.create_decimal(100 * value)
    return said if said[0] == "a" or whole == _ROUNDED["near"].plus(whole) else f"about {said}"


def _bars(chart: Bars) -> str:
    share, side = chart.share, chart.side
    found = {name: _float(value) for name, value in chart.values.items()}
    shown = dict(list(found.items())[:_MOST])
    if not shown:
        return ""
    line = None if chart.mark is None else (chart.mark[0], _float(chart.mark[1]))
    scale = _Scale.of(
        [*shown.values(), *([] if line is None else [line[1]])],
        shown,
        top=chart.top if share else 0.0,
    )
    parts, y = [_caption(chart.title)], float(_TOP)
    for name, value in shown.items():
        colour = (
            ORANGE if value < 0 or name in chart.orange else GREY if name in chart.grey else BLUE
        )
        parts.append(text(scale.left - 8, y + 14, _short(name), anchor="end"))
        start, end = sorted((scale.place(0), scale.place(value)))
        parts.append(_bar(start, y, end - start, colour))
        beside = end if line is None else scale.right
        parts.append(text(beside + 6, y + 15, _written(value, side, share=share)))
        y += _ROW
    if line is not None:
        parts += _mark(line, scale, y, share=share)
        y += 20
    if len(found) > len(shown):
        parts.append(text(scale.left, y + 14, f"and {len(found) - len(shown)} more"))
        y += _ROW
    said = [f"{name}: {_written(value, side, share=share)}" for name, value in shown.items()]
    if line is not None:
        said.append(f"{line[0]}: {_written(line[1], 'up', share=share)}")
    words = "; ".join(said)
    return frame(chart.title, words, _WIDTH, int(y) + 4, parts)


def _dots(chart: Dots) -> str:
    share, worlds = chart.share, chart.worlds
    pairs = {name: (_float(a), _float(b)) for name, (a, b) in list(chart.rows.items())[:_MOST]}
    if not pairs:
        return ""
    scale = _Scale.of(
        [v for pair in pairs.values() for v in pair], pairs, top=float(share), wide=1.7
    )
    parts, x = [_caption(chart.title)], 8.0
    for name, colour in zip(worlds, (BLUE, ORANGE), strict=True):
        parts += [dot(x, _TOP + 10, colour), text(x + 9, _TOP + 14, _short(name))]
        x += 9 + _LETTER * len(_short(name)) + 22
    y, words = _TOP + _ROW + 4.0, []
    for name, (first, second) in pairs.items():
        a, b, middle = scale.place(first), scale.place(second), y + 11
        parts.append(text(scale.left - 12, y + 15, _short(name), anchor="end"))
        parts.append(rule(scale.left, middle, scale.right, middle, 0.18))
        parts.append(rule(a, middle, b, middle, 0.6, style=' stroke-width="2"'))
        parts += [dot(b, middle, ORANGE), dot(a, middle, BLUE)]
        written = [_written(value, share=share) for value in (first, second)]
        parts.append(text(scale.right + 12, y + 15, " | ".join(written)))
        words.append(f"{name}: {worlds[0]} {written[0]}, {worlds[1]} {written[1]}")
        y += _ROW
    if len(chart.rows) > len(pairs):
        parts.append(text(scale.left, y + 14, f"and {len(chart.rows) - len(pairs)} more"))
        y += _ROW
    return frame(chart.title, "; ".join(words), _WIDTH, int(y) + 4, parts)


def _span(chart: Span) -> str:
    start = _float(chart.low)
    end = inf if chart.high is None else _float(chart.high)
    line = None if chart.mark is None else (chart.mark[0], _float(chart.mark[1]))
    ends = [start, *([] if isinf(end) else [end]), *([] if line is None else [line[1]])]
    scale = _Scale.of([*(1.25 * e for e in ends)], ("",))
    first, last = _written(start, "down", share=False), _written(end, "up", share=False)
    said = f"at least {first}" if isinf(end) else f"from {first} to {last}"
    if start == end:
        said = _written(start, share=False)
    y = _TOP + 11.0
    parts = [_caption(chart.title), rule(scale.left, y, scale.right, y, 0.4)]
    a, b = scale.place(start), scale.place(end)
    parts.append(rule(a, y, b, y, 0.6, colour=BLUE, style=' stroke-width="5"'))
    parts += [dot(at, y, BLUE) for at in ([a] if isinf(end) else [a, b])]
    parts.append(text(scale.right + 8, y + 4, said))
    parts.append(text(scale.left, y + 26, "0"))
    bottom = y + 14
    if line is not None:
        parts += _mark(line, scale, bottom, share=False)
        said += f"; {line[0]} {_written(line[1], 'up', share=False)}"
    return frame(chart.title, said, _WIDTH, int(bottom) + 22, parts)


def _groups(chart: GroupedBars, width: int) -> str:
    left = _room([bar.name for _, bars in chart.groups for bar in bars])
    across = width - left - 70
    parts, y = [], 4.0
    for name, bars in chart.groups:
        if name:
            parts.append(text(0, y + 14, name, bold=True))
            y += 22
        for bar in bars:
            length = across * min(max(bar.value, 0), 1)
            parts.append(text(left - 8, y + 14, bar.name, anchor="end"))
            parts.append(_bar(left, y, length, bar.colour))
            parts.append(text(left + length + 6, y + 15, f"{100 * bar.value:.3g}%"))
            y += 22
        y += 8
    return frame(chart.title, chart.words, width, int(y), parts)


def _intervals(chart: Intervals, width: int) -> str:
    rows = chart.rows
    shown = rows[:_MOST_INTERVALS]
    ends = [e for row in shown for e in (row.value, row.low, row.high) if e is not None]
    low, high = min(ends), max(ends)
    if low >= 0 and low < high / 2:
        low = 0.0  # lengths are compared with 0, unless that leaves them too little room
    high, low = (high, low) if high > low else (high + 1, low - 1)
    ticks = [v for v in nice(high, low) if low <= v <= high]
    names = [f"{row.name} (lost in noise)" if row.lost else row.name for row in shown]
    left, top = _room(names), 8
    across, bottom = width - left - 24, top + _INTERVAL_ROW * len(shown)

    def place(value: float) -> float:
        return left + across * (value - low) / (high - low)

    parts = []
    for value in ticks:
        at = place(value)
        parts.append(rule(at, top, at, bottom, 0.18))
        parts.append(text(at, bottom + 18, f"{value:,.6g}", anchor="middle"))
    for i, (name, row) in enumerate(zip(names, shown, strict=True)):
        y, colour = top + _INTERVAL_ROW * (i + 0.5), GREY if row.lost else BLUE
        parts.append(text(left - 10, y + 4, name, anchor="end"))
        if row.low is not None and row.high is not None:
            wide = ' stroke-width="5" stroke-linecap="round"'
            a, b = place(row.low), place(row.high)
            parts.append(rule(a, y, b, y, 0.35, colour=colour, style=wide))
        parts.append(dot(place(row.value), y, colour, 4))
    height = bottom + 28
    if len(rows) > len(shown):
        parts.append(text(left, height + 8, f"and {len(rows) - len(shown)} more in the table"))
        height += 20
    return frame(chart.title, chart.words, width, height, parts)


def _room(names: Sequence[str]) -> float:
    return 14 + _SMALL_LETTER * max(map(len, names), default=0)


class _Scale:
    """Where numbers lie between the names on the left and the room for numbers on the right."""

    def __init__(self, left: float, right: float, low: float, high: float) -> None:
        self.left, self.right, self.low, self.high = left, right, low, high

    @staticmethod
    def of(
        values: Sequence[float], names: Collection[str], *, top: float = 0.0, wide: float = 1.0
    ) -> _Scale:
        finite = [value for value in values if not isinf(value)]
        low = min([0.0, *finite])
        high = max([0.0, *finite]) if low < 0 else max([top, *finite])
        left = 14 + _LETTER * max(len(_short(name)) for name in names)
        right = _WIDTH - wide * _RIGHT
        return _Scale(left, right, low, high if high - low > _TINY else low + 1)

    def place(self, value: float) -> float:
        inside = min(max(value, self.low), self.high)
        return self.left + (self.right - self.left) * (inside - self.low) / (self.high - self.low)


def _mark(line: tuple[str, float], scale: _Scale, bottom: float, *, share: bool) -> list[str]:
    name, value = line
    at = scale.place(value)
    said = f"{name} {_written(value, 'up', share=share)}"
    dashed = ' stroke-width="2" stroke-dasharray="4 3"'
    return [
        rule(at, _TOP, at, bottom, 1, colour=ORANGE, style=dashed),
        text(min(at, _WIDTH - _LETTER * len(said) / 2), bottom + 14, said, anchor="middle"),
    ]


def _caption(title: str) -> str:
    return text(0, 20, title, bold=True)


def _bar(x: float, y: float, length: float, colour: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y + 3:.1f}" width="{max(length, 0.5):.1f}" height="15" '
        f'fill="{colour}" fill-opacity="0.85"/>'
    )


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _float(value: SupportsFloat) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf


def _written(value: float, side: Side = "near", *, share: bool) -> str:
    """Write a whole number, or one in three digits; only all is written as 100%."""
    if isinf(value):
        return "no bound"
    if not share and value.is_integer() and abs(value) < _LARGEST:
        return f"{value:,.0f}"
    whole = _FLOATS.create_decimal(100 * value if share else value)
    digits = _ROUNDED[side].plus(whole).normalize()
    said = f"{digits:,f}" if not digits or _SMALLEST <= abs(digits) < _LARGEST else f"{digits:e}"
    if not share:
        return said
    return "almost 100%" if said == "100" and value < 1 and side == "near" else f"{said}%"
