"""What holds for a ledger on a PostgreSQL server alone: addresses, durability, marks."""

import logging
import re
import secrets
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from twoworlds.errors import InvalidInput
from twoworlds.release.budget import parse_cap
from twoworlds.release.costs import Cost
from twoworlds.release.ledger import (
    Ledger,
    LedgerDamaged,
    LedgerUnavailable,
    export,
    remark,
    show,
    verify,
)
from twoworlds.release.ledger.journal import locate

pytestmark = pytest.mark.postgresql


def never():
    raise AssertionError("computed although nothing was to be computed")


def administer(address, *statements):
    """Run statements as the owner of everything; return what the last one finds."""
    with psycopg.connect(address, autocommit=True) as connection:
        for statement in statements:
            done = connection.execute(statement)
        return done.fetchall() if done.description else []


# --- places -------------------------------------------------------------------------------------


def test_the_table_can_be_chosen_and_each_is_a_ledger_of_its_own(new_address):
    address, schema = new_address(), f"s{secrets.token_hex(8)}"
    tables = [None, "other", f"{schema}.third"]
    for number, table in enumerate(tables):
        with Ledger.create(address, table=table) as ledger:
            ledger.set_cap("people", f"epsilon={number}")
    assert [show(address, table=t)["datasets"][0]["cap"] for t in tables] == [
        "epsilon=0",
        "epsilon=1",
        "epsilon=2",
    ]
    assert len({locate(address, table=t).mark for t in tables}) == 3
    assert verify(address, table="other")["ok"]
    assert len(list(export(address, table=f"{schema}.third"))) == 2
    locate(address, table="other").mark.unlink()
    remark(address, table="other", reason="lost")
    assert list(export(address, table="other"))[-1]["entry"]["kind"] == "remark"
    assert administer(address, f"SELECT count(*) FROM {schema}.third") == [(2,)]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "table",
    ["", "a.b.c", "a b", 'a"b', "Ledger", "x; DROP TABLE y", "ä", "1a", "x" * 41, "a.", ".a"],
)
def test_odd_names_of_tables_are_refused(address, table):
    with pytest.raises(InvalidInput, match="cannot be the table of a ledger"):
        Ledger.open(address, table=table)


def test_only_ledgers_are_opened(new_address, address):
    empty = new_address()
    for use in (Ledger.open, show, verify, lambda place: remark(place, reason="why not")):
        with pytest.raises(InvalidInput, match="begins with the first release"):
            use(empty)
    with pytest.raises(InvalidInput, match="already: open it"):
        Ledger.create(address)
    administer(empty, "CREATE TABLE twoworlds_ledger (sequence bigint, body text, hash text)")
    for use in (Ledger.create, Ledger.open, show):
        with pytest.raises(InvalidInput, match="not a ledger"):
            use(empty)


def test_machines_that_create_a_ledger_at_one_time_have_one_ledger(new_address, tmp_path):
    address = new_address()

    def create(machine):
        with Ledger.create(address, mark=tmp_path / machine) as ledger:
            return ledger.state().name

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(create, "abcd"))) == 1
    assert [item["entry"]["kind"] for item in export(address)] == ["begin"]


def test_without_the_driver_the_way_out_is_named(monkeypatch):
    for name in ("addresses", "postgresql"):
        monkeypatch.delitem(sys.modules, f"twoworlds.release.ledger.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(InvalidInput, match=r"pip install 'twoworlds\[postgresql\]'"):
        Ledger.open("postgresql://127.0.0.1/none")


def test_a_ledger_of_another_format_is_refused(address):
    rename = "ALTER TRIGGER twoworlds_ledger_format_1 ON twoworlds_ledger RENAME TO "
    administer(address, rename + "twoworlds_ledger_format_2")
    with pytest.raises(InvalidInput, match="format 2"):
        Ledger.open(address)


# --- no password anywhere -----------------------------------------------------------------------

SECRET = "hunter2"
WRONG = [
    f"postgresql://ann:{SECRET}@127.0.0.1:1/none",  # nobody listens
    f"postgresql://ann@127.0.0.1:1/none?password={SECRET}",
    f"postgresql://ann:a/{SECRET}@127.0.0.1/none",
    f"postgresql://ann:a@{SECRET}@127.0.0.1/none",
    f"postgresql://ann:7/{SECRET}@127.0.0.1/none",
    f"postgresql://ann:%zz{SECRET}@127.0.0.1/none",
    f"postgresql://ann:{SECRET}@127.0.0.1:port/none",
    f"postgresql://ann:{SECRET}@127.0.0.1:1/none?unknown={SECRET}",
    f"postgres://ann:{SECRET}@127.0.0.1:1/none",
    f"postgresql:/ann:{SECRET}@127.0.0.1/none",
    f"PostgreSQL://ann:{SECRET}@127.0.0.1/none",
    f"mysql://ann:{SECRET}@127.0.0.1/none",
    f"host=127.0.0.1 password={SECRET}",
    Path(f"postgresql://ann:{SECRET}@127.0.0.1/none"),
]


@pytest.mark.parametrize("place", WRONG, ids=range(len(WRONG)))
@pytest.mark.parametrize("use", [Ledger.open, Ledger.create, show, verify])
def test_no_message_holds_a_password(place, use, caplog, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    caplog.set_level(logging.DEBUG)
    with pytest.raises((InvalidInput, LedgerUnavailable)) as caught:
        use(place)
    shown = [*traceback.format_exception(caught.value), caplog.text, repr(caught.value)]
    shown = [line for line in "\n".join(shown).splitlines() if "use(place)" not in line]
    assert SECRET not in "\n".join(shown)
    assert not [name for name in tmp_path.rglob("*") if SECRET in name.name]


def test_a_ledger_shows_its_place_without_the_password(address):
    secret = conninfo_to_dict(address)["password"]
    with Ledger.open(address) as ledger:
        for text in (repr(ledger), str(ledger.location), repr(ledger.location)):
            assert "twoworlds_ledger" in text
            assert secret not in text
            assert "search_path" not in text
        administer(address, "DROP TABLE twoworlds_ledger")
        with pytest.raises(LedgerDamaged) as caught:
            ledger.reserve("people", "ann", "q", "0.1")
        assert secret not in "".join(traceback.format_exception(caught.value))


# --- durable, append-only, one writer -----------------------------------------------------------


def test_charges_are_committed_durably_whatever_the_default_is(address):
    lax = address + "%20-csynchronous_commit%3Doff%20-cdefault_transaction_isolation%3Dserializable"
    with Ledger.open(lax, mark=locate(address).mark) as ledger:
        store = ledger._store
        asked = "SELECT current_setting('synchronous_commit'), current_setting('{}')"
        asked = asked.format("transaction_isolation")
        assert store._connection.execute(asked).fetchall() == [("off", "serializable")]
        with store.writing():
            assert store._connection.execute(asked).fetchall() == [("on", "read committed")]
        assert ledger.pay("people", "ann", "q", "0.1", lambda: 7) == 7


def test_a_table_that_a_crash_would_empty_is_refused(address):
    administer(address, "ALTER TABLE twoworlds_ledger SET UNLOGGED")
    with pytest.raises(LedgerUnavailable, match="its table is unlogged"):
        Ledger.open(address)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE twoworlds_ledger SET body = ''",
        "DELETE FROM twoworlds_ledger",
        "TRUNCATE twoworlds_ledger",
    ],
)
def test_the_table_is_append_only_even_for_its_owner(address, statement):
    with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
        administer(address, statement)
    assert verify(address)["ok"]


def test_a_ledger_whose_trigger_is_off_is_refused(address):
    administer(address, "ALTER TABLE twoworlds_ledger DISABLE TRIGGER USER")
    with pytest.raises(InvalidInput, match="append-only trigger is gone"):
        Ledger.open(address)


@pytest.fixture
def clerk(address):
    """The address of the same ledger for a user who may do nothing yet."""
    name = f"clerk{secrets.token_hex(8)}"
    administer(address, f"CREATE ROLE {name} LOGIN PASSWORD '{name}'")
    yield name, re.sub("//.*@", f"//{name}:{name}@", address)
    administer(address, f"DROP OWNED BY {name}", f"DROP ROLE {name}")


def test_a_writer_needs_to_read_and_insert_and_nothing_more(address, clerk):
    name, theirs = clerk
    schema = administer(address, "SELECT current_schema()")[0][0]
    administer(address, f"GRANT USAGE ON SCHEMA {schema} TO {name}")
    with pytest.raises(LedgerUnavailable, match="grant SELECT and INSERT"):
        Ledger.open(theirs)
    administer(address, f"GRANT SELECT ON twoworlds_ledger TO {name}")
    assert show(theirs) == show(address)
    with Ledger.open(theirs) as ledger:
        with pytest.raises(LedgerUnavailable, match="grant SELECT and INSERT"):
            ledger.reserve("people", "ann", "q", "0.1")
        administer(address, f"GRANT INSERT ON twoworlds_ledger TO {name}")
        assert ledger.pay("people", "ann", "q", "0.1", lambda: 1) == 1
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        administer(theirs, "DELETE FROM twoworlds_ledger")


def test_another_machine_that_keeps_the_lock_is_named_after_the_timeout(address):
    with Ledger.open(address) as holder, Ledger.open(address, timeout=0.2) as ledger:
        with (
            holder._store.writing(),
            pytest.raises(
                LedgerUnavailable, match=r"kept it for 0\.2 seconds.* nothing was charged"
            ),
        ):
            ledger.reserve("people", "ann", "q", "0.1")
        assert ledger.left("people") == Cost(Fraction(1))
        assert ledger.pay("people", "ann", "q", "0.1", lambda: 1) == 1


def test_who_writes_beside_the_lock_is_stopped_by_the_key_of_the_table(address):
    """Another program takes the next number while a charge is being made."""
    with Ledger.open(address) as ledger:

        def intrude(state):
            number = state.point.sequence + 1
            sql = f"INSERT INTO twoworlds_ledger VALUES ({number}, 'secret', '')"
            administer(address, sql)
            return "cap", {"dataset": "d", "analyst": None, **parse_cap("1").stored()}

        with pytest.raises(LedgerUnavailable, match="another program at the same time") as caught:
            ledger.write(intrude, never)
        assert "secret" not in "".join(traceback.format_exception(caught.value))
        with pytest.raises(LedgerDamaged, match="entry 5 does not verify"):
            ledger.reserve("people", "ann", "q", "0.1")


def test_a_table_removed_while_the_ledger_is_open_is_noticed(address):
    with Ledger.open(address) as ledger:
        administer(address, "DROP TABLE twoworlds_ledger")
        with pytest.raises(LedgerDamaged, match="removed, changed or damaged"):
            ledger.reserve("people", "ann", "q", "0.1")
    for use in (Ledger.open, Ledger.create):
        with pytest.raises(LedgerDamaged, match="had reached entry 4"):
            use(address)
