r"""The domain of a column, cut into pieces that nothing in a batch of queries tells apart.

SQL has three truth values, but a row is kept only where a condition is true. `compiled` and `holds`
take every `Not` down to the comparisons (De Morgan's laws hold for three values) and ask of each
comparison whether it is true, or whether it is false; of a missing value it is neither. What
remains is made of "all" and "some" only, so that two truth values are enough.

Numbers and dates are cut at every constant, key and edge: the pieces are these points and the open
gaps between them. Texts and truth values have the points and, for texts, any other text. What is
missing (NULL, NaN) is a piece of its own. The bounds of a policy are no limit: they clamp values,
they do not keep them out of the data. A column of integers has nothing in a gap such as (3, 4);
dates are treated like numbers, since a database may keep a time of day with them.

`span` gives the whole numbers v = round(x / unit) of a piece. Engines round halves differently and
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
from typing import Literal, TypeVar

from twoworlds.release.policy.model import Column, ColumnKind, Value
from twoworlds.release.query.conditions import (
    All,
    AnyOf,
    Compare,
    Condition,
    Missing,
    Not,
    OneOf,
    columns_of,
    leaves,
)
from twoworlds.release.query.model import GroupAxis

Place = Fraction | str | bool
Label = tuple[object, ...] | None  # the group of an axis; None when the row is in none
_HALF = Fraction(1, 2)
_NEAR = 40
T = TypeVar("T")


def compiled(
    condition: Condition | None, atom: Callable[[str, Condition], Callable[[T], bool]]
) -> Callable[[T], bool]:
    """Return the test whether a condition is true, from tests of parts that look at one column.

    Parts on one column that stand together make one atom.
    """
    if condition is None:
        return lambda _: True

    def test(part: Condition, *, wanted: bool) -> Callable[[T], bool]:
        if isinstance(part, Not):
            return test(part.part, wanted=not wanted)
        names = {*columns_of(part)}
        if len(names) == 1:
            return atom(names.pop(), part if wanted else Not(part))
        assert isinstance(part, All | AnyOf)
        by_column: dict[object, list[Condition]] = {}
        for inner in dict.fromkeys(part.parts):  # said twice, it is said once
            names = {*columns_of(inner)}
            key = names.pop() if len(names) == 1 else inner
            by_column.setdefault(key, []).append(inner)
        joined = (g[0] if len(g) == 1 else type(part)(tuple(g)) for g in by_column.values())
        tests = [test(inner, wanted=wanted) for inner in joined]
        if isinstance(part, All) == wanted:
            return lambda row: all(one(row) for one in tests)
        return lambda row: any(one(row) for one in tests)

    return test(condition, wanted=True)


@dataclass(frozen=True)
class DomainPiece:
    """A point, an open gap between two places (None: no end), any other text, or a missing value.

    A gap has ``low`` and ``high``; a point has both equal.
    """

    kind: Literal["point", "gap", "other", "missing"]
    low: Place | None = None
    high: Place | None = None


MISSING = DomainPiece("missing")


def place(value: Value) -> Place:
    """Return a constant as a place: a date as its number."""
    return Fraction(value.toordinal()) if isinstance(value, date) else value


def constants(rule: Condition) -> Iterator[Place]:
    """Yield the places that a rule compares with."""
    for leaf in leaves(rule):
        if isinstance(leaf, Compare):
            yield place(leaf.value)
        elif isinstance(leaf, OneOf):
            yield from map(place, leaf.values)


def pieces(kind: ColumnKind, places: Iterable[Place]) -> list[DomainPiece]:
    """Cut the values of a column at places."""
    if kind == "boolean":
        return [*(DomainPiece("point", truth, truth) for truth in (False, True)), MISSING]
    if kind == "text":
        return [
            *(DomainPiece("point", p, p) for p in dict.fromkeys(places)),
            DomainPiece("other"),
            MISSING,
        ]
    found: list[DomainPiece] = []
    cuts = sorted({p for p in places if isinstance(p, Fraction)})
    whole = kind == "integer"
    for low, high in pairwise([None, *cuts, None]):
        if low is not None and not (whole and low.denominator > 1):
            found.append(DomainPiece("point", low, low))
        if not whole or low is None or high is None or ceil(high) - floor(low) > 1:
            found.append(DomainPiece("gap", low, high))
    return [*found, MISSING]


def declared_values(column: Column) -> tuple[list[Place], Callable[[DomainPiece], bool]]:
    """Return where to cut a column, and which pieces then hold values that the policy declares.

    These are the values within the bounds, or the keys where there are none; and missing ones.
    """
    low, high = column.low, column.high
    if low is not None and high is not None:
        bounds = low, high
        return (
            [low, high],
            lambda piece: (
                piece.kind == "missing"
                or (
                    isinstance(piece.low, Fraction)
                    and isinstance(piece.high, Fraction)
                    and bounds[0] <= piece.low
                    and piece.high <= bounds[1]
                )
            ),
        )
    if not column.keys:
        return [], lambda _: True
    keys = [place(key) for key in column.keys]
    return (
        keys,
        lambda piece: piece.kind == "missing" or (piece.kind == "point" and piece.low in keys),
    )


def holds(rule: Condition, *, wanted: bool = True) -> Callable[[DomainPiece], bool]:
    """Return the test of a rule on one column: whether it holds at a piece."""
    match rule:
        case Not(part):
            return holds(part, wanted=not wanted)
        case All(parts) | AnyOf(parts):
            tests = [holds(part, wanted=wanted) for part in parts]
            if isinstance(rule, All) == wanted:
                return lambda piece: all(test(piece) for test in tests)
            return lambda piece: any(test(piece) for test in tests)
        case Missing():
            return lambda piece: (piece.kind == "missing") == wanted
        case OneOf(_, values):
            listed = frozenset(map(place, values))
            return lambda piece: (
                piece.kind != "missing"
                and (piece.kind == "point" and piece.low in listed) == wanted
            )
        case Compare(_, operator, value):
            constant = place(value)
            return lambda piece: (
                piece.kind != "missing" and _compared(piece, operator, constant) == wanted
            )


def _compared(piece: DomainPiece, operator: str, constant: Place) -> bool:
    """Compare; no constant lies inside a gap."""
    equal = piece.kind == "point" and piece.low == constant
    if operator in ("=", "!="):
        return equal == (operator == "=")
    if operator in ("<=", ">=") and equal:
        return True
    if operator in ("<", "<="):
        return not equal and piece.high is not None and piece.high <= constant  # type: ignore[operator]
    return not equal and piece.low is not None and piece.low >= constant  # type: ignore[operator]


def labels(
    axis: GroupAxis, keys: Container[Place], kind: ColumnKind, piece: DomainPiece
) -> tuple[Label, ...]:
    """Return the groups of an axis that a piece can be in: one, or two for discovered keys."""
    if axis.discover:
        return _discovered(kind, piece)
    if axis.keys:
        declared = piece.kind == "point" and piece.low is not None and piece.low in keys
        return ((piece.low,) if declared else ("other", "other") if axis.other else None,)
    found = _bin(axis.bins, piece)
    return ((found,) if found is not None else ("other", "other") if axis.other else None,)


def _discovered(kind: ColumnKind, piece: DomainPiece) -> tuple[Label, ...]:
    """Every value is a key; two of them stand for all in a gap."""
    if piece.kind == "missing":
        return (None,)
    first: Label = (piece, 1)
    if piece.kind == "point":
        return (first,)
    ends = [end for end in (piece.low, piece.high) if isinstance(end, Fraction)]
    if kind == "integer" and len(ends) == 2 and ceil(ends[1]) - floor(ends[0]) == 2:
        return (first,)
    return (first, (piece, 2))


def _bin(edges: tuple[Fraction, ...], piece: DomainPiece) -> int | None:
    """Return the bin [a, b), the last one with its upper edge."""
    if not isinstance(piece.low, Fraction):
        return None
    found = bisect_right(edges, piece.low) - 1
    last = len(edges) - 2
    if piece.kind == "point" and piece.low == edges[-1]:
        return last
    return found if 0 <= found <= last else None


def span(kind: ColumnKind, unit: Fraction, piece: DomainPiece) -> tuple[int | None, int | None]:
    """Return the least and the largest round(x / unit) of a piece of numbers; None: no end."""
    low, high = piece.low, piece.high
    least = most = None
    if isinstance(low, Fraction):
        inside = floor(low) + 1 if kind == "integer" and piece.kind == "gap" else low
        y = inside / unit
        least = ceil(y - _HALF - _near(y))
    if isinstance(high, Fraction):
        inside = ceil(high) - 1 if kind == "integer" and piece.kind == "gap" else high
        y = inside / unit
        most = floor(y + _HALF + _near(y))
    return least, most


def _near(y: Fraction) -> Fraction:
    return max(abs(y), Fraction(1)) / (1 << _NEAR)
