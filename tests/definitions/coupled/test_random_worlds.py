"""The seven definitions against their literal texts, on small random worlds."""

from fractions import Fraction
from itertools import product

import pytest

from tests.definitions.coupled.brute import World, both_ways, smallest
from twoworlds.definitions.coupled import (
    CoupledWorlds,
    InferenceCoupledWorlds,
    InferencePufferfish,
    Pufferfish,
)
from twoworlds.definitions.coupled.measures import ByEvents, two_values
from twoworlds.definitions.coupled.scene import scene
from twoworlds.numbers import INFINITY

SEEDS = range(25)
RATIOS = [Fraction(1), Fraction(4, 3), Fraction(3)]
TINY = Fraction(1, 10**9)


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_coupled_worlds_is_the_worst_of_all_events(seed):
    world = World.random(seed)
    release, beliefs, pairs, simulator = world.objects()
    for ratio in RATIOS:
        expected = max(both_ways(p, q, ratio) for p, q in world.real_and_ideal())
        asked = CoupledWorlds(beliefs, pairs, simulator=simulator, ratio=ratio)
        found = asked.tightest(release)
        assert found.delta == expected
        assert found.witness.verify()
        if expected:
            assert found.witness.excess(ratio) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_the_smallest_ratio_holds_and_no_smaller_one(seed):
    world = World.random(seed)
    release, beliefs, pairs, simulator = world.objects()
    for delta in (0, Fraction(1, 10), Fraction(1, 3)):
        asked = CoupledWorlds(beliefs, pairs, simulator=simulator, delta=delta)
        ratio = asked.tightest(release).ratio
        worlds = list(world.real_and_ideal())
        if ratio == INFINITY:
            assert max(both_ways(p, q, 10**9) for p, q in worlds) > delta
            continue
        assert max(both_ways(p, q, ratio) for p, q in worlds) <= delta
        if ratio > 1:
            assert max(both_ways(p, q, max(1, ratio - TINY)) for p, q in worlds) > delta


@pytest.mark.parametrize("seed", SEEDS)
def test_two_values_are_compared_where_both_are_possible(seed):
    world = World.random(seed, privs=(0, 1, 2))
    release, beliefs, pairs, _ = world.objects()
    made = scene(release, beliefs, pairs)
    for ratio in RATIOS:
        expected = max((both_ways(p, q, ratio) for p, q in world.two_values()), default=0)
        assert ByEvents(made, two_values(made)).at_ratio(ratio).delta == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_pufferfish_compares_true_with_false(seed):
    world = World.random(seed, privs=(0, 1, None))
    release, beliefs, _, _ = world.objects()
    secrets = [priv.__getitem__ for priv, _ in world.pairs]
    for ratio in RATIOS:
        expected = max((both_ways(p, q, ratio) for p, q in world.two_values((0, 1))), default=0)
        assert Pufferfish(beliefs, secrets, ratio=ratio).tightest(release).delta == expected


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_inference_based_delta_is_the_smallest_that_satisfies_the_text(seed):
    world = World.random(seed)
    release, beliefs, pairs, simulator = world.objects()
    for ratio in RATIOS:
        inner = [
            world.inner(joint, priv, alt, t, z, ratio)
            for joint in world.joints
            for priv, alt in world.pairs
            for t, z in product("abc", "uv")
            if any(w == z and world.release[x].get(t) for x, w in joint)
        ]
        tails = [world.failures(joint, ratio, c) for joint in world.joints for c in [0, *inner]]

        def holds(delta, ratio=ratio):
            return all(world.failures(joint, ratio, delta) <= delta for joint in world.joints)

        candidates = [c for c in [Fraction(0), Fraction(1), *inner, *tails] if c <= 1]
        expected = smallest(candidates, holds)
        asked = InferenceCoupledWorlds(beliefs, pairs, simulator=simulator, ratio=ratio)
        found = asked.tightest(release)
        assert found.delta == expected
        assert expected == 0 or not holds(expected - TINY)
        assert found.witness.verify()
        assert found.witness.failure >= expected


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_inference_based_ratio_is_the_smallest_that_satisfies_the_text(seed):
    world = World.random(seed)
    release, beliefs, pairs, simulator = world.objects()
    for delta in (Fraction(0), Fraction(1, 10), Fraction(1, 3)):
        asked = InferenceCoupledWorlds(beliefs, pairs, simulator=simulator, delta=delta)
        found = asked.tightest(release)

        def holds(ratio, delta=delta):
            return all(world.failures(joint, ratio, delta) <= delta for joint in world.joints)

        if found.ratio == INFINITY:
            assert not holds(Fraction(10**9))
        else:
            assert holds(found.ratio)
            assert found.ratio == 1 or not holds(max(Fraction(1), found.ratio - TINY))
        assert found.witness.verify()


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_inference_based_pufferfish_is_the_smallest_that_satisfies_the_text(seed):
    world = World.random(seed, privs=(0, 1, None))
    release, beliefs, _, _ = world.objects()
    secrets = [priv.__getitem__ for priv, _ in world.pairs]
    for ratio in RATIOS:
        worst = Fraction(0)
        for joint, (priv, _), z in product(world.joints, world.pairs, "uv"):
            given = world.conditional(joint, z)
            if given is None:
                continue
            prior = world.posterior(joint, priv, z, lambda _: 1)
            cases = []
            for t, chance in world.shown(given).items():
                real = world.posterior(joint, priv, z, lambda x, t=t: world.release[x].get(t, 0))
                cases.append((chance, both_ways(real, prior, ratio)))

            def failing(delta, cases=cases):
                return sum(chance for chance, d in cases if d > delta)

            tails = [failing(d) for _, d in cases]
            candidates = [Fraction(0), Fraction(1), failing(0), *tails, *(d for _, d in cases)]
            worst = max(worst, smallest(candidates, lambda d, f=failing: f(d) <= d))
        found = InferencePufferfish(beliefs, secrets, ratio=ratio).tightest(release)
        assert found.delta == worst
        assert found.witness.verify()


def test_the_claim_of_the_smallest_delta_holds_and_no_smaller_one():
    world = World.random(3)
    release, beliefs, pairs, simulator = world.objects()
    for kind in (CoupledWorlds, InferenceCoupledWorlds):
        delta = kind(beliefs, pairs, simulator=simulator, ratio=2).tightest(release).delta
        assert delta > 0
        given = {"simulator": simulator, "ratio": 2}
        assert kind(beliefs, pairs, delta=delta, **given).check(release)
        assert not kind(beliefs, pairs, delta=delta - TINY, **given).check(release)
