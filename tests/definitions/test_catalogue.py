"""Definitions as calls, and the two questions: check and measure."""

from fractions import Fraction

import pytest

import twoworlds as tw
from twoworlds import definitions
from twoworlds.definitions import DEFINITIONS
from twoworlds.errors import InvalidInput, UnknownName

SURVEY = "randomized-response(bits=1, keep=3/4)"


@pytest.mark.parametrize(
    ("text", "definition"),
    [
        ("dp", tw.DifferentialPrivacy()),
        ("dp(ratio=3)", tw.DifferentialPrivacy(ratio=3)),
        ("dp(epsilon=0.5, delta=1e-6)", tw.DifferentialPrivacy(epsilon="1/2", delta="1/1000000")),
        (
            "dp(ratio=3, neighbours=add-remove, group=2)",
            tw.DifferentialPrivacy(ratio=3, neighbours="add-remove", group=2),
        ),
        ("pointwise(ratio=3)", definitions.PointwiseIndistinguishability(ratio=3)),
        ("statistical-difference(1/4)", definitions.StatisticalDifference(epsilon="1/4")),
        ("mutual-information(nats=ln 2)", definitions.MutualInformation(nats="ln 2")),
    ],
)
def test_a_definition_is_read_from_its_call(text, definition):
    assert tw.definition(text) == definition
    assert tw.definition(definition) is definition


def test_every_definition_has_a_summary_and_a_usage():
    for entry in DEFINITIONS:
        assert entry.summary.endswith((".", ")."))
        assert entry.usage.startswith(f"{entry.name}(")


def test_relation_and_group_may_stand_beside_the_claim():
    inside = tw.check("randomized-response(bits=2, keep=3/4)", "dp(ratio=9, group=2)")
    beside = tw.check("randomized-response(bits=2, keep=3/4)", "dp(ratio=9)", group=2)
    assert inside.to_dict() == beside.to_dict()
    assert (
        tw.measure("randomized-response(bits=2, keep=3/4)", neighbours="11~00", group=1).ratio == 9
    )


def test_measure_answers_the_question_that_the_numbers_ask():
    assert tw.measure(SURVEY).ratio == 3
    assert tw.measure(SURVEY, ratio=2).delta == Fraction(1, 4)
    assert tw.measure(SURVEY, epsilon="ln 2").delta == Fraction(1, 4)
    assert tw.measure(SURVEY, delta="1/4").ratio == 2
    assert tw.measure(SURVEY, definition="pointwise(ratio=2)").delta == 1
    assert tw.measure(SURVEY, definition="pointwise", ratio=2).delta == 1
    assert tw.measure(SURVEY, definition="dp(ratio=2)").delta == Fraction(1, 4)
    assert tw.measure(SURVEY, definition="dp(delta=1/4)").ratio == 2
    assert tw.measure(SURVEY, definition="statistical-difference").epsilon == Fraction(1, 2)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: tw.definition("dq(ratio=3)"), UnknownName, "did you mean 'dp'"),
        (lambda: tw.definition("dp(ration=3)"), InvalidInput, "did you mean 'ratio'.*usage: dp"),
        (lambda: tw.definition("gdp(1, 2, 3, 4)"), InvalidInput, "at most 3 arguments"),
        (lambda: tw.definition("gdp(3, mu=3)"), InvalidInput, "'mu' is given twice"),
        (lambda: tw.definition("dp(1)"), InvalidInput, r"write dp\(epsilon=1\)"),
        (
            lambda: tw.definition("dp(1, 1e-6)"),
            InvalidInput,
            r"name the numbers: write dp\(epsilon=1, delta=1e-6\)",
        ),
        (lambda: tw.definition("epsilon=1"), InvalidInput, r"write name\(epsilon=1\)"),
        (lambda: tw.check(SURVEY, "dp"), InvalidInput, "no numbers to check"),
        (lambda: tw.measure(SURVEY, ratio=2, delta=0), InvalidInput, "is a claim: check it"),
        (lambda: tw.measure(SURVEY, ratio=2, epsilon=1), InvalidInput, "not both"),
        (
            lambda: tw.measure(SURVEY, definition="dp(ratio=3, delta=1/9)"),
            InvalidInput,
            "is a claim: check it",
        ),
        (
            lambda: tw.measure(SURVEY, ratio=2, definition=tw.DifferentialPrivacy()),
            InvalidInput,
            "give ratio to the object",
        ),
        (
            lambda: tw.check(SURVEY, "dp(ratio=3, group=2)", group=2),
            InvalidInput,
            "group is given twice",
        ),
        (
            lambda: tw.check(SURVEY, tw.DifferentialPrivacy(ratio=3), group=2),
            InvalidInput,
            "carries its own neighbours, group and numbers",
        ),
        (lambda: tw.check(SURVEY, "dp(ratio=3)", group="x"), InvalidInput, "group='x'"),
        (lambda: tw.measure(SURVEY, neighbours="similar"), UnknownName, "neighbour relation"),
    ],
)
def test_rejects(ask, error, message):
    with pytest.raises(error, match=message):
        ask()
