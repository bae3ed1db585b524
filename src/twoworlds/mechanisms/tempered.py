r"""The likeliest of several laws, with a little noise: differentially private.

Bassily, Groce, Katz & Smith, Section III-C, publish argmax_i pi_i prod_j f_i(x_j), and say that a
little noise would make it differentially private. Here law i is named with probability

    P(i | x) = s_i(x)^t / sum_l s_l(x)^t ,      s_i(x) = pi_i prod_j f_i(x_j) ,

the exponential mechanism with the logarithm of s_i as its score. t = 1 is one draw from the
posterior, t = 0 ignores the data, and as t grows the likeliest law is named almost surely.

*Its epsilon.* Let one record v become w, and g_i = f_i(v) / f_i(w). Then

    P(i | x) / P(i | x') = g_i^t  sum_l P(l | x) g_l^-t  <=  (max_i g_i / min_l g_l)^t ,

as the sum is a mean of the g_l^-t. With the spread R = max over v, w, i, l of
f_i(v) f_l(w) / (f_i(w) f_l(v)) it is epsilon <= t ln R, whatever the weights and the number of
people. The bound is approached as people are added, where one law is next to certain; the exact
epsilon is found from the counts. It needs every f_i(v) to be above 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.on_statistic import Channel
from twoworlds.numbers import Number, bounds, exact_text, ln, power
from twoworlds.worlds import Explicit, Point, Universe

if TYPE_CHECKING:
    import numpy as np

_GRID = 1 << 10
Laws = tuple[tuple[Fraction, ...], ...]
"""The probability of each value, by law."""


@dataclass(frozen=True)
class Tempered(Channel):
    """From how often each value occurs to a law, named from 1.

    >>> coins = ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    >>> Tempered(coins, (Fraction(1), Fraction(1)), Fraction(1)).probability(1, (2, 1))
    Fraction(3, 4)
    """

    laws: Laws
    weights: tuple[Fraction, ...]
    exponent: Fraction

    why = "every two lists of counts that neighbours can have"

    @property
    def outputs(self) -> Universe:  # type: ignore[override]
        """The laws, from 1."""
        return Explicit(tuple(range(1, len(self.laws) + 1)))

    def probability(self, output: Point, value: Any) -> Number:
        """Return P(output | counts)."""
        found: Number = _named(self, tuple(map(int, value)))[output - 1]
        return found

    def sample(self, value: Any, rng: np.random.Generator) -> Point:
        """Draw a law by its float probability."""
        weights = [float(p) for p in _named(self, tuple(map(int, value)))]
        return 1 + int(rng.choice(len(weights), p=[p / sum(weights) for p in weights]))


@lru_cache(maxsize=1 << 14)
def _named(channel: Tempered, counts: tuple[int, ...]) -> tuple[Number, ...]:
    """Return the probability of each law; only quotients of scores are raised to the power."""
    scores = [
        weight * math.prod(f**c for f, c in zip(law, counts, strict=True))
        for law, weight in zip(channel.laws, channel.weights, strict=True)
    ]
    best = max(scores)
    raised = [power(score / best, channel.exponent) for score in scores]
    total = sum(raised, start=Fraction(0))
    return tuple(part / total for part in raised)


def spread(laws: Laws) -> Fraction:
    """Return R, the most that one changed record can move the odds between two laws.

    >>> coins = ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    >>> spread(coins)
    Fraction(9, 1)
    """
    if any(mass == 0 for law in laws for mass in law):
        raise InvalidInput(
            "a law gives a value the probability 0: one record would then rule the law out, and "
            "no epsilon holds; give every value a positive probability under every law"
        )
    places = range(len(laws[0]))
    return max(
        first[v] * second[w] / (first[w] * second[v])
        for first, second in product(laws, laws)
        for v, w in product(places, places)
    )


def exponent_for(laws: Laws, epsilon: Number) -> Fraction:
    """Return the largest multiple of 1/1024 with t ln R <= epsilon."""
    widest = spread(laws)
    if widest == 1:
        raise InvalidInput("the laws are all the same: there is nothing to name")
    found = Fraction(math.floor(bounds(epsilon / ln(widest))[0] * _GRID), _GRID)
    if found <= 0:
        raise InvalidInput(
            f"epsilon={exact_text(epsilon)} allows a power below 1/{_GRID}: the answer would be "
            "next to independent of the data; allow a larger epsilon"
        )
    return found
