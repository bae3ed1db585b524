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
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from itertools import count
from math import comb
from typing import Any

from twoworlds.definitions.semantics.counts import Conclusion, OnEach, OnSum
from twoworlds.definitions.semantics.posteriors import CrowdGames, Games, leaving_out
from twoworlds.definitions.verdict import Proof, Shown, shortened
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.laws.event import agree
from twoworlds.mechanisms import Mechanism, OnStatistic, PerRecord
from twoworlds.mechanisms.sampled import Shuffled
from twoworlds.mechanisms.several import Several
from twoworlds.numbers import Number, Real, at_most_one, show, to_json
from twoworlds.progress import track
from twoworlds.worlds import Additive, Part, Point, Records, Universe
from twoworlds.worlds.belief import LARGEST_SUPPORT, Belief, Law, Secret, records_of
from twoworlds.worlds.joint import plain_label
from twoworlds.worlds.orbits import Orbits
from twoworlds.worlds.statistic import NO_RECORD
from twoworlds.worlds.statistics import Batch

_LISTED = 1 << 10  # databases that are still shown one by one
_SHOWN = 4
_MOST_REPORTS = 1 << 20


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
    likelihood = cache(partial(mechanism.probability, t))
    real = _with_everyone(mechanism, held, t, likelihood)
    if real is None:
        raise InvalidInput(
            f"output {mechanism.outputs.label(t)} cannot occur under this belief: "
            "no posterior exists, in any game that really takes place"
        )
    persons = track(range(records.n), "leaving each person out", records.n)
    posteriors = tuple(_without(mechanism, held, real, t, i, d, likelihood) for i in persons)
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
    likelihood = cache(partial(mechanism.probability, output))
    real = _with_everyone(mechanism, belief, output, likelihood)
    if real is None:
        return None, None
    return real, _without(mechanism, belief, real, output, person - 1, d, likelihood)


def _with_everyone(
    mechanism: Mechanism, belief: Belief, t: Point, likelihood: Callable[[Point], Number]
) -> Belief | None:
    if isinstance(mechanism, PerRecord) and len(belief.parts) == 1:
        return _observed(mechanism, belief, t)
    return _given(belief, likelihood)


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
    mechanism: Mechanism,
    belief: Belief,
    real: Belief,
    t: Point,
    person: int,
    default: Point,
    likelihood: Callable[[Point], Number],
) -> Belief | None:
    if isinstance(mechanism, PerRecord) and len(belief.parts) == 1:
        if mechanism.transition.probability(t[person], default) == 0:
            return None
        laws = list(real.laws or ())
        laws[person] = (belief.laws or ())[person]
        return Belief.of_records(mechanism.universe, [(Fraction(1), laws)])
    return _given(belief, lambda x: likelihood(without(x, person, default)))


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


def _without_order(mechanism: Mechanism) -> bool:
    """Tell whether no output depends on the order of the records, as far as is known."""
    return isinstance(mechanism, Shuffled) or _adds_over_records(mechanism)


def default_words(mechanism: Mechanism, default: object = None) -> str:
    """Say what leaving a person out means, and name the default value that takes their place.

    >>> from twoworlds import mechanism
    >>> default_words(mechanism("random-index(records=2, values=3)"))
    'leaving a person out means putting the default value 2 in place of their record'
    """
    universe = mechanism.universe
    if not isinstance(universe, Records):
        return "leaving a person out means putting a default value in place"
    return leaving_out(default_value(universe, default, mechanism))


# --- people who are alike, by counts --------------------------------------------------------------


class OnOrbits:
    """A belief about people who are alike, and answers in which the order of people is not seen."""

    def __init__(self, mechanism: Mechanism, belief: Belief, default: Point) -> None:
        self.mechanism, self.default = mechanism, default
        self.prior = up_to_order(mechanism, belief)

    def conclude(self, output: Point) -> list[Conclusion]:
        """Return what is concluded about any one person, none of whom differs from another."""
        likelihood = cache(partial(self.mechanism.probability, output))
        real = _given(self.prior, likelihood)
        if real is None:
            return []
        removed = _given(self.prior, lambda x: likelihood(without(x, 0, self.default)))
        gap = Fraction(1) if removed is None else at_most_one(real.difference(removed))
        laws = [None if one is None else one.marginal(1) for one in (real, removed)]
        people, moved = records_of(self.prior.universe).n, at_most_one(self.prior.difference(real))
        return [Conclusion(None, people, laws[0] or {}, laws[1], gap, moved)]


def up_to_order(mechanism: Mechanism, belief: Belief) -> Belief:
    """Return a belief about people who are alike up to their order, where no output shows it."""
    if belief.common_laws is None or not _without_order(mechanism):
        return belief
    records = records_of(belief.universe)

    def work(n: int) -> int:
        """Every law is grown one record at a time; of shuffled reports, by how many of each."""
        kinds = len(mechanism.kinds) if isinstance(mechanism, Shuffled) else 1
        return n * Orbits(Records(records.values, n)).size * comb(n + kinds - 1, n)

    if work(records.n) > _MOST_REPORTS:
        most = next(n for n in range(records.n, 0, -1) if work(n) <= _MOST_REPORTS)
        raise TooLarge(
            f"{mechanism.expression} has too many databases up to order to look at each with and "
            f"without a person: use at most {most} people"
        )
    return belief.on(Orbits(records))


def crowd(mechanism: Mechanism, belief: Belief, default: Point) -> OnSum | OnEach | OnOrbits | None:
    """Return what answers by counts; None where people differ, or their order matters."""
    if belief.common_laws is None or not belief.rational:
        return None
    if isinstance(mechanism, PerRecord):
        return OnEach(mechanism, belief, default)
    if not _without_order(mechanism):
        return None
    if isinstance(mechanism, OnStatistic) and getattr(mechanism.statistic, "dimension", 1) is None:
        return OnSum(mechanism, belief, default)
    return OnOrbits(mechanism, belief, default)


def many_alike(belief: Belief) -> bool:
    """Tell whether a belief is about people who are alike, and too many to show every database."""
    size = belief.universe.size
    alike = belief.common_laws is not None and belief.rational
    return alike and (size is None or size > _LISTED)


def by_counts(mechanism: Mechanism, belief: Belief, secret: Secret | None) -> bool:
    """Tell whether counts answer the question, or must because there are too many databases."""
    about_one = secret is None or secret.entry is not None
    alone = isinstance(mechanism, PerRecord) and belief.laws is not None
    if not many_alike(belief) or (alone and not about_one):
        return False
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
        most = next(n for n in count(1) if len(records.values) ** (n + 1) > LARGEST_SUPPORT)
        raise Unsupported(
            f"{mechanism.expression} does not look at one count or sum of its {records.n} records: "
            f"use at most {most} of them, or know all but a few for certain"
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


# --- what is shown of a game ----------------------------------------------------------------------


@dataclass(frozen=True)
class GameWitness(Proof):
    """A belief, an output and a person whose data makes the stated difference.

    A posterior without the person that is undefined is a difference of 1. ``given`` says that the
    belief is the one that was asked about.
    """

    mechanism: Mechanism = field(repr=False)
    belief: Belief
    output: Point
    person: int
    difference: Number
    default: object = None
    given: bool = False

    def _games(self) -> tuple[Belief | None, Belief | None]:
        return conclusions(
            self.mechanism, self.belief, self.output, self.person, default=self.default
        )

    def verify(self) -> bool:
        """Play the two games afresh and compare with the difference stated."""
        real, removed = self._games()
        if real is None or removed is None:
            return real is not None and self.difference == 1
        return agree(real.difference(removed), self.difference)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the belief, or what becomes of a given one, after the output."""
        if not self.given:
            yield from belief_facts(self.belief)
        output = shortened(self.mechanism.outputs.label(self.output))
        yield "worst case", f"output {output}, with and without person {self.person}"
        if not self.given:
            return
        real, removed = self._games()
        laws = [None if one is None else one.marginal(self.person) for one in (real, removed)]
        assert laws[0] is not None
        yield from _told(self.person, self.difference, laws[0], laws[1])

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        found = {
            "output": self.mechanism.outputs.label(self.output),
            "person": self.person,
            "difference": to_json(self.difference),
        }
        if self.given:
            value = default_value(people(self.mechanism.universe), self.default, self.mechanism)
            return {**found, "default": str(value)}
        return {"belief": plain_belief(self.belief), **found}


def crowd_witness(games: CrowdGames) -> Shown:
    """Return the output as a case that re-verifies: what it does to one person's record."""
    one = max(games.conclusions, key=lambda one: float(one.difference))
    person = 1 if one.who is None else games.output.index(one.who) + 1
    label = plain_label(games.output)
    facts = [("for example", f"output {shortened(label)}, with and without person {person}")]
    facts += _told(person, one.difference, one.real, one.removed)
    data = {
        "output": label,
        "person": person,
        "difference": to_json(one.difference),
        "default": str(games.default),
    }

    def again() -> Number:
        return play_crowd(games.mechanism, games.belief, games.output, default=games.default).worst

    return Shown(one.difference, again, tuple(facts), data)


def _told(
    person: int, difference: Number, real: Law, removed: Law | None
) -> Iterator[tuple[str, str]]:
    """Yield what an output says about one person's record, with their data and without."""
    if removed is None:
        yield "", "without their data this output is impossible: it gives them away"
        return
    yield "", f"the conclusions differ by {show(at_most_one(difference))}"
    value = max(real, key=lambda v: float(real[v] - removed[v]))
    chances = f"{show(real[value])} with their data, {show(removed[value])} without"
    yield "", f"record {person} is {value}: probability {chances}"


def belief_facts(belief: Belief) -> Iterator[tuple[str, str]]:
    """Yield the databases held possible; of many, the likeliest."""
    listed = list(belief.items())
    if len(listed) > _SHOWN:
        listed.sort(key=lambda item: -float(item[1]))
    for x, mass in listed[:_SHOWN]:
        yield "belief", f"{show(mass)} in {shortened(belief.universe.label(x))}"
    if len(listed) > _SHOWN:
        yield "", f"and {len(listed) - _SHOWN} more"


def plain_belief(belief: Belief) -> dict[str, Any]:
    """Return a belief for JSON."""
    return {belief.universe.label(x): to_json(mass) for x, mass in belief.items()}
