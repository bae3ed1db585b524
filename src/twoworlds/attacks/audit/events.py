"""Events: sets of outputs, as code that anybody can paste and evaluate again.

An event is a feature of the output together with the values that count: intervals of a number, or
a set of classes.

The search for the event that tells two databases apart runs on samples used for nothing else. These
are halved again. On the first part each feature is cut into classes (values, or bins between
quantiles) that are put into an order: by their likelihood ratio, as Neyman and Pearson would, and
for numbers also by size. On the second part every beginning of every order, an event, is scored by
roughly what the test could certify, both ways round:

    ln ((p - delta) / q),   p from below and q from above (Wilson's bounds).

Nothing here is promised to anybody: what is certified is certified afterwards, on fresh samples.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from twoworlds.attacks.audit.features import (
    FAILED,
    LOW_BITS,
    Feature,
    features_for,
    function_of,
    values_of,
)
from twoworlds.attacks.audit.outputs import Outputs, as_list, coarse
from twoworlds.numbers.portable import log


@dataclass(frozen=True)
class FeatureEvent:
    """A feature, and the values of it that count.

    >>> FeatureEvent(Feature("value"), intervals=((1.5, inf),)).code
    'lambda y: y >= 1.5'
    """

    feature: Feature  # what is computed from the output
    # for numbers, half-open intervals [low, high) that count, in order
    intervals: tuple[tuple[float, float], ...] = ()
    members: tuple[Any, ...] | None = None  # for classes, the values that count; None for intervals
    negated: bool = False  # whether all but the members count

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
        try:
            return bool(self._function(output))
        except Exception:  # an output of another kind than was seen when the event was chosen
            return False

    @cached_property
    def _function(self) -> Callable[[Any], Any]:
        return function_of(self.code)

    def rounded(self) -> FeatureEvent:
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


def _between(f: str, low: float, high: float) -> str:
    if high == inf:
        return f"{f} >= {low!r}"
    return f"{f} < {high!r}" if low == -inf else f"{low!r} <= {f} < {high!r}"


# --- the search -----------------------------------------------------------------------------------


_BINS = 48
_LISTED = 200
_ATOMS = 64
_Z = 3.0  # standard deviations: rarer events need to stand out more
_PLAINER = 0.01  # what one more interval must gain: people read these events
Values = np.ndarray | list[Any]
_Cut = Callable[[Any], np.ndarray]  # values -> how many are in each class


@dataclass(frozen=True)
class Chosen:
    """An event that looked likelier on one database of a pair."""

    event: FeatureEvent | None  # the event
    likelier: int  # which database makes it likelier, 0 or 1
    score: float  # roughly the epsilon that a test of it could certify
    tried: int  # how many events it was chosen from


def learn(
    first: Outputs,
    second: Outputs,
    delta: float,
    landmarks: Iterable[float],
    *,
    low_bits: bool,
    goal: float = inf,
    check: Callable[[], None] = lambda: None,
) -> Chosen:
    """Return the event that seems to separate two samples most."""
    if (
        type(first) is not type(second)
        or getattr(first, "shape", (0,))[1:] != getattr(second, "shape", (0,))[1:]
    ):
        first, second = as_list(first), as_list(second)
    best = {low: Chosen(None, 0, -inf, 0) for low in (False, True)}
    tried = 0
    for feature in features_for(first, second, landmarks, low_bits=low_bits):
        check()
        for way in _ways(values_of(feature, first), values_of(feature, second)):
            found = _best(feature, delta, *way)
            tried += found.tried
            low = feature.name in LOW_BITS
            if found.score > best[low].score:
                best[low] = found
    low = best[True].score > best[False].score and best[False].score <= goal
    chosen = best[low]
    return replace(chosen, tried=tried)


def _best(
    feature: Feature, delta: float, a: Values, b: Values, cut: _Cut, labels: Sequence[Any]
) -> Chosen:
    """Score every beginning of every order of the classes.

    ``labels`` are the edges of bins, one more than there are classes, or the classes themselves,
    after which all other values are the last.
    """
    i, j = len(a) // 2, len(b) // 2
    seen, scored = (np.stack([cut(x), cut(y)]) for x, y in ((a[:i], b[:j]), (a[i:], b[j:])))
    sizes, ordered = (len(a) - i, len(b) - j), len(labels) > seen.shape[1]
    ratio = (seen[0] + 0.5) / (seen[1] + 0.5)
    orders = [np.argsort(-ratio, kind="stable"), np.argsort(ratio, kind="stable")]
    if ordered:
        orders += [np.arange(len(ratio)), np.arange(len(ratio))[::-1]]
    best, tried = Chosen(None, 0, -inf, 0), 0
    for order in orders:
        hits = np.cumsum(scored[:, order], axis=1)
        for likelier in (0, 1):
            scores = _scores(hits[likelier], hits[1 - likelier], sizes, likelier, delta)
            tried += len(scores)
            at = int(np.argmax(scores))
            if scores[at] > best.score:
                inside = sorted(order[: at + 1].tolist())
                event = (_intervals if ordered else _members)(feature, labels, inside)
                score = float(scores[at]) - _PLAINER * max(0, len(event.intervals) - 1)
                if score > best.score:
                    best = Chosen(event, likelier, score, 0)
    return replace(best, tried=tried)


def _members(feature: Feature, labels: Sequence[Any], inside: list[int]) -> FeatureEvent:
    if inside[-1] == len(labels):
        left = tuple(v for i, v in enumerate(labels) if i not in inside)
        return FeatureEvent(feature, members=left, negated=True)
    return FeatureEvent(feature, members=tuple(labels[i] for i in inside))


def _intervals(feature: Feature, labels: Sequence[Any], inside: list[int]) -> FeatureEvent:
    found: list[tuple[float, float]] = []
    for i in inside:
        low, high = labels[i], labels[i + 1]
        if found and found[-1][1] == low:
            found[-1] = (found[-1][0], high)
        else:
            found.append((low, high))
    return FeatureEvent(feature, intervals=tuple(found))


def _scores(
    hits: np.ndarray, others: np.ndarray, sizes: tuple[int, int], likelier: int, delta: float
) -> np.ndarray:
    p = _wilson(hits, sizes[likelier], -_Z) - delta
    q = _wilson(others, sizes[1 - likelier], _Z)
    return np.where(p > 0, log(np.maximum(p, 1e-300) / q), -inf)


def _wilson(hits: np.ndarray, draws: int, z: float) -> np.ndarray:
    share = hits / draws
    centre = share + z * z / (2 * draws)
    reach = z * np.sqrt(share * (1 - share) / draws + z * z / (4 * draws * draws))
    return (centre + reach) / (1 + z * z / draws)


def _ways(first: Values, second: Values) -> Iterable[tuple[Values, Values, _Cut, Sequence[Any]]]:
    """Cut values into classes, in one or two ways: how, and what the classes are called."""
    a, b = _as_numbers(first), _as_numbers(second)
    if a is None or b is None:
        things = list(first), list(second)
        yield *things, *_listed(*things)
        return
    yield a, b, *_binned(a, b)
    atoms = _atoms(a[: len(a) // 2], b[: len(b) // 2])
    if atoms:
        yield a, b, *_among(atoms)


def _as_numbers(values: Values) -> np.ndarray | None:
    """Return an array where all values are numbers, or None for want of one."""
    if isinstance(values, np.ndarray):
        return values
    if all(v is FAILED or type(v) in (int, float) for v in values) and any(
        v is not FAILED for v in values
    ):
        try:
            return np.array([np.nan if v is FAILED else v for v in values], dtype=np.float64)
        except OverflowError:
            return None
    return None


def _binned(a: np.ndarray, b: np.ndarray) -> tuple[_Cut, Sequence[Any]]:
    """Cut the line at quantiles of the first parts, or at each value where they are few."""
    pooled = np.concatenate([a[: len(a) // 2], b[: len(b) // 2]])
    pooled = pooled[np.isfinite(pooled)] if pooled.dtype.kind == "f" else pooled
    distinct = np.unique(pooled)
    if len(distinct) > _BINS:
        places = np.linspace(0, len(pooled) - 1, _BINS + 1).round().astype(int)
        distinct = np.unique(np.sort(pooled)[places])
    edges = [-inf, *distinct[1:].tolist(), inf]

    def counts(values: np.ndarray) -> np.ndarray:
        known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
        places = np.searchsorted(np.array(edges[1:-1]), known, side="right")
        return np.bincount(places, minlength=len(edges) - 1)

    return counts, edges


def _atoms(a: np.ndarray, b: np.ndarray) -> list[Any]:
    """Return values that occur again and again among many that do not."""
    values, counts = np.unique(np.concatenate([a, b]), return_counts=True)
    if len(values) <= _BINS:
        return []
    often = counts >= max(8, (len(a) + len(b)) // 1000)
    chosen = np.argsort(-counts * often)[:_ATOMS]
    found = [values[i].item() for i in chosen if often[i]]
    return [v for v in found if v == v]


def _among(atoms: list[Any]) -> tuple[_Cut, Sequence[Any]]:
    inner = np.sort(np.array(atoms))

    def counts(values: np.ndarray) -> np.ndarray:
        places = np.minimum(np.searchsorted(inner, values), len(inner) - 1)
        places = np.where(inner[places] == values, places, len(inner))
        return np.bincount(places, minlength=len(inner) + 1)

    return counts, inner.tolist()


def _listed(a: list[Any], b: list[Any]) -> tuple[_Cut, Sequence[Any]]:
    """Take the values seen most often as classes, and all others as one more.

    Lists and dictionaries are among the others: what stands in them has features of its own.
    """
    half = (*a[: len(a) // 2], *b[: len(b) // 2])
    seen = Counter(
        v for v in half if not isinstance(v, (list, dict)) and v == v and v is not FAILED
    )
    labels = [v for v, _ in seen.most_common(_LISTED)]
    place = {v: i for i, v in enumerate(labels)}

    def where(value: Any) -> int:
        return len(labels) if isinstance(value, (list, dict)) else place.get(value, len(labels))

    def counts(values: list[Any]) -> np.ndarray:
        places = [where(v) for v in values if v is not FAILED]
        return np.bincount(np.array(places, dtype=np.int64), minlength=len(labels) + 1)

    return counts, labels
