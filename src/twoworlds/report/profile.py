"""A picture of a privacy profile: the tight delta at every ratio a = e^epsilon.

The profile is convex, falling and piecewise linear in the ratio. Where it has finitely many pieces
its corners are drawn and joined; where it has infinitely many, it is computed at many ratios, and
the straight lines between these lie above it, on the safe side.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import ceil, exp, log, log10
from typing import TYPE_CHECKING, NamedTuple

from twoworlds.definitions.profile import Profile
from twoworlds.errors import Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.numbers import Number, above, decimal
from twoworlds.show.figure import BLUE, canvas, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Point", "corners", "draw_profile", "samples"]

_LONG = 50.0  # a longer range of ratios is drawn on a logarithmic scale
_ROOM, _BEYOND = 1.35, 1e300
_STEPS = 60
_SAMPLES, _TINY, _LARGEST = 64, Fraction(1, 1000), 2**20
_MOST_LABELS = 6


class Point(NamedTuple):
    """A point of the profile."""

    ratio: Number
    delta: Number


def draw_profile(profile: Profile, *, source: str) -> Figure:
    """Draw the tight delta against the ratio, with epsilon below it.

    Args:
        profile: from `DifferentialPrivacy.profile`.
        source: the mechanism and what is assumed, for the line below the picture.
    """
    try:
        points, finite = corners(profile), True
    except Unsupported:
        points, finite = samples(profile), False
    end = _end(above(points[-1].ratio), finite=finite)
    with style():
        figure, axes = canvas(
            "The delta that is left at every ratio",
            "Your data can make an event so many times as likely (the ratio, e^epsilon), "
            "and on top of that more probable by this delta.",
            source,
            words=_in_words(points, finite=finite),
            height=3.45,
            below=0.6,
        )
        _set_scales(axes, end, above(points[0].delta))
        xs, ys = _line(points, end)
        axes.fill_between(xs, ys, color=BLUE, alpha=0.09, linewidth=0)
        axes.plot(xs, ys, color=BLUE, label="delta", clip_on=False)
        if finite:
            _draw_corners(axes, points)
    return figure


def _end(last: float, *, finite: bool) -> float:
    """Return where the scale ends: behind the last corner, with room for its label."""
    if last**_ROOM >= _BEYOND:
        raise Unsupported("the ratios of this profile are beyond any scale that can be drawn")
    if not finite:
        return last
    return max(1 + _ROOM * (last - 1), 2.0) if last < _LONG else last**_ROOM


def corners(profile: Profile) -> list[Point]:
    """Return the corners of a profile with finitely many pieces; after the last one it is flat."""
    return [Point(piece.start, piece.p - piece.start * piece.q) for piece in profile.pieces]


def samples(profile: Profile) -> list[Point]:
    """Return the profile at ratios in equal steps of epsilon, to where delta is next to nothing."""
    start, end = profile(1), 2
    while larger(profile(end), start * _TINY) and end < _LARGEST:
        end *= 2
    steps = (Fraction(exp(log(end) * k / _SAMPLES)) for k in range(1, _SAMPLES))
    middle = [Point(ratio, profile(ratio)) for ratio in steps]
    return [Point(Fraction(1), start), *middle, Point(Fraction(end), profile(end))]


def _line(points: list[Point], end: float) -> tuple[list[float], list[float]]:
    """Return the points as floats, with points between them where a long scale bends the lines."""
    ends = [(above(ratio), above(delta)) for ratio, delta in points]
    ends.append((end, ends[-1][1]))
    if end <= _LONG:
        return [x for x, _ in ends], [y for _, y in ends]
    xs, ys = [], []
    for (start, high), (stop, low) in pairwise(ends):
        for k in range(_STEPS):
            x = start * (stop / start) ** (k / _STEPS)
            xs.append(x)
            ys.append(high + (low - high) * (x - start) / (stop - start))
    return [*xs, end], [*ys, ends[-1][1]]


def _set_scales(axes: Axes, end: float, top: float) -> None:
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

    if end > _LONG:
        axes.set_xscale("log")
        stride = ceil(log10(end) / 7)
        ticks = [10.0 ** (stride * k) for k in range(8) if 10.0 ** (stride * k) <= end]
    else:
        ticks = [1.0, *(x for x in MaxNLocator(6).tick_values(1, end) if 1.1 < x <= end)]
    axes.set(xlim=(1, end), ylim=(0, top * 1.1 or 1.0), ylabel="delta")
    axes.set_xlabel("ratio e^epsilon, and epsilon below it")
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(ticks, labels=[f"{x:.4g}\n{log(x):.3g}" for x in ticks])


def _draw_corners(axes: Axes, points: list[Point]) -> None:
    """Mark and label the corners, where they are few."""
    if len(points) > _MOST_LABELS:
        return
    xs, ys = [above(point.ratio) for point in points], [above(point.delta) for point in points]
    axes.plot(
        *(xs, ys),
        color=BLUE,
        linestyle="none",
        marker="o",
        markeredgecolor="white",
        markersize=6.5,
        label="corners",
        clip_on=False,
        zorder=3,
    )
    for point, x, y in zip(points, xs, ys, strict=True):
        where = f"at ratio {decimal(point.ratio, 4)}" if len(points) > 1 else "at every ratio"
        text = f"{decimal(point.delta, 3)} {where}"
        axes.annotate(text, (x, y), xytext=(7, 5), textcoords="offset points", color=BLUE)


def _in_words(points: list[Point], *, finite: bool) -> str:
    first, last = points[0], points[-1]
    said = f"At ratio 1, where epsilon is 0, delta is {decimal(first.delta, 3, 'about')}"
    if len(points) == 1:
        return f"{said}, and it stays there however large the ratio."
    end = f"{decimal(last.delta, 3, 'about')} at ratio {decimal(last.ratio, 4, 'about')}"
    return f"{said}. It falls to {end}, and stays there." if finite else f"{said}. It is {end}."
