"""Hypothesis strategies: small exact laws, matrices, universes and mechanisms.

Everything drawn is small enough for `twoworlds.testing.enumeration`, and meets zeros often: an
output that is impossible in one world is where definitions differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from twoworlds.laws.noise import GeometricNoise, NegativeBinomialDifference
from twoworlds.mechanisms import AddedNoise, Dense, Mechanism, OnStatistic, PerRecord
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.worlds import (
    ADD_REMOVE,
    EXPLICIT,
    SUBSTITUTE,
    BitStrings,
    Explicit,
    Integers,
    Records,
    TrueAnswer,
    Universe,
)

_WEIGHT = 12


def rationals(
    low: Fraction | int, high: Fraction | int, *, denominator: int = 24
) -> SearchStrategy[Fraction]:
    """Draw a rational between two ends, with a denominator that divides the one given."""
    first, last = -(-low * denominator // 1), high * denominator // 1
    return st.integers(int(first), int(last)).map(lambda n: Fraction(n, denominator))


def probabilities() -> SearchStrategy[Fraction]:
    """Draw a rational from 0 to 1, both ends included."""
    return rationals(0, 1)


def ratios() -> SearchStrategy[Fraction]:
    """Draw a ratio e^epsilon: mostly small, at times very large."""
    return st.one_of(rationals(1, 6, denominator=12), st.sampled_from([Fraction(1), Fraction(999)]))


def deltas() -> SearchStrategy[Fraction]:
    """Draw a delta: 0, or a rational up to 1."""
    return st.one_of(st.just(Fraction(0)), probabilities())


@st.composite
def laws(draw: DrawFn, size: int) -> tuple[Fraction, ...]:
    """Draw a law on so many cells; any of them may be impossible."""
    weights = draw(
        st.lists(st.integers(0, _WEIGHT), min_size=size, max_size=size).filter(any), label="weights"
    )
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


@st.composite
def stochastic_matrices(draw: DrawFn, outputs: int, databases: int) -> list[list[Fraction]]:
    """Draw a matrix with one row per output whose columns are laws."""
    columns = [draw(laws(outputs)) for _ in range(databases)]
    return [list(row) for row in zip(*columns, strict=True)]


@st.composite
def universes(draw: DrawFn, relations: Sequence[str] | None = None) -> tuple[Universe, str]:
    """Draw a small universe together with a neighbour relation that makes sense on it."""
    known = (SUBSTITUTE, ADD_REMOVE, EXPLICIT) if relations is None else tuple(relations)
    relation = draw(st.sampled_from(known), label="relation")
    if relation == ADD_REMOVE:
        n = draw(st.integers(1, 2))
        return Records(2, n, smallest=draw(st.integers(0, n - 1))), relation
    if relation == EXPLICIT:
        return draw(_listed()), relation
    some: SearchStrategy[Universe] = st.one_of(
        st.integers(1, 2).map(BitStrings),
        st.integers(2, 4).map(lambda values: Records(values, 1)),
        st.integers(1, 2).map(lambda step: Integers(0, 3, step)),
        st.just(Explicit(("11", "10", "01", "00"))),
    )
    return draw(some), relation


@st.composite
def _listed(draw: DrawFn) -> Universe:
    size = draw(st.integers(2, 4))
    points = tuple("abcd"[:size])
    both = [(x, y) for i, x in enumerate(points) for y in points[i + 1 :]]
    pairs = draw(st.lists(st.sampled_from(both), min_size=1, max_size=len(both), unique=True))
    return Explicit(points, tuple(pairs))


@st.composite
def dense_mechanisms(
    draw: DrawFn, universe: Universe | None = None, *, most_outputs: int = 4
) -> Dense:
    """Draw a matrix on a universe, on two bits unless given."""
    where = BitStrings(2) if universe is None else universe
    size = draw(st.integers(1, most_outputs))
    rows = draw(stochastic_matrices(size, where.size or 0))
    return Dense(where, Explicit(tuple(f"o{i}" for i in range(size))), rows)


@st.composite
def per_record_mechanisms(draw: DrawFn, *, most_records: int = 3) -> PerRecord:
    """Draw one transition on two or three values, applied to every record."""
    values, outputs = draw(st.integers(2, 3)), draw(st.integers(2, 3))
    rows = draw(stochastic_matrices(outputs, values))
    names = (Explicit(tuple(range(values))), Explicit(tuple(range(outputs))))
    most = most_records if values * outputs == 4 else 2
    return PerRecord(Dense(*names, rows), draw(st.integers(1, most)))


@st.composite
def integer_noise_mechanisms(draw: DrawFn) -> OnStatistic:
    """Draw rational noise on the whole numbers, of infinite or finite range, or clamped."""
    step = draw(st.integers(1, 2))
    if draw(st.booleans(), label="finite noise"):
        masses = draw(laws(draw(st.integers(1, 4))))
        channel = FiniteNoise(masses, draw(st.integers(-2, 1)))
        return OnStatistic(Integers(step=step), TrueAnswer(), channel, expression="finite noise")
    p = draw(rationals(Fraction(1, 4), Fraction(3, 4)))
    r = draw(st.integers(1, 3))
    noise = GeometricNoise(p) if r == 1 else NegativeBinomialDifference(p, r)
    low, high = (0, 3) if draw(st.booleans(), label="clamped") else (None, None)
    channel_ = AddedNoise(noise, low, high)
    text = f"{noise.expression} from {low} to {high}"
    return OnStatistic(Integers(low, high, step), TrueAnswer(), channel_, expression=text)


@st.composite
def post_processings(draw: DrawFn, before: Mechanism, *, most_outputs: int = 3) -> Dense:
    """Draw a randomized map of the outputs of a finite mechanism."""
    size = draw(st.integers(1, most_outputs))
    rows = draw(stochastic_matrices(size, before.outputs.size or 0))
    return Dense(before.outputs, Explicit(tuple(f"p{i}" for i in range(size))), rows)
