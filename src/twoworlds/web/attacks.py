"""The attacks, live, on the tables that come with the program and on nothing else.

Each is the question ``attack NAME``, with the options that name no files; what it answers is the
JSON of that question, with all details. Sizes are limited, since strangers ask.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from twoworlds.errors import InvalidInput, TooLarge, UnknownName
from twoworlds.numbers import whole
from twoworlds.questions import ask
from twoworlds.web.refusals import about, check_text

BUNDLED = ("figure1.csv", "figure2.csv")
_REGISTER = "register.csv"
_MOST_TIMES = 4096

# The options of each that are offered; the rest is refused.
ATTACKS: dict[str, tuple[str, ...]] = {
    "composition": (
        *("tables", "sensitive", "know", "belief", "prior", "population"),
        *("everyone", "on"),
    ),
    "linkage": ("table", "on", "sensitive"),
    "differencing": ("know", "secret", "at_least", "engine", "epsilon"),
    "averaging": ("epsilon", "times", "confidence", "engine", "count", "cap"),
    "membership": (
        *("people", "attributes", "epsilon", "engine", "seed"),
        *("cell", "share", "at_least", "prior"),
    ),
    "reconstruct": ("rows", "queries", "noise", "law", "method", "seed", "engine", "epsilon"),
    "auxiliary": ("topic", "average", "shorter", "people", "published", "ratio"),
}
# What is offered of an option, where it is less than on the command line.
HELP = {
    "tables": f"of the tables that come with the program: {', '.join(BUNDLED)}",
    "table": f"{' or '.join(BUNDLED)}, which come with the program",
    "everyone": f"attack everybody of {_REGISTER}, which comes with the program",
    "topic": "story (if left out), height, or smoking",
}
_TOPICS = ("story", "height", "smoking")
# How large it may be, where no limit of time is enough.
_MOST: dict[str, dict[str, int]] = {
    "membership": {"people": 2000, "attributes": 5000},
    "reconstruct": {"rows": 256, "queries": 1024},
}


def attack(name: str, options: Mapping[str, Any]) -> Any:
    """Run one attack of the gallery.

    Raises:
        UnknownName: when there is no such attack, or it has no such option.
    """
    if name not in ATTACKS:
        raise UnknownName("attack", name, ATTACKS)
    given = {option: value for option, value in options.items() if value is not None}
    for option, value in given.items():
        with about(option):
            if option not in ATTACKS[name]:
                raise UnknownName(f"option of {name}", option, ATTACKS[name])
            texts = value if isinstance(value, list) else [value]
            if option not in ("table", "tables"):  # those are looked up by name
                for text in texts:
                    check_text(str(text), option)
    _check_sizes(name, given)
    try:
        return ask(f"attack {name}", **_ADDED.get(name, dict)(given)).to_dict()
    except InvalidInput as error:
        _blame(error, given)
        raise


def _check_sizes(name: str, given: Mapping[str, Any]) -> None:
    for option, most in _MOST.get(name, {}).items():
        size = 0
        with suppress(InvalidInput):  # the attack itself complains of what is no number
            size = whole(given.get(option, 1), option)
        with about(option):
            if size > most:
                raise TooLarge(f"{option}={size}: the service tries up to {most}")
    times = str(given.get("times", 1)).split(",")
    with about("times"):
        if len(times) > 16 or any(whole(x, "the number of questions") > _MOST_TIMES for x in times):
            raise TooLarge(f"times: at most 16 numbers, of at most {_MOST_TIMES}")


# --- what the service adds: bundled tables, and the example of the page ---------------------------


def _bundled(names: list[str], option: str) -> list[Path]:
    """Return bundled tables by name; nothing that a stranger writes becomes a path."""
    with about(option):
        for one in names or [""]:
            if one not in BUNDLED:
                raise UnknownName("bundled table", str(one), BUNDLED)
    return [Path(one) for one in names]  # a worker's folder is empty: these are the bundled


def _composition(given: dict[str, Any]) -> dict[str, Any]:
    for name in ("prior", "population"):
        with about(name):
            if "=" not in given.get(name, "="):  # the name of a file, on the command line
                raise InvalidInput(f"{name}: write weights such as 'AIDS=1/100, Flu=1/4'")
    found = {"sensitive": "condition", "details": True, **given}
    found["tables"] = _bundled(given.get("tables", [*BUNDLED]), "tables")
    if found.pop("everyone", False):
        return {**found, "everyone": Path(_REGISTER)}
    return {"know": ["zip=13012", "age=28"], **found}


def _linkage(given: dict[str, Any]) -> dict[str, Any]:
    [table] = _bundled([given.get("table", BUNDLED[0])], "table")
    usual = {"on": "zip,age", "sensitive": "condition", "register": Path(_REGISTER)}
    return {**usual, **given, "table": table}


def _membership(given: dict[str, Any]) -> dict[str, Any]:
    return {"people": "100", **given}


def _auxiliary(given: dict[str, Any]) -> dict[str, Any]:
    found = dict(given)
    topic = found.pop("topic", "story")
    with about("topic"):
        if topic not in _TOPICS:
            raise UnknownName("topic", topic, _TOPICS)
    if topic != "story":
        return {**found, "topic": topic}
    for name in found:
        with about(name):
            raise InvalidInput(f"{name} is not for {topic}: leave it out")
    return {}


_ADDED = {
    "composition": _composition,
    "linkage": _linkage,
    "membership": _membership,
    "auxiliary": _auxiliary,
}


def _blame(error: InvalidInput, given: Mapping[str, Any]) -> None:
    """Find the option that a complaint is about: it quotes its value, or a column in it."""
    if error.field is None:
        quoted = [name for name, value in given.items() if _quotes(str(error), value)]
        error.field = quoted[0] if len(quoted) == 1 else None


def _quotes(said: str, value: Any) -> bool:
    texts = [str(one) for one in (value if isinstance(value, list) else [value])]
    parts = [name.partition("=")[0].strip() for one in texts for name in one.split(",")]
    return any(
        f"{one!r}" in said or re.search(rf"={re.escape(one)}\b", said) for one in (*texts, *parts)
    )
