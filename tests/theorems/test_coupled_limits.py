"""Worlds that separate the definitions of Bassily, Groce, Katz & Smith."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twoworlds
from tests.theorems import coupled as brute
from tests.theorems.coupled import hidden_sign, known_parity
from twoworlds.definitions.coupled.operations import Coupled
from twoworlds.definitions.coupled.optimal import optimal
from twoworlds.definitions.coupled.scene import Release, Simulator, coin
from twoworlds.theorems import NON_IMPLICATIONS, Guarantee
from twoworlds.theorems.coupled_limits import concluding_needs, simulating_needs
from twoworlds.worlds.joint import NOTHING, BeliefClass, Joint
from twoworlds.worlds.scrubbing import persons

ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)


def refuted(stated, claim):
    found = Guarantee.parse(stated).implies(claim)
    return found.holds is False, [one.of.name for one in found.refutations if one.decisive]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_example_1_the_parity_known_beforehand(n):
    world = known_parity(n)
    assert brute.inference_failure(world, ONE, ZERO) == 0
    assert brute.noiseless_delta(world, ONE) == 0
    assert brute.pufferfish_failure(world, ONE, ZERO) == 0
    for ratio in (1, 10):
        assert world.delta(ratio) == HALF
    inputs = list(product((0, 1), repeat=n - 1))
    for chances in product([Fraction(k, 4) for k in range(5)], repeat=min(len(inputs), 2)):
        table = {y: {1: chances[i % 2], 0: 1 - chances[i % 2]} for i, y in enumerate(inputs)}
        other = Coupled(world.release, Simulator.table(table), world.beliefs, world.scrubs)
        assert other.delta(10) >= HALF


@pytest.mark.parametrize("kind", ["inference-ddp", "noiseless"])
def test_example_1_refutes_ddp_below_one_half_only(kind):
    assert refuted(f"{kind}(epsilon=0)", "ddp(epsilon=5, delta=0.49)") == (True, ["bgks-example-1"])
    assert Guarantee.parse(f"{kind}(epsilon=0)").implies("ddp(epsilon=5, delta=0.5)").holds is None
    assert Guarantee.parse(f"{kind}(epsilon=0)").implies("ddp").holds is None


def test_reference_g01_and_g03_the_hidden_sign():
    hidden, known = hidden_sign(), hidden_sign(known=True)
    assert hidden.delta(1) == Fraction(243, 5000)
    assert hidden.delta("11/10") == Fraction(3879, 100000)
    assert brute.noiseless_delta(hidden, ONE) == Fraction(4019, 5000)
    assert brute.noiseless_delta(hidden, Fraction(2)) == Fraction(7057, 10000)
    assert known.delta(1) == Fraction(243, 5000)
    assert brute.noiseless_delta(known, ONE) == Fraction(243, 5000)
    assert NON_IMPLICATIONS["noiseless-and-less-side-information"].premises[0] == "noiseless"


@pytest.mark.parametrize(
    ("stated", "claim", "name"),
    [
        ("ddp(epsilon=0)", "noiseless(epsilon=9, delta=0.99)", "bgks-hidden-sign"),
        ("ddp(epsilon=0)", "pufferfish(epsilon=9, delta=0.99)", "bgks-hidden-sign-pufferfish"),
        ("coupled-worlds(epsilon=0)", "pufferfish(epsilon=9)", "bgks-hidden-sign-pufferfish"),
        (
            "coupled-worlds(epsilon=0)",
            "inference-pufferfish(epsilon=9, delta=0.49)",
            "bgks-hidden-sign-inference",
        ),
    ],
)
def test_the_hidden_sign_refutes_what_compares_two_values(stated, claim, name):
    assert refuted(stated, claim) == (True, [name])


@pytest.mark.parametrize(("ratio", "wanted", "delta"), [("2", "4", "1/2"), ("3/2", "9", "9/10")])
def test_dp_does_not_bound_what_tied_records_show(ratio, wanted, delta):
    given = Guarantee.parse(f"dp(ratio={ratio})")
    found = given.implies(f"noiseless(ratio={wanted}, delta={delta})")
    assert found.holds is False
    [refutation] = found.refutations
    assert refutation.of.name == "dp-tied-records"
    n = int(refutation.facts["records"])
    r = Fraction(ratio)
    chances = [1 / (1 + r ** (n // 2 - k)) for k in range(n + 1)]
    for low, high in pairwise(chances):  # neighbours, by any one record
        assert high <= r * low
        assert 1 - low <= r * (1 - high)
    assert chances[-1] - Fraction(wanted) * chances[0] > Fraction(delta)
    fewer = Guarantee.parse(f"dp(ratio={ratio}, records={n - 2})")
    m = n // 2 - 1
    assert r**m / (1 + r**m) - Fraction(wanted) / (1 + r**m) <= Fraction(delta)
    assert fewer.implies(f"noiseless(ratio={wanted}, delta={delta})").refutations == ()
    name = "dp-tied-records-pufferfish"
    assert refuted(f"dp(ratio={ratio})", f"pufferfish(ratio={wanted})") == (True, [name])


def test_the_parity_of_fair_bits_is_private_in_every_sense_but_dp():
    bits = list(product((0, 1), repeat=2))
    belief = Joint({(x, NOTHING): Fraction(1, 4) for x in bits})
    parity = Release("parity", lambda x: {sum(x) % 2: ONE})
    world = Coupled(parity, coin((0, 1)), BeliefClass((belief,), "fair"), persons(2))
    assert world.delta(1) == 0
    assert brute.noiseless_delta(world, ONE) == 0
    assert brute.inference_failure(world, ONE, ZERO) == 0
    assert brute.pufferfish_failure(world, ONE, ZERO) == 0
    for kind in NON_IMPLICATIONS["fair-parity"].premises:
        found = refuted(f"{kind}(epsilon=0)", "dp(epsilon=9, delta=0.99)")
        assert found == (True, ["fair-parity"])


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
        assert brute.inference_failure(world, ratio, less) > less


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
