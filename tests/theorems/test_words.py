"""Guarantees in words: every kind has a sentence, and no number in it is misread."""

from fractions import Fraction

import pytest

from twoworlds.theorems import KINDS, Guarantee
from twoworlds.theorems.promise import sentences, table


def said(text, **more):
    return " ".join(sentences(Guarantee.parse(text), **more))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("pointwise(ratio=3, delta=0.01)", "at most 3 times as likely"),
        ("pointwise(ratio=3, delta=0.01)", "except with probability 0.01"),
        ("indistinguishable(ratio=3, delta=0.01)", "at most 31%"),
        ("statistical-difference(epsilon=0.1)", "10 percentage points"),
        ("informed(epsilon=0.1)", "about your record, which alone is open to them, by at most 10"),
        ("semantic(epsilon=0.1, delta=0.01)", "except with probability 0.01 over data and noise"),
        ("reality-oblivious(epsilon=0.1)", "even what they held impossible"),
        ("local-semantic(epsilon=0.1)", "Nothing is promised for other beliefs"),
        ("local-dp(ratio=3)", "Only if the true database is one of certain good ones"),
        ("local-laplace(ratio=3)", "50% becomes at most 75%"),
        ("joint(ratio=3)", "has at most 30% with it"),
        ("local-joint(ratio=20)", "has at most 100% with it"),
        ("conditional(ratio=3, failure=0.02)", "at most 30% with it, except with probability 0.02"),
        ("power(level=0.05, power=0.2)", "finds the truth in at most 20% of them"),
        ("dp(ratio=3, delta=1)", "It promises nothing"),
        ("semantic(epsilon=1)", "It promises nothing"),
        ("pointwise(epsilon=inf, delta=0.1)", "impossible in the other world"),
        ("joint(epsilon=inf, delta=0.1)", "at most 100% with it"),
    ],
)
def test_every_kind_has_words_of_its_own(text, wanted):
    assert wanted in said(text)


def test_no_kind_is_left_without_a_sentence():
    for kind in KINDS.values():
        numbers = {name: "3" if name == "ratio" else "1/10" for name in kind.numbers}
        (first, *_) = sentences(Guarantee.of(kind.name, **numbers))
        assert first.endswith(".")
        assert kind.name not in first


def test_a_mechanism_that_moves_odds_less_than_its_price_allows():
    given = Guarantee.parse("dp(ratio=3)")
    assert "26.8 percentage points" in said("dp(ratio=3)", swing=Fraction(3))
    assert [row.any_belief for row in table(given, swing=Fraction(3))] == [
        row.known_others for row in table(given)
    ]
