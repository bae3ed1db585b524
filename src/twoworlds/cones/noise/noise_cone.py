r"""Row cones of integer noise: one inequality, shifted to every whole number.

With g the summable inverse of the noise f (see `laws`), a bounded row x on all
whole numbers is a non-negative combination of the rows f(o - .) exactly when

    for every k:   weight(k) = sum_j g(j) x_(k+j) >= 0,

and weight(k) is then the coefficient of the row of output k (Lin & Kifer, Theorems 5.15 and 5.16
with Theorem 5.1; Differs: the paper prints "if", it is "if and only if"). Coefficients are shown
divided by the absolute sum of g, so that their absolute values are a belief; that sum is the
`scale` by which the inverse matrix is larger. Rows must be bounded: an unbounded one may satisfy
every inequality and be no combination at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import arb

from twoworlds.answer import Answer, Said
from twoworlds.charts import Bars
from twoworlds.cones.kernel.vectors import Vector, primitive
from twoworlds.cones.noise.laws import LawSource, NoiseLaw, law
from twoworlds.cones.noise.rational import Rational, Summable, polynomial
from twoworlds.errors import InvalidInput, Undecided
from twoworlds.numbers import (
    Number,
    Order,
    Real,
    above,
    ball,
    below,
    compare,
    decimal,
    exact_text,
    number,
    signed,
)
from twoworlds.show import Result

_DECIDING_BITS = 1024
_NEGLIGIBLE = 1e-3
_LONGEST_WINDOW = 12
_FURTHEST = 1 << 12
_SEARCHED = 64
_NEAR = 2
_LONGEST = 12  # letters of a coefficient that is not rounded
_NEAR_BITS = 256


@dataclass(frozen=True)
class NoiseMembership(Result):
    """Whether a row lies in the cone, and the inequality that it violates if not.

    Attributes:
        holds: the answer; the object is also used as a truth value.
        at: a place k whose inequality is violated, or None.
        weight: sum_j g(j) x_(k+j) there, negative: the weight that output k would need.
        checked: the places whose inequalities were evaluated; a bound covers all others.
    """

    holds: bool
    at: int | None
    weight: Number | None
    checked: range

    def __bool__(self) -> bool:
        """Tell whether the row lies in the cone."""
        return self.holds

    def answer(self) -> Answer:
        """Say it in words."""
        shown = f"{self.checked.start} to {self.checked.stop - 1}"
        said = (
            f"in the row cone: the inequalities at {shown} were evaluated, a bound covers the rest"
        )
        if self.at is not None and self.weight is not None:
            said = (
                f"outside the row cone: the inequality at {self.at} is violated, it would need "
                f"output {self.at} with weight {_shown(self.weight)}"
            )
        return Answer(said, holds=self.holds)

    def fields(self) -> dict[str, Any]:
        """Return the answer, and where it was looked for."""
        checked = [self.checked.start, self.checked.stop - 1]
        return {"holds": self.holds, "at": self.at, "weight": self.weight, "checked": checked}


@dataclass(frozen=True)
class NoiseCone(Result):
    """The row cone of a mechanism that adds integer noise to any whole number."""

    law: NoiseLaw
    inverse: Summable

    @property
    def source(self) -> str:
        """The call that names the noise."""
        return self.law.expression

    @property
    def finite(self) -> bool:
        """Whether each inequality has finitely many terms."""
        return self.inverse.finite

    @property
    def l1(self) -> Number:
        """The sum of |g(j)|: the norm of a column of the inverse matrix."""
        return self.inverse.l1

    scale = l1

    @property
    def alternating(self) -> bool:
        """Whether the coefficients change sign from each place to the next."""
        return self.inverse.alternating

    def coefficient(self, j: int) -> Number:
        """Return g(j) / scale: the signed belief in the place j steps from k."""
        return self.inverse.sign(j) * self.inverse.belief(j)

    def coefficients(self, window: int | Iterable[int] | None = None) -> dict[int, Number]:
        """Return g(j) / scale on -window..window or on the places given, by default on `window`.

        >>> [str(c) for c in noise_cone("geometric(ratio=2)").coefficients(1).values()]
        ['-2/9', '5/9', '-2/9']
        """
        places = self.window if window is None else window
        if isinstance(places, int):
            places = range(-_reach(places), _reach(places) + 1)
        return {j: self.coefficient(j) for j in places}

    def tail(self, reach: int) -> Number:
        """Return the sum of |g(j)| / scale over |j| > reach: what a window leaves out."""
        return self.inverse.belief_tail(_reach(reach))

    @cached_property
    def window(self) -> range:
        """All places of a finite form, else those around its peak up to a negligible rest.

        It reaches 12 places to either side at most; `left_out` says what lies outside.
        """
        low, high = self.inverse.low, self.inverse.high
        if low is not None and high is not None:
            return range(low, high + 1)
        middle = self._middle(low, high)
        inside, reach = float(self.inverse.belief(middle)), 0
        while reach < _LONGEST_WINDOW and 1 - inside > _NEGLIGIBLE:
            reach += 1
            inside += sum(float(self.inverse.belief(middle + d)) for d in (-reach, reach))
        first = middle - reach if low is None else max(low, middle - reach)
        last = middle + reach if high is None else min(high, middle + reach)
        return range(first, last + 1)

    def _middle(self, low: int | None, high: int | None) -> int:
        """Climb from the place next to 0 to where the belief stops growing."""
        k = max(low or 0, 0) if low is not None else min(high or 0, 0)
        for step in (1, -1):
            while abs(k) < _FURTHEST and self._grows(k, step):
                k += step
        return k

    def _grows(self, k: int, step: int) -> bool:
        return float(self.inverse.belief(k + step)) > float(self.inverse.belief(k)) * (1 + 1e-9)

    @cached_property
    def left_out(self) -> Number:
        """The sum of |g(j)| / scale outside of `window`."""
        if self.finite:
            return Fraction(0)
        inside = [self.inverse.belief(j) for j in self.window]
        if all(isinstance(b, Fraction) for b in inside):
            return 1 - sum(inside, start=Fraction(0))

        def outside(bits: int) -> arb:
            total = sum((ball(b, bits) for b in inside), start=arb(0))
            return (1 - total).nonnegative_part()

        return Real(outside)

    @cached_property
    def integers(self) -> Vector | None:
        """The primitive integer form over `window`, when it is finite and rational.

        >>> noise_cone("differenced-negative-binomial(p=1/2, r=2)").integers
        (4, -20, 33, -20, 4)
        """
        terms = [self.inverse.at(j) for j in self.window] if self.finite else []
        if not terms or not all(isinstance(term, Fraction) for term in terms):
            return None
        return primitive(terms)

    def weight(self, k: int, row: Mapping[int, object], *, otherwise: object = 0) -> Number:
        """Return sum_j g(j) x_(k+j) for a row that is constant but for finitely many places.

        The terms of g sum to 1, so this is c + sum_i (x_i - c) g(i - k) with c the constant.
        """
        constant, changes = _read(row, otherwise)
        return self._weight(k, constant, changes)

    def _weight(self, k: int, constant: Number, changes: Mapping[int, Number]) -> Number:
        terms = [(d, self.inverse.at(i - k)) for i, d in changes.items()]
        if all(isinstance(x, Fraction) for term in terms for x in term):
            return sum((d * g for d, g in terms), start=constant)

        def summed(bits: int) -> arb:
            products = (ball(d, bits) * ball(g, bits) for d, g in terms)
            return sum(products, start=ball(constant, bits))

        return Real(summed)

    def contains(self, row: Mapping[int, object], *, otherwise: object = 0) -> NoiseMembership:
        """Decide whether a row lies in the cone: ``otherwise`` everywhere but at a few places.

        >>> noise_cone("geometric(ratio=2)").contains({0: 1}, otherwise=2).at
        0

        Raises:
            Undecided: when an inequality holds with equality as far as enclosures can tell, or
                when a row that vanishes far out meets an inverse whose signs are not known there.
        """
        constant, changes = _read(row, otherwise)
        if not changes:
            holds = constant >= 0
            return NoiseMembership(holds, None if holds else 0, constant, range(1))
        near = range(min(changes) - _NEAR, max(changes) + _NEAR + 1)
        for k in _outward(near, changes):  # most violations are near, and need no bound
            weight = self._weight(k, constant, changes)
            if compare(weight, Fraction(0), limit=_NEAR_BITS) is Order.LESS:
                return NoiseMembership(holds=False, at=k, weight=weight, checked=near)
        reach, complete = self._enough(constant, changes)
        checked = range(min(changes) - reach, max(changes) + reach + 1)
        doubtful: int | None = None
        for k in _outward(checked, changes):
            weight = self._weight(k, constant, changes)
            order = compare(weight, Fraction(0), limit=_DECIDING_BITS)
            if order is Order.LESS:
                return NoiseMembership(holds=False, at=k, weight=weight, checked=checked)
            if order is Order.UNDECIDED:
                doubtful = k
        if doubtful is None and complete:
            return NoiseMembership(holds=True, at=None, weight=None, checked=checked)
        ends = f"beyond {checked.start} to {checked.stop - 1}"
        where = ends if doubtful is None else f"at {doubtful}"
        raise Undecided(
            f"no inequality is violated, but {where} the weight cannot be told from 0: "
            "give the row a constant above 0 far out, and the noise by rational numbers"
        )

    def _enough(self, constant: Number, changes: Mapping[int, Number]) -> tuple[int, bool]:
        """Return how far around the changes to look, and whether that settles all other places.

        Beyond it, |sum_i d_i g(i - k)| <= max |d_i| * (the sum of |g| beyond), which is less than
        the size of the constant, so that the constant gives the sign.
        """
        low, high = self.inverse.low, self.inverse.high
        if low is not None and high is not None:
            return max(abs(low), abs(high)) + 1, True
        if constant != 0:
            sure = below(abs(constant))
            largest = max(above(abs(d)) for d in changes.values())
            reach = 4
            while reach < _FURTHEST:
                if above(self.inverse.tail(reach)) * largest * (1 + 1e-9) < sure:
                    return reach + 1, True
                reach *= 2
            return reach, False
        if isinstance(self.inverse, Rational):
            settled = self._settled(self.inverse, changes)
            if settled is not None:
                return settled, True
        return _SEARCHED, False

    def _settled(self, inverse: Rational, changes: Mapping[int, Number]) -> int | None:
        """Return how far to look when the weights, a rational sequence themselves, settle.

        sum_k weight(k) z^-k = D(1/z) G(z) where D has the changes as coefficients.
        """
        last = max(changes)
        backwards = [changes.get(last - i, Fraction(0)) for i in range(last - min(changes) + 1)]
        exact = [d for d in backwards if isinstance(d, Fraction)]
        if len(exact) < len(backwards):
            return None
        top = inverse.numerator * polynomial(exact)
        weights = Rational(inverse.shift - last, top, inverse.denominator)
        ends = weights.settled
        return None if ends is None else max(abs(-end - i) for end in ends for i in changes) + 2

    def inequality(self, k: int | None = None) -> str:
        """Write the inequality of place k, or of any place when k is left out.

        >>> noise_cone("geometric(ratio=2)").inequality(3)
        '2 x(2) + 2 x(4) <= 5 x(3)'
        """
        if self.integers is not None:
            values: dict[int, Number] = {
                j: Fraction(c) for j, c in zip(self.window, self.integers, strict=True)
            }
        else:
            values = self.coefficients()
        signs = {j: self.inverse.sign(j) for j in values}
        sides = []
        for sign in (-1, 1):
            parts = [_part(values[j], _place(k, j)) for j in values if signs[j] == sign]
            sides.append(" + ".join(parts) or "0")
        left, right = sides
        if self.finite:
            return f"{left} <= {right}"
        more = "" if self.inverse.peak is not None else " + ..."
        left_out = _up(self.left_out)
        return f"{left} + ... <= {right}{more} (the terms left out weigh {left_out} together)"

    def answer(self) -> Answer:
        """Say what the cone is."""
        said = [
            f"The coefficients of the inverse have the absolute sum {_shown(self.l1)}.",
        ]
        if self.alternating and len(self.window) > 1:
            said.append("The signs alternate: it protects the parity of the distance from k.")
        terms = {f"x(k{j:+d})" if j else "x(k)": float(c) for j, c in self.coefficients().items()}
        chart = Bars("Coefficients, of absolute sum 1: the sum is at least 0", terms, share=False)
        long = self.integers is None and any(
            not isinstance(c, Fraction) or len(str(c)) > _LONGEST
            for c in self.coefficients().values()
        )
        rounded = ", where the coefficients are rounded" if long else ""
        return Answer(
            f"Row cone of {self.source} on all whole numbers: a bounded likelihood row x lies in "
            f"it if and only if {self.inequality()} for every whole number k{rounded}.",
            blocks=[Said(said), chart],
        )

    def fields(self) -> dict[str, Any]:
        """Return the coefficients on the window, and what lies outside."""
        return {
            "kind": "noise-cone",
            "source": self.source,
            "finite": self.finite,
            "coefficients": self.coefficients(),
            "integers": self.integers,
            "first": self.window.start,
            "scale": self.l1,
            "tail": self.left_out,
            "alternating": self.alternating,
            "inequality": self.inequality(),
            "approximation": None,
        }


def noise_cone(source: LawSource) -> NoiseCone:
    """Return the row cone of integer noise on all whole numbers.

    Args:
        source: a mechanism such as ``geometric(ratio=2)``, ``skellam(1, 1)`` or
            ``integer-noise([1/4, 3/4])``, or a law (`twoworlds.cones.noise.laws`).

    >>> noise_cone("integer-noise([9/16, 6/16, 1/16])").l1
    Fraction(4, 1)
    """
    found = law(source)
    return NoiseCone(found, found.inverse())


def _reach(value: int) -> int:
    if type(value) is not int or value < 0:
        raise InvalidInput(f"window={value!r} must be a whole number, at least 0")
    return value


def _read(row: object, otherwise: object) -> tuple[Number, dict[int, Number]]:
    """Return the constant and how far each place differs from it."""
    if not isinstance(row, Mapping):
        raise InvalidInput(
            f"a row is given as {{place: value}} beside otherwise=, not as {type(row).__name__}"
        )
    constant = number(otherwise, "otherwise")
    changes: dict[int, Number] = {}
    for place, value in row.items():
        if isinstance(place, bool) or not isinstance(place, int):
            raise InvalidInput(f"place {place!r} must be a whole number")
        difference = number(value, f"x({place})") - constant
        if difference != 0:
            changes[place] = difference
    return constant, changes


def _outward(places: range, changes: Mapping[int, Number]) -> Iterator[int]:
    """Run through the places, those nearest to a change first."""
    return iter(sorted(places, key=lambda k: (min(abs(k - i) for i in changes), abs(k), k)))


def _place(k: int | None, j: int) -> str:
    if k is not None:
        return f"x({k + j})"
    return f"x(k{j:+d})" if j else "x(k)"


def _part(value: Number, place: str) -> str:
    size = abs(value)
    if isinstance(size, Fraction):
        return place if size == 1 else f"{_short(size)} {place}"
    return f"{_up(size)} {place}"


def _short(size: Fraction) -> str:
    text = exact_text(size) or ""
    return text if len(text) <= _LONGEST else _up(size)


def _up(value: Number) -> str:
    return decimal(value, 6, side="up")


def _shown(value: Number) -> str:
    text = exact_text(value)
    if text is not None and len(text) <= 24:
        return text
    return signed(value, decimal(value, side="nearest"), side="nearest")
