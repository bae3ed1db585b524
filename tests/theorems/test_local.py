"""Theorem 4.2 and Corollary 4.4 of Kasiviswanathan & Smith, for single beliefs."""

from fractions import Fraction
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theorems import brute
from twoworlds import Dense, check, mechanism
from twoworlds.definitions.semantics.breaches import failure_of
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.event import agree
from twoworlds.mechanisms import AddedDensity, Gaussian
from twoworlds.mechanisms.on_statistic import OnStatistic
from twoworlds.numbers import above, bounds
from twoworlds.theorems import THEOREMS, Guarantee, calibrate_locally, local
from twoworlds.theorems.local import good_databases
from twoworlds.worlds import BitStrings, Computed, Explicit, Integers, Records
from twoworlds.worlds.belief import Belief


def test_reference_numbers_of_theorem_4_2():
    stated = Guarantee.parse("local-dp(epsilon=0.1, delta=1e-8)")
    found = stated.implies("local-semantic", records=50, delta1="1e-7")
    main = next(o for o in found.tried if o.application.theorem.name == "ks-4.2")
    assert abs(above(main.application.printed.epsilon) - 0.352204015455915) < 1e-12
    assert abs(above(main.application.printed.delta) - 0.00938083151964686) < 1e-12
    assert all(check.ok for check in main.application.checks)
    assert found.best.at_least_as_strong_as(main.application.printed)
    assert found.steps[-1].theorem.name == "s4-local"


@given(
    st.data(),
    brute.leaky_mechanisms(),
    st.fractions(1, Fraction(5, 4), max_denominator=40),
    st.sampled_from([Fraction(0), Fraction(1, 2000), Fraction(1, 500), Fraction(1, 50)]),
)
def test_what_follows_for_a_belief_holds_by_plain_bayes(data, mechanism, ratio, delta):
    belief = data.draw(brute.beliefs(mechanism))
    bad = {
        x
        for x, y in brute.neighbours(mechanism)
        if max(
            brute.excess(mechanism[x], mechanism[y], ratio),
            brute.excess(mechanism[y], mechanism[x], ratio),
        )
        > delta
    }
    outside = sum((belief[x] for x in bad), Fraction(0))
    stated = Guarantee.of("local-dp", ratio=ratio, delta=delta, records=2)
    found = stated.implies("local-semantic", delta1=outside)
    for one in found.conclusions:
        assert brute.failure(mechanism, belief, one.epsilon) <= one.delta
    for outcome in found.tried:
        printed = outcome.application.printed
        if printed is not None:
            assert brute.failure(mechanism, belief, printed.epsilon) <= printed.delta


def test_corollary_4_4_runs_for_a_function_a_belief_and_a_threshold():
    bits = BitStrings(5)
    likely = Fraction(999_999, 10**6)
    belief = {(1, 1, 1, 1, 1): likely, (1, 1, 1, 0, 0): 1 - likely}  # the median of 11100 can flip
    found = calibrate_locally(median, bits, belief, threshold="1/10", epsilon="1/10")
    assert found.outside == Fraction(1, 10**6)
    assert found.scale == 1
    assert found.implication.context.delta1 == found.outside
    assert found.implication.best.kind == "local-semantic"
    assert found.implication.best.records == 5
    larger = calibrate_locally(median, bits, belief, threshold=1, epsilon="1/10")
    assert larger.outside == 0
    assert larger.implication.best.delta == 0


@given(st.data())
def test_corollary_4_4_counts_the_databases_of_large_local_sensitivity(data):
    people = Records((0, 1, 5), 3)
    belief = dict(zip(people, data.draw(brute.laws(27)), strict=True))
    threshold = data.draw(st.sampled_from([1, 4, 5]))
    found = calibrate_locally(max, people, belief, threshold=threshold, epsilon=1)
    wanted = Fraction(0)
    for x, mass in belief.items():
        near = ((*x[:i], v, *x[i + 1 :]) for i in range(3) for v in (0, 1, 5))
        wanted += mass * (max(abs(max(x) - max(y)) for y in near) > threshold)
    assert found.outside == wanted


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"threshold": 0}, "threshold=0"),
        ({"epsilon": -1}, "epsilon=-1"),
        ({"belief": {(1,): Fraction(1, 2)}}, "must sum to 1"),
        ({"universe": Integers(0, 3)}, "no fixed number of records"),
    ],
)
def test_rejects_calibrations_that_make_no_sense(change, words):
    given = {
        "universe": BitStrings(1),
        "belief": {(1,): Fraction(1)},
        "threshold": 1,
        "epsilon": 1,
        **change,
    }
    universe, belief = given.pop("universe"), given.pop("belief")
    with pytest.raises(InvalidInput, match=words):
        calibrate_locally(sum, universe, belief, **given)


def test_erratum_the_standard_deviation_of_laplace_noise_is_noted():
    assert "sqrt(2) lambda" in THEOREMS["ks-4.4"].erratum


@given(
    st.data(),
    brute.leaky_mechanisms(),
    st.fractions(1, Fraction(5, 4), max_denominator=40),
    st.sampled_from([Fraction(0), Fraction(1, 2000), Fraction(1, 50)]),
)
def test_the_good_databases_are_found_and_what_follows_holds(data, laws, ratio, delta):
    belief = data.draw(brute.beliefs(laws))
    bits = BitStrings(2)
    outputs = Explicit(tuple(f"t{k}" for k in range(len(next(iter(laws.values()))))))
    rows = [[laws[x][k] for x in bits] for k in range(outputs.size)]
    built = Dense(bits, outputs, rows)
    found = good_databases(built, Belief(bits, belief), ratio=ratio, delta=delta, default=0)

    def apart(x, y):
        gaps = (brute.excess(laws[x], laws[y], ratio), brute.excess(laws[y], laws[x], ratio))
        return max(gaps) > delta

    bad = {x for x, y in brute.neighbours(laws) if apart(x, y)}
    needed = {x for x in bits if apart(x, (0, x[1])) or apart(x, (x[0], 0))}
    assert found.outside == sum((belief[x] for x in bad), Fraction(0))
    assert found.needed == sum((belief[x] for x in needed), Fraction(0)) <= found.outside
    assert set(found.bad) == {bits.label(x) for x in bad if belief[x]}
    joint = [
        sum(m * brute.excess(laws[one(x)], laws[two(x)], ratio) for x, m in belief.items())
        for left_out in (lambda x: (0, x[1]), lambda x: (x[0], 0))
        for one, two in ((lambda x: x, left_out), (left_out, lambda x: x))
    ]
    assert found.joint == max(joint)
    for one in (found.printed, found.repaired, found.sharper):
        if one is not None:
            assert brute.failure(laws, belief, one.epsilon) <= one.delta


def test_theorem_4_2_says_nothing_where_its_condition_fails():
    both = Dense.from_function(BitStrings(2), lambda x: {min(x): 1})
    found = good_databases(both, "uniform", ratio=2)
    assert (found.good, found.outside) == (("00",), Fraction(3, 4))
    assert found.printed is found.repaired is None
    assert "Theorem 4.2 as printed  nothing: the number of persons" in found.explain()
    assert "putting 0 in place of the record" in found.explain()
    sure = good_databases(both, "explicit(00=999999/1000000, 11=1/1000000)", ratio=2)
    assert sure.printed.delta > sure.repaired.delta
    assert sure.to_dict()["bad"] == ["11"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ratio": None}, "give ratio= or epsilon="),
        ({"ratio": "1/2"}, "1/2"),
        ({"delta": 2}, "delta=2"),
        ({"default": 5}, "default=5"),
    ],
)
def test_rejects_good_sets_that_make_no_sense(change, words):
    given = {"ratio": 2, **change}
    with pytest.raises(InvalidInput, match=words):
        good_databases(mechanism("randomized-response(bits=2, keep=3/4)"), "uniform", **given)


@pytest.mark.parametrize(
    "text",
    [
        "randomized-response(bits=3, keep=3/4)",
        "pram([[1/2, 1/4, 0], [1/2, 1/2, 1/3], [0, 1/4, 2/3]], records=2)",
        "truncated-geometric(ratio=2, bits=3)",
    ],
)
@pytest.mark.parametrize("ratio", ["3/2", "2", "3"])
def test_kinds_of_pairs_answer_as_the_whole_matrix_does(text, ratio):
    structured = mechanism(text)
    first = good_databases(structured, "uniform", ratio=ratio, delta="1/10").to_dict()
    second = good_databases(structured.table(), "uniform", ratio=ratio, delta="1/10").to_dict()
    for found in (first, second):
        found.pop("mechanism")
    assert first == second


def test_eight_people_are_few_and_many_who_are_not_alike_are_refused():
    survey = mechanism("randomized-response(bits=8, keep=3/4)")
    assert good_databases(survey, "uniform", ratio=3).bad == ()
    law = ", ".join(["1/2"] * 16 + ["1/3"])
    many = mechanism("randomized-response(bits=17, keep=3/4)")
    with pytest.raises(TooLarge, match="holds fewer databases possible"):
        good_databases(many, f"independent({law})", ratio=3)


@pytest.mark.parametrize(
    "text",
    [
        "geometric(ratio=2, bits=3)",
        "discrete-gaussian(sigma=1, bits=3)",
        "randomized-response(bits=3, keep=3/4)",
        "pram([[1, 1/2, 0], [0, 1/2, 0], [0, 0, 1]], records=2)",
    ],
)
@pytest.mark.parametrize("ratio", ["3/2", 3])
def test_people_who_are_alike_are_counted(text, ratio, monkeypatch):
    """By values of one record, as by all databases one by one."""
    released = mechanism(text)
    written = good_databases(released, "uniform", ratio=ratio, delta="1/10")
    monkeypatch.setattr(local, "many_alike", lambda held: held.common_laws is not None)
    counted = good_databases(released, "uniform", ratio=ratio, delta="1/10")
    assert counted.people == released.universe.n
    for name in ("outside", "needed"):
        assert getattr(counted, name) == getattr(written, name)
    assert counted.joint == written.joint or agree(counted.joint, written.joint)
    bad = {x for x in released.universe if any(str(v) in counted.bad for v in x)}
    assert set(written.bad) == {released.universe.label(x) for x in bad}


def test_ten_thousand_people_are_good_at_once():
    survey = mechanism("randomized-response(bits=10000, keep=3/4)")
    held = "hidden(9/10=1/2, 1/10=1/2)"
    found = good_databases(survey, held, ratio=3)
    assert found.answer().headline.startswith("All databases held possible are good")
    assert good_databases(survey, held, ratio=2).outside == 1
    leaky = mechanism("pram([[1, 1/2], [0, 1/2]], records=1000)")
    found = good_databases(leaky, "independent([0=999/1000, 1=1/1000])", ratio=2, delta="2/5")
    assert found.bad == ("0", "1")
    assert found.answer().headline.startswith("No database held possible is good")


# --- Corollary 4.4 with Gaussian noise (footnote 3) -----------------------------------------------

MOSTLY = {(1, 1, 1): Fraction(9999, 10_000), (1, 1, 0): Fraction(1, 10_000)}


def gaussian_for(threshold="1/2", epsilon=1, delta="1/100000", statistic=median, held=None):
    held = MOSTLY if held is None else held
    numbers = {"threshold": threshold, "epsilon": epsilon, "noise_delta": delta}
    return calibrate_locally(statistic, BitStrings(3), held, **numbers)


def test_gaussian_noise_is_the_least_that_the_threshold_needs():
    found = gaussian_for()
    assert found.outside == Fraction(1, 10_000)
    for share, private in ((1, True), (Fraction(9999, 10_000), False)):
        noise = mechanism(f"gaussian(sigma={found.scale * share}, sensitivity=1/2)")
        assert check(noise, "dp(epsilon=1, delta=1/100000)").holds is private
    assert found.answer().headline.startswith("Add Gaussian noise of standard deviation ")


def test_what_gaussian_noise_promises_for_the_belief_holds():
    """The median of three bits, under beliefs that seldom meet a sensitive database."""
    for held in (MOSTLY, {(0, 0, 0): Fraction(999, 1000), (1, 0, 0): Fraction(1, 1000)}):
        found = gaussian_for(held=held)
        best = found.implication.best
        assert best is not None
        channel = AddedDensity(Gaussian(sigma=found.scale))
        noisy = OnStatistic(BitStrings(3), Computed(median), channel, expression="noisy")
        failure = failure_of(noisy, Belief(BitStrings(3), held), bounds(best.epsilon)[0])
        assert above(failure) <= above(best.delta)


def test_gaussian_noise_counts_distances_in_the_euclidean_norm():
    def both(x):
        return (sum(x), sum(x))  # one person moves it by sqrt 2, and by 2 in the sum of both

    sure = {(1, 1, 1): Fraction(1)}
    assert gaussian_for("3/2", statistic=both, held=sure).outside == 0
    laplace = calibrate_locally(both, BitStrings(3), sure, threshold="3/2", epsilon=1)
    assert laplace.outside == 1


def test_gaussian_noise_needs_a_delta_that_is_a_probability():
    with pytest.raises(InvalidInput, match="delta"):
        gaussian_for(delta=2)
