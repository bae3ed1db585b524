"""Small random worlds, and the definitions on them written out: all events, all deltas."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from random import Random

from twoworlds.definitions.coupled.scene import Release, Simulator
from twoworlds.worlds.joint import BeliefClass, Joint
from twoworlds.worlds.scrubbing import Scrub

ZERO = Fraction(0)


def law(rng, outcomes, *, sparse=0.3):
    """A random law with small denominators, which often misses outcomes."""
    weights = [0 if rng.random() < sparse else rng.randint(1, 4) for _ in outcomes]
    if not any(weights):
        weights[rng.randrange(len(weights))] = 1
    total = sum(weights)
    return {o: Fraction(w, total) for o, w in zip(outcomes, weights, strict=True) if w}


@dataclass
class World:
    """Plain dictionaries: joints by (x, z), F by x, (priv, alt) by x, Sim by y."""

    joints: list
    release: dict
    pairs: list
    simulator: dict

    @staticmethod
    def random(seed, *, members=2, privs=(0, 1)):
        rng = Random(seed)
        points = list(product((0, 1), repeat=2))
        outputs = "abc"
        joints = [
            law(rng, list(product(points, ("u", "v"))), sparse=0.4)
            for _ in range(rng.randint(1, members))
        ]
        release = {x: law(rng, outputs) for x in points}
        scrubbed = ("p", "q", "r")
        pairs = [
            (
                {x: rng.choice(privs) for x in points},
                {x: law(rng, scrubbed, sparse=0.5) for x in points},
            )
            for _ in range(rng.randint(1, 2))
        ]
        shown = sorted({t for joint in joints for x, _ in joint for t in release[x]})
        simulator = {y: law(rng, shown) for y in scrubbed}
        return World(joints, release, pairs, simulator)

    def objects(self):
        """The same as objects of the library: release, class, pairs, simulator."""
        beliefs = BeliefClass(tuple(Joint(joint) for joint in self.joints), "it is drawn at random")
        pairs = tuple(
            Scrub(f"pair {i + 1}", priv.__getitem__, alt.__getitem__)
            for i, (priv, alt) in enumerate(self.pairs)
        )
        made = Release("drawn", self.release.__getitem__)
        return made, beliefs, pairs, Simulator.table(self.simulator)

    def conditional(self, joint, z, priv=None, v=None):
        """The law of x given z, and given a private value if named; None where impossible."""
        kept = {
            (x, w): p for (x, w), p in joint.items() if w == z and (priv is None or priv[x] == v)
        }
        total = sum(kept.values())
        return {pair: p / total for pair, p in kept.items()} if total else None

    def shown(self, given):
        found = {}
        for (x, _), p in given.items():
            for t, chance in self.release[x].items():
                found[t] = found.get(t, ZERO) + p * chance
        return found

    def simulated(self, given, alt):
        found = {}
        for (x, _), p in given.items():
            for y, q in alt[x].items():
                for t, chance in self.simulator[y].items():
                    found[t] = found.get(t, ZERO) + p * q * chance
        return found

    def real_and_ideal(self):
        for joint in self.joints:
            for priv, alt in self.pairs:
                for v, z in product(set(priv.values()), "uv"):
                    given = self.conditional(joint, z, priv, v)
                    if given:
                        yield self.shown(given), self.simulated(given, alt)

    def two_values(self, wanted=None):
        for joint in self.joints:
            for priv, _ in self.pairs:
                values = set(priv.values()) if wanted is None else wanted
                for v, w, z in product(values, values, "uv"):
                    one = self.conditional(joint, z, priv, v)
                    two = self.conditional(joint, z, priv, w)
                    if one and two and v != w:
                        yield self.shown(one), self.shown(two)

    def posterior(self, joint, priv, z, likelihood):
        """The law of priv given z and an output with this likelihood by x; None if impossible."""
        masses = {}
        for (x, w), p in joint.items():
            if w == z:
                masses[priv[x]] = masses.get(priv[x], ZERO) + p * likelihood(x)
        total = sum(masses.values())
        return {v: p / total for v, p in masses.items()} if total else None

    def failures(self, joint, ratio, delta):
        """The probability of (t, z) from which more than delta too much is concluded."""
        bad = ZERO
        for t, z in product("abc", "uv"):
            chance = sum(p * self.release[x].get(t, ZERO) for (x, w), p in joint.items() if w == z)
            if chance and any(
                self.inner(joint, priv, alt, t, z, ratio) > delta for priv, alt in self.pairs
            ):
                bad += chance
        return bad

    def inner(self, joint, priv, alt, t, z, ratio):
        real = self.posterior(joint, priv, z, lambda x: self.release[x].get(t, ZERO))
        ideal = self.posterior(
            joint,
            priv,
            z,
            lambda x: sum(q * self.simulator[y].get(t, ZERO) for y, q in alt[x].items()),
        )
        return 2 if ideal is None else both_ways(real, ideal, ratio)


def both_ways(p, q, ratio):
    """The largest P(E) - a Q(E) or Q(E) - a P(E) over all events E."""
    outcomes = sorted({*p, *q}, key=str)
    best = ZERO
    for k in range(len(outcomes) + 1):
        for event in combinations(outcomes, k):
            one, two = (sum((law.get(o, ZERO) for o in event), ZERO) for law in (p, q))
            best = max(best, one - ratio * two, two - ratio * one)
    return best


def smallest(candidates, holds):
    """The smallest candidate that holds, having checked that all larger ones do too."""
    ordered = sorted(set(candidates))
    works = [holds(c) for c in ordered]
    first = works.index(True)
    assert all(works[first:])
    return ordered[first]
