"""Composition of finitely many likelihood ratios: outputs of equal ratio are merged, exactly.

The ratios of independent outputs multiply. Where their logarithms are multiples of one of them, as
for many answers of one law, masses are the coefficients of a product of polynomials; else products
are listed one part at a time, as long as different ones are few.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise, product
from math import gcd, lcm, log2, prod
from typing import Any

from flint import fmpz_poly

from twoworlds.errors import Unsupported
from twoworlds.laws.comparison import FiniteComparison
from twoworlds.laws.event import Event, Events, Listed, Point
from twoworlds.laws.grid import Part
from twoworlds.numbers import INFINITY, Log, Number, ln, power

_EXACT_BITS = 1 << 23  # of all whole numbers of an exact law
_MOST_RATIOS = 1 << 12
_MOST_CLASSES = 1 << 16  # over all records, which takes a second or two


RatioTable = dict[Number, tuple[Number, Number]]
"""Masses of outputs by their finite ratios above 0; what has another ratio is left over."""


def _whole(table: RatioTable) -> tuple[dict[Fraction, tuple[int, int]], int] | None:
    """Return masses as whole numbers over a common denominator, where they are rational."""
    found: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for ratio, (p, q) in table.items():
        if not (
            isinstance(ratio, Fraction) and isinstance(p, Fraction) and isinstance(q, Fraction)
        ):
            return None
        found[ratio] = p, q
    scale = lcm(*(mass.denominator for pair in found.values() for mass in pair))
    return {r: (int(p * scale), int(q * scale)) for r, (p, q) in found.items()}, scale


def ratio_tables(parts: Iterable[Part]) -> list[RatioTable] | None:
    """Merge the cells of each part; None where a part has infinitely many ratios, or two ends."""
    found = []
    for comparison, _ in parts:
        if comparison.dominating is not comparison:
            return None
        try:
            cells = comparison.cells()
        except Unsupported:
            return None
        masses: RatioTable = {}
        for p, q, _ in cells:
            if p != 0 and q != 0:
                before = masses.get(p / q, (Fraction(0), Fraction(0)))
                masses[p / q] = before[0] + p, before[1] + q
        found.append(masses)
    return found


def finite(parts: Sequence[Part], events: Events, x: Point, y: Point) -> FiniteComparison | None:
    """Merge outputs of equal ratio exactly; None where that cannot be done, or takes too long."""
    tables = ratio_tables(parts)
    if tables is None:
        return None
    whole = [
        (found, times)
        for table, (_, times) in zip(tables, parts, strict=True)
        if (found := _whole(table)) is not None
    ]
    if len(whole) < len(tables):
        return None
    lattice = commensurable([ln(ratio) for (masses, _), _ in whole for ratio in masses])
    merged = _merged(whole) if lattice is None else _powers(whole, lattice[1])
    if merged is None:
        return None
    # What only one world can produce comes last.
    scale = prod(scale**times for (_, scale), times in whole)
    p = [*(pair[0] for pair in merged), scale - sum(pair[0] for pair in merged), 0]
    q = [*(pair[1] for pair in merged), 0, scale - sum(pair[1] for pair in merged)]

    def event(cells: Sequence[int]) -> Event:
        if not cells:
            return Listed.of(())
        least = min((Fraction(p[i], q[i]) for i in cells if q[i]), default=INFINITY)
        others = set(range(len(p))) - {*cells}
        if all(not p[i] or (q[i] and p[i] < least * q[i]) for i in others):
            return events.likelier(least)
        turned = min((Fraction(q[i], p[i]) for i in cells if p[i]), default=INFINITY)
        return events.reverse().likelier(turned)  # of the reverse, where Q is larger

    return FiniteComparison(x, y, p, q, event, scale, tuple(parts))


_Whole = tuple[tuple[dict[Fraction, tuple[int, int]], int], int]  # masses, their scale, and times


def _powers(tables: Sequence[_Whole], exponents: Sequence[int]) -> list[tuple[int, int]] | None:
    """Multiply polynomials, whose exponents are losses in multiples of one of them."""
    if not all(masses for (masses, _), _ in tables):
        return []  # of one part, no output is possible in both worlds
    starts = [0, *accumulate(len(masses) for (masses, _), _ in tables)]
    own = [exponents[first:last] for first, last in pairwise(starts)]
    degree = sum(times * (max(e) - min(e)) for (_, times), e in zip(tables, own, strict=True)) + 1
    bits = sum(times * log2(scale) for (_, scale), times in tables)
    if bits * degree > _EXACT_BITS:
        return None
    rows = []
    for side in (0, 1):
        total = fmpz_poly([1])
        for ((masses, _), times), powers in zip(tables, own, strict=True):
            row = [0] * (max(powers) - min(powers) + 1)
            for pair, exponent in zip(masses.values(), powers, strict=True):
                row[exponent - min(powers)] = pair[side]
            total *= fmpz_poly(row) ** times
        rows.append([int(mass) for mass in total.coeffs()])
    return [(p, q) for p, q in zip(*rows, strict=True) if p]


def _merged(tables: Sequence[_Whole]) -> list[tuple[int, int]] | None:
    """Multiply masses and ratios one part at a time, as long as different ratios are few."""
    found = {Fraction(1): (1, 1)}
    for (masses, _), times in tables:
        for _ in range(times):
            grown: dict[Fraction, tuple[int, int]] = {}
            for (ratio, (p, q)), (step, (more_p, more_q)) in product(found.items(), masses.items()):
                before = grown.get(ratio * step, (0, 0))
                grown[ratio * step] = before[0] + p * more_p, before[1] + q * more_q
                if len(grown) > _MOST_RATIOS:
                    return None
            found = grown
    return list(found.values())


def commensurable(losses: Sequence[Number]) -> tuple[Number, list[int]] | None:
    """Return a unit and whole numbers such that the losses are multiples of it, where one is seen.

    >>> commensurable([ln(Fraction(9)), ln(Fraction(1, 27)), Fraction(0)])
    (Real(ln 3), [2, -3, 0])
    """
    moving = [loss for loss in losses if loss != 0]
    if not moving:
        return Fraction(1), [0] * len(losses)
    shares: list[Fraction] = []
    first = moving[0]
    for loss in losses:
        share: Fraction | None = Fraction(0)
        if isinstance(loss, Fraction) and isinstance(first, Fraction):
            share = loss / first
        elif loss != 0:
            both = isinstance(loss, Log) and isinstance(first, Log)
            share = loss.multiple_of(first) if both else None  # type: ignore[union-attr, arg-type]
        if share is None:
            return None
        shares.append(share)
    common = lcm(*(share.denominator for share in shares))
    whole = [int(share * common) for share in shares]
    divisor = gcd(*whole)
    step = Fraction(divisor, common)
    unit = ln(power(first.of, step)) if isinstance(first, Log) else first * step
    sign = 1 if unit > 0 else -1
    return abs(unit), [sign * (w // divisor) for w in whole]


def by_ratio(
    p: Sequence[Mapping[Any, Number]], q: Sequence[Mapping[Any, Number]]
) -> dict[Number, tuple[Number, Number]]:
    """Return the masses of all words of equal likelihood ratio under two products of laws.

    Words are merged one record at a time, so that alike records give few classes.
    """
    nothing = Fraction(0), Fraction(0)
    classes: dict[Number, tuple[Number, Number]] = {Fraction(1): (Fraction(1), Fraction(1))}
    met = 0
    for done, (law_p, law_q) in enumerate(zip(p, q, strict=True)):
        grown: dict[Number, tuple[Number, Number]] = {}
        for (ratio, (mass_p, mass_q)), o in product(classes.items(), law_p):
            if law_p[o] != 0 or law_q[o] != 0:
                key = times_ratio(ratio, law_p[o], law_q[o])
                old = grown.get(key, nothing)
                grown[key] = (old[0] + mass_p * law_p[o], old[1] + mass_q * law_q[o])
        met += len(grown)
        if met > _MOST_CLASSES:
            raise Unsupported(
                f"{len(p)} records have too many distinct likelihood ratios: use a group of at "
                f"most {done}"
            )
        classes = grown
    return classes


def times_ratio(ratio: Number, p: Number, q: Number) -> Number:
    """Multiply likelihood ratios, where infinity and 0 absorb (0 beats infinity: no mass in P)."""
    if ratio == 0 or p == 0:
        return Fraction(0)
    return INFINITY if ratio == INFINITY or q == 0 else ratio * p / q
