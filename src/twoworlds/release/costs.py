r"""Privacy costs as exact numbers, pure epsilon, (epsilon, delta) and zCDP rho, and conversions.

Costs are rationals; an irrational one, such as ln 3, is rounded up to a decimal. Sums stay exact,
and are refused when they would grow without end.

Conversions between kinds of cost are rounded to the safe side.

The formulas, with their proofs, stand in `twoworlds.laws.renyi`: epsilon-DP implies (epsilon
tanh(epsilon / 2))-zCDP, and rho-zCDP implies (epsilon, delta) for pairs that depend on an order.
Here they are rounded to a decimal on the side that never overstates privacy.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.laws import renyi
from twoworlds.numbers import INFINITY, Number, Side, decimal, exact_text, number, show, to_json

_LONGEST_BITS = 512  # of one number; sums of longer ones would grow without need
_LONGEST_SUM_BITS = 1 << 16
_SMALL = 100  # numbers of a fraction that reads well


@dataclass(frozen=True)
class Cost:
    """What one release costs: (epsilon, delta), pure when delta is 0; or rho, for zCDP.

    >>> tenth = parse_cost("0.1")
    >>> str(tenth + tenth), str(parse_cost("rho=1/8"))
    ('epsilon=1/5', 'rho=1/8')
    """

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        for name in ("epsilon", "delta", "rho"):
            value = getattr(self, name)
            if not isinstance(value, Fraction):
                raise InvalidInput(
                    f"{name}={value!r} (type {type(value).__name__}) is not an exact number: "
                    "use parse_cost, or give a Fraction"
                )
            if value < 0:
                raise InvalidInput(f"{name}={show(value)} is negative: a cost is 0 or more")
        if self.delta > 1:
            raise InvalidInput(f"delta={show(self.delta)} is not a probability: it is at most 1")
        if self.rho and (self.epsilon or self.delta):
            raise InvalidInput(
                "a cost is either epsilon (with delta) or rho, not both: "
                "pay two costs, or compose them first"
            )

    @property
    def kind(self) -> str:
        """``pure``, ``approximate`` or ``zcdp``."""
        return "zcdp" if self.rho else "approximate" if self.delta else "pure"

    def __add__(self, other: Cost) -> Cost:
        """Return the sum of two costs of like kind: basic composition, or zCDP composition."""
        if not isinstance(other, Cost):
            return NotImplemented
        return Cost(self.epsilon + other.epsilon, self.delta + other.delta, self.rho + other.rho)

    def __str__(self) -> str:
        """Return the text that `parse_cost` reads back exactly."""
        if self.rho:
            return f"rho={exact_text(self.rho)}"
        tail = f", delta={exact_text(self.delta)}" if self.delta else ""
        return f"epsilon={exact_text(self.epsilon)}{tail}"

    def shown(self, side: Side = "about") -> str:
        """Return it for people.

        >>> parse_cost("epsilon=0.80, delta=1e-6").shown()
        'epsilon 0.8, delta 1e-6'
        """
        return ", ".join(f"{name} {amount(getattr(self, name), side)}" for name in self._names)

    def to_dict(self) -> dict[str, Any]:
        """Return exact numbers as JSON has them."""
        return {name: to_json(getattr(self, name)) for name in self._names}

    @property
    def _names(self) -> tuple[str, ...]:
        return ("rho",) if self.rho else ("epsilon", "delta") if self.delta else ("epsilon",)


def amount(x: Fraction, side: Side = "about") -> str:
    """Return a part of a cost for people: a decimal of few digits, a small fraction, or rounded.

    >>> [amount(Fraction(x)) for x in ("4/5", "1/3", "1/1000003")]
    ['0.8', '1/3', 'about 9.99998e-7']
    """
    short = decimal(x, 6, "about")
    small = max(x.numerator, x.denominator) <= _SMALL
    return str(x) if small and short.startswith("about") else decimal(x, 6, side)


def parse_cost(value: object) -> Cost:
    """Read a cost: ``0.1`` or ``epsilon=0.1``, ``epsilon=1, delta=1e-6``, ``rho=1/8``.

    >>> parse_cost("epsilon=1, delta=1e-6")
    Cost(epsilon=Fraction(1, 1), delta=Fraction(1, 1000000), rho=Fraction(0, 1))

    Raises:
        InvalidInput: for NaN, infinity, a negative or overlong number, or an unknown name.
    """
    if isinstance(value, Cost):
        return value
    return _cost_of_text(value) if isinstance(value, str) else _cost(value)


def _cost(value: object) -> Cost:
    return Cost(**read_numbers(value, ("epsilon", "delta", "rho"), "up"))


@lru_cache(maxsize=1024)
def _cost_of_text(text: str) -> Cost:
    """Read a cost once: a ledger holds few different ones, many times."""
    return _cost(text)


def read_numbers(value: object, names: tuple[str, ...], side: Side) -> dict[str, Fraction]:
    """Read ``name=number, ...`` with these names; a number alone is epsilon."""
    parts = value.split(",") if isinstance(value, str) else [value]
    found: dict[str, Fraction] = {}
    for part in parts:
        name, given = "epsilon", part
        if isinstance(part, str) and "=" in part:
            name, _, given = (piece.strip() for piece in part.partition("="))
        if name not in names:
            raise InvalidInput(f"a cost has no {name[:20]!r}: it has {', '.join(names)}")
        if name in found:
            if given is part:  # 1,5
                raise InvalidInput(
                    f"{str(value)[:40]!r} has a comma before a number without a name: write a "
                    "decimal with a point, such as 1.5, or name it, such as delta=1e-6"
                )
            raise InvalidInput(f"{name} is given twice: give it once")
        found[name] = read_number(given, name, side)
    if "epsilon" not in found and "rho" not in found:
        raise InvalidInput("a cost needs epsilon or rho: write epsilon=0.1, or rho=1/8")
    return found


def read_number(value: object, name: str, side: Side) -> Fraction:
    """Read one number of a cost; an irrational one is rounded to the side."""
    read = number(value, name)
    exact = None if read == INFINITY else rounded(read, side)
    if exact is None or exact > 1 << _LONGEST_BITS // 2:
        raise InvalidInput(f"{name} is far too large to protect anybody: give one such as 1")
    if _bits(exact) > _LONGEST_BITS:
        raise InvalidInput(
            f"{name} has {_bits(exact)} bits: at most {_LONGEST_BITS} are kept; round it up"
        )
    return exact


def kept(x: Fraction) -> Fraction:
    """Return a number as it is, or rounded up to a decimal where it is too long for a cost."""
    return x if _bits(x) <= _LONGEST_BITS else Fraction(decimal(x, DIGITS))


def exact_sum(a: Fraction, b: Fraction) -> Fraction:
    """Return a + b."""
    if not b:
        return a
    total = a + b
    if _bits(total) > _LONGEST_SUM_BITS:
        raise InvalidInput(
            "the sum of the costs has too many digits to be kept exactly: "
            "give costs with few different denominators, such as decimals"
        )
    return total


def _bits(x: Fraction) -> int:
    return x.numerator.bit_length() + x.denominator.bit_length()


DIGITS = 12
_FLAT, _STEEP = (
    Fraction(1, 10**6),
    30,
)  # beyond them tanh(x) is x, or 1, in all digits that are kept
_SMALLEST = Fraction(1, 10**1000)
_HALVINGS = 60


@lru_cache(maxsize=1024)
def pure_to_zcdp(epsilon: Fraction) -> Fraction:
    """Return the rho of epsilon-DP: epsilon tanh(epsilon / 2), rounded up, at most epsilon^2 / 2.

    >>> float(pure_to_zcdp(Fraction(1))), pure_to_zcdp(Fraction(1, 10**9))
    (0.462117157261, Fraction(1, 2000000000000000000))
    """
    _not_negative(epsilon=epsilon)
    half = epsilon / 2
    if epsilon < _FLAT:
        return epsilon * half
    if epsilon > _STEEP:
        return epsilon
    return min(epsilon * half, rounded(renyi.pure_rho(epsilon), "up"))


def pure_within(rho: Fraction) -> Fraction:
    """Return the largest epsilon with at most this rho, `pure_to_zcdp`, rounded down.

    >>> float(pure_within(Fraction(1, 8))), pure_within(Fraction(0))
    (0.505..., Fraction(0, 1))
    """
    _not_negative(rho=rho)
    low, high = Fraction(0), rho + 2  # tanh(x) > 1 - 1/x, so that the rho of this is larger
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if pure_to_zcdp(middle) <= rho else (low, middle)
    return Fraction(decimal(low, DIGITS, "down"))


def zcdp_to_delta(rho: Fraction, epsilon: Fraction) -> Fraction:
    """Return a delta, rounded up, such that rho-zCDP implies (epsilon, delta)-DP.

    >>> float(zcdp_to_delta(Fraction(1, 8), Fraction(3)))
    2.0014...e-09
    """
    _not_negative(rho=rho, epsilon=epsilon)
    if rho == 0:
        return Fraction(0)
    delta = rounded(renyi.zcdp_delta(rho, epsilon), "up")
    return min(Fraction(1), max(_SMALLEST, delta))


def zcdp_to_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """Return an epsilon, rounded up, such that rho-zCDP implies (epsilon, delta)-DP.

    >>> float(zcdp_to_epsilon(Fraction(1, 8), Fraction(1, 10**6)))
    2.4190...
    """
    _not_negative(rho=rho)
    _between(delta)
    if rho == 0:
        return Fraction(0)
    return max(Fraction(0), rounded(renyi.zcdp_epsilon(rho, delta), "up"))


def zcdp_within(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a large rho, rounded down, such that rho-zCDP implies (epsilon, delta)-DP.

    >>> float(zcdp_within(Fraction(1), Fraction(1, 10**6)))
    0.0243...
    """
    _not_negative(epsilon=epsilon)
    if delta == 0:
        return Fraction(0)
    _between(delta)
    return max(Fraction(0), rounded(renyi.zcdp_within(epsilon, delta), "down"))


def rounded(x: Number, side: Side) -> Fraction:
    """Return a rational as it is, and any other number as a decimal rounded to the given side.

    >>> from twoworlds.numbers import Real
    >>> rounded(Real.between(Fraction(1, 3), Fraction(1, 3)), "up")
    Fraction(166666666667, 500000000000)
    """
    return x if isinstance(x, Fraction) else Fraction(decimal(x, DIGITS, side))


def _not_negative(**numbers: Fraction) -> None:
    for name, value in numbers.items():
        if value < 0:
            raise InvalidInput(f"{name}={decimal(value)} may not be negative")


def _between(delta: Fraction) -> None:
    if not 0 < delta < 1:
        raise InvalidInput(
            f"delta={decimal(delta)}: zCDP gives an epsilon only for a delta between 0 and 1"
        )
