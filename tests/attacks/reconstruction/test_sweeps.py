"""Sweeps over noise and numbers of questions."""

from fractions import Fraction

import numpy as np
import pytest

from twoworlds.attacks.reconstruction import random_subsets, sweep
from twoworlds.attacks.reconstruction.decoding import estimate
from twoworlds.attacks.reconstruction.simulation import deviation
from twoworlds.attacks.reconstruction.sweeps import expected_fraction
from twoworlds.errors import InvalidInput, UnknownName

HALF = Fraction(1, 2)


@pytest.fixture(scope="module")
def found():
    return sweep(64, [64, 512], [0, 2, 8, 64], method="least-squares", repeats=5)


def test_noise_hides_and_questions_reveal(found):
    few, many = found.right
    assert few[0] == many[0] == 1
    assert all(a <= b for a, b in zip(few, many, strict=True))
    assert list(many) == sorted(many, reverse=True)
    assert abs(many[-1] - HALF) < Fraction(1, 10)


def test_it_stops_near_the_root_of_the_number_of_people(found):
    """The root is 8: with one question for each it fails before, with eight it fails there."""
    assert (found.stops(64), found.stops(512)) == (2, 8)
    assert "the root of the number of people is 8.0" in found.explain()
    assert "512 sums: works up to noise 2, and fails from 8 on" in found.explain()


@pytest.mark.slow
@pytest.mark.parametrize("noise", [12])
def test_least_squares_get_about_what_is_expected(noise):
    """About 2000 bits are decoded, so the share has a standard error of about 0.01."""
    expected = expected_fraction(200, 3200, deviation("laplace", Fraction(noise)))
    plain, known = 0, 0
    for seed in range(10):
        rng = np.random.default_rng([3, seed])
        truth, masks = rng.integers(0, 2, 200), random_subsets(200, 3200, seed=seed)
        answers = masks.astype(int) @ truth + rng.laplace(0, noise, 3200)
        for spread in (0.0, noise * 2**0.5):
            values = estimate(masks, answers, "least-squares", deviation=spread)
            right = int(((values > 0.5) == truth).sum())
            plain, known = (plain, known + right) if spread else (plain + right, known)
    assert abs(plain / 2000 - expected) < 0.03
    assert known >= plain - 10


def test_both_methods_and_all_laws_sweep():
    for law in ("laplace", "uniform", "rounding"):
        for method in ("lp", "least-squares"):
            shares = sweep(24, [96], [0, "1/2"], law=law, method=method, repeats=1).right
            assert shares == ((1, 1),)


def test_the_same_seed_is_the_same_sweep():
    first, again, other = (
        sweep(16, [16], [4], seed=seed, repeats=2, method="least-squares") for seed in (0, 0, 1)
    )
    assert first == again != other


def test_words_table_and_plain_data(found):
    headings, body = found.table()
    assert headings == ["noise", "64 sums", "512 sums"]
    assert [row[0] for row in body] == ["0", "2", "8", "64"]
    assert body[0][1:] == ["100%", "100%"]
    points = found.to_dict()["points"]
    assert len(points) == 8
    assert points[0]["expected"] is None
    assert points[4]["expected"] == 1.0
    assert "<table" in found._repr_html_()
    always = sweep(8, [64], [0], repeats=1)
    assert always.stops(64) is None
    assert "at every noise tried" in always.explain()
    never = sweep(64, [64], [100], repeats=1, method="least-squares")
    assert "even at 100" in never.explain()


def test_bad_input():
    with pytest.raises(InvalidInput, match="at least one number of queries"):
        sweep(8, [], [1])
    with pytest.raises(InvalidInput, match="at least one number of queries"):
        sweep(8, [8], [])
    with pytest.raises(InvalidInput, match="choose another law"):
        sweep(8, [8], [1], law="none")
    with pytest.raises(UnknownName, match="unknown method"):
        sweep(8, [8], [1], method="guess")
    with pytest.raises(InvalidInput, match="repeats=0"):
        sweep(8, [8], [1], repeats=0)
