"""Beliefs about people who are alike, by counts, against databases written out."""

import dataclasses
import tracemalloc
from fractions import Fraction

import pytest

from twoworlds import mechanism
from twoworlds.definitions.semantics.breaches import failure_of
from twoworlds.definitions.semantics.games import by_counts, crowd, many_alike, play, play_crowd
from twoworlds.definitions.semantics.local import LocalSemanticPrivacy
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.laws.event import agree
from twoworlds.mechanisms import OnStatistic
from twoworlds.numbers import bounds
from twoworlds.worlds import Additive, Records
from twoworlds.worlds.belief import secret
from twoworlds.worlds.beliefs import belief

BELIEFS = ["hidden(9/10=1/3, 1/5=2/3)", "independent(1/3)", "mixture(uniform, hidden(0=1))"]
NOISE = [
    ("geometric(ratio=3/2, bits=4)", (-2, 0, 3, 6)),
    ("truncated-geometric(ratio=2, bits=4)", (0, 2, 4)),
    ("integer-noise([1/4, 1/2, 1/4], start=-1, bits=4)", (-1, 2, 5)),
    ("discrete-gaussian(sigma=2, bits=3)", (-3, 1)),
    ("skellam(l1=1, l2=1, bits=3)", (2,)),
    ("laplace(epsilon=1, bits=3)", ("3/2",)),
    ("gaussian(sigma=2, bits=3)", ("3/2",)),
    ("noisy-parity(bits=3, keep=3/4)", (1,)),
    ("exact(histogram, universe=bits(4))", ((1, 3), (4, 0))),
    ("batch(count, parity, noise=geometric(ratio=2), universe=bits(3))", ((1, 1), (-1, 4))),
    ("pair(geometric(ratio=2, bits=3), laplace(scale=2, bits=3))", ("(1; 3/2)",)),
    ("shuffle(randomized-response(bits=3, keep=3/4))", ((1, 2), (3, 0))),
]


def same(one, other):
    return one == other or agree(one, other)


@pytest.mark.parametrize("held", BELIEFS)
@pytest.mark.parametrize(("text", "outputs"), NOISE)
def test_conclusions_from_a_noisy_sum_are_those_of_all_databases(text, outputs, held):
    noisy = mechanism(text)
    written = counted = belief(held, noisy.universe)
    for output in outputs:
        for default in (0, 1):
            games = play(noisy, written, output, default=default)
            found = play_crowd(noisy, counted, output, default=default)
            (one,) = found.conclusions
            if games.differences[0] is None:
                assert one.removed is None
                assert one.difference == 1
                continue
            assert same(one.difference, games.worst)
            assert same(one.moved, games.moved)
            for v in (0, 1):
                assert same(one.real[v], games.with_everyone.marginal(2)[v])
                assert same(one.removed[v], games.without[1].marginal(2)[v])


@pytest.mark.parametrize(
    "text",
    [
        "randomized-response(bits=4, keep=3/4)",
        "pram([[1/2, 0, 1/4], [1/2, 1/2, 0], [0, 1/2, 3/4]], records=3)",
    ],
)
def test_conclusions_from_records_on_their_own_are_those_of_all_databases(text):
    survey = mechanism(text)
    values = survey.universe.values
    law = ", ".join(f"{v}=1/{len(values)}" for v in values)
    sure = ", ".join(f"{v}={int(v == values[0])}" for v in values)
    held = f"mixture(independent([{law}]), independent([{sure}]), weights=[3/4, 1/4])"
    written = counted = belief(held, survey.universe)
    for output in survey.outputs:
        if not any(survey.probability(output, x) for x in written):
            continue
        games = play(survey, written, output)
        for one in play_crowd(survey, counted, output).conclusions:
            i = output.index(one.who)
            assert one.people == output.count(one.who)
            assert one.real == games.with_everyone.marginal(i + 1)
            if games.differences[i] is None:
                assert one.removed is None
            else:
                assert one.difference == games.differences[i]
                assert one.removed == games.without[i].marginal(i + 1)


@pytest.mark.parametrize("held", BELIEFS)
@pytest.mark.parametrize("text", [text for text, _ in NOISE[:3]])
def test_breaches_are_as_likely_as_over_all_databases(text, held):
    noisy = mechanism(text)
    written = counted = belief(held, noisy.universe)
    for epsilon in (Fraction(0), Fraction(1, 10), Fraction(1, 5), Fraction(1, 3)):
        for default in (0, 1):
            found = crowd(noisy, counted, default).failure(epsilon).mass
            assert found == failure_of(noisy, written, epsilon, default)


def test_breaches_of_other_noise_and_of_records_on_their_own():
    for text in ("discrete-gaussian(sigma=1, bits=3)", "randomized-response(bits=3, keep=3/4)"):
        noisy = mechanism(text)
        for held in BELIEFS:
            counted = crowd(noisy, belief(held, noisy.universe), 0)
            written = failure_of(noisy, belief(held, noisy.universe), Fraction(1, 7))
            assert same(counted.failure(Fraction(1, 7)).mass, written)


def test_other_beliefs_and_few_people_are_written_out():
    bits = mechanism("randomized-response(bits=3, keep=3/4)").universe
    assert belief("explicit(111=1/2, 000=1/2)", bits).common_laws is None
    assert belief("independent(1/2, 1/3, 1/4)", bits).common_laws is None
    assert belief("mixture(uniform, explicit(111=1))", bits).common_laws is None
    assert belief("uniform", bits).common_laws is not None
    assert not many_alike(belief("uniform", bits))


def test_ten_thousand_people_in_the_smoking_study():
    noisy = mechanism("geometric(ratio=3/2, bits=10000)")
    found = play_crowd(noisy, belief("hidden(9/10=1/2, 1/10=1/2)", noisy.universe), 1017)
    (one,) = found.conclusions
    low, high = bounds(one.real[1])
    assert 0.1016 < low <= high < 0.1017  # the prior moves from 1/2 ...
    assert bounds(one.difference)[1] < 0.022  # ... and hardly depends on one person
    survey = mechanism("randomized-response(bits=10000, keep=3/4)")
    law = LocalSemanticPrivacy("hidden(9/10=1/2, 1/10=1/2)")
    assert bounds(law.failure(survey, "1/8"))[0] > 0.99


def test_ten_thousand_independent_records_are_told_by_what_was_reported():
    """Each record stands alone: 1/10 becomes 1/4 after a 1, and 1/28 after a 0."""
    survey = mechanism("randomized-response(bits=10000, keep=3/4)")
    held = belief("independent(1/10)", survey.universe)
    assert by_counts(survey, held, secret("3=1", survey.universe))
    found = play_crowd(survey, held, "1" * 4000 + "0" * 6000)
    told = {one.who: (one.people, one.real[1], one.difference) for one in found.conclusions}
    assert told[1] == (4000, Fraction(1, 4), Fraction(3, 20))
    assert told[0] == (6000, Fraction(1, 28), Fraction(9, 140))
    few = mechanism("randomized-response(bits=11, keep=3/4)")
    alike = belief("independent(1/10)", few.universe)
    output = (1, 0) * 5 + (1,)
    counted, listed = (way(few, alike, output) for way in (play_crowd, play))
    assert counted.worst == listed.worst
    assert counted.to_dict()["prior_to_posterior"] == listed.to_dict()["prior_to_posterior"]


def test_a_worst_case_of_many_independent_records_takes_no_room_for_every_output():
    survey = mechanism("randomized-response(bits=3000, keep=3/4)")
    tracemalloc.start()
    found = LocalSemanticPrivacy("independent(1/10)").tightest(survey)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.epsilon == Fraction(3, 20)
    assert found.witness.output == (1,) + (0,) * 2999
    assert most < 1 << 25


def test_a_belief_sure_of_its_law_leaves_counts_alone():
    """With one law, b_i is the prior and b_0 its posterior after one output."""
    survey = mechanism("randomized-response(bits=300, keep=3/4)")
    held = belief("hidden(1/3=1)", survey.universe)
    exact = crowd(survey, held, 0)
    # P(1 | reported 1) = 3/5, P(1 | reported 0) = 1/7: they lie 4/15 and 4/21 from 1/3.
    assert exact.failure(Fraction(1, 5)).mass == 1 - Fraction(7, 12) ** 300
    assert exact.failure(Fraction(1, 4)).mass == 1 - Fraction(7, 12) ** 300
    assert exact.failure(Fraction(1, 3)).mass == 0


def test_what_counts_do_not_answer_is_refused_with_a_way_out():
    noisy = mechanism("geometric(ratio=2, bits=40)")
    held = belief("uniform", noisy.universe)
    with pytest.raises(Unsupported, match="ask about one record"):
        play_crowd(noisy, held, 7, secret=secret("parity", noisy.universe))
    with pytest.raises(TooLarge, match="ask about single records"):
        held.items()
    sure = belief("hidden(1=1)", mechanism("integer-noise([1], start=0, bits=40)").universe)
    with pytest.raises(InvalidInput, match="cannot occur"):
        play_crowd(mechanism("integer-noise([1], start=0, bits=40)"), sure, 7)
    few = mechanism("geometric(ratio=2, bits=12)")
    assert not by_counts(few, belief("uniform", few.universe), secret("parity", few.universe))
    with pytest.raises(InvalidInput, match="sums to"):
        belief("hidden(1/2=1/3)", noisy.universe)


@pytest.mark.parametrize(
    ("text", "held", "epsilon"),
    [
        ("geometric(ratio=3/2, bits=30)", "hidden(9/10=1/3, 1/5=2/3)", "1/10"),
        ("discrete-gaussian(sigma=4, bits=40)", "uniform", "1/10"),
        ("randomized-response(bits=12, keep=3/4)", "hidden(9/10=1/2, 1/10=1/2)", "1/8"),
        ("randomized-response(bits=12, keep=1)", "hidden(9/10=1/2, 1/10=1/2)", "1/8"),
    ],
)
def test_a_breach_by_counts_shows_a_witness_that_re_verifies(text, held, epsilon):
    """No output of so many people is further from what it would be without one of them."""
    released = mechanism(text)
    witness = LocalSemanticPrivacy(held, epsilon=epsilon).tightest(released).witness
    assert witness.verify()
    assert not dataclasses.replace(witness, number=witness.number / 2).verify()
    assert bounds(witness.number)[1] > Fraction(epsilon)
    said = dict(witness.facts())
    assert "with and without person" in said["for example"]


def test_ties_are_decided_in_whole_numbers():
    """At ratio 3/2 many outputs move a fair coin by 1/10 up to what floats can tell."""
    noisy = mechanism("geometric(ratio=3/2, bits=8)")
    held = belief("uniform", noisy.universe)
    for epsilon in (Fraction(1, 10), *(play(noisy, held, t).worst for t in (0, 3, 4))):
        assert crowd(noisy, held, 0).failure(epsilon).mass == failure_of(noisy, held, epsilon)


@pytest.mark.parametrize(
    "held", ["hidden(9/10=1/3, 1/10=2/3)", "independent(1/3)", "independent([0=1/6, 1=1/2, 2=1/3])"]
)
@pytest.mark.parametrize("noise", ["geometric(ratio=3/2)", "discrete-gaussian(sigma=2)"])
def test_enclosures_of_many_people_hold_what_is_computed_exactly(monkeypatch, noise, held):
    """Many people are read in balls, and only outputs that matter: no exact value is left out."""
    universe = Records([0, 1, 2] if "2=" in held else [1, 0], 40)
    add = Additive(lambda value: value, name="sum")
    noisy = OnStatistic(universe, add, mechanism(noise).channel, expression="noisy-sum")
    exact = crowd(noisy, belief(held, universe), 0)
    (concluded,), mass = exact.conclude(17), exact.failure(Fraction(2, 25)).mass
    monkeypatch.setattr("twoworlds.worlds.belief._SHORT", 0)
    enclosed = crowd(noisy, belief(held, universe), 0)
    (one,) = enclosed.conclude(17)
    pairs = [(one.difference, concluded.difference), (one.moved, concluded.moved)]
    pairs += [(one.real[1], concluded.real[1]), (one.removed[1], concluded.removed[1])]
    for found, known in [*pairs, (enclosed.failure(Fraction(2, 25)).mass, mass)]:
        (low, high), (least, most) = bounds(found), bounds(known)
        assert low <= most
        assert least <= high
        assert high - low < Fraction(1, 10**9)


def test_enclosures_of_records_on_their_own_hold_what_is_computed_exactly(monkeypatch):
    survey = mechanism("randomized-response(bits=12, keep=3/4)")
    held = "hidden(9/10=1/3, 1/10=2/3)"
    exact = crowd(survey, belief(held, survey.universe), 0).failure(Fraction(1, 9)).mass
    monkeypatch.setattr("twoworlds.worlds.belief._SHORT", 0)
    enclosed = crowd(survey, belief(held, survey.universe), 0).failure(Fraction(1, 9)).mass
    low, high = bounds(enclosed)
    assert 0 < exact < 1
    assert low <= exact <= high
    assert high - low < Fraction(1, 10**9)
