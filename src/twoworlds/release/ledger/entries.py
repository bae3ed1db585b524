r"""Entries of the ledger, a chain of canonical JSON, and the high-water mark that keeps its end.

Each entry holds the hash of the one before:

    body = canonical JSON of {"sequence": n, "previous": hash of entry n - 1, "time", "kind", ...}
    hash = SHA-256 of the body

Canonical: keys sorted, no spaces, ASCII only, so that two writers of the same content write the
same bytes. Exact numbers stand in it as text ("epsilon=1/10"). A chain shows that entries were
changed, moved or left out in the middle; that the end was cut off shows only against a mark kept
elsewhere (below). There is no key: who can write all files can write
another history.

The high-water mark: how far the ledger has come, kept outside of the database file.

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

import fcntl
import json
import math
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.files import keep_private, make_private
from twoworlds.release.errors import LedgerDamaged, LedgerUnavailable

START = "0" * 64  # the hash before the first entry
_LONGEST = 16 << 20
_DEEPEST = 100
_MOST_BITS = 14_000  # below 4,300 digits, which every Python reads back without being told to
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class Entry:
    """An entry as it is stored: its number, its canonical body and the hash of that."""

    sequence: int
    body: str
    hash: str

    @staticmethod
    def of(sequence: int, previous: str, time: str, kind: str, content: Mapping[str, Any]) -> Entry:
        """Write an entry that follows the one with hash ``previous``.

        The content is plain data: `canonical` has seen every part of it that came from elsewhere.

        >>> Entry.of(1, START, "2026-01-01T00:00:00Z", "begin", {}).hash[:8]
        '83b6ecd5'
        """
        place = {"sequence": sequence, "previous": previous, "time": time, "kind": kind}
        body = _encoded({**content, **place}, "content")
        return Entry(sequence, body, digest(body))

    def read(self, previous: str) -> tuple[str, dict[str, Any]]:
        """Return the kind and the content of an entry that must follow the one before."""
        body: Any = None
        try:
            right = digest(self.body) == self.hash
            body = json.loads(self.body) if right else None
            right = isinstance(body, dict) and _ENCODER.encode(body) == self.body
        except (ValueError, RecursionError, AttributeError, TypeError):
            right = False
        if not right:
            raise self._damaged("its content does not have the hash that was stored for it")
        kept = {key: body.pop(key, None) for key in ("sequence", "previous", "time", "kind")}
        if kept["sequence"] != self.sequence:
            raise self._damaged("it was written as another entry")
        if kept["previous"] != previous:
            raise self._damaged("it does not follow the entry before it")
        return str(kept["kind"]), body

    def _damaged(self, what: str) -> LedgerDamaged:
        return LedgerDamaged(
            f"ledger entry {self.sequence} does not verify: {what}; "
            "restore the newest backup in which it does, nothing is answered until then",
            entry=self.sequence,
        )


def canonical(value: object, name: str = "content") -> str:
    r"""Return the canonical JSON of plain data.

    >>> canonical({"b": 1, "a": [True, None, "é"]})
    '{"a":[true,null,"\\u00e9"],"b":1}'
    """
    _check_plain(value, name, 0)
    return _encoded(value, name)


def _encoded(value: object, name: str) -> str:
    text = _ENCODER.encode(value)
    if len(text) > _LONGEST:
        raise InvalidInput(
            f"{name} takes {len(text)} bytes as JSON, at most {_LONGEST} are kept: "
            "store it elsewhere and give its SHA-256 here"
        )
    return text


def digest(text: str) -> str:
    """Return the SHA-256 of a canonical text, in hexadecimal."""
    return sha256(text.encode("ascii")).hexdigest()


def _check_plain(value: object, name: str, depth: int) -> None:
    if depth > _DEEPEST:
        raise InvalidInput(f"{name} is nested more than {_DEEPEST} deep: flatten it")
    kind = type(value)
    if value is None or kind in (bool, str):
        return
    if kind is int:
        if value.bit_length() > _MOST_BITS:  # type: ignore[attr-defined]
            raise InvalidInput(f"{name} holds a number too long to be written: round it")
        return
    if kind is float:
        if not math.isfinite(value):  # type: ignore[arg-type]
            raise InvalidInput(f"{name} holds NaN or an infinity, which JSON has not: use None")
        return
    if isinstance(value, (list, tuple)):
        for item in value:
            _check_plain(item, name, depth + 1)
        return
    if kind is dict:
        if not all(type(key) is str for key in value):  # type: ignore[attr-defined]
            raise InvalidInput(f"{name} has a key that is not text: use text as keys")
        for item in value.values():  # type: ignore[attr-defined]
            _check_plain(item, name, depth + 1)
        return
    raise InvalidInput(
        f"{name} holds an object of type {kind.__name__}, which is not plain data: "
        "give numbers, text, lists and dictionaries (of a numpy value, its .item() or .tolist())"
    )


_BLOCK = 4096
_SLOTS = 3
_SHORTEST_WAIT, _LONGEST_WAIT = 0.0005, 0.005


@dataclass(frozen=True, order=True)
class ChainPlace:
    """A place in the chain."""

    sequence: int
    hash: str


@dataclass(frozen=True)
class Places:
    """What a mark holds: the furthest point, and the furthest that is synced to the disk."""

    last: ChainPlace
    synced: ChainPlace | None


def read_mark(path: Path) -> Places | None:
    """Return what a mark holds, or None when there is no such file."""
    try:
        with path.open("rb") as file:
            return _points(file.read(_BLOCK * _SLOTS), path)
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
            self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise LedgerUnavailable(
                f"the mark {path} cannot be opened for writing: {error.strerror}; "
                "without it nothing is charged or answered"
            ) from error

    @classmethod
    def create(cls, path: Path, point: ChainPlace) -> Mark:
        """Make a mark at a point, durably, or not at all."""
        # Threads share a number of a process, and so do the first processes of two containers.
        beside = path.with_name(f".{path.name}.{token_hex(8)}")
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
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def read(self) -> Places:
        """Return what the mark holds."""
        return _points(self._read(0, _SLOTS), self.path)

    def write(self, point: ChainPlace) -> None:
        """Note a point in passing, without waiting for the disk."""
        self._write(0, point)

    def sync(self, point: ChainPlace) -> None:
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

    def _write(self, slot: int, point: ChainPlace) -> None:
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

    def _lock(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def sync_folder(folder: Path) -> None:
    """Make new names in a folder durable, where the system can."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync(file: int) -> None:
    if sys.platform == "darwin":
        fcntl.fcntl(file, fcntl.F_FULLFSYNC)  # fsync alone leaves it in the drive's cache
    else:
        os.fdatasync(file)


def _block(point: ChainPlace) -> bytes:
    body = canonical({"sequence": point.sequence, "hash": point.hash})
    return f"{digest(body)} {body}\n".encode("ascii").ljust(_BLOCK, b"\0")


def _slot(block: bytes) -> ChainPlace | None:
    """Return the point of a block, or None when it was never written, or only in part."""
    try:
        check, _, body = block.rstrip(b"\0").decode("ascii").rstrip("\n").partition(" ")
        if digest(body) != check:
            return None
        kept = json.loads(body)
        return ChainPlace(int(kept["sequence"]), str(kept["hash"]))
    except (ValueError, KeyError, TypeError):
        return None


def _points(content: bytes, path: Path) -> Places:
    found = [_slot(content[_BLOCK * i : _BLOCK * (i + 1)]) for i in range(_SLOTS)]
    known = [point for point in found if point is not None]
    if not known:
        raise LedgerDamaged(
            f"the mark {path} cannot be read: it does not say how far the ledger had come; "
            "restore it, or, if you trust the ledger as it is, remove the mark and make "
            "a new one: twoworlds ledger remark FILE --reason 'why it is missing'"
        )
    synced = [point for point in found[1:] if point is not None]
    return Places(max(known), max(synced) if synced else None)
