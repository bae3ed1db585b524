r"""Semantic privacy with a failure probability, over all beliefs: proved ends on both sides.

For a mechanism and a difference s the question is

    delta*(s) = sup over beliefs b of  P_t[max_i SD(b_0(. | t), b_i(. | t)) > s],   t ~ A(x), x ~ b

(Kasiviswanathan & Smith, Definition 2.3; an undefined posterior counts as a breach). No closed form
is known in general. The upper end is the least of proved bounds: 0 from the supremum of S1 on; the
outputs that can breach at all (`table`); and S4 from the exact privacy profile,
n delta(epsilon) (2 + e^epsilon) / tau with tau = s - tanh(epsilon/2), optimised over epsilon; and
for small tables the beliefs cut into convex `cells`, which meets the lower end or comes near, or by
the masses of the `answers`, where noise has a density on outputs cut into `slices`, too. The
lower end is the failure probability of one belief, which is shown and can be played again: the
worst one found for a small table (`beliefs`), for each person where every record is treated on its
own, and otherwise one on two neighbours. For one record with two values the supremum is known, or
as good as known (`pair`).

A claim holds if the upper end is small enough, is refuted by the belief shown if the lower end is
too large, and is undecided otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from twoworlds.charts import Chart, Span
from twoworlds.definitions.semantics.beliefs import bad_outputs, tabulated, worst_found
from twoworlds.definitions.semantics.breaches import FailureWitness, failure_of
from twoworlds.definitions.semantics.cells import WIDTH, bounded_above
from twoworlds.definitions.semantics.games import default_value, people
from twoworlds.definitions.semantics.pair import Masses, pair_failure, ranged_failure
from twoworlds.definitions.semantics.slices import sliced
from twoworlds.definitions.semantics.worst_swing import semantic_value, worst_swing
from twoworlds.definitions.verdict import Verdict
from twoworlds.definitions.words import at_least, moved_too_often, points
from twoworlds.errors import InvalidInput, TooLarge, Undecided, Unsupported
from twoworlds.mechanisms import Comparison, Mechanism, OnStatistic, PerRecord
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Real,
    above,
    below,
    bounds,
    compare,
    show,
    to_json,
)
from twoworlds.worlds import Additive, Change, Point, Records
from twoworlds.worlds.belief import Belief
from twoworlds.worlds.statistic import NO_RECORD

_RATIOS = 24
_BITS = 40
_FINE, _COARSE, _COARSEST = 10**6, 10**3, 64
_MORE = Fraction(1, 1000)
_ZERO, _ONE = Fraction(0), Fraction(1)
_NAME = "semantic privacy"
ONE_BIT = (
    "one record with two values: the failure of every belief w is known, and piecewise linear "
    "in w (twoworlds, S4 for one bit)"
)
RANGES = (
    "one record with two values: the two events that breach, over ranges of beliefs "
    "(twoworlds, S4 for one bit)"
)
PURE = "no belief sees a larger difference after any output (twoworlds, S1)"
BAD_OUTPUTS = (
    "the outputs that can breach at all, on the database that makes them likeliest (twoworlds, S1)"
)
PROFILE = (
    "n delta(epsilon) (2 + e^epsilon) / tau from the exact privacy profile, optimised over epsilon "
    "(twoworlds, S4, sharper than Kasiviswanathan & Smith, Theorem 2.4(1))"
)
CELLS = (
    "all beliefs, cut into convex cells of those that some outputs breach; a linear program bounds "
    "each (twoworlds, S1)"
)
ANSWERS = (
    "all beliefs, cut by the masses of the answers that they give; each output may have its own "
    "belief with these masses (twoworlds)"
)
NOTHING = "no probability exceeds 1, and S4 gives no less here"

Shown = tuple[Number, FailureWitness | None]  # a lower end, and the belief that gives it


class Ends(NamedTuple):
    """What is known of delta*(s): it lies between ``lower`` and ``upper``.

    Attributes:
        source: the bound that gave the upper end, with its citation.
        witness: the belief that gave the lower end; it may only come near an exact supremum.
    """

    lower: Number
    upper: Number
    source: str
    witness: FailureWitness | None

    @property
    def exact(self) -> bool:
        """Whether both ends meet."""
        return self.lower is self.upper or compare(self.lower, self.upper, limit=256) is Order.EQUAL


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
        # Whether leaving a person out means to take their record away.
        self.absent = default is not None and (
            default_value(people(mechanism.universe), default, mechanism) is NO_RECORD
        )
        self.people = _people(mechanism, records)
        self.supremum: Number | None = None  # the largest difference that any belief can see
        try:
            swing = worst_swing(mechanism, default).ratio
            self.supremum = None if swing == INFINITY else semantic_value(swing)
        except (TooLarge, Unsupported):
            pass
        self.two = self._two_values()
        self.pair = None if self.two is None else _rational_cells(self.two)
        self.table = None
        if self.two is None:
            self.table = tabulated(mechanism, default) or sliced(mechanism, default)
        self._ranged: dict[Fraction, tuple[Fraction, Fraction]] = {}

    def ends(self, epsilon: Number, above: Fraction | None = None) -> Ends:
        """Return both ends at one difference; the belief shown exceeds ``above``, if one does."""
        if self.pair is not None and isinstance(epsilon, Fraction) and not self.pure(epsilon):
            found = pair_failure(self.pair, epsilon, above=above)
            _, witness = self._on_two(self._sure, found.weight, epsilon)
            return Ends(found.value, found.upper, ONE_BIT, witness)
        upper, source = self.upper(epsilon)
        lower, witness = self.lower(epsilon, upper)
        ends = Ends(lower, upper, source, witness)
        if self.table is None or ends.exact or upper - bounds(lower)[0] <= WIDTH:
            return ends
        cut = bounded_above(self.table, bounds(epsilon)[0], bounds(lower)[0], above=above)
        if cut.belief is not None:
            masses = {self.table.databases[j]: mass for j, mass in cut.belief.items()}
            lower, witness = max(
                (lower, witness), self._shown(masses, bounds(epsilon)[1]), key=lambda one: one[0]
            )
        if cut.reached and isinstance(epsilon, Fraction):
            lower = cut.upper
        proof = ANSWERS if cut.by_answers else CELLS
        upper, source = min((upper, source), (cut.upper, proof), key=lambda one: one[0])
        return Ends(lower, upper, source, witness)

    def pure(self, epsilon: Number) -> bool:
        """Tell whether no belief ever sees a difference above epsilon."""
        if not epsilon < 1:
            return True
        top = self.supremum
        if top is None:
            return False
        if isinstance(top, Real) and isinstance(epsilon, Real):  # perhaps written the same
            same = top.formula is not None and top.formula == epsilon.formula
            return same or top is epsilon or compare(top, epsilon, limit=256) is Order.LESS
        return compare(top, epsilon, limit=256) in (Order.LESS, Order.EQUAL)

    def upper(self, epsilon: Number) -> tuple[Fraction, str]:
        """Return the least of the proved bounds, and where it comes from."""
        if self.pure(epsilon):
            return _ZERO, PURE
        s = bounds(epsilon)[0]
        if self.pair is not None:
            return bounds(pair_failure(self.pair, s).upper)[1], ONE_BIT
        if self.two is not None:
            return self._over_ranges(self.two, s)[1], RANGES
        found = [] if self.table is None else [(self._bad(s), BAD_OUTPUTS)]
        found.append((_ONE, NOTHING))
        try:
            found += [(value, PROFILE) for value in self._from_profile(s)]
        except Unsupported:
            if self.table is None:
                raise
        return min(found, key=lambda bound: bound[0])

    def lower(self, epsilon: Number, enough: Fraction = _ONE) -> Shown:
        """Return the failure probability of the worst belief found, and that belief.

        The search stops at a belief that fails ``enough``.
        """
        if self.pure(epsilon):
            return _ZERO, None
        s = bounds(epsilon)[1]
        if self.pair is not None:
            return self._on_two(self._sure, pair_failure(self.pair, s).weight, s)
        if self.table is not None:
            masses, _ = worst_found(self.table, s, enough)
            return self._shown({self.table.databases[j]: m for j, m in masses.items()}, s)
        if isinstance(self.mechanism, PerRecord) and self.people > 1:
            _, one = FailureCurve(PerRecord(self.mechanism.transition, 1), self.default).lower(s)
            if one is None:
                return _ZERO, None
            each = 1 - (1 - one.failure) ** self.people
            return each, replace(one, people=self.people, failure=each)
        return self._on_neighbours(s, enough)

    def _shown(self, masses: dict[Point, Fraction], s: Fraction) -> Shown:
        """Return how often a belief sees a breach, rounded down, with the belief."""
        belief = Belief(self.mechanism.universe, masses)
        found = failure_of(self.mechanism, belief, s, self.default)
        failure = max(bounds(found, _BITS)[0], _ZERO)
        if failure == 0:
            return _ZERO, None
        return failure, FailureWitness(self.mechanism, belief, s, failure, self.default)

    def _on_two(self, databases: tuple[Point, Point], weight: Fraction, s: Fraction) -> Shown:
        return self._shown(dict(zip(databases, (weight, 1 - weight), strict=True)), s)

    def _on_neighbours(self, s: Fraction, enough: Fraction) -> Shown:
        """Try the belief that everybody has data, and some on the worst two neighbours."""
        if not isinstance(self.mechanism.universe, Records):
            return _ZERO, None
        best: Shown = (_ZERO, None)
        try:
            best = self._shown({self._sure[0]: _ONE}, s)
            family = self.mechanism.family(self.mechanism.universe.relation)
            pair = family.gap(_ONE)[0] if self.two is None else self.two
            if best[0] < enough:
                weight, _ = self._over_ranges(pair, s)
                best = max(best, self._on_two((pair.x, pair.y), weight, s), key=lambda one: one[0])
        except (TooLarge, Unsupported):
            pass
        return best

    @cached_property
    def _sure(self) -> tuple[Point, Point]:
        """The databases where nobody, and where everybody, has the default value."""
        records = self.mechanism.universe
        assert isinstance(records, Records)
        d = default_value(records, self.default)
        other = next((v for v in records.values if v != d), d)
        return (other,) * records.n, (d,) * records.n

    def _bad(self, s: Fraction) -> Fraction:
        """Return how likely the outputs that can breach are on the worst database (S1)."""
        assert self.table is not None
        size = len(self.table.databases)
        rows = [self.table.high[t][:size] for t in bad_outputs(self.table, s)]
        most = max((sum(column, _ZERO) for column in zip(*rows, strict=True)), default=_ZERO)
        return min(most + self.table.rest, _ONE)

    def _from_profile(self, s: Fraction) -> Iterator[Fraction]:
        """Yield S4 for ratios on a grid below (1 + s)/(1 - s): any of them is a valid bound."""
        gap = self._profile()
        limit = (1 + s) / (1 - s)
        for k in range(1, _RATIOS if s > 0 else 1):
            ratio = 1 + (limit - 1) * Fraction(k, _RATIOS)
            delta = gap(ratio)
            tau = s - (ratio - 1) / (ratio + 1)
            yield self.people * delta * (2 + ratio) / tau

    def _profile(self) -> Callable[[Fraction], Fraction]:
        """Return delta at a ratio, of a database against the same without a person."""
        mechanism = self.mechanism
        if not self.absent:
            family = mechanism.family(mechanism.universe.relation)
            return lambda ratio: bounds(family.gap(ratio)[1].delta)[1]
        if not isinstance(mechanism, OnStatistic) or not isinstance(mechanism.statistic, Additive):
            raise Unsupported(
                f"{mechanism.expression} with default=none: a failure probability over all beliefs "
                "is known for noise on one count or sum: name a belief, or use one of the values"
            )
        moves = mechanism.statistic.replacements(people(mechanism.universe), NO_RECORD)
        pairs: dict[object, Change] = {}
        for move in moves:
            alike = mechanism.channel.by_difference
            pairs[move.difference if alike else (move.before, move.after)] = move
        found = [
            mechanism.channel.compare(move) for move in pairs.values() if move.before != move.after
        ]
        found += [one.reverse() for one in found]
        return lambda ratio: max((bounds(one.gap(ratio).delta)[1] for one in found), default=_ZERO)

    def _over_ranges(self, comparison: Comparison, s: Fraction) -> tuple[Fraction, Fraction]:
        if s not in self._ranged:
            self._ranged[s] = ranged_failure(self.mechanism, comparison, s)
        return self._ranged[s]

    def _two_values(self) -> Comparison | None:
        """Compare the two databases of one record with two values, where that decides."""
        records = self.mechanism.universe
        single = isinstance(records, Records) and records.n == 1 and len(records.values) == 2
        if not single or self.absent:
            return None
        found = self.mechanism.compare(*self._sure)
        tails = isinstance(self.mechanism, OnStatistic)
        tails = tails and found.limit() == 0 == found.reverse().limit()
        return found if tails or _rational_cells(found) is not None else None


def _rational_cells(comparison: Comparison) -> list[Masses] | None:
    """Return the classes of outputs by likelihood ratio, where they are finite and rational."""
    try:
        cells = comparison.cells()
    except Unsupported:
        return None
    found = [
        Masses(cell.p, cell.q)
        for cell in cells
        if isinstance(cell.p, Fraction) and isinstance(cell.q, Fraction)
    ]
    return found if len(found) == len(cells) else None


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


# --- verdicts -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bounded(Verdict):
    """A verdict on a number that is known to lie between two ends, which may meet.

    Attributes:
        lower, upper: the ends, as exact numbers.
        bounded: the name of the number that they belong to.
    """

    lower: Number = Fraction(0)
    upper: Number = Fraction(1)
    bounded: str = "delta"

    def fields(self) -> dict[str, Any]:
        """Return the verdict, with the ends rounded outward to floats."""
        found = super().fields()
        value = to_json(found[self.bounded])
        if value["exact"] is None:
            found[self.bounded] = value | {"lower": below(self.lower), "upper": above(self.upper)}
        return found

    def _charts(self) -> Iterator[Chart]:
        """Chart the ends between which the number lies."""
        yield Span(self.bounded, self.lower, self.upper)

    def __bool__(self) -> bool:
        if self.holds is None and "(" in self.definition:
            raise Undecided(
                f"undecided: {self.definition} on {self.mechanism}: the failure probability over "
                f"all beliefs lies between {show(self.lower, side='down')} and "
                f"{show(self.upper, side='up')}; "
                "claim a delta outside of this range, or another epsilon"
            )
        return super().__bool__()


def failure_verdict(
    failure: FailureCurve,
    epsilon: Number,
    assumptions: tuple[str, ...],
    above: Fraction | None = None,
) -> Bounded:
    """Return the failure probability at a difference, between its ends.

    The belief shown fails with more than ``above``, if one does that was found.
    """
    ends = failure.ends(epsilon, above)
    sentence = _sentence(epsilon, ends)
    return _bounded(failure, "delta", ends, {"epsilon": epsilon}, sentence, assumptions)


def claim_verdict(
    failure: FailureCurve, epsilon: Number, delta: Number, claim: str, assumptions: tuple[str, ...]
) -> Bounded:
    """Decide whether the failure probability at a difference stays within delta."""
    found = failure_verdict(failure, epsilon, assumptions, bounds(delta)[1])
    holds: bool | None = None
    if compare(found.upper, delta) in (Order.LESS, Order.EQUAL):
        holds = True
    elif compare(found.lower, delta) is Order.GREATER:
        holds = False
    notes = (f"the claim allows delta {show(delta)}", *found.notes)
    if holds is None:
        notes += ("undecided: the claim lies between the ends",)
    sentence = found.sentence
    if holds is False:
        sentence = moved_too_often(found.lower, epsilon, delta, "For some belief")
    return replace(found, definition=claim, holds=holds, sentence=sentence, notes=notes)


def difference_verdict(
    failure: FailureCurve, delta: Number, assumptions: tuple[str, ...]
) -> Bounded:
    """Return the smallest difference whose failure probability is within delta, between its ends.

    delta* falls with the difference, so whatever differences are tried, one whose upper end is
    within delta is large enough, and one whose lower end exceeds delta is too small.
    """
    known = failure.table is not None or failure.two is not None
    steps = _FINE if failure.pair is not None else _COARSE if known else _COARSEST

    def enough(k: int) -> bool:
        bound, _ = failure.upper(Fraction(k, steps))
        return compare(bound, delta) in (Order.LESS, Order.EQUAL)

    def too_little(k: int) -> bool:
        shown, _ = failure.lower(Fraction(k, steps), bounds(delta)[1] + _MORE)
        return compare(shown, delta) is Order.GREATER

    high = _first(enough, 0, steps)
    low = _first(lambda k: not too_little(k), 0, high) - 1
    lower = Fraction(max(low, 0), steps)
    upper: Number = Fraction(high, steps)
    if failure.supremum is not None and compare(failure.supremum, upper) is Order.LESS:
        upper = failure.supremum
    witness = failure.lower(lower)[1] if low >= 0 else None
    ends = Ends(lower, upper, failure.upper(upper)[1], witness)
    sentence = (
        f"Whatever someone believed before, with probability at least {at_least(delta)} the answer "
        "moves their beliefs, compared with the same answer computed without you, by at most "
        f"{points(upper)}."
    )
    if compare(upper, 1) is not Order.LESS or compare(delta, 1) is not Order.LESS:
        sentence = (
            "Nothing is promised: whatever difference is named, no chance is proved of staying "
            "within it for every belief."
        )
    found = _bounded(failure, "epsilon", ends, {"delta": delta}, sentence, assumptions)
    return replace(found, notes=(*found.notes, f"looked for in steps of 1/{steps}"))


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return a k from which on it seems to hold, by bisection; it holds at ``high`` for certain."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return high


def _bounded(
    failure: FailureCurve,
    name: str,
    ends: Ends,
    known: dict[str, Number],
    sentence: str,
    assumptions: tuple[str, ...],
) -> Bounded:
    """Return a verdict on one number between its ends, which are told, beside a known one."""
    lower, upper, source, witness = ends
    value = upper
    if ends.exact:
        near = witness is not None and witness.failure < lower
        how = "approached by beliefs such as the one shown" if near else "both ends meet"
        note = f"{name} is exact: {how}"
    else:
        value = Real.between(bounds(lower)[0], bounds(upper)[1])
        value.cap = bounds(upper)[1]
        ranged = f"{name} lies between {show(lower, side='down')} and {show(upper, side='up')}"
        note = f"{ranged}; the lower end is that of the belief shown"
        if witness is None:
            note = f"{ranged}; no belief was found that gives a lower end above 0"
    values = {"epsilon": Fraction(0), "delta": Fraction(0)} | known | {name: value}
    return Bounded(
        failure.mechanism.expression,
        _NAME,
        values,
        sentence,
        assumptions,
        witness=witness,
        method=f"upper end: {source}",
        notes=(note,),
        exact=failure.mechanism.exact,
        lower=lower,
        upper=upper,
        bounded=name,
    )


def _sentence(epsilon: Number, ends: Ends) -> str:
    moved = points(epsilon)
    if ends.upper == 0:
        return (
            "Whatever someone believed before, this answer never moves their beliefs, compared "
            f"with the same answer computed without you, by more than {moved}."
        )
    some = ""
    if ends.lower != 0:
        seen = ends.lower if ends.witness is None else ends.witness.failure
        chance = show(seen, side="at least")
        exceeded = points(epsilon, side="down")
        some = f" Some attacker sees more than {exceeded} with probability {chance}."
    if compare(ends.upper, 1) is not Order.LESS:
        return (
            f"Nothing is promised: no chance is proved of staying within {moved} "
            f"for every belief.{some}"
        )
    return (
        f"Whatever someone believed before, with probability at least {at_least(ends.upper)} this "
        "answer moves their beliefs, compared with the same answer computed without you, by at "
        f"most {moved}.{some}"
    )
