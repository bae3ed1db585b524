"""Strong extractors: seeded linear maps that turn an unpredictable string into nearly uniform bits.

r = Ext(s, w) is used as a one-time pad, and the seed s, drawn uniformly, is published beside it
(Dwork, the strategy after Theorem 1). All extractors here are linear in w for each seed, apart from
an offset; `Extractor.universal` tells whether two different strings collide with probability
2^-l at most over the seed. For those the leftover hash lemma bounds the distance of (s, r) from
uniform by 1/2 sqrt(2^(l-k)) for sources of min-entropy k; the exact distance is computed elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from twoworlds.attacks.auxiliary.bits import apply, counted
from twoworlds.attacks.auxiliary.fields import (
    irreducible,
    is_irreducible,
    multiply,
    polynomial_text,
    read_polynomial,
)
from twoworlds.calls import Registry
from twoworlds.errors import InvalidInput
from twoworlds.numbers import whole

__all__ = [
    "EXTRACTORS",
    "Extractor",
    "chosen_bits",
    "extractor",
    "field",
    "identity",
    "inner_product",
    "matrices",
    "toeplitz",
]


@dataclass(frozen=True)
class Extractor:
    """A family of linear maps, one for each seed.

    Attributes:
        bits: Length of w.
        ell: Length of r.
        seeds: How many seeds there are, all equally likely.
        masks: The map of a seed, as masks.
        name: What it is called.
        shift: What is added to the image, for each seed; it changes no probability of interest,
            because the seed is public.
        universal: Whether different strings collide with probability at most 2^-ell.
    """

    bits: int
    ell: int
    seeds: int
    masks: Callable[[int], tuple[int, ...]]
    name: str
    shift: Callable[[int], int] | None = None
    universal: bool = True

    def __call__(self, seed: int, w: int) -> int:
        """Return Ext(seed, w)."""
        offset = 0 if self.shift is None else self.shift(seed)
        return apply(self.masks(seed), w) ^ offset


EXTRACTORS: Registry[Extractor] = Registry("extractor")


def extractor(text: str | Extractor, bits: object, ell: object) -> Extractor:
    """Build an extractor from a call such as ``matrices`` or ``field(x^2+x+1)``.

    >>> extractor("inner-product", 4, 1).seeds
    16
    """
    if isinstance(text, Extractor):
        return text
    return EXTRACTORS.build(text, bits=bits, ell=ell)


@EXTRACTORS.register("matrices")
def matrices(bits: object, ell: object, *, offset: object = "no") -> Extractor:
    """All binary matrices with ell rows, each as likely: r = S w, or S w + b with an offset.

    >>> ext = matrices(4, 2)
    >>> ext.seeds, ext(0b1000_0001, 0b1001)
    (256, 3)
    """
    k, length = _sizes(bits, ell)
    one = (1 << k) - 1

    def masks(seed: int) -> tuple[int, ...]:
        return tuple(seed >> k * i & one for i in reversed(range(length)))

    if str(offset) not in ("yes", "no"):
        raise InvalidInput(f"offset={offset!r}: write yes or no")
    if str(offset) == "no":
        return Extractor(k, length, 1 << k * length, masks, f"all {length} x {k} matrices")
    return Extractor(
        k,
        length,
        1 << (k + 1) * length,
        masks,
        f"all {length} x {k} matrices with an offset",
        lambda seed: seed >> k * length,
    )


@EXTRACTORS.register("inner-product")
def inner_product(bits: object, ell: object = 1) -> Extractor:
    """One bit: the inner product of w with a random string.

    >>> inner_product(4)(0b0110, 0b0100)
    1
    """
    k, length = _sizes(bits, ell)
    if length != 1:
        raise InvalidInput(f"ell={length}: an inner product gives 1 bit; use matrices for more")
    return Extractor(k, 1, 1 << k, lambda seed: (seed,), f"all {1 << k} inner products")


@EXTRACTORS.register("field")
def field(polynomial: object = None, *, bits: object, ell: object) -> Extractor:
    """The first ell bits of s w in GF(2^bits), for a random s.

    >>> field(bits=2, ell=2)(0b10, 0b11)  # x (x + 1) = 1 modulo x^2 + x + 1
    1
    """
    k, length = _sizes(bits, ell)
    modulus = irreducible(k) if polynomial is None else read_polynomial(polynomial, "polynomial")
    if modulus.bit_length() != k + 1 or not is_irreducible(modulus):
        raise InvalidInput(
            f"polynomial={polynomial_text(modulus)} must be irreducible of degree {k}: "
            f"use {polynomial_text(irreducible(k))}"
        )

    def masks(seed: int) -> tuple[int, ...]:
        columns = [multiply(seed, 1 << j, modulus) for j in range(k)]
        return tuple(
            sum((column >> i & 1) << j for j, column in enumerate(columns))
            for i in reversed(range(k - length, k))
        )

    name = f"multiplication modulo {polynomial_text(modulus)}"
    return Extractor(k, length, 1 << k, masks, name)


@EXTRACTORS.register("toeplitz")
def toeplitz(bits: object, ell: object) -> Extractor:
    """All matrices that are constant along diagonals: a seed of bits + ell - 1 bits.

    >>> toeplitz(3, 2).masks(0b1101)
    (5, 6)
    """
    k, length = _sizes(bits, ell)
    one = (1 << k) - 1
    return Extractor(
        k,
        length,
        1 << k + length - 1,
        lambda seed: tuple(seed >> i & one for i in range(length)),
        f"all {length} x {k} Toeplitz matrices",
    )


@EXTRACTORS.register("identity")
def identity(bits: object, ell: object) -> Extractor:
    """The first ell bits of w as they are, without a seed.

    >>> identity(3, 2)(0, 0b101)
    2
    """
    k, length = _sizes(bits, ell)
    name = "the string itself" if k == length else f"the first {length} of {counted(k, 'bit')}"
    return chosen_bits(k, tuple(1 << i for i in reversed(range(k - length, k))), name)


def chosen_bits(bits: int, masks: tuple[int, ...], name: str) -> Extractor:
    """Return the extractor without a seed that applies one linear map."""
    return Extractor(bits, len(masks), 1, lambda _: masks, name, universal=False)


def _sizes(bits: object, ell: object) -> tuple[int, int]:
    k, length = whole(bits, "bits", at_least=1), whole(ell, "ell", at_least=1)
    if length > k:
        raise InvalidInput(
            f"a pad of ell={length} bits cannot be drawn from {counted(k, 'bit')}: choose ell at "
            f"most {k}"
        )
    return k, length
