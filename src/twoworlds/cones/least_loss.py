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
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from twoworlds.cones.cone import Cone
from twoworlds.cones.counts import by_geometric_noise, in_the_worst_case, ratio_of_counts
from twoworlds.cones.kernel.vectors import Vector, dot
from twoworlds.cones.row_cone import RowCone
from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError
from twoworlds.programs import Infeasible, Optimal, solve

Matrix = list[list[Fraction]]
_MOST_ENTRIES = 200_000
_MOST_COUNTS = 256  # databases 0, 1, ..., that are answered by geometric noise
_MOST_SOLVED = 41  # of them, where geometric noise is not proved to be the best
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
    wanted = {*truths}
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
        large = len(wanted) * _entries(source) > _MOST_REFINED and (
            belief is None or ratio_of_counts(source.cone) is None
        )
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
