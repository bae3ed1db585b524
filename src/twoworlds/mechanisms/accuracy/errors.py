"""The errors of a mechanism, whichever it is: what its answer is off by, exactly.

Laplace noise gives every part of Wu's Lemma 4.4 with the printed bound beside it; geometric noise
the same quantities, which no paper prints; randomized response the error of the unbiased estimate
of a count (Wu, Proposition 3.3); any other integer noise its bias and root mean square error.
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.noise import GeometricNoise, Noise
from twoworlds.mechanisms.accuracy.bound import Bound
from twoworlds.mechanisms.accuracy.geometric import (
    geometric_max_tail,
    geometric_mean_error,
    geometric_mean_l1_error,
    geometric_mean_max_error,
    geometric_root_mean_square_error,
    geometric_tail,
)
from twoworlds.mechanisms.accuracy.laplace import laplace_errors
from twoworlds.mechanisms.accuracy.randomized_response import (
    randomized_response_mean_square_error,
    randomized_response_root_mean_square_error,
)
from twoworlds.mechanisms.base import Mechanism
from twoworlds.mechanisms.continuous import Gaussian, Laplace
from twoworlds.mechanisms.density import NoisyStatistic
from twoworlds.mechanisms.on_statistic import AddedNoise, FiniteNoise, OnStatistic
from twoworlds.mechanisms.per_record import PerRecord
from twoworlds.numbers import sqrt, whole
from twoworlds.worlds import BitStrings

__all__ = ["errors_of"]


def errors_of(mechanism: Mechanism, *, dimension: object = 1, t: object = 1) -> list[Bound]:
    """Return the exact errors of a mechanism's answer.

    Args:
        mechanism: noise added to an answer, or randomized response on bits.
        dimension: for how many independent coordinates of the answer.
        t: the tails are those beyond t, as the formulas of each bound say.

    >>> from twoworlds.mechanisms.named import mechanism
    >>> survey = mechanism("randomized-response(bits=100, keep=3/4)")
    >>> errors_of(survey)[0].exact
    Fraction(75, 1)
    """
    if isinstance(mechanism, NoisyStatistic):
        return errors_of(mechanism.channel.noise, dimension=dimension, t=t)
    if isinstance(mechanism, Laplace):
        return list(laplace_errors(mechanism.scale, dimension=dimension, t=t))
    if isinstance(mechanism, PerRecord):
        return _survey(mechanism, dimension)
    if isinstance(mechanism, Gaussian):
        _one(dimension)
        return [Bound("sqrt(E Z^2)", mechanism.sigma)]
    channel = mechanism.channel if isinstance(mechanism, OnStatistic) else None
    if isinstance(channel, FiniteNoise):
        _one(dimension)
        return _finite(channel)
    noise = _noise(mechanism)
    if isinstance(noise, GeometricNoise):
        return _geometric(noise, dimension, t)
    _one(dimension)
    square = noise.variance + noise.mean * noise.mean
    return [Bound("E Z", noise.mean, note="the bias"), Bound("sqrt(E Z^2)", sqrt(square))]


def _geometric(noise: GeometricNoise, dimension: object, t: object) -> list[Bound]:
    p = noise.p
    return [
        Bound("E|Z|", geometric_mean_error(p)),
        Bound("sqrt(E Z^2)", geometric_root_mean_square_error(p)),
        Bound("P(|Z| > t)", geometric_tail(p, t)),
        Bound("E sum |Z_j|", geometric_mean_l1_error(p, dimension)),
        Bound("P(M > t)", geometric_max_tail(p, dimension, t), note="M is the largest of d errors"),
        Bound("E M", geometric_mean_max_error(p, dimension)),
    ]


def _finite(noise: FiniteNoise) -> list[Bound]:
    values = [(noise.start + i, mass) for i, mass in enumerate(noise.masses)]
    mean = sum((k * mass for k, mass in values), start=Fraction(0))
    square = sum((k * k * mass for k, mass in values), start=Fraction(0))
    return [Bound("E Z", mean, note="the bias"), Bound("sqrt(E Z^2)", sqrt(square))]


def _survey(mechanism: PerRecord, dimension: object) -> list[Bound]:
    _one(dimension)
    law = mechanism.transition
    if not isinstance(mechanism.universe, BitStrings) or tuple(law.outputs) != (1, 0):
        raise Unsupported(
            "the error of a many-valued survey depends on the true histogram: "
            "use histogram_mean_square_error(mechanism, histogram)"
        )
    if law.probability(1, 1) != law.probability(0, 0):
        raise Unsupported("this survey keeps ones and zeros with different probabilities")
    keep, n = law.probability(1, 1), mechanism.records
    note = "the unbiased estimate of the count, whatever the data"
    citation = "Wu, Proposition 3.3 (printed only as an order of magnitude)"
    square = randomized_response_mean_square_error(n, keep)
    root = randomized_response_root_mean_square_error(n, keep)
    return [
        Bound("E (A - count)^2", square, citation=citation, note=note),
        Bound("sqrt(E (A - count)^2)", root),
    ]


def _noise(mechanism: Mechanism) -> Noise:
    channel = mechanism.channel if isinstance(mechanism, OnStatistic) else None
    if isinstance(channel, AddedNoise) and channel.low is None and channel.high is None:
        return channel.noise
    raise Unsupported(
        f"{mechanism.expression} adds no noise of known error: "
        "use laplace, gaussian, geometric, skellam, ... or randomized-response"
    )


def _one(dimension: object) -> None:
    if whole(dimension, "dimension", at_least=1) != 1:
        raise InvalidInput(f"dimension={dimension}: this mechanism has one answer only")
