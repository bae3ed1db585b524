"""The picture of a sweep."""

from fractions import Fraction

import pytest

from twoworlds.attacks.reconstruction import sweep
from twoworlds.report import svg
from twoworlds.report.reconstruction import draw_sweep


@pytest.fixture(scope="module")
def found():
    return sweep(16, [16, 64], [0, 2, 8], method="least-squares")


def lines(figure):
    [axes] = figure.axes
    return {line.get_label(): line for line in axes.lines if not line.get_label().startswith("_")}


def test_every_number_of_questions_has_its_line(found):
    drawn = lines(draw_sweep(found))
    assert list(drawn) == ["16 sums", "64 sums"]
    for line, shares in zip(drawn.values(), found.right, strict=True):
        assert list(line.get_ydata()) == [float(share) for share in shares]
    [few, many] = drawn.values()
    assert few.get_alpha() < many.get_alpha() == 1


def test_guessing_and_the_root_are_marked(found):
    [axes] = draw_sweep(found).axes
    marks = [line for line in axes.lines if line.get_label().startswith("_")]
    assert float(found.baseline) in [line.get_ydata()[0] for line in marks]
    assert Fraction(4, 3) in [Fraction(line.get_xdata()[0]).limit_denominator(9) for line in marks]
    assert {"guessing", "√16"} <= {text.get_text() for text in axes.texts}


def test_a_root_beyond_what_was_tried_is_not_marked():
    [axes] = draw_sweep(sweep(16, [32], [0, 2], repeats=1)).axes
    assert [text.get_text() for text in axes.texts] == ["guessing"]
    [axes] = draw_sweep(sweep(16, [32], [4], repeats=1)).axes
    assert "√16" in [text.get_text() for text in axes.texts]


def test_the_words_are_in_the_file(found):
    drawn = svg(draw_sweep(found))
    assert "How much noise keeps 16 secret bits secret" in drawn
    assert "64 sums: works up to noise" in drawn
