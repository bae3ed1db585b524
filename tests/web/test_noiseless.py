"""Exact counts: what the service answers is the exact verdict, and bad numbers are refused."""

import pytest

from twoworlds.errors import TwoWorldsError
from twoworlds.noiseless import total
from twoworlds.web.mathematics import noiseless


@pytest.mark.parametrize("people", ["2", "12", "1500"])
@pytest.mark.parametrize("epsilon", ["0", "ln 3"])
def test_an_exact_count_is_answered_as_the_package_does(people, epsilon):
    found = noiseless(people, "1", "1/3", epsilon)
    right = total("1=1/3, 0=2/3", people=int(people), known=1, epsilon=epsilon)
    assert (found["at"], found["sentence"]) == (right.to_dict(), right.sentence)


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("people", {"people": "1"}),
        ("people", {"people": "2001"}),
        ("known", {"known": "5"}),
        ("known", {"known": "-1"}),
        ("probability", {"probability": "1"}),
        ("epsilon", {"epsilon": "-1"}),
    ],
)
def test_bad_numbers_are_refused_beside_their_field(field, given):
    with pytest.raises(TwoWorldsError) as caught:
        noiseless(**{"people": "5", **given})
    assert caught.value.field == field
