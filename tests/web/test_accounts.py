"""Accounts: tokens are found, kept only as hashes, and gone when they are removed."""

import stat

import pytest

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.web.accounts import PREFIX, ROLES, Accounts, new_token


@pytest.fixture
def accounts(tmp_path):
    return Accounts(tmp_path / "ledger.db.accounts")


def test_a_token_finds_its_account_and_no_other(accounts):
    tokens = {name: accounts.add(name, role) for name, role in zip("abc", ROLES, strict=True)}
    found = {name: accounts.find(token) for name, token in tokens.items()}
    assert {name: (one.name, one.role) for name, one in found.items()} == {
        name: (name, role) for name, role in zip("abc", ROLES, strict=True)
    }


def test_the_file_holds_neither_the_token_nor_a_part_of_it(accounts):
    token = accounts.add("ann", "analyst")
    content = accounts.path.read_bytes()
    assert token.encode() not in content
    assert token.removeprefix(PREFIX)[:12].encode() not in content


def test_the_file_is_for_its_owner_only(accounts):
    accounts.add("ann", "analyst")
    assert stat.S_IMODE(accounts.path.stat().st_mode) == 0o600


def test_tokens_have_256_bits_and_differ():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(token) - len(PREFIX) == 43 for token in tokens)


def test_a_name_is_taken_once(accounts):
    accounts.add("ann", "analyst")
    with pytest.raises(InvalidInput, match="already"):
        accounts.add("ann", "reviewer")


def test_no_two_accounts_look_the_same(accounts):
    accounts.add("ann lee", "analyst")
    with pytest.raises(InvalidInput, match="look the same as 'ann lee'"):
        accounts.add("Annlee", "reviewer")


def test_unknown_roles_and_names_are_refused(accounts):
    with pytest.raises(UnknownName, match="analyst"):
        accounts.add("ann", "analist")
    with pytest.raises(UnknownName, match="account"):
        accounts.remove("bob")
    for name in ("", " ann", "a\nb", "x" * 500, "an\u200bn", "\u3164", "a  n"):
        with pytest.raises(InvalidInput):
            accounts.add(name, "analyst")


def test_a_passing_account_is_in_no_file(accounts):
    token = accounts.add_passing("ann", "curator")
    assert accounts.find(token).role == "curator"
    assert not accounts.path.exists()
    assert Accounts(accounts.path).find(token) is None


def test_a_ledger_is_not_taken_for_a_file_of_accounts(tmp_path):
    from twoworlds.release.ledger import Ledger

    Ledger.create(tmp_path / "ledger.db").close()
    with pytest.raises(InvalidInput, match="no accounts"):
        Accounts(tmp_path / "ledger.db").add("ann", "analyst")


def test_a_damaged_file_is_said_to_be_one(tmp_path):
    (tmp_path / "accounts").write_bytes(b"not a database" * 100)
    with pytest.raises(InvalidInput, match="cannot be used"):
        Accounts(tmp_path / "accounts").find("x")


def test_accounts_are_read_again_when_the_file_changed_and_only_then(tmp_path, monkeypatch):
    place = tmp_path / "accounts"
    ours, theirs = Accounts(place), Accounts(place)
    assert ours.find("tw-x") is None
    assert ours.unchanged
    token = theirs.add("ann", "analyst")
    assert not ours.unchanged
    assert ours.find(token).name == "ann"
    reads = []
    read = Accounts._read
    monkeypatch.setattr(Accounts, "_read", lambda self: reads.append(1) or read(self))
    assert [ours.find(token).name for _ in range(5)] == ["ann"] * 5
    assert reads == []
    theirs.remove("ann")
    assert ours.find(token) is None
    place.unlink()
    assert ours.find(token) is None
    other = Accounts(place).add("bob", "curator")
    assert ours.find(other).name == "bob"
