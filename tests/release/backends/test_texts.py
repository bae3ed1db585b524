"""Text files: each line is one row, whatever it holds and whatever stands around it."""

from __future__ import annotations

import random

import pytest

from twoworlds.release.backends import open_backend, texts
from twoworlds.release.backends.texts import TextFile

LINES = [
    (b"a,1", ("a", "1")),
    (b"a,1\r", ("a", "1")),
    (b'"a","1"', ("a", "1")),
    (b'"a,b",', ("a,b", None)),
    (b'"",""', ("", "")),
    (b",", (None, None)),
    (b' "a" ,\t1 ', (' "a" ', "\t1 ")),
    (b'5" pipe,"say ""no"""', ('5" pipe', 'say "no"')),
    (b'"""",""""""', ('"', '""')),
    ("ü😀,\u2028".encode(), ("ü😀", "\u2028")),
    (b"\xff\xc3,\xed\xa0\x80", ("\\xff\\xc3", "\\xed\\xa0\\x80")),
    (b"n\0ul,\0", ("n\0ul", "\0")),
    (b"one\rtwo,\r\r", ("one\rtwo", "\r")),
    (b"'a,b'", ("'a", "b'")),
    (b"\\N,NULL", ("\\N", "NULL")),
    (b"#a,1", ("#a", "1")),
    (b"\xef\xbb\xbfa,1", ("\ufeffa", "1")),
    (b"x" * 999_998 + b",1", ("x" * 999_998, "1")),
    *[(line, (None, None)) for line in (b"", b"\r", b"a", b"a,b,c", b'"a', b'a,"b', b'"a"b,1')],
    *[(line, (None, None)) for line in (b'"', b'"a,1', b'"a"",1', b"x" * 999_999 + b",1")],
    (b"y" * 9_000_000, (None, None)),
]
SHORT = [(line, row) for line, row in LINES if len(line) < 100 and not line.endswith(b"\r")]


def read(path, content):
    """Return the rows of a file, and whether DuckDB read it as it is."""
    from sqlglot import exp

    path.write_bytes(content)
    backend, relation = open_backend(path)
    rows = backend.fetch(exp.Select().select("*").from_(relation.copy()))
    tables = backend._connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    backend.close()
    return rows, not tables


@pytest.mark.parametrize("line", range(len(LINES)))
def test_a_line_is_one_row_and_changes_no_other(tmp_path, line):
    content, row = LINES[line]
    around = [("before", "1"), ("after", '"2')], b"k,x\nbefore,1\n", b'\nafter,"""2"\n'
    rows, _ = read(tmp_path / "t.csv", around[1] + content + around[2])
    assert rows == [around[0][0], row, around[0][1]]


@pytest.mark.parametrize("block", [1, 7, 64, 1 << 22])
@pytest.mark.parametrize("last", [b"", b"\n", b"\r\n"])
def test_the_order_of_lines_and_the_size_of_blocks_do_not_matter(
    tmp_path, monkeypatch, block, last
):
    monkeypatch.setattr(texts, "BLOCK", block)
    draw = random.Random(block)
    for _ in range(10):
        chosen = [*draw.choices(SHORT, k=12), (b"z,9", ("z", "9"))]
        ends = draw.choices([b"\n", b"\r\n"], k=12)
        body = b"".join(line + end for (line, _), end in zip(chosen, [*ends, last], strict=True))
        assert read(tmp_path / "t.csv", b"k,x\n" + body)[0] == [row for _, row in chosen]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", ["ended", "not ended"])
def test_duckdb_reads_a_plain_file_itself_and_to_the_same_rows(tmp_path, end, last):
    lines = [b"a,1", b'"a","1"', b'"a,b",', b",", b'"",""', "ü😀,\u2028".encode(), b"\\N, 1 "]
    rows = [("a", "1"), ("a", "1"), ("a,b", None), (None, None), ("", ""), ("ü😀", "\u2028")]
    rows += [("\\N", " 1 ")]
    body = end.join([b"k,x", *lines * 1000]) + (end if last == "ended" else b"")
    assert read(tmp_path / "t.csv", body) == (rows * 1000, True)
    copied, itself = read(tmp_path / "t.csv", body.removesuffix(end) + end + b'"' + end)
    assert (copied, itself) == ([*rows * 1000, (None, None)], False)


@pytest.mark.parametrize(
    "odd", [b"a", b"a,b,c\na", b'"a\n",1', b'a,1\n"b,1\n"c,1', b"a,1\r", b"\xff,1", b"\0,1", b""]
)
def test_a_file_that_is_not_plain_is_never_read_as_it_is(tmp_path, odd):
    (tmp_path / "t.csv").write_bytes(b"k,x\na,1\n" + odd + b"\na,1\n")
    assert TextFile(tmp_path / "t.csv", ",").ending(2) is None


def test_an_empty_line_of_one_column_is_a_row(tmp_path):
    assert read(tmp_path / "t.csv", b"k\na\nb\n") == ([("a",), ("b",)], True)
    assert read(tmp_path / "t.csv", b'k\na\n\nb\n""\n')[0] == [("a",), (None,), ("b",), ("",)]
    assert read(tmp_path / "t.tsv", b"k\tx\n\n,\t\n")[0] == [(None, None), (",", None)]


def test_a_file_without_rows_has_none(tmp_path):
    for content in (b"k,x", b"k,x\n", b"\xef\xbb\xbfk,x\r\n"):
        assert read(tmp_path / "t.csv", content)[0] == []


def test_a_file_that_has_changed_is_looked_at_again(tmp_path):
    from sqlglot import exp

    path = tmp_path / "t.csv"
    path.write_bytes(b"k,x\na,1\n")
    backend, relation = open_backend(path)
    everything = exp.Select().select("*").from_(relation.copy())
    assert backend.fetch(everything) == [("a", "1")]
    for content, rows in (
        (b'k,x\n"a,1\nb,2\n', [(None, None), ("b", "2")]),
        (b'k,x\n"a,1\nb,2\nc,3\n', [(None, None), ("b", "2"), ("c", "3")]),
        (b"k,x\nd,4\n", [("d", "4")]),
    ):
        path.write_bytes(content)
        assert backend.fetch(everything) == rows
        assert backend.fetch(everything) == rows
    backend.close()


def test_no_copy_of_a_file_is_left_behind(tmp_path, monkeypatch):
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    assert read(tmp_path / "t.csv", b'k,x\n"a,1\nb,2\n') == ([(None, None), ("b", "2")], False)
    assert [*place.iterdir()] == []
