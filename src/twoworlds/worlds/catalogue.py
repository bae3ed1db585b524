"""Universes and statistics as calls, ``bits(3)`` or ``histogram()``, and ``python:`` names."""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from twoworlds.calls import Call, Registry, Text, is_python, load, parse
from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError
from twoworlds.numbers import whole
from twoworlds.worlds import statistics
from twoworlds.worlds.records import BitStrings, Integers, Reals, Records
from twoworlds.worlds.statistic import Computed, Statistic
from twoworlds.worlds.statistics import STATISTICS, Batch
from twoworlds.worlds.universe import Explicit, Universe

UNIVERSES: Registry[Universe] = Registry("universe")
_MOST_NAMES = 1 << 20


def universe(text: str | Universe) -> Universe:
    """Build a universe from a call.

    >>> universe("bits(2)").size
    4
    """
    return text if isinstance(text, Universe) else UNIVERSES.build(text)


def read_values(values: Text | int | tuple[object, ...]) -> int | list[object]:
    """Read a set of values: how many there are, or a list of names and whole numbers."""
    if isinstance(values, int):
        return values
    if isinstance(values, str):
        return _listed(whole(values, "values", at_least=1), "values")
    listed: list[object] = []
    for value in values:
        if isinstance(value, list):
            raise InvalidInput(f"values={values}: give a plain list such as [a, b, c]")
        digits = isinstance(value, str) and value.removeprefix("-").isdigit()
        listed.append(int(str(value)) if digits else value)
    return listed


def read_names(given: Text | int, what: str) -> tuple[Hashable, ...]:
    """Read a list of names, or how many there are (then 1, 2, ...)."""
    if isinstance(given, list):
        found = read_values(given)
        return tuple(found) if isinstance(found, list) else ()
    return tuple(range(1, _listed(whole(given, what, at_least=1), what) + 1))


def _listed(many: int, what: str) -> int:
    if many > _MOST_NAMES:
        raise TooLarge(f"{what}={many}: they are listed one by one, up to {what}={_MOST_NAMES}")
    return many


@UNIVERSES.register("bits")
def bits(n: object) -> Universe:
    """All strings of n bits, one bit per person, from 11..1 down to 00..0."""
    return BitStrings(whole(n, "bits", at_least=1))


@UNIVERSES.register("records")
def records(values: Text, n: object, smallest: object = None) -> Universe:
    """All lists of n records over the values; of smallest to n records if given."""
    least = None if smallest is None else whole(smallest, "smallest")
    return Records(read_values(values), whole(n, "n"), smallest=least)


@UNIVERSES.register("integers")
def integers(low: object = None, high: object = None, step: object = 1) -> Universe:
    """The possible true answers of a count or sum; one person moves them by at most step."""
    return Integers(low, high, step)  # type: ignore[arg-type]


@UNIVERSES.register("reals")
def reals(step: object = 1) -> Universe:
    """The possible true answers on the real line; one person moves them by at most step."""
    return Reals(step)  # type: ignore[arg-type]


@UNIVERSES.register("points")
def points(labels: Text) -> Universe:
    """Databases given by their labels, such as healthy and ill."""
    if isinstance(labels, str):
        raise InvalidInput(f"labels={labels}: give a list such as [healthy, ill]")
    return Explicit(tuple(str(label) for label in labels))


def statistic(text: str | Statistic, of: Universe) -> Statistic:
    """Build a statistic from a call; ``values``, and the one size of all databases, are given.

    >>> statistic("histogram", universe("records(values=[a, b], n=3)"))(("a", "a", "b"))
    (2, 1)
    """
    if isinstance(text, Statistic):
        return text
    if is_python(text):
        return _from_python(text)
    call = parse(text)
    if call.name == "batch":  # its parts are statistics of the same universe
        return STATISTICS.build(text, universe=of)
    wanted = inspect.signature(STATISTICS[call.name].build).parameters
    given = {*list(wanted)[: len(call.positional)], *call.named}
    beside: dict[str, object] = {}
    if isinstance(of, Records) and of.fixed and "n" in wanted and "n" not in given:
        beside["n"] = of.n
    values = getattr(of, "values", None)
    if values is not None and "values" in wanted and not {"values", "bins"} & given:
        beside["values"] = list(values)
    built = STATISTICS.build(text, **beside)
    if values is not None:
        _require_values(call, wanted, values, of)
    if type(of).entries is Universe.entries:
        return built
    return Computed(lambda x: built(of.entries(x)), built.name)


def _require_values(
    call: Call, wanted: Mapping[str, object], values: Iterable[object], of: Universe
) -> None:
    """Refuse a value that no record can have: what counts it would be constant, and harmless."""
    given = dict(zip(wanted, call.positional, strict=False)) | call.named
    named = [given.get("value", "1")] if "value" in wanted and call.name != "constant" else []
    for cell in given.get("values", []), *given.get("bins", []):
        named += cell if isinstance(cell, list) else [cell]
    known = {str(value) for value in values}
    for value in named:
        if str(value) not in known:
            raise InvalidInput(
                f"{call.name}: no record of {of.expression} can be {value}; the values are "
                f"{', '.join(sorted(known))}"
            )


def _from_python(text: str) -> Statistic:
    found = load(text)
    if isinstance(found, Statistic):
        return found
    if not callable(found):
        raise InvalidInput(f"{text!r}: write python:package.module:function")
    return Computed(found, text.rpartition(":")[2])


@STATISTICS.register("histogram")
def histogram(values: Text | None = None, bins: Text | None = None) -> Statistic:
    """How many records have each value, or fall in each bin."""
    if isinstance(values, str) or isinstance(bins, str):
        raise InvalidInput("histogram: give values or bins as a list: [a, b] or [[a], [b, c]]")
    return statistics.histogram(values, bins=bins)


@STATISTICS.register("batch")
def batch(*statistics: str | Statistic, universe: Universe | None = None) -> Statistic:
    """Several statistics at once, as one vector, which one person moves as a whole."""
    if universe is None:
        raise InvalidInput("a batch of statistics needs the universe that they are asked about")
    return Batch.of([statistic(one, universe) for one in statistics], universe)


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
