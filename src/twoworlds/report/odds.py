r"""A picture of a guarantee: the largest belief that each belief can become.

For differential privacy with ratio r = e^epsilon and delta = 0 a belief w becomes at most

    w r / (1 - w + w r)         for whoever knows everybody else's record
    w r^2 / (1 - w + w r^2)     whatever anybody believes, compared with the answer without you

(`twoworlds.theorems.words`: the dots are the rows of its table). Semantic privacy with s allows
min(1, w + s). With delta > 0 no curve bounds every belief, since rare outputs may give somebody
away; what is drawn then is the definition itself: an event of probability q in the other world has
at most min(1, r q + delta) in this one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from twoworlds.definitions.verdict import Verdict
from twoworlds.definitions.words import largest_posterior, percent, percent_above
from twoworlds.errors import Unsupported
from twoworlds.numbers import INFINITY, Number, above, at_most_one, show
from twoworlds.show.figure import BLUE, GREY, INK, ORANGE, PALE, canvas, percent_axis, style
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.words import PRIORS, sentences

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import LineStyleType

__all__ = ["Curve", "Promise", "draw_odds", "promise"]

_STEPS = 200
_COLOURS = (BLUE, ORANGE)
_DASHES: tuple[LineStyleType, ...] = ("solid", (0, (5, 1.6)))


@dataclass(frozen=True)
class Curve:
    """What any probability can become, by name."""

    name: str
    bound: Callable[[Fraction], Number]


@dataclass(frozen=True)
class Promise:
    """What is drawn: curves, the words around them, and what they assume."""

    title: str
    sentence: str
    before: str
    after: str
    curves: tuple[Curve, ...]
    words: str
    source: str
    unit: str = "without you"
    diagonal: str = "learns nothing"


def draw_odds(given: Guarantee | Verdict, *, swing: Number | None = None) -> Figure:
    """Draw the largest belief that each belief can become, under a guarantee or a verdict.

    ``swing`` is the factor between the odds with and without you, where a smaller one than the
    square of the ratio is known of a mechanism.

    Raises:
        Unsupported: for a kind that bounds no belief, or an infinite ratio.

    >>> figure = draw_odds(Guarantee.parse("dp(epsilon=1)"))
    >>> figure.get_suptitle()
    'How far your data can move a belief about you'
    """
    drawn = promise(given, swing=swing)
    with style():
        figure, axes = canvas(drawn.title, drawn.sentence, drawn.source, words=drawn.words)
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel=drawn.before, ylabel=drawn.after)
        percent_axis(axes.xaxis, [*(float(prior) for prior in PRIORS), 1])
        percent_axis(axes.yaxis, [0, 0.25, 0.5, 0.75, 1])
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=1, label=drawn.diagonal)
        for prior in PRIORS:
            axes.axvline(float(prior), color=PALE, linewidth=0.8, zorder=0)
        _draw_curves(axes, drawn.curves)
        _label_diagonal(axes, drawn.diagonal)
        _write_table(axes, drawn.unit, drawn.curves)
    return figure


def promise(given: Guarantee | Verdict, *, swing: Number | None = None) -> Promise:
    """Return what there is to draw of a guarantee or of a verdict."""
    if isinstance(given, Verdict):
        return _of_verdict(given)
    if given.kind == "semantic":
        return _of_semantic(given)
    if given.kind != "dp":
        raise Unsupported(
            f"{given.kind} has no picture of its own: dp and semantic have one, and "
            f"'twoworlds implies' says which of them follows from {given}"
        )
    said = " ".join(sentences(given, swing=swing))
    own = "" if swing is None else f"; a mechanism of swing {show(swing)}"
    source = f"{given}{own}; assumes neighbours by {given.neighbours}"
    _refuse_infinite(given.ratio)
    if given.delta != 0:
        return _of_events(given.ratio, given.delta, said, source)
    if given.group != 1:
        return _of_odds(given.ratio, said, source)
    factor = given.ratio**2 if swing is None else swing
    return Promise(
        "How far your data can move a belief about you",
        "Whatever someone believes without your data, the answer computed with it can raise that "
        "belief to the curve, and no further.",
        "belief without your data",
        "largest belief with your data",
        (
            Curve("knows all others", lambda w: largest_posterior(w, given.ratio)),
            Curve("any belief", lambda w: largest_posterior(w, factor)),
        ),
        said,
        source,
    )


def _of_verdict(verdict: Verdict) -> Promise:
    if not {"ratio", "delta"} <= verdict.values.keys():
        raise Unsupported(
            f"a verdict on {verdict.definition} has no picture: measure or check dp for one"
        )
    ratio, delta = verdict.values["ratio"], verdict.values["delta"]
    _refuse_infinite(ratio)
    source = f"{verdict.mechanism}; assumes {'; '.join(verdict.assumptions)}"
    if delta != 0:
        return _of_events(ratio, delta, verdict.sentence, source)
    return _of_odds(ratio, verdict.sentence, source)


def _of_odds(ratio: Number, said: str, source: str) -> Promise:
    return Promise(
        "How far the answer can move a belief between two worlds",
        said,
        "belief before",
        "largest belief after",
        (Curve("at most", lambda w: largest_posterior(w, ratio)),),
        said,
        source,
    )


def _of_events(ratio: Number, delta: Number, said: str, source: str) -> Promise:
    return Promise(
        "How much likelier anything can become",
        said,
        "probability in the other world",
        "largest probability in this one",
        (Curve("at most", lambda q: at_most_one(ratio * q + delta)),),
        said,
        source,
        unit="a chance of",
        diagonal="no difference",
    )


def _of_semantic(given: Guarantee) -> Promise:
    said = " ".join(sentences(given))
    return Promise(
        "How far your data can move a belief",
        said,
        "belief without your data",
        "largest belief with your data",
        (Curve("any belief", lambda w: at_most_one(w + given.epsilon)),),
        said,
        f"{given}; assumes neighbours by {given.neighbours}",
    )


def _refuse_infinite(ratio: Number) -> None:
    if ratio == INFINITY:
        raise Unsupported(
            "an infinite ratio bounds no belief, so there is no curve to draw: "
            "ask for the ratio at a delta that you accept"
        )


def _draw_curves(axes: Axes, curves: tuple[Curve, ...]) -> None:
    steps = [Fraction(k, _STEPS) for k in range(_STEPS + 1)]
    xs = below = [float(w) for w in steps]
    for curve, colour, dash in zip(curves, _COLOURS, _DASHES, strict=False):
        ys = [above(curve.bound(w)) for w in steps]
        axes.fill_between(xs, below, ys, color=colour, alpha=0.09, linewidth=0)
        axes.plot(xs, ys, color=colour, linestyle=dash, label=curve.name)
        _draw_dots(axes, curve, colour)
        below = ys


def _draw_dots(axes: Axes, curve: Curve, colour: str) -> None:
    axes.plot(
        [float(prior) for prior in PRIORS],
        [above(curve.bound(prior)) for prior in PRIORS],
        color=colour,
        linestyle="none",
        marker="o",
        markeredgecolor="white",
        markersize=6.5,
        label=f"{curve.name}: dots",
        clip_on=False,
        zorder=3,
    )


def _label_diagonal(axes: Axes, text: str) -> None:
    axes.text(
        *(0.83, 0.81, text),
        color=GREY,
        rotation=45,
        rotation_mode="anchor",
        transform_rotates_text=True,
        ha="center",
        va="top",
    )


def _write_table(axes: Axes, unit: str, curves: tuple[Curve, ...]) -> None:
    """Write the values of the dots below the diagonal, where no curve ever comes."""
    step, top = 0.066, 0.325
    rights = [0.98 - 0.235 * i for i in range(len(curves))][::-1]
    first = rights[0] - (0.28 if len(curves) > 1 else 0.2)

    def write(x: float, row: float, text: str, colour: str = INK, weight: str = "normal") -> None:
        axes.text(x, top - step * row, text, color=colour, weight=weight, ha="right", va="center")

    write(first, 1, unit, GREY)
    for curve, x, colour, dash in zip(curves, rights, _COLOURS, _DASHES, strict=False):
        end = [x - 0.075, x]
        axes.plot(end, [top] * 2, color=colour, linestyle=dash)
        write(x, 1, curve.name, colour, "bold")
    for row, prior in enumerate(PRIORS, start=2):
        write(first, row, percent(prior), GREY)
        for curve, x, colour in zip(curves, rights, _COLOURS, strict=False):
            write(x, row, percent_above(prior, curve.bound(prior)), colour)
