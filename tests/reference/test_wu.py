"""Reference cases of Wu's lecture that belong to definitions and mechanisms.

Estimation error, sensitivity and calibration have theirs in tests/mechanisms/test_accuracy.py,
tests/mechanisms/test_calibration.py and tests/worlds/test_sensitivity.py.
"""

from fractions import Fraction
from itertools import product

import pytest

import twoworlds as tw
from twoworlds import BitStrings
from twoworlds.definitions import TwoLaws
from twoworlds.mechanisms import Laplace
from twoworlds.numbers import exp, ln
from twoworlds.testing import enumeration as brute

LN_3 = 1.09861228866811


@pytest.mark.parametrize("n", [1, 3, 10, 1000])
def test_reference_basic_randomized_response_costs_ln_3(n):
    # WU-05: Proposition 3.1, whatever the number of people.
    verdict = tw.measure(f"randomized-response(bits={n}, keep=3/4)")
    assert verdict.epsilon == ln(Fraction(3))
    assert float(verdict.epsilon) == pytest.approx(LN_3, abs=1e-12)


@pytest.mark.parametrize(
    ("keep", "ratio"), [("3/4", "3"), ("2/3", "2"), ("9/10", "9"), ("1/2", "1"), ("1/4", "3")]
)
def test_reference_general_randomized_response(keep, ratio):
    # WU-06: the ratio is max(p, 1-p) / min(p, 1-p).
    assert tw.measure(f"randomized-response(bits=3, keep={keep})").ratio == Fraction(ratio)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_equations_2_to_4_the_law_of_basic_randomized_response(n):
    # P(y | x) = prod_i (3/4 if y_i = x_i else 1/4), and only the changed person does not cancel.
    survey = tw.mechanism(f"randomized-response(bits={n}, keep=3/4)")
    for x, y in product(BitStrings(n), repeat=2):
        kept = sum(a == b for a, b in zip(x, y, strict=True))
        assert survey.probability(y, x) == Fraction(3**kept, 4**n)


TWO_LAWS = [
    ("WU-07", ("1/2", "3/10", "1/5"), ("2/5", "7/20", "1/4"), "5/4"),
    ("WU-08", ("3/4", "1/4"), ("1/4", "3/4"), "3"),
    ("WU-08", ("1/3", "1/3", "1/3"), ("1/2", "1/4", "1/4"), "3/2"),
    ("WU-08", ("1/2", "1/2"), ("1", "0"), "inf"),
    ("WU-08", ("1/2", "1/2"), ("1/2", "1/2"), "1"),
]


@pytest.mark.parametrize(("case", "p", "q", "expected"), TWO_LAWS)
def test_reference_singletons_decide_as_much_as_events(case, p, q, expected):
    # Exercise 3.2: for delta = 0 the largest ratio over events is that over single outputs.
    laws = [[Fraction(mass) for mass in law] for law in (p, q)]
    two = TwoLaws(*(dict(enumerate(law)) for law in laws))
    assert two.ratio == tw.number(expected), case
    both = [brute.largest_ratio(*laws), brute.largest_ratio(*laws[::-1])]
    assert two.ratio == (tw.number("inf") if None in both else max(both))


def test_with_delta_singletons_no_longer_decide():
    # Each output exceeds twice the other by 1/100 only; all ten of them together by 1/10.
    p = [Fraction(9, 100)] * 10 + [Fraction(1, 10)]
    q = [Fraction(4, 100)] * 10 + [Fraction(6, 10)]
    two = TwoLaws(dict(enumerate(p)), dict(enumerate(q)))
    assert max(a - 2 * b for a, b in zip(p, q, strict=True)) == Fraction(1, 100)
    assert two.delta(2) >= Fraction(1, 10) == brute.largest_excess(p, q, 2)


@pytest.mark.parametrize(
    ("case", "y", "expected"),
    [
        ("WU-15", (5, -5), "1"),
        ("WU-15", ("1/2", 0), "-1/2"),
        ("WU-15", (0, 0), "-1"),
        ("WU-16", (1, -1), "1"),
        ("WU-16", ("1/2", "-1/2"), "0"),
        ("WU-16", (-7, 9), "-1"),
    ],
)
def test_reference_privacy_loss_of_vector_laplace_noise(case, y, expected):
    # Theorem 4.3, equation 8: scale 2, answers (0, 0) and (1, -1); the loss is at most 2/2.
    noise = Laplace(scale=2, sensitivity=2)
    assert noise.loss(y, (1, -1), (0, 0)) == Fraction(expected), case
    assert noise.loss(y, (0, 0), (1, -1)) == -Fraction(expected)


def test_the_largest_loss_is_the_sensitivity_over_the_scale():
    # WU-16: sup over outputs, attained beyond both answers.
    assert tw.measure(Laplace(scale=2, sensitivity=2)).epsilon == 1
    assert tw.measure("laplace(scale=4, sensitivity=3)").ratio == exp(Fraction(3, 4))


@pytest.mark.parametrize(
    ("case", "sensitivity", "epsilon", "scale"),
    [("WU-19", "3", "3/4", "4"), ("WU-20", "1/200", "1/200", "1"), ("WU-20", "2", "1/10", "20")],
)
def test_reference_calibrated_mechanism(case, sensitivity, epsilon, scale):
    # Algorithm 2.
    noise = tw.mechanism(f"laplace(epsilon={epsilon}, sensitivity={sensitivity})")
    assert (noise.scale, tw.measure(noise).epsilon) == (Fraction(scale), Fraction(epsilon)), case
