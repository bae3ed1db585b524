"""A curator straight from a data frame: what a policy file declares is given as arguments."""

import gc
import subprocess
import sys
from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest

import twoworlds as tw
from twoworlds.errors import DoubtfulRelease, InvalidInput
from twoworlds.release import Curator, OverBudget, parse_policy
from twoworlds.release.policy import declare

TABLE = {
    "region": ["north", "south", "north", None] * 50,
    "age": [31, 64, 57, float("nan")] * 50,
    "income": [100.5, 200.25, 1e9, 3] * 50,
    "patient": [1, 1, 2, 3] * 50,
}
KEYS, BOUNDS = {"region": ["north", "south"]}, {"age": (0, 110), "income": (0, 1000)}
DECLARED = {"budget": 10_000, "unit": "row", "keys": KEYS, "bounds": BOUNDS}
BY_REGION = "SELECT region, COUNT(*), COUNT(age), SUM(income) FROM people GROUP BY region"


def pandas_frame():
    return pytest.importorskip("pandas").DataFrame(TABLE)


def frames():
    yield "dict", lambda: TABLE
    yield "pandas", pandas_frame
    yield "polars", lambda: pytest.importorskip("polars").DataFrame(TABLE, strict=False)
    yield "pyarrow", lambda: pytest.importorskip("pyarrow").Table.from_pandas(pandas_frame())


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in frames()])
def test_every_kind_of_frame_answers_alike(make):
    with Curator(make(), **DECLARED) as curator:
        found = curator.release(BY_REGION, epsilon=5000)
    assert [row["region"] for row in found.rows()] == ["north", "south"]
    # So little noise that the answer is the truth: NaN and None are missing, 10^9 counts as 1000.
    assert [row["count"] for row in found.rows()] == [100, 50]
    assert [row["count_age"] for row in found.rows()] == [100, 50]
    assert [row["sum_income"] for row in found.rows()] == pytest.approx(
        [50 * 1100.5, 50 * 200.25], abs=20
    )


def test_the_arguments_declare_what_a_policy_file_would():
    text = """
datasets:
  people:
    neighbours: substitute
    unit: {person: patient, rows: 3, groups: 2}
    version: "2026"
    columns:
      patient: {kind: integer}
      region: {kind: text, keys: [north, south]}
      age: {kind: integer, bounds: [0, 110], missing: 0}
      born: {kind: date, keys: [2020-01-31]}
      share: {kind: number, bounds: [0, 0.1]}
      smoker: {kind: boolean, keys: ["true", "false"]}
    budget: epsilon=3, delta=1e-6
"""
    given = declare(
        "people",
        budget={"epsilon": 3, "delta": 1e-6},
        unit={"person": "patient", "rows": 3, "groups": 2},
        neighbours="substitute",
        version="2026",
        keys={"region": ("north", "south"), "born": [date(2020, 1, 31)], "smoker": [True, False]},
        bounds={"age": range(0, 111, 110), "share": (0, 0.1)},
        columns={"patient": {"kind": "integer"}, "age": {"kind": "integer", "missing": 0}},
    )
    assert given.dataset("people") == parse_policy(text).dataset("people")
    assert given.dataset("people").column("share").high == Fraction(1, 10)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"budget": None}, "such as budget=3"),
        ({"unit": None}, 'columns={"patient": {"kind": "integer"}}'),
        ({"unit": "person"}, "not unit='person': unit=\"row\" if every row is another person"),
        ({"unit": {"person": "patient"}}, "the number of their rows that a query may use"),
        ({"keys": None, "bounds": None}, "nothing is read off the data"),
        ({"bounds": {"age": (0, float("nan"))}}, "bounds='nan' is not a number"),
        ({"bounds": {"age": (0, float("inf"))}}, "age"),
        ({"bounds": {"age": (5, 1)}}, r"bounds must be \[smallest, largest\]"),
        ({"bounds": {"age": (1,)}}, r"bounds must be \[smallest, largest\]"),
        ({"keys": {"region": ["a", "a"]}}, "a key is given twice"),
        ({"budget": "much"}, "budget: epsilon='much' is not a number"),
        ({"columns": {"ward": {}}}, "name the kind of 'ward'"),
        ({"columns": {"age": {"bounds": (0, 1)}}}, "bounds of 'age' are given twice"),
        ({"columns": {"age": {"bound": (0, 1)}}}, "unknown field 'bound': did you mean 'bounds'"),
        ({"unit": {"person": "patient", "rows": 2}}, "'patient' identifies a person and is not"),
        ({"neighbours": "close"}, "say add-remove or substitute"),
    ],
)
def test_what_is_missing_or_wrong_is_refused_with_what_to_give(changed, said):
    with pytest.raises(tw.InvalidInput, match=said):
        Curator(TABLE, **{**DECLARED, **changed})


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT ward, COUNT(*) FROM people GROUP BY ward", "known: age, income, region"),
        ("SELECT SUM(height) FROM people", "known: age, income, region"),
        ("SELECT age, COUNT(*) FROM people GROUP BY age", "keys"),
        ("SELECT SUM(region) FROM people", "region"),
        ("SELECT COUNT(*) FROM others", "others"),
    ],
)
def test_what_is_not_declared_cannot_be_asked(query, said):
    table = {**TABLE, "ward": ["a"] * 200, "height": [1.8] * 200}
    with Curator(table, **DECLARED) as curator:
        with pytest.raises(tw.InvalidInput, match=said):
            curator.release(query, epsilon=1)
        assert str(curator.ledger.left("people")) == "epsilon=10000"


def test_lists_of_different_lengths_are_no_table():
    with pytest.raises(tw.InvalidInput, match="different lengths"):
        Curator({"age": [1, 2], "income": [1]}, budget=1, unit="row", bounds={"age": (0, 1)})


def test_the_budget_is_spent_and_then_refused():
    with Curator(TABLE, **{**DECLARED, "budget": 1}) as curator:
        curator.release("SELECT COUNT(*) FROM people", epsilon="0.6")
        with pytest.raises(OverBudget, match="nothing was charged"):
            curator.release("SELECT SUM(age) FROM people", epsilon="0.6")
        assert curator.plan("SELECT SUM(age) FROM people", epsilon="2/5").price.epsilon == (
            Fraction(2, 5)
        )


def test_a_ledger_outlives_the_curator_and_none_does_not(tmp_path):
    asked = "SELECT COUNT(*) FROM people"
    found = []
    for _ in range(2):
        with Curator(TABLE, tmp_path / "ledger.db", **{**DECLARED, "budget": 1}) as curator:
            found.append(curator.release(asked, epsilon=1).rows())
            with pytest.raises(OverBudget):
                curator.release("SELECT SUM(age) FROM people", epsilon=1)
    assert found[0] == found[1]  # the stored answer
    with Curator(TABLE, **{**DECLARED, "budget": 1}) as curator:
        folder = curator.ledger.location.path.parent
        curator.release(asked, epsilon=1)
        assert folder.is_dir()
    assert not folder.exists()


def test_a_curator_that_is_forgotten_leaves_nothing_behind():
    curator = Curator(TABLE, **DECLARED)
    folder = Path(curator.ledger.location.path).parent
    del curator
    gc.collect()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({}, "say what to spend: epsilon=1"),
        ({"delta": "1e-6"}, "say what to spend: epsilon=1"),
        ({"cost": 1, "epsilon": 1}, "the cost is given twice, also as epsilon"),
        ({"epsilon": -1}, "negative"),
        ({"epsilon": float("nan")}, "not a number"),
        ({"epsilon": 1, "rho": 1}, "either epsilon"),
    ],
)
def test_the_cost_is_given_once_and_by_its_name(named, said):
    with Curator(TABLE, **DECLARED) as curator, pytest.raises(tw.InvalidInput, match=said):
        curator.release("SELECT COUNT(*) FROM people", **named)


def test_a_cost_by_name_is_the_cost_in_a_text():
    budget = "epsilon=30, delta=1e-6, composition=tighter"
    asked = "SELECT COUNT(*) FROM people"
    with Curator(TABLE, **{**DECLARED, "budget": budget}) as curator:
        for text, named, noise in (
            (
                "epsilon=1, delta=1e-9",
                {"epsilon": 1, "delta": 1e-9, "noise": "gaussian"},
                "gaussian",
            ),
            ("rho=1/8", {"rho": "1/8"}, "gaussian"),
            ("ln 3", {"epsilon": tw.number("ln 3")}, "laplace"),
        ):
            by_text = curator.plan(asked, text, noise=noise)
            assert curator.plan(asked, **named).calibration == by_text.calibration


def test_a_policy_leaves_no_room_for_declarations():
    policy = declare("people", budget=1, unit="row", bounds={"age": (0, 110)})
    with Curator(policy, sources={"people": pandas_frame()}) as curator:
        assert len(curator.release("SELECT COUNT(*) FROM people", epsilon=1).rows()) == 1
    with pytest.raises(tw.InvalidInput, match="leave the declarations out"):
        Curator(policy, budget=1)


def test_the_way_out_of_a_missing_unit_works_when_it_is_followed():
    with pytest.raises(tw.InvalidInput) as refused:
        Curator({"patient": [1, 1, 2]}, budget=3)
    said = str(refused.value)
    for part in (
        'unit={"person": "patient", "rows": 3}',
        'columns={"patient": {"kind": "integer"}}',
    ):
        assert part in said
    declared = {"unit": {"person": "patient", "rows": 3}}
    declared["columns"] = {"patient": {"kind": "integer"}}
    with Curator({"patient": [1, 1, 2]}, budget=3, **declared) as curator:
        assert curator.release("SELECT COUNT(*) FROM people", epsilon=1).rows()


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"keys": {"region": "north"}}, "keys of 'region' must be a list, not 'north'"),
        ({"bounds": {"age": "0110"}}, r"bounds={'age': \(0, 100\)}"),
        ({"bounds": {"age": 110}}, "bounds of 'age' must be a list, not 110"),
        ({"keys": {"regoin": ["north"]}}, "unknown column 'regoin': did you mean 'region'"),
    ],
)
def test_a_declaration_that_means_something_else_is_refused_before_anything_is_paid(
    tmp_path, given, part
):
    with pytest.raises(tw.InvalidInput, match=part):
        Curator(TABLE, tmp_path / "ledger.db", budget=1, unit="row", **given)
    assert not (tmp_path / "ledger.db").exists()


def test_a_column_of_another_kind_is_warned_of_and_decides_no_refusal():
    words = "column 'region' of 'people' is declared number, and its table has text"
    declared = {"budget": 1, "unit": "row", "bounds": {"region": (0, 1)}}
    with pytest.warns(DoubtfulRelease, match=words), Curator(pandas_frame(), **declared) as one:
        one.release("SELECT SUM(region) FROM people", epsilon=1)


def test_a_budget_in_memory_is_said_to_end_with_its_curator(tmp_path):
    asked, said = "SELECT COUNT(*) FROM people", "This budget ends with its curator"
    with Curator(TABLE, **DECLARED) as curator:
        found = str(curator.release(asked, epsilon=1))
        assert said in found
        assert "Left: people epsilon 9999. " in found  # nobody is named curator here
    with Curator(TABLE, tmp_path / "ledger.db", **DECLARED) as curator:
        assert said not in str(curator.release(asked, epsilon=1))


def test_a_closed_curator_and_a_policy_for_data_are_refused_with_the_way_out():
    with Curator(TABLE, **DECLARED) as curator:
        pass
    with pytest.raises(InvalidInput, match="this Curator is closed: open another one"):
        curator.release("SELECT COUNT(*) FROM people", epsilon=1)
    with pytest.raises(InvalidInput, match=r"open it with Curator.open\('policy.yml'\)"):
        Curator("policy.yml")


def test_the_first_refusal_of_bare_data_names_all_that_is_to_be_declared():
    with pytest.raises(InvalidInput, match=r"budget=3, .*unit=\"row\", .*bounds=.* keys="):
        Curator({"age": [31, 64]})


def test_a_curator_names_its_datasets():
    with Curator({"age": [31]}, budget=1, unit="row", bounds={"age": (0, 110)}) as curator:
        assert repr(curator) == "<Curator of people>"


def test_a_child_that_ends_leaves_the_budget_in_memory_to_its_parent():
    """In a process of its own, which has no threads when it forks."""
    script = """
import os, sys, twoworlds as tw
curator = tw.Curator({"age": [1, 2]}, budget=3, unit="row", bounds={"age": (0, 9)})
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
assert curator.ledger.spent("people").epsilon == 0
curator.strategy("people", 1)
folder = curator.ledger.location.path.parent
curator.close()
assert not folder.exists()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
