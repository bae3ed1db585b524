"""Failure 15: injection and odd names, on DuckDB and SQLite."""

import json
import subprocess
import sys

import pytest

from tests.release.failures.worlds import (
    asked,
    duckdb_file,
    exact,
    imported,
    opened,
    parquet,
    policy_text,
    sqlite_file,
    table,
)
from twoworlds.errors import InvalidInput
from twoworlds.release import Curator, Query, certify, check_certificate, column, parse_policy
from twoworlds.release.answers.answer import table as table_of

NAMES = [
    "O'Brien",
    'say "so"',
    "a; DROP TABLE people; --",
    "x'); DELETE FROM people; --",
    "two\nlines\tand tabs",
    "back\\slash",
    "ünïcödé 人 🂡",
    "SELECT",
    "a.b",
    "%s {0} $1 ? :x",
    "[red]rich[/red]",
    "/* comment",
    "c0",
    "shared_rows",
    " spaces ",
]


def quoted(name):
    return json.dumps(name, ensure_ascii=False)  # YAML reads it so


def engines(folder, rows, names, called):
    form = {"names": names, "types": ("string", "float64")}
    return {
        "arrow": lambda: table(rows, **form),
        "parquet": lambda: parquet(folder / "p.parquet", rows, **form),
        "imported": lambda: imported(folder / "p.csv", rows, names),
        "duckdb": lambda: duckdb_file(folder / "p.duckdb", rows, called, **form),
        "sqlite": lambda: sqlite_file(folder / "p.db", rows, names, called=called),
    }


def check_odd(folder, name, engine):
    """Use one odd name for the dataset, a column, the table, a key and an analyst at once."""
    rows = [(name, 1.5), (name, 2.0), ("other", 4.0), (None, 8.0)]
    analyst = " ".join(name.split())  # who signs has a name without blanks that do not show
    source = engines(folder, rows, (name, f"{name} too"), name)[engine]()
    text = policy_text(
        f"{{{quoted(name)}: {{kind: text, keys: [{quoted(name)}, b]}}, "
        f"{quoted(name + ' too')}: {{kind: number, bounds: [0, 100], unit: 0.5}}}}",
        name=quoted(name),
        analysts=f"{{{quoted(analyst)}: epsilon=100}}",
    )
    with Curator.open(parse_policy(text, folder=folder), sources={name: source}) as curator:
        query = Query(name).where(column(name) == name).by(name).count().sum(f"{name} too")
        released = curator.release_all([query], "1", analyst=analyst)
        [answer] = released.answers
        assert exact(answer, "count") == [2]  # of the keys, the condition leaves one
        assert [row[name] for row in answer.rows()] == [name]
        assert answer.estimates[0][1].value == 3.5
        everyone = curator.release(Query(name).count(), "1", analyst=analyst)
        assert exact(everyone, "count") == [4]  # nothing was dropped
        assert check_certificate(json.loads(json.dumps(certify(released)))).holds
        for said in (str(answer), answer.explain(), answer._repr_html_()):
            assert said
        assert "<script>" not in answer._repr_html_()


@pytest.mark.few(3)
@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
def test_failure_15_a_name_is_a_name_whatever_it_holds(tmp_path, noiseless, name, engine):
    check_odd(tmp_path, name, engine)


@pytest.mark.parametrize("engine", ["arrow", "parquet", "imported"])
def test_failure_15_a_name_of_a_column_in_a_file_is_a_name(tmp_path, noiseless, engine):
    check_odd(tmp_path, "a'\"; DROP TABLE people; --", engine)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "name",
    [
        "it's.parquet",
        'say "so".parquet',
        "a; DROP TABLE x; --.parquet",
        "[abc]*?.parquet",
        "人 🂡.parquet",
        "two\nlines.parquet",
        "back\\slash.parquet",
        "{a,b}.parquet",
        "x=1/p.parquet",
    ],
)
def test_failure_15_a_name_of_a_file_is_a_name(tmp_path, noiseless, name):
    parquet(tmp_path / name, [("a", 1.0)])
    decoy = [("a", 50.0)] * 7
    for other in ("a.parquet", "b.parquet", "[abc]xy.parquet", "axy.parquet"):
        parquet(tmp_path / other, decoy)
    answer = asked(tmp_path, name, "SELECT COUNT(*), SUM(x) FROM people")
    assert (exact(answer, "count"), exact(answer, "sum_x")) == ([1], [1])


@pytest.mark.few(3)
@pytest.mark.parametrize("name", ["what?.csv", "it's.csv", "[a]*.csv", "two\nlines.csv"])
def test_failure_15_a_name_of_a_text_file_is_a_name(tmp_path, noiseless, name):
    source = imported(tmp_path / name, [("a", 1.0)])
    imported(tmp_path / "whatx.csv", [("a", 50.0)] * 7)
    answer = asked(tmp_path, source, "SELECT COUNT(*), SUM(x) FROM people")
    assert (exact(answer, "count"), exact(answer, "sum_x")) == ([1], [1])


INJECTIONS = [
    "SELECT COUNT(*) FROM people; DROP TABLE people",
    "SELECT COUNT(*) FROM people WHERE x = (SELECT MAX(x) FROM people)",
    "SELECT COUNT(*) FROM people UNION SELECT x FROM people",
    "SELECT COUNT(*) FROM read_csv('/etc/passwd')",
    "SELECT COUNT(*) FROM 'p.parquet'",
    "SELECT x FROM people",
    "SELECT MAX(x) FROM people",
    "SELECT COUNT(*) FROM people WHERE getenv('HOME') = 'x'",
    "SELECT COUNT(*) FROM people WHERE 1 / (x - 1) > 0",
    "SELECT COUNT(*) FROM people p JOIN people q ON p.k = q.k",
    "SELECT STRING_AGG(k, ',') FROM people",
    "SELECT COUNT(*) FROM people ORDER BY x LIMIT 1",
    "SELECT COUNT(*) FROM sqlite_master",
    "COPY people TO '/tmp/x'",
    "ATTACH 'x.db'",
    "PRAGMA table_info(people)",
    "SELECT k, COUNT(*) FROM people GROUP BY k HAVING COUNT(*) = 1",
    "SELECT COUNT(DISTINCT x) FROM people",
    "WITH p AS (SELECT 1) SELECT COUNT(*) FROM p",
    "SELECT error('x') FROM people",
]


def test_failure_15_sql_that_is_not_a_question_is_refused_unpaid(tmp_path):
    with opened(tmp_path, sqlite_file(tmp_path / "p.db", [("a", 1.0)])) as curator:
        for sql in INJECTIONS:
            with pytest.raises(InvalidInput):
                curator.release(sql, "1")
        assert curator.ledger.spent("people").epsilon == 0
        assert curator.release("SELECT COUNT(*) FROM people", "10").rows()


@pytest.mark.few(3)
@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
@pytest.mark.parametrize("value", ["' OR 1=1 --", "'; DROP TABLE people; --", "\\' OR 1=1 --", "%"])
def test_failure_15_a_value_in_a_condition_is_a_value(tmp_path, noiseless, engine, value):
    rows = [("a", 1.0), (value, 2.0), ("b", 4.0)]
    source = engines(tmp_path, rows, ("k", "x"), "people")[engine]()
    text = value.replace("'", "''")
    with opened(tmp_path, source) as curator:
        found = [
            exact(curator.release(f"SELECT COUNT(*) FROM people WHERE {condition}", "1"), "count")
            for condition in (f"k = '{text}'", f"k IN ('{text}', 'zz')", f"k <> '{text}'")
        ]
        assert found == [[1], [1], [2]]


@pytest.mark.parametrize("name", ["column_names", "columns", "index", "values", "shape", "schema"])
def test_failure_15_columns_called_like_parts_of_a_frame_are_columns(tmp_path, noiseless, name):
    import pandas

    frame = pandas.DataFrame({name: ["Alice", "Bob", "Bob"], "x": [1, 2, 3]})
    columns = f"{{x: {{kind: integer, bounds: [0, 100]}}, {name}: {{kind: text, keys: [Bob]}}}}"
    sql = f'SELECT "{name}", SUM(x) FROM people GROUP BY "{name}"'
    assert exact(asked(tmp_path, frame, sql, columns), "sum_x") == [5]


@pytest.mark.slow
def test_failure_15_odd_names_go_through_the_command_line(tmp_path):
    name = 'x\'; DROP TABLE "y"; --'
    parquet(tmp_path / "p.parquet", [(name, 1.0)], names=(name, "x"), types=("string", "float64"))
    (tmp_path / "policy.yml").write_text(
        policy_text(
            f"{{{quoted(name)}: {{kind: text, keys: [{quoted(name)}]}}}}",
            name=quoted(name),
            source="p.parquet",
            analysts=f"{{{quoted(name)}: epsilon=100}}",
        )
    )
    identifier = '"' + name.replace('"', '""') + '"'
    words = [
        *[sys.executable, "-m", "twoworlds", "release"],
        f"SELECT {identifier}, COUNT(*) FROM {identifier} GROUP BY {identifier}",
        *["--policy", str(tmp_path / "policy.yml"), "--epsilon", "50", "--analyst", name],
    ]
    shown = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert shown.returncode == 0, shown.stderr
    assert "DROP TABLE" in shown.stdout
    done = subprocess.run([*words, "--json"], capture_output=True, text=True, timeout=300)
    [row] = json.loads(done.stdout)["answers"][0]["rows"]
    assert row["values"]["count"]["value"]["exact"] == "1"
    assert list(row["group"]) == [name]


def test_failure_15_a_discovered_key_cannot_command_the_terminal(tmp_path, noiseless):
    """Discovered keys are the one thing that is shown as the data have it."""
    name = "x\x1b[2J\x1b]0;title\x07\r[red]<script>alert(1)</script>\nsecond"
    answer = asked(
        tmp_path,
        table([(name, 1.0)] * 500),
        "SELECT k, COUNT(*) FROM people GROUP BY DISCOVER(k)",
        cost="epsilon=1, delta=1e-6",
    )
    assert [row["k"] for row in answer.rows()] == [name]
    shown = [
        str(answer),
        answer._repr_html_(),
        *(cell for row in table_of(answer).rows for cell in row),
    ]
    assert not any(code in said for said in shown for code in "\x1b\x07\r")
    assert "<script>" not in answer._repr_html_()
