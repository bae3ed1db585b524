"""The tables that a best simulator is computed from, and how they are made small.

For every cell (belief, pair, side information z) and every value v of the private part, a
`Comparison` holds P(t) = P(F(X) = t | v, z) and p(y) = P(alt(X) = y | v, z), as fractions, with
outputs and scrubbed databases by number. With a simulator s(t | y), Q(t) = sum_y p(y) s(t | y).

- `groups`: scrubbed databases whose probabilities are proportional in all comparisons are one
  input, as Q depends on their mean law only;
- `different`: comparisons with the same two laws are made once;
- `parts`: comparisons that share no input are solved apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from twoworlds.definitions.coupled.scene import Scene
from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, bounds

__all__ = ["Comparison", "Laws", "comparisons", "different", "groups", "parts"]

ZERO = Fraction(0)
_LEAST_BITS, _SPARE_BITS = 64, 8

Laws = tuple[Mapping[int, Fraction], ...]
"""The law of the simulated output, by number, for every scrubbed database in turn."""


@dataclass(frozen=True)
class Comparison:
    """One value of one private part, in both worlds.

    Attributes:
        cell: the number of the cell in its scene.
        private: the value v.
        real: P(F(X) = t | v, z), by the number of the output.
        ideal: P(alt(X) = y | v, z), by the number of the scrubbed database.
        error: how much these may be off in total, each (0 for rational probabilities).
    """

    cell: int
    private: Hashable
    real: Mapping[int, Fraction]
    ideal: Mapping[int, Fraction]
    error: tuple[Fraction, Fraction] = (ZERO, ZERO)

    def simulated(self, laws: Laws) -> dict[int, Fraction]:
        """Return Q(t) = sum_y p(y) s(t | y)."""
        found: dict[int, Fraction] = {}
        for y, p in self.ideal.items():
            for t, chance in laws[y].items():
                found[t] = found.get(t, ZERO) + p * chance
        return found


def comparisons(scene: Scene, bits: int = 0) -> tuple[Comparison, ...]:
    """Return all comparisons of a scene; irrational probabilities are enclosed to ``bits`` bits.

    Raises:
        InvalidInput: when the release shows nothing at all.
    """
    if not scene.outputs or not scene.inputs:
        raise InvalidInput("the release shows no output under any belief: nothing to simulate")
    outputs = {t: number for number, t in enumerate(scene.outputs)}
    inputs = {y: number for number, y in enumerate(scene.inputs)}
    found = []
    for number, cell in enumerate(scene.cells):
        for v, mass in cell.mass.items():
            real, off = _middles(cell.real[v], mass, outputs, bits)
            ideal, shift = _middles(cell.ideal[v], mass, inputs, bits)
            found.append(Comparison(number, v, real, ideal, (off, shift)))
    return tuple(found)


def _middles(
    law: Mapping[Hashable, Number], mass: Number, places: Mapping[Hashable, int], bits: int
) -> tuple[dict[int, Fraction], Fraction]:
    found: dict[int, Fraction] = {}
    error = ZERO
    for key, p in law.items():
        found[places[key]], off = _middle(p / mass, max(_LEAST_BITS, bits))
        error += off
    return found, error


def _middle(p: Number, bits: int) -> tuple[Fraction, Fraction]:
    """Return a fraction near a number, and how far off it may be; both depend on nothing else.

    How tightly a number is enclosed depends on what was asked of it before; which multiple of
    2^-bits lies nearest does not, so that a proof finds the same tables again.
    """
    low, high = bounds(p, bits + _SPARE_BITS)
    if low == high:
        return low, ZERO
    while 5 * (high - low) * (1 << bits) > 4 and bits > 0:
        bits -= 1  # of some numbers only an interval is known
    step = Fraction(1, 1 << bits)
    middle = step * max(1, round((low + high) / (2 * step)))  # what is possible is not 0
    return middle, max(step, high - middle, middle - low)


def groups(made: Sequence[Comparison]) -> list[list[int]]:
    """Put scrubbed databases together whose probabilities are proportional in all comparisons."""
    columns: dict[int, list[tuple[int, Fraction]]] = {}
    for number, comparison in enumerate(made):
        for y, p in comparison.ideal.items():
            if p != 0:
                columns.setdefault(y, []).append((number, p))
    found: dict[tuple[tuple[int, Fraction], ...], list[int]] = {}
    for y, column in columns.items():
        first = column[0][1]
        found.setdefault(tuple((k, p / first) for k, p in column), []).append(y)
    return list(found.values())


def different(made: Sequence[Comparison], inputs: Sequence[Sequence[int]]) -> dict[int, Comparison]:
    """Return the comparisons that differ, by number, with groups for their inputs."""
    group = {y: g for g, members in enumerate(inputs) for y in members}
    kept: dict[tuple[frozenset[tuple[int, Fraction]], ...], int] = {}
    found: dict[int, Comparison] = {}
    for number, comparison in enumerate(made):
        ideal: dict[int, Fraction] = {}
        for y, p in comparison.ideal.items():
            if p != 0:
                ideal[group[y]] = ideal.get(group[y], ZERO) + p
        key = (frozenset(comparison.real.items()), frozenset(ideal.items()))
        if kept.setdefault(key, number) == number:
            found[number] = Comparison(comparison.cell, comparison.private, comparison.real, ideal)
    return found


def parts(small: Mapping[int, Comparison]) -> Iterator[list[int]]:
    """Yield the comparisons in parts that share no input."""
    by_input: dict[int, list[int]] = {}
    for number, comparison in small.items():
        for g in comparison.ideal:
            by_input.setdefault(g, []).append(number)
    seen: set[int] = set()
    for start in small:
        if start in seen:
            continue
        seen.add(start)
        part = [start]
        for number in part:  # which grows while it is walked through
            for g in small[number].ideal:
                new = [k for k in by_input[g] if k not in seen]
                seen.update(new)
                part += new
        yield sorted(part)
