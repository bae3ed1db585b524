"""Swings: how far the likelihood of one output can change when a person's data is left out.

For an output t and a person i let r(x) = P(A(x) = t) / P(A(x_-i) = t), over the databases x where
not both are 0. The swing is

    R = max_x r(x) / min_x r(x),

and the largest statistical difference of the posteriors of Game 0 and Game i, over all beliefs, is
exactly (sqrt R - 1) / (sqrt R + 1) = tanh(ln R / 4). Proof: the posterior of Game i may be any law
q on the x with P(A(x_-i) = t) > 0, and that of Game 0 is r q / E_q r; the difference is convex in r
for a fixed mean, so mass belongs on the extremes of r only, and one weight is left to optimise.
If r takes the value 0 or infinity the supremum is 1; if t is impossible in Game i whatever the
database, its posterior is undefined and counts as 1.

`worst_swing` finds the largest swing over outputs and persons: by structure where there is one
(one transition for each record; noise on a statistic, in `swing_statistic`;
several outputs at once; bare answers), by compiled loops
with a proven bound for a float matrix, and by enumeration, over whole numbers where all
probabilities are rational, for any other table.

Swings of several outputs, computed independently on one database.

The likelihood ratios of the parts multiply: r(x) = r_1(x) r_2(x) ... at an output of each. The
largest r belongs to one database for all parts, so their moves (`twoworlds.definitions
.swing_statistic`) are taken jointly; persons are alike only where every part is a sum.

Which outputs are enough: all of a finite part; of geometric noise those from the smallest to the
largest value, since r is constant beyond them. If the likelihood ratio of a part has no bound,
take a change x -> x_-i of its statistic and outputs of the other parts that x can produce: either
x_-i cannot, or the ratio of x grows without bound while that of x_-i itself is 1. So R is infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import singledispatch
from itertools import groupby, product
from math import lcm, prod
from typing import TYPE_CHECKING, Any

from twoworlds.definitions.semantics.games import default_value
from twoworlds.definitions.semantics.swing_statistic import (
    METHOD,
    Swing,
    SwingCase,
    bare,
    largest,
    limit_far_out,
    of_cases,
    on_answers,
    on_statistic,
    people,
    refuse_large,
    removals,
    summed,
    telling_outputs,
)
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.mechanisms import (
    Continuous,
    Dense,
    Mechanism,
    OnStatistic,
    PerRecord,
    RandomIndex,
)
from twoworlds.mechanisms.base import FINITE_OUTPUTS
from twoworlds.mechanisms.several import Paired
from twoworlds.numbers import INFINITY, Number, Real
from twoworlds.worlds import Additive, Change, Point, Records, Universe

if TYPE_CHECKING:
    from twoworlds.mechanisms.float_matrix import FloatMatrix


def worst_swing(mechanism: Mechanism, default: object = None) -> Swing:
    """Return the largest swing over all outputs and persons.

    >>> from twoworlds import mechanism
    >>> worst_swing(mechanism("geometric(ratio=3, bits=40)")).ratio
    Fraction(9, 1)
    """
    universe = mechanism.universe
    if not mechanism.exact and isinstance(universe, Records):
        from twoworlds.mechanisms.float_matrix import FloatMatrix  # numpy: only when needed

        if isinstance(mechanism, FloatMatrix):
            return _in_floats(mechanism, default)
    return on_answers(mechanism) if bare(universe) else _swing(mechanism, default)


@singledispatch
def _swing(mechanism: Mechanism, default: object) -> Swing:
    """Enumerate outputs, persons and databases."""
    universe, outputs = mechanism.universe, mechanism.outputs.size
    d = default_value(people(universe), default)
    if outputs is None:
        raise TooLarge(
            f"{mechanism.expression} has infinitely many outputs and no structure that is known: "
            f"use noise on an answer, or clamp the outputs, as in {FINITE_OUTPUTS}"
        )
    refuse_large(outputs * (universe.size or 0) * people(universe).n, mechanism.expression)
    listed = list(removals(universe, d))

    def swings() -> Iterator[Swing]:
        for t in mechanism.outputs:
            row = {x: mechanism.probability(t, x) for x in universe}
            for person, moves in groupby(listed, key=lambda move: move[0]):
                yield of_cases(t, person, (_case(x, y, row) for _, x, y in moves))

    return largest(swings())


def _case(x: Point, y: Point, row: Mapping[Point, Number]) -> SwingCase:
    return SwingCase(x, y, row[x], row[y], Fraction(1) if x == y else None)


@_swing.register
def _(mechanism: Dense, default: object) -> Swing:
    """Compare whole numbers: a common factor of a row cancels in every r."""
    if any(isinstance(entry, Real) for row in mechanism.rows for entry in row):
        return _swing.dispatch(object)(mechanism, default)
    universe = mechanism.universe
    n = people(universe).n
    refuse_large(len(mechanism.rows) * len(mechanism.rows[0]) * n, mechanism.expression)
    d = default_value(people(universe), default)
    databases, position = tuple(universe), universe.positions
    moves: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for i, x, y in removals(universe, d):
        moves[i - 1].append((position[x], position[y]))

    def swing(t: Point, row: Sequence[Number], person: int, chosen: tuple[int, int]) -> Swing:
        cases = (
            SwingCase(databases[x], databases[y], row[x], row[y])
            for x, y in (moves[person][k] for k in chosen)
        )
        return of_cases(t, person + 1, cases)

    found = []
    for t, row in zip(mechanism.outputs, mechanism.rows, strict=True):
        entries = [Fraction(entry) for entry in row]  # type: ignore[arg-type]
        scale = lcm(*(entry.denominator for entry in entries))
        whole = [int(entry * scale) for entry in entries]
        found += [swing(t, row, i, _extremes(whole, moves[i])) for i in range(n)]
    return largest(found)


def _extremes(row: Sequence[int], moves: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the numbers of the moves of the largest and the smallest r, by multiplication."""
    high = low = 0
    p_high = q_high = p_low = q_low = 0
    for k, (x, y) in enumerate(moves):
        p, q = row[x], row[y]
        if p == q == 0:
            continue
        if p_high == q_high == 0 or p * q_high > p_high * q:
            high, p_high, q_high = k, p, q
        if p_low == q_low == 0 or p * q_low < p_low * q:
            low, p_low, q_low = k, p, q
    return high, low


@_swing.register
def _(mechanism: PerRecord, default: object) -> Swing:
    """One record decides: r(x) is the ratio of two entries of one row of the transition.

    The factors of the other records cancel, so that any number of records costs as much as one.
    """
    d = default_value(mechanism.universe, default)
    law, others = mechanism.transition, mechanism.records - 1
    rest = (d,) * others
    likeliest = max(law.outputs, key=lambda w: float(law.probability(w, d)))
    worst = largest(
        of_cases(
            (o, *(likeliest,) * others),
            1,
            [
                SwingCase((v, *rest), (d, *rest), law.probability(o, v), law.probability(o, d))
                for v in law.universe
            ],
        )
        for o in law.outputs
    )
    factor = law.probability(likeliest, d) ** others
    high, low = (
        case._replace(p=case.p * factor, q=case.q * factor, quotient=case.r)
        for case in (worst.high, worst.low)
    )
    return Swing(worst.ratio, worst.output, 1, high, low, worst.attained, worst.undefined)


@_swing.register
def _(mechanism: RandomIndex, default: object) -> Swing:
    """Some record other than the default is published: without its owner that cannot happen."""
    records = mechanism.universe
    d = default_value(records, default)
    other = next((v for v in records.values if v != d), d)
    base = (d,) * records.n
    x, t = (other, *base[1:]), (1, other)
    cases = [
        SwingCase(w, base, mechanism.probability(t, w), mechanism.probability(t, base))
        for w in (x, base)
    ]
    return of_cases(t, 1, cases)


@_swing.register
def _(mechanism: Continuous, _default: object) -> Swing:
    """Answers on the line, also with listed pairs of neighbours."""
    return on_answers(mechanism)


def _in_floats(mechanism: FloatMatrix, default: object) -> Swing:
    """Search in floats; the swing comes back as an enclosure, the two cases as exact doubles."""
    from twoworlds.mechanisms import _swing_kernels  # numba is slow to import: only when needed

    records = people(mechanism.universe)
    d = default_value(records, default)
    values = records.values
    found = _swing_kernels.swing_worst(mechanism.matrix, records.n, len(values), values.index(d))
    columns = tuple(mechanism.universe)
    t = tuple(mechanism.outputs)[found.output]

    def case(column: int) -> SwingCase:
        x = columns[column]
        y = (*x[: found.person], d, *x[found.person + 1 :])
        return SwingCase(x, y, mechanism.probability(t, x), mechanism.probability(t, y))

    swing = of_cases(t, found.person + 1, [case(found.high), case(found.low)])
    method = f"{METHOD}, searched in floats with proven error bounds"
    if found.lower is None or found.upper is None:
        return replace(swing, method=method)
    exact = found.lower == found.upper
    ratio = found.lower if exact else Real.between(found.lower, found.upper)
    return replace(swing, ratio=ratio, method=method)


# --- two databases --------------------------------------------------------------------------------


def on_pair(mechanism: Paired, default: object) -> Swing:
    """Return the largest swing of several outputs, computed independently on one database."""
    if bare(mechanism.universe):
        return on_answers(mechanism)
    parts = list(_flat(mechanism))
    d = default_value(people(mechanism.universe), default)
    found = [
        _of_joint_moves(mechanism, parts, person, moves)
        for person, moves in _joint(mechanism.universe, parts, d).items()
    ]
    return largest(found)


def _flat(mechanism: Mechanism) -> Iterator[Mechanism]:
    if isinstance(mechanism, Paired):
        yield from _flat(mechanism.first)
        yield from _flat(mechanism.second)
    else:
        yield mechanism


def _nested(mechanism: Mechanism, outputs: Iterator[Point]) -> Point:
    """Put outputs of all parts together, as the pair itself writes them."""
    if isinstance(mechanism, Paired):
        return _nested(mechanism.first, outputs), _nested(mechanism.second, outputs)
    return next(outputs)


def _joint(
    universe: Universe, parts: Sequence[Mechanism], default: Point
) -> dict[int, list[list[Change]]]:
    """Return, for each person, the distinct moves of all parts at once (one list for each move).

    A part that looks at no statistic moves from database to database.
    """
    statistics = [part.statistic for part in parts if isinstance(part, OnStatistic)]
    if len(statistics) == len(parts) and all(summed(universe, s) for s in statistics):
        sums: Any = statistics
        together = Additive(lambda v: tuple(s.phi(v) for s in sums), dimension=len(sums))
        moves = together.replacements(people(universe), default)
        found: Iterable[tuple[int, Point, Point]] = ((1, move.x, move.y) for move in moves)
    else:
        found = removals(universe, default)
    kept: dict[int, dict[object, list[Change]]] = {}
    for person, x, y in found:
        changes = [_change(part, x, y) for part in parts]
        key = tuple((change.before, change.after) for change in changes)
        kept.setdefault(person, {}).setdefault(key, changes)
    return {person: list(moves.values()) for person, moves in kept.items()}


def _change(part: Mechanism, x: Point, y: Point) -> Change:
    if isinstance(part, OnStatistic):
        return Change(part.statistic(x), part.statistic(y), x, y)
    return Change(x, y, x, y)


def _of_joint_moves(
    mechanism: Paired, parts: Sequence[Mechanism], person: int, moves: list[list[Change]]
) -> Swing:
    columns = [[move[k] for move in moves] for k in range(len(parts))]
    tables = []
    for part, column in zip(parts, columns, strict=True):
        changed = [change for change in column if change.before != change.after]
        if changed and isinstance(part, OnStatistic) and _endless(part, changed):
            # The likelihood ratio of a change is unbounded, that of x_-i is 1.
            case = SwingCase(changed[0].x, changed[0].y, Fraction(1), Fraction(1))
            return Swing(INFINITY, None, person, case, case, attained=False)
        outputs = telling_outputs(part, column)
        refuse_large(len(outputs) * len(column), part.expression)
        tables.append([(t, [_chances(part, t, change) for change in column]) for t in outputs])
    size = prod(len(table) for table in tables) * len(moves)
    refuse_large(size, mechanism.expression)

    def swing(chosen: Sequence[tuple[Point, list[tuple[Number, Number]]]]) -> Swing:
        t = _nested(mechanism, iter([o for o, _ in chosen]))
        cases = (
            SwingCase(
                moves[m][0].x,
                moves[m][0].y,
                prod((chances[m][0] for _, chances in chosen), start=Fraction(1)),
                prod((chances[m][1] for _, chances in chosen), start=Fraction(1)),
            )
            for m in range(len(moves))
        )
        return of_cases(t, person, cases)

    return largest(swing(chosen) for chosen in product(*tables))


def _endless(part: OnStatistic, moves: list[Change]) -> bool:
    """Tell whether the likelihood ratio has no bound; refuse one that never becomes constant."""
    limit = limit_far_out(part.channel, moves)
    if limit is None or limit == INFINITY:
        return limit == INFINITY
    noise = part.channel.noise  # type: ignore[attr-defined]
    if noise.last_step(1) != 1:
        raise Unsupported(
            f"the likelihood ratio of {part.expression} never becomes constant, so it cannot be "
            "paired exactly with another mechanism: use geometric noise, or measure it alone"
        )
    return False


def _chances(part: Mechanism, t: Point, change: Change) -> tuple[Number, Number]:
    chance: Callable[[Point, Any], Number] = (
        part.channel.probability if isinstance(part, OnStatistic) else part.probability
    )
    return chance(t, change.before), chance(t, change.after)


_swing.register(OnStatistic, on_statistic)
_swing.register(Paired, on_pair)
