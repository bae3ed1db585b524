"""Events: sets of outputs, as code that anybody can paste and evaluate again.

An event is a feature of the output together with the values that count: intervals of a number, or
a set of classes. It is plain data, so it goes into a state file and comes back.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from twoworlds.attacks.audit.features import FAILED, Feature, values_of
from twoworlds.attacks.audit.outputs import Outputs, coarse
from twoworlds.errors import InvalidInput

__all__ = ["Event"]


@dataclass(frozen=True)
class Event:
    """A feature, and the values of it that count.

    Attributes:
        feature: what is computed from the output.
        intervals: for numbers, half-open intervals [low, high) that count, in order.
        members: for classes, the values that count; None for intervals.
        negated: whether all but the members count.

    >>> Event(Feature("value"), intervals=((1.5, inf),)).code
    'lambda y: y >= 1.5'
    """

    feature: Feature
    intervals: tuple[tuple[float, float], ...] = ()
    members: tuple[Any, ...] | None = None
    negated: bool = False

    @property
    def code(self) -> str:
        """The event as a Python function of one output."""
        f = self.feature.code
        if self.members is not None:
            word = "not in" if self.negated else "in"
            if len(self.members) == 1:
                return f"lambda y: {f} {'!=' if self.negated else '=='} {self.members[0]!r}"
            return f"lambda y: {f} {word} {list(self.members)!r}"
        if self.feature.name == "returns" and self.intervals in (((-inf, 1.0),), ((1.0, inf),)):
            return f"lambda y: {'not ' if self.intervals[0][1] == 1.0 else ''}{f}"
        if len(self.intervals) == 1:
            return f"lambda y: {_between(f, *self.intervals[0])}"
        name = "y" if f == "y" else "v"
        parts = " or ".join(_between(name, low, high) for low, high in self.intervals)
        return f"lambda y: {parts}" if f == "y" else f"lambda y: (lambda v: {parts})({f})"

    def holds(self, output: Any) -> bool:
        """Tell whether one output is in the event; one on which the code fails is not."""
        value = self.feature.of(output)
        if value is FAILED:
            return False
        try:
            if self.members is not None:
                return self._is_member(value) != self.negated
            return any(
                low <= value and (value < high or high == inf) for low, high in self.intervals
            )
        except TypeError:
            return False

    def rounded(self) -> Event:
        """Return the same event about outputs that `coarse` has rounded."""
        members = None if self.members is None else tuple(map(self._coarse, self.members))
        intervals = tuple((coarse(low), coarse(high)) for low, high in self.intervals)
        return replace(self, intervals=intervals, members=members)

    def _coarse(self, member: Any) -> Any:
        if self.feature.name != "shown":
            return coarse(member)
        try:
            return repr(coarse(ast.literal_eval(member)))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return member

    def count(self, outputs: Outputs) -> int:
        """Return how many outputs are in the event."""
        if isinstance(outputs, np.ndarray):
            values = values_of(self.feature, outputs)
            if isinstance(values, np.ndarray):
                return int(self._inside(values).sum())
            outputs = outputs.tolist()
        return sum(map(self.holds, outputs))

    def _inside(self, values: np.ndarray) -> np.ndarray:
        if self.members is not None:
            found = np.isin(values, np.array(self.members))
            return ~found if self.negated else found
        inside = np.zeros(len(values), dtype=bool)
        for low, high in self.intervals:
            inside |= (values >= low) & ((values < high) if high < inf else ~np.isnan(values))
        return inside

    def _is_member(self, value: Any) -> bool:
        """Tell whether a value is one of the members: a list or a dictionary never is."""
        return not isinstance(value, (list, dict)) and value in self._set

    @cached_property
    def _set(self) -> frozenset[Any]:
        return frozenset(self.members or ())

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a state file."""
        return {
            "feature": self.feature.name,
            "parameters": list(self.feature.parameters),
            "intervals": [[str(low), str(high)] for low, high in self.intervals],
            "members": None if self.members is None else [*map(_frozen, self.members)],
            "negated": self.negated,
            "code": self.code,
        }

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Event:
        """Read what `to_dict` wrote."""
        try:
            members = data["members"]
            return Event(
                Feature(data["feature"], tuple(map(_thawed, data["parameters"]))),
                tuple((_number(low), _number(high)) for low, high in data["intervals"]),
                None if members is None else tuple(map(_thawed, members)),
                bool(data["negated"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(f"the state holds no event that can be read: {error}") from error


def _between(f: str, low: float, high: float) -> str:
    if low == -inf:
        return f"{f} < {high!r}"
    return f"{f} >= {low!r}" if high == inf else f"{low!r} <= {f} < {high!r}"


def _number(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _frozen(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _thawed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
