"""Pictures of row cones: every line and dot against the exact cone."""

from fractions import Fraction
from math import isclose, sqrt

import pytest

from twoworlds.cones.cone import Cone
from twoworlds.cones.elimination import eliminate
from twoworlds.cones.row_cone import RowCone, row_cone
from twoworlds.errors import InvalidInput
from twoworlds.report import draw_cone, draw_cones, svg
from twoworlds.worlds import Explicit

TWO, THREE = Explicit(("0", "1")), Explicit(("a", "b", "c"))
ONE_RECORD = "records(3, n=1)"


def cone_of(universe, *rays) -> RowCone:
    return RowCone(universe, Cone.from_rays(rays, dimension=universe.size), "an example")


def drawn(figure, label, axes=0) -> list[list[tuple[float, float]]]:
    """The points of all lines with a label."""
    lines = [line for line in figure.axes[axes].lines if line.get_label() == label]
    return [list(zip(line.get_xdata(), line.get_ydata(), strict=True)) for line in lines]


def shaded(figure, label) -> list[list[tuple[float, float]]]:
    patches = [patch for patch in figure.axes[0].patches if patch.get_label() == label]
    return [[tuple(point) for point in patch.get_xy()[:-1]] for patch in patches]


def texts(figure, axes=0) -> list[str]:
    return [text.get_text() for text in figure.axes[axes].texts if text.get_text()]


def key(figure) -> list[str]:
    return [text.get_text() for text in figure.texts]


def barycentric(point) -> tuple[float, float, float]:
    """Where a point lies in the triangle with corners (1/2, sqrt(3)/2), (0, 0) and (1, 0)."""
    top = point[1] / (sqrt(3) / 2)
    right = point[0] - top / 2
    return top, 1 - top - right, right


def same(point, ray) -> bool:
    exact = [float(Fraction(entry, sum(ray))) for entry in ray]
    return all(isclose(a, b, abs_tol=1e-12) for a, b in zip(barycentric(point), exact, strict=True))


# --- two databases ------------------------------------------------------------------------------


def test_the_arrows_are_the_extreme_rows_up_to_probability_one():
    figure = draw_cone(row_cone("dp(ratio=3)", "bits(1)"))
    assert drawn(figure, "extreme row") == [[(0, 0), (1, 1 / 3)], [(0, 0), (1 / 3, 1)]]
    assert shaded(figure, "wedge") == [[(0, 0), (1, 1 / 3), (1, 1), (1 / 3, 1)]]
    assert drawn(figure, "diagonal") == [[(0, 0), (1, 1)]]


def test_the_wedge_is_labelled_with_guarantees_rows_and_databases():
    figure = draw_cone(row_cone("dp(ratio=3)", "bits(1)"))
    assert set(texts(figure)) == {"x1 ≤ 3 x0", "x0 ≤ 3 x1", "(3, 1)", "(1, 3)", "learns nothing"}
    assert figure.axes[0].get_xlabel() == "probability of the output on 1"
    assert figure.axes[0].get_ylabel() == "probability of the output on 0"
    assert "at most 3 times as likely" in key(figure)


@pytest.mark.parametrize("ratio", ["101/100", "3/2", "20", "100000"])
def test_every_guarantee_stands_inside_of_the_square(ratio):
    figure = draw_cone(row_cone(f"dp(ratio={ratio})", "bits(1)"))
    labels = [text for text in figure.axes[0].texts if "≤" in text.get_text()]
    assert len(labels) == 2
    for label in labels:
        assert all(0 < at < 1 for at in label.get_position())


def test_a_wedge_on_one_side_of_the_diagonal_has_no_corner():
    figure = draw_cone(cone_of(TWO, (1, 0), (2, 1)))
    assert shaded(figure, "wedge") == [[(0, 0), (1, 0), (1, 0.5)]]
    assert {"2 x1 ≤ x0", "x1 ≥ 0"} <= set(texts(figure))


def test_a_single_ray_is_one_arrow_and_no_wedge():
    figure = draw_cone(cone_of(TWO, (1, 1)))
    assert drawn(figure, "extreme row") == [[(0, 0), (1, 1)]]
    assert shaded(figure, "wedge") == []
    assert "x1 = x0" in texts(figure)
    assert any("on the arrow" in text for text in key(figure))


def test_an_empty_cone_is_said_to_hold_no_output():
    figure = draw_cone(RowCone(TWO, Cone.from_rays([], dimension=2), "nothing"))
    assert drawn(figure, "no output") == [[(0, 0)]]
    assert any("No output satisfies" in text for text in key(figure))


def test_publishing_the_input_shades_the_whole_square():
    figure = draw_cone(cone_of(TWO, (1, 0), (0, 1)))
    assert shaded(figure, "wedge") == [[(0, 0), (1, 0), (1, 1), (0, 1)]]
    assert "protects nothing" in key(figure)


# --- three databases ----------------------------------------------------------------------------


def test_the_corners_of_the_polygon_are_the_extreme_rows_in_order():
    cone = row_cone("gamma-amplification(3)", ONE_RECORD)
    figure = draw_cone(cone)
    [dots] = drawn(figure, "extreme rows")
    assert dots[0] == dots[-1]
    assert len(dots) - 1 == len(cone.generators()) == 6
    assert all(any(same(dot, ray) for dot in dots) for ray in cone.generators())
    turns = [
        (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
        for a, b, c in zip(dots[:-1], dots[1:], [*dots[2:], dots[1]], strict=True)
    ]
    assert all(turn > 0 for turn in turns) or all(turn < 0 for turn in turns)


def test_the_triangle_is_labelled_with_databases_rows_and_guarantees():
    cone = row_cone("gamma-amplification(3)", ONE_RECORD)
    figure = draw_cone(cone)
    guarantees = {facet.text().replace("<=", "≤") for facet in cone.inequalities()}
    rows = {str(ray) for ray in cone.generators()}
    assert set(texts(figure)) == {"0", "1", "2"} | guarantees | rows
    [[centre]] = drawn(figure, "centre")
    assert same(centre, (1, 1, 1))


WHOLE = [(0.5, sqrt(3) / 2), (0, 0), (1, 0), (0.5, sqrt(3) / 2)]
EXAMPLES = [
    row_cone("randomized-response(values=3, records=1, keep=1/2)"),
    *(
        row_cone(f"dp(ratio={ratio})", "points([healthy, ill, dead])")
        for ratio in ("101/100", "11/10", "2", "3", "20", "100000")
    ),
    cone_of(THREE, (1, 1, 1)),
    cone_of(THREE, (101, 100, 100), (100, 100, 101)),
    cone_of(THREE, (1, 0, 0), (50, 1, 0), (50, 0, 1)),
    cone_of(THREE, (1, 0, 0), (0, 1, 0), (0, 0, 1)),
    cone_of(THREE),
]


@pytest.mark.parametrize("cone", EXAMPLES, ids=lambda cone: f"{cone.source} {cone.cone.rays}")
def test_the_whole_triangle_is_in_view_with_its_databases_and_no_labels_overlap(cone):
    figure = draw_cone(cone)
    [axes] = figure.axes
    assert drawn(figure, "triangle") == [WHOLE]
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert all(left < x < right and bottom < y < top for x, y in WHOLE)
    assert {text.get_text() for text in axes.texts} >= set(cone.columns)
    figure.draw_without_rendering()
    labels = [*figure.texts, *axes.texts, *(text for c in axes.child_axes for text in c.texts)]
    boxes = [label.get_window_extent() for label in labels if label.get_rotation() == 0]
    for k, box in enumerate(boxes):
        assert figure.bbox.containsx(box.x0)
        assert figure.bbox.containsx(box.x1)
        assert not any(box.overlaps(other) for other in boxes[:k])


def test_a_small_polygon_is_marked_in_the_triangle_and_magnified_in_a_frame():
    cone = row_cone("gamma-amplification(101/100)", ONE_RECORD)
    figure = draw_cone(cone)
    [inset] = figure.axes[0].child_axes
    [dots] = [line for line in inset.lines if line.get_label() == "extreme rows"]
    (left, right), (bottom, top) = inset.get_xlim(), inset.get_ylim()
    assert len(dots.get_xdata()) == 7
    assert all(left < x < right for x in dots.get_xdata())
    assert all(bottom < y < top for y in dots.get_ydata())
    assert all(spine.get_visible() for spine in inset.spines.values())
    [marker] = drawn(figure, "marker")
    xs, ys = zip(*marker, strict=True)
    assert min(xs) <= left < right <= max(xs)
    assert min(ys) <= bottom < top <= max(ys)
    assert max(xs) - min(xs) > 1 / 20
    assert texts(figure) == ["0", "1", "2"]


@pytest.mark.parametrize(("ratio", "magnified"), [("11/10", 1), ("3/2", 0), ("2", 0), ("20", 0)])
def test_only_very_small_polygons_are_magnified(ratio, magnified):
    figure = draw_cone(row_cone(f"gamma-amplification({ratio})", ONE_RECORD))
    assert len(figure.axes[0].child_axes) == magnified


def test_guarantees_without_room_at_their_edges_are_numbered_and_stand_in_the_key():
    cone = row_cone("dp(ratio=2)", "points([healthy, ill, dead])")
    figure = draw_cone(cone)
    numbered = zip("①②③④⑤⑥", cone.inequalities(), strict=True)
    assert {f"{n} {facet.text().replace('<=', '≤')}" for n, facet in numbered} <= set(key(figure))
    assert {"①", "⑥"} <= set(texts(figure))


def test_a_segment_is_a_line_with_its_equality():
    figure = draw_cone(cone_of(THREE, (3, 1, 1), (1, 1, 3)))
    assert shaded(figure, "polygon") == []
    [[first, second, _]] = drawn(figure, "extreme rows")
    assert same(first, (3, 1, 1))
    assert same(second, (1, 1, 3))
    assert "4 xb = xa + xc" in texts(figure)


def test_a_point_is_a_dot():
    figure = draw_cone(cone_of(THREE, (1, 1, 1)))
    assert shaded(figure, "polygon") == []
    [dots] = drawn(figure, "extreme rows")
    assert same(dots[0], (1, 1, 1))
    assert "(1, 1, 1)" in texts(figure)


def test_a_cone_of_many_rows_has_dots_and_no_labels():
    rays = [(30, 20 + k, 20 + 10 * k - k * k) for k in range(9)]
    figure = draw_cone(cone_of(THREE, *rays))
    [inset] = figure.axes[0].child_axes
    [dots] = [line.get_xdata() for line in inset.lines if line.get_label() == "extreme rows"]
    assert not list(inset.texts)
    assert len(dots) - 1 == len(cone_of(THREE, *rays).generators()) > 6
    assert set(texts(figure)) <= {"a", "b", "c"}


def test_rows_with_negative_entries_are_left_out():
    half = RowCone(TWO, Cone.from_inequalities([(2, -1)]), "a half-plane")
    assert shaded(draw_cone(half), "wedge") == [[(0, 0), (1, 0), (1, 1), (0.5, 1)]]


# --- two cones, and refusals --------------------------------------------------------------------


def test_two_cones_are_drawn_the_smaller_on_top_and_their_relation_said():
    narrow = row_cone("randomized-response(values=3, records=1, keep=3/5)")
    wide = row_cone("gamma-amplification(3)", ONE_RECORD)
    figure = draw_cones([narrow, wide])
    assert [len(shape) for shape in shaded(figure, "polygon")] == [6, 3]
    assert "lies inside gamma-amplification(3) and promises more" in figure.get_label()
    turned = draw_cones([wide, narrow])
    assert [len(shape) for shape in shaded(turned, "polygon")] == [6, 3]
    assert "lies inside gamma-amplification(3) and promises more" in turned.get_label()


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([(2, 1), (1, 2)], [(3, 1), (1, 3)], "lies inside"),
        ([(2, 1), (1, 2)], [(4, 2), (1, 2)], "are the same"),
        ([(2, 1), (1, 4)], [(3, 1), (1, 3)], "Neither"),
    ],
)
def test_the_relation_of_two_wedges(first, second, said):
    figure = draw_cones([cone_of(TWO, *first), cone_of(TWO, *second)])
    assert said in figure.get_label()
    assert "learns nothing" in texts(figure)


def test_the_words_hold_all_guarantees_and_rows():
    figure = draw_cone(row_cone("dp(ratio=3)", "bits(1)"))
    words = figure.get_label()
    assert "x1 <= 3 x0" in words
    assert "(3, 1), (1, 3)" in words
    assert svg(figure) == svg(draw_cone(row_cone("dp(ratio=3)", "bits(1)")))


def test_an_approximation_is_marked():
    cone = cone_of(TWO, (3, 1), (1, 3))
    larger = RowCone(cone.universe, cone.cone, cone.source, "larger for a reason")
    assert "larger than the true row cone" in draw_cone(larger).get_label()


def test_other_sizes_are_refused_with_the_way_out():
    cone = row_cone("randomized-response(bits=2, keep=3/4)")
    with pytest.raises(InvalidInput, match=r"2 or 3 databases can be drawn: .*databases="):
        draw_cone(cone)


def test_some_databases_of_a_larger_cone_are_drawn_with_the_others_eliminated():
    cone = row_cone("randomized-response(bits=2, keep=3/4)")
    figure = draw_cone(cone, databases=["11", "10"])
    kept = eliminate(cone, ["01", "00"]).row_cone.inequalities()
    about = {facet.text() for facet in kept if "x11" in facet.text() or "x10" in facet.text()}
    assert about == {"x10 <= 3 x11", "x11 <= 3 x10"}
    assert {text.replace("<=", "≤") for text in about} <= set(texts(figure))
    three = draw_cone(cone, databases=["11", "10", "00"])
    shadow = Cone.from_rays([(9, 3, 1), (3, 9, 3), (3, 1, 3), (1, 3, 9)])
    assert set(texts(three)) >= {str(ray) for ray in shadow.rays}
    for wrong in (["11"], ["11", "22"], ["11", "11"]):
        with pytest.raises(InvalidInput):
            draw_cone(cone, databases=wrong)


def test_only_one_or_two_cones_over_the_same_databases_fit():
    cone = cone_of(TWO, (1, 1))
    for many in ([], [cone] * 3):
        with pytest.raises(InvalidInput, match="one or two fit"):
            draw_cones(many)
    with pytest.raises(InvalidInput, match="same databases"):
        draw_cones([cone, cone_of(THREE, (1, 1, 1))])
