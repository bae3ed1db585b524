"""What an attacker believes about one entry of a table that they do not know.

`EntryLaw` is a law on finitely many rational values, hence on a lattice; `UniformInterval` is the
uniform law on [a, b]; `UniformComponent` is the class of all densities on [a, b] that are at
least eta there (Bassily, Groce, Katz & Smith, Section III-A): with probability eta (b - a) such an
entry is uniform, and otherwise anything. `read_law` reads all three from text:

    -1, 0, 1                            each as likely as the others
    0..20                               whole numbers, ends included; also 0..1 by 1/10
    -1=1/4, 0=1/2, 1=1/4                with their probabilities
    bernoulli(1/3)                      1 with that probability, else 0
    uniform [-1, 1]                     the uniform density
    component [-1, 1] at least 1/4      all densities of at least 1/4
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from twoworlds.errors import InvalidInput, NotStochastic, TooLarge
from twoworlds.numbers import exact_text, probability, rational

MOST_VALUES = 100_000
_LISTED = 6
_RANGE = re.compile(r"(.+?)\.\.(.+?)(?:\s+by\s+(.+))?", re.DOTALL)
_BERNOULLI = re.compile(r"bernoulli\s*\(\s*(?:p\s*=\s*)?([^()]+)\)", re.IGNORECASE)
_INTERVAL = re.compile(
    r"(uniform)?(?:\s+(?:interval|on))?\s*\[([^,\[\]]+),([^,\[\]]+)\]", re.IGNORECASE
)
_COMPONENT = re.compile(
    r"(?:uniform[\s-]+)?component(?:\s+(?:interval|on))?\s*\[([^,\[\]]+),([^,\[\]]+)\]\s*,?\s*"
    r"(?:at\s+least|eta\s*=|floor\s*=|>=)\s*(.+)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class EntryLaw:
    """A law on finitely many rational values.

    >>> law = EntryLaw.uniform([-1, 0, 1])
    >>> law.text, law.step, law.is_log_concave
    ('uniform on -1, 0, 1', Fraction(1, 1), True)
    """

    values: tuple[Fraction, ...]
    masses: tuple[Fraction, ...]
    step: Fraction = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not self.values:
            raise InvalidInput("a law needs at least one value: write it like -1, 0, 1 or 0..20")
        if len(self.values) != len(self.masses):
            raise InvalidInput(
                f"{len(self.values)} values and {len(self.masses)} masses: one mass for each value"
            )
        if any(a >= b for a, b in pairwise(self.values)) or min(self.masses) <= 0:
            raise InvalidInput("values must increase, with positive masses: use EntryLaw.of")
        if sum(self.weights) != self.scale:
            raise NotStochastic(
                f"the masses sum to {exact_text(Fraction(sum(self.weights), self.scale))}: "
                "a probability law sums to 1"
            )
        object.__setattr__(self, "step", common_step([self]))

    @classmethod
    def of(cls, masses: Mapping[object, object]) -> EntryLaw:
        """Return the law with these probabilities; values of probability 0 are left out.

        >>> EntryLaw.of({"0": "3/4", "1": "1/4"}).masses
        (Fraction(3, 4), Fraction(1, 4))
        """
        found: dict[Fraction, Fraction] = {}
        for given, mass in masses.items():
            value = rational(given, "value")
            if value in found:
                raise InvalidInput(f"value {exact_text(value)} is listed twice: add up its masses")
            found[value] = probability(mass, f"probability of {exact_text(value)}")
        kept = sorted((value, mass) for value, mass in found.items() if mass)
        return cls(tuple(v for v, _ in kept), tuple(m for _, m in kept))

    @classmethod
    def uniform(cls, values: Iterable[object]) -> EntryLaw:
        """Return the law that gives each of these values the same probability."""
        listed = [rational(value, "value") for value in values]
        _refuse_many(len(listed))
        for a, b in pairwise(sorted(listed)):
            if a == b:
                raise InvalidInput(
                    f"value {exact_text(a)} is listed twice: "
                    "give the probabilities instead, like 0=2/3, 1=1/3"
                )
        return cls(tuple(sorted(listed)), (Fraction(1, max(1, len(listed))),) * len(listed))

    @classmethod
    def bernoulli(cls, p: object) -> EntryLaw:
        """Return the law of 1 with probability p, and else 0."""
        chance = probability(p, "p")
        return cls.of({0: 1 - chance, 1: chance})

    @property
    def text(self) -> str:
        """The law in words."""
        even = len(set(self.masses)) == 1
        if len(self.values) == 1:
            return f"always {exact_text(self.values[0])}"
        if even and len(self.values) > _LISTED:
            low, high = exact_text(self.values[0]), exact_text(self.values[-1])
            if self.is_gapless:
                by = "" if self.step == 1 else f" by {exact_text(self.step)}"
                return f"uniform on {low}..{high}{by}"
            return f"uniform on {len(self.values)} values from {low} to {high}"
        if even:
            return "uniform on " + ", ".join(map(str, map(exact_text, self.values)))
        if len(self.values) > _LISTED:
            low, high = exact_text(self.values[0]), exact_text(self.values[-1])
            return f"{len(self.values)} values from {low} to {high} with given probabilities"
        pairs = zip(self.values, self.masses, strict=True)
        return ", ".join(f"{exact_text(v)} with probability {exact_text(m)}" for v, m in pairs)

    @cached_property
    def scale(self) -> int:
        """The common denominator of the masses."""
        return math.lcm(*{mass.denominator for mass in self.masses})

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """The masses, times the scale."""
        return tuple(m.numerator * (self.scale // m.denominator) for m in self.masses)

    @cached_property
    def places(self) -> tuple[int, ...]:
        """How many steps each value lies above the least one."""
        return tuple(int((value - self.values[0]) / self.step) for value in self.values)

    @property
    def is_gapless(self) -> bool:
        """Whether every lattice point between the least and the largest value is one."""
        return self.places[-1] == len(self.places) - 1

    @cached_property
    def is_log_concave(self) -> bool:
        """Whether m(k)^2 >= m(k-1) m(k+1) on the lattice, without gaps: decided exactly."""
        w = self.weights
        return self.is_gapless and all(
            w[k] ** 2 >= w[k - 1] * w[k + 1] for k in range(1, len(w) - 1)
        )

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The least and the largest value."""
        return self.values[0], self.values[-1]

    @cached_property
    def variance(self) -> Fraction:
        """The variance."""
        pairs = list(zip(self.places, self.weights, strict=True))
        first = sum(place * weight for place, weight in pairs)
        second = sum(place * place * weight for place, weight in pairs)
        spread = Fraction(second, self.scale) - Fraction(first, self.scale) ** 2
        return spread * self.step**2

    def allows(self, value: Fraction) -> bool:
        """Tell whether this value has positive probability."""
        return value in self._index

    @cached_property
    def _index(self) -> frozenset[Fraction]:
        return frozenset(self.values)


@dataclass(frozen=True)
class UniformInterval:
    """The uniform law on [low, high]."""

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise InvalidInput(
                f"[{exact_text(self.low)}, {exact_text(self.high)}] is no interval: "
                "the lower end must be below the upper one"
            )

    @property
    def text(self) -> str:
        """The law in words."""
        return f"uniform between {exact_text(self.low)} and {exact_text(self.high)}"

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """Both ends."""
        return self.low, self.high

    def allows(self, value: Fraction) -> bool:
        """Tell whether the value lies in the interval."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class UniformComponent(UniformInterval):
    """All laws on [low, high] whose density is at least ``floor`` everywhere there."""

    floor: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.floor <= 1 / (self.high - self.low):
            raise InvalidInput(
                f"a density of at least {exact_text(self.floor)} on "
                f"[{exact_text(self.low)}, {exact_text(self.high)}]: it must be above 0 and at "
                f"most {exact_text(1 / (self.high - self.low))}, as it integrates to 1"
            )

    @property
    def share(self) -> Fraction:
        """The probability eta (b - a) with which an entry is uniform."""
        return self.floor * (self.high - self.low)

    @property
    def text(self) -> str:
        """The class in words."""
        low, high = exact_text(self.low), exact_text(self.high)
        return f"of some density of at least {exact_text(self.floor)} between {low} and {high}"


AnyLaw = EntryLaw | UniformInterval


def read_law(given: AnyLaw | str | Mapping[object, object] | Iterable[object]) -> AnyLaw:
    """Read what is believed about an entry: a law, text, masses by value, or values.

    >>> read_law("0=3/4, 1=1/4") == read_law({0: "3/4", 1: "1/4"})
    True
    >>> read_law("[-1, 1]").text, read_law("component [-1, 1] at least 1/4").share
    ('uniform between -1 and 1', Fraction(1, 2))
    """
    if isinstance(given, EntryLaw | UniformInterval):
        return given
    if isinstance(given, Mapping):
        return EntryLaw.of(given)
    if not isinstance(given, str):
        return EntryLaw.uniform(given)
    text = given.strip()
    if match := _COMPONENT.fullmatch(text):
        low, high, floor = (rational(part.strip(), "interval") for part in match.groups())
        return UniformComponent(low, high, floor)
    if match := _INTERVAL.fullmatch(text):
        return UniformInterval(*(rational(part.strip(), "interval") for part in match.groups()[1:]))
    if match := _BERNOULLI.fullmatch(text):
        return EntryLaw.bernoulli(match.group(1))
    parts = [part.strip() for part in text.split(",")] if text else []
    if any("=" in part for part in parts):
        return _with_masses(parts)
    return EntryLaw.uniform(value for part in parts for value in _values(part))


def common_step(laws: Iterable[EntryLaw]) -> Fraction:
    """Return the largest number of which all differences within each law are multiples, or 1."""
    gaps = {b - a for law in laws for a, b in pairwise(law.values)}
    if not gaps:
        return Fraction(1)
    bottom = math.lcm(*(gap.denominator for gap in gaps))
    return Fraction(math.gcd(*(int(gap * bottom) for gap in gaps)), bottom)


def _with_masses(parts: list[str]) -> EntryLaw:
    masses: dict[object, object] = {}
    for part in parts:
        value, sign, mass = part.partition("=")
        if not sign:
            raise InvalidInput(
                f"{part!r} has no probability although others have: write it like {part}=1/4"
            )
        exact = rational(value, "value")
        if exact in masses:
            raise InvalidInput(f"value {value.strip()} is listed twice: add up its probabilities")
        masses[exact] = mass
    return EntryLaw.of(masses)


def _values(part: str) -> Iterable[Fraction]:
    match = _RANGE.fullmatch(part)
    if match is None:
        return [rational(part, "value")]
    low, high = (rational(end, "end of a range") for end in match.groups()[:2])
    step = rational(match.group(3) or 1, "step of a range")
    if step <= 0 or high < low or (high - low) % step:
        raise InvalidInput(
            f"{part!r} is no range: write it like 0..20 or 0..1 by 1/10, "
            "where steps lead from the lower end to the upper one"
        )
    count = int((high - low) / step) + 1
    _refuse_many(count)
    return (low + k * step for k in range(count))


def _refuse_many(count: int) -> None:
    if count > MOST_VALUES:
        raise TooLarge(
            f"{count:,} values: a law may have {MOST_VALUES:,}; "
            "use a coarser step, or an interval such as uniform [0, 1]"
        )
