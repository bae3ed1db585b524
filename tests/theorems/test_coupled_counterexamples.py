"""The worlds that separate the definitions, judged by plain fractions, and what they refute."""

from fractions import Fraction
from itertools import pairwise, product

import pytest

from tests.theorems import coupled as brute
from twoworlds.definitions.coupled.operations import Coupled
from twoworlds.definitions.coupled.scene import Release, Simulator, coin
from twoworlds.errors import InvalidInput
from twoworlds.theorems import NON_IMPLICATIONS, Guarantee
from twoworlds.theorems.coupled_limits import (
    denied_value,
    hidden_sign,
    known_parity,
    noiseless_delta,
)
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
    assert brute.noiseless_delta(world, ONE) == noiseless_delta(world, 1) == 0
    assert brute.pufferfish_failure(world, ONE, ZERO) == 0
    for ratio in (1, 10):
        assert world.delta(ratio) == HALF
    inputs = list(product((0, 1), repeat=n - 1))
    for chances in product([Fraction(k, 4) for k in range(5)], repeat=min(len(inputs), 2)):
        table = {y: {1: chances[i % 2], 0: 1 - chances[i % 2]} for i, y in enumerate(inputs)}
        other = Coupled(world.release, Simulator.table(table), world.beliefs, world.scrubs)
        assert other.delta(10) >= HALF


def test_example_1_with_the_canonical_simulator_everything_is_lost():
    world = known_parity(2)
    canonical = Simulator.of(lambda y: y[0])
    assert Coupled(world.release, canonical, world.beliefs, world.scrubs).delta(1) == 1


@pytest.mark.parametrize("kind", ["inference-ddp", "noiseless"])
def test_example_1_refutes_ddp_below_one_half_only(kind):
    assert refuted(f"{kind}(epsilon=0)", "ddp(epsilon=5, delta=0.49)") == (True, ["bgks-example-1"])
    assert Guarantee.parse(f"{kind}(epsilon=0)").implies("ddp(epsilon=5, delta=0.5)").holds is None
    assert Guarantee.parse(f"{kind}(epsilon=0)").implies("ddp").holds is None


@pytest.mark.parametrize("kind", ["inference-coupled-worlds", "pufferfish", "inference-pufferfish"])
def test_example_1_refutes_coupled_worlds(kind):
    found = refuted(f"{kind}(epsilon=0)", "coupled-worlds(epsilon=5, delta=0.49)")
    assert found == (True, ["bgks-example-1-coupled-worlds"])


def test_reference_g01_and_g03_the_hidden_sign():
    hidden, known = hidden_sign(), hidden_sign(known=True)
    assert hidden.delta(1) == Fraction(243, 5000)
    assert hidden.delta("11/10") == Fraction(3879, 100000)
    assert brute.noiseless_delta(hidden, ONE) == noiseless_delta(hidden, 1) == Fraction(4019, 5000)
    assert brute.noiseless_delta(hidden, Fraction(2)) == Fraction(7057, 10000)
    assert known.delta(1) == Fraction(243, 5000)
    assert brute.noiseless_delta(known, ONE) == noiseless_delta(known, 1) == Fraction(243, 5000)
    assert NON_IMPLICATIONS["noiseless-and-less-side-information"].premises[0] == "noiseless"


def test_records_that_are_all_equal_are_simulated_for_nothing_and_shown_for_certain():
    world = hidden_sign(3, follows=1)
    assert world.delta(1) == 0
    assert brute.inference_failure(world, ONE, ZERO) == 0
    assert brute.noiseless_delta(world, Fraction(1000)) == 1
    assert brute.pufferfish_failure(world, Fraction(1000), Fraction(49, 100)) == 1


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


def test_the_hidden_sign_needs_a_second_record():
    found = Guarantee.parse("ddp(epsilon=0, records=1)").implies("noiseless(epsilon=9)")
    assert found.refutations == ()


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


@pytest.mark.parametrize(
    ("build", "match"),
    [
        (lambda: known_parity(0), "records"),
        (lambda: hidden_sign(1), "records"),
        (lambda: hidden_sign(3, follows=2), "negative"),
        (lambda: denied_value(1, 2, "0.1"), "values"),
        (lambda: denied_value(3, "1/2", "0.1"), "ratio"),
    ],
)
def test_examples_refuse_what_is_out_of_range(build, match):
    with pytest.raises(InvalidInput, match=match):
        build()


def test_erratum_15_is_listed_with_its_numbers():
    listed = NON_IMPLICATIONS["ddp-and-mixtures"]
    assert "1/2" in listed.erratum
    assert Guarantee.parse("ddp(epsilon=0.1)").implies("ddp(epsilon=0.1)").holds is True
