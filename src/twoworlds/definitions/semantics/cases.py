"""One output with and without a person: the cases, and the swing of its likelihood.

For an output t and a person i let r(x) = P(A(x) = t) / P(A(x_-i) = t), over the databases x where
not both are 0. The swing is

    R = max_x r(x) / min_x r(x).

* p = q = 0 says nothing and is left out; if every case is such, t never occurs and R = 1;
* r = 0 or infinity makes R infinite, attained by some belief only when both occur;
* q = 0 in every case, p > 0 in one: Game i has no posterior at all. It counts as infinite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from twoworlds.definitions.semantics.games import people, without
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.numbers import INFINITY, Number
from twoworlds.worlds import Point, Universe
from twoworlds.worlds.statistic import NO_RECORD

LARGEST = 1 << 22
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


def swings_at(
    output: Point, removed: Iterable[tuple[int, Point, Point]], law: Mapping[Point, Number]
) -> Iterator[Swing]:
    """Yield the swing of one output for every person, from its likelihoods by database."""
    persons: dict[int, list[SwingCase]] = {}
    for person, x, y in removed:
        persons.setdefault(person, []).append(SwingCase(x, y, law[x], law[y]))
    return (of_cases(output, person, cases) for person, cases in persons.items())


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
            if default is not NO_RECORD and removed not in universe:
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
