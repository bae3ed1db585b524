"""Games 0 to n: posteriors with and without a person (Kasiviswanathan & Smith, equations 1, 2)."""

from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twoworlds import ask, measure, mechanism
from twoworlds.answer import Table
from twoworlds.definitions.semantics.breaches import failure_of
from twoworlds.definitions.semantics.failure import failure_probability
from twoworlds.definitions.semantics.games import crowd, play
from twoworlds.definitions.semantics.oblivious import RealityObliviousPrivacy
from twoworlds.definitions.semantics.posteriors import odds_words
from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.definitions.semantics.worst_swing import worst_swing
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.mechanisms import OnStatistic
from twoworlds.mechanisms.several import Several
from twoworlds.numbers import INFINITY, above, bounds
from twoworlds.worlds import Additive, BitStrings, Records
from twoworlds.worlds.belief import Belief, explicit, hidden, secret, uniform
from twoworlds.worlds.statistic import NO_RECORD

SURVEY = mechanism("randomized-response(bits=2, keep=3/4)")


def test_posteriors_of_all_games_in_the_worked_case():
    prior = explicit(SURVEY.universe, {"00": "1/2", "01": "1/4", "10": "1/8", "11": "1/8"})
    games = play(SURVEY, prior, "10", default=0)
    assert dict(games.with_everyone) == {
        (0, 0): Fraction(6, 13),
        (0, 1): Fraction(1, 13),
        (1, 0): Fraction(9, 26),
        (1, 1): Fraction(3, 26),
    }
    assert [dict(posterior) for posterior in games.without] == [
        {
            (0, 0): Fraction(2, 3),
            (0, 1): Fraction(1, 9),
            (1, 0): Fraction(1, 6),
            (1, 1): Fraction(1, 18),
        },
        {
            (0, 0): Fraction(1, 3),
            (0, 1): Fraction(1, 6),
            (1, 0): Fraction(1, 4),
            (1, 1): Fraction(1, 4),
        },
    ]
    assert games.differences == (Fraction(28, 117), Fraction(35, 156))


def test_an_impossible_output_in_game_i_is_undefined_and_counts_as_a_breach():
    publish = mechanism("random-index(records=2, values=2)")
    games = play(publish, uniform(publish.universe), (1, 1), default=0)
    assert games.without[0] is None
    assert games.differences == (None, Fraction(0))
    assert games.worst == 1
    assert play(publish, uniform(publish.universe), (1, 0), default=0).differences[0] == Fraction(
        1, 2
    )


@given(st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any), st.sampled_from("01"))
def test_games_match_bayes_by_enumeration(masses, default):
    people = BitStrings(2)
    prior = explicit(
        people, {x: Fraction(m, sum(masses)) for x, m in zip(people, masses, strict=True)}
    )
    keep = {(a, b): Fraction(3, 4) if a == b else Fraction(1, 4) for a in (0, 1) for b in (0, 1)}
    d = int(default)
    games = play(SURVEY, prior, "11", default=default)
    for i, posterior in enumerate(games.without):
        joint = {}
        for x in people:
            y = (d, x[1]) if i == 0 else (x[0], d)
            joint[x] = keep[1, y[0]] * keep[1, y[1]] * prior[x]
        total = sum(joint.values())
        assert {x: posterior[x] for x in people} == {x: m / total for x, m in joint.items()}


def test_the_smoking_study_moves_the_prior_far_but_hardly_depends_on_one_person():
    study = mechanism("geometric(ratio=2, bits=9)")
    prior = hidden(study.universe, {"9/10": "1/2", "1/10": "1/2"})
    games = play(study, prior, "9", default=0)
    alice = secret("1=1", study.universe)
    chances = games.chances(alice)
    assert chances["prior"] == Fraction(1, 2)
    assert chances["game 0"] > Fraction(85, 100)
    assert abs(chances["game 0"] - chances["game 1"]) < Fraction(1, 10)
    assert games.moved > Fraction(2, 5)
    assert games.worst < Fraction(1, 8)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: play(SURVEY, uniform(BitStrings(3)), "11"), "the belief is about bits"),
        (lambda: play(SURVEY, uniform(SURVEY.universe), "111"), "is not in bits"),
        (lambda: play(SURVEY, uniform(SURVEY.universe), "11", default=2), "default=2 is not"),
        (
            lambda: play(
                mechanism("identity(bits=1)"), explicit(BitStrings(1), {"1": 1}), "0"
            ),
            "cannot occur",
        ),
        (
            lambda: play(mechanism("geometric(ratio=2)"), uniform(SURVEY.universe), 1),
            "no persons to speak of",
        ),
    ],
)  # fmt: skip
def test_bad_games_say_why(ask, said):
    with pytest.raises(InvalidInput, match=said):
        ask()


def test_no_enclosure_of_a_posterior_reaches_beyond_one():
    noisy = mechanism("gaussian(sigma=2, bits=3)")
    games = play(noisy, uniform(noisy.universe), "1e9")
    assert above(games.with_everyone["111"]) == 1
    assert all(above(difference) <= 1 for difference in games.differences)
    assert above(games.moved) < 1
    assert all(above(p) <= 1 for p in games.chances(secret("1=1", noisy.universe)).values())


# --- no record in the place of a person's -------------------------------------------------------


def noisy_sum(noise="geometric(ratio=2)"):
    """Noise on the sum of two records that are 1, 2 or 4: none of them adds nothing."""
    channel = mechanism(noise).channel
    add = Additive(lambda value: value, name="sum")
    return OnStatistic(Records([1, 2, 4], 2), add, channel, expression="noisy-sum")


def test_no_record_is_none_of_the_values_and_adds_nothing():
    noisy = noisy_sum()
    held = uniform(noisy.universe)
    for t in (-1, 0, 3, 5, 9):
        games = play(noisy, held, t, default="none")
        for i in (0, 1):
            used = {x: noisy.probability(t, x) for x in noisy.universe}
            left = {x: noisy.channel.probability(t, x[1 - i]) for x in noisy.universe}
            p, q = sum(used.values()), sum(left.values())
            apart = sum(max(used[x] / p - left[x] / q, 0) for x in used)
            assert games.differences[i] == apart
        (counted,) = crowd(noisy, uniform(noisy.universe), NO_RECORD).conclude(t)
        assert counted.difference == games.worst
    assert "taking their record out" in " ".join(games.answer().assumptions)


def test_over_all_beliefs_no_record_has_the_swing_of_every_output():
    noisy = noisy_sum()
    swing = worst_swing(noisy, "none").ratio
    found = 0
    for t in range(-5, 15):
        law = [noisy.probability(t, x) / noisy.channel.probability(t, x[1]) for x in noisy.universe]
        found = max(found, max(law) / min(law))
    assert swing == found == 2**6
    verdict = SemanticPrivacy(default="none").tightest(noisy)
    assert verdict.witness.verify()
    assert worst_swing(noisy_sum("discrete-gaussian(sigma=2)"), "none").ratio == INFINITY


def test_no_record_in_several_releases_adds_nothing_to_any_of_them():
    one, other = noisy_sum(), noisy_sum("geometric(ratio=3)")
    found = worst_swing(Several([(one, 1), (other, 1)]), "none").ratio
    brute = 0
    for s, t in product(range(-2, 12), repeat=2):
        law = [
            one.probability(s, x) / one.channel.probability(s, x[1])
            * other.probability(t, x) / other.channel.probability(t, x[1])
            for x in one.universe
        ]  # fmt: skip
        brute = max(brute, max(law) / min(law))
    assert found == brute


@given(st.lists(st.integers(0, 9), min_size=9, max_size=9).filter(any))
@settings(max_examples=25)
def test_no_belief_fails_more_often_without_a_record_than_the_upper_end(masses):
    noisy = noisy_sum("integer-noise([1/5, 1/2, 3/10], start=-1)")
    held = {x: Fraction(m, sum(masses)) for x, m in zip(noisy.universe, masses, strict=True) if m}
    for epsilon in (Fraction(1, 5), Fraction(1, 2)):
        bad = 0
        for t in range(-1, 11):
            used = {x: m * noisy.probability(t, x) for x, m in held.items()}
            for i in (0, 1):
                left = {x: m * noisy.channel.probability(t, x[1 - i]) for x, m in held.items()}
                p, q = sum(used.values()), sum(left.values())
                apart = 1 if p and not q else 0
                if p and q:
                    apart = sum(max(used[x] / p - left[x] / q, 0) for x in held)
                if apart > epsilon:
                    bad += p
                    break
        assert failure_of(noisy, Belief(noisy.universe, held), epsilon, "none") == bad
        assert bad <= no_record_ends(epsilon).upper


@cache
def no_record_ends(epsilon, noise="integer-noise([1/5, 1/2, 3/10], start=-1)"):
    return failure_probability(noisy_sum(noise), epsilon, default="none")


@pytest.mark.slow
def test_the_failure_without_a_record_is_shown_by_a_belief():
    noisy = noisy_sum()
    found = failure_probability(noisy, Fraction(1, 2), default="none")
    assert found.witness.verify()
    assert found.witness.failure <= found.lower <= found.upper
    assert found.lower > 0
    clamped = noisy_sum("truncated-geometric(ratio=2, bits=9)")
    oblivious = RealityObliviousPrivacy(epsilon="1/2", default="none").tightest(clamped)
    assert oblivious.witness.verify()
    assert 0 < oblivious.witness.failure <= oblivious.delta


def test_no_record_is_refused_where_it_means_nothing():
    survey = mechanism("randomized-response(bits=2, keep=3/4)")
    with pytest.raises(Unsupported, match="counts and sums"):
        play(survey, uniform(survey.universe), "11", default="none")
    shuffled = mechanism("shuffle(randomized-response(bits=2, keep=3/4))")
    with pytest.raises(Unsupported, match="show that a record is missing"):
        worst_swing(shuffled, "none")
    with pytest.raises(Unsupported, match="geometric noise"):
        worst_swing(noisy_sum("differenced-negative-binomial(p=1/2, r=2)"), "none")
    with pytest.raises(InvalidInput, match="'none' stands for no record"):
        play(survey, uniform(survey.universe), "11", default="nobody")


@given(st.lists(st.integers(0, 9), min_size=9, max_size=9).filter(any))
@settings(max_examples=15)
def test_without_a_table_the_failure_without_a_record_is_bounded_by_the_profile(masses):
    noisy = noisy_sum("laplace(scale=8, bits=1)")
    held = {x: Fraction(m, sum(masses)) for x, m in zip(noisy.universe, masses, strict=True) if m}
    found = no_record_ends(Fraction(9, 20), "laplace(scale=8, bits=1)")
    failing = failure_of(noisy, Belief(noisy.universe, held), Fraction(9, 20), "none")
    assert bounds(failing)[0] <= found.upper


# --- several answers with geometric noise ---------------------------------------------------------

SEVERAL = [
    ("batch(count, parity, noise=geometric(ratio=3), universe=bits(2))", 0),
    ("adaptive(count, cuts=[3], then=[count, parity], noise=geometric(ratio=3), {})", 1),
    ("adaptive(parity, cuts=[-1], then=[count, parity], noise=geometric(ratio=3), {})", 0),
    ("pair(geometric(ratio=3, bits=2), geometric(ratio=4, bits=2))", "none"),
]


@pytest.mark.parametrize(("text", "default"), SEVERAL)
def test_several_answers_fail_one_belief_as_often_as_all_outputs_say(text, default):
    """Outputs beyond a window have little mass; each one in it is played by Bayes' rule."""
    several = mechanism(text.format("universe=bits(2)"))
    held = {(1, 1): Fraction(1, 2), (1, 0): Fraction(1, 3), (0, 0): Fraction(1, 6)}
    belief, reach = Belief(several.universe, held), range(-5, 8)
    seen, law = {}, several.probability
    for t in product(reach, reach):
        games = [{x: m * law(t, x) for x, m in held.items()}]
        for i in (0, 1):
            left = {
                x: (x[:i] + x[i + 1 :]) if default == "none" else (*x[:i], default, *x[i + 1 :])
                for x in held
            }
            games.append({x: m * law(t, left[x]) for x, m in held.items()})
        real, *removed = [{x: v / sum(g.values()) for x, v in g.items()} for g in games]
        apart = max(sum(abs(real[x] - g[x]) for x in held) / 2 for g in removed)
        seen[apart] = seen.get(apart, 0) + sum(games[0].values())
    for epsilon in ("1/10", "1/5", "2/5"):
        asked = f"local-semantic(explicit(11=1/2, 10=1/3, 00=1/6), epsilon={epsilon}, {{}})"
        found = measure(several, definition=asked.format(f"default={default}")).delta
        inside = sum(mass for apart, mass in seen.items() if apart > Fraction(epsilon))
        assert inside <= found <= inside + 1 - sum(seen.values())
        assert found == failure_of(several, belief, Fraction(epsilon), default)
    asked = f"local-semantic(explicit(11=1/2, 10=1/3, 00=1/6), default={default})"
    assert measure(several, definition=asked).epsilon == max(seen)


# --- many people, and the words for it ----------------------------------------------------------


def chances_told(expression, output, secret="1=0"):
    """Return what the table says of a secret, by world."""
    found = ask("posterior", expression, belief="uniform", output=output, secret=secret)
    told = next(block for block in found.answer().blocks if isinstance(block, Table))
    return {world: (chance, odds) for world, chance, odds in told.rows}


@pytest.mark.parametrize("people", ["bits=1000", "values=3, records=1000"])
def test_a_thousand_independent_records_are_answered_one_by_one(people):
    survey = f"randomized-response({people}, keep=3/4)"
    found = ask("posterior", survey, belief="uniform", output="0" * 1000, secret="1=0")
    assert found.to_dict()["chances"]["game 0"]["exact"] == "3/4"
    assert "by an amount that would take too long to compute" in found.explain()


def test_a_histogram_of_many_people_is_refused_with_a_size_that_would_do():
    with pytest.raises(TooLarge, match=r"999 records .*: \d+ such records would do"):
        measure(mechanism("exact(histogram, universe=records(values=3, n=1000))"))
    with pytest.raises(TooLarge, match="use at most 88 people"):
        chances_told("exact(histogram, universe=records(values=3, n=89))", "(80, 5, 4)")
    told = chances_told("exact(histogram, universe=records(values=3, n=20))", "(10, 5, 5)")
    assert told["with everyone"] == ("1/2 (0.5)", "1 to 1")


def test_noise_about_no_persons_names_noise_that_is():
    with pytest.raises(InvalidInput, match=r"'geometric\(ratio=2, bits=2\)'"):
        ask("posterior", "geometric(ratio=2)", belief="uniform", output="3")


@pytest.mark.parametrize(
    "noise", ["laplace(scale=2, bits=3)", "discrete-gaussian(sigma=2, bits=3)"]
)
def test_a_posterior_is_written_to_the_nearest_digit(noise):
    told = chances_told(noise, "1")
    assert told["before"] == ("1/2 (0.5)", "1 to 1")
    assert told["without person 1"] == ("about 0.5", "about 1 to 1")


@pytest.mark.parametrize(
    ("chance", "odds"),
    [
        (Fraction(28, 41), "28 to 13"),
        (Fraction(1, 1000), "1 to 999"),
        (Fraction(1, 1002), "1 to 1001"),
        (Fraction(1, 3) + Fraction(1, 10**9), "about 1 to 2"),
        (Fraction(2, 3) + Fraction(1, 10**9), "about 2 to 1"),
        (Fraction(1), "certain"),
        (Fraction(0), "0 to 1"),
    ],
)
def test_odds_are_whole_numbers_where_those_are_short(chance, odds):
    assert odds_words(chance) == odds


def test_beside_a_secret_the_difference_is_said_to_be_about_all_records():
    asked = {"belief": "independent(1/2, 1/2)", "output": "11"}
    told = "belief about all records differs by"
    with_secret = ask("posterior", SURVEY, secret="1=1", **asked)
    assert told in with_secret.explain()
    assert told not in ask("posterior", SURVEY, **asked).explain()
