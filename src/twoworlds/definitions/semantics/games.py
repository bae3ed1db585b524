"""Games 0 to n: what an attacker concludes with a person's data used, and without.

In Game 0 the output comes from A(x), in Game i from A(x_-i), where person i's record is replaced by
a default value. The attacker's belief b becomes, on seeing t,

    b_0(x | t) = P(A(x) = t) b(x) / sum_z ...        b_i(x | t) = P(A(x_-i) = t) b(x) / sum_z ...

(Kasiviswanathan & Smith, equations 1 and 2). The prior may move a lot; what a person is owed is
that both games agree. A posterior whose denominator is zero is *undefined*, and said to be: it is
None here, and counts as a breach (difference 1) where a number is needed.

Where records are independent under the belief and each is treated on its own, no belief is written
out: see `product`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.cards.explained import Explained
from twoworlds.definitions.semantics.product import ProductBelief, product_belief
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Mechanism, PerRecord
from twoworlds.numbers import Number, Order, Real, above, at_most_one, compare, show, to_json
from twoworlds.progress import track
from twoworlds.worlds import Point, Records
from twoworlds.worlds.belief import Belief, records_of
from twoworlds.worlds.secret import Secret

__all__ = ["Games", "default_value", "default_words", "play", "play_one", "without"]

_MOST_DRAWN = 8


@dataclass(frozen=True)
class Games(Explained):
    """The posteriors of all games after one output.

    Attributes:
        prior: the belief before the output.
        with_everyone: the posterior of Game 0.
        without: the posterior of Game i for each person i, None where undefined.
    """

    mechanism: Mechanism
    output: Point
    default: Point
    prior: Belief
    with_everyone: Belief
    without: tuple[Belief | None, ...]

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

    def to_dict(self, secret: Secret | None = None) -> dict[str, Any]:
        """Return the games as plain data."""
        universe, outputs = self.mechanism.universe, self.mechanism.outputs
        found: dict[str, Any] = {
            "mechanism": self.mechanism.expression,
            "output": outputs.label(self.output),
            "default": str(self.default),
            "prior_to_posterior": to_json(self.moved),
            "differences": [None if d is None else to_json(d) for d in self.differences],
            "game_0": _data(self.with_everyone),
            "without": [None if b is None else _data(b) for b in self.without],
        }
        if secret is not None:
            found["secret"] = secret.name
            found["chances"] = {
                name: None if p is None else to_json(p) for name, p in self.chances(secret).items()
            }
        if isinstance(universe, Records):
            found["persons"] = universe.n
        return found

    def picture(self) -> str:
        """Draw the belief in each database: before, with everyone, and without the worst case."""
        from twoworlds.cards import BLUE, GREY, ORANGE, Bar, belief_chart

        if len(self.prior) > _MOST_DRAWN:
            return ""
        sizes = [2.0 if d is None else above(d) for d in self.differences]
        person = sizes.index(max(sizes))
        left_out = self.without[person]
        groups = []
        for x in self.prior:
            bars = [
                Bar("before", above(self.prior[x]), GREY),
                Bar("with everyone", above(self.with_everyone[x]), BLUE),
            ]
            if left_out is not None:
                bars.append(Bar(f"without person {person + 1}", above(left_out[x]), ORANGE))
            groups.append((self.mechanism.universe.label(x), bars))
        return belief_chart("Belief in each database", groups, self.explain(), width=420)

    def explain(self, secret: Secret | None = None) -> str:
        """Say what moved: the prior, and the two worlds apart from each other."""
        label = self.mechanism.outputs.label(self.output)
        lines = [
            f"After output {label} the belief has moved by {show(self.moved)} from the prior.",
            f"Here {default_words(self.mechanism, self.default)}.",
        ]
        for i, difference in enumerate(self.differences, start=1):
            if difference is None:
                lines.append(
                    f"Without person {i} this output is impossible: the posterior is undefined."
                )
            else:
                lines.append(f"Without person {i} it would differ by {show(difference)}.")
        if secret is not None:
            lines += [
                f"{secret.name}: {name} {'undefined' if p is None else show(p)}"
                for name, p in self.chances(secret).items()
            ]
        return "\n".join(lines)


def play(mechanism: Mechanism, belief: Belief, output: object, *, default: object = None) -> Games:
    """Play all games for one output.

    Args:
        mechanism: on lists of records.
        belief: the attacker's prior on the same universe.
        output: what was published.
        default: the value that stands for "no data"; the last value of a record if left out.

    Raises:
        InvalidInput: when the output cannot occur under the belief.

    >>> from twoworlds import mechanism
    >>> from twoworlds.worlds.belief import uniform
    >>> survey = mechanism("randomized-response(bits=2, keep=3/4)")
    >>> play(survey, uniform(survey.universe), "11").differences
    (Fraction(1, 4), Fraction(1, 4))
    """
    records, t, d = _read(mechanism, belief, output, default)
    held = _structured(mechanism, belief)
    real = _with_everyone(mechanism, held, t)
    persons = track(range(records.n), "leaving each person out", records.n)
    posteriors = tuple(_without(mechanism, held, real, t, i, d) for i in persons)
    return Games(mechanism, t, d, held, real, posteriors)


def play_one(
    mechanism: Mechanism, belief: Belief, output: object, person: int, *, default: object = None
) -> tuple[Belief, Belief | None]:
    """Play Game 0 and the game without one person, counted from 1; None where undefined.

    >>> from twoworlds import mechanism
    >>> from twoworlds.worlds.belief import uniform
    >>> survey = mechanism("randomized-response(bits=2, keep=3/4)")
    >>> with_all, without_2 = play_one(survey, uniform(survey.universe), "11", 2)
    >>> with_all.difference(without_2)
    Fraction(1, 4)
    """
    records, t, d = _read(mechanism, belief, output, default)
    if not 1 <= person <= records.n:
        raise InvalidInput(f"person={person}: there are {records.n}, counted from 1")
    held = _structured(mechanism, belief)
    real = _with_everyone(mechanism, held, t)
    return real, _without(mechanism, held, real, t, person - 1, d)


def _read(
    mechanism: Mechanism, belief: Belief, output: object, default: object
) -> tuple[Records, Point, Point]:
    records = records_of(mechanism.universe)
    if belief.universe != mechanism.universe:
        raise InvalidInput(
            f"the belief is about {belief.universe.expression}, "
            f"the mechanism about {mechanism.universe.expression}"
        )
    return records, mechanism.outputs.find(output), default_value(records, default)


def _structured(mechanism: Mechanism, belief: Belief) -> Belief:
    """Return the belief as a product of laws where that is what it is, and of use."""
    if not isinstance(mechanism, PerRecord):
        return belief
    found = product_belief(belief, mechanism.universe)
    return belief if found is None else found


def _with_everyone(mechanism: Mechanism, belief: Belief, t: Point) -> Belief:
    real: Belief | None
    if isinstance(mechanism, PerRecord) and isinstance(belief, ProductBelief):
        real = belief.observed(mechanism, t)
    else:
        real = _given(belief, lambda x: mechanism.probability(t, x))
    if real is None:
        raise InvalidInput(
            f"output {mechanism.outputs.label(t)} cannot occur under this belief: "
            "no posterior exists, in any game that really takes place"
        )
    return real


def _without(
    mechanism: Mechanism, belief: Belief, real: Belief, t: Point, person: int, default: Point
) -> Belief | None:
    if isinstance(mechanism, PerRecord) and isinstance(belief, ProductBelief):
        if mechanism.transition.probability(t[person], default) == 0:
            return None
        assert isinstance(real, ProductBelief)
        return real.but(person, belief.laws[person])
    return _given(belief, lambda x: mechanism.probability(t, without(x, person, default)))


def _given(belief: Belief, likelihood: Callable[[Point], Number]) -> Belief | None:
    """Return the posterior; no enclosure of a probability reaches beyond 1."""
    found = belief.given(likelihood)
    for mass in found.values() if found is not None else ():
        if isinstance(mass, Real):
            mass.cap = Fraction(1)
    return found


def without(database: tuple[Point, ...], person: int, default: Point) -> tuple[Point, ...]:
    """Return x_-i: the database with one record replaced (here persons count from 0)."""
    return (*database[:person], default, *database[person + 1 :])


def default_value(records: Records, default: object) -> Point:
    """Read the default value: one of the values of a record, the last one if left out."""
    if default is None:
        return records.values[-1]
    names: Mapping[str, Point] = {str(value): value for value in records.values}
    if str(default) not in names:
        raise InvalidInput(
            f"default={default} is not a value of a record: the values are {', '.join(names)}"
        )
    return names[str(default)]


def default_words(mechanism: Mechanism, default: object = None) -> str:
    """Say what leaving a person out means, and name the default value that takes their place.

    >>> from twoworlds import mechanism
    >>> default_words(mechanism("random-index(records=2, values=3)"))
    'leaving a person out means putting the default value 2 in place of their record'
    """
    universe = mechanism.universe
    if not isinstance(universe, Records):
        return "leaving a person out means putting a default value in place"
    value = default_value(universe, default)
    return f"leaving a person out means putting the default value {value} in place of their record"


def _data(belief: Belief) -> dict[str, Any]:
    return {belief.universe.label(x): to_json(mass) for x, mass in belief.items()}
