r"""Verdicts on semantic privacy with a failure probability: numbers known between two ends.

`failure_verdict` answers how likely a breach of a given difference can be, `difference_verdict`
how large a difference goes with a given failure probability, and `claim_verdict` whether both
together hold: yes, if the upper end is small enough, no, with the belief that shows it, if the
lower end is too large, and otherwise the verdict is undecided and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from twoworlds.charts import Chart, Span
from twoworlds.definitions.semantics.failure import Ends, FailureCurve, enclosure
from twoworlds.definitions.semantics.witnesses import BeliefFailure
from twoworlds.definitions.verdict import Proof, Verdict
from twoworlds.definitions.words import at_least, moved_too_often, percent
from twoworlds.errors import Undecided
from twoworlds.numbers import Number, Order, above, below, bounds, compare, show, to_json

_FINE, _COARSE, _COARSEST = 10**6, 10**3, 64
_MORE = Fraction(1, 1000)
_NAME = "semantic privacy"


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
    return Bounded(
        failure.mechanism.expression,
        _NAME,
        {"epsilon": epsilon, "delta": ends.value},
        _sentence(ends),
        assumptions,
        witness=ends.witness,
        method=f"upper end: {ends.source}",
        notes=_notes("delta", ends.lower, ends.upper, ends.witness, exact=ends.exact),
        exact=failure.mechanism.exact,
        lower=ends.lower,
        upper=ends.upper,
    )


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
        bound = failure.upper(Fraction(k, steps)).value
        return compare(bound, delta) in (Order.LESS, Order.EQUAL)

    def too_little(k: int) -> bool:
        shown, _ = failure.lower(Fraction(k, steps), bounds(delta)[1] + _MORE)
        return compare(shown, delta) is Order.GREATER

    high = _first(enough, 0, steps)
    low = _first(lambda k: not too_little(k), 0, high) - 1
    lower = Fraction(max(low, 0), steps)
    upper: Number = Fraction(high, steps)
    top = failure.supremum
    if top is not None and compare(top, upper) is Order.LESS:
        upper = top
    exact = compare(lower, upper) is Order.EQUAL
    witness = failure.lower(lower)[1] if low >= 0 else None
    value = upper if exact else enclosure(lower, upper)
    return Bounded(
        failure.mechanism.expression,
        _NAME,
        {"epsilon": value, "delta": delta},
        _difference_sentence(upper, delta),
        assumptions,
        witness=witness,
        method=f"upper end: {failure.upper(upper).source}",
        notes=(
            *_notes("epsilon", lower, upper, witness, exact=exact),
            f"looked for in steps of 1/{steps}",
        ),
        exact=failure.mechanism.exact,
        lower=lower,
        upper=upper,
        bounded="epsilon",
    )


def _difference_sentence(upper: Number, delta: Number) -> str:
    if compare(upper, 1) is not Order.LESS or compare(delta, 1) is not Order.LESS:
        return (
            "Nothing is promised: whatever difference is named, no chance is proved of staying "
            "within it for every belief."
        )
    return (
        f"Whatever someone believed before, with probability at least {at_least(delta)} the answer "
        "moves their beliefs, compared with the same answer computed without you, by at most "
        f"{percent(upper)} of probability in total."
    )


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return a k from which on it seems to hold, by bisection; it holds at ``high`` for certain."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return high


def _sentence(ends: Ends) -> str:
    moved = percent(ends.epsilon)
    if ends.upper == 0:
        return (
            "Whatever someone believed before, this answer never moves their beliefs, compared "
            f"with the same answer computed without you, by more than {moved} of probability."
        )
    some = ""
    if ends.lower != 0:
        chance = show(ends.lower, side="at least")
        exceeded = percent(ends.epsilon, side="down")
        some = f" Some attacker sees more than {exceeded} with probability {chance}."
    if compare(ends.upper, 1) is not Order.LESS:
        return (
            f"Nothing is promised: no chance is proved of staying within {moved} of probability "
            f"for every belief.{some}"
        )
    return (
        f"Whatever someone believed before, with probability at least {at_least(ends.upper)} this "
        "answer moves their beliefs, compared with the same answer computed without you, by at "
        f"most {moved} of probability in total.{some}"
    )


def _notes(
    name: str, lower: Number, upper: Number, witness: Proof | None, *, exact: bool
) -> tuple[str, ...]:
    if exact:
        near = isinstance(witness, BeliefFailure) and witness.failure < lower
        how = "approached by beliefs such as the one shown" if near else "both ends meet"
        return (f"{name} is exact: {how}",)
    found = f"{name} lies between {show(lower, side='down')} and {show(upper, side='up')}"
    if witness is None:
        return (f"{found}; no belief was found that gives a lower end above 0",)
    return (f"{found}; the lower end is that of the belief shown",)
