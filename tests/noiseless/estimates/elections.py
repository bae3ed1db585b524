"""Brute force for likeliest laws: all databases, plain fractions, nothing of the source."""

from fractions import Fraction
from itertools import product
from math import prod

ZERO = Fraction(0)


def elect(laws, weights, entries):
    scores = [
        w * prod((law[a] for a in entries), start=Fraction(1))
        for law, w in zip(laws, weights, strict=True)
    ]
    return scores.index(max(scores))


def answer(laws, weights, truth, fixed, drawn):
    """The law of the estimate, some entries being fixed and the others drawn from one law."""
    found = [ZERO] * len(laws)
    for rest in product(laws[truth], repeat=drawn):
        chance = prod((laws[truth][a] for a in rest), start=Fraction(1))
        if chance:
            found[elect(laws, weights, (*fixed, *rest))] += chance
    return found


def excess(p, q, ratio):
    return sum((max(a - ratio * b, ZERO) for a, b in zip(p, q, strict=True)), start=ZERO)


def both(p, q, ratio):
    return max(excess(p, q, ratio), excess(q, p, ratio))


def worlds(laws, weights, prior, people, fixed=()):
    """Yield (with, without) for every value of one's entry, under a prior on the laws."""
    drawn = people - 1 - len(fixed)
    for v in laws[0]:
        joint = [
            share * law[v] * prod((law[a] for a in fixed), start=Fraction(1))
            for share, law in zip(prior, laws, strict=True)
        ]
        total = sum(joint)
        if not total:
            continue
        parts = [
            (mass / total, answer(laws, weights, j, (v, *fixed), drawn), j)
            for j, mass in enumerate(joint)
            if mass
        ]
        having = [sum(q * a[t] for q, a, _ in parts) for t in range(len(laws))]
        without = [
            sum(q * answer(laws, weights, j, fixed, drawn)[t] for q, _, j in parts)
            for t in range(len(laws))
        ]
        yield having, without


def delta(laws, weights, prior, people, ratio, fixed=()):
    return max(both(p, q, ratio) for p, q in worlds(laws, weights, prior, people, fixed))


def pure_ratio(laws, weights, prior, people, fixed=()):
    """The smallest ratio at delta = 0; None when it is infinite."""
    worst = Fraction(1)
    for p, q in worlds(laws, weights, prior, people, fixed):
        for a, b in zip(p, q, strict=True):
            if (a == 0) != (b == 0):
                return None
            if a:
                worst = max(worst, a / b, b / a)
    return worst


def corners(size, least):
    """The extreme priors: one law has all that the others may not lack."""
    for j in range(size):
        yield [1 - (size - 1) * least if i == j else least for i in range(size)]
