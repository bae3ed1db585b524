r"""Spots: pieces of the values of a column that nothing in a batch of queries tells apart.

Numbers and dates are cut at every constant, key and edge: the spots are these points and the open
gaps between them. Texts and truth values have the points and, for texts, any other text. What is
missing (NULL, NaN) is a spot of its own. The bounds of a policy are no limit: they clamp values,
they do not keep them out of the data. A column of integers has nothing in a gap such as (3, 4);
dates are treated like numbers, since a database may keep a time of day with them.

`span` gives the whole numbers v = round(x / unit) of a spot. Engines round halves differently and
divide with an error, so a value within a relative 2^-40 of a half counts as rounded either way.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Literal

from twoworlds.release.policy.model import ColumnKind
from twoworlds.release.query.conditions import Compare, Missing, OneOf
from twoworlds.release.query.measures import Axis
from twoworlds.release.sensitivity import rules
from twoworlds.release.sensitivity.rules import Rule
from twoworlds.release.values import Value

__all__ = [
    "Label",
    "Place",
    "Spot",
    "comparisons",
    "constants",
    "holds",
    "labels",
    "place",
    "span",
    "spots",
]

Place = Fraction | str | bool
Label = tuple[object, ...] | None  # the group of an axis; None when the row is in none
_HALF = Fraction(1, 2)
_NEAR = 40


@dataclass(frozen=True)
class Spot:
    """A point, an open gap between two places (None: no end), any other text, or a missing value.

    A gap has ``low`` and ``high``; a point has both equal.
    """

    kind: Literal["point", "gap", "other", "missing"]
    low: Place | None = None
    high: Place | None = None


MISSING = Spot("missing")


def place(value: Value) -> Place:
    """Return a constant as a place: a date as its number."""
    return Fraction(value.toordinal()) if isinstance(value, date) else value


def constants(rule: Rule) -> Iterator[Place]:
    """Yield the places that a rule compares with."""
    match rule:
        case rules.Literal(Compare(_, _, value)):
            yield place(value)
        case rules.Literal(OneOf(_, values)):
            yield from map(place, values)
        case rules.Several(parts):
            for part in parts:
                yield from constants(part)


def spots(kind: ColumnKind, places: Iterable[Place]) -> list[Spot]:
    """Cut the values of a column at places."""
    if kind == "boolean":
        return [*(Spot("point", truth, truth) for truth in (False, True)), MISSING]
    if kind == "text":
        return [*(Spot("point", p, p) for p in dict.fromkeys(places)), Spot("other"), MISSING]
    found: list[Spot] = []
    cuts = sorted({p for p in places if isinstance(p, Fraction)})
    whole = kind == "integer"
    for low, high in pairwise([None, *cuts, None]):
        if low is not None and not (whole and low.denominator > 1):
            found.append(Spot("point", low, low))
        if not whole or low is None or high is None or ceil(high) - floor(low) > 1:
            found.append(Spot("gap", low, high))
    return [*found, MISSING]


def holds(rule: Rule) -> Callable[[Spot], bool]:
    """Return the test of a rule on one column: whether it holds at a spot."""
    if isinstance(rule, rules.Several):
        tests = [holds(part) for part in rule.parts]
        if rule.every:
            return lambda spot: all(test(spot) for test in tests)
        return lambda spot: any(test(spot) for test in tests)
    part, wanted = rule.part, rule.wanted
    if isinstance(part, Missing):
        return lambda spot: (spot.kind == "missing") == wanted
    if isinstance(part, OneOf):
        listed = frozenset(map(place, part.values))
        return lambda spot: (
            spot.kind != "missing" and (spot.kind == "point" and spot.low in listed) == wanted
        )
    operator, constant = part.operator, place(part.value)
    return lambda spot: spot.kind != "missing" and _compared(spot, operator, constant) == wanted


def comparisons(rule: Rule) -> int:
    """Return how many comparisons a rule makes; a list of values is one."""
    if isinstance(rule, rules.Several):
        return sum(comparisons(part) for part in rule.parts)
    return 1


def _compared(spot: Spot, operator: str, constant: Place) -> bool:
    """Compare; no constant lies inside a gap."""
    equal = spot.kind == "point" and spot.low == constant
    if operator in ("=", "!="):
        return equal == (operator == "=")
    if operator in ("<=", ">=") and equal:
        return True
    if operator in ("<", "<="):
        return not equal and spot.high is not None and spot.high <= constant  # type: ignore[operator]
    return not equal and spot.low is not None and spot.low >= constant  # type: ignore[operator]


def labels(axis: Axis, keys: Container[Place], kind: ColumnKind, spot: Spot) -> tuple[Label, ...]:
    """Return the groups of an axis that a spot can be in: one, or two for discovered keys."""
    if axis.discover:
        return _discovered(kind, spot)
    if axis.keys:
        declared = spot.kind == "point" and spot.low is not None and spot.low in keys
        return ((spot.low,) if declared else ("other", "other") if axis.other else None,)
    found = _bin(axis.bins, spot)
    return ((found,) if found is not None else ("other", "other") if axis.other else None,)


def _discovered(kind: ColumnKind, spot: Spot) -> tuple[Label, ...]:
    """Every value is a key; two of them stand for all in a gap."""
    if spot.kind == "missing":
        return (None,)
    first: Label = (spot, 1)
    if spot.kind == "point":
        return (first,)
    ends = [end for end in (spot.low, spot.high) if isinstance(end, Fraction)]
    if kind == "integer" and len(ends) == 2 and ceil(ends[1]) - floor(ends[0]) == 2:
        return (first,)
    return (first, (spot, 2))


def _bin(edges: tuple[Fraction, ...], spot: Spot) -> int | None:
    """Return the bin [a, b), the last one with its upper edge."""
    if not isinstance(spot.low, Fraction):
        return None
    found = bisect_right(edges, spot.low) - 1
    last = len(edges) - 2
    if spot.kind == "point" and spot.low == edges[-1]:
        return last
    return found if 0 <= found <= last else None


def span(kind: ColumnKind, unit: Fraction, spot: Spot) -> tuple[int | None, int | None]:
    """Return the least and the largest round(x / unit) of a spot of numbers; None: no end."""
    low, high = spot.low, spot.high
    least = most = None
    if isinstance(low, Fraction):
        inside = floor(low) + 1 if kind == "integer" and spot.kind == "gap" else low
        y = inside / unit
        least = ceil(y - _HALF - _near(y))
    if isinstance(high, Fraction):
        inside = ceil(high) - 1 if kind == "integer" and spot.kind == "gap" else high
        y = inside / unit
        most = floor(y + _HALF + _near(y))
    return least, most


def _near(y: Fraction) -> Fraction:
    return max(abs(y), Fraction(1)) / (1 << _NEAR)
