r"""Limits of one release: what can be drawn, stored and sent, checked before anything is charged.

A release that is charged must be one that can be answered. So a batch of queries is refused, in
dry runs too, when its noise is too wide to be drawn or its answer too large. All of it is known
from the queries, the policy and the noise; the data are not looked at, so a refusal tells nothing
about them.

    values      noisy whole numbers: cells times measures, or aggregates if they are more. They take
                about 0.2 ms and 6 kB each until they are sent
    names       bytes in which groups and columns are called, in all cells
    candidates  of quantiles: each cell weighs every value of its grid, in 1.5 microseconds
    width       of discrete Gaussian noise as far as it is drawn
                (`twoworlds.release.noise.blocks`); of Laplace noise as far as it has a meaning: no
                total is above 2^95, which 2^33 rows of 2^62 units are

Noise passes 2^8 times the scale with a probability below 2^-300. So a stored number has at most 37
digits, and all that is stored (at most 100,000 numbers and 8 MiB of names) fits into one entry of
the ledger, which has room for 16 MiB.

Keys that are discovered are as many as the data have, so their number is no limit that could be
refused: that would be an answer about the data, for nothing. Instead a query shows at most
`MOST_DISCOVERED` cells, those with the largest noisy counts, and only keys of up to `LONGEST_KEY`
bytes. Both are computed from what the query would show otherwise, noisy counts of keys above the
threshold, so they cost nothing more; and the limits take each such query for one that shows all of
these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod

from twoworlds.errors import TooLarge
from twoworlds.mechanisms.noise import DiscreteGaussianNoise
from twoworlds.numbers import decimal
from twoworlds.release.answers.cells import LONGEST_KEY, MOST_DISCOVERED, group_label
from twoworlds.release.ledger.entries import canonical
from twoworlds.release.noise.weights import WIDEST
from twoworlds.release.query.measures import Axis, Resolved
from twoworlds.release.sensitivity import Calibration, MeasureNoise

__all__ = ["check_size"]

MOST_VALUES = 100_000
MOST_NAMES = 8 << 20
MOST_CANDIDATES = 10_000_000
WIDEST_LAPLACE = 1 << 112


def check_size(resolved: Sequence[Resolved], calibration: Calibration) -> Calibration:
    """Return a calibration whose release can be answered; see the module.

    Raises:
        TooLarge: naming what is too large, the limit, and what would do.
    """
    for noises in calibration.noises:
        for noise in noises:
            _check_width(noise)
    ask_less = "use fewer keys or bins, or ask for parts of it"
    for what, count, most, way_out in (
        ("noisy numbers", _values, MOST_VALUES, ask_less),
        ("bytes of names of groups and columns", _names, MOST_NAMES, ask_less),
        (
            "candidates of quantiles, over all groups",
            _candidates,
            MOST_CANDIDATES,
            "use fewer groups, or bounds (between) that leave less of the grid",
        ),
    ):
        found = sum(map(count, resolved))
        if found > most:
            raise TooLarge(f"the answer would have {found:,} {what}, more than {most:,}: {way_out}")
    return calibration


def _check_width(noise: MeasureNoise) -> None:
    if noise.law is None:
        return
    gaussian = isinstance(noise.law, DiscreteGaussianNoise)
    widest = Fraction(WIDEST if gaussian else WIDEST_LAPLACE)
    if noise.scale > (widest**2 if gaussian else widest):
        power = widest.numerator.bit_length() - 1
        name, other = ("sigma^2", f"(2^{power})^2") if gaussian else ("scale", f"2^{power}")
        raise TooLarge(
            f"{noise.words}: {noise.name} noise of {name} {decimal(noise.scale, 3)}, and at most "
            f"{other} is drawn: pay more, give it a larger share, or declare narrower bounds or a "
            "larger unit in the policy"
        )


def _cells(one: Resolved) -> int:
    return MOST_DISCOVERED if one.discovers else prod(one.shape)


def _values(one: Resolved) -> int:
    return _cells(one) * max(len(one.measures), len(one.recipes))


def _candidates(one: Resolved) -> int:
    return _cells(one) * sum(len(measure.grid) for measure in one.measures)


def _names(one: Resolved) -> int:
    """Return the bytes of all labels, each as often as it comes, and of headings in each cell."""
    cells = _cells(one)
    headings = sum(len(canonical(a.name)) for a in one.query.aggregates)
    headings += sum(len(canonical(axis.column)) for axis in one.axes)
    labels = sum(cells * sum(_labels(axis)) // max(1, axis.size) for axis in one.axes)
    return cells * headings + labels


def _labels(axis: Axis) -> Iterator[int]:
    if axis.discover:
        yield LONGEST_KEY
    for place in range(axis.size):
        yield len(canonical(group_label(axis, place)))
