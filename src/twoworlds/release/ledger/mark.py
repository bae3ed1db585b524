r"""The high-water mark: how far the ledger has come, kept outside of the database file.

A backup of the ledger that is put back has a chain that verifies; only somebody who remembers
how long the chain was can tell. The mark remembers (sequence, hash) of the last entry. It is
written after the entry is durable and before any answer is given, so a crash leaves it behind the
chain, never ahead: a mark ahead of the chain means that the ledger went back in time. Keep the
mark on another disk than the ledger, and out of its backups.

A ledger on a server has one mark on each machine that writes to it: the last entry that this
machine has seen, written by itself or by others. Let k be the last entry of a server that was put
back.

    Every answer that this machine gave is paid in every ledger that this machine accepts: a mark at
    or behind that answer was on its disk before the answer was given, and the hash at the mark
    binds all entries before it.
    A machine whose mark is beyond k refuses. It goes on refusing when others have written on from
    k, since the entry at its mark then has another hash. So two histories never live side by side
    among machines that saw them part.
    A machine whose mark is at or before k cannot notice: what others spent after k, in entries that
    it never saw, it may let be spent again, until a machine that had seen them uses the ledger.

Reading the ledger moves the mark too. After a server was put back, let the machine with the
furthest mark open the ledger first (`verify` shows how far each has come). A machine that has no
mark is refused until it joins with `remark`, which leaves an entry.

The file has three slots, a block each, with a checksum: one for marks written in passing (they
survive the death of the process, not a loss of power), two in turn for marks that are synced to
the disk, so that a write cut short spoils at most what it was about to replace.

The mark is also the lock under which all writing is done, one writer at a time, whose marks
therefore never go back. Whoever may open it could hold that lock, so its owner alone may. It keeps
our own connections from writing or checkpointing at one time, which is when SQLite before 3.51.3
could damage a write-ahead log (sqlite.org/wal.html, section "The WAL-Reset Bug").
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from twoworlds.errors import InvalidInput
from twoworlds.files import keep_private, make_private
from twoworlds.release.errors import LedgerDamaged, LedgerUnavailable
from twoworlds.release.ledger.entries import canonical, digest

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["Mark", "Place", "Places", "read_mark"]

_BLOCK = 4096
_SLOTS = 3
_LOCKED_BYTE = _BLOCK * _SLOTS  # only Windows locks a byte, beyond all content
_SHORTEST_WAIT, _LONGEST_WAIT = 0.0005, 0.005


@dataclass(frozen=True, order=True)
class Place:
    """A place in the chain."""

    sequence: int
    hash: str


@dataclass(frozen=True)
class Places:
    """What a mark holds: the furthest point, and the furthest that is synced to the disk."""

    last: Place
    synced: Place | None


def read_mark(path: Path) -> Places | None:
    """Return what a mark holds, or None when there is no such file."""
    try:
        return _points(path.read_bytes(), path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LedgerUnavailable(f"the mark {path} cannot be read: {error.strerror}") from error


class Mark:
    """An open mark, and the lock of its ledger."""

    def __init__(self, path: Path) -> None:
        """Open the file, which `Mark.create` made."""
        self.path = path
        keep_private(path)
        try:
            self._file = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0) | _CLOEXEC)
        except OSError as error:
            raise LedgerUnavailable(
                f"the mark {path} cannot be opened for writing: {error.strerror}; "
                "without it nothing is charged or answered"
            ) from error

    @classmethod
    def create(cls, path: Path, point: Place) -> Mark:
        """Make a mark at a point, durably, or not at all."""
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        block = _block(point)
        try:
            try:
                with make_private(beside) as file:
                    file.write(bytes(_BLOCK) + block + bytes(_BLOCK))
                    file.flush()
                    os.fsync(file.fileno())
                try:
                    os.link(beside, path)  # unlike a rename, this never replaces a mark
                except FileExistsError:
                    raise InvalidInput(f"there is a mark {path} already: open its ledger") from None
                sync_folder(path.parent)
            finally:
                beside.unlink(missing_ok=True)
        except OSError as error:
            raise LedgerUnavailable(f"the mark {path} cannot be made: {error.strerror}") from error
        return cls(path)

    @contextmanager
    def locked(self, seconds: float) -> Iterator[None]:
        """Hold the lock, waiting for it so long."""
        deadline, wait = time.monotonic() + seconds, _SHORTEST_WAIT
        while not self._lock():
            if time.monotonic() > deadline:
                raise LedgerUnavailable(
                    f"another process has been writing to the ledger for {seconds:g} seconds: "
                    "nothing was charged; try again, or open the ledger with a longer timeout"
                )
            time.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT)
        try:
            self._check_in_place()
            yield
        finally:
            self._unlock()

    def read(self) -> Places:
        """Return what the mark holds."""
        return _points(self._read(0, _SLOTS), self.path)

    def write(self, point: Place) -> None:
        """Note a point in passing, without waiting for the disk."""
        self._write(0, point)

    def sync(self, point: Place) -> None:
        """Note a point, and return when it is on the disk."""
        one, two = (_slot(self._read(slot, 1)) for slot in (1, 2))
        newer_first = one is not None and (two is None or one > two)
        self._write(2 if newer_first else 1, point)
        try:
            _sync(self._file)
        except OSError as error:
            raise self._not_written(error) from error

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):
            os.close(self._file)

    def _read(self, slot: int, count: int) -> bytes:
        os.lseek(self._file, _BLOCK * slot, os.SEEK_SET)
        return os.read(self._file, _BLOCK * count)

    def _write(self, slot: int, point: Place) -> None:
        try:
            os.lseek(self._file, _BLOCK * slot, os.SEEK_SET)
            os.write(self._file, _block(point))
        except OSError as error:
            raise self._not_written(error) from error

    def _not_written(self, error: OSError) -> LedgerUnavailable:
        return LedgerUnavailable(
            f"the mark {self.path} cannot be written: {error.strerror}; what was charged stays "
            "charged and nothing was answered; mend the disk and ask again, at no further cost"
        )

    def _check_in_place(self) -> None:
        try:
            there = os.path.samestat(os.fstat(self._file), self.path.stat())
        except OSError:
            there = False
        if not there:
            raise LedgerDamaged(
                f"the mark {self.path} was removed or replaced while the ledger was open: "
                "put it back, or open the ledger again"
            )

    if sys.platform == "win32":

        def _lock(self) -> bool:
            os.lseek(self._file, _LOCKED_BYTE, os.SEEK_SET)
            try:
                msvcrt.locking(self._file, msvcrt.LK_NBLCK, 1)
            except OSError:
                return False
            return True

        def _unlock(self) -> None:
            os.lseek(self._file, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(self._file, msvcrt.LK_UNLCK, 1)

    else:

        def _lock(self) -> bool:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

        def _unlock(self) -> None:
            fcntl.flock(self._file, fcntl.LOCK_UN)


_CLOEXEC = getattr(os, "O_CLOEXEC", 0)


def sync_folder(folder: Path) -> None:
    """Make new names in a folder durable, where the system can."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync(file: int) -> None:
    if sys.platform == "darwin":
        fcntl.fcntl(file, fcntl.F_FULLFSYNC)  # fsync alone leaves it in the drive's cache
    elif sys.platform == "win32":
        os.fsync(file)
    else:
        os.fdatasync(file)


def _block(point: Place) -> bytes:
    body = canonical({"sequence": point.sequence, "hash": point.hash})
    return f"{digest(body)} {body}\n".encode("ascii").ljust(_BLOCK, b"\0")


def _slot(block: bytes) -> Place | None:
    """Return the point of a block, or None when it was never written, or only in part."""
    try:
        check, _, body = block.rstrip(b"\0").decode("ascii").rstrip("\n").partition(" ")
        if digest(body) != check:
            return None
        kept = json.loads(body)
        return Place(int(kept["sequence"]), str(kept["hash"]))
    except (ValueError, KeyError, TypeError):
        return None


def _points(content: bytes, path: Path) -> Places:
    found = [_slot(content[_BLOCK * i : _BLOCK * (i + 1)]) for i in range(_SLOTS)]
    known = [point for point in found if point is not None]
    if not known:
        raise LedgerDamaged(
            f"the mark {path} cannot be read: it does not say how far the ledger had come; "
            "restore it, or, if you trust the ledger as it is, remove the mark and call remark"
        )
    synced = [point for point in found[1:] if point is not None]
    return Places(max(known), max(synced) if synced else None)
