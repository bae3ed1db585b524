"""The theorems of Kasiviswanathan & Smith, On the "Semantics" of Differential Privacy."""

from __future__ import annotations

from twoworlds.theorems.kasiviswanathan_smith.counterexamples import Alarm
from twoworlds.theorems.kasiviswanathan_smith.lemmas import (
    Conditioned,
    condition,
    conditioning_failure,
    largest_difference,
    pointwise_delta,
    printed_conditioning_failure,
    widened_delta,
)
from twoworlds.theorems.kasiviswanathan_smith.local import (
    GoodDatabases,
    LocalCalibration,
    calibrate_locally,
    good_databases,
)
from twoworlds.theorems.kasiviswanathan_smith.one_bit import one_bit_failure, one_bit_worst
from twoworlds.theorems.kasiviswanathan_smith.semantic import (
    dp_factor,
    largest_power,
    sharper_semantic,
    simple_dp_factor,
)

__all__ = [
    "Alarm",
    "Conditioned",
    "GoodDatabases",
    "LocalCalibration",
    "calibrate_locally",
    "condition",
    "conditioning_failure",
    "dp_factor",
    "good_databases",
    "largest_difference",
    "largest_power",
    "one_bit_failure",
    "one_bit_worst",
    "pointwise_delta",
    "printed_conditioning_failure",
    "sharper_semantic",
    "simple_dp_factor",
    "widened_delta",
]
