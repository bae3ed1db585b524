"""The largest swing by structure, against enumeration of outputs, persons and databases."""

import random
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds import Dense, mechanism
from twoworlds.definitions.semantics.games import play
from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.definitions.semantics.swing import worst_swing
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.laws.noise import (
    GeometricNoise,
    NegativeBinomialDifference,
    SkellamNoise,
)
from twoworlds.mechanisms import AddedNoise, Channel, Deterministic, OnStatistic, PerRecord, Through
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.numbers import INFINITY, bounds
from twoworlds.worlds import Additive, BitStrings, Computed, Explicit, Integers, Records
from twoworlds.worlds.belief import Belief
from twoworlds.worlds.statistics import histogram

HALF = GeometricNoise(Fraction(1, 2))
POLYA = NegativeBinomialDifference(Fraction(1, 2), 3)
COUNT = Additive(lambda bit: bit, name="count")


def swing_at(m, t, person, default, databases=None):
    """R(t, i) by enumeration: None for infinite."""
    ratios, defined = [], False
    for x in databases or m.universe:
        y = (*x[:person], default, *x[person + 1 :])
        p, q = m.probability(t, x), m.probability(t, y)
        if p == 0 and q == 0:
            continue
        if p == 0 or q == 0:
            return None
        defined = True
        ratios.append(p / q)
    return max(ratios) / min(ratios) if defined else Fraction(1)


def enumerated(m, outputs, default):
    """The largest of them over some outputs and all persons; None for infinite."""
    n = len(next(iter(m.universe)))
    found = [swing_at(m, t, i, default) for t in outputs for i in range(n)]
    return None if None in found else max(found)


def on(universe, statistic, channel):
    return OnStatistic(universe, statistic, channel, expression="test")


def agrees(m, default, reach=12):
    """The structure finds what enumeration of outputs -reach..reach finds, or its limit."""
    outputs = range(-reach, reach + 1) if m.outputs.size is None else m.outputs
    found, brute = worst_swing(m, default), enumerated(m, outputs, default)
    if brute is None:
        assert found.ratio == INFINITY
    elif found.output is not None:
        assert found.ratio == brute
        assert swing_at(m, found.output, found.person - 1, default) == brute
        assert found.high.r / found.low.r == brute
        for case in (found.high, found.low):
            assert case.p == m.probability(found.output, case.database)
            assert case.q == m.probability(found.output, case.removed)
    else:
        assert not found.attained
        far = max(enumerated(m, [t], default) for t in (-4000, 4000))
        assert brute < found.ratio
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


@pytest.mark.parametrize("default", [0, 1, 2])
def test_finite_noise_has_an_output_that_gives_a_person_away(default):
    noise = FiniteNoise.of(["0", "1/2", "1/2", "0"], -1)
    found = worst_swing(on(Records(3, 3), Additive(lambda v: v), noise), default)
    assert found.undefined
    assert found.output == (7 if default < 2 else 0)


def test_noise_clamped_on_one_side_only_keeps_its_open_end():
    m = on(BitStrings(2), COUNT, AddedNoise(POLYA, low=5))
    found = worst_swing(m)
    seen = [swing_at(m, t, 0, 0) for t in (*range(5, 60), 10**5)]
    assert found.ratio == 2
    assert found.output is None
    assert max(seen) == seen[-1] < 2 < seen[-1] * Fraction(1001, 1000)


def test_noise_without_a_bound_swings_without_a_bound():
    noise = SkellamNoise(Fraction(1), Fraction(2))
    m = on(Records(3, 2), Additive(lambda v: v), AddedNoise(noise))
    assert worst_swing(m).ratio == INFINITY
    assert not worst_swing(m).attained
    clamped = on(BitStrings(2), COUNT, AddedNoise(noise, 0, 2))
    low, high = bounds(worst_swing(clamped).ratio)
    seen = [float(swing_at_real(clamped, t)) for t in (0, 1, 2)]
    assert float(low) == pytest.approx(max(seen), rel=1e-12)
    assert high - low < Fraction(1, 10**12)


def swing_at_real(m, t):
    ratios = [
        float(m.probability(t, (a, b))) / float(m.probability(t, (0, b)))
        for a, b in product((0, 1), repeat=2)
    ]
    return max(ratios) / min(ratios)


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


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "text",
    [
        "pair(geometric(ratio=2, bits=2), randomized-response(bits=2, keep=3/4))",
        "pair(geometric(ratio=2, bits=2), geometric(ratio=3, bits=2))",
        "pair(truncated-geometric(ratio=2, bits=2), geometric(ratio=2, bits=2))",
        "pair(geometric(ratio=2, bits=2), noisy-parity(bits=2, keep=3/4))",
        "pair(geometric(ratio=2, bits=2), parity(bits=2))",
        "pair(integer-noise([1/2, 1/2], bits=2), geometric(ratio=2, bits=2))",
    ],
)
def test_pairs_agree_with_enumeration(text):
    m = mechanism(text)
    first, second = (
        range(-4, 7) if universe.size is None else universe for universe in m.outputs.parts
    )
    for default in (0, 1):
        found = worst_swing(m, default)
        brute = enumerated(m, [(a, b) for a in first for b in second], default)
        assert found.ratio == (INFINITY if brute is None else brute)
        if brute is not None:
            assert swing_at(m, found.output, found.person - 1, default) == brute


def test_three_outputs_nest_as_the_pair_writes_them():
    one = mechanism("geometric(ratio=2, bits=2)")
    for m in (one.pair(one).pair(one), one.pair(one.pair(one))):
        verdict = SemanticPrivacy().tightest(m)
        assert verdict.swing == 64
        assert verdict.witness.verify()


def test_different_sums_of_the_same_records_are_moved_together():
    people = Records(3, 2)
    first = on(people, Additive(lambda v: v), AddedNoise(HALF))
    second = on(people, Additive(lambda v: -v), AddedNoise(HALF))
    m = first.pair(second)
    window = list(product(range(-2, 7), range(-6, 3)))
    for default in (0, 1, 2):
        assert worst_swing(m, default).ratio == enumerated(m, window, default)


def test_a_pair_looks_beyond_the_heap_of_noise_clamped_on_one_side():
    heaped = on(BitStrings(2), COUNT, AddedNoise(HALF, low=4))
    m = heaped.pair(mechanism("geometric(ratio=11/10, bits=2)"))
    window = list(product(range(4, 9), range(-3, 6)))
    for default in (0, 1):
        assert worst_swing(m, default).ratio == enumerated(m, window, default)


def test_pairs_of_many_persons_need_no_enumeration():
    m = mechanism("pair(geometric(ratio=2, bits=16), geometric(ratio=2, bits=16))")
    assert worst_swing(m).ratio == 16


def test_pairs_with_noise_of_infinitely_many_likelihood_ratios():
    skellam = mechanism("pair(skellam(1, 1, bits=2), randomized-response(bits=2, keep=3/4))")
    assert worst_swing(skellam).ratio == INFINITY
    polya = mechanism(
        "pair(differenced-negative-binomial(1/2, 2, bits=2), randomized-response(bits=2, keep=3/4))"
    )
    with pytest.raises(Unsupported, match="never becomes constant"):
        worst_swing(polya)


@pytest.mark.parametrize(
    ("text", "outputs"),
    [
        ("truncated-geometric(ratio=2, high=4)", range(5)),
        ("truncated-geometric(p=1/3, high=5, low=-1, sensitivity=2)", range(-1, 6)),
        ("restrict(geometric(ratio=2), [0, 1, 2])", range(-5, 8)),
        ("restrict(geometric(p=1/2, sensitivity=2), [0, 2, 3])", range(-5, 8)),
        ("integer-noise([1/4, 1/2, 1/4], start=-1)", None),
        ("pair(geometric(ratio=2), geometric(ratio=3))", None),
    ],
)
def test_a_bare_answer_moves_both_ways(text, outputs):
    m = mechanism(text)
    found = worst_swing(m)
    if outputs is None:
        assert found.ratio == (36 if "pair" in text else INFINITY)
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
    assert worst_swing(m, 0).ratio == enumerated(m, outputs, 0)


def test_a_part_that_lacks_somebody_left_out_is_refused():
    for inner in ("randomized-response(bits=2, keep=3/4)", "geometric(ratio=2, bits=2)"):
        with pytest.raises(Unsupported, match="out of 11 gives 01, which the restriction"):
            worst_swing(mechanism(f"restrict({inner}, [11, 00])"))


def test_what_has_neither_persons_nor_structure_is_refused():
    with pytest.raises(InvalidInput, match="no persons"):
        worst_swing(mechanism("constant(universe=points([a, b]))"))
    with pytest.raises(TooLarge, match="more than"):
        worst_swing(on(BitStrings(30), Computed(sum, "sum"), AddedNoise(HALF)))

    class Odd(Channel):
        outputs = Integers()

        def probability(self, output, value):
            return Fraction(output == 0)

        def compare(self, change):
            raise NotImplementedError

        def sample(self, value, rng):
            raise NotImplementedError

    with pytest.raises(Unsupported, match="infinitely many outputs"):
        worst_swing(on(BitStrings(2), COUNT, Odd()))


def test_irrational_tables_are_enclosed():
    table = mechanism("randomized-response(epsilon=1, bits=2)").table()
    low, high = bounds(worst_swing(table).ratio)
    assert low <= Fraction("2.7182818284590452354") <= high + Fraction(1, 10**18)
    assert high - low < Fraction(1, 10**15)


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=9, max_size=9), min_size=2, max_size=4),
    st.integers(0, 2),
)
def test_tables_of_records_agree_with_enumeration(rows, default):
    weights = [
        [w + (i == k % len(rows)) for i, w in enumerate(column)]
        for k, column in enumerate(zip(*rows, strict=True))
    ]
    laws = [[Fraction(w, sum(column)) for w in column] for column in weights]
    entries = [list(row) for row in zip(*laws, strict=True)]
    agrees(Dense(Records(3, 2), Integers(0, len(rows) - 1), entries), default)


def test_thousands_of_persons_cost_no_more_than_a_few():
    for text, ratio in (
        ("randomized-response(bits=5000, keep=3/4)", 3),
        ("geometric(ratio=2, bits=5000)", 4),
        ("truncated-geometric(ratio=2, bits=5000)", 4),
        ("noisy-parity(bits=500, keep=3/4)", 9),
        ("parity(bits=5000)", INFINITY),
        ("integer-noise([1/2, 1/2], bits=5000)", INFINITY),
        ("constant(bits=5000)", 1),
    ):
        assert worst_swing(mechanism(text)).ratio == ratio


@pytest.mark.parametrize(
    "text",
    ["differenced-negative-binomial(1/2, 2, bits=3)", "geometric(ratio=3, bits=3)"],
)
def test_no_random_belief_beats_the_limit_over_infinitely_many_outputs(text):
    m = mechanism(text)
    value = SemanticPrivacy().tightest(m).epsilon
    _, top = bounds(value)
    draw = random.Random(7)
    closest = Fraction(0)
    for t in (-50, -1, 0, 1, 2, 3, 4, 50):
        for _ in range(15):
            masses = [draw.choice([0, 0, 1, 3, 20]) for _ in m.universe]
            if any(masses):
                law = {x: Fraction(w, sum(masses)) for x, w in zip(m.universe, masses, strict=True)}
                closest = max(closest, play(m, Belief(m.universe, law), t).worst)
    assert top / 2 < closest <= top
