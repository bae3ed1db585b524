"""Commands that say what epsilon means: posterior, tradeoff, implies, theorems, explain."""

import pytest

import twoworlds
from tests.cli.calling import call, data
from twoworlds.definitions import DEFINITIONS
from twoworlds.errors import Unsupported
from twoworlds.report import promises
from twoworlds.theorems import KINDS, THEOREMS
from twoworlds.worlds import belief as beliefs


def test_semantic_privacy_of_noisy_parity_is_one_half_with_its_belief(capsys):
    arguments = ("measure", "noisy-parity(bits=2, keep=3/4)", "--definition", "semantic")
    found = data(capsys, *arguments)
    assert found["epsilon"]["exact"] == "1/2"
    belief = found["witness"]["belief"]
    assert {mass["exact"] for mass in belief.values()} == {"1/2"}


def test_dp_implies_the_hyperbolic_tangent_and_shows_the_printed_bound(capsys):
    found = data(capsys, "implies", "dp(epsilon=0.1)", "--to", "semantic")
    assert found["epsilon"]["value"] == pytest.approx(0.0499583749578799, rel=1e-12)
    _, out, _ = call(capsys, "implies", "dp(epsilon=0.1)", "--to", "semantic")
    assert "Theorem 2.2" in out
    assert "0.1051709181" in out


def test_with_delta_both_theorem_and_sharper_form_are_shown_with_their_conditions(capsys):
    guarantee = "dp(epsilon=0.1, delta=1e-9)"
    _, out, _ = call(capsys, "implies", guarantee, "--to", "semantic", "--records", "1000")
    assert "Theorem 2.4(1)" in out
    assert "S4" in out
    _, out, _ = call(capsys, "implies", guarantee, "--to", "semantic")
    assert "needs the number of records" in out


def test_the_false_printed_converse_is_never_concluded(capsys):
    guarantee = "semantic(epsilon=0.1, delta=0.01)"
    found = data(capsys, "implies", guarantee, "--to", "dp")
    assert found["ratio"]["value"] > 1.4
    code, out, _ = call(capsys, "implies", guarantee, "--to", "dp(epsilon=0.3, delta=0.02)")
    assert code == 1
    assert "does NOT imply" in out
    assert "printed, false" in out


def test_posterior_puts_both_games_side_by_side(capsys):
    arguments = (
        *("posterior", "randomized-response(bits=2, keep=3/4)"),
        *("--belief", "independent(3/4, 1/2)", "--output", "11", "--secret", "parity"),
    )
    found = data(capsys, *arguments)
    assert found["chances"]["prior"]["exact"] == "1/2"
    assert found["chances"]["game 0"]["exact"] == "3/10"
    assert [d["exact"] for d in found["differences"]] == ["3/20", "1/4"]
    _, out, _ = call(capsys, *arguments)
    assert "without person 2" in out


def test_tradeoff_gives_exact_corners(capsys):
    found = data(capsys, "tradeoff", "geometric(ratio=2)", "0", "3", "--level", "1/20")
    assert found["power"]["exact"] == "2/5"
    assert [c["power"]["exact"] for c in found["corners"]] == ["0", "2/3", "5/6", "11/12", "1"]


def test_explain_says_for_whom_the_odds_hold(capsys):
    _, out, _ = call(capsys, "explain", "dp(epsilon=0.5)", "--more")
    assert "by at most 24.5 percentage points" in out
    assert "1 to 99 become at most 1 to 36" in out
    assert "knows everybody else's record" in out
    found = data(capsys, "explain", "dp(ratio=3)")
    half = found["beliefs"][-1]
    assert (half["knows_all_others"]["exact"], half["any_belief"]["exact"]) == ("3/4", "9/10")
    _, out, _ = call(capsys, "explain", "geometric(ratio=2)")
    assert "dp(ratio=2)" in out
    _, out, _ = call(capsys, "explain", "random-index(records=4)", "--more")
    assert "impossible in the other world" in out


def test_the_table_of_explain_names_the_belief_it_starts_from(capsys):
    _, out, _ = call(capsys, "explain", "dp(ratio=3)", "--more")
    assert "belief without your data" in out
    assert "a belief of" not in out


def test_explain_tells_tiny_and_huge_numbers_from_their_limits(capsys):
    _, out, _ = call(capsys, "explain", "dp(epsilon=1e-30)", "--more")
    assert out.count("just above 50%") == 3
    assert "50.1%" not in out
    _, out, _ = call(capsys, "explain", "dp(epsilon=50)", "--more")
    assert "2.8e41 to 1" in " ".join(out.split())
    assert out.count("just below 100%") == 7
    _, out, _ = call(capsys, "explain", "dp(epsilon=1e-6, neighbours=add-remove)", "--more")
    assert "odds of at most 1.000002 to 1: 50% becomes at most 50.00003%" in " ".join(out.split())


def test_explain_uses_what_the_mechanism_itself_does_to_beliefs(capsys):
    found = data(capsys, "explain", "randomized-response(bits=40, keep=3/4)")
    assert "26.8 percentage points" in found["sentences"][2]
    assert found["beliefs"][-1]["any_belief"]["exact"] == "3/4"
    assert found["swing"]["exact"] == "3"
    assert found["mechanism"] == "randomized-response(bits=40, keep=3/4)"
    found = data(capsys, "explain", "noisy-parity(bits=2, keep=3/4)")
    assert found["beliefs"][-1]["any_belief"]["exact"] == "9/10"


def test_explain_says_when_only_the_price_of_a_mechanism_is_known(capsys, monkeypatch):
    def measure(built, **asked):
        if asked:
            raise Unsupported("no semantic value")
        return twoworlds.measure(built)

    monkeypatch.setattr(promises, "measure", measure)
    _, out, _ = call(capsys, "explain", "randomized-response(bits=2, keep=3/4)", "--more")
    assert "50 percentage points" in out
    assert "odds and beliefs are those of every mechanism with dp(ratio=3)" in out


def test_explain_takes_definitions_with_a_belief(capsys):
    code, out, _ = call(capsys, "explain", "local-semantic(belief=uniform, epsilon=0.1)")
    assert code == 0
    assert "belief=uniform" in out
    code, _, err = call(capsys, "explain", "dp(belief=uniform, epsilon=0.1)")
    assert code == 2
    assert "belief" in err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("gamma-amplification(gamma=19)", "multiplies the odds by at most 19: 1% becomes at most"),
        ("frapp(gamma=3)", "at most 3 times as likely for one true value as for any other"),
        ("linear('x1 <= 3 x0')", "odds of database 1 against database 0 by at most 3."),
        ("mutual-information(nats=0.02)", "on average over the answers, by at most 10 percentage"),
        ("f-dp('0:1, 1/4:1/2, 1:0')", "in at least 50% of the cases if it gives a false alarm in"),
    ],
)
def test_explain_has_words_for_definitions_that_no_theorem_knows(capsys, text, words):
    code, out, _ = call(capsys, "explain", text, "--more")
    assert code == 0
    assert words in " ".join(out.split())
    assert "assumes" in out
    assert words in " ".join(data(capsys, "explain", text)["sentences"])


def test_a_definition_without_words_is_said_to_have_none(capsys, monkeypatch):
    monkeypatch.setattr(promises, "_of_definition", lambda _definition: None)
    code, out, err = call(capsys, "explain", "frapp(gamma=19)")
    assert (code, out) == (2, "")
    assert "has no words for frapp; it has for dp, " in " ".join(err.split())


def test_explain_has_words_for_every_definition():
    known = {entry.name for entry in DEFINITIONS}
    assert known - set(KINDS) == {
        "crowd-blending",
        "f-dp",
        "frapp",
        "gamma-amplification",
        "linear",
        "mutual-information",
        "original-noiseless",
    }


@pytest.mark.parametrize("text", ["f-dp", "frapp", "gamma-amplification", "mutual-information"])
def test_explain_needs_the_number_of_a_definition(capsys, text):
    code, out, err = call(capsys, "explain", text)
    assert (code, out) == (2, "")
    assert f"write {text}(" in err


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("given", "claim", "code"),
    [
        ("dp(epsilon=0.1)", "dp(epsilon=0.2)", 0),
        ("dp(epsilon=0.2)", "dp(epsilon=0.1)", 1),
        ("dp(epsilon=0.1, delta=1e-9, records=1000)", "semantic(epsilon=0.0517, delta=1e-5)", 1),
        ("dp(epsilon=0.1, delta=1e-9)", "semantic(epsilon=0.0517, delta=1e-5)", 2),
        ("dp(epsilon=0.1, delta=1e-9)", "semantic", 2),
        ("dp(epsilon=1, neighbours=add-remove)", "dp(epsilon=1)", 1),
        ("dp(epsilon=1, neighbours=add-remove)", "dp(epsilon=2)", 0),
        ("dp(epsilon=1, neighbours=add-remove)", "dp(epsilon=1, neighbours=add-remove)", 0),
        ("dp(epsilon=1)", "dp(epsilon=1, group=2)", 1),
        ("dp(epsilon=1)", "dp(epsilon=9, delta=0.9, neighbours=add-remove)", 1),
    ],
)
def test_the_exit_code_of_implies_is_the_answer(capsys, given, claim, code):
    assert call(capsys, "implies", given, "--to", claim)[0] == code
    assert call(capsys, "implies", given, "--to", claim, "--json")[0] == code


def test_posterior_compares_with_and_without_in_percentage_points(capsys):
    sure = ("--belief", "explicit(11=1/2, 00=1/2)", "--output", "11")
    _, out, _ = call(capsys, "posterior", "identity(bits=2)", *sure)
    moved = "moves the belief about the whole database by 50 percentage points away from the prior"
    assert moved in " ".join(out.split())
    assert "it gives that person away" in out
    assert "adds to that" not in out
    survey = ("posterior", "randomized-response(bits=2, keep=3/4)", "--belief", "uniform")
    _, out, _ = call(capsys, *survey, "--output", "11")
    assert "conclusions differ by at most 25 percentage points" in " ".join(out.split())
    assert "the default value 0" in out
    _, out, _ = call(capsys, "posterior", "parity(bits=1)", "--belief", "uniform", "--output", "0")
    assert "percentage points away" in out
    blind = ("posterior", "randomized-response(bits=2, keep=1/2)", "--belief", "uniform")
    _, out, _ = call(capsys, *blind, "--output", "11")
    assert "leaves the belief about the whole database as it was" in out
    assert "leads to the same conclusions" in " ".join(out.split())


def test_posterior_of_a_secret_gives_its_odds(capsys):
    arguments = ("posterior", "randomized-response(bits=2, keep=3/4)", "--belief", "uniform")
    _, out, _ = call(capsys, *arguments, "--output", "11", "--secret", "1=1")
    lines = {line.split("  ")[1]: line.split()[-3:] for line in out.splitlines() if " to " in line}
    assert lines["before"] == ["1", "to", "1"]
    assert lines["with everyone"] == ["3", "to", "1"]
    _, out, _ = call(capsys, *arguments, "--output", "00", "--secret", "1=1")
    assert "1 to 3" in out
    sure = ("posterior", "identity(bits=2)", "--belief", "uniform")
    _, out, _ = call(capsys, *sure, "--output", "01", "--secret", "1=1")
    assert "0 to 1" in out
    _, out, _ = call(capsys, *sure, "--output", "11", "--secret", "1=1")
    assert "certain" in out


def test_a_posterior_just_below_one_is_not_written_as_one(capsys):
    near = ("posterior", "randomized-response(bits=1, keep=999999999/1000000000)")
    _, out, _ = call(capsys, *near, "--belief", "independent(999/1000)", "--output", "1")
    (row,) = (line for line in out.splitlines() if line.startswith("  1 "))
    assert row.split()[3:6] == ["just", "below", "1"]
    far = ("posterior", "gaussian(sigma=2, bits=3)", "--belief", "uniform", "--output", "1e9")
    _, out, _ = call(capsys, *far)
    assert "1, or just below" in out


def test_a_secret_is_named_in_the_order_given(capsys):
    arguments = ("posterior", "randomized-response(bits=2, keep=3/4)", "--belief", "uniform")
    found = data(capsys, *arguments, "--output", "11", "--secret", "11,01, 10")
    assert found["secret"] == "the database is 11 or 01 or 10"


def test_posterior_of_forty_records_is_given_record_by_record(capsys):
    arguments = ("posterior", "randomized-response(bits=40, keep=3/4)", "--belief", "uniform")
    arguments = (*arguments, "--output", "1" * 40)
    code, out, _ = call(capsys, *arguments)
    assert code == 0
    assert "record 12 is 1   1/2 (0.5)   3/4 (0.75)      1/2 (0.5)" in out
    assert "... and 28 records more" in out
    found = data(capsys, *arguments, "--secret", "7=0")
    assert found["chances"]["prior"]["exact"] == found["chances"]["game 7"]["exact"] == "1/2"
    assert found["chances"]["game 0"]["exact"] == found["chances"]["game 1"]["exact"] == "1/4"
    assert len(found["records"]) == found["persons"] == 40
    assert found["records"][39]["game_0"]["1"]["exact"] == "3/4"
    _, _, err = call(capsys, *arguments, "--secret", "1" * 40)
    assert "ask about single records" in " ".join(err.split())
    _, _, err = call(capsys, *arguments, "--picture", "x.svg")
    assert "no chart" in err


@pytest.mark.parametrize("secret", ["1=1", "record 3=0", "odd", "even"])
@pytest.mark.parametrize(
    ("mechanism", "output"),
    [
        ("randomized-response(bits=3, keep=3/4)", "101"),
        ("identity(bits=3)", "010"),
    ],
)
def test_many_records_are_answered_as_few_are(capsys, monkeypatch, mechanism, output, secret):
    arguments = ("posterior", mechanism, "--belief", "independent(1/3, 1/5, 1/2)")
    arguments = (*arguments, "--output", output, "--secret", secret)
    listed = data(capsys, *arguments)
    monkeypatch.setattr(beliefs, "LARGEST_SUPPORT", 1)
    by_record = data(capsys, *arguments)
    assert len(by_record["records"]) == 3
    for name in ("chances", "differences", "prior_to_posterior", "secret", "persons", "default"):
        assert by_record[name] == listed[name]
    for i, laws in enumerate(by_record["records"]):
        total = sum(mass["value"] for x, mass in listed["game_0"].items() if x[i] == "1")
        assert laws["game_0"]["1"]["value"] == pytest.approx(total)


def test_many_records_that_differ_are_answered_without_their_total(capsys):
    laws = ", ".join(f"1/{p}" for p in range(3, 43))
    arguments = ("posterior", "randomized-response(bits=40, keep=3/4)")
    arguments = (*arguments, "--belief", f"independent({laws})", "--output", "10" * 20)
    code, out, _ = call(capsys, *arguments)
    assert code == 0
    assert "record 1 is 1" in out


def test_a_belief_that_moves_almost_wholly_is_not_said_to_move_wholly(capsys):
    arguments = ("posterior", "randomized-response(bits=30, keep=9999/10000)", "--belief")
    _, out, _ = call(capsys, *arguments, "uniform", "--output", "1" * 30)
    assert "just below 100 percentage points away" in " ".join(out.split())


def test_posterior_says_how_many_databases_it_leaves_out(capsys):
    arguments = ("posterior", "randomized-response(bits=5, keep=3/4)", "--belief", "uniform")
    _, out, _ = call(capsys, *arguments, "--output", "11111")
    assert "... and 16 databases more" in out


def test_theorems_are_listed_and_shown_one_by_one(capsys):
    listed = data(capsys, "theorems")
    assert [theorem["name"] for theorem in listed["theorems"]] == list(THEOREMS)
    for name, theorem in THEOREMS.items():
        code, out, _ = call(capsys, "theorems", name)
        assert code == 0
        assert theorem.citation.split(",")[0] in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["implies", "dp(epsilon=1)", "--to", "moon"], "unknown kind of guarantee"),
        (["implies", "dp(epsilon=-1)", "--to", "semantic"], "epsilon is at least 0"),
        (["implies", "dp(delta=2, epsilon=1)", "--to", "semantic"], "delta"),
        (["implies", "moon(1)", "--to", "dp"], "unknown kind of guarantee"),
        (["theorems", "fermat"], "unknown theorem"),
        (["explain", "nonsense"], "unknown mechanism"),
        (["explain", "nonsense"], ", dp, "),
        (["explain", "epsilon 1"], "such as dp(epsilon=1) or laplace(epsilon=1)"),
        (["explain", "laplace noise"], "such as dp(epsilon=1) or laplace(epsilon=1)"),
        (["explain", "epsilon"], "write dp(epsilon=1), or a mechanism such as laplace(epsilon=1)"),
        (["explain", ""], "is not a call"),
        (["tradeoff", "geometric(ratio=2)", "0", "0"], "told from itself"),
        (["tradeoff", "geometric(ratio=2)", "0", "1", "--level", "2"], "between 0 and 1"),
        (["posterior", "parity(bits=2)", "--belief", "uniform", "--output", "7"], "is not in"),
        (
            ["posterior", "parity(bits=2)", "--belief", "explicit(11=1)", "--output", "1"],
            "cannot occur",
        ),
        (
            [
                *("posterior", "parity(bits=2)", "--belief", "explicit(11=1/2, 00=1/2)"),
                *("--output", "0", "--secret", "even"),
            ],
            "is certain under this belief already",
        ),
        (
            [
                *("posterior", "parity(bits=2)", "--belief", "uniform"),
                *("--output", "0", "--default", "5"),
            ],
            "default=5 is not a value",
        ),
    ],
)
def test_bad_input_exits_two_in_a_line_or_two(capsys, arguments, said):
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") <= 2


def test_names_are_read_whatever_their_case(capsys):
    assert call(capsys, "explain", "DP(epsilon=1)") == call(capsys, "explain", "dp(epsilon=1)")
    assert call(capsys, "measure", "Laplace(epsilon=1)")[0] == 0


@pytest.mark.parametrize("asked", [["measure"], ["compose", "--times", "10"]])
def test_an_infinite_ratio_names_the_flag_that_makes_it_finite(capsys, asked):
    command, *rest = asked
    words = " ".join(call(capsys, command, "gaussian(sigma=4)", *rest)[1].split())
    assert "as --delta 1e-6" in words
    assert call(capsys, command, "gaussian(sigma=4)", *rest, "--delta", "1e-6")[0] == 0
