"""A ledger that was changed, cut, deleted or put back is refused (failure 12 of a ledger)."""

import json
import shutil

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.release.ledger import (
    Ledger,
    LedgerDamaged,
    export,
    remark,
    show,
    verify,
    verify_export,
)
from twoworlds.release.ledger.entries import digest
from twoworlds.release.ledger.journal import locate


def refused(path, entry, said):
    """Check that every way to use the ledger is refused, with the number of the entry."""
    for use in (Ledger.open, show):
        with pytest.raises(LedgerDamaged, match=said) as caught:
            use(path)
        assert caught.value.entry == entry
    found = verify(path)
    assert (found["ok"], found["entry"]) == (False, entry)


def copies(path, folder):
    folder.mkdir()
    for file in (path, path.with_name(path.name + ".mark")):
        shutil.copy(file, folder / file.name)
    return folder / path.name


@pytest.mark.parametrize("entry", [1, 2, 7, 24])
def test_a_changed_entry_is_refused_by_its_number(used, change, entry):
    change(used, "UPDATE entries SET body = replace(body, 'e', 'f') WHERE sequence = ?", entry)
    refused(used, entry, f"entry {entry} does not verify")


def test_a_changed_entry_with_a_new_hash_breaks_the_next_one(used, change):
    [[body]] = change(used, "SELECT body FROM entries WHERE sequence = 7")
    body = body.replace("epsilon=1/20", "epsilon=1/99")
    change(used, "UPDATE entries SET body = ?, hash = ? WHERE sequence = 7", body, digest(body))
    refused(used, 8, "entry 8 does not verify: it does not follow")


def test_a_whole_new_history_is_refused_by_the_mark(used, change):
    items = list(export(used))
    previous, rows = items[5]["hash"], []
    for item in items[6:]:
        body = {**item["entry"], "previous": previous}
        if body["kind"] == "reserve":
            body["cost"] = "epsilon=1/99"
        text = json.dumps(body, sort_keys=True, separators=(",", ":"))
        previous = digest(text)
        rows.append((text, previous, item["sequence"]))
    for row in rows:
        change(used, "UPDATE entries SET body = ?, hash = ? WHERE sequence = ?", *row)
    refused(used, 24, "went back in time")


@pytest.mark.parametrize("entry", [1, 7, 23])
def test_a_missing_entry_is_refused_by_its_number(used, change, entry):
    change(used, "DELETE FROM entries WHERE sequence = ?", entry)
    refused(used, entry, f"entry {entry} is missing")


@pytest.mark.parametrize("kept", [0, 4, 22, 23])
def test_a_ledger_whose_end_is_cut_off_went_back_in_time(used, change, kept):
    change(used, "DELETE FROM entries WHERE sequence > ?", kept)
    refused(used, 24, "went back in time")


def test_an_older_copy_of_the_table_is_refused(used, change):
    change(used, "CREATE TABLE older AS SELECT * FROM entries")
    with Ledger.open(used) as ledger:
        ledger.pay("people", "ann", "one more", "1/20", lambda: 1)
    change(used, "DELETE FROM entries")
    change(used, "INSERT INTO entries SELECT * FROM older")
    refused(used, 26, "went back in time")


def test_an_older_copy_of_the_file_is_refused(used_file, tmp_path):
    old = copies(used_file, tmp_path / "backup")
    with Ledger.open(used_file) as ledger:
        ledger.pay("people", "ann", "one more", "1/20", lambda: 1)
    shutil.copy(old, used_file)
    refused(used_file, 26, "went back in time")


def test_a_ledger_that_lost_its_write_ahead_log_went_back_in_time(used_file, tmp_path):
    with Ledger.open(used_file) as ledger:
        ledger.pay("people", "ann", "one more", "1/20", lambda: 1)
        copy = copies(used_file, tmp_path / "without log")
    with pytest.raises(LedgerDamaged, match="went back in time"):
        Ledger.open(copy)
    assert verify(used_file)["ok"]


def test_an_older_copy_put_back_while_the_ledger_is_open_is_refused(used_file, tmp_path):
    old = copies(used_file, tmp_path / "backup")
    with Ledger.open(used_file) as ledger:
        ledger.pay("people", "ann", "one more", "1/20", lambda: 1)
        moved = used_file.with_name("new")
        shutil.copy(old, moved)
        moved.replace(used_file)
        with pytest.raises(LedgerDamaged, match="replaced while it was open"):
            ledger.pay("people", "ann", "and more", "1/20", lambda: 1)


def test_a_cut_off_while_the_ledger_is_open_is_refused(used, change):
    with Ledger.open(used) as ledger:
        change(used, "DELETE FROM entries WHERE sequence > 20")
        with pytest.raises(LedgerDamaged, match="went back in time"):
            ledger.reserve("people", "ann", "q", "1/20")
        with pytest.raises(LedgerDamaged, match="went back in time"):
            ledger.left("people")


def test_an_answer_changed_while_the_ledger_is_open_is_not_given(used, change):
    with Ledger.open(used) as ledger:
        change(used, "UPDATE entries SET body = replace(body, '0', '1') WHERE sequence = 6")
        with pytest.raises(LedgerDamaged, match="entry 6 does not verify"):
            ledger.reserve("people", "ann", 0, "1/20")


def test_the_answer_is_marked_on_the_disk_before_it_is_given(file, tmp_path):
    """Otherwise an older copy of all files that were synced would draw a second answer."""
    with Ledger.open(file) as ledger:
        paid = ledger.reserve("people", "ann", "q", "1/20")
        old = copies(file, tmp_path / "before")
        for log in file.parent.glob("*.db-wal"):
            shutil.copy(log, old.parent / log.name)
        ledger.commit(paid, "first")
        points = ledger._sign.read()
        assert points.synced == points.last == ledger.state().point
        locate(old).mark.write_bytes(ledger.location.mark.read_bytes())
    with pytest.raises(LedgerDamaged, match="went back in time"):
        Ledger.open(old)


@pytest.mark.parametrize("use", [Ledger.open, Ledger.create])
def test_a_deleted_ledger_is_not_begun_anew(used_file, use):
    used_file.unlink()
    with pytest.raises(LedgerDamaged, match="had reached entry 24"):
        use(used_file)


def test_a_ledger_without_its_mark_is_refused_until_somebody_answers_for_it(used):
    mark = locate(used).mark
    mark.unlink()
    with pytest.raises(LedgerDamaged, match="is missing"):
        Ledger.open(used)
    with pytest.raises(InvalidInput, match=r"mark .* is missing"):
        Ledger.create(used)
    assert "mark is missing" in verify(used)["problem"]
    remark(used, reason="the disk of the mark broke")
    assert verify(used)["ok"]
    assert list(export(used))[-1]["entry"]["reason"] == "the disk of the mark broke"
    with pytest.raises(InvalidInput, match="nothing to make anew"):
        remark(used, reason="again")


def test_a_mark_elsewhere_protects_a_whole_folder_from_being_put_back(folder, tmp_path):
    mark = tmp_path / "elsewhere.mark"
    (folder / "inner").mkdir()
    path = folder / "inner" / "ledger.db"
    with Ledger.create(path, mark=mark) as ledger:
        ledger.set_cap("people", "1")
    shutil.copytree(folder / "inner", folder / "backup")
    with Ledger.open(path, mark=mark) as ledger:
        ledger.set_cap("people", "2")
    with pytest.raises(LedgerDamaged, match="went back in time"):
        Ledger.open(folder / "backup" / "ledger.db", mark=mark)


@pytest.mark.parametrize("content", [b"", b"\0" * 12288, b"nonsense", b"{}" * 9000])
def test_a_mark_that_cannot_be_read_is_refused(used, content):
    locate(used).mark.write_bytes(content)
    with pytest.raises(LedgerDamaged, match="cannot be read"):
        Ledger.open(used)


def test_a_mark_replaced_while_the_ledger_is_open_is_noticed(used):
    mark = locate(used).mark
    with Ledger.open(used) as ledger:
        copy = mark.with_name("copy")
        shutil.copy(mark, copy)
        copy.replace(mark)
        with pytest.raises(LedgerDamaged, match="removed or replaced"):
            ledger.reserve("people", "ann", "q", "1/20")


@pytest.mark.parametrize("keep", [0, 50, 4096, 5000, 8192])
def test_a_cut_file_is_refused(used_file, keep):
    content = used_file.read_bytes()
    assert len(content) > keep
    used_file.write_bytes(content[:keep])
    with pytest.raises((LedgerDamaged, InvalidInput)):
        Ledger.open(used_file)


def test_any_changed_block_of_the_file_is_refused_or_harmless(used_file):
    """Overwrite each piece of the file: what opens is whole, whatever was overwritten."""
    content, expected = used_file.read_bytes(), show(used_file)
    outcomes = set()
    for start in range(0, len(content), 509):
        used_file.write_bytes(content[:start] + b"\xa5" * 40 + content[start + 40 :])
        for rest in ("-wal", "-shm"):
            used_file.with_name(used_file.name + rest).unlink(missing_ok=True)
        try:
            assert show(used_file) == expected
            outcomes.add("harmless")
        except (LedgerDamaged, InvalidInput):
            outcomes.add("refused")
    assert outcomes == {"harmless", "refused"}


def forged(items, change_last):
    """Return exported entries whose last one is replaced by another with a right hash."""
    last = items[-1]
    body = {**last["entry"], **change_last}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return [*items[:-1], {"sequence": last["sequence"], "hash": digest(text), "entry": body}]


@pytest.mark.parametrize(
    "change_last",
    [
        {"charge": 5},  # a second answer to an answered charge
        {"charge": 999},
        {"kind": "begin"},
        {"kind": "unknown"},
        {"kind": "share", "analyst": "ann", "request": None},
        {"kind": "reserve", "dataset": "people", "analyst": "ann", "query": 1, "request": None,
         "cost": "epsilon=1/20"},  # charged before
        {"kind": "reserve", "dataset": "people", "analyst": "ann", "query": "new", "request": None,
         "cost": "epsilon=0.6"},  # above the cap
        {"kind": "reserve", "dataset": "people", "analyst": "ann", "query": "new", "request": None,
         "cost": "epsilon=-1"},
        {"kind": "reserve"},
        {"kind": "cap", "dataset": "people", "analyst": None, "cap": "epsilon=1, delta=1/10, "
         "tail=1/10", "concentrated": "7"},
    ],
)  # fmt: skip
def test_an_entry_that_breaks_a_rule_is_refused_though_its_hash_is_right(used, change_last):
    items = list(export(used))
    assert verify_export(items) == show(used)
    with pytest.raises(LedgerDamaged) as caught:
        verify_export(forged(items, change_last))
    assert caught.value.entry == 24


@pytest.mark.parametrize(
    "item", [{}, {"sequence": 1}, None, {"sequence": 1, "hash": 1, "entry": {1: 2}}]
)
def test_an_export_of_another_shape_is_refused(item):
    with pytest.raises(LedgerDamaged) as caught:
        verify_export([item])
    assert caught.value.entry == 1
