"""Sentences of the definitions that rest on beliefs: the assumption first, then the odds.

What these definitions promise is worth as much as the beliefs that they assume, so no sentence
begins with anything else: "If <assumption>, then <odds>. What breaks it: <knowledge>." `assumed`
puts the three parts together; `even_bet` and `conclusion_words` write the middle one, `weakens` the
last one where nothing was claimed, `claim` and `numbers_text` the name of what is claimed.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from twoworlds.definitions.coupled.posteriors import AlarmKind
from twoworlds.definitions.words import chance_of, digits_apart, largest_posterior, percent_above
from twoworlds.errors import TooLarge
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    at_most_one,
    bounds,
    compare,
    decimal,
    exact_text,
    ln,
    show,
)

_DIGITS = 3
_USED = "on whether your entry was used"


def assumed(belief: str, meaning: str, breaks: str | None = None) -> str:
    """Put the parts together.

    >>> assumed("the bits are fair", "an even bet stays even", "knowing all other bits")
    'If the bits are fair, then an even bet stays even. What breaks it: knowing all other bits.'
    """
    broken = "" if breaks is None else f" What breaks it: {breaks.rstrip('.')}."
    return f"If {belief.rstrip('.')}, then {meaning.rstrip('.')}.{broken}"


def even_bet(
    ratio: Number,
    delta: Number,
    bet: str = _USED,
    reached: Number | None = None,
    chance: Number | None = None,
) -> str:
    """Say what (ratio, delta) does to a bet at even odds, as a clause.

    With delta = 0 no output moves the odds by more than the ratio. With delta > 0 that is said of
    no single output: every one may move them further. What holds is said of a guess (`chance_of`).

    ``reached`` is given where delta is an infimum that no simulator attains: what the simulator
    shown has instead. ``chance`` is how often a guess is right, where the two laws tell it.

    >>> even_bet(Fraction(3), Fraction(0), "on whether your entry was used")
    'an even bet on whether your entry was used becomes at most 75 to 25'
    >>> even_bet(Fraction(3), Fraction(1, 10), "on whether your entry was used")
    'a bet at even odds on whether your entry was used is won with probability at most 77.5%, and \
nothing is more than 3 times as likely, plus 0.1, in one case than in the other'
    """
    left = at_most_one(delta)
    if reached is not None:
        return (
            f"an even bet {bet} can become certainty, whatever the simulator: for the one shown "
            f"with a probability of up to {decimal(reached, _DIGITS)}, for others arbitrarily near "
            f"to {decimal(left, _DIGITS, 'about')}, though for none as low as that"
        )
    if compare(left, 1, limit=64) is Order.EQUAL:
        return f"an even bet {bet} can become certainty: nothing is promised"
    if ratio == INFINITY and left == 0:
        return f"an even bet {bet} can move by any factor, though never to certainty"
    if ratio == INFINITY:
        return (
            f"an even bet {bet} can become certainty, with a probability of up to "
            f"{decimal(left, _DIGITS)}"
        )
    if left == 0:
        return (
            f"an even bet {bet} {'stays even' if ratio == 1 else f'becomes at most {_odds(ratio)}'}"
        )
    won = percent_above(Fraction(1, 2), chance_of(ratio, left) if chance is None else chance)
    times = f"{decimal(ratio, 4)} times as likely, plus {decimal(left, _DIGITS)},"
    than = f"{decimal(left, _DIGITS)} likelier" if ratio == 1 else times
    return (
        f"a bet at even odds {bet} is won with probability at most {won}, and nothing is more than "
        f"{than} in one case than in the other"
    )


def conclusion_words(
    ratio: Number, delta: Number, who: str, instead: str, alarm: AlarmKind | None = None
) -> str:
    """Say what the inference-based (ratio, delta) bounds, as a clause.

    ``alarm`` is what the worst conclusions do where no ratio is enough.

    >>> conclusion_words(Fraction(3), Fraction(0), "your entry", "without the release")
    'whatever is published, anything concluded about your entry is at most 3 times as likely as \
without the release, or the other way round'
    """
    left = at_most_one(delta)
    if ratio == INFINITY and left == 0:
        return f"what is published can move what is concluded about {who} by any factor"
    if ratio == INFINITY or compare(left, 1, limit=64) is Order.EQUAL:
        return f"{_alarming(alarm or AlarmKind.SETTLES, who, left)}: nothing is promised"
    if ratio == 1 and left == 0:
        return f"what is published leads to no other conclusion about {who} than {instead}"
    times = "as likely as" if ratio == 1 else f"at most {decimal(ratio, 4)} times as likely as"
    if left == 0:
        return (
            f"whatever is published, anything concluded about {who} is {times} {instead}, "
            "or the other way round"
        )
    d = decimal(left, _DIGITS)
    return (
        f"anything concluded about {who} is {times} {instead}, give or take {d}, and the other way "
        f"round, but for outputs of total probability at most {d}"
    )


def _alarming(alarm: AlarmKind, who: str, left: Number) -> str:
    if alarm is AlarmKind.SETTLES:
        return f"what is published can settle {who} for good"
    if alarm is AlarmKind.RULES_OUT:
        return f"what is published can rule out a value of {who} for good"
    if alarm is AlarmKind.LEAVES_OPEN:
        return f"what is published can leave a value of {who} open that the simulation rules out"
    return (
        f"outputs of total probability {decimal(left, _DIGITS, 'about')} are never shown by the "
        "simulator, "
        f"so there is nothing to compare what they say about {who} with"
    )


def refuted(claim: str, delta: Number, allowed: Number, *, approached: bool = False) -> str:
    """Say that a claim fails, as a clause; where delta is approached, that nothing attains it."""
    if approached:
        return (
            f"{claim} fails: simulators come arbitrarily near to delta "
            f"{decimal(delta, 4, 'about')}, but none attains it"
        )
    digits = digits_apart(at_most_one(delta), allowed, 4)
    here = decimal(at_most_one(delta), digits, "at least")
    return f"{claim} fails: delta is {here}, where {decimal(allowed, digits, 'about')} is allowed"


def _typed(x: Number) -> str:
    return exact_text(x) or decimal(x)


def numbers_text(
    ratio: Number | None, delta: Number | None, typed: Callable[[Number], str] = _typed
) -> list[str]:
    """Write the numbers of a claim as arguments; epsilon where it is rational.

    >>> numbers_text(Fraction(3, 2), Fraction(1, 8))
    ['ratio=3/2', 'delta=1/8']
    """
    parts = []
    if ratio is not None:
        epsilon = ln(ratio)
        rational = isinstance(epsilon, Fraction) and ratio != 1
        parts.append(f"epsilon={typed(epsilon)}" if rational else f"ratio={typed(ratio)}")
    if delta is not None:
        parts.append(f"delta={typed(delta)}")
    return parts


def _odds(ratio: Number) -> str:
    """Write the odds of an even bet that has moved by the ratio, in parts of a hundred."""
    text = percent_above(Fraction(1, 2), largest_posterior(Fraction(1, 2), ratio))
    plain = text.removesuffix("%")
    if not plain.replace(".", "").isdigit():
        return f"{text} sure"
    return f"{plain} to {100 - Decimal(plain)}"


_LONGEST, _LARGEST = 24, 1 << 40
_TIGHT = 1 + Fraction(1, 1 << 20)


def weakens(
    first: int | str,
    gives: str,
    beyond: int | str | None = None,
    *,
    limit: str = "delta exceed 1/2",
    one: str = "entry",
) -> str:
    """Say what knowing more does to a number that nobody claimed, as what breaks it.

    With a claim one says instead at which number of known entries it fails.

    Args:
        first: the least number of known entries (or which ones) that makes the number worse.
        gives: the number then, with its name.
        beyond: the least number of known entries that makes the guarantee nearly worthless.
        limit: what the last does, after "makes".
        one: what is known, in the singular.

    >>> weakens(1, "delta 0.02", 38)
    'each known entry can weaken it; knowing 1 gives delta 0.02; knowing 38 makes delta exceed 1/2'
    """
    start, end = (f"{x:,}" if isinstance(x, int) else x for x in (first, beyond))
    said = f"each known {one} can weaken it; knowing {start} gives {gives}"
    if beyond is None:
        return said
    return f"{said} and makes {limit}" if start == end else f"{said}; knowing {end} makes {limit}"


def first_where(holds: Callable[[int], bool], low: int, high: int | None = None) -> int:
    """Return the first whole number from ``low`` on at which a property that stays true holds.

    ``high`` is not tried: it is the answer where nothing below it does. Without one, it is found by
    doubling. ``low`` is tried first, as numbers that were solved for are tight.

    >>> first_where(lambda n: n * n > 50, 1), first_where(lambda n: n * n > 50, 1, 5)
    (8, 5)
    """
    if high is None:
        high = low
        while not holds(high):
            low, high = high + 1, 2 * high + 1
            if high > _LARGEST:
                raise TooLarge(f"no number up to {_LARGEST:,} is enough: raise delta")
    elif low < high and holds(low):
        return low
    else:
        low += 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return high


def claim(name: str, ratio: Number, delta: Number | None = None) -> str:
    """Write a claim as one would type it, its numbers shortly.

    >>> claim("ddp", Fraction(3, 2), Fraction(1, 8))
    'ddp(ratio=3/2, delta=1/8)'
    """
    return f"{name}({', '.join(numbers_text(ratio, delta, short))})"


def short(x: Number) -> str:
    """Write a number as it would be typed: a short decimal rather than a long fraction.

    What has no short exact form is rounded up.

    >>> short(Fraction(1, 2)), short(Fraction(1, 10**9))
    ('1/2', '1e-9')
    """
    if isinstance(x, Fraction):
        text = decimal(x, 12)
        if x.denominator != 1 and Fraction(Decimal(text)) == x and len(text) < len(str(x)):
            return text
    exact = exact_text(x)
    return exact if exact is not None and len(exact) <= _LONGEST else decimal(x)


def enclosed_words(low: Fraction, high: Fraction) -> str:
    """Say between which numbers delta lies."""
    if low <= 0:
        return f"delta is at most {show(high, side='up')}; it may be far smaller"
    return (
        f"we could not compute delta exactly; it lies between {show(low, side='down')} and "
        f"{show(high, side='up')}"
    )


def undecided_words(delta: Number, target: Number) -> str:
    """Say that a claim is neither proven nor refuted."""
    low, high = bounds(delta)
    return (
        f"undecided: delta lies between {show(max(Fraction(0), low), side='down')} and "
        f"{show(high, side='up')}, which neither proves nor refutes that it is at most "
        f"{show(target, side='up')}"
    )


def delta_words(delta: Number) -> str:
    """Write delta with its name, shortly; a bound that may be far off says that it is one.

    >>> delta_words(Fraction(1, 8))
    'delta 0.125'
    """
    low, high = bounds(delta)
    bound = high > 0 and high > low * _TIGHT
    return f"delta at most {decimal(high, 3)}" if bound else f"delta {decimal(delta, 3, 'about')}"
