"""What stands in outputs that are nested: lists and dictionaries within each other.

A *path* leads to a value: keys and places, from the outside to the inside. An output has too many
of them to look at each, so those are chosen whose values look most different on two databases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["Path", "are_nested", "built", "inside", "paths_apart", "written"]

Path = tuple[Any, ...]
_PATHS = 12
_MOST_PATHS = 1024
_LOOKED_AT = 1000  # outputs of each database, to choose the paths


def inside(value: Any, path: Path) -> Any:
    """Return what a path leads to.

    >>> inside({"a": [1, {"b": 2}]}, ("a", 1, "b"))
    2
    """
    for step in path:
        value = value[step]
    return value


def written(path: Path) -> str:
    """Return the Python expression in ``y`` that follows a path.

    >>> written(("a", 1, "b"))
    "y['a'][1]['b']"
    """
    return "y" + "".join(f"[{step!r}]" for step in path)


def built(value: Any) -> Any:
    """Return how a value is built: keys in order, lengths, and the types of what stands there.

    >>> built({"b": [1, 2.5], "a": None})
    {'a': 'NoneType', 'b': ['int', 'float']}
    """
    if isinstance(value, dict):
        return {key: built(value[key]) for key in sorted(value, key=repr)}
    return [built(item) for item in value] if isinstance(value, list) else type(value).__name__


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
            for path, value in _leaves(output, ()):
                if len(path) > 1 and (path in found or len(found) < _MOST_PATHS):
                    found.setdefault(path, ([], []))[which].append(value)
    for path in sorted(found, key=lambda path: -_apart(*found[path]))[:_PATHS]:
        yield path, any(type(value) is float for values in found[path] for value in values)


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield what stands in lists and dictionaries and is neither, with the path to it."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _leaves(item, (*path, i))
    else:
        yield path, value


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
