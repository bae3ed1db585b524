"""Known numbers of the seven definitions, and the printed claims that are false."""

from fractions import Fraction

import pytest

from twoworlds import BitStrings, Dense, Records, measure, mechanism
from twoworlds.definitions import DifferentialPrivacy
from twoworlds.definitions.coupled import (
    CoupledWorlds,
    DistributionalPrivacy,
    InferenceCoupledWorlds,
    InferenceDistributionalPrivacy,
    InferencePufferfish,
    Pufferfish,
)
from twoworlds.definitions.coupled.scene import Release, Simulator
from twoworlds.numbers import INFINITY
from twoworlds.worlds.belief import uniform
from twoworlds.worlds.joint import BeliefClass, Joint
from twoworlds.worlds.scrubbing import Scrub

HALF = Fraction(1, 2)
TOTAL = Release("sum", lambda x: {sum(x): Fraction(1)})
ADD_A_COIN = Simulator.of(lambda y: {sum(y): HALF, sum(y) + 1: HALF}, "adds a fair coin")


def fair(n, side=None):
    return BeliefClass((Joint.of(uniform(BitStrings(n)), side),), "the bits are fair coins")


def points(universe):
    members = tuple(Joint({(x, "nothing"): Fraction(1)}) for x in universe)
    return BeliefClass(members, "everything is known")


# --- the sum of three fair bits -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("simulator", "expected"), [("canonical", "3/8"), (ADD_A_COIN, "1/8"), ("optimal", "1/8")]
)
def test_the_sum_of_three_bits_at_ratio_three_halves(simulator, expected):
    asked = DistributionalPrivacy(fair(3), simulator=simulator, ratio="3/2")
    assert asked.tightest(TOTAL).delta == Fraction(expected)


@pytest.mark.parametrize("simulator", ["canonical", ADD_A_COIN])
def test_inference_from_the_sum_of_three_bits(simulator):
    asked = InferenceDistributionalPrivacy(fair(3), simulator=simulator, ratio="3/2")
    assert asked.tightest(TOTAL).delta == Fraction(1, 4)


# --- the two examples that separate the definitions -----------------------------------------------


@pytest.mark.parametrize("ratio", [1, 10, 1000])
def test_known_parity_breaks_ddp_for_every_ratio(ratio):
    beliefs = fair(2, lambda x: sum(x) % 2)
    best = DistributionalPrivacy(beliefs, ratio=ratio).tightest(mechanism("parity(bits=2)"))
    assert best.delta == HALF


MAJORITY = "exact(majority, universe=bits(5))"
HIDDEN = "hidden(9/10=1/2, 1/10=1/2)"


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        (f"noiseless({HIDDEN}, ratio=1)", "4019/5000"),
        (f"noiseless({HIDDEN}, ratio=2)", "7057/10000"),
        (f"ddp({HIDDEN}, simulator=canonical, ratio=1)", "243/5000"),
        (f"ddp({HIDDEN}, simulator=canonical, ratio=11/10)", "3879/100000"),
        (f"noiseless({HIDDEN}, side=parameter, ratio=1)", "243/5000"),
        (f"ddp({HIDDEN}, side=parameter, simulator=canonical, ratio=1)", "243/5000"),
        (f"pufferfish({HIDDEN}, ratio=1)", "4019/5000"),
    ],
)
def test_the_hidden_mean_separates_noiseless_privacy_from_ddp(definition, expected):
    assert measure(MAJORITY, definition=definition).delta == Fraction(expected)


# --- Pufferfish -----------------------------------------------------------------------------------


def one_secret():
    joint = Joint({("no", "nothing"): Fraction(1, 4), ("yes", "nothing"): Fraction(3, 4)})
    laws = {
        "no": {"a": Fraction(3, 5), "b": Fraction(2, 5)},
        "yes": {"a": Fraction(3, 10), "b": Fraction(7, 10)},
    }
    beliefs = BeliefClass((joint,), "a quarter says no")
    return beliefs, Release("answer", laws.__getitem__), lambda x: int(x == "yes")


def test_pufferfish_of_one_secret():
    beliefs, release, secret = one_secret()
    assert Pufferfish(beliefs, secret, ratio="3/2").tightest(release).delta == Fraction(3, 20)


def test_what_is_concluded_about_one_secret():
    beliefs, release, secret = one_secret()
    found = InferencePufferfish(beliefs, secret, ratio="6/5").tightest(release)
    assert found.delta == Fraction(1, 10)  # output a, of probability 3/8, is 1/10 apart
    assert found.witness.output == "a"
    assert found.witness.inner == Fraction(1, 10)
    assert found.witness.posteriors[0][0] == Fraction(2, 5)
    wider = InferencePufferfish(beliefs, secret, ratio="3/2").tightest(release)
    assert wider.delta == Fraction(2, 5) - Fraction(3, 2) * Fraction(1, 4)


# --- point beliefs, and what is printed about them ------------------------------------------------

THREE_LAWS = Dense(
    Records(3, 1),
    Records(["a", "b", "c"], 1),
    [["1/2", "1/4", "2/5"], ["3/10", "3/10", "1/10"], ["1/5", "9/20", "1/2"]],
)


@pytest.mark.parametrize(("ratio", "expected"), [(1, "3/20"), ("6/5", "17/150"), ("3/2", "7/120")])
def test_point_beliefs_ask_for_one_law_near_all(ratio, expected):
    asked = DistributionalPrivacy(points(Records(3, 1)), ratio=ratio)
    assert asked.tightest(THREE_LAWS).delta == Fraction(expected)


def test_point_beliefs_make_inference_vacuous():
    """Publishing everything passes with (0, 0): a point belief has nothing left to conclude."""
    everything = mechanism("identity(bits=2)")
    asked = InferenceDistributionalPrivacy(points(BitStrings(2)), simulator="coin", ratio=1)
    assert asked.tightest(everything).delta == 0
    assert DifferentialPrivacy().tightest(everything).ratio == INFINITY


def test_point_beliefs_give_differential_privacy_only_up_to_a_square():
    answer = mechanism("randomized-response(bits=1, keep=3/4)")
    best = DistributionalPrivacy(points(BitStrings(1)), simulator="coin").tightest(answer)
    assert best.ratio == 2
    assert DifferentialPrivacy().tightest(answer).ratio == 3 <= best.ratio**2


def test_two_private_beliefs_need_one_simulator_for_their_mixture():
    first = Release("first entry", lambda x: {x[0]: Fraction(1)})
    beliefs = [
        Joint({((a, b), "nothing"): HALF for b in (0, 1)}, f"the first is {a}") for a in (0, 1)
    ]
    alone = [BeliefClass((joint,), joint.name) for joint in beliefs]
    both = BeliefClass((Joint.mixture(beliefs, [HALF, HALF]),), "the entries are fair")
    for ratio in (1, 7):
        deltas = [
            DistributionalPrivacy(these, ratio=ratio).tightest(first).delta
            for these in (*alone, both, BeliefClass(tuple(beliefs), "one of the two"))
        ]
        assert deltas == [0, 0, HALF, HALF]


# --- coupled worlds do not imply inference with the printed numbers -------------------------------


def test_a_large_epsilon_breaks_the_printed_step_to_inference():
    joint = Joint({(0, "nothing"): Fraction(3, 4), (1, "nothing"): Fraction(1, 4)})
    beliefs = BeliefClass((joint,), "a quarter are 1")
    laws = {0: {"t": Fraction(31, 100), "u": Fraction(69, 100)}, 1: {"u": Fraction(1)}}
    release, pair = Release("rare", laws.__getitem__), Scrub("x", lambda x: x, lambda _: "gone")
    simulator = {"gone": {"t": Fraction(1, 100), "u": Fraction(99, 100)}}
    given = {"simulator": simulator}
    assert CoupledWorlds(beliefs, pair, ratio=30, **given).tightest(release).delta == Fraction(
        1, 100
    )
    found = InferenceCoupledWorlds(beliefs, pair, ratio=30**3, **given).tightest(release)
    assert found.delta == Fraction(93, 400) > Fraction(1, 5)
    assert found.witness.inner == Fraction(1, 4)


def test_ratio_five_breaks_the_printed_step_to_inference():
    values, d = range(10), Fraction(2401, 10**6)
    joint = Joint({((v,), "nothing"): Fraction(1, 10) for v in values})
    beliefs = BeliefClass((joint,), "the entry is uniform on ten values")

    def law(x):
        shown = {f"not {u}": 5 * d for u in values if u != x[0]}
        return {**shown, "nothing": 1 - sum(shown.values())}

    simulator = {(): {**{f"not {u}": d for u in values}, "nothing": 1 - 10 * d}}
    given = {"simulator": simulator}
    release = Release("not that", law)
    assert DistributionalPrivacy(beliefs, ratio=5, **given).tightest(release).delta == d
    found = InferenceDistributionalPrivacy(beliefs, ratio=125, **given).tightest(release)
    assert found.witness.failure == Fraction(108045, 10**6)
    assert found.delta == Fraction(1, 10)
    assert found.delta**2 > 4 * d  # above the 2 sqrt(delta) that is printed


# --- as text --------------------------------------------------------------------------------------
