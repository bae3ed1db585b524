"""Sentences of a release without noise: the assumption first, then the odds, then what breaks it.

A noiseless guarantee is worth as much as the belief that it rests on, so no sentence may begin with
anything else. `assumed` puts the three parts together; `odds_words` writes the middle one,
`weakens` the last one where nothing was claimed, `claim` the name of what is claimed and `counted`
a number of things.

What the odds mean is said in `twoworlds.definitions.coupled.words`, whose sentences these are.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from twoworlds.definitions.coupled.words import assumed, even_bet
from twoworlds.numbers import (
    Number,
    bounds,
    decimal,
    exact_text,
    ln,
    show,
)

__all__ = [
    "assumed",
    "claim",
    "counted",
    "delta_words",
    "enclosed_words",
    "odds_words",
    "short",
    "undecided_words",
    "weakens",
]

_LONGEST = 24
_TIGHT = 1 + Fraction(1, 1 << 20)
_USED = "on whether your entry was used"


def odds_words(ratio: Number, delta: Number, *, bet: str = _USED) -> str:
    """Say what (ratio, delta) does to an even bet, as a clause without full stop.

    Args:
        ratio: e^epsilon, at least 1, possibly infinite.
        delta: the total probability that is left out; an enclosure is rounded up.
        bet: what the bet is on, such as "between two values of your entry".

    >>> odds_words(Fraction(1), Fraction(0))
    'an even bet on whether your entry was used stays even'
    """
    return even_bet(ratio, delta, bet)


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
    'each known entry can weaken it: knowing 1 gives delta 0.02; knowing 38 makes delta exceed 1/2'
    """
    start, end = (f"{x:,}" if isinstance(x, int) else x for x in (first, beyond))
    said = f"each known {one} can weaken it: knowing {start} gives {gives}"
    if beyond is None:
        return said
    return f"{said} and makes {limit}" if start == end else f"{said}; knowing {end} makes {limit}"


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
        return f"delta is bounded: at most {show(high, side='up')}; it may be far smaller"
    return f"delta is enclosed: at least {show(low, side='down')}, at most {show(high, side='up')}"


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
