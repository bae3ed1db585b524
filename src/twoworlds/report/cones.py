"""Pictures of row cones: the wedge of two databases, and the triangle slice of three.

A likelihood row lists the probability of an output on each database. Of two databases it is a point
of the unit square, and a row cone is a wedge (Lin & Kifer, Figure 2). Of three databases only the
direction of a row matters, so that its slice x1 + x2 + x3 = 1 is drawn: a polygon in a triangle
whose corners give a database away and whose centre teaches nothing. Its edges are guarantees and
its corners extreme rows, both exact; a cone without an inside is drawn as the segment or the point
that it is. Only rows without negative entries are drawn, since no others occur.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.definitions.verdict import shortened
from twoworlds.errors import InvalidInput
from twoworlds.report.pictures import BLUE, GREY, INK, ORANGE, canvas, style
from twoworlds.worlds import Explicit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from twoworlds.cones.kernel.vectors import Vector
    from twoworlds.cones.row_cone import Inequality, RowCone

__all__ = ["draw_cone", "draw_cones"]

_COLOURS = (BLUE, ORANGE)
_TINTS = {BLUE: "#dbebf4", ORANGE: "#f9e5d9"}
_MOST_LABELS = 6
_SIDE = 4.0  # inches: of the square or the triangle's box
_SMALL = 0.3  # a polygon below this share of the triangle is magnified
_ABOVE = 0.2  # inches: over the square, for the name of a row
_LETTER = 0.072  # inches: the width of a letter
_KEY = 25  # letters in a line of the key
_WIDE = 1.13  # the width of the triangle's box: this many times its height
_WHOLE = (-0.045, -0.07, 0.96)  # left, bottom and height of the box around the whole triangle
_TOP, _LEFT, _RIGHT = (0.5, math.sqrt(3) / 2), (0.0, 0.0), (1.0, 0.0)

_HALO: Any = {"facecolor": "white", "linewidth": 0, "pad": 0.8}

Point = tuple[float, float]


def draw_cone(row_cone: RowCone, *, databases: Sequence[object] | None = None) -> Figure:
    """Draw a row cone of two databases as a wedge, or of three as a slice through a triangle.

    Args:
        row_cone: Of two or three databases.
        databases: Two or three of a larger cone; what is drawn then is what rows can look like on
            them, whatever they are elsewhere.

    Raises:
        InvalidInput: for another number of databases.

    >>> from twoworlds.cones.row_cone import row_cone
    >>> draw_cone(row_cone("dp(ratio=3)", "bits(1)")).get_suptitle()
    'What an output can look like: two databases'
    """
    return draw_cones([row_cone if databases is None else _shadow(row_cone, databases)])


def draw_cones(row_cones: Sequence[RowCone]) -> Figure:
    """Draw one row cone, or two over the same databases on top of each other.

    Raises:
        InvalidInput: for more cones, or other numbers of databases.
    """
    if not 1 <= len(row_cones) <= len(_COLOURS):
        raise InvalidInput(f"{len(row_cones)} row cones: one or two fit into a picture")
    size = _size(row_cones[0])
    relation = _relation(row_cones)
    drawn = [_possible(cone) for cone in row_cones]
    with style():
        figure, axes = canvas(
            f"What an output can look like: {'two' if size == 2 else 'three'} databases",
            " ".join([_READING[size], _where(drawn), *relation]),
            "; ".join(_source(cone) for cone in row_cones),
            words=" ".join([*(_in_words(cone) for cone in drawn), *relation]),
            height=_SIDE + _ABOVE,
            left=0.72 if size == 2 else 0.25,
        )
        x, y, width, height = axes.get_position().bounds
        axes.set_position((x, y, width, height * _SIDE / (_SIDE + _ABOVE)))
        axes.set_aspect("equal", adjustable="box", anchor="SW")
        (_draw_wedges if size == 2 else _draw_slices)(figure, axes, drawn)
    return figure


_READING = {
    2: "A point is an output: its probability on each of two databases.",
    3: "A point is an output, by how its probability compares on three databases.",
}
_SHAPES = {
    (2, 1): "on the arrow",
    (2, 2): "in the shaded wedge",
    (3, 1): "at the blue dot",
    (3, 2): "on the blue line",
}


def _where(cones: Sequence[RowCone]) -> str:
    """Say where the outputs lie."""
    cone = cones[0].cone
    if len(cones) > 1:
        return "All outputs of trusted mechanisms lie in the part of that colour."
    if not cone.rays:
        return "No output satisfies all of the constraints."
    shape = _SHAPES.get((cone.dimension, len(cone.rays)), "in the shaded polygon")
    return f"All outputs of trusted mechanisms lie {shape}."


def _size(cone: RowCone) -> int:
    size = len(cone.columns)
    if size not in _READING:
        raise InvalidInput(
            f"{cone.source} is about {size} databases, and a row cone of 2 or 3 databases can be "
            "drawn: choose a smaller universe, write restrict(MECHANISM, [11, 10]), or use "
            "draw_cone(cone, databases=['11', '10'])"
        )
    return size


def _shadow(cone: RowCone, databases: Sequence[object]) -> RowCone:
    """Return the cone over some of the databases, with all others eliminated."""
    from twoworlds.cones.row_cone import RowCone

    points = tuple(cone.universe.find(database) for database in databases)
    keep = [cone.universe.positions[point] for point in points]
    kept = Explicit(tuple(cone.universe.label(point) for point in points))
    return RowCone(kept, cone.cone.project(keep), cone.source, cone.approximation)


def _relation(cones: Sequence[RowCone]) -> list[str]:
    """Say how two cones lie to each other."""
    if len(cones) == 1:
        return []
    first, second = (cone.source for cone in cones)
    inside, outside = cones[0] <= cones[1], cones[1] <= cones[0]
    if inside and outside:
        return [f"{first} and {second} are the same."]
    if inside:
        return [f"{first} lies inside {second} and promises more."]
    if outside:
        return [f"{second} lies inside {first} and promises more."]
    return [f"Neither of {first} and {second} lies inside the other."]


def _possible(cone: RowCone) -> RowCone:
    """Return the cone without rows that have negative entries."""
    if not cone.cone.lines and all(entry >= 0 for ray in cone.cone.rays for entry in ray):
        return cone
    from twoworlds.cones.cone import Cone

    size = cone.cone.dimension
    orthant = Cone.from_inequalities([[int(i == j) for j in range(size)] for i in range(size)])
    return replace(cone, cone=cone.cone.intersect(orthant))


def _source(cone: RowCone) -> str:
    over = f"{cone.source} over {cone.universe.expression}"
    return over if cone.approximation is None else f"{over} (larger than the true row cone)"


def _in_words(cone: RowCone) -> str:
    guarantees = "; ".join(inequality.text() for inequality in cone.inequalities())
    rows = ", ".join(map(_row, cone.generators())) or "none"
    columns = ", ".join(cone.columns)
    return f"{_source(cone)}: {guarantees}. Extreme rows over {columns}: {rows}."


def _row(ray: Vector) -> str:
    return f"({', '.join(map(str, ray))})"


def _outer_first(cones: Sequence[RowCone]) -> list[tuple[RowCone, str]]:
    """Return the cones with their colours, so that the smaller one is drawn on top."""
    coloured = list(zip(cones, _COLOURS, strict=False))
    return coloured[::-1] if len(cones) > 1 and cones[0] <= cones[1] else coloured


def _text(inequality: Inequality) -> str:
    return inequality.text().replace("<=", "≤").replace(">=", "≥")


# --- two databases ------------------------------------------------------------------------------


def _draw_wedges(figure: Figure, axes: Axes, cones: Sequence[RowCone]) -> None:
    across, up = (shortened(label) for label in cones[0].columns)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.set(xlabel=f"probability of the output on {across}")
    axes.set(ylabel=f"probability of the output on {up}")
    quarters = [0, 0.25, 0.5, 0.75, 1]
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(quarters, labels=["0", "1/4", "1/2", "3/4", "1"])
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=(0, (4, 2)), label="diagonal")
    for cone, colour in _outer_first(cones):
        _draw_wedge(axes, cone, colour)
    alone = cones[0] if len(cones) == 1 else None
    _label_tips(axes, () if alone is None else alone.cone.rays)
    if alone is not None:
        for inequality in alone.inequalities():
            _label_boundary(axes, alone.cone.rays, inequality)
    _write_key(figure, cones, [] if alone is None else _readings(alone))


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
        axes.fill(*zip(*shape, strict=True), color=_TINTS[colour], linewidth=0, label="wedge")
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
            right.append((y, _row(ray), BLUE))
        elif x < 1:
            above.append((x, _row(ray)))
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
        *(*place, _text(inequality)),
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
    return [(_text(inequality), _meaning(inequality)) for inequality in shown]


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


# --- three databases ----------------------------------------------------------------------------


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


def _draw_slices(figure: Figure, axes: Axes, cones: Sequence[RowCone]) -> None:
    axes.axis("off")
    places = [_place(ray) for cone in cones for ray in cone.cone.rays]
    window = _window(places)
    _draw_triangle(axes, cones[0].columns, named=window is None)
    for cone, colour in _outer_first(cones):
        _draw_polygon(axes, [_place(ray) for ray in _around(cone)], colour)
    x, y, side = window or _WHOLE
    axes.set(xlim=(x, x + side * _WIDE), ylim=(y, y + side))
    if len(cones) == 1:
        _label_polygon(axes, cones[0], side / _SIDE)
    lines = [("corner", "the database is certain"), ("centre", "learns nothing")]
    lines += [("edge", "a guarantee, just met"), ("dot", "an extreme row")]
    low = _write_key(figure, cones, lines)
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
        for (x, y), label, below in zip(corners[:3], columns, (False, True, True), strict=True):
            va = "top" if below else "bottom"
            text = shortened(label)
            axes.text(x, y + (-0.025 if below else 0.02), text, weight="bold", ha="center", va=va)


def _draw_polygon(axes: Axes, places: Sequence[Point], colour: str) -> None:
    if not places:
        return
    xs, ys = zip(*[*places, places[0]], strict=True)
    if len(places) > 2:
        axes.fill(xs, ys, color=_TINTS[colour], linewidth=0, label="polygon")
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
        axes.text(x, y, _row(ray), color=BLUE, ha=ha, va=va, bbox=_HALO)
    for inequality, p, q in _edges(cone):
        _label_edge(axes, _text(inequality), _place(p), _place(q), middle, inch)


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
        ((_KEY_LEFT + 0.1) / width, top - side / height, side / width, side / height)
    )
    axes.axis("off")
    axes.set_aspect("equal")
    axes.set(xlim=(-0.12, 1.12), ylim=(-0.16, 1.08))
    _draw_triangle(axes, cones[0].columns, named=True)
    for cone, colour in _outer_first(cones):
        places = [_place(ray) for ray in _around(cone)]
        axes.fill(*zip(*places, strict=True), color=colour, linewidth=1)
    x, y, size = window
    right, upper = x + size * _WIDE, y + size
    frame = [(x, y), (right, y), (right, upper), (x, upper), (x, y)]
    axes.plot(*zip(*frame, strict=True), color=INK, linewidth=0.8, label="magnified")


# --- the key ------------------------------------------------------------------------------------

_KEY_LEFT = 5.02  # inches


def _write_key(figure: Figure, cones: Sequence[RowCone], lines: Sequence[tuple[str, str]]) -> float:
    """Write what things mean at the right; return the height at which the texts end."""
    width, height = figure.get_size_inches()
    [axes, *_] = figure.axes
    at = axes.get_position().y1 - 0.45 / height
    entries = [(text, meaning, INK) for text, meaning in lines]
    if len(cones) > 1:
        entries = [(cone.source, "", c) for cone, c in zip(cones, _COLOURS, strict=True)] + entries
    for text, meaning, colour in entries:
        for part, ink, weight in ((text, colour, "bold"), (meaning, GREY, "normal")):
            for line in textwrap.wrap(part, _KEY - 3 if weight == "bold" else _KEY):
                figure.text(_KEY_LEFT / width, at, line, color=ink, weight=weight, size=8, va="top")
                at -= 0.155 / height
        at -= 0.09 / height
    return float(at)
