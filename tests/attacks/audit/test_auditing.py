"""The audit: what is certified holds, what is broken is found, and what is right is left alone."""

from fractions import Fraction
from math import comb, e, exp

import numpy as np
import pytest

from tests.attacks.audit.subjects import signed
from twoworlds.attacks.audit import Finding, audit
from twoworlds.attacks.audit.events import FeatureEvent
from twoworlds.attacks.audit.features import Feature
from twoworlds.attacks.audit.finding import lower_bound, tail_at_most, upper_bound
from twoworlds.errors import InvalidInput
from twoworlds.numbers import number
from twoworlds.testing.broken import BROKEN, RIGHT, laplace, laplace_ten_percent_short

HERE = "python:tests.attacks.audit.subjects:"
EVENT = FeatureEvent(Feature("value"), intervals=((1, float("inf")),))


def many_alarms(trials: int, rate: float) -> int:
    """The least number with P(Bin(trials, rate) >= number) < 1e-9."""
    tail, k = 1.0, 0
    while tail >= 1e-9:
        tail -= comb(trials, k) * rate**k * (1 - rate) ** (trials - k)
        k += 1
    return k


SLOW = {  # others of their kind are quicker
    "sparse_vector_roth",
    "sparse_vector_chen",
    "sparse_vector_lee_clifton",
    "histogram_without_empty_bins",
    "histogram",
}


def quick_or_slow(subjects):
    slow = [pytest.mark.slow]
    return [pytest.param(s, id=s.name, marks=slow if s.name in SLOW else []) for s in subjects]


@pytest.mark.few(3)
@pytest.mark.parametrize("subject", quick_or_slow(BROKEN))
def test_every_broken_mechanism_is_refuted(subject):
    found = audit(subject)
    assert found.refuted
    assert found.claim == 1
    assert found.epsilon > 1
    assert found.finding.verify()


@pytest.mark.few(3)
@pytest.mark.parametrize("subject", quick_or_slow(RIGHT))
def test_right_mechanisms_are_not_refuted(subject):
    found = audit(subject, samples=40_000 if subject.name == "histogram" else 200_000)
    assert not found.refuted
    assert found.epsilon < 1
    assert "This is not evidence of privacy" in found.sentence
    assert "Not refuted" in found.sentence


@pytest.mark.slow
@pytest.mark.statistical
def test_false_alarms_are_as_rare_as_promised():
    """Laplace noise of scale 1 has epsilon 1 exactly; false alarm rate of this test below 1e-9."""
    trials = 30
    alarms = sum(
        audit(laplace, confidence="80%", seed=seed, samples=50_000).refuted
        for seed in range(trials)
    )
    assert alarms < many_alarms(trials, 0.2)


@pytest.mark.slow
@pytest.mark.statistical
def test_bounds_exceed_the_truth_as_rarely_as_promised():
    """Counts drawn from their law, ratio e; false alarm rate of this test below 1e-9."""
    rng, draws, trials, alpha = np.random.default_rng(0), 2000, 80, Fraction(1, 5)
    p, q = 0.5, 0.5 / e
    exceeded = 0
    for _ in range(trials):
        counts = int(rng.binomial(draws, p)), int(rng.binomial(draws, q))
        found = Finding.of(EVENT, (0, 1), counts, draws, delta=Fraction(0), alpha=alpha)
        exceeded += float(found.ratio) > e
    assert exceeded < many_alarms(trials, float(alpha))


def test_the_bound_is_the_ratio_of_both_bounds_after_delta():
    delta = Fraction(1, 100)
    found = Finding.of(EVENT, (0, 1), (500, 100), 1000, delta=delta, alpha=Fraction(1, 20))
    assert found.ratio == (found.low - delta) / found.high
    assert exp(1.3) < found.ratio < 5
    assert found.refutes(number("1.3"))
    assert not found.refutes(number("ln 5"))
    assert found.epsilon < number("ln 5")
    nothing = Finding.of(EVENT, (0, 1), (5, 5), 1000, delta=delta, alpha=Fraction(1, 20))
    assert nothing.ratio == 1
    assert nothing.epsilon == 0


@pytest.mark.parametrize(
    "change",
    [{"hits": 300}, {"other_hits": 300}, {"low": Fraction(1, 2)}, {"high": Fraction(1, 10)}],
)
def test_verify_refuses_bounds_that_the_counts_do_not_give(change):
    from dataclasses import replace

    found = Finding.of(EVENT, (0, 1), (500, 100), 1000, delta=Fraction(0), alpha=Fraction(1, 20))
    assert found.verify()
    assert not replace(found, **change).verify()


def test_a_seed_repeats_an_audit_and_another_one_does_not():
    runs = [
        audit(laplace_ten_percent_short, seed=seed, samples=40_000).to_dict() for seed in (5, 5, 6)
    ]
    assert runs[0] == runs[1]
    assert runs[0]["finding"] != runs[2]["finding"]


def test_without_a_claim_the_best_bound_is_sought():
    def coin(database, rng):
        return bool(rng.random() < (0.75 if database else 0.25))

    found = audit(coin, pairs=[(0, 1)], samples=60_000)
    assert found.claim is None
    assert not found.refuted
    assert 0.85 < float(found.finding.ratio) / 3 < 1
    assert "It may be larger: this is a bound" in found.sentence
    assert found.stopped == "the samples were used up"


def test_delta_is_granted():
    """Everything is told with probability 1/20: refuted at delta 0, not at 1/20."""

    def leaks(database, rng):
        return database if rng.random() < 0.05 else None

    pairs = [("x", "y")]
    assert audit(leaks, epsilon=1, pairs=pairs, samples=40_000).refuted
    granted = audit(leaks, epsilon=1, delta="1/20", pairs=pairs, samples=40_000)
    assert not granted.refuted
    assert granted.delta == Fraction(1, 20)


def test_a_mechanism_of_ours_is_audited_on_its_universe():
    found = audit("geometric(ratio=2)", epsilon="2/5", samples=30_000)
    assert found.refuted
    assert {found.finding.likelier, found.finding.other} == {0, 1}
    given = audit("randomized-response(bits=2, keep=3/4)", pairs=["11~01"], samples=4_000)
    assert given.finding.likelier in ((1, 1), (0, 1))
    assert given.neighbours == "as given"


def test_the_floats_of_a_simulation_are_not_held_against_a_mechanism():
    found = audit("laplace(scale=1)", epsilon=1, samples=15_000)
    assert not found.refuted
    assert "rounded" in found.notes[0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"confidence": 1}, "strictly between 0 and 1"),
        ({"confidence": "120%"}, "not a probability"),
        ({"epsilon": -1}, "at least 0"),
        ({"epsilon": "inf"}, "finite"),
        ({"epsilon": "many"}, "not a number"),
        ({"delta": 2}, "not a probability"),
        ({"samples": 0}, "at least 1"),
        ({"samples": 100}, "the first round alone draws"),
        ({"seed": -1}, "at least 0"),
        ({"time_limit": 0}, "above 0"),
        ({"patience": float("nan")}, "above 0"),
        ({"pairs": []}, "no pair"),
        ({"pairs": ["1"]}, "with ~ between"),
        ({"pairs": ["1 ~ 1"]}, "both databases are the same"),
        ({"pairs": [(1, 2, 3)]}, "give two databases"),
        ({"neighbours": "two"}, "unknown reading of neighbours"),
        ({"repeat": True}, "not a command"),
    ],
)
def test_bad_input_is_refused_with_the_way_out(options, words):
    with pytest.raises(InvalidInput, match=words):
        audit(laplace, **options)


@pytest.mark.slow
def test_one_entry_of_a_long_vector_is_found_and_the_cut_is_said():
    found = audit(f"{HERE}wide", epsilon=1, pairs=[(0, 1)])
    assert found.refuted
    assert "y[777]" in found.finding.event.code
    assert any("large outputs are cut" in note for note in found.notes)


def test_large_outputs_are_looked_at_in_smaller_numbers(monkeypatch):
    monkeypatch.setattr("twoworlds.attacks.audit.auditing._HEAVIEST", 1000)
    found = audit(lambda _, rng: rng.random(10), pairs=[(0, 1)], samples=6_000)
    assert found.rounds == 2  # of 256 and 512 outputs on each database, of which 256 are looked at
    assert found.samples == 2 * (256 + 256 + 256 + 512)


def test_the_sign_of_zero_refutes_and_can_be_ignored():
    assert audit(signed, epsilon=1, pairs=[(0, 1)]).refuted
    ignored = audit(signed, epsilon=1, pairs=[(0, 1)], low_bits=False, samples=5_000)
    assert not ignored.refuted


def test_a_subject_that_only_fails_is_not_audited():
    def fails(database):
        raise KeyError(database)

    with pytest.raises(InvalidInput, match=r"every call of .*raises KeyError.*nothing was audited"):
        audit(fails, epsilon=1, pairs=[(0, 1)])


def test_errors_that_differ_are_compared_and_noted():
    def fails(database):
        raise (KeyError if database else ValueError)

    found = audit(fails, epsilon=1, pairs=[(0, 1)])
    assert found.refuted
    assert any("every call failed on 1 of 1" in note for note in found.notes)


def test_the_clock_is_looked_at_while_an_event_is_sought(monkeypatch):
    now = iter(range(10_000_000))
    monkeypatch.setattr("twoworlds.attacks.audit.auditing.time.monotonic", lambda: next(now))
    found = audit(lambda x: x, pairs=[(0, 1)], time_limit=6)
    assert found.stopped == "the time was over"
    assert found.rounds == 0
    assert found.sentence.endswith("Allow more time.")


def test_long_events_are_short_in_words_and_whole_in_json():
    tail = "z" * 5_000
    found = audit(
        lambda x, rng: f"{int(rng.random() < 0.1 + 0.8 * x)}{tail}", epsilon=1, pairs=[(0, 1)]
    )
    assert found.refuted
    assert tail in found.to_dict()["finding"]["event"]
    assert len(found.explain()) < 2_500
    assert "characters left out" in found.explain()


# --- Clopper and Pearson's bounds, against plain sums of binomial probabilities -------------------


def tail(hits: int, draws: int, p: Fraction) -> Fraction:
    """P(Bin(draws, p) >= hits), term by term."""
    terms = (comb(draws, k) * p**k * (1 - p) ** (draws - k) for k in range(hits, draws + 1))
    return sum(terms, start=Fraction(0))


@pytest.mark.parametrize("draws", [1, 7, 30])
@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 1000), Fraction(1, 10**9)])
def test_the_lower_bound_holds_and_cannot_be_raised_by_much(draws, alpha):
    for hits in range(1, draws + 1):
        bound = lower_bound(hits, draws, alpha)
        assert tail(hits, draws, bound) <= alpha
        assert tail(hits, draws, bound * (1 + Fraction(1, 10**4))) > alpha


@pytest.mark.parametrize(
    ("hits", "draws", "alpha", "lower", "upper"),
    [  # known values of the beta distribution's quantiles
        (8, 10, Fraction(1, 20), 0.493098698, 0.963228562),
        (500, 1000, Fraction(1, 1000), 0.450771053, 0.549228946),
        (3, 10**6, Fraction(1, 20), 8.17691930e-07, 7.75363809e-06),
        (164_600, 10**6, Fraction(1, 20), 0.163990274, 0.165211161),
    ],
)
def test_bounds_agree_with_quantiles_of_the_beta_law(hits, draws, alpha, lower, upper):
    assert float(lower_bound(hits, draws, alpha)) == pytest.approx(lower, rel=1e-6)
    assert float(upper_bound(hits, draws, alpha)) == pytest.approx(upper, rel=1e-6)


@pytest.mark.parametrize(
    ("hits", "draws", "p", "alpha", "expected"),
    [
        (2, 2, Fraction(1, 2), Fraction(1, 4), True),
        (2, 2, Fraction(1, 2), Fraction(24, 100), False),
        (0, 5, Fraction(1, 2), Fraction(1, 2), False),
        (3, 5, Fraction(0), Fraction(1, 100), True),
        (3, 5, Fraction(1), Fraction(1, 100), False),
    ],
)
def test_tails_at_the_ends(hits, draws, p, alpha, expected):
    assert tail_at_most(hits, draws, p, alpha) is expected


@pytest.mark.parametrize(
    ("hits", "draws", "alpha"),
    [(-1, 10, Fraction(1, 2)), (11, 10, Fraction(1, 2)), (0, 0, Fraction(1, 2)), (1, 2, 0)],
)
def test_impossible_counts_are_refused(hits, draws, alpha):
    with pytest.raises(InvalidInput):
        lower_bound(hits, draws, Fraction(alpha))
