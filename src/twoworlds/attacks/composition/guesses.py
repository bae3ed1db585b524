"""Guesses: how often the likeliest sensitive value of each person of a register is right.

What an attacker *expects* follows from the attacker's belief, one of
`twoworlds.attacks.composition.beliefs`, and is wrong where that belief is: it takes the people
behind matching rows of different tables for different ones, and often they are the same. Where the
register gives somebody's sensitive value itself, that value is held back from the attack, and right
guesses are counted. Their share is what to expect of the others, if they are like these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.attacks.composition.beliefs import TableBelief
from twoworlds.attacks.composition.matching import KnownValues
from twoworlds.attacks.composition.signatures import joined, posteriors
from twoworlds.numbers import decimal, to_json

if TYPE_CHECKING:
    import duckdb

    from twoworlds.attacks.composition.sources import Loaded

__all__ = ["Guesses", "make_guesses"]


@dataclass(frozen=True)
class Guesses:
    """How often guessing the likeliest value of each person is right.

    Attributes:
        belief: What the attacker believes.
        people: About how many people the belief gives a guess.
        expected: How many of these guesses the attacker expects to be right.
        held_back: Of how many of these people the register gives the value.
        expected_held_back: How many of the guesses about those the attacker expects to be right.
        right: How many of them are. Of several values that are likeliest, any may be guessed, so
            they count in part.
    """

    belief: TableBelief
    people: int
    expected: Fraction
    held_back: int
    expected_held_back: Fraction
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

    def to_dict(self) -> dict[str, Any]:
        """Return all but the belief as plain data."""
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


def make_guesses(
    connection: duckdb.DuckDBPyConnection,
    register: Loaded,
    tables: Sequence[Loaded],
    known: Sequence[str],
    sensitive: str,
    belief: TableBelief,
) -> Guesses:
    """Guess everybody's value; ``told`` is made already."""

    def fetch(statement: str) -> list[tuple[Any, ...]]:
        return connection.execute(statement).fetchall()

    [(sets,)] = fetch("SELECT count(*) > 0 FROM named WHERE kind = 'set' OR label <> said")
    held = replace(belief, sets=sets)
    people = dict(fetch("SELECT id, people FROM told WHERE number > 0"))
    truths: list[tuple[int, str, int]] = []
    if sensitive in register.columns:
        together, same = joined(register, known, len(tables))
        value = f"r.{register.columns[sensitive]}"
        truths = fetch(
            f"SELECT t.id, {value}, count(*) FROM told AS t JOIN signed AS p ON {together} JOIN "
            f"{register.table} AS r ON {same} WHERE number > 0 AND {value} IS NOT NULL GROUP BY ALL"
        )
    wanted = people if held.weighed else {one for one, _, _ in truths}
    believed = {
        one: (max(posterior.values()), posterior)
        for one, posterior in posteriors(tables, sensitive, held, wanted)
        if posterior
    }
    if held.weighed:
        guessed = [(share, people[one]) for one, (share, _) in believed.items()]
    else:
        odds = fetch("SELECT best::VARCHAR, total::VARCHAR, people FROM told WHERE number > 0")
        guessed = [(Fraction(int(best), int(total)), many) for best, total, many in odds]
    seen = [
        (many, share, truth, [v for v in posterior if posterior[v] == share])
        for one, truth, many in truths
        if one in believed
        for share, posterior in [believed[one]]
    ]
    labels = {label for _, _, _, likeliest in seen for label in likeliest}
    agree = set(KnownValues({truth for _, _, truth, _ in seen}).pairs(labels))
    return Guesses(
        held,
        sum(many for _, many in guessed),
        sum((share * many for share, many in guessed), Fraction(0)),
        sum(many for many, *_ in seen),
        sum((share * many for many, share, _, _ in seen), Fraction(0)),
        sum(
            (
                Fraction(many * sum((truth, label) in agree for label in likeliest), len(likeliest))
                for many, _, truth, likeliest in seen
            ),
            Fraction(0),
        ),
    )


def _times(right: Fraction, of: int) -> str:
    share = decimal(right / of, 3, "about")
    return f"{decimal(right, 6, 'about')} times of {of:,}, a share of {share}"
