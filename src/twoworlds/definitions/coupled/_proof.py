r"""Why no simulator does better: a mixed strategy of tests, in a game against all simulators.

One player chooses a simulator, the other a `Distinguisher`: a cell, a value v of the private part,
an event S of outputs, and which world it favours. The distinguisher wins its advantage

    P(S) - a Q(S)   (favouring the real world)       or       Q(S) - a P(S)   (the ideal one),

where P is the law of the release and Q that of the simulated output, both given v and z. A
simulator has this delta if no distinguisher wins more. So if tests drawn with weights omega win
at least delta on average against every simulator, no simulator has a smaller delta: whatever it
does, one of the tests tells the worlds apart with that advantage. The average is linear in the
simulator, hence smallest when every scrubbed database y is sent to a single output:

    bound(a) = c_0 - a c_1 + sum_y min_t ( B(y, t) - a A(y, t) ),

with c_0, A from the tests that favour the real world and c_1, B from the others. It is checked by
adding up fractions, and falls as a grows.
(A symbol that the release never shows may be added to the events of all tests that favour the
ideal world, so simulators that use one are covered too.)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.definitions.coupled._program import GivenValue, Key, comparisons
from twoworlds.definitions.coupled.scene import Scene
from twoworlds.numbers import show, to_json
from twoworlds.worlds.joint import NOTHING, plain_label

ZERO = Fraction(0)
_SHOWN = 12


@dataclass(frozen=True)
class Distinguisher:
    """One test of the two worlds.

    Attributes:
        comparison: the number of the comparison (cell and value v) in its scene.
        favours: the world in which the event is taken to be likelier, "real" or "ideal".
        event: the outputs, by number (of inferences: private values).
        weight: how often this test is drawn.
    """

    comparison: int
    favours: str
    event: tuple[Any, ...]
    weight: Fraction


def layers(stakes: Mapping[Key, Mapping[Any, Fraction]]) -> tuple[Distinguisher, ...]:
    """Write multipliers of single outputs as weights of nested events.

    >>> layers({(0, "real"): {0: Fraction(1, 2), 1: Fraction(1, 3)}})[0].event
    (0, 1)
    """
    found = []
    for (comparison, favours), weights in stakes.items():
        done = ZERO
        for level in sorted(set(weights.values())):
            event = _ordered([t for t, weight in weights.items() if weight >= level])
            found.append(Distinguisher(comparison, favours, tuple(event), level - done))
            done = level
    return tuple(found)


class TestBound:
    """The function bound(a) of given tests; errors of enclosed probabilities are taken off."""

    def __init__(
        self,
        made: Sequence[GivenValue],
        outputs: int,
        distinguishers: Iterable[Distinguisher],
    ) -> None:
        self._outputs = outputs
        self.start, self.fall = ZERO, ZERO
        self._real: dict[int, dict[int, Fraction]] = {}
        self._ideal: dict[int, dict[int, Fraction]] = {}
        for test in distinguishers:
            self._add(made[test.comparison], test)

    def _add(self, comparison: GivenValue, test: Distinguisher) -> None:
        mass = test.weight * sum((comparison.real.get(t, ZERO) for t in test.event), start=ZERO)
        off, shift = (test.weight * error for error in comparison.error)
        if test.favours == "real":
            self.start += mass - off
            self.fall += shift
        else:
            self.start -= shift
            self.fall += mass + off
        table = self._real if test.favours == "real" else self._ideal
        for y, p in comparison.ideal.items():
            row = table.setdefault(y, {})
            for t in test.event:
                row[t] = row.get(t, ZERO) + test.weight * p

    def answer(self, ratio: Fraction) -> Fraction:
        """Return sum_y min_t ( B(y, t) - a A(y, t) ): what the best answer leaves to the tests."""
        total = ZERO
        for y in {*self._real, *self._ideal}:
            real, ideal = self._real.get(y, {}), self._ideal.get(y, {})
            named = {*real, *ideal}
            left = min(ideal.get(t, ZERO) - ratio * real.get(t, ZERO) for t in named)
            total += left if len(named) == self._outputs else min(ZERO, left)
        return total

    def at(self, ratio: Fraction) -> Fraction:
        """Return the bound at a ratio; 0 is always one."""
        return max(ZERO, self.start - ratio * self.fall + self.answer(ratio))


@dataclass(frozen=True)
class OptimalityProof:
    """Tests that no simulator withstands better.

    Attributes:
        ratio: the ratio a at which the bound is stated; it holds for smaller ones too.
        bound: the advantage that the tests have on average against every simulator.
        distinguishers: the tests with their weights, which add up to at most 1 (the rest is not
            to test at all).
        bits: how tightly irrational probabilities were enclosed.
    """

    scene: Scene = field(repr=False)
    ratio: Fraction
    bound: Fraction
    distinguishers: tuple[Distinguisher, ...]
    bits: int = 0

    def verify(self) -> bool:
        """Add up the average advantage again, from the scene alone, against the best response."""
        made = comparisons(self.scene, self.bits)
        return sound(
            made, len(self.scene.outputs), self.distinguishers
        ) and self.bound == TestBound(made, len(self.scene.outputs), self.distinguishers).at(
            self.ratio
        )

    @property
    def sentence(self) -> str:
        """Why no simulator does better, as a clause."""
        if self.bound == 0:
            return "no simulator can have a delta below 0"
        number = len(self.distinguishers)
        tests = "this test tells" if number == 1 else f"one of these {number} tests tells"
        return (
            f"whatever a simulator does, {tests} the worlds apart with advantage at least "
            f"{show(self.bound, side='down')} at ratio {show(self.ratio)}"
        )

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the tests, one a line."""
        yield "no better", self.sentence
        for test in self.distinguishers:
            yield f"weight {show(test.weight)}", said(self.scene, test)

    def to_dict(self) -> dict[str, Any]:
        """Return the tests as plain data."""
        return {
            "ratio": to_json(self.ratio),
            "bound": to_json(self.bound, side="down"),
            "sentence": self.sentence,
            "tests": [written(self.scene, test) for test in self.distinguishers],
        }


def sound(
    made: Sequence[GivenValue], outputs: int, distinguishers: Sequence[Distinguisher]
) -> bool:
    """Tell whether these are tests with weights of a mixed strategy."""
    return (
        all(
            0 <= test.comparison < len(made)
            and test.favours in ("real", "ideal")
            and all(0 <= t < outputs for t in test.event)
            and len(set(test.event)) == len(test.event)
            and test.weight >= 0
            for test in distinguishers
        )
        and sum((test.weight for test in distinguishers), start=ZERO) <= 1
    )


def _about(scene: Scene, test: Distinguisher) -> tuple[str, Hashable, Hashable]:
    pairs = ((cell, v) for cell in scene.cells for v in cell.mass)
    cell, v = next(pair for k, pair in enumerate(pairs) if k == test.comparison)
    return cell.scrub.name, cell.side, v


def _ordered(outputs: list[Any]) -> list[Any]:
    """Sort outputs that have an order; leave the others as they are."""
    try:
        return sorted(outputs)
    except TypeError:
        return outputs


def said(scene: Scene, test: Distinguisher) -> str:
    """Say one test: whose privacy, what is known, which outputs, which world they point to."""
    name, side, private = _about(scene, test)
    known = "" if side == NOTHING else f", knowing {plain_label(side)}"
    event = _ordered([scene.outputs[t] for t in test.event])
    shown = ", ".join(plain_label(t) for t in event[:_SHOWN])
    more = f", and {len(event) - _SHOWN} more" if len(event) > _SHOWN else ""
    return (
        f"{name} with {plain_label(private)}{known}: is the output in {{{shown}{more}}}? "
        f"Then say it is the {test.favours} world"
    )


def written(scene: Scene, test: Distinguisher) -> dict[str, Any]:
    """Return one test as plain data."""
    name, side, private = _about(scene, test)
    return {
        "whose": name,
        "side": plain_label(side),
        "private": plain_label(private),
        "favours": test.favours,
        "event": [plain_label(t) for t in _ordered([scene.outputs[t] for t in test.event])],
        "weight": to_json(test.weight),
        "in_words": said(scene, test),
    }
