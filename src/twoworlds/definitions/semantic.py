r"""Semantic privacy: the conclusions drawn with you and without you are nearly the same.

A mechanism is epsilon-semantically private if for all beliefs b, outputs t and persons i

    SD(b_0(. | t), b_i(. | t)) <= epsilon

(Kasiviswanathan & Smith, Definition 2.1). The smallest epsilon is found exactly, over all beliefs
at once, from the largest swing R of an output's likelihood: (sqrt R - 1) / (sqrt R + 1); see
`twoworlds.definitions.swing`. The verdict shows the output, the person and a belief on two
databases that attains it, and re-verifies by playing the two games.

With one belief given, `LocalSemanticPrivacy` gives the exact curve

    delta'(epsilon') = P_t[max_i SD(b_0, b_i) > epsilon'],   t ~ A(x), x ~ b   (Definition 4.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.definitions.base import PrivacyDefinition, read_delta
from twoworlds.definitions.games import Games, play
from twoworlds.definitions.swing import Swing, worst_swing
from twoworlds.definitions.verdict import Verdict, agree
from twoworlds.definitions.words import percent
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import INFINITY, Number, Order, compare, exact_text, show, sqrt, to_json
from twoworlds.worlds import Point, Records
from twoworlds.worlds.belief import Belief
from twoworlds.worlds.beliefs import belief as build_belief

__all__ = ["BeliefWitness", "LocalSemanticPrivacy", "SemanticPrivacy", "Step", "worst_belief"]


def semantic_value(ratio: Number) -> Number:
    """Return (sqrt R - 1) / (sqrt R + 1) = tanh(ln R / 4).

    >>> semantic_value(Fraction(9))
    Fraction(1, 2)
    """
    if ratio == INFINITY:
        return Fraction(1)
    root = sqrt(ratio)
    return (root - 1) / (root + 1)


@dataclass(frozen=True, init=False)
class SemanticPrivacy(PrivacyDefinition):
    """With or without any one person's data, every attacker concludes nearly the same.

    >>> from twoworlds import mechanism
    >>> SemanticPrivacy().tightest(mechanism("noisy-parity(bits=2, keep=3/4)")).epsilon
    Fraction(1, 2)
    """

    epsilon: Number | None
    default: object

    name = "semantic privacy"

    def __init__(self, *, epsilon: object = None, default: object = None) -> None:
        """Take the largest allowed difference, and the value that stands for "no data"."""
        object.__setattr__(self, "epsilon", _read(epsilon))
        object.__setattr__(self, "default", default)

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the exact supremum over all beliefs, with the worst output, person and belief."""
        swing = worst_swing(mechanism, self.default)
        value = semantic_value(swing.ratio)
        belief = worst_belief(mechanism, swing)
        witness = (
            None
            if belief is None
            else BeliefWitness(
                mechanism, belief, swing.output, swing.person or 1, value, self.default
            )
        )
        return Verdict(
            mechanism.expression,
            self.name,
            {"epsilon": value, "swing": swing.ratio},
            _sentence(value),
            _assumptions(mechanism),
            witness=witness,
            method="the largest swing of an output's likelihood decides over all beliefs at once",
            notes=(_where(mechanism, swing),),
            exact=mechanism.exact,
        )

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether the difference stays within epsilon for every belief."""
        if self.epsilon is None:
            raise InvalidInput("semantic has no number to check: give epsilon=")
        found = self.tightest(mechanism)
        claim = f"semantic(epsilon={exact_text(self.epsilon)})"
        return found.against(claim, found.epsilon, self.epsilon)


@dataclass(frozen=True)
class BeliefWitness:
    """A belief, an output and a person whose data makes the stated difference.

    It re-verifies by playing Game 0 and the game without that person.
    """

    mechanism: Mechanism = field(repr=False)
    belief: Belief
    output: Point
    person: int
    difference: Number
    default: object = None

    @property
    def games(self) -> Games:
        """Both games, played afresh."""
        return play(self.mechanism, self.belief, self.output, default=self.default)

    def verify(self) -> bool:
        """Play the games and compare with the difference stated."""
        shown = self.games.differences[self.person - 1]
        return shown is not None and agree(shown, self.difference)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield what to show, line by line."""
        label = self.belief.universe.label
        for x, mass in self.belief.items():
            yield "belief", f"{show(mass)} in {label(x)}"
        output = self.mechanism.outputs.label(self.output)
        yield "worst case", f"output {output}, with and without person {self.person}"

    def explain(self) -> str:
        """Say the belief, the output and the person."""
        return "; ".join(f"{name}: {fact}" for name, fact in self.facts())

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        label = self.belief.universe.label
        return {
            "belief": {label(x): to_json(mass) for x, mass in self.belief.items()},
            "output": self.mechanism.outputs.label(self.output),
            "person": self.person,
            "difference": to_json(self.difference),
        }


def worst_belief(mechanism: Mechanism, swing: Swing) -> Belief | None:
    """Return a belief on two databases that attains the supremum, where one exists.

    Weight w = 1 / (sqrt R + 1) of Game i's posterior goes to the largest r, so that the prior is
    proportional to (w / q_high, (1 - w) / q_low), with q = P(A(x_-i) = t).
    """
    if not isinstance(mechanism.universe, Records) or swing.output is None or swing.undefined:
        return None
    if swing.ratio == INFINITY or swing.ratio == 1:
        return None
    w = 1 / (sqrt(swing.ratio) + 1)
    high, low = w / swing.high.q, (1 - w) / swing.low.q
    total = high + low
    return Belief(
        mechanism.universe,
        {swing.high.database: high / total, swing.low.database: low / total},
    )


def _read(epsilon: object) -> Number | None:
    return None if epsilon is None else read_delta(epsilon, "epsilon")


def _where(mechanism: Mechanism, swing: Swing) -> str:
    if swing.output is None:
        return "approached far out, attained by no output"
    label = mechanism.outputs.label(swing.output)
    who = "a person" if swing.person is None else f"person {swing.person}"
    if swing.undefined:
        return f"output {label} is impossible without the data of {who}: it gives them away"
    tail = "" if swing.attained else ", approached by beliefs but attained by none"
    return f"worst for {who} after output {label}{tail}"


def _sentence(value: Number) -> str:
    if value == 0:
        return "Whatever someone believes, leaving out any one person changes no conclusion at all."
    if value == 1:
        return (
            "Some attacker's conclusions can differ by as much as conclusions can, depending on "
            "whether one person's data was used."
        )
    return (
        "Whatever someone believed before, this answer moves their beliefs, compared with the same "
        f"answer computed without you, by at most {percent(value)} of probability in total."
    )


def _assumptions(mechanism: Mechanism) -> tuple[str, ...]:
    words = mechanism.universe.explain(mechanism.universe.relation)
    return (
        "all beliefs, however wrong; leaving a person out means putting a default value in place",
        f"a person: {words}",
    )


@dataclass(frozen=True)
class Step:
    """For differences below ``epsilon`` (and at least the previous one), delta' is ``delta``."""

    epsilon: Number
    delta: Number


@dataclass(frozen=True, init=False)
class LocalSemanticPrivacy(PrivacyDefinition):
    """Semantic privacy against one belief, with a failure probability.

    Kasiviswanathan & Smith, Definition 4.1 (and 2.3, for this belief).
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
        """Take the attacker's belief, as such or as one would type it, and what is claimed."""
        object.__setattr__(self, "belief", belief)
        object.__setattr__(self, "epsilon", _read(epsilon))
        object.__setattr__(self, "delta", read_delta(delta))
        object.__setattr__(self, "default", default)

    def curve(self, mechanism: Mechanism) -> list[Step]:
        """Return delta'(epsilon') exactly, as steps: the mass of outputs whose worst exceeds it."""
        masses: dict[Number, Number] = {}
        for games, mass in self._played(mechanism):
            masses[games.worst] = masses.get(games.worst, Fraction(0)) + mass
        steps, above = [], Fraction(1)
        remaining: Number = above
        for worst in sorted(masses, key=float):
            steps.append(Step(worst, remaining))
            remaining = remaining - masses[worst]
        return steps

    def failure(self, mechanism: Mechanism, epsilon: object) -> Number:
        """Return P_t[max_i SD > epsilon], with the strict inequality."""
        limit = read_delta(epsilon, "epsilon")
        return sum(
            (
                mass
                for games, mass in self._played(mechanism)
                if compare(games.worst, limit) is Order.GREATER
            ),
            start=Fraction(0),
        )

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the failure probability at the epsilon given, or the worst case over outputs."""
        if self.epsilon is not None:
            failure = self.failure(mechanism, self.epsilon)
            values = {"epsilon": self.epsilon, "delta": failure}
        else:
            last = self.curve(mechanism)[-1]
            values = {"epsilon": last.epsilon, "delta": Fraction(0)}
        return Verdict(
            mechanism.expression,
            self.name,
            values,
            f"For this belief, with probability at least "
            f"{show(1 - values['delta'], side='down')} the conclusions with and without any one "
            f"person differ by at most {percent(values['epsilon'])}.",
            (f"this belief only: {self._held}", *_assumptions(mechanism)[1:]),
            method="every output played with and without every person",
            exact=mechanism.exact,
        )

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether the failure probability at epsilon stays within delta."""
        if self.epsilon is None:
            raise InvalidInput("local-semantic has no numbers to check: give epsilon= and delta=")
        found = self.tightest(mechanism)
        numbers = f"epsilon={exact_text(self.epsilon)}, delta={exact_text(self.delta)}"
        return found.against(f"local-semantic({self._held}, {numbers})", found.delta, self.delta)

    @property
    def _held(self) -> str:
        return self.belief if isinstance(self.belief, str) else repr(self.belief)

    def _played(self, mechanism: Mechanism) -> list[tuple[Games, Number]]:
        """Play every output that can occur, with its probability."""
        if mechanism.outputs.size is None:
            raise Unsupported(f"{mechanism.expression} has infinitely many outputs to play")
        held = build_belief(self.belief, mechanism.universe)
        found = []
        for t in mechanism.outputs:
            mass = sum(
                (mechanism.probability(t, x) * p for x, p in held.items()), start=Fraction(0)
            )
            if mass != 0:
                games = play(mechanism, held, t, default=self.default)
                found.append((games, mass))
        return found
