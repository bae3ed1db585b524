"""Strategies: joint sensitivity by brute force, and the condition that makes them strategies."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twoworlds import BitStrings, Records
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.mechanisms import Anything, AtLeast, Listed
from twoworlds.mechanisms.strategy import (
    Ask,
    Boxes,
    Course,
    HalfOpen,
    Strategy,
    Then,
    from_family,
    tiles,
)
from twoworlds.worlds import Computed
from twoworlds.worlds.statistics import Batch, constant, count, histogram

BITS = BitStrings(2)
VALUES = st.tuples(*[st.integers(-2, 2)] * 4)  # one number for each database of two bits


def query(values):
    table = dict(zip(BITS, values, strict=True))
    return Computed(lambda x: table[x], f"query {values}")


def neighbours():
    return [
        (x, y)
        for x, y in product(BITS, repeat=2)
        if sum(a != b for a, b in zip(x, y, strict=True)) == 1
    ]


@st.composite
def strategies(draw):
    """Three queries; the second depends on one threshold, the third on two."""
    first, low, high = (query(draw(VALUES)) for _ in range(3))
    last = {sides: query(draw(VALUES)) for sides in product((False, True), repeat=2)}
    cut, other = draw(st.integers(-2, 2)), draw(st.fractions(-2, 2, max_denominator=4))

    def reference(rho):
        second = high if rho[0] >= cut else low
        return first, second, last[rho[0] >= cut, rho[1] >= other]

    steps = [
        Ask(first, [cut]),
        Then(lambda box: Ask(high if box[0].low is not None else low, [other])),
        Then(lambda box: last[box[0].low is not None, box[1].low is not None]),
    ]
    return Strategy.of(BITS, steps), reference


TRANSCRIPTS = list(product([Fraction(i, 2) for i in range(-5, 6, 2)], repeat=2))


@settings(max_examples=15)
@given(strategies())
def test_along_every_transcript_the_right_queries_are_asked(made):
    strategy, reference = made
    for rho in TRANSCRIPTS:
        full = (*rho, Fraction(0))
        for x in BITS:
            assert strategy.values(full, x) == tuple(q(x) for q in reference(full))


@settings(max_examples=15)
@given(strategies())
def test_the_joint_sensitivity_is_the_largest_norm_over_all_transcripts_and_neighbours(made):
    strategy, reference = made
    norms, singles, sums = [], [], []
    for rho in TRANSCRIPTS:
        asked = reference((*rho, Fraction(0)))
        norms += [sum(abs(q(x) - q(y)) for q in asked) for x, y in neighbours()]
        each = [max(abs(q(x) - q(y)) for x, y in neighbours()) for q in asked]
        singles.append(max(each))
        sums.append(sum(each))
    found = strategy.sensitivity()
    assert (found.joint, found.largest, found.total) == (max(norms), max(singles), max(sums))
    assert found.largest <= found.joint <= found.total
    if found.pair is not None:
        rho = tuple(interval.inner() for interval in found.course.box)
        x, y = (strategy.values(rho, database) for database in found.pair)
        assert sum(abs(a - b) for a, b in zip(x, y, strict=True)) == found.joint


def test_erratum_neither_the_largest_nor_the_sum_of_single_sensitivities_will_do():
    # Dwork, before Theorem 5: the sensitivity is that of the whole vector.
    same = Strategy.batch(BitStrings(3), count(), count()).sensitivity()
    assert (same.largest, same.joint, same.total) == (1, 2, 2)
    people = Records("ab", 3, smallest=2)
    apart = Strategy.batch(people, count("a"), count("b"))
    found = apart.sensitivity(neighbours="add-remove")
    assert (found.largest, found.joint, found.total) == (1, 1, 2)
    assert apart.sensitivity(neighbours="substitute").joint == 2
    assert apart.sensitivity(neighbours="add-remove", group=2).joint == 2
    assert "No single query moves by more than 1" in found.explain()
    assert found.to_dict()["joint"] == {"exact": "1", "value": 1.0}


@pytest.mark.parametrize("relation", ["substitute", "add-remove"])
def test_sums_over_many_people_are_not_listed(relation):
    people = Records(2, 500, smallest=499)
    strategy = Strategy.batch(people, count(), histogram([0, 1]), constant(3))
    found = strategy.sensitivity(neighbours=relation)
    assert found.joint == (3 if relation == "substitute" else 2)


# --- consistency --------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 2), min_size=36, max_size=36))
def test_a_family_is_accepted_exactly_if_no_query_looks_ahead(numbers):
    """f_rho(X)_1 may not depend on rho at all, f_rho(X)_2 on rho_1 only."""
    one_bit = BitStrings(1)
    keys = [(rho, x) for rho in product((0, 1, 2), repeat=2) for x in one_bit]
    table = {
        key: (numbers[2 * i] % 2 if i % 5 else 0, numbers[2 * i + 1] % 2 if i % 3 else 1)
        for i, key in enumerate(keys)
    }
    consistent = all(
        table[rho, x][place] == table[other, x][place]
        for place in (0, 1)
        for rho, other in product(product((0, 1, 2), repeat=2), repeat=2)
        if rho[:place] == other[:place]
        for x in one_bit
    )
    ask = lambda rho, x: table[tuple(map(int, rho)), x]  # noqa: E731
    if not consistent:
        with pytest.raises(InvalidInput, match="may depend on earlier answers only"):
            from_family(one_bit, ask, [[0, 1, 2]] * 2)
        return
    strategy = from_family(one_bit, ask, [[0, 1, 2]] * 2)
    for rho, x in keys:
        assert strategy.values(rho, x) == table[rho, x]


def test_courses_that_look_ahead_overlap_or_leave_gaps_are_refused():
    statistic = Batch.of([count(), constant(0)], BITS)
    below, above = tiles((Fraction(0),))
    line = HalfOpen()
    ahead = (Course((below, line), ((0,), (1,))), Course((above, line), ((1,), (1,))))
    with pytest.raises(InvalidInput, match=r"query 1 .* transcripts \(-1, 0\) and \(0, 0\)"):
        Strategy(BITS, statistic, ahead)
    with pytest.raises(InvalidInput, match="do not cover the line"):
        Strategy(BITS, statistic, ahead[:1])
    twice = (Course((line,), ((0,),)), Course((line,), ((0,),)))
    with pytest.raises(InvalidInput, match="the same box"):
        Strategy(BITS, statistic, twice)
    uneven = (Course((line,), ((0,),)), Course((line, line), ((0,), (1,))))
    with pytest.raises(InvalidInput, match="same number of answers"):
        Strategy(BITS, statistic, uneven)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], "asks nothing"),
        ([3], "is not a query"),
        ([Ask(count(), [1, 0])], "must rise"),
        ([Ask(count(), ["x"])], "cut"),
        ([Ask(histogram([0, 1]), [1])], "2 parts"),
        ([Ask(histogram([0, 1]), [[1]])], "2 lists"),
        ([Computed(lambda x: (), "nothing")], "answers nothing"),
    ],
)
def test_bad_steps_are_refused(steps, said):
    with pytest.raises(InvalidInput, match=said):
        Strategy.of(BITS, steps)


def test_too_many_boxes_are_refused():
    with pytest.raises(TooLarge, match="boxes"):
        Strategy.of(BITS, [Ask(count(), range(20))] * 3 + [count()])
    with pytest.raises(TooLarge, match="cannot be listed"):
        from_family(BITS, lambda rho, x: rho, [range(100)] * 3)


def test_vector_answers_can_be_cut_part_by_part():
    follow = {True: count(), False: constant(0)}
    both = Ask(histogram([0, 1]), [[1], [1]])
    choose = Then(lambda box: follow[box[0].low is not None and box[1].low is not None])
    strategy = Strategy.of(BITS, [both, choose])
    assert len(strategy.courses) == 4
    assert strategy.values((0, 5, 0), (1, 1)) == (0, 2, 0)
    assert strategy.values((1, 1, 0), (1, 1)) == (0, 2, 2)


# --- Intervals, boxes and transcripts: what is said of them, and what they hold ------------------


HALF = HalfOpen(Fraction(1, 2), Fraction(5, 2))


def test_events_of_other_kinds_have_a_mass_or_are_refused():
    counts = Strategy.batch(BitStrings(1), count(), count()).answered("geometric(ratio=2)")
    assert counts.mass(Anything(), (1,)) == 1
    assert counts.mass(Listed.of([(1, 1), (0, 1)]), (1,)) == Fraction(1, 9) + Fraction(1, 18)
    with pytest.raises(Unsupported):
        counts.mass(AtLeast(1), (1,))
    assert counts.example(Listed.of([(1, 1)]), (1,)) == (1, 1)
    assert counts.example(Anything(), (1,)) is None
    real = Strategy.batch(BitStrings(1), count()).answered("laplace(scale=1)")
    assert real.mass(Listed.of([(Fraction(1),)]), (1,)) == 0
    assert real.example(Boxes(((HALF,),)), (1,)) is None
    gap = real.family("substitute").gap(Fraction(2))[1]
    assert "more than 2 times as likely" in gap.event.describe(real.outputs)
    likelier = real.family("substitute").gap(Fraction(1))[1].event
    assert "likelier in the first world" in likelier.describe(real.outputs)
    many = Strategy.batch(BitStrings(2), count()).answered("laplace(scale=1)")
    comparison, two = many.family("substitute").gap(Fraction(1))
    third = next(x for x in BitStrings(2) if sum(x) not in map(sum, (comparison.x, comparison.y)))
    with pytest.raises(Unsupported, match="two worlds"):
        many.mass(two.event, third)


def test_a_family_needs_responses_and_vectors_of_the_right_length():
    with pytest.raises(InvalidInput, match="at least one response"):
        from_family(BitStrings(1), lambda rho, x: (), [[]])
    with pytest.raises(InvalidInput, match="must be 1 numbers"):
        from_family(BitStrings(1), lambda rho, x: (1, 2), [[0]])
