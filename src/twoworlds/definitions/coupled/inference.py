r"""Inference-based coupled-worlds privacy: only what follows anyway is concluded.

    with probability at least 1 - delta over (t, z) = (F(X), Z), for all pairs (alt, priv):
    priv(X) given F(X) = t, Z = z   and   priv(X) given Sim(alt(X)) = t, Z = z
    are (epsilon, delta)-indistinguishable

for one simulator and all beliefs of the class (Bassily, Groce, Katz & Smith, Definition 4; with a
pair for each person, Definition 2). One delta bounds the distance and the failures; an output that
the simulator never shows counts as a failure.

Differs: that taking all point beliefs gives differential privacy (after Definition 3) is false
here: a point belief has nothing left to conclude, and even publishing everything satisfies the
definition with (0, 0).
"""

from __future__ import annotations

from dataclasses import dataclass

from twoworlds.definitions.coupled.best import BestConclusions
from twoworlds.definitions.coupled.coupled_worlds import OfPersons, WithSimulator
from twoworlds.definitions.coupled.measures import ByConclusions, Found, Measure
from twoworlds.definitions.coupled.posteriors import against_simulator
from twoworlds.definitions.coupled.scene import Scene
from twoworlds.definitions.coupled.simulator import read_simulator
from twoworlds.definitions.coupled.words import conclusion_words

__all__ = ["InferenceCoupledWorlds", "InferenceDistributionalPrivacy"]


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

    def _measure(self, scene: Scene) -> Measure:
        if self._best:
            return BestConclusions(scene)
        simulator = read_simulator(self.simulator, scene)
        return ByConclusions(scene, against_simulator(scene, simulator), simulator)

    def _cheap(self, where: Scene, *, for_ratio: bool) -> bool:
        return super()._cheap(where, for_ratio=for_ratio) and not (for_ratio and self._best)

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
