"""How anonymous a table is, whom it exposes, and for which knowledge.

A table is read once and counted; every measure is taken from the counts. Knowing fewer columns
never exposes anybody more (Wu, footnote 1): groups merge, and merging can only improve each
measure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.attacks.tables.cells import column_cells
from twoworlds.attacks.tables.groups import (
    Cells,
    Counted,
    Disclosures,
    Groups,
    count_table,
    exposed,
    groups_of,
    has,
    people,
    ruled_out,
)
from twoworlds.attacks.tables.measures import NAMES, Claim, Measures, checked, measure, read_claims
from twoworlds.attacks.tables.table import Origin, listed, named_columns
from twoworlds.charts import Bars, Chart, Dots
from twoworlds.errors import TooLarge
from twoworlds.numbers import Number, counted, decimal, show, to_json
from twoworlds.progress import track
from twoworlds.show import Result

_MOST_COLUMNS = 12
_SAID, _SMALLEST = 3, 5  # groups that are said, and named as too small
_FEW = 6  # sensitive values that are worth listing
_MOST_PARTS, _BRIEF = 40, 9
_SHORT = dict(zip(NAMES, ("k", "l", "e^H", "share", "t equal", "t ordered"), strict=True))
_WORDS = {True: "holds", False: "does NOT hold", None: "is not decided"}
_CAUTION = (
    "This is about what this one table says of people who are known to be in it: another table "
    "about the same people may undo all of it (twoworlds attack composition)."
)


@dataclass(frozen=True)
class Anonymity(Result):
    """What is known about the anonymity of a table."""

    name: str  # what the table is called
    quasi: tuple[str, ...]  # the columns that an attacker may know
    sensitive: str | None  # the column to be protected, if one was named
    people: int  # how many rows the table has
    totals: dict[str, int]  # how many of them have each sensitive value
    measures: Measures  # the measures for the whole quasi-identifier
    exposed: Disclosures  # the groups in which everybody has the same sensitive value
    ruled_out: Disclosures  # the groups in which nobody has some value that others have
    claims: tuple[Claim, ...] = ()  # what was claimed, and whether it holds
    # The measures for every part of the quasi-identifier, if asked for
    subsets: tuple[Measures, ...] = ()
    # Why the table is not k-anonymous, for the k that was claimed or 2: how many groups are too
    # small, how many people are in them, how many rows there are, some of the groups; and without
    # each column the people in such groups, the smallest group, and how many groups are too small
    advice: Mapping[str, Any] | None = None
    cells: Cells = field(default_factory=dict, repr=False, compare=False)

    @property
    def k(self) -> int:
        """The largest k for which the table is k-anonymous."""
        return self.measures.k

    @property
    def diversity(self) -> int | None:
        """The largest l for which each group has at least l sensitive values."""
        distinct = self.measures.worst.get("distinct")
        return None if distinct is None else len(distinct.group.counts)

    @property
    def holds(self) -> bool | None:
        """Whether all claims hold; None when nothing was claimed, or something is undecided."""
        found = [holds for _, holds, _ in self.claims]
        return False if False in found else None if not found or None in found else True

    def answer(self) -> Answer:
        """Say anonymity, diversity, whom the table exposes, and all measures."""
        headline, *others = self.sentences()
        return Answer(
            headline,
            subject=self.name if self.claims else "",
            claim=("the claim " if len(self.claims) > 1 else "")
            + listed([text for text, _, _ in self.claims]),
            holds=self.holds,
            blocks=(
                *([Said(others)] if others else []),
                *self._tables(),
                Said([_CAUTION], quiet=True),
                self._chart(),
            ),
        )

    def sentences(self) -> list[str]:
        """Say what was found: anonymity, diversity, whom the table exposes, and how."""
        return [
            self._headline(),
            *self._diversity(),
            *(f"The claim {text} {_WORDS[holds]}: {found}." for text, holds, found in self.claims),
            *self._advice(),
        ]

    def _tables(self) -> Iterator[Block]:
        rows = [
            [NAMES[name], _shown(worst.value), people(worst.group, self.cells)]
            for name, worst in self.measures.worst.items()
        ]
        yield Table(["measure", "value", "worst group"], rows)
        every = len(self.subsets) <= _MOST_PARTS + 1  # one alone is not left out
        shown = len(self.subsets) if every else _MOST_PARTS
        if self.subsets:
            parts = [
                [", ".join(part.columns), *(_brief(worst.value) for worst in part.worst.values())]
                for part in self.subsets[:shown]
            ]
            heads = ["known", *(_SHORT[name] for name in self.measures.worst)]
            yield Table(heads, parts, "If only some of the columns are known:")
        if left := len(self.subsets) - shown:
            yield Said([f"and {left} more: --json has all of them"])

    def _chart(self) -> Chart:
        """Chart the sensitive values of the worst group beside those of the table."""
        if self.sensitive is None:
            average = Fraction(self.people, self.measures.groups)
            sizes = {"the smallest": Fraction(self.k), "on average": average}
            return Bars("Rows in a group", sizes, share=False, grey=["on average"])
        worst = self.measures.worst["belief"].group
        shares = {
            value: (Fraction(n, self.people), worst.share(value))
            for value, n in self.totals.items()
        }
        return Dots(f"Who has which {self.sensitive}", ("in the table", "in one group"), shares)

    def fields(self) -> dict[str, Any]:
        """Return all of it, groups as what their people share, how many they are, and values."""
        return {
            "table": self.name,
            "quasi": self.quasi,
            "sensitive": self.sensitive,
            "people": self.people,
            "k": self.k,
            "l": self.diversity,
            "measures": _measures(self.measures),
            "exposed": self.exposed,
            "ruled_out": self.ruled_out,
            "possible": list(self.totals),
            "claims": [{"claim": t, "holds": holds, "found": f} for t, holds, f in self.claims],
            "holds": self.holds,
            "subsets": [_measures(part) for part in self.subsets],
            "why_not": self.advice,
            "sentences": self.sentences(),
        }

    def _headline(self) -> str:
        start = f"{self.name} is {self.k}-anonymous for {listed(self.quasi)}"
        if self.k == 1:
            alone = self.measures.worst["anonymity"].group
            return f"{start}: {people(alone, self.cells)} stands alone in it."
        return (
            f"{start}: its {counted(self.people, 'row')} form "
            f"{counted(self.measures.groups, 'group')} of at least {self.k} with equal cells."
        )

    def _diversity(self) -> Iterator[str]:
        if self.sensitive is None:
            return
        said, rest = _first(self.exposed)
        if rest:
            said += (
                f"; and {counted(rest, 'group')} more in which everybody has the same "
                f"({counted(self.exposed.people, 'person')} in all)"
            )
        exposed = f" Exposed: {said}." if said else ""
        yield f"It is {self.diversity}-diverse in {self.sensitive}.{exposed}"
        said, rest = _first(self.ruled_out)
        if said:
            more = f"; and so on in {counted(rest, 'group')} more" if rest else ""
            yield f"Ruled out: {said}{more}."
        if 1 < len(self.totals) <= _FEW:
            yield (
                f"Nobody in the table has anything but {has(self.sensitive, [*self.totals])}: "
                "somebody known to be in it cannot have anything else."
            )

    def _advice(self) -> Iterator[str]:
        """Say why the table is not k-anonymous, and which column to coarsen."""
        if self.advice is None:
            return
        k, groups, exposed, rows, smallest, without = self.advice.values()
        small = listed([people(group, self.cells) for group in smallest])
        more = " for example" if groups > len(smallest) else ""
        yield (
            f"It is not {k}-anonymous because of {counted(groups, 'group')} with "
            f"{counted(exposed, 'person')} in all:{more} {small}."
        )
        column, left = next(iter(without.items()))
        helping = listed([one for one, numbers in without.items() if not numbers["people"]], "or")
        if rows < k:
            yield (
                f"It has only {counted(rows, 'row')}: nothing makes it {k}-anonymous, "
                "not even hiding every column."
            )
        elif helping:
            yield f"Hiding {helping} altogether would make it {k}-anonymous."
        elif left["people"] < exposed:
            yield (
                f"Coarsen {column} first: without it {counted(left['people'], 'person')} would be "
                f"left in groups smaller than {k}."
            )
        else:
            yield "Hiding a single column would help nobody: coarsen several."


def examine(
    table: Origin | Counted,
    quasi: str | Sequence[str],
    sensitive: str | None = None,
    *,
    k: object = None,
    diversity: object = None,
    entropy: object = None,
    recursive: tuple[object, object] | None = None,
    closeness: object = None,
    distance: str | None = None,
    subsets: bool = False,
) -> Anonymity:
    """Measure the anonymity of a table and name the people whom it exposes.

    Args:
        table: A CSV, TSV or Parquet file, a list of mappings from columns to values, or a frame.
        quasi: The columns of the quasi-identifier: what an attacker may know of a person.
        sensitive: The column that is to be protected.
        k: A claim: every group has at least so many people.
        diversity: A claim: every group has at least so many sensitive values.
        entropy: A claim: e^H of every group is at least this.
        recursive: A claim (c, l): r_1 < c (r_l + ... + r_m) in every group.
        closeness: A claim: no group is further than this from the whole table.
        distance: Which distance ``closeness`` is about: ``equal`` or ``ordered``; by default
            ordered if all sensitive values are numbers.
        subsets: Whether to measure every part of the quasi-identifier as well.

    >>> rows = [{"age": "3*", "has": "cancer"}] * 4 + [{"age": "<30", "has": "flu"}] * 2
    >>> found = examine(rows, ["age"], "has")
    >>> found.k, found.diversity, found.exposed.shown[0].sentence
    (2, 1, 'all 4 people in their 30s have cancer')
    """
    columns = named_columns(quasi, "quasi", sensitive)
    claims = read_claims(k, diversity, entropy, recursive, closeness, distance, sensitive=sensitive)
    check_extent(columns, subsets=subsets)
    table = count_table(table, [*columns, *([sensitive] if sensitive else [])])
    cells = {column: column_cells(table.texts[table.place(column)]) for column in columns}
    found = groups_of(table, columns, sensitive)
    measures = measure(found)
    order = np.argsort(-found.totals, kind="stable").tolist() if sensitive else ()
    return Anonymity(
        table.name,
        tuple(columns),
        sensitive,
        table.people,
        {found.names[code]: int(found.totals[code]) for code in order},
        measures,
        exposed(found, sensitive, cells) if sensitive else Disclosures(),
        ruled_out(found, sensitive, cells) if sensitive else Disclosures(),
        tuple(checked(claims, found, measures)),
        tuple(_parts(table, columns, sensitive)) if subsets else (),
        _advise(found, claims["k"] or 2),
        cells,
    )


def check_extent(columns: Sequence[str], *, subsets: bool) -> None:
    """Refuse all parts of too many columns."""
    if subsets and len(columns) > _MOST_COLUMNS:
        raise TooLarge(
            f"{len(columns)} columns have {2 ** len(columns) - 1:,} parts: at most "
            f"{_MOST_COLUMNS} columns are examined in all parts; name fewer, or leave out subsets"
        )


def _advise(groups: Groups, k: int) -> dict[str, Any] | None:
    """Return why a table is not k-anonymous; None if it is."""
    small = np.flatnonzero(groups.sizes < k)
    if not len(small):
        return None
    without = {}
    for column in groups.columns:
        others = [one for one in groups.columns if one != column]
        sizes = groups_of(groups.table, others, None).sizes
        left = sizes[sizes < k]
        numbers = (int(left.sum()), int(sizes.min()), len(left))
        without[column] = dict(zip(("people", "smallest", "groups"), numbers, strict=True))
    ranked = sorted(without.items(), key=lambda item: (item[1]["people"], -item[1]["smallest"]))
    order = small[np.argsort(groups.sizes[small], kind="stable")][:_SMALLEST].tolist()
    return {
        "k": k,
        "groups": len(small),
        "people": int(groups.sizes[small].sum()),
        "rows": int(groups.totals.sum()),
        "smallest": tuple(map(groups.group, order)),
        "without": dict(ranked),
    }


def _parts(table: Counted, columns: Sequence[str], sensitive: str | None) -> Iterator[Measures]:
    """Yield the measures of every part, the larger ones first, the whole included."""
    sizes = range(len(columns), 0, -1)
    parts = [part for size in sizes for part in combinations(columns, size)]
    for part in track(parts, "measuring parts", total=len(parts)):
        yield measure(groups_of(table, part, sensitive))


def _first(found: Disclosures) -> tuple[str, int]:
    """Say the first disclosures, and return how many groups more there are."""
    shown = found.shown[:_SAID]
    return "; ".join(one.sentence for one in shown), found.groups - len(shown)


def _shown(value: Number) -> str:
    """Write a measure; a root, which only the entropy is, as a decimal that is rounded down."""
    return show(value) if isinstance(value, Fraction) else decimal(value, side="at least")


def _brief(value: Number) -> str:
    brief = str(value) if isinstance(value, Fraction) else ""
    return brief if 0 < len(brief) <= _BRIEF else decimal(value, side="down")


def _measures(found: Measures) -> dict[str, Any]:
    worst = {
        name: {"value": to_json(value, side="down"), "group": group}
        for name, (value, group) in found.worst.items()
    }
    return {"columns": found.columns, "groups": found.groups, **worst}
