"""A question about an exact total, read and checked: whose entries, who knows what, compared how.

The attacker knows L entries, and the worst case is that these are the entries of others. For if the
person's own entry is among the known ones, then n - L others are unknown: all those that would be
unknown if the attacker knew one more of the others instead, and one more. Adding an independent
summand Y to both worlds cannot tell them better apart (post-processing: Y is drawn without looking
at the total), so delta never grows with the set of unknown entries. The same argument shows that
delta never grows with the number of people, and never falls with the number of known entries, for
every comparison below.

**Which two laws are compared.** One person's entry is v, the attacker knows some entries, and S is
the sum of the others that are unknown. Known entries only shift the total, in both worlds alike, so
they are left out.

    ddp, canonical      S + v  against  S             the simulator adds up the other entries
    ddp, centred        S + v  against  S + c         ... and adds a constant near the midpoint
    ddp, resampled      S + v  against  S + V         ... and adds a fresh draw V of the entry's law
    noiseless           S + v  against  S + v'

each in both directions, for all v (and v') that the person's law allows (Bassily, Groce, Katz &
Smith, Definitions 3 and 6). Without V the comparison is one of S with S + d, and when S is
log-concave only the largest |d| counts: P(S = t - d) / P(S = t) then does not decrease in t for
d > 0, so some half-line is the best event,

    H_a(S + d, S) = max_x P(S >= x - d) - a P(S >= x) ,

which does not decrease in d for fixed x. The same holds for d < 0 with the lower half-lines.

Entries with a density, uniform or with a uniform component (Theorems 8 and 9), are compared in
`twoworlds.laws.uniform`, by how far an entry moves the total in lengths of the interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from twoworlds.definitions.base import read_ratio
from twoworlds.errors import InvalidInput, TooLarge, UnknownName, Unsupported
from twoworlds.laws.comparison import Comparison, FiniteComparison
from twoworlds.laws.entry import (
    AnyLaw,
    EntryLaw,
    StepDensity,
    common_step,
    read_law,
)
from twoworlds.laws.event import Ranges
from twoworlds.laws.lattice import OnLattice, SumLaw, convolve, exact_bits, one, windowed
from twoworlds.laws.uniform import MOST_UNIFORM, density_bound, density_delta, least_enough
from twoworlds.numbers import INFINITY, Number, bounds, counted, exact_text, whole

SIMULATORS = ("canonical", "centred", "resampled", "best")
DEFINITIONS = ("ddp", "noiseless", "original")
EXACT_BITS = 1 << 29
_QUICK_BITS = 1 << 23
_MOST_CHOICES = 2000
_WINDOW_BITS = 160
_LARGEST = 1 << 22
_WIDEST = 1 << 20
_WINDOW_LIMIT = 1 << 30
_COARSER = "round the values to fewer steps, or use an interval such as uniform [0, 1]"
_DIGITS = 64

Groups = tuple[tuple[EntryLaw, int], ...]


@dataclass(frozen=True)
class World:
    """A law of the total: of independent entries, and a constant."""

    text: str
    groups: Groups
    constant: Fraction

    @property
    def least(self) -> Fraction:
        """The least total."""
        return self.constant + sum((law.values[0] * n for law, n in self.groups), Fraction(0))


class WorstTotal(NamedTuple):
    """The worst case of a setting at a ratio.

    Attributes:
        delta: how much likelier its event is than the ratio allows.
        comparison: the two worlds and their laws; a `Table` if no total is possible in both.
        event: the totals.
        ways: the comparison made for a person of each group: the simulator that it is about.
        exact: whether the law of the total was exact.
    """

    delta: Number
    comparison: Comparison | None = None
    event: Ranges = Ranges(())
    ways: tuple[str, ...] = ()
    exact: bool = True


@dataclass(frozen=True)
class TotalSetting:
    """The question.

    Attributes:
        groups: laws of all entries, with how many people have each: on listed values, or one
            density for all.
        known: how many entries the attacker knows.
        simulator: one of SIMULATORS.
        definition: one of DEFINITIONS.
    """

    groups: tuple[tuple[AnyLaw, int], ...]
    known: int
    simulator: str
    definition: str

    @property
    def density(self) -> StepDensity | None:
        """The density of the entries, where they have one."""
        law = self.groups[0][0]
        return law if isinstance(law, StepDensity) else None

    @property
    def listed(self) -> Groups:
        """The laws on listed values."""
        return tuple((law, count) for law, count in self.groups if isinstance(law, EntryLaw))

    @property
    def unknown(self) -> int:
        """How many entries of others the attacker does not know."""
        return self.people - 1 - self.known

    def certain(self, unknown: int) -> bool:
        """Whether delta is computed with so many unknown others, and not only bounded."""
        return self.density is None or (self.density.uniform and unknown <= MOST_UNIFORM)

    @property
    def people(self) -> int:
        """How many entries are added up."""
        return sum(count for _, count in self.groups)

    @property
    def step(self) -> Fraction:
        """The lattice of all entries."""
        return common_step(law for law, _ in self.listed)

    def knowing(self, known: int) -> TotalSetting:
        """Return the same question with another number of known entries."""
        return replace(self, known=known)

    def choices(self) -> Iterator[tuple[EntryLaw, list[Groups]]]:
        """Yield each kind of person, with all choices of the others that are unknown."""
        laws = len(self.groups)
        choices = laws * math.comb(self.known + laws - 1, laws - 1)
        if choices > _MOST_CHOICES:
            raise TooLarge(
                f"{laws} groups with {self.known} known entries: the attacker may choose them in "
                f"about {choices:,} ways, and {_MOST_CHOICES:,} are tried; "
                "use fewer groups or fewer known entries"
            )
        for index, (person, _) in enumerate(self.listed):
            others = [(law, count - (i == index)) for i, (law, count) in enumerate(self.listed)]
            yield (
                person,
                [
                    tuple((law, n - k) for (law, n), k in zip(others, taken, strict=True) if n > k)
                    for taken in _choices([count for _, count in others], self.known)
                ],
            )

    def ways(self, person: EntryLaw) -> list[str]:
        """Return the comparisons to make: one for each simulator that is allowed."""
        if self.definition == "noiseless":
            return ["noiseless"]
        centred = [f"centred {exact_text(c)}" for c in centres(person, self.step)]
        found = {"canonical": ["canonical"], "centred": centred, "resampled": ["resampled"]}
        found["best"] = ["canonical", *centred, "resampled"]
        return found[self.simulator]

    def exactable(self, limit: int, laws: int) -> bool:
        """Tell whether so many exact laws of the sum of all entries fit."""
        return exact_bits(self.listed, self.step) * laws <= limit

    @property
    def compared(self) -> str:
        """What an entry with a density is compared with: noiseless, canonical or centred."""
        return self.definition if self.definition == "noiseless" else self.simulator

    def enough(self, ratio: Number, limit: Fraction, most: int) -> int | None:
        """Return the least number of unknown others with a density, up to most, for the limit."""
        law = self.density
        assert law is not None
        return least_enough(
            lambda terms: density_bound(law, terms, self.compared, ratio), limit, most
        )

    def answer(
        self, ratio: Number, *, target: Fraction | None = None, quick: bool = False
    ) -> WorstTotal:
        """Return the worst case: exact where that fits, and else enclosed."""
        if self.density is not None:
            delta = density_delta(self.density, self.unknown, self.compared, ratio)
            exact = isinstance(delta, Fraction) or self.certain(self.unknown)
            middle = exact_text(sum(self.density.ends, Fraction(0)) / 2)
            how = f"centred {middle}" if self.simulator == "centred" else self.simulator
            how = self.definition if self.definition == "noiseless" else how
            return WorstTotal(delta, ways=(how,), exact=exact)
        found, ways, all_exact = WorstTotal(Fraction(-1)), [], True
        for person, choices in self.choices():
            exact = self.exactable(_QUICK_BITS if quick else EXACT_BITS, len(choices))
            laws = [(groups, self.law(groups, target, exact=exact)) for groups in choices]
            seen = {how: self._worst(person, laws, ratio, how) for how in self.ways(person)}
            ways.append(min(seen, key=lambda how: _upper(seen[how].delta)))
            found = max(found, seen[ways[-1]], key=lambda worst: _upper(worst.delta))
            all_exact = all_exact and exact
        return found._replace(ways=tuple(ways), exact=all_exact)

    def _worst(
        self, person: EntryLaw, laws: list[tuple[Groups, SumLaw]], ratio: Number, how: str
    ) -> WorstTotal:
        """Return the worst case for such a person and a simulator, whoever else is unknown."""
        best = WorstTotal(Fraction(0))
        for comparison in self._compared(person, laws, how):
            delta, event = comparison.gap(ratio)
            if _upper(delta) > _upper(best.delta):
                assert isinstance(event, Ranges)
                best = WorstTotal(delta, comparison, event)
                if isinstance(comparison, FiniteComparison):
                    return best
        return best

    def _compared(
        self, person: EntryLaw, laws: list[tuple[Groups, SumLaw]], how: str
    ) -> Iterator[Comparison]:
        for groups, law in laws:
            yield from comparisons(person, groups, law, self.step, how)

    def ratio(self, delta: Fraction) -> Number:
        """Return the smallest ratio that holds with this delta."""
        found: Number = Fraction(1)
        for person, choices in self.choices():
            exact = self.exactable(EXACT_BITS, len(choices))
            laws = [(groups, self.law(groups, delta, exact=exact)) for groups in choices]
            least = min(
                (
                    max(
                        (each.ratio_for(delta) for each in self._compared(person, laws, how)),
                        key=_upper,
                        default=Fraction(1),
                    )
                    for how in self.ways(person)
                ),
                key=_upper,
            )
            found = max(found, least, key=_upper)
        return found

    def breaking(self, ratio: Number, limit: Fraction, *, holds: bool | None = None) -> int | None:
        """Return the smallest number of known entries at which delta exceeds the limit, or None.

        Delta depends, for one law, on the number of unknown others only and never grows with it, so
        the search begins where there are none. If the claim is known to hold, one more known entry
        is tried first, as claims are often tight.
        """
        if self.density is not None:
            enough = self.enough(ratio, limit, self.people - 1)
        else:

            def delta(unknown: int) -> Fraction:
                small = self.knowing(self.people - 1 - unknown)
                if len(self.groups) == 1:
                    small = replace(self, groups=((self.groups[0][0], unknown + 1),), known=0)
                return small.decided(ratio, limit)

            if holds and self.unknown and delta(self.unknown - 1) > limit:
                return self.known + 1
            enough = least_enough(delta, limit, self.people - 1)
        if enough is None:
            return 0
        return self.people - enough if enough else None

    def decided(self, ratio: Number, limit: Fraction) -> Fraction:
        """Return a bound on delta that is at most the limit if delta is, by digits enough for it.

        Where no number of digits tells them apart, delta is taken to exceed the limit.
        """
        target = limit
        for _ in range(4):
            low, high = bounds(self.answer(ratio, target=target, quick=True).delta)
            if high <= limit or low > limit:
                return high
            target = target / (1 << 64)
        return bounds(self.answer(ratio).delta)[1]

    def law(self, groups: Groups, target: Fraction | None, *, exact: bool) -> SumLaw:
        """Return the law of the sum of the unknown entries: exact, or in a window."""
        wanted = _WINDOW_BITS
        if target:
            smallness = target.denominator.bit_length() - target.numerator.bit_length()
            wanted = _DIGITS + smallness + 1
        return law_of_sum(groups, self.step, None if exact else wanted)


def centres(law: EntryLaw, step: Fraction) -> list[Fraction]:
    """Return the constants next to the midpoint that leave S + c on the lattice of S + v."""
    low, high = law.ends
    below = low + (high - low) / 2 // step * step
    return [below] if 2 * below == low + high else [below, below + step]


def comparisons(
    person: EntryLaw, groups: Groups, total: SumLaw, step: Fraction, how: str
) -> Iterator[Comparison]:
    """Yield every comparison that may be the worst one, in both directions."""
    least = sum((law.values[0] * count for law, count in groups), Fraction(0))
    if how == "resampled":
        yield from _resampled(person, groups, total, step, least)
        return
    for first, second in _pairs(person, groups, how, concave=total.log_concave):
        distance = (first.constant - second.constant) / step
        if distance.denominator > 1:
            yield FiniteComparison(first, second, [1, 0], [0, 1], lambda _: Ranges(()))
            return
        there = total.shifted(int(distance))
        origin = least + second.constant
        found = OnLattice(first, second, there, total, origin, step)
        yield found
        yield found.reverse()


def _pairs(
    person: EntryLaw, groups: Groups, how: str, *, concave: bool
) -> Iterator[tuple[World, World]]:
    """Yield the worlds that differ by a constant: with each value, or only the extreme ones."""
    if how == "noiseless":
        listed = [person.ends] if concave else combinations(person.values, 2)
        seen = set()
        for low, high in listed:
            if high - low not in seen and low != high:
                seen.add(high - low)
                yield World(_entry(high), groups, high), World(_entry(low), groups, low)
        return
    centre = Fraction(how.partition(" ")[2] or 0)
    text = "without it" if how == "canonical" else f"without it, {exact_text(centre)} added"
    other = World(text, groups, centre)
    values: Sequence[Fraction] = person.values
    if concave:
        values = [max(person.ends, key=lambda v: abs(v - centre))]
    for value in values:
        if value != centre:
            yield World(_entry(value), groups, value), other


def _resampled(
    person: EntryLaw, groups: Groups, total: SumLaw, step: Fraction, least: Fraction
) -> Iterator[Comparison]:
    ideal = total.plus(one(person, step))
    second = World("without it, a fresh draw added", (*groups, (person, 1)), Fraction(0))
    origin = least + person.values[0]
    for value in person.values:
        first = World(_entry(value), groups, value)
        real = total.shifted(int((value - person.values[0]) / step))
        found = OnLattice(first, second, real, ideal, origin, step)
        yield found
        yield found.reverse()


def _entry(value: Fraction) -> str:
    return f"entry {exact_text(value)}"


@lru_cache(maxsize=2)
def law_of_sum(groups: Groups, step: Fraction, wanted: int | None) -> SumLaw:
    """Return the exact law of a sum, or one that misses at most about 2^-wanted."""
    if wanted is None:
        return convolve(groups, step)
    entries = sum(count for _, count in groups)
    spare = 2 * (entries.bit_length() + exact_bits(groups, step).bit_length() // 2)
    deviations = math.ceil(math.sqrt(1.4 * wanted)) + 2
    variance = sum(float(law.variance / step**2) * count for law, count in groups)
    places = math.ceil(2 * deviations * math.sqrt(variance))
    if places * (wanted + spare) > _WINDOW_LIMIT:
        raise TooLarge(
            f"the total of {counted(entries, 'entry', 'entries')} spreads over about {places:,} "
            f"steps of {exact_text(step)}, too many for its law: {_COARSER}"
        )
    for widened in (1, 2, 4):
        law = windowed(groups, step, wanted + spare, widened * deviations)
        if law.missing <= Fraction(1, 1 << wanted):
            break
    return law


def _upper(number: Number) -> Fraction | float:
    return math.inf if number == INFINITY else bounds(number)[1]


def _choices(counts: list[int], taken: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to take so many, of so many of each kind."""
    if len(counts) == 1:
        if taken <= counts[0]:
            yield (taken,)
        return
    for first in range(min(counts[0], taken) + 1):
        for rest in _choices(counts[1:], taken - first):
            yield (first, *rest)


def read_setting(
    given: AnyLaw | str | Mapping[object, object] | Iterable[object],
    people: object,
    known: object,
    simulator: str,
    definition: str,
) -> TotalSetting:
    """Read and check one law for so many people, or a list of laws with how many have each."""
    if simulator not in SIMULATORS:
        raise UnknownName("simulator", str(simulator), SIMULATORS)
    if definition not in DEFINITIONS:
        raise UnknownName("definition", str(definition), DEFINITIONS)
    groups = _groups(given, people)
    entries = sum(count for _, count in groups)
    if entries > _LARGEST:
        raise TooLarge(
            f"people={entries:,}: at most {_LARGEST:,} are added up; ask for fewer, "
            "as delta never grows with the number of people"
        )
    count = whole(known, "known")
    if count >= entries:
        raise InvalidInput(
            f"known={count} of {counted(entries, 'entry', 'entries')}: at most {entries - 1} can "
            "be known of others; who knows all others learns your entry from the total"
        )
    setting = TotalSetting(groups, count, simulator, definition)
    dense = len(groups) - len(setting.listed)
    if dense and len(groups) > 1:
        raise Unsupported(
            f"{len(groups)} groups, of which {dense} with a density: several "
            "groups are supported for listed values, and a density for one group alone; judge each "
            "group by itself, as if the entries of the others were known (more unknown entries "
            "never make delta larger)"
        )
    if dense and simulator == "resampled" and definition == "ddp":
        raise Unsupported(
            "the resampled simulator is computed for listed values only: "
            "use centred, or a lattice such as 0..1 by 1/100"
        )
    if dense and simulator == "best":
        return replace(setting, simulator="centred")
    for law, _ in setting.listed:
        span = (law.values[-1] - law.values[0]) / setting.step
        if span > _WIDEST:
            raise TooLarge(
                f"entries {law.text}: from the least to the largest value there are "
                f"{int(span):,} steps of {exact_text(setting.step)}, and {_WIDEST:,} are handled; "
                f"{_COARSER}"
            )
    return setting


def _groups(given: object, people: object) -> tuple[tuple[AnyLaw, int], ...]:
    pairs = isinstance(given, list | tuple) and all(
        isinstance(item, list | tuple) and len(item) == 2 for item in given
    )
    if not pairs or not given:
        if people is None:
            raise InvalidInput("people is missing: say how many entries are added up")
        return ((read_law(given), whole(people, "people", at_least=1)),)  # type: ignore[arg-type]
    found: dict[AnyLaw, int] = {}
    for item, count in given:  # type: ignore[attr-defined]
        law = read_law(item)
        found[law] = found.get(law, 0) + whole(count, "count", at_least=1)
    entries = sum(found.values())
    if people is not None and whole(people, "people", at_least=1) != entries:
        raise InvalidInput(
            f"people={people}, but the groups hold {counted(entries, 'person', 'people')}: "
            "leave people out, or mend the counts"
        )
    return tuple(found.items())


def asked_ratio(ratio: object, epsilon: object) -> Number:
    """Read e^epsilon: given, and finite."""
    value = read_ratio(ratio, epsilon)
    if value is None:
        raise InvalidInput("ratio and epsilon are missing: give one of them, such as epsilon=0.5")
    if value == INFINITY:
        raise InvalidInput("an infinite epsilon promises nothing: give a finite one")
    return value
