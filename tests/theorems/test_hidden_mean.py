"""Normal records around a hidden mean: against integrals of their densities."""

from __future__ import annotations

from math import exp, pi, sqrt

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.numbers import bounds
from twoworlds.theorems.hidden_mean import normal_records

N, SIGMA = 4, 0.75
STEP = 1 / 512
GRID = [STEP * k for k in range(-8 * 512, 8 * 512 + 1)]


def density(x, mean, deviation):
    return exp(-(((x - mean) / deviation) ** 2) / 2) / (deviation * sqrt(2 * pi))


def believed(x, mu):
    """P(mu | X_i = x), by Bayes' rule."""
    return density(x, mu, SIGMA) / sum(density(x, m, SIGMA) for m in (1, -1))


def law(weights, shift):
    """The density of the sum of the others and a shift, on the grid."""
    others = SIGMA * sqrt(N - 1)
    return [
        sum(p * density(s, mu * (N - 1) + shift, others) for mu, p in weights.items()) for s in GRID
    ]


def apart(one, other, ratio, *, sign):
    if sign:
        one, other = (
            [sum(x for x, s in zip(f, GRID, strict=True) if (s >= 0) == plus) for plus in (0, 1)]
            for f in (one, other)
        )
    return STEP * max(
        sum(max(0, p - ratio * q) for p, q in zip(f, g, strict=True))
        for f, g in ((one, other), (other, one))
    )


@pytest.mark.parametrize("ratio", [1, 2])
@pytest.mark.parametrize("published", ["sign", "sum"])
@pytest.mark.parametrize("known", [False, True])
def test_both_numbers_are_integrals_of_densities(known, published, ratio):
    found = normal_records(
        N, sigma="3/4", values=(1, "-1/2"), ratio=ratio, known=known, published=published
    ).data
    sign = published == "sign"
    noiseless, ddp = [], []
    for mu in (1, -1) if known else (None,):
        given = {x: {mu: 1} if known else {m: believed(x, m) for m in (1, -1)} for x in (1.0, -0.5)}
        worlds = {x: law(given[x], x) for x in given}
        noiseless.append(apart(worlds[1.0], worlds[-0.5], ratio, sign=sign))
        ddp += [apart(worlds[x], law(given[x], 0.0), ratio, sign=sign) for x in given]
    for name, numbers in (("noiseless", noiseless), ("ddp", ddp)):
        low, high = map(float, bounds(found[name]))
        assert low - 0.002 <= max(numbers) <= high + 0.002
        assert high - low <= (1 + ratio) * 0.07  # the two normal laws overlap a little


def test_the_mean_hidden_is_a_breach_for_noiseless_privacy_only():
    hidden, known = (normal_records(known=known).data for known in (False, True))
    assert hidden["noiseless"] > 0.99
    assert max(hidden["ddp"], known["ddp"], known["noiseless"]) < 1e-7


def test_without_bounds_on_the_values_the_known_mean_protects_nobody():
    far = normal_records(known=True, values=(100, -100)).data
    assert far["noiseless"] > 0.999
    assert far["ddp"] > 0.999


def test_equal_values_are_alike():
    assert normal_records(values=(1, 1), published="sum", known=True).data["noiseless"] == 0


@pytest.mark.parametrize(
    "bad", [{"records": 1}, {"sigma": 0}, {"published": "median"}, {"ratio": "1/2"}]
)
def test_rejects_what_means_nothing(bad):
    with pytest.raises(InvalidInput):
        normal_records(**bad)
