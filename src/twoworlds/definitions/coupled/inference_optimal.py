r"""The best simulator for what can be inferred.

Definitions 2 and 4 of Bassily, Groce, Katz & Smith ask that with probability at least 1 - delta
over (t, z) = (F(X), Z), and for all pairs (alt, priv), the posterior of priv(X) given F(X) = t is
(epsilon, delta)-indistinguishable from the one given Sim(alt(X)) = t. An output that the simulator
never names has no ideal posterior and counts as bad; failure is strict (>).

Simulators may name a symbol outside the range of the release, so that what remains
of their probability is wasted there. Then the columns of different outputs are free of each other.
A *situation* is an output with a belief and side information; one column has to serve the
situations of its output, or some of them. For a set G of these let level(G) be the least inner
delta of all columns in all of G (`_column`). Whoever keeps within c serves, of each output, a set
of level at most c. So no simulator has less than

    min_c max ( c, max over beliefs of sum_t ( P(t) - max { P(G) : level(G) <= c } ) ),

and with one belief the columns of the largest such sets attain it. With several beliefs the sets
that are best for one need not be so for another: what is found then is an upper bound, and says so;
so it is for outputs of more than five situations, where sets are not tried one by one. Whether the
simulator can do without the outside symbol is tried by one more program
(`InferenceOptimum.outside`): if not, ``lower`` holds for simulators within the range, too, and
``upper`` is not claimed for them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

from twoworlds.definitions.coupled._column import (
    CellPosterior,
    Sigma,
    Tests,
    conditions,
    least_inner,
    look,
    lower_bound,
    worst_inner,
)
from twoworlds.definitions.coupled._program import Row, solved
from twoworlds.definitions.coupled.optimal import OfSimulator, encloses
from twoworlds.definitions.coupled.posteriors import least_delta
from twoworlds.definitions.coupled.scene import Scene, Simulator
from twoworlds.errors import InvalidInput, TwoWorldsError, Unsupported
from twoworlds.numbers import INFINITY, Number, Real, bounds, ratio_at_least_one, show, to_json
from twoworlds.programs import Rational
from twoworlds.progress import track
from twoworlds.worlds.joint import NOTHING, plain_label

ZERO, ONE = Fraction(0), Fraction(1)
OUTSIDE = "(outside the range)"
"""The symbol on which a simulator wastes what it does not need."""
_RATIO_BITS = 128
_MOST_ENTRIES = 1 << 16
_MOST_TOGETHER = 5


class Situation(NamedTuple):
    """An output with a belief and side information: how likely it is, and who looks at it."""

    output: int
    belief: int
    side: Hashable
    chance: Fraction
    views: tuple[CellPosterior, ...]


class InnerProof(NamedTuple):
    """Tests of posteriors that no column withstands better than ``bound`` in some situations."""

    situations: tuple[int, ...]
    ratio: Fraction
    bound: Fraction
    tests: Tests

    def verify(self, everywhere: Sequence[Situation]) -> bool:
        """Add up the tests again, from the situations of a scene alone."""
        views = _views(everywhere, self.situations)
        return (
            len({everywhere[number].output for number in self.situations}) == 1
            and all(test.weight >= 0 and 0 <= test.comparison < len(views) for test in self.tests)
            and lower_bound(views, self.tests, self.ratio) == self.bound
        )


@dataclass(frozen=True)
class InferenceOptimum(OfSimulator):
    """The least inference-based delta of all simulators at a ratio.

    Attributes:
        scene: the two worlds.
        ratio: a = e^epsilon.
        delta: the least delta: a fraction where it is exact, else an enclosure.
        lower: no simulator has less.
        upper: the simulator has no more.
        simulator: one that attains ``upper``.
        outside: whether it names a symbol outside the range of the release.
        proofs: the tests behind ``lower``: which situations are bad.
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
        """What is proved of each output: the largest bound on its inner delta in one situation."""
        found: dict[Hashable, Fraction] = {}
        for proof in self.proofs:
            if len(proof.situations) == 1:
                t = self.scene.outputs[self._everywhere[proof.situations[0]].output]
                found[t] = max(found.get(t, ZERO), proof.bound)
        return found

    @cached_property
    def _everywhere(self) -> list[Situation]:
        return situations(self.scene)

    def verify(self) -> bool:
        """Evaluate the simulator and add up the tests again, from the scene alone."""
        everywhere = situations(self.scene)
        columns = _columns(self.scene, self.simulator)
        return (
            all(proof.verify(everywhere) for proof in self.proofs)
            and all(encloses(self.at, self.ratio, proof.ratio) for proof in self.proofs)
            and encloses(self.at, self.ratio, bounds(self.ratio, _RATIO_BITS)[1])
            and self.at >= 1
            and self.lower == _lower(everywhere, self.proofs)
            and self.upper == attained(everywhere, columns, self.at)
            and encloses(self.lower, self.delta, self.upper)
            and self.outside == _leaves_range(self.scene, self.simulator)
        )

    @property
    def sentence(self) -> str:
        """What is reached, whether more is known, and where the simulator leaves the range."""
        head = f"the best simulator has inference-based delta {show(self.delta)}"
        if not self.exact:
            low, high = show(self.lower, side="down"), show(self.upper, side="up")
            head = f"the best simulator has inference-based delta between {low} and {high}"
        where = (
            "simulators may name a symbol outside the range of the release, and this one does"
            if self.outside
            else "it stays within the range of the release, though others were allowed to leave it"
        )
        return f"{head} at ratio {show(self.ratio)}; {where}"

    def tested(self) -> Iterator[tuple[str, str]]:
        """Yield every output with what its tests show."""
        for proof in self.proofs:
            here = [self._everywhere[number] for number in proof.situations]
            known = sorted({plain_label(one.side) for one in here if one.side != NOTHING})
            beliefs = sorted({one.belief + 1 for one in here})
            told = f", knowing {' or '.join(known)}" if known else ""
            held = (
                f", belief {' or '.join(map(str, beliefs))}" if len(self.scene.beliefs) > 1 else ""
            )
            output = plain_label(self.scene.outputs[here[0].output])
            least = show(proof.bound, side="down")
            chance = " and ".join(show(one.chance) for one in here)
            said = f"probability {chance}; inner delta at least {least}"
            yield f"output {output}{told}{held}", said

    def fields(self) -> dict[str, Any]:
        """Return everything."""
        return {
            "ratio": self.ratio,
            "delta": self.delta,
            "exact": self.exact,
            "lower": to_json(self.lower, side="down"),
            "upper": self.upper,
            "outside": self.outside,
            "sentence": self.sentence,
            "simulator": self.simulator.to_dict(self.scene),
            "proofs": [self._proof(proof) for proof in self.proofs],
        }

    def _proof(self, proof: InnerProof) -> dict[str, Any]:
        here = [self._everywhere[number] for number in proof.situations]
        views = _views(self._everywhere, proof.situations)
        return {
            "output": plain_label(self.scene.outputs[here[0].output]),
            "situations": [
                {
                    "belief": one.belief,
                    "side": plain_label(one.side),
                    "probability": to_json(one.chance),
                }
                for one in here
            ],
            "bound": to_json(proof.bound, side="down"),
            "tests": [
                {
                    "whose": self.scene.cells[views[test.comparison].cell].scrub.name,
                    "favours": test.favours,
                    "event": [plain_label(v) for v in test.event],
                    "weight": to_json(test.weight),
                }
                for test in proof.tests
            ],
        }


def inference_optimum(scene: Scene, ratio: object) -> InferenceOptimum:
    """Return the least inference-based delta of all simulators, and a simulator that has it.

    >>> from twoworlds.definitions.coupled.scene import scene
    >>> from twoworlds.worlds.belief import uniform
    >>> from twoworlds.worlds.joint import BeliefClass, Joint
    >>> from twoworlds.worlds.scrubbing import persons
    >>> from twoworlds.worlds.records import BitStrings
    >>> parity = Joint.of(uniform(BitStrings(2)), lambda x: sum(x) % 2)
    >>> known = BeliefClass((parity,), "the bits are fair coins, and their parity is known")
    >>> inference_optimum(scene("parity(bits=2)", known, persons(2)), 1).delta
    Fraction(0, 1)
    """
    a = ratio_at_least_one(ratio)
    if a == INFINITY:
        raise InvalidInput("ratio=infinity allows every inference: give a finite ratio")
    everywhere = situations(scene)
    low, high = bounds(a, _RATIO_BITS)
    low = max(low, ONE)
    proofs: list[InnerProof] = []
    tried: dict[Group, tuple[Fraction, Sigma]] = {}
    outputs = _by_output(everywhere)
    for numbers in track(outputs.values(), "looking at each output", len(outputs)):
        proofs += _tried(everywhere, numbers, low, high, tried)
    columns = _chosen(everywhere, tried, low)
    lower = _lower(everywhere, proofs)
    simulator, outside, upper = _best(scene, everywhere, low, columns)
    if lower > upper:
        raise TwoWorldsError("a simulator is better than proved possible: please report this")
    delta: Number = upper if lower == upper else Real.between(lower, upper)
    return InferenceOptimum(scene, a, delta, lower, upper, simulator, outside, tuple(proofs), low)


Group = tuple[int, ...]
"""Situations of one output, by number."""


def _by_output(everywhere: Sequence[Situation]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for number, situation in enumerate(everywhere):
        found.setdefault(situation.output, []).append(number)
    return found


def _groups(numbers: Sequence[int]) -> Iterator[Group]:
    """Yield all sets of situations; of too many, each alone and all together."""
    sizes = range(1, len(numbers) + 1) if len(numbers) <= _MOST_TOGETHER else (1, len(numbers))
    for size in sizes:
        yield from combinations(numbers, size)


def _tried(
    everywhere: Sequence[Situation],
    numbers: Sequence[int],
    low: Fraction,
    high: Fraction,
    tried: dict[Group, tuple[Fraction, Sigma]],
) -> list[InnerProof]:
    """Find levels and columns of all sets of an output; return the proofs that say more."""
    proofs: list[InnerProof] = []
    for group in _groups(numbers):
        views = _views(everywhere, group)
        bound, level, column, tests = least_inner(views, low)
        tried[group] = level, column
        if low < high:
            bound, _, _, tests = least_inner(views, high)
        known = (proof.bound for proof in proofs if {*proof.situations} <= {*group})
        if bound > max(known, default=ZERO):
            proofs.append(InnerProof(group, high, bound, tests))
    return proofs


def _views(everywhere: Sequence[Situation], group: Group) -> list[CellPosterior]:
    return [view for number in group for view in everywhere[number].views]


def _lower(everywhere: Sequence[Situation], proofs: Iterable[InnerProof]) -> Fraction:
    """Return what the proofs show."""
    return _least_served(everywhere, {proof.situations: proof.bound for proof in proofs})


def _least_served(everywhere: Sequence[Situation], levels: Mapping[Group, Fraction]) -> Fraction:
    """Return min_c max(c, what is not served), where sets are served from their levels on.

    A set is served no earlier than those in it; what is not named is served at 0.
    """
    cases: list[tuple[Situation, Fraction]] = []
    for numbers in _by_output(everywhere).values():
        if len(numbers) > _MOST_TOGETHER:
            cases += [(everywhere[k], levels.get((k,), ZERO)) for k in numbers]
            continue
        groups = [*_groups(numbers)]
        served = {g: max(levels.get(h, ZERO) for h in groups if {*h} <= {*g}) for g in groups}
        for belief in dict.fromkeys(everywhere[k].belief for k in numbers):
            done = ZERO
            for c in sorted({*served.values()}):
                most = max(_chance(everywhere, g, belief) for g in groups if served[g] <= c)
                if most > done:
                    one = everywhere[numbers[0]]
                    cases.append((one._replace(belief=belief, chance=most - done), c))
                    done = most
    return least(cases)


def _chance(everywhere: Sequence[Situation], group: Group, belief: int | None = None) -> Fraction:
    """Return the probability of a set of situations under a belief, or added up over them all."""
    chances = (
        everywhere[k].chance for k in group if belief is None or everywhere[k].belief == belief
    )
    return sum(chances, start=ZERO)


def _chosen(
    everywhere: Sequence[Situation], tried: Mapping[Group, tuple[Fraction, Sigma]], ratio: Fraction
) -> dict[int, Sigma]:
    """Return, for each output, the column of the likeliest set that is served early enough."""
    wanted = _least_served(everywhere, {group: level for group, (level, _) in tried.items()})
    found: list[dict[int, Sigma]] = [{}, {}, {}]
    for t, numbers in _by_output(everywhere).items():
        groups = [*_groups(numbers)]
        early = [g for g in groups if tried[g][0] <= wanted] or groups[:1]
        alone: list[Group] = [g for g in groups if len(g) == 1]
        for columns, some in zip(found, [early, alone, groups[-1:]], strict=True):
            likeliest = max((_chance(everywhere, group), group) for group in some)
            columns[t] = tried[likeliest[1]][1]
    return min(found, key=lambda columns: attained(everywhere, columns, ratio))


def _best(
    scene: Scene, everywhere: Sequence[Situation], ratio: Fraction, columns: Mapping[int, Sigma]
) -> tuple[Simulator, bool, Fraction]:
    """Return a simulator with these columns or better, whether it leaves the range, its delta."""
    upper = attained(everywhere, columns, ratio)
    good = [s for s in everywhere if worst_inner(s.views, columns[s.output], ratio) <= upper]
    inside = _within_range(good, len(scene.outputs), len(scene.inputs), ratio, upper)
    if inside is not None and (found := attained(everywhere, inside, ratio)) <= upper:
        columns, upper = inside, found
    simulator = _simulator(scene, columns)
    return simulator, _leaves_range(scene, simulator), upper


def _simulator(scene: Scene, columns: Mapping[int, Sigma]) -> Simulator:
    """Scale columns so that no law exceeds 1, and send what remains outside the range."""
    used = [
        sum((c.get(y, ZERO) for c in columns.values()), start=ZERO)
        for y in range(len(scene.inputs))
    ]
    scale = 1 / max(used)
    laws: dict[Hashable, dict[Hashable, Number]] = {}
    for y, total in zip(range(len(scene.inputs)), used, strict=True):
        law: dict[Hashable, Number] = {
            scene.outputs[t]: scale * column[y] for t, column in columns.items() if column.get(y)
        }
        if scale * total < 1:
            law[OUTSIDE] = 1 - scale * total
        laws[scene.inputs[y]] = law
    return Simulator.table(laws, "is the best there is for inferences, found by linear programs")


def _leaves_range(scene: Scene, simulator: Simulator) -> bool:
    possible = set(scene.outputs)
    return any(t not in possible for law in simulator.on(scene).values() for t in law)


def _columns(scene: Scene, simulator: Simulator) -> dict[int, Sigma]:
    outputs = {t: number for number, t in enumerate(scene.outputs)}
    columns: dict[int, dict[int, Fraction]] = {}
    for place, y in enumerate(scene.inputs):
        for t, p in simulator(y).items():
            if t in outputs:
                columns.setdefault(outputs[t], {})[place] = _fraction(p)
    return dict(columns)


def situations(scene: Scene) -> list[Situation]:
    """Return every output with every belief and side information under which it can occur."""
    outputs = {t: number for number, t in enumerate(scene.outputs)}
    inputs = {y: number for number, y in enumerate(scene.inputs)}
    views: dict[tuple[int, int, Hashable], list[CellPosterior]] = {}
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
            views.setdefault(key, []).append(CellPosterior(number, posterior, ideal))
    return [Situation(*key, chance[key], tuple(views[key])) for key in views]


def _fraction(p: Number) -> Fraction:
    if isinstance(p, Fraction):
        return p
    raise Unsupported(
        f"a probability of {show(p)} is irrational: the best simulator for inferences is found for "
        "rational probabilities; give fractions"
    )


def least(levels: Iterable[tuple[Situation, Fraction]]) -> Fraction:
    """Return min over c of max(c, the largest probability, over beliefs, of inner delta > c).

    These probabilities fall as c grows, so it is the largest of the beliefs' own numbers.
    """
    by_belief: dict[int, list[tuple[Number, Number]]] = {}
    for situation, level in levels:
        by_belief.setdefault(situation.belief, []).append((situation.chance, level))
    found = max(map(least_delta, by_belief.values()), default=ZERO)
    assert isinstance(found, Fraction)
    return found


def attained(
    everywhere: Sequence[Situation], columns: Mapping[int, Sigma], ratio: Fraction
) -> Fraction:
    """Return the inference-based delta of a simulator, given by its columns."""
    return least((s, worst_inner(s.views, columns.get(s.output, {}), ratio)) for s in everywhere)


def _within_range(
    served: Iterable[Situation], outputs: int, inputs: int, ratio: Fraction, level: Fraction
) -> dict[int, Sigma] | None:
    """Return columns that add up to 1 and keep all views of some situations within a level.

    Given which are served, at which inner delta, the conditions are linear in all columns together.
    The smallest probability with which an output that is served is named is made largest. None when
    there are none, or when the program would be too large to try.
    """
    wanted = {(s.output, look(view)): (s.output, view) for s in served for view in s.views}
    if sum(len(view.ideal) * len(view.total) for _, view in wanted.values()) > _MOST_ENTRIES:
        return None
    rows: list[Row] = [
        ({1 + y * outputs + t: ONE for t in range(outputs)}, ONE, ONE) for y in range(inputs)
    ]
    width = 1 + inputs * outputs
    for t, view in wanted.values():
        place = {y: 1 + y * outputs + t for y in view.total}
        total: dict[int, Rational] = {place[y]: q for y, q in view.total.items()}
        rows.append(({**total, 0: -ONE}, ZERO, None))
        budget: dict[int, Rational] = {place[y]: level * q for y, q in view.total.items()}
        for row, what in conditions(view, place, ratio, budget, width):
            rows.append(row)
            width += what is not None
    costs = [-ONE, *([ZERO] * (width - 1))]
    outcome = solved(costs, rows, most=[ONE, *([None] * (width - 1))])
    if outcome is None or outcome.value == 0:
        return None
    x = outcome.x
    return {
        t: {y: x[1 + y * outputs + t] for y in range(inputs) if x[1 + y * outputs + t] != 0}
        for t in range(outputs)
    }
