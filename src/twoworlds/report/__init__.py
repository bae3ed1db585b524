"""Pictures of answers, drawn only when asked: one module for each kind, all saved by `save`.

>>> from twoworlds.theorems import Guarantee
>>> figure = draw_odds(Guarantee.parse("dp(epsilon=1)"))  # then: save(figure, "odds.svg")

Needs the extra ``twoworlds[pictures]``; matplotlib is imported when the first picture is drawn.
"""

from __future__ import annotations

from twoworlds.report.exponential import draw_exponential
from twoworlds.report.games import draw_games
from twoworlds.report.noise import draw_densities
from twoworlds.report.odds import draw_odds
from twoworlds.report.profile import draw_profile
from twoworlds.report.trade_off import draw_trade_off
from twoworlds.show.figure import save, svg

__all__ = [
    "draw_densities",
    "draw_exponential",
    "draw_games",
    "draw_odds",
    "draw_profile",
    "draw_trade_off",
    "save",
    "svg",
]
