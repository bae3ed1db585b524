"""Suites that a mechanism or a privacy definition inherits, ours and yours alike.

Name your class ``Test...`` so that pytest collects it, and say what it tests:

* `MechanismConformance` for finite mechanisms, `IntegerNoiseConformance` for outputs that are all
  the whole numbers, `DensityConformance` for the real line: return the mechanism from ``make``, or
  give its text as ``expression``;
* `DefinitionConformance` for privacy definitions: say how to read the number that it bounds, and
  what that number is for a mechanism that reveals everything or nothing.
"""

from twoworlds.testing.conformance.definition import DefinitionConformance
from twoworlds.testing.conformance.mechanism import (
    DensityConformance,
    IntegerNoiseConformance,
    MechanismConformance,
    Shared,
)

__all__ = [
    "DefinitionConformance",
    "DensityConformance",
    "IntegerNoiseConformance",
    "MechanismConformance",
    "Shared",
]
