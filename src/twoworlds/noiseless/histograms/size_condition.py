"""How random a sample's size must be: Eq (2) of Bassily, Groce, Katz & Smith, and its Lemma 2.

Eq (2) asks of the size N that Pr[N = n] / Pr[N = n - 1] lies within e^(+-epsilon) for all n but a
set of probability delta. The smallest size always fails, as nothing is below it.

Differs from print: the paper draws n from N only. That does not even make N and N + 1 alike: for
Pr[N = n] proportional to e^(epsilon n) on 0..m only n = 0 fails, which is rare, while N = m is
common and N + 1 = m + 1 gives the added person away. So the failure is computed under N and under
N + 1, and the larger one is the answer.

Lemma 2 prints exp(-mean epsilon^2) for Poisson sizes, which is false, and exp(-Omega(n p
epsilon^2)) for binomial ones, which needs n p (1 - p) and a bounded epsilon. Chernoff's bounds do
hold. With a = e^epsilon a Poisson size fails below mean/a and above mean a, and

    Pr[N < mean/a]          <= exp(-mean (1 - (1 + epsilon)/a))
    Pr[N > mean a]          <= exp(-mean (1 - a + epsilon a))
    Pr[N + 1 > mean a]      <= a exp(-mean (1 - a + epsilon a))

the last since Pr[N + 1 = n] = Pr[N = n] n / mean and E[N e^(epsilon N)] = mean a e^(mean (a - 1)).
A binomial size that fails from x on (or up to x) has Pr[N >= x] <= exp(-n D(x/n, p)) with
D(x, p) = x ln(x/p) + (1 - x) ln((1 - x)/(1 - p)), as long as x/n is on that side of p.

Laws of the size N of a random sample (Bassily, Groce, Katz & Smith, Definition 9).

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

from flint import arb

from twoworlds.calls import Registry
from twoworlds.definitions.base import read_delta, read_ratio
from twoworlds.definitions.coupled.words import assumed, claim, counted
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput
from twoworlds.laws.counts import Binomial, Poisson, added
from twoworlds.laws.event import EventWitness, recomputed
from twoworlds.noiseless.histograms.size_laws import (
    Discarded,
    Jump,
    ListedSizes,
    Sampled,
    SizeLaw,
    TwoSided,
)
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Real,
    at_most_one,
    ball,
    compare,
    decimal,
    exact_text,
    exp,
    ln,
    maximum,
    number,
    positive_part,
    ratio_at_least_one,
    rational,
    show,
    whole,
)

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
    return ListedSizes(
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
    known = f"everybody knows that the sample has {counted(n, 'entry', 'entries')}"
    return ListedSizes({n: Fraction(1)}, f"fixed(size={n})", known)


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
    return ListedSizes(found, f"masses({listed})", "the size of the sample has the listed law")


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


_PLAIN_TERMS = 2000
_SHOWN = 4


def _witness(
    law: SizeLaw, jumps: tuple[Jump, ...], probabilities: tuple[Number, Number]
) -> EventWitness:
    """Return the sizes at which the law moves too fast; few enough are added up one by one."""
    parts = [_written(jump) for jump in jumps[:_SHOWN]]
    if len(jumps) > _SHOWN:
        parts.append(f"and {len(jumps) - _SHOWN} more")

    def again() -> list[Number]:
        return [added(_plain(law, jump, shift) for jump in jumps) for shift in (0, 1)]

    return EventWitness(
        ("N", "N + 1"),
        f"the condition fails at n = {', '.join(parts)}",
        probabilities,
        recomputed(again),
        data={"fails_at": [[jump.low, jump.high] for jump in jumps]},
    )


def size_condition(
    law: SizeLaw | str, *, ratio: object = None, epsilon: object = None, delta: object = None
) -> Verdict:
    """Return the exact probability with which Eq (2) fails, under N and under N + 1.

    >>> size_condition("masses(0=1/2, 1=1/2)", ratio=2).delta
    Fraction(1, 2)
    """
    size, a = size_law(law), read_ratio(ratio, epsilon)
    if a is None or a == INFINITY:
        raise InvalidInput("the condition on sizes needs a finite ratio= or epsilon=")
    jumps = tuple(size.jumps(a))
    under, more = (_failure(size, jumps, shift) for shift in (0, 1))
    values: dict[str, Number] = {
        "ratio": a,
        "epsilon": ln(a),
        "delta": at_most_one(maximum(under, more)),
        "failure": under,
        "failure_plus_one": more,
        "distance": _distance(size, jumps, a),
    }
    if bounded := chernoff(size, a):
        values["chernoff"], values["chernoff_plus_one"] = bounded
    found = Verdict(
        f"the size of a sample, {size.text}",
        claim("size-condition", a),
        values,
        _sentence(size, values),
        (
            size.words,
            "compared are the sizes N and N + 1; the smallest size counts as a failure",
        ),
        witness=_witness(size, jumps, (under, more)),
        method="every size at which N or N + 1 can be is covered by the listed intervals",
        notes=tuple(_notes(size, values)),
    )
    if delta is None:
        return found
    allowed = read_delta(delta)
    return found.against(claim("size-condition", a, allowed), found.delta, allowed)


def chernoff(law: SizeLaw | str, ratio: Number) -> tuple[Number, Number] | None:
    """Return upper bounds on the failure of Eq (2) under N and under N + 1, corrected Lemma 2.

    None for laws that are neither Poisson nor binomial: their failure is a closed form anyway.
    """
    size = size_law(law)
    if not isinstance(size, Sampled):
        return None
    if isinstance(size.counts, Poisson):
        mean, epsilon = size.counts.mean, ln(ratio)
        low = exp(-mean * (1 - (1 + epsilon) / ratio))
        high = exp(-mean * (1 - ratio + epsilon * ratio))
        return at_most_one(low + high), at_most_one(low + ratio * high)
    n, p = size.counts.trials, size.counts.rate
    below, above = size.jumps(ratio)
    assert below.high is not None
    bounds = [
        _tail_bound(n, p, below.high - shift, upper=False)
        + _tail_bound(n, p, above.low - shift, upper=True)
        for shift in (0, 1)
    ]
    return at_most_one(bounds[0]), at_most_one(bounds[1])


def _tail_bound(n: int, p: Fraction, x: int, *, upper: bool) -> Number:
    """Return Chernoff's bound exp(-n D(x/n, p)) on Pr[N >= x], or on Pr[N <= x]."""
    share = Fraction(x, n)
    if (upper and share <= p) or (not upper and share >= p):
        return Fraction(1)
    if not 0 <= share <= 1:
        return Fraction(0)
    return Real(lambda bits: _divergence(n, p, x, bits).exp())


def _divergence(n: int, p: Fraction, x: int, bits: int) -> arb:
    """Return -n D(x/n, p); 0 ln 0 is 0."""
    found = arb(0)
    if x > 0:
        found += x * (ball(p, bits) * n / x).log()
    if x < n:
        found += (n - x) * (ball(1 - p, bits) * n / (n - x)).log()
    return found


def _failure(size: SizeLaw, jumps: tuple[Jump, ...], shift: int) -> Number:
    """Return the probability of the failing sizes under N + shift."""
    return added(_between(size, jump, shift) for jump in jumps)


def _between(size: SizeLaw, jump: Jump, shift: int) -> Number:
    return size.between(jump.low - shift, None if jump.high is None else jump.high - shift)


def _distance(size: SizeLaw, jumps: tuple[Jump, ...], ratio: Number) -> Number:
    """Return the delta between N and N + 1: what the failing sizes exceed the ratio by."""
    found: tuple[list[Number], list[Number]] = ([], [])
    for jump in jumps:
        here, there = _between(size, jump, 0), _between(size, jump, 1)
        larger, smaller = (here, there) if jump.rises else (there, here)
        excess = larger if smaller == 0 else positive_part(larger - ratio * smaller)
        found[jump.rises].append(excess)
    return at_most_one(maximum(added(found[0]), added(found[1])))


def _plain(size: SizeLaw, jump: Jump, shift: int) -> Number:
    """Return the probability of an interval under N + shift, one size after the other."""
    if jump.high is None or jump.high - jump.low > _PLAIN_TERMS:
        return _between(size, jump, shift)
    return added(size.mass(n - shift) for n in range(jump.low, jump.high + 1))


def _written(jump: Jump) -> str:
    if jump.high is None:
        return f"{jump.low} and above"
    return str(jump.low) if jump.low == jump.high else f"{jump.low} to {jump.high}"


def _sentence(size: SizeLaw, values: dict[str, Number]) -> str:
    factor = decimal(values["ratio"], 4)
    if values["delta"] == 1:
        nothing = f"no size is within {factor} times of the next: nothing is promised"
        return assumed(size.words, nothing)
    return assumed(
        size.words,
        f"one more person makes any size at most {factor} times likelier or less likely, but for "
        f"sizes of probability at most {decimal(values['delta'], 3)}",
        "knowing the size of the sample from elsewhere",
    )


def _notes(size: SizeLaw, values: dict[str, Number]) -> Iterator[str]:
    yield (
        "Eq (2) as printed draws n from N only, which is not enough: N + 1 has to be tried as well"
    )
    if not isinstance(size, Sampled):
        return
    if not isinstance(size.counts, Poisson):
        yield (
            "Lemma 2 prints exp(-Omega(n p epsilon^2)); it needs n p (1 - p) and a bounded "
            "epsilon, so Chernoff's bound is given instead"
        )
        return
    printed = exp(-size.counts.mean * values["epsilon"] * values["epsilon"])
    refuted = compare(values["failure"], printed, limit=256) is Order.GREATER
    here = " (it is below the exact value here)" if refuted else ""
    yield (
        f"Lemma 2 as printed, exp(-mean epsilon^2), is false{here}: Chernoff's bound is given "
        "instead"
    )
