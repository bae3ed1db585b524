"""The named mechanisms. Importing this package registers them all."""

from __future__ import annotations

from twoworlds.mechanisms.named.load import mechanism, mix, pair, restrict, then
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
    "constant",
    "differenced_negative_binomial",
    "discrete_gaussian",
    "exact",
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
    "pram",
    "random_index",
    "randomized_response",
    "restrict",
    "skellam",
    "then",
    "truncated_geometric",
]
