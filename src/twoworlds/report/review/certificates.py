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

from twoworlds.cones.certificates import MEANINGS, says_nothing, verify
from twoworlds.definitions.coupled.optimal import UNCHECKED, Proved, proved_by
from twoworlds.errors import InvalidInput
from twoworlds.numbers import show
from twoworlds.report.review.model import Block, Facts, Grid, Proof, Review, Said, Section

__all__ = ["is_certificate", "review_certificate"]

_LARGEST_FILE = 1 << 28
_SHOWN, _LONGEST = 16, 160
_ARITHMETIC = {  # what stands for the claim, and against what it is held
    "violates": ("inequality", "vector"),
    "separated": ("functional", "vector"),
    "escape": ("inequality", "ray"),
}
_TITLES = {
    "optimal-simulator": "A certificate of a best simulator",
    "least-loss": "A certificate of a best mechanism",
}


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


def review_certificate(
    file: str | Path,
    *,
    ledger: str | Path | None = None,
    title: str | None = None,
    reviewers: tuple[str, ...] = (),
    command: str | None = None,
) -> Review:
    """Check a certificate and review it.

    Args:
        file: a certificate saved as .json.
        ledger: for a release: an export of the ledger, to find the charge in.
        title: of the page.
        reviewers: who will sign.
        command: what was typed to make it.

    Raises:
        InvalidInput: when the file cannot be read, or holds no certificate.
    """
    from twoworlds.report.review.releases import review_release

    path = Path(file)
    data, text = _read(path)
    if isinstance(data, Mapping) and "kind" not in data and "certificate" in data:
        data = data["certificate"]  # the answer of a command with --json holds its certificate
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    if isinstance(data, Mapping) and ("facets" in data or data.get("kind") == "noise-cone"):
        raise InvalidInput(f"{path} holds a cone, not a proof: save a proof with --proof or --save")
    if isinstance(data, Mapping) and data.get("kind") == "release":
        found = review_release(data, _proof(path, text, ledger), ledger)
    elif ledger is not None:
        raise InvalidInput("--ledger is for certificates of releases: leave it out")
    else:
        found = _review(data, _proof(path, text, None), path)
    return replace(found, title=title or found.title, reviewers=reviewers, command=command)


def _proof(path: Path, text: str, ledger: str | Path | None) -> Proof:
    words = ["twoworlds", "verify", path.name]
    words += [] if ledger is None else ["--ledger", Path(ledger).name]
    about = (
        "This page was made from the certificate below, after checking it. It needs neither the "
        "data nor a solver to be checked again:"
    )
    return Proof(about, text, path.name, shlex.join(words))


def _review(data: Any, proof: Proof, path: Path) -> Review:
    holds = verify(data)
    if says_nothing(data):
        raise InvalidInput(
            f"{path} has an 'all' without parts: it says nothing, and proves nothing"
        )
    kind, claim = str(data["kind"]), str(data.get("claim", ""))
    numbers = _numbers(data) if holds else []
    meaning = MEANINGS[kind]
    question = f"Does this certificate of kind {kind} prove what it claims?"
    outcome: dict[str, Any] = {
        "kind": kind,
        "claim": claim,
        "holds": holds,
        "proved": [one.to_dict() for one in numbers],
    }
    title = _TITLES.get(kind, f"A certificate of kind {kind}")
    if not holds:
        return Review(
            title,
            question,
            "broken",
            "The certificate does NOT hold: its arithmetic does not come out.",
            (f"It is not so that {meaning}.", "Nothing that it claims should be relied on."),
            (),
            (),
            proof,
            outcome,
        )
    said = (f"Checked by exact arithmetic: {meaning}.", *(f"It is {n.explain()}." for n in numbers))
    rests = [
        "the proof is about the vectors and tables that the file holds: that they are those of the "
        "mechanism, definition or belief in question is for the reader to compare",
        *([UNCHECKED] if numbers else ()),
        "every number in it is an exact fraction, and no solver was asked",
    ]
    headline = "The certificate holds."
    sections = (Section("What it proves", tuple(_proved(data, claim))), *_tables(data))
    return Review(title, question, "holds", headline, said, tuple(rests), sections, proof, outcome)


def _proved(data: Mapping[str, Any], claim: str) -> Iterator[Block]:
    if claim:
        yield Facts((("described as", f"{claim} (a description, which is not checked)"),))
    parts = data.get("parts")
    if isinstance(parts, Sequence):
        kinds = [str(part["kind"]) for part in parts]
        rows = tuple(
            (kind, str(kinds.count(kind)), MEANINGS[kind]) for kind in dict.fromkeys(kinds)
        )
        yield Grid(("kind of part", "how many", "each proves that"), rows)
    yield from _arithmetic(data)
    fields = tuple(
        (name, _shape(value))
        for name, value in data.items()
        if name not in ("kind", "claim", "parts")
    )
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
    """Say what a field holds: the whole if it is short, its size if not."""
    text = json.dumps(value, ensure_ascii=False).replace('"', "")
    if len(text) <= _LONGEST:
        return text
    if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        return f"{len(value)} rows of {len(value[0])} numbers"
    return f"{len(value)} entries"


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
    yield Section("The mechanism in it", (Grid(("output", *heads), rows, numbers=True),))


def _numbers(data: Mapping[str, Any]) -> list[Proved]:
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
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} is not JSON: {error}") from error


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse an object that names a key twice: readers would see different things."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidInput("the file names a key twice in one object: write each of them once")
    return found
