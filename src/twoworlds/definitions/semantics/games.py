"""Games 0 to n: what an attacker concludes with a person's data used, and without.

In Game 0 the output comes from A(x), in Game i from A(x_-i), where person i's record is replaced by
a default value. The attacker's belief b becomes, on seeing t,

    b_0(x | t) = P(A(x) = t) b(x) / sum_z ...        b_i(x | t) = P(A(x_-i) = t) b(x) / sum_z ...

(Kasiviswanathan & Smith, equations 1 and 2). The prior may move a lot; what a person is owed is
that both games agree. A posterior whose denominator is zero is *undefined*, and said to be: it is
None here, and counts as a breach (difference 1) where a number is needed.

If records are independent under the belief, b(x) = b_1(x_1) ... b_n(x_n), and each is treated on
its own, every posterior is a product again and none is written out: b_0(x | t) = prod_j b_j(x_j |
t_j), and b_i(x | t) is the same with b_i(x_i) itself for record i. They differ in one factor:

    SD(b_0(. | t), b_i(. | t)) = SD(b_i(. | t_i), b_i),

a number that depends on t_i alone (1 where the default value cannot lead to t_i).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Block, Facts, Said, Table
from twoworlds.charts import BLUE, GREY, ORANGE, Bar, GroupedBars
from twoworlds.definitions.verdict import shortened
from twoworlds.definitions.words import percent, points
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.mechanisms import Mechanism, OnStatistic, PerRecord
from twoworlds.mechanisms.several import Several
from twoworlds.numbers import (
    Number,
    Order,
    Real,
    Side,
    above,
    at_most_one,
    compare,
    decimal,
    show,
    signed,
    stated,
)
from twoworlds.progress import track
from twoworlds.show import Result
from twoworlds.worlds import Additive, Part, Point, Records, Universe
from twoworlds.worlds.belief import Belief, Law, Secret, records_of
from twoworlds.worlds.statistic import NO_RECORD
from twoworlds.worlds.statistics import Batch

_MOST_PERSONS, _MOST_DATABASES = 12, 16
impossible_output = "undefined: impossible output"


@dataclass(frozen=True)
class Games(Result):
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

    @property
    def worst(self) -> Number:
        """The largest difference over persons; an undefined posterior counts as 1."""
        worst: Number = Fraction(0)
        for difference in self.differences:
            value = Fraction(1) if difference is None else difference
            worst = value if compare(value, worst) is Order.GREATER else worst
        return worst

    def chances(self, secret: Secret) -> dict[str, Number | None]:
        """Return the probability of a secret: before, with everyone, and without each person."""
        found: dict[str, Number | None] = {
            "prior": at_most_one(self.prior.probability(secret)),
            "game 0": at_most_one(self.with_everyone.probability(secret)),
        }
        for i, posterior in enumerate(self.without, start=1):
            chance = None if posterior is None else at_most_one(posterior.probability(secret))
            found[f"game {i}"] = chance
        return found

    @property
    def _many(self) -> bool:
        """Whether the databases are too many to list, so that records are listed instead."""
        return not self.prior.listable

    def _moved(self) -> Number | None:
        """Return how far the belief moved; None where too many records moved differently."""
        try:
            return self.moved
        except (TooLarge, Unsupported):
            return None

    def fields(self) -> dict[str, Any]:
        """Return the posteriors, by database or by record, and how far they lie apart."""
        found: dict[str, Any] = {
            "mechanism": self.mechanism.expression,
            "output": self.mechanism.outputs.label(self.output),
            "default": str(self.default),
            "prior_to_posterior": self._moved(),
            "differences": self.differences,
        }
        if self._many:
            found["records"] = self._laws()
        else:
            found["game_0"] = self.with_everyone.fields()
            found["without"] = [None if b is None else b.fields() for b in self.without]
        if self.secret is not None:
            found |= {"secret": self.secret.name, "chances": self.chances(self.secret)}
        if isinstance(self.mechanism.universe, Records):
            found["persons"] = self.mechanism.universe.n
        return found

    def _laws(self) -> list[dict[str, dict[Point, Number]]]:
        """Return the law of every record before, and with everyone's data."""
        return [
            {"prior": self.prior.marginal(i), "game_0": self.with_everyone.marginal(i)}
            for i in range(1, len(self.without) + 1)
        ]

    def answer(self) -> Answer:
        """Say what moved: the prior, and the two worlds apart from each other."""
        apart = apart_words(None if None in self.differences else self.worst)
        headline = f"{moved_words(self._moved())} {apart}"
        return Answer(
            headline,
            subject=self.mechanism.expression,
            claim=f"after output {shortened(self.mechanism.outputs.label(self.output))}",
            blocks=(
                *self._tables(),
                Facts([*self._differences()]),
                *([] if self._many else [self._chart(headline)]),
            ),
            assumptions=(default_words(self.mechanism, self.default),),
        )

    def _tables(self) -> Iterator[Block]:
        if self.secret is not None:
            shown = [
                (world, impossible_output, "")
                if p is None
                else (world, chance_words(p), odds_words(p))
                for world, p in self._worlds(self.secret)
            ]
            yield Table(("", f"P({self.secret.name})", "odds"), shown)
            return
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

    def _worlds(self, secret: Secret) -> list[tuple[str, Number | None]]:
        """Return the probability of a secret in each world, without persons beyond the first."""
        left_out = (f"without person {i}" for i in range(1, len(self.without) + 1))
        worlds = ["before", "with everyone", *left_out]
        return list(zip(worlds, self.chances(secret).values(), strict=True))[: _MOST_PERSONS + 2]

    def _differences(self) -> Iterator[tuple[str, str]]:
        for i, difference in enumerate(self.differences[:_MOST_PERSONS], start=1):
            told = "this output is impossible: a breach"
            if difference is not None:
                told = f"differs by {show(difference)}"
            yield f"without person {i}", told
        if len(self.differences) > _MOST_PERSONS:
            yield "", f"... and {len(self.differences) - _MOST_PERSONS} persons more"

    def _chart(self, words: str) -> GroupedBars:
        """Chart the belief in the secret, or in each database: before, with everyone, without one.

        The one left out of the databases is the one whose data makes the largest difference. Of
        many databases the likeliest are charted, and the others together.
        """
        if self.secret is not None:
            bars = [_bar(*one) for one in self._worlds(self.secret)]
            return GroupedBars(f"Belief in “{self.secret.name}”", [("", bars)], words)
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
        return GroupedBars("Belief in each database", drawn, words)


def moved_words(moved: Number | None) -> str:
    """Say how far an output moves the prior."""
    about = "the belief about the whole database"
    if moved is None:
        return f"This output moves {about}, by an amount that would take too long to compute."
    if moved == 0:
        return f"This output leaves {about} as it was."
    return f"This output moves {about} by {_points(moved, 'about')} away from the prior."


def apart_words(worst: Number | None) -> str:
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
    return "1, or just below" if compare(chance, 1) is Order.UNDECIDED else stated(chance)


def odds_words(chance: Number) -> str:
    """Write the odds that belong to a probability, rounded up: ``3 to 1``, ``1 to 3``."""
    if compare(chance, 0) is Order.EQUAL:
        return "0 to 1"
    if compare(chance, 1) is not Order.LESS:
        return "certain"
    against = (1 - chance) / chance
    if compare(against, 1) is Order.GREATER:
        text = decimal(against, 4, "down")
        sign = signed(against, text, side="down").removesuffix(text).replace(">", "<")
        return f"{sign}1 to {text}"
    odds = chance / (1 - chance)
    return f"{signed(odds, decimal(odds, 4))} to 1"


def _more(count: int, what: str) -> Iterator[Said]:
    if count > 0:
        yield Said([f"... and {count} {what} more: --json lists them all"], quiet=True)


def _bar(world: str, chance: Number | None) -> Bar:
    colour = {"before": GREY, "with everyone": BLUE}.get(world, ORANGE)
    if chance is None:
        return Bar(f"{world}, {impossible_output}", 0.0, colour)
    return Bar(world, above(chance), colour)


def play(
    mechanism: Mechanism,
    belief: Belief,
    output: object,
    *,
    default: object = None,
    secret: Secret | None = None,
) -> Games:
    """Play all games for one output.

    ``default`` stands for "no data", the last value of a record if left out; ``secret`` is what is
    asked about, the databases themselves if left out.

    >>> from twoworlds import mechanism
    >>> from twoworlds.worlds.belief import uniform
    >>> survey = mechanism("randomized-response(bits=2, keep=3/4)")
    >>> play(survey, uniform(survey.universe), "11").differences
    (Fraction(1, 4), Fraction(1, 4))
    """
    records = records_of(mechanism.universe)
    if belief.universe != mechanism.universe:
        raise InvalidInput(
            f"the belief is about {belief.universe.expression}, "
            f"the mechanism about {mechanism.universe.expression}"
        )
    t, held = mechanism.outputs.find(output), belief
    d = default_value(records, default, mechanism)
    if isinstance(mechanism, PerRecord) and belief.laws is not None:
        held = Belief.of_records(records, [(Fraction(1), belief.laws)])
    if secret is not None and (chance := held.probability(secret)) in (0, 1):
        word = "impossible" if chance == 0 else "certain"
        raise InvalidInput(
            f"{secret.name} is {word} under this belief already: no output can change that"
        )
    real = _with_everyone(mechanism, held, t)
    if real is None:
        raise InvalidInput(
            f"output {mechanism.outputs.label(t)} cannot occur under this belief: "
            "no posterior exists, in any game that really takes place"
        )
    persons = track(range(records.n), "leaving each person out", records.n)
    posteriors = tuple(_without(mechanism, held, real, t, i, d) for i in persons)
    return Games(mechanism, t, d, held, real, posteriors, secret)


def conclusions(
    mechanism: Mechanism, belief: Belief, output: Point, person: int, *, default: object = None
) -> tuple[Belief | None, Belief | None]:
    """Return the posteriors of Game 0 and of the game without one person, None where undefined.

    >>> from twoworlds import mechanism
    >>> from twoworlds.worlds.belief import uniform
    >>> survey = mechanism("randomized-response(bits=2, keep=3/4)")
    >>> with_all, without_2 = conclusions(survey, uniform(survey.universe), (1, 1), 2)
    >>> with_all.difference(without_2)
    Fraction(1, 4)
    """
    d = default_value(people(mechanism.universe), default, mechanism)
    real = _with_everyone(mechanism, belief, output)
    return real, None if real is None else _without(mechanism, belief, real, output, person - 1, d)


def _with_everyone(mechanism: Mechanism, belief: Belief, t: Point) -> Belief | None:
    if isinstance(mechanism, PerRecord) and len(belief.parts) == 1:
        return _observed(mechanism, belief, t)
    return _given(belief, lambda x: mechanism.probability(t, x))


def _observed(mechanism: PerRecord, belief: Belief, output: tuple[Point, ...]) -> Belief | None:
    """Return the posterior of independent records, or None if the output is impossible."""
    laws: list[Law] = []
    for law, o in zip(belief.laws or (), output, strict=True):
        posterior, _ = record_posterior(mechanism, law, o)
        if posterior is None:
            return None
        laws.append({v: p for v, p in posterior.items() if p != 0})
    return Belief.of_records(mechanism.universe, [(Fraction(1), laws)])


def record_posterior(mechanism: PerRecord, law: Law, output: Point) -> tuple[Law | None, Number]:
    """Return the posterior of one record by Bayes' rule, and the probability of its output."""
    likelihood = mechanism.transition.probability
    joint = {v: likelihood(output, v) * p for v, p in law.items()}
    mass = sum(joint.values(), start=Fraction(0))
    if mass == 0:
        return None, mass
    return {v: at_most_one(p / mass) for v, p in joint.items()}, mass


def _without(
    mechanism: Mechanism, belief: Belief, real: Belief, t: Point, person: int, default: Point
) -> Belief | None:
    if isinstance(mechanism, PerRecord) and len(belief.parts) == 1:
        if mechanism.transition.probability(t[person], default) == 0:
            return None
        laws = list(real.laws or ())
        laws[person] = (belief.laws or ())[person]
        return Belief.of_records(mechanism.universe, [(Fraction(1), laws)])
    return _given(belief, lambda x: mechanism.probability(t, without(x, person, default)))


def _given(belief: Belief, likelihood: Callable[[Point], Number]) -> Belief | None:
    """Return the posterior; no enclosure of a probability reaches beyond 1."""
    found = belief.given(likelihood)
    for mass in found.values() if found is not None else ():
        if isinstance(mass, Real):
            mass.cap = Fraction(1)
    return found


def people(universe: Universe) -> Records:
    """Return the lists of records that a universe is made of, or is a part of."""
    if isinstance(universe, Part) and universe.pairs is None:
        return people(universe.whole)
    return records_of(universe)


def without(database: tuple[Point, ...], person: int, default: Point) -> tuple[Point, ...]:
    """Return x_-i: the database with one record replaced (here persons count from 0)."""
    return (*database[:person], default, *database[person + 1 :])


def default_value(records: Records, default: object, mechanism: Mechanism | None = None) -> Point:
    """Read the default value: one of the values of a record, the last one if left out.

    ``none`` is a value that is no record (Kasiviswanathan & Smith, footnote 2), where the mechanism
    adds over records: it adds nothing. Elsewhere the output would show that a record is missing
    (each person's own report, their number, a record drawn at random), so that every output were
    a breach; and a matrix has no law on fewer records, unless ``none`` is one of the values.
    """
    if default is None:
        return records.values[-1]
    names: Mapping[str, Point] = {str(value): value for value in records.values}
    if str(default) in names:
        return names[str(default)]
    if str(default) != "none":
        raise InvalidInput(
            f"default={default} is not a value of a record: the values are {', '.join(names)}; "
            "'none' stands for no record"
        )
    if mechanism is not None and _adds_over_records(mechanism):
        return NO_RECORD
    raise Unsupported(
        "default=none, no record at all, means something for counts and sums, where it adds "
        "nothing; elsewhere an output would show that a record is missing: use one of the values, "
        f"{', '.join(names)}"
    )


def _adds_over_records(mechanism: Mechanism) -> bool:
    """Tell whether all that is looked at are sums over records."""
    if isinstance(mechanism, Several):
        return all(_adds_over_records(one) for one, _ in mechanism.parts)
    statistic = mechanism.statistic if isinstance(mechanism, OnStatistic) else None
    parts = statistic.parts if isinstance(statistic, Batch) else (statistic,)
    return all(isinstance(part, Additive) for part in parts)


def default_words(mechanism: Mechanism, default: object = None) -> str:
    """Say what leaving a person out means, and name the default value that takes their place.

    >>> from twoworlds import mechanism
    >>> default_words(mechanism("random-index(records=2, values=3)"))
    'leaving a person out means putting the default value 2 in place of their record'
    """
    universe = mechanism.universe
    if not isinstance(universe, Records):
        return "leaving a person out means putting a default value in place"
    value = default_value(universe, default, mechanism)
    if value is NO_RECORD:
        return "leaving a person out means taking their record out, so that it adds nothing"
    return f"leaving a person out means putting the default value {value} in place of their record"
