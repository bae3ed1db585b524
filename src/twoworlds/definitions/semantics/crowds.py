"""Games about many people who are alike: what is concluded about any one of them.

The posteriors of `games` by counts (see `counts`): with everyone's data, and with a
default value in place of one person's record. Where every record is treated on its own, persons are
alike whose outputs are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from twoworlds.answer import Answer, Block, Facts, Table
from twoworlds.definitions.semantics.counts import Conclusion, OnEach, OnSum
from twoworlds.definitions.semantics.games import (
    apart_words,
    chance_words,
    default_value,
    default_words,
    impossible_output,
    moved_words,
    odds_words,
)
from twoworlds.definitions.verdict import Shown, shortened
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms import Mechanism, OnStatistic, PerRecord
from twoworlds.numbers import Number, maximum, show, to_json
from twoworlds.show import Result
from twoworlds.worlds import Additive, Point
from twoworlds.worlds.belief import Belief, Secret, records_of
from twoworlds.worlds.joint import plain_label

_LISTED = 1 << 10  # databases that are still shown one by one


@dataclass(frozen=True)
class CrowdGames(Result):
    """The conclusions about one person after an output, once for persons who are alike."""

    mechanism: Mechanism
    output: Point
    default: Point
    belief: Belief
    conclusions: tuple[Conclusion, ...]
    secret: Secret | None = None
    person: int = 1

    @property
    def prior(self) -> dict[Point, Number]:
        """The law of any record before."""
        return self.belief.marginal(1)

    @property
    def worst(self) -> Number:
        """The largest difference over persons; an undefined posterior counts as 1."""
        worst: Number = self.conclusions[0].difference
        for one in self.conclusions[1:]:
            worst = maximum(worst, one.difference)
        return worst

    @property
    def about(self) -> Conclusion:
        """The conclusion about the person that was asked about."""
        own = self.output[self.person - 1] if self.conclusions[0].who is not None else None
        return next(one for one in self.conclusions if one.who == own)

    def chances(self, secret: Secret) -> dict[str, Number | None]:
        """Return the probability of a secret about a record: before, with everyone, without."""
        assert secret.entry is not None
        value = secret.entry[1]
        removed = self.about.removed
        return {
            "prior": self.prior[value],
            "game 0": self.about.real[value],
            f"game {self.person}": None if removed is None else removed[value],
        }

    def fields(self) -> dict[str, Any]:
        """Return the law of a record in each world, and how far the worlds lie apart."""
        found: dict[str, Any] = {
            "mechanism": self.mechanism.expression,
            "output": self.mechanism.outputs.label(self.output),
            "default": str(self.default),
            "prior_to_posterior": self.conclusions[0].moved,
            "prior": self.prior,
            "alike": [
                {
                    "reported": None if one.who is None else str(one.who),
                    "people": one.people,
                    "difference": one.difference,
                    "game_0": one.real,
                    "without": one.removed,
                }
                for one in self.conclusions
            ],
        }
        if self.secret is not None:
            found |= {"secret": self.secret.name, "chances": self.chances(self.secret)}
        return found

    def answer(self) -> Answer:
        """Say what moved: the prior, and the two worlds apart from each other."""
        undefined = any(one.removed is None for one in self.conclusions)
        said = moved_words(self.conclusions[0].moved)
        return Answer(
            f"{said} {apart_words(None if undefined else self.worst)}",
            subject=self.mechanism.expression,
            claim=f"after output {shortened(self.mechanism.outputs.label(self.output))}",
            blocks=(*self._tables(), Facts([*self._differences()])),
            assumptions=(
                default_words(self.mechanism, self.default),
                "people are alike under this belief, so that counts stand for databases",
            ),
        )

    def _tables(self) -> Iterator[Block]:
        if self.secret is not None:
            worlds = ("before", "with everyone", f"without person {self.person}")
            chances = zip(worlds, self.chances(self.secret).values(), strict=True)
            rows = [
                (world, impossible_output, "")
                if chance is None
                else (world, chance_words(chance), odds_words(chance))
                for world, chance in chances
            ]
            yield Table(("", f"P({self.secret.name})", "odds"), rows)
            return
        listed = [
            (
                f"{_whose(one)} is {v}",
                chance_words(p),
                chance_words(one.real[v]),
                "undefined" if one.removed is None else chance_words(one.removed[v]),
            )
            for one in self.conclusions
            for v, p in self.prior.items()
        ]
        yield Table(("", "prior", "with everyone", "without that person"), listed)

    def _differences(self) -> Iterator[tuple[str, str]]:
        for one in self.conclusions:
            told = f"differs by {show(one.difference)}"
            if one.removed is None:
                told = "this output is impossible: a breach"
            which = "" if one.who is None else f" who reported {one.who}"
            yield f"without any one of {one.people:,} people{which}", told

    def witness(self) -> Shown:
        """Return the output as a case that re-verifies: what it does to one person's record."""
        one = max(self.conclusions, key=lambda one: float(one.difference))
        person = 1 if one.who is None else self.output.index(one.who) + 1
        output = shortened(plain_label(self.output))
        facts = [("for example", f"output {output}, with and without person {person}")]
        if one.removed is None:
            facts.append(("", "without their data this output is impossible: it gives them away"))
        else:
            real, removed = one.real, one.removed
            value = max(real, key=lambda v: float(real[v] - removed[v]))
            chances = f"{show(real[value])} with their data, {show(removed[value])} without"
            facts.append(("", f"the conclusions differ by {show(one.difference)}"))
            facts.append(("", f"record {person} is {value}: probability {chances}"))
        data = {
            "output": plain_label(self.output),
            "person": person,
            "difference": to_json(one.difference),
            "default": str(self.default),
        }
        return Shown(one.difference, self._again, tuple(facts), data)

    def _again(self) -> Number:
        return play_crowd(self.mechanism, self.belief, self.output, default=self.default).worst


def _whose(one: Conclusion) -> str:
    return "a record" if one.who is None else f"a record reported as {one.who}"


def crowd(mechanism: Mechanism, belief: Belief, default: Point) -> OnSum | OnEach | None:
    """Return what answers by counts; None where people differ, or their order matters."""
    if belief.common_laws is None or not belief.rational:
        return None
    if isinstance(mechanism, PerRecord):
        return OnEach(mechanism, belief, default)
    if not isinstance(mechanism, OnStatistic) or not isinstance(mechanism.statistic, Additive):
        return None
    return OnSum(mechanism, belief, default) if mechanism.statistic.dimension is None else None


def many_alike(belief: Belief) -> bool:
    """Tell whether a belief is about people who are alike, and too many to show every database."""
    size = belief.universe.size
    alike = belief.common_laws is not None and belief.rational
    return alike and (size is None or size > _LISTED)


def by_counts(mechanism: Mechanism, belief: Belief, secret: Secret | None) -> bool:
    """Tell whether counts answer the question, or must because there are too many databases."""
    if not many_alike(belief) or (isinstance(mechanism, PerRecord) and belief.laws is not None):
        return False
    about_one = secret is None or secret.entry is not None
    able = (
        about_one and crowd(mechanism, belief, records_of(belief.universe).values[-1]) is not None
    )
    return able or not belief.listable


def play_crowd(
    mechanism: Mechanism,
    belief: Belief,
    output: object,
    *,
    default: object = None,
    secret: Secret | None = None,
) -> CrowdGames:
    """Play Game 0 and the game without one person, by counts.

    >>> from twoworlds import mechanism
    >>> from twoworlds.worlds.beliefs import belief
    >>> noisy = mechanism("geometric(ratio=2, bits=1000)")
    >>> found = play_crowd(noisy, belief("independent(1/2)", noisy.universe), 0)
    >>> found.conclusions[0].real[1]
    Fraction(1, 3)
    """
    records = records_of(belief.universe)
    d = default_value(records, default, mechanism)
    played = crowd(mechanism, belief, d)
    if played is None:
        raise Unsupported(
            f"{mechanism.expression} is not by counts of its {records.n} records: use "
            "fewer of them, or know all but a few for certain"
        )
    person = 1
    if secret is not None:
        if secret.entry is None:
            raise Unsupported(
                f"{secret.name} is a secret about too many databases: ask about one record, as "
                "in --secret 1=1"
            )
        person = secret.entry[0]
    t = mechanism.outputs.find(output)
    found = played.conclude(t)
    if not found:
        raise InvalidInput(
            f"output {shortened(mechanism.outputs.label(t))} cannot occur under this belief: "
            "no posterior exists, in any game that really takes place"
        )
    return CrowdGames(mechanism, t, d, belief, tuple(found), secret, person)
