"""A review of a certificate: it is checked first, and the page says what came out.

What can be read are the certificates that `twoworlds verify` knows: of releases, and of cones,
designs and simulators. One that does not hold makes a page that says so, and shows nothing of what
it claims.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from twoworlds.answer import Block, Facts, Said, Table
from twoworlds.cones.certificates import MEANINGS
from twoworlds.definitions.coupled.proof import UNCHECKED
from twoworlds.errors import InvalidInput
from twoworlds.numbers import show
from twoworlds.report.reading import Saved, holds, proved_numbers, read_certificate
from twoworlds.report.review.model import FAILS, VERIFIED, ProofFile, Review, Section

_SHOWN, _LONGEST = 16, 160
_ARITHMETIC = {  # what stands for the claim, and against what it is held
    "violates": ("inequality", "vector"),
    "separated": ("functional", "vector"),
    "escape": ("inequality", "ray"),
}
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


def review_certificate(
    file: str | Path,
    *,
    ledger: str | Path | None = None,
) -> Review:
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
    holding = holds(saved)
    data, proof = saved.data, certificate_proof(saved)
    kind, claim = str(data["kind"]), str(data.get("claim", ""))
    numbers = proved_numbers(data) if holding else []
    meaning = MEANINGS[kind]
    outcome: dict[str, Any] = {
        "kind": kind,
        "claim": claim,
        "holds": holding,
        "proved": [one.to_dict() for one in numbers],
    }
    question = f"Does {proof.name}, a certificate of kind {kind}, prove what it claims?"
    if not holding:
        failing = replace(proof, about=_BROKEN, expected=FAILS)
        return Review(
            f"A broken certificate, {proof.name}",
            question,
            "broken",
            "The certificate does NOT hold: its arithmetic does not come out.",
            (f"It is not so that {meaning}.", "Nothing that it claims should be relied on."),
            (),
            (),
            failing,
            outcome,
        )
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
        f"The certificate holds: {_said(data, meaning)}.",
        ("This was checked by exact arithmetic.", *(f"It is {n.explain()}." for n in numbers)),
        rests,
        (("What it proves", tuple(_proved(data, meaning))), *_tables(data)),
        proof,
        outcome,
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


def _proved(data: Mapping[str, Any], meaning: str) -> Iterator[Block]:
    yield Said((f"{meaning[:1].upper()}{meaning[1:]}.",))
    parts = data.get("parts")
    if isinstance(parts, Sequence):
        kinds = [str(part["kind"]) for part in parts]
        rows = tuple(
            (kind, str(kinds.count(kind)), MEANINGS[kind]) for kind in dict.fromkeys(kinds)
        )
        yield Table(("kind of part", "how many", "each proves that"), rows)
    yield from _arithmetic(data)
    shown = {"kind", "claim", "parts", *(("matrix",) if [*_tables(data)] else ())}
    fields = tuple((name, _shape(value)) for name, value in data.items() if name not in shown)
    if fields:
        yield Said(("What the file holds:",), quiet=True)
        yield Facts(fields)


def _arithmetic(data: Mapping[str, Any]) -> Iterator[Block]:
    names = _ARITHMETIC.get(str(data["kind"]))
    if names is None:
        return
    first, second = ([Fraction(x) for x in data[name]] for name in names)
    total = sum((a * b for a, b in zip(first, second, strict=True)), start=Fraction(0))
    yield Said((f"The {names[0]} on the {names[1]} gives {show(total)}, which is below 0.",))


def _shape(value: Any) -> str:
    """Say what a field holds: the whole if it is short, its size if not.

    >>> _shape([["1/2", 1], [0, 3]])
    '(1/2, 1); (0, 3)'
    """
    rows = isinstance(value, list) and bool(value) and all(isinstance(row, list) for row in value)
    if value == []:
        return "none"
    text = "; ".join(map(_vector, value)) if rows else _vector(value)
    if len(text) <= _LONGEST:
        return text
    return f"{len(value)} rows of {len(value[0])} numbers" if rows else f"{len(value)} entries"


def _vector(value: Any) -> str:
    if isinstance(value, list) and not any(isinstance(one, list | dict) for one in value):
        return f"({', '.join(map(str, value))})"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _tables(data: Mapping[str, Any]) -> Iterator[Section]:
    """Yield the matrix of a mechanism, where it is small."""
    matrix, columns = data.get("matrix"), data.get("columns")
    if not isinstance(matrix, list) or len(matrix) > _SHOWN:
        return
    width = len(matrix[0]) if matrix else 0
    if not 0 < width <= _SHOWN or not all(isinstance(row, list) for row in matrix):
        return
    heads = [str(i + 1) for i in range(width)]
    if isinstance(columns, list) and len(columns) == width:
        heads = [str(one) for one in columns]
    rows = tuple((str(i), *(str(x) for x in row)) for i, row in enumerate(matrix, start=1))
    yield "The mechanism in it", (Table(("output", *heads), rows, numbers=True),)
