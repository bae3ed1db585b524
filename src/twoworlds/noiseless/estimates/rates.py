r"""How soon the likeliest law stops depending on one entry: Theorems 13, 14 and 15, with numbers.

Bassily, Groce, Katz & Smith, Section III-C, for n + 1 people and laws f_1, ..., f_k. With

    tau = max pi_i / pi_j      M = max f_i(a) / f_j(a)      u(s) = min over i != j of
                                                            -ln sum_a f_i(a)^s f_j(a)^(1 - s)

and any s between 0 and 1:

    Theorem 13          (k - 1) tau (M + 1) e^(-n u)            bounds delta at epsilon = 0
      sharper           (k - 1) tau^s (M^s + 1) e^(-n u)        does so too
    Theorem 14          ln( (1 + (M/lambda - 1) tau M e^(-n u)) / (1 - (k - 1) tau M e^(-n u)) )
                        bounds epsilon at delta = 0, if every law has prior probability >= lambda

Proof of the sharper form. Let the entries come from f_j. Without the entry v, law i beats j with
probability at most E[(pi_i/pi_j prod f_i/f_j)^s] <= tau^s e^(-n u), by Markov's inequality; with it
the product has one more factor of at most M. So F(X) and F(X_-i) are both j but for probability
(k - 1) tau^s (1 + M^s) e^(-n u), and Theorem 11 applies (mixtures of laws: Theorem 4).

Differs: the expectation in u is under f_j (under f_i it would make u negative); Theorem 14 needs
(k - 1) tau M e^(-n u) < 1 and lambda <= 1/k; Theorem 15, which lets the attacker know L entries, is
false as printed (n -> n - L alone): known entries move the likelihoods by up to M^L, so that also
tau -> tau M^L and lambda -> lambda / M^L, which is what is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import exp as float_exp
from math import log, log1p
from typing import Any

from flint import arb

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.noiseless.estimates.family import Family
from twoworlds.numbers import Number, Order, Real, ball, compare, ln, power, rational, whole

__all__ = ["Rates", "rates", "read_least"]

_PARTS = 1000
_ROUNDS = 60


@dataclass(frozen=True)
class Rates:
    """The bounds for one size, and what they are made of.

    Attributes:
        people: n + 1.
        known: L, how many other entries the attacker may know.
        tau: the largest quotient of two weights.
        factor: M, the largest quotient of two laws on one value.
        s: the exponent used in the printed forms, with ``u`` = u(s).
        theorem_13: the printed bound of delta, corrected for known entries.
        s_sharper: the exponent used in the sharper form.
        theorem_13_sharper: the sharper bound of delta.
        theorem_14: the bound of epsilon, or None; ``why_not`` then says which condition fails.
    """

    people: int
    known: int
    tau: Fraction
    factor: Fraction
    s: Fraction
    u: Number
    theorem_13: Number
    s_sharper: Fraction
    theorem_13_sharper: Number
    theorem_14: Number | None
    why_not: str = ""


def rates(
    laws: object,
    *,
    people: object,
    weights: object = None,
    known: object = 0,
    least: object = None,
    s: object = None,
) -> Rates:
    """Return the bounds of Theorems 13 to 15 (corrected), for any size, in closed form.

    Args:
        laws: a `Family`, or its laws.
        people: the size n + 1 of the database.
        weights: the curator's weights; equal when not given.
        known: how many entries of others the attacker may know.
        least: lambda, the least prior probability of any law; Theorem 14 needs it.
        s: the exponent between 0 and 1; the best one to three digits when not given.

    Raises:
        Unsupported: when some law gives a value no probability, so that M is infinite.

    >>> found = rates(["1=3/4, 0=1/4", "1=1/4, 0=3/4"], people=41, least="1/4", s="1/2")
    >>> [round(float(x), 6) for x in (found.u, found.theorem_13, found.theorem_14)]
    [0.143841, 0.012685, 0.109088]
    """
    family = Family.of(laws, weights)  # type: ignore[arg-type]
    size = whole(people, "people", at_least=1)
    aware = whole(known, "known")
    if aware >= size:
        raise InvalidInput(
            f"known={aware} of people={size}: at most {size - 1} others can be known"
        )
    bound = read_least(least, family)
    factor = family.largest_factor
    if factor is None:
        raise Unsupported(
            "M is infinite: some value is possible under one law and impossible under another, "
            "where Theorems 13 to 15 say nothing; the exact numbers need no M"
        )
    chosen = None if s is None else _exponent(s)
    drawn = size - 1 - aware
    tau = family.weight_factor * factor**aware
    plain = chosen or _best(lambda x: -_float_rate(family, x))
    sharp = chosen or _best(
        lambda x: (
            x * _log(tau) + log1p(float_exp(x * _log(factor))) - drawn * _float_rate(family, x)
        )
    )
    decay, rivals = _affinity(family, plain) ** drawn, len(family.laws) - 1
    lasting = rivals * tau * factor * decay
    fourteen, why = None, "Theorem 14 needs lambda, the least prior probability of any law"
    if bound is not None:
        why = "(k - 1) tau M e^(-n u) is not below 1: Theorem 14 says nothing at this size"
        if compare(lasting, 1) is Order.LESS:
            share = factor ** (aware + 1) / bound - 1
            fourteen, why = ln((1 + share * tau * factor * decay) / (1 - lasting)), ""
    return Rates(
        people=size,
        known=aware,
        tau=family.weight_factor,
        factor=factor,
        s=plain,
        u=-ln(_affinity(family, plain)),
        theorem_13=rivals * tau * (factor + 1) * decay,
        s_sharper=sharp,
        theorem_13_sharper=rivals
        * power(tau, sharp)
        * (power(factor, sharp) + 1)
        * _affinity(family, sharp) ** drawn,
        theorem_14=fourteen,
        why_not=why,
    )


def read_least(least: object, family: Family) -> Fraction | None:
    """Read lambda: above 0 and at most 1/k, as k probabilities cannot all be larger than 1/k."""
    if least is None:
        return None
    value, size = rational(least, "least"), len(family.laws)
    if not 0 < value <= Fraction(1, size):
        raise InvalidInput(
            f"least={value}: the least prior probability of {size} laws lies above 0 and is at "
            f"most 1/{size}; leave it out to allow every prior"
        )
    return value


def _exponent(s: object) -> Fraction:
    value = rational(s, "s")
    if not 0 < value < 1:
        raise InvalidInput(f"s={value} must lie strictly between 0 and 1, as 1/2 does")
    return value


def _affinity(family: Family, s: Fraction) -> Number:
    """Return e^(-u(s)), the largest sum_a f_i(a)^s f_j(a)^(1 - s) of two different laws."""
    pairs = [
        [(kind.masses[i], kind.masses[j]) for kind in family.kinds]
        for i, j in permutations(range(len(family.laws)), 2)
    ]

    def evaluate(bits: int) -> arb:
        found = arb(0)
        for masses in pairs:
            terms = (
                (
                    ball(s, bits) * ball(f, bits).log() + ball(1 - s, bits) * ball(g, bits).log()
                ).exp()
                for f, g in masses
            )
            found = found.max(sum(terms, start=arb(0)))
        return found

    return Real(evaluate)


def _float_rate(family: Family, s: float) -> float:
    """Return u(s) in floats, for choosing s only."""
    sums = (
        sum(
            float_exp(s * _log(kind.masses[i]) + (1 - s) * _log(kind.masses[j]))
            for kind in family.kinds
        )
        for i, j in permutations(range(len(family.laws)), 2)
    )
    return -log(max(sums))


def _best(price: Any) -> Fraction:
    """Return the s with the smallest price, to three digits; the price is convex in s.

    (-ln of a sum of exponentials is concave, and ln(1 + M^s) is convex.)
    """
    low, high = 0.0, 1.0
    for _ in range(_ROUNDS):
        first, second = low + (high - low) / 3, high - (high - low) / 3
        if price(first) <= price(second):
            high = second
        else:
            low = first
    place = min(max(round(_PARTS * (low + high) / 2), 1), _PARTS - 1)
    return Fraction(place, _PARTS)


def _log(x: Fraction) -> float:
    return log(x.numerator) - log(x.denominator)
