"""Exact noise: processor time for each value on one core, as a release draws it.

A release draws up to some 100,000 values, and takes 0.1 milliseconds for each of its answers: the
noise is to be a small part of that. The peer, where it is installed, is OpenDP's exact discrete
Laplace.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from itertools import count as counting
from typing import Any

from benchmarks import Row, best_of
from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise, Noise
from twoworlds.numbers import exp
from twoworlds.release.noise import Sampler, SystemBits

LIMIT = 10_000.0  # nanoseconds: a tenth of what an answer takes
FIRST = 50.0  # milliseconds for the first few values of a law, tables included
SCALE, WIDE = 10, 10**6
COUNT = 20_000


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
    return nanoseconds(COUNT, lambda count: sampler.draw_integers(count, source))


def opendp_laplace(scale: int) -> float | None:
    """OpenDP's vector mechanism on integers, if it is installed."""
    if find_spec("opendp") is None:
        return None
    dp: Any = import_module("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    mechanism = dp.m.make_laplace(*space, scale=float(scale))
    return nanoseconds(COUNT, lambda count: mechanism([0] * count))


def first_values() -> float:
    """Milliseconds for fifty values of a law that was never asked for before."""
    scales = counting(SCALE)

    def draw() -> None:
        law = GeometricNoise(exp(Fraction(-100, 100 * next(scales) + 1)))
        Sampler.of(law).draw_integers(50, SystemBits())

    return best_of(9, draw) * 1e3


def run() -> list[Row]:
    """About ten seconds."""
    laws = {
        f"discrete Laplace, scale {SCALE}": GeometricNoise(exp(Fraction(-1, SCALE))),
        "discrete Laplace, scale 10^6": GeometricNoise(exp(Fraction(-1, WIDE))),
        "discrete Gaussian, sigma 50": DiscreteGaussianNoise(Fraction(2500)),
        "discrete Gaussian, sigma 10^6": DiscreteGaussianNoise(Fraction(WIDE**2)),
    }
    rows = [
        Row(f"exact {name}, one value", ours(law), "ns", LIMIT, "limit", 1.0)
        for name, law in laws.items()
    ]
    opendp = opendp_laplace(SCALE)
    if opendp is not None:
        rows.append(Row(rows[0].name, rows[0].ours, "ns", opendp, "OpenDP"))
    first = "the first 50 values of a discrete Laplace law"
    return [*rows, Row(first, first_values(), "ms", FIRST, "limit", 1.0)]
