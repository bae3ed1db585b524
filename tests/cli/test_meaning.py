"""Commands that say what epsilon means: posterior, tradeoff, implies, theorems, explain."""

import json

import pytest

from twoworlds.cli import run
from twoworlds.theorems import THEOREMS


@pytest.fixture(autouse=True)
def _wide_and_plain(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")


def call(capsys, *arguments: str) -> tuple[int, str, str]:
    code = run(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def data(capsys, *arguments: str):
    code, out, err = call(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


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
    _, out, _ = call(capsys, "explain", "dp(epsilon=0.5)")
    assert "by at most 24.5 percentage points" in out
    assert "1 to 99 become at most 1 to 36" in out
    assert "know everybody else's record" in out
    found = data(capsys, "explain", "dp(ratio=3)")
    half = found["beliefs"][-1]
    assert (half["knows_all_others"]["exact"], half["any_belief"]["exact"]) == ("3/4", "9/10")
    _, out, _ = call(capsys, "explain", "geometric(ratio=2)")
    assert "dp(ratio=2)" in out
    _, out, _ = call(capsys, "explain", "random-index(records=4)")
    assert "impossible in the other world" in out


def test_theorems_are_listed_and_shown_one_by_one(capsys):
    listed = data(capsys, "theorems")
    assert [theorem["name"] for theorem in listed] == list(THEOREMS)
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
        (["explain", ""], "is not a call"),
        (["tradeoff", "geometric(ratio=2)", "0", "0"], "own neighbour"),
        (["tradeoff", "skellam(1, 1)", "0", "1"], "infinitely many"),
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
