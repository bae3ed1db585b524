"""The best simulator for inferences: reference cases, grids of columns, labelled bounds."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import pytest

from tests.definitions.coupled.test_optimal import fair, random_law, random_scene, sum_of_three
from twoworlds.definitions.coupled._column import CellPosterior, inner, least_inner, lower_bound
from twoworlds.definitions.coupled.inference_optimal import OUTSIDE, inference_optimum, situations
from twoworlds.definitions.coupled.scene import Release, Simulator, canonical, coin, scene
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.numbers import INFINITY, number
from twoworlds.worlds.joint import BeliefClass, Joint
from twoworlds.worlds.scrubbing import Scrub, persons

F = Fraction


def hidden_mean(n, keep):
    masses = {}
    for mean, x in product((1, -1), product((1, -1), repeat=n)):
        p = F(1, 2)
        for entry in x:
            p *= keep if entry == mean else 1 - keep
        masses[x] = masses.get(x, F(0)) + p
    return masses


def majority_of_five():
    belief = BeliefClass((Joint.of(hidden_mean(5, F(9, 10))),), "the mean is +1 or -1")
    return scene(lambda x: 1 if sum(x) >= 0 else -1, belief, persons(5))


def delta_of(found, simulator, ratio):
    """Measure a simulator straight from the definition."""
    levels = {}
    for cell in found.cells:
        simulated = cell.simulated(simulator)
        for t in found.outputs:
            real = {v: cell.real[v].get(t, F(0)) for v in cell.mass}
            ideal = {v: simulated[v].get(t, F(0)) for v in cell.mass}
            p, q = sum(real.values()), sum(ideal.values())
            if p == 0:
                continue
            gap = F(2)
            if q:
                gap = max(
                    sum(max(F(0), real[v] / p - ratio * ideal[v] / q) for v in real),
                    sum(max(F(0), ideal[v] / q - ratio * real[v] / p) for v in real),
                )
            key = (cell.belief, t, cell.side)
            old = levels.get(key, (F(0), F(0)))[1]
            levels[key] = (p * cell.weight, max(old, gap))
    best = F(1)
    for c in {F(0), *(gap for _, gap in levels.values())}:
        failing = {}
        for (belief, _, _), (p, gap) in levels.items():
            if gap > c:
                failing[belief] = failing.get(belief, F(0)) + p
        best = min(best, max([c, *failing.values()]))
    return best


def test_q05_majority_of_five():
    best = inference_optimum(majority_of_five(), 1)
    assert float(best.delta) == pytest.approx(0.0020219110301695764, abs=1e-6)
    assert set(best.inner) == {1, -1}
    assert best.exact
    assert best.verify()
    for bound in best.inner.values():
        assert float(bound) == pytest.approx(0.0020219110301695764, abs=1e-6)


def test_q02_no_simulator_beats_adding_a_coin():
    found = sum_of_three()
    best = inference_optimum(found, F(3, 2))
    assert best.delta == F(1, 4)
    assert delta_of(found, canonical(found.release), F(3, 2)) == F(1, 4)


def test_known_parity_is_inferred_from_nothing_new():
    found = scene("parity(bits=2)", fair(2, lambda x: sum(x) % 2), persons(2))
    best = inference_optimum(found, 1)
    assert best.delta == 0
    assert best.proofs == ()


def test_e04_a_constant_scrubbed_database_leaves_the_prior():
    # P(1) = 1/4; output 0 has probability 31/100 under 0 and none under 1.
    belief = BeliefClass((Joint.of({0: F(3, 4), 1: F(1, 4)}),), "one in four")
    alone = Scrub("the bit", lambda x: x, lambda x: "nothing left")
    laws = {0: {"t0": F(31, 100), "rest": F(69, 100)}, 1: {"rest": F(1)}}
    found = scene(lambda x: laws[x], belief, [alone])
    best = inference_optimum(found, 30)
    # The posterior after t0 gives 1 no chance, the prior 1/4: t0, with 93/400, is given up.
    assert best.delta == F(93, 400)


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("ratio", [F(1), F(6, 5)])
def test_columns_beat_a_grid_of_columns(seed, ratio):
    found = random_scene(random.Random(seed), people=2, outputs=2, least=1)
    for situation in situations(found):
        lower, upper, sigma, tests = least_inner(situation.views, ratio)
        grid = [
            max(inner(view, {0: F(k, 200), 1: F(200 - k, 200)}, ratio) for view in situation.views)
            for k in range(201)
        ]
        assert lower_bound(situation.views, tests, ratio) == lower
        assert lower <= min(grid) <= upper + F(1, 50)
        assert max(inner(v, sigma, ratio) for v in situation.views) == upper
        assert upper - lower <= upper / 2**64


def test_views_of_different_scale_need_a_quotient():
    # In the first view only y=0 counts much, in the second only y=1: their sizes cannot be tied.
    first = CellPosterior(
        0, {"a": F(1, 3), "b": F(2, 3)}, {"a": {0: F(1, 2)}, "b": {0: F(1, 4), 1: F(1, 4)}}
    )
    second = CellPosterior(
        1, {"a": F(1, 2), "b": F(1, 2)}, {"a": {0: F(1, 8), 1: F(3, 8)}, "b": {1: F(1, 2)}}
    )
    lower, upper, _, _ = least_inner([first, second], F(1))
    assert 0 < lower <= upper
    grid = min(
        max(inner(view, {0: F(k, 1000), 1: F(1000 - k, 1000)}, F(1)) for view in (first, second))
        for k in range(1001)
    )
    assert lower <= grid <= upper + F(1, 200)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "case",
    [
        {"people": 2, "outputs": 3},
        {"people": 3, "outputs": 2, "sides": True},
        {"people": 2, "outputs": 3, "beliefs": 2},
        {"people": 3, "outputs": 3, "tagged": True},
    ],
)
def test_bounds_hold_and_no_other_simulator_is_better(case):
    rng = random.Random(0)
    found = random_scene(rng, **case)
    best = inference_optimum(found, F(11, 10))
    assert best.verify()
    assert delta_of(found, best.simulator, F(11, 10)) == best.upper >= best.lower
    assert best.outside == any(OUTSIDE in best.simulator(y) for y in found.inputs)
    others = [coin(found.outputs)]
    for _ in range(8):
        laws = {y: random_law(rng, [*found.outputs, OUTSIDE]) for y in found.inputs}
        others.append(Simulator.table(laws))
    assert min(delta_of(found, other, F(11, 10)) for other in others) >= best.lower


def by_all_choices(found, ratio):
    """Try every family of sets that are served together."""
    everywhere = situations(found)
    numbers = {}
    for k, situation in enumerate(everywhere):
        numbers.setdefault(situation.output, []).append(k)
    options = []
    for some in numbers.values():
        sets = [s for size in range(len(some) + 1) for s in combinations(some, size)]
        levels = {
            s: least_inner([v for k in s for v in everywhere[k].views], ratio)[1] for s in sets if s
        }
        options.append([(s, levels.get(s, F(0))) for s in sets])
    best = F(1)
    for family in product(*options):
        bad = {}
        served = {k for s, _ in family for k in s}
        for k, situation in enumerate(everywhere):
            if k not in served:
                bad[situation.belief] = bad.get(situation.belief, F(0)) + situation.chance
        best = min(best, max([level for _, level in family] + list(bad.values())))
    return best


@pytest.mark.parametrize("case", [{"sides": True}, {"beliefs": 2}])
def test_what_is_given_up_is_enclosed_by_the_bounds(case):
    found = random_scene(random.Random(1), people=2, outputs=2, **case)
    best = inference_optimum(found, F(11, 10))
    assert best.lower <= by_all_choices(found, F(11, 10)) <= best.upper + F(1, 2**60)
    assert best.exact or "between" in best.sentence


def test_one_belief_and_one_side_per_output_are_exact_or_tight():
    for seed in range(2):
        found = random_scene(random.Random(seed), people=3, outputs=3)
        best = inference_optimum(found, F(1))
        assert best.upper - best.lower <= best.upper / 2**60


@pytest.mark.parametrize("seed", range(6))
def test_one_belief_with_several_sides_is_exact_or_tight(seed):
    rng = random.Random(seed)
    databases = list(product((0, 1), repeat=2))
    laws = {x: random_law(rng, range(2), least=1) for x in databases}
    belief = Joint.of(
        random_law(rng, databases, least=1), lambda x: {"a": F(1 + x[0], 3), "b": F(2 - x[0], 3)}
    )
    found = scene(lambda x: laws[x], BeliefClass((belief,), "one belief"), persons(2, tagged=True))
    best = inference_optimum(found, 1)
    assert best.upper - best.lower <= F(1, 1 << 50)
    assert best.verify()
    assert delta_of(found, best.simulator, F(1)) == best.upper
    assert best.lower <= by_all_choices(found, F(1)) <= best.upper + F(1, 1 << 50)


def test_an_irrational_ratio_is_enclosed():
    best = inference_optimum(majority_of_five(), "e^0.001")
    assert not best.exact
    assert 0 < best.lower < best.upper < F(66339, 32810000)
    assert best.upper - best.lower < F(1, 2**60)
    assert best.verify()


def test_a_changed_answer_does_not_verify():
    best = inference_optimum(majority_of_five(), 1)
    assert not replace(best, lower=2 * best.lower).verify()
    assert not replace(best, upper=best.upper / 2).verify()
    proof = best.proofs[0]._replace(bound=best.proofs[0].bound / 2)
    assert not replace(best, proofs=(proof, *best.proofs[1:])).verify()


def test_it_is_said_in_words_and_as_data():
    best = inference_optimum(majority_of_five(), 1)
    assert "outside the range" in best.explain()
    data = json.loads(json.dumps(best.to_dict()))
    assert data["exact"] is True
    assert data["outside"] is best.outside
    assert len(data["proofs"]) == 2
    assert len(list(best.tested())) == 2


def test_bad_input_is_refused():
    with pytest.raises(InvalidInput, match="at least 1"):
        inference_optimum(sum_of_three(), F(1, 2))
    with pytest.raises(InvalidInput, match="finite"):
        inference_optimum(sum_of_three(), INFINITY)
    keep = number("e^0.5") / (1 + number("e^0.5"))
    release = Release("noisy", lambda x: {x[0]: keep, 1 - x[0]: 1 - keep})
    with pytest.raises(Unsupported, match="irrational"):
        inference_optimum(scene(release, fair(2), persons(2)), 1)
