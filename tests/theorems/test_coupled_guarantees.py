"""Guarantees computed with the best simulator, and all that the graph concludes from them."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theorems import coupled as brute
from twoworlds.definitions.coupled.operations import Coupled
from twoworlds.definitions.coupled.optimal import optimal
from twoworlds.numbers import bounds
from twoworlds.theorems import Guarantee

RATIOS = st.fractions(Fraction(11, 10), 2, max_denominator=10)


def best(world, ratio):
    """Return the world with its best simulator at a ratio, and the delta of that."""
    found = optimal(world.scene, ratio)
    return Coupled(world.release, found.simulator, world.beliefs, world.scrubs), found.delta


def satisfies(world, guarantee):
    """Tell whether a world satisfies what is concluded, by the letter of the definition."""
    delta = bounds(guarantee.delta)[1]
    match guarantee.kind:
        case "ddp" | "coupled-worlds":
            return brute.coupled_delta(world, guarantee.ratio) <= delta
        case "inference-ddp" | "inference-coupled-worlds":
            return brute.inference_failure(world, guarantee.ratio, delta) <= delta
        case "noiseless" | "pufferfish":
            return brute.noiseless_delta(world, guarantee.ratio) <= delta
        case "inference-pufferfish":
            return brute.pufferfish_failure(world, guarantee.ratio, delta) <= delta
    raise AssertionError(guarantee.kind)


def conclusions(given, kinds):
    return [one for kind in kinds for one in given.implies(kind, decided="yes").conclusions]


@settings(max_examples=10)
@given(brute.worlds(members=2), RATIOS)
def test_all_that_follows_from_the_best_simulator_holds(world, ratio):
    world, delta = best(world, ratio)
    given = Guarantee.of("ddp", ratio=ratio, delta=delta, records=2)
    kinds = ["ddp", "coupled-worlds", "inference-ddp", "inference-coupled-worlds"]
    found = conclusions(given, kinds)
    assert {one.kind for one in found} >= {"ddp", "coupled-worlds"}
    assert all(satisfies(world, one) for one in found)


@settings(max_examples=10)
@given(brute.worlds(independent=True), RATIOS)
def test_all_that_follows_for_independent_records_holds(world, ratio):
    world, delta = best(world, ratio)
    given = Guarantee.of("independent-ddp", ratio=ratio, delta=delta, records=2)
    kinds = ["ddp", "noiseless", "pufferfish", "inference-pufferfish"]
    assert all(satisfies(world, one) for one in conclusions(given, kinds))


@settings(max_examples=10)
@given(brute.worlds(), RATIOS)
def test_all_that_follows_from_noiseless_privacy_holds(world, ratio):
    delta = brute.noiseless_delta(world, ratio)
    given = Guarantee.of("noiseless", ratio=ratio, delta=delta, records=2)
    found = conclusions(given, ["noiseless", "pufferfish", "inference-pufferfish"])
    assert all(satisfies(world, one) for one in found)
