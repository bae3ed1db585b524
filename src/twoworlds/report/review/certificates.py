"""Certificates in files: read, told from other files, checked, and reviewed.

A file holds a certificate, or is a report or the answer of a command with ``--json``, which hold
one. What readers could take for different things, such as a key that comes twice, is refused. A
review checks a certificate first, and its page says what came out.

What can be read are the certificates that `twoworlds verify` knows: of releases, and of cones,
designs and simulators. One that does not hold makes a page that says so, and shows nothing of what
it claims.
"""

from __future__ import annotations

import re
import shlex
import signal
import threading
from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from twoworlds.answer import Answer, Facts
from twoworlds.cones.certificates import MEANINGS, says_nothing, verify
from twoworlds.definitions.coupled.proof import UNCHECKED, Proved, proved_by
from twoworlds.errors import InvalidInput, Undecided
from twoworlds.files import certificate_text, read_json
from twoworlds.numbers import show
from twoworlds.report.review.model import VERIFIED, ProofFile, Review, broken
from twoworlds.show import Told

_LARGEST_FILE = 64 << 20  # a simulator for 1,000 people has 20 MB
_LINK = re.compile(rb'<a data-certificate href="data:application/json;base64,([^"]*)"')
_SECONDS = 60.0
_LARGEST_MATRIX = 1 << 28  # as `twoworlds.mechanisms.files` reads them
_TITLES = {
    "member": "A vector in a cone",
    "separated": "A vector outside of a cone",
    "satisfies": "Inequalities that hold",
    "violates": "An inequality that fails",
    "implied": "A guarantee that follows",
    "escape": "A guarantee that does not follow",
    "post-processing": "A mechanism that follows from others",
    "not-post-processing": "A mechanism that does not follow from others",
    "least-loss": "The most accurate mechanism with given guarantees",
    "least-squared-loss": "The most accurate mechanism with given guarantees, by squared loss",
    "largest-odds": "The largest odds that given guarantees allow",
    "largest-parity-odds": "The largest odds between two parities",
    "optimal-simulator": "The simulator that comes nearest",
    "all": "Several statements, proved together",
}
_BROKEN = (
    "The file is kept here as it was given, so that others can see the same. Save it, and let "
    "plain arithmetic decide:"
)
_LIMITS = (
    "that anything is private: a certificate proves the one statement above, and twoworlds report "
    "of the mechanism itself says what that mechanism lets anyone learn",
    "that a program does what the numbers say",
)


@dataclass(frozen=True)
class Saved:
    """A certificate, as data and as text, with its file, and the page that holds it, if any.

    The data are None for a report that holds no certificate.
    """

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
    """Return the certificate that a report links to, or null, and keep the page; others as is."""
    if not content.lstrip().startswith(b"<"):
        return content
    links = _LINK.findall(content)
    if len(links) > 1:
        raise InvalidInput("this page links to several certificates, and readers may take either")
    pages.append(content.decode(errors="replace"))
    return b64decode(links[0], validate=True) if links else b"null"


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
    most = _SECONDS if seconds is None else seconds
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


def proved(saved: Saved) -> Told:
    """Check a certificate that is not of a release, and say what it proves."""
    data, holding = saved.data, holds(saved)
    kind, claim = str(data["kind"]), str(data.get("claim", ""))
    numbers = proved_numbers(data) if holding else []
    found: dict[str, Any] = {"kind": kind, "claim": claim, "holds": holding}
    told = MEANINGS[kind] if holding else f"it is not so that {MEANINGS[kind]}"
    rows = [("checked" if holding else "fails", told)]
    kinds = [str(part["kind"]) for part in data.get("parts", ())]
    for one in dict.fromkeys(kinds):
        rows.append(("parts", f"{kinds.count(one)} of kind {one}: {MEANINGS[one]}"))
    rows += [("checked", one.explain()) for one in numbers]
    if numbers:
        found |= {"proved": numbers, "not_checked": UNCHECKED}
        rows.append(("not checked", UNCHECKED))
    rows += [("not checked", f"that it is what it calls itself: {claim}")] if claim else []
    headline = "Its arithmetic comes out." if holding else "Its arithmetic does not come out."
    of = "certificate" if kind == "all" else f"certificate of kind {kind}"
    of = "refutation" if kind == "violates" else of  # nobody shall read that the claim holds
    said = Answer(headline, claim=of, holds=holding, blocks=[Facts(rows)])
    return Told(said, found)


# --- the review -----------------------------------------------------------------------------------


def review_certificate(file: str | Path, *, ledger: str | Path | None = None) -> Review:
    """Check a certificate saved as .json and review it.

    ``ledger`` is, for a release, an export of the ledger, to find the charge in.

    Raises:
        InvalidInput: when the file cannot be read, or holds no certificate.
    """
    from twoworlds.release.ledger.views import ExportedLedger
    from twoworlds.report.review.releases import review_release

    saved = read_certificate(Path(file))
    if saved.of_release:
        books = None if ledger is None else ExportedLedger(ledger)
        return review_release(saved.data, certificate_proof(saved, ledger), books)
    if ledger is not None:
        raise InvalidInput("--ledger is for certificates of releases: leave it out")
    return _review(saved)


def certificate_proof(saved: Saved, ledger: str | Path | None = None) -> ProofFile:
    """Return a certificate as what can be checked again."""
    words = ["twoworlds", "verify", saved.path.name]
    words += [] if ledger is None else ["--ledger", Path(ledger).name]
    about = (
        "This page was made from the certificate below, after checking it. It needs neither the "
        "data nor a solver to be checked again:"
    )
    return ProofFile(about, saved.text, saved.path.name, shlex.join(words), VERIFIED)


def _review(saved: Saved) -> Review:
    told, proof = proved(saved), certificate_proof(saved)
    kind, claim = told.data["kind"], told.data["claim"]
    meaning, numbers = MEANINGS[kind], told.data.get("proved", [])
    question = f"Does {proof.name}, a certificate of kind {kind}, prove what it claims?"
    if not told.said.holds:
        title, failure = f"A broken certificate, {proof.name}", "its arithmetic does not come out"
        said = f"It is not so that {meaning}.", "Nothing that it claims should be relied on."
        kept = replace(proof, about=_BROKEN)
        return broken(title, question, failure, said, kept, told.to_dict())
    rests = (
        "the proof is about the vectors and tables that the file holds: that they are those of the "
        "mechanism, definition or belief in question is for the reader to compare",
        *([UNCHECKED] if numbers else ()),
        "every number in it is an exact fraction, and no solver was asked",
    )
    return Review(
        _TITLES.get(kind, f"A certificate of kind {kind}"),
        question,
        "holds",
        f"The certificate holds: {_said(saved.data, meaning)}.",
        ("This was checked by exact arithmetic.", *(f"It is {n.explain()}." for n in numbers)),
        rests,
        (("What was checked", tuple(told.said.blocks)),),
        proof,
        told.to_dict(),
        subject=(("described as", f"{claim} (a description, which is not checked)"),)
        if claim
        else (),
        limits=_LIMITS,
    )


def _said(data: Mapping[str, Any], meaning: str) -> str:
    """Say what was proved, with its number where it has one."""
    if data["kind"] not in ("least-loss", "least-squared-loss"):
        return meaning
    where = "on its worst database" if data["criterion"] == "worst" else "under the belief in it"
    squared = data["kind"] == "least-squared-loss"
    others = ", whatever numbers it answers," if squared else " and the outputs in it"
    bound, value = Fraction(data["bound" if squared else "value"]), Fraction(data["value"])
    least = show(bound, side="up" if bound == value else "down")
    reached = "no more" if bound == value else show(value, side="at most")
    loss = "squared loss" if squared else "loss"
    return (
        f"no mechanism with these guarantees{others} has a {loss} below {least} {where}, and the "
        f"one in it has {reached}"
    )
