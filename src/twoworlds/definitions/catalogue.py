"""Definitions as calls, ``dp(ratio=3, delta=1/4)``, and the two questions asked of them."""

from __future__ import annotations

from collections.abc import Iterable

from twoworlds.calls import Registry, Text
from twoworlds.definitions.base import PrivacyDefinition
from twoworlds.definitions.differential_privacy import DifferentialPrivacy
from twoworlds.definitions.indistinguishability import (
    PointwiseIndistinguishability,
    StatisticalDifference,
)
from twoworlds.definitions.mutual_information import MutualInformation
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.named import mechanism as build_mechanism
from twoworlds.worlds import check_group

DEFINITIONS: Registry[PrivacyDefinition] = Registry(
    "definition", late=("twoworlds.cones.amplification",)
)
Relation = str | Iterable[tuple[object, object]] | None


def definition(text: str | PrivacyDefinition) -> PrivacyDefinition:
    """Build a definition from what one would type.

    >>> definition("dp(ratio=3)").ratio
    Fraction(3, 1)
    """
    return text if isinstance(text, PrivacyDefinition) else DEFINITIONS.build(text)


def check(
    mechanism: str | Mechanism,
    claim: str | PrivacyDefinition,
    *,
    neighbours: Relation = None,
    group: object = None,
) -> Verdict:
    """Decide whether a mechanism satisfies a definition with its numbers.

    >>> bool(check("random-index(records=4, values=3)", "dp(ratio=1000, delta=0.2)"))
    False
    """
    return _with(claim, neighbours, group).check(build_mechanism(mechanism))


def measure(
    mechanism: str | Mechanism,
    *,
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
    neighbours: Relation = None,
    group: object = None,
    definition: str | PrivacyDefinition = "dp",
) -> Verdict:
    """Return the exact price of a mechanism.

    In differential privacy, the default: without numbers, the smallest ratio with delta = 0; with
    ratio or epsilon, the delta there; with delta, the smallest ratio for it. For any other
    definition: its tightest numbers.

    >>> measure("randomized-response(bits=1, keep=3/4)", ratio=2).delta
    Fraction(1, 4)
    """
    numbers = {"ratio": ratio, "epsilon": epsilon, "delta": delta}
    asked = _with(definition, neighbours, group, **numbers)
    built = build_mechanism(mechanism)
    if not isinstance(asked, DifferentialPrivacy) or (asked.ratio is None and asked.delta == 0):
        return asked.tightest(built)
    if asked.ratio is None:
        return asked.ratio_at(built, asked.delta)
    if asked.delta != 0 or delta is not None:
        raise InvalidInput(
            "a ratio (or epsilon) with a delta is a claim: check it, as in twoworlds check "
            f"'{built.expression}' '{asked.claim}', or leave one of the two out"
        )
    return asked.delta_at(built, asked.ratio)


def _with(
    text: str | PrivacyDefinition, neighbours: Relation, group: object, **numbers: object
) -> PrivacyDefinition:
    """Build a definition, with neighbours, a group size and numbers given beside it."""
    beside = {"neighbours": neighbours, "group": group, **numbers}
    given = {name: value for name, value in beside.items() if value is not None}
    if isinstance(text, PrivacyDefinition):
        if given:
            raise InvalidInput(
                "a definition object carries its own neighbours, group and numbers: give "
                f"{', '.join(given)} to the object"
            )
        return text
    return DEFINITIONS.build(text, **given)


@DEFINITIONS.register("dp")
def dp(
    ratio: object = None,
    epsilon: object = None,
    delta: object = 0,
    neighbours: Relation = None,
    group: object = 1,
) -> PrivacyDefinition:
    """Differential privacy: neighbours give every event nearly the same probability."""
    return DifferentialPrivacy(
        ratio=ratio, epsilon=epsilon, delta=delta, neighbours=neighbours, group=check_group(group)
    )


@DEFINITIONS.register("pointwise")
def pointwise(
    ratio: object = None,
    epsilon: object = None,
    delta: object = 0,
    neighbours: Relation = None,
    group: object = 1,
) -> PrivacyDefinition:
    """Point-wise indistinguishability: most outputs are nearly as likely in both worlds."""
    return PointwiseIndistinguishability(
        ratio=ratio, epsilon=epsilon, delta=delta, neighbours=neighbours, group=check_group(group)
    )


@DEFINITIONS.register("statistical-difference")
def statistical_difference(
    epsilon: object = None, neighbours: Relation = None, group: object = 1
) -> PrivacyDefinition:
    """Statistical difference: no probability changes by more than epsilon (protects nobody)."""
    return StatisticalDifference(epsilon=epsilon, neighbours=neighbours, group=check_group(group))


@DEFINITIONS.register("semantic")
def semantic(
    epsilon: object = None, delta: object = None, default: object = None, records: object = None
) -> PrivacyDefinition:
    """Semantic privacy: any attacker concludes nearly the same with and without a person."""
    from twoworlds.definitions.semantics.privacy import SemanticPrivacy

    return SemanticPrivacy(epsilon=epsilon, delta=delta, default=default, records=records)


@DEFINITIONS.register("local-semantic")
def local_semantic(
    belief: str, epsilon: object = None, delta: object = 0, default: object = None
) -> PrivacyDefinition:
    """Semantic privacy against one belief, with a failure probability."""
    from twoworlds.definitions.semantics.local import LocalSemanticPrivacy

    return LocalSemanticPrivacy(belief, epsilon=epsilon, delta=delta, default=default)


@DEFINITIONS.register("reality-oblivious")
def reality_oblivious(
    belief: str | None = None,
    epsilon: object = None,
    delta: object = 0,
    truth: object = None,
    default: object = None,
) -> PrivacyDefinition:
    """Semantic privacy whatever is true: the belief (all, if left out) may rule out the truth."""
    from twoworlds.definitions.semantics.oblivious import RealityObliviousPrivacy

    return RealityObliviousPrivacy(
        belief, truth=truth, epsilon=epsilon, delta=delta, default=default
    )


@DEFINITIONS.register("informed")
def informed(epsilon: object = None) -> PrivacyDefinition:
    """Informed privacy: who knows all other records changes their mind about yours by little."""
    from twoworlds.definitions.semantics.informed import InformedPrivacy

    return InformedPrivacy(epsilon=epsilon)


@DEFINITIONS.register("mutual-information")
def mutual_information(nats: object = None) -> PrivacyDefinition:
    """Mutual information: the output tells at most so many nats about a record (an average)."""
    return MutualInformation(nats=nats)


@DEFINITIONS.register("coupled-worlds")
def coupled_worlds(
    belief: Text,
    scrubs: Text = "persons",
    side: str | None = None,
    simulator: str = "optimal",
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
) -> PrivacyDefinition:
    """Coupled worlds: the release is nearly what a simulator makes of the scrubbed database."""
    from twoworlds.definitions.coupled import CoupledWorlds

    return CoupledWorlds(
        belief, scrubs, side=side, simulator=simulator, ratio=ratio, epsilon=epsilon, delta=delta
    )


@DEFINITIONS.register("ddp")
def ddp(
    belief: Text,
    side: str | None = None,
    simulator: str = "optimal",
    tagged: object = "no",
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
) -> PrivacyDefinition:
    """Distributional differential privacy: a simulator does nearly as well without your entry."""
    from twoworlds.definitions.coupled import DistributionalPrivacy

    return DistributionalPrivacy(
        belief,
        side=side,
        simulator=simulator,
        tagged=_yes(tagged),
        ratio=ratio,
        epsilon=epsilon,
        delta=delta,
    )


@DEFINITIONS.register("inference-coupled-worlds")
def inference_coupled_worlds(
    belief: Text,
    scrubs: Text = "persons",
    side: str | None = None,
    simulator: str = "optimal",
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
) -> PrivacyDefinition:
    """Inference-based coupled worlds: conclusions are nearly those from a simulator's output."""
    from twoworlds.definitions.coupled import InferenceCoupledWorlds

    return InferenceCoupledWorlds(
        belief, scrubs, side=side, simulator=simulator, ratio=ratio, epsilon=epsilon, delta=delta
    )


@DEFINITIONS.register("inference-ddp")
def inference_ddp(
    belief: Text,
    side: str | None = None,
    simulator: str = "optimal",
    tagged: object = "no",
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
) -> PrivacyDefinition:
    """Inference-based DDP: conclusions about your entry are nearly those without it."""
    from twoworlds.definitions.coupled import InferenceDistributionalPrivacy

    return InferenceDistributionalPrivacy(
        belief,
        side=side,
        simulator=simulator,
        tagged=_yes(tagged),
        ratio=ratio,
        epsilon=epsilon,
        delta=delta,
    )


@DEFINITIONS.register("noiseless")
def noiseless(
    belief: Text,
    side: str | None = None,
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
) -> PrivacyDefinition:
    """Noiseless privacy: every two values of your entry give nearly the same release."""
    from twoworlds.definitions.coupled import NoiselessPrivacy

    return NoiselessPrivacy(belief, side=side, ratio=ratio, epsilon=epsilon, delta=delta)


@DEFINITIONS.register("pufferfish")
def pufferfish(
    belief: Text,
    secrets: Text = "records",
    side: str | None = None,
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
) -> PrivacyDefinition:
    """Pufferfish: the release is nearly the same whether a secret is true or false."""
    from twoworlds.definitions.coupled import Pufferfish

    return Pufferfish(belief, secrets, side=side, ratio=ratio, epsilon=epsilon, delta=delta)


@DEFINITIONS.register("inference-pufferfish")
def inference_pufferfish(
    belief: Text,
    secrets: Text = "records",
    side: str | None = None,
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
) -> PrivacyDefinition:
    """Inference-based Pufferfish: what is believed about a secret is nearly what was before."""
    from twoworlds.definitions.coupled import InferencePufferfish

    return InferencePufferfish(
        belief, secrets, side=side, ratio=ratio, epsilon=epsilon, delta=delta
    )


def _yes(given: object) -> bool:
    """Read yes or no."""
    if isinstance(given, bool):
        return given
    known = {"yes": True, "true": True, "no": False, "false": False}
    if str(given).lower() not in known:
        raise InvalidInput(f"tagged={given}: say yes or no")
    return known[str(given).lower()]
