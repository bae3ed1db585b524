"""What an auditor looks at in an output: numbers and classes computed from it alone.

A feature is named, may have parameters, and is Python code in ``y``: what people paste is what is
evaluated. Where the outputs are arrays there may be a fast version for all of them at once. Every
feature is total: where the code fails on an output, the feature is `FAILED`. Parameters are plain
values (`twoworlds.attacks.audit.outputs.plain`), which the code holds as literals: nothing that a
subject gives out is run.

The features of low-order bits are those that floating-point noise gives away (Mironov, On
significance of the least significant bits for differential privacy, 2012): ``places`` is the number
of binary digits after the point, and ``returns`` tells whether subtracting a value and adding it
again leads back. The sign of a zero is another such bit: ``zero`` tells -0.0 from 0.0.

A *path* leads to a value in an output: keys and places, from the outside to the inside; the empty
path leads to the output itself. Nested outputs have too many of them to look at each, so those are
chosen whose values look most different on two databases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np

from twoworlds.attacks.audit.outputs import Outputs, Path, as_list, leaves
from twoworlds.errors import InvalidInput

_COORDINATES = 12
_ITEMS = 6
_CLASSES = 12
_WIDE = 256  # of longer vectors only single items and the extremes are looked at
_NAN = 'float("nan")'
_ZERO = '(0 if y != 0 else -1 if str(y)[0] == "-" else 1)'
_PLACES = "(float(y).as_integer_ratio()[1].bit_length() - 1 if y - y == 0 else -1)"
LOW_BITS = ("places", "returns", "zero")
Many = Callable[..., np.ndarray | None]
_PATHS = 12
_MOST_PATHS = 1024
_LOOKED_AT = 1000  # outputs of each database, to choose the paths
FAILED = object()  # None is a value that an output may hold


class FeatureKind(NamedTuple):
    """How a feature is written, and computed for many outputs at once."""

    # the Python expression in ``y``; braces are filled with the parameters, or a function of these
    code: str | Callable[..., str]
    numbers: Many | None = None  # for a one-dimensional array of outputs, if there is a fast way
    vectors: Many | None = None  # for a two-dimensional array, likewise


@dataclass(frozen=True)
class Feature:
    """A named feature with its parameters."""

    name: str
    parameters: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a name that nothing answers to."""
        if self.name not in FEATURES:
            raise InvalidInput(f"there is no feature {self.name!r} of outputs")

    @property
    def of_a_number(self) -> bool:
        """Whether outputs are numbers: `plain` leaves these as they are."""
        named = self.name in ("returns", "remainder", "special")
        return named or (self.name in ("value", "places", "zero") and not any(self.parameters))

    @property
    def code(self) -> str:
        """The feature as a Python expression in ``y``."""
        code = FEATURES[self.name].code
        if not isinstance(code, str):
            return code(*self.parameters)
        shown = (list(p) if isinstance(p, tuple) else p for p in self.parameters)
        return code.format(*(repr(p) for p in shown))

    def of(self, output: Any) -> Any:
        """Return the feature of one output; `FAILED` where the code fails."""
        try:
            return self._function(output)
        except Exception:  # an output of another kind than was seen when the feature was chosen
            return FAILED

    @cached_property
    def _function(self) -> Callable[[Any], Any]:
        return function_of(f"lambda y: {self.code}")


def function_of(code: str) -> Callable[[Any], Any]:
    """Return the function that the code of a feature or of an event is."""
    found: Callable[[Any], Any] = eval(code, {"inf": inf, "nan": nan})  # noqa: S307 (ours)
    return found


def values_of(feature: Feature, outputs: Outputs) -> np.ndarray | list[Any]:
    """Return the feature of all outputs, as an array where there is a fast way."""
    kind = FEATURES[feature.name]
    if isinstance(outputs, np.ndarray):
        fast = kind.numbers if outputs.ndim == 1 else kind.vectors
        if fast is not None:
            with np.errstate(all="ignore"):
                values = fast(outputs, *feature.parameters)
            if values is not None:
                return values
    return [feature.of(output) for output in as_list(outputs)]


# --- what is nested -----------------------------------------------------------------------------


def _along(code: str, many: Many) -> FeatureKind:
    """Return a feature of what a path leads to, from one of an output itself."""

    def written(path: Path = ()) -> str:
        return code.replace("y", "y" + "".join(f"[{step!r}]" for step in path))

    def fast(y: np.ndarray, path: Path = ()) -> np.ndarray | None:
        if y.ndim == 1:
            return None if path else many(y)
        return many(y[:, path[0]]) if len(path) == 1 and path[0] in range(y.shape[1]) else None

    return FeatureKind(written, fast, fast)


def are_nested(outputs: list[Any]) -> bool:
    """Tell whether lists or dictionaries hold others."""
    return any(
        isinstance(item, (list, dict))
        for output in outputs[:_LOOKED_AT]
        if isinstance(output, (list, dict))
        for item in (output.values() if isinstance(output, dict) else output)
    )


def paths_apart(first: list[Any], second: list[Any]) -> Iterator[tuple[Path, bool]]:
    """Yield the paths whose values look most different, and whether some of these are floats.

    Paths of one step are left out.
    """
    found: dict[Path, tuple[list[Any], list[Any]]] = {}
    for which, outputs in enumerate((first, second)):
        for output in outputs[:_LOOKED_AT]:
            for path, value in leaves(output):
                if len(path) > 1 and (path in found or len(found) < _MOST_PATHS):
                    found.setdefault(path, ([], []))[which].append(value)
    for path in sorted(found, key=lambda path: -_apart(*found[path]))[:_PATHS]:
        yield path, any(type(value) is float for values in found[path] for value in values)


def _apart(first: list[Any], second: list[Any]) -> float:
    """Return how far apart values look: by their means, or by how often each occurs."""
    if first and second and all(isinstance(x, (int, float)) for x in (*first, *second)):
        try:
            a, b = (np.nan_to_num(np.array(x, dtype=np.float64)) for x in (first, second))
        except OverflowError:  # whole numbers beyond floats
            pass
        else:
            with np.errstate(all="ignore"):
                spread = a.std() + b.std()
                apart = abs(a.mean() - b.mean()) / (spread if spread > 0 else 1)
            return float(np.nan_to_num(apart))
    one, two = Counter(first), Counter(second)
    most = max(len(first), len(second))
    return sum(abs(one[x] - two[x]) for x in one | two) / most


# --- the arithmetic of low-order bits -------------------------------------------------------------


def _places_of_many(y: np.ndarray) -> np.ndarray:
    """Return the number of binary digits after the point: y = m 2^-k with odd m, or 0."""
    if y.dtype.kind != "f":
        return np.zeros(len(y), dtype=np.int64)
    fraction, exponent = np.frexp(y)
    mantissa = np.where(np.isfinite(y), np.ldexp(fraction, 53), 0).astype(np.int64)
    lowest = (mantissa & -mantissa).astype(np.float64)
    trailing = np.frexp(np.where(lowest == 0, 1, lowest))[1] - 1
    places: np.ndarray = np.maximum(0, 53 - exponent - trailing).astype(np.int64)
    places[mantissa == 0] = 0
    places[~np.isfinite(y)] = -1
    return places


def _zeros(y: np.ndarray) -> np.ndarray:
    return np.where(y != 0, 0, np.where(np.signbit(y), -1, 1))


def _project_many(y: np.ndarray, weights: tuple[float, ...]) -> np.ndarray:
    """Add up from the left: the last bit may decide on which side it falls.

    The code adds by hand, since `sum` of floats depends on the version of Python.
    """
    total = np.zeros(len(y))
    for column, weight in zip(y.T, weights, strict=False):
        total = total + weight * column
    return total


def _in_order(compute: Many) -> Many:
    """Leave batches with NaN to the slow way: what Python's order makes of it is the code's."""

    def computed(y: np.ndarray) -> np.ndarray | None:
        return None if y.dtype.kind == "f" and np.isnan(y).any() else compute(y)

    return computed


FEATURES: dict[str, FeatureKind] = {
    # of what a path leads to
    "value": _along("y", lambda y: y),
    "places": _along(_PLACES, _places_of_many),
    "zero": _along(_ZERO, _zeros),
    # of one number
    "returns": FeatureKind(
        "({0} + (y - {0}) == y)", lambda y, v: (v + (y - v) == y).astype(np.float64)
    ),
    "remainder": FeatureKind("y % {0}", lambda y, m: y % m),
    "special": FeatureKind('("finite" if y - y == 0 else str(y))'),
    # of a vector
    "largest": FeatureKind("max(y)", vectors=_in_order(lambda y: y.max(axis=1))),
    "smallest": FeatureKind("min(y)", vectors=_in_order(lambda y: y.min(axis=1))),
    "place of largest": FeatureKind(
        "max(range(len(y)), key=lambda i: y[i])", vectors=_in_order(lambda y: y.argmax(axis=1))
    ),
    "place of smallest": FeatureKind(
        "min(range(len(y)), key=lambda i: y[i])", vectors=_in_order(lambda y: y.argmin(axis=1))
    ),
    "positive items": FeatureKind("sum(x > 0 for x in y)", vectors=lambda y: (y > 0).sum(axis=1)),
    "projection": FeatureKind(
        "[t := 0.0, *[t := t + w * x for w, x in zip({0}, y)]][-1]", vectors=_project_many
    ),
    "row": FeatureKind("tuple(y)"),
    # of anything
    "shown": FeatureKind("repr(y)"),
    "type": FeatureKind("type(y).__name__"),
    "length": FeatureKind('(len(y) if hasattr(y, "__len__") else -1)'),
    "number": FeatureKind(f"(y if isinstance(y, (int, float)) else {_NAN})"),
    "number at": FeatureKind(
        "(y[{0}] if isinstance(y, list) and {0} < len(y) and isinstance(y[{0}], (int, float))"
        f" else {_NAN})"
    ),
    "types of items": FeatureKind('" ".join(type(x).__name__ for x in y)'),
    "how many": FeatureKind("sum(x == {0} for x in y)"),
    "keys": FeatureKind("repr(sorted(y, key=repr))"),
    "under key": FeatureKind(f"y.get({{0}}, {_NAN})"),
    # of what is nested: keys in order, lengths, and the types of what stands there
    "structure": FeatureKind(
        "repr((lambda f: f(f, y))(lambda f, v: "
        "{{k: f(f, v[k]) for k in sorted(v, key=repr)}} if isinstance(v, dict) else "
        "[f(f, x) for x in v] if isinstance(v, list) else type(v).__name__))"
    ),
}


# --- which ones are worth a look ------------------------------------------------------------------


def features_for(
    first: Outputs, second: Outputs, landmarks: Iterable[float], *, low_bits: bool
) -> list[Feature]:
    """Return the features that may tell two samples apart."""
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        if first.ndim == 1:
            return list(_of_numbers(first, second, landmarks, low_bits=low_bits))
        return list(_of_vectors(first, second, low_bits=low_bits))
    return list(_of_things(as_list(first), as_list(second), low_bits=low_bits))


def _of_numbers(
    first: np.ndarray, second: np.ndarray, landmarks: Iterable[float], *, low_bits: bool
) -> Iterator[Feature]:
    yield Feature("value")
    if first.dtype.kind == "i":
        yield from (Feature("remainder", (m,)) for m in (2, 10))
    else:
        if not (np.isfinite(first).all() and np.isfinite(second).all()):
            yield Feature("special")
        if low_bits:
            yield Feature("places")
            yield from (Feature("returns", (float(v),)) for v in islice(landmarks, 4))
            if any((_zeros(y) < 0).any() for y in (first, second)):
                yield Feature("zero")


def _of_vectors(first: np.ndarray, second: np.ndarray, *, low_bits: bool) -> Iterator[Feature]:
    width = first.shape[1]
    with np.errstate(all="ignore"):
        shift = np.nan_to_num(first).mean(axis=0) - np.nan_to_num(second).mean(axis=0)
        spread = np.nan_to_num(first).std(axis=0) + np.nan_to_num(second).std(axis=0)
        size = np.abs(shift).max()
        apart = np.nan_to_num(np.abs(shift) / np.where(spread > 0, spread, 1))
    told = np.argsort(-apart, kind="stable")[:_COORDINATES].tolist()
    yield from (Feature("value", ((i,),)) for i in sorted(told))
    names = ("largest", "smallest", "place of largest", "place of smallest", "positive items")
    yield from (Feature(name) for name in names)
    if first.dtype.kind == "f" and low_bits:
        yield from (Feature("places", ((i,),)) for i in sorted(told[:_ITEMS]))
        yield from (Feature("zero", ((i,),)) for i in _signed(first, second))
    if width > _WIDE:
        return
    yield Feature("projection", ((1.0,) * width,))
    if np.isfinite(size) and size > 0:
        scaled = np.round(shift / size * 32) / 32  # so that sums over whole numbers are exact
        yield Feature("projection", (tuple(scaled.tolist()),))
        yield Feature("projection", (tuple(np.sign(np.round(shift / size, 1)).tolist()),))
    if first.dtype.kind == "i":
        yield Feature("row")


def _signed(first: np.ndarray, second: np.ndarray) -> list[int]:
    """Return the items whose share of negative zeros differs most."""
    shares = [(_zeros(y) < 0).mean(axis=0) for y in (first, second)]
    apart = np.abs(shares[0] - shares[1])
    told = np.argsort(-apart, kind="stable")[:_ITEMS].tolist()
    return sorted(i for i in told if apart[i] > 0)


def _of_things(first: list[Any], second: list[Any], *, low_bits: bool) -> Iterator[Feature]:
    both = [*first, *second]
    yield from (Feature(name) for name in ("shown", "type", "length"))
    if any(isinstance(y, (int, float)) for y in both):
        yield Feature("number")
        if low_bits:
            yield Feature("places")
    lists = [y for y in both if isinstance(y, list)]
    if lists:
        yield Feature("types of items")
        longest = max(map(len, lists))
        numeric = {
            i for y in lists for i, x in enumerate(y[:_ITEMS]) if isinstance(x, (int, float))
        }
        yield from (Feature("number at", (i,)) for i in range(min(longest, _ITEMS)) if i in numeric)
        items = Counter(
            x for y in lists for x in y if isinstance(x, (str, bool)) or x is None or type(x) is int
        )
        yield from (Feature("how many", (x,)) for x, _ in items.most_common(_CLASSES))
    tables = [y for y in both if isinstance(y, dict)]
    if tables:
        yield Feature("keys")
        flat = (k for y in tables for k, v in y.items() if not isinstance(v, (list, dict)))
        yield from (Feature("under key", (key,)) for key, _ in Counter(flat).most_common(_CLASSES))
    if are_nested(both):
        yield Feature("structure")
        for number, (path, floats) in enumerate(paths_apart(first, second)):
            yield Feature("value", (path,))
            if low_bits and floats and number < _ITEMS:
                yield Feature("places", (path,))
