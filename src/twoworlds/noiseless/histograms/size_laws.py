"""Laws of the size N of a random sample (Bassily, Groce, Katz & Smith, Definition 9).

    binomial(population, rate)       each member is sampled independently of the others
    poisson(mean)                    Poisson sampling
    two-sided(centre, ratio)         the centre plus an integer-valued Laplace variable
    discarded(size, ratio, delta)    a fixed size of which a few entries are discarded at random
    fixed(size)                      the size is known
    masses(10=1/2, 11=1/2)           any other, listed

The integer-valued Laplace variable has Pr[l] proportional to ratio^-|l|. Two-sided sizes that
would be negative are 0; between ``low`` and ``high``, if these are given, Pr[N = n] is
proportional to ratio^-|n - centre| instead. A discarded sample has

    N = size - [Laplace + shift]_+,  at least 0,      shift = the least s with ratio^-s <= delta.

Differs from print: the variable is integer-valued and N is clipped at 0, without which
"size - [Lap(1/epsilon) + log(1/delta)/epsilon]_+" is no whole number and may be negative.

Everything is a closed form in the ratio, so that it is exact for a rational one and an enclosure of
any precision for an irrational one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from twoworlds.calls import Registry
from twoworlds.definitions.base import read_delta
from twoworlds.definitions.coupled.words import first_where
from twoworlds.errors import InvalidInput
from twoworlds.laws.counts import Binomial, Counts, Poisson, added
from twoworlds.laws.noise import GeometricNoise
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Real,
    above,
    ball,
    compare,
    counted,
    exact_text,
    number,
    ratio_at_least_one,
    rational,
    show,
    whole,
)

Run = tuple[int, int | None, Number]
"""(low, high, q): Pr[N = n - 1] / Pr[N = n] = q for all low <= n <= high."""
Jump = tuple[int, int | None, bool]
"""Sizes from low to high at which N and N + 1 are too far apart; whether N is the likelier."""
_LONGEST = 1 << 14
_MOST_LISTED = 100_000


@dataclass(frozen=True)
class SizeLaw:
    """The law of a sample's size.

    Attributes:
        text: the law as one would type it.
        words: what is believed about the size, as a clause.
        first: the smallest size.
        last: the largest size; None where there is no end.
        middle: a likeliest size, or nearly so.
        mass: Pr[N = n].
        at_least: Pr[N >= n].
        runs: where the quotients of neighbours are constant; none for ``counts``.
        counts: the law where members are drawn one by one: its quotients only rise.
        discards: size, ratio and shift, where entries of a fixed size are discarded.
    """

    text: str
    words: str
    first: int
    last: int | None
    middle: int
    mass: Callable[[int], Number]
    at_least: Callable[[int], Number]
    runs: Callable[[], Iterable[Run]] = tuple
    counts: Binomial | Poisson | None = None
    discards: tuple[int, Number, int] | None = None

    def __str__(self) -> str:
        return self.text

    def between(self, low: int, high: int | None) -> Number:
        """Return Pr[low <= N <= high]; no ``high`` means no end."""
        beyond = Fraction(0) if high is None else self.at_least(high + 1)
        return self.at_least(low) - beyond

    def jumps(self, ratio: Number) -> Iterator[Jump]:
        """Yield the sizes where Pr[N = n] and Pr[N = n - 1] are further apart than the ratio.

        n runs over all sizes that N or N + 1 can take; one that only one of the two can take is
        always among them.
        """
        if self.counts is not None:  # what is within the ratio is an interval
            low = _first_above(self.counts, lambda q: compare(q * ratio, 1) is not Order.LESS)
            high = _first_above(self.counts, lambda q: compare(q, ratio) is Order.GREATER)
            yield self.first, low - 1, True
            yield high, None if self.last is None else self.last + 1, False
            return
        yield self.first, self.first, True
        for start, end, q in self.runs():
            if compare(q, ratio) is Order.GREATER:
                yield start, end, False
            elif compare(q * ratio, 1) is Order.LESS:
                yield start, end, True
        if self.last is not None:
            yield self.last + 1, self.last + 1, False


def _first_above(counts: Counts, holds: Callable[[Fraction], bool]) -> int:
    """Return the first n above the support's first at which a rising property of q(n) holds."""

    def test(n: int) -> bool:
        beyond = counts.last is not None and n > counts.last
        return beyond or holds(counts.quotient(n))

    return first_where(test, counts.first + 1)


def _laplace(ratio: Number, value: int) -> GeometricNoise:
    """Return the integer-valued Laplace variable: Pr[l] = (a - 1)/(a + 1) a^-|l|.

    Where a power up to the value would be too long a fraction, it is an enclosure.
    """
    p = 1 / ratio
    if isinstance(ratio, Fraction) and abs(value) * ratio.numerator.bit_length() > _LONGEST:
        p = Real(lambda bits: 1 / ball(ratio, bits))
    return GeometricNoise(p)


SIZES: Registry[SizeLaw] = Registry("law of the sample size")


def size_law(law: SizeLaw | str) -> SizeLaw:
    """Read a law of the sample size from a call.

    >>> size_law("binomial(population=50, rate=3/10)").mass(0) == Fraction(7, 10) ** 50
    True
    """
    return law if isinstance(law, SizeLaw) else SIZES.build(law)


def read_rate(rate: object) -> Fraction:
    """Read the probability with which each member is sampled: neither 0 nor 1."""
    value = rational(rate, "rate")
    if not 0 < value < 1:
        raise InvalidInput(
            f"rate={show(value)}: each member is sampled with a probability strictly between 0 and "
            "1; at 0 nobody is, and at 1 nothing about the sample is random"
        )
    return value


def _sampled(counts: Binomial | Poisson, text: str, words: str) -> SizeLaw:
    return SizeLaw(
        text,
        words,
        counts.first,
        counts.last,
        counts.mode,
        counts.pmf,
        counts.at_least,
        counts=counts,
    )


@SIZES.register("binomial")
def binomial(population: object, rate: object) -> SizeLaw:
    """Each of the population's members is sampled independently at the rate."""
    people, p = whole(population, "population", at_least=1), read_rate(rate)
    return _sampled(
        Binomial(people, p),
        f"binomial(population={people}, rate={p})",
        f"each of the {people:,} members of the population is sampled independently with "
        f"probability {p}",
    )


@SIZES.register("poisson")
def poisson(mean: object) -> SizeLaw:
    """Poisson sampling with a mean size."""
    value = read_mean(mean)
    words = f"the size of the sample is Poisson with mean {value}"
    return _sampled(Poisson(value), f"poisson(mean={value})", words)


def read_mean(mean: object) -> Fraction:
    """Read the mean of a Poisson law: above 0."""
    value = rational(mean, "mean")
    if value <= 0:
        raise InvalidInput(f"mean={show(value)}: a Poisson law needs a mean above 0")
    return value


@SIZES.register("two-sided")
def two_sided(centre: object, ratio: object, low: object = None, high: object = None) -> SizeLaw:
    """The centre plus an integer-valued Laplace variable; or on a range from low to high.

    >>> two_sided(2, 3, low=1, high=3).mass(2)
    Fraction(3, 5)
    """
    c, a = whole(centre, "centre"), _spread(ratio)
    shown = exact_text(a)
    if (low is None) != (high is None):
        raise InvalidInput(f"low={low}, high={high}: give both ends of the range, or neither")
    if low is not None:
        first, last = whole(low, "low"), whole(high, "high")
        if not first <= last or last - first > _MOST_LISTED:
            raise InvalidInput(
                f"low={first}, high={last}: the range begins at its low end, and has at most "
                f"{_MOST_LISTED:,} sizes"
            )
        return _listed(
            {n: a ** -abs(n - c) for n in range(first, last + 1)},
            f"two-sided(centre={c}, ratio={shown}, low={first}, high={last})",
            f"the size of the sample lies between {first:,} and {last:,}, each size {shown} times "
            f"less likely for every step away from {c:,}",
        )

    def at_least(n: int) -> Number:
        return Fraction(1) if n <= 0 else _laplace(a, n - c).at_least(n - c)

    def mass(n: int) -> Number:
        if n <= 0:  # all that would be negative is at 0
            return Fraction(0) if n < 0 else 1 - at_least(1)
        return _laplace(a, n - c).pmf(n - c)

    def runs() -> Iterator[Run]:
        yield (1, 1, 1 / (a - 1) if c else a**2 / (a - 1))
        if c >= 2:
            yield (2, c, 1 / a)
        yield (max(2, c + 1), None, a)

    words = (
        f"the size of the sample is {c:,} plus an integer-valued Laplace variable of ratio {shown}"
    )
    return SizeLaw(f"two-sided(centre={c}, ratio={shown})", words, 0, None, c, mass, at_least, runs)


@SIZES.register("discarded")
def discarded(size: object, ratio: object, delta: object = None, shift: object = None) -> SizeLaw:
    """A fixed size of which a few entries are discarded at random; delta fixes how many.

    >>> discarded(100, ratio=2, delta="1/1000").text
    'discarded(size=100, ratio=2, shift=10)'
    """
    n0, a = whole(size, "size", at_least=1), _spread(ratio)
    if (delta is None) == (shift is None):
        raise InvalidInput("discarded needs delta, or shift instead, and not both")
    s = _least_shift(a, read_delta(delta)) if shift is None else whole(shift, "shift")

    def at_least(n: int) -> Number:
        if n <= 0 or n > n0:
            return Fraction(n <= 0)
        return _laplace(a, n + s - n0).at_least(n + s - n0)

    def mass(n: int) -> Number:
        if 0 < n < n0:
            return _laplace(a, n0 - n - s).pmf(n0 - n - s)
        return at_least(n) - at_least(n + 1)

    def runs() -> Iterator[Run]:
        middle, inner = n0 - s, n0 - 1
        if n0 == 1:
            yield (1, 1, mass(0) / mass(1))
            return
        # Next to 0: (a + 1 - a^l) a^(1 - l) / (a - 1) where the middle l is not above 0.
        low = 1 / (a - 1) if middle > 0 else (a + 1 - a**middle) * a ** (1 - middle) / (a - 1)
        yield (1, 1, low)
        if (top := min(middle, inner)) >= 2:
            yield (2, top, 1 / a)
        if (bottom := max(2, middle + 1)) <= inner:
            yield (bottom, inner, a)
        yield (n0, n0, a - 1 if s else (a - 1) / a**2)

    shown = exact_text(a)
    words = (
        f"the sample is what remains of {counted(n0, 'entry', 'entries')} when a random number of "
        f"them, {s} give or take an integer-valued Laplace variable of ratio {shown}, is discarded "
        "at random"
    )
    return SizeLaw(
        f"discarded(size={n0}, ratio={shown}, shift={s})",
        words,
        0,
        n0,
        max(0, n0 - s),
        mass,
        at_least,
        runs,
        discards=(n0, a, s),
    )


def _least_shift(ratio: Number, delta: Number) -> int:
    if delta == 0:
        raise InvalidInput("delta=0: no finite number of discarded entries suffices; raise delta")
    least = 0
    while compare(ratio**least * delta, 1) is Order.LESS:
        least += 1
    return least


@SIZES.register("fixed")
def fixed(size: object) -> SizeLaw:
    """The size is known to everybody."""
    n = whole(size, "size", at_least=1)
    known = f"everybody knows that the sample has {counted(n, 'entry', 'entries')}"
    return _listed({n: Fraction(1)}, f"fixed(size={n})", known)


@SIZES.register("masses")
def masses(*pairs: object) -> SizeLaw:
    """Any law, listed as sizes with their probabilities.

    >>> masses("10=1/2", "11=1/2").at_least(11)
    Fraction(1, 2)
    """
    found: dict[int, Number] = {}
    for size, probability in _pairs(pairs):
        n, p = whole(size, "size"), number(probability, f"probability of {size}")
        if p < 0 or n in found:
            raise InvalidInput(f"masses: size {n} is listed twice, or with less than 0")
        if p != 0:
            found[n] = p
    total = added(found.values())
    if compare(total, 1) is not Order.EQUAL:
        raise InvalidInput(f"masses sum to {show(total)}: probabilities must sum to 1")
    listed = ", ".join(f"{n}={exact_text(p)}" for n, p in found.items())
    return _listed(found, f"masses({listed})", "the size of the sample has the listed law")


def _listed(weights: Mapping[int, Number], text: str, words: str) -> SizeLaw:
    """Return the law with listed weights, which are divided by their sum."""
    first, last, total = min(weights), max(weights), added(weights.values())

    def mass(n: int) -> Number:
        weight = weights.get(n, Fraction(0))
        return weight if weight == 0 else weight / total

    def at_least(n: int) -> Number:
        if n <= first or n > last:
            return Fraction(n <= first)
        return added(w for j, w in weights.items() if j >= n) / total

    def runs() -> Iterator[Run]:
        for n in range(first + 1, last + 1):
            before, here = (weights.get(j, Fraction(0)) for j in (n - 1, n))
            if before != 0 or here != 0:  # else both are impossible, which does not matter
                yield (n, n, INFINITY if here == 0 else before / here)

    likeliest = max(weights, key=lambda n: above(weights[n]))
    return SizeLaw(text, words, first, last, likeliest, mass, at_least, runs)


def _pairs(pairs: Iterable[object]) -> Iterator[tuple[object, object]]:
    for pair in pairs:
        if isinstance(pair, Mapping):
            yield from pair.items()
        elif isinstance(pair, str) and "=" in pair:
            size, _, probability = pair.partition("=")
            yield size, probability
        elif isinstance(pair, tuple) and len(pair) == 2:
            yield pair
        else:
            raise InvalidInput(f"masses: {pair!r} is not of the form size=probability")


def _spread(ratio: object) -> Number:
    a = ratio_at_least_one(ratio)
    if a == 1 or a == INFINITY:
        raise InvalidInput(f"ratio={show(a)}: sizes spread by a finite ratio above 1")
    return a
