r"""Semantic privacy against one belief: the exact probability that an output moves it too far.

    delta'(epsilon') = P_t[max_i SD(b_0(. | t), b_i(. | t)) > epsilon'],   t ~ A(x), x ~ b

(Kasiviswanathan & Smith, Definition 4.1, and 2.3 for this belief.)

Where the records are independent under the belief and each is treated on its own, the difference
for person i depends on the i-th output alone, and the outputs are independent (see `product`):

    delta'(epsilon') = 1 - prod_i P(the i-th output moves the belief about person i by <= epsilon').
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

from twoworlds.definitions.base import PrivacyDefinition, read_delta
from twoworlds.definitions.semantics.breaches import breaches
from twoworlds.definitions.semantics.games import default_value, default_words, play_one
from twoworlds.definitions.semantics.product import (
    ProductBelief,
    Reaction,
    product_belief,
    reactions,
)
from twoworlds.definitions.semantics.window import View, views
from twoworlds.definitions.verdict import Proof, Verdict, shortened
from twoworlds.definitions.words import difference_sentence, moved_too_often
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.laws.event import agree
from twoworlds.mechanisms import Mechanism, PerRecord
from twoworlds.numbers import Number, Order, at_most_one, compare, exact_text, show, to_json
from twoworlds.progress import track
from twoworlds.worlds import Point
from twoworlds.worlds.belief import Belief, records_of
from twoworlds.worlds.beliefs import belief as build_belief

_MOST_LIKELIHOODS = 1 << 23
_TIE_BITS = 256


@dataclass(frozen=True)
class Step:
    """For differences below ``epsilon`` (and at least the previous one), delta' is ``delta``."""

    epsilon: Number
    delta: Number


class _Worst(NamedTuple):
    """An output that moves the belief furthest, and for whom."""

    difference: Number
    output: Point
    person: int


@dataclass(frozen=True, init=False)
class LocalSemanticPrivacy(PrivacyDefinition):
    """Semantic privacy against one belief, with a failure probability.

    Kasiviswanathan & Smith, Definition 4.1 (and 2.3, for this belief).

    >>> from twoworlds import mechanism
    >>> survey = mechanism("randomized-response(bits=40, keep=3/4)")
    >>> LocalSemanticPrivacy("uniform").tightest(survey).epsilon
    Fraction(1, 4)
    """

    belief: str | Belief
    epsilon: Number | None
    delta: Number
    default: object

    name = "local semantic privacy"

    def __init__(
        self,
        belief: str | Belief,
        *,
        epsilon: object = None,
        delta: object = 0,
        default: object = None,
    ) -> None:
        object.__setattr__(self, "belief", belief)
        object.__setattr__(
            self, "epsilon", None if epsilon is None else read_delta(epsilon, "epsilon")
        )
        object.__setattr__(self, "delta", read_delta(delta))
        object.__setattr__(self, "default", default)

    def curve(self, mechanism: Mechanism) -> list[Step]:
        """Return delta'(epsilon') exactly, as steps: the mass of outputs whose worst exceeds it."""
        return self._judged(mechanism).curve()

    def failure(self, mechanism: Mechanism, epsilon: object) -> Number:
        """Return P_t[max_i SD > epsilon], with the strict inequality."""
        return self._judged(mechanism).failure(read_delta(epsilon, "epsilon"))

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the failure probability at the epsilon given, else the smallest epsilon for delta.

        Without any number that is the worst case over outputs.
        """
        judged = self._judged(mechanism)
        worst, epsilon = judged.worst(), self.epsilon
        if epsilon is None:
            epsilon, failure = smallest_difference(judged.curve(), self.delta)
        else:
            failure = at_most_one(judged.failure(epsilon))
        return Verdict(
            mechanism.expression,
            self.name,
            {"epsilon": epsilon, "delta": failure},
            difference_sentence("For this belief", epsilon, failure),
            (
                f"this belief only: {self._held}; {default_words(mechanism, self.default)}",
                f"a person: {mechanism.universe.explain(mechanism.universe.relation)}",
            ),
            witness=None
            if worst is None
            else LocalWitness.of(mechanism, judged.belief, worst, self.default),
            method=judged.method,
            exact=mechanism.exact,
        )

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether the failure probability at epsilon stays within delta."""
        if self.epsilon is None:
            raise InvalidInput("local-semantic has no numbers to check: give epsilon= and delta=")
        found = self.tightest(mechanism)
        numbers = f"epsilon={exact_text(self.epsilon)}, delta={exact_text(self.delta)}"
        return found.against(
            f"local-semantic({self._held}, {numbers})",
            found.delta,
            self.delta,
            broken=moved_too_often(found.delta, self.epsilon, self.delta, "For this belief"),
        )

    @property
    def _held(self) -> str:
        return self.belief if isinstance(self.belief, str) else repr(self.belief)

    def _judged(self, mechanism: Mechanism) -> _OnItsOwn | _Played | _Breached:
        """Look at all outputs: record by record where that is exact, else one by one."""
        if isinstance(mechanism, PerRecord):
            held = product_belief(self.belief, mechanism.universe)
            if held is not None:
                return _OnItsOwn(mechanism, held, self.default)
        held_by_all = build_belief(self.belief, mechanism.universe)
        if mechanism.outputs.size is None:
            return _Breached(mechanism, held_by_all, self.default)
        return _Played(mechanism, held_by_all, self.default)


def smallest_difference(curve: Sequence[Step], delta: Number) -> tuple[Number, Number]:
    """Return the smallest epsilon whose failure probability is at most delta, and that one."""
    failures = [*(step.delta for step in curve[1:]), Fraction(0)]
    if compare(curve[0].delta, delta) is not Order.GREATER:
        return Fraction(0), curve[0].delta
    return next(
        (step.epsilon, failure)
        for step, failure in zip(curve, failures, strict=True)
        if compare(failure, delta) is not Order.GREATER
    )


class _Breached:
    """Infinitely many outputs: those that are breaches, by structure."""

    method = "the outputs that are breaches, by structure, weighed by the belief"

    def __init__(self, mechanism: Mechanism, belief: Belief, default: object) -> None:
        self.mechanism, self.belief, self.default = mechanism, belief, default

    def failure(self, epsilon: Number) -> Number:
        """Weigh the breaches on each database by the belief in it."""
        found = breaches(self.mechanism, self.belief, epsilon, self.default)
        return _sum(mass * found.mass(x) for x, mass in self.belief.items())

    def curve(self) -> list[Step]:
        """Refuse: there may be infinitely many steps."""
        raise Unsupported(
            f"{self.mechanism.expression} has infinitely many outputs to play: ask for the failure "
            "probability at an epsilon, as in --epsilon 1/2"
        )

    def worst(self) -> None:
        """No output is known to be the worst."""


class _OnItsOwn:
    """Independent records, each treated on its own."""

    method = "records are independent and each is treated on its own, so one record at a time"

    def __init__(self, mechanism: PerRecord, belief: ProductBelief, default: object) -> None:
        self.belief = belief
        d = default_value(mechanism.universe, default)
        known: dict[int, list[Reaction]] = {}
        for law in belief.laws:
            if id(law) not in known:
                known[id(law)] = reactions(mechanism, law, d)
        self.persons = [known[id(law)] for law in belief.laws]

    def failure(self, epsilon: Number) -> Number:
        """Return the probability that some record moves too far."""
        return 1 - self._within(epsilon)

    def _within(self, epsilon: Number) -> Number:
        return prod(
            (
                _sum(r.mass for r in person if compare(r.difference, epsilon) is not Order.GREATER)
                for person in self.persons
            ),
            start=Fraction(1),
        )

    def curve(self) -> list[Step]:
        """Return the steps between the differences that can be the largest one."""
        steps, below = [], Fraction(0)
        before: Number = below
        for height in _heights(r.difference for person in self.persons for r in person):
            within = self._within(height)
            if compare(within, before, limit=_TIE_BITS) is Order.GREATER:
                steps.append(Step(height, 1 - before))
                before = within
        return steps

    def worst(self) -> _Worst:
        """Take the record that can move furthest; the others show what is likeliest."""
        word = [max(person, key=lambda r: float(r.mass)).output for person in self.persons]
        found = _Worst(Fraction(0), tuple(word), 1)
        for i, person in enumerate(self.persons):
            for r in person:
                if compare(r.difference, found.difference, limit=_TIE_BITS) is Order.GREATER:
                    output = (*word[:i], r.output, *word[i + 1 :])
                    found = _Worst(r.difference, output, i + 1)
        return found


class _Played:
    """Any belief: every output is looked at with and without every person."""

    method = "every output played with and without every person"

    def __init__(self, mechanism: Mechanism, belief: Belief, default: object) -> None:
        self.belief = belief
        size = mechanism.outputs.size
        assert size is not None
        seen = views(mechanism, belief, default)
        work = size * sum(2 * len(view.cases) for view in seen)
        if work > _MOST_LIKELIHOODS:
            raise TooLarge(
                f"{work} likelihoods are needed for all outputs, more than {_MOST_LIKELIHOODS}: "
                "use a belief that holds fewer databases possible (uniform and independent cost "
                "nothing where every record is treated on its own), or look at single outputs "
                "with twoworlds posterior"
            )
        self.outputs: list[tuple[_Worst, Number]] = []
        for t in track(mechanism.outputs, "playing outputs", size):
            mass = _mass(seen[0], t)
            if mass != 0:
                self.outputs.append((_furthest(seen, t), mass))

    def failure(self, epsilon: Number) -> Number:
        """Add up the outputs that move the belief too far."""
        return _sum(
            mass
            for worst, mass in self.outputs
            if compare(worst.difference, epsilon) is Order.GREATER
        )

    def curve(self) -> list[Step]:
        """Return the mass of the outputs from each difference on."""
        steps = []
        remaining: Number = Fraction(1)
        for height in _heights(worst.difference for worst, _ in self.outputs):
            steps.append(Step(height, remaining))
            remaining = remaining - _sum(
                mass for worst, mass in self.outputs if _tied(worst.difference, height)
            )
        return steps

    def worst(self) -> _Worst:
        """Return the output of the largest difference."""
        found = self.outputs[0][0]
        for worst, _ in self.outputs:
            if compare(worst.difference, found.difference, limit=_TIE_BITS) is Order.GREATER:
                found = worst
        return found


@dataclass(frozen=True)
class LocalWitness(Proof):
    """An output after which the belief differs most with and without a person.

    It re-verifies by playing Game 0 and the game without that person.
    """

    mechanism: Mechanism = field(repr=False)
    belief: Belief
    output: Point
    person: int
    difference: Number
    default: object = None

    @staticmethod
    def of(mechanism: Mechanism, belief: Belief, worst: _Worst, default: object) -> LocalWitness:
        """Take the worst output."""
        return LocalWitness(
            mechanism, belief, worst.output, worst.person, worst.difference, default
        )

    def _games(self) -> tuple[Belief, Belief | None]:
        return play_one(self.mechanism, self.belief, self.output, self.person, default=self.default)

    def verify(self) -> bool:
        """Play the two games afresh and compare with the difference stated."""
        real, without = self._games()
        if without is None:
            return self.difference == 1
        return agree(real.difference(without), self.difference)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the output, the difference, and the value of the record that moves most."""
        output = shortened(self.mechanism.outputs.label(self.output))
        yield "worst case", f"output {output}, with and without person {self.person}"
        real, without = self._games()
        if without is None:
            yield "", "without their data this output is impossible: it gives them away"
            return
        yield "", f"the conclusions differ by {show(at_most_one(self.difference))}"
        used, unused = real.marginal(self.person), without.marginal(self.person)
        value = max(used, key=lambda v: float(used[v] - unused[v]))
        chances = f"{show(used[value])} with their data, {show(unused[value])} without"
        yield "", f"record {self.person} is {value}: probability {chances}"

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        return {
            "output": self.mechanism.outputs.label(self.output),
            "person": self.person,
            "difference": to_json(self.difference),
            "default": str(default_value(records_of(self.mechanism.universe), self.default)),
        }


def _furthest(seen: list[View], output: Point) -> _Worst:
    """Return the largest difference over persons after an output."""
    found = _Worst(seen[0].difference(output), output, seen[0].person)
    for view in seen[1:]:
        difference = view.difference(output)
        if compare(difference, found.difference, limit=_TIE_BITS) is Order.GREATER:
            found = _Worst(difference, output, view.person)
    return found


def _mass(view: View, output: Point) -> Number:
    return _sum(case.mass * view.likelihood(output, case.answer) for case in view.cases)


def _sum(parts: Iterable[Number]) -> Number:
    return sum(parts, start=Fraction(0))


def _heights(differences: Iterable[Number]) -> list[Number]:
    """Return the distinct differences in order; what cannot be told apart counts as one."""
    found: list[Number] = []
    for difference in sorted(differences, key=float):
        if not found or not _tied(found[-1], difference):
            found.append(difference)
    return found


def _tied(a: Number, b: Number) -> bool:
    return compare(a, b, limit=_TIE_BITS) in (Order.EQUAL, Order.UNDECIDED)
