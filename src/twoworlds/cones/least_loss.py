"""The least loss that a row cone allows: the linear programs, and squared loss between two of them.

Given a loss l(D, o) of output o at database D, the best mechanism m with its rows in a cone solves

    minimise  sum_D b_D sum_o l(D, o) m[o, D]        (expected loss under a belief b), or
    minimise  max_D     sum_o l(D, o) m[o, D]        (worst-case loss)
    subject to  m >= 0,  sum_o m[o, D] = 1,  a . m[o] >= 0 for every inequality a of the cone.

Prices p_D and multipliers w_oa >= 0 (free for equalities) with

    b_D l(D, o) - p_D - sum_a w_oa a_D >= 0   for all o and D

prove that no mechanism does better: multiplied by m[o, D] and summed, they give sum_D p_D as a
lower bound. In the worst case b is the least favourable belief, which the program itself finds.

**Squared loss.** A mechanism may answer any real number: there is no finite list of outputs.
Let t_D be the truth, and let u_0 < ... < u_k enclose all of them. The tangents of a^2 at the u_i
meet in corners, and the corner of u and v has the "loss" (t - u)(t - v). Every answer a costs at
least a mixture of corners, with weights that do not depend on t: for a nearest to u_i, between the
corners (u_i, v) and (w, u_i),

    (t - a)^2 = (t - u_i)(t - (2a - u_i)) + (a - u_i)^2 >= (t - u_i)(t - (2a - u_i)),

where 2a - u_i is a mixture of w and v; and beyond the ends (t - a)^2 >= (t - u_0)^2, the corner
(u_0, u_0). So the program with one output per corner bounds the loss of all mechanisms from below,
and the one with any answers at all bounds the least loss from above.

Under a belief, the best answer to a row is its posterior mean, and the loss of a row is a concave
function of it. A tangent at the posterior mean of a row makes the lower program exact there; when
the means of all rows that it uses are tangents already, both programs meet. In the worst case the
optimum may be irrational, and it depends on the least favourable belief: the two ends are brought
together until they differ by less than one part in 100,000. Where the programs grow too large
before, the ends stay apart, and both are reported.

**A count under differential privacy** is answered by geometric noise. The databases are 0, ..., n
and neighbours differ by 1; let beta = 1 / ratio. Geometric noise, cut
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

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.vectors import Vector, dot
from twoworlds.cones.row_cone import RowCone
from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError
from twoworlds.programs import Infeasible, Optimal, solve

Matrix = list[list[Fraction]]
_MOST_ENTRIES = 200_000
_MOST_COUNTS = 256  # databases 0, 1, ..., that are answered by geometric noise
_MOST_SOLVED = 41  # of them, where geometric noise is not proved to be the best
_MOST_WORST = 65  # of them, where the worst case of a squared loss counts
_FEW_COUNTS = 9  # where the program of the worst case is small, and its optimum simple
_MOST_REFINED = 9_000  # entries, while the two ends of a squared loss are brought together
_MOST_ROUNDS = 40
_CLOSE = Fraction(1, 10**5)  # of the loss: when both ends of a worst case are near enough
_LARGEST_DENOMINATOR = 500  # of an answer in the worst case, where no answer is exactly right


class LeastLoss(NamedTuple):
    """An optimum of the program: the mechanism, and the prices that prove it."""

    matrix: Matrix
    belief: list[Fraction]
    prices: list[Fraction]
    multipliers: Matrix
    value: Fraction


def sides(cone: Cone) -> tuple[list[Vector], list[Vector]]:
    """Return inequalities and equalities as given, or as computed from rays; m >= 0 goes unsaid."""
    inequalities, equalities = cone.constraints or (cone.facets, cone.equalities)
    return [a for a in inequalities if min(a) < 0], list(equalities)


def least_loss(source: RowCone, loss: Matrix, belief: list[Fraction] | None) -> LeastLoss:
    """Solve for m, and in the worst case for a last variable that bounds every loss."""
    inequalities, equalities = sides(source.cone)
    if (found := _of_count(source.cone, loss, belief, inequalities)) is not None:
        return found
    both = [*inequalities, *equalities]
    height, width, each = len(loss), source.cone.dimension, len(both)
    if (size := height * _entries(source)) > _MOST_ENTRIES:
        fits = _MOST_ENTRIES // _entries(source)
        raise TooLarge(
            f"the program of {height} outputs has {size} entries, more than {_MOST_ENTRIES}: use "
            + (f"at most {fits} outputs, or fewer databases" if fits else "fewer databases")
        )
    rows: list[dict[int, int | Fraction]] = [
        {o * width + d: a for d, a in enumerate(side) if a} for o in range(height) for side in both
    ]
    lower: list[int | None] = [0] * len(rows)
    upper: list[int | None] = ([None] * len(inequalities) + [0] * len(equalities)) * height
    rows += [{o * width + d: 1 for o in range(height)} for d in range(width)]
    lower, upper = lower + [1] * width, upper + [1] * width
    flat = [(o * width + d, d, entry) for o, row in enumerate(loss) for d, entry in enumerate(row)]
    objective: list[int | Fraction] = [0 if belief is None else belief[d] * e for _, d, e in flat]
    least: list[int | None] = [0] * len(flat)
    if belief is None:
        bound = len(flat)
        rows += [{bound: 1, **{j: -e for j, at, e in flat if at == d and e}} for d in range(width)]
        lower, upper = lower + [0] * width, upper + [None] * width
        objective.append(1)
        least.append(None)
    best = solve(objective, rows, lower=lower, upper=upper, least=least)
    if isinstance(best, Infeasible):
        raise InvalidInput(f"{source!r}: no mechanism has all its rows in this cone")
    if not isinstance(best, Optimal):
        raise TwoWorldsError("a bounded program cannot be unbounded: please report this")
    return LeastLoss(
        [list(best.x[o * width : (o + 1) * width]) for o in range(height)],
        list(best.y[height * each + width :]) if belief is None else belief,
        list(best.y[height * each : height * each + width]),
        [list(best.y[o * each : (o + 1) * each]) for o in range(height)],
        best.value,
    )


def _of_count(
    cone: Cone, loss: Matrix, belief: list[Fraction] | None, inequalities: Sequence[Vector]
) -> LeastLoss | None:
    """Answer by geometric noise where the databases are counts and it is the best."""
    ratio = ratio_of_counts(cone)
    if ratio is None:
        return None
    if cone.dimension > _MOST_COUNTS:
        raise TooLarge(
            f"a count of up to {cone.dimension - 1} is asked for, and mechanisms are designed for "
            f"counts of up to {_MOST_COUNTS - 1}: use integers(0, {_MOST_COUNTS - 1}) or less"
        )
    if belief is not None:
        noise = by_geometric_noise(ratio, loss, belief, inequalities)
        found = None if noise is None else (noise[0], belief, *noise[1:])
    elif cone.dimension < _FEW_COUNTS:
        return None
    else:
        found = in_the_worst_case(ratio, loss, inequalities)
    if found is None and cone.dimension > _MOST_SOLVED:
        raise TooLarge(
            "geometric noise is not proved to be the best for this loss, and other programs are "
            f"solved up to integers(0, {_MOST_SOLVED - 1}): use a smaller count"
        )
    return None if found is None else LeastLoss(*found, sum(found[2], start=Fraction(0)))


def _entries(source: RowCone) -> int:
    """Return how many entries of the program each output adds."""
    return sum(sum(map(bool, side)) + 1 for part in sides(source.cone) for side in part)


def corners(tangents: Sequence[Fraction]) -> list[tuple[Fraction, Fraction]]:
    """Return where neighbouring tangents of a^2 meet, and both ends.

    >>> corners([0, 1, 2])
    [(0, 0), (0, 1), (1, 2), (2, 2)]
    """
    return [(tangents[0], tangents[0]), *pairwise(tangents), (tangents[-1], tangents[-1])]


def least_squared_loss(
    source: RowCone, truths: Sequence[Fraction], belief: list[Fraction] | None
) -> tuple[list[Fraction], LeastLoss, list[Fraction], LeastLoss]:
    """Return answers with the best mechanism that gives them, and tangents with the lower bound."""
    ratio, size = ratio_of_counts(source.cone), source.cone.dimension
    wanted = {*truths}
    if ratio is not None and belief is not None:
        noise = [[ratio ** -abs(z - d) for d in range(size)] for z in range(size)]
        wanted = {min(truths), max(truths), *_means(noise, belief, truths)}
    elif ratio is not None and size > _MOST_WORST:
        raise TooLarge(
            f"the worst case of a squared loss is found for counts of up to {_MOST_WORST - 1}: "
            f"use integers(0, {_MOST_WORST - 1}) or less, or name a belief, as in --belief uniform"
        )
    for _ in range(_MOST_ROUNDS):
        tangents = sorted(wanted)
        pairs = corners(tangents)
        below = least_loss(source, [[(t - u) * (t - v) for t in truths] for u, v in pairs], belief)
        means = _means(below.matrix, below.belief, truths)
        answers = sorted(means if belief is not None else {*tangents, *means})
        above = least_loss(source, [[(t - a) ** 2 for t in truths] for a in answers], belief)
        near = 0 if belief is not None else _CLOSE * above.value
        wanted = {*tangents, *means}
        if belief is None:
            touched = {u for p, row in zip(pairs, below.matrix, strict=True) if any(row) for u in p}
            ends = {tangents[0], tangents[-1]}
            wanted = ends | touched | {*_used(answers, above)[0]} | _guesses(below, above, truths)
        large = len(wanted) * _entries(source) > _MOST_REFINED and (belief is None or ratio is None)
        if above.value - below.value <= near or large or wanted <= {*tangents}:
            break
    return *_used(answers, above), tangents, below


def _used(answers: list[Fraction], found: LeastLoss) -> tuple[list[Fraction], LeastLoss]:
    """Leave out the answers that are never given."""
    used = [o for o, row in enumerate(found.matrix) if any(row)]
    return [answers[o] for o in used], found._replace(matrix=[found.matrix[o] for o in used])


def _guesses(below: LeastLoss, above: LeastLoss, truths: Sequence[Fraction]) -> set[Fraction]:
    """Return posterior means under both least favourable beliefs and between them.

    The belief between them is rounded coarsely, which finds a simple one at once, and finely.
    """
    middle = [(p + q) / 2 for p, q in zip(below.belief, above.belief, strict=True)]
    beliefs = [below.belief, above.belief]
    beliefs += [[p.limit_denominator(grid) for p in middle] for grid in (12, 10**6)]
    found = [_means(one.matrix, b, truths) for one in (below, above) for b in beliefs]
    return {mean.limit_denominator(_LARGEST_DENOMINATOR) for mean in set().union(*found)}


def _means(
    rows: Iterable[Sequence[Fraction]], belief: Sequence[Fraction], truths: Sequence[Fraction]
) -> set[Fraction]:
    """Return the posterior means of the rows that the belief expects."""
    masses = ([b * m for b, m in zip(belief, row, strict=True)] for row in rows)
    return {Fraction(dot(mass, truths), sum(mass)) for mass in masses if any(mass)}


_MOST_ANSWERED = 8


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
    for _ in range(_MOST_ANSWERED):
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
