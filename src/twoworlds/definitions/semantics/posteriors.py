"""What all games conclude after one output, as results that say themselves.

`Games` lists the posterior of every game. `CrowdGames` is about many people who are alike: the
conclusions about any one of them, with everyone's data and with a default value in place of their
record. Where every record is treated on its own, persons are alike whose outputs are equal.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Block, Facts, Said, Table
from twoworlds.charts import BLUE, GREY, ORANGE, Bar, GroupedBars
from twoworlds.definitions.semantics.counts import Conclusion
from twoworlds.definitions.verdict import shortened
from twoworlds.definitions.words import percent, points
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import (
    Number,
    Order,
    Side,
    above,
    at_most_one,
    compare,
    decimal,
    maximum,
    show,
    signed,
    stated,
)
from twoworlds.show import Result
from twoworlds.worlds import Point, Records
from twoworlds.worlds.belief import Belief, Secret
from twoworlds.worlds.statistic import NO_RECORD

_MOST_PERSONS, _MOST_DATABASES = 12, 16
_MOST_MOVED = 360  # independent records whose belief is compared with the prior as a whole
_LARGEST_ODDS = 100  # a denominator whose odds are written in whole numbers
_IMPOSSIBLE = "undefined: impossible output"
_BREACH = "this output is impossible: a breach"


class Played(Result):
    """The conclusions of Game 0 and of the games without a person, after one output."""

    mechanism: Mechanism
    output: Point
    default: Point
    secret: Secret | None
    assumed: tuple[str, ...] = ()

    @property
    @abstractmethod
    def differences(self) -> tuple[Number | None, ...]:
        """The statistical difference of Game 0 and the game without a person; None: undefined."""

    @property
    def worst(self) -> Number:
        """The largest difference over persons; an undefined posterior counts as 1."""
        worst: Number = Fraction(0)
        for difference in self.differences:
            worst = maximum(worst, Fraction(1) if difference is None else difference)
        return worst

    @abstractmethod
    def chances(self, secret: Secret) -> dict[str, Number | None]:
        """Return the probability of a secret: before, with everyone, and without a person."""

    @abstractmethod
    def _moved(self) -> Number | None:
        """Return how far the belief moved; None where that would take too long."""

    @abstractmethod
    def _tables(self) -> Iterator[Block]:
        """Yield the posteriors."""

    @abstractmethod
    def _persons(self) -> list[str]:
        """Return without whom the differences are."""

    def _charts(self, _words: str) -> Iterator[Block]:
        yield from ()

    def fields(self) -> dict[str, Any]:
        """Return what was asked, and how far the prior moved."""
        found: dict[str, Any] = {
            "mechanism": self.mechanism.expression,
            "output": self.mechanism.outputs.label(self.output),
            "default": str(self.default),
            "prior_to_posterior": self._moved(),
        }
        if self.secret is not None:
            found |= {"secret": self.secret.name, "chances": self.chances(self.secret)}
        return found

    def answer(self) -> Answer:
        """Say what moved: the prior, and the two worlds apart from each other."""
        apart = _apart_words(None if None in self.differences else self.worst)
        headline = f"{_moved_words(self._moved())} {apart}"
        whole = "differs" if self.secret is None else "belief about all records differs"
        told = [
            (f"without {who}", _BREACH if apart is None else f"{whole} by {show(apart)}")
            for who, apart in zip(self._persons(), self.differences, strict=False)
        ]
        if len(self.differences) > len(told):
            told.append(("", f"... and {len(self.differences) - len(told)} persons more"))
        return Answer(
            headline,
            subject=self.mechanism.expression,
            claim=f"after output {shortened(self.mechanism.outputs.label(self.output))}",
            blocks=(
                *(self._tables() if self.secret is None else [self._table_of(self.secret)]),
                Facts(told),
                *self._charts(headline),
            ),
            assumptions=(leaving_out(self.default), *self.assumed),
        )

    def _worlds(self, secret: Secret) -> list[tuple[str, Number | None]]:
        """Return the probability of a secret in each world, without persons beyond the first."""
        names = {"prior": "before", "game 0": "with everyone"}
        return [
            (names.get(game, f"without person {game.removeprefix('game ')}"), chance)
            for game, chance in self.chances(secret).items()
        ][: _MOST_PERSONS + 2]

    def _table_of(self, secret: Secret) -> Table:
        shown = [
            (world, _IMPOSSIBLE, "") if p is None else (world, chance_words(p), odds_words(p))
            for world, p in self._worlds(secret)
        ]
        return Table(("", f"P({secret.name})", "odds"), shown)


@dataclass(frozen=True)
class Games(Played):
    """The posteriors of all games after one output."""

    mechanism: Mechanism
    output: Point
    default: Point
    prior: Belief
    with_everyone: Belief
    without: tuple[Belief | None, ...]
    secret: Secret | None = None

    @property
    def differences(self) -> tuple[Number | None, ...]:
        """The statistical difference of Game 0 and Game i for each person, None if undefined."""
        return tuple(
            None if posterior is None else at_most_one(self.with_everyone.difference(posterior))
            for posterior in self.without
        )

    @property
    def moved(self) -> Number:
        """How far the prior itself moved: the statistical difference of prior and Game 0."""
        return at_most_one(self.prior.difference(self.with_everyone))

    def chances(self, secret: Secret) -> dict[str, Number | None]:
        """Return the probability of a secret: before, with everyone, and without each person."""
        beliefs = {"prior": self.prior, "game 0": self.with_everyone}
        games = {f"game {i}": b for i, b in enumerate(self.without, start=1)}
        return {
            name: None if b is None else at_most_one(b.probability(secret))
            for name, b in {**beliefs, **games}.items()
        }

    @property
    def _many(self) -> bool:
        """Whether the databases are too many to list, so that records are listed instead."""
        return not self.prior.listable

    def _moved(self) -> Number | None:
        try:
            return self.moved
        except (TooLarge, Unsupported):
            return None

    def _persons(self) -> list[str]:
        return [f"person {i + 1}" for i in range(min(len(self.without), _MOST_PERSONS))]

    def fields(self) -> dict[str, Any]:
        """Return the posteriors, by database or by record, and how far they lie apart."""
        found = {**super().fields(), "differences": self.differences}
        if self._many:
            found["records"] = self._laws()
        else:
            found["game_0"] = self.with_everyone.fields()
            found["without"] = [None if b is None else b.fields() for b in self.without]
        if isinstance(self.mechanism.universe, Records):
            found["persons"] = self.mechanism.universe.n
        return found

    def _laws(self) -> list[dict[str, dict[Point, Number]]]:
        """Return the law of every record before, and with everyone's data."""
        return [
            {"prior": self.prior.marginal(i), "game_0": self.with_everyone.marginal(i)}
            for i in range(1, len(self.without) + 1)
        ]

    def _tables(self) -> Iterator[Block]:
        if self._many:
            listed = [
                (
                    f"record {i} is {v}",
                    chance_words(p),
                    chance_words(laws["game_0"][v]),
                    chance_words(p),
                )
                for i, laws in list(enumerate(self._laws(), start=1))[:_MOST_PERSONS]
                for v, p in laws["prior"].items()
            ]
            yield Table(("", "prior", "with everyone", "without that person"), listed)
            yield from _more(len(self.without) - _MOST_PERSONS, "records")
            return
        persons = self.without[:_MOST_PERSONS]
        heads = [f"without {i}" for i in range(1, len(persons) + 1)]
        rows = [
            (
                shortened(self.mechanism.universe.label(x)),
                chance_words(self.prior[x]),
                chance_words(self.with_everyone[x]),
                *("undefined" if b is None else chance_words(b[x]) for b in persons),
            )
            for x in list(self.prior)[:_MOST_DATABASES]
        ]
        yield Table(("database", "prior", "with everyone", *heads), rows)
        yield from _more(len(self.prior) - _MOST_DATABASES, "databases")

    def _charts(self, words: str) -> Iterator[Block]:
        """Chart the belief in the secret, or in each database: before, with everyone, without one.

        The one left out of the databases is the one whose data makes the largest difference. Of
        many databases the likeliest are charted, and the others together.
        """
        if self._many:
            return
        if self.secret is not None:
            bars = [_bar(*one) for one in self._worlds(self.secret)]
            yield GroupedBars(f"Belief in “{self.secret.name}”", [("", bars)], words)
            return
        sizes = [2.0 if d is None else float(d) for d in self.differences]
        i = sizes.index(max(sizes))
        worlds = {"before": self.prior, "with everyone": self.with_everyone}
        beliefs: dict[str, Belief | None] = {**worlds, f"without person {i + 1}": self.without[i]}
        kept = list(self.prior)
        if len(kept) > _MOST_DATABASES:
            held = [belief for belief in beliefs.values() if belief is not None]
            kept.sort(key=lambda x: -max(float(belief[x]) for belief in held))
            kept = kept[: _MOST_DATABASES - 1]
        groups = {shortened(self.mechanism.universe.label(x)): [x] for x in kept}
        if rest := [x for x in self.prior if x not in set(kept)]:
            groups[f"the other {len(rest)}"] = rest
        drawn = [
            (
                name,
                [
                    _bar(world, None if b is None else sum((b[x] for x in group), Fraction(0)))
                    for world, b in beliefs.items()
                ],
            )
            for name, group in groups.items()
        ]
        yield GroupedBars("Belief in each database", drawn, words)


@dataclass(frozen=True)
class CrowdGames(Played):
    """The conclusions about one person after an output, once for persons who are alike."""

    mechanism: Mechanism
    output: Point
    default: Point
    belief: Belief
    conclusions: tuple[Conclusion, ...]
    secret: Secret | None = None
    person: int = 1

    assumed = ("people are alike under this belief, so that counts stand for databases",)

    @property
    def prior(self) -> dict[Point, Number]:
        """The law of any record before."""
        return self.belief.marginal(1)

    @property
    def differences(self) -> tuple[Number | None, ...]:
        """The difference for each kind of person, None if undefined."""
        return tuple(None if one.removed is None else one.difference for one in self.conclusions)

    def _moved(self) -> Number | None:
        moved: Number | None = self.conclusions[0].moved
        if moved is not None or self.belief.laws is None or len(self.output) > _MOST_MOVED:
            return moved
        laws = {one.who: {v: p for v, p in one.real.items() if p != 0} for one in self.conclusions}
        records = [laws[o] for o in self.output]
        posterior = Belief.of_records(self.belief.universe, [(Fraction(1), records)])
        try:
            return self.belief.difference(posterior)
        except Unsupported:
            return None

    def _persons(self) -> list[str]:
        return [
            f"any one of {one.people:,} people"
            + ("" if one.who is None else f" who reported {one.who}")
            for one in self.conclusions
        ]

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
        alike = [
            {
                "reported": None if one.who is None else str(one.who),
                "people": one.people,
                "difference": one.difference,
                "game_0": one.real,
                "without": one.removed,
            }
            for one in self.conclusions
        ]
        return {**super().fields(), "prior": self.prior, "alike": alike}

    def _tables(self) -> Iterator[Block]:
        listed = [
            (
                f"a record{'' if one.who is None else f' reported as {one.who}'} is {v}",
                chance_words(p),
                chance_words(one.real[v]),
                "undefined" if one.removed is None else chance_words(one.removed[v]),
            )
            for one in self.conclusions
            for v, p in self.prior.items()
        ]
        yield Table(("", "prior", "with everyone", "without that person"), listed)


def leaving_out(value: Point) -> str:
    """Say what leaving a person out means, for a default value."""
    if value is NO_RECORD:
        return "leaving a person out means taking their record out, so that it adds nothing"
    return f"leaving a person out means putting the default value {value} in place of their record"


def _moved_words(moved: Number | None) -> str:
    """Say how far an output moves the prior."""
    about = "the belief about the whole database"
    if moved is None:
        return f"This output moves {about}, by an amount that would take too long to compute."
    if moved == 0:
        return f"This output leaves {about} as it was."
    return f"This output moves {about} by {_points(moved, 'about')} away from the prior."


def _apart_words(worst: Number | None) -> str:
    """Say how far the games lie apart; None where a posterior is undefined."""
    if worst is None:
        return (
            "Without the data of some person it could not have come out at all: it gives that "
            "person away."
        )
    if worst == 0:
        return "The same output computed without any one person leads to the same conclusions."
    return (
        "Compared with the same output computed without one person's data, the conclusions "
        f"differ by at most {_points(worst)}."
    )


def _points(difference: Number, side: Side = "up") -> str:
    """Write a statistical difference in percentage points: so much does some event move."""
    if percent(difference) == "100%" and difference != 1:
        return "just below 100 percentage points"
    return points(difference, side=side)


def chance_words(chance: Number) -> str:
    """Write a probability; what is too close to 1 to be told from it is not written as 1."""
    if compare(chance, 1) is Order.UNDECIDED:
        return "1, or just below"
    return stated(chance, side="nearest")


def odds_words(chance: Number) -> str:
    """Write the odds that belong to a probability: ``28 to 13``, ``about 1 to 4.649``."""
    if compare(chance, 0) is Order.EQUAL:
        return "0 to 1"
    if compare(chance, 1) is not Order.LESS:
        return "certain"
    if isinstance(chance, Fraction) and chance.denominator <= _LARGEST_ODDS:
        return f"{chance.numerator} to {chance.denominator - chance.numerator}"
    against = (1 - chance) / chance
    rare = compare(against, 1) is Order.GREATER
    odds = against if rare else 1 / against
    text = decimal(odds, 4, "nearest")
    sign = signed(odds, text, side="nearest").removesuffix(text)
    return f"{sign}1 to {text}" if rare else f"{sign}{text} to 1"


def _more(count: int, what: str) -> Iterator[Said]:
    if count > 0:
        yield Said([f"... and {count} {what} more: --json lists them all"], quiet=True)


def _bar(world: str, chance: Number | None) -> Bar:
    colour = {"before": GREY, "with everyone": BLUE}.get(world, ORANGE)
    if chance is None:
        return Bar(f"{world}, {_IMPOSSIBLE}", 0.0, colour)
    return Bar(world, above(chance), colour)
