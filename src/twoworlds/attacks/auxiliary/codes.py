"""Binary linear codes of up to 16 bits, known whole: repetition, Hamming, BCH, any cyclic one.

A code is given by its parity checks: it holds the strings whose *syndrome*, their image under the
checks, is 0. Two strings of one syndrome differ by a codeword, so among strings within half the
least distance of each other the syndrome of one names it: all error patterns of weight up to
``radius = (distance - 1) // 2`` have different syndromes, and `Code.error` looks them up. A
syndrome that none of them has is not decoded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twoworlds.attacks.auxiliary.bits import (
    MOST_BITS,
    Vector,
    apply,
    check_bits,
    divided,
    images,
    independent,
    patterns,
    polynomial_text,
    read_polynomial,
)
from twoworlds.calls import Registry
from twoworlds.errors import InvalidInput
from twoworlds.numbers import whole

# By length and dimension: the least common multiple of the minimal polynomials of x, x^3, ... in
# the field of so many elements and one more.
_BCH: dict[int, dict[int, str | int]] = {
    3: {1: "x^2+x+1"},
    7: {4: "x^3+x+1", 1: "x^6+x^5+x^4+x^3+x^2+x+1"},
    15: {
        11: "x^4+x+1",
        7: "x^8+x^7+x^6+x^4+1",
        5: "x^10+x^8+x^5+x^4+x^2+x+1",
        1: 0x7FFF,
    },
}


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
    def information(self) -> tuple[int, ...]:
        """The first positions (as masks) that together with the syndrome name every string."""
        return tuple(independent((1 << i for i in reversed(range(self.length))), self.checks))

    @cached_property
    def syndromes(self) -> Vector:
        """The parities of every string on all checks."""
        return images(self.checks, self.length)

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
        return {self.syndrome(e): e for e in patterns(self.length, self.radius)}

    def syndrome(self, word: int) -> int:
        """Return the parities of a string on all checks."""
        return apply(self.checks, word)

    def error(self, syndrome: int) -> int | None:
        """Return the one error pattern within the radius with this syndrome, or None."""
        return self.leaders.get(syndrome)

    def describe(self) -> str:
        """Return name, parameters and radius in words."""
        errors = "1 error" if self.radius == 1 else f"{self.radius} errors"
        distance = "" if self.distance is None else f", of distance {self.distance}"
        return f"the {self.name} code [{self.length}, {self.dimension}]{distance}, mends {errors}"


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
    divisor = read_polynomial(generator, "generator")
    quotient, remainder = divided(1 << length | 1, divisor)
    if remainder or divisor.bit_length() > length:
        raise InvalidInput(
            f"generator={polynomial_text(divisor)} must divide x^{length}+1 and be shorter: "
            f"the code of length {length} has no such generator"
        )
    # A check is the reversed quotient, shifted: it is orthogonal to every shift of the generator.
    width = quotient.bit_length()
    reverse = int(format(quotient, f"0{width}b")[::-1], 2)
    checks = tuple(reverse << i for i in reversed(range(length - width + 1)))
    return Code(length, checks, name or f"cyclic({length}, {polynomial_text(divisor)})")


def _length(n: object) -> int:
    return check_bits(whole(n, "n", at_least=2), "a code")
