r"""What randomized response still tells, with exact errors; and the errors of any mechanism.

Each of n people reports the true bit with probability p, the other one otherwise. With Y the number
of reported ones,

    A = (Y - n (1 - p)) / (2p - 1),   E A = the true count,   E (A - count)^2 = n p (1-p) / (2p-1)^2

whatever the data (Wu, Proposition 3.3, which states O(sqrt n) and leaves the estimate as an
exercise). For any number of values, let T be the transition: column v is the law of the report of a
person whose value is v. If T is invertible, T^(-1) (reported histogram) is unbiased; its covariance
depends on the true histogram h:

    Cov = T^(-1) ( sum_v h_v (diag(T_v) - T_v T_v') ) T^(-1)'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from flint import fmpq, fmpq_mat

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.noise import GeometricNoise, Noise
from twoworlds.mechanisms.accuracy.noise import (
    Bound,
    geometric_max_tail,
    geometric_mean_error,
    geometric_mean_l1_error,
    geometric_mean_max_error,
    geometric_root_mean_square_error,
    geometric_tail,
    laplace_errors,
)
from twoworlds.mechanisms.base import Dense, Mechanism
from twoworlds.mechanisms.calibration import read_epsilon
from twoworlds.mechanisms.continuous import Gaussian, Laplace, NoisyStatistic
from twoworlds.mechanisms.on_statistic import AddedNoise, FiniteNoise, OnStatistic
from twoworlds.mechanisms.per_record import PerRecord
from twoworlds.numbers import Number, exp, number, rational, sqrt, whole
from twoworlds.worlds import BitStrings, Point, Universe

Counts = Mapping[Point, object] | Sequence[object]


def randomized_response_keep(epsilon: object = None, *, ratio: object = None) -> Number:
    """Return the probability of telling the truth that makes one bit epsilon-private.

    keep / (1 - keep) = e^epsilon   (Wu, Proposition 3.1, where keep = 3/4 gives ln 3)

    >>> randomized_response_keep("ln 3")
    Fraction(3, 4)
    """
    odds = exp(read_epsilon(epsilon, ratio))
    return odds / (1 + odds)


def randomized_response_estimate(ones: object, records: object, keep: object) -> Number:
    """Return the unbiased estimate of the true count from the number of reported ones.

    A = (Y - n (1 - p)) / (2p - 1)   (Wu, Proposition 3.3)

    It may fall outside 0..n: clipping it would make it biased. Divide by n for a proportion.

    >>> randomized_response_estimate(40, 100, "3/4")
    Fraction(30, 1)
    """
    n, p = whole(records, "records", at_least=1), _keep(keep)
    seen = whole(ones, "ones")
    if seen > n:
        raise InvalidInput(f"ones={seen} is above records={n}: it counts reports among them")
    return (seen - n * (1 - p)) / (2 * p - 1)


def randomized_response_mean_square_error(records: object, keep: object) -> Number:
    """Return the mean square error of the estimated count, the same for all data.

    E (A - count)^2 = n p (1 - p) / (2p - 1)^2   (Wu, Proposition 3.3)

    >>> randomized_response_mean_square_error(100, "3/4")
    Fraction(75, 1)
    """
    n, p = whole(records, "records", at_least=1), _keep(keep)
    return n * p * (1 - p) / (2 * p - 1) ** 2


def randomized_response_root_mean_square_error(records: object, keep: object) -> Number:
    """Return the square root of the mean square error: sqrt(n) times a constant.

    >>> randomized_response_root_mean_square_error(12, "3/4")
    Fraction(3, 1)
    """
    return sqrt(randomized_response_mean_square_error(records, keep))


def histogram_estimate(mechanism: Dense | PerRecord, counts: Counts) -> dict[Point, Fraction]:
    """Return the unbiased estimate of the true histogram from the histogram of reports.

    h^ = T^(-1) c,  where: T is the transition of one record, c the counts of reports

    >>> from twoworlds.worlds import Explicit
    >>> bits = Explicit((1, 0))
    >>> flip = Dense(bits, bits, [["3/4", "1/4"], ["1/4", "3/4"]])
    >>> histogram_estimate(flip, {1: 40, 0: 60})
    {1: Fraction(30, 1), 0: Fraction(70, 1)}
    """
    transition = _transition(mechanism)
    seen = fmpq_mat([[_fmpq(c)] for c in _counts(counts, transition.outputs, "output")])
    found = _inverse(transition) * seen
    return {v: _fraction(found[i, 0]) for i, v in enumerate(transition.universe)}


def histogram_covariance(
    mechanism: Dense | PerRecord, histogram: Counts
) -> tuple[tuple[Fraction, ...], ...]:
    """Return the exact covariance of the estimated histogram, given the true one.

    T^(-1) ( sum_v h_v (diag(T_v) - T_v T_v') ) T^(-1)',  where: T_v is the column of value v

    >>> from twoworlds.worlds import Explicit
    >>> bits = Explicit((1, 0))
    >>> flip = Dense(bits, bits, [["3/4", "1/4"], ["1/4", "3/4"]])
    >>> [[int(x) for x in row] for row in histogram_covariance(flip, [30, 70])]
    [[75, -75], [-75, 75]]
    """
    transition = _transition(mechanism)
    inverse, t = _inverse(transition), _matrix(transition)
    k, h = t.nrows(), _counts(histogram, transition.universe, "value")
    reported = fmpq_mat(k, k)
    for v, people in enumerate(h):
        for i in range(k):
            reported[i, i] += _fmpq(people) * t[i, v]
            for j in range(k):
                reported[i, j] -= _fmpq(people) * t[i, v] * t[j, v]
    found = inverse * reported * inverse.transpose()
    return tuple(tuple(_fraction(found[i, j]) for j in range(k)) for i in range(k))


def histogram_mean_square_error(mechanism: Dense | PerRecord, histogram: Counts) -> Fraction:
    """Return E ||h^ - h||^2, the trace of the covariance.

    >>> from twoworlds.worlds import Explicit
    >>> bits = Explicit((1, 0))
    >>> flip = Dense(bits, bits, [["3/4", "1/4"], ["1/4", "3/4"]])
    >>> histogram_mean_square_error(flip, [30, 70])
    Fraction(150, 1)
    """
    rows = histogram_covariance(mechanism, histogram)
    return sum((row[i] for i, row in enumerate(rows)), start=Fraction(0))


def _keep(keep: object) -> Number:
    p = number(keep, "keep")
    if not 0 <= p <= 1:
        raise InvalidInput(f"keep={keep} is not a probability: it must lie between 0 and 1")
    if p == Fraction(1, 2):
        raise InvalidInput(
            "keep=1/2 makes every report a fair coin that says nothing about the data, so no "
            "unbiased estimate exists: use keep other than 1/2"
        )
    return p


def _transition(mechanism: Dense | PerRecord) -> Dense:
    transition = mechanism.transition if isinstance(mechanism, PerRecord) else mechanism
    values, outputs = transition.universe.size, transition.outputs.size
    if values != outputs:
        raise InvalidInput(
            f"the transition has {outputs} outputs for {values} values: the estimate inverts it, "
            "so there must be as many; merge outputs by post-processing first"
        )
    return transition


def _matrix(transition: Dense) -> fmpq_mat:
    return fmpq_mat([[_fmpq(rational(p, "transition")) for p in row] for row in transition.rows])


def _inverse(transition: Dense) -> fmpq_mat:
    try:
        return _matrix(transition).inv()
    except ZeroDivisionError:
        raise InvalidInput(
            "the transition is singular (its determinant is 0): different true histograms give "
            "the same reports on average, so no unbiased estimate exists"
        ) from None


def _counts(given: Counts, cells: Universe, kind: str) -> list[Fraction]:
    """Read one count per cell, by name or in order."""
    if isinstance(given, Mapping):
        named = {cells.find(name): count for name, count in given.items()}
        return [Fraction(whole(named.get(c, 0), f"count of {cells.label(c)}")) for c in cells]
    if len(given) != cells.size:
        raise InvalidInput(
            f"{len(given)} counts for {cells.size} {kind}s: give one for each, or name them"
        )
    return [
        Fraction(whole(n, f"count of {cells.label(c)}")) for c, n in zip(cells, given, strict=True)
    ]


def _fmpq(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def _fraction(x: fmpq) -> Fraction:
    return Fraction(int(x.p), int(x.q))


# --- The errors of a mechanism, whichever it is: what its answer is off by, exactly --------------
# Laplace noise gives every part of Wu's Lemma 4.4 with the printed bound beside it; geometric
# noise the same quantities, which no paper prints; randomized response the error of the unbiased
# estimate of a count (Wu, Proposition 3.3); any other integer noise its bias and root mean square
# error.


def errors_of(mechanism: Mechanism, *, dimension: object = 1, t: object = 1) -> list[Bound]:
    """Return the exact errors of a mechanism's answer.

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
