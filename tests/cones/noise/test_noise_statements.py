"""What integer noise protects, in words, checked by Bayes."""

import random
from fractions import Fraction
from itertools import pairwise

import pytest

from twoworlds.cones.noise.noise_cone import noise_cone
from twoworlds.cones.noise.noise_statements import noise_statements, telescoped, telescoping
from twoworlds.errors import Unsupported
from twoworlds.mechanisms.named import mechanism


def test_reference_posteriors_of_the_guarded_place():
    # LK-59: outputs k - 1, k, k + 1, k + 2, with Bayes written out here.
    guard = noise_statements("geometric(ratio=2)", at=10)[0]
    published = mechanism("geometric(ratio=2)")
    expected = [Fraction(1, 2), Fraction(5, 7), Fraction(1, 2), Fraction(1, 2)]
    for output, value in zip((9, 10, 11, 12), expected, strict=True):
        joint = {d: b * published.probability(output, d) for d, b in guard.belief.items()}
        assert joint[10] / sum(joint.values()) == value


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
    posteriors = []
    for output in range(-12, 13):
        joint = {d: b * cone.law.pmf(output - d) for d, b in guard.belief.items()}
        posteriors.append(sum(joint[d] for d in guard.first) / sum(joint.values()))
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


def test_skellam_belief_keeps_its_mind_after_any_output():
    # Bayes over a long window, by floats, as a cross-check of the infinite statement.
    cone = noise_cone("skellam(2, 1)")
    belief = {d: float(cone.inverse.belief(d)) for d in range(-35, 36)}
    published = mechanism("skellam(2, 1)")
    for output in range(-3, 4):
        mass = {d: b * float(published.probability(output, d)) for d, b in belief.items()}
        even = sum(m for d, m in mass.items() if d % 2 == 0) / sum(mass.values())
        assert even == pytest.approx(0.5, abs=1e-9) if output else even > 0.5


def evaluate(form, row):
    return sum(c * row[i] for i, c in form.items())


@pytest.mark.parametrize("p", ["1/2", "2/3", "9/10"])
@pytest.mark.parametrize("direction", [1, -1])
def test_erratum_the_finite_sum_has_a_remainder(p, direction):
    # E15, on random rows with no property at all: it is an identity.
    proof = telescoped(Fraction(p), direction).data["certificate"]
    source, q, last = random.Random(7), Fraction(p), 3
    for _ in range(20):
        row = {i: Fraction(source.randint(-9, 9), 7) for i in range(-5, 6)}
        place = [direction * j for j in range(last + 1)]
        left = sum(
            q**j * (-row[i - 1] + (q + 1 / q) * row[i] - row[i + 1]) for j, i in enumerate(place)
        )
        end = place[-1]
        remainder = q**last * (q * row[end] - row[end + direction])
        assert left == row[0] / q - row[-direction] + remainder
        stated = dict(zip(map(int, proof["columns"]), proof["inequality"], strict=True))
        assert evaluate(stated, row) == left + q**last * row[end + direction]
    assert proof.verify()
    assert telescoped(q, direction).data["verified"]


def test_the_remainder_tends_to_zero_for_bounded_rows_only():
    # The unbounded row 3 * 2^k - 2^-k satisfies every inequality with equality, yet
    # 2 x(k) - x(k+1) = -(3/2) 2^-k is negative everywhere.
    row = {k: 3 * Fraction(2) ** k - Fraction(2) ** -k for k in range(-6, 7)}
    assert all(-row[k - 1] + Fraction(5, 2) * row[k] - row[k + 1] == 0 for k in range(-5, 6))
    assert 2 * row[-2] - row[-1] < 0


def test_privacy_does_not_imply_the_cone():
    # LK-40 and R6
    (ratio,) = {Fraction(part.data["ratio"]) for part in telescoping("geometric(ratio=2)")}
    [note] = noise_statements("geometric(ratio=2)")[1].answer().notes
    assert note.endswith("obeys every such bound, but I(0) = -3/2 is below 0.")
    row, otherwise = {0: 1}, 2
    assert not noise_cone("geometric(ratio=2)").contains(row, otherwise=otherwise)
    values = [row.get(k, otherwise) for k in range(-3, 4)]
    assert all(a <= ratio * b and b <= ratio * a for a, b in pairwise(values))


@pytest.mark.parametrize(
    "text",
    [
        "skellam(1, 1)",
        "differenced-negative-binomial(p=1/2, r=2)",
        "geometric(epsilon=0.5)",
        "integer-noise([9/16, 6/16, 1/16])",
    ],
)
def test_only_geometric_noise_telescopes(text):
    with pytest.raises(Unsupported, match="geometric noise"):
        telescoping(text)
