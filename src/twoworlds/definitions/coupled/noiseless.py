r"""Noiseless privacy: the release looks alike whichever value a person's entry has.

    F(X) given X_i = v, Z = z   and   F(X) given X_i = w, Z = z   are (epsilon, delta)-
    indistinguishable for all i, all z and all v, w possible given z

(Bassily, Groce, Katz & Smith, Definition 6). Values that are impossible given z are not compared.
In the words of the paper it counts as a loss to learn anything that bears on a person, even from
data without them: a hidden common mean is enough. Less side information can make it worse
(it has no analogue of Theorem 5), and so can mixing beliefs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from twoworlds.definitions.coupled.base import Beliefs, OverBeliefs, read_persons
from twoworlds.definitions.coupled.compare import two_values
from twoworlds.definitions.coupled.measures import ByEvents, Found, Measure
from twoworlds.definitions.coupled.scene import Law, Scene
from twoworlds.definitions.coupled.words import even_bet
from twoworlds.worlds import Universe
from twoworlds.worlds.joint import BeliefClass
from twoworlds.worlds.scrubbing import Scrub

__all__ = ["NoiselessPrivacy"]


@dataclass(frozen=True, init=False)
class NoiselessPrivacy(OverBeliefs):
    """Every two values of a person's entry give nearly the same release.

    >>> from twoworlds import mechanism
    >>> total = mechanism("exact(sum, universe=bits(3))")
    >>> NoiselessPrivacy("uniform", ratio=2).tightest(total).delta
    Fraction(1, 4)
    """

    name = "noiseless privacy"
    typed = "noiseless"

    def __init__(
        self,
        beliefs: Beliefs,
        *,
        side: str | Callable[[Any], Any] | None = None,
        ratio: object = None,
        epsilon: object = None,
        delta: object = None,
    ) -> None:
        """Take the beliefs, and the numbers where they are given."""
        self._set(beliefs, side, ratio, epsilon, delta)

    def _pairs(self, beliefs: BeliefClass, universe: Universe | None) -> tuple[Scrub, ...]:
        return read_persons(beliefs, universe, tagged=False, typed=self.typed)

    def _measure(self, scene: Scene) -> Measure:
        return ByEvents(scene, two_values(scene))

    def _alike(self, scene: Scene) -> Iterable[tuple[Law, Law]]:
        return ((worlds.first, worlds.second) for worlds in two_values(scene))

    def _meaning(self, found: Found) -> str:
        if found.nothing_left:
            return "every entry is known already, and nothing is promised"
        return even_bet(found.ratio, found.delta, "between two values of your entry")

    def _comparison(self, scene: Scene, found: Found) -> tuple[str, ...]:
        return (
            "compared is the release under any two values of one entry that are possible given "
            "what the attacker knows; impossible ones are left out",
        )
