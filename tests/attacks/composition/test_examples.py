import csv

import pytest

from tests.cli.calling import call
from twoworlds.attacks.composition.examples import EXAMPLES, example_note, example_path
from twoworlds.errors import InvalidInput


def rows(name):
    with example_path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_figures_are_those_of_the_lecture():
    first, second = rows("figure1.csv"), rows("figure2.csv")
    assert [*first[0]] == [*second[0]] == ["zip", "age", "nationality", "condition"]
    assert [row["age"] for row in first] == ["<30"] * 4 + ["≥40"] * 4 + ["3*"] * 4
    assert [row["age"] for row in second] == ["<35"] * 6 + ["≥35"] * 6
    assert {(row["zip"], row["nationality"]) for row in first + second} == {("130**", "*")}
    assert [row["condition"] for row in first[:6]] == [
        "AIDS",
        "Heart Disease",
        "Viral Infection",
        "Viral Infection",
        "Cancer",
        "Heart Disease",
    ]
    assert [row["condition"] for row in second[:4]] == [
        "AIDS",
        "Tuberculosis",
        "Flu",
        "Tuberculosis",
    ]


def test_a_file_that_is_there_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert example_path("figure1.csv").is_absolute()
    assert "Figure 1" in example_note("figure1.csv")
    (tmp_path / "figure1.csv").write_text("mine")
    assert example_path("figure1.csv").read_text() == "mine"
    assert example_note("figure1.csv") is None
    assert example_note("other.csv") is None


def test_every_example_is_there():
    assert all(rows(name) for name in EXAMPLES)


@pytest.mark.parametrize("path", ["none.csv", "folder/figure1.csv", "a\0b"])
def test_rejects_what_is_not_there(path):
    with pytest.raises(InvalidInput, match="the bundled examples are"):
        example_path(path)


@pytest.mark.parametrize(
    "words",
    [
        ("anonymity", "staff.csv", "--quasi", "sex,job"),
        ("attack", "composition", "staff.csv", "--know", "sex=f", "--sensitive", "depressed"),
        ("attack", "linkage", "staff.csv", "staff.csv", "--on", "age"),
        ("attack", "differencing", "staff.csv", "--know", "age=52", "--secret", "depressed=yes"),
        ("attack", "averaging", "staff.csv", "--engine", "--count", "depressed=yes"),
        ("attack", "averaging", "figure1.csv", "--engine", "--count", "condition=AIDS"),
        ("attack", "reconstruct", "--data", "staff.csv", "--column", "depressed"),
    ],
)
def test_every_attack_finds_the_bundled_tables_by_name(words, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    code, out, err = call(capsys, *words)
    assert (code, err) == (0, "")
    assert "bundled with twoworlds" in out or "--data" in words
    code, _, err = call(capsys, *[word.replace(".csv", ".tsv") for word in words])
    assert code == 2
    assert "staff.csv" in err


def test_a_file_of_ones_own_comes_before_a_bundled_one(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    mine = tmp_path / "staff.csv"
    mine.write_text("a\n1\n")
    assert example_path("staff.csv").samefile(mine)
    assert not example_path("staff.csv", bundled=True).samefile(mine)
