"""The sentences: assumption, odds, what breaks it."""

from fractions import Fraction

import pytest

from twoworlds.definitions.coupled.words import (
    assumed,
    conclusion_words,
    even_bet,
    numbers_text,
    refuted,
)
from twoworlds.numbers import INFINITY, exp

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("ratio", "delta", "expected"),
    [
        (Fraction(1), Fraction(0), "an even bet on it stays even"),
        (Fraction(3), Fraction(0), "an even bet on it becomes at most 75 to 25"),
        (exp(HALF), Fraction(0), "an even bet on it becomes at most 62.3 to 37.7"),
        (INFINITY, Fraction(0), "an even bet on it can move by any factor, though never to"),
        (INFINITY, HALF, "an even bet on it can become certainty, with a probability of up to 0.5"),
        (Fraction(2), Fraction(1), "an even bet on it can become certainty: nothing is promised"),
        (
            Fraction(1),
            HALF,
            "a bet at even odds on it is won with probability at most 75%, and noth",
        ),
    ],
)
def test_odds_of_an_even_bet(ratio, delta, expected):
    assert even_bet(ratio, delta, "on it").startswith(expected)


@pytest.mark.parametrize(
    ("ratio", "delta", "expected"),
    [
        (Fraction(1), Fraction(0), "what is published leads to no other conclusion about you than"),
        (
            Fraction(2),
            Fraction(0),
            "whatever is published, anything concluded about you is at most",
        ),
        (
            Fraction(1),
            HALF,
            "anything concluded about you is as likely as before, give or take 0.5",
        ),
        (INFINITY, Fraction(0), "what is published can move what is concluded about you by any"),
        (INFINITY, HALF, "what is published can settle you for good: nothing is promised"),
        (
            Fraction(2),
            Fraction(1),
            "what is published can settle you for good: nothing is promised",
        ),
    ],
)
def test_what_is_concluded(ratio, delta, expected):
    assert conclusion_words(ratio, delta, "you", "before").startswith(expected)


def test_the_parts_of_a_sentence():
    assert assumed("a.", "b.") == "If a, then b."
    assert assumed("a", "b", "c.") == "If a, then b. What breaks it: c."
    text = refuted("ddp(ratio=2, delta=1/4)", Fraction(1, 3), Fraction(1, 4))
    assert text == "ddp(ratio=2, delta=1/4) fails: delta is at least 0.3333, where 0.25 is allowed"


def test_numbers_as_arguments():
    assert numbers_text(None, None) == []
    assert numbers_text(exp(HALF), None) == ["epsilon=1/2"]
    assert numbers_text(Fraction(1), Fraction(1, 3)) == ["ratio=1", "delta=1/3"]
