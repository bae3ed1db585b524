"""Reading formulas: ``2*ln 3``, ``1 - e^(-1/4)``, ``sqrt(3/2)``, the forms in which we print.

    sum     = product {("+" | "-") product}
    product = power {("*" | "/") power}
    power   = ["-"] atom ["^" power]
    atom    = number | "e" | "(" sum ")" | ("ln" | "exp" | "sqrt") ("(" sum ")" | number)

A number may stand right before a function or a parenthesis, as in ``2 ln 3``. Everything is
evaluated in exact arithmetic; a formula that mixes irrationals becomes a computable real.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from twoworlds.errors import InvalidInput
from twoworlds.numbers.named import exp, ln, power, sqrt
from twoworlds.numbers.real import Number

_TOKEN = re.compile(
    r"\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(ln|log|exp|sqrt|e)|([-+*/^()]))"
)
_FUNCTIONS: dict[str, Callable[[Number], Number]] = {"ln": ln, "log": ln, "exp": exp, "sqrt": sqrt}
_LONGEST, _DEEPEST, _LARGEST_POWER = 400, 20, 4000
_MOST_BITS = 1 << 18  # of a power of a rational: a few characters could ask for any number of them


def read_formula(text: str) -> Number:
    """Evaluate a formula exactly."""
    if len(text) > _LONGEST:
        raise InvalidInput(f"a formula of {len(text)} characters is too long to read")
    reader = _Reader(_tokens(text))
    result = reader.sum(0)
    if reader.tokens:
        raise InvalidInput(f"{reader.tokens[0]!r} is left over")
    return result


def _tokens(text: str) -> list[str]:
    found, position, body = [], 0, text.rstrip()
    while position < len(body):
        match = _TOKEN.match(body, position)
        if match is None:
            raise InvalidInput(f"{body[position:][:10]!r} is not part of a formula")
        found.append(next(part for part in match.groups() if part))
        position = match.end()
    return found


class _Reader:
    """A recursive descent over the tokens."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def _next(self, *wanted: str) -> str | None:
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in wanted else None

    def sum(self, depth: int) -> Number:
        if depth > _DEEPEST:
            raise InvalidInput("the formula is nested too deeply")
        total = self._product(depth)
        while sign := self._next("+", "-"):
            part = self._product(depth)
            total = total + part if sign == "+" else total - part
        return total

    def _product(self, depth: int) -> Number:
        total = self._power(depth)
        last = ""
        while True:
            if sign := self._next("*", "/"):
                if sign == last == "/":
                    raise InvalidInput("two divisions follow each other: use parentheses")
                last = sign
                factor = self._power(depth)
                if sign == "/" and factor == 0:
                    raise InvalidInput("it divides by zero")
                total = total * factor if sign == "*" else total / factor
            elif self._factor_follows():
                total = total * self._power(depth)
            else:
                return total

    def _factor_follows(self) -> bool:
        """Tell whether a factor stands right behind the last one, as in 2 ln 3 or 2 e^(1/2)."""
        if not self.tokens:
            return False
        return (
            self.tokens[0] in _FUNCTIONS or self.tokens[0] == "(" or self.tokens[:2] == ["e", "^"]
        )

    def _power(self, depth: int) -> Number:
        if self._next("-"):
            if self.tokens and self.tokens[0] == "-":
                raise InvalidInput("two signs follow each other")
            return -self._power(depth)
        is_e = bool(self.tokens) and self.tokens[0] == "e"
        base = self._atom(depth)
        if not self._next("^"):
            return base
        exponent = self._power(depth)
        if is_e:
            return exp(exponent)
        if not isinstance(exponent, Fraction) or abs(exponent) > _LARGEST_POWER or base <= 0:
            raise InvalidInput("powers need a positive base and a rational exponent")
        if isinstance(base, Fraction) and _bits(base) * abs(exponent) > _MOST_BITS:
            raise InvalidInput(f"a power of more than {_MOST_BITS:,} bits is not worked out")
        return power(base, exponent)

    def _atom(self, depth: int) -> Number:
        if not self.tokens:
            raise InvalidInput("it ends too early")
        token = self.tokens.pop(0)
        if token == "(":
            inner = self.sum(depth + 1)
            if not self._next(")"):
                raise InvalidInput("a parenthesis is not closed")
            return inner
        if token == "e":
            return exp(Fraction(1))
        if token in _FUNCTIONS:
            return _FUNCTIONS[token](self._argument(token, depth))
        if token[0] in "0123456789.":
            return _number(token)
        raise InvalidInput(f"{token!r} stands where a number should")

    def _argument(self, function: str, depth: int) -> Number:
        if self.tokens and self.tokens[0] != "(":
            if self.tokens[0] in _FUNCTIONS:
                raise InvalidInput(f"write {function}(...) around another function")
            argument = self._atom(depth)
            if self.tokens and self.tokens[0] in ("/", "^"):
                raise InvalidInput(
                    f"{function} without parentheses is ambiguous: write {function}(...)"
                )
            return argument
        return self._atom(depth)


def _bits(x: Fraction) -> int:
    return max(x.numerator.bit_length(), x.denominator.bit_length())


def _number(token: str) -> Fraction:
    exponent = re.split("[eE]", token)[1:]
    if exponent and abs(int(exponent[0])) > _LARGEST_POWER:
        raise InvalidInput(f"exponents beyond {_LARGEST_POWER} are not read")
    return Fraction(Decimal(token))
