"""The largest swing of an output's likelihood, over all outputs and persons.

For an output t and a person i let r(x) = P(A(x) = t) / P(A(x_-i) = t), over the databases x where
not both are 0, and let the swing be R = max r / min r (`swing`). The largest statistical difference
of the posteriors of Game 0 and Game i, over all beliefs, is exactly
(sqrt R - 1) / (sqrt R + 1) = tanh(ln R / 4). Proof: the posterior of Game i may be any law q on the
x with P(A(x_-i) = t) > 0, and that of Game 0 is r q / E_q r; the difference is convex in r for a
fixed mean, so mass belongs on the extremes of r only, and one weight is left to optimise.

`worst_swing` finds the largest swing over outputs and persons: by structure where there is one
(one transition for each record; a statistic; bare answers), in floats with a proven bound
for a float matrix, and by enumeration, over whole numbers where all probabilities are rational,
for any other table. Of mechanisms that look at a statistic only, some outputs are enough (`swing`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import floor, lcm, prod
from typing import TYPE_CHECKING, Any

from twoworlds.definitions.semantics.games import default_value, people, without
from twoworlds.definitions.semantics.swing import (
    LARGEST,
    METHOD,
    Swing,
    SwingCase,
    largest,
    of_cases,
    refuse_large,
    removals,
    swing_of_statistic,
    swings_at,
)
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.laws.noise import GeometricNoise
from twoworlds.mechanisms import (
    Continuous,
    Dense,
    Laplace,
    Mechanism,
    OnStatistic,
    PerRecord,
    RandomIndex,
)
from twoworlds.mechanisms.base import FINITE_OUTPUTS
from twoworlds.mechanisms.several import Several
from twoworlds.mechanisms.strategy.interaction import Interaction
from twoworlds.mechanisms.strategy.strategy import Course
from twoworlds.numbers import INFINITY, Number, Real, sqrt
from twoworlds.worlds import (
    Integers,
    Part,
    Point,
    Reals,
    Records,
    Universe,
)

if TYPE_CHECKING:
    from twoworlds.mechanisms.float_matrix import FloatMatrix


def semantic_value(ratio: Number) -> Number:
    """Return (sqrt R - 1) / (sqrt R + 1) = tanh(ln R / 4).

    >>> semantic_value(Fraction(9))
    Fraction(1, 2)
    """
    if ratio == INFINITY:
        return Fraction(1)
    root = sqrt(ratio)
    return (root - 1) / (root + 1)


def bare(universe: Universe) -> bool:
    """Tell whether the databases are true answers, without persons to speak of."""
    while isinstance(universe, Part):
        universe = universe.whole
    return isinstance(universe, (Integers, Reals))


def worst_swing(mechanism: Mechanism, default: object = None) -> Swing:
    """Return the largest swing over all outputs and persons.

    >>> from twoworlds import mechanism
    >>> worst_swing(mechanism("geometric(ratio=3, bits=40)")).ratio
    Fraction(9, 1)
    """
    if not mechanism.exact and isinstance(mechanism.universe, Records):
        from twoworlds.mechanisms.float_matrix import FloatMatrix  # numpy: only when needed

        if isinstance(mechanism, FloatMatrix):
            return _in_floats(mechanism, default)
    if isinstance(mechanism, Continuous) or bare(mechanism.universe):
        return _on_answers(mechanism)
    d = default_value(people(mechanism.universe), default, mechanism)
    if isinstance(mechanism, PerRecord):
        return _per_record(mechanism, d)
    if isinstance(mechanism, RandomIndex):
        return _random_index(mechanism, d)
    if isinstance(mechanism, Interaction) and mechanism.outputs.size is None:
        return _interaction(mechanism, d)
    if isinstance(mechanism, OnStatistic):
        return swing_of_statistic(mechanism, d)
    if isinstance(mechanism, Several) and mechanism.outputs.size is None:
        return _composed(mechanism, d)
    return _enumerated(mechanism, d)


def _on_answers(mechanism: Mechanism) -> Swing:
    """Return the swing of a bare answer, which a person may move both ways.

    Neighbours are symmetric: if leaving a person out turns the answer u into v in one world, it
    turns v into u in another. At an output t, r = P(t | u) / P(t | v) is then largest where 1 / r
    is smallest, and R is the square of the largest likelihood ratio, the tight ratio of
    differential privacy; where that is only approached, so is R.
    """
    comparison, peak = mechanism.family(mechanism.universe.relation).peak()
    x, y = comparison.x, comparison.y
    # A density has no single outputs with mass: the true answer itself shows the ratio of Laplace.
    output = mechanism.example(peak.event, x) if peak.attained else None
    true = mechanism.undisturbed(x) if isinstance(mechanism, Several) else x
    output = true if output is None and peak.attained else output
    shown = true if output is None else output
    p, q = mechanism.probability(shown, x), mechanism.probability(shown, y)
    cases = SwingCase(x, y, p, q), SwingCase(y, x, q, p)
    return Swing(peak.ratio**2, output, None, *cases, attained=peak.attained)


def _enumerated(mechanism: Mechanism, default: Point) -> Swing:
    """Look at all outputs, persons and databases; rational rows are compared in whole numbers."""
    universe, outputs = mechanism.universe, mechanism.outputs.size
    if outputs is None:
        raise TooLarge(
            f"{mechanism.expression} has infinitely many outputs and no structure that is known: "
            f"use noise on an answer, or clamp the outputs, as in {FINITE_OUTPUTS}"
        )
    refuse_large(outputs * (universe.size or 0) * people(universe).n, mechanism.expression)
    left = [*removals(universe, default)]
    databases = list(dict.fromkeys([*universe, *(y for _, _, y in left)]))
    position = {x: k for k, x in enumerate(databases)}
    moves: dict[int, list[tuple[int, int]]] = {}
    for person, x, y in left:
        moves.setdefault(person, []).append((position[x], position[y]))

    def case(row: Sequence[Number], x: int, y: int) -> SwingCase:
        same = Fraction(1) if x == y else None
        return SwingCase(databases[x], databases[y], row[x], row[y], same)

    def swings() -> Iterator[Swing]:
        for k, t in enumerate(mechanism.outputs):
            if isinstance(mechanism, Dense):
                row: Sequence[Number] = mechanism.rows[k]
            else:
                row = [mechanism.probability(t, x) for x in databases]
            whole = _whole(row)
            for person, pairs in moves.items():
                kept = pairs if whole is None else _extremes(whole, pairs)
                yield of_cases(t, person, (case(row, x, y) for x, y in kept))

    return largest(swings())


def _whole(row: Sequence[Number]) -> list[int] | None:
    """Return a rational row in whole numbers: a common factor cancels in every r."""
    entries = [entry for entry in row if isinstance(entry, Fraction)]
    if len(entries) < len(row):
        return None
    scale = lcm(*(entry.denominator for entry in entries))
    return [int(entry * scale) for entry in entries]


def _extremes(row: list[int], moves: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the moves of the largest and the smallest r, by multiplication."""
    high = low = moves[0]
    p_high = q_high = p_low = q_low = 0
    for move in moves:
        p, q = row[move[0]], row[move[1]]
        if p == q == 0:
            continue
        if p_high == q_high == 0 or p * q_high > p_high * q:
            high, p_high, q_high = move, p, q
        if p_low == q_low == 0 or p * q_low < p_low * q:
            low, p_low, q_low = move, p, q
    return [high, low]


def _per_record(mechanism: PerRecord, default: Point) -> Swing:
    """One record decides: r(x) is the ratio of two entries of one row of the transition.

    The factors of the other records cancel, so that any number of records costs as much as one.
    """
    law, others = mechanism.transition, mechanism.records - 1
    rest = (default,) * others
    likeliest = max(law.outputs, key=lambda w: float(law.probability(w, default)))
    factor = law.probability(likeliest, default) ** others

    def case(o: Point, v: Point) -> SwingCase:
        p, q = law.probability(o, v), law.probability(o, default)
        quotient = INFINITY if q == 0 else p / q
        return SwingCase((v, *rest), (default, *rest), p * factor, q * factor, quotient)

    return largest(
        of_cases((o, *(likeliest,) * others), 1, [case(o, v) for v in law.universe])
        for o in law.outputs
    )


def _random_index(mechanism: RandomIndex, default: Point) -> Swing:
    """Some record other than the default is published: without its owner that cannot happen."""
    records = mechanism.universe
    other = next((v for v in records.values if v != default), default)
    base = (default,) * records.n
    t, law = (1, other), mechanism.probability
    shown = [(other, *base[1:]), base]
    return of_cases(t, 1, [SwingCase(x, base, law(t, x), law(t, base)) for x in shown])


def _in_floats(mechanism: FloatMatrix, default: object) -> Swing:
    """Search in floats; the swing comes back as an enclosure, the two cases as exact doubles."""
    from twoworlds.mechanisms import _swing_kernels  # numpy: only when needed

    records = people(mechanism.universe)
    d = default_value(records, default)
    values = records.values
    found = _swing_kernels.swing_worst(mechanism.matrix, records.n, len(values), values.index(d))
    columns = tuple(mechanism.universe)
    t, law = tuple(mechanism.outputs)[found.output], mechanism.probability
    pairs = [(columns[k], without(columns[k], found.person, d)) for k in (found.high, found.low)]
    cases = [SwingCase(x, y, law(t, x), law(t, y)) for x, y in pairs]
    method = f"{METHOD}, searched in floats with proven error bounds"
    swing = replace(of_cases(t, found.person + 1, cases), method=method)
    if found.lower is None or found.upper is None:
        return swing
    exact = found.lower == found.upper
    return replace(swing, ratio=found.lower if exact else Real.between(found.lower, found.upper))


def _ends(box: Any, answers: set[Any], *, whole: bool) -> list[Any]:
    """Return the answers in an interval, and its ends; of whole numbers those that lie in it."""
    ends = [end for end in (box.low, box.high) if end is not None]
    if whole:
        near = {floor(end) + step for end in ends for step in (-1, 0, 1)}
        return sorted(a for a in answers | near if box.holds(a))
    low, high = box.low, box.high
    inside = {a for a in answers if (low is None or low <= a) and (high is None or a <= high)}
    return sorted(inside | set(ends)) or [Fraction(0)]


def _corners(mechanism: Mechanism, databases: Iterable[Point]) -> list[Point]:
    """Return the outputs of one mechanism that are enough."""
    if mechanism.outputs.size is not None:
        return list(mechanism.outputs)
    channel: Any = mechanism.channel if isinstance(mechanism, OnStatistic) else None
    noise = getattr(channel, "noise", None)
    refuse_large(mechanism.universe.size or LARGEST + 1, mechanism.expression)
    if isinstance(mechanism, OnStatistic) and isinstance(noise, Laplace | GeometricNoise):
        return sorted({mechanism.statistic(x) for x in databases})
    raise Unsupported(
        f"{mechanism.expression} beside others: the largest difference over all beliefs is known "
        "for geometric and Laplace noise and for finitely many outputs: use one of these"
    )


def possible_output(mechanism: Several, databases: Collection[Point]) -> tuple[Point, ...] | None:
    """Return an output of several mechanisms that all these databases may give, if one is near."""
    found: list[Point] = []
    for one, times in mechanism.parts:
        listed: Iterable[Point] = one.outputs
        if one.outputs.size is None:
            listed = [one.statistic(x) for x in databases if isinstance(one, OnStatistic)]
        o = next((o for o in listed if all(one.probability(o, x) for x in databases)), None)
        if o is None:
            return None
        found += [o] * times
    return tuple(found)


def _far_out(mechanism: Several, alone: Swing) -> Swing | None:
    """Return the swing of several mechanisms of which one has an infinite swing, far out."""
    if alone.ratio != INFINITY or alone.output is not None:
        return None
    pairs = [(case.database, case.removed) for case in (alone.high, alone.low)]
    t, law = possible_output(mechanism, [x for pair in pairs for x in pair]), mechanism.probability
    if t is None:
        return None
    high, low = (SwingCase(x, y, law(t, x), law(t, y)) for x, y in pairs)
    return replace(alone, high=high, low=low)


def _composed(mechanism: Several, default: Point) -> Swing:
    """Look at the outputs that are enough in each of several mechanisms, in all combinations.

    r is a product of one factor for each output. Given all other outputs, ln max r - ln min r is
    convex between the corners of Laplace and geometric noise, which are the answers, and constant
    beyond them: it is largest at a corner. Where r of one noise grows without end, as under
    Gaussian noise, so does the product, the other outputs being fixed.
    """
    for one, _ in mechanism.parts:
        if one.outputs.size is None and (found := _far_out(mechanism, worst_swing(one, default))):
            return found
    moves, law = [*removals(mechanism.universe, default)], mechanism.probability
    databases = {x for _, *both in moves for x in both}
    parts = [_corners(one, databases) for one, times in mechanism.parts for _ in range(times)]
    refuse_large(prod(map(len, parts)) * len(moves), mechanism.expression)
    return largest(
        swing
        for t in product(*parts)
        for swing in swings_at(t, moves, {x: law(t, x) for x in databases})
    )


def _interaction(mechanism: Interaction, default: Point) -> Swing:
    """Look at the corners of every course of queries: answers, and ends of its box.

    On a course r is a product as of several mechanisms. An end that the box leaves out is
    approached by transcripts in it, since Laplace noise is continuous.
    """
    channel: Any = mechanism.channel
    noise = channel.noise
    if not isinstance(getattr(noise, "noise", None), Laplace | GeometricNoise):
        raise Unsupported(
            f"{mechanism.expression}: the largest difference over all beliefs is known for "
            "geometric and Laplace noise: use one of these"
        )
    moves = [*removals(mechanism.universe, default)]
    values = {x: mechanism.statistic(x) for _, *both in moves for x in both}

    def swings(course: Course) -> Iterator[Swing]:
        places = [
            _ends(box, {value[k] for value in values.values()}, whole=channel.discrete)  # type: ignore[index]
            for box, k in zip(course.box, course.picks, strict=True)
        ]
        refuse_large(prod(map(len, places)) * len(moves), mechanism.expression)
        for t in product(*places):
            law = {}
            for x, value in values.items():
                asked = zip(t, course.picks, strict=True)
                law[x] = prod((noise.probability(a, value[k]) for a, k in asked), start=Fraction(1))  # type: ignore[index]
            inside = all(box.holds(a) for box, a in zip(course.box, t, strict=True))
            output = t if course.coin is None else (course.coin, *t)
            for found in swings_at(output, moves, law):
                yield found if inside else replace(found, output=None, attained=False)

    return largest(swing for course in channel.courses for swing in swings(course))
