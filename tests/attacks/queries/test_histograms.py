"""Studies that publish a histogram without small cells, against the exact test of one person."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from tests.cli.calling import call
from twoworlds.attacks.queries import histogram_study, membership_in_histogram
from twoworlds.attacks.queries.histograms import _log_factors
from twoworlds.attacks.queries.membership import cell_noise, histogram_factor
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.noise import GeometricNoise
from twoworlds.numbers import exp

SHARES = ("1/4", "1/2", "1/10", "3/20")


@pytest.mark.parametrize("law", [None, GeometricNoise(Fraction(2, 3))])
@pytest.mark.parametrize("limit", [0, 1, 3])
def test_the_study_uses_the_ratio_of_the_exact_test(law, limit):
    counts = np.array([3, 2, 0, 5] if law is None else [3, -1, 0, 9])
    logs = _log_factors(counts, 6, np.array([float(Fraction(s)) for s in SHARES]), limit, law)
    for log, count, share in zip(logs, counts.tolist(), SHARES, strict=True):
        shown = count if count >= limit else None
        exact = histogram_factor(shown, 6, Fraction(share), limit, law)
        assert math.isclose(math.exp(log), float(exact), rel_tol=1e-12)


@pytest.mark.parametrize("shown", [None, 2, 4])
def test_a_noisy_cell_tells_what_all_studies_and_all_noise_say(shown):
    """By enumeration of the true count and of the noise; what is cut off is below 2^-60."""
    share, noise, limit = Fraction(1, 4), GeometricNoise(Fraction(1, 2)), 2

    def chance(people, own):
        return sum(
            math.comb(people, k) * share**k * (1 - share) ** (people - k) * noise.pmf(z)
            for k in range(people + 1)
            for z in range(-70, 70)
            if (k + own + z < limit if shown is None else k + own + z == shown)
        )

    found = membership_in_histogram(shown, share, 4, at_least=limit, noise=noise)
    assert float(found.ratio) == pytest.approx(float(chance(3, 1) / chance(4, 0)), rel=1e-14)
    assert Fraction(1, 2) <= found.ratio <= 2
    assert "noise" in found.explain()


def test_leaving_out_cells_does_not_hide_members_and_noise_does():
    exact = [histogram_study(200, 150, at_least=3, seed=seed).right for seed in range(8)]
    private = [
        histogram_study(200, 150, at_least=3, epsilon="1/2", seed=seed).right for seed in range(8)
    ]
    assert sum(exact) / 8 > 0.57
    assert sum(private) / 8 < 0.54


def test_the_engine_holds():
    found = histogram_study(60, 30, epsilon=1, engine=True)
    assert found.engine
    assert found.largest <= math.exp(1 / 2) * (1 + 1e-9)  # one cell of two that may move
    told = found.to_dict()
    assert (told["cells"], told["at_least"]) == (30, 3)
    assert "attributes" not in told
    assert "of the release engine" in found.explain()


def test_noise_of_a_histogram_is_for_two_cells():
    assert cell_noise(exp(Fraction(0)) * 2).p == exp(Fraction(-1))


@pytest.mark.parametrize("epsilon", ["1e-9", "2000"])
def test_costs_that_are_tiny_or_huge_have_an_answer(epsilon):
    found = histogram_study(20, 5, epsilon=epsilon)
    assert math.isfinite(found.largest)
    assert 0 <= found.right <= 1


def test_bad_studies_are_refused():
    with pytest.raises(InvalidInput, match="needs an epsilon"):
        histogram_study(10, 10, engine=True)
    with pytest.raises(TooLarge, match="cells"):
        histogram_study(10, 10**6)
    with pytest.raises(TooLarge, match="people"):
        histogram_study(10**6, 10)
    with pytest.raises(InvalidInput, match="number of cells"):
        histogram_study(10, 1)
    with pytest.raises(TooLarge, match="noisy cell"):
        membership_in_histogram(3, "1/9", 10**6, at_least=3, noise=GeometricNoise(Fraction(1, 2)))


def test_the_command(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    code, out, _ = call(capsys, "attack", "membership", "--cells", "40")
    assert code == 0
    assert "an exact histogram of 40 cells, without the cells below 3" in out
    code, out, _ = call(
        capsys,
        *("attack", "membership", "--cells", "20", "--at-least", "0"),
        *("--epsilon", "1", "--engine", "--json"),
    )
    assert code == 0
    assert json.loads(out)["engine"] is True
    assert "complete" in json.loads(out)["explanation"]
    code, out, _ = call(
        capsys,
        *("attack", "membership", "--cell", "hidden", "--people", "50", "--epsilon", "1", "--json"),
    )
    assert code == 0
    assert json.loads(out)["noise"] == "noise: geometric(ratio=e^(1/2)) on each"
