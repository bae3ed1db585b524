"""Exact totals under noiseless privacy as first defined."""

from fractions import Fraction

import pytest

import twoworlds as tw
from twoworlds.errors import Unsupported
from twoworlds.noiseless import solve_people, total


@pytest.mark.parametrize("people", [1, 2, 3, 4])
@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(3, 2), Fraction(3)])
def test_totals_agree_with_the_definition_on_all_databases(people, ratio):
    made = tw.mechanism(f"exact(sum, universe=records(values=[0, 1, 2], n={people}))")
    whole = tw.measure(made, definition=f"original-noiseless(uniform, ratio={ratio})")
    found = total("0,1,2", people=people, ratio=ratio, definition="original")
    assert found.delta == whole.delta


def test_known_entries_count_as_fewer_people():
    asked = {"ratio": 2, "definition": "original"}
    first = total("0,1,2", people=6, known=2, **asked)
    assert first.delta == total("0,1,2", people=4, **asked).delta


def test_a_value_that_stands_out_is_left_out():
    law = "0=49/100, 1=1/2, 1000=1/100"
    found = total(law, people=60, ratio=3, definition="original")
    assert found.witness.verify()
    assert found.definition_6 > Fraction(1, 2)
    assert found.delta < Fraction(1, 50)
    assert "entries of 1000" in found.explain()


def test_a_claim_is_decided():
    asked = {"people": 50, "epsilon": "1/2", "definition": "original"}
    least = total("-1,0,1", **asked).delta
    assert total("-1,0,1", delta=least, **asked).holds
    assert total("-1,0,1", delta=least * Fraction(99, 100), **asked).holds is False


def test_what_is_not_computed_is_refused():
    with pytest.raises(Unsupported, match="listed values"):
        total("uniform [0, 1]", people=5, ratio=2, definition="original")
    with pytest.raises(Unsupported, match="need not fall"):
        solve_people("0,1", epsilon=1, delta="1/10", definition="original")
