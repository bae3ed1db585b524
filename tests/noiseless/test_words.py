from __future__ import annotations

import random
from fractions import Fraction

import pytest

from twoworlds.definitions.coupled.words import assumed, claim, counted, even_bet, short
from twoworlds.numbers import INFINITY, exp, number


def test_the_assumption_comes_first_and_what_breaks_it_last():
    said = assumed("nobody knows it", "it stays hidden.", "knowing it.")
    assert said == "If nobody knows it, then it stays hidden. What breaks it: knowing it."
    assert assumed("a", "b") == "If a, then b."


@pytest.mark.parametrize(
    ("ratio", "delta", "words"),
    [
        (Fraction(3), Fraction(0), "becomes at most 75 to 25"),
        (exp(number("0.5")), Fraction(1, 1000), "is won with probability at most 62.3%"),
        (Fraction(1), Fraction(1, 8), "at most 56.25%, and nothing is more than 0.125 likelier"),
        (Fraction(10**30), Fraction(0), "just below 100% sure"),
        (Fraction(3), Fraction(1), "nothing is promised"),
        (INFINITY, Fraction(0), "by any factor"),
    ],
)
def test_odds_in_words(ratio, delta, words):
    assert words in even_bet(ratio, delta)


def test_odds_are_rounded_so_that_they_never_promise_too_much():
    assert "33.4 to 66.6" not in even_bet(Fraction(2), Fraction(0))
    assert "66.7 to 33.3" in even_bet(Fraction(2), Fraction(0))
    assert "plus 0.334," in even_bet(Fraction(2), Fraction(1, 3))


@pytest.mark.parametrize("seed", range(5))
def test_no_test_wins_an_even_bet_more_often_than_said(seed):
    """The meaning of the words, on random laws: the best test, against (r + delta)/(r + 1)."""
    rng = random.Random(seed)
    p, q = ([Fraction(rng.randint(0, 9)) for _ in range(8)] for _ in range(2))
    p, q = ([x / sum(law) for x in law] for law in (p, q))
    won = sum(max(x, y) for x, y in zip(p, q, strict=True)) / 2
    for ratio in (Fraction(1), Fraction(3, 2), Fraction(4)):
        delta = max(
            sum(max(x - ratio * y, 0) for x, y in zip(a, b, strict=True))
            for a, b in ((p, q), (q, p))
        )
        assert won <= (ratio + delta) / (ratio + 1)
    difference = sum(max(x - y, 0) for x, y in zip(p, q, strict=True))
    assert won == (1 + difference) / 2  # attained at ratio 1


def test_claims_are_written_as_typed():
    assert claim("ddp", exp(number("0.5")), Fraction(1, 10**9)) == "ddp(epsilon=1/2, delta=1e-9)"
    assert claim("ddp", Fraction(1)) == "ddp(ratio=1)"
    assert claim("noiseless", Fraction(3, 2)) == "noiseless(ratio=3/2)"


def test_counts_and_short_numbers():
    assert counted(1, "entry", "entries") == "1 entry"
    assert counted(20000, "entry", "entries") == "20,000 entries"
    assert short(Fraction(3)) == "3"
    assert short(Fraction(1, 3)) == "1/3"
    assert short(Fraction(1, 1000)) == "0.001"
