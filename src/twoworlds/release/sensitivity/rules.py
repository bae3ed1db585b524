"""Conditions as rules that are true or not, cut into parts that look at one column each.

SQL has three truth values, but a row is kept only where a condition is true. `rule` moves every
`Not` down to the comparisons (De Morgan's laws hold for three values) and asks of each comparison
whether it is true, or whether it is false; of a missing value it is neither. What remains is made
of "all" and "some" only, so that two truth values are enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from twoworlds.release.query.conditions import All, AnyOf, Compare, Condition, Missing, Not, OneOf

__all__ = ["Literal", "Rule", "Several", "compiled", "rule"]

T = TypeVar("T")


@dataclass(frozen=True)
class Literal:
    """A comparison that has to be true, or has to be false."""

    part: Compare | OneOf | Missing
    wanted: bool

    @property
    def column(self) -> str:
        """The column that it looks at."""
        return self.part.column


@dataclass(frozen=True)
class Several:
    """All of these rules, or at least one of them; ``column`` when they look at just one."""

    parts: tuple[Rule, ...]
    every: bool
    column: str | None


Rule = Literal | Several


def rule(condition: Condition | None) -> Rule:
    """Return when a condition is true; no condition is always true."""
    return _several([], every=True) if condition is None else _rule(condition, wanted=True)


def _rule(condition: Condition, *, wanted: bool) -> Rule:
    match condition:
        case Not(part):
            return _rule(part, wanted=not wanted)
        case All(parts) | AnyOf(parts):
            every = isinstance(condition, All) == wanted
            return _several([_rule(part, wanted=wanted) for part in parts], every=every)
        case _:
            return Literal(condition, wanted)


def _several(parts: list[Rule], *, every: bool) -> Rule:
    """Put rules together, those on one column first, so that they make one atom."""
    by_column: dict[str | None, list[Rule]] = {}
    for part in parts:
        by_column.setdefault(part.column, []).append(part)
    together: list[Rule] = []
    for column, group in by_column.items():
        single = column is not None and len(group) > 1
        together += [Several(tuple(group), every, column)] if single else group
    if len(together) == 1:
        return together[0]
    return Several(tuple(together), every, None)


def compiled(of: Rule, atom: Callable[[Rule], Callable[[T], bool]]) -> Callable[[T], bool]:
    """Return the test of a rule, from the tests of its atoms."""
    if of.column is not None or isinstance(of, Literal):
        return atom(of)
    tests = [compiled(part, atom) for part in of.parts]
    if of.every:
        return lambda row: all(test(row) for test in tests)
    return lambda row: any(test(row) for test in tests)
