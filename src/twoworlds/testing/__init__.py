"""Tests for your own mechanisms and definitions, and the ones that ours inherit.

* `twoworlds.testing.strategies`: hypothesis strategies for laws, matrices, universes, mechanisms;
* `twoworlds.testing.conformance`: suites that a test class inherits, one for each kind of mechanism
  and one for privacy definitions;
* `twoworlds.testing.enumeration`: the definitions themselves by brute force over all events, in
  plain fractions, sharing no code with the comparisons that they judge;
* `twoworlds.testing.broken`: mechanisms that do not keep what they claim, for audits to find.

All but the last need the ``test`` extra (hypothesis and pytest). Nothing that runs imports this
package.

A suite is used by inheriting from it:

    class TestMySurvey(MechanismConformance):
        def make(self):
            return Dense(BitStrings(1), BitStrings(1), [["3/4", "1/4"], ["1/4", "3/4"]])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of

if TYPE_CHECKING:
    from twoworlds.testing.conformance import (
        DefinitionConformance,
        DensityConformance,
        IntegerNoiseConformance,
        MechanismConformance,
    )

__all__ = [
    "DefinitionConformance",
    "DensityConformance",
    "IntegerNoiseConformance",
    "MechanismConformance",
]

# Loaded when they are first used: the broken mechanisms are of use without the ``test`` extra.
_PLACES = {"conformance": tuple(__all__)}

__getattr__, __dir__ = names_of(__name__, _PLACES)
