r"""A picture of the ratio e^epsilon and of its simple bounds (Wu, Appendix A and Figure 5).

    1 + x <= e^x                             for every x, with equality at 0 only
    e^x <= 1 + x + x^2 <= 1 + 2 x            for 0 <= x <= 1

So a small epsilon is, nearly, the share by which odds can grow. Beyond 1 the last two change
places.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from twoworlds.numbers import Number, above, decimal, exp
from twoworlds.show.figure import BLUE, GREY, INK, ORANGE, canvas, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.typing import LineStyleType

__all__ = ["EPSILONS", "Bounds", "bounds_at", "draw_exponential"]

EPSILONS = tuple(Fraction(x, 100) for x in (0, 1, 10, 25, 50, 75, 100))
_END, _STEPS = Fraction(5, 4), 50
_LOOKS: tuple[tuple[str, str, LineStyleType, float], ...] = (
    ("above_on_unit", INK, (0, (5, 1.6)), 1.3),
    ("above", ORANGE, (0, (5, 1.6)), 1.3),
    ("ratio", BLUE, "solid", 2.6),
    ("below", GREY, (0, (5, 1.6)), 1.3),
)
_NAMES = {"below": "1 + x", "ratio": "e^x", "above": "1 + x + x²", "above_on_unit": "1 + 2x"}


class Bounds(NamedTuple):
    """The ratio at one epsilon, with what bounds it.

    Attributes:
        epsilon: x.
        below: 1 + x.
        ratio: e^x.
        above: 1 + x + x^2, a bound up to x = 1.
        above_on_unit: 1 + 2 x, a coarser bound up to x = 1.
    """

    epsilon: Fraction
    below: Number
    ratio: Number
    above: Number
    above_on_unit: Number


def bounds_at(x: Fraction) -> Bounds:
    """Return the ratio and its bounds.

    >>> found = bounds_at(Fraction(1, 2))
    >>> found.below, found.above, found.above_on_unit
    (Fraction(3, 2), Fraction(7, 4), Fraction(2, 1))
    """
    ratio: Number = Fraction(1) if x == 0 else exp(x)
    return Bounds(x, 1 + x, ratio, 1 + x + x * x, 1 + 2 * x)


def draw_exponential() -> Figure:
    """Draw e^x between its bounds."""
    points = [bounds_at(_END * Fraction(k, _STEPS)) for k in range(_STEPS + 1)]
    half = bounds_at(Fraction(1, 2))
    with style():
        figure, axes = canvas(
            "What epsilon means as a factor",
            "Up to epsilon 1 the factor e^epsilon lies between 1 + epsilon and 1 + epsilon + "
            "epsilon²: a small epsilon is, nearly, the share by which odds can grow.",
            "Wu, Appendix A and Figure 5; beyond 1 the two upper bounds change places",
            words=f"At epsilon 0.5 the factor is {decimal(half.ratio, 4, 'about')}, between 1.5 "
            "and 1.75; at epsilon 1 it is "
            f"{decimal(bounds_at(Fraction(1)).ratio, 4, 'about')}, between 2 and 3.",
        )
        xs = [float(one.epsilon) for one in points]
        for name, colour, dash, width in _LOOKS:
            drawn = [above(getattr(one, name)) for one in points]
            axes.plot(xs, drawn, color=colour, linestyle=dash, lw=width, label=_NAMES[name])
        axes.axvline(1, color=GREY, linewidth=0.6, alpha=0.6)
        axes.set(xlim=(0, float(_END)), ylim=(1, 3.9))
        axes.set(xlabel="epsilon (x)", ylabel="factor on odds")
        axes.legend(frameon=False, loc="upper left", handlelength=3)
    return figure
