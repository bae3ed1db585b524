r"""The best simulator as a linear program, and its two solutions: a simulator and multipliers.

With a = e^epsilon and the tables below, the program is

    minimise delta   subject to   sum_t s(t | y) = 1,
        u_t >= P(t) - a Q(t),  sum_t u_t <= delta,       w_t >= Q(t) - a P(t),  sum_t w_t <= delta

for every comparison (Definitions 3 and 5 of Bassily, Groce, Katz & Smith). Parts that share no
input are solved apart: the optimum is the largest of theirs. Within a part, outputs that the
release shows in none of its comparisons are left out: mass on them costs in full, and costs no more
anywhere else. And of very many comparisons only those enter that matter: a simulator that is best
for some of them, and no worse in the others, is best for all.

Without a ratio the program asks what no ratio can undercut: only Q(t) where P(t) = 0 counts.

Where to look next for a number that is known to lie between two fractions.

Three kinds of trial take turns: the guess of Newton's method, which ends quickly; the simplest
fraction of the bracket, which hits simple answers exactly; and one near the middle, so that the
bracket shrinks whatever happens. All are rounded to the simplest fraction nearby, so that the
numbers stay short.

The tables that a best simulator is computed from, and how they are made small.

For every cell (belief, pair, side information z) and every value v of the private part, a
`GivenValue` holds P(t) = P(F(X) = t | v, z) and p(y) = P(alt(X) = y | v, z), as fractions, with
outputs and scrubbed databases by number. With a simulator s(t | y), Q(t) = sum_y p(y) s(t | y).

- `groups`: scrubbed databases whose probabilities are proportional in all comparisons are one
  input, as Q depends on their mean law only;
- `different`: comparisons with the same two laws are made once;
- `parts`: comparisons that share no input are solved apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor

from flint import fmpq

from twoworlds.definitions.coupled._floats import near_best
from twoworlds.definitions.coupled._nearest import nearest
from twoworlds.definitions.coupled.scene import OTHERS, Scene
from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError
from twoworlds.numbers import Number, bounds
from twoworlds.programs import Optimal, Rational, solve

ZERO = Fraction(0)

_LEAST_BITS, _SPARE_BITS = 64, 8
BITS = 128
"""To how many bits irrational probabilities are enclosed at first."""

Laws = tuple[Mapping[int, Fraction], ...]
"""The law of the simulated output, by number, for every scrubbed database in turn."""


@dataclass(frozen=True)
class GivenValue:
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
        """Return Q(t) = sum_y p(y) s(t | y), where many y may have one law."""
        masses: dict[int, Fraction] = {}
        for y, p in self.ideal.items():
            masses[id(laws[y])] = masses.get(id(laws[y]), ZERO) + p
        found: dict[int, Fraction] = {}
        for law in {id(laws[y]): laws[y] for y in self.ideal}.values():
            for t, chance in law.items():
                found[t] = found.get(t, ZERO) + masses[id(law)] * chance
        return found


def comparisons(scene: Scene, bits: int = 0) -> tuple[GivenValue, ...]:
    """Return all comparisons of a scene; irrational probabilities are enclosed to ``bits`` bits."""
    if not scene.outputs or not scene.inputs:
        raise InvalidInput("the release shows no output under any belief: nothing to simulate")
    outputs = {t: number for number, t in enumerate(scene.outputs)}
    inputs = {y: number for number, y in enumerate(scene.inputs)}
    found = []
    for number, cell in enumerate(scene.cells):
        for v, mass in cell.mass.items():
            real, off = _middles(cell.real[v], mass, outputs, bits)
            ideal, shift = _middles(cell.ideal[v], mass, inputs, bits)
            if scene.lost:  # of the others, who are independent of v
                off, shift = off + scene.lost, shift + scene.lost
                real[outputs[OTHERS]] = ZERO
            found.append(GivenValue(number, v, real, ideal, (off, shift)))
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


def proportional(entries: Iterable[tuple[Hashable, int, Fraction]]) -> list[list[int]]:
    """Put columns together that are proportional, from entries (row, column, p).

    >>> proportional([(0, 5, Fraction(1)), (1, 5, Fraction(2)), (0, 6, Fraction(3))])
    [[5], [6]]
    """
    columns: dict[int, list[tuple[Hashable, Fraction]]] = {}
    for row, column, p in entries:
        if p != 0:
            columns.setdefault(column, []).append((row, p))
    found: dict[tuple[tuple[Hashable, Fraction], ...], list[int]] = {}
    for column, masses in columns.items():
        first = masses[0][1]
        found.setdefault(tuple((row, p / first) for row, p in masses), []).append(column)
    return list(found.values())


def groups(made: Sequence[GivenValue]) -> list[list[int]]:
    """Put scrubbed databases together whose probabilities are proportional in all comparisons."""
    return proportional(
        (number, y, p)
        for number, comparison in enumerate(made)
        for y, p in comparison.ideal.items()
    )


def different(made: Sequence[GivenValue], inputs: Sequence[Sequence[int]]) -> dict[int, GivenValue]:
    """Return the comparisons that differ, by number, with groups for their inputs."""
    group = {y: g for g, members in enumerate(inputs) for y in members}
    kept: dict[tuple[frozenset[tuple[int, Fraction]], ...], int] = {}
    found: dict[int, GivenValue] = {}
    for number, comparison in enumerate(made):
        ideal: dict[int, Fraction] = {}
        for y, p in comparison.ideal.items():
            if p != 0:
                ideal[group[y]] = ideal.get(group[y], ZERO) + p
        key = (frozenset(comparison.real.items()), frozenset(ideal.items()))
        if kept.setdefault(key, number) == number:
            found[number] = GivenValue(comparison.cell, comparison.private, comparison.real, ideal)
    return found


def parts(small: Mapping[int, GivenValue]) -> Iterator[list[int]]:
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


_MOST_EXACT, _MOST_CELLS = 1 << 11, 1 << 22
_BATCH = 32
Key = tuple[int, str]
"""A comparison by number, and the world that a test favours: "real" or "ideal"."""


Solution = tuple[Fraction, Laws, Mapping[Key, Mapping[int, Fraction]]]
"""The least delta, the laws s(. | y) that attain it, and the multipliers ("stakes") that prove it.

These are, by comparison and favoured world, of each output's row: no more for any output than the
multiplier of the comparison, and those add up to 1.
"""
Row = tuple[dict[int, Rational], Rational, Rational | None]
"""A row of a linear program, at least so much and at most so much."""


def solved(
    costs: Sequence[Rational],
    rows: Sequence[Row],
    *,
    least: Sequence[Rational | None] | None = None,
    most: Sequence[Rational | None] | None = None,
) -> Optimal | None:
    """Solve a linear program; None where it has no optimum."""
    lines, lower, upper = zip(*rows, strict=True)
    outcome = solve(costs, lines, lower=lower, upper=upper, least=least, most=most)
    return outcome if isinstance(outcome, Optimal) else None


class SceneProgram:
    """All comparisons of a scene, made small."""

    def __init__(self, made: Sequence[GivenValue], outputs: int) -> None:
        """Take the comparisons and how many outputs the release has."""
        self.made, self.outputs = made, outputs
        self.groups = groups(made)
        self.small = different(made, self.groups)
        self.parts = [*parts(self.small)]
        cells = max(_cells([self.small[k] for k in part]) for part in self.parts)
        self.exact = cells <= _MOST_EXACT
        if cells > _MOST_CELLS:
            raise TooLarge(
                f"the simulator would be a table of {cells:,} probabilities, at most "
                f"{_MOST_CELLS:,} are looked for: use fewer people, coarser outputs, or a fixed "
                "simulator such as canonical"
            )

    def solve(self, ratio: Fraction | None) -> Solution:
        """Return the best simulator and its proof; without a ratio, see above.

        Both are exact, but for large tables, where they are near the best (`_floats`).
        """
        laws: dict[int, Mapping[int, Fraction]] = {}
        best: tuple[Fraction, Mapping[Key, Mapping[int, Fraction]]] | None = None
        for part in self.parts:
            delta, found, stakes = _solve_part(
                {k: self.small[k] for k in part}, ratio, self.outputs
            )
            laws.update(found)
            if best is None or delta > best[0]:
                best = delta, stakes
        assert best is not None
        return best[0], self._expanded(laws), best[1]

    def _expanded(self, laws: Mapping[int, Mapping[int, Fraction]]) -> Laws:
        found = {y: laws[g] for g, members in enumerate(self.groups) for y in members}
        return tuple(found[y] for y in sorted(found))

    def widest(self, floor: Fraction) -> Laws:
        """Return the laws of largest support that put at most ``floor`` on impossible outputs.

        Among all simulators with Q({t : P(t) = 0}) <= floor in every comparison, one exists whose
        outputs include those of all others (a mean of them). In the cone over these simulators it
        is found by one program: maximise sum m subject to m <= s and m <= 1.
        """
        scale, number = 0, range(len(self.groups))
        pairs = [(g, t) for g in number for t in range(self.outputs)]
        place = {pair: 1 + j for j, pair in enumerate(pairs)}
        part = {pair: 1 + len(pairs) + j for j, pair in enumerate(pairs)}
        rows: list[Row] = [
            ({**{place[g, t]: 1 for t in range(self.outputs)}, scale: -1}, 0, 0) for g in number
        ]
        rows += [({place[pair]: 1, part[pair]: -1}, 0, None) for pair in pairs]
        for comparison in self.small.values():
            row: dict[int, Rational] = {scale: floor}
            for t in range(self.outputs):
                if not comparison.real.get(t):
                    row.update({place[g, t]: -p for g, p in comparison.ideal.items()})
            rows.append((row, 0, None))
        costs = [0] * (1 + len(pairs)) + [-1] * len(pairs)
        outcome = solved(costs, rows, most=[None] * (1 + len(pairs)) + [1] * len(pairs))
        if outcome is None or outcome.x[scale] == 0:
            raise TwoWorldsError("no simulator has the floor that was found: please report this")
        x, size = outcome.x, outcome.x[scale]
        return self._expanded(
            {
                g: {t: x[place[g, t]] / size for t in range(self.outputs) if x[place[g, t]] != 0}
                for g in range(len(self.groups))
            }
        )


@lru_cache(1)
def scene_program(scene: Scene, bits: int) -> SceneProgram:
    """Return the program of a scene, which may be asked for at many ratios."""
    return SceneProgram(comparisons(scene, bits), len(scene.outputs))


Part = tuple[Fraction, dict[int, dict[int, Fraction]], dict[Key, dict[int, Fraction]]]
"""The least delta of some comparisons, the laws by input, and the multipliers."""


def _solve_part(part: Mapping[int, GivenValue], ratio: Fraction | None, outputs: int) -> Part:
    """Solve for some comparisons first, then add those that the simulator found is worst for."""
    asked = list(part)[:: -(-len(part) // _BATCH)]
    others = {k: (_quick(part[k].real), _quick(part[k].ideal)) for k in part if k not in set(asked)}
    while True:
        solution = _solve_for(part, asked, ratio)
        laws = {g: _quick(law) for g, law in solution[1].items()} if others else {}
        delta, a = quick(solution[0]), None if ratio is None else quick(ratio)
        beyond = {
            k: excess
            for k, tables in others.items()
            if (excess := _excess(*tables, laws, a)) > delta
        }
        if not beyond:
            return solution[0], solution[1], _everywhere(part, solution[2], outputs)
        new = sorted(beyond, key=lambda k: (-beyond[k], k))[:_BATCH]
        asked += new
        for k in new:
            del others[k]


def _everywhere(
    part: Mapping[int, GivenValue],
    stakes: Mapping[Key, Mapping[int, Fraction]],
    outputs: int,
) -> dict[Key, dict[int, Fraction]]:
    """Give the outputs that were left out the largest multipliers that may be.

    Only in tests that favour the ideal world: there P(t) = 0, so that nothing is lost.
    """
    shown = {t for comparison in part.values() for t, p in comparison.real.items() if p}
    hidden = [t for t in range(outputs) if t not in shown]
    return {
        key: {
            **weights,
            **dict.fromkeys(hidden if key[1] == "ideal" else [], max(weights.values())),
        }
        for key, weights in stakes.items()
    }


def quick(p: Fraction) -> fmpq:
    """Return a fraction that is added and multiplied quickly."""
    return fmpq(p.numerator, p.denominator)


def _quick(law: Mapping[int, Fraction]) -> dict[int, fmpq]:
    return {key: quick(p) for key, p in law.items()}


def _excess(
    real: Mapping[int, fmpq],
    scrubbed: Mapping[int, fmpq],
    laws: Mapping[int, Mapping[int, fmpq]],
    ratio: fmpq | None,
) -> fmpq:
    """Return the delta of one comparison."""
    none, ideal = fmpq(0), dict.fromkeys(real, fmpq(0))
    for y, p in scrubbed.items():
        for t, chance in laws[y].items():
            ideal[t] = ideal.get(t, none) + p * chance
    if ratio is None:
        return sum((q for t, q in ideal.items() if not real.get(t)), start=none)
    forth = sum((max(none, p - ratio * ideal[t]) for t, p in real.items()), start=none)
    back = (max(none, q - ratio * real.get(t, none)) for t, q in ideal.items())
    return max(forth, sum(back, start=none))


def _tables(part: Iterable[GivenValue]) -> tuple[list[int], list[int]]:
    """Return the inputs and the outputs that occur."""
    listed = [*part]
    shown = {t for comparison in listed for t, p in comparison.real.items() if p}
    return sorted({g for comparison in listed for g in comparison.ideal}), sorted(shown)


def _cells(part: Iterable[GivenValue]) -> int:
    """Return how many numbers a simulator is; 0 where one law is looked for (`nearest`)."""
    inputs, shown = _tables(part)
    return 0 if len(inputs) == 1 else len(inputs) * len(shown)


def _solve_for(
    part: Mapping[int, GivenValue], asked: Sequence[int], ratio: Fraction | None
) -> Part:
    inputs, shown = _tables(part.values())
    if len(inputs) == 1:
        least, law, found = nearest([part[k].real for k in asked], ratio, shown)
        return least, {inputs[0]: law}, {(asked[i], world): w for (i, world), w in found.items()}
    if len(inputs) * len(shown) > _MOST_EXACT:
        if ratio is None:
            raise TooLarge(
                f"the simulator is a table of {len(inputs) * len(shown):,} probabilities: which "
                f"ratio is large enough, or what stays at ratio infinity, is found for at most "
                f"{_MOST_EXACT:,}; give a finite ratio= or epsilon=, or a delta above 0"
            )
        worlds = [(part[k].real, part[k].ideal) for k in asked]
        delta, laws, near = near_best(worlds, ratio, inputs, shown)
        return delta, laws, {(asked[i], world): w for (i, world), w in near.items()}
    pairs = [(g, t) for g in inputs for t in shown]
    place = {pair: 1 + j for j, pair in enumerate(pairs)}  # delta is variable 0
    rows: list[Row] = [({place[g, t]: 1 for t in shown}, 1, 1) for g in inputs]
    about: list[tuple[Key, int] | None] = [None] * len(rows)
    width = 1 + len(pairs)
    for number in asked:
        for world in ("real", "ideal") if ratio is not None else ("ideal",):
            budget: dict[int, Rational] = {0: 1}
            for t, row in _excesses(part[number], world, ratio, shown, place):
                row[0][width] = 1
                budget[width] = -1
                rows.append(row)
                about.append(((number, world), t))
                width += 1
            rows.append((budget, 0, None))
            about.append(None)
    outcome = solved([1, *([0] * (width - 1))], rows, least=[None, *([0] * (width - 1))])
    if outcome is None:
        raise TwoWorldsError("the program of the best simulator has no optimum: please report this")
    best = {
        g: {t: outcome.x[place[g, t]] for t in shown if outcome.x[place[g, t]] != 0} for g in inputs
    }
    stakes: dict[Key, dict[int, Fraction]] = {}
    for what, weight in zip(about, outcome.y, strict=True):
        if what is not None and weight != 0:
            stakes.setdefault(what[0], {})[what[1]] = weight
    return outcome.value, best, stakes


def _excesses(
    comparison: GivenValue,
    world: str,
    ratio: Fraction | None,
    shown: Sequence[int],
    place: Mapping[tuple[int, int], int],
) -> Iterator[tuple[int, Row]]:
    """Yield, by output, how far one world exceeds the other: to be taken up by a new variable."""
    for t in shown:
        p = comparison.real.get(t, ZERO)
        if (world == "real" and p == 0) or (ratio is None and p != 0):
            continue
        real = world == "real" and ratio is not None
        scale = ratio if real and ratio is not None else Fraction(-1)
        row: dict[int, Rational] = {place[g, t]: scale * q for g, q in comparison.ideal.items()}
        yield t, (row, p if real else ZERO if ratio is None else -ratio * p, None)


_CLOSE = Fraction(1, 16)


def untried(tried: list[Fraction], low: Fraction, high: Fraction, guess: Fraction) -> Fraction:
    """Return the next number to try, and list it; what was tried must not lie in the bracket."""
    while True:
        found = trial(low, high, guess, len(tried) + 1)
        new = found not in tried
        tried.append(found)
        if new:
            return found


def trial(low: Fraction, high: Fraction, guess: Fraction, turn: int) -> Fraction:
    """Return the number to try in a given turn; 0 <= low < high."""
    width = high - low
    if turn % 4 == 3:
        return simplest(low, high)
    if turn % 4 == 0:
        return simplest(low + width / 4, high - width / 4)
    near = width * min(_CLOSE, width / high)
    centre = min(max(guess, low), high)
    return simplest(max(low, centre - near), min(high, centre + near))


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction of smallest denominator between two positive ones (ends included).

    >>> simplest(Fraction(31, 100), Fraction(35, 100))
    Fraction(1, 3)
    """
    whole = floor(low)
    if whole == low:
        return Fraction(whole)
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))
