"""Cards and charts: how an answer looks in a notebook and on the page of a report.

A card is a piece of HTML with its styles inside, a chart is a piece of SVG in the text around it:
neither has a script, an identifier, or anything from elsewhere, so that any number of them stand on
one page. Every text is escaped here; a chart says its whole content in words too.

They take floats and texts, rounded by whoever calls: nothing is computed from what is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of

if TYPE_CHECKING:
    from twoworlds.cards.explained import Explained
    from twoworlds.cards.layout import Tone, card, heat_map, table
    from twoworlds.cards.lines import BLUE, GREY, ORANGE, Axis, Line, chart
    from twoworlds.cards.pictures import (
        Bar,
        Interval,
        belief_chart,
        interval_chart,
        odds_chart,
        profile_chart,
        trade_off_chart,
    )
    from twoworlds.cards.small import bars, dots, interval

__all__ = [
    "BLUE",
    "GREY",
    "ORANGE",
    "Axis",
    "Bar",
    "Explained",
    "Interval",
    "Line",
    "Tone",
    "bars",
    "belief_chart",
    "card",
    "chart",
    "dots",
    "heat_map",
    "interval",
    "interval_chart",
    "odds_chart",
    "profile_chart",
    "table",
    "trade_off_chart",
]

# Where each name is found when it is first used: a release draws nothing, and should not wait.
_PLACES = {
    "explained": ("Explained",),
    "layout": ("Tone", "card", "heat_map", "table"),
    "lines": ("BLUE", "GREY", "ORANGE", "Axis", "Line", "chart"),
    "pictures": (
        "Bar",
        "Interval",
        "belief_chart",
        "interval_chart",
        "odds_chart",
        "profile_chart",
        "trade_off_chart",
    ),
    "small": ("bars", "dots", "interval"),
}

__getattr__, __dir__ = names_of(__name__, _PLACES)
