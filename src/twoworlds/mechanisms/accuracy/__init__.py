"""Exact errors beside printed bounds: Laplace, geometric, randomized response, and who wins."""

from __future__ import annotations

from twoworlds.mechanisms.accuracy.bound import Bound
from twoworlds.mechanisms.accuracy.crossover import (
    Crossover,
    geometric_crossover,
    laplace_crossover,
)
from twoworlds.mechanisms.accuracy.errors import errors_of
from twoworlds.mechanisms.accuracy.geometric import (
    geometric_max_tail,
    geometric_mean_error,
    geometric_mean_l1_error,
    geometric_mean_max_error,
    geometric_root_mean_square_error,
    geometric_tail,
)
from twoworlds.mechanisms.accuracy.laplace import (
    laplace_errors,
    laplace_max_tail,
    laplace_mean_error,
    laplace_mean_l1_error,
    laplace_mean_max_error,
    laplace_root_mean_square_error,
    laplace_tail,
    laplace_variance,
)
from twoworlds.mechanisms.accuracy.randomized_response import (
    histogram_covariance,
    histogram_estimate,
    histogram_mean_square_error,
    randomized_response_estimate,
    randomized_response_keep,
    randomized_response_mean_square_error,
    randomized_response_root_mean_square_error,
)

__all__ = [
    "Bound",
    "Crossover",
    "errors_of",
    "geometric_crossover",
    "geometric_max_tail",
    "geometric_mean_error",
    "geometric_mean_l1_error",
    "geometric_mean_max_error",
    "geometric_root_mean_square_error",
    "geometric_tail",
    "histogram_covariance",
    "histogram_estimate",
    "histogram_mean_square_error",
    "laplace_crossover",
    "laplace_errors",
    "laplace_max_tail",
    "laplace_mean_error",
    "laplace_mean_l1_error",
    "laplace_mean_max_error",
    "laplace_root_mean_square_error",
    "laplace_tail",
    "laplace_variance",
    "randomized_response_estimate",
    "randomized_response_keep",
    "randomized_response_mean_square_error",
    "randomized_response_root_mean_square_error",
]
