"""The row cone of three databases: a polygon in a triangle.

Only the direction of a row counts, so that its slice x1 + x2 + x3 = 1 is drawn: each corner of the
triangle gives one database away, and in its centre an output teaches nothing. Edges are guarantees,
dots are extreme rows. A small polygon is magnified, and the whole triangle shown beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.definitions.verdict import shortened
from twoworlds.report.cone_key import (
    KEY_LEFT,
    SIDE,
    TINTS,
    Point,
    guarantee_text,
    outer_first,
    row_text,
    write_key,
)
from twoworlds.report.pictures import BLUE, GREY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from twoworlds.cones.kernel.vectors import Vector
    from twoworlds.cones.row_cone import Inequality, RowCone

__all__ = ["draw_slices"]

_MOST_LABELS = 6
_SHORT_NAME = 4  # letters of a name that is centred below its corner
_SMALL = 0.3  # a polygon below this share of the triangle is magnified
_LETTER = 0.072  # inches: the width of a letter
_WIDE = 1.13  # the width of the triangle's box: this many times its height
_WHOLE = (-0.045, -0.07, 0.96)  # left, bottom and height of the box around the whole triangle
_TOP, _LEFT, _RIGHT = (0.5, math.sqrt(3) / 2), (0.0, 0.0), (1.0, 0.0)
_HALO: Any = {"facecolor": "white", "linewidth": 0, "pad": 0.8}


def _place(ray: Sequence[int]) -> Point:
    """Return where a row lies in the triangle."""
    a, b, c = (float(Fraction(entry, sum(ray))) for entry in ray)
    corners = zip(_TOP, _LEFT, _RIGHT, strict=True)
    x, y = (a * top + b * left + c * right for top, left, right in corners)
    return x, y


def _edges(cone: RowCone) -> list[tuple[Inequality, Vector, Vector]]:
    """Return each guarantee with the two extreme rows that just meet it: an edge or the segment."""
    found = []
    for inequality in cone.inequalities():
        met = [ray for ray in cone.generators() if inequality.value(ray) == 0]
        if len(met) == 2:
            found.append((inequality, met[0], met[1]))
    return found


def _around(cone: RowCone) -> list[Vector]:
    """Return the extreme rows in the order of the polygon's boundary."""
    rays = list(cone.generators())
    if len(rays) < 3:
        return rays
    beside: dict[Vector, list[Vector]] = {ray: [] for ray in rays}
    for _, a, b in _edges(cone):
        beside[a].append(b)
        beside[b].append(a)
    walk = [rays[0], beside[rays[0]][0]]
    while len(walk) < len(rays):
        walk.append(next(ray for ray in beside[walk[-1]] if ray != walk[-2]))
    return walk


def draw_slices(figure: Figure, axes: Axes, cones: Sequence[RowCone]) -> None:
    """Draw one polygon with all its labels, or two of them."""
    axes.axis("off")
    places = [_place(ray) for cone in cones for ray in cone.cone.rays]
    window = _window(places)
    _draw_triangle(axes, cones[0].columns, named=window is None)
    for cone, colour in outer_first(cones):
        _draw_polygon(axes, [_place(ray) for ray in _around(cone)], colour)
    x, y, side = window or _WHOLE
    axes.set(xlim=(x, x + side * _WIDE), ylim=(y, y + side))
    if len(cones) == 1:
        _label_polygon(axes, cones[0], side / SIDE)
    lines = [("corner", "the database is certain"), ("centre", "learns nothing")]
    lines += [("edge", "a guarantee, just met"), ("dot", "an extreme row")]
    low = write_key(figure, cones, lines)
    if window is not None:
        _draw_locator(figure, cones, window, low)


def _window(places: Sequence[Point]) -> tuple[float, float, float] | None:
    """Return the square to magnify (left, bottom, side) around small polygons, or None."""
    if len(places) < 2:
        return None
    xs, ys = zip(*[*places, _place((1, 1, 1))], strict=True)
    extent = max(max(xs) - min(xs), max(ys) - min(ys))
    if not 0 < extent < _SMALL:
        return None
    side = 1.5 * extent
    return (max(xs) + min(xs) - side * _WIDE) / 2, (max(ys) + min(ys) - side) / 2, side


def _draw_triangle(axes: Axes, columns: Sequence[str], *, named: bool) -> None:
    corners = [_TOP, _LEFT, _RIGHT, _TOP]
    axes.plot(*zip(*corners, strict=True), color=GREY, linewidth=0.9, label="triangle")
    centre = _place((1, 1, 1))
    axes.plot(*([at] for at in centre), "+", color=INK, markersize=9, label="centre", zorder=4)
    if named:
        for (x, y), label, ha in zip(corners, columns, ("center", "left", "right"), strict=False):
            text = shortened(label)
            side = ha if len(text) > _SHORT_NAME else "center"
            below = ha != "center"
            step, va = (-0.025, "top") if below else (0.02, "bottom")
            axes.text(x, y + step, text, weight="bold", ha=side, va=va)


def _draw_polygon(axes: Axes, places: Sequence[Point], colour: str) -> None:
    if not places:
        return
    xs, ys = zip(*[*places, places[0]], strict=True)
    if len(places) > 2:
        axes.fill(xs, ys, color=TINTS[colour], linewidth=0, label="polygon")
    axes.plot(xs, ys, color=colour, label="boundary")
    dots: Any = {"marker": "o", "markeredgecolor": "white", "markersize": 6.5, "clip_on": False}
    axes.plot(xs, ys, color=colour, linestyle="none", label="extreme rows", zorder=5, **dots)


def _label_polygon(axes: Axes, cone: RowCone, inch: float) -> None:
    """Write extreme rows at the corners and guarantees along the edges, while there are few."""
    rays = cone.cone.rays
    if not 0 < len(rays) <= _MOST_LABELS:
        return
    places = [_place(ray) for ray in rays]
    middle = (sum(x for x, _ in places) / len(rays), sum(y for _, y in places) / len(rays))
    for ray, place in zip(rays, places, strict=True):
        if sum(ray) == 1:
            continue  # a corner of the triangle, which has a name
        x, y = _outward(place, middle, 0.12 * inch)
        ha = "center" if abs(x - place[0]) < 0.04 * inch else "left" if x > place[0] else "right"
        va = "center" if ha != "center" else "bottom" if y >= place[1] else "top"
        if va == "top":
            y -= 0.05 * inch  # below the guarantees of the two edges that meet there
        axes.text(x, y, row_text(ray), color=BLUE, ha=ha, va=va, bbox=_HALO)
    for inequality, p, q in _edges(cone):
        _label_edge(axes, guarantee_text(inequality), _place(p), _place(q), middle, inch)


def _outward(place: Point, middle: Point, step: float) -> Point:
    dx, dy = place[0] - middle[0], place[1] - middle[1]
    length = math.hypot(dx, dy)
    if length == 0:
        return place[0], place[1] + step
    return place[0] + step * dx / length, place[1] + step * dy / length


def _label_edge(axes: Axes, text: str, p: Point, q: Point, middle: Point, inch: float) -> None:
    """Write a guarantee along an edge: outside of the polygon, or above a lone segment."""
    (x, y), (u, v) = sorted([p, q])
    angle = math.atan2(v - y, u - x)
    centre = ((x + u) / 2, (y + v) / 2)
    across = (u - x) * (middle[1] - y) - (v - y) * (middle[0] - x)  # > 0: the inside is above
    up = across <= 1e-12
    step = (0.06 if up else -0.06) * inch
    room = math.hypot(u - x, v - y) / inch
    axes.text(
        *(centre[0] - step * math.sin(angle), centre[1] + step * math.cos(angle), text),
        size=9 if len(text) * _LETTER <= room else 8,
        rotation=math.degrees(angle),
        rotation_mode="anchor",
        ha="center",
        va="bottom" if up else "top",
    )


def _draw_locator(
    figure: Figure, cones: Sequence[RowCone], window: tuple[float, float, float], top: float
) -> None:
    """Show the whole triangle beside a magnified part, and where the part lies."""
    width, height = figure.get_size_inches()
    side = 1.35
    axes = figure.add_axes(
        ((KEY_LEFT + 0.1) / width, top - side / height, side / width, side / height)
    )
    axes.axis("off")
    axes.set_aspect("equal")
    axes.set(xlim=(-0.12, 1.12), ylim=(-0.16, 1.08))
    _draw_triangle(axes, cones[0].columns, named=True)
    for cone, colour in outer_first(cones):
        places = [_place(ray) for ray in _around(cone)]
        axes.fill(*zip(*places, strict=True), color=colour, linewidth=1)
    x, y, size = window
    right, upper = x + size * _WIDE, y + size
    frame = [(x, y), (right, y), (right, upper), (x, upper), (x, y)]
    axes.plot(*zip(*frame, strict=True), color=INK, linewidth=0.8, label="magnified")
