"""Pads from an unpredictable string that may be seen with errors: extractors, strong and fuzzy.

r = Ext(s, w) is used as a one-time pad, and the seed s, drawn uniformly, is published beside it
(Dwork, the strategy after Theorem 1). All extractors here are linear in w for each seed: a linear
map to l bits is a tuple of l *masks*, and bit i of the image of w is the parity of the bits that w
and mask i share. `Extractor.universal` tells whether two different strings collide with probability
2^-l at most over the seed. For those the leftover hash lemma bounds the distance of (s, r) from
uniform by 1/2 sqrt(2^(l-k)) for sources of min-entropy k; the exact distance is computed too.

Fuzzy extractors (Dwork, Definition 1, after Dodis, Reyzin & Smith): Gen(w) gives a pad r and a
public string p, and Rec(w', p) = r for every w' within distance t of w; r is nearly uniform even to
those who know p. Here p = (seed, syndrome of w under a linear code) and r = Ext(seed, w): whoever
has w' with few errors finds the syndrome of the errors, looks the errors up, and mends them. A code
without checks mends nothing, and leaves a strong extractor.

A code is given by its parity checks: it holds the strings whose *syndrome*, their image under the
checks, is 0. Two strings of one syndrome differ by a codeword, so all error patterns of weight up
to ``radius = (distance - 1) // 2`` have different syndromes. A syndrome that none of them has is
not decoded. The polynomial x^3 + x + 1 is also given as the number 0b1011: bit i is the
coefficient of x^i.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from flint import nmod_poly

from twoworlds.attacks.auxiliary.laws import MOST_BITS, Vector, check_bits
from twoworlds.calls import Registry
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import counted, whole

_MOST_SEEDS = 1 << 18
_TERM = re.compile(r"x\^(\d{1,2})|x|1")
# By length and dimension: the least common multiple of the minimal polynomials of x, x^3, ... in
# the field of so many elements and one more.
_BCH: dict[int, dict[int, str | int]] = {
    3: {1: "x^2+x+1"},
    7: {4: "x^3+x+1", 1: "x^6+x^5+x^4+x^3+x^2+x+1"},
    15: {11: "x^4+x+1", 7: "x^8+x^7+x^6+x^4+1", 5: "x^10+x^8+x^5+x^4+x^2+x+1", 1: 0x7FFF},
}


def apply(masks: Sequence[int], w: int) -> int:
    """Return the image of one string under a linear map."""
    image = 0
    for mask in masks:
        image = image << 1 | (mask & w).bit_count() & 1
    return image


def images(masks: Sequence[int], length: int) -> Vector:
    """Return the images of all strings of so many bits."""
    strings = np.arange(1 << length, dtype=np.int64)
    found = np.zeros_like(strings)
    for mask in masks:
        found = found << 1 | np.bitwise_count(strings & mask) & 1
    return found


def independent(candidates: Iterable[int], of: Iterable[int] = ()) -> list[int]:
    """Return the candidates, taken in turn, that depend on nothing before them nor on ``of``."""
    basis: dict[int, int] = {}  # by leading bit

    def enters(mask: int) -> bool:
        while mask:
            if mask.bit_length() not in basis:
                basis[mask.bit_length()] = mask
                return True
            mask ^= basis[mask.bit_length()]
        return False

    for one in of:
        enters(one)
    return [one for one in candidates if enters(one)]


def patterns(length: int, weight: int) -> Iterator[int]:
    """Run through the error patterns of weight up to ``weight``, lightest first."""
    bits = [1 << i for i in reversed(range(length))]
    for size in range(weight + 1):
        yield from map(sum, combinations(bits, size))


@dataclass(frozen=True)
class Code:
    """A binary linear code."""

    length: int  # of its strings
    checks: tuple[int, ...]  # independent masks; a codeword has even parity on each of them
    name: str  # what it is called

    def __post_init__(self) -> None:
        """Refuse checks that say the same thing twice, or speak of bits that are not there."""
        if any(not 0 < check < 1 << self.length for check in self.checks):
            raise InvalidInput(f"{self.name}: a check is a string of {self.length} bits, not all 0")
        if len(independent(self.checks)) < len(self.checks):
            raise InvalidInput(
                f"{self.name}: the parity checks depend on each other: leave one out"
            )

    @property
    def dimension(self) -> int:
        """How many bits a codeword carries."""
        return self.length - len(self.checks)

    @cached_property
    def syndromes(self) -> Vector:
        """The parities of every string on all checks."""
        return images(self.checks, check_bits(self.length, "w"))

    @cached_property
    def lightest(self) -> int | None:
        """A codeword of least weight other than 0, or None when there is no other."""
        words = np.nonzero(self.syndromes == 0)[0].tolist()[1:]
        return max(words, key=lambda word: (-word.bit_count(), word), default=None)

    @property
    def distance(self) -> int | None:
        """The least weight of a codeword other than 0, or None when there is no other."""
        return None if self.lightest is None else self.lightest.bit_count()

    @property
    def radius(self) -> int:
        """How many errors are always mended."""
        return self.length if self.distance is None else (self.distance - 1) // 2

    @cached_property
    def leaders(self) -> dict[int, int]:
        """The error pattern of weight up to the radius that each decodable syndrome has."""
        return {apply(self.checks, e): e for e in patterns(self.length, self.radius)}

    def describe(self) -> str:
        """Return name, parameters and radius in words."""
        distance = "" if self.distance is None else f", of distance {self.distance}"
        return (
            f"the {self.name} code [{self.length}, {self.dimension}]{distance}, mends "
            f"{counted(self.radius, 'error')}"
        )


CODES: Registry[Code] = Registry("code")


def code(text: str | Code) -> Code:
    """Build a code from a call such as ``repetition(5)``, ``hamming(3)`` or ``bch(15, 7)``."""
    return text if isinstance(text, Code) else CODES.build(text)


@CODES.register("repetition")
def repetition(n: object) -> Code:
    """Return the code of n equal bits; the checks compare each bit with the first."""
    length = _length(n)
    first = 1 << length - 1
    return Code(
        length, tuple(first | first >> i for i in range(1, length)), f"repetition({length})"
    )


@CODES.register("hamming")
def hamming(m: object) -> Code:
    """Return the perfect code of length 2^m - 1 that mends one error.

    The syndrome of a single error is its position, counted from 1, in binary.
    """
    checks = whole(m, "m", at_least=2)
    if checks > 4:
        raise InvalidInput(
            f"m={checks}: hamming(m) has 2^m-1 bits, and codes of at most {MOST_BITS} bits are "
            "made: take m up to 4"
        )
    length = (1 << checks) - 1
    rows = (
        sum(1 << length - j for j in range(1, length + 1) if j >> i & 1)
        for i in reversed(range(checks))
    )
    return Code(length, tuple(rows), f"hamming({checks})")


@CODES.register("bch")
def bch(n: object, k: object) -> Code:
    """Return the narrow-sense binary BCH code of length n = 2^m - 1 and dimension k."""
    length, wanted = _length(n), whole(k, "k", at_least=1)
    if length not in _BCH:
        raise InvalidInput(f"n={length}: a BCH code has length 2^m-1: 3, 7 or 15")
    if wanted not in _BCH[length]:
        listed = ", ".join(map(str, _BCH[length]))
        raise InvalidInput(f"k={wanted}: BCH codes of length {length} have dimension {listed}")
    return cyclic(length, _BCH[length][wanted], name=f"bch({length}, {wanted})")


@CODES.register("cyclic")
def cyclic(n: object, generator: object, *, name: str | None = None) -> Code:
    """Return the cyclic code of length n that a divisor of x^n + 1 generates."""
    length = _length(n)
    divisor, whole_cycle = read_polynomial(generator, "generator"), _polynomial(1 << length | 1)
    if not 0 <= divisor.degree() < length or not (whole_cycle % divisor).is_zero():
        raise InvalidInput(
            f"generator={_written(divisor)} must divide x^{length}+1 and be shorter: "
            f"the code of length {length} has no such generator"
        )
    # A check is the reversed quotient, shifted: it is orthogonal to every shift of the generator.
    quotient = (whole_cycle // divisor).coeffs()
    reverse = int("".join(map(str, quotient)), 2)
    checks = tuple(reverse << i for i in reversed(range(length - len(quotient) + 1)))
    return Code(length, checks, name or f"cyclic({length}, {_written(divisor)})")


def _length(n: object) -> int:
    return check_bits(whole(n, "n", at_least=2), "a code")


# --- polynomials ----------------------------------------------------------------------------------


def read_polynomial(value: object, name: str) -> nmod_poly:
    """Read a polynomial: ``x^3+x+1``, or the number whose bits are its coefficients."""
    text = str(value).replace(" ", "")
    if text.isdecimal() and len(text) < 9 and text not in ("0", "1"):
        return _polynomial(int(text))
    found = 0
    for term in text.split("+"):
        match = _TERM.fullmatch(term)
        if match is None:
            raise InvalidInput(
                f"{name}={value!r} is not a polynomial over 0 and 1: write it like x^3+x+1"
            )
        found ^= 1 << (int(match.group(1)) if match.group(1) else int(term == "x"))
    return _polynomial(found)


def _polynomial(bits: int) -> nmod_poly:
    return nmod_poly([bits >> i & 1 for i in range(bits.bit_length())], 2)


def _written(polynomial: nmod_poly) -> str:
    return str(polynomial).replace(" ", "")


def _is_irreducible(polynomial: nmod_poly) -> bool:
    return polynomial.degree() > 0 and [n for _, n in polynomial.factor()[1]] == [1]


# --- extractors -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Extractor:
    """Gen and Rec: a linear map for each seed, and the code that mends errors."""

    ell: int  # length of r
    seeds: int  # how many seeds there are, all equally likely
    masks: Callable[[int], tuple[int, ...]]  # the map of a seed, as masks
    name: str  # what it is called
    code: Code  # of the length of w; without checks where nothing is mended
    universal: bool = True  # whether different strings collide with probability at most 2^-ell

    @property
    def bits(self) -> int:
        """Length of w."""
        return self.code.length

    def generate(self, w: int, seed: int = 0) -> tuple[int, tuple[int, int]]:
        """Return Gen(w) for one seed: the pad r, and the public string p = (seed, syndrome)."""
        return apply(self.masks(seed), w), (seed, apply(self.code.checks, w))

    def reconstruct(self, seen: int, public: tuple[int, int]) -> int | None:
        """Return Rec(w', p): the pad, or None where no few errors explain the syndrome."""
        seed, syndrome = public
        error = self.code.leaders.get(apply(self.code.checks, seen) ^ syndrome)
        return None if error is None else apply(self.masks(seed), seen ^ error)

    @cached_property
    def left_over(self) -> Vector:
        """For each difference of two views: what is wrong after mending, or -1 if it fails."""
        leaders = np.full(1 << len(self.code.checks), -1, dtype=np.int64)
        leaders[list(self.code.leaders)] = list(self.code.leaders.values())
        mended = leaders[self.code.syndromes]
        return np.where(mended < 0, -1, np.arange(1 << self.bits) ^ mended)

    def check_size(self) -> None:
        """Refuse more seeds than are run through."""
        if self.seeds > _MOST_SEEDS:
            raise TooLarge(
                f"{self.name} are {self.seeds} seeds, more than {_MOST_SEEDS}: "
                "use toeplitz or field, which have fewer, or shorter strings"
            )

    def failing_pair(self, t: object) -> tuple[int, int | None] | None:
        """Return errors of weight up to t that spoil the pad of w = 0, and what is read instead.

        The pad of 0 is 0, because pads are linear. The second clause of Definition 1 holds for t up
        to the radius, because patterns within the radius have different syndromes, and for no
        larger t: half of a lightest codeword, taken as an error, is either mended to the wrong
        string or not at all.
        """
        word = self.code.lightest
        if whole(t, "t") <= self.code.radius or word is None:
            return None
        self.check_size()
        error = 0
        for i in reversed(range(self.bits)):
            if word >> i & 1 and error.bit_count() <= self.code.radius:
                error |= 1 << i
        for tried in (error, word ^ error, *patterns(self.bits, self.code.radius + 1)):
            for seed in range(self.seeds):
                read = self.reconstruct(tried, (seed, 0))
                if read != 0:
                    return tried, read
        return None


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


def fuzzy_extractor(mending: str | Code, ell: object, *, extract: str | None = None) -> Extractor:
    """Build a fuzzy extractor from a code and, if wanted, an extractor with a seed.

    Without one, the pad is the first ``ell`` bits that together with the syndrome name w.

    >>> made = fuzzy_extractor("repetition(5)", 1)
    >>> r, p = made.generate(0b10111)
    >>> r, made.reconstruct(0b10011, p), made.code.radius
    (1, 1, 2)
    """
    chosen, length = code(mending), whole(ell, "ell", at_least=1)
    if extract is not None:
        return replace(extractor(extract, chosen.length, length), code=chosen)
    if length > chosen.dimension:
        raise InvalidInput(
            f"ell={length}: next to its syndrome a string of {chosen.name} has "
            f"{counted(chosen.dimension, 'bit')} left, so ell is at most {chosen.dimension}"
        )
    every = (1 << i for i in reversed(range(chosen.length)))
    masks = tuple(independent(every, chosen.checks)[:length])
    places = ", ".join(str(chosen.length - mask.bit_length() + 1) for mask in masks)
    name = f"bit {places} of w" if length == 1 else f"bits {places} of w"
    return Extractor(length, 1, lambda _: masks, name, chosen, universal=False)


def _plain(bits: int) -> Code:
    return Code(bits, (), "none")


@EXTRACTORS.register("matrices")
def matrices(*, bits: int, ell: int) -> Extractor:
    """All binary matrices with ell rows, each as likely: r = S w."""
    one = (1 << bits) - 1

    def masks(seed: int) -> tuple[int, ...]:
        return tuple(seed >> bits * i & one for i in reversed(range(ell)))

    return Extractor(ell, 1 << bits * ell, masks, f"all {ell} x {bits} matrices", _plain(bits))


@EXTRACTORS.register("inner-product")
def inner_product(*, bits: int, ell: int = 1) -> Extractor:
    """One bit: the inner product of w with a random string."""
    if ell != 1:
        raise InvalidInput(f"ell={ell}: an inner product gives 1 bit; use matrices for more")
    name = f"all {1 << bits} inner products"
    return Extractor(1, 1 << bits, lambda seed: (seed,), name, _plain(bits))


@EXTRACTORS.register("field")
def field(polynomial: object = None, *, bits: int, ell: int) -> Extractor:
    """The first ell bits of s w in GF(2^bits), for a random s."""
    size = 1 << check_bits(bits, "w")
    first = next(p for p in map(_polynomial, range(size, 2 * size)) if _is_irreducible(p))
    modulus = first if polynomial is None else read_polynomial(polynomial, "polynomial")
    if modulus.degree() != bits or not _is_irreducible(modulus):
        raise InvalidInput(
            f"polynomial={_written(modulus)} must be irreducible of degree {bits}: "
            f"use {_written(first)}"
        )

    def masks(seed: int) -> tuple[int, ...]:
        columns = [_polynomial(seed << j) % modulus for j in range(bits)]
        return tuple(
            sum(int(column[i]) << j for j, column in enumerate(columns))
            for i in reversed(range(bits - ell, bits))
        )

    name = f"multiplication modulo {_written(modulus)}"
    return Extractor(ell, size, masks, name, _plain(bits))


@EXTRACTORS.register("toeplitz")
def toeplitz(*, bits: int, ell: int) -> Extractor:
    """All matrices that are constant along diagonals: a seed of bits + ell - 1 bits."""
    one = (1 << bits) - 1

    def masks(seed: int) -> tuple[int, ...]:
        return tuple(seed >> i & one for i in range(ell))

    name = f"all {ell} x {bits} Toeplitz matrices"
    return Extractor(ell, 1 << bits + ell - 1, masks, name, _plain(bits))


@EXTRACTORS.register("identity")
def identity(*, bits: int, ell: int) -> Extractor:
    """The first ell bits of w as they are, without a seed."""
    name = "the string itself" if bits == ell else f"the first {ell} of {counted(bits, 'bit')}"
    masks = tuple(1 << i for i in reversed(range(bits - ell, bits)))
    return Extractor(ell, 1, lambda _: masks, name, _plain(bits), universal=False)
