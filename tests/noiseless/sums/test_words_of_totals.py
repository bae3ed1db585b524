"""What is said about a total: the belief first, what breaks it last, witnesses that re-verify."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest

from twoworlds.definitions.words import percent
from twoworlds.errors import TwoWorldsError
from twoworlds.noiseless import total
from twoworlds.numbers import bounds, decimal

HALF = Fraction(1, 2)


@pytest.mark.parametrize("delta", [None, "1e-3"])
@pytest.mark.parametrize("people", [5, 40])
def test_what_breaks_it_is_the_smallest_such_number(people, delta):
    found = total("-1,0,1", people=people, epsilon="0.5", delta=delta)
    limit = HALF if delta is None else Fraction(delta)
    deltas = [
        bounds(total("-1,0,1", people=people, known=k, epsilon="0.5").delta)[0]
        for k in range(people)
    ]
    first = next((k for k, d in enumerate(deltas) if d > limit), None)
    if not first:
        assert "nothing more is needed" in found.sentence
    elif delta is not None:
        assert f"knowing {first} of the entries" in found.sentence
    else:
        assert f"knowing 1 gives delta {decimal(deltas[1], 3, 'about')};" in found.sentence
        assert found.sentence.endswith(f"; knowing {first} makes delta exceed 1/2.")


def test_too_many_choices_of_known_entries_leave_what_one_more_does():
    found = total([(f"0,{k}", 90) for k in range(1, 4)], known=1, ratio=2)
    further = total([(f"0,{k}", 90) for k in range(1, 4)], known=2, ratio=2)
    assert f"knowing 2 gives delta {decimal(further.delta, 3, 'about')}; knowing" in found.sentence


@pytest.mark.slow
def test_a_claim_that_cannot_be_decided_says_so():
    asked = {"people": 6000, "epsilon": "0.2"}
    low, high = bounds(total("0..20", **asked).delta)
    found = total("0..20", delta=(low + high) / 2, **asked)
    assert found.holds is None
    assert found.notes[0].startswith("undecided: delta lies between ")
    assert "nothing more is needed: delta is not proven to be at most" in found.sentence
    clear = total("0..20", delta="1e-6", **asked)
    assert not any("undecided" in note for note in clear.notes)


@pytest.mark.parametrize("people", [4, 60, 400])
@pytest.mark.parametrize("simulator", ["canonical", "centred", "resampled"])
def test_witnesses_attain_delta_and_reverify(people, simulator):
    ratio = Fraction(5, 4)
    found = total("0..4", people=people, ratio=ratio, simulator=simulator)
    p, q = found.witness.probabilities
    assert p - ratio * q == found.delta
    assert found.witness.verify()
    wrong = replace(found.witness, probabilities=(p, q + Fraction(1, 10**40)))
    assert not wrong.verify()
    with pytest.raises(TwoWorldsError, match="does not re-verify"):
        replace(found, witness=wrong)


@pytest.mark.slow
def test_a_refuted_claim_about_a_large_total_has_a_witness():
    found = total("0..20", people=5000, epsilon="0.1", delta="1e-6")
    assert found.holds is False
    p, q = found.witness.probabilities
    assert bounds(p - found.ratio * q)[0] > Fraction(1, 10**6)
    wrong = replace(found.witness, probabilities=(p + Fraction(1, 10**4), q))
    assert not wrong.verify()


def test_a_guess_is_computed_from_the_two_laws_and_not_from_epsilon_and_delta():
    # Bin(89, 1/2) against itself moved by 1: they differ by P(S = 44) on the best event.
    guess = (1 + Fraction(comb(89, 44), 2**89)) / 2
    said = total("0,1", people=100, known=10, epsilon="1/2").sentence
    assert f"is won with probability at most {percent(guess)}, " in said
