"""Laplace and Gaussian noise on a real-valued answer. Wu, Algorithm 2; Dwork, Theorem 4.

The universe is the set of possible true answers, ``reals()``, or, with ``bits``, that many bits
whose count is published.
"""

from __future__ import annotations

from typing import TypeVar

from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.calibration import laplace_rate
from twoworlds.mechanisms.continuous import Continuous, Gaussian, Laplace
from twoworlds.mechanisms.density import AddedDensity, NoisyStatistic
from twoworlds.mechanisms.registry import named
from twoworlds.numbers import exact_text, whole
from twoworlds.worlds import Additive, BitStrings

__all__ = ["gaussian", "laplace"]


@named("laplace")
def laplace(
    scale: object = None,
    epsilon: object = None,
    ratio: object = None,
    rate: object = None,
    sensitivity: object = 1,
    bits: object = None,
) -> Laplace | NoisyStatistic:
    """Add Laplace noise; the scale is given, or set so that the whole query costs epsilon.

    The rate is 1 / scale; it stays exact where it is a logarithm.

    >>> laplace(epsilon="1/2", sensitivity=2).scale
    Fraction(4, 1)
    """
    given = [value for value in (scale, epsilon, ratio, rate) if value is not None]
    if len(given) != 1:
        raise InvalidInput("laplace takes exactly one of scale, epsilon, ratio and rate")
    if scale is not None:
        return _on(Laplace(scale=scale, sensitivity=sensitivity), bits)
    if rate is None:
        rate = laplace_rate(sensitivity, epsilon, ratio=ratio)
    return _on(Laplace(rate=rate, sensitivity=sensitivity), bits)


@named("gaussian")
def gaussian(
    sigma: object = None, sigma2: object = None, sensitivity: object = 1, bits: object = None
) -> Gaussian | NoisyStatistic:
    """Add Gaussian noise of standard deviation sigma (sensitivity in the L2 norm)."""
    return _on(Gaussian(sigma=sigma, sigma2=sigma2, sensitivity=sensitivity), bits)


Noise = TypeVar("Noise", bound=Continuous)


def _on(noise: Noise, bits: object) -> Noise | NoisyStatistic:
    """Return the bare noise, or the noise on a count of bits."""
    if bits is None:
        return noise
    n = whole(bits, "bits", at_least=1)
    if noise.sensitivity != 1:
        raise InvalidInput(
            f"sensitivity={exact_text(noise.sensitivity)}: a count of bits has sensitivity 1"
        )
    count = Additive(lambda bit: bit, name="count")
    text = f"{noise.expression[:-1]}, bits={n})"
    return NoisyStatistic(BitStrings(n), count, AddedDensity(noise), expression=text)
