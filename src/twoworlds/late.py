"""Names of a package that are loaded when they are first used.

A release should not wait for what it never needs. A package says where its names are found, and
type checkers read the same under ``if TYPE_CHECKING``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["names_of"]


def names_of(
    package: str, places: Mapping[str, tuple[str, ...]], parts: tuple[str, ...] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package.

    Args:
        package: Its name.
        places: For each module of it, the names that are found there.
        parts: Modules that can be used without importing them first.

    A name that is found in a module of the same name means what is in it, never the module, whoever
    imports the module first.
    """
    where = {name: place for place, names in places.items() for name in names}
    same = {name for name, place in where.items() if name == place}

    class Package(ModuleType):
        def __setattr__(self, name: str, value: Any) -> None:
            if name in same and isinstance(value, ModuleType):  # it has just been imported
                value = getattr(value, name)
            super().__setattr__(name, value)

    if same:
        sys.modules[package].__class__ = Package

    def getattr_(name: str) -> Any:
        if name in where:
            found = getattr(import_module(f"{package}.{where[name]}"), name)
            setattr(sys.modules[package], name, found)
            return found
        if name in parts:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def dir_() -> list[str]:
        return sorted({*vars(sys.modules[package]), *where, *parts})

    return getattr_, dir_
