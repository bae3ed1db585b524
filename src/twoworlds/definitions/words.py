"""Answers in words: one guess at even odds first, then odds and beliefs for those who want them.

Somebody who holds two neighbouring worlds equally likely and names one after seeing the output is
right with probability (1 + d)/2 at most, where d is the largest difference P(E) - Q(E) over events
E: the gap at ratio 1. Of (ratio r, delta) alone follows (r + delta)/(r + 1). `guess_sentence` says
that of 100 people, and `strength` puts a word to it.

The longer sentences: a ratio r = e^epsilon bounds how far the odds between two neighbouring worlds
can move on seeing the output: prior odds o become at most o r. With prior probability w the
posterior is at most w r / (1 - w + w r). That holds for someone who knows all other records. Others
also learn about you from the others' data; for them the odds with your data and the odds without
differ by at most r^2, since your data may make one possibility r times likelier and another r times
less likely. Where each record is randomized on its own, the factors of the others cancel, and they
differ by at most r. With delta, the sentence states the definition itself: what an event's
probability can become.

Then the sentences that lead a refuted claim, which say what happens and what was claimed, and the
one for a difference of conclusions with a failure probability.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil

from twoworlds.charts import Icons
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Side,
    at_most_one,
    bounds,
    compare,
    decimal,
    ln,
    show,
    sqrt,
)
from twoworlds.worlds import (
    ADD_REMOVE,
    EXPLICIT,
    SUBSTITUTE,
    Explicit,
    Graphs,
    Records,
    Samples,
    Universe,
)

_SMALLEST_PLAIN = 6
_MOST_DIGITS = 12
_POINT = Fraction(1, 100)  # by how much beliefs may move further, but for rare outputs
_ANY_BELIEF = (
    "Whatever someone believed about you, this answer moves their belief, compared with the same "
    "answer computed without you,"
)
_ON_TOP = "What they learn about you from the others' data comes on top, with your data or without."
_WHY = {
    False: "This number is larger because your data can speak for one possibility and against "
    f"another. {_ON_TOP}",
    True: f"Both numbers agree because your record is randomized on its own. {_ON_TOP}",
}
_SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)  # of how many people a guess is said
RARE = Fraction(1, 1000)  # a larger chance of certainty leaves no word for the protection
_SCALE = ((Fraction(3, 4), "strong"), (Fraction(9, 10), "moderate"), (Fraction(99, 100), "weak"))


_PEOPLE = (
    "Of {{of}} {}, someone who knows everyone else and guesses at even odds {} would get "
    "{{right}} right ({{half}} without {} data)"
)
# What is guessed of each person, or group, by what a neighbour is.
_IN_THE_DATA = "whether each is in the data"
_POSSIBILITIES = "between two possibilities for each"  # where it is left open what a neighbour is
_RECORDS = "which of two possible records is theirs"
_NODES = "which of two possible labels and sets of edges is theirs"
_EDGES = (
    "Of {of} pairs of nodes, someone who knows all other edges and guesses at even odds whether "
    "each pair has an edge would get {right} right ({half} without the output)"
)
_GUESSES = (
    "Of {{of}} guesses at even odds between {}, {{right}} would be right "
    "({{half}} without the output)"
)


@dataclass(frozen=True)
class Subject:
    """Whom a sentence speaks of: ``who`` is protected against the ``attacker`` described.

    ``guess`` says how many guesses are right; ``alone`` says of one person's record that it is
    randomized on its own, or is the only one.
    """

    who: str
    attacker: str
    instead: str
    guess: str
    one_person: bool = False
    alone: bool = False

    def swing(self, ratio: Number) -> Number:
        """Return how far the odds with your data and without can be apart, for any belief."""
        return ratio if self.alone or ratio == INFINITY else ratio**2

    @staticmethod
    def of(group: int, relation: str = SUBSTITUTE, universe: Universe | None = None) -> Subject:
        """Choose the words for a group size and a neighbour relation, and its universe if known."""
        if relation == EXPLICIT:
            return Subject(
                "the true database",
                "Someone who knows that the true database is one of two listed neighbours, "
                "and gives them even odds,",
                "had the true database been the listed neighbour",
                _GUESSES.format("two neighbouring databases"),
            )
        if isinstance(universe, Graphs) and universe.protect == "edge":
            return _edges(group)
        if relation == ADD_REMOVE:
            return _present_or_absent(group)
        if group == 1:
            return Subject(
                "your record",
                "Someone who knows everybody else's record and gives even odds to two possible "
                "values of yours",
                "had your record been different",
                _PEOPLE.format("people in your position", _which(universe), "your"),
                one_person=True,
            )
        return Subject(
            f"the records of {group} people",
            f"Someone who knows every record but those of {group} people and gives even odds to "
            "two possibilities for these",
            f"had the records of {group} people been different",
            _PEOPLE.format(f"groups of {group} people", _POSSIBILITIES, "their"),
        )


def _which(universe: Universe | None) -> str:
    """Say what is guessed of a person whose data is replaced."""
    if isinstance(universe, Graphs):
        return _NODES
    return _RECORDS if isinstance(universe, Records | Samples | Explicit) else _POSSIBILITIES


def _edges(group: int) -> Subject:
    """Speak of single edges of a graph, which stand for no person."""
    if group == 1:
        return Subject(
            "any one edge",
            "Someone who knows all other edges and gives even odds to one more or not",
            "had one edge been there or not",
            _EDGES,
        )
    return Subject(
        f"any {group} edges",
        f"Someone who gives even odds to two graphs that differ in up to {group} edges",
        f"had {group} edges been different",
        _GUESSES.format(f"two graphs that differ in up to {group} edges"),
    )


def _present_or_absent(group: int) -> Subject:
    """Speak of being in the data or not: add-remove compares nothing else."""
    if group == 1:
        return Subject(
            "whether you are in the data",
            "Someone who knows all other records, and what yours would be, and gives even odds to "
            "your being in the data or not",
            "had you not been in the data, or been added to it,",
            _PEOPLE.format("people in your position", _IN_THE_DATA, "your"),
            one_person=True,
        )
    return Subject(
        f"{group} records more or less",
        "Someone who gives even odds to two databases, one of which is the other with "
        f"{group} records added or taken out,",
        f"had {group} records been added or taken out",
        _GUESSES.format(f"two databases that are {group} records apart"),
    )


def of_all(outputs: int, sentence: str) -> str:
    """Say that a sentence is about all of several outputs together.

    >>> of_all(3, "The output says nothing."), of_all(1, "It says nothing.")
    ('All 3 outputs together: the output says nothing.', 'It says nothing.')
    """
    if outputs == 1:
        return sentence
    return f"All {outputs:,} outputs together: {sentence[:1].lower()}{sentence[1:]}"


# --- one guess at even odds -----------------------------------------------------------------------


def chance_of(ratio: Number, delta: Number) -> Number:
    """Return (r + delta)/(r + 1), the chance of a right guess that (ratio, delta) allows.

    Half of P(E) + 1 - Q(E), where P(E) - Q(E) is at most (r - 1 + 2 delta)/(r + 1).

    >>> chance_of(Fraction(3), Fraction(0)), chance_of(Fraction(1), Fraction(1, 10))
    (Fraction(3, 4), Fraction(11, 20))
    """
    if ratio == INFINITY:
        return Fraction(1)
    return (ratio + at_most_one(delta)) / (ratio + 1)


def strength(chance: Number) -> str:
    """Return a word for the protection: a right guess 3, 9 or 99 times as likely as a wrong one.

    That is epsilon up to ln 3, ln 9 (about 2.2) and ln 99 (about 4.6). A word stands beside its
    number, never instead of it.

    >>> [strength(Fraction(x)) for x in ("3/4", "0.76", "0.95", "0.999")]
    ['strong', 'moderate', 'weak', 'none']
    """
    most = _most(chance)
    return next((word for limit, word in _SCALE if most <= limit), "none")


def guess_sentence(subject: Subject, chance: Number) -> str:
    """Say of how many people a guess at even odds is right, rounded up.

    Of 100 people, or of the least power of ten up to a million in which the number differs from
    half of them, and from all, by at least one.

    >>> print(guess_sentence(Subject.of(1), Fraction(3, 5)))
    Of 100 people in your position, someone who knows everyone else and guesses at even odds \
between two possibilities for each would get at most 60 right (50 without your data).
    """
    of, right, half = _counted(chance)
    return f"{subject.guess.format(of=of, right=right, half=half)}."


def protection(subject: Subject, chance: Number, certain: Number = Fraction(0)) -> str:
    """Say the guess, and the strength of the protection in a word.

    ``certain`` is how likely an output can be that is impossible in the other world, which a guess
    at even odds hardly shows. It is said as well, unless every guess is right; where it is not
    small, no word is given but the worst.

    >>> print(protection(Subject.of(1), Fraction(3, 4), Fraction(1, 10**6))[-79:])
    data): strong protection; with probability up to 1e-6 the output gives it away.
    """
    said = guess_sentence(subject, chance).removesuffix(".")
    if chance == Fraction(1, 2):
        return f"{said}: the output says nothing about {subject.who}."
    word = strength(chance)
    kept = f": {'practically no' if word == 'none' else word} protection"
    if certain == 0 or chance == 1:
        return f"{said}{kept}."
    if word != "none" and bounds(certain)[1] > RARE:
        kept = ""
    likely = decimal(at_most_one(certain), 3)
    return f"{said}{kept}; with probability up to {likely} the output gives it away."


def icons(chance: Number, words: str) -> Icons:
    """Chart a guess: of 100 people, how many are guessed right."""
    return Icons("Of 100 people, guessed right", ceil(100 * _most(chance)), 50, 100, words)


def _most(chance: Number) -> Fraction:
    """Return the upper end of a chance."""
    return min(bounds(chance)[1], Fraction(1))


def _counted(chance: Number) -> tuple[str, str, str]:
    """Return of how many people, how many are guessed right, and how many without the data."""
    most, half = _most(chance), Fraction(1, 2)
    if most == half:
        return "100", "50", "50"
    if chance == 1:
        return "100", "all 100", "50"
    for of in _SIZES:
        if of * (most - half) >= 1 and of * (1 - most) >= 1:
            return f"{of:,}", f"at most {ceil(of * most):,}", f"{of // 2:,}"
    return (
        f"{_SIZES[-1]:,}",
        "just over half" if most < Fraction(3, 4) else "practically all",
        "half",
    )


# --- odds and beliefs -----------------------------------------------------------------------------


def largest_posterior(prior: Fraction, ratio: Number) -> Number:
    """Return w r / (1 - w + w r), the largest belief that prior w can become.

    >>> largest_posterior(Fraction(1, 2), Fraction(3))
    Fraction(3, 4)
    """
    if ratio == INFINITY:
        return Fraction(1)
    return prior * ratio / (1 - prior + prior * ratio)


def odds_sentences(
    subject: Subject, ratio: Number, delta: Number = Fraction(0), *, swing: Number | None = None
) -> tuple[str, ...]:
    """Say what (ratio, delta) means in odds and beliefs.

    First for someone who knows all other records; then, of one person, for any belief, and why
    these differ. ``swing`` is how far odds with your data and without are apart, where that is
    known better than `Subject.swing` has it.
    """
    if delta != 0:
        return tuple(_with_delta(subject, ratio, delta))
    if ratio == 1:
        return (
            f"The output says nothing about {subject.who}: whatever odds someone gave before, "
            "they are the same afterwards.",
        )
    if ratio == INFINITY:
        return (
            f"Rare outputs can move the odds on {subject.who} by any factor, however large: "
            "no epsilon holds without a delta, and every delta above 0 has its epsilon.",
        )
    half = largest_posterior(Fraction(1, 2), ratio)
    one = largest_posterior(Fraction(1, 100), ratio)
    known = (
        f"{subject.attacker} can end up at odds of at most {_factor(ratio)} to 1: "
        f"50% becomes at most {percent_above(Fraction(1, 2), half)}, and 1% at most "
        f"{percent_above(Fraction(1, 100), one)}."
    )
    if not subject.one_person:
        return (known,)
    factor = subject.swing(ratio) if swing is None else swing
    return known, any_belief(factor), _WHY[factor == ratio]


def any_belief(factor: Number) -> str:
    """Say how far odds and beliefs with your data and without it can be apart, for any belief.

    Odds that differ by a factor R are beliefs that differ by (sqrt R - 1) / (sqrt R + 1) at most.
    """
    root = sqrt(factor)
    moved = (root - 1) / (root + 1)
    return (
        f"{_ANY_BELIEF} by at most {points(moved)}; odds of 1 to 99 become at most "
        f"{odds_from_99(factor)}."
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


def _with_delta(subject: Subject, ratio: Number, delta: Number) -> Iterator[str]:
    r"""Say how likely an event can become, and how far odds and beliefs move but for rare outputs.

    Let a be the ratio and R > a. Outputs that are more than R times likelier in one of two worlds
    than in the other have probability at most delta R/(R - a) in the first and delta/(R - a) in the
    second. So, both ways, odds move by more than R with probability at most delta (R + 1)/(R - a),
    whatever they were; with R = 2 a that is delta (2 + 1/a). It is the exact bound for one record
    (twoworlds, S4). For any belief and one person, beliefs with their data and without differ by
    more than tanh(epsilon/2) + t with probability at most delta (2 + a)/t, over data and noise
    (S4, sharper than Kasiviswanathan & Smith, Theorem 2.4(1)).
    """
    top = decimal(at_most_one(delta), 3, "about")
    if ratio == INFINITY:
        yield (
            f"With probability {top} the output can be one that is impossible in the other world: "
            f"it then shows something about {subject.who} for certain, whatever the epsilon."
        )
        return
    raised = ratio * Fraction(1, 10) + delta
    if compare(raised, 1) is not Order.LESS:
        raised = Fraction(1)
    times = "equally" if ratio == 1 else f"{decimal(ratio, 4, 'about')} times as"
    yield (
        f"Anything that would happen with probability 10% {subject.instead} "
        f"happens with probability at most {percent(raised)} ({times} likely, plus {top})."
    )
    failure = delta * (2 + 1 / ratio)
    if compare(failure, 1) is Order.LESS:
        yield (
            f"{subject.attacker} can end up at odds of at most {decimal(2 * ratio, 4)} to 1, "
            f"except with probability at most {decimal(failure, 3)}."
        )
    moved, failure = (ratio - 1) / (ratio + 1) + _POINT, delta * (2 + ratio) / _POINT
    if subject.one_person and compare(failure, 1) is compare(moved, 1) is Order.LESS:
        yield (
            f"{_ANY_BELIEF} by at most {points(moved)}, except with probability at most "
            f"{decimal(failure, 3)} over data and noise."
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
        f"The claim fails: an event has probability {here} in one world and {there} in the other, "
        f"where it allows at most {decimal(allowed, digits)}."
    )


def nearest_epsilon(ratio: Number, delta: Number) -> str:
    """Say which epsilon does hold at the delta of a claim that fails.

    >>> nearest_epsilon(Fraction(3), Fraction(0))
    'What does hold is epsilon 1.09862.'
    """
    if ratio == INFINITY:
        return "No epsilon holds at this delta."
    at = " at this delta" if delta else ""
    return f"What does hold is epsilon {decimal(ln(ratio), side='up')}{at}."


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
    'For this belief, nothing is promised: no chance of staying within 20 percentage points is \
left.'
    >>> difference_sentence("For any belief", Fraction(1, 5), Fraction(1), Fraction(3, 4))
    'For any belief, no chance of staying within 20 percentage points is proved; at most 1/4 \
(0.25) is left.'
    """
    if compare(epsilon, 1) is not Order.LESS:
        return (
            f"{whose}, nothing is promised: the conclusions with and without one person may differ "
            "by as much as conclusions can."
        )
    sure = delta if shown is None else shown
    if compare(delta, 1) is not Order.LESS and compare(sure, 1) is not Order.EQUAL:
        return (
            f"{whose}, no chance of staying within {points(epsilon)} is proved; at most "
            f"{show(1 - bounds(sure)[0], side='up')} is left."
        )
    if compare(delta, 1) is not Order.LESS:
        return (
            f"{whose}, nothing is promised: no chance of staying within {points(epsilon)} is left."
        )
    if delta == 0:
        return (
            f"{whose}, whatever the output, the conclusions with and without any one person differ "
            f"by at most {points(epsilon)}."
        )
    return (
        f"{whose}, with probability at least {at_least(delta)} the conclusions with and without "
        f"any one person differ by at most {points(epsilon)}."
    )


def at_least(delta: Number) -> str:
    """Write 1 - delta, rounded down."""
    return show(1 - bounds(delta)[1], side="down")
