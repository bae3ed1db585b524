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

People of whom the same is known are one *profile*, and rows with the same cells one *group*. Which
profile can stand behind which group is found column by column on distinct texts, of which there are
few (`twoworlds.attacks.tables.knowledge.KnownValues`), and put together by joins in DuckDB.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.attacks.english import counted, listed
from twoworlds.attacks.tables.agreement import read_sensitive
from twoworlds.attacks.tables.knowledge import KnownValues
from twoworlds.attacks.tables.table import LoadedTable, Origin, load, named, named_columns, opened
from twoworlds.charts import Bars
from twoworlds.progress import track
from twoworlds.show import Result

if TYPE_CHECKING:
    import duckdb


def make_profiles(register: LoadedTable, columns: Sequence[str]) -> dict[str, KnownValues]:
    """Make ``profiles``: its id, its values k0, k1, ..., its people, the row of the first one."""
    make_groups(register, columns, "profiles", "people")
    return {column: KnownValues(register.texts(column)) for column in columns}


def make_groups(table: LoadedTable, columns: Iterable[str], place: str, size: str = "size") -> None:
    """Make the groups of a table: id, cells k0, k1, ..., size, first row."""
    here = [table.columns[column] for column in columns if column in table.columns]
    keys = "".join(f", {name} AS k{i}" for i, name in enumerate(here))
    by = f" GROUP BY {', '.join(here)}" if here else ""
    table.connection.execute(
        f"CREATE TABLE {place} AS SELECT row_number() OVER () AS id{keys}, "
        f"count(*) AS {size}, min(rowid) + 1 AS first FROM {table.place}{by}"
    )


def make_matches(
    table: LoadedTable, known: Mapping[str, KnownValues], groups: str, place: str
) -> None:
    """Make the pairs of a profile and a group of the table that are compatible."""
    joins, cells = [], []
    shared = [(i, column) for i, column in enumerate(known) if column in table.columns]
    for number, (mine, column) in enumerate(shared):
        pairs = f"{place}_pairs{number}"
        fill(table.connection, pairs, ("value", "cell"), known[column].pairs(table.texts(column)))
        joins.append(f"JOIN {pairs} AS m{number} ON p.k{mine} IS NOT DISTINCT FROM m{number}.value")
        cells.append(f"g.k{number} IS NOT DISTINCT FROM m{number}.cell")
    table.connection.execute(
        f"CREATE TABLE {place} AS SELECT p.id AS profile, g.id AS group_ FROM profiles AS p "
        f"{' '.join(joins)} JOIN {groups} AS g ON {' AND '.join(cells) or 'true'}"
    )


def make_said(
    table: LoadedTable, columns: Iterable[str], sensitive: str, groups: str, place: str
) -> None:
    """Make the sensitive cells of each group, and how many of its rows have each."""
    here = [table.columns[column] for column in columns if column in table.columns]
    same = " AND ".join(f"g.k{i} IS NOT DISTINCT FROM t.{c}" for i, c in enumerate(here))
    cells = ", ".join([*here, f"{table.columns[sensitive]} AS value"])
    table.connection.execute(
        f"CREATE TABLE {place} AS SELECT g.id, t.value, t.size FROM (SELECT {cells}, count(*) AS "
        f"size FROM {table.place} GROUP BY ALL) AS t JOIN {groups} AS g ON {same or 'true'}"
    )


def same_person(register: LoadedTable, columns: Iterable[str]) -> str:
    """Return the condition that joins profiles as p with rows of the register as r."""
    return " AND ".join(
        f"r.{register.columns[column]} IS NOT DISTINCT FROM p.k{i}"
        for i, column in enumerate(columns)
    )


def fill(
    connection: duckdb.DuckDBPyConnection,
    place: str,
    names: Sequence[str],
    rows: Iterable[Sequence[Any]],
) -> None:
    """Make a table of rows of Python."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    values = {f"v{i}": list(column) for i, column in enumerate(columns)}
    cells = ", ".join(f"unnest($v{i}::VARCHAR[]) AS {name}" for i, name in enumerate(names))
    connection.execute(f"CREATE TABLE {place} AS SELECT {cells}", values)


# --- linkage --------------------------------------------------------------------------------------


_MOST_PAIRS = 5_000_000
_MOST_EDGES = 100_000
_MOST_NUMBERS = 12


class Link(NamedTuple):
    """A person of the register, and what the table says of them."""

    row: int  # the number of the row in the register, from 1
    person: Mapping[str, str | None]  # what the register says
    rows: int  # how many rows of the table match
    # How many other people of the register match the matching row that the fewest match; 0 when
    # nobody else of the register can be behind it
    rivals: int
    # The sensitive values of the matching rows, each with its share; empty when no sensitive column
    # was named
    values: Mapping[str, Fraction]


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
    # person's. No larger number is certain, but where very many groups overlap: there it is the
    # number of rows beyond the people who match them, in each group.
    missing: int
    overlapping: int  # how many people match rows of several groups
    one_to_one: int  # how many people match one row that nobody else matches
    # How many people match rows of one sensitive value only; None without that column
    pinned: int | None
    # The people who are linked best: to the fewest rows, with the fewest rivals
    links: tuple[Link, ...]
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
    def fewest(self) -> int | None:
        """The least number of rows that a person who matches any does match."""
        return min((number for number in self.outside if number), default=None)

    @property
    def unlisted(self) -> int:
        """How many people match rows and are not among the ``links``."""
        return self.people - self.outside.get(0, 0) - len(self.links)

    @property
    def sentence(self) -> str:
        """The outcome in a few sentences."""
        found = self.people - self.outside.get(0, 0)
        on = listed(self.on)
        if self.fewest is None:
            return f"Nobody of {self.register} matches a row of {self.table} by {on}."
        each = "it is theirs" if self.named == 1 else "each is theirs"
        return (
            f"{found:,} of {self.people:,} people of {self.register} {_match(found)} rows of "
            f"{self.table} by {on}, each of them at least {counted(self.fewest, 'row')}: the table "
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
            columns = list(self.links[0].person)
            values = [] if self.sensitive is None else [self.sensitive]
            rows = [
                [
                    str(one.row),
                    *(one.person[column] or "" for column in columns),
                    f"{one.rows:,}",
                    f"{one.rivals:,}",
                    *(", ".join(f"{v} {share}" for v, share in one.values.items()) for _ in values),
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
            "links": [
                {
                    "row": one.row,
                    "person": one.person,
                    "matching_rows": one.rows,
                    "rivals": one.rivals,
                    "values": one.values,
                }
                for one in self.links
            ],
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
        _join(people, rows, columns)
        return _linkage(people, rows, columns, sensitive, most)


def _match(number: int) -> str:
    return "matches" if number == 1 else "match"


def _join(register: LoadedTable, table: LoadedTable, columns: Sequence[str]) -> None:
    """Make ``linked``, the pairs, and the number of matches of each profile and of each group."""
    run = register.connection.execute
    known = make_profiles(register, columns)
    make_groups(table, columns, "groups")
    make_matches(table, known, "groups", "linked")
    run(
        "CREATE TABLE inward AS SELECT g.id, any_value(g.size) AS size, "
        "coalesce(sum(p.people), 0)::BIGINT AS people FROM groups AS g LEFT JOIN linked ON "
        "group_ = g.id LEFT JOIN profiles AS p ON p.id = profile GROUP BY g.id"
    )
    run(
        "CREATE TABLE outward AS SELECT p.id, any_value(p.people) AS people, any_value(p.first) AS "
        "first, coalesce(sum(i.size), 0)::BIGINT AS rows, count(i.id) AS number, min(i.people) AS "
        "rivals FROM profiles AS p LEFT JOIN linked ON profile = p.id LEFT JOIN inward AS i ON "
        "i.id = group_ GROUP BY p.id"
    )


def _linkage(
    register: LoadedTable,
    table: LoadedTable,
    columns: Sequence[str],
    sensitive: str | None,
    most: int,
) -> Linkage:
    outside = register.fetch("SELECT rows, sum(people)::BIGINT FROM outward GROUP BY 1 ORDER BY 1")
    inside = register.fetch("SELECT people, sum(size)::BIGINT FROM inward GROUP BY 1 ORDER BY 1")
    [(k,)] = register.fetch("SELECT min(size) FROM inward")
    [(overlapping, one_to_one)] = register.fetch(
        "SELECT coalesce(sum(people) FILTER (number > 1), 0)::BIGINT, coalesce(sum(people) FILTER "
        "(rows = 1 AND rivals = 1), 0)::BIGINT FROM outward"
    )
    pinned = None if sensitive is None else _pinned(register, table, columns, sensitive)
    return Linkage(
        register.name,
        table.name,
        tuple(columns),
        register.rows,
        table.rows,
        k,
        dict(outside),
        dict(inside),
        _missing(register),
        overlapping,
        one_to_one,
        pinned,
        tuple(_links(register, columns, sensitive, most)),
        sensitive,
    )


def _missing(register: LoadedTable) -> int:
    """Return how many rows are left when as many people as possible take one each."""
    [(edges,)] = register.fetch("SELECT coalesce(sum(number), 0) FROM outward WHERE number > 1")
    if edges <= _MOST_PAIRS:
        kinds = register.fetch(
            "SELECT sum(people)::BIGINT, groups FROM (SELECT profile, any_value(people) AS people, "
            "list(group_ ORDER BY group_) AS groups FROM linked JOIN outward ON id = profile WHERE "
            "number > 1 GROUP BY profile) GROUP BY groups ORDER BY groups"
        )
        if sum(len(groups) for _, groups in kinds) <= _MOST_EDGES:
            rooms = dict(
                register.fetch(
                    "SELECT g.id, greatest(any_value(size) - coalesce(sum(people), 0), 0)::BIGINT "
                    "FROM groups AS g LEFT JOIN (SELECT group_, people FROM linked JOIN outward ON "
                    "id = profile WHERE number = 1) ON group_ = g.id GROUP BY g.id"
                )
            )
            return sum(rooms.values()) - most_placed(kinds, rooms)
    [(missing,)] = register.fetch("SELECT sum(greatest(size - people, 0))::BIGINT FROM inward")
    return int(missing)


def _pinned(
    register: LoadedTable, table: LoadedTable, columns: Sequence[str], sensitive: str
) -> int:
    """Make ``said``, the sensitive cells of each group, and count whom they give away."""
    make_said(table, columns, sensitive, "groups", "said")
    read = read_sensitive([table.texts(sensitive)])
    single = ([text] for text, one in read.items() if one.is_value)
    fill(register.connection, "single", ["value"], single)
    [(pinned,)] = register.fetch(
        "SELECT coalesce(sum(p.people), 0)::BIGINT FROM (SELECT profile FROM linked JOIN (SELECT "
        "id, min(value) AS low, max(value) AS high, count(*) = count(single.value) AS plain FROM "
        "said LEFT JOIN single USING (value) GROUP BY id) AS s ON s.id = group_ GROUP BY profile "
        "HAVING min(low) = max(high) AND bool_and(plain)) AS one JOIN profiles AS p ON "
        "p.id = one.profile"
    )
    return int(pinned)


def _links(
    register: LoadedTable, columns: Sequence[str], sensitive: str | None, most: int
) -> list[Link]:
    """Return the people who match the fewest rows, and of these the ones with fewest rivals."""
    first = f"ORDER BY rows, rivals, first LIMIT {int(most)}"
    found = register.fetch(
        f"SELECT r.rowid + 1 AS first, b.id, rows, rivals FROM (FROM outward WHERE rows > 0 "
        f"{first}) AS b JOIN profiles AS p ON p.id = b.id JOIN {register.place} AS r ON "
        f"{same_person(register, columns)} {first}"
    )
    return [
        Link(row, register.row(row), rows, rivals - 1, _values(register, profile, rows, sensitive))
        for row, profile, rows, rivals in found
    ]


def _values(
    register: LoadedTable, profile: int, rows: int, sensitive: str | None
) -> dict[str, Fraction]:
    if sensitive is None:
        return {}
    found = register.fetch(
        "SELECT coalesce(value, 'anything'), sum(size)::BIGINT FROM linked JOIN said ON "
        "said.id = group_ WHERE profile = ? GROUP BY 1 ORDER BY 2 DESC, 1",
        [profile],
    )
    return {value: Fraction(number, rows) for value, number in found}


def most_placed(kinds: Sequence[tuple[int, Sequence[int]]], rooms: Mapping[int, int]) -> int:
    """Return how many people can be placed in groups at most, one in each room.

    If each row is another person's, the people of the register take at most as many rows as a
    largest matching of people to rows that fit them has. Where groups overlap, it is a largest flow
    from kinds of people to groups, found along shortest augmenting paths.
    """
    free, left = dict(rooms), [number for number, _ in kinds]
    placed: list[Counter[int]] = [Counter() for _ in kinds]
    guests: dict[int, dict[int, None]] = {group: {} for group in rooms}  # kinds that are in a group
    dead: set[int] = set()  # kinds from which no path leads to a free room, now or later
    for kind in sorted(range(len(kinds)), key=lambda one: len(kinds[one][1])):
        while left[kind] and (path := _path(kind, kinds, free, guests, dead)) is not None:
            moves = [*zip(path[1::2], path[2::2], strict=False)]  # who leaves which group
            number = min(left[kind], free[path[-1]], *(placed[k][group] for group, k in moves))
            for here, group in zip(path[::2], path[1::2], strict=True):
                placed[here][group] += number
                guests[group][here] = None
            for group, other in moves:
                placed[other][group] -= number
                if not placed[other][group]:
                    del guests[group][other]
            left[kind] -= number
            free[path[-1]] -= number
    return sum(number for number, _ in kinds) - sum(left)


def _path(
    start: int,
    kinds: Sequence[tuple[int, Sequence[int]]],
    free: Mapping[int, int],
    guests: Mapping[int, Mapping[int, None]],
    dead: set[int],
) -> list[int] | None:
    """Return kind, group, kind, ..., group with free rooms: who moves where; None if none does.

    All that is reached in vain stays in vain: rooms are only filled, and whoever is moved later
    stays among what was reached, or outside of it.
    """
    if start in dead:
        return None
    before: dict[int, int] = {}  # a group, and the kind from which it was reached
    inviting: dict[int, int] = {}  # a kind, and the group that it would leave
    queue, seen = deque([start]), {start}
    while queue:
        kind = queue.popleft()
        for group in kinds[kind][1]:
            if group in before:
                continue
            before[group] = kind
            if free[group]:
                path = [group]
                while True:
                    path.append(before[path[-1]])
                    if path[-1] == start:
                        return path[::-1]
                    path.append(inviting[path[-1]])
            for other in guests[group]:
                if other not in seen and other not in dead:
                    seen.add(other)
                    inviting[other] = group
                    queue.append(other)
    dead |= seen
    return None
