"""What both pictures of row cones share: colours, how things are written, and the key."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from twoworlds.show.figure import BLUE, GREY, INK, ORANGE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from twoworlds.cones.kernel.vectors import Vector
    from twoworlds.cones.row_cone import Inequality, RowCone

__all__ = [
    "COLOURS",
    "KEY_BELOW",
    "KEY_LEFT",
    "SIDE",
    "TINTS",
    "Entry",
    "Point",
    "column_height",
    "guarantee_text",
    "key_entries",
    "outer_first",
    "row_text",
    "write_column",
    "write_key",
]

COLOURS = (BLUE, ORANGE)
TINTS = {BLUE: "#dbebf4", ORANGE: "#f9e5d9"}
SIDE = 4.0  # inches: the height of the square, or of the triangle's box
KEY_LEFT = 5.02  # inches
KEY_BELOW = 0.45  # inches: the key begins this much below the top of the drawing
_KEY = 25  # letters in a line of the key
_LINE, _GAP = 0.155, 0.09  # inches

Point = tuple[float, float]
Entry = tuple[str, str, str]  # a text, its meaning, the colour of the text


def row_text(ray: Vector) -> str:
    """Write an extreme row."""
    return f"({', '.join(map(str, ray))})"


def outer_first(cones: Sequence[RowCone]) -> list[tuple[RowCone, str]]:
    """Return the cones with their colours, so that the smaller one is drawn on top."""
    coloured = list(zip(cones, COLOURS, strict=False))
    return coloured[::-1] if len(cones) > 1 and cones[0] <= cones[1] else coloured


def guarantee_text(inequality: Inequality) -> str:
    """Write a guarantee in print."""
    return inequality.text().replace("<=", "≤").replace(">=", "≥")


def key_entries(cones: Sequence[RowCone], lines: Sequence[tuple[str, str]]) -> list[Entry]:
    """Return what is explained: two cones by their colours, then texts with their meanings."""
    entries = [(text, meaning, INK) for text, meaning in lines]
    if len(cones) == 1:
        return entries
    return [(cone.source, "", c) for cone, c in zip(cones, COLOURS, strict=True)] + entries


def column_height(entries: Sequence[Entry], *, letters: int = _KEY) -> float:
    """Return the height of a column of the key, in inches."""
    return sum(_LINE * len(_lines(entry, letters)) + _GAP for entry in entries)


def write_column(
    figure: Figure, entries: Sequence[Entry], left: float, top: float, *, letters: int = _KEY
) -> None:
    """Write a column of the key; its upper left corner is given in inches."""
    width, height = figure.get_size_inches()
    for entry in entries:
        for line, ink, weight in _lines(entry, letters):
            place = (left / width, top / height)
            figure.text(*place, line, color=ink, weight=weight, size=8, va="top")
            top -= _LINE
        top -= _GAP


def _lines(entry: Entry, letters: int) -> list[tuple[str, str, str]]:
    text, meaning, colour = entry
    bold = [(line, colour, "bold") for line in textwrap.wrap(text, letters - 3)]
    return bold + [(line, GREY, "normal") for line in textwrap.wrap(meaning, letters)]


def write_key(figure: Figure, cones: Sequence[RowCone], lines: Sequence[tuple[str, str]]) -> None:
    """Write what things mean at the right."""
    [axes, *_] = figure.axes
    top = axes.get_position().y1 * figure.get_size_inches()[1] - KEY_BELOW
    write_column(figure, key_entries(cones, lines), KEY_LEFT, top)
