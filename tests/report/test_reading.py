"""Certificates in files: one reader for every command."""

import json

import pytest

from tests.cli.calling import call
from twoworlds.errors import InvalidInput
from twoworlds.report.review.certificates import (
    holds,
    is_certificate,
    proved_numbers,
    read_certificate,
)

GOOD = {"kind": "violates", "vector": [3, 1], "inequality": [-1, 2]}


def saved(path, content):
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def nested(depth: int) -> bytes:
    return b'{"kind":"all","parts":[' * depth + b"]}" * depth


def test_a_certificate_is_read_whole_or_out_of_an_answer(tmp_path):
    plain = read_certificate(saved(tmp_path / "a.json", GOOD))
    inside = read_certificate(saved(tmp_path / "b.json", {"x": 1, "certificate": GOOD}))
    assert plain.data == inside.data == json.loads(inside.text) == GOOD
    assert holds(plain)
    assert not plain.of_release
    assert not holds(read_certificate(saved(tmp_path / "c.json", {**GOOD, "vector": [1, 3]})))
    assert proved_numbers(GOOD) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (nested(50_000), "nested too deeply"),
        (b'{"kind": "all", "kind": "violates"}', "names a key twice"),
        (b'{"facets": []}', "holds a cone"),
        (b'{"kind": "noise-cone"}', "holds a cone"),
    ],
)
def test_both_commands_refuse_the_same_files_in_the_same_words(capsys, tmp_path, content, told):
    file = saved(tmp_path / "x.json", content)
    with pytest.raises(InvalidInput, match=told):
        read_certificate(file)
    answers = [
        call(capsys, *command)
        for command in (
            ["verify", str(file)],
            ["report", str(file), "-o", str(tmp_path / "r.html")],
        )
    ]
    assert [code for code, _, _ in answers] == [2, 2]
    assert answers[0][2] == answers[1][2]
    assert not (tmp_path / "r.html").exists()


def test_what_says_nothing_proves_nothing(tmp_path):
    with pytest.raises(InvalidInput, match="says nothing"):
        holds(read_certificate(saved(tmp_path / "a.json", {"kind": "all", "parts": []})))


def test_a_folder_and_a_missing_file_are_no_certificates(tmp_path):
    (tmp_path / "a.json").mkdir()
    assert not is_certificate(str(tmp_path / "a.json"))
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_certificate(tmp_path / "missing.json")
