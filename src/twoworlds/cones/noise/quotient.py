r"""More noise: is noise B the same as noise A with independent noise W added to it?

Noise a on all whole numbers is the matrix A(o, d) = a(o - d), and likewise b. For one trusted A,

    B is in the consistent normal form of A   if and only if   b = w * a for a law w.

Why a shift by w is all there is. Let B = K A for some post-processing K. Averaging K(o + s, k + s)
over s = -n..n keeps B = K A, because A and B do not change when both arguments are shifted. A
limit of these averages, entry by entry, does not change under shifts: it is w(o - k) with w >= 0,
and B = K A still holds by dominated convergence. Summing over o gives w the sum 1. Where a has a
summable inverse g this is Lin & Kifer, Theorem 5.1(2), in l1: K = B A^-1 is unique, w = b * g, and
only its signs decide. No inverse is needed for the argument, and w is unique as long as
the transform of a has isolated zeros. (The row cone of B then lies in that of A as well: a row of
B is sum_k y_k A(k, .) with y summable, because the row sums to 1.)

On the real line the same average has a limit among operators from L1 to measures; one that
commutes with shifts is the convolution with a measure (Wendel).

The cases that are decided, by the quotient of the transforms:

    rational ones       A, B exchanged and multiplied: exact terms, signs settled by the main pole
    geometric p, q      w = s delta + (1 - s) geometric(q), 1 - s = (1 - pq)(1 - p/q) / (1 - p)^2
    Poisson, Skellam    w has the differences of the means; it is a law if neither is negative
    discrete Gaussian   a law if and only if sigma2 of B is an odd multiple of that of A: the
                        transform of A vanishes at -q^j for all odd j, q = e^(-1 / (2 sigma2)). If
                        that of B does not vanish at -1/q, w(k) is about c (-q)^k far out, which
                        changes its sign. If it does, all poles cancel, and what is left is a
                        product of factors 1 + t z and 1 + t / z with t > 0
    Laplace b in b'     w = r delta + (1 - r) laplace(b), r = (b' / b)^2
    Gaussian            w = gaussian of the difference of the variances

Every other pair is searched for a negative weight, with enclosures; without one it is undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import Any, TypeGuard

from flint import arb

from twoworlds.cones.noise.laws import (
    GaussianInverse,
    LawSource,
    Masses,
    NoiseLaw,
    NoSummableInverse,
    PoissonInverse,
    circle_zero,
    finite_law,
    law,
    poisson_law,
    rational_law,
)
from twoworlds.cones.noise.rational import Rational, Summable
from twoworlds.definitions.verdict import Proof, Verdict
from twoworlds.errors import Undecided
from twoworlds.laws.noise import GeometricNoise
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.continuous import Continuous, Gaussian, Laplace
from twoworlds.numbers import Number, Order, Real, ball, compare, show, spelled, to_json

_SEARCHED, _BITS, _CHECK_BITS = 40, 256, 64
_SHOWN, _CHECKED, _REACH = (0, 1, -1, 2, -2), (0, 1), 24
_FURTHEST = 1 << 12
# The inverse grows exponentially with the variance: beyond, sums take long, and few are made.
_LARGEST_VARIANCE, _SEARCHED_WIDE, _WIDEST_SEARCHED = 2, 2, 8


@dataclass(frozen=True)
class MoreNoise(Proof):
    """The noise W with B = A + W, or why there is none.

    Attributes:
        adds: what W is, in words; empty if there is none.
        law: its law, where it is known on the whole numbers.
        at: a place where the only candidate is negative, if one is known.
        weight: its value there.
        why: why there is no W.
        again: checks what is stated by another computation.
    """

    adds: str = ""
    law: NoiseLaw | None = None
    at: int | None = None
    weight: Number | None = None
    why: str = ""
    again: Callable[[], bool] | None = None

    def verify(self) -> bool:
        """Check W by convolution, or the negative weight by another sum."""
        return self.again is None or self.again()

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield what is added, or the negative weight."""
        if self.adds:
            yield "post-processing", f"add {self.adds}"
        if self.why:
            yield "why", self.why

    @property
    def weights(self) -> dict[int, Number]:
        """The first probabilities of W."""
        return {} if self.law is None else {k: self.law.pmf(k) for k in _SHOWN}

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "adds": self.adds or None,
            "at": self.at,
            "weight": None if self.weight is None else to_json(self.weight),
            "why": self.why or None,
        }


def noise_normal_form(candidate: LawSource, base: LawSource) -> Verdict:
    """Decide whether noise is in the consistent normal form of other noise.

    >>> found = noise_normal_form("geometric(ratio=3/2)", "geometric(ratio=2)")
    >>> found.holds, str(found.weight_0), str(found.weight_1)
    (True, '7/15', '4/45')
    """
    if isinstance(candidate, Continuous) and isinstance(base, Continuous):
        names = [candidate.expression, base.expression]
        proof, where = _on_the_line(candidate, base), "real number"
    else:
        first, second = law(candidate), law(base)
        names = [first.expression, second.expression]
        proof, where = _quotient(first, second), "whole number"
    holds = bool(proof.adds)
    values: dict[str, Number] = {}
    if proof.law is not None:
        values = {f"weight_{k}": weight for k, weight in proof.weights.items()}
    elif proof.weight is not None:
        values = {"entry": proof.weight}
    return Verdict(
        mechanism=names[0],
        definition=f"normal-form({names[1]})",
        values=values,
        sentence=(
            "Whoever trusts the trusted mechanism can trust this one: it is that mechanism with "
            "more noise added to its output."
            if holds
            else "Trust in the trusted mechanism does not extend to this one: no post-processing "
            "gives these probabilities."
        ),
        assumptions=(
            f"every {where} is a possible true answer",
            "trust extends to post-processing and to a choice that does not look at the data "
            "(Lin & Kifer, Axioms 4.1 and 4.2)",
        ),
        holds=holds,
        witness=proof,
        method="a post-processing of noise into noise may be taken to add independent noise, and "
        "the quotient of the transforms leaves one candidate",
    )


def are_noise(sources: Sequence[object]) -> TypeGuard[Sequence[Mechanism]]:
    """Tell whether mechanisms have infinitely many databases, so that only noise is decided."""
    return all(isinstance(one, Mechanism) and one.universe.size is None for one in sources)


# --- on the whole numbers -------------------------------------------------------------------------


def _quotient(first: NoiseLaw, second: NoiseLaw) -> MoreNoise:
    """Divide the transforms, by the closed form that there is."""
    b, a = first.noise, second.noise
    if isinstance(b, GeometricNoise) and isinstance(a, GeometricNoise):
        return _geometric(first, second, b, a)
    if first.parts is not None and second.parts is not None:
        return _rational(first, second)
    try:
        undo = second.inverse()
    except NoSummableInverse as zero:
        first.inverse()  # its transform has no zero, or this raises
        return MoreNoise(why=_zero(second, zero.angle))
    if isinstance(undo, (PoissonInverse, GaussianInverse)):
        try:
            other: Summable | None = first.inverse()
        except NoSummableInverse:  # a zero of the candidate is no obstacle: only A is undone
            other = None
        if isinstance(undo, PoissonInverse) and isinstance(other, PoissonInverse):
            return _poisson(first, second, undo, other)
        if isinstance(undo, GaussianInverse) and isinstance(other, GaussianInverse):
            return _gaussian(first, second, undo, other)
    wide = isinstance(undo, GaussianInverse) and undo.sigma2 > _LARGEST_VARIANCE
    if isinstance(undo, GaussianInverse) and undo.sigma2 > _WIDEST_SEARCHED:
        raise Undecided(
            f"{first.expression} as {second.expression} with more noise: no closed form settles "
            f"it, and weights are searched up to sigma2={_WIDEST_SEARCHED} only. Two noises with "
            "rational probabilities, or two of one kind, are decided"
        )
    reach = _SEARCHED_WIDE if wide else _SEARCHED
    if (found := _searched(first, undo, reach)) is not None:
        return found
    raise Undecided(
        f"{first.expression} as {second.expression} with more noise: no weight from -{reach} "
        f"to {reach} is known to be negative, and no closed form settles the others. Two noises "
        "with rational probabilities, or two of one kind, are decided"
    )


def _zero(base: NoiseLaw, angle: str) -> str:
    return (
        f"the transform of {base.expression} vanishes at angle {angle}, to a higher order than "
        "that of the other: adding noise multiplies transforms, and takes no zero away"
    )


def _inside(first: NoiseLaw, second: NoiseLaw, more: NoiseLaw, adds: str) -> MoreNoise:
    """Return the added noise, to be checked by convolution at a few places."""
    return MoreNoise(adds, more, again=lambda: _rebuilt(first, second, more.pmf, more.outside))


def _rebuilt(first: NoiseLaw, second: NoiseLaw, weight: Masses, tail: Masses) -> bool:
    """Check that w * a = b at a few places, up to what lies beyond a window."""
    rest = tail(_REACH)
    for k in _CHECKED:
        reached = sum(
            (weight(j) * second.pmf(k - j) for j in range(-_REACH, _REACH + 1)), start=Fraction(0)
        )
        stated = first.pmf(k)
        sides = ((reached + rest, stated), (stated + rest, reached))
        if any(compare(*side, limit=_CHECK_BITS) is Order.LESS for side in sides):
            return False
    return True


def _outside(
    at: int, weight: Number, again: Callable[[], bool] | None = None, *, more: str = ""
) -> MoreNoise:
    why = f"the only candidate would add {at} with probability {show(weight)}{more}"
    return MoreNoise(at=at, weight=weight, why=why, again=again)


def _geometric(
    first: NoiseLaw, second: NoiseLaw, b: GeometricNoise, a: GeometricNoise
) -> MoreNoise:
    """Mix nothing and the candidate's own noise."""
    p, q = a.p, b.p
    moved = (1 - p * q) * (1 - p / q) / (1 - p) ** 2
    order = compare(p, q)
    if order is Order.UNDECIDED:
        raise Undecided(f"{first.expression} and {second.expression} cannot be told apart")
    if order is Order.GREATER:
        weight = moved * b.pmf(1)
        return _outside(1, weight, _again(first, second, 1, weight))
    if order is Order.EQUAL:
        return _inside(first, second, finite_law([1]), "nothing: they are the same")
    own = first.outside

    def pmf(k: int) -> Number:
        return moved * b.pmf(k) + (0 if k else 1 - moved)

    more = NoiseLaw("more noise", pmf, lambda reach: moved * own(reach), second.inverse)
    adds = f"nothing with probability {show(1 - moved)}, else {first.expression} noise"
    return _inside(first, second, more, adds)


def _rational(first: NoiseLaw, second: NoiseLaw) -> MoreNoise:
    """Divide rational generating functions; a pole on the circle leaves no summable quotient."""
    assert first.parts is not None
    assert second.parts is not None
    (m, top, bottom), (n, under, over) = first.parts, second.parts
    above, below = top * over, bottom * under
    common = above.gcd(below)
    above, below = above // common, below // common
    if (angle := circle_zero(below)) is not None:
        return MoreNoise(why=_zero(second, angle))
    found = Rational(m - n, above, below)
    places = sorted(found.signs or range(-_SEARCHED, _SEARCHED + 1), key=lambda k: (abs(k), -k))
    for k in places:
        if compare(found.at(k), Fraction(0), limit=_BITS) is Order.LESS:
            return _outside(k, found.at(k), lambda: _rebuilt(first, second, found.at, found.tail))
    if found.signs is None:
        raise Undecided(
            f"{first.expression} as {second.expression} with more noise: no weight from "
            f"-{_SEARCHED} to {_SEARCHED} is negative, and no single pole settles the signs beyond"
        )
    more = rational_law("more noise", m - n, above, below)
    if found.low is not None and found.low == found.high:
        return _inside(first, second, more, _shift(found.low))
    ends = f"{found.low} to {found.high}" if found.finite else "the whole numbers"
    return _inside(first, second, more, f"independent noise on {ends}")


def _shift(by: int) -> str:
    return f"the constant {by}" if by else "nothing: they are the same"


def _poisson(first: NoiseLaw, second: NoiseLaw, a: PoissonInverse, b: PoissonInverse) -> MoreNoise:
    """Subtract the means: e^-(x + y) x^k / k! 0F1(k + 1; x y) is the weight at k >= 0."""
    x, y = (mine - other for mine, other in zip(b.means, a.means, strict=True))
    orders = [compare(one, Fraction(0)) for one in (x, y)]
    if Order.UNDECIDED in orders:
        raise Undecided(f"a mean of {first.expression} cannot be told from {second.expression}'s")
    if Order.LESS not in orders:
        if x == 0 and y == 0:
            return _inside(first, second, finite_law([1]), _shift(0))
        texts = [_text(one) for one in (x, y)]
        name = f"skellam(l1={texts[0]}, l2={texts[1]})"
        if x == 0 or y == 0:
            name = f"{'' if y == 0 else 'minus '}poisson(mean={texts[0 if y == 0 else 1]})"
        return _inside(first, second, poisson_law(name, x, y), f"{name} noise")
    # At an odd place k >= |x y| the series of 0F1 is positive, and x^k is negative.
    mirrored = orders[0] is not Order.LESS
    x, y = (y, x) if mirrored else (x, y)
    k = int(abs(float(x) * float(y))) + 1
    k += 1 - k % 2

    def weight(bits: int) -> arb:
        u, v = ball(x, bits), ball(y, bits)
        series: arb = (u * v).hypgeom_0f1(arb(k + 1))
        return (-(u + v)).exp() * u**k / factorial(k) * series

    at, value = (-k if mirrored else k), Real(weight)
    small = sum(map(float, a.means)) <= _LARGEST_VARIANCE
    return _outside(at, value, _again(first, second, at, value) if small else None)


def _gaussian(
    first: NoiseLaw, second: NoiseLaw, a: GaussianInverse, b: GaussianInverse
) -> MoreNoise:
    """Ask whether the quotient of the variances is an odd whole number."""
    times = b.sigma2 / a.sigma2
    if times == 1:
        return _inside(first, second, finite_law([1]), _shift(0))
    small = a.sigma2 <= _LARGEST_VARIANCE
    if times.denominator == 1 and times.numerator % 2:
        adds = "independent noise on the whole numbers"
        if not small:
            return MoreNoise(adds)
        # Half of the time A has the sign of W or is 0, so P(|W| > r) <= 2 P(|B| > r).
        more = NoiseLaw(
            "more noise",
            lambda k: _weight(first, a, k),
            lambda reach: 2 * first.outside(reach),
            second.inverse,
        )
        return _inside(first, second, more, adds)
    why = (
        f"sigma2 = {b.sigma2} is not an odd multiple of {a.sigma2}, so the weights of the only "
        "candidate change sign again and again far out"
    )
    found = _searched(first, a) if small else None
    if found is None:
        return MoreNoise(why=why)
    return MoreNoise(at=found.at, weight=found.weight, why=f"{found.why}; {why}")


def _searched(first: NoiseLaw, undo: Summable, reach: int = _SEARCHED) -> MoreNoise | None:
    """Look for a negative weight near 0, and far out where that is cheap."""
    places = sorted(range(-reach, reach + 1), key=lambda k: (abs(k), -k))
    if undo.finite:
        places += [sign << i for i in range(6, 13) for sign in (1, -1)]
    for k in places:
        weight = _weight(first, undo, k)
        if compare(weight, Fraction(0), limit=_BITS) is Order.LESS:
            return _outside(k, weight)
    return None


def _again(first: NoiseLaw, second: NoiseLaw, k: int, stated: Number) -> Callable[[], bool]:
    """Check a weight against the sum of g(j) b(k - j)."""

    def check() -> bool:
        found = _weight(first, second.inverse(), k)
        apart = compare(found, stated, limit=_BITS)
        return apart in (Order.EQUAL, Order.UNDECIDED)

    return check


def _weight(first: NoiseLaw, undo: Summable, k: int) -> Number:
    """Return sum_j g(j) b(k - j), exactly if g is finite; else what is left out is enclosed."""
    if undo.low is not None and undo.high is not None:
        places = range(undo.low, undo.high + 1)
        return sum((undo.at(j) * first.pmf(k - j) for j in places), start=Fraction(0))

    def summed(bits: int) -> arb:
        total, done, reach = arb(0), -1, 8
        while True:
            for j in range(done + 1, reach + 1):
                for place in {j, -j}:
                    total += ball(undo.at(place), bits) * ball(first.pmf(k - place), bits)
            rest = ball(undo.tail(reach), bits)
            if rest < arb(2) ** -bits or rest < total.rad() or reach >= _FURTHEST:
                return total + arb(0, rest.abs_upper())
            done, reach = reach, 2 * reach

    return Real(summed)


# --- on the real line -----------------------------------------------------------------------------


def _on_the_line(candidate: Continuous, base: Continuous) -> MoreNoise:
    """Divide the transforms 1 / (1 + b^2 t^2) of Laplace noise and e^(-sigma^2 t^2 / 2)."""
    if isinstance(candidate, Laplace) and isinstance(base, Laplace):
        kept = (base.scale / candidate.scale) ** 2
        order = compare(candidate.scale, base.scale)
        less = f"laplace noise with the weight {show(1 - kept)}, which is negative"
        adds = f"nothing with probability {show(kept)}, else {candidate.expression} noise"
    elif isinstance(candidate, Gaussian) and isinstance(base, Gaussian):
        order = compare(candidate.sigma, base.sigma)
        less = "noise whose transform grows without bound"
        adds = f"gaussian(sigma2={_text(candidate.sigma**2 - base.sigma**2)}) noise"
    else:
        less = (
            "noise whose transform grows without bound"
            if isinstance(base, Gaussian)
            else "noise with the density (1 + b^2/s^2 - b^2 x^2/s^4) times the normal one of "
            "deviation s, which is negative far out (b is the scale of the base)"
        )
        return MoreNoise(why=f"the only candidate would add {less}")
    if candidate.expression == base.expression:
        order = Order.EQUAL
    if order is Order.UNDECIDED:
        raise Undecided(f"{candidate.expression} and {base.expression} cannot be told apart")
    if order is Order.EQUAL:
        return MoreNoise(adds=_shift(0))
    if order is Order.LESS:
        return MoreNoise(why=f"the only candidate would add {less}")
    return MoreNoise(adds=adds)


def _text(value: Number) -> str:
    return spelled(value) or show(value)
