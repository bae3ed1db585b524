"""``twoworlds attack reconstruct``, as a person types it."""

import json

import pytest

from tests.cli.calling import call
from twoworlds.attacks.reconstruction import random_subsets

ATTACK = ("attack", "reconstruct")


@pytest.fixture(autouse=True)
def _wide_and_plain(monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    bits = [i * i % 7 % 2 for i in range(30)]
    (tmp_path / "people.csv").write_text("ill\n" + "".join(f"{bit}\n" for bit in bits))
    lines = ["rows,answer"]
    for mask in random_subsets(30, 90, seed=3).tolist():
        members = [i for i, inside in enumerate(mask) if inside]
        rows = " ".join(str(i + 1) for i in members)
        lines.append(f"{rows},{sum(bits[i] for i in members) + len(members) % 3 / 4}")
    (tmp_path / "answers.csv").write_text("\n".join(lines) + "\n")


def test_json_has_exact_numbers(capsys):
    options = ("--rows", "20", "--queries", "80", "--law", "rounding", "--noise", "1/2", "--json")
    code, out, _ = call(capsys, *ATTACK, *options, "--method", "least-squares", "--seed", "4")
    found = json.loads(out)
    assert code == 0
    assert found["fraction"] == {"exact": "1", "value": 1.0}
    assert found["noise"] == {"exact": "1/2", "value": 0.5}
    assert (found["seed"], found["method"]) == (4, "least-squares")
    assert found["column"] == found["truth"]
    assert found["agreement"]["rows"] == 20


def test_a_column_of_data_is_attacked(capsys):
    options = ("--data", "people.csv", "--column", "ill", "--queries", "120", "--noise", "1/2")
    code, out, err = call(capsys, *ATTACK, *options)
    assert (code, err) == (0, "")
    assert "30 of 30 secret bits" in out
    code, out, _ = call(capsys, *ATTACK, *options, "--rows", "10")
    assert "10 of 10 secret bits" in out


def test_answers_of_a_file_are_decoded_and_compared(capsys):
    options = ("--answers", "answers.csv", "--error", "1/2")
    code, out, err = call(capsys, *ATTACK, *options)
    assert (code, err) == (0, "")
    assert "A column of 30 bits was decoded from 90 sums by linear programming" in out
    assert "If every answer is within 1/2 (0.5) of the truth" in out
    bits = "".join(str(i * i % 7 % 2) for i in range(30))
    assert bits in out
    code, out, _ = call(capsys, *ATTACK, *options, "--data", "people.csv", "--column", "ill")
    assert "30 of 30 bits are those of the data." in out
    code, out, _ = call(
        capsys, *ATTACK, *options, "--data", "people.csv", "--column", "ill", "--json"
    )
    assert json.loads(out)["right"] == 30


@pytest.mark.few(6)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--sweep", "--engine"), "give one of them"),
        (("--sweep", "--data", "people.csv", "--column", "ill"), "has no effect on --sweep"),
        (("--answers", "answers.csv", "--seed", "0"), "--seed has no effect on --answers"),
        (("--data", "people.csv", "--column", "ill", "--rows", "31"), "the data have 30 rows"),
        (("--error", "1"), "--error is for --answers: add that"),
        (("--answers", "answers.csv", "--rows", "3"), "and there are 3"),
        (("--epsilon", "1"), "--epsilon is for --engine: add that"),
        (
            ("--answers", "answers.csv", "--data", "people.csv", "--column", "ill", "--rows", "9"),
            "--rows has no effect",
        ),
        (("--law", "none", "--noise", "3"), "--law none adds no noise"),
    ],
)
def test_bad_input_ends_with_2_and_the_way_out(capsys, options, message):
    code, out, err = call(capsys, *ATTACK, *options)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") <= 2
