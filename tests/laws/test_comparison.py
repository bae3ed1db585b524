"""Finite laws, laws on a lattice, and counts: one comparison, against sums term by term."""

from fractions import Fraction
from itertools import product
from random import Random

import pytest

from twoworlds.laws.comparison import Family, FiniteComparison, worst
from twoworlds.laws.counts import Binomial
from twoworlds.laws.entry import EntryLaw
from twoworlds.laws.event import EventWitness, Listed, recomputed
from twoworlds.laws.lattice import OnLattice, convolve
from twoworlds.laws.shifted import Shifted
from twoworlds.numbers import INFINITY, Real, bounds, exp

RATIOS = (Fraction(1), Fraction(3, 2), Fraction(4))


def table(p, q, name="pair"):
    return FiniteComparison((name, 0), (name, 1), p, q, Listed.of, sum(p))


def excess(p, q, ratio):
    return sum(max(Fraction(0), p.get(t, 0) - ratio * q.get(t, 0)) for t in {*p, *q})


def test_ratio_and_delta_are_inverse():
    one = table((5, 3, 2), (2, 3, 5))
    pair = Family([one, one.reverse()], "both ways")
    for delta in (Fraction(0), Fraction(1, 20), Fraction(1, 5)):
        ratio = pair.ratio_for(delta)[1]
        assert pair.gap(ratio)[1].delta <= delta
        if ratio > 1:
            assert pair.gap(ratio - Fraction(1, 1000))[1].delta > delta
    open_ended = table((1, 1), (0, 2))
    assert open_ended.ratio_for(Fraction(1, 4)) == INFINITY
    assert open_ended.ratio_for(Fraction(1, 2)) == 1


def test_the_worst_of_many_tables_is_the_worst_one_at_every_ratio():
    """Tables of whole numbers that cannot be the worst are left out before fractions are made."""
    random = Random(1)
    for _ in range(30):
        made = [
            table(*([random.randint(1, 9) for _ in range(3)] for _ in range(2))) for _ in range(6)
        ]
        even = [
            FiniteComparison(
                t.x, t.y, t.p, [q * sum(t.p) for q in t.q], t.event, t.scale * sum(t.q)
            )
            for t in made
        ]
        for one, law in zip(made, even, strict=True):
            law.p[:] = [p * sum(one.q) for p in law.p]
        for ratio in (*RATIOS, exp(Fraction(1, 3))):
            worst = Family(even, "all").gap(ratio)[1].delta
            each = [float(law.gap(ratio).delta) for law in even]
            assert float(worst) == pytest.approx(max(each), abs=1e-15)


def test_of_undecided_numbers_the_one_of_the_largest_lower_end_is_shown():
    """A witness of a smaller lower end would not show what is said of the family."""
    ends = [(1, 9), (3, 8), (2, 7)]
    found = ((name, name, Real.between(*map(Fraction, end))) for name, end in enumerate(ends))
    best, shown, value = worst(found)
    assert best == shown == 1
    assert bounds(value)[0] <= 3
    assert bounds(value)[1] >= 9


def test_an_irrational_ratio_finds_the_worst_pair():
    pairs = [table((6, 4), (4, 6), "near"), table((7, 3), (3, 7), "far")]
    found, gap = Family(pairs, "both").gap(exp(Fraction(1, 2)))
    assert found.x == ("far", 0)
    assert float(gap.delta) == pytest.approx(0.7 - 2.718281828459045**0.5 * 0.3)


@pytest.mark.parametrize("seed", range(4))
def test_laws_on_a_lattice_agree_with_a_sum_over_all_totals(seed):
    random = Random(seed)
    weights = [random.randint(1, 5) for _ in range(3)]
    places = random.sample(range(7), 3)
    law = EntryLaw.of({v: Fraction(w, sum(weights)) for v, w in zip(places, weights, strict=True)})
    sums = convolve(((law, 3),), law.step)
    plain: dict[Fraction, Fraction] = {}
    for drawn in product(zip(law.values, law.masses, strict=True), repeat=3):
        total = sum(value for value, _ in drawn)
        mass = drawn[0][1] * drawn[1][1] * drawn[2][1]
        plain[total] = plain.get(total, Fraction(0)) + mass
    moved = {total + law.step: mass for total, mass in plain.items()}
    found = OnLattice("moved", "still", sums.shifted(1), sums, 3 * law.values[0], law.step)
    for ratio in RATIOS:
        delta, event = found.gap(ratio)
        assert delta == excess(moved, plain, ratio)
        assert found.reverse().gap(ratio).delta == excess(plain, moved, ratio)
        p = sum(mass for total, mass in moved.items() if event.holds(total))
        assert found.p.known(event, found.origin, found.step) == p
    ratios = {moved[t] / plain[t] if t in plain else INFINITY for t in moved}
    largest = INFINITY if INFINITY in ratios else max(ratios)
    assert found.peak().ratio == max(largest, Fraction(1))


@pytest.mark.parametrize("low", [None, 0, 2])
def test_shifted_counts_agree_with_a_sum_over_all_counts(low):
    """A law with an end: beyond it the other world is impossible, at every ratio."""
    law = Binomial(5, Fraction(1, 3))
    worlds = []
    for shift in (1, 0):
        found: dict[int, Fraction] = {}
        for k in range(6):
            shown = k + shift if low is None else max(k + shift, low)
            found[shown] = found.get(shown, Fraction(0)) + law.pmf(k)
        worlds.append(found)
    both = Shifted("with", "without", 1, 0, law, low=low)
    for ratio in RATIOS:
        assert both.gap(ratio).delta == excess(*worlds, ratio)
        assert both.reverse().gap(ratio).delta == excess(*worlds[::-1], ratio)
    only = [sum(m for t, m in p.items() if t not in q) for p, q in (worlds, worlds[::-1])]
    assert both.gap(INFINITY).delta == only[0]
    assert both.reverse().gap(INFINITY).delta == only[1]


def test_a_witness_recomputes_its_probabilities_and_notices_a_change():
    half, third = Fraction(1, 2), Fraction(1, 3)
    witness = EventWitness(("a", "b"), "heads", (half, third), recomputed(lambda: (half, third)))
    assert witness.verify()
    assert witness.excess(Fraction(1)) == Fraction(1, 6)
    assert not EventWitness(
        ("a", "b"), "heads", (half, half), recomputed(lambda: (half, third))
    ).verify()
