"""The state of an audit, in a JSON file: what is needed to go on after an interruption.

It holds the settings (an audit of another subject, or with other settings, is refused), the rounds
that are finished, and of a round whose event is chosen the counts and the place of the generators.
A round that was still looking for its event begins again.

What a file says is believed: it is a bookmark, not a certificate.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.files import check_place, write

__all__ = ["Progress", "Testing", "read_state", "write_state"]

_FORMAT = "twoworlds audit 3"


@dataclass
class Testing:
    """An event under test.

    Attributes:
        pair: the number of the pair.
        likelier: which database of the pair makes it likelier.
        event: the event as plain data.
        size: how many outputs are to be drawn on each database.
        done: how many were drawn on each of them.
        counts: how many were in the event, on the likelier database and on the other.
        rounded: the same for outputs whose floats are rounded to 32 bits.
        converted: whether the event looks at ``plain(y)``.
    """

    pair: int
    likelier: int
    event: dict[str, Any]
    size: int
    done: int = 0
    counts: list[int] = field(default_factory=lambda: [0, 0])
    rounded: list[int] = field(default_factory=lambda: [0, 0])
    converted: bool = False


@dataclass
class Progress:
    """How far an audit is.

    Attributes:
        rounds: those that are finished: their tests, or None where there was no event to test.
        testing: the test under way.
        scores: for each pair, how well it was told apart when last looked at.
        samples: how many outputs were drawn.
        tried: how many events were looked at.
    """

    rounds: list[Testing | None] = field(default_factory=list)
    testing: Testing | None = None
    scores: list[float | None] = field(default_factory=list)
    samples: int = 0
    tried: int = 0


def write_state(path: Path, settings: Mapping[str, str], progress: Progress) -> None:
    """Write the state, whole or not at all."""
    data = {"format": _FORMAT, "settings": dict(settings), **asdict(progress)}
    write(path, json.dumps(data, indent=1) + "\n")


def read_state(path: Path, settings: Mapping[str, str]) -> Progress:
    """Read a state, or begin one where there is no file yet."""
    check_place(path)
    if not path.exists():
        return Progress()
    try:
        data = json.loads(path.read_text())
        if data["format"] != _FORMAT:
            raise KeyError("format")
        stored = data["settings"]
        progress = Progress(
            [_testing(one) for one in data["rounds"]],
            _testing(data["testing"]),
            data["scores"],
            data["samples"],
            data["tried"],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(
            f"{path} is no state of an audit: name another file, or remove it to begin anew"
        ) from error
    for name, value in settings.items():
        if stored.get(name) != value:
            raise InvalidInput(
                f"{path} belongs to an audit with {name} {_shown(stored.get(name))}, not "
                f"{_shown(value)}: name another file, or remove it to begin anew"
            )
    return progress


def _testing(data: Any) -> Testing | None:
    return None if data is None else Testing(**data)


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:12]}..."
