"""Membership tests: the likelihood ratio is that of the stated belief, by enumeration."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest

from tests.cli.calling import call
from twoworlds.attacks.queries import (
    histogram_study,
    membership_in_histogram,
    membership_in_means,
    study,
)
from twoworlds.attacks.queries.membership import factor, log_factors
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.noise import GeometricNoise

SHARES = (Fraction(1, 3), Fraction(3, 4))


def probability(people, shares):
    """P(these people), drawn independently."""
    return math.prod(
        share if bit else 1 - share
        for person in people
        for bit, share in zip(person, shares, strict=True)
    )


def enumerated(person, counts, size):
    """P(counts | in) / P(counts | out), over all studies."""
    everyone = list(itertools.product((0, 1), repeat=len(SHARES)))

    def chance(others, known):
        total = Fraction(0)
        for drawn in itertools.product(everyone, repeat=others):
            group = (*drawn, *known)
            if tuple(map(sum, zip(*group, strict=True))) == counts:
                total += probability(drawn, SHARES)
        return total

    return chance(size - 1, (person,)) / chance(size, ())


@pytest.mark.parametrize("person", list(itertools.product((0, 1), repeat=2)))
@pytest.mark.parametrize("counts", [(1, 2), (0, 3), (3, 1), (2, 2)])
def test_the_ratio_is_that_of_all_studies(person, counts):
    found = membership_in_means(person, counts, SHARES, 3, prior="1/5").data
    assert found["likelihood_ratio"] == enumerated(person, counts, 3)
    odds = found["likelihood_ratio"] * Fraction(1, 4)
    assert found["posterior"] == odds / (1 + odds)


@pytest.mark.parametrize("at_least", [1, 2, 3])
@pytest.mark.parametrize("size", [3, 4])
def test_a_cell_that_is_hidden_or_shown_tells_what_all_studies_say(at_least, size):
    share = Fraction(1, 4)

    def binomial(n, k):
        return math.comb(n, k) * share**k * (1 - share) ** (n - k) if 0 <= k <= n else Fraction(0)

    hidden_in = sum(binomial(size - 1, k - 1) for k in range(at_least))
    hidden_out = sum(binomial(size, k) for k in range(at_least))
    hidden = membership_in_histogram(None, share, size, at_least=at_least).data
    assert hidden["likelihood_ratio"] == hidden_in / hidden_out
    for shown in range(at_least, size + 1):
        found = membership_in_histogram(shown, share, size, at_least=at_least).data
        assert found["likelihood_ratio"] == binomial(size - 1, shown - 1) / binomial(size, shown)


def test_the_engine_holds():
    found = study(40, 60, epsilon=1, seed=0, engine=True)
    assert found.data["engine"]
    assert found.data["largest_ratio"] <= math.e * (1 + 1e-9)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([1], [1, 2], ["1/2"], 3), "each attribute"),
        (([], [], [], 3), "no attribute"),
        (([2], [1], ["1/2"], 3), "0 or 1"),
        (([1], [4], ["1/2"], 3), "impossible"),
        (([1], [1], ["0"], 3), "between 0 and 1"),
        (([1], [1], ["1/2"], 0), "people"),
    ],
)
def test_bad_input_is_refused(arguments, said):
    with pytest.raises(InvalidInput, match=said):
        membership_in_means(*arguments)


def test_bad_histograms_and_studies_are_refused():
    with pytest.raises(InvalidInput, match="left out"):
        membership_in_histogram(None, "1/4", 10)
    with pytest.raises(InvalidInput, match="shown though"):
        membership_in_histogram(1, "1/4", 10, at_least=3)
    with pytest.raises(InvalidInput, match="prior=1 must lie strictly between"):
        membership_in_histogram(3, "1/4", 10, at_least=3, prior=1)
    with pytest.raises(InvalidInput, match="needs an epsilon"):
        study(10, 10, engine=True)
    with pytest.raises(TooLarge, match="cells"):
        study(10**6, 10**6)
    with pytest.raises(TooLarge, match="1,000"):
        study(2, 1001, epsilon=1, engine=True)


def test_the_command(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    lines = tmp_path / "person.csv"
    lines.write_text("person,count,share\n1,3,1/2\n0,0,0.5\n")
    code, out, _ = call(capsys, "attack", "membership", str(lines), "--people", "4", "--json")
    assert code == 0
    assert json.loads(out)["posterior"]["exact"] == "3/4"
    code, out, _ = call(
        capsys, "attack", "membership", str(lines), "--people", "4", "--epsilon", "ln 4", "--json"
    )
    assert json.loads(out)["likelihood_ratio"]["value"] <= 4
    code, out, _ = call(capsys, "attack", "membership", "--cell", "hidden", "--people", "100")
    assert code == 0
    assert "did not take part" in " ".join(out.split())
    assert call(capsys, "attack", "membership", "nowhere.csv")[0] == 2
    for ignored in (
        ("--cell", "3", "--people", "100", "--engine"),
        ("--cells", "10", "--attributes", "10"),
        ("--cells", "10", "--engine"),
        ("--share", "1/3"),
        ("--at-least", "3"),
        ("--prior", "1/3"),
    ):
        assert call(capsys, "attack", "membership", *ignored)[0] == 2
    lines.write_text("a,b\n1,2\n")
    assert "--people" in call(capsys, "attack", "membership", str(lines))[2]
    code, _, err = call(capsys, "attack", "membership", str(lines), "--people", "3")
    assert code == 2
    assert "person, count and share" in err


CELLS = ("1/4", "1/2", "1/10", "3/20")


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

    found = membership_in_histogram(shown, share, 4, at_least=limit, noise=noise).data
    assert float(found["likelihood_ratio"]) == pytest.approx(
        float(chance(3, 1) / chance(4, 0)), rel=1e-14
    )
    assert Fraction(1, 2) <= found["likelihood_ratio"] <= 2


def test_leaving_out_cells_does_not_hide_members_and_noise_does():
    exact, private = (
        [
            histogram_study(200, 150, epsilon=epsilon, seed=seed).data["told_right"]
            for seed in range(8)
        ]
        for epsilon in (None, "1/2")
    )
    assert sum(exact) / 8 > 0.57
    assert sum(private) / 8 < 0.54


@pytest.mark.parametrize("law", [None, GeometricNoise(Fraction(2, 3))])
@pytest.mark.parametrize("limit", [0, 1, 3])
@pytest.mark.parametrize("bit", [0, 1])
def test_studies_use_the_ratio_of_the_exact_test(law, limit, bit):
    counts = np.array([3, 2, 0, 5] if law is None else [3, -1, 0, 9])
    logs = log_factors(bit, counts, 6, np.array([float(Fraction(s)) for s in CELLS]), law, limit)
    for log, count, share in zip(logs, counts.tolist(), CELLS, strict=True):
        shown = count if count >= limit else None
        exact = factor(bit, shown, 6, Fraction(share), limit, law)
        assert math.isclose(math.exp(log), float(exact), rel_tol=1e-12)
