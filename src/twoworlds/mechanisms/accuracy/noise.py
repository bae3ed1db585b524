r"""The errors of Laplace and geometric noise, and when they beat randomized response.

Every part of Wu's Lemma 4.4 is exact, beside the printed bound.

For Z with density e^(-|z| / b) / (2 b), |Z| is exponential with mean b; for Z_1, ..., Z_d
independent, M = max |Z_j|:

    1(a)  E|Z| = b                     2(a)  E sum |Z_j| = d b
    1(b)  sqrt(E Z^2) = sqrt(2) b      2(b)  P(M > b (ln d + t)) = 1 - (1 - e^(-t)/d)^d
    1(c)  P(|Z| > t b) = e^(-t)        2(c)  E M = b H_d,  H_d = 1 + 1/2 + ... + 1/d

Differs: the lemma prints 1(c), 2(b), 2(c) as inequalities. 1(c) is an equality, 2(b) and 2(c) are
equalities for d = 1 only, and the exact right-hand sides are the ones above.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb

from flint import arb, fmpq, fmpz

from twoworlds.answer import Answer
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.noise import GeometricNoise
from twoworlds.mechanisms.calibration import read_epsilon
from twoworlds.numbers import (
    INFINITY,
    Number,
    Real,
    ball,
    bounds,
    exact_text,
    exp,
    ln,
    number,
    positive,
    show,
    sqrt,
    whole,
    working_precision,
)
from twoworlds.show import Result

_LONGEST_HARMONIC = 1000


def laplace_mean_error(scale: object) -> Bound:
    """Return E|Z| = b (Wu, Lemma 4.4(1a)).

    >>> laplace_mean_error("3/2").exact
    Fraction(3, 2)
    """
    b = positive(scale, "scale")
    return Bound("E|Z|", b, b, "Wu, Lemma 4.4(1a)", "an equality")


def laplace_root_mean_square_error(scale: object) -> Bound:
    """Return sqrt(E Z^2) = sqrt(2) b (Wu, Lemma 4.4(1b)).

    Wu, Section 4: with epsilon = 1/n the noise on a proportion, which lies between 0 and 1, has
    standard deviation sqrt(2), however many people there are: no useful answer.

    >>> from twoworlds.mechanisms.calibration import laplace_scale
    >>> n = 200
    >>> laplace_root_mean_square_error(laplace_scale(Fraction(1, n), Fraction(1, n))).exact
    Real(sqrt(2))
    """
    value = sqrt(Fraction(2)) * positive(scale, "scale")
    return Bound("sqrt(E Z^2)", value, value, "Wu, Lemma 4.4(1b)", "an equality")


def laplace_variance(scale: object) -> Bound:
    """Return E Z^2 = 2 b^2, beside the variance that Dwork gives to the same density.

    Differs: Dwork, equation (3), calls sigma^2 the variance of the density ~ e^(-|z| / sigma).

    >>> laplace_variance(2).exact, laplace_variance(2).holds
    (Fraction(8, 1), False)
    """
    b = positive(scale, "scale")
    note = "sigma is the scale, not the standard deviation: the variance is 2 sigma^2"
    return Bound("E Z^2", 2 * b * b, b * b, "Dwork, equation (3)", note)


def laplace_tail(scale: object, t: object) -> Bound:
    """Return P(|Z| > t b) = e^(-t) for t > 0 (Wu, Lemma 4.4(1c)).

    Differs: printed as "at most"; it is an equality.

    >>> laplace_tail(5, "ln 20").exact
    Fraction(1, 20)
    """
    positive(scale, "scale")
    value = exp(-positive(t, "t"))
    note = "printed as an inequality, but an equality"
    return Bound("P(|Z| > t b)", value, value, "Wu, Lemma 4.4(1c)", note)


def laplace_mean_l1_error(scale: object, dimension: object) -> Bound:
    """Return E(|Z_1| + ... + |Z_d|) = d b (Wu, Lemma 4.4(2a)).

    >>> laplace_mean_l1_error(2, 10).exact
    Fraction(20, 1)
    """
    value = whole(dimension, "dimension", at_least=1) * positive(scale, "scale")
    return Bound("E sum |Z_j|", value, value, "Wu, Lemma 4.4(2a)", "an equality")


def laplace_max_tail(scale: object, dimension: object, t: object) -> Bound:
    """Return P(M > b (ln d + t)) = 1 - (1 - e^(-t)/d)^d for t > 0, at most e^(-t).

    where: M is the largest of d independent errors  (Wu, Lemma 4.4(2b))

    >>> laplace_max_tail(1, 2, "ln 2").exact
    Fraction(7, 16)
    """
    positive(scale, "scale")
    d, bound = whole(dimension, "dimension", at_least=1), exp(-positive(t, "t"))
    note = "" if d > 1 else "an equality"
    value = any_of(bound / d, d)
    return Bound("P(M > b (ln d + t))", value, bound, "Wu, Lemma 4.4(2b)", note)


def laplace_mean_max_error(scale: object, dimension: object) -> Bound:
    """Return E M = b H_d, at most b (ln d + 1).

    where: M is the largest of d independent errors  (Wu, Lemma 4.4(2c))

    >>> laplace_mean_max_error(6, 3).exact
    Fraction(11, 1)
    """
    b, d = positive(scale, "scale"), whole(dimension, "dimension", at_least=1)
    note = "exactly b H_d" if d > 1 else "an equality"
    return Bound("E M", b * harmonic(d), b * (ln(Fraction(d)) + 1), "Wu, Lemma 4.4(2c)", note)


def laplace_errors(
    scale: object, *, dimension: object = 1, t: object = 1
) -> tuple[Bound, Bound, Bound, Bound, Bound, Bound]:
    """Return the six parts of Wu's Lemma 4.4 in order.

    >>> all(part.holds for part in laplace_errors("1/2", dimension=50, t="1/2"))
    True
    """
    return (
        laplace_mean_error(scale),
        laplace_root_mean_square_error(scale),
        laplace_tail(scale, t),
        laplace_mean_l1_error(scale, dimension),
        laplace_max_tail(scale, dimension, t),
        laplace_mean_max_error(scale, dimension),
    )


def harmonic(d: int) -> Number:
    """Return H_d = 1 + 1/2 + ... + 1/d: a fraction, or an enclosure when that would be long."""
    if d <= _LONGEST_HARMONIC:
        exact = fmpq.harmonic(d)
        return Fraction(int(exact.p), int(exact.q))
    return Real(lambda _bits: arb(d + 1).digamma() + arb.const_euler(), f"H_{d}")


# --- The error of two-sided geometric noise, the integer form of Laplace noise -------------------
# For P(Z = k) = (1 - p) / (1 + p) * p^|k| and Z_1, ..., Z_d independent, M = max |Z_j|:
#
#     E|Z| = 2p / (1 - p^2)              P(|Z| > t) = 2 p^(floor(t) + 1) / (1 + p)
#     E Z^2 = 2p / (1 - p)^2             P(M > t) = 1 - (1 - P(|Z| > t))^d
#     E sum |Z_j| = d E|Z|               E M = sum_t P(M > t) over t = 0, 1, 2, ...
#
# With p = e^(-epsilon) the first two lie below 1/epsilon and 2/epsilon^2, the values of the
# Laplace noise that costs as much; the tail need not lie below e^(-epsilon t), since it falls in
# steps.

_LARGEST_EXACT = 64
_LARGEST_ALTERNATING = 2048
_MOST_TERMS = 1_000_000
_USUAL_BITS = 128


def geometric_mean_error(p: object) -> Number:
    """Return E|Z| = 2p / (1 - p^2).

    >>> geometric_mean_error("1/3")
    Fraction(3, 4)
    """
    chance = _p(p)
    return 2 * chance / (1 - chance * chance)


def geometric_root_mean_square_error(p: object) -> Number:
    """Return sqrt(E Z^2) with E Z^2 = 2p / (1 - p)^2.

    >>> geometric_root_mean_square_error("1/2")
    Fraction(2, 1)
    """
    return sqrt(GeometricNoise(_p(p)).variance)


def geometric_tail(p: object, t: object) -> Number:
    """Return P(|Z| > t) = 2 p^(floor(t) + 1) / (1 + p) for t >= 0.

    >>> geometric_tail("1/2", 2)
    Fraction(1, 6)
    """
    chance, limit = _p(p), number(t, "t")
    if limit == INFINITY or limit < 0:
        raise InvalidInput(f"t={t} must be a finite number, at least 0")
    return 2 * GeometricNoise(chance).at_least(_floor(limit) + 1)


def geometric_mean_l1_error(p: object, dimension: object) -> Number:
    """Return E(|Z_1| + ... + |Z_d|) = 2 d p / (1 - p^2).

    >>> geometric_mean_l1_error("1/3", 4)
    Fraction(3, 1)
    """
    return whole(dimension, "dimension", at_least=1) * geometric_mean_error(p)


def geometric_max_tail(p: object, dimension: object, t: object) -> Number:
    """Return P(M > t) = 1 - (1 - P(|Z| > t))^d.

    >>> geometric_max_tail("1/2", 2, 2)
    Fraction(11, 36)
    """
    return any_of(geometric_tail(p, t), whole(dimension, "dimension", at_least=1))


def geometric_mean_max_error(p: object, dimension: object) -> Number:
    """Return E M, the expected largest of d errors: a fraction, or an enclosure for large d.

    E M = sum_{t >= 0} (1 - (1 - c p^(t+1))^d) = sum_{j=1}^d (-1)^(j+1) C(d, j) (c p)^j / (1 - p^j)
    where: c = 2 / (1 + p)

    >>> geometric_mean_max_error("1/3", 2)
    Fraction(39, 32)
    """
    chance, d = _p(p), whole(dimension, "dimension", at_least=1)
    if d == 1:
        return geometric_mean_error(chance)
    if isinstance(chance, Fraction) and d <= _LARGEST_EXACT:
        return _alternating(chance, d)
    if d <= _LARGEST_ALTERNATING:
        return Real(lambda bits: _alternating_ball(chance, d, bits))
    _terms(ball(chance, _USUAL_BITS), d, _USUAL_BITS)
    return Real(lambda bits: _series_ball(chance, d, bits))


def _alternating(p: Fraction, d: int) -> Fraction:
    """Add the alternating sum, by expanding each term of the series with the binomial theorem."""
    cp = 2 * p / (1 + p)
    terms = (-((-1) ** j) * comb(d, j) * cp**j / (1 - p**j) for j in range(1, d + 1))
    return sum(terms, start=Fraction(0))


def _alternating_ball(p: Number, d: int, bits: int) -> arb:
    """Add it with d more bits: c p < 1, so no term exceeds 2^d / (1 - p)."""
    more = bits + d + 64
    with working_precision(more):
        q = ball(p, more)
        cp, total = 2 * q / (1 + q), arb(0)
        for j in range(1, d + 1):
            total -= (-1) ** j * arb(fmpz(comb(d, j))) * cp**j / (1 - q**j)
    return total


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


def _p(p: object) -> Number:
    chance = number(p, "p")
    if not 0 < chance < 1:
        raise InvalidInput(f"p={exact_text(chance)} must lie strictly between 0 and 1")
    return chance


def _floor(t: Number) -> int:
    """Return the largest whole number that is at most t, decided exactly."""
    low, _ = bounds(t)
    below = low.numerator // low.denominator
    while below + 1 <= t:
        below += 1
    return below


# --- A printed bound beside the exact value of the same quantity ---------------------------------

_LONGEST_POWER = 1 << 14


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

    @property
    def slack(self) -> Number:
        """By how much the bound overstates the quantity: printed minus exact."""
        if self.printed is None or self.exact is self.printed:
            return Fraction(0)
        return self.printed - self.exact

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


def any_of(q: Number, d: int) -> Number:
    """Return the probability that at least one of d independent events of probability q happens.

    1 - (1 - q)^d
    """
    if d == 1:
        return q
    if isinstance(q, Fraction) and q.denominator.bit_length() * d > _LONGEST_POWER:
        none = 1 - q
        return Real(lambda bits: 1 - ball(none, bits) ** d, f"1 - ({none})^{d}")
    return 1 - (1 - q) ** d


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
            f"randomized response from {self.records} people on: root mean square error "
            f"{show(central)} against {show(local)}.",
            blocks=(Bars(title, errors, share=False, mark=mark),),
        )


def laplace_crossover(epsilon: object = None, *, ratio: object = None) -> Crossover:
    """Return the n from which Laplace noise beats randomized response.

    n > 2 (a - 1)^2 / (a epsilon^2),  where: a = e^epsilon

    >>> laplace_crossover("ln 3").records
    3
    """
    price = read_epsilon(epsilon, ratio)
    return _crossover("Laplace", price, 2 / (price * price))


def geometric_crossover(epsilon: object = None, *, ratio: object = None) -> Crossover:
    """Return the n from which geometric noise beats randomized response: 3, at every epsilon.

    n a / (a - 1)^2 > 2 a / (a - 1)^2  exactly when  n > 2

    >>> geometric_crossover("1/10").records
    3
    """
    price = read_epsilon(epsilon, ratio)
    each = _per_record(price)
    return Crossover("geometric", price, 3, Fraction(2), each, 2 * each)


def _crossover(noise: str, epsilon: Number, central: Number) -> Crossover:
    each = _per_record(epsilon)
    threshold = central / each
    return Crossover(noise, epsilon, _first_above(threshold), threshold, each, central)


def _per_record(epsilon: Number) -> Number:
    a = exp(epsilon)
    return a / ((a - 1) * (a - 1))


def _first_above(x: Number) -> int:
    """Return the smallest whole number above x, decided by enclosures and never by floats."""
    low, high = bounds(x)
    if high - low > 1:  # more people than 128 bits can tell apart: as many bits as x has, and more
        low, high = bounds(x, int(high).bit_length() + 128)
    n = high.numerator // high.denominator + 1
    while n - 1 > x:
        n -= 1
    return n
