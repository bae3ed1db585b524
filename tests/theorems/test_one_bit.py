"""Claims are decided by the best bound that is known, in both directions."""

import json
import random
from fractions import Fraction
from itertools import chain, combinations

import pytest

from twoworlds.cli import run
from twoworlds.numbers import bounds, sqrt
from twoworlds.theorems.one_bit import (
    one_bit_counterexample,
    one_bit_worst,
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
def test_claims_about_one_bit_are_decided_next_to_the_tight_bound(capsys, seed):
    rng = random.Random(seed)
    ratio, delta = Fraction(rng.randint(9, 24), 8), Fraction(1, rng.choice([300, 1000, 10**6]))
    root = bounds(sqrt(ratio))[1]
    distance = (root - 1) / (root + 1) + Fraction(rng.randint(1, 30), 100)
    least, most = (delta * end for end in bounds(one_bit_worst(ratio, distance)))
    given = f"dp(ratio={ratio}, delta={delta})"
    asked = ("--records", "1", "--values", "2")
    for claimed, holds in ((least * 999 / 1000, False), (most * 1001 / 1000, True)):
        goal = f"semantic(epsilon={distance}, delta={claimed})"
        code, found = implies(capsys, given, "--to", goal, *asked)
        assert (code, found["holds"]) == (0 if holds else 1, holds)
    rows, weight, reached = one_bit_counterexample(ratio, delta, distance, least * 999 / 1000)
    assert sum(p for p, _ in rows) == sum(q for _, q in rows) == 1
    assert min(min(row) for row in rows) >= 0
    assert excess(rows, ratio) <= delta
    assert breached(rows, weight, distance) == reached > least * 999 / 1000


@pytest.mark.parametrize("ratio", [Fraction(5, 4), Fraction(3), Fraction(9)])
def test_pure_claims_about_one_bit_are_decided_next_to_tanh_of_a_quarter(capsys, ratio):
    low, high = bounds((sqrt(ratio) - 1) / (sqrt(ratio) + 1))
    asked = ("--records", "1", "--values", "2")
    for distance, holds in ((low * 999 / 1000, False), (high * 1001 / 1000, True)):
        goal = f"semantic(epsilon={distance})"
        _, found = implies(capsys, f"dp(ratio={ratio})", "--to", goal, *asked)
        assert found["holds"] is holds
    rows, weight, reached = one_bit_counterexample(
        ratio, Fraction(0), low * 999 / 1000, Fraction(0)
    )
    assert excess(rows, ratio) == 0
    assert breached(rows, weight, low * 999 / 1000) == reached > 0


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
