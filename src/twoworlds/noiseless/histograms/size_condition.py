r"""How random a sample's size must be: Eq (2) of Bassily, Groce, Katz & Smith, and its Lemma 2.

Eq (2) asks of the size N that Pr[N = n] / Pr[N = n - 1] lies within e^(+-epsilon) for all n but a
set of probability delta. The smallest size always fails, as nothing is below it.

Differs from print: the paper draws n from N only. That does not even make N and N + 1 alike: for
Pr[N = n] proportional to e^(epsilon n) on 0..m only n = 0 fails, which is rare, while N = m is
common and N + 1 = m + 1 gives the added person away. So the failure is computed under N and under
N + 1, and the larger one is the answer.

Lemma 2 prints exp(-mean epsilon^2) for Poisson sizes, which is false, and exp(-Omega(n p
epsilon^2)) for binomial ones, which needs n p (1 - p) and a bounded epsilon. Chernoff's bounds do
hold. With a = e^epsilon a Poisson size fails below mean/a and above mean a, and

    Pr[N < mean/a]          <= exp(-mean (1 - (1 + epsilon)/a))
    Pr[N > mean a]          <= exp(-mean (1 - a + epsilon a))
    Pr[N + 1 > mean a]      <= a exp(-mean (1 - a + epsilon a))

the last since Pr[N + 1 = n] = Pr[N = n] n / mean and E[N e^(epsilon N)] = mean a e^(mean (a - 1)).
A binomial size that fails from x on (or up to x) has Pr[N >= x] <= exp(-n D(x/n, p)) with
D(x, p) = x ln(x/p) + (1 - x) ln((1 - x)/(1 - p)), as long as x/n is on that side of p.

Theorem 10 of Bassily, Groce, Katz & Smith: false as printed, and what is true with numbers.

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

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import floor

from flint import arb

from twoworlds.definitions.base import read_delta, read_ratio
from twoworlds.definitions.coupled.words import assumed, claim
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import larger
from twoworlds.laws.counts import Poisson, added
from twoworlds.laws.event import EventWitness, recomputed
from twoworlds.noiseless.histograms.shared import SharedBins
from twoworlds.noiseless.histograms.size_laws import Jump, SizeLaw, size_law
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Real,
    at_most_one,
    ball,
    bounds,
    compare,
    decimal,
    exp,
    ln,
    maximum,
    number,
    positive_part,
    power,
)

_PLAIN_TERMS = 2000
_SHOWN = 4
_MOST_SIZES = 1000


def size_condition(
    law: SizeLaw | str, *, ratio: object = None, epsilon: object = None, delta: object = None
) -> Verdict:
    """Return the exact probability with which Eq (2) fails, under N and under N + 1.

    >>> size_condition("masses(0=1/2, 1=1/2)", ratio=2).delta
    Fraction(1, 2)
    """
    size, a = size_law(law), read_ratio(ratio, epsilon)
    if a is None or a == INFINITY:
        raise InvalidInput("the condition on sizes needs a finite ratio= or epsilon=")
    jumps = tuple(size.jumps(a))
    under, more = (_failure(size, jumps, shift) for shift in (0, 1))
    values: dict[str, Number] = {
        "ratio": a,
        "epsilon": ln(a),
        "delta": at_most_one(maximum(under, more)),
        "failure": under,
        "failure_plus_one": more,
        "distance": _distance(size, jumps, a),
    }
    if bounded := chernoff(size, a):
        values["chernoff"], values["chernoff_plus_one"] = bounded
    found = Verdict(
        f"the size of a sample, {size.text}",
        claim("size-condition", a),
        values,
        _sentence(size, values),
        (
            size.words,
            "we compare the sizes N and N + 1; the smallest size counts as a failure",
        ),
        witness=_witness(size, jumps, (under, more)),
        method="every size at which N or N + 1 can be is covered by the listed intervals",
        notes=tuple(_notes(size, values)),
    )
    if delta is None:
        return found
    allowed = read_delta(delta)
    return found.against(claim("size-condition", a, allowed), found.delta, allowed)


def chernoff(law: SizeLaw | str, ratio: Number) -> tuple[Number, Number] | None:
    """Return upper bounds on the failure of Eq (2) under N and under N + 1, corrected Lemma 2.

    None for laws that are neither Poisson nor binomial: their failure is a closed form anyway.
    """
    size = size_law(law)
    if size.counts is None:
        return None
    if isinstance(size.counts, Poisson):
        mean, epsilon = size.counts.mean, ln(ratio)
        low = exp(-mean * (1 - (1 + epsilon) / ratio))
        high = exp(-mean * (1 - ratio + epsilon * ratio))
        return at_most_one(low + high), at_most_one(low + ratio * high)
    n, p = size.counts.trials, size.counts.rate
    (_, below, _), (above, _, _) = size.jumps(ratio)
    assert below is not None
    bounds = [
        _tail_bound(n, p, below - shift, upper=False) + _tail_bound(n, p, above - shift, upper=True)
        for shift in (0, 1)
    ]
    return at_most_one(bounds[0]), at_most_one(bounds[1])


def _tail_bound(n: int, p: Fraction, x: int, *, upper: bool) -> Number:
    """Return Chernoff's bound exp(-n D(x/n, p)) on Pr[N >= x], or on Pr[N <= x]."""
    share = Fraction(x, n)
    if (upper and share <= p) or (not upper and share >= p):
        return Fraction(1)
    if not 0 <= share <= 1:
        return Fraction(0)
    return Real(lambda bits: _divergence(n, p, x, bits).exp())


def _divergence(n: int, p: Fraction, x: int, bits: int) -> arb:
    """Return -n D(x/n, p); 0 ln 0 is 0."""
    found = arb(0)
    if x > 0:
        found += x * (ball(p, bits) * n / x).log()
    if x < n:
        found += (n - x) * (ball(1 - p, bits) * n / (n - x)).log()
    return found


def _failure(size: SizeLaw, jumps: tuple[Jump, ...], shift: int) -> Number:
    """Return the probability of the failing sizes under N + shift."""
    return added(_between(size, jump, shift) for jump in jumps)


def _between(size: SizeLaw, jump: Jump, shift: int) -> Number:
    low, high, _ = jump
    return size.between(low - shift, None if high is None else high - shift)


def _distance(size: SizeLaw, jumps: tuple[Jump, ...], ratio: Number) -> Number:
    """Return the delta between N and N + 1: what the failing sizes exceed the ratio by."""
    found: tuple[list[Number], list[Number]] = ([], [])
    for jump in jumps:
        here, there = _between(size, jump, 0), _between(size, jump, 1)
        larger, smaller = (here, there) if jump[2] else (there, here)
        excess = larger if smaller == 0 else positive_part(larger - ratio * smaller)
        found[jump[2]].append(excess)
    return at_most_one(maximum(added(found[0]), added(found[1])))


def _witness(
    law: SizeLaw, jumps: tuple[Jump, ...], probabilities: tuple[Number, Number]
) -> EventWitness:
    """Return the sizes at which the law moves too fast; few enough are added up one by one."""
    parts = [_written(jump) for jump in jumps[:_SHOWN]]
    if len(jumps) > _SHOWN:
        parts.append(f"and {len(jumps) - _SHOWN} more")

    def again() -> list[Number]:
        return [added(_plain(law, jump, shift) for jump in jumps) for shift in (0, 1)]

    return EventWitness(
        ("N", "N + 1"),
        f"the condition fails at n = {', '.join(parts)}",
        probabilities,
        recomputed(again),
        data={"fails_at": [[low, high] for low, high, _ in jumps]},
    )


def _plain(size: SizeLaw, jump: Jump, shift: int) -> Number:
    """Return the probability of an interval under N + shift, one size after the other."""
    low, high, _ = jump
    if high is None or high - low > _PLAIN_TERMS:
        return _between(size, jump, shift)
    return added(size.mass(n - shift) for n in range(low, high + 1))


def _written(jump: Jump) -> str:
    low, high, _ = jump
    if high is None:
        return f"{low} and above"
    return str(low) if low == high else f"{low} to {high}"


def _sentence(size: SizeLaw, values: dict[str, Number]) -> str:
    factor = decimal(values["ratio"], 4)
    if values["delta"] == 1:
        nothing = f"no size is within {factor} times of the next: nothing is promised"
        return assumed(size.words, nothing)
    return assumed(
        size.words,
        f"one more person makes any size at most {factor} times likelier or less likely, but for "
        f"sizes of probability at most {decimal(values['delta'], 3)}",
        "knowing the size of the sample from elsewhere",
    )


def _notes(size: SizeLaw, values: dict[str, Number]) -> Iterator[str]:
    yield (
        "Eq (2) as printed draws n from N only, which is not enough: N + 1 has to be tried as well"
    )
    if size.counts is None:
        return
    if not isinstance(size.counts, Poisson):
        yield (
            "Lemma 2 prints exp(-Omega(n p epsilon^2)); it needs n p (1 - p) and a bounded "
            "epsilon, so Chernoff's bound is given instead"
        )
        return
    printed = exp(-size.counts.mean * values["epsilon"] * values["epsilon"])
    refuted = compare(values["failure"], printed, limit=256) is Order.GREATER
    here = " (it is below the exact value here)" if refuted else ""
    yield (
        f"Lemma 2 as printed, exp(-mean epsilon^2), is false{here}: Chernoff's bound is given "
        "instead"
    )


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
    return at_most_one(_jumping(others, power(ratio, Fraction(1, 3))) + tails)


def _jumping(others: Mapping[int, Number], ratio: Number) -> Number:
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
