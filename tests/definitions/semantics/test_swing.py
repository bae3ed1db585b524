"""The largest swing by structure, against enumeration of outputs, persons and databases."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions.semantics import brute
from twoworlds import Dense, mechanism
from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.definitions.semantics.worst_swing import worst_swing
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.laws.event import agree
from twoworlds.laws.noise import (
    GeometricNoise,
    NegativeBinomialDifference,
)
from twoworlds.mechanisms import AddedNoise, Deterministic, OnStatistic, PerRecord, Through
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.numbers import INFINITY, bounds
from twoworlds.worlds import Additive, BitStrings, Computed, Explicit, Integers, Records
from twoworlds.worlds.statistics import histogram

HALF = GeometricNoise(Fraction(1, 2))
POLYA = NegativeBinomialDifference(Fraction(1, 2), 3)
COUNT = Additive(lambda bit: bit, name="count")


def on(universe, statistic, channel):
    return OnStatistic(universe, statistic, channel, expression="test")


def agrees(m, default, reach=12):
    """The structure finds what enumeration of outputs -reach..reach finds, or its limit."""
    outputs = range(-reach, reach + 1) if m.outputs.size is None else m.outputs
    found, expected = worst_swing(m, default), brute.largest_swing(m, outputs, default)
    if expected is None:
        assert found.ratio == INFINITY
    elif found.output is not None:
        assert found.ratio == expected
        assert brute.swing(m, found.output, found.person - 1, default) == expected
        assert found.high.r / found.low.r == expected
        for case in (found.high, found.low):
            assert case.p == m.probability(found.output, case.database)
            assert case.q == m.probability(found.output, case.removed)
    else:
        assert not found.attained
        far = max(brute.largest_swing(m, [t], default) for t in (-4000, 4000))
        assert expected < found.ratio
        assert found.ratio * Fraction(99, 100) < far < found.ratio


@pytest.mark.few(6)
@pytest.mark.parametrize("bits", [1, 2, 3, 4])
@pytest.mark.parametrize("default", [0, 1])
@pytest.mark.parametrize(
    "text",
    [
        "geometric(ratio=2, bits={})",
        "differenced-negative-binomial(1/2, 2, bits={})",
        "differenced-negative-binomial(1/3, 3, bits={})",
        "truncated-geometric(ratio=3, bits={})",
        "integer-noise([1/4, 1/2, 1/4], start=-1, bits={})",
        "integer-noise([1/2, 0, 0, 1/2, 0], bits={})",
        "integer-noise([1], bits={})",
        "noisy-parity(bits={}, keep=2/3)",
        "parity(bits={})",
        "constant(bits={})",
    ],
)
def test_named_mechanisms_agree_with_enumeration(text, bits, default):
    agrees(mechanism(text.format(bits)), default)


@pytest.mark.few(3)
@pytest.mark.parametrize("default", [0, 1, 2])
@pytest.mark.parametrize("noise", [HALF, POLYA])
@pytest.mark.parametrize("phi", [(0, 1, 2), (0, 3, 1), (-2, 0, 1), (5, 5, 5)])
def test_a_default_between_the_extremes_moves_both_ways(noise, phi, default):
    records = Records(3, 2)
    weighted = Additive(lambda v: phi[v], name="weighted")
    agrees(on(records, weighted, AddedNoise(noise)), default, reach=20)
    agrees(on(records, weighted, AddedNoise(noise, -1, 3)), default)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "statistic",
    [
        Additive(lambda v: v, modulo=2),
        Additive(lambda v: v, modulo=3),
        Computed(max, "maximum"),
        Computed(lambda x: x[0] * x[1] - x[2], "product"),
    ],
)
@pytest.mark.parametrize(
    "channel",
    [
        AddedNoise(HALF),
        AddedNoise(POLYA),
        AddedNoise(HALF, 0, 2),
        AddedNoise(HALF, 0),
        AddedNoise(HALF, None, 1),
        FiniteNoise.of(["1/3", "1/3", "0", "1/3"], -1),
    ],
)
def test_statistics_that_are_no_plain_sum_agree_with_enumeration(statistic, channel):
    for default in (0, 2):
        agrees(on(Records(3, 3), statistic, channel), default)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_statistic_told_as_it_is_gives_a_person_away(n):
    cells = histogram([0, 1])
    reached = sorted({cells(x) for x in Records(3, n)})
    for default in (0, 1, 2):
        agrees(on(Records(3, n), cells, Deterministic(Explicit(tuple(reached)))), default)
        wide = on(Records(3, n), Additive(lambda v: v), Deterministic(Integers()))
        found = worst_swing(wide, default)
        assert found.ratio == INFINITY
        assert found.attained
        assert found.undefined == (n == 1)
    many = on(Records(5, 60), histogram([0, 1, 2, 3, 4]), Deterministic(Explicit((0,))))
    assert worst_swing(many).ratio == INFINITY
    nothing = on(Records(3, n), Additive(lambda _: 7), Deterministic(Integers()))
    assert worst_swing(nothing).ratio == 1


@given(st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=2, max_size=3))
def test_finite_channels_agree_with_enumeration(rows):
    columns = [[w + (i == 0) for i, w in enumerate(column)] for column in zip(*rows, strict=True)]
    laws = [[Fraction(w, sum(column)) for w in column] for column in columns]
    channel = Through(
        Dense(
            Integers(0, 3), Integers(0, len(rows) - 1), [list(r) for r in zip(*laws, strict=True)]
        )
    )
    for default in (0, 1):
        agrees(on(BitStrings(3), COUNT, channel), default)


@given(
    st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=3, max_size=3),
    st.integers(1, 3),
    st.integers(0, 2),
)
def test_one_transition_for_each_record_agrees_with_its_table(columns, n, default):
    weights = [[w + (i == k) for i, w in enumerate(c)] for k, c in enumerate(columns)]
    laws = [[Fraction(w, sum(column)) for w in column] for column in weights]
    values = Explicit((0, 1, 2))
    m = PerRecord(Dense(values, values, [list(row) for row in zip(*laws, strict=True)]), n)
    agrees(m, default)
    by_table, by_structure = worst_swing(m.table(), default), worst_swing(m, default)
    assert by_table.ratio == by_structure.ratio
    assert by_structure.high.p == m.probability(by_structure.output, by_structure.high.database)


@pytest.mark.parametrize(
    ("text", "outputs"),
    [
        ("truncated-geometric(ratio=2, high=4)", range(5)),
        ("truncated-geometric(p=1/3, high=5, low=-1, sensitivity=2)", range(-1, 6)),
        ("restrict(geometric(ratio=2), [0, 1, 2])", range(-5, 8)),
        ("restrict(geometric(p=1/2, sensitivity=2), [0, 2, 3])", range(-5, 8)),
        ("integer-noise([1/4, 1/2, 1/4], start=-1)", None),
    ],
)
def test_a_bare_answer_moves_both_ways(text, outputs):
    m = mechanism(text)
    found = worst_swing(m)
    if outputs is None:
        assert found.ratio == INFINITY
        return
    step = 2 if "sensitivity=2" in text else 1
    pairs = [(u, v) for u in m.universe for v in m.universe if 0 < abs(u - v) <= step]
    ratios = {t: max(m.probability(t, u) / m.probability(t, v) for u, v in pairs) for t in outputs}
    assert found.ratio == max(ratios.values()) ** 2
    assert ratios[found.output] == max(ratios.values())
    assert found.high.r / found.low.r == found.ratio


@pytest.mark.parametrize("default", [0, 1])
def test_laplace_noise_on_a_count_is_worst_at_a_value(default):
    m = mechanism("laplace(ratio=3, bits=3)")
    found = worst_swing(m, default)
    assert found.ratio == 9
    grid = [Fraction(k, 7) for k in range(-14, 36)]
    for t in (*grid, found.output):
        ratios = []
        for x in m.universe:
            y = (default, *x[1:])
            ratios.append(float(m.probability(t, x)) / float(m.probability(t, y)))
        assert max(ratios) / min(ratios) <= 9 + 1e-9
    assert max(ratios) / min(ratios) == pytest.approx(9)
    assert worst_swing(mechanism("gaussian(sigma=1, bits=3)")).ratio == INFINITY


@pytest.mark.parametrize(
    "text",
    [
        "restrict(randomized-response(bits=2, keep=3/4), [00, 10])",
        "restrict(randomized-response(bits=2, keep=3/4), [10, 01, 00])",
        "restrict(geometric(ratio=2, bits=2), [00, 10])",
    ],
)
def test_a_part_that_holds_everybody_left_out_agrees_with_enumeration(text):
    m = mechanism(text)
    outputs = range(-4, 8) if m.outputs.size is None else m.outputs
    assert worst_swing(m, 0).ratio == brute.largest_swing(m, outputs, 0)


def test_a_part_that_lacks_somebody_left_out_is_refused():
    for inner in ("randomized-response(bits=2, keep=3/4)", "geometric(ratio=2, bits=2)"):
        with pytest.raises(Unsupported, match="out of 11 gives 01, which the restriction"):
            worst_swing(mechanism(f"restrict({inner}, [11, 00])"))


def test_what_has_neither_persons_nor_structure_is_refused():
    with pytest.raises(InvalidInput, match="no persons"):
        worst_swing(mechanism("constant(universe=points([a, b]))"))
    with pytest.raises(TooLarge, match="more than"):
        worst_swing(on(BitStrings(30), Computed(sum, "sum"), AddedNoise(HALF)))


def test_irrational_tables_are_enclosed():
    table = mechanism("randomized-response(epsilon=1, bits=2)").table()
    low, high = bounds(worst_swing(table).ratio)
    assert low <= Fraction("2.7182818284590452354") <= high + Fraction(1, 10**18)
    assert high - low < Fraction(1, 10**15)


def test_hundreds_of_persons_cost_no_more_than_a_few():
    for text, ratio in (
        ("randomized-response(bits=300, keep=3/4)", 3),
        ("geometric(ratio=2, bits=300)", 4),
        ("truncated-geometric(ratio=2, bits=300)", 4),
        ("noisy-parity(bits=100, keep=3/4)", 9),
        ("parity(bits=300)", INFINITY),
        ("integer-noise([1/2, 1/2], bits=300)", INFINITY),
        ("constant(bits=300)", 1),
    ):
        assert worst_swing(mechanism(text)).ratio == ratio


# --- several mechanisms at once -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("geometric(ratio=2, bits=2)", "geometric(ratio=3/2, bits=2)"),
        ("geometric(ratio=2, bits=2)", "randomized-response(bits=2, keep=3/4)"),
    ],
)
def test_several_at_once_are_as_bad_as_their_worst_outputs(first, second):
    """Far more outputs than the corners that are looked at, by the definition."""
    both = mechanism(f"pair({first}, {second})")
    alone = mechanism(second)
    finite = alone.outputs.size is not None
    wide = list(alone.outputs) if finite else range(-3, 6)
    found = 0
    for t in ((a, b) for a in range(-3, 6) for b in wide):
        for i in (0, 1):
            ratios = [
                both.probability(t, x) / both.probability(t, (*x[:i], 0, *x[i + 1 :]))
                for x in both.universe
            ]
            found = max(found, max(ratios) / min(ratios))
    swing = worst_swing(both)
    assert swing.ratio == found
    assert SemanticPrivacy().tightest(both).witness.verify()


def test_two_laplace_answers_add_up():
    both = mechanism("pair(laplace(ratio=2, bits=2), laplace(ratio=3, bits=2))")
    low, high = bounds(worst_swing(both).ratio)
    assert low <= 36 <= high < 36 + Fraction(1, 10**9)
    other = "differenced-negative-binomial(p=1/2, r=3, bits=2)"
    with pytest.raises(Unsupported, match="geometric and Laplace"):
        worst_swing(mechanism(f"pair({other}, geometric(ratio=2, bits=2))"))


@pytest.mark.parametrize(
    "beside",
    [
        "gaussian(sigma=1, bits=2)",
        "geometric(ratio=2, bits=2)",
        "noisy-parity(bits=2, keep=3/4)",
        "laplace(scale=1, bits=2)",
    ],
)
@pytest.mark.parametrize(
    "endless", ["gaussian(sigma=1, bits=2)", "discrete-gaussian(sigma2=2, bits=2)"]
)
def test_beside_noise_without_a_largest_ratio_no_difference_is_the_largest(endless, beside):
    both, claimed = mechanism(f"pair({endless}, {beside})"), Fraction(99, 100)
    assert worst_swing(both).ratio == INFINITY
    refuted = SemanticPrivacy(epsilon=claimed).check(both)
    assert refuted.holds is False
    shown = refuted.witness
    real, removed = ({}, {})
    for x, mass in shown.belief.items():
        left = (*x[: shown.person - 1], 0, *x[shown.person :])
        real[x] = float(mass * both.probability(shown.output, x))
        removed[x] = float(mass * both.probability(shown.output, left))
    apart = (abs(real[x] / sum(real.values()) - removed[x] / sum(removed.values())) for x in real)
    assert sum(apart) / 2 > claimed


WHOLE = range(-2, 5)
ADAPTIVE = (
    "adaptive(parity, cuts=[1/3], then=[count, parity], noise=laplace(ratio=2), universe=bits(2))"
)
QUARTERS = sorted({Fraction(k, 4) for k in range(-4, 11)} | {Fraction(1, 3), Fraction(1, 5)})


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("batch(count, parity, noise=geometric(ratio=2), universe=bits(2))", range(-3, 6)),
        (
            "adaptive(count, cuts=[1], then=[count, parity], noise=geometric(ratio=2), "
            "universe=bits(2))",
            WHOLE,
        ),
        ("batch(count, parity, noise=laplace(ratio=2), universe=bits(2))", WHOLE),
        (ADAPTIVE, QUARTERS),
    ],
)
def test_no_transcript_swings_further(text, places):
    """A grid of transcripts, by the definition; the worst one lies on it."""
    asked = mechanism(text)
    found = Fraction(0)
    for t in ((a, b) for a in places for b in places):
        for i in (0, 1):
            ratios = [
                asked.probability(t, x) / asked.probability(t, (*x[:i], 0, *x[i + 1 :]))
                for x in asked.universe
            ]
            found = max(found, max(ratios, key=float) / min(ratios, key=float), key=float)
    swing = worst_swing(asked)
    assert agree(swing.ratio, found)
    assert swing.attained


def test_other_noise_on_a_batch_is_refused():
    for noise in ("discrete-gaussian(sigma=1)", "integer-noise([1/2, 1/2], start=0)"):
        with pytest.raises(Unsupported, match="geometric and Laplace"):
            worst_swing(mechanism(f"batch(count, noise={noise}, universe=bits(2))"))
