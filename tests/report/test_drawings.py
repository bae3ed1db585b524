"""What is drawn is what is true: the data of every picture against exact numbers."""

from fractions import Fraction
from itertools import product

import pytest

from twoworlds import DifferentialPrivacy, mechanism
from twoworlds import check as check_claim
from twoworlds import measure as measure_it
from twoworlds.definitions.semantics.games import play
from twoworlds.definitions.trade_off import trade_off
from twoworlds.definitions.verdict import agree
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.report import draw_games, draw_odds, draw_profile, draw_trade_off, svg
from twoworlds.report.games import bars_of_databases, bars_of_secret
from twoworlds.report.profile import corners, samples
from twoworlds.theorems import Guarantee
from twoworlds.theorems.words import table
from twoworlds.worlds.beliefs import belief
from twoworlds.worlds.secret import secret

HALF = Fraction(1, 2)


def lines(figure) -> dict[str, tuple[list[float], list[float]]]:
    """The named lines of the only axes."""
    [axes] = figure.axes
    return {
        line.get_label(): (list(line.get_xdata()), list(line.get_ydata()))
        for line in axes.lines
        if not line.get_label().startswith("_")
    }


def texts(figure) -> list[str]:
    [axes] = figure.axes
    return [text.get_text() for text in axes.texts]


# --- odds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", ["3", "2", "101/100", "1000"])
def test_the_two_curves_are_bayes_with_odds_times_r_and_r_squared(ratio):
    drawn = lines(draw_odds(Guarantee.parse(f"dp(ratio={ratio})")))
    for name, factor in (
        ("knows all others", Fraction(ratio)),
        ("any belief", Fraction(ratio) ** 2),
    ):
        xs, ys = drawn[name]
        assert (xs[0], ys[0], xs[-1], ys[-1]) == (0, 0, 1, 1)
        for x, y in zip(xs[1:-1], ys[1:-1], strict=True):
            w = Fraction(x).limit_denominator(1000)
            odds = w / (1 - w) * factor
            assert y == pytest.approx(float(odds / (1 + odds)), rel=1e-14)


def test_the_dots_are_the_rows_of_the_table_of_explain():
    guarantee = Guarantee.parse("dp(epsilon=1/2)")
    drawn, rows = lines(draw_odds(guarantee)), table(guarantee)
    assert drawn["knows all others: dots"] == (
        [0.01, 0.1, 0.5],
        pytest.approx([float(row.known_others) for row in rows], rel=1e-14),
    )
    assert drawn["any belief: dots"][1] == pytest.approx([float(row.any_belief) for row in rows])
    said = texts(draw_odds(guarantee))
    assert {"1.64%", "2.68%", "15.5%", "23.2%", "62.3%", "73.2%"} <= set(said)


def test_the_diagonal_is_learning_nothing_and_ratio_one_lies_on_it():
    drawn = lines(draw_odds(Guarantee.parse("dp(ratio=1)")))
    assert drawn["learns nothing"] == ([0, 1], [0, 1])
    assert drawn["any belief"][0] == pytest.approx(drawn["any belief"][1], rel=1e-15)


def test_semantic_privacy_adds_its_epsilon_up_to_certainty():
    figure = draw_odds(Guarantee.parse("semantic(epsilon=1/5, delta=1/100)"))
    xs, ys = lines(figure)["any belief"]
    assert ys == pytest.approx([min(1, x + 0.2) for x in xs])
    assert "except with probability 0.01" in figure.get_label()


def test_with_delta_the_definition_itself_is_drawn():
    figure = draw_odds(Guarantee.parse("dp(ratio=2, delta=1/100)"))
    xs, ys = lines(figure)["at most"]
    assert ys == pytest.approx([min(1, 2 * x + 0.01) for x in xs])
    assert "no difference" in lines(figure)


def test_groups_have_the_one_curve_that_their_sentence_speaks_of():
    drawn = lines(draw_odds(Guarantee.parse("dp(ratio=3, group=2)")))
    assert drawn["at most: dots"][1] == pytest.approx([3 / 102, 1 / 4, 3 / 4])
    assert "any belief" not in drawn


def test_people_who_come_and_go_have_both_curves():
    drawn = lines(draw_odds(Guarantee.parse("dp(ratio=3, neighbours=add-remove)")))
    assert drawn["knows all others: dots"][1] == pytest.approx([3 / 102, 1 / 4, 3 / 4])
    assert drawn["any belief: dots"][1] == pytest.approx([9 / 108, 1 / 2, 9 / 10])


def test_a_verdict_is_drawn_with_its_own_numbers_and_assumptions():
    survey = mechanism("randomized-response(bits=2, keep=3/4)")
    verdict = measure_it(survey)
    figure = draw_odds(verdict)
    assert lines(figure)["at most: dots"][1][-1] == 0.75
    assert figure.get_label() == verdict.sentence
    assert any(verdict.assumptions[0] in " ".join(t.get_text().split()) for t in figure.texts)
    refuted = check_claim(survey, "dp(ratio=2)")
    xs, ys = lines(draw_odds(refuted))["at most"]
    assert ys == pytest.approx([min(1, 2 * x + float(refuted.delta)) for x in xs])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dp(epsilon=inf)", "an infinite ratio bounds no belief"),
        ("dp(epsilon=inf, delta=1/4)", "ask for the ratio at a delta"),
        ("statistical-difference(epsilon=1/4)", "dp and semantic have one"),
    ],
)
def test_what_bounds_no_belief_has_no_picture(text, said):
    with pytest.raises(Unsupported, match=said):
        draw_odds(Guarantee.parse(text))


def test_a_verdict_without_a_ratio_has_no_picture():
    verdict = measure_it(mechanism("parity(bits=2)"), definition="statistical-difference")
    with pytest.raises(Unsupported, match="measure or check dp"):
        draw_odds(verdict)


# --- trade-off ----------------------------------------------------------------------------------


def test_the_curve_is_that_of_the_best_tests_by_enumeration():
    coin = mechanism("randomized-response(bits=2, keep=3/4)")
    xs, ys = lines(draw_trade_off(trade_off(coin, "11", "00")))["best test"]
    law = {
        o: (coin.probability(o, (1, 1)), coin.probability(o, (0, 0)))
        for o in product((0, 1), (0, 1))
    }
    ranked = sorted(law.values(), key=lambda pair: -pair[0] / pair[1])
    alarms = [(Fraction(0), Fraction(1))]
    for p, q in ranked:
        alarms.append((alarms[-1][0] + q, alarms[-1][1] - p))
    drawn = set(zip(xs, ys, strict=True))
    assert drawn <= {(float(level), float(miss)) for level, miss in alarms}
    assert drawn == {(0, 1), (1 / 16, 7 / 16), (7 / 16, 1 / 16), (1, 0)}


def test_the_bound_of_equation_four_starts_along_the_curve():
    drawn = lines(draw_trade_off(trade_off(mechanism("geometric(ratio=2)"), "0", "3")))
    assert drawn["bound"] == ([0, 1 / 8], [1, 0])
    assert drawn["blind guessing"] == ([0, 1], [1, 0])


def test_a_claimed_bound_may_be_drawn_instead():
    curve = trade_off(mechanism("geometric(ratio=2)"), "0", "1")
    drawn = lines(draw_trade_off(curve, ratio="4", delta="1/2"))
    assert drawn["bound"] == ([0, 1 / 8], [1 / 2, 0])
    with pytest.raises(InvalidInput, match="at least 1"):
        draw_trade_off(curve, ratio="1/2")


def test_sure_alarms_are_the_delta_of_the_bound():
    index = mechanism("random-index(records=4)")
    curve = trade_off(index, "0000", "0001")
    drawn = lines(draw_trade_off(curve))
    assert drawn["bound"] == ([0, 0.75], [0.75, 0])
    figure = draw_trade_off(curve, delta=0)
    assert "no ratio bounds it" in texts(figure)
    revealed = draw_trade_off(trade_off(mechanism("identity(bits=1)"), "1", "0"))
    assert lines(revealed)["best test"] == ([0, 1], [0, 0])
    svg(revealed)


# --- profile ------------------------------------------------------------------------------------


def test_the_corners_of_a_profile_lie_on_it():
    pair = mechanism(
        "pair(randomized-response(bits=1, keep=3/4), randomized-response(bits=1, keep=2/3))"
    )
    profile = DifferentialPrivacy().profile(pair)
    found = corners(profile)
    assert found == [(1, HALF), (Fraction(3, 2), Fraction(3, 8)), (6, 0)]
    assert all(profile(ratio) == delta for ratio, delta in found)
    figure = draw_profile(profile, source="a pair")
    assert lines(figure)["corners"] == ([1, 1.5, 6], [0.5, 0.375, 0])
    assert "0.375 at ratio 1.5" in texts(figure)


def test_a_long_profile_is_drawn_on_a_logarithmic_scale_and_stays_true():
    profile = DifferentialPrivacy().profile(mechanism("randomized-response(bits=1, keep=999/1000)"))
    figure = draw_profile(profile, source="")
    assert figure.axes[0].get_xscale() == "log"
    for x, y in zip(*lines(figure)["delta"], strict=True):
        assert y == pytest.approx(max(0, 0.999 - x * 0.001), abs=1e-12)


def test_a_profile_that_stays_up_is_flat():
    profile = DifferentialPrivacy().profile(mechanism("random-index(records=4)"))
    figure = draw_profile(profile, source="")
    assert set(lines(figure)["delta"][1]) == {0.25}
    assert texts(figure) == ["0.25 at every ratio"]
    assert "however large the ratio" in figure.get_label()


def test_a_profile_of_infinitely_many_pieces_is_sampled():
    profile = DifferentialPrivacy().profile(mechanism("laplace(scale=1)"))
    found = samples(profile)
    assert found[-1].delta == 0
    assert all(agree(profile(ratio), delta) for ratio, delta in found[:5])
    xs, ys = lines(draw_profile(profile, source=""))["delta"]
    for x, y in zip(xs, ys, strict=True):  # 1 - e^((epsilon - 1) / 2)
        assert y == pytest.approx(max(0, 1 - (x / 2.718281828459045) ** 0.5), abs=1e-12)


# --- games --------------------------------------------------------------------------------------


def games(text: str, prior: str, output: str, default: str | None = None):
    built = mechanism(text)
    return play(built, belief(prior, built.universe), output, default=default)


def test_the_bars_of_a_secret_are_the_chances_of_the_games():
    played = games("noisy-parity(bits=2, keep=3/4)", "explicit(11=1/2, 10=1/2)", "1", "0")
    parity = secret("parity", played.mechanism.universe)
    assert bars_of_secret(played, parity) == [
        ("", "before", HALF),
        ("", "with everyone", Fraction(3, 4)),
        ("", "without person 1", Fraction(1, 4)),
        ("", "without person 2", HALF),
    ]
    figure = draw_games(played, parity)
    widths = [patch.get_width() for patch in figure.axes[0].patches]
    assert widths == [0.5, 0.75, 0.25, 0.5]
    assert "parity is odd" in figure.get_suptitle()


def test_databases_have_three_bars_each_and_leave_out_the_worst_person():
    played = games("randomized-response(bits=2, keep=3/4)", "independent(3/4, 1/2)", "11", "0")
    assert [float(d) for d in played.differences] == [0.15, 0.25]
    bars = bars_of_databases(played)
    assert {bar.world for bar in bars} == {"before", "with everyone", "without person 2"}
    for name in ("before", "with everyone", "without person 2"):
        assert sum(bar.chance for bar in bars if bar.world == name) == 1
    assert {b.world for b in bars_of_databases(played, person=1)} >= {"without person 1"}
    with pytest.raises(InvalidInput, match="person=3: there are 2"):
        draw_games(played, person=3)


def test_of_many_databases_the_likeliest_are_shown_and_the_rest_together():
    played = games("geometric(ratio=3/2, bits=5)", "uniform", "5", "0")
    bars = bars_of_databases(played)
    groups = list(dict.fromkeys(bar.group for bar in bars))
    assert len(groups) == 16
    assert groups[-1] == "the other 17"
    assert "11111" in groups
    for name in {bar.world for bar in bars}:
        assert sum(bar.chance for bar in bars if bar.world == name) == 1
    shown = [bar.chance for bar in bars if bar.world == "with everyone"]
    assert [patch.get_width() for patch in draw_games(played).axes[0].patches][1::3] == [
        float(chance) for chance in shown
    ]


def test_an_undefined_posterior_is_said_to_be():
    played = games("identity(bits=2)", "uniform", "11", "0")
    figure = draw_games(played, secret("1=1", played.mechanism.universe))
    assert texts(figure)[2:] == ["undefined: impossible output"] * 2
    assert "without person 1 undefined" in figure.get_label()
    assert bars_of_databases(played)[2].chance is None
    svg(draw_games(played))
