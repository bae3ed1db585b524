"""Pictures of row cones: the wedge of two databases, and the triangle slice of three.

A likelihood row lists the probability of an output on each database. What is drawn is where the
rows of trusted mechanisms lie (`twoworlds.report.cone_wedge`, `twoworlds.report.cone_triangle`),
from the exact facets and rays of the cone; one without an inside is drawn as the ray, segment or
point that it is. Only rows without negative entries are drawn, since no others occur.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from twoworlds.errors import InvalidInput
from twoworlds.report.cone_key import COLOURS, SIDE, row_text
from twoworlds.report.cone_triangle import draw_slices, slices_height
from twoworlds.report.cone_wedge import draw_wedges
from twoworlds.show.figure import canvas, style
from twoworlds.worlds import Explicit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from twoworlds.cones.row_cone import RowCone

__all__ = ["draw_cone", "draw_cones"]

_ABOVE = 0.2  # inches: over the square, for the name of a row


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
    if not 1 <= len(row_cones) <= len(COLOURS):
        raise InvalidInput(f"{len(row_cones)} row cones: one or two fit into a picture")
    size = _size(row_cones[0])
    relation = _relation(row_cones)
    drawn = [_possible(cone) for cone in row_cones]
    side = SIDE if size == 2 else slices_height(drawn)
    with style():
        figure, axes = canvas(
            f"What an output can look like: {'two' if size == 2 else 'three'} databases",
            " ".join([_READING[size], _where(drawn), *relation]),
            "; ".join(_source(cone) for cone in row_cones),
            words=" ".join([*(_in_words(cone) for cone in drawn), *relation]),
            height=side + _ABOVE,
            left=0.72 if size == 2 else 0.25,
        )
        x, y, width, height = axes.get_position().bounds
        axes.set_position((x, y, width, height * side / (side + _ABOVE)))
        axes.set_aspect("equal", adjustable="box", anchor="SW" if size == 2 else "NW")
        (draw_wedges if size == 2 else draw_slices)(figure, axes, drawn)
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
    rows = ", ".join(map(row_text, cone.generators())) or "none"
    columns = ", ".join(cone.columns)
    return f"{_source(cone)}: {guarantees}. Extreme rows over {columns}: {rows}."
