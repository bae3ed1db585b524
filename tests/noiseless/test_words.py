from __future__ import annotations

import random
from fractions import Fraction

import pytest

from twoworlds.noiseless import assumed, claim, counted, odds_words, short
from twoworlds.numbers import INFINITY, exp, number


def test_the_assumption_comes_first_and_what_breaks_it_last():
    said = assumed("nobody knows it", "it stays hidden.", "knowing it.")
    assert said == "If nobody knows it, then it stays hidden. What breaks it: knowing it."
    assert assumed("a", "b") == "If a, then b."


@pytest.mark.parametrize(
    ("ratio", "delta", "words"),
    [
        (Fraction(3), Fraction(0), "becomes at most 75 to 25"),
        (exp(number("0.5")), Fraction(1, 1000), "becomes at most 62.3 to 37.7, but for cases"),
        (Fraction(1), Fraction(1, 8), "stays even, but for cases of total probability at most 0.1"),
        (Fraction(10**30), Fraction(0), "just below 100% sure"),
        (Fraction(3), Fraction(1), "nothing is promised"),
        (INFINITY, Fraction(0), "by any factor"),
    ],
)
def test_odds_in_words(ratio, delta, words):
    assert words in odds_words(ratio, delta)


def test_odds_are_rounded_so_that_they_never_promise_too_much():
    assert "33.4 to 66.6" not in odds_words(Fraction(2), Fraction(0))
    assert "66.7 to 33.3" in odds_words(Fraction(2), Fraction(0))
    assert "at most 0.334" in odds_words(Fraction(2), Fraction(1, 3))


@pytest.mark.parametrize("seed", range(5))
def test_marked_outputs_have_at_most_delta_and_the_others_keep_the_odds(seed):
    """The meaning that the module gives to its words, on random laws."""
    rng = random.Random(seed)
    p, q = ([Fraction(rng.randint(0, 9)) for _ in range(8)] for _ in range(2))
    p, q = ([x / sum(law) for x in law] for law in (p, q))
    ratio = Fraction(3, 2)
    delta = max(
        sum(max(x - ratio * y, 0) for x, y in zip(a, b, strict=True)) for a, b in ((p, q), (q, p))
    )
    kept = [(min(x, ratio * y), min(y, ratio * x)) for x, y in zip(p, q, strict=True)]
    assert all(a <= ratio * b and b <= ratio * a for a, b in kept)
    assert 1 - sum(a for a, _ in kept) <= delta
    assert 1 - sum(b for _, b in kept) <= delta


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
