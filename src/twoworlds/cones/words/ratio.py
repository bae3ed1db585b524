r"""The largest ratio of two linear functions over a cone of likelihood rows, with its proof.

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
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm

from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.vectors import Vector, dot, negative, primitive, units
from twoworlds.errors import InvalidInput, Undecided, Unsupported
from twoworlds.laws.noise import DiscreteGaussianNoise, Noise, SkellamNoise
from twoworlds.numbers import INFINITY, Number, Order, compare

Found = tuple[Vector, Number, dict[str, object]]
Masses = Mapping[int, Fraction]
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


def _limit(a: Masses, r: Masses, end: int) -> Number:
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
