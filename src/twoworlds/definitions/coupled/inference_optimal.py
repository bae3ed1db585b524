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
column has to serve all of them, and which to give up is a question of combinations (`_choice`).
Sets of situations (t, belief, z) that do not go together are collected until the sets chosen do:
then the answer is exact, up to an enclosure where a least inner delta is irrational. If that takes
too long, what is known so far is returned as a lower and an upper bound, and says so.

Whether the best simulator can do without the outside symbol is tried by one more program
(`InferenceOptimum.outside`): if not, ``lower`` holds for simulators within the range, too, and
``upper`` is not claimed for them.

Which situations to give up, when one column of a simulator has to serve several.

A *situation* is an output with a belief and side information. For every output one set of them is
served together; the others are bad. If belief D gives the bad ones the probability b_D, and no
served set has an inner delta above c, the simulator has delta max(c, max_D b_D). What is known of
sets are conflicts: sets that cannot be served together with less than a bound (and so no larger
set can). `cheapest` finds the least delta that the known conflicts allow, which is a lower bound of
the true one, and the sets that would attain it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from twoworlds.definitions.coupled._column import (
    InnerTest,
    Sigma,
    Situation,
    attained,
    fraction,
    inner,
    least,
    least_inner,
    lower_bound,
    situations,
    within_range,
)
from twoworlds.definitions.coupled._optimum import OfSimulator, encloses
from twoworlds.definitions.coupled.scene import Scene, Simulator
from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.numbers import INFINITY, Number, Real, bounds, ratio_at_least_one, show, to_json
from twoworlds.worlds.joint import NOTHING, plain_label

_MOST_STEPS = 20_000

Masses = Mapping[int, Mapping[int, tuple[int, Fraction]]]
"""By output and situation: the belief, and the probability it gives to the situation."""

Served = dict[int, frozenset[int]]


class Conflict(NamedTuple):
    """Situations of one output that cannot be served together below a bound."""

    output: int
    situations: frozenset[int]
    bound: Fraction


class _TooMany(Exception):
    """The search was given up."""


def cheapest(masses: Masses, conflicts: Sequence[Conflict]) -> tuple[Fraction, Served] | None:
    """Return the least delta that the conflicts allow, and the sets served; None if too hard.

    >>> some = {0: {0: (0, Fraction(1, 4)), 1: (0, Fraction(3, 4))}}
    >>> both = Conflict(0, frozenset({0, 1}), Fraction(1, 2))
    >>> cheapest(some, [both])
    (Fraction(1, 4), {0: frozenset({1})})
    """
    steps = _Steps()
    best: tuple[Fraction, Served] = ONE, {t: frozenset() for t in masses}
    try:
        for c in sorted({ZERO, *(conflict.bound for conflict in conflicts)}):
            if c >= best[0]:
                break
            options = [
                (t, list(_maximal(frozenset(masses[t]), _active(conflicts, t, c), steps)))
                for t in masses
            ]
            found = _least_bad(masses, options, best[0], steps)
            if found is not None and max(c, found[0]) < best[0]:
                best = max(c, found[0]), found[1]
    except _TooMany:
        return None
    return best


class _Steps:
    def __init__(self) -> None:
        self.left = _MOST_STEPS

    def take(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise _TooMany


def _active(conflicts: Sequence[Conflict], output: int, c: Fraction) -> list[frozenset[int]]:
    return [x.situations for x in conflicts if x.output == output and x.bound > c]


def _maximal(
    whole: frozenset[int], conflicts: Sequence[frozenset[int]], steps: _Steps
) -> Iterator[frozenset[int]]:
    """Yield sets without any conflict, among them all maximal ones."""
    seen: set[frozenset[int]] = set()
    waiting = [whole]
    while waiting:
        some = waiting.pop()
        if some in seen:
            continue
        seen.add(some)
        steps.take()
        broken = next((conflict for conflict in conflicts if conflict <= some), None)
        if broken is None:
            yield some
        else:
            waiting += [some - {s} for s in sorted(broken)]


def _least_bad(
    masses: Masses,
    options: Sequence[tuple[int, Sequence[frozenset[int]]]],
    below: Fraction,
    steps: _Steps,
) -> tuple[Fraction, Served] | None:
    """Choose a set for every output so that the worst belief's bad probability is least."""
    best: tuple[Fraction, Served] | None = None
    waiting: list[tuple[int, dict[int, Fraction], Served]] = [(0, {}, {})]
    while waiting:
        depth, bad, served = waiting.pop()
        steps.take()
        worst = max(bad.values(), default=ZERO)
        if worst >= (below if best is None else best[0]):
            continue
        if depth == len(options):
            best = worst, served
            continue
        t, sets = options[depth]
        for some in sorted(sets, key=lambda kept: (len(kept), sorted(kept))):
            total = dict(bad)
            for s, (belief, p) in masses[t].items():
                if s not in some:
                    total[belief] = total.get(belief, ZERO) + p
            waiting.append((depth + 1, total, {**served, t: some}))
    return best


ZERO, ONE = Fraction(0), Fraction(1)
_BITS = 128
_MOST_ROUNDS = 40
OUTSIDE = "(outside the range)"
"""The symbol on which a simulator wastes what it does not need."""


@dataclass(frozen=True)
class InnerProof:
    """Tests of posteriors that no column of a simulator withstands better than ``bound``."""

    situations: tuple[int, ...]
    ratio: Fraction
    bound: Fraction
    tests: tuple[InnerTest, ...]

    def verify(self, everywhere: Sequence[Situation]) -> bool:
        """Add up the tests again, from the situations of a scene alone."""
        some = [everywhere[number] for number in self.situations]
        views = [view for situation in some for view in situation.views]
        return (
            len({situation.output for situation in some}) == 1
            and all(test.weight >= 0 and 0 <= test.view < len(views) for test in self.tests)
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
        proofs: the tests behind ``lower``: which situations are bad, alone or together.
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
            and encloses(self.at, self.ratio, bounds(self.ratio, _BITS)[1])
            and self.at >= 1
            and self.lower == _lower(everywhere, self.proofs)[0]
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

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the sentence, then every output with what its tests show."""
        yield "no better", self.sentence
        for proof in self.proofs:
            some = [self._everywhere[number] for number in proof.situations]
            names = " and ".join(self._name(situation) for situation in some)
            chance = ", ".join(show(situation.chance) for situation in some)
            yield names, f"probability {chance}; inner delta at least {_down(proof.bound)}"

    def _name(self, situation: Situation) -> str:
        known = "" if situation.side == NOTHING else f", knowing {plain_label(situation.side)}"
        many = len(self.scene.beliefs) > 1
        held = f", belief {situation.belief + 1}" if many else ""
        return f"output {plain_label(self.scene.outputs[situation.output])}{known}{held}"

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
        some = [self._everywhere[number] for number in proof.situations]
        views = [view for situation in some for view in situation.views]
        return {
            "output": plain_label(self.scene.outputs[some[0].output]),
            "situations": [
                {
                    "belief": situation.belief,
                    "side": plain_label(situation.side),
                    "probability": to_json(situation.chance),
                }
                for situation in some
            ],
            "bound": to_json(proof.bound, side="down"),
            "tests": [
                {
                    "whose": self.scene.cells[views[test.view].cell].scrub.name,
                    "favours": test.favours,
                    "event": [plain_label(v) for v in test.event],
                    "weight": to_json(test.weight),
                }
                for test in proof.tests
            ],
        }


def _down(value: Fraction) -> str:
    return show(value, side="down")


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
    low, high = bounds(a, _BITS)
    low = max(low, ONE)
    lower, proofs, columns = _search(everywhere, low, high)
    simulator, outside, upper = _best(scene, everywhere, low, columns)
    if lower > upper:
        raise TwoWorldsError("a simulator is better than proved possible: please report this")
    delta: Number = upper if lower == upper else Real.between(lower, upper)
    return InferenceOptimum(scene, a, delta, lower, upper, simulator, outside, proofs, low)


def _search(
    everywhere: Sequence[Situation], low: Fraction, high: Fraction
) -> tuple[Fraction, tuple[InnerProof, ...], dict[int, Sigma]]:
    """Collect conflicts until the sets served are free of them; return the best columns met."""
    proofs: list[InnerProof] = []
    sets: set[tuple[int, ...]] = {(number,) for number in range(len(everywhere))}
    by_output: dict[int, list[int]] = {}
    for number, situation in enumerate(everywhere):
        by_output.setdefault(situation.output, []).append(number)
    sets.update(tuple(numbers) for numbers in by_output.values())
    known: dict[tuple[int, ...], Sigma] = {}
    for _ in range(_MOST_ROUNDS):
        for some in sorted(sets - known.keys()):
            known[some], proof = _together(everywhere, some, low, high)
            proofs += [proof] if proof.bound > 0 else []
        lower, served = _lower(everywhere, proofs)
        if served is None:
            served = {t: frozenset(numbers) for t, numbers in by_output.items()}
        sets = {tuple(sorted(some)) for some in served.values() if some}
        if sets <= known.keys():
            trial = {everywhere[some[0]].output: known[some] for some in sets}
            whole = {t: known[tuple(numbers)] for t, numbers in by_output.items()}
            columns = min(
                ({**whole, **trial}, whole), key=lambda some: attained(everywhere, some, low)
            )
            break
    else:
        columns = {t: known[tuple(numbers)] for t, numbers in by_output.items()}
    return lower, tuple(proofs), columns


def _together(
    everywhere: Sequence[Situation], some: tuple[int, ...], low: Fraction, high: Fraction
) -> tuple[Sigma, InnerProof]:
    """Return the best column of some situations at the lower ratio, and the proof at the higher."""
    views = [view for number in some for view in everywhere[number].views]
    below = least_inner(views, low)
    above = below if low == high else least_inner(views, high)
    return below.sigma, InnerProof(some, high, above.lower, above.tests)


def _lower(
    everywhere: Sequence[Situation], proofs: Sequence[InnerProof]
) -> tuple[Fraction, dict[int, frozenset[int]] | None]:
    """Return what the proofs show, and which sets they leave to be served."""
    masses: dict[int, dict[int, tuple[int, Fraction]]] = {}
    for number, situation in enumerate(everywhere):
        masses.setdefault(situation.output, {})[number] = (situation.belief, situation.chance)
    conflicts = [
        Conflict(everywhere[proof.situations[0]].output, frozenset(proof.situations), proof.bound)
        for proof in proofs
    ]
    found = cheapest(masses, conflicts)
    if found is not None:
        return found
    single = {proof.situations[0]: proof.bound for proof in proofs if len(proof.situations) == 1}
    return least((s, single.get(number, ZERO)) for number, s in enumerate(everywhere)), None


# --- an explicit simulator ------------------------------------------------------------------------


def _best(
    scene: Scene, everywhere: Sequence[Situation], ratio: Fraction, columns: Mapping[int, Sigma]
) -> tuple[Simulator, bool, Fraction]:
    """Return a simulator with these columns or better, whether it leaves the range, its delta."""
    upper = attained(everywhere, columns, ratio)
    good = [
        (s.output, s.views)
        for s in everywhere
        if max(inner(view, columns[s.output], ratio) for view in s.views) <= upper
    ]
    inside = within_range(good, len(scene.outputs), len(scene.inputs), ratio, upper)
    if inside is not None and (found := attained(everywhere, inside, ratio)) <= upper:
        columns, upper = inside, found
    simulator = _simulator(scene, columns)
    return simulator, _leaves_range(scene, simulator), upper


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


def _leaves_range(scene: Scene, simulator: Simulator) -> bool:
    possible = set(scene.outputs)
    return any(t not in possible for law in simulator.on(scene).values() for t in law)


def _places(scene: Scene) -> range:
    return range(len(scene.inputs))


def _columns(scene: Scene, simulator: Simulator) -> dict[int, Sigma]:
    outputs = {t: number for number, t in enumerate(scene.outputs)}
    columns: dict[int, dict[int, Fraction]] = {}
    for place, y in enumerate(scene.inputs):
        for t, p in simulator(y).items():
            if t in outputs:
                columns.setdefault(outputs[t], {})[place] = fraction(p)
    return dict(columns)
