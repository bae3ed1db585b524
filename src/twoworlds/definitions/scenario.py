"""Scenarios: a question of coupled worlds in a short YAML file.

    release: sum                        # a statistic, published exactly; or a mechanism's call
    universe: bits(3)
    beliefs: independent(1/2)           # or a list of them
    side: known(1)                      # what the attacker knows besides; nothing if left out
    private: persons                    # what is private, and what is scrubbed with it
    definitions: [ddp, noiseless]       # which questions to ask
    simulator: optimal
    ratio: 3/2                          # or epsilon
    delta: 1/8                          # leave it out to be told the smallest

Every value is read as text and then exactly, so that 0.1 is one tenth. With ratio and delta each
definition is a claim, with one of them the smallest other number is found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from typing import Any

from twoworlds.calls import parse
from twoworlds.definitions.base import PrivacyDefinition
from twoworlds.definitions.catalogue import DEFINITIONS
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.files import read_yaml
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.named import mechanism as build_mechanism
from twoworlds.worlds.statistics import STATISTICS

_LONGEST = 1 << 20
_REQUIRED = ("release", "beliefs")
_FIELDS = (
    "title",
    *_REQUIRED,
    "universe",
    "side",
    "mixtures",
    "private",
    "secrets",
    "definitions",
    "simulator",
    "ratio",
    "epsilon",
    "delta",
)
_ALIASES = {"definition": "definitions", "belief": "beliefs", "secret": "secrets"}
_NUMBERS = ("ratio", "epsilon", "delta")
_KNOWN_AS = {"private": "scrubs"}
_UNUSED = {
    "side": "none of the definitions speaks of side information",
    "private": "what is private is asked by coupled-worlds and inference-coupled-worlds; "
    "ddp and noiseless speak of each person's entry",
    "secrets": "secrets are asked by pufferfish and inference-pufferfish",
    "simulator": "noiseless and Pufferfish privacy have no simulator",
}


@dataclass(frozen=True)
class Scenario:
    """A release, and what is asked of it.

    >>> text = "{release: parity, universe: bits(2), beliefs: uniform, ratio: 1, delta: 0}"
    >>> [verdict.holds for verdict in Scenario.read(text).verdicts()]
    [True]
    """

    title: str
    mechanism: Mechanism
    definitions: tuple[PrivacyDefinition, ...]
    claims: bool

    @staticmethod
    def read(text: str, source: str = "the scenario") -> Scenario:
        """Read a scenario from YAML."""
        return _scenario(
            _fields(
                read_yaml(text, source, f"'release: sum'; the fields are {', '.join(_FIELDS)}"),
                source,
            ),
            source,
        )

    @staticmethod
    def load(path: Path) -> Scenario:
        """Read a scenario from a file."""
        return Scenario.read(Scenario.text_of(path), str(path))

    @staticmethod
    def text_of(path: Path) -> str:
        """Return the text of a scenario's file."""
        try:
            if path.stat().st_size > _LONGEST:
                raise InvalidInput(f"{path} is longer than a megabyte: a scenario is a short file")
            return path.read_text(encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{path} is not text in UTF-8") from error

    def verdicts(self) -> list[Verdict]:
        """Answer every definition in turn."""
        return [
            asked.check(self.mechanism) if self.claims else asked.tightest(self.mechanism)
            for asked in self.definitions
        ]


def _fields(data: Mapping[str, Any], source: str) -> dict[str, str | list[str]]:
    """Return the fields by their full names, each text or a list of texts."""
    found: dict[str, str | list[str]] = {}
    for given, value in data.items():
        name = _ALIASES.get(given, given)
        if name not in _FIELDS:
            near = get_close_matches(given, _FIELDS, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"the fields are {', '.join(_FIELDS)}"
            raise InvalidInput(f"{source}: unknown field {given!r}; {hint}")
        if name in found:
            raise InvalidInput(f"{source}: {name!r} is given twice")
        found[name] = _texts(name, value, source)
    missing = [name for name in _REQUIRED if name not in found]
    if missing:
        raise InvalidInput(f"{source}: {missing[0]!r} is missing")
    return found


def _texts(name: str, value: Any, source: str) -> str | list[str]:
    if isinstance(value, str):
        if not value.strip():
            raise InvalidInput(f"{source}: {name!r} is empty: leave it out instead")
        return value.strip()
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return [part.strip() for part in value]
    raise InvalidInput(
        f"{source}: {name!r} must be text or a list of texts; calls with commas inside a list "
        "[...] need quotes"
    )


def _scenario(fields: Mapping[str, str | list[str]], source: str) -> Scenario:
    single = {name: value for name, value in fields.items() if isinstance(value, str)}
    for name in ("title", "release", "universe", "simulator", "mixtures", *_NUMBERS):
        if name in fields and name not in single:
            raise InvalidInput(f"{source}: {name!r} takes one value, not a list")
    names = fields.get("definitions", "ddp")
    mechanism = _release(single["release"], single.get("universe"), source)
    numbers = {name: single[name] for name in _NUMBERS if name in single}
    claims = "delta" in numbers and len(numbers) > 1
    built = [
        _definition(name, fields, numbers, source)
        for name in ([names] if isinstance(names, str) else names)
    ]
    _require_used(fields, set().union(*(known for _, known in built)), source)
    asked = tuple(definition for definition, _ in built)
    title = "".join(c for c in single.get("title", source) if c.isprintable())
    return Scenario(title, mechanism, asked, claims)


def _release(text: str, universe: str | None, source: str) -> Mechanism:
    """Read a mechanism's call, or a statistic to publish exactly."""
    exact = text.startswith("python:") or parse(text).name in STATISTICS
    if exact and universe is not None:
        return build_mechanism(f"exact({text}, universe={universe})")
    if exact:
        raise InvalidInput(f"{source}: give a universe such as bits(3) beside the release {text}")
    if universe is not None and parse(text).name == "exact":
        inner = text[text.index("(") + 1 : text.rindex(")")]
        if "universe" not in parse(text).named and len(parse(text).positional) == 1:
            return build_mechanism(f"exact({inner}, universe={universe})")
    return build_mechanism(text, universe=universe) if universe else build_mechanism(text)


def _definition(
    name: str, fields: Mapping[str, str | list[str]], numbers: Mapping[str, str], source: str
) -> tuple[PrivacyDefinition, set[str]]:
    """Build a definition with those fields of the scenario that it knows; return which."""
    called = parse(name)
    if called.name not in DEFINITIONS:
        raise UnknownName("definition", called.name, list(_asked()))
    known = signature(DEFINITIONS[called.name].build).parameters
    if not {"belief", "side"} <= set(known):
        raise InvalidInput(
            f"{source}: {called.name} does not compare worlds under beliefs and side information; "
            f"a scenario asks {', '.join(_asked())}"
        )
    given = {_KNOWN_AS.get(field, field): value for field, value in fields.items()}
    beside: dict[str, object] = {**numbers, "belief": _beliefs(fields)}
    beside |= {
        key: given[key] for key in ("side", "scrubs", "secrets", "simulator") if key in given
    }
    used = {key: value for key, value in beside.items() if key in known and key not in called.named}
    return DEFINITIONS.build(name, **used), set(known)


def _asked() -> Iterator[str]:
    """Yield the definitions that a scenario may ask."""
    for entry in DEFINITIONS:
        if {"belief", "side"} <= set(signature(entry.build).parameters):
            yield entry.name


def _beliefs(fields: Mapping[str, str | list[str]]) -> str:
    """Return the class of beliefs as one call."""
    given = fields["beliefs"]
    text = given if isinstance(given, str) else f"[{', '.join(given)}]"
    mixtures = fields.get("mixtures", "no")
    if mixtures not in ("yes", "no", "true", "false"):
        raise InvalidInput(f"mixtures: {mixtures}: write yes or no")
    return (
        f"hull({text.removeprefix('[').removesuffix(']')})" if mixtures in ("yes", "true") else text
    )


def _require_used(fields: Mapping[str, object], known: set[str], source: str) -> None:
    """Refuse a field that none of the definitions reads: it would be ignored silently."""
    for field in ("side", "private", "secrets", "simulator"):
        if field in fields and _KNOWN_AS.get(field, field) not in known:
            raise InvalidInput(f"{source}: {_UNUSED[field]}")
