r"""Privacy costs and caps as exact numbers: pure epsilon, (epsilon, delta), zCDP rho.

Ten costs of 0.1 fill a cap of 1 exactly, and an eleventh of any size does not fit. Costs are
rationals; an irrational one, such as ln 3, is rounded up to a decimal, an irrational cap down.

What was spent is four sums over the costs paid so far, and nothing else need be kept:

    E  the epsilons of pure and approximate costs      D  their deltas
    R  the rhos of zCDP costs                          T  R plus the sum of epsilon^2 / 2

A cap is a *filter*: analysts choose each next query, and its cost, after they saw earlier answers.
Then composition theorems whose costs are fixed beforehand do not apply (Rogers, Roth, Ullman &
Vadhan 2016): whoever picks epsilon 1 or 3/10 by what was seen so far, and stops before optimal
composition exceeds (3/2, 0.05), gets 0.064 (a test of `twoworlds.release.composition` finds it).
Nor may one take whichever bound is smaller at the end. These rules hold for every adaptive choice:

    cap epsilon           D = 0, R = 0, E <= epsilon                        basic composition
    cap rho               D = 0, T <= rho                                   zCDP composition
    cap (epsilon, delta)  D <= delta - tail, and one of
                              R = 0, E <= epsilon                           basic composition
                              T <= rho*, where rho*-zCDP implies (epsilon, tail)-DP     zCDP

where `tail` is the part of delta that the owner of the data sets aside, once, for the tail of the
privacy loss. With tail = 0 (the default) deltas may add up to delta and only basic composition is
used; with tail > 0 many small costs fit, and zCDP costs fit at all.

Proof of the last rule. Each approximate cost is a post-processing of randomized response at its
epsilon that leaks the record with probability delta_i (Kairouz, Oh & Viswanath 2015); leaks have
probability at most delta - tail in all. Without leaks, stop the process when T would exceed rho*:
e^((alpha - 1)(L - alpha T)) is a supermartingale, so the stopped loss L has
E[e^((alpha - 1) L)] <= e^((alpha - 1) alpha rho*), which is all that the conversion to
(epsilon, tail) uses (`twoworlds.release.conversions`). What goes on after that has E <= epsilon,
so its loss is at most epsilon on every path and adds nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.numbers import INFINITY, Side, decimal, exact_text, number, rational, show, to_json
from twoworlds.release.conversions import (
    pure_to_zcdp,
    rounded,
    zcdp_to_delta,
    zcdp_to_epsilon,
    zcdp_within,
)

__all__ = ["BASIC", "CONCENTRATED", "Cap", "Cost", "Spent", "parse_cap", "parse_cost", "read_cap"]

BASIC = "basic composition"
CONCENTRATED = "zCDP composition"
_LONGEST_BITS = 512  # of one number; sums of longer ones would grow without need
_LIMIT_DIGITS = 6  # well inside the precision of the bound, so that any machine can check it
_LONGEST_SUM_BITS = 1 << 16


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
        """Refuse what is no cost."""
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
            raise InvalidInput(f"delta={show(self.delta)} is no probability: it is at most 1")
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

    def shown(self, side: Side = "up") -> str:
        """Return it in decimals of six digits, for people.

        >>> parse_cost("epsilon=1/3, delta=1e-6").shown()
        'epsilon 0.333334, delta 0.000001'
        """
        return ", ".join(f"{name} {decimal(getattr(self, name), 6, side)}" for name in self._names)

    def to_dict(self) -> dict[str, Any]:
        """Return exact numbers as JSON has them."""
        return {name: to_json(getattr(self, name)) for name in self._names}

    @property
    def _names(self) -> tuple[str, ...]:
        return ("rho",) if self.rho else ("epsilon", "delta") if self.delta else ("epsilon",)


@dataclass(frozen=True)
class Spent:
    """The four sums of all costs paid so far (the legend is at the top of the module)."""

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    concentrated: Fraction = Fraction(0)

    def plus(self, cost: Cost) -> Spent:
        """Return the sums after one more cost."""
        return Spent(
            _sum(self.epsilon, cost.epsilon),
            _sum(self.delta, cost.delta),
            _sum(self.rho, cost.rho),
            _sum(self.concentrated, cost.rho or pure_to_zcdp(cost.epsilon)),
        )


@dataclass(frozen=True)
class Cap:
    """The most that may be spent, with the part of delta that is set aside for the tail.

    >>> cap, spent = parse_cap("epsilon=1"), Spent()
    >>> for _ in range(10):
    ...     spent = spent.plus(parse_cost("0.1"))
    >>> cap.rule(spent), cap.rule(spent.plus(parse_cost("1e-30")))
    ('basic composition', None)
    """

    most: Cost
    tail: Fraction = Fraction(0)
    limit: Fraction | None = field(default=None, compare=False)  # see `read_cap`

    def __post_init__(self) -> None:
        """Refuse a tail that the cap has no room for."""
        if not 0 <= self.tail <= self.most.delta:
            raise InvalidInput(
                f"tail={show(self.tail)} must lie between 0 and delta={show(self.most.delta)}: "
                "it is the part of delta set aside for zCDP composition"
            )
        if self.tail == 1 or self.most.delta == 1:
            raise InvalidInput("a cap with delta=1 promises nothing: give a delta below 1")

    @cached_property
    def concentrated(self) -> Fraction:
        """The largest T: rho itself, or rho* for (epsilon, tail)."""
        if self.limit is not None:
            return self.limit
        if self.most.kind == "zcdp":
            return self.most.rho
        limit = zcdp_within(self.most.epsilon, self.tail)
        return Fraction(decimal(limit, _LIMIT_DIGITS, "down"))

    def stored(self) -> dict[str, str]:
        """Return the cap as text, with the largest T, which `read_cap` reads."""
        return {"cap": str(self), "concentrated": str(exact_text(self.concentrated))}

    def rule(self, spent: Spent) -> str | None:
        """Return the rule by which what was spent lies within the cap, or None if none does."""
        if spent.delta > self.most.delta - self.tail:
            return None
        if not spent.rho and self.most.kind != "zcdp" and spent.epsilon <= self.most.epsilon:
            return BASIC
        return CONCENTRATED if spent.concentrated <= self.concentrated else None

    def used(self, spent: Spent) -> tuple[Cost, str]:
        """Return what was spent in the cap's own kind of cost, by the tighter rule, and its name.

        For a cap (epsilon, delta) this is a reading, not a promise: the promise is the cap.
        """
        if self.most.kind == "zcdp":
            return Cost(rho=spent.concentrated), CONCENTRATED
        basic = Cost(spent.epsilon, spent.delta)
        if not self.tail or not spent.concentrated:
            return basic, BASIC
        epsilon = zcdp_to_epsilon(spent.concentrated, self.tail)
        if not spent.rho and spent.epsilon <= epsilon:
            return basic, BASIC
        return Cost(epsilon, spent.delta + self.tail), CONCENTRATED

    def left(self, spent: Spent) -> Cost:
        """Return a cost that still fits (more of smaller ones may), 0 when nothing does."""
        none = Fraction(0)
        if self.most.kind == "zcdp":
            return Cost(rho=max(none, self.most.rho - spent.concentrated))
        delta = max(none, self.most.delta - self.tail - spent.delta)
        basic = none if spent.rho else self.most.epsilon - spent.epsilon
        if basic > 0 or not self.tail:
            return Cost(max(none, basic), delta)
        return Cost(rho=max(none, self.concentrated - spent.concentrated))

    def why_not(self, spent: Spent, cost: Cost) -> str:
        """Say why a further cost does not fit, and what would."""
        if cost.delta and self.most.kind != "approximate":
            return f"the cap {self} has no delta, so no cost with a delta ever fits"
        if cost.rho and self.most.kind == "pure":
            return f"the cap {self} is pure, so no zCDP cost ever fits"
        if cost.rho and self.most.kind == "approximate" and not self.tail:
            return (
                f"the cap {self} sets no tail aside: give it one, as in tail={self.most.delta / 2}"
            )
        used, rule = self.used(spent)
        return f"spent {used} by {rule}, the cap is {self}, at most {self.left(spent)} is left"

    def __str__(self) -> str:
        """Return the text that `parse_cap` reads back exactly."""
        return f"{self.most}, tail={exact_text(self.tail)}" if self.tail else str(self.most)


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
    return Cost(**_read(value, ("epsilon", "delta", "rho"), "up"))


@lru_cache(maxsize=1024)
def _cost_of_text(text: str) -> Cost:
    """Read a cost once: a ledger holds few different ones, many times."""
    return _cost(text)


def parse_cap(value: object) -> Cap:
    """Read a cap: as a cost, and ``tail=`` the part of delta kept for zCDP composition.

    >>> str(parse_cap("epsilon=1, delta=1e-6, tail=5e-7"))
    'epsilon=1, delta=1/1000000, tail=1/2000000'
    """
    if isinstance(value, (Cap, Cost)):
        return value if isinstance(value, Cap) else Cap(value)
    numbers = _read(value, ("epsilon", "delta", "rho", "tail"), "down")
    tail = numbers.pop("tail", Fraction(0))
    return Cap(Cost(**numbers), tail)


def read_cap(stored: Mapping[str, str]) -> Cap:
    """Read a stored cap with its largest T, which is checked and kept.

    It is an irrational number rounded down. Were it computed anew elsewhere, the last digit might
    differ, and a charge that fitted would not fit any more.
    """
    cap, limit = parse_cap(stored["cap"]), rational(stored["concentrated"], "concentrated")
    if cap.most.kind == "zcdp" or not cap.tail:
        sound = limit == cap.concentrated
    else:
        sound = limit >= 0 and zcdp_to_delta(limit, cap.most.epsilon) <= cap.tail
    if not sound:
        raise InvalidInput(f"concentrated={show(limit)} is more than the cap {cap} allows")
    return Cap(cap.most, cap.tail, limit)


def _read(value: object, names: tuple[str, ...], side: Side) -> dict[str, Fraction]:
    parts = value.split(",") if isinstance(value, str) else [value]
    found: dict[str, Fraction] = {}
    for part in parts:
        name, given = "epsilon", part
        if isinstance(part, str) and "=" in part:
            name, _, given = (piece.strip() for piece in part.partition("="))
        if name not in names:
            raise InvalidInput(f"a cost has no {name[:20]!r}: it has {', '.join(names)}")
        if name in found:
            raise InvalidInput(f"{name} is given twice: give it once")
        found[name] = _exact(given, name, side)
    if "epsilon" not in found and "rho" not in found:
        raise InvalidInput("a cost needs epsilon or rho: write epsilon=0.1, or rho=1/8")
    return found


def _exact(value: object, name: str, side: Side) -> Fraction:
    read = number(value, name)
    if read == INFINITY:
        raise InvalidInput(f"{name} is infinite: a cost is a finite number")
    exact = rounded(read, side)
    if _bits(exact) > _LONGEST_BITS:
        raise InvalidInput(
            f"{name} has {_bits(exact)} bits: at most {_LONGEST_BITS} are kept; round it up"
        )
    return exact


def _sum(a: Fraction, b: Fraction) -> Fraction:
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
