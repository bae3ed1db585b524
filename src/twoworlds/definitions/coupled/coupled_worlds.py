r"""Coupled-worlds privacy, and distributional differential privacy as its chief instance.

    F(X) given priv(X) = v, Z = z   and   Sim(alt(X)) given priv(X) = v, Z = z
    are (epsilon, delta)-indistinguishable

for one simulator Sim, all beliefs of the class, all pairs (alt, priv) and all (v, z) of positive
probability (Bassily, Groce, Katz & Smith, Definition 5). With one pair for each person, priv the
person's entry and alt the list without it, this is distributional differential privacy, DDP
(Definition 3).

The simulator is given, is the release itself on what is left (canonical), or the best there is
(optimal). Convex combinations of the beliefs come free, for one and the same simulator (Theorem 4).

Differs: that taking all point beliefs gives differential privacy (after Definition 3) is true only
up to (2 epsilon, (1 + e^epsilon) delta): the simulator stands between the two neighbours.

Inference-based coupled-worlds privacy: only what follows anyway is concluded.

    with probability at least 1 - delta over (t, z) = (F(X), Z), for all pairs (alt, priv):
    priv(X) given F(X) = t, Z = z   and   priv(X) given Sim(alt(X)) = t, Z = z
    are (epsilon, delta)-indistinguishable

for one simulator and all beliefs of the class (Bassily, Groce, Katz & Smith, Definition 4; with a
pair for each person, Definition 2). One delta bounds the distance and the failures; an output that
the simulator never shows counts as a failure. A mixture of beliefs can fail where each of them
holds: all mixtures are searched, between proven ends (`mixing`).

Differs: that taking all point beliefs gives differential privacy (after Definition 3) is false
here: a point belief has nothing left to conclude, and even publishing everything satisfies the
definition with (0, 0).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from twoworlds.definitions.coupled.base import Beliefs, OverBeliefs, read_persons, read_scrubs
from twoworlds.definitions.coupled.best import (
    BestConclusions,
    BestSimulator,
    Measure,
    MixedConclusions,
)
from twoworlds.definitions.coupled.measures import (
    ByConclusions,
    ByEvents,
    Found,
    real_and_ideal,
)
from twoworlds.definitions.coupled.posteriors import against_simulator
from twoworlds.definitions.coupled.scene import OPTIMAL, Scene, read_simulator
from twoworlds.definitions.coupled.words import conclusion_words, even_bet
from twoworlds.worlds import Universe
from twoworlds.worlds.joint import BeliefClass
from twoworlds.worlds.scrubbing import TOLD, Scrub, Tagged

_SMALL_PROGRAM, _SMALL_SEARCH = 256, 48


@dataclass(frozen=True, init=False)
class WithSimulator(OverBeliefs):
    """A definition with an ideal world, in which a simulator answers."""

    scrubs: str | Scrub | Sequence[Any] | None
    simulator: object
    tagged: bool

    def __init__(
        self,
        beliefs: Beliefs,
        scrubs: str | Scrub | Sequence[Any] = "persons",
        *,
        simulator: object = OPTIMAL,
        **asked: Any,
    ) -> None:
        super().__init__(beliefs, **asked)
        self._assign(scrubs=scrubs, simulator=simulator, tagged=False)

    def _pairs(self, beliefs: BeliefClass, universe: Universe | None) -> tuple[Scrub, ...]:
        if self.scrubs is None:
            return read_persons(beliefs, universe, tagged=self.tagged, typed=self.typed)
        return read_scrubs(self.scrubs, universe, self.typed)

    def _arguments(self) -> Iterable[str]:
        if isinstance(self.scrubs, str):
            yield f"scrubs={self.scrubs}"
        if isinstance(self.simulator, str):
            yield f"simulator={self.simulator}"
        if self.tagged:
            yield "tagged=yes"

    @property
    def _best(self) -> bool:
        return isinstance(self.simulator, str) and self.simulator == OPTIMAL

    @property
    def _of_everybody(self) -> bool:
        return (
            isinstance(self.scrubs, str | None)
            and self.scrubs in (None, "persons", "persons(tagged)", "nodes", "nodes(tagged)")
            and self.simulator in (OPTIMAL, "canonical", "coin")
        )

    def _cheap(self, where: Scene, *, for_ratio: bool) -> bool:
        most = _SMALL_SEARCH if for_ratio else _SMALL_PROGRAM
        return not self._best or len(where.inputs) * len(where.outputs) <= most

    def _comparison(self, scene: Scene, found: Found) -> tuple[str, ...]:
        told = any(isinstance(y, Tagged) for y in scene.inputs)
        whose = "is told whose" if told else "is not told whose"
        if self.scrubs is None:
            given = f"is given the list without one person's entry, and {whose} is missing"
        else:
            names = ", ".join(pair.name for pair in scene.scrubs[:4])
            more = ", ..." if len(scene.scrubs) > 4 else ""
            how = dict.fromkeys(pair.how.removesuffix(TOLD) for pair in scene.scrubs if pair.how)
            said = f" ({'; '.join(list(how)[:3])})" if how else ""
            given = f"is given the database scrubbed of one of: {names}{more}{said}; it {whose}"
        compared = f"we compare the release with a simulator, which {given}"
        if found.simulator is None:
            return (compared,)
        return compared, f"the simulator {found.simulator.name}"


@dataclass(frozen=True, init=False)
class OfPersons(WithSimulator):
    """The same with one pair for each person: their entry, and the list without it."""

    def __init__(
        self, beliefs: Beliefs, *, simulator: object = OPTIMAL, tagged: bool = False, **asked: Any
    ) -> None:
        OverBeliefs.__init__(self, beliefs, **asked)
        self._assign(scrubs=None, simulator=simulator, tagged=tagged)


@dataclass(frozen=True, init=False)
class CoupledWorlds(WithSimulator):
    """The release is nearly what a simulator makes of the scrubbed database.

    >>> from twoworlds import mechanism
    >>> total = mechanism("exact(sum, universe=bits(3))")
    >>> asked = CoupledWorlds("uniform", "persons", simulator="canonical", ratio="3/2")
    >>> asked.tightest(total).delta
    Fraction(3, 8)
    """

    name = "coupled-worlds privacy"
    typed = "coupled-worlds"
    takes_mixtures = True

    @property
    def _by_likely(self) -> bool:
        return self._best

    def _measure(self, scene: Scene) -> Measure:
        if self._best:
            return BestSimulator(scene)
        simulator = read_simulator(self.simulator, scene)
        return ByEvents(scene, real_and_ideal(scene, simulator), simulator)

    def _meaning(self, found: Found) -> str:
        return even_bet(
            found.ratio,
            found.delta,
            "on whether the release saw the private part or was made without it",
            found.reached,
        )


@dataclass(frozen=True, init=False)
class DistributionalPrivacy(OfPersons, CoupledWorlds):
    """The release is nearly what a simulator makes of everybody else's entries (DDP).

    >>> from twoworlds import mechanism
    >>> total = mechanism("exact(sum, universe=bits(3))")
    >>> asked = DistributionalPrivacy("uniform", simulator="canonical", ratio="3/2")
    >>> asked.tightest(total).delta
    Fraction(3, 8)
    """

    name = "distributional differential privacy"
    typed = "ddp"

    def _meaning(self, found: Found) -> str:
        bet = "on whether your entry was used"
        return even_bet(found.ratio, found.delta, bet, found.reached)


@dataclass(frozen=True, init=False)
class InferenceCoupledWorlds(WithSimulator):
    """What is concluded from the release is nearly what the simulation would have shown.

    >>> from twoworlds import mechanism
    >>> total = mechanism("exact(sum, universe=bits(3))")
    >>> asked = InferenceCoupledWorlds("uniform", "persons", simulator="canonical", ratio="3/2")
    >>> asked.tightest(total).delta
    Fraction(1, 4)
    """

    name = "inference-based coupled-worlds privacy"
    typed = "inference-coupled-worlds"
    takes_mixtures = True

    def _measure(self, scene: Scene) -> Measure:
        simulator = None if self._best else read_simulator(self.simulator, scene)
        if scene.beliefs.hull:
            return MixedConclusions(scene, simulator)
        if simulator is None:
            return BestConclusions(scene)
        return ByConclusions(scene, against_simulator(scene, simulator), simulator)

    def _by_sums(self, beliefs: BeliefClass) -> bool:
        return not (self._best and beliefs.hull)  # mixtures are made of the tables of all members

    def _cheap(self, where: Scene, *, for_ratio: bool) -> bool:
        searched = where.beliefs.hull or (for_ratio and self._best)
        return super()._cheap(where, for_ratio=for_ratio) and not searched

    who = "the private part"

    def _meaning(self, found: Found) -> str:
        if found.nothing_left:
            return f"{self.who} is known already, and nothing is promised"
        instead = "from a release made without it"
        return conclusion_words(found.ratio, found.delta, self.who, instead, found.alarm)


@dataclass(frozen=True, init=False)
class InferenceDistributionalPrivacy(OfPersons, InferenceCoupledWorlds):
    """What is concluded about an entry is nearly what follows without it (inference-based DDP).

    >>> from twoworlds import mechanism
    >>> total = mechanism("exact(sum, universe=bits(3))")
    >>> asked = InferenceDistributionalPrivacy("uniform", simulator="canonical", ratio="3/2")
    >>> asked.tightest(total).delta
    Fraction(1, 4)
    """

    name = "inference-based distributional differential privacy"
    typed = "inference-ddp"
    who = "your entry"
