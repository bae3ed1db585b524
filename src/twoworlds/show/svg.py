"""Charts as small SVG: no script, no identifier, nothing from elsewhere, so that many share a page.

The letters are those of the page around it, and so is their colour, on light and dark pages alike.
Every number stands beside its drawing, and the whole is said in words for those who do not see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from twoworlds.charts import BLUE, GREY, Axis, Curves, Icons, Line

_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 22, 34, 48
_LETTERS = 12
_FIGURE, _HEAD = 22, 24  # the room of a figure, and of the title


def curves(chart: Curves, *, width: int = 560, height: int = 330) -> str:
    """Draw lines between two axes, with a key above them."""
    x, y = chart.x, chart.y
    across, up = width - _LEFT - _RIGHT, height - _TOP - _BOTTOM

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return _LEFT + across * x.share(point[0]), _TOP + up * (1 - y.share(point[1]))

    parts = [*_grid(x, y, across, up)]
    for line in chart.lines:
        parts += _drawn(line, [place(point) for point in line.points], _TOP + up)
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
    right, bottom = _LEFT + across, _TOP + up
    parts = []
    for value, label in y.ticks:
        at = _TOP + up * (1 - y.share(value))
        parts.append(rule(_LEFT, at, right, at, 0.18))
        parts.append(text(_LEFT - 8, at + 4, label, anchor="end"))
    for value, label in x.ticks:
        at = _LEFT + across * x.share(value)
        parts.append(rule(at, bottom, at, bottom + 5, 0.6))
        parts.append(text(at, bottom + 19, label, anchor="middle"))
    parts.append(rule(_LEFT, bottom, right, bottom, 0.6))
    parts.append(text(right, bottom + 40, x.name, anchor="end"))
    turned = f'transform="rotate(-90)" x="{-_TOP:.1f}" y="12" text-anchor="end"'
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
