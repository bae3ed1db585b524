"""From text to mechanism: a call, the path of a matrix file, or ``python:package.module:name``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.mechanisms.base import Mechanism
from twoworlds.mechanisms.files import SUFFIXES, read_mechanism
from twoworlds.mechanisms.registry import MECHANISMS
from twoworlds.worlds import Universe
from twoworlds.worlds.loading import load

__all__ = ["mechanism"]

_PYTHON = "python:"


def mechanism(text: str | Mechanism, *, universe: str | Universe | None = None) -> Mechanism:
    """Build a mechanism from what one would type.

    Args:
        text: a call, the path of a matrix file, or python:package.module:name.
        universe: for matrix files, what the columns are, when the labels do not say it.

    >>> mechanism("randomized-response(bits=40, keep=3/4)").universe.size
    1099511627776
    """
    if isinstance(text, Mechanism):
        return text
    if not isinstance(text, str):
        raise InvalidInput(f"{text!r} is no mechanism: write a call such as geometric(ratio=2)")
    if text.lower().endswith(SUFFIXES):
        return read_mechanism(Path(text), universe=universe)
    if universe is not None:
        raise InvalidInput(f"{text!r} has its own universe: --universe is for matrix files")
    if text.startswith(_PYTHON):
        return _from_python(text)
    if "." in Path(text).suffix and "(" not in text:
        raise InvalidInput(
            f"{text!r} is no mechanism: write a call such as geometric(ratio=2), or the path of a "
            f"matrix in a {', '.join(SUFFIXES)} file"
        )
    return MECHANISMS.build(text)


def _from_python(text: str) -> Mechanism:
    try:
        found: Any = load(text)
        if callable(found) and not isinstance(found, Mechanism):
            found = found()
    except TwoWorldsError:
        raise
    except Exception as error:  # it is somebody else's code, which may fail in any way
        raise InvalidInput(f"{text!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(found, Mechanism):
        raise InvalidInput(
            f"{text!r} is a {type(found).__name__}: it must be a Mechanism, or return one; "
            "see Dense.from_function"
        )
    return found
