"""Several releases at once: each is charged on its own, and all wait for the disk together."""

import os
import signal
import sqlite3
import sys
from fractions import Fraction

import pytest

from twoworlds.errors import UnknownName
from twoworlds.release import Curator, OverBudget, ReleaseFailed
from twoworlds.release.forms import Released, Request
from twoworlds.release.ledger import Ledger, LedgerUnavailable, journal, show, verify


def counting(number):
    return f"SELECT COUNT(*) FROM people WHERE income >= {number}"


def wanted(number, cost="1/10", analyst="ann"):
    return Request([counting(number)], cost, analyst)


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "ledger.db") as made:
        made.set_cap("people", "epsilon=1")
        made.set_cap("people", "epsilon=1", analyst="ann")
        made.set_cap("people", "epsilon=1/2", analyst="bob")
        yield made


def charges(*costs, analyst="ann"):
    return [("people", analyst, {"number": n}, cost, None) for n, cost in enumerate(costs)]


def test_each_is_charged_and_one_that_does_not_fit_leaves_the_others_alone(ledger):
    found = ledger.reserve_each(charges("1/2", "3/4", "1/4", "1/2", "1/4"))
    assert [type(one) is OverBudget for one in found] == [False, True, False, True, False]
    assert ledger.spent("people").epsilon == 1
    assert verify(ledger.location.path)["ok"]


def test_the_same_query_twice_is_paid_once_and_has_one_answer(ledger):
    [one] = charges("1/4")
    first, second = ledger.reserve_each([one, one])
    assert (first.entry, str(first.paid)) == (second.entry, "epsilon=1/4")
    assert str(second.paid) == "epsilon=0"
    assert ledger.commit_each([(first, 1), (second, 2)]) == [1, 1]
    assert ledger.spent("people").epsilon == Fraction(1, 4)


def test_many_charges_are_one_transaction_and_many_answers_one_more(ledger, monkeypatch):
    store, sign, counts = ledger._store, ledger._sign, []
    writing, sync = store.writing, sign.sync
    monkeypatch.setattr(store, "writing", lambda: counts.append("transaction") or writing())
    monkeypatch.setattr(sign, "sync", lambda point: counts.append("mark") or sync(point))
    paid = ledger.reserve_each(charges(*["1/100"] * 20))
    assert counts == ["transaction"]
    assert ledger.commit_each([(one, {"value": i}) for i, one in enumerate(paid)]) == [
        {"value": i} for i in range(20)
    ]
    assert counts == ["transaction", "transaction", "mark"]
    assert ledger._sign.read().synced == ledger.state().point


def test_when_the_disk_is_full_none_is_charged_and_the_next_attempt_charges_all(ledger):
    store = ledger._store
    real = store._connection

    class Full:
        in_transaction = True

        def execute(self, sql, *given):
            if sql == "COMMIT":
                raise sqlite3.OperationalError("database or disk is full")
            return real.execute(sql, *given)

    store._connection = Full()
    with pytest.raises(LedgerUnavailable):
        ledger.reserve_each(charges("1/4", "1/4"))
    store._connection = real
    assert ledger.spent("people").epsilon == 0
    assert [one.paid.epsilon for one in ledger.reserve_each(charges("1/4", "1/4"))] == [
        Fraction(1, 4)
    ] * 2
    assert ledger.spent("people").epsilon == Fraction(1, 2)
    assert verify(ledger.location.path)["ok"]


def test_a_refused_charge_does_not_make_the_ledger_read_itself_anew(ledger, monkeypatch):
    def replay(*_):
        raise AssertionError("read from the first entry")

    monkeypatch.setattr(journal, "replay", replay)
    with pytest.raises(OverBudget):
        ledger.reserve("people", "ann", {"number": 1}, "2")
    ledger.reserve("people", "ann", {"number": 1}, "1")
    assert ledger.spent("people").epsilon == 1


# --- releases -----------------------------------------------------------------------------------


def test_good_and_bad_releases_go_together(curator):
    found = curator.release_each(
        [
            wanted(1),
            Request(["SELECT COUNT(*) FROM nobody"], "1", "ann"),
            wanted(2, "100"),
            wanted(3, analyst="carl"),
            wanted(1, analyst="bob"),
            wanted(1),
        ]
    )
    kinds = [Released, UnknownName, OverBudget, UnknownName, Released, Released]
    assert [type(one) for one in found] == kinds
    rows = [one.answers[0].rows() for one in found if isinstance(one, Released)]
    assert rows[0] == rows[1] == rows[2]
    assert curator.ledger.spent("people").epsilon == Fraction(1, 10)
    assert curator.ledger.spent("people", "bob").epsilon == Fraction(1, 10)


def test_what_fails_after_its_charge_leaves_the_others_alone(curator, monkeypatch):
    compute = Curator._compute

    def sometimes(self, question):
        fails = "999" in str(question.statement)
        return None if fails else compute(self, question)

    monkeypatch.setattr(Curator, "_compute", sometimes)
    found = curator.release_each([wanted(1), wanted(999), wanted(2)])
    assert [type(one) for one in found] == [Released, ReleaseFailed, Released]
    assert curator.ledger.spent("people").epsilon == Fraction(3, 10)
    monkeypatch.undo()
    [again] = curator.release_each([wanted(999)])
    assert str(again.charge.paid) == "epsilon=0"


@pytest.mark.parametrize("stride", [41, pytest.param(1, marks=pytest.mark.slow)])
def test_kill_9_at_steps_of_releases_together_leaves_no_answer_unpaid(hospital, stride):
    from tests.release.failures.worker import die_at, run_child

    policy, shown = hospital / "policy.yml", hospital / "shown"
    with Curator.open(policy) as curator:  # loads what is needed, in this process
        curator.release(counting(0), "1/1000", analyst="ann")
    for step in range(1, 10_000, stride):
        numbers = [3 * step, 3 * step + 1, 3 * step + 2]

        def release(numbers=numbers):
            with Curator.open(policy) as curator:
                found = curator.release_each([wanted(n, "1/1000") for n in numbers])
                shown.write_text(repr([one.answers[0].rows() for one in found]))

        def attempt(step=step, release=release):
            die_at(step, "reserve_each")
            release()
            sys.setprofile(None)

        shown.unlink(missing_ok=True)
        before = show(hospital / "ledger.db")
        status = run_child(attempt)
        after = show(hospital / "ledger.db")
        charged, answered = (after[name] - before[name] for name in ("charges", "answered"))
        assert charged in (0, 3), "all become durable together"
        assert answered in (0, charged)
        given = shown.read_text() if shown.exists() else ""
        assert not given or answered == 3
        assert run_child(release) == 0
        last = show(hospital / "ledger.db")
        assert last["charges"] == last["answered"] == before["charges"] + 3
        assert given in ("", shown.read_text()), "another answer"
        if not os.WIFSIGNALED(status):
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
    assert step > 20
    assert verify(hospital / "ledger.db")["ok"]
