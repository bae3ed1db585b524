"""Cards and charts: every text is escaped, nothing comes from elsewhere, and nothing has a name."""

import math
import re
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from twoworlds.cards import (
    Axis,
    Bar,
    Explained,
    Interval,
    Line,
    bars,
    belief_chart,
    card,
    chart,
    dots,
    heat_map,
    interval,
    interval_chart,
    odds_chart,
    profile_chart,
    table,
    trade_off_chart,
)
from twoworlds.cards.layout import explained

HOSTILE = "</svg><script>alert('x')</script>\"&"
CHARTS = {
    "odds": odds_chart([(HOSTILE, 3.0), ("any", 9.0)], HOSTILE),
    "odds with delta": odds_chart([("at most", 2.0)], HOSTILE, delta=0.1),
    "profile": profile_chart([(1.0, 0.5), (3.0, 0.0)], HOSTILE),
    "long profile": profile_chart([(1.0, 0.5), (1e6, 0.1), (1e9, 0.0)], HOSTILE),
    "flat profile": profile_chart([(1.0, 0.0)], HOSTILE),
    "trade-off": trade_off_chart([(0, 1), (0.25, 0.25), (1, 0)], HOSTILE),
    "beliefs": belief_chart(HOSTILE, [(HOSTILE, [Bar(HOSTILE, 0.3), Bar("b", 1.0)])], HOSTILE),
    "intervals": interval_chart(
        HOSTILE, [Interval(HOSTILE, 5, 4, 6), Interval("b", -3, None, None)], HOSTILE
    ),
    "one number": interval_chart("one", [Interval("a", 0, 0, 0)], HOSTILE),
    "many": interval_chart("many", [Interval(str(i), i, i - 1, i + 1) for i in range(99)], "x"),
}


class Tags(HTMLParser):
    """Collects the tags, and fails on those that are not closed."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.attributes, self.texts = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def read(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    tags.close()
    assert tags.open == []
    return tags


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_whole_escaped_and_has_no_identifier(name):
    tags = read(CHARTS[name])
    assert "script" not in tags.seen
    assert {"id", "href", "src", "xlink:href"}.isdisjoint(key for key, _ in tags.attributes)
    assert ("role", "img") in tags.attributes
    assert "nan" not in CHARTS[name]
    assert "inf" not in CHARTS[name]


SMALL = {
    "bars": bars(HOSTILE, {HOSTILE: 0.25, "b": 1}, orange=[HOSTILE], mark=(HOSTILE, 0.5)),
    "signed bars": bars("signed", {"a": -1, "b": 3}, share=False),
    "no bound": bars("none", {"a": 1, "b": math.inf, "c": Fraction(10) ** 400}, share=False),
    "zero": bars("zero", {"a": 0}, share=False),
    "dots": dots(HOSTILE, (HOSTILE, "b"), {HOSTILE: (0.5, 0.25)}),
    "many dots": dots("many", ("a", "b"), {str(i): (0, i) for i in range(99)}, share=False),
    "ends": interval(HOSTILE, 1, 2),
    "one end": interval("epsilon", 2, mark=(HOSTILE, 1)),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_small_picture_is_whole_escaped_and_named(name):
    tags = read(SMALL[name])
    assert "script" not in tags.seen
    assert tags.seen[:2] == ["svg", "title"]
    assert ("role", "img") in tags.attributes
    assert "nan" not in SMALL[name]
    assert "inf" not in SMALL[name]


@pytest.mark.parametrize("name", [name for name in CHARTS if name != "many"])
def test_a_chart_says_in_words_what_it_shows(name):
    [label] = [value for key, value in read(CHARTS[name]).attributes if key == "aria-label"]
    assert label.endswith(HOSTILE)


def test_points_are_drawn_where_the_axes_put_them():
    x, y = Axis("x", 0, 10, [(0, "0"), (10, "10")]), Axis("y", 1, 100, [], logarithmic=True)
    drawn = chart("t", "w", x, y, [Line("", [(0, 1), (5, 10), (10, 100), (99, 1e9)])], width=586)
    [points] = re.findall(r'<polyline points="([^"]*)"', drawn)
    first, middle, last, beyond = ([float(v) for v in p.split(",")] for p in points.split())
    between = [(a + b) / 2 for a, b in zip(first, last, strict=True)]
    assert middle == pytest.approx(between, abs=0.1)
    assert beyond == last  # what lies beyond the axes stays at their ends


def test_the_curve_of_odds_passes_through_the_posterior():
    drawn = odds_chart([("r", 3.0)], "w")
    [points] = re.findall(r'<polyline points="([^"]*)" fill="none" stroke="#0072b2"', drawn)
    places = [[float(v) for v in p.split(",")] for p in points.split()]
    (left, bottom), (right, top) = places[0], places[-1]
    x, y = places[50]  # a belief of one half becomes three quarters
    assert (x - left) / (right - left) == pytest.approx(0.5, abs=0.001)
    assert (bottom - y) / (bottom - top) == pytest.approx(0.75, abs=0.001)


def test_a_card_escapes_everything_but_what_is_put_inside():
    made = card(
        HOSTILE,
        badge=HOSTILE,
        tone="bad",
        sentences=[HOSTILE],
        facts=[(HOSTILE, HOSTILE)],
        inside=["<hr>"],
        notes=[HOSTILE],
    ).replace("<hr>", "")
    tags = read(made)
    assert "script" not in tags.seen
    assert tags.texts.count(HOSTILE) == 6


def test_a_long_table_is_cut_and_says_so():
    made = table(("n",), [(str(i),) for i in range(100)])
    assert made.count("<tr>") == 1 + 40 + 1
    assert "and 60 more" in made


def widths(drawn: str) -> list[float]:
    return [float(w) for w in re.findall(r'<rect [^>]*width="([^"]*)"', drawn)]


def test_bars_are_as_long_as_their_numbers():
    half, whole = widths(bars("t", {"a": 0.5, "b": 1}))
    assert half == pytest.approx(whole / 2, abs=0.1)
    low, high = widths(bars("t", {"a": -20, "b": 60}, share=False))
    assert 3 * low == pytest.approx(high, abs=0.2)
    [zoomed] = widths(bars("t", {"a": 0.1}, top=0.1))
    assert zoomed == pytest.approx(whole, abs=0.1)
    quarter, full = widths(bars("t", {"a": 2, "b": math.inf}, share=False, mark=("m", 8)))
    assert 4 * quarter == pytest.approx(full, abs=0.3)


def test_small_pictures_say_their_numbers_in_words():
    drawn = bars("Right", {"a": 0.5, "b": 0.99999}, mark=("a coin", 0.5))
    assert 'aria-label="Right. a: 50%; b: almost 100%; a coin: 50%"' in drawn
    drawn = dots("Chance", ("with you", "without you"), {"a match": (0.75, 0.25)})
    assert 'aria-label="Chance. a match: with you 75%, without you 25%"' in drawn
    assert 'aria-label="epsilon. from 1 to 2; claimed 3"' in interval(
        "epsilon", 1, 2, mark=("claimed", 3)
    )
    assert "no bound" in bars("t", {"a": math.inf}, share=False)


@pytest.mark.parametrize(
    ("value", "side", "share", "said"),
    [
        (0.07, "up", True, "7%"),
        (0.5625, "near", True, "56.3%"),
        (0.62241, "up", True, "62.3%"),
        (0.62291, "down", True, "62.2%"),
        (0.3, "down", True, "30%"),
        (0, "up", True, "0%"),
        (1234567, "near", False, "1,234,567"),
        (-1.8349, "near", False, "-1.83"),
        (2e-7, "near", False, "2e-7"),
        (Fraction(1, 10**9), "up", True, "1e-7%"),
        (100, "near", False, "100"),
    ],
)
def test_numbers_are_rounded_to_the_side_that_does_not_flatter(value, side, share, said):
    drawn = bars("t", {"a": value}, side=side, share=share)
    assert f'aria-label="t. a: {said}"' in drawn


def test_of_many_bars_and_dots_the_first_are_drawn():
    assert len(widths(bars("t", {str(i): 0.5 for i in range(99)}))) == 12
    assert "and 87 more" in bars("t", {str(i): 0.5 for i in range(99)})
    assert "and 87 more" in SMALL["many dots"]
    assert bars("t", {}) == dots("t", ("a", "b"), {}) == ""


def test_a_heat_map_is_shaded_by_sign_and_size_and_cut():
    drawn = heat_map(HOSTILE, [HOSTILE], [(HOSTILE, [("1/2", 0.5)]), ("b", [("-1", -1.0)])])
    assert "script" not in read(drawn).seen
    assert "rgba(0,114,178,0.275)" in drawn
    assert "rgba(213,94,0,0.550)" in drawn
    assert "and 60 more" in heat_map("c", ["x"], [("r", [("1", 1.0)])] * 100)


@pytest.mark.parametrize(
    ("text", "above"),
    [
        ("yes\n  because", "yes"),
        ("the table holds. It is so.", "The table holds."),
        ("dp(epsilon=1) implies it. So it is.", "dp(epsilon=1) implies it."),
        (f"it holds; {'because ' * 40}", "It holds."),
    ],
)
def test_an_explanation_has_its_first_sentence_above(text, above):
    assert f"<b>{above}</b>" in explained(text)


def test_an_explanation_has_no_long_sentence_above():
    assert "<b>" not in explained("yes " * 50 + "\nbecause")
    assert explained("").startswith("<div")


def test_whatever_explains_itself_gets_a_card_with_its_picture():
    class Answer(Explained):
        def explain(self) -> str:
            return "so & so"

        def picture(self) -> str:
            return "<svg></svg>"

    assert "So &amp; so" in Answer()._repr_html_()
    assert "<svg></svg>" in Answer()._repr_html_()
    with pytest.raises(NotImplementedError):
        Explained().explain()
