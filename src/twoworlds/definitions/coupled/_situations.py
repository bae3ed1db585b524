"""Situations: an output with a belief and side information, and how bad it is to be in one.

The inference-based definitions (Bassily, Groce, Katz & Smith, Definitions 2 and 4) fail where, with
probability above delta over (t, z), the two posteriors of some private part are more than delta
apart. `least` finds the least delta from the inner deltas of all situations, `attained` from the
columns of a simulator.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from twoworlds.definitions.coupled._column import Sigma, View, inner
from twoworlds.definitions.coupled.scene import Scene
from twoworlds.errors import Unsupported
from twoworlds.numbers import Number, show

__all__ = ["Situation", "attained", "fraction", "least", "situations"]

ZERO, ONE = Fraction(0), Fraction(1)


class Situation(NamedTuple):
    """An output with a belief and side information: how likely it is, and who looks at it."""

    output: int
    belief: int
    side: Hashable
    chance: Fraction
    views: tuple[View, ...]


def situations(scene: Scene) -> list[Situation]:
    """Return every output with every belief and side information under which it can occur."""
    outputs = {t: number for number, t in enumerate(scene.outputs)}
    inputs = {y: number for number, y in enumerate(scene.inputs)}
    views: dict[tuple[int, int, Hashable], list[View]] = {}
    chance: dict[tuple[int, int, Hashable], Fraction] = {}
    for number, cell in enumerate(scene.cells):
        ideal = {
            v: {inputs[y]: fraction(p) for y, p in row.items()} for v, row in cell.ideal.items()
        }
        by_output: dict[int, dict[Hashable, Fraction]] = {}
        for v, row in cell.real.items():
            for t, p in row.items():
                by_output.setdefault(outputs[t], {})[v] = fraction(p)
        for t, joint in by_output.items():
            total = sum(joint.values(), start=ZERO)
            key = (t, cell.belief, cell.side)
            chance[key] = total * fraction(cell.weight)
            posterior = {v: p / total for v, p in joint.items()}
            views.setdefault(key, []).append(View(number, posterior, ideal))
    return [Situation(*key, chance[key], tuple(views[key])) for key in views]


def fraction(p: Number) -> Fraction:
    if isinstance(p, Fraction):
        return p
    raise Unsupported(
        f"a probability of {show(p)} is irrational: the best simulator for inferences is found for "
        "rational probabilities; give fractions"
    )


def least(levels: Iterable[tuple[Situation, Fraction]]) -> Fraction:
    """Return min over c of max(c, the largest probability, over beliefs, of inner delta > c)."""
    listed = list(levels)
    best = ONE
    for c in sorted({ZERO, *(level for _, level in listed if level <= 1)}):
        best = min(best, max(c, _failing(listed, c)))
    return best


def _failing(listed: Sequence[tuple[Situation, Fraction]], c: Fraction) -> Fraction:
    failing: dict[int, Fraction] = {}
    for situation, level in listed:
        if level > c:
            failing[situation.belief] = failing.get(situation.belief, ZERO) + situation.chance
    return max(failing.values(), default=ZERO)


def attained(
    everywhere: Sequence[Situation], columns: Mapping[int, Sigma], ratio: Fraction
) -> Fraction:
    """Return the inference-based delta of a simulator, given by its columns."""
    return least(
        (s, max(inner(view, columns.get(s.output, {}), ratio) for view in s.views))
        for s in everywhere
    )
