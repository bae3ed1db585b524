"""Claims below the best bound that is known are refuted: one bit, told with a rare leak."""

import json
import random
from fractions import Fraction
from itertools import chain, combinations

import pytest

from twoworlds.cli import run
from twoworlds.numbers import bounds, sqrt
from twoworlds.theorems.one_bit import (
    one_bit_counterexample,
)


def implies(capsys, *arguments):
    """The answer of the command as data."""
    code = run(["implies", *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def excess(rows, ratio):
    """The largest P(E) - ratio Q(E) and Q(E) - ratio P(E) over all events E."""
    events = chain.from_iterable(combinations(rows, k) for k in range(len(rows) + 1))
    sums = [(sum(p for p, _ in e), sum(q for _, q in e)) for e in events]
    return max(max(p - ratio * q, q - ratio * p) for p, q in sums)


def breached(rows, weight, distance):
    """How often the posterior of a bit lies further than a distance from the prior, by Bayes."""
    found = Fraction(0)
    for p, q in rows:
        total = weight * p + (1 - weight) * q
        if total and (q == 0 or abs(weight * p / total - weight) > distance):
            found += total
    return found


@pytest.mark.parametrize("seed", range(5))
def test_claims_next_to_the_bound_of_one_bit_are_refuted(capsys, seed):
    rng = random.Random(seed)
    ratio, delta = Fraction(rng.randint(9, 24), 8), Fraction(1, rng.choice([300, 1000, 10**6]))
    root = bounds(sqrt(ratio))[1]
    distance = (root - 1) / (root + 1) + Fraction(rng.randint(1, 30), 100)
    even = 2 * delta / (1 + 2 * distance - ratio * (1 - 2 * distance))  # at even belief
    claimed = even * Fraction(999, 1000)
    goal = f"semantic(epsilon={distance}, delta={claimed})"
    code, found = implies(capsys, f"dp(ratio={ratio}, delta={delta})", "--to", goal)
    assert (code, found["holds"]) == (1, False)
    rows, weight, reached = one_bit_counterexample(ratio, delta, distance, claimed)
    assert sum(p for p, _ in rows) == sum(q for _, q in rows) == 1
    assert min(min(row) for row in rows) >= 0
    assert excess(rows, ratio) <= delta
    assert breached(rows, weight, distance) == reached > claimed


@pytest.mark.parametrize("ratio", [Fraction(5, 4), Fraction(3), Fraction(9)])
def test_pure_claims_below_tanh_of_a_quarter_are_refuted(capsys, ratio):
    low = bounds((sqrt(ratio) - 1) / (sqrt(ratio) + 1))[0] * Fraction(999, 1000)
    _, found = implies(capsys, f"dp(ratio={ratio})", "--to", f"semantic(epsilon={low})")
    assert found["holds"] is False
    rows, weight, reached = one_bit_counterexample(ratio, Fraction(0), low, Fraction(0))
    assert excess(rows, ratio) == 0
    assert breached(rows, weight, low) == reached > 0


def test_a_claim_that_fails_hides_nothing_of_what_follows(capsys):
    given = ("dp(epsilon=0.05, delta=1e-6)", "--records", "100", "--to")
    code, found = implies(capsys, *given, "semantic(epsilon=0.035)")
    assert (code, found["holds"]) == (1, False)
    assert found["conclusion"]["epsilon"]["exact"] == "7/200"
    assert found["conclusion"]["delta"]["value"] < 0.0305
    _, free = implies(capsys, *given, "semantic")
    best = (free["conclusion"]["epsilon"]["value"], free["conclusion"]["delta"]["value"])
    listed = [found["conclusion"], *found["other_conclusions"]]
    assert best in [(one["epsilon"]["value"], one["delta"]["value"]) for one in listed]
