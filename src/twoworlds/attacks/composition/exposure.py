"""Exposure: how many people of a register several anonymised tables pin down together.

For every person of the register, what `twoworlds.attacks.composition.compose` computes for one:
the rows of each table that can be theirs, the sensitive values that each table leaves, and those
that all tables leave together. People of whom the same is known, and who match the same groups,
have the same answer, so it is computed once for them, by joins in DuckDB. How often guesses are
right is said by `twoworlds.attacks.composition.guesses`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.attacks.composition.beliefs import TableBelief
from twoworlds.attacks.composition.guesses import Guesses, make_guesses
from twoworlds.attacks.composition.joining import make_profiles, on_columns
from twoworlds.attacks.composition.matching import KnownValues
from twoworlds.attacks.composition.signatures import joined, make_outcomes, make_signatures
from twoworlds.attacks.composition.sources import (
    Loaded,
    Origin,
    check_known,
    load,
    load_all,
    named,
    opened,
    repeated,
)
from twoworlds.attacks.composition.words import listed
from twoworlds.attacks.tables import written_column
from twoworlds.cards.explained import Explained
from twoworlds.errors import InvalidInput
from twoworlds.progress import track

if TYPE_CHECKING:
    import duckdb

__all__ = ["Exposure", "TableShare", "Victim", "expose"]


@dataclass(frozen=True)
class TableShare:
    """What one table alone does to the people of the register.

    Attributes:
        name: What the table is called.
        size: How many rows it has.
        matched: How many people can be in it.
        pinned: For how many of them it leaves one sensitive value.
        enough: How many of those whom all tables together pin down it pins down alone.
    """

    name: str
    size: int
    matched: int
    pinned: int
    enough: int


@dataclass(frozen=True)
class Victim:
    """Somebody whose sensitive value all tables together give away.

    Attributes:
        row: The number of the row in the register, from 1.
        person: What the register says.
        value: The only value that is left.
        alone: How many values each table leaves.
    """

    row: int
    person: Mapping[str, str | None]
    value: str
    alone: tuple[int, ...]


@dataclass(frozen=True)
class Exposure(Explained):
    """What happens to everybody in a register.

    Attributes:
        on: The columns that are known.
        sensitive: The column that is attacked.
        people: How many people the register has.
        tables: What each table does alone.
        everywhere: How many people can be in all tables.
        left: How many of them are left with how many candidates; 0 when the tables contradict.
        pinned: How many of them are left with one value.
        newly: How many are pinned down by all tables together and by none alone.
        guesses: How often guessing the likeliest value of each of them is right.
        victims: The first people who are pinned down, those first whom no table gives away alone.
        notes: What to beware of, in sentences.
    """

    on: tuple[str, ...]
    sensitive: str
    people: int
    tables: tuple[TableShare, ...]
    everywhere: int
    left: Mapping[int, int]
    pinned: int
    newly: int
    guesses: Guesses
    victims: tuple[Victim, ...]
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The outcome in a few sentences."""
        known = listed(list(self.on))
        if not self.everywhere:
            return f"Nobody of {_people(self.people)} matches all tables by {known}."
        alone = listed([f"{one.enough:,}" for one in self.tables])
        said = (
            f"Of {_people(self.people)} of whom {known} "
            f"{'is' if len(self.on) == 1 else 'are'} known, {self.everywhere:,} can be in all "
            f"tables. The {self.sensitive} of {self.pinned:,} of them is pinned down: "
        )
        if len(self.tables) == 1:
            return said.removesuffix(": ") + "."
        return said + (
            f"{alone} by each table alone, and {self.newly:,} only by putting the tables together."
        )

    def explain(self) -> str:
        """Say what was found, and what it rests on."""
        lines = [self.sentence]
        if len(self.tables) > 1 and any(one.pinned > one.enough for one in self.tables):
            alone = [f"{one.name} alone pins down {one.pinned:,}" for one in self.tables]
            lines.append(
                "Of all who can be in a table, whether they can be in the others or not, "
                f"{listed(alone)}."
            )
        if contradicted := self.left.get(0, 0):
            lines.append(
                f"The tables contradict each other about {contradicted:,} of them: these people "
                "are missing from a table that they match."
            )
        lines += self.guesses.sentences(self.sensitive)
        return " ".join([*lines, *self.notes])

    def picture(self) -> str:
        """Draw how many are pinned down by each table, and by all together."""
        from twoworlds.cards import bars

        if not self.everywhere:
            return ""
        alone = {f"by {one.name} alone": one.enough for one in self.tables}
        together = {"by all together": self.pinned} if len(self.tables) > 1 else {}
        shares = {name: Fraction(n, self.everywhere) for name, n in {**alone, **together}.items()}
        title = f"Pinned down, of the {self.everywhere:,} who can be in all tables"
        return bars(title, shares, orange=together)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {
            "sentence": self.sentence,
            "on": list(self.on),
            "sensitive": self.sensitive,
            "people": self.people,
            "tables": [
                {
                    "table": one.name,
                    "rows": one.size,
                    "people_who_match": one.matched,
                    "pinned_alone": one.pinned,
                    "pinned_alone_of_those_pinned_together": one.enough,
                }
                for one in self.tables
            ],
            "in_all_tables": self.everywhere,
            "people_by_candidates_left": {str(n): people for n, people in self.left.items()},
            "pinned": self.pinned,
            "pinned_only_together": self.newly,
            **self.guesses.to_dict(),
            "victims": [
                {
                    "row": one.row,
                    "person": dict(one.person),
                    "value": one.value,
                    "candidates_alone": list(one.alone),
                }
                for one in self.victims
            ],
            **self.guesses.belief.to_dict(),
            "notes": list(self.notes),
        }


def expose(
    tables: Sequence[Origin] | Mapping[str, Origin],
    register: Origin,
    sensitive: str,
    *,
    on: str | Sequence[str] | None = None,
    most: int = 10,
    prior: str | Mapping[str, object] | None = None,
    population: str | Mapping[str, object] | None = None,
) -> Exposure:
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

    >>> expose(["figure1.csv", "figure2.csv"], "register.csv", "condition").pinned
    3
    """
    belief = TableBelief.read("independent", prior, population)
    origins = named(tables)
    with opened() as connection:
        everybody = load(connection, named([register])[0][0], register, None)
        known = _known(everybody, on, sensitive)
        loaded = load_all(connection, origins, known, [sensitive])
        if on is None:
            known = [column for column in known if any(column in t.columns for t in loaded)]
        if not known:
            raise InvalidInput(f"{everybody.name} and the tables share no column: nothing is known")
        check_known(loaded, known)
        make_profiles(everybody, known)
        values = {column: KnownValues(everybody.texts(column)) for column in known}
        for number, table in enumerate(track(loaded, "matching people", total=len(loaded))):
            make_signatures(everybody, table, values, sensitive, number)
        make_outcomes(connection, loaded, sensitive)
        found = _exposure(connection, everybody, loaded, known, sensitive, most, belief)
        return replace(found, notes=tuple(repeated(origins)))


def _known(register: Loaded, on: object, sensitive: str) -> list[str]:
    if on is None:
        return [column for column in register.columns if column != sensitive]
    columns = on_columns(on, "on")
    for column in columns:
        if column not in register.columns:
            there = ", ".join(map(written_column, register.columns))
            raise InvalidInput(f"{register.name} has no column {column!r}: it has {there}")
        if column == sensitive:
            raise InvalidInput(f"{sensitive!r} is what is attacked, so it cannot be known")
    return columns


def _exposure(
    connection: duckdb.DuckDBPyConnection,
    register: Loaded,
    tables: Sequence[Loaded],
    known: Sequence[str],
    sensitive: str,
    most: int,
    belief: TableBelief,
) -> Exposure:
    numbers = range(len(tables))
    alone = " ".join(f"LEFT JOIN alone{i} ON alone{i}.signature = s{i}" for i in numbers)
    counts = ", ".join(
        f"alone{i}.number AS n{i}, coalesce(alone{i}.pinned, false) AS pinned{i}" for i in numbers
    )
    connection.execute(
        f"CREATE TABLE told AS SELECT combined.*, {counts}, coalesce(o.number, 0) AS number, "
        "coalesce(o.pinned, false) AS pinned, best, "
        f"total, label FROM combined {alone} LEFT JOIN outcomes AS o ON o.id = combined.id"
    )
    everywhere = " AND ".join(f"s{i} IS NOT NULL" for i in numbers)
    hidden = " AND ".join(f"NOT pinned{i}" for i in numbers)

    def fetch(statement: str) -> list[tuple[Any, ...]]:
        return connection.execute(statement).fetchall()

    shares = []
    for i, table in enumerate(tables):
        [(matched, pinned, enough)] = fetch(
            f"SELECT coalesce(sum(people), 0)::BIGINT, coalesce(sum(people) FILTER (pinned{i}), 0)"
            f"::BIGINT, coalesce(sum(people) FILTER (pinned AND pinned{i}), 0)::BIGINT FROM told "
            f"WHERE s{i} IS NOT NULL"
        )
        shares.append(TableShare(table.name, table.rows, matched, pinned, enough))
    left = fetch(
        f"SELECT number, sum(people)::BIGINT FROM told WHERE {everywhere} GROUP BY 1 ORDER BY 1"
    )
    [(pinned, newly)] = fetch(
        f"SELECT coalesce(sum(people), 0)::BIGINT, coalesce(sum(people) FILTER ({hidden}), 0)"
        "::BIGINT FROM told WHERE pinned"
    )
    return Exposure(
        tuple(known),
        sensitive,
        register.rows,
        tuple(shares),
        sum(people for _, people in left),
        dict(left),
        pinned,
        newly,
        make_guesses(connection, register, tables, known, sensitive, belief),
        tuple(_victims(connection, register, known, len(tables), hidden, most)),
    )


def _victims(
    connection: duckdb.DuckDBPyConnection,
    register: Loaded,
    known: Sequence[str],
    tables: int,
    hidden: str,
    most: int,
) -> list[Victim]:
    """Return the first people who are pinned down, in the order of the register."""
    alone = ", ".join(f"n{i}" for i in range(tables))
    together, same = joined(register, known, tables)
    first = f"ORDER BY ({hidden}) DESC, first LIMIT {int(most)}"
    found = connection.execute(
        f"SELECT r.rowid + 1 AS first, label, {alone} FROM (FROM told WHERE pinned {first}) "
        f"AS t JOIN signed AS p ON {together} JOIN {register.table} AS r ON {same} {first}"
    ).fetchall()
    return [Victim(row, register.row(row), label, tuple(rest)) for row, label, *rest in found]


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{number:,} people"
