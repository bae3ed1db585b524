"""Solving for what is unknown about a likeliest law: how many people, how many known entries."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from twoworlds.definitions.base import read_ratio
from twoworlds.definitions.coupled.words import first_where
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.noiseless.estimates.counting import largest_size, work
from twoworlds.noiseless.estimates.elections import DDP, NOISELESS, Election, first_known
from twoworlds.noiseless.estimates.family import LawFamily, rates
from twoworlds.noiseless.estimates.likeliest import allowed, judge, meets, read_election
from twoworlds.numbers import Number, Order, compare, counted, decimal, ln, whole
from twoworlds.progress import track

_TRIED_BLINDLY = 60
_WORK = 1 << 31  # bits of coefficients that one search may look at


def likeliest_known(
    laws: object,
    *,
    people: object,
    delta: object,
    ratio: object = None,
    epsilon: object = None,
    weights: object = None,
    least: object = None,
    definition: str = DDP,
    s: object = None,
) -> Verdict:
    """Return how many entries of others the attacker may know before a claim fails.

    Knowing more never helps privacy, so the largest number is found by bisection; the verdict is
    the one for it, and a note gives delta one entry further. If the claim fails although nobody
    knows anything, the verdict does not hold, a note says so, and it has no value ``known``.

    >>> found = likeliest_known(["1=3/4, 0=1/4", "1=1/4, 0=3/4"], people=61, epsilon=0, delta="0.1")
    >>> found.known, found.holds
    (Fraction(17, 1), True)
    """
    election = read_election(
        laws, people=people, weights=weights, least=least, definition=definition
    )
    factor, limit = _claimed(ratio, epsilon, delta)
    if not meets(election, factor, limit):
        failed = judge(election, factor, limit, s=s)
        note = "the claim does not hold even if nobody knows any entry"
        return replace(failed, notes=(note, *failed.notes))
    first = first_known(election, lambda more: not meets(more, factor, limit))
    most = election.people - 1 if first is None else first - 1
    verdict = judge(election.variant(known=most), factor, limit, s=s)
    if most == election.people - 1:
        beyond = "the claim holds even if all other entries are known"
    else:
        further = election.variant(known=most + 1).worst_delta(factor)[0]
        beyond = f"with {most + 1} known entries delta is {decimal(further, 3, 'about')}: too much"
    return _solved(verdict, "known", most, [beyond], "bisection: delta grows with what is known")


def likeliest_people(
    laws: object,
    *,
    delta: object,
    ratio: object = None,
    epsilon: object = None,
    weights: object = None,
    least: object = None,
    known: object = 0,
    definition: str = DDP,
    s: object = None,
    most: object = None,
) -> Verdict:
    """Return how many people it takes until a claim holds.

    delta need not fall with each further person (ties come and go), so the search is from above:
    Theorem 13 or 14 proves the claim from some size on, and exact counting walks down from there
    to the first size that fails; if that takes too long, the answer says below which size nothing
    was counted. Where the theorems say nothing, all sizes up to ``most`` are counted.

    >>> coins = ["1=3/4, 0=1/4", "1=1/4, 0=3/4"]
    >>> found = likeliest_people(coins, epsilon=0, delta="1e-3")
    >>> found.people, found.holds
    (Fraction(39, 1), True)
    """
    factor, limit = _claimed(ratio, epsilon, delta)
    first = whole(known, "known") + 1
    election = read_election(
        laws, people=first, weights=weights, least=least, known=known, definition=definition
    )
    proved = _proved_from(election, factor, limit, s)
    end = first + _TRIED_BLINDLY - 1 if most is None else whole(most, "most", at_least=first)
    if proved is not None and (most is None or end > proved):
        end = proved
    good, stopped = _walk_down(election, end, factor, limit)
    if good is None:
        raise Unsupported(_never(election.family, end, proved, known=first - 1))
    verdict = judge(replace(election, people=good), factor, limit, s=s)
    how = f"all sizes from {good} to {end} counted"
    if end == proved:
        how += ", all larger ones by Theorem 13 or 14"
    notes = [f"sizes below {good} were not counted"]
    if not stopped:
        notes = [_one_fewer(election, good, factor)]
    if end != proved:
        notes.append(f"sizes above {end} were not examined")
    return _solved(verdict, "people", good, notes, how)


def _claimed(ratio: object, epsilon: object, delta: object) -> tuple[Number, Fraction]:
    factor, limit = read_ratio(ratio, epsilon), allowed(delta)
    if factor is None or limit is None:
        raise InvalidInput("a claim needs epsilon (or ratio) and delta: give both")
    return factor, limit


def _proved_from(election: Election, ratio: Number, delta: Fraction, s: object) -> int | None:
    """Return a size from which on the theorems prove the claim, or None.

    For a fixed s each bound falls with every further person, so what holds at one size holds at
    all larger ones.
    """
    if len({tuple(law.items()) for law in election.family.laws}) < len(election.family.laws):
        return None  # two equal laws: u = 0, and the bounds never fall
    if election.family.largest_factor is None:
        return None
    if delta == 0 and (election.least is None or ratio == 1):
        return None

    def proves(people: int) -> bool:
        found = rates(
            election.family, people=people, known=election.known, least=election.least, s=s
        )
        twice = 2 if election.definition == NOISELESS else 1
        if delta and compare(twice * found.theorem_13_sharper, delta) is not Order.GREATER:
            return True
        fourteen = found.theorem_14
        return fourteen is not None and compare(fourteen, ln(ratio)) is not Order.GREATER

    return first_where(proves, election.known + 1)


def _walk_down(
    election: Election, end: int, ratio: Number, delta: Fraction
) -> tuple[int | None, bool]:
    """Return the smallest size from which all up to ``end`` meet the claim, and if work ran out."""
    largest = largest_size(election.family)
    if end > largest:
        raise TooLarge(
            f"by Theorem 13 or 14, {end} people are enough; the smallest number cannot be counted "
            f"exactly, as {largest} is the largest size that can: allow more, or choose fewer laws"
        )
    smallest, bits = None, 0
    for people in track(range(end, election.known, -1), "counting every size"):
        here = replace(election, people=people)
        if not meets(here, ratio, delta):
            break
        smallest = people
        bits += work(election.family, people)
        if bits > _WORK:
            return smallest, True
    return smallest, False


def _one_fewer(election: Election, people: int, ratio: Number) -> str:
    if people == election.known + 1:
        return "no smaller size makes sense"
    short = replace(election, people=people - 1).worst_delta(ratio)[0]
    fewer = counted(people - 1, "person", "people")
    return f"with {fewer} delta is {decimal(short, 3, 'about')}: too much"


def _never(family: LawFamily, end: int, proved: int | None, *, known: int) -> str:
    if proved is not None:
        return f"people={end} does not meet the claim; from {proved} on every size does"
    hint = (
        "two of the laws are the same, so the answer keeps depending on single entries"
        if len({tuple(law.items()) for law in family.laws}) < len(family.laws)
        else "no theorem promises that it ever will: allow delta above 0, or raise most"
    )
    aware = f" with {counted(known, 'known entry', 'known entries')}" if known else ""
    return f"the claim is not met by {counted(end, 'person', 'people')}{aware}, and {hint}"


def _solved(verdict: Verdict, name: str, value: int, notes: list[str], method: str) -> Verdict:
    return replace(
        verdict,
        values={name: Fraction(value), **verdict.values},
        notes=(*notes, *verdict.notes),
        method=f"{method}; {verdict.method}",
    )
