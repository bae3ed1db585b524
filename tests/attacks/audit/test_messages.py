"""What crosses between an audit and the process of its subject: data, and never code."""

import io
from fractions import Fraction

import numpy as np
import pytest

from twoworlds.attacks.audit import Unresponsive, audit
from twoworlds.attacks.audit.process import LARGEST, receive, send
from twoworlds.errors import InvalidInput

HERE = "python:tests.attacks.audit.subjects:"


def sent(value):
    pipe = io.BytesIO()
    send(pipe, value)
    pipe.seek(0)
    return receive(pipe)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -(10**1000),
        0.1,
        -0.0,
        5e-324,
        float("inf"),
        "text \ud800 \0",
        b"\xff\0",
        (1, (2.5, "x")),
        {1, "a"},
        frozenset({(1, 2)}),
        {1: "a", None: [2], "1": {}, (1, 2): b""},
        {"dict": 1, "tuple": [2]},
        Fraction(-(10**50), 7),
        [[], [None, [False]]],
        np.float64(1.5),
        np.int8(-3),
        np.bool_(True),
    ],
)
def test_values_come_back_as_what_they_are(value):
    found = sent(value)
    assert found == value
    assert type(found) is type(value)
    assert repr(found) == repr(value)


def test_nan_and_arrays_come_back():
    assert np.isnan(sent(float("nan")))
    for array in (
        np.arange(6).reshape(2, 3),
        np.array([np.nan, -0.0, 1e300]),
        np.zeros((0, 3), dtype=np.uint8),
        np.arange(6, dtype=">i2")[::2],
        np.array(2.5),
    ):
        found = sent([array])[0]
        assert found.shape == array.shape
        assert found.tolist() == array.tolist() or np.isnan(array).any()
        assert found.dtype.kind == array.dtype.kind
        found += found  # it is writable


@pytest.mark.parametrize("value", [object(), lambda: 1, np.array([object()]), np.array([1j]), 1j])
def test_what_cannot_be_told_is_refused(value):
    with pytest.raises(InvalidInput, match="cannot be handed over"):
        send(io.BytesIO(), value)


def test_what_is_nested_without_end_is_refused():
    deep = []
    deep.append(deep)
    with pytest.raises(InvalidInput, match="nested"):
        send(io.BytesIO(), deep)


@pytest.mark.parametrize(
    "text",
    [
        b"\0",
        b"\0" * 8,
        (LARGEST + 1).to_bytes(8, "big") + b"1",
        b"\0" * 7 + b"\x05" + b"[1",
        b"\0" * 7 + b"\x02" + b"[1",
        b"\0" * 7 + b"\x02" + b"{}",
        b"\0" * 7 + b"\x07" + b'{"x":1}',
        b"\0" * 7 + b"\x0d" + b'{"array":"O"}',
        b"\0" * 7 + b"\x21" + b'{"fraction":["0x1","0x0"]}       ',
        b"\0" * 7 + b"\x18" + b'{"dict":[[[1],"value"]]}',
        b"\0" * 6 + b"\x27\x10" + b"[" * 10_000,
    ],
)
def test_what_is_no_message_is_unreadable(text):
    with pytest.raises(ValueError, match="no message"):
        receive(io.BytesIO(text))


def test_the_end_is_told_from_a_broken_message():
    with pytest.raises(EOFError):
        receive(io.BytesIO(b""))


@pytest.mark.parametrize(
    "name",
    [
        "babbles",
        *(pytest.param(x, marks=pytest.mark.slow) for x in ("writes_json", "promises_much")),
    ],
)
def test_a_subject_that_writes_into_the_pipe_ends_in_a_clear_error(name):
    with pytest.raises(Unresponsive, match=r"cannot be read.*writes into the pipe"):
        audit(f"{HERE}{name}", pairs=[(0, 1)])


def test_a_pickle_that_a_subject_sends_is_never_loaded(tmp_path):
    mark = tmp_path / "mark"
    with pytest.raises(Unresponsive, match="cannot be read"):
        audit(f"{HERE}pickles", pairs=[(str(mark), "other")])
    assert not mark.exists()


def test_a_message_that_never_ends_is_not_waited_for():
    with pytest.raises(Unresponsive, match="did not answer within 1 s"):
        audit(f"{HERE}promises_more_than_it_sends", pairs=[(0, 1)], patience=1.0)
