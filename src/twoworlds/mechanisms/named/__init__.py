"""The named mechanisms. Importing this package registers them all."""

from __future__ import annotations

from twoworlds.mechanisms.named.calibrated import Calibrated, calibrated
from twoworlds.mechanisms.named.load import (
    compose,
    fixed_sample,
    mechanism,
    mix,
    pair,
    poisson_sample,
    restrict,
    shuffle,
    then,
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
    "mix",
    "noisy_parity",
    "pair",
    "parity",
    "poisson_sample",
    "pram",
    "random_index",
    "randomized_response",
    "restrict",
    "shuffle",
    "skellam",
    "tempered_map",
    "then",
    "truncated_geometric",
]
