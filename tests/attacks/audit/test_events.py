"""Events: the pasted code, the function and the fast version say the same."""

import math
from math import inf, nan

import numpy as np
import pytest

from twoworlds.attacks.audit import audit
from twoworlds.attacks.audit.events import FeatureEvent
from twoworlds.attacks.audit.features import FAILED, FEATURES, Feature, features_for, values_of
from twoworlds.attacks.audit.outputs import LONGEST, are_cut, as_list, plain, tidy

RNG = np.random.default_rng(7)
NUMBERS = np.concatenate(
    [RNG.laplace(size=200), RNG.integers(-3, 3, 50) / 4, [0.0, -0.0, 1.0, inf, -inf, nan, 5e-324]]
)
VECTORS = np.concatenate([RNG.laplace(size=(100, 4)), [[nan, 1.0, 2.0, 0.5], [0.0, 0.0, 0.0, 0.0]]])
WHOLE = RNG.integers(-1, 2, (100, 4))
THINGS = [
    None,
    True,
    3,
    2.5,
    nan,
    "raises ValueError",
    [1, "x", None],
    [1.5, True],
    [],
    {"a": 1.0, "b": 2},
    {},
    10**30,
]
NESTED = [
    {"k": {"means": [0.25, 2]}, "n": 7},
    {"k": {"means": [3.0, 4]}, "n": "x"},
    {"k": {"means": [0.1, "x"]}},
    {"k": [1, 2], "n": None},
    {"k": "text", "n": [True]},
    [[1], [2.5, "x"], {"a": {}}],
    "raises ValueError",
    3,
]
COUNTS = RNG.integers(-40, 40, 300)
SIGNED = np.where(RNG.random((60, 3)) < 0.5, -0.0, [0.0, 0.0, 1.0])
SAMPLES = {
    "numbers": NUMBERS,
    "whole numbers": COUNTS,
    "vectors": VECTORS,
    "whole vectors": WHOLE,
    "things": THINGS,
    "nested things": NESTED,
}


def by_code(code: str, output) -> bool:
    """Paste the code; an output on which it fails is not in the event."""
    try:
        return bool(eval(code)(output))  # noqa: S307 (that is what the code is for)
    except Exception:
        return False


def events(outputs) -> list[FeatureEvent]:
    """Some events of every feature that an auditor would look at."""
    found = []
    for feature in features_for(outputs, outputs, [1.0, 0.3], low_bits=True):
        values = values_of(feature, outputs)
        values = values.tolist() if isinstance(values, np.ndarray) else values
        known = [v for v in values if v is not FAILED]
        if all(isinstance(v, (int, float)) for v in known):
            middle = sorted(v for v in known if not math.isnan(v) and math.isfinite(v))
            low, high = (middle[i * len(middle) // 3] + 0 for i in (1, 2))  # True is 1
            found.append(FeatureEvent(feature, intervals=((low, inf),)))
            found.append(FeatureEvent(feature, intervals=((-inf, low),)))
            if low < high:
                found.append(FeatureEvent(feature, intervals=((low, high),)))
                found.append(FeatureEvent(feature, intervals=((-inf, low), (high, inf))))
        plain_ones = (v for v in known if v == v and not isinstance(v, (list, dict)))
        few = list(dict.fromkeys(plain_ones))[:3]
        found.append(FeatureEvent(feature, members=tuple(few)))
        found.append(FeatureEvent(feature, members=tuple(few[:1]), negated=True))
    return found


@pytest.mark.few(3)
@pytest.mark.parametrize("name", SAMPLES)
def test_code_function_and_count_agree(name):
    outputs = SAMPLES[name]
    assert len(events(outputs)) > 10
    for event in events(outputs):
        held = [event.holds(y) for y in as_list(outputs)]
        assert held == [by_code(event.code, y) for y in as_list(outputs)], event.code
        assert event.count(outputs) == sum(held), event.code


def test_every_feature_is_looked_at_somewhere():
    seen = {event.feature.name for outputs in SAMPLES.values() for event in events(outputs)}
    seen |= {feature.name for feature in features_for(SIGNED, np.abs(SIGNED), [], low_bits=True)}
    assert seen == set(FEATURES)


@pytest.mark.parametrize(
    ("number", "places"),
    [(1.0, 0), (0.5, 1), (0.75, 2), (3.0, 0), (2.0**60, 0), (2.0**-60, 60), (0.0, 0), (0.3, 54)],
)
def test_places_count_binary_digits_after_the_point(number, places):
    assert Feature("places").of(number) == places
    assert values_of(Feature("places"), np.array([number])) == [places]


@pytest.mark.parametrize("outputs", [SIGNED[:, 0], SIGNED])
def test_the_sign_of_zero_is_told(outputs):
    found = [
        f for f in features_for(outputs, np.abs(outputs), [], low_bits=True) if f.name == "zero"
    ]
    assert found
    assert not any(
        f.name == "zero" for f in features_for(outputs, np.abs(outputs), [], low_bits=False)
    )
    for feature in found:
        fast = values_of(feature, outputs)
        assert fast.tolist() == [feature.of(y) for y in as_list(outputs)]
        event = FeatureEvent(feature, intervals=((-inf, 0),))
        held = [by_code(event.code, y) for y in as_list(outputs)]
        column = outputs if outputs.ndim == 1 else outputs[:, feature.parameters[0][0]]
        assert held == [math.copysign(1, x) < 0 and x == 0 for x in column]
        assert event.count(outputs) == sum(held) > 0


@pytest.mark.parametrize(
    ("value", "last"),
    [
        (list(range(5000)), 5000),
        ([0.5] * 5000, 5000.0),
        (np.arange(5000), 5000),
        (np.ones((50, 100)), 5000.0),
        (["x"] * 5000, 5000),
    ],
)
def test_a_long_list_keeps_its_beginning_and_its_length(value, last):
    found = plain(value)
    assert len(found) == LONGEST
    assert (found[-1], type(found[-1])) == (last, type(last))
    assert found[:-1] == plain(np.ravel(value).tolist()[: LONGEST - 1])
    assert are_cut(tidy([value, value]))


def test_what_cannot_be_shown_is_still_an_output():
    nested = 0
    for _ in range(100_000):
        nested = [nested]
    assert "cannot be shown" in repr(plain(nested))


def test_an_output_of_another_kind_is_outside():
    event = FeatureEvent(Feature("value", ((3,),)), intervals=((0.0, inf),))
    assert not event.holds("text")
    assert not event.holds([1.0])
    assert event.count(["text", [1.0], [0, 0, 0, 1.0]]) == 1


@pytest.mark.parametrize(
    ("drawn", "kind"),
    [
        ([1.0, 2.0], np.float64),
        ([1, 2], np.int64),
        ([True, False], list),
        ([1, 2.0], list),
        ([(1, 2), (3, 4)], np.int64),
        ([(1, 2), (3,)], list),
        ([(1, 2.5)], list),
        ([[]], list),
        ([10**30], list),
        (np.array([True, False]), np.int64),
        (np.array([1.5], dtype=np.float32), np.float64),
        (np.zeros((2, 300)), np.float64),
        (np.zeros((2, 5000)), np.float64),
        ([], list),
    ],
)
def test_outputs_take_the_fastest_kind_that_loses_nothing(drawn, kind):
    found = tidy(drawn)
    assert (found.dtype.type if isinstance(found, np.ndarray) else type(found)) is kind


# --- dictionaries and lists within each other -----------------------------------------------------


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
