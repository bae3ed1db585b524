r"""Semantic privacy with a failure probability, over all beliefs: proved ends on both sides.

For a mechanism and a difference s the question is

    delta*(s) = sup over beliefs b of  P_t[max_i SD(b_0(. | t), b_i(. | t)) > s],   t ~ A(x), x ~ b

(Kasiviswanathan & Smith, Definition 2.3; an undefined posterior counts as a breach). No closed form
is known in general. The upper end is the least of several proved bounds, the lower end the failure
probability of one belief, which is shown and can be played again. Both are exact numbers, and they
meet: at 0 from the supremum of S1 on; for one record with two values, where the supremum is known;
and wherever the belief found reaches the bound. For one record with two values and noise of
infinitely many likelihood ratios they are as good as next to each other (see `half_lines`).

Small mechanisms are tabulated. For the others (noise with a density, many records) the upper end is
S4 from the exact privacy profile, n delta(epsilon) (2 + e^epsilon) / tau with
tau = s - tanh(epsilon/2), optimised over epsilon. The lower end is a belief about a few people, the
others known, whose breaches are found exactly, about whomever they are (see `breaches`); or, where
every record is treated on its own, the same belief about each person.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from twoworlds.definitions.semantics.beliefs import bad_beliefs, worst_found
from twoworlds.definitions.semantics.games import default_value
from twoworlds.definitions.semantics.pair import HalfLines, pair_failure, worst_half_lines
from twoworlds.definitions.semantics.swing import worst_swing
from twoworlds.definitions.semantics.table import (
    FailureBound,
    Likelihoods,
    few_people,
    in_steps,
    table_bounds,
    tabulated,
)
from twoworlds.definitions.semantics.witnesses import (
    BeliefFailure,
    EachPerson,
    PairBelief,
    failure_of,
    rational_cells,
)
from twoworlds.definitions.verdict import Proof
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.mechanisms import Comparison, Mechanism, OnStatistic, PerRecord, RandomIndex
from twoworlds.numbers import INFINITY, Number, Order, Real, bounds, compare, sqrt
from twoworlds.worlds import Point, Records
from twoworlds.worlds.belief import Belief

_RATIOS = 24
_TRIED = 2
_BETTER = 1e-4
ONE_BIT = (
    "one record with two values: the failure of every belief w is known, and piecewise linear "
    "in w (twoworlds, S4 for one bit)"
)
TWO_TAILS = (
    "one record with two values: the two events that breach, over ranges of beliefs "
    "(twoworlds, S4 for one bit)"
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
    return FailureCurve(mechanism, default, records).ends(epsilon)


class FailureCurve:
    """The failure probability of one mechanism, for every difference."""

    def __init__(
        self, mechanism: Mechanism, default: object = None, records: int | None = None
    ) -> None:
        self.mechanism, self.default = mechanism, default
        self.people = _people(mechanism, records)
        self.swing = self._largest_swing()
        self.two = self._two_values()
        self.pair = None if self.two is None else rational_cells(self.two)
        if self.pair is not None or not _two_tails(mechanism, self.two):
            self.two = None
        small = self.pair is not None or self.two is not None
        self.table = None if small else tabulated(mechanism, default)
        self._half_lines: dict[Fraction, HalfLines] = {}

    def ends(self, epsilon: Number, above: Fraction | None = None) -> Ends:
        """Return both ends at one difference; the belief shown exceeds ``above``, if one does."""
        if self.pure(epsilon):
            zero = Fraction(0)
            return Ends(epsilon, zero, zero, PURE, None)
        if self.pair is not None and isinstance(epsilon, Fraction):
            found = pair_failure(self.pair, epsilon, default=True, above=above)
            witness = self._pair_witness(epsilon, found.weight, found.reached)
            return Ends(epsilon, found.value, found.upper, ONE_BIT, witness)
        upper = self.upper(epsilon)
        lower, witness = self.lower(epsilon, upper.value)
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

    def upper(self, epsilon: Number) -> FailureBound:
        """Return the least of the proved bounds, the simplest first where they agree."""
        if self.pure(epsilon):
            return FailureBound(Fraction(0), PURE)
        s = bounds(epsilon)[0]
        if self.pair is not None:
            return FailureBound(bounds(pair_failure(self.pair, s, default=True).upper)[1], ONE_BIT)
        if self.two is not None:
            return FailureBound(self._tails(self.two, s).upper, TWO_TAILS)
        found = self._from_profile(s) if self.table is None else table_bounds(self.table, s)
        return min(found, key=lambda bound: bound.value)

    def lower(
        self, epsilon: Number, enough: Fraction = Fraction(1)
    ) -> tuple[Fraction, Proof | None]:
        """Return the failure probability of the worst belief found, and that belief.

        The search stops at a belief that fails ``enough``.
        """
        if self.pure(epsilon):
            return Fraction(0), None
        s = bounds(epsilon)[1]
        if self.pair is not None:
            pair = pair_failure(self.pair, s, default=True)
            return pair.reached, self._pair_witness(s, pair.weight, pair.reached)
        if self.two is not None:
            weight = self._tails(self.two, s).weight
            masses = {self.two.x: weight, self.two.y: 1 - weight}
            return self._evaluated(self.mechanism, masses, s)
        if self.table is not None:
            return self._lower_by_search(self.table, s, enough)
        if isinstance(self.mechanism, RandomIndex):
            return self._everyone_exposed(self.mechanism, s)
        if isinstance(self.mechanism, PerRecord) and self.people > 1:
            return self._lower_by_record(self.mechanism, s)
        return self._lower_by_structure(s, enough)

    def _tails(self, comparison: Comparison, s: Fraction) -> HalfLines:
        if s not in self._half_lines:
            self._half_lines[s] = worst_half_lines(self.mechanism, comparison, s)
        return self._half_lines[s]

    def _lower_by_search(
        self, table: Likelihoods, s: Fraction, enough: Fraction
    ) -> tuple[Fraction, Proof | None]:
        found = worst_found(table, s, enough)
        if found.failure == 0:
            return found.failure, None
        masses = {table.databases[j]: mass for j, mass in found.masses.items()}
        belief = Belief(table.mechanism.universe, masses)
        folded = frozenset(table.outputs[t] for t in table.folded)
        witness = BeliefFailure(table.mechanism, belief, s, found.failure, self.default, folded)
        return found.failure, witness

    def _lower_by_record(self, mechanism: PerRecord, s: Fraction) -> tuple[Fraction, Proof | None]:
        """Hold the worst belief about one record, about each of them."""
        _, witness = FailureCurve(PerRecord(mechanism.transition, 1), self.default).lower(s)
        if not isinstance(witness, BeliefFailure):
            return Fraction(0), None
        each = EachPerson(witness, self.people)
        return each.failure, each

    def _lower_by_structure(self, s: Fraction, enough: Fraction) -> tuple[Fraction, Proof | None]:
        """Try beliefs on two neighbours, and all beliefs about a few people."""
        few = few_people(self.mechanism, self.people)
        if few is not None and (table := tabulated(few, self.default)) is not None:
            return self._lower_by_search(table, s, enough)
        target = self.mechanism if few is None else few
        pairs: dict[frozenset[str], Comparison] = {}
        for one in _comparisons(target, s):
            key = frozenset((repr(one.x), repr(one.y)))
            if key not in pairs or self._without_data(target, one):
                pairs[key] = one
        found = [self._lower_by_pair(target, one, s) for one in pairs.values()]
        best = max((failure for failure, _ in found), default=Fraction(0))
        steps = in_steps(target, self.default) if best <= enough else None
        if steps is not None:
            for bad in bad_beliefs(steps, s)[:_TRIED]:
                if found and found[-1][0] > best:
                    break
                if bad.value > best + _BETTER:
                    masses = {steps.databases[j]: mass for j, mass in bad.masses.items()}
                    found.append(self._evaluated(target, masses, s))
        return max(found, key=lambda one: one[0], default=(Fraction(0), None))

    def _evaluated(
        self, mechanism: Mechanism, masses: dict[Point, Fraction], s: Fraction
    ) -> tuple[Fraction, Proof | None]:
        belief = Belief(mechanism.universe, masses)
        failure = failure_of(mechanism, belief, s, self.default)
        if failure == 0:
            return failure, None
        return failure, BeliefFailure(mechanism, belief, s, failure, self.default)

    def _lower_by_pair(
        self, mechanism: Mechanism, comparison: Comparison, s: Fraction
    ) -> tuple[Fraction, Proof | None]:
        """Return the worst belief on two neighbours for the person in whom they differ."""
        cells = rational_cells(comparison)
        default = cells is not None and self._without_data(mechanism, comparison)
        if cells is None:
            weight, reached, _ = worst_half_lines(mechanism, comparison, s)
        else:
            found = pair_failure(cells, s, default=default)
            weight, reached = found.weight, found.reached
        if reached == 0:
            return reached, None
        if isinstance(mechanism.universe, Records):
            masses = {comparison.x: weight, comparison.y: 1 - weight}
            with suppress(TooLarge, Unsupported):
                return self._evaluated(mechanism, masses, s)
        return reached, PairBelief(mechanism, comparison, weight, s, reached, default)

    def _without_data(self, mechanism: Mechanism, comparison: Comparison) -> bool:
        """Tell whether the second database is the first with a person left out."""
        if not isinstance(mechanism.universe, Records):
            return False
        d = default_value(mechanism.universe, self.default)
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

    def _from_profile(self, s: Fraction) -> list[FailureBound]:
        """Return S4 for ratios on a grid below (1 + s)/(1 - s): any of them is a valid bound."""
        family = self.mechanism.family(self.mechanism.universe.relation)
        limit = (1 + s) / (1 - s)
        found = [FailureBound(Fraction(1), "no probability exceeds 1, and S4 gives no less here")]
        for k in range(1, _RATIOS):
            ratio = 1 + (limit - 1) * Fraction(k, _RATIOS)
            delta = bounds(family.gap(ratio)[1].delta)[1]
            tau = s - (ratio - 1) / (ratio + 1)
            found.append(FailureBound(self.people * delta * (2 + ratio) / tau, PROFILE))
        return found

    def _largest_swing(self) -> Number | None:
        try:
            return worst_swing(self.mechanism, self.default).ratio
        except (TooLarge, Unsupported):
            return None

    def _two_values(self) -> Comparison | None:
        """Compare the two databases of one record with two values, the default second."""
        records = self.mechanism.universe
        if not isinstance(records, Records) or records.n != 1 or len(records.values) != 2:
            return None
        d = default_value(records, self.default)
        other = next(v for v in records.values if v != d)
        return self.mechanism.compare((other,), (d,))

    def _pair_witness(self, s: Fraction, weight: Fraction, reached: Fraction) -> Proof | None:
        if reached == 0:
            return None
        records = self.mechanism.universe
        assert isinstance(records, Records)
        d = default_value(records, self.default)
        other = next(v for v in records.values if v != d)
        belief = Belief(records, {(other,): weight, (d,): 1 - weight})
        return BeliefFailure(self.mechanism, belief, s, reached, self.default)


def _two_tails(mechanism: Mechanism, comparison: Comparison | None) -> bool:
    """Tell whether the breaches are two half-lines, and no output is possible on one side only."""
    if comparison is None or not isinstance(mechanism, OnStatistic):
        return False
    return comparison.limit() == 0 and comparison.reverse().limit() == 0


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
