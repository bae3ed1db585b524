r"""Semantic privacy with a failure probability, over all beliefs: proved ends on both sides.

For a mechanism and a difference s the question is

    delta*(s) = sup over beliefs b of  P_t[max_i SD(b_0(. | t), b_i(. | t)) > s],   t ~ A(x), x ~ b

(Kasiviswanathan & Smith, Definition 2.3; an undefined posterior counts as a breach). No closed form
is known in general. The upper end is the least of several proved bounds, the lower end the failure
probability of one belief, which is shown and can be played again. Both are exact numbers, and they
meet: at 0 from the supremum of S1 on; for one record with two values, where the supremum is known;
and wherever the belief found reaches the bound.

Small mechanisms are tabulated. For the others (noise with infinitely many outputs, many records)
the upper end is S4 from the exact privacy profile, n delta(epsilon) (2 + e^epsilon) / tau with
tau = s - tanh(epsilon/2), optimised over epsilon; the lower end is a belief on two databases that
differ in one person or, where every record is treated on its own, such a belief about each person.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from twoworlds.definitions.semantics.beliefs import worst_found
from twoworlds.definitions.semantics.bounds import Bound, table_bounds
from twoworlds.definitions.semantics.games import default_value
from twoworlds.definitions.semantics.pair import (
    Masses,
    PairFailure,
    pair_failure,
    worst_half_lines,
)
from twoworlds.definitions.semantics.swing import worst_swing
from twoworlds.definitions.semantics.table import Likelihoods, few_people, tabulated
from twoworlds.definitions.semantics.witnesses import BeliefFailure, PairBelief, rational_cells
from twoworlds.definitions.verdict import Proof
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.mechanisms import Comparison, Mechanism, PerRecord, RandomIndex
from twoworlds.numbers import INFINITY, Number, Order, Real, bounds, compare, sqrt
from twoworlds.worlds import Records
from twoworlds.worlds.belief import Belief

__all__ = ["Ends", "Failure", "enclosure", "failure_probability"]

_RATIOS = 24
ONE_BIT = (
    "one record with two values: the failure of every belief w is known, and piecewise linear "
    "in w (twoworlds, S4 for one bit)"
)
PURE = "no belief sees a larger difference after any output (twoworlds, S1)"
PROFILE = (
    "n delta(epsilon) (2 + e^epsilon) / tau from the exact privacy profile, optimised over epsilon "
    "(twoworlds, S4, sharper than Kasiviswanathan & Smith, Theorem 2.4(1))"
)


@dataclass(frozen=True)
class Ends:
    """What is known of delta*(s): it lies between ``lower`` and ``upper``.

    Attributes:
        source: the bound that gave the upper end, with its citation.
        witness: the belief that gave the lower end; it may only come near an exact supremum.
    """

    epsilon: Number
    lower: Number
    upper: Number
    source: str
    witness: Proof | None

    @property
    def exact(self) -> bool:
        """Whether both ends meet."""
        return self.lower is self.upper or compare(self.lower, self.upper, limit=256) is Order.EQUAL

    @property
    def value(self) -> Number:
        """Return the failure probability: as an exact number, or as the enclosure it is."""
        return self.upper if self.exact else enclosure(self.lower, self.upper)


def enclosure(lower: Number, upper: Number) -> Real:
    """Return a number of which two ends are known."""
    low, high = bounds(lower)[0], bounds(upper)[1]
    found = Real.between(low, high)
    found.cap = high
    return found


def failure_probability(
    mechanism: Mechanism, epsilon: Number, *, default: object = None, records: int | None = None
) -> Ends:
    """Return both ends of the failure probability at one difference.

    ``records`` is needed where the universe is a bare answer, which does not say how many people
    there are.

    >>> from twoworlds import mechanism
    >>> survey = mechanism("randomized-response(bits=2, keep=3/4)")
    >>> found = failure_probability(survey, Fraction(1, 5))
    >>> found.lower, found.upper
    (Fraction(1, 1), Fraction(1, 1))
    """
    return Failure(mechanism, default, records).ends(epsilon)


class Failure:
    """The failure probability of one mechanism, for every difference."""

    def __init__(
        self, mechanism: Mechanism, default: object = None, records: int | None = None
    ) -> None:
        """Tabulate a small mechanism once."""
        self.mechanism, self.default = mechanism, default
        self.people = _people(mechanism, records)
        self.swing = self._largest_swing()
        self.pair = self._only_pair()
        self.table = None if self.pair is not None else tabulated(mechanism, default)

    def ends(self, epsilon: Number) -> Ends:
        """Return both ends at one difference."""
        if self.pure(epsilon):
            zero = Fraction(0)
            return Ends(epsilon, zero, zero, PURE, None)
        if self.pair is not None and isinstance(epsilon, Fraction):
            found = pair_failure(self.pair, epsilon, default=True)
            witness = self._pair_witness(epsilon, found)
            return Ends(epsilon, found.value, found.upper, ONE_BIT, witness)
        upper = self.upper(epsilon)
        lower, witness = self.lower(epsilon)
        return Ends(epsilon, lower, upper.value, upper.source, witness)

    def pure(self, epsilon: Number) -> bool:
        """Tell whether no belief ever sees a difference above epsilon."""
        if not epsilon < 1:
            return True
        if self.swing is None or self.swing == INFINITY:
            return False
        if self.supremum is epsilon or _same_formula(self.supremum, epsilon):
            return True
        limit = ((1 + epsilon) / (1 - epsilon)) ** 2
        return compare(self.swing, limit, limit=256) in (Order.LESS, Order.EQUAL)

    @cached_property
    def supremum(self) -> Number | None:
        """The largest difference that any belief can see, where it is known (S1)."""
        if self.swing is None or self.swing == INFINITY:
            return None
        root = sqrt(self.swing)
        return (root - 1) / (root + 1)

    def upper(self, epsilon: Number) -> Bound:
        """Return the least of the proved bounds, the simplest first where they agree."""
        if self.pure(epsilon):
            return Bound(Fraction(0), PURE)
        s = bounds(epsilon)[0]
        if self.pair is not None:
            return Bound(bounds(pair_failure(self.pair, s, default=True).upper)[1], ONE_BIT)
        found = self._from_profile(s) if self.table is None else table_bounds(self.table, s)
        return min(found, key=lambda bound: bound.value)

    def lower(self, epsilon: Number) -> tuple[Fraction, Proof | None]:
        """Return the failure probability of the worst belief found, and that belief."""
        if self.pure(epsilon):
            return Fraction(0), None
        s = bounds(epsilon)[1]
        if self.pair is not None:
            pair = pair_failure(self.pair, s, default=True)
            return pair.reached, self._pair_witness(s, pair)
        if self.table is not None:
            return self._lower_by_search(self.table, s)
        found = [self._lower_by_structure(s)]
        if found[0][0] < 1 and (few := few_people(self.mechanism, self.people)) is not None:
            table = tabulated(few, self.default)
            if table is not None:
                found.append(self._lower_by_search(table, s))
        return max(found, key=lambda one: one[0])

    def _lower_by_search(self, table: Likelihoods, s: Fraction) -> tuple[Fraction, Proof | None]:
        found = worst_found(table, s)
        if found.failure == 0:
            return found.failure, None
        masses = {table.databases[j]: mass for j, mass in found.masses.items()}
        belief = Belief(table.mechanism.universe, masses)
        folded = frozenset(table.outputs[t] for t in table.folded)
        witness = BeliefFailure(table.mechanism, belief, s, found.failure, self.default, folded)
        return found.failure, witness

    def _lower_by_structure(self, s: Fraction) -> tuple[Fraction, Proof | None]:
        if isinstance(self.mechanism, RandomIndex):
            return self._everyone_exposed(self.mechanism, s)
        best: PairBelief | None = None
        people = self.people if isinstance(self.mechanism, PerRecord) else 1
        for comparison in _comparisons(self.mechanism, s):
            cells = rational_cells(comparison)
            if cells is None:
                weight, reached = worst_half_lines(self.mechanism, comparison, s)
            else:
                found = pair_failure(cells, s, default=self._without_data(comparison))
                weight, reached = found.weight, found.reached
            failure = 1 - (1 - reached) ** people
            if reached and (best is None or failure > best.failure):
                default = cells is not None and self._without_data(comparison)
                best = PairBelief(self.mechanism, comparison, weight, s, failure, people, default)
        return (Fraction(0), None) if best is None else (best.failure, best)

    def _without_data(self, comparison: Comparison) -> bool:
        """Tell whether the second database is the first with a person left out."""
        if not isinstance(self.mechanism.universe, Records):
            return False
        d = default_value(self.mechanism.universe, self.default)
        pairs = zip(comparison.x, comparison.y, strict=True)
        return all(v == d for u, v in pairs if u != v)

    def _everyone_exposed(
        self, mechanism: RandomIndex, s: Fraction
    ) -> tuple[Fraction, Proof | None]:
        """Know that nobody has the default value: any record published is impossible without."""
        records, one = mechanism.universe, Fraction(1)
        d = default_value(records, self.default)
        other = next(v for v in records.values if v != d)
        belief = Belief(records, {(other,) * records.n: one})
        return one, BeliefFailure(mechanism, belief, s, one, self.default)

    def _from_profile(self, s: Fraction) -> list[Bound]:
        """Return S4 for ratios on a grid below (1 + s)/(1 - s): any of them is a valid bound."""
        family = self.mechanism.family(self.mechanism.universe.relation)
        limit = (1 + s) / (1 - s)
        found = [Bound(Fraction(1), "no probability exceeds 1, and S4 gives no less here")]
        for k in range(1, _RATIOS):
            ratio = 1 + (limit - 1) * Fraction(k, _RATIOS)
            delta = bounds(family.gap(ratio)[1].delta)[1]
            tau = s - (ratio - 1) / (ratio + 1)
            found.append(Bound(self.people * delta * (2 + ratio) / tau, PROFILE))
        return found

    def _largest_swing(self) -> Number | None:
        try:
            return worst_swing(self.mechanism, self.default).ratio
        except (TooLarge, Unsupported):
            return None

    def _only_pair(self) -> list[Masses] | None:
        """Return the classes of outputs of one record with two values, where they are rational."""
        records = self.mechanism.universe
        if not isinstance(records, Records) or records.n != 1 or len(records.values) != 2:
            return None
        d = default_value(records, self.default)
        other = next(v for v in records.values if v != d)
        return rational_cells(self.mechanism.compare((other,), (d,)))

    def _pair_witness(self, s: Fraction, found: PairFailure) -> Proof | None:
        if found.reached == 0:
            return None
        records = self.mechanism.universe
        assert isinstance(records, Records)
        d = default_value(records, self.default)
        other = next(v for v in records.values if v != d)
        if self.mechanism.outputs.size is None:
            comparison = self.mechanism.compare((other,), (d,))
            return PairBelief(
                self.mechanism, comparison, found.weight, s, found.reached, 1, default=True
            )
        belief = Belief(records, {(other,): found.weight, (d,): 1 - found.weight})
        return BeliefFailure(self.mechanism, belief, s, found.reached, self.default)


def _same_formula(a: Number | None, b: Number) -> bool:
    """Tell whether two irrational numbers are written the same, and so are the same."""
    both = isinstance(a, Real) and isinstance(b, Real)
    return both and a.formula is not None and a.formula == b.formula  # type: ignore[union-attr]


def _people(mechanism: Mechanism, records: int | None) -> int:
    universe = mechanism.universe
    if isinstance(universe, Records) and universe.fixed and universe.n:
        if records is not None and records != universe.n:
            raise InvalidInput(f"records={records}: {universe.expression} has {universe.n}")
        return universe.n
    if records is None:
        raise InvalidInput(
            f"{universe.expression} does not say how many people there are, and a failure for each "
            "of them adds up: give records= inside semantic, or bits= in the mechanism"
        )
    return records


def _comparisons(mechanism: Mechanism, s: Fraction) -> Iterator[Comparison]:
    """Yield the pairs of neighbours that are worst at a few ratios."""
    family = mechanism.family(mechanism.universe.relation)
    half = Fraction(1, 2)
    ratios = [Fraction(1), 1 + 4 * s / (1 - 2 * s)] if s < half else [Fraction(1)]
    seen = set()
    for ratio in ratios:
        comparison, _ = family.gap(ratio)
        for one in (comparison, comparison.reverse()):
            if (key := (repr(one.x), repr(one.y))) not in seen:
                seen.add(key)
                yield one
