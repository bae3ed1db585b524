r"""The exact law of an estimate, by counting samples in integers.

For a sample of m entries drawn from law j, the coefficients of

    ( sum over kinds g of  D f_j(g) x^steps[g] )^m,        D a common denominator,

divided by D^m, are the probabilities of its coordinates; python-flint raises the power. Which law
n entries elect depends on their coordinates alone, and along the last axis the points that elect
one law are a run, so that sums of coefficients are differences of prefix sums: one probability
costs k subtractions per row.

Floats only propose the winner: where scores are closer than their rounding errors can add up to,
the likelihoods are compared as exact rationals.

**Coordinates** are the few numbers that fix what the estimator sees.
The estimator of a `Family` sees a sample only through the likelihoods (L_1 : ... : L_k) up to a
common factor. Entry kinds g multiply them by R_g = (f_1(g) : ... : f_k(g)), so what is seen of n
entries is a point of the lattice that the quotients R_g / R_1 generate in the multiplicative group
of positive rationals (to the power k - 1). With a basis b_1, ..., b_r of that lattice,

    L_j = base_j^n  b_1j^c_1 ... b_rj^c_r,        c = sum over entries of steps[kind],

with whole c_i >= 0 once base takes up the smallest steps. Five kinds whose likelihood quotients are
1/9, 1/3, 1, 3, 9 have r = 1: a sample of n is one number from 0 to 4n. Where the lattice saves
nothing, or where a law gives some value no probability, the coordinates are the counts of all kinds
but the first: L_j = f_j(1)^(n - c_1 - ...) f_j(2)^c_1 ....
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, groupby, pairwise, product
from math import gcd, lcm, prod
from typing import TYPE_CHECKING, Any

from flint import Ordering, fmpz, fmpz_mat, fmpz_mpoly, fmpz_mpoly_ctx

from twoworlds.errors import TooLarge
from twoworlds.noiseless.estimates.family import LawFamily, ValueKind
from twoworlds.numbers import ball, working_precision

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Places = np.ndarray[Any, np.dtype[np.intp]]

_MOST_POINTS = 1 << 22
_MOST_BITS = 1 << 30
_LOG_BITS = 128
_ROUNDING = 2.0**-44  # far above what a dozen roundings of size 2^-53 can add up to

Point = tuple[int, ...]
Run = tuple[int, int, int]
"""From here to there (excluded) along the last axis, this law is elected."""
Row = tuple[Point, int, list[fmpz]]
"""The leading coordinates, where the row begins along the last axis, and the sums of the
coefficients before each place from there on."""


class Counting:
    """Exact probabilities of what ``people`` entries of a family elect."""

    def __init__(self, family: LawFamily, people: int) -> None:
        """Choose coordinates; refuse sizes that would not fit."""
        self.family, self.people = family, people
        self.grid: Coordinates = coordinates(family.kinds, people)
        if not countable(family, people):
            raise TooLarge(
                f"people={people} with {len(family.kinds)} kinds of entry is more than can be "
                f"counted exactly: the largest size is {largest_size(family)}; "
                "the bounds of Theorems 13 to 15 have no such limit"
            )
        self._laws: dict[tuple[int, int], list[Row]] = {}
        self._runs: dict[int, dict[Point, list[Run]]] = {}
        self._outcomes: dict[tuple[int, Point, int, int], tuple[int, ...]] = {}

    @property
    def bits(self) -> int:
        """How many bits the coefficients of one law have, at most."""
        return _bits(self.family, self.grid, self.people)

    @cached_property
    def denominator(self) -> int:
        """D, a common denominator of all probabilities of one entry."""
        return _denominator(self.family)

    def outcome(self, truth: int, start: Point, n: int, drawn: int) -> tuple[int, ...]:
        """Return D^drawn times the probability that each law is elected by n entries.

        ``drawn`` of them are drawn from the law ``truth``; the others stand at ``start``.
        """
        asked = (truth, start, n, drawn)
        if asked not in self._outcomes:
            self._outcomes[asked] = self._counted(*asked)
        return self._outcomes[asked]

    def _counted(self, truth: int, start: Point, n: int, drawn: int) -> tuple[int, ...]:
        totals = [fmpz(0)] * len(self.family.laws)
        runs = self._runs_of(n)
        for leading, begin, sums in self._law(truth, drawn):
            there = tuple(a + b for a, b in zip(leading, start, strict=False))
            shift, last = start[-1] + begin, len(sums) - 1
            for low, high, elected in runs[there]:
                low, high = max(low - shift, 0), min(high - shift, last)
                if low < high:
                    totals[elected] += sums[high] - sums[low]
        return tuple(int(total) for total in totals)

    def reachable(self, n: int) -> list[Point]:
        """Return the coordinates that n entries of any kinds can have."""
        return [_point(m) for m in self._power([1] * len(self.family.kinds), n).monoms()]

    def counts_at(self, point: Point, n: int) -> tuple[int, ...]:
        """Return how many entries of each kind make up a point, halving the sample again and again.

        >>> counting = Counting(LawFamily.of(["a=1/2, b=1/2", "a=1/4, b=3/4"]), 9)
        >>> counting.counts_at((2,), 5)
        (3, 2)
        """
        kinds = range(len(self.family.kinds))
        if n == 0:
            return (0,) * len(kinds)
        if n == 1:
            place = self.grid.steps.index(point)
            return tuple(int(g == place) for g in kinds)
        half = n // 2
        others = set(self.reachable(n - half))
        for first in self.reachable(half):
            rest = tuple(a - b for a, b in zip(point, first, strict=True))
            if rest in others:
                pair = zip(self.counts_at(first, half), self.counts_at(rest, n - half), strict=True)
                return tuple(a + b for a, b in pair)
        raise AssertionError(f"{point} cannot be reached by {n} entries")

    def point(self, counts: Sequence[int]) -> Point:
        """Return the coordinates of so many entries of each kind."""
        axes = zip(*self.grid.steps, strict=True)
        return tuple(sum(c * s for c, s in zip(counts, axis, strict=True)) for axis in axes)

    def _power(self, numerators: Sequence[int], n: int) -> fmpz_mpoly:
        axes = [f"x{i}" for i in range(len(self.grid.steps[0]))]
        ring = fmpz_mpoly_ctx.get(axes, Ordering.lex)
        terms = zip(self.grid.steps, numerators, strict=True)
        return ring.from_dict({step: value for step, value in terms if value}) ** n

    def _law(self, truth: int, n: int) -> list[Row]:
        """Return the law of the coordinates of n entries, in rows of prefix sums."""
        if (truth, n) not in self._laws:
            masses = (kind.masses[truth] for kind in self.family.kinds)
            power = self._power([int(mass * self.denominator) for mass in masses], n)
            self._laws[truth, n] = list(_rows(power))
        return self._laws[truth, n]

    def _runs_of(self, n: int) -> dict[Point, list[Run]]:
        if n not in self._runs:
            import numpy as np

            extent = self.grid.extent(n)
            winners = self._winners(n).reshape(-1, extent[-1])
            leading = product(*(range(length) for length in extent[:-1]))
            runs: dict[Point, list[Run]] = {}
            for place, row in zip(leading, winners, strict=True):
                ends = [0, *(np.flatnonzero(np.diff(row)) + 1).tolist(), len(row)]
                runs[place] = [(low, high, int(row[low])) for low, high in pairwise(ends)]
            self._runs[n] = runs
        return self._runs[n]

    def _winners(self, n: int) -> Places:
        """Return the law that each point elects, in the order of the box."""
        import numpy as np

        extent = self.grid.extent(n)
        points = np.indices(extent).reshape(len(extent), -1).T
        first = n - points.sum(axis=1) if self.grid.counts else np.full(len(points), n)
        powers = np.column_stack([first, points]).astype(np.float64)
        scores, slack = self._scores(powers)
        winners: Places = scores.argmax(axis=1)
        best = scores[np.arange(len(points)), winners]
        close = (scores >= (best - 2 * slack)[:, None]).sum(axis=1) > 1
        close &= (first >= 0) & np.isfinite(best)  # the box holds points that no sample has
        for place in np.flatnonzero(close):
            winners[place] = self._elected(tuple(points[place].tolist()), n)
        return winners

    def _scores(self, powers: Floats) -> tuple[Floats, Floats]:
        """Return logarithms of weighted likelihoods, and a bound of their rounding errors."""
        import numpy as np

        rows = (self.grid.base, *self.grid.factors)
        logs = np.array([[_log(factor) for factor in row] for row in rows])
        known = np.where(np.isinf(logs), 0.0, logs)
        weights = np.array([_log(weight) for weight in self.family.weights])
        scores = powers @ known + weights
        for i, j in zip(*np.nonzero(np.isinf(logs)), strict=True):
            scores[powers[:, i] > 0, j] = -np.inf
        for j in self._hopeless():
            scores[:, j] = -np.inf
        size = np.abs(powers) @ np.abs(known).max(axis=1) + np.abs(weights).max() + 1
        return scores, size * _ROUNDING

    def _hopeless(self) -> Iterator[int]:
        """Yield laws that are never elected, as another one is the same with as much weight."""
        laws, weights = self.family.laws, self.family.weights
        for j, law in enumerate(laws):
            for i, other in enumerate(laws):
                ahead = weights[i] > weights[j] or (weights[i] == weights[j] and i < j)
                if i != j and other == law and ahead:
                    yield j
                    break

    def _elected(self, point: Point, n: int) -> int:
        likelihoods = self.grid.likelihoods(point, n)
        scores = [w * x for w, x in zip(self.family.weights, likelihoods, strict=True)]
        return scores.index(max(scores))


def largest_size(family: LawFamily) -> int:
    """Return the largest number of entries that can be counted exactly."""
    low, high = 1, 2
    while countable(family, high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if countable(family, middle) else (low, middle)
    return low


def countable(family: LawFamily, n: int) -> bool:
    """Tell whether n entries can be counted exactly."""
    grid = coordinates(family.kinds, n)
    return grid.size(n) <= _MOST_POINTS and _bits(family, grid, n) <= _MOST_BITS


def _bits(family: LawFamily, grid: Coordinates, n: int) -> int:
    return grid.size(n) * n * _denominator(family).bit_length()


def _denominator(family: LawFamily) -> int:
    return lcm(*(mass.denominator for kind in family.kinds for mass in kind.masses))


def _rows(power: fmpz_mpoly) -> Iterator[Row]:
    """Cut the coefficients into rows along the last axis, and add them up from below."""
    terms = zip(power.monoms(), power.coeffs(), strict=True)  # in falling lexicographic order
    for leading, falling in groupby(terms, key=lambda term: term[0][:-1]):
        row = list(falling)[::-1]
        begin, end = int(row[0][0][-1]), int(row[-1][0][-1])
        coefficients = [coefficient for _, coefficient in row]
        if end - begin >= len(row):  # some places in between have no probability
            there = {int(point[-1]): coefficient for point, coefficient in row}
            coefficients = [there.get(place, fmpz(0)) for place in range(begin, end + 1)]
        yield _point(leading), begin, list(accumulate(coefficients, initial=fmpz(0)))


def _point(monomial: Sequence[object]) -> Point:
    return tuple(int(e) for e in monomial)  # type: ignore[call-overload]


def _log(x: Fraction) -> float:
    if not x:
        return float("-inf")
    with working_precision(_LOG_BITS):
        return float(ball(x, _LOG_BITS).log().mid())


@dataclass(frozen=True)
class Coordinates:
    """How entries add up."""

    steps: tuple[Point, ...]
    base: tuple[Fraction, ...]
    factors: tuple[tuple[Fraction, ...], ...]
    counts: bool

    def extent(self, n: int) -> Point:
        """Return how many values each coordinate of n entries can have."""
        return tuple(n * max(axis) + 1 for axis in zip(*self.steps, strict=True))

    def size(self, n: int) -> int:
        """Return how many points the box of all samples of n entries has."""
        return prod(self.extent(n))

    def exponents(self, point: Sequence[int], n: int) -> tuple[int, ...]:
        """Return the powers of base and factors that make up the likelihoods."""
        return (n - sum(point) if self.counts else n, *point)

    def possible(self, point: Sequence[int], n: int) -> list[int]:
        """Return the laws that give such a sample some probability."""
        rows = (self.base, *self.factors)
        needed = [row for row, power in zip(rows, self.exponents(point, n), strict=True) if power]
        return [j for j in range(len(self.base)) if all(row[j] for row in needed)]

    def likelihoods(self, point: Sequence[int], n: int) -> tuple[Fraction, ...]:
        """Return the likelihood of each law, up to a common factor."""
        powers = self.exponents(point, n)
        rows = (self.base, *self.factors)
        return tuple(
            prod(
                (row[j] ** power for row, power in zip(rows, powers, strict=True)),
                start=Fraction(1),
            )
            for j in range(len(self.base))
        )


def coordinates(kinds: Sequence[ValueKind], n: int) -> Coordinates:
    """Return the coordinates with the fewest points for samples of n entries."""
    plain = _counts(kinds)
    if len(kinds) <= 2 or any(0 in kind.masses for kind in kinds):
        return plain
    lattice = _lattice(kinds)
    return lattice if lattice.size(n) < plain.size(n) else plain


def _counts(kinds: Sequence[ValueKind]) -> Coordinates:
    rest = kinds[1:]
    if not rest:  # all laws are the same
        ones = (Fraction(1),) * len(kinds[0].masses)
        return Coordinates(((0,),), ones, (ones,), counts=False)
    axes = range(len(rest))
    steps = ((0,) * len(rest), *(tuple(int(i == g) for i in axes) for g in axes))
    return Coordinates(steps, kinds[0].masses, tuple(kind.masses for kind in rest), counts=True)


def _lattice(kinds: Sequence[ValueKind]) -> Coordinates:
    """Write every quotient as a product of coprime numbers, and find a basis of the exponents."""
    quotients = [[mass / kind.masses[0] for mass in kind.masses] for kind in kinds]
    base = _coprime(part for row in quotients for q in row for part in (q.numerator, q.denominator))
    powers = [[e for q in row for e in _factored(q, base)] for row in quotients]
    differences = [[a - b for a, b in zip(row, powers[0], strict=True)] for row in powers]
    reduced = fmpz_mat(differences).hnf()
    rows = [[int(e) for e in row] for row in reduced.tolist()]
    basis = [row for row in rows if any(row)]
    points = [_solved(row, basis) for row in differences]
    least = [min(axis) for axis in zip(*points, strict=True)]
    steps = tuple(tuple(c - low for c, low in zip(point, least, strict=True)) for point in points)
    shifted = [
        e + sum(low * row[i] for low, row in zip(least, basis, strict=True))
        for i, e in enumerate(powers[0])
    ]
    size = len(kinds[0].masses)
    return Coordinates(
        steps,
        _product(shifted, base, size),
        tuple(_product(row, base, size) for row in basis),
        counts=False,
    )


def _coprime(numbers: Iterable[int]) -> list[int]:
    """Return pairwise coprime numbers above 1 of which all the given ones are products.

    >>> sorted(_coprime([12, 18, 5]))
    [2, 3, 5]
    """
    base: list[int] = []
    waiting = [x for x in dict.fromkeys(numbers) if x > 1]
    while waiting:
        x = waiting.pop()
        common = next((b for b in base if gcd(x, b) > 1), None)
        if common is None:
            base.append(x)
            continue
        shared = gcd(x, common)
        base.remove(common)
        waiting += [part for part in (shared, common // shared, x // shared) if part > 1]
    return base


def _factored(q: Fraction, base: Sequence[int]) -> list[int]:
    """Return the exponents of a rational over a coprime base."""
    return [_multiplicity(q.numerator, b) - _multiplicity(q.denominator, b) for b in base]


def _multiplicity(x: int, b: int) -> int:
    times = 0
    while x % b == 0:
        x //= b
        times += 1
    return times


def _solved(row: Sequence[int], basis: Sequence[Sequence[int]]) -> list[int]:
    """Return the coefficients of a lattice vector over a basis in echelon form."""
    left, found = list(row), []
    for vector in basis:
        pivot = next(i for i, e in enumerate(vector) if e)
        times = left[pivot] // vector[pivot]
        found.append(times)
        left = [a - times * b for a, b in zip(left, vector, strict=True)]
    return found


def _product(exponents: Sequence[int], base: Sequence[int], size: int) -> tuple[Fraction, ...]:
    """Return one rational per law from exponents that stand law by law."""
    width = len(base)
    return tuple(
        prod(
            (Fraction(b) ** e for b, e in zip(base, exponents[j * width :], strict=False)),
            start=Fraction(1),
        )
        for j in range(size)
    )
