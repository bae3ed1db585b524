"""What is charted is what is true: the data of every chart against exact numbers."""

from fractions import Fraction
from itertools import product

import pytest

from twoworlds import DifferentialPrivacy, check, measure, mechanism
from twoworlds.charts import Chart, Icons
from twoworlds.definitions.semantics.games import play
from twoworlds.definitions.trade_off import trade_off
from twoworlds.theorems import Guarantee
from twoworlds.worlds.belief import secret
from twoworlds.worlds.beliefs import belief

HALF = Fraction(1, 2)


def chart(result):
    blocks = result.answer().blocks
    return next(one for one in blocks if isinstance(one, Chart) and not isinstance(one, Icons))


def lines(result) -> dict[str, list[tuple[float, float]]]:
    return {line.name: list(line.points) for line in chart(result).lines}


# --- odds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("neighbours", ["substitute", "add-remove"])
@pytest.mark.parametrize("ratio", ["3", "101/100", "1000"])
def test_the_two_curves_are_bayes_with_odds_times_r_and_r_squared(ratio, neighbours):
    drawn = lines(Guarantee.parse(f"dp(ratio={ratio}, neighbours={neighbours})"))
    for name, factor in (("knows all others", 1), ("any belief", 2)):
        (first, *points, last) = drawn[name]
        assert (first, last) == ((0, 0), (1, 1))
        for x, y in points:
            w = Fraction(x).limit_denominator(1000)
            odds = w / (1 - w) * Fraction(ratio) ** factor
            assert y == pytest.approx(float(odds / (1 + odds)), rel=1e-14)


def test_a_verdict_is_charted_with_its_own_numbers():
    survey = mechanism("randomized-response(bits=2, keep=3/4)")
    assert dict(lines(measure(survey))["at most"])[0.5] == 0.75
    refuted = check(survey, "dp(ratio=2)")
    points = lines(refuted)["at most"]
    for x, y in points:
        assert y == pytest.approx(min(1, 2 * x + float(refuted.delta)))


# --- trade-off ----------------------------------------------------------------------------------


def test_the_curve_is_that_of_the_best_tests_by_enumeration():
    coin = mechanism("randomized-response(bits=2, keep=3/4)")
    law = [
        (coin.probability(o, (1, 1)), coin.probability(o, (0, 0))) for o in product((0, 1), (0, 1))
    ]
    alarms = [(Fraction(0), Fraction(1))]
    for p, q in sorted(law, key=lambda pair: -pair[0] / pair[1]):
        alarms.append((alarms[-1][0] + q, alarms[-1][1] - p))
    drawn = set(lines(trade_off(coin, "11", "00"))["the best test"])
    assert drawn <= {(float(level), float(miss)) for level, miss in alarms}
    assert drawn == {(0, 1), (1 / 16, 7 / 16), (7 / 16, 1 / 16), (1, 0)}


@pytest.mark.parametrize(
    ("text", "pair", "bound"),
    [
        ("geometric(ratio=2)", "03", [(0, 1), (1 / 8, 0)]),
        ("random-index(records=4)", ("0000", "0001"), [(0, 0.75), (0.75, 0)]),
        ("identity(bits=1)", "10", None),
    ],
)
def test_the_bound_of_equation_four_starts_along_the_curve(text, pair, bound):
    drawn = lines(trade_off(mechanism(text), *pair))
    found = [points for name, points in drawn.items() if name.startswith("bound")]
    assert found == ([] if bound is None else [bound])


# --- profile ------------------------------------------------------------------------------------


def test_the_corners_of_a_profile_lie_on_it():
    pair = mechanism(
        "pair(randomized-response(bits=1, keep=3/4), randomized-response(bits=1, keep=2/3))"
    )
    profile = DifferentialPrivacy().profile(pair)
    assert profile.points() == [(1, HALF), (Fraction(3, 2), Fraction(3, 8)), (6, 0)]
    assert all(profile(ratio) == delta for ratio, delta in profile.points())


def test_a_profile_of_infinitely_many_pieces_is_sampled_from_above():
    profile = DifferentialPrivacy().profile(mechanism("laplace(scale=1)"))
    found = profile.points()
    assert found[-1][1] <= found[0][1] / 1000 < found[-2][1]
    for x, y in found:  # 1 - e^((epsilon - 1) / 2)
        bound = max(0, 1 - (float(x) / 2.718281828459045) ** 0.5)
        assert bound - 1e-15 <= float(y) == pytest.approx(bound, abs=1e-8)


# --- games --------------------------------------------------------------------------------------


def games(text: str, prior: str, output: str, about: str | None = None):
    built = mechanism(text)
    asked = None if about is None else secret(about, built.universe)
    return play(built, belief(prior, built.universe), output, default="0", secret=asked)


def test_the_bars_of_a_secret_are_the_chances_of_the_games():
    played = games("noisy-parity(bits=2, keep=3/4)", "explicit(11=1/2, 10=1/2)", "1", "parity")
    [(_, bars)] = chart(played).groups
    assert [(bar.name, bar.value) for bar in bars] == [
        ("before", 0.5),
        ("with everyone", 0.75),
        ("without person 1", 0.25),
        ("without person 2", 0.5),
    ]


def test_databases_have_three_bars_each_and_leave_out_the_worst_person():
    played = games("randomized-response(bits=2, keep=3/4)", "independent(3/4, 1/2)", "11")
    assert [float(d) for d in played.differences] == [0.15, 0.25]
    bars = [bar for _, group in chart(played).groups for bar in group]
    for name in ("before", "with everyone", "without person 2"):
        assert sum(bar.value for bar in bars if bar.name == name) == pytest.approx(1)
    assert len(bars) == 12


def test_of_many_databases_the_likeliest_are_charted_and_the_rest_together():
    groups = dict(chart(games("geometric(ratio=3/2, bits=5)", "uniform", "5")).groups)
    assert len(groups) == 16
    assert "11111" in groups
    assert list(groups)[-1] == "the other 17"
    for i in range(3):
        assert sum(bars[i].value for bars in groups.values()) == pytest.approx(1)


def test_an_undefined_posterior_is_said_to_be():
    played = games("identity(bits=2)", "uniform", "11", "1=1")
    [(_, bars)] = chart(played).groups
    assert [bar.name for bar in bars[2:]] == [
        f"without person {i}, undefined: impossible output" for i in (1, 2)
    ]
