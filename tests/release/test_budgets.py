"""What a policy and its ledger say together, without writing anything."""

import duckdb
import pytest

from twoworlds.release import Curator, read_policy
from twoworlds.release.ledger.views import budgets

POLICY = """
ledger: ledger.db
datasets:
  people:
    source: people.parquet
    neighbours: add-remove
    unit: row
    columns: {age: {kind: integer, bounds: [0, 110]}}
    budget: BUDGET
  animals:
    neighbours: add-remove
    unit: row
    columns: {age: {kind: integer, bounds: [0, 110]}}
"""
TIGHTER = "{epsilon: 3, delta: 1e-6, composition: tighter}"


@pytest.fixture
def policy(tmp_path):
    """A function that writes the policy with a budget and reads it."""
    duckdb.sql("SELECT unnest([1, 2, 30]) AS age").write_parquet(str(tmp_path / "people.parquet"))

    def written(budget):
        (tmp_path / "policy.yml").write_text(POLICY.replace("BUDGET", budget))
        return read_policy(tmp_path / "policy.yml")

    return written


def spend(policy, cost, times):
    with Curator.open(policy) as curator:
        for n in range(times):
            answer = curator.release(f"SELECT COUNT(*) FROM people WHERE age < {n}", cost)
        return curator.budget(), answer


def test_it_says_what_the_curator_says(policy):
    read = policy(TIGHTER)
    said, _ = spend(read, "0.1", 3)
    people, animals = budgets(read)
    assert [people] == said["datasets"]
    assert (animals["dataset"], animals["analysts"]) == ("animals", [])
    assert animals["learned"]["so_far"] == "Nothing has been released from animals so far."
    assert animals["learned"]["whole_budget"] is None


def test_before_the_first_release_nothing_is_spent_and_nothing_is_written(policy, tmp_path):
    people, _ = budgets(policy(TIGHTER))
    assert people["left"]["epsilon"]["exact"] == "3"
    assert people["by_rule"] == {"basic composition": people["spent"]}
    assert [one["analyst"] for one in people["analysts"]] == ["curator"]
    assert not (tmp_path / "ledger.db").exists()


def test_another_cap_counts_what_was_spent_under_the_one_before(policy):
    spend(policy("epsilon=1"), "0.1", 4)
    people, _ = budgets(policy("epsilon=1/2"))
    assert people["spent"]["epsilon"]["exact"] == "2/5"
    assert people["left"]["epsilon"]["exact"] == "1/10"
    people, _ = budgets(policy(TIGHTER))
    assert people["composition"] == "tighter"
    assert people["left"]["epsilon"]["exact"] == "13/5"
    people, _ = budgets(policy("epsilon=1/4"))
    assert people["left"]["epsilon"]["exact"] == "0"


def test_an_answer_names_the_rule_that_counts(policy):
    _, answer = spend(policy("{epsilon: 3, delta: 0.1, composition: tighter}"), "0.2", 20)
    told = answer.to_dict()["spent"]
    assert told["people"]["rule"] == told["curator"]["rule"] == "zCDP composition"
    assert told["people"]["by_rule"]["basic composition"]["epsilon"]["exact"] == "4"
    words = " ".join(answer.explain().split())
    assert "Spent so far (people, curator): epsilon about 1.73357, delta 0.05" in words
    assert "by zCDP composition; the plain sum would be epsilon 4." in words
