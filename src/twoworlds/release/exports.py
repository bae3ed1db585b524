"""Exported ledgers as files: one JSON object to a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.files import write

__all__ = ["read_export", "write_export"]

_SUFFIX = ".jsonl"
_LONGEST = 1 << 30


def read_export(path: Path | str) -> list[Mapping[str, Any]]:
    """Return the exported entries of a file, unchecked.

    Raises:
        InvalidInput: when it cannot be read as such.
    """
    place = Path(path)
    try:
        if place.stat().st_size > _LONGEST:
            raise InvalidInput(
                f"{place} is larger than {_LONGEST >> 20} MB: verify the ledger itself"
            )
        lines = place.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.strip()]
    except OSError as error:
        raise InvalidInput(f"{place} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError):
        raise InvalidInput(f"{place} is no exported ledger: a line of it is not JSON") from None


def write_export(path: Path, entries: Iterable[Mapping[str, Any]]) -> int:
    """Write exported entries to a file; return how many."""
    if path.suffix != _SUFFIX:
        raise InvalidInput(f"{path}: give the export a name that ends in {_SUFFIX}")
    lines = [json.dumps(entry, sort_keys=True, separators=(",", ":")) for entry in entries]
    write(path, "".join(f"{line}\n" for line in lines))
    return len(lines)
