"""Real numbers that are never guessed: exact rationals, named irrationals, computable reals.

A *number* is a ``fractions.Fraction`` (exact), or a `Real`: a formula together with an
algorithm that encloses the value in a ball of any wanted precision (python-flint's ``arb``).
`Log` and `Exp` are the two irrationals that privacy keeps meeting: epsilon = ln 3 belongs to the
exact ratio 3, and epsilon = 1/2 to the ratio e^(1/2). Both stay symbolic, so converting back
and forth loses nothing.

What must never change: a `Real` is compared by raising the precision until the balls are
disjoint; if they still overlap at the limit, `Undecided` is raised. Nothing here rounds to a
nearest float on the way to a decision.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from math import isqrt
from typing import Any

from flint import arb, ctx, fmpq

from twoworlds.errors import InvalidInput, Undecided

__all__ = [
    "INFINITY",
    "LIMIT_BITS",
    "Exp",
    "Log",
    "Number",
    "Order",
    "Real",
    "Root",
    "ball",
    "compare",
    "exp",
    "ln",
    "maximum",
    "positive_part",
    "power",
    "sqrt",
]

LIMIT_BITS = 4096
_START_BITS = 64
_LARGEST_EXPONENT = 100_000
_LONGEST_FORMULA = 60

# How tightly a formula binds, so that a composed one gets just the parentheses it needs.
_SUM, _PRODUCT, _ATOM = 0, 1, 2


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

    __slots__ = ("_binding", "_evaluate", "_known", "exponential", "formula")

    def __init__(
        self, evaluate: Callable[[int], arb], formula: str | None = None, binding: int = _ATOM
    ) -> None:
        """Wrap ``evaluate(bits)``, which must return a ball that holds the number."""
        self._evaluate = evaluate
        self.exponential: Real | None = None  # e to this number, where that is what it came from
        self._known: tuple[int, arb] | None = None
        whole = formula is not None and "[" not in formula  # see `_written`
        short = formula is not None and len(formula) <= _LONGEST_FORMULA
        self.formula = formula if whole and short else None
        self._binding = binding

    @classmethod
    def between(cls, low: Fraction, high: Fraction) -> Real:
        """Return a number of which only an enclosure is known, such as a float result."""
        middle, radius = (low + high) / 2, (high - low) / 2
        return cls(lambda bits: arb(ball(middle, bits), ball(radius, bits).upper()))

    def ball(self, bits: int) -> arb:
        """Return a ball that holds the number, computed with at least ``bits`` bits."""
        if self._known is None or self._known[0] < bits:
            with ctx.workprec(bits):
                self._known = (bits, self._evaluate(bits))
        return self._known[1]

    def __repr__(self) -> str:
        """Show the formula, or the ball."""
        return f"Real({self.formula or self.ball(_START_BITS)})"

    def __float__(self) -> float:
        """Return a nearby float; use `twoworlds.numbers.above` for a safe side."""
        return float(self.ball(2 * _START_BITS).mid())

    def __add__(self, other: object) -> Real:
        """Return the sum."""
        if other == 0:
            return self
        if isinstance(other, _Infinity):
            return other
        return _combine(self, other, lambda a, b: a + b, " + ", _SUM)

    __radd__ = __add__

    def __sub__(self, other: object) -> Real:
        """Return the difference."""
        if other == 0:
            return self
        return _combine(self, other, lambda a, b: a - b, " - ", _SUM)

    def __rsub__(self, other: object) -> Number:
        """Return the difference, reversed."""
        if other == 0:
            return -self
        return _combine(other, self, lambda a, b: a - b, " - ", _SUM)

    def __mul__(self, other: object) -> Number:
        """Return the product; zero times anything is the exact zero."""
        if isinstance(other, (int, Fraction)):
            if other == 0:
                return Fraction(0)
            if other == 1:
                return self
            return _combine(other, self, lambda a, b: a * b, "*", _PRODUCT)
        if isinstance(other, _Infinity):
            return other * self
        return _combine(self, other, lambda a, b: a * b, "*", _PRODUCT)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Number:
        """Return the quotient."""
        if isinstance(other, (int, Fraction)):
            return self * (1 / Fraction(other))
        return _combine(self, other, lambda a, b: a / b, "/", _PRODUCT)

    def __rtruediv__(self, other: object) -> Number:
        """Return the quotient, reversed."""
        if other == 0:
            return Fraction(0)
        return _combine(other, self, lambda a, b: a / b, "/", _PRODUCT)

    def __neg__(self) -> Number:
        """Return the number with its sign changed."""
        return self * -1

    def __abs__(self) -> Number:
        """Return the absolute value."""
        return -self if self < 0 else self

    def __pow__(self, exponent: int) -> Number:
        """Return an integer power."""
        if exponent in (0, 1):
            return self if exponent else Fraction(1)
        text = f"{_wrapped(self, _ATOM)}^{exponent}" if self.formula else None
        return Real(lambda bits: self.ball(bits) ** exponent, text, _PRODUCT)

    def __lt__(self, other: object) -> bool:
        """Decide ``self < other`` or raise `Undecided`."""
        return _decided(self, other) is Order.LESS

    def __le__(self, other: object) -> bool:
        """Decide ``self <= other`` or raise `Undecided`."""
        return _decided(self, other) is not Order.GREATER

    def __gt__(self, other: object) -> bool:
        """Decide ``self > other`` or raise `Undecided`."""
        return _decided(self, other) is Order.GREATER

    def __ge__(self, other: object) -> bool:
        """Decide ``self >= other`` or raise `Undecided`."""
        return _decided(self, other) is not Order.LESS


Number = Fraction | Real


class Log(Real):
    """The natural logarithm of a positive rational other than 1."""

    __slots__ = ("of",)

    def __init__(self, of: Fraction, formula: str | None = None) -> None:
        """Name ln(of), by a shorter formula if there is one; `ln` also knows ln 1 = 0."""
        self.of = of
        plain = f"ln {_written(of)}" if of.denominator == 1 else f"ln({_written(of)})"
        super().__init__(lambda bits: ball(of, bits).log(), formula or plain, _PRODUCT)

    def __eq__(self, other: object) -> bool:
        """Two logarithms are equal when their arguments are."""
        return isinstance(other, Log) and self.of == other.of

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash(("ln", self.of))

    def __mul__(self, other: object) -> Number:
        """Return n ln q as ln q^n for whole n; anything else stays a product."""
        whole = isinstance(other, (int, Fraction)) and Fraction(other).denominator == 1
        if not whole or abs(other) > LIMIT_BITS:  # type: ignore[operator]
            return super().__mul__(other)
        result = ln(self.of ** int(other))  # type: ignore[call-overload]
        if isinstance(result, Log) and result.formula is None and self.formula:
            return Log(result.of, f"{other}*{self.formula}")
        return result

    __rmul__ = __mul__

    def __add__(self, other: object) -> Number:  # type: ignore[override]
        """Return ln p + ln q as ln pq."""
        return ln(self.of * other.of) if isinstance(other, Log) else super().__add__(other)

    def __sub__(self, other: object) -> Number:  # type: ignore[override]
        """Return ln p - ln q as ln p/q."""
        return ln(self.of / other.of) if isinstance(other, Log) else super().__sub__(other)


class Exp(Real):
    """e to the power of a rational other than 0."""

    __slots__ = ("of",)

    def __init__(self, of: Fraction) -> None:
        """Name e^of; use `exp`, which also knows e^0 = 1."""
        self.of = of
        plain = of.denominator == 1 and of > 0
        power = _written(of) if plain else f"({_written(of)})"
        text = "e" if of == 1 else f"e^{power}"
        super().__init__(lambda bits: ball(of, bits).exp(), text)

    def __eq__(self, other: object) -> bool:
        """Two powers of e are equal when their exponents are."""
        return isinstance(other, Exp) and self.of == other.of

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash(("exp", self.of))

    def __mul__(self, other: object) -> Number:
        """Return e^p e^q as e^(p+q)."""
        return exp(self.of + other.of) if isinstance(other, Exp) else super().__mul__(other)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Number:
        """Return e^p / e^q as e^(p-q)."""
        return exp(self.of - other.of) if isinstance(other, Exp) else super().__truediv__(other)

    def __rtruediv__(self, other: object) -> Number:
        """Return c / e^q as c e^(-q)."""
        return other * Exp(-self.of)

    def __pow__(self, exponent: int) -> Number:
        """Return (e^q)^n as e^(qn)."""
        return exp(self.of * exponent)


class Root(Real):
    """A rational power of a positive rational, such as 2^(1/3), kept symbolic."""

    __slots__ = ("base", "exponent")

    def __init__(self, base: Fraction, exponent: Fraction) -> None:
        """Name base^exponent; use `power`, which knows when the result is rational."""
        self.base, self.exponent = base, exponent
        shown = _written(base) if base.denominator == 1 else f"({_written(base)})"
        super().__init__(
            lambda bits: (ball(base, bits).log() * ball(exponent, bits)).exp(),
            f"{shown}^({exponent})",
        )

    def __eq__(self, other: object) -> bool:
        """Two powers are equal when base and exponent are."""
        return isinstance(other, Root) and (self.base, self.exponent) == (
            other.base,
            other.exponent,
        )

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash(("root", self.base, self.exponent))

    def __mul__(self, other: object) -> Number:
        """Return b^p b^q as b^(p+q)."""
        if isinstance(other, Root) and other.base == self.base:
            return power(self.base, self.exponent + other.exponent)
        return super().__mul__(other)

    __rmul__ = __mul__

    def __rtruediv__(self, other: object) -> Number:
        """Return c / b^q as c b^(-q)."""
        return other * Root(self.base, -self.exponent)

    def __pow__(self, exponent: int) -> Number:
        """Return (b^q)^n as b^(qn)."""
        return power(self.base, self.exponent * exponent)


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
        return self if other > 0 else super().__mul__(other)  # type: ignore[operator]

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Number:
        return self if exponent > 0 else Fraction(exponent == 0)


INFINITY: Real = _Infinity()


def ln(x: Number) -> Number:
    """Return the natural logarithm, symbolically where possible.

    >>> ln(Fraction(1)), ln(exp(Fraction(1, 2)))
    (Fraction(0, 1), Fraction(1, 2))
    """
    if isinstance(x, Fraction):
        if x <= 0:
            raise InvalidInput(f"ln({_written(x)}): a logarithm needs an argument above 0")
        return Fraction(0) if x == 1 else Log(x)
    if isinstance(x, Exp):
        return x.of
    if x == INFINITY:
        return INFINITY
    text = f"ln({x.formula})" if x.formula else None
    result = Real(lambda bits: x.ball(bits).log(), text, _PRODUCT)
    result.exponential = x
    return result


def exp(x: Number) -> Number:
    """Return e^x, symbolically where possible.

    >>> exp(ln(Fraction(3))), exp(Fraction(0))
    (Fraction(3, 1), Fraction(1, 1))
    """
    if isinstance(x, Fraction):
        if x > _LARGEST_EXPONENT:
            raise InvalidInput(
                f"e^({_written(x)}) is out of range: exponents up to {_LARGEST_EXPONENT} are "
                "kept; use inf"
            )
        return Fraction(1) if x == 0 else Exp(x)
    if isinstance(x, Log):
        return x.of
    if x.exponential is not None:
        return x.exponential
    if x == INFINITY:
        return INFINITY
    text = f"e^({x.formula})" if x.formula else None
    return Real(lambda bits: x.ball(bits).exp(), text, _PRODUCT)


def power(base: Number, exponent: Fraction) -> Number:
    """Return base^exponent for a positive base, symbolically where possible.

    >>> power(Fraction(8), Fraction(1, 3)) ** 3, power(exp(Fraction(1)), Fraction(1, 2))
    (Fraction(8, 1), Real(e^(1/2)))
    """
    if isinstance(base, Exp):
        return exp(base.of * exponent)
    if exponent.denominator == 1:
        return base ** int(exponent)
    if isinstance(base, Root):
        return power(base.base, base.exponent * exponent)
    if isinstance(base, Fraction):
        return Fraction(1) if base == 1 else Root(base, exponent)
    return exp(ln(base) * exponent)


def sqrt(x: Number) -> Number:
    """Return the square root, exact for squares of rationals and for powers of e.

    >>> sqrt(Fraction(9, 4)), sqrt(exp(Fraction(1)))
    (Fraction(3, 2), Real(e^(1/2)))
    """
    if isinstance(x, Fraction):
        if x < 0:
            raise InvalidInput(f"sqrt({_written(x)}): a square root needs at least 0")
        top, bottom = isqrt(x.numerator), isqrt(x.denominator)
        if top * top == x.numerator and bottom * bottom == x.denominator:
            return Fraction(top, bottom)
        return Real(lambda bits: ball(x, bits).sqrt(), f"sqrt({_written(x)})")
    if isinstance(x, Exp):
        return Exp(x.of / 2)
    if x == INFINITY:
        return INFINITY
    text = f"sqrt({x.formula})" if x.formula else None
    return Real(lambda bits: x.ball(bits).sqrt(), text)


def maximum(a: Number, b: Number) -> Number:
    """Return the larger of two numbers, or an enclosure of it when their order is not known.

    >>> maximum(Fraction(1, 3), Fraction(1, 2))
    Fraction(1, 2)
    """
    order = compare(a, b, limit=_START_BITS)
    if order is not Order.UNDECIDED:
        return b if order is Order.LESS else a
    text = (
        a.formula
        if isinstance(a, Real) and isinstance(b, Real) and a.formula == b.formula
        else None
    )
    return Real(lambda bits: ball(a, bits).max(ball(b, bits)), text)


def positive_part(x: Number) -> Number:
    """Return max(0, x) without having to decide the sign of an enclosure.

    >>> positive_part(Fraction(-1, 2))
    Fraction(0, 1)
    """
    if isinstance(x, Fraction):
        return max(x, Fraction(0))
    return Real(lambda bits: x.ball(bits).nonnegative_part())


def compare(a: object, b: object, *, limit: int = LIMIT_BITS) -> Order:
    """Order two numbers, doubling the precision until decided or ``limit`` bits are reached.

    >>> compare(ln(Fraction(3)), Fraction(11, 10))
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
    bits = _START_BITS
    while bits <= limit:
        left, right = ball(a, bits), ball(b, bits)
        if left < right:
            return Order.LESS
        if left > right:
            return Order.GREATER
        bits *= 2
    return Order.UNDECIDED


def _decided(a: object, b: object) -> Order:
    order = compare(a, b)
    if order is Order.UNDECIDED:
        raise Undecided(
            f"{a!r} and {b!r} agree to {LIMIT_BITS} bits: their order is not known; "
            "give the inputs as exact numbers"
        )
    return order


def ball(x: Any, bits: int) -> arb:
    """Return a ball for any number at the given precision."""
    if isinstance(x, Real):
        return x.ball(bits)
    q = Fraction(x)
    with ctx.workprec(bits):
        return arb(fmpq(q.numerator, q.denominator))


def _combine(a: object, b: object, op: Callable[[arb, arb], arb], sign: str, binding: int) -> Real:
    if not all(isinstance(x, (Real, int, Fraction)) for x in (a, b)):
        return NotImplemented  # type: ignore[no-any-return]
    right_binding = binding + 1 if sign in (" - ", "/") else binding
    left, right = _wrapped(a, binding), _wrapped(b, right_binding)
    text = f"{left}{sign}{right}" if left and right else None
    return Real(lambda bits: op(ball(a, bits), ball(b, bits)), text, binding)


def _wrapped(x: Any, binding: int) -> str | None:
    """Return the formula of a number, in parentheses when it binds less tightly than needed."""
    if isinstance(x, Real):
        text, own = x.formula, x._binding
    else:
        q = Fraction(x)
        text = _written(q)
        own = _ATOM if q >= 0 and q.denominator == 1 else _PRODUCT if q > 0 else _SUM
    return text if text is None or own >= binding else f"({text})"


def _written(q: Fraction) -> str:
    """Return a rational as text; one too long for any formula is named in brackets instead.

    (Python refuses to write out whole numbers of more than 4300 digits.)
    """
    bits = q.numerator.bit_length() + q.denominator.bit_length()
    return str(q) if bits <= 8 * _LONGEST_FORMULA else f"[a rational of {bits} bits]"
