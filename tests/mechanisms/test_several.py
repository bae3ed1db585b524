"""Several mechanisms on the same people, against all outputs and all neighbours, listed."""

import math
from fractions import Fraction
from itertools import pairwise, product

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from tests.laws import losses
from tests.laws.losses import encloses
from twoworlds.definitions.together import together
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import FiniteComparison
from twoworlds.laws.composition import Composed
from twoworlds.mechanisms import sampled, several
from twoworlds.mechanisms.base import Dense
from twoworlds.mechanisms.per_record import PerRecord
from twoworlds.mechanisms.several import Several, composed
from twoworlds.numbers import INFINITY, bounds
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE, BitStrings, Explicit, Records, pairs

BITS = BitStrings(2)
LISTS = Records(("a", "b"), 2, smallest=1)
RATIOS = [Fraction(1), Fraction(3, 2), Fraction(4)]


@st.composite
def tables(draw, universe, *, least=0):
    weights = st.lists(st.integers(least, 5), min_size=2, max_size=2).filter(any)
    columns = [[Fraction(w, sum(law)) for w in law] for law in (draw(weights) for _ in universe)]
    return Dense(universe, Explicit((0, 1)), list(zip(*columns, strict=True)))


def laws(mechanism, x, y):
    return tuple(tuple(mechanism.probability(o, d) for o in mechanism.outputs) for d in (x, y))


def worst(parts, relation, group, ratio):
    """Return the largest gap over all neighbours both ways round, output by output."""
    universe = parts[0][0].universe
    both = [(x, y) for one in pairs(universe, relation, group) for x, y in (one, one[::-1])]
    return max(
        losses.gap(
            losses.independent(*(laws(m, x, y) for m, times in parts for _ in range(times))), ratio
        )
        for x, y in both
    )


@pytest.fixture(params=["listed", "by losses"])
def way(request, monkeypatch):
    """Compare outputs one by one where they are few, or never."""
    if request.param == "by losses":
        monkeypatch.setattr(several, "_LISTED", 0)
    return request.param


@pytest.mark.parametrize(
    ("universe", "relation", "group"),
    [(BITS, SUBSTITUTE, 1), (BITS, SUBSTITUTE, 2), (LISTS, ADD_REMOVE, 1), (LISTS, SUBSTITUTE, 1)],
)
def test_several_tables_have_the_gap_of_their_product(universe, relation, group, way):
    @given(tables(universe), tables(universe))
    def holds(one, other):
        parts = [(one, 2), (other, 1)]
        family = Several(parts).family(relation, group)
        for ratio in RATIOS:
            compared, (delta, event) = family.gap(ratio)
            assert delta == worst(parts, relation, group, ratio)
            assert isinstance(compared, FiniteComparison)
            if delta:
                p, q = (Several(parts).mass(event, d) for d in (compared.x, compared.y))
                assert p - ratio * q == delta

    holds()


@given(tables(BITS), st.sampled_from(RATIOS))
def test_one_mechanism_several_times_has_the_gap_of_its_product(one, ratio):
    found = Several([(one, 3)]).family(SUBSTITUTE, 2).gap(ratio)[1].delta
    assert found == worst([(one, 3)], SUBSTITUTE, 2, ratio)


@given(tables(BITS), tables(BITS))
def test_it_is_the_dense_table_of_all_outputs(one, other):
    both = Several([(one, 1), (other, 2)])
    assert both.table().outputs.size == 8
    for x in BITS:
        assert sum(both.probability(o, x) for o in both.outputs) == 1
        for a, b, c in both.outputs:
            wanted = one.probability(a, x) * other.probability(b, x) * other.probability(c, x)
            assert both.probability((a, b, c), x) == wanted


@given(tables(BITS), tables(BITS))
def test_a_composition_of_compositions_is_taken_apart(one, other):
    inner = Several([(one, 2), (other, 1)])
    assert Several([(inner, 2), (one, 1)]).parts == ((one, 5), (other, 2))


@given(st.integers(1, 3), st.sampled_from(RATIOS))
def test_a_survey_asked_several_times_is_one_with_more_kinds_of_answers(times, ratio):
    """Only the changed record matters: so two people tell what two thousand do."""
    uneven = Dense(Explicit((1, 0)), Explicit((1, 0)), [["3/4", "1/3"], ["1/4", "2/3"]])
    wanted = worst([(PerRecord(uneven, 2), times)], SUBSTITUTE, 1, ratio)
    for people in (2, 2000):
        survey = composed([(PerRecord(uneven, people), times)])
        assert isinstance(survey, PerRecord)
        assert survey.family(SUBSTITUTE).gap(ratio)[1].delta == wanted


# --- noise on an answer beside a table ------------------------------------------------------------


def noise_laws(masses, u, v):
    """Return the laws of u + Z and v + Z on all outputs of both."""
    top = max(u, v) + len(masses)
    return tuple(
        tuple(masses[o - c] if 0 <= o - c < len(masses) else Fraction(0) for o in range(-1, top))
        for c in (u, v)
    )


LOPSIDED = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))


@pytest.mark.parametrize("ratio", RATIOS[:2])
def test_noise_beside_a_table_is_above_all_pairs_and_all_directions(ratio):
    """Who changes the record may move the answer up, down, or not at all."""
    table = Dense(Explicit(("a", "b")), Explicit((0, 1)), [["1/5", "2/3"], ["4/5", "1/3"]])
    noise = tw.mechanism("integer-noise([1/2, 1/3, 1/6])")
    family = Several([(table, 1), (noise, 2)], width="1/20").family(SUBSTITUTE)
    low, high = bounds(family.gap(ratio)[1].delta)
    moved, same = [], []
    for x, y in ("ab", "ba"):
        for steps in product((-1, 0, 1), repeat=2):
            answers = [noise_laws(LOPSIDED, step, 0) for step in steps]
            gap = losses.gap(losses.independent(laws(table, x, y), *answers), ratio)
            moved.append(gap)
            if steps in ((1, 1), (-1, -1)):
                same.append(gap)
    assert max(moved) <= high
    assert max(same) - Fraction(1, 20) <= low <= max(same)


def test_symmetric_noise_on_different_answers_needs_no_second_end():
    """Two kinds of geometric noise: all four combinations of directions are alike."""
    both = Several(
        [(tw.mechanism("geometric(ratio=2)"), 1), (tw.mechanism("geometric(ratio=3)"), 1)]
    )
    compared, (delta, event) = both.family(SUBSTITUTE).gap(Fraction(2))
    cells = []
    for ratio in (2, 3):
        heavy = Fraction(ratio, ratio + 1)
        cells.append(((heavy, 1 - heavy), (1 - heavy, heavy)))
    assert encloses(delta, losses.gap(losses.independent(*cells), Fraction(2)))
    p, q = (both.mass(event, world) for world in (compared.x, compared.y))
    assert encloses(delta, bounds(p)[0] - 2 * bounds(q)[1], Fraction(1, 10**6))


def test_two_universes_are_changed_both_at_once():
    """A person who moves the count also moves the sum, each in its own universe."""
    both = tw.compose("laplace(epsilon=1)", "geometric(ratio=2)")
    assert both.universe.expression == "reals() x integers()"
    compared, peak = both.family(both.universe.relation).peak()
    assert float(peak.ratio) == pytest.approx(2 * math.e)
    assert peak.event.holds((compared.x[0] + 5, compared.x[1] + 5))
    assert not peak.event.holds((compared.x[0] + 5, compared.x[1] - 5))
    p, q = (both.mass(peak.event, world) for world in (compared.x, compared.y))
    assert float(p / q) == pytest.approx(float(peak.ratio))


def test_an_answer_that_stays_in_one_universe_tells_nothing_there():
    """Gaussian noise around one number, in both worlds, is compared too."""
    both = tw.compose("gaussian(sigma=1)", "laplace(epsilon=1)", "geometric(ratio=2)")
    found = both.compare((Fraction(3), 1), (Fraction(3), 0))
    assert encloses(found.gap(Fraction(3, 2)).delta, Fraction(1, 6))
    assert found.peak().ratio == 2


# --- dominated parts ------------------------------------------------------------------------------


def test_different_mechanisms_that_have_an_upper_end_keep_it_together(monkeypatch):
    """Together two shuffles tell at least what the upper end of one of them allows."""
    monkeypatch.setattr(sampled, "_MOST_COMPOSITIONS", 0)  # so that clones bound them
    monkeypatch.setattr(several, "_FEW_DATABASES", 0)
    texts = [f"shuffle(randomized-response(bits=4, keep={keep}))" for keep in ("3/4", "2/3")]
    one, other = map(tw.mechanism, texts)
    alone = bounds(one.family(SUBSTITUTE).gap(Fraction(3, 2))[1].delta)
    both = Several([(one, 1), (other, 1)], width="1/20").family(SUBSTITUTE)
    assert bounds(both.gap(Fraction(3, 2))[1].delta)[1] >= alone[1] > alone[0]


# --- events -------------------------------------------------------------------------------------


@given(tables(BITS), tables(BITS), st.sampled_from(RATIOS))
def test_rounded_losses_hold_for_the_outputs_that_their_masses_count(one, other, ratio):
    both = Several([(one, 2), (other, 1)])
    for x, y in list(product(BITS, repeat=2))[1:3]:
        events = several._Answers(both, x, y)
        found = Composed(x, y, tuple(both.compared(x, y)), events)
        delta, event = found.gap(ratio)
        if not isinstance(event, several.RoundedLosses):
            continue
        for database, mass in zip((x, y), event.masses(), strict=True):
            listed = [both.probability(o, database) for o in both.outputs if event.holds(o)]
            assert encloses(mass, sum(listed, Fraction(0)))
            assert both.mass(event, database) is not None
        p, q = (bounds(mass) for mass in event.masses())
        assert p[1] - ratio * q[0] >= bounds(delta)[0]
        assert "privacy losses" in event.describe(both.outputs)


def skellam(mean, outputs):
    """Return the law of a difference of two Poisson numbers of equal means."""
    return {o: float(mpmath.exp(-2 * mean) * mpmath.besseli(o, 2 * mean)) for o in outputs}


def rounded(loss, unit, ranges):
    """Round a loss as the event says: by the marks of its cell."""
    marks = sorted({mark for low, high, step in ranges for mark in range(low, high + 1, step)})
    if loss <= marks[0] * unit:
        return marks[0]
    cells = ((low, high) for low, high in pairwise(marks) if low * unit < loss <= high * unit)
    low, high = next(cells, (marks[-1], marks[-1] + 2))
    return (low + high + 1) // 2


def test_the_rounding_that_is_said_gives_the_probabilities_that_are_said():
    """Two Skellam answers: what the JSON says of the event is enough to add up all outputs."""
    both = tw.compose("skellam(3, 3)", "skellam(4, 4)")
    found = tw.measure(both, epsilon=1).to_dict()["witness"]
    assert "each rounded up to a multiple of" in found["event_in_words"]
    assert "(rare ones to the middle of up to" in found["event_in_words"]
    event, unit = found["event"], float(Fraction(found["event"]["unit"]["exact"]))
    x, y = map(int, found["databases"])
    totals = [0.0, 0.0]
    laws = [skellam(mean, range(-60, 61)) for mean in (3, 4)]
    places = []
    for law, ranges in zip(laws, event["marks"], strict=True):
        cells = {}
        for o in range(-50, 51):
            p, q = law[o - x], law[o - y]
            cells[o] = rounded(math.log(p / q), unit, ranges), p, q
        places.append(cells.values())
    for (a, p, q), (b, r, s) in product(*places):
        if a + b >= event["at_least"]:
            totals[0] += p * r
            totals[1] += q * s
    for total, said in zip(totals, found["probabilities"], strict=True):
        assert said["lower"] * (1 - 1e-9) <= total <= said["upper"] * (1 + 1e-9)


@given(tables(BITS))
def test_answers_impossible_in_the_other_world_are_an_event(one):
    both = Several([(one, 9)])
    for x, y in list(product(BITS, repeat=2))[1:4]:
        event = several._Answers(both, x, y).likelier(INFINITY)
        p, q = laws(one, x, y)
        only = sum((a for a, b in zip(p, q, strict=True) if b == 0), Fraction(0))
        assert event.masses() == (1 - (1 - only) ** 9, 0)


def test_counts_of_two_kinds_of_answers_are_said_as_such():
    survey = Several([(tw.mechanism("randomized-response(bits=1, keep=3/4)"), 20)])
    _, (delta, event) = survey.family(SUBSTITUTE).gap(Fraction(3**4))
    assert event.describe(survey.outputs).startswith("at least 13 of the 20 answers")
    tail = [math.comb(20, k) for k in range(13, 21)]
    wanted = sum(
        c * (Fraction(3**k, 4**20) - 81 * Fraction(3 ** (20 - k), 4**20))
        for k, c in enumerate(tail, start=13)
    )
    assert delta == wanted


def test_drawn_outputs_are_outputs():
    both = tw.compose("geometric(ratio=2)", "laplace(scale=1)", times=2)
    drawn = both.sample((0, 0), np.random.default_rng(1))
    assert len(drawn) == 4
    assert drawn in both.outputs


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Several([]), "nothing to compose: name at least one"),
        (lambda: Several([(tw.mechanism("laplace(scale=1)"), 0)]), "times=0 must be at least 1"),
        (lambda: Several([(tw.mechanism("laplace(scale=1)"), -2)]), "times=-2 must be at least 1"),
        (lambda: tw.compose("laplace(scale=1)", times=0), "times=0 must be a whole number"),
        (lambda: tw.compose("laplace(scale=1)", times="1/2"), "times=1/2 must be a whole number"),
        (lambda: tw.compose("laplace(scale=1)", width=0), "width=0 must lie between 0 and 1"),
        (lambda: tw.compose("laplace(scale=1)", width=1), "width=1 must lie between 0 and 1"),
        (
            lambda: tw.compose("identity(bits=1)", "identity(bits=2)"),
            r"different databases, bits\(1\) and bits\(2\): combine mechanisms on one",
        ),
    ],
)
def test_what_cannot_be_composed_is_refused_with_a_way_out(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


def test_both_probabilities_of_an_event_are_computed_at_once(monkeypatch):
    """Once for the witness, and once more to verify it."""
    real, asked = several.RoundedLosses.masses, []
    monkeypatch.setattr(
        several.RoundedLosses, "masses", lambda self: asked.append(self) or real(self)
    )
    tw.measure(tw.compose("laplace(scale=1)", times=3), delta="1e-3")
    assert len(asked) == 2


def test_outputs_of_surveys_are_written_as_the_word_of_each():
    two = ["randomized-response(bits=2, keep=3/4)", "randomized-response(bits=2, keep=2/3)"]
    first, second = (tw.mechanism(one) for one in two)
    both = tw.mechanism(f"compose({', '.join(two)})")
    for o, p, x in product(BITS, BITS, BITS):
        label = f"({BITS.label(o)}; {BITS.label(p)})"
        found = both.outputs.find(label)
        assert both.outputs.label(found) == label
        assert both.probability(found, x) == first.probability(o, x) * second.probability(p, x)
    with pytest.raises(
        InvalidInput, match=r"'x' is not in bits\(2\) x bits\(2\).*as in \(11; 11\)"
    ):
        both.outputs.find("x")


def test_outputs_that_are_multiplied_out_are_counted_too():
    found = together("randomized-response(bits=3, keep=3/4)", times=3)
    assert found.count == 3
    assert found.added_up == found.verdict.epsilon
    assert found.answer().headline.startswith("All 3 outputs together: of 100")
