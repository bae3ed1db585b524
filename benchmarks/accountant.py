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

The others, without a target: dp-accounting's Renyi accountant, which has an upper end alone, and
how far it lies above ours; prv_accountant, which has two ends; and riskcal, which asks
dp-accounting for a law of losses and takes from it the advantage of a guess, delta at epsilon 0.

All accountants speak of one number. So every upper end of theirs must be at least our lower end,
and every lower end at most our upper one: `agree` stops the run otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil
from time import process_time
from typing import Any

import prv_accountant  # type: ignore[import-untyped]
from dp_accounting import (  # type: ignore[import-untyped]
    DpEvent,
    GaussianDpEvent,
    LaplaceDpEvent,
    PoissonSampledDpEvent,
)
from dp_accounting.pld import (  # type: ignore[import-untyped]
    privacy_loss_distribution as peer,
)
from dp_accounting.rdp import RdpAccountant  # type: ignore[import-untyped]
from riskcal.analysis import get_advantage_from_pld  # type: ignore[import-untyped]

import twoworlds as tw
from benchmarks import Row
from twoworlds.numbers import bounds

DELTA = 1e-6
LOSS = 0.1  # the largest one of the Laplace noise
COARSE = 100  # as many steps in it are a first discretisation
DELTA_ERROR, PRV_WIDTH = 1e-10, 1 / 100  # of prv_accountant; nearer ends take gigabytes
FLOAT_ERROR = 1e-9


@dataclass(frozen=True)
class Case:
    """A mechanism, as each accountant says it."""

    name: str
    text: str
    times: int
    width: str
    theirs: Callable[..., Any]
    prv: Any
    event: DpEvent


CASES = (
    Case(
        "Laplace",
        "laplace(scale=10)",
        1_000,
        "1/10000",
        partial(peer.from_laplace_mechanism, 10),
        prv_accountant.LaplaceMechanism(mu=LOSS),
        LaplaceDpEvent(10),
    ),
    Case(
        "sample",
        "poisson-sample(gaussian(sigma=0.8), rate=0.005)",
        10_000,
        "1/100",
        partial(peer.from_gaussian_mechanism, 0.8, sampling_prob=0.005),
        prv_accountant.PoissonSubsampledGaussianMechanism(
            noise_multiplier=0.8, sampling_probability=0.005
        ),
        PoissonSampledDpEvent(0.005, GaussianDpEvent(0.8)),
    ),
)


def ours(case: Case, width: str, **asked: str) -> tuple[float, float, float]:
    """Return the seconds, and the two ends of epsilon at a delta, or of delta at an epsilon."""
    start = process_time()
    built = tw.compose(case.text, times=case.times, width=width)
    answer: Any = tw.measure(built, **asked)
    seconds = process_time() - start
    low, high = bounds(answer.epsilon if "delta" in asked else answer.delta)
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


def both(case: Case, width: float) -> tuple[float, float, float]:
    """Return the seconds and both ends of dp-accounting, which are at most so far apart."""
    steps = COARSE
    while True:
        (above, high), (below, low) = (
            end(case, LOSS / steps, pessimistic=pessimistic) for pessimistic in (True, False)
        )
        if high - low <= width:
            return above + below, low, high
        steps = ceil(1.02 * steps * (high - low) / width)  # nearly proportional


def upper(case: Case, most: float) -> float:
    """Return the seconds of the upper end of dp-accounting alone, which is at most so large."""
    steps = 1
    while True:
        seconds, high = end(case, LOSS / steps, pessimistic=True)
        if high <= most:
            return seconds
        steps *= 2


def renyi(case: Case) -> tuple[float, float]:
    """Return the seconds, and the only end of dp-accounting's Renyi accountant, which is above."""
    start = process_time()
    accountant = RdpAccountant().compose(case.event, case.times)
    return process_time() - start, accountant.get_epsilon(DELTA)


def prv(case: Case, width: float) -> tuple[float, float, float]:
    """Return the seconds and both ends of prv_accountant, which are about so far apart."""
    start = process_time()
    accountant = prv_accountant.PRVAccountant(
        prvs=[case.prv],
        max_self_compositions=[case.times],
        eps_error=width / 2,
        delta_error=DELTA_ERROR,
    )
    low, _, high = accountant.compute_epsilon(DELTA, [case.times])
    return process_time() - start, low, high


def advantage(case: Case) -> tuple[float, float]:
    """Return the seconds, and the advantage that riskcal takes from a pessimistic law of losses."""
    start = process_time()
    one = case.theirs(value_discretization_interval=LOSS / COARSE, pessimistic_estimate=True)
    found = get_advantage_from_pld(one.self_compose(case.times))
    return process_time() - start, float(found)


def agree(low: float, high: float, least: float, most: float) -> None:
    """Stop unless our ends and theirs have a number in common, but for their last digits."""
    if low > most * (1 + FLOAT_ERROR) or least > high * (1 + FLOAT_ERROR):
        raise AssertionError(f"we say {low} to {high}, they say {least} to {most}")


def compared(case: Case) -> list[Row]:
    """Ask one question, then the peers for ends that are as near."""
    seconds, low, high = ours(case, case.width, delta=str(DELTA))
    name = f"{case.times:,} answers, {case.name}"
    near = f"{name}, ends {high - low:.2g} apart"
    theirs, least, most = both(case, high - low)
    agree(low, high, least, most)
    rows = [Row(near, seconds, peer=theirs, against="dp-accounting", target=1.0)]
    rows.append(Row(f"{near}: upper end", seconds, peer=upper(case, high), against="dp-accounting"))
    theirs, most = renyi(case)
    agree(low, high, low, most)
    far = f"{name}: upper end {most - high:.2g} above ours"
    rows.append(Row(far, seconds, peer=theirs, against="dp-accounting RDP"))
    theirs, least, most = prv(case, max(high - low, high * PRV_WIDTH))
    agree(low, high, least, most)
    wide = f"{name}, ends {most - least:.2g} apart"
    rows.append(Row(wide, seconds, peer=theirs, against="prv_accountant"))
    seconds, low, high = ours(case, case.width, epsilon="0")
    theirs, most = advantage(case)
    agree(low, high, low, most)
    guess = f"{name}: delta at epsilon 0, ends {high - low:.2g} apart"
    return [*rows, Row(guess, seconds, peer=theirs, against="riskcal")]


def run() -> list[Row]:
    """Compare each case."""
    return [row for case in CASES for row in compared(case)]
