"""Text files imported into typed Parquet: hostile files, kinds, rights, and what a kill leaves."""

import os
import random
import re
import signal
import stat
import subprocess
import sys
from datetime import date
from pathlib import Path

import duckdb
import pytest

from tests.release.policy.test_records import slowly
from twoworlds.errors import InvalidInput
from twoworlds.release.policy import imports
from twoworlds.release.policy.imports import import_text

KINDS = {"k": "text", "x": "text"}


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows_of(path):
    return duckdb.execute(
        "FROM read_parquet(?)", [re.sub(r"([*?[])", r"[\1]", str(path))]
    ).fetchall()


def imported(path, content, **options):
    options = {"header": True} | options
    return rows_of(import_text(written(path, content), **options).target)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


# --- records ------------------------------------------------------------------------------------


def test_duckdb_takes_every_record_as_it_is_read(tmp_path):
    """Random texts full of quotes, line breaks and delimiters, against the rules by the letter."""
    rng = random.Random(5)
    letters = 'a",\n\r é'
    for _ in range(10):
        body = "".join(rng.choices([*letters, '""', '","', "a,b\n", '"a\r\nb",""\r\n'], k=60))
        path = written(tmp_path / "t.csv", "k,x\n" + body)
        found = imported(path, path.read_bytes(), kinds=KINDS, skip_unreadable=True)
        expected = [v for _, v in slowly("k,x\n" + body)[1:] if v is not None and len(v) == 2]
        assert [[value or "" for value in row] for row in found] == expected


@pytest.mark.parametrize("line", [b'"a,1', b'a"b,1', b"a,1,2", b"\xff,1", b"a\0,1"])
def test_a_file_with_a_line_that_cannot_be_read_is_refused_by_its_number(tmp_path, line):
    path = written(tmp_path / "t.csv", b"k,x\na,1\n" + line + b"\nb,2\n")
    with pytest.raises(InvalidInput, match="on line 3") as caught:
        import_text(path, header=True)
    assert "--skip-unreadable" in str(caught.value)
    assert [one.name for one in tmp_path.iterdir()] == ["t.csv"]
    assert import_text(path, header=True, skip_unreadable=True).rows == 2


# --- names --------------------------------------------------------------------------------------


def test_whether_there_are_names_is_asked_and_no_record_gets_anywhere(tmp_path):
    path = written(tmp_path / "t.csv", "Alice,1975\nBob,1980\n")
    with pytest.raises(InvalidInput, match="say --header if it does, or --no-header") as caught:
        import_text(path)
    assert "Alice" not in str(caught.value)
    asked = []
    found = import_text(path, ask=lambda names: bool(asked.append(names)))
    assert asked == [["Alice", "1975"]]
    assert (list(found.kinds), found.rows) == (["column1", "column2"], 2)


@pytest.mark.parametrize("header", ["a,A", "a,a", "a,", " ,b"])
def test_names_that_are_none_are_refused(tmp_path, header):
    path = written(tmp_path / "t.csv", f"{header}\n1,2\n")
    with pytest.raises(InvalidInput, match="--no-header"):
        import_text(path, header=True)


def test_the_declared_columns_tell_whether_there_are_names(tmp_path):
    path = written(tmp_path / "t.csv", "a,b\nc,d\n")
    assert import_text(path, expected=["b"]).rows == 1
    assert import_text(path, expected=["column2"]).rows == 2
    with pytest.raises(InvalidInput, match="not name the declared columns 'x', 'y', 'z': is"):
        import_text(path, expected={"z", "b", "y", "x"})


# --- kinds --------------------------------------------------------------------------------------

VALUES = [
    ("integer", ["0", "42", "-7", "+7", "007", "12.0", " 5 ", "9223372036854775807"]),
    ("number", ["0", "-2.5", "+.5", "5.", "1e3", "1E-3", " 2 "]),
    ("date", ["2026-01-31", "0001-01-01", "2026-01-31T10:00:00Z", "2026-01-31 23:59"]),
    ("boolean", ["true", "False", " TRUE", "1", "0 "]),
]
VALUE_OF = {
    "integer": lambda text: int(float(text)) if len(text) < 10 else int(text),
    "number": float,
    "date": lambda text: date.fromisoformat(text[:10]),
    "boolean": lambda text: text.strip().lower() in ("true", "1"),
}
NOT = {
    "integer": ["x", "1.5", "1e3", "0x10", "1_000", "9223372036854775808", "1 2", "--1", "."],
    "number": ["x", "nan", "inf", "1e999", "1,5", "0x10", "1_000", "1 2", "."],
    "date": ["2026-02-31", "31.1.2026", "2026-1-1", "0000-01-01", "20260131", "today"],
    "boolean": ["2", "yes", "t"],
}


@pytest.mark.parametrize(("kind", "texts"), VALUES)
def test_values_of_a_kind_are_read_and_others_are_missing_and_told(tmp_path, kind, texts):
    texts = [*texts, "", '""', "  ", *(f'"{text}"' for text in NOT[kind])]
    path = written(tmp_path / "t.csv", "\n".join(["x,y", *(f"{text},." for text in texts)]))
    found = import_text(path, kinds={"x": kind}, header=True)
    fit = len(texts) - len(NOT[kind]) - 3
    expected = [VALUE_OF[kind](text) for text in texts[:fit]] + [None] * (len(texts) - fit)
    assert [row[0] for row in rows_of(found.target)] == expected
    assert found.unfit["x"].count == len(NOT[kind])
    first = fit + 3 + 2
    lines = range(first, first + len(NOT[kind]))
    assert found.unfit["x"].lines == tuple(lines)[:6]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("values", "kind", "nearly"),
    [
        (["1", "-2", ""], "integer", None),
        (["1", "2.5"], "number", None),
        (["1e-05", "0.3"], "number", None),
        (["007", "8", "9"], "text", "integer"),
        (["1", "2", "NA"], "text", "integer"),
        (["1", "x", "y"], "text", None),
        (["12345678901234567890", "12345678901234567891"], "text", None),
        (["12345678901234567890", "1", "2"], "text", "integer"),
        (["2026-01-31", "2026-02-01"], "date", None),
        (["true", "FALSE"], "boolean", None),
        (["", ""], "text", None),
        ([], "text", None),
    ],
)
def test_a_kind_is_guessed_only_if_all_values_fit(tmp_path, values, kind, nearly):
    path = written(tmp_path / "t.csv", "x,y\n" + "".join(f"{value},a\n" for value in values))
    found = import_text(path, header=True)
    assert found.kinds["x"] == kind
    assert (found.nearly["x"].kind if "x" in found.nearly else None) == nearly
    assert not found.unfit
    assert [row[0] for row in rows_of(found.target) if kind == "text"] == [
        value or None for value in values if kind == "text"
    ]


@pytest.mark.parametrize("said", [{"y": "integer"}, {"x": "float"}])
def test_kinds_of_other_columns_and_unknown_kinds_are_refused(tmp_path, said):
    with pytest.raises(InvalidInput, match="unknown"):
        import_text(written(tmp_path / "t.csv", "x\n1\n"), kinds=said, header=True)


# --- the file -----------------------------------------------------------------------------------


def test_nobody_else_may_read_what_is_written_whatever_the_umask(tmp_path, monkeypatch):
    seen = {}
    copy = imports._copy

    def watched(connection, select, path):
        copy(connection, select, path)
        seen[path.name] = (mode(path.parent), mode(path))

    monkeypatch.setattr(imports, "_copy", watched)
    before = os.umask(0)
    try:
        found = import_text(written(tmp_path / "t.csv", "x\n1\n"), header=True)
    finally:
        os.umask(before)
    assert seen == {"text.parquet": (0o700, 0o600), "typed.parquet": (0o700, 0o600)}
    assert mode(found.target) == 0o600
    assert sorted(one.name for one in tmp_path.iterdir()) == ["t.csv", "t.parquet"]


def test_only_an_import_is_replaced(tmp_path):
    path = written(tmp_path / "t.csv", "x\n1\n")
    target = tmp_path / "t.parquet"
    duckdb.sql("SELECT 'mine' AS x").write_parquet(str(target))
    content = target.read_bytes()
    for _ in range(2):
        with pytest.raises(InvalidInput, match="no import made it"):
            import_text(path, header=True)
        assert target.read_bytes() == content
    import_text(path, header=True, replace=True)
    path.write_text("x\n1\n2\n")
    assert import_text(path, header=True).rows == 2
    assert len(rows_of(target)) == 2


def test_an_engine_that_fails_leaves_nothing_and_nobody_waits(tmp_path, monkeypatch):
    path = written(tmp_path / "t.csv", "x\n" + "1\n" * 60_000)  # more than a pipe holds

    def broken(connection, select, path):
        raise duckdb.Error("no space left")

    monkeypatch.setattr(imports, "_copy", broken)
    with pytest.raises(InvalidInput, match="no space left"):
        import_text(path, header=True)
    assert [one.name for one in tmp_path.iterdir()] == ["t.csv"]


KILLED = """
import os, sys
from pathlib import Path
from twoworlds.release.policy import imports
os.umask(0)
copy = imports._copy
def stop(connection, select, path):
    copy(connection, select, path)
    if path.name == sys.argv[2]:
        print("now", flush=True)
        sys.stdin.read()
imports._copy = stop
imports.import_text(Path(sys.argv[1]), header=True)
"""


@pytest.mark.parametrize("stage", ["text.parquet", "typed.parquet"])
def test_a_kill_leaves_no_copy_that_others_can_read_and_the_next_import_removes_it(tmp_path, stage):
    folder, elsewhere = tmp_path / "data", tmp_path / "tmp"
    folder.mkdir()
    elsewhere.mkdir()
    path = written(folder / "t.csv", "x\nsecret\n")
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path), stage],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=elsewhere,
        env={**os.environ, "TMPDIR": str(elsewhere)},
    ) as process:
        assert process.stdout.readline() == b"now\n"
        process.send_signal(signal.SIGKILL)
    assert not list(elsewhere.iterdir())
    [left] = [one for one in folder.iterdir() if one != path]
    assert mode(left) == 0o700
    assert all(mode(one) == 0o600 for one in left.iterdir())
    import_text(path, header=True)
    assert sorted(one.name for one in folder.iterdir()) == ["t.csv", "t.parquet"]


def test_the_folder_of_an_import_at_work_is_left_alone(tmp_path):
    path = written(tmp_path / "t.csv", "x\n1\n")
    with imports._workshop(tmp_path / "t.parquet") as at_work:
        import_text(path, header=True)
        assert at_work.is_dir()


@pytest.mark.parametrize("name", ["it's.csv", "[a]*?.csv", "two\nlines.csv", "人.tsv", "x=1.csv"])
def test_a_name_of_a_file_is_a_name(tmp_path, name):
    for _ in range(2):
        assert imported(tmp_path / name, "x\n1\n", kinds={"x": "text"}) == [("1",)]
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted(
        [name, Path(name).with_suffix(".parquet").name]
    )
