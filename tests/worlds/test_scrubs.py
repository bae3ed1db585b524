"""What is private, as calls: the same pairs as the builders', and what is refused."""

from fractions import Fraction

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.worlds import BitStrings, Graphs, Integers, Records, Samples, Tagged
from twoworlds.worlds import scrubbing as build
from twoworlds.worlds.scrubs import scrubs

BITS = BitStrings(3)
FIELDS = Records(("young/ill", "young/well", "old/ill"), 2)
NUMBERS = Records((0, 1, 2), 2)
PEOPLE = Samples(("ann", "bob"), (0, 1))
GRAPHS = Graphs((1, 2, 3))
STEP = {-1: "1/4", 0: "1/2", 1: "1/4"}

PAIRS = build.persons(2)
NOT_PAIRS = [1, 2]


def for_universe(universe):
    return build.persons(universe.n, tagged=True)


def fails(universe):
    raise ZeroDivisionError("oh")


def first(x):
    return x[0]


def coin(x):
    return {x[1:]: Fraction(1, 2), (): Fraction(1, 2)}


def same(found, expected, universe):
    assert [pair.name for pair in found] == [pair.name for pair in expected]
    for x in universe:
        for mine, theirs in zip(found, expected, strict=True):
            assert mine.private(x) == theirs.private(x)
            assert mine.law(x) == theirs.law(x)


@pytest.mark.parametrize(
    ("text", "universe", "expected"),
    [
        ("persons", BITS, build.persons(3)),
        ("persons(tagged)", BITS, build.persons(3, tagged=True)),
        ("persons(3, 1)", BITS, [build.persons(3)[2], build.persons(3)[0]]),
        ("persons(2, tagged)", BITS, [build.persons(3, tagged=True)[1]]),
        ("persons(bob)", PEOPLE, build.members(PEOPLE, ["bob"])),
        ("nodes", GRAPHS, build.members(GRAPHS)),
        ("nodes(2)", GRAPHS, build.members(GRAPHS, [2])),
        ("persons", GRAPHS, build.members(GRAPHS)),
        ("public([1])", FIELDS, build.public_attributes(2, [1])),
        ("public(2, tagged)", FIELDS, build.public_attributes(2, [2], tagged=True)),
        ("public([1], blank=0)", FIELDS, build.public_attributes(2, [1], blank=0)),
        ("public([1], blank=none)", FIELDS, build.public_attributes(2, [1], blank="none")),
        ("schools([1, 2], [3])", BITS, build.schools([[1, 2], [3]], 3)),
        ("schools([1, 2, 3], tagged)", BITS, build.schools([[1, 2, 3]], 3, tagged=True)),
        ("firms([-1=1/4, 0=1/2, 1=1/4], clip=no)", NUMBERS, build.firms(2, STEP)),
        (
            "firms([-1=1/4, 0=1/2, 1=1/4], tagged)",
            NUMBERS,
            build.firms(2, STEP, low=0, high=2, tagged=True),
        ),
    ],
)
def test_a_call_gives_the_pairs_of_its_builder(text, universe, expected):
    same(scrubs(text, universe), expected, universe)


def test_own_functions_by_name():
    here = f"python:{__name__}"
    (pair,) = scrubs(f"own(private={here}:first, scrubbed={here}:coin, name=the first)", BITS)
    assert pair.name == "the first"
    assert pair.private((1, 0, 0)) == 1
    assert pair.law((1, 0, 0)) == {(0, 0): Fraction(1, 2), (): Fraction(1, 2)}
    assert scrubs(f"{here}:PAIRS", BITS) == PAIRS
    assert scrubs(f"{here}:for_universe", BITS)[2].scrubbed((1, 0, 1)) == Tagged("person 3", (1, 0))


@pytest.mark.parametrize(
    ("text", "universe", "words"),
    [
        ("persons(4)", BITS, "'4' is no person of bits.3.: there are 3, counted from 1"),
        ("persons(dan)", PEOPLE, "there are ann, bob"),
        ("persons", Integers(0, 3), "no persons to speak of"),
        ("persons", Records(2, 3, smallest=1), "several sizes"),
        ("nodes", BITS, "has no nodes"),
        ("nodes(9)", GRAPHS, "'9' is no node"),
        ("public([3])", FIELDS, "field 3 .*2 fields"),
        ("public([1, 2])", FIELDS, "nothing is left"),
        ("public([1])", BITS, "has no fields"),
        ("public([1], taged)", FIELDS, "'taged' is not understood"),
        ("public()", FIELDS, "needs the argument 'fields'"),
        ("public([1])", GRAPHS, "no persons"),
        ("schools([1, 2], [2, 3])", BITS, "schools 1 and 2"),
        ("schools([1, 2])", BITS, "person 3 is in no school"),
        ("schools([1, 2], [3, 4])", BITS, "pupil 4"),
        ("schools(1, 2)", BITS, "list each school's pupils"),
        ("firms([1/2=1])", NUMBERS, "noise of 1/2 .*smaller unit"),
        ("firms([1=1/2])", NUMBERS, "sum to 1/2"),
        ("firms([1=1/2, 1=1/2])", NUMBERS, "given twice"),
        ("firms([1])", NUMBERS, "needs a probability"),
        ("firms(1)", NUMBERS, "law of the noise"),
        ("firms([0=1], clip=maybe)", NUMBERS, "clip=yes or no"),
        ("firms([0=1])", FIELDS, "entry of firm 1 is 'young/ill'"),
        ("own(private=first, scrubbed=python:builtins:tuple)", BITS, "'first' is not a function"),
        ("own(python:math:pi, python:math:pi)", BITS, "not a function"),
        (f"python:{__name__}:NOT_PAIRS", BITS, "gives no pairs"),
        ("python:math:pi", BITS, "gives no pairs"),
        (f"python:{__name__}:fails", BITS, "failed on bits.3.: ZeroDivisionError: oh"),
        (f"python:{__name__}:missing", BITS, "cannot be loaded"),
        ([], BITS, "nothing is named private"),
        (3, BITS, "names nothing private"),
    ],
)
def test_what_names_nothing_private_is_refused(text, universe, words):
    with pytest.raises(InvalidInput, match=words):
        scrubs(text, universe)
