r"""The least loss of a count under differential privacy, by geometric noise.

The databases are 0, ..., n and neighbours differ by 1; let beta = 1 / ratio. Geometric noise, cut
off at 0 and n, answers z with probability w_z beta^|z - D|, where w_z = (1 - beta) / (1 + beta)
between the ends and 1 / (1 + beta) at them. For losses that grow with the distance of answer and
truth, geometric noise with the best answer o(z) to each z has the least expected loss of all
mechanisms, whatever is believed (Ghosh, Roughgarden & Sundararajan, 2009). Here that is not taken
on trust: prices prove it, or None is returned.

**Under a belief b** let v_z = min over o of sum_D b_D l(D, o) beta^|z - D|. If prices p prove the
optimum, the reduced loss c_o = b l(., o) - p vanishes on every row of z with o(z) = o, so that
sum_D p_D beta^|z - D| = v_z for every z. The matrix beta^|z - D| has an inverse with three
diagonals, and this determines p. Whether c . x >= 0 on all rows x with x_D <= ratio x_E is seen
from left to right: the least of c_0 x_0 for a given x_1 is (c_0 beta) x_1 if c_0 >= 0 and
(c_0 / beta) x_1 if not, which is added to c_1 x_1, and so on; at the end c_n must not be negative.
The steps are the multipliers of the constraints.

**In the worst case** the least favourable belief maximises sum_z w_z v_z, a linear program in b and
v with one constraint for each z and o. Few o matter for each z: those near z are taken first, and
the best one under the belief found is added until nothing changes. The multipliers of this program
are w_z times the chance of answering o to z.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.vectors import Vector
from twoworlds.errors import TwoWorldsError
from twoworlds.programs import Optimal, solve

Matrix = list[list[Fraction]]
_MOST_ROUNDS = 8


def ratio_of_counts(cone: Cone) -> Fraction | None:
    """Return the ratio if the rows are those of differential privacy on 0, ..., n; else None."""
    graph = cone.ratios
    last = cone.dimension - 1
    if graph is None or any(
        others != tuple(d for d in (place - 1, place + 1) if 0 <= d <= last)
        for place, others in enumerate(graph.neighbours)
    ):
        return None
    return graph.ratio


def by_geometric_noise(
    ratio: Fraction, loss: Matrix, belief: Sequence[Fraction], inequalities: Sequence[Vector]
) -> tuple[Matrix, list[Fraction], Matrix] | None:
    """Return the mechanism, prices and multipliers, if prices prove that it is the best one.

    >>> half = Fraction(1, 2)
    >>> by_geometric_noise(Fraction(2), [[0, 1], [1, 0]], [half, half], [(2, -1), (-1, 2)])[1]
    [Fraction(1, 6), Fraction(1, 6)]
    """
    beta = 1 / ratio
    best, least = _best_answers(loss, belief, beta)
    proof = _proof(ratio, loss, belief, least, inequalities)
    if proof is None:
        return None
    return _mechanism([{o: Fraction(1)} for o in best], len(loss), beta), *proof


def in_the_worst_case(
    ratio: Fraction, loss: Matrix, inequalities: Sequence[Vector]
) -> tuple[Matrix, list[Fraction], list[Fraction], Matrix] | None:
    """Return mechanism, least favourable belief, prices and multipliers, if they prove it."""
    beta, size = 1 / ratio, len(loss[0])
    near = [min(range(len(loss)), key=lambda o: loss[o][z]) for z in range(size)]
    answers = [{o, *_beside(o, len(loss))} for o in near]
    for _ in range(_MOST_ROUNDS):
        belief, least, chances = _least_favourable(loss, answers, beta)
        best, lower = _best_answers(loss, belief, beta)
        if lower == least:
            proof = _proof(ratio, loss, belief, least, inequalities)
            return proof and (_mechanism(chances, len(loss), beta), belief, *proof)
        for z, o in enumerate(best):
            answers[z] |= {o, *_beside(o, len(loss))}
    return None


def _beside(o: int, outputs: int) -> set[int]:
    return {other for other in (o - 1, o + 1) if 0 <= other < outputs}


def _least_favourable(
    loss: Matrix, answers: Sequence[set[int]], beta: Fraction
) -> tuple[list[Fraction], list[Fraction], list[dict[int, Fraction]]]:
    """Solve for the belief and the v_z; return also the chance of each answer to each z."""
    size = len(answers)
    powers = [beta**k for k in range(size)]
    asked = [(z, o) for z, some in enumerate(answers) for o in sorted(some)]
    rows: list[dict[int, int | Fraction]] = [
        {size + z: -1, **{d: e * powers[abs(z - d)] for d, e in enumerate(loss[o]) if e}}
        for z, o in asked
    ]
    weights = _weights(size, beta)
    found = solve(
        [*[0] * size, *[-w for w in weights]],
        [*rows, dict.fromkeys(range(size), 1)],
        lower=[*[0] * len(rows), 1],
        upper=[*[None] * len(rows), 1],
        least=[*[0] * size, *[None] * size],
    )
    if not isinstance(found, Optimal):
        raise TwoWorldsError("a bounded program has an optimum: please report this")
    chances: list[dict[int, Fraction]] = [{} for _ in range(size)]
    for (z, o), y in zip(asked, found.y, strict=False):
        if y:
            chances[z][o] = abs(y) / weights[z]
    return list(found.x[:size]), list(found.x[size:]), chances


def _best_answers(
    loss: Matrix, belief: Sequence[Fraction], beta: Fraction
) -> tuple[list[int], list[Fraction]]:
    """Return o(z) and v_z."""
    spread = [_spread([b * e for b, e in zip(belief, row, strict=True)], beta) for row in loss]
    best = [min(range(len(loss)), key=lambda o: spread[o][z]) for z in range(len(belief))]
    return best, [spread[o][z] for z, o in enumerate(best)]


def _proof(
    ratio: Fraction,
    loss: Matrix,
    belief: Sequence[Fraction],
    least: Sequence[Fraction],
    inequalities: Sequence[Vector],
) -> tuple[list[Fraction], Matrix] | None:
    """Return prices and multipliers, or None if these prices prove nothing."""
    prices = _inverse(least, 1 / ratio)
    place = {(a.index(max(a)), a.index(min(a))): i for i, a in enumerate(inequalities)}
    multipliers = []
    for row in loss:
        reduced = [b * e - p for b, e, p in zip(belief, row, prices, strict=True)]
        found = _multipliers(reduced, ratio, place)
        if found is None:
            return None
        multipliers.append(found)
    return prices, multipliers


def _spread(values: Sequence[Fraction], beta: Fraction) -> list[Fraction]:
    """Return the sums over D of values_D beta^|z - D|, for every z."""
    found, carried = [], Fraction(0)
    for value in values:
        carried = value + beta * carried
        found.append(carried)
    carried = Fraction(0)
    for z in reversed(range(len(values))):
        found[z] += carried
        carried = beta * (values[z] + carried)
    return found


def _inverse(sums: Sequence[Fraction], beta: Fraction) -> list[Fraction]:
    """Return the values whose `_spread` is given."""
    last = len(sums) - 1
    found = []
    for z, own in enumerate(sums):
        sides = sum((sums[d] for d in (z - 1, z + 1) if 0 <= d <= last), start=Fraction(0))
        inner = 0 < z < last
        found.append((own * (1 + beta**2 * inner) - beta * sides) / (1 - beta**2))
    return found


def _multipliers(
    reduced: Sequence[Fraction], ratio: Fraction, place: dict[tuple[int, int], int]
) -> list[Fraction] | None:
    """Return weights whose sum of constraints is at most the reduced loss; None if there are none.

    The constraint (v, u) is p x_v - q x_u >= 0, where ratio = p / q.
    """
    found = [Fraction(0)] * len(place)
    carried = Fraction(0)
    for d, own in enumerate(reduced):
        here = own + carried
        if d == len(reduced) - 1:
            return found if here >= 0 else None
        if here >= 0:
            found[place[d, d + 1]] = here / ratio.numerator
            carried = here / ratio
        else:
            found[place[d + 1, d]] = -here / ratio.denominator
            carried = here * ratio
    return None


def _weights(size: int, beta: Fraction) -> list[Fraction]:
    return [(1 if z in (0, size - 1) else 1 - beta) / (1 + beta) for z in range(size)]


def _mechanism(chances: Sequence[dict[int, Fraction]], outputs: int, beta: Fraction) -> Matrix:
    """Return geometric noise with each z answered by o with the given chances."""
    size = len(chances)
    matrix = [[Fraction(0)] * size for _ in range(outputs)]
    powers = [beta**k for k in range(size)]
    for z, (some, weight) in enumerate(zip(chances, _weights(size, beta), strict=True)):
        for o, chance in some.items():
            for d, entry in enumerate(matrix[o]):
                matrix[o][d] = entry + weight * chance * powers[abs(z - d)]
    return matrix
