"""Commands about one belief: local, condition."""

import pytest

from tests.cli.calling import call, data
from twoworlds.cli import run


def test_where_a_mechanism_is_private_and_what_follows(capsys):
    found = data(capsys, "local", "geometric(ratio=2, bits=3)", "--ratio", "2")
    assert found["outside"]["exact"] == "0"
    assert run(["local", "geometric(ratio=2, bits=3)", "--ratio", "2"]) == 0
    assert "8 of 8 databases" in capsys.readouterr().out


def test_noise_for_a_sensitivity_that_most_databases_do_not_exceed(capsys):
    belief, median = "explicit(111=99/100, 110=1/100)", "python:statistics:median"
    where = ("--universe", "bits(3)", "--belief", belief)
    asked = ("--statistic", median, "--threshold", "1/2", "--epsilon", "1")
    found = data(capsys, "local", *asked, *where)
    assert found["outside"]["exact"] == "1/100"
    assert found["scale"]["exact"] == "1/2"


def test_conditioning_shows_the_corrected_bound(capsys):
    found = data(
        capsys, "condition", "s,1=1/10; c,1=9/10", "c,1=1", "--ratio", "3", "--inner", "1/20"
    )
    assert found["delta"]["exact"] == "1/10"
    assert found["corrected"]["exact"] == "77/10"


def test_words_of_both_commands_define_no_letters(capsys):
    assert run(["local", "randomized-response(bits=3, keep=3/4)", "--ratio", "2"]) == 0
    out = capsys.readouterr().out
    assert "in place of the record" in " ".join(out.split())
    assert "delta_2" not in out
    laws = ("s,1=1/10; c,1=9/10", "c,1=1")
    assert run(["condition", *laws, "--ratio", "3", "--inner", "1/20"]) == 0
    out = capsys.readouterr().out
    assert "B'" not in out
    assert "7.7" not in out
    assert "says nothing" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["local"], "--statistic"),
        (["local", "geometric(ratio=2, bits=3)"], "ratio"),
        (["local", "--statistic", "median"], "--universe"),
        (["local", "geometric(ratio=2, bits=3)", "--statistic", "median"], "one of them"),
        (["condition", "s=1", "c,1=1", "--ratio", "3", "--inner", "1/20"], "pair"),
        (["condition", "s,1=1; s,1=1", "c,1=1", "--ratio", "3", "--inner", "1/20"], "twice"),
        (["condition", "s,1=1/2", "c,1=1", "--ratio", "3", "--inner", "1/20"], "sum to 1"),
        (["condition", "s,1=1", "c,1=1", "--inner", "1/20"], "ratio"),
    ],
)
def test_bad_input_is_said_with_exit_2(capsys, arguments, said):
    assert run(arguments) == 2
    assert said in capsys.readouterr().err


def test_no_record_at_all_is_for_counts_and_refused_elsewhere_with_a_way_out_that_works(capsys):
    counts, reports = "geometric(ratio=2, bits=3)", "randomized-response(bits=3, keep=3/4)"
    assert call(capsys, "local", counts, "--ratio", "2", "--default", "none")[0] == 0
    code, _, err = call(capsys, "local", reports, "--ratio", "3", "--default", "none")
    assert code == 2
    assert "use one of the values, 1, 0" in err
    for value in ("1", "0"):
        assert call(capsys, "local", reports, "--ratio", "3", "--default", value)[0] == 0
