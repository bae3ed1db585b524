"""The theorems of Bassily, Groce, Katz & Smith, against enumeration of small worlds."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.theorems import brute as plain
from tests.theorems import coupled as brute
from twoworlds.definitions.coupled.operations import Coupled, compose
from twoworlds.definitions.coupled.scene import Release, Simulator, canonical, coin
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.numbers import Order, bounds, exp, sqrt
from twoworlds.theorems import (
    NON_IMPLICATIONS,
    THEOREMS,
    Context,
    Guarantee,
    compose_coupled,
    inference_delta,
    inference_failure,
    less_side_information,
    post_process,
    pufferfish_failure,
    through_simulator,
    with_mixtures,
)
from twoworlds.theorems.formulas import order, there_and_back
from twoworlds.worlds.joint import NOTHING, BeliefClass, Joint
from twoworlds.worlds.scrubbing import persons

RATIOS = st.fractions(1, 3, max_denominator=6)
ONE = Fraction(1)


def simulation_delta(mechanism, simulator, ratio):
    """Return the worst excess of F(x) and Sim(x_-i), both ways, over all databases and persons."""
    return max(
        max(plain.excess(mechanism[x], law, ratio), plain.excess(law, mechanism[x], ratio))
        for x in mechanism
        for i in range(len(x))
        for law in [simulator[(*x[:i], *x[i + 1 :])]]
    )


@given(plain.mechanisms(people=1, values=3), RATIOS, st.integers(0, 2))
def test_dp_can_be_simulated_with_the_same_numbers(mechanism, ratio, inserted):
    simulator = {(): mechanism[(inserted,)]}
    assert simulation_delta(mechanism, simulator, ratio) <= plain.delta_of(mechanism, ratio)
    stated = Guarantee.of("dp", ratio=ratio, delta="1/10")
    context = Context("simulation", tagged=True)
    assert THEOREMS["bgks-dp-simulation"].conclude(stated, context).numbers == stated.numbers


@given(plain.mechanisms(), st.data(), RATIOS)
def test_simulation_is_dp_with_epsilon_doubled(mechanism, data, ratio):
    simulator = {y: data.draw(plain.laws(3, least=1)) for y in product(range(2), repeat=1)}
    delta = simulation_delta(mechanism, simulator, ratio)
    wider, more = there_and_back(ratio, delta)
    assert plain.delta_of(mechanism, wider) <= more


@given(RATIOS, st.fractions(0, Fraction(1, 5), max_denominator=50))
def test_the_numbers_of_the_way_back_are_attained(ratio, delta):
    delta = min(delta, 1 / (ratio + 2))
    high = (1 + ratio) * delta
    mechanism = {(0,): (high, 1 - high), (1,): (Fraction(0), ONE)}
    assert simulation_delta(mechanism, {(): (delta, 1 - delta)}, ratio) <= delta
    for wider in (ratio**2, 100 * ONE):
        assert plain.delta_of(mechanism, wider) == high
    low, top = 1 / (ratio * (ratio + 1)), ratio / (ratio + 1)
    pure = {(0,): (top, 1 - top), (1,): (low, 1 - low)}
    middle = 1 / (ratio + 1)
    assert simulation_delta(pure, {(): (middle, 1 - middle)}, ratio) == 0
    assert plain.delta_of(pure, ratio) == (ratio**2 - ratio) / (ratio * (ratio + 1))


def test_erratum_14_randomized_response_is_simulated_at_half_of_its_price():
    kept = Fraction(3, 4)
    mechanism = {(0,): (kept, 1 - kept), (1,): (1 - kept, kept)}
    assert plain.pure_ratio(mechanism) == 3
    assert simulation_delta(mechanism, {(): (ONE / 2, ONE / 2)}, Fraction(2)) == 0
    for k in range(101):  # and no simulator does with less
        law = (Fraction(k, 100), 1 - Fraction(k, 100))
        assert simulation_delta(mechanism, {(): law}, Fraction(199, 100)) > 0


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
    assert brute.inference_failure(world, ONE, Fraction(0)) == 0
    assert world.delta(1000) >= Fraction(1, 2)
    found = Guarantee.parse("inference-ddp(epsilon=0)").implies("simulation(epsilon=9, delta=0.4)")
    assert found.holds is False
    assert found.refutations[0].of.name == "bgks-point-beliefs"


ABOVE_ONE = st.fractions(Fraction(11, 10), 3, max_denominator=10)
INNER = st.fractions(Fraction(1, 40), 1, max_denominator=40)


def concludes(world, ratio, delta):
    """Tell whether the world satisfies Definition 4 with these numbers, delta rounded up."""
    most = bounds(delta)[1]
    return brute.inference_failure(world, ratio, most) <= most


@given(brute.worlds(), ABOVE_ONE, INNER)
def test_the_corrected_failure_probability_holds(world, ratio, inner):
    delta = brute.coupled_delta(world, ratio)
    bound = inference_failure(ratio, delta, len(world.scrubs), inner)
    assert brute.inference_failure(world, ratio**2, inner) <= bound


@given(brute.worlds(members=2), ABOVE_ONE)
def test_one_delta_holds_in_both_roles(world, ratio):
    delta = brute.coupled_delta(world, ratio)
    assert concludes(world, ratio**2, inference_delta(ratio, delta, 2))


UNIT = st.fractions(0, 1, max_denominator=24)


@settings(max_examples=25)
@given(UNIT, UNIT, st.fractions(0, 20, max_denominator=12), INNER, st.data())
def test_every_bad_output_costs_what_the_proof_says(x, y, r, d, data):
    """The step of the proof: c1 + a (1 - d) c2 >= d, with the worst ratio that makes it bad."""
    a = data.draw(st.fractions(1, 6, max_denominator=8))
    first, second = x >= a**2 * y + d, y >= a**2 * x + d
    if not (first or second):
        y = max((x - d) / a**2, Fraction(0))  # bad by a hair
        assume(x >= a**2 * y + d)
    real, ideal = {1: x, 0: 1 - x}, {1: r * y, 0: r * (1 - y)}
    c1, c2 = brute.excess(real, ideal, a), brute.excess(ideal, real, a)
    assert c1 + a * (1 - d) * c2 >= d


def test_reference_d10():
    ratio, delta = exp(Fraction(1, 2)), Fraction(1, 10**6)
    inner = 2 * sqrt(delta * 10)
    assert abs(float(inner) - 0.00632455532033676) < 1e-15
    failure = inference_failure(ratio, delta, 10, inner)
    assert abs(float(failure) - 0.00417150883846691) < 1e-14
    given = Guarantee.parse("coupled-worlds(epsilon=0.5, delta=1e-6, pairs=10)")
    outcome = THEOREMS["bgks-2"].apply(given, Context("inference-coupled-worlds"))[0]
    assert abs(float(outcome.application.printed.delta) - 0.00632455532033676) < 1e-15
    assert outcome.conclusion.at_least_as_strong_as(outcome.application.printed)


def e04():
    quarter = Fraction(1, 4)
    belief = Joint({((1,), NOTHING): quarter, ((0,), NOTHING): 1 - quarter})
    said = {"t0": Fraction(31, 100), "t1": Fraction(69, 100)}
    release = Release("E04", lambda x: {"t1": Fraction(1)} if x == (1,) else said)
    simulator = Simulator.of(lambda _: {"t0": Fraction(1, 100), "t1": Fraction(99, 100)})
    return Coupled(release, simulator, BeliefClass((belief,), "one in four"), persons(1))


def test_erratum_13_theorem_2_is_false_for_large_epsilon():
    world, ratio = e04(), Fraction(30)
    assert world.delta(ratio) == Fraction(1, 100)
    claimed = Fraction(1, 5)  # 2 sqrt(delta)
    assert claimed <= Fraction(30) * 3  # e^epsilon epsilon, its only condition
    assert brute.inference_failure(world, ratio**3, claimed) == Fraction(93, 400) > claimed
    assert brute.inference_failure(world, ratio**3, Fraction(1, 4)) < Fraction(93, 400)
    assert concludes(world, ratio**2, inference_delta(ratio, Fraction(1, 100), 1))


def test_erratum_13_theorem_1_is_false_above_four():
    world, ratio, delta = (
        brute.denied_value(10, 5, Fraction(2401, 10**6)),
        Fraction(5),
        Fraction(2401, 10**6),
    )
    assert world.delta(ratio) == delta
    claimed = Fraction(98, 1000)
    assert claimed**2 == 4 * delta
    assert brute.inference_failure(world, ratio**3, claimed) == Fraction(108045, 10**6) > claimed
    given = Guarantee.parse("ddp(ratio=5, delta=0.002401, records=1)")
    found = given.implies("inference-ddp(ratio=125, delta=0.098)")
    assert found.holds is False
    assert found.refutations[0].facts["failure"] == Fraction(108045, 10**6)
    assert given.implies("inference-ddp(ratio=125, delta=0.1142)").holds is True
    assert given.implies("inference-ddp(ratio=125, delta=0.107)").holds is None


@given(
    st.fractions(Fraction(21, 20), 8, max_denominator=20),
    st.fractions(Fraction(1, 10**6), 1, max_denominator=10**6),
    st.integers(1, 50),
)
def test_where_the_print_is_true_the_corrected_form_is_at_least_as_strong(ratio, delta, pairs):
    given = Guarantee.of("coupled-worlds", ratio=ratio, delta=delta, pairs=pairs)
    made = THEOREMS["bgks-2"].apply(given, Context("inference-coupled-worlds"))[0]
    printed = made.application.printed
    claimed = 2 * sqrt(delta * pairs)
    if printed is not None and (claimed >= 1 or ratio * (1 - claimed) <= 3):
        assert made.conclusion.at_least_as_strong_as(printed)


def test_without_a_delta_epsilon_is_doubled_and_that_is_approached():
    for name, kind in (("bgks-1", "ddp"), ("bgks-2", "coupled-worlds")):
        found = THEOREMS[name].conclude(Guarantee.of(kind, ratio=2))
        assert (found.ratio, found.delta) == (4, 0)
    # One record; a rare value says "t" twice as often as the simulator, the other half as often.
    rare, middle = Fraction(1, 1000), Fraction(1, 3)
    belief = Joint({((1,), NOTHING): rare, ((0,), NOTHING): 1 - rare})
    chances = {(1,): 2 * middle, (0,): middle / 2}
    release = Release("F", lambda x: {"t": chances[x], "s": 1 - chances[x]})
    simulator = Simulator.of(lambda _: {"t": middle, "s": 1 - middle})
    world = Coupled(release, simulator, BeliefClass((belief,), "rare"), persons(1))
    assert world.delta(2) == 0
    assert brute.inference_failure(world, Fraction(398, 100), Fraction(0)) > 0
    assert brute.inference_failure(world, Fraction(4), Fraction(0)) == 0


def test_reference_three_persons_at_ratio_three_halves():
    found = Guarantee.parse("ddp(ratio=3/2, delta=1/50, records=3)").implies("inference-ddp")
    [only] = found.conclusions
    assert only.ratio == Fraction(9, 4)
    assert abs(float(only.delta) - 0.344903834) < 1e-8


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


COUPLED = ("ddp", "independent-ddp", "coupled-worlds", "simulation", "noiseless", "pufferfish")


@pytest.mark.parametrize("kind", COUPLED)
def test_post_processing_keeps_the_numbers(kind):
    stated = Guarantee.of(kind, ratio=2, delta="1/10")
    found = post_process(stated)
    assert found == stated
    assert found.source.theorem is THEOREMS["bgks-3"]


@pytest.mark.parametrize(
    ("rule", "name"), [(with_mixtures, "bgks-4"), (less_side_information, "bgks-5")]
)
def test_mixtures_and_less_side_information_keep_what_has_a_simulator(rule, name):
    for kind in ("ddp", "coupled-worlds", "simulation"):
        stated = Guarantee.of(kind, ratio=2, delta="1/10")
        assert rule(stated) == stated
        assert rule(stated).source.theorem is THEOREMS[name]
    for kind in ("noiseless", "pufferfish", "independent-ddp", "inference-ddp"):
        with pytest.raises(Unsupported, match=f"not about {kind}"):
            rule(Guarantee.of(kind, ratio=2))


@pytest.mark.slow
@settings(max_examples=30)
@given(brute.worlds(), brute.worlds(), RATIOS, RATIOS)
def test_theorem_6_has_the_same_numbers_as_the_operation(one, two, first, second):
    two = Coupled(two.release, two.simulator, one.beliefs, one.scrubs)
    found = compose(one, two).at(first, second)
    stated = compose_coupled(
        Guarantee.of("ddp", ratio=first, delta=found.first),
        Guarantee.of("ddp", ratio=second, delta=found.second),
    )
    assert stated.source.theorem is THEOREMS["bgks-6"]
    assert (stated.ratio, stated.delta) == (found.ratio, min(found.bound, 1))
    assert found.delta <= stated.delta


def test_theorem_6_reference_l01_and_erratum_16():
    one = Guarantee.parse("coupled-worlds(ratio=6/5, delta=11/60)")
    found = compose_coupled(one, one)
    assert found.delta == Fraction(121, 300) > 2 * one.delta
    assert "delta_F + delta_G is not enough" in THEOREMS["bgks-6"].tight
    assert "bounded epsilon" in THEOREMS["bgks-6"].erratum


def test_theorem_6_refuses_two_kinds_and_infinite_epsilons():
    one, other = Guarantee.parse("ddp(ratio=2)"), Guarantee.parse("coupled-worlds(ratio=2)")
    with pytest.raises(InvalidInput, match="two guarantees of one kind"):
        compose_coupled(one, other)
    with pytest.raises(InvalidInput, match="finite epsilon"):
        compose_coupled(one, Guarantee.parse("ddp(epsilon=inf)"))
    with pytest.raises(Unsupported, match="not about dp"):
        compose_coupled(one, Guarantee.parse("dp(ratio=2)"))


def test_every_statement_of_the_paper_about_definitions_is_in_the_registry():
    paper = "Bassily, Groce, Katz & Smith"
    cited = " ".join(
        one.citation
        for one in (*THEOREMS.values(), *NON_IMPLICATIONS.values())
        if paper in one.citation
    )
    places = [f"Theorem {n}" for n in (1, 2, 3, 4, 5, 6, 7, 16, 17)]
    places += ["Corollary 1", "Corollary 2", "Lemma 1", "Example 1", "Section II-E"]
    assert [place for place in places if place not in cited] == []
