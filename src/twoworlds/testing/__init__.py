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

    from twoworlds.testing.conformance import MechanismConformance

    class TestMySurvey(MechanismConformance):
        def make(self):
            return Dense(BitStrings(1), BitStrings(1), [["3/4", "1/4"], ["1/4", "3/4"]])
"""

import sys

__all__: list[str] = []

if "pytest" in sys.modules:  # so that a failing `assert` of a suite shows its values
    sys.modules["pytest"].register_assert_rewrite(f"{__name__}.conformance")
