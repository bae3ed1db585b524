"""The Conditioning Lemma of Kasiviswanathan & Smith: corrected, tight, and false as printed."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.theorems import brute
from twoworlds.errors import InvalidInput
from twoworlds.numbers import above, ln
from twoworlds.theorems import Guarantee, conditioning_failure
from twoworlds.theorems.conditioning import condition
from twoworlds.theorems.formulas import printed_conditioning_failure

RATIOS = st.fractions(Fraction(11, 10), 4, max_denominator=10)


def bad_mass(first, second, ratio, inner):
    """The mass, under the first, of t whose conditional laws are not (ratio, inner)-close.

    Laws are mappings t -> masses of the cells (s, t).
    """
    total = Fraction(0)
    for t, cells in first.items():
        mass, other = sum(cells), sum(second[t])
        if mass and (other == 0 or apart(cells, second[t], mass, other, ratio) > inner):
            total += mass
    return total


def apart(cells, others, mass, other, ratio):
    p, q = [x / mass for x in cells], [x / other for x in others]
    return max(brute.excess(p, q, ratio), brute.excess(q, p, ratio))


def flat(law):
    return [x for cells in law.values() for x in cells]


E02 = (
    {
        "t1": (Fraction(1, 100), Fraction(9, 100)),
        "t2": (Fraction(0), Fraction(27, 100)),
        "t0": (Fraction(0), Fraction(63, 100)),
    },
    {
        "t1": (Fraction(0), Fraction(1, 10)),
        "t2": (Fraction(1, 100), Fraction(9, 100)),
        "t0": (Fraction(0), Fraction(4, 5)),
    },
)


def test_erratum_the_printed_bound_is_violated():
    first, second = E02
    ratio, inner = Fraction(3), Fraction(99, 1000)
    delta = max(
        brute.excess(flat(first), flat(second), ratio),
        brute.excess(flat(second), flat(first), ratio),
    )
    assert delta == Fraction(1, 100)
    printed = printed_conditioning_failure(ratio, ln(ratio), delta, inner)
    assert abs(above(printed) - 0.208088463531048) < 1e-12
    assert bad_mass(first, second, ratio**3, inner) == Fraction(37, 100) > printed
    assert Fraction(37, 100) <= conditioning_failure(ratio, delta, inner)


@st.composite
def joint_pairs(draw):
    """Two laws on 2 x 3 cells: close to each other, with small leaks."""
    size = st.integers(0, 30)
    base = draw(st.lists(size, min_size=6, max_size=6).filter(any))
    other = [max(0, b + draw(st.integers(-6, 6))) for b in base]
    assume(any(other))
    laws = (brute.law(base), brute.law(other))
    return tuple({t: (law[2 * t], law[2 * t + 1]) for t in range(3)} for law in laws)


@given(joint_pairs(), RATIOS, st.fractions(Fraction(1, 50), 1, max_denominator=50))
def test_the_corrected_bound_holds_under_both_laws(pair, ratio, inner):
    first, second = pair
    delta = max(
        brute.excess(flat(first), flat(second), ratio),
        brute.excess(flat(second), flat(first), ratio),
    )
    bound = conditioning_failure(ratio, delta, inner)
    assert bad_mass(first, second, ratio**2, inner) <= bound
    assert bad_mass(second, first, ratio**2, inner) <= bound


@given(RATIOS, st.fractions(Fraction(1, 50), Fraction(1, 2), max_denominator=50))
def test_the_corrected_bound_is_approached(ratio, inner):
    assume(inner < 1 - 1 / ratio)
    # A|t1(S) = d, A'|t1(S) = 0 with equal masses; A|t2(S) = 0, A'|t2(S) = d with B/B' = a (1 - d).
    delta = Fraction(1, 1000)
    tiny = Fraction(1, 10**6)
    d = inner * (1 + tiny)  # just bad
    one, two = delta / d, delta / d
    rho = ratio * (1 - d)
    first = {1: (one * d, one * (1 - d)), 2: (Fraction(0), two * rho)}
    second = {1: (Fraction(0), one), 2: (two * d, two * (1 - d))}
    for law in (first, second):
        law[0] = (Fraction(0), 1 - sum(flat(law)))
    found = max(
        brute.excess(flat(first), flat(second), ratio),
        brute.excess(flat(second), flat(first), ratio),
    )
    assume(found <= delta)  # the rest is within the ratio
    bad = bad_mass(first, second, ratio**3, inner)
    assert bad <= bad_mass(first, second, ratio**2, inner)
    assert bad >= conditioning_failure(ratio, delta, inner) * (1 - 4 * tiny)


@pytest.mark.parametrize(("ratio", "inner"), [("inf", "1/2"), (2, 0), (2, 2)])
def test_rejects_numbers_for_which_the_lemma_says_nothing(ratio, inner):
    a = Guarantee.of("dp", ratio=ratio).ratio
    with pytest.raises(InvalidInput):
        conditioning_failure(a, Fraction(1, 10), Fraction(inner))


def joint(law):
    """The same law as masses of pairs (s, t)."""
    return {(s, t): mass for t, cells in law.items() for s, mass in enumerate(cells)}


def test_erratum_e02_is_computed_for_the_given_laws():
    first, second = (joint(law) for law in E02)
    found = condition(first, second, ratio=3, inner="99/1000")
    assert found.delta == Fraction(1, 100)
    assert found.mass == (Fraction(37, 100), Fraction(1, 5))
    assert found.bad == ("t1", "t2")
    assert found.corrected == Fraction(3703, 9900)
    assert abs(above(found.printed) - 0.208088463531048) < 1e-12
    assert found.violates_print
    assert "violated" in found.explain()
    assert found.to_dict()["mass"][0]["exact"] == "37/100"


@given(joint_pairs(), RATIOS, st.fractions(Fraction(1, 50), 1, max_denominator=50))
def test_the_bad_mass_of_given_laws_is_that_of_plain_conditioning(pair, ratio, inner):
    first, second = pair
    found = condition(joint(first), joint(second), ratio=ratio, inner=inner)
    assert found.mass[0] == bad_mass(first, second, ratio**2, inner)
    assert found.mass[1] == bad_mass(second, first, ratio**2, inner)
    assert found.beyond_print[0] == bad_mass(first, second, ratio**3, inner)
    assert found.beyond_print[1] == bad_mass(second, first, ratio**3, inner)
    assert max(found.mass) <= found.corrected


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"first": {("s", "t"): "1/2"}}, "first law sums to 1/2"),
        ({"second": {("s", "t"): -1, ("c", "t"): 2}}, "negative"),
        ({"ratio": None}, "give ratio= or epsilon="),
        ({"ratio": "inf"}, "a finite epsilon"),
        ({"inner": 0}, "inner=0"),
    ],
)
def test_rejects_laws_and_numbers_that_make_no_sense(change, words):
    given = {"first": {("s", "t"): 1}, "second": {("s", "t"): 1}, "ratio": 3, "inner": "1/2"}
    given |= change
    with pytest.raises(InvalidInput, match=words):
        condition(given.pop("first"), given.pop("second"), **given)
