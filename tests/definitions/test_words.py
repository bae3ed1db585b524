"""The sentences say what is true: their numbers are recomputed from Bayes' rule."""

from fractions import Fraction

import pytest
from hypothesis import given

import twoworlds as tw
from twoworlds import BitStrings
from twoworlds.definitions.words import Subject, largest_posterior, odds_sentences, percent
from twoworlds.mechanisms.float_matrix import FloatMatrix
from twoworlds.numbers import Real
from twoworlds.testing.strategies import dense_mechanisms, probabilities, ratios

PERSON = Subject.of(1)


@given(dense_mechanisms(BitStrings(1)), probabilities())
def test_no_posterior_exceeds_the_one_that_the_ratio_allows(mechanism, prior):
    bound = largest_posterior(prior, tw.measure(mechanism).ratio)
    for output in mechanism.outputs:
        row = mechanism.row(output)
        for x, y in (((1,), (0,)), ((0,), (1,))):
            total = prior * row[x] + (1 - prior) * row[y]
            assert total == 0 or prior * row[x] / total <= bound or prior == 0


@given(probabilities(), ratios())
def test_the_largest_posterior_multiplies_the_odds(prior, ratio):
    after = largest_posterior(prior, ratio)
    assert after * (1 - prior) == ratio * prior * (1 - after)


@pytest.mark.parametrize(
    ("text", "options", "part"),
    [
        ("constant(bits=2)", {}, "says nothing about your record"),
        ("identity(bits=2)", {}, "With probability 1 the output can be one that is impossible"),
        ("gaussian(sigma=1)", {}, "by any factor, however large"),
        (
            "randomized-response(bits=2, keep=3/4)",
            {"ratio": 2},
            "happens with probability at most 45%",
        ),
        ("randomized-response(bits=2, keep=3/4)", {"group": 2}, "but those of 2 people"),
        ("randomized-response(bits=2, keep=3/4)", {"neighbours": "11~00"}, "one of two listed"),
        ("identity(bits=2)", {"ratio": 5}, "happens with probability at most 100%"),
        ("randomized-response(bits=2, keep=3/4)", {"ratio": "inf"}, "at most 3 to 1"),
        ("identity(bits=2)", {"delta": "1/10"}, "With probability 1 the output"),
        ("gaussian(1e-6)", {"ratio": 2}, "plus about 1)"),
        ("randomized-response(bits=3, epsilon=1000)", {}, "1% at most just below 100%"),
        ("geometric(ratio=2)", {"neighbours": "add-remove"}, "your being in the data or not"),
    ],
)
def test_each_kind_of_answer_has_its_sentence(text, options, part):
    assert part in " ".join(tw.measure(text, **options).more)


@given(dense_mechanisms(BitStrings(1)), ratios())
def test_an_event_of_ten_percent_becomes_no_likelier_than_stated(mechanism, ratio):
    delta = tw.measure(mechanism, ratio=ratio).delta
    stated = min(Fraction(1), ratio / 10 + delta)
    if delta:
        assert f"at most {percent(stated)} " in odds_sentences(PERSON, ratio, delta)[0]


def test_an_enclosure_that_touches_certainty_is_still_put_into_words():
    """0.1 + 0.9 in floats: whether it exceeds 1 is not known, and does not matter."""
    rows = [[0.95, 0.05], [0.05, 0.95]]
    floats = FloatMatrix(BitStrings(1), tw.Universe.of("ab"), rows)
    assert "at most 100%" in tw.measure(floats, ratio=1).more[0]
    touching = Real.between(
        Fraction(9, 10) - Fraction(1, 10**9), Fraction(9, 10) + Fraction(1, 10**9)
    )
    assert "at most 100%" in odds_sentences(PERSON, Fraction(1), touching)[0]


def test_add_remove_speaks_of_presence_and_not_of_two_values():
    """Two values are two steps apart, so the odds between them may move by the square."""
    people = tw.Records(["a", "b"], 1, smallest=0)
    rows = [["127/500", "1/10", "17/100"], ["373/500", "9/10", "83/100"]]
    dense = tw.Dense(people, tw.universe("points([low, high])"), rows)
    verdict = tw.measure(dense, neighbours="add-remove")
    assert verdict.ratio == Fraction(17, 10)
    assert "whether each is in the data" in verdict.sentence
    assert "two possible values" not in verdict.more[0]
    assert "in the data or not" in verdict.more[0]
