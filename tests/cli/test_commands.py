"""The command line as a person or a program meets it: exit codes, words, JSON."""

import json
import os
import re
import subprocess
import sys

import pytest

import twoworlds as tw
from tests.cli.calling import call
from twoworlds.calls import Registry
from twoworlds.definitions import DEFINITIONS
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.named.load import MECHANISMS
from twoworlds.noiseless import SIZES
from twoworlds.worlds.beliefs import BELIEFS
from twoworlds.worlds.catalogue import UNIVERSES
from twoworlds.worlds.classes import CLASSES
from twoworlds.worlds.scrubs import SCRUBS
from twoworlds.worlds.sides import SIDES
from twoworlds.worlds.statistics import STATISTICS

MATRIX = """11,10,01,00
9/16,3/16,3/16,1/16
3/16,9/16,1/16,3/16
3/16,1/16,9/16,3/16
1/16,3/16,3/16,9/16
"""


def data(capsys, *arguments: str) -> dict:
    code, out, err = call(capsys, *arguments, "--json")
    assert err == ""
    return {"exit": code, **json.loads(out)}


def test_measure_gives_ratio_epsilon_and_an_output_as_witness(capsys):
    found = data(capsys, "measure", "randomized-response(bits=2, keep=3/4)")
    assert found["exit"] == 0
    assert found["ratio"] == {"exact": "3", "value": 3.0}
    assert found["epsilon"]["exact"] == "ln 3"
    assert found["epsilon"]["lower"] <= 1.0986122886681098 <= found["epsilon"]["upper"]
    first, second = found["witness"]["databases"]
    assert sum(a != b for a, b in zip(first, second, strict=True)) == 1
    p, q = (entry["value"] for entry in found["witness"]["output_probabilities"])
    assert p == 3 * q
    assert len(found["witness"]["output"]) == 2


def test_measure_at_a_ratio_gives_delta_and_its_event(capsys):
    found = data(capsys, "measure", "randomized-response(bits=1, keep=3/4)", "--ratio", "2")
    assert found["delta"] == {"exact": "1/4", "value": 0.25}
    assert found["witness"]["event"] == ["1"]
    assert found["witness"]["databases"] == ["1", "0"]


def test_check_refutes_random_index_at_every_ratio(capsys):
    claim = "dp(ratio=1000, delta=0.2)"
    code, out, err = call(capsys, "check", "random-index(records=4, values=3)", claim)
    assert (code, err) == (1, "")
    assert "does NOT hold" in out
    assert "1/4 (0.25)" in out
    found = data(capsys, "check", "random-index(records=4, values=3)", claim)
    assert found["exit"] == 1
    assert found["holds"] is False
    assert found["delta"]["exact"] == "1/4"


def test_check_of_a_true_claim_exits_zero(capsys):
    code, out, _ = call(capsys, "check", "geometric(ratio=2)", "dp(epsilon=0.7)")
    assert code == 0
    assert "dp(epsilon=7/10) holds" in out


def test_forty_bits_need_no_matrix(capsys):
    found = data(capsys, "measure", "randomized-response(bits=40, keep=3/4)")
    assert found["ratio"]["exact"] == "3"
    assert len(found["witness"]["output"]) == 40


def test_measures_a_csv_matrix_whose_header_names_the_databases(capsys, tmp_path):
    (tmp_path / "matrix.csv").write_text(MATRIX)
    found = data(capsys, "measure", "matrix.csv", "--neighbours", "substitute")
    assert found["ratio"]["exact"] == "3"
    assert "in bits(2)" in found["assumptions"][0]


def test_words_come_before_numbers(capsys):
    _, out, _ = call(capsys, "measure", "randomized-response(bits=1, keep=3/4)")
    assert out.index("at most 75 right (50") < out.index("ratio")
    assert out.endswith("\nMore: add --more.\n")
    assert "odds of at most 3 to 1" not in out
    _, out, _ = call(capsys, "measure", "randomized-response(bits=1, keep=3/4)", "--more")
    assert out.index("ratio") < out.index("odds of at most 3 to 1")
    assert out.count("○") == 50
    assert out.count("●") == 25
    assert "--more" not in out
    assert "neighbours by substitute" in out


@pytest.mark.parametrize(
    ("arguments", "key", "exact"),
    [
        (("--delta", "1/4"), "ratio", "2"),
        (("--epsilon", "ln 2"), "delta", "1/4"),
        (("--group", "2"), "ratio", "9"),
        (("--neighbours", "11~00"), "ratio", "9"),
        (("--definition", "statistical-difference"), "epsilon", "1/2"),
        (("--definition", "pointwise(ratio=2)"), "delta", "1"),
    ],
)
def test_measure_answers_what_is_asked(capsys, arguments, key, exact):
    found = data(capsys, "measure", "randomized-response(bits=2, keep=3/4)", *arguments)
    assert found[key]["exact"] == exact


def test_an_irrational_answer_carries_its_enclosure(capsys):
    found = data(capsys, "measure", "gaussian(sigma=1)", "--epsilon", "1")
    assert found["delta"]["exact"] is None
    assert found["delta"]["lower"] <= found["delta"]["upper"] == found["delta"]["value"]
    assert found["delta"]["upper"] == pytest.approx(0.12693673750664397, rel=1e-12)


def test_profile_prints_exact_pieces(capsys):
    found = data(capsys, "measure", "randomized-response(bits=1, keep=3/4)", "--profile")
    assert [piece["constant"]["exact"] for piece in found["profile"]] == ["3/4", "0"]
    _, out, _ = call(capsys, "measure", "randomized-response(bits=1, keep=3/4)", "--profile")
    assert re.search(r"3/4 - 1/4 a +1 <= a <= 3", out)


def test_show_prints_and_saves_the_matrix(capsys, tmp_path):
    _, out, _ = call(capsys, "show", "randomized-response(bits=2, keep=3/4)")
    assert [line.split() for line in out.splitlines() if line.split()[:1] == ["11"]] == [
        ["11", "9/16", "3/16", "3/16", "1/16"]
    ]
    for name in ("saved.csv", "saved.json"):
        code, _, _ = call(capsys, "show", "geometric(ratio=2)", "--save", name)
        assert code == 2  # infinitely many outputs cannot be saved
        code, _, _ = call(capsys, "show", "parity(bits=3)", "--save", name)
        assert code == 0
        assert data(capsys, "measure", name)["ratio"]["exact"] == "inf"


def test_show_of_one_entry_works_for_any_size(capsys):
    found = data(
        capsys,
        *("show", "randomized-response(bits=40, keep=3/4)"),
        *("--database", "1" * 40, "--output", "1" * 40),
    )
    assert found["matrix"] == [[{"exact": f"{3**40}/{4**40}", "value": 0.75**40}]]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("kind", "registry"),
    [
        ("mechanisms", MECHANISMS),
        ("definitions", DEFINITIONS),
        ("universes", UNIVERSES),
        ("statistics", STATISTICS),
        ("beliefs", BELIEFS),
        ("classes", CLASSES),
        ("sides", SIDES),
        ("private", SCRUBS),
        ("sizes", SIZES),
    ],
)
def test_list_names_everything_with_one_line_each(capsys, kind: str, registry: Registry):
    found = data(capsys, "list", kind)
    assert [entry["name"] for entry in found[kind]] == [entry.name for entry in registry]
    assert all(entry["summary"].endswith((".", "...")) for entry in found[kind])
    _, out, _ = call(capsys, "list")
    assert all(entry.usage in out for entry in registry)


def test_sensitivity_says_which_relation(capsys):
    universe = "records(values=[a, b, c], n=50)"
    code, out, _ = call(capsys, "sensitivity", "histogram", "--universe", universe, "--json")
    assert code == 0
    found = {
        entry["relation"]: entry["sensitivity"]["exact"]
        for entry in json.loads(out)["sensitivities"]
    }
    assert found == {"substitute": "2", "add-remove": "1"}


def test_show_of_outputs_that_are_no_numbers_says_how_to_name_one(capsys):
    adaptive = (
        "adaptive(count, cuts=[1/2], then=[constant, count], noise=geometric(ratio=2), "
        "universe=bits(1))"
    )
    code, out, err = call(capsys, "show", adaptive)
    assert (code, out) == (2, "")
    assert "--output '(0; 1)'" in " ".join(err.split())
    code, out, _ = call(capsys, "show", adaptive, "--output", "(0; 1)")
    assert code == 0
    assert "(0; 1)" in out


@pytest.mark.parametrize("name", ["mean", "count", "proportion"])
def test_sensitivity_under_one_relation_is_that_of_both(capsys, name):
    asked = ("sensitivity", name, "--universe", "bits(3)", "--json")
    both = json.loads(call(capsys, *asked)[1])["sensitivities"]
    for one in both:
        code, out, _ = call(capsys, *asked, "--neighbours", one["relation"])
        assert code == 0
        assert json.loads(out)["sensitivities"] == [one]


def test_local_sensitivity_of_a_python_function(capsys):
    arguments = ("python:statistics:median", "--universe", "bits(3)", "--at", "110")
    code, out, _ = call(capsys, "sensitivity", *arguments, "--neighbours", "substitute", "--json")
    assert code == 0
    assert json.loads(out)["sensitivities"][0]["sensitivity"]["exact"] == "1"


def test_error_puts_the_exact_value_next_to_the_printed_bound(capsys):
    found = data(capsys, "error", "laplace(scale=1)", "--dimension", "50", "--t", "1/2")
    largest = found["errors"][-1]
    assert largest["exact"]["value"] == pytest.approx(4.49920533832943)
    assert largest["printed"]["value"] == pytest.approx(4.91202300542815)


def test_error_of_a_survey_names_the_crossover(capsys):
    found = data(capsys, "error", "randomized-response(bits=100, keep=3/4)")
    assert found["errors"][0]["exact"]["exact"] == "75"
    assert "from 3 people on" in found["remark"]


@pytest.mark.parametrize(
    ("arguments", "ratio"),
    [
        (("laplace", "--sensitivity", "2", "--epsilon", "1/2"), "e^(1/2)"),
        (("laplace", "--ratio", "3"), "3"),
        (("geometric", "--error", "3/4"), "3"),
        (("geometric", "--sensitivity", "2", "--ratio", "9"), "9"),
    ],
)
def test_calibrate_finds_the_noise_for_a_price_or_an_error(capsys, arguments, ratio):
    found = data(capsys, "calibrate", *arguments)
    assert data(capsys, "measure", found["mechanism"])["ratio"]["exact"] == ratio


def test_demo_prints_price_pair_event_and_odds(capsys):
    code, out, _ = call(capsys, "demo", "mechanisms")
    assert code == 0
    for needed in ("ln 3", "ln 2", "worst pair", "event", "at most 75 right (50 without"):
        assert needed in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["measure", "randomised-response(bits=2, keep=3/4)"], "'randomized-response'?"),
        (["measure", "randomized-response(bits=2, keep=1.2)"], "keep=1.2 is not a probability"),
        (["measure", "randomized-response(bits=2, keep=nan)"], "keep='nan' is not a number"),
        (["measure", "randomized-response(bits=2)"], "exactly one of keep, ratio and epsilon"),
        (["measure", "randomized-response(bits=0, keep=3/4)"], "at least 1"),
        (["measure", "skellam(1)"], "skellam needs both means: write l1=2, l2=2"),
        (
            ["measure", "skellam(1, 2, 3, 4, 5)"],
            "takes at most 4 arguments without a name, 5 given",
        ),
        (["measure", "skellam(1, 1, mean=3)"], "unknown argument of skellam 'mean'"),
        (["measure", "skellam(1, 1"], "closed at the end"),
        (["measure", "records(values=[], n=1)"], "unknown mechanism"),
        (["measure", "missing.csv"], "cannot be read: No such file"),
        (["measure", "."], "is not a call"),
        (["measure", "python:no.such.module:thing"], "cannot be loaded"),
        (["measure", "python:math:pi"], "must be a Mechanism"),
        (["measure", "geometric(ratio=2)", "--ratio", "1/2"], "must be at least 1"),
        (
            ["measure", "geometric(ratio=2)", "--ratio", "2", "--delta", "0"],
            "leave one of the two out",
        ),
        (["measure", "geometric(ratio=2)", "--delta", "2"], "probability from 0 to 1"),
        (["measure", "geometric(ratio=2)", "--group", "0"], "at least 1"),
        (["measure", "geometric(ratio=2)", "--neighbours", "friends"], "neighbour relation"),
        (["measure", "geometric(ratio=2)", "--definition", "pd"], "'dp'?"),
        (["measure", "randomized-response(bits=9, keep=3/4)", "--neighbours", "add-remove"], "all"),
        (["check", "geometric(ratio=2)", "dp"], "no numbers to check"),
        (["check", "geometric(ratio=2)", "dp(epsilon=-1)"], "epsilon is at least 0"),
        (["check", "geometric(ratio=2)", "dp(ratio=2, epsilon=1)"], "one of them, not both"),
        (["show", "randomized-response(bits=30, keep=3/4)"], "choose one with --database"),
        (["show", "randomized-response(bits=30, keep=3/4)", "--save", "x.csv"], "structure"),
        (["show", "geometric(ratio=2)", "--database", "red"], "'red' is not in integers"),
        (["list", "mechanism"], "'mechanisms'?"),
        (["sensitivity", "cout", "--universe", "bits(3)"], "'count'?"),
        (["sensitivity", "count", "--universe", "records(values=[], n=3)"], "universe is empty"),
        (["error", "parity(bits=3)"], "adds no noise of known error"),
        (["error", "randomized-response(bits=3, keep=1/2)"], "no unbiased estimate exists"),
        (
            ["measure", "parity(bits=2)", "--profile", "--ratio", "2"],
            "--profile is the whole curve",
        ),
        (["show", "parity(bits=2)", "--database", "11", "--save", "x.csv"], "the whole matrix"),
        (["sensitivity", "python:statistics:variance", "--universe", "bits(1)"], "failed on (1,)"),
        (["measure", "geometric(ratio=2)", "--group", "1e30"], "is too large"),
        (["measure", "discrete-gaussian(sigma=-1)"], "sigma=-1 must be above 0"),
        (["check", "parity(bits=2)", "semantic(epsilon=2)"], "epsilon=2 is out of range"),
        (["calibrate", "gauss", "--epsilon", "1"], "unknown noise to calibrate 'gauss'"),
        (["calibrate", "laplace"], "exactly one of --epsilon, --ratio, --rho, --mu and --error"),
        (["calibrate", "laplace", "--epsilon", "0"], "above 0"),
        (["measure"], "MECHANISM is missing: a call such as 'geometric(ratio=2)'"),
        (["posterior", "parity(bits=2)"], "--belief is missing: the attacker"),
        (["ledger", "remark", "policy.yml"], "--reason is missing: why the mark is missing"),
        (["serve", "--port", "x"], "--port is a whole number: "),
        (["proposals"], "did you mean 'review'?"),
        (["ledger", "show", "."], "name the file of the ledger"),
        (["measure", "geometric(ratio=2)", "--fast"], "--fast"),
        (["mesure", "geometric(ratio=2)"], "mesure"),
    ],
)
def test_bad_input_exits_two_with_the_way_out_in_a_line_or_two(capsys, arguments, said):
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("twoworlds: ")
    assert err.count("\n") <= 2
    assert "Traceback" not in err


@pytest.mark.parametrize("group", ["account", "attack", "ledger", "policy", "strategy"])
def test_a_group_alone_lists_its_commands_and_asks_for_one(capsys, group):
    code, out, err = call(capsys, group)
    assert (code, out) == (2, "")
    assert err.startswith(f"Usage: twoworlds {group} ")
    assert err.endswith("\n\ntwoworlds: say which of these commands\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,0\n1/2,1/2\n1/4,1/2\n", "column 1 sums to 3/4 (0.75), it must sum to 1 (1/4"),
        ("1,0\n-1/2,1/2\n3/2,1/2\n", "is negative"),
        ("1,0\nnan,1/2\n1/2,1/2\n", "is not a number"),
        ("1,0\n1/2\n1/2,1/2\n", "line 2: 1 entries for 2 databases"),
        ("", "needs a header"),
        ("1,1\n1,1\n", "named twice"),
        ("1\n1\n", "no two neighbouring databases"),
    ],
)
def test_a_bad_matrix_says_what_is_wrong_where(capsys, tmp_path, text, said):
    (tmp_path / "bad.csv").write_text(text)
    code, _, err = call(capsys, "measure", "bad.csv")
    assert code == 2
    assert said in err


def test_no_command_prints_the_help(capsys):
    code, out, _ = call(capsys)
    assert code == 0
    assert "measure" in out


def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m twoworlds list | head -1"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False, env=dict(os.environ)
    )
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


def test_an_internal_error_is_one_line_and_asks_for_a_report(capsys, monkeypatch):
    def explode(*_arguments: object, **_options: object) -> None:
        raise ZeroDivisionError("boom")

    monkeypatch.setattr("twoworlds.definitions.measure", explode)
    code, _, err = call(capsys, "measure", "geometric(ratio=2)")
    assert code == 70
    assert "please report" in err


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ('check "geometric(ratio=2)" "dp(ratio=2)" | head -1', 0),
        ('check "geometric(ratio=2)" "dp(ratio=3/2)" | true', 1),
        ("list | head -1", 0),
    ],
)
def test_a_reader_who_leaves_does_not_change_the_verdict(command, code):
    shell = f"set -o pipefail; {sys.executable} -m twoworlds {command}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert "Error" not in done.stderr


def test_sensitivity_of_a_group_looks_at_as_many_more_records(capsys):
    arguments = ("sensitivity", "count", "--universe", "bits(1)", "--group", "10", "--json")
    code, out, _ = call(capsys, *arguments)
    assert code == 0
    found = {
        entry["relation"]: entry["sensitivity"]["exact"]
        for entry in json.loads(out)["sensitivities"]
    }
    assert found == {"substitute": "1", "add-remove": "10"}


def test_the_claim_keeps_the_neighbours_it_is_about(capsys):
    claim = "dp(ratio=9, neighbours='111~100')"
    found = data(capsys, "check", "randomized-response(bits=3, keep=3/4)", claim)
    assert "111~100" in found["definition"]


def test_a_function_with_arguments_is_told_from_a_mechanism(capsys):
    code, _, err = call(capsys, "measure", "python:statistics:median")
    assert code == 2
    assert "goes to: audit python:statistics:median" in " ".join(err.split())


def test_a_matrix_with_a_row_for_each_database_is_told_to_swap():
    with pytest.raises(InvalidInput, match="swap rows and columns"):
        tw.measure([["1/2", "1/2"], ["1/4", "3/4"]])


def test_usage_names_every_argument_that_is_needed(capsys):
    _, _, err = call(capsys, "measure", "fixed-sample(gaussian(sigma=1), size=10)")
    assert "usage: fixed-sample(noise, size, of)" in err


@pytest.mark.parametrize("given", [(), ("--pair", "[0, 0] ~ [1, 0]")])
def test_an_audit_says_which_databases_it_made_up(capsys, tmp_path, monkeypatch, given):
    (tmp_path / "reveals.py").write_text("def all_of(x): return list(x)\n")
    monkeypatch.chdir(tmp_path)
    code, out, _ = call(capsys, "audit", "python:reveals:all_of", "--epsilon", "1", *given)
    assert code == 1
    assert ("The databases are guessed" in " ".join(out.split())) == (not given)
