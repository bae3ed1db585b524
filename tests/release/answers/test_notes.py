"""What is said beside answers: groups that the condition excludes, and what bounds may hide."""

from fractions import Fraction
from itertools import product

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.release.answers.helpers import answered, asked
from tests.release.query.truth import truth
from twoworlds.charts import GREY, Intervals
from twoworlds.errors import InvalidInput
from twoworlds.release.answers.answer import EXACT, GOOD, LOST, intervals
from twoworlds.release.answers.words import asked as words_of
from twoworlds.release.answers.words import notes
from twoworlds.release.costs import parse_cost
from twoworlds.release.curator import Curator
from twoworlds.release.policy import parse_policy
from twoworlds.release.query import All, AnyOf, Not, Query
from twoworlds.release.query.conditions import Compare, Missing, OneOf
from twoworlds.release.sensitivity import calibrate
from twoworlds.show.html import chart

REGIONS = ("north", "south", "west", "elsewhere")
ages = st.sampled_from([0, 17, 18, 40, 65, 119, 120, 130]).map(Fraction)
leaves = st.one_of(
    st.builds(Compare, st.just("age"), st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), ages),
    st.builds(Compare, st.just("region"), st.sampled_from(["=", "!="]), st.sampled_from(REGIONS)),
    st.builds(OneOf, st.just("region"), st.tuples(*[st.sampled_from(REGIONS)] * 2)),
    st.builds(Compare, st.just("sex"), st.just("="), st.sampled_from(["f", "x"])),
    st.builds(Missing, st.sampled_from(["age", "region"])),
)
conditions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(All, st.tuples(inner, inner)),
        st.builds(AnyOf, st.tuples(inner, inner)),
    ),
    max_leaves=5,
)
ROWS = [
    {"region": region, "age": age, "sex": sex}
    for region, sex in product((*REGIONS, "z", None), ("f", "x", None))
    for age in (None, *(Fraction(a + d) for a in (0, 17, 40, 65, 119, 130) for d in (-1, 0, 1)))
]


def cell(row, other):
    """Return the groups of a row by region and age, None if it is in none."""
    edges = [0, 18, 65, 120]
    region = row["region"] if row["region"] in REGIONS[:3] else "other" if other else None
    age = row["age"]
    inside = age is not None and 0 <= age <= 120
    age = max(e for e in edges[:3] if e <= age) if inside else "other" if other else None
    return None if region is None or age is None else (region, age)


@given(conditions, st.booleans())
def test_exactly_the_groups_that_no_row_can_be_in_are_left_out(condition, other):
    query = Query("people").by("region", other=other).by("age", other=other).where(condition)
    resolved = asked(query.count())
    size = (3 + other) ** 2
    found = answered(resolved, {"cells": None, "values": [[*range(size)]]})
    reached = {cell(row, other) for row in ROWS if truth(condition, row)} - {None}
    names = {"0 to <18": 0, "18 to <65": 18, "65 to 120": 65, "other": "other"}
    shown = [(region, names[age]) for region, age in map(found.groups, found.cells)]
    told = any("The conditions leave no rows" in note for note in notes(resolved))
    if not calibrate([resolved], parse_cost("1")).price.epsilon:
        assert (len(shown), told, reached) == (size, False, set())
        return
    assert {*shown} == reached
    assert told == (len(shown) < size)
    # those that are shown keep their own numbers
    regions = ["north", "south", "west", "other"][: 3 + other]
    every = [*product(regions, [*names.values()][: 3 + other])]
    assert [every[noisy] for (noisy,) in found.values] == shown


def test_a_condition_that_is_said_twice_is_as_good_as_said_once():
    either = AnyOf((Compare("age", ">", Fraction(30)), Compare("region", "=", "north")))
    query = Query("people").by("region").count()
    once, twice = (notes(asked(query.where(c))) for c in (either, All((either, either))))
    assert once == twice


POLICY = """
ledger: ledger.db
datasets:
  people:
    neighbours: add-remove
    unit: row
    columns:
      region: {kind: text, keys: [north, south]}
      income: {kind: integer, bounds: [0, 10], grid: {step: 1}}
    budget: epsilon=5000
"""
CLAMPED = "Values of income below 0 count as 0, and values above 10 as 10"
ASKED = "SELECT AVG(income), SUM(income), VAR_POP(income), MEDIAN(income) FROM people"


@pytest.mark.parametrize("beyond", [[11, 400, -3], [1000] * 5], ids=["some", "all"])
def test_bounds_hide_what_they_are_said_to_hide(tmp_path, beyond):
    """With next to no noise: what lies beyond a bound counts as the bound, and the note says so."""
    found = []
    for name, values in {"as": beyond, "at": [min(max(x, 0), 10) for x in beyond]}.items():
        folder = tmp_path / name
        folder.mkdir()
        table = pandas.DataFrame({"region": ["north"] * len(values), "income": values})
        policy = parse_policy(POLICY, folder=folder)
        with Curator.open(policy, sources={"people": table}) as curator:
            found.append(curator.release(ASKED, "5000"))
    assert found[0].rows() == found[1].rows()
    said = found[0].explain(), str(found[0]), found[0]._repr_html_(), found[0].to_dict()["notes"][0]
    assert all(CLAMPED in " ".join(text.split()) for text in said)


def test_what_is_lost_in_noise_is_marked_in_tables_and_charts():
    resolved = asked(Query("people").by("region").count().mean("income"))
    found = answered(resolved, {"cells": None, "values": [[900, 1, -300]] * 3})
    lost = [found.utility(i, j) == LOST for i in range(3) for j in range(2)]
    assert lost[::2] == [False, True, True]  # of the counts: the last is below 0
    assert sum(lost) < 6
    drawn = "".join(chart(Intervals("", intervals(found, j), "")) for j in range(2))
    assert drawn.count("(lost in noise)") == drawn.count(f'fill="{GREY}"') == sum(lost)
    card = found._repr_html_()
    assert card.count("lost in noise") == 2 * sum(lost)  # in the table, and in the charts
    assert str(found).count("lost in noise") == sum(lost)
    data = [cell["utility"] for row in found.to_dict()["rows"] for cell in row["values"].values()]
    assert [word == "lost in noise" for word in data] == lost


@pytest.mark.parametrize(
    ("declared", "where", "said", "mean"),
    [
        ("", "", "Missing values are left out.", 4),
        (", missing: 2", "", "Missing values count as 2.", 3),
        (", missing: -7", "", "Missing values count as 0.", 2),  # clamped, as any other
        (", missing: 99", "WHERE region = 'north'", "Missing values count as 10.", 7),
        (", missing: 2", "WHERE income >= 0", None, 4),
        ("", "WHERE income IS NOT NULL", None, 4),
    ],
)
def test_what_missing_values_count_as_is_said_where_they_count(
    tmp_path, declared, where, said, mean
):
    """With next to no noise: the mean is that of the values as the note says."""
    table = pandas.DataFrame({"region": ["north"] * 4, "income": [4, None, None, 4]})
    policy = parse_policy(POLICY.replace("step: 1}", f"step: 1}}{declared}"), folder=tmp_path)
    with Curator.open(policy, sources={"people": table}) as curator:
        found = curator.release(f"SELECT AVG(income) FROM people {where}", "5000")
    [row], [first, *_] = found.rows(), notes(found.resolved)
    assert round(row["mean_income"]) == mean
    assert first.endswith(f". {said}" if said else "the bound, not the data.")


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (None, "by region (north, south, west) and age (0 to <18, 18 to <65, 65 to 120)."),
        (Compare("region", "!=", "south"), "by region (north, west) and age"),
        (Compare("age", "<", Fraction(50)), "and age (0 to <18, 18 to <65), where"),
    ],
)
def test_the_groups_that_are_named_are_those_that_are_answered(where, said):
    query = Query("people").by("region").by("age").count()
    found = words_of(asked(query if where is None else query.where(where)))
    assert said in found


def test_groups_that_are_counted_are_those_that_are_answered(tmp_path):
    keys = ", ".join(map(str, range(7)))
    policy = parse_policy(POLICY.replace("north, south", keys), folder=tmp_path)
    for where, said in (("", "(7 groups)."), (" WHERE region != '3'", "(6 of 7 groups), where")):
        asked = f"SELECT region, COUNT(*) FROM people{where} GROUP BY region"
        with Curator.open(policy, sources={"people": {}}) as curator:
            assert said in curator.plan(asked, "1").explain().replace("\n", " ")


def test_rows_of_nobody_are_left_out_as_it_is_said():
    table = {"id": ["a", "a", "a", "b", None, None]}
    unit = {"person": "id", "rows": 2}
    with Curator(table, budget=5000, unit=unit, columns={"id": {"kind": "text"}}) as curator:
        found = curator.release("SELECT COUNT(*), COUNT(DISTINCT id) FROM people", epsilon=4000)
    assert [*found.rows()[0].values()][::5] == [3, 2]
    assert notes(found.resolved)[-1] == (
        "All of this is about at most 2 rows of each person, and none whose id is missing: "
        "intervals say nothing about the rows that are left out."
    )


def test_rows_that_are_in_no_group_are_named():
    def said(query):
        return notes(asked(query.count()))

    assert said(Query("people").by("age")) == [
        "Rows whose age is below 0, above 120 or missing are in no group."
    ]
    assert said(Query("people").by("region")) == [
        "Rows whose region is none of the keys, or missing, are in no group."
    ]
    assert said(Query("people").by("income", discover=True))[0] == (
        "Rows whose income is missing, infinite or not a number are in no group."
    )
    assert said(Query("people").by("age", other=True)) == said(Query("people")) == []


@pytest.fixture
def curator(tmp_path):
    table = pandas.DataFrame({"region": ["north"] * 5, "income": [1, 2, 3, 4, 5]})
    with Curator.open(parse_policy(POLICY, folder=tmp_path), sources={"people": table}) as one:
        yield one


OF_NOTHING = "asks for the .* of no values"
PARTLY = "no value in some of the groups"


@pytest.mark.parametrize("aggregate", ["AVG(income)", "MEDIAN(income)", "VAR_POP(income)"])
@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("SELECT {} FROM people WHERE income = 1 AND income = 5", OF_NOTHING),
        ("SELECT {} FROM people WHERE income IS NULL", OF_NOTHING),
        ("SELECT {} FILTER (WHERE region = 'west' AND region = 'east') FROM people", OF_NOTHING),
        ("SELECT region, {} FROM people WHERE income IS NULL GROUP BY region", OF_NOTHING),
        (
            "SELECT region, COUNT(*), {} FILTER (WHERE region = 'north') FROM people "
            "GROUP BY region",
            PARTLY,
        ),
    ],
)
def test_what_has_no_value_by_its_conditions_is_refused_before_the_charge(
    curator, aggregate, query, why
):
    asks = query.format(aggregate)
    for ask in (curator.plan, curator.release):
        with pytest.raises(InvalidInput, match=why):
            ask(asks, "1")
    assert curator.ledger.state().counts["people"] == 0
    if why is PARTLY:  # both ways out
        alone = asks.replace("COUNT(*), ", "")
        inside = asks.replace("FILTER (WHERE region = 'north') FROM people", "FROM people WHERE "
                              "region = 'north'")  # fmt: skip
        for way_out in (alone, inside):
            assert [row["region"] for row in curator.release(way_out, "1").rows()] == ["north"]


def test_counts_and_sums_of_no_rows_are_exactly_0(curator):
    found = curator.release(
        "SELECT COUNT(*) AS n, SUM(income) AS s FROM people WHERE income = 1 AND income = 5", "1"
    )
    assert [(row["n"], row["s"]) for row in found.rows()] == [(0, 0)]
    assert found.utility(0, 0) == EXACT


def test_a_sure_0_is_not_lost_in_noise(curator):
    found = curator.release("SELECT COUNT(*) FROM people WHERE income > 7", "40")
    assert (found.estimates[0][0].low, found.estimates[0][0].high) == (0, 0)
    assert found.utility(0, 0) == GOOD


@pytest.mark.parametrize("value", [-3, -40, -4000])
def test_an_impossible_total_below_0_is_lost_in_noise(value):
    found = answered(asked(Query("people").sum("income")), {"cells": None, "values": [[value]]})
    assert found.utility(0, 0) == LOST
