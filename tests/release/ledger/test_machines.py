"""A mark on each machine: a server that was put back is refused by those who saw more."""

import secrets
import subprocess
from fractions import Fraction

import psycopg
import pytest

from twoworlds.errors import InvalidInput
from twoworlds.release.costs import Cost
from twoworlds.release.ledger import Ledger, LedgerDamaged, remark, show, verify

pytestmark = pytest.mark.postgresql


def never():
    raise AssertionError("computed although nothing was to be computed")


def administer(address, *statements):
    """Run statements as the owner of everything."""
    with psycopg.connect(address, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture
def restorable(durable_server, folder, monkeypatch):
    """A ledger in a database of its own, and functions to back it up and to put the backup back."""
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "a"))
    name, whole = f"d{secrets.token_hex(8)}", durable_server.address()
    administer(whole, f"CREATE DATABASE {name}")

    def backup():
        administer(whole, f"CREATE DATABASE {name}_backup TEMPLATE {name}")

    def restore():
        administer(
            whole,
            f"DROP DATABASE {name} WITH (FORCE)",
            f"ALTER DATABASE {name}_backup RENAME TO {name}",
        )

    address = durable_server.address(name)
    with Ledger.create(address) as ledger:
        ledger.set_cap("people", "1")
        ledger.set_cap("people", "1", analyst="ann")
    yield address, backup, restore
    administer(whole, f"DROP DATABASE IF EXISTS {name}_backup", f"DROP DATABASE {name}")


def pay_once(address, query, mark=None):
    with Ledger.open(address, mark=mark) as ledger:
        return ledger.pay("people", "ann", query, "0.1", secrets.token_hex)


def test_a_server_restored_from_an_old_backup_is_refused(restorable):
    address, backup, restore = restorable
    pay_once(address, "before")
    backup()
    pay_once(address, "after")
    restore()
    for use in (Ledger.open, show):
        with pytest.raises(LedgerDamaged, match="went back in time") as caught:
            use(address)
        assert caught.value.entry == 7
    assert verify(address)["entry"] == 7


def test_the_newest_backup_is_accepted_when_it_is_put_back(restorable, durable_server):
    """By the programs that an administrator uses: the dump carries the trigger, too."""
    address, _, _ = restorable
    answer = pay_once(address, "q")
    programs = durable_server.cluster.programs
    dump = subprocess.run([programs / "pg_dump", address], capture_output=True, check=True).stdout
    administer(address, "DROP TABLE twoworlds_ledger", "DROP FUNCTION twoworlds_ledger_append_only")
    with pytest.raises(LedgerDamaged, match="is gone"):
        Ledger.open(address)
    subprocess.run(
        [programs / "psql", "--set=ON_ERROR_STOP=1", "--quiet", address],
        input=dump,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    assert verify(address)["ok"]
    assert pay_once(address, "q") == answer
    with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
        administer(address, "DELETE FROM twoworlds_ledger")


def test_a_server_restored_under_an_open_ledger_is_refused(restorable):
    address, backup, restore = restorable
    backup()
    with Ledger.open(address) as ledger:
        ledger.pay("people", "ann", "q", "0.1", lambda: 1)
        restore()  # ends its connection, too
        with pytest.raises(LedgerDamaged, match="went back in time"):
            ledger.pay("people", "ann", "q", "0.1", never)
        with pytest.raises(LedgerDamaged, match="went back in time"):
            ledger.left("people")


def test_a_machine_joins_with_a_remark_and_not_without(restorable, tmp_path):
    address, _, _ = restorable
    theirs = tmp_path / "b.mark"
    with pytest.raises(LedgerDamaged, match="if this machine joins"):
        Ledger.open(address, mark=theirs)
    with pytest.raises(InvalidInput, match="already, but its mark"):
        Ledger.create(address, mark=theirs)
    remark(address, reason="machine b joins", mark=theirs)
    one = pay_once(address, "q")
    assert pay_once(address, "q", theirs) == one
    pay_once(address, "p", theirs)
    marks = [verify(address)["mark"]["sequence"], verify(address, mark=theirs)["mark"]["sequence"]]
    assert marks == [6, 8]  # what each machine has seen
    assert verify(address)["ok"]


def test_what_a_mark_for_each_machine_guarantees(restorable, tmp_path):
    """Machine a has seen what was lost, b has not: b goes on, a refuses now and ever after."""
    address, backup, restore = restorable
    theirs = tmp_path / "b.mark"
    remark(address, reason="machine b joins", mark=theirs)
    backup()
    pay_once(address, "a")
    restore()
    with pytest.raises(LedgerDamaged, match="went back in time"):
        pay_once(address, "a")
    for number in range(5):  # beyond the mark of a
        pay_once(address, number, theirs)
    assert verify(address, mark=theirs)["ok"]
    with pytest.raises(LedgerDamaged, match="went back in time"):
        pay_once(address, "a")


@pytest.mark.parametrize("looking", ["opening", "asking what is left"])
def test_looking_is_seeing(restorable, tmp_path, looking):
    address, backup, restore = restorable
    theirs = tmp_path / "b.mark"
    remark(address, reason="machine b joins", mark=theirs)
    backup()
    if looking == "opening":
        pay_once(address, "a")
        Ledger.open(address, mark=theirs).close()
    else:
        with Ledger.open(address, mark=theirs) as ledger:
            pay_once(address, "a")
            assert ledger.left("people") == Cost(Fraction(9, 10))
    restore()
    with pytest.raises(LedgerDamaged, match="went back in time"):
        Ledger.open(address, mark=theirs)
