"""A picture of reconstruction: the fraction of secret bits read back, against noise.

One line for each number of questions, from pale (few) to dark (many), and a dashed line for what
guessing gets. The scales of noise stand at equal distances, as they were tried; where the root of
the number of people lies between two of them, it is marked.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from twoworlds.attacks.reconstruction import Sweep
from twoworlds.numbers import decimal
from twoworlds.show.figure import BLUE, GREY, INK, PALE, canvas, percent_axis, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_sweep"]

_LOWEST = 0.4  # the axis begins a little below guessing
_FAINTEST = 0.3
_MARKERS = ("o", "s", "^", "D", "v", "P")


def draw_sweep(found: Sweep) -> Figure:
    """Draw the fraction of bits read back against noise, for each number of questions.

    >>> from twoworlds.attacks.reconstruction import sweep
    >>> draw_sweep(sweep(8, [16], [0, 4])).get_suptitle()
    'How much noise keeps 8 secret bits secret'
    """
    with style():
        figure, axes = canvas(
            f"How much noise keeps {found.rows} secret bits secret",
            "Each line: the share of bits read back from so many noisy sums over random subsets. "
            "More noise hides them, more sums undo that; guessing is what needs no answers at all.",
            f"{found.law} noise, decoded by {found.method}; means of {found.repeats} simulations, "
            f"seed {found.seed}",
            words=found.explain(),
        )
        _draw(axes, found)
    return figure


def _draw(axes: Axes, found: Sweep) -> None:
    places = list(range(len(found.noises)))
    lowest = min(_LOWEST, *(float(share) for line in found.right for share in line))
    axes.set(xlim=(-0.3, places[-1] + 0.3), ylim=(lowest, 1.02))
    axes.set(xlabel=f"noise ({found.law}), equal steps as tried", ylabel="bits read back")
    axes.set_xticks(places, labels=[decimal(noise, 3) for noise in found.noises])
    percent_axis(axes.yaxis, [0.5, 0.6, 0.7, 0.8, 0.9, 1])
    axes.axhline(float(found.baseline), color=GREY, linewidth=1.2, linestyle=(0, (4, 2)))
    axes.text(places[0], float(found.baseline) - 0.01, "guessing", color=GREY, va="top")
    _mark_root(axes, found, places)
    step = (1 - _FAINTEST) / max(1, len(found.queries) - 1)
    for i, (queries, shares) in enumerate(zip(found.queries, found.right, strict=True)):
        axes.plot(
            places,
            [float(share) for share in shares],
            color=BLUE,
            alpha=1 - step * (len(found.queries) - 1 - i),
            marker=_MARKERS[i % len(_MARKERS)],
            markersize=5.5,
            label=f"{queries:,} sums",
            clip_on=False,
        )
    axes.legend(loc="upper right", frameon=False, reverse=True, labelcolor=INK)


def _mark_root(axes: Axes, found: Sweep, places: list[int]) -> None:
    """Mark the root of the number of people, if it lies within what was tried."""
    root, noises = math.sqrt(found.rows), [float(noise) for noise in found.noises]
    if not noises[0] <= root <= noises[-1]:
        return
    after = next(i for i, noise in enumerate(noises) if noise >= root)
    before = max(0, after - 1)
    width = noises[after] - noises[before]
    at = places[before] + ((root - noises[before]) / width if width else 0.0)
    axes.axvline(at, color=PALE, linewidth=1.2, zorder=0)
    axes.text(at + 0.05, 0.99, f"√{found.rows}", color=GREY, va="top", zorder=0)
