"""Cards and charts: every text is escaped, nothing comes from elsewhere, and nothing has a name."""

import re
from html.parser import HTMLParser

import pytest

from twoworlds.cards import (
    Axis,
    Bar,
    Explained,
    Interval,
    Line,
    belief_chart,
    card,
    chart,
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


def test_an_explanation_has_its_first_line_above_unless_it_is_long():
    assert "<b>yes</b>" in explained("yes\n  because")
    assert "<b>" not in explained("yes " * 50 + "\nbecause")


def test_whatever_explains_itself_gets_a_card_with_its_picture():
    class Answer(Explained):
        def explain(self) -> str:
            return "so & so"

        def picture(self) -> str:
            return "<svg></svg>"

    assert "so &amp; so" in Answer()._repr_html_()
    assert "<svg></svg>" in Answer()._repr_html_()
    with pytest.raises(NotImplementedError):
        Explained().explain()
