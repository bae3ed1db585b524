"""Guarantees in words: what a person is promised, odds first, said for whom.

For differential privacy with ratio r = e^epsilon and delta = 0 two promises hold, and they differ:

    whoever knows everybody else's record   odds move by at most r, beliefs by tanh(epsilon/4)
    whatever anybody believes               the odds with your data used and the odds without
                                            differ by at most r^2, the beliefs by tanh(epsilon/2)

(Kasiviswanathan & Smith, Theorem 2.2 and Section 2.1, in their tight forms). The first compares the
belief after with the belief before; the second compares the two worlds.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from twoworlds.definitions.words import Subject, delta_sentence, largest_posterior, percent
from twoworlds.numbers import INFINITY, Number, bounds, decimal
from twoworlds.theorems.formulas import tanh_half, tanh_quarter
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.worlds import SUBSTITUTE

__all__ = ["PRIORS", "Row", "sentences", "table"]

PRIORS = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))


class Row(NamedTuple):
    """A belief without you, and the largest it can be with you."""

    prior: Fraction
    known_others: Number
    any_belief: Number


def table(guarantee: Guarantee) -> list[Row]:
    """Return, for beliefs of 1, 10 and 50 %, the largest they can become.

    >>> row = table(Guarantee.parse("dp(ratio=3)"))[2]
    >>> row.known_others, row.any_belief
    (Fraction(3, 4), Fraction(9, 10))
    """
    ratio = _pure_ratio(guarantee)
    if ratio is None:
        return []
    squared = INFINITY if ratio == INFINITY else ratio**2
    return [
        Row(prior, largest_posterior(prior, ratio), largest_posterior(prior, squared))
        for prior in PRIORS
    ]


def sentences(guarantee: Guarantee) -> Iterator[str]:
    """Yield what a guarantee promises a person, in plain words."""
    ratio = _pure_ratio(guarantee)
    if ratio is not None and ratio != INFINITY:
        yield _any_belief(ratio)
        yield _known_others(ratio)
    elif guarantee.kind == "dp":
        subject = Subject.of(guarantee.group, guarantee.neighbours)
        yield delta_sentence(subject, guarantee.ratio, guarantee.delta)
    elif guarantee.kind == "semantic":
        yield _semantic(guarantee)
    else:
        yield f"{guarantee}: {_TITLES.get(guarantee.kind, 'a guarantee without words of its own')}"


def _any_belief(ratio: Number) -> str:
    moved = tanh_half(ratio)
    return (
        "Whatever someone believed about you, this answer moves their belief, compared with the "
        f"same answer computed without you, by at most {percent(moved)[:-1]} percentage points; "
        f"odds of 1 to 99 become at most 1 to {_against(ratio**2)}."
    )


def _known_others(ratio: Number) -> str:
    moved = tanh_quarter(ratio)
    return (
        "If they know everybody else's record, the answer moves their belief by at most "
        f"{percent(moved)[:-1]} percentage points from what it was before; odds of 1 to 99 become "
        f"at most 1 to {_against(ratio)}."
    )


def _against(factor: Number) -> str:
    """Return 99 / factor, rounded down: the odds against, never overstated."""
    low, _ = bounds(99 / factor)
    return str(int(low)) if low >= 10 else decimal(99 / factor, 2, "down")


def _semantic(guarantee: Guarantee) -> str:
    failure = (
        ""
        if guarantee.delta == 0
        else f", except with probability {decimal(guarantee.delta, 3)} over data and noise"
    )
    return (
        "Whatever someone believed, leaving out your data changes what they conclude by at most "
        f"{percent(guarantee.epsilon)[:-1]} percentage points{failure}."
    )


def _pure_ratio(guarantee: Guarantee) -> Number | None:
    plain = guarantee.delta == 0 and guarantee.group == 1 and guarantee.neighbours == SUBSTITUTE
    if guarantee.kind != "dp" or not plain:
        return None
    return guarantee.ratio


_TITLES = {
    "statistical-difference": "no event's probability changes by more; that alone protects nobody",
    "informed": "whoever knows everybody else's record learns at most this much",
}
