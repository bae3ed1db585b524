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
one stops. A round that the time cuts short is not used; with a state file
(`twoworlds.attacks.audit.state`) it goes on from there.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.metadata import version
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

from twoworlds.attacks.audit.adapters import local
from twoworlds.attacks.audit.events import Chosen, learn
from twoworlds.attacks.audit.finding import Audit, Finding, brief, database_text, pair_text
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
from twoworlds.attacks.audit.state import Progress, Test, resume, save
from twoworlds.attacks.audit.subjects import MOST_PAIRS, Command, Local, OutOfTime, Pair, landmarks
from twoworlds.errors import InvalidInput
from twoworlds.numbers import INFINITY, Number, exact_text, number, probability, to_json, whole
from twoworlds.progress import track
from twoworlds.worlds import Universe, catalogue

Subject = Local | Command | InChild
_LEARNED = 1 << 16  # outputs of a database that are looked at; more do not sharpen the event
_HEAVIEST = 1 << 24  # numbers in the outputs of a database that are looked at
_KEPT = 3
_CUT = (
    "large outputs are cut before events look at them: lists and dictionaries to their first 4,095 "
    "items and their length, texts of more than 100,000 characters to their beginning and a hash"
)
_PLAIN = "y is plain(output): from twoworlds.attacks.audit import plain"
_BEYOND = 3  # rounds that look at rounded outputs after low-order bits have refuted the claim
_SAVING = 1.0  # seconds between writings of the state during a test


def audit(
    subject: Any,
    *,
    epsilon: object = None,
    delta: object = None,
    pairs: Sequence[str | Pair] | None = None,
    neighbours: str | None = None,
    universe: str | Universe | None = None,
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
        universe: of which the pairs are taken, as lists of records.
        confidence: the probability with which everything certified is right, at least.
        seed: what the generators are made from.
        samples: how many outputs are drawn at most.
        time_limit: after how many seconds to stop.
        patience: how many seconds to wait for one output.
        low_bits: whether to look at the low-order bits of floats.
        repeat: whether a command answers many lines.
        state: a file in which to keep how far the audit is, and from which to go on.

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
    if universe is not None:
        if pairs is not None or neighbours is not None:
            raise InvalidInput("a universe has its own pairs and neighbours: leave these out")
        pairs = _pairs_of(universe)
    found = _subject(subject, neighbours, pairs, patience, repeat=repeat)
    try:
        claim, granted = _claim(epsilon, delta, found)
        place = None if state is None else Path(state)
        run = _Run(found, claim, granted, level, seed, samples, low_bits, place)
        return run.through(time.monotonic() + time_limit)
    finally:
        found.close()


def _pairs_of(named: str | Universe) -> list[Pair]:
    world = catalogue.universe(named) if isinstance(named, str) else named
    both = ((x, y) for x in world for y in world.around(x, world.relation))
    pairs = dict.fromkeys(islice(both, MOST_PAIRS))
    kept = [
        pair for pair in pairs if pair[::-1] not in pairs or list(pair) == sorted(pair, key=repr)
    ]
    return [(_listed(x), _listed(y)) for x, y in kept]


def _listed(database: Any) -> Any:
    return list(database) if isinstance(database, tuple) else database


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
        raise InvalidInput(f"{subject} is not a command: --repeat is for command:... only")
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


@dataclass
class _Run:
    """One audit under way."""

    subject: Subject
    claim: Number | None
    delta: Fraction
    confidence: Fraction
    seed: int
    samples: int
    low_bits: bool
    state: Path | None

    def __post_init__(self) -> None:
        self.about = self.subject.about
        self.low_bits = self.low_bits and self.about.low_bits
        self.deadline = 0.0
        self.progress = Progress([0.0] * len(self.about.pairs), notes=list(self.about.notes))
        if self.state is not None:
            self.progress = resume(self.state, self.question, self.progress)
        # Of the finished rounds, None where there was no event to test
        self.findings: list[Finding | None] = []
        for test in self.progress.rounds:
            self.findings.append(self._finding(test))
        self.rounding = False  # whether events are looked for in rounded outputs

    @property
    def question(self) -> dict[str, str]:
        """What makes another audit the same one, so that it can go on from the state of this."""
        about, claim = self.about, self.claim
        stated = "none" if claim is None else exact_text(claim) or repr(claim)
        return {
            "the version": version("twoworlds"),
            "the subject": about.name,
            "the source": about.source,
            "the pairs": "; ".join(map(pair_text, about.pairs)),
            "the claim": f"epsilon={stated}, delta={self.delta}",
            "the confidence": str(self.confidence),
            "the seed": str(self.seed),
            "low bits": str(self.low_bits),
            "batches of": str(about.chunk),
        }

    def through(self, deadline: float) -> Audit:
        """Go on, round after round, until the claim is refuted or a limit is reached."""
        self.deadline = deadline
        try:
            stopped = self._rounds()
        except OutOfTime:
            stopped = "the time was over"
        best, done = self.best, self.progress
        notes = [] if best is None or best.event.feature.of_a_number else [_PLAIN]
        return Audit(
            self.about.name,
            self.claim,
            self.delta,
            self.confidence,
            best,
            self.about.neighbours,
            tuple(map(pair_text, self.about.pairs)),
            len(self.findings),
            done.tried,
            done.samples,
            self.seed,
            stopped,
            (*done.notes, *notes),
            tuple(done.unseen),
            self.about.guessed,
        )

    @property
    def best(self) -> Finding | None:
        """The finding with the largest certified ratio above 1 of all finished rounds.

        One that refutes the claim without the low-order bits of floats comes first.
        """
        certified = [found for found in self.findings if found is not None and found.ratio > 1]
        return max(certified, key=lambda found: (self._by_noise(found), found.ratio), default=None)

    def _by_noise(self, found: Finding) -> bool:
        claim = self.claim
        return claim is not None and found.refutes(claim) and not found.rests_on_floats(claim)

    def _rounds(self) -> str:
        while True:
            best = self.best
            refuted = self.claim is not None and best is not None and best.refutes(self.claim)
            if refuted and best is not None:
                first = next(i for i, found in enumerate(self.findings) if found is best)
                if self._by_noise(best) or len(self.findings) > first + _BEYOND:
                    return "the claim is refuted"
                self.rounding = True  # does the noise refute it as well?
            if self.progress.test is None:
                active = self._active()
                size = self.about.start << len(self.findings)
                testing = size * min(len(active), 8)
                cost = 2 * (len(active) * min(size, _LEARNED) + testing)
                if self.progress.samples + cost > self.samples:
                    self._refuse_too_few(cost)
                    return "the claim is refuted" if refuted else "the samples were used up"
                self.progress.test = self._choose(active, min(size, _LEARNED), testing)
            if self.progress.test is not None:
                self._test()
            self.findings.append(self._finding(self.progress.test))
            self.progress.rounds.append(self.progress.test)
            self.progress.test = None
            self._save()

    def _save(self) -> None:
        if self.state is not None:
            save(self.state, self.question, self.progress)

    def _refuse_too_few(self, cost: int) -> None:
        if not self.findings:
            fewer = ", or give one pair of databases" if len(self.about.pairs) > 1 else ""
            raise InvalidInput(
                f"samples={self.samples}: the first round alone draws {cost} outputs; allow at "
                f"least as many{fewer}"
            )

    def _active(self) -> list[int]:
        """Return the pairs that are still looked at, the best half of those of the last round."""
        scores = self.progress.scores
        known = [i for i, score in enumerate(scores) if score is not None]
        keep = max(_KEPT, len(scores) >> len(self.findings))
        return sorted(sorted(known, key=lambda i: -(scores[i] or 0.0))[:keep])

    def _choose(self, active: list[int], size: int, testing: int) -> Test | None:
        """Find the event of this round, on samples that are used for nothing else."""
        number_of = len(self.findings) + 1
        scores: list[float | None] = [None] * len(self.about.pairs)
        best, chosen = Chosen(None, 0, 0.0, 0), 0
        failed: dict[int, set[str]] = {}
        for i in track(active, f"round {number_of}: looking for an event", len(active)):
            pair = self.about.pairs[i]
            first, second = (self._gathered(pair[w], size, (i, w, 0)) for w in (0, 1))
            self.progress.samples += len(first) + len(second)
            if self.rounding:
                first, second = coarse(first), coarse(second)
            if _CUT not in self.progress.notes and (are_cut(first) or are_cut(second)):
                self.progress.notes.append(_CUT)
            hidden = unseen(first) | unseen(second)
            self.progress.unseen = sorted(hidden.union(self.progress.unseen))
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
        if failed and not self.findings:
            self._note_failures(failed)
        self.progress.scores = scores
        return None if best.event is None else Test(best.event, chosen, best.likelier, testing)

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
        self.progress.notes.append(
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
        key = (self.seed, len(self.findings), *place)
        return self.subject.draw(database, size, key, self.deadline)

    def _test(self) -> None:
        """Count the chosen event on fresh samples, on the database that makes it likelier first."""
        test = self.progress.test
        assert test is not None
        event, rounded = test.event, test.event.rounded()
        pair, order = self.about.pairs[test.pair], (test.likelier, 1 - test.likelier)
        sizes = list(_chunks(test.size, self.about.chunk))[test.chunk :]
        label, saved = f"round {len(self.findings) + 1}: testing the event", 0.0
        for many in track(sizes, label, len(sizes)):
            if time.monotonic() - saved > _SAVING:
                self._save()
                saved = time.monotonic()
            drawn = [self._draw(pair[w], many, (test.pair, w, 1, test.chunk)) for w in order]
            hits = [event.count(y) for y in drawn]
            also = [rounded.count(coarse(y)) for y in drawn]
            test = replace(
                test,
                chunk=test.chunk + 1,
                counts=(test.counts[0] + hits[0], test.counts[1] + hits[1]),
                rounded=(test.rounded[0] + also[0], test.rounded[1] + also[1]),
            )
            self.progress.test = test
            self.progress.samples += 2 * many

    def _finding(self, test: Test | None) -> Finding | None:
        """Return what the test of the next round certifies."""
        if test is None:
            return None
        pair, at = self.about.pairs[test.pair], len(self.findings)
        return Finding.of(
            test.event,
            (pair[test.likelier], pair[1 - test.likelier]),
            test.counts,
            test.size,
            delta=self.delta,
            alpha=(1 - self.confidence) / ((at + 1) * (at + 2)),
            rounded=test.rounded,
        )


def _chunks(size: int, most: int) -> Iterable[int]:
    return (min(most, size - start) for start in range(0, size, most))
