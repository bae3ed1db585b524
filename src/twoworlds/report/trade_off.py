"""A picture of a hypothesis test: misses (type II errors) against false alarms (type I errors).

The curve is the best that any test can do to tell two databases, or values of one record, apart;
tests above it exist, tests below it do not. Next to it stands the bound of Kasiviswanathan & Smith,
equation 4, with delta:

    misses >= 1 - delta - a (false alarms),

by default for the smallest a with which it holds at the curve's own delta (its power at level 0):
the bound then touches the curve along its first piece.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from twoworlds.definitions.record_trade_off import RecordTradeOff
from twoworlds.definitions.trade_off import TradeOff, misses
from twoworlds.laws.comparison import larger
from twoworlds.numbers import INFINITY, Number, below, decimal, probability, ratio_at_least_one
from twoworlds.show.figure import BLUE, GREY, INK, ORANGE, canvas, percent_axis, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import LineStyleType

__all__ = ["draw_trade_off"]

_DASHED: LineStyleType = (0, (5, 1.6))
_QUARTERS = [0, 0.25, 0.5, 0.75, 1]
_STEPS = 60
# Denser near 0, where a curve without corners is steepest.
_GRID = [Fraction(k * k, _STEPS * _STEPS) for k in range(_STEPS + 1)]


def draw_trade_off(
    curve: TradeOff | RecordTradeOff, *, ratio: object = None, delta: object = None
) -> Figure:
    """Draw the curve of the best tests, the bound of a ratio and a delta, and blind guessing.

    Args:
        curve: from `trade_off` or `record_trade_off` in `twoworlds.definitions`.
        ratio: of the bound; the smallest one that holds for this pair if left out.
        delta: of the bound; the power without false alarms if left out, or 0 next to a ratio.
    """
    a, d = _bound(curve, ratio, delta)
    bounded = d != 1
    with style():
        figure, axes = canvas(
            f"The best test for {curve.title}",
            curve.explain(),
            curve.mechanism.expression
            + ("; dashed: Kasiviswanathan & Smith, equation 4" if bounded else ""),
            words=f"{curve.explain()} {_in_words(a, d)}",
        )
        axes.set(xlim=(0, 1), ylim=(0, 1))
        axes.set(xlabel="false alarms (type I errors)", ylabel="misses (type II errors)")
        percent_axis(axes.xaxis, _QUARTERS)
        percent_axis(axes.yaxis, _QUARTERS)
        axes.plot([0, 1], [1, 0], color=GREY, linewidth=1, label="blind guessing")
        drawn = curve.corners or curve.points(_GRID)
        levels = [below(corner.level) for corner in drawn]
        missed = [below(misses(corner.power)) for corner in drawn]
        axes.fill_between(levels, missed, [1 - z for z in levels], color=BLUE, alpha=0.09, lw=0)
        if bounded:
            ends = _ends(a, d)
            axes.plot(
                *ends, color=ORANGE, linestyle=_DASHED, linewidth=1.3, label="bound", zorder=3
            )
        axes.plot(levels, missed, color=BLUE, linewidth=2.6, label="best test")
        _write_key(axes, a, d)
    return figure


def _bound(curve: TradeOff | RecordTradeOff, ratio: object, delta: object) -> tuple[Number, Number]:
    if ratio is not None:
        return ratio_at_least_one(ratio), probability(0 if delta is None else delta, "delta")
    if isinstance(curve, TradeOff) and not curve.corners:
        # The curve rises fastest at level 0, by the largest likelihood ratio.
        found = curve.forward.peak().ratio
        return found, Fraction(0) if delta is None else probability(delta, "delta")
    free = curve.corners[0].power
    d = free if delta is None else probability(delta, "delta")
    found = Fraction(1)
    for corner in curve.corners:
        if corner.level == 0:
            if larger(corner.power, d):
                return INFINITY, d
            continue
        slope = (corner.power - d) / corner.level
        found = slope if larger(slope, found) else found
    return found, d


def _ends(ratio: Number, delta: Number) -> tuple[list[float], list[float]]:
    """Return where the bound starts and where it reaches no misses."""
    start = 1 - delta
    reach = Fraction(0) if ratio == INFINITY else start / ratio
    return [0, below(reach)], [below(start), 0]


def _in_words(ratio: Number, delta: Number) -> str:
    if delta == 1:
        return "Nothing bounds it: a test can be right every time."
    if ratio == INFINITY:
        return "No ratio, however large, bounds it."
    return f"No test has fewer misses than {_formula(ratio, delta)}."


def _formula(ratio: Number, delta: Number) -> str:
    start = decimal(1 - delta, 3, "down")
    times = "" if ratio == 1 else f"{decimal(ratio, 4)} × "
    return f"{start} − {times}false alarms"


def _write_key(axes: Axes, ratio: Number, delta: Number) -> None:
    """Name the lines above the diagonal, where no best test ever comes."""
    lines: list[tuple[str, str, LineStyleType, float]] = [
        ("the best test", BLUE, "solid", 2.6),
        ("blind guessing", GREY, "solid", 1),
    ]
    if delta != 1:
        said = "no ratio bounds it" if ratio == INFINITY else f"bound: {_formula(ratio, delta)}"
        lines.insert(1, (said, ORANGE, _DASHED, 1.3))
    for row, (text, colour, dash, width) in enumerate(lines):
        y = 0.95 - 0.07 * row
        axes.plot([0.92, 0.99], [y, y], color=colour, linestyle=dash, linewidth=width)
        ink = INK if colour == GREY else colour
        axes.text(0.9, y, text, color=ink, ha="right", va="center")
