"""Outputs that are dictionaries and lists within each other."""

import pytest

from twoworlds.attacks.audit import audit
from twoworlds.attacks.audit.events import FeatureEvent
from twoworlds.attacks.audit.features import (
    Feature,
    features_for,
)
from twoworlds.attacks.audit.outputs import LONGEST, are_cut, plain


def test_what_is_nested_too_deeply_is_text():
    deep = 0
    for _ in range(12):
        deep = {"in": deep}
    found = plain(deep)
    for _ in range(8):
        found = found["in"]
    assert found == "dict {'in': {'in': {'in': {'in': 0}}}}"


def test_large_dictionaries_and_sets_are_cut_and_keep_their_length():
    large = plain({i: i for i in range(LONGEST + 5)})
    assert len(large) == LONGEST
    assert large["(length)"] == LONGEST + 5
    assert plain(large) == large
    assert are_cut([large])
    assert plain(set(range(LONGEST + 5)))[-1] == LONGEST + 5
    just = plain({i: i for i in range(LONGEST)})
    assert just == {i: i for i in range(LONGEST)}
    assert not are_cut([just])


@pytest.mark.parametrize("wrap", [lambda x: {"b": x}, lambda x: [1, {"c": [x]}]])
def test_what_is_cut_inside_is_noticed(wrap):
    assert are_cut([plain(wrap(list(range(LONGEST + 1))))])
    assert are_cut([plain(wrap("x" * 200_000))])
    assert not are_cut([plain(wrap([1, "x"]))])


@pytest.mark.parametrize(
    "output", [{"b": [1, 2]}, {"b": {"c": 1}}, {"b": [{"c": [1]}]}, [{"b": [1]}, {"c": {}}]]
)
def test_nested_outputs_that_do_not_depend_on_the_data_refute_nothing(output):
    found = audit(lambda x, rng: output, pairs=[(0, 1)], epsilon=1, samples=4000)
    assert not found.refuted


@pytest.mark.parametrize("where", [lambda x: {"b": [x, 2]}, lambda x: {"b": {"c": [x]}, "a": 1}])
def test_a_leak_inside_a_nested_output_is_found(where):
    found = audit(lambda x, rng: where(x), pairs=[(0, 1)], epsilon=1, samples=4000)
    assert found.refuted


def deep(x, rng):
    """Noise of scale 1/4 on one number of many: as text no two of these outputs are equal."""
    noisy = rng.laplace(size=7).tolist()
    noisy[5] = x + noisy[5] / 4
    return {"k": {"means": noisy}, "n": 7}


def test_numbers_inside_are_compared_as_numbers():
    found = audit(deep, pairs=[(0.0, 1.0)], epsilon=1, samples=40_000, low_bits=False)
    assert found.refuted
    assert found.finding.event.feature == Feature("value", (("k", "means", 5),))
    assert "y['k']['means'][5]" in found.finding.event.code


@pytest.mark.parametrize("make", [lambda n: {"a": {"b": [0] * n}}, lambda n: [[0] * n, [1]]])
def test_the_structure_is_compared(make):
    found = audit(
        lambda x, rng: make(1 + x + int(rng.integers(2))), pairs=[(0, 1)], epsilon=1, samples=8000
    )
    assert found.refuted


def test_low_bits_inside_are_looked_at_unless_they_are_to_be_ignored():
    outputs = [{"a": [0.1]}, {"a": [0.5]}], [{"a": [0.25]}]
    assert Feature("places", (("a", 0),)) in features_for(*outputs, [], low_bits=True)
    assert "places" not in " ".join(one.name for one in features_for(*outputs, [], low_bits=False))
    mixed = [1.5, "none"], [2.5]
    assert Feature("places") not in features_for(*mixed, [], low_bits=False)


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("path", [("k", "means"), ("k",)])
def test_lists_and_dictionaries_are_no_members_of_an_event(path, negated):
    event = FeatureEvent(Feature("value", (path,)), members=("x", "y"), negated=negated)
    pasted = eval(event.code)  # noqa: S307 (that is what the code is for)
    for output in ({"k": {"means": [1]}}, {"k": {"means": {"x": 1}}}, {"k": {"means": "x"}}):
        assert event.holds(output) == pasted(output)
