"""Theorems 7, 16, 17 and Corollaries 1, 2: definitions that compare two values of a secret."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theorems import coupled as brute
from twoworlds.definitions.coupled.operations import Coupled
from twoworlds.definitions.coupled.scene import Release, Simulator, canonical, coin
from twoworlds.numbers import Order, bounds, exp, sqrt
from twoworlds.theorems import (
    NON_IMPLICATIONS,
    THEOREMS,
    Context,
    Guarantee,
    pufferfish_failure,
    through_simulator,
)
from twoworlds.theorems.formulas import order
from twoworlds.worlds.joint import NOTHING, BeliefClass, Joint
from twoworlds.worlds.scrubbing import persons

RATIOS = st.fractions(1, 3, max_denominator=6)
ZERO, ONE = Fraction(0), Fraction(1)


# Theorem 7 ------------------------------------------------------------------------------------


@given(brute.worlds(), RATIOS, st.fractions(Fraction(1, 10), 2, max_denominator=10))
def test_erratum_17_the_sharper_theorem_7_has_no_inner_delta(world, ratio, more):
    delta = brute.noiseless_delta(world, ratio)
    wider = ratio * (1 + more)
    found = pufferfish_failure(ratio, delta, wider)
    assert brute.pufferfish_failure(world, wider, ZERO) <= found
    if delta:
        assert found == min(1, delta * (1 + 1 / wider) / (1 - ratio / wider))


@given(brute.worlds(), RATIOS)
def test_a_secret_of_two_values_keeps_epsilon_with_the_root_of_delta(world, ratio):
    delta = brute.noiseless_delta(world, ratio)
    most = bounds(sqrt(delta))[1]
    assert brute.pufferfish_failure(world, ratio, most) <= most


@st.composite
def leaning_secrets(draw):
    """Draw a secret of any prior, and outputs of which some give it away."""
    weights = [draw(st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any)) for _ in "01"]
    laws = [{t: Fraction(w, sum(row)) for t, w in enumerate(row) if w} for row in weights]
    prior = draw(st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20))
    belief = Joint({((0,), NOTHING): prior, ((1,), NOTHING): 1 - prior})
    release = Release("drawn", lambda x: laws[x[0]])
    return Coupled(release, coin((0, 1, 2, 3)), BeliefClass((belief,), "a secret"), persons(1))


@given(leaning_secrets(), RATIOS, st.fractions(Fraction(1, 10), 2, max_denominator=10))
def test_theorem_7_holds_for_secrets_that_are_often_given_away(world, ratio, more):
    delta = brute.noiseless_delta(world, ratio)
    most = bounds(sqrt(delta))[1]
    assert brute.pufferfish_failure(world, ratio, most) <= most
    wider = ratio * (1 + more)
    bound = pufferfish_failure(ratio, delta, wider)
    assert brute.pufferfish_failure(world, wider, ZERO) <= bound


@given(
    st.fractions(Fraction(11, 10), 8, max_denominator=10),
    st.fractions(Fraction(1, 10**4), 1, max_denominator=10**4),
)
def test_theorem_7_as_printed_is_true_since_both_forms_here_are_stronger(ratio, delta):
    stated = Guarantee.of("pufferfish", ratio=ratio, delta=delta)
    for name in ("bgks-7", "bgks-7-sharper"):
        context = Context("inference-pufferfish", decided=True)
        made = THEOREMS[name].apply(stated, context)[0]
        printed = THEOREMS["bgks-7"].apply(stated, context)[0].application.printed
        if printed is not None:
            assert made.conclusion.at_least_as_strong_as(printed)


def test_theorem_7_needs_a_secret_that_is_never_undecided():
    stated = Guarantee.parse("pufferfish(ratio=2, delta=0.01)")
    assert "give decided=yes" in stated.implies("inference-pufferfish").explain()
    open_ = stated.implies("inference-pufferfish", decided="no")
    assert open_.best is None
    assert "does not apply" in open_.explain()
    assert stated.implies("inference-pufferfish", values=2).best is None
    found = stated.implies("inference-pufferfish", decided="yes")
    numbers = {(one.ratio, one.delta) for one in found.conclusions}
    assert numbers == {(2, Fraction(1, 10)), (8, Fraction(3, 200))}
    wanted = stated.implies("inference-pufferfish", decided="yes", ratio=4)
    assert wanted.best.delta == Fraction(1, 40)


def test_a_secret_that_may_be_undecided_is_given_away_by_a_parity_that_is_private():
    # Two fair bits; the secret is 0 on 00, 1 on 11, else open. Both have the parity 0.
    bits = list(product((0, 1), repeat=2))
    secret = {(0, 0): 0, (1, 1): 1}
    given_parity = {
        parity: brute.normal(
            {s: Fraction(n) for s in (0, 1, None) if (n := count(bits, secret, parity, s))}
        )
        for parity in (0, 1)
    }
    prior = {0: Fraction(1, 4), 1: Fraction(1, 4), None: Fraction(1, 2)}
    assert given_parity[0] == {0: Fraction(1, 2), 1: Fraction(1, 2)}
    assert all(
        brute.apart(law, prior, Fraction(1)) == Fraction(1, 2) for law in given_parity.values()
    )
    stated = Guarantee.parse("pufferfish(epsilon=0)")
    assert stated.implies("inference-pufferfish(epsilon=0)", values=2).holds is None


def count(bits, secret, parity, value):
    return sum(secret.get(x) == value for x in bits if sum(x) % 2 == parity)


def test_reference_p01_the_posterior_of_a_secret():
    laws = {(0,): {"a": Fraction(3, 5), "b": Fraction(2, 5)}}
    laws[(1,)] = {"a": Fraction(3, 10), "b": Fraction(7, 10)}
    belief = Joint({((0,), NOTHING): Fraction(1, 4), ((1,), NOTHING): Fraction(3, 4)})
    beliefs = BeliefClass((belief,), "one in four")
    world = Coupled(Release("F", laws.__getitem__), coin(("a", "b")), beliefs, persons(1))
    assert brute.noiseless_delta(world, Fraction(3, 2)) == Fraction(3, 20)
    assert brute.pufferfish_failure(world, Fraction(6, 5), Fraction(99, 1000)) > 0
    assert brute.pufferfish_failure(world, Fraction(6, 5), Fraction(1, 10)) == 0


# noiseless => inference-ddp -------------------------------------------------------------------


@given(brute.worlds(), RATIOS)
def test_noiseless_privacy_bounds_conclusions_with_a_simulator_that_does_not_look(world, ratio):
    delta = brute.noiseless_delta(world, ratio)
    blind = Coupled(world.release, coin(world.scene.outputs), world.beliefs, world.scrubs)
    stated = Guarantee.of("noiseless", ratio=ratio, delta=delta, records=2)
    found = THEOREMS["noiseless-inference"].conclude(stated)
    most = bounds(found.delta)[1]
    assert found.ratio == ratio
    assert brute.inference_failure(blind, ratio, most) <= most


# Theorem 16 and the corollaries ---------------------------------------------------------------


def simulated(world):
    """Return the release that runs the simulator on each person's scrubbed database, by person."""
    return [
        Coupled(
            Release("Sim", lambda x, scrub=scrub: world.simulator(scrub.scrubbed(x))),
            world.simulator,
            world.beliefs,
            (scrub,),
        )
        for scrub in world.scrubs
    ]


@given(brute.worlds(members=2), RATIOS, RATIOS)
def test_theorem_16_and_corollary_1_hold(world, ratio, leaning):
    stated = {"ratio": ratio, "delta": brute.coupled_delta(world, ratio)}
    hides = max(brute.noiseless_delta(one, leaning) for one in simulated(world))
    beside = {"ratio": leaning, "delta": hides}
    for kind, other, name in (
        ("ddp", "noiseless", "bgks-corollary-1"),
        ("coupled-worlds", "pufferfish", "bgks-16"),
    ):
        found = through_simulator(Guarantee.of(kind, **stated), Guarantee.of(other, **beside))
        assert found.source.theorem is THEOREMS[name]
        assert found.kind == other
        assert brute.noiseless_delta(world, found.ratio) <= found.delta


def test_theorem_16_is_attained():
    a, b, delta, less = Fraction(3, 2), Fraction(6, 5), Fraction(1, 50), Fraction(1, 100)
    # On one event: 0 in one world, delta in its simulation, b delta + less in the other's.
    alarm = {0: a * (b * delta + less) + delta, 1: ZERO}
    simulation = {0: b * delta + less, 1: delta}
    release = Release("F", lambda x: {"alarm": alarm[x[0]], "none": 1 - alarm[x[0]]})
    told = Simulator.of(lambda y: {"alarm": simulation[y[0]], "none": 1 - simulation[y[0]]})
    belief = Joint({((v, v), NOTHING): Fraction(1, 2) for v in (0, 1)})
    world = Coupled(release, told, BeliefClass((belief,), "both are equal"), persons(2))
    assert world.delta(a) == delta
    assert max(brute.noiseless_delta(one, b) for one in simulated(world)) == less
    found = through_simulator(
        Guarantee.of("ddp", ratio=a, delta=delta), Guarantee.of("noiseless", ratio=b, delta=less)
    )
    assert brute.noiseless_delta(world, found.ratio) == found.delta == alarm[0]


def test_reference_d12():
    given = Guarantee.parse("coupled-worlds(epsilon=0.2, delta=0.01)")
    found = through_simulator(given, Guarantee.parse("pufferfish(epsilon=0.1, delta=0.005)"))
    assert order(found.ratio, exp(Fraction(1, 2))) in (Order.EQUAL, Order.UNDECIDED)
    assert abs(float(found.delta) - 0.0296056018665609) < 1e-15
    other = Guarantee.parse("independent-ddp(epsilon=0.2, delta=0.01)").implies("noiseless").best
    assert abs(float(other.epsilon) - 0.4) < 1e-15
    assert abs(float(other.delta) - 0.0222140275816017) < 1e-15


@given(brute.worlds(independent=True), RATIOS)
def test_erratum_26_corollary_2_holds_for_independent_records(world, ratio):
    delta = brute.coupled_delta(world, ratio)
    stated = Guarantee.of("independent-ddp", ratio=ratio, delta=delta)
    found = THEOREMS["bgks-corollary-2"].conclude(stated)
    assert brute.noiseless_delta(world, found.ratio) <= found.delta


def test_erratum_26_corollary_2_is_attained():
    high = Fraction(1, 20)
    alarm = {0: high, 1: ZERO}
    release = Release("F", lambda x: {"alarm": alarm[x[0]], "none": 1 - alarm[x[0]]})
    simulator = Simulator.of(lambda _: {"alarm": Fraction(1, 50), "none": Fraction(49, 50)})
    belief = Joint({((v,), NOTHING): Fraction(1, 2) for v in (0, 1)})
    world = Coupled(release, simulator, BeliefClass((belief,), "even"), persons(1))
    assert world.delta("3/2") == Fraction(1, 50)
    assert brute.noiseless_delta(world, Fraction(9, 4)) == high
    stated = Guarantee.parse("independent-ddp(ratio=3/2, delta=1/50)")
    assert stated.implies("noiseless(ratio=9/4, delta=1/20)").holds is True
    refuted = stated.implies("noiseless(ratio=9/4, delta=0.0499)")
    assert refuted.holds is False
    assert refuted.refutations[0].of is NON_IMPLICATIONS["bgks-corollary-2-limit"]


@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(3, 2), Fraction(3)])
def test_theorem_17_the_exact_sum_of_independent_records(ratio):
    records = list(product((-1, 0, 1), repeat=4))
    belief = Joint({(x, NOTHING): Fraction(1, len(records)) for x in records})
    total = Release.of(sum)
    beliefs = BeliefClass((belief,), "even")
    world = Coupled(total, canonical(total), beliefs, persons(4)[:1])  # all persons are alike
    stated = Guarantee.of("independent-ddp", ratio=ratio, delta=brute.coupled_delta(world, ratio))
    found = stated.implies("noiseless").best
    assert brute.noiseless_delta(world, found.ratio) <= found.delta


@pytest.mark.parametrize("others", [4, 5, 10])
def test_theorem_17_the_likelier_of_two_laws_with_epsilon_zero(others):
    # One of two coins, 3/4 or 1/4, is thrown by all, fixed but unknown; the likelier one is named.
    def named_first(ones, extra, size):
        return 2 * (ones + extra) >= size

    def chance(extra, size, coin):
        return sum(
            comb(others, k) * coin**k * (1 - coin) ** (others - k)
            for k in range(others + 1)
            if named_first(k, extra, size)
        )

    for thrown in (Fraction(3, 4), Fraction(1, 4)):
        with_one, with_zero = (chance(bit, others + 1, thrown) for bit in (1, 0))
        without = chance(0, others, thrown)  # the canonical simulator
        delta = max(abs(with_one - without), abs(with_zero - without))
        stated = Guarantee.of("independent-ddp", epsilon=0, delta=delta)
        found = stated.implies("noiseless").best
        assert (found.ratio, found.delta) == (1, 2 * delta)
        assert abs(with_one - with_zero) <= found.delta
