"""What both pictures of row cones share: colours, how things are written, and the key."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from twoworlds.report.pictures import BLUE, GREY, INK, ORANGE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from twoworlds.cones.kernel.vectors import Vector
    from twoworlds.cones.row_cone import Inequality, RowCone

__all__ = [
    "COLOURS",
    "KEY_LEFT",
    "SIDE",
    "TINTS",
    "Point",
    "guarantee_text",
    "outer_first",
    "row_text",
    "write_key",
]

COLOURS = (BLUE, ORANGE)
TINTS = {BLUE: "#dbebf4", ORANGE: "#f9e5d9"}
SIDE = 4.0  # inches: the height of the square, or of the triangle's box
KEY_LEFT = 5.02  # inches
_KEY = 25  # letters in a line of the key

Point = tuple[float, float]


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


def write_key(figure: Figure, cones: Sequence[RowCone], lines: Sequence[tuple[str, str]]) -> float:
    """Write what things mean at the right; return the height at which the texts end."""
    width, height = figure.get_size_inches()
    [axes, *_] = figure.axes
    at = axes.get_position().y1 - 0.45 / height
    entries = [(text, meaning, INK) for text, meaning in lines]
    if len(cones) > 1:
        entries = [(cone.source, "", c) for cone, c in zip(cones, COLOURS, strict=True)] + entries
    for text, meaning, colour in entries:
        for part, ink, weight in ((text, colour, "bold"), (meaning, GREY, "normal")):
            for line in textwrap.wrap(part, _KEY - 3 if weight == "bold" else _KEY):
                figure.text(KEY_LEFT / width, at, line, color=ink, weight=weight, size=8, va="top")
                at -= 0.155 / height
        at -= 0.09 / height
    return float(at)
