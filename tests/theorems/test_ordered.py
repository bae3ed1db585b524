"""Ordered records: what differential privacy gives if the simulator is not told the place."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twoworlds
from tests.theorems import brute
from tests.theorems import coupled as worlds
from twoworlds.definitions.coupled.operations import Coupled
from twoworlds.definitions.coupled.optimal import optimal
from twoworlds.definitions.coupled.scene import Release, Simulator
from twoworlds.theorems import NON_IMPLICATIONS, Guarantee
from twoworlds.theorems.coupled_limits import (
    concluding_needs,
    simulating_needs,
)
from twoworlds.worlds.joint import NOTHING, BeliefClass, Joint
from twoworlds.worlds.scrubbing import persons

ONE, HALF = Fraction(1), Fraction(1, 2)
KINDS = ("simulation", "ddp", "coupled-worlds", "inference-ddp", "inference-coupled-worlds")
NAMES = {
    "simulation": "dp-unknown-place",
    "ddp": "dp-unknown-place-ddp",
    "coupled-worlds": "dp-unknown-place-coupled-worlds",
    "inference-ddp": "dp-unknown-place-inference",
    "inference-coupled-worlds": "dp-unknown-place-inference-coupled-worlds",
}


def told(x, odds):
    """Return the law of randomized response on every bit."""
    law = {}
    for t in product((0, 1), repeat=len(x)):
        kept = sum(a == b for a, b in zip(x, t, strict=True))
        law[t] = odds**kept / (1 + odds) ** len(x)
    return law


def alternating(n):
    return tuple((i + 1) % 2 for i in range(n)), tuple(i % 2 for i in range(n))


def release(odds):
    return Release("randomized response", lambda x: told(x, odds))


def certain_of_either(n, odds):
    """Return both databases as beliefs that are certain, and randomized response."""
    beliefs = tuple(Joint({(x, NOTHING): ONE}) for x in alternating(n))
    return Coupled(release(odds), None, BeliefClass(beliefs, "certain"), persons(n))


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_the_two_databases_differ_everywhere_and_are_one_without_a_record(n):
    x, y = alternating(n)
    assert all(a != b for a, b in zip(x, y, strict=True))
    assert x[1:] == y[:-1]
    assert y[1:] == x[:-1]


def test_reference_randomized_response_on_three_bits():
    found = twoworlds.measure(
        "randomized-response(bits=3, keep=3/4)",
        definition="ddp(belief=[explicit(101=1), explicit(010=1)], ratio=3)",
    )
    assert found.delta == Fraction(9, 128) == simulating_needs(3, Fraction(3), Fraction(3))
    conclusions = "inference-ddp(belief=explicit(101=1/2, 010=1/2), ratio=9, delta={})"
    mechanism = "randomized-response(bits=3, keep=3/4)"
    assert concluding_needs(3, Fraction(3), Fraction(9)) == Fraction(5, 28)
    assert not twoworlds.check(mechanism, conclusions.format("0.178"))
    assert twoworlds.check(mechanism, conclusions.format("5/28"))


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("ratio", ["1", "3/2", "3", "10"])
@pytest.mark.parametrize("odds", ["3/2", "3", "20"])
def test_no_simulator_does_with_less(n, odds, ratio):
    odds, ratio = Fraction(odds), Fraction(ratio)
    best = optimal(certain_of_either(n, odds).scene, ratio).delta
    assert simulating_needs(n, odds, ratio) <= best
    if odds == ratio == 3 or odds == 20:
        assert simulating_needs(n, odds, ratio) == best


@st.composite
def simulators(draw, n):
    """Draw a simulator on the four outputs or eight outputs of randomized response."""
    outputs = list(product((0, 1), repeat=n))
    size = len(outputs)
    inputs = product((0, 1), repeat=n - 1)
    rows = {y: draw(st.lists(st.integers(1, 9), min_size=size, max_size=size)) for y in inputs}
    laws = {
        y: {t: Fraction(w, sum(row)) for t, w in zip(outputs, row, strict=True)}
        for y, row in rows.items()
    }
    return Simulator.table(laws)


@settings(max_examples=20)
@given(st.data(), st.sampled_from([2, 3]), st.fractions(1, 9, max_denominator=4))
def test_conclusions_never_agree_with_less_whatever_the_simulator(data, n, ratio):
    odds = data.draw(st.sampled_from([Fraction(3), Fraction(10)]))
    belief = Joint({(x, NOTHING): HALF for x in alternating(n)})
    beliefs = BeliefClass((belief,), "even")
    world = Coupled(release(odds), data.draw(simulators(n)), beliefs, persons(n))
    needed = concluding_needs(n, odds, ratio)
    if needed > 0:
        less = needed * Fraction(999, 1000)
        assert worlds.inference_failure(world, ratio, less) > less


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("ratio", ["1", "2", "9"])
def test_conclusions_agree_with_so_much_for_a_simulator_that_says_anything(n, ratio):
    odds, ratio = Fraction(3), Fraction(ratio)
    outputs = list(product((0, 1), repeat=n))
    even = Simulator.of(lambda _: dict.fromkeys(outputs, Fraction(1, len(outputs))))
    belief = Joint({(x, NOTHING): HALF for x in alternating(n)})
    world = Coupled(release(odds), even, BeliefClass((belief,), "even"), persons(n))
    needed = concluding_needs(n, odds, ratio)
    # The likelier database counts, too: from one half to its real probability.
    likelier = max(odds**n / (1 + odds**n) - ratio / 2, Fraction(0))
    enough = max(needed, likelier)
    assert worlds.inference_failure(world, ratio, enough) <= enough


@pytest.mark.parametrize("kind", KINDS)
def test_dp_of_ordered_records_does_not_give_the_printed_numbers(kind):
    ratio = 9 if "inference" in kind else 3
    given = Guarantee.parse("dp(ratio=3)")
    found = given.implies(f"{kind}(ratio={ratio})")
    assert found.holds is False
    [refutation] = found.refutations
    assert refutation.of is NON_IMPLICATIONS[NAMES[kind]]
    assert refutation.facts["delta"] == (Fraction(5, 28) if ratio == 9 else Fraction(9, 128))
    assert "101 without its first record is 010 without its last" in refutation.text
    assert given.implies(kind).best is None
    assert "give symmetric=yes" in given.implies(kind).explain()
    assert "tagged=yes" in given.implies(kind).explain()


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("stated", "facts"),
    [
        ("dp(ratio=3)", {"symmetric": "yes"}),
        ("dp(ratio=3)", {"tagged": True}),
        ("dp(ratio=3)", {"records": 1}),
        ("dp(ratio=3, records=2)", {}),
        ("dp(ratio=3, neighbours=add-remove)", {}),
    ],
)
def test_where_the_place_is_known_or_does_not_matter_dp_is_simulated(kind, stated, facts):
    ratio = 9 if "inference" in kind else 3
    found = Guarantee.parse(stated).implies(f"{kind}(ratio={ratio})", **facts)
    assert found.holds is True
    assert (found.best.ratio, found.best.delta) == (ratio, 0)
    assert found.refutations == ()


def test_a_claim_about_few_records_is_enough():
    assert Guarantee.parse("dp(ratio=3)").implies("ddp(ratio=3, records=2)").holds is True
    assert Guarantee.parse("dp(ratio=3)").implies("coupled-worlds(ratio=3, pairs=2)").holds is True
    assert Guarantee.parse("dp(ratio=3)").implies("ddp(ratio=3, records=3)").holds is False


@pytest.mark.parametrize(
    ("stated", "claim"),
    [
        ("dp(ratio=3)", "ddp(ratio=3, delta=0.4)"),  # 3 bits are not enough for this
        ("dp(ratio=3, records=3)", "ddp(ratio=3, delta=0.0703)"),
        ("dp(ratio=3, records=2)", "ddp(ratio=2.9)"),  # less than what is proved for two
        ("dp(ratio=3, records=2)", "inference-ddp(ratio=4)"),
        ("dp(epsilon=1, delta=0.01)", "ddp(epsilon=1, delta=0.01)"),
        ("dp(epsilon=0.5)", "inference-ddp(epsilon=1, delta=0.01)"),
    ],
)
def test_more_records_and_other_numbers_are_refuted_as_far_as_they_go(stated, claim):
    assert Guarantee.parse(stated).implies(claim).holds is False


@pytest.mark.parametrize(
    ("stated", "claim"),
    [
        ("dp(ratio=3, records=3)", "ddp(ratio=3, delta=9/128)"),
        ("dp(ratio=3)", "ddp(ratio=3, delta=1/2)"),
        ("dp(ratio=3, records=3)", "ddp(ratio=27)"),
        ("dp(ratio=3, group=2)", "ddp(ratio=3)"),
        ("dp(epsilon=inf, delta=0.1)", "ddp(epsilon=1)"),
        ("dp(epsilon=0)", "ddp(epsilon=1)"),
    ],
)
def test_nothing_is_refuted_beyond_the_example(stated, claim):
    found = Guarantee.parse(stated).implies(claim)
    assert found.holds is None
    assert found.refutations == ()


@pytest.mark.parametrize("n", [3, 6])
@pytest.mark.parametrize("records", [None, 7])
def test_the_smallest_number_of_bits_that_refutes_is_told(n, records):
    need = simulating_needs(n, Fraction(3), Fraction(3))
    given = Guarantee.of("dp", ratio=3, records=records)
    found = given.implies("ddp", ratio=3, delta=need * Fraction(99, 100))
    [refutation] = found.refutations
    assert refutation.text.startswith(f"{n} bits")
    assert refutation.facts["delta"] == need


@settings(max_examples=15)
@given(brute.mechanisms(people=2), st.fractions(1, 3, max_denominator=6))
def test_two_records_are_simulated_by_doubling_the_one_that_is_left(mechanism, ratio):
    most = brute.delta_of(mechanism, ratio)
    for x, i in product(mechanism, (0, 1)):
        left = x[1 - i]
        p, q = mechanism[x], mechanism[(left, left)]
        assert max(brute.excess(p, q, ratio), brute.excess(q, p, ratio)) <= most


@st.composite
def symmetric_mechanisms(draw):
    """Draw a law for every number of ones among three bits."""
    rows = [draw(brute.laws(3, least=1)) for _ in range(4)]
    return {x: rows[sum(x)] for x in product((0, 1), repeat=3)}


@settings(max_examples=15)
@given(symmetric_mechanisms(), st.fractions(1, 3, max_denominator=6), st.integers(0, 1))
def test_without_an_order_any_place_will_do(mechanism, ratio, value):
    most = brute.delta_of(mechanism, ratio)
    for x, i in product(mechanism, range(3)):
        p, q = mechanism[x], mechanism[(value, *x[:i], *x[i + 1 :])]
        assert max(brute.excess(p, q, ratio), brute.excess(q, p, ratio)) <= most
