"""What strangers send is read exactly, or refused."""

import pytest

from tests.web.serving import read_as
from twoworlds.errors import InvalidInput
from twoworlds.web.bodies import ReleaseBody
from twoworlds.web.refusals import Numeral, Refused, check_text, read_json


def test_numbers_stay_as_they_were_written():
    found = read_json(b'{"a": 0.1, "b": 1e400, "c": 123456789012345678901234567890}')
    assert found == {"a": "0.1", "b": "1e400", "c": "123456789012345678901234567890"}
    assert all(isinstance(value, Numeral) for value in found.values())


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": -Infinity}',
        b'{"a": 1, "a": 2}',
        b'{"a": ' + b"[" * 40 + b"]" * 40 + b"}",
        b"[" * 60_000,
        b'{"a":' * 10_000,
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"a": "\xff"}',
        b'{"a": "\\ud800"}',
    ],
)
def test_what_is_no_proper_object_is_refused(body):
    with pytest.raises(Refused) as caught:
        read_json(body)
    assert caught.value.status == 400


@pytest.mark.parametrize(
    "text",
    [
        "python:os:getcwd",
        "exact(python:os:system, universe=bits(2))",
        "Python:os:getcwd",
        "command:ls",
        "matrix.csv",
        "MATRIX.CSV",
        "pram(/etc/passwd)",
        "pram( /dev/zero )",
        "pram(../secret)",
        "linear(cone.json)",
        "/etc/passwd",
        "mix(a.npy, b.npy)",
        "",
        "   ",
        "x" * 5000,
    ],
)
def test_texts_name_neither_files_nor_programs(text):
    with pytest.raises(InvalidInput):
        check_text(text, "mechanism")


def test_queries_are_texts_or_objects():
    asked = read_as(ReleaseBody, {"queries": ["SELECT 1", {"dataset": "x"}], "epsilon": "1"})
    assert asked["queries"] == ["SELECT 1", {"dataset": "x"}]
    for wrong in ([], [1], [None], [["x"]], "SELECT 1", ["x"] * 100):
        with pytest.raises(Refused):
            read_as(ReleaseBody, {"queries": wrong, "epsilon": "1"})
