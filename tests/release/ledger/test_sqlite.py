"""What holds for a ledger in a file of SQLite alone."""

import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.release.costs import Cost
from twoworlds.release.ledger import Ledger, LedgerDamaged, LedgerUnavailable, show, verify
from twoworlds.release.ledger.entries import read_mark


def test_a_ledger_that_another_program_locks_says_so_after_its_timeout(file):
    with Ledger.open(file, timeout=0.2) as ledger:
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerUnavailable, match="locked by another program"):
            ledger.reserve("people", "ann", "q", "0.1")
        assert ledger.left("people") == Cost(Fraction(1))  # looking is still possible
        other.execute("ROLLBACK")
        other.close()
        assert ledger.pay("people", "ann", "q", "0.1", lambda: 1) == 1


def test_a_ledger_removed_while_it_is_open_is_noticed(file):
    with Ledger.open(file) as ledger:
        file.rename(file.with_name("away"))
        with pytest.raises(LedgerDamaged, match="removed or replaced"):
            ledger.reserve("people", "ann", "q", "0.1")


def test_a_ledger_of_another_format_is_refused(file):
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA user_version=2")
    connection.close()
    with pytest.raises(InvalidInput, match="format 2"):
        Ledger.open(file)


@pytest.mark.parametrize("name", ["a b.db", "100%.db", "what?.db", "a#b.db", "é'\".db"])
def test_odd_file_names(folder, name):
    with Ledger.create(folder / name) as ledger:
        ledger.set_cap("people", "1")
    assert verify(folder / name)["ok"]
    assert (folder / name).exists()


def test_only_ledgers_are_opened(folder, file):
    with pytest.raises(InvalidInput, match="begins with the first release"):
        Ledger.open(folder / "none.db")
    with pytest.raises(InvalidInput, match="no ledger"):
        show(folder / "none.db")
    with pytest.raises(InvalidInput, match="already"):
        Ledger.create(file)
    with pytest.raises(InvalidInput, match="no folder"):
        Ledger.create(folder / "none" / "ledger.db")
    with pytest.raises(InvalidInput, match="table='t' was given for a file"):
        Ledger.open(file, table="t")
    foreign = folder / "foreign.db"
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE entries (sequence INTEGER PRIMARY KEY, body TEXT, hash TEXT)")
    connection.close()
    with pytest.raises(InvalidInput, match="not a ledger"):
        Ledger.create(foreign)


def test_a_link_to_a_ledger_has_the_mark_of_that_ledger(folder, file):
    (folder / "link.db").symlink_to(file)
    with Ledger.open(folder / "link.db") as ledger:
        assert ledger.pay("people", "ann", "q", "0.1", lambda: 1) == 1
    with Ledger.open(file) as ledger:
        assert ledger.left("people") == Cost(Fraction(9, 10))


def test_a_ledger_stays_where_it_is_when_the_program_changes_its_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with Ledger.create("relative.db", mark="relative.mark") as ledger:
        monkeypatch.chdir("/")
        ledger.set_cap("people", "1")
    assert verify(folder / "relative.db", mark=folder / "relative.mark")["ok"]


def test_a_closed_ledger_says_that_it_is_closed_and_closes_nothing_else(folder, file):
    ledger = Ledger.open(file)
    ledger.close()
    with (folder / "other").open("wb") as other:  # takes the number of the mark
        ledger.close()
        other.write(b"x")
    for use in (ledger.state, lambda: ledger.reserve("people", "ann", "q", "0.1")):
        with pytest.raises(InvalidInput, match="was closed: open it again"):
            use()


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
def test_the_mark_is_no_file_of_the_ledger_itself(folder, end):
    (folder / "link").symlink_to(folder / f"new.db{end}")
    for mark in (folder / f"new.db{end}", folder / "link"):
        with pytest.raises(InvalidInput, match="give the mark another place"):
            Ledger.create(folder / "new.db", mark=mark)


def test_a_file_that_is_no_ledger_stays_as_it_is(folder):
    foreign = folder / "data.parquet"
    foreign.write_bytes(b"PAR1 and so on")
    foreign.chmod(0o644)
    with pytest.raises(LedgerDamaged, match="it is another file"):
        Ledger.create(foreign)
    assert (foreign.read_bytes(), foreign.stat().st_mode & 0o777) == (b"PAR1 and so on", 0o644)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no endless file")
def test_a_mark_without_an_end_is_not_read_for_ever(folder):
    with pytest.raises(LedgerDamaged, match="cannot be read"):
        read_mark(Path("/dev/zero"))
