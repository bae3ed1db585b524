"""The facts that one can give to ``implies``: counts, symmetric, tagged, decided."""

import json

import pytest

from twoworlds.cli import run


def call(capsys, *arguments):
    code = run(["implies", *arguments])
    out, err = capsys.readouterr()
    return code, " ".join(out.split()), " ".join(err.split())


def test_dp_of_ordered_records_is_refuted_with_the_way_out(capsys):
    code, out, _ = call(capsys, "dp(ratio=3)", "--to", "ddp(ratio=3)")
    assert code == 1
    assert "does NOT imply ddp(ratio=3)" in out
    assert "need delta 9/128 at ratio 3" in out
    assert "give symmetric=yes" in out


@pytest.mark.parametrize("fact", [["--symmetric"], ["--tagged"], ["--records", "2"]])
def test_a_fact_about_the_place_makes_it_true(capsys, fact):
    code, out, _ = call(capsys, "dp(ratio=3)", "--to", "ddp(ratio=3)", *fact)
    assert code == 0
    assert "a record can be put where one is missing" in out
    assert ("simulators are told whose record" in out) == (fact == ["--tagged"])
    assert call(capsys, "dp(ratio=3)", "--to", "inference-ddp(ratio=9)", *fact)[0] == 0


def test_coupled_worlds_counts_pairs(capsys):
    given = ("coupled-worlds(ratio=2, delta=1/1000)", "--to", "inference-coupled-worlds")
    assert "give pairs=" in call(capsys, *given)[1]
    code, out, _ = call(capsys, *given, "--pairs", "10", "--json")
    assert code == 0
    assert json.loads(out)["conclusion"]["pairs"] == 10
    code, _, err = call(capsys, *given, "--records", "10")
    assert code != 0
    assert "give pairs=" in err


def test_a_secret_is_decided_only_if_that_is_said(capsys):
    claim = ("pufferfish(epsilon=0)", "--to", "inference-pufferfish(epsilon=0)")
    assert call(capsys, *claim, "--values", "2")[0] == 2
    assert "give decided=yes" in call(capsys, *claim)[1]
    assert call(capsys, *claim, "--decided")[0] == 0


def test_groups_are_refused_for_definitions_of_one_person(capsys):
    given = "ddp(ratio=2, delta=1/5000, records=20, group=2)"
    code, _, err = call(capsys, given, "--to", "inference-ddp")
    assert code != 0
    assert "pairs= their number" in err
