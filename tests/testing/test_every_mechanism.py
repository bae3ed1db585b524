"""Every named mechanism inherits the suite of its kind, and none is forgotten."""

from fractions import Fraction

import pytest

from twoworlds import BitStrings, Dense, Records, Universe
from twoworlds.calls import parse
from twoworlds.mechanisms.named.load import MECHANISMS
from twoworlds.testing.conformance import (
    DensityConformance,
    IntegerNoiseConformance,
    MechanismConformance,
    Shared,
)

# --- one transition per record ------------------------------------------------------------------


class TestRandomizedResponse(MechanismConformance):
    expression = "randomized-response(bits=2, keep=3/4)"
    groups = (1, 2, 3)


class TestRandomizedResponseThatLies(MechanismConformance):
    expression = "randomized-response(bits=3, keep=1/4)"


class TestRandomizedResponseOfManyValues(MechanismConformance):
    expression = "randomized-response(values=[a, b, c], records=2, ratio=5/2)"


class TestRandomizedResponseWithAnIrrationalRatio(MechanismConformance):
    expression = "randomized-response(bits=2, epsilon=1/2)"


class TestRandomizedResponseOfManyBits(MechanismConformance):
    """Groups so large that outputs are merged by likelihood ratio, not listed."""

    expression = "randomized-response(bits=3, keep=3/4)"
    groups = (3,)

    @pytest.fixture(autouse=True)
    def _merge(self, monkeypatch):
        monkeypatch.setattr("twoworlds.mechanisms.per_record._WORDS_LISTED", 1)


class TestPram(MechanismConformance):
    expression = "pram([[3/5, 0], [2/5, 1/3], [0, 2/3]], records=2)"


class TestPramWithFewerReportsThanValues(MechanismConformance):
    expression = "pram([[3/5, 1/7, 1/3], [2/5, 6/7, 2/3]], records=2, values=[a, b, c])"


@pytest.mark.slow
class TestPramMerged(TestPram):
    @pytest.fixture(autouse=True)
    def _merge(self, monkeypatch):
        monkeypatch.setattr("twoworlds.mechanisms.per_record._WORDS_LISTED", 1)


class TestIdentity(MechanismConformance):
    expression = "identity(values=3, records=2)"


# --- maps ---------------------------------------------------------------------------------------


class TestConstant(MechanismConformance):
    expression = "constant(bits=3)"


class TestConstantOnListsOfAnyLength(MechanismConformance):
    expression = "constant(universe=records(values=2, n=2, smallest=0))"
    relations = ("substitute", "add-remove")


class TestParity(MechanismConformance):
    expression = "parity(bits=3)"


class TestExact(MechanismConformance):
    expression = "exact(sum, universe=records(values=[0, 1, 3], n=2))"
    groups = (1, 2)


class TestExactMajority(MechanismConformance):
    expression = "exact(majority, universe=bits(3))"


@pytest.mark.slow
class TestExactHistogramOfListsOfAnyLength(MechanismConformance):
    expression = "exact(histogram, universe=records(values=2, n=2, smallest=0))"
    relations = ("substitute", "add-remove")


class TestNoisyParity(MechanismConformance):
    expression = "noisy-parity(bits=3, keep=2/3)"


class TestTemperedMap(MechanismConformance):
    expression = "tempered-map([[3/4, 1/4], [1/4, 3/4]], people=3, power=2)"


class TestTemperedMapOfThreeLaws(MechanismConformance):
    expression = (
        "tempered-map([[1/2, 1/4, 1/4], [1/4, 1/2, 1/4], [1/3, 1/3, 1/3]], people=2, power=1, "
        "values=[a, b, c], weights=[1/2, 1/4, 1/4])"
    )


class TestRandomIndex(MechanismConformance):
    expression = "random-index(records=3, values=2)"
    groups = (1, 2, 3, 4)


# --- integer noise ------------------------------------------------------------------------------


class TestGeometric(IntegerNoiseConformance):
    expression = "geometric(ratio=2)"


class TestGeometricOfSensitivityTwo(IntegerNoiseConformance):
    expression = "geometric(ratio=3, sensitivity=2)"
    groups = (1,)


@pytest.mark.slow
class TestGeometricWithAnIrrationalRatio(IntegerNoiseConformance):
    expression = "geometric(epsilon=1/2)"


class TestGeometricOnBits(IntegerNoiseConformance):
    expression = "geometric(p=2/3, bits=3)"


class TestTruncatedGeometric(MechanismConformance):
    expression = "truncated-geometric(ratio=2, high=4)"
    groups = (1, 2, 9)


@pytest.mark.slow
class TestTruncatedGeometricOfSensitivityTwo(MechanismConformance):
    expression = "truncated-geometric(p=2/3, low=-2, high=2, sensitivity=2)"


class TestTruncatedGeometricOnBits(MechanismConformance):
    expression = "truncated-geometric(ratio=2, bits=2)"


class TestTruncatedGeometricToOneAnswer(MechanismConformance):
    expression = "truncated-geometric(ratio=2, low=3, high=3)"


class TestDifferencedNegativeBinomial(IntegerNoiseConformance):
    expression = "differenced-negative-binomial(p=1/2, r=2)"


class TestDifferencedNegativeBinomialOfOneIsGeometric(IntegerNoiseConformance):
    expression = "differenced-negative-binomial(p=1/2, r=1, sensitivity=2)"
    groups = (1,)


class TestSkellam(IntegerNoiseConformance):
    expression = "skellam(l1=2, l2=1)"
    groups = (1,)


@pytest.mark.slow
class TestSymmetricSkellamOnBits(IntegerNoiseConformance):
    expression = "skellam(l1=1, l2=1, bits=2)"
    groups = (1,)


class TestDiscreteGaussian(IntegerNoiseConformance):
    expression = "discrete-gaussian(sigma2=3/2)"


class TestIntegerNoise(IntegerNoiseConformance):
    expression = "integer-noise([1/8, 1/2, 1/8, 1/4], start=-1)"


class TestIntegerNoiseWithHoles(IntegerNoiseConformance):
    expression = "integer-noise([1/2, 0, 1/2], start=0, sensitivity=2)"


# --- densities ----------------------------------------------------------------------------------


class TestLaplace(DensityConformance):
    expression = "laplace(scale=3/2)"


class TestLaplaceOfLogarithmicRate(DensityConformance):
    expression = "laplace(ratio=3)"


class TestGaussian(DensityConformance):
    expression = "gaussian(sigma=2, sensitivity=3/2)"
    deltas = (Fraction(0), Fraction(1, 5))


@pytest.mark.slow
class TestGaussianBySquare(DensityConformance):
    expression = "gaussian(sigma2=3)"
    groups = (1,)
    deltas = (Fraction(1, 100),)


# --- several answers ----------------------------------------------------------------------------


class TestBatch(MechanismConformance):
    expression = (
        "batch(count, parity, noise=truncated-geometric(p=1/2, low=0, high=2), universe=bits(2))"
    )


class TestAdaptive(MechanismConformance):
    expression = (
        "adaptive(count, cuts=[1], then=[constant, count], "
        "noise=truncated-geometric(p=1/2, low=0, high=2), universe=bits(2))"
    )


# --- combined -----------------------------------------------------------------------------------


class TestThen(MechanismConformance):
    expression = "then(randomized-response(bits=2, keep=3/4), parity(bits=2))"


class TestMix(MechanismConformance):
    expression = "mix(randomized-response(bits=2, keep=3/4), constant(bits=2), weight=1/3)"


class TestPair(MechanismConformance):
    expression = "pair(noisy-parity(bits=2, keep=3/4), truncated-geometric(ratio=2, bits=2))"


class TestPairOfPerRecordMechanisms(MechanismConformance):
    expression = (
        "pair(randomized-response(bits=1, keep=3/4), randomized-response(bits=1, keep=2/3))"
    )


class TestCompose(MechanismConformance):
    expression = "compose(noisy-parity(bits=2, keep=3/4), times=3)"


class TestComposeTwoKindsOfWorlds(Shared):
    """One person changes both bits and the true answer."""

    expression = "compose(randomized-response(bits=2, keep=3/4), geometric(ratio=2))"

    def databases(self, mechanism):
        return [((1, 1), 0), ((0, 1), 1)]

    def outputs(self, mechanism):
        return [((1, 1), 0), ((1, 0), 5), ((0, 0), -3)]


class TestComposeMerged(Shared):
    """So many outputs that they are merged by likelihood ratio, not listed."""

    expression = "compose(noisy-parity(bits=2, keep=3/4), times=12)"

    def outputs(self, mechanism):
        return [(0,) * 12, (1,) * 12, (0, 1) * 6]


class TestPoissonSample(Shared):
    expression = "poisson-sample(geometric(ratio=3), rate=1/4)"
    relations = ("add-remove",)
    groups = (1,)

    def outputs(self, mechanism):
        return list(range(-3, 5))


class TestFixedSample(Shared):
    expression = "fixed-sample(geometric(ratio=3), size=1, of=4)"
    groups = (1,)

    def outputs(self, mechanism):
        return list(range(-3, 5))


class TestShuffle(MechanismConformance):
    expression = "shuffle(randomized-response(bits=3, keep=3/4))"
    groups = (1,)


class TestShuffleThreeKinds(MechanismConformance):
    expression = "shuffle(pram([[1/2, 1/3], [1/4, 1/3], [1/4, 1/3]], records=2))"
    groups = (1,)


class TestRestrict(MechanismConformance):
    expression = "restrict(randomized-response(bits=3, keep=3/4), [111, 110, 000])"
    groups = (1, 2, 3)


class TestRestrictedNoise(MechanismConformance):
    expression = "restrict(truncated-geometric(ratio=2, high=3), [0, 1, 3])"
    groups = (1, 2)


# --- without a name -----------------------------------------------------------------------------


class TestDense(MechanismConformance):
    groups = (1, 2, 3)

    def make(self):
        rows = [["1/2", "1/3", "0", "1"], ["1/2", "2/3", "1", "0"]]
        pairs = [("a", "b"), ("b", "c"), ("c", "d")]
        return Dense(Universe.of("abcd", pairs), Universe.of(["yes", "no"]), rows)

    relations = ("explicit",)


class TestDenseOnListsOfAnyLength(MechanismConformance):
    relations = ("substitute", "add-remove")

    def make(self):
        return Dense.from_function(
            Records(2, 2, smallest=0),
            lambda x: {("n", len(x)): "1/2", ("sum", sum(x)): "1/4", "nothing": "1/4"},
        )


class TestFunction(MechanismConformance):
    def make(self):
        return Dense.from_function(BitStrings(2), lambda x: {sum(x): "2/3", "none": "1/3"})


class TestDenseWithNumbersForLabels(MechanismConformance):
    """Each number is the whole record of one person, so all are neighbours."""

    labels = (0, 1, 2)

    def make(self):
        rows = [["1/2", "1/3", "0"], ["1/2", "2/3", "1"]]
        return Dense(Universe.of(self.labels), Universe.of([0, 1]), rows)


class TestDenseWithNamesForLabels(TestDenseWithNumbersForLabels):
    labels = ("ann", "bob", "carla")


class TestDenseWithRecordsInLabels(TestDenseWithNumbersForLabels):
    labels = ("a|b", "a|c", "b|b")


class TestDenseWithLabelsOfSeveralKinds(TestDenseWithNumbersForLabels):
    labels = ("ab", 1, (1, 2))


# --- none is forgotten --------------------------------------------------------------------------


def suites(kind=Shared):
    for suite in kind.__subclasses__():
        yield suite
        yield from suites(suite)


def test_every_named_mechanism_has_a_suite():
    tested = {parse(suite.expression).name for suite in suites() if suite.expression}
    assert {entry.name for entry in MECHANISMS} == tested
