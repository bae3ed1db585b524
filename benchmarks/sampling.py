"""Exact noise: nanoseconds of processor time for each value, on one core, in large draws.

Peers of the same law, within the same run: numpy's own samplers, which are neither exact nor fit
for a release (their bits can be predicted, their probabilities are rounded), and OpenDP's exact
discrete Laplace where OpenDP is installed. The limit is 40 million values in a second. The compiler
is loaded beforehand, as it is in a process that has measured a mechanism; without it numpy does the
same steps in about twice the time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from itertools import count as counting
from math import expm1
from typing import Any

import numpy as np

from benchmarks import Row, best_of
from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise, Noise
from twoworlds.numbers import exp
from twoworlds.release.noise import Sampler, SystemBits
from twoworlds.release.noise.table import prepare

LIMIT = 25.0  # nanoseconds: 40 million values in a second
FIRST = 50.0  # milliseconds for the first few values of a law, tables included
SCALE, WIDE = 10, 10**6
COUNT = 1_000_000
FEW = 20_000
AGAINST_NUMPY, AGAINST_OPENDP = 1.5, 50.0


def nanoseconds(count: int, draw: Callable[[int], object]) -> float:
    """The least processor time for each value, of several draws."""
    draw(count)  # compiled code and tables are not counted
    times = []
    for _ in range(9):
        start = time.process_time()
        draw(count)
        times.append(time.process_time() - start)
    return min(times) / count * 1e9


def ours(noise: Noise) -> float:
    """Exact values from the operating system's entropy."""
    sampler, source = Sampler.of(noise), SystemBits()
    return nanoseconds(COUNT, lambda count: sampler.draw(count, source))


def numpy_laplace(scale: int) -> float:
    """The difference of two geometric variables."""
    rng, stop = np.random.default_rng(1), -expm1(-1 / scale)
    return nanoseconds(COUNT, lambda count: rng.geometric(stop, count) - rng.geometric(stop, count))


def numpy_gaussian(sigma: float) -> float:
    """Rounded normal variables: not even the same law, but what one would write."""
    rng = np.random.default_rng(1)
    return nanoseconds(COUNT, lambda count: np.rint(rng.normal(0, sigma, count)).astype(int))


def opendp_laplace(scale: int) -> float | None:
    """OpenDP's vector mechanism on integers, if it is installed."""
    if find_spec("opendp") is None:
        return None
    dp: Any = import_module("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    mechanism = dp.m.make_laplace(*space, scale=float(scale))
    return nanoseconds(FEW, lambda count: mechanism([0] * count))


def first_values() -> float:
    """Milliseconds for fifty values of a law that was never asked for before."""
    scales = counting(SCALE)

    def draw() -> None:
        Sampler.of(GeometricNoise(exp(Fraction(-100, 100 * next(scales) + 1)))).draw(
            50, SystemBits()
        )

    return best_of(9, draw) * 1e3


def run() -> list[Row]:
    """About ten seconds."""
    prepare(1 << 30)
    laplace = ours(GeometricNoise(exp(Fraction(-1, SCALE))))
    name = f"exact discrete Laplace, scale {SCALE}, one value"
    rows = [
        Row(name, laplace, "ns", LIMIT, "limit", 1.0),
        Row(name, laplace, "ns", numpy_laplace(SCALE), "numpy, not exact", AGAINST_NUMPY),
    ]
    opendp = opendp_laplace(SCALE)
    if opendp is not None:
        rows.append(Row(name, laplace, "ns", opendp, "OpenDP", AGAINST_OPENDP))
    wide = ours(GeometricNoise(exp(Fraction(-1, WIDE))))
    rows += [
        Row(
            "exact discrete Laplace, scale 10^6, one value",
            wide,
            "ns",
            numpy_laplace(WIDE),
            "numpy, not exact",
        ),
        Row(
            "exact discrete Gaussian, sigma 50, one value",
            ours(DiscreteGaussianNoise(Fraction(2500))),
            "ns",
            numpy_gaussian(50),
            "numpy, rounded normal",
        ),
        Row(
            "exact discrete Gaussian, sigma 10^6, one value",
            ours(DiscreteGaussianNoise(Fraction(WIDE**2))),
            "ns",
            numpy_gaussian(WIDE),
            "numpy, rounded normal",
        ),
        Row(
            "the first 50 values of a discrete Laplace law",
            first_values(),
            "ms",
            FIRST,
            "limit",
            1.0,
        ),
    ]
    return rows
