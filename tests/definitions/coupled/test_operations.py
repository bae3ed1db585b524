"""Theorems 3 to 6 as operations: the worked cases, random worlds, and what is refused."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theorems import coupled as brute
from twoworlds.definitions.coupled.operations import Coupled, compose, mixtures
from twoworlds.definitions.coupled.optimal import optimal
from twoworlds.definitions.coupled.scene import Release, Simulator, canonical, coin
from twoworlds.errors import InvalidInput
from twoworlds.worlds.belief import uniform
from twoworlds.worlds.joint import NOTHING, BeliefClass, Joint
from twoworlds.worlds.records import BitStrings
from twoworlds.worlds.scrubbing import Scrub, persons

HALF = Fraction(1, 2)
RATIOS = st.fractions(1, 3, max_denominator=6)
TOTAL = Release.of(sum)


def fair(bits, side=None):
    return BeliefClass((Joint.of(uniform(BitStrings(bits)), side),), "the bits are fair coins")


def add_a_coin(y):
    return {sum(y): HALF, sum(y) + 1: HALF}


ADD_COIN = Simulator.of(add_a_coin, "adds a coin")


# Theorem 3 ------------------------------------------------------------------------------------


def test_reference_r01_post_processing_keeps_delta():
    before = Coupled(TOTAL, canonical(TOTAL), fair(3), persons(3))
    after = before.then(lambda t: "hi" if t >= 2 else "lo", "low or high")
    assert (before.delta("3/2"), after.delta("3/2")) == (Fraction(3, 8), Fraction(3, 8))
    assert optimal(after.scene, "3/2").delta == Fraction(1, 8)
    assert after.release.name == "low or high of sum"
    assert after.simulator((1, 1)) == {"hi": 1}


@given(
    brute.worlds(), RATIOS, st.lists(st.fractions(0, 1, max_denominator=4), min_size=5, max_size=5)
)
def test_a_random_map_never_raises_delta(world, ratio, chances):
    after = world.then(lambda t: {"yes": chances[t], "no": 1 - chances[t]})
    assert after.delta(ratio) <= world.delta(ratio)
    assert after.delta(ratio) == brute.coupled_delta(after, ratio)


# Theorem 4 ------------------------------------------------------------------------------------


@given(brute.worlds(members=2), RATIOS, st.fractions(0, 1, max_denominator=10))
def test_mixtures_of_beliefs_with_one_simulator_never_raise_delta(world, ratio, weight):
    mixed = world.mixed([weight, 1 - weight])
    assert mixed.delta(ratio) <= world.delta(ratio)
    assert mixed.delta(ratio) == brute.coupled_delta(mixed, ratio)


def first_record(value):
    """Return the release of X_1, which is sure to be this value, beside a fair bit."""
    belief = Joint({((value, bit), NOTHING): HALF for bit in (0, 1)})
    release = Release("X_1", lambda x: {x[0]: Fraction(1)})
    constant = Simulator.of(lambda _: value, f"says {value}")
    return Coupled(release, constant, BeliefClass((belief,), f"X_1 is {value}"), persons(2))


def test_erratum_15_without_a_common_simulator_the_mixture_is_not_private():
    zero, one = first_record(0), first_record(1)
    assert zero.delta(1) == one.delta(1) == 0
    with pytest.raises(
        InvalidInput, match=r"given 0, the simulators output 0 and 1.*one simulator"
    ):
        mixtures([zero, one])
    both = BeliefClass((*zero.beliefs, *one.beliefs), "X_1 is sure to be something")
    serving = Coupled(zero.release, coin((0, 1)), both, zero.scrubs)
    for ratio in (1, 2, 1000):
        assert serving.mixed([HALF, HALF]).delta(ratio) == HALF
        for chances in product([Fraction(k, 6) for k in range(7)], repeat=2):
            table = {(y,): {1: p, 0: 1 - p} for y, p in enumerate(chances)}
            some = Coupled(zero.release, Simulator.table(table), both, zero.scrubs)
            assert some.mixed([HALF, HALF]).delta(ratio) >= HALF


def test_mixtures_refuse_other_releases_pairs_and_nothing():
    one = first_record(0)
    other = Release("X_2", lambda x: {x[1]: Fraction(1)})
    with pytest.raises(InvalidInput, match="publish different things"):
        mixtures([one, Coupled(other, one.simulator, one.beliefs, one.scrubs)])
    with pytest.raises(InvalidInput, match=r"one part speaks of 2 pairs.*another of 1"):
        mixtures([one, Coupled(one.release, one.simulator, one.beliefs, one.scrubs[:1])])
    with pytest.raises(InvalidInput, match="differ on database"):
        mixtures([one, Coupled(one.release, one.simulator, one.beliefs, one.scrubs[::-1])])
    with pytest.raises(InvalidInput, match="nothing to mix"):
        mixtures([])


# Theorem 5 ------------------------------------------------------------------------------------


def test_reference_r03_less_side_information():
    known = Coupled(TOTAL, ADD_COIN, fair(3, lambda x: x[0]), persons(3))
    noisy = known.knowing_less(lambda z: {z: Fraction(3, 4), 1 - z: Fraction(1, 4)}, "a noisy copy")
    none = known.knowing_less(lambda _: NOTHING, "nothing")
    found = [world.delta("3/2") for world in (known, noisy, none)]
    assert found == [Fraction(1, 4), Fraction(3, 16), Fraction(1, 8)]


@given(
    brute.worlds(), RATIOS, st.lists(st.fractions(0, 1, max_denominator=4), min_size=2, max_size=2)
)
def test_knowing_less_never_raises_delta(world, ratio, chances):
    less = world.knowing_less(lambda z: {0: chances[z], 1: 1 - chances[z]}, "a noisy copy")
    assert less.delta(ratio) <= world.delta(ratio)
    assert less.delta(ratio) == brute.coupled_delta(less, ratio)


# Theorem 6 ------------------------------------------------------------------------------------


def flipped(bit, keep):
    return {bit: keep, 1 - bit: 1 - keep}


def test_reference_l01_composition():
    beliefs, pairs = fair(2), persons(2)
    one = Release("AND", lambda x: flipped(x[0] & x[1], Fraction(3, 4)))
    two = Release("OR", lambda x: flipped(x[0] | x[1], Fraction(2, 3)))
    first = Simulator.of(lambda y: flipped(1, Fraction(3, 8) if y[0] else Fraction(1, 4)))
    second = Simulator.of(lambda y: flipped(y[0], Fraction(2, 3)))
    both = compose(Coupled(one, first, beliefs, pairs), Coupled(two, second, beliefs, pairs))
    found = both.at("6/5", "6/5")
    assert (found.first, found.second) == (Fraction(11, 60), Fraction(11, 60))
    assert (found.delta, found.bound) == (Fraction(137, 1200), Fraction(121, 300))
    assert found.ratio == Fraction(36, 25)
    assert abs(optimal(both.together.scene, "36/25").delta - Fraction("0.0303825136612")) < 1e-12
    assert both.together.release.name == "(AND, OR)"
    assert "the attacker knows the output of AND" in both.second_given_first.beliefs.assumption


@pytest.mark.slow
@settings(max_examples=30)
@given(brute.worlds(members=2), brute.worlds(members=2), RATIOS, RATIOS)
def test_the_bound_of_theorem_6_holds(one, two, first, second):
    two = Coupled(two.release, two.simulator, one.beliefs, one.scrubs)
    both = compose(one, two)
    found = both.at(first, second)
    assert found.delta <= found.bound
    assert found.delta == brute.coupled_delta(both.together, first * second)
    assert found.second == brute.coupled_delta(both.second_given_first, second)


@pytest.mark.slow
@settings(max_examples=30)
@given(brute.worlds(), brute.worlds(), RATIOS, st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_theorem_6_with_a_random_scrub_uses_the_same_draw_for_both_simulators(
    one, two, ratio, weights
):
    def noisy(x):  # the first bit, told wrongly with a chance that depends on the database
        wrong = Fraction(weights[2 * x[0] + x[1]], 8)
        return {(x[0],): 1 - wrong, (1 - x[0],): wrong}

    pairs = (Scrub("the second bit", lambda x: x[1], noisy),)
    one = Coupled(one.release, one.simulator, one.beliefs, pairs)
    two = Coupled(two.release, two.simulator, one.beliefs, pairs)
    both = compose(one, two)
    found = both.at(ratio, ratio)
    assert found.delta <= found.bound
    assert found.first == max(brute.coupled_delta(w, ratio) for w in both.first_given_second)


def test_erratum_16_the_bound_is_attained_so_that_the_sum_of_deltas_is_not_enough():
    # alt(X) is an even pair of different symbols; F and G do not look at it. Sim_F says the one,
    # Sim_G the other, so that (Sim_F, Sim_G) is never equal; F is even, and G leans towards F.
    k, delta_g, ratio_g, ratio_f = 4, Fraction(1, 20), Fraction(6, 5), Fraction(4, 3)
    leaning = ratio_g / k + delta_g
    masses = {}
    for (i, j), f, g in product(product(range(k), repeat=2), range(k), range(k)):
        chance = leaning if f == g else (1 - leaning) / (k - 1)
        if i != j:
            masses[((i, j), f, g), NOTHING] = chance / (k * k * (k - 1))
    beliefs = BeliefClass((Joint(masses),), "G leans towards F")
    pairs = (Scrub("nothing", lambda _: 0, lambda x: x[0]),)
    first = Coupled(
        Release("F", lambda x: {x[1]: Fraction(1)}), Simulator.of(lambda y: y[0]), beliefs, pairs
    )
    second = Coupled(
        Release("G", lambda x: {x[2]: Fraction(1)}), Simulator.of(lambda y: y[1]), beliefs, pairs
    )
    found = compose(first, second).at(ratio_f, ratio_g)
    assert (found.first, found.second) == (Fraction(1, 4), delta_g)
    assert found.delta == found.bound == Fraction(7, 20) > found.first + found.second


def test_composition_refuses_two_settings_and_infinite_ratios():
    one = Coupled(TOTAL, ADD_COIN, fair(2), persons(2))
    with pytest.raises(InvalidInput, match="different beliefs or pairs"):
        compose(one, Coupled(TOTAL, ADD_COIN, fair(2), one.scrubs))
    with pytest.raises(InvalidInput, match="must be finite"):
        compose(one, one).at("inf", 2)
