"""Guarantees: read, written, compared; bad input is refused with the way out."""

from fractions import Fraction

import pytest
from hypothesis import given

from twoworlds.errors import InvalidInput
from twoworlds.numbers import exp, sqrt
from twoworlds.testing.strategies import deltas, ratios
from twoworlds.theorems import Guarantee
from twoworlds.theorems.formulas import tanh_half


@pytest.mark.parametrize(
    "text",
    [
        "dp(epsilon=0.1)",
        "dp(epsilon=0.1, delta=1e-9)",
        "dp(ratio=3, delta=1/3, group=2)",
        "dp(epsilon=0)",
        "dp(epsilon=inf, delta=0.1)",
        "semantic(epsilon=0.1, delta=0.01, records=1000)",
        "statistical-difference(epsilon=1/7, neighbours=add-remove)",
        "conditional(epsilon=0.3, delta=0.01, failure=0.02)",
        "power(level=0.05, power=0.15)",
        "coupled-worlds(ratio=2, delta=0.01, pairs=7)",
        "rdp(order=1.5, epsilon=0.1, neighbours=add-remove)",
        "gdp(mu=inf)",
        "zcdp(rho=0.5, group=3)",
    ],
)
def test_what_is_typed_is_printed(text):
    assert str(Guarantee.parse(text)) == text


@pytest.mark.parametrize(
    "x", [sqrt(Fraction(1, 3)), tanh_half(exp(Fraction(2, 7))), sqrt(Fraction(1, 10**9))]
)
def test_a_printed_irrational_number_is_never_stronger_than_the_true_one(x):
    printed = Guarantee.parse(str(Guarantee("statistical-difference", {"epsilon": x})))
    assert printed.epsilon > x
    assert printed.epsilon < x * Fraction(1_000_001, 1_000_000)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dp(epsilon=-1)", "epsilon is at least 0"),
        ("dp(ratio=1/2)", "must be at least 1"),
        ("dp(epsilon=1, ratio=2)", "give one of them"),
        ("dp(epsilon=1, delta=2)", "delta=2 is out of range"),
        ("dp(epsilon=1, delta=-1)", "out of range"),
        ("dp", "epsilon= or ratio="),
        ("dp(0.1)", "name the numbers"),
        ("dp(epsilon=1, gamma=2)", "unknown number of dp"),
        ("dp(epsilon=1, records=0)", "records"),
        ("dp(epsilon=1, records=1.5)", "whole number"),
        ("dp(epsilon=1, group=0)", "group"),
        ("dp(epsilon=1, neighbours=friends)", "neighbour relation"),
        ("semantic(epsilon=1.5)", "epsilon=1.5 is out of range"),
        ("semantic(delta=0.1)", "epsilon="),
        ("semantik(epsilon=0.1)", "did you mean 'semantic'"),
        ("power(level=0.05)", "power="),
        ("dp(epsilon=nan)", "not a number"),
        ("coupled-worlds(epsilon=1, records=20)", "give pairs="),
        ("inference-coupled-worlds(epsilon=1, records=20)", "give pairs="),
        ("coupled-worlds(epsilon=1, pairs=0)", "pairs"),
        ("ddp(epsilon=1, pairs=20)", "for ddp give records="),
        ("ddp(epsilon=1, group=2)", "one person at a time; for groups state coupled-worlds"),
        ("noiseless(epsilon=1, group=2)", "one person at a time"),
        ("simulation(epsilon=1, group=2)", "one person at a time"),
        ("rdp(epsilon=1)", "rdp needs a number: give order="),
        ("rdp(order=1, epsilon=1)", "a fraction above 1"),
        ("rdp(order=inf, epsilon=1)", "is the epsilon of dp"),
        ("rdp(order=2, epsilon=-1)", "epsilon is at least 0"),
        ("zcdp(rho=-1)", "rho is at least 0"),
        ("zcdp(mu=1)", "unknown number of zcdp"),
        ("gdp(mu=x)", "not a number"),
        ("gdp", "give mu="),
    ],
)
def test_rejects_what_is_no_guarantee_and_says_the_way_out(text, words):
    with pytest.raises(InvalidInput) as caught:
        Guarantee.parse(text)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"kind": "semantik"}, "did you mean 'semantic'"),
        ({"kind": "semantic", "delta": 2}, "out of range"),
        ({"kind": "semantic", "epsilon": -1}, "out of range"),
        ({"kind": "semantic", "ratio": 3}, "unknown number of semantic"),
        ({"kind": "semantic", "records": 0}, "records"),
        ({"kind": "semantic", "records": 7}, "for records=5"),
        ({"kind": "local-semantic", "delta1": 2}, "delta1=2 is out of range"),
        ({"kind": "power", "level": "x"}, "level="),
        ({"kind": "dp", "group": -1}, "group"),
        ({"kind": "dp", "neighbours": "x"}, "neighbour relation"),
        ({"kind": "semantic", "values": 0}, "values"),
    ],
)
def test_rejects_questions_that_make_no_sense(wanted, words):
    with pytest.raises(InvalidInput) as caught:
        Guarantee.parse("dp(epsilon=1, records=5)").implies(**wanted)
    assert words in str(caught.value)


@given(ratios(), ratios(), deltas(), deltas())
def test_a_guarantee_is_stronger_when_every_number_is_at_most_as_large(a, b, c, d):
    one, other = Guarantee.of("dp", ratio=a, delta=c), Guarantee.of("dp", ratio=b, delta=d)
    assert one.at_least_as_strong_as(other) == (a <= b and c <= d)


@pytest.mark.parametrize(
    ("stated", "kind", "told", "words"),
    [
        ("ddp(ratio=2, delta=1/5000, records=20)", "inference-ddp", {"group": 2}, "one person"),
        ("ddp(ratio=2)", "inference-ddp", {"pairs": 3}, "for ddp give records="),
        ("coupled-worlds(ratio=2)", "inference-coupled-worlds", {"records": 3}, "give pairs="),
        ("ddp(ratio=2, records=3)", "inference-ddp", {"records": 4}, "is for records=3"),
        ("coupled-worlds(ratio=2, pairs=3)", "pufferfish", {"pairs": 4}, "is for pairs=3"),
        ("dp(ratio=2)", "ddp", {"symmetric": "maybe"}, "symmetric=maybe: say yes or no"),
        ("dp(ratio=2)", "ddp", {"tagged": 2}, "tagged=2: say yes or no"),
        ("pufferfish(ratio=2)", "inference-pufferfish", {"decided": ""}, "say yes or no"),
    ],
)
def test_facts_that_do_not_fit_are_refused_with_the_way_out(stated, kind, told, words):
    with pytest.raises(InvalidInput, match=words):
        Guarantee.parse(stated).implies(kind, **told)


def test_groups_are_pairs_of_coupled_worlds():
    pairs = 20 + 190  # groups of one or two among twenty
    given = Guarantee.parse(f"coupled-worlds(ratio=2, delta=1/50000, pairs={pairs})")
    found = given.implies("inference-coupled-worlds").best
    assert (found.ratio, found.pairs) == (4, pairs)
    few = given.implies("inference-coupled-worlds", pairs=pairs).best
    assert str(few) == str(found)
    assert given == Guarantee.parse(str(given))
    assert given != Guarantee.parse("coupled-worlds(ratio=2, delta=1/50000, pairs=20)")
