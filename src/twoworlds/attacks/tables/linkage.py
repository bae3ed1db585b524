"""Linkage: a register of names against a published table.

A record of the register *matches* a record of the table when they are compatible on the columns
that both have. Wu, Section 1.1, says of a k-anonymous table that each of its records matches at
least k records of the register. That is not so: what is true is the reverse.

    Each record of the register matches no record of the table, or at least k of them.

Proof: the table is k-anonymous on these columns, so each record has the same cells as at least
k - 1 others, and whoever matches it matches all of these. It holds as well where groups overlap;
then a person may match several groups. Differs: a record of the table may match fewer than k people
of the register, or one, who is then named (erratum to Wu, Section 1.1); `linkage` of the bundled
``register.csv`` and ``figure1.csv`` shows it.

Probabilities rest on what each direction says: the person is in the table and each matching row is
equally likely theirs; or the register holds everybody in the table, and each matching person is
equally likely to be behind a row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.attacks.tables.beliefs import read_sensitive
from twoworlds.attacks.tables.knowledge import first_rows, kinds, match
from twoworlds.attacks.tables.table import (
    LoadedTable,
    Origin,
    listed,
    load,
    named,
    named_columns,
    opened,
)
from twoworlds.charts import Bars
from twoworlds.numbers import counted
from twoworlds.progress import track
from twoworlds.show import Told

_MOST_NUMBERS = 12


def link(
    register: Origin,
    table: Origin,
    on: str | Sequence[str],
    *,
    sensitive: str | None = None,
    most: int = 10,
) -> Told:
    """Count which records of a register and of a published table can be the same person's.

    Args:
        register: Outside records with names: a path, a list of rows or a data frame.
        table: The published table, raw or generalised; likewise.
        on: The columns to compare, which both have.
        sensitive: A column of the table; what it says of each person is worked out as well.
        most: How many people are listed.

    >>> found = link("register.csv", "figure1.csv", on=["zip", "age"]).data
    >>> found["people_by_matching_rows"], found["rows_by_matching_people"]
    ({0: 1, 4: 5}, {1: 4, 2: 8})
    """
    columns = named_columns(on, "on", sensitive)
    needed = columns if sensitive is None else [*columns, sensitive]
    (first, _), (second, _) = named([register, table])
    jobs = [(first, register, None, columns), (second, table, needed, needed)]
    with opened() as connection:
        people, rows = (load(connection, *job) for job in track(jobs, "reading tables", total=2))
        match(people, [rows], columns, sensitive)
        found = _counts(people, rows, columns, sensitive, most)
    said = " ".join([_sentence(found), *_remarks(found)])
    answer = Answer.of(said, *_blocks(found, sensitive))
    return Told(answer, {"sentence": _sentence(found), **found})


def _counts(
    register: LoadedTable,
    table: LoadedTable,
    columns: Sequence[str],
    sensitive: str | None,
    most: int,
) -> dict[str, Any]:
    """Count the rows that each person matches, and the people whom each row does."""
    matched = {one.id: one for one in kinds(register, 1)}
    sizes = dict(register.fetch("SELECT id, size FROM groups0"))
    rows = {kind: sum(one.counts[0].values()) for kind, one in matched.items()}
    people, outside, inside = Counter[int](), Counter[int](), Counter[int]()
    for kind, one in matched.items():
        outside[rows[kind]] += one.people
        for group in one.groups[0]:
            people[group] += one.people
    for group, size in sizes.items():
        inside[people[group]] += size
    rivals = {
        kind: min(people[group] for group in matched[kind].groups[0]) for kind in rows if rows[kind]
    }
    ranks = {kind: (rows[kind], few) for kind, few in rivals.items()}
    read = read_sensitive([table.texts(sensitive)]) if sensitive else {}
    links = tuple(
        {
            "row": row,
            "person": register.row(row),
            "matching_rows": rows[kind],
            "rivals": rivals[kind] - 1,
            "values": _shares(matched[kind].counts[0]) if sensitive else {},
        }
        for row, kind in first_rows(register, ranks, columns, most)
    )
    matching = register.rows - outside[0]
    beyond = sum(max(size - people[group], 0) for group, size in sizes.items())
    return {
        "register": register.name,
        "table": table.name,
        "on": tuple(columns),
        "people": register.rows,
        "rows": table.rows,
        "k": min(sizes.values()),  # of the smallest group of rows with equal cells on these columns
        "people_by_matching_rows": dict(sorted(outside.items())),
        "rows_by_matching_people": dict(sorted(inside.items())),
        "people_with_one_row": outside[1],
        "rows_with_one_person": inside[1],
        "one_to_one": sum(matched[kind].people for kind in ranks if ranks[kind] == (1, 1)),
        # If each row is another person's: those beyond the people who match them, in each group or
        # in all
        "rows_of_people_not_in_register_at_least": max(beyond, table.rows - matching),
        "people_in_several_groups": sum(
            one.people for one in matched.values() if len(one.groups[0]) > 1
        ),
        # Those who match rows of one sensitive value only
        "people_pinned": None
        if sensitive is None
        else sum(
            one.people
            for one in matched.values()
            if len(one.counts[0]) == 1 and all(read[text].is_value for text in one.counts[0])
        ),
        "links": links,
        "links_left_out": matching - len(links),
    }


def _shares(counts: Mapping[str | None, int]) -> dict[str, Fraction]:
    """Return the share of each sensitive cell, the largest first."""
    named = {"anything" if text is None else text: n for text, n in counts.items()}
    order = sorted(named, key=lambda text: (-named[text], text))
    return {text: Fraction(named[text], sum(named.values())) for text in order}


def _sentence(found: Mapping[str, Any]) -> str:
    """Say the outcome in a few sentences."""
    register, table, on = found["register"], found["table"], listed(found["on"])
    matching = {n: people for n, people in found["people_by_matching_rows"].items() if n}
    if not matching:
        return f"Nobody of {register} matches a row of {table} by {on}."
    many, unique, one = (
        sum(matching.values()),
        found["people_with_one_row"],
        found["rows_with_one_person"],
    )
    each = "it is theirs" if one == 1 else "each is theirs"
    return (
        f"{many:,} of {found['people']:,} people of {register} {_match(many)} rows of "
        f"{table} by {on}, each of them at least {counted(min(matching), 'row')}: the table "
        f"is {found['k']}-anonymous on these columns. "
        f"{unique:,} of them {_match(unique)} exactly one row. "
        f"{counted(one, 'row')} of the table {_match(one)} exactly one person: "
        f"{each}, or somebody's who is not in {register}."
    )


def _match(number: int) -> str:
    return "matches" if number == 1 else "match"


def _remarks(found: Mapping[str, Any]) -> Iterator[str]:
    k, pinned = found["k"], found["people_pinned"]
    short = sum(rows for n, rows in found["rows_by_matching_people"].items() if 0 < n < k)
    if short:
        yield (
            f"{short:,} of the {found['rows']:,} rows match fewer than {k} people: "
            "k-anonymity promises nothing about that, only that each person matches no row or "
            f"at least {k} of them."
        )
    if missing := found["rows_of_people_not_in_register_at_least"]:
        yield (
            f"If each row is another person's, at least {missing:,} of the rows belong to "
            f"people who are not in {found['register']}."
        )
    if overlapping := found["people_in_several_groups"]:
        yield (
            f"Groups overlap: {overlapping:,} of the people match rows of several groups "
            "with different cells, so they are hidden among more rows than one group has."
        )
    if pinned == 0:
        yield "Nobody's matching rows all have one sensitive value."
    elif pinned is not None:
        yield (
            f"Of {counted(pinned, 'person')} all matching rows have one sensitive value: "
            "it is given away without a link to one row, if they are in the table."
        )


def _blocks(found: Mapping[str, Any], sensitive: str | None) -> Iterator[Block]:
    outside, inside = found["people_by_matching_rows"], found["rows_by_matching_people"]
    numbers = sorted({*outside, *inside})
    shown = numbers if len(numbers) <= _MOST_NUMBERS else [*numbers[:10], *numbers[-2:]]
    yield Table(
        ["matches", "people with so many rows", "rows with so many people"],
        [[f"{n:,}", f"{outside.get(n, 0):,}", f"{inside.get(n, 0):,}"] for n in shown],
    )
    if left := len(numbers) - len(shown):
        yield Said([f"{left:,} numbers in between are left out; --json has all of them."])
    if links := found["links"]:
        columns = list(links[0]["person"])
        values = [] if sensitive is None else [sensitive]
        rows = [
            [
                str(one["row"]),
                *(one["person"][column] or "" for column in columns),
                f"{one['matching_rows']:,}",
                f"{one['rivals']:,}",
                *(", ".join(f"{v} {n}" for v, n in one["values"].items()) for _ in values),
            ]
            for one in links
        ]
        yield Table(["row", *columns, "matching rows", "rivals", *values], rows)
    if left := found["links_left_out"]:
        match = "person matches rows and is" if left == 1 else "people match rows and are"
        yield Said([f"{left:,} more {match} left out: link(..., most=N) in Python lists N."])
    rows_of = {0: "no row", 1: "1 row"}
    drawn = {rows_of.get(n, f"{n:,} rows"): outside[n] for n in sorted(outside)}
    yield Bars("People who match so many rows", drawn, share=False, orange=["1 row"])
