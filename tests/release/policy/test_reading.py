from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.sources import place_of
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
        (dataset(columns="{x: {kind: integer, bounds: [0, 0.5]}}"), "not a whole multiple"),
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
        (dataset(analysts='{"a\\u200Bnn": epsilon=1}'), "letters that can be seen"),
        (dataset(analysts='{" ": epsilon=1}'), "letters that can be seen"),
        (dataset(analysts="{ann: epsilon=1, Ann: epsilon=1}"), "look the same"),
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
        (
            "datasets:\n  people: {unit: row\n  version: 1\n",
            "not YAML: line 3, column 10: expected",
        ),
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


def two(one, other):
    """A policy whose two datasets have these sources."""
    policy = dataset(source=one)
    return policy + policy.replace("datasets:\n  people:", "  others:").replace(one, other)


PG = "postgresql://ann:secret@db.example.org/clinic"
SAME = [
    ("people.parquet", "people.parquet"),
    ("people.parquet", "./people.parquet"),
    ("people.parquet", "elsewhere/../people.parquet"),
    ("people.parquet", "linked.parquet"),
    ("people.parquet", "elsewhere/hard.parquet"),
    ("people.parquet", "{spark: people.parquet}"),
    ("parts", "parts/"),
    ("parts", "{spark: parts}"),
    ("parts", "parts/1.parquet"),
    ("missing.parquet", "elsewhere/../missing.parquet"),
    ("{duckdb: a.duckdb, table: people}", "{table: people, duckdb: ./a.duckdb}"),
    ("{duckdb: a.duckdb, table: people}", "{duckdb: a.duckdb, table: PEOPLE, schema: main}"),
    ("{duckdb: a.duckdb, table: people}", "{duckdb: a.duckdb, table: main.people}"),
    ("{duckdb: a.duckdb, table: people}", "{duckdb: a.duckdb, table: people, schema: a}"),
    ("{sqlite: a.db, table: people}", "{sqlite: ./a.db, table: main.People}"),
    ("{spark: people}", "{spark: spark_catalog.default.People}"),
    (f"{{postgresql: '{PG}', table: people}}", f"{{table: people, postgresql: '{PG}'}}"),
    (f"{{postgresql: '{PG}', table: people}}", f"{{postgresql: '{PG}', table: public.people}}"),
    (f"{{postgresql: '{PG}', table: people}}", f"{{postgresql: '{PG}', table: ann.people}}"),
    (
        f"{{postgresql: '{PG}', table: people}}",
        f"{{postgresql: '{PG}', table: people, schema: public}}",
    ),
    (
        f"{{postgresql: '{PG}', table: people}}",
        "{postgresql: 'dbname=clinic port=5432 user=bob host=DB.example.org', table: people}",
    ),
    (
        f"{{postgresql: '{PG}?sslmode=require&application_name=a', table: people}}",
        "{postgresql: 'postgres://ann:other@db.example.org:5432/clinic', table: people}",
    ),
    (
        "{postgresql: 'host=localhost dbname=clinic user=ann', table: people}",
        "{postgresql: 'host=/var/run/postgresql dbname=clinic user=ann', table: people}",
    ),
    (
        "{mysql: 'mysql://ann:x@db/clinic', table: people}",
        "{mysql: 'mariadb://bob@DB:3306', table: people, schema: clinic}",
    ),
    # Two servers of one kind may be one, under two names.
    (f"{{postgresql: '{PG}', table: people}}", f"{{postgresql: '{PG}2', table: people}}"),
    (f"{{postgresql: '{PG}', table: people}}", f"{{postgresql: '{PG}', table: People}}"),
    (
        "{postgresql: 'host=localhost port=5432 dbname=clinic', table: people}",
        "{postgresql: 'host=localhost port=5433 dbname=clinic', table: people}",
    ),
]
APART = [
    ("people.parquet", "others.parquet"),
    ("parts", "people.parquet"),
    ("{duckdb: a.duckdb, table: people}", "{duckdb: a.duckdb, table: others}"),
    ("{duckdb: a.duckdb, table: people}", "{duckdb: b.duckdb, table: people}"),
    ("{duckdb: a.duckdb, table: people}", "{duckdb: a.duckdb, table: people, schema: old}"),
    (
        f"{{postgresql: '{PG}', table: people, schema: public}}",
        f"{{postgresql: '{PG}', table: people, schema: old}}",
    ),
    (
        "{mysql: 'mysql://ann@db/clinic', table: people, schema: clinic}",
        "{mysql: 'mysql://ann@db/school', table: people, schema: school}",
    ),
]


POLICY_WITH_PUBLIC = """
datasets:
  people:
    source: {}
    neighbours: add-remove
    unit: row
    budget: epsilon=1
    columns: {{a: {{kind: integer}}}}
    public:
      t: {{source: {}, key: a, columns: {{b: {{kind: text, keys: [x]}}}}}}
"""


@pytest.fixture
def files(tmp_path):
    for name in ("elsewhere", "parts"):
        (tmp_path / name).mkdir()
    for name in ("people.parquet", "others.parquet", "parts/1.parquet", "a.duckdb", "b.duckdb"):
        (tmp_path / name).touch()
    (tmp_path / "linked.parquet").symlink_to("people.parquet")
    (tmp_path / "elsewhere" / "hard.parquet").hardlink_to(tmp_path / "people.parquet")
    return tmp_path


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_table_has_one_budget_however_it_is_spelled(files, one, other):
    for pair in ((one, other), (other, one)):
        with pytest.raises(InvalidInput, match="people and others have the same source") as error:
            parse_policy(two(*pair), folder=files)
        assert "secret" not in str(error.value)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_table_of_people_is_not_public_as_well(files, one, other):
    with pytest.raises(InvalidInput, match="public table t has the source of people, which is"):
        parse_policy(POLICY_WITH_PUBLIC.format(one, other), folder=files)


@pytest.mark.parametrize("table", ["people", "{table: People}", "main.people"])
def test_a_public_table_by_its_name_is_looked_for_beside_the_people(files, table):
    people = "{duckdb: a.duckdb, table: people}"
    with pytest.raises(InvalidInput, match="which is protected"):
        parse_policy(POLICY_WITH_PUBLIC.format(people, table), folder=files)
    parse_policy(POLICY_WITH_PUBLIC.format(people, "others"), folder=files)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("postgresql://ann:a@DB:5432/c?sslmode=require", "postgres://bob@db/c", True),
        ("postgresql://ann@db:5432/c", "host=DB port=5432 dbname=c password='x y'", True),
        ("postgresql://ann@db:5433/c", "postgresql://ann@db:5432/c", False),
        ("postgresql://ann@db/c", "postgresql://ann@db/d", False),
        ("postgresql://ann@db/c", "postgresql://ann@db2/c", False),
        ("postgresql:///c?host=/var/run", "host=/var/run dbname=c", True),
        ("postgresql://[", "host='", True),  # nothing is told of what cannot be read
    ],
)
def test_the_place_of_a_table_on_a_server_is_its_address(one, other, same):
    here, there = (
        place_of({"postgresql": address, "table": table}, Path(), None)
        for address, table in ((one, "People"), (other, "people"))
    )
    assert (here == there) is same
    schema = place_of({"postgresql": one, "table": "s.people"}, Path(), None)
    assert schema == f"{here}/s"


@pytest.mark.parametrize(("one", "other"), APART)
def test_other_tables_have_budgets_of_their_own(files, one, other):
    assert len(parse_policy(two(one, other), folder=files).datasets) == 2


@pytest.mark.parametrize(
    "odd", ['"a\\0b"', "[a, b]", "{duckdb: [a], table: {}}", "{mysql: 'mysql://[', table: t}"]
)
def test_a_source_that_cannot_be_opened_is_no_reason_to_fall_over(files, odd):
    parse_policy(two("people.parquet", odd), folder=files)
