r"""Limits of one release: what can be drawn, stored and sent, checked before anything is charged.

A release that is charged must be one that can be answered. So a batch of queries is refused, in
dry runs too, when its noise is too wide to be drawn or its answer too large, and when it asks for
the mean, variance or quantile of values that its conditions rule out. All of it is known from the
queries, the policy and the noise; the data are not looked at, so a refusal tells nothing about
them.

    bytes       of the certificate, which holds the statement, all groups by name, estimates and
                stored numbers, and must fit into 16 MiB, as an entry of the ledger must. That is
                up to about 100,000 counts, each of which takes 0.1 ms and 5 kB until it is sent
    candidates  of quantiles: each cell weighs every value of its grid, in 1.5 microseconds
    width       of discrete Gaussian noise as far as it is drawn
                (`twoworlds.release.noise.sampler`); of Laplace noise as far as it has a meaning: no
                total is above 2^95, which 2^33 rows of 2^62 units are

Bytes are counted from above: a measure has at most as many digits as 2^40 rows of the largest value
with 2^8 times the scale on top, which noise passes with a probability below 2^-300.

Keys that are discovered are as many as the data have, so their number is no limit that could be
refused: that would be an answer about the data, for nothing. Instead a query shows at most
`MOST_DISCOVERED` cells, those with the largest noisy counts, and only keys of up to `LONGEST_KEY`
bytes. Both are computed from what the query would show otherwise, noisy counts of keys above the
threshold, so they cost nothing more; and the limits take each such query for one that shows all of
these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import isqrt, prod

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.noise import DiscreteGaussianNoise
from twoworlds.numbers import decimal
from twoworlds.release.answers.cells import LONGEST_KEY, MOST_DISCOVERED, excluded, group_label
from twoworlds.release.ledger.entries import canonical
from twoworlds.release.noise.sampler import WIDEST
from twoworlds.release.query.conditions import columns_of
from twoworlds.release.query.model import GroupAxis
from twoworlds.release.query.resolve import Resolved, SummedMeasure
from twoworlds.release.sensitivity import Calibration, MeasureNoise
from twoworlds.release.sensitivity.contributions import reachable
from twoworlds.release.statement import statement

MOST_BYTES = 15 << 20  # of 16 MiB; the rest is for the promise, the charge and the digest
MOST_CANDIDATES = 10_000_000
WIDEST_LAPLACE = 1 << 112
_ROWS = 1 << 40
_FAR = 1 << 8
_CELL, _AGGREGATE = 32, 64  # bytes around the group of a cell, and around an estimate
_FEWER = "use fewer keys or bins, or ask for parts of it"
_LESS_GRID = "use fewer groups, or bounds (between) that leave less of the grid"


def check_size(resolved: Sequence[Resolved], calibration: Calibration) -> Calibration:
    """Return a calibration whose release can be answered; see the module."""
    for one in resolved:
        _check_defined(one)
    for noises in calibration.noises:
        for noise in noises:
            _check_width(noise)
    limits: tuple[tuple[str, Callable[[], int], int, str], ...] = (
        ("bytes", lambda: certificate_bytes(resolved, calibration), MOST_BYTES, _FEWER),
        (
            "candidates of quantiles, over all groups",
            lambda: sum(map(_candidates, resolved)),
            MOST_CANDIDATES,
            _LESS_GRID,
        ),
    )
    for what, count, most, way_out in limits:
        found = count()
        if found > most:
            raise TooLarge(f"the answer may have {found:,} {what}, more than {most:,}: {way_out}")
    return calibration


def _check_defined(one: Resolved) -> None:
    """Refuse a mean, variance or quantile in a cell where no row can count for it.

    A count or a sum of no rows is 0. Of these there is none, and noise would be shown instead.
    """
    keys = {axis.column for axis in one.axes if axis.discover}
    for aggregate, recipe in zip(one.query.aggregates, one.recipes, strict=True):
        if aggregate.kind not in ("mean", "variance", "quantile"):
            continue
        allowed = reachable(one, one.measures[recipe[:2][-1]])  # the total, or the ranks
        if not allowed:
            raise InvalidInput(
                f"{aggregate.name} asks for the {aggregate.kind} of no values: its conditions rule "
                f"out every value of {aggregate.column!r}. Change them, or leave it out"
            )
        if one.threshold is not None:
            answered = reachable(one, one.measures[one.threshold])
        else:
            answered = {*product(*map(range, one.shape))}.difference(excluded(one))
        if answered - allowed or keys.intersection(columns_of(aggregate.where)):
            raise InvalidInput(
                f"{aggregate.name} has no value in some of the groups that are answered: its "
                "condition leaves no rows there. Say the condition in WHERE, or ask for it in a "
                "query of its own"
            )


def certificate_bytes(resolved: Sequence[Resolved], calibration: Calibration) -> int:
    """Return a bound on the bytes of statement, published estimates and stored numbers."""
    noises = calibration.noises
    cells = sum(_bytes(one, own) for one, own in zip(resolved, noises, strict=True))
    return len(canonical(statement(resolved, calibration, None))) + cells


def _check_width(noise: MeasureNoise) -> None:
    if noise.law is None:
        return
    gaussian = isinstance(noise.law, DiscreteGaussianNoise)
    widest = Fraction(WIDEST if gaussian else WIDEST_LAPLACE)
    if noise.scale > (widest**2 if gaussian else widest):
        power = widest.numerator.bit_length() - 1
        name, most = ("sigma^2", f"(2^{power})^2") if gaussian else ("scale", f"2^{power}")
        raise TooLarge(
            f"{noise.words}: {noise.name} noise of {name} {decimal(noise.scale, 3)}, and at most "
            f"{most} is drawn: pay more, give it a larger share, or declare narrower bounds or a "
            "larger unit in the policy"
        )


def _cells(one: Resolved) -> int:
    return MOST_DISCOVERED if one.discovers else prod(one.shape)


def _candidates(one: Resolved) -> int:
    return _cells(one) * sum(len(measure.grid) for measure in one.measures)


def _bytes(one: Resolved, noises: Sequence[MeasureNoise]) -> int:
    """Return a bound on the bytes of one query: in every cell its groups, estimates and numbers."""
    digits = [_digits(m, noise) for m, noise in zip(one.measures, noises, strict=True)]
    each = _CELL + sum(digits) + len(digits)
    for aggregate, recipe in zip(one.query.aggregates, one.recipes, strict=True):
        text = sum(digits[place] + _unit_digits(one.measures[place]) for place in recipe)
        ends = 3 * text * (1 if len(recipe) == 1 else 2)  # value and interval; ratios are fractions
        each += _AGGREGATE + len(canonical(aggregate.name)) + ends
    return _cells(one) * each + sum(map(_label_bytes(_cells(one)), one.axes))


def _label_bytes(cells: int) -> Callable[[GroupAxis], int]:
    """Return what the names of the groups along an axis take in so many cells."""

    def of(axis: GroupAxis) -> int:
        if axis.discover:  # as a name, and as a stored key
            return 2 * cells * (LONGEST_KEY + 1)
        names = (len(canonical(group_label(axis, place))) + 1 for place in range(axis.size))
        return cells * sum(names) // max(1, axis.size) + cells * len(str(axis.size))

    return of


def _digits(measure: SummedMeasure, noise: MeasureNoise) -> int:
    """Return how long a noisy number of a measure can be, with its sign."""
    if measure.kind == "ranks":
        return max(len(str(measure.low)), len(str(measure.high)), len(str(len(measure.grid))))
    largest = 1
    if measure.kind in ("total", "squares"):
        largest = max(abs(measure.low - measure.center), abs(measure.high - measure.center), 1)
    if measure.kind == "squares":
        largest **= 2
    gaussian = isinstance(noise.law, DiscreteGaussianNoise)
    width = isqrt(int(noise.scale)) if gaussian else int(noise.scale)
    return len(str(_ROWS * largest + _FAR * (width + 1))) + 1


def _unit_digits(measure: SummedMeasure) -> int:
    return len(str(measure.unit.numerator)) + len(str(measure.unit.denominator)) + 1
