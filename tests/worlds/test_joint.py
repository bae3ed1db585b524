"""Laws of (X, Z) and classes of them, against enumeration, and what is refused."""

from fractions import Fraction
from random import Random

import pytest

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.worlds import joint as module
from twoworlds.worlds.belief import explicit, uniform
from twoworlds.worlds.joint import (
    NOTHING,
    BeliefClass,
    Joint,
    as_law,
    law_at,
    value_at,
)
from twoworlds.worlds.records import BitStrings

HALF = Fraction(1, 2)
PAIR = BitStrings(2)


def random_law(outcomes, random):
    weights = [random.randint(0, 5) for _ in outcomes]
    weights[random.randrange(len(weights))] += 1
    return {o: Fraction(w, sum(weights)) for o, w in zip(outcomes, weights, strict=True)}


def random_joint(random):
    pairs = [(x, z) for x in PAIR for z in "abc"]
    return Joint(random_law(pairs, random))


@pytest.mark.parametrize("seed", range(12))
def test_conditioning_is_bayes_rule_by_enumeration(seed):
    joint = random_joint(Random(seed))
    for z in "abc":
        total = sum(joint.masses.get((x, z), Fraction(0)) for x in PAIR)
        assert joint.sides.get(z, 0) == total
        if total == 0:
            with pytest.raises(InvalidInput, match="impossible"):
                joint.given(z)
        else:
            found = joint.given(z)
            for x in PAIR:
                assert found.get(x, 0) == joint.masses.get((x, z), 0) / total
            assert all(found.values())


@pytest.mark.parametrize("seed", range(12))
def test_a_random_function_of_the_database_is_known_besides(seed):
    random = Random(seed)
    joint = random_joint(random)
    channel = {x: random_law("uv", random) for x in PAIR}
    more = joint.knowing(lambda x: channel[x])
    for x in PAIR:
        for z in "abc":
            for w in "uv":
                expected = joint.masses.get((x, z), Fraction(0)) * channel[x][w]
                assert more.masses.get((x, (z, w)), 0) == expected


@pytest.mark.parametrize("seed", range(12))
def test_knowing_only_a_random_function_of_z_adds_up_over_z(seed):
    random = Random(seed)
    joint = random_joint(random)
    channel = {z: random_law("uv", random) for z in "abc"}
    less = joint.knowing_less(lambda z: channel[z])
    for x in PAIR:
        for w in "uv":
            parts = (joint.masses.get((x, z), Fraction(0)) * channel[z][w] for z in "abc")
            assert less.masses.get((x, w), 0) == sum(parts)
    forgotten = joint.knowing_less(lambda _: NOTHING)
    assert forgotten.given(NOTHING).keys() == set(joint.databases)


@pytest.mark.parametrize("seed", range(12))
def test_a_mixture_weighs_its_parts(seed):
    random = Random(seed)
    first, second = random_joint(random), random_joint(random)
    share = Fraction(random.randint(0, 4), 4)
    mixed = Joint.mixture([first, second], [share, 1 - share])
    for x in PAIR:
        for z in "abc":
            parts = [part.masses.get((x, z), Fraction(0)) for part in (first, second)]
            assert mixed.masses.get((x, z), 0) == share * parts[0] + (1 - share) * parts[1]


def test_masses_are_read_exactly_so_that_no_float_appears():
    joint = Joint({("a", 0): 1, ("b", 0): 0})
    assert joint.given(0) == {"a": 1}
    assert isinstance(joint.given(0)["a"], Fraction)
    assert Joint({("a", 0): "1/4", ("b", 0): 0.75}).given(0)["b"] == Fraction(3, 4)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Joint({("a", 0): HALF}), "sum to 1/2 .*must sum to 1"),
        (lambda: Joint({("a", 0): 2, ("b", 0): -1}), "negative"),
        (lambda: Joint({"abc": 1}), "not a pair"),
        (lambda: Joint({("a", 0): "many"}), "probability of .*many"),
        (lambda: Joint.of(uniform(PAIR)).given("rain"), "rain impossible.*possible are nothing"),
        (lambda: Joint.of(uniform(PAIR), lambda x: 1 // x[0]), "failed at 01: ZeroDivision"),
        (lambda: Joint.of(uniform(PAIR), list), r"at 11: .*\[1, 1\] \(type list\).*tuple"),
        (lambda: Joint.of(uniform(PAIR), lambda _: {0: HALF}), "sum to 1/2"),
        (lambda: Joint.of(uniform(PAIR)).knowing(set), "type set"),
        (lambda: Joint.of(uniform(PAIR)).knowing_less(lambda z: z.x), "function of the side"),
        (lambda: Joint.mixture([], []), "0 beliefs"),
        (lambda: Joint.mixture([Joint({("a", 0): 1})], [1, 2]), "1 beliefs need as many"),
        (lambda: Joint.mixture([Joint({("a", 0): 1})] * 2, [2, -1]), "negative"),
        (lambda: Joint.mixture([Joint({("a", 0): 1})] * 2, ["1/2", "1/3"]), "weights.*5/6"),
        (lambda: BeliefClass((), "nobody"), "empty"),
        (lambda: as_law({"a": "1/2"}), "sum to 1/2"),
        (lambda: as_law([1]), "type list"),
        (lambda: value_at(lambda x: x / 0, 3, "the share"), "the share failed at 3: ZeroDivision"),
        (lambda: value_at(list, (1,), "priv"), "priv at 1 is"),
        (lambda: law_at(lambda _: {"a": -1, "b": 2}, (1, 0), "alt"), "alt at 10: .*negative"),
    ],
)
def test_what_is_no_belief_is_refused(build, words):
    with pytest.raises(InvalidInput, match=words):
        build()


def test_too_many_pairs_are_refused_with_the_limit(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_SUPPORT", 3)
    with pytest.raises(TooLarge, match=r"more than 3 pairs.*fewer people"):
        len(Joint.of(uniform(PAIR)))


def test_errors_of_our_own_pass_through_a_side_function_unchanged():
    def refuse(_):
        raise InvalidInput("our own words")

    with pytest.raises(InvalidInput, match=r"^our own words$"):
        Joint.of(uniform(PAIR), refuse)


def test_a_class_changes_every_member_and_says_so():
    fair = BeliefClass(
        (Joint.of(uniform(PAIR)), Joint.of(explicit(PAIR, {"11": 1}))), "they say so"
    )
    knowing = fair.knowing(sum, "the total")
    assert [member.sides for member in knowing] == [
        {(NOTHING, 2): Fraction(1, 4), (NOTHING, 1): HALF, (NOTHING, 0): Fraction(1, 4)},
        {(NOTHING, 2): 1},
    ]
    assert knowing.assumption == "they say so, and the attacker knows the total"
    less = knowing.knowing_less(lambda z: z[1] > 0, "whether it is above 0")
    assert less.members[0].sides == {True: Fraction(3, 4), False: Fraction(1, 4)}
    assert "only whether it is above 0" in less.assumption
    hull = less.with_mixtures()
    assert hull.hull
    assert len(hull) == 2
    assert hull.each(lambda member: member, "same").hull
