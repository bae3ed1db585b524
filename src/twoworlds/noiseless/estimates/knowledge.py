"""What breaks the guarantee of a likeliest law: knowing entries, or being unsure of the law.

Knowing more never helps privacy (`elections`), so the least number of known entries that makes
something fail is found by bisection. With a claim, that is where it fails. Without one there is no
line to cross, and two numbers are named: the first that makes the number found any worse, and the
first at which delta exceeds 1/2 (where that takes long, what one more known entry does).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, prod

from twoworlds.definitions.coupled.words import counted, short, weakens
from twoworlds.definitions.words import digits_apart
from twoworlds.laws.comparison import larger
from twoworlds.noiseless.estimates.elections import NOISELESS, Election, largest_delta
from twoworlds.numbers import INFINITY, Number, decimal, ln

_HALF = Fraction(1, 2)
_SOME = "knowing entries of others, as each known entry can weaken it"
_DEPENDENT = "entries that depend on one another, or come from other laws"
_SEARCHED = 1000  # points of the box times its rows, up to which the breaking point is looked for
_STEPPED = 20_000  # points of the box times choices of known entries, for one more known entry


def first_known(election: Election, fails: Callable[[Election], bool]) -> int | None:
    """Return the least number of known entries, above that of now, for which something fails.

    It must go on failing when more is known; None when it never fails.
    """
    low, high = election.known, election.people
    if high - low > 1 and fails(election.variant(known=low + 1)):
        return low + 1
    while high - low > 1:
        middle = (low + high) // 2
        if fails(election.variant(known=middle)):
            high = middle
        else:
            low = middle
    return None if high == election.people else high


def claim_breaks(
    election: Election, ratio: Number, delta: Fraction, fails: Callable[[Election], bool]
) -> str | None:
    """Say what breaks a claim that holds, if anything can, given how it fails."""
    if delta == 1:
        return None
    unsure = _unsure(election, ratio, delta)
    if not _searchable(election):
        return _listed(unsure, _SOME)
    first = first_known(election, fails)
    if first is None:
        return _listed(unsure)
    found = _delta(election.variant(known=first), ratio)
    worst = decimal(found, digits_apart(found, delta), "about")
    known = f"knowing {counted(first, 'entry', 'entries')} of others, after which delta can be"
    return _listed(unsure, f"{known} {worst}")


def delta_breaks(election: Election, ratio: Number, delta: Number) -> str | None:
    """Say what makes the delta that was found for a ratio worse, if anything can."""
    if delta == 1:
        return None

    def gives(more: Election) -> str:
        return f"delta {decimal(_delta(more, ratio), 3, 'about')}"

    return _weakened(election, ratio, delta, lambda more: larger(_delta(more, ratio), delta), gives)


def ratio_breaks(election: Election, ratio: Number, delta: Fraction) -> str | None:
    """Say what makes the ratio that was found for a delta worse, if anything can."""
    if ratio == INFINITY or delta == 1:
        return None

    def gives(more: Election) -> str:
        return f"epsilon {decimal(ln(_ratio(more, delta)), 3, 'about')} at delta {short(delta)}"

    return _weakened(
        election,
        ratio,
        delta,
        lambda more: larger(_ratio(more, delta), ratio),
        gives,
        where=" at this epsilon",
    )


def something_breaks(election: Election) -> str:
    """Say what breaks it where nothing can be counted."""
    unsure = election.definition == NOISELESS
    return _listed("being unsure which of the laws is true" if unsure else None, _SOME)


def _weakened(
    election: Election,
    ratio: Number,
    delta: Number,
    worse: Callable[[Election], bool],
    gives: Callable[[Election], str],
    *,
    where: str = "",
) -> str:
    unsure = _unsure(election, ratio, delta)
    if not _searchable(election):
        further = election.variant(known=election.known + 1) if _steppable(election) else None
        if further is None or not worse(further):
            return _listed(unsure, _SOME)
        return _listed(unsure, weakens(further.known, gives(further)))
    first = first_known(election, worse)
    if first is None:
        return _listed(unsure)
    beyond = None
    if not larger(delta, _HALF):
        beyond = first_known(election, lambda more: larger(_delta(more, ratio), _HALF))
    found = gives(election.variant(known=first))
    return _listed(unsure, weakens(first, found, beyond, limit=f"delta exceed 1/2{where}"))


def _unsure(election: Election, ratio: Number, delta: Number) -> str | None:
    """Say what noiseless privacy is to one who is not sure of the law, if that is worse."""
    if election.definition != NOISELESS:
        return None
    pairs = list(election.unsure_pairs())
    if not pairs or not larger(worst := largest_delta(pairs, ratio).value, delta):
        return None
    return (
        "being unsure which of the laws is true, since your entry tells about that, as the answer "
        f"does: delta is {decimal(worst, 3, 'about')} for one who gives all of them equal chances"
    )


def _listed(*parts: str | None) -> str:
    return "; ".join(part for part in (*parts, _DEPENDENT) if part is not None)


def _delta(election: Election, ratio: Number) -> Number:
    return election.worst_delta(ratio).value


def _ratio(election: Election, delta: Fraction) -> Number:
    return election.worst_ratio(delta).value


def _searchable(election: Election) -> bool:
    """Tell whether every number of known entries can be tried in little time."""
    extent = election.counting.grid.extent(election.people)
    points = prod(extent)  # looked at for each number of known entries, times the rows
    return election.counts is None and points * points // extent[-1] <= _SEARCHED


def _steppable(election: Election) -> bool:
    """Tell whether one more known entry can be tried in little time."""
    if election.counts is not None or election.known + 1 == election.people:
        return False
    kinds = len(election.family.kinds)
    choices = comb(election.known + kinds, kinds - 1)
    return choices * prod(election.counting.grid.extent(election.people)) <= _STEPPED
