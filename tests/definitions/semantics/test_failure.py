"""Semantic privacy with a failure probability, over all beliefs (Definition 2.3)."""

import math
import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.definitions.semantics import brute
from twoworlds import Dense, check, measure, mechanism
from twoworlds.definitions.semantics import answers, cells
from twoworlds.definitions.semantics.answers import AnswerSearch
from twoworlds.definitions.semantics.beliefs import (
    Likelihoods,
    exact_failure,
    tabulated,
    worst_found,
)
from twoworlds.definitions.semantics.breaches import failure_of
from twoworlds.definitions.semantics.cells import bounded_above
from twoworlds.definitions.semantics.failure import (
    ANSWERS,
    FailureCurve,
    failure_probability,
)
from twoworlds.definitions.semantics.pair import Masses, pair_failure
from twoworlds.definitions.semantics.ways import dot, ways
from twoworlds.errors import InvalidInput, Undecided
from twoworlds.mechanisms import PerRecord
from twoworlds.numbers import Order, bounds, compare
from twoworlds.testing.strategies import dense_mechanisms
from twoworlds.worlds import BitStrings, Explicit, Records
from twoworlds.worlds.belief import Belief

BIT, PAIR = BitStrings(1), BitStrings(2)
TENTHS = st.fractions(Fraction(1, 20), Fraction(9, 10), max_denominator=20)


def random_beliefs(universe, seed, count):
    draw = random.Random(seed)
    points = list(universe)
    for _ in range(count):
        weights = [draw.choice([0, 0, 1, 2, 5, 30]) for _ in points]
        if any(weights):
            total = sum(weights)
            yield {x: Fraction(w, total) for x, w in zip(points, weights, strict=True) if w}


@given(dense_mechanisms(BIT), TENTHS)
@settings(max_examples=20)
def test_one_bit_is_exact_and_no_belief_fails_more_often(dense, limit):
    ends = failure_probability(dense, limit)
    assert ends.exact
    worst = Fraction(0)
    for k in range(41):
        w = Fraction(k, 40)
        belief = {x: m for x, m in (((1,), w), ((0,), 1 - w)) if m}
        worst = max(worst, brute.failure(dense, belief, limit))
    assert worst <= bounds(ends.upper)[1]
    if ends.witness is None:
        assert ends.upper == worst == 0
    else:
        shown = brute.failure(dense, dict(ends.witness.belief), limit)
        assert shown == ends.witness.failure
        assert bounds(ends.lower)[1] - shown < Fraction(1, 10**5)


@given(dense_mechanisms(PAIR), TENTHS, st.integers(0, 10**6))
@settings(max_examples=4)
def test_every_bound_holds_for_random_beliefs_and_the_belief_shown(dense, limit, seed):
    curve, table = FailureCurve(dense), Likelihoods.of(dense)
    uppers = [curve._bad(limit), *curve._from_profile(limit)]
    for belief in random_beliefs(PAIR, seed, 15):
        assert brute.failure(dense, belief, limit) <= min(uppers)
    masses, failure = worst_found(table, limit)
    belief = {table.databases[j]: m for j, m in masses.items()}
    assert failure <= brute.failure(dense, belief, limit) <= min(uppers)
    assert exact_failure(table, masses, limit) == brute.failure(dense, belief, limit)


@given(dense_mechanisms(Records((0, 1, 2), 1)), TENTHS, st.integers(0, 10**6))
@settings(max_examples=3)
def test_three_values_and_any_default(dense, limit, seed):
    for default in (0, 2):
        ends = failure_probability(dense, limit, default=default)
        assert ends.lower <= ends.upper
        for belief in random_beliefs(dense.universe, seed, 10):
            assert brute.failure(dense, belief, limit, default) <= ends.upper


@pytest.mark.parametrize(
    ("text", "limit", "value"),
    [
        ("randomized-response(bits=1, keep=3/4)", "1/4", Fraction(1, 2)),
        ("randomized-response(bits=2, keep=3/4)", "1/5", 1),
        ("randomized-response(bits=40, keep=3/4)", "1/5", 1),
        ("noisy-parity(bits=2, keep=3/4)", "2/5", 1),
        ("noisy-parity(bits=2, keep=3/4)", "1/2", 0),
        ("truncated-geometric(ratio=2, bits=2)", "1/3", 0),
        ("geometric(ratio=2, bits=3)", "1/10", 1),
        ("geometric(ratio=2, bits=40)", "1/3", 0),
        ("random-index(records=3)", "99/100", 1),
        ("random-index(records=30)", "99/100", 1),
        ("identity(bits=2)", "1/2", 1),
        ("identity(bits=2)", 1, 0),
        ("constant(bits=3)", 0, 0),
        ("noisy-parity(bits=2, keep=3/4)", 0, 1),
    ],
)
def test_where_both_ends_meet(text, limit, value):
    verdict = measure(text, definition=f"semantic(epsilon={limit})")
    assert verdict.delta == verdict.lower == verdict.upper == value
    assert verdict.to_dict()["delta"]["exact"] == str(value)


def test_d15_one_bit_with_a_small_leak_reaches_the_tight_factor():
    # Reference case D15: (0.2, delta)-DP gives a failure of 2.99779 delta at 0.2, at w = 1/2. The
    # extremal mechanism leaks delta at the ratio rho = 7/3 that just breaches at w = 1/2.
    limit, ratio = Fraction(1, 5), Fraction(12214, 10000)
    delta = Fraction(1, 1000)
    rho = (1 + 2 * limit) / (1 - 2 * limit) * (1 + Fraction(1, 10**9))
    q = delta / (rho - ratio)
    cells = [Masses(rho * q, q), Masses(q, rho * q), Masses(1 - (rho + 1) * q, 1 - (rho + 1) * q)]
    found = pair_failure(cells, limit)
    assert abs(float(found.value / delta) - 2.99778907762674) < 1e-3


def test_geometric_noise_is_its_clamped_table():
    noise, clamped = (
        failure_probability(mechanism(f"{name}(ratio=2, bits=2)"), Fraction(1, 4))
        for name in ("geometric", "truncated-geometric")
    )
    assert (noise.lower, noise.upper) == (clamped.lower, clamped.upper)
    assert noise.lower == noise.upper == Fraction(8, 27)


def test_check_holds_refutes_or_says_that_it_is_undecided():
    text = "geometric(ratio=2, bits=2)"
    assert check(text, "semantic(epsilon=1/4, delta=1/3)")
    refuted = check(text, "semantic(epsilon=1/4, delta=1/4)")
    assert not refuted
    assert refuted.witness.verify()
    assert brute.failure(
        mechanism("truncated-geometric(ratio=2, bits=2)"),
        dict(refuted.witness.belief),
        Fraction(1, 4),
    ) > Fraction(1, 4)
    assert check(text, "semantic(epsilon=1/4, delta=0.31)")
    assert check(text, "semantic(epsilon=1/4, delta=8/27)")


def test_a_claim_between_the_ends_is_undecided():
    text = "geometric(ratio=2, bits=2)"
    ends = failure_probability(mechanism(text), Fraction(1, 5))
    between = check(text, f"semantic(epsilon=1/5, delta={(ends.lower + ends.upper) / 2})")
    assert between.holds is None
    with pytest.raises(Undecided, match=r"lies between .* \(0.318305\) and"):
        bool(between)


@pytest.mark.parametrize(
    "text",
    [
        "randomized-response(bits=1, keep=3/4)",
        pytest.param("truncated-geometric(ratio=2, bits=2)", marks=pytest.mark.slow),
    ],
)
def test_the_epsilon_for_a_delta_lies_between_its_ends(text):
    verdict = measure(text, definition="semantic(delta=1/10)")
    failure = FailureCurve(mechanism(text))
    allowed = Fraction(1, 10)
    assert compare(failure.upper(verdict.upper)[0], allowed) is not Order.GREATER
    assert failure.lower(verdict.lower)[0] > allowed
    shown = verdict.to_dict()["epsilon"]
    assert Fraction(shown["lower"]) <= verdict.lower
    assert bounds(verdict.upper)[1] <= Fraction(shown["upper"])


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("semantic(epsilon=2, delta=1/2)", "epsilon=2"),
        ("semantic(epsilon=1/2, delta=3/2)", "delta=3/2"),
        ("semantic(delta=1/2)", "give epsilon="),
        ("semantic(epsilon=1/2, delta=1/4, default=7)", "default=7"),
        ("semantic(epsilon=1/2, delta=1/4, records=3)", "records=3"),
    ],
)
def test_rejects_claims_that_make_no_sense(claim, words):
    with pytest.raises(InvalidInput, match=words):
        check("randomized-response(bits=2, keep=3/4)", claim)


def test_a_bare_answer_needs_the_number_of_people():
    with pytest.raises(InvalidInput, match="give records="):
        measure("gaussian(sigma=5)", definition="semantic(epsilon=2/5)")


def test_many_people_and_bare_answers_get_the_bound_of_the_profile():
    many = failure_probability(mechanism("discrete-gaussian(sigma=6, bits=6)"), Fraction(2, 5))
    bare = failure_probability(mechanism("gaussian(sigma=5)"), Fraction(2, 5), records=10)
    for ends in (many, bare):
        assert 0 < ends.upper < 1
        assert "privacy profile" in ends.source
    assert bare.witness is None
    assert 0 < many.lower < many.upper
    assert many.witness.verify()


def integrated(belief, limit, span=14, step=1 / 100):
    """P_t[max_i SD > limit] for normal noise on a count of bits, by the midpoint rule."""
    people = len(next(iter(belief)))
    total, t = 0.0, -span + step / 2

    def density(z):
        return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)

    while t < span + people:
        real = {x: density(t - sum(x)) * float(m) for x, m in belief.items()}
        mass = sum(real.values())
        for i in range(people):
            other = {x: density(t - sum(x) + x[i]) * float(m) for x, m in belief.items()}
            rest = sum(other.values())
            if sum(abs(real[x] / mass - other[x] / rest) for x in belief) / 2 > limit:
                total += mass * step
                break
        t += step
    return total


@pytest.mark.slow
def test_the_belief_shown_refutes_gaussian_noise_on_two_bits():
    refuted = check("gaussian(sigma=1, bits=2)", "semantic(epsilon=1/5, delta=4/5)")
    assert refuted.holds is False
    shown = integrated(dict(refuted.witness.belief), 0.2)
    assert shown == pytest.approx(float(refuted.witness.failure), abs=0.02)
    assert refuted.witness.failure > Fraction(4, 5)
    assert "people" not in refuted.witness.to_dict()


def tail(kind, scale, z):
    if kind == "gaussian":
        return math.erfc(z / (scale * math.sqrt(2))) / 2
    return math.exp(-z / scale) / 2 if z > 0 else 1 - math.exp(z / scale) / 2


def one_bit_failure(kind, scale, limit, w):
    """The failure of one bit under a belief w in 1, from where P/Q crosses the two thresholds."""

    def crossing(ratio):  # where the likelihood ratio of 1 against 0 exceeds this
        if kind == "gaussian":
            return 0.5 + scale * scale * math.log(ratio)
        height = scale * math.log(ratio)
        return math.inf if height >= 1 else (1 + height) / 2

    total = 0.0
    for own in (w, 1 - w):
        slack = own * (1 - own - limit)
        if slack > 0:
            start = crossing(1 + limit / slack)
            if start < math.inf:  # by symmetry around 1/2 the other side is the mirror image
                near, far = tail(kind, scale, start - 1), tail(kind, scale, start)
                total += own * near + (1 - own) * far
    return total


@pytest.mark.parametrize(
    ("kind", "scale", "limit"),
    [
        ("gaussian", 2, Fraction(1, 5)),
        ("laplace", 1, Fraction(6, 25)),
        pytest.param("gaussian", 0.25, Fraction(9, 10), marks=pytest.mark.slow),
    ],
)
def test_one_bit_of_noise_is_known_to_a_thousandth(kind, scale, limit):
    name = "sigma" if kind == "gaussian" else "scale"
    ends = failure_probability(mechanism(f"{kind}({name}={scale}, bits=1)"), limit)
    assert 0 < ends.lower <= ends.upper <= ends.lower + Fraction(1, 1000)
    assert ends.upper <= ends.lower * (1 + Fraction(1, 1000))
    grid = [one_bit_failure(kind, scale, float(limit), k / 4000) for k in range(1, 4000)]
    assert max(grid) <= float(ends.upper) + 1e-12
    assert max(grid) >= float(ends.lower) * (1 - 2e-3)
    w = float(ends.witness.belief[(1,)])
    assert abs(one_bit_failure(kind, scale, float(limit), w) - float(ends.lower)) < 1e-8


def test_a_refuted_claim_shows_a_belief_that_breaks_it_though_none_attains_the_supremum():
    rows = [[Fraction(2, 3), Fraction(3, 4)], [Fraction(1, 3), Fraction(1, 4)]]
    dense = Dense(BIT, Explicit(("a", "b")), rows)
    limit, delta = Fraction(19, 500), Fraction(9597853, 30122100)
    refuted = check(dense, f"semantic(epsilon={limit}, delta={delta})")
    assert refuted.holds is False
    assert (
        brute.failure(dense, dict(refuted.witness.belief), limit) == refuted.witness.failure > delta
    )
    assert compare(refuted.lower, refuted.witness.failure) is Order.GREATER
    top = bounds(refuted.lower, 400)[0]
    closer = top - Fraction(1, 10**40)
    again = check(dense, f"semantic(epsilon={limit}, delta={closer})")
    assert again.holds is False
    assert brute.failure(dense, dict(again.witness.belief), limit) > closer


def drawn(seed):
    draw = random.Random(seed)
    universe = BitStrings(draw.choice([2, 3]))
    outputs, kind = draw.choice([3, 4, 6, 8]), draw.choice([0, 1, 2])
    columns = []
    for _ in universe:
        if kind == 1:
            weights = [draw.choice([0, 1, 1, 2, 5, 30]) for _ in range(outputs)]
        else:
            low, high = (1, 20) if kind == 0 else (8, 14)
            weights = [draw.randint(low, high) for _ in range(outputs)]
        weights = weights if any(weights) else [1, *weights[1:]]
        columns.append([Fraction(w, sum(weights)) for w in weights])
    rows = [[column[t] for column in columns] for t in range(outputs)]
    limit = Fraction(draw.randint(1, 16), 20) * (Fraction(1, 4) if kind == 2 else 1)
    return Dense(universe, Explicit(tuple(f"t{k}" for k in range(outputs))), rows), limit


def test_a_belief_that_fails_surely_is_found():
    dense, limit = drawn(1091)
    masses, failure = worst_found(Likelihoods.of(dense), limit)
    belief = {tuple(dense.universe)[j]: mass for j, mass in masses.items()}
    assert failure == brute.failure(dense, belief, limit) == 1


def test_each_of_many_people_of_more_than_two_values():
    built = PerRecord(
        Dense(
            Explicit(("a", "b", "c")),
            Explicit(("a", "b", "c")),
            [[Fraction(6 if i == j else 1, 8) for j in range(3)] for i in range(3)],
        ),
        30,
    )
    ends = failure_probability(built, Fraction(2, 5))
    assert ends.witness.people == 30
    assert ends.witness.verify()
    one = ends.witness
    single = brute.failure(one.mechanism, dict(one.belief), Fraction(2, 5), default="c")
    assert ends.lower == 1 - (1 - single) ** 30 > 0


@pytest.mark.parametrize("seed", [2000, 2001])
def test_drawn_beliefs_do_not_beat_the_one_shown(seed):
    dense, limit = drawn(seed)
    _, shown = worst_found(Likelihoods.of(dense), limit)
    for belief in random_beliefs(dense.universe, seed, 40):
        assert brute.failure(dense, belief, limit) <= shown + Fraction(1, 1000)


# --- all beliefs, cut into cells ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "s", "width"),
    [
        ("geometric(ratio=2, bits=2)", Fraction(1, 5), Fraction(1, 10**7)),
        ("randomized-response(bits=2, keep=3/4)", Fraction(13, 50), Fraction(1, 10**7)),
        ("geometric(ratio=2, bits=3)", Fraction(1, 4), Fraction(1, 10**7)),
        ("discrete-gaussian(sigma=1, bits=2)", Fraction(1, 4), Fraction(1, 10**5)),
        ("discrete-gaussian(sigma2=4, bits=3)", Fraction(2, 5), Fraction(1, 10**5)),
        pytest.param(
            "discrete-gaussian(sigma2=4, bits=3)",
            Fraction(1, 5),
            Fraction(1, 10**5),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "randomized-response(bits=3, keep=3/4)",
            Fraction(13, 50),
            Fraction(1, 10**7),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "geometric(ratio=2, bits=4)",
            Fraction(1, 4),
            Fraction(1, 10**6),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_on_a_few_bits_the_ends_nearly_meet(text, s, width):
    found = failure_probability(mechanism(text), s)
    assert 0 <= found.upper - found.lower <= width
    assert found.witness.verify()


@pytest.mark.parametrize(
    ("text", "s", "value"),
    [
        ("randomized-response(bits=2, keep=3/4)", Fraction(1, 4), Fraction(3, 4)),  # a tie
        ("geometric(ratio=2, bits=2)", Fraction(1, 4), Fraction(8, 27)),
        ("geometric(ratio=2, bits=3)", Fraction(3, 10), Fraction(15, 34)),
        pytest.param(
            "randomized-response(bits=3, keep=3/4)",
            Fraction(1, 4),
            Fraction(7, 8),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_supremum_is_exact_where_beliefs_only_approach_it(text, s, value):
    """Under a tie all outputs have a difference of s exactly, which is no breach."""
    found = failure_probability(mechanism(text), s)
    assert found.lower == found.upper == value
    assert value - Fraction(1, 10**6) < found.witness.failure < value
    assert found.witness.verify()


BATCH = "batch(count, parity, noise=geometric(ratio=2), universe=bits(2))"
STEPS = "adaptive(count, cuts=[1/2], then=[constant, count], noise=geometric(ratio=2), {})"


@pytest.mark.parametrize(
    ("text", "s", "width"),
    [
        (BATCH, Fraction(2, 5), Fraction(1, 10**5)),
        (STEPS.format("universe=bits(2)"), Fraction(2, 5), Fraction(1, 10**5)),
        ("pair(geometric(ratio=2, bits=2), noisy-parity(bits=2, keep=3/4))", Fraction(2, 5), 0),
        ("compose(geometric(ratio=3, bits=1), times=2)", Fraction(1, 3), Fraction(1, 10**5)),
    ],
)
def test_of_several_answers_with_geometric_noise_the_ends_nearly_meet(text, s, width):
    several = mechanism(text)
    found = failure_probability(several, s)
    assert 0 < found.lower <= found.upper <= found.lower + width
    assert found.witness.verify()
    for masses in product(range(2), repeat=several.universe.size):
        if any(masses):
            belief = {
                x: Fraction(m, sum(masses)) for x, m in zip(several.universe, masses, strict=True)
            }
            assert failure_of(several, Belief(several.universe, belief), s) <= found.upper


def test_several_answers_without_a_record_need_no_profile():
    several = mechanism("pair(geometric(ratio=2, bits=1), geometric(ratio=3, bits=1))")
    found = failure_probability(several, Fraction(1, 3), default="none")
    assert 0 < found.lower <= found.upper <= found.lower + Fraction(1, 10**5)
    assert found.witness.verify()


def test_a_claim_just_below_an_approached_supremum_is_refuted_by_its_belief():
    delta = Fraction(3, 4) - Fraction(1, 10**30)
    survey = mechanism("randomized-response(bits=2, keep=3/4)")
    refuted = check(survey, f"semantic(epsilon=1/4, delta={delta})")
    assert refuted.holds is False
    assert brute.failure(survey, dict(refuted.witness.belief), Fraction(1, 4)) > delta


def test_no_gridded_belief_beats_the_supremum_of_randomized_response():
    survey, parts = mechanism("randomized-response(bits=2, keep=3/4)"), 12
    table = Likelihoods.of(survey)
    for a, b, c in product(range(parts + 1), repeat=3):
        if a + b + c <= parts:
            weights = enumerate((a, b, c, parts - a - b - c))
            masses = {j: Fraction(w, parts) for j, w in weights if w}
            assert exact_failure(table, masses, Fraction(1, 4)) < Fraction(3, 4)


def test_ways_are_the_definition():
    """Some way breaches exactly where the posteriors differ by more than s (Definition 2.1)."""
    draw = random.Random(5)
    for _ in range(60):
        size = draw.choice([3, 4, 6])
        p, q = (tuple(Fraction(draw.choice([0, 1, 2, 5])) for _ in range(size)) for _ in "pq")
        b = [Fraction(draw.choice([0, 1, 3])) for _ in range(size)]
        s = Fraction(draw.randint(0, 9), 10)
        real, removed = dot(p, b), dot(q, b)
        if not real:
            continue
        gaps = (
            [x * (y / real - z / removed) for x, y, z in zip(b, p, q, strict=True)]
            if removed
            else []
        )
        apart = sum((gap for gap in gaps if gap > 0), Fraction(0)) if removed else Fraction(1)
        assert any(way.breached(tuple(b)) for way in ways(0, p, q, s)) == (apart > s)


@pytest.mark.parametrize("seed", [2000, 2001, 2007, 2012])
def test_a_roof_lies_above_every_breach_and_below_some_output_that_is_none(seed):
    """For every belief, however an output breaches, its probability is at most that of the roof."""
    dense, limit = drawn(seed)
    table = Likelihoods.of(dense)
    search = cells.CellSearch(table, limit, Fraction(0))
    beliefs = [
        tuple(belief.get(x, Fraction(0)) for x in table.databases)
        for belief in random_beliefs(dense.universe, seed, 40)
    ]
    lower = 0
    for t, some in enumerate(search.by_output):
        for near in beliefs[:4] if some else ():
            roof = search._roof(t, [float(mass) for mass in near])
            lower += dot(roof, near) < dot(search.worth[t], near)
            for belief in beliefs:
                if any(way.breached(belief) for way in some):
                    assert dot(roof, belief) >= dot(search.worth[t], belief)
    assert lower > 0


@pytest.mark.parametrize("name", ["discrete-gaussian(sigma2=1", "geometric(ratio=3"])
@pytest.mark.parametrize("bits", [2, 3])
def test_no_belief_fails_more_often_than_its_masses_of_the_answers_allow(name, bits):
    """The bound over the beliefs with the same masses, for one point of them; it tells outputs."""
    released = mechanism(f"{name}, bits={bits})")
    table = tabulated(released)
    sharper = 0
    for s in (Fraction(1, 10), Fraction(3, 10)):
        search = AnswerSearch(table, s)
        assert len(search.answers) == bits + 1
        for belief in random_beliefs(released.universe, bits, 25):
            b = [belief.get(x, Fraction(0)) for x in table.databases]
            masses = [float(sum(b[j] for j in answer)) for answer in search.answers]
            allowed = search.bound(np.array([masses]))
            failure = exact_failure(table, {j: mass for j, mass in enumerate(b) if mass}, s)
            assert failure <= allowed
            sharper += allowed < 1 / 2
    assert sharper > 0


@pytest.mark.slow
def test_where_the_search_of_cells_is_slow_the_masses_of_the_answers_bound_better(monkeypatch):
    """The end named in `docs/coverage.md`; it holds with fewer simplices, only further off."""
    ends = failure_probability(mechanism("discrete-gaussian(sigma2=1, bits=3)"), Fraction(2, 5))
    assert ends.source == ANSWERS
    assert 0 < ends.upper - ends.lower < Fraction(7, 100)
    monkeypatch.setattr(answers, "_SIMPLICES", 20)
    table = tabulated(mechanism("discrete-gaussian(sigma2=1, bits=3)"))
    assert ends.upper < answers.bounded_by_answers(table, Fraction(2, 5), Fraction(0)) < 1


@pytest.mark.parametrize(
    "text",
    [
        "randomized-response(bits=3, keep=3/4)",  # as many answers as databases
        "geometric(ratio=2, bits=6)",  # too many answers
        "random-index(records=3)",  # impossible outputs
    ],
)
def test_the_masses_of_the_answers_bound_nothing_where_they_do_not_apply(text):
    assert answers.bounded_by_answers(tabulated(mechanism(text)), Fraction(1, 4), Fraction(0)) == 1


@pytest.mark.few(4)
@given(st.data())
@settings(max_examples=8)
def test_no_belief_fails_more_often_than_the_cells_allow(data):
    """Random mechanisms, some with impossible outputs, against random and corner beliefs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "_PROGRAMS", 40)  # the bound holds wherever the search ends
        compare_with_beliefs(data)


def compare_with_beliefs(data):
    entries = st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any)
    columns = [data.draw(entries) for _ in range(4)]
    law = dict(zip(BitStrings(2), columns, strict=True))
    released = Dense.from_function(
        BitStrings(2), lambda x: {t: Fraction(w, sum(law[x])) for t, w in enumerate(law[x])}
    )
    table, s = Likelihoods.of(released), data.draw(st.fractions(0, 1, max_denominator=12))
    top = bounded_above(table, s, Fraction(0)).upper
    tops = [bounded_above(table, s, Fraction(0), [j]).upper for j in range(4)]
    for _ in range(8):
        weights = data.draw(st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any))
        masses = zip(released.universe, weights, strict=True)
        belief = Belief(released.universe, {x: Fraction(w, sum(weights)) for x, w in masses})
        assert failure_of(released, belief, s) <= top
        for j, x in enumerate(table.databases):
            assert failure_of(released, belief, s, truth=x) <= tops[j]
