"""The named mechanisms. Importing this package registers them all."""

from __future__ import annotations

from twoworlds.mechanisms.named.calibrated import Calibrated, calibrated
from twoworlds.mechanisms.named.load import (
    compose,
    fixed_sample,
    mechanism,
    poisson_sample,
    shuffle,
)
from twoworlds.mechanisms.named.maps import (
    constant,
    exact,
    gamma,
    identity,
    noisy_parity,
    parity,
    pram,
    random_index,
    randomized_response,
    tempered_map,
)
from twoworlds.mechanisms.named.noise import (
    differenced_negative_binomial,
    discrete_gaussian,
    gaussian,
    geometric,
    integer_noise,
    laplace,
    skellam,
    truncated_geometric,
)

__all__ = [
    "Calibrated",
    "calibrated",
    "compose",
    "constant",
    "differenced_negative_binomial",
    "discrete_gaussian",
    "exact",
    "fixed_sample",
    "gamma",
    "gaussian",
    "geometric",
    "identity",
    "integer_noise",
    "laplace",
    "mechanism",
    "noisy_parity",
    "parity",
    "poisson_sample",
    "pram",
    "random_index",
    "randomized_response",
    "shuffle",
    "skellam",
    "tempered_map",
    "truncated_geometric",
]
