"""Every registered definition inherits the suite, and none is forgotten."""

from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import ClassVar

from twoworlds import BitStrings, Dense, DifferentialPrivacy, Universe, definition, mechanism
from twoworlds.definitions import (
    DEFINITIONS,
    MutualInformation,
    PointwiseIndistinguishability,
    StatisticalDifference,
    Witness,
)
from twoworlds.definitions.accountants import (
    ConcentratedDifferentialPrivacy,
    GaussianDifferentialPrivacy,
    RenyiDifferentialPrivacy,
)
from twoworlds.definitions.coupled import (
    CoupledWorlds,
    DistributionalPrivacy,
    InferenceCoupledWorlds,
    InferenceDistributionalPrivacy,
    InferencePufferfish,
    NoiselessPrivacy,
    OriginalNoiselessPrivacy,
    Pufferfish,
)
from twoworlds.definitions.crowd_blending import CrowdBlending
from twoworlds.definitions.semantics.local import LocalSemanticPrivacy
from twoworlds.definitions.semantics.oblivious import RealityObliviousPrivacy
from twoworlds.definitions.semantics.privacy import InformedPrivacy, SemanticPrivacy
from twoworlds.definitions.trade_off_privacy import TradeOffPrivacy, lowered, read_corners
from twoworlds.numbers import INFINITY, ln
from twoworlds.testing.conformance import DefinitionConformance
from twoworlds.worlds import Records

ZERO, ONE = Fraction(0), Fraction(1)


def on_one_bit(first, second):
    """The law on database 1 and the law on database 0, over outputs a, b, ..."""
    outputs = Universe.of("abc"[: len(first)])
    return Dense(BitStrings(1), outputs, [list(row) for row in zip(first, second, strict=True)])


class TestTheRatioOfDifferentialPrivacy(DefinitionConformance):
    registered_as = "dp"
    number = "ratio"
    perfect, worst = ONE, INFINITY
    broken = (
        ("random-index(records=4, values=3)", "dp(ratio=1000)"),
        ("gaussian(sigma=100)", "dp(ratio=1000)"),
        ("integer-noise([1/2, 1/2])", "dp(ratio=1000)"),
        ("randomized-response(bits=2, keep=3/4)", "dp(ratio=3, group=2)"),
        ("geometric(ratio=2)", "dp(ratio=2, group=2)"),
    )

    def measuring(self):
        return DifferentialPrivacy()

    def claiming(self, value):
        return DifferentialPrivacy(ratio=value)


class TestTheDeltaOfDifferentialPrivacy(DefinitionConformance):
    registered_as = "dp"
    number = "delta"
    perfect, worst = ZERO, ONE
    broken = (
        ("random-index(records=4, values=3)", "dp(ratio=1000, delta=0.2)"),
        ("gaussian(sigma=1)", "dp(epsilon=1, delta=1/10)"),
        ("skellam(l1=1, l2=1)", "dp(epsilon=1, delta=1/50)"),
    )

    class _AtRatioTwo(DifferentialPrivacy):
        def tightest(self, mechanism):
            return self.delta_at(mechanism, 2)

    def measuring(self):
        return self._AtRatioTwo()

    def claiming(self, value):
        return DifferentialPrivacy(ratio=2, delta=value)


class TestPointwiseIndistinguishability(DefinitionConformance):
    """Neither axiom holds: lumping a bad output with one at the edge makes both bad."""

    registered_as = "pointwise"
    number = "delta"
    perfect, worst = ZERO, ONE
    broken = (
        ("random-index(records=4, values=3)", "pointwise(ratio=1000, delta=0.2)"),
        ("laplace(scale=1)", "pointwise(epsilon=1/2, delta=1/10)"),
    )
    post_processing_counterexample = (
        on_one_bit(("1/10", "4/10", "5/10"), ("0", "2/10", "8/10")),
        {"a": "a or b", "b": "a or b", "c": "c"},
    )
    mixing_counterexample = (
        on_one_bit(("1/5", "4/5"), ("0", "1")),
        on_one_bit(("1/2", "1/2"), ("1/4", "3/4")),
    )

    def measuring(self):
        return PointwiseIndistinguishability(ratio=2)

    def claiming(self, value):
        return PointwiseIndistinguishability(ratio=2, delta=value)


class TestStatisticalDifference(DefinitionConformance):
    """Closed under both: total variation falls under maps and is convex."""

    registered_as = "statistical-difference"
    number = "epsilon"
    perfect, worst = ZERO, ONE
    broken = (
        ("random-index(records=4, values=3)", "statistical-difference(epsilon=0.2)"),
        ("parity(bits=3)", "statistical-difference(epsilon=0.99)"),
    )

    def measuring(self):
        return StatisticalDifference()

    def claiming(self, value):
        return StatisticalDifference(epsilon=value)


class TestMutualInformation(DefinitionConformance):
    """Closed under both: data processing, and information is convex in the channel."""

    registered_as = "mutual-information"
    number = "nats"
    perfect, worst = ZERO, ln(Fraction(2))
    broken = (
        ("random-index(records=4, values=3)", "mutual-information(nats=0.27)"),
        ("identity(bits=2)", "mutual-information(nats=0.69)"),
        ("randomized-response(bits=30, keep=3/4)", "mutual-information(nats=0.13)"),
    )
    universe = BitStrings(1)

    def measuring(self):
        return MutualInformation()

    def forge(self, witness):
        return replace(witness, number=witness.number + Fraction(1, 1000))

    def claiming(self, value):
        return MutualInformation(nats=value)


class LeastAmountConformance(DefinitionConformance):
    """What the definitions of accountants have in common."""

    perfect, worst = ZERO, INFINITY
    fixed: ClassVar = {}

    def measuring(self):
        return self.definition(**self.fixed)

    def claiming(self, value):
        return self.definition(**self.fixed, **{self.number: value})

    def forge(self, witness):
        """The number of what is shown, a little too large; or a changed probability."""
        if isinstance(witness, Witness):
            p, q = witness.probabilities
            return replace(witness, probabilities=(p, q + ONE / 1000))
        return replace(witness, number=witness.number + ONE / 1000)


class TestRenyiDifferentialPrivacy(LeastAmountConformance):
    """Closed under both: divergences fall under maps, and are quasi-convex in both laws."""

    registered_as = "rdp"
    number = "epsilon"
    definition = RenyiDifferentialPrivacy
    fixed: ClassVar = {"order": "5/2"}
    broken = (
        ("random-index(records=4, values=3)", "rdp(order=2, epsilon=1000)"),
        ("gaussian(sigma=2)", "rdp(order=2, epsilon=0.24)"),
        ("laplace(epsilon=1)", "rdp(order=3/2, epsilon=0.49)"),
        ("skellam(l1=1, l2=1)", "rdp(order=2, epsilon=0.44)"),
        ("compose(laplace(epsilon=1/10), times=100)", "rdp(order=2, epsilon=0.96)"),
        ("randomized-response(bits=2, keep=3/4)", "rdp(order=2, epsilon=0.84)"),
    )


class TestConcentratedDifferentialPrivacy(LeastAmountConformance):
    """Closed under both, as each divergence is."""

    registered_as = "zcdp"
    number = "rho"
    definition = ConcentratedDifferentialPrivacy
    broken = (
        ("random-index(records=4, values=3)", "zcdp(rho=1000)"),
        ("gaussian(sigma=2)", "zcdp(rho=0.124)"),
        ("laplace(epsilon=1)", "zcdp(rho=0.3678)"),
        ("geometric(ratio=3)", "zcdp(rho=0.549)"),
        ("discrete-gaussian(sigma2=2)", "zcdp(rho=0.249)"),
        ("gaussian(sigma=2)", "zcdp(rho=1/8, group=2)"),
    )


class TestGaussianDifferentialPrivacy(LeastAmountConformance):
    """Closed under both: tests of a map, or after a hidden coin, are tests of what was before."""

    registered_as = "gdp"
    number = "mu"
    definition = GaussianDifferentialPrivacy
    broken = (
        ("random-index(records=4, values=3)", "gdp(mu=1000)"),
        ("gaussian(sigma=2)", "gdp(mu=0.49)"),
        ("laplace(epsilon=1)", "gdp(mu=1.03)"),
        ("randomized-response(bits=2, keep=3/4)", "gdp(mu=1.34)"),
        ("poisson-sample(gaussian(sigma=2), rate=1/10)", "gdp(mu=0.49)"),
    )


class TestTradeOffPrivacy(DefinitionConformance):
    """Closed under both, as gaps are. The number is how far the curve must be lowered to hold."""

    registered_as = "f-dp"
    number = "shortfall"
    perfect, worst = ZERO, ONE
    corners = read_corners("0:1, 1/10:1/2, 1/2:1/8, 1:0")
    broken = (
        ("random-index(records=4, values=3)", "f-dp('0:4/5, 1:0')"),
        ("randomized-response(bits=2, keep=3/4)", "f-dp('0:1, 1/4:1/2, 1:0')"),
        ("gaussian(sigma=1)", "f-dp('0:1, 1/4:1/2, 1:0')"),
        ("laplace(epsilon=1)", "f-dp('0:1, 1/4:1/2, 1:0')"),
    )

    def measuring(self):
        return TradeOffPrivacy(points=self.corners)

    def claiming(self, value):
        return TradeOffPrivacy(points=lowered(self.corners, Fraction(value)))


def told_or_not(*told):
    """The probability of telling on databases 11, 10, 01, 00."""
    rows = [list(told), [1 - Fraction(p) for p in told]]
    return Dense(BitStrings(2), Universe.of(["told", "silent"]), rows)


class TestSemanticPrivacy(DefinitionConformance):
    """Neither axiom holds: the parity of two careful reports swings more than either of them.

    The swing of an output compares a person's influence on it under two values of the others.
    Merging outputs can turn a push up under the one value into a push down under the other.
    """

    registered_as = "semantic"
    number = "epsilon"
    perfect, worst = ZERO, ONE
    broken = (
        ("random-index(records=4, values=3)", "semantic(epsilon=0.99)"),
        ("noisy-parity(bits=2, keep=3/4)", "semantic(epsilon=0.49)"),
    )
    has_witness = None  # a belief that attains the number, where one does
    post_processing_counterexample = (
        mechanism("randomized-response(bits=2, keep=9/10)"),
        mechanism("parity(bits=2)"),
    )
    mixing_counterexample = (
        told_or_not("1/4", "3/4", "5/8", "1/4"),
        told_or_not("1/8", "1/8", "7/8", "1/8"),
    )

    def measuring(self):
        return definition("semantic")

    def forge(self, witness):
        return replace(witness, difference=witness.difference + Fraction(1, 1000))

    def claiming(self, value):
        return SemanticPrivacy(epsilon=value)


class TestLocalSemanticPrivacy(DefinitionConformance):
    """The same against one belief, with failure probability 0."""

    registered_as = "local-semantic"
    number = "epsilon"
    perfect, worst = ZERO, ONE
    belief = "independent(1/2, 1/10)"
    broken = (
        ("parity(bits=2)", f"local-semantic({belief}, epsilon=1/10, delta=1/2)"),
        ("randomized-response(bits=3, keep=3/4)", "local-semantic(uniform, epsilon=1/5)"),
    )
    post_processing_counterexample = TestSemanticPrivacy.post_processing_counterexample
    mixing_counterexample = (
        told_or_not("1/2", "1/2", "1/2", "2/3"),
        told_or_not("5/6", "1/2", "5/6", "2/3"),
    )

    def measuring(self):
        return LocalSemanticPrivacy(self.belief)

    def forge(self, witness):
        return replace(witness, difference=witness.difference + Fraction(1, 1000))

    def claiming(self, value):
        return LocalSemanticPrivacy(self.belief, epsilon=value)


class TestRealityObliviousPrivacy(DefinitionConformance):
    """Against one belief, whatever is true, with failure probability 0."""

    registered_as = "reality-oblivious"
    number = "epsilon"
    perfect, worst = ZERO, ONE
    belief = TestLocalSemanticPrivacy.belief
    broken = (
        ("parity(bits=2)", f"reality-oblivious({belief}, epsilon=1/10, delta=1/2)"),
        ("randomized-response(bits=1, keep=3/4)", "reality-oblivious(epsilon=0.26, delta=0.7)"),
    )
    has_witness = None  # where an epsilon is given
    post_processing_counterexample = TestSemanticPrivacy.post_processing_counterexample
    mixing_counterexample = TestLocalSemanticPrivacy.mixing_counterexample

    def measuring(self):
        return RealityObliviousPrivacy(self.belief)

    def claiming(self, value):
        return RealityObliviousPrivacy(self.belief, epsilon=value)


class TestTheFailureOfRealityObliviousPrivacy(DefinitionConformance):
    """The failure probability at one epsilon: merging a good output with a bad one can raise it."""

    registered_as = "reality-oblivious"
    number = "delta"
    perfect, worst = ZERO, ONE
    broken = TestRealityObliviousPrivacy.broken
    post_processing_counterexample = (
        Dense(
            BitStrings(2),
            Universe.of("abc"),
            [
                ["1/6", "1/5", "4/15", "1/7"],
                ["5/12", "3/10", "2/5", "5/7"],
                ["5/12", "1/2", "1/3", "1/7"],
            ],
        ),
        {"a": "a or b", "b": "a or b", "c": "c"},
    )
    mixing_counterexample = TestLocalSemanticPrivacy.mixing_counterexample
    asked = TestLocalSemanticPrivacy.belief, Fraction(101, 1000)

    def measuring(self):
        return RealityObliviousPrivacy(self.asked[0], epsilon=self.asked[1])

    def claiming(self, value):
        return RealityObliviousPrivacy(self.asked[0], epsilon=self.asked[1], delta=value)

    def forge(self, witness):
        return replace(witness, failure=witness.failure + Fraction(1, 1000))


class TestInformedPrivacy(DefinitionConformance):
    """Closed under both, as differential privacy is."""

    registered_as = "informed"
    number = "epsilon"
    perfect, worst = ZERO, ONE
    broken = (
        ("random-index(records=4, values=3)", "informed(epsilon=0.99)"),
        ("randomized-response(bits=40, keep=9/10)", "informed(epsilon=0.49)"),
        ("gaussian(sigma=100)", "informed(epsilon=0.8)"),
    )

    def measuring(self):
        return InformedPrivacy()

    def forge(self, witness):
        return replace(witness, number=witness.number + Fraction(1, 1000))

    def claiming(self, value):
        return InformedPrivacy(epsilon=value)


def on_two_bits(*rows):
    """The probabilities of outputs a, b, ... on databases 11, 10, 01, 00."""
    return Dense(BitStrings(2), Universe.of("abc"[: len(rows)]), [row.split() for row in rows])


class TestDistributionalPrivacy(DefinitionConformance):
    """Closed under both: the simulator is processed and mixed along (Theorem 3)."""

    registered_as = "ddp"
    number = "delta"
    perfect, worst = ZERO, Fraction(1, 2)
    belief = "independent(1/2, 1/3)"
    broken = (
        ("parity(bits=2)", "ddp(uniform, side=parity, ratio=1000, delta=0.49)"),
        ("exact(sum, universe=bits(3))", "ddp(uniform, ratio=3/2, delta=0.12)"),
    )

    def measuring(self):
        return DistributionalPrivacy(self.belief, ratio=2)

    def claiming(self, value):
        return DistributionalPrivacy(self.belief, ratio=2, delta=value)

    def forge(self, witness):
        p, q = witness.worst.probabilities
        return replace(witness, worst=replace(witness.worst, probabilities=(p, q + ONE / 1000)))


class TestCoupledWorlds(TestDistributionalPrivacy):
    """The same, for the first person only, whose place the simulator is told."""

    registered_as = "coupled-worlds"
    universe = BitStrings(1)
    broken = (
        ("parity(bits=2)", "coupled-worlds(uniform, persons(1), side=parity, ratio=9, delta=0.49)"),
    )
    asked = "independent(1/3)", "persons(1, tagged)"

    def measuring(self):
        return CoupledWorlds(*self.asked, ratio=2)

    def claiming(self, value):
        return CoupledWorlds(*self.asked, ratio=2, delta=value)


class TestNoiselessPrivacy(DefinitionConformance):
    """Closed under both: the laws given a value are processed and mixed like any other."""

    registered_as = "noiseless"
    number = "delta"
    perfect, worst = ZERO, ONE
    belief = "hidden(9/10=1/2, 1/10=1/2)"
    broken = (
        ("exact(majority, universe=bits(5))", f"noiseless({belief}, ratio=2, delta=0.7)"),
        ("random-index(records=3, values=2)", "noiseless(uniform, ratio=3/2, delta=0)"),
    )

    def measuring(self):
        return NoiselessPrivacy(self.belief, ratio=2)

    def claiming(self, value):
        return NoiselessPrivacy(self.belief, ratio=2, delta=value)


def on_lists(*rows):
    """A mechanism on the lists of up to two records 0 or 1: a row for each output."""
    where = Records(2, 2, smallest=0)
    outputs = Universe.of("abc"[: len(rows)])
    return Dense(where, outputs, [[Fraction(p) for p in row.split()] for row in rows])


class TestCrowdBlending(DefinitionConformance):
    """Not closed under mixing: who blends in one and is left out in the other may do neither."""

    registered_as = "crowd-blending"
    number = "ratio"
    perfect, worst = ONE, INFINITY
    universe = Records(2, 2, smallest=0)
    revealing = "exact(histogram, universe=records(values=2, n=2, smallest=0))"
    silent = "constant(universe=records(values=2, n=2, smallest=0))"
    broken = (
        ("exact(sum, universe=records(values=2, n=2, smallest=0))", "crowd-blending(k=2, ratio=2)"),
        (
            "exact(truncated-histogram(threshold=2), universe=records(values=2, n=3, smallest=0))",
            "crowd-blending(k=3, ratio=100)",
        ),
    )
    # The databases are 00, 01, 10, 11, 0, 1 and the empty list.
    mixing_counterexample = (
        on_lists("1/2 1/2 1/2 1/2 1/4 1/4 1/4", "1/2 1/2 1/2 1/2 3/4 3/4 3/4"),
        on_lists("1/4 1/2 1/2 1/4 1/2 1/2 1/2", "3/4 1/2 1/2 3/4 1/2 1/2 1/2"),
    )

    def measuring(self):
        return CrowdBlending(k=2)

    def claiming(self, value):
        return CrowdBlending(k=2, ratio=value)

    def forge(self, witness):
        return replace(witness, number=Fraction(1, 2))  # no ratio is below 1


class TestOriginalNoiselessPrivacy(DefinitionConformance):
    """Neither axiom holds: a good output that is merged with a rare bad one becomes bad."""

    registered_as = "original-noiseless"
    number = "delta"
    perfect, worst = ZERO, Fraction(1, 2)
    broken = (
        ("exact(sum, universe=bits(3))", "original-noiseless(uniform, ratio=2, delta=0.2)"),
        ("random-index(records=3, values=2)", "original-noiseless(uniform, ratio=3/2, delta=0)"),
    )
    post_processing_counterexample = (
        on_one_bit(("1/2", "1/10", "2/5"), ("1/5", "0", "4/5")),
        {"a": "a or b", "b": "a or b", "c": "c"},
    )
    mixing_counterexample = (
        on_one_bit(("3/5", "2/5"), ("3/10", "7/10")),
        on_one_bit(("1/5", "4/5"), ("0", "1")),
    )

    def measuring(self):
        return OriginalNoiselessPrivacy("uniform", ratio="5/2")

    def claiming(self, value):
        return OriginalNoiselessPrivacy("uniform", ratio="5/2", delta=value)


class TestPufferfish(DefinitionConformance):
    """Closed under both, as noiseless privacy is."""

    registered_as = "pufferfish"
    number = "ratio"
    perfect, worst = ONE, INFINITY
    broken = (
        ("noisy-parity(bits=2, keep=3/4)", "pufferfish(uniform, parity, ratio=2)"),
        ("identity(bits=2)", "pufferfish(uniform, '11 against 00', ratio=2, delta=0.9)"),
    )

    def measuring(self):
        return Pufferfish("uniform", ["parity", "1=1"])

    def claiming(self, value):
        return Pufferfish("uniform", ["parity", "1=1"], ratio=value)


class TestInferenceDistributionalPrivacy(DefinitionConformance):
    """Neither axiom holds: merging a good output with a bad one can make both bad."""

    registered_as = "inference-ddp"
    number = "delta"
    perfect, worst = ZERO, Fraction(1, 2)
    broken = (
        (
            "exact(sum, universe=bits(3))",
            "inference-ddp(uniform, simulator=canonical, ratio=3/2, delta=0.24)",
        ),
    )
    belief = "uniform"
    post_processing_counterexample = (
        on_two_bits("0 0 1/4 1/2", "0 1/4 5/12 1/4", "1 3/4 1/3 1/4"),
        {"a": "a or b", "b": "a or b", "c": "c"},
    )
    mixing_counterexample = (
        on_two_bits("0 0 0 1", "1 1 1 0"),
        on_two_bits("0 1 3/8 1/2", "1 0 5/8 1/2"),
    )

    def measuring(self):
        return InferenceDistributionalPrivacy(self.belief, simulator="coin", ratio="5/4")

    def claiming(self, value):
        asked = {"simulator": "coin", "ratio": "5/4", "delta": value}
        return InferenceDistributionalPrivacy(self.belief, **asked)

    def forge(self, witness):
        return replace(witness, failure=witness.failure + Fraction(1, 1000))


class TestInferenceCoupledWorlds(TestInferenceDistributionalPrivacy):
    """The same for one person."""

    registered_as = "inference-coupled-worlds"
    broken = (
        (
            "exact(sum, universe=bits(3))",
            "inference-coupled-worlds(uniform, persons(1), simulator=coin, ratio=1, delta=1/9)",
        ),
    )
    post_processing_counterexample = (
        on_two_bits("0 0 1/2 1/5", "0 1/4 1/3 3/5", "1 3/4 1/6 1/5"),
        {"a": "a or b", "b": "a or b", "c": "c"},
    )
    mixing_counterexample = (
        on_two_bits("1 5/8 1/6 1/2", "0 3/8 5/6 1/2"),
        on_two_bits("1 1 2/3 5/8", "0 0 1/3 3/8"),
    )

    def measuring(self):
        asked = {"simulator": "coin", "ratio": "5/4"}
        return InferenceCoupledWorlds(self.belief, "persons(1)", **asked)

    def claiming(self, value):
        asked = {"simulator": "coin", "ratio": "5/4", "delta": value}
        return InferenceCoupledWorlds(self.belief, "persons(1)", **asked)


class TestInferencePufferfish(TestInferenceCoupledWorlds):
    """What is believed of one entry afterwards, against before: as with a simulator by coins."""

    registered_as = "inference-pufferfish"
    broken = (
        (
            "noisy-parity(bits=2, keep=3/4)",
            "inference-pufferfish(uniform, odd, ratio=1, delta=1/5)",
        ),
    )

    def measuring(self):
        return InferencePufferfish(self.belief, "1=1", ratio="5/4")

    def claiming(self, value):
        return InferencePufferfish(self.belief, "1=1", ratio="5/4", delta=value)


def suites(kind=DefinitionConformance):
    for suite in kind.__subclasses__():
        yield suite
        yield from suites(suite)


def test_every_registered_definition_has_a_suite():
    import_module("tests.cones.test_linear")  # where the definitions by row constraints have theirs
    assert {entry.name for entry in DEFINITIONS} == {
        suite.registered_as for suite in suites() if suite.registered_as
    }
