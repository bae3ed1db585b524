"""Samples and shuffled reports, against all samples and all reports of small databases."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from tests.laws import losses
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.mechanisms import sampled
from twoworlds.mechanisms.base import Dense
from twoworlds.mechanisms.per_record import PerRecord
from twoworlds.mechanisms.sampled import Reports, Sampled, Shuffled
from twoworlds.mechanisms.several import Several
from twoworlds.numbers import bounds
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE, Explicit

RATIOS = [Fraction(1), Fraction(11, 10), Fraction(5, 4), Fraction(3, 2), Fraction(2)]


def noisy(answers, r, low, high):
    """Return the law of a random answer plus noise with masses like r^-|z|, exactly.

    Outputs up to ``low`` and from ``high`` on are one cell each: their likelihood ratios are equal.
    """
    c = Fraction(r - 1, r + 1)
    masses = [Fraction(0)] * (high - low + 1)
    for answer, chance in answers.items():
        for place, output in enumerate(range(low, high + 1)):
            away = Fraction(1, r ** abs(output - answer))
            end = output in (low, high)
            masses[place] += chance * (away * Fraction(r, r + 1) if end else c * away)
    return tuple(masses)


def poisson_answers(records, rate):
    found = Counter()
    for drawn in product((0, 1), repeat=len(records)):
        chance = Fraction(1)
        for one in drawn:
            chance *= rate if one else 1 - rate
        found[sum(x for x, one in zip(records, drawn, strict=True) if one)] += chance
    return found


def fixed_answers(records, size):
    drawn = [sum(sample) for sample in combinations(records, size)]
    return {answer: Fraction(n, len(drawn)) for answer, n in Counter(drawn).items()}


# --- Poisson samples ------------------------------------------------------------------------------

CHANGES = [
    (others, record)
    for n in range(3)
    for others in combinations_with_replacement((-1, 0, 1), n)
    for record in (-1, 1)
]


def poisson_pair(others, record, r, rate):
    """Return the laws with the record and without it."""
    both = ((*others, record), others)
    return tuple(noisy(poisson_answers(db, rate), r, -3, 3) for db in both)


@given(st.sampled_from([2, 3]), st.fractions(Fraction(1, 10), 1, max_denominator=10))
def test_a_poisson_sample_is_the_worst_of_all_databases(r, rate):
    """The others may pull the answer anywhere; where they contribute nothing, it is attained."""
    family = Sampled.poisson(tw.mechanism(f"geometric(ratio={r})"), rate).family(ADD_REMOVE)
    listed = [poisson_pair(others, record, r, rate) for others, record in CHANGES]
    both = [one for pair in listed for one in (pair, pair[::-1])]
    for ratio in RATIOS:
        assert family.gap(ratio)[1].delta == max(losses.gap(pair, ratio) for pair in both)


@pytest.mark.parametrize("ratio", RATIOS[1:4])
def test_poisson_samples_together_are_above_all_answers_that_one_record_moves(ratio):
    """Different questions: the record moves each answer in its own way, the others too."""
    rate, parts = Fraction(1, 4), []
    for r in (2, 3):
        parts.append((tw.mechanism(f"poisson-sample(geometric(ratio={r}), rate=1/4)"), 1))
    low, high = bounds(Several(parts).family(ADD_REMOVE).gap(ratio)[1].delta)
    exact = []
    for one, other in product(CHANGES[:8:3], repeat=2):
        pairs = poisson_pair(*one, 2, rate), poisson_pair(*other, 3, rate)
        exact += [losses.gap(losses.independent(*pairs), ratio)]
        exact += [losses.gap(losses.independent(*(pair[::-1] for pair in pairs)), ratio)]
    still = [poisson_pair((), 1, r, rate) for r in (2, 3)]
    attained = [
        losses.gap(losses.independent(*(pair[::s] for pair in still)), ratio) for s in (1, -1)
    ]
    assert low <= max(attained) == max(exact) <= high


# --- samples of fixed size ------------------------------------------------------------------------


def fixed_pairs(of, size, r):
    """Yield the laws of all neighbouring databases of records 0 and 1."""
    for others in combinations_with_replacement((0, 1), of - 1):
        for one, other in ((0, 1), (1, 0)):
            yield tuple(
                noisy(fixed_answers((*others, record), size), r, 0, size) for record in (one, other)
            )


@pytest.mark.parametrize(("size", "of"), [(1, 1), (1, 2), (2, 3), (1, 4), (3, 4)])
def test_a_sample_of_fixed_size_is_the_worst_of_all_databases(size, of):
    family = Sampled.fixed(tw.mechanism("geometric(ratio=3)"), size, of).family(SUBSTITUTE)
    for ratio in RATIOS:
        exact = max(losses.gap(pair, ratio) for pair in fixed_pairs(of, size, 3))
        assert family.gap(ratio)[1].delta == exact


@pytest.mark.parametrize("ratio", RATIOS[1:4])
@pytest.mark.parametrize("rates", [(2, 2), (2, 3)], ids=["alike", "different"])
def test_fixed_samples_together_are_above_questions_that_move_in_different_directions(rates, ratio):
    """A record may raise one answer and lower another; ends from one direction would be too low."""
    built = {r: tw.mechanism(f"fixed-sample(geometric(ratio={r}), size=1, of=2)") for r in rates}
    found = Several([(built[r], 1) for r in rates], width="1/100").family(SUBSTITUTE).gap(ratio)[1]
    low, high = bounds(found.delta)
    pairs = product(*(fixed_pairs(2, 1, r) for r in rates))
    exact = max(losses.gap(losses.independent(*both), ratio) for both in pairs)
    assert low <= exact <= high


def test_the_two_worlds_of_a_sample_have_the_laws_that_it_is_measured_by():
    drawn = tw.mechanism("poisson-sample(geometric(ratio=2), rate=1/4)")
    wanted = poisson_pair((), 1, 2, Fraction(1, 4))
    for world, law in zip(drawn.universe, wanted, strict=True):
        for output in range(-2, 3):
            assert drawn.probability(output, world) == law[output + 3]
    compared, gap = drawn.family(ADD_REMOVE).gap(Fraction(9, 8))
    p, q = (drawn.mass(gap.event, world) for world in (compared.x, compared.y))
    assert p - Fraction(9, 8) * q == gap.delta
    assert drawn.sample("with", np.random.default_rng(0)) in drawn.outputs


# --- shuffled reports -----------------------------------------------------------------------------


@st.composite
def randomizers(draw, values=2, kinds=2):
    weights = st.lists(st.integers(1, 4), min_size=kinds, max_size=kinds)
    columns = [
        [Fraction(w, sum(law)) for w in law] for law in (draw(weights) for _ in range(values))
    ]
    rows = list(zip(*columns, strict=True))
    return Dense(Explicit(tuple(range(values))), Explicit(tuple("abc"[:kinds])), rows)


def histogram_law(local, database):
    """Return the law of how often each report occurs, over all words of reports."""
    found = Counter()
    for word in product(local.outputs, repeat=len(database)):
        chance = Fraction(1)
        for report, value in zip(word, database, strict=True):
            chance *= local.probability(report, value)
        counts = Counter(word)
        found[tuple(counts[kind] for kind in local.outputs)] += chance
    return found


def shuffled_gap(local, people, ratio):
    """Return the largest gap over all databases that differ in one record."""
    best = Fraction(0)
    for others in combinations_with_replacement(local.universe, people - 1):
        for u, v in permutations(local.universe, 2):
            p, q = (histogram_law(local, (value, *others)) for value in (u, v))
            best = max(best, losses.gap(([p[o] for o in p], [q[o] for o in p]), ratio))
    return best


@given(randomizers(), st.integers(1, 4), st.sampled_from(RATIOS))
def test_a_shuffle_is_the_law_of_all_words_of_reports(local, people, ratio):
    shuffled = Shuffled(PerRecord(local, people))
    for database in combinations_with_replacement(local.universe, people):
        wanted = histogram_law(local, database)
        assert all(shuffled.probability(o, database) == wanted[o] for o in shuffled.outputs)
    found = shuffled.family(SUBSTITUTE).gap(ratio)[1].delta
    assert found == shuffled_gap(local, people, ratio)


@pytest.mark.parametrize(("values", "kinds"), [(2, 2), (2, 3), (3, 2)])
def test_clones_bound_a_shuffle_from_above_and_one_value_from_below(values, kinds, monkeypatch):
    """What is said of thousands of people, asked of three, of whom all databases are listed."""
    monkeypatch.setattr(sampled, "_MOST_COMPOSITIONS", 0)

    @given(randomizers(values, kinds), st.sampled_from(RATIOS))
    def holds(local, ratio):
        shuffled = Shuffled(PerRecord(local, 3))
        compared, (delta, event) = shuffled.family(SUBSTITUTE).gap(ratio)
        low, high = bounds(delta)
        assert low <= shuffled_gap(local, 3, ratio) <= high
        if isinstance(event, Reports):
            p, q = (shuffled.mass(event, world) for world in (compared.x, compared.y))
            for mass, world in ((p, compared.x), (q, compared.y)):
                law = histogram_law(local, world)
                assert losses.encloses(mass, sum(law[o] for o in law if event.holds(o)))
            excess = bounds(p)[0] - ratio * bounds(q)[1]
            assert low - Fraction(1, 10**6) <= excess <= high  # it is the one that shows most

    holds()


def test_a_value_that_another_one_looks_like_is_no_obstacle(monkeypatch):
    """Two of three values have the same law: telling them apart is impossible."""
    monkeypatch.setattr(sampled, "_MOST_COMPOSITIONS", 0)
    rows = [["3/4", "3/4", "1/4"], ["1/4", "1/4", "3/4"]]
    local = Dense(Explicit((0, 1, 2)), Explicit(("a", "b")), rows)
    family = Shuffled(PerRecord(local, 4)).family(SUBSTITUTE)
    low, high = bounds(family.gap(Fraction(3, 2))[1].delta)
    assert low <= shuffled_gap(local, 4, Fraction(3, 2)) <= high
    assert any(one.gap(Fraction(1)).delta == 0 for one in family)


def test_too_many_histograms_are_not_listed():
    many = tw.mechanism("shuffle(randomized-response(bits=5000, keep=3/4))")
    with pytest.raises(TooLarge, match=r"5001 outputs.*ask for delta or epsilon"):
        many.probability((5000, 0), (1,) * 5000)


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("poisson-sample(laplace(scale=1), rate=0)", "rate=0 draws nobody"),
        ("poisson-sample(laplace(scale=1), rate=3/2)", "rate=3/2 is not a probability"),
        (
            "fixed-sample(laplace(scale=1), size=3, of=2)",
            "size=3: a sample of 2 records has 1 to 2",
        ),
        ("fixed-sample(laplace(scale=1), size=0, of=2)", "size=0 must be a whole number"),
        ("poisson-sample(skellam(1, 2), rate=1/2)", "taken for symmetric noise on an answer"),
        ("poisson-sample(identity(bits=1), rate=1/2)", "taken for symmetric noise on an answer"),
        ("poisson-sample(geometric(ratio=2, bits=3), rate=1/2)", "symmetric noise on an answer"),
        ("shuffle(laplace(scale=1))", "reports are shuffled that each person randomizes"),
        ("shuffle(randomized-response(bits=3, keep=1))", "one report can give its sender away"),
        ("shuffle(randomized-response(bits=3, epsilon=1))", "as fractions, such as 3/4"),
    ],
)
def test_what_cannot_be_sampled_or_shuffled_is_refused_with_a_way_out(text, message):
    with pytest.raises(InvalidInput, match=message):
        tw.mechanism(text)


@pytest.mark.parametrize(
    ("text", "given", "message"),
    [
        (
            "poisson-sample(laplace(scale=1), rate=1/2)",
            {"group": 2},
            "group=2: how many of a group",
        ),
        (
            "poisson-sample(laplace(scale=1), rate=1/2)",
            {"neighbours": "substitute"},
            "compared by add-remove, not by substitute",
        ),
        (
            "fixed-sample(laplace(scale=1), size=1, of=2)",
            {"neighbours": "add-remove"},
            "compared by substitute, not by add-remove",
        ),
        ("shuffle(randomized-response(bits=3, keep=3/4))", {"group": 2}, "leave the neighbours"),
    ],
)
def test_neighbours_that_a_sample_does_not_have_are_refused(text, given, message):
    with pytest.raises(Unsupported, match=message):
        tw.measure(text, **given)
