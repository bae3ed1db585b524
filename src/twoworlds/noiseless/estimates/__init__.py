"""Answers that seldom hang on one entry: the likeliest law, and stable functions."""

from __future__ import annotations

from twoworlds.noiseless.estimates.family import (
    Family,
)
from twoworlds.noiseless.estimates.likeliest import (
    likeliest,
    likeliest_known,
    likeliest_people,
    release_likeliest,
)
from twoworlds.noiseless.estimates.rates import (
    Rates,
    rates,
)
from twoworlds.noiseless.estimates.stable import (
    stable,
)

__all__ = [
    "Family",
    "Rates",
    "likeliest",
    "likeliest_known",
    "likeliest_people",
    "rates",
    "release_likeliest",
    "stable",
]
