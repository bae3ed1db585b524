"""The high-water mark: three slots of which a write cut short spoils at most one."""

import os

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.release.errors import LedgerUnavailable
from twoworlds.release.ledger.entries import ChainPlace, Mark, Places, read_mark

BLOCK = 4096


@pytest.fixture
def mark(tmp_path):
    made = Mark.create(tmp_path / "mark", ChainPlace(1, "a"))
    yield made
    made.close()


def test_a_mark_is_read_as_it_was_written(mark):
    assert mark.read() == read_mark(mark.path) == Places(ChainPlace(1, "a"), ChainPlace(1, "a"))
    mark.write(ChainPlace(2, "b"))
    assert mark.read() == Places(ChainPlace(2, "b"), ChainPlace(1, "a"))
    mark.sync(ChainPlace(3, "c"))
    assert mark.read() == Places(ChainPlace(3, "c"), ChainPlace(3, "c"))
    assert mark.path.stat().st_size == 3 * BLOCK


def test_a_write_cut_short_leaves_the_synced_mark_before_it(mark):
    """Spoil the slot in passing and the slot being synced, as a loss of power might."""
    for n in range(2, 8):
        before = mark.path.read_bytes()
        mark.write(ChainPlace(n, "in passing"))
        mark.sync(ChainPlace(n, "synced"))
        after = mark.path.read_bytes()
        changed = [i for i in range(3) if before[BLOCK * i :][:BLOCK] != after[BLOCK * i :][:BLOCK]]
        torn = bytearray(after)
        for slot in changed:
            torn[BLOCK * slot + 30 : BLOCK * (slot + 1)] = bytes(BLOCK - 30)
        mark.path.write_bytes(torn)
        previous = ChainPlace(n - 1, "synced") if n > 2 else ChainPlace(1, "a")
        assert read_mark(mark.path) == Places(previous, previous)
        mark.path.write_bytes(after)


def test_a_second_mark_never_replaces_the_first(mark):
    with pytest.raises(InvalidInput, match="already"):
        Mark.create(mark.path, ChainPlace(9, "z"))
    assert read_mark(mark.path).last == ChainPlace(1, "a")
    assert [file.name for file in mark.path.parent.iterdir()] == ["mark"]


def test_there_may_be_no_mark(tmp_path):
    assert read_mark(tmp_path / "none") is None
    with pytest.raises(LedgerUnavailable, match="cannot be opened"):
        Mark(tmp_path / "none")
    with pytest.raises(LedgerUnavailable, match="cannot be read"):
        read_mark(tmp_path)


def test_one_holder_at_a_time(mark):
    other = Mark(mark.path)
    refused = pytest.raises(LedgerUnavailable, match="nothing was charged")
    with mark.locked(0), refused, other.locked(0.01):
        pass
    with other.locked(0):
        pass
    other.close()


def test_of_two_threads_that_make_a_mark_at_one_time_one_does(tmp_path, monkeypatch):
    path, link = tmp_path / "mark", os.link

    def meanwhile(*names):
        monkeypatch.setattr(os, "link", link)
        Mark.create(path, ChainPlace(1, "other")).close()
        link(*names)

    monkeypatch.setattr(os, "link", meanwhile)
    with pytest.raises(InvalidInput, match="already"):
        Mark.create(path, ChainPlace(1, "a"))
    assert read_mark(path).last == ChainPlace(1, "other")
    assert [file.name for file in tmp_path.iterdir()] == ["mark"]
