"""Calibrated noise: the whole costs exactly what was wanted, by the laws of the noise."""

from fractions import Fraction
from itertools import product

import pytest

from tests.release.sensitivity.brute import all_vectors, supremum
from twoworlds.errors import InvalidInput
from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise
from twoworlds.numbers import exp
from twoworlds.release.costs import Cost, parse_cost
from twoworlds.release.policy.model import Column, Dataset, Unit
from twoworlds.release.query import All, Compare, Query, resolve
from twoworlds.release.sensitivity import calibrate, cost_for
from twoworlds.release.sensitivity.calibration import at_least, least_threshold

F = Fraction
COLUMNS = {
    "key": Column("key", "text", keys=tuple("abcdefghij")),
    "few": Column("few", "text", keys=("a", "b")),
    "x": Column("x", "integer", F(0), F(3), grid=(F(0), F(1), F(2))),
    "pay": Column("pay", "integer", F(0), F(100)),
}
SAMPLES = {"few": ["a", "b", "c", None], "x": [F(i) for i in range(-1, 6)] + [None]}


def people(neighbours="add-remove", unit=None):
    return Dataset("people", None, neighbours, unit or Unit(), COLUMNS)


def asked(query, neighbours="add-remove", unit=None):
    return [resolve(query, people(neighbours, unit))]


@pytest.mark.parametrize(("neighbours", "scale"), [("add-remove", 2), ("substitute", 4)])
def test_a_histogram_of_ten_has_the_noise_of_one_count(neighbours, scale):
    found = calibrate(asked(Query("people").by("key").count(), neighbours), parse_cost("1/2"))
    (noise,) = found.noises[0]
    assert (noise.scale, noise.law) == (scale, GeometricNoise(exp(F(-1, scale))))
    assert 2 * noise.scale**2 == {2: 8, 4: 32}[scale]  # the variance of continuous Laplace noise
    assert float(noise.law.variance) < 2 * scale**2
    assert found.joint == F(1, 2)
    assert found.naive * scale == 10
    assert (noise.name, found.kind, found.threshold) == ("discrete Laplace", "laplace", None)


QUERIES = [
    Query("people").by("few").count().sum("x"),
    Query("people").by("few", other=True).mean("x"),
    Query("people").variance("x"),
    Query("people").count(where=Compare("x", "<", F(1))).sum("x", where=Compare("x", ">", F(1))),
    Query("people").by("few").median("x").count(share="1/3"),
]


@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
@pytest.mark.parametrize("query", QUERIES)
def test_the_worst_neighbours_lose_exactly_what_was_wanted(query, neighbours):
    batch = asked(query, neighbours)
    found = calibrate(batch, parse_cost("3/7"))
    weights = {(0, j): 1 / noise.scale for j, noise in enumerate(found.noises[0]) if noise.scale}
    weights |= {(0, j): F(0) for j, noise in enumerate(found.noises[0]) if not noise.scale}
    assert found.joint == supremum(batch, SAMPLES, weights, 1) == F(3, 7)
    assert found.attained


def test_the_joint_law_of_the_answers_attains_the_ratio():
    batch = asked(Query("people").by("few").count().sum("x"), "substitute")
    found = calibrate(batch, parse_cost("1"))
    laws = [noise.law for noise in found.noises[0]]
    cells = [(0, j, (("key", key),)) for j in (0, 1) for key in "ab"]
    worst = 0
    for a, b in product(all_vectors(batch, SAMPLES), repeat=2):
        ratio = exp(F(0))
        for cell in cells:
            shift = abs(a.get(cell, 0) - b.get(cell, 0))
            if shift:
                ratio = ratio * laws[cell[1]].supremum(shift).ratio
        assert ratio <= exp(F(1))
        worst += ratio == exp(F(1))
    assert worst


@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
@pytest.mark.parametrize("query", QUERIES[:4])
def test_gaussian_noise_costs_rho(query, neighbours):
    batch = asked(query, neighbours)
    found = calibrate(batch, parse_cost("rho=1/8"), noise="gaussian")
    noises = found.noises[0]
    for noise in noises:
        assert noise.law is None or noise.law == DiscreteGaussianNoise(noise.scale)
    weights = {(0, j): 1 / (2 * n.scale) if n.scale else F(0) for j, n in enumerate(noises)}
    expected = supremum(batch, SAMPLES, weights, 2)
    assert found.joint == F(1, 8)
    assert expected <= F(1, 8) <= expected * F(65, 64)
    assert not found.attained or expected == F(1, 8)


@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
def test_a_quantile_has_a_rate_in_either_kind_of_cost(neighbours):
    batch = asked(Query("people").median("x"), neighbours)
    moves = 1 if neighbours == "add-remove" else 2
    (noise,) = calibrate(batch, parse_cost("1")).noises[0]
    assert (noise.rate * moves, noise.law, noise.name) == (1, None, "exponential mechanism")
    found = calibrate(batch, parse_cost("rho=1/10"), noise="gaussian")
    (noise,) = found.noises[0]
    assert (moves * noise.rate) ** 2 / 8 == found.joint <= F(1, 10)
    assert found.joint > F(1, 10) * (1 - F(1, 10**15))


def test_what_nobody_can_move_has_no_noise():
    found = calibrate(asked(Query("people").count().sum("x"), "substitute"), parse_cost("1"))
    count, total = found.noises[0]
    assert (count.law, count.scale, count.sensitivity, count.name) == (None, 0, 0, "none")
    assert (total.scale, total.sensitivity) == (3, 3)
    assert "answered exactly" in found.explain()
    free = calibrate(asked(Query("people").count(), "substitute"), parse_cost("1"))
    assert (free.joint, free.naive) == (0, 0)
    assert "gives nothing away" in free.explain()


def test_persons_take_noise_for_all_of_their_rows():
    query = Query("people").by("key").count().people()
    found = calibrate(asked(query, unit=Unit("id", 5, 2)), parse_cost("1"))
    rows, persons = found.noises[0]
    assert (rows.sensitivity, persons.sensitivity) == (5, 2)
    assert 5 / rows.scale + 2 / persons.scale == 1
    squared = calibrate(asked(query, unit=Unit("id", 5, 2)), parse_cost("rho=1"), noise="gaussian")
    rows, persons = squared.noises[0]
    assert squared.joint == 1
    for cells in (1, 2):
        split = (5 - cells + 1) ** 2 + cells - 1
        assert split / (2 * rows.scale) + cells / (2 * persons.scale) <= 1


def test_gaussian_noise_is_paid_by_epsilon_and_delta_too():
    batch = asked(Query("people").by("key").count())
    found = calibrate(batch, parse_cost("epsilon=1, delta=1e-6"), noise="gaussian")
    assert str(found.cost) == "epsilon=1, delta=1/1000000"
    assert 0.0243 < float(found.joint) < 0.0244  # the rho that implies (1, 1e-6)


@pytest.mark.parametrize(
    ("cost", "noise", "discover", "said"),
    [
        ("1", "laplace", True, "need a delta"),
        ("rho=1", "gaussian", True, "need a delta"),
        ("rho=1", "laplace", False, "noise='gaussian'"),
        ("1", "gaussian", False, "pure"),
        ("epsilon=1, delta=1e-6", "laplace", False, "would be wasted"),
        ("0", "laplace", False, "more than 0"),
        ("epsilon=0, delta=1e-6", "laplace", True, "more than 0"),
        ("1", "laplac", False, "laplace"),
    ],
)
def test_refuses_a_cost_that_does_not_suit(cost, noise, discover, said):
    batch = asked(Query("people").by("key", discover=discover).count())
    with pytest.raises(InvalidInput, match=said):
        calibrate(batch, parse_cost(cost), noise=noise)


NEVER = All((Compare("x", ">", F(2)), Compare("x", "<", F(1))))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (Query("people").count(), "The whole costs epsilon 1."),
        (Query("people").median("x"), "The whole costs epsilon 1."),
        (Query("people").count(name="none", where=NEVER).count(), "The whole costs epsilon 1."),
        (
            Query("people").count().count(name="some", where=Compare("x", ">", F(1))),
            "The whole costs epsilon 1, as much as its parts.",
        ),
    ],
)
def test_the_whole_is_compared_with_its_parts_where_there_are_several(query, said):
    assert calibrate(asked(query), Cost(F(1))).whole_words() == said


def test_discovered_keys_of_one_measure_are_one_part():
    free = Dataset("people", None, "add-remove", Unit(), {"city": Column("city", "text")})
    counted = resolve(Query("people").by("city", discover=True).count(), free)
    found = calibrate([counted], Cost(F(1), F(1, 10**6)))
    assert "parts" not in found.whole_words()


# --- the threshold of discovered keys, against the definition of (epsilon, delta) -----------------

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


# --- the cost of a wanted error: enough, and the next smaller one is not --------------------------


def priced(query, neighbours="add-remove"):
    pay = Column("pay", "number", F(0), F(1000), F(1, 100), grid=(F(0), F(1000)))
    columns = {"key": Column("key", "text", keys=("a", "b")), "pay": pay}
    return [resolve(query, Dataset("people", None, neighbours, columns=columns))]


def beyond(law, h):
    return law.at_least(h + 1) + law.reflected().at_least(h + 1)


@pytest.mark.parametrize("within", [F(1, 2), F(3), F(25)])
def test_the_cost_is_the_least_of_four_digits(within):
    batch = priced(Query("people").by("key").count())
    amount = cost_for(batch, within).epsilon
    digits = amount
    while digits.denominator > 1 or digits < 1000:
        digits *= 10
    while digits > 10_000:
        digits /= 10
    costs = (Cost(amount), Cost(amount * (digits - 1) / digits))
    good, bad = (calibrate(batch, cost).noises[0][0].law for cost in costs)
    assert beyond(good, int(within)) <= F(1, 20) < beyond(bad, int(within))


def test_every_answer_is_within():
    count, both = Query("people").by("key").count(), Query("people").by("key").count().sum("pay")
    cost = cost_for(priced(both), F(50))
    assert cost.epsilon > 100 * cost_for(priced(count), F(50)).epsilon
    total = calibrate(priced(both), cost).noises[0][1].law
    assert beyond(total, 5000) <= F(1, 20)


def test_refuses_what_no_cost_promises():
    with pytest.raises(InvalidInput, match="depends on the data"):
        cost_for(priced(Query("people").mean("pay")), F(1))
    with pytest.raises(InvalidInput, match="depends on the data"):
        cost_for(priced(Query("people").median("pay")), F(1))
    with pytest.raises(InvalidInput, match="above 0"):
        cost_for(priced(Query("people").count()), F(0))
    with pytest.raises(InvalidInput, match="exact at any cost"):
        cost_for(priced(Query("people").count(), "substitute"), F(1))
