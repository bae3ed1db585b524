"""The sentences of composition and linkage."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

__all__ = ["amount", "contradiction", "listed", "outcome", "plural", "who"]

_NUMBERS = ("none", "one")
_SHOWN = 8


def plural(noun: str) -> str:
    """Return the plural of the name of a column.

    >>> plural("condition"), plural("salary"), plural("diagnosis"), plural("illness")
    ('conditions', 'salaries', 'diagnoses', 'illnesses')
    """
    if noun.endswith("is"):
        return f"{noun[:-2]}es"
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def amount(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> amount(1, "row"), amount(1000, "row")
    ('1 row', '1,000 rows')
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def listed(items: Sequence[str], last: str = "and") -> str:
    """Join words with commas and a last word.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(items) > _SHOWN:
        items = [*items[:_SHOWN], f"{len(items) - _SHOWN:,} more"]
    return f"{', '.join(items[:-1])} {last} {items[-1]}" if len(items) > 1 else "".join(items)


def who(known: Mapping[str, str]) -> str:
    """Say what is known of a person.

    >>> who({"age": "28", "zip": "13012"})
    'Of this person it is known that age is 28 and zip is 13012.'
    """
    if not known:
        return "Of this person nothing is known."
    facts = listed([f"{column} is {value}" for column, value in known.items()])
    return f"Of this person it is known that {facts}."


def outcome(
    sensitive: str,
    names: Sequence[str],
    left: Sequence[Sequence[str]],
    candidates: Sequence[str],
    sets: Collection[str] = (),
) -> str:
    """Say what each table leaves alone, and all of them together.

    Args:
        sensitive: The column that is attacked.
        names: What the tables are called.
        left: What each of them leaves.
        candidates: What all leave together.
        sets: Those of the candidates that are sets, which nobody can count.
    """
    if len(names) == 1:
        counted = "" if _sets(left[0], sets) else f"{amount(len(left[0]), sensitive)}: "
        return f"{names[0]} leaves {counted}{listed(candidates, 'or')}."
    alone = _alone(sensitive, names, left, sets)
    if not candidates:
        return (
            f"{alone}; together they leave none: the tables contradict each other, so this person "
            "is missing from one of them, or something known is wrong."
        )
    number = _NUMBERS[1] if len(candidates) == 1 else str(len(candidates))
    counted = "" if _sets(candidates, sets) else f"{number}: "
    said = f"{alone}; together they leave {counted}{listed(candidates, 'or')}."
    if len(candidates) > 1 or _sets(candidates, sets):
        return said
    certain = [
        name
        for name, mine in zip(names, left, strict=True)
        if len(mine) == 1 and not _sets(mine, sets)
    ]
    if certain:
        said += f" {listed(certain)} alone {'says' if len(certain) == 1 else 'say'} it already."
    return said


def _sets(labels: Sequence[str], sets: Collection[str]) -> bool:
    return any(label in sets for label in labels)


def _alone(
    sensitive: str, names: Sequence[str], left: Sequence[Sequence[str]], sets: Collection[str]
) -> str:
    if any(_sets(mine, sets) for mine in left):
        parts = [
            f"{name} leaves "
            + (listed(mine, "or") if _sets(mine, sets) else amount(len(mine), sensitive))
            for name, mine in zip(names, left, strict=True)
        ]
        return f"Alone, {listed(parts)}"
    numbers = [len(mine) for mine in left]
    if set(numbers) == {1}:
        return f"Each table alone leaves {amount(1, sensitive)}"
    return f"Each table alone leaves {listed([f'{n:,}' for n in numbers])} {plural(sensitive)}"


def contradiction(
    absent: Mapping[str, Mapping[str, Sequence[str]]], known: Mapping[str, str]
) -> str:
    """Say which tables exclude the person, and by which columns."""
    reasons = []
    for table, excluded in absent.items():
        reasons += [
            f"no row of {table} matches {column}={known[column]} (there it is "
            f"{listed(list(cells), 'or')})"
            for column, cells in excluded.items()
        ]
        if not excluded:
            together = listed([f"{column}={value}" for column, value in known.items()])
            reasons.append(f"no row of {table} matches {together} together")
    return (
        f"Nobody matches: {'; '.join(reasons)}. So this person is not in {listed([*absent])}, or "
        "something known is wrong: no candidate is left."
    )
