"""The state of an audit: a file from which the same audit goes on after an interruption.

It holds the question (the subject, its databases, the claim, the seed and the like), the rounds
that are finished, and how far the test under way is. A round that was still looking for its event
begins again. What the file says is believed: it is a bookmark, not a certificate. An event is
stored as the plain values from which its code is written, so that nothing of the file is run.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from twoworlds.attacks.audit.events import FeatureEvent
from twoworlds.attacks.audit.features import Feature, function_of
from twoworlds.attacks.audit.process import decoded, encoded
from twoworlds.errors import InvalidInput
from twoworlds.files import check_place, write

_FORMAT = "twoworlds audit 6"
_PLAIN = (type(None), bool, int, float, str)


@dataclass(frozen=True)
class Test:
    """The test of an event on fresh outputs, as far as it is."""

    event: FeatureEvent
    pair: int  # the number of the pair
    likelier: int  # which database of the pair makes the event likelier
    size: int  # how many outputs are to be drawn on each database
    chunk: int = 0  # the next chunk to draw
    # how many outputs were in the event, on the likelier database and on the other
    counts: tuple[int, int] = (0, 0)
    rounded: tuple[int, int] = (0, 0)  # the same for outputs rounded to 32 significant bits


@dataclass
class Progress:
    """How far an audit is."""

    scores: list[float | None]  # for each pair, how well it was told apart when last looked at
    # the tests of the finished rounds, None where there was no event to test
    rounds: list[Test | None] = field(default_factory=list)
    test: Test | None = None  # the test under way
    samples: int = 0  # how many outputs were drawn
    tried: int = 0  # how many events were looked at
    notes: list[str] = field(default_factory=list)  # what a reader should know
    unseen: list[str] = field(default_factory=list)  # types that were not looked into


def save(path: Path, question: dict[str, str], progress: Progress) -> None:
    """Write the state, whole or not at all."""
    done = encoded(asdict(progress))
    data = {"format": _FORMAT, "digest": _digest(question, done), "question": question}
    write(path, json.dumps({**data, "progress": done}) + "\n")


def resume(path: Path, question: dict[str, str], begin: Progress) -> Progress:
    """Return how far the audit of this question is: at its beginning where there is no file.

    Raises:
        InvalidInput: when the file is damaged, something else, or of another question.
    """
    check_place(path)
    if not path.exists():
        return begin
    anew = "name another file with --state, or remove it to begin anew"
    try:
        data = json.loads(path.read_text())
        stored = data["question"]
        if data["format"] != _FORMAT or data["digest"] != _digest(stored, data["progress"]):
            raise ValueError("it was changed, or is of another version")
        other = next((name for name in question if stored[name] != question[name]), None)
        if other is None:
            done = decoded(data["progress"])
            rounds = [_test(one, len(begin.scores)) for one in done.pop("rounds")]
            test = _test(done.pop("test"), len(begin.scores))
            return Progress(rounds=rounds, test=test, **done)
    except Exception as error:  # whatever the file holds
        raise InvalidInput(f"{path} is not a state of an audit: {anew}") from error
    then, now = stored[other][:60], question[other][:60]
    raise InvalidInput(f"{path} belongs to an audit with {other} {then}, not {now}: {anew}")


def _digest(question: dict[str, str], done: Any) -> str:
    return sha256(json.dumps([question, done], sort_keys=True).encode()).hexdigest()


def _test(data: dict[str, Any] | None, pairs: int) -> Test | None:
    if data is None:
        return None
    event = data.pop("event")
    feature = Feature(**event.pop("feature"))
    test = Test(FeatureEvent(feature, **event), **data)
    numbers = (test.pair, test.likelier, test.size, test.chunk, *test.counts, *test.rounded)
    if not (
        all(type(one) is int and one >= 0 for one in numbers)
        and test.pair < pairs
        and test.likelier < 2
        and _are_plain((feature.parameters, test.event.intervals, test.event.members))
    ):
        raise ValueError("a test is of another form")
    function_of(test.event.code)  # it is written, and can be read
    return test


def _are_plain(value: Any) -> bool:
    if type(value) in (tuple, list):
        return all(map(_are_plain, value))
    return type(value) in _PLAIN
