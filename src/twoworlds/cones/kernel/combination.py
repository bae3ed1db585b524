"""A vector of a cone as a non-negative combination of few generators.

With the facets of the cone known, no solver is needed. Take a generator g of the smallest face
that holds x, and subtract as much of it as the cone allows,

    t = min of (f . x) / (f . g) over the facets f with f . g > 0.

Then x - t g lies on one more facet, hence on a smaller face; so after at most as many steps as
the cone has dimensions nothing is left (Carathéodory), or something that lies on every facet: in
the lineality space. There the lines give it by linear algebra; generators that span the
space without being declared as lines give it after lifting each g to (g, 1), which makes the cone
pointed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import gcd
from typing import Any

from twoworlds.cones.kernel.vectors import (
    Combination,
    Description,
    Vector,
    divided,
    dot,
    echelon,
    flint,
    fraction,
    negative,
    primitive,
    rationals,
)

LARGEST_TABLE = 10**7  # products of generators and facets; beyond, a program takes less memory

Target = Sequence[int | Fraction]
Decided = tuple[Combination, Vector | None]


def combination(
    target: Target,
    generators: Sequence[Vector],
    lines: Sequence[Vector],
    facets: Sequence[Vector],
    slopes_of: Any = None,
) -> Combination:
    """Return pairs (generator, weight > 0) that sum to the target, a line as itself or negated.

    ``facets`` must be the facets of the cone of generators and lines, and the target lie in it;
    ``slopes_of`` are their products with the generators, where these are known.

    >>> combination((3, 1), [(1, 0), (1, 1), (2, 1)], [], [(0, 1), (1, -1)])
    (((1, 0), Fraction(2, 1)), ((1, 1), Fraction(1, 1)))
    """
    import numpy as np

    from twoworlds.cones.kernel.double_description import products

    rest = primitive(target)
    unit = _quotient(rationals(target), rest)  # what is left is unit * rest
    heights = products([rest], facets)[0].tolist()
    slopes_of = products(generators, facets) if slopes_of is None else slopes_of
    found: list[tuple[Vector, Fraction]] = []
    flat: list[Vector] = []
    face = np.arange(len(generators))
    while any(rest):
        tight = np.flatnonzero([not height for height in heights])
        face = face[(slopes_of[np.ix_(face, tight)] == 0).all(axis=1)]
        if not len(face):
            break
        generator, slopes = generators[face[0]], slopes_of[face[0]].tolist()
        face = face[1:]
        if not any(slopes):
            flat.append(generator)
            continue
        step, factor = _least(heights, slopes)
        found.append((generator, unit * Fraction(step, factor)))
        longer = [factor * x - step * g for x, g in zip(rest, generator, strict=True)]
        common = gcd(*longer) or 1
        rest, unit = divided(longer), unit * Fraction(common, factor)
        heights = [(factor * h - step * s) // common for h, s in zip(heights, slopes, strict=True)]
    if any(rest):
        found += _within_lineality([unit * x for x in rest], flat, lines)
    return tuple(found)


def _quotient(values: Sequence[Fraction], vector: Vector) -> Fraction:
    return next((v / entry for v, entry in zip(values, vector, strict=True) if entry), Fraction(0))


def _least(heights: Sequence[int], slopes: Sequence[int]) -> tuple[int, int]:
    """Return the least quotient height / slope over the slopes that are not 0, as a pair."""
    top, bottom = 1, 0
    for height, slope in zip(heights, slopes, strict=True):
        if slope and height * bottom < top * slope:
            top, bottom = height, slope
    return top, bottom


def decider(
    generators: Sequence[Vector], lines: Sequence[Vector], description: Description | None
) -> Callable[[Target], Decided]:
    """Return what decides targets: a combination as above, or none and an inequality it violates.

    ``description`` holds the facets and equalities of the cone. Without it bounds on ratios follow
    from each other (`Ways`), and else a linear program decides; then the inequality need not be a
    facet.

    >>> decider([(1, 0), (1, 1)], [], (((1, -1), (0, 1)), ()))((1, 2))
    ((), (1, -1))
    """
    if description is not None:
        facets, equalities = description
        if len(generators) * len(facets) <= LARGEST_TABLE:
            return _by_facets(generators, lines, facets, equalities)
    from twoworlds.cones.kernel.ratios import Ways  # numpy
    from twoworlds.programs import combine

    ways = Ways.of(generators, len(generators[0])) if generators and not lines else None
    spanning = [*generators, *lines, *map(negative, lines)]

    def decide(target: Target) -> Decided:
        direction = primitive(target)
        if ways is not None and (found := ways.decide(direction)) is not None:
            scale = 1 if direction == target else _quotient(rationals(target), direction)
            return tuple([(g, scale * weight) for g, weight in found[0]]), found[1]
        inside, numbers = combine(spanning, target)
        if not inside:
            return (), primitive(numbers)
        pairs = zip(spanning, numbers, strict=True)
        return tuple([(g, weight) for g, weight in pairs if weight]), None

    return decide


def _by_facets(
    generators: Sequence[Vector],
    lines: Sequence[Vector],
    facets: Sequence[Vector],
    equalities: Sequence[Vector],
) -> Callable[[Target], Decided]:
    outside = [*facets, *equalities, *map(negative, equalities)]

    @cache
    def table() -> Any:
        from twoworlds.cones.kernel.double_description import products

        return products(generators, facets)

    def decide(target: Target) -> Decided:
        direction = primitive(target)
        for inequality in outside:
            if dot(inequality, direction) < 0:
                return (), inequality
        return combination(target, generators, lines, facets, table()), None

    return decide


def _within_lineality(
    rest: Sequence[Fraction], flat: Sequence[Vector], lines: Sequence[Vector]
) -> Combination:
    basis, _ = echelon(lines)
    if basis and len(echelon([*basis, primitive(rest)])[0]) == len(basis):
        return _of_lines(rest, lines)
    spanning = [*flat, *lines, *[negative(line) for line in lines]]
    from twoworlds.cones.kernel.double_description import extreme_rays  # numpy

    lifted = [(*vector, 1) for vector in spanning]
    facets, _ = extreme_rays(lifted, [], len(rest) + 1)
    height = max(-dot(f[:-1], rest) / Fraction(f[-1]) for f in facets)
    lifting = combination((*rest, max(height, Fraction(0))), lifted, [], facets)
    return tuple([(vector[:-1], weight) for vector, weight in lifting])


def _of_lines(rest: Sequence[Fraction], lines: Sequence[Vector]) -> Combination:
    independent = [lines[i] for i in echelon(list(zip(*lines, strict=True)))[1]]
    _, columns = echelon(independent)
    system = flint([[line[i] for line in independent] for i in columns])
    solution = map(fraction, system.solve(flint([[rest[i]] for i in columns])).entries())
    pairs = zip(independent, solution, strict=True)
    return tuple([(g if w > 0 else negative(g), abs(w)) for g, w in pairs if w])
