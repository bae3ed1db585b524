"""The best simulator there is, found for you, with a proof that no simulator does better.

`optimal` solves the linear program of `_program` at a ratio a = e^epsilon: the least delta of all
simulators (Definitions 3 and 5 of Bassily, Groce, Katz & Smith ask that there be one). Solution
and multipliers are exact fractions; both are added up again before anything is returned. The
convex hull of the beliefs costs nothing: the same simulator serves all mixtures (Theorem 4).

delta(a) falls as a grows, so a ratio that is irrational is enclosed by two rational ones, and the
answer is an enclosure that can be refined. Irrational probabilities are enclosed as well: when
P and Q move by e in total, no delta moves by more than (1 + a) e.

`smallest_ratio` turns the question round. It may have no rational answer: a simulator s of point
beliefs needs max P / a <= s <= a min P, so a can be a square root.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from twoworlds.definitions.coupled._optimum import Limit, Optimum, at_infinity, attained, table
from twoworlds.definitions.coupled._program import GivenValue, Laws, SceneProgram, comparisons
from twoworlds.definitions.coupled._proof import Distinguisher, OptimalityProof, TestBound, layers
from twoworlds.definitions.coupled._smallest import SmallestRatio, search
from twoworlds.definitions.coupled.scene import Scene
from twoworlds.errors import InvalidInput, TwoWorldsError, Unsupported
from twoworlds.numbers import INFINITY, Number, Real, bounds, probability, ratio_at_least_one

_BITS, _MOST_BITS = 128, 512


def optimal(scene: Scene, ratio: object) -> Optimum:
    """Return the least delta of all simulators at a ratio, such a simulator, and the proof.

    >>> from twoworlds.definitions.coupled.scene import scene
    >>> from twoworlds.worlds.belief import uniform
    >>> from twoworlds.worlds.joint import BeliefClass, Joint
    >>> from twoworlds.worlds.scrubbing import persons
    >>> from twoworlds.worlds.records import BitStrings
    >>> fair = BeliefClass((Joint.of(uniform(BitStrings(3))),), "the bits are fair coins")
    >>> best = optimal(scene(sum, fair, persons(3)), "3/2")
    >>> best.delta, best.proof.verify()
    (Fraction(1, 8), True)
    """
    a = ratio_at_least_one(ratio)
    if a == INFINITY:
        raise InvalidInput(
            "ratio=infinity has no best simulator: ask for limit, which says what stays of delta "
            "and whether a simulator attains it"
        )
    return _enclosed(scene, a)


def _enclosed(scene: Scene, ratio: Number) -> Optimum:
    found = _solved(scene, ratio, _BITS)
    if found.exact:
        return found

    def refine(bits: int) -> arb:
        # Beyond a limit the ball stays as it is: a delta of 0 has no relative precision.
        better = _solved(scene, ratio, min(bits, _MOST_BITS)) if bits > _BITS else found
        return Real.between(better.lower, better.upper).ball(bits)

    delta = Real(refine)
    delta.cap = Fraction(1)
    return Optimum(
        scene,
        ratio,
        delta,
        found.simulator,
        found.proof,
        found.lower,
        found.upper,
        found.at,
        found.laws,
    )


def _solved(scene: Scene, ratio: Number, bits: int) -> Optimum:
    """Solve at rational ratios on both sides; the lower one bounds delta from above."""
    made = comparisons(scene, bits)
    game = SceneProgram(made, len(scene.outputs))
    low, high = bounds(ratio, bits)
    low = max(low, Fraction(1))
    at_low = game.solve(low)
    at_high = at_low if low == high else game.solve(high)
    proof = _proof(scene, made, layers(at_high[2]), high, bits)
    laws = at_low[1]
    if at_low[0] == 0 and attained(made, laws, low) > 0:
        # Nothing but the enclosures is left: a simulator that is within a smaller ratio has room
        # for them.
        spare = game.solve(max(Fraction(1), low - low / (1 << bits // 2)))[1]
        laws = min(laws, spare, key=lambda some: attained(made, some, low))
    return _checked(scene, made, ratio, laws, low, proof)


def _proof(
    scene: Scene,
    made: tuple[GivenValue, ...],
    tests: tuple[Distinguisher, ...],
    ratio: Fraction,
    bits: int,
) -> OptimalityProof:
    bound = TestBound(made, len(scene.outputs), tests).at(ratio)
    return OptimalityProof(scene, ratio, bound, tests if bound else (), bits)


def _checked(
    scene: Scene,
    made: tuple[GivenValue, ...],
    ratio: Number,
    laws: Laws,
    at: Fraction,
    proof: OptimalityProof,
) -> Optimum:
    upper = attained(made, laws, at)
    rational = isinstance(ratio, Fraction) and not any(any(c.error) for c in made)
    if proof.bound > upper or (rational and proof.bound != upper):
        raise TwoWorldsError(
            "the best simulator and the proof of its optimality do not meet: please report this"
        )
    delta: Number = upper if proof.bound == upper else Real.between(proof.bound, upper)
    return Optimum(scene, ratio, delta, table(scene, laws), proof, proof.bound, upper, at, laws)


def least_delta(scene: Scene) -> Fraction:
    """Return what no simulator can undercut at any ratio, and comes close to as ratios grow.

    It is the least probability, over simulators, of an output that the release never shows given
    what the attacker knows: no ratio excuses that.

    >>> from twoworlds.definitions.coupled.scene import scene
    >>> from twoworlds.worlds.belief import uniform
    >>> from twoworlds.worlds.joint import BeliefClass, Joint
    >>> from twoworlds.worlds.scrubbing import persons
    >>> from twoworlds.worlds.records import BitStrings
    >>> parity = Joint.of(uniform(BitStrings(2)), lambda x: sum(x) % 2)
    >>> known = BeliefClass((parity,), "the bits are fair coins, and their parity is known")
    >>> least_delta(scene("parity(bits=2)", known, persons(2)))
    Fraction(1, 2)
    """
    return SceneProgram(_rational(scene), len(scene.outputs)).solve(None)[0]


def limit(scene: Scene) -> Limit:
    """Return the least delta at ratio infinity, and whether a simulator attains it.

    >>> from twoworlds.definitions.coupled.scene import scene
    >>> from twoworlds.worlds.belief import uniform
    >>> from twoworlds.worlds.joint import BeliefClass, Joint
    >>> from twoworlds.worlds.scrubbing import persons
    >>> from twoworlds.worlds.records import BitStrings
    >>> fair = BeliefClass((Joint.of(uniform(BitStrings(2))),), "the bits are fair coins")
    >>> found = limit(scene(sum, fair, persons(2)))
    >>> found.delta, found.attained
    (Fraction(0, 1), False)
    """
    return at_infinity(scene, _rational(scene))


def smallest_ratio(scene: Scene, delta: object = 0) -> SmallestRatio:
    """Return the smallest ratio at which some simulator keeps within delta.

    The answer is exact where tests and simulator meet at a rational number; else an enclosure that
    can be refined; infinite where no ratio suffices.

    >>> from twoworlds.definitions.coupled.scene import scene
    >>> from twoworlds.worlds.belief import uniform
    >>> from twoworlds.worlds.joint import BeliefClass, Joint
    >>> from twoworlds.worlds.scrubbing import persons
    >>> from twoworlds.worlds.records import BitStrings
    >>> fair = BeliefClass((Joint.of(uniform(BitStrings(3))),), "the bits are fair coins")
    >>> smallest_ratio(scene(sum, fair, persons(3)), "1/8").ratio
    Fraction(3, 2)
    """
    return search(scene, _rational(scene), probability(delta, "delta"))


def _rational(scene: Scene) -> tuple[GivenValue, ...]:
    made = comparisons(scene, _BITS)
    if any(any(comparison.error) for comparison in made):
        raise Unsupported(
            "a probability is irrational here, and this is found for rational ones only: ask for "
            "delta at a finite ratio, or give the release and the belief in fractions"
        )
    return made
