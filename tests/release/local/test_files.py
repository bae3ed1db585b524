"""Randomizing columns of files: every record, in order, whatever cells and names hold."""

import csv
from collections import Counter
from math import factorial

import duckdb
import pytest

from tests.release.local.samples import COIN, lines, nearly, nothing_but, parquet, stored, written
from tests.release.noise.scripted import Scripted
from twoworlds.progress import listen
from twoworlds.release.local import (
    estimate_file,
    files,
    randomize_file,
)
from twoworlds.release.local.release import permutation


def test_csv_keeps_the_order_and_leaves_other_columns_out(tmp_path):
    old = written(tmp_path / "in.csv", "name,smoker,age\nAnn,yes,3\nBob,no,4\nCid,no,5\n")
    made = randomize_file(old, tmp_path / "out.csv", "smoker", nearly("yes", "no"))
    assert lines(tmp_path / "out.csv") == [["smoker"], ["yes"], ["no"], ["no"]]
    assert (made.records, made.carried, made.shuffled) == (3, (), False)
    nothing_but(tmp_path, "in.csv", "out.csv", "out.csv.certificate.json")


def test_public_columns_stay_beside_their_record_in_the_order_of_the_file(tmp_path):
    old = written(tmp_path / "in.csv", 'a,"b ""x""",c,d\n1,"p,q",yes,x\n2,"r\ns",no,y\n')
    randomize_file(old, tmp_path / "out.csv", "c", nearly("yes", "no"), public=["d", 'b "x"'])
    assert lines(tmp_path / "out.csv") == [
        ['b "x"', "c", "d"],
        ["p,q", "yes", "x"],
        ["r\ns", "no", "y"],
    ]


@pytest.mark.parametrize(
    ("content", "mark"),
    [
        ("\ufeffv,w\na,1\nb,2\n", ","),
        ("v;w\r\na;1\r\nb;2\r\n", ";"),
        ("v\tw\na\t1\nb\t2", "\t"),
        ("v|w\n\na|1\n\n\nb|2\n\n", "|"),
        ('"v","w"\n"a","1"\n"b","2"\n', ","),
    ],
)
def test_separators_line_ends_quotes_and_empty_lines(tmp_path, content, mark):
    old = written(tmp_path / "in.csv", content)
    randomize_file(old, tmp_path / "out.csv", "v", nearly("a", "b"), public=["w"])
    assert lines(tmp_path / "out.csv", mark) == [["v", "w"], ["a", "1"], ["b", "2"]]


@pytest.mark.parametrize(
    "row", ["", "maybe", "YES", " yes", '""', "yes,extra", "x,y,z", "NULL", "nan", '"ye\ns"']
)
def test_no_cell_makes_it_fail_and_each_line_is_a_record(tmp_path, row):
    old = written(tmp_path / "in.csv", f"v\nyes\n{row}\nyes\n")
    made = randomize_file(old, tmp_path / "out.csv", "v", nearly("yes", "no", missing="no"))
    assert lines(tmp_path / "out.csv")[1:] == [["yes"], ["no"], ["yes"]]
    assert made.records == 3


def test_bytes_that_are_not_utf_8_are_a_cell_like_any_other(tmp_path):
    old = written(tmp_path / "in.csv", b"v,w\nyes,\xff\xfe\n\xe9,b\n")
    randomize_file(old, tmp_path / "out.csv", "v", nearly("yes", "no", missing="no"), public=["w"])
    assert (tmp_path / "out.csv").read_bytes() == b"v,w\nyes,\xff\xfe\nno,b\n"


def test_a_line_of_another_width_has_empty_public_cells(tmp_path):
    old = written(tmp_path / "in.csv", "v,w\nyes,1\nyes\nyes,2,3\nyes,4\n")
    randomize_file(old, tmp_path / "out.csv", "v", nearly("yes", "no", missing="no"), public=["w"])
    assert lines(tmp_path / "out.csv")[1:] == [["yes", "1"], ["no", ""], ["no", ""], ["yes", "4"]]


def test_an_empty_line_is_the_empty_value_where_that_is_declared(tmp_path):
    old = written(tmp_path / "in.csv", "v\n\na\n")
    randomize_file(old, tmp_path / "out.csv", "v", nearly("a", "", missing="a"))
    assert (tmp_path / "out.csv").read_text() == 'v\n""\na\n'
    assert estimate_file(tmp_path / "out.csv").reports == (1, 1)


def test_undeclared_cells_are_replaced_evenly(tmp_path):
    """600 fair coins: outside of 200..400 with a probability below 1e-15."""
    old = written(tmp_path / "in.csv", "v\n" + "who knows\n" * 600)
    randomize_file(old, tmp_path / "out.csv", "v", nearly("a", "b"))
    counts = Counter(row[0] for row in lines(tmp_path / "out.csv")[1:])
    assert sum(counts.values()) == 600
    assert 200 < counts["a"] < 400


@pytest.mark.slow
def test_parquet_keeps_the_order_of_many_records(tmp_path):
    """Several row groups and several chunks, so that several threads have work."""
    size = 2_500_000
    old = parquet(
        tmp_path / "in.parquet", f"SELECT (hash(i) % 5)::INTEGER AS v FROM range({size}) t(i)"
    )
    randomize_file(old, tmp_path / "out.parquet", "v", nearly("0", "1", "2", "3", "4"))
    first, second = (
        duckdb.execute("SELECT v FROM read_parquet(?)", [str(path)]).fetchnumpy()["v"]
        for path in (old, tmp_path / "out.parquet")
    )
    assert len(second) == size
    assert (first == second).all()


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("kind", "cells", "values", "missing", "expected"),
    [
        ("BOOLEAN", "true, false, NULL", ["true", "false"], "false", [True, False, False]),
        ("BIGINT", "1, 2, 7", ["1", "2"], "2", [1, 2, 2]),
        ("BIGINT", "1, 2, 7", ["1", "2", "none"], "none", ["1", "2", "none"]),
        ("BIGINT", "1, 2, 7", ["1", "02"], "02", ["1", "02", "02"]),
        ("DOUBLE", "0.5, 'nan', NULL", ["0.5", "x"], "x", ["0.5", "x", "x"]),
        ("VARCHAR", "'a', '', NULL", ["a", "b"], "b", ["a", "b", "b"]),
        ("DATE", "'2024-05-01', NULL, '1999-01-01'", ["2024-05-01", "2000-01-01"], "2000-01-01",
         ["2024-05-01", "2000-01-01", "2000-01-01"]),
        ("INTEGER[]", "[1, 2], [], NULL", ["[1, 2]", "x"], "x", ["[1, 2]", "x", "x"]),
    ],
)  # fmt: skip
def test_parquet_cells_are_compared_as_text(tmp_path, kind, cells, values, missing, expected):
    query = " UNION ALL ".join(f"SELECT {cell}::{kind} AS v" for cell in _split(cells))
    old = parquet(tmp_path / "in.pq", query)
    randomize_file(old, tmp_path / "out.pq", "v", nearly(*values, missing=missing))
    found = [row[0] for row in stored(tmp_path / "out.pq")]
    assert [str(cell) if kind == "DATE" else cell for cell in found] == expected
    assert estimate_file(tmp_path / "out.pq").records == 3


def _split(cells):
    parts, depth = [""], 0
    for character in cells:
        depth += (character == "[") - (character == "]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


HOSTILE = [
    "number",
    "code",
    "p",
    'a"b',
    "x'; DROP TABLE gathered; --",
    "ü, ö",
    "$names",
    " ",
    "c.d",
]


@pytest.mark.few(3)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_of_columns(tmp_path, name):
    quoted = '"' + name.replace('"', '""') + '"'
    rows = "SELECT 'yes' AS {}, 1 AS {} UNION ALL SELECT 'no', 2"
    for i, columns in enumerate([(quoted, '"other"'), ('"other"', quoted)]):
        old = parquet(tmp_path / f"in{i}.parquet", rows.format(*columns))
        new = tmp_path / f"out{i}.parquet"
        column, public = (name, "other") if i == 0 else ("other", name)
        randomize_file(old, new, column, nearly("yes", "no"), public=[public])
        assert sorted(stored(new)) == [("no", 2), ("yes", 1)]
    with (tmp_path / "in.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([[name, "other"], ["yes", "1"], ["no", "2"]])
    randomize_file(
        tmp_path / "in.csv", tmp_path / "out.csv", name, nearly("yes", "no"), public=["other"]
    )
    assert lines(tmp_path / "out.csv") == [[name, "other"], ["yes", "1"], ["no", "2"]]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_chunks_are_put_together_again(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(files, "_CHUNK", 7)
    monkeypatch.setattr(files, "_RANGE", 7)
    query = "SELECT CASE WHEN i % 3 = 0 THEN 'yes' ELSE 'no' END AS v, i AS w FROM range(50) t(i)"
    old = tmp_path / f"in.{ending}"
    duckdb.execute(f"COPY ({query}) TO '{old}' (FORMAT {ending})")
    seen = []

    def listener(items, label, total):
        for item in items:
            seen.append(label)
            yield item

    with listen(listener):
        made = randomize_file(
            old, tmp_path / f"out.{ending}", "v", nearly("yes", "no"), public=["w"]
        )
    found = (
        [(row[0], int(row[1])) for row in lines(tmp_path / "out.csv")[1:]]
        if ending == "csv"
        else stored(tmp_path / "out.parquet")
    )
    assert found == [("no" if i % 3 else "yes", i) for i in range(50)]
    assert (made.records, seen) == (50, ["randomizing"] * 8)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_no_records(tmp_path, ending):
    old = tmp_path / f"in.{ending}"
    duckdb.execute(f"COPY (SELECT 'a' AS v WHERE false) TO '{old}' (FORMAT {ending})")
    for shuffle in (False, True):
        new = tmp_path / f"out{shuffle}.{ending}"
        assert randomize_file(old, new, "v", COIN, shuffle=shuffle).records == 0
        assert estimate_file(new).records == 0


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_shuffled_reports_are_the_same_in_another_order(tmp_path, ending):
    """2000 reports in their old order with a probability far below 1e-100."""
    old = tmp_path / f"in.{ending}"
    query = "SELECT CASE WHEN i < 1000 THEN 'yes' ELSE 'no' END AS v FROM range(2000) t(i)"
    duckdb.execute(f"COPY ({query}) TO '{old}' (FORMAT {ending})")
    new = tmp_path / f"out.{ending}"
    made = randomize_file(old, new, "v", nearly("yes", "no"), shuffle=True)
    found = [row[0] for row in (lines(new)[1:] if ending == "csv" else stored(new))]
    assert Counter(found) == {"yes": 1000, "no": 1000}
    assert found != sorted(found, reverse=True)
    assert made.shuffled


def test_every_order_of_three_comes_from_as_many_words():
    """All ordered triples of six words: ties are drawn again, and the others fall evenly."""
    orders = Counter()
    for a in range(6):
        for b in range(6):
            for c in range(6):
                script = Scripted([a, b, c, 0, 1, 2])
                order = tuple(permutation(3, script).tolist())
                assert len(script.left) == (3 if len({a, b, c}) == 3 else 0)
                if len({a, b, c}) == 3:
                    orders[order] += 1
    assert len(orders) == factorial(3)
    assert set(orders.values()) == {20}
