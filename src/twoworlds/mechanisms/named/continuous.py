"""Laplace and Gaussian noise on a real-valued answer. Wu, Algorithm 2; Dwork, Theorem 4."""

from __future__ import annotations

from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.continuous import Gaussian, Laplace
from twoworlds.mechanisms.named.per_record import exp_of
from twoworlds.mechanisms.registry import named
from twoworlds.numbers import ln, positive, ratio_at_least_one

__all__ = ["gaussian", "laplace"]


@named("laplace")
def laplace(
    scale: object = None, epsilon: object = None, ratio: object = None, sensitivity: object = 1
) -> Laplace:
    """Add Laplace noise; the scale is given, or set so that the whole query costs epsilon.

    >>> laplace(epsilon="1/2", sensitivity=2).scale
    Fraction(4, 1)
    """
    given = [value for value in (scale, epsilon, ratio) if value is not None]
    if len(given) != 1:
        raise InvalidInput("laplace takes exactly one of scale, epsilon and ratio")
    if scale is not None:
        return Laplace(scale=scale, sensitivity=sensitivity)
    price = ln(exp_of(epsilon) if ratio is None else ratio_at_least_one(ratio))
    if price == 0:
        raise InvalidInput("epsilon 0 needs infinite noise: give an epsilon above 0")
    return Laplace(rate=price / positive(sensitivity, "sensitivity"), sensitivity=sensitivity)


@named("gaussian")
def gaussian(sigma: object = None, sigma2: object = None, sensitivity: object = 1) -> Gaussian:
    """Add Gaussian noise of standard deviation sigma (sensitivity in the L2 norm)."""
    return Gaussian(sigma=sigma, sigma2=sigma2, sensitivity=sensitivity)
