r"""Independent records, each treated on its own: posteriors that are never written out.

If the records are independent under a belief, b(x) = b_1(x_1) ... b_n(x_n), and the mechanism
passes each record through its own transition, then every posterior is again a product:

    b_0(x | t) = prod_j b_j(x_j | t_j),     b_i(x | t) = the same with b_i(x_i) itself for record i,

since without person i the i-th output says nothing of them. Both games differ in one factor:

    SD(b_0(. | t), b_i(. | t)) = SD(b_i(. | t_i), b_i),

a number that depends on t_i alone (1 where the default value cannot lead to t_i), and the outputs
t_1, ..., t_n are independent of each other. Forty records cost forty times as much as one.

Of people who are alike, b(x) = sum_c w_c prod_j p_c(x_j), counts of outputs are enough (`OnEach`).
A(x) and A(x_-i) still differ in the factor of t_i alone, so that b_0 and b_i differ as the laws of
x_i under them do:

    b_i(v | t) = sum_c W_c p_c(v),  W_c ~ w_c prod_(j != i) P_c(t_j),
    b_0(v | t) ~ T(t_i | v) b_i(v | t).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb, prod
from typing import Any

from flint import arb

from twoworlds.definitions.semantics.counts import Conclusion, Failure, Reader, above_zero, lifted
from twoworlds.errors import TooLarge
from twoworlds.mechanisms import PerRecord
from twoworlds.numbers import Number, Real, at_most_one, ball, working_precision
from twoworlds.worlds import Point
from twoworlds.worlds.belief import Belief, Law, law_difference, records_of

_MOST_COUNTS = 1 << 15


def observed(mechanism: PerRecord, belief: Belief, output: tuple[Point, ...]) -> Belief | None:
    """Return the posterior of independent records, or None if the output is impossible."""
    laws: list[Law] = []
    for law, o in zip(belief.laws or (), output, strict=True):
        posterior, _ = _posterior(mechanism, law, o)
        if posterior is None:
            return None
        laws.append({v: p for v, p in posterior.items() if p != 0})
    return Belief.of_records(mechanism.universe, [(Fraction(1), laws)])


def reactions(mechanism: PerRecord, law: Law, default: Point) -> list[tuple[Number, Number, Point]]:
    """Return how far every possible output of a record of this law moves it, and how likely."""
    likelihood = mechanism.transition.probability
    found = []
    for o in mechanism.transition.outputs:
        posterior, mass = _posterior(mechanism, law, o)
        if posterior is not None:
            gap = Fraction(1) if likelihood(o, default) == 0 else law_difference(posterior, law)
            found.append((gap, mass, o))
    return found


def _posterior(mechanism: PerRecord, law: Law, output: Point) -> tuple[Law | None, Number]:
    """Return the posterior of one record by Bayes' rule, and the probability of its output."""
    likelihood = mechanism.transition.probability
    joint = {v: likelihood(output, v) * p for v, p in law.items()}
    mass = sum(joint.values(), start=Fraction(0))
    if mass == 0:
        return None, mass
    return {v: at_most_one(p / mass) for v, p in joint.items()}, mass


class OnEach:
    """A belief about people who are alike, every record treated on its own."""

    def __init__(self, mechanism: PerRecord, belief: Belief, default: Point) -> None:
        self.default, self.records = default, records_of(belief.universe)
        self.laws = belief.common_laws or ()
        self.outputs: list[Point] = list(mechanism.transition.outputs)
        self.likely = mechanism.transition.probability
        self.exact = belief.short and all(
            isinstance(self.likely(o, v), Fraction)
            for o in self.outputs
            for v in self.records.values
        )

    def conclude(self, output: tuple[Point, ...]) -> list[Conclusion]:
        """Return what is concluded about a person, for each output that somebody has."""
        counts = {o: output.count(o) for o in self.outputs}
        found = (
            lifted(self._about(counts, o), exact=self.exact) for o in self.outputs if counts[o]
        )
        return [one for one in found if one is not None]

    def _about(
        self, counts: Mapping[Point, int], output: Point
    ) -> Callable[[Reader], Conclusion | None]:
        return lambda read: self._given(read)(counts)[1].get(output)

    def _given(
        self, read: Reader
    ) -> Callable[[Mapping[Point, int]], tuple[Any, dict[Point, Conclusion]]]:
        """Return the function from counts of outputs to their probability and conclusions."""
        zero, one = read(Fraction(0)), read(Fraction(1))
        values, n = self.records.values, self.records.n
        table = {(o, v): read(self.likely(o, v)) for o in self.outputs for v in values}
        laws = [(read(w), {v: read(p) for v, p in law.items()}) for w, law in self.laws]
        chances = [
            {o: sum((law[v] * table[o, v] for v in values), start=zero) for o in self.outputs}
            for _, law in laws
        ]
        powers: list[dict[Point, list[Any]]] = []
        for chance in chances:
            grown = {o: [one] for o in self.outputs}
            for o, listed in grown.items():
                for _ in range(n):
                    listed.append(listed[-1] * chance[o])
            powers.append(grown)

        def weigh(counts: Mapping[Point, int], missing: Point | None) -> list[Any]:
            """Return the weight of every part given the outputs of all persons, or all but one."""
            return [
                w * prod((grown[o][k - (o == missing)] for o, k in counts.items()), start=one)
                for (w, _), grown in zip(laws, powers, strict=True)
            ]

        def given(counts: Mapping[Point, int]) -> tuple[Any, dict[Point, Conclusion]]:
            chance = sum(weigh(counts, None), start=zero)
            found: dict[Point, Conclusion] = {}
            if chance == 0:
                return chance, found
            for o, people in counts.items():
                if people:
                    weights = weigh(counts, o)
                    total = sum(weights, start=zero)
                    removed = {
                        v: sum(
                            (w * law[v] for w, (_, law) in zip(weights, laws, strict=True)),
                            start=zero,
                        )
                        / total
                        for v in values
                    }
                    share = sum((removed[v] * table[o, v] for v in values), start=zero)
                    real = {v: removed[v] * table[o, v] / share for v in values}
                    gap = sum((above_zero(real[v] - removed[v]) for v in values), start=zero)
                    if self.likely(o, self.default) == 0:
                        found[o] = Conclusion(o, people, real, None, one, None)
                    else:
                        found[o] = Conclusion(o, people, real, removed, gap, None)
            return chance, found

        return given

    def failure(self, epsilon: Number) -> Failure:
        """Return the probability of an output after which the two games differ by more."""
        n, kinds = self.records.n, len(self.outputs)
        if comb(n + kinds - 1, kinds - 1) > _MOST_COUNTS:
            raise TooLarge(
                f"{n} people can give their {kinds} outputs in too many counts: use fewer people"
            )
        if self.exact:
            mass, counts = self._added(lambda value: value, epsilon)
        else:
            counts = self._enclosed(epsilon, 0)[1]
            mass = at_most_one(Real(lambda bits: self._enclosed(epsilon, bits)[0]))
        return Failure(mass, tuple(o for o, times in counts.items() for _ in range(times)))

    def _enclosed(self, epsilon: Number, bits: int) -> tuple[arb, dict[Point, int]]:
        with working_precision(bits + 64):
            return self._added(lambda value: ball(value, bits + 64), epsilon)

    def _added(self, read: Reader, epsilon: Number) -> tuple[Any, dict[Point, int]]:
        """Add up the counts that are breaches, and find the furthest; the undecided is doubt."""
        given, limit = self._given(read), read(epsilon)
        total, unknown = read(Fraction(0)), read(Fraction(0))
        furthest, worst = {self.outputs[0]: self.records.n}, -1.0
        for counts, ways in _compositions(self.outputs, self.records.n):
            chance, found = given(counts)
            gaps = [one.difference for one in found.values()]
            if (most := max(map(float, gaps), default=-1.0)) > worst:
                furthest, worst = counts, most
            if any(gap > limit for gap in gaps):
                total += chance * int(ways)
            elif not all(gap <= limit for gap in gaps):
                unknown += chance * int(ways)
        if isinstance(total, Fraction):
            return total, furthest
        half = unknown / 2
        return total + half + arb(0, half.abs_upper()), furthest


def _compositions(outputs: Sequence[Point], n: int) -> Iterator[tuple[dict[Point, int], int]]:
    """Yield the counts of outputs that n people can have, and in how many orders each."""
    if len(outputs) == 1:
        yield {outputs[0]: n}, 1
        return
    ways = 1
    for k in range(n + 1):
        for rest, orders in _compositions(outputs[1:], n - k):
            yield {outputs[0]: k, **rest}, ways * orders
        ways = ways * (n - k) // (k + 1)
