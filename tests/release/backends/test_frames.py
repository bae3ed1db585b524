"""Frames: no value stops or changes the others, or decides whether there is an answer."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.release.backends.test_awkward import totals, x
from twoworlds.errors import InvalidInput
from twoworlds.release.backends import open_backend
from twoworlds.release.policy import Column
from twoworlds.release.query import All, Compare, Query

ONE_TO_THREE = All((Compare("x", ">=", Fraction(1)), Compare("x", "<=", Fraction(3))))


def kinds(frame):
    backend, relation = open_backend(frame)
    found = dict(backend.kinds(relation))
    backend.close()
    return found


def found_keys(frame, kind):
    """Return the keys of column x and how often they occur."""
    backend, relation = open_backend(frame)
    query = Query("t").by("x", discover=True).count()
    found = totals(backend, relation, query, Column("x", kind))
    backend.close()
    return {key: n for (key,), (n,) in found.items()}


def not_utf8(kind):
    """An array of three texts of which the second is no UTF-8; Arrow does not look at them."""
    width = np.int64 if kind == pa.large_string() else np.int32
    offsets = pa.py_buffer(np.array([0, 1, 3, 4], width).tobytes())
    return pa.Array.from_buffers(kind, 3, [None, offsets, pa.py_buffer(b"a\xff\xfeb")])


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("series", "kind"),
    [
        (pd.Series([1, 2], dtype="int8"), "integer"),
        (pd.Series([1, None], dtype="Int64"), "integer"),
        (pd.Series([2**64 - 1], dtype="uint64"), "integer"),
        (pd.Series([1.5], dtype="float16"), "number"),
        (pd.Series([True, None], dtype="boolean"), "boolean"),
        (pd.Series(["a", None], dtype="string"), "text"),
        (pd.Series(["a", None], dtype="category"), "text"),
        (pd.Series([1, None], dtype=pd.CategoricalDtype([1, 2])), "integer"),
        (pd.to_datetime(pd.Series(["2026-01-02"])), "date"),
        (pd.to_datetime(pd.Series(["2026-01-02"])).dt.tz_localize("Asia/Tokyo"), "date"),
        (pd.Series([1.0, 0.0], dtype="Sparse[float]"), "number"),
        (pd.Series([1 + 2j]), "other"),
        (pd.Series([pd.Interval(0, 1)]), "other"),
        (pd.Series([pd.Timedelta(1, "s")]), "other"),
        (pd.Series([pd.Period("2026-01")]), "other"),
        (pd.Series([Decimal(1)], dtype=pd.ArrowDtype(pa.decimal128(5, 2))), "number"),
        (pd.Series([[1]], dtype=pd.ArrowDtype(pa.list_(pa.int64()))), "other"),
    ],
    ids=lambda given: str(getattr(given, "dtype", "")),
)
def test_the_kind_of_a_pandas_column_is_that_of_its_type(series, kind):
    assert kinds(pd.DataFrame({"x": series})) == {"x": kind}
    assert kinds(pd.DataFrame({"x": series.iloc[:0]})) == {"x": kind}


VALUES = [
    *("a", "7", "\ud800", b"a", 7, 7.0, 2.6, Decimal("2.6"), 2**70, -(2**70), True),
    *(np.int8(7), np.bool_(False), date(2026, 1, 2), pd.Timestamp("2026-01-02 10:00")),
    *(np.datetime64("2026-01-02"), float("nan"), float("inf"), None, pd.NaT, pd.NA, ("a",)),
]
FITTING = {  # what each value counts as, by the kind that is declared; others are missing
    "text": {0: "a", 1: "7"},
    "integer": {4: 7, 5: 7, 6: 3, 7: 3, 8: 2**63 - 1, 9: -(2**63), 11: 7, 17: 2**63 - 1},
    "number": {4: 7, 5: 7, 6: 2.6, 7: 2.6, 8: 2.0**70, 9: -(2.0**70), 11: 7},
    "boolean": {10: True, 12: False},
    "date": {i: date(2026, 1, 2) for i in (13, 14, 15)},
}


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", FITTING)
@pytest.mark.parametrize("dtype", ["object", "category", "polars"])
def test_each_object_counts_as_what_it_is_whatever_stands_beside_it(kind, dtype):
    fitting = {
        i: Fraction(v) if kind in ("integer", "number") else v for i, v in FITTING[kind].items()
    }
    for extra in ([], ["text"], [None], [2**70], [1.5], [True]):
        values = [*VALUES, *extra]
        if dtype == "polars":
            frame = pl.DataFrame({"x": pl.Series(values, dtype=pl.Object)})
        elif dtype == "object":
            frame = pd.DataFrame({"x": pd.Series(values, dtype="object")})
        else:
            able = pd.Series([v for v in values if v is not pd.NaT], dtype="object")
            frame = pd.DataFrame({"x": able.astype("category")})
        found = found_keys(frame, kind)
        without = found_keys(pd.DataFrame({"x": pd.Series([*extra, None], dtype="object")}), kind)
        for key in found:
            found[key] -= without.get(key, 0)
        assert {k: n for k, n in found.items() if n} == Counter(fitting.values())


def test_one_value_of_a_frame_decides_nothing_for_the_others():
    """Neither a refusal nor the count of the others hangs on a None, a text or 2^70."""
    for odd in (4, None, "text", 2**70, 2.5, True, b"", float("nan")):
        frame = pd.DataFrame({"x": [1, 2, 3, odd]})
        backend, relation = open_backend(frame)
        found = totals(
            backend, relation, Query("t").count().count("x", where=ONE_TO_THREE), x("integer")
        )
        assert found == {(): (4, 4 if odd == 2.5 else 3)} or odd is True
        backend.close()


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_arrow_texts_that_are_no_utf_8_are_missing(kind):
    array = not_utf8(kind)
    assert found_keys(pa.table({"x": array}), "text") == {"a": 1, "b": 1}
    encoded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 2]), array)
    assert found_keys(pa.table({"x": encoded}), "text") == {"a": 1, "b": 2}


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_times_beyond_the_calendar_are_missing(unit, zone):
    ticks = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    numbers = [0, 86400 * ticks, None, *([] if unit == "ns" else [2**62, -(2**63), 2**63 - 1])]
    array = pa.array(numbers, pa.int64()).cast(pa.timestamp(unit, zone))
    expected = {date(1970, 1, 1): 1, date(1970, 1, 2): 1}
    assert found_keys(pa.table({"x": array}), "date") == expected


@pytest.mark.slow  # another interpreter; the test that it runs is run here, too
def test_the_day_of_a_moment_does_not_depend_on_the_machine():
    test = f"{__file__}::{test_times_beyond_the_calendar_are_missing.__name__}"
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", test],
        env={**os.environ, "TZ": "Pacific/Kiritimati"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout


def test_types_that_duckdb_lacks_are_of_an_unknown_kind():
    table = pa.table(
        {
            "x": [1],
            "wide": pa.array([Decimal(1)], pa.decimal256(60, 2)),
            "half": pa.array(np.array([1.5], np.float16)),
            "list": [[1]],
            "struct": [{"a": 1}],
            "null": pa.nulls(1),
            "view": pa.array(["a"], pa.string_view()),
        }
    )
    assert kinds(table) == {
        "x": "integer",
        "wide": "other",
        "half": "number",
        "list": "other",
        "struct": "other",
        "null": "other",
        "view": "text",
    }


def test_frames_of_polars():
    frame = pl.DataFrame(
        {
            "x": ["a", "b", "a\0"],
            "c": pl.Series(["u", "v", None], dtype=pl.Categorical),
            "e": pl.Series(["u", "v", None], dtype=pl.Enum(["u", "v"])),
            "o": pl.Series([object(), 1, None], dtype=pl.Object),
            "u": pl.Series([1, 2, None], dtype=pl.UInt64),
        }
    )
    expected = {"x": "text", "c": "text", "e": "text", "o": "other", "u": "integer"}  # objects
    assert kinds(frame) == expected
    assert found_keys(frame, "text") == {"a": 1, "b": 1, "a\0": 1}
    assert found_keys(frame.lazy(), "text") == {"a": 1, "b": 1, "a\0": 1}


def test_two_columns_of_one_name_are_refused():
    frame = pd.DataFrame([[1, 2]], columns=["x", "x"])
    with pytest.raises(InvalidInput, match="two columns are called 'x'"):
        open_backend(frame)
    with pytest.raises(InvalidInput, match="without columns"):
        open_backend(pd.DataFrame(index=[1, 2]))
    assert Fraction(1) in found_keys(pd.DataFrame({"x": [1]}), "integer")
