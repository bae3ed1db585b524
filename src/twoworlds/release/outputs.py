"""Where certificates and reports may be written: never over something else.

A file that is there already is replaced only if it is empty, or begins as this program begins such
a file. What a release depends on (the policy, the ledger with its mark, the tables) is refused by
its place too, whatever it is called and whether it is there yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from twoworlds.errors import InvalidInput
from twoworlds.release.curator import ledger_place
from twoworlds.release.ledger.journal import FileLocation, locate
from twoworlds.release.policy import Policy

__all__ = ["Kind", "check_output", "kept_files"]

Kind = Literal["certificate", "report"]
_BEGINNINGS = {
    "certificate": re.compile(r'\{\s*"kind": "release",\s*"statement": \{'),
    "report": re.compile(
        r'<!doctype html>\s*<html lang="en"><head>.*?'
        r'(<title>Release from |<meta name="generator" content="twoworlds )',
        re.DOTALL,
    ),
}
_LOOKED_AT = 2000  # bytes of a file


def check_output(path: Path, kind: Kind, kept: Mapping[Path, str]) -> None:
    """Refuse to write a certificate or a report over anything but another one."""
    for other, what in kept.items():
        if _are_same(path, other):
            raise InvalidInput(f"{path} is {what}: give the {kind} another name")
    if not path.exists():
        return
    try:
        with path.open("rb") as file:
            beginning = file.read(_LOOKED_AT)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}; give another name") from None
    if beginning and not _BEGINNINGS[kind].match(beginning.decode("utf-8", "replace")):
        raise InvalidInput(
            f"{path} is there already, and is no {kind} of a release: give another name, or move "
            "it away"
        )


def kept_files(policy: Policy, file: Path, sources: Mapping[str, Any]) -> dict[Path, str]:
    """Return the files that a release depends on, with what they are."""
    found = {file: "the policy"}
    place, mark = ledger_place(policy)
    location = locate(place, mark=mark)
    found[location.mark] = "the mark of the ledger"
    if isinstance(location, FileLocation):
        real = location.path.resolve()
        for ending in ("", "-wal", "-shm", "-journal"):
            found[Path(f"{real}{ending}")] = "the ledger"
    for dataset in policy.datasets.values():
        for source in (dataset.source, sources.get(dataset.name)):
            found.update((path, f"the table of {dataset.name}") for path in _files(source, policy))
        for table in dataset.public.values():
            said = f"the public table {table.name}"
            found.update((path, said) for path in _files(table.source, policy))
    return found


def _files(source: Any, policy: Policy) -> Iterator[Path]:
    """Yield the path that a source may stand for."""
    if isinstance(source, Mapping):
        for form in ("duckdb", "sqlite", "spark"):
            yield from _files(source.get(form), policy)
    elif isinstance(source, Path) or (isinstance(source, str) and "://" not in source):
        yield policy.folder / source


def _are_same(path: Path, other: Path) -> bool:
    """Whether two paths lead to the same file, which need not be there yet."""
    try:
        if path.resolve() == other.resolve():
            return True
        return path.exists() and other.exists() and path.samefile(other)
    except (OSError, ValueError, RuntimeError):  # a path that cannot be followed is no file
        return False
