"""Laws of integer noise with exact tails, one per file."""

from __future__ import annotations

from twoworlds.mechanisms.noise.base import Noise, Supremum
from twoworlds.mechanisms.noise.discrete_gaussian import DiscreteGaussianNoise
from twoworlds.mechanisms.noise.geometric import GeometricNoise
from twoworlds.mechanisms.noise.negative_binomial import NegativeBinomialDifference
from twoworlds.mechanisms.noise.skellam import SkellamNoise

__all__ = [
    "DiscreteGaussianNoise",
    "GeometricNoise",
    "NegativeBinomialDifference",
    "Noise",
    "SkellamNoise",
    "Supremum",
]
