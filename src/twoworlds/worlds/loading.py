"""Python objects of the user by name: ``python:package.module:name``, ``python:./file.py:name``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.worlds.universe import Universe

__all__ = ["is_python", "load", "load_for", "load_function"]

_PYTHON = "python:"


def is_python(text: object) -> bool:
    """Tell whether a text names a Python object.

    >>> is_python("python:statistics:mean"), is_python("parity")
    (True, False)
    """
    return isinstance(text, str) and text.strip().startswith(_PYTHON)


def load(text: str) -> object:
    """Return the object that a text names.

    >>> load("python:statistics:median")((1, 2, 9))
    2

    Raises:
        InvalidInput: when there is no such module or no such name in it.
    """
    module, _, name = text.strip().removeprefix(_PYTHON).partition(":")
    if not module or not name:
        raise InvalidInput(f"{text!r}: write python:package.module:name, or python:./file.py:name")
    try:
        is_file = module.endswith(".py") or "/" in module
        found = _from_file(Path(module)) if is_file else importlib.import_module(module)
        return getattr(found, name)
    except (ImportError, AttributeError, ValueError, OSError) as error:
        raise InvalidInput(f"{text!r} cannot be loaded: {error}") from error


def _from_file(path: Path) -> ModuleType:
    """Run a file as a module; what lies beside it can be imported by it, as by a program."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"there is no Python file {path}: write python:./file.py:name")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # for dataclasses, which look there
    spec.loader.exec_module(module)
    return module


def load_for(text: str, universe: Universe) -> Any:
    """Return the object that a text names or, if that is a function, its value on a universe."""
    found = load(text)
    if not callable(found):
        return found
    try:
        return found(universe)
    except TwoWorldsError:
        raise
    except Exception as error:
        kind = type(error).__name__
        raise InvalidInput(f"{text!r} failed on {universe.expression}: {kind}: {error}") from error


def load_function(text: str) -> Callable[[Any], Any]:
    """Return the function that a text names."""
    found = load(text)
    if not callable(found):
        raise InvalidInput(f"{text!r} is {found!r}, not a function: name a function")
    return found
