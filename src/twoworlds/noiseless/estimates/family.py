r"""Families of laws for one entry, and the estimator that names the likeliest of them.

A `LawFamily` is a list of laws f_1, ..., f_k on one finite set of values, with positive weights
pi_1, ..., pi_k. Its estimator (Bassily, Groce, Katz & Smith, Section III-C) names

    F(x) = argmax_j  pi_j f_j(x_1) f_j(x_2) ... f_j(x_n),    ties to the first,

for any number of entries, none included. The weights are the curator's, and need not be anybody's
prior. F depends on an entry only through its *shape*: values whose likelihoods (f_1 : ... : f_k)
are proportional are one kind of entry, which keeps exact counting small.

How soon the likeliest law stops depending on one entry: Theorems 13, 14 and 15, with numbers.

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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import exp as float_exp
from math import log, log1p, prod
from typing import Any

from flint import arb

from twoworlds.errors import InvalidInput, NotStochastic, Unsupported
from twoworlds.numbers import (
    Number,
    Order,
    Real,
    ball,
    compare,
    ln,
    number,
    positive,
    power,
    probability,
    rational,
    show,
    whole,
)

_MOST_LAWS = 32


def value_label(value: object) -> str:
    """Return a value as text, numbers in one spelling: 1, 1.0 and "1.00" are the same.

    >>> value_label(1.0), value_label("1/2"), value_label(" yes ")
    ('1', '1/2', 'yes')
    """
    text = str(value).strip()
    if text.lower() in ("true", "false"):
        return text.lower()
    try:
        read = number(text if isinstance(value, str) else value, "value")
    except InvalidInput:
        return text
    return str(read) if isinstance(read, Fraction) else text


def read_member(law: str | Mapping[object, object], name: str = "law") -> dict[str, Fraction]:
    """Read the law of one entry, from text such as ``1=3/4, 0=1/4`` or from a mapping.

    >>> read_member("yes=3/4, no=25%")
    {'yes': Fraction(3, 4), 'no': Fraction(1, 4)}
    """
    pairs = _pairs(law, name) if isinstance(law, str) else list(law.items())
    found: dict[str, Fraction] = {}
    for value, mass in pairs:
        label = value_label(value)
        if label in found:
            raise InvalidInput(f"{name} gives the value {label} twice: name each value once")
        found[label] = probability(mass, f"{name}: probability of {label}")
    total = sum(found.values(), start=Fraction(0))
    if total != 1:
        raise NotStochastic(f"{name} sums to {show(total)}: its probabilities must sum to 1")
    return found


def _pairs(text: str, name: str) -> list[tuple[object, object]]:
    pairs: list[tuple[object, object]] = []
    for part in text.split(","):
        value, equals, mass = part.rpartition("=")
        if not equals or not value.strip() or not mass.strip():
            raise InvalidInput(
                f"{name}={text!r}: {part.strip()!r} is not value=probability; "
                "write a law like 1=3/4, 0=1/4"
            )
        pairs.append((value, mass))
    return pairs


@dataclass(frozen=True)
class ValueKind:
    """Values that the estimator cannot tell apart, and their probability under each law."""

    values: tuple[str, ...]
    masses: tuple[Fraction, ...]


@dataclass(frozen=True)
class LawFamily:
    """Laws of one entry with the curator's weights; build it with `LawFamily.of`.

    >>> coins = LawFamily.of(["1=3/4, 0=1/4", "1=1/4, 0=3/4"])
    >>> coins.estimate([1, 0, 0]), coins.estimate([1, 0]), coins.largest_factor
    (2, 1, Fraction(3, 1))
    """

    laws: tuple[Mapping[str, Fraction], ...]
    weights: tuple[Fraction, ...]

    @staticmethod
    def of(
        laws: LawFamily | Iterable[str | Mapping[object, object]], weights: object = None
    ) -> LawFamily:
        """Read laws (text or mappings, all on the same values) and weights (default: equal)."""
        if isinstance(laws, LawFamily):
            return laws if weights is None else LawFamily.of(laws.laws, weights)  # type: ignore[arg-type]
        given = laws.split(";") if isinstance(laws, str) else list(laws)
        if not 2 <= len(given) <= _MOST_LAWS:
            raise InvalidInput(
                f"{len(given)} laws given: the likeliest is chosen from 2 to {_MOST_LAWS}; "
                'write them like "1=3/4, 0=1/4" "1=1/4, 0=3/4"'
            )
        read = [read_member(law, f"law {j}") for j, law in enumerate(given, start=1)]
        for j, law in enumerate(read[1:], start=2):
            _require_same_values(read[0], law, j)
        return LawFamily(tuple(read), _read_weights(weights, len(read)))

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The values that an entry can have under some law."""
        return tuple(a for a in self.laws[0] if any(law[a] for law in self.laws))

    @cached_property
    def kinds(self) -> tuple[ValueKind, ...]:
        """The values, put together where their likelihoods are proportional."""
        found: dict[tuple[Fraction, ...], list[str]] = {}
        for a in self.values:
            masses = [law[a] for law in self.laws]
            first = next(mass for mass in masses if mass)
            found.setdefault(tuple(mass / first for mass in masses), []).append(a)
        return tuple(
            ValueKind(tuple(group), tuple(sum(law[a] for a in group) for law in self.laws))  # type: ignore[misc]
            for group in found.values()
        )

    @cached_property
    def largest_factor(self) -> Fraction | None:
        """M, the most that two laws differ by on one value; None when it is infinite."""
        if any(0 in kind.masses for kind in self.kinds):
            return None
        return max(max(kind.masses) / min(kind.masses) for kind in self.kinds)

    @property
    def weight_factor(self) -> Fraction:
        """tau, the largest quotient of two weights (the two may be equal, then it is 1)."""
        return max(self.weights) / min(self.weights)

    def kind_of(self, value: object) -> int:
        """Return the place of the kind that a value belongs to."""
        label = value_label(value)
        for place, kind in enumerate(self.kinds):
            if label in kind.values:
                return place
        raise InvalidInput(
            f"value={label} is impossible under every law: the values are {', '.join(self.values)}"
        )

    def estimate(self, entries: Sequence[object]) -> int:
        """Return the likeliest law of some entries, counted from 1; ties go to the first."""
        counts = [0] * len(self.kinds)
        place = {a: g for g, kind in enumerate(self.kinds) for a in kind.values}
        strange = 0
        for entry in entries:
            g = place.get(value_label(entry))
            if g is None:
                strange += 1
            else:
                counts[g] += 1
        if strange:
            raise InvalidInput(
                f"{strange} of {len(entries)} entries have a value that no law names: "
                f"the values are {', '.join(self.values)}"
            )
        return self.likeliest(counts) + 1

    def likeliest(self, counts: Sequence[int]) -> int:
        """Return the place of the likeliest law for so many entries of each kind."""
        scores = [
            weight * prod((kind.masses[j] ** c for kind, c in zip(self.kinds, counts, strict=True)))
            for j, weight in enumerate(self.weights)
        ]
        best = max(scores)
        if best == 0:
            raise InvalidInput(
                "these entries are impossible under every law, so none is the likeliest: "
                "add a law that holds them possible"
            )
        return scores.index(best)

    def describe(self) -> str:
        """Write the laws as one would type them."""
        texts = (", ".join(f"{a}={mass}" for a, mass in law.items()) for law in self.laws)
        return "; ".join(f"law {j}: {text}" for j, text in enumerate(texts, start=1))


def _require_same_values(
    first: Mapping[str, Fraction], law: Mapping[str, Fraction], j: int
) -> None:
    missing = [a for a in first if a not in law]
    extra = [a for a in law if a not in first]
    if missing or extra:
        a, lacking = (missing[0], j) if missing else (extra[0], 1)
        raise InvalidInput(
            f"laws 1 and {j} are on different sets: law {lacking} does not name the value {a}; "
            f"write {a}=0 there if it is impossible under that law"
        )


def _read_weights(weights: object, size: int) -> tuple[Fraction, ...]:
    """Read weights above 0 in any scale, and let them sum to 1."""
    if weights is None:
        return (Fraction(1, size),) * size
    given = weights.split(",") if isinstance(weights, str) else list(weights)  # type: ignore[call-overload]
    if len(given) != size:
        raise InvalidInput(f"{len(given)} weights for {size} laws: give one weight for each law")
    read: list[Number] = [positive(w, f"weight of law {j}") for j, w in enumerate(given, start=1)]
    exact = [w for w in read if isinstance(w, Fraction)]
    if len(exact) < size:
        raise InvalidInput("weights must be rational: write them like 2/3, 1/3")
    total = sum(exact)
    return tuple(w / total for w in exact)


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
        laws: a `LawFamily`, or its laws.
        people: the size n + 1 of the database.
        weights: the curator's weights; equal when not given.
        known: how many entries of others the attacker may know.
        least: lambda, the least prior probability of any law; Theorem 14 needs it.
        s: the exponent between 0 and 1; the best one to three digits when not given.

    >>> found = rates(["1=3/4, 0=1/4", "1=1/4, 0=3/4"], people=41, least="1/4", s="1/2")
    >>> [round(float(x), 6) for x in (found.u, found.theorem_13, found.theorem_14)]
    [0.143841, 0.012685, 0.109088]
    """
    family = LawFamily.of(laws, weights)  # type: ignore[arg-type]
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


def read_least(least: object, family: LawFamily) -> Fraction | None:
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


def _affinity(family: LawFamily, s: Fraction) -> Number:
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


def _float_rate(family: LawFamily, s: float) -> float:
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
