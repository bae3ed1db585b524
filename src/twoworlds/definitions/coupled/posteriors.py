r"""What is concluded from the release, against what would be concluded without it.

The inference-based definitions (Bassily, Groce, Katz & Smith, Definitions 2, 4 and 8) compare two
laws of the private part: given the output t and the side information z in the real world, and

    given t, z in the ideal world       priv(X) given Sim(alt(X)) = t, Z = z     (Definitions 2, 4)
    given z alone                       sec(X) given Z = z                       (Definition 8)

`Conclusion.apart` is the distance d(t, z) of the two at a ratio, in both directions. A definition
holds with delta if d(t, z) > delta with probability at most delta: one number serves for both, so

    delta* = min_c max(c, P(d > c)),

which is attained at c = 0 or at a value of d, as P(d > c) only steps down there. An output that the
simulator never shows has no ideal conclusion and is bad at every delta (d = infinity).

In Definitions 2 and 4 the probability is over (t, z), and an output is bad if it is bad for any of
the pairs (alt, priv); in Definition 8 it is over t, for every secret and every z apart.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

from flint import arb

from twoworlds.definitions.coupled.scene import Law, Scene, Simulator, WorldPair
from twoworlds.errors import Undecided
from twoworlds.laws.comparison import apart, between
from twoworlds.numbers import INFINITY, Number, Order, Real, bounds, compare, maximum

_TIE_BITS = 256
_BITS = 128
Given = Sequence[tuple[Number, Number]]


class AlarmKind(IntEnum):
    """What a conclusion does that no ratio excuses, the least alarming first."""

    NEVER_SHOWN = 1
    LEAVES_OPEN = 2
    RULES_OUT = 3
    SETTLES = 4


@dataclass(frozen=True)
class Conclusion:
    """What is concluded about one private part from one output, in two worlds."""

    cell: WorldPair
    output: Hashable
    real: Law
    ideal: Law | None

    def apart(self, ratio: Number) -> Number:
        """Return max(H_a(real || ideal), H_a(ideal || real)), infinity without an ideal law."""
        if self.ideal is None:
            return INFINITY
        return apart(self.real, self.ideal, ratio)

    @property
    def alarm(self) -> AlarmKind | None:
        """What no ratio excuses: what is possible in one world only; None where nothing is."""
        if self.ideal is None:
            return AlarmKind.NEVER_SHOWN
        real, ideal = ({v for v, p in law.items() if p != 0} for law in (self.real, self.ideal))
        if ideal - real:
            return AlarmKind.SETTLES if len(real) == 1 else AlarmKind.RULES_OUT
        return AlarmKind.LEAVES_OPEN if real - ideal else None

    def needs(self, delta: Number) -> Number:
        """Return the smallest ratio at which the two are delta apart, possibly infinity."""
        if self.ideal is None:
            return INFINITY
        table = between(self.real, self.ideal)
        if delta == 0:
            return maximum(table.peak().ratio, table.reverse().peak().ratio)
        return maximum(table.ratio_for(delta), table.reverse().ratio_for(delta))


Outcome = tuple[Number, tuple[Conclusion, ...]]
"""One way that things can turn out: its probability, and what is then concluded."""


def against_simulator(scene: Scene, simulator: Simulator) -> list[list[Outcome]]:
    """Return the cases (t, z) of every belief, as Definitions 2 and 4 count them."""
    laws = simulator.on(scene)
    found: dict[int, dict[tuple[Hashable, Hashable], Outcome]] = {}
    for cell in scene.cells:
        ideal = _by_output(cell.simulated(laws.__getitem__))
        group = found.setdefault(cell.belief, {})
        for t, seen in _by_output(cell.real).items():
            total, guess = _sum(seen.values()), ideal.get(t)
            conclusion = Conclusion(cell, t, _scaled(seen), _scaled(guess) if guess else None)
            chance, before = group.get((t, cell.side), (total * cell.weight, ()))
            group[t, cell.side] = chance, (*before, conclusion)
    return [list(group.values()) for group in found.values()]


def against_prior(scene: Scene) -> list[list[Outcome]]:
    """Return the cases t of every belief, secret and z, as Definition 8 counts them."""
    return [
        [
            (_sum(seen.values()), (Conclusion(cell, t, _scaled(seen), cell.mass),))
            for t, seen in _by_output(cell.real).items()
        ]
        for cell in scene.cells
    ]


def least_delta(cases: Given) -> Number:
    """Return min_c max(c, P(d > c)) from the probabilities and values of d.

    Exact for rationals. The answer moves by no more than the values and the probabilities do, and
    in the same direction, so that enclosures of these give one of it.

    >>> least_delta([(Fraction(1, 4), Fraction(1, 2)), (Fraction(3, 4), Fraction(1, 8))])
    Fraction(1, 4)
    """
    return _enclosed(cases, _least_delta)


def least_ratio(cases: Given, delta: Number) -> Number:
    """Return the smallest a >= 1 with P(r > a) <= delta, where r is the ratio that a case needs.

    >>> least_ratio([(Fraction(1, 4), Fraction(9)), (Fraction(3, 4), Fraction(2))], Fraction(1, 3))
    Fraction(2, 1)
    """
    low, high = bounds(delta)
    if low == high:
        return _enclosed(cases, lambda given: _least_ratio(given, low))
    ends = _least_ratio(_ends(cases, _BITS, 0), high), _least_ratio(_ends(cases, _BITS, 1), low)
    return ends[0] if ends[0] == ends[1] else _between(*ends)


def _least_delta(cases: Given) -> Number:
    left, best = _sum(chance for chance, _ in cases), Fraction(1)
    ordered = sorted(((d, chance) for chance, d in cases if d != INFINITY), key=lambda s: s[0])
    for i, (d, chance) in enumerate([(Fraction(0), Fraction(0)), *ordered]):
        left -= chance
        # Equal values step down together: ordered[i] is the next one.
        if i == len(ordered) or ordered[i][0] != d:
            best = min(best, max(d, left))  # type: ignore[assignment]
    return best


def _least_ratio(cases: Given, delta: Fraction) -> Number:
    left = _sum(chance for chance, _ in cases)
    answer: Number = Fraction(1)
    finite = sorted(((r, chance) for chance, r in cases if r != INFINITY), key=lambda s: s[0])
    for ratio, chance in finite:
        if left <= delta:
            return answer
        answer = ratio
        left -= chance
    return answer if left <= delta else INFINITY


def _enclosed(cases: Given, answer: Callable[[Given], Number]) -> Number:
    """Apply a function that grows with everything it is given to both ends of enclosures."""
    if not any(isinstance(x, Real) and x != INFINITY for case in cases for x in case):
        return answer(cases)

    def evaluate(bits: int) -> arb:
        return _between(*(answer(_ends(cases, bits, end)) for end in (0, 1))).ball(bits)

    low, high = (answer(_ends(cases, _BITS, end)) for end in (0, 1))
    return low if low == high else Real(evaluate)


def _ends(cases: Given, bits: int, end: int) -> Given:
    return [
        (bounds(chance, bits)[end], d if d == INFINITY else bounds(d, bits)[end])
        for chance, d in cases
    ]


def _between(low: Number, high: Number) -> Real:
    if high == INFINITY:
        raise Undecided(
            "whether a finite ratio is enough could not be decided from enclosures: give the "
            "probabilities as exact fractions"
        )
    assert isinstance(low, Fraction)
    assert isinstance(high, Fraction)
    return Real.between(low, high)


def _by_output(table: Mapping[Hashable, Law]) -> dict[Hashable, dict[Hashable, Number]]:
    """Turn a table by value and output into one by output and value."""
    found: dict[Hashable, dict[Hashable, Number]] = {}
    for v, law in table.items():
        for t, p in law.items():
            if p != 0:
                found.setdefault(t, {})[v] = p
    return found


def _scaled(masses: Law) -> dict[Hashable, Number]:
    total = _sum(masses.values())
    return {v: p / total for v, p in masses.items()}


def largest(numbers: Iterable[Number]) -> Number:
    """Return the largest number, or an enclosure of an undecided tie."""
    best: Number | None = None
    for x in numbers:
        order = Order.GREATER if best is None else compare(x, best, limit=_TIE_BITS)
        if order is Order.GREATER:
            best = x
        elif order is Order.UNDECIDED:
            best = maximum(best, x)  # type: ignore[arg-type]
    assert best is not None
    return best


def _sum(numbers: Iterable[Number]) -> Number:
    return sum(numbers, start=Fraction(0))
