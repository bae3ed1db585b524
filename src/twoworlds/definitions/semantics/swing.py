"""Swings: how far the likelihood of one output can change when a person's data is left out.

For an output t and a person i let r(x) = P(A(x) = t) / P(A(x_-i) = t), over the databases x where
not both are 0. The swing is

    R = max_x r(x) / min_x r(x),

and the largest statistical difference of the posteriors of Game 0 and Game i, over all beliefs, is
exactly (sqrt R - 1) / (sqrt R + 1) = tanh(ln R / 4). Proof: the posterior of Game i may be any law
q on the x with P(A(x_-i) = t) > 0, and that of Game 0 is r q / E_q r; the difference is convex in r
for a fixed mean, so mass belongs on the extremes of r only, and one weight is left to optimise.

* p = q = 0 says nothing and is left out; if every case is such, t never occurs and R = 1;
* r = 0 or infinity makes R infinite, attained by some belief only when both occur;
* q = 0 in every case, p > 0 in one: Game i has no posterior at all. It counts as infinite.

`worst_swing` finds the largest swing over outputs and persons: by structure where there is one
(one transition for each record; a statistic; bare answers), by compiled loops with a proven bound
for a float matrix, and by enumeration, over whole numbers where all probabilities are rational,
for any other table. Of mechanisms that look at a statistic f only, some outputs are enough:

A *move* is the statistic with and without a person, f(x) and f(x_-i); at an output t it has
r = P(t | f(x)) / P(t | f(x_-i)). A move is *up* if f(x) > f(x_-i). Moves that leave f alone have
r = 1 and always exist (x = x_-i).

* **No noise.** A move that changes f makes t = f(x) impossible without the person: R is infinite.
* **Log-concave integer noise Z.** For given records of person i, r is monotone in the sum of all
  the others, so that their smallest and largest sums are enough. If Z is also symmetric, its
  probabilities fall away from 0; at an output t above all values an up move then has r >= 1, a down
  move r <= 1, and both move away from 1 as t grows. So R(t) never falls there, and its supremum is
  the limit, (largest likelihood ratio of the furthest up move) x (the same, down). Below all values
  likewise. Outputs between the values are looked at one by one.
  If that limit is infinite, so is R.
* **Finite noise on a sum.** Let a person change f. Either the default has not the largest f, and
  the highest output of all is impossible without the person, or it has not the smallest, and the
  lowest output is: R is infinite. Any other statistic: all outputs within reach are looked at.
* **Laplace noise.** ln r is piecewise linear in t with corners at the values, and constant beyond
  them; so is the difference of two such, and its maximum lies at a value. Normal noise: ln r is
  linear in t without bound.
* **A channel of finitely many outputs.** All outputs and all values within reach are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import floor, lcm, prod
from typing import TYPE_CHECKING, Any, NamedTuple

from twoworlds.definitions.semantics.games import default_value, people, without
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.laws.noise import GeometricNoise
from twoworlds.mechanisms import (
    AddedDensity,
    AddedNoise,
    Continuous,
    Dense,
    Deterministic,
    Gaussian,
    Laplace,
    Mechanism,
    OnStatistic,
    PerRecord,
    RandomIndex,
)
from twoworlds.mechanisms.base import FINITE_OUTPUTS
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.mechanisms.several import Several
from twoworlds.mechanisms.strategy.interaction import Interaction
from twoworlds.mechanisms.strategy.strategy import Course
from twoworlds.numbers import INFINITY, Number, Real, exp, sqrt
from twoworlds.worlds import (
    Additive,
    Change,
    Integers,
    Part,
    Point,
    Reals,
    Records,
    Statistic,
    Universe,
)
from twoworlds.worlds.statistic import NO_RECORD
from twoworlds.worlds.statistics import Constant

if TYPE_CHECKING:
    from twoworlds.mechanisms.float_matrix import FloatMatrix

LARGEST = 1 << 22
Moves = list[Change]
METHOD = "the largest swing of an output's likelihood decides over all beliefs at once"


class SwingCase(NamedTuple):
    """One database and the same without the person, with the probabilities of the output.

    ``quotient`` is p / q where a closed form is known.
    """

    database: Point
    removed: Point
    p: Number
    q: Number
    quotient: Number | None = None

    @property
    def r(self) -> Number:
        """P(A(x) = t) / P(A(x_-i) = t)."""
        if self.quotient is not None:
            return self.quotient
        return INFINITY if self.q == 0 else self.p / self.q


@dataclass(frozen=True)
class Swing:
    """The largest swing of an output's likelihood, and the two cases that show it.

    Attributes:
        ratio: R, possibly infinite.
        output: the output t, or None where only a limit over outputs reaches the ratio.
        person: counted from 1, or None where the universe has no persons.
        high: the case of the largest r.
        low: the case of the smallest r.
        attained: whether some output attains the ratio.
        undefined: whether the output is impossible in Game i, whatever the database.
        method: why nothing larger was missed.
    """

    ratio: Number
    output: Point | None
    person: int | None
    high: SwingCase
    low: SwingCase
    attained: bool = True
    undefined: bool = False
    method: str = METHOD


def semantic_value(ratio: Number) -> Number:
    """Return (sqrt R - 1) / (sqrt R + 1) = tanh(ln R / 4).

    >>> semantic_value(Fraction(9))
    Fraction(1, 2)
    """
    if ratio == INFINITY:
        return Fraction(1)
    root = sqrt(ratio)
    return (root - 1) / (root + 1)


def of_cases(output: Point, person: int, cases: Iterable[SwingCase]) -> Swing:
    """Return the swing of one output and person."""
    high: SwingCase | None = None
    low: SwingCase | None = None
    defined = False
    for case in cases:
        if case.p == 0 and case.q == 0:
            continue
        defined = defined or case.q != 0
        if high is None or larger(case.r, high.r):
            high = case
        if low is None or larger(low.r, case.r):
            low = case
    if high is None or low is None:
        nothing = SwingCase((), (), Fraction(0), Fraction(0))
        return Swing(Fraction(1), output, person, nothing, nothing)
    if high.q == 0 or low.p == 0:
        both = high.q == 0 and low.p == 0
        attained = both or not defined
        return Swing(INFINITY, output, person, high, low, attained, undefined=not defined)
    return Swing(high.r / low.r, output, person, high, low)


def largest(swings: Iterable[Swing]) -> Swing:
    """Return the first of the largest swings, one that is attained if there is any."""
    best: Swing | None = None
    for swing in swings:
        if (
            best is None
            or larger(swing.ratio, best.ratio)
            or (swing.attained and not best.attained and swing.ratio == best.ratio)
        ):
            best = swing
    assert best is not None
    return best


def removals(universe: Universe, default: Point) -> Iterator[tuple[int, Point, Point]]:
    """Yield every person (counted from 1) and database x with x_-i, in the universe's order."""
    records = people(universe)
    refuse_large(records.n * (universe.size or 0), f"leaving out each person of {universe!r}")
    for person in range(records.n):
        for x in universe:
            removed = without(x, person, default)
            if removed not in universe:
                raise Unsupported(
                    f"leaving person {person + 1} out of {universe.label(x)} gives "
                    f"{records.label(removed)}, which the restriction leaves out: keep it, or "
                    "measure the whole mechanism"
                )
            yield person + 1, x, removed


def refuse_large(size: int, what: str) -> None:
    """Raise when there are too many things to enumerate."""
    if size > LARGEST:
        raise TooLarge(
            f"{what} would take {size} cases, more than {LARGEST}: use fewer records, "
            "or a mechanism with structure (randomized-response, pram, geometric, ...)"
        )


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
        return _on_statistic(mechanism, d) if d is not NO_RECORD else _no_record(mechanism)
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
    databases, position = tuple(universe), universe.positions
    moves: dict[int, list[tuple[int, int]]] = {}
    for person, x, y in removals(universe, default):
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
    from twoworlds.mechanisms import _swing_kernels  # numba is slow to import: only when needed

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


# --- statistics -----------------------------------------------------------------------------------


def _on_statistic(mechanism: OnStatistic, default: Point) -> Swing:
    """Return the largest swing, by the kind of the channel."""
    universe, statistic, channel = mechanism.universe, mechanism.statistic, mechanism.channel
    added = isinstance(statistic, Additive) and isinstance(universe, Records)
    if isinstance(channel, Deterministic) and added:
        return _told(mechanism, default)
    plain = (
        isinstance(statistic, Additive)
        and added
        and statistic.modulo is statistic.dimension is None
    )
    smooth = isinstance(channel, (AddedNoise, AddedDensity, FiniteNoise))
    found: Iterable[tuple[int, Change]]
    if isinstance(statistic, Constant) and isinstance(universe, Records):
        x = (default,) * people(universe).n
        found = [(1, Change(statistic.value, statistic.value, x, x))]
    elif smooth and plain:
        found = ((1, move) for move in _at_extremes(people(universe), statistic, default))
    elif isinstance(statistic, Additive) and added:  # in a sum all persons are alike
        found = ((1, move) for move in statistic.replacements(people(universe), default))
    else:
        found = _any_moves(universe, statistic, default)
    persons: dict[int, dict[object, Change]] = {}
    for person, move in found:
        persons.setdefault(person, {}).setdefault((move.before, move.after), move)
    return largest(
        _of_moves(mechanism, person, list(moves.values()), ends_only=plain)
        for person, moves in persons.items()
    )


def _composed(mechanism: Several, default: Point) -> Swing:
    """Look at the outputs that are enough in each of several mechanisms, in all combinations.

    r is a product of one factor for each output. Given all other outputs, ln max r - ln min r is
    convex between the corners of Laplace and geometric noise, which are the answers, and constant
    beyond them: it is largest at a corner.
    """
    parts = [_corners(one) for one, times in mechanism.parts for _ in range(times)]
    moves = [*removals(mechanism.universe, default)]
    refuse_large(prod(map(len, parts)) * len(moves), mechanism.expression)
    databases = tuple(mechanism.universe)

    def swings() -> Iterator[Swing]:
        for t in product(*parts):
            law = {x: mechanism.probability(t, x) for x in databases}
            for person in range(1, people(mechanism.universe).n + 1):
                own = (SwingCase(x, y, law[x], law[y]) for i, x, y in moves if i == person)
                yield of_cases(t, person, own)

    return largest(swings())


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
    moves, values = [*removals(mechanism.universe, default)], {}
    for x in mechanism.universe:
        values[x] = mechanism.statistic(x)

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
            for person in range(1, people(mechanism.universe).n + 1):
                own = (SwingCase(x, y, law[x], law[y]) for i, x, y in moves if i == person)
                found = of_cases(output, person, own)
                yield found if inside else replace(found, output=None, attained=False)

    return largest(swing for course in channel.courses for swing in swings(course))


def _ends(box: Any, answers: set[Any], *, whole: bool) -> list[Any]:
    """Return the answers in an interval, and its ends; of whole numbers those that lie in it."""
    ends = [end for end in (box.low, box.high) if end is not None]
    if whole:
        near = {floor(end) + step for end in ends for step in (-1, 0, 1)}
        return sorted(a for a in answers | near if box.holds(a))
    low, high = box.low, box.high
    inside = {a for a in answers if (low is None or low <= a) and (high is None or a <= high)}
    return sorted(inside | set(ends)) or [Fraction(0)]


def _corners(mechanism: Mechanism) -> list[Point]:
    """Return the outputs of one mechanism that are enough."""
    if mechanism.outputs.size is not None:
        return list(mechanism.outputs)
    channel: Any = mechanism.channel if isinstance(mechanism, OnStatistic) else None
    noise = getattr(channel, "noise", None)
    refuse_large(mechanism.universe.size or LARGEST + 1, mechanism.expression)
    if isinstance(mechanism, OnStatistic) and isinstance(noise, Laplace | GeometricNoise):
        return sorted({mechanism.statistic(x) for x in mechanism.universe})
    raise Unsupported(
        f"{mechanism.expression} beside others: the largest difference over all beliefs is known "
        "for geometric and Laplace noise and for finitely many outputs: use one of these"
    )


def _no_record(mechanism: OnStatistic) -> Swing:
    """Look at all answers with a person and with no record in their place, which are never alike.

    ln r is piecewise linear for Laplace and geometric noise, with corners at the answers, and
    constant beyond them; finite noise and finite channels have finitely many outputs.
    """
    channel, statistic = mechanism.channel, mechanism.statistic
    assert isinstance(statistic, Additive)
    moves = [*statistic.replacements(people(mechanism.universe), NO_RECORD)]
    answers: list[Any] = sorted({a for move in moves for a in (move.before, move.after)})
    noise = getattr(channel, "noise", None)
    outputs: Iterable[Point] = answers
    if isinstance(channel, FiniteNoise):
        first = answers[0] + channel.start
        outputs = range(first, first + answers[-1] - answers[0] + len(channel.masses))
    elif channel.outputs.size is not None:
        outputs = channel.outputs
    elif not isinstance(noise, Laplace | GeometricNoise):
        raise Unsupported(
            f"{mechanism.expression} with default=none: the largest difference over all beliefs is "
            "known for geometric and Laplace noise and for finitely many outputs: use one of these"
        )
    refuse_large(len(answers) * len(moves), mechanism.expression)
    prob = channel.probability

    def cases(t: Point) -> Iterator[SwingCase]:
        pairs = {(move.before, move.after): move for move in moves}
        return (SwingCase(m.x, m.y, prob(t, a), prob(t, b)) for (a, b), m in pairs.items())

    return largest(of_cases(t, 1, cases(t)) for t in outputs)


def _at_extremes(records: Records, statistic: Statistic, default: Point) -> Iterator[Change]:
    """Yield the moves of one person where all others have the smallest, or the largest, value."""
    in_order = sorted(records.values, key=lambda value: statistic((value,)))
    for value, other in product(records.values, (in_order[0], in_order[-1])):
        rest = (other,) * (records.n - 1)
        x, y = (value, *rest), (default, *rest)
        yield Change(statistic(x), statistic(y), x, y)


def _any_moves(
    universe: Universe, statistic: Statistic, default: Point
) -> Iterator[tuple[int, Change]]:
    refuse_large(universe.size or 0, f"listing {universe.expression}")
    values = {x: statistic(x) for x in universe}
    for person, x, y in removals(universe, default):
        yield person, Change(values[x], values[y], x, y)


def _told(mechanism: OnStatistic, default: Point) -> Swing:
    """Publish a sum as it is, of numbers or of tuples, with a modulus or not.

    If a value v changes f in the place of the default d, then t = f(v, d, ..., d) has p = 1, q = 0;
    and with two persons f(v, v, d, ..., d) differs from t = f(d, v, d, ..., d) by as much: p = 0,
    q = 1.
    """
    records, statistic = people(mechanism.universe), mechanism.statistic
    base = (default,) * records.n
    told = [(v, *base[1:]) for v in records.values]
    x = next((x for x in told if statistic(x) != statistic(base)), base)
    pairs = [(x, base), (base, base)]
    if records.n > 1:  # another person's record may say the same in this person's place
        pairs.append(((x[0], x[0], *base[2:]), (default, x[0], *base[2:])))
    t, law = statistic(x), mechanism.probability
    return of_cases(t, 1, (SwingCase(w, y, law(t, w), law(t, y)) for w, y in pairs))


def _of_moves(mechanism: OnStatistic, person: int, moves: Moves, *, ends_only: bool) -> Swing:
    """Return the largest swing of one person over all outputs."""
    channel = mechanism.channel
    if all(move.before == move.after for move in moves):
        value: Any = moves[0].before
        t = value if value in mechanism.outputs else next(iter(mechanism.outputs))
        return of_cases(t, person, (_at(channel, t, move) for move in moves))
    limit = _limit_far_out(channel, moves)
    if limit == INFINITY:
        widest = max(moves, key=lambda move: abs(move.before - move.after))  # type: ignore[operator]
        t = max(widest.before, widest.after)
        cases = [_at(channel, t, move) for move in (widest, moves[0])]
        return Swing(INFINITY, None, person, cases[0], cases[1], attained=False)
    outputs = _telling_outputs(mechanism, moves, ends_only=ends_only)
    refuse_large(len(outputs) * len(moves), mechanism.expression)
    inside = largest(
        of_cases(t, person, (_at(channel, t, move) for move in moves)) for t in outputs
    )
    if limit is not None and larger(limit, inside.ratio):
        return Swing(limit, None, person, inside.high, inside.low, attained=False)
    return inside


def _at(channel: Any, t: Any, move: Change) -> SwingCase:
    """Return the case of a move at an output, with r in closed form for noise that has one."""
    before: Any = move.before
    after: Any = move.after
    quotient: Number | None = None
    if before == after:
        quotient = Fraction(1)
    elif isinstance(channel, AddedNoise) and channel.by_difference:
        quotient = channel.noise.likelihood(t - after, before - after)
    elif isinstance(channel, AddedDensity) and isinstance(channel.noise, Laplace):
        quotient = exp(channel.noise.loss(t, before, after))
    p, q = channel.probability(t, before), channel.probability(t, after)
    return SwingCase(move.x, move.y, p, q, quotient)


def _limit_far_out(channel: Any, moves: Moves) -> Number | None:
    """Return the limit of R(t) at the open ends of the outputs, or None where there are none."""
    if isinstance(channel, AddedDensity):
        return INFINITY if isinstance(channel.noise, Gaussian) else None
    if not isinstance(channel, AddedNoise) or None not in (channel.low, channel.high):
        return None
    differences: list[Any] = [move.before - move.after for move in moves]  # type: ignore[operator]
    shifts = [shift for shift in (max(differences), -min(differences)) if shift > 0]
    noise = channel.noise
    ends = [noise] if channel.high is None else []
    ends += [noise.reflected()] if channel.low is None else []
    limits = [
        prod((end.supremum(shift).ratio for shift in shifts), start=Fraction(1)) for end in ends
    ]
    if INFINITY in limits:
        return INFINITY
    if noise.reflected() != noise:
        raise Unsupported(f"the swing of {noise.expression}, which is not symmetric, is not known")
    return limits[0]


def _telling_outputs(mechanism: OnStatistic, moves: Moves, *, ends_only: bool) -> Any:
    """Return the outputs among which the largest swing, if attained at all, is attained."""
    channel: Any = mechanism.channel
    values: list[Any] = [value for move in moves for value in (move.before, move.after)]
    if isinstance(channel, Deterministic):
        return list(dict.fromkeys(values))
    if isinstance(channel, AddedDensity) and isinstance(channel.noise, Laplace):
        return sorted(set(values))
    if isinstance(channel, FiniteNoise):
        possible = [channel.start + i for i, mass in enumerate(channel.masses) if mass]
        lowest, highest = min(values) + possible[0], max(values) + possible[-1]
        return [highest, lowest] if ends_only else range(lowest, highest + 1)
    if isinstance(channel, AddedNoise):
        # Towards an open end, up to where the noise is no longer heaped up at the other one.
        ends = [end for end in (channel.low, channel.high) if end is not None]
        low = min([*values, *(end - 1 for end in ends)]) if channel.low is None else channel.low
        high = max([*values, *(end + 1 for end in ends)]) if channel.high is None else channel.high
        return range(low, high + 1)
    size = mechanism.outputs.size
    if size is None:
        raise Unsupported(
            f"the semantic value of {mechanism.expression} is not known: it has infinitely many "
            "outputs and no structure that says which of them matter"
        )
    refuse_large(size, f"listing the outputs of {mechanism.expression}")
    return tuple(mechanism.outputs)
