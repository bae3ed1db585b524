"""What twoworlds writes is its owner's alone, whatever the umask."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from tests.cli.calling import call
from twoworlds.files import keep_private, make_folder, make_private, write
from twoworlds.release.examples import lay_out
from twoworlds.release.ledger import Ledger
from twoworlds.web.accounts import Accounts

if sys.platform == "win32":
    pytest.skip("there are no such rights", allow_module_level=True)


@pytest.fixture(params=[0o000, 0o022, 0o777], ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def rights(path):
    return stat.S_IMODE(path.stat().st_mode)


def everything(folder):
    return {one: rights(one) for one in folder.rglob("*")}


def assert_private(folder):
    for one, found in everything(folder).items():
        assert found == (0o700 if one.is_dir() else 0o600), (one, oct(found))


def test_everything_that_commands_write_is_private(tmp_path, monkeypatch, capsys, umask):
    hospital = tmp_path / "new" / "hospital"
    lay_out(hospital)
    monkeypatch.chdir(hospital)
    sql = "SELECT region, COUNT(*) FROM people GROUP BY region"
    release = ("release", sql, "--epsilon", "1", "--analyst", "ann")
    randomized = ("--column", "condition", "--with", "randomized-response(keep=3/4)")
    randomized += ("--values", "none, asthma, diabetes")
    for command in (
        (*release, "--certificate", "c.json", "--report", "r.html"),
        ("ledger", "export", "policy.yml", "entries.jsonl"),
        ("account", "add", "ann", "--role", "analyst"),
        ("policy", "new", "people.parquet", "begun.yml"),
        ("randomize", "people.parquet", "told.parquet", *randomized),
    ):
        code, _, err = call(capsys, *command)
        assert (code, err) == (0, ""), command
    written = {one.name for one in everything(tmp_path)}
    assert {"ledger.db", "ledger.db.mark", "ledger.db.accounts", "c.json", "r.html"} < written
    assert {"entries.jsonl", "told.parquet", "new", "hospital"} < written
    assert_private(tmp_path)


def test_an_open_ledger_has_a_private_log_and_index(tmp_path, umask):
    place = tmp_path / "ledger.db"
    with Ledger.create(place) as ledger:
        ledger.set_cap("people", "epsilon=1")
        names = {one.name for one in everything(tmp_path)}
        assert names == {"ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db.mark"}
        assert_private(tmp_path)


def test_a_ledger_behind_a_link_is_private(tmp_path, umask):
    place = tmp_path / "ledger.db"
    place.symlink_to(tmp_path / "elsewhere.db")
    Ledger.create(place).close()
    assert rights(tmp_path / "elsewhere.db") == 0o600


def test_what_an_earlier_version_left_open_is_closed_by_its_owner(tmp_path):
    place, mark = tmp_path / "ledger.db", tmp_path / "ledger.db.mark"
    accounts = Accounts(tmp_path / "accounts")
    token = accounts.add("ann", "analyst")
    Ledger.create(place).close()
    for one in (place, mark, tmp_path / "accounts"):
        one.chmod(0o666)
    with Ledger.open(place) as ledger:
        ledger.set_cap("people", "epsilon=1")
        assert Accounts(tmp_path / "accounts").find(token)
        assert_private(tmp_path)


def test_the_file_of_somebody_else_is_left_as_it_is(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"")
    path.chmod(0o644)
    with monkeypatch.context() as another:
        another.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
        keep_private(path)
    assert rights(path) == 0o644
    keep_private(path)
    assert rights(path) == 0o600
    keep_private(tmp_path / "missing")
    for other in (tmp_path / "folder", tmp_path / "pipe"):  # what a device is to us
        os.mkfifo(other) if other.name == "pipe" else other.mkdir()
        other.chmod(0o755)
        keep_private(other)
        assert rights(other) == 0o755


def test_a_file_that_is_there_is_neither_opened_nor_followed(tmp_path, umask):
    there, link = tmp_path / "there", tmp_path / "link"
    make_private(there).close()
    link.symlink_to(tmp_path / "nowhere")
    for taken in (there, link):
        with pytest.raises(FileExistsError):
            make_private(taken)


def test_a_file_that_was_cut_off_does_not_stop_the_next(tmp_path, umask, monkeypatch):
    from twoworlds import files

    monkeypatch.setattr(files.threading, "get_ident", lambda: 1)
    (tmp_path / f".out.{os.getpid()}-1").write_bytes(b"half")
    assert write(tmp_path / "out", "whole").read_bytes() == b"whole"
    assert [one.name for one in tmp_path.iterdir()] == ["out"]
    assert rights(tmp_path / "out") == 0o600


def test_folders_that_were_there_keep_their_rights(tmp_path, umask):
    above = tmp_path / "above"
    above.mkdir()
    above.chmod(0o755)
    make_folder(above / "one" / "two")
    found = [rights(one) for one in (above, above / "one", above / "one" / "two")]
    assert found == [0o755, 0o700, 0o700]
    assert make_folder(Path()) == Path()


def test_a_text_with_half_a_letter_is_written_as_json_has_it(tmp_path):
    odd = os.fsdecode(b"\xff")
    assert json.loads(write(tmp_path / "a.json", f'["{odd}"]').read_text(encoding="utf-8")) == [odd]
