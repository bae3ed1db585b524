"""The release engine under reconstruction."""

from dataclasses import replace
from fractions import Fraction

import pytest

from twoworlds.attacks.reconstruction import against_engine, lucky_count
from twoworlds.errors import InvalidInput, TooLarge, UnknownName


@pytest.mark.statistical
def test_exact_answers_give_everything_away_and_the_engine_does_not():
    """False alarms: at most 1e-9, by the tail of the limit, whatever the decoder does."""
    found = against_engine(64, 84, epsilon="1/2")
    assert found.exactly.right(found.truth) == 64
    assert found.engine.right(found.truth) < lucky_count(64, "1/2", "1e-9") <= 61
    assert found.each == Fraction(1, 168)
    assert "at most epsilon=0 is left" in found.refusal
    assert "One more question was refused" in found.explain()
    plain = found.to_dict()
    assert plain["exact_answers"]["right"] == 64
    assert plain["epsilon_each"]["exact"] == "1/168"
    assert ">84 questions about 64 people" in found._repr_html_()
    assert len(set(found.engine.answers)) > 10
    shares = plain["shares"].values()
    assert all(text in found.explain() for text in shares)
    assert all(text.removeprefix("about ") in found.picture() for text in shares)


@pytest.mark.statistical
def test_without_noise_to_speak_of_the_same_questions_give_everything_away():
    """False alarms: below 1e-60, the chance that noise of so large an epsilon is not 0."""
    found = against_engine(40, 70, epsilon=10000)
    assert found.engine.answers == found.exactly.answers
    assert found.engine.right(found.truth) == 40
    assert found.engine.verify()
    assert found.holds  # as it must with this epsilon, which forbids nothing
    assert "only the ledger is put to the test here" in found.explain()
    leaky = replace(found, epsilon=Fraction(1, 10))
    assert not leaky.holds
    assert "only the ledger" not in leaky.explain()
    open_ended = replace(found, refusal=None)
    assert not open_ended.holds
    assert "THE BUDGET" in open_ended.explain().upper()


def test_bad_input():
    with pytest.raises(InvalidInput, match="a budget is above 0"):
        against_engine(8, 8, epsilon=0)
    with pytest.raises(TooLarge, match="charged and stored durably"):
        against_engine(8, 5000)
    with pytest.raises(UnknownName, match="unknown method"):
        against_engine(8, 8, method="guess")
    with pytest.raises(InvalidInput, match="rows=0"):
        against_engine(0, 8)
