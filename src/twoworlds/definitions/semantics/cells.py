r"""The failure probability over all beliefs, by convex cells of beliefs in which outputs breach.

For an output t and a person let p and q be the likelihoods with and without their data, and for a
set S of databases P_S(b) = sum_(x in S) b_x p_x; Q_S likewise; all linear in the belief b. The two
games differ by more than s after t if and only if for some S, where p/q is at least some number,

    P_S / P - Q_S / Q > s.                                                               (*)

If p/q is one number r all over S, the largest one, then P_S = r Q_S, and (*) says

    (Q_S + s Q) (r Q - P) > s r Q^2,    both factors at least 0:                        (top)

a convex cone of beliefs. If it is one number r all over the rest R of the databases, the smallest
one, then (*) says (Q_R - s Q)(P - r Q) > s r Q^2, both factors above 0: a convex cone again. Noise
on a count of two bits and geometric noise on any count have no other S. For any other S let
m = P/(P + Q) lie between l and h; then (*) gives

    (P_S - s P)(1 - l) > l Q_S,    (Q_R - s Q) h > (1 - h) P_R,

and the range is halved where that is not sharp. A cone X Y > k Q^2 lies inside u X + (k/u) Y > 2 k Q
for every u > 0. So, for chosen outputs, each with a person and a set S, beliefs under which all of
them breach satisfy linear inequalities, and the probability of all outputs that were not given up
is linear: a linear program bounds it. The search gives up an output, or chooses how it breaches,
wherever the best belief of the program is none of its breaches, and adds cuts u where a chosen
output is none.

Every program is solved in rationals and verified (`programs`), so the bound is proved; no float
enters it. The inequalities are strict: a program whose inequalities have no common slack has no
belief at all, which decides ties, where several outputs have a difference of s exactly under one
belief. A cell with a strict belief and a best belief on its edge has the bound as its supremum, by
convexity. Symmetries of the mechanism are used: two cells that a permutation of the databases maps
to each other are looked at once.

An optimal belief may need many databases: a program with c tight inequalities has an optimum on at
most c + 1 of them, and each breach may need one.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import permutations, product
from math import ceil, factorial, isqrt, sqrt
from typing import NamedTuple

from twoworlds.definitions.semantics.table import Likelihoods
from twoworlds.programs import Optimal, solve

Row = tuple[Fraction, ...]
Inside = tuple[bool, ...]

WIDTH = Fraction(1, 1000)  # how near to the belief shown a bound is near enough
_PROGRAMS = 12_000  # linear programs, about 3 ms each
_MOST_DATABASES, _MOST_OUTPUTS = 16, 64
_MOST_SYMMETRIES = 1000
_ROUNDS = 30
_NEAR = Fraction(1, 10**9)
_NARROW = Fraction(1, 10**7)
_SIZES = (10, 100, 1000, 10**5, 10**8)  # denominators of cuts
_INWARD = (10**9, 10**7, 10**5, 10**3, 2)
_ROUNDED = (12, 90, 10**3, 10**5, 10**7, 10**10)  # denominators of beliefs
_STEPS = 10**9  # a bound that is not reached is rounded up to one of these
_ZERO, _ONE = Fraction(0), Fraction(1)


def _dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), _ZERO)


def _sum(u: Fraction | int, a: Row, v: Fraction | int, b: Row) -> Row:
    return tuple(u * x + v * y for x, y in zip(a, b, strict=True))


def _on(row: Row, inside: Sequence[bool]) -> Row:
    return tuple(v if kept else _ZERO for v, kept in zip(row, inside, strict=True))


class Cell(NamedTuple):
    """The beliefs under which the chosen outputs breach; others are given up, or undecided."""

    given_up: frozenset[int]
    chosen: tuple[Way, ...]


class Way(NamedTuple):
    """One way for an output to breach: for a person and a set S, or with a posterior undefined.

    Attributes:
        means: the likelihoods p, those q without the person up to a factor, and S, by database.
        strict, closed: rows that are above 0, or at least 0, on every belief of this way.
        cone: X, Y, Q, k where X Y > k Q^2 decides.
        ranged: p, q, S, s, l, h where only narrow ranges of P/(P + Q) decide.
        place: its place among all ways.
    """

    output: int
    means: tuple[object, ...]
    strict: tuple[Row, ...]
    closed: tuple[Row, ...] = ()
    cone: tuple[Row, Row, Row, Fraction] | None = None
    ranged: tuple[Row, Row, Inside, Fraction, Fraction, Fraction] | None = None
    place: int = 0

    @property
    def key(self) -> tuple[int | Fraction, ...]:
        """What tells ways apart."""
        return (self.place, *(self.ranged[-2:] if self.ranged else ()))

    def excess(self, belief: Row) -> Fraction:
        """Return a number that is above 0 for a breach, and below 0 for none."""
        if self.ranged is not None:
            p, q, inside, s, _, _ = self.ranged
            real, removed = _dot(p, belief), _dot(q, belief)
            gap = _dot(_on(p, inside), belief) * removed - _dot(_on(q, inside), belief) * real
            return gap - s * real * removed
        values = [_dot(row, belief) for row in self.strict]
        if self.cone is not None:
            x, y, z, k = self.cone
            values.append(_dot(x, belief) * _dot(y, belief) - k * _dot(z, belief) ** 2)
        return min(values, default=_ONE)

    def breached(self, belief: Row) -> bool:
        """Tell whether the output is a breach in this way."""
        inside = self.ranged is not None or all(_dot(row, belief) >= 0 for row in self.closed)
        return inside and self.excess(belief) > 0

    def cut(self, belief: Row) -> Row | None:
        """Return an inequality of the cone that a belief outside breaks."""
        if self.cone is None:
            return None
        x, y, z, k = self.cone
        a, b, c = _dot(x, belief), _dot(y, belief), _dot(z, belief)
        if a * b >= k * c * c * (1 - _NEAR):
            return None
        least = c / 10**6
        wanted = Fraction(sqrt(k * max(b, least) / max(a, least)))
        rows = (self.tangent(wanted.limit_denominator(size)) for size in _SIZES)
        return next((row for row in rows if row and _dot(row, belief) < 0), None)

    def tangent(self, u: Fraction) -> Row | None:
        """Return u X + (k/u) Y - 2 k Q, which is above 0 inside of the cone."""
        assert self.cone is not None
        x, y, z, k = self.cone
        return _sum(1, _sum(u, x, k / u, y), -2 * k, z) if u > 0 else None

    def halves(self, belief: Row) -> list[Way]:
        """Return the way with its range of P/(P + Q) cut near the belief's, or none if narrow."""
        assert self.ranged is not None
        p, q, inside, s, low, high = self.ranged
        if high - low < _NARROW:
            return []
        real, removed = _dot(p, belief), _dot(q, belief)
        middle = real / (real + removed) if real + removed else low
        if not low + (high - low) / 8 < middle < high - (high - low) / 8:
            middle = (low + high) / 2
        middle = Fraction(round(middle * 2**30), 2**30)
        ends = ((low, middle), (middle, high))
        both = [_ranged(self.output, p, q, inside, s, *one) for one in ends]
        return [way._replace(place=self.place) for way in both]


def _ranged(
    t: int, p: Row, q: Row, inside: Inside, s: Fraction, low: Fraction, high: Fraction
) -> Way:
    p_in, q_in = _on(p, inside), _on(q, inside)
    p_out, q_out = _sum(1, p, -1, p_in), _sum(1, q, -1, q_in)
    first, second = _sum(1, p_in, -s, p), _sum(1, q_out, -s, q)
    sharper = (_sum(1 - low, first, -low, q_in), _sum(high, second, high - 1, p_out))
    closed = (_sum(1 - low, p, -low, q), _sum(high, q, high - 1, p))
    ranged = (p, q, inside, s, low, high)
    return Way(t, _means(p, q, inside), (first, second, *sharper), closed, ranged=ranged)


def _means(p: Row, q: Row, inside: Sequence[bool | None]) -> tuple[object, ...]:
    total = sum(q, _ZERO) or _ONE
    return tuple(zip(p, (v / total for v in q), inside, strict=True))


def ways(t: int, p: Row, q: Row, s: Fraction, *, unseen: bool = False) -> Iterator[Way]:
    """Yield the ways in which one output breaches for one person, who is left out in q.

    With ``unseen``, an output that the belief rules out is a breach too.
    """
    if any(a and not b for a, b in zip(p, q, strict=True)) or (unseen and 0 in q):
        yield Way(t, _means(p, q, (False,) * len(p)), (), (_sum(-1, q, 0, q),))
    if unseen and 0 in p:
        yield Way(t, _means(p, q, (True,) * len(p)), (), (_sum(-1, p, 0, p),))
    pairs = list(zip(p, q, strict=True))
    ratios = [a / b if b else None for a, b in pairs]  # None is infinite, or 0/0
    finite = sorted({r for r in ratios if r is not None}, reverse=True)
    classes = [*([None] if any(a and not b for a, b in pairs) else []), *finite]
    for j in range(1, len(classes)):
        inside = tuple(
            a + b > 0 and r in classes[:j] for (a, b), r in zip(pairs, ratios, strict=True)
        )
        yield _way(t, p, q, inside, s, (classes[0], classes[-1]), (j, len(classes)))


def _way(
    t: int,
    p: Row,
    q: Row,
    inside: Inside,
    s: Fraction,
    ends: tuple[Fraction | None, Fraction | None],
    counted: tuple[int, int],
) -> Way:
    """Return the way whose set S holds some of the classes of ratios, the largest ones."""
    (largest, smallest), (j, classes) = ends, counted
    means, q_in = _means(p, q, inside), _on(q, inside)
    if j == 1 and largest is None:  # q is 0 on S
        return Way(t, means, (_sum(1, _on(p, inside), -s, p), q))
    if j == classes - 1:
        assert smallest is not None
        q_out = _sum(1, q, -1, q_in)
        x, y, k = _sum(1, q_out, -s, q), _sum(1, p, -smallest, q), s * smallest
    elif j == 1:
        assert largest is not None
        x, y, k = _sum(1, q_in, s, q), _sum(largest, q, -1, p), s * largest
    else:
        low, high = (_ONE if r is None else r / (1 + r) for r in (smallest, largest))
        return _ranged(t, p, q, inside, s, low, high)
    if k == 0:
        return Way(t, means, (x, y))
    found = Way(t, means, (x, y), cone=(x, y, q, k))
    if classes > 2 or largest is None or smallest is None:
        return found
    # Two ratios: the cone is a range of z = Q_R/Q_S, and the cuts at its ends are all.
    roots = _roots(s * smallest, s * (largest + smallest) - largest + smallest, s * largest)
    cuts = (found.tangent(k * (1 + z) / (z - s * (1 + z))) for z in roots if z > s * (1 + z))
    return found._replace(strict=(x, y, *(row for row in cuts if row)))


def _roots(a: Fraction, b: Fraction, c: Fraction) -> list[Fraction]:
    """Return the roots of a z^2 + b z + c, or rationals near them."""
    inner = max(b * b - 4 * a * c, _ZERO)
    exact = Fraction(isqrt(inner.numerator), isqrt(inner.denominator))
    root = exact if exact * exact == inner else Fraction(sqrt(inner)).limit_denominator(10**8)
    return [(-b - root) / (2 * a), (-b + root) / (2 * a)]


class Bound(NamedTuple):
    """What the search proved, and the belief that it came to.

    Attributes:
        upper: no belief fails more often.
        belief: a belief that fails nearly so often, by place, if one was found.
        reached: whether beliefs come as near to ``upper`` as one likes.
    """

    upper: Fraction
    belief: dict[int, Fraction] | None = None
    reached: bool = False


def bounded_above(
    table: Likelihoods, s: Fraction, shown: Fraction, truths: Sequence[int] = ()
) -> Bound:
    """Return a bound on the failure at s over all beliefs, where some belief fails as ``shown``.

    With ``truths`` outputs are drawn from the worst of these databases, else from the belief.
    """
    if s >= 1:
        return Bound(_ZERO)
    search = CellSearch(table, s, shown)
    if search.size > _MOST_DATABASES or len(search.rows) > _MOST_OUTPUTS:
        return Bound(_ONE)
    if not truths:
        return search.run()
    best = Bound(shown)
    for j in {min(g[j] for g in search.symmetries): j for j in truths}.values():
        found = CellSearch(table, s, best.upper, j).run()
        if found.upper > best.upper or found.belief is not None:
            best = found
    return best


class CellSearch:
    """A search for the cell of beliefs with the largest failure, best bound first.

    A cell is a set of outputs that are given up, and ways of others to breach. ``truth`` is the
    database that outputs are drawn from; None draws them from the belief.
    """

    def __init__(
        self, table: Likelihoods, s: Fraction, shown: Fraction, truth: int | None = None
    ) -> None:
        self.table, self.truth = table, truth
        self.exact = table.low == table.high
        # Likelihoods that are enclosed to 2^-80 move P_S / P and Q_S / Q by less than 2^-76.
        self.s = s if self.exact else max(s - Fraction(1, 2**75), _ZERO)
        self.size = len(table.databases)
        self.best, self.found = shown, Bound(shown)
        self.conceded = _ZERO  # the bound of cells that are left as they are
        self.programs = 0
        self.heap: list[tuple[Fraction, int, Cell, Row]] = []
        self.seen: set[object] = set()
        self.tangents: dict[object, list[Row]] = {}
        self.pairs: dict[object, bool] = {}

    @cached_property
    def rows(self) -> list[Row]:
        """The likelihoods by output; outputs with proportional rows are one."""
        found: dict[Row, Row] = {}
        for row in self.table.high:
            if total := sum(row, _ZERO):
                key = tuple(v / total for v in row)
                found[key] = _sum(1, found[key], 1, row) if key in found else row
        return list(found.values())

    @cached_property
    def ways(self) -> list[Way]:
        """All ways to breach, of outputs and persons that can (S1)."""
        limit, found = ((1 + self.s) / (1 - self.s)) ** 2, []
        for t, p in enumerate(self.rows):
            for removed in self.table.removed:
                q = tuple(p[j] for j in removed)
                ratios = [a / b for a, b in zip(p, q, strict=True) if b]
                zero = any(not b for b in q) or 0 in ratios
                if zero or max(ratios) > limit * min(ratios):
                    found += ways(t, p, q, self.s, unseen=self.truth is not None)
        return [way._replace(place=k) for k, way in enumerate(found)]

    @cached_property
    def by_output(self) -> list[list[Way]]:
        return [[way for way in self.ways if way.output == t] for t in range(len(self.rows))]

    # --- symmetry ---------------------------------------------------------------------------------

    @cached_property
    def symmetries(self) -> list[tuple[int, ...]]:
        """Permutations of databases, by exchanging persons and values, that keep all ways."""
        databases = self.table.databases
        people, place = len(databases[0]), {x: j for j, x in enumerate(databases)}
        values = sorted({v for x in databases for v in x}, key=repr)
        renamed = [dict(zip(values, order, strict=True)) for order in permutations(values)]
        if factorial(people) * len(renamed) ** people > _MOST_SYMMETRIES:
            renamed = renamed[:1]
        found = []
        for order in permutations(range(people)):
            for names in product(renamed, repeat=people):
                g = [place[tuple(names[i][x[order[i]]] for i in range(people))] for x in databases]
                fixed = self.truth is None or g[self.truth] == self.truth
                if fixed and self._keeps(g):
                    found.append(tuple(g))
        return found

    def _keeps(self, g: Sequence[int]) -> bool:
        rows, means = set(self.rows), {way.means for way in self.ways}
        return all(_moved(row, g) in rows for row in rows) and all(
            _moved(one, g) in means for one in means
        )

    @cached_property
    def _moves(self) -> list[tuple[list[int], list[int]]]:
        """Where each symmetry moves outputs and ways."""
        outputs = {row: t for t, row in enumerate(self.rows)}
        places = {way.means: way.place for way in self.ways}
        return [
            (
                [outputs[_moved(row, g)] for row in self.rows],
                [places[_moved(way.means, g)] for way in self.ways],
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

    def _program(self, chosen: Sequence[Way], costs: Sequence[Fraction] | None) -> Row | None:
        """Return the best belief under the inequalities, or the most slack (last); None if none."""
        self.programs += 1
        ones = [_ONE] * self.size
        strict = [
            row for way in chosen for row in (*way.strict, *self.tangents.get(way.key, ()))
        ]
        rows: list[Sequence[Fraction]] = [*strict, *(row for way in chosen for row in way.closed)]
        if costs is None:
            slack = [-sum(map(abs, row), _ZERO) for row in strict]
            slack += [_ZERO] * (len(rows) - len(strict))
            rows = [(*row, a) for row, a in zip(rows, slack, strict=True)]
            ones, costs = [*ones, _ZERO], [*([_ZERO] * self.size), _ONE]
        found = solve(
            [-c for c in costs],
            [*rows, ones],
            lower=[*([0] * len(rows)), 1],
            upper=[*([None] * len(rows)), 1],
            most=[1] * len(ones),
        )
        return found.x if isinstance(found, Optimal) else None

    def _tightened(self, chosen: Sequence[Way], belief: Row) -> bool:
        """Add cuts that the belief breaks; tell whether there are any."""
        cuts = [(way.key, way.cut(belief)) for way in chosen]
        for key, row in cuts:
            if row is not None:
                self.tangents.setdefault(key, []).append(row)
        return any(row is not None for _, row in cuts)

    def _inner(self, chosen: Sequence[Way]) -> Row | None:
        """Return a belief that satisfies every inequality with slack; None if there is none."""
        for _ in range(_ROUNDS):
            found = self._program(chosen, None)
            if found is None or (found[-1] <= 0 and any(way.strict for way in chosen)):
                return None
            belief = found[:-1]
            if not self._tightened(chosen, belief):
                break
        return belief

    def _apart(self, one: Way, other: Way) -> bool:
        """Tell whether two outputs are never breaches together in these ways."""
        if one.ranged or other.ranged:
            return False
        key = frozenset((one.place, other.place))
        if key not in self.pairs:
            found = self._program((one, other), None)
            self.pairs[key] = found is None or found[-1] <= 0 < len(one.strict + other.strict)
        return self.pairs[key]

    # --- the search -------------------------------------------------------------------------------

    def run(self) -> Bound:
        """Search until the best bound is reached by beliefs, or the budget is spent."""
        self._add(Cell(frozenset(), ()))
        while self.heap and self.programs < _PROGRAMS:
            bound, _, cell, belief = heapq.heappop(self.heap)
            if -bound > self.best and -bound >= self.conceded:
                for smaller in self._cut(cell, belief, -bound):
                    self._add(smaller)
        rest = self.table.rest
        upper = max([self.best, self.conceded, *(-entry[0] for entry in self.heap)])
        if self.found.reached and upper == self.best:
            return self.found
        shorter = Fraction(ceil(upper * _STEPS), _STEPS) if upper > self.best else upper
        return Bound(min(shorter + rest, _ONE), self.found.belief)

    def _add(self, cell: Cell) -> None:
        """Bound a cell, and keep it if its bound is above what beliefs reach."""
        chosen = cell.chosen
        lost = {
            t
            for t in range(len(self.rows))
            if all(any(self._apart(way, one) for one in chosen) for way in self.by_output[t])
        }
        if any(way.output in lost for way in chosen):
            return
        cell = Cell(cell.given_up | lost, chosen)
        key = repr(self._canonical(cell))
        if key in self.seen:
            return
        self.seen.add(key)
        if len(chosen) > 2 and self._program_without_slack(chosen):
            return
        costs = self._costs(cell)
        for _ in range(_ROUNDS):
            belief = self._program(chosen, costs)
            if belief is None or _dot(costs, belief) <= self.best:
                return
            if not self._tightened(chosen, belief):
                break
        assert belief is not None
        heapq.heappush(self.heap, (-_dot(costs, belief), len(self.seen), cell, belief))

    def _program_without_slack(self, chosen: Sequence[Way]) -> bool:
        found = self._program(chosen, None)
        return found is None or (found[-1] <= 0 and any(way.strict for way in chosen))

    def _costs(self, cell: Cell) -> Row:
        kept = [row for t, row in enumerate(self.rows) if t not in cell.given_up]
        total = tuple(sum(column, _ZERO) for column in zip(*kept, strict=True)) if kept else ()
        if self.truth is not None and total:
            return (total[self.truth],) * self.size
        return total or (_ZERO,) * self.size

    def _cut(self, cell: Cell, belief: Row, bound: Fraction) -> Iterator[Cell]:
        """Yield smaller cells that hold every belief of this one that matters."""
        given_up, chosen = cell
        settled = given_up | {way.output for way in chosen}
        missed = self._missed(settled, belief)
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

    def _missed(self, settled: frozenset[int] | set[int], belief: Row) -> dict[int, Fraction]:
        """Return the other outputs that are no breaches, with their probabilities."""
        found = {
            t: _dot(row, belief) if self.truth is None else row[self.truth]
            for t, row in enumerate(self.rows)
            if t not in settled
            and not any(way.strict and way.breached(belief) for way in self.by_output[t])
        }
        return {t: weight for t, weight in found.items() if weight}

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

    def _on_edge(self, cell: Cell, belief: Row, bound: Fraction) -> bool:
        """Tell whether a belief has this bound, and its outputs breach or, if chosen, nearly so."""
        chosen = {way.output for way in cell.chosen}
        costs = self._costs(cell)
        return (
            _dot(costs, belief) == bound
            and all(way.excess(belief) >= 0 for way in cell.chosen)
            and all(_dot(row, belief) >= 0 for way in cell.chosen for row in way.closed)
            and not self._missed(cell.given_up | chosen, belief)
        )

    def _nearby(self, belief: Row, inner: Row) -> Iterator[Row]:
        """Yield short beliefs near one, towards a belief inside of its cell."""
        for size in _ROUNDED:
            yield _rounded(belief, size)
        for n in _INWARD:
            mixed = _sum(1 - Fraction(1, n), belief, Fraction(1, n), inner)
            yield from (_rounded(mixed, size) for size in _ROUNDED)

    def _failure(self, belief: Row) -> Fraction:
        """Return how likely breaches are."""
        drawn = self.by_output
        hit = [t for t, some in enumerate(drawn) if any(way.breached(belief) for way in some)]
        if self.truth is not None:
            return sum((self.rows[t][self.truth] for t in hit), _ZERO)
        return sum((_dot(self.rows[t], belief) for t in hit), _ZERO)


def _rounded(belief: Row, size: int) -> Row:
    parts = [round(mass * size) for mass in belief]
    return tuple(Fraction(part, sum(parts)) for part in parts)


def _moved(row: tuple[object, ...], g: Sequence[int]) -> tuple[object, ...]:
    """Return a row with the entry of every database at its image."""
    found = list(row)
    for j, k in enumerate(g):
        found[k] = row[j]
    return tuple(found)
