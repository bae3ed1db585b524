"""Differential privacy and noise over all whole numbers, seen on finitely many of them."""

from fractions import Fraction
from itertools import pairwise
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.cones import build_source, largest_odds, noise_cone, row_cone
from twoworlds.cones.noise.integers import (
    odds_of_answers,
    on_range,
    read_row,
    row_on_integers,
)
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms.named import mechanism
from twoworlds.numbers import INFINITY
from twoworlds.questions.cones import cone, member, odds, statements
from twoworlds.worlds import Integers, Reals

F = Fraction
DP, NOISE = build_source("dp(ratio=2)"), build_source("geometric(ratio=2)")
rows = st.dictionaries(st.integers(-3, 3), st.integers(0, 5).map(F), max_size=4)


def obeys(row, otherwise, ratio):
    """The definition, on a range far wider than the changes."""
    x = [row.get(k, otherwise) for k in range(-9, 10)]
    return all(a <= ratio * b and b <= ratio * a for a, b in pairwise(x))


@given(rows, st.integers(0, 5).map(F))
def test_a_row_that_is_constant_far_out_is_decided_as_by_the_definition(row, otherwise):
    text = ", ".join([*(f"{k}: {v}" for k, v in row.items()), f"else: {otherwise}"])
    assert row_on_integers(text, DP, Integers()).answer().holds == obeys(row, otherwise, 2)
    assert read_row(text) == (row, otherwise)


@given(st.lists(st.integers(1, 9), min_size=3, max_size=3))
def test_every_row_on_a_range_extends_to_all_whole_numbers(x):
    if not on_range(DP, Integers(0, 2)).contains(x):
        return
    extended = {
        k: min(max(x), *(2 ** abs(k - j) * v for j, v in enumerate(x))) for k in range(-5, 8)
    }
    assert [extended[j] for j in range(3)] == x
    assert obeys({k: F(v) for k, v in extended.items()}, F(max(x)), 2)


@pytest.mark.parametrize(
    "sets", [("0", "1"), ("0", "3"), ("0", "-1,1"), ("-2,2", "0"), ("4", "1,2")]
)
def test_odds_of_geometric_noise_are_those_of_its_best_output(sets):
    found = odds_of_answers(NOISE, *sets, "uniform", Integers())
    first, second = ([int(k) for k in part.split(",")] for part in sets)
    best = max(
        sum(NOISE.probability(o, i) for i in first) / sum(NOISE.probability(o, j) for j in second)
        for o in range(-20, 21)
    )
    assert found.odds == best
    assert found.verify()


@pytest.mark.parametrize("sets", [("0", "1"), ("0", "-1,1"), ("-2,2", "0")])
def test_odds_of_differential_privacy_do_not_depend_on_the_range(sets):
    found = odds_of_answers(DP, *sets, "uniform", Integers())
    first, second = ([int(k) for k in part.split(",")] for part in sets)
    wide = largest_odds("dp(ratio=2)", first, second, universe="integers(-5, 5)")
    assert found.factor == wide.factor


THIN = ["skellam(1, 1)", "skellam(2, 1/2)", "discrete-gaussian(sigma2=1)"]


@pytest.mark.parametrize("text", THIN)
@given(st.permutations(range(-3, 4)), st.integers(1, 3), st.integers(1, 3))
def test_odds_of_thin_noise_are_those_of_its_outputs(text, places, many, rivals):
    first, second = places[:many], places[many : many + rivals]
    found = odds_of_answers(
        build_source(text),
        *(", ".join(map(str, s)) for s in (first, second)),
        "uniform",
        Integers(),
    )
    noise = mechanism(text)
    reached = [
        sum(noise.probability(o, i) for i in first) / sum(noise.probability(o, j) for j in second)
        for o in range(-9, 10)
    ]
    endless = max(first) > max(second) or min(first) < min(second)
    assert (found.factor == INFINITY) == endless == (not found.attained)
    if endless:
        assert "can grow without bound" in found.sentence
        assert max(map(float, reached)) in (float(reached[0]), float(reached[-1]))
    else:
        assert float(found.odds) == pytest.approx(max(map(float, reached)), rel=1e-12)
        assert float(found.odds) == float(reached[int(found.output) + 9])


@pytest.mark.parametrize("text", ["skellam(1, 1, bits=2)", "discrete-gaussian(sigma2=1/2, bits=2)"])
@pytest.mark.parametrize(
    ("first", "second", "limit"),
    [
        (["11", "00"], ["10"], None),
        (["10"], ["11", "00"], None),
        (["11"], ["10", "00"], None),
        (["11", "01"], ["10", "00"], None),
        (["10"], ["01"], 1),
    ],
)
def test_odds_of_thin_noise_on_few_answers(text, first, second, limit):
    found, noise = largest_odds(text, first, second), mechanism(text)
    reached = max(
        sum(float(noise.probability(o, x)) for x in first)
        / sum(float(noise.probability(o, x)) for x in second)
        for o in range(-9, 12)
    )
    if limit is not None:
        assert found.odds == limit == reached
    else:
        counts = [[x.count("1") for x in side] for side in (first, second)]
        endless = max(counts[0]) > max(counts[1]) or min(counts[0]) < min(counts[1])
        assert (found.odds == INFINITY) == endless
        assert endless or float(found.odds) == pytest.approx(reached, rel=1e-12)


def test_odds_that_no_output_attains():
    found = odds("differenced-negative-binomial(p=1/2, r=2)", "0", "3")
    noise = mechanism("differenced-negative-binomial(p=1/2, r=2)")
    assert found.factor == 8
    assert not found.attained
    assert "no output attains it" in found.explain()
    quotients = [noise.probability(o, 0) / noise.probability(o, 3) for o in (-5, -50, -500)]
    assert all(q < 8 for q in quotients)
    assert quotients[-1] > F(79, 10)


@pytest.mark.parametrize(
    "text",
    [
        "mix(integer-noise([1]), geometric(p=1/2))",
        "mix(geometric(p=2/3), integer-noise([1/2, 0, 1/2], start=-4), weight=1/5)",
        "mix(mix(integer-noise([1]), geometric(p=1/3)), integer-noise([1/4, 3/4], start=1))",
    ],
)
@pytest.mark.parametrize(
    ("first", "second"), [("0", "1"), ("1", "0"), ("0", "1, 3"), ("-2, 2", "0"), ("0, 5", "1, 2")]
)
def test_odds_of_mixed_noise_are_those_of_its_best_output(text, first, second):
    found, noise = odds(text, first, second), mechanism(text)
    sides = [[int(place) for place in side.split(",")] for side in (first, second)]
    reached = [
        sum(noise.probability(o, i) for i in sides[0])
        / sum(noise.probability(o, j) for j in sides[1])
        for o in range(-15, 16)
    ]
    assert found.odds == max(reached)
    assert found.certificate.verify()


def test_finite_noise_rules_far_answers_out():
    found = odds("integer-noise([1/4, 1/2, 1/4])", "0", "3")
    assert "can become infinite" in found.explain()
    near = odds_of_answers(
        build_source("integer-noise([1/4, 1/2, 1/4])"), "1", "0,2", "uniform", Integers()
    )
    assert near.factor == 2  # output 2: 1/2 against the mean of 1/4 and 1/4


def test_the_commands_speak_of_all_whole_numbers():
    said = cone("dp(ratio=2)", universe="integers()").explain()
    assert "x(k) <= 2 x(k+1) and x(k+1) <= 2 x(k) for every whole number k" in " ".join(
        said.split()
    )
    assert "x(k+3)" in statements("dp(ratio=2)", universe="integers(step=3)").explain()
    inside = member(of=["dp(ratio=2)"], row="0: 1, else: 2", universe="integers()")
    assert inside.answer().holds
    outside = member(of=["geometric(ratio=2)"], row="0: 1, else: 2")
    assert not outside.answer().holds
    assert not noise_cone("geometric(ratio=2)").contains({0: 1}, otherwise=2)
    assert "factor 8" in odds("dp(ratio=2)", "0", "3", universe="integers()").explain()


def test_what_cannot_be_answered_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="name a rival"):
        odds("geometric(ratio=2)", "0")
    with pytest.raises(InvalidInput, match="whole number"):
        odds("geometric(ratio=2)", "0", "1/2")
    with pytest.raises(InvalidInput, match="wide range"):
        odds("geometric(ratio=2)", "0", "9999")
    with pytest.raises(Unsupported, match="two single answers"):
        odds("differenced-negative-binomial(p=1/2, r=2)", "0", "1,2")
    with pytest.raises(InvalidInput, match="or outputs"):
        odds("skellam(1, 1)", "0", "1", save=tmp_path / "proof.json")
    with pytest.raises(InvalidInput, match="place by place"):
        member(of=["geometric(ratio=2)"], row="1, 2")
    with pytest.raises(InvalidInput, match="can be listed"):
        member(of=["geometric(ratio=2)"], row="0: 1, else: 1", save=tmp_path / "proof.json")
    with pytest.raises(Unsupported, match="delta"):
        cone("dp(ratio=2, delta=1/10)", universe="integers()")
    with pytest.raises(Unsupported, match="group=1"):
        cone("dp(ratio=2, group=2)", universe="integers()")


# --- noise on finitely many databases: closed cones and others (Section 4.2.1) -------------------


def test_the_row_cone_of_skellam_noise_on_two_inputs_is_an_open_quadrant():
    found = cone("skellam(1, 1, bits=1)")
    assert "x0 > 0 and x1 > 0" in found.explain()
    assert "It is not closed" in found.explain()
    assert found.to_dict()["closed"] is False
    noise = mechanism("skellam(1, 1, bits=1)")
    far = [[noise.probability(o, (x,)) for x in (0, 1)] for o in (-30, 30)]
    (p, q), (r, s) = far
    assert q / p < F(1, 20) > r / s > 0  # every row between these two is a combination of them


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("differenced-negative-binomial(p=1/2, r=2, bits=1)", ["x1 < 2 x0", "x0 < 2 x1"]),
        ("differenced-negative-binomial(p=1/2, r=1, bits=1)", ["x1 <= 2 x0", "x0 <= 2 x1"]),
        ("discrete-gaussian(sigma2=1, bits=1)", ["x0 > 0", "x1 > 0"]),
    ],
)
def test_a_side_belongs_to_the_cone_if_and_only_if_an_output_attains_it(text, sides):
    found, noise = cone(text).to_dict(), mechanism(text)
    assert found["sides"] == sides
    quotients = [noise.probability(o, (1,)) / noise.probability(o, (0,)) for o in range(-9, 10)]
    if "2" in sides[0]:
        assert all(F(1, 2) <= q <= 2 for q in quotients)
        assert (2 in quotients) == ("<=" in sides[0]) == found["closed"]


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_geometric_noise_has_the_cone_of_the_truncated_mechanism(bits):
    found = row_cone(f"geometric(ratio=2, bits={bits})")
    assert found.cone.rays == row_cone(f"truncated-geometric(ratio=2, bits={bits})").cone.rays
    noise = mechanism(f"geometric(ratio=2, bits={bits})")
    for output in range(-4, bits + 5):
        assert found.contains([noise.probability(output, x) for x in noise.universe])


def test_more_than_two_inputs_of_other_noise_are_refused():
    with pytest.raises(Unsupported, match="infinitely many outputs"):
        cone("skellam(1, 1, bits=2)")


@given(
    st.permutations(["-3", "-1", "0", "1/2", "2"]),
    st.integers(1, 2),
    st.integers(1, 3),
    st.sampled_from(["1/2", "1", "3"]),
)
def test_odds_of_laplace_noise_are_those_of_its_best_output(places, many, rivals, scale):
    first, second = places[:many], places[many : many + rivals]
    noise = build_source(f"laplace(scale={scale})")
    found = odds_of_answers(noise, ", ".join(first), ", ".join(second), "uniform", Reals())
    b = float(F(scale))

    def ratio(o):
        above, below = (sum(exp(-abs(o - float(F(j))) / b) for j in s) for s in (first, second))
        return above / below

    assert float(found.odds) == pytest.approx(max(ratio(k / 8) for k in range(-80, 81)))
    assert float(found.odds) == pytest.approx(ratio(float(F(found.output))))


def test_gaussian_noise_gives_away_an_answer_beyond_its_rivals_and_no_other():
    noise = build_source("gaussian(sigma=2)")
    assert odds_of_answers(noise, "0, 3", "1, 2", "uniform", Reals()).factor == INFINITY
    with pytest.raises(Unsupported, match="discrete-gaussian and laplace"):
        odds_of_answers(noise, "0", "-1, 1", "uniform", Reals())


@pytest.mark.parametrize(
    ("noise", "row", "holds"),
    [
        ("skellam(1, 1, bits=1)", "1,1000000", True),
        ("skellam(1, 1, bits=1)", "0,1", False),
        ("skellam(1, 1, bits=1)", "0,0", True),
        ("differenced-negative-binomial(r=2, p=1/2, bits=1)", "1,199/100", True),
        ("differenced-negative-binomial(r=2, p=1/2, bits=1)", "1,2", False),
        ("differenced-negative-binomial(r=2, p=1/2, bits=1)", "2,1", False),
    ],
)
def test_a_row_on_the_edge_of_a_cone_that_is_not_closed_does_not_occur(noise, row, holds):
    assert member(of=[noise], row=row).data["holds"] == holds


def test_a_row_of_two_answers_has_two_entries():
    with pytest.raises(InvalidInput, match="give two numbers"):
        member(of=["skellam(1, 1, bits=1)"], row="1,2,3")
