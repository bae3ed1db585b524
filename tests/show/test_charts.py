"""Every kind of chart, of hostile texts and extreme numbers: whole, escaped, said in words."""

import math
from fractions import Fraction

import pytest

from tests.show.reading import read
from twoworlds.answer import Answer, Said
from twoworlds.charts import (
    BLUE,
    GREY,
    Bar,
    Bars,
    Dots,
    ErrorBar,
    GroupedBars,
    HeatMap,
    Icons,
    Intervals,
    Span,
    odds,
    profile,
    trade_off,
)
from twoworlds.show.figure import figure
from twoworlds.show.html import card, chart
from twoworlds.show.terminal import print_answer
from twoworlds.show.text import text

HOSTILE = '<script>alert("\'&")</script>'
CHARTS = {
    "bars": Bars(HOSTILE, {HOSTILE: 0.25, "b": 1}, orange=[HOSTILE], mark=(HOSTILE, 0.5)),
    "signed bars": Bars("signed", {"a": -1, "b": 3}, share=False),
    "no bound": Bars("none", {"a": 1, "b": math.inf, "c": Fraction(10) ** 400}, share=False),
    "dots": Dots(HOSTILE, (HOSTILE, "b"), {HOSTILE: (0.5, 0.25)}),
    "span": Span(HOSTILE, 1, 2, mark=(HOSTILE, 1)),
    "open span": Span("from", 1),
    "groups": GroupedBars(HOSTILE, [(HOSTILE, [Bar(HOSTILE, 0.5)])], HOSTILE),
    "intervals": Intervals(HOSTILE, [ErrorBar(HOSTILE, 1, 0, 2), ErrorBar("b", 1, None, None)], ""),
    "icons": Icons(HOSTILE, 62, 50, 100, HOSTILE),
    "odds": odds([(HOSTILE, 3.0)], HOSTILE),
    "events": odds([(HOSTILE, 3.0)], HOSTILE, delta=0.1),
    "profile": profile([(1.0, 0.5), (3.0, 0.0)], HOSTILE),
    "long profile": profile([(1.0, 1.0), (1e9, 0.5)], HOSTILE),
    "trade-off": trade_off([(0, 1), (0.5, 0.25), (1, 0)], HOSTILE),
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_whole_escaped_and_has_no_identifier(name):
    drawn = chart(CHARTS[name])
    tags = read(drawn)
    assert "script" not in tags.seen
    assert {"id", "href", "src", "xlink:href"}.isdisjoint(key for key, _ in tags.attributes)
    assert ("role", "img") in tags.attributes
    assert "nan" not in drawn
    assert "inf" not in drawn.replace("information", "")


def test_icons_are_as_many_as_they_say_in_svg_text_and_terminal(capsys):
    """Grey without the data, blue with it, and the rest outlined."""
    drawn = chart(Icons("right", 62, 50, 100, "words"))
    counts = [drawn.count(f'fill="{colour}"') for colour in (GREY, BLUE)]
    assert [*counts, drawn.count('fill="none"')] == [50, 12, 38]
    said = Answer("It is so.", blocks=[Icons("right", 62, 50, 100, "")], more=[Said(["Behind."])])
    print_answer(said, more=True)
    for shown in (text(said, more=True), capsys.readouterr().out):
        assert [shown.count(mark) for mark in "○●·"] == [50, 12, 38]
        assert "right: 62 of 100, 50 of them without your data" in shown
        assert "Behind." in shown


def test_more_is_folded_on_a_card_and_left_out_elsewhere_until_asked_for(capsys):
    said = Answer("It is so.", blocks=[Icons("right", 62, 50, 100, "")], more=[Said(["Behind."])])
    assert "<details><summary>More</summary>" in card(said)
    assert "Behind." in card(said).partition("<details>")[2].partition("</details>")[0]
    print_answer(said)
    shown = capsys.readouterr().out
    assert shown.endswith("More: add --more.\n")
    for one in (text(said), shown):
        assert "Behind." not in one
        assert "●" not in one


def test_a_heat_map_is_a_table_that_escapes():
    tags = read(chart(HeatMap(HOSTILE, [HOSTILE], [(HOSTILE, [(HOSTILE, -1.0)])])))
    assert "script" not in tags.seen
    assert "caption" in tags.seen


@pytest.mark.parametrize("name", [name for name in CHARTS if name != "no bound"])
def test_a_chart_becomes_a_figure(name):
    drawn = figure(Answer("It is so.", blocks=[CHARTS[name]]))
    assert drawn.get_axes()
