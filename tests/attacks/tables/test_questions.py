"""``twoworlds anonymity``, ``attack composition`` and ``attack linkage`` as a person types them."""

import json

import pytest

from tests.attacks.tables.brute import random_people
from tests.cli.calling import call

ATTACK = ("attack", "composition", "figure1.csv", "figure2.csv", "--sensitive", "condition")
FIGURE = ("anonymity", "figure1.csv", "--quasi", "zip,age,nationality", "--sensitive", "condition")


HOW = ("--make", "2", "--hierarchies", "how.yaml")


@pytest.fixture(autouse=True)
def _wide_and_plain(monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "240")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    rows = random_people(0, rows=40)
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    (tmp_path / "raw.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "how.yaml").write_text("zip: mask\nage: {intervals: [5, 10]}\nsex: suppress\n")


def test_a_refuted_claim_leaves_with_1_and_says_why(capsys):
    code, out, _ = call(capsys, *FIGURE, "--k", "4")
    assert code == 0
    assert "The claim 4-anonymous holds" in out
    code, out, _ = call(capsys, *FIGURE, "--k", "5", "--l", "3", "--t", "0.2")
    assert code == 1
    assert "The claim 5-anonymous does NOT hold: the smallest group has 4" in out
    assert "The claim 3-diverse does NOT hold" in out
    assert "away" in out
    assert "Hiding age altogether would make it 5-anonymous" in out
    assert call(capsys, *FIGURE, "--entropy", "2", "--json")[0] == 1
    assert call(capsys, *FIGURE, "--recursive", "3,2")[0] == 1


def test_a_table_is_made_anonymous_and_written(capsys, tmp_path):
    options = ("--make", "5", "--hierarchies", "how.yaml", "--sensitive", "has", "-o", "out.csv")
    code, out, err = call(capsys, "anonymity", "raw.csv", *options)
    assert (code, err) == (0, "")
    assert "becomes 5-anonymous" in out
    assert "wrote out.csv" in out
    again = ("anonymity", "out.csv", "--quasi", "zip,age,sex", "--sensitive", "has", "--k", "5")
    assert call(capsys, *again)[0] == 0
    code, out, _ = call(capsys, "anonymity", "raw.csv", *options, "--json", "--quasi", "zip,age")
    found = json.loads(out)
    assert list(found["levels"]) == ["zip", "age"]
    assert found["output"] == "out.csv"
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "zip,age,has"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("raw.csv",), "name the columns"),
        (("raw.csv", "--quasi", "zip", "-o", "out.csv"), "--output belongs to --make"),
        (
            ("raw.csv", "--quasi", "zip", "--suppression", "1%", "--loss", "certainty"),
            "--suppression and --loss belong to --make",
        ),
        (("raw.csv", *HOW, "--recursive", "3"), "such as 3,2"),
        (("raw.csv", "--make", "2"), "--hierarchies FILE"),
        (
            ("raw.csv", "--make", "2", "--hierarchies", "how.yaml", "--quasi", "has"),
            "no hierarchy for has",
        ),
        (
            ("raw.csv", "--make", "2", "--hierarchies", "how.yaml", "-o", "no/where.csv"),
            "there is no folder",
        ),
    ],
)
def test_bad_input_is_said_in_a_line_and_leaves_with_2(capsys, arguments, message):
    code, out, err = call(capsys, "anonymity", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") <= 2


@pytest.mark.parametrize("name", ["raw.csv", "./raw.csv", "soft.csv", "hard.csv", "how.yaml"])
def test_what_is_read_is_not_written_over(capsys, tmp_path, name):
    (tmp_path / "soft.csv").symlink_to(tmp_path / "raw.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "raw.csv")
    before = (tmp_path / "raw.csv").read_text(), (tmp_path / "how.yaml").read_text()
    code, out, err = call(capsys, "anonymity", "raw.csv", *HOW, "-o", name)
    assert (code, out) == (2, "")
    assert "which would be lost: give another name" in err
    assert before == ((tmp_path / "raw.csv").read_text(), (tmp_path / "how.yaml").read_text())
    assert (tmp_path / "soft.csv").is_symlink()


def test_claims_are_checked_on_the_table_that_is_made(capsys, tmp_path):
    claim = ("--recursive", "1/100,1", "-o", "out.csv", "--json")
    code, out, _ = call(capsys, "anonymity", "raw.csv", *HOW, "--sensitive", "has", *claim)
    found = json.loads(out)
    assert (code, found["output"], found["anonymity"]["holds"]) == (1, None, False)
    assert found["anonymity"]["claims"][-1]["claim"] == "recursive (1/100 (0.01), 1)-diverse"
    assert not (tmp_path / "out.csv").exists()


# --- composition and linkage ----------------------------------------------------------------------


def test_details_hold_everything(capsys):
    code, out, _ = call(capsys, *ATTACK, "--know", "age=45", "--json", "--details")
    told = json.loads(out)
    assert code == 0
    assert told["tables"][1]["matching_rows"] == [7, 8, 9, 10, 11, 12]
    assert told["posterior"]["Cancer"]["exact"] == "3/7"
    assert told["belief"] == "independent"
    assert len(told["assumptions"]) == 4
    assert told["sentence"].startswith("Each table alone leaves 3 and 3 conditions")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*ATTACK, "--know", "age"), "write a column and its value, such as age=28"),
        ((*ATTACK, "--know", "age=3", "--know", "age=4"), "given twice"),
        ((*ATTACK, "--know", "age=40-30"), "age=40-30 holds no number"),
        ((*ATTACK, "--on", "age"), "give --everyone as well"),
        ((*ATTACK, "--everyone", "register.csv", "--know", "age=3"), "leave out --know"),
        (("attack", "composition", "figure1.csv"), "--sensitive"),
    ],
)
def test_bad_input_of_an_attack_is_said_in_a_line_or_two(capsys, arguments, message):
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") <= 2
