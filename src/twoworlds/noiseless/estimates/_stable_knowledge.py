"""What breaks the guarantee of a stable function: which records, once known, make it worse.

Sets of records are tried from small to large, as knowing more never helps privacy. With a claim,
the first set that makes it fail is named. Without one there is no line to cross, and two sets are
named: the worst of the smallest ones that make the number found any worse, and a smallest one that
makes delta exceed 1/2. A search that would take too long ends early, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice

from twoworlds.mechanisms.comparison import larger
from twoworlds.noiseless.estimates._stable_witness import Case
from twoworlds.noiseless.words import short, weakens
from twoworlds.numbers import INFINITY, Number, decimal, ln

__all__ = ["Knowledge", "worst_case"]

_HALF = Fraction(1, 2)
_WORK = 50_000  # pairs of beliefs times records, looked at in all
_OUTSIDE = "a belief outside this class"
_UNSEARCHED = f"knowing more records, what they do was not searched; {_OUTSIDE}"

Places = tuple[int, ...]
Measure = Callable[[Case], Number]


def worst_case(cases: list[Case], measure: Measure) -> tuple[Case, Number]:
    """Return the first case with the largest measure, and that."""
    best, most = cases[0], measure(cases[0])
    for case in cases[1:]:
        found = measure(case)
        if larger(found, most):
            best, most = case, found
    return best, most


@dataclass(frozen=True)
class Knowledge:
    """Sets of records that the attacker may come to know.

    Attributes:
        cases: those of now.
        told: the cases once the records at some places are known too.
        cost: how much work one set is.
    """

    cases: list[Case]
    told: Callable[[Places], list[Case]]
    cost: int

    def claim_breaks(self, ratio: Number, allowed: Number) -> str | None:
        """Say what breaks a claim that holds, if anything can."""
        if allowed == 1:
            return None
        for chosen, cases in self._sets():
            _, found = worst_case(cases, lambda case: case.laws.delta(ratio))
            if larger(found, allowed):
                return (
                    f"knowing {_records(chosen)} too, after which delta can be "
                    f"{decimal(found, 3, 'about')}; {_OUTSIDE}"
                )
        return self._nothing()

    def delta_breaks(self, ratio: Number, delta: Number) -> str | None:
        """Say what makes the delta that was found for a ratio worse, if anything can."""
        if delta == 1:
            return None
        return self._weakened(
            ratio,
            delta,
            delta,
            lambda case: case.laws.delta(ratio),
            lambda found: f"delta {decimal(found, 3, 'about')}",
        )

    def ratio_breaks(self, ratio: Number, delta: Number) -> str | None:
        """Say what makes the ratio that was found for a delta worse, if anything can."""
        if ratio == INFINITY or delta == 1:
            return None
        return self._weakened(
            ratio,
            delta,
            ratio,
            lambda case: case.laws.ratio_for(delta),
            lambda found: f"epsilon {decimal(ln(found), 3, 'about')} at delta {short(delta)}",
            where=" at this epsilon",
        )

    def _weakened(
        self,
        ratio: Number,
        delta: Number,
        now: Number,
        measure: Measure,
        gives: Callable[[Number], str],
        *,
        where: str = "",
    ) -> str:
        first: Places | None = None
        beyond: Places | None = None
        worst = now
        open_ended = not larger(delta, _HALF)
        for chosen, cases in self._sets():
            if first is not None and len(chosen) > len(first) and (beyond or not open_ended):
                break
            if first is None or len(chosen) == len(first):
                _, found = worst_case(cases, measure)
                if larger(found, worst):
                    first, worst = chosen, found
            if open_ended and beyond is None and self._beyond(cases, ratio):
                beyond = chosen
        if first is None:
            return self._nothing()
        if beyond is not None and self._beyond(self.told(first), ratio):
            beyond = first
        said = weakens(
            _records(first),
            gives(worst),
            None if beyond is None else _records(beyond),
            limit=f"delta exceed 1/2{where}",
            one="record",
        )
        unknown = open_ended and beyond is None and not self._complete
        more = "; what more of them do was not searched" if unknown else ""
        return f"{said}{more}; {_OUTSIDE}"

    def _beyond(self, cases: list[Case], ratio: Number) -> bool:
        return any(larger(case.laws.delta(ratio), _HALF) for case in cases)

    def _sets(self) -> Iterator[tuple[Places, list[Case]]]:
        """Yield sets of records, the smaller ones first, as long as the work lasts."""
        places = range(self.cases[0].size)
        chosen = (c for many in range(1, len(places)) for c in combinations(places, many))
        for one in islice(chosen, _WORK // self.cost):
            yield one, self.told(one)

    @property
    def _complete(self) -> bool:
        """Whether the work lasts for all sets but none and all."""
        sets: int = 2 ** self.cases[0].size - 2
        return sets <= _WORK // self.cost

    def _nothing(self) -> str:
        return f"{_OUTSIDE}: knowing more records does not" if self._complete else _UNSEARCHED


def _records(places: Places) -> str:
    names = [f"person {i + 1}" for i in places]
    if len(names) == 1:
        return f"the record of {names[0]}"
    return f"the records of {', '.join(names[:-1])} and {names[-1]}"
