"""The answer about a table: its measures, whom it exposes, and which claims hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.attacks.anonymity.advice import Advice
from twoworlds.attacks.anonymity.exposures import Exposure, Found
from twoworlds.attacks.anonymity.groups import Group
from twoworlds.attacks.anonymity.measures import Worst, perplexity
from twoworlds.attacks.anonymity.points import has_spans, is_whole
from twoworlds.attacks.anonymity.words import Cells, counted, has, joined, people
from twoworlds.attacks.generalised import plain_number
from twoworlds.numbers import Number, Order, compare, decimal, show

__all__ = ["CAUTION", "Anonymity", "Claim", "Measures", "shown"]

_FEW = 6  # sensitive values that are worth listing

CAUTION = (
    "This is about what this one table says of people who are known to be in it: another table "
    "about the same people may undo all of it (twoworlds attack composition)."
)


@dataclass(frozen=True)
class Measures:
    """All measures for one choice of quasi-identifier, each with its worst group.

    Attributes:
        columns: The quasi-identifier.
        groups: How many groups there are.
        anonymity: k, the size of the smallest group.
        distinct: The least number of sensitive values in a group; this and the following are None
            without a sensitive column.
        entropy: The least e^H.
        belief: The largest share of one value.
        equal: The largest total variation between a group and the table.
        ordered: The largest ordered distance; None where not all sensitive values are numbers.
    """

    columns: tuple[str, ...]
    groups: int
    anonymity: Worst
    distinct: Worst | None = None
    entropy: Worst | None = None
    belief: Worst | None = None
    equal: Worst | None = None
    ordered: Worst | None = None

    @property
    def k(self) -> int:
        """The largest k for which the table is k-anonymous."""
        return self.anonymity.group.size

    def named(self) -> Iterator[tuple[str, Worst]]:
        """Yield the measures that there are, with their names."""
        yield "smallest group (k)", self.anonymity
        for name, worst in (
            ("distinct values (l)", self.distinct),
            ("entropy, e^H (l)", self.entropy),
            ("largest share", self.belief),
            ("equal distance (t)", self.equal),
            ("ordered distance (t)", self.ordered),
        ):
            if worst is not None:
                yield name, worst

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        found: dict[str, Any] = {"columns": list(self.columns), "groups": self.groups}
        found["anonymity"] = self.anonymity.to_dict()
        for name in ("distinct", "entropy", "belief", "equal", "ordered"):
            worst = getattr(self, name)
            if worst is not None:
                found[name] = worst.to_dict()
        return found


@dataclass(frozen=True)
class Claim:
    """Something claimed of the table.

    Attributes:
        text: The claim, such as ``4-anonymous``.
        holds: Whether it holds; None when the numbers could not be told apart.
        found: What was found instead.
    """

    text: str
    holds: bool | None
    found: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"claim": self.text, "holds": self.holds, "found": self.found}


@dataclass(frozen=True)
class Anonymity:
    """What is known about the anonymity of a table.

    Attributes:
        name: What the table is called.
        quasi: The columns that an attacker may know.
        sensitive: The column to be protected, if one was named.
        grouped: ``texts`` or ``knowledge``: how groups are formed.
        people: How many rows the table has.
        totals: How many of them have each sensitive value.
        measures: The measures for the whole quasi-identifier.
        exposed: The groups in which everybody has the same sensitive value.
        ruled_out: The groups in which nobody has some value that others have.
        claims: What was claimed, and whether it holds.
        subsets: The measures for every part of the quasi-identifier, if asked for.
        advice: Why the table is not as anonymous as claimed.
    """

    name: str
    quasi: tuple[str, ...]
    sensitive: str | None
    grouped: str
    people: int
    totals: tuple[tuple[str, int], ...]
    measures: Measures
    exposed: Found
    ruled_out: Found
    claims: tuple[Claim, ...] = ()
    subsets: tuple[Measures, ...] = ()
    advice: Advice | None = None
    cells: Cells = field(default_factory=dict, repr=False, compare=False)

    @property
    def k(self) -> int:
        """The largest k for which the table is k-anonymous."""
        return self.measures.k

    @property
    def diversity(self) -> int | None:
        """The largest l for which each group has at least l sensitive values."""
        distinct = self.measures.distinct
        return None if distinct is None else len(distinct.group.counts)

    @property
    def holds(self) -> bool | None:
        """Whether all claims hold; None when nothing was claimed, or something is undecided."""
        found = [claim.holds for claim in self.claims]
        return False if False in found else None if not found or None in found else True

    def people_in(self, group: Group) -> str:
        """Say a group in words."""
        return people(group, self.cells)

    def sentences(self) -> list[str]:
        """Say what was found: anonymity, diversity, whom the table exposes, and how."""
        found = [self._headline(), *self._readings(), *self._diversity()]
        for claim in self.claims:
            word = {True: "holds", False: "does NOT hold", None: "is not decided"}[claim.holds]
            found.append(f"The claim {claim.text} {word}: {claim.found}.")
        if self.advice is not None:
            found += self.advice.sentences(self.cells)
        return found

    def explain(self) -> str:
        """Return the answer in words, with all measures and their worst groups."""
        lines = [*self.sentences(), ""]
        for name, worst in self.measures.named():
            lines.append(f"  {name:<22}{shown(worst.value):<24}{self.people_in(worst.group)}")
        return "\n".join([*lines, "", CAUTION])

    def verify(self) -> bool:
        """Recompute each measure from the counts of its worst group, and check each exposure."""
        checks = [_recomputed(name, worst, self) for name, worst in self.measures.named()]
        shown: tuple[Exposure, ...] = (*self.exposed.shown, *self.ruled_out.shown)
        return all(checks) and all(exposure.verify() for exposure in shown)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        return {
            "table": self.name,
            "quasi": list(self.quasi),
            "sensitive": self.sensitive,
            "groups_by": self.grouped,
            "people": self.people,
            "k": self.k,
            "l": self.diversity,
            "measures": self.measures.to_dict(),
            "exposed": self.exposed.to_dict(),
            "ruled_out": self.ruled_out.to_dict(),
            "possible": [value for value, _ in self.totals],
            "claims": [claim.to_dict() for claim in self.claims],
            "holds": self.holds,
            "subsets": [measures.to_dict() for measures in self.subsets],
            "why_not": None if self.advice is None else self.advice.to_dict(),
            "sentences": self.sentences(),
        }

    def _repr_html_(self) -> str:
        """Show a compact card in a notebook."""
        from twoworlds.cards import card, table
        from twoworlds.cards.layout import lead

        headline, *others = self.sentences()
        first, rest = lead(headline)
        rows = [
            (name, shown(worst.value), self.people_in(worst.group))
            for name, worst in self.measures.named()
        ]
        heads = ("measure", "value", "where")
        return card(
            first,
            sentences=[*([rest] if rest else []), *others],
            inside=[table(heads, rows), self.picture()],
            notes=[CAUTION],
        )

    def picture(self) -> str:
        """Draw the sensitive values of the worst group beside those of the table.

        Without a sensitive column: the smallest group beside the average one.
        """
        from twoworlds.cards import bars, dots

        belief = self.measures.belief
        if belief is None:
            sizes = {
                "the smallest": Fraction(self.k),
                "on average": Fraction(self.people, self.measures.groups),
            }
            return bars("Rows in a group", sizes, share=False, grey=["on average"])
        worst, total = belief.group, sum(n for _, n in self.totals)
        shares = {value: (Fraction(n, total), worst.share(value)) for value, n in self.totals}
        return dots(f"Who has which {self.sensitive}", ("in the table", "in one group"), shares)

    def _headline(self) -> str:
        columns = joined(self.quasi)
        start = f"{self.name} is {self.k}-anonymous for {columns}"
        if self.grouped == "knowledge":
            return (
                f"{start} when groups are what exact knowledge matches: whoever is in it and "
                f"however exactly these columns are known, at least "
                f"{counted(self.k, 'row')} of {self.people:,} {_fit(self.k)}."
            )
        if self.k == 1:
            return f"{start}: {self.people_in(self.measures.anonymity.group)} stands alone in it."
        return (
            f"{start}: its {counted(self.people, 'row')} form "
            f"{counted(self.measures.groups, 'group')} of at least {self.k} with equal cells."
        )

    def _readings(self) -> Iterator[str]:
        """Say how cells were read, where it matters to what knowledge matches."""
        if self.grouped != "knowledge":
            return
        read = {column: list(self.cells.get(column, {}).values()) for column in self.quasi}
        whole = [c for c in self.quasi if has_spans(read[c]) and is_whole(read[c])]
        empty = [c for c in self.quasi if "" in self.cells.get(c, {})]
        if whole:
            yield (
                f"Only whole numbers are considered for {joined(whole)}, as all that are shown are "
                "whole."
            )
        if empty:
            yield f"An empty cell of {joined(empty, 'or')} says nothing, so it fits everybody."

    def _diversity(self) -> Iterator[str]:
        if self.sensitive is None or self.diversity is None:
            return
        yield f"It is {self.diversity}-diverse in {self.sensitive}." + self._homogeneous()
        if self.ruled_out.groups:
            yield self._negative()
        values = [value for value, _ in self.totals]
        if 1 < len(values) <= _FEW:
            yield (
                f"Nobody in the table has anything but {has(self.sensitive, values)}: whoever is "
                "known to be in it cannot have anything else."
            )

    def _homogeneous(self) -> str:
        if not self.exposed.groups:
            return ""
        said = "; ".join(one.sentence for one in self.exposed.shown[:3])
        rest = self.exposed.groups - len(self.exposed.shown[:3])
        if not rest:
            return f" Exposed: {said}."
        more = (
            f" Exposed: {said}; and {counted(rest, 'group')} more in which everybody has the same"
        )
        if self.grouped == "knowledge":  # a row may be in several groups
            return f"{more}."
        return f"{more} ({counted(self.exposed.people, 'person', 'people')} in all)."

    def _negative(self) -> str:
        said = "; ".join(one.sentence for one in self.ruled_out.shown[:3])
        rest = self.ruled_out.groups - len(self.ruled_out.shown[:3])
        more = f"; and so on in {counted(rest, 'group')} more" if rest else ""
        return f"Ruled out: {said}{more}."


def shown(value: Number) -> str:
    """Write a measure; a root, which only the entropy is, as a decimal that is rounded down.

    >>> shown(Fraction(7, 12)), shown(perplexity([1, 1, 2]))
    ('7/12 (0.583334)', 'at least 2.82842')
    """
    return show(value) if isinstance(value, Fraction) else decimal(value, side="at least")


def _fit(number: int) -> str:
    return "fits" if number == 1 else "fit"


def _recomputed(name: str, worst: Worst, answer: Anonymity) -> bool:
    """Compute a measure of one group again, by its definition."""
    group, totals = worst.group, dict(answer.totals)
    counts = dict(group.counts)
    value: Number
    match name.split()[0]:
        case "smallest":
            value = Fraction(group.size)
        case "distinct":
            value = Fraction(len(counts))
        case "entropy,":
            value = perplexity(list(counts.values()))
        case "largest":
            value = Fraction(max(counts.values()), group.size)
        case "equal":
            value = sum(_gaps(group, totals, answer.people), start=Fraction(0)) / 2
        case _:
            value = _ordered(group, totals, answer.people)
    whole = not counts or sum(counts.values()) == group.size
    return whole and compare(value, worst.value) in (Order.EQUAL, Order.UNDECIDED)


def _gaps(group: Group, totals: dict[str, int], people: int) -> Iterator[Fraction]:
    for value, total in totals.items():
        yield abs(group.share(value) - Fraction(total, people))


def _ordered(group: Group, totals: dict[str, int], people: int) -> Fraction:
    numbers = {value: plain_number(value.strip()) for value in totals}
    ranked = sorted({number for number in numbers.values() if number is not None})
    steps, moved = Fraction(0), Fraction(0)
    for number in ranked:
        for value in (one for one in totals if numbers[one] == number):
            moved += group.share(value) - Fraction(totals[value], people)
        steps += abs(moved)
    return steps / max(1, len(ranked) - 1)
