"""Figures of matplotlib: how each chart looks there, and how it becomes a file.

A picture is a matplotlib ``Figure`` with a title in words, a sentence under it, and a line that
names what was asked and what the answer assumes. Its title and its label (the same in words, for
those who cannot see it) go into the file as ``<title>`` and ``<desc>``. The same answer gives the
same bytes: letters are drawn as paths, no date is written, and no setting of the user's is read.
Only the object interface of matplotlib is used: no windows, and no current figure.
"""

from __future__ import annotations

import io
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twoworlds.answer import Answer
from twoworlds.charts import (
    Bars,
    Chart,
    Curves,
    Dots,
    GroupedBars,
    HeatMap,
    Icons,
    Intervals,
    Line,
    Span,
)
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.files import check_place, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".svg", ".png")

# Blue and orange of Okabe & Ito, told apart by every kind of colour vision, and in grey print.
INK, GREY, PALE = "#222222", "#6b6b6b", "#d9d9d9"
BLUE, ORANGE = "#0072b2", "#d55e00"

_WIDTH = 6.667  # inches: 640 pixels on a page
_RIGHT, _EDGE, _BELOW = 0.28, 0.14, 0.42
_TITLE_LINE, _LINE, _SOURCE_LINE = 0.24, 0.18, 0.15
_LETTERS_OF_TITLE, _LETTERS, _LETTERS_OF_SOURCE = 64, 94, 112
_DOTS_PER_INCH = 192

_SETTINGS: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],  # it comes with matplotlib
    "font.size": 9,
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in a label is a dollar sign
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 2,
    "lines.solid_capstyle": "round",
    "svg.fonttype": "path",
    "svg.hashsalt": "twoworlds",
}
_one_at_a_time = threading.RLock()  # the settings of matplotlib belong to the whole process


@contextmanager
def style() -> Iterator[None]:
    """Use our settings, and nobody else's, inside the block."""
    try:
        import matplotlib
    except ImportError as error:
        raise Unsupported(
            "pictures need matplotlib, which is not installed: pip install 'twoworlds[pictures]'"
        ) from error
    with _one_at_a_time, matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: Any = matplotlib.rcParams
        settings.update(_SETTINGS)
        yield


def canvas(
    title: str,
    sentence: str,
    source: str,
    *,
    words: str,
    height: float = 3.75,
    left: float = 0.72,
) -> tuple[Figure, Axes]:
    """Return a figure with its texts, and the axes to draw on; use it inside of `style`."""
    from matplotlib.figure import Figure

    heading = textwrap.wrap(title, _LETTERS_OF_TITLE)
    reading = textwrap.wrap(sentence, _LETTERS)
    foot = textwrap.wrap(source, _LETTERS_OF_SOURCE)
    top = 2 * _EDGE + _TITLE_LINE * len(heading) + _LINE * len(reading) + _EDGE
    bottom = _BELOW + 2 * _EDGE + _SOURCE_LINE * len(foot)
    total = top + height + bottom
    figure = Figure(figsize=(_WIDTH, total), facecolor="white")
    figure.set_label(words)
    vars(figure)["_repr_svg_"] = partial(svg, figure)  # what a notebook asks for
    x = _EDGE / _WIDTH
    figure.suptitle(
        "\n".join(heading), x=x, y=1 - _EDGE / total, ha="left", va="top", size=12, weight="bold"
    )
    under = 1 - (1.5 * _EDGE + _TITLE_LINE * len(heading)) / total
    figure.text(x, under, "\n".join(reading), va="top", color=GREY, linespacing=1.35)
    figure.text(x, _EDGE / total, "\n".join(foot), va="bottom", color=GREY, size=7.5)
    width = _WIDTH - left - _RIGHT
    box = (left / _WIDTH, bottom / total, width / _WIDTH, height / total)
    return figure, figure.add_axes(box)


def figure(answer: Answer) -> Figure:
    """Return the first chart of an answer as a figure, with the answer in words around it.

    An icon array draws what the headline says, so that any other chart goes before it.
    """
    listed = [one for one in answer.blocks if isinstance(one, Chart)]
    chart = min(listed, key=lambda one: isinstance(one, Icons), default=None)
    if chart is None:
        raise Unsupported("this answer has no chart: read it in words, with explain()")
    about = ": ".join(part for part in (answer.subject, answer.claim) if part)
    rests = f"assumes {'; '.join(answer.assumptions)}" if answer.assumptions else ""
    names = _names(chart)
    with style():
        drawn, axes = canvas(
            chart.title,
            answer.headline,
            "; ".join(part for part in (about, rests) if part),
            words=getattr(chart, "words", "") or answer.headline,
            height=max(1.0, 0.3 * len(names)) if names else 3.75,
            left=0.3 + 0.075 * max(map(len, names)) if names else 0.72,
        )
        _draw(chart, axes)
    return drawn


def _names(chart: Chart) -> list[str]:
    """Return the names on the vertical axis, from above."""
    match chart:
        case Bars(values=values):
            return list(values)
        case Dots(rows=rows):
            return list(rows)
        case GroupedBars(groups=groups):
            return [
                f"{group}: {bar.name}" if group else bar.name
                for group, bars in groups
                for bar in bars
            ]
        case Intervals(rows=rows) | HeatMap(rows=rows):
            return [row[0] for row in rows]
        case Span():
            return [""]
    return []


def _draw(chart: Chart, axes: Axes) -> None:
    names = _names(chart)
    places = range(len(names))
    if names:
        axes.set_yticks(list(places), labels=names)
        axes.set_ylim(len(names) - 0.5, -0.5)
    match chart:
        case Curves():
            _draw_curves(chart, axes)
        case Bars(values=values):
            colours = [
                ORANGE if name in chart.orange else GREY if name in chart.grey else BLUE
                for name in values
            ]
            axes.barh(list(places), [float(v) for v in values.values()], color=colours)
            _mark(chart.mark, axes)
        case Dots(worlds=worlds, rows=rows):
            pairs = [(float(a), float(b)) for a, b in rows.values()]
            for place, (a, b) in zip(places, pairs, strict=True):
                axes.plot([a, b], [place, place], color=GREY)
            for world, colour, ends in zip(
                worlds, (BLUE, ORANGE), zip(*pairs, strict=True), strict=True
            ):
                axes.scatter(ends, list(places), color=colour, label=world, zorder=3)
            axes.legend(frameon=False)
        case Span(low=low, high=high):
            end = axes.get_xlim()[1] if high is None else float(high)
            axes.plot([float(low), max(end, float(low))], [0, 0], color=BLUE, marker="o")
            _mark(chart.mark, axes)
        case GroupedBars(groups=groups):
            bars = [bar for _, listed in groups for bar in listed]
            axes.barh(list(places), [b.value for b in bars], color=[b.colour for b in bars])
            percent_axis(axes.xaxis, [0, 0.25, 0.5, 0.75, 1])
        case Intervals(rows=rows):
            for place, row in zip(places, rows, strict=True):
                if row.low is not None and row.high is not None:
                    axes.plot([row.low, row.high], [place, place], color=PALE, linewidth=5)
                axes.plot([row.value], [place], color=BLUE, marker="o")
        case Icons(right=right, base=base, of=of):
            colours = [GREY] * base + [BLUE] * (right - base) + [PALE] * (of - right)
            axes.scatter([i % 10 for i in range(of)], [-(i // 10) for i in range(of)], c=colours)
            axes.set_axis_off()
        case HeatMap(heads=heads, rows=rows):
            shares = [[share for _, share in cells] for _, cells in rows]
            axes.imshow(shares, cmap="RdBu", vmin=-1, vmax=1, aspect="auto", alpha=0.6)
            axes.set_xticks(list(range(len(heads))), labels=list(heads))
            for y, (_, cells) in enumerate(rows):
                for x, (words, _) in enumerate(cells):
                    axes.text(x, y, words, ha="center", va="center")


def _draw_curves(chart: Curves, axes: Axes) -> None:
    for line in chart.lines:
        _draw_line(line, axes)
    for axis, name, given in ((axes.xaxis, "x", chart.x), (axes.yaxis, "y", chart.y)):
        if given.logarithmic:
            axes.set(**{f"{name}scale": "log"})
        axes.set(**{f"{name}lim": (given.low, given.high), f"{name}label": given.name})
        axis.set_ticks([at for at, _ in given.ticks], labels=[words for _, words in given.ticks])
        axis.set_ticks([], minor=True)
    if any(line.name for line in chart.lines):
        axes.legend(frameon=False)


def _draw_line(line: Line, axes: Axes) -> None:
    xs, ys = [x for x, _ in line.points], [y for _, y in line.points]
    axes.plot(
        xs,
        ys,
        color=line.colour,
        linestyle="dashed" if line.dashed else "solid",
        linewidth=1 if line.thin else 2,
        marker="o" if line.dotted else "",
        label=line.name or None,
    )
    if line.shaded and line.closed:
        axes.fill(xs, ys, color=line.colour, alpha=0.1)
    elif line.shaded:
        axes.fill_between(xs, ys, color=line.colour, alpha=0.1)


def _mark(mark: tuple[str, Any] | None, axes: Axes) -> None:
    if mark is not None:
        axes.axvline(float(mark[1]), color=ORANGE, linestyle="dashed", label=mark[0])
        axes.legend(frameon=False)


def percent_axis(axis: Any, ticks: list[float]) -> None:
    """Write the ticks of an axis from 0 to 1 in percent."""
    axis.set_ticks(ticks, labels=[f"{100 * tick:g}%" for tick in ticks])


def check_path(path: str | Path) -> Path:
    """Return the path of a picture that can be written."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"{path}: a picture is written as {' or '.join(SUFFIXES)}")
    return check_place(path)


def save(figure: Figure, path: str | Path) -> Path:
    """Write a figure to an .svg or a .png file, whole or not at all."""
    path = check_path(path)
    drawn = svg(figure).encode() if path.suffix.lower() == ".svg" else _png(figure)
    return write(path, drawn)


def svg(figure: Figure) -> str:
    """Return a figure as an SVG document, with its title and its words inside."""
    file = io.StringIO()
    with style():
        # No date and no name of the program: the same figure gives the same bytes.
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(file, format="svg", metadata=nothing)
    title, words = (escape(text, quote=False) for text in _texts(figure))
    before, opening, after = file.getvalue().partition("<svg ")
    attributes, end, rest = after.partition(">")
    inside = f"\n <title>{title}</title>\n <desc>{words}</desc>"
    return f'{before}{opening}role="img" {attributes}{end}{inside}{rest}'


def _png(figure: Figure) -> bytes:
    file = io.BytesIO()
    title, words = _texts(figure)
    about = {"Software": None, "Title": title, "Description": words}
    with style():
        figure.savefig(file, format="png", dpi=_DOTS_PER_INCH, metadata=about)
    return file.getvalue()


def _texts(figure: Figure) -> tuple[str, str]:
    return figure.get_suptitle().replace("\n", " "), str(figure.get_label())
