import math
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.mechanisms import _kernels
from twoworlds.mechanisms._kernels import hamming_worst, pairs_worst

TINY = 5e-324  # the least positive double

ENTRIES = st.one_of(
    st.sampled_from([0.0, 1.0, 0.25, 0.5, 0.75, TINY, 3 * TINY, 2.0**-1022, 2.0**-537, 2.0**-970]),
    st.floats(0.0, 1.0),
    st.floats(2.0**-10, 1.0),
)
RATIOS = st.lists(
    st.one_of(st.sampled_from([1.0, 3.0, 1.5, 2.0**60, 1.7e308]), st.floats(1.0, 20.0)), max_size=3
)


def hamming_pairs(records, values):
    """All unordered pairs of columns whose words differ in one digit, from the definition."""
    words = [
        tuple(x // values**i % values for i in reversed(range(records)))
        for x in range(values**records)
    ]
    return [
        (x, y)
        for x, y in combinations(range(len(words)), 2)
        if sum(a != b for a, b in zip(words[x], words[y], strict=True)) == 1
    ]


def exact_ratio(matrix, x, y):
    quotients = [Fraction(0)]
    for p, q in zip(matrix[:, x].tolist(), matrix[:, y].tolist(), strict=True):
        if p > 0.0:
            quotients.append(Fraction(p) / Fraction(q) if q > 0.0 else math.inf)
    return max(quotients)


def exact_delta(matrix, x, y, ratio):
    columns = zip(matrix[:, x].tolist(), matrix[:, y].tolist(), strict=True)
    return sum(max(Fraction(0), Fraction(p) - Fraction(ratio) * Fraction(q)) for p, q in columns)


def assert_encloses_the_truth(worst, matrix, ratios, pairs):
    """Compare with enumeration in exact rationals, over both directions of each pair."""
    ordered = [(x, y) for pair in pairs for x, y in (pair, pair[::-1])]
    largest = max(exact_ratio(matrix, x, y) for x, y in ordered)
    if largest == 0:
        assert worst[:5] == (1.0, 1.0, 1.0, None, None)
    else:
        assert worst.ratio_lower <= largest <= worst.ratio_upper
        assert worst.ratio_lower <= worst.ratio <= worst.ratio_upper
        assert worst.ratio_upper <= math.nextafter(worst.ratio_lower, math.inf)
        assert worst.ratio_pair in ordered
        x, y = worst.ratio_pair
        assert exact_ratio(matrix[[worst.ratio_output]], x, y) >= worst.ratio_lower
    for j, ratio in enumerate(ratios):
        largest = max(exact_delta(matrix, x, y, ratio) for x, y in ordered)
        assert worst.deltas_lower[j] <= largest <= worst.deltas_upper[j]
        assert worst.deltas_lower[j] <= worst.deltas[j] <= worst.deltas_upper[j]
        assert tuple(worst.delta_pairs[j]) in ordered
        attained = exact_delta(matrix, *worst.delta_pairs[j].tolist(), ratio)
        error = Fraction(float(worst.deltas_upper[j])) - Fraction(float(worst.deltas_lower[j]))
        assert attained >= largest - 2 * error
        assert (largest == 0) == (worst.deltas_upper[j] == 0.0)


@st.composite
def mechanisms(draw):
    """(matrix, records, values): any entries in [0, 1], outputs unrelated to databases."""
    records, values = draw(
        st.sampled_from([(1, 2), (2, 2), (3, 2), (4, 2), (1, 3), (2, 3), (1, 5), (2, 4), (1, 7)])
    )
    outputs = draw(st.integers(1, 19))
    columns = values**records
    if draw(st.booleans()):
        entries = draw(st.lists(ENTRIES, min_size=1, max_size=outputs * columns))
        return np.resize(entries, (outputs, columns)), records, values
    matrix = np.random.default_rng(draw(st.integers(0, 2**32))).random((outputs, columns))
    return matrix / matrix.sum(axis=0), records, values


def stochastic(outputs, columns, seed=0):
    matrix = np.random.default_rng(seed).random((outputs, columns))
    matrix /= matrix.sum(axis=0)
    return matrix


@given(mechanisms(), RATIOS)
def test_hamming_interval_contains_the_maximum_by_exact_enumeration(mechanism, ratios):
    matrix, records, values = mechanism
    worst = hamming_worst(matrix, records, values, ratios)
    assert_encloses_the_truth(worst, matrix, ratios, hamming_pairs(records, values))


@given(mechanisms(), RATIOS, st.data())
def test_interval_of_listed_pairs_contains_the_maximum_by_exact_enumeration(
    mechanism, ratios, data
):
    matrix, _, _ = mechanism
    column = st.integers(0, matrix.shape[1] - 1)
    pairs = data.draw(st.lists(st.tuples(column, column), min_size=1, max_size=12))
    xs, ys = np.array(pairs).T
    assert_encloses_the_truth(pairs_worst(matrix, xs, ys, ratios), matrix, ratios, pairs)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("records", "values"),
    [(1, 2), (1, 64), (1, 65), (2, 9), (2, 66), (3, 5), (5, 3), (12, 2)],
)
def test_tasks_visit_each_pair_once(records, values):
    seen = []
    for make in _kernels.hamming_tasks(records, values):
        task = make()
        assert len(task.columns) <= _kernels.TILE_COLUMNS
        for x, y, length in task.runs:
            seen.append(np.stack([task.columns[x : x + length], task.columns[y : y + length]]))
    pairs = np.sort(np.concatenate(seen, axis=1).astype(np.int64), axis=0)
    assert pairs.shape[1] == values**records * records * (values - 1) // 2
    assert len(np.unique(pairs, axis=1).T) == pairs.shape[1]
    distance = sum(
        pairs[0] // values**i % values != pairs[1] // values**i % values for i in range(records)
    )
    assert (distance == 1).all()


def test_long_lists_of_pairs_are_cut_into_tiles_and_tasks():
    matrix = stochastic(40, 300)
    xs, ys = np.array(list(combinations(range(300), 2))).T  # 44850 pairs
    worst = pairs_worst(matrix, xs, ys, [1.0, 2.0])
    same = hamming_worst(matrix, 1, 300, [1.0, 2.0])
    assert worst.ratio_upper == same.ratio_upper
    np.testing.assert_array_equal(worst.deltas, same.deltas)
    np.testing.assert_array_equal(np.sort(worst.delta_pairs), np.sort(same.delta_pairs))


def test_one_thread_and_many_agree(monkeypatch):
    matrix = stochastic(300, 256)
    answers = []
    for cores in (1, 5):
        monkeypatch.setattr(_kernels, "_cores", lambda cores=cores: cores)
        answers.append(hamming_worst(matrix, 8, 2, [1.0, 2.0]))
    for one, many in zip(*answers, strict=True):
        np.testing.assert_array_equal(one, many)


def test_a_quotient_beyond_the_largest_double_is_infinite_above_and_finite_below():
    worst = hamming_worst(np.array([[1.0, TINY], [0.0, 0.0]]), 1, 2)
    assert (worst.ratio_lower, worst.ratio, worst.ratio_upper) == (
        np.finfo(float).max,
        math.inf,
        math.inf,
    )


def test_a_gap_far_below_the_least_double_is_not_mistaken_for_zero():
    matrix = np.array([[4 * TINY, 3 * TINY]])
    below, above = 4 / 3, math.nextafter(4 / 3, 2.0)
    assert Fraction(below) < Fraction(4, 3) < Fraction(above)
    worst = hamming_worst(matrix, 1, 2, [below, above])
    assert worst.deltas_lower.tolist() == [0.0, 0.0]
    assert worst.deltas_upper.tolist() == [TINY, 0.0]


@pytest.mark.parametrize("outputs", [1, 7, 8, 9, 100, 1000])
def test_the_bound_on_a_delta_is_narrow(outputs):
    worst = hamming_worst(stochastic(outputs, 8), 3, 2, [1.0])
    width = worst.deltas_upper - worst.deltas_lower
    assert (width <= worst.deltas * (outputs / 8 + 12) * 2.0**-52).all()


@pytest.mark.parametrize(("records", "values"), [(0, 2), (3, 1), (0, 1)])
def test_without_neighbours_nothing_is_revealed(records, values):
    worst = hamming_worst(np.ones((3, 1)), records, values, [2.0])
    assert worst[:5] == (1.0, 1.0, 1.0, None, None)
    assert worst.deltas_upper.tolist() == [0.0]
    assert worst.delta_pairs.tolist() == [[-1, -1]]
    nothing = np.array([], dtype=np.int64)
    assert pairs_worst(np.ones((3, 1)), nothing, nothing).ratio_pair is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hamming_worst(np.eye(4).T[:, ::-1], 2, 2), "C-contiguous"),
        (lambda: hamming_worst(np.eye(4, dtype=np.float32), 2, 2), "float64"),
        (lambda: hamming_worst(np.eye(4), 3, 2), "make 8 databases"),
        (lambda: hamming_worst(np.eye(4), 2, 2, [0.5]), "at least 1"),
        (lambda: hamming_worst(np.eye(4), 2, 2, [math.inf]), "finite"),
        (lambda: pairs_worst(np.eye(4), np.array([0]), np.array([4])), "0..3"),
        (lambda: pairs_worst(np.eye(4), np.array([0, 1]), np.array([0])), "one length"),
    ],
)
def test_rejects_what_the_proof_does_not_cover(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_compiles_without_a_directory_for_the_cache(monkeypatch):
    original = numba.njit

    def no_locator(*, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return original(**options)

    monkeypatch.setattr(numba, "njit", no_locator)
    assert _kernels.njit(lambda x: x + 1)(1) == 2


def test_process_memory_stays_far_below_the_matrix():
    reset, status = Path("/proc/self/clear_refs"), Path("/proc/self/status")
    try:
        reset.write_text("5")  # the peak starts again from here
    except OSError:
        pytest.skip("this system cannot reset the peak of resident memory")

    def kilobytes(field):
        return int(status.read_text().split(field)[1].split()[0])

    matrix = stochastic(4096, 1024)
    hamming_worst(matrix[:8], 10, 2, [1.0, 2.0, 3.0])
    reset.write_text("5")
    before = kilobytes("VmRSS:")
    hamming_worst(matrix, 10, 2, [1.0, 2.0, 3.0])
    assert (kilobytes("VmHWM:") - before) * 1024 < matrix.nbytes / 4
