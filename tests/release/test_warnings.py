"""Warnings before a release is paid for: what they say, and that no record decides them."""

import shutil
from dataclasses import replace
from fractions import Fraction
from itertools import product

import duckdb
import pytest

from tests.release.answers.helpers import ROW
from twoworlds.errors import DoubtfulRelease, UnknownName
from twoworlds.release import Curator, QueryAnswer, parse_sql
from twoworlds.release.answers import AnswerContext
from twoworlds.release.budget import Cap, Spent
from twoworlds.release.costs import Cost, parse_cost
from twoworlds.release.policy import Policy
from twoworlds.release.query import resolve
from twoworlds.release.sensitivity import calibrate
from twoworlds.release.warnings import warnings

NORTH = "'Nroth' is not a declared key of region: did you mean 'north'?"
NOBODY = (
    "No row meets the conditions if the declared keys and bounds are right: the answer would be "
    "about nobody."
)
CONTRADICTION = "The conditions contradict each other: the answer would be about nobody."


def warned(sql, epsilon="1", left="100"):
    resolved = [resolve(parse_sql(sql, Policy({"people": ROW})), ROW)]
    cost = parse_cost(epsilon)
    accounts = {"people": parse_cost(left)}
    return warnings(resolved, calibrate(resolved, cost), cost, accounts, after(accounts, cost))


def after(accounts, cost):
    return {name: Cap(left).left(Spent().plus(cost)) for name, left in accounts.items()}


def words(sql, epsilon="1", left="100"):
    return [one.words for one in warned(sql, epsilon, left)]


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("region = 'Nroth'", [NORTH, NOBODY]),
        ("region = 'Nroth' OR region = 'south'", [NORTH]),
        ("region <> 'Nroth'", [NORTH]),
        ("region IN ('north', 'Nroth')", [NORTH]),
        ("age = 101", ["101 lies outside the declared bounds of age, 0 to 100.", NOBODY]),
        ("age > 100", [NOBODY]),
        ("age >= 100", []),
        ("age > 99 AND age < 100", [CONTRADICTION]),
        ("income > 99 AND income < 100", []),
        ("age >= -5", ["-5 lies outside the declared bounds of age, 0 to 100."]),
        ("age < 5 AND age > 10", [CONTRADICTION]),
        ("region IS NULL", []),
        ("city = 'Nowhere'", []),  # it declares no keys
        ("sex = 'qqqqq'", ["'qqqqq' is not a declared key of sex: declared are f, m.", NOBODY]),
    ],
)
def test_values_that_are_not_declared_and_selections_of_nobody(condition, said):
    assert words(f"SELECT COUNT(*) FROM people WHERE {condition}") == said


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("male", "Male"), ("MALE", "Male"), ("Mal", "Male"), ("Male ", "Male"), ("femal", "Female")],
)
def test_the_key_that_is_meant_differs_in_capitals_or_blanks_before_it_differs_in_letters(
    asked, meant
):
    assert UnknownName("key", asked, ["Female", "Male"]).nearest == meant
    assert UnknownName("key", " ", ["Female", "Male"]).nearest is None


@pytest.mark.parametrize(
    ("bins", "said"),
    [
        ("200, 300", ["200 lies outside the declared bounds of age, 0 to 100."]),
        ("-9, -1, 50", ["-9 lies outside the declared bounds of age, 0 to 100."]),
        ("-9, 50, 120", []),  # every group has declared values
    ],
)
def test_a_group_beyond_the_bounds_is_named(bins, said):
    sql = f"SELECT BIN(age, {bins}), COUNT(*) FROM people GROUP BY BIN(age, {bins})"
    assert words(sql) == said


def test_an_aggregate_that_counts_nobody_is_named():
    sql = "SELECT COUNT(*) AS n, COUNT(*) FILTER (WHERE age < 0) AS unborn FROM people"
    [said] = words(sql)
    assert said.startswith("No row meets the conditions")
    assert said.endswith("unborn would be about nobody.")


def test_groups_that_the_filter_excludes_are_named():
    [said] = warned("SELECT region, COUNT(*) FROM people WHERE region = 'north' GROUP BY region")
    assert said.kind == "groups"
    assert "south and west" in said.words


@pytest.mark.parametrize(
    ("epsilon", "left", "part"),
    [("1", "2", None), ("1.01", "2", "51%"), ("3", "4", "75%"), ("1", "1", "all")],
)
def test_a_spend_above_half_of_what_is_left_is_said_with_what_it_buys(epsilon, left, part):
    found = warned("SELECT COUNT(*) FROM people", epsilon, left)
    assert [one.kind for one in found] == ([] if part is None else ["spend"])
    for one in found:
        assert f"This takes {part} of what is left to people" in one.words
        assert "would get at most" in one.words


def test_a_price_that_leaves_weak_protection_is_questioned_however_much_is_left():
    for cost, said in (
        ("2", []),
        ("3", ["weak protection"]),
        ("12", ["practically no protection"]),
    ):
        found = warned("SELECT COUNT(*) FROM people", cost)
        assert [(one.kind, one.confirm) for one in found] == [("spend", True)] * len(said)
        for one, part in zip(found, said, strict=True):
            assert one.words.startswith(f"epsilon {cost} is a lot for one release. ")
            assert part in one.words


def test_the_share_of_a_rho_or_a_delta_counts_too():
    resolved = [resolve(parse_sql("SELECT COUNT(*) FROM people", Policy({"people": ROW})), ROW)]
    calibration = calibrate(resolved, parse_cost("rho=1/8"), noise="gaussian")
    for price, left, kinds in (
        ("rho=1/8", "rho=1/4", []),
        ("rho=1/8", "rho=1/5", ["spend"]),
        ("epsilon=1", "rho=1", []),
        ("epsilon=1", "rho=1/2", ["spend"]),
        ("epsilon=1, delta=1e-6", "epsilon=9, delta=1e-6", ["spend"]),
        ("epsilon=1, delta=1e-7", "epsilon=9, delta=1e-6", []),
    ):
        accounts = {"people": parse_cost(left)}
        cost = parse_cost(price)
        found = warnings(resolved, calibration, cost, accounts, after(accounts, cost))
        assert [one.kind for one in found] == kinds, (price, left)


def test_what_is_lost_in_noise_at_a_thousand_rows_is_said():
    assert words("SELECT COUNT(*) FROM people", "1/100") == []
    [said] = words("SELECT COUNT(*), SUM(age) FROM people", "1/500")[:1]
    assert said.startswith("count of a group of fewer than 1,415 rows would be lost in noise")


def test_the_least_group_is_the_first_that_is_not_lost():
    """Against the definition of "lost in noise": the standard error is above all that can be."""
    from twoworlds.release.answers.estimates import estimators

    sql = "SELECT COUNT(*), SUM(age), SUM(income), AVG(age), VAR_POP(age) FROM people"
    for epsilon in ("1/100", "1", "30"):
        one = resolve(parse_sql(sql, Policy({"people": ROW})), ROW)
        calibration = calibrate([one], parse_cost(epsilon))
        largest = {"count": 1, "sum_age": 100, "sum_income": 1000}
        for each in estimators(one, calibration.noises[0]):
            n = each.least_group
            if each.name in largest:
                assert each.error <= n * largest[each.name]
                assert n == 1 or each.error > (n - 1) * largest[each.name]
            else:
                widest = {"mean": 100, "variance": 2500}[each.kind]
                assert each.expected(n).half_width < widest
                assert n == 1 or each.expected(n - 1).half_width == widest


ATOMS = {
    "region = 'north'": lambda region, age: region == "north",
    "region = 'elsewhere'": lambda region, age: region == "elsewhere",
    "age < 18": lambda region, age: age is not None and age < 18,
    "age > 100": lambda region, age: age is not None and age > 100,
    "age IS NULL": lambda region, age: age is None,
}


@pytest.mark.parametrize("joint", ["AND", "OR"])
def test_a_selection_is_called_empty_when_no_declared_row_meets_it(joint):
    """Every declared row is tried; the pieces of the domain need not be right for that."""
    both = all if joint == "AND" else any
    rows = [*product(("north", "south", "west", None), (*range(101), None))]
    for atoms in product(ATOMS, repeat=2):
        met = any(both(ATOMS[atom](*row) for atom in atoms) for row in rows)
        sql = f"SELECT COUNT(*) FROM people WHERE {f' {joint} '.join(atoms)}"
        assert ("empty" in [one.kind for one in warned(sql)]) == (not met), sql


def test_no_record_decides_a_warning(hospital):
    """The same policy over other data, one row and none, warns of the same."""
    asked = {
        "SELECT COUNT(*) FROM people WHERE region = 'Nroth'": "3",
        "SELECT age, COUNT(*), AVG(income) FROM people WHERE age < 40 GROUP BY age": "0.001",
        "SELECT COUNT(*) FROM people WHERE age > 200": "0.1",
    }

    def said():
        with Curator.open(hospital / "policy.yml") as curator:
            return [curator.plan(sql, e, analyst="ann").to_dict() for sql, e in asked.items()]

    before = said()
    assert all(one["warnings"] for one in before)
    people, other = hospital / "people.parquet", hospital / "other.parquet"
    for rows in (1, 0):
        shutil.copy(people, other)
        duckdb.sql(f"COPY (SELECT * FROM '{other}' LIMIT {rows}) TO '{people}' (FORMAT parquet)")
        assert said() == before
        shutil.copy(other, people)


def test_what_is_stored_warns_of_nothing(curator):
    sql = "SELECT COUNT(*) FROM people WHERE region = 'Nroth'"
    assert curator.plan(sql, "3", analyst="ann").warnings
    curator.release(sql, "3", analyst="ann")
    assert curator.plan(sql, "3", analyst="ann").warnings == ()


def test_the_plan_names_the_groups_that_the_answer_will_have(curator):
    for sql in (
        "SELECT COUNT(*) FROM people",
        "SELECT age, COUNT(*) FROM people WHERE age < 40 GROUP BY age",
        "SELECT region, age, COUNT(*) FROM people GROUP BY region, age",
    ):
        [cells] = curator.plan(sql, "1/100", analyst="ann").cells()
        answer = curator.release(sql, "1/100", analyst="ann")
        assert cells == [row["label"] for row in answer.to_dict()["rows"]]


def test_costs_that_are_nothing_take_no_share():
    resolved = [resolve(parse_sql("SELECT COUNT(*) FROM people", Policy({"people": ROW})), ROW)]
    calibration = calibrate(resolved, parse_cost("1"))
    nothing = {"people": Cost(Fraction(0))}
    assert warnings(resolved, calibration, Cost(), nothing, nothing) == ()


def test_a_small_rho_that_changes_the_rule_is_warned_of_by_what_it_leaves():
    unit, budget = "row", "epsilon=6, delta=1e-6, composition=tighter"
    with Curator({"age": [1, 2]}, unit=unit, budget=budget, bounds={"age": (0, 9)}) as curator:
        sql = "SELECT COUNT(*) FROM people"
        curator.release(sql, epsilon=1)
        plan = curator.plan(sql, rho="1/1000")
        [said] = plan.warnings
        assert said.kind == "spend"
        assert "epsilon 5 before, rho at least 0.147" in said.words
        assert "Left after: people rho at least 0.147" in plan.answer().headline
        with pytest.warns(DoubtfulRelease):
            curator.release(sql, rho="1/1000")
        assert curator.ledger.state().accounts("people", "curator")[0] == plan.after


def test_noise_that_seldom_shows_is_not_called_exact():
    with Curator({"age": [1]}, unit="row", budget=100, bounds={"age": (0, 9)}) as curator:
        said = curator.plan("SELECT COUNT(*), SUM(age) FROM people", epsilon=10).explain()
    assert "count: the true value, with probability at least 95%" in said
    assert "exact" not in said


@pytest.mark.parametrize(
    ("condition", "between"),
    [
        ("age >= 31 AND age <= 34", True),
        ("age > 30 AND age < 35", True),
        ("age >= 31 AND age <= 36", False),
        ("age = 30", False),
        ("age = 33", True),
        ("age IN (31, 61)", False),
        ("region = 'north'", False),
    ],
)
def test_a_median_of_values_between_two_neighbours_of_the_grid(condition, between):
    """No value of the grid is better than another there: so say query and policy alone."""
    age = replace(ROW.columns["age"], grid=tuple(map(Fraction, range(0, 101, 5))))
    coarse = replace(ROW, columns={**ROW.columns, "age": age})
    one = resolve(parse_sql(f"SELECT MEDIAN(age) FROM people WHERE {condition}", coarse), coarse)
    found = warnings([one], calibrate([one], cost := Cost(Fraction(50))), cost, {}, {})
    assert [each.kind for each in found if "any value of the grid" in each.words] == (
        ["noise"] if between else []
    )
    stored = {"cells": None, "values": [[13]]}
    context = AnswerContext(coarse, cost, cost)
    answer = QueryAnswer.of(one, calibrate([one], cost), stored, context)
    assert any("any value of the grid" in note for note in answer.fields()["notes"]) == between
