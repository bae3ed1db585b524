"""Complaints stand beside the field that caused them, in the words of the command line."""

import pytest

from tests.web.serving import read_as
from twoworlds.errors import TwoWorldsError
from twoworlds.web import bodies
from twoworlds.web.attacks import attack
from twoworlds.web.guarantees import guarantees
from twoworlds.web.mathematics import noiseless
from twoworlds.web.refusals import Refused


@pytest.mark.parametrize(
    ("name", "options", "field", "words"),
    [
        ("averaging", {"epsilon": "-1"}, "epsilon", "epsilon=-1 must be a finite number above 0"),
        ("averaging", {"times": "often"}, "times", "the number of questions='often' is not"),
        ("averaging", {"times": "1,5000"}, "times", "at most 4096"),
        ("averaging", {"confidence": "2"}, "confidence", "confidence=2 is not a probability"),
        ("differencing", {"at_least": "few"}, "at_least", "the limit on the size of a set='few'"),
        ("differencing", {"at_least": "-1"}, "at_least", "the limit on the size of a set=-1"),
        ("differencing", {"secret": "x=1"}, "secret", "unknown column 'x'"),
        ("membership", {"people": "0"}, "people", "the number of people=0 must be"),
        ("membership", {"attributes": "many"}, "attributes", "the number of attributes='many'"),
        ("membership", {"people": "9999"}, "people", "the service tries up to 2000"),
        ("linkage", {"sensitive": "nope"}, "sensitive", "figure1.csv has no column 'nope'"),
        ("linkage", {"on": "nope"}, "on", "register.csv has no column 'nope'"),
        ("composition", {"prior": "x=2"}, None, "no weight is given"),
        ("composition", {"know": ["x=1"]}, "know", "there is no column 'x'"),
        ("reconstruct", {"rows": "0"}, "rows", "rows=0 must be a whole number"),
        ("reconstruct", {"method": "x"}, "method", "x"),
        ("auxiliary", {"topic": "x"}, "topic", "unknown topic 'x'"),
    ],
)
def test_attacks_blame_the_option(name, options, field, words):
    with pytest.raises(TwoWorldsError) as caught:
        attack(name, options)
    assert words in str(caught.value)
    assert caught.value.field == field


@pytest.mark.parametrize("universe", ["bitz(2)", "bits(-1)", "bits(", "bits(99)"])
def test_guarantees_blame_the_universe(universe):
    with pytest.raises(TwoWorldsError) as caught:
        guarantees(definition="dp(ratio=3)", universe=universe)
    assert caught.value.field == "universe"


def test_guarantees_blame_the_definition():
    with pytest.raises(TwoWorldsError) as caught:
        guarantees(definition="dp(ratio=0)", universe="bits(1)")
    assert caught.value.field == "definition"


def test_too_many_known_people_are_said_as_on_the_command_line():
    with pytest.raises(TwoWorldsError) as caught:
        noiseless("10", "12")
    assert str(caught.value).startswith("known=12 of 10 entries: at most 9 can be known of others")
    assert caught.value.field == "known"


@pytest.mark.parametrize(
    ("kind", "body", "said"),
    [
        (bodies.MechanismBody, {"mechanism": ""}, "mechanism: it is empty: say what is meant"),
        (bodies.MechanismBody, {"mechanism": "  "}, "mechanism: it is empty"),
        (bodies.MechanismBody, {"mechanism": "x" * 4001}, "it has 4001 characters"),
        (bodies.MechanismBody, {"mechanism": "x", "definitions": "yes"}, "say true or false"),
        (bodies.MechanismBody, {}, "mechanism is missing: give it"),
        (bodies.MechanismBody, {"mechanism": "x", "neighbors": "y"}, "did you mean 'neighbours'?"),
        (bodies.Noiseless, {"people": ""}, "people: it is empty: write a number"),
        (bodies.ReleaseBody, {"queries": "SELECT"}, "queries: give a list"),
        (bodies.ReleaseBody, {"queries": []}, "queries: give at least 1"),
        (bodies.ReleaseBody, {"queries": ["x"] * 33}, "queries: give at most 32"),
    ],
)
def test_bodies_are_refused_in_our_words(kind, body, said):
    with pytest.raises(Refused) as caught:
        read_as(kind, body)
    assert said in caught.value.message
    assert "validation" not in caught.value.message
