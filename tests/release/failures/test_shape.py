"""Failures 6, 7 and 18: what the form of an answer gives away."""

import json
import random
from decimal import Decimal

import pytest

from tests.release.failures.worlds import (
    KEYED,
    asked,
    exact,
    imported,
    opened,
    parquet,
    sqlite_file,
    table,
)

SQL = "SELECT k, COUNT(*), SUM(x), AVG(x), VARIANCE(x), MEDIAN(x) FROM people GROUP BY k"
ROWS = [("a", 1.25), ("b", 2.5), ("a", 99.0), ("b", 0.75)]


def told(answer):
    """Return the bytes of an answer, without the hash of the ledger's entry, which has the time."""
    return json.dumps({**answer.to_dict(), "entry": None}, sort_keys=False)


def form(answer):
    """Return keys, order and types of all that an answer says; None where a number may stand."""

    def of(value):
        if isinstance(value, dict):
            return {name: of(part) for name, part in value.items()}
        return [of(part) for part in value] if isinstance(value, list) else type(value).__name__

    frame = answer.to_frame()
    kinds = [(name, str(kind)) for name, kind in frame.dtypes.items()]
    groups = [row["group"] for row in answer.to_dict()["rows"]]
    return kinds, len(frame), groups, [list(of(row)) for row in answer.to_dict()["rows"]]


# --- 6: bounds and keys from the data -----------------------------------------------------------


@pytest.mark.parametrize("make", ["arrow", "imported", "sqlite"])
def test_failure_6_keys_that_are_not_declared_never_show(tmp_path, make):
    rows = [*ROWS, *[("Alice", 5.0)] * 1000, ("A", 1.0), (" a", 1.0), ("a ", 1.0), ("", 1.0)]
    source = {
        "arrow": lambda: table(rows),
        "imported": lambda: imported(tmp_path / "p.csv", rows),
        "sqlite": lambda: sqlite_file(tmp_path / "p.db", rows),
    }[make]()
    answer = asked(tmp_path, source, SQL, cost="100")
    assert [row["k"] for row in answer.rows()] == ["a", "b", "c"]
    shown = told(answer) + str(answer) + answer._repr_html_() + answer.explain()
    assert "Alice" not in shown


WORLDS = {
    "none": [],
    "usual": ROWS,
    "far beyond the bounds": [("a", 1e300), ("b", -1e300), ("c", 5e-324)],
    "other keys only": [("x", 1.0), ("y", 2.0)] * 100,
    "missing only": [(None, None)] * 10,
    "a single key": [("c", 3.0)] * 10,
}


@pytest.mark.parametrize("sql", [SQL, "SELECT SUM(x), MEDIAN(x) FROM people"])
def test_failure_6_the_form_of_an_answer_is_the_same_for_all_data(tmp_path, sql):
    forms = [
        form(asked(tmp_path / name, table(rows), sql, cost="10")) for name, rows in WORLDS.items()
    ]
    assert all(one == forms[0] for one in forms)


def test_failure_6_the_noise_is_the_same_for_all_data(tmp_path):
    noises = [
        asked(tmp_path / name, table(rows), SQL, cost="10").calibration.noises
        for name, rows in WORLDS.items()
    ]
    assert all(one == noises[0] for one in noises)


def test_failure_6_a_key_of_one_person_is_not_discovered(tmp_path, noiseless):
    """Even without noise: the threshold is above 1 by far."""
    rows = [("many", 1.0)] * 500 + [("Alice", 1.0)]
    sql = "SELECT k, COUNT(*) FROM people GROUP BY DISCOVER(k)"
    answer = asked(tmp_path, table(rows), sql, cost="epsilon=1, delta=1e-9")
    assert answer.calibration.threshold > 20
    assert [row["k"] for row in answer.rows()] == ["many"]


# --- 7: empty groups ----------------------------------------------------------------------------

EMPTY = {
    "an empty table": [],
    "rows without keys": [(None, 1.0)] * 3,
    "all missing": [(None, None)] * 3,
    "keys without values": [("a", None), ("b", None), ("c", None)],
}


@pytest.mark.few(3)
@pytest.mark.parametrize("world", EMPTY)
@pytest.mark.parametrize("make", ["arrow", "parquet", "imported", "sqlite"])
def test_failure_7_empty_groups_are_answered_like_all_others(tmp_path, noiseless, world, make):
    rows = EMPTY[world]
    source = {
        "arrow": lambda: table(rows),
        "parquet": lambda: parquet(tmp_path / "p.parquet", rows),
        "imported": lambda: imported(tmp_path / "p.csv", rows),
        "sqlite": lambda: sqlite_file(tmp_path / "p.db", rows),
    }[make]()
    answer = asked(tmp_path, source, SQL)
    assert exact(answer, "sum_x") == [0, 0, 0]
    present = [sum(row[0] == key for row in rows) for key in "abc"]
    assert exact(answer, "count") == present
    assert len(answer.rows()) == len(answer.to_frame()) == 3
    assert str(answer)
    assert answer.explain()


@pytest.mark.statistical
def test_failure_7_empty_groups_get_noise_too(tmp_path):
    """All of 120 empty counts would be 0 with probability below (0.01)^120 at epsilon = 1/50."""
    keys = ", ".join(f"key{i}" for i in range(120))
    columns = f"{{k: {{kind: text, keys: [{keys}]}}}}"
    data = table([], ("k",), ("string",))
    answer = asked(
        tmp_path, data, "SELECT k, COUNT(*) FROM people GROUP BY k", columns, cost="1/50"
    )
    assert any(exact(answer, "count"))


# --- 18: order, types, index --------------------------------------------------------------------


def pandas_frame(rows=ROWS, index=None, **more):
    import pandas

    columns = {"k": [k for k, _ in rows], "x": [x for _, x in rows], **more}
    return pandas.DataFrame(columns, index=index)


def shuffled():
    rows = [*ROWS]
    random.Random(1).shuffle(rows)
    assert rows != ROWS
    return rows


def variants(folder):
    """The same rows in many forms that must not show."""
    import polars
    import pyarrow

    return {
        "arrow": table(ROWS),
        "shuffled": table(shuffled()),
        "columns in another order": table(ROWS).select(["x", "k"]),
        "more columns": table(ROWS).append_column("name", [["Alice", "Bob", "Eve", "Mallory"]]),
        "chunks": pyarrow.concat_tables([table(ROWS[:1]), table(ROWS[1:])]),
        "32-bit floats": table(ROWS, types=("string", "float32")),
        "decimals": pyarrow.table(
            {"k": [k for k, _ in ROWS], "x": [Decimal(str(x)) for _, x in ROWS]}
        ),
        "metadata": table(ROWS).replace_schema_metadata({"patient": "Alice"}),
        "pandas": pandas_frame(),
        "pandas in reverse": pandas_frame().iloc[::-1],
        "pandas by name": pandas_frame(index=["Alice", "Bob", "Eve", "Mallory"]),
        "pandas with an odd index": pandas_frame(index=[9, 7, 7, -1]),
        "pandas categories": pandas_frame().astype({"k": "category"}),
        "pandas objects": pandas_frame().astype({"k": "object"}),
        "polars": polars.DataFrame({"k": [k for k, _ in ROWS], "x": [x for _, x in ROWS]}),
        "imported": imported(folder / "p.csv", ROWS),
        "parquet": parquet(folder / "p.parquet", ROWS),
        "sqlite": sqlite_file(folder / "p.db", ROWS),
        "text numbers": imported(folder / "t.csv", [(k, str(x)) for k, x in ROWS]),
    }


def test_failure_18_forms_of_the_same_rows_give_the_same_bytes(tmp_path, noiseless):
    found = {
        name: told(asked(tmp_path / name, source, SQL))
        for name, source in variants(tmp_path).items()
    }
    assert all(said == found["arrow"] for said in found.values()), [
        name for name, said in found.items() if said != found["arrow"]
    ]
    assert not any(word in found["metadata"] for word in ("Alice", "Mallory"))


def test_failure_18_whole_numbers_in_a_column_of_numbers_do_not_show(tmp_path, noiseless):
    """Were one value 2.5 instead of 2, the column would have another type, and nothing else."""
    whole = [("a", 1), ("b", 2)]
    sources = [
        table(whole, types=("string", "int64")),
        table(whole, types=("string", "int8")),
        table(whole, types=("string", "float64")),
        imported(tmp_path / "p.csv", whole),
        sqlite_file(tmp_path / "p.db", whole, types=("TEXT", "NUMERIC")),
    ]
    found = {told(asked(tmp_path / str(i), source, SQL, KEYED)) for i, source in enumerate(sources)}
    assert len(found) == 1


def test_failure_18_a_missing_value_in_a_frame_of_whole_numbers_does_not_show(tmp_path, noiseless):
    """Pandas turns the whole column into floats for it."""
    columns = "{k: {kind: text, keys: [a, b]}, x: {kind: integer, bounds: [0, 100]}}"
    sql = "SELECT k, SUM(x) FROM people GROUP BY k"
    full = pandas_frame([("a", 1), ("b", 2)])
    missing = pandas_frame([("a", 1), ("b", 2), ("b", None)])
    assert (str(full["x"].dtype), str(missing["x"].dtype)) == ("int64", "float64")
    first = asked(tmp_path / "full", full, sql, columns)
    assert told(asked(tmp_path / "missing", missing, sql, columns)) == told(first)


@pytest.mark.parametrize("values", [["a", "b"], ["a", None], [None, None], []])
def test_failure_18_missing_texts_in_a_frame_of_objects_do_not_show(tmp_path, noiseless, values):
    import pandas

    frame = pandas.DataFrame({"k": pandas.Series(values, dtype="object")})
    answer = asked(tmp_path, frame, "SELECT k, COUNT(*) FROM people GROUP BY k")
    assert exact(answer, "count") == [values.count(key) for key in "abc"]


def test_failure_22_whatever_a_column_of_a_frame_holds_the_question_is_answered(tmp_path):
    """The type that pandas gives a column is one record's doing, and decides nothing."""
    import pandas

    worlds = [[1.0], [1, 2], [1, None], [None], [Decimal(3)], [1] * 4000 + ["Alice"], [], [2**70]]
    for number, values in enumerate(worlds):
        for dtype in ("object", None):
            frame = pandas.DataFrame({"x": pandas.Series(values, dtype=dtype)})
            with opened(tmp_path / f"{number} {dtype}", frame) as curator:
                curator.release("SELECT SUM(x) FROM people", "1")
                assert curator.ledger.spent("people").epsilon == 1


class Unspeakable:
    def __str__(self):
        raise RuntimeError


HALF = pytest.param("\ud800", id="half a character")


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "odd", [3, 2.5, b"x", b"a", {"y": 1}, ["z"], float("nan"), Unspeakable(), HALF]
)
def test_failure_18_an_odd_object_among_texts_is_just_another_key(tmp_path, noiseless, odd):
    import pandas

    frame = pandas.DataFrame({"k": pandas.Series(["a", odd, "b"], dtype="object")})
    answer = asked(tmp_path, frame, "SELECT k, COUNT(*) FROM people GROUP BY k")
    assert exact(answer, "count") == [1, 1, 0]
