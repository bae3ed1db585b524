"""Strong extractors, and fuzzy ones: pads from an unpredictable string that is seen with errors.

r = Ext(s, w) is used as a one-time pad, and the seed s, drawn uniformly, is published beside it
(Dwork, the strategy after Theorem 1). All extractors here are linear in w for each seed;
`Extractor.universal` tells whether two different strings collide with probability 2^-l at most over
the seed. For those the leftover hash lemma bounds the distance of (s, r) from uniform by
1/2 sqrt(2^(l-k)) for sources of min-entropy k; the exact distance is computed too.

Fuzzy extractors (Dwork, Definition 1, after Dodis, Reyzin & Smith): Gen(w) gives a pad r and a
public string p, and Rec(w', p) = r for every w' within distance t of w; r is nearly uniform even to
those who know p. Here p = (seed, syndrome of w under a linear code) and r = Ext(seed, w): whoever
has w' with few errors finds the syndrome of the errors, looks the errors up, and mends them.
Without a code the syndrome is empty, t = 0, and this is a strong extractor; without a seed, r is
bits of w that together with the syndrome name w.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from twoworlds.attacks.auxiliary.bits import (
    Vector,
    apply,
    check_bits,
    fitted,
    grouped,
    images,
    integers,
    irreducible,
    is_irreducible,
    multiply,
    patterns,
    polynomial_text,
    read_polynomial,
)
from twoworlds.attacks.auxiliary.codes import Code, code
from twoworlds.attacks.english import counted
from twoworlds.calls import Registry
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import whole
from twoworlds.progress import track

_MOST_SEEDS = 1 << 18


@dataclass(frozen=True)
class Extractor:
    """A family of linear maps, one for each seed."""

    bits: int  # length of w
    ell: int  # length of r
    seeds: int  # how many seeds there are, all equally likely
    masks: Callable[[int], tuple[int, ...]]  # the map of a seed, as masks
    name: str  # what it is called
    universal: bool = True  # whether different strings collide with probability at most 2^-ell

    def __call__(self, seed: int, w: int) -> int:
        """Return Ext(seed, w)."""
        return apply(self.masks(seed), w)


EXTRACTORS: Registry[Extractor] = Registry("extractor")


def extractor(text: str, bits: object, ell: object) -> Extractor:
    """Build an extractor from a call such as ``matrices`` or ``field(x^2+x+1)``.

    >>> extractor("inner-product", 4, 1).seeds
    16
    """
    k, length = whole(bits, "bits", at_least=1), whole(ell, "ell", at_least=1)
    if length > k:
        raise InvalidInput(
            f"a pad of ell={length} bits cannot be drawn from {counted(k, 'bit')}: choose ell at "
            f"most {k}"
        )
    return EXTRACTORS.build(text, bits=k, ell=length)


@EXTRACTORS.register("matrices")
def matrices(*, bits: int, ell: int) -> Extractor:
    """All binary matrices with ell rows, each as likely: r = S w."""
    one = (1 << bits) - 1
    return Extractor(
        bits,
        ell,
        1 << bits * ell,
        lambda seed: tuple(seed >> bits * i & one for i in reversed(range(ell))),
        f"all {ell} x {bits} matrices",
    )


@EXTRACTORS.register("inner-product")
def inner_product(*, bits: int, ell: int = 1) -> Extractor:
    """One bit: the inner product of w with a random string."""
    if ell != 1:
        raise InvalidInput(f"ell={ell}: an inner product gives 1 bit; use matrices for more")
    return Extractor(bits, 1, 1 << bits, lambda seed: (seed,), f"all {1 << bits} inner products")


@EXTRACTORS.register("field")
def field(polynomial: object = None, *, bits: int, ell: int) -> Extractor:
    """The first ell bits of s w in GF(2^bits), for a random s."""
    check_bits(bits, "w")
    modulus = irreducible(bits) if polynomial is None else read_polynomial(polynomial, "polynomial")
    if modulus.bit_length() != bits + 1 or not is_irreducible(modulus):
        raise InvalidInput(
            f"polynomial={polynomial_text(modulus)} must be irreducible of degree {bits}: "
            f"use {polynomial_text(irreducible(bits))}"
        )

    def masks(seed: int) -> tuple[int, ...]:
        columns = [multiply(seed, 1 << j, modulus) for j in range(bits)]
        return tuple(
            sum((column >> i & 1) << j for j, column in enumerate(columns))
            for i in reversed(range(bits - ell, bits))
        )

    name = f"multiplication modulo {polynomial_text(modulus)}"
    return Extractor(bits, ell, 1 << bits, masks, name)


@EXTRACTORS.register("toeplitz")
def toeplitz(*, bits: int, ell: int) -> Extractor:
    """All matrices that are constant along diagonals: a seed of bits + ell - 1 bits."""
    one = (1 << bits) - 1
    return Extractor(
        bits,
        ell,
        1 << bits + ell - 1,
        lambda seed: tuple(seed >> i & one for i in range(ell)),
        f"all {ell} x {bits} Toeplitz matrices",
    )


@EXTRACTORS.register("identity")
def identity(*, bits: int, ell: int) -> Extractor:
    """The first ell bits of w as they are, without a seed."""
    name = "the string itself" if bits == ell else f"the first {ell} of {counted(bits, 'bit')}"
    return _chosen_bits(bits, tuple(1 << i for i in reversed(range(bits - ell, bits))), name)


def _chosen_bits(bits: int, masks: tuple[int, ...], name: str) -> Extractor:
    return Extractor(bits, len(masks), 1, lambda _: masks, name, universal=False)


# --- fuzzy extractors -----------------------------------------------------------------------------


class FailingPair(NamedTuple):
    """Two strings that are close, and the pads that are made from one and read from the other."""

    w: int
    seen: int
    pad: int
    read: int | None

    @property
    def distance(self) -> int:
        """How many bits differ."""
        return (self.w ^ self.seen).bit_count()


@dataclass(frozen=True, eq=False)
class FuzzyExtractor:
    """Gen and Rec."""

    extract: Extractor  # what makes the pad
    code: Code | None = None  # what mends errors; None where there are none

    def __post_init__(self) -> None:
        """Refuse a code and an extractor of different lengths."""
        if self.code is not None and self.code.length != self.extract.bits:
            raise InvalidInput(
                f"{self.code.name} has strings of {counted(self.code.length, 'bit')}, "
                f"the extractor takes {self.extract.bits}: give both the same length"
            )

    @property
    def bits(self) -> int:
        """Length of w."""
        return self.extract.bits

    @property
    def ell(self) -> int:
        """Length of the pad."""
        return self.extract.ell

    @property
    def sketch_bits(self) -> int:
        """Length of the syndrome, the part of p that depends on w."""
        return 0 if self.code is None else len(self.code.checks)

    @property
    def radius(self) -> int:
        """The t of Definition 1: errors that are always mended."""
        return 0 if self.code is None else self.code.radius

    @property
    def cells(self) -> int:
        """How many pairs (syndrome, pad) there are."""
        return 1 << self.sketch_bits + self.ell

    def generate(self, w: int, seed: int = 0) -> tuple[int, tuple[int, int]]:
        """Return Gen(w) for one seed: the pad r, and the public string p = (seed, syndrome)."""
        if not (0 <= w < 1 << self.bits and 0 <= seed < self.extract.seeds):
            raise InvalidInput(
                f"w={w} must have {counted(self.bits, 'bit')}, and seed={seed} be below "
                f"{self.extract.seeds}"
            )
        return self.extract(seed, w), (seed, 0 if self.code is None else self.code.syndrome(w))

    def reconstruct(self, seen: int, public: tuple[int, int]) -> int | None:
        """Return Rec(w', p): the pad, or None where no few errors explain the syndrome."""
        seed, syndrome = public
        if self.code is None:
            return self.extract(seed, seen)
        error = self.code.error(self.code.syndrome(seen) ^ syndrome)
        return None if error is None else self.extract(seed, seen ^ error)

    @cached_property
    def sketches(self) -> Vector:
        """The syndrome of every string."""
        check_bits(self.bits, "w")
        return images((), self.bits) if self.code is None else self.code.syndromes

    @cached_property
    def left_over(self) -> Vector:
        """For each difference of two views: what is wrong after mending, or -1 if it fails."""
        everything = np.arange(1 << self.bits)
        if self.code is None:
            return everything
        leaders = np.full(1 << self.sketch_bits, -1, dtype=np.int64)
        for syndrome, error in self.code.leaders.items():
            leaders[syndrome] = error
        mended = leaders[self.sketches]
        return np.where(mended < 0, -1, everything ^ mended)

    def pads(self, seed: int) -> Vector:
        """Return the pad of every string."""
        return images(self.extract.masks(seed), self.bits)

    def cell(self, seed: int) -> Vector:
        """Return (syndrome, pad) of every string as one number."""
        found: Vector = self.sketches << self.ell | self.pads(seed)
        return found

    def check_size(self) -> None:
        """Refuse more seeds than are run through."""
        if self.extract.seeds > _MOST_SEEDS:
            raise TooLarge(
                f"{self.extract.name} are {self.extract.seeds} seeds, more than {_MOST_SEEDS}: "
                "use toeplitz or field, which have fewer, or shorter strings"
            )

    def distance(self, source: list[Fraction]) -> Fraction:
        """Return the distance of (R, P) from (U, P): the first clause of Definition 1."""
        self.check_size()
        if len(source) != 1 << self.bits:
            raise InvalidInput(
                f"a source of {counted(self.bits, 'bit')} has {1 << self.bits} probabilities"
            )
        weights, total = integers(source)
        weights = fitted(weights, (total << self.ell + 1) * self.extract.seeds)
        found = 0
        for seed in track(range(self.extract.seeds), "seeds", self.extract.seeds):
            found += unevenness(grouped(self.cell(seed), weights, self.cells), self.ell)
        return Fraction(found, (total << self.ell + 1) * self.extract.seeds)

    def failing_pair(self, t: object) -> FailingPair | None:
        """Return two strings within distance t on which Rec fails, or None if there are none.

        The second clause of Definition 1 holds for t up to the radius, because patterns within the
        radius have different syndromes, and for no larger t: half of a lightest codeword, taken as
        an error, is either mended to the wrong string or not at all.
        """
        if whole(t, "t") <= self.radius:
            return None
        if self.code is None:
            return self._first_failure(1 << self.bits - 1 - i for i in range(self.bits))
        word = self.code.lightest
        if word is None:
            return None
        error = 0
        for i in reversed(range(self.bits)):
            if word >> i & 1 and error.bit_count() <= self.radius:
                error |= 1 << i
        return self._first_failure([error, word ^ error, *patterns(self.bits, self.radius + 1)])

    def _first_failure(self, candidates: Iterable[int]) -> FailingPair | None:
        self.check_size()
        for error in candidates:
            for seed in range(self.extract.seeds):
                pad, public = self.generate(0, seed)
                read = self.reconstruct(error, public)
                if read != pad:
                    return FailingPair(0, error, pad, read)
        return None


def fuzzy_extractor(
    mending: str | Code, ell: object, *, extract: str | None = None
) -> FuzzyExtractor:
    """Build a fuzzy extractor from a code and, if wanted, an extractor with a seed.

    Without one, the pad is the first ``ell`` bits that together with the syndrome name w.

    >>> made = fuzzy_extractor("repetition(5)", 1)
    >>> r, p = made.generate(0b10111)
    >>> r, made.reconstruct(0b10011, p), made.radius
    (1, 1, 2)
    """
    chosen = code(mending)
    length = whole(ell, "ell", at_least=1)
    if extract is not None:
        return FuzzyExtractor(extractor(extract, chosen.length, length), chosen)
    if length > chosen.dimension:
        raise InvalidInput(
            f"ell={length}: next to its syndrome a string of {chosen.name} has "
            f"{counted(chosen.dimension, 'bit')} left, so ell is at most {chosen.dimension}"
        )
    masks = chosen.information[:length]
    places = ", ".join(str(chosen.length - mask.bit_length() + 1) for mask in masks)
    name = f"bit {places} of w" if length == 1 else f"bits {places} of w"
    return FuzzyExtractor(_chosen_bits(chosen.length, masks, name), chosen)


def unevenness(sums: Vector, ell: int) -> int:
    """Return the sum over syndromes and pads of |2^l weight - weight of the syndrome|.

    Divided by 2^(l+1) times the total, that is the statistical distance from a uniform pad.
    """
    table = sums.reshape(-1, 1 << ell)
    return int(np.abs(table * (1 << ell) - table.sum(axis=1, keepdims=True)).sum())
