r"""Unbiased linear estimates: the inverse of a channel.

Let h be the true counts of the values, c the counts of the reports and T the channel, so that
E c = T h. A matrix L with L T = 1 gives the unbiased estimate L c, whose variance, given h, is

    Var (L c)_v = sum_u h_u s_vu,    s_vu = sum_o L_vo^2 T_ou - [u = v],

because each record adds L_vo with probability T_ou, of mean [u = v]. It is linear in h, and so

    sum_o L_vo^2 c_o - (L c)_v

is an unbiased estimate of it. (Wu, Proposition 3.3, is the case of two values and symmetric T.)

For a square channel L = T^(-1). With more reports than values there are many L; this is the one of
least squares, weighted by W = diag(1 / r) with r = T (1, ..., 1)':

    L = (T' W T)^(-1) T' W.

Its columns add up to 1, so that the estimates add up to the number of records: T' W T (1, ..., 1)'
= T' (1, ..., 1)' = (1, ..., 1)', which makes (1, ..., 1) L = (W r)' = (1, ..., 1).

Symmetric channels, keep p and q for each other value, need no matrix: L c = (c - q n) / (p - q),
and that also for irrational p and q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from flint import fmpq, fmpq_mat

from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, maximum
from twoworlds.release.local.randomizer import Matrix

__all__ = ["Inverse", "inverse_of"]

Inverse: TypeAlias = "Symmetric | Weights"


def inverse_of(matrix: Matrix) -> Inverse:
    """Return the unbiased estimate of a channel."""
    if matrix.symmetric:
        keep, other = matrix.rows[0][0], matrix.rows[0][1]
        if not (keep < other or keep > other):
            raise InvalidInput(_not_estimable(matrix))
        return Symmetric(keep, other, len(matrix.values))
    return Weights.of(matrix)


@dataclass(frozen=True)
class Symmetric:
    """The inverse of a channel with ``keep`` on the diagonal and ``other`` elsewhere.

    Its methods, and those of `Weights`: ``counts`` is L c; ``variance`` that of the estimate of v,
    exactly, given the true counts; ``estimated_variance`` the unbiased estimate of it, which may be
    negative; ``largest_variance`` that for the worst counts; ``spread`` is max L_vo - min L_vo over
    the possible reports o.
    """

    keep: Number
    other: Number
    values: int

    def counts(self, reports: Sequence[int]) -> list[Number]:
        """Return (c - q n) / (p - q)."""
        return [self._count(v, reports) for v in range(self.values)]

    def _count(self, v: int, reports: Sequence[int]) -> Number:
        return (reports[v] - self.other * sum(reports)) / (self.keep - self.other)

    def variance(self, v: int, histogram: Sequence[int]) -> Number:
        """Return (h p (1 - p) + (n - h) q (1 - q)) / (p - q)^2."""
        own, others = histogram[v], sum(histogram) - histogram[v]
        return self._combined(Fraction(own), Fraction(others))

    def estimated_variance(self, v: int, reports: Sequence[int]) -> Number:
        """Put the estimate in the place of h."""
        if self.values == 2:  # the same whatever the counts are
            return self._combined(Fraction(sum(reports)), Fraction(0))
        own = self._count(v, reports)
        return self._combined(own, sum(reports) - own)

    def largest_variance(self, v: int, records: int) -> Number:
        """Return the larger of the two ends: all records of the value, or none."""
        n, none = Fraction(records), Fraction(0)
        return maximum(self._combined(n, none), self._combined(none, n))

    def spread(self, v: int) -> Number:
        """Return 1 / |p - q|."""
        return 1 / abs(self.keep - self.other)

    def _combined(self, own: Number, others: Number) -> Number:
        p, q = self.keep, self.other
        gap = p - q
        return (own * (p * (1 - p)) + others * (q * (1 - q))) / (gap * gap)


@dataclass(frozen=True)
class Weights:
    """An exact matrix L, and what one record of each value adds to each variance."""

    rows: tuple[tuple[Fraction, ...], ...]
    shares: tuple[tuple[Fraction, ...], ...]
    possible: tuple[bool, ...]

    @staticmethod
    def of(matrix: Matrix) -> Weights:
        """Invert a rational channel, by weighted least squares if it has more reports."""
        t = _rational(matrix)
        height, width = t.nrows(), t.ncols()
        if t.rank() < width:
            raise InvalidInput(_not_estimable(matrix))
        possible = [sum((t[o, v] for v in range(width)), fmpq(0)) for o in range(height)]
        weighted = fmpq_mat(
            [[t[o, v] / possible[o] if possible[o] != 0 else fmpq(0) for o in range(height)]
             for v in range(width)]
        )  # fmt: skip
        found = (weighted * t).inv() * weighted
        squares = fmpq_mat(
            [[found[v, o] * found[v, o] for o in range(height)] for v in range(width)]
        )
        shares = squares * t
        rows = tuple(tuple(_fraction(found[v, o]) for o in range(height)) for v in range(width))
        return Weights(
            rows,
            tuple(
                tuple(_fraction(shares[v, u]) - (u == v) for u in range(width))
                for v in range(width)
            ),
            tuple(mass != 0 for mass in possible),
        )

    def counts(self, reports: Sequence[int]) -> list[Number]:
        """Multiply."""
        return [_dot(row, reports) for row in self.rows]

    def variance(self, v: int, histogram: Sequence[int]) -> Number:
        """Add up what each record adds."""
        return _dot(self.shares[v], histogram)

    def estimated_variance(self, v: int, reports: Sequence[int]) -> Number:
        """Return sum_o L_vo^2 c_o less the estimate."""
        row = self.rows[v]
        return _dot([weight * weight for weight in row], reports) - _dot(row, reports)

    def largest_variance(self, v: int, records: int) -> Number:
        """Let all records have the value that adds most."""
        return max(self.shares[v]) * records

    def spread(self, v: int) -> Number:
        """Compare the weights of possible reports."""
        weights = [w for w, can in zip(self.rows[v], self.possible, strict=True) if can]
        return max(weights) - min(weights)


def _dot(weights: Sequence[Fraction], counts: Sequence[int]) -> Fraction:
    pairs = zip(weights, counts, strict=True)
    return sum((weight * count for weight, count in pairs), start=Fraction(0))


def _not_estimable(matrix: Matrix) -> str:
    """Say why no unbiased estimate exists, and of which combinations one does.

    Those are the combinations in the row space of the channel; its reduced basis is the plainest.
    """
    reduced, rank = _rational(matrix).rref()
    kept = ", ".join(_combination(matrix.values, reduced, i) for i in range(rank))
    return (
        f"{matrix.expression} mixes the {len(matrix.values)} values so that different true counts "
        "give the same reports on average; only these have an unbiased estimate, and their "
        f"combinations: {kept}; use a channel whose columns are linearly independent"
    )


def _combination(values: Sequence[str], rows: fmpq_mat, i: int) -> str:
    found = ""
    for j, value in enumerate(values):
        factor = _fraction(rows[i, j])
        if factor:
            sign = "-" if factor < 0 else "+"
            size = "" if abs(factor) == 1 else f"{abs(factor)} "
            found += f" {sign} {size}count({value})" if found else f"{size}count({value})"
    return found


def _rational(matrix: Matrix) -> fmpq_mat:
    rows = [[entry for entry in row if isinstance(entry, Fraction)] for row in matrix.rows]
    if any(len(row) < len(matrix.values) for row in rows):
        raise InvalidInput(
            f"{matrix.expression} holds irrational probabilities, which are inverted for "
            "randomized-response and frapp only: give the matrix as fractions"
        )
    return fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in rows])


def _fraction(x: fmpq) -> Fraction:
    return Fraction(int(x.p), int(x.q))
