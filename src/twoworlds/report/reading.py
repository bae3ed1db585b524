"""Certificates in files: read, told from other files, and checked, the same way for every command.

A file holds a certificate, or is a report or the answer of a command with ``--json``, which hold
one. What readers could take for different things, such as a key that comes twice, is refused.
"""

from __future__ import annotations

import re
import signal
import threading
from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twoworlds.cones.certificates import says_nothing, verify
from twoworlds.definitions.coupled.proof import Proved, proved_by
from twoworlds.errors import InvalidInput, Undecided
from twoworlds.files import certificate_text, read_json

_LARGEST_FILE = 64 << 20  # a simulator for 1,000 people has 20 MB
_LINK = re.compile(rb'<a data-certificate href="data:application/json;base64,([^"]*)"')
_LONGEST = 60.0  # seconds
_LARGEST_MATRIX = 1 << 28  # as `twoworlds.mechanisms.files` reads them


@dataclass(frozen=True)
class Saved:
    """A certificate, as data and as text, with its file, and the page that holds it, if any."""

    path: Path
    data: Any
    text: str
    page: str | None = None

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
    data, _ = read_json(Path(text), "certificate", largest=_LARGEST_MATRIX)
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
    pages: list[str] = []
    data, text = read_json(
        path, "certificate", largest=_LARGEST_FILE, inside=lambda held: _in_report(held, pages)
    )
    held = data.get("certificate") if isinstance(data, Mapping) and "kind" not in data else None
    if isinstance(held, Mapping):
        data = held  # the answer of a command with --json holds its certificate
        text = certificate_text(data)
    if isinstance(data, Mapping) and ("facets" in data or data.get("kind") == "noise-cone"):
        raise InvalidInput(f"{path} holds a cone, not a proof: save a proof with --proof or --save")
    return Saved(path, data, text, *pages)


def _in_report(content: bytes, pages: list[str]) -> bytes:
    """Return the certificate that a report links to, and keep the page; what is none, as it is."""
    if not content.lstrip().startswith(b"<"):
        return content
    found = _LINK.search(content)
    if found is None:
        raise InvalidInput(
            "this page holds no certificate: give a report made by twoworlds, or the .json file "
            "that its link saves"
        )
    pages.append(content.decode(errors="replace"))
    return b64decode(found[1])


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


@contextmanager
def time_limit(seconds: float | None = None) -> Iterator[None]:
    """Stop a check that takes too long: small files can hold sums that take days.

    Where the system has no alarm, and outside of the main thread, there is no limit.

    Raises:
        Undecided: when the time is over.
    """
    most = _LONGEST if seconds is None else seconds
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def stop(*_: object) -> None:
        raise Undecided(
            f"checking took more than {most:g} seconds and was stopped, so nothing is decided: ask "
            "for a smaller certificate, or check it in Python, where there is no limit"
        )

    before = signal.signal(signal.SIGALRM, stop)
    # Python drops what is raised inside a finalizer, so the alarm rings again until it is heard.
    signal.setitimer(signal.ITIMER_REAL, most, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
