"""The only matrix A with A B = M, for a base B that has an inverse, or a negative entry of it.

For one large base two guesses come first. Floats tell where the least entry of A lies; a single
column of B^-1, solved exactly, settles whether it is negative. Arithmetic modulo a prime gives A
when its entries are simple fractions; A B = M, multiplied out, settles whether it does. Only when
both fail is the exact inverse computed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from flint import fmpq, fmpq_mat, nmod_mat

from twoworlds.cones.certificates import kronecker_times

__all__ = ["Negative", "quotient"]

_LARGE = 30
_CLEARLY = -1e-6
_PRIME = (1 << 61) - 1
_SIMPLE = 1 << 30


class Negative(NamedTuple):
    """An entry A[row, column] < 0, and the column of B^-1 that gives it."""

    row: int
    column: int
    value: fmpq
    inverse: list[fmpq]


def quotient(target: fmpq_mat, base: fmpq_mat, records: int = 1) -> fmpq_mat | Negative | None:
    """Return M B^-1 if no entry is negative, else a negative entry; None if B is singular.

    With several records B stands for its Kronecker power, which is never built.

    >>> quotient(fmpq_mat(1, 2, [1, 1]), fmpq_mat(2, 2, [3, 1, 1, 3]))
    [1/4, 1/4]
    >>> quotient(fmpq_mat(1, 2, [4, 1]), fmpq_mat(2, 2, [3, 1, 1, 3])).value
    -1/8
    """
    try:
        if records == 1 and base.nrows() >= _LARGE:
            guess = _seen_in_floats(target, base) or _simple(target, base)
            if guess is not None:
                return guess
        inverse = base.inv()
    except ZeroDivisionError:
        return None
    found = kronecker_times(target, inverse, records)
    width = found.ncols()
    value, place = min((entry, place) for place, entry in enumerate(found.entries()))
    if value >= 0:
        return found
    row, column = divmod(place, width)
    unit = fmpq_mat(1, width, [int(k == column) for k in range(width)])
    turned = kronecker_times(unit, inverse.transpose(), records)
    return Negative(row, column, value, turned.entries())


def _seen_in_floats(target: fmpq_mat, base: fmpq_mat) -> Negative | None:
    """Look where floats see the least entry; return it if it is truly negative."""
    import numpy as np

    tables = [np.array(matrix.tolist(), dtype=float) for matrix in (base, target)]
    try:
        guess = np.linalg.solve(tables[0].T, tables[1].T).T
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(guess).all() or guess.min() > _CLEARLY:
        return None
    row, column = map(int, np.unravel_index(guess.argmin(), guess.shape))
    unit = fmpq_mat(base.nrows(), 1, [int(k == column) for k in range(base.nrows())])
    inverse = base.solve(unit).entries()
    entries = (target[row, d] * inverse[d] for d in range(base.nrows()))
    value = sum(entries, start=fmpq(0))
    return Negative(row, column, value, inverse) if value < 0 else None


def _simple(target: fmpq_mat, base: fmpq_mat) -> fmpq_mat | None:
    """Return M B^-1 if its entries are simple fractions, none of them negative."""
    top, scale = target.numer_denom()
    bottom, factor = base.numer_denom()
    if int(scale) % _PRIME == 0:
        return None
    try:
        residues = nmod_mat(top, _PRIME) * nmod_mat(bottom, _PRIME).inv()
    except ZeroDivisionError:  # perhaps singular modulo this prime only
        return None
    residues *= int(factor) * pow(int(scale), -1, _PRIME) % _PRIME
    columns = [_fractions(map(int, column)) for column in residues.transpose().tolist()]
    entries = [entry for column in columns if column is not None for entry in column]
    if len(entries) < target.nrows() * target.ncols() or min(entries) < 0:
        return None
    found = fmpq_mat(target.ncols(), target.nrows(), entries).transpose()
    return found if found * base == target else None


def _fractions(residues: Iterable[int]) -> list[fmpq] | None:
    """Read residues as fractions with one small common denominator."""
    common, found = 1, []
    for residue in residues:
        top = residue * common % _PRIME
        if _SIMPLE < top < _PRIME - _SIMPLE:
            common *= _denominator(top)
            top = residue * common % _PRIME
            if common > _SIMPLE or _SIMPLE < top < _PRIME - _SIMPLE:
                return None
        found.append(fmpq(top if top <= _SIMPLE else top - _PRIME, common))
    return found


def _denominator(residue: int) -> int:
    """Return the denominator of the fraction that the residue stands for, by Euclid's steps."""
    large, small, before, now = _PRIME, residue, 0, 1
    while small > _SIMPLE:
        step, rest = divmod(large, small)
        large, small, before, now = small, rest, now, before - step * now
    return abs(now)
