r"""Wide noise of a log-concave law, by rejection from blocks: exact, with small tables.

Let f(k) be proportional to P(Z = k). The range is cut into blocks of 2^m values on either side of
the mode, so that f is monotone in each. Block b gets a whole number of words a_b with

    S f(k) <= a_b   for all k in b,   sum of all a_b <= 2^64 - 2,

and each tail beyond the blocks gets one word. A first word chooses the block (or none: try again),
m bits of a second one the place in it, and the value k is kept with probability S f(k) / a_b, by a
third. Whatever the a_b are, the values that are kept have exactly the law of Z; only the number of
attempts depends on them (about 1.01 on average), and it tells nothing about the value.

The third word is nearly always decided by two straight lines, computed with enclosures. Count x
from that end of the block where f is least, f_0, and let f_1 be the value at the other end, n =
2^m - 1 further on:

    f_0 (1 + x/n ln(f_1 / f_0)) <= f(x) <= f_0 (1 + x/n (g^n - 1)),   g = f(1) / f(0).

The left side: log f is concave, so it lies above its chord, and e^y >= 1 + y. The right side: log f
lies below its tangent, and the convex x -> g^x below its chord. Between the lines, for less than
one value in a thousand, f itself is enclosed as tightly as the word needs. In a tail, f lies below
a geometric law, from which the value is drawn, and kept, exactly.

Weights: what probabilities are proportional to, for the laws that are drawn by rejection.

* Discrete Gaussian: f(k) = e^(-k^2 / (2 s)). The sum of all weights is never needed.
* Poisson: f(k) = l^k m! / (l^m k!), which is 1 at the mode m.

Wide noise without a closed form for its tails: discrete Gaussian and Skellam.

Discrete Gaussian noise is drawn by rejection from blocks. Skellam noise is the difference of two
Poisson variables, and Poisson variables with the means l and l' add up to one with l + l'. So wide
Skellam noise is a sum of independent parts that are easy to draw: Poisson variables of large mean,
by rejection from blocks, and where one mean is small, narrow Skellam noise, from a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, log2, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

import numpy as np
from flint import arb
from numpy.typing import NDArray

from twoworlds.errors import TooLarge
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    Noise,
    SkellamNoise,
)
from twoworlds.numbers import Number, Real, ball, working_precision
from twoworlds.release.noise.bits import Bits
from twoworlds.release.noise.laws import WIDEST, centre, power, spread
from twoworlds.release.noise.sampler import Inversion, Sampler, placed, summed
from twoworlds.release.noise.table import CHUNK, Boundaries, Uniform, inverted

if TYPE_CHECKING:
    from twoworlds.release.noise.sampler import Integers

_LARGE = 5000  # a Poisson variable of this mean or more: its blocks stay far above 0
_KEPT = Fraction(2500)  # what is kept of the larger mean beside a small one
_WORDS = 1 << 64
_HALF = 1 << 32
_PRECISION = 192
_REACH = 10  # how many times the width the blocks go to either side, at first
_SIDE = 1024  # blocks on one side
Weights: TypeAlias = "GaussianWeights | PoissonWeights"  # log-concave, and greatest at the mode


class Block(NamedTuple):
    """One block, in whole numbers: all that a draw needs of it."""

    words: int  # a_b
    base: int  # the end where f is least
    sign: int  # +1 if f rises from there upward, -1 if downward
    low: int  # 2^64 times the left line at x = 0, rounded down,
    low_slope: int  # and 2^32 times its slope
    high: int  # the right line, rounded up
    high_slope: int


@dataclass(frozen=True, eq=False)
class Blocks:
    """The law of Z - mode, as blocks.

    Attributes:
        weights: f.
        shift: m.
        scale: S.
        choice: which block a word chooses; the first and the last are the tails.
        columns: for each block and tail: base, sign, and the lines.
    """

    weights: Weights
    shift: int
    scale: int
    choice: Boundaries
    blocks: tuple[Block, ...]
    columns: tuple[NDArray[Any], ...]
    tails: tuple[Tail, Tail]

    @classmethod
    def of(cls, weights: Weights) -> Self:
        """Compute the blocks, further out until a word holds each tail."""
        if weights.width > WIDEST:
            raise TooLarge(
                f"noise of width {weights.width:.3g} is too wide: this law is drawn up to a width "
                "of 2^48; publish in larger units, or use geometric noise"
            )
        count = _SIDE
        shift = max(1, ceil(log2(_REACH * weights.width / count)))
        while (made := _blocks(weights, shift, count)) is None:
            count += count // 4
        scale, tails, blocks = made
        last, ends = -1, []
        for words in (1, *(block.words for block in blocks), 1):
            last += words
            ends.append(last)
        choice = Boundaries.of(np.array(ends, dtype=np.uint64), _WORDS - 1)
        kinds = (np.int64, np.int64, np.uint64, np.uint64, np.uint64, np.uint64)
        columns: tuple[NDArray[Any], ...] = tuple(
            np.array([0, *(block[i + 1] for block in blocks), 0], dtype=kind)
            for i, kind in enumerate(kinds)
        )
        return cls(weights, shift, scale, choice, tuple(blocks), columns, tails)

    @property
    def ends(self) -> tuple[int, int]:
        """Where the tails begin."""
        return self.tails[0].start, self.tails[1].start

    def values(self, size: int, source: Bits) -> Integers:
        """Try until there are enough values, keeping their order."""
        found = [np.empty(0, dtype=np.int64)]
        missing = size
        while missing > 0:
            kept = self._attempt(min(CHUNK, missing + missing // 32 + 16), source)[:missing]
            found.append(kept)
            missing -= len(kept)
        return np.concatenate(found)

    def _attempt(self, count: int, source: Bits) -> Integers:
        """Make some attempts, and return the values that are kept."""
        which = self.choice.positions(source.words(count))
        places, thirds = source.words(count), source.words(count)
        last = len(self.blocks) + 1  # the tail above; beyond it lie the words of no block
        inside = (which > 0) & (which < last)
        row = np.where(inside, which, 0)
        base, sign, low, low_slope, high, high_slope = (column[row] for column in self.columns)
        place = places >> np.uint64(64 - self.shift)
        part = places >> np.uint64(32)
        part -= part & np.uint64((1 << max(0, 32 - self.shift)) - 1)
        kept = inside & (thirds < low + low_slope * part)
        gap = thirds - high
        refused = (thirds > high) & (gap > high_slope * (part + np.uint64(1)))
        values: Integers = base + sign * place.astype(np.int64)
        exact: dict[int, int] = {}
        for i in np.flatnonzero(inside & ~kept & ~refused):
            kept[i] = self._keeps(int(values[i]), int(which[i]), int(thirds[i]), source)
        for i in np.flatnonzero((which == 0) | (which == last)):
            drawn = self.tails[int(which[i] == last)].drawn(self.weights, self.scale, source)
            if drawn is not None:
                kept[i], exact[int(i)] = True, drawn
        chosen: Integers = placed(values, exact)[kept]
        return chosen

    def _keeps(self, k: int, which: int, third: int, source: Bits) -> bool:
        """Decide exactly whether a value is kept."""
        chance = self.weights.exact(self.weights.mode + k) * Fraction(
            self.scale, self.blocks[which - 1].words
        )
        return Uniform(source, known=third, count=64).below(chance)


@dataclass(frozen=True)
class Tail:
    r"""What lies beyond the blocks on one side, below a geometric law.

    With n = 0, 1, ... counted outward from ``start``, S f <= 2^shift (1 - ratio) ratio^n.
    """

    start: int
    sign: int
    ratio: Fraction
    shift: int

    def drawn(self, weights: Weights, scale: int, source: Bits) -> int | None:
        """Draw from the geometric law, and keep the value or not."""
        ratio = self.ratio
        n = inverted(Uniform(source), lambda k: 1 - power(ratio, max(0, k + 1)), 0)
        k = self.start + self.sign * n  # from the mode
        hat = power(ratio, n) * ((1 - ratio) * (1 << self.shift))
        return k if Uniform(source).below(weights.exact(weights.mode + k) * scale / hat) else None


def _blocks(
    weights: Weights, shift: int, count: int
) -> tuple[int, tuple[Tail, Tail], list[Block]] | None:
    """Return S, the tails and the blocks from below upward, or None if a tail needs more words."""
    size = 1 << shift
    sides = [(-size * i, 1) for i in range(count, 0, -1)]
    sides += [(size * i - 1, -1) for i in range(1, count + 1)]
    shapes = [_shape(weights, base, sign, size) for base, sign in sides]
    with working_precision(_PRECISION):
        total = sum((shape.greatest for shape in shapes), start=arb(0))
        scale = _down((_WORDS - 2 - len(shapes)) / total)
    blocks = [
        shape.block(base, sign, size, scale)
        for shape, (base, sign) in zip(shapes, sides, strict=True)
    ]
    below = _tail(weights, -1 - size * count, -1, scale, shift)
    above = _tail(weights, size * count, 1, scale, shift)
    return (scale, (below, above), blocks) if below and above else None


class Shape(NamedTuple):
    """The lines of one block, before S is known."""

    least: arb  # f_0
    greatest: arb  # f_1
    low_slope: arb  # over 2^m steps
    high_slope: arb

    def block(self, base: int, sign: int, size: int, scale: int) -> Block:
        """Round everything to its safe side."""
        with working_precision(_PRECISION):
            words = max(1, _up(self.greatest * scale))
            unit = arb(scale) / words
            low, low_slope = _down(self.least * unit * _WORDS), _down(self.low_slope * unit * _HALF)
            high, high_slope = _up(self.least * unit * _WORDS), _up(self.high_slope * unit * _HALF)
        low_slope = min(low_slope, _HALF - 1)
        low = min(low, _WORDS - 1 - low_slope * (_HALF - _HALF // size))  # no sum wraps around
        if high_slope >= _HALF or high >= _WORDS:  # then this line refuses nothing
            high, high_slope = _WORDS - 1, 0
        return Block(words, base, sign, low, low_slope, high, high_slope)


def _shape(weights: Weights, base: int, sign: int, size: int) -> Shape:
    end = weights.mode + base
    f0, following, f1 = (weights.enclosed(end + sign * x, _PRECISION) for x in (0, 1, size - 1))
    with working_precision(_PRECISION):
        growth = (following / f0) ** (size - 1) - 1
        slope = f0 * size / (size - 1)
        return Shape(f0, f1, slope * (f1 / f0).log(), slope * growth)


def _tail(weights: Weights, start: int, sign: int, scale: int, shift: int) -> Tail | None:
    """Return the tail from ``start`` outward, or None if one word does not hold it."""
    end = weights.mode + start
    first, second = (weights.enclosed(end + sign * n, _PRECISION) for n in (0, 1))
    with working_precision(_PRECISION):
        fine = 1 << (shift + 16)
        ratio = Fraction(_up(second / first * fine), fine)
        holds = first * scale <= arb(1 << shift) * ball(1 - ratio, _PRECISION)
    return Tail(start, sign, ratio, shift) if ratio < 1 and holds else None


def _down(x: arb) -> int:
    """Return a whole number that is surely not above x, and at least 0."""
    mantissa, exponent = map(int, x.lower().man_exp())
    return max(0, mantissa << exponent if exponent >= 0 else mantissa >> -exponent)


def _up(x: arb) -> int:
    """Return a whole number that is surely not below x, and at least 0."""
    mantissa, exponent = map(int, x.upper().man_exp())
    return max(0, mantissa << exponent if exponent >= 0 else -(-mantissa >> -exponent))


@dataclass(frozen=True)
class GaussianWeights:
    """The weights of discrete Gaussian noise."""

    sigma2: Fraction
    mode = 0

    @property
    def width(self) -> float:
        """Return the square root of sigma2."""
        return sqrt(self.sigma2)

    def exact(self, k: int) -> Number:
        """Return f(k)."""
        return Real(lambda bits: self.enclosed(k, bits))

    def enclosed(self, k: int, bits: int) -> arb:
        """Return a ball that holds f(k)."""
        top, bottom = -k * k * self.sigma2.denominator, 2 * self.sigma2.numerator
        with working_precision(bits):
            return (arb(top) / bottom).exp()


@dataclass(frozen=True)
class PoissonWeights:
    """The weights of a Poisson variable with the given mean l >= 1."""

    mean: Number

    @cached_property
    def mode(self) -> int:
        """Return the least k with l <= k + 1: f(k + 1) / f(k) is l / (k + 1)."""
        guess = max(0, round(float(self.mean)) - 2)
        while not self.mean <= guess + 1:
            guess += 1
        while guess > 0 and self.mean <= guess:
            guess -= 1
        return guess

    @property
    def width(self) -> float:
        """Return the standard deviation."""
        return sqrt(float(self.mean))

    def exact(self, k: int) -> Number:
        """Return f(k), which is 0 below 0."""
        return Real(lambda bits: self.enclosed(k, bits)) if k >= 0 else Fraction(0)

    def enclosed(self, k: int, bits: int) -> arb:
        """Return a ball that holds f(k), for k >= 0, with about ``bits`` bits of its own."""
        precision = bits + 2 * max(k, self.mode).bit_length() + 16  # what the difference cancels
        mean = ball(self.mean, precision)
        with working_precision(precision):
            factorials = arb(self.mode + 1).lgamma() - arb(k + 1).lgamma()
            return (mean.log() * (k - self.mode) + factorials).exp()


@dataclass(frozen=True, eq=False)
class WideGaussian(Sampler):
    """Discrete Gaussian noise by rejection."""

    noise: Noise
    blocks: Blocks

    @classmethod
    def of(cls, noise: DiscreteGaussianNoise) -> Self:  # type: ignore[override]
        """Compute the blocks."""
        return cls(noise, Blocks.of(GaussianWeights(noise.sigma2)))

    @property
    def ends(self) -> tuple[int, int]:
        """Where the tails begin."""
        return self.blocks.ends

    def values(self, size: int, source: Bits) -> Integers:
        """Draw by rejection."""
        return self.blocks.values(size, source)


@dataclass(frozen=True, eq=False)
class WideSkellam(Sampler):
    """Skellam noise: Poisson variables, each with its sign, and perhaps narrow Skellam noise."""

    noise: Noise
    poisson: tuple[tuple[int, Blocks], ...]
    narrow: Inversion | None

    @classmethod
    def of(cls, noise: SkellamNoise) -> Self:  # type: ignore[override]
        """Split the means; l1 + l2 must be at least twice `_LARGE`."""
        large = [mean >= _LARGE for mean in (noise.l1, noise.l2)]
        kept = Fraction(0) if all(large) else _KEPT
        poisson = tuple(
            (sign, Blocks.of(PoissonWeights(mean - kept)))
            for sign, mean, split in zip((1, -1), (noise.l1, noise.l2), large, strict=True)
            if split
        )
        if all(large):
            return cls(noise, poisson, None)
        rest = [kept if split else m for m, split in zip((noise.l1, noise.l2), large, strict=True)]
        return cls(noise, poisson, Inversion.of(SkellamNoise(*rest)))

    @property
    def ends(self) -> tuple[int, int]:
        """Ten times the width on either side."""
        middle, reach = centre(self.noise), int(10 * spread(self.noise))
        return middle - reach, middle + reach

    def values(self, size: int, source: Bits) -> Integers:
        """Add the parts; those by rejection come as distances from their modes."""
        parts = [sign * blocks.values(size, source) for sign, blocks in self.poisson]
        if self.narrow is not None:
            parts.append(self.narrow.values(size, source))
        return summed(parts, offset=sum(sign * each.weights.mode for sign, each in self.poisson))
