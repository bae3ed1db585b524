"""Every engine gives the totals that a plain loop over the rows gives, and keeps the limits."""

from __future__ import annotations

import random
from datetime import date
from fractions import Fraction

import pytest

from tests.release.backends import oracle
from tests.release.backends.conftest import COLUMNS
from twoworlds.release.plan import check_columns, plan
from twoworlds.release.policy import Unit
from twoworlds.release.query import All, AnyOf, Compare, Missing, Not, OneOf, Query, resolve

REGION, INCOME, PAY, FLAG = 'region; "x"', "select", "pay.net", "Ünï côdé"
CONSTANTS = {
    "person": [Fraction(3), Fraction(29, 2)],
    REGION: ["north", "o'brien", "back\\slash", "ü😀 %s", "", "absent\n"],
    INCOME: [Fraction(n) for n in (0, 7, 2**62, 2**63, -(2**63), 10**40, -(10**40))]
    + [Fraction(5, 2), Fraction(-1, 3)],
    PAY: [Fraction(n) for n in ("0", "1/10", "1", "-50", "1e29", "-1e29", "12", "-0.333")],
    "amount": [Fraction("12.34"), Fraction(0), Fraction("0.333"), Fraction(10**29)],
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


def random_axis(draw, query, *, discover):
    used = {by.column for by in query.groups}
    free = [name for name in (REGION, INCOME, PAY, FLAG, "day") if name not in used]
    name = draw.choice(free)
    if discover and not any(by.discover for by in query.groups) and draw.random() < 0.3:
        return query.by(name, discover=True)
    other = draw.random() < 0.5
    if name in (INCOME, PAY) and draw.random() < 0.5:
        return query.by(name, bins=COLUMNS[name].bins, other=other)
    return query.by(name, keys=COLUMNS[name].keys, other=other)


def random_query(draw, *, people=False, discover=True):
    query = Query("people")
    names = [name for name in CONSTANTS if "places" not in name]
    if draw.random() < 0.3:
        query = query.join("places", on="zip")
        names.append("places.state")
        query = query.count("places.size").sum("places.size")
    if draw.random() < 0.7:
        query = query.where(random_condition(draw, names))
    for _ in range(draw.choice([0, 1, 1, 2])):
        query = random_axis(draw, query, discover=discover)
    narrow = (Fraction(-1000), Fraction(1000))
    asked = [
        lambda q, w: q.count(where=w),
        lambda q, w: q.count(INCOME, where=w),
        lambda q, w: q.sum(INCOME, where=w),
        lambda q, w: q.mean(INCOME, where=w),
        lambda q, w: q.variance(INCOME, where=w, between=narrow),
        lambda q, w: q.sum("amount", where=w),
        lambda q, w: q.mean(PAY, where=w),
        lambda q, w: q.variance(PAY, where=w),
        lambda q, w: q.sum("zip", where=w),
        lambda q, w: q.median(PAY, where=w),
        lambda q, w: q.quantile(INCOME, Fraction(1, 10), where=w),
    ]
    if people:
        asked = [lambda q, w: q.people(where=w), *asked[::2]]
    for add in draw.sample(asked, draw.randrange(1, 5)):
        query = add(query, random_condition(draw, names, 1) if draw.random() < 0.4 else None)
    return query


def totals_of(loaded, resolved):
    check_columns(resolved.dataset, resolved, loaded.backend, loaded.relation)
    found = plan(resolved, loaded.relation, loaded.backend)
    return oracle.plain(found.decode(loaded.backend.fetch(found.statement)))


HOW_MANY = pytest.mark.parametrize(
    "share", [pytest.param(1, id="some"), pytest.param(6, id="many", marks=pytest.mark.slow)]
)


@HOW_MANY
def test_random_queries_give_the_totals_of_a_plain_loop(loaded, share):
    draw = random.Random("row")
    for _ in range(share * (4 if loaded.few else 15)):
        query = random_query(draw)
        resolved = resolve(query, loaded.dataset())
        expected = oracle.totals(resolved, loaded.rows, loaded.publics)
        assert totals_of(loaded, resolved) == expected, query


@HOW_MANY
def test_people_within_their_limits_are_counted_whole(loaded, share):
    draw = random.Random("people")
    dataset = loaded.dataset(Unit("person", rows=1000, groups=1000))
    for _ in range(share * (2 if loaded.few else 6)):
        query = random_query(draw, people=True)
        resolved = resolve(query, dataset)
        expected = oracle.totals(resolved, loaded.rows, loaded.publics)
        assert totals_of(loaded, resolved) == expected, query


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
