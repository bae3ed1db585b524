"""Semantic privacy with a failure probability, over all beliefs (Definition 2.3)."""

import random
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twoworlds import Dense, check, measure, mechanism
from twoworlds.definitions.semantics.beliefs import exact_failure, worst_found
from twoworlds.definitions.semantics.bounds import table_bounds
from twoworlds.definitions.semantics.failure import Failure, failure_probability
from twoworlds.definitions.semantics.pair import Masses, half_line_failure, pair_failure
from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.definitions.semantics.table import Likelihoods, few_people, tabulated
from twoworlds.errors import InvalidInput, Undecided
from twoworlds.numbers import Order, above, bounds, compare
from twoworlds.testing.strategies import dense_mechanisms
from twoworlds.theorems import one_bit_worst, sharper_semantic
from twoworlds.worlds import BitStrings, Explicit, Records

BIT, PAIR = BitStrings(1), BitStrings(2)
TENTHS = st.fractions(Fraction(1, 20), Fraction(9, 10), max_denominator=20)


def brute(dense, belief, limit, default=0):
    """P_t[max_i SD > limit] for one belief, by Bayes' rule written out."""
    people = len(next(iter(belief)))
    total = Fraction(0)
    for t in dense.outputs:
        with_all = {x: dense.probability(t, x) * m for x, m in belief.items()}
        mass = sum(with_all.values())
        if mass == 0:
            continue
        for i in range(people):
            other = {
                x: dense.probability(t, (*x[:i], default, *x[i + 1 :])) * m
                for x, m in belief.items()
            }
            rest = sum(other.values())
            gap = (
                1
                if rest == 0
                else sum(abs(with_all[x] / mass - other[x] / rest) for x in belief) / 2
            )
            if gap > limit:
                total += mass
                break
    return total


def random_beliefs(universe, seed, count):
    draw = random.Random(seed)
    points = list(universe)
    for _ in range(count):
        weights = [draw.choice([0, 0, 1, 2, 5, 30]) for _ in points]
        if any(weights):
            total = sum(weights)
            yield {x: Fraction(w, total) for x, w in zip(points, weights, strict=True) if w}


@given(dense_mechanisms(BIT), TENTHS)
@settings(max_examples=40)
def test_one_bit_is_exact_and_no_belief_fails_more_often(dense, limit):
    ends = failure_probability(dense, limit)
    assert ends.exact
    worst = Fraction(0)
    for k in range(41):
        w = Fraction(k, 40)
        belief = {x: m for x, m in (((1,), w), ((0,), 1 - w)) if m}
        worst = max(worst, brute(dense, belief, limit))
    assert worst <= bounds(ends.upper)[1]
    if ends.witness is None:
        assert ends.upper == worst == 0
    else:
        shown = brute(dense, dict(ends.witness.belief), limit)
        assert shown == ends.witness.failure
        assert bounds(ends.lower)[1] - shown < Fraction(1, 10**5)


@given(dense_mechanisms(PAIR), TENTHS, st.integers(0, 10**6))
@settings(max_examples=25)
def test_every_bound_holds_for_random_beliefs_and_the_belief_shown(dense, limit, seed):
    table = Likelihoods.of(dense)
    found = table_bounds(table, limit)
    upper = min(bound.value for bound in found)
    for belief in random_beliefs(PAIR, seed, 15):
        assert brute(dense, belief, limit) <= upper
    shown = worst_found(table, limit)
    belief = {table.databases[j]: m for j, m in shown.masses.items()}
    assert shown.failure <= brute(dense, belief, limit) <= upper
    assert exact_failure(table, shown.masses, limit) == brute(dense, belief, limit)


@given(dense_mechanisms(Records((0, 1, 2), 1)), TENTHS, st.integers(0, 10**6))
@settings(max_examples=15)
def test_three_values_and_any_default(dense, limit, seed):
    for default in (0, 2):
        ends = failure_probability(dense, limit, default=default)
        assert ends.lower <= ends.upper
        for belief in random_beliefs(dense.universe, seed, 10):
            assert brute(dense, belief, limit, default) <= ends.upper


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
    ],
)
def test_where_both_ends_meet(text, limit, value):
    verdict = measure(text, definition=f"semantic(epsilon={limit})")
    assert verdict.delta == verdict.lower == verdict.upper == value
    assert verdict.to_dict()["delta"]["exact"] == str(value)


def test_reference_belief_lies_within_the_ends():
    clamped = mechanism("truncated-geometric(ratio=2, bits=2)")
    ends = failure_probability(clamped, Fraction(3, 20), default=0)
    assert Fraction(25, 48) <= ends.upper  # the failure of the belief of reference case B03
    assert ends.lower >= Fraction(25, 48)


@pytest.mark.parametrize(
    "text", ["noisy-parity(bits=2, keep=3/4)", "truncated-geometric(ratio=2, bits=3)"]
)
def test_the_failure_vanishes_exactly_at_the_supremum(text):
    built = mechanism(text)
    top = SemanticPrivacy().tightest(built).epsilon
    assert failure_probability(built, top).upper == 0
    assert failure_probability(built, top - Fraction(1, 1000)).lower > 0


@given(dense_mechanisms(BIT), TENTHS)
@settings(max_examples=25)
def test_one_bit_never_exceeds_the_theorems_from_the_profile(dense, limit):
    truth = bounds(failure_probability(dense, limit).upper)[0]
    for ratio in (Fraction(11, 10), Fraction(3, 2), Fraction(2)):
        p, q = ([dense.probability(t, (v,)) for t in dense.outputs] for v in (1, 0))
        delta = max(
            sum(max(a - ratio * b, 0) for a, b in zip(one, two, strict=True))
            for one, two in ((p, q), (q, p))
        )
        if (ratio - 1) / (ratio + 1) < limit:
            assert truth <= sharper_semantic(ratio, delta, 1, epsilon=limit)[1] or delta == 0
        root = float(ratio) ** 0.5
        if float(limit) > (root - 1) / (root + 1) + 1e-9:
            assert truth <= delta * Fraction(above(one_bit_worst(ratio, limit)))


def test_d15_one_bit_with_a_small_leak_reaches_the_tight_factor():
    # Reference case D15: (0.2, delta)-DP gives a failure of 2.99779 delta at 0.2, at w = 1/2. The
    # extremal mechanism leaks delta at the ratio rho = 7/3 that just breaches at w = 1/2.
    limit, ratio = Fraction(1, 5), Fraction(12214, 10000)
    delta = Fraction(1, 1000)
    rho = (1 + 2 * limit) / (1 - 2 * limit) * (1 + Fraction(1, 10**9))
    q = delta / (rho - ratio)
    cells = [Masses(rho * q, q), Masses(q, rho * q), Masses(1 - (rho + 1) * q, 1 - (rho + 1) * q)]
    found = pair_failure(cells, limit, default=True)
    assert abs(float(found.value / delta) - 2.99778907762674) < 1e-3


def test_geometric_noise_is_its_clamped_table():
    noise, clamped = (
        failure_probability(mechanism(f"{name}(ratio=2, bits=2)"), Fraction(1, 4))
        for name in ("geometric", "truncated-geometric")
    )
    assert (noise.lower, noise.upper) == (clamped.lower, clamped.upper)
    assert noise.lower < noise.upper == Fraction(1, 3)


def test_noise_with_infinitely_many_outputs_is_cut_far_out():
    built = mechanism("discrete-gaussian(sigma=3, bits=2)")
    table = tabulated(built)
    assert len(table.folded) == 2
    ends = failure_probability(built, Fraction(1, 5))
    assert 0 < ends.lower < ends.upper < Fraction(1, 10)
    assert ends.witness.verify()
    # A window that is wide enough holds almost all of the noise: brute force on it agrees.
    wide = range(-15, 18)
    rows = [[bounds(built.probability(t, x))[0] for x in PAIR] for t in wide]
    rows.append([1 - sum(column) for column in zip(*rows, strict=True)])
    dense = Dense(PAIR, Explicit((*map(str, wide), "far out")), rows)
    for belief in [*random_beliefs(PAIR, 1, 20), dict(ends.witness.belief)]:
        assert brute(dense, belief, Fraction(1, 5)) <= ends.upper + max(rows[-1])
    assert brute(dense, dict(ends.witness.belief), Fraction(1, 5)) >= ends.lower


def test_many_people_and_bare_answers_get_the_bound_of_the_profile():
    many = failure_probability(mechanism("discrete-gaussian(sigma=6, bits=40)"), Fraction(2, 5))
    bare = failure_probability(mechanism("gaussian(sigma=5)"), Fraction(2, 5), records=10)
    for ends in (many, bare):
        assert 0 < ends.lower < ends.upper < 1
        assert "privacy profile" in ends.source
        assert ends.witness.verify()
    assert few_people(mechanism("geometric(ratio=2, bits=40)"), 40).universe.n == 3
    assert few_people(mechanism("gaussian(sigma=5)"), 10) is None


def test_half_lines_agree_with_the_classes_of_outputs():
    noise = mechanism("geometric(ratio=2, bits=1)")
    comparison = noise.compare((1,), (0,))
    cells = [Masses(c.p, c.q) for c in comparison.cells()]
    for k in range(1, 16):
        w, limit = Fraction(k, 16), Fraction(1, 10)
        masses = {(1,): w, (0,): 1 - w}
        outputs = Explicit(("low", "high"))
        dense = Dense(BIT, outputs, [[cells[0].p, cells[0].q], [cells[1].p, cells[1].q]])
        assert half_line_failure(noise, comparison, limit, w) == brute(dense, masses, limit)


def test_records_treated_on_their_own_fail_independently():
    survey = mechanism("randomized-response(bits=3, keep=3/4)")
    w = Fraction(49, 100)
    belief = {}
    for x in product((1, 0), repeat=3):
        mass = Fraction(1)
        for bit in x:
            mass *= w if bit else 1 - w
        belief[x] = mass
    one = brute(mechanism("randomized-response(bits=1, keep=3/4)"), {(1,): w, (0,): 1 - w}, 0.25)
    assert 0 < one < 1
    assert brute(survey, belief, Fraction(1, 4)) == 1 - (1 - one) ** 3
    large = failure_probability(mechanism("randomized-response(bits=40, keep=3/4)"), Fraction(1, 4))
    assert large.lower > 1 - Fraction(1, 2**39)
    assert large.witness.to_dict()["people"] == 40


def test_check_holds_refutes_or_says_that_it_is_undecided():
    text = "geometric(ratio=2, bits=2)"
    assert check(text, "semantic(epsilon=1/4, delta=1/3)")
    refuted = check(text, "semantic(epsilon=1/4, delta=1/4)")
    assert not refuted
    assert refuted.witness.verify()
    assert brute(
        mechanism("truncated-geometric(ratio=2, bits=2)"),
        dict(refuted.witness.belief),
        Fraction(1, 4),
    ) > Fraction(1, 4)
    between = check(text, "semantic(epsilon=1/4, delta=0.31)")
    assert between.holds is None
    with pytest.raises(Undecided, match=r"lies between .* and 1/3"):
        bool(between)


def test_without_delta_the_claim_is_the_pure_one():
    for delta in ("", ", delta=0"):
        assert check("noisy-parity(bits=2, keep=3/4)", f"semantic(epsilon=1/2{delta})")
        refuted = check("noisy-parity(bits=2, keep=3/4)", f"semantic(epsilon=0.49{delta})")
        assert not refuted
        assert refuted.epsilon == Fraction(1, 2)


def test_the_command_line_tells_the_three_answers_apart(capsys):
    from twoworlds.cli import run

    def code(delta):
        return run(["check", "geometric(ratio=2, bits=2)", f"semantic(epsilon=1/4, delta={delta})"])

    assert [code(delta) for delta in ("1/3", "1/4", "0.31")] == [0, 1, 2]
    assert "undecided" in capsys.readouterr().err


@pytest.mark.parametrize("delta", ["1/10", "3/10"])
@pytest.mark.parametrize(
    "text", ["randomized-response(bits=1, keep=3/4)", "truncated-geometric(ratio=2, bits=2)"]
)
def test_the_epsilon_for_a_delta_lies_between_its_ends(text, delta):
    verdict = measure(text, definition=f"semantic(delta={delta})")
    failure = Failure(mechanism(text))
    allowed = Fraction(delta)
    assert compare(failure.upper(verdict.upper).value, allowed) is not Order.GREATER
    assert failure.lower(verdict.lower)[0] > allowed
    shown = verdict.to_dict()["epsilon"]
    assert Fraction(shown["lower"]) <= verdict.lower
    assert bounds(verdict.upper)[1] <= Fraction(shown["upper"])


def test_the_ends_are_plain_data():
    found = measure("geometric(ratio=2, bits=2)", definition="semantic(epsilon=1/4)").to_dict()
    assert found["delta"]["exact"] is None
    assert 0.29 < found["delta"]["lower"] < found["delta"]["upper"] < 0.334
    assert set(found["witness"]) == {"belief", "epsilon", "failure"}
    assert "all beliefs" in found["assumptions"][0]


def test_the_same_belief_is_found_every_time():
    built = mechanism("truncated-geometric(ratio=2, bits=3)")
    first, second = (failure_probability(built, Fraction(1, 4)) for _ in range(2))
    assert dict(first.witness.belief) == dict(second.witness.belief)


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("semantic(epsilon=2, delta=1/2)", "epsilon=2"),
        ("semantic(epsilon=-1/2, delta=1/2)", "epsilon=-1/2"),
        ("semantic(epsilon=1/2, delta=3/2)", "delta=3/2"),
        ("semantic(epsilon=1/2, delta=-1)", "delta=-1"),
        ("semantic", "give epsilon="),
        ("semantic(delta=1/2)", "give epsilon="),
        ("semantic(epsilon=1/2, delta=1/4, default=7)", "default=7"),
        ("semantic(epsilon=1/2, delta=1/4, records=3)", "records=3"),
        ("semantic(epsilon=1/2, delta=1/4, records=0)", "records=0"),
    ],
)
def test_rejects_claims_that_make_no_sense(claim, words):
    with pytest.raises(InvalidInput, match=words):
        check("randomized-response(bits=2, keep=3/4)", claim)


def test_a_bare_answer_needs_the_number_of_people():
    with pytest.raises(InvalidInput, match="give records="):
        measure("gaussian(sigma=5)", definition="semantic(epsilon=2/5)")
