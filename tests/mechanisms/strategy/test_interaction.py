"""Strategies with noise: the law of a transcript, the exact epsilon, and the bound of Theorem 5."""

from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds import BitStrings, DifferentialPrivacy, mechanism
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.noise import GeometricNoise, SkellamNoise
from twoworlds.mechanisms.strategy import (
    Ask,
    Boxes,
    HalfOpen,
    Strategy,
    Then,
    read_noise,
)
from twoworlds.mechanisms.strategy.boxes import largest_ratio, masses_above
from twoworlds.mechanisms.strategy.interaction import LikelyTranscripts
from twoworlds.numbers import INFINITY, bounds, exp, ln
from twoworlds.worlds import Computed
from twoworlds.worlds.statistics import constant, count, histogram, mean

BIT = BitStrings(1)
ERRATUM = (
    "adaptive(count, cuts=[2/5, 3/5], then=[constant, count, constant], noise={}, universe=bits(1))"
)
CLAMPED = "truncated-geometric(p=1/2, high=2)"
FINITE = "integer-noise([1/8, 1/2, 3/8], start=-1)"


def epsilon(mechanism, group=1, relation="substitute"):
    return ln(mechanism.family(relation, group).peak()[1].ratio)


near = float
SMALL = st.integers(-1, 2)


@st.composite
def adaptive(draw, universe=BIT, values=SMALL):
    """Two queries with random values; the second depends on a threshold on the first answer."""

    def query():
        table = {x: draw(values) for x in universe}
        return Computed(lambda x: table[x], "random query")

    first, low, high = query(), query(), query()
    cut = draw(st.fractions(-1, 2, max_denominator=3))
    follow = Then(lambda box: low if box[0].low is None else high)
    return Strategy.of(universe, [Ask(first, [cut]), follow])


# --- the law of a transcript --------------------------------------------------------------------


@settings(max_examples=8)
@given(adaptive(), st.integers(-3, 3), st.integers(-3, 3))
def test_equations_5_to_7_the_law_is_the_product_of_the_noise_of_each_answer(strategy, a, b):
    for noise in ("laplace(scale=2)", "geometric(p=1/3)", CLAMPED, FINITE):
        answered = strategy.answered(noise)
        one = read_noise(noise)
        for x in BIT:
            if (a, b) not in answered.outputs:
                continue
            true = strategy.values((a, b), x)
            factors = answered.factors((a, b), x)
            wanted = [near(one.probability(*pair)) for pair in zip((a, b), true, strict=True)]
            assert [near(factor) for factor in factors] == wanted
            found = answered.probability((a, b), x)
            assert near(found) == pytest.approx(near(factors[0]) * near(factors[1]), rel=1e-12)


def test_equation_7_is_one_laplace_density_of_the_whole_noise_vector():
    strategy = mechanism(ERRATUM.format("laplace(scale=2)"))
    rho = (Fraction(1, 2), Fraction(-3, 4))
    away = abs(rho[0] - 1) + abs(rho[1] - 1)  # the second query is X, since 2/5 <= 1/2 < 3/5
    wanted = exp(-away / 2) / 16
    assert strategy.probability(rho, (1,)).formula == wanted.formula == "1/16*e^(-9/8)"
    other = (Fraction(2, 3), Fraction(-3, 4))  # now it is the constant 0
    assert strategy.probability(other, (1,)).formula == "1/16*e^(-13/24)"


@given(adaptive())
def test_equation_5_conditionals_are_those_of_the_joint_law(strategy):
    """P(rho_2 | rho_1) by summing the joint law over rho_2, under clamped noise."""
    answered = strategy.answered(CLAMPED)
    for x in BIT:
        law = {rho: answered.probability(rho, x) for rho in answered.outputs}
        assert sum(law.values()) == 1
        for a in range(3):
            first = sum(law[a, b] for b in range(3))
            for b in range(3):
                assert answered.factors((a, b), x) == (first, law[a, b] / first)


@given(adaptive(), st.sampled_from(["geometric(p=1/2)", CLAMPED, FINITE]))
def test_boxes_have_the_sum_of_their_transcripts(strategy, noise):
    answered = strategy.answered(noise)
    box = (HalfOpen(Fraction(0), Fraction(2)), HalfOpen(Fraction(-1), Fraction(3, 2)))
    for x in BIT:
        listed = [
            answered.probability(rho, x)
            for rho in product((0, 1), (-1, 0, 1))
            if rho in answered.outputs
        ]
        assert answered.mass(Boxes((box,)), x) == sum(listed)
        assert answered.mass(Boxes(((HalfOpen(), HalfOpen()),)), x) == 1


@pytest.mark.statistical
@pytest.mark.parametrize("noise", ["geometric(p=1/2)", CLAMPED, "laplace(scale=1)"])
def test_sampled_transcripts_have_the_stated_law(noise):
    """False alarm: below 10^-9 for each event by Hoeffding's inequality; the seed is fixed."""
    follow = {True: count(), False: constant(0)}
    steps = [Ask(count(), [1]), Then(lambda box: follow[box[0].low is not None])]
    answered = Strategy.of(BIT, steps).answered(noise)
    rng, draws = np.random.default_rng(5), 800
    drawn = [answered.sample((1,), rng) for _ in range(draws)]
    assert all(rho in answered.outputs for rho in drawn)
    sides = [HalfOpen(None, Fraction(1)), HalfOpen(Fraction(1), None)]
    for box in product(sides, repeat=2):
        share = sum(Boxes((box,)).holds(rho) for rho in drawn) / draws
        assert abs(share - near(answered.mass(Boxes((box,)), (1,)))) < (log(2e9) / 2 / draws) ** 0.5


# --- the exact epsilon --------------------------------------------------------------------------


def test_erratum_the_bound_of_theorem_5_may_be_loose():
    # Dwork, Theorem 5: X, and X again only if 2/5 < rho_1 < 3/5. Delta F = 2, exact 6/5.
    answered = mechanism(ERRATUM.format("laplace(scale=1)"))
    found = answered.strategy.sensitivity()
    assert (found.largest, found.joint, found.total) == (1, 2, 2)
    assert answered.bound_epsilon() == 2
    assert tw.measure(answered).epsilon == Fraction(6, 5)
    assert epsilon(mechanism(ERRATUM.format("laplace(scale=5)"))) == Fraction(6, 25)
    by_ratio = mechanism(ERRATUM.format("laplace(ratio=32)"))
    assert by_ratio.family("substitute").peak()[1].ratio == 64  # 32^(6/5)
    assert by_ratio.bound() == 1024
    assert tw.check(answered, "dp(epsilon=6/5)").holds
    refuted = tw.check(answered, "dp(epsilon=119/100)")
    assert refuted.holds is False
    assert refuted.witness.verify()
    assert refuted.values["delta"] > 0


@settings(max_examples=8)
@given(
    adaptive(values=st.fractions(-1, 2, max_denominator=3)), st.sampled_from([1, 2, Fraction(1, 2)])
)
def test_the_laplace_epsilon_is_the_largest_loss_over_a_fine_grid(strategy, scale):
    answered = strategy.answered(f"laplace(scale={scale})")
    exact = epsilon(answered)
    assert exact <= answered.bound_epsilon()
    grid = [Fraction(i, 36) for i in range(-60, 100)]
    losses = []
    for course in strategy.courses:
        for x, y in ((0, 1), (1, 0)):
            u, v = ([Computed(strategy.statistic)((d,))[i] for i in course.picks] for d in (x, y))
            total = 0
            for a, b, interval in zip(u, v, course.box, strict=True):
                total += max(abs(r - b) - abs(r - a) for r in grid if r in interval)
            losses.append(Fraction(total) / scale)
    assert max(losses) <= exact <= max(losses) + 4 * Fraction(1, 36) / scale


@settings(max_examples=8)
@given(
    adaptive(),
    st.sampled_from(["geometric(p=1/2)", "geometric(p=1/3)", CLAMPED, FINITE]),
    st.sampled_from([Fraction(1), Fraction(6, 5), Fraction(2), Fraction(5)]),
)
def test_the_integer_ratio_and_gap_are_those_of_all_transcripts(strategy, noise, ratio):
    """Brute force over a window of transcripts; geometric tails beyond it are below 2^-12."""
    answered = strategy.answered(noise)
    law = answered.channel.noise
    window = [c for c in range(-14, 16) if c in law.outputs]
    density = {(c, v): float(law.probability(c, v)) for c in window for v in range(-1, 3)}
    slack = 0 if noise in (CLAMPED, FINITE) else 2**-10
    worst_ratio, worst_gap = 1.0, 0.0
    for x, y in (((0,), (1,)), ((1,), (0,))):
        gap = 0.0
        for a in window:
            f, g = (strategy.values((a, 0), d) for d in (x, y))
            for b in window:
                p = density[a, f[0]] * density[b, f[1]]
                q = density[a, g[0]] * density[b, g[1]]
                gap += max(0.0, p - float(ratio) * q)
                if p > 0:
                    worst_ratio = max(worst_ratio, float("inf") if q == 0 else p / q)
        worst_gap = max(worst_gap, gap)
    family = answered.family("substitute")
    found = family.peak()[1].ratio
    assert near(found) == pytest.approx(worst_ratio, rel=1e-9)
    assert near(family.gap(ratio)[1].delta) == pytest.approx(worst_gap, abs=1e-9 + slack)
    if noise != FINITE:
        assert found <= answered.bound()


@pytest.mark.parametrize("noise", ["laplace(scale=3/2)", "geometric(p=2/3)"])
def test_without_adaptivity_the_bound_is_attained(noise):
    for queries in ([count()], [count(), count()], [count(), histogram([0, 1]), constant(2)]):
        answered = Strategy.batch(BitStrings(3), *queries).answered(noise)
        assert answered.family("substitute").peak()[1].ratio == answered.bound()
        assert answered.family("substitute", 2).peak()[1].ratio == answered.bound(group=2)


def test_thin_tails_have_no_finite_ratio_but_a_box_may():
    answered = Strategy.batch(BIT, count()).answered("discrete-gaussian(sigma2=1)")
    assert answered.family("substitute").peak()[1].ratio == INFINITY
    assert answered.bound() == INFINITY
    with pytest.raises(Unsupported, match=r"many values: use noise=geometric\(ratio=2\)"):
        answered.family("substitute").gap(Fraction(2))
    noise = read_noise(SkellamNoise(1, 1))
    box = HalfOpen(Fraction(0), Fraction(4))
    ratios = [noise.probability(k, 1) / noise.probability(k, 0) for k in range(4)]
    assert near(largest_ratio(noise, box, 1, 0)[0]) == pytest.approx(max(map(near, ratios)))
    back = [1 / ratio for ratio in ratios]
    assert near(largest_ratio(noise, box, 0, 1)[0]) == pytest.approx(max(map(near, back)))


# --- delta under Laplace noise ------------------------------------------------------------------


@settings(max_examples=10, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([0, 1, 2]), st.sampled_from([0, 1]), st.integers(0, 3)),
        min_size=1,
        max_size=2,
    ),
    st.sampled_from([1.0, 1.3, 2.0, 4.0]),
)
def test_laplace_masses_are_the_integrals(coordinates, ratio):
    """Against a sum over the cells of a fine grid, whose masses are exact."""
    choices = [HalfOpen(), HalfOpen(None, Fraction(1, 2)), HalfOpen(Fraction(1, 3), Fraction(3, 2))]
    choices.append(HalfOpen(Fraction(3, 4), None))
    box = tuple(choices[k] for _, _, k in coordinates)
    u, v = ([Fraction(c[i]) for c in coordinates] for i in (0, 1))
    answers = list(zip(box, u, v, strict=True))
    found = masses_above(answers, Fraction(1), Fraction(str(ratio)))
    cells = []
    for interval, a, b in zip(box, u, v, strict=True):
        low = -14.0 if interval.low is None else float(interval.low)
        high = 16.0 if interval.high is None else float(interval.high)
        ends = np.union1d(np.linspace(low, high, 1201), [c for c in (0, 1, 2) if low < c < high])
        cells.append([np.diff(below(ends - float(c))) for c in (a, b)])
    p, q = cells[0]
    if len(cells) == 2:
        p, q = np.outer(p, cells[1][0]).ravel(), np.outer(q, cells[1][1]).ravel()
    wanted = float(np.sum(np.maximum(0, p - ratio * q)))
    assert near(found[0]) - ratio * near(found[1]) == pytest.approx(wanted, abs=1e-4)


def below(z):
    """The distribution function of Laplace noise of scale 1."""
    tail = np.exp(-abs(z)) / 2
    return np.where(z < 0, tail, 1 - tail)


def test_the_event_of_a_laplace_gap_shows_the_gap():
    answered = mechanism(ERRATUM.format("laplace(scale=1)"))
    verdict = DifferentialPrivacy().delta_at(answered, 2)
    event = verdict.witness.event
    assert isinstance(event, LikelyTranscripts)
    assert verdict.witness.verify()
    low, high = bounds(verdict.witness.excess(Fraction(2)) - verdict.delta)
    assert abs(low) < Fraction(1, 10**9)
    assert abs(high) < Fraction(1, 10**9)
    x = verdict.witness.databases[0]
    inside = (Fraction(1, 2), Fraction(2)) if x == (1,) else (Fraction(1, 2), Fraction(-2))
    assert event.holds(inside)
    assert not event.holds((Fraction(1, 2), Fraction(1, 2)))


def test_the_smallest_laplace_ratio_for_a_delta_is_found_by_halves():
    answered = Strategy.batch(BIT, count(), count()).answered("laplace(scale=1)")
    verdict = DifferentialPrivacy().ratio_at(answered, "1/10")
    assert 1 < verdict.ratio < exp(Fraction(2))
    at = answered.family("substitute").gap(verdict.ratio)[1].delta
    assert near(at) == pytest.approx(0.1, abs=1e-9)
    assert DifferentialPrivacy().ratio_at(answered, 0).ratio == exp(Fraction(2))
    assert DifferentialPrivacy().ratio_at(answered, "99/100").ratio == 1


# --- as a mechanism -----------------------------------------------------------------------------


def test_a_clamped_strategy_is_the_table_of_its_transcripts():
    answered = mechanism(
        "adaptive(count, cuts=[1], then=[constant, count], "
        "noise=truncated-geometric(ratio=2, high=2), universe=bits(2))"
    )
    table = answered.table()
    assert table.outputs.size == 9
    for question in ({}, {"ratio": 2}, {"delta": "1/20"}):
        found, wanted = tw.measure(answered, **question), tw.measure(table, **question)
        assert (found.ratio, found.delta) == (wanted.ratio, wanted.delta)
    assert answered.outputs.find("(0; 2)") == (0, 2)
    with pytest.raises(InvalidInput, match="between brackets"):
        answered.outputs.find("(0; 2; 1)")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("batch(noise=geometric(ratio=2), universe=bits(2))", "batch is empty"),
        ("batch(count, universe=bits(2))", "needs the argument 'noise'"),
        ("batch(count, noise=geometric(ratio=2))", "needs the argument 'universe'"),
        ("batch(count, noise=gaussian(sigma=1), universe=bits(2))", "Laplace noise, integer noise"),
        ("batch(count, noise=geometric(ratio=2, bits=3), universe=bits(2))", "noise alone"),
        ("batch(count, noise=randomized-response(bits=1, keep=3/4), universe=bits(2))", "noise="),
        ("batch(count, noise=gaussian(sigma=2), universe=bits(2))", r"noise=laplace\(scale=2\)"),
        ("batch(sum, noise=laplace(scale=1), universe=integers())", "sum failed on 0"),
        ("batch(cuont, noise=geometric(ratio=2), universe=bits(2))", "did you mean"),
    ],
)
def test_bad_calls_are_refused(text, said):
    with pytest.raises(InvalidInput, match=said):
        mechanism(text)


def test_integer_noise_refuses_fractions():
    answered = Strategy.batch(BitStrings(2), mean(2)).answered(GeometricNoise(Fraction(1, 2)))
    with pytest.raises(InvalidInput, match="whole-numbered answers"):
        tw.measure(answered)


def test_listed_masses_have_no_bound_of_theorem_5():
    answered = Strategy.batch(BIT, count()).answered(FINITE)
    with pytest.raises(Unsupported, match="Theorem 5"):
        answered.bound()
    assert tw.measure(answered).ratio == INFINITY
