"""Statistics published as they are."""

import pytest

from twoworlds import mechanism, universe
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms.named import exact
from twoworlds.worlds.catalogue import statistic


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
