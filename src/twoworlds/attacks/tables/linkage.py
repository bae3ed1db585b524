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

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.attacks.english import counted, listed
from twoworlds.attacks.tables.beliefs import read_sensitive
from twoworlds.attacks.tables.knowledge import fill, match, same_cells
from twoworlds.attacks.tables.table import LoadedTable, Origin, load, named, named_columns, opened
from twoworlds.charts import Bars
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
    """Count the matches of each profile, ``outward``, and of each group, ``inward``."""
    register.connection.execute(
        "CREATE TABLE inward AS SELECT g.id, any_value(g.size) AS size, "
        "coalesce(sum(p.size), 0)::BIGINT AS people FROM groups0 AS g LEFT JOIN matches0 ON "
        "group_ = g.id LEFT JOIN profiles AS p ON p.id = profile GROUP BY g.id"
    )
    register.connection.execute(
        "CREATE TABLE outward AS SELECT p.id, any_value(p.size) AS people, any_value(p.first) AS "
        "first, coalesce(sum(i.size), 0)::BIGINT AS rows, count(i.id) AS number, min(i.people) AS "
        "rivals FROM profiles AS p LEFT JOIN matches0 ON profile = p.id LEFT JOIN inward AS i ON "
        "i.id = group_ GROUP BY p.id"
    )
    outside = dict(
        register.fetch("SELECT rows, sum(people)::BIGINT FROM outward GROUP BY 1 ORDER BY 1")
    )
    inside = dict(
        register.fetch("SELECT people, sum(size)::BIGINT FROM inward GROUP BY 1 ORDER BY 1")
    )
    [(k, beyond)] = register.fetch(
        "SELECT min(size), sum(greatest(size - people, 0))::BIGINT FROM inward"
    )
    [(overlapping, one_to_one)] = register.fetch(
        "SELECT coalesce(sum(people) FILTER (number > 1), 0)::BIGINT, coalesce(sum(people) FILTER "
        "(rows = 1 AND rivals = 1), 0)::BIGINT FROM outward"
    )
    matching = register.rows - outside.get(0, 0)
    links = tuple(_links(register, columns, sensitive, most))
    return {
        "register": register.name,
        "table": table.name,
        "on": tuple(columns),
        "people": register.rows,
        "rows": table.rows,
        "k": k,  # the size of the smallest group of rows with the same cells on these columns
        "people_by_matching_rows": outside,
        "rows_by_matching_people": inside,
        "people_with_one_row": outside.get(1, 0),
        "rows_with_one_person": inside.get(1, 0),
        "one_to_one": one_to_one,
        # If each row is another person's: those beyond the people who match them, in each group or
        # in all
        "rows_of_people_not_in_register_at_least": max(beyond, table.rows - matching),
        "people_in_several_groups": overlapping,
        # Those who match rows of one sensitive value only
        "people_pinned": None if sensitive is None else _pinned(register, table, sensitive),
        "links": links,
        "links_left_out": matching - len(links),
    }


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


def _pinned(register: LoadedTable, table: LoadedTable, sensitive: str) -> int:
    """Count the people all of whose matching rows have one sensitive value."""
    read = read_sensitive([table.texts(sensitive)])
    fill(register, "single", ["value"], ([text] for text, one in read.items() if one.is_value))
    [(pinned,)] = register.fetch(
        "SELECT coalesce(sum(p.size), 0)::BIGINT FROM (SELECT profile FROM matches0 JOIN (SELECT "
        "id, min(value) AS low, max(value) AS high, count(*) = count(single.value) AS plain FROM "
        "said0 LEFT JOIN single USING (value) GROUP BY id) AS s ON s.id = group_ GROUP BY profile "
        "HAVING min(low) = max(high) AND bool_and(plain)) AS one JOIN profiles AS p ON "
        "p.id = one.profile"
    )
    return int(pinned)


def _links(
    register: LoadedTable, columns: Sequence[str], sensitive: str | None, most: int
) -> Iterator[dict[str, Any]]:
    """Yield the people who match the fewest rows, and of these the ones with fewest rivals."""
    first = f"ORDER BY rows, rivals, first LIMIT {int(most)}"
    for row, profile, rows, rivals in register.fetch(
        f"SELECT r.rowid + 1 AS first, b.id, rows, rivals FROM (FROM outward WHERE rows > 0 "
        f"{first}) AS b JOIN profiles AS p ON p.id = b.id JOIN {register.place} AS r ON "
        f"{same_cells(register, columns, 'p', 'r')} {first}"
    ):
        values: list[tuple[str, int]] = []
        if sensitive is not None:
            values = register.fetch(
                "SELECT coalesce(value, 'anything'), sum(size)::BIGINT FROM matches0 JOIN said0 AS "
                "s ON s.id = group_ WHERE profile = ? GROUP BY 1 ORDER BY 2 DESC, 1",
                [profile],
            )
        yield {
            "row": row,
            "person": register.row(row),
            "matching_rows": rows,
            "rivals": rivals - 1,
            "values": {value: Fraction(number, rows) for value, number in values},
        }
