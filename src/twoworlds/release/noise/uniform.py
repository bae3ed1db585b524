"""A uniform number of which only as many bits are drawn as a decision needs.

U lies in [0, 1). After n bits it is known to lie in [v / 2^n, (v + 1) / 2^n). Whether U < x is
decided when x lies outside of that interval; otherwise more bits are drawn, and x is enclosed more
tightly. So each decision is exact, and it ends with probability 1 whatever x is: a further word is
needed with probability about 2^-64.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from twoworlds.errors import Undecided
from twoworlds.numbers import LIMIT_BITS, Number, ball, working_precision
from twoworlds.release.noise.bits import Bits

__all__ = ["Uniform", "inverted"]

_WORD = 64
_GUARD = 32


class Uniform:
    """A number U in [0, 1), uniform, drawn bit by bit.

    Args:
        source: where further bits come from.
        known: the bits that are known already, as a whole number.
        count: how many they are.
    """

    def __init__(self, source: Bits, *, known: int = 0, count: int = 0) -> None:
        self._source, self._known, self._count = source, known, count

    def below(self, x: Number) -> bool:
        """Decide U < x, drawing further bits while it is open."""
        while True:
            decided = self._sides(x)
            if decided is not None:
                return decided
            if self._count > LIMIT_BITS:
                raise Undecided(
                    f"{self._count} random bits agree with the enclosure of a probability, which "
                    "does not shrink: give the parameters of the noise as exact numbers"
                )
            self._known = (self._known << _WORD) | self._source.few(1)[0]
            self._count += _WORD

    def _sides(self, x: Number) -> bool | None:
        """Return whether U < x, or None while that is open."""
        low, high = self._known, self._known + 1
        if isinstance(x, Fraction):
            scaled = x * (1 << self._count)
            return True if high <= scaled else False if low >= scaled else None
        bits = self._count + _GUARD
        enclosed = ball(x, bits)
        with working_precision(bits + _GUARD):
            enclosed *= arb(2) ** self._count
            return True if enclosed >= arb(high) else False if enclosed <= arb(low) else None


def inverted(uniform: Uniform, at_most: Callable[[int], Number], guess: int) -> int:
    """Return the least k with U < at_most(k): a draw from the law with P(Z <= k) = at_most(k).

    >>> from twoworlds.release.noise.bits import SeededBits
    >>> die = lambda k: Fraction(min(max(k, 0), 6), 6)
    >>> inverted(Uniform(SeededBits(5)), die, 0) in range(1, 7)
    True
    """
    step = 1
    if uniform.below(at_most(guess)):
        high = guess
        while uniform.below(at_most(high - step)):
            high, step = high - step, 2 * step
        low = high - step
    else:
        low = guess
        while not uniform.below(at_most(low + step)):
            low, step = low + step, 2 * step
        high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        if uniform.below(at_most(middle)):
            high = middle
        else:
            low = middle
    return high
