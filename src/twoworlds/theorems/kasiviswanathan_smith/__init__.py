"""The theorems of Kasiviswanathan & Smith, On the "Semantics" of Differential Privacy."""

from __future__ import annotations

from twoworlds.theorems.kasiviswanathan_smith.approximate import sharper_semantic
from twoworlds.theorems.kasiviswanathan_smith.conditioning import (
    Conditioned,
    condition,
    conditioning_failure,
    printed_conditioning_failure,
)
from twoworlds.theorems.kasiviswanathan_smith.converse import dp_factor, simple_dp_factor
from twoworlds.theorems.kasiviswanathan_smith.counterexamples import Alarm
from twoworlds.theorems.kasiviswanathan_smith.lemmas import (
    largest_difference,
    pointwise_delta,
    widened_delta,
)
from twoworlds.theorems.kasiviswanathan_smith.local import (
    GoodDatabases,
    LocalCalibration,
    calibrate_locally,
    good_databases,
)
from twoworlds.theorems.kasiviswanathan_smith.one_bit import one_bit_failure, one_bit_worst
from twoworlds.theorems.kasiviswanathan_smith.pure import largest_power

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
