"""Certificates in files: read, told from other files, and checked, the same way for every command.

A file holds a certificate, or the answer of a command with ``--json``, which holds one. A key that
comes twice in one object is refused, since readers would see different things.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twoworlds.cones.certificates import says_nothing, verify
from twoworlds.definitions.coupled.optimal import Proved, proved_by
from twoworlds.errors import InvalidInput

__all__ = ["Saved", "holds", "is_certificate", "proved_numbers", "read_certificate"]

_LARGEST_FILE = 1 << 28


@dataclass(frozen=True)
class Saved:
    """A certificate, as data and as text, with the file that holds it."""

    path: Path
    data: Any
    text: str

    @property
    def of_release(self) -> bool:
        """Whether it is the certificate of a release."""
        return isinstance(self.data, Mapping) and self.data.get("kind") == "release"


def is_certificate(text: str) -> bool:
    """Tell whether a text names a file that holds a certificate, rather than a mechanism.

    Raises:
        InvalidInput: when it is a .json file that holds neither.
    """
    if not text.lower().endswith(".json") or not Path(text).is_file():
        return False
    data, _ = _read(Path(text))
    if isinstance(data, Mapping) and ("kind" in data or "certificate" in data or "facets" in data):
        return True
    if isinstance(data, Mapping) and "matrix" in data:
        return False
    raise InvalidInput(
        f"{text} holds no certificate, which has a kind, and no mechanism, which has a matrix: "
        "save a certificate with --certificate, --proof or --save of the command that proves it"
    )


def read_certificate(path: Path) -> Saved:
    """Read a certificate.

    Raises:
        InvalidInput: when the file cannot be read, is not JSON, or holds a cone.
    """
    data, text = _read(path)
    if isinstance(data, Mapping) and "kind" not in data and "certificate" in data:
        data = data["certificate"]  # the answer of a command with --json holds its certificate
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    if isinstance(data, Mapping) and ("facets" in data or data.get("kind") == "noise-cone"):
        raise InvalidInput(f"{path} holds a cone, not a proof: save a proof with --proof or --save")
    return Saved(path, data, text)


def holds(saved: Saved) -> bool:
    """Check a certificate that is not of a release, by exact arithmetic.

    Raises:
        InvalidInput: when it is none, or says nothing.
    """
    found = verify(saved.data)
    if says_nothing(saved.data):
        raise InvalidInput(
            f"{saved.path} has an 'all' without parts: it says nothing, and proves nothing"
        )
    return found


def proved_numbers(data: Mapping[str, Any]) -> list[Proved]:
    """Return the numbers that a certificate of best simulators proves, added up again."""
    parts = [part for part in data.get("parts", ()) if isinstance(part, Mapping)]
    found = (proved_by(one) for one in (data, *parts) if one.get("kind") == "optimal-simulator")
    return [one for one in found if one is not None]


def _read(path: Path) -> tuple[Any, str]:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise InvalidInput(f"{path} is larger than {_LARGEST_FILE >> 20} MB, no certificate is")
        text = path.read_text(encoding="utf-8")
        return json.loads(text, object_pairs_hook=_once), text
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    except RecursionError as error:
        raise InvalidInput(f"{path} is nested too deeply: no certificate is") from error
    except ValueError as error:
        raise InvalidInput(f"{path} is not JSON: {error}") from error


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse an object that names a key twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidInput("the file names a key twice in one object: write each of them once")
    return found
