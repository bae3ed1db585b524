"""The two drawings of Wu's lecture: the data of every line against numbers worked out here."""

import json
from fractions import Fraction
from itertools import pairwise
from math import e, exp
from xml.etree import ElementTree

import pytest

from tests.cli.calling import call
from twoworlds.errors import InvalidInput
from twoworlds.report import draw_densities, draw_exponential, svg
from twoworlds.report.exponential import EPSILONS, bounds_at
from twoworlds.report.noise import SCALES, densities, spread


def lines(figure) -> dict[str, tuple[list[float], list[float]]]:
    [axes] = figure.axes
    return {
        line.get_label(): (list(line.get_xdata()), list(line.get_ydata()))
        for line in axes.lines
        if not line.get_label().startswith("_")
    }


def test_figure_4_draws_the_density_of_every_scale():
    drawn = lines(draw_densities())
    assert list(drawn) == ["scale 1", "scale 2", "scale 4", "scale 7"]
    for (xs, ys), scale in zip(drawn.values(), (1, 2, 4, 7), strict=True):
        assert (xs[0], xs[-1]) == (-14, 14)
        assert ys == pytest.approx([exp(-abs(x) / scale) / (2 * scale) for x in xs], rel=1e-12)
        assert max(ys) == ys[xs.index(0)] == pytest.approx(1 / (2 * scale))


@pytest.mark.parametrize("scale", SCALES)
def test_the_area_below_a_density_is_one(scale):
    [(_, points)] = densities([scale])
    area = sum((y - x) * (float(p) + float(q)) / 2 for (x, p), (y, q) in pairwise(points))
    assert float(area) == pytest.approx(1 - e**-2, rel=1e-3)  # it is drawn to two scales


def test_the_numbers_of_a_scale_are_those_of_the_law():
    for scale in SCALES:
        found = spread(scale)
        assert (found.peak, found.mean) == (1 / (2 * scale), scale)
        assert float(found.beyond) == pytest.approx(e**-3)


def test_figure_5_draws_the_factor_between_its_bounds():
    drawn = lines(draw_exponential())
    formulas = {
        "e^x": exp,
        "1 + x": lambda x: 1 + x,
        "1 + x + x²": lambda x: 1 + x + x * x,
        "1 + 2x": lambda x: 1 + 2 * x,
    }
    assert set(drawn) == set(formulas)
    for name, formula in formulas.items():
        xs, ys = drawn[name]
        assert (xs[0], xs[-1]) == (0, 1.25)
        assert ys == pytest.approx([formula(x) for x in xs], rel=1e-12)


@pytest.mark.parametrize("x", EPSILONS)
def test_up_to_1_the_bounds_hold_exactly(x):
    found = bounds_at(x)
    assert found.below <= found.ratio <= found.above <= found.above_on_unit
    assert (found.below == found.ratio) == (x == 0)


def test_beyond_1_the_upper_bounds_change_places():
    found = bounds_at(Fraction(5, 4))
    assert found.above > found.above_on_unit


@pytest.mark.parametrize("scales", [[], [Fraction(k) for k in range(1, 9)], [Fraction(0)]])
def test_scales_that_cannot_be_drawn_are_refused(scales):
    with pytest.raises(InvalidInput):
        draw_densities(scales)


@pytest.mark.parametrize("draw", [draw_densities, draw_exponential])
def test_the_same_figure_gives_the_same_bytes_with_its_words_inside(draw):
    first = svg(draw())
    assert first == svg(draw())
    root = ElementTree.fromstring(first)
    words = root.find("{http://www.w3.org/2000/svg}desc").text
    assert any(digits in words for digits in ("0.0498", "1.649"))


@pytest.mark.parametrize(("name", "told"), [("noise", "e^(-3)"), ("epsilon", "2.71829")])
def test_the_command_prints_the_numbers_and_saves_the_picture(capsys, tmp_path, name, told):
    file = tmp_path / "drawn.svg"
    code, out, err = call(capsys, "demo", name, "--picture", str(file))
    assert (code, err) == (0, "")
    assert told in out
    ElementTree.parse(file)
    code, out, _ = call(capsys, "demo", name, "--json")
    assert code == 0
    assert len(next(iter(json.loads(out).values()))) in (len(SCALES), len(EPSILONS))


def test_only_these_two_demonstrations_have_a_picture(capsys, tmp_path):
    code, _, err = call(capsys, "demo", "mechanisms", "--picture", str(tmp_path / "x.svg"))
    assert code == 2
    assert "noise and epsilon have one" in err
    assert not (tmp_path / "x.svg").exists()
