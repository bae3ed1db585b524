"""The checker: it accepts proofs, rejects what proves nothing, and survives hostile data."""

import json
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.cones import design, row_cone
from twoworlds.cones.certificates import CHECKS, Certificate, exact, says_nothing, verify
from twoworlds.errors import InvalidInput

PROOFS = {
    "member": {"vector": [3, 1], "generators": [[1, 0], [1, 1]], "weights": [2, 1]},
    "separated": {"vector": [1, 2], "generators": [[1, 0], [1, 1]], "functional": [1, -1]},
    "satisfies": {"vector": ["1/2", 1], "inequalities": [[2, -1], [1, 0]]},
    "violates": {"vector": [1, "7/2"], "inequality": [3, -1]},
    "implied": {"inequality": [3, 1], "premises": [[1, 0], [1, 1]], "multipliers": [2, 1]},
    "escape": {"ray": [1, 2], "premises": [[1, 0]], "inequality": [1, -1]},
}
FALSE = [
    ("member", {"weights": [1, 1]}),
    ("member", {"weights": [3, 1]}),
    ("member", {"weights": [4, -1], "vector": [3, -1]}),
    ("member", {"vector": [3, "1/2"]}),
    ("member", {"generators": [], "weights": []}),
    ("separated", {"functional": [1, 0]}),
    ("separated", {"functional": [-1, 0]}),
    ("separated", {"functional": [0, 0]}),
    ("satisfies", {"vector": [0, 1]}),
    ("violates", {"inequality": [4, -1]}),
    ("violates", {"inequality": [0, 0]}),
    ("violates", {"vector": [1, 3]}),
    ("implied", {"multipliers": [3, "1/3"]}),
    ("implied", {"inequality": [1, -1], "multipliers": [2, -1]}),
    ("escape", {"ray": [-1, 2]}),
    ("escape", {"ray": [1, 1]}),
]


@pytest.mark.parametrize("kind", PROOFS)
def test_a_proof_is_accepted_as_data_as_json_and_as_an_object(kind):
    data = {"kind": kind, **PROOFS[kind], "claim": "described", "columns": ["11", "10"]}
    assert verify(data)
    assert verify(json.loads(json.dumps(data)))
    assert Certificate.from_dict(data).verify()
    assert Certificate.from_dict(data).to_dict() == data


@pytest.mark.parametrize(("kind", "change"), FALSE)
def test_what_proves_nothing_is_false(kind, change):
    assert verify({"kind": kind, **PROOFS[kind], **change}) is False


def test_a_list_without_parts_says_nothing_however_deep_it_hides():
    empty, real = {"kind": "all", "parts": []}, {"kind": "violates", **PROOFS["violates"]}
    for hidden in (
        empty,
        {"kind": "all", "parts": [empty]},
        {"kind": "all", "parts": [real, empty]},
    ):
        assert verify(hidden)
        assert says_nothing(hidden)
        assert says_nothing(Certificate.from_dict(hidden))
    assert not says_nothing(real)
    assert not says_nothing({"kind": "all", "parts": [{"kind": "all", "parts": [real]}]})


@pytest.mark.parametrize("kind", PROOFS)
def test_fields_that_are_not_checked_are_refused(kind):
    for name in ("equalities", "inequalitys", "proof", "x" * 1000):
        with pytest.raises(InvalidInput, match="not be checked"):
            verify({"kind": kind, **PROOFS[kind], name: [[0, 1]]})
    part = {"kind": kind, **PROOFS[kind]}
    with pytest.raises(InvalidInput, match="'equalities'"):
        verify({"kind": "all", "parts": [part], "equalities": []})
    with pytest.raises(InvalidInput, match="'equalities'"):
        verify({"kind": "all", "parts": [part, {**part, "equalities": [[1, 1]]}]})


def test_a_malformed_part_is_refused_even_behind_a_false_one():
    broken = {"kind": "violates", "vector": [1, 1], "inequality": [1, 1]}
    with pytest.raises(InvalidInput):
        verify({"kind": "all", "parts": [broken, {"kind": "violates"}]})


@pytest.mark.parametrize("kind", PROOFS)
def test_every_field_is_needed_and_must_be_a_list(kind):
    for name in PROOFS[kind]:
        without = {key: value for key, value in PROOFS[kind].items() if key != name}
        with pytest.raises(InvalidInput, match=name):
            verify({"kind": kind, **without})
        for wrong in (None, 1, "12", {"0": 1}, [[[1]]], [None], [0.5, 1.0], [True, False], [1]):
            with pytest.raises(InvalidInput):
                verify({"kind": kind, **PROOFS[kind], name: wrong})


@pytest.mark.parametrize(
    "value",
    [1.0, float("nan"), True, None, "", "1.5", "1/0", "1e9", "0x1", "١", "ln 3", "1/-2", [1]],
)
def test_numbers_other_than_integers_and_fractions_are_refused(value):
    with pytest.raises(InvalidInput, match="no exact number"):
        exact(value, "entry")


def test_large_numbers_are_written_as_text_that_reads_back():
    value = Fraction(10**6000 + 1, 3)
    proof = Certificate("violates", {"vector": (value, 2**60), "inequality": (-1, 0)})
    data = json.loads(json.dumps(proof.to_dict()))
    assert data["vector"][1] == str(2**60)
    assert exact(data["vector"][0], "entry") == value
    assert verify(data)


@pytest.mark.parametrize(
    "data",
    [None, 1, [], "member", {}, {"kind": None}, {"kind": 3}, {"kind": "proof"}, {"kind": []}],
)
def test_what_is_no_certificate_is_refused(data):
    with pytest.raises(InvalidInput):
        verify(data)


def test_a_certificate_nested_without_end_is_refused():
    data = {"kind": "all", "parts": []}
    for _ in range(100_000):
        data = {"kind": "all", "parts": [data]}
    with pytest.raises(InvalidInput, match="deep"):
        verify(data)
    assert says_nothing(data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = sorted({name for fields in PROOFS.values() for name in fields} | {"parts", "matrix"})


@given(
    st.sampled_from([*CHECKS, "all"]),
    st.dictionaries(st.sampled_from(FIELDS), json_values | st.just([[1, 2]]) | st.just([1, 2])),
)
def test_hostile_data_get_an_answer_or_a_refusal(kind, fields):
    with suppress(InvalidInput):
        assert verify({"kind": kind, **fields}) in (True, False)


@pytest.mark.parametrize("criterion", ["worst-case", "Worst", "median", None, 7, ""])
def test_a_least_loss_says_which_loss_it_means(criterion):
    found = design(
        row_cone("dp(ratio=3)", "bits(2)"), "absolute", statistic="count", belief="uniform"
    ).certificate.to_dict()
    assert verify(found)
    with pytest.raises(InvalidInput, match="criterion"):
        verify({**found, "criterion": criterion})


@pytest.mark.parametrize(
    "data",
    [
        {
            "kind": "post-processing",
            "matrix": [[1, 0], [0, 1]],
            "bases": [[[1, -1], [0, 2]]],
            "maps": [[[1, "1/2"], [0, "1/2"]]],
            "weights": [1],
        },
        {
            "kind": "not-post-processing",
            "matrix": [[1, 0], [0, 1]],
            "bases": [[["1/2", 0], [0, "1/2"]]],
            "functional": [[1, 0], [0, 1]],
        },
        {
            "kind": "not-post-processing",
            "matrix": [[2, 0], [0, 2]],
            "bases": [[[1, 0], [0, 1]]],
            "functional": [[1, 0], [0, 1]],
        },
        {
            "kind": "largest-odds",
            "row": [1, 1],
            "generators": [[1, 1]],
            "first": [1, 0],
            "second": [0, 0],
            "odds": "infinity",
        },
    ],
)
def test_what_is_no_mechanism_proves_nothing_about_mechanisms(data):
    assert verify(data) is False
