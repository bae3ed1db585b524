r"""Rational generating functions: finite, geometric and binomial noise, and their mixtures.

Let z^shift A(z) / B(z) have no pole on the unit circle. Its Laurent series there is the only
summable one: poles inside the circle are expanded in 1/z, poles outside in z. The same object is
a law (f) and, with A and B exchanged, its inverse (g).

Terms are rational when each irreducible factor of B has all its roots on one side of the circle;
otherwise they are enclosed by the residues at the poles. Beyond a place that can be computed the
dominant pole of each side decides the signs, so that patterns of signs are proved, not observed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from math import comb, gcd
from typing import Any, NamedTuple

from flint import acb, acb_poly, arb, fmpq, fmpq_poly, fmpz_poly

from twoworlds.cones.kernel.vectors import fraction
from twoworlds.errors import TooLarge, Undecided
from twoworlds.numbers import LIMIT_BITS, Number, Order, Real, ball, compare, working_precision

_START_BITS, _SIGN_BITS = 64, 2048
_GUARD = 32
_SETTLING, _FURTHEST = 1024, 1 << 13
_LARGEST_DEGREE = 600


def polynomial(coefficients: Sequence[Fraction]) -> fmpq_poly:
    """Return the polynomial with these coefficients, lowest first."""
    return fmpq_poly([fmpq(c.numerator, c.denominator) for c in coefficients])


@lru_cache(maxsize=64)
def _roots_of(coefficients: tuple[int, ...], bits: int) -> tuple[acb, ...]:
    with working_precision(bits):
        found: Any = fmpz_poly(list(coefficients)).complex_roots()  # the stubs miss the pairs
        return tuple(root for root, _ in found)


def roots(of: fmpz_poly, bits: int) -> tuple[acb, ...]:
    """Enclose the roots of a polynomial without multiple roots: the real ones first, ascending."""
    return _roots_of(tuple(int(c) for c in of.coeffs()), bits)


def refuse_large(of: fmpq_poly) -> None:
    """Refuse a degree whose roots would take too long."""
    if of.degree() > _LARGEST_DEGREE:
        raise TooLarge(
            f"the generating function has degree {of.degree()}, more than {_LARGEST_DEGREE}: "
            "use noise with fewer values, or a law with a closed form (geometric, skellam, "
            "discrete-gaussian)"
        )


class Summable(ABC):
    """A sequence g on the whole numbers with a finite sum of |g(k)|.

    Attributes:
        low: the first place that is not 0, or None when there is none.
        high: the last such place, or None.
    """

    low: int | None = None
    high: int | None = None

    @abstractmethod
    def at(self, k: int) -> Number:
        """Return g(k)."""

    @property
    def finite(self) -> bool:
        """Whether only finitely many terms differ from 0."""
        return self.low is not None and self.high is not None

    @property
    def signs(self) -> dict[int, int] | None:
        """The signs of finitely many terms that tell all others, if they are known."""
        return None

    @property
    def alternating(self) -> bool:
        """Whether (-1)^k g(k) is known to keep one sign, so that g speaks of parity."""
        known = (self.signs or {}).items()
        return len({sign * (-1) ** k for k, sign in known if sign}) == 1

    @property
    def peak(self) -> int | None:
        """The one place with a positive term, when no other place is known to have one."""
        positive = [k for k, sign in (self.signs or {}).items() if sign > 0]
        return positive[0] if len(positive) == 1 else None

    def sign(self, k: int) -> int:
        """Return -1, 0 or 1."""
        order = compare(self.at(k), Fraction(0), limit=_SIGN_BITS)
        if order is Order.UNDECIDED:
            raise Undecided(
                f"the sign of the coefficient at {k} is not known with {_SIGN_BITS} bits: "
                "give the noise by rational numbers"
            )
        return {Order.LESS: -1, Order.EQUAL: 0, Order.GREATER: 1}[order]

    @property
    @abstractmethod
    def l1(self) -> Number:
        """The sum of |g(k)| over all k."""

    @abstractmethod
    def tail(self, reach: int) -> Number:
        """Return the sum of |g(k)| over |k| > reach."""

    def belief(self, k: int) -> Number:
        """Return |g(k)| / l1, a probability."""
        return abs(self.at(k)) / self.l1

    def belief_tail(self, reach: int) -> Number:
        """Return the probability of |k| > reach under the belief."""
        return self.tail(reach) / self.l1


class _Pole(NamedTuple):
    """The principal part sum_i parts[i] / (z - root)^(order - i) at a pole."""

    root: acb
    order: int
    parts: list[acb]
    outside: bool


class Rational(Summable):
    """The summable Laurent series of z^shift A(z) / B(z).

    >>> from twoworlds.cones.noise.rational import polynomial
    >>> half = Rational(0, polynomial([Fraction(1)]), polynomial([Fraction(3, 4), Fraction(1, 4)]))
    >>> [str(half.at(k)) for k in (-1, 0, 1)], str(half.l1)
    (['0', '4/3', '-4/9'], '2')
    """

    def __init__(self, shift: int, numerator: fmpq_poly, denominator: fmpq_poly) -> None:
        """Cancel common factors; ``denominator`` must have no zero on the unit circle."""
        common = numerator.gcd(denominator)
        top, bottom = numerator // common, denominator // common
        for part in (top, bottom):
            refuse_large(part)
        up, down = _used(top)[0], _used(bottom)[0]
        self.shift = shift + up - down
        self.numerator, self.denominator = top.right_shift(up), bottom.right_shift(down)
        self._factors = [(p, m) for p, m in self.denominator.numer().factor()[1] if p.degree() > 0]
        sides = {
            bool(abs(root) < 1)
            for factor, _ in self._factors
            for root in self._decided_roots(factor, _START_BITS)
        }
        self.low = None if True in sides else self.shift
        last = self.shift + int(self.numerator.degree()) - int(self.denominator.degree())
        self.high = None if False in sides else last
        # The two one-sided series meet at the shift: near place 0 their parts do not cancel.
        moved = max(0, min(self.shift, int(self.denominator.degree())))
        self.shift -= moved
        self.numerator = self.numerator.left_shift(moved)
        self._quotient, self._rest = divmod(self.numerator, self.denominator)
        used = (_used(self.numerator), _used(self.denominator))
        self._step = gcd(*(i - places[0] for places in used for i in places)) or 1
        self._first = used[0][0]
        self._terms: dict[int, list[Fraction]] = {}

    # --- exact terms ---------------------------------------------------------------------------

    @cached_property
    def _split(self) -> tuple[fmpq_poly, fmpq_poly] | None:
        """The denominator as a rational product of its parts inside and outside, if it is one."""
        inner, outer = fmpq_poly([1]), fmpq_poly([1])
        for factor, multiplicity in self._factors:
            places = {bool(abs(root) < 1) for root in self._decided_roots(factor, _START_BITS)}
            if len(places) > 1:
                return None
            power = fmpq_poly(factor) ** multiplicity
            inner, outer = (inner * power, outer) if True in places else (inner, outer * power)
        scale = self.denominator.leading_coefficient() / (inner * outer).leading_coefficient()
        return inner, outer * scale

    @cached_property
    def _series(self) -> tuple[tuple[fmpq_poly, fmpq_poly], tuple[fmpq_poly, fmpq_poly]] | None:
        """Return (P, Q) with power series P/Q in z for the outside, in w = 1/z for the inside."""
        if self._split is None:
            return None
        inner, outer = self._split
        _, s, t = inner.xgcd(outer)  # they are coprime: s inner + t outer = 1
        within, without = (self._rest * t) % inner, (self._rest * s) % outer
        n = inner.degree()
        turned = fmpq_poly([within[n - 1 - i] for i in range(n)]) if n else fmpq_poly([0])
        return (without, outer), (
            turned.left_shift(1),
            fmpq_poly([inner[n - i] for i in range(n + 1)]),
        )

    @property
    def exact(self) -> bool:
        """Whether every term is rational."""
        return self._series is not None

    def _term(self, side: int, i: int) -> Fraction:
        """Return coefficient i of the series on one side (0: outside, 1: inside)."""
        assert self._series is not None
        top, bottom = self._series[side]
        known = self._terms.setdefault(side, [])
        leading, degree = fraction(bottom[0]), bottom.degree()
        while len(known) <= i:
            k = len(known)
            value = fraction(top[k])
            for j in range(1, min(k, degree) + 1):
                value -= fraction(bottom[j]) * known[k - j]
            known.append(value / leading)
        return known[i]

    def at(self, k: int) -> Number:
        """Return the term, rational if it can be."""
        i = k - self.shift
        if (self.low is not None and k < self.low) or (self.high is not None and k > self.high):
            return Fraction(0)
        if (i - self._first) % self._step:  # a power series in z^step has no other places
            return Fraction(0)
        if self.exact:
            whole = fraction(self._quotient[i]) if i >= 0 else Fraction(0)
            return whole + (self._term(0, i) if i >= 0 else self._term(1, -i))
        return Real(lambda bits: self._by_residues(i, bits))

    # --- enclosures ----------------------------------------------------------------------------

    def _decided_roots(self, factor: fmpz_poly, bits: int) -> tuple[acb, ...]:
        """Return the roots, precisely enough to tell on which side of the circle each lies."""
        while True:
            found = roots(factor, bits)
            with working_precision(bits):
                if all(abs(root) < 1 or abs(root) > 1 for root in found):
                    return found
            bits *= 2
            if bits > LIMIT_BITS:
                raise Undecided(
                    f"a pole is nearer than 2^-{bits // 2} to the unit circle: round the "
                    "probabilities"
                )

    def _poles(self, bits: int) -> list[_Pole]:
        bits = _START_BITS << max(0, (bits - 1).bit_length() - 6)  # few precisions, kept
        known: dict[int, list[_Pole]] = self.__dict__.setdefault("_known_poles", {})
        if bits not in known:
            most = max((multiplicity for _, multiplicity in self._factors), default=0)
            with working_precision(bits + _GUARD):
                top = _derivatives(self._rest, most)
                bottom = _derivatives(self.denominator, 2 * most)
                known[bits] = [
                    _pole(root, multiplicity, top, bottom)
                    for factor, multiplicity in self._factors
                    for root in self._decided_roots(factor, bits + _GUARD)
                ]
        return known[bits]

    def _by_residues(self, i: int, bits: int) -> arb:
        total = acb(self._quotient[i]) if i >= 0 else acb(0)
        for root, order, parts, outside in self._poles(bits):
            for missing, part in enumerate(parts):
                q = order - missing
                if outside and i >= 0:
                    total += (-1) ** q * part * comb(i + q - 1, q - 1) / root ** (q + i)
                elif not outside and i <= -q:
                    total += part * comb(-i - 1, q - 1) * root ** (-q - i)
        return total.real

    def remainder(self, reach: int, bits: int) -> arb:
        """Bound the sum of |g(k)| over |k| > reach, by the absolute principal parts there."""
        total = arb(0)
        for i in range(self._quotient.degree() + 1):
            if abs(i + self.shift) > reach:
                total += abs(arb(self._quotient[i]))
        for root, order, parts, outside in self._poles(bits):
            x = 1 / abs(root) if outside else abs(root)
            for missing, part in enumerate(parts):
                q = order - missing
                if outside:  # places shift + i beyond reach, or all of them below -reach
                    first, scale = reach + 1 - self.shift, x**q
                else:  # places shift - q - n
                    first, scale = reach + 1 + self.shift - q, arb(1)
                far = _binomial_tail(max(first, 0), q, x)
                near = self._wrong_side(reach, q, x, outside=outside)
                total += abs(part) * scale * (far + near)
        return total

    def _wrong_side(self, reach: int, q: int, x: arb, *, outside: bool) -> arb:
        """Sum the few places of a one-sided series that lie beyond the other end of the window."""
        many = -reach - self.shift if outside else self.shift - q - reach
        terms = (comb(n + q - 1, q - 1) * x**n for n in range(max(many, 0)))
        return sum(terms, start=arb(0))

    def beyond(self, reach: int) -> Number:
        """Sum |g(k)| outward from |k| > reach until what remains is negligible."""
        if self.low is not None and self.high is not None:
            places = [k for k in range(self.low, self.high + 1) if abs(k) > reach]
            return sum((abs(self.at(k)) for k in places), start=Fraction(0))

        def summed(bits: int) -> arb:
            total, done, end = arb(0), reach, max(2 * reach, 8)
            while True:
                for k in range(done + 1, end + 1):
                    for place in {k, -k}:
                        total += abs(ball(self.at(place), bits))
                rest = self.remainder(end, bits)
                known = rest < total * arb(2) ** -bits or rest < total.rad()
                if known or not total.is_finite() or end >= _FURTHEST:
                    half = rest.abs_upper() / 2
                    return total + half + arb(0, half.abs_upper())
                done, end = end, 2 * end

        return Real(summed)

    # --- signs and sums ------------------------------------------------------------------------

    @cached_property
    def settled(self) -> tuple[int, int] | None:
        """Return (a, b): outside a..b both ends keep the sign rule of their dominant pole."""
        ends = [self._settles(outside=side) for side in (False, True)]
        if None in ends:
            return None
        left, right = ends[0] or 0, max(ends[1] or 0, self._quotient.degree() + 1)
        return self.shift - left - 1, self.shift + right + 1

    def _settles(self, *, outside: bool) -> int | None:
        """Return a distance beyond which the dominant pole outweighs the others, or None.

        The weight of a part is |part| C(n + q - 1, q - 1) x^n (outside; inside n lags by q). The
        quotient of two weights that fall at n also falls at every larger n, see `_falls`.
        """
        poles = [p for p in self._poles(_START_BITS) if p.outside == outside]
        if not poles:
            return 0
        size = {id(p): 1 / abs(p.root) if outside else abs(p.root) for p in poles}
        main = max(poles, key=lambda p: (float(size[id(p)].mid()), p.order))
        if main.root.imag != 0:
            return None
        n = 2 * int(self.denominator.degree()) + 2
        while n <= _SETTLING:
            if _dominates(main, poles, size, n, outside=outside):
                return n
            n *= 2
        return None

    @cached_property
    def signs(self) -> dict[int, int] | None:
        """The signs on the unsettled window and two places beyond it on each side, if known.

        Further out they repeat with period 1 or 2.
        """
        if self.low is not None and self.high is not None:
            return {k: self.sign(k) for k in range(self.low, self.high + 1)}
        if self.settled is None:
            return None
        first, last = self.settled
        try:
            return {k: self.sign(k) for k in range(first - 2, last + 3)}
        except Undecided:
            return None

    @cached_property
    def l1(self) -> Number:
        """Evaluate at z = -1 or 1 where the signs allow it."""
        if self.finite:
            return self.beyond(-1)
        if self.alternating:
            return abs(self._value(-1))
        if self.signs is not None and -1 not in self.signs.values():
            return self._value(1)
        if self.peak is not None:
            return 2 * self.at(self.peak) - self._value(1)
        return self.beyond(-1)

    def _value(self, z: int) -> Fraction:
        value = fraction(self.numerator(fmpq(z)) / self.denominator(fmpq(z)))
        return value if z == 1 or self.shift % 2 == 0 else -value

    def tail(self, reach: int) -> Number:
        """Subtract the window from an exact sum, or sum outward."""
        if self.exact and isinstance(self.l1, Fraction) and not self.finite:
            window = (abs(self.at(k)) for k in range(-reach, reach + 1))
            return self.l1 - sum(window, start=Fraction(0))
        return self.beyond(reach)


def _derivatives(of: fmpq_poly, count: int) -> list[acb_poly]:
    """Return the polynomials whose values at a point are the Taylor coefficients there."""
    found = []
    for i in range(count):
        found.append(acb_poly(of))
        of = of.derivative() / (i + 1)
    return found


def _pole(root: acb, order: int, top: list[acb_poly], bottom: list[acb_poly]) -> _Pole:
    """Expand (z - root)^order A/B at the root: its first terms are the principal part."""
    above = [top[i](root) for i in range(order)]
    below = [bottom[order + i](root) for i in range(order)]  # the lower ones vanish exactly
    parts: list[acb] = []
    for i in range(order):
        known = sum((parts[j] * below[i - j] for j in range(i)), start=acb(0))
        parts.append((above[i] - known) / below[0])
    return _Pole(root, order, parts, bool(abs(root) > 1))


def _used(of: fmpq_poly) -> list[int]:
    """Return the exponents that occur."""
    return [i for i, c in enumerate(of.coeffs()) if c != 0]


def _binomial_tail(first: int, q: int, x: arb) -> arb:
    """Return an upper bound of sum_{n >= first} C(n + q - 1, q - 1) x^n for 0 <= x < 1."""
    everything = (1 - x) ** -q
    if first == 0:
        return everything
    ratio = x * (first + q) / (first + 1)
    if not ratio < 1:
        return everything
    return comb(first + q - 1, q - 1) * x**first / (1 - ratio)


def _dominates(
    main: _Pole, poles: list[_Pole], size: dict[int, arb], n: int, *, outside: bool
) -> bool:
    def weight(pole: _Pole, missing: int) -> arb:
        q, x = pole.order - missing, size[id(pole)]
        # The series of 1/(z - r)^q starts at place -q inside the circle, so it lags by q there.
        steps = n if outside else n - q
        scale = x**q if outside else arb(1)
        return abs(pole.parts[missing]) * scale * comb(steps + q - 1, q - 1) * x**steps

    others = [
        (pole, missing)
        for pole in poles
        for missing in range(pole.order)
        if not (pole is main and missing == 0)
    ]
    total = sum((weight(*other) for other in others), start=arb(0))
    if not total < weight(main, 0):
        return False
    return all(
        _falls(n, pole.order - missing, size[id(pole)], main.order, size[id(main)], outside=outside)
        for pole, missing in others
        if pole is not main
    )


def _falls(n: int, q: int, x: arb, order: int, x0: arb, *, outside: bool) -> bool:
    """Tell whether a part of order q and size x falls against the dominant one from n on.

    One step multiplies the quotient by (n + q) / (n + order) x / x0 outside the circle, and by
    (n - order + 1) / (n - q + 1) x / x0 inside: for q > order both factors fall with n.
    """
    if q <= order:
        return bool(x <= x0)
    if outside:
        return bool((n + q) * x <= (n + order) * x0)
    return bool((n - order + 1) * x <= (n - q + 1) * x0)
