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
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.attacks.english import counted, listed
from twoworlds.attacks.tables.beliefs import read_sensitive
from twoworlds.attacks.tables.matching import fill, match, same_cells
from twoworlds.attacks.tables.table import LoadedTable, Origin, load, named, named_columns, opened
from twoworlds.charts import Bars
from twoworlds.progress import track
from twoworlds.show import Result

_MOST_NUMBERS = 12


@dataclass(frozen=True)
class Linkage(Result):
    """How a register and a table fit together."""

    register: str  # what the register is called
    table: str  # what the table is called
    on: tuple[str, ...]  # the columns that were compared
    people: int  # how many records the register has
    rows: int  # how many records the table has
    k: int  # the size of the smallest group of rows with the same cells on these columns
    outside: Mapping[int, int]  # for each number of matching rows, how many people have it
    inside: Mapping[int, int]  # for each number of matching people, how many rows have it
    # How many rows at least belong to people who are not in the register, if each row is another
    # person's: those beyond the people who match them, in each group or in all
    missing: int
    overlapping: int  # how many people match rows of several groups
    one_to_one: int  # how many people match one row that nobody else matches
    # How many people match rows of one sensitive value only; None without that column
    pinned: int | None
    # The people who are linked best, to the fewest rows, with the fewest rivals: the row of the
    # register and what it says, how many rows match, how many others of the register match the one
    # of these that the fewest match, and the shares of the sensitive values of matching rows
    links: tuple[Mapping[str, Any], ...]
    sensitive: str | None = None  # the column of the table that is attacked, if one was named

    @property
    def unique(self) -> int:
        """How many people match exactly one row."""
        return self.outside.get(1, 0)

    @property
    def named(self) -> int:
        """How many rows match exactly one person."""
        return self.inside.get(1, 0)

    @property
    def unlisted(self) -> int:
        """How many people match rows and are not among the ``links``."""
        return self.people - self.outside.get(0, 0) - len(self.links)

    @property
    def sentence(self) -> str:
        """The outcome in a few sentences."""
        found = self.people - self.outside.get(0, 0)
        on = listed(self.on)
        if not found:
            return f"Nobody of {self.register} matches a row of {self.table} by {on}."
        fewest = min(number for number in self.outside if number)
        each = "it is theirs" if self.named == 1 else "each is theirs"
        return (
            f"{found:,} of {self.people:,} people of {self.register} {_match(found)} rows of "
            f"{self.table} by {on}, each of them at least {counted(fewest, 'row')}: the table "
            f"is {self.k}-anonymous on these columns. "
            f"{self.unique:,} of them {_match(self.unique)} exactly one row. "
            f"{counted(self.named, 'row')} of the table {_match(self.named)} exactly one person: "
            f"{each}, or somebody's who is not in {self.register}."
        )

    def verify(self) -> bool:
        """Check the counts, and the true statement: nobody matches between 1 and k - 1 rows."""
        pairs = sum(number * people for number, people in self.outside.items())
        return (
            sum(self.outside.values()) == self.people
            and sum(self.inside.values()) == self.rows
            and pairs == sum(number * rows for number, rows in self.inside.items())
            and not any(0 < number < self.k for number in self.outside)
        )

    def answer(self) -> Answer:
        """Say what was found, and which statement about k-anonymity holds."""
        return Answer.of(" ".join([self.sentence, *self._remarks()]), *self._blocks())

    def _remarks(self) -> Iterator[str]:
        short = sum(rows for number, rows in self.inside.items() if 0 < number < self.k)
        if short:
            yield (
                f"{short:,} of the {self.rows:,} rows match fewer than {self.k} people: "
                "k-anonymity promises nothing about that, only that each person matches no row or "
                f"at least {self.k} of them."
            )
        if self.missing:
            yield (
                f"If each row is another person's, at least {self.missing:,} of the rows belong to "
                f"people who are not in {self.register}."
            )
        if self.overlapping:
            yield (
                f"Groups overlap: {self.overlapping:,} of the people match rows of several groups "
                "with different cells, so they are hidden among more rows than one group has."
            )
        if self.pinned == 0:
            yield "Nobody's matching rows all have one sensitive value."
        elif self.pinned is not None:
            yield (
                f"Of {counted(self.pinned, 'person')} all matching rows have one sensitive value: "
                "it is given away without a link to one row, if they are in the table."
            )

    def _blocks(self) -> Iterator[Block]:
        numbers = sorted({*self.outside, *self.inside})
        shown = numbers if len(numbers) <= _MOST_NUMBERS else [*numbers[:10], *numbers[-2:]]
        yield Table(
            ["matches", "people with so many rows", "rows with so many people"],
            [
                [f"{n:,}", f"{self.outside.get(n, 0):,}", f"{self.inside.get(n, 0):,}"]
                for n in shown
            ],
        )
        if left := len(numbers) - len(shown):
            yield Said([f"{left:,} numbers in between are left out; --json has all of them."])
        if self.links:
            columns = list(self.links[0]["person"])
            values = [] if self.sensitive is None else [self.sensitive]
            rows = [
                [
                    str(one["row"]),
                    *(one["person"][column] or "" for column in columns),
                    f"{one['matching_rows']:,}",
                    f"{one['rivals']:,}",
                    *(", ".join(f"{v} {n}" for v, n in one["values"].items()) for _ in values),
                ]
                for one in self.links
            ]
            yield Table(["row", *columns, "matching rows", "rivals", *values], rows)
        if self.unlisted:
            match = (
                "person matches rows and is" if self.unlisted == 1 else "people match rows and are"
            )
            yield Said(
                [f"{self.unlisted:,} more {match} left out: link(..., most=N) in Python lists N."]
            )
        rows_of = {0: "no row", 1: "1 row"}
        drawn = {rows_of.get(n, f"{n:,} rows"): self.outside[n] for n in sorted(self.outside)}
        yield Bars("People who match so many rows", drawn, share=False, orange=["1 row"])

    def fields(self) -> dict[str, Any]:
        """Return all of it."""
        return {
            "sentence": self.sentence,
            "register": self.register,
            "table": self.table,
            "on": self.on,
            "people": self.people,
            "rows": self.rows,
            "k": self.k,
            "people_by_matching_rows": self.outside,
            "rows_by_matching_people": self.inside,
            "people_with_one_row": self.unique,
            "rows_with_one_person": self.named,
            "one_to_one": self.one_to_one,
            "rows_of_people_not_in_register_at_least": self.missing,
            "people_in_several_groups": self.overlapping,
            "people_pinned": self.pinned,
            "links": self.links,
            "links_left_out": self.unlisted,
        }


def link(
    register: Origin,
    table: Origin,
    on: str | Sequence[str],
    *,
    sensitive: str | None = None,
    most: int = 10,
) -> Linkage:
    """Count which records of a register and of a published table can be the same person's.

    Args:
        register: Outside records with names: a path, a list of rows or a data frame.
        table: The published table, raw or generalised; likewise.
        on: The columns to compare, which both have.
        sensitive: A column of the table; what it says of each person is worked out as well.
        most: How many people are listed.

    >>> found = link("register.csv", "figure1.csv", on=["zip", "age"])
    >>> found.outside, found.inside
    ({0: 1, 4: 5}, {1: 4, 2: 8})
    """
    columns = named_columns(on, "on", sensitive)
    needed = columns if sensitive is None else [*columns, sensitive]
    (first, _), (second, _) = named([register, table])
    jobs = [(first, register, None, columns), (second, table, needed, needed)]
    with opened() as connection:
        people, rows = (load(connection, *job) for job in track(jobs, "reading tables", total=2))
        match(people, [rows], columns, sensitive)
        return _linkage(people, rows, columns, sensitive, most)


def _match(number: int) -> str:
    return "matches" if number == 1 else "match"


def _linkage(
    register: LoadedTable,
    table: LoadedTable,
    columns: Sequence[str],
    sensitive: str | None,
    most: int,
) -> Linkage:
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
    outside = register.fetch("SELECT rows, sum(people)::BIGINT FROM outward GROUP BY 1 ORDER BY 1")
    inside = register.fetch("SELECT people, sum(size)::BIGINT FROM inward GROUP BY 1 ORDER BY 1")
    [(k, beyond)] = register.fetch(
        "SELECT min(size), sum(greatest(size - people, 0))::BIGINT FROM inward"
    )
    [(overlapping, one_to_one, matching)] = register.fetch(
        "SELECT coalesce(sum(people) FILTER (number > 1), 0)::BIGINT, coalesce(sum(people) FILTER "
        "(rows = 1 AND rivals = 1), 0)::BIGINT, coalesce(sum(people) FILTER (rows > 0), 0)::BIGINT "
        "FROM outward"
    )
    return Linkage(
        register.name,
        table.name,
        tuple(columns),
        register.rows,
        table.rows,
        k,
        dict(outside),
        dict(inside),
        max(beyond, table.rows - matching),
        overlapping,
        one_to_one,
        None if sensitive is None else _pinned(register, table, sensitive),
        tuple(_links(register, columns, sensitive, most)),
        sensitive,
    )


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
