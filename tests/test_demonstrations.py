"""The demonstrations after Wu's lecture: the data of every line against numbers worked out here."""

import json
from fractions import Fraction
from itertools import pairwise
from math import e, exp
from xml.etree import ElementTree

import pytest

from tests.cli.calling import call
from twoworlds.charts import Curves
from twoworlds.questions.demonstrations import SCALES, bounds_at, demo, spread

EPSILONS = [Fraction(x, 100) for x in (0, 1, 10, 25, 50, 75, 100)]


def lines(name: str) -> dict[str, list[tuple[float, float]]]:
    [chart] = [one for one in demo(name).answer().blocks if isinstance(one, Curves)]
    return {line.name: list(line.points) for line in chart.lines}


def test_figure_4_draws_the_density_of_every_scale():
    drawn = lines("noise")
    assert list(drawn) == ["scale 1", "scale 2", "scale 4", "scale 7"]
    for points, scale in zip(drawn.values(), (1, 2, 4, 7), strict=True):
        assert (points[0][0], points[-1][0]) == (-14, 14)
        for y, height in points:
            assert height == pytest.approx(exp(-abs(y) / scale) / (2 * scale), rel=1e-12)
        area = sum((y - x) * (p + q) / 2 for (x, p), (y, q) in pairwise(points))
        assert area == pytest.approx(1 - e ** (-14 / scale), rel=2e-3)


def test_the_numbers_of_a_scale_are_those_of_the_law():
    for scale in SCALES:
        found = spread(scale)
        assert (found["peak"], found["mean"]) == (1 / (2 * scale), scale)
        assert float(found["beyond"]) == pytest.approx(e**-3)


def test_figure_5_draws_the_factor_between_its_bounds():
    formulas = {
        "e^x": exp,
        "1 + x": lambda x: 1 + x,
        "1 + x + x²": lambda x: 1 + x + x * x,
        "1 + 2x": lambda x: 1 + 2 * x,
    }
    drawn = lines("epsilon")
    assert set(drawn) == set(formulas)
    for name, formula in formulas.items():
        xs, ys = zip(*drawn[name], strict=True)
        assert (xs[0], xs[-1]) == (0, 1.25)
        assert ys == pytest.approx([formula(x) for x in xs], rel=1e-12)


@pytest.mark.parametrize("x", EPSILONS)
def test_up_to_1_the_bounds_hold_exactly(x):
    _, below, ratio, above, on_unit = bounds_at(x).values()
    assert below <= ratio <= above <= on_unit
    assert (below == ratio) == (x == 0)


def test_beyond_1_the_upper_bounds_change_places():
    found = bounds_at(Fraction(5, 4))
    assert found["above"] > found["above_on_unit"]


@pytest.mark.parametrize(("name", "told"), [("noise", "e^(-3)"), ("epsilon", "about 2.71828")])
def test_the_command_prints_the_numbers_and_saves_the_picture(capsys, tmp_path, name, told):
    file = tmp_path / "drawn.svg"
    code, out, err = call(capsys, "demo", name, "--picture", str(file))
    assert (code, err) == (0, "")
    assert told in out
    ElementTree.parse(file)
    code, out, _ = call(capsys, "demo", name, "--json")
    assert code == 0
    assert len(next(iter(json.loads(out).values()))) in (len(SCALES), len(EPSILONS))
