r"""The smallest ratio at which some simulator keeps within delta: simulators against tests.

Every solved program narrows the answer from both sides.

*From above*, its simulator keeps within delta from a ratio on that is found by adding up.

*From below*, its tests prove that no smaller ratio will do. Let each test that favours the real
world be drawn with weight omega / a and the others with weight omega, as a varies. Then what the
best simulator leaves to them, M = sum_y min_t ( B(y, t) - A(y, t) ), does not depend on a, and

    delta(a)  >=  ( C_r / a + M - a C_i ) / ( Omega_r / a + Omega_i ),

where C_r, C_i are the events' probabilities in the real world and Omega_r, Omega_i the weights,
added up over the tests that favour the real and the ideal world. This exceeds delta where

    q(a) = C_i a^2 - ( M - delta Omega_i ) a - ( C_r - delta Omega_r )  <  0,

so no ratio below the larger root of q suffices (delta(a) falls). Where both sides meet the answer
is exact. It need not be rational, as the root of q tells. The ratios tried (`trial`) follow
Newton's method on delta(a), whose slope the multipliers give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt
from typing import Any

from flint import arb

from twoworlds.definitions.coupled._program import (
    GivenValue,
    Laws,
    SceneProgram,
    Solution,
    comparisons,
    untried,
)
from twoworlds.definitions.coupled.optimal import (
    OfSimulator,
    encloses,
    laws_of,
    rational_tables,
    table,
)
from twoworlds.definitions.coupled.proof import (
    Distinguisher,
    TestBound,
    layers,
    sound,
    written,
)
from twoworlds.definitions.coupled.scene import Scene, Simulator
from twoworlds.definitions.indistinguishability import TwoLaws
from twoworlds.numbers import INFINITY, Number, Real, maximum, probability, show

ONE, ZERO = Fraction(1), Fraction(0)
_BITS, _MOST_BITS = 64, 512
Tests = tuple[Distinguisher, ...]


Coefficients = tuple[Fraction, Fraction, Fraction]
"""c, h, g of q(a) = c a^2 - h a - g."""


def _quadratic(bound: TestBound, tests: Tests, base: Fraction, delta: Fraction) -> Coefficients:
    """Return q of the tests of the program at one ratio, the base."""
    real, ideal = (
        sum((x.weight for x in tests if x.favours == world), start=ZERO)
        for world in ("real", "ideal")
    )
    return bound.fall, bound.answer(base) - delta * ideal, base * (bound.start - delta * real)


def _excludes(q: Coefficients, ratio: Fraction) -> bool:
    """Tell whether q proves that every ratio below this one is too small."""
    c, h, g = q
    value = c * ratio * ratio - h * ratio - g
    return value < 0 or (value == 0 and 2 * c * ratio > h)


def _end(q: Coefficients, bits: int) -> Number | None:
    """Return the larger root of q, rounded down if irrational; None when q is never negative.

    Infinite when q stays negative.
    """
    c, h, g = q
    if c == 0:
        if h > 0 or (h == 0 and g > 0):
            return INFINITY
        return None if h == 0 else g / -h
    inside = h * h + 4 * c * g
    return None if inside <= 0 else (h + _root(inside, bits)) / (2 * c)


def _root(x: Fraction, bits: int) -> Fraction:
    """Return the square root of a positive fraction, rounded down to so many bits if irrational."""
    top, bottom = isqrt(x.numerator), isqrt(x.denominator)
    if top * top == x.numerator and bottom * bottom == x.denominator:
        return Fraction(top, bottom)
    places = bits + max(0, x.denominator.bit_length() - x.numerator.bit_length())
    return Fraction(isqrt((x.numerator << 2 * places) // x.denominator), 1 << places)


@dataclass(frozen=True)
class SmallestRatio(OfSimulator):
    """The smallest ratio for a delta, with both its proofs.

    Attributes:
        delta: what is allowed.
        ratio: the smallest ratio: a fraction where it is exact, an enclosure, or infinity.
        lower: every ratio below is ruled out by the tests.
        upper: the simulator keeps within delta at this ratio; None when no ratio suffices.
        simulator: that one (where no ratio suffices: one with the least delta at large ratios).
        tests_at: the ratio of the program whose tests these are; None when nothing is to be ruled
            out (ratio 1), or when any delta above the given one has its ratio, yet this one has
            none.
    """

    scene: Scene = field(repr=False)
    delta: Fraction
    ratio: Number
    lower: Fraction
    upper: Fraction | None
    simulator: Simulator
    tests_at: Fraction | None
    tests: Tests
    laws: Laws = field(repr=False)

    @property
    def exact(self) -> bool:
        """Whether the ratio is known exactly."""
        return self.upper is None or self.lower == self.upper

    def verify(self) -> bool:
        """Evaluate simulator and tests again, from the scene alone.

        That a delta is approached but not reached by any ratio has no such proof: the program of
        the simulator of largest support is solved again.
        """
        made, outputs = comparisons(self.scene), len(self.scene.outputs)
        if laws_of(self.scene, self.simulator) != self.laws:
            return False
        if self.upper is None and (self.ratio != INFINITY or self.lower != 1):
            return False
        if self.upper is not None and (
            needed_ratio(made, self.laws, self.delta) != self.upper
            or not encloses(self.lower, self.ratio, self.upper)
        ):
            return False
        if self.tests_at is None:
            return self.lower == 1 and (
                self.upper is not None or _unreached(SceneProgram(made, outputs), made, self.delta)
            )
        if not sound(made, outputs, self.tests):
            return False
        bound = TestBound(made, outputs, self.tests)
        q = _quadratic(bound, self.tests, self.tests_at, self.delta)
        return _end(q, _BITS) == INFINITY if self.upper is None else _excludes(q, self.lower)

    @property
    def sentence(self) -> str:
        """What suffices, and why nothing smaller does."""
        allowed = show(self.delta)
        if self.upper is None and self.tests_at is None:
            return f"no ratio brings delta down to {allowed}, though large ones come close to it"
        why = "" if self.tests_at is None else self._tests()
        if self.upper is None:
            return f"no ratio brings delta down to {allowed}{why}"
        return (
            f"the best simulator keeps within delta {allowed} from ratio "
            f"{show(self.ratio, side='at most')} on{why}"
        )

    def _tests(self) -> str:
        number = len(self.tests)
        tests = "this test tells" if number == 1 else f"one of these {number} tests tells"
        below = "at every ratio" if self.upper is None else "at every smaller ratio"
        return (
            f": whatever a simulator does, {below} {tests} the worlds apart with an advantage "
            f"above {show(self.delta, side='down')}"
        )

    def fields(self) -> dict[str, Any]:
        """Return everything."""
        return {
            "delta": self.delta,
            "ratio": self.ratio,
            "exact": self.exact,
            "simulator": self.simulator.to_dict(self.scene),
            "sentence": self.sentence,
            "tests_at_ratio": self.tests_at,
            "tests": [written(self.scene, test) for test in self.tests],
        }


class _Search:
    """The bracket while it shrinks."""

    def __init__(self, scene: Scene, made: Sequence[GivenValue], delta: Fraction) -> None:
        self.scene, self.made, self.delta = scene, made, delta
        self.outputs = len(scene.outputs)
        self.game = SceneProgram(made, self.outputs)
        self.lower = ONE
        self.upper: Number = INFINITY
        self.tests_at: Fraction | None = None
        self.tests: Tests = ()
        self.laws: Laws = ()
        self._tried: list[Fraction] = []

    def use(self, laws: Laws) -> None:
        """Let a simulator lower the upper end."""
        needed = needed_ratio(self.made, laws, self.delta)
        if needed < self.upper:
            self.upper, self.laws = needed, laws

    def attempt(self, ratio: Fraction, bits: int) -> Fraction:
        """Solve the program at a ratio, and let both its answers narrow the bracket.

        Returns where the tangent of delta(a) at this ratio meets delta (a guess, no bound); the
        lower end where delta(a) does not fall, being 0.
        """
        solution = self.game.solve(ratio)
        delta, laws, stakes = solution
        self.use(laws)
        tests = layers(stakes)
        bound = TestBound(self.made, self.outputs, tests)
        end = _end(_quadratic(bound, tests, ratio, self.delta), bits)
        if end is not None and end > self.lower:
            assert isinstance(end, Fraction)
            # Rounded down, the end may fall short of a ratio that is itself ruled out.
            self.lower = max(end, ratio) if delta > self.delta else end
            self.tests_at, self.tests = ratio, tests
        fall = self._fall(solution)
        return self.lower if fall == 0 else ratio + (delta - self.delta) / fall

    def _fall(self, solution: Solution) -> Fraction:
        """Return -d delta / d a: what the stakes win of the law that is multiplied by a."""
        total = ZERO
        _, laws, stakes = solution
        for (number, favours), weights in stakes.items():
            made = self.made[number]
            law = made.simulated(laws) if favours == "real" else made.real
            total += sum((w * law.get(t, ZERO) for t, w in weights.items()), start=ZERO)
        return total

    def narrow(self, bits: int) -> None:
        """Go on until the bracket is relatively narrower than 2^-bits, or closed."""
        guess = self.lower
        while self.lower < self.upper and (self.upper - self.lower) * (1 << bits) > self.lower:
            assert isinstance(self.upper, Fraction)
            guess = self.attempt(untried(self._tried, self.lower, self.upper, guess), 2 * bits)


def smallest_ratio(scene: Scene, delta: object = 0) -> SmallestRatio:
    """Return the smallest ratio at which some simulator keeps within delta.

    The answer is exact where tests and simulator meet at a rational number; else an enclosure that
    can be refined; infinite where no ratio suffices.

    >>> from twoworlds.definitions.coupled.scene import scene
    >>> from twoworlds.worlds import BitStrings
    >>> from twoworlds.worlds.classes import belief_class
    >>> from twoworlds.worlds.scrubbing import persons
    >>> fair = belief_class("uniform", BitStrings(3))
    >>> smallest_ratio(scene(sum, fair, persons(3)), "1/8").ratio
    Fraction(3, 2)
    """
    allowed = probability(delta, "delta")
    found = _Search(scene, rational_tables(scene), allowed)
    limit, _, stakes = found.game.solve(None)
    widest = found.game.widest(limit)
    tests_at, tests = (ONE, layers(stakes)) if limit > allowed else (None, ())
    if tests_at is None:
        found.use(_mixed(widest, (allowed - limit) / 2, found.outputs))
    if found.upper == INFINITY:
        simulator = table(scene, widest)
        return SmallestRatio(
            scene, allowed, INFINITY, ONE, None, simulator, tests_at, tests, widest
        )
    found.attempt(ONE, _BITS)
    found.narrow(_BITS)
    return _result(found)


def _result(found: _Search) -> SmallestRatio:
    lower, upper, laws = found.lower, found.upper, found.laws
    assert isinstance(upper, Fraction)
    ratio: Number = lower
    if lower != upper:

        def refine(bits: int) -> arb:
            found.narrow(min(bits, _MOST_BITS))
            assert isinstance(found.upper, Fraction)
            return Real.between(found.lower, found.upper).ball(bits)

        ratio = Real(refine)
    simulator = table(found.scene, laws)
    return SmallestRatio(
        found.scene,
        found.delta,
        ratio,
        lower,
        upper,
        simulator,
        found.tests_at,
        found.tests,
        laws,
    )


def _unreached(game: SceneProgram, made: Sequence[GivenValue], delta: Fraction) -> bool:
    """Tell whether delta is the limit at large ratios, and is attained at none of them."""
    limit = game.solve(None)[0]
    return limit == delta and needed_ratio(made, game.widest(limit), delta) == INFINITY


def needed_ratio(made: Sequence[GivenValue], laws: Laws, delta: Fraction) -> Number:
    """Return from which ratio on a simulator keeps within delta in all comparisons."""
    ratio: Number = ONE
    for comparison in made:
        both = TwoLaws(comparison.real, comparison.simulated(laws))
        ratio = maximum(ratio, both.ratio_for(delta))
    return ratio


def _mixed(laws: Laws, share: Fraction, outputs: int) -> Laws:
    """Return the simulator that with probability ``share`` names an output evenly instead."""
    if share == 0:
        return laws
    even = share / outputs
    mixed: list[Mapping[int, Fraction]] = [
        {t: (1 - share) * law.get(t, ZERO) + even for t in range(outputs)} for law in laws
    ]
    return tuple(mixed)
