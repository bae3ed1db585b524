"""The theorems of Bassily, Groce, Katz & Smith, Coupled-Worlds Privacy."""

from __future__ import annotations

import twoworlds.theorems.bassily_groce_katz_smith.counterexamples
import twoworlds.theorems.bassily_groce_katz_smith.properties  # noqa: F401 (registers them)
from twoworlds.theorems.bassily_groce_katz_smith.counterexamples import (
    denied_value,
    hidden_sign,
    known_parity,
    noiseless_delta,
)
from twoworlds.theorems.bassily_groce_katz_smith.implications import (
    inference_delta,
    inference_failure,
    pufferfish_failure,
    there_and_back,
    through_simulator,
)
from twoworlds.theorems.bassily_groce_katz_smith.properties import (
    compose_coupled,
    less_side_information,
    with_mixtures,
)

__all__ = [
    "compose_coupled",
    "denied_value",
    "hidden_sign",
    "inference_delta",
    "inference_failure",
    "known_parity",
    "less_side_information",
    "noiseless_delta",
    "pufferfish_failure",
    "there_and_back",
    "through_simulator",
    "with_mixtures",
]
