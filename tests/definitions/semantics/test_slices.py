"""Noise with a density in slices, against its outputs one by one."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from twoworlds import mechanism
from twoworlds.definitions.semantics.answers import AnswerSearch
from twoworlds.definitions.semantics.breaches import failure_of
from twoworlds.definitions.semantics.failure import ANSWERS, failure_probability
from twoworlds.definitions.semantics.oblivious import RealityObliviousPrivacy
from twoworlds.definitions.semantics.slices import sliced
from twoworlds.numbers import bounds
from twoworlds.worlds.belief import Belief

STEP = 1 / 512
NOISY = [
    ("laplace(scale=1, bits=2)", "1/5"),
    ("laplace(scale=3, bits=3)", "1/10"),
    ("gaussian(sigma=1, bits=2)", "1/2"),
    ("gaussian(sigma=3, bits=3)", "1/10"),
]


def density(text, t, answer):
    """Return the density of the noise by its formula."""
    width = float(text.split("=")[1].split(",")[0])
    if text.startswith("laplace"):
        return np.exp(-np.abs(t - answer) / width) / (2 * width)
    return np.exp(-(((t - answer) / width) ** 2) / 2) / (width * np.sqrt(2 * np.pi))


def played(text, bits, masses, s):
    """Return the failure of a belief by playing all games on a fine grid of outputs."""
    t = np.arange(-26, 30, STEP) + STEP / 2
    databases = list(product((1, 0), repeat=bits))
    joint = np.array([m * density(text, t, sum(x)) for m, x in zip(masses, databases, strict=True)])
    worst = np.zeros(len(t))
    for i in range(bits):
        left = np.array(
            [m * density(text, t, sum(x) - x[i]) for m, x in zip(masses, databases, strict=True)]
        )
        gap = np.abs(joint / joint.sum(0) - left / left.sum(0)).sum(0) / 2
        worst = np.maximum(worst, gap)
    return (joint.sum(0) * (worst > s)).sum() * STEP


@pytest.mark.parametrize(("text", "s"), NOISY)
def test_no_belief_fails_more_often_than_its_masses_of_the_answers_allow(text, s):
    bits, s = int(text[-2]), Fraction(s)
    table = sliced(mechanism(text))
    search = AnswerSearch(table, s)
    draw, sharper = np.random.default_rng(7), 0
    drawn = [draw.exponential(size=len(table.databases)) ** power for power in (1, 2, 4, 8)]
    for masses in (one / one.sum() for one in drawn):
        failure = played(text, bits, masses, float(s))
        answers = [masses[answer].sum() for answer in search.answers]
        allowed = search.bound(np.array([answers])) + float(table.rest)
        assert failure <= allowed + 1e-3  # the grid is that coarse
        sharper += allowed < 19 / 20
    assert sharper > 0


@pytest.mark.parametrize(("text", "s"), NOISY)
def test_a_slice_can_breach_if_one_of_its_outputs_can(text, s):
    table = sliced(mechanism(text))
    limit, persons = ((1 + float(Fraction(s))) / (1 - float(Fraction(s)))) ** 2, table.removed
    counts = [sum(x) for x in table.databases]
    found = set()
    for k, (low, high) in enumerate(table.outputs):
        ends = [float(high) - 5 if low is None else float(low)]
        ends.append(float(low) + 5 if high is None else float(high))
        reached = False
        for t in np.linspace(*ends, 9):
            p = np.array([density(text, t, count) for count in counts])
            ratios = p / p[list(persons[0])]
            reached |= ratios.max() / ratios.min() > limit * (1 + 1e-6)
        assert not reached or table.can_breach(k, 0, Fraction(s))
        found.add(reached == table.can_breach(k, 0, Fraction(s)))
    assert True in found


@pytest.mark.parametrize("text", [text for text, _ in NOISY])
def test_slices_hold_all_outputs_but_the_rest(text):
    table = sliced(mechanism(text))
    for column in zip(*table.high, strict=True):
        assert 1 - table.rest <= sum(column) <= 1 + Fraction(1, 10**9)
    assert all(
        one[1] == other[0] for one, other in zip(table.outputs, table.outputs[1:], strict=False)
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "s", "width"),
    [
        ("laplace(scale=3, bits=2)", "1/10", "1/500"),
        ("laplace(scale=3, bits=3)", "1/10", "1/150"),
        ("gaussian(sigma=3, bits=2)", "1/5", "1/200"),
        ("gaussian(sigma=3, bits=2)", "1/10", "1/30"),
        ("gaussian(sigma=3, bits=3)", "1/5", "1/125"),
    ],
)
def test_of_noise_with_a_density_the_ends_come_near(text, s, width):
    found = failure_probability(mechanism(text), Fraction(s))
    assert found.source == ANSWERS
    assert 0 < found.upper - found.lower < Fraction(width)
    assert found.witness.verify()
    masses = [float(found.witness.belief[x]) for x in product((1, 0), repeat=int(text[-2]))]
    shown = played(text, int(text[-2]), masses, float(Fraction(s)))
    assert abs(shown - float(found.lower)) < 2e-3


@pytest.mark.slow
def test_without_a_record_slices_bound_the_failure_too():
    noisy, s = mechanism("gaussian(sigma=2, bits=2)"), Fraction(1, 4)
    found = failure_probability(noisy, s, default="none")
    held = {(1, 1): Fraction(1, 2), (0, 1): Fraction(1, 2)}
    failing = failure_of(noisy, Belief(noisy.universe, held), s, "none")
    assert bounds(failing)[1] < found.upper < Fraction(1, 15)


def test_whatever_is_true_slices_bound_the_failure():
    noisy = mechanism("laplace(scale=3, bits=2)")
    found = RealityObliviousPrivacy(epsilon="1/10").tightest(noisy)
    assert 0 < found.values["delta_shown"] <= found.delta < Fraction(7, 50)
    assert found.witness.verify()


@pytest.mark.parametrize(
    "text",
    [
        "geometric(ratio=2, bits=2)",  # no density
        "laplace(scale=1, bits=6)",  # too many answers
        "laplace(scale=1)",  # no persons
        "gaussian(sigma=1/100, bits=5)",  # likelihoods that are not told from 0
    ],
)
def test_what_is_not_cut_has_no_table(text):
    assert sliced(mechanism(text)) is None
