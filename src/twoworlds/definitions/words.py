"""Answers in words: odds first, then probabilities, for people who do not think in epsilon.

A ratio r = e^epsilon bounds how far the odds between two neighbouring worlds can move on seeing
the output: prior odds o become at most o r. With prior probability w the posterior is at most
w r / (1 - w + w r). That is so for whoever knows all other records. Others also learn about you
from the others' data; for them the odds with your data and the odds without differ by at most r^2,
since your data may make one possibility r times likelier and another r times less likely. Where
each record is randomized on its own, the factors of the others cancel, and they differ by at most
r. With delta, the sentence states the definition itself: what an event's probability can become.

Then the sentences that lead a refuted claim, which say what happens and what was claimed, and the
one for a difference of conclusions with a failure probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil

from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Side,
    at_most_one,
    bounds,
    compare,
    decimal,
    show,
    sqrt,
)
from twoworlds.worlds import ADD_REMOVE, EXPLICIT, SUBSTITUTE

_SMALLEST_PLAIN = 6
_MOST_DIGITS = 12
_ON_TOP = "what they learn about you from the others' data comes on top, with your data or without."
_GUESSING = "someone who knows everyone else and guesses at even odds"
_WHY = {
    False: "The factor is squared, since your data can speak for one possibility and against "
    f"another; {_ON_TOP}",
    True: f"The factor is the same, since your record is randomized on its own; {_ON_TOP}",
}


@dataclass(frozen=True)
class Subject:
    """Whom a sentence speaks of: ``who`` is protected against the ``attacker`` described.

    ``alone`` says of one person's record that it is randomized on its own, or is the only one.
    """

    who: str
    attacker: str
    instead: str
    one_person: bool = False
    alone: bool = False

    def swing(self, ratio: Number) -> Number:
        """Return how far the odds with your data and without can be apart, for any belief."""
        return ratio if self.alone or ratio == INFINITY else ratio**2

    @staticmethod
    def of(group: int, relation: str = SUBSTITUTE) -> Subject:
        """Choose the words for a group size and a neighbour relation."""
        if relation == EXPLICIT:
            return Subject(
                "the true database",
                "Someone who knows that the true database is one of two listed neighbours, "
                "and gives them even odds,",
                "had the true database been the listed neighbour",
            )
        if relation == ADD_REMOVE:
            return _present_or_absent(group)
        if group == 1:
            return Subject(
                "your record",
                "Someone who knows everybody else's record and gives even odds to two possible "
                "values of yours",
                "had your record been different",
                one_person=True,
            )
        return Subject(
            f"the records of {group} people",
            f"Someone who knows every record but those of {group} people and gives even odds to "
            "two possibilities for these",
            f"had the records of {group} people been different",
        )


def _present_or_absent(group: int) -> Subject:
    """Speak of being in the data or not: add-remove compares nothing else."""
    if group == 1:
        return Subject(
            "whether you are in the data",
            "Someone who knows all other records, and what yours would be, and gives even odds to "
            "your being in the data or not",
            "had you not been in the data, or been added to it,",
            one_person=True,
        )
    return Subject(
        f"{group} records more or less",
        "Someone who gives even odds to two databases, one of which is the other with "
        f"{group} records added or taken out,",
        f"had {group} records been added or taken out",
    )


def largest_posterior(prior: Fraction, ratio: Number) -> Number:
    """Return w r / (1 - w + w r), the largest belief that prior w can become.

    >>> largest_posterior(Fraction(1, 2), Fraction(3))
    Fraction(3, 4)
    """
    if ratio == INFINITY:
        return Fraction(1)
    return prior * ratio / (1 - prior + prior * ratio)


def guess_sentence(subject: Subject, chance: Number) -> str:
    """Say how often a guess at even odds is right, of 100 people, or of more where 100 are few.

    >>> print(guess_sentence(Subject.of(1), Fraction(3, 4)))
    Of 100 people in your position, someone who knows everyone else and guesses at even odds would \
be right about at most 75 (50 without your data).
    """
    for zeros in range(2, 7):
        of = 10**zeros
        low, high = bounds(chance * of)
        if chance in (Fraction(1, 2), 1) or (low - of // 2 >= 1 and of - high >= 1):
            break
    else:
        told = "just over half of them" if low < of * 3 // 4 else "practically all of them"
        return f"{_GUESSING} would be right about {told} (half without your data)."
    return (
        f"Of {of:,} people in your position, {_GUESSING} would be right about at most "
        f"{ceil(high):,} ({of // 2:,} without your data)."
    )


def _both_attackers(subject: Subject, ratio: Number) -> str:
    """Say what a pure ratio means, also for those who do not know all other records."""
    if ratio == 1:
        return (
            f"The output says nothing about {subject.who}: whatever odds someone gave before, "
            "they are the same afterwards."
        )
    if ratio == INFINITY:
        return (
            f"Rare outputs can move the odds on {subject.who} by any factor, however large: "
            "no epsilon holds without a delta, and every delta above 0 has its epsilon."
        )
    half = largest_posterior(Fraction(1, 2), ratio)
    one = largest_posterior(Fraction(1, 100), ratio)
    known = (
        f"{subject.attacker} can end up at odds of at most {_factor(ratio)} to 1: "
        f"50% becomes at most {percent_above(Fraction(1, 2), half)}, and 1% at most "
        f"{percent_above(Fraction(1, 100), one)}."
    )
    if not subject.one_person:
        return known
    return f"{known} {any_belief(subject.swing(ratio))} {_WHY[subject.alone]}"


def any_belief(factor: Number) -> str:
    """Say how far odds and beliefs with your data and without it can be apart, for any belief.

    Odds that differ by a factor R are beliefs that differ by (sqrt R - 1) / (sqrt R + 1) at most.
    """
    root = sqrt(factor)
    moved = (root - 1) / (root + 1)
    return (
        "Whatever someone believed about you, this answer moves their belief, compared with the "
        f"same answer computed without you, by at most {points(moved)}; odds of 1 to 99 become "
        f"at most {odds_from_99(factor)}."
    )


def odds_from_99(factor: Number) -> str:
    """Write what odds of 1 to 99 become, never understated."""
    if compare(factor, 99) is Order.GREATER:
        return f"{decimal(factor / 99, 2)} to 1"
    low, _ = bounds(99 / factor)
    if low > 98:
        return f"1 to {decimal(99 / factor, 6, 'down')}"
    return f"1 to {int(low) if low >= 10 else decimal(99 / factor, 2, 'down')}"


def points(difference: Number, *, digits: int = 3, side: Side = "up") -> str:
    """Write a difference of probabilities in percentage points.

    >>> points(Fraction(1, 3)), points(Fraction(1, 100)), points(Fraction(1, 3), side="at least")
    ('33.4 percentage points', '1 percentage point', 'at least 33.3 percentage points')
    """
    number = percent(difference, digits=digits, side=side)[:-1]
    return f"{number} percentage point{'' if number == '1' else 's'}"


def delta_sentence(subject: Subject, ratio: Number, delta: Number) -> str:
    """Say what (ratio, delta) means: how likely an event can become."""
    if delta == 0:
        return _both_attackers(subject, ratio)
    top = decimal(at_most_one(delta), 3, "about")
    if ratio == INFINITY:
        return (
            f"With probability {top} the output can be one that is impossible in the other world: "
            f"it then shows something about {subject.who} for certain, whatever the epsilon."
        )
    raised = ratio * Fraction(1, 10) + delta
    if compare(raised, 1) is not Order.LESS:
        raised = Fraction(1)
    times = "equally" if ratio == 1 else f"{decimal(ratio, 4, 'about')} times as"
    return (
        f"Anything that would happen with probability 10% {subject.instead} "
        f"happens with probability at most {percent(raised)} ({times} likely, plus {top})."
    )


def percent(x: Number, *, digits: int = 3, side: Side = "up") -> str:
    """Write a probability as a percentage, rounded to the side, with its word (see `decimal`).

    >>> percent(Fraction(1, 3)), percent(Fraction(1, 3), side="about"), percent(Fraction(1, 4))
    ('33.4%', 'about 33.4%', '25%')
    """
    word, space, number = decimal(at_most_one(x), digits, side).rpartition(" ")
    shifted = Decimal(number).scaleb(2).normalize()
    small = shifted != 0 and shifted.adjusted() < -_SMALLEST_PLAIN
    return f"{word}{space}{shifted:e}%" if small else f"{word}{space}{shifted:f}%"


def percent_above(prior: Fraction, x: Number) -> str:
    """Write what a probability becomes, finely enough to tell it from what it was, and from 1.

    >>> half, tiny = Fraction(1, 2), Fraction(1, 10**30)
    >>> [percent_above(half, x) for x in (Fraction(3, 4), Fraction("0.50001"), half + tiny)]
    ['75%', '50.001%', 'just above 50%']
    """
    digits = _digits(prior, x, 3)
    if digits is None:
        return f"just above {percent(prior)}"
    text = percent(x, digits=digits)
    return "just below 100%" if text == "100%" and compare(x, 1) is Order.LESS else text


def _factor(ratio: Number) -> str:
    digits = _digits(Fraction(1), ratio, 4)
    return "just above 1" if digits is None else decimal(ratio, digits)


def _digits(floor: Fraction, x: Number, least: int) -> int | None:
    """Return how many digits keep the rounded distance from the floor within twice the true one."""
    distance, _ = bounds(x - floor)
    for digits in range(least, _MOST_DIGITS + 1):
        if Fraction(decimal(x, digits)) - floor <= 2 * distance:
            return digits
    return None


# --- refuted claims -------------------------------------------------------------------------------


def points_claimed(difference: Number, claimed: Number) -> tuple[str, str]:
    """Write a difference in percentage points, and the smaller one that was claimed.

    >>> points_claimed(Fraction(1, 2), Fraction(1, 4))
    ('50 percentage points', '25')
    >>> points_claimed(Fraction(1, 3), Fraction("0.3333"))
    ('at least 33.333 percentage points', '33.33')
    """
    digits = digits_apart(difference, claimed)
    claim = percent(claimed, digits=digits, side="about")[:-1]
    return points(difference, digits=digits, side="at least"), claim


def digits_apart(found: Number, claimed: Number, fewest: int = 3) -> int:
    """Return how many digits tell what was found, rounded down, from what was claimed."""
    if INFINITY in (found, claimed):
        return fewest
    for digits in range(fewest, _MOST_DIGITS):
        if Fraction(decimal(found, digits, "down")) > Fraction(decimal(claimed, digits)):
            return digits
    return _MOST_DIGITS


def event_exceeds(difference: Number, claimed: Number, who: str) -> str:
    """Say that an event moves more than claimed."""
    moved, claim = points_claimed(difference, claimed)
    return f"An event becomes {moved} likelier through {who}, more than the {claim} claimed."


def outweighed(p: Number, q: Number, ratio: Number, delta: Number) -> str:
    """Say that an event of probability p has more than a q + delta."""
    allowed = at_most_one(delta if ratio == INFINITY else ratio * q + delta)
    digits = digits_apart(p, allowed, 4)
    here, there = decimal(p, digits, "at least"), decimal(q, digits, "at most")
    return (
        f"An event has probability {here} in one world and {there} in the other, where the claim "
        f"allows at most {decimal(allowed, digits)}."
    )


def moved_too_far(difference: Number, claimed: Number) -> str:
    """Say that some belief differs by more than claimed."""
    moved, claim = points_claimed(difference, claimed)
    return (
        "Some attacker's conclusions with and without the data of one person lie "
        f"{moved} apart, more than the {claim} claimed."
    )


def moved_too_often(chance: Number, epsilon: Number, claimed: Number, whose: str) -> str:
    """Say that a breach is likelier than claimed; ``chance`` is known from below."""
    digits = digits_apart(at_most_one(chance), claimed)
    often = decimal(at_most_one(chance), digits, "at least")
    return (
        f"{whose}, the conclusions with and without the data of some person lie more than "
        f"{points(epsilon, side='down')} apart with probability {often}, more than the "
        f"{decimal(claimed, digits, 'about')} claimed."
    )


# --- conclusions that differ ----------------------------------------------------------------------


def difference_sentence(
    whose: str, epsilon: Number, delta: Number, shown: Number | None = None
) -> str:
    """Say that conclusions differ by at most epsilon, but for delta.

    Args:
        whose: whose conclusions, such as "For this belief".
        epsilon: the difference.
        delta: the failure probability, or a bound on it.
        shown: where delta is only a bound, a failure probability that does occur.

    >>> from fractions import Fraction
    >>> difference_sentence("For this belief", Fraction(1, 5), Fraction(1))
    'For this belief, nothing is promised: no chance of staying within 20% is left.'
    >>> difference_sentence("For any belief", Fraction(1, 5), Fraction(1), Fraction(3, 4))
    'For any belief, no chance of staying within 20% is proved; at most 1/4 (0.25) is left.'
    """
    if compare(epsilon, 1) is not Order.LESS:
        return (
            f"{whose}, nothing is promised: the conclusions with and without one person may differ "
            "by as much as conclusions can."
        )
    sure = delta if shown is None else shown
    if compare(delta, 1) is not Order.LESS and compare(sure, 1) is not Order.EQUAL:
        return (
            f"{whose}, no chance of staying within {percent(epsilon)} is proved; at most "
            f"{show(1 - bounds(sure)[0], side='up')} is left."
        )
    if compare(delta, 1) is not Order.LESS:
        return (
            f"{whose}, nothing is promised: no chance of staying within {percent(epsilon)} is left."
        )
    if delta == 0:
        return (
            f"{whose}, whatever the output, the conclusions with and without any one person differ "
            f"by at most {percent(epsilon)}."
        )
    return (
        f"{whose}, with probability at least {at_least(delta)} the conclusions with and without "
        f"any one person differ by at most {percent(epsilon)}."
    )


def at_least(delta: Number) -> str:
    """Write 1 - delta, rounded down."""
    return show(1 - bounds(delta)[1], side="down")
