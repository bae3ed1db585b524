"""One bin of a truncated histogram: what it shows with a person's entry, and without it.

The k-truncated histogram publishes each bin's count if it is at least k, and "0" otherwise
(Bassily, Groce, Katz & Smith, Section III-B). Somebody is known to be in the sample. Let B be the
number of the others of the same bin that are in it, with b(j) = Pr[B = j]. The two worlds are

    with the entry       1 + B, truncated       Pr[c] = b(c - 1) for c >= k
    without it               B, truncated       Pr[c] = b(c)     for c >= k

(the simulator publishes what the mechanism would without the entry: the canonical one). Where bins
are independent, other bins say nothing, and this one decides.

Both worst events are half lines. Let B be log-concave, so that b(c - 1) / b(c) never falls.
With > a without: {c >= k: b(c - 1) > a b(c)} is {c >= c*}, of Pr[B >= c* - 1] against
Pr[B >= c*]; "0" is never likelier with the entry. Without > a with: {c >= k: b(c) > a b(c - 1)}
is {k, ..., c'}. If it is not empty, b(j) > a b(j - 1) for all j <= c', and summing over j < k shows
that "0" belongs to the event too; if it is empty, only "0" may. Either way the event is "at most
c'" with c' >= k - 1, of Pr[B <= c'] against Pr[B <= c' - 1].

Truncating at k + 1 is a function of the histogram truncated at k, so delta never rises with k. Who
knows of L others of the bin (or of all, if they are fewer) whether they were sampled sees a bin of
the rest: if s of them were, it is truncated at k - s, so that s = L is the worst (and knowing more
never hurts the attacker: a mixture over what one might learn is no worse than its worst case).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from flint import arb, ctx

from twoworlds.noiseless.histograms.counts import Binomial, Counts, Poisson
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Real,
    ball,
    compare,
    show,
    to_json,
    working_precision,
)

__all__ = ["BinWitness", "Gap", "compare_bin", "directions"]

_PLAIN_TERMS = 2000
_CHECK_BITS = 192


@dataclass(frozen=True)
class Gap:
    """How far the two worlds of one bin are apart, and the event that shows it.

    Attributes:
        delta: P(E) - ratio Q(E) for the worst event E and the worse direction; 0 if there is none.
        edge: the count where the event begins (``upper``) or ends, people known included.
        upper: True for "at least edge", likelier with the entry; False for "at most edge or
            hidden", likelier without it.
        probabilities: of the event in the world where it is likelier, and in the other.
    """

    delta: Number
    edge: int
    upper: bool
    probabilities: tuple[Number, Number]


def compare_bin(others: Counts, threshold: int, ratio: Number, *, sampled: int = 0) -> Gap:
    """Return the exact delta at a ratio, for a bin with so many people known to be sampled.

    >>> gap = compare_bin(Binomial(2, Fraction(1, 2)), 2, Fraction(3, 2))
    >>> gap.delta, gap.edge, gap.upper
    (Fraction(3, 8), 2, True)
    """
    shown = max(1, threshold - sampled)
    first, second = directions(others, shown, ratio)
    worse = first if compare(first.delta, second.delta, limit=256) is not Order.LESS else second
    return Gap(worse.delta, worse.edge + sampled, worse.upper, worse.probabilities)


def directions(others: Counts, threshold: int, ratio: Number) -> tuple[Gap, Gap]:
    """Return the worst events of both directions: likelier with the entry, and without it."""
    return _with(others, threshold, ratio), _without(others, threshold, ratio)


def _with(others: Counts, threshold: int, ratio: Number) -> Gap:
    """Return the event "at least c*", likelier with the entry."""
    edge = _first_above(others, threshold, ratio)
    q = others.at_least(edge)
    p = q + others.mass(edge - 1)
    return Gap(_excess(p, q, ratio), edge, upper=True, probabilities=(p, q))


def _without(others: Counts, threshold: int, ratio: Number) -> Gap:
    """Return the event "at most c', or hidden", likelier without the entry."""
    edge = _last_below(others, threshold, ratio)
    q = others.at_most(edge - 1)
    p = q + others.mass(edge)
    return Gap(_excess(p, q, ratio), edge, upper=False, probabilities=(p, q))


def _excess(p: Number, q: Number, ratio: Number) -> Number:
    """Return (p - ratio q)_+, exactly 0 where it is not above it."""
    excess = p if q == 0 else Fraction(0) if ratio == INFINITY else p - ratio * q
    return excess if compare(excess, 0) is Order.GREATER else Fraction(0)


def _first_above(others: Counts, threshold: int, ratio: Number) -> int:
    """Return the smallest c >= threshold with b(c - 1) > ratio b(c); b is 0 beyond its last."""

    def above(c: int) -> bool:
        if others.last is not None and c > others.last:
            return True
        return c > others.first and compare(others.quotient(c), ratio) is Order.GREATER

    low, high = threshold, max(threshold, others.first) + 1
    while not above(high):
        if others.last is None and ratio == INFINITY:
            return high  # no count is impossible: any edge will do, its excess is 0
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if above(middle) else (middle + 1, high)
    return low


def _last_below(others: Counts, threshold: int, ratio: Number) -> int:
    """Return the largest c >= threshold with b(c) > ratio b(c - 1), or threshold - 1."""

    def below(c: int) -> bool:
        if others.last is not None and c > others.last:
            return False
        if c <= others.first:
            return True  # b(c - 1) = 0
        if ratio == INFINITY:
            return False
        return compare(others.quotient(c) * ratio, 1) is Order.LESS

    low, high = threshold - 1, threshold
    while below(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return low


@dataclass(frozen=True)
class BinWitness:
    """An event on one bin's published count, with its probability in both worlds.

    Attributes:
        others: the law of the bin's others whose sampling is not known.
        place: the bin in words, such as "a bin of 50 members".
        sampled: how many others are known to be in the sample.
        gap: the event and its probabilities.
        members: how many members the bin has, where that is a number.
    """

    others: Counts
    place: str
    threshold: int
    sampled: int
    gap: Gap
    members: int | None = None

    @property
    def event(self) -> str:
        """The event in words."""
        edge = self.gap.edge
        if self.gap.upper:
            return f"the bin shows {edge} or more"
        return f"the bin shows {edge} or less" if edge >= self.threshold else "the bin shows 0"

    @property
    def worlds(self) -> tuple[str, str]:
        """The world in which the event is likelier, and the other."""
        both = ("with your entry", "without it")
        return both if self.gap.upper else ("without your entry", "with it")

    def verify(self) -> bool:
        """Sum both probabilities again, term by term or by an incomplete beta function."""
        edge = self.gap.edge - self.sampled
        cuts = (edge - 1, edge) if self.gap.upper else (edge + 1, edge)
        fresh = [_again(self.others, cut) for cut in cuts]
        if not self.gap.upper:
            fresh = [1 - x for x in fresh]
        return all(_same(a, b) for a, b in zip(fresh, self.gap.probabilities, strict=True))

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the bin, the event and its two probabilities."""
        yield "worst bin", self.place
        p, q = self.gap.probabilities
        first, second = self.worlds
        yield "event", self.event
        yield (
            "",
            f"probability {show(p, side='at least')} {first}, {show(q, side='at most')} {second}",
        )

    def explain(self) -> str:
        """Say the event and its two probabilities in a sentence."""
        p, q = self.gap.probabilities
        first, second = self.worlds
        return (
            f"in {self.place}, {self.event} has probability {show(p, side='at least')} {first} and "
            f"{show(q, side='at most')} {second}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        return {
            "bin": self.place,
            "event": self.event,
            "worlds": list(self.worlds),
            "probabilities": [to_json(p) for p in self.gap.probabilities],
        }


def _again(others: Counts, cut: int) -> Number:
    """Compute Pr[B >= cut] in another way than `Counts` does."""
    if cut <= others.first:
        return Fraction(1)
    if others.last is not None and cut > others.last:
        return Fraction(0)
    if isinstance(others, Poisson):
        return Real(lambda bits: _poisson_again(others.mean, cut, bits))
    assert isinstance(others, Binomial)
    n, p = others.trials, others.rate
    if n > _PLAIN_TERMS:
        return Real(lambda bits: ball(p, bits).beta_lower(cut, n - cut + 1, regularized=1))
    u, v = p.numerator, p.denominator
    terms = (comb(n, j) * u**j * (v - u) ** (n - j) for j in range(cut, n + 1))
    return Fraction(sum(terms), v**n)


def _poisson_again(mean: Fraction, cut: int, bits: int) -> arb:
    with working_precision(bits + 2 * cut.bit_length() + 32):
        top = ball(mean, ctx.prec)
        term = total = (-top).exp()
        for j in range(1, cut):
            term = term * top / j
            total += term
        return 1 - total


def _same(a: Number, b: Number) -> bool:
    """Tell whether two numbers are equal, or enclosures that meet at a high precision."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b
    return bool(ball(a, _CHECK_BITS).overlaps(ball(b, _CHECK_BITS)))
