"""Reference cases of Dwork (2006): the definition, group privacy, and Theorem 4.

The scale after Theorem 4 and the histogram have more cases in tests/mechanisms/test_calibration.py.
"""

from fractions import Fraction

import pytest

import twoworlds as tw
from twoworlds.mechanisms.calibration import dwork_scale, histogram_calibration
from twoworlds.numbers import exp


@pytest.mark.parametrize(
    ("case", "delta_f", "epsilon", "sigma", "printed", "epsilon_if_printed"),
    [
        ("DW-01", "2", "1/2", "4", "1/4", "8"),
        ("DW-02", "1", "1/10", "10", "1/10", "10"),
        ("DW-02", "3", "2", "3/2", "2/3", "9/2"),
        ("DW-02", "1", "1", "1", "1", "1"),
    ],
)
def test_erratum_the_scale_after_theorem_4_is_printed_upside_down(
    case, delta_f, epsilon, sigma, printed, epsilon_if_printed
):
    found = dwork_scale(delta_f, epsilon)
    assert found.scale == Fraction(sigma), case
    assert found.printed == Fraction(printed)
    assert found.epsilon_if_printed == Fraction(epsilon_if_printed)
    for scale, price in ((sigma, epsilon), (printed, epsilon_if_printed)):
        measured = tw.measure(f"laplace(scale={scale}, sensitivity={delta_f})")
        assert measured.epsilon == Fraction(price)


@pytest.mark.parametrize(
    ("case", "cells", "epsilon", "naive", "add_remove", "substitute"),
    [
        ("DW-03", 10, "1/2", ("20", "800"), ("2", "8"), ("4", "32")),
        ("DW-04", 2, "1", ("2", "8"), ("1", "2"), ("2", "8")),
        ("DW-04", 5, "1/10", ("50", "5000"), ("10", "200"), ("20", "800")),
    ],
)
def test_erratum_histogram_variances_are_twice_the_squared_scale(
    case, cells, epsilon, naive, add_remove, substitute
):
    # Section 5.1 calls the scales variances.
    plan = histogram_calibration(cells, epsilon)
    for level, expected in (
        (plan["naive"], naive),
        (plan["add-remove"], add_remove),
        (plan["substitute"], substitute),
    ):
        assert (level.scale, level.variance) == tuple(map(Fraction, expected)), case


@pytest.mark.parametrize(
    ("case", "epsilon", "people", "expected"),
    [
        ("DW-05", "1/10", 7, 2.01375270747048),
        ("DW-05", "1/2", 1, 1.64872127070013),
        ("DW-05", "1", 3, 20.0855369231877),
    ],
)
def test_reference_groups_are_protected_with_the_power_of_the_ratio(
    case, epsilon, people, expected
):
    # After Definition 2: exp(epsilon c). Geometric noise attains it exactly.
    verdict = tw.measure(f"geometric(epsilon={epsilon})", group=people)
    assert verdict.ratio == exp(Fraction(epsilon) * people)
    assert float(verdict.ratio) == pytest.approx(expected, abs=1e-12), case


@pytest.mark.parametrize("people", [2, 3])
def test_the_exact_price_of_a_group_may_be_far_below_the_bound(people):
    # Changing one bit of a parity is as telling as changing three of them.
    single = tw.measure("noisy-parity(bits=3, keep=3/4)")
    group = tw.measure("noisy-parity(bits=3, keep=3/4)", group=people)
    assert group.ratio == single.ratio == 3
    assert f"the bound for groups of {people} is {3**people}" in group.explain()


@pytest.mark.parametrize(("n", "people"), [(1, 1), (4, 2), (40, 3)])
def test_groups_of_a_survey_attain_the_bound(n, people):
    verdict = tw.measure(f"randomized-response(bits={n}, keep=3/4)", group=people)
    assert verdict.ratio == 3**people


@pytest.mark.parametrize(
    ("text", "ratio", "holds"),
    [
        ("geometric(ratio=2)", "2", True),
        ("geometric(ratio=2)", "19/10", False),
        ("constant(bits=5)", "1", True),
        ("identity(bits=5)", "1000000", False),
        ("parity(bits=5)", "1000000", False),
    ],
)
def test_definition_2_on_known_mechanisms(text, ratio, holds):
    assert bool(tw.check(text, f"dp(ratio={ratio})")) is holds


def test_erratum_definition_2_must_say_which_neighbours_it_means():
    # "Differing in at most one element": a histogram moves by 1 or by 2.
    from twoworlds import Dense, Records

    lists = Records(2, 2, smallest=1)
    p = Fraction(1, 2)

    def noisy_size(x):
        """Twice the number of records, with truncated geometric noise on 0..4."""
        table = tw.mechanism("truncated-geometric(p=1/2, high=4)")
        return dict(table.distribution(2 * len(x)).items())

    sizes = Dense.from_function(lists, noisy_size)
    assert tw.measure(sizes, neighbours="substitute").ratio == 1
    assert tw.measure(sizes, neighbours="add-remove").ratio == 1 / p**2
