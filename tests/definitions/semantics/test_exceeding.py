"""Refuted claims of semantic privacy whose supremum no output attains still show a witness."""

from dataclasses import replace
from fractions import Fraction

import pytest

from twoworlds import check
from twoworlds.numbers import Order, compare


@pytest.mark.parametrize(
    ("text", "epsilon"),
    [
        ("gaussian(sigma=4)", "0.4"),
        ("gaussian(sigma=4)", "0.999"),
        ("discrete-gaussian(sigma2=9)", "0.4"),
        ("gaussian(sigma=4, bits=3)", "0.4"),
        ("discrete-gaussian(sigma2=9, bits=3)", "0.9"),
        ("laplace(scale=1)", "0.1"),
    ],
)
def test_the_witness_differs_by_more_than_the_claim(text, epsilon):
    verdict = check(text, f"semantic(epsilon={epsilon})")
    assert verdict.holds is False
    assert "percentage points apart, more than the" in verdict.sentence
    witness = verdict.witness
    assert compare(witness.difference, Fraction(epsilon)) is Order.GREATER
    assert not replace(witness, difference=witness.difference / 2).verify()


def test_even_odds_between_two_answers_move_as_bayes_says():
    witness = check("gaussian(sigma=4)", "semantic(epsilon=0.4)").witness
    u, v = witness.answers
    p, q = (float(witness.mechanism.probability(witness.output, x)) for x in (u, v))
    with_data, without = p / (p + q), q / (p + q)
    assert float(witness.difference) == pytest.approx(abs(with_data - without))
    assert "output" in witness.explain()
    assert set(witness.to_dict()) == {"answers", "output", "difference"}


def test_the_default_value_is_named_where_there_are_records():
    verdict = check("randomized-response(bits=2, keep=3/4)", "semantic(epsilon=0.9, default=1)")
    assert "putting the default value 1 in place" in verdict.assumptions[0]
    verdict = check("randomized-response(bits=2, keep=3/4)", "reality-oblivious(epsilon=0.9)")
    assert any("the default value 0" in text for text in verdict.assumptions)
