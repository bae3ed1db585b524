"""What the attacker sees of the utility vector: all of it, or a version with errors.

A sanitiser is a law of the error pattern, the set of bits that come out wrong, given the true
vector w. Mostly it is the same for every w; any mechanism on strings of bits can be taken, though.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb

import numpy as np

from twoworlds.attacks.auxiliary.bits import (
    Vector,
    check_bits,
    counted,
    fitted,
    integers,
    xor_sum,
)
from twoworlds.attacks.auxiliary.codes import patterns
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.named import mechanism
from twoworlds.numbers import probability, whole
from twoworlds.worlds import BitStrings

__all__ = ["Sanitiser", "errors", "exact", "flips", "sanitiser", "through"]

_MOST_BITS_OF_A_MECHANISM = 8


@dataclass(frozen=True, eq=False)
class Sanitiser:
    """A law of error patterns.

    Attributes:
        bits: Length of the utility vector.
        noise: Weights of the patterns, as whole numbers: one row for all vectors, or one for each.
        total: What a row sums to.
        reach: The most bits that can be wrong.
        name: What it does, in words.
    """

    bits: int
    noise: Vector
    total: int
    reach: int
    name: str

    @property
    def is_exact(self) -> bool:
        """Whether the whole utility vector is always learned."""
        return self.reach == 0

    @property
    def is_additive(self) -> bool:
        """Whether the errors do not depend on the vector."""
        return len(self.noise) == 1

    def seen(self, weights: Vector) -> Vector:
        """Return the law of what is seen, times `total`, for a law of the vector."""
        if self.is_exact:
            return np.asarray(weights * self.total)
        if self.is_additive:
            return xor_sum(weights, self.noise[0])
        found = np.zeros(len(weights), dtype=object)
        everything = np.arange(len(weights))
        for w, weight in enumerate(weights):
            if weight:
                found[everything ^ w] += int(weight) * self.noise[w].astype(object)
        return found

    @cached_property
    def _differences(self) -> Vector:
        """The law of the difference of two independent views, for each row of noise."""
        return np.array([xor_sum(row, row).astype(object) for row in self.noise], dtype=object)

    def differences(self, weights: Vector) -> Vector:
        """Return the law of the difference of two views of one vector, times ``total ** 2``."""
        if self.is_additive:
            return np.asarray(self._differences[0] * sum(map(int, weights)))
        return np.asarray(weights.astype(object) @ self._differences)


def exact(bits: object) -> Sanitiser:
    """Return the sanitiser that reveals the utility vector.

    >>> exact(3).is_exact
    True
    """
    return errors(bits, 0)


def errors(bits: object, most: object) -> Sanitiser:
    """Return the sanitiser that gets up to ``most`` bits wrong, all such patterns equally likely.

    >>> errors(5, 1).total
    6
    """
    k, r = check_bits(whole(bits, "bits", at_least=1), "a utility vector"), whole(most, "errors")
    if r > k:
        raise InvalidInput(f"errors={r}: w has only {counted(k, 'bit')} that can be wrong")
    noise = np.zeros((1, 1 << k), dtype=np.int64)
    noise[0, list(patterns(k, r))] = 1
    name = "reveals w" if r == 0 else f"gets up to {r} of {counted(k, 'bit')} wrong"
    return Sanitiser(k, noise, sum(comb(k, i) for i in range(r + 1)), r, name)


def flips(bits: object, chance: object) -> Sanitiser:
    """Return the sanitiser that flips each bit independently.

    >>> flips(2, "1/4").noise.tolist()
    [[9, 3, 3, 1]]
    """
    k = check_bits(whole(bits, "bits", at_least=1), "a utility vector")
    flipped = probability(chance, "flips")
    right, wrong = flipped.denominator - flipped.numerator, flipped.numerator
    total = flipped.denominator**k
    weight = np.bitwise_count(np.arange(1 << k)).astype(np.int64)
    by_weight = np.empty(k + 1, dtype=object)
    by_weight[:] = [right ** (k - i) * wrong**i for i in range(k + 1)]
    reach = 0 if flipped == 0 else k
    name = f"flips each bit with probability {flipped}"
    return Sanitiser(k, fitted(by_weight[weight], total)[None, :], total, reach, name)


def through(given: str | Mechanism) -> Sanitiser:
    """Return the sanitiser that any mechanism on strings of bits is, its outputs being such too.

    >>> through("randomized-response(bits=2, keep=3/4)").noise[0].tolist()
    [9, 3, 3, 1]
    """
    found = mechanism(given) if isinstance(given, str) else given
    universe = found.universe
    if not isinstance(universe, BitStrings) or universe.smallest != universe.n:
        raise InvalidInput(f"{found.expression} is no mechanism on strings of bits: give bits=...")
    k = universe.n
    if k > _MOST_BITS_OF_A_MECHANISM:
        raise TooLarge(
            f"{found.expression} has {counted(k, 'bit')}; the matrix of a mechanism is used up to "
            f"{_MOST_BITS_OF_A_MECHANISM}: write flips(1/4), which needs none"
        )
    chances = np.zeros((1 << k, 1 << k), dtype=object)
    table = found.table()
    for output, row in zip(table.outputs, table.rows, strict=True):
        seen = _as_number(output, k, found.expression)
        for database, chance in zip(universe, row, strict=True):
            if not isinstance(chance, Fraction):
                raise InvalidInput(f"{found.expression} has irrational probabilities here")
            w = _as_number(database, k, found.expression)
            chances[w, seen ^ w] += chance
    flat, total = integers([Fraction(c) for c in chances.reshape(-1)])
    noise = fitted(flat, total * total << k).reshape(1 << k, 1 << k)
    if (noise == noise[0]).all():
        noise = noise[:1]
    reach = max(int(e).bit_count() for e in np.nonzero(noise.any(axis=0))[0])
    return Sanitiser(k, noise, total, reach, f"is {found.expression}")


def sanitiser(text: str, bits: object) -> Sanitiser:
    """Build a sanitiser from ``exact``, ``errors(1)``, ``flips(1/4)`` or a mechanism on bits."""
    from twoworlds.calls import parse

    call = parse(text)
    if call.name not in ("exact", "errors", "flips"):
        return through(text)
    if len(call.positional) != (call.name != "exact") or call.named:
        raise InvalidInput(f"{text!r}: write exact, errors(1) or flips(1/4)")
    if call.name == "exact":
        return exact(bits)
    return (errors if call.name == "errors" else flips)(bits, call.positional[0])


def _as_number(value: object, bits: int, name: str) -> int:
    characters = value if isinstance(value, (str, tuple, list)) else [value]
    text = "".join(str(character) for character in characters)
    if len(text) != bits or text.strip("01"):
        raise InvalidInput(
            f"{name} has the output {value!r}, which is no string of {counted(bits, 'bit')}"
        )
    return int(text, 2)
