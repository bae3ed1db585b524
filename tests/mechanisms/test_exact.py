"""Statistics published as they are."""

from fractions import Fraction

import pytest

from twoworlds import mechanism, universe
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms.named import exact
from twoworlds.worlds.catalogue import statistic
from twoworlds.worlds.statistics import majority, total


@pytest.mark.parametrize("name", ["sum", "count(1)", "parity", "mean", "majority", "histogram"])
@pytest.mark.parametrize("where", ["bits(3)", "records(values=[2, 0, 1], n=2)"])
def test_the_output_is_the_statistic(name, where):
    made = mechanism(f"exact({name}, universe={where})")
    values = {x: statistic(name, universe(where))(x) for x in universe(where)}
    assert list(made.outputs) == sorted(set(values.values()))
    for x, value in values.items():
        assert {o: made.probability(o, x) for o in made.outputs if made.probability(o, x)} == {
            value: 1
        }


@pytest.mark.parametrize("name", ["sum", "histogram", "parity(2)", "count(2)"])
def test_the_values_of_large_surveys_are_found_by_structure(name, monkeypatch):
    where = "records(values=[0, 2, 5], n=4, smallest=0)"
    listed = list(exact(name, universe=where).outputs)
    monkeypatch.setattr("twoworlds.mechanisms.named.maps._MOST_LISTED", 1)
    assert list(exact(name, universe=where).outputs) == listed


def test_fifty_people_are_no_matrix():
    assert exact("sum", universe="bits(50)").outputs.size == 51


def test_the_text_can_be_typed_again():
    made = mechanism("exact(majority, universe=records(values=[1, -1], n=3))")
    again = mechanism(made.expression)
    assert again.expression == made.expression
    assert list(again.outputs) == [-1, 1]
    assert exact(total(), universe="bits(2)").expression == "exact(sum, universe=bits(2))"


def test_majority_ties_go_to_the_first_value():
    assert majority([1, -1])((1, -1)) == 1
    assert majority([-1, 1])((1, -1)) == -1
    assert majority([1, -1])(()) == 1
    assert majority([3, 1, 2])((1, 2, 2, 1, 3)) == 1
    assert statistic("majority", universe("bits(4)"))((1, 0, 1, 0)) == 1
    assert majority(["1/2", "1"])(("1/2", "1/2", "1")) == Fraction(1, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exact(majority, universe=records(values=[yes, no], n=3))", "majority"),
        ("exact(majority(3), universe=bits(2))", "as a list"),
        ("exact(majority([]), universe=bits(2))", "at least one"),
        ("exact(majority([1, 1]), universe=bits(2))", "twice"),
        ("exact(summ, universe=bits(2))", "sum"),
        ("exact(sum)", "universe"),
    ],
)
def test_bad_statistics_are_refused(text, message):
    with pytest.raises(InvalidInput, match=message):
        mechanism(text)


def test_values_that_cannot_be_listed_are_refused():
    with pytest.raises(TooLarge, match="cannot be listed"):
        mechanism("exact(majority, universe=bits(40))")
