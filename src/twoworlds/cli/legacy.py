"""The commands that are not questions yet."""

from importlib import import_module

from twoworlds.cli.app import app

__all__ = ["app"]

_NAMES = "attacks audit selftest"
for _name in _NAMES.split():
    import_module(f"twoworlds.cli.{_name}")
