"""Reality-oblivious privacy: how often a belief is misled when something else is true."""

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.definitions.semantics import brute
from twoworlds import check, measure, mechanism
from twoworlds.definitions.semantics.breaches import Breaches, failure_of, views
from twoworlds.definitions.semantics.games import play
from twoworlds.definitions.semantics.oblivious import RealityObliviousPrivacy
from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.errors import InvalidInput, TooLarge, Undecided, Unsupported
from twoworlds.mechanisms import Dense
from twoworlds.numbers import bounds, show
from twoworlds.testing.strategies import dense_mechanisms
from twoworlds.worlds import BitStrings, Explicit
from twoworlds.worlds.belief import Belief, explicit, uniform

PAIR = BitStrings(2)
epsilons = st.fractions(0, 1, max_denominator=20)


def near(value, expected, tolerance=1e-12):
    low, high = bounds(value)
    wanted = Fraction(str(expected))
    slack = Fraction(tolerance)
    return low - slack <= wanted <= high + slack and high - low < slack


def claim_1_2(n, weight):
    """The belief of Claim 1.2: 10...0 with this weight, else 0...0."""
    one = "1" + "0" * (n - 1)
    return explicit(BitStrings(n), {one: weight, "0" * n: 1 - Fraction(weight)})


@pytest.mark.parametrize(
    ("n", "sigma2", "weight", "epsilon", "difference", "failure", "likelihood_ratio"),
    [
        (10, 4, "1/2", "0.4", "0.41490095499298", "0.638911519605106", "0.0930144892106635"),
        (100, 25, "1/20", "0.9", "0.687992594396571", "6.84556055782589e-22", "0.0186856393377328"),
    ],
)
def test_claim_1_2_gaussian_noise_on_a_sum(
    n, sigma2, weight, epsilon, difference, failure, likelihood_ratio
):
    noisy, belief = mechanism(f"gaussian(sigma2={sigma2}, bits={n})"), claim_1_2(n, weight)
    one, zero, truth = (1,) + (0,) * (n - 1), (0,) * n, (1,) * n
    assert near(noisy.probability(n, zero) / noisy.probability(n, one), likelihood_ratio)
    assert near(views(noisy, belief)[0].difference(n), difference)
    asked = RealityObliviousPrivacy(belief, truth=truth, epsilon=epsilon)
    found = asked.tightest(noisy)
    assert near(found.delta, failure, 1e-12 * float(failure))
    assert found.witness.verify()
    assert found.witness.to_dict()["truth"] == "1" * n


def test_claim_1_2_the_games_at_output_n_by_bayes():
    noisy, belief = mechanism("gaussian(sigma2=4, bits=10)"), claim_1_2(10, "1/2")
    first, *others = play(noisy, belief, 10).differences
    assert near(first, "0.41490095499298")
    assert all(near(other, 0) for other in others)


@pytest.mark.parametrize("weight", ["1/2", "1/20", "3/4"])
def test_erratum_9_the_posteriors_differ_by_less_than_one_minus_the_weight(weight):
    noisy = mechanism("gaussian(sigma2=4, bits=10)")
    asked = RealityObliviousPrivacy(claim_1_2(10, weight), truth=(1,) * 10)
    limit = max(1 - Fraction(weight), Fraction(weight))
    assert asked.failure(noisy, limit) == 0
    assert bounds(asked.failure(noisy, limit - Fraction(1, 5)))[0] > 0


def drawn_belief(seed, universe=PAIR):
    draw = random.Random(seed)
    masses = [draw.choice([0, 0, 1, 1, 5, 50]) for _ in universe]
    masses[draw.randrange(len(masses))] += 1
    return Belief(
        universe, {x: Fraction(m, sum(masses)) for x, m in zip(universe, masses, strict=True)}
    )


@given(
    dense_mechanisms(PAIR),
    st.integers(0, 10**6),
    st.sampled_from(list(PAIR)),
    epsilons,
    st.sampled_from([0, 1]),
)
def test_the_failure_probability_matches_enumeration(dense, seed, truth, epsilon, default):
    belief = drawn_belief(seed)
    asked = RealityObliviousPrivacy(belief, truth=truth, default=default)
    assert asked.failure(dense, epsilon) == brute.failure(dense, belief, epsilon, default, truth)


@given(dense_mechanisms(PAIR), st.integers(0, 10**6), epsilons)
def test_the_worst_truth_is_found_and_the_curve_agrees(dense, seed, epsilon):
    belief = drawn_belief(seed)
    asked = RealityObliviousPrivacy(belief)
    expected = max(brute.failure(dense, belief, epsilon, 0, x) for x in PAIR)
    assert asked.failure(dense, epsilon) == expected
    steps = asked.curve(dense)
    above = [step.delta for step in steps if step.epsilon > epsilon]
    assert (above[0] if above else 0) == expected


def test_an_output_that_the_belief_rules_out_is_a_breach():
    open_data = mechanism("identity(bits=2)")
    asked = RealityObliviousPrivacy("explicit(00=1)", truth="11")
    assert asked.failure(open_data, "1/2") == 1
    assert asked.failure(open_data, 1) == 0
    assert asked.tightest(open_data).epsilon == 1
    shown = RealityObliviousPrivacy("explicit(00=1)", truth="11", epsilon="1/2").tightest(open_data)
    assert shown.witness.difference is None
    assert "undefined" in shown.explain()


@given(dense_mechanisms(PAIR), epsilons, st.integers(0, 10**6))
@settings(max_examples=20)
def test_no_belief_fails_more_often_than_the_bound_over_all_beliefs(dense, epsilon, seed):
    found = RealityObliviousPrivacy(epsilon=epsilon, default=0).tightest(dense)
    for k in range(6):
        belief = drawn_belief(seed + k)
        for truth in PAIR:
            assert brute.failure(dense, belief, epsilon, 0, truth) <= found.delta
    shown = found.values.get("delta_shown", found.delta)
    assert shown <= found.delta
    if found.witness is not None:
        belief, truth = found.witness.belief, found.witness.truth
        assert brute.failure(dense, belief, epsilon, 0, truth) == shown


@given(dense_mechanisms(PAIR), epsilons)
def test_without_failures_it_is_semantic_privacy(dense, epsilon):
    semantic = SemanticPrivacy(epsilon=epsilon).check(dense).holds
    assert RealityObliviousPrivacy(epsilon=epsilon).check(dense).holds is semantic
    tight = RealityObliviousPrivacy().tightest(dense).epsilon
    other = SemanticPrivacy().tightest(dense).epsilon
    assert bounds(tight) == bounds(other)


@pytest.mark.parametrize(
    ("text", "epsilon", "upper", "shown"),
    [
        ("randomized-response(bits=1, keep=3/4)", "1/5", 1, None),
        ("randomized-response(bits=1, keep=3/4)", "0.26", Fraction(3, 4), None),
        ("randomized-response(bits=2, keep=3/4)", "0.26", Fraction(15, 16), None),
        ("truncated-geometric(ratio=2, bits=2)", "1/5", Fraction(1, 3), None),
        ("random-index(records=3)", "1/2", 1, None),
        ("constant(bits=2)", "0", 0, None),
        ("geometric(ratio=2, bits=40)", "1/3", 0, None),
    ],
)
def test_over_all_beliefs_both_bounds(text, epsilon, upper, shown):
    found = measure(text, definition=f"reality-oblivious(epsilon={epsilon})")
    assert found.delta == upper
    assert found.values.get("delta_shown") == shown


@pytest.mark.parametrize("seed", range(3))
def test_the_failure_of_one_bit_over_all_beliefs_is_that_of_the_worst_of_many(seed):
    rng = random.Random(seed)
    count = rng.randint(2, 4)
    ones, zeros = ([rng.randint(0, 6) + (k < 2) for k in range(count)] for _ in range(2))
    rows = [
        [Fraction(a, sum(ones)), Fraction(b, sum(zeros))] for a, b in zip(ones, zeros, strict=True)
    ]
    rows = [row for row in rows if any(row)]
    dense = Dense(BitStrings(1), Explicit(tuple(range(len(rows)))), rows)
    epsilon = Fraction(rng.randint(1, 30), 100)
    found = measure(dense, definition=f"reality-oblivious(epsilon={epsilon})")
    worst = max(
        brute.failure(dense, {(1,): w, (0,): 1 - w}, epsilon, 0, (truth,))
        for w in (Fraction(k, 400) for k in range(401))
        for truth in (0, 1)
    )
    assert worst == found.delta == found.values.get("delta_shown", found.delta)
    if worst == 1:
        assert "no chance of staying within" in found.sentence
        assert "is left" in found.sentence
    elif worst:
        assert f"with probability at least {show(1 - worst, side='down')}" in found.sentence


@pytest.mark.slow
def test_claims_over_all_beliefs_are_decided_or_said_to_be_open():
    survey = "randomized-response(bits=1, keep=3/4)"
    assert check(survey, "reality-oblivious(epsilon=0.27, delta=0)")
    refuted = check(survey, "reality-oblivious(epsilon=0.26, delta=0.7)")
    assert not refuted
    assert refuted.witness.failure == Fraction(3, 4)
    assert check(survey, "reality-oblivious(epsilon=0.26, delta=3/4)")
    two = "randomized-response(bits=2, keep=3/4)"
    assert check(two, "reality-oblivious(epsilon=0.26, delta=15/16)")
    three = "randomized-response(bits=3, keep=3/4)"
    assert check(three, "reality-oblivious(epsilon=0.26, delta=63/64)")
    with pytest.raises(Undecided, match="at most 1"):
        check(
            "randomized-response(bits=5, keep=3/4)", "reality-oblivious(epsilon=0.26, delta=0.9999)"
        )


def density(text, x, centre):
    if text.startswith("gaussian"):
        return math.exp(-((x - centre) ** 2) / 8) / math.sqrt(8 * math.pi)
    return math.exp(-abs(x - centre) / 2) / 4


def integrated(text, seen, epsilon, centre):
    """The midpoint rule, with errors of about the step at each end of a breach."""
    step, total = 0.02, 0.0
    for k in range(-1500, 1700):
        x = (k + 0.5) * step
        for view in seen:
            p = [float(m) * density(text, x, answer) for m, answer, _ in view.cases]
            q = [float(m) * density(text, x, removed) for m, _, removed in view.cases]
            gap = sum(max(0, a / sum(p) - b / sum(q)) for a, b in zip(p, q, strict=True))
            if gap > epsilon:
                total += density(text, x, centre) * step
                break
    return total


@pytest.mark.parametrize(
    ("text", "held", "epsilon"),
    [
        ("gaussian(sigma=2, bits=3)", "explicit(100=1/3, 000=2/3)", "0.11"),
        ("laplace(scale=2, bits=3)", "explicit(100=1/3, 000=2/3)", "0.04"),
        # one answer with everyone, two without
        ("gaussian(sigma=2, bits=3)", "explicit(100=1/2, 010=1/2)", "0.1"),
    ],
)
def test_densities_match_integration(text, held, epsilon):
    noisy = mechanism(text)
    asked = RealityObliviousPrivacy(held, truth="111")
    low, high = bounds(asked.failure(noisy, epsilon))
    assert high - low < Fraction(1, 10**12)
    belief = explicit(noisy.universe, dict(part.split("=") for part in held[9:-1].split(", ")))
    expected = integrated(text, views(noisy, belief), float(epsilon), 3)
    assert abs(float(low) - expected) < 0.02


@pytest.mark.parametrize(
    "text",
    [
        "geometric(ratio=2, bits=3)",
        "skellam(1, 2, bits=3)",
        "discrete-gaussian(sigma2=4, bits=3)",
        "integer-noise([1/4, 1/2, 1/4], start=-1, bits=3)",
    ],
)
def test_integer_noise_matches_the_sum_over_outputs(text):
    noisy = mechanism(text)
    belief = explicit(noisy.universe, {"111": "1/4", "000": "3/4"})
    truth, limit = (1, 1, 0), Fraction(1, 9)
    low, high = bounds(Breaches(noisy, belief, limit).mass(truth))
    expected = sum(
        float(noisy.probability(t, truth))
        for t in range(-60, 60)
        if noisy.probability(t, truth) != 0
        and any(float(view.difference(t)) > float(limit) for view in views(noisy, belief))
    )
    assert abs(float(low) - expected) < 1e-9
    assert high - low < Fraction(1, 10**15)


def test_questions_without_an_answer_are_refused():
    noisy = mechanism("gaussian(sigma=2, bits=9)")
    with pytest.raises(Unsupported, match="name the belief"):
        RealityObliviousPrivacy(epsilon="1/10").tightest(noisy)
    with pytest.raises(Unsupported, match="infinitely many outputs"):
        RealityObliviousPrivacy("uniform").tightest(noisy)
    with pytest.raises(InvalidInput, match="no persons"):
        RealityObliviousPrivacy("explicit(1=1)", epsilon="1/2").tightest(
            mechanism("gaussian(sigma=2)")
        )
    with pytest.raises(InvalidInput, match="give epsilon="):
        check("parity(bits=2)", "reality-oblivious(uniform)")
    with pytest.raises(InvalidInput, match="not in bits"):
        check("parity(bits=2)", "reality-oblivious(uniform, epsilon=1/2, truth=111)")
    with pytest.raises(InvalidInput, match="needs epsilon="):
        RealityObliviousPrivacy(truth="11").tightest(mechanism("parity(bits=2)"))
    with pytest.raises(InvalidInput, match="one belief"):
        RealityObliviousPrivacy().failure(mechanism("parity(bits=2)"), "1/2")
    with pytest.raises(InvalidInput, match="out of range"):
        RealityObliviousPrivacy("uniform", epsilon=2)


def test_too_much_to_look_at_is_said():
    survey = mechanism("randomized-response(bits=40, keep=3/4)")
    belief = explicit(survey.universe, {"1" * 40: "1/2", "0" * 40: "1/2"})
    with pytest.raises(TooLarge, match="too many databases"):
        RealityObliviousPrivacy(belief, epsilon="1/10").tightest(survey)
    with pytest.raises(TooLarge, match="too many outputs"):
        RealityObliviousPrivacy(belief, epsilon="1/10", truth="1" * 40).tightest(survey)
    with pytest.raises(TooLarge, match="name a belief"):
        measure(
            "randomized-response(bits=12, keep=3/4)", definition="reality-oblivious(epsilon=1/9)"
        )


def test_over_all_beliefs_geometric_noise_is_as_its_clamped_form():
    """Beyond all answers likelihood rows are alike: the ends stand for all outputs there."""
    for bits, limit in ((2, "1/5"), (3, "1/5"), (3, "1/10")):
        asked = RealityObliviousPrivacy(epsilon=limit)
        endless = asked.tightest(mechanism(f"geometric(ratio=2, bits={bits})"))
        clamped = asked.tightest(mechanism(f"truncated-geometric(ratio=2, bits={bits})"))
        assert endless.values == clamped.values
        assert endless.witness.verify()


def test_other_integer_noise_is_enclosed_over_all_beliefs():
    noisy = mechanism("discrete-gaussian(sigma2=4, bits=2)")
    found = RealityObliviousPrivacy(epsilon="1/5").tightest(noisy)
    shown = found.values.get("delta_shown", found.delta)
    assert found.witness.verify()
    low, high = bounds(shown)[0], bounds(found.delta)[1]
    assert 0 <= high - low < Fraction(1, 10**5)


@pytest.mark.slow
def test_databases_with_one_answer_share_the_work_on_its_stretches(monkeypatch):
    looked_at, halved = [], Breaches._halved

    def counted(self, answer, truth, bits):
        looked_at.append((answer, bits))
        return halved(self, answer, truth, bits)

    monkeypatch.setattr(Breaches, "_halved", counted)
    noisy = mechanism("laplace(scale=1, bits=3)")
    found = failure_of(noisy, uniform(noisy.universe), Fraction(1, 5))
    assert 0 < bounds(found)[0] <= bounds(found)[1] < 1
    assert len(looked_at) == len(set(looked_at))
    assert {answer for answer, _ in looked_at} == {0, 1, 2, 3}
