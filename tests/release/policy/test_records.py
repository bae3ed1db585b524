"""Text files read strictly, held against Python's reader and a slow one of our own."""

import csv
import io
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.release.policy import records as module
from twoworlds.release.policy.records import FileRecords

LINES = st.text(alphabet='ab",;\n\r \0é\N{BLACK STAR}', max_size=12)


def read(path, content, **options):
    """Return the records as (line, raw text), and what the reader says about the others."""
    path.write_bytes(content)
    found = FileRecords(path, **options)
    text = b"".join(found)
    rows = []
    for record in csv.reader(
        io.StringIO(text.decode(), newline=""), delimiter=found.delimiter, strict=True
    ):
        rows.append((int(record[0]), record[1:]))
    assert len(rows) == found.count
    return rows, found


def slowly(text, delimiter=","):
    """Read by the letter of RFC 4180, one character at a time: (line, values, or None if bad)."""
    if text and not text.endswith("\n"):
        text += "\n"
    place, line, found = 0, 1, []
    while place < len(text):
        end, values = one(text, place, delimiter)
        if end is None:
            end, values = text.index("\n", place) + 1, None
        if text[place:end] not in ("\n", "\r\n"):
            bad = values is None or "\0" in text[place:end] or "\udcff" in text[place:end]
            found.append((line, None if bad else values))
        line += text.count("\n", place, end)
        place = end
    return found


def one(text, place, delimiter):
    """Return where a record ends, and its values; None when it is not of the form."""
    values = []
    while True:
        value = ""
        if text[place : place + 1] == '"':
            place += 1
            while True:
                if place >= len(text):
                    return None, None
                if text[place] == '"' and text[place + 1 : place + 2] == '"':
                    value, place = value + '"', place + 2
                elif text[place] == '"':
                    place += 1
                    break
                else:
                    value, place = value + text[place], place + 1
        else:
            while place < len(text) and text[place] not in f'"\r\n{delimiter}':
                value, place = value + text[place], place + 1
        values.append(value)
        if text[place : place + 1] == delimiter:
            place += 1
        elif text.startswith("\r\n", place):
            return place + 2, values
        elif text.startswith("\n", place):
            return place + 1, values
        else:
            return None, None


def check(path, body, head="k,x\n"):
    rows, found = read(path, (head + body).encode())
    expected = slowly(head + body)
    width = len(expected[0][1])
    assert rows == [(n, v) for n, v in expected if v is not None and len(v) == width]
    bad = [n for n, v in expected if v is None or len(v) != width]
    assert found.unreadable.count == len(bad)
    assert [n for n, _ in found.unreadable.first] == bad[: module.SHOWN]
    return rows


@settings(max_examples=100)
@given(body=LINES)
def test_every_file_is_read_by_the_letter_of_the_rules(tmp_path_factory, body):
    path = tmp_path_factory.getbasetemp() / "t.csv"
    check(path, body)
    check(path, body, head="k\n")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize(
    ("encoding", "said"),
    [("utf-8", None), ("utf-8-sig", None), ("utf-16", None), ("latin-1", "latin-1")],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_what_pythons_writer_writes_is_read_as_it_was(tmp_path, delimiter, encoding, said, ending):
    rng = random.Random(f"{delimiter}{encoding}")
    letters = f'ab",;|\t é{ending}'  # it puts no quotes around other line ends
    rows = [
        ["".join(rng.choices(letters, k=rng.randrange(6))) for _ in range(3)] for _ in range(60)
    ]
    rows = [row for row in rows if row != ["", "", ""]]
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=ending)
    writer.writerows([["k", "x", "y"], *rows])
    content = text.getvalue().encode(encoding)
    found, reader = read(tmp_path / "t.csv", content, delimiter=delimiter, encoding=said)
    assert [values for _, values in found] == [["k", "x", "y"], *rows]
    assert reader.unreadable.count == reader.blank.count == 0


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"a", "1 value instead of 2"),
        (b"a,1,2", "3 values instead of 2"),
        (b'"a"b,1', "a quote is out of place"),
        (b'a"b,1', "a quote is out of place"),
        (b'"a,1', "a quote is not closed"),
        (b"a\rb,1", "a carriage return without a line feed"),
        (b"a\0,1", "the character NUL"),
        (b"\xff,1", "bytes that are no characters in this encoding"),
        (b"z" * 1_000_001 + b",1", "more than 1,000,000 bytes"),
    ],
)
def test_why_a_line_cannot_be_read_is_said_and_others_are_read(tmp_path, line, reason):
    rows, found = read(tmp_path / "t.csv", b"k,x\na,1\n" + line + b"\nb,2\n")
    assert [n for n, _ in rows] == [1, 2, 4]
    assert found.unreadable.first == [(3, reason)]
    assert reason in str(found.unreadable)


@pytest.mark.slow
def test_an_open_quote_costs_one_line_however_long_the_file_is(tmp_path):
    rows, found = read(tmp_path / "t.csv", b'k,x\n"a,1\n' + b"b,2\n" * 600_000)
    assert len(rows) == 600_001
    assert found.unreadable.first == [(2, "a quote is not closed")]


@pytest.mark.parametrize(
    ("content", "options", "part"),
    [
        (b"", {}, "is empty"),
        (b"\n\r\n\n", {}, "is empty"),
        (b'"k,x\na,1\n', {}, "line 1, the first, cannot be read"),
        (b'\n\nk"k,x\n', {}, "line 3, the first"),
        (b"k\0,\0x\0", {}, "--encoding utf-16"),
        (b"k\xe9,x\na,1\n", {}, "--encoding latin-1"),
        (b"k;x\na;1\n", {}, "say --delimiter ';'"),
        (b"k\tx\na\t1\n", {}, "say --delimiter tab"),
        (b"k,x\n", {"delimiter": "ab"}, "--delimiter 'ab'"),
        (b"k,x\n", {"delimiter": '"'}, "--delimiter"),
        (b"k,x\n", {"encoding": "klingon"}, "--encoding klingon"),
        (b"k,x\n", {"encoding": "hex"}, "--encoding hex"),
    ],
)
def test_what_is_no_such_file_is_refused_with_the_way_out(tmp_path, content, options, part):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(InvalidInput) as caught:
        FileRecords(tmp_path / "t.csv", **options)
    assert part in str(caught.value)


def test_a_line_without_end_is_refused_before_it_fills_the_memory(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"k,x\n" + b"z" * (9 << 20))
    with pytest.raises(InvalidInput, match="line 2 has more than 1,000,000 bytes"):
        list(FileRecords(tmp_path / "t.csv"))
