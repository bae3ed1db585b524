"""Definitions written down in plain sums and floats: what divergences, rho and mu are judged by."""

import math
from fractions import Fraction
from itertools import combinations
from statistics import NormalDist

from hypothesis import strategies as st

NORMAL = NormalDist()
ORDERS = [Fraction(n, 8) for n in (9, 10, 12, 16, 20, 24, 32, 48, 64, 96, 160, 320, 800, 2400)]


def moment(p, q, order):
    """Return sum p^a q^(1-a) of a whole order, exactly; None stands for infinity."""
    if any(x and not y for x, y in zip(p, q, strict=True)):
        return None
    both = [(Fraction(x), Fraction(y)) for x, y in zip(p, q, strict=True) if x]
    return sum(x ** int(order) / y ** int(order - 1) for x, y in both)


def log(x):
    x = Fraction(x)
    return math.log(x.numerator) - math.log(x.denominator)


def log_sum(logs):
    """Return the logarithm of a sum, given by the logarithms of its terms."""
    top = max(logs)
    return top + math.log(math.fsum(math.exp(one - top) for one in logs))


def divergence(p, q, order):
    """Return the Renyi divergence as a float; of order 1 the Kullback-Leibler divergence."""
    if any(x and not y for x, y in zip(p, q, strict=True)):
        return math.inf
    logs = [(log(x), log(y)) for x, y in zip(p, q, strict=True) if x]
    if order == 1:
        return math.fsum(math.exp(x) * (x - y) for x, y in logs)
    a = float(order)
    return log_sum([a * x - (a - 1) * y for x, y in logs]) / (a - 1)


def largest_rho(p, q, orders=ORDERS):
    """Return the largest D_a / a over some orders, and in the limit at order 1."""
    return max(divergence(p, q, a) / float(a) for a in (Fraction(1), *orders))


def largest_mu(p, q):
    """Return F^-1(P(E)) - F^-1(Q(E)) of the best event E, over all events."""
    cells, best = range(len(p)), 0.0
    for size in cells:
        for event in combinations(cells, size):
            x, y = (sum((law[i] for i in event), Fraction(0)) for law in (p, q))
            if x > y and (y == 0 or x == 1):
                return math.inf
            if x > y:
                best = max(best, NORMAL.inv_cdf(float(x)) - NORMAL.inv_cdf(float(y)))
    return best


def gaussian_delta(mu, epsilon):
    """Return the gap of N(mu, 1) against N(0, 1), by tails that keep their digits far out."""

    def tail(x):
        return math.erfc(x / math.sqrt(2)) / 2

    m, e = float(mu), float(epsilon)
    return tail(e / m - m / 2) - math.exp(e) * tail(e / m + m / 2)


def law(weights):
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def laws(size, *, least=1, most=12):
    cells = st.lists(st.integers(least, most), min_size=size, max_size=size)
    return cells.filter(any).map(law)


def pairs(*, least=1, most=12, sizes=(2, 4)):
    """Draw two laws on the same few cells."""
    return st.integers(*sizes).flatmap(
        lambda n: st.tuples(laws(n, least=least, most=most), laws(n, least=least, most=most))
    )
