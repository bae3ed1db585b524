r"""Exact errors beside printed bounds: Laplace, geometric, randomized response, and who wins.

For Z with density e^(-|z| / b) / (2 b), |Z| is exponential with mean b; for Z_1, ..., Z_d
independent, M = max |Z_j| (Wu, Lemma 4.4):

    1(a)  E|Z| = b                     2(a)  E sum |Z_j| = d b
    1(b)  sqrt(E Z^2) = sqrt(2) b      2(b)  P(M > b (ln d + t)) = 1 - (1 - e^(-t)/d)^d
    1(c)  P(|Z| > t b) = e^(-t)        2(c)  E M = b H_d,  H_d = 1 + 1/2 + ... + 1/d

Differs: the lemma prints 1(c), 2(b), 2(c) as inequalities. 1(c) is an equality, 2(b) and 2(c) are
equalities for d = 1 only, and the exact right-hand sides are the ones above.

In randomized response each of n people reports the true bit with probability p, the other one
otherwise. With Y the number of reported ones,

    A = (Y - n (1 - p)) / (2p - 1),   E A = the true count,   E (A - count)^2 = n p (1-p) / (2p-1)^2

whatever the data (Wu, Proposition 3.3, which states O(sqrt n) and leaves the estimate as an
exercise). `twoworlds.release.local` computes the estimate, for any number of values.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb, floor

from flint import arb, fmpq

from twoworlds.answer import Answer
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.noise import GeometricNoise, Noise
from twoworlds.mechanisms.base import Mechanism
from twoworlds.mechanisms.calibration import read_epsilon
from twoworlds.mechanisms.continuous import AddedDensity, Gaussian, Laplace
from twoworlds.mechanisms.on_statistic import AddedNoise, FiniteNoise, OnStatistic
from twoworlds.mechanisms.per_record import PerRecord
from twoworlds.numbers import (
    INFINITY,
    Number,
    Real,
    ball,
    bounds,
    exp,
    ln,
    number,
    positive,
    show,
    sqrt,
    whole,
)
from twoworlds.show import Result
from twoworlds.worlds import BitStrings

_LONGEST_HARMONIC = 1000
_LONGEST_POWER = 1 << 14
_LARGEST_EXACT = 64
_MOST_TERMS = 1_000_000
_USUAL_BITS = 128


@dataclass(frozen=True)
class Bound(Result):
    """What a paper prints as an upper bound (or as a value), and what the quantity is."""

    name: str
    exact: Number
    printed: Number | None = None
    citation: str = ""
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether the exact value is at most the printed one; decided, never guessed."""
        return self.printed is None or self.exact <= self.printed

    def answer(self) -> Answer:
        """Say both in one sentence, and chart them."""
        tail = f" ({self.note})" if self.note else ""
        if self.printed is None:
            return Answer(f"{self.name} = {show(self.exact)}{tail}.")
        values = {"exact": self.exact, "printed": self.printed}
        share = self.name.startswith("P(")
        return Answer(
            f"{self.name} = {show(self.exact)}; {self.citation} prints {show(self.printed)}{tail}.",
            blocks=(Bars(self.name, values, share=share, orange=["printed"]),),
        )


def laplace_variance(scale: object) -> Bound:
    """Return E Z^2 = 2 b^2, beside the variance that Dwork gives to the same density.

    Differs: Dwork, equation (3), calls sigma^2 the variance of the density ~ e^(-|z| / sigma).

    >>> laplace_variance(2).exact, laplace_variance(2).holds
    (Fraction(8, 1), False)
    """
    b = positive(scale, "scale")
    note = "sigma is the scale, not the standard deviation: the variance is 2 sigma^2"
    return Bound("E Z^2", 2 * b * b, b * b, "Dwork, equation (3)", note)


def laplace_errors(scale: object, *, dimension: object = 1, t: object = 1) -> list[Bound]:
    """Return the six parts of Wu's Lemma 4.4 in order: 1(a) to 1(c), 2(a) to 2(c).

    Wu, Section 4: with epsilon = 1/n the noise on a proportion, which lies between 0 and 1, has
    standard deviation sqrt(2), however many people there are: no useful answer.

    >>> [str(part.exact) for part in laplace_errors(6, dimension=3, t="ln 20")[::3]]
    ['6', '18']
    >>> all(part.holds for part in laplace_errors("1/2", dimension=50, t="1/2"))
    True
    """
    b, d = positive(scale, "scale"), whole(dimension, "dimension", at_least=1)
    rest, root = exp(-positive(t, "t")), sqrt(Fraction(2)) * b
    same, single = "an equality", "an equality" if d == 1 else ""
    parts: list[tuple[str, Number, Number, str]] = [
        ("E|Z|", b, b, same),
        ("sqrt(E Z^2)", root, root, same),
        ("P(|Z| > t b)", rest, rest, "printed as an inequality, but an equality"),
        ("E sum |Z_j|", d * b, d * b, same),
        ("P(M > b (ln d + t))", _any_of(rest / d, d), rest, single),
        ("E M", b * harmonic(d), b * (ln(Fraction(d)) + 1), single or "exactly b H_d"),
    ]
    places = ("1a", "1b", "1c", "2a", "2b", "2c")
    return [
        Bound(name, exact, printed, f"Wu, Lemma 4.4({place})", note)
        for place, (name, exact, printed, note) in zip(places, parts, strict=True)
    ]


def harmonic(d: int) -> Number:
    """Return H_d = 1 + 1/2 + ... + 1/d: a fraction, or an enclosure when that would be long."""
    if d <= _LONGEST_HARMONIC:
        return _fraction(fmpq.harmonic(d))
    return Real(lambda _bits: arb(d + 1).digamma() + arb.const_euler(), f"H_{d}")


def _any_of(q: Number, d: int) -> Number:
    """Return 1 - (1 - q)^d: that at least one of d independent events of probability q happens."""
    if d == 1:
        return q
    if isinstance(q, Fraction) and q.denominator.bit_length() * d > _LONGEST_POWER:
        none = 1 - q
        return Real(lambda bits: 1 - ball(none, bits) ** d, f"1 - ({none})^{d}")
    return 1 - (1 - q) ** d


# --- The error of two-sided geometric noise, the integer form of Laplace noise -------------------


def geometric_errors(p: object, *, dimension: object = 1, t: object = 1) -> list[Bound]:
    """Return the same quantities for geometric noise, which no paper prints.

        E|Z| = 2p / (1 - p^2)        P(|Z| > t) = 2 p^(floor(t) + 1) / (1 + p)
        E Z^2 = 2p / (1 - p)^2       P(M > t) = 1 - (1 - P(|Z| > t))^d
        E sum |Z_j| = d E|Z|
        E M = sum_{t >= 0} P(M > t), a fraction, or an enclosure for large d

    With p = e^(-epsilon) the first two lie below 1/epsilon and 2/epsilon^2, the values of the
    Laplace noise that costs as much; the tail need not lie below e^(-epsilon t), since it falls in
    steps.

    >>> [str(part.exact) for part in geometric_errors("1/3", dimension=2, t=1) if "M" in part.name]
    ['11/36', '39/32']
    """
    noise = GeometricNoise(p)  # type: ignore[arg-type]
    d, limit = whole(dimension, "dimension", at_least=1), number(t, "t")
    if limit == INFINITY or limit < 0:
        raise InvalidInput(f"t={t} must be a finite number, at least 0")
    mean = 2 * noise.p / (1 - noise.p * noise.p)
    tail = 2 * noise.at_least(_first_above(limit))
    largest = "M is the largest of d errors"
    return [
        Bound("E|Z|", mean),
        Bound("sqrt(E Z^2)", sqrt(noise.variance)),
        Bound("P(|Z| > t)", tail),
        Bound("E sum |Z_j|", d * mean),
        Bound("P(M > t)", _any_of(tail, d), note=largest),
        Bound("E M", mean if d == 1 else _largest_error(noise.p, d)),
    ]


def _largest_error(p: Number, d: int) -> Number:
    """Return E M, by expanding each term of its series with the binomial theorem for small d.

    E M = sum_{t >= 0} (1 - (1 - c p^(t+1))^d) = sum_{j=1}^d (-1)^(j+1) C(d, j) (c p)^j / (1 - p^j)
    where: c = 2 / (1 + p)
    """
    if isinstance(p, Fraction) and d <= _LARGEST_EXACT:
        cp = 2 * p / (1 + p)
        terms = (-((-1) ** j) * comb(d, j) * cp**j / (1 - p**j) for j in range(1, d + 1))
        return sum(terms, start=Fraction(0))
    _terms(ball(p, _USUAL_BITS), d, _USUAL_BITS)
    return Real(lambda bits: _series_ball(p, d, bits))


def _series_ball(p: Number, d: int, bits: int) -> arb:
    """Add the series to where its rest is negligible: at most d c p^(T+1) / (1 - p) from T on."""
    q = ball(p, bits)
    c, power, total = 2 / (1 + q), q, arb(0)
    for _ in range(_terms(q, d, bits)):
        total += 1 - (1 - c * power) ** d
        power *= q
    half = d * c * power / (1 - q) / 2
    return total + half + arb(0, half.abs_upper())


def _terms(q: arb, d: int, bits: int) -> int:
    """Return about how many terms leave a rest of 2^-bits, or refuse when they are too many."""
    wanted = (bits * arb(2).log() + (2 * d / (1 - q)).log()) / -q.log()
    if wanted < _MOST_TERMS:
        return int(float(wanted)) + 1
    raise Unsupported(
        f"the expected largest of {d} geometric errors with p={float(q)} needs more than "
        f"{_MOST_TERMS} terms: use the Laplace value of the same epsilon, which is close"
    )


def _first_above(x: Number) -> int:
    """Return the smallest whole number above x, decided by enclosures and never by floats."""
    low, high = bounds(x)
    if high - low > 1:  # more than 128 bits can tell apart: as many bits as x has, and more
        low, high = bounds(x, int(high).bit_length() + 128)
    n = floor(high) + 1
    while n - 1 > x:
        n -= 1
    return n


# --- From how many people on a trusted curator beats randomized response, at the same epsilon ----
# With a = e^epsilon, the mean square errors of a count over n people are
#
#     randomized response, keep a / (1 + a):    n a / (a - 1)^2      (Wu, Proposition 3.3)
#     Laplace noise of scale 1 / epsilon:       2 / epsilon^2        (Wu, Lemma 4.4(1b))
#     geometric noise with p = 1 / a:           2 a / (a - 1)^2
#
# Differs: Wu's summary says that for the same budget "the Laplace mechanism adds far less error".
# For few people it adds more: at epsilon = ln 3 it is better from n = 3 on. Geometric noise is
# better from n = 3 on at every epsilon, and equal at n = 2.


@dataclass(frozen=True)
class Crossover(Result):
    """The number of people from which central noise is the more accurate.

    Attributes:
        records: the smallest n at which the noise has the smaller root mean square error.
        threshold: the real number that n must exceed.
        per_record: mean square error of randomized response, per person.
        central: mean square error of the noise, whatever the number of people.
    """

    noise: str
    epsilon: Number
    records: int
    threshold: Number
    per_record: Number
    central: Number

    def answer(self) -> Answer:
        """Say where the two cross, and chart the error for some numbers of people."""
        local, central = sqrt(self.records * self.per_record), sqrt(self.central)
        numbers = sorted({1, self.records - 1, self.records, 2 * self.records} - {0})
        errors = {f"randomized response, n = {n:,}": sqrt(n * self.per_record) for n in numbers}
        mark = (f"{self.noise} noise, any n:", central)
        title = "Root mean square error of a count"
        return Answer(
            f"At epsilon {show(self.epsilon)} {self.noise} noise estimates a count better than "
            f"randomized response from {self.records} people on. For {self.records} the root mean "
            f"square error is {show(central)} against {show(local)}.",
            blocks=(Bars(title, errors, share=False, mark=mark),),
        )


def laplace_crossover(epsilon: object = None, *, ratio: object = None) -> Crossover:
    """Return the n from which Laplace noise beats randomized response.

    n > 2 (a - 1)^2 / (a epsilon^2),  where: a = e^epsilon

    >>> laplace_crossover("ln 3").records
    3
    """
    price = read_epsilon(epsilon, ratio)
    each, central = _per_record(price), 2 / (price * price)
    threshold = central / each
    return Crossover("Laplace", price, _first_above(threshold), threshold, each, central)


def _per_record(epsilon: Number) -> Number:
    a = exp(epsilon)
    return a / ((a - 1) * (a - 1))


# --- Randomized response -------------------------------------------------------------------------


def randomized_response_mean_square_error(records: object, keep: object) -> Number:
    """Return the mean square error of the estimated count, the same for all data.

    >>> randomized_response_mean_square_error(100, "3/4")
    Fraction(75, 1)
    """
    n, p = whole(records, "records", at_least=1), _keep(keep)
    return n * p * (1 - p) / (2 * p - 1) ** 2


def _keep(keep: object) -> Number:
    p = number(keep, "keep")
    if not 0 <= p <= 1:
        raise InvalidInput(f"keep={keep} is not a probability: it must lie between 0 and 1")
    if p == Fraction(1, 2):
        raise InvalidInput(
            "keep=1/2 makes every report a fair coin that says nothing about the data, so no "
            "unbiased estimate exists: use keep other than 1/2"
        )
    return p


def _fraction(x: fmpq) -> Fraction:
    return Fraction(int(x.p), int(x.q))


# --- The errors of a mechanism, whichever it is: what its answer is off by, exactly --------------


def errors_of(mechanism: Mechanism, *, dimension: object = 1, t: object = 1) -> list[Bound]:
    """Return the exact errors of a mechanism's answer.

    >>> from twoworlds.mechanisms.named import mechanism
    >>> survey = mechanism("randomized-response(bits=100, keep=3/4)")
    >>> errors_of(survey)[0].exact
    Fraction(75, 1)
    """
    channel = mechanism.channel if isinstance(mechanism, OnStatistic) else None
    mechanism, noise = _noise_of(mechanism)
    if isinstance(mechanism, Laplace):
        return laplace_errors(mechanism.scale, dimension=dimension, t=t)
    if isinstance(noise, GeometricNoise):
        return geometric_errors(noise.p, dimension=dimension, t=t)
    if whole(dimension, "dimension", at_least=1) != 1:
        raise InvalidInput(f"dimension={dimension}: this mechanism has one answer only")
    if isinstance(mechanism, PerRecord):
        return _survey(mechanism)
    if isinstance(mechanism, Gaussian):
        return [Bound("sqrt(E Z^2)", mechanism.sigma)]
    if isinstance(channel, FiniteNoise):
        values = [(channel.start + i, mass) for i, mass in enumerate(channel.masses)]
        mean: Number = sum((k * mass for k, mass in values), start=Fraction(0))
        square: Number = sum((k * k * mass for k, mass in values), start=Fraction(0))
    elif noise is not None:
        mean, square = noise.mean, noise.variance + noise.mean * noise.mean
    else:
        raise Unsupported(
            f"{mechanism.expression} adds no noise of known error: "
            "use laplace, gaussian, geometric, skellam, ... or randomized-response"
        )
    return [Bound("E Z", mean, note="the bias"), Bound("sqrt(E Z^2)", sqrt(square))]


def _noise_of(mechanism: Mechanism) -> tuple[Mechanism, Noise | None]:
    """Return the density that is added, or the mechanism as it is, and noise on the integers."""
    channel = mechanism.channel if isinstance(mechanism, OnStatistic) else None
    if isinstance(channel, AddedDensity):
        return channel.noise, None
    clamped = isinstance(channel, AddedNoise) and (channel.low, channel.high) != (None, None)
    return mechanism, channel.noise if isinstance(channel, AddedNoise) and not clamped else None


def usual_error(mechanism: Mechanism) -> Number | None:
    """Return what 95 % of the answers are off by at most; None where no closed form is known.

    Laplace: P(|Z| > b ln 20) = 1/20. Gaussian: P(|Z| > 1.96 sigma) < 1/20. Geometric: P(|Z| > h) =
    2 p^(h+1) / (1 + p) is at most 1/20 where h + 1 >= ln(40 / (1 + p)) / ln(1 / p).

    >>> from twoworlds.mechanisms.named import mechanism
    >>> usual_error(mechanism("geometric(ratio=2)"))
    Fraction(4, 1)
    """
    mechanism, noise = _noise_of(mechanism)
    if isinstance(mechanism, Laplace):
        return mechanism.scale * ln(Fraction(20))
    if isinstance(mechanism, Gaussian):
        return Fraction(49, 25) * mechanism.sigma
    if isinstance(noise, GeometricNoise):
        return Fraction(floor(bounds(ln(40 / (1 + noise.p)) / -ln(noise.p))[1]))
    return None


def _survey(mechanism: PerRecord) -> list[Bound]:
    law = mechanism.transition
    if not isinstance(mechanism.universe, BitStrings) or tuple(law.outputs) != (1, 0):
        raise Unsupported(
            "the error of a many-valued survey depends on the true histogram: "
            "use variance_of_estimate(histogram, randomizer) of twoworlds.release.local"
        )
    if law.probability(1, 1) != law.probability(0, 0):
        raise Unsupported("this survey keeps ones and zeros with different probabilities")
    square = randomized_response_mean_square_error(mechanism.records, law.probability(1, 1))
    note = "the unbiased estimate of the count, whatever the data"
    citation = "Wu, Proposition 3.3 (printed only as an order of magnitude)"
    return [
        Bound("E (A - count)^2", square, citation=citation, note=note),
        Bound("sqrt(E (A - count)^2)", sqrt(square)),
    ]
