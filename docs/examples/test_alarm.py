"""A test of one's own mechanism: an alarm that says whether anybody answered yes."""

from twoworlds import BitStrings, Dense
from twoworlds.testing.conformance import MechanismConformance


def any_yes(bits):
    truth, lie = ("some", "none") if any(bits) else ("none", "some")
    return {truth: "9/10", lie: "1/10"}


class TestAlarm(MechanismConformance):
    def make(self):
        return Dense.from_function(BitStrings(3), any_yes)
