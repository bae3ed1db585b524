"""What everything released from a dataset lets anyone learn: which numbers are said, and when."""

import math
import re

import pytest

from twoworlds.release.answers.words import learned, unit_text
from twoworlds.release.budget import Spent, parse_cap
from twoworlds.release.costs import parse_cost
from twoworlds.release.policy.model import Dataset, Unit

ROWS, REPLACED = "rows, by add-remove", "rows, by substitute"
EVERYTHING = "Everything released from people so far, together"


def said(cap, *costs, unit=ROWS):
    spent = Spent()
    for cost in costs:
        spent = spent.plus(parse_cost(cost))
    return learned("people", unit, parse_cap(cap), spent, released=bool(costs))


def right(sentence):
    """Return the share that is guessed right, as said."""
    found = re.search(r"of ([0-9,]+) .*?at most ([0-9,]+)", sentence)
    of, most = (int(text.replace(",", "")) for text in found.groups())
    return of, most


def near(sentence, epsilon, delta=0.0):
    of, most = right(sentence)
    chance = (math.exp(epsilon) + delta) / (1 + math.exp(epsilon))
    return most - 1 <= of * chance <= most


def test_pure_costs_are_said_by_their_sum():
    found = said("epsilon=3", "1/2", "1/4", "1/4")
    assert found["so_far"].startswith(f"{EVERYTHING}: of 100 people in your position, someone who")
    assert near(found["so_far"], 1)
    assert near(found["whole_budget"], 3)
    assert found["whole_budget"].startswith("If the whole budget of people is spent: of 100 people")
    assert found["you"] == "Here you are one row, and your record is that row."


def test_nothing_released_is_said_to_be_nothing():
    assert said("epsilon=1")["so_far"] == "Nothing has been released from people so far."
    free = said("epsilon=1", "0")["so_far"]
    assert free.endswith("(50 without your data): the output says nothing about whether you are "
                         "in the data.")  # fmt: skip


def test_with_deltas_all_of_the_delta_that_the_budget_allows_is_said():
    """The deltas paid so far would be too little at a moment that answers choose."""
    found = said("epsilon=3, delta=1e-3, tail=1e-4", "epsilon=1/2, delta=1e-6", "1/2")
    assert found["so_far"].startswith(
        f"{EVERYTHING}, with all of the delta that its budget allows: of 100 people"
    )
    assert "with probability up to 0.0009 the output" in found["so_far"]
    assert near(found["so_far"], 1, 0.0009)
    assert "with probability up to 0.001 the output" in found["whole_budget"]


TIGHTER = "epsilon=3, delta=1e-3, composition=tighter"


@pytest.mark.parametrize(
    "costs", [["rho=1/100"], ["0.1"] * 31, ["rho=1/100", "epsilon=0.1, delta=1e-5"]]
)
def test_where_only_the_cap_is_a_promise_its_numbers_are_said_and_no_reading(costs):
    found = said(TIGHTER, *costs)
    assert found["so_far"].startswith(
        f"{EVERYTHING}, stays within its budget, if that was set before the first release: of 100"
    )
    assert near(found["so_far"], 3, 0.001)
    assert "with probability up to 0.001 the output" in found["so_far"]


def test_a_few_pure_costs_under_the_tighter_rule_are_said_by_their_sum():
    assert near(said(TIGHTER, *["0.1"] * 10)["so_far"], 1)


def test_a_budget_in_rho_is_said_by_what_its_divergence_allows():
    """By Pinsker's inequality: events differ by sqrt(rho/2), a quarter, at most."""
    found = said("rho=1/8", "rho=1/16")
    for sentence in (found["so_far"], found["whole_budget"]):
        assert right(sentence) == (100, 63)
    assert near(said("rho=1/8", "0.1", "0.2")["so_far"], 0.3)


def test_a_budget_below_what_was_spent_promises_nothing_about_it():
    assert near(said("epsilon=1/2", "1")["so_far"], 1)  # pure costs need no promise
    for cap, cost in (("epsilon=1", "rho=1/8"), ("epsilon=1, delta=1e-9", "1/2, delta=1e-6")):
        found = said(cap, cost)["so_far"]
        assert found.startswith("More was spent on people than its budget now allows")
        whole = "More than the whole budget of people is spent: nothing more can be charged."
        assert said(cap, cost)["whole_budget"] == whole == said("epsilon=1/2", "1")["whole_budget"]
    assert said("epsilon=1", "1")["whole_budget"].startswith("If the whole budget of people")


@pytest.mark.parametrize(
    ("unit", "who"),
    [
        (REPLACED, "someone who knows everyone else and guesses at even odds between two"),
        (None, "of 100 guesses at even odds between two neighbouring databases, at most"),
        (
            "people by 'id' (at most 2 rows, 1 groups), by add-remove",
            "guesses at even odds whether each is in the data would get",
        ),
    ],
)
def test_the_words_are_those_of_the_neighbours(unit, who):
    assert who in said("epsilon=3", "1", unit=unit)["so_far"]
    assert who in said("epsilon=3, delta=1e-6", "1, delta=1e-7", unit=unit)["so_far"]


def test_the_unit_of_a_dataset_is_read_back():
    person = Unit("x', by substitute", 3, 2)
    for neighbours in ("add-remove", "substitute"):
        for unit, you in ((Unit(), "one row"), (person, "one person")):
            text = unit_text(Dataset("people", None, neighbours, unit))
            found = said("epsilon=1", "1", unit=text)
            assert ("each is in the data" in found["so_far"]) == (neighbours == "add-remove")
            assert you in found["you"]


def test_costs_beyond_all_meaning_are_said_to_promise_nothing():
    found = said("epsilon=10000000000", "5000000000")
    assert "epsilon 5e9 promises nothing" in found["so_far"]
    assert "epsilon 1e10 promises nothing" in found["whole_budget"]
    assert "promises nothing" in said("rho=100000", "rho=1")["so_far"]


def test_a_name_with_odd_characters_is_written_out():
    found = learned("a\x1b[31m", None, None, Spent(), released=False)
    assert found["so_far"] == "Nothing has been released from a\\x1b[31m so far."
