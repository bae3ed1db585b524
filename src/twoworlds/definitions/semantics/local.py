r"""Semantic privacy against one belief: the exact probability that an output moves it too far.

    delta'(epsilon') = P_t[max_i SD(b_0(. | t), b_i(. | t)) > epsilon'],   t ~ A(x), x ~ b

(Kasiviswanathan & Smith, Definition 4.1, and 2.3 for this belief.)

Where the records are independent under the belief and each is treated on its own, the difference
for person i depends on the i-th output alone, and the outputs are independent (see `games`):

    delta'(epsilon') = 1 - prod_i P(the i-th output moves the belief about person i by <= epsilon').
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import NamedTuple

from twoworlds.definitions.base import Given, PrivacyDefinition, read_delta
from twoworlds.definitions.semantics.breaches import failure_of, folded, views
from twoworlds.definitions.semantics.counts import OnEach, OnSum
from twoworlds.definitions.semantics.games import (
    GameWitness,
    OnOrbits,
    crowd,
    crowd_witness,
    default_value,
    default_words,
    many_alike,
    play_crowd,
    record_posterior,
    up_to_order,
)
from twoworlds.definitions.verdict import Proof, Verdict
from twoworlds.definitions.words import difference_sentence, moved_too_often
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.mechanisms import AddedNoise, Mechanism, PerRecord
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.numbers import Number, Order, at_most_one, compare
from twoworlds.progress import track
from twoworlds.worlds import Point
from twoworlds.worlds.belief import Belief, law_difference, records_of
from twoworlds.worlds.belief import Law as RecordLaw
from twoworlds.worlds.beliefs import belief as build_belief

_MOST_LIKELIHOODS = 1 << 23
_TIE_BITS = 256


class Step(NamedTuple):
    """For differences below ``epsilon`` (and at least the previous one), delta' is ``delta``."""

    epsilon: Number
    delta: Number


class Reaction(NamedTuple):
    """How far an output moves the belief with and without a person, and how likely it is."""

    difference: Number
    mass: Number
    output: Point
    person: int


Law = Sequence[Sequence[Reaction]]  # parts of the output that are independent of each other


def failure(law: Law, epsilon: Number, limit: int | None = None) -> Number:
    """Return the probability that some part of the output moves the belief by more."""
    exceeding = [
        sum((r.mass for r in part if _exceeds(r.difference, epsilon, limit)), start=Fraction(0))
        for part in law
    ]
    return (
        exceeding[0]
        if len(exceeding) == 1
        else 1 - prod((1 - bad for bad in exceeding), start=Fraction(1))
    )


def _exceeds(difference: Number, epsilon: Number, limit: int | None) -> bool:
    if limit is None:
        return larger(difference, epsilon)
    return compare(difference, epsilon, limit=limit) is Order.GREATER


def curve(laws: Sequence[Law]) -> list[Step]:
    """Return the failure of the worst of some laws for every epsilon, as steps."""
    heights: list[Number] = []
    differences = {r.difference for law in laws for part in law for r in part}
    for height in sorted(differences, key=float):
        if not heights or _exceeds(height, heights[-1], _TIE_BITS):
            heights.append(height)
    steps = []
    before: Number = Fraction(1)
    for height in heights:
        after = _largest(failure(law, height, _TIE_BITS) for law in laws)
        if _exceeds(before, after, _TIE_BITS):
            steps.append(Step(height, before))
            before = after
    return steps


def _largest(values: Iterable[Number]) -> Number:
    worst: Number = Fraction(0)
    for value in values:
        worst = value if larger(value, worst) else worst
    return worst


def smallest_difference(steps: Sequence[Step], delta: Number) -> Step:
    """Return the smallest epsilon whose failure probability is at most delta, and that one."""
    after = [Fraction(0), *(step.epsilon for step in steps)]
    failures = [*(step.delta for step in steps), Fraction(0)]
    found = zip(after, failures, strict=True)
    return next(Step(epsilon, bad) for epsilon, bad in found if not larger(bad, delta))


def worst_reaction(seen: Sequence[Reaction]) -> Reaction:
    """Return the first of the reactions that move furthest."""
    worst = seen[0]
    for one in seen[1:]:
        worst = one if _exceeds(one.difference, worst.difference, _TIE_BITS) else worst
    return worst


@dataclass(frozen=True, kw_only=True)
class LocalSemanticPrivacy(PrivacyDefinition):
    """Semantic privacy against one belief, with a failure probability.

    Kasiviswanathan & Smith, Definition 4.1 (and 2.3, for this belief).

    >>> from twoworlds import mechanism
    >>> survey = mechanism("randomized-response(bits=40, keep=3/4)")
    >>> LocalSemanticPrivacy("uniform").tightest(survey).epsilon
    Fraction(1, 4)
    """

    belief: str | Belief = field(kw_only=False)
    epsilon: Given[Number | None] = Given(read_delta)
    delta: Given[Number] = Given(read_delta, 0)
    default: object = None

    name = "local semantic privacy"
    call = "local-semantic"
    numbers = ("epsilon", "delta")
    unclaimed = "local-semantic has no numbers to check: give epsilon= and delta="

    def curve(self, mechanism: Mechanism) -> list[Step]:
        """Return delta'(epsilon') exactly, as steps: the mass of outputs whose worst exceeds it."""
        return curve([self._law(mechanism)[0]])

    def failure(self, mechanism: Mechanism, epsilon: object) -> Number:
        """Return P_t[max_i SD > epsilon], with the strict inequality."""
        limit = read_delta(epsilon, "epsilon")
        if (many := self._many(mechanism)) is not None:
            return many.failure(limit).mass
        if mechanism.outputs.size is None:
            held = up_to_order(mechanism, build_belief(self.belief, mechanism.universe))
            return failure_of(mechanism, held, limit, self.default)
        return failure(self._law(mechanism)[0], limit)

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the failure probability at the epsilon given, else the smallest epsilon for delta.

        Without any number that is the worst case over outputs.
        """
        epsilon = self.epsilon
        witness: Proof | None = None
        many = None if epsilon is None else self._many(mechanism)
        method = "the outputs that are breaches, by structure, weighed by the belief"
        if epsilon is not None and many is not None:
            method = "people are alike under this belief, so counts stand for databases"
            bad, furthest = many.failure(epsilon)
            held = build_belief(self.belief, mechanism.universe)
            witness = crowd_witness(play_crowd(mechanism, held, furthest, default=self.default))
        elif epsilon is not None and mechanism.outputs.size is None:
            bad = self.failure(mechanism, epsilon)
        else:
            law, held, method = self._law(mechanism)
            if epsilon is None:
                epsilon, bad = smallest_difference(curve([law]), self.delta)
            else:
                bad = failure(law, epsilon)
            furthest = [worst_reaction(part) for part in law]
            worst = worst_reaction(furthest)
            found = (worst.output, worst.person, worst.difference)
            if isinstance(mechanism, PerRecord) and held.laws is not None:
                # The others show what is likeliest.
                i, likely = furthest.index(worst), [max(part, key=_mass).output for part in law]
                found = ((*likely[:i], worst.output, *likely[i + 1 :]), i + 1, worst.difference)
            witness = GameWitness(mechanism, held, *found, self.default, given=True)
        bad = at_most_one(bad)
        return self.found(
            mechanism,
            {"epsilon": epsilon, "delta": bad},
            difference_sentence("For this belief", epsilon, bad),
            (
                f"this belief only: {self._held}; {default_words(mechanism, self.default)}",
                f"a person: {mechanism.universe.explain(mechanism.universe.relation)}",
            ),
            witness=witness,
            method=method,
        )

    def broken(self, mechanism: Mechanism, found: Verdict, claimed: Number) -> str:
        """Say how often this belief moves further."""
        assert self.epsilon is not None
        return moved_too_often(found.delta, self.epsilon, claimed, "For this belief")

    def _called(self, numbers: str) -> str:
        return f"local-semantic({self._held}, {numbers})"

    @property
    def _held(self) -> str:
        return self.belief if isinstance(self.belief, str) else repr(self.belief)

    def _many(self, mechanism: Mechanism) -> OnSum | OnEach | None:
        """Return the belief by counts where it is about many people who are alike."""
        held = build_belief(self.belief, mechanism.universe)
        if not many_alike(held) or (isinstance(mechanism, PerRecord) and held.laws is not None):
            return None  # of independent records each is looked at on its own
        channel = getattr(mechanism, "channel", None)
        if channel is not None and not isinstance(channel, AddedNoise | FiniteNoise):
            return None
        default = default_value(records_of(held.universe), self.default, mechanism)
        counted = crowd(mechanism, held, default)
        return None if isinstance(counted, OnOrbits) else counted

    def _law(self, mechanism: Mechanism) -> tuple[Law, Belief, str]:
        """Look at all outputs: record by record where that is exact, else one by one."""
        held = build_belief(self.belief, mechanism.universe)
        if isinstance(mechanism, PerRecord) and held.laws is not None:
            held = Belief.of_records(mechanism.universe, [(Fraction(1), held.laws)])
            why = "records are independent and each is treated on its own, so one record at a time"
            return _on_its_own(mechanism, held.laws or (), self.default), held, why
        held = up_to_order(mechanism, held)
        why = "every output played with and without every person"
        return [_played(mechanism, held, self.default)], held, why


def _mass(reaction: Reaction) -> float:
    return float(reaction.mass)


def _on_its_own(mechanism: PerRecord, laws: Sequence[RecordLaw], default: object) -> Law:
    """Look at one record at a time: how far every output of it moves it, and how likely."""
    likelihood, d = mechanism.transition.probability, default_value(mechanism.universe, default)
    known: dict[int, list[Reaction]] = {}
    for law in laws:
        if id(law) in known:
            continue
        known[id(law)] = found = []
        for o in mechanism.transition.outputs:
            posterior, mass = record_posterior(mechanism, law, o)
            if posterior is not None:
                gap = Fraction(1) if likelihood(o, d) == 0 else law_difference(posterior, law)
                found.append(Reaction(gap, mass, o, 1))
    return [known[id(law)] for law in laws]


def _played(mechanism: Mechanism, belief: Belief, default: object) -> list[Reaction]:
    """Look at every output with and without every person."""
    mechanism = folded(mechanism, default)
    size = mechanism.outputs.size
    if size is None:
        raise Unsupported(
            f"{mechanism.expression} has infinitely many outputs to play: ask for the failure "
            "probability at an epsilon, as in --epsilon 1/2"
        )
    seen = views(mechanism, belief, default)
    work = size * sum(2 * len(view.cases) for view in seen)
    if work > _MOST_LIKELIHOODS:
        raise TooLarge(
            f"{work} likelihoods are needed for all outputs, more than {_MOST_LIKELIHOODS}: "
            "use a belief that holds fewer databases possible (uniform and independent cost "
            "nothing where every record is treated on its own), or look at single outputs "
            "with twoworlds posterior"
        )
    found = []
    for t in track(mechanism.outputs, "playing outputs", size):
        mass = sum(seen[0].joint(t)[0], start=Fraction(0))
        if mass != 0:
            moved = [Reaction(view.difference(t), mass, t, view.person) for view in seen]
            found.append(worst_reaction(moved))
    return found
