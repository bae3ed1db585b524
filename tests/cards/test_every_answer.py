"""In a notebook every answer shows as a card: whatever explains itself has one."""

import importlib
import inspect
import pkgutil

import pytest

import twoworlds as tw
from twoworlds.cones import design, row_cone
from twoworlds.definitions.semantics.games import play
from twoworlds.definitions.trade_off import trade_off
from twoworlds.theorems import Guarantee
from twoworlds.worlds import Universe
from twoworlds.worlds.beliefs import belief

SURVEY = tw.mechanism("randomized-response(bits=2, keep=3/4)")
# Parts of an answer, which the answer shows, and settings.
PARTS = {
    "Cap",  # of a budget
    "FailingPair",
    "Group",
    "NormalFormProof",
    "OptimalityProof",
    "ParityBelief",
    "Proved",
    "Radius",
}


def classes():
    for module in pkgutil.walk_packages(tw.__path__, "twoworlds."):
        if module.name.endswith("__main__") or ".web" in module.name or ".spark" in module.name:
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if inspect.isclass(value) and value.__module__ == module.name:
                yield name, value


def test_whatever_explains_itself_has_a_card():
    missing = {
        name
        for name, value in classes()
        if "explain" in vars(value)
        and not hasattr(value, "_repr_html_")
        and not hasattr(value, "facts")  # a witness, which its verdict shows
        and not issubclass(value, Universe)
        and name not in PARTS
    }
    assert missing == set()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (tw.check(SURVEY, "dp(epsilon=1)"), "does not hold"),
        (tw.measure(SURVEY), "50% becomes at most 75%"),
        (tw.DifferentialPrivacy().profile(SURVEY), "3/4 - 1/4 a"),
        (tw.DifferentialPrivacy().profile(tw.mechanism("gaussian(sigma=1)")), "at ratio 1"),
        (trade_off(SURVEY, "11", "01"), "in at most 3% of the cases"),
        (trade_off(tw.mechanism("laplace(scale=1)"), 1, 0), "2.72% of the cases"),
        (play(SURVEY, belief("uniform", SURVEY.universe), "11"), "would differ by 1/4"),
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
        (row_cone("dp(ratio=2)", "bits(1)"), "x0 &lt;= 2 x1"),
        (row_cone("dp(ratio=2)", "bits(4)"), "16, bits(4)"),
        (design(row_cone("dp(ratio=2)", "integers(0, 1)"), "absolute"), "no mechanism"),
        (Guarantee.parse("dp(epsilon=1)").implies("semantic"), "Theorem 2.2"),
        (Guarantee.parse("dp(epsilon=inf)"), "no epsilon holds without a delta"),
        (tw.measure("random-index(records=2)"), "impossible in the other world"),
        (tw.measure(SURVEY, definition="mutual-information"), "nats"),
    ],
)
def test_a_card_without_a_picture_has_the_words(answer, told):
    shown = answer._repr_html_()
    assert told in shown
    assert "<svg" not in shown
