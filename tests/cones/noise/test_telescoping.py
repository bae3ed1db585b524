"""Differential privacy from the geometric row cone: Lin & Kifer, Section 5.3.1, erratum E15."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from twoworlds.cones.certificates import verify
from twoworlds.cones.noise.noise_cone import noise_cone
from twoworlds.cones.noise.noise_statements import Telescoping, telescoping
from twoworlds.errors import InvalidInput, Unsupported


def evaluate(form, row):
    return sum(c * row[i] for i, c in form.items())


@pytest.mark.parametrize("p", ["1/2", "1/3", "9/10"])
@pytest.mark.parametrize("direction", [1, -1])
def test_erratum_the_finite_sum_has_a_remainder(p, direction):
    # E15, on random rows with no property at all: it is an identity.
    derived = Telescoping(Fraction(p), direction)
    source = random.Random(7)
    row = {i: Fraction(source.randint(-9, 9), 7) for i in range(-30, 31)}
    q = Fraction(p)
    for last in range(8):
        for k in (-2, 0, 5):
            place = [k + direction * j for j in range(last + 1)]
            left = sum(
                q**j * (-row[i - 1] + (q + 1 / q) * row[i] - row[i + 1])
                for j, i in enumerate(place)
            )
            end = place[-1]
            remainder = q**last * (q * row[end] - row[end + direction])
            assert left == row[k] / q - row[k - direction] + remainder
            assert evaluate(derived.combined(last, k), row) == left
            assert evaluate(derived.remainder(last, k), row) == remainder
            assert derived.identity(last, k)
    assert derived.verify()


def test_the_remainder_tends_to_zero_for_bounded_rows_only():
    derived = Telescoping(Fraction(1, 2))
    assert derived.remainder_bound(10, 3) == Fraction(3, 1024)
    # The unbounded row 3 * 2^k - 2^-k satisfies every inequality with equality, yet
    # 2 x(k) - x(k+1) = -(3/2) 2^-k is negative everywhere.
    row = {k: 3 * Fraction(2) ** k - Fraction(2) ** -k for k in range(-6, 7)}
    assert all(evaluate(derived.premise(k), row) == 0 for k in range(-5, 6))
    assert evaluate(Telescoping(Fraction(1, 2), -1).conclusion(-2), row) < 0


def test_multipliers_are_powers_of_p():
    derived = Telescoping(Fraction(1, 2), -1)
    assert derived.multipliers(2, k=5) == {5: 1, 4: Fraction(1, 2), 3: Fraction(1, 4)}


@pytest.mark.parametrize("direction", [1, -1])
def test_finite_certificates_are_verified_without_the_derivation(direction):
    derived = Telescoping(Fraction(1, 3), direction)
    for last in (0, 1, 4):
        certificate = derived.certificate(last, k=2)
        assert verify(certificate)
        broken = {**certificate, "multipliers": [1] * (last + 2)}
        assert last == 0 or not verify(broken)


def test_privacy_does_not_imply_the_cone():
    # LK-40 and R6
    up, down = telescoping("geometric(ratio=2)")
    row, otherwise = up.not_conversely()
    assert (row, otherwise) == ({0: 1}, 2)
    assert up.value(row, 0, otherwise=otherwise) == Fraction(-3, 2)
    assert not noise_cone("geometric(ratio=2)").contains(row, otherwise=otherwise)
    values = [row.get(k, otherwise) for k in range(-3, 4)]
    assert all(a <= up.ratio * b and b <= down.ratio * a for a, b in pairwise(values))


def test_every_row_of_the_mechanism_obeys_the_conclusion():
    up, down = telescoping("geometric(p=2/5)")
    row = {k: Fraction(2, 5) ** abs(k) for k in range(-9, 10)}
    for k in range(-7, 8):
        assert evaluate(up.conclusion(k), row) >= 0
        assert evaluate(down.conclusion(k), row) >= 0
        assert evaluate(up.premise(k), row) == (Fraction(21, 10) if k == 0 else 0)


def test_words_and_data():
    up, down = telescoping("geometric(ratio=3)")
    assert "x(k-1) <= 3 x(k)" in up.explain()
    assert "x(k+1) <= 3 x(k)" in down.explain()
    assert "bounded" in up.explain()
    data = up.to_dict()
    assert data["verified"] is True
    assert verify(data["certificate"])


@pytest.mark.parametrize(
    "text",
    [
        "skellam(1, 1)",
        "differenced-negative-binomial(p=1/2, r=2)",
        "geometric(epsilon=0.5)",
        "binomial(2, 1/4)",
    ],
)
def test_only_geometric_noise_telescopes(text):
    with pytest.raises(Unsupported, match="geometric noise"):
        telescoping(text)


def test_rejects_bad_numbers():
    for p in ("1", "0", "-1/2"):
        with pytest.raises(InvalidInput, match="strictly between"):
            Telescoping(Fraction(p))
    with pytest.raises(InvalidInput, match="direction=2"):
        replace(Telescoping(Fraction(1, 2)), direction=2)
    with pytest.raises(InvalidInput, match="at least 0"):
        Telescoping(Fraction(1, 2)).multipliers(-1)
