"""An upper bound for bins that share a sample: let the attacker see all other counts exactly.

The truncated histogram is a function of the table that truncates the person's bin only, so the
delta of that table is at least as large (post-processing). In it the others' total m with law q,
and the count of the person's bin given m, with masses b_m (binomial or hypergeometric), decide: a
table that shows o in the person's bin and u in total has q(u - 1) b_(u-1)(o - 1) with the entry
and q(u) b_u(o) without it. For each u their quotient rises with o, so each direction is a half line
of o from a threshold in closed form, and everything is a sum of tails of b over the sizes that
matter. Ball arithmetic throughout; where a threshold is too near a whole number to be decided, the
term there is added as a ball of its own. Sizes of negligible probability are left out, and counted
in full in the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from twoworlds.laws.counts import Binomial, Hypergeometric, tail_ball
from twoworlds.numbers import Number, ball, working_precision

BITS = 192
_NEGLIGIBLE = -100
_MOST_MASSES = 100_000


@dataclass(frozen=True)
class Sizes:
    """The law of the number of unknown others: balls from ``low`` on, and the error of the law."""

    low: int
    masses: list[arb]
    error: Number

    @property
    def high(self) -> int:
        """The last number that is not left out."""
        return self.low + len(self.masses) - 1

    def __getitem__(self, m: int) -> arb:
        return self.masses[m - self.low] if self.low <= m <= self.high else arb(0)


@dataclass(frozen=True)
class Own:
    """The count of the person's bin given the total: of a share, or of members of a population."""

    share: Fraction | None
    members: int = 0
    people: int = 0

    def law(self, m: int) -> Binomial | Hypergeometric:
        """Return the law of the count among m others."""
        if self.share is not None:
            return Binomial(m, self.share)
        return Hypergeometric(self.people, self.members, m)

    def threshold(self, u: int, x: arb) -> arb:
        """Return the o at which b_(u-1)(o - 1) / b_u(o) is x."""
        if self.share is not None:
            return x * u * ball(self.share, BITS)
        return x * u * (self.members + 1) / (self.people - u + 1 + x * u)

    def tail(self, m: int, c: int) -> arb:
        """Return Pr[count >= c] among m others."""
        return tail_ball(self.law(m), c, BITS)

    def mass(self, m: int, c: int) -> arb:
        """Return Pr[count = c] among m others."""
        law = self.law(m)
        return law.mass_ball(c, BITS) if law.inside(c) else arb(0)


def reveal(own: Own, sizes: Sizes, threshold: int, ratio: Number) -> Fraction:
    """Return an upper bound on delta."""
    with working_precision(BITS):
        a = ball(ratio, BITS)
        totals = range(max(sizes.low, 1), sizes.high + 2)
        added = sum((_with(own, sizes, threshold, a, u) for u in totals), start=arb(0))
        taken = sum((_without(own, sizes, threshold, a, u) for u in totals), start=arb(0))
        taken += _hidden(own, sizes, threshold, a)
        worst = added.max(taken) + (1 + a) * ball(sizes.error, BITS)
        return _upper(worst)


def _with(own: Own, sizes: Sizes, threshold: int, a: arb, u: int) -> arb:
    """Return what tables of total u exceed the ratio by, with the entry."""
    before, here = sizes[u - 1], sizes[u]
    if before == 0:
        return arb(0)
    if here == 0:
        return before * own.tail(u - 1, threshold - 1)
    edge = own.threshold(u, a * here / before)
    sure = max(threshold, _floor(edge.upper()) + 1)
    found = before * own.tail(u - 1, sure - 1) - a * here * own.tail(u, sure)
    for o in range(max(threshold, _floor(edge.lower()) + 1), sure):
        excess = before * own.mass(u - 1, o - 1) - a * here * own.mass(u, o)
        found += excess.nonnegative_part()
    return found.nonnegative_part()


def _without(own: Own, sizes: Sizes, threshold: int, a: arb, u: int) -> arb:
    """Return what tables of total u that show the person's bin exceed by, without the entry."""
    before, here = sizes[u - 1], sizes[u]
    if here == 0:
        return arb(0)
    if before == 0:
        return here * own.tail(u, threshold)
    edge = own.threshold(u, here / (a * before))
    sure = -_floor(-edge.lower()) - 1
    found = arb(0)
    if sure >= threshold:
        found += here * (own.tail(u, threshold) - own.tail(u, sure + 1))
        found -= a * before * (own.tail(u - 1, threshold - 1) - own.tail(u - 1, sure))
    for o in range(max(threshold, sure + 1), -_floor(-edge.upper())):
        excess = here * own.mass(u, o) - a * before * own.mass(u - 1, o - 1)
        found += excess.nonnegative_part()
    return found.nonnegative_part()


def _hidden(own: Own, sizes: Sizes, threshold: int, a: arb) -> arb:
    """Return what tables that hide the person's bin exceed by, without the entry."""
    rare = 1 - own.tail(sizes.low, threshold)
    if rare.upper() < arb(2) ** _NEGLIGIBLE:
        return rare.nonnegative_part()
    rests = range(max(0, sizes.low - threshold + 1), sizes.high + 1)
    short = len(rests) * threshold > _MOST_MASSES
    parts = (_hidden_at(own, sizes, threshold, a, rest, short=short) for rest in rests)
    return sum(parts, start=arb(0))


def _hidden_at(own: Own, sizes: Sizes, threshold: int, a: arb, rest: int, *, short: bool) -> arb:
    edge = sizes[rest + threshold - 1] * own.mass(rest + threshold - 1, threshold - 1)
    if short:  # what is hidden only without the entry, nothing taken off
        return edge
    counts = range(threshold - 1)
    both = sum((sizes[rest + c] * own.mass(rest + c, c) for c in counts), start=arb(0))
    return (edge - (a - 1) * both).nonnegative_part()


def _floor(x: arb) -> int:
    """Return the whole part of an end of a ball, which is a number."""
    whole = x.floor().unique_fmpz()
    assert whole is not None
    return int(whole)


def _upper(x: arb) -> Fraction:
    mantissa, exponent = x.upper().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
