"""A question about an exact total, read and checked: whose entries, who knows what, compared how.

The attacker knows L entries, and the worst case is that these are the entries of others. For if the
person's own entry is among the known ones, then n - L others are unknown: all those that would be
unknown if the attacker knew one more of the others instead, and one more. Adding an independent
summand Y to both worlds cannot tell them better apart (post-processing: Y is drawn without looking
at the total), so delta never grows with the set of unknown entries. The same argument shows that
delta never grows with the number of people, and never falls with the number of known entries, for
every comparison of `_comparisons`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from twoworlds.definitions.base import read_ratio
from twoworlds.errors import InvalidInput, TooLarge, UnknownName, Unsupported
from twoworlds.noiseless.sums._comparisons import (
    Groups,
    Worst,
    centres,
    comparisons,
    worst_of,
    worst_ratio,
)
from twoworlds.noiseless.sums._convolution import SumLaw, convolve, exact_bits, windowed
from twoworlds.noiseless.sums.laws import AnyLaw, EntryLaw, common_step, read_law
from twoworlds.noiseless.words import counted
from twoworlds.numbers import INFINITY, Number, bounds, exact_text, whole

__all__ = ["DEFINITIONS", "EXACT_BITS", "SIMULATORS", "Answer", "Setting", "read_groups"]

SIMULATORS = ("canonical", "centred", "resampled", "best")
DEFINITIONS = ("ddp", "noiseless")
EXACT_BITS = 1 << 29
_QUICK_BITS = 1 << 23
_MOST_CHOICES = 2000
_WINDOW_BITS = 160
_LARGEST = 1 << 22
_WIDEST = 1 << 20
_WINDOW_LIMIT = 1 << 30
_COARSER = "round the values to fewer steps, or use an interval such as uniform [0, 1]"
_DIGITS = 64


@dataclass(frozen=True)
class Answer:
    """The worst case of a setting at a ratio.

    Attributes:
        worst: delta and the two worlds.
        ways: the comparison made for a person of each group: the simulator that it is about.
        exact: whether the law of the total was exact.
    """

    worst: Worst
    ways: tuple[str, ...]
    exact: bool


@dataclass(frozen=True)
class Setting:
    """The question.

    Attributes:
        groups: discrete laws of all entries, with how many people have each.
        known: how many entries the attacker knows.
        simulator: one of SIMULATORS.
        definition: one of DEFINITIONS.
    """

    groups: Groups
    known: int
    simulator: str
    definition: str

    @property
    def people(self) -> int:
        """How many entries are added up."""
        return sum(count for _, count in self.groups)

    @property
    def step(self) -> Fraction:
        """The lattice of all entries."""
        return common_step(law for law, _ in self.groups)

    def knowing(self, known: int) -> Setting:
        """Return the same question with another number of known entries."""
        return replace(self, known=known)

    def unknown(self) -> Iterator[tuple[EntryLaw, list[Groups]]]:
        """Yield each kind of person, with all choices of the others that are unknown to attackers.

        Raises:
            TooLarge: when several laws allow too many choices.
        """
        laws = len(self.groups)
        choices = laws * math.comb(self.known + laws - 1, laws - 1)
        if choices > _MOST_CHOICES:
            raise TooLarge(
                f"{laws} groups with {self.known} known entries: the attacker may choose them in "
                f"about {choices:,} ways, and {_MOST_CHOICES:,} are tried; "
                "use fewer groups or fewer known entries"
            )
        for index, (person, _) in enumerate(self.groups):
            others = [(law, count - (i == index)) for i, (law, count) in enumerate(self.groups)]
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
        return exact_bits(self.groups, self.step) * laws <= limit

    def answer(
        self, ratio: Number, *, target: Fraction | None = None, quick: bool = False
    ) -> Answer:
        """Return the worst case: exact where that fits, and else enclosed.

        Args:
            ratio: e^epsilon.
            target: a delta that the enclosure should be able to tell from the true one.
            quick: use an enclosure already for sums whose exact law takes long.
        """
        found, ways, all_exact = Worst(Fraction(-1), None), [], True
        for person, choices in self.unknown():
            exact = self.exactable(_QUICK_BITS if quick else EXACT_BITS, len(choices))
            laws = [(groups, self.law(groups, target, exact=exact)) for groups in choices]
            seen = {how: self._worst(person, laws, ratio, how) for how in self.ways(person)}
            ways.append(min(seen, key=lambda how: _upper(seen[how].delta)))
            found = max(found, seen[ways[-1]], key=lambda worst: _upper(worst.delta))
            all_exact = all_exact and exact
        return Answer(found, tuple(ways), all_exact)

    def _worst(
        self, person: EntryLaw, laws: list[tuple[Groups, SumLaw]], ratio: Number, how: str
    ) -> Worst:
        """Return the worst case for such a person and a simulator, whoever else is unknown."""
        return max(
            (
                worst_of(comparisons(person, groups, law, self.step, how), ratio, self.step)
                for groups, law in laws
            ),
            key=lambda worst: _upper(worst.delta),
        )

    def ratio(self, delta: Fraction) -> Number:
        """Return the smallest ratio that holds with this delta."""
        found: Number = Fraction(1)
        for person, choices in self.unknown():
            exact = self.exactable(EXACT_BITS, len(choices))
            laws = [(groups, self.law(groups, delta, exact=exact)) for groups in choices]
            least = min(
                (
                    max(
                        (
                            worst_ratio(comparisons(person, groups, law, self.step, how), delta)
                            for groups, law in laws
                        ),
                        key=_upper,
                    )
                    for how in self.ways(person)
                ),
                key=_upper,
            )
            found = max(found, least, key=_upper)
        return found

    def law(self, groups: Groups, target: Fraction | None, *, exact: bool) -> SumLaw:
        """Return the law of the sum of the unknown entries: exact, or in a window."""
        wanted = _WINDOW_BITS
        if target:
            smallness = target.denominator.bit_length() - target.numerator.bit_length()
            wanted = _DIGITS + smallness + 1
        return law_of_sum(groups, self.step, None if exact else wanted)


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


def read_groups(
    given: AnyLaw | str | Mapping[object, object] | Iterable[object], people: object
) -> list[tuple[AnyLaw, int]]:
    """Read one law for so many people, or a list of laws with how many have each."""
    if isinstance(given, list | tuple) and given and all(_is_group(item) for item in given):
        found = [(read_law(law), whole(count, "count", at_least=1)) for law, count in given]
        entries = sum(count for _, count in found)
        if people is not None and whole(people, "people", at_least=1) != entries:
            raise InvalidInput(
                f"people={people}, but the groups hold {counted(entries, 'person', 'people')}: "
                "leave people out, or mend the counts"
            )
        return _checked(_merged(found))
    if people is None:
        raise InvalidInput("people is missing: say how many entries are added up")
    return _checked([(read_law(given), whole(people, "people", at_least=1))])


def _checked(groups: list[tuple[AnyLaw, int]]) -> list[tuple[AnyLaw, int]]:
    people = sum(count for _, count in groups)
    if people > _LARGEST:
        raise TooLarge(
            f"people={people:,}: at most {_LARGEST:,} are added up; ask for fewer, "
            "as delta never grows with the number of people"
        )
    return groups


def read_setting(
    groups: list[tuple[AnyLaw, int]], known: object, simulator: str, definition: str
) -> Setting:
    """Check a question about discrete entries."""
    check_names(simulator, definition)
    discrete = tuple((law, count) for law, count in groups if isinstance(law, EntryLaw))
    if len(discrete) < len(groups):
        raise Unsupported(
            f"{len(groups)} groups, of which {len(groups) - len(discrete)} with a density: several "
            "groups are supported for listed values, and a density for one group alone; judge each "
            "group by itself, as if the entries of the others were known (more unknown entries "
            "never make delta larger)"
        )
    setting = Setting(discrete, 0, simulator, definition)
    _refuse_wide(setting)
    return setting.knowing(check_known(known, setting.people))


def _refuse_wide(setting: Setting) -> None:
    """Refuse laws whose lattice is too fine for the distance between their values."""
    for law, _ in setting.groups:
        span = (law.values[-1] - law.values[0]) / setting.step
        if span > _WIDEST:
            raise TooLarge(
                f"entries {law.text}: from the least to the largest value there are "
                f"{int(span):,} steps of {exact_text(setting.step)}, and {_WIDEST:,} are handled; "
                f"{_COARSER}"
            )


def check_names(simulator: str, definition: str) -> None:
    """Refuse names that are not known."""
    if simulator not in SIMULATORS:
        raise UnknownName("simulator", str(simulator), SIMULATORS)
    if definition not in DEFINITIONS:
        raise UnknownName("definition", str(definition), DEFINITIONS)


def check_known(known: object, people: int) -> int:
    """Read how many entries are known: fewer than there are."""
    count = whole(known, "known")
    if count >= people:
        raise InvalidInput(
            f"known={count} of {counted(people, 'entry', 'entries')}: at most {people - 1} can be "
            "known of others; who knows all others learns your entry from the total"
        )
    return count


def asked_ratio(ratio: object, epsilon: object) -> Number:
    """Read e^epsilon: given, and finite."""
    value = read_ratio(ratio, epsilon)
    if value is None:
        raise InvalidInput("ratio and epsilon are missing: give one of them, such as epsilon=0.5")
    if value == INFINITY:
        raise InvalidInput("an infinite epsilon promises nothing: give a finite one")
    return value


def _is_group(item: object) -> bool:
    return isinstance(item, list | tuple) and len(item) == 2


def _merged(found: list[tuple[AnyLaw, int]]) -> list[tuple[AnyLaw, int]]:
    merged: dict[AnyLaw, int] = {}
    for law, count in found:
        merged[law] = merged.get(law, 0) + count
    return list(merged.items())
