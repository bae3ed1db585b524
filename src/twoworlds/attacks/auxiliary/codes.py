"""Binary linear codes, small enough to know exactly: repetition, Hamming, BCH, any cyclic one.

A code is given by its parity checks: it holds the strings whose *syndrome*, their image under the
checks, is 0. Two strings of one syndrome differ by a codeword, so among strings within half the
least distance of each other the syndrome of one names it: all error patterns of weight up to
``radius = (distance - 1) // 2`` have different syndromes, and `Code.error` looks them up. A
syndrome that none of them has is not decoded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

from twoworlds.attacks.auxiliary.bits import apply, independent, rank
from twoworlds.attacks.auxiliary.fields import (
    bch_generator,
    divided,
    polynomial_text,
    read_polynomial,
)
from twoworlds.calls import Registry
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import whole

__all__ = ["CODES", "Code", "bch", "code", "cyclic", "hamming", "repetition"]

_MOST_CODEWORDS = 1 << 16
_MOST_PATTERNS = 1 << 17
_LONGEST = 127


@dataclass(frozen=True)
class Code:
    """A binary linear code.

    Attributes:
        length: Of its strings.
        checks: Independent masks; a codeword has even parity on each of them.
        name: What it is called.
    """

    length: int
    checks: tuple[int, ...]
    name: str

    def __post_init__(self) -> None:
        """Refuse checks that say the same thing twice, or speak of bits that are not there."""
        if any(not 0 < check < 1 << self.length for check in self.checks):
            raise InvalidInput(f"{self.name}: a check is a string of {self.length} bits, not all 0")
        if rank(self.checks) < len(self.checks):
            raise InvalidInput(
                f"{self.name}: the parity checks depend on each other: leave one out"
            )

    @property
    def dimension(self) -> int:
        """How many bits a codeword carries."""
        return self.length - len(self.checks)

    @cached_property
    def basis(self) -> tuple[int, ...]:
        """Codewords of which every codeword is the sum of some."""
        free = self.information
        found = []
        for position in free:
            # The codeword that is 1 at this free position and 0 at the others.
            rest = [1 << i for i in range(self.length) if 1 << i not in free]
            columns = [apply(self.checks, bit) for bit in rest]
            found.append(position | _solution(columns, apply(self.checks, position), rest))
        return tuple(found)

    @cached_property
    def information(self) -> tuple[int, ...]:
        """The first positions (as masks) that together with the syndrome name every string."""
        return tuple(independent((1 << i for i in reversed(range(self.length))), self.checks))

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """How many codewords there are of each weight, from 0 on.

        The code itself or its dual is listed, whichever is smaller; MacWilliams' identity leads
        from one to the other.
        """
        small, dual = min((self.dimension, False), (len(self.checks), True))
        if 1 << small > _MOST_CODEWORDS:
            raise TooLarge(
                f"{self.name}: neither the code nor its dual has at most {_MOST_CODEWORDS} "
                "words, so its least distance is not known: take a smaller code"
            )
        counts = [0] * (self.length + 1)
        for word in _span(self.checks if dual else self.basis):
            counts[word.bit_count()] += 1
        return tuple(_macwilliams(counts, self.length, 1 << small) if dual else counts)

    @cached_property
    def distance(self) -> int | None:
        """The least weight of a codeword other than 0, or None when there is no other."""
        return next((w for w, count in enumerate(self.weights) if w and count), None)

    @property
    def radius(self) -> int:
        """How many errors are always mended."""
        return self.length if self.distance is None else (self.distance - 1) // 2

    @cached_property
    def leaders(self) -> dict[int, int]:
        """The error pattern of weight up to the radius that each decodable syndrome has."""
        if sum(comb(self.length, i) for i in range(self.radius + 1)) > _MOST_PATTERNS:
            raise TooLarge(
                f"{self.name} mends more than {_MOST_PATTERNS} error patterns: take a smaller code"
            )
        return {self.syndrome(e): e for e in patterns(self.length, self.radius)}

    def syndrome(self, word: int) -> int:
        """Return the parities of a string on all checks."""
        return apply(self.checks, word)

    def error(self, syndrome: int) -> int | None:
        """Return the one error pattern within the radius with this syndrome, or None."""
        return self.leaders.get(syndrome)

    def lightest(self) -> int | None:
        """Return a codeword of least weight other than 0, or None when there is no other."""
        if self.distance is None:
            return None
        # Two patterns of one syndrome, of weights that add up to the distance, add up to it.
        half = self.distance // 2
        seen = {0: 0, **{self.syndrome(e): e for e in patterns(self.length, half)}}
        for other in patterns(self.length, self.distance - half):
            before = seen.get(self.syndrome(other))
            if before is not None and (before ^ other).bit_count() == self.distance:
                return before ^ other
        return next(w for w in _span(self.basis) if w.bit_count() == self.distance)

    def describe(self) -> str:
        """Return name, parameters and radius in words.

        >>> hamming(3).describe()
        'the hamming(3) code [7, 4], of distance 3, mends 1 error'
        """
        errors = "1 error" if self.radius == 1 else f"{self.radius} errors"
        distance = "" if self.distance is None else f", of distance {self.distance}"
        return f"the {self.name} code [{self.length}, {self.dimension}]{distance}, mends {errors}"


CODES: Registry[Code] = Registry("code")


def code(text: str | Code) -> Code:
    """Build a code from a call such as ``repetition(5)``, ``hamming(3)`` or ``bch(15, 7)``."""
    return text if isinstance(text, Code) else CODES.build(text)


@CODES.register("repetition")
def repetition(n: object) -> Code:
    """Return the code of n equal bits; the checks compare each bit with the first.

    >>> repetition(5).distance, repetition(5).radius
    (5, 2)
    """
    length = _length(n, "n")
    first = 1 << length - 1
    return Code(
        length, tuple(first | first >> i for i in range(1, length)), f"repetition({length})"
    )


@CODES.register("hamming")
def hamming(m: object) -> Code:
    """Return the perfect code of length 2^m - 1 that mends one error.

    The syndrome of a single error is its position, counted from 1, in binary.

    >>> hamming(3).weights
    (1, 0, 0, 7, 7, 0, 0, 1)
    """
    checks = whole(m, "m", at_least=2)
    most = _LONGEST.bit_length()
    if checks > most:
        raise TooLarge(
            f"m={checks}: hamming(m) has 2^m-1 bits, and codes of at most {_LONGEST} bits are "
            f"made: take m up to {most}"
        )
    length = (1 << checks) - 1
    rows = (
        sum(1 << length - j for j in range(1, length + 1) if j >> i & 1)
        for i in reversed(range(checks))
    )
    return Code(length, tuple(rows), f"hamming({checks})")


@CODES.register("bch")
def bch(n: object, k: object) -> Code:
    """Return the narrow-sense binary BCH code of length n = 2^m - 1 and dimension k.

    >>> bch(15, 7).distance, bch(15, 5).distance
    (5, 7)
    """
    length, wanted = _length(n, "n"), whole(k, "k", at_least=1)
    degree = length.bit_length()
    if length != (1 << degree) - 1 or degree < 2:
        raise InvalidInput(f"n={length}: a BCH code has length 2^m-1, such as 7, 15 or 31")
    known = []
    for corrected in range(1, 1 << degree - 1):
        generator = bch_generator(degree, corrected)
        dimension = length - generator.bit_length() + 1
        if dimension == wanted:
            return cyclic(length, generator, name=f"bch({length}, {wanted})")
        if dimension not in known and dimension > 0:
            known.append(dimension)
    listed = ", ".join(map(str, known))
    raise InvalidInput(f"k={wanted}: BCH codes of length {length} have dimension {listed}")


@CODES.register("cyclic")
def cyclic(n: object, generator: object, *, name: str | None = None) -> Code:
    """Return the cyclic code of length n that a divisor of x^n + 1 generates.

    >>> cyclic(15, "x^8+x^7+x^6+x^4+1").describe()
    'the cyclic(15, x^8+x^7+x^6+x^4+1) code [15, 7], of distance 5, mends 2 errors'
    """
    length = _length(n, "n")
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


def patterns(length: int, weight: int) -> Iterator[int]:
    """Run through the error patterns of weight up to ``weight``, lightest first.

    >>> [format(e, "03b") for e in patterns(3, 1)]
    ['000', '100', '010', '001']
    """
    bits = [1 << i for i in reversed(range(length))]
    for size in range(weight + 1):
        for chosen in combinations(bits, size):
            yield sum(chosen)


def _length(n: object, name: str) -> int:
    length = whole(n, name, at_least=2)
    if length > _LONGEST:
        raise TooLarge(f"{name}={length}: codes of at most {_LONGEST} bits are made")
    return length


def _span(basis: Sequence[int]) -> Iterator[int]:
    """Run through all sums of some of the masks, in the order of a Gray code."""
    word = 0
    yield word
    for i in range(1, 1 << len(basis)):
        word ^= basis[(i & -i).bit_length() - 1]
        yield word


def _solution(columns: Sequence[int], target: int, bits: Sequence[int]) -> int:
    """Return the sum of bits whose columns add up to the target."""
    basis: dict[int, tuple[int, int]] = {}

    def reduced(value: int, used: int) -> tuple[int, int]:
        while value and value.bit_length() in basis:
            other, others = basis[value.bit_length()]
            value, used = value ^ other, used ^ others
        return value, used

    for column, bit in zip(columns, bits, strict=True):
        value, used = reduced(column, bit)
        if value:
            basis[value.bit_length()] = value, used
    return reduced(target, 0)[1]


def _macwilliams(dual: Sequence[int], length: int, size: int) -> list[int]:
    """Return the weights of a code from those of its dual, which has ``size`` words."""
    return [
        sum(count * _krawtchouk(w, i, length) for i, count in enumerate(dual) if count) // size
        for w in range(length + 1)
    ]


def _krawtchouk(w: int, i: int, n: int) -> int:
    return sum((-1) ** j * comb(i, j) * comb(n - i, w - j) for j in range(w + 1))
