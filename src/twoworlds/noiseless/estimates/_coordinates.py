r"""Coordinates of samples: few numbers that fix what the estimator sees.

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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, prod

from flint import fmpz_mat

from twoworlds.noiseless.estimates.family import Kind

__all__ = ["Coordinates", "coordinates"]

Point = tuple[int, ...]


@dataclass(frozen=True)
class Coordinates:
    """How entries add up.

    Attributes:
        steps: what one entry of each kind adds, at least 0 in every coordinate.
        base: the factor of each law per entry, or per entry of the first kind when ``counts``.
        factors: for each coordinate, the factor of each law.
        counts: whether the coordinates are the counts of all kinds but the first.
    """

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


def coordinates(kinds: Sequence[Kind], n: int) -> Coordinates:
    """Return the coordinates with the fewest points for samples of n entries."""
    plain = _counts(kinds)
    if len(kinds) <= 2 or any(0 in kind.masses for kind in kinds):
        return plain
    lattice = _lattice(kinds)
    return lattice if lattice.size(n) < plain.size(n) else plain


def _counts(kinds: Sequence[Kind]) -> Coordinates:
    rest = kinds[1:]
    if not rest:  # all laws are the same
        ones = (Fraction(1),) * len(kinds[0].masses)
        return Coordinates(((0,),), ones, (ones,), counts=False)
    axes = range(len(rest))
    steps = ((0,) * len(rest), *(tuple(int(i == g) for i in axes) for g in axes))
    return Coordinates(steps, kinds[0].masses, tuple(kind.masses for kind in rest), counts=True)


def _lattice(kinds: Sequence[Kind]) -> Coordinates:
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
