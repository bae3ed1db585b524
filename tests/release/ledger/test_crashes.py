"""Crashes, full disks and many writers: spent >= answered, always (failures 10, 11 of a ledger)."""

import os
import subprocess
from collections import defaultdict
from fractions import Fraction

import pytest

from twoworlds.release.ledger import Ledger, export, show, verify


def given_answers(log):
    """All answers that anybody was given, by query; a query may be answered many times."""
    found = defaultdict(set)
    for line in log.read_text().splitlines():
        number, answer = line.split()
        found[int(number)].add(answer)
    return found


def check_paid(path, log):
    """Every answer given is stored, one for each query, and every one of them is paid."""
    assert verify(path)["ok"]
    charges, stored = {}, {}
    for item in export(path):
        entry = item["entry"]
        if entry["kind"] == "reserve":
            charges[item["sequence"]] = entry["query"]["query"]
        elif entry["kind"] == "answer":
            stored[charges[entry["charge"]]] = entry["answer"]
    given = given_answers(log)
    assert {number: {stored[number]} for number in given} == given
    spent = Fraction(show(path)["datasets"][0]["spent"]["epsilon"]["exact"])
    assert spent == Fraction(len(charges), 1000) >= Fraction(len(stored), 1000)
    return len(charges), len(given)


STEPS = [
    pytest.param("calls", 25, id="around every call that has an effect"),
    pytest.param("lines", 200, id="before every line", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("kind", "least"), STEPS)
def test_a_crash_at_any_step_of_a_payment_leaves_no_answer_unpaid(path, run, kind, least):
    found = run("every_step", path, kind)
    assert found["problems"] == []
    assert found["status"] == 0
    assert found["killed"] > least


MAKING = [
    pytest.param("calls", 4, 20, id="around some calls that have an effect"),
    pytest.param("calls", 1, 25, id="around every one of them", marks=pytest.mark.slow),
    pytest.param("lines", 1, 200, id="before every line", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("kind", "stride", "least"), MAKING)
def test_a_crash_at_any_step_of_making_a_ledger_leaves_one_that_can_be_made(
    new_place, run, kind, stride, least
):
    found = run("every_step_of_create", new_place(), kind, stride)
    assert found["status"] == 0
    assert found["killed"] > least


def raised(path, cap, analysts):
    with Ledger.open(path) as ledger:
        ledger.set_cap("people", cap)
        for analyst in analysts:
            ledger.set_cap("people", "epsilon=2", analyst=analyst)


def check_killed_at_random(path, log, run, rounds, *apart):
    """In every second round somebody was answered before they were killed."""
    raised(path, "epsilon=100", ["ann"])
    log.touch()
    assert run("random_times", path, log, rounds, 7, *apart)["ok"]
    charges, answered = check_paid(path, log)
    assert charges >= answered >= rounds // 2


@pytest.mark.parametrize("rounds", [10, pytest.param(25, marks=pytest.mark.slow)])
def test_killing_writers_at_random_times_leaves_no_answer_unpaid(folder, path, run, rounds):
    check_killed_at_random(path, folder / "log", run, rounds)


@pytest.mark.slow
@pytest.mark.postgresql
def test_killing_writers_on_many_machines_leaves_no_answer_unpaid(folder, address, run):
    check_killed_at_random(address, folder / "log", run, 25, "apart")


def check_contention(path, run, *apart):
    raised(path, "epsilon=5", [f"analyst {me}" for me in range(8)])
    counts = run("contend", path, 8, *apart)
    assert sum(counts) == 50
    assert max(counts) <= 20
    whole = show(path)["datasets"][0]
    assert whole["spent"]["epsilon"]["exact"] == "5"
    assert verify(path)["ok"]


def test_eight_processes_never_overspend_one_budget(path, run):
    check_contention(path, run)


@pytest.mark.postgresql
def test_eight_machines_never_overspend_one_budget(address, run):
    check_contention(address, run, "apart")


def test_one_query_asked_by_many_at_one_time_has_one_answer_and_one_price(path, run):
    answers = run("same_query", path, 6)
    assert len(answers) == 6
    assert len(set(answers)) == 1
    assert show(path)["datasets"][0]["spent"]["epsilon"]["exact"] == "1/10"


def test_a_ledger_can_be_used_on_both_sides_of_a_fork_and_from_threads(path, run):
    found = run("use_after_fork", path)
    assert found["status"] == 0
    assert found["charges"] == 61
    assert verify(path)["ok"]


@pytest.mark.parametrize("room", [0, 3000, 20_000, 100_000])
def test_when_files_cannot_grow_a_charge_is_there_or_not_and_the_ledger_stays_readable(
    file, run, room
):
    found = run("small_files", file, room)
    assert len(found["refusals"]) == 3
    assert "check its disk" in found["refusals"][0]
    assert found["readable"] == found["charged"]
    assert found["charges"] == found["charged"] + 1
    assert verify(file)["ok"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_leaves_the_ledger_readable(folder, run):
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("this machine lets nobody mount a small disk")
    try:
        path = disk / "ledger.db"
        with Ledger.create(path) as ledger:
            ledger.set_cap("people", "epsilon=1")
            ledger.set_cap("people", "epsilon=1", analyst="ann")
        (disk / "ballast").write_bytes(bytes(100_000))
        found = run("full_disk", path)
        assert len(found["refusals"]) == 3
        assert "no room left" in found["refusals"][0]
        assert found["readable"] == found["charged"] + 3
        assert found["charges"] == found["charged"] + 1
        assert verify(path)["ok"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_who_may_only_read_can_look_but_not_charge(folder, file, run):
    for each in folder.iterdir():
        each.chmod(0o444)
    folder.chmod(0o555)
    found = run("read_only", file)
    assert found["refused"].startswith("LedgerUnavailable: ")
    assert "Permission denied" in found["refused"]
    assert found["verified"]["ok"]
    assert found["shown"]["entries"] == 4
