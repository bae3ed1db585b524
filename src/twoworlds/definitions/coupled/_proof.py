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
A symbol that the release never shows may be added to the events of all tests that favour the
ideal world, so simulators that use one are covered too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq

from twoworlds.definitions.coupled._program import GivenValue, Key, Laws, quick
from twoworlds.definitions.coupled.scene import Scene
from twoworlds.laws.comparison import between
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
        self._made, self._outputs = made, outputs
        self.start, self.fall = ZERO, ZERO
        self._stakes: dict[Key, dict[int, Fraction]] = {}
        for test in distinguishers:
            comparison = made[test.comparison]
            off, shift = (test.weight * error for error in comparison.error)
            self.start -= off if test.favours == "real" else shift
            self.fall += shift if test.favours == "real" else off
            stakes = self._stakes.setdefault((test.comparison, test.favours), {})
            for t in test.event:
                stakes[t] = stakes.get(t, ZERO) + test.weight
        for (k, favours), stakes in self._stakes.items():
            mass = sum((w * made[k].real.get(t, ZERO) for t, w in stakes.items()), start=ZERO)
            self.start += mass if favours == "real" else ZERO
            self.fall += ZERO if favours == "real" else mass

    def answer(self, ratio: Fraction) -> Fraction:
        """Return sum_y min_t ( B(y, t) - a A(y, t) ): what the best answer leaves to the tests.

        Outputs with the same stakes in all tests are one.
        """
        columns: dict[int, dict[int, fmpq]] = {}
        for (k, favours), stakes in self._stakes.items():
            sign = fmpq(1) if favours == "ideal" else -quick(ratio)
            for t, weight in stakes.items():
                column = columns.setdefault(t, {})
                column[k] = column.get(k, fmpq(0)) + sign * quick(weight)
        different = [dict(one) for one in {frozenset(one.items()) for one in columns.values()}]
        if len(columns) < self._outputs:
            different.append({})
        inputs: dict[int, dict[int, fmpq]] = {}
        for k in dict.fromkeys(k for k, _ in self._stakes):
            for y, p in self._made[k].ideal.items():
                inputs.setdefault(y, {})[k] = quick(p)
        total = fmpq(0)
        for masses in inputs.values():
            total += min(
                sum((c * masses[k] for k, c in column.items() if k in masses), start=fmpq(0))
                for column in different
            )
        return Fraction(int(total.p), int(total.q))

    def at(self, ratio: Fraction) -> Fraction:
        """Return the bound at a ratio; 0 is always one."""
        return max(ZERO, self.start - ratio * self.fall + self.answer(ratio))


def attained(made: Sequence[GivenValue], laws: Laws, ratio: Fraction) -> Fraction:
    """Return the least delta of a simulator in all comparisons, both ways, errors added."""
    worst = ZERO
    for comparison in made:
        ideal = comparison.simulated(laws)
        off, shift = comparison.error
        worst = max(
            worst,
            _excess(comparison.real, ideal, ratio, off + ratio * shift),
            _excess(ideal, comparison.real, ratio, shift + ratio * off),
        )
    return min(Fraction(1), worst)


def _excess(
    law: Mapping[int, Fraction], over: Mapping[int, Fraction], ratio: Fraction, error: Fraction
) -> Fraction:
    """Return sum_t (P - a Q)_+ and the error, which counts unless P < a Q by more than it.

    No single difference is off by more than the error, and neither is the sum of any of them.
    """
    delta = between(law, over).gap(ratio).delta
    assert isinstance(delta, Fraction)
    near = error and any(p - ratio * over.get(t, ZERO) > -error for t, p in law.items())
    return delta + error if near else delta


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


def _ordered(outputs: list[Any]) -> list[Any]:
    """Sort outputs that have an order; leave the others as they are."""
    try:
        return sorted(outputs)
    except TypeError:
        return outputs


def facts_of(scene: Scene, tests: Iterable[Distinguisher]) -> list[tuple[str, str]]:
    """Return the tests, one a line."""
    return [(f"weight {show(test.weight)}", written(scene, test)["in_words"]) for test in tests]


def written(scene: Scene, test: Distinguisher) -> dict[str, Any]:
    """Return one test as plain data: whose privacy, what is known, which outputs, which world."""
    pairs = ((cell, v) for cell in scene.cells for v in cell.mass)
    cell, private = next(pair for k, pair in enumerate(pairs) if k == test.comparison)
    known = "" if cell.side == NOTHING else f", knowing {plain_label(cell.side)}"
    event = [plain_label(t) for t in _ordered([scene.outputs[t] for t in test.event])]
    more = f", and {len(event) - _SHOWN} more" if len(event) > _SHOWN else ""
    return {
        "whose": cell.scrub.name,
        "side": plain_label(cell.side),
        "private": plain_label(private),
        "favours": test.favours,
        "event": event,
        "weight": to_json(test.weight),
        "in_words": f"{cell.scrub.name} with {plain_label(private)}{known}: is the output in "
        f"{{{', '.join(event[:_SHOWN])}{more}}}? Then say it is the {test.favours} world",
    }
