r"""Batches fixed in advance: an epsilon for each query, and one certified cost for all of them.

Queries and their epsilons are fixed before any of them is answered. Each query gets the noise that
it would get alone, and the whole is charged once, the smaller of two costs:

    the sensitivity of the whole   (J, 0), where J is the largest loss of one unit over all queries
                                   (`twoworlds.release.sensitivity.joint`); never above their sum
    certified composition          (epsilon*, delta), where epsilon* is the least epsilon at which
                                   randomized responses with these epsilons together have delta

The second is sound for every query. Let p and q be the laws of one answer in two neighbouring
worlds, and r = e^epsilon, so that p <= r q and q <= r p everywhere.

1. A = (r p - q) / (r - 1) and B = (r q - p) / (r - 1) are laws, and p = (r A + B) / (1 + r),
   q = (A + r B) / (1 + r). So the answer is a post-processing of randomized response R, which tells
   the world truly with probability r / (1 + r) (Kairouz, Oh & Viswanath 2015).
2. Noise is drawn for each query on its own, so that in each world answers are independent, and all
   of them together are a post-processing of independent R_1, ..., R_k. No event has a larger gap
   after post-processing. It is used here that no query, and no epsilon, depends on an answer of the
   batch; for epsilons that do, what follows would not hold (Rogers, Roth, Ullman & Vadhan 2016).
3. The loss of R_i is epsilon_i or -epsilon_i. `Grid.above` bounds the gap of all of them together
   from above, in whole numbers; where that bound is at most delta at the ratio e^epsilon*, the
   batch is (epsilon*, delta)-private, in both directions, since R_i is the same in both.

No smaller epsilon* holds for all queries with these epsilons (Murtagh & Vadhan 2016): it is, up to
rounding up, the least with

    sum over subsets S of  max(0, e^(sum of S) - e^(epsilon* + sum of the others))
        <=  delta prod_i (1 + r_i).

Nor does knowing the noise help for counts: discrete Laplace noise of scale 1 / epsilon on a count
that one unit moves by 1 in one cell has the ratio r or 1 / r at every output, with the masses of R.
The loss of a sum is smaller than epsilon for many outputs, and that is not used.

Epsilons without a common unit that is coarse enough are put on a coarser one, which moves their
losses to both sides and raises the gap (`twoworlds.laws.composition`): epsilon* is then a little
larger than need be. It has six digits, so that whoever checks it, on any machine, finds that it is
enough. A delta is paid only where it saves something, `_WORTH`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import INFINITY, decimal, exact_text, exp, ln, show, to_json
from twoworlds.release.costs import Cost, amount, kept, read_number
from twoworlds.release.query.resolve import Resolved
from twoworlds.release.sensitivity.calibration import (
    Calibration,
    Moments,
    calibrate,
    laplace_weights,
)
from twoworlds.release.sensitivity.joint import Analysis

if TYPE_CHECKING:
    from twoworlds.laws.comparison import FiniteComparison
    from twoworlds.laws.grid import Above

COMPOSED, JOINT = "certified composition", "the sensitivity of the whole"
# Of the whole: composition that saves less costs a delta for nothing. Certificates rest on it.
_WORTH = Fraction(99, 100)
_DIGITS = 6  # of epsilon*
_MOST_UNITS = 1 << 10  # of all losses together
_SPARE_BITS = 48  # what rounding loses is below 2^-48 of delta
_LARGEST = 1000  # sum of epsilons: e^1000 hides nothing


@dataclass(frozen=True)
class FixedBatch:
    """What the queries of a batch cost, one by one and together.

    Attributes:
        each: The epsilon of each query, as it was fixed; ``delta`` is for all of them together.
        losses: The same of those that anybody can move.
        composed: Epsilon*, for delta; None without a delta.
        joint: The largest loss of one unit over all queries.
    """

    each: tuple[Fraction, ...]
    delta: Fraction
    losses: tuple[Fraction, ...]
    composed: Fraction | None
    joint: Fraction

    @property
    def added(self) -> Fraction:
        """What the queries cost added up."""
        return sum(self.losses, Fraction(0))

    @property
    def composes(self) -> bool:
        """Whether composition is charged: it must save something, as it costs a delta."""
        return self.composed is not None and self.composed <= _WORTH * self.joint

    @property
    def rule(self) -> str:
        """Which of the two costs is charged."""
        return COMPOSED if self.composes else JOINT

    @property
    def cost(self) -> Cost:
        """What is charged for the whole."""
        if self.composed is None or not self.composes:
            return Cost(kept(self.joint))
        return Cost(self.composed, self.delta)

    def words(self, costs: str) -> str:
        """Say what the whole costs, by which rule, and what its queries cost added up.

        >>> tenths, delta = (Fraction(1, 10),) * 20, Fraction(1, 10**6)
        >>> composed = composed_epsilon(tenths, delta)
        >>> FixedBatch(tenths, delta, tenths, composed, Fraction(2)).words("costs")
        'costs epsilon 1.78861, delta 1e-6 by certified composition; added up it would be \
epsilon 2.'
        """
        added = Cost(self.added).shown()
        if self.composes:
            return f"costs {self.cost.shown()} by {COMPOSED}; added up it would be {added}."
        said = f"{costs} epsilon {amount(self.joint)}"
        if self.joint < self.added:
            said += f" by {JOINT}; added up it would be {added}"
        elif len(self.each) > 1:
            said += ", as much as added up"
        if self.composed is None:
            return f"{said}."
        other = f"; by {COMPOSED} it would be epsilon {decimal(self.composed)}"
        if self.composed <= self.joint:
            other = f"; {COMPOSED} would save less than 1%"
        return f"{said}{other}, and the delta is not spent."

    def plain(self) -> dict[str, Any]:
        """Return it as a statement has it."""
        return {
            "each": [exact_text(one) for one in self.each],
            "delta": exact_text(self.delta),
            "added": exact_text(self.added),
            "composed": None if self.composed is None else exact_text(self.composed),
            "rule": self.rule,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return exact numbers as JSON has them."""
        return {
            "rule": self.rule,
            "each": [to_json(one) for one in self.each],
            "delta": to_json(self.delta),
            "added_up": to_json(self.added),
            "composed": None if self.composed is None else to_json(self.composed),
            "whole": to_json(self.joint),
        }


def parse_each(cost: object) -> tuple[tuple[Fraction, ...], Fraction] | None:
    """Read ``each=1/10, delta=1e-6``; None where no epsilon is given to each query.

    One ``each`` is for all queries; several are for one after the other.

    >>> parse_each("each=1/10, each=1/5, delta=1e-6")
    ((Fraction(1, 10), Fraction(1, 5)), Fraction(1, 1000000))
    >>> parse_each("epsilon=1") is None
    True
    """
    parts = [part.partition("=") for part in cost.split(",")] if isinstance(cost, str) else []
    given = [(name.strip(), number.strip()) for name, _, number in parts]
    if "each" not in dict(given):
        return None
    for name, _ in given:
        if name not in ("each", "delta"):
            raise InvalidInput(
                f"each= gives every query its own epsilon, and {name[:20]!r} does not go with it: "
                "write each=1/10, or each=1/10, delta=1e-6"
            )
    deltas = [read_number(number, name, "up") for name, number in given if name == "delta"]
    each = tuple(read_number(number, name, "up") for name, number in given if name == "each")
    if len(deltas) > 1:
        raise InvalidInput("delta is given twice: give it once, for the whole batch")
    delta = deltas[0] if deltas else Fraction(0)
    if not 0 <= delta < 1:
        raise InvalidInput(
            f"delta={show(delta)} is not a delta of a batch: it is at least 0, below 1"
        )
    return each, delta


def calibrate_each(
    resolved: Sequence[Resolved],
    each: Sequence[Fraction],
    delta: Fraction,
    *,
    moments: Moments = "one",
    stated: Fraction | None = None,
) -> Calibration:
    """Return the noise that each query would get alone, and the cost of all of them together.

    Args:
        resolved: The queries, all on one dataset.
        each: One epsilon for all of them, or one for each.
        delta: For the whole; 0 for the sensitivity of the whole alone.
        moments: As in `calibrate`.
        stated: An epsilon* that was computed before: it is checked, and kept.

    Raises:
        InvalidInput: when a query needs a delta of its own, when there are not as many epsilons as
            queries, or when the stated epsilon* is too small.
    """
    epsilons = tuple(each) * (len(resolved) if len(each) == 1 else 1)
    if len(epsilons) != len(resolved):
        raise InvalidInput(
            f"{len(epsilons)} epsilons are given for {len(resolved)} "
            f"{'query' if len(resolved) == 1 else 'queries'}: give one to each, or one for all"
        )
    if any(one.discovers for one in resolved):
        raise InvalidInput(
            "keys that are discovered need a delta of their own, and with each= the delta is for "
            "all queries together: declare the keys, or release that query apart"
        )
    own = [
        calibrate([one], Cost(epsilon), moments=moments)
        for one, epsilon in zip(resolved, epsilons, strict=True)
    ]
    noises = tuple(noise for one in own for noise in one.noises)
    analysis = Analysis(resolved, one_moment=moments != "several")
    weights = laplace_weights(noises)
    whole = analysis.loss(weights, 1)
    losses = tuple(sorted(one.joint for one in own if one.joint))
    composed = composed_epsilon(losses, delta) if delta and stated is None else stated
    if stated is not None and not (delta and suffices(losses, delta, stated)):
        raise InvalidInput(
            f"epsilon {decimal(stated)} is less than these epsilons come to at delta {show(delta)}"
        )
    batch = FixedBatch(epsilons, delta, losses, composed, whole.value)
    return Calibration(
        batch.cost,
        "laplace",
        noises,
        None,
        whole.value,
        analysis.naive(weights, 1),
        whole.attained,
        analysis.dataset.neighbours,
        analysis.dataset.unit,
        moments,
        batch,
    )


# --- the accountant -------------------------------------------------------------------------------


@lru_cache(maxsize=256)  # a service prices the same batch when it is planned, asked and repeated
def composed_epsilon(losses: tuple[Fraction, ...], delta: Fraction) -> Fraction:
    """Return epsilon*: randomized responses with these epsilons together are (epsilon*, delta)-DP.

    It is rounded up, and at most the sum.

    >>> float(composed_epsilon((Fraction(1, 100),) * 1000, Fraction(1, 10**6)))
    1.36545
    """
    added = sum(losses, Fraction(0))
    above = _above(losses, delta)
    if above is None:
        return added
    ratio = above.ratio_for(delta)
    if ratio == INFINITY:  # rounding has lost more than delta
        return added
    found = Fraction(decimal(ln(ratio), _DIGITS))
    return found if found < added and above.gap(exp(found)) <= delta else added


def suffices(losses: tuple[Fraction, ...], delta: Fraction, epsilon: Fraction) -> bool:
    """Tell whether randomized responses with these epsilons are surely (epsilon, delta)-DP.

    >>> tenths, delta = (Fraction(1, 10),) * 20, Fraction(1, 10**6)
    >>> [suffices(tenths, delta, Fraction(x)) for x in ("1.78861", "1.7886", "2")]
    [True, False, True]
    """
    if epsilon < 0:
        return False
    if epsilon >= sum(losses):
        return True
    above = _above(losses, delta)
    return above is not None and above.gap(exp(epsilon)) <= delta


@lru_cache(maxsize=8)
def _above(losses: tuple[Fraction, ...], delta: Fraction) -> Above | None:
    """Return bounds on the gap of randomized responses together; None where none is computed."""
    from twoworlds.laws.grid import Grid, Part

    added = sum(losses, Fraction(0))
    if not added or added > _LARGEST:
        return None
    common = lcm(*(loss.denominator for loss in losses))
    unit = Fraction(gcd(*(int(loss * common) for loss in losses)), common)
    parts = (Part(_response(loss), times) for loss, times in Counter(losses).items())
    bits = _SPARE_BITS + max(0, delta.denominator.bit_length() - delta.numerator.bit_length())
    if added > unit * _MOST_UNITS:
        unit = Fraction(decimal(added / _MOST_UNITS))
    try:
        return Grid(tuple(parts), unit).above(bits)
    except TooLarge:
        return None


def _response(epsilon: Fraction) -> FiniteComparison:
    """Return randomized response: it tells the world, e^epsilon times as often right as wrong."""
    from twoworlds.laws.comparison import FiniteComparison

    true = 1 / (1 + exp(-epsilon))
    return FiniteComparison.of("one world", "the other", (0, 1), (true, 1 - true), (1 - true, true))


# --- what would fit -------------------------------------------------------------------------------


def way_out(batch: FixedBatch, fits: Callable[[Sequence[Cost]], bool]) -> str:
    """Say how a batch that is over budget could be released.

    ``fits`` tells whether charges, one after the other, are within all budgets.
    """
    if batch.composes and fits([Cost(batch.joint)]):
        return f"without the delta it costs epsilon {amount(batch.joint)}, which fits"
    if fits([Cost(epsilon) for epsilon in batch.losses]):
        return "released one by one these queries fit"
    return "give smaller epsilons, or ask the owner of the data for a larger budget"
