"""What breaks a guarantee that rests on beliefs: the smallest extra knowledge that does.

The attacker is told the entries of one person, then of two, and so on, until the number exceeds
what was promised. All choices of so many persons are tried, as long as that is cheap; where the
search ends early, `Breaks` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

from twoworlds.numbers import Number, Order, compare, show
from twoworlds.worlds.joint import BeliefClass

__all__ = ["Breaks", "broken_by", "entries"]

_MOST_WORK = 1 << 12
_BITS = 256
_WHICH = "which further knowledge breaks it was not searched"
TOO_COSTLY = f"{_WHICH}: that would take too long"


class Breaks(NamedTuple):
    """What was found to break a guarantee, and what was not searched."""

    by: str | None = None
    unsearched: str | None = None


def entries(beliefs: BeliefClass) -> int | None:
    """Return how many entries every database has; None where they differ, or are no lists."""
    sizes = {
        len(x) if isinstance(x, tuple) else None for member in beliefs for x in member.databases
    }
    return sizes.pop() if len(sizes) == 1 else None


def broken_by(
    beliefs: BeliefClass, number: Callable[[BeliefClass], Number], allowed: Number, what: str
) -> Breaks:
    """Return the smallest set of entries whose knowledge raises a number above what is allowed.

    Args:
        beliefs: the class to which knowledge is added.
        number: computes the number for a class.
        allowed: what it may be.
        what: its name, such as "delta".
    """
    n = entries(beliefs)
    if n is None:
        return Breaks(unsearched=f"{_WHICH}: the databases are no lists of one length")
    work = sum(len(member) for member in beliefs) * n
    for k in range(1, n + 1):
        if work * comb(n, k) > _MOST_WORK:
            return Breaks(unsearched=_ended(k - 1))
        worst: tuple[Number, tuple[int, ...]] | None = None
        for chosen in combinations(range(n), k):
            value = number(beliefs.knowing(_known(chosen), "more"))
            if worst is None or compare(value, worst[0], limit=_BITS) is Order.GREATER:
                worst = value, chosen
        assert worst is not None
        if compare(worst[0], allowed, limit=_BITS) is Order.GREATER:
            named = " and ".join(str(i + 1) for i in worst[1])
            whose = f"the entr{'y of person' if k == 1 else 'ies of persons'} {named} too"
            return Breaks(f"knowing {whose}: {what} is then {show(worst[0], side='at least')}")
    return Breaks()


def _ended(k: int) -> str:
    if k == 0:
        return TOO_COSTLY
    known = "any one entry" if k == 1 else f"any {k} entries"
    return f"knowing {known} too does not break it; whether knowing more does was not searched"


def _known(chosen: tuple[int, ...]) -> Callable[[Any], Hashable]:
    return lambda x: tuple(x[i] for i in chosen)
