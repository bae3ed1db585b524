"""Ledgers whose caps add up by the tighter rule, and ledgers that were written before."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from twoworlds.release.budget import BASIC, CONCENTRATED
from twoworlds.release.costs import Cost
from twoworlds.release.ledger import Ledger, LedgerDamaged, OverBudget, export, verify_export
from twoworlds.release.ledger.entries import Entry
from twoworlds.release.ledger.views import read_export

TIGHTER = "epsilon=2, delta=0.02, composition=tighter"
EARLIER = Path(__file__).with_name("earlier.jsonl")


@pytest.fixture
def ledger(new_file):
    with Ledger.create(new_file()) as made:
        for analyst in (None, "ann"):
            made.set_cap("people", TIGHTER, analyst=analyst)
        yield made


def fill(ledger, cost):
    """Charge queries of a cost until one does not fit; return their number."""
    for n in range(1000):
        try:
            ledger.reserve("people", "ann", {"cost": str(cost), "number": n}, cost)
        except OverBudget as refused:
            return n, str(refused)
    raise AssertionError("the cap stops nothing")


def test_many_small_charges_go_beyond_the_plain_sum_and_the_reading_says_so(ledger):
    count, refused = fill(ledger, "0.1")
    assert count == 61
    assert "by zCDP composition; the plain sum would be epsilon 6.1" in refused
    state, people = ledger.state(), ("people", None)
    used = state.cap(people).used(state.spent[people])
    assert (used.rule, used.all[BASIC]) == (CONCENTRATED, Cost(Fraction(61, 10)))
    assert ledger.spent("people") == used.cost
    assert used.cost.epsilon <= 2
    assert used.cost.delta == Fraction(1, 100)
    ledger.reserve("people", "ann", "the rest", ledger.left("people"))
    with pytest.raises(OverBudget):
        ledger.reserve("people", "ann", "more", "1e-9")


def test_after_a_change_to_basic_composition_nothing_more_fits(ledger):
    fill(ledger, "0.1")
    ledger.set_cap("people", "epsilon=2, delta=0.02")
    assert ledger.left("people") == Cost()
    with pytest.raises(OverBudget, match=r"spent epsilon 6\.1 by basic composition"):
        ledger.reserve("people", "ann", "more", "1e-9")


def test_a_ledger_that_was_written_before_keeps_its_meaning():
    """Its epsilons counted as epsilon^2 / 2 when they were charged, which is a little more."""
    entries = read_export(EARLIER)
    plain, rho, tailed = verify_export(entries)["datasets"]
    assert (plain["rule"], plain["left"]) == (BASIC, Cost().to_dict())
    assert rho["cap"] == "rho=1/20"
    assert 0.0499 < rho["spent"]["rho"]["value"] < 0.05
    assert (tailed["composition"], tailed["rule"]) == ("tighter", CONCENTRATED)
    assert tailed["by_rule"][BASIC]["epsilon"]["exact"] == "61/10"
    caps = {item["entry"]["concentrated"] for item in entries if item["entry"]["kind"] == "cap"}
    assert caps == {"0", "1/20", "152539/500000"}


def test_an_entry_beyond_both_rules_does_not_verify(ledger):
    """What the ledger would refuse is refused in its history, too, even with the right hashes."""
    fill(ledger, "0.1")
    entries = [*export(ledger.location.path)]
    last = entries[-1]
    content = {"dataset": "people", "analyst": "ann", "query": "more", "request": None}
    for cost, fits in (("epsilon=1/1000", True), ("epsilon=1/10", False)):
        row = Entry.of(
            last["sequence"] + 1, last["hash"], "now", "reserve", {**content, "cost": cost}
        )
        forged = {"sequence": row.sequence, "hash": row.hash, "entry": json.loads(row.body)}
        if fits:
            verify_export([*entries, forged])
        else:
            with pytest.raises(LedgerDamaged, match="does not fit"):
                verify_export([*entries, forged])
