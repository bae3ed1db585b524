r"""What may be done with a release that has a simulator: process, mix beliefs, know less, compose.

Bassily, Groce, Katz & Smith, Theorems 3 to 6, as operations on `Coupled`: a release, a simulator,
a class of beliefs and the pairs (alt, priv). Each returns objects whose delta can be computed, so
that a theorem's bound stands beside the exact number, and each checks what its theorem supposes.

    `Coupled.then`          Theorem 3: map the output, and the simulator's as well
    `Coupled.knowing_less`  Theorem 5: the attacker knows f(Z) only
    `mixtures`              Theorem 4: all mixtures of beliefs that share one simulator
    `compose`               Theorem 6: publish F(X) and G(X)

Differs: the introduction says that a release which is private under D and under D' is private under
their mixtures; that is true only if one simulator serves both, which `mixtures` checks.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from twoworlds.answer import Answer, Said
from twoworlds.definitions.coupled.measures import WorstEvent, worst
from twoworlds.definitions.coupled.scene import Law, Release, Scene, Simulator, mapped, scene
from twoworlds.errors import InvalidInput
from twoworlds.numbers import INFINITY, Number, at_most_one, ln, maximum, ratio_at_least_one, show
from twoworlds.show import Result
from twoworlds.worlds import Point
from twoworlds.worlds.joint import BeliefClass, Joint, plain_label
from twoworlds.worlds.scrubbing import Scrub

RandomMap = Callable[[Any], Any]
_A_MAP = "a map of the output"


@dataclass(frozen=True)
class Coupled:
    """A release beside its simulator: the two worlds of Definition 5.

    >>> from twoworlds.definitions.coupled.scene import canonical
    >>> from twoworlds.worlds.belief import uniform
    >>> from twoworlds.worlds.scrubbing import persons
    >>> from twoworlds.worlds.records import BitStrings
    >>> fair = BeliefClass((Joint.of(uniform(BitStrings(3))),), "the bits are fair coins")
    >>> total = Release.of(sum)
    >>> found = Coupled(total, canonical(total), fair, persons(3))
    >>> found.delta("3/2"), found.then(lambda t: t >= 2).delta("3/2")
    (Fraction(3, 8), Fraction(3, 8))
    """

    release: Release
    simulator: Simulator
    beliefs: BeliefClass
    scrubs: tuple[Scrub, ...]

    @cached_property
    def scene(self) -> Scene:
        """The tables of both worlds."""
        return scene(self.release, self.beliefs, self.scrubs)

    def worst(self, ratio: object) -> WorstEvent:
        """Return where the two worlds are farthest apart at a ratio."""
        return worst(self.scene, self.simulator, ratio)

    def delta(self, ratio: object) -> Number:
        """Return the smallest delta with which this simulator serves, at a ratio."""
        return self.worst(ratio).delta

    def then(self, post: RandomMap, name: str = _A_MAP) -> Coupled:
        """Return both worlds with the output mapped, possibly at random: delta never grows."""
        release, simulator = post_process(self.release, self.simulator, post, name)
        return replace(self, release=release, simulator=simulator)

    def knowing_less(self, blur: RandomMap, what: str) -> Coupled:
        """Return both worlds for an attacker who knows f(Z) only: delta never grows.

        Proof: given Z' and v, each law is the same mixture over z of the laws given z and v.
        """
        return replace(self, beliefs=self.beliefs.knowing_less(blur, what))

    def mixed(self, weights: Sequence[object]) -> Coupled:
        """Return both worlds under one mixture of the beliefs: delta never grows.

        Proof: given v and z, each law is the same mixture over the beliefs, with the weights that
        the beliefs have once v and z are known.
        """
        one = Joint.mixture(self.beliefs.members, weights)
        shares = ", ".join(show(w) if isinstance(w, Fraction) else str(w) for w in weights)
        assumed = f"{self.beliefs.assumption}, mixed with weights {shares}"
        return replace(self, beliefs=BeliefClass((one,), assumed))


def post_process(
    release: Release, simulator: Simulator, post: RandomMap, name: str = _A_MAP
) -> tuple[Release, Simulator]:
    """Return release and simulator, each followed by the same random map of the output.

    Theorem 3: if F(X) and Sim(alt(X)) are (epsilon, delta)-indistinguishable given v and z, so are
    G(F(X)) and G(Sim(alt(X))), because a test of the new output is a (random) test of the old one.
    """
    after = Simulator(f"{simulator.name}, then takes {name}", lambda y: mapped(simulator(y), post))
    return release.then(post, name), after


def mixtures(parts: Sequence[Coupled]) -> Coupled:
    """Return the convex hull of the beliefs of all parts (Theorem 4).

    Its delta is the largest of the parts', for every mixture of all the beliefs. Without a common
    simulator that is false: publish X_1 where D says 0 and D' says 1. Constants simulate it for D
    and for D' without error; no simulator serves an even mixture with delta below 1/2, whatever
    epsilon.
    """
    if not parts:
        raise InvalidInput("there is nothing to mix: give at least one release with its simulator")
    first, *others = parts
    for other in others:
        _require_same(first, other)
    members = tuple(member for part in parts for member in part.beliefs)
    words = dict.fromkeys(part.beliefs.assumption for part in parts)
    return replace(first, beliefs=BeliefClass(members, " or ".join(words)).with_mixtures())


def _require_same(one: Coupled, other: Coupled) -> None:
    """Refuse parts that differ in release, pairs or simulator, naming where they do."""
    if len(one.scrubs) != len(other.scrubs):
        raise InvalidInput(
            f"one part speaks of {len(one.scrubs)} pairs (alt, priv), another of "
            f"{len(other.scrubs)}: a mixture needs the same pairs"
        )
    databases = {x: None for part in (one, other) for b in part.beliefs for x in b.databases}
    for x in databases:
        if dict(one.release.law(x)) != dict(other.release.law(x)):
            raise InvalidInput(
                f"on database {plain_label(x)} {one.release.name} and {other.release.name} "
                "publish different things: a mixture of beliefs needs one release"
            )
        for left, right in zip(one.scrubs, other.scrubs, strict=True):
            if left.private(x) != right.private(x) or dict(left.law(x)) != dict(right.law(x)):
                raise InvalidInput(
                    f"{left.name} and {right.name} differ on database {plain_label(x)}: a mixture "
                    "needs the same pairs (alt, priv)"
                )
    for y in dict.fromkeys([*one.scene.inputs, *other.scene.inputs]):
        if dict(one.simulator(y)) != dict(other.simulator(y)):
            raise InvalidInput(
                f"given {plain_label(y)}, the simulators output {_shown(one.simulator(y))} and "
                f"{_shown(other.simulator(y))}: mixtures are private only if one simulator serves "
                "all beliefs; give the same one to all, or look for the optimal one of the whole "
                "class"
            )


def _shown(law: Law) -> str:
    if len(law) == 1:
        return plain_label(next(iter(law)))
    return ", ".join(f"{plain_label(t)} with {show(p)}" for t, p in law.items())


@dataclass(frozen=True)
class Composed(Result):
    """The numbers of Theorem 6.

    Attributes:
        releases: the two releases.
        assumption: the beliefs that both rest on.
        ratios: e^epsilon_F and e^epsilon_G.
        ratio: e^(epsilon_F + epsilon_G).
        first: delta_F, with side information (Z, Sim_G(alt(X))).
        second: delta_G, with side information (Z, F(X)).
        bound: max(delta_F e^epsilon_G + delta_G, delta_F + delta_G e^epsilon_F), or 1 if smaller.
        delta: of the composed simulator at this ratio, exactly; never above the bound.
    """

    releases: tuple[str, str]
    assumption: str
    ratios: tuple[Number, Number]
    ratio: Number
    first: Number
    second: Number
    bound: Number
    delta: Number

    def answer(self) -> Answer:
        """Say how near both together come, and what the theorem allows."""
        at = " and ".join(show(ratio) for ratio in dict.fromkeys(self.ratios))
        nothing = ", which promises nothing" if self.bound == 1 else ""
        said = (
            f"Theorem 6 of Bassily, Groce, Katz & Smith allows delta {show(self.bound)}{nothing}: "
            f"the first has {show(self.first)} for one who sees the second simulated, and the "
            f"second {show(self.second)} for one who sees the first, each at ratio {at}."
        )
        return Answer(
            f"If {self.assumption}, then both together come within delta "
            f"{show(self.delta, side='up')} of what their simulators make of the scrubbed "
            f"database, at ratio {show(self.ratio)}.",
            subject=" and ".join(self.releases),
            blocks=(Said([said]),),
        )

    def fields(self) -> dict[str, Any]:
        """Return the releases, the beliefs, and the numbers."""
        names = ("releases", "assumption", "ratio", "delta", "bound", "first", "second")
        return {name: getattr(self, name) for name in names} | {"epsilon": ln(self.ratio)}


@dataclass(frozen=True)
class ReleasePair:
    """Two releases published together, with the two classes of side information of Theorem 6.

    Attributes:
        second_given_first: G for Delta_G, where the attacker also knows F(X).
        first_given_second: F for Delta_F, where the attacker also knows Sim_G(alt(X)); one for
            every pair, since only the pair's own alt is needed.
        together: H = (F, G) with Sim_H, which runs both simulators on the same scrubbed database.
    """

    second_given_first: Coupled
    first_given_second: tuple[Coupled, ...]
    together: Coupled

    def at(self, ratio_first: object, ratio_second: object) -> Composed:
        """Return all numbers of Theorem 6 at two ratios e^epsilon_F and e^epsilon_G."""
        f, g = ratio_at_least_one(ratio_first), ratio_at_least_one(ratio_second)
        if INFINITY in (f, g):
            raise InvalidInput("the ratios must be finite: with an infinite one nothing is claimed")
        first: Number = Fraction(0)
        for part in self.first_given_second:
            first = maximum(first, part.delta(f))
        second = self.second_given_first.delta(g)
        bound = at_most_one(maximum(first * g + second, first + second * f))
        return Composed(
            (self.first_given_second[0].release.name, self.second_given_first.release.name),
            self.together.beliefs.assumption,
            (f, g),
            f * g,
            first,
            second,
            bound,
            self.together.delta(f * g),
        )


def compose(first: Coupled, second: Coupled) -> ReleasePair:
    r"""Return what Theorem 6 speaks of, for F = ``first`` and G = ``second``.

    Given v and z, with y = alt(X) drawn once:

        (F(X), G(X))  ~  (F(X), Sim_G(y))  ~  (Sim_F(y), Sim_G(y)).

    The first step is G's privacy where F(X) is known, the second F's where Sim_G(y) is known; so
    Sim_H(y) runs Sim_F and Sim_G on y, each with its own coins. Where alt is random, Sim_F and the
    side information Sim_G(y) must come from the same y: databases are taken as (x, y) there.

    >>> from twoworlds.worlds.belief import uniform
    >>> from twoworlds.worlds.scrubbing import persons
    >>> from twoworlds.worlds.records import BitStrings
    >>> fair = BeliefClass((Joint.of(uniform(BitStrings(2))),), "the bits are fair coins")
    >>> coin = Simulator.of(lambda y: {0: "1/2", 1: "1/2"})
    >>> noisy = Release.of(lambda x: {0: "1/2", 1: "1/2"})
    >>> one = Coupled(noisy, coin, fair, persons(2))
    >>> compose(one, one).at(1, 1).bound
    Fraction(0, 1)
    """
    if first.beliefs != second.beliefs or first.scrubs != second.scrubs:
        raise InvalidInput(
            f"{first.release.name} and {second.release.name} are stated for different beliefs or "
            "pairs (alt, priv): composition speaks of one class; build both with the same objects"
        )
    f, g = first.release, second.release
    known = first.beliefs.knowing(f.law, f"the output of {f.name}")
    both = Simulator(
        f"runs two simulators: one {first.simulator.name}, one {second.simulator.name}",
        lambda y: {
            (a, b): p * q
            for a, p in first.simulator(y).items()
            for b, q in second.simulator(y).items()
        },
    )
    return ReleasePair(
        replace(second, beliefs=known),
        tuple(_knowing_simulated(first, second.simulator, scrub) for scrub in first.scrubs),
        replace(first, release=f.pair(g), simulator=both),
    )


def _knowing_simulated(first: Coupled, other: Simulator, scrub: Scrub) -> Coupled:
    """Return F for an attacker who knows Sim_G(y), on databases (x, y) with y = alt(x)."""

    def extended(member: Joint) -> Joint:
        masses: dict[tuple[Point, Hashable], Number] = {}
        for (x, z), mass in member.masses.items():
            for y, chance in scrub.law(x).items():
                for b, p in other(y).items():
                    key = (x, y), (z, b)
                    masses[key] = masses.get(key, Fraction(0)) + mass * chance * p
        return Joint(masses, member.name)

    lifted = Scrub(scrub.name, lambda both: scrub.private(both[0]), lambda both: both[1])
    what = f"{first.beliefs.assumption}, and the attacker knows what the other simulator outputs"
    return Coupled(
        Release(first.release.name, lambda both: first.release.law(both[0])),
        first.simulator,
        first.beliefs.each(extended, what),
        (lifted,),
    )
