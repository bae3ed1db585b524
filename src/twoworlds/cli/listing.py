"""Listing what can be named on the command line."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from twoworlds.calls import Registry
from twoworlds.cli.render import console, print_json
from twoworlds.definitions import DEFINITIONS
from twoworlds.errors import UnknownName
from twoworlds.mechanisms.registry import MECHANISMS
from twoworlds.noiseless.histograms.sizes import SIZES
from twoworlds.worlds.beliefs import BELIEFS
from twoworlds.worlds.catalogue import STATISTICS, UNIVERSES
from twoworlds.worlds.classes import CLASSES
from twoworlds.worlds.scrubs import SCRUBS
from twoworlds.worlds.sides import SIDES

__all__ = ["show"]

_KINDS: dict[str, Registry[Any]] = {
    "mechanisms": MECHANISMS,
    "definitions": DEFINITIONS,
    "universes": UNIVERSES,
    "statistics": STATISTICS,
    "beliefs": BELIEFS,
    "classes": CLASSES,
    "sides": SIDES,
    "private": SCRUBS,
    "sizes": SIZES,
}

_TITLES = {
    "classes": "classes of beliefs",
    "sides": "side information: what an attacker knows besides",
    "private": "what is private, and what is scrubbed with it",
    "sizes": "laws of the size of a sample",
}


def show(what: str | None, *, as_json: bool) -> None:
    """Print one kind of thing, or all of them."""
    if what is not None and what not in _KINDS:
        raise UnknownName("list", what, _KINDS)
    chosen = {what: _KINDS[what]} if what is not None else _KINDS
    if as_json:
        print_json(
            {
                kind: [
                    {"name": entry.name, "usage": entry.usage, "summary": entry.summary}
                    for entry in registry
                ]
                for kind, registry in chosen.items()
            }
        )
        return
    out = console()
    for kind, registry in chosen.items():
        out.print(Text(_TITLES.get(kind, kind), style="bold"))
        for entry in registry:
            out.print(Text(f"  {entry.usage}", style="cyan"))
            out.print(Text(f"      {entry.summary}"))
        out.print()
