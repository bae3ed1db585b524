"""Matrices of Python where mechanisms are: lists, arrays of numpy, data frames."""

from fractions import Fraction

import numpy as np
import pytest

import twoworlds as tw

ROWS = [["3/4", "1/4"], ["1/4", "3/4"]]
FLOATS = np.array([[0.75, 0.25], [0.25, 0.75]])


def frame(rows):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(rows, columns=["1", "0"], index=["yes", "no"])


@pytest.mark.parametrize("matrix", [ROWS, np.array(ROWS), np.array(ROWS, dtype=object)])
def test_numbers_that_are_no_floats_are_exact(matrix):
    found = tw.measure(tw.mechanism(matrix))
    assert found.ratio == 3
    assert found.exact


def test_floats_of_numpy_are_enclosed():
    found = tw.measure(tw.mechanism(FLOATS)).ratio
    assert 3 - 1e-6 <= float(found) <= 3 + 1e-6


def test_a_frame_names_databases_and_outputs():
    built = tw.mechanism(frame(ROWS))
    assert built.universe == tw.BitStrings(1)
    assert built.probability("yes", (1,)) == Fraction(3, 4)
    assert built.probability("no", (1,)) == Fraction(1, 4)
    swapped = tw.mechanism(frame(ROWS)[["0", "1"]])
    assert swapped.probability("yes", (1,)) == Fraction(3, 4)
    assert float(tw.measure(frame(FLOATS)).ratio) == pytest.approx(3)


def test_columns_without_names_are_all_neighbours():
    three = [["1/2", "1/4", "1/8"], ["1/2", "3/4", "7/8"]]
    assert tw.measure(three).ratio == 4
    assert tw.measure(tw.mechanism(three, universe="integers(0, 2)")).ratio == 2


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        ([], "a row for each output"),
        ([[]], "a row for each output"),
        (np.array([1.0, 0.0]), "a row for each output"),
        ([["1/2", "1/2"], ["1/4", "1/2"]], "column 0 sums to 3/4"),
        ([["1/2", "1/2"], ["1/2"]], "1 entries for 2 databases"),
        (np.array([[0.5, 0.5], [0.25, 0.5]]), "sum"),
        (np.array([[float("nan"), 0.5], [0.25, 0.5]]), "nan|finite"),
    ],
)
def test_a_matrix_that_is_no_mechanism_is_refused(matrix, said):
    with pytest.raises(tw.InvalidInput, match=said):
        tw.mechanism(matrix)


@pytest.mark.parametrize("matrix", [ROWS, np.array(ROWS), FLOATS, [[0.75, 0.25], [0.25, 0.75]]])
def test_pram_takes_the_same_matrices(matrix):
    assert tw.pram(matrix, records=2).probability((0, 1), (1, 1)) == Fraction(3, 16)


def test_a_frame_is_a_pram():
    assert tw.pram(frame(ROWS)).expression == "pram([[3/4, 1/4], [1/4, 3/4]], records=1)"


def test_questions_take_objects_as_well_as_texts():
    laplace = tw.laplace(epsilon=1)
    assert str(tw.explain(laplace)) == str(tw.explain("laplace(epsilon=1)"))
    assert str(tw.explain(tw.Guarantee.parse("dp(epsilon=1)"))) == str(tw.explain("dp(epsilon=1)"))
    assert tw.ask("measure", laplace).to_dict() == tw.measure(laplace).to_dict()
    survey = tw.randomized_response(bits=2, keep="3/4")
    belief = tw.belief("uniform", survey.universe)
    by_text = tw.posterior(survey.expression, "uniform", "11")
    assert str(tw.posterior(survey, belief, (1, 1))) == str(by_text)
    assert tw.calibrate("gaussian", epsilon=1, delta=1e-6).to_dict() == (
        tw.ask("calibrate", "gaussian", epsilon="1", delta="1e-6").to_dict()
    )


def test_anonymity_takes_a_data_frame():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"zip": ["130**"] * 3, "condition": ["flu", "flu", "asthma"]})
    found = tw.ask("anonymity", table, quasi="zip", sensitive="condition").to_dict()
    assert found["k"] == 3


def test_a_plot_is_shown_as_svg_in_a_notebook():
    pytest.importorskip("matplotlib")
    drawn = tw.measure("laplace(epsilon=1)").plot()
    assert drawn._repr_svg_().count("<svg ") == 1


def test_a_result_is_saved_by_its_suffix(tmp_path):
    path = tw.measure("laplace(epsilon=1)").save(tmp_path / "m.json")
    assert path.read_text().startswith("{")
    with pytest.raises(tw.InvalidInput, match="is there already"):
        tw.measure("laplace(epsilon=1)").save(path)
