r"""The failure probability over all beliefs, by convex cells of beliefs in which outputs breach.

A cell is given by outputs that are given up, and by others that breach in a chosen way (`ways`).
Its beliefs satisfy strict linear inequalities, and the probability of all outputs that are not
given up is linear in the belief: a linear program bounds how often such beliefs see a breach. The
search takes the cell with the largest bound. If an output that is neither given up nor chosen is no
breach under the best belief of the program, it is given up, or chosen in one of its ways; if a
chosen output is none, inequalities of its cone are added.

Every program is solved in rationals and verified (`programs`): no float enters its bound. Ties,
where several outputs have a difference of s exactly under one belief, are decided too: a program
whose inequalities have no common slack has no belief at all. A cell with a belief inside, and its
best belief on the edge of its cones, has the bound as its supremum, by convexity. Two cells that a
permutation of the databases maps to each other are looked at once.

The search ends after a number of programs; its bound holds wherever it ends. Where it is slow and
the masses of the `answers` alone bound better, it ends early with their bound. A program with c
tight inequalities has an optimum on at most c + 1 databases. That does not make supports small:
each breach may need an inequality of its own, so on three bits nothing below all eight is proved.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import permutations, product
from math import ceil, factorial
from typing import Any, NamedTuple

from twoworlds.definitions.semantics.answers import bounded_by_answers
from twoworlds.definitions.semantics.beliefs import Likelihoods, worst_differences
from twoworlds.definitions.semantics.ways import Row, Way, added, dot, ways
from twoworlds.programs import Optimal, solve
from twoworlds.programs.solver import solve_in_floats

WIDTH = Fraction(1, 1000)  # ends that come so near are left as they are
_PROGRAMS, _ROWS = 2000, 120_000  # linear programs, and their inequalities in all; about 30 s
_TRIED, _FAR = 250, Fraction(1, 20)  # so many programs, and an end so far: the search is slow
_MOST_DATABASES, _MOST_OUTPUTS = 16, 64
_MOST_SYMMETRIES = 1000
_ROUNDS = 30
_NEAR = Fraction(1, 10**9)
_INWARD = (10**9, 10**7, 10**5, 10**3, 2)
_ROUNDED = (12, 90, 10**3, 10**5, 10**7, 10**10)  # denominators of beliefs
_CLOSE = Fraction(5, 10**6)  # of enclosed likelihoods: a cell is left whose bound is so near
_SLOW = 20  # where a round lowers the gap by less than this part, the cell is cut
_MATTERS = 100  # a roof is worth a row if it lowers the gap by this part
_NUDGE = 1e-7
_FINE = 1 << 40
_STEPS = 10**9  # a bound that is not reached is rounded up to one of these
_ZERO, _ONE = Fraction(0), Fraction(1)


class Cell(NamedTuple):
    """The beliefs under which the chosen outputs breach; others are given up, or undecided."""

    given_up: frozenset[int]
    chosen: tuple[Way, ...]


class Bound(NamedTuple):
    """What the search proved, and the belief that it came to.

    Attributes:
        upper: no belief fails more often.
        belief: a belief that fails nearly so often, by place, if one was found.
        reached: whether beliefs come as near to ``upper`` as one likes.
        by_answers: whether the masses of the answers alone give ``upper``.
    """

    upper: Fraction
    belief: dict[int, Fraction] | None = None
    reached: bool = False
    by_answers: bool = False


def bounded_above(
    table: Likelihoods,
    s: Fraction,
    shown: Fraction,
    truths: Sequence[int] = (),
    above: Fraction | None = None,
) -> Bound:
    """Return a bound on the failure at s over all beliefs, where some belief fails as ``shown``.

    With ``truths`` outputs are drawn from the worst of these databases, else from the belief. The
    belief returned fails with more than ``above``, if the bound is reached and larger.
    """
    if s >= 1:
        return Bound(_ZERO)
    if table.bend:
        upper = _ONE if truths else bounded_by_answers(table, s, shown + WIDTH)
        return Bound(min(upper + table.rest, _ONE), by_answers=True)
    search = CellSearch(table, s, shown)
    small = search.size <= _MOST_DATABASES and len(search.rows) <= _MOST_OUTPUTS
    if not small or not _enclosed_well(table):
        return Bound(_ONE)
    if not truths:
        return search.run(above)
    best = Bound(shown)
    for j in {min(g[j] for g in search.symmetries): j for j in truths}.values():
        found = CellSearch(table, s, best.upper, j).run()
        if found.upper > best.upper or found.belief is not None:
            best = found
    return best


def _enclosed_well(table: Likelihoods) -> bool:
    pairs = (
        pair for rows in zip(table.low, table.high, strict=True) for pair in zip(*rows, strict=True)
    )
    return all(high - low <= low / 2**78 for low, high in pairs)


class CellSearch:
    """A search for the cell of beliefs with the largest failure, best bound first.

    A cell is a set of outputs that are given up, and ways of others to breach. ``truth`` is the
    database that outputs are drawn from; None draws them from the belief.
    """

    def __init__(
        self, table: Likelihoods, s: Fraction, shown: Fraction, truth: int | None = None
    ) -> None:
        self.table, self.truth = table, truth
        self.exact = table.low == table.high and not table.rest
        # Likelihoods that are enclosed to 2^-78 move P_S / P and Q_S / Q by less than 2^-76.
        self.s = s if self.exact else max(s - Fraction(1, 2**75), _ZERO)
        self.close = _ZERO if self.exact else _CLOSE
        self.size = len(table.databases)
        self.best, self.found = shown, Bound(shown)
        self.conceded = _ZERO  # the bound of cells that are left as they are
        self.programs = self.inequalities = 0
        self.heap: list[tuple[Fraction, int, Cell, Row]] = []
        self.seen: set[object] = set()
        self.tangents: dict[object, list[Row]] = {}
        self.roofs: dict[int, list[Row]] = {}
        self.segment: tuple[Row, Row] = ((), ())  # from a best belief to one inside of its cell

    @cached_property
    def rows(self) -> list[Row]:
        """The likelihoods by output and column; outputs with proportional rows are one."""
        found: dict[Row, Row] = {}
        for row in self.table.high:
            if total := sum(row, _ZERO):
                key = tuple(v / total for v in row)
                found[key] = added(1, found[key], 1, row) if key in found else row
        return list(found.values())

    @cached_property
    def held(self) -> list[Row]:
        """The likelihoods by output and database."""
        return [row[: self.size] for row in self.rows]

    @cached_property
    def worth(self) -> list[Row]:
        """What a breach after each output counts: its probability, linear in the belief."""
        if self.truth is None:
            return self.held
        return [(row[self.truth],) * self.size for row in self.rows]

    @cached_property
    def ways(self) -> list[Way]:
        """All ways to breach, of outputs and persons that can (S1)."""
        limit = ((1 + self.s) / (1 - self.s)) ** 2
        found: list[Way] = []
        for t, (row, p) in enumerate(zip(self.rows, self.held, strict=True)):
            for removed in self.table.removed:
                q = tuple(row[j] for j in removed)
                ratios = [a / b for a, b in zip(p, q, strict=True) if b]
                zero = any(not b for b in q) or 0 in ratios
                if zero or max(ratios) > limit * min(ratios):
                    found += ways(t, p, q, self.s, unseen=self.truth is not None)
        return [way._replace(place=k) for k, way in enumerate(found)]

    @cached_property
    def by_output(self) -> list[list[Way]]:
        """The ways to breach, by output."""
        return [[way for way in self.ways if way.output == t] for t in range(len(self.rows))]

    # --- symmetry ---------------------------------------------------------------------------------

    @cached_property
    def symmetries(self) -> list[tuple[int, ...]]:
        """Permutations of databases, by exchanging persons and values, that keep all ways."""
        databases = self.table.databases
        columns: list[Any] = [*databases, *self.table.left_out]
        people, place = len(databases[0]), {x: j for j, x in enumerate(columns)}
        values = sorted({v for x in databases for v in x}, key=repr)
        renamed = [dict(zip(values, order, strict=True)) for order in permutations(values)]
        if factorial(people) * len(renamed) ** people > _MOST_SYMMETRIES:
            renamed = renamed[:1]
        found = []
        for order in permutations(range(people)):
            for names in product(renamed, repeat=people):
                g = [
                    place[tuple(names[i].get(x[order[i]], x[order[i]]) for i in range(people))]
                    for x in columns
                ]
                fixed = self.truth is None or g[self.truth] == self.truth
                if fixed and self._keeps(g):
                    found.append(tuple(g))
        return found

    def _keeps(self, g: Sequence[int]) -> bool:
        rows, means = set(self.rows), {way.means for way in self.ways}
        return all(_moved(row, g) in rows for row in rows) and all(
            _moved(one, g[: self.size]) in means for one in means
        )

    @cached_property
    def _moves(self) -> list[tuple[list[int], list[int]]]:
        """Where each symmetry moves outputs and ways."""
        outputs: dict[tuple[object, ...], int] = {row: t for t, row in enumerate(self.rows)}
        places = {way.means: way.place for way in self.ways}
        return [
            (
                [outputs[_moved(row, g)] for row in self.rows],
                [places[_moved(way.means, g[: self.size])] for way in self.ways],
            )
            for g in self.symmetries
        ]

    def _canonical(self, cell: Cell) -> object:
        """Return the same for cells that a symmetry maps to each other."""
        return min(
            (
                sorted(outputs[t] for t in cell.given_up),
                sorted((places[way.place], *way.key[1:]) for way in cell.chosen),
            )
            for outputs, places in self._moves
        )

    # --- programs ---------------------------------------------------------------------------------

    def _inequalities(self, chosen: Sequence[Way]) -> tuple[list[Row], list[Row]]:
        """Return the rows that are above 0, and at least 0, where outputs breach in these ways."""
        strict = [row for way in chosen for row in (*way.strict, *self.tangents.get(way.key, ()))]
        return strict, [row for way in chosen for row in way.closed]

    def _program(self, cell: Cell) -> tuple[Row, Fraction] | None:
        """Return the best belief of a cell under all inequalities, and its bound; None if none."""
        strict, closed = self._inequalities(cell.chosen)
        roofed = [t for t in self._undecided(cell) if t in self.roofs]
        none = (_ZERO,) * len(roofed)
        rows: list[Sequence[Fraction]] = [(*row, *none) for row in (*strict, *closed)]
        for k, t in enumerate(roofed):
            less = (*none[:k], -max(self.worth[t]), *none[k + 1 :])
            rows += [(*roof, *less) for roof in (self.worth[t], *self.roofs[t])]
        costs = self._costs(cell._replace(given_up=cell.given_up.union(roofed)))
        costs = (*costs, *(max(self.worth[t]) for t in roofed))
        return self._solved(costs, rows, none)

    def _solved(
        self, costs: Row, rows: Sequence[Sequence[Fraction]], more: Row
    ) -> tuple[Row, Fraction] | None:
        self.programs += 1
        self.inequalities += len(rows)
        found = solve(
            [-c for c in costs],
            [*rows, (*([_ONE] * self.size), *more)],
            lower=[*([0] * len(rows)), 1],
            upper=[*([None] * len(rows)), 1],
            most=[1] * len(costs),
        )
        return (found.x[: self.size], -found.value) if isinstance(found, Optimal) else None

    def _tightened(self, chosen: Sequence[Way], belief: Row) -> bool:
        """Add cuts that the belief breaks; tell whether there are any."""
        cuts = [(way.key, way.cut(belief)) for way in chosen]
        for key, row in cuts:
            if row is not None:
                self.tangents.setdefault(key, []).append(row)
        return any(row is not None for _, row in cuts)

    def _slack(self, chosen: Sequence[Way]) -> Row | None:
        """Return a belief that satisfies every inequality with slack; None if there is none."""
        strict, closed = self._inequalities(chosen)
        rows = [(*row, -sum(map(abs, row), _ZERO)) for row in strict]
        rows += [(*row, _ZERO) for row in closed]
        found = self._solved((*([_ZERO] * self.size), _ONE), rows, (_ZERO,))
        if found is None or (found[1] <= 0 and any(way.strict for way in chosen)):
            return None
        return found[0]

    def _inner(self, chosen: Sequence[Way]) -> Row | None:
        """Return a belief inside of all cones, or as near as some rounds come; None if none is."""
        belief = self._slack(chosen)
        for _ in range(_ROUNDS):
            if belief is None or not self._tightened(chosen, belief):
                break
            belief = self._slack(chosen)
        return belief

    # --- the search -------------------------------------------------------------------------------

    def run(self, above: Fraction | None = None) -> Bound:
        """Search until the best bound is reached by beliefs, or the budget is spent."""
        harmless = frozenset(t for t, one in enumerate(self.by_output) if not one)
        self._add(Cell(harmless, ()))
        while self.heap and self.programs < _PROGRAMS and self.inequalities < _ROWS:
            if self._outrun():
                break
            bound, _, cell, belief = heapq.heappop(self.heap)
            if -bound > self.best and -bound >= self.conceded:
                for smaller in self._cut(cell, belief, -bound):
                    self._add(smaller)
        rest = self.table.rest
        upper = max([self.best, self.conceded, *(-entry[0] for entry in self.heap)])
        outrun = self._outrun()
        if outrun:
            upper = max(self.by_answers, self.best)
        if self.found.reached and upper == self.best:
            if above is None or not above < upper:
                return self.found
            return self.found._replace(belief=self._closer(above))
        shorter = Fraction(ceil(upper * _STEPS), _STEPS) if upper > self.best else upper
        return Bound(min(shorter + rest, _ONE), self.found.belief, by_answers=outrun)

    def _outrun(self) -> bool:
        """Tell whether the search is slow, and the masses of the answers alone bound better."""
        slow = self.truth is None and self.programs > _TRIED and bool(self.heap)
        return slow and -self.heap[0][0] > max(self.best + _FAR, self.by_answers)

    @cached_property
    def by_answers(self) -> Fraction:
        """A bound by the masses of the answers alone."""
        return bounded_by_answers(self.table, self.s, self.best + WIDTH)

    def _add(self, cell: Cell) -> None:
        """Bound a cell, and keep it if its bound is above what beliefs reach."""
        chosen = cell.chosen
        key = repr(self._canonical(cell))
        if key in self.seen:
            return
        self.seen.add(key)
        if len(chosen) > 2 and self._slack(chosen) is None:
            return
        for way in chosen:
            self.tangents.setdefault(way.key, way.tangents())
        before = _ONE + _ONE
        for _ in range(_ROUNDS):
            found = self._program(cell)
            if found is None or found[1] <= self.best:
                return
            belief, bound = found
            if bound <= self.best + self.close:
                self.conceded = max(self.conceded, bound)
                return
            slow, before = (before - bound) * _SLOW < bound - self.best, bound
            if slow and self._missed(cell, belief):
                break
            if not self._tightened(chosen, belief) and not self._roofed(cell, belief, bound):
                break
        heapq.heappush(self.heap, (-bound, len(self.seen), cell, belief))

    def _costs(self, cell: Cell) -> Row:
        kept = [row for t, row in enumerate(self.worth) if t not in cell.given_up]
        total = tuple(sum(column, _ZERO) for column in zip(*kept, strict=True))
        return total or (_ZERO,) * self.size

    # --- roofs ------------------------------------------------------------------------------------

    def _undecided(self, cell: Cell) -> list[int]:
        settled = cell.given_up | {way.output for way in cell.chosen}
        return [t for t in range(len(self.rows)) if t not in settled]

    def _roofed(self, cell: Cell, belief: Row, bound: Fraction) -> bool:
        """Add roofs that are lower at a belief, where that matters; tell whether there are any."""
        enough = float(bound - self.best) / _MATTERS
        near = [float(mass) for mass in belief]
        lower = False
        for t, counted in self._missed(cell, belief).items():
            if counted > enough:
                roof = self._roof(t, near)
                if _in_floats(roof, near) < counted - enough:
                    self.roofs.setdefault(t, []).append(roof)
                    lower = True
        return lower

    @cached_property
    def _hulls(self) -> list[list[list[Row]]]:
        """By output and way: rows that are at least 0 where the output breaches in this way."""
        found = []
        for one in self.by_output:
            pieces = [piece for way in one for piece in way.pieces()]
            found.append([[*way.strict, *way.closed, *way.tangents()] for way in pieces])
        return [[[_scaled(row) for row in rows] for rows in hulls] for hulls in found]

    def _roof(self, t: int, belief: Sequence[float]) -> Row:
        """Return the roof of an output that is lowest at a belief, or nearly so."""
        import numpy as np

        size, hulls, most = self.size, self._hulls[t], max(self.worth[t])
        worth = _scaled(self.worth[t])
        counts = [len(rows) for rows in hulls]
        entries = [(size * w + j, j, 1.0) for w in range(len(hulls)) for j in range(size)]
        column = size
        for w, rows in enumerate(hulls):
            for k, row in enumerate(rows, column):
                entries += [(size * w + j, k, -float(v)) for j, v in enumerate(row) if v]
            column += len(rows)
        costs = np.array([*(mass + _NUDGE for mass in belief), *([0.0] * sum(counts))])
        least = np.array([float(v) for v in worth] * len(hulls))
        i, j, values = zip(*entries, strict=True)
        matrix = (np.array(i), np.array(j), np.array(values))
        x, _ = solve_in_floats(costs, matrix, least, np.full(len(least), np.inf))
        weights = [Fraction(round(max(m, 0.0) * _FINE), _FINE) for m in x[size:].tolist()]
        roof, start = [_ZERO] * size, 0
        for rows, counted in zip(hulls, counts, strict=True):
            height = list(worth)
            for m, row in zip(weights[start : start + counted], rows, strict=True):
                if m:
                    height = [a + m * b for a, b in zip(height, row, strict=True)]
            roof = [max(a, b) for a, b in zip(roof, height, strict=True)]
            start += counted
        return tuple(most * Fraction(ceil(v * _FINE), _FINE) for v in roof)

    # --- cutting cells ----------------------------------------------------------------------------

    def _cut(self, cell: Cell, belief: Row, bound: Fraction) -> Iterator[Cell]:
        """Yield smaller cells that hold every belief of this one that matters."""
        given_up, chosen = cell
        missed = self._missed(cell, belief)
        if missed:
            t = max(missed, key=lambda t: missed[t])
            yield Cell(given_up | {t}, chosen)
            yield from (Cell(given_up, (*chosen, way)) for way in self.by_output[t])
            return
        loose = [way for way in chosen if way.ranged and way.excess(belief) < 0]
        if loose:
            worst = min(loose, key=lambda way: way.excess(belief))
            others = tuple(way for way in chosen if way is not worst)
            halves = worst.halves(belief)
            yield from (Cell(given_up, (*others, half)) for half in halves)
            if not halves:
                self.conceded = max(self.conceded, bound)
            return
        self._reached(cell, belief, bound)

    def _missed(self, cell: Cell, belief: Row) -> dict[int, float]:
        """Return undecided outputs that are no breaches, with what they count; none if none is.

        Floats settle what they can tell from s; where they name an output, close ones are left out.
        """
        near = [float(mass) for mass in belief]
        differences = self._differences(near)
        s, close, found = float(self.s), [], {}
        for t in self._undecided(cell):
            if not s + _NEAR < differences[t] < 1 - _NEAR:
                rows = (self.worth[t], *self.roofs.get(t, ()))
                counted = min(_in_floats(row, near) for row in rows)
                if differences[t] < s - _NEAR and counted > 0:
                    found[t] = counted
                else:
                    close.append((t, counted))
        return found or {
            t: counted
            for t, counted in close
            if dot(self.worth[t], belief)
            and not any(way.strict and way.breached(belief) for way in self.by_output[t])
        }

    def _differences(self, belief: Sequence[float]) -> list[float]:
        """Return the largest difference over persons after each output, in floats."""
        import numpy as np

        found: list[float] = worst_differences(*self._floats, np.array([belief]))[1][0].tolist()
        return found

    @cached_property
    def _floats(self) -> tuple[Any, Any]:
        import numpy as np

        p = np.array([[float(v) for v in row] for row in self.rows])
        return p[:, : self.size], np.array([p[:, list(removed)] for removed in self.table.removed])

    def _reached(self, cell: Cell, belief: Row, bound: Fraction) -> None:
        """Keep a belief near the best one of a cell, where all its outputs breach."""
        inner = belief
        if not all(way.breached(belief) for way in cell.chosen):
            found = self._inner(cell.chosen)
            if found is None:  # no belief has all inequalities strict
                return
            inner = found
        short = (belief, *(_rounded(belief, size) for size in _ROUNDED))
        edge = next((b for b in short if self._on_edge(cell, b, bound)), None)
        inside = all(way.breached(inner) and not way.ranged for way in cell.chosen)
        sure = self.exact and edge is not None and (inside or edge == inner)
        nearby = list(self._nearby(belief if edge is None else edge, inner))
        failures = [self._failure(one) for one in nearby]
        top = max(failures)
        near = next(b for b, f in zip(nearby, failures, strict=True) if f >= top - _NEAR)
        reached = bound if sure else top
        if reached < bound:
            self.conceded = max(self.conceded, bound)
        if reached > self.best:
            masses = {j: mass for j, mass in enumerate(near) if mass}
            self.best, self.found = reached, Bound(reached, masses, sure)
            self.segment = (belief if edge is None else edge, inner)

    def _on_edge(self, cell: Cell, belief: Row, bound: Fraction) -> bool:
        """Tell whether a belief has this bound, and its outputs breach or, if chosen, nearly so."""
        costs = self._costs(cell)
        return (
            dot(costs, belief) == bound
            and all(way.excess(belief) >= 0 for way in cell.chosen)
            and all(dot(row, belief) >= 0 for way in cell.chosen for row in way.closed)
            and not self._missed(cell, belief)
        )

    def _nearby(self, belief: Row, inner: Row) -> Iterator[Row]:
        """Yield short beliefs near one, towards a belief inside of its cell."""
        for size in _ROUNDED:
            yield _rounded(belief, size)
        for n in _INWARD:
            mixed = added(1 - Fraction(1, n), belief, Fraction(1, n), inner)
            yield from (_rounded(mixed, size) for size in _ROUNDED)

    def _closer(self, above: Fraction) -> dict[int, Fraction]:
        """Return a belief that fails with more than a number below the bound that is reached."""
        belief, (edge, inner) = self.found.belief, self.segment
        assert belief is not None
        n = max(_INWARD)
        while self._failure(tuple(belief.get(j, _ZERO) for j in range(self.size))) <= above:
            n *= n
            mixed = added(1 - Fraction(1, n), edge, Fraction(1, n), inner)
            belief = {j: mass for j, mass in enumerate(mixed) if mass}
        return belief

    def _failure(self, belief: Row) -> Fraction:
        """Return how likely breaches are."""
        hit = [t for t, one in enumerate(self.by_output) if any(w.breached(belief) for w in one)]
        return sum((dot(self.worth[t], belief) for t in hit), _ZERO)


def _in_floats(row: Row, belief: Sequence[float]) -> float:
    return sum(float(v) * mass for v, mass in zip(row, belief, strict=True))


def _scaled(row: Row) -> Row:
    """Return a row whose largest entry is 1 or -1."""
    most = max(map(abs, row)) or _ONE
    return tuple(v / most for v in row)


def _rounded(belief: Row, size: int) -> Row:
    parts = [round(mass * size) for mass in belief]
    return tuple(Fraction(part, sum(parts)) for part in parts)


def _moved(row: tuple[object, ...], g: Sequence[int]) -> tuple[object, ...]:
    """Return a row with the entry of every database at its image."""
    found = list(row)
    for j, k in enumerate(g):
        found[k] = row[j]
    return tuple(found)
