"""The command tradeoff: two databases, or values of one record."""

import json

import pytest

from twoworlds.cli import run

SURVEY = "geometric(ratio=2, bits=3)"


def call(capsys, *arguments):
    code = run(["tradeoff", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_record_is_tested_under_a_belief(capsys):
    options = ("--belief", "independent(1/2)", "--alternative", "1", "--level", "1/20")
    code, out, _ = call(capsys, SURVEY, *options, "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["person"], found["null"], found["alternative"]) == (1, ["0"], ["1"])
    assert found["power"]["exact"] == "1/10"
    assert found["largest_power"]["exact"] == "1/10"
    assert found["largest_power_by_difference"]["exact"] == "23/60"
    assert found["independent"] is True
    code, out, _ = call(capsys, SURVEY, *options)
    assert code == 0
    assert "telling record 1 is 1 from record 1 is 0" in out
    assert "Differential privacy allows at most 1/50 (0.02)" in " ".join(out.split())


def test_ties_between_records_are_said(capsys):
    options = ("--belief", "explicit(111=1/2, 000=1/2)", "--person", "2", "--alternative", "1")
    code, out, _ = call(capsys, SURVEY, *options)
    assert code == 0
    assert "ties record 2 to the others" in " ".join(out.split())
    _, out, _ = call(capsys, SURVEY, *options, "--level", "1/20", "--json")
    assert "largest_power" not in json.loads(out)


def test_sets_of_values_are_lists(capsys):
    options = ("--belief", "uniform", "--alternative", "1, 2", "--null", "0", "--json")
    _, out, _ = call(capsys, "random-index(records=2, values=3)", *options)
    assert json.loads(out)["alternative"] == ["1", "2"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([SURVEY], "name the two databases"),
        ([SURVEY, "111"], "name the two databases"),
        ([SURVEY, "111", "110", "--belief", "uniform"], "not both"),
        ([SURVEY, "--belief", "uniform"], "also needs --alternative"),
        ([SURVEY, "--alternative", "1"], "also needs --belief"),
        ([SURVEY, "--belief", "uniform", "--alternative", "1", "--person", "0"], "at least 1"),
        ([SURVEY, "--belief", "uniform", "--alternative", "1", "--person", "4"], "there are 3"),
    ],
)
def test_bad_questions_exit_2(capsys, arguments, said):
    code, _, err = call(capsys, *arguments)
    assert code == 2
    assert said in " ".join(err.split())


def test_corners_left_out_are_counted(capsys):
    code, out, _ = call(capsys, "geometric(ratio=2)", "0", "60")
    assert code == 0
    assert "22 of 62 corners are left out here: --json lists them all." in out
    assert "just below 1" in out


@pytest.mark.parametrize(
    ("mechanism", "power"),
    [("gaussian(sigma=2)", 0.126134), ("laplace(scale=2)", 0.0824361)],
)
def test_densities_have_a_power_at_one_level(capsys, mechanism, power):
    code, out, _ = call(capsys, mechanism, "0", "1", "--level", "0.05", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["power"]["value"] == pytest.approx(power, rel=1e-5)
    assert found["corners"] == []
    assert len(found["points"]) == 6
    code, out, _ = call(capsys, mechanism, "0", "1", "--level", "0.05")
    assert code == 0
    assert "At level 1/20 (0.05) the best power is" in out
    assert "--level asks for any other" in out


def test_a_sure_test_is_not_said_to_find_one_of_the_cases(capsys):
    _, out, _ = call(capsys, "identity(bits=2)", "11", "10")
    assert "finds it in at most 1 of the cases" not in out
    assert "A test can find 11 whenever it is true" in out


def test_a_power_below_one_is_not_written_as_one(capsys):
    code, out, _ = call(capsys, "laplace(scale=1/20)", "--level", "1/200", "--", "-3", "2")
    assert code == 0
    assert "the best power is 1 - 50*e^(-100) (just below 1)." in out
    assert "(1)" not in out
    _, out, _ = call(capsys, "laplace(scale=1/20)", "--level", "1/200", "--json", "--", "-3", "2")
    found = json.loads(out)
    for power in (found["power"], *(point["power"] for point in found["points"])):
        assert power["upper"] <= 1
    _, out, _ = call(capsys, "gaussian(sigma=1/20)", "--", "-3", "2")
    assert "just below" in out
    assert "(1)" not in out


def test_nothing_is_missed_less_often_than_never(capsys):
    _, out, _ = call(capsys, "gaussian(sigma=1/50)", "--level", "1/2", "--json", "--", "-3", "2")
    assert json.loads(out)["type_two"]["lower"] == 0
    _, out, _ = call(capsys, "gaussian(sigma=1/50)", "--", "-3", "2")
    rows = [line.split() for line in out.splitlines() if line.startswith("  1/")]
    assert {row[-1] for row in rows} == {"0"}


def test_the_misses_of_laplace_noise_are_simplified(capsys):
    _, out, _ = call(capsys, "laplace(epsilon=1)", "1", "0")
    assert "1/2*e^(-1) (0.18394)" in out
    assert "1 - (1" not in out
