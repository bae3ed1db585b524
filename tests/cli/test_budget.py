"""`twoworlds budget` and `policy check` where a budget adds up by the tighter rule."""

import json

import duckdb
import pytest

from tests.cli.calling import call
from twoworlds.release import Curator

POLICY = """
ledger: ledger.db
datasets:
  people:
    source: people.parquet
    neighbours: add-remove
    unit: row
    columns: {age: {kind: integer, bounds: [0, 110]}}
    budget: {epsilon: 3, delta: 0.1, composition: tighter}
    analysts: {ann: "epsilon=3, delta=0.1, composition=tighter", bob: rho=1/8}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    duckdb.sql("SELECT unnest([1, 2, 30]) AS age").write_parquet(str(tmp_path / "people.parquet"))
    (tmp_path / "policy.yml").write_text(POLICY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_rule_that_counts_is_named_with_what_the_other_would_say(capsys):
    with Curator.open("policy.yml") as curator:
        for n in range(19):
            curator.ledger.reserve("people", "ann", n, "0.2")
    asked = "SELECT COUNT(*) FROM people"
    _, out, _ = call(capsys, "release", asked, "--epsilon", "0.2", "--analyst", "ann")
    assert "by zCDP composition; the plain sum would be epsilon 4." in " ".join(out.split())
    for command in (("budget",), ("ledger", "show", "policy.yml")):
        _, out, _ = call(capsys, *command)
        assert "zCDP composition (plain sum: epsilon 4)" in " ".join(out.split())
        _, out, _ = call(capsys, *command, "--json")
        people = json.loads(out)["datasets"][0]
        assert (people["composition"], people["rule"]) == ("tighter", "zCDP composition")
        assert people["by_rule"]["basic composition"]["epsilon"]["exact"] == "4"
        assert people["by_rule"]["zCDP composition"] == people["spent"]


def test_a_charge_without_an_answer_is_named(capsys):
    with Curator.open("policy.yml") as curator:
        entry = curator.ledger.reserve("people", "ann", "a question", "0.2").entry
    _, out, _ = call(capsys, "ledger", "show", "policy.yml")
    assert f"Entry {entry}, asked of people by ann, is paid and not answered" in " ".join(
        out.split()
    )


def test_what_all_releases_together_let_anyone_learn_is_said_everywhere(capsys):
    _, out, _ = call(capsys, "budget")
    assert "Nothing has been released from people so far. If the whole" in " ".join(out.split())
    call(capsys, "release", "SELECT COUNT(*) FROM people", "--epsilon", "1/2", "--analyst", "ann")
    said = []
    for command in (("budget",), ("ledger", "show", "policy.yml")):
        _, out, _ = call(capsys, *command, "--json")
        said.append(json.loads(out)["datasets"][0]["learned"])
        _, out, _ = call(capsys, *command)
        assert " ".join(said[-1].values()) in " ".join(out.split())
    with Curator.open("policy.yml") as curator:
        said.append(curator.budget()["datasets"][0]["learned"])
    assert said[0] == said[1] == said[2]
    assert "would get at most 63 right (50 without your data)" in said[0]["so_far"]
    call(capsys, "release", "SELECT SUM(age) FROM people", "--rho", "1/1000", "--analyst", "ann")
    _, out, _ = call(capsys, "budget")
    assert "stays within its budget, if that was set before the first release" in " ".join(
        out.split()
    )


def test_every_part_of_a_wide_table_says_whose_account_it_is(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    _, out, _ = call(capsys, "budget")
    assert out.count("everybody") == out.count("bob") == out.count("dataset") > 1


def test_policy_check_says_how_costs_add_up(capsys):
    _, out, _ = call(capsys, "policy", "check", "policy.yml")
    words = " ".join(out.split())
    assert "budget epsilon 3, delta 0.1, tail 0.05: a query is let through by the tighter" in words
    assert "analyst ann: epsilon 3, delta 0.1, tail 0.05 analyst bob: rho 0.125: rhos add" in words
    _, out, _ = call(capsys, "policy", "check", "policy.yml", "--json")
    assert json.loads(out)["datasets"][0]["composition"] == "tighter"


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ("{epsilon: 3, composition: tighter}", "needs a delta"),
        ("{epsilon: 3, delta: 1e-6, composition: optimal}", "composition=tighter"),
        ("{epsilon: 3, delta: 1e-6, composition: optimal}", "--each 1/10 --delta 1e-6"),
        ("{epsilon: 3, delta: 1e-6, composition: none}", "basic or tighter"),
    ],
)
def test_a_budget_that_cannot_be_is_refused_in_a_line(capsys, folder, budget, said):
    text = POLICY.replace("{epsilon: 3, delta: 0.1, composition: tighter}", budget)
    (folder / "policy.yml").write_text(text)
    code, _, err = call(capsys, "policy", "check", "policy.yml")
    assert code == 2
    assert said in err
    assert "people: budget" in err
    assert err.count("\n") <= 2


@pytest.mark.parametrize(
    ("words", "more"),
    [
        ("budget", ["--json"]),
        ("review", []),
        ("ledger verify", []),
        ("ledger show", ["--json"]),
        ("policy check", []),
    ],
)
def test_a_policy_is_named_by_its_place_or_by_an_option(capsys, folder, words, more):
    (folder / "policy.yml").rename(folder / "own.yml")
    with Curator.open("own.yml"):
        pass
    command = words.split()
    for policy in (["own.yml"], ["--policy", "own.yml"], ["--policy=own.yml"]):
        said = [call(capsys, *command, *policy, *more), call(capsys, *command, *more, *policy)]
        assert [code for code, _, _ in said] == [0, 0], said
        assert said[0] == said[1]


def test_a_verification_names_the_caps_that_changed_and_those_exceeded_since(capsys, folder):
    """By the policy alone at first, and once the ledger has its lowered cap."""
    exceeded = "dataset 'people': epsilon 2 is spent, of now epsilon 1"

    def declare(epsilon):
        text = POLICY[: POLICY.index("    budget")] + f"    budget: epsilon={epsilon}\n"
        (folder / "policy.yml").write_text(text)

    def ask(epsilon):
        call(capsys, "release", "SELECT COUNT(*) FROM people", "--epsilon", epsilon)

    def verified(place="policy.yml"):
        code, out, err = call(capsys, "ledger", "verify", place)
        assert (code, err) == (0, "")
        assert "no charge exceeded the budget of its time" in " ".join(out.split())
        return " ".join(out.split())

    declare(4)
    ask("2")
    assert "note" not in verified()
    declare(1)
    assert exceeded in verified()
    assert "note" not in verified("ledger.db")
    ask("1/2")
    assert "changed the cap from epsilon 4 to epsilon 1" in verified("ledger.db")
    assert exceeded in verified("ledger.db")
    declare(10)
    ask("1/2")
    assert "changed the cap from epsilon 1 to epsilon 10" in verified()
    assert exceeded not in verified()


def test_what_was_spent_under_another_name_of_a_dataset_is_told(capsys, folder):
    call(capsys, "release", "SELECT COUNT(*) FROM people", "--epsilon", "1/2", "--analyst", "ann")
    text = (folder / "policy.yml").read_text()
    (folder / "policy.yml").write_text(text.replace("  people:\n", "  folk:\n"))
    _, out, _ = call(capsys, "budget")
    assert (
        "people is in the ledger and not in the policy. If its people are also in folk, add what "
        "was spent on it: epsilon 0.5." in " ".join(out.split())
    )


def test_a_share_of_the_answer_is_no_error_to_stay_within(capsys):
    asked = "SELECT COUNT(*) FROM people"
    code, _, err = call(capsys, "release", asked, "--within", "5%")
    assert code == 2
    assert "--within 5% is a share" in err
    assert call(capsys, "release", asked, "--within", "10")[0] == 0
