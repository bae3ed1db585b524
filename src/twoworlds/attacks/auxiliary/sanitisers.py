"""What the attacker sees of the utility vector: all of it, or a version with errors.

A sanitiser is a law of the error pattern, the set of bits that come out wrong, whatever the vector:
``errors(1)`` gets up to so many bits wrong, all such patterns equally likely; ``flips(1/4)`` flips
each bit independently, which is randomized response; ``exact`` is ``errors(0)``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twoworlds.attacks.auxiliary.bits import Vector, check_bits, fitted, patterns, xor_sum
from twoworlds.attacks.english import counted
from twoworlds.calls import parse
from twoworlds.errors import InvalidInput
from twoworlds.numbers import probability, whole

__all__ = ["Sanitiser", "sanitiser"]


@dataclass(frozen=True, eq=False)
class Sanitiser:
    """A law of error patterns."""

    bits: int  # length of the utility vector
    noise: Vector  # weights of the patterns, as whole numbers
    total: int  # what they sum to
    reach: int  # the most bits that can be wrong
    name: str  # what it does, in words

    def seen(self, weights: Vector) -> Vector:
        """Return the law of what is seen, times `total`, for a law of the vector."""
        return xor_sum(weights, self.noise) if self.reach else np.asarray(weights * self.total)

    def differences(self) -> Vector:
        """Return the law of the difference of two views of one vector, times ``total ** 2``."""
        return xor_sum(self.noise, self.noise).astype(object)


def sanitiser(text: str, bits: object) -> Sanitiser:
    """Build a sanitiser from ``exact``, ``errors(1)`` or ``flips(1/4)``.

    >>> sanitiser("errors(1)", 5).total, sanitiser("flips(1/4)", 2).noise.tolist()
    (6, [9, 3, 3, 1])
    """
    k = check_bits(whole(bits, "bits", at_least=1), "a utility vector")
    call = parse(text)
    if call.named or (call.name, len(call.positional)) not in (
        ("exact", 0),
        ("errors", 1),
        ("flips", 1),
    ):
        raise InvalidInput(f"{text!r}: write exact, errors(1) or flips(1/4)")
    if call.name == "flips":
        return _flips(k, call.positional[0])
    most = whole((*call.positional, 0)[0], "errors")
    if most > k:
        raise InvalidInput(f"errors={most}: w has only {counted(k, 'bit')} that can be wrong")
    noise = np.zeros(1 << k, dtype=np.int64)
    noise[list(patterns(k, most))] = 1
    name = "reveals w" if most == 0 else f"gets up to {most} of {counted(k, 'bit')} wrong"
    return Sanitiser(k, noise, int(noise.sum()), most, name)


def _flips(bits: int, chance: object) -> Sanitiser:
    flipped = probability(chance, "flips")
    right, wrong = flipped.denominator - flipped.numerator, flipped.numerator
    by_weight = np.empty(bits + 1, dtype=object)
    by_weight[:] = [right ** (bits - i) * wrong**i for i in range(bits + 1)]
    weight = np.bitwise_count(np.arange(1 << bits)).astype(np.int64)
    total = flipped.denominator**bits
    name = f"flips each bit with probability {flipped}"
    reach = bits if flipped else 0
    return Sanitiser(bits, fitted(by_weight[weight], total), total, reach, name)
