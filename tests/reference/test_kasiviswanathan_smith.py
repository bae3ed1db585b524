"""Reference cases of Kasiviswanathan & Smith: definitions, noise claim and Remark 1.

Each row is (id, mechanism, question, expected, citation); the numbers were computed by exact
enumeration, or from closed forms with 40 digits.
"""

from fractions import Fraction
from functools import partial

import pytest

import twoworlds as tw
from twoworlds import Dense, Records, Universe
from twoworlds.definitions import TwoLaws, information
from twoworlds.mechanisms import Gaussian
from twoworlds.numbers import bounds, ln, sqrt
from twoworlds.testing import enumeration as brute

# n = 1, D = {0, 1, 2}; the law over outputs a, b, c on each database.
THREE_LAWS = Dense(
    Records(3, 1),
    Universe.of("abc"),
    [["1/2", "1/4", "2/5"], ["3/10", "3/10", "1/10"], ["1/5", "9/20", "1/2"]],
)
ONE_BIT = tw.mechanism("randomized-response(bits=1, keep=3/4)")
TWO_BITS_SUMMED = tw.mechanism("truncated-geometric(p=1/2, bits=2)")
ONE_OF_FOUR = tw.mechanism("random-index(records=4, values=3)")

EXACT = [
    ("A01", ONE_BIT, {}, "ratio", "3", "Definition 1.1"),
    ("A01", ONE_BIT, {"ratio": 2}, "delta", "1/4", "Definition 1.2"),
    ("A01", ONE_BIT, {"epsilon": 0}, "delta", "1/2", "Definition 1.2"),
    ("A01", ONE_BIT, {"delta": "1/4"}, "ratio", "2", "Definition 1.2"),
    ("A02", TWO_BITS_SUMMED, {}, "ratio", "2", "Definition 1.1"),
    ("A02", TWO_BITS_SUMMED, {"ratio": "3/2"}, "delta", "1/6", "Definition 1.2"),
    ("A02", TWO_BITS_SUMMED, {"epsilon": 0}, "delta", "1/3", "Definition 1.2"),
    ("A02", TWO_BITS_SUMMED, {"group": 2}, "ratio", "4", "Definition 1.1, both people"),
    ("A02", TWO_BITS_SUMMED, {"group": 2, "epsilon": 0}, "delta", "1/2", "Definition 1.2"),
    ("A03", THREE_LAWS, {}, "ratio", "3", "Definition 1.1"),
    ("A03", THREE_LAWS, {"ratio": "3/2"}, "delta", "1/5", "Definition 1.2"),
    ("A03", THREE_LAWS, {"ratio": 2}, "delta", "1/10", "Definition 1.2"),
    ("A03", THREE_LAWS, {"epsilon": 0}, "delta", "3/10", "Definition 1.2"),
    ("A03", THREE_LAWS, {"delta": "1/10"}, "ratio", "2", "Definition 1.2"),
    ("A06", ONE_OF_FOUR, {"definition": "statistical-difference"}, "epsilon", "1/4", "Remark 1"),
    ("A06", ONE_OF_FOUR, {"ratio": 1000}, "delta", "1/4", "Remark 1"),
    ("A06", ONE_OF_FOUR, {"ratio": "inf"}, "delta", "1/4", "Remark 1"),
    ("A06", ONE_OF_FOUR, {"group": 3, "ratio": 5}, "delta", "3/4", "Remark 1, three people"),
]


@pytest.mark.parametrize(("case", "mechanism", "question", "name", "expected", "citation"), EXACT)
def test_reference_exact(case, mechanism, question, name, expected, citation):
    verdict = tw.measure(mechanism, **question)
    assert verdict.values[name] == Fraction(expected), f"{case}: {citation}"


@pytest.mark.parametrize("mechanism", [ONE_BIT, TWO_BITS_SUMMED, THREE_LAWS])
@pytest.mark.parametrize("ratio", ["1", "6/5", "3/2", "2", "3"])
def test_reference_mechanisms_by_enumeration_of_all_events(mechanism, ratio):
    pairs = brute.pairs(mechanism.universe, "substitute")
    excess = partial(brute.largest_excess, ratio=Fraction(ratio))
    assert tw.measure(mechanism, ratio=ratio).delta == brute.worst(mechanism, pairs, excess)


def test_reference_clamped_geometric_sum_of_two_bits():
    # A02: the law of the clamped sum, by hand.
    assert TWO_BITS_SUMMED.table().rows == tuple(
        tuple(map(Fraction, row))
        for row in (
            ("1/6", "1/3", "1/3", "2/3"),
            ("1/6", "1/3", "1/3", "1/6"),
            ("2/3", "1/3", "1/3", "1/6"),
        )
    )


# --- the noise claim: Claim 1.2, sigma^2 = ln(1/delta) / epsilon^2 ------------------------------


@pytest.mark.parametrize(
    ("case", "epsilon", "exact", "is_private"),
    [("A04", "1", 1.0628e-5, False), ("A04b", "1/10", 6.83175109222768e-7, True)],
)
def test_erratum_gaussian_noise_of_claim_1_2_is_not_always_enough(case, epsilon, exact, is_private):
    e = Fraction(epsilon)
    sigma = sqrt(ln(Fraction(10**6)) / e**2)
    noise = Gaussian(sigma=sigma)
    verdict = tw.check(noise, tw.DifferentialPrivacy(epsilon=e, delta="1e-6"))
    assert bool(verdict) is is_private, case
    assert float(verdict.delta) == pytest.approx(exact, rel=1e-4 if case == "A04" else 1e-9)


@pytest.mark.parametrize(
    ("text", "question", "value"),
    [
        # closed forms of one-dimensional noise, in 15 digits
        ("laplace(scale=2)", {"epsilon": 0}, 0.221199216928595),  # 1 - e^(-1/4)
        ("laplace(scale=2)", {"epsilon": "1/4"}, 0.117503097415405),  # 1 - e^(-1/8)
        ("laplace(scale=2)", {"epsilon": "1/2"}, 0.0),
        ("gaussian(sigma=1)", {"epsilon": 0}, 0.382924922548026),  # 2 F(1/2) - 1
        ("gaussian(sigma=1)", {"epsilon": 1}, 0.126936737507),
        ("geometric(ratio=2)", {"epsilon": 0}, 1 / 3),  # (1 - p) / (1 + p)
        ("geometric(ratio=2)", {"ratio": "3/2"}, 1 / 6),  # (1 - a p) / (1 + p)
    ],
)
def test_reference_profiles_of_noise(text, question, value):
    assert float(tw.measure(text, **question).delta) == pytest.approx(value, abs=1e-12)


def test_smallest_epsilon_of_gaussian_noise_gives_back_its_delta():
    verdict = tw.measure("gaussian(sigma=2)", delta="1e-3")
    again = tw.measure("gaussian(sigma=2)", ratio=verdict.ratio)
    assert float(again.delta) == pytest.approx(1e-3, rel=1e-12)


# --- Remark 1 and Section 1.1 -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "values", "nats"),
    [(4, 3, 0.274653072167027), (2, 2, 0.346573590279973), (10, 2, 0.0693147180559945)],
)
def test_reference_remark_1_mutual_information_is_entropy_over_n(n, values, nats):
    # A06 and siblings: I((J, x_J); x_i) = H(x_i) / n.
    shown = tw.mechanism(f"random-index(records={n}, values={values})")
    found = tw.measure(shown, definition="mutual-information").nats
    low, high = map(float, bounds(found))
    assert (low, high) == (pytest.approx(nats, abs=1e-12), pytest.approx(nats, abs=1e-12))
    if values**n < 100:
        assert float(information(shown, 1)) == pytest.approx(nats, abs=1e-12)


def test_remark_1_no_epsilon_and_no_smaller_delta_will_do():
    assert not tw.check(ONE_OF_FOUR, "dp(ratio=1000, delta=0.2)")
    assert not tw.check(ONE_OF_FOUR, "dp(epsilon=10000, delta=0.2499999999999)")
    assert tw.check(ONE_OF_FOUR, "dp(epsilon=0, delta=1/4)")
    assert tw.check(ONE_OF_FOUR, "statistical-difference(epsilon=1/4)")


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        ({"a": 1}, {"a": 1}, "0"),
        ({"a": 1}, {"b": 1}, "1"),
        ({"a": "1/2", "b": "1/2"}, {"a": "1/4", "b": "3/4"}, "1/4"),
        ({"a": "1/2", "b": "3/10", "c": "1/5"}, {"a": "2/5", "b": "1/10", "c": "1/2"}, "3/10"),
    ],
)
def test_reference_statistical_difference_of_two_laws(p, q, expected):
    # Section 1.1: SD(X, Y) = max over events.
    assert TwoLaws(p, q).statistical_difference == Fraction(expected)


@pytest.mark.parametrize(
    ("ratio", "first", "second"),
    [("1", "1", "1"), ("5/4", "1", "1"), ("3/2", "1/2", "1/4"), ("2", "0", "0")],
)
def test_reference_definition_3_2_under_each_law(ratio, first, second):
    two = TwoLaws({"a": "1/2", "b": "3/10", "c": "1/5"}, {"a": "1/4", "b": "9/20", "c": "3/10"})
    assert tuple(two.pointwise(ratio)) == (Fraction(first), Fraction(second))
