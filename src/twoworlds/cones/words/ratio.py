"""The largest ratio of two linear functions over a cone of likelihood rows, with its proof.

A ratio a . x / r . x of functions that are not negative is largest at an extreme row. A cone that
is given by rows is answered by trying them, and one that is given by inequalities c . x >= 0 by the
linear program

    maximise a . x    subject to    r . x = 1,  c . x >= 0,  x >= 0,

whose optimum alpha comes with multipliers y >= 0 of the inequalities: alpha r - a = sum of y c, so
that no row of the cone has a larger ratio. A row with a . x > 0 = r . x makes it infinite.

**Noise on whole numbers** f has infinitely many rows f(o - .). Let f be log-concave and thinner
than geometric: for i < j, f(o - i) / f(o - j) falls to 0 as o grows. Then far up the last places
decide: with t the last place where a or r is above 0, a . x / r . x tends to a_t / r_t. It is at
most alpha from output o on if the coefficients c = alpha r - a, last one first, are 0 and then
above 0 at a place j with

    c_j f(o - j)  >=  sum of |c_i| f(o - i) over the places i < j with c_i < 0,

because both sides divided by f(o - j) leave the left one as it is and let the right one fall. Far
down it is the same with the first places. So finitely many outputs and two limits are compared.

**Laplace noise.** Between two neighbouring places every density is a multiple of e^(o / b) or of
e^(-o / b), so that a . x / r . x is a quotient of two linear functions of e^(2 o / b) and monotone;
beyond all places it is constant. So the largest is at a place. Gaussian noise is thinner, and the
limits far out are as above.

**Differential privacy on many records** is reduced to what the question tells apart.
Records x = (x_1, ..., x_n) are neighbours when they differ in one record, and the row cone is
K = {x_D <= ratio * x_E for neighbours D, E}. For masses a on a set S and r on a set R the largest
odds a . x / r . x over K are those of a cone with few columns, by one of three reductions:

* **A record that is independent of all else.** If a(D) = a'(D without record i) q(D_i), and r
  likewise with the same law q, then y = sum over values v of q(v) x(., v) has a . x = a' . y and
  r . x = r' . y, and it lies in the cone of the other records: each x(., v) does, and the cone is
  convex. Conversely y, repeated for every v, lies in K. So record i can be left out.

* **Symmetry.** If exchanging records or values changes neither a nor r, then neither does it
  change a . x, r . x and K. The mean of x over the group has the same odds, lies in K, and is
  constant on orbits. So there is one column per orbit, and a constraint between two orbits that
  hold neighbours.

* **Few databases.** Let W hold the databases with a or r above 0. A row on W with
  x_D <= ratio^d(D, E) x_E, where d counts the records that differ, extends to K by
  x_D = min over E in W of ratio^d(D, E) x_E: a minimum of rows of K lies in K, and on W it is what
  was given. So the columns are W.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.ratios import bounded, keeping, moves, orbits
from twoworlds.cones.kernel.vectors import Vector, dot, negative, primitive, units
from twoworlds.errors import InvalidInput, TooLarge, Undecided, Unsupported
from twoworlds.laws.noise import DiscreteGaussianNoise, Noise, SkellamNoise
from twoworlds.mechanisms.continuous import Continuous, Laplace
from twoworlds.numbers import INFINITY, Number, Order, compare, exp
from twoworlds.worlds import Records

Found = tuple[Vector, Number, dict[str, object]]
Masses = Mapping[Any, Fraction]
_FURTHEST = 256


def largest_ratio(cone: Cone, a: Sequence[Fraction], r: Sequence[Fraction]) -> Found:
    """Return a row x of the largest ratio a . x / r . x, the ratio, and the proof as data.

    >>> largest_ratio(Cone.from_rays([(3, 1), (1, 3)]), [Fraction(1), Fraction(0)],
    ...               [Fraction(0), Fraction(1)])[:2]
    ((3, 1), Fraction(3, 1))
    """
    given = cone.constraints
    if given is None:
        rays, lines = cone.generators or ((), ())
        row, odds = _best(rays, lines, a, r)
        proof: dict[str, object] = {"generators": rays}
    else:
        row, odds, proof = _by_program(cone.dimension, *given, a, r)
    shown = "infinity" if odds == INFINITY else odds
    return row, odds, {"first": a, "second": r, "row": row, "odds": shown, **proof}


def _best(
    rays: Sequence[Vector],
    lines: Sequence[Vector],
    a: Sequence[Fraction],
    r: Sequence[Fraction],
) -> tuple[Vector, Number]:
    """Try all rays."""
    if lines or any(min(ray) < 0 for ray in rays):
        raise Unsupported(
            "the cone holds rows with negative entries, which are no likelihoods: intersect it "
            "with the rows that are at least 0"
        )
    scale = lcm(*[value.denominator for value in (*a, *r)])
    top, bottom = (tuple(int(value * scale) for value in values) for values in (a, r))
    best: tuple[bool, Fraction] | None = None
    for ray in rays:
        p, q = dot(top, ray), dot(bottom, ray)
        if p or q:
            ratio = (not q, Fraction(p) / q if q else Fraction(0))
            if best is None or ratio > best:
                best, row = ratio, ray
    if best is None:
        raise _no_row()
    return row, INFINITY if best[0] else best[1]


def _by_program(
    size: int,
    listed: Sequence[Vector],
    equalities: Sequence[Vector],
    a: Sequence[Fraction],
    r: Sequence[Fraction],
) -> Found:
    from twoworlds.programs import Infeasible, Optimal, Unbounded, solve

    ones = units(size)
    known = set(ones)
    inequalities = [c for c in listed if c not in known]
    given = [*inequalities, *equalities]
    rows: list[Sequence[int | Fraction]] = [r, *given]
    low = [1, *[0] * len(given)]
    high = [1, *[None] * len(inequalities), *[0] * len(equalities)]
    outcome = solve([-c for c in a], rows, lower=low, upper=high)
    premises = [*inequalities, *equalities, *map(negative, equalities), *ones]
    if isinstance(outcome, Infeasible):
        # r vanishes on the whole cone, so any row that a sees has infinite odds.
        found = solve([0] * size, [a, *given], lower=low, upper=high)
        if not isinstance(found, Optimal):
            raise _no_row()
        return primitive(found.x), INFINITY, {"premises": premises}
    if isinstance(outcome, Unbounded):
        return primitive(outcome.ray), INFINITY, {"premises": premises}
    odds = -outcome.value
    rest = [odds * q - p for p, q in zip(a, r, strict=True)]
    multipliers: list[Fraction] = []
    for row, y in zip(given, outcome.y[1:], strict=True):
        multipliers.append(y)
        if y:
            rest = [c - y * e for c, e in zip(rest, row, strict=True)]
    equal = multipliers[len(inequalities) :]
    multipliers[len(inequalities) :] = [max(y, Fraction(0)) for y in equal]
    multipliers += [max(-y, Fraction(0)) for y in equal] + rest
    return primitive(outcome.x), odds, {"premises": premises, "multipliers": multipliers}


def _no_row() -> InvalidInput:
    return InvalidInput(
        "every row of the cone vanishes on both sets: no mechanism has such rows, as its rows sum "
        "to the row of ones"
    )


def largest_ratio_of_noise(noise: Noise, a: Masses, r: Masses) -> tuple[Number, int | None]:
    """Return the supremum of a . f(o - .) / r . f(o - .) over outputs o, and an o that attains it.

    >>> one = Fraction(1)
    >>> largest_ratio_of_noise(SkellamNoise(one, one), {0: one}, {1: one})
    (Real(inf), None)
    >>> largest_ratio_of_noise(DiscreteGaussianNoise(one), {0: one}, {1: one, -1: one})[1]
    0
    """
    if len(a) == len(r) == 1:
        ((i, p),), ((j, q),) = a.items(), r.items()
        if i != j:
            law = noise if i > j else noise.reflected()
            found = law.supremum(abs(i - j))
            at = found.attained_at
            output = None if at is None else i + (at if i > j else -at) - (i - j)
            return found.ratio * p / q, output
    if not isinstance(noise, SkellamNoise | DiscreteGaussianNoise):
        raise Unsupported(
            f"{noise.expression} noise: the odds of two single answers are found, and those of "
            "several under geometric, skellam or discrete-gaussian noise: name one answer for each"
        )
    places = sorted({*a, *r})
    limits = [_limit(a, r, end) for end in (places[-1], places[0])]
    if INFINITY in limits:
        return INFINITY, None
    reach = 1
    while reach <= _FURTHEST:
        low, high = places[0] - reach, places[-1] + reach
        best: tuple[Number, int | None] = max(limits), None
        for o in sorted(range(low, high + 1), key=lambda o: abs(2 * o - low - high)):
            value = _on_output(noise, a, o) / _on_output(noise, r, o)
            if compare(value, best[0]) is Order.GREATER:
                best = value, o
        c = {j: best[0] * r.get(j, Fraction(0)) - a.get(j, Fraction(0)) for j in places}
        if all(_settled(noise, c, o) for o in (low, high)):
            return best
        reach *= 2
    raise Undecided(
        f"no output up to {_FURTHEST} beyond the answers settles how far the odds grow under "
        f"{noise.expression} noise: use a smaller variance"
    )


def largest_ratio_of_density(
    noise: Continuous, a: Masses, r: Masses
) -> tuple[Number, Fraction | None]:
    """Return the supremum for noise with a density, and an output that attains it.

    >>> one = Fraction(1)
    >>> largest_ratio_of_density(Laplace(rate=1), {0: one}, {1: one, -1: one})[1]
    Fraction(0, 1)
    >>> from twoworlds.mechanisms.continuous import Gaussian
    >>> largest_ratio_of_density(Gaussian(sigma=1), {0: one}, {1: one})
    (Real(inf), None)
    """
    places = sorted(Fraction(place) for place in {*a, *r})
    if not isinstance(noise, Laplace):
        if INFINITY in [_limit(a, r, end) for end in (places[0], places[-1])]:
            return INFINITY, None
        raise Unsupported(
            f"{noise.expression}: the odds of answers that lie between their rivals are found for "
            "discrete-gaussian and laplace noise: use one of those"
        )
    best: tuple[Number, Fraction | None] = Fraction(0), None
    for o in sorted(places, key=abs):
        above, below = (
            sum((m * exp(-(noise.rate * abs(o - j))) for j, m in masses.items()), Fraction(0))
            for masses in (a, r)
        )
        if compare(value := above / below, best[0]) is Order.GREATER:
            best = value, o
    return best


def _limit(a: Masses, r: Masses, end: Fraction | int) -> Number:
    return a.get(end, Fraction(0)) / r[end] if r.get(end) else INFINITY


def _on_output(noise: Noise, masses: Masses, o: int) -> Number:
    return sum((mass * noise.pmf(o - j) for j, mass in masses.items()), start=Fraction(0))


def _settled(noise: Noise, c: Mapping[int, Number], o: int) -> bool:
    """Say whether c . f(o - .) >= 0 at an output beyond all places, and at all that lie further."""
    order = sorted(c, key=lambda j: abs(o - j))
    signs = {j: compare(c[j], Fraction(0)) for j in order}
    first = next((j for j in order if signs[j] is not Order.EQUAL), None)
    if first is None:
        return True
    taken = [-c[j] * noise.pmf(o - j) for j in order if signs[j] is Order.LESS]
    above = compare(c[first] * noise.pmf(o - first), sum(taken, start=Fraction(0)))
    decided = Order.UNDECIDED not in signs.values()
    return decided and signs[first] is Order.GREATER and above is not Order.LESS


MOST_DATABASES = 2**16
_MOST_COLUMNS = 1024  # of the program that is left
_MOST_PAIRED = 40  # columns with a constraint between any two

Table = NDArray[Any]  # whole numbers of any size, one axis per record


class Reduced(NamedTuple):
    """The columns that are left, each named by one of its databases, and the two masses on them."""

    columns: list[str]
    first: list[Fraction]
    second: list[Fraction]
    inequalities: list[Vector]


def reduced(
    records: Records, ratio: Fraction, a: Sequence[Fraction], r: Sequence[Fraction]
) -> Reduced:
    """Reduce the odds of masses a against masses r under a ratio for one changed record.

    >>> bits, half = Records([1, 0], 3), [Fraction(int(i < 4)) for i in range(8)]
    >>> reduced(bits, Fraction(3), half, [1 - p for p in half]).inequalities  # record 1 alone
    [(-1, 3), (3, -1)]
    """
    values, size = len(records.values), lcm(*(p.denominator for p in (*a, *r)))
    first, second = (
        np.array([int(p * size) for p in masses], dtype=object).reshape((values,) * records.n)
        for masses in (a, r)
    )
    kept = list(range(records.n))
    for i in reversed(range(records.n)):
        if _independent(first, second, i):
            first, second = first.sum(axis=i), second.sum(axis=i)
            kept.remove(i)
    flat = [first.ravel(), second.ravel()]
    places = np.flatnonzero(flat[0] + flat[1])
    if len(places) <= _MOST_PAIRED:
        sides = [masses[places] for masses in flat]
        rows = _distances(values, len(kept), places, ratio)
    else:
        labels = orbits(first.size, _symmetries(values, len(kept), *flat))
        places, classes = np.unique(labels, return_inverse=True)
        if len(places) > _MOST_COLUMNS:
            raise TooLarge(
                f"{len(places)} classes of databases differ in this question, and at most "
                f"{_MOST_COLUMNS} are compared: give more records the same chance, ask about "
                "fewer records, or take fewer (10 bits always do)"
            )
        sides = [np.zeros(len(places), dtype=object) for _ in flat]
        for side, masses in zip(sides, flat, strict=True):
            np.add.at(side, classes, masses)
        rows = _between(classes.reshape(first.shape), len(places), ratio)
    names = [_label(records, kept, int(place)) for place in places]
    left, right = ([Fraction(int(mass), size) for mass in side] for side in sides)
    return Reduced(names, left, right, rows)


def _independent(first: Table, second: Table, i: int) -> bool:
    """Say whether record i has one law, whatever the others are and whichever set it is."""
    others = tuple(j for j in range(first.ndim) if j != i)
    if not others:
        return False
    laws = [masses.sum(axis=others) for masses in (first, second)]
    if (laws[0] * laws[1].sum() != laws[1] * laws[0].sum()).any():
        return False
    shape = [-1 if j == i else 1 for j in range(first.ndim)]
    return all(
        (masses * law.sum() == masses.sum(axis=i, keepdims=True) * law.reshape(shape)).all()
        for masses, law in zip((first, second), laws, strict=True)
    )


def _symmetries(values: int, records: int, first: Table, second: Table) -> list[Any]:
    seen: dict[tuple[int, int], int] = {}
    pairs = zip(first, second, strict=True)
    labels = np.array([seen.setdefault(pair, len(seen)) for pair in pairs])
    return keeping(labels, moves(values, records))


def _distances(values: int, records: int, places: NDArray[Any], ratio: Fraction) -> list[Vector]:
    digits = np.array(np.unravel_index(places, (values,) * records)).T
    pairs = permutations(range(len(places)), 2)
    return [
        bounded(len(places), u, v, ratio ** int((digits[u] != digits[v]).sum())) for u, v in pairs
    ]


def _between(classes: NDArray[Any], count: int, ratio: Fraction) -> list[Vector]:
    found: set[tuple[int, int]] = set()
    for axis, values in enumerate(classes.shape):
        for step in range(1, values):
            pairs = np.stack([classes, np.roll(classes, step, axis=axis)], axis=-1).reshape(-1, 2)
            found |= {(int(u), int(v)) for u, v in np.unique(pairs, axis=0) if u != v}
    return [bounded(count, u, v, ratio) for u, v in sorted(found)]


def _label(records: Records, kept: Sequence[int], place: int) -> str:
    """Name the database at a place of the records that were kept, the others having value 1."""
    word = [records.values[0]] * records.n
    for i in reversed(kept):
        place, digit = divmod(place, len(records.values))
        word[i] = records.values[digit]
    return records.label(tuple(word))
