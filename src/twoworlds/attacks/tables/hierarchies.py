"""Hierarchies: how the values of a column are coarsened, step by step.

Level 0 is the value itself, each further level lumps together what the level below tells apart, and
the last level, which is added where it is missing, is ``*``. Declared ways:

    mask()                      13012, 1301*, 130**, 13***, 1****, *
    intervals([5, 10, 20])      34, 30-34, 30-39, 20-39, *
    tree({"Europe": ["French", "German"], ...})    German, Europe, *
    suppress()                  f, *

A value that a hierarchy does not cover is refused, never guessed. Levels are checked: a value that
a higher level would put apart from one that a lower level put it together with is refused too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import floor
from pathlib import Path
from typing import Any

from twoworlds.attacks.tables.cells import plain_number
from twoworlds.attacks.tables.table import read_lines
from twoworlds.errors import InvalidInput
from twoworlds.files import read_yaml

STAR = "*"
_EXAMPLE = "zip: mask"


# The values of a column, and what they are at all levels, from themselves to ``*``. It refuses a
# value that is not covered, with its column.
Hierarchy = Callable[[str, Sequence[str]], list[list[str]]]


def _hierarchy(steps: Callable[[str, Sequence[str]], Iterable[list[str]]]) -> Hierarchy:
    """Add the values themselves, and ``*`` where it is missing, and check that levels nest."""

    def levels(column: str, values: Sequence[str]) -> list[list[str]]:
        found = [list(values), *steps(column, values)]
        if set(found[-1]) != {STAR}:
            found.append([STAR] * len(values))
        for number, (lower, upper) in enumerate(pairwise(found), start=1):
            seen: dict[str, str] = {}
            for below, above in zip(lower, upper, strict=True):
                if seen.setdefault(below, above) != above:
                    raise InvalidInput(
                        f"the hierarchy of {column} puts {below!r} under both {seen[below]!r} and "
                        f"{above!r} at level {number}: what was lumped together stays together"
                    )
        return found

    return levels


def mask(side: str = "right") -> Hierarchy:
    """Hide one character after the other, from the right or from the left."""
    if side not in ("right", "left"):
        raise InvalidInput(f"mask={side!r}: hide characters from the 'right' or from the 'left'")

    def steps(column: str, values: Sequence[str]) -> Iterator[list[str]]:
        size = len(values[0])
        for value in values:
            if len(value) != size:
                raise InvalidInput(
                    f"{column} has {values[0]!r} and {value!r}, of {size} and {len(value)} "
                    "characters: a mask needs values of one length; fill them up, or declare a tree"
                )
            if STAR in value:
                raise InvalidInput(
                    f"{column} has {value!r}, which is masked already: start from the plain values"
                )
        for hidden in range(1, size):
            stars = STAR * hidden
            if side == "right":
                yield [value[: size - hidden] + stars for value in values]
            else:
                yield [stars + value[hidden:] for value in values]

    return _hierarchy(steps)


def intervals(widths: Sequence[object], *, start: object = 0) -> Hierarchy:
    """Replace numbers by intervals of growing width.

    Args:
        widths: The width at each level, each a multiple of the one before.
        start: Where an interval begins.

    >>> intervals([5, 10])("age", ["34", "36"])
    [['34', '36'], ['30-34', '35-39'], ['30-39', '30-39'], ['*', '*']]
    """
    given: object = widths
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise InvalidInput(f"intervals={widths!r}: give a list of widths, such as [5, 10, 20]")
    read, begin = [_number(width, "width") for width in widths], _number(start, "start")
    for width, wider in pairwise([Fraction(0), *read]):
        if wider <= width or (width and (wider / width).denominator > 1):
            raise InvalidInput(
                f"the widths of intervals are above 0, and each is a multiple of the one before: "
                f"{_written(wider)} after {_written(width)} is not"
            )

    def steps(column: str, values: Sequence[str]) -> Iterator[list[str]]:
        numbers = []
        for value in values:
            number = plain_number(value.strip())
            if number is None:
                raise InvalidInput(
                    f"{column} has {value!r}, which is not a plain number: intervals cover numbers "
                    "only; change the value, or declare a tree"
                )
            numbers.append(number)
        whole = all(one.denominator == 1 for one in (*numbers, *read, begin))
        for width in read:
            lows = [begin + width * floor((one - begin) / width) for one in numbers]
            if whole:
                yield [f"{low}-{low + width - 1}" if width > 1 else str(low) for low in lows]
            else:
                yield [f"[{_written(low)}, {_written(low + width)})" for low in lows]

    return _hierarchy(steps)


def suppress() -> Hierarchy:
    """Keep the value, or hide it."""
    return _hierarchy(lambda *_: ())


def tree(names: Mapping[str, Any]) -> Hierarchy:
    """Replace values by what they belong to.

    To each name belongs a list of values, or a mapping of the same kind.

    >>> tree({"Europe": ["French", "German"], "Asia": ["Thai"]})("from", ["Thai", "German"])
    [['Thai', 'German'], ['Asia', 'Europe'], ['*', '*']]
    """
    given: object = names
    if not isinstance(given, Mapping) or not given:
        raise InvalidInput("a tree is a mapping such as {'Europe': ['French', 'German']}")
    paths = list(_paths(names, ()))
    depth = max(len(path) for path in paths)
    # A value that is not as deep as others stays itself for some levels.
    return _tree([(path[0],) * (depth - len(path)) + path for path in paths], "the tree")


def read_hierarchies(path: str | Path) -> dict[str, Hierarchy]:
    """Read a YAML file that declares a hierarchy for each column.

    For example::

        zip: mask
        age: {intervals: [5, 10, 20], start: 0}
        nationality: {tree: {Europe: [French, German], Asia: [Thai]}}
        occupation: {file: occupation.csv}
        sex: suppress

    A file has in each line a value, then what it is at level 1, 2 and so on, with commas or
    semicolons between; there is no header.
    """
    place = Path(path)
    try:
        text = place.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise InvalidInput(f"the hierarchies {place} cannot be read: {reason}") from error
    declared = read_yaml(text, str(place), _EXAMPLE)
    return {column: _declared(column, how, place.parent) for column, how in declared.items()}


def _declared(column: str, how: object, folder: Path) -> Hierarchy:
    fields = dict(how) if isinstance(how, Mapping) else {str(how): None}
    match fields:
        case {"mask": side, **rest} if not rest:
            return mask("right" if side is None else str(side))
        case {"suppress": _, **rest} if not rest:
            return suppress()
        case {"intervals": widths, **rest} if not rest.keys() - {"start"} and widths is not None:
            return intervals(widths, start=rest.get("start", 0))
        case {"tree": names, **rest} if not rest and names is not None:
            return tree(names)
        case {"file": name, **rest} if not rest and name is not None:
            path = folder / str(name)
            lines = read_lines(path, f"the hierarchy {path}", ",;")
            if not lines:
                raise InvalidInput(
                    f"the hierarchy {path} is empty: write a value and its levels per line"
                )
            return _tree([tuple(cell.strip() for cell in row) for row in lines], str(path))
    raise InvalidInput(
        f"the hierarchy of {column} is {how!r}: declare mask, suppress, intervals: [5, 10], "
        "tree: {Europe: [French]} or file: NAME.csv"
    )


def _paths(names: object, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(names, Mapping):
        for name, below in names.items():
            yield from _paths(below, (str(name), *above))
    elif isinstance(names, Sequence) and not isinstance(names, str):
        for value in names:
            yield from [(str(value), *above)] if isinstance(value, str) else _paths(value, above)
    else:
        raise InvalidInput(
            f"a tree ends in lists of values, and {above[0] if above else 'it'!s} has {names!r}: "
            "write [French, German]"
        )


def _tree(lines: Sequence[tuple[str, ...]], source: str) -> Hierarchy:
    found: dict[str, tuple[str, ...]] = {}
    for value, *above in lines:
        if len(above) != len(lines[0]) - 1:
            raise InvalidInput(
                f"{source} has {len(above)} levels for {value!r} and {len(lines[0]) - 1} for "
                f"{lines[0][0]!r}: give every value as many"
            )
        if value in found:
            raise InvalidInput(f"{source} has {value!r} twice: a value belongs to one place")
        found[value] = tuple(above)

    def steps(column: str, values: Sequence[str]) -> Iterator[list[str]]:
        for value in values:
            if value not in found:
                raise InvalidInput(
                    f"{column} has {value!r}, which its hierarchy does not cover: add it"
                )
        for level in range(len(lines[0]) - 1):
            yield [found[value][level] for value in values]

    return _hierarchy(steps)


def _number(value: object, name: str) -> Fraction:
    read = plain_number(str(value).strip())
    if read is None or isinstance(value, bool):
        raise InvalidInput(f"{name}={value!r} is not a plain number such as 5 or 0.5")
    return read


def _written(value: Fraction) -> str:
    """Write a number that came as digits and a point the same way."""
    return f"{Decimal(value.numerator) / value.denominator:f}"
