"""What stands on the cards of some answers, with a picture and without one."""

import pytest

import twoworlds as tw
from twoworlds.cones import design, row_cone
from twoworlds.definitions.semantics.games import play
from twoworlds.definitions.trade_off import trade_off
from twoworlds.theorems import Guarantee
from twoworlds.worlds.beliefs import belief

SURVEY = tw.mechanism("randomized-response(bits=2, keep=3/4)")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (tw.check(SURVEY, "dp(epsilon=1)"), "does not hold"),
        (tw.measure(SURVEY), "50% becomes at most 75%"),
        (tw.measure("random-index(records=2)"), "impossible in the other world"),
        (tw.measure(SURVEY, definition="semantic"), "computed without you"),
        (tw.measure(SURVEY, definition="informed"), "epsilon"),
        (tw.measure(SURVEY, definition="statistical-difference"), "the event"),
        (tw.mechanism("laplace(scale=1)"), "off by more than"),
        (tw.mechanism("gaussian(sigma=3)"), "off by more than"),
        (tw.mechanism("geometric(epsilon=1/1000)"), "Probability of the noise"),
        (tw.DifferentialPrivacy().profile(SURVEY), "3/4 - 1/4 a"),
        (tw.DifferentialPrivacy().profile(tw.mechanism("gaussian(sigma=1)")), "At ratio 1"),
        (trade_off(SURVEY, "11", "01"), "in at most 3% of the cases"),
        (trade_off(tw.mechanism("laplace(scale=1)"), 1, 0), "2.72% of the cases"),
        (play(SURVEY, belief("uniform", SURVEY.universe), "11"), "differs by 1/4"),
        (Guarantee.parse("dp(epsilon=1)"), "24.5 percentage points"),
        (Guarantee.parse("dp(epsilon=1, delta=1e-6)"), "probability"),
    ],
)
def test_a_card_has_the_words_and_the_picture(answer, told):
    shown = answer._repr_html_()
    assert told in shown
    assert shown.count("<svg") == 1


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (row_cone("dp(ratio=2)", "bits(2)"), "x10 &lt;= 2 x11"),
        (row_cone("dp(ratio=2)", "bits(4)"), "16 databases, bits(4)"),
        (design(row_cone("dp(ratio=2)", "integers(0, 1)"), "absolute"), "no mechanism"),
        (Guarantee.parse("dp(epsilon=1)").implies("semantic"), "Theorem 2.2"),
        (Guarantee.parse("dp(epsilon=inf)"), "no epsilon holds without a delta"),
        (tw.measure(SURVEY, definition="mutual-information"), "nats"),
        (tw.mechanism("discrete-gaussian(sigma=1000000)"), "integers()"),
    ],
)
def test_a_card_without_a_picture_has_the_words(answer, told):
    shown = answer._repr_html_()
    assert told in shown
    assert "<svg" not in shown
