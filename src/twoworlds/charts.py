"""Charts as data: what is drawn, with the same in words; `twoworlds.show` draws it.

    Bars        numbers as horizontal bars; shares of 1 unless said otherwise
    Dots        the same number in two worlds, joined by a line
    Span        where a number lies, beside what was claimed of it
    Groups      probabilities as bars, in groups that belong together
    Icons       people as figures: how many are guessed right, of 100
    Intervals   released numbers with the interval that noise leaves
    HeatMap     a table of numbers, each cell as dark as its share of the largest
    Curves      lines between two axes: `odds`, `profile` and `trade_off` make those of the field

They take floats and texts, rounded by whoever calls to the side that does not flatter: nothing is
computed from what is drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, log, log10
from typing import Literal, NamedTuple, SupportsFloat

# Blue and orange of Okabe & Ito, told apart by every kind of colour vision, and in grey print.
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#808080"

_QUARTERS = ((0.0, "0%"), (0.25, "25%"), (0.5, "50%"), (0.75, "75%"), (1.0, "100%"))
_STEPS = 100
_LONG = 50.0  # a longer range of ratios is drawn on a logarithmic scale
_COLOURS = (BLUE, ORANGE)
_MOST_TICKS = 4

Side = Literal["near", "up", "down"]
Mark = tuple[str, SupportsFloat]


@dataclass(frozen=True)
class Bars:
    """Numbers as bars; those below 0 go to the left, in orange.

    Attributes:
        title: what they are.
        values: the numbers by name; of many the first are drawn.
        share: whether they are shares of 1, written as percentages.
        side: how they are rounded: up where they say "at most", down where "at least".
        top: the share that fills the width.
        orange: the names of the other world.
        grey: the names of what is there for comparison.
        mark: a limit with its name, drawn as a line across all bars and rounded up.
    """

    title: str
    values: Mapping[str, SupportsFloat]
    share: bool = True
    side: Side = "near"
    top: float = 1.0
    orange: Collection[str] = ()
    grey: Collection[str] = ()
    mark: Mark | None = None


@dataclass(frozen=True)
class Dots:
    """The same numbers in two worlds: a dot for each, and a line between them."""

    title: str
    worlds: tuple[str, str]
    rows: Mapping[str, tuple[SupportsFloat, SupportsFloat]]
    share: bool = True


@dataclass(frozen=True)
class Span:
    """Where a number lies: between two ends, or from one on; and what was claimed of it."""

    title: str
    low: SupportsFloat
    high: SupportsFloat | None = None
    mark: Mark | None = None


class Bar(NamedTuple):
    """A probability with a name."""

    name: str
    value: float
    colour: str = BLUE


@dataclass(frozen=True)
class GroupedBars:
    """Probabilities as bars, in groups that belong together."""

    title: str
    groups: Sequence[tuple[str, Sequence[Bar]]]
    words: str


class ErrorBar(NamedTuple):
    """A released number, the ends of its interval, if any, and whether noise is all there is."""

    name: str
    value: float
    low: float | None
    high: float | None
    lost: bool = False


@dataclass(frozen=True)
class Intervals:
    """Released numbers as dots on lines as long as their intervals; lost ones in grey."""

    title: str
    rows: Sequence[ErrorBar]
    words: str


@dataclass(frozen=True)
class Icons:
    """Figures in rows of ten: ``base`` of them in grey, from there to ``right`` in blue.

    The others of all ``of`` are only outlined.
    """

    title: str
    right: int
    base: int
    of: int
    words: str

    @property
    def key(self) -> str:
        """Say what the figures are."""
        whose = "their" if "without their data" in self.words else "your"
        return f"{self.right} of {self.of}, {self.base} of them without {whose} data"


@dataclass(frozen=True)
class HeatMap:
    """Named rows of texts, each with its share of the largest number, from -1 to 1."""

    title: str
    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[tuple[str, float]]]]


@dataclass(frozen=True)
class Axis:
    """One axis: its name, its ends, and the places that are marked."""

    name: str
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    logarithmic: bool = False

    def share(self, value: float) -> float:
        """Return how far along the axis a value lies, from 0 to 1, at its ends if beyond."""
        value = min(max(value, self.low), self.high)
        if self.logarithmic:
            return log(value / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Line:
    """Points joined by a line; ``dotted`` marks the points.

    ``shaded`` fills the room below it, or inside it where it ends where it began.
    """

    name: str
    points: Sequence[tuple[float, float]]
    colour: str = BLUE
    dashed: bool = False
    thin: bool = False
    shaded: bool = False
    dotted: bool = False

    @property
    def closed(self) -> bool:
        """Whether it ends where it began."""
        return len(self.points) > 2 and self.points[0] == self.points[-1]


@dataclass(frozen=True)
class Curves:
    """Lines between two axes; those with a name are in the key."""

    title: str
    words: str
    x: Axis
    y: Axis
    lines: Sequence[Line]


Chart = Bars | Dots | Span | GroupedBars | Intervals | Icons | HeatMap | Curves


def odds(ratios: Sequence[tuple[str, float]], words: str, *, delta: float = 0.0) -> Curves:
    """Chart the largest belief w r / (1 - w + w r) that a belief w can become, for each ratio r.

    With a delta: the largest probability min(1, r q + delta) of what has probability q elsewhere.
    """
    steps = [k / _STEPS for k in range(_STEPS + 1)]
    events = delta > 0
    lines = [
        Line(
            name,
            [(w, min(1.0, r * w + delta) if events else w * r / (1 - w + w * r)) for w in steps],
            colour,
            dashed=bool(i),
        )
        for i, ((name, r), colour) in enumerate(zip(ratios, _COLOURS, strict=False))
    ]
    even = "no difference" if events else "learns nothing"
    lines.append(Line(even, [(0, 0), (1, 1)], GREY, thin=True))
    before, after = (
        ("probability in the other world", "largest in this one")
        if events
        else ("belief before, or without you", "largest belief after")
    )
    title = "How much likelier anything can become" if events else "How far a belief can move"
    x, y = Axis(before, 0, 1, _QUARTERS), Axis(after, 0, 1, _QUARTERS)
    return Curves(title, words, x, y, lines)


def profile(
    points: Sequence[tuple[float, float]], words: str, lower: Sequence[tuple[float, float]] = ()
) -> Curves:
    """Chart the delta that is left at every ratio; after the last point it stays as it is.

    Where it is known between two ends only, the points are those of the upper one.
    """
    last = points[-1][0]
    end = max(2.0, 1 + 1.3 * (last - 1)) if last < _LONG else last**1.2
    top = max(max(delta for _, delta in points) * 1.1, 1e-12)
    logarithmic = end > _LONG
    line = Line(
        "the smallest delta that holds, from above" if lower else "the smallest delta that holds",
        _bent([*points, (end, points[-1][1])], logarithmic=logarithmic),
        shaded=True,
    )
    inside = [point for point in lower if point[0] <= end]
    under = []
    if inside:
        bent = _bent(inside, logarithmic=logarithmic)
        under = [Line("from below", bent, ORANGE, dashed=True)]
    marks = [] if len(points) > 8 else [Line("", list(points), thin=True, dotted=True)]
    ticks = _ratio_ticks(end, _MOST_TICKS)
    x = Axis("ratio e^epsilon (epsilon)", 1, end, ticks, logarithmic=logarithmic)
    y = Axis("delta", 0, top, [(v, f"{v:.3g}") for v in nice(top)])
    return Curves(
        "The delta that is left at every ratio",
        words,
        x,
        y,
        [line, *(under if lower else []), *marks],
    )


def trade_off(
    points: Sequence[tuple[float, float]], words: str, *, beside: Sequence[Line] = ()
) -> Curves:
    """Chart misses against false alarms of the best test, and blind guessing."""
    x = Axis("false alarms (type I errors)", 0, 1, _QUARTERS)
    y = Axis("misses (type II errors)", 0, 1, _QUARTERS)
    lines = [
        Line("the best test", list(points), BLUE),
        *beside,
        Line("blind guessing", [(0, 1), (1, 0)], GREY, thin=True),
    ]
    return Curves("The best test between the two worlds", words, x, y, lines)


def nice(high: float, low: float = 0.0, most: int = 5) -> list[float]:
    """Return about as many round numbers from below ``low`` to ``high``."""
    raw = (high - low) / most
    power = 10.0 ** floor(log10(raw))
    step = next(s * power for s in (1, 2, 2.5, 5, 10) if s * power >= raw * 0.999)
    start = floor(low / step)
    found = [step * k for k in range(start, start + 12)]
    return [v for v in found if low - step / 2 < v <= high * (1 + 1e-12)]


def _bent(points: Sequence[tuple[float, float]], *, logarithmic: bool) -> list[tuple[float, float]]:
    """Put points between, where a long scale bends the lines that join them."""
    if not logarithmic:
        return list(points)
    found = []
    for (x1, y1), (x2, y2) in pairwise(points):
        for k in range(40):
            x = x1 * (x2 / x1) ** (k / 40)
            found.append((x, y1 + (y2 - y1) * (x - x1) / (x2 - x1) if x2 > x1 else y1))
    return [*found, points[-1]]


def _ratio_ticks(end: float, most: int) -> list[tuple[float, str]]:
    if end > _LONG:
        stride = max(1, round(log10(end) / most))
        values = [10.0 ** (stride * k) for k in range(8) if 10.0 ** (stride * k) <= end]
    else:
        values = [1.0, *(v for v in nice(end, 1.0, most - 1) if 1.05 < v <= end)]
    return [(v, f"{v:.4g} ({log(v):.2g})") for v in values]
