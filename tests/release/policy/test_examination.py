"""The report on the data, held against counting in Python where values may not fit their kind."""

import math
import random
import sqlite3
from collections import Counter
from fractions import Fraction

import pandas as pd
import pytest

from twoworlds.release import parse_policy
from twoworlds.release.backends import open_backend
from twoworlds.release.policy.checking import checked
from twoworlds.release.policy.examination import SHOWN, WARNING, examine
from twoworlds.release.policy.imports import import_text

POLICY = """
datasets:
  people:
    neighbours: add-remove
    unit: {person: p, rows: 2}
    budget: epsilon=1
    columns:
      p: {kind: integer}
      k: {kind: text, keys: [a, b, ""]}
      x: {kind: number, bounds: [-2, 5], bins: [-1, 0, 3]}
      n: {kind: integer, bounds: [0, 9], keys: [1, 2, 3]}
"""
NAMES = ("p", "k", "x", "n")


@pytest.fixture
def dataset():
    return parse_policy(POLICY).dataset("people")


def some_rows(seed, odd):
    """Return random rows; ``odd`` has values besides for each column."""
    rng = random.Random(seed)
    kinds = (
        [None, *range(6)],
        [None, "a", "b", "A", "a ", "", "é", "z", *"cdefg"],
        [None, -3.0, -2.0, -1.0, 0.0, 1.5, 3.0, 5.0, 5.01, 1e300],
        [None, *range(-2, 12)],
    )
    size = rng.randrange(60) if seed else 0
    return [
        tuple(rng.choice([*values, *odd[i]]) for i, values in enumerate(kinds)) for _ in range(size)
    ]


def expected(dataset, rows, is_value):
    """Count by hand what the report says."""
    found = {}
    for i, (name, column) in enumerate(dataset.columns.items()):
        given = [row[i] for row in rows if row[i] is not None]
        values = [value for value in given if is_value(name, value)]
        keys = {float(key) if isinstance(key, Fraction) else key for key in column.keys}
        others = Counter(str(v) for v in values if keys and v not in keys)
        low, high = (-math.inf, math.inf) if column.low is None else (column.low, column.high)
        first, last = (column.bins[0], column.bins[-1]) if column.bins else (-math.inf, math.inf)
        numbers = {
            "missing": len(rows) - len(given),
            "unfit": len(given) - len(values),
            "below": sum(low != -math.inf and v < low for v in values),
            "above": sum(high != math.inf and v > high for v in values),
            "outside": others.total(),
            "unbinned": sum(bool(column.bins) and not first <= v <= last for v in values),
        }
        found[name] = numbers, others
    people = Counter(row[0] for row in rows if row[0] is not None and is_value("p", row[0]))
    over = [n - 2 for n in people.values() if n > 2]
    most, nobody = max(people.values(), default=0), len(rows) - people.total()
    return found, (len(people), most, len(over), sum(over), nobody)


def compare(report, dataset, rows, is_value):
    columns, people = expected(dataset, rows, is_value)
    assert report.rows == len(rows)
    for one in report.columns:
        numbers, others = columns[one.column.name]
        assert {name: getattr(one, name) for name in numbers} == numbers, one.column.name
        assert len(one.others) == min(SHOWN, len(others))
        most = sorted(others.values(), reverse=True)[:SHOWN]
        assert [count for _, count in one.others] == most
        assert all(others[value] == count for value, count in one.others)
    assert tuple(report.people.values()) == people
    said = report.explain()
    assert said.startswith(WARNING)
    assert f"people: {len(rows)} row" in said
    as_data = report.to_dict()
    assert (
        as_data["columns"]["x"]["clamped"]["rows"]
        == columns["x"][0]["below"] + columns["x"][0]["above"]
    )
    assert as_data["people"]["rows_dropped"]["rows"] == people[3]


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(12))
def test_the_report_counts_right_in_sqlite_where_each_row_has_its_type(tmp_path, dataset, seed):
    rows = some_rows(seed, (["Ann", b"x"], [7, b"\xff"], ["x", math.inf], ["three"]))
    connection = sqlite3.connect(tmp_path / "people.db")
    with connection:
        connection.execute("CREATE TABLE people (p INTEGER, k, x REAL, n INTEGER)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", rows)
    connection.close()

    def is_value(name, value):
        return isinstance(value, str) if name == "k" else isinstance(value, (int, float))

    backend, relation = open_backend({"sqlite": str(tmp_path / "people.db"), "table": "people"})
    compare(examine(dataset, backend, relation), dataset, rows, is_value)
    backend.close()


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(8))
def test_the_report_after_an_import_tells_misfits_and_missing_values_apart(tmp_path, dataset, seed):
    rows = some_rows(seed, (["Ann", 10**25], [], ["nan", "x"], ["2.5"]))
    cells = [["" if v is None else f'"{v}"' for v in row] for row in rows]
    lines = ["p,k,x,n", *map(",".join, cells)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    kinds = {name: column.kind for name, column in dataset.columns.items()}
    imported = import_text(tmp_path / "people.csv", kinds=kinds, expected=kinds)
    backend, relation = open_backend(imported.target)
    report = examine(dataset, backend, relation).after_import(imported)
    backend.close()

    def is_value(name, value):
        return name == "k" or not (isinstance(value, str) or (name == "p" and value > 2**63))

    compare(report, dataset, rows, is_value)
    said = report.explain()
    assert "empty lines, which are no rows: 1" in said
    odd = [i + 2 for i, row in enumerate(rows) if row[0] is not None and not is_value("p", row[0])]
    assert not odd or f"line{'s'[: len(odd) != 1]} {', '.join(map(str, odd[:5]))}" in said
    assert ("too many digits" in said) == any(row[0] == 10**25 for row in rows)


def test_frames_are_examined_too():
    policy = parse_policy(POLICY.replace("{person: p, rows: 2}", "row"))
    frame = pd.DataFrame({"p": [1, 2], "k": ["a", "q"], "x": [9.0, None], "n": [1, 1]})
    [found], faults = checked(policy, data=True, sources={"people": frame})
    assert not faults
    [report] = found.to_dict()["data"]
    columns = report["columns"]
    assert columns["k"]["outside_the_keys"]["most_frequent"] == [{"value": "q", "rows": 1}]
    assert (columns["x"]["clamped"]["above"], columns["x"]["missing"]["rows"]) == (1, 1)
    assert (report["people"], report["warning"]) == (None, WARNING)


@pytest.mark.parametrize(
    ("missing", "counts"), [("-7", "0"), ("3", "3"), ("5/2", "5/2 (2.5)"), ("99", "10")]
)
def test_a_check_says_what_missing_values_count_as_within_the_bounds(missing, counts):
    policy = parse_policy(
        "datasets: {people: {neighbours: add-remove, unit: row, budget: epsilon=1, columns: "
        f"{{a: {{kind: number, bounds: [0, 10], unit: 1/2, missing: {missing}}}}}}}}}"
    )
    [found], _ = checked(policy, sources={"people": pd.DataFrame({"a": [1.0]})})
    assert f"a missing value counts as {counts}" in found.explain()
