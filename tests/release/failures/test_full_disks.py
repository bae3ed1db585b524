"""Failures 9 and 11, a full disk: nothing is answered unpaid, and the way out is said."""

import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.release.failures.worlds import opened, parquet, policy_text, table
from twoworlds.errors import InvalidInput
from twoworlds.release import Curator
from twoworlds.release.costs import Cost
from twoworlds.release.ledger import LedgerUnavailable, entries, show, verify

SQL = "SELECT k, SUM(x) FROM people GROUP BY k"


class Failing:
    """Everything that another object is, but the nth call of the given names fails."""

    def __init__(self, real, names, nth, error):
        self._real, self._names, self._left, self._error = real, names, nth, error
        self.failed = False

    def __getattr__(self, name):
        found = getattr(self._real, name)
        if name not in self._names:
            return found

        def call(*arguments):
            self._left -= 1
            if self._left == 0:
                self.failed = True
                raise self._error
            return found(*arguments)

        return call


def check_failing(curator, failing, mend):
    """Ask while something fails; then mend it, and ask again."""
    given, said = None, "nothing was answered"
    try:
        given = curator.release(SQL, "1")
    except LedgerUnavailable as error:
        said = str(error)
    mend()
    assert "nothing was answered" in said
    state = curator.budget()
    assert state["charges"] >= state["answered"] >= (given is not None)
    assert given or not state["charges"] or "what was charged stays charged" in said
    again = curator.release(SQL, "1")
    assert given is None or again.rows() == given.rows()
    state = curator.budget()
    assert (state["charges"], state["answered"]) == (1, 1)
    assert curator.ledger.spent("people").epsilon == 1
    return failing.failed, given is not None


def test_failure_9_wherever_the_database_finds_its_disk_full_nothing_is_answered_unpaid(tmp_path):
    outcomes = []
    for nth in range(1, 100):
        folder = tmp_path / str(nth)
        with opened(folder, table([("a", 1.0)])) as curator:
            store = curator.ledger._store
            real = store._connection
            full = sqlite3.OperationalError("database or disk is full")
            store._connection = Failing(real, ("execute",), nth, full)
            failing = store._connection

            def mend(store=store, real=real):
                store._connection = real

            outcomes.append(check_failing(curator, failing, mend))
        assert verify(folder / "ledger.db")["ok"]
        if not outcomes[-1][0]:
            break
    assert outcomes[-1] == (False, True)
    assert len(outcomes) > 8


def test_failure_9_wherever_the_mark_finds_its_disk_full_nothing_is_answered_unpaid(
    tmp_path, monkeypatch
):
    outcomes = []
    for nth in range(1, 100):
        folder = tmp_path / str(nth)
        with opened(folder, table([("a", 1.0)])) as curator:
            full = OSError(errno.ENOSPC, "No space left on device")
            failing = Failing(os, ("write", "fdatasync", "fsync"), nth, full)
            monkeypatch.setattr(entries, "os", failing)
            outcomes.append(check_failing(curator, failing, monkeypatch.undo))
        assert verify(folder / "ledger.db")["ok"]
        if not outcomes[-1][0]:
            break
    assert outcomes[-1] == (False, True)
    assert len(outcomes) > 3


# --- a real one ---------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 400 kB, if this machine lets us mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(words, capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount a small disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def laid_out(folder):
    parquet(folder / "people.parquet", [("a", 1.0)])
    (folder / "policy.yml").write_text(policy_text(source="people.parquet"))
    return folder / "policy.yml"


def command(policy, *more, stdout=subprocess.PIPE):
    words = [sys.executable, "-m", "twoworlds", "release", SQL, "--policy", str(policy)]
    return subprocess.run(
        [*words, "--epsilon", "1", *more],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=300,
    )


def test_failure_9_a_full_disk_answers_nothing_unpaid_and_says_so(small_disk):
    """The disk fills up while queries are asked; afterwards there is room again."""
    policy = laid_out(small_disk)
    answers, refusals = {}, []
    with Curator.open(policy) as curator:
        ballast = shutil.disk_usage(small_disk).free - 60_000
        (small_disk / "ballast").write_bytes(bytes(ballast))
        for number in range(200):
            sql = f"SELECT COUNT(*) FROM people WHERE x < {number}"
            try:
                answers[sql] = curator.release(sql, "1/1000").rows()
            except LedgerUnavailable as error:
                refusals.append(str(error))
                if len(refusals) == 3:
                    break
        state = curator.budget()
        assert len(refusals) == 3
        assert all("no room left" in said for said in refusals)
        assert all("nothing was answered" in said for said in refusals)
        assert state["charges"] >= state["answered"] >= len(answers) > 0
    done = command(policy)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    (small_disk / "ballast").unlink()
    with Curator.open(policy) as curator:
        for sql, rows in answers.items():
            again = curator.release(sql, "1/1000")
            assert (again.rows(), again.context.paid) == (rows, Cost())


@pytest.mark.slow
@pytest.mark.parametrize("output", ["full", "closed"])
def test_failure_9_an_answer_that_cannot_be_printed_is_kept(tmp_path, output):
    """Exit 74, and the next attempt shows the same answer for nothing."""
    policy = laid_out(tmp_path)
    if output == "full":
        with Path("/dev/full").open("w") as file:
            done = command(policy, "--json", stdout=file)
    else:
        reader, writer = os.pipe()
        os.close(reader)
        done = command(policy, "--json", stdout=writer)
        os.close(writer)
    assert done.returncode == 74
    assert done.stderr.endswith(
        "; it is paid for and stored: the same command again gives it, at no further cost\n"
    )
    shown = show(tmp_path / "ledger.db")
    assert (shown["charges"], shown["answered"]) == (1, 1)
    again = command(policy, "--json")
    assert json.loads(again.stdout)["answers"][0]["repeated"] is True
    assert show(tmp_path / "ledger.db")["charges"] == 1


def test_failure_9_a_certificate_that_cannot_be_written_loses_no_answer(
    tmp_path, monkeypatch, capsys
):
    from twoworlds.cli import run

    def fail(path, content):
        raise InvalidInput(f"{path.name} cannot be written: No space left on device")

    policy = laid_out(tmp_path)
    asked = ["release", SQL, "--policy", str(policy), "--epsilon", "1"]
    files = [f"--{name}={tmp_path / name}" for name in ("certificate.json", "report.html")]
    files = [one.replace(".json=", "=").replace(".html=", "=") for one in files]
    monkeypatch.setattr("twoworlds.questions.releases.write", fail)
    assert run([*asked, *files]) == 2
    out, err = capsys.readouterr()
    assert "Paid: epsilon 1." in out
    assert err == (
        "twoworlds: no certificate was written: certificate.json cannot be written: No space left "
        "on device; no report was written: report.html cannot be written: No space left on "
        "device; it is paid for and stored: the same command again gives it, at no further cost\n"
    )
    monkeypatch.undo()
    assert run([*asked, *files]) == 0
    assert "This repeats a stored answer" in capsys.readouterr().out
    assert (tmp_path / "certificate.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize("more", [["--dry-run"], []])
def test_failure_9_a_strategy_that_is_not_shown_is_said_to_be_paid_if_it_is(tmp_path, more):
    policy = laid_out(tmp_path)
    words = [sys.executable, "-m", "twoworlds", "strategy", "open", "s", "--epsilon", "1"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*words, "--policy", str(policy), *more], stdout=full, stderr=subprocess.PIPE, text=True
        )
    paid = "; it is paid for: the same command again costs nothing more\n"
    assert (done.returncode, done.stderr.endswith(paid)) == (74, not more)
    with Curator.open(policy) as curator:
        assert curator.ledger.spent("people").epsilon == (0 if more else 1)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json", "html"])
def test_failure_9_a_table_that_cannot_be_written_loses_no_answer(
    tmp_path, monkeypatch, capsys, suffix
):
    from twoworlds.cli import run

    def fail(*_where, **_how):
        raise OSError(errno.ENOSPC, "No space left on device")

    asked = ["release", SQL, "--policy", str(laid_out(tmp_path)), "--epsilon", "1"]
    monkeypatch.setattr("twoworlds.files.make_private", fail)
    monkeypatch.setattr("tempfile.mkdtemp", fail)
    code = run([*asked, "-o", str(tmp_path / f"a.{suffix}")])
    out, err = capsys.readouterr()
    assert code == 2
    assert "Paid: epsilon 1." in out
    assert err.startswith("twoworlds: the answer was not saved: ")
    assert err.endswith("the same command again gives it, at no further cost\n")


def test_failure_9_a_certificate_that_has_no_place_is_refused_before_the_charge(tmp_path):
    done = command(laid_out(tmp_path), "--certificate", str(tmp_path / "nowhere" / "x.json"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "ledger.db").exists()  # nothing was begun
