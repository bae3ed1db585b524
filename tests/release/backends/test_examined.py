"""Every engine tells the owner the same about the data as a plain loop over the rows."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from twoworlds.release.policy import Unit
from twoworlds.release.policy.examination import SHOWN, as_dataset, examine


def is_there(value):
    return value is not None and value == value  # NaN is missing


def as_key(key, kind):
    if not isinstance(key, Fraction):
        return key
    return float(key) if kind == "number" else int(key)


def check(column, one, values, rows):
    keys = {as_key(key, column.kind) for key in column.keys}
    others = Counter(value for value in values if keys and value not in keys)
    bounds = (column.low, column.high)
    assert one.missing + one.unfit == rows - len(values)
    assert one.below == (bounds[0] is not None and sum(v < bounds[0] for v in values))
    assert one.above == (bounds[1] is not None and sum(v > bounds[1] for v in values))
    assert one.outside == others.total()
    most = sorted(others.values(), reverse=True)[:SHOWN]
    assert [count for _, count in one.others] == most
    bins = [float(edge) for edge in column.bins]
    assert one.unbinned == (bins != [] and sum(not bins[0] <= v <= bins[-1] for v in values))


def test_the_owner_is_told_what_a_loop_over_the_rows_counts(loaded):
    dataset = loaded.dataset(Unit("person", rows=5))
    report = examine(dataset, loaded.backend, loaded.relation)
    assert report.rows == len(loaded.rows)
    for one in report.columns:
        values = [row[one.column.name] for row in loaded.rows if is_there(row[one.column.name])]
        check(one.column, one, values, len(loaded.rows))
    people = Counter(row["person"] for row in loaded.rows if row["person"] is not None)
    over = [n - 5 for n in people.values() if n > 5]
    found = report.people
    assert (found.count, found.most, found.over, found.dropped, found.nobody) == (
        len(people),
        max(people.values()),
        len(over),
        sum(over),
        len(loaded.rows) - people.total(),
    )


def test_public_tables_are_examined_too(loaded):
    public = as_dataset(loaded.dataset().public["places"])
    report = examine(public, loaded.backend, loaded.backend.relation(public.source))
    for one in report.columns:
        rows = loaded.publics["places"]
        values = [row[one.column.name] for row in rows if is_there(row[one.column.name])]
        check(one.column, one, values, len(rows))
