r"""L1 and squared L2 bounds on what one unit contributes: a row, or a person with several rows.

First the largest loss of one row, over all row types or over all pairs of them.

Each measure has a weight w, and a row that changes its sum in one cell by d loses w |d| (power 1:
w = 1/scale, discrete Laplace) or w d^2 (power 2: w = 1/(2 sigma^2), discrete Gaussian). Losses of
different measures and cells add up: this is the sensitivity of the whole vector (Dwork,
Definition 3), not of each query on its own. For `ranks` d counts the rows that enter or leave a
cell: 2 when a row moves from one bin to another in the same cell.

A row that is added or taken away loses w |c|^p, convex in v within an option, so that its ends are
enough. A row that is replaced by another loses

    w (|c|^p + |c'|^p)    in different cells: again convex in each of v and v', ends are enough
    w |c - c'|^p          in the same cell: convex in (v, v') for `total`, since c is linear in v

but not convex for `squares`. There, with power 1, for every choice of signs of the differences the
loss is g(v) - h(v') with quadratics g and h, and it is the largest of these: the ends and the whole
numbers next to the vertices are enough. With power 2 a rectangle of values is cut in halves until
the bound (every term at its own worst corner) is within 1/64 of a loss that occurs.

Pairs are tried in the order of w |c|^p + w |c'|^p, which times 2^(p-1) bounds the loss of a pair.

Then that of the unit that is protected. A row enters all queries of a batch alike, so the loss is
that of its row type, or of a pair.

A person has at most R rows and m cells in each query: m = min(R, G, cells), and 1 without groups.
Each query chooses the rows that it keeps for itself, and a person may have other rows besides, so
that the losses of the queries of a batch are added, even where their filters exclude each other.

Within one query let F be the largest loss of a row in the measures of rows, H in all measures, and
P the sum of the weights of the measures of people. Each row adds at most F to measures of rows, and
nothing stops all R from being the same. A measure of people changes once in a cell; charge that to
the first row that changes it. With K different filters of such measures, at most M = min(R, K m)
rows are charged, each at most H in all:

    add-remove, power 1:   min(M H + (R - M) F,  R F + m P)

For power 2 rows in one cell add up before they are squared and cells are added; n_1 + ... + n_k = R
rows in k cells lose at most (n_1^2 + ... + n_k^2) F + k P, which is largest for one full cell and
others with one row, and convex in k:

    add-remove, power 2:   max over k = 1, m of ((R - k + 1)^2 + k - 1) F + k P

Two persons: pair their rows (a person with fewer has rows that do not count). By the triangle
inequality R pairs lose at most R^p times the worst pair D of rows, and repeating that pair attains
it. Measures of people change in at most 2 m cells, or in all cells if these are fewer:

    substitute:            R^p D + min(2 m, cells) P,  and for p = 1 at most twice the above
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import product
from math import floor, lcm, prod
from typing import NamedTuple

from twoworlds.release.query.resolve import Resolved, SummedMeasure
from twoworlds.release.sensitivity.contributions import Index, Option, Rows, RowType

_MOST_PAIRS = 20_000
_CLOSE = 64
_MOST_CUTS = 400
_MOST_SIGNS = 8
Span = tuple[int, int]


class LargestLoss(NamedTuple):
    """The largest loss; when not ``attained``, a bound from above."""

    value: Fraction
    attained: bool = True

    def times(self, factor: int) -> LargestLoss:
        """Return a multiple."""
        return LargestLoss(self.value * factor, self.attained)


def change(measure: SummedMeasure, value: int | None) -> int:
    """Return what a row with this value (None: missing) adds to a measure that counts it."""
    if measure.column is None:
        return 1
    if value is None:
        if measure.fill is None:
            return 0
        value = measure.fill
    if measure.kind in ("rows", "ranks"):
        return 1
    v = min(max(value, measure.low), measure.high) - measure.center
    return v * v if measure.kind == "squares" else v


def row_supremum(
    rows: Rows,
    weights: Mapping[Index, Fraction],
    power: int,
    *,
    pairs: bool,
    absent: bool,
    ceiling: Fraction | None = None,
) -> LargestLoss:
    """Return the largest loss of a row."""
    bottom = lcm(*(w.denominator for w in weights.values()))
    loss = _Loss(rows, {i: int(w * bottom) for i, w in weights.items()}, power)
    types = rows.only(weights)
    alone = {t: loss.alone(t) for t in types}
    most = max(alone.values(), default=0)
    if not pairs:
        return LargestLoss(Fraction(most, bottom))
    top = None if ceiling is None else ceiling * bottom
    value, attained = _over_pairs(loss, alone, most if absent else 0, top)
    return LargestLoss(Fraction(value, bottom), attained)


def _over_pairs(
    loss: _Loss, alone: Mapping[RowType, int], start: int, ceiling: Fraction | None
) -> tuple[int, bool]:
    """Return the largest loss of a pair, or of ``start``, and whether it is attained."""
    ordered = sorted(alone, key=lambda t: -alone[t])
    best, tried = start, 0
    factor = 2 ** (loss.power - 1)
    for i, a in enumerate(ordered):
        if 2 * factor * alone[a] <= best:
            break
        for b in ordered[i:]:
            bound = factor * (alone[a] + alone[b])
            if bound <= best:
                break
            if tried == _MOST_PAIRS:
                return max(best, 2 * factor * alone[a]), False
            tried += 1
            best = max(best, loss.pair(a, b))
            if best == ceiling:
                return best, not loss.bounded
    return best, not loss.bounded


class _Term(NamedTuple):
    """A measure on one column, as a pair of rows sees it."""

    measure: SummedMeasure
    weight: int
    together: bool  # both rows in the same cell
    first: bool  # the first row counts
    second: bool


@dataclass
class _Loss:
    rows: Rows
    weights: Mapping[Index, int]
    power: int
    bounded: bool = False  # whether some pair has only a bound

    def __post_init__(self) -> None:
        on = [sorted(column & self.weights.keys()) for column in self.rows.columns]
        self.on = on
        self.bare = [i for i in sorted(self.weights) if self.rows.measures[i].column is None]
        self.known: dict[object, int] = {}

    def alone(self, row: RowType) -> int:
        """Return the loss of a row that is added or taken away."""
        total = sum(self.weights[i] for i in self.bare if i in row.active)
        for indices, options in zip(self.on, row.options, strict=True):
            terms = [(self.rows.measures[i], self.weights[i]) for i in indices if i in row.active]
            total += max(
                (
                    sum(w * abs(change(m, v)) ** self.power for m, w in terms)
                    for v in _ends(options)
                ),
                default=0,
            )
        return int(total)

    def pair(self, a: RowType, b: RowType) -> int:
        """Return the loss of a row that is replaced by another, at worst."""
        total = 0
        for i in self.bare:
            if i in a.active and i in b.active:
                total += 2 * self.weights[i] * (a.cells[i[0]] != b.cells[i[0]])
            elif i in a.active or i in b.active:
                total += self.weights[i]
        for indices, first, second in zip(self.on, a.options, b.options, strict=True):
            terms = tuple(
                _Term(
                    self.rows.measures[i],
                    self.weights[i],
                    a.cells[i[0]] == b.cells[i[0]],
                    i in a.active,
                    i in b.active,
                )
                for i in indices
                if i in a.active or i in b.active
            )
            if terms:
                key = (terms, first, second)
                if key not in self.known:
                    self.known[key] = self._column(terms, first, second)
                total += self.known[key]
        return total

    def _column(
        self, terms: Sequence[_Term], first: Iterable[Option], second: Iterable[Option]
    ) -> int:
        """Return the worst loss on one column of values."""
        both = product(tuple(first) or (None,), tuple(second) or (None,))
        return max(self._worst(terms, s, t) for s, t in both)

    def _worst(self, terms: Sequence[_Term], s: Option, t: Option) -> int:
        ranks = [x for x in terms if x.measure.kind == "ranks" and x.together]
        moved: int = sum(x.weight * _moved(x, s, t) ** self.power for x in ranks)
        rest = [x for x in terms if x not in ranks]
        bent = any(x.measure.kind == "squares" and x.together for x in rest)
        if not bent or s is None or t is None or (s[0] == s[1] and t[0] == t[1]):
            values = product(_ends((s,)), _ends((t,)))
            return moved + max(self._at(rest, v, u) for v, u in values)
        if self.power == 2 or len(rest) > _MOST_SIGNS:
            return moved + self._halving(rest, s, t)
        values = product(_candidates(rest, s), _candidates(rest, t))
        return moved + max(self._at(rest, v, u) for v, u in values)

    def _at(self, terms: Iterable[_Term], v: int | None, u: int | None) -> int:
        return sum(self._term(x, v, u) for x in terms)

    def _term(self, x: _Term, v: int | None, u: int | None) -> int:
        c = change(x.measure, v) if x.first else 0
        d = change(x.measure, u) if x.second else 0
        if x.together:
            return x.weight * (abs(c - d) if self.power == 1 else (c - d) ** 2)
        return x.weight * (abs(c) + abs(d) if self.power == 1 else c * c + d * d)

    def _halving(self, terms: Sequence[_Term], s: Span, t: Span) -> int:
        """Bound the loss on a rectangle of values from above, by halving it."""
        best = 0

        def entry(a: Span, b: Span) -> tuple[int, Span, Span]:
            nonlocal best
            corners = [(v, u) for v in a for u in b]
            at = [[self._term(x, v, u) for v, u in corners] for x in terms]
            best = max(best, *map(sum, zip(*at, strict=True)))
            return -sum(map(max, at)), a, b

        heap = [entry(s, t)]
        for _ in range(_MOST_CUTS):
            top, a, b = heappop(heap)
            if -top * _CLOSE <= best * (_CLOSE + 1) or (a[0] == a[1] and b[0] == b[1]):
                heappush(heap, (top, a, b))
                break
            for piece in _halves(a, b):
                heappush(heap, entry(*piece))
        found = -heap[0][0]
        self.bounded |= found > best
        return found


def _halves(a: Span, b: Span) -> list[tuple[Span, Span]]:
    """Cut the longer side of a rectangle of whole numbers."""
    if a[1] - a[0] >= b[1] - b[0]:
        middle = (a[0] + a[1]) // 2
        return [((a[0], middle), b), ((middle + 1, a[1]), b)]
    middle = (b[0] + b[1]) // 2
    return [(a, (b[0], middle)), (a, (middle + 1, b[1]))]


def _ends(options: Iterable[Option]) -> list[int | None]:
    return list({end for option in options for end in ((None,) if option is None else option)})


def _moved(x: _Term, s: Option, t: Option) -> int:
    """Return how many rows enter or leave the bins of a cell that two rows share."""
    counted = [
        option
        for option, active in ((s, x.first), (t, x.second))
        if active and (option is not None or x.measure.fill is not None)
    ]
    bins = {_bin(x.measure, end) for option in counted for end in _ends((option,))}
    return 0 if len(counted) == 2 and len(bins) == 1 else len(counted)


def _bin(measure: SummedMeasure, value: int | None) -> int:
    known = value if value is not None else measure.fill or 0
    v = min(max(known, measure.low), measure.high)
    place = bisect_left(measure.grid, v)
    return 2 * place + (place < len(measure.grid) and measure.grid[place] == v)


def _candidates(terms: Sequence[_Term], s: Span) -> set[int]:
    """Return the ends of an option and the whole numbers next to every vertex.

    With v in an option each term is constant, linear or (v - center)^2, with a sign; where the
    signs leave a v^2 + b v with a and b of any such choice, the vertex is -b / (2 a).
    """
    low, high = s
    choices = {(0, 0)}
    for x in terms:
        m = x.measure
        bends = m.low <= low and high <= m.high and low < high
        if bends and m.kind in ("total", "squares"):
            a, b = (1, -2 * m.center) if m.kind == "squares" else (0, 1)
            choices = {
                (p + sign * a * x.weight, q + sign * b * x.weight)
                for p, q in choices
                for sign in (1, -1)
            }
    found = {low, high}
    for a, b in choices:
        if a:
            vertex = floor(Fraction(-b, 2 * a))
            found |= {v for v in (vertex, vertex + 1) if low < v < high}
    return found


def cells(resolved: Resolved) -> int | None:
    """Return the number of cells of a query, None when keys are discovered."""
    return None if resolved.discovers else prod(resolved.shape)


def cells_of_one(resolved: Resolved) -> int:
    """Return in how many cells of a query one row, or one person, appears at most."""
    unit = resolved.dataset.unit
    if unit.person is None or not resolved.axes:
        return 1
    most = min(unit.rows, unit.groups)
    every = cells(resolved)
    return most if every is None else min(most, every)


def unit_supremum(
    rows: Rows,
    resolved: Resolved,
    weights: Mapping[Index, Fraction],
    power: int,
    ceiling: Fraction | None = None,
) -> LargestLoss:
    """Return the largest loss of a unit; for persons, all weights belong to the given query.

    A ``ceiling`` that the loss is known not to exceed makes the search shorter.
    """
    substitute = resolved.dataset.neighbours == "substitute"
    if resolved.dataset.unit.person is None:
        return row_supremum(rows, weights, power, pairs=substitute, absent=False, ceiling=ceiling)
    people = {i: w for i, w in weights.items() if rows.measures[i].kind == "people"}
    of_rows = {i: w for i, w in weights.items() if i not in people}
    if substitute:
        return _two_persons(rows, resolved, of_rows, people, power)
    return _one_person(rows, resolved, of_rows, people, power)


def _one_person(
    rows: Rows,
    resolved: Resolved,
    of_rows: Mapping[Index, Fraction],
    people: Mapping[Index, Fraction],
    power: int,
) -> LargestLoss:
    most = resolved.dataset.unit.rows
    single = row_supremum(rows, of_rows, power, pairs=False, absent=True)
    if not people:
        return single.times(most**power)
    m, everyone = cells_of_one(resolved), sum(people.values(), Fraction(0))
    if power == 2:
        value = max(((most - k + 1) ** 2 + k - 1) * single.value + k * everyone for k in {1, m})
        return LargestLoss(value, attained=False)
    both = row_supremum(rows, {**of_rows, **people}, 1, pairs=False, absent=True)
    filters = len({rows.measures[i].where for i in people})
    charged = min(most, filters * m)
    by_rows = charged * both.value + (most - charged) * single.value
    by_cells = most * single.value + m * everyone
    return LargestLoss(min(by_rows, by_cells), not of_rows and filters == 1)


def _two_persons(
    rows: Rows,
    resolved: Resolved,
    of_rows: Mapping[Index, Fraction],
    people: Mapping[Index, Fraction],
    power: int,
) -> LargestLoss:
    most, every = resolved.dataset.unit.rows, cells(resolved)
    pair = row_supremum(rows, of_rows, power, pairs=True, absent=True).times(most**power)
    if not people:
        return pair
    twice = 2 * cells_of_one(resolved)
    changed = twice if every is None else min(twice, every)
    value = pair.value + changed * sum(people.values(), Fraction(0))
    if power == 1:
        value = min(value, 2 * _one_person(rows, resolved, of_rows, people, power).value)
    filters = len({rows.measures[i].where for i in people})
    return LargestLoss(value, not of_rows and filters == 1 and every == 1)
