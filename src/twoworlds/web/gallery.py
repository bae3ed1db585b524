"""The attacks, live, on the tables that come with the program and on nothing else.

Each takes the options of its command, ``twoworlds attack NAME``, but those that name files, and
returns the JSON of that command, with all details.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from twoworlds.errors import InvalidInput, TooLarge, UnknownName
from twoworlds.numbers import whole
from twoworlds.web.reading import check_text
from twoworlds.web.refusals import about

__all__ = ["ATTACKS", "attack"]

_STORY = ("department=physics", "sex=f", "job=professor")
_SECRET = "depressed=yes"
_TABLES = ("figure1.csv", "figure2.csv")
_REGISTER = "register.csv"
_MOST_ROWS, _MOST_SUMS = 256, 1024
_MOST_PEOPLE, _MOST_ATTRIBUTES = 2000, 5000


def attack(name: str, options: Mapping[str, Any]) -> Any:
    """Run one attack of the gallery."""
    if name not in ATTACKS:
        raise UnknownName("attack", name, ATTACKS)
    run, takes = ATTACKS[name]
    for option in options:
        if option not in takes:
            with about(option):
                raise UnknownName(f"option of {name}", option, takes)
    given = {option: value for option, value in options.items() if value is not None}
    try:
        return run(given)
    except InvalidInput as error:
        _blame(error, given, takes)
        raise


# What the attacks call their numbers, where they do not call them by their options.
_CALLED = {
    "the number of questions": "times",
    "the number of people": "people",
    "the number of attributes": "attributes",
    "the limit on the size of a set": "at_least",
    "the limit of a cell": "at_least",
    "the seed": "seed",
}


def _blame(error: InvalidInput, given: Mapping[str, Any], takes: Sequence[str]) -> None:
    """Find the option that a complaint is about: it begins with its name, or quotes its value."""
    said = str(error)
    named = [name for name in takes if said.startswith((f"{name}=", f"{name} "))]
    named += [name for words, name in _CALLED.items() if said.startswith(words) and name in takes]
    if said.startswith("no weight"):
        named += [name for name in ("prior", "population") if name in given]
    quoted = [
        name for name, value in given.items() if any(f"{one!r}" in said for one in _parts(value))
    ]
    for found in (named, quoted):
        if len(found) == 1:
            error.field = found[0]  # type: ignore[attr-defined]
            return


def _parts(value: Any) -> list[str]:
    """Return what a complaint may quote of a value: itself, or the columns that it names."""
    listed = [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
    return [str(value), *listed, *(one.partition("=")[0].strip() for one in listed)]


def _text(options: Mapping[str, Any], name: str, usual: str | None = None) -> Any:
    value = options.get(name, usual)
    with about(name):
        if value is None:
            return None
        if not isinstance(value, str):
            raise InvalidInput(f"{name} must be one text or number")
        return check_text(value, name)


def _texts(options: Mapping[str, Any], name: str, usual: Sequence[str]) -> list[str]:
    value = options.get(name, [*usual])
    with about(name):
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise InvalidInput(f"{name} must be a list of texts, such as ['age=28']")
        return [check_text(one, name) for one in value]


def _flag(options: Mapping[str, Any], name: str) -> bool:
    value = options.get(name, False)
    with about(name):
        if not isinstance(value, bool):
            raise InvalidInput(f"{name} must be true or false")
        return value


def _count(options: Mapping[str, Any], name: str, usual: int, most: int) -> int:
    text = _text(options, name, str(usual))
    with about(name):
        found = whole(text, _WORDS.get(name, name), at_least=1)
        if found > most:
            raise TooLarge(f"{name}={found}: the service tries up to {most}")
        return found


_WORDS = {name: words for words, name in _CALLED.items() if name in ("people", "attributes")}


def _tables(options: Mapping[str, Any]) -> list[Path]:
    """Return bundled tables by name; nothing that a stranger writes becomes a path."""
    value = options.get("tables", [*_TABLES])
    with about("tables"):
        if not isinstance(value, list) or not value:
            raise InvalidInput(f"tables must be a list of {', '.join(_TABLES)}")
        for one in value:
            if one not in _TABLES:
                raise UnknownName("bundled table", str(one), _TABLES)
        return [Path(one) for one in value]  # a worker's folder is empty: these are the bundled


def _weights(options: Mapping[str, Any], name: str) -> str | None:
    text: str | None = _text(options, name)
    with about(name):
        if text is not None and "=" not in text:  # the name of a file, on the command line
            raise InvalidInput(f"{name}: write weights such as 'AIDS=1/100, Flu=1/4'")
        return text


def _known(pairs: Sequence[str]) -> dict[str, str]:
    known: dict[str, str] = {}
    for pair in pairs:
        column, equals, value = pair.partition("=")
        if not equals or not column.strip() or column.strip() in known:
            raise InvalidInput(f"know {pair!r}: write a column and its value once, as in age=28")
        known[column.strip()] = value
    return known


# --- tables -------------------------------------------------------------------------------------


def _composition(options: Mapping[str, Any]) -> Any:
    from twoworlds.attacks import compose, expose

    tables, sensitive = _tables(options), _text(options, "sensitive", "condition")
    if _flag(options, "everyone"):
        with about("on"):
            return expose(
                tables,
                Path(_REGISTER),
                sensitive,
                on=_text(options, "on"),
                prior=_weights(options, "prior"),
                population=_weights(options, "population"),
            ).to_dict()
    with about("know"):
        known = _known(_texts(options, "know", ("zip=13012", "age=28")))
    with about("sensitive"):
        found = compose(
            tables,
            known,
            sensitive,
            belief=_text(options, "belief", "independent"),
            prior=_weights(options, "prior"),
            population=_weights(options, "population"),
        )
    return found.to_dict()


def _linkage(options: Mapping[str, Any]) -> Any:
    from twoworlds.attacks import link

    [table] = _tables({"tables": [options.get("table", _TABLES[0])]})
    with about("on"):
        return link(
            Path(_REGISTER),
            table,
            _text(options, "on", "zip,age"),
            sensitive=_text(options, "sensitive", "condition"),
        ).to_dict()


# --- counts -------------------------------------------------------------------------------------


def _staff() -> Path:
    return Path(str(files("twoworlds.attacks.queries").joinpath("data", "staff.csv")))


def _differencing(options: Mapping[str, Any]) -> Any:
    from twoworlds.attacks.queries import ExactServer, equal, single_out
    from twoworlds.attacks.queries.differencing import against_engine

    with ExactServer(_staff(), at_least=_text(options, "at_least", "5")) as server:
        with about("secret"):
            hidden = equal(server.kinds, _text(options, "secret", _SECRET))
        with about("know"):
            known = [equal(server.kinds, text) for text in _texts(options, "know", _STORY)]
            found = single_out(server, known, hidden)
        beside = {}
        if _flag(options, "engine"):
            epsilon = _text(options, "epsilon", "1")
            with about("epsilon"):
                beside = {"engine": against_engine(server, found.attempts[-1], epsilon).to_dict()}
    return {**found.to_dict(), **beside}


def _averaging(options: Mapping[str, Any]) -> Any:
    from twoworlds.attacks.queries import ExactServer, average_out, equal
    from twoworlds.attacks.queries.averaging import against_engine

    epsilon, confidence = _text(options, "epsilon", "1/2"), _text(options, "confidence", "95%")
    times = _text(options, "times", "1,4,16,64,256").split(",")
    with about("times"):
        if len(times) > 16 or any(whole(one, "the number of questions") > 4096 for one in times):
            raise TooLarge("times: at most 16 numbers, of at most 4096")
        found = average_out(epsilon, times, confidence=confidence)
    if not _flag(options, "engine"):
        return found.to_dict()
    with ExactServer(_staff()) as server, about("count"):
        asked = equal(server.kinds, _text(options, "count", _SECRET))
        repeated = against_engine(server, asked, epsilon=epsilon, cap=_text(options, "cap", "2"))
    return {**found.to_dict(), "engine": repeated.to_dict()}


def _membership(options: Mapping[str, Any]) -> Any:
    from twoworlds.attacks.queries import membership_in_histogram, study

    people = str(_count(options, "people", 100, _MOST_PEOPLE))
    cell = _text(options, "cell")
    if cell is not None:
        with about("cell"):
            return membership_in_histogram(
                None if cell == "hidden" else cell,
                _text(options, "share", "1/100"),
                people,
                at_least=_text(options, "at_least", "3"),
                prior=_text(options, "prior", "1/2"),
            ).to_dict()
    attributes = str(_count(options, "attributes", 1000, _MOST_ATTRIBUTES))
    with about("epsilon"):
        return study(
            people,
            attributes,
            epsilon=_text(options, "epsilon"),
            seed=_text(options, "seed", "0"),
            engine=_flag(options, "engine"),
        ).to_dict()


# --- sums, and what else is known ---------------------------------------------------------------


def _reconstruct(options: Mapping[str, Any]) -> Any:
    from twoworlds.attacks.reconstruction import against_engine, simulate

    method: Any = _text(options, "method", "lp")
    law: Any = _text(options, "law", "laplace")
    seed = whole(_text(options, "seed", "0"), "seed")
    if _flag(options, "engine"):
        with about("epsilon"):
            return against_engine(
                _count(options, "rows", 96, _MOST_ROWS),
                _count(options, "queries", 256, _MOST_SUMS),
                epsilon=_text(options, "epsilon", "1"),
                method=method,
                seed=seed,
            ).to_dict()
    with about("noise"):
        return simulate(
            _count(options, "rows", 128, _MOST_ROWS),
            _count(options, "queries", 512, _MOST_SUMS),
            noise=_text(options, "noise", "2"),
            law=law,
            method=method,
            seed=seed,
        ).to_dict()


def _auxiliary(options: Mapping[str, Any]) -> Any:
    from twoworlds.attacks.auxiliary import FuzzyExtractor, attack, count_law, height, smoking
    from twoworlds.attacks.auxiliary import extractor as build

    topic = _text(options, "topic", "story")
    given = {name: _text(options, name) for name in options if name != "topic"}
    takes = {"story": (), "height": ("average", "shorter"), "smoking": _SMOKING}
    with about("topic"):
        if topic not in takes:
            raise UnknownName("topic", topic, takes)
    for name in given:
        with about(name):
            if name not in takes[topic]:
                raise InvalidInput(f"{name} is not for {topic}: leave it out")
    if topic == "height":
        with about("average"):
            return height(**given).to_dict()
    if topic == "smoking":
        with about("people"):
            if given.get("ratio") == "none":
                given["ratio"] = None
            return smoking(**given).to_dict()
    law = count_law(8)
    found = attack(law, FuzzyExtractor(build("inner-product", law.bits, 1)))
    return {"height": height().to_dict(), "theorem": found.to_dict()}


_SMOKING = ("people", "published", "ratio")

# What runs each attack, and which options it takes; the rest is refused.
ATTACKS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "composition": (
        _composition,
        ("tables", "sensitive", "know", "belief", "prior", "population", "everyone", "on"),
    ),
    "linkage": (_linkage, ("table", "on", "sensitive")),
    "differencing": (_differencing, ("know", "secret", "at_least", "engine", "epsilon")),
    "averaging": (_averaging, ("epsilon", "times", "confidence", "engine", "count", "cap")),
    "membership": (
        _membership,
        (
            "people",
            "attributes",
            "epsilon",
            "engine",
            "seed",
            "cell",
            "share",
            "at_least",
            "prior",
        ),
    ),
    "reconstruct": (
        _reconstruct,
        ("rows", "queries", "noise", "law", "method", "seed", "engine", "epsilon"),
    ),
    "auxiliary": (_auxiliary, ("topic", "average", "shorter", *_SMOKING)),
}
