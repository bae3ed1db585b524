"""The irrationals that privacy keeps meeting, symbolically: ln q, e^q, roots, square roots.

epsilon = ln 3 belongs to the exact ratio 3, and epsilon = 1/2 to the ratio e^(1/2). Both stay
symbolic, so converting back and forth loses nothing; sums of logarithms and products of powers
are collected, and everything else falls back on `Real`.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt, log
from typing import Any

from flint import fmpz

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers.real import INFINITY, LIMIT_BITS, PRODUCT, Number, Real, ball, written

_LARGEST_EXPONENT = 100_000
_MOST_BITS = 1 << 22
_LARGEST_ROOT = 64  # up to which p^m = q^n is tried,
_CLOSE = 1e-12  # where n/m is so near to the quotient of the logarithms


class Log(Real):
    """The natural logarithm of a positive rational other than 1."""

    __slots__ = ("of",)

    def __init__(self, of: Fraction, formula: str | None = None) -> None:
        """Name ln(of), by a shorter formula if there is one; `ln` also knows ln 1 = 0."""
        self.of = of
        plain = f"ln {written(of)}" if of.denominator == 1 else f"ln({written(of)})"
        super().__init__(lambda bits: ball(of, bits).log(), formula or plain, PRODUCT)

    def __eq__(self, other: object) -> bool:
        """Two logarithms are equal when their arguments are."""
        return isinstance(other, Log) and self.of == other.of

    def __hash__(self) -> int:
        return hash(("ln", self.of))

    def __mul__(self, other: Any) -> Number:
        """Return n ln q as ln q^n for whole n; anything else stays a product."""
        whole = isinstance(other, (int, Fraction)) and Fraction(other).denominator == 1
        if not whole or abs(other) > LIMIT_BITS:
            return super().__mul__(other)
        result = ln(self.of ** int(other))
        if isinstance(result, Log) and result.formula is None and self.formula:
            return Log(result.of, f"{other}*{self.formula}")
        return result

    __rmul__ = __mul__

    def __add__(self, other: object) -> Number:  # type: ignore[override]
        """Return ln p + ln q as ln pq."""
        return ln(self.of * other.of) if isinstance(other, Log) else super().__add__(other)

    def __sub__(self, other: object) -> Number:
        """Return ln p - ln q as ln p/q."""
        return ln(self.of / other.of) if isinstance(other, Log) else super().__sub__(other)

    def multiple_of(self, other: Real) -> Fraction | None:
        """Return n/m where p^m = q^n, for ln p and ln q.

        >>> ln(Fraction(8)) / 2 / ln(Fraction(1, 4))
        Fraction(-3, 4)
        """
        if not isinstance(other, Log):
            return None
        near = (self.ball(128) / other.ball(128)).mid()
        if not abs(near) <= _LARGEST_ROOT:
            return None
        found = Fraction(float(near)).limit_denominator(_LARGEST_ROOT)
        n, m = found.numerator, found.denominator
        close = abs(float(near) - found) < _CLOSE
        return found if close and self.of**m == other.of**n else None


class Exp(Real):
    """e to the power of a rational other than 0."""

    __slots__ = ("of",)

    def __init__(self, of: Fraction) -> None:
        """Name e^of; use `exp`, which also knows e^0 = 1."""
        self.of = of
        plain = of.denominator == 1 and of > 0
        power = written(of) if plain else f"({written(of)})"
        text = "e" if of == 1 else f"e^{power}"
        super().__init__(lambda bits: ball(of, bits).exp(), text)

    @property
    def power_of_e(self) -> Fraction:
        return self.of

    def __eq__(self, other: object) -> bool:
        """Two powers of e are equal when their exponents are."""
        return isinstance(other, Exp) and self.of == other.of

    def __hash__(self) -> int:
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
        shown = written(base) if base.denominator == 1 else f"({written(base)})"
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


def ln(x: Number) -> Number:
    """Return the natural logarithm, symbolically where possible.

    >>> ln(Fraction(1)), ln(exp(Fraction(1, 2)))
    (Fraction(0, 1), Fraction(1, 2))
    """
    if isinstance(x, Fraction):
        if x <= 0:
            raise InvalidInput(f"ln({written(x)}): a logarithm needs an argument above 0")
        return Fraction(0) if x == 1 else Log(x)
    if isinstance(x, Exp):
        return x.of
    if x == INFINITY:
        return INFINITY
    if x.logarithm is not None:
        return x.logarithm
    text = f"ln({x.formula})" if x.formula else None
    result = Real(lambda bits: x.ball(bits).log(), text, PRODUCT)
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
                f"e^({written(x)}) is too large: exponents up to {_LARGEST_EXPONENT:,} are "
                "computed, and an epsilon far below that protects nobody in practice"
            )
        return Fraction(1) if x == 0 else Exp(x)
    if isinstance(x, Log):
        return x.of
    if x.exponential is not None:
        return x.exponential
    if x == INFINITY:
        return INFINITY
    text = f"e^({x.formula})" if x.formula else None
    result = Real(lambda bits: x.ball(bits).exp(), text, PRODUCT)
    result.logarithm = x
    return result


def power(base: Number, exponent: Fraction | int) -> Number:
    """Return base^exponent for a positive base, symbolically where possible.

    >>> power(Fraction(8), Fraction(1, 3)) ** 3, power(exp(Fraction(1)), Fraction(1, 2))
    (Fraction(8, 1), Real(e^(1/2)))
    """
    if isinstance(base, Exp):
        return exp(base.of * exponent)
    if isinstance(base, Fraction):
        long = max(base.numerator.bit_length(), base.denominator.bit_length())
        if base != 1 and abs(exponent.numerator) * long > _MOST_BITS * exponent.denominator:
            raise TooLarge(
                "a power of a rational has millions of digits here: use smaller numbers, such as "
                "an output nearer to the answer or a ratio nearer to 1"
            )
    if exponent.denominator == 1:
        return base ** int(exponent)
    if isinstance(base, Root):
        return power(base.base, base.exponent * exponent)
    if isinstance(base, Fraction):
        root = _rational_root(base, exponent.denominator)
        if root is not None:
            return root**exponent.numerator
        return Root(base, Fraction(exponent))
    return exp(ln(base) * exponent)


def _rational_root(base: Fraction, n: int) -> Fraction | None:
    """Return the n-th root of a positive rational where it is rational."""
    if n >= max(base.numerator.bit_length(), base.denominator.bit_length()):
        return Fraction(1) if base == 1 else None  # 2^n is larger than both
    parts = [int(fmpz(part).root(n)) for part in (base.numerator, base.denominator)]
    root = Fraction(parts[0], parts[1])
    return root if root**n == base else None


def sqrt(x: Number) -> Number:
    """Return the square root, exact for squares of rationals and for powers of e.

    >>> sqrt(Fraction(9, 4)), sqrt(exp(Fraction(1))), sqrt(Fraction(3, 4)) ** 2
    (Fraction(3, 2), Real(e^(1/2)), Fraction(3, 4))
    """
    if isinstance(x, Fraction):
        if x < 0:
            raise InvalidInput(f"sqrt({written(x)}): a square root needs at least 0")
        top, bottom = isqrt(x.numerator), isqrt(x.denominator)
        if top * top == x.numerator and bottom * bottom == x.denominator:
            return Fraction(top, bottom)
        return _root_of(x, f"sqrt({written(x)})")
    if isinstance(x, Exp):
        return Exp(x.of / 2)
    if x == INFINITY:
        return INFINITY
    return _root_of(x, f"sqrt({x.formula})" if x.formula else None)


def rough_log(x: Fraction) -> float:
    """Return ln x as a float, also where x itself is too large or too small for one."""
    return log(x.numerator) - log(x.denominator)


def _root_of(x: Number, text: str | None) -> Real:
    root = Real(lambda bits: ball(x, bits).sqrt(), text)
    root.radicand = x
    return root
