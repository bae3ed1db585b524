"""A statistic counts values that records can have, or says that it would count nothing."""

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.worlds.catalogue import statistic, universe

ANSWERS = universe("records(values=[yes, no], n=3)")


@pytest.mark.parametrize(
    "text", ["count(Yes)", "count", "parity", "proportion(y)", "histogram(bins=[[yes, nope]])"]
)
def test_values_that_no_record_can_have_are_refused(text):
    with pytest.raises(InvalidInput, match="no record of records"):
        statistic(text, ANSWERS)


@pytest.mark.parametrize("text", ["count(yes)", "parity(no)", "histogram(bins=[[yes]])", "sum"])
def test_values_that_occur_are_taken(text):
    statistic(text, ANSWERS)
