"""Reading the noise of a strategy: a law, a channel, or the mechanism that adds it."""

from __future__ import annotations

from twoworlds.errors import InvalidInput
from twoworlds.laws.noise import Noise
from twoworlds.mechanisms.continuous import Continuous, Laplace
from twoworlds.mechanisms.density import AddedDensity
from twoworlds.mechanisms.on_statistic import AddedNoise, Channel, FiniteNoise, OnStatistic
from twoworlds.mechanisms.strategy.integer_noise import BoundedNoise, IntegerNoise
from twoworlds.mechanisms.strategy.laplace_noise import LaplaceNoise
from twoworlds.mechanisms.strategy.noise import AnswerNoise
from twoworlds.worlds import Answer

__all__ = ["read_noise"]


def read_noise(given: object) -> AnswerNoise:
    """Return the noise on each answer: a law, a channel, or the mechanism that adds it.

    >>> from fractions import Fraction
    >>> from twoworlds.laws.noise import GeometricNoise
    >>> read_noise(GeometricNoise(Fraction(1, 2))).density(1, 0)
    Fraction(1, 6)
    """
    if isinstance(given, AnswerNoise):
        return given
    if isinstance(given, str):
        from twoworlds.mechanisms.named.load import mechanism

        given = mechanism(given)
    if isinstance(given, OnStatistic):
        if not isinstance(given.statistic, Answer):
            raise InvalidInput(
                f"{given.expression} already asks a question: name the noise alone, as in "
                "geometric(ratio=2)"
            )
        given = given.channel
    if isinstance(given, AddedDensity):
        given = given.noise
    if isinstance(given, Noise):
        return IntegerNoise(given)
    if isinstance(given, Laplace):
        return LaplaceNoise(given.rate)
    if isinstance(given, FiniteNoise):
        return BoundedNoise(given)
    if isinstance(given, AddedNoise):
        ends = (given.low, given.high)
        if ends == (None, None):
            return IntegerNoise(given.noise)
        if None not in ends:
            return BoundedNoise(given)
    name = given.expression if isinstance(given, Continuous) else type(given).__name__
    raise InvalidInput(
        f"noise={name}: the answers of a strategy get Laplace noise, integer noise, or integer "
        "noise clamped to a range with two ends"
        + ("; take discrete-gaussian in place of a density" if isinstance(given, Channel) else "")
    )
