"""Failures 3, 4 and 5: sums that are not what the sensitivity was computed for."""

import math
import random
from fractions import Fraction

import pytest

from tests.release.failures.worlds import (
    NUMBER,
    asked,
    duckdb_file,
    exact,
    opened,
    parquet,
    sqlite_file,
    table,
)

pytestmark = pytest.mark.usefixtures("noiseless")

FORM = {"names": ("x",), "types": ("float64",)}
SUM = "SELECT SUM(x) FROM people"
ENGINES = {
    "arrow": lambda folder, rows: table(rows, **FORM),
    "parquet": lambda folder, rows: parquet(folder / "x.parquet", rows, **FORM),
    "duckdb": lambda folder, rows: duckdb_file(folder / "x.duckdb", rows, **FORM),
    "sqlite": lambda folder, rows: sqlite_file(folder / "x.db", rows, ("x",), ("REAL",)),
}


def total(folder, source, columns=NUMBER, sql=SUM):
    return exact(asked(folder, source, sql, columns), "sum_x")[0]


def units(x, unit=Fraction(1, 100), low=-100, high=100):
    """Return the value that a row adds: whole units, clamped, as the policy says."""
    return min(max(round(Fraction(x) / unit), round(low / unit)), round(high / unit)) * unit


# --- 3: rounding and order of float sums --------------------------------------------------------

TENTHS = [0.1] * 997 + [1e2, -1e2, 1e-9, 3e-17] * 50


@pytest.mark.parametrize("engine", ENGINES)
def test_failure_3_a_total_does_not_depend_on_the_order_of_rows(tmp_path, engine):
    expected = sum(units(x) for x in TENTHS)
    assert expected == Fraction(997, 10)
    for seed in range(2):
        rows = [(x,) for x in TENTHS]
        random.Random(seed).shuffle(rows)
        folder = tmp_path / str(seed)
        assert total(folder, ENGINES[engine](folder, rows)) == expected


def test_failure_3_a_total_does_not_depend_on_how_files_are_split(tmp_path):
    rows = [(x,) for x in TENTHS]
    for parts in (1, 2, 7):
        folder = tmp_path / f"parts{parts}"
        for i in range(parts):
            parquet(folder / f"part{i}.parquet", rows[i::parts], **FORM)
        assert total(tmp_path / f"curator{parts}", folder) == Fraction(997, 10)


@pytest.mark.few(3)
@pytest.mark.parametrize("engine", ["arrow", "parquet", "sqlite"])
@pytest.mark.parametrize("extra", [-100.0, 1e300, 1 / 3])
def test_failure_3_one_row_moves_a_total_by_its_sensitivity_at_most(tmp_path, engine, extra):
    """In exact arithmetic; a float sum of 10^6 and a tenth forgets what was added to it."""
    rows = [(100.0,)] * 500 + [(0.1,)] * 500
    with opened(tmp_path / "a", ENGINES[engine](tmp_path / "a", rows), NUMBER) as curator:
        before = curator.release(SUM, "1")
    after = total(tmp_path / "b", ENGINES[engine](tmp_path / "b", [*rows, (extra,)]))
    [[noise]] = before.calibration.noises
    stated = noise.sensitivity / 100
    assert stated == 100
    moved = after - exact(before, "sum_x")[0]
    assert abs(moved) <= stated
    assert moved == units(extra)


# --- 4: overflow and truncation -----------------------------------------------------------------

HUGE = (1 << 62) - 1
WIDE = f"{{x: {{kind: integer, bounds: [{-HUGE}, {HUGE}]}}}}"
EDGES = [(1 << 63) - 1, -(1 << 63), 1 << 62, -(1 << 62), HUGE, 3]
INTEGERS = {"names": ("x",), "types": ("int64",)}


def clamped(values):
    return sum(min(max(x, -HUGE), HUGE) for x in values)


@pytest.mark.parametrize("engine", ["arrow", "parquet", "sqlite"])
def test_failure_4_the_largest_integers_are_clamped_and_added_exactly(tmp_path, engine):
    rows = [(x,) for x in EDGES * 500]
    source = {
        "arrow": lambda: table(rows, **INTEGERS),
        "parquet": lambda: parquet(tmp_path / "x.parquet", rows, **INTEGERS),
        "sqlite": lambda: sqlite_file(tmp_path / "x.db", rows, ("x",), ("INTEGER",)),
    }[engine]()
    assert total(tmp_path, source, WIDE) == clamped(EDGES * 500) > 1 << 63


def test_failure_4_a_million_of_the_largest_integers_do_not_overflow(tmp_path):
    import numpy as np
    import pyarrow

    data = pyarrow.table({"x": np.full(1_000_000, HUGE, dtype=np.int64)})
    assert total(tmp_path, data, WIDE) == 1_000_000 * HUGE


@pytest.mark.parametrize("engine", ENGINES)
def test_failure_4_the_largest_floats_are_clamped_not_overflown(tmp_path, engine):
    rows = [(x,) for x in (1e308, 1.7976931348623157e308, -1e308, 1e308, 2.0**63, 0.25)]
    assert total(tmp_path, ENGINES[engine](tmp_path, rows)) == 300 + Fraction(1, 4)


@pytest.mark.parametrize("engine", ["arrow", "sqlite"])
def test_failure_4_squares_and_small_units_do_not_overflow(tmp_path, engine):
    columns = "{x: {kind: number, bounds: [-2000000, 2000000], unit: 0.001}}"
    rows = [(x,) for x in (2e6, -2e6, 1e300, -1e300, 0.0) * 2000]
    answer = asked(
        tmp_path, ENGINES[engine](tmp_path, rows), "SELECT VARIANCE(x) FROM people", columns
    )
    [[_, squares, _]] = [sorted(answer.values[0])]
    assert max(answer.values[0]) == 8000 * (2 * 10**9) ** 2 > 1 << 74
    assert squares == 10_000


# --- 5: NaN, infinity, NULL ---------------------------------------------------------------------

ODD = [None, math.nan, math.inf, -math.inf, 1.5, None]
ALL = "SELECT COUNT(*), COUNT(x), SUM(x), AVG(x), VARIANCE(x), MEDIAN(x) FROM people"


@pytest.mark.parametrize("engine", ENGINES)
def test_failure_5_missing_values_are_left_out_and_infinities_clamped(tmp_path, engine):
    rows = [(x,) for x in ODD]
    answer = asked(tmp_path, ENGINES[engine](tmp_path, rows), ALL, NUMBER)
    [row] = answer.rows()
    assert (row["count"], row["count_x"], row["sum_x"]) == (6, 3, 1.5)
    assert row["mean_x"] == 0.5
    assert -100 <= row["median_x"] <= 10  # of -100, 1.5 and 100, on a grid of tens


@pytest.mark.parametrize("engine", ENGINES)
def test_failure_5_a_declared_value_stands_for_missing_ones(tmp_path, engine):
    columns = "{x: {kind: number, bounds: [-100, 100], unit: 0.01, missing: 7}}"
    rows = [(x,) for x in ODD]
    answer = asked(tmp_path, ENGINES[engine](tmp_path, rows), SUM, columns)
    assert exact(answer, "sum_x") == [3 * 7 + Fraction(3, 2)]


@pytest.mark.parametrize("engine", ENGINES)
def test_failure_5_missing_is_neither_true_nor_false(tmp_path, engine):
    rows = [(x,) for x in ODD]
    with opened(tmp_path, ENGINES[engine](tmp_path, rows), NUMBER) as curator:
        counts = [
            exact(curator.release(f"SELECT COUNT(*) FROM people WHERE {condition}", "1"), "count")
            for condition in ("x > 0", "NOT x > 0", "x IS NULL", "x IS NOT NULL", "x <> 1.5")
        ]
    assert counts == [[2], [1], [3], [3], [2]]
