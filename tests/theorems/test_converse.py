"""Theorem 2.4(2) of Kasiviswanathan & Smith: false as printed, corrected, and tight."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.theorems import brute
from twoworlds.errors import InvalidInput
from twoworlds.numbers import INFINITY, above, below, bounds, exp
from twoworlds.theorems import Guarantee, dp_factor, simple_dp_factor
from twoworlds.theorems.formulas import ratio_of_four_artanh

TENTH = Fraction(1, 10)


def bit(odds):
    keep = odds / (1 + odds)
    return {(0,): (keep, 1 - keep), (1,): (1 - keep, keep)}


def test_erratum_the_printed_theorem_is_false():
    # Randomized response with odds 121 to 81 is 0.1-semantic, whatever the belief.
    mechanism = bit(Fraction(121, 81))
    for k in range(1, 200):
        belief = {(0,): Fraction(k, 200), (1,): 1 - Fraction(k, 200)}
        assert brute.failure(mechanism, belief, TENTH) == 0
    # The printed (0.3, 0.02) fails: 0.0577 is needed.
    needed = brute.delta_of(mechanism, exp(Fraction(3, 10)))
    assert abs(above(needed) - 0.05773) < 1e-5
    assert needed > Fraction(2, 100)
    assert abs(below(Guarantee.of("dp", ratio="121/81").epsilon) - 0.40134) < 1e-5


def test_the_false_printed_numbers_are_never_a_conclusion():
    found = Guarantee.parse("semantic(epsilon=0.1, delta=0.01)").implies("dp")
    false = Guarantee.parse("dp(epsilon=0.3, delta=0.02)")
    assert found.conclusions
    for one in found.conclusions:
        assert not one.at_least_as_strong_as(false)
    printed = [o.application for o in found.tried if o.application.printed == false]
    assert [made.theorem.printed_false for made in printed] == [True]
    assert "printed, false" in found.explain()


def test_the_false_claim_is_refuted_by_a_counterexample():
    found = Guarantee.parse("semantic(epsilon=0.1, delta=0.01)").implies(
        "dp(epsilon=0.3, delta=0.02)"
    )
    assert found.holds is False
    assert not found
    assert found.explain().startswith(
        "semantic(epsilon=0.1, delta=0.01) does NOT imply dp(epsilon=0.3"
    )
    (refutation,) = [r for r in found.refutations if r.decisive]
    assert refutation.facts["odds"] == Fraction(121, 81)
    assert abs(above(refutation.facts["delta"]) - 0.05773) < 1e-5


def test_the_corrected_claim_follows():
    assert Guarantee.parse("semantic(epsilon=0.1, delta=0.01)").implies(
        "dp(epsilon=0.6, delta=0.02)"
    )


@given(st.data(), brute.mechanisms(people=1, transcripts=4, least=0))
def test_corrected_and_sharper_forms_hold_on_small_mechanisms(data, mechanism):
    s = data.draw(st.fractions(Fraction(1, 40), Fraction(9, 40), max_denominator=40))
    delta = worst_failure(mechanism, s)
    assume(delta > 0)
    assert brute.delta_of(mechanism, exp(6 * s)) <= 2 * delta
    least = ratio_of_four_artanh(s)
    for ratio in (least, least * Fraction(5, 4), least * 4):
        needed = brute.delta_of(mechanism, ratio)
        assert needed <= delta * dp_factor(s, ratio)
        assert needed <= delta * simple_dp_factor(s, ratio)


def worst_failure(mechanism, s):
    """The largest failure over beliefs on one bit: bad sets change at finitely many weights."""
    weights = {Fraction(k, 40) for k in range(1, 40)}
    for p, q in zip(mechanism[(0,)], mechanism[(1,)], strict=True):
        for a, b in ((p, q), (q, p)):
            if a > b > 0:
                weights |= {w for w in near(a / b, s) if 0 < w < 1}
                weights |= {1 - w for w in near(a / b, s) if 0 < w < 1}
    weights |= {(1 - s) * Fraction(999_999, 10**6), 1 - (1 - s) * Fraction(999_999, 10**6)}
    return max(brute.failure(mechanism, {(0,): w, (1,): 1 - w}, s) for w in weights)


def near(ratio, s):
    """Rationals just inside of the interval of weights at which a ratio is bad."""
    inside = (1 - s) ** 2 - 4 * s / (ratio - 1)
    if inside <= 0:
        return []
    root = Fraction(int(inside.numerator * 10**24 // inside.denominator)) / 10**24
    approx = Fraction(int(float(root) ** 0.5 * 10**9), 10**9)
    return [(1 - s + sign * approx * Fraction(10**6 - 1, 10**6)) / 2 for sign in (1, -1)]


@pytest.mark.parametrize(
    ("ratio", "tight", "simple"),
    [(exp(Fraction(3, 5)), 1.18305377171732, 1.36172189204456)],
)
def test_reference_numbers_of_the_tight_factor(ratio, tight, simple):
    assert abs(above(dp_factor(TENTH, ratio)) - tight) < 1e-9
    assert abs(above(simple_dp_factor(TENTH, ratio)) - simple) < 1e-9


def test_the_factor_at_the_smallest_epsilon_and_at_infinity():
    assert abs(above(dp_factor(TENTH, Fraction(121, 81))) - 1.2322) < 1e-4
    assert dp_factor(TENTH, INFINITY) == Fraction(10, 9)
    assert abs(above(dp_factor(TENTH, Fraction(10**9))) - 10 / 9) < 1e-6
    assert dp_factor(Fraction(0), Fraction(1)) == 1
    assert simple_dp_factor(TENTH, Fraction(3, 2)) == 2  # at epsilon' = 2 artanh(2 s)


@given(
    st.fractions(Fraction(1, 50), Fraction(1, 2), max_denominator=50),
    st.fractions(1, 9, max_denominator=9),
)
def test_the_tight_factor_is_below_the_simple_one_and_falls(s, growth):
    least = ratio_of_four_artanh(s)
    here, later = dp_factor(s, least * growth), dp_factor(s, least * growth * 2)
    assert 1 / (1 - s) < later < here < simple_dp_factor(s, least * growth)


def test_below_four_artanh_no_factor_exists():
    with pytest.raises(InvalidInput, match="no multiple of delta is enough"):
        dp_factor(TENTH, Fraction(3, 2) - Fraction(1, 10))


@pytest.mark.parametrize("ratio", [Fraction(121, 81), Fraction(2), Fraction(5)])
def test_the_tight_factor_is_approached_by_a_mechanism_on_one_bit(ratio):
    # All constraints of the proof with equality, on a grid of beliefs.
    s, delta, steps = TENTH, Fraction(1, 10_000), 20
    w = bounds(1 / simple_dp_factor(s, ratio))[1].limit_denominator(1000) + Fraction(1, 1000)
    grid = [w + (1 - s - w) * Fraction(k, steps) for k in range(steps)]
    g, h, cells = 1 / (1 - s), Fraction(0), [(1 / (1 - s), Fraction(0))]
    for v in reversed(grid):
        r = 1 + s / (v * (1 - s - v))
        q = (1 - v * g - (1 - v) * h) / (v * r + 1 - v)
        assert q >= 0
        cells.append((r * q, q))
        g, h = g + r * q, h + q
    first = [p * delta for p, _ in cells] + [1 - g * delta]
    second = [q * delta for _, q in cells] + [1 - h * delta]
    mechanism = {(0,): tuple(first), (1,): tuple(second)}
    for k in range(1, 60):  # semantic privacy with (s, delta), for all beliefs on a fine grid
        belief = {(0,): Fraction(k, 60), (1,): 1 - Fraction(k, 60)}
        assert brute.failure(mechanism, belief, s) <= delta
    reached = brute.delta_of(mechanism, ratio) / delta
    bound = dp_factor(s, ratio)
    assert bound * Fraction(93, 100) < reached <= bound


def test_a_wanted_epsilon_is_met_where_possible_and_traded_for_otherwise():
    stated = Guarantee.parse("semantic(epsilon=0.1, delta=0.01)")
    assert stated.implies("dp", epsilon=1).best.epsilon == 1
    low = stated.implies("dp", epsilon="0.3").best
    assert low.epsilon == Fraction(3, 10)
    assert low.delta > Fraction(577, 10_000)
