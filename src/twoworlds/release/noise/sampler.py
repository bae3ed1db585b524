r"""Samplers: exact draws from the laws of integer noise, many at a time.

Noise of moderate width is drawn from one table, with one word for each value.

Two-sided geometric noise of any width is drawn by digits. Let P(X >= k) = p^k for k >= 0 and let B
be independent of X with P(B = 1) = p / (1 + p). Then

    Z = X if B = 0,   Z = -1 - X if B = 1

has the law P(Z = k) = (1 - p) / (1 + p) p^|k|. The digits of X in base 2^b are independent of one
another, of B, and of what stands above them, which is geometric again with p^(2^b) in place of p.
So Z is put together from small tables, with one word for each: the top one gives B and the high
part of X, as H = floor(Z / 2^m), and each further table one digit of X. Nothing is rejected, and
nothing rounded: a scale of 10^6 costs three words. Reversing the digits when Z is negative is an
exclusive or:

    Z = 2^m H + (L xor (2^m - 1)) if H < 0,   Z = 2^m H + L otherwise.

Wide discrete Gaussian noise, P(Z = k) proportional to e^(-k^2 / (2 s)), is drawn by rejection from
geometric noise Y with p = e^(-1/t), t = floor(sqrt s) + 1: Y is kept with probability

    e^(-(|Y| - s/t)^2 / (2 s)),   which is e^(-Y^2 / (2 s) + |Y| / t) over its largest value

(Canonne, Kamath & Steinke 2020, Algorithm 3), by one more word. Floats decide where the word and
the probability are further than 2^-26 apart, where floats cannot err (they err by less than 2^-40);
the others, one in 2^25, are decided by exact arithmetic. About 1.3 values are drawn for each one
that is kept, and how many tells nothing about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from math import exp as float_exp
from math import isqrt, log

from flint import arb

from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise, Noise
from twoworlds.numbers import (
    LIMIT_BITS,
    Exp,
    Number,
    Real,
    ball,
    exact_text,
    exp,
    whole,
    working_precision,
)
from twoworlds.release.noise.bits import SystemBits, for_release
from twoworlds.release.noise.table import Uniform, WordTable, known_exactly

WIDEST = 1 << 48  # sigma, up to which Gaussian noise is drawn
_ONE_GAUSSIAN_TABLE = 100**2  # sigma^2
_ONE_TABLE = 4  # up to 2^4 times the scale of p = 1/2, one table holds the law
_DIGIT = 10  # bits of a digit, at most
_PRECISE = 256
_GUARD = 128  # bits beyond those of a word
_SMALL = 1 << 14  # up to this exponent a power of a rational is kept as a rational
_MARGIN = 2.0**-26
_TOGETHER = 64  # values, at least


@dataclass(frozen=True, eq=False)
class Sampler:
    """Draws whole numbers whose law is exactly that of ``noise``: build it with `Sampler.of`.

    Attributes:
        noise: the law.
        shift: m; 0 where one table holds the law.
        top: the table of H.
        digits: the place of each digit, in bits, and its table.

    >>> from fractions import Fraction
    >>> sampler = Sampler.of(GeometricNoise(Fraction(1, 2)))
    >>> len(sampler.draw_integers(3, SystemBits()))
    3
    """

    noise: Noise
    shift: int
    top: WordTable
    digits: tuple[tuple[int, WordTable], ...] = ()

    @staticmethod
    def of(noise: Noise) -> Sampler:
        """Return the sampler of a law; the last ones made are kept.

        Raises:
            InvalidInput: for a law that is known by an enclosure only.
            TooLarge: for noise so wide that it is not drawn.
            Unsupported: for a law that no release uses.
        """
        if not isinstance(noise, Noise):
            raise InvalidInput(f"noise={noise!r} is not a law: give one such as GeometricNoise(p)")
        return _made(noise)

    def draw_integers(self, size: int, source: SystemBits) -> list[int]:
        """Draw ``size`` values for a release; nothing that has a seed is taken for ``source``.

        Python makes some integers faster than others, by some 20 nanoseconds. So that the time does
        not tell a value, a few are drawn among others that nobody sees.
        """
        return self.values(max(whole(size, "size"), _TOGETHER), for_release(source))[:size]

    def values(self, size: int, source: SystemBits) -> list[int]:
        """Draw from any bits, as tests do: `draw_integers` checks where the bits come from."""
        if not (self.digits and isinstance(self.noise, DiscreteGaussianNoise)):
            return self._from_tables(size, source)
        found: list[int] = []  # try until there are enough values, keeping their order
        while (missing := size - len(found)) > 0:
            drawn = self._from_tables(missing + missing // 3 + 16, source)
            words = source.few(len(drawn))
            pairs = zip(drawn, words, strict=True)
            found += [y for y, word in pairs if _keeps(self.noise.sigma2, y, word, source)]
        return found[:size]

    def _from_tables(self, size: int, source: SystemBits) -> list[int]:
        """Put together the digits of so many values; of wide Gaussian noise, of geometric ones."""
        high, low = self.top.draw(size, source), [0] * size
        for place, table in self.digits:
            drawn = table.draw(size, source)
            low = [known | digit << place for known, digit in zip(low, drawn, strict=True)]
        ones = (1 << self.shift) - 1
        return [
            (h << self.shift) + (digits ^ (ones if h < 0 else 0))
            for h, digits in zip(high, low, strict=True)
        ]


def _keeps(sigma2: Fraction, value: int, word: int, source: SystemBits) -> bool:
    """Whether a geometric value is kept, by a uniform number that begins with the word."""
    centre = sigma2 / (isqrt(int(sigma2)) + 1)
    apart = float(abs(value)) - float(centre)
    gap = float_exp(-apart * apart / float(2 * sigma2)) - word * 2.0**-64
    if abs(gap) >= _MARGIN:
        return gap > 0
    chance = exp(-((abs(value) - centre) ** 2) / (2 * sigma2))
    return Uniform(source, known=word, count=64).below(chance)


@lru_cache(maxsize=64)
def _made(noise: Noise) -> Sampler:
    _check_exact(noise)
    if isinstance(noise, GeometricNoise):
        bits = scale_bits(noise.p)
        return by_digits(noise, noise.p, 0 if bits <= _ONE_TABLE else bits - 1)
    if not isinstance(noise, DiscreteGaussianNoise):
        raise Unsupported(
            f"{type(noise).__name__} is drawn for no release: use GeometricNoise or "
            "DiscreteGaussianNoise; its method sample draws for simulations"
        )
    if noise.sigma2 <= _ONE_GAUSSIAN_TABLE:
        return Sampler(noise, 0, gaussian_table(noise))
    if noise.sigma2 > WIDEST**2:
        raise TooLarge(
            "discrete Gaussian noise is drawn up to sigma = 2^48: use less noise, publish in "
            "larger units, or use geometric noise"
        )
    t = isqrt(int(noise.sigma2)) + 1
    return by_digits(noise, exp(Fraction(-1, t)), t.bit_length() - 1)


def by_digits(noise: Noise, p: Number, shift: int) -> Sampler:
    """Compute the tables of H = floor(Z / 2^shift), Z geometric, and of the digits below."""
    count = -(-shift // _DIGIT)
    places = [shift * i // count for i in range(count)] + [shift]
    digits = tuple(
        (low, digit_table(p, 1 << low, 1 << (high - low))) for low, high in pairwise(places)
    )
    return Sampler(noise, shift, geometric_table(p, 1 << shift), digits)


def _check_exact(noise: Noise) -> None:
    """Refuse parameters of which only an enclosure of fixed width is known."""
    for name, value in vars(noise).items():
        if not known_exactly(value):
            raise InvalidInput(
                f"{name}={value!r} is not known exactly, and exact noise needs an "
                "exact number: give a fraction such as 3/4, or e^(-1/10)"
            )


def scale_bits(p: Number) -> int:
    """Return about log2(1 / (1 - p)): how many bits a value of geometric noise has."""
    if isinstance(p, Fraction):
        gap = 1 - p
        return max(0, gap.denominator.bit_length() - gap.numerator.bit_length())
    bits = 64
    while bits <= LIMIT_BITS:
        enclosed = ball(p, bits)
        with working_precision(bits):
            enclosed = 1 - enclosed
            if enclosed.rel_accuracy_bits() >= 8:
                return max(0, round(-float(enclosed.log()) / log(2)))
        bits *= 2
    raise TooLarge(
        f"p={exact_text(p)} is closer to 1 than 2^-{LIMIT_BITS}: noise of that width is not drawn"
    )


# --- tables ---------------------------------------------------------------------------------------


def geometric_table(p: Number, width: int = 1, *, bits: int = 64) -> WordTable:
    r"""Return the table of H = floor(Z / width) for two-sided geometric Z with parameter p.

        P(H <= h) = 1 - q^(h+1) / (1+p)   for h >= 0,
        P(H <= h) = p q^(-h-1) / (1+p)    for h < 0,    where q = p^width.

    With width 1 it is the law of Z.
    """

    def at_most(k: int) -> Number:
        if k >= 0:
            return 1 - _power(p, width * (k + 1)) / (1 + p)
        return p * _power(p, width * (-k - 1)) / (1 + p)

    precision = bits + _GUARD
    base, q = ball(p, precision), ball(_power(p, width), precision)
    with working_precision(precision):
        above, below = (_falling(end / (1 + base), q, bits) for end in (q, base))
        balls = [*reversed(below), *(1 - tail for tail in above)]
    return WordTable.of(at_most, -len(below), balls, bits=bits)


def _falling(first: arb, ratio: arb, bits: int) -> list[arb]:
    """Return first, first * ratio, ... down to one below 2^-bits."""
    tiny, found = arb(2) ** -bits, [first]
    while not found[-1] < tiny:
        found.append(found[-1] * ratio)
    return found


def digit_table(p: Number, unit: int, base: int, *, bits: int = 64) -> WordTable:
    r"""Return the table of one digit of a geometric variable X, P(X >= k) = p^k.

    The digit is floor(X / unit) mod base. The digits of X are independent, and

        P(digit <= d) = (1 - q^(d+1)) / (1 - q^base),   where q = p^unit.
    """

    def at_most(k: int) -> Number:
        if k < 0 or k >= base - 1:
            return Fraction(k >= 0)
        return _complement(p, unit * (k + 1)) / _complement(p, unit * base)

    precision = bits + _GUARD
    while True:  # the common factor 1 / (1 - q^base) needs more precision
        q = ball(_power(p, unit), precision)
        with working_precision(precision):
            total = 1 - ball(_power(p, unit * base), precision)
            powers = accumulate([q] * (base - 1), lambda one, other: one * other)
            balls = [(1 - raised) / total for raised in powers]
        if all(each.rad() < arb(2) ** -bits for each in balls):
            return WordTable.of(at_most, 0, balls, bits=bits)
        precision *= 2


def gaussian_table(noise: DiscreteGaussianNoise, *, bits: int = 64) -> WordTable:
    """Return the table of discrete Gaussian noise: P(k+1) / P(k) falls by e^(-1/s) with each k."""

    def at_most(k: int) -> Number:
        return noise.at_least(-k) if k < 0 else 1 - noise.at_least(k + 1)

    precision = bits + _GUARD
    far = int(17 * float(noise.sigma2) ** 0.5) + 10
    while not (rest := _beyond(noise, far)) < arb(2) ** -precision:
        far += 1 + far // 4
    mass, step, shrink = (
        ball(x, precision)
        for x in (noise.pmf(0), exp(-1 / (2 * noise.sigma2)), exp(-1 / noise.sigma2))
    )
    masses = []
    with working_precision(precision):
        for _ in range(far):
            mass *= step
            step *= shrink
            masses.append(mass)
        tails = [*accumulate(reversed(masses), initial=rest)]  # P(Z > far), ..., P(Z > 0)
        balls = [*tails, *(1 - tail for tail in reversed(tails))]
    return WordTable.of(at_most, -far - 1, balls, bits=bits)


def _beyond(noise: Noise, k: int) -> arb:
    """Return a ball for P(Z > k): beyond k, probabilities fall at least as fast as at k."""
    first, second = (ball(noise.pmf(k + n), 2 * _PRECISE) for n in (1, 2))
    half = (first / (1 - second / first) / 2).upper()
    return arb(half, half)


def _power(p: Number, exponent: int) -> Number:
    """Return p^exponent for p < 1; exactly, unless the numerator would become very long."""
    if isinstance(p, Exp) or (isinstance(p, Fraction) and exponent <= _SMALL):
        return p**exponent

    def enclosed(bits: int) -> arb:  # the relative error of p is multiplied by the exponent
        bits += exponent.bit_length() + _GUARD
        base = ball(p, bits)
        with working_precision(bits):
            return base**exponent

    return Real(enclosed)


def _complement(p: Number, exponent: int) -> Number:
    """Return 1 - p^exponent to full relative precision, however close p is to 1."""
    if isinstance(p, Fraction) and exponent <= _SMALL:
        return 1 - p**exponent

    def enclosed(bits: int) -> arb:
        precision = bits
        while True:
            precision *= 2
            raised = ball(_power(p, exponent), precision)
            with working_precision(precision):
                found = 1 - raised
            if found.rel_accuracy_bits() >= bits:
                return found

    return Real(enclosed)
