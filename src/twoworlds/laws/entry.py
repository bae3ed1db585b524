"""What an attacker believes about one entry of a table that they do not know.

`EntryLaw` is a law on finitely many rational values, hence on a lattice. `StepDensity` is a density
in steps, such as the uniform one on [a, b], or the class of all densities that are at least so
much: of at least eta on [a, b] (Bassily, Groce, Katz & Smith, Section III-A), such an entry is
uniform with probability eta (b - a), and otherwise anything. `read_law` reads both from text:

    -1, 0, 1                            each as likely as the others
    0..20                               whole numbers, ends included; also 0..1 by 1/10
    -1=1/4, 0=1/2, 1=1/4                with their probabilities
    bernoulli(1/3)                      1 with that probability, else 0
    uniform [-1, 1]                     the uniform density
    component [-1, 1] at least 1/4      all densities of at least 1/4
    steps [0, 1]=1/3, [2, 4]=2/3        uniform on each piece, with gaps between them
    triangular [0, 1]                   a density that rises and falls; triangular [0, 1] at 1/4
    beta(2, 3) [0, 1]                   with whole parameters from 1 on
    normal(0, 1) [-3, 3]                mean and standard deviation, cut to the interval
    exponential(2) [0, 3]               the rate, cut to the interval

The last four are known by a step function that their density is at least.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from flint import arb

from twoworlds.errors import InvalidInput, NotStochastic, TooLarge
from twoworlds.numbers import (
    Number,
    Real,
    ball,
    bounds,
    exact_text,
    exp,
    probability,
    rational,
)

MOST_VALUES = 100_000
_LEAST_CELLS, _MOST_CELLS, _NAMED_CELLS = 32, 1024, 128
_FINE = 1 << 32
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
_PIECE = re.compile(r"\s*\[([^,\[\]]+),([^,\[\]]+)\]\s*=\s*([^,]+?)\s*(?:,|$)")
_NAMED = re.compile(
    r"(triangular|beta|normal|exponential)\s*(?:\(([^()]*)\))?\s*\[([^,\[\]]+),([^,\[\]]+)\]"
    r"(?:\s+at\s+(.+))?",
    re.IGNORECASE,
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
class StepDensity:
    """A density in steps: uniform within each piece (low, high, probability); gaps are allowed.

    If the probabilities sum to less than 1 it stands for all laws on [low, high] whose density is
    at least that, such as the one in ``name``.
    """

    low: Fraction
    high: Fraction
    pieces: tuple[tuple[Fraction, Fraction, Fraction], ...]
    name: str = ""
    masses: tuple[Fraction, ...] = ()
    """Of one law that is at least the steps: the probabilities of its cells, rounded down."""

    @classmethod
    def of(
        cls, pieces: Iterable[tuple[Fraction, Fraction, Fraction]], name: str = ""
    ) -> StepDensity:
        """Return the density with these pieces, in order; empty ones are left out."""
        kept = tuple(sorted(piece for piece in pieces if piece[2] != 0))
        if not kept:
            raise InvalidInput(
                "a density in steps needs a piece: write steps [0, 1]=1/2, [2, 3]=1/2"
            )
        found = cls(kept[0][0], max(high for _, high, _ in kept), kept, name)
        for low, high, _ in kept:
            _require_interval(low, high)
        if any(mass < 0 for *_, mass in kept) or any(a[1] > b[0] for a, b in pairwise(kept)):
            raise InvalidInput("steps: pieces must be intervals that do not overlap")
        if found.share > 1 or (not name and found.share != 1):
            raise NotStochastic(
                f"the pieces have probability {exact_text(found.share)} together: it must be 1"
            )
        return found

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The least and the largest value."""
        return self.low, self.high

    @property
    def flat(self) -> bool:
        """Whether there is one step from end to end: the uniform law, or at least part of it."""
        return [piece[:2] for piece in self.pieces] == [self.ends]

    @property
    def uniform(self) -> bool:
        """Whether it is the uniform law alone."""
        return self.flat and self.share == 1

    @cached_property
    def share(self) -> Fraction:
        """The probability with which an entry follows the steps."""
        return sum((mass for _, _, mass in self.pieces), Fraction(0))

    @cached_property
    def width(self) -> Fraction:
        """The width of a cell: a common part of all pieces, at least 32 to the whole."""
        ends = sorted({end for low, high, _ in self.pieces for end in (low, high)})
        step = common_step([EntryLaw.uniform(ends)])
        many = (self.high - self.low) / step
        if many > _MOST_CELLS:
            raise TooLarge(
                f"{int(many):,} cells of width {exact_text(step)}: a density may have "
                f"{_MOST_CELLS:,}; let the pieces end on a coarser grid"
            )
        return step / math.ceil(_LEAST_CELLS / many)

    @cached_property
    def cells(self) -> EntryLaw:
        """The law of the cell of an entry, 0 for the first one."""
        masses: dict[object, object] = {}
        for low, high, mass in self.pieces:
            many = int((high - low) / self.width)
            first = int((low - self.low) / self.width)
            masses |= {first + i: mass / many / self.share for i in range(many)}
        return EntryLaw.of(masses)

    @cached_property
    def around(self) -> tuple[EntryLaw, EntryLaw] | None:
        """Laws of a cell that stay below and above an entry, with uniform noise in every cell.

        Where the steps are not all of it, an entry is counted one cell lower, or higher.
        """
        if self.share == 1:
            return self.cells, self.cells
        if not self.masses or self.width * len(self.masses) != self.high - self.low:
            return None
        steps = {int((low - self.low) / self.width): mass for low, _, mass in self.pieces}
        found = []
        for side, end in ((-1, -1), (1, len(self.masses))):
            laws = dict(steps)
            for k, mass in enumerate(self.masses):
                laws[k + side] = laws.get(k + side, Fraction(0)) + mass - steps.get(k, Fraction(0))
            laws[end] = laws.get(end, Fraction(0)) + 1 - sum(self.masses)
            found.append(EntryLaw.of(laws))  # type: ignore[arg-type]
        return found[0], found[1]

    @property
    def text(self) -> str:
        if self.name:
            return self.name
        if self.flat:
            return f"uniform between {exact_text(self.low)} and {exact_text(self.high)}"
        parts = (
            f"between {exact_text(low)} and {exact_text(high)} with probability {exact_text(mass)}"
            for low, high, mass in self.pieces[:_LISTED]
        )
        more = ", and so on" if len(self.pieces) > _LISTED else ""
        return f"uniform in steps: {', '.join(parts)}{more}"

    def allows(self, value: Fraction) -> bool:
        """Tell whether the value lies in a piece, or of a class of laws, between the ends."""
        if self.share < 1:
            return self.low <= value <= self.high
        return any(low <= value <= high for low, high, _ in self.pieces)


AnyLaw = EntryLaw | StepDensity


def read_law(given: AnyLaw | str | Mapping[object, object] | Iterable[object]) -> AnyLaw:
    """Read what is believed about an entry: a law, text, masses by value, or values.

    >>> read_law("0=3/4, 1=1/4") == read_law({0: "3/4", 1: "1/4"})
    True
    >>> read_law("[-1, 1]").text, read_law("component [-1, 1] at least 1/4").share
    ('uniform between -1 and 1', Fraction(1, 2))
    """
    if isinstance(given, EntryLaw | StepDensity):
        return given
    if isinstance(given, Mapping):
        return EntryLaw.of(given)
    if not isinstance(given, str):
        return EntryLaw.uniform(given)
    text = given.strip()
    if match := _COMPONENT.fullmatch(text):
        return _component(*(rational(part.strip(), "interval") for part in match.groups()))
    if match := _INTERVAL.fullmatch(text):
        low, high = (rational(part.strip(), "interval") for part in match.groups()[1:])
        return StepDensity.of([(low, high, Fraction(1))])
    if text.lower().startswith("steps"):
        return _steps(text[5:])
    if match := _NAMED.fullmatch(text):
        return _named(*match.groups())
    if match := _BERNOULLI.fullmatch(text):
        return EntryLaw.bernoulli(match.group(1))
    parts = [part.strip() for part in text.split(",")] if text else []
    if any("=" in part for part in parts):
        return _with_masses(parts)
    return EntryLaw.uniform(value for part in parts for value in _values(part))


def _require_interval(low: Fraction, high: Fraction) -> None:
    if not low < high:
        raise InvalidInput(
            f"[{exact_text(low)}, {exact_text(high)}] is not an interval: "
            "the lower end must be below the upper one"
        )


def _component(low: Fraction, high: Fraction, floor: Fraction) -> StepDensity:
    """Return all densities on [low, high] of at least ``floor``."""
    _require_interval(low, high)
    ends, most = (exact_text(low), exact_text(high)), 1 / (high - low)
    if not 0 < floor <= most:
        raise InvalidInput(
            f"a density of at least {exact_text(floor)} on [{', '.join(map(str, ends))}]: it must "
            f"be above 0 and at most {exact_text(most)}, as it integrates to 1"
        )
    name = f"of some density of at least {exact_text(floor)} between {' and '.join(map(str, ends))}"
    return StepDensity.of([(low, high, floor / most)], name)


def _steps(text: str) -> StepDensity:
    pieces, rest = [], text
    while rest.strip():
        match = _PIECE.match(rest)
        if match is None:
            raise InvalidInput(f"steps{text}: write it like steps [0, 1]=1/2, [2, 3]=1/2")
        low, high, mass = (rational(part.strip(), "steps") for part in match.groups())
        pieces.append((low, high, mass))
        rest = rest[match.end() :]
    return StepDensity.of(pieces)


def _named(kind: str, given: str | None, first: str, last: str, mode: str | None) -> StepDensity:
    """Return a named density by a step function below it: on a cell it is least at an end."""
    low, high = rational(first.strip(), "interval"), rational(last.strip(), "interval")
    _require_interval(low, high)
    numbers = [rational(part.strip(), kind) for part in (given or "").split(",") if part.strip()]
    density, below = _density(kind.lower(), numbers, (low, high), mode)
    width = (high - low) / _NAMED_CELLS
    heights = [bounds(density(low + i * width))[0] for i in range(_NAMED_CELLS + 1)]
    chances = [below(low + i * width) for i in range(_NAMED_CELLS + 1)]
    pieces, masses = [], []
    for i, pair in enumerate(pairwise(heights)):
        mass = Fraction(math.floor(min(pair) * width * _FINE), _FINE)
        pieces.append((low + i * width, low + (i + 1) * width, mass))
        inside = bounds(chances[i + 1] - chances[i])[0]
        masses.append(max(mass, Fraction(math.floor(inside * _FINE), _FINE)))
    ends = f"between {exact_text(low)} and {exact_text(high)}"
    shape = f"{kind.lower()}({', '.join(map(str, map(exact_text, numbers)))})" if numbers else kind
    peak = "" if mode is None else f" with its peak at {mode.strip()}"
    found = StepDensity.of(pieces, f"{shape} {ends}{peak}")
    return StepDensity(low, high, found.pieces, found.name, tuple(masses))


def _density(
    kind: str, numbers: list[Fraction], ends: tuple[Fraction, Fraction], mode: str | None
) -> tuple[Callable[[Fraction], Number], Callable[[Fraction], Number]]:
    """Return the density, which rises and then falls, and the probability of being below."""
    low, high = ends
    size = high - low
    wanted = {"triangular": 0, "beta": 2, "normal": 2, "exponential": 1}[kind]
    if len(numbers) != wanted or (mode is not None and kind != "triangular"):
        raise InvalidInput(
            f"{kind}: write triangular [0, 1], triangular [0, 1] at 1/4, beta(2, 3) [0, 1], "
            "normal(0, 1) [-3, 3] or exponential(2) [0, 3]"
        )
    if kind == "triangular":
        peak = (low + high) / 2 if mode is None else rational(mode.strip(), "at")
        if not low <= peak <= high:
            raise InvalidInput(f"triangular: its peak {exact_text(peak)} lies outside the interval")
        return (
            lambda x: (
                2
                / size
                * (
                    1
                    if x == peak
                    else (x - low) / (peak - low)
                    if x < peak
                    else (high - x) / (high - peak)
                )
            ),
            lambda x: (
                (x - low) ** 2 / (size * (peak - low))
                if x < peak
                else 1 - (high - x) ** 2 / (size * (high - peak) if high > peak else 1)
            ),
        )
    if kind == "beta":
        if any(n < 1 or n.denominator > 1 for n in numbers):
            raise InvalidInput("beta: its parameters must be whole numbers from 1 on")
        p, q = (int(n) - 1 for n in numbers)
        scale = (p + q + 1) * math.comb(p + q, p) / size ** (p + q + 1)
        n = p + q + 1
        return (
            lambda x: scale * (x - low) ** p * (high - x) ** q,
            lambda x: (
                sum(
                    math.comb(n, j) * (x - low) ** j * (high - x) ** (n - j)
                    for j in range(p + 1, n + 1)
                )
                / size**n
            ),
        )
    if numbers[-1] <= 0:
        raise InvalidInput(f"{kind}: its standard deviation or rate must be above 0")
    if kind == "exponential":
        rate = numbers[0]
        whole = 1 - exp(-rate * size)
        return (
            lambda x: rate * exp(-rate * (x - low)) / whole,
            lambda x: (1 - exp(-rate * (x - low))) / whole,
        )
    mean, sigma = numbers
    first, last = ((end - mean) / sigma for end in ends)
    inside = Real(lambda bits: _normal_below(last, bits) - _normal_below(first, bits))
    unit = Real(lambda bits: (2 * arb.pi()).sqrt() * ball(sigma, bits))
    return (
        lambda x: exp(-(((x - mean) / sigma) ** 2) / 2) / (unit * inside),
        lambda x: (
            Real(lambda bits: _normal_below((x - mean) / sigma, bits) - _normal_below(first, bits))
            / inside
        ),
    )


def _normal_below(x: Fraction, bits: int) -> arb:
    return (1 + (ball(x, bits) / arb(2).sqrt()).erf()) / 2


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
            f"{part!r} is not a range: write it like 0..20 or 0..1 by 1/10, "
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
