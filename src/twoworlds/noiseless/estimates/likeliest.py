r"""Publishing which of several laws is the likeliest, without noise: exact delta and epsilon.

The curator names F(x) = argmax_j pi_j prod f_j(x_i), ties to the first (`Family`; Bassily, Groce,
Katz & Smith, Section III-C). The belief class is the paper's: the entries are independent draws
from one of the laws, and the attacker has a prior on which. It may be any prior at all (Delta,
Theorem 13), any that gives every law at least lambda (Delta_lambda, Theorem 14), or certainty of
one law, whichever it is (Theorem 17); in each, L entries may be known (Theorem 15).

Distributional privacy compares the answer with your entry and without it, by the canonical
simulator (the same estimate from the others' entries). Noiseless privacy compares two values of
your entry, and its number holds only for one who is certain of the law: to anybody else your entry
tells about the law, which the answer is meant to tell (two coins of bias 3/4 and 1/4, 41 people,
epsilon = 0: delta is 0.0004 to the certain, 0.5 to one who holds both for equally likely).

Any other simulator. Let P, P' be the answers with values v, v' of your entry, one law being true,
and S that of a simulator, which sees the same others in both. If P <= a S + delta and
S <= a P' + delta for all events, then P <= a^2 P' + (1 + a) delta, so that no simulator has a delta
below H(P, P') / (1 + a), where H(P, P') is the largest P(E) - a^2 P'(E).

Exact: all numbers are probabilities counted in integers (`counting`), the worst prior is an
extreme one (`elections`), and the theorems' bounds stand beside them (`rates`). Not guaranteed:
anything against attackers who hold the entries for dependent, or drawn from other laws.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from twoworlds.definitions.base import read_ratio
from twoworlds.definitions.coupled.words import counted
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.noiseless.data import ExactRelease, Missing, read_column
from twoworlds.noiseless.estimates.counting import largest_size
from twoworlds.noiseless.estimates.elections import DDP, NOISELESS, Election
from twoworlds.noiseless.estimates.family import LawFamily, rates
from twoworlds.noiseless.estimates.question import judge, meets, most_known, read_election
from twoworlds.numbers import Number, Order, compare, decimal, ln, probability, whole
from twoworlds.progress import track

_TRIED_BLINDLY = 60
_WORK = 1 << 31  # bits of coefficients that one search may look at


def likeliest(
    laws: object,
    *,
    people: object,
    weights: object = None,
    least: object = None,
    known: object = 0,
    known_values: object = None,
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
    definition: str = DDP,
    s: object = None,
) -> Verdict:
    """Judge the release of the likeliest law of so many people's entries.

    With a ratio (or epsilon) the exact delta is found; with delta as well, the claim is decided;
    with delta alone, the smallest epsilon. With none of them: delta at epsilon = 0 (Theorem 13), or
    epsilon at delta = 0 where ``least`` is given (Theorem 14).

    Args:
        laws: texts such as ``1=3/4, 0=1/4``, mappings, or a `Family`.
        people: how many entries there are, yours included.
        weights: the curator's weights of the laws; equal when not given.
        least: the least prior probability that anybody gives to any law; None allows all priors.
        known: how many entries of others the attacker may know; the worst ones are assumed.
        known_values: which ones, as in ``1=20`` or {1: 20}; then exactly these are known.
        ratio: e^epsilon.
        epsilon: its logarithm.
        delta: the probability that the claim allows.
        definition: ``ddp`` (distributional privacy) or ``noiseless``.
        s: the exponent of the theorems' bounds; the best one when not given.

    >>> coins = ["1=3/4, 0=1/4", "1=1/4, 0=3/4"]
    >>> found = likeliest(coins, people=41)
    >>> round(float(found.delta), 9), round(float(found.theorem_13), 6)
    (0.000397577, 0.012685)
    >>> round(float(likeliest(coins, people=41, least="1/4").epsilon), 9)
    0.003963927
    """
    election = read_election(
        laws,
        people=people,
        weights=weights,
        least=least,
        known=known,
        known_values=known_values,
        definition=definition,
    )
    return judge(election, read_ratio(ratio, epsilon), _allowed(delta), s=s)


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
    factor, allowed = _claimed(ratio, epsilon, delta)
    if not meets(election, factor, allowed):
        failed = judge(election, factor, allowed, s=s)
        note = "the claim does not hold even if nobody knows any entry"
        return replace(failed, notes=(note, *failed.notes))
    most = most_known(election, factor, allowed)
    verdict = judge(election.variant(known=most), factor, allowed, s=s)
    if most == election.people - 1:
        beyond = "the claim holds even if all other entries are known"
    else:
        further = election.variant(known=most + 1).worst_delta(factor).value
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
    to the first size that fails. If that takes too long, it goes on from below, and the answer
    says which sizes in between were not counted. Where the theorems say nothing, all sizes up to
    ``most`` are counted.

    >>> coins = ["1=3/4, 0=1/4", "1=1/4, 0=3/4"]
    >>> found = likeliest_people(coins, epsilon=0, delta="1e-3")
    >>> found.people, found.holds
    (Fraction(39, 1), True)
    """
    factor, allowed = _claimed(ratio, epsilon, delta)
    first = whole(known, "known") + 1
    election = read_election(
        laws, people=first, weights=weights, least=least, known=known, definition=definition
    )
    proved = _proved_from(election, factor, allowed, s)
    end = first + _TRIED_BLINDLY - 1 if most is None else whole(most, "most", at_least=first)
    if proved is not None and (most is None or end > proved):
        end = proved
    good, stopped = _walk_down(election, end, factor, allowed)
    if good is None:
        raise Unsupported(_never(election.family, end, proved, known=first - 1))
    smallest, reached = good, good
    if stopped:
        smallest, reached = _walk_up(election, good, factor, allowed)
    verdict = judge(replace(election, people=smallest), factor, allowed, s=s)
    how = f"all sizes from {good} to {end} counted"
    if end == proved:
        how += ", all larger ones by Theorem 13 or 14"
    notes = [_one_fewer(election, smallest, factor)]
    if smallest < good:
        how = f"all sizes from {smallest} to {reached} counted, {how}"
    if reached + 1 < good:
        notes.append(f"sizes from {reached + 1} to {good - 1} were not counted")
    if end != proved:
        notes.append(f"sizes above {end} were not examined")
    return _solved(verdict, "people", smallest, notes, how)


def release_likeliest(
    path: str | Path,
    column: str,
    laws: object,
    *,
    weights: object = None,
    missing: Missing = "refuse",
    **asked: Any,
) -> ExactRelease:
    """Name the likeliest law of a column, and judge that release under the belief class.

    Every value must be possible under some law. The number of people is the number of rows, and is
    taken to be public. If a claim is made (epsilon and delta) that is not proven to hold, the
    answer is withheld.
    """
    family = LawFamily.of(laws, weights)  # type: ignore[arg-type]
    entries = read_column(path, column, missing=missing)
    if not entries:
        raise InvalidInput(f"column {column!r} has no rows: there is nothing to judge by")
    named = family.estimate(entries)
    verdict = likeliest(family, people=len(entries), **asked)
    numbers = [asked.get(name) is not None for name in ("ratio", "epsilon", "delta")]
    claimed = numbers[2] and any(numbers[:2])
    value = None if claimed and verdict.holds is not True else Fraction(named)
    return ExactRelease(verdict, "law", value, len(entries))


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

    low, high = election.known, election.known + 1
    while not proves(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if proves(middle) else (middle, high)
    return high


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
    smallest, work = None, 0
    for people in track(range(end, election.known, -1), "counting every size"):
        here = replace(election, people=people)
        if not meets(here, ratio, delta):
            break
        smallest = people
        work += here.counting.bits
        if work > _WORK:
            return smallest, True
    return smallest, False


def _walk_up(election: Election, good: int, ratio: Number, delta: Fraction) -> tuple[int, int]:
    """Return the first and last of some sizes, all counted, that meet the claim.

    Bisection finds a size that does while one person fewer does not; counting goes on from there,
    and begins anew where a size fails.
    """
    low, high = election.known, good
    while high - low > 1:
        middle = (low + high) // 2
        enough = meets(replace(election, people=middle), ratio, delta)
        low, high = (low, middle) if enough else (middle, high)
    first: int | None = high
    work, last = 0, high
    for people in track(range(high + 1, good), "counting every size"):
        here = replace(election, people=people)
        work += here.counting.bits
        if work > _WORK:
            break
        last = people
        if not meets(here, ratio, delta):
            first = None
        elif first is None:
            first = people
    return (good, good) if first is None else (first, last)


def _one_fewer(election: Election, people: int, ratio: Number) -> str:
    if people == election.known + 1:
        return "no smaller size makes sense"
    short = replace(election, people=people - 1).worst_delta(ratio).value
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


def _claimed(ratio: object, epsilon: object, delta: object) -> tuple[Number, Fraction]:
    factor, allowed = read_ratio(ratio, epsilon), _allowed(delta)
    if factor is None or allowed is None:
        raise InvalidInput("a claim needs epsilon (or ratio) and delta: give both")
    return factor, allowed


def _allowed(delta: object) -> Fraction | None:
    return None if delta is None else probability(delta, "delta")
