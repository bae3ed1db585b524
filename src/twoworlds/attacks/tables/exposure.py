"""Exposure: how many people of a register several anonymised tables pin down together.

For every person of the register, what `twoworlds.attacks.tables.composition` computes for one: the
rows of each table that can be theirs, the sensitive values that each table leaves, and those that
all tables leave together. It is computed once for all people of a kind
(`twoworlds.attacks.tables.linkage`).

What an attacker *expects* of guessing everybody's likeliest value follows from the attacker's
belief, one of `twoworlds.attacks.tables.beliefs`, and is wrong where that belief is: it takes the
people behind matching rows of different tables for different ones, and often they are the same.
Where the register gives somebody's sensitive value itself, that value is held back from the attack,
and right guesses are counted. Their share is what to expect of the others, if they are like these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.attacks.tables.beliefs import Sensitive, TableBelief, Way
from twoworlds.attacks.tables.linkage import (
    KnownValues,
    MatchedPeople,
    first_rows,
    kinds,
    match,
    same_cells,
)
from twoworlds.attacks.tables.table import (
    LoadedTable,
    Origin,
    check_columns,
    check_known,
    listed,
    load,
    load_all,
    named,
    named_columns,
    opened,
    repeated,
)
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput
from twoworlds.numbers import counted, decimal
from twoworlds.progress import track
from twoworlds.show import Told

# Of each kind of people, for each table the number of candidates that it leaves and whether that is
# one value (None for a table that they do not match), and the same of all tables together.
_Left = dict[int, tuple[tuple[tuple[int, bool] | None, ...], tuple[int, bool] | None]]


def expose(
    tables: Sequence[Origin] | Mapping[str, Origin],
    register: Origin,
    sensitive: str,
    *,
    on: str | Sequence[str] | None = None,
    most: int = 10,
    prior: str | Mapping[str, object] | None = None,
    population: str | Mapping[str, object] | None = None,
) -> Told:
    """Put several tables together for everybody in a register.

    Args:
        tables: As `compose` takes them.
        register: The people, with what is known of each; likewise. The sensitive column, if it has
            one, is held back from the attack, and guesses are compared with it.
        sensitive: The column that is attacked.
        on: The columns that are known; by default all of the register that some table has.
        most: How many people who are pinned down are listed.
        prior: Weights of everybody's values beforehand, as `compose` takes them.
        population: Weights of the values of the other people in the tables, likewise.

    >>> expose(["figure1.csv", "figure2.csv"], "register.csv", "condition").data["pinned"]
    3
    """
    belief = TableBelief.read("independent", prior, population)
    origins = named(tables)
    with opened() as connection:
        everybody = load(connection, named([register])[0][0], register, None)
        columns = [column for column in everybody.columns if column != sensitive]
        if on is not None:
            columns = named_columns(on, "on", sensitive)
            check_columns(everybody.name, everybody.columns, columns)
        loaded = load_all(connection, origins, columns, [sensitive])
        if on is None:
            columns = [one for one in columns if any(one in table.columns for table in loaded)]
        if not columns:
            raise InvalidInput(f"{everybody.name} and the tables share no column: nothing is known")
        check_known(loaded, columns)
        match(everybody, loaded, columns, sensitive)
        cells = Sensitive(table.texts(sensitive) for table in loaded)
        if not all(one.is_value for one in cells.read.values()):
            belief = replace(belief, sets=True)
        people = kinds(everybody, len(loaded))
        choices = {
            one.id: cells.choices(one.counts) if all(one.groups) else []
            for one in track(people, "putting tables together", total=len(people))
        }
        left = _left(people, choices, cells)
        guesses = _guesses(everybody, people, choices, columns, sensitive, belief, cells)
        # The kinds that are pinned down, and whether they are only by all tables together
        pinned = {
            one: not any(alone is not None and alone[1] for alone in left[one][0])
            for one in left
            if (together := left[one][1]) is not None and together[1]
        }
        ranks = {one: not together for one, together in pinned.items()}
        victims = [
            {
                "row": row,
                "person": everybody.row(row),
                "value": next(iter(cells.ways(choices[kind]))),
                "candidates_alone": tuple(alone[0] for alone in left[kind][0] if alone),
            }
            for row, kind in first_rows(everybody, ranks, columns, most)
        ]
    numbers: Counter[int] = Counter()
    for kind in people:
        if (together := left[kind.id][1]) is not None:
            numbers[together[0]] += kind.people
    found = {
        "on": tuple(columns),
        "sensitive": sensitive,
        "people": everybody.rows,
        "tables": tuple(_share(table, i, people, left, pinned) for i, table in enumerate(loaded)),
        "in_all_tables": numbers.total(),
        # 0 candidates are left when the tables contradict each other
        "people_by_candidates_left": dict(sorted(numbers.items())),
        "pinned": sum(one.people for one in people if one.id in pinned),
        "pinned_only_together": sum(one.people for one in people if pinned.get(one.id)),
        **guesses,
        # Those first whom no table gives away alone
        "victims": tuple(victims),
        **belief.fields(),
        "notes": tuple(repeated(origins)),
    }
    said = _sentence(found)
    answer = Answer.of(said, *_blocks(found), notes=found["notes"])
    return Told(answer, {"sentence": said, **found})


def _sentence(found: Mapping[str, Any]) -> str:
    """Say the outcome in a few sentences."""
    known, everywhere = listed(found["on"]), found["in_all_tables"]
    register = counted(found["people"], "person")
    if not everywhere:
        return f"Nobody of {register} matches all tables by {known}."
    pinned = [f"{one['pinned_alone_of_those_pinned_together']:,}" for one in found["tables"]]
    how = (
        f": {listed(pinned)} by each table alone, and {found['pinned_only_together']:,} only by "
        "putting the tables together"
    )
    return (
        f"The {found['sensitive']} of {found['pinned']:,} of {counted(everywhere, 'person')} who "
        f"can be in all tables is pinned down{how if len(pinned) > 1 else ''}. The register has "
        f"{register}, of whom {known} {'is' if len(found['on']) == 1 else 'are'} known."
    )


def _blocks(found: Mapping[str, Any]) -> Iterator[Block]:
    sensitive, pinned, victims = (found[name] for name in ("sensitive", "pinned", "victims"))
    everywhere = found["in_all_tables"]
    alone = {
        one["table"]: (one["pinned_alone"], one["pinned_alone_of_those_pinned_together"])
        for one in found["tables"]
    }
    lines = []
    if len(alone) > 1 and any(number > enough for number, enough in alone.values()):
        pins = [f"{name} alone pins down {number:,}" for name, (number, _) in alone.items()]
        lines.append(
            "Of all who can be in a table, whether they can be in the others or not, "
            f"{listed(pins)}."
        )
    if contradicted := found["people_by_candidates_left"].get(0, 0):
        lines.append(
            f"The tables contradict each other about {contradicted:,} of them: these people "
            "are missing from a table that they match."
        )
    yield Said([*lines, *_guessing(found)])
    if victims:
        columns = [one for one in victims[0]["person"] if one != sensitive]
        heads = ["row", *columns, sensitive, *(f"{name} leaves" for name in alone)]
        rows = [
            [
                str(one["row"]),
                *(one["person"][column] or "" for column in columns),
                one["value"],
                *map(str, one["candidates_alone"]),
            ]
            for one in victims
        ]
        yield Table(heads, rows)
    if left := pinned - len(victims):
        more = f"{counted(left, 'person')} more {'is' if left == 1 else 'are'} pinned down"
        yield Said([f"{more}: expose(..., most=N) in Python lists N."])
    if everywhere:
        shares = {f"by {name} alone": enough for name, (_, enough) in alone.items()}
        together = {"by all together": pinned} if len(alone) > 1 else {}
        drawn = {name: Fraction(n, everywhere) for name, n in {**shares, **together}.items()}
        title = f"Pinned down, of the {everywhere:,} who can be in all tables"
        yield Bars(title, drawn, orange=list(together))


def _guessing(found: Mapping[str, Any]) -> Iterator[str]:
    """Say what the attacker expects, on which grounds, and what is right."""
    people, sensitive, held = found["guesses"], found["sensitive"], found["held_back"]
    if not people:
        return
    _, *believed = found["assumptions"]
    yield (
        f"Guessing the likeliest {sensitive} of each, an attacker expects to be right "
        f"{_times(found['expected_right_guesses'], people)}, if they are in all tables. This "
        "expectation is the attacker's, not a count, and follows from what the attacker believes: "
        f"{'; '.join(believed)}."
    )
    calibrated = held["right_guesses_of_the_others"]
    if calibrated is None:
        yield (
            "It is too high where the same people stand behind matching rows of several "
            f"tables; a register that gives the {sensitive} of some people shows by how much."
        )
        return
    yield (
        f"The register gives the {sensitive} of {held['people']:,} of them, which the attack "
        f"does not use: guesses about these are right "
        f"{_times(held['right_guesses'], held['people'])}, "
        f"where {decimal(held['expected_right_guesses'], 6, 'about')} are expected."
    )
    if others := people - held["people"]:
        yield (
            f"At that rate {decimal(calibrated, 6, 'about')} of the guesses about the "
            f"other {others:,} are right, if they are like these."
        )


def _left(
    people: Sequence[MatchedPeople], choices: Mapping[int, Sequence[Way]], cells: Sensitive
) -> _Left:
    def of(some: Sequence[Way]) -> tuple[int, bool]:
        found = [cells.named(cell) for cell, _, _ in some]
        labels = {label for one in found for label in one}
        return len(labels), len(labels) == 1 and not any(any(one.values()) for one in found)

    seen: dict[tuple[int, tuple[int, ...]], tuple[int, bool] | None] = {}
    for kind in people:
        for key, counts in zip(enumerate(kind.groups), kind.counts, strict=True):
            if key not in seen:
                seen[key] = of(cells.choices([counts])) if key[1] else None
    return {
        kind.id: (
            tuple(seen[key] for key in enumerate(kind.groups)),
            of(choices[kind.id]) if all(kind.groups) else None,
        )
        for kind in people
    }


def _guesses(
    register: LoadedTable,
    people: Sequence[MatchedPeople],
    choices: Mapping[int, Sequence[Way]],
    known: Sequence[str],
    sensitive: str,
    belief: TableBelief,
    cells: Sensitive,
) -> dict[str, Any]:
    """Guess everybody's value, and compare with what the register gives."""
    likeliest: dict[int, tuple[Fraction, list[str]]] = {}
    expected, guessed = Fraction(0), 0
    for kind in people:
        some = choices[kind.id]
        if weights := belief.weights(some, cells) if some else {}:
            most, total = max(weights.values()), sum(weights.values())
            share = Fraction(most) / total
            likeliest[kind.id] = share, [one for one in weights if weights[one] == most]
            expected += share * kind.people
            guessed += kind.people
    seen: list[tuple[int, str, int]] = []
    if sensitive in register.columns:
        value = f"r.{register.columns[sensitive]}"
        seen = register.fetch(
            f"SELECT p.kind, {value}, count(*) FROM signed AS p JOIN {register.place} AS r ON "
            f"{same_cells(register, known, 'p', 'r')} WHERE {value} IS NOT NULL GROUP BY ALL"
        )
        seen = [one for one in seen if one[0] in likeliest]
    labels = {label for kind, _, _ in seen for label in likeliest[kind][1]}
    agree = set(KnownValues({truth for _, truth, _ in seen}).pairs(labels))
    right = Fraction(0)
    for one, truth, many in seen:
        best = likeliest[one][1]
        right += Fraction(many * sum((truth, label) in agree for label in best), len(best))
    held_back = sum(many for _, _, many in seen)
    sure = sum((likeliest[kind][0] * many for kind, _, many in seen), start=Fraction(0))
    return {
        "guesses": guessed,
        "expected_right_guesses": expected,
        "held_back": {
            "people": held_back,
            "expected_right_guesses": sure,
            # Of several values that are likeliest, any may be guessed, so they count in part.
            "right_guesses": right,
            # At the rate of those held back
            "right_guesses_of_the_others": right / held_back * (guessed - held_back)
            if held_back
            else None,
        },
    }


def _share(
    table: LoadedTable,
    i: int,
    people: Sequence[MatchedPeople],
    left: _Left,
    pinned: Mapping[int, bool],
) -> dict[str, Any]:
    """Return what one table does to the people of the register."""
    inside = [(one, found[1]) for one in people if (found := left[one.id][0][i]) is not None]
    alone = [one for one, is_pinned in inside if is_pinned]
    return {
        "table": table.name,
        "rows": table.rows,
        "people_who_match": sum(one.people for one, _ in inside),
        "pinned_alone": sum(one.people for one in alone),
        "pinned_alone_of_those_pinned_together": sum(
            one.people for one in alone if one.id in pinned
        ),
    }


def _times(right: Fraction, of: int) -> str:
    share = decimal(right / of, 3, "about")
    return f"{decimal(right, 6, 'about')} times of {of:,}, a share of {share}"
