"""`twoworlds policy`: text files are imported, all faults are told, and named commands work."""

import json
import os
import re
import shlex
import sqlite3
import sys

import duckdb
import pytest

from tests.cli.calling import call
from twoworlds.errors import InvalidInput
from twoworlds.release import read_policy
from twoworlds.release.policy.examination import WARNING

TEXT = """patient,town,age
1,Bonn,34
1,"Bad
Tölz",200
2,Ulm,x

3,,
"""
POLICY = """
ledger: ledger.db
datasets:
  people:
    source: SOURCE
    neighbours: add-remove
    unit: {person: patient, rows: 1}
    columns:
      patient: {kind: integer}
      town: {kind: text, keys: [Bonn, Ulm]}
      age: {kind: integer, bounds: [0, 110]}
    public:
      towns: {source: PUBLIC, key: code, columns: {state: {kind: text, keys: [n, s]}}}
    budget: epsilon=1
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with a blank in its name, in which everything is."""
    place = tmp_path / "the data"
    place.mkdir()
    (place / "people.csv").write_text(TEXT, encoding="utf-8")
    (place / "towns.tsv").write_text("code\tstate\nBonn\tn\nUlm\ts\n", encoding="utf-8")
    monkeypatch.chdir(place)
    return place


def policy(folder, source="people.parquet", public="towns.parquet"):
    (folder / "policy.yml").write_text(POLICY.replace("SOURCE", source).replace("PUBLIC", public))


def plain(text):
    return " ".join(text.split())


def commands(said):
    return [shlex.split(command) for command in re.findall(r"`twoworlds (.*?)`", said)]


def test_a_new_policy_from_a_text_file_imports_it_and_reports_to_the_owner(capsys, folder):
    code, out, err = call(capsys, "policy", "new", "people.csv", "--kind", "age=integer")
    assert (code, err) == (0, "")
    assert plain(out).startswith(WARNING)
    assert "people: 4 rows" in out
    assert (
        "age: integer; 1 (25%) missing; 1 (25%) of another kind, which count as missing (line 5)"
        in plain(out)
    )
    assert "empty lines, which are no rows: 1, on line 6" in out
    text = (folder / "policy.yml").read_text()
    assert 'source: "people.parquet"' in text
    assert "age: {kind: integer, bounds: [LOW, HIGH]}" in text
    assert "Bonn" not in text
    assert "    unit: UNIT " in text
    with pytest.raises(InvalidInput, match="unit must say whose data is protected: 'unit: row' if"):
        read_policy("policy.yml")
    assert duckdb.sql("SELECT count(*), max(age) FROM 'people.parquet'").fetchall() == [(4, 200)]


def test_a_column_whose_values_repeat_like_an_identifier_is_named_to_the_owner(capsys, folder):
    rows = [f"{i // 2},{i % 7}" for i in range(200)]
    (folder / "people.csv").write_text("\n".join(["pid,age", *rows]))
    _, out, _ = call(capsys, "policy", "new", "people.csv", "--header")
    hint = "its 100 values repeat: if they tell people apart, name it as the unit"
    assert f"pid: integer; none missing; {hint} age: integer; none missing note" in plain(out)


def test_a_kind_that_most_values_have_is_named(capsys):
    _, out, _ = call(capsys, "policy", "new", "people.csv", "--header")
    assert "text because of 1 value (line 5): with --kind age=integer such values" in plain(out)


def test_a_record_never_becomes_a_name_in_the_policy(capsys, folder):
    (folder / "people.csv").write_text("Alice,1975\nBob,1980\n")
    code, _, err = call(capsys, "policy", "new", "people.csv")
    assert code == 2
    assert "--header" in err
    assert "--no-header" in err
    assert not (folder / "policy.yml").exists()
    assert not (folder / "people.parquet").exists()
    assert call(capsys, "policy", "new", "people.csv", "--no-header")[0] == 0
    text = (folder / "policy.yml").read_text()
    assert "column1: {kind: text" in text
    assert "Alice" not in text


class Terminal:
    """Standard input at which somebody sits."""

    def __init__(self, answer):
        self.answer = answer

    def isatty(self):
        return True

    def readline(self, *_):
        return self.answer


@pytest.mark.parametrize(("answer", "first"), [("y\n", "town"), ("n\n", "column1")])
def test_on_a_terminal_the_user_is_asked_about_names(capsys, folder, monkeypatch, answer, first):
    (folder / "people.csv").write_text("town,sick\nBonn,flu\nUlm,cold\n")
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    code, _, err = call(capsys, "policy", "new", "people.csv")
    assert code == 0
    assert "Are these the names of the columns?" in err
    assert f"{first}: {{kind: text" in (folder / "policy.yml").read_text()


@pytest.mark.parametrize("source", ["people.csv", "{spark: people.csv}"])
def test_a_policy_of_text_files_is_refused_with_commands_that_work(
    capsys, folder, monkeypatch, source
):
    """They are run from another folder."""
    policy(folder, source, "towns.tsv")
    monkeypatch.chdir(folder.parent)
    with pytest.raises(InvalidInput, match="is a text file") as caught:
        read_policy("the data/policy.yml")
    code, _, err = call(capsys, "policy", "check", "the data/policy.yml")
    assert code == 2
    assert str(caught.value) in err
    found = commands(err)
    assert len(found) == 2
    for command in found:
        code, out, err = call(capsys, *command)
        assert (code, err) == (0, "")
        assert "Next: write" in out
    policy(folder)
    code, out, err = call(capsys, "policy", "check", "the data/policy.yml", "--data")
    assert (code, err) == (0, "")
    assert "towns: 2 rows" in out


def test_a_release_from_a_text_file_is_refused_with_a_command_that_works(capsys, folder):
    policy(folder)
    text = (folder / "policy.yml").read_text()
    (folder / "policy.yml").write_text(
        re.sub("    source: .*\n", "", text).split("    public")[0] + "    budget: epsilon=1\n"
    )
    asked = ("SELECT COUNT(*) FROM people", "--epsilon", "1")
    code, _, err = call(capsys, "release", "people.csv", *asked)
    assert code == 2
    [command] = commands(err)
    assert call(capsys, *command)[0] == 0
    assert call(capsys, "release", "people.parquet", *asked)[0] == 0


def test_an_import_again_follows_the_policy_and_reports_all(capsys, folder):
    policy(folder)
    code, out, _ = call(capsys, "policy", "import", "people.csv", "--json")
    assert code == 0
    found = json.loads(out)["report"]
    assert found["warning"] == WARNING
    assert found["columns"]["town"]["outside_the_keys"]["most_frequent"] == [
        {"value": "Bad\nTölz", "rows": 1}
    ]
    assert found["columns"]["age"]["clamped"] == {
        "rows": 1,
        "share": {"exact": "1/4", "value": 0.25},
        "below": 0,
        "above": 1,
    }
    assert found["people"]["rows_dropped"]["rows"] == 1
    (folder / "people.csv").write_text(TEXT + "4,Ulm,7\n")
    code, out, _ = call(capsys, "policy", "import", "people.csv")
    assert (code, "people: 5 rows" in out) == (0, True)


def test_a_policy_without_a_ledger_is_not_called_faultless(capsys, folder):
    arguments = ("policy", "import", "--kind", "age=integer", "people.csv", "--header")
    policy(folder)
    call(capsys, *arguments, "--skip-unreadable")
    text = (folder / "policy.yml").read_text()
    (folder / "policy.yml").write_text(text.replace("ledger: ledger.db", ""))
    code, _, err = call(capsys, "policy", "check", "policy.yml")
    assert code == 2
    assert "the policy names no ledger: add 'ledger: ledger.db' to it" in err


def test_all_faults_of_a_policy_are_told_at_once(capsys, folder):
    call(capsys, "policy", "new", "people.csv", "first.yml", "--header")
    (folder / "policy.yml").write_text("""
ledgers: x
datasets:
  people:
    source: people.parquet
    neighbours: both
    colums: {}
    columns:
      patient: {kind: integer, bounds: [LOW, HIGH], bins: [3, 1]}
      town: {kind: number}
      age: {kind: whole}
      weight: {kind: number, bounds: [1, 2, 3]}
      sick: {kind: text, bounds: [0, 1], keys: KEYS}
    budget: epsilon=many
    analysts: {ann: nothing}
  visits:
    unit: row
    neighbours: substitute
""")
    code, out, err = call(capsys, "policy", "check", "policy.yml")
    assert (code, out) == (2, "")
    parts = [
        *["'ledgers'", "'colums'", "neighbours='both'", "unit must say", "patient: bins must be"],
        *[
            "patient: fill in bounds",
            "kind 'whole'",
            "weight: bounds must be",
            "sick: bounds is for numbers",
        ],
        *["sick: fill in keys", "people: budget", "analysts: ann"],
        *["column 'town' of 'people' is declared number", "'weight'", "'sick'"],
    ]
    for part in parts:
        assert part in err, part
    with pytest.raises(InvalidInput) as caught:
        read_policy("policy.yml")
    assert str(caught.value).count("\n") >= 11


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("new", "people.parquet", "--header"), "is not a text file"),
        (("new", "people.csv", "--kind", "age"), "COLUMN=KIND"),
        (("new", "people.csv", "--kind", "ages=integer"), "the declared column 'ages'"),
        (("new", "absent.csv"), "absent.csv cannot be read"),
        (("import", "people.parquet"), "is not a text file"),
        (("import", "people.csv", "--dataset", "persons"), "known: people"),
        (("import", "people.csv", "--public", "cities"), "public table 'cities'"),
        (("import", "people.csv", "--policy", "none.yml"), "none.yml"),
        (("import", "towns.tsv"), "does not name the declared column"),
    ],
)
def test_bad_input_is_refused_with_the_way_out(capsys, folder, arguments, part):
    policy(folder)
    if arguments[0] == "new":
        arguments = (*arguments, "--name", "people")
        (folder / "policy.yml").unlink()
    code, out, err = call(capsys, "policy", *arguments)
    assert (code, out) == (2, "")
    assert part in err
    assert sorted(one.name for one in folder.iterdir() if one.suffix != ".yml") == [
        "people.csv",
        "towns.tsv",
    ]


def test_a_policy_is_written_to_the_file_that_o_names(capsys, folder):
    code, out, _ = call(capsys, "policy", "new", "people.csv", "--header", "-o", "draft.yml")
    assert code == 0
    assert "draft.yml" in out
    assert "kind: integer" in (folder / "draft.yml").read_text()
    code, _, err = call(capsys, "policy", "new", "people.parquet", "a.yml", "-o", "b.yml")
    assert (code, err) == (
        2,
        "twoworlds: a.yml and -o b.yml are two names of one file: give one of them\n",
    )


@pytest.mark.parametrize(
    ("declared", "kind", "why"),
    [
        ("kind: number, bounds: [0, 1e15], unit: 1e-6", "sum", "2^62 units"),
        ("kind: number, bounds: [0, 1e-13]", "sum", "too many digits"),
        (
            "kind: integer, bounds: [0, 110], missing: 1/2",
            "sum",
            "not a whole multiple of the unit",
        ),
        ("kind: integer, bounds: [0, 110], grid: [200, 300]", "quantile", "no value of the grid"),
    ],
)
def test_declarations_on_which_every_query_is_refused_are_told(capsys, folder, declared, kind, why):
    call(capsys, "policy", "new", "people.csv", "first.yml", "--kind", "age=number")
    policy(folder)
    text = (folder / "policy.yml").read_text().replace("kind: integer, bounds: [0, 110]", declared)
    (folder / "policy.yml").write_text(text)
    code, _, err = call(capsys, "policy", "check", "policy.yml")
    assert code == 2
    assert f"people: every {kind} of age is refused" in err
    assert why in err


@pytest.mark.parametrize(
    ("old", "new", "doubts"),
    [
        ("", "", []),
        ("budget: epsilon=1", "budget: epsilon=100", ["the budget epsilon 100 is very large"]),
        ("budget: epsilon=1", "budget: epsilon=1, delta=0.5", ["is very large"]),
        ("budget: epsilon=1", "budget: epsilon=0", ["without a budget above 0"]),
        ("    budget: epsilon=1", "", ["without a budget above 0"]),
        ("[0, 110]", "[17, 17]", ["age: both bounds are 17"]),
        ("[0, 110]", "[0, 110], grid: [50]", ["age: every quantile is 50"]),
        (
            "budget: epsilon=1",
            "budget: epsilon=1\n    analysts: {ann: epsilon=5, bob: epsilon=1}",
            ["analyst ann may spend epsilon 5, for which the budget epsilon 1 has no room"],
        ),
    ],
)
def test_the_first_sentence_of_a_check_counts_the_doubts(capsys, folder, old, new, doubts):
    """Each of them gets a line; what is not doubtful gets none."""
    policy(folder)
    text = re.sub(
        "    source: people.parquet\n|    public:\n.*\n", "", (folder / "policy.yml").read_text()
    )
    (folder / "policy.yml").write_text(text.replace(old, new) if old else text)
    code, out, _ = call(capsys, "policy", "check", "policy.yml")
    said = f"it can be used, with {len(doubts)} doubt" if doubts else "nothing is wrong with it"
    assert (code, out.splitlines()[0].startswith(f"policy.yml: {said}")) == (0, True)
    assert out.count("Doubt: people: ") == len(doubts)
    for doubt in doubts:
        assert doubt in plain(out)


def test_a_check_says_whether_a_reviewer_must_approve_and_where_data_are_compared(capsys, folder):
    policy(folder)
    text = re.sub(
        "    source: people.parquet\n|    public:\n.*\n", "", (folder / "policy.yml").read_text()
    )
    (folder / "policy.yml").write_text(text)
    said = plain(call(capsys, "policy", "check", "policy.yml")[1])
    assert "--data compares keys and bounds with the values, too" in said
    assert "reviewer" not in said
    (folder / "policy.yml").write_text(f"{text}    review: true\n")
    said = plain(call(capsys, "policy", "check", "policy.yml")[1])
    assert "every release needs a reviewer's approval" in said


def test_a_pipe_is_refused_at_once(capsys, folder):
    os.mkfifo(folder / "people.parquet")
    policy(folder)
    code, _, err = call(capsys, "policy", "check", "policy.yml")
    assert code == 2
    assert "'people.parquet' is not a regular file" in err


def test_data_that_hardly_fit_their_declaration_are_doubts(capsys, folder):
    policy(folder)
    for file in ("people.csv", "towns.tsv"):
        call(capsys, "policy", "new", file, f"{file}.yml", "--header", "--kind", "age=integer")
    call(capsys, "policy", "import", "towns.tsv", "--public", "towns")
    call(capsys, "policy", "import", "people.csv")
    text = (folder / "policy.yml").read_text().replace("[Bonn, Ulm]", "[bonn, ulm]")
    (folder / "policy.yml").write_text(text.replace("[0, 110]", "[500, 600]"))
    _, out, _ = call(capsys, "policy", "check", "policy.yml", "--data")
    assert out.startswith("policy.yml: it can be used, with 1 doubt.")
    assert "Doubt: people: town: 3 values (75%) outside the keys" in plain(out)


@pytest.mark.parametrize(
    ("declared", "why"),
    [
        ("[0, 110], bins: [50]", "age: bins needs two or more ascending edges"),
        ("[0, 110], keys: []", "age: keys needs at least one value"),
    ],
)
def test_groups_that_no_query_can_use_are_refused(folder, declared, why):
    policy(folder)
    text = (folder / "policy.yml").read_text().replace("[0, 110]", declared)
    (folder / "policy.yml").write_text(text)
    with pytest.raises(InvalidInput, match=why):
        read_policy("policy.yml")


@pytest.mark.parametrize("file", ["shop.sqlite", "shop.duckdb"])
def test_the_tables_of_a_file_are_named(capsys, folder, file):
    connect = duckdb.connect if file.endswith("duckdb") else sqlite3.connect
    connection = connect(file)
    for table in ("Customer", "Invoice"):
        connection.execute(f"CREATE TABLE {table} (n INTEGER)")
    connection.close()
    _, _, err = call(capsys, "policy", "new", file)
    assert "name one with --table: Customer, Invoice" in err
    _, _, err = call(capsys, "policy", "new", file, "--table", "Invoices")
    assert "unknown table 'Invoices': did you mean 'Invoice'?" in err
    assert "cannot be read as a file of" in call(capsys, "policy", "new", f"no{file}")[2]
    assert call(capsys, "policy", "new", file, "--table", "Invoice")[0] == 0


def test_analysts_in_a_list_are_refused_with_how_to_write_them(folder):
    policy(folder)
    text = (folder / "policy.yml").read_text()
    (folder / "policy.yml").write_text(text + "    analysts: [ann, bob]\n")
    with pytest.raises(InvalidInput, match=r"such as analysts: \{ann: epsilon=1\}"):
        read_policy("policy.yml")
