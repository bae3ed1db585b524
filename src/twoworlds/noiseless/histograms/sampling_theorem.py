r"""Theorem 10 of Bassily, Groce, Katz & Smith: false as printed, and what is true with numbers.

It says: for some constant C and k > C log(1/delta)/epsilon^2 the k-truncated histogram is
(3 epsilon, 3 delta)-DDP for all samples, without replacement, of a population whose size passes
Eq (2) with epsilon and delta.

**No C will do.** Let your bin have k members, and each member of a large population be sampled with
probability p. The size is binomial and passes Eq (2) for any epsilon and delta, if the population
is large enough for p. With probability p^(k-1) the bin shows k with your entry, and "0" without it.
For p near 1 that is nearly 1, at any epsilon. No other simulator helps: let T be a bin of which
k - 1 others are members. If you belong to T, it shows k with probability p^(k-1), and if you belong
to another bin, never. The others' entries, which are all that a simulator sees, have the same law
in both cases; so p^(k-1) <= (1 + e^(3 epsilon)) delta' for its delta'. A large share of the
population must stay unknown.

**For independent draws it holds with C = 2.** Let the entries have independent types (the limit of
a large population, of which next to nothing is sampled), let M be the number of *others* in the
sample, given that you are in it, with h(m) = Pr[M = m] / Pr[M = m - 1], and let G be the sizes with
h(m) within e^(+-epsilon), where M and M + 1 are both outside G with probability at most d. Then for
every k with J epsilon 5/2 >= ln 6, J = floor(k (1 - e^(-epsilon/2))), and k (1 - e^(-2 epsilon))
>= 1 the canonical simulator has, at ratio a = e^(3 epsilon),

    delta <= d + max( e^(2 epsilon - k (e^(-2 epsilon) - 1 + 2 epsilon)),
                      e^(-k (e^(2 epsilon) - 1 - 2 epsilon)) + e^(-k (e^epsilon - 1 - epsilon)) ).

For epsilon <= 1, delta <= 1/9 and k >= 2 ln(1/delta)/epsilon^2 that is at most d + 2 delta.

*Proof.* Reveal the counts r of all other bins, with sum R; what is published is a function of that.
Let b be the count of others in your bin, of share s, and w(b) the probability of b and r. Then
w(b) / w(b-1) = h(R + b) q(b) with q(b) = (R + b) s / b, which falls in b. With your entry the bin
shows c = b + 1, without it b.

*Likelier with the entry.* "0" is not. A count c >= k has w(c-1) > a w(c) only if M + 1 is outside G
or q(c) < e^(-2 epsilon). Given M = m the latter is b + 1 >= max(k, e^(2 epsilon) u), u = (m + 1) s,
with b binomial. By Markov's inequality for e^(t (b+1)) its probability is at most
e^(t - t x + u (e^t - 1)) for each x below, which at t = 2 epsilon, or ln(k/u) for smaller u, is
largest at u = k e^(-2 epsilon) (here k (1 - e^(-2 epsilon)) >= 1 is used): the first term.

*Likelier without it, shown.* w(b) > a w(b-1) only if M is outside G or q(b) > e^(2 epsilon), hence
b < e^(-2 epsilon) m s where m s >= k e^(2 epsilon): Chernoff's bound is the second term.

*Likelier without it, "0".* If q(k) > e^epsilon, count the whole of b < k. Draw the types one by
one, on and on. With R_0 the least R of q(k) > e^epsilon, of the first R_0 + k - 1 draws at most
k - 1 are of your bin: for R_0 others or more are among the first m, and fewer than k of yours.
Their mean is more than k e^epsilon - s; Chernoff's bound is the third term. If q(k) <= e^epsilon,
then q(b) <= e^epsilon k/b for b < k, so that w(k-j) <= B w(k-j-1) with B = e^(5 epsilon/2) for
j <= J while sizes are in G. If they are for all j <= J, the sum of w(k-1-j) over these j is no less
than w(k-1) (1 - B^-J)/(B - 1) >= w(k-1)/(a - 1), as (B - 1)/(a - 1) <= 5/6 and B^-J <= 1/6: then
w(0) + ... + w(k-1) <= a (w(0) + ... + w(k-2)), and "0" exceeds nothing. If j is the first for
which R + k - j is outside G, the excess is at most w(k-1) B^-(j-1) <= w(k-j), the chance of one
b < k at which M is outside G. With the shown counts these make up at most d. QED.

Not proven: a constant for populations of which a bounded share is sampled. For members sampled one
by one the exact delta, worst over all bins, is computed (`bins`).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import floor

from twoworlds.definitions.base import read_delta
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import larger
from twoworlds.laws.counts import added
from twoworlds.noiseless.histograms.shared import SharedBins
from twoworlds.numbers import (
    Number,
    Order,
    at_most_one,
    bounds,
    compare,
    exp,
    ln,
    maximum,
    number,
    power,
)

_MOST_SIZES = 1000


def proven_threshold(epsilon: object, delta: object) -> int:
    """Return the least k >= 2 ln(1/delta)/epsilon^2: (3 epsilon, 3 delta) for independent draws.

    >>> proven_threshold("1/2", "1/1000")
    56
    """
    e, d = number(epsilon, "epsilon"), read_delta(delta)
    if not (0 < e <= 1 and 0 < d <= Fraction(1, 9)):
        raise InvalidInput(
            f"epsilon={epsilon}, delta={delta}: the constant 2 is proven for an epsilon above 0 "
            "and at most 1, and a delta above 0 and at most 1/9"
        )
    return floor(bounds(2 * ln(1 / d) / (e * e))[1]) + 1


def sampling_tails(threshold: int, epsilon: Number) -> Number | None:
    """Return what the theorem adds to d at ratio e^(3 epsilon); None where it says nothing."""
    k = threshold
    steps = floor(bounds(k * (1 - exp(-epsilon / 2)))[0])
    far = compare(steps * epsilon * Fraction(5, 2), ln(Fraction(6))) is Order.GREATER
    wide = compare(k * (1 - exp(-2 * epsilon)), 1) is Order.GREATER
    if not (far and wide):
        return None
    more = exp(2 * epsilon - k * (exp(-2 * epsilon) - 1 + 2 * epsilon))
    shown = exp(-k * (exp(2 * epsilon) - 1 - 2 * epsilon))
    hidden = exp(-k * (exp(epsilon) - 1 - epsilon))
    return maximum(more, shown + hidden)


def theorem_10(bins: SharedBins, threshold: int, ratio: Number) -> Number | None:
    """Return the proven bound on delta at a ratio; None where the theorem says nothing."""
    if not bins.shares or ratio == 1:
        return None
    tails = sampling_tails(threshold, ln(ratio) / 3)
    others = _others(bins)
    if tails is None or others is None:
        return None
    return at_most_one(_failure(others, power(ratio, Fraction(1, 3))) + tails)


def _failure(others: Mapping[int, Number], ratio: Number) -> Number:
    """Return d: how often M, or M + 1, is a size at which the law jumps by more than the ratio."""
    nothing, last = Fraction(0), max(others)
    steps = ((m, others.get(m - 1, nothing), others.get(m, nothing)) for m in range(last + 2))
    jumps = {m for m, p, q in steps if larger(p, ratio * q) or larger(q, ratio * p)}
    total = added(others.values())
    here, there = (
        added(p for m, p in others.items() if m + shift in jumps) / total for shift in (0, 1)
    )
    return maximum(here, there)


def _others(bins: SharedBins) -> dict[int, Number] | None:
    """Return the law of M, up to a factor: of a person Pr[N = n] gets a factor n, a place cuts."""
    size = bins.size
    if size.last is None or size.last > _MOST_SIZES:
        return None
    first = max(1, size.first, bins.place or 1)
    person = bins.place is None
    found = {n - 1: size.mass(n) * (n if person else 1) for n in range(first, size.last + 1)}
    return {m: mass for m, mass in found.items() if mass != 0} or None
