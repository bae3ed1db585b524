"""Theorems 1 and 2, corrected: what an attacker concludes in the two worlds."""

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.theorems import coupled as brute
from twoworlds.definitions.coupled.operations import Coupled
from twoworlds.definitions.coupled.scene import Release, Simulator
from twoworlds.numbers import bounds, exp, sqrt
from twoworlds.theorems import (
    NON_IMPLICATIONS,
    THEOREMS,
    Context,
    Guarantee,
    inference_delta,
    inference_failure,
)
from twoworlds.theorems.coupled_limits import denied_value
from twoworlds.worlds.joint import NOTHING, BeliefClass, Joint
from twoworlds.worlds.scrubbing import persons

RATIOS = st.fractions(Fraction(11, 10), 3, max_denominator=10)
INNER = st.fractions(Fraction(1, 40), 1, max_denominator=40)


def concludes(world, ratio, delta):
    """Tell whether the world satisfies Definition 4 with these numbers, delta rounded up."""
    most = bounds(delta)[1]
    return brute.inference_failure(world, ratio, most) <= most


@given(brute.worlds(), RATIOS, INNER)
def test_the_corrected_failure_probability_holds(world, ratio, inner):
    delta = brute.coupled_delta(world, ratio)
    bound = inference_failure(ratio, delta, len(world.scrubs), inner)
    assert brute.inference_failure(world, ratio**2, inner) <= bound


@given(brute.worlds(members=2), RATIOS)
def test_one_delta_holds_in_both_roles(world, ratio):
    delta = brute.coupled_delta(world, ratio)
    assert concludes(world, ratio**2, inference_delta(ratio, delta, 2))


@st.composite
def crude_worlds(draw):
    """Draw one bit with any prior, few outputs, and any simulator: delta is large, and attained."""
    size = draw(st.integers(2, 3))
    weights = st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any)
    rows = [draw(weights) for _ in range(3)]
    laws = [brute.normal({t: Fraction(w) for t, w in enumerate(row) if w}) for row in rows]
    prior = draw(st.fractions(Fraction(1, 30), Fraction(29, 30), max_denominator=30))
    belief = Joint({((0,), NOTHING): prior, ((1,), NOTHING): 1 - prior})
    release = Release("drawn", lambda x: laws[x[0]])
    simulator = Simulator.of(lambda _: laws[2])
    return Coupled(release, simulator, BeliefClass((belief,), "one bit"), persons(1))


@settings(max_examples=40)
@given(crude_worlds(), st.fractions(1, 6, max_denominator=6), INNER)
def test_the_failure_probability_holds_for_crude_worlds_too(world, ratio, inner):
    delta = brute.coupled_delta(world, ratio)
    bound = inference_failure(ratio, delta, 1, inner)
    assert brute.inference_failure(world, ratio**2, inner) <= bound
    assert concludes(world, ratio**2, inference_delta(ratio, delta, 1))


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


@st.composite
def denials(draw):
    """Draw the worlds that come near the bounds, with the largest chance that they allow."""
    m = draw(st.integers(2, 12))
    ratio = draw(st.fractions(Fraction(3, 2), 12, max_denominator=4))
    most = min(1 / ((m - 1) * ratio), Fraction(1, m))
    room = ratio**2 * (m - 1) - m
    most = min(most, (ratio - 1) / room) if room > 0 else most
    return denied_value(m, ratio, most * draw(st.fractions(0, 1, max_denominator=8))), ratio, m


@given(denials())
def test_worlds_that_deny_values_obey_the_bound_and_come_near(drawn):
    world, ratio, m = drawn
    delta = world.delta(ratio)
    assert concludes(world, ratio**2, inference_delta(ratio, delta, 1))
    below = Fraction(1, m) * Fraction(99, 100)
    failure = brute.inference_failure(world, ratio**3, below)
    assert (m - 1) * ratio * delta <= failure
    assert failure <= inference_failure(ratio, delta, 1, below)


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
    world, ratio, delta = denied_value(10, 5, "0.002401"), Fraction(5), Fraction(2401, 10**6)
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


@pytest.mark.parametrize("ratio", [Fraction(41, 10), Fraction(5), Fraction(40)])
def test_erratum_13_the_print_fails_for_every_ratio_above_four(ratio):
    delta = Fraction(1, 10**10)
    given = Guarantee.of("ddp", ratio=ratio, delta=delta, records=1)
    claim = {"ratio": ratio**3, "delta": 2 * Fraction(1, 10**5)}
    assert given.implies("inference-ddp", **claim).holds is False


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


@pytest.mark.parametrize("records", [1, 3, 10])
def test_denials_by_one_of_several_persons_refute_in_the_same_way(records):
    given = Guarantee.of("ddp", ratio=6, delta="1e-6", records=records)
    limit = sqrt(6 * Fraction(records, 10**6))  # about what can be refuted
    low, high = (bounds(limit * Fraction(x, 100))[0] for x in (97, 110))
    assert given.implies("inference-ddp", ratio=1000, delta=low).holds is False
    assert given.implies("inference-ddp", ratio=216, delta=high).holds is True
    other = Guarantee.of("coupled-worlds", ratio=6, delta="1e-6", pairs=records)
    found = other.implies("inference-coupled-worlds", ratio=1000, delta=low)
    assert found.refutations[0].of is NON_IMPLICATIONS["bgks-denied-value-coupled-worlds"]
    name = NON_IMPLICATIONS["bgks-denied-value"].name
    assert name in [r.of.name for r in given.implies("inference-ddp", delta=low).refutations]


def test_several_persons_the_named_one_is_protected_as_claimed():
    # Two persons, three values each; one of them, named, has a value denied: (a, d/2)-private.
    a, d, m = Fraction(5), Fraction(1, 40), 3
    values = [(u, v) for u in range(m) for v in range(m)]

    def law(x):
        said = {(j, u): a * d / 2 for j in (0, 1) for u in range(m) if u != x[j]}
        return {**said, "0": (1 - 2 * a * d) / 2, "1": (1 - 2 * a * d) / 2}

    denials = {(j, u): d / 2 for j in (0, 1) for u in range(m)}
    rest = (1 - 3 * d) / 2
    simulator = Simulator.of(lambda _: {**denials, "0": rest, "1": rest})
    belief = Joint({(x, NOTHING): Fraction(1, m * m) for x in values})
    world = Coupled(Release("F", law), simulator, BeliefClass((belief,), "even"), persons(2))
    assert world.delta(a) == d / 2
    below = Fraction(33, 100)
    assert brute.inference_failure(world, Fraction(1000), below) == 2 * a * d


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


def test_what_is_missing_is_said():
    stated = Guarantee.parse("coupled-worlds(ratio=2, delta=0.01)")
    text = stated.implies("inference-coupled-worlds").explain()
    assert "needs the number of pairs (alt, priv): give pairs=" in text
    assert "needs the number of persons" in (
        Guarantee.parse("ddp(ratio=2, delta=0.01)").implies("inference-ddp").explain()
    )


@given(
    st.fractions(1, 9, max_denominator=9),
    st.fractions(Fraction(1, 10**4), 1, max_denominator=10**4),
    st.integers(1, 9),
)
def test_one_delta_is_the_fixed_point(ratio, delta, pairs):
    low, high = bounds(inference_delta(ratio, delta, pairs))
    if delta * pairs >= 1:
        assert high == 1
        return
    slightly = 1 + Fraction(1, 10**9)
    assert inference_failure(ratio, delta, pairs, high) <= high * slightly
    less = low / slightly  # and nothing below it will do
    assert inference_failure(ratio, delta, pairs, less) > less


def test_reference_three_persons_at_ratio_three_halves():
    found = Guarantee.parse("ddp(ratio=3/2, delta=1/50, records=3)").implies("inference-ddp")
    [only] = found.conclusions
    assert only.ratio == Fraction(9, 4)
    assert abs(float(only.delta) - 0.344903834) < 1e-8
