r"""The best simulator for what can be inferred.

Definitions 2 and 4 of Bassily, Groce, Katz & Smith ask that with probability at least 1 - delta
over (t, z) = (F(X), Z), and for all pairs (alt, priv), the posterior of priv(X) given F(X) = t is
(epsilon, delta)-indistinguishable from the one given Sim(alt(X)) = t. An output that the simulator
never names has no ideal posterior and counts as bad; failure is strict (>).

Here simulators may name a symbol outside the range of the release, so that what remains of their
probability is wasted there. Then the columns s(t | .) of different outputs are free of each other,
and each is best by itself (`_column`): let delta_t be its least inner delta. With one belief and
one z per output,

    delta*  =  min_c max ( c, P[ delta_t > c ] ),

attained at c = 0 or c = delta_t for some t. With several beliefs or several z per output, one
column has to serve all of them, and which to give up is a question of combinations. Then

    lower   treats every (belief, t, z) as if it had a column of its own,
    upper   is what an explicit simulator attains;

where they meet the answer is exact, else it is an enclosure and says so. Whether the best simulator
can do without the outside symbol is tried by one more program (`InferenceOptimum.outside`): if not,
``lower`` holds for simulators within the range, too, and ``upper`` is not claimed for them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from twoworlds.definitions.coupled._column import (
    Column,
    InnerTest,
    Sigma,
    View,
    inner,
    least_inner,
    lower_bound,
)
from twoworlds.definitions.coupled._within import within_range
from twoworlds.definitions.coupled.scene import Scene
from twoworlds.definitions.coupled.simulator import Simulator
from twoworlds.errors import InvalidInput, TwoWorldsError, Unsupported
from twoworlds.numbers import INFINITY, Number, Real, bounds, ratio_at_least_one, show, to_json
from twoworlds.worlds.joint import NOTHING, plain_label

__all__ = ["OUTSIDE", "InferenceOptimum", "InnerProof", "inference_optimum"]

ZERO, ONE = Fraction(0), Fraction(1)
_BITS = 128
OUTSIDE = "(outside the range)"
"""The symbol on which a simulator wastes what it does not need."""


class Situation(NamedTuple):
    """An output with a belief and side information: how likely it is, and who looks at it."""

    output: int
    belief: int
    side: Hashable
    chance: Fraction
    views: tuple[View, ...]


@dataclass(frozen=True)
class InnerProof:
    """Tests of posteriors that no column of a simulator withstands better than ``bound``.

    Attributes:
        situation: the output, the belief and the side information.
        ratio: the ratio a.
        bound: the inner delta that every simulator has at least there.
        tests: events of private values, with weights.
    """

    situation: Situation
    ratio: Fraction
    bound: Fraction
    tests: tuple[InnerTest, ...]

    def verify(self, scene: Scene) -> bool:
        """Add up the tests again, from the scene alone."""
        fresh = [s for s in situations(scene) if s[:3] == self.situation[:3]]
        return (
            len(fresh) == 1
            and fresh[0].chance == self.situation.chance
            and all(test.weight >= 0 and test.view < len(fresh[0].views) for test in self.tests)
            and lower_bound(fresh[0].views, self.tests, self.ratio) == self.bound
        )


@dataclass(frozen=True)
class InferenceOptimum:
    """The least inference-based delta of all simulators at a ratio.

    Attributes:
        scene: the two worlds.
        ratio: a = e^epsilon.
        delta: the least delta: a fraction where it is exact, else an enclosure.
        lower: no simulator has less.
        upper: the simulator has no more.
        simulator: one that attains ``upper``.
        outside: whether it names a symbol outside the range of the release.
        proofs: the tests behind ``lower``, one for each (output, belief, z) that needs them.
        at: the rational ratio, at most the true one, at which ``upper`` is stated.
    """

    scene: Scene = field(repr=False)
    ratio: Number
    delta: Number
    lower: Fraction
    upper: Fraction
    simulator: Simulator
    outside: bool
    proofs: tuple[InnerProof, ...] = field(repr=False)
    at: Fraction

    @property
    def exact(self) -> bool:
        """Whether lower and upper bound meet."""
        return self.lower == self.upper

    @property
    def inner(self) -> dict[Hashable, Fraction]:
        """What is proved of each output: the largest bound on its inner delta."""
        found: dict[Hashable, Fraction] = {}
        for proof in self.proofs:
            t = self.scene.outputs[proof.situation.output]
            found[t] = max(found.get(t, ZERO), proof.bound)
        return found

    def verify(self) -> bool:
        """Evaluate the simulator and add up the tests again, from the scene alone."""
        everywhere = situations(self.scene)
        columns = _columns(self.scene, self.simulator)
        bad = {proof.situation[:3]: proof.bound for proof in self.proofs}
        return (
            all(proof.verify(self.scene) for proof in self.proofs)
            and self.lower == _least((s, bad.get(s[:3], ZERO)) for s in everywhere)
            and self.upper == _attained(everywhere, columns, self.at)
        )

    def explain(self) -> str:
        """Say what is reached, whether more is known, and where the simulator leaves the range."""
        head = f"the best simulator has inference-based delta {show(self.delta)}"
        if not self.exact:
            low, high = show(self.lower, side="down"), show(self.upper)
            head = f"the best simulator has inference-based delta between {low} and {high}"
        where = (
            "simulators may name a symbol outside the range of the release, and this one does"
            if self.outside
            else "it stays within the range of the release, though others were allowed to leave it"
        )
        return f"{head} at ratio {show(self.ratio)}; {where}"

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the sentence, then every output with what its tests show."""
        yield "no better", self.explain()
        for proof in self.proofs:
            situation = proof.situation
            known = "" if situation.side == NOTHING else f", knowing {plain_label(situation.side)}"
            yield (
                f"output {plain_label(self.scene.outputs[situation.output])}{known}",
                f"probability {show(situation.chance)}, inner delta at least "
                f"{show(proof.bound, side='down')}",
            )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "ratio": to_json(self.ratio),
            "delta": to_json(self.delta),
            "exact": self.exact,
            "lower": to_json(self.lower, side="down"),
            "upper": to_json(self.upper),
            "outside": self.outside,
            "sentence": self.explain(),
            "simulator": self.simulator.to_dict(self.scene),
            "proofs": [self._proof(proof) for proof in self.proofs],
        }

    def _proof(self, proof: InnerProof) -> dict[str, Any]:
        situation = proof.situation
        cells = self.scene.cells
        return {
            "output": plain_label(self.scene.outputs[situation.output]),
            "belief": situation.belief,
            "side": plain_label(situation.side),
            "probability": to_json(situation.chance),
            "bound": to_json(proof.bound, side="down"),
            "tests": [
                {
                    "whose": cells[situation.views[test.view].cell].scrub.name,
                    "favours": test.favours,
                    "event": [plain_label(v) for v in test.event],
                    "weight": to_json(test.weight),
                }
                for test in proof.tests
            ],
        }


def inference_optimum(scene: Scene, ratio: object) -> InferenceOptimum:
    """Return the least inference-based delta of all simulators, and a simulator that has it.

    Raises:
        InvalidInput: when the ratio is below 1 or infinite.
        Unsupported: when a probability is irrational.

    >>> from twoworlds.definitions.coupled.scene import scene
    >>> from twoworlds.worlds.belief import uniform
    >>> from twoworlds.worlds.joint import BeliefClass, Joint
    >>> from twoworlds.worlds.scrubbing import persons
    >>> from twoworlds.worlds.words import BitStrings
    >>> parity = Joint.of(uniform(BitStrings(2)), lambda x: sum(x) % 2)
    >>> known = BeliefClass((parity,), "the bits are fair coins, and their parity is known")
    >>> inference_optimum(scene("parity(bits=2)", known, persons(2)), 1).delta
    Fraction(0, 1)
    """
    a = ratio_at_least_one(ratio)
    if a == INFINITY:
        raise InvalidInput("ratio=infinity allows every inference: give a finite ratio")
    everywhere = situations(scene)
    low, high = bounds(a, _BITS)
    low = max(low, ONE)
    proofs = tuple(_proofs(everywhere, high))
    bound = {proof.situation[:3]: proof.bound for proof in proofs}
    lower = _least((s, bound.get(s[:3], ZERO)) for s in everywhere)
    simulator, outside, upper = _best(scene, everywhere, low, lower)
    if lower > upper:
        raise TwoWorldsError("a simulator is better than proved possible: please report this")
    delta: Number = upper if lower == upper else Real.between(lower, upper)
    return InferenceOptimum(scene, a, delta, lower, upper, simulator, outside, proofs, low)


def situations(scene: Scene) -> list[Situation]:
    """Return every output with every belief and side information under which it can occur."""
    outputs = {t: number for number, t in enumerate(scene.outputs)}
    inputs = {y: number for number, y in enumerate(scene.inputs)}
    views: dict[tuple[int, int, Hashable], list[View]] = {}
    chance: dict[tuple[int, int, Hashable], Fraction] = {}
    for number, cell in enumerate(scene.cells):
        ideal = {
            v: {inputs[y]: _fraction(p) for y, p in row.items()} for v, row in cell.ideal.items()
        }
        by_output: dict[int, dict[Hashable, Fraction]] = {}
        for v, row in cell.real.items():
            for t, p in row.items():
                by_output.setdefault(outputs[t], {})[v] = _fraction(p)
        for t, joint in by_output.items():
            total = sum(joint.values(), start=ZERO)
            key = (t, cell.belief, cell.side)
            chance[key] = total * _fraction(cell.weight)
            posterior = {v: p / total for v, p in joint.items()}
            views.setdefault(key, []).append(View(number, posterior, ideal))
    return [Situation(*key, chance[key], tuple(views[key])) for key in views]


def _fraction(p: Number) -> Fraction:
    if isinstance(p, Fraction):
        return p
    raise Unsupported(
        f"a probability of {show(p)} is irrational: the best simulator for inferences is found for "
        "rational probabilities; give fractions"
    )


def _proofs(everywhere: Sequence[Situation], ratio: Fraction) -> Iterator[InnerProof]:
    for situation in everywhere:
        found = least_inner(situation.views, ratio)
        if found.lower > 0:
            yield InnerProof(situation, ratio, found.lower, found.tests)


def _least(levels: Iterable[tuple[Situation, Fraction]]) -> Fraction:
    """Return min over c of max(c, the largest probability, over beliefs, of inner delta > c)."""
    listed = list(levels)
    best = ONE
    for c in sorted({ZERO, *(level for _, level in listed if level <= 1)}):
        best = min(best, max(c, _failing(listed, c)))
    return best


def _failing(listed: Sequence[tuple[Situation, Fraction]], c: Fraction) -> Fraction:
    failing: dict[int, Fraction] = {}
    for situation, level in listed:
        if level > c:
            failing[situation.belief] = failing.get(situation.belief, ZERO) + situation.chance
    return max(failing.values(), default=ZERO)


def _attained(
    everywhere: Sequence[Situation], columns: Mapping[int, Sigma], ratio: Fraction
) -> Fraction:
    """Return the inference-based delta of a simulator, given by its columns."""
    return _least(
        (s, max(inner(view, columns.get(s.output, {}), ratio) for view in s.views))
        for s in everywhere
    )


# --- an explicit simulator ------------------------------------------------------------------------


def _best(
    scene: Scene, everywhere: Sequence[Situation], ratio: Fraction, lower: Fraction
) -> tuple[Simulator, bool, Fraction]:
    """Return the best simulator found, whether it leaves the range, and its delta."""
    by_output: dict[int, list[Situation]] = {}
    for situation in everywhere:
        by_output.setdefault(situation.output, []).append(situation)
    together = {t: _joint(some, ratio) for t, some in by_output.items()}
    columns = {t: column.sigma for t, column in together.items()}
    upper = _attained(everywhere, columns, ratio)
    if upper > lower:
        chosen = {
            t: together[t].sigma if together[t].upper <= lower else _greedy(some, ratio, lower)
            for t, some in by_output.items()
        }
        if (found := _attained(everywhere, chosen, ratio)) < upper:
            columns, upper = chosen, found
    good = [
        (s.output, s.views)
        for s in everywhere
        if max(inner(view, columns[s.output], ratio) for view in s.views) <= upper
    ]
    inside = within_range(good, len(scene.outputs), len(scene.inputs), ratio, upper)
    if inside is not None and _attained(everywhere, inside, ratio) <= upper:
        upper = _attained(everywhere, inside, ratio)
        return _simulator(scene, inside), False, upper
    return _simulator(scene, columns), True, upper


def _joint(some: Sequence[Situation], ratio: Fraction) -> Column:
    return least_inner([view for situation in some for view in situation.views], ratio)


def _greedy(some: Sequence[Situation], ratio: Fraction, level: Fraction) -> Sigma:
    """Return a column for as many situations as go together at a level, the likeliest first."""
    kept: list[Situation] = []
    best: Sigma = {}
    for situation in sorted(some, key=lambda s: -s.chance):
        found = _joint([*kept, situation], ratio)
        if found.upper <= level:
            kept.append(situation)
            best = found.sigma
    return best


def _simulator(scene: Scene, columns: Mapping[int, Sigma]) -> Simulator:
    """Scale columns so that no law exceeds 1, and send what remains outside the range."""
    used = [sum((c.get(y, ZERO) for c in columns.values()), start=ZERO) for y in _places(scene)]
    scale = 1 / max(used)
    laws: dict[Hashable, dict[Hashable, Number]] = {}
    for y, total in zip(_places(scene), used, strict=True):
        law: dict[Hashable, Number] = {
            scene.outputs[t]: scale * column[y] for t, column in columns.items() if column.get(y)
        }
        if scale * total < 1:
            law[OUTSIDE] = 1 - scale * total
        laws[scene.inputs[y]] = law
    return Simulator.table(laws, "is the best there is for inferences, found by linear programs")


def _places(scene: Scene) -> range:
    return range(len(scene.inputs))


def _columns(scene: Scene, simulator: Simulator) -> dict[int, Sigma]:
    outputs = {t: number for number, t in enumerate(scene.outputs)}
    columns: dict[int, dict[int, Fraction]] = {}
    for place, y in enumerate(scene.inputs):
        for t, p in simulator(y).items():
            if t in outputs:
                columns.setdefault(outputs[t], {})[place] = _fraction(p)
    return dict(columns)
