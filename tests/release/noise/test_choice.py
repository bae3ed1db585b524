"""The exponential mechanism: exactly the stated law, in small cases word by word."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import accumulate
from math import log, sqrt

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from tests.release.noise.scripted import LAST, Scripted, SeededBits, choice_law
from twoworlds.errors import InvalidInput, Undecided
from twoworlds.numbers import bounds
from twoworlds.release.noise import SystemBits, choose
from twoworlds.release.noise.choice import _below, _decided, chosen

CASES = {
    "one": ([7], Fraction(1)),
    "two alike": ([0, 0], Fraction(1)),
    "three alike": ([5, 5, 5], Fraction(2, 3)),
    "rate 0": ([1, -4, 100, 3], Fraction(0)),
    "falling": ([3, 2, 1, 0], Fraction(1, 2)),
    "a twin on either side": ([0, 1, 0, 1], Fraction(1)),
    "negative": ([-5, -7, -6], Fraction(3, 10)),
    "one far below": ([0, -(10**6), 0], Fraction(1)),
    "all but one far below": ([-(10**40), 10**40, -(10**40)], Fraction(1, 7)),
    "far below first": ([-100, 0], Fraction(1)),
    "tiny rate": ([10**12, 0, -(10**12)], Fraction(1, 10**12)),
    "large rate": ([0, 1, 2], Fraction(50)),
}
each_case = pytest.mark.parametrize(("scores", "rate"), CASES.values(), ids=CASES)


def ends(scores, rate, bits=1500):
    """The C_i / W as pairs of fractions just below and above, by weights at a high precision."""
    best, furthest = max(scores), 2 * bits / (rate or 1)
    with ctx.workprec(3 * bits):
        r = fmpq(rate.numerator, rate.denominator)
        powers = [arb(r * -min(best - s, int(furthest) + 1)).exp() for s in scores]
        sums = list(accumulate(powers))
        scaled = [(total / sums[-1] * arb(2) ** bits).mid().floor().fmpz() for total in sums]
    return [(Fraction(int(x) - 2, 1 << bits), Fraction(int(x) + 2, 1 << bits)) for x in scaled]


@each_case
@pytest.mark.parametrize("count", [1, 4, 9])
def test_every_word_is_decided_by_the_law_or_left_open_at_a_boundary(scores, rate, count):
    boundaries = ends(scores, rate)
    counted = Counter()
    for word in range(1 << count):
        low, high = Fraction(word, 1 << count), Fraction(word + 1, 1 << count)
        found = _decided(*_below(scores, rate), word, count)
        counted[found] += 1
        if found is None:
            near = [b for b in boundaries[:-1] if b[1] >= low and b[0] <= high]
            assert near, "left open without a boundary inside"
            continue
        assert high <= boundaries[found][1]
        assert found == 0 or low >= boundaries[found - 1][0]
    assert counted[None] <= 2 * (len(scores) - 1)


@given(
    st.lists(st.integers(-12, 12), min_size=1, max_size=6),
    st.fractions(0, 3, max_denominator=12),
)
def test_the_law_is_proportional_to_the_exponentials_and_sums_to_one(scores, rate):
    law = choice_law(scores, rate)
    low, high = (sum(bounds(p)[side] for p in law) for side in (0, 1))
    assert low <= 1 <= high
    assert high - low < Fraction(1, 10**12)
    weights = [float(rate) * s for s in scores]
    for p, s in zip(law, weights, strict=True):
        wanted = 1 / sum(np.exp(np.array(weights) - s))
        assert float(p) == pytest.approx(wanted, rel=1e-9)


@given(
    st.lists(st.integers(-40, 40), min_size=1, max_size=8),
    st.fractions(0, 3, max_denominator=12),
    st.integers(0, (1 << 128) - 1),
)
def test_the_choice_is_the_candidate_in_whose_share_the_uniform_number_lies(scores, rate, u):
    source = Scripted([u >> 64, u & LAST], after=LAST // 3)  # a tie asks for more
    found = chosen(scores, rate, source)
    boundaries = ends(scores, rate)
    assert Fraction(u, 1 << 128) < boundaries[found][1]
    assert found == 0 or Fraction(u + 1, 1 << 128) > boundaries[found - 1][0]


def test_a_tie_draws_further_bits_and_is_settled_by_them():
    """U = 1/2 and a little, between two candidates of which one ends at exactly 1/2."""
    scores, rate = [0, 1, 0, 1], Fraction(1)
    above = Scripted([1 << 63, 0, 1])
    assert chosen(scores, rate, above) == 2
    assert above.asked == 3
    below = Scripted([(1 << 63) - 1, LAST, LAST - 1])
    assert chosen(scores, rate, below) == 1
    assert below.asked == 3


def test_a_candidate_of_tiny_probability_is_chosen_with_that_probability():
    """P(0) = 1 / (1 + e^200), about 2^-288.5: the first 288 bits must be 0."""
    scores, rate = [0, 200], Fraction(1)
    exact = ends(scores, rate)[0]
    for bits in (288, 289, 290, 300):
        source = Scripted([(1 << (320 - bits)) >> 64 * (4 - i) & LAST for i in range(5)], after=0)
        u = Fraction(1, 1 << bits)
        assert chosen(scores, rate, source) == (0 if u < exact[0] else 1)


def test_the_number_of_bits_does_not_depend_on_the_scores():
    for scores in ([0] * 50, list(range(50)), [-(10**30) * i for i in range(50)], [0]):
        source = Scripted(after=0x123456789ABCDEF0)
        chosen(scores, Fraction(1, 3), source)
        assert source.asked == 2


def test_bits_that_never_end_a_tie_are_told_from_a_choice():
    with pytest.raises(Undecided, match="the source of bits is broken"):
        chosen([-(10**6), 0], Fraction(1), Scripted(after=0))


@pytest.mark.parametrize("kind", [int, np.int64, np.uint8])
def test_whole_numbers_of_any_type_are_read(kind):
    scores = [kind(s) for s in (3, 1, 2)]
    assert choose(scores, Fraction(100), SystemBits()) == 0
    assert choose(np.array([0, 100]), Fraction(9), SystemBits()) == 1


@pytest.mark.statistical
def test_frequencies_are_those_of_the_law():
    """False alarm: below 10^-9 for each candidate by Hoeffding's inequality; the seed is fixed."""
    scores, rate, draws = [4, 2, 0, 3, -1], Fraction(2, 5), 4000
    source = SeededBits(20)
    seen = Counter(chosen(scores, rate, source) for _ in range(draws))
    reach = sqrt(log(2 / 1e-9) / (2 * draws))
    for i, p in enumerate(choice_law(scores, rate)):
        assert abs(seen[i] / draws - float(p)) < reach


@pytest.mark.parametrize(
    ("scores", "rate", "said"),
    [
        ([], Fraction(1), "nothing to choose from"),
        ([1, 2.5], Fraction(1), "score 1 is a float"),
        ([True, 0], Fraction(1), "score 0 is a bool"),
        ([0, "secret"], Fraction(1), "score 1 is a str"),
        ([None], Fraction(1), "score 0 is a NoneType"),
        ([0, 1], Fraction(-1, 2), "must be at least 0"),
        ([0, 1], "ln 2", "irrational"),
        ([0, 1], float("nan"), "rate"),
    ],
)
def test_what_is_no_score_or_rate_is_refused_without_showing_a_score(scores, rate, said):
    with pytest.raises(InvalidInput, match=said) as error:
        choose(scores, rate, SystemBits())
    assert "secret" not in str(error.value)
    assert "2.5" not in str(error.value)


def test_a_release_refuses_bits_with_a_seed():
    with pytest.raises(InvalidInput, match="SystemBits"):
        choose([0, 1], Fraction(1), SeededBits(1))
