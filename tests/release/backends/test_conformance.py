"""Every engine gives the totals that a plain loop over the rows gives, and keeps the limits."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import date
from fractions import Fraction
from itertools import product
from typing import get_args

import pytest

from tests.release.backends import oracle
from tests.release.backends.conftest import AMOUNT, COLUMNS
from twoworlds.errors import InvalidInput
from twoworlds.release.plan import check_columns, plan
from twoworlds.release.policy import Dataset, Unit
from twoworlds.release.policy.examination import SHOWN, as_dataset, examine
from twoworlds.release.query import (
    Aggregate,
    All,
    AnyOf,
    Compare,
    Missing,
    Not,
    OneOf,
    Query,
    resolve,
)
from twoworlds.release.query.model import Kind

REGION, INCOME, PAY, FLAG = 'region; "x"', "select", "pay.net", "Ünï côdé"
CONSTANTS = {
    "person": [Fraction(3), Fraction(29, 2)],
    REGION: ["north", "o'brien", "back\\slash", "ü😀 %s", "", "absent\n"],
    INCOME: [Fraction(n) for n in (0, 7, 2**62, 2**63, -(2**63), 10**40, -(10**40))]
    + [Fraction(5, 2), Fraction(-1, 3)],
    PAY: [Fraction(n) for n in ("0", "1/10", "1", "-50", "1e29", "-1e29", "12", "-0.333")],
    AMOUNT: [Fraction("12.34"), Fraction(0), Fraction("0.333"), Fraction(10**29)],
    FLAG: [True, False],
    "day": [date(2026, 1, 1), date(2026, 1, 30), date(9999, 12, 31)],
    "places.state": ["A", "b'b", "c"],
}
ORDERED = {name for name, values in CONSTANTS.items() if isinstance(values[0], (Fraction, date))}


def random_condition(draw, names, depth=2):
    kind = draw.choice(
        ["compare", "compare", "one of", "missing"] + ["and", "or", "not"] * (depth > 0)
    )
    name = draw.choice(names)
    if kind == "compare":
        operators = ["=", "!="] + ["<", "<=", ">", ">="] * (name in ORDERED)
        return Compare(name, draw.choice(operators), draw.choice(CONSTANTS[name]))
    if kind == "one of":
        return OneOf(name, tuple(draw.choices(CONSTANTS[name], k=3)))
    if kind == "missing":
        return Missing(name)
    if kind == "not":
        return Not(random_condition(draw, names, depth - 1))
    parts = tuple(random_condition(draw, names, depth - 1) for _ in range(draw.randrange(1, 4)))
    return All(parts) if kind == "and" else AnyOf(parts)


def random_axis(draw, query):
    used = {by.column for by in query.groups}
    free = [name for name in (REGION, INCOME, PAY, FLAG, "day") if name not in used]
    name = draw.choice(free)
    if not any(by.discover for by in query.groups) and draw.random() < 0.3:
        return query.by(name, discover=True)
    other = draw.random() < 0.5
    if name in (INCOME, PAY) and draw.random() < 0.5:
        return query.by(name, bins=COLUMNS[name].bins, other=other)
    return query.by(name, keys=COLUMNS[name].keys, other=other)


def every_aggregate(dataset):
    """Return the aggregates of every kind that there is, of each column that may have it."""
    found = []
    for kind, name in product(get_args(Kind), (None, INCOME, PAY, AMOUNT, "zip")):
        for at, between in product((None, Fraction(1, 2), Fraction(1, 10)), (None, (-30, 30))):
            options = {"at": at, "between": between and tuple(map(Fraction, between))}
            try:
                asked = Aggregate(kind, name, f"{kind} of {name} at {at} in {between}", **options)
                resolve(Query(dataset.name, (asked,)), dataset)
            except InvalidInput:
                continue
            found.append(asked)
    return found


@pytest.mark.parametrize("unit", [Unit(), Unit("person", rows=1000, groups=1000)])
def test_every_kind_of_aggregate_is_asked_for(unit):
    """A new one is held against the oracle, which must know its measures."""
    columns = Dataset("people", None, "add-remove", unit, COLUMNS)
    missing = {*get_args(Kind)} - {asked.kind for asked in every_aggregate(columns)}
    assert missing == ({"people"} if unit.person is None else set())


def random_query(draw, dataset):
    query = Query("people")
    names = [name for name in CONSTANTS if "places" not in name]
    if draw.random() < 0.3:
        query = query.join("places", on="zip")
        names.append("places.state")
        query = query.count("places.size").sum("places.size")
    if draw.random() < 0.7:
        query = query.where(random_condition(draw, names))
    for _ in range(draw.choice([0, 1, 1, 2])):
        query = random_axis(draw, query)
    asked = draw.sample(every_aggregate(dataset), draw.randrange(1, 5))
    filters = [random_condition(draw, names, 1) if draw.random() < 0.4 else None for _ in asked]
    added = [replace(one, where=where) for one, where in zip(asked, filters, strict=True)]
    return replace(query, aggregates=(*query.aggregates, *added))


def totals_of(loaded, resolved):
    check_columns(resolved.dataset, resolved, loaded.backend, loaded.relation)
    found = plan(resolved, loaded.relation, loaded.backend)
    return oracle.plain(found.decode(loaded.backend.fetch(found.statement)))


HOW_MANY = pytest.mark.parametrize(
    "share", [pytest.param(1, id="some"), pytest.param(6, id="many", marks=pytest.mark.slow)]
)


@HOW_MANY
@pytest.mark.parametrize("unit", [Unit(), Unit("person", rows=1000, groups=1000)])
def test_random_queries_give_the_totals_of_a_plain_loop(loaded, unit, share):
    """People within their limits are counted whole."""
    draw, dataset = random.Random(str(unit)), loaded.dataset(unit)
    for _ in range(share * (3 if loaded.few else 10)):
        query = random_query(draw, dataset)
        resolved = resolve(query, dataset)
        expected = oracle.totals(resolved, loaded.rows, loaded.publics)
        assert totals_of(loaded, resolved) == expected, query


@pytest.mark.parametrize("unit", [Unit(), Unit("person", rows=1000, groups=1000)])
def test_every_aggregate_gives_the_totals_of_a_plain_loop(loaded, unit):
    dataset = loaded.dataset(unit)
    query = Query("people", tuple(every_aggregate(dataset))).by(REGION, other=True)
    resolved = resolve(query, dataset)
    expected = oracle.totals(resolved, loaded.rows, loaded.publics)
    assert totals_of(loaded, resolved) == expected


@HOW_MANY
def test_what_is_kept_of_a_person_depends_on_nobody_else(loaded, share):
    """The totals of several are the sum of the totals of each person asked for alone."""
    for rows, groups in [(3, 2)] if loaded.few else [(1, 1), (3, 2), (2, 5)]:
        _check_limits(loaded, rows, groups, range(2 if loaded.few else 2 + share))


def _check_limits(loaded, rows, groups, persons):
    dataset = loaded.dataset(Unit("person", rows=rows, groups=groups))
    whole = (
        Query("people")
        .by(REGION, other=True)
        .count()
        .people()
        .sum("zip")
        .count(INCOME, where=Compare(FLAG, "=", True))
        .median(PAY)
    )
    some = OneOf("person", tuple(map(Fraction, persons)))
    cells, ranks = totals_of(loaded, resolve(whole.where(some), dataset))
    added_cells, added_ranks = {}, {}
    for person in persons:
        alone = resolve(whole.where(Compare("person", "=", Fraction(person))), dataset)
        own_cells, own_ranks = totals_of(loaded, alone)
        _within_limits(own_cells, loaded.rows, person, rows, groups)
        for added, own in ((added_cells, own_cells), (added_ranks, own_ranks)):
            for key, numbers in own.items():
                before = added.get(key, (0,) * len(numbers))
                added[key] = tuple(a + b for a, b in zip(before, numbers, strict=True))
    assert (cells, ranks) == (added_cells, added_ranks)


def _within_limits(cells, rows, person, most_rows, most_groups):
    """As many rows as allowed, in no more groups than allowed, each person once in a group."""
    own = [row for row in rows if row["person"] == person]
    counts = [numbers[0] for numbers in cells.values()]
    assert len(cells) <= most_groups
    assert sum(counts) <= most_rows
    assert sum(counts) >= min(len(own), 1)
    assert all(numbers[1] == 1 for numbers in cells.values())
    if len({row[REGION] for row in own}) <= most_groups:
        assert sum(counts) == min(len(own), most_rows)


def test_every_kind_is_recognised(loaded):
    kinds = loaded.backend.kinds(loaded.relation)
    assert kinds == {name: column.kind for name, column in COLUMNS.items()}


def is_there(value):
    return value is not None and value == value  # NaN is missing


def check_examined(column, one, values, rows):
    keys = {float(k) if isinstance(k, Fraction) else k for k in column.keys}
    others = Counter(value for value in values if keys and value not in keys)
    assert one.missing + one.unfit == rows - len(values)
    assert one.below == (column.low is not None and sum(v < column.low for v in values))
    assert one.above == (column.high is not None and sum(v > column.high for v in values))
    assert one.outside == others.total()
    most = sorted(others.values(), reverse=True)[:SHOWN]
    assert [count for _, count in one.others] == most
    bins = [float(edge) for edge in column.bins]
    assert one.unbinned == (bins != [] and sum(not bins[0] <= v <= bins[-1] for v in values))


def test_the_owner_is_told_what_a_loop_over_the_rows_counts(loaded):
    dataset = loaded.dataset(Unit("person", rows=5))
    public = as_dataset(dataset.public["places"])
    report = examine(dataset, loaded.backend, loaded.relation)
    beside = examine(public, loaded.backend, loaded.backend.relation(public.source))
    for found, rows in ((report, loaded.rows), (beside, loaded.publics["places"])):
        assert found.rows == len(rows)
        for one in found.columns:
            values = [row[one.column.name] for row in rows if is_there(row[one.column.name])]
            check_examined(one.column, one, values, len(rows))
    people = Counter(row["person"] for row in loaded.rows if row["person"] is not None)
    over = [n - 5 for n in people.values() if n > 5]
    nobody = len(loaded.rows) - people.total()
    figures = (len(people), max(people.values()), len(over), sum(over), nobody)
    assert tuple(report.people.values()) == figures
