"""Batches fixed in advance: certified prices against optimal composition by brute force."""

import math
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.release.sensitivity.brute import all_vectors
from twoworlds import mechanism
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.several import Several
from twoworlds.numbers import bounds, exp, ln
from twoworlds.release.costs import Cost, parse_cost
from twoworlds.release.policy.model import Column, Dataset, Unit
from twoworlds.release.query import Compare, Query, resolve
from twoworlds.release.sensitivity import calibrate
from twoworlds.release.sensitivity.fixed import (
    COMPOSED,
    JOINT,
    FixedBatch,
    calibrate_each,
    composed_epsilon,
    parse_each,
    suffices,
    way_out,
)

F = Fraction
DELTA = F(1, 10**6)
TERMS = 60


def e_to(x: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals around e^x, for 0 <= x <= 9: the series, and a bound on what it leaves."""
    term = total = F(1)
    for n in range(1, TERMS):
        term *= x / n
        total += term
    return total, total + term * x / TERMS / (1 - x / (TERMS + 1))


def optimal_delta(epsilons, epsilon):
    """Rationals around the least delta at an epsilon (Murtagh & Vadhan), over all subsets."""
    below = above = F(0)
    scale = [F(1), F(1)]
    for one in epsilons:
        scale = [s * (1 + e) for s, e in zip(scale, e_to(one), strict=True)]
    for size in range(len(epsilons) + 1):
        for chosen in combinations(range(len(epsilons)), size):
            told = sum((epsilons[i] for i in chosen), F(0))
            others = epsilon + sum(epsilons) - told
            (low, high), (least, most) = e_to(told), e_to(others)
            below += max(F(0), low - most)
            above += max(F(0), high - least)
    return below / scale[1], above / scale[0]


ALIKE = [
    ((F(1, 10),) * 8, F(1, 1000)),
    ((F(1, 2),) * 6, F(1, 10)),
    ((F(1),) * 3, F(1, 5)),
    ((F(1, 4), F(1, 2), F(3, 4), F(1, 4)), F(1, 50)),
    ((F(1, 10), F(1, 10), F(1)), F(1, 10)),
    ((F(1, 100),) * 7, F(1, 150)),
    ((F(2),), F(1, 10)),
]


@pytest.mark.parametrize(("epsilons", "delta"), ALIKE)
def test_the_price_is_enough_and_six_digits_less_is_not(epsilons, delta):
    found = composed_epsilon(epsilons, delta)
    assert found < sum(epsilons)
    assert optimal_delta(epsilons, found)[1] <= delta
    assert optimal_delta(epsilons, found * (1 - F(1, 50_000)))[0] > delta


epsilon_values = st.one_of(
    st.fractions(F(1, 20), F(2), max_denominator=20),
    st.sampled_from([F("0.123456789"), F("0.7310585786"), F(10986122886682, 10**13)]),
)


@given(
    st.lists(epsilon_values, min_size=1, max_size=4),
    st.sampled_from([F(1, 10**6), F(1, 1000), F(1, 30), F(1, 4)]),
)
def test_no_price_is_below_the_truth_or_above_the_sum(epsilons, delta):
    losses = tuple(sorted(epsilons))
    found = composed_epsilon(losses, delta)
    assert found <= sum(losses)
    assert suffices(losses, delta, found)
    assert found == sum(losses) or optimal_delta(losses, found)[1] <= delta


@given(st.lists(epsilon_values, min_size=1, max_size=4), epsilon_values)
def test_what_suffices_is_true_and_one_more_query_never_costs_less(epsilons, another):
    losses, delta = tuple(sorted(epsilons)), F(1, 100)
    more = composed_epsilon(tuple(sorted([*losses, another])), delta)
    assert more >= composed_epsilon(losses, delta) * (1 - F(1, 1000))  # the grids differ
    for share in (F(1, 2), F(9, 10), F(99, 100)):
        epsilon = share * sum(losses)
        if suffices(losses, delta, epsilon):
            assert optimal_delta(losses, epsilon)[0] <= delta


def test_the_price_grows_with_every_query_and_with_a_smaller_delta():
    prices = [composed_epsilon((F(1, 10),) * k, DELTA) for k in range(1, 60)]
    assert prices == sorted(prices)
    assert F("0.0999") < prices[0] <= F(1, 10)
    assert prices[-1] < F(59, 10) * F(3, 5)
    deltas = [composed_epsilon((F(1, 10),) * 30, F(1, 10**n)) for n in range(1, 12)]
    assert deltas == sorted(deltas)


@pytest.mark.parametrize(
    ("losses", "delta"),
    [
        ((F(600),) * 2, DELTA),  # hides nothing
        ((F(1, 10),) * 3, F(1, 10**150)),  # a delta that saves nothing
        ((), DELTA),
    ],
)
def test_where_composition_saves_nothing_the_price_is_the_sum(losses, delta):
    assert composed_epsilon(losses, delta) == sum(losses)
    assert suffices(losses, delta, sum(losses, F(0)))
    assert not losses or not suffices(losses, delta, sum(losses) * F(9, 10))


def test_a_negative_or_lowered_epsilon_does_not_suffice():
    losses = (F(1, 10),) * 20
    assert suffices(losses, DELTA, F("1.78861"))
    assert not suffices(losses, DELTA, F("1.78860"))
    assert not suffices(losses, DELTA, F(-1))
    assert not suffices(losses, DELTA / 10, F("1.78861"))
    assert not suffices((*losses, F(1, 10)), DELTA, F("1.78861"))


@pytest.mark.parametrize(("epsilon", "times"), [(F(1, 10), 20), (F(1, 2), 9)])
def test_for_counts_no_accountant_finds_less(epsilon, times):
    """Discrete Laplace noise on a count is randomized response, as far as losses go."""
    counts = Several([(mechanism(f"geometric(epsilon={epsilon})"), times)])
    _, ratio = counts.family("add-remove").ratio_for(F(1, 10**4))
    low, high = bounds(ln(ratio))
    found = composed_epsilon((epsilon,) * times, F(1, 10**4))
    assert low <= found <= high * (1 + F(1, 10**4))


# --- noise and price of a batch -----------------------------------------------------------------

COLUMNS = {
    "few": Column("few", "text", keys=("a", "b")),
    "x": Column("x", "integer", F(0), F(2), grid=(F(0), F(1), F(2))),
}
SAMPLES = {"few": ["a", "b", "c", None], "x": [F(i) for i in range(-1, 4)] + [None]}
QUERIES = [
    Query("people").by("few").count(),
    Query("people").sum("x"),
    Query("people").by("few").count().sum("x"),
    Query("people").count(where=Compare("x", "<", F(1))),
]
YOUNG, OLD = (Query("people").where(Compare("x", sign, F(1))).count() for sign in ("<", ">="))


def batch(queries, neighbours="add-remove", unit=None):
    people = Dataset("people", None, neighbours, unit or Unit(), COLUMNS)
    return [resolve(query, people) for query in queries]


def loss_law(scale, shift):
    """The loss of one cell, with its masses in both worlds, in floats; cut off far out."""
    found, p = {}, math.exp(-1 / scale)
    for z in range(-400, 401):
        one, other = ((1 - p) / (1 + p) * p ** abs(z - moved) for moved in (0, shift))
        loss = (abs(z - shift) - abs(z)) / scale
        mass = found.get(loss, (0.0, 0.0))
        found[loss] = mass[0] + one, mass[1] + other
    return found


def together(laws):
    found = {0.0: 1.0}
    for law in laws:
        grown = {}
        for (loss, mass), (more, (p, _)) in product(found.items(), law.items()):
            key = round(loss + more, 9)
            grown[key] = grown.get(key, 0.0) + mass * p
        found = grown
    return found


@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
@pytest.mark.parametrize(
    ("queries", "each", "delta"),
    [
        (QUERIES, [F(1, 2), F(3, 4), F(1, 2), F(1, 4)], F(1, 20)),
        (QUERIES[:3] * 2, [F(1, 4)], F(1, 50)),
        (QUERIES[:2] * 4, [F(1, 10)], F(1, 100)),
    ],
)
def test_the_answers_of_a_batch_have_no_larger_delta_than_was_charged(
    queries, each, delta, neighbours
):
    """All pairs of rows, with the true noise of every measure and cell."""
    asked = batch(queries, neighbours)
    found = calibrate_each(asked, each, delta)
    assert found.batch.rule == COMPOSED
    assert found.price == Cost(found.batch.composed, delta)
    rows = all_vectors(asked, SAMPLES)
    worst = 0.0
    for a, b in product(rows, rows if neighbours == "substitute" else [{}]):
        shifts = {cell: a.get(cell, 0) - b.get(cell, 0) for cell in a.keys() | b.keys()}
        laws = [
            loss_law(float(found.noises[cell[0]][cell[1]].scale), shift)
            for cell, shift in shifts.items()
            if shift
        ]
        epsilon = float(found.price.epsilon)
        losses = together(laws).items()
        worst = max(
            worst, sum(m * (1 - math.exp(epsilon - loss)) for loss, m in losses if loss > epsilon)
        )
    assert 0 < worst <= float(delta) * (1 + 1e-9)


@pytest.mark.parametrize("unit", [None, Unit("id", 3, 2)])
@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
def test_each_query_has_the_noise_that_it_has_alone(neighbours, unit):
    asked, each = batch([*QUERIES, Query("people").median("x")], neighbours, unit), F(1, 3)
    found = calibrate_each(asked, [each], F(1, 100))
    for one, noises in zip(asked, found.noises, strict=True):
        assert (noises,) == calibrate([one], Cost(each)).noises
    assert found.batch.added == len(asked) * each
    assert found.batch.each == (each,) * 5


def test_queries_about_different_rows_cost_the_most_expensive_of_them():
    found = calibrate_each(batch([YOUNG, OLD]), [F(1), F(1, 2)], F(1, 10))
    assert (found.batch.rule, found.price) == (JOINT, Cost(F(1)))
    assert found.explain().startswith(
        "The whole costs epsilon 1 by the sensitivity of the whole; added up it would be epsilon "
        "1.5; by certified composition it would be epsilon 1."
    )
    several = calibrate_each(batch([YOUNG, OLD]), [F(1), F(1, 2)], F(0), moments="several")
    assert several.price == Cost(F(3, 2))


def test_a_delta_is_not_paid_for_next_to_nothing():
    found = calibrate_each(batch([QUERIES[0]] * 2), [F(1)], DELTA)
    assert found.batch.composed <= 2
    assert found.price == Cost(F(2))
    assert "as much as added up; certified composition would save less than 1%" in found.explain()


def test_what_nobody_can_move_costs_nothing_of_the_composition():
    counted = batch([Query("people").count()] + [QUERIES[3]] * 9, "substitute")
    found = calibrate_each(counted, [F(1, 10)], F(1, 1000))
    assert len(found.batch.losses) == 9
    assert found.batch.composed == composed_epsilon((F(1, 10),) * 9, F(1, 1000))
    nothing = calibrate_each(counted[:1], [F(1, 10)], F(1, 1000))
    assert (nothing.price, nothing.batch.added) == (Cost(), 0)


def test_moments_that_differ_are_allowed_for_by_composition():
    found = calibrate_each(batch([QUERIES[3]] * 12), [F(1, 10)], F(1, 100), moments="several")
    assert found.batch.rule == COMPOSED
    assert "different moments: composition allows for that." in found.explain()


@pytest.mark.parametrize(
    ("cost", "read"),
    [
        ("each=1/10, delta=1e-6", ((F(1, 10),), DELTA)),
        (" delta = 1e-6 , each = 0.1 ", ((F(1, 10),), DELTA)),
        ("each=1,each=2", ((F(1), F(2)), F(0))),
        ("1", None),
        ("epsilon=1, delta=1e-6", None),
        (F(1), None),
        (parse_cost("1"), None),
    ],
)
def test_costs_of_each_query_are_read(cost, read):
    assert parse_each(cost) == read


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        ("each=1, epsilon=1", "'epsilon' does not go with it"),
        ("each=1, rho=1", "'rho' does not go with it"),
        ("each=1, 2", "does not go with it"),
        ("each=1, delta=1e-6, delta=1e-6", "twice"),
        ("each=1, delta=1", "below 1"),
        ("each=1, delta=-1/2", "at least 0"),
        ("each=nan", "nan"),
        ("each=", "each"),
    ],
)
def test_costs_that_are_none_are_refused(cost, said):
    with pytest.raises(InvalidInput, match=said):
        parse_each(cost)


def test_an_irrational_epsilon_is_rounded_up():
    ((each,), _) = parse_each("each=ln 3")
    assert exp(each) > 3
    assert each == F("1.09861228867")


@pytest.mark.parametrize(
    ("queries", "each", "said"),
    [
        (QUERIES[:3], [F(1), F(2)], "2 epsilons are given for 3 queries"),
        (QUERIES[:1], [F(1), F(2)], "2 epsilons are given for 1 query:"),
        (QUERIES[:2], [F(0)], "a cost of 0"),
        ([Query("people").by("x", discover=True).count()], [F(1)], "declare the keys"),
    ],
)
def test_batches_that_cannot_be_are_refused(queries, each, said):
    with pytest.raises(InvalidInput, match=said):
        calibrate_each(batch(queries), each, DELTA)


# --- what would fit -----------------------------------------------------------------------------


def priced(epsilons, delta, joint=None):
    losses = tuple(sorted(epsilons))
    return FixedBatch(
        tuple(epsilons), delta, losses, composed_epsilon(losses, delta), joint or sum(losses)
    )


def within(epsilon, delta):
    return lambda costs: (
        sum(c.epsilon for c in costs) <= epsilon and sum(c.delta for c in costs) <= delta
    )


def test_ways_out_are_tried_before_they_are_named():
    twenty = priced((F(1, 10),) * 20, DELTA)
    assert way_out(twenty, within(2, 0)) == "without the delta it costs epsilon 2, which fits"
    assert "smaller epsilons" in way_out(twenty, within(F(1, 2), DELTA))
