r"""Cases and swings: the vocabulary of `swing`, and how cases are judged.

A `Case` is a database x and the same without one person, x_-i, with the probabilities p and q of an
output t. The swing of t and i is max r / min r over all cases, r = p / q:

* p = q = 0 says nothing and is left out; if every case is such, t never occurs and R = 1;
* r = 0 or infinity makes R infinite, attained by some belief only when both occur;
* q = 0 in every case, p > 0 in one: Game i has no posterior at all. It counts as infinite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from twoworlds.definitions.semantics.games import without
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import INFINITY, Number
from twoworlds.worlds import Integers, Part, Point, Reals, Records, Universe
from twoworlds.worlds.belief import records_of

__all__ = [
    "LARGEST",
    "METHOD",
    "Case",
    "Swing",
    "bare",
    "largest",
    "of_cases",
    "on_answers",
    "people",
    "refuse_large",
    "removals",
]

LARGEST = 1 << 22
METHOD = "the largest swing of an output's likelihood decides over all beliefs at once"


class Case(NamedTuple):
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
    high: Case
    low: Case
    attained: bool = True
    undefined: bool = False
    method: str = METHOD


def of_cases(output: Point, person: int, cases: Iterable[Case]) -> Swing:
    """Return the swing of one output and person."""
    high: Case | None = None
    low: Case | None = None
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
        nothing = Case((), (), Fraction(0), Fraction(0))
        return Swing(Fraction(1), output, person, nothing, nothing)
    if not defined:
        return Swing(INFINITY, output, person, high, low, attained=True, undefined=True)
    if high.q == 0 or low.p == 0:
        both = high.q == 0 and low.p == 0
        return Swing(INFINITY, output, person, high, low, attained=both)
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


def bare(universe: Universe) -> bool:
    """Tell whether the databases are true answers, without persons to speak of."""
    while isinstance(universe, Part):
        universe = universe.whole
    return isinstance(universe, (Integers, Reals))


def on_answers(mechanism: Mechanism) -> Swing:
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
    output = x if output is None and peak.attained else output
    shown = x if output is None else output
    p, q = mechanism.probability(shown, x), mechanism.probability(shown, y)
    ratio = peak.ratio**2
    return Swing(ratio, output, None, Case(x, y, p, q), Case(y, x, q, p), attained=peak.attained)


def people(universe: Universe) -> Records:
    """Return the lists of records that a universe is made of, or is a part of."""
    if isinstance(universe, Part) and universe.pairs is None:
        return people(universe.whole)
    return records_of(universe)


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
