"""Tests for your own mechanisms and definitions, and the ones that ours inherit.

* `twoworlds.testing.strategies`: hypothesis strategies for laws, matrices, universes, mechanisms;
* `twoworlds.testing.conformance`: suites that a test class inherits, one for each kind of mechanism
  and one for privacy definitions;
* `twoworlds.testing.enumeration`: the definitions themselves by brute force over all events, in
  plain fractions, sharing no code with the comparisons that they judge.

Needs the ``test`` extra (hypothesis and pytest). Nothing that runs imports this package.

A suite is used by inheriting from it:

    class TestMySurvey(MechanismConformance):
        def make(self):
            return Dense(BitStrings(1), BitStrings(1), [["3/4", "1/4"], ["1/4", "3/4"]])
"""

from __future__ import annotations

import pytest

# Before the suites are imported, so that a failing `assert` in them shows its values.
pytest.register_assert_rewrite("twoworlds.testing.conformance")

from twoworlds.testing.conformance import (  # noqa: E402
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
