"""Simulation form and differential privacy, erratum 14, and definitions that are cases."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theorems import brute
from tests.theorems import coupled as worlds
from twoworlds.definitions.coupled.operations import Coupled
from twoworlds.definitions.coupled.scene import Release, Simulator
from twoworlds.theorems import NON_IMPLICATIONS, THEOREMS, Context, Guarantee
from twoworlds.theorems.formulas import there_and_back
from twoworlds.worlds.joint import NOTHING, BeliefClass, Joint
from twoworlds.worlds.scrubbing import persons

RATIOS = st.fractions(1, 3, max_denominator=6)
ONE = Fraction(1)


def as_law(row):
    return {t: p for t, p in enumerate(row) if p}


def simulation_delta(mechanism, simulator, ratio):
    """Return the worst excess of F(x) and Sim(x_-i), both ways, over all databases and persons."""
    return max(
        max(brute.excess(mechanism[x], law, ratio), brute.excess(law, mechanism[x], ratio))
        for x in mechanism
        for i in range(len(x))
        for law in [simulator[(*x[:i], *x[i + 1 :])]]
    )


@given(brute.mechanisms(people=1, values=3), RATIOS, st.integers(0, 2))
def test_dp_can_be_simulated_with_the_same_numbers(mechanism, ratio, inserted):
    simulator = {(): mechanism[(inserted,)]}
    assert simulation_delta(mechanism, simulator, ratio) <= brute.delta_of(mechanism, ratio)
    stated = Guarantee.of("dp", ratio=ratio, delta="1/10")
    context = Context("simulation", tagged=True)
    assert THEOREMS["bgks-dp-simulation"].conclude(stated, context).numbers == stated.numbers


@given(brute.mechanisms(), st.data(), RATIOS)
def test_simulation_is_dp_with_epsilon_doubled(mechanism, data, ratio):
    simulator = {y: data.draw(brute.laws(3, least=1)) for y in product(range(2), repeat=1)}
    delta = simulation_delta(mechanism, simulator, ratio)
    wider, more = there_and_back(ratio, delta)
    assert brute.delta_of(mechanism, wider) <= more


@given(RATIOS, st.fractions(0, Fraction(1, 5), max_denominator=50))
def test_the_numbers_of_the_way_back_are_attained(ratio, delta):
    delta = min(delta, 1 / (ratio + 2))
    high = (1 + ratio) * delta
    mechanism = {(0,): (high, 1 - high), (1,): (Fraction(0), ONE)}
    assert simulation_delta(mechanism, {(): (delta, 1 - delta)}, ratio) <= delta
    for wider in (ratio**2, 100 * ONE):
        assert brute.delta_of(mechanism, wider) == high
    low, top = 1 / (ratio * (ratio + 1)), ratio / (ratio + 1)
    pure = {(0,): (top, 1 - top), (1,): (low, 1 - low)}
    middle = 1 / (ratio + 1)
    assert simulation_delta(pure, {(): (middle, 1 - middle)}, ratio) == 0
    assert brute.delta_of(pure, ratio) == (ratio**2 - ratio) / (ratio * (ratio + 1))


def test_erratum_14_randomized_response_is_simulated_at_half_of_its_price():
    kept = Fraction(3, 4)
    mechanism = {(0,): (kept, 1 - kept), (1,): (1 - kept, kept)}
    assert brute.pure_ratio(mechanism) == 3
    assert simulation_delta(mechanism, {(): (ONE / 2, ONE / 2)}, Fraction(2)) == 0
    for k in range(101):  # and no simulator does with less
        law = (Fraction(k, 100), 1 - Fraction(k, 100))
        assert simulation_delta(mechanism, {(): law}, Fraction(199, 100)) > 0


@pytest.mark.parametrize(("values", "least"), [(2, "3/2"), (10, "5/2"), (1000, "2.99")])
def test_randomized_response_on_many_values_is_hardly_easier_to_simulate(values, least):
    # By symmetry the best simulator is even: its ratio is r m/(r + m - 1), which tends to r = 3.
    told = Fraction(3, 3 + values - 1)
    assert told * values >= Fraction(least)
    assert told / ((1 - told) / (values - 1)) == 3


def test_erratum_14_the_same_numbers_do_not_come_back():
    found = Guarantee.parse("simulation(ratio=2)").implies("dp(ratio=3)")
    assert found.holds is False
    assert found.refutations[0].facts["delta"] == Fraction(1, 6)
    assert Guarantee.parse("simulation(ratio=2)").implies("dp(ratio=4)").holds is True
    stated = Guarantee.parse("simulation(ratio=3/2, delta=1/50)")
    assert THEOREMS["bgks-simulation-dp"].conclude(stated).delta == Fraction(1, 20)
    assert stated.implies("dp(ratio=9/4, delta=0.0499)").holds is False
    assert stated.implies("dp(ratio=9/4, delta=0.05)").holds is True
    assert NON_IMPLICATIONS["bgks-simulation-limit"].premises == ("simulation",)


def certain(databases, n):
    """Return the class of beliefs that are each certain of one database."""
    members = tuple(Joint({(x, NOTHING): ONE}) for x in databases)
    return BeliefClass(members, "everybody knows the database"), persons(n)


def test_erratum_14_definition_2_is_empty_for_certain_beliefs():
    databases = list(product((0, 1), repeat=2))
    beliefs, pairs = certain(databases, 2)
    identity = Release("everything", lambda x: {x: ONE})
    anything = Simulator.of(lambda _: dict.fromkeys(databases, Fraction(1, 4)))
    world = Coupled(identity, anything, beliefs, pairs)
    assert worlds.inference_failure(world, ONE, Fraction(0)) == 0
    assert world.delta(1000) >= Fraction(1, 2)
    found = Guarantee.parse("inference-ddp(epsilon=0)").implies("simulation(epsilon=9, delta=0.4)")
    assert found.holds is False
    assert found.refutations[0].of.name == "bgks-point-beliefs"


@given(brute.mechanisms(), st.data(), RATIOS)
def test_simulation_is_ddp_for_certain_beliefs_and_hence_for_all(mechanism, data, ratio):
    table = {(b,): data.draw(brute.laws(3, least=1)) for b in (0, 1)}
    delta = simulation_delta(mechanism, table, ratio)
    release = Release("drawn", lambda x: as_law(mechanism[x]))
    simulator = Simulator.table({y: as_law(row) for y, row in table.items()})
    beliefs, pairs = certain(mechanism, 2)
    assert Coupled(release, simulator, beliefs, pairs).delta(ratio) == delta
    drawn = BeliefClass((data.draw(worlds.joints(list(mechanism))),), "drawn")
    assert worlds.coupled_delta(Coupled(release, simulator, drawn, pairs), ratio) <= delta


@pytest.mark.parametrize(
    ("name", "stated", "kind"),
    [
        ("bgks-simulation-ddp", "simulation(ratio=2, delta=0.1)", "ddp"),
        ("bgks-independent-ddp", "independent-ddp(ratio=2, delta=0.1)", "ddp"),
        ("bgks-ddp-coupled-worlds", "ddp(ratio=2, delta=0.1)", "coupled-worlds"),
        (
            "bgks-inference-ddp-coupled-worlds",
            "inference-ddp(ratio=2, delta=0.1)",
            "inference-coupled-worlds",
        ),
        ("bgks-noiseless-pufferfish", "noiseless(ratio=2, delta=0.1)", "pufferfish"),
    ],
)
def test_a_definition_that_is_a_case_of_another_keeps_its_numbers(name, stated, kind):
    given = Guarantee.parse(stated)
    found = THEOREMS[name].conclude(given)
    assert found.kind == kind
    assert found.numbers == given.numbers
    assert given.implies(kind).best.numbers == given.numbers


def test_dp_of_either_relation_gives_ddp_for_every_class():
    for stated in ("dp(ratio=2, delta=0.1)", "dp(ratio=2, delta=0.1, neighbours=add-remove)"):
        given = Guarantee.parse(stated)
        assert given.implies("ddp(ratio=2, delta=0.1)", symmetric="yes").holds is True
        assert given.implies("ddp", ratio=2, delta="0.1", tagged="yes").holds is True
    several = Guarantee.parse("dp(ratio=2, group=2)")
    assert several.implies("ddp", symmetric="yes").best.ratio == 2
