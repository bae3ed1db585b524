"""Designed mechanisms against geometric noise, extreme mechanisms and plain Bayes."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction
from itertools import product

import pytest

from twoworlds.cones.certificates import verify
from twoworlds.cones.cone import Cone
from twoworlds.cones.design import LOSSES, design, saving
from twoworlds.cones.kernel.vectors import units
from twoworlds.cones.row_cone import RowCone, row_cone
from twoworlds.definitions import check
from twoworlds.errors import InvalidInput, TooLarge, UnknownName, Unsupported
from twoworlds.mechanisms.named import mechanism
from twoworlds.numbers import show
from twoworlds.questions import ask
from twoworlds.worlds import BitStrings, Integers
from twoworlds.worlds.belief import Belief


def random_belief(rng, universe):
    weights = [rng.randint(0, 5) for _ in universe]
    weights[rng.randrange(len(weights))] += 1
    total = sum(weights)
    return Belief(universe, {x: Fraction(w, total) for x, w in zip(universe, weights, strict=True)})


def bayes(rows, belief, loss):
    """The least expected loss after seeing an output of the matrix: answer what is best."""
    universe = belief.universe
    return sum(
        min(
            sum(belief[x] * p * cost for x, p, cost in zip(universe, row, costs, strict=True))
            for costs in loss
        )
        for row in rows
    )


def geometric(n, ratio):
    """Geometric noise on a count from 0 to n, with both tails moved to the ends."""
    a = Fraction(1, ratio)
    inner = [(1 - a) / (1 + a)] * (n + 1)
    inner[0] = inner[-1] = 1 / (1 + a)
    return [[inner[z] * a ** abs(z - i) for i in range(n + 1)] for z in range(n + 1)]


@pytest.mark.few(3)
@pytest.mark.parametrize("ratio", [2, 3])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_counts_recover_the_loss_of_geometric_noise(n, ratio):
    # Ghosh, Roughgarden & Sundararajan: optimal for every belief and every monotone loss.
    rng = random.Random(10 * n + ratio)
    universe = Integers(0, n)
    cone = row_cone(f"dp(ratio={ratio})", universe)
    for name in ("absolute", "squared", "zero-one"):
        loss = [[LOSSES[name](i, o) for i in range(n + 1)] for o in range(n + 1)]
        for _ in range(4):
            belief = random_belief(rng, universe)
            found = design(cone, name, belief=belief, outputs=range(n + 1))
            assert found.loss == bayes(geometric(n, ratio), belief, loss)


def extremes(cone):
    """The mechanisms that are no mixture of others: vertices of {c >= 0: sum_r c_r r = 1}."""
    rays = cone.rays
    equal = [(*(ray[d] for ray in rays), -1) for d in range(cone.dimension)]
    for *weights, last in Cone.from_inequalities(units(len(rays) + 1), equalities=equal).rays:
        pairs = zip(weights, rays, strict=True)
        yield [[Fraction(w * entry, last) for entry in ray] for w, ray in pairs if w]


def test_expected_loss_is_the_best_extreme_mechanism_after_bayes():
    rng = random.Random(5)
    cone = row_cone("dp(ratio=3)", "bits(2)")
    mechanisms = list(extremes(cone.cone))
    used = set()
    for _ in range(25):
        belief = random_belief(rng, cone.universe)
        loss = [[rng.randint(0, 4) for _ in range(4)] for _ in range(3)]
        losses = [bayes(rows, belief, loss) for rows in mechanisms]
        found = design(cone, loss, outputs=("a", "b", "c"), belief=belief)
        assert found.loss == min(losses)
        used |= {i for i, value in enumerate(losses) if value == min(losses) < max(losses)}
    assert len(used) > 1


@pytest.mark.parametrize("name", ["absolute", "squared", "zero-one"])
@pytest.mark.parametrize("bits", [1, 2])
def test_worst_case_is_the_expected_loss_of_the_least_favourable_belief(name, bits):
    cone = row_cone("dp(ratio=3)", f"bits({bits})")
    worst = design(cone, name, statistic="count")
    again = design(cone, name, statistic="count", belief=worst.belief).loss
    assert worst.bound <= again <= worst.loss <= again * (1 + Fraction(1, 10**5))
    assert again == worst.loss or name == "squared"
    rng = random.Random(bits)
    for _ in range(5):
        other = design(cone, name, statistic="count", belief=random_belief(rng, cone.universe))
        assert other.bound == other.loss <= worst.loss
    for x in cone.universe:
        law = worst.mechanism.distribution(x)
        assert sum(p * LOSSES[name](sum(x), o) for o, p in law.items()) <= worst.loss
    assert check(worst.mechanism, "dp(ratio=3)").holds


@pytest.mark.parametrize(
    ("bits", "statistic", "loss", "belief", "strict", "relaxed"),
    [
        (2, "count", "absolute", "uniform", "7/16", "5/12"),
        (2, "count", "absolute", None, "1/2", "3/7"),
        (2, "parity", "zero-one", "uniform", "3/8", "1/4"),
        (2, None, "zero-one", "uniform", "7/16", "7/16"),
        (3, "count", "absolute", "uniform", "35/64", "11/24"),
        (3, "parity", "zero-one", None, "7/16", "1/4"),
        (3, None, "zero-one", None, "37/64", "37/64"),
    ],
)
def test_what_relaxing_randomized_response_saves(bits, statistic, loss, belief, strict, relaxed):
    survey = row_cone(f"randomized-response(bits={bits}, keep=3/4)")
    private = row_cone("dp(ratio=3)", f"bits({bits})")
    found = saving(survey, private, loss, statistic=statistic, belief=belief)
    assert [found.data[name].loss for name in ("strict", "relaxed")] == [
        Fraction(strict),
        Fraction(relaxed),
    ]
    assert found.data["saved"] == Fraction(strict) - Fraction(relaxed)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (2, 3, "falls from 4/7 (0.571429) under # to 3/7 (0.428571) under #, by 1/7 (0.142857)."),
        (3, 2, "rises from 3/7 (0.428571) under # to 4/7 (0.571429) under #, by 1/7 (0.142857)."),
        (2, 2, "stays as it is: 4/7 (0.571429) under # and 4/7 (0.571429) under #."),
    ],
)  # fmt: skip
def test_which_way_the_loss_goes(first, second, said):
    cones = (row_cone(f"dp(ratio={ratio})", "bits(2)") for ratio in (first, second))
    found = saving(*cones, "absolute", statistic="count")
    headline = re.sub(r"dp\(ratio=.\)", "#", found.answer().headline)
    assert headline.endswith(f"the least loss {said}")


# --- any numbers as answers under squared loss ----------------------------------------------------


def brute_squared(rays, belief, truths):
    """The least expected squared loss: the best extreme mechanism, answered by posterior means."""

    def variance(ray):
        mass = [b * r for b, r in zip(belief, ray, strict=True)]
        first = sum(m * t for m, t in zip(mass, truths, strict=True))
        second = sum(m * t * t for m, t in zip(mass, truths, strict=True))
        return second - Fraction(first**2, sum(mass)) if any(mass) else Fraction(0)

    return min(sum(map(variance, rows)) for rows in extremes(Cone.from_rays(rays)))


def path_rays(n, ratio):
    """The extreme rows of differential privacy on 0, ..., n: each step multiplies or divides."""
    rows = []
    for steps in product((Fraction(ratio), Fraction(1, ratio)), repeat=n):
        row = [Fraction(1)]
        for step in steps:
            row.append(row[-1] * step)
        rows.append([int(entry * ratio.numerator**n * ratio.denominator**n) for entry in row])
    return rows


@pytest.mark.parametrize("seed", range(3))
def test_no_mechanism_answers_with_less_squared_loss_and_the_designed_one_has_no_more(seed):
    rng = random.Random(seed)
    n, ratio = rng.randint(1, 3), Fraction(rng.randint(5, 16), 4)
    universe = Integers(0, n)
    private = row_cone(f"dp(ratio={ratio})", universe)
    rays = path_rays(n, ratio)
    belief = random_belief(rng, universe)
    found = design(private, "squared", belief=belief)
    assert (
        found.loss == found.bound == brute_squared(rays, [belief[x] for x in universe], [*universe])
    )
    worst = design(private, "squared")
    assert worst.bound <= brute_squared(rays, [worst.belief[x] for x in universe], [*universe])
    assert found.loss <= worst.loss <= worst.bound * (1 + Fraction(1, 10**4))
    for best, criterion in ((found, "expected"), (worst, "worst")):
        losses = {
            x: sum(p * (x - a) ** 2 for a, p in best.mechanism.distribution(x).items())
            for x in universe
        }
        reached = (
            max(losses.values())
            if criterion == "worst"
            else sum(belief[x] * loss for x, loss in losses.items())
        )
        assert (best.criterion, best.loss) == (criterion, reached)
        assert check(best.mechanism, f"dp(ratio={ratio})").holds
        text = best.explain()
        assert "that answers" not in text
        assert (f"has less than {show(best.bound, side='down')}" in text) == (not best.exact)


@pytest.mark.parametrize("belief", ["uniform", None])
def test_the_certificate_of_a_squared_loss_breaks_when_tampered(belief):
    found = design(row_cone("dp(ratio=2)", "bits(2)"), "squared", statistic="count", belief=belief)
    data = json.loads(json.dumps(found.to_dict()["certificate"]))
    assert data["kind"] == "least-squared-loss"
    assert verify(data)
    assert not verify({**data, "value": "1/3"})
    assert not verify({**data, "bound": 1})
    assert not verify({**data, "prices": [1] * 4})
    assert not verify({**data, "belief": [1, 1, 1, 1]})
    assert not verify({**data, "truths": [9, 1, 1, 0]})
    assert not verify({**data, "answers": [0] * len(data["answers"])})
    exact = [[int(sum(x) == o) for x in BitStrings(2)] for o in (0, 1, 2)]
    assert not verify({**data, "matrix": exact, "answers": [0, 1, 2], "value": 0})
    fewer = {"tangents": data["tangents"][:1], "multipliers": data["multipliers"][:2]}
    assert not verify({**data, **fewer})
    with pytest.raises(InvalidInput, match="increasing"):
        verify({**data, "tangents": data["tangents"][::-1]})


# --- extreme mechanisms ---------------------------------------------------------------------------


def test_the_four_extreme_mechanisms_of_two_bits():
    # R3: randomized response, noisy parity, and two truncated geometrics of a count.
    found = [set(map(tuple, rows)) for rows in extremes(row_cone("dp(ratio=3)", "bits(2)").cone)]
    assert len(found) == 4
    for text in (
        "randomized-response(bits=2, keep=3/4)",
        "noisy-parity(bits=2, keep=3/4)",
        "truncated-geometric(ratio=3, bits=2)",
    ):
        assert {tuple(row) for row in mechanism(text).table().rows} in found


# --- certificates and bad input -------------------------------------------------------------------


@pytest.mark.parametrize("belief", ["uniform", None])
def test_the_certificate_survives_json_and_breaks_when_tampered(belief):
    found = design(row_cone("dp(ratio=2)", "bits(2)"), "absolute", statistic="count", belief=belief)
    data = json.loads(json.dumps(found.to_dict()["certificate"]))
    assert verify(data)
    assert not verify({**data, "value": "1/3"})
    assert not verify({**data, "prices": [0] * 4})
    assert not verify({**data, "belief": [1, 0, 0, 0]})
    assert not verify({**data, "belief": [1, 1, 1, 1]})
    assert not verify({**data, "matrix": [[1] * 4, [0] * 4, [0] * 4]})  # private, not the best
    assert not verify(
        {
            **data,
            "multipliers": [[-abs(Fraction(w)) - 1 for w in row] for row in data["multipliers"]],
        }
    )
    exact = [[int(sum(x) == o) for x in BitStrings(2)] for o in (0, 1, 2)]
    assert not verify({**data, "matrix": exact})  # better, not private
    with pytest.raises(InvalidInput, match="one row per output"):
        verify({**data, "loss": data["loss"][:2]})


def test_rejects_bad_input():
    cone = row_cone("dp(ratio=2)", "bits(2)")
    with pytest.raises(UnknownName, match="absolute"):
        design(cone, "absolut", statistic="count")
    with pytest.raises(InvalidInput, match="name a statistic that is a number"):
        design(cone, "absolute")
    with pytest.raises(InvalidInput, match="4 rows, one per output, of 4 numbers"):
        design(cone, [[1, 2]])
    with pytest.raises(InvalidInput, match="no outputs"):
        design(cone, outputs=())
    with pytest.raises(InvalidInput, match="the belief is about"):
        design(cone, belief=Belief(BitStrings(1), {(1,): Fraction(1)}))
    loose = RowCone(cone.universe, cone.cone, cone.source, approximation="products only")
    with pytest.raises(Unsupported, match="might break the guarantee"):
        design(loose)
    one_sided = RowCone(BitStrings(1), Cone.from_inequalities([[-1, 0], [0, 1]]), "never on 1")
    with pytest.raises(InvalidInput, match="no mechanism has all its rows"):
        design(one_sided)
    with pytest.raises(TooLarge, match=r"entries.*use at most 173 outputs"):
        design(row_cone("dp(ratio=2)", "bits(6)"), outputs=range(500))


@pytest.mark.parametrize(
    ("universe", "statistic", "loss"),
    [
        ("integers(0, 3)", None, "absolute"),
        ("bits(1)", "count", "absolute"),
        ("bits(1)", None, "zero-one"),
    ],
)
def test_python_and_the_command_line_choose_the_same_loss(universe, statistic, loss):
    asked = {"statistic": statistic, "belief": "uniform"}
    cone = row_cone("dp(ratio=2)", universe=universe)
    losses = {
        design(cone, **asked).loss,
        design(cone, loss, **asked).loss,
        ask("design", "dp(ratio=2)", universe=universe, **asked).loss,
    }
    assert len(losses) == 1


def test_the_worst_case_of_a_squared_loss_is_refused_at_once_for_large_counts() -> None:
    with pytest.raises(TooLarge, match=r"integers\(0, 64\) or less, or name a belief"):
        design(row_cone("dp(ratio=2)", "integers(0, 200)"), "squared")
