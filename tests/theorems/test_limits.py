"""What does not follow within one kind: the mechanisms that refute it, by brute force."""

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theorems import brute
from twoworlds.numbers import INFINITY
from twoworlds.theorems import Guarantee, group_delta, smaller_ratio_delta
from twoworlds.theorems.limits import worst_group_delta

SMALL = st.fractions(0, Fraction(9, 10), max_denominator=10)


def leaky_response(ratio, delta):
    """One bit, published with probability delta, else by randomized response."""
    v = (1 - delta) / (ratio + 1)
    return {(1,): (delta, ratio * v, v, 0), (0,): (0, v, ratio * v, delta)}


@given(
    st.fractions(1, 5, max_denominator=6),
    SMALL,
    st.fractions(1, 6, max_denominator=6),
    SMALL,
)
def test_a_claim_of_dp_follows_from_dp_or_randomized_response_refutes_it(a, delta, b, wanted):
    mechanism = leaky_response(a, delta)
    assert brute.delta_of(mechanism, a) == delta
    found = Guarantee.of("dp", ratio=a, delta=delta).implies("dp", ratio=b, delta=wanted)
    assert found.holds is (brute.delta_of(mechanism, b) <= wanted)
    if found.holds is False:
        (refutation,) = found.refutations
        assert refutation.facts["delta"] == brute.delta_of(mechanism, b)


@pytest.mark.parametrize(
    ("given_", "claim"),
    [
        ("dp(epsilon=0.2)", "dp(epsilon=0.1)"),
        ("dp(epsilon=0.2, delta=0.01)", "dp(epsilon=0.2, delta=0.001)"),
        ("dp(epsilon=0.2, group=3)", "dp(epsilon=0.1, group=3)"),
        ("dp(epsilon=0.2, neighbours=add-remove)", "dp(epsilon=0.1)"),
        ("dp(epsilon=1, neighbours=add-remove)", "dp(epsilon=1)"),
        ("dp(epsilon=1, neighbours=add-remove)", "dp(epsilon=3, group=2)"),
        ("dp(epsilon=1)", "dp(epsilon=1, group=2)"),
        ("dp(epsilon=1, delta=1e-6)", "dp(epsilon=3, delta=1e-5, group=3)"),
        ("dp(epsilon=1, group=2)", "dp(epsilon=1.9, group=3)"),
        ("dp(epsilon=1)", "dp(epsilon=60, group=1000)"),
        ("dp(epsilon=1, delta=0.01)", "dp(epsilon=inf, delta=0.02, group=3)"),
        ("dp(epsilon=inf)", "dp(epsilon=100, delta=0.9, group=2)"),
        ("dp(epsilon=0)", "dp(epsilon=100, delta=0.99, neighbours=add-remove)"),
        ("semantic(epsilon=0)", "dp(epsilon=inf, delta=0.5, neighbours=add-remove)"),
        ("dp(epsilon=0)", "semantic(epsilon=0.99, delta=0.99, neighbours=add-remove)"),
        ("dp(epsilon=inf)", "dp(epsilon=100, delta=0.9)"),
        ("statistical-difference(epsilon=0.2)", "statistical-difference(epsilon=0.1)"),
        ("semantic(epsilon=0.2)", "semantic(epsilon=0.1)"),
        ("semantic(epsilon=0.2)", "semantic(epsilon=0.1, delta=0.99)"),
    ],
)
def test_plainly_false_claims_are_refuted_with_a_mechanism(given_, claim):
    found = Guarantee.parse(given_).implies(claim)
    assert found.holds is False
    assert "does NOT imply" in found.explain()
    assert any(refutation.decisive for refutation in found.refutations)


@pytest.mark.parametrize(
    ("given_", "claim"),
    [
        ("dp(epsilon=0.2)", "dp(epsilon=0.2)"),
        ("dp(epsilon=0.2)", "dp(epsilon=0.3, delta=0.1)"),
        ("statistical-difference(epsilon=0.2)", "statistical-difference(epsilon=0.2)"),
        ("semantic(epsilon=0.2)", "semantic(epsilon=0.3)"),
        ("dp(epsilon=0.2)", "dp(epsilon=0.4, group=2)"),
        ("dp(epsilon=0.2, group=2)", "dp(epsilon=0.4, group=3)"),
        ("dp(epsilon=1, neighbours=add-remove)", "dp(epsilon=2)"),
        ("dp(epsilon=1, neighbours=add-remove)", "dp(epsilon=4, group=2)"),
    ],
)
def test_what_is_given_follows_and_nothing_refutes_it(given_, claim):
    found = Guarantee.parse(given_).implies(claim)
    assert found.holds is True
    assert found.refutations == ()


def test_a_group_is_no_larger_than_the_database():
    """With one record, a group of two people is one person: nothing refutes it."""
    stated = Guarantee.parse("dp(ratio=3, records=1)")
    assert stated.implies("dp(ratio=3, group=2)").refutations == ()
    assert Guarantee.parse("dp(ratio=3, records=2)").implies("dp(ratio=3, group=2)").holds is False


def test_claims_of_every_mechanism_are_not_refuted():
    stated = Guarantee.parse("dp(epsilon=0)")
    for claim in ("dp(epsilon=1, delta=1", "semantic(epsilon=1", "semantic(epsilon=0, delta=1"):
        assert stated.implies(f"{claim}, neighbours=add-remove)").refutations == ()


def test_nothing_at_all_follows_for_added_and_removed_records():
    found = Guarantee.parse("dp(epsilon=1)").implies("dp", neighbours="add-remove")
    assert found.holds is False
    assert "does NOT imply dp(neighbours=add-remove)" in found.explain()


def most_power(a, delta, u):
    return min(delta + a * u, 1 - (1 - delta - u) / a, Fraction(1))


def chain(a, delta, steps):
    """The laws of the worst chain, on the intervals between all corners of its curves."""
    cuts, new = {Fraction(0), Fraction(1)}, {(1 - delta) / (a + 1), 1 - delta}
    for _ in range(steps):
        cuts |= new
        before = [u for v in new for u in ((v - delta) / a, 1 - delta - a * (1 - v))]
        new = {u for u in before if 0 <= u <= 1 and most_power(a, delta, u) in new}
    masses = [Fraction(0), *sorted(cuts)]
    laws = []
    for _ in range(steps + 1):
        laws.append([masses[0], *(y - x for x, y in pairwise(masses))])
        masses = [Fraction(0), *(most_power(a, delta, u) for u in masses[1:])]
    return laws


@given(
    st.fractions(Fraction(5, 4), 4, max_denominator=4),
    st.fractions(0, Fraction(3, 10), max_denominator=20),
    st.integers(1, 4),
    st.fractions(1, 20, max_denominator=3),
)
def test_the_ends_of_the_worst_chain_need_the_delta_that_is_told(a, delta, steps, b):
    laws = chain(a, delta, steps)
    for law in laws:
        assert sum(law) == 1
        assert min(law) >= 0
    for p, q in [*pairwise(laws), *pairwise(laws[::-1])]:
        assert brute.excess(p, q, a) <= delta
    needed = worst_group_delta(a, delta, steps, b)
    assert brute.excess(laws[-1], laws[0], b) == needed
    assert brute.excess(laws[0], laws[-1], b) == needed
    proved = group_delta(a, delta, steps)
    bound = smaller_ratio_delta(a**steps, proved, b) if b <= a**steps else proved
    assert needed <= max(bound, proved)
    never = sum(p for p, q in zip(laws[-1], laws[0], strict=True) if q == 0)
    assert worst_group_delta(a, delta, steps, INFINITY) == never


@pytest.mark.parametrize(("people", "group"), [(2, 1), (3, 1), (3, 2), (4, 2), (5, 2), (5, 3)])
def test_a_count_in_steps_satisfies_the_guarantee_of_a_group(people, group):
    a, delta = Fraction(2), Fraction(1, 50)
    steps = -(-people // group)
    laws = chain(a, delta, steps)
    mechanism = {x: laws[-(-sum(x) // group)] for x in product(range(2), repeat=people)}
    for x, y in product(mechanism, repeat=2):
        if sum(i != j for i, j in zip(x, y, strict=True)) <= group:
            assert brute.excess(mechanism[x], mechanism[y], a) <= delta
    needed = brute.excess(mechanism[(1,) * people], mechanism[(0,) * people], Fraction(3))
    stated = Guarantee.of("dp", ratio=a, delta=delta, group=group)
    assert stated.implies("dp", ratio=3, delta=needed, group=people).holds is not False
    less = needed - Fraction(1, 10**9)
    assert stated.implies("dp", ratio=3, delta=less, group=people).holds is False


def test_ones_less_zeros_satisfies_add_remove_and_pays_twice_for_a_replaced_record():
    a, delta = Fraction(2), Fraction(1, 50)
    laws = chain(a, delta, 2)
    of = {(): laws[1], (1,): laws[2], (0,): laws[0]}
    for x in ((1,), (0,)):
        assert brute.excess(of[x], of[()], a) <= delta
        assert brute.excess(of[()], of[x], a) <= delta
    needed = brute.excess(of[1,], of[0,], a)
    (refutation,) = (
        Guarantee.of("dp", ratio=a, delta=delta, neighbours="add-remove")
        .implies("dp(ratio=2, delta=1/50)")
        .refutations
    )
    assert refutation.facts["delta"] == needed > delta


@given(st.fractions(Fraction(5, 4), 4, max_denominator=4), st.integers(1, 5))
def test_without_delta_the_worst_noise_is_geometric_and_stays_in_range(a, steps):
    def law(true):
        inner = [(a - 1) / (a + 1) / a ** abs(o - true) for o in range(1, steps)]
        ends = [a ** (1 - abs(end - true)) / (a + 1) for end in (0, steps)]
        return [ends[0], *inner, ends[1]]

    first, last = law(0), law(steps)
    assert sum(first) == sum(last) == 1
    for b in (Fraction(1), a, a ** Fraction(steps - 1), Fraction(7, 5)):
        assert brute.excess(first, last, b) == worst_group_delta(a, Fraction(0), steps, b)


@given(st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=10))
def test_the_noisy_parity_differs_by_s_whatever_it_answers(s):
    keep = (1 + s) / 2
    parity = {
        x: (keep, 1 - keep) if sum(x) % 2 else (1 - keep, keep) for x in product(range(2), repeat=2)
    }
    belief = {(1, 1): Fraction(1, 2), (1, 0): Fraction(1, 2)}
    assert brute.failure(parity, belief, s - Fraction(1, 1000)) == 1
    assert brute.largest_move(parity, belief) == s
    assert brute.pure_ratio(parity) == (1 + s) / (1 - s)  # so no belief moves by more than s


def test_the_needed_delta_is_the_one_that_is_proved():
    assert brute.delta_of(leaky_response(3, Fraction(1, 10)), 2) == smaller_ratio_delta(
        Fraction(3), Fraction(1, 10), Fraction(2)
    )
