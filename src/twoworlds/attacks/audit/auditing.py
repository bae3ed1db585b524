r"""The audit: rounds of looking for an event and testing it on samples drawn for that alone.

Round r = 0, 1, 2, ... draws 2^r times as many outputs as the first. On one half of them, pair by
pair, it looks for the event that separates the pair most (`twoworlds.attacks.audit.events`); the
better half of the pairs goes on to the next round. Then it tests one event, of one pair, in one
direction, on the other half, which nothing has looked at before
(`twoworlds.attacks.audit.finding`).

What is corrected for: all choices are made on other samples than the test, so that each round tests
one hypothesis. It may be wrong with probability

    alpha_r = alpha / ((r + 1)(r + 2)),   which sum to alpha = 1 - confidence,

so that with the stated confidence none of the rounds is wrong, however many there are and whenever
one stops. A round that the time cuts short is not used.

The state of an audit goes into a JSON file: the settings (an audit of another subject, or with
other settings, is refused), the rounds that are finished, and of a round whose event is chosen the
counts and the place of the generators. A round that was still looking for its event begins again.
What a file says is believed: it is a bookmark, not a certificate.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any

from twoworlds.attacks.audit.adapters import local
from twoworlds.attacks.audit.events import Chosen, FeatureEvent, learn
from twoworlds.attacks.audit.finding import Audit, Finding, brief, database_text
from twoworlds.attacks.audit.outputs import (
    Outputs,
    are_cut,
    coarse,
    failures,
    gathered,
    unseen,
    weight,
)
from twoworlds.attacks.audit.process import InChild
from twoworlds.attacks.audit.subjects import Command, Local, OutOfTime, Pair, landmarks
from twoworlds.errors import InvalidInput
from twoworlds.files import check_place, write
from twoworlds.numbers import (
    INFINITY,
    Number,
    exact_text,
    number,
    probability,
    to_json,
    whole,
)
from twoworlds.progress import track

_FORMAT = "twoworlds audit 5"
Subject = Local | Command | InChild


@dataclass
class Testing:
    """An event under test."""

    pair: int  # the number of the pair
    likelier: int  # which database of the pair makes it likelier
    event: dict[str, Any]  # the event as plain data
    size: int  # how many outputs are to be drawn on each database
    done: int = 0  # how many were drawn on each of them
    # how many were in the event, on the likelier database and on the other
    counts: list[int] = field(default_factory=lambda: [0, 0])
    # the same for outputs whose floats are rounded to 32 bits
    rounded: list[int] = field(default_factory=lambda: [0, 0])


@dataclass
class Progress:
    """How far an audit is."""

    # those that are finished: their tests, or None where there was no event to test
    rounds: list[Testing | None] = field(default_factory=list)
    testing: Testing | None = None  # the test under way
    # for each pair, how well it was told apart when last looked at
    scores: list[float | None] = field(default_factory=list)
    samples: int = 0  # how many outputs were drawn
    tried: int = 0  # how many events were looked at


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


# --- the rounds -----------------------------------------------------------------------------------


_LEARNED = 1 << 16  # outputs of a database that are looked at; more do not sharpen the event
_HEAVIEST = 1 << 24  # numbers in the outputs of a database that are looked at
_KEPT = 3
_CUT = (
    "large outputs are cut before events look at them: lists and dictionaries to their first 4,095 "
    "items and their length, texts of more than 100,000 characters to their beginning and a hash"
)
_PLAIN = "y is plain(output): from twoworlds.attacks.audit import plain"
_MADE_UP = "the audit made these databases up: if yours hold other records, name two with --pair"
_BEYOND = 3  # rounds that look at rounded outputs after low-order bits have refuted the claim
_SAVING = 1.0  # seconds between writings of the state


def audit(
    subject: Any,
    *,
    epsilon: object = None,
    delta: object = None,
    pairs: Sequence[str | Pair] | None = None,
    neighbours: str | None = None,
    confidence: object = "95%",
    seed: int = 0,
    samples: int = 10_000_000,
    time_limit: float = 60.0,
    patience: float = 10.0,
    low_bits: bool = True,
    repeat: bool = False,
    state: Path | str | None = None,
) -> Audit:
    """Look for an event that shows a subject to be less private than it claims.

    Args:
        subject: a callable, a mechanism, an object of OpenDP or diffprivlib, or a text:
            ``python:module:name`` (run in a child process), ``command:...``, or a mechanism.
        epsilon: the claim; without one, the subject's own, or none: then a bound is sought.
        delta: the delta that is granted.
        pairs: pairs of neighbouring databases, as values or as ``"A ~ B"``.
        neighbours: how pairs are proposed: ``one``, ``all`` or ``add-remove``.
        confidence: the probability with which everything certified is right, at least.
        seed: what the generators are made from.
        samples: how many outputs are drawn at most.
        time_limit: after how many seconds to stop.
        patience: how many seconds to wait for one output.
        low_bits: whether to look at the low-order bits of floats.
        repeat: whether a command answers many lines.
        state: a file to go on from, and to write how far it is.

    >>> from twoworlds.testing.broken import laplace_ten_percent_short
    >>> audit(laplace_ten_percent_short, epsilon=1).refuted
    True
    """
    level = probability(confidence, "confidence")
    if not 0 < level < 1:
        raise InvalidInput(f"confidence={confidence} must lie strictly between 0 and 1, as in 95%")
    seed, samples = whole(seed, "seed"), whole(samples, "samples", at_least=1)
    for name, seconds in (("time limit", time_limit), ("patience", patience)):
        if not (isfinite(seconds) and seconds > 0):
            raise InvalidInput(f"{name}={seconds}: give a number of seconds above 0")
    found = _subject(subject, neighbours, pairs, patience, repeat=repeat)
    try:
        claim, granted = _claim(epsilon, delta, found)
        run = _Run(found, claim, granted, level, seed, samples, low_bits=low_bits, state=state)
        return run.through(time.monotonic() + time_limit)
    finally:
        found.close()


def _subject(
    subject: Any,
    neighbours: str | None,
    pairs: Sequence[str | Pair] | None,
    patience: float,
    *,
    repeat: bool,
) -> Subject:
    if pairs is not None and not pairs:
        raise InvalidInput("no pair of databases is given: leave pairs out to have some proposed")
    if isinstance(subject, str) and subject.startswith("command:"):
        return Command(
            subject, repeat=repeat, neighbours=neighbours, given=pairs, patience=patience
        )
    if repeat:
        raise InvalidInput(f"{subject} is no command: --repeat is for command:... only")
    if isinstance(subject, str) and subject.startswith("python:"):
        return InChild(subject, neighbours=neighbours, given=pairs, patience=patience)
    return local(subject, neighbours, pairs)


def _claim(epsilon: object, delta: object, subject: Subject) -> tuple[Number | None, Fraction]:
    about = subject.about
    own = epsilon is None and about.epsilon is not None
    stated = about.epsilon if own else epsilon
    granted = delta if delta is not None else about.delta if own else 0
    claim = None if stated is None else number(stated, "epsilon")
    if claim is not None and (claim == INFINITY or claim < 0):
        raise InvalidInput(f"epsilon={stated} must be a finite number, at least 0")
    return claim, probability(granted, "delta")


class _Run:
    """One audit under way."""

    def __init__(
        self,
        subject: Subject,
        claim: Number | None,
        delta: Fraction,
        confidence: Fraction,
        seed: int,
        samples: int,
        *,
        low_bits: bool,
        state: Path | str | None,
    ) -> None:
        self.subject, self.about, self.claim, self.delta = subject, subject.about, claim, delta
        self.confidence, self.seed, self.samples = confidence, seed, samples
        self.low_bits = low_bits and self.about.low_bits
        self.path = None if state is None else Path(state)
        self.settings = {
            "subject": self.about.name,
            "identity": self.about.identity,
            "delta": str(exact_text(delta)),
            "confidence": str(confidence),
            "seed": str(seed),
            "pairs": repr(self.about.pairs),
            "low bits": str(self.low_bits),
        }
        self.progress = Progress() if self.path is None else read_state(self.path, self.settings)
        self.deadline = 0.0
        self._saved = 0.0
        self._found: list[Finding | None] = []  # of the finished rounds
        self._notes = list(self.about.notes)
        self._unseen: set[str] = set()
        self._rounding = False  # whether events are looked for in rounded outputs

    def through(self, deadline: float) -> Audit:
        """Go on, round after round, until the claim is refuted or a limit is reached."""
        self.deadline = deadline
        try:
            stopped = self._rounds()
        except OutOfTime:
            stopped = "the time was over"
        finally:
            self._save()
        progress, best = self.progress, self.best
        if best is not None and self.about.neighbours.startswith("proposed"):
            self._notes.append(_MADE_UP)
        if best is not None and not best.event.feature.of_a_number:
            self._notes.append(_PLAIN)
        return Audit(
            self.about.name,
            self.claim,
            self.delta,
            self.confidence,
            best,
            self.about.neighbours,
            len(self.about.pairs),
            len(progress.rounds),
            progress.tried,
            progress.samples,
            self.seed,
            stopped,
            tuple(self._notes),
            tuple(sorted(self._unseen)),
        )

    @property
    def best(self) -> Finding | None:
        """The finding with the largest certified ratio above 1 of all finished rounds.

        One that refutes the claim without the low-order bits of floats comes first.
        """
        for one in self.progress.rounds[len(self._found) :]:
            self._found.append(None if one is None else self._finding(len(self._found), one))
        certified = [found for found in self._found if found is not None and found.ratio > 1]
        return max(certified, key=lambda found: (self._by_noise(found), found.ratio), default=None)

    def _by_noise(self, found: Finding) -> bool:
        claim = self.claim
        return claim is not None and found.refutes(claim) and not found.rests_on_floats(claim)

    def _rounds(self) -> str:
        progress = self.progress
        while True:
            best = self.best
            refuted = self.claim is not None and best is not None and best.refutes(self.claim)
            if refuted and best is not None:
                first = next(i for i, found in enumerate(self._found) if found is best)
                if self._by_noise(best) or len(progress.rounds) > first + _BEYOND:
                    return "the claim is refuted"
                self._rounding = True  # does the noise refute it as well?
            if progress.testing is None:
                active = self._active()
                size = self.about.start << len(progress.rounds)
                testing = size * min(len(active), 8)
                cost = 2 * (len(active) * min(size, _LEARNED) + testing)
                if progress.samples + cost > self.samples:
                    self._refuse_too_few(cost)
                    return "the claim is refuted" if refuted else "the samples were used up"
                self._choose(active, min(size, _LEARNED), testing)
            if progress.testing is not None:
                self._test()
            progress.rounds.append(progress.testing)
            progress.testing = None

    def _refuse_too_few(self, cost: int) -> None:
        if not self.progress.rounds:
            fewer = ", or give one pair of databases" if len(self.about.pairs) > 1 else ""
            raise InvalidInput(
                f"samples={self.samples}: the first round alone draws {cost} outputs; allow at "
                f"least as many{fewer}"
            )

    def _active(self) -> list[int]:
        """Return the pairs that are still looked at, the best half of those of the last round."""
        scores = self.progress.scores or [0.0] * len(self.about.pairs)
        known = [i for i, score in enumerate(scores) if score is not None]
        keep = max(_KEPT, len(scores) >> len(self.progress.rounds))
        return sorted(sorted(known, key=lambda i: -(scores[i] or 0.0))[:keep])

    def _choose(self, active: list[int], size: int, testing: int) -> None:
        """Find the event of this round, on samples that are used for nothing else."""
        number_of = len(self.progress.rounds) + 1
        scores: list[float | None] = [None] * len(self.about.pairs)
        best, chosen = Chosen(None, 0, 0.0, 0), 0
        failed: dict[int, set[str]] = {}
        for i in track(active, f"round {number_of}: looking for an event", len(active)):
            pair = self.about.pairs[i]
            first, second = (self._gathered(pair[w], size, (i, w, 0)) for w in (0, 1))
            self.progress.samples += len(first) + len(second)
            if self._rounding:
                first, second = coarse(first), coarse(second)
            if _CUT not in self._notes and (are_cut(first) or are_cut(second)):
                self._notes.append(_CUT)
            self._unseen |= unseen(first) | unseen(second)
            errors = failures(first), failures(second)
            if errors[0] is not None and errors[1] is not None:
                failed[i] = errors[0] | errors[1]
            found = learn(
                first,
                second,
                float(self.delta),
                landmarks(pair),
                low_bits=self.low_bits,
                goal=float("inf") if self.claim is None else float(to_json(self.claim)["value"]),
                check=self._check_time,
            )
            self.progress.tried += found.tried
            scores[i] = found.score if isfinite(found.score) else -1e9
            if best.event is None or found.score > best.score:
                best, chosen = found, i
        if failed and not self.progress.rounds:
            self._note_failures(failed)
        self.progress.scores = scores
        if best.event is not None:
            self.progress.testing = Testing(chosen, best.likelier, best.event.to_dict(), testing)

    def _note_failures(self, failed: dict[int, set[str]]) -> None:
        """Refuse a subject that only ever fails in one way; else say where it only fails."""
        kinds = sorted(set().union(*failed.values()))
        pairs, such = len(self.about.pairs), self.about.pairs[next(iter(failed))]
        shown = " and ".join(brief(database_text(database)) for database in such)
        if len(failed) == pairs and len(kinds) == 1:
            raise InvalidInput(
                f"every call of {self.about.name} failed ({kinds[0]}), such as on {shown}: nothing "
                "was audited; mend it, or give databases that it takes with --pair 'A ~ B'"
            )
        self._notes.append(
            f"every call failed on {len(failed)} of {pairs} pairs of databases, such as {shown} "
            f"({', '.join(kinds)})"
        )

    def _gathered(self, database: Any, size: int, place: tuple[int, ...]) -> Outputs:
        """Draw outputs to be looked at; fewer where they are large."""
        parts: list[Outputs] = []
        heavy = 0
        for chunk, many in enumerate(_chunks(size, self.about.chunk)):
            parts.append(self._draw(database, many, (*place, chunk)))
            heavy += weight(parts[-1])
            if heavy > _HEAVIEST:
                break
        return gathered(parts)

    def _check_time(self) -> None:
        if time.monotonic() > self.deadline:
            raise OutOfTime

    def _draw(self, database: Any, size: int, place: tuple[int, ...]) -> Outputs:
        self._check_time()
        key = (self.seed, len(self.progress.rounds), *place)
        return self.subject.draw(database, size, key, self.deadline)

    def _test(self) -> None:
        """Count the chosen event on fresh samples, and save how far that is."""
        test = self.progress.testing
        assert test is not None
        event = FeatureEvent.from_dict(test.event)
        rounded = event.rounded()
        order = (test.likelier, 1 - test.likelier)
        pair = self.about.pairs[test.pair]
        sizes = list(_chunks(test.size, self.about.chunk))
        label = f"round {len(self.progress.rounds) + 1}: testing the event"
        for chunk, many in enumerate(track(sizes, label, len(sizes))):
            if chunk * self.about.chunk < test.done:
                continue
            drawn = [self._draw(pair[w], many, (test.pair, w, 1, chunk)) for w in order]
            counts = [seen + event.count(y) for seen, y in zip(test.counts, drawn, strict=True)]
            also = [n + rounded.count(coarse(y)) for n, y in zip(test.rounded, drawn, strict=True)]
            test = replace(test, done=test.done + many, counts=counts, rounded=also)
            self.progress.testing = test
            self.progress.samples += 2 * many
            if time.monotonic() - self._saved > _SAVING:
                self._save()

    def _finding(self, number_of: int, test: Testing) -> Finding:
        pair = self.about.pairs[test.pair]
        return Finding.of(
            FeatureEvent.from_dict(test.event),
            (pair[test.likelier], pair[1 - test.likelier]),
            (test.counts[0], test.counts[1]),
            test.done,
            delta=self.delta,
            alpha=(1 - self.confidence) / ((number_of + 1) * (number_of + 2)),
            rounded=(test.rounded[0], test.rounded[1]),
        )

    def _save(self) -> None:
        if self.path is not None:
            write_state(self.path, self.settings, self.progress)
            self._saved = time.monotonic()


def _chunks(size: int, most: int) -> Iterable[int]:
    return (min(most, size - start) for start in range(0, size, most))
