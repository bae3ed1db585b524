"""Attacks on known columns, one by one and swept over noise and numbers of questions."""

from fractions import Fraction

import pytest

from twoworlds.attacks.reconstruction import attack_column, simulate, sweep
from twoworlds.attacks.reconstruction.simulation import (
    largest_error,
    noisy,
)
from twoworlds.errors import InvalidInput, UnknownName


@pytest.mark.parametrize("law", ["uniform", "rounding", "none"])
def test_bounded_noise_stays_within_its_bound_exactly(law):
    sums = list(range(50)) * 20
    noise = Fraction(7, 3)
    errors = [abs(a - s) for a, s in zip(noisy(sums, law, noise), sums, strict=True)]
    assert max(errors) <= largest_error(law, noise)
    assert (max(errors) > 0) == (law != "none")


@pytest.mark.parametrize("law", ["laplace", "uniform", "rounding", "none"])
@pytest.mark.parametrize("method", ["lp", "least-squares"])
def test_little_noise_gives_nearly_all_away_and_what_is_stated_is_true(law, method):
    trial = simulate(48, 240, noise=1, law=law, method=method)
    assert trial.data["right"] >= 47


def test_bad_input():
    with pytest.raises(UnknownName, match="did you mean 'laplace'"):
        simulate(8, 8, law="laplac")
    with pytest.raises(InvalidInput, match="noise=-1"):
        simulate(8, 8, noise=-1)
    with pytest.raises(InvalidInput, match="from 0 to 1,000,000,000"):
        simulate(8, 8, noise="1e10")
    with pytest.raises(InvalidInput, match="0 or 1"):
        attack_column([0, 2], 8)


HALF = Fraction(1, 2)


@pytest.fixture(scope="module")
def found():
    return sweep(64, [64, 512], [0, 2, 8, 64], method="least-squares", repeats=5)


def test_noise_hides_and_questions_reveal(found):
    shares = [one["fraction"] for one in found.data["points"]]
    few, many = shares[:4], shares[4:]
    assert few[0] == many[0] == 1
    assert all(a <= b for a, b in zip(few, many, strict=True))
    assert list(many) == sorted(many, reverse=True)
    assert abs(many[-1] - HALF) < Fraction(1, 10)


def test_what_is_expected_and_where_it_stops(found):
    points = found.data["points"]
    assert len(points) == 8
    assert points[0]["expected"] is None
    assert points[4]["expected"] == 1.0
    always = sweep(8, [64], [0], repeats=1)
    assert "at every noise tried" in always.explain()
    never = sweep(64, [64], [100], repeats=1, method="least-squares")
    assert "even at 100" in never.explain()


def test_sweeps_of_nothing_are_refused():
    with pytest.raises(InvalidInput, match="at least one number of queries"):
        sweep(8, [], [1])
    with pytest.raises(InvalidInput, match="at least one number of queries"):
        sweep(8, [8], [])
    with pytest.raises(InvalidInput, match="choose another law"):
        sweep(8, [8], [1], law="none")
    with pytest.raises(InvalidInput, match="repeats=0"):
        sweep(8, [8], [1], repeats=0)
