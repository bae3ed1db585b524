"""Solving for the threshold, the members, the rate and what may be known, against a scan."""

from fractions import Fraction
from math import comb

import pytest

from tests.noiseless.histograms import samples
from tests.noiseless.histograms.test_bins import worlds
from twoworlds.errors import InvalidInput
from twoworlds.noiseless import (
    solve_known_members,
    solve_population,
    solve_rate,
    solve_threshold,
    truncated_histogram,
)

RATIO = Fraction(3, 2)


def scanned(members, rate, threshold, known=0):
    n = members - 1 - known
    masses = {j: comb(n, j) * rate**j * (1 - rate) ** (n - j) for j in range(n + 1)}
    return max(
        samples.worse(*worlds(masses, threshold, shift), RATIO) for shift in range(known + 1)
    )


@pytest.mark.parametrize("delta", ["0", "1/1000", "1/20", "1/2", "1"])
@pytest.mark.parametrize("known", [0, 2])
def test_the_smallest_threshold(delta, known):
    rate = Fraction(2, 5)
    found = solve_threshold(20, rate=rate, ratio=RATIO, delta=delta, known=known)
    allowed = [k for k in range(1, 23) if scanned(20, rate, k, known) <= Fraction(delta)]
    assert found.threshold == allowed[0]
    assert found


def test_the_smallest_threshold_for_bins_of_any_size_and_poisson_bins():
    found = solve_threshold("any", rate="1/2", epsilon=0.5, delta=0.01)
    k = int(found.threshold)
    asked = {"rate": "1/2", "epsilon": 0.5, "delta": 0.01}
    assert truncated_histogram("any", threshold=k, **asked)
    assert not truncated_histogram("any", threshold=k - 1, **asked)
    assert f"a threshold of {k - 1} is not enough" in found.notes[0]
    poisson = solve_threshold(mean=5, epsilon=0.3, delta="1e-6")
    k = int(poisson.threshold)
    assert not truncated_histogram(mean=5, threshold=k - 1, epsilon=0.3, delta="1e-6")


def test_how_many_may_be_known():
    rate = Fraction(2, 5)
    for k, delta in ((9, "1/4"), (14, "1/50"), (3, "1/2")):
        found = solve_known_members(20, rate=rate, threshold=k, ratio=RATIO, delta=delta)
        fine = [known for known in range(20) if scanned(20, rate, k, known) <= Fraction(delta)]
        assert found.known == max(fine)
        assert found
        assert f"with {max(fine) + 1} other" in found.notes[0]


@pytest.mark.few(3)
@pytest.mark.parametrize("known", [0, 3])
@pytest.mark.parametrize("delta", ["1/20", "1/100"])
def test_the_fewest_members_from_which_on_all_is_well(delta, known):
    rate, k = Fraction(1, 2), 8
    found = solve_population(threshold=k, rate=rate, ratio=RATIO, delta=delta, known=known)
    bad = [m for m in range(known + 1, 90) if scanned(m, rate, k, known) > Fraction(delta)]
    assert found.population == max(bad) + 1
    assert found
    assert f"a bin of {max(bad)} members is not enough" in " ".join(found.notes)
    if min(bad) - 1 > known:
        assert f"bins of at most {min(bad) - 1} member" in " ".join(found.notes)


def test_the_largest_rate_of_a_grid():
    for k, delta in ((5, "1/5"), (1, "1/2"), (12, "1/100")):
        found = solve_rate(20, threshold=k, ratio=RATIO, delta=delta, step="1/10")
        fine = [i for i in range(1, 10) if scanned(20, Fraction(i, 10), k) <= Fraction(delta)]
        assert found.rate == Fraction(max(fine), 10)
        assert found


@pytest.mark.parametrize("step", ["0", "1", "-1/2", "1e-9"])
def test_the_grid_of_rates_is_checked(step):
    with pytest.raises(InvalidInput, match="step"):
        solve_rate(20, threshold=5, ratio=RATIO, delta="1/20", step=step)


def test_what_cannot_be_solved_is_said():
    with pytest.raises(InvalidInput, match="no multiple of 1/4"):
        solve_rate(2, threshold=1, ratio=RATIO, delta="1/1000", step="1/4")
    with pytest.raises(InvalidInput, match="no threshold hides them all"):
        solve_threshold(mean=3, ratio=RATIO, delta=0)
    with pytest.raises(InvalidInput, match="raise delta"):
        solve_population(threshold=3, rate="1/2", ratio=RATIO, delta=0)
    with pytest.raises(InvalidInput, match="finite ratio"):
        solve_threshold(20, rate="1/2", delta="1/10")
    with pytest.raises(InvalidInput, match="threshold=0"):
        solve_known_members(20, rate="1/2", threshold=0, ratio=2, delta="1/10")
