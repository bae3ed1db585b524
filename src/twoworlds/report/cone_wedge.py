"""The row cone of two databases: a wedge in the unit square (Lin & Kifer, Figure 2).

A point is an output, by its probability on each database. The arrows are the extreme rows, each as
long as probabilities allow; along them stand the guarantees that they just meet. On the diagonal an
output teaches nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from twoworlds.definitions.verdict import shortened
from twoworlds.report.cone_key import (
    TINTS,
    Point,
    guarantee_text,
    outer_first,
    row_text,
    write_key,
)
from twoworlds.show.figure import BLUE, GREY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from twoworlds.cones.kernel.vectors import Vector
    from twoworlds.cones.row_cone import Inequality, RowCone

__all__ = ["draw_wedges"]


def draw_wedges(figure: Figure, axes: Axes, cones: Sequence[RowCone]) -> None:
    """Draw one wedge with all its labels, or two of them."""
    across, up = (shortened(label) for label in cones[0].columns)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.set(xlabel=f"probability of the output on {across}")
    axes.set(ylabel=f"probability of the output on {up}")
    quarters = [0, 0.25, 0.5, 0.75, 1]
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(quarters, labels=["0", "1/4", "1/2", "3/4", "1"])
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=(0, (4, 2)), label="diagonal")
    for cone, colour in outer_first(cones):
        _draw_wedge(axes, cone, colour)
    alone = cones[0] if len(cones) == 1 else None
    _label_tips(axes, () if alone is None else alone.cone.rays)
    if alone is not None:
        for inequality in alone.inequalities():
            _label_boundary(axes, alone.cone.rays, inequality)
    write_key(figure, cones, [] if alone is None else _readings(alone))


def _tip(ray: Vector) -> Point:
    """Return the largest multiple of a row whose entries are probabilities."""
    largest = max(ray)
    return float(Fraction(ray[0], largest)), float(Fraction(ray[1], largest))


def _draw_wedge(axes: Axes, cone: RowCone, colour: str) -> None:
    by_angle = sorted(cone.cone.rays, key=lambda ray: Fraction(ray[1], sum(ray)))
    tips = [_tip(ray) for ray in by_angle]
    if not tips:
        axes.plot([0], [0], "o", color=colour, clip_on=False, label="no output")
    if len(tips) == 2:
        corner = [(1.0, 1.0)] if tips[0][0] == 1 and tips[1][1] == 1 else []
        shape = [(0.0, 0.0), tips[0], *corner, tips[1]]
        axes.fill(*zip(*shape, strict=True), color=TINTS[colour], linewidth=0, label="wedge")
    for tip in tips:
        arrow = {"arrowstyle": "-|>,head_width=0.28,head_length=0.6", "color": colour, "lw": 2}
        arrow |= {"shrinkA": 0, "shrinkB": 0}
        axes.annotate("", tip, (0, 0), arrowprops=arrow, annotation_clip=False)
        axes.plot([0, tip[0]], [0, tip[1]], color=colour, alpha=0, label="extreme row")


def _label_tips(axes: Axes, rays: Sequence[Vector]) -> None:
    """Write each extreme row beside the tip of its arrow, and the diagonal's meaning at its end."""
    gap = 0.055
    right: list[tuple[float, str, str]] = [(1.0, "learns nothing", GREY)]
    above: list[tuple[float, str]] = []
    for ray in rays:
        x, y = _tip(ray)
        if y < 1:
            right.append((y, row_text(ray), BLUE))
        elif x < 1:
            above.append((x, row_text(ray)))
    level = 1 + gap
    for y, text, colour in sorted(right, reverse=True):
        level = min(y, level - gap)
        axes.text(1.025, level, text, color=colour, va="center")
    for x, text in above:
        axes.text(x, 1.03, text, color=BLUE, ha="center", va="bottom")


def _label_boundary(axes: Axes, rays: Sequence[Vector], inequality: Inequality) -> None:
    """Write a guarantee along the extreme row that meets it, outside the wedge if there is room."""
    met = [ray for ray in rays if inequality.value(ray) == 0]
    if not met or (len(rays) == 1 and not inequality.equality):
        return
    x, y = _tip(met[0])
    angle = math.atan2(y, x)
    steep = angle > math.pi / 4 or (angle == math.pi / 4 and inequality.coefficients[0] > 0)
    room = math.pi / 2 - angle if steep else angle
    up = (room > math.radians(9)) == steep
    length = math.hypot(x, y)
    along = min(0.62 * length, length - 0.25)
    side = 0.018 if up else -0.018
    place = (
        along * math.cos(angle) - side * math.sin(angle),
        along * math.sin(angle) + side * math.cos(angle),
    )
    axes.text(
        *(*place, guarantee_text(inequality)),
        color=INK,
        rotation=math.degrees(angle),
        rotation_mode="anchor",
        ha="center",
        va="bottom" if up else "top",
    )


def _readings(cone: RowCone) -> list[tuple[str, str]]:
    """Return each guarantee with its meaning in a few words, where it has few words."""
    one = len(cone.cone.rays) == 1  # then its equality says it all
    shown = [inequality for inequality in cone.inequalities() if inequality.equality or not one]
    return [(guarantee_text(inequality), _meaning(inequality)) for inequality in shown]


def _meaning(inequality: Inequality) -> str:
    label = inequality.universe.label
    smaller, larger = (list(side.items()) for side in inequality.sides())
    if not smaller and len(larger) == 1:
        nothing = "a probability, which protects nothing"
        return f"never occurs on {label(larger[0][0])}" if inequality.equality else nothing
    if len(smaller) != 1 or len(larger) != 1:
        return ""
    (x, c), (y, d) = smaller[0], larger[0]
    times = Fraction(d, c)
    if times == 1:
        likely = "just as likely" if inequality.equality else "at most as likely"
        return f"{likely} on {label(x)} as on {label(y)}"
    bound = "exactly" if inequality.equality else "at most"
    return f"{bound} {times} times as likely on {label(x)} as on {label(y)}"
