"""Laplace and Gaussian noise on a real-valued answer. Wu, Algorithm 2; Dwork, Theorem 4."""

from __future__ import annotations

from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.calibration import laplace_rate
from twoworlds.mechanisms.continuous import Gaussian, Laplace
from twoworlds.mechanisms.registry import named

__all__ = ["gaussian", "laplace"]


@named("laplace")
def laplace(
    scale: object = None,
    epsilon: object = None,
    ratio: object = None,
    rate: object = None,
    sensitivity: object = 1,
) -> Laplace:
    """Add Laplace noise; the scale is given, or set so that the whole query costs epsilon.

    The rate is 1 / scale; it stays exact where it is a logarithm.

    >>> laplace(epsilon="1/2", sensitivity=2).scale
    Fraction(4, 1)
    """
    given = [value for value in (scale, epsilon, ratio, rate) if value is not None]
    if len(given) != 1:
        raise InvalidInput("laplace takes exactly one of scale, epsilon, ratio and rate")
    if scale is not None:
        return Laplace(scale=scale, sensitivity=sensitivity)
    if rate is None:
        rate = laplace_rate(sensitivity, epsilon, ratio=ratio)
    return Laplace(rate=rate, sensitivity=sensitivity)


@named("gaussian")
def gaussian(sigma: object = None, sigma2: object = None, sensitivity: object = 1) -> Gaussian:
    """Add Gaussian noise of standard deviation sigma (sensitivity in the L2 norm)."""
    return Gaussian(sigma=sigma, sigma2=sigma2, sensitivity=sensitivity)
