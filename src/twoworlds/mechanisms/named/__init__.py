"""The named mechanisms. Importing this package registers them all."""

from __future__ import annotations

from twoworlds.mechanisms.named.load import mechanism, mix, pair, restrict, then
from twoworlds.mechanisms.named.maps import (
    constant,
    exact,
    identity,
    noisy_parity,
    parity,
    random_index,
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
from twoworlds.mechanisms.named.per_record import gamma, pram, randomized_response
from twoworlds.mechanisms.named.strategies import adaptive, batch

__all__ = [
    "adaptive",
    "batch",
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
