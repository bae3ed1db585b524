"""How random a sample's size must be: Eq (2) of Bassily, Groce, Katz & Smith, and its Lemma 2.

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
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from flint import arb

from twoworlds.definitions.base import read_delta, read_ratio
from twoworlds.definitions.coupled.words import assumed, claim
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput
from twoworlds.laws.counts import Poisson, added
from twoworlds.laws.event import EventWitness, recomputed
from twoworlds.noiseless.histograms.size_laws import Jump, SizeLaw, size_law
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Real,
    at_most_one,
    ball,
    compare,
    decimal,
    exp,
    ln,
    maximum,
    positive_part,
)

_PLAIN_TERMS = 2000
_SHOWN = 4


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
