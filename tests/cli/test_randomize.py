"""The commands of the local model, as a person types them."""

import csv
import json

import pytest

from tests.cli.calling import call

COIN = ("--with", "randomized-response(keep=3/4)", "--values", "yes, no")


@pytest.fixture(autouse=True)
def _wide_and_plain(monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.csv").write_text("name,smoker\nAnn,yes\nBob,no\nSecret,\n")
    (tmp_path / "reports.csv").write_text("smoker\n" + "yes\n" * 40 + "no\n" * 60)


def test_a_column_is_randomized_and_said_in_words(capsys, tmp_path):
    code, out, err = call(capsys, "randomize", "survey.csv", "out.csv", "--column", "smoker", *COIN)
    assert (code, err) == (0, "")
    assert "factor of at most 3" in out
    assert "3 reports of column 'smoker'" in out
    assert "first replaced by one of them, chosen evenly" in out
    assert "factor of up to 9" in out
    assert "wrote out.csv.certificate.json" in out
    with (tmp_path / "out.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["smoker"]
    assert len(rows) == 4
    assert {row[0] for row in rows[1:]} <= {"yes", "no"}


def test_the_owner_is_told_how_many_cells_were_undeclared_and_nobody_else(capsys, tmp_path):
    spelled = ("--column", "smoker", *COIN[:3], "Yes, No")
    _, out, _ = call(capsys, "randomize", "survey.csv", "out.csv", *spelled)
    assert "Here 3 of 3 cells held none of them: check how the values are spelled." in out
    assert "undeclared" not in (tmp_path / "out.csv.certificate.json").read_text()
    _, out, _ = call(capsys, "estimate", "out.csv")
    sentence = " ".join(out.split()).partition("They may fall")[0]
    assert "a cell without a declared value counts as the value that stood in for it" in sentence
    (tmp_path / "all.csv").write_text("smoker\nyes\n")
    _, out, _ = call(capsys, "randomize", "all.csv", "all2.csv", "--column", "smoker", *COIN)
    assert "held none of them" not in out


def test_one_report_is_said_in_the_singular(capsys, tmp_path):
    (tmp_path / "one.csv").write_text("smoker\nyes\n")
    _, out, _ = call(capsys, "randomize", "one.csv", "out.csv", "--column", "smoker", *COIN)
    assert "1 report of column 'smoker' was written" in out


def test_json_is_the_certificate_with_the_places(capsys, tmp_path):
    arguments = ("--column", "smoker", *COIN, "--missing", "no", "--public", "name", "--json")
    code, out, err = call(capsys, "randomize", "survey.csv", "out.csv", *arguments)
    assert (code, err) == (0, "")
    said = json.loads(out)
    beside = json.loads((tmp_path / "out.csv.certificate.json").read_text())
    assert said == {"output": "out.csv", "certificate": "out.csv.certificate.json", **beside}
    assert said["ratio"] == {"exact": "3", "value": 3.0}
    assert said["epsilon"]["exact"] == "ln 3"
    assert said["missing"] == "no"
    assert said["carried"] == ["name"]


def test_estimates_come_with_a_table(capsys):
    code, out, err = call(capsys, "estimate", "reports.csv", "--column", "smoker", *COIN)
    assert (code, err) == (0, "")
    assert "unbiased" in out
    [line] = [line for line in out.splitlines() if line.strip().startswith("yes")]
    assert line.split() == ["yes", "30", "8.67", "12", "to", "47", "13.0", "to", "47.0"]


def test_estimates_as_exact_json(capsys):
    arguments = ("--column", "smoker", *COIN, "--feasible", "--simultaneous", "--json")
    code, out, _ = call(capsys, "estimate", "reports.csv", *arguments)
    found = json.loads(out)
    assert code == 0
    assert found["estimates"][0]["count"] == {"exact": "30", "value": 30.0}
    assert found["estimates"][1]["variance"] == {"exact": "75", "value": 75.0}
    assert found["estimates"][0]["interval"] == {
        "low": 12,
        "high": 47,
        "method": "exact tails",
        "guaranteed": True,
    }
    assert found["feasible"] == {"yes": "30", "no": "70"}
    assert found["reports"] == {"yes": 40, "no": 60}


def test_feasible_numbers_are_called_biased_only_where_an_estimate_was_moved(capsys, tmp_path):
    arguments = ("estimate", "reports.csv", "--column", "smoker", *COIN, "--feasible")
    _, out, _ = call(capsys, *arguments)
    assert "No estimate is below 0, so the nearest feasible numbers are the estimates" in out
    assert "biased by" not in out
    (tmp_path / "reports.csv").write_text("smoker\nyes\n")
    _, out, _ = call(capsys, *arguments)
    assert "of at least 0 with the same sum, biased by what was below 0; they are not" in out
    assert "1 report through" in out


def test_the_certificate_says_column_and_channel(capsys):
    call(capsys, "randomize", "survey.csv", "out.csv", "--column", "smoker", *COIN, "--shuffle")
    code, out, _ = call(capsys, "estimate", "out.csv", "--feasible")
    assert code == 0
    assert "3 reports through randomized-response(keep=3/4)" in out
    assert "biased" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("randomize", "survey.csv", "survey.csv", "--column", "smoker", *COIN), "overwritten"),
        (("randomize", "none.csv", "out.csv", "--column", "smoker", *COIN), "no such file"),
        (("randomize", "survey.csv", "out.csv", "--column", "age", *COIN), "no column 'age'"),
        (
            ("randomize", "survey.csv", "out.csv", "--column", "smoker", "--with", "coin(1/2)"),
            "unknown channel 'coin'",
        ),
        (
            ("randomize", "survey.csv", "out.csv", "--column", "smoker", "--with", "frapp(2)"),
            "declare the values",
        ),
        (("randomize", "survey.csv", "out.csv", *COIN), "--column"),
        (("estimate", "reports.csv"), "no certificate beside it"),
        (("estimate", "reports.csv", "--values", "yes, no"), "give --with as well"),
        (("estimate", "survey.csv", "--column", "smoker", *COIN), "1 cells that are no reports"),
        (
            ("estimate", "reports.csv", "--column", "smoker", "--with", "frapp(1)", "--values",
             "yes,no"),
            "no estimate tells them apart",
        ),
        (
            ("estimate", "reports.csv", "--column", "smoker", *COIN, "--confidence", "2"),
            "confidence=2",
        ),
    ],
)  # fmt: skip
def test_bad_input_ends_with_2_and_a_line_without_data(capsys, arguments, message):
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert "Secret" not in err


def test_estimates_are_written_as_numbers(capsys, tmp_path):
    call(capsys, "estimate", "reports.csv", "--column", "smoker", *COIN, "-o", "est.csv")
    with (tmp_path / "est.csv").open() as file:
        first, _ = csv.DictReader(file)
    assert (first["value"], float(first["estimate"])) == ("yes", 30)
    assert (float(first["estimate_low"]), float(first["estimate_high"])) == (12, 47)
