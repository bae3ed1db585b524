from datetime import date
from fractions import Fraction

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.release.budget import parse_cap
from twoworlds.release.policy import parse_policy, read_policy

WHOLE = """
ledger: ledger.db
mark: elsewhere/ledger.mark
datasets:
  people:
    source: people.parquet
    neighbours: substitute
    unit: {person: patient, rows: 3, groups: 2}
    version: 2026-01
    columns:
      patient: {kind: integer}
      region: {kind: text, keys: [no, yes, 01]}
      age: {kind: integer, bounds: [0, 110], bins: [0, 18, 110], grid: {step: 10}}
      income: {kind: number, bounds: [0, 100.5], unit: 0.1, missing: 0.1}
      ill: {kind: boolean, keys: [true, false]}
      born: {kind: date, keys: [2001-01-31]}
    public:
      regions: {source: regions.parquet, key: code, columns: {zone: {kind: text, keys: [a, b]}}}
    budget: {epsilon: 0.1, delta: 1e-6}
    analysts: {ann: epsilon=1}
"""


def dataset(**changes):
    fields = {
        "neighbours": "add-remove",
        "unit": "row",
        "columns": "{age: {kind: integer, bounds: [0, 110]}}",
        "budget": "epsilon=1",
    } | changes
    lines = "".join(f"    {name}: {value}\n" for name, value in fields.items() if value is not None)
    return f"datasets:\n  people:\n{lines}"


def column(text):
    policy = parse_policy(dataset(columns=f"{{x: {text}}}"))
    return policy.dataset("people").column("x")


def test_every_field_is_read_exactly():
    policy = parse_policy(WHOLE)
    people = policy.dataset("people")
    assert (policy.ledger, policy.mark) == ("ledger.db", "elsewhere/ledger.mark")
    assert (people.source, people.neighbours, people.version) == (
        "people.parquet",
        "substitute",
        "2026-01",
    )
    assert (people.unit.person, people.unit.rows, people.unit.groups) == ("patient", 3, 2)
    assert people.column("region").keys == ("no", "yes", "01")
    assert people.column("income").unit == people.column("income").fill == Fraction(1, 10)
    assert people.column("income").high == Fraction(201, 2)
    assert people.column("age").grid == tuple(Fraction(10 * i) for i in range(12))
    assert people.column("ill").keys == (True, False)
    assert people.column("born").keys == (date(2001, 1, 31),)
    assert people.column("regions.zone").keys == ("a", "b")
    assert people.cap == parse_cap("epsilon=1/10, delta=1e-6")
    assert people.analysts == {"ann": parse_cap("epsilon=1")}


def test_a_number_without_a_unit_gets_a_power_of_ten_from_its_bounds_alone():
    assert column("{kind: number, bounds: [0, 1]}").unit == Fraction(1, 10**6)
    assert column("{kind: number, bounds: [0, 200000]}").unit == Fraction(1, 10)
    assert column("{kind: number, bounds: [0, 0.0000001]}").unit == Fraction(1, 10**13)
    assert column("{kind: integer, bounds: [0, 200000]}").unit == 1


def test_a_person_is_in_as_many_groups_as_rows_unless_said():
    policy = parse_policy(dataset(unit="{person: age, rows: 3}"))
    assert policy.dataset("people").unit.groups == 3


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "datasets"),
        ("datasets:", "datasets"),
        ("datasets: {}", "at least one"),
        ("datasets: [people]", "fields"),
        ("datasets: {people: 3}", "fields"),
        ("data: {}", "unknown field 'data': did you mean 'datasets'"),
        (dataset() + "ledger: [a]\n", "one text"),
        (dataset(neighbours=None), "neighbours is missing"),
        (dataset(neighbours="nobody"), "add-remove or substitute"),
        (dataset(unit=None), "unit: row"),
        (dataset(unit="people"), "unit: row"),
        (dataset(unit="{rows: 2}"), "person is missing"),
        (dataset(unit="{person: age}"), "rows is missing"),
        (dataset(unit="{person: nobody, rows: 1}"), "not declared"),
        (dataset(unit="{person: age, rows: 0}"), "1 or more"),
        (dataset(unit="{person: age, rows: 1.5}"), "whole number"),
        (dataset(unit="{person: age, rows: 2, cols: 2}"), "unknown field 'cols'"),
        (dataset(columns="{x: {bounds: [0, 1]}}"), "kind is missing"),
        (dataset(columns="{x: {kind: float}}"), "unknown kind 'float'"),
        (dataset(columns="{x: {kind: text, bounds: [0, 1]}}"), "bounds is for numbers"),
        (dataset(columns="{x: {kind: text, keys: [a, a]}}"), "twice"),
        (dataset(columns="{x: {kind: text, keys: a}}"), "must be a list"),
        (dataset(columns="{x: {kind: integer, bounds: [1, 0]}}"), "[smallest, largest]"),
        (dataset(columns="{x: {kind: integer, bounds: [0]}}"), "[smallest, largest]"),
        (dataset(columns="{x: {kind: integer, bounds: [0, many]}}"), "many"),
        (dataset(columns="{x: {kind: integer, bounds: [0, nan]}}"), "nan"),
        (dataset(columns="{x: {kind: integer, bounds: [0, 0.5]}}"), "no whole multiple"),
        (dataset(columns="{x: {kind: number, bounds: [0, 1], unit: 0}}"), "positive"),
        (dataset(columns="{x: {kind: integer, bins: [3, 2]}}"), "ascending"),
        (dataset(columns="{x: {kind: integer, grid: {step: 0, from: 0, to: 1}}}"), "positive step"),
        (dataset(columns="{x: {kind: integer, grid: {step: 1}}}"), "from, to"),
        (dataset(columns="{x: {kind: integer, grid: {step: 1, from: 0, to: 1e9}}}"), "at most"),
        (dataset(columns="{x: {kind: boolean, keys: [maybe]}}"), "true and false"),
        (dataset(columns="{x: {kind: date, keys: [yesterday]}}"), "2026-01-31"),
        (dataset(budget="epsilon=-1"), "negative"),
        (dataset(budget="epsilon=nan"), "budget"),
        (dataset(budget="[1]"), "such as epsilon=1"),
        (dataset(analysts="{ann: lots}"), "ann"),
        (dataset(public="{r: {key: a}}"), "source is missing"),
        (dataset(public="{r: {source: a.parquet}}"), "key is missing"),
        (dataset(public="{a.b: {source: a.parquet, key: k}}"), "dot in its name"),
        (
            dataset(
                columns="{r.z: {kind: text}}",
                public="{r: {source: a.parquet, key: k, columns: {z: {kind: text}}}}",
            ),
            "may be of the dataset",
        ),
        (dataset() + "  people: {}\n", "twice"),
        ("datasets: {people: {neighbours: [", "not YAML"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, part):
    with pytest.raises(InvalidInput) as caught:
        parse_policy(text)
    assert part in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_policy_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_policy(tmp_path / "none.yml")
    (tmp_path / "latin.yml").write_bytes(b"datasets: \xff")
    with pytest.raises(InvalidInput, match="UTF-8"):
        read_policy(tmp_path / "latin.yml")


def test_one_table_has_one_budget():
    one = dataset(source="people.parquet")
    two = one + one.replace("datasets:\n", "").replace("people:", "others:")
    with pytest.raises(InvalidInput, match="one budget"):
        parse_policy(two)


def test_relative_paths_start_at_the_policy(tmp_path):
    (tmp_path / "policy.yml").write_text(WHOLE)
    assert read_policy(tmp_path / "policy.yml").folder == tmp_path
