"""``twoworlds audit`` as a person types it."""

import json

import pytest

from tests.cli.calling import call

SHORT = "python:twoworlds.testing.broken:laplace_ten_percent_short"


@pytest.fixture(autouse=True)
def _wide_and_plain(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")


def test_a_number_as_database_is_written_as_a_number(capsys):
    asked = ("audit", "laplace(epsilon=1)", "--epsilon", "1/2")
    _, out, _ = call(capsys, *asked)
    assert "fresh outputs on 1, " in out
    assert "Fraction(" not in out
    found = json.loads(call(capsys, *asked, "--json")[1])["finding"]
    assert {found["likelier"], found["other"]} == {"0", "1"}


def test_ten_percent_too_little_noise_is_refuted(capsys):
    code, out, err = call(capsys, "audit", SHORT, "--epsilon", "1")
    assert (code, err) == (1, "")
    assert "REFUTED: the claim epsilon = 1 is false: epsilon is at least 1.0" in out
    assert "95% confidence" in out
    assert "lambda y: y" in out
    assert "seed 0" in out


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nonsense",), "unknown mechanism"),
        (("geometric(ratio=2)", "--epsilon", "x"), "not a number"),
        (("geometric(ratio=2)", "--pair", "1"), "with ~ between"),
        (("geometric(ratio=2)", "--repeat"), "not a command"),
        (("python:tests.attacks.audit.subjects:crashes",), "--pair"),
    ],
)
def test_bad_input_is_said_in_a_line(capsys, arguments, words):
    code, out, err = call(capsys, "audit", *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
