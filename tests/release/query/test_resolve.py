"""resolve: from a query and a policy to measures, or the line of the policy that is missing."""

from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given

from tests.release.query.people import AGE, INCOME, PEOPLE, REGIONS, ROWS
from tests.release.query.queries import queries
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.release.policy import Column, Unit
from twoworlds.release.query import GroupAxis, Query, SummedMeasure, resolve
from twoworlds.release.query.conditions import column

people = Query("people")
adults = column("age") >= 18
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def with_column(dataset, **changes):
    """The dataset with one column changed: age=replace(...)."""
    return replace(dataset, columns=dict(dataset.columns) | changes)


MEASURES = [
    (people.count(), [SummedMeasure("rows")], [(0,)]),
    (people.count("city"), [SummedMeasure("rows", "city")], [(0,)]),
    (people.people(where=adults), [SummedMeasure("people", where=adults)], [(0,)]),
    (people.sum("age"), [SummedMeasure("total", "age", None, 0, 120)], [(0,)]),
    (
        people.sum("age", between=(18, 65), share=3),
        [SummedMeasure("total", "age", None, 18, 65, share=Fraction(3))],
        [(0,)],
    ),
    (
        people.mean("age"),
        [
            SummedMeasure("rows", "age", share=HALF),
            SummedMeasure("total", "age", None, 0, 120, center=60, share=HALF),
        ],
        [(0, 1)],
    ),
    (
        people.variance("age"),
        [
            SummedMeasure("squares", "age", None, 0, 120, center=60, share=THIRD),
            SummedMeasure("rows", "age", share=THIRD),
            SummedMeasure("total", "age", None, 0, 120, center=60, share=THIRD),
        ],
        [(1, 2, 0)],
    ),
    (  # values are in units of 1/2, and a missing one counts as 5, so every row counts
        people.mean("income", where=adults),
        [
            SummedMeasure("rows", None, adults, share=HALF),
            SummedMeasure("total", "income", adults, 0, 2000, HALF, 1000, 10, share=HALF),
        ],
        [(0, 1)],
    ),
    (  # what is filled in is clamped like any other value
        people.sum("income", between=(6, 7)),
        [SummedMeasure("total", "income", None, 12, 14, HALF, 0, 12)],
        [(0,)],
    ),
    (
        people.median("age", between=(15, 30)),
        [SummedMeasure("ranks", "age", None, 15, 30, grid=(20, 30))],
        [(0,)],
    ),
    (  # a measure that two aggregates need is taken once, with both shares
        people.count("age").mean("age"),
        [
            SummedMeasure("rows", "age", share=Fraction(3, 2)),
            SummedMeasure("total", "age", None, 0, 120, center=60, share=HALF),
        ],
        [(0,), (0, 1)],
    ),
    (
        people.count().count(where=adults, name="adults"),
        [SummedMeasure("rows"), SummedMeasure("rows", where=adults)],
        [(0,), (1,)],
    ),
]


@pytest.mark.parametrize(("query", "measures", "recipes"), MEASURES)
def test_measures_and_recipes(query, measures, recipes):
    found = resolve(query, PEOPLE)
    assert list(found.measures) == measures
    assert list(found.recipes) == recipes
    assert (found.axes, found.threshold, found.discovers) == ((), None, False)


AXES = [
    (GroupAxis("region"), GroupAxis("region", keys=("north", "south")), 2),
    (GroupAxis("region", other=True), GroupAxis("region", keys=("north", "south"), other=True), 3),
    (GroupAxis("region", keys=("x",)), GroupAxis("region", keys=("x",)), 1),
    (GroupAxis("age"), GroupAxis("age", bins=AGE.bins), 3),
    (GroupAxis("age", other=True), GroupAxis("age", bins=AGE.bins, other=True), 4),
    (GroupAxis("age", bins=(HALF, Fraction(2))), GroupAxis("age", bins=(HALF, Fraction(2))), 1),
    (GroupAxis("age", keys=(Fraction(3),)), GroupAxis("age", keys=(Fraction(3),)), 1),
    (GroupAxis("member"), GroupAxis("member", keys=(False, True)), 2),
    (GroupAxis("born"), GroupAxis("born", keys=(date(2000, 1, 1), date(2001, 1, 1))), 2),
    (GroupAxis("city", discover=True), GroupAxis("city", discover=True), 0),
]


@pytest.mark.parametrize(("by", "axis", "size"), AXES)
def test_axes(by, axis, size):
    found = resolve(Query("people", groups=(by,)).count(), PEOPLE)
    assert found.axes == (axis,)
    assert found.shape == (size,)


def test_a_threshold_counts_people_or_rows():
    query = people.by("city", discover=True).sum("age")
    by_person, by_row = resolve(query, PEOPLE), resolve(query, ROWS)
    assert by_person.measures[by_person.threshold] == SummedMeasure("people")
    assert by_row.measures[by_row.threshold] == SummedMeasure("rows")
    assert by_person.discovers


def test_a_public_table_that_is_joined_has_columns():
    query = people.join("regions", on="region").by("regions.country").sum("regions.size")
    found = resolve(query.where(column("regions.city") == "x"), PEOPLE)
    assert found.axes == (GroupAxis("regions.country", keys=REGIONS.columns["country"].keys),)
    assert found.measures[0].column == "regions.size"


wide = Column("age", "integer", Fraction(0), Fraction(2**62))
wide_square = Column("age", "integer", Fraction(0), Fraction(2**32))
REFUSED = [
    (people, PEOPLE, "asks for nothing"),
    (Query("visits").count(), PEOPLE, "asks 'visits', and this is 'people'"),
    (people.count("agee"), PEOPLE, "unknown column 'agee'"),
    (people.count("regions.size"), PEOPLE, "join it first"),
    (people.people(), ROWS, "count rows instead"),
    (people.sum("city"), PEOPLE, "'city' is text: sum is for numbers"),
    (people.mean("member"), PEOPLE, "'member' is boolean"),
    (people.sum("weight"), PEOPLE, "no bounds are declared for 'weight'"),
    (people.median("income"), PEOPLE, "no grid is declared for 'income'.* such as grid: {step: "),
    (
        people.by("city").count(),
        replace(PEOPLE, unit=Unit("city")),
        r"tells people apart.* with COUNT\(DISTINCT city\)",
    ),
    (people.median("age", between=(1, 9)), PEOPLE, "no value of the grid"),
    (people.sum("age", between=(0, 121)), PEOPLE, "in the policy's bounds 0 to 120"),
    (people.sum("age", between=(3, 2)), PEOPLE, "the lower bound is above the upper one"),
    (people.sum("age", between=(0, "1/2")), PEOPLE, "not a whole multiple of the unit 1"),
    (people.by("city").count(), PEOPLE, "never read off the data: write"),
    (
        people.where(column("weight") > Fraction(10) ** 299).count(),
        PEOPLE,
        "^1e299 for .* below 1e30$",
    ),
    (
        people.where(column("weight") > Fraction(10) ** -99).count(),
        PEOPLE,
        "^1e-99 for 'weight' has more dig",
    ),
    (people.by("region", bins=[0, 1]).count(), PEOPLE, "bins are for numbers"),
    (people.by("region", keys=[1]).count(), PEOPLE, "'region' is text, and '1' is not"),
    (people.by("region", keys=["a", "a"]).count(), PEOPLE, "given twice"),
    (people.by("city", discover=True).by("region", discover=True).count(), PEOPLE, "not several"),
    (people.by("nowhere").count(), PEOPLE, "unknown column"),
    (people.where(column("age") == "x").count(), PEOPLE, "'age' is integer, and 'x' is not"),
    (people.where(column("age") == True).count(), PEOPLE, "'age' is integer"),  # noqa: E712
    (people.where(column("member") == 1).count(), PEOPLE, "'member' is boolean"),
    (people.where(column("born") > "2026-01-31").count(), PEOPLE, "write dates as 2026-01-31"),
    (people.where(column("city") < "x").count(), PEOPLE, "order of texts differs"),
    (people.where(column("member") < True).count(), PEOPLE, "is boolean"),
    (people.where(~(column("age").is_in([1]) | (column("x") == 1))).count(), PEOPLE, "unknown"),
    (people.count(where=column("age").is_in(["a"])), PEOPLE, "'age' is integer"),
    (people.count(where=column("nowhere").is_missing()), PEOPLE, "unknown column"),
    (people.join("other", on="region").count(), PEOPLE, "unknown public table 'other'"),
    (people.join("regions", on="regions.city").count(), PEOPLE, "unknown column"),
    (people.join("regions", "region").join("regions", "city").count(), PEOPLE, "once at most"),
    (people.sum("age"), with_column(PEOPLE, age=wide), r"2\^62 units or more"),
    (people.variance("age"), with_column(PEOPLE, age=wide_square), "larger unit"),
    (
        people.sum("income"),
        with_column(PEOPLE, income=replace(INCOME, fill=Fraction(1, 3))),
        "1/3 .* is not a whole multiple",
    ),
]


@pytest.mark.parametrize(("query", "dataset", "reason"), REFUSED)
def test_what_the_policy_does_not_allow_is_refused(query, dataset, reason):
    with pytest.raises(InvalidInput, match=reason):
        resolve(query, dataset)


@pytest.mark.parametrize(
    "odd",
    [
        {"grid": AGE.grid[::-1]},
        {"bins": AGE.bins[::-1]},
        {"low": Fraction(2), "high": Fraction(1)},
        {"unit": Fraction(0)},
        {"keys": (Fraction(1), Fraction(1))},
        {"kind": "float"},
    ],
)
def test_a_column_is_declared_as_a_policy_file_could(odd):
    with pytest.raises(InvalidInput, match="column 'age'"):
        replace(AGE, **odd)


def test_at_most_a_million_cells():
    thousand = [str(n) for n in range(1000)]
    fits = people.by("city", keys=thousand).by("region", keys=thousand).count()
    assert resolve(fits, PEOPLE).shape == (1000, 1000)
    with pytest.raises(TooLarge, match="more than 1,000,000 cells"):
        resolve(fits.by("member"), PEOPLE)


@given(queries())
def test_a_query_is_made_definite_or_refused(query):
    try:
        found = resolve(query, PEOPLE)
    except InvalidInput:
        return
    assert len(found.recipes) == len(query.aggregates)
    wanted = sum(aggregate.share for aggregate in query.aggregates)
    extra = sum(measure.share for measure in found.measures) - wanted
    assert extra in (0, 1)  # 1 for a threshold that nothing else counts
    for measure in found.measures:
        assert measure.low <= measure.high
        assert measure.kind != "squares" or measure.low <= measure.center <= measure.high
