"""``twoworlds anonymity`` as a person types it."""

import json

import pytest

from tests.attacks.anonymity.tables import random_table
from twoworlds.cli import run

FIGURE = ("anonymity", "figure1.csv", "--quasi", "zip,age,nationality", "--sensitive", "condition")


HOW = ("--make", "2", "--hierarchies", "how.yaml")


@pytest.fixture(autouse=True)
def _wide_and_plain(monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "240")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    rows = random_table(0, rows=40)
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    (tmp_path / "raw.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "how.yaml").write_text("zip: mask\nage: {intervals: [5, 10]}\nsex: suppress\n")


def call(capsys, *arguments: str) -> tuple[int, str, str]:
    code = run(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_figure_1_as_the_manual_has_it(capsys):
    code, out, err = call(capsys, *FIGURE)
    assert (code, err) == (0, "")
    assert "figure1.csv is bundled with twoworlds" in out
    assert "4-anonymous for zip, age and nationality" in out
    assert "1-diverse in condition" in out
    assert "all 4 people in their 30s in 130** have Cancer" in out
    assert "none of the 4 people under 30 in 130** has Cancer" in out
    assert "7/12" in out


def test_json_has_exact_numbers_and_nothing_else(capsys):
    code, out, err = call(capsys, *FIGURE, "--json", "--subsets")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert (found["k"], found["l"]) == (4, 1)
    assert found["measures"]["equal"]["value"]["exact"] == "7/12"
    assert [part["columns"] for part in found["subsets"]][-1] == ["nationality"]


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


def test_parts_and_knowledge(capsys):
    code, out, _ = call(capsys, *FIGURE, "--subsets", "--groups", "knowledge")
    assert code == 0
    assert "If only some of the columns are known" in out
    assert "exact knowledge matches" in out


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
        (("nowhere.csv", "--quasi", "zip"), "there is no file 'nowhere.csv'"),
        (("raw.csv",), "name the columns"),
        (("raw.csv", "--quasi", "zip,size"), "no column 'size'"),
        (("raw.csv", "--quasi", "zip,has", "--sensitive", "has"), "both sensitive"),
        (("raw.csv", "--quasi", "zip", "--k", "2.5"), "k=2.5 must be a whole number"),
        (("raw.csv", "--quasi", "zip", "--l", "2"), "about a sensitive column"),
        (("raw.csv", "--quasi", "zip", "-o", "out.csv"), "--output belongs to --make"),
        (("raw.csv", "--quasi", "zip", "--keep", "age"), "--keep belongs to --make"),
        (
            ("raw.csv", "--quasi", "zip", "--suppression", "1%", "--loss", "certainty"),
            "--suppression and --loss belong to --make",
        ),
        ((".", "--quasi", "zip"), ". is a folder"),
        (("raw.csv", *HOW, "--groups", "some"), "groups='some'"),
        (("raw.csv", *HOW, "--k", "0"), "k=0"),
        (("raw.csv", *HOW, "--entropy", "2"), "about a sensitive column"),
        (("raw.csv", *HOW, "--recursive", "3"), "such as 3,2"),
        (("raw.csv", "--quasi", 'zip,"', "--k", "2"), "no list of columns"),
        (("raw.csv", "--make", "2"), "--hierarchies FILE"),
        (("raw.csv", "--make", "2", "--hierarchies", "none.yaml"), "cannot be read"),
        (
            ("raw.csv", "--make", "2", "--hierarchies", "how.yaml", "--quasi", "has"),
            "no hierarchy for has",
        ),
        (
            ("raw.csv", "--quasi", "zip", "--sensitive", "has", "--recursive", "3"),
            "such as 3,2",
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


def test_an_empty_table_is_refused(capsys, tmp_path):
    (tmp_path / "empty.csv").write_text("zip,has\n")
    code, _, err = call(capsys, "anonymity", "empty.csv", "--quasi", "zip")
    assert code == 2
    assert "has no rows" in err


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


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (("--k", "30"), "The claim 30-anonymous does NOT hold"),
        (("--entropy", "30"), "The claim entropy 30-diverse does NOT hold"),
        (("--recursive", "1/100,1"), "The claim recursive (1/100 (0.01), 1)-diverse does NOT hold"),
    ],
)
def test_claims_are_checked_on_the_table_that_is_made(capsys, tmp_path, claim, words):
    options = ("anonymity", "raw.csv", *HOW, "--sensitive", "has", "-o", "out.csv", *claim)
    code, out, _ = call(capsys, *options)
    assert code == 1
    assert words in out
    assert "out.csv was not written" in out
    assert not (tmp_path / "out.csv").exists()
    code, out, _ = call(capsys, *options, "--json")
    found = json.loads(out)
    assert (code, found["output"], found["anonymity"]["holds"]) == (1, None, False)


def test_claims_that_hold_parts_and_knowledge_of_the_table_that_is_made(capsys, tmp_path):
    claims = ("--k", "2", "--entropy", "1", "--recursive", "1000,1", "--l", "2", "--t", "1")
    how = (*HOW, "--sensitive", "has", "--subsets", "--groups", "knowledge", "-o", "out.csv")
    code, out, _ = call(capsys, "anonymity", "raw.csv", *how, *claims)
    assert code == 0
    assert out.count(" holds: ") == 5
    assert "If only some of the columns are known" in out
    assert "exact knowledge matches" in out
    assert (tmp_path / "out.csv").exists()
