r"""The limit: what differential privacy leaves to any reconstruction, however clever.

Let every bit be even and independent of the others, and let all answers together be epsilon-dp for
changing one row. Then any attack is right on at most

    p = e^epsilon / (1 + e^epsilon)

of the rows on average. Proof: fix a row and the bits of all others, and let c be the probability
that the attack guesses this row right, half the sum of P[guess 1 | 1] and P[guess 0 | 0]. The guess
is computed from the answers, so P[guess 1 | 1] <= e^epsilon P[guess 1 | 0], and likewise for 0.
Half the sum of both says c <= e^epsilon (1 - c), which is c <= p. The bound is exact: randomized
response with odds e^epsilon reaches it.

More is true: given the answers and the bits of any other rows, a bit is what was guessed with
probability at most p, since its odds were 1 and move by at most e^epsilon. Going through the rows
one after the other, the number of right ones is no larger, in law, than that of n independent
trials with probability p. `lucky_count` is where those end but for a given chance.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

from twoworlds.errors import InvalidInput
from twoworlds.numbers import (
    INFINITY,
    Number,
    at_most_one,
    bounds,
    exp,
    number,
    probability,
    whole,
)

__all__ = ["largest_fraction", "lucky_count"]

_UNIT = 1 << 40


def largest_fraction(epsilon: object) -> Number:
    """Return e^epsilon / (1 + e^epsilon).

    >>> largest_fraction("ln 3"), largest_fraction(0)
    (Fraction(3, 4), Fraction(1, 2))
    """
    loss = number(epsilon, "epsilon")
    if loss < 0:
        raise InvalidInput(f"epsilon={epsilon}: it must be at least 0")
    if loss == INFINITY:
        return Fraction(1)
    # 1 / (1 + e^-epsilon) is the same, and stays in range for any epsilon.
    return at_most_one(1 / (1 + exp(-loss)))


def lucky_count(rows: object, epsilon: object, chance: object) -> int:
    """Return the least k such that k or more right rows have at most this chance under epsilon-dp.

    The result is rows + 1 where even all rows right are likelier than that.

    >>> lucky_count(64, "1/2", "1e-9")
    61
    """
    n, allowed = whole(rows, "rows", at_least=1), probability(chance, "chance")
    top = min(_UNIT, int(bounds(largest_fraction(epsilon))[1] * _UNIT) + 1)
    share, tail, k = Fraction(top, _UNIT), Fraction(0), n + 1
    while k > 0:
        tail += comb(n, k - 1) * share ** (k - 1) * (1 - share) ** (n - k + 1)
        if tail > allowed:
            break
        k -= 1
    return k
