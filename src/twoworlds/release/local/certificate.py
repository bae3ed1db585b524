"""The certificate beside a randomized file: how it was made, and what it costs.

Randomizing the same column again gives a second, independent look at every record: the ratios
multiply (epsilons add up), and averaging many looks shows the data. So a randomized file is made
once and kept, nothing is overwritten, and the certificate says what the file has cost.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twoworlds.cards.explained import Explained
from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.files import read_json
from twoworlds.numbers import show, to_json
from twoworlds.release.local.randomizer import Randomizer

__all__ = ["Certificate", "certificate_path", "read_certificate"]

_KIND = "twoworlds randomized column"
_LARGEST = 1 << 24
_FIELDS = {"channel": str, "values": list, "outputs": list, "column": str, "records": int}


@dataclass(frozen=True)
class Certificate(Explained):
    """What was done to a column.

    Attributes:
        randomizer: the channel of every record.
        column: the name of the column.
        records: how many records there are, which is taken to be public.
        carried: the columns that were copied as they are, because they were said to be public.
        shuffled: whether the records were put in random order.
    """

    randomizer: Randomizer
    column: str
    records: int
    carried: tuple[str, ...] = ()
    shuffled: bool = False

    def explain(self) -> str:
        """Say what was done, what it means and what running it again would cost."""
        ratio = self.randomizer.ratio
        order = "in random order" if self.shuffled else "in the order of the records"
        beside = (
            "No other column was copied."
            if not self.carried
            else f"Copied as they are, since they were said to be public: "
            f"{', '.join(self.carried)}."
        )
        return (
            f"{self.randomizer.explain()} Cells with none of these values are "
            f"{_undeclared(self.randomizer)}.\n\n"
            f"{self.records} reports of column {self.column!r} were written, {order}. {beside}\n\n"
            "Randomizing this column again would be a second look at every record: both together "
            f"move odds by a factor of up to {show(ratio * ratio, side='up')}. Keep this file "
            "instead."
        )

    def picture(self) -> str:
        """Draw the channel."""
        return self.randomizer.picture()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "kind": _KIND,
            "column": self.column,
            "records": self.records,
            "carried": list(self.carried),
            "order": "shuffled" if self.shuffled else "kept",
            **self.randomizer.to_dict(),
            "cells_with_none_of_the_values": _undeclared(self.randomizer),
            "twice": {
                "ratio": to_json(self.randomizer.ratio * self.randomizer.ratio),
                "meaning": "what this and a second randomization of the column cost together",
            },
        }

    def text(self) -> str:
        """Return the content of the file."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"


def certificate_path(path: Path) -> Path:
    """Return where the certificate of a file lies: beside it.

    >>> certificate_path(Path("reports.csv")).name
    'reports.csv.certificate.json'
    """
    return path.with_name(f"{path.name}.certificate.json")


def read_certificate(path: Path) -> Certificate | None:
    """Read the certificate of a randomized file, or return None if there is none.

    Raises:
        InvalidInput: when the file beside it is no certificate.
    """
    beside = certificate_path(path)
    if not beside.is_file():
        return None
    try:
        return _certificate(read_json(beside, "certificate", largest=_LARGEST)[0])
    except (ValueError, KeyError, TypeError, AttributeError, TwoWorldsError):
        raise InvalidInput(
            f"{beside} is no certificate of a randomized column: remove it, and name the channel"
        ) from None


def _certificate(data: Any) -> Certificate:
    if data["kind"] != _KIND or any(type(data[n]) is not kind for n, kind in _FIELDS.items()):
        raise ValueError("another kind of file")
    outputs = data["outputs"] if data["outputs"] != data["values"] else None
    made = Randomizer.of(
        data["channel"], values=data["values"], outputs=outputs, missing=data["missing"]
    )
    found = Certificate(
        made, data["column"], data["records"], tuple(data["carried"]), data["order"] == "shuffled"
    )
    if _written(found.to_dict()) != _written(data):  # not ==, to which 1, 1.0 and True are the same
        raise ValueError("other fields or numbers than it would have")
    return found


def _written(data: Any) -> str:
    return json.dumps(data, sort_keys=True)


def _undeclared(randomizer: Randomizer) -> str:
    if randomizer.missing is not None:
        return f"counted as {randomizer.missing!r}"
    return "first replaced by one of them, chosen evenly"
