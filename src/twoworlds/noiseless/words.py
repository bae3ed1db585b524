"""Sentences of a release without noise: the assumption first, then the odds, then what breaks it.

A noiseless guarantee is worth as much as the belief that it rests on, so no sentence may begin with
anything else. `assumed` puts the three parts together; `odds_words` writes the middle one, `claim`
the name of what is claimed and `counted` a number of things.

What the odds mean. Two worlds with laws P and Q of the output satisfy P(E) <= r Q(E) + delta and
Q(E) <= r P(E) + delta for all events E. Mark an output t as exceptional with probability
(P(t) - r Q(t))_+ / P(t) in the first world and (Q(t) - r P(t))_+ / Q(t) in the second: either
way the total probability of a mark is at most delta. Unmarked outputs t have min(P(t), r Q(t))
against min(Q(t), r P(t)), whose quotient lies between 1/r and r, so that even odds stay within
r to 1. This is what "but for cases of total probability at most delta" says, no more: the marks are
not seen, and the set of outputs whose quotient exceeds r may have more probability than delta.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from twoworlds.definitions.words import largest_posterior, percent_above
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    at_most_one,
    compare,
    decimal,
    exact_text,
    ln,
)

__all__ = ["assumed", "claim", "counted", "odds_words", "short"]

_LONGEST = 24
_USED = "on whether your entry was used"


def assumed(belief: str, meaning: str, breaks: str | None = None) -> str:
    """Return the sentence of a noiseless release: "If ..., then .... What breaks it: ....".

    Args:
        belief: what the attacker is assumed not to know, as a clause without "if".
        meaning: what then holds, as a clause without full stop, for example `odds_words`.
        breaks: the smallest extra knowledge that ends the guarantee, as a clause.

    >>> assumed("nobody knows any entry", "nothing is learned", "knowing all others")
    'If nobody knows any entry, then nothing is learned. What breaks it: knowing all others.'
    """
    broken = "" if breaks is None else f" What breaks it: {breaks.rstrip('.')}."
    return f"If {belief.rstrip('.')}, then {meaning.rstrip('.')}.{broken}"


def odds_words(ratio: Number, delta: Number, *, bet: str = _USED) -> str:
    """Say what (ratio, delta) does to an even bet, as a clause without full stop.

    Args:
        ratio: e^epsilon, at least 1, possibly infinite.
        delta: the total probability that is left out; an enclosure is rounded up.
        bet: what the bet is on, such as "between two values of your entry".

    >>> odds_words(Fraction(3), Fraction(1, 1000))
    'an even bet on whether your entry was used becomes at most 75 to 25, but for cases of total \
probability at most 0.001'
    >>> odds_words(Fraction(1), Fraction(0))
    'an even bet on whether your entry was used stays even'
    """
    left_out = at_most_one(delta)
    if ratio == INFINITY or compare(left_out, 1, limit=64) is Order.EQUAL:
        return f"an even bet {bet} can become certainty: nothing is promised"
    even = "stays even" if ratio == 1 else f"becomes at most {_to(ratio)}"
    if left_out == 0:
        return f"an even bet {bet} {even}"
    return (
        f"an even bet {bet} {even}, "
        f"but for cases of total probability at most {decimal(left_out, 3)}"
    )


def claim(name: str, ratio: Number, delta: Number | None = None) -> str:
    """Write a claim as one would type it: epsilon where it is rational, and else the ratio.

    >>> claim("ddp", Fraction(3, 2), Fraction(1, 8))
    'ddp(ratio=3/2, delta=1/8)'
    """
    epsilon = ln(ratio)
    rational = isinstance(epsilon, Fraction) and ratio != 1
    first = f"epsilon={short(epsilon)}" if rational else f"ratio={short(ratio)}"
    second = "" if delta is None else f", delta={short(delta)}"
    return f"{name}({first}{second})"


def counted(number: int, one: str, many: str | None = None) -> str:
    """Write how many of something there are, with its plural and with commas in the number.

    >>> counted(1, "entry", "entries"), counted(1000, "entry", "entries"), counted(0, "person")
    ('1 entry', '1,000 entries', '0 persons')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _to(ratio: Number) -> str:
    """Write the odds of an even bet that has moved by the ratio, in parts of a hundred."""
    text = percent_above(Fraction(1, 2), largest_posterior(Fraction(1, 2), ratio))
    plain = text.removesuffix("%")
    if not plain.replace(".", "").isdigit():
        return f"{text} sure"
    return f"{plain} to {100 - Decimal(plain)}"


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
