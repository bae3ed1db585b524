"""Sentences that a person reads, parsed and compared with brute force on small mechanisms."""

import itertools
import re
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from tests.cli.calling import call
from twoworlds.numbers import Number, decimal, exp, show, signed, stated
from twoworlds.worlds import BitStrings, Integers

FACTOR = re.compile(r"end up at odds of at most ([0-9.e-]+) to 1: 50% becomes at most ([0-9.]+)%")
ANY_BELIEF = re.compile(
    r"without you, by at most ([0-9.]+) percentage points; odds of 1 to 99 become at most "
    r"([0-9.]+) to ([0-9.]+)\."
)
BITS = tuple("".join(bits) for bits in itertools.product("10", repeat=2))
weights = st.lists(st.integers(1, 9), min_size=4, max_size=4)


def law(masses: list[int]) -> list[Fraction]:
    return [Fraction(mass, sum(masses)) for mass in masses]


def mechanism(columns: list[list[Fraction]]) -> tw.Mechanism:
    """Any mechanism on two bits with four outputs, one column per database."""
    return tw.Dense(BitStrings(2), Integers(0, 3), list(zip(*columns, strict=True)))


@given(st.lists(weights.map(law), min_size=4, max_size=4))
def test_both_attackers_of_measure_are_told_no_less_than_the_truth(columns):
    """Every belief on two bits: the worst ones hold two databases possible, as odds are linear."""
    law_of = dict(zip(BITS, columns, strict=True))
    said = " ".join(tw.measure(mechanism(columns)).more)
    told = FACTOR.search(said)
    if told is None:
        assert "says nothing" in said
        return
    informed = max(
        law_of[x][o] / law_of[y][o]
        for x, y in itertools.permutations(BITS, 2)
        if sum(a != b for a, b in zip(x, y, strict=True)) == 1
        for o in range(4)
    )
    half = 100 * informed / (1 + informed)
    assert informed <= Fraction(told[1]) <= informed * Fraction(1001, 1000)
    assert half <= Fraction(told[2]) <= half + Fraction(1, 5)
    moved, here, there = map(Fraction, ANY_BELIEF.search(said).groups())
    for person, default in itertools.product((0, 1), "10"):
        for x, y, o in itertools.product(BITS, BITS, range(4)):
            left = [z[:person] + default + z[person + 1 :] for z in (x, y)]
            used = law_of[x][o] / law_of[y][o]
            unused = law_of[left[0]][o] / law_of[left[1]][o]
            assert used / unused <= informed**2
            assert used / unused <= 99 * here / there
    # Not needlessly weak: the numbers are those of the squared ratio, rounded to two digits.
    points = 100 * (informed - 1) / (informed + 1)
    assert points <= moved <= points + Fraction(1, 5)
    assert 99 * here / there <= informed**2 * Fraction(11, 10)


def test_the_square_of_the_ratio_is_reached_by_some_belief():
    """A noisy count of two bits, and somebody who holds 10 and 11 possible, after output 1."""
    noisy = tw.mechanism("geometric(ratio=2, bits=2)")
    assert "odds of 1 to 99 become at most 1 to 24." in tw.measure(noisy).more[1]
    used = noisy.probability(1, (1, 0)) / noisy.probability(1, (1, 1))
    unused = noisy.probability(1, (0, 0)) / noisy.probability(1, (0, 1))
    assert used / unused == 4


exact = st.fractions(min_value=0, max_value=10**7, max_denominator=10**6)


@given(exact, st.integers(1, 8), st.sampled_from(["up", "down"]))
def test_decimals_are_exact_where_they_are_short_and_else_round_to_their_side(x, digits, side):
    text = decimal(x, digits, side)
    written = Fraction(text)
    assert written >= x if side == "up" else written <= x
    whole = x.denominator == 1
    short = whole or (10**6 % x.denominator == 0 and x < 1)
    if short:
        assert written == x
    assert (signed(x, text, side=side) == text) == (written == x)


@given(exact, st.sampled_from(["up", "down"]))
def test_a_stated_value_is_exact_or_says_to_which_side_it_is_rounded(x, side):
    for value in (x, x + Fraction(1, 10**40 + 1)):
        text = stated(value, side=side)
        sign, _, number = text.rpartition("= ")
        if sign:
            assert sign == ("<" if side == "up" else ">")
            assert Fraction(number) != value
            assert (Fraction(number) > value) == (side == "up")
        elif not text.startswith(("just", "below", "above")):
            assert Fraction(text.partition(" ")[0]) == value


def test_one_half_that_is_not_known_to_be_one_half_carries_a_sign():
    half: Number = exp(Fraction(1)) * exp(Fraction(-1)) / 2 + 0 * exp(Fraction(1, 3))
    assert stated(half) in ("1/2 (0.5)", "<= 0.500001")
    assert show(Fraction(1, 2)) == "1/2 (0.5)"


def test_odds_of_19683_to_1_are_printed_as_such(capsys):
    everyone = "explicit(111111111=1/2, 000000000=1/2)"
    survey = "randomized-response(bits=9, keep=3/4)"
    asked = ["--belief", everyone, "--output", "1" * 9, "--secret", "1=1"]
    _, out, _ = call(capsys, "posterior", survey, *asked)
    assert "19683 to 1" in out
    assert "6561 to 1" in out


def test_a_matrix_of_four_outputs_is_shown_whole(capsys):
    code, out, _ = call(capsys, "show", "integer-noise([1/8, 7/8], bits=2)")
    assert code == 0
    assert "infinitely" not in out
    assert len(re.findall(r"^ +[0-9-]+ +[0-9/]+ ", out, re.M)) == 4
