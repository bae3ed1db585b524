r"""Noise on a cycle: answers 0, ..., m - 1, added modulo m.

The matrix is circulant, M(o, d) = f(o - d mod m): it has an inverse exactly when the generating
polynomial of f has no root among the m-th roots of unity (Lin & Kifer, Section 5.3.3, on a finite
group instead of the whole numbers). The general machinery does the rest: `inverse` gives M^-1, and
`row_cone` the cone, whose m facets are then the shifts of one vector. Uniform noise on -1, 0, 1 is
singular exactly when 3 divides m.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from flint import fmpq_poly

from twoworlds.cones.noise.rational import CircleZero, circle_zero, polynomial
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Dense
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.numbers import whole
from twoworlds.worlds import Universe

__all__ = ["cyclic_noise", "cyclic_zero"]

Masses = Sequence[object] | Mapping[int, object]


def cyclic_noise(pmf: Masses, m: object, *, start: int = 0) -> Dense:
    """Return the mechanism that adds noise on a cycle; neighbours are one step apart.

    Args:
        pmf: probabilities of start, start + 1, ..., or a mapping from places to them.
        m: how many places the cycle has.
        start: the place of the first probability of a sequence.

    >>> cyclic_noise(["1/3", "1/3", "1/3"], 5, start=-1).probability(4, 0)
    Fraction(1, 3)
    """
    masses = _wrapped(pmf, m, start)
    size = len(masses)
    pairs = {(min(k, (k + 1) % size), max(k, (k + 1) % size)) for k in range(size)}
    universe = Universe.of(range(size), [(a, b) for a, b in sorted(pairs) if a != b])
    rows = [[masses[(o - d) % size] for d in range(size)] for o in range(size)]
    text = f"cyclic-noise([{', '.join(map(str, masses))}], m={size})"
    return Dense(universe, Universe.of(range(size)), rows, expression=text)


def cyclic_zero(pmf: Masses, m: object, *, start: int = 0) -> CircleZero | None:
    """Return a zero of the transform on the cycle, named by its angle; None if M has an inverse.

    >>> cyclic_zero(["1/4", "1/2", "1/4"], 4, start=-1).angle
    'pi'
    """
    masses = _wrapped(pmf, m, start)
    cycle = fmpq_poly([-1] + [0] * (len(masses) - 1) + [1])  # z^m - 1
    common = polynomial(masses).gcd(cycle)
    return circle_zero(common) if common.degree() > 0 else None


def _wrapped(pmf: Masses, m: object, start: int) -> list[Fraction]:
    """Return the probability of each place of the cycle."""
    size = whole(m, "m", at_least=1)
    if isinstance(pmf, str):
        raise InvalidInput(f"pmf={pmf!r}: give a list such as [1/4, 1/2, 1/4]")
    items = list(pmf.items() if isinstance(pmf, Mapping) else enumerate(pmf, start))
    checked = FiniteNoise.of([mass for _, mass in items], 0).masses
    wrapped = [Fraction(0)] * size
    for (place, _), mass in zip(items, checked, strict=True):
        if type(place) is not int:
            raise InvalidInput(f"place {place!r} must be a whole number")
        wrapped[place % size] += mass
    return wrapped
