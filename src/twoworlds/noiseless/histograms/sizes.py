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

What the laws compute is in `size_laws`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from twoworlds.calls import Registry
from twoworlds.definitions.base import read_delta
from twoworlds.errors import InvalidInput
from twoworlds.laws.counts import Binomial, Poisson, added
from twoworlds.noiseless.histograms.size_laws import Discarded, Listed, Sampled, SizeLaw, TwoSided
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    compare,
    exact_text,
    number,
    ratio_at_least_one,
    rational,
    show,
    whole,
)

__all__ = [
    "SIZES",
    "binomial",
    "discarded",
    "fixed",
    "masses",
    "poisson",
    "read_rate",
    "size_law",
    "two_sided",
]

SIZES: Registry[SizeLaw] = Registry("law of the sample size")
_MOST_LISTED = 100_000


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


@SIZES.register("binomial")
def binomial(population: object, rate: object) -> SizeLaw:
    """Each of the population's members is sampled independently at the rate."""
    return Sampled(Binomial(whole(population, "population", at_least=1), read_rate(rate)))


@SIZES.register("poisson")
def poisson(mean: object) -> SizeLaw:
    """Poisson sampling with a mean size."""
    value = rational(mean, "mean")
    if value <= 0:
        raise InvalidInput(f"mean={show(value)}: a Poisson law needs a mean above 0")
    return Sampled(Poisson(value))


@SIZES.register("two-sided")
def two_sided(centre: object, ratio: object, low: object = None, high: object = None) -> SizeLaw:
    """The centre plus an integer-valued Laplace variable; or on a range from low to high.

    >>> two_sided(2, 3, low=1, high=3).mass(2)
    Fraction(3, 5)
    """
    middle, a = whole(centre, "centre"), _spread(ratio)
    if low is None and high is None:
        return TwoSided(middle, a)
    if low is None or high is None:
        raise InvalidInput(f"low={low}, high={high}: give both ends of the range, or neither")
    first, last = whole(low, "low"), whole(high, "high")
    if not first <= last or last - first > _MOST_LISTED:
        raise InvalidInput(
            f"low={first}, high={last}: the range begins at its low end, and has at most "
            f"{_MOST_LISTED:,} sizes"
        )
    weights = {n: a ** -abs(n - middle) for n in range(first, last + 1)}
    shown = exact_text(a)
    return Listed(
        weights,
        f"two-sided(centre={middle}, ratio={shown}, low={first}, high={last})",
        f"the size of the sample lies between {first:,} and {last:,}, each size {shown} times less "
        f"likely for every step away from {middle:,}",
    )


@SIZES.register("discarded")
def discarded(size: object, ratio: object, delta: object = None, shift: object = None) -> Discarded:
    """A fixed size of which a few entries are discarded at random; delta fixes how many.

    >>> discarded(100, ratio=2, delta="1/1000").shift
    10
    """
    n, a = whole(size, "size", at_least=1), _spread(ratio)
    if (delta is None) == (shift is None):
        raise InvalidInput("discarded needs delta, or shift instead, and not both")
    if shift is not None:
        return Discarded(n, a, whole(shift, "shift"))
    allowed = read_delta(delta)
    if allowed == 0:
        raise InvalidInput("delta=0: no finite number of discarded entries suffices; raise delta")
    least = 0
    while compare(a**least * allowed, 1) is Order.LESS:
        least += 1
    return Discarded(n, a, least)


@SIZES.register("fixed")
def fixed(size: object) -> SizeLaw:
    """The size is known to everybody."""
    n = whole(size, "size", at_least=1)
    return Listed(
        {n: Fraction(1)}, f"fixed(size={n})", f"everybody knows that the sample has {n:,} entries"
    )


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
    return Listed(found, f"masses({listed})", "the size of the sample has the listed law")


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
