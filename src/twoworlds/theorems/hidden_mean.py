r"""Normal records around a hidden mean: a breach for noiseless privacy, and none for DDP.

The example of Bassily, Groce, Katz & Smith, Section II-E, before and after Definition 8: mu is +1
or -1, evenly; given mu the n records are independent normal with mean mu and deviation sigma.
Published is the sign of their mean (the nearer of +1 and -1), or their sum. Compared are

    noiseless    F(X) given X_i = v and given X_i = w           (Definition 6)
    ddp          F(X) and F(X_-i), both given X_i = v, or w     (Definition 3, canonical simulator)

with Z = mu known, or not. Given mu and X_i = v the sum is normal, with mean (n - 1) mu + v and
deviation s = sigma sqrt(n - 1). Without Z, P(mu = +1 | X_i = v) = 1 / (1 + e^(-2 v / sigma^2))
mixes the two. So the sign has the chance

    P(+ | v) = sum_mu P(mu | v) F( ((n - 1) mu + v) / s ),      F the standard normal law,

and the sum with mu known is two shifted copies of one normal law (`GaussianPair`): |v - w| apart
for noiseless privacy, |v| for DDP. The sum without Z compares two mixtures; delta is enclosed.
From above, since positive parts of a sum are at most the sum of the positive parts:

    H_a  <=  sum_mu P(mu | v) H_b(mu)(N_mu,v || N_mu,w),   b(mu) = a P(mu | w) / P(mu | v);

from below by an event, the best half-line of mu = -1 as far as 0 and that of mu = +1 beyond, which
loses no more than (1 + a) l, where l = F( -(n - 1 - max(|v|, |w|)) / s ) bounds the mass of each
normal law on the side of the other.

Differs: the records have no bounds, and v and w are given here. Over all of them the printed claims
about the sign are false once mu is known, to be +1 say: far below -(n - 1), or above, v alone
decides it, so that noiseless privacy needs delta 1, and DDP F(sqrt(n - 1) / sigma).
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.answer import Answer, Facts
from twoworlds.definitions.coupled.posteriors import largest
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import apart
from twoworlds.laws.line import GaussianPair, normal
from twoworlds.numbers import (
    Number,
    Real,
    bounds,
    decimal,
    exp,
    ln,
    maximum,
    number,
    positive,
    ratio_at_least_one,
    show,
    sqrt,
    whole,
)
from twoworlds.show import Told

World = tuple[dict[int, Number], Number]
"""P(mu), and what is added to the sum of the others."""


def normal_records(
    records: object = 10,
    *,
    sigma: object = "1/2",
    values: tuple[object, object] = (1, -1),
    ratio: object = 1,
    known: bool = False,
    published: str = "sign",
) -> Told:
    """Return how far a record of one value, another, or none moves what is published.

    >>> for known in (False, True):
    ...     print(normal_records(known=known).answer().headline)
    With the mean hidden, at ratio 1, the sign tells the values 1 and -1 apart with delta at \
least 0.999; with and without your entry, delta is at most 9.9e-10.
    With the mean known, at ratio 1, the sign tells the values 1 and -1 apart with delta at \
least 4.81e-8; with and without your entry, delta is at most 4.73e-8.
    """
    n, deviation = whole(records, "records", at_least=2), positive(sigma, "sigma")
    v, w = (number(value, "value") for value in values)
    a = ratio_at_least_one(ratio)
    if published not in ("sign", "sum"):
        raise InvalidInput(f"published={published!r}: it is sign, of the mean, or sum")
    gap = _of_sum if published == "sum" else _of_sign
    sure: list[dict[int, Number]] = [{1: Fraction(1)}, {-1: Fraction(1)}]
    beliefs = [(p, p) for p in sure] if known else [(_given(v, deviation), _given(w, deviation))]
    noiseless = largest(gap(n, deviation, (p, v), (q, w), a) for p, q in beliefs)
    nobody = Fraction(0)
    ddp = largest(
        gap(n, deviation, (belief, x), (belief, nobody), a)
        for both in beliefs
        for belief, x in zip(both, (v, w), strict=True)
    )
    said = (
        f"With the mean {'known' if known else 'hidden'}, at ratio {show(a)}, the {published} "
        f"tells the values {show(v)} and {show(w)} apart with delta "
        f"{decimal(noiseless, 3, 'at least')}; with and without your entry, delta is "
        f"{decimal(ddp, 3, 'at most')}."
    )
    data = {"noiseless": noiseless, "ddp": ddp, "ratio": a, "known": known, "published": published}
    facts = [("noiseless delta", show(noiseless)), ("ddp delta", show(ddp)), ("ratio", show(a))]
    held = f"{n} normal records of deviation {show(deviation)} around a mean of +1 or -1, evenly"
    return Told(Answer(said, blocks=(Facts(facts),), assumptions=(held,)), data)


def _given(x: Number, sigma: Number) -> dict[int, Number]:
    """Return P(mu | X_i = x)."""
    return {mu: 1 / (1 + exp(-2 * mu * x / sigma**2)) for mu in (1, -1)}


def _of_sign(n: int, sigma: Number, one: World, other: World, ratio: Number) -> Number:
    """Compare the signs in two worlds."""
    laws = []
    for weights, shift in (one, other):
        s = sigma * sqrt(Fraction(n - 1))
        chances = (p * normal(((n - 1) * mu + shift) / s) for mu, p in weights.items())
        plus = sum(chances, start=Fraction(0))
        laws.append({1: plus, -1: 1 - plus})
    return apart(laws[0], laws[1], ratio)


def _of_sum(n: int, sigma: Number, one: World, other: World, ratio: Number) -> Number:
    """Compare the sums in two worlds, both ways."""
    s = sigma * sqrt(Fraction(n - 1))
    above = largest(_bound(s, *way, ratio) for way in ((one, other), (other, one)))
    if len(one[0]) == 1:
        return above
    off = normal(-(n - 1 - maximum(abs(one[1]), abs(other[1]))) / s)
    low, high = bounds(above - (1 + ratio) * off)[0], bounds(above)[1]
    return Real.between(max(Fraction(0), low), min(Fraction(1), high))


def _bound(s: Number, one: World, other: World, ratio: Number) -> Number:
    """Return sum_mu ( p(mu) P - a q(mu) Q )_+, which is sup P - a Q where mu is known."""
    (p, v), (q, w) = one, other
    total: Number = Fraction(0)
    for mu, weight in p.items():
        pair = GaussianPair("one", "other", v, w, s)
        test = next(pair.best_tests([ln(ratio) + ln(q[mu]) - ln(weight)]))
        total += weight * test.p - ratio * q[mu] * test.q
    return total
