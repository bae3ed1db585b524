"""What many answers cost together: the epsilon at delta 10^-6, between two ends.

*Laplace*: 1,000 answers of scale 10. *Sample*: 10,000 answers of Gaussian noise of sigma 0.8 on a
Poisson sample of rate 0.005. Ours is one question, from the text to the verified answer: two proven
ends and an event that shows the lower one.

The peer is the time that dp-accounting takes for two ends that are as near: its pessimistic
estimate (connect the dots) and its optimistic one (buckets). The discretisation is about the widest
one that does it, and divides the largest loss of the Laplace noise, which makes buckets much
better. Its lower end is off by the discretisation itself, ours by its square. Its upper end is as
good as ours, and alone it is there much sooner, in floats that nothing proves: `upper end` reports
that, without a target.

All of them use one thread. So seconds are those of the processor, which a busy machine changes
least.

prv_accountant, which has two ends as well, is measured where it is installed; it is in no lock.
riskcal has no accountant of its own: it asks dp-accounting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from math import ceil
from time import process_time
from typing import Any

from dp_accounting.pld import (  # type: ignore[import-untyped]
    privacy_loss_distribution as peer,
)

import twoworlds as tw
from benchmarks import Row
from twoworlds.numbers import bounds

DELTA = 1e-6
LOSS = 0.1  # the largest one of the Laplace noise
COARSE = 100  # as many steps in it are a first discretisation
DELTA_ERROR = 1e-10  # of prv_accountant


@dataclass(frozen=True)
class Case:
    """A mechanism, as each accountant says it."""

    name: str
    text: str
    times: int
    width: str
    theirs: Callable[..., Any]
    prv: tuple[str, dict[str, float]]


CASES = (
    Case(
        "Laplace",
        "laplace(scale=10)",
        1_000,
        "1/10000",
        partial(peer.from_laplace_mechanism, 10),
        ("LaplaceMechanism", {"mu": 0.1}),
    ),
    Case(
        "sample",
        "poisson-sample(gaussian(sigma=0.8), rate=0.005)",
        10_000,
        "1/100",
        partial(peer.from_gaussian_mechanism, 0.8, sampling_prob=0.005),
        (
            "PoissonSubsampledGaussianMechanism",
            {"noise_multiplier": 0.8, "sampling_probability": 0.005},
        ),
    ),
)


def ours(case: Case, width: str) -> tuple[float, float, float]:
    """Return the seconds, and the two ends."""
    start = process_time()
    answer: Any = tw.measure(tw.compose(case.text, times=case.times, width=width), delta=str(DELTA))
    seconds = process_time() - start
    low, high = bounds(answer.epsilon)
    return seconds, float(low), float(high)


def end(case: Case, interval: float, *, pessimistic: bool) -> tuple[float, float]:
    """Return the seconds, and one end of dp-accounting."""
    start = process_time()
    one = case.theirs(
        value_discretization_interval=interval,
        pessimistic_estimate=pessimistic,
        use_connect_dots=pessimistic,  # there is no other lower end
    )
    epsilon = one.self_compose(case.times).get_epsilon_for_delta(DELTA)
    return process_time() - start, epsilon


def both(case: Case, width: float) -> float:
    """Return the seconds of both ends of dp-accounting, which are at most so far apart."""
    steps = COARSE
    while True:
        (above, high), (below, low) = (
            end(case, LOSS / steps, pessimistic=pessimistic) for pessimistic in (True, False)
        )
        if high - low <= width:
            return above + below
        steps = ceil(1.02 * steps * (high - low) / width)  # nearly proportional


def upper(case: Case, most: float) -> float:
    """Return the seconds of the upper end of dp-accounting alone, which is at most so large."""
    steps = 1
    while True:
        seconds, high = end(case, LOSS / steps, pessimistic=True)
        if high <= most:
            return seconds
        steps *= 2


def prv(case: Case, width: float) -> float:
    """Return the seconds of both ends of prv_accountant, which are about so far apart."""
    package = import_module("prv_accountant")
    name, arguments = case.prv
    start = process_time()
    accountant = package.PRVAccountant(
        prvs=[getattr(package, name)(**arguments)],
        max_self_compositions=[case.times],
        eps_error=width / 2,
        delta_error=DELTA_ERROR,
    )
    accountant.compute_epsilon(DELTA, [case.times])
    return process_time() - start


def run() -> list[Row]:
    """Ask each question, then the peers for ends that are as near."""
    rows = []
    for case in CASES:
        seconds, low, high = ours(case, case.width)
        name = f"{case.times:,} answers, {case.name}, ends {high - low:.2g} apart"
        rows.append(
            Row(name, seconds, peer=both(case, high - low), against="dp-accounting", target=1.0)
        )
        rows.append(
            Row(f"{name}: upper end", seconds, peer=upper(case, high), against="dp-accounting")
        )
        if find_spec("prv_accountant"):
            rows.append(Row(name, seconds, peer=prv(case, high - low), against="prv_accountant"))
    return rows
