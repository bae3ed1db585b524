"""The threshold of discovered keys against the definition of (epsilon, delta)."""

from fractions import Fraction
from itertools import product

import pytest

from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise
from twoworlds.numbers import exp
from twoworlds.release.costs import parse_cost
from twoworlds.release.policy.model import Column, Dataset, Unit
from twoworlds.release.query import Query, resolve
from twoworlds.release.sensitivity import calibrate
from twoworlds.release.sensitivity.calibration import at_least, least_threshold

F = Fraction
REACH = 60


def shown(law, count, threshold):
    """The law of what is seen of one key: nothing (None) or a noisy count."""
    if count == 0:
        return {None: 1.0}
    found = {k: float(law.pmf(k - count)) for k in range(threshold, threshold + REACH)}
    return {None: 1 - sum(found.values()), **found}


def delta(law, threshold, epsilon, ours, theirs):
    """The hockey-stick divergence of two tables of counts, by enumeration of all outputs."""
    first = [shown(law, count, threshold) for count in ours]
    second = [shown(law, count, threshold) for count in theirs]
    total = 0.0
    for output in product(*({**a, **b} for a, b in zip(first, second, strict=True))):
        p = q = 1.0
        for a, b, seen in zip(first, second, output, strict=True):
            p, q = p * a.get(seen, 0.0), q * b.get(seen, 0.0)
        total += max(0.0, p - 2.718281828459045**epsilon * q)
    return total


@pytest.mark.few(3)
@pytest.mark.parametrize("wanted", ["1/1000", "1/10", "2/5"])
@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
def test_discovered_keys_keep_epsilon_and_delta(neighbours, wanted):
    key = Column("key", "text")
    data = Dataset("people", None, neighbours, columns={"key": key})
    query = Query("people").by("key", discover=True).count()
    cost = parse_cost(f"epsilon=1, delta={wanted}")
    found = calibrate([resolve(query, data)], cost)
    law, threshold = found.noises[0][0].law, found.threshold
    pairs = {"add-remove": [((1, 2), (0, 2)), ((3, 2), (2, 2))]}
    pairs["substitute"] = [((1, 0), (0, 1)), ((1, 2), (0, 3)), ((2, 1), (1, 2))]
    for a, b in pairs[neighbours]:
        assert delta(law, threshold, 1.0, a, b) <= float(cost.delta) + 1e-9
        assert delta(law, threshold, 1.0, b, a) <= float(cost.delta) + 1e-9


def test_a_large_delta_still_pays_for_hiding():
    law, weight = GeometricNoise(exp(F(-1, 100))), F(1, 100)
    found = least_threshold(law, weight, 1, F(9, 10))
    assert law.at_least(found - 1) <= 1 - exp(-weight) < law.at_least(found - 2)


def test_a_person_may_be_alone_in_several_groups():
    key = Column("key", "text")

    def threshold(groups):
        data = Dataset("people", None, "add-remove", Unit("id", 10, groups), {"key": key})
        query = Query("people").by("key", discover=True).people()
        return calibrate([resolve(query, data)], parse_cost("epsilon=1, delta=1e-6"))

    one, four = threshold(1), threshold(4)
    assert (one.noises[0][0].scale, four.noises[0][0].scale) == (1, 4)
    law = four.noises[0][0].law
    assert 1 - (1 - law.at_least(four.threshold - 1)) ** 4 <= F(1, 10**6)
    assert 1 - (1 - law.at_least(four.threshold - 2)) ** 4 > F(1, 10**6)
    assert f"at least {four.threshold}" in four.explain()


def test_gaussian_noise_discovers_with_half_of_delta():
    data = Dataset("people", None, "add-remove", columns={"key": Column("key", "text")})
    query = resolve(Query("people").by("key", discover=True).count(), data)
    found = calibrate([query], parse_cost("epsilon=1, delta=1e-6"), noise="gaussian")
    law = found.noises[0][0].law
    tail = F(1, 2 * 10**6)
    assert at_least(law, found.threshold - 1) <= tail < at_least(law, found.threshold - 2)


def test_wide_gaussian_tails_are_never_too_small():
    law = DiscreteGaussianNoise(F(1001))
    for k in (-5, 0, 20, 33, 60, 150):
        assert law.at_least(k) <= at_least(law, k)
    assert at_least(law, 100) <= law.at_least(100) * F(1001, 1000)
