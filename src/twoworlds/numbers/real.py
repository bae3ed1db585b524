"""Real numbers that are never guessed: exact rationals and computable reals.

A *number* is a ``fractions.Fraction`` (exact), or a `Real`: a formula together with an
algorithm that encloses the value in a ball of any wanted precision (python-flint's ``arb``).
Rational factors and common denominators are remembered, so that e/(e + 1) divided by 1/(e + 1)
is exactly e.

What must never change: a `Real` is compared by raising the precision until the balls are
disjoint; if they still overlap at the limit, `Undecided` is raised. Nothing here rounds to a
nearest float on the way to a decision.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from fractions import Fraction
from threading import RLock
from typing import Any

from flint import arb, ctx, fmpq

from twoworlds.errors import Undecided

LIMIT_BITS = 4096
_START_BITS = 64
_LONGEST_FORMULA = 60
_SPINE = 40  # so many sums or products are worked out at once, each inside the next
_DEEPEST, _MOST_POWERS = 40, 400  # of a sum of powers of e that is compared as such
_Powers = dict[Fraction, Fraction]  # the coefficients of rational powers of e

# How tightly a formula binds, so that a composed one gets just the parentheses it needs.
_SUM, PRODUCT, ATOM = 0, 1, 2


class Order(Enum):
    """The outcome of a comparison, which may be that it was not decided."""

    LESS = "less"
    EQUAL = "equal"
    GREATER = "greater"
    UNDECIDED = "undecided"


class Real:
    """A real number known by an algorithm that encloses it as tightly as asked.

    Attributes:
        formula: a closed form such as ``1 - e^(-1/4)``, or None when there is none.
    """

    __slots__ = (
        "_binding",
        "_evaluate",
        "_known",
        "cap",
        "complement",
        "exponential",
        "floor",
        "formula",
        "logarithm",
        "made",
        "parts",
        "radicand",
        "scaled",
    )

    def __init__(
        self,
        evaluate: Callable[[int], arb],
        formula: str | None = None,
        binding: int = ATOM,
        *,
        floor: Fraction | None = None,
    ) -> None:
        """Wrap ``evaluate(bits)``, which must return a ball that holds the number."""
        self._evaluate = evaluate
        self.exponential: Real | None = None  # e to this number, where that is what it came from
        self.logarithm: Real | None = None  # what it is e to the power of, where it is known
        self.parts: tuple[Number, Number] | None = None  # numerator and positive denominator
        self.made: tuple[str, Any, Any] | None = None  # sum, difference, product, quotient or power
        self.scaled: tuple[Fraction, Real] | None = None  # a rational multiple of another real
        self.complement: tuple[Fraction, Real] | None = None  # a rational minus another real
        self.cap: Fraction | None = None  # a number that it cannot exceed, whatever its ball says
        self.floor = floor  # one that it cannot fall below
        self.radicand: Number | None = None  # what it is the square root of
        self._known: tuple[int, arb] | None = None
        whole = formula is not None and "[" not in formula  # see `written`
        short = formula is not None and len(formula) <= _LONGEST_FORMULA
        self.formula = formula if whole and short else None
        self._binding = binding

    @classmethod
    def between(cls, low: Fraction, high: Fraction) -> Real:
        """Return a number of which only an enclosure is known, such as a float result."""
        middle, radius = (low + high) / 2, (high - low) / 2
        # A ball reaches a little further out: above, that is the safe side.
        return cls(lambda bits: arb(ball(middle, bits), ball(radius, bits).upper()), floor=low)

    @classmethod
    def up_to(cls, top: Number) -> Number:
        """Return a number of which only is known that it lies between 0 and ``top``."""
        if isinstance(top, Fraction):
            return top if top == 0 else cls.between(Fraction(0), top)
        found = cls(lambda bits: arb(0).union(top.ball(bits)))
        found.floor, found.cap = Fraction(0), top.cap
        return found

    def ball(self, bits: int) -> arb:
        """Return a ball that holds the number, computed with at least ``bits`` bits."""
        known = self._known
        if known is None or known[0] < bits:
            for part in [*self._spine(bits)][:0:-_SPINE]:  # a long sum, from its first terms on
                part.ball(bits)
            with working_precision(bits):
                self._known = known = (bits, self._evaluate(bits))
        return known[1]

    def _spine(self, bits: int) -> Iterator[Real]:
        """Yield the number, what it was made of first, and so on, up to what is known."""
        part: object = self
        while isinstance(part, Real) and (part._known is None or part._known[0] < bits):
            yield part
            _, left, right = part.made or ("", None, None)
            part = left if isinstance(left, Real) else right

    def __repr__(self) -> str:
        return f"Real({self.formula or self.ball(_START_BITS)})"

    def __float__(self) -> float:
        """Return a nearby float; use `twoworlds.numbers.above` for a safe side."""
        return float(self.ball(2 * _START_BITS).mid())

    def __add__(self, other: object) -> Real:
        if other == 0:
            return self
        if isinstance(other, _Infinity):
            return other
        return _combine(self, other, lambda a, b: a + b, " + ", _SUM)

    __radd__ = __add__

    def __sub__(self, other: object) -> Number:
        """Return the difference; equal quotients of one denominator cancel exactly."""
        if other == 0:
            return self
        if self is other or self == other:
            return Fraction(0)
        if common := _numerators(self, other):
            return _quotient(common[0] - common[1], common[2])
        return _combine(self, other, lambda a, b: a - b, " - ", _SUM)

    def __rsub__(self, other: object) -> Number:
        if other == 0:
            return -self
        if self.complement is not None and isinstance(other, (int, Fraction)):
            return (other - self.complement[0]) + self.complement[1]
        result = _combine(other, self, lambda a, b: a - b, " - ", _SUM)
        if isinstance(other, (int, Fraction)):
            result.complement = (Fraction(other), self)
        return result

    def __mul__(self, other: object) -> Number:
        """Return the product; zero times anything is the exact zero."""
        if isinstance(other, (int, Fraction)):
            return self._times(Fraction(other))
        if isinstance(other, _Infinity):
            return other * self
        result = _combine(self, other, lambda a, b: a * b, "*", PRODUCT)
        if result is NotImplemented:
            return NotImplemented
        if isinstance(other, Real) and (self.parts is None) != (other.parts is None):
            (top, bottom), factor = (self.parts, other) if self.parts else (other.parts, self)  # type: ignore[misc]
            result.parts = (top * factor, bottom)
        return result

    __rmul__ = __mul__

    def _times(self, factor: Fraction) -> Number:
        """Multiply by a rational, collecting rational factors in front."""
        if self.scaled is not None:
            factor, base = factor * self.scaled[0], self.scaled[1]
        else:
            base = self
        if factor in (0, 1):
            return base if factor else Fraction(0)
        result = _combine(factor, base, lambda a, b: a * b, "*", PRODUCT)
        result.scaled = (factor, base)
        if base.parts is not None:
            result.parts = (base.parts[0] * factor, base.parts[1])
        return result

    def __truediv__(self, other: object) -> Number:
        """Return the quotient; one denominator on both sides cancels."""
        if isinstance(other, (int, Fraction)):
            return self * (1 / Fraction(other))
        if common := _numerators(self, other):
            return common[0] / common[1]
        if isinstance(other, Real):
            (p, a), (q, b) = (x.scaled or (Fraction(1), x) for x in (self, other))
            if (multiple := a.multiple_of(b)) is not None:
                return p / q * multiple
        return _quotient(self, other)

    def multiple_of(self, other: Real) -> Fraction | None:
        """Return the rational q with self = q other, where the forms of both show it."""
        return None

    def __rtruediv__(self, other: object) -> Number:
        if self.scaled is not None and isinstance(other, (int, Fraction)):
            return Fraction(other) / self.scaled[0] / self.scaled[1]
        return _quotient(other, self)

    def __neg__(self) -> Number:
        return self * -1

    def __abs__(self) -> Number:
        return -self if self < 0 else self

    def __pow__(self, exponent: int) -> Number:
        """Return an integer power; even ones of a square root are exact."""
        if exponent in (0, 1):
            return self if exponent else Fraction(1)
        if self.radicand is not None and exponent % 2 == 0:
            return self.radicand ** (exponent // 2)
        text = f"{_wrapped(self, ATOM)}^{exponent}" if self.formula else None
        result = Real(lambda bits: self.ball(bits) ** exponent, text, PRODUCT)
        result.made = ("^", self, exponent)
        return result

    @property
    def power_of_e(self) -> Fraction | None:
        """The rational of which it is e to the power, where it is one."""
        return None

    def __lt__(self, other: object) -> bool:
        """Decide ``self < other`` or raise `Undecided`."""
        return _decided(self, other) is Order.LESS

    def __le__(self, other: object) -> bool:
        return _decided(self, other) is not Order.GREATER

    def __gt__(self, other: object) -> bool:
        return _decided(self, other) is Order.GREATER

    def __ge__(self, other: object) -> bool:
        return _decided(self, other) is not Order.LESS


Number = Fraction | Real


class _Infinity(Real):
    """Larger than every number: the ratio when an output is possible in one world only."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(lambda _bits: arb.pos_inf(), "inf")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Infinity)

    def __hash__(self) -> int:
        return hash("inf")

    def __float__(self) -> float:
        return float("inf")

    def __add__(self, other: object) -> Real:
        return self

    __radd__ = __add__

    def __mul__(self, other: object) -> Number:
        """Return infinity, but 0 for 0: an infinite ratio on no mass costs nothing."""
        if other == 0:
            return Fraction(0)
        if isinstance(other, _Infinity) or other > 0:  # type: ignore[operator]
            return self
        return super().__mul__(other)

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Number:
        return self if exponent > 0 else Fraction(exponent == 0)


INFINITY: Real = _Infinity()


def maximum(a: Number, b: Number) -> Number:
    """Return the larger of two numbers, or an enclosure of it when their order is not known.

    >>> maximum(Fraction(1, 3), Fraction(1, 2))
    Fraction(1, 2)
    """
    order = compare(a, b, limit=_START_BITS)
    if order is not Order.UNDECIDED:
        return b if order is Order.LESS else a
    if isinstance(a, Real) and isinstance(b, Real) and a.formula and a.formula == b.formula:
        return a  # the same number, and how its formula binds is kept
    found = Real(lambda bits: ball(a, bits).max(ball(b, bits)))
    if isinstance(a, Real) and isinstance(b, Real):
        found.floor = max((x.floor for x in (a, b) if x.floor is not None), default=None)
        if a.cap is not None and b.cap is not None:
            found.cap = max(a.cap, b.cap)
        if a.logarithm is not None and b.logarithm is not None:
            larger = maximum(a.logarithm, b.logarithm)
            found.logarithm = larger if isinstance(larger, Real) else None
    return found


def positive_part(x: Number) -> Number:
    """Return max(0, x) without having to decide the sign of an enclosure.

    >>> positive_part(Fraction(-1, 2))
    Fraction(0, 1)
    """
    if isinstance(x, Fraction):
        return max(x, Fraction(0))
    return Real(lambda bits: x.ball(bits).nonnegative_part(), floor=Fraction(0))


def at_most_one(x: Number) -> Number:
    """Return min(1, x): a probability, whose enclosure must not reach beyond 1.

    An enclosure that cannot be told from 1 stays an enclosure, with 1 as its upper end: it is not
    called exact.

    >>> at_most_one(Fraction(3, 2))
    Fraction(1, 1)
    """
    if not isinstance(x, Real):
        return min(x, Fraction(1))
    if compare(x, 1, limit=_START_BITS) is Order.GREATER:
        return Fraction(1)
    capped = Real(x.ball, x.formula, x._binding)
    capped.parts, capped.floor, capped.cap = x.parts, x.floor, Fraction(1)
    capped.complement, capped.made = x.complement, ("*", x, Fraction(1))
    return capped


def compare(a: object, b: object, *, limit: int = LIMIT_BITS) -> Order:
    """Order two numbers, doubling the precision until decided or ``limit`` bits are reached.

    >>> compare(Fraction(1, 3), Fraction(1, 2))
    <Order.LESS: 'less'>
    """
    if isinstance(a, Real) or isinstance(b, Real):
        return _compare_balls(a, b, limit)
    if a < b:  # type: ignore[operator]
        return Order.LESS
    return Order.GREATER if a > b else Order.EQUAL  # type: ignore[operator]


def _compare_balls(a: object, b: object, limit: int) -> Order:
    if a is b or a == b:
        return Order.EQUAL
    if a == INFINITY or b == INFINITY:
        return Order.GREATER if a == INFINITY else Order.LESS
    if common := _numerators(a, b):
        return compare(common[0], common[1], limit=limit)
    bits = _START_BITS
    while bits <= limit:
        left, right = ball(a, bits), ball(b, bits)
        if left < right:
            return Order.LESS
        if left > right:
            return Order.GREATER
        if bits == _START_BITS and _same_quotient(a, b):
            return Order.EQUAL
        bits *= 2
    return Order.UNDECIDED


def _same_quotient(a: object, b: object) -> bool:
    """Tell whether two numbers are known to be one quotient of sums of powers of e.

    Different rational powers of e are linearly independent over the rationals
    (Lindemann-Weierstrass), so two such quotients are equal just if, after clearing denominators,
    all coefficients agree.
    """
    first, second = _powers_of_e(a), _powers_of_e(b)
    if first is None or second is None:
        return False
    (top, bottom), (other, under) = first, second
    left, right = _multiplied(top, under), _multiplied(other, bottom)
    return left is not None and left == right


def _powers_of_e(x: Any, depth: int = 0) -> tuple[_Powers, _Powers] | None:
    """Return a numerator and a denominator as coefficients of powers of e, if x is made of such."""
    one = {Fraction(0): Fraction(1)}
    if not isinstance(x, Real):
        return _kept({Fraction(0): Fraction(x)}), one
    if x.power_of_e is not None:
        return {x.power_of_e: Fraction(1)}, one
    if x.made is None or depth > _DEEPEST:
        return None
    sign, a, b = x.made
    if sign == "^":
        sign, a, b = ("*", a, a ** (b - 1)) if b > 0 else ("/", Fraction(1), a**-b)
    left, right = _powers_of_e(a, depth + 1), _powers_of_e(b, depth + 1)
    if left is None or right is None:
        return None
    (top, bottom), (other, under) = left, right
    if sign == "/":
        other, under = under, other
    over = _multiplied(bottom, under)
    if sign in ("*", "/"):
        above = _multiplied(top, other)
    else:
        above = _added(
            _multiplied(top, under), _multiplied(other, bottom), -1 if sign == "-" else 1
        )
    return None if above is None or over is None else (above, over)


def _multiplied(a: _Powers, b: _Powers) -> _Powers | None:
    if len(a) * len(b) > _MOST_POWERS:
        return None
    found: _Powers = {}
    for p, x in a.items():
        for q, y in b.items():
            found[p + q] = found.get(p + q, Fraction(0)) + x * y
    return _kept(found)


def _added(a: _Powers | None, b: _Powers | None, sign: int) -> _Powers | None:
    if a is None or b is None:
        return None
    return _kept({p: a.get(p, Fraction(0)) + sign * b.get(p, Fraction(0)) for p in {*a, *b}})


def _kept(a: _Powers) -> _Powers:
    return {p: x for p, x in a.items() if x}


def _numerators(a: object, b: object) -> tuple[Number, Number, Number] | None:
    """Return both numerators and the denominator, if two reals are quotients over the same one."""
    if not isinstance(a, Real) or not isinstance(b, Real) or a.parts is None or b.parts is None:
        return None
    same = a.parts[1] is b.parts[1] or a.parts[1] == b.parts[1]
    return (a.parts[0], b.parts[0], a.parts[1]) if same else None


def _quotient(top: Any, bottom: Any) -> Number:
    """Return top / bottom and remember both, if the denominator is positive."""
    if top == 0:
        return Fraction(0)
    result = _combine(top, bottom, lambda a, b: a / b, "/", PRODUCT)
    if result is NotImplemented:
        return NotImplemented  # type: ignore[no-any-return]
    if isinstance(bottom, Real) and ball(bottom, _START_BITS) > 0:
        result.parts = (Fraction(top) if isinstance(top, int) else top, bottom)
    return result


def _decided(a: object, b: object) -> Order:
    order = compare(a, b)
    if order is Order.UNDECIDED:
        raise Undecided(
            f"{a!r} and {b!r} agree to {LIMIT_BITS} bits: their order is not known; "
            "give the inputs as exact numbers"
        )
    return order


_precision = RLock()


def _release_after_fork() -> None:
    """Let a child begin with a free lock: the thread that held the old one is not there."""
    global _precision
    _precision = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_after_fork)


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Compute balls with so many bits; python-flint's precision is one for all threads."""
    with _precision, ctx.workprec(bits):
        yield


def ball(x: Any, bits: int) -> arb:
    """Return a ball for any number at the given precision."""
    if isinstance(x, Real):
        return x.ball(bits)
    q = Fraction(x)
    with working_precision(bits):
        return arb(fmpq(q.numerator, q.denominator))


def _combine(a: object, b: object, op: Callable[[arb, arb], arb], sign: str, binding: int) -> Real:
    if not all(isinstance(x, (Real, int, Fraction)) for x in (a, b)):
        return NotImplemented  # type: ignore[no-any-return]
    right_binding = binding + 1 if sign in (" - ", "/") else binding
    left_binding = ATOM if sign == "/" and _ends_in_division(a) else binding
    left, right = _wrapped(a, left_binding), _wrapped(b, right_binding)
    text = f"{left}{sign}{right}" if left and right else None
    result = Real(lambda bits: op(ball(a, bits), ball(b, bits)), text, binding)
    result.made = (sign.strip(), a, b)
    return result


def _ends_in_division(x: Any) -> bool:
    """Tell whether a formula ends in a division, behind which no other may follow."""
    text = (x.formula or "") if isinstance(x, Real) else written(Fraction(x))
    while (bare := re.sub(r"\([^()]*\)", "", text)) != text:  # what is in parentheses is apart
        text = bare
    _, slash, last = text.rpartition("/")
    return bool(slash) and "*" not in last


def _wrapped(x: Any, binding: int) -> str | None:
    """Return the formula of a number, in parentheses when it binds less tightly than needed."""
    if isinstance(x, Real):
        text, own = x.formula, x._binding
    else:
        q = Fraction(x)
        text = written(q)
        own = ATOM if q >= 0 and q.denominator == 1 else PRODUCT if q > 0 else _SUM
    return text if text is None or own >= binding else f"({text})"


def written(q: Fraction) -> str:
    """Return a rational as text; one too long for any formula is named in brackets instead.

    (Python refuses to write out whole numbers of more than 4300 digits.)
    """
    bits = q.numerator.bit_length() + q.denominator.bit_length()
    return str(q) if bits <= 8 * _LONGEST_FORMULA else f"[a rational of {bits} bits]"
