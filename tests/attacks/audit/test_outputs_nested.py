"""Outputs that are dictionaries which hold lists or dictionaries."""

import pytest

from twoworlds.attacks.audit import audit
from twoworlds.attacks.audit.outputs import plain


def test_what_is_nested_in_a_dictionary_is_text():
    assert plain({"a": 1, "b": [1, 2.5], "c": {"d": (None, "x")}}) == {
        "a": 1,
        "b": "[1, 2.5]",
        "c": repr({"d": "[None, 'x']"}),
    }
    assert plain([{"a": [1]}, [2]]) == [{"a": "[1]"}, [2]]
    nested = plain({"b": [1, {"c": [2]}]})
    assert plain(nested) == nested
    assert all(isinstance(value, str) for value in nested.values())


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
