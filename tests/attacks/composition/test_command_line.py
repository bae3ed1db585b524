import json
from fractions import Fraction

import pytest

from tests.cli.calling import call

ATTACK = ("attack", "composition", "figure1.csv", "figure2.csv", "--sensitive", "condition")


@pytest.fixture(autouse=True)
def _wide_and_elsewhere(monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("age", "zip_code", "expected"),
    [
        (28, 13012, {"AIDS": {"exact": "1", "value": 1.0}}),
        (33, 13012, {"Cancer": {"exact": "1", "value": 1.0}}),
        (36, 13012, {"Cancer": {"exact": "1", "value": 1.0}}),
        (
            45,
            13012,
            {
                "Cancer": {"exact": "3/7", "value": 3 / 7},
                "Viral Infection": {"exact": "4/7", "value": 4 / 7},
            },
        ),
        (28, 14012, {}),
    ],
)
def test_json_is_the_candidates_and_nothing_else(capsys, age, zip_code, expected):
    known = ("--know", f"age={age}", "--know", f"zip={zip_code}")
    code, out, err = call(capsys, *ATTACK, *known, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == expected


def test_words_come_first_then_the_table_and_what_it_rests_on(capsys):
    code, out, err = call(capsys, *ATTACK, "--know", "age=28", "--know", "zip=13012")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "Each table alone leaves 3 and 4 conditions; together they leave one: AIDS."
    assert "figure1.csv is bundled with twoworlds" in out
    [line] = [line for line in lines if line.split()[:1] == ["AIDS"]]
    assert line.split() == ["AIDS", "1/4", "1/6", "1"]
    assert "no value is likelier than another" in " ".join(out.split())


@pytest.mark.parametrize(
    "arguments",
    [
        (*ATTACK, "--know", "age=28"),
        (*ATTACK, "--know", "zip=14012"),
        (*ATTACK, "--everyone", "register.csv"),
        ("attack", "linkage", "register.csv", "figure1.csv", "--on", "zip"),
        ("attack", "composition", "t.csv", "--sensitive", "c"),
    ],
)
def test_one_empty_line_between_the_words_and_the_table(capsys, tmp_path, arguments):
    (tmp_path / "t.csv").write_text("a,c\n1,x\n")
    code, out, _ = call(capsys, *arguments)
    words = out.partition("───")[0]
    assert code == 0
    assert "\n\n" in words
    assert "\n\n\n" not in words


def test_a_table_that_is_given_twice_is_said(capsys):
    code, out, _ = call(capsys, "attack", "composition", *("figure1.csv",) * 2, *ATTACK[4:])
    assert code == 0
    assert out.count("figure1.csv is given more than once") == 1
    assert out.count("figure1.csv is bundled") == 1


def test_details_hold_everything(capsys):
    code, out, _ = call(capsys, *ATTACK, "--know", "age=45", "--json", "--details")
    told = json.loads(out)
    assert code == 0
    assert told["tables"][1]["matching_rows"] == [7, 8, 9, 10, 11, 12]
    assert told["posterior"]["Cancer"]["exact"] == "3/7"
    assert told["belief"] == "independent"
    assert len(told["assumptions"]) == 4
    assert told["sentence"].startswith("Each table alone leaves 3 and 3 conditions")


def test_contradictory_knowledge_is_said(capsys):
    code, out, _ = call(capsys, *ATTACK, "--know", "zip=14012")
    assert code == 0
    assert "Nobody matches: no row of figure1.csv matches zip=14012" in out


def test_a_prior_moves_the_probabilities(capsys):
    prior = ("--prior", "Cancer=1/100, Viral Infection=1/2")
    _, out, _ = call(capsys, *ATTACK, "--know", "age=45", *prior, "--json")
    assert json.loads(out)["Cancer"]["exact"] == "3/203"
    _, out, _ = call(capsys, *ATTACK, "--know", "age=45", "--population", prior[1], "--json")
    assert json.loads(out)["Cancer"]["exact"] == "1875/1876"


def test_everyone_of_a_register(capsys):
    code, out, err = call(capsys, *ATTACK, "--everyone", "register.csv")
    assert (code, err) == (0, "")
    assert "The condition of 3 of them is pinned down" in out
    assert "Alice" in out
    code, out, _ = call(capsys, *ATTACK, "--everyone", "register.csv", "--on", "age", "--json")
    told = json.loads(out)
    assert (code, told["on"], told["in_all_tables"], told["pinned"]) == (0, ["age"], 6, 4)


def test_everyone_takes_a_prior_and_a_population(capsys):
    weights = ("--prior", "AIDS=1, Cancer=9, Viral Infection=2, Heart Disease=2, Flu=2")
    code, out, err = call(capsys, *ATTACK, "--everyone", "register.csv", *weights, "--json")
    assert (code, err) == (0, "")
    # Two people have Cancer with odds 3 to 4 before the prior, 27 to 8 after it.
    assert json.loads(out)["expected_right_guesses"]["exact"] == str(3 + 2 * Fraction(27, 35))
    population = ("--population", weights[1])
    code, out, _ = call(capsys, *ATTACK, "--everyone", "register.csv", *population)
    assert code == 0
    assert "for everybody else values have the weights AIDS 1, Cancer 9" in " ".join(out.split())


def test_linkage_in_words_and_as_data(capsys):
    asked = ("attack", "linkage", "register.csv", "figure1.csv", "--on", "zip,age")
    code, out, err = call(capsys, *asked, "--sensitive", "condition")
    assert (code, err) == (0, "")
    assert "each of them at least 4 rows: the table is 4-anonymous" in out
    assert "Viral Infection 1/2, AIDS 1/4, Heart Disease 1/4" in out
    code, out, _ = call(capsys, *asked, "--json")
    told = json.loads(out)
    assert code == 0
    assert told["people_by_matching_rows"] == {"0": 1, "4": 5}
    assert told["rows_by_matching_people"] == {"1": 4, "2": 8}
    assert told["links"][0]["person"]["name"] == "Alice"


def test_long_counts_are_cut_in_the_middle(capsys, tmp_path):
    ages = [str(age) for age in range(20) for _ in range(age + 1)]
    (tmp_path / "t.csv").write_text("age\n" + "\n".join(ages) + "\n")
    (tmp_path / "r.csv").write_text("age\n" + "\n".join(map(str, range(20))) + "\n")
    code, out, _ = call(capsys, "attack", "linkage", "r.csv", "t.csv", "--on", "age")
    assert code == 0
    assert "8 numbers in between are left out" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*ATTACK, "--know", "age"), "write a column and its value, such as age=28"),
        ((*ATTACK, "--know", "=3"), "write a column and its value"),
        ((*ATTACK, "--know", "age=3", "--know", "age=4"), "given twice"),
        ((*ATTACK, "--know", "agee=3"), "no column 'agee'"),
        ((*ATTACK, "--know", "age=40-30"), "age=40-30 holds no number"),
        ((*ATTACK, "--on", "age"), "give --everyone as well"),
        ((*ATTACK, "--everyone", "register.csv", "--know", "age=3"), "leave out --know"),
        ((*ATTACK, "--everyone", "none.csv"), "no file 'none.csv'"),
        (("attack", "composition", "figure1.csv"), "--sensitive"),
        (("attack", "linkage", "register.csv", "figure1.csv"), "--on"),
        (("attack", "linkage", "register.csv", "figure1.csv", "--on", "x"), "no column 'x'"),
    ],
)
def test_bad_input_is_said_in_a_line_or_two(capsys, arguments, message):
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") <= 2
