"""The row cone of three databases: a polygon in a triangle.

Only the direction of a row counts, so that its slice x1 + x2 + x3 = 1 is drawn: each corner of the
triangle gives one database away, and in its centre an output teaches nothing. Edges are guarantees,
dots are extreme rows. The whole triangle is always shown; a very small polygon is marked in it by a
frame, and magnified in a larger frame beside it. Guarantees that do not fit along their edges are
numbered and written in the key.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.definitions.verdict import shortened
from twoworlds.report.cone_key import (
    KEY_BELOW,
    KEY_LEFT,
    SIDE,
    TINTS,
    Entry,
    Point,
    column_height,
    guarantee_text,
    key_entries,
    outer_first,
    row_text,
    write_column,
)
from twoworlds.show.figure import BLUE, GREY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from twoworlds.cones.kernel.vectors import Vector
    from twoworlds.cones.row_cone import Inequality, RowCone

__all__ = ["draw_slices", "slices_height"]

_MOST_LABELS = 6
_SHORT_NAME = 4  # letters of a name that is centred below its corner
_LONGEST_ROW = 15  # letters
_SMALL = 1 / 8  # a polygon below this share of the triangle is magnified
_LETTER = 0.072  # inches: the width of a letter
_ALONE = (-0.045, 1.0398, -0.07, 0.89)  # the box around a triangle without an inset
_BESIDE = (-0.045, 1.815, -0.07, 1.19)  # and around one with an inset
_INSET = (0.89, 0.26, 0.92)  # left, bottom and side
_MARKER = 0.06  # the side of the frame in the triangle, at least
_WIDTH = 6.137  # inches: of both the triangle and the inset
_COLUMN, _COLUMN_LETTERS = 2.1, 31  # of the key below an inset: inches and letters
_NUMBERS = "①②③④⑤⑥"
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
    window = _window(cones)
    box = _ALONE if window is None else _BESIDE
    inch = _inch(window)
    width, height = figure.get_size_inches()
    x, _, _, _ = axes.get_position().bounds
    top = axes.get_position().y1 * height
    high = (box[3] - box[2]) / inch
    wide = (box[1] - box[0]) / inch
    axes.set_position((x, (top - high) / height, wide / width, high / height))
    axes.set(xlim=box[:2], ylim=box[2:])
    _draw_triangle(axes, cones[0].columns, 0.08 * inch if window is None else 0.17 * inch)
    close = axes if window is None else _inset(axes, window)
    for cone, colour in outer_first(cones):
        places = [_place(ray) for ray in _around(cone)]
        _draw_polygon(close, places, colour)
        if window is not None:
            axes.fill(*zip(*places, strict=True), color=colour, linewidth=1, label="where")
    if len(cones) == 1:
        _label_polygon(close, cones[0], _inch(window, inside=True), numbered=_numbered(cones))
    meanings, guarantees = _key(cones)
    if window is None:
        write_column(figure, meanings + guarantees, KEY_LEFT, top - KEY_BELOW)
        return
    half = (len(meanings) + 1) // 2
    for k, column in enumerate([meanings[:half], meanings[half:], guarantees]):
        left = x * width + k * _COLUMN
        write_column(figure, column, left, top - high - 0.28, letters=_COLUMN_LETTERS)


def slices_height(cones: Sequence[RowCone]) -> float:
    """Return the height of the drawing with its key, in inches."""
    meanings, guarantees = _key(cones)
    if _window(cones) is None:
        return max(SIDE, KEY_BELOW + column_height(meanings + guarantees))
    half = (len(meanings) + 1) // 2
    columns = [meanings[:half], meanings[half:], guarantees]
    below = max(column_height(column, letters=_COLUMN_LETTERS) for column in columns)
    return (_BESIDE[3] - _BESIDE[2]) / _inch((0, 0, 1)) + below


def _key(cones: Sequence[RowCone]) -> tuple[list[Entry], list[Entry]]:
    """Return what all things mean, and the numbered guarantees."""
    lines = [("corner of the triangle", "the database is certain"), ("cross", "learns nothing")]
    lines += [("edge", "a guarantee, just met"), ("dot", "an extreme row")]
    if not _numbered(cones):
        return key_entries(cones, lines), []
    texts = [guarantee_text(inequality) for inequality, _, _ in _edges(cones[0])]
    return key_entries(cones, lines), [
        (f"{number} {text}", "", INK) for number, text in zip(_NUMBERS, texts, strict=False)
    ]


def _numbered(cones: Sequence[RowCone]) -> bool:
    """Say whether guarantees stand in the key, since some edge is too short for its own."""
    if len(cones) > 1 or not 0 < len(cones[0].cone.rays) <= _MOST_LABELS:
        return False
    inch = _inch(_window(cones), inside=True)
    for inequality, p, q in _edges(cones[0]):
        room = math.dist(_place(p), _place(q)) / inch - 0.1
        if len(guarantee_text(inequality)) * _LETTER > room or 0 < _depth(p, q) / inch < 0.3:
            return True
    return False


def _depth(*rays: Sequence[int]) -> float:
    """Return how far the middle of some rows lies from the outline of the triangle."""
    shares = [[Fraction(entry, sum(ray)) for entry in ray] for ray in rays]
    return float(min(map(sum, zip(*shares, strict=True))) / len(rays)) * _TOP[1]


def _window(cones: Sequence[RowCone]) -> tuple[float, float, float] | None:
    """Return the square to magnify (left, bottom, side) around small polygons, or None."""
    places = [_place(ray) for cone in cones for ray in cone.cone.rays]
    if len(places) < 2:
        return None
    xs, ys = zip(*places, strict=True)
    extent = max(max(xs) - min(xs), max(ys) - min(ys))
    if not 0 < extent < _SMALL:
        return None
    side = 2.6 * extent
    return (max(xs) + min(xs) - side) / 2, (max(ys) + min(ys) - side) / 2, side


def _inch(window: tuple[float, float, float] | None, *, inside: bool = False) -> float:
    """Return how long an inch is, in sides of the triangle: in the triangle, or in the inset."""
    if window is None:
        return (_ALONE[3] - _ALONE[2]) / SIDE
    inch = (_BESIDE[1] - _BESIDE[0]) / _WIDTH
    return inch * window[2] / _INSET[2] if inside else inch


def _inset(axes: Axes, window: tuple[float, float, float]) -> Axes:
    """Return the framed axes of the magnified part, after marking it in the triangle."""
    x, y, side = window
    left, bottom, size = _INSET
    inset = axes.inset_axes((left, bottom, size, size), transform=axes.transData)
    inset.set(xlim=(x, x + side), ylim=(y, y + side), xticks=[], yticks=[], label="magnified")
    for spine in inset.spines.values():
        spine.set(visible=True, color=INK)
    inset.set_title(f"magnified {size / side:,.0f} times", size=9, color=GREY)
    _draw_outline(inset)
    half = max(side, _MARKER) / 2
    u, v = x + side / 2, y + side / 2
    frame = [(u - half, v - half), (u + half, v - half), (u + half, v + half), (u - half, v + half)]
    line: Any = {"color": INK, "linewidth": 0.8, "zorder": 5}
    axes.plot(*zip(*frame, frame[0], strict=True), label="marker", **line)
    for start, end in ((frame[1], bottom), (frame[2], bottom + size)):
        axes.plot((start[0], left), (start[1], end), color=GREY, linewidth=0.6, label="connector")
    return inset


def _draw_outline(axes: Axes) -> None:
    corners = [_TOP, _LEFT, _RIGHT, _TOP]
    axes.plot(*zip(*corners, strict=True), color=GREY, linewidth=0.9, label="triangle")
    x, y = _place((1, 1, 1))
    axes.plot([x], [y], "+", color=INK, markersize=9, label="centre", zorder=4)


def _draw_triangle(axes: Axes, columns: Sequence[str], gap: float) -> None:
    """Draw the whole triangle, with a database's name at each corner."""
    _draw_outline(axes)
    sides = ("center", "left", "right")
    for (x, y), label, ha in zip((_TOP, _LEFT, _RIGHT), columns, sides, strict=True):
        text = shortened(label)
        side = ha if len(text) > _SHORT_NAME else "center"
        step, va = (gap, "bottom") if ha == "center" else (-gap, "top")
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


def _label_polygon(axes: Axes, cone: RowCone, inch: float, *, numbered: bool) -> None:
    """Write extreme rows at the corners and guarantees or their numbers at the edges, if few."""
    rays = cone.cone.rays
    if not 0 < len(rays) <= _MOST_LABELS:
        return
    places = [_place(ray) for ray in rays]
    middle = (sum(x for x, _ in places) / len(rays), sum(y for _, y in places) / len(rays))
    for ray, place in zip(rays, places, strict=True):
        if sum(ray) == 1 or len(row_text(ray)) > _LONGEST_ROW:
            continue  # a corner of the triangle, which has a name, or no room
        if 0 < _depth(ray) / inch < 0.25:
            _label_beyond(axes, row_text(ray), place, inch)
            continue
        x, y = _outward(place, middle, 0.12 * inch)
        ha = "center" if abs(x - place[0]) < 0.04 * inch else "left" if x > place[0] else "right"
        va = "center" if ha != "center" else "bottom" if y >= place[1] else "top"
        if va == "top":
            y -= 0.05 * inch  # below the guarantees of the two edges that meet there
        axes.text(x, y, row_text(ray), color=BLUE, ha=ha, va=va, bbox=_HALO, size=8)
    for number, (inequality, p, q) in enumerate(_edges(cone)):
        if numbered:
            depth = _depth(p, q)
            step = 0.12 * inch if not 0 < depth < 0.24 * inch else depth + 0.13 * inch
            x, y = _beside(_place(p), _place(q), middle, step)
            axes.text(x, y, _NUMBERS[number], ha="center", va="center_baseline")
        else:
            _label_edge(axes, guarantee_text(inequality), _place(p), _place(q), middle, inch)


def _label_beyond(axes: Axes, text: str, place: Point, inch: float) -> None:
    """Write a row that lies close to the outline of the triangle where it does not cross it."""
    x, y = place
    style: Any = {"color": BLUE, "size": 8}
    if y > 0.25 * inch:  # beyond the left or the right side
        right = x >= _TOP[0]
        beyond = _RIGHT[0] - y / math.sqrt(3) + 0.08 * inch
        at, ha = (beyond, "left") if right else (1 - beyond, "right")
        axes.text(at, y, text, ha=ha, va="center", **style)
    elif abs(x - _TOP[0]) < 0.25:  # below the base
        axes.text(x, -0.08 * inch, text, ha="center", va="top", **style)
    else:  # within a lower corner, whose name stands below it
        step, ha = (0.2, "left") if x < _TOP[0] else (-0.2, "right")
        axes.text(x + step * inch, y + 0.08 * inch, text, ha=ha, va="bottom", **style)


def _outward(place: Point, middle: Point, step: float) -> Point:
    dx, dy = place[0] - middle[0], place[1] - middle[1]
    length = math.hypot(dx, dy)
    if length == 0:
        return place[0], place[1] + step
    return place[0] + step * dx / length, place[1] + step * dy / length


def _beside(p: Point, q: Point, middle: Point, step: float) -> Point:
    """Return a point beside the middle of an edge: outside, or above a lone segment."""
    (x, y), (u, v) = sorted([p, q])
    length = math.hypot(u - x, v - y)
    across = (u - x) * (middle[1] - y) - (v - y) * (middle[0] - x)  # > 0: the inside is above
    step = -step if across > 1e-9 * length else step
    return (x + u) / 2 - step * (v - y) / length, (y + v) / 2 + step * (u - x) / length


def _label_edge(axes: Axes, text: str, p: Point, q: Point, middle: Point, inch: float) -> None:
    """Write a guarantee along an edge: outside of the polygon, or above a lone segment."""
    (x, y), (u, v) = sorted([p, q])
    place = _beside(p, q, middle, 0.06 * inch)
    up = place[1] > (y + v) / 2
    axes.text(
        *(*place, text),
        rotation=math.degrees(math.atan2(v - y, u - x)),
        rotation_mode="anchor",
        ha="center",
        va="bottom" if up else "top",
    )
