"""The commands about releases without noise, as a person types them."""

import csv
import json

import pytest

from twoworlds.cli import run


def call(capsys, *arguments: str) -> tuple[int, str, str]:
    code = run(["noiseless", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def data(capsys, *arguments: str, code: int = 0):
    found, out, err = call(capsys, *arguments, "--json")
    assert (found, err) == (code, "")
    return json.loads(out)


COINS = ("map", "--law", "1=3/4, 0=1/4", "--law", "1=1/4, 0=3/4")


@pytest.mark.parametrize(
    ("arguments", "delta"),
    [
        ("sum --values -1,0,1 --people 50 --epsilon 0.5", 0.000188067830551055),
        ("sum --values -1,0,1 --people 50 --known 30 --epsilon 0.5", 0.00602551179068416),
        ("sum --values 0,1 --people 3 --ratio 3/2", 0.375),
        ("sum --values 0,1 --people 3 --ratio 3/2 --simulator resampled", 0.125),
        ("histogram --population 50 --rate 3/10 --threshold 10 --epsilon 0.5", 0.01302628038994),
        (
            "histogram --population 1..120 --rate 1/2 --threshold 20 --epsilon 0.5",
            0.0188491940422797,
        ),
        ("histogram --mean 5 --threshold 15 --epsilon 0.3", 0.000392579461606345),
        ("size poisson(mean=100) --epsilon 0.3", 0.00447144215852923),
    ],
)
def test_known_deltas(capsys, arguments, delta):
    assert data(capsys, *arguments.split())["delta"]["value"] == pytest.approx(delta, rel=1e-11)


def test_two_intervals_of_uniform_entries(capsys):
    found = data(capsys, "sum", "--values", "uniform [-1, 1]", "--people", "11", "--epsilon", "0.5")
    assert found["delta"]["value"] == pytest.approx(0.0670817259312031, rel=1e-9)


def test_the_estimator_with_its_theorem(capsys):
    found = data(capsys, *COINS, "--people", "41", "--s", "1/2")
    assert found["delta"]["value"] == pytest.approx(0.000397577021371574, rel=1e-11)
    assert found["theorem_13"]["value"] == pytest.approx(0.012684847755736, rel=1e-11)


def test_solving_for_people_says_that_one_fewer_is_not_enough(capsys):
    arguments = ("sum", "--values", "-1,0,1", "--epsilon", "0.5", "--delta", "1e-9")
    found = data(capsys, *arguments, "--solve", "people")
    people = int(found["people"]["exact"])
    assert found["holds"] is True
    assert data(capsys, *arguments, "--people", str(people))["holds"] is True
    assert data(capsys, *arguments, "--people", str(people - 1), code=1)["holds"] is False


def test_solving_for_a_threshold(capsys):
    arguments = ("--population", "50", "--rate", "3/10", "--epsilon", "0.5", "--delta", "0.001")
    found = data(capsys, "histogram", *arguments, "--solve", "threshold")
    assert found["threshold"]["exact"] == "26"


def test_the_assumption_comes_first(capsys):
    for arguments in (
        ("sum", "--values", "-1,0,1", "--people", "50", "--known", "20", "--epsilon", "0.5"),
        ("histogram", "--population", "50", "--rate", "3/10", "--threshold", "10", "--ratio", "2"),
        (*COINS, "--people", "41"),
        ("stable", "majority", "--universe", "bits(5)"),
    ):
        assert data(capsys, *arguments)["sentence"].startswith("If "), arguments


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["answer", "kind"])
        writer.writerows([[(i % 3) - 1, "ab"[i % 2]] for i in range(60)])
    return str(path)


def test_a_column_is_published_after_the_belief(capsys, answers):
    arguments = ("sum", "--values", "-1,0,1", "--data", answers, "--column", "answer")
    code, out, _ = call(capsys, *arguments, "--epsilon", "0.5", "--delta", "0.001")
    assert code == 0
    assert out.startswith("This rests on a belief:")
    assert "total of 60 rows: 0" in out


def test_nothing_is_published_when_the_claim_fails(capsys, answers):
    arguments = ("sum", "--values", "-1,0,1", "--data", answers, "--column", "answer")
    code, out, _ = call(capsys, *arguments, "--epsilon", "0.5", "--delta", "1e-9")
    assert code == 1
    assert "total of 60 rows is withheld" in out
    found = data(capsys, *arguments, "--epsilon", "0.5", "--delta", "1e-9", code=1)
    assert found["total"] is None
    assert found["holds"] is False


def test_a_table_and_an_estimate_of_a_column(capsys, answers):
    kinds = ("--data", answers, "--column", "kind")
    table = ("histogram", *kinds, "--bins", "a, b, c", "--threshold", "10")
    sampled = ("--population", "100", "--rate", "1/2", "--epsilon", "1")
    assert data(capsys, *table, *sampled)["table"] == {"a": 30, "b": 30, "c": 0}
    code, out, _ = call(capsys, *table, *sampled, "--delta", "1e-9")
    assert code == 1
    assert "withheld" in out
    laws = ("map", "--law", "a=3/4, b=1/4", "--law", "a=1/2, b=1/2", *kinds, "--epsilon", "0")
    assert data(capsys, *laws)["law"]["exact"] == "2"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("sum --values -1,0,1 --people 0 --epsilon 1", "people"),
        ("sum --values -1,0,1 --people 5 --known 5 --epsilon 1", "known"),
        ("sum --values -1,0,1 --people 5 --epsilon -1", "epsilon"),
        ("sum --values pi --people 5 --epsilon 1", "pi"),
        ("sum --values 0=1/2,1=1/3 --people 5 --epsilon 1", "sum"),
        ("sum --values -1,0,1 --epsilon 1 --solve people", "--delta"),
        ("sum --values -1,0,1 --people 5 --epsilon 1 --delta 1/2 --solve people", "--people"),
        ("sum --values -1,0,1 --epsilon 1 --delta 1/2 --solve everything", "everything"),
        ("sum --values -1,0,1 --people 5 --epsilon 1 --column a", "--data"),
        ("histogram --population 50 --rate 2 --threshold 5 --epsilon 1", "rate"),
        ("histogram --population 50 --rate 1/2 --threshold 0 --epsilon 1", "threshold"),
        ("histogram --population 50 --rate 1/2 --epsilon 1", "--threshold"),
        ("map --law 1=1/2,0=1/2 --people 5 --epsilon 0", "law"),
        ("stable majority --universe bits(3) --belief unifrm", "unifrm"),
        ("size poison(mean=3) --epsilon 1", "poison"),
    ],
)
def test_bad_input_is_said_in_a_line(capsys, arguments, complaint):
    code, out, err = call(capsys, *arguments.split())
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.count("\n") <= 2
    assert "internal" not in err
