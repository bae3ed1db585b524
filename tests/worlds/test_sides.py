"""Side information as calls, against enumeration."""

from fractions import Fraction
from itertools import product

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.worlds import BitStrings, Graphs, Integers, Records, Samples
from twoworlds.worlds.classes import belief_class
from twoworlds.worlds.joint import NOTHING, Joint
from twoworlds.worlds.sides import side

BITS = BitStrings(3)
HALF, EIGHTH = Fraction(1, 2), Fraction(1, 8)


def uniform(what):
    (joint,) = belief_class("uniform", BITS, what)
    return joint


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("none", lambda x: NOTHING),
        ("known(2)", lambda x: x[1]),
        ("known(3, 1)", lambda x: (x[2], x[0])),
        ("others(2)", lambda x: (x[0], x[2])),
        ("everything", lambda x: x),
        ("size", len),
        ("parity", lambda x: sum(x) % 2),
        ("sum", sum),
        ("count(0)", lambda x: x.count(0)),
        ("histogram", lambda x: (x.count(1), x.count(0))),
        ("both(known(1), parity)", lambda x: (x[0], sum(x) % 2)),
        ("python:builtins:max", max),
        ("blur(known(1, 2), python:builtins:max)", lambda x: max(x[:2])),
    ],
)
def test_what_is_known_is_this_function_of_the_database(text, function):
    assert uniform(text).masses == {(x, function(x)): EIGHTH for x in BITS}


def test_a_noisy_value_is_true_or_evenly_one_of_the_others():
    heard = uniform("noisy(sum, 2/5)")
    for x, z in product(BITS, range(4)):
        expected = Fraction(2, 5) if z == sum(x) else Fraction(1, 5)
        assert heard.masses[x, z] == EIGHTH * expected
    assert uniform("noisy(size, 1/3)").sides == {3: 1}  # nothing else could be heard
    assert uniform("noisy(known(1), 0)").given(1)[0, 1, 1] == Fraction(1, 4)
    flip = {z: {z: Fraction(3, 4), 1 - z: Fraction(1, 4)} for z in (0, 1)}
    less = uniform("known(1)").knowing_less(flip.__getitem__)
    assert less.masses == uniform("noisy(known(1), 3/4)").masses


def test_what_is_learned_sometimes_is_else_nothing():
    found = uniform("sometimes(known(1), 1/4)")
    assert found.sides == {("learned", 1): EIGHTH, ("learned", 0): EIGHTH, NOTHING: Fraction(3, 4)}
    assert found.given(NOTHING) == dict.fromkeys(BITS, EIGHTH)
    assert uniform("sometimes(known(1), 1)").sides == {("learned", 1): HALF, ("learned", 0): HALF}
    assert uniform("sometimes(known(1), 0)").sides == {NOTHING: 1}


def test_the_parameter_is_known_only_where_it_is_asked_for():
    hidden = "hidden(9/10=1/2, 1/10=1/2)"
    (known,) = belief_class(hidden, BITS, "parameter")
    assert known.given(Fraction(9, 10))[1, 1, 0] == Fraction(81, 1000)
    (unknown,) = belief_class(hidden, BITS)
    assert unknown.given(NOTHING)[1, 1, 0] == Fraction(9 * 9 * 1 + 1 * 1 * 9, 2000)
    (other,) = belief_class(hidden, BITS, "known(1)")
    assert other.sides == {1: HALF, 0: HALF}
    (both,) = belief_class(hidden, BITS, "both(parameter, known(1))")
    assert both.sides[Fraction(9, 10), 1] == Fraction(9, 20)
    (sometimes,) = belief_class(hidden, BITS, "sometimes(parameter, 1/2)")
    assert sometimes.sides["learned", Fraction(1, 10)] == Fraction(1, 4)


def test_side_information_of_samples_and_graphs():
    samples = Samples(("ann", "bob"), (0, 1))
    (found,) = belief_class("sample([1, 0], fixed=1)", samples, "known(ann)")
    assert found.sides == {1: HALF, "absent": HALF}
    graphs = Graphs((1, 2))
    (found,) = belief_class("uniform", graphs, "known(2)")
    assert found.sides == {frozenset({1}): HALF, frozenset(): HALF}
    assert side("known(2)", graphs).what == "the label and edges of node 2"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("none", ""),
        ("known(1)", "the entry of person 1"),
        ("known(1, 2, 3)", "the entries of persons 1, 2 and 3"),
        ("others(2)", "everything except the entry of person 2"),
        ("parity", "the parity of the count of 1"),
        ("both(known(1), sum)", "the entry of person 1 and also the sum"),
        ("sometimes(sum, 1/4)", "with probability 1/4 the sum"),
        ("python:builtins:max", "the value of max"),
    ],
)
def test_what_is_known_is_said(text, what):
    assert side(text, BITS).what == what


def test_joint_laws_keep_what_their_attackers_know():
    joint = Joint.of(dict.fromkeys(BITS, EIGHTH), lambda x: x[0], "mine")
    kept = belief_class(joint, BITS)
    assert kept.members == (joint,)
    more = belief_class(joint, BITS, "known(2)")
    assert more.members[0].sides[1, 0] == Fraction(1, 4)
    assert more.assumption.endswith("the attacker knows the entry of person 2 as well")
    assert belief_class([joint], BITS, "none").members == (joint,)
    plain = Joint.of(dict.fromkeys(BITS, EIGHTH))
    assert belief_class(plain, BITS, "known(2)").members[0].sides == {1: HALF, 0: HALF}
    assert belief_class(joint, BITS, "parameter").members[0].masses == joint.masses


@pytest.mark.parametrize(
    ("text", "universe", "words"),
    [
        ("known(4)", BITS, "'4' is no person of bits.3.: there are 3, counted from 1"),
        ("known(0)", BITS, "counted from 1"),
        ("known(1, 1)", BITS, "named twice"),
        ("known", BITS, "no person is named"),
        ("known(1)", Integers(0, 3), "no persons to speak of"),
        ("known(1)", Records(2, 3, smallest=0), "several sizes"),
        ("others(7)", BITS, "'7' is no person"),
        ("parameter", BITS, "no hidden parameter.*hidden"),
        ("noisy(parameter, 1/2)", BITS, "sometimes"),
        ("noisy(known(1), 2)", BITS, "keep=2"),
        ("noisy(known(1))", BITS, "needs the argument 'keep'"),
        ("sometimes(known(1), -1)", BITS, "chance=-1"),
        ("both()", BITS, "write both"),
        ("blur(known(1), max)", BITS, "python:module:function"),
        ("blur(known(1), python:builtins:len)", BITS, "the function len failed at 1: TypeError"),
        ("python:no_such_module:f", BITS, "cannot be loaded"),
        ("python:builtins", BITS, "write python:package.module:name"),
        ("python:math:pi", BITS, "not a function"),
        ("python:builtins:list", BITS, "type list"),
        ("python:math:sqrt", BITS, "failed at 111: TypeError"),
        ("[known(1)]", BITS, "is not a call"),
    ],
)
def test_side_information_that_makes_no_sense_is_refused(text, universe, words):
    belief = "uniform"
    with pytest.raises(InvalidInput, match=words):
        belief_class(belief, universe, text)
