r"""The exponential mechanism: one of many candidates, drawn exactly by its score.

Candidate i has the score s_i, a whole number, and is chosen with probability

    P(i) = e^(r s_i) / W,    W = sum_j e^(r s_j),

where r >= 0 is the *rate*, a rational. If one person moves every score by at most D, the choice
costs epsilon = 2 r D; and r D if all scores move the same way.

Let C_i = e^(r s_0) + ... + e^(r s_i), and U uniform in [0, 1). The least i with U W < C_i has
exactly that law. Only the first bits of U are drawn: after n of them U lies in
[v / 2^n, (v + 1) / 2^n), and W and the C_i are known by enclosures. The answer is given only once
the enclosures prove it; otherwise, in a *tie*, further bits are drawn and the enclosures are made
tighter. Nothing is rounded, and a candidate of probability e^-1000 keeps that probability.

Timing. 128 bits are drawn, whatever the scores are, and one exponential is computed for each
candidate, all at one precision and with arguments below a fixed bound. None is passed over: a score
far below the best one has its exponential computed at the bound, and then enclosed between 0 and
the result; one that equals the best has it computed one step below, and then replaced by 1. What
remains:

* a tie, of probability about 2^-128 times the number of candidates, draws 64 bits more and
  computes everything again;
* an exponential takes some 1 to 2 microseconds, the exact time depends on its argument, and whole
  numbers beyond 64 bits take longer than shorter ones. So the time of a choice does tell a little
  about how the scores are spread; whoever publishes it should round it up.

No message holds a score: scores are computed from data.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from operator import index

from flint import arb, fmpq

from twoworlds.errors import InvalidInput, Undecided
from twoworlds.numbers import LIMIT_BITS, rational, working_precision
from twoworlds.release.noise.bits import SystemBits, for_release

_WORD = 64
_FIRST = 2  # words
_GUARD = 32


def choose(scores: Sequence[int], rate: Fraction, source: SystemBits) -> int:
    """Return i with probability exactly proportional to e^(rate * scores[i]), for a release.

    Args:
        scores: whole numbers of any size, one for each candidate.
        rate: a rational, at least 0.
        source: the operating system's bits; nothing that has a seed is taken.

    >>> choose([0, -1000, -1000], Fraction(1), SystemBits())
    0
    """
    return chosen(scores, rate, for_release(source))


def chosen(scores: Sequence[int], rate: Fraction, source: SystemBits) -> int:
    """Choose from any bits, as tests do: `choose` checks where the bits come from."""
    below, r = _below(scores, rate)
    known, count = 0, 0
    fresh = _FIRST
    while count <= LIMIT_BITS:
        for word in source.few(fresh):
            known, count = (known << _WORD) | word, count + _WORD
        found = _decided(below, r, known, count)
        if found is not None:
            return found
        fresh = 1
    raise Undecided(
        f"{count} random bits left the choice open, which has a probability below "
        f"2^-{LIMIT_BITS - _WORD}: the source of bits is broken"
    )


def _decided(below: Sequence[int], r: Fraction, known: int, count: int) -> int | None:
    """Search for the least i with U W < C_i by halves, and check both of its ends."""
    precision = count + len(below).bit_length() + _GUARD
    with working_precision(precision):
        sums = list(accumulate(_weights(below, r, precision)))
        scale = arb(2) ** count
        low, high = sums[-1] * known, sums[-1] * (known + 1)
        first, last = 0, len(sums) - 1
        while first < last:
            middle = (first + last) // 2
            if high <= sums[middle] * scale:
                last = middle
            elif low >= sums[middle] * scale:
                first = middle + 1
            else:
                return None
        return first


def _weights(below: Sequence[int], r: Fraction, bits: int) -> list[arb]:
    """Enclose e^(-r d) for each d; what is below 2^-bits for sure, between 0 and that."""
    top, bottom = r.numerator, r.denominator
    # r d > bits means e^(-r d) < 2^-bits
    furthest = bits * bottom // top + 1 if top else max(below)
    with working_precision(bits + _GUARD):
        step = -arb(fmpq(top, bottom))
        found = [(step * max(1, min(d, furthest))).exp() for d in below]
        one, nearly = arb(1), arb(0).union((step * furthest).exp())
        return [
            one if d == 0 else nearly if d > furthest else weight
            for d, weight in zip(below, found, strict=True)
        ]


def _below(scores: Sequence[int], rate: Fraction) -> tuple[list[int], Fraction]:
    """Return how far each score lies below the best one, and the rate."""
    r = rational(rate, "rate")
    if r < 0:
        raise InvalidInput(f"rate={r} must be at least 0: change the sign of the scores instead")
    read = [_whole(score, place) for place, score in enumerate(scores)]
    if not read:
        raise InvalidInput("there is nothing to choose from: give at least one score")
    best = max(read)
    return [best - score for score in read], r


def _whole(score: object, place: int) -> int:
    """Read one score; a message names its place and type, never its value."""
    if not isinstance(score, bool):
        try:
            return index(score)  # type: ignore[arg-type]
        except TypeError:
            pass
    raise InvalidInput(
        f"score {place} is a {type(score).__name__}: scores are whole numbers, so that they are "
        "exact; multiply them by a public number and round them"
    )
