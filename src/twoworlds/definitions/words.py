"""Answers in words: odds first, then probabilities, for people who do not think in epsilon.

A ratio r = e^epsilon bounds how far the odds of an attacker who knows everybody else's record can
move on seeing the output: prior odds o become at most o r. With prior probability w the posterior
is at most w r / (1 - w + w r). With delta, the sentence states the definition itself: what an
event's probability can become.
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.numbers import INFINITY, Number, decimal

__all__ = ["delta_sentence", "largest_posterior", "ratio_sentence"]


def largest_posterior(prior: Fraction, ratio: Number) -> Number:
    """Return w r / (1 - w + w r), the largest belief that prior w can become.

    >>> largest_posterior(Fraction(1, 2), Fraction(3))
    Fraction(3, 4)
    """
    if ratio == INFINITY:
        return Fraction(1)
    return prior * ratio / (1 - prior + prior * ratio)


def ratio_sentence(ratio: Number, *, who: str = "your record") -> str:
    """Say what a pure ratio means, in odds."""
    if ratio == 1:
        return (
            f"The output says nothing about {who}: whatever odds someone gave before, "
            "they are the same afterwards."
        )
    if ratio == INFINITY:
        return (
            f"Rare outputs can move the odds on {who} by any factor, however large: "
            "no epsilon holds without a delta, and every delta above 0 has its epsilon."
        )
    half = largest_posterior(Fraction(1, 2), ratio)
    one = largest_posterior(Fraction(1, 100), ratio)
    return (
        f"Someone who knows everybody else's record and gives even odds to two possible values of "
        f"{who} can end up at odds of at most {decimal(ratio, 4)} to 1: "
        f"50% becomes at most {percent(half)}, and 1% at most {percent(one)}."
    )


def delta_sentence(ratio: Number, delta: Number, *, who: str = "your record") -> str:
    """Say what (ratio, delta) means: how likely an event can become."""
    if delta == 0:
        return ratio_sentence(ratio, who=who)
    base = Fraction(1, 10)
    top = decimal(delta, 3)
    if ratio == INFINITY:
        return (
            f"With probability up to {top} the output shows for certain something about {who} "
            "that no amount of epsilon covers."
        )
    raised = ratio * base + delta
    if raised > 1:
        raised = Fraction(1)
    return (
        f"Anything that would happen with probability 10% had {who} been different "
        f"happens with probability at most {percent(raised)} "
        f"({decimal(ratio, 4)} times as likely, plus {top})."
    )


def percent(x: Number) -> str:
    """Write a probability as a percentage, rounded up."""
    return f"{decimal(x * 100, 3)}%"
