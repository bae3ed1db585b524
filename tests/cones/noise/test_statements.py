"""What integer noise protects, in words, checked by Bayes."""

from fractions import Fraction

import pytest

from twoworlds.cones.noise.noise_cone import noise_cone
from twoworlds.cones.noise.noise_statements import noise_statements
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms.named import mechanism


def test_sentence_of_geometric_noise():
    guard, privacy = noise_statements("geometric(ratio=2)", at=2)
    assert guard.sentence == (
        "An attacker who believes that the true answer is 2 with probability 5/9 and 1 or 3 with "
        "probability 2/9 each, and so thinks {2} likelier than {1, 3}, still thinks so (weakly) "
        "after any output."
    )
    assert guard.sets == ((2,), (1, 3))
    assert guard.belief == {1: Fraction(2, 9), 2: Fraction(5, 9), 3: Fraction(2, 9)}
    assert guard.factor == 1
    assert guard.prior == Fraction(5, 9)
    assert privacy.factor == 2
    assert privacy.belief is None
    assert "telescoping" in privacy.sentence
    assert all(part.verify() for part in privacy.derivation)


def test_reference_posteriors_of_the_guarded_place():
    # LK-59: outputs k - 1, k, k + 1, k + 2, with Bayes written out here.
    guard = noise_statements("geometric(ratio=2)", at=10)[0]
    published = mechanism("geometric(ratio=2)")
    expected = [Fraction(1, 2), Fraction(5, 7), Fraction(1, 2), Fraction(1, 2)]
    for output, value in zip((9, 10, 11, 12), expected, strict=True):
        joint = {d: b * published.probability(output, d) for d, b in guard.belief.items()}
        assert joint[10] / sum(joint.values()) == value
        assert guard.posterior(noise_cone("geometric(ratio=2)").law, output) == value


@pytest.mark.parametrize(
    "text",
    [
        "geometric(ratio=5/4)",
        "differenced-negative-binomial(p=1/2, r=2)",
        "differenced-negative-binomial(p=2/3, r=3)",
    ],
)
def test_the_first_set_is_never_the_less_likely_one(text):
    cone = noise_cone(text)
    guard = noise_statements(cone, at=0)[0]
    prior = sum(guard.belief[d] for d in guard.first)
    assert prior == guard.prior > Fraction(1, 2)
    posteriors = [guard.posterior(cone.law, output) for output in range(-12, 13)]
    assert min(posteriors) == Fraction(1, 2)
    assert max(posteriors) > Fraction(1, 2)


def test_skellam_states_parity_and_its_tail():
    found = noise_statements("skellam(1, 1)")
    assert len(found) == 1
    guard = found[0]
    assert "an even distance from k likelier than an odd one" in guard.sentence
    assert "about 0.3085" in guard.sentence
    assert "at most 0.000503 in all outside of k-5 to k+5" in guard.sentence
    assert set(guard.first) == {-4, -2, 0, 2, 4}
    assert set(guard.second) == {-5, -3, -1, 1, 3, 5}
    assert sum(float(b) for b in guard.belief.values()) == pytest.approx(1 - float(guard.tail))
    with pytest.raises(Unsupported, match="infinitely many"):
        guard.posterior(noise_cone("skellam(1, 1)").law, 0)


def test_skellam_belief_keeps_its_mind_after_any_output():
    # Bayes over a long window, by floats, as a cross-check of the infinite statement.
    cone = noise_cone("skellam(2, 1)")
    belief = {d: float(cone.inverse.belief(d)) for d in range(-35, 36)}
    published = mechanism("skellam(2, 1)")
    for output in range(-3, 4):
        mass = {d: b * float(published.probability(output, d)) for d, b in belief.items()}
        even = sum(m for d, m in mass.items() if d % 2 == 0) / sum(mass.values())
        assert even == pytest.approx(0.5, abs=1e-9) if output else even > 0.5


def test_the_window_follows_the_belief():
    cone = noise_cone("poisson(40)")
    assert 39 in cone.window
    guard = noise_statements(cone)[0]
    inside = sum(float(b) for b in guard.belief.values())
    assert inside > 0.9
    assert float(guard.tail) == pytest.approx(1 - inside, abs=1e-12)
    assert "k+39 or k+40" in guard.sentence
    far = noise_statements("integer-noise([9/10, 1/10], start=30)")[0]
    assert -30 in far.first


def test_one_place_against_the_rest():
    guard = noise_statements("mixture([delta(), geometric(p=1/2)])", at=4)[0]
    assert "{4} likelier than all the rest together" in guard.sentence
    assert guard.first == (4,)


def test_odd_distances_when_the_noise_moves_the_answer():
    guard = noise_statements("integer-noise([1/4, 3/4])")[0]
    assert "an odd distance from k likelier than an even one" in guard.sentence


def test_signs_without_a_pattern_are_listed():
    guard = noise_statements("integer-noise([1/10, 1/5, 7/10])", at=0)[0]
    assert "{-8, -5, -2, ...} likelier than {-7, -6, -4, -3, ...}" in guard.sentence


def test_no_noise_protects_no_belief():
    assert "No belief is protected" in noise_statements("delta()")[0].sentence


def test_plain_data():
    guard, privacy = noise_statements("geometric(ratio=2)")
    data = guard.to_dict()
    assert data["belief"]["0"]["exact"] == "5/9"
    assert data["first"] == [0]
    assert data["derivation"] is None
    assert privacy.to_dict()["derivation"][0]["ratio"] == "2"


def test_rejects_a_place_that_is_no_whole_number():
    with pytest.raises(InvalidInput, match="whole number"):
        noise_statements("geometric(ratio=2)", at="2")
