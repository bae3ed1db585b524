"""Truncated histograms by brute force: every subset of a small population, one by one."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from math import comb


def excess(p, q, ratio):
    """Return the sum of (p - ratio q)_+ over all outputs."""
    return sum((max(Fraction(0), x - ratio * q.get(t, 0)) for t, x in p.items()), Fraction(0))


def worse(p, q, ratio):
    return max(excess(p, q, ratio), excess(q, p, ratio))


def member_by_member(rate):
    """The chance of a sample when each member is sampled at a rate."""
    return lambda size, people: rate**size * (1 - rate) ** (people - size)


def by_size(masses):
    """The chance of a sample when its size has a law and members are drawn at random."""
    return lambda size, people: Fraction(masses.get(size, 0)) / comb(people, size)


def delta(bins, threshold, ratio, chance, *, known=0):
    """Return delta over all persons, all L others of their bin, and all that may be known of them.

    In a bin with fewer others, all of them are known.
    ``bins`` lists the members of each bin; ``chance`` gives the probability of a sample.
    """
    home = [j for j, members in enumerate(bins) for _ in range(members)]
    everybody = range(len(home))
    worst = Fraction(0)
    for j, members in enumerate(bins):
        person = home.index(j)
        watched = range(person + 1, person + 1 + min(known, members - 1))
        real, ideal, total = defaultdict(dict), defaultdict(dict), defaultdict(Fraction)
        for size in range(len(home) + 1):
            p = chance(size, len(home))
            if p == 0:
                continue
            for sample in combinations(everybody, size):
                if person not in sample:
                    continue
                seen = tuple(x in sample for x in watched)
                total[seen] += p
                for world, left in ((real, sample), (ideal, set(sample) - {person})):
                    counts = [0] * len(bins)
                    for x in left:
                        counts[home[x]] += 1
                    table = tuple(c if c >= threshold else 0 for c in counts)
                    world[seen][table] = world[seen].get(table, Fraction(0)) + p
        for seen, weight in total.items():
            p, q = ({t: x / weight for t, x in world[seen].items()} for world in (real, ideal))
            worst = max(worst, worse(p, q, ratio))
    return worst


def list_delta(masses, shares, threshold, ratio, place=None):
    """Return delta when N has a law and types are independent, list by list of types.

    Without a place a size counts as often as it has entries: who is known to be in the sample is a
    person. The entry of interest is the last one of the list.
    """
    worst = Fraction(0)
    for own in range(len(shares)):
        real, ideal, total = {}, {}, Fraction(0)
        for n, mass in masses.items():
            if n < (place or 1):
                continue
            weight = mass * (1 if place else n)
            total += weight
            for others, p in _multinomial(n - 1, shares):
                for world, one in ((real, 1), (ideal, 0)):
                    counts = [c + one * (j == own) for j, c in enumerate(others)]
                    table = tuple(c if c >= threshold else 0 for c in counts)
                    world[table] = world.get(table, Fraction(0)) + weight * p
        p, q = ({t: x / total for t, x in world.items()} for world in (real, ideal))
        worst = max(worst, worse(p, q, ratio))
    return worst


def _multinomial(n, shares):
    """Yield all counts of n independent types with their probability, type by type."""
    laws = {(0,) * len(shares): Fraction(1)}
    for _ in range(n):
        following = defaultdict(Fraction)
        for counts, p in laws.items():
            for j, share in enumerate(shares):
                raised = tuple(c + (i == j) for i, c in enumerate(counts))
                following[raised] += p * share
        laws = following
    return laws.items()
