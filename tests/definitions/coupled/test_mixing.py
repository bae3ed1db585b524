"""Conclusions under all mixtures: no mixture lies beyond the ends, and one attains the lower."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest

from twoworlds import mechanism
from twoworlds.definitions.catalogue import definition
from twoworlds.definitions.coupled.best import MixedConclusions
from twoworlds.definitions.coupled.measures import ByConclusions
from twoworlds.definitions.coupled.mixing import tables, worst_mixture
from twoworlds.definitions.coupled.posteriors import against_simulator
from twoworlds.definitions.coupled.scene import Simulator, scene
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.numbers import INFINITY
from twoworlds.worlds.joint import BeliefClass, Joint
from twoworlds.worlds.scrubbing import persons

F = Fraction
STEPS = 16


def random_law(rng, outcomes):
    weights = [rng.choice([0, 1, 2, 5]) for _ in outcomes]
    weights[rng.randrange(len(weights))] += 1
    return {t: F(w, sum(weights)) for t, w in zip(outcomes, weights, strict=True) if w}


def random_worlds(rng, beliefs, sides):
    databases = list(product((0, 1), repeat=2))
    laws = {x: random_law(rng, "abc") for x in databases}
    side = (lambda x: x[1]) if sides else None
    members = tuple(Joint.of(random_law(rng, databases), side) for _ in range(beliefs))
    beliefs = BeliefClass(members, "random").with_mixtures()
    found = scene(lambda x: laws[x], beliefs, persons(2))
    return found, Simulator.table({y: random_law(rng, "abc") for y in found.inputs})


def delta_of(found, simulator, weights, ratio):
    """Measure one mixture straight from the definition."""
    mixed = BeliefClass((Joint.mixture(found.beliefs.members, weights),), "one mixture")
    alone = scene(found.release, mixed, found.scrubs)
    groups = against_simulator(alone, simulator)
    return ByConclusions(alone, groups, simulator).at_ratio(ratio).delta


def grid(beliefs):
    for parts in product(range(STEPS + 1), repeat=beliefs - 1):
        if sum(parts) <= STEPS:
            yield [F(part, STEPS) for part in (*parts, STEPS - sum(parts))]


@pytest.mark.parametrize(("beliefs", "sides"), [(2, False), (2, True), (3, False)])
@pytest.mark.parametrize("seed", range(4))
def test_no_mixture_lies_beyond_the_ends(seed, beliefs, sides):
    rng = random.Random(seed)
    found, simulator = random_worlds(rng, beliefs, sides)
    ratio = rng.choice([F(1), F(3, 2), F(3)])
    lower, upper, weights = worst_mixture(tables(found, simulator), ratio, ratio)
    assert delta_of(found, simulator, weights, ratio) == lower <= upper
    assert upper - lower <= F(1, 50)
    for mixture in list(grid(beliefs))[:: 1 if beliefs == 2 else 5]:
        assert delta_of(found, simulator, mixture, ratio) <= upper


def test_beliefs_that_are_sure_hold_and_their_mixture_does_not():
    published = mechanism("exact(sum, universe=bits(2))")
    sure = "explicit(00=1), explicit(10=1)"
    apart = definition(f"inference-ddp([{sure}], simulator=coin, ratio=2)")
    together = definition(f"inference-ddp(hull({sure}), simulator=coin, ratio=2)")
    assert apart.tightest(published).delta == 0
    found = together.tightest(published)
    assert found.delta == F(1, 2)
    assert found.witness.verify()
    assert any("the mixture of" in note for note in found.notes)


def test_the_best_simulator_against_all_mixtures_is_enclosed():
    claim = "inference-ddp(hull(explicit(000=1), explicit(100=1)), ratio=3/2)"
    found = definition(claim).tightest(mechanism("exact(sum, universe=bits(3))"))
    assert found.delta == F(1, 2)
    assert found.witness.verify()


def test_a_claim_about_all_mixtures_is_decided():
    asked = "inference-ddp(hull(uniform, independent(1/3)), simulator=canonical, ratio=2, delta={})"
    published = mechanism("exact(sum, universe=bits(3))")
    assert definition(asked.format("1/2")).check(published).holds
    assert definition(asked.format("1/100")).check(published).holds is False


def test_the_smallest_ratio_for_all_mixtures_lies_between_ratios_that_fail_and_hold():
    rng = random.Random(7)
    databases = list(product((0, 1), repeat=2))
    laws = {x: {"a": F(1 + sum(x), 4), "b": F(3 - sum(x), 4)} for x in databases}
    members = tuple(
        Joint.of({x: F(w, 10) for x, w in zip(databases, weights, strict=True)})
        for weights in ((1, 2, 3, 4), (4, 3, 2, 1))
    )
    beliefs = BeliefClass(members, "two beliefs").with_mixtures()
    found = scene(lambda x: laws[x], beliefs, persons(2))
    simulator = Simulator.of(lambda y: {"a": F(1 + y[0], 3), "b": F(2 - y[0], 3)})
    answer = MixedConclusions(found, simulator).at_delta(F(1, 10))
    for _ in range(10):
        share = F(rng.randint(0, 20), 20)
        high = delta_of(found, simulator, [share, 1 - share], F(float(answer.ratio)) + F(1, 1000))
        assert high <= F(1, 10)


def test_bad_questions_about_mixtures_say_what_to_do():
    found, simulator = random_worlds(random.Random(0), 2, sides=False)
    with pytest.raises(InvalidInput, match="finite ratio"):
        MixedConclusions(found, simulator).at_ratio(INFINITY)
    values = range(7)
    wide = Joint.of({(v,): F(1, 7) for v in values})
    many = scene(lambda x: x[0], BeliefClass((wide,), "wide").with_mixtures(), persons(1))
    with pytest.raises(Unsupported, match="at most 6 values"):
        tables(many, Simulator.of(lambda _: 0))
