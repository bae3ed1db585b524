r"""Semantic privacy against one belief: the exact probability that an output moves it too far.

    delta'(epsilon') = P_t[max_i SD(b_0(. | t), b_i(. | t)) > epsilon'],   t ~ A(x), x ~ b

(Kasiviswanathan & Smith, Definition 4.1, and 2.3 for this belief.)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from twoworlds.definitions.base import PrivacyDefinition, read_delta
from twoworlds.definitions.semantics.games import Games, play
from twoworlds.definitions.verdict import Verdict
from twoworlds.definitions.words import percent
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import Number, Order, compare, exact_text, show
from twoworlds.worlds.belief import Belief
from twoworlds.worlds.beliefs import belief as build_belief

__all__ = ["LocalSemanticPrivacy", "Step"]


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
        object.__setattr__(
            self, "epsilon", None if epsilon is None else read_delta(epsilon, "epsilon")
        )
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
            (
                f"this belief only: {self._held}",
                f"a person: {mechanism.universe.explain(mechanism.universe.relation)}",
            ),
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
