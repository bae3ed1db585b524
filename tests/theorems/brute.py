"""Definitions written down in plain fractions: what the theorems are judged by.

A small mechanism is a mapping from databases (tuples) to laws (tuples of fractions over the same
transcripts). A transcript that is impossible in Game i counts as a breach there.
"""

from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

ONE = Fraction(1)


def excess(p, q, ratio):
    """Return max over events of P(S) - ratio Q(S), for any ratio that compares with fractions."""
    return sum((x - ratio * y for x, y in zip(p, q, strict=True) if x > ratio * y), Fraction(0))


def delta_of(mechanism, ratio):
    """Return the smallest delta at a ratio, over all pairs that differ in one record."""
    found = (excess(mechanism[x], mechanism[y], ratio) for x, y in neighbours(mechanism))
    return max(found, key=float)  # for display order only: equal irrationals do not compare


def neighbours(mechanism):
    return [
        (x, y)
        for x, y in product(mechanism, repeat=2)
        if sum(a != b for a, b in zip(x, y, strict=True)) == 1
    ]


def posterior(belief, likelihood):
    joint = {x: mass * likelihood(x) for x, mass in belief.items()}
    total = sum(joint.values())
    return None if total == 0 else {x: mass / total for x, mass in joint.items()}


def difference(one, other):
    return sum(abs(one[x] - other[x]) for x in one) / 2


def moved(mechanism, belief, t, person, default):
    """Return the statistical difference of Games 0 and i after transcript t; 1 if undefined."""

    def without(x):
        return mechanism[(*x[:person], default, *x[person + 1 :])][t]

    here, there = posterior(belief, lambda x: mechanism[x][t]), posterior(belief, without)
    return ONE if there is None else difference(here, there)


def chance(mechanism, belief, t):
    return sum(mass * mechanism[x][t] for x, mass in belief.items())


def failure(mechanism, belief, distance, default=0):
    """Return the probability over transcripts that some person's two games differ by more."""
    people = range(len(next(iter(mechanism))))
    total = Fraction(0)
    for t in range(len(next(iter(mechanism.values())))):
        mass = chance(mechanism, belief, t)
        if mass and any(moved(mechanism, belief, t, i, default) > distance for i in people):
            total += mass
    return total


def largest_move(mechanism, belief, default=0):
    """Return the largest difference of Games 0 and i over possible transcripts and persons."""
    people = range(len(next(iter(mechanism))))
    transcripts = range(len(next(iter(mechanism.values()))))
    return max(
        moved(mechanism, belief, t, i, default)
        for t in transcripts
        if chance(mechanism, belief, t)
        for i in people
    )


def pure_ratio(mechanism):
    """Return the largest ratio of any transcript between neighbours; all laws must be positive."""
    return max(
        p / q
        for x, y in neighbours(mechanism)
        for p, q in zip(mechanism[x], mechanism[y], strict=True)
    )


def law(weights):
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def laws(size, *, least=0, most=12):
    cells = st.lists(st.integers(least, most), min_size=size, max_size=size)
    return cells.filter(any).map(law)


@st.composite
def mechanisms(draw, *, people=2, values=2, transcripts=3, least=1):
    """Draw one law for every database."""
    databases = list(product(range(values), repeat=people))
    return {x: draw(laws(transcripts, least=least)) for x in databases}


@st.composite
def leaky_mechanisms(draw, *, people=2, transcripts=3):
    """Draw laws that are close to each other, but for leaks of small probability."""
    base = draw(st.lists(st.integers(20, 40), min_size=transcripts, max_size=transcripts))
    found = {}
    for x in product(range(2), repeat=people):
        noise = draw(st.lists(st.integers(0, 4), min_size=transcripts, max_size=transcripts))
        leak = draw(st.lists(st.sampled_from([0, 0, 0, 1]), min_size=2, max_size=2))
        weights = [40 * (b + n) for b, n in zip(base, noise, strict=True)] + leak
        found[x] = law(weights)
    return found


@st.composite
def beliefs(draw, mechanism):
    return dict(zip(mechanism, draw(laws(len(mechanism))), strict=True))
