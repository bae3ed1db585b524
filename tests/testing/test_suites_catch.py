"""A suite is worth what it rejects: broken mechanisms and definitions fail the right law."""

from fractions import Fraction

import pytest

from twoworlds import BitStrings, Dense, Universe
from twoworlds.definitions import StatisticalDifference
from twoworlds.mechanisms import Family, FiniteComparison, PerRecord
from twoworlds.mechanisms.named import mechanism
from twoworlds.testing.conformance import DefinitionConformance, MechanismConformance

ROWS = [["3/4", "1/4", "1/4", "1/8"], ["1/4", "3/4", "3/4", "7/8"]]


class Suite(MechanismConformance):
    """Not collected: it is run by hand below."""


class Forgetful(Dense):
    """Compares the first two databases only."""

    def family(self, relation, group=1):
        some = list(super().family(relation, group))[:2]
        return Family(some, "not all of them")


class Understated(Dense):
    """Claims half of every gap."""

    def family(self, relation, group=1):
        return Family(
            (Halved(c.x, c.y, c.p, c.q, c.event, c.scale) for c in super().family(relation, group)),
            "half the truth",
        )


class Halved(FiniteComparison):
    def gap(self, ratio):
        found = super().gap(ratio)
        return found._replace(delta=found.delta / 2)


class Leaky(Dense):
    """Draws outputs that cannot be."""

    def sample(self, database, rng):
        return "never"


class Misread(PerRecord):
    """Its row is not its column."""

    def row(self, output):
        return {x: Fraction(1, 2) for x in self.universe}


def dense(kind):
    return kind(BitStrings(2), Universe.of(["yes", "no"]), ROWS)


def misprinted():
    made = mechanism("randomized-response(bits=1, keep=3/4)")
    return PerRecord(made.transition, 1, expression="randomized-response(bits=1, keep=2/3)")


@pytest.mark.parametrize(
    ("made", "law"),
    [
        (dense(Forgetful), "test_the_worst_comparisons_are_those_found_by_brute_force"),
        (dense(Understated), "test_the_worst_comparisons_are_those_found_by_brute_force"),
        (dense(Understated), "test_the_gap_is_what_its_event_shows"),
        (dense(Leaky), "test_samples_stay_in_the_support"),
        (
            Misread(mechanism("randomized-response(bits=1, keep=3/4)").transition, 1),
            "test_row_distribution_table_and_probability_agree",
        ),
        (misprinted(), "test_its_text_builds_it_again"),
    ],
)
def test_a_broken_mechanism_fails_its_law(made, law):
    with pytest.raises(AssertionError):
        getattr(Suite(), law)(made)


def test_a_sound_mechanism_passes_every_law():
    suite = Suite()
    for name in dir(suite):
        if name.startswith("test_"):
            getattr(suite, name)(dense(Dense))


class Trusting(StatisticalDifference):
    """Believes every claim."""

    def check(self, mechanism):
        from dataclasses import replace

        return replace(super().check(mechanism), holds=True)


class TrustingSuite(DefinitionConformance):
    number, perfect, worst = "epsilon", Fraction(0), Fraction(1)
    broken = (("identity(bits=2)", Trusting(epsilon="1/2")),)

    def measuring(self):
        return StatisticalDifference()

    def claiming(self, value):
        return Trusting(epsilon=value)


def test_a_definition_that_believes_everything_is_found_out():
    suite = TrustingSuite()
    for law in (
        suite.test_a_mechanism_that_reveals_everything_gets_the_worst_number,
        suite.test_known_broken_mechanisms_are_rejected,
    ):
        with pytest.raises(AssertionError):
            law()


class NotClosedSuite(TrustingSuite):
    post_processing_counterexample = (
        mechanism("randomized-response(bits=1, keep=3/4)"),
        {(1,): "any", (0,): "any"},
    )


def test_a_counterexample_that_is_none_is_found_out():
    with pytest.raises(AssertionError):
        NotClosedSuite().test_post_processing_never_raises_the_number()


def test_a_suite_says_what_must_be_given():
    with pytest.raises(TypeError, match="abstract methods"):
        DefinitionConformance()
