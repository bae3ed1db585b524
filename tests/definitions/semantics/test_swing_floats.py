"""Swings of float matrices: a search in floats against exact arithmetic on the same doubles."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.definitions.semantics.worst_swing import worst_swing
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms._swing_kernels import swing_worst
from twoworlds.mechanisms.float_matrix import FloatMatrix
from twoworlds.numbers import bounds
from twoworlds.worlds import BitStrings, Explicit, Integers, Records

UNIT = Fraction(1, 2**53)


def exactly(matrix, records, values, default):
    """The largest swing of the doubles in exact arithmetic; None for infinite."""
    worst = Fraction(1)
    for row in matrix.tolist():
        for person in range(records):
            weight = values ** (records - person - 1)
            ratios = []
            for x, p in enumerate(row):
                q = row[x + (default - x // weight % values) * weight]
                if p == 0 and q == 0:
                    continue
                if p == 0 or q == 0:
                    return None
                ratios.append(Fraction(p) / Fraction(q))
            if ratios:
                worst = max(worst, max(ratios) / min(ratios))
    return worst


def confirmed(matrix, records, values, default):
    """Compare the search with exact arithmetic, and its databases with the swing stated."""
    found = swing_worst(matrix, records, values, default)
    truth = exactly(matrix, records, values, default)
    if truth is None:
        assert found.lower is None
        assert found.upper is None
        return found
    assert found.lower <= truth <= found.upper
    assert found.upper <= found.lower * (1 + 8 * UNIT)
    row, weight = matrix[found.output], values ** (records - found.person - 1)
    r = [
        Fraction(float(row[x]))
        / Fraction(float(row[x + (default - x // weight % values) * weight]))
        for x in (found.high, found.low)
        if truth != 1
    ]
    assert truth == 1 or r[0] / r[1] == found.lower
    return found


@st.composite
def matrices(draw):
    values, records = draw(st.sampled_from([(2, 1), (2, 3), (2, 5), (3, 2), (4, 2), (1, 2)]))
    rows = draw(st.sampled_from([1, 2, 7, 16, 17, 40]))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    matrix = rng.random((rows, values**records))
    kind = draw(st.sampled_from(["plain", "zeros", "ties", "zero rows", "tiny"]))
    if kind == "zeros":
        matrix[rng.random(matrix.shape) < 0.02] = 0.0
    elif kind == "ties":
        matrix = rng.integers(1, 4, matrix.shape) / 7
    elif kind == "zero rows":
        matrix[rng.random(rows) < 0.5] = 0.0
    elif kind == "tiny":
        matrix = 2.0 ** rng.integers(-500, 0, matrix.shape)
    return matrix / matrix.max(initial=1.0), records, values, draw(st.integers(0, values - 1))


@settings(deadline=None, max_examples=12)
@given(matrices())
def test_the_search_encloses_the_exact_swing(case):
    confirmed(*case)


def test_one_zero_among_many_entries_is_found():
    matrix = np.random.default_rng(3).random((40, 64)) + 0.5
    matrix /= matrix.max()
    for t, x in ((0, 0), (17, 63), (39, 32)):
        holed = matrix.copy()
        holed[t, x] = 0.0
        found = confirmed(holed, 6, 2, 1)
        assert found.lower is None
        assert found.output == t


def test_swings_beyond_the_floats_are_refused_unless_one_is_infinite():
    tiny = np.array([[0.5, 1.0, 0.5, 5e-324], [0.5, 0.0, 0.5, 1.0]])
    assert swing_worst(tiny, 2, 2, 1).lower is None
    tiny[1, 1] = 0.25
    with pytest.raises(Unsupported, match="exceeds the largest float"):
        swing_worst(tiny, 2, 2, 1)
    with pytest.raises(Unsupported, match="exceeds the largest float"):
        swing_worst(np.array([[1.5 * 2.0**-1024, 0.7]]), 1, 2, 1)  # the quotient is subnormal
    wide = np.array([[1.0, 1e-200, 1e-200, 1.0]])
    with pytest.raises(Unsupported, match="exceeds the largest float"):
        swing_worst(wide, 2, 2, 1)


def stochastic(universe, outputs, seed=0):
    matrix = np.random.default_rng(seed).random((outputs, universe.size)) + 0.1
    return FloatMatrix(universe, Integers(0, outputs - 1), matrix / matrix.sum(axis=0))


@pytest.mark.parametrize("default", [None, 0, 1, 2])
def test_a_verdict_says_float_and_shows_a_belief_that_verifies(default):
    m = stochastic(Records(3, 3), 20)
    verdict = SemanticPrivacy(default=default).tightest(m)
    assert verdict.to_dict()["arithmetic"] == "float, with rigorous error bounds"
    low, high = bounds(verdict.swing)
    truth = exactly(m.matrix, 3, 3, 2 if default is None else default)
    assert low <= truth <= high
    assert high - low < truth / 2**49
    assert verdict.witness.verify()
    assert set(verdict.to_dict()["epsilon"]) >= {"lower", "upper"}
    swing = worst_swing(m, default)
    assert "in floats with proven error bounds" in swing.method
    assert {swing.high.database, swing.low.database} == set(verdict.witness.belief)


def test_parts_and_bare_answers_of_float_matrices():
    m = stochastic(BitStrings(2), 5)
    closed = m.restrict(["10", "00"])
    rows = m.matrix[:, [m.universe.positions[x] for x in closed.universe]].tolist()
    assert worst_swing(closed, 0).ratio == max(
        max(Fraction(p) / Fraction(q), Fraction(q) / Fraction(p)) for p, q in rows
    )
    answers = stochastic(Integers(0, 3), 5)
    low, high = bounds(worst_swing(answers).ratio)
    truth = max(
        max(Fraction(p) / Fraction(q), Fraction(q) / Fraction(p)) ** 2
        for row in answers.matrix.tolist()
        for p, q in pairwise(row)
    )
    assert low <= truth <= high
    with pytest.raises(InvalidInput, match="no persons"):
        worst_swing(stochastic(Explicit(("a", "b")), 3))
    with pytest.raises(InvalidInput, match="default=7"):
        worst_swing(m, 7)
