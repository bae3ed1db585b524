"""Exposure: how many people of a register several anonymised tables pin down together.

For every person of the register, what `twoworlds.attacks.tables.composition` computes for one: the
rows of each table that can be theirs, the sensitive values that each table leaves, and those that
all tables leave together. People who match the same groups of a table share a *signature*, and so
what the table leaves them: it is computed once for all who share the signatures of all tables.

What an attacker *expects* of guessing everybody's likeliest value follows from the attacker's
belief, one of `twoworlds.attacks.tables.beliefs`, and is wrong where that belief is: it takes the
people behind matching rows of different tables for different ones, and often they are the same.
Where the register gives somebody's sensitive value itself, that value is held back from the attack,
and right guesses are counted. Their share is what to expect of the others, if they are like these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.attacks.english import counted, listed
from twoworlds.attacks.tables.agreement import Sensitive, Way, ways_of
from twoworlds.attacks.tables.beliefs import TableBelief
from twoworlds.attacks.tables.knowledge import KnownValues
from twoworlds.attacks.tables.linkage import (
    make_groups,
    make_matches,
    make_profiles,
    make_said,
    same_person,
)
from twoworlds.attacks.tables.table import (
    LoadedTable,
    Origin,
    check_known,
    load,
    load_all,
    named,
    named_columns,
    opened,
    repeated,
    written_column,
)
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput
from twoworlds.numbers import decimal, to_json
from twoworlds.progress import track
from twoworlds.show import Result


class TableShare(NamedTuple):
    """What one table alone does to the people of the register.

    ``matched`` of them can be in it; to ``pinned`` of these it leaves one sensitive value; of those
    whom all tables together pin down, it pins down ``enough`` alone.
    """

    name: str
    size: int
    matched: int
    pinned: int
    enough: int


class Victim(NamedTuple):
    """Somebody whose sensitive value all tables together give away.

    ``row`` is the number of the row in the register, from 1, ``person`` what stands there, and
    ``alone`` says how many values each table leaves.
    """

    row: int
    person: Mapping[str, str | None]
    value: str
    alone: tuple[int, ...]


class Guesses(NamedTuple):
    """How often guessing the likeliest value of each person is right."""

    belief: TableBelief  # what the attacker believes
    people: int  # about how many people the belief gives a guess
    expected: Fraction  # how many of these guesses the attacker expects to be right
    held_back: int  # of how many of these people the register gives the value
    # How many of the guesses about those the attacker expects to be right
    expected_held_back: Fraction
    # How many of them are. Of several values that are likeliest, any may be guessed, so they count
    # in part.
    right: Fraction

    @property
    def calibrated(self) -> Fraction | None:
        """How many guesses about the other people are right at the rate of those held back."""
        if not self.held_back:
            return None
        return self.right / self.held_back * (self.people - self.held_back)

    def sentences(self, sensitive: str) -> Iterator[str]:
        """Say what the attacker expects, on which grounds, and what is right."""
        if not self.people:
            return
        _, *believed = self.belief.assumptions
        yield (
            f"Guessing the likeliest {sensitive} of each, an attacker expects to be right "
            f"{_times(self.expected, self.people)}, if they are in all tables. This expectation is "
            f"the attacker's, not a count, and follows from what the attacker believes: "
            f"{'; '.join(believed)}."
        )
        if self.calibrated is None:
            yield (
                "It is too high where the same people stand behind matching rows of several "
                f"tables; a register that gives the {sensitive} of some people shows by how much."
            )
            return
        yield (
            f"The register gives the {sensitive} of {self.held_back:,} of them, which the attack "
            f"does not use: guesses about these are right {_times(self.right, self.held_back)}, "
            f"where {decimal(self.expected_held_back, 6, 'about')} are expected."
        )
        if others := self.people - self.held_back:
            yield (
                f"At that rate {decimal(self.calibrated, 6, 'about')} of the guesses about the "
                f"other {others:,} are right, if they are like these."
            )

    def fields(self) -> dict[str, Any]:
        """Return what JSON has of all but the belief."""
        rate = self.calibrated
        return {
            "guesses": self.people,
            "expected_right_guesses": to_json(self.expected, side="down"),
            "held_back": {
                "people": self.held_back,
                "expected_right_guesses": to_json(self.expected_held_back, side="down"),
                "right_guesses": to_json(self.right, side="down"),
                "right_guesses_of_the_others": None if rate is None else to_json(rate, side="down"),
            },
        }


@dataclass(frozen=True)
class Exposure(Result):
    """What happens to everybody in a register."""

    on: tuple[str, ...]  # the columns that are known
    sensitive: str  # the column that is attacked
    people: int  # how many people the register has
    tables: tuple[TableShare, ...]  # what each table does alone
    everywhere: int  # how many people can be in all tables
    # How many of them are left with how many candidates; 0 when the tables contradict
    left: Mapping[int, int]
    pinned: int  # how many of them are left with one value
    newly: int  # how many are pinned down by all tables together and by none alone
    guesses: Guesses  # how often guessing the likeliest value of each of them is right
    # The first people who are pinned down, those first whom no table gives away alone
    victims: tuple[Victim, ...]
    notes: tuple[str, ...] = ()  # what to beware of, in sentences

    @property
    def sentence(self) -> str:
        """The outcome in a few sentences."""
        known = listed(self.on)
        if not self.everywhere:
            return f"Nobody of {counted(self.people, 'person')} matches all tables by {known}."
        alone = listed([f"{one.enough:,}" for one in self.tables])
        how = (
            f": {alone} by each table alone, and {self.newly:,} only by putting the tables together"
        )
        return (
            f"The {self.sensitive} of {self.pinned:,} of {counted(self.everywhere, 'person')} who "
            f"can be in all tables is pinned down{how if len(self.tables) > 1 else ''}. The "
            f"register has {counted(self.people, 'person')}, of whom {known} "
            f"{'is' if len(self.on) == 1 else 'are'} known."
        )

    def answer(self) -> Answer:
        """Say what was found, what it rests on, and who is pinned down."""
        return Answer.of(self.sentence, *self._blocks(), notes=self.notes)

    def _blocks(self) -> Iterator[Block]:
        lines = []
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
        yield Said(lines)
        if self.victims:
            columns = [column for column in self.victims[0].person if column != self.sensitive]
            heads = [
                "row",
                *columns,
                self.sensitive,
                *(f"{one.name} leaves" for one in self.tables),
            ]
            rows = [
                [str(row), *(person[one] or "" for one in columns), value, *map(str, alone_leaves)]
                for row, person, value, alone_leaves in self.victims
            ]
            yield Table(heads, rows)
        if left := self.pinned - len(self.victims):
            more = f"{counted(left, 'person')} more {'is' if left == 1 else 'are'} pinned down"
            yield Said([f"{more}: expose(..., most=N) in Python lists N."])
        if self.everywhere:
            shares = {f"by {one.name} alone": one.enough for one in self.tables}
            together = {"by all together": self.pinned} if len(self.tables) > 1 else {}
            drawn = {
                name: Fraction(n, self.everywhere) for name, n in {**shares, **together}.items()
            }
            title = f"Pinned down, of the {self.everywhere:,} who can be in all tables"
            yield Bars(title, drawn, orange=list(together))

    def fields(self) -> dict[str, Any]:
        """Return all of it, with what the belief assumes."""
        return {
            "sentence": self.sentence,
            "on": self.on,
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
            "people_by_candidates_left": self.left,
            "pinned": self.pinned,
            "pinned_only_together": self.newly,
            **self.guesses.fields(),
            "victims": [
                {"row": row, "person": person, "value": value, "candidates_alone": alone}
                for row, person, value, alone in self.victims
            ],
            **self.guesses.belief.fields(),
            "notes": self.notes,
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
        columns = _known(everybody, on, sensitive)
        loaded = load_all(connection, origins, columns, [sensitive])
        if on is None:
            columns = [one for one in columns if any(one in table.columns for table in loaded)]
        if not columns:
            raise InvalidInput(f"{everybody.name} and the tables share no column: nothing is known")
        check_known(loaded, columns)
        known = make_profiles(everybody, columns)
        for number, table in enumerate(track(loaded, "matching people", total=len(loaded))):
            make_groups(table, columns, f"groups{number}")
            make_matches(table, known, f"groups{number}", f"matches{number}")
            make_said(table, columns, sensitive, f"groups{number}", f"said{number}")
        _make_signed(everybody, len(loaded))
        cells = Sensitive(table.texts(sensitive) for table in loaded)
        if not all(one.is_value for one in cells.read.values()):
            belief = replace(belief, sets=True)
        kinds = _kinds(everybody, len(loaded), cells)
        guesses = _guesses(everybody, kinds, columns, sensitive, belief, cells)
        pinned = sum(one.people for one in kinds if one.pinned)
        victims = _victims(everybody, kinds, columns, most)
    left: Counter[int] = Counter()
    for kind in kinds:
        if kind.together is not None:
            left[kind.together[0]] += kind.people
    return Exposure(
        tuple(columns),
        sensitive,
        everybody.rows,
        tuple(_share(table, number, kinds) for number, table in enumerate(loaded)),
        left.total(),
        dict(sorted(left.items())),
        pinned,
        sum(one.people for one in kinds if one.newly),
        guesses,
        tuple(victims),
        tuple(repeated(origins)),
    )


def _known(register: LoadedTable, on: object, sensitive: str) -> list[str]:
    if on is None:
        return [column for column in register.columns if column != sensitive]
    columns = named_columns(on, "on", sensitive)
    for column in columns:
        if column not in register.columns:
            there = ", ".join(map(written_column, register.columns))
            raise InvalidInput(f"{register.name} has no column {column!r}: it has {there}")
    return columns


def _make_signed(register: LoadedTable, tables: int) -> None:
    """Make ``kinds`` of people by the groups that they match, and ``signed``: profiles with kinds.

    Most profiles match one group; the list of groups is made for the others only.
    """
    joins, columns = [], []
    for i in range(tables):
        register.connection.execute(
            f"CREATE TABLE sign{i} AS SELECT profile, min(group_) AS one, CASE WHEN count(*) > 1 "
            f"THEN list(group_ ORDER BY group_)::VARCHAR END AS more FROM matches{i} "
            "GROUP BY profile"
        )
        joins.append(f"LEFT JOIN sign{i} ON sign{i}.profile = profiles.id")
        columns += [f"sign{i}.one AS one{i}", f"sign{i}.more AS more{i}"]
    register.connection.execute(
        f"CREATE TABLE matched AS SELECT profiles.*, {', '.join(columns)} FROM profiles "
        f"{' '.join(joins)}"
    )
    keys = ", ".join(f"one{i}, more{i}" for i in range(tables))
    register.connection.execute(
        f"CREATE TABLE kinds AS SELECT {keys}, sum(people)::BIGINT AS people, min(first) AS first, "
        f"row_number() OVER () AS kind FROM matched GROUP BY {keys}"
    )
    same = " AND ".join(
        f"m.{key} IS NOT DISTINCT FROM k.{key}" for key in keys.replace(" ", "").split(",")
    )
    register.connection.execute(
        f"CREATE VIEW signed AS SELECT m.*, k.kind FROM matched AS m JOIN kinds AS k ON {same}"
    )


class _Kind(NamedTuple):
    """People who match the same groups in every table."""

    id: int  # which kind it is
    people: int  # how many they are
    first: int  # the row of the first one
    # For each table the number of candidates that it leaves, and whether that is one value; None
    # for a table that they do not match
    alone: tuple[tuple[int, bool] | None, ...]
    together: tuple[int, bool] | None  # the same of all tables, for people who match all of them
    choices: Sequence[Way]  # the choices of a row in every table that agree

    @property
    def pinned(self) -> bool:
        """Whether all tables together leave one value."""
        return self.together is not None and self.together[1]

    @property
    def newly(self) -> bool:
        """Whether they do, and no table does alone."""
        return self.pinned and not any(one is not None and one[1] for one in self.alone)


def _kinds(register: LoadedTable, tables: int, cells: Sensitive) -> list[_Kind]:
    """Work out what tables leave to each kind of people."""
    said: list[dict[int, dict[str | None, int]]] = [{} for _ in range(tables)]
    for i, groups in enumerate(said):
        for group, value, size in register.fetch(f"SELECT id, value, size FROM said{i}"):
            groups.setdefault(group, {})[value] = size
    seen: list[dict[Any, tuple[Mapping[str | None, int], tuple[int, bool]]]] = [{} for _ in said]
    found = []
    rows = register.fetch("SELECT * FROM kinds ORDER BY first")
    for *keys, people, first, kind in track(rows, "putting tables together", total=len(rows)):
        left: list[tuple[Mapping[str | None, int], tuple[int, bool]] | None] = []
        for i, (one, more) in enumerate(zip(keys[::2], keys[1::2], strict=True)):
            if one is None:
                left.append(None)
                continue
            if (one, more) not in seen[i]:
                matching = [one] if more is None else [*map(int, more.strip("[]").split(","))]
                counts: Counter[str | None] = Counter()
                for group in matching:
                    counts.update(said[i][group])
                seen[i][one, more] = counts, _left(cells.choices([counts]))
            left.append(seen[i][one, more])
        matched = [one for one in left if one is not None]
        everywhere = len(matched) == tables
        choices = cells.choices([counts for counts, _ in matched]) if everywhere else ()
        alone = tuple(None if one is None else one[1] for one in left)
        together = _left(choices) if everywhere else None
        found.append(_Kind(kind, people, first, alone, together, choices))
    return found


def _left(choices: Sequence[Way]) -> tuple[int, bool]:
    """Return how many candidates are left, and whether that is one value."""
    ways = ways_of(choices)
    return len(ways), len(ways) == 1 and not any(told.sets for told, _, _ in choices)


def _guesses(
    register: LoadedTable,
    kinds: Sequence[_Kind],
    known: Sequence[str],
    sensitive: str,
    belief: TableBelief,
    cells: Sensitive,
) -> Guesses:
    """Guess everybody's value, and compare with what the register gives."""
    likeliest: dict[int, tuple[Fraction, list[str]]] = {}
    expected, people = Fraction(0), 0
    for kind in kinds:
        if weights := belief.weights(kind.choices, cells) if kind.choices else {}:
            most, total = max(weights.values()), sum(weights.values())
            share = Fraction(most) / total
            likeliest[kind.id] = share, [one for one in weights if weights[one] == most]
            expected += share * kind.people
            people += kind.people
    seen: list[tuple[int, str, int]] = []
    if sensitive in register.columns:
        value = f"r.{register.columns[sensitive]}"
        seen = register.fetch(
            f"SELECT p.kind, {value}, count(*) FROM signed AS p JOIN {register.place} AS r ON "
            f"{same_person(register, known)} WHERE {value} IS NOT NULL GROUP BY ALL"
        )
        seen = [one for one in seen if one[0] in likeliest]
    labels = {label for kind, _, _ in seen for label in likeliest[kind][1]}
    agree = set(KnownValues({truth for _, truth, _ in seen}).pairs(labels))
    right = Fraction(0)
    for one, truth, many in seen:
        guessed = likeliest[one][1]
        right += Fraction(many * sum((truth, label) in agree for label in guessed), len(guessed))
    held_back = sum(many for _, _, many in seen)
    sure = sum((likeliest[kind][0] * many for kind, _, many in seen), start=Fraction(0))
    return Guesses(belief, people, expected, held_back, sure, right)


def _victims(
    register: LoadedTable, kinds: Sequence[_Kind], known: Sequence[str], most: int
) -> list[Victim]:
    """Return the first people who are pinned down, those first whom no table gives away alone."""
    pinned = sorted((one for one in kinds if one.pinned), key=lambda one: not one.newly)[:most]
    if not pinned:
        return []
    chosen = {one.id: one for one in pinned}
    listed_, newly = (
        ", ".join(str(one.id) for one in some) or "NULL"
        for some in (pinned, [one for one in pinned if one.newly])
    )
    found = register.fetch(
        f"SELECT r.rowid + 1, p.kind FROM signed AS p JOIN {register.place} AS r ON "
        f"{same_person(register, known)} WHERE p.kind IN ({listed_}) ORDER BY "
        f"coalesce(p.kind IN ({newly}), false) DESC, r.rowid LIMIT {int(most)}"
    )
    return [
        Victim(
            row,
            register.row(row),
            next(iter(ways_of(chosen[kind].choices))),
            tuple(one[0] for one in chosen[kind].alone if one is not None),
        )
        for row, kind in found
    ]


def _share(table: LoadedTable, number: int, kinds: Sequence[_Kind]) -> TableShare:
    inside = [(kind, left[1]) for kind in kinds if (left := kind.alone[number]) is not None]
    pinned = [kind for kind, is_pinned in inside if is_pinned]
    return TableShare(
        table.name,
        table.rows,
        sum(kind.people for kind, _ in inside),
        sum(kind.people for kind in pinned),
        sum(kind.people for kind in pinned if kind.pinned),
    )


def _times(right: Fraction, of: int) -> str:
    share = decimal(right / of, 3, "about")
    return f"{decimal(right, 6, 'about')} times of {of:,}, a share of {share}"
