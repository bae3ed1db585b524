r"""A picture of Laplace noise: its density for several scales (Wu, Figure 4).

    h(y) = e^(-|y| / b) / (2 b),   where: b the scale, sensitivity / epsilon

The area below each curve is 1: half the scale, and the peak is twice as high. The numbers are those
of `twoworlds.mechanisms.Laplace`; only the drawing is in floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Laplace
from twoworlds.mechanisms.accuracy import laplace_tail
from twoworlds.numbers import Number, above, decimal, show
from twoworlds.show.figure import BLUE, GREY, INK, ORANGE, canvas, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.typing import LineStyleType

__all__ = ["SCALES", "Spread", "densities", "draw_densities", "spread"]

SCALES = (Fraction(1), Fraction(2), Fraction(4), Fraction(7))
_STEPS = 140  # on either side of 0
_LOOKS: tuple[tuple[str, LineStyleType], ...] = (
    (BLUE, "solid"),
    (ORANGE, "solid"),
    (BLUE, (0, (5, 1.6))),
    (ORANGE, (0, (5, 1.6))),
    (INK, "solid"),
    (GREY, "solid"),
)


class Spread(NamedTuple):
    """One scale in numbers: its peak, the mean size of the noise, and how seldom it is far off.

    Attributes:
        scale: b.
        peak: the density at 0.
        mean: of the size of the noise.
        beyond: the probability that the noise is larger than three times the scale.
    """

    scale: Fraction
    peak: Number
    mean: Number
    beyond: Number


def spread(scale: Fraction) -> Spread:
    """Return the numbers of a scale.

    >>> found = spread(Fraction(2))
    >>> found.peak, found.mean
    (Fraction(1, 4), Fraction(2, 1))
    """
    law = Laplace(scale=scale)
    return Spread(scale, law.probability(0, 0), law.scale, laplace_tail(scale, 3).exact)


def densities(
    scales: Sequence[Fraction] = SCALES,
) -> list[tuple[Fraction, list[tuple[Fraction, Number]]]]:
    """Return, for each scale, the exact density at places on both sides of 0.

    Raises:
        InvalidInput: for no scale, for more than can be told apart, or for one that is not above 0.
    """
    if not 0 < len(scales) <= len(_LOOKS):
        raise InvalidInput(f"{len(scales)} scales: draw 1 to {len(_LOOKS)} of them")
    reach = 2 * max(scales)
    places = [reach * Fraction(k, _STEPS) for k in range(-_STEPS, _STEPS + 1)]
    found = []
    for scale in scales:
        law = Laplace(scale=scale)
        found.append((scale, [(y, law.probability(y, 0)) for y in places]))
    return found


def draw_densities(scales: Sequence[Fraction] = SCALES) -> Figure:
    """Draw the density of Laplace noise for each scale."""
    found = densities(scales)
    words = " ".join(
        f"Scale {show(one.scale)}: density {decimal(one.peak, 3, 'about')} at 0, mean size "
        f"{decimal(one.mean, 3, 'about')}, beyond three times the scale with probability "
        f"{decimal(one.beyond, 3, 'about')}."
        for one in map(spread, scales)
    )
    with style():
        figure, axes = canvas(
            "Laplace noise of several scales",
            "The larger the scale, the flatter and wider: the noise is as far off as its scale on "
            "average, and beyond three times the scale in 5% of the cases, whatever the scale.",
            "laplace(scale=b), with b = sensitivity / epsilon; Wu, Figure 4",
            words=words,
        )
        for (scale, points), (colour, dash) in zip(found, _LOOKS, strict=False):
            axes.plot(
                [float(y) for y, _ in points],
                [above(height) for _, height in points],
                color=colour,
                linestyle=dash,
                label=f"scale {show(scale)}",
            )
        reach = float(2 * max(scales))
        axes.set(xlim=(-reach, reach), xlabel="noise", ylabel="density")
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, loc="upper right", handlelength=3)
    return figure
